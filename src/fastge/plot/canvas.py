"""What every picture is drawn on: a figure of its own, colours and markers, title, legend."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from fastge.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# After Okabe and Ito, ordered so that neighbours also differ in lightness.
COLOURS = ("#0072B2", "#E9A800", "#661150", "#1FAA85", "#56B4E9", "#D55E00", "#CC79A7")
MARKERS = {"o": 1.0, "s": 0.85, "^": 1.25, "D": 0.75, "v": 1.25}  # and areas that look alike
INK, SOFT_INK, FAINT = "#222222", "#6B6B6B", "#C9C9C9"

TEXT, TITLE = 9.0, 11.0  # points
WIDTH, MARGIN, HEAD = 8.0, 1.3, 0.45  # inches: picture, legend or colour bar, title
_LEGEND_ROWS, _LEGEND_LETTERS = 20, 95
_LEGEND_STYLE: dict[str, Any] = {
    "frameon": False, "fontsize": TEXT, "labelcolor": INK, "markerscale": 1.4,
    "handletextpad": 0.4, "columnspacing": 1.2,
}  # fmt: skip


def look(j: int) -> tuple[str, str, float]:
    """Colour, marker and relative area of the j-th cluster."""
    return COLOURS[j % len(COLOURS)], *list(MARKERS.items())[j % len(MARKERS)]


def sheet(width: float, height: float) -> Figure:
    """An empty figure, in inches, that lays itself out and belongs to no window."""
    try:
        backend = importlib.import_module("matplotlib.backends.backend_agg")
        module = importlib.import_module("matplotlib.figure")
    except ImportError as cause:
        raise MissingExtraError("matplotlib", "plot", "drawing pictures") from cause
    figure: Figure = module.Figure((width, height), 150, facecolor="white")
    figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.06)
    backend.FigureCanvasAgg(figure)
    return figure


def bare(axes: Axes) -> None:
    """No frame and no ticks, one unit as long across as up."""
    axes.set_aspect("equal")
    axes.set_axis_off()


def frame(axes: Axes, x: str, y: str) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(labelsize=TEXT - 1, color=FAINT, labelcolor=SOFT_INK)
    axes.tick_params(which="minor", length=0)
    for axis, name in ((axes.xaxis, x), (axes.yaxis, y)):
        axis.set_label_text(name, fontsize=TEXT, color=SOFT_INK)


def head(figure: Figure, title: str) -> None:
    figure.suptitle(title, x=0.01, ha="left", fontsize=TITLE, color=INK)


def legend(figure: Figure, axes: Axes, *, below: bool) -> None:
    """Legend outside the data, in as many columns as fit."""
    handles, names = axes.get_legend_handles_labels()
    letters = int(_LEGEND_LETTERS * figure.get_figwidth() / WIDTH)
    fitting = letters // (5 + max(map(len, names), default=0))
    columns = fitting if below else -(-len(names) // _LEGEND_ROWS)
    place = "outside lower left" if below else "outside right upper"
    style = _LEGEND_STYLE | {"loc": place, "ncols": max(columns, 1)}
    figure.legend(handles, names, **style)
