"""The answers of several methods side by side: on points, and on an image."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fastge.errors import ParameterError
from fastge.graph import FloatArray, IntArray
from fastge.image.overlay import overlay
from fastge.plot.canvas import HEAD, INK, TEXT, WIDTH, bare, head, look, sheet
from fastge.plot.nodes import aspect, draw_clusters, plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = WIDTH + 2.2
_PANEL_HEAD = 0.3  # inches
_PIXELS = 640  # of the longer side: more would not be seen


def points_by_method(
    points: FloatArray,
    answers: Mapping[str, IntArray],
    *,
    labelled: IntArray | None = None,
    title: str,
) -> Figure:
    """The clusters of every method on the same points; labelled nodes are ringed."""
    points = plane(points)
    ringed = points[np.empty(0, np.int64) if labelled is None else labelled]
    figure = sheet(*_size(len(answers), aspect(points)))
    for axes, (name, labels) in zip(_panels(figure, len(answers)), answers.items(), strict=True):
        draw_clusters(axes, points, np.asarray(labels), size=4.5)
        axes.scatter(ringed[:, 0], ringed[:, 1], 18, "none", edgecolors=INK, lw=0.9, zorder=3)
        _finish(axes, name)
    head(figure, title)
    return figure


def image_by_method(
    image: Any, answers: Mapping[str, IntArray], *, marked: IntArray, title: str
) -> Figure:
    """The image with its labelled pixels, then under the regions of every method.

    Answers and `marked` (a class, −1 elsewhere) have the rows and columns of the image.
    """
    picture, marked = np.asarray(image), np.asarray(marked)
    for labels in (marked, *answers.values()):
        if labels.shape != picture.shape[:2]:
            raise ParameterError(
                f"labels of shape {labels.shape} do not fit an image of shape {picture.shape}"
            )
    step = -(-max(marked.shape) // _PIXELS)
    rows, columns = marked.shape
    figure = sheet(*_size(len(answers) + 1, rows / columns))
    panels = _panels(figure, len(answers) + 1)
    for name, labels in {"labelled pixels": np.full_like(marked, -1), **answers}.items():
        axes = next(panels)
        shown = overlay(picture[::step, ::step], np.asarray(labels)[::step, ::step])
        axes.imshow(shown, extent=(-0.5, columns - 0.5, rows - 0.5, -0.5))
        _draw_marks(axes, marked)
        _finish(axes, name)
    head(figure, title)
    return figure


def _size(count: int, ratio: float) -> tuple[float, float]:
    columns = min(count, 3)
    rows, panel = -(-count // columns), _WIDTH / columns
    return _WIDTH, rows * (panel * float(np.clip(ratio, 0.15, 1.4)) + _PANEL_HEAD) + HEAD


def _panels(figure: Figure, count: int) -> Iterator[Axes]:
    columns = min(count, 3)
    for at in range(1, count + 1):
        yield figure.add_subplot(-(-count // columns), columns, at)


def _draw_marks(axes: Axes, marked: IntArray) -> None:
    for known in np.unique(marked[marked >= 0]):
        y, x = np.nonzero(marked == known)
        colour, marker, area = look(int(known))
        axes.scatter(x, y, 22 * area, colour, marker=marker, edgecolors="white", lw=0.8)


def _finish(axes: Axes, name: str) -> None:
    bare(axes)
    axes.set_title(name, fontsize=TEXT, color=INK, loc="left")
