"""Pictures of clusterings: points, embeddings, eigenvectors, convergence.

Every function returns a matplotlib Figure of its own, which the caller saves; nothing global is
touched. Clusters differ in colour and marker: pictures survive greyscale and colour blindness.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fastge.constraints import Constraints
from fastge.errors import MissingExtraError, ParameterError
from fastge.graph import BoolArray, FloatArray, IntArray
from fastge.pairs import Pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Place: TypeAlias = FloatArray | tuple[int, int]
"""Where the nodes lie: (n, 2) points, or rows and columns of a grid."""

# After Okabe and Ito, ordered so that neighbours also differ in lightness.
COLOURS = ("#0072B2", "#E9A800", "#661150", "#1FAA85", "#56B4E9", "#D55E00", "#CC79A7")
MARKERS = {"o": 1.0, "s": 0.85, "^": 1.25, "D": 0.75, "v": 1.25}  # and areas that look alike
INK, SOFT_INK, FAINT = "#222222", "#6B6B6B", "#C9C9C9"
MUST_LINK, CANNOT_LINK = "#222222", "#D55E00"

_TEXT, _TITLE = 9.0, 11.0  # points
_WIDTH, _MARGIN, _HEAD = 8.0, 1.3, 0.45  # inches: picture, legend or colour bar, title
_LEGEND_ROWS, _LEGEND_LETTERS = 20, 95
_LEGEND_STYLE: dict[str, Any] = {
    "frameon": False, "fontsize": _TEXT, "labelcolor": INK, "markerscale": 1.4,
    "handletextpad": 0.4, "columnspacing": 1.2,
}  # fmt: skip
_DOTS = 60_000  # more would only overprint one another
_SPIKES = 5.0  # per cent of entries beyond the ends of a colour scale


def points_by_cluster(
    points: FloatArray,
    labels: IntArray,
    *,
    constraints: Constraints | None = None,
    title: str = "Points by cluster",
) -> Figure:
    """Points in the plane, coloured by cluster, with the constraints drawn over them.

    Violated constraints are drawn heavier than kept ones; nodes with a known label are ringed.
    """
    points, labels = _plane(points), np.asarray(labels)
    aspect = _aspect(points)
    wide = aspect < 0.6
    panel = _WIDTH if wide else _WIDTH - _MARGIN
    figure = _figure(_WIDTH, panel * float(np.clip(aspect, 0.15, 1)) + _HEAD * (1 + wide))
    axes = figure.add_subplot()
    _draw_clusters(axes, points, labels)
    if constraints is not None:
        _draw_constraints(axes, points, constraints, labels)
    _bare(axes)
    _head(figure, title)
    _legend(figure, axes, below=wide)
    return figure


def embedding_scatter(
    embedding: FloatArray, labels: IntArray, *, title: str = "Spectral embedding"
) -> Figure:
    """The embedding along its principal directions; rows of unit length lie in the circle."""
    embedding = np.asarray(embedding, dtype=np.float64)
    if embedding.ndim != 2 or embedding.shape[1] < 2 or len(embedding) == 0:
        raise ParameterError(f"an embedding of shape {embedding.shape} has no plane to draw it in")
    seen = embedding @ _directions(embedding)
    views = [(0, 1), (0, 2)][: seen.shape[1] - 1]
    panel = (_WIDTH - _MARGIN) / 2
    figure = _figure(len(views) * panel + _MARGIN + 0.5, panel + _HEAD)
    for at, (x, y) in enumerate(views, start=1):
        axes = figure.add_subplot(1, len(views), at)
        _draw_clusters(axes, seen[:, [x, y]], np.asarray(labels))
        _draw_ball(axes, float(np.linalg.norm(embedding, axis=1).max()))
        _frame(axes, f"direction {x + 1}", f"direction {y + 1}")
    _head(figure, title)
    _legend(figure, figure.axes[0], below=False)
    return figure


def eigenvector_heatmaps(
    eigenvectors: FloatArray,
    *,
    points: FloatArray | None = None,
    shape: tuple[int, int] | None = None,
    eigenvalues: FloatArray | None = None,
    title: str = "Eigenvectors",
) -> Figure:
    """Entries of every eigenvector where the nodes lie: at points, or as pixels of a grid.

    Constrained eigenvectors spike at the constraints, so the largest entries share one colour.
    """
    X = np.atleast_2d(np.asarray(eigenvectors, dtype=np.float64).T).T
    place = _place(points, shape, len(X))
    aspect = float(np.clip(_aspect(place), 0.15, 1.2))
    columns = min(X.shape[1], 2 if X.shape[1] <= 4 else 3)
    rows, panel = -(-X.shape[1] // columns), (_WIDTH - _MARGIN) / columns
    figure = _figure(_WIDTH, rows * (panel * aspect + 0.3) + _HEAD)
    for j, x in enumerate(X.T):
        axes = figure.add_subplot(rows, columns, j + 1)
        image = _draw_entries(axes, x, place)
        _bare(axes)
        value = "" if eigenvalues is None else f"    λ = {eigenvalues[j]:.3g}"
        axes.set_title(f"$x_{{{j + 1}}}${value}", fontsize=_TEXT, color=INK, loc="left", x=0.02)
    _draw_bar(figure, image)
    _head(figure, title)
    return figure


def convergence(
    residuals: Sequence[Any] | FloatArray,
    *,
    tolerance: float | None = None,
    title: str = "Convergence",
) -> Figure:
    """Relative residual of every eigenpair against the iteration, on a logarithmic axis."""
    history = _history(residuals)
    figure = _figure(0.8 * _WIDTH, 0.5 * _WIDTH)
    axes = figure.add_subplot()
    for j, column in enumerate(history.T):
        name, (colour, marker, _) = f"$\\lambda_{{{j + 1}}}$", _look(j)
        axes.semilogy(column, label=name, color=colour, marker=marker, ms=4.5, lw=1.4)
    if tolerance is not None:
        axes.axhline(tolerance, color=INK, lw=1, linestyle=(0, (4, 3)), label="tolerance")
    axes.grid(visible=True, axis="y", color=FAINT, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.locator_params(axis="x", integer=True)
    _frame(axes, "iteration", "relative residual")
    _head(figure, title)
    _legend(figure, axes, below=False)
    return figure


def _figure(width: float, height: float) -> Figure:
    try:
        backend = importlib.import_module("matplotlib.backends.backend_agg")
        module = importlib.import_module("matplotlib.figure")
    except ImportError as cause:
        raise MissingExtraError("matplotlib", "plot", "drawing pictures") from cause
    figure: Figure = module.Figure((width, height), 150, facecolor="white")
    figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.06)
    backend.FigureCanvasAgg(figure)
    return figure


def _plane(points: FloatArray) -> FloatArray:
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] < 2 or len(points) == 0:
        raise ParameterError(f"points of shape {points.shape} have no place in the plane")
    return points if points.shape[1] == 2 else np.asarray(points @ _directions(points)[:, :2])


def _directions(points: FloatArray) -> FloatArray:
    """The (at most three) directions of largest variance, one per column."""
    centred = points - points.mean(axis=0)
    return np.asarray(np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :3])


def _place(points: FloatArray | None, shape: tuple[int, int] | None, n: int) -> Place:
    if points is not None and shape is None and len(points) == n:
        return _plane(points)
    if shape is not None and points is None and shape[0] * shape[1] == n:
        return shape
    raise ParameterError(f"say where the {n} nodes lie: pass their points or their grid's shape")


def _aspect(place: Place) -> float:
    """Height over width."""
    width, height = place[::-1] if isinstance(place, tuple) else np.ptp(place, axis=0)
    return float(height / width) if width > 0 else 1.0


def _look(j: int) -> tuple[str, str, float]:
    """Colour, marker and relative area of the j-th cluster."""
    return COLOURS[j % len(COLOURS)], *list(MARKERS.items())[j % len(MARKERS)]


def _some(n: int) -> IntArray:
    """All nodes, or as many evenly drawn ones as a picture can show."""
    return np.arange(n) if n <= _DOTS else np.linspace(0, n - 1, _DOTS).astype(np.int64)


def _draw_clusters(axes: Axes, points: FloatArray, labels: IntArray) -> None:
    if labels.shape != (len(points),):
        raise ParameterError(f"labels of shape {labels.shape} do not fit {len(points)} points")
    shown = _some(len(points))
    size = float(np.clip(18_000 / len(shown), 1.5, 30))
    for j, cluster in enumerate(np.unique(labels[labels >= 0])):
        x, y = points[shown[labels[shown] == cluster]].T
        colour, marker, area = _look(j)
        dots = axes.scatter(x, y, size * area, colour, marker=marker, label=f"cluster {cluster}")
        dots.set(linewidth=0.25, edgecolor="white")
    if (labels[shown] < 0).any():
        x, y = points[shown[labels[shown] < 0]].T
        axes.scatter(x, y, size, SOFT_INK, marker="x", linewidths=0.8, label="left over")


def _draw_constraints(
    axes: Axes, points: FloatArray, constraints: Constraints, labels: IntArray
) -> None:
    must, cannot = constraints.must_link, constraints.cannot_link
    apart = labels[must.ends[:, 0]] != labels[must.ends[:, 1]]
    together = labels[cannot.ends[:, 0]] == labels[cannot.ends[:, 1]]
    _draw_pairs(axes, points, must, apart, "must-link", c=MUST_LINK)
    _draw_pairs(axes, points, cannot, together, "cannot-link", c=CANNOT_LINK, ls=(0, (4, 2)))
    nodes = constraints.labels.nodes
    if len(nodes):
        x, y = points[nodes].T
        axes.scatter(x, y, 46, "none", edgecolors=INK, lw=1.1, label="labelled node", zorder=3)


def _draw_pairs(
    axes: Axes, points: FloatArray, pairs: Pairs, violated: BoolArray, name: str, **style: Any
) -> None:
    for chosen, width, alpha, label in (
        (~violated, 0.7, 0.6, f"{name}, kept"),
        (violated, 2.0, 1.0, f"{name}, violated"),
    ):
        if chosen.any():
            ends = points[pairs.ends[chosen]]
            gap = np.full((len(ends), 1, 2), np.nan)
            x, y = np.concatenate([ends, gap], axis=1).reshape(-1, 2).T
            axes.plot(x, y, lw=width, alpha=alpha, label=label, zorder=2, **style)


def _draw_ball(axes: Axes, radius: float) -> None:
    angle = np.linspace(0, 2 * np.pi, 200)
    axes.plot(radius * np.cos(angle), radius * np.sin(angle), color=FAINT, lw=0.8, zorder=0)
    limits = (-1.08 * radius, 1.08 * radius)
    axes.set(xlim=limits, ylim=limits, aspect="equal")
    axes.locator_params(nbins=5)


def _draw_entries(axes: Axes, x: FloatArray, place: Place) -> Any:
    """Entries about their mean (they are known up to a constant), scaled short of the spikes."""
    x = x - x.mean()
    scale = float(np.percentile(np.abs(x), 100 - _SPIKES)) or float(np.abs(x).max()) or 1.0
    style: dict[str, Any] = {"cmap": "viridis", "vmin": -1.0, "vmax": 1.0}
    if isinstance(place, tuple):
        return axes.imshow((x / scale).reshape(place), interpolation="nearest", **style)
    shown = _some(len(x))
    size = float(np.clip(9_000 / len(shown), 1, 24))
    u, v = place[shown].T
    return axes.scatter(u, v, size, x[shown] / scale, linewidths=0, **style)


def _draw_bar(figure: Figure, image: Any) -> None:
    bar = figure.colorbar(image, ax=figure.axes, shrink=0.8, pad=0.02, aspect=30, extend="both")
    bar.set_ticks([-1, 0, 1])
    bar.set_ticklabels(["negative", "0", "positive"], fontsize=_TEXT, color=INK)
    bar.ax.tick_params(color=FAINT)
    bar.outline.set_visible(False)


def _history(residuals: Sequence[Any] | FloatArray) -> FloatArray:
    """Iterations × eigenpairs; what is not a positive number leaves a gap."""
    columns = list(zip_longest(*(np.atleast_1d(row) for row in residuals), fillvalue=np.nan))
    if not columns:
        raise ParameterError("the history of residuals is empty; pass at least one iteration")
    table = np.array(columns, dtype=np.float64).T
    return np.where(table > 0, table, np.nan)


def _bare(axes: Axes) -> None:
    """No frame and no ticks, one unit as long across as up."""
    axes.set_aspect("equal")
    axes.set_axis_off()


def _frame(axes: Axes, x: str, y: str) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(labelsize=_TEXT - 1, color=FAINT, labelcolor=SOFT_INK)
    axes.tick_params(which="minor", length=0)
    for axis, name in ((axes.xaxis, x), (axes.yaxis, y)):
        axis.set_label_text(name, fontsize=_TEXT, color=SOFT_INK)


def _head(figure: Figure, title: str) -> None:
    figure.suptitle(title, x=0.01, ha="left", fontsize=_TITLE, color=INK)


def _legend(figure: Figure, axes: Axes, *, below: bool) -> None:
    """Legend outside the data, in as many columns as fit."""
    handles, names = axes.get_legend_handles_labels()
    fitting = _LEGEND_LETTERS // (5 + max(map(len, names), default=0))
    columns = fitting if below else -(-len(names) // _LEGEND_ROWS)
    place = "outside lower left" if below else "outside right upper"
    style = _LEGEND_STYLE | {"loc": place, "ncols": max(columns, 1)}
    figure.legend(handles, names, **style)
