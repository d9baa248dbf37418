"""What a session gives away as files: pictures and a report."""

from __future__ import annotations

import io
import json
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from fastge.app.document import PaintedClass, colour_of
from fastge.app.protocol import describe
from fastge.app.session import Session
from fastge.app.solver import NO_LABEL, Answer
from fastge.errors import ParameterError
from fastge.files.images import display_rgb, pillow
from fastge.files.overlays import enlarged_labels, labels_picture, map_picture, rgb_of, with_lines
from fastge.image import overlay


@dataclass(frozen=True)
class Download:
    """A file in the making: its content, its kind and its name."""

    content: bytes
    media_type: str
    name: str

    @property
    def disposition(self) -> str:
        """The header that makes browsers save it under its name."""
        return f"attachment; filename*=UTF-8''{quote(self.name)}"


def eigenvector_png(answer: Answer, j: int) -> bytes:
    """Entries of an eigenvector as grey values, cut at the spikes that constraints cause."""
    count = len(answer.eigenvalues)
    if answer.found is None or not 0 <= j < count:
        raise ParameterError(f"there is no eigenvector {j + 1}; there are {count}")
    return _png(map_picture(answer.found.eigenvectors[..., j]))


def make(session: Session, kind: str) -> Download:
    """The file of that kind; labels and overlay in full resolution where it is up to date."""
    stem = PurePath(session.name).stem or "image"
    if kind == "scribbles.png":
        painted = session.solver.scribbles(session.document.strokes)
        return _picture(f"{stem}-scribbles.png", _scribbles(painted, session.document.classes))
    answer = newest(session)
    if answer is None:
        raise ParameterError("there is nothing to save yet; paint in two regions first")
    if kind == "report.json":
        text = json.dumps(report(session, answer), indent=2) + "\n"
        return Download(text.encode(), "application/json", f"{stem}-report.json")
    labels = enlarged_labels(_signed(answer.labels), session.solver.size)
    colours = _colours(session.document.classes)
    if kind == "labels.png":
        return _picture(f"{stem}-labels.png", labels_picture(labels, colours))
    shown = display_rgb(session.pixels)
    table = {j: rgb_of(colour) for j, colour in enumerate(colours)}
    shown = with_lines(overlay(shown, labels, lines=False, colours=table), labels)
    return _picture(f"{stem}-overlay.png", pillow().fromarray(shown))


KINDS = ("labels.png", "overlay.png", "scribbles.png", "report.json")


def newest(session: Session) -> Answer | None:
    """The answer in full resolution if no stroke has come since, else that of the page."""
    full = session.full
    return full if full is not None and full.wish.revision == session.revision else session.answer


def report(session: Session, answer: Answer) -> dict[str, Any]:
    """The segmentation, the strokes and the machine in plain numbers."""
    state = session.state()
    kept = ("name", "width", "height", "working", "extra", "classes", "strokes")
    return {
        **{key: state[key] for key in kept},
        "segmentation": describe(answer),
        "quality": _quality(session),
        "timings": {stage: round(value, 4) for stage, value in answer.timings.items()},
        "versions": {"fastge": version("fastge"), "python": platform.python_version()},
    }


def _quality(session: Session) -> dict[str, Any] | None:
    """That of the final answer in working resolution: another needs the graph of all pixels."""
    answer = session.answer
    if answer is None or answer.found is None or answer.found.report is None:
        return None
    height, width = answer.labels.shape
    return {"solved": [width, height], **answer.found.report.to_dict()}


def _signed(labels: NDArray[np.uint8]) -> NDArray[np.int16]:
    return np.where(labels == NO_LABEL, np.int16(-1), labels.astype(np.int16))


def _scribbles(painted: NDArray[np.int64], classes: tuple[PaintedClass, ...]) -> Any:
    """Colours on transparency: `fastge segment --scribbles` reads it."""
    table = np.array(
        [(*rgb_of(c), 255) for c in _colours(classes)] + [(0, 0, 0, 0)], dtype=np.uint8
    )
    return pillow().fromarray(table[painted])


def _colours(classes: tuple[PaintedClass, ...]) -> list[str]:
    """Colour of every class, also of those that were discovered."""
    own = [c.colour for c in classes]
    return own + [colour_of(j) for j in range(len(own), NO_LABEL)]


def _picture(name: str, image: Any) -> Download:
    return Download(_png(image), "image/png", name)


def _png(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=4)
    return file.getvalue()
