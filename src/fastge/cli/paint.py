"""`fastge paint`: a page in the browser on which images are segmented while one paints."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from fastge.cli import console
from fastge.cli.commands import app
from fastge.errors import MissingExtraError

_NEEDED = {"fastapi": "FastAPI", "uvicorn": "uvicorn", "websockets": "websockets", "PIL": "Pillow"}


@app.command()
def paint(
    image: Annotated[
        Path | None,
        typer.Argument(metavar="[IMAGE]", help="Opened at once: PNG, JPEG, TIFF or WebP."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen at; only this machine reaches the default.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="Port to listen at [default: 8344 or one of the next]."
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A further name by which browsers may call this machine."
        ),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the default browser.")] = True,
) -> None:
    """Open a page on which the segmentation of an image follows every stroke."""
    with console.plain_endings():
        for module, package in _NEEDED.items():
            if find_spec(module) is None:
                raise MissingExtraError(package, "app", "the page")
        from fastge.app.run import Place, serve
        from fastge.app.server import Opened
        from fastge.files.images import read_image

        opened = None if image is None else Opened(image.name, read_image(image))
        place = Place(host, port, allow_host or ())
        serve(opened, place, console.say, open_browser=browser)
