"""The program `fastge`: commands parse, call one function, write one file; `console` talks.

`commands` has what concerns graphs, `segment` and `segmenting` images, `paint` the page.
"""

from fastge.cli import paint, segment
from fastge.cli.commands import app, main

__all__ = ["app", "main", "paint", "segment"]
