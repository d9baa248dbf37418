"""The program `fastge`: `commands` parse, call one function, write one file; `console` talks."""

from fastge.cli.commands import app, main

__all__ = ["app", "main"]
