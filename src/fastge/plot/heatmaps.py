"""Eigenvectors where the nodes lie: at points, or as pixels of a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastge.errors import ParameterError
from fastge.graph import FloatArray
from fastge.plot.canvas import FAINT, HEAD, INK, MARGIN, TEXT, WIDTH, bare, head, sheet
from fastge.plot.nodes import Place, aspect, plane, some

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SPIKES = 5.0  # per cent of entries beyond the ends of a colour scale
_ROUNDING = 1e-6  # of the largest entry: less than that beside a lone spike is not drawn


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
    ratio = float(np.clip(aspect(place), 0.15, 1.2))
    columns = min(X.shape[1], 2 if X.shape[1] <= 4 else 3)
    rows, panel = -(-X.shape[1] // columns), (WIDTH - MARGIN) / columns
    figure = sheet(WIDTH, rows * (panel * ratio + 0.3) + HEAD)
    for j, x in enumerate(X.T):
        axes = figure.add_subplot(rows, columns, j + 1)
        image = _draw_entries(axes, x, place)
        bare(axes)
        value = "" if eigenvalues is None else f"    λ = {eigenvalues[j]:.3g}"
        axes.set_title(f"$x_{{{j + 1}}}${value}", fontsize=TEXT, color=INK, loc="left", x=0.02)
    _draw_bar(figure, image)
    head(figure, title)
    return figure


def _place(points: FloatArray | None, shape: tuple[int, int] | None, n: int) -> Place:
    if points is not None and shape is None and len(points) == n:
        return plane(points)
    if shape is not None and points is None and shape[0] * shape[1] == n:
        return shape
    raise ParameterError(f"say where the {n} nodes lie: pass their points or their grid's shape")


def _draw_entries(axes: Axes, x: FloatArray, place: Place) -> Any:
    """Entries about the middle of most of them (they are known up to a constant)."""
    low, high = np.percentile(x, [_SPIKES / 2, 100 - _SPIKES / 2])
    x = x - x[(low <= x) & (x <= high)].mean()
    lengths = np.abs(x)
    scale = max(float(np.percentile(lengths, 100 - _SPIKES)), _ROUNDING * float(lengths.max()))
    x = x / (scale or 1.0)
    style: dict[str, Any] = {"cmap": "viridis", "vmin": -1.0, "vmax": 1.0}
    if isinstance(place, tuple):
        return axes.imshow(x.reshape(place), interpolation="nearest", **style)
    shown = some(len(x))
    size = float(np.clip(9_000 / len(shown), 1, 24))
    u, v = place[shown].T
    return axes.scatter(u, v, size, x[shown], linewidths=0, **style)


def _draw_bar(figure: Figure, image: Any) -> None:
    bar = figure.colorbar(image, ax=figure.axes, shrink=0.8, pad=0.02, aspect=30, extend="both")
    bar.set_ticks([-1, 0, 1])
    bar.set_ticklabels(["negative", "0", "positive"], fontsize=TEXT, color=INK)
    bar.ax.tick_params(color=FAINT)
    bar.outline.set_visible(False)
