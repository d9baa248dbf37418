"""Nodes as points, coloured by cluster: where they lie, and where the eigenvectors put them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fastge.constraints import Constraints
from fastge.errors import ParameterError
from fastge.graph import BoolArray, FloatArray, IntArray
from fastge.pairs import Pairs
from fastge.plot.canvas import (
    FAINT,
    HEAD,
    INK,
    MARGIN,
    SOFT_INK,
    WIDTH,
    bare,
    frame,
    head,
    legend,
    look,
    sheet,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Place: TypeAlias = FloatArray | tuple[int, int]
"""Where the nodes lie: (n, 2) points, or rows and columns of a grid."""

MUST_LINK, CANNOT_LINK = "#222222", "#D55E00"

_DOTS = 60_000  # more would only overprint one another


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
    points, labels = plane(points), np.asarray(labels)
    ratio = aspect(points)
    wide = ratio < 0.6
    panel = WIDTH if wide else WIDTH - MARGIN
    figure = sheet(WIDTH, panel * float(np.clip(ratio, 0.15, 1)) + HEAD * (1 + wide))
    axes = figure.add_subplot()
    draw_clusters(axes, points, labels)
    if constraints is not None:
        _draw_constraints(axes, points, constraints, labels)
    bare(axes)
    head(figure, title)
    legend(figure, axes, below=wide)
    return figure


def embedding_scatter(
    embedding: FloatArray, labels: IntArray, *, title: str = "Spectral embedding"
) -> Figure:
    """The embedding along its principal directions; rows of unit length lie in the circle."""
    embedding = np.asarray(embedding, dtype=np.float64)
    if embedding.ndim != 2 or embedding.shape[1] < 2 or len(embedding) == 0:
        raise ParameterError(f"an embedding of shape {embedding.shape} has no plane to draw it in")
    seen = embedding @ directions(embedding)
    views = [(0, 1), (0, 2)][: seen.shape[1] - 1]
    panel = (WIDTH - MARGIN) / 2
    figure = sheet(len(views) * panel + MARGIN + 0.5, panel + HEAD)
    for at, (x, y) in enumerate(views, start=1):
        axes = figure.add_subplot(1, len(views), at)
        draw_clusters(axes, seen[:, [x, y]], np.asarray(labels))
        _draw_ball(axes, float(np.linalg.norm(embedding, axis=1).max()))
        frame(axes, f"direction {x + 1}", f"direction {y + 1}")
    head(figure, title)
    legend(figure, figure.axes[0], below=False)
    return figure


def plane(points: FloatArray) -> FloatArray:
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] < 2 or len(points) == 0:
        raise ParameterError(f"points of shape {points.shape} have no place in the plane")
    return points if points.shape[1] == 2 else np.asarray(points @ directions(points)[:, :2])


def directions(points: FloatArray) -> FloatArray:
    """The (at most three) directions of largest variance, one per column."""
    centred = points - points.mean(axis=0)
    return np.asarray(np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :3])


def aspect(place: Place) -> float:
    """Height over width."""
    width, height = place[::-1] if isinstance(place, tuple) else np.ptp(place, axis=0)
    return float(height / width) if width > 0 else 1.0


def some(n: int) -> IntArray:
    """All nodes, or as many evenly drawn ones as a picture can show."""
    return np.arange(n) if n <= _DOTS else np.linspace(0, n - 1, _DOTS).astype(np.int64)


def draw_clusters(axes: Axes, points: FloatArray, labels: IntArray, *, size: float = 30.0) -> None:
    """Dots of at most that area, in points²; of many nodes some, and smaller ones."""
    if labels.shape != (len(points),):
        raise ParameterError(f"labels of shape {labels.shape} do not fit {len(points)} points")
    shown = some(len(points))
    size = float(np.clip(18_000 / len(shown), 1.5, size))
    for j, cluster in enumerate(np.unique(labels[labels >= 0])):
        x, y = points[shown[labels[shown] == cluster]].T
        colour, marker, area = look(j)
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
