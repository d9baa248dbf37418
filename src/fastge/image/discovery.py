"""Classes that nobody painted: clusters of a small version of the image, and places inside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fastge.algorithm import cluster
from fastge.constraints import Constraints
from fastge.graph import FloatArray, IntArray
from fastge.image.graph import pixel_graph
from fastge.image.level import Level

PLACES = 24
"""Pixels that stand for a discovered class."""
CORE = 0.5
"""Share of a cluster, the most typical part, that they are chosen from."""
TOLERANCE = 1e-2
SHARPNESS = 10.0
"""Cuts are balanced by size; a sharper graph than scribbles need keeps them at the borders."""


def discovered(
    level: Level,
    places: IntArray,
    classes: IntArray,
    k: int,
    *,
    seed: int,
    check: Callable[[], None],
) -> tuple[IntArray, IntArray]:
    """Further painted places and their classes, so that there are k classes where there can be.

    Classes that are painted keep their ids; the new ones take the least that are free.
    """
    known = np.full(level.n, -1, dtype=np.int64)
    known[level.nodes(places)] = classes
    constraints = Constraints.from_labels(known) if len(places) else None
    graph = pixel_graph(level.pixels, replace(level.affinity, sharpness=SHARPNESS))
    found = cluster(graph, constraints, k, seed=seed, tol=TOLERANCE, callback=lambda _: check())
    new_places, new_classes = [], []
    for label in np.setdiff1d(found.labels, classes):
        inside = np.flatnonzero(found.labels == label)
        nodes = _core(found.embedding[inside], inside)
        chosen = _spread_out(nodes, level)
        new_places.append(level.pixels_of(chosen))
        new_classes.append(np.full(len(chosen), label))
    return np.concatenate([places, *new_places]), np.concatenate([classes, *new_classes])


def _core(rows: FloatArray, nodes: IntArray) -> IntArray:
    """The nodes whose rows point most nearly along the mean."""
    typical = rows @ rows.mean(axis=0)
    count = max(int(CORE * len(nodes)), 1)
    return np.sort(nodes[np.argsort(-typical, kind="stable")[:count]])


def _spread_out(nodes: IntArray, level: Level) -> IntArray:
    """A few of the nodes, each as far as possible from those before."""
    blocks = np.flatnonzero(level.pixels.inside)[nodes]
    axes = np.stack(np.unravel_index(blocks, level.pixels.shape), axis=1).astype(float)
    chosen = [int(((axes - axes.mean(axis=0)) ** 2).sum(axis=1).argmin())]
    distance = ((axes - axes[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < PLACES and distance.max() > 0:
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, ((axes - axes[chosen[-1]]) ** 2).sum(axis=1))
    return nodes[chosen]
