"""Regions of blocks → regions of pixels: only what lies near a border is solved for again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import ndimage

from fastge.graph import BoolArray, FloatArray, IntArray
from fastge.image.colour import Pixels
from fastge.image.graph import pixel_graph
from fastge.image.level import HOLD, Level
from fastge.image.potentials import Ties, potentials

PULL = 0.02
"""Tie of a pixel to the shares of its block, in degrees."""
RIM = 10.0
"""The same on the rim of what is solved for: those shares hardly change."""
TOLERANCE = 0.03


def refined(
    level: Level,
    whole: Pixels,
    shares: FloatArray,
    places: IntArray,
    columns: IntArray,
    check: Callable[[], None],
) -> tuple[IntArray, IntArray, FloatArray]:
    """Class (0 … k−1) of every pixel, −1 for none; and pixels near borders with their shares.

    `shares` are the potentials on the level; `places` are painted with the classes `columns`.
    """
    best = np.full(level.number.size, -1, dtype=np.int8)
    best[level.number >= 0] = shares.argmax(axis=1)
    coarse: Any = best.reshape(level.pixels.shape)
    nothing: tuple[IntArray, FloatArray] = (
        np.empty(0, np.int64),
        np.empty((0, shares.shape[1]), np.float32),
    )
    if level.blocks.side == 1:
        return coarse, *nothing
    labels: IntArray = level.blocks.spread(coarse)
    labels[~whole.inside] = -1
    undecided = _undecided(coarse)
    wrong = labels.ravel()[places] != columns
    undecided.ravel()[level.blocks.of_pixels(places[wrong])] = True
    band: BoolArray = level.blocks.spread(undecided) & whole.inside
    if not band.any():
        return labels, *nothing
    where, found = _solved(level, whole, shares, band, places, columns, check)
    labels.ravel()[where] = found.argmax(axis=1)
    return labels, where, found


def _undecided(coarse: Any) -> BoolArray:
    """Blocks that touch one of another class, at a corner at least."""
    highest = ndimage.maximum_filter(coarse, size=3, mode="nearest")
    known = np.where(coarse < 0, np.int8(127), coarse)
    lowest = ndimage.minimum_filter(known, size=3, mode="nearest")
    return np.asarray((highest != lowest) & (coarse >= 0))


def _solved(
    level: Level,
    whole: Pixels,
    shares: FloatArray,
    band: BoolArray,
    places: IntArray,
    columns: IntArray,
    check: Callable[[], None],
) -> tuple[IntArray, FloatArray]:
    """The pixels in the band in reading order, and their shares."""
    around = ndimage.binary_dilation(band, np.ones((3,) * band.ndim, bool)) & whole.inside
    where = np.flatnonzero(around)
    in_band = band.ravel()[where]
    graph = pixel_graph(Pixels(whole.channels, around), level.affinity)
    degrees = np.maximum(graph.degrees, np.finfo(np.float32).tiny)
    pull = np.where(in_band, PULL, RIM) * degrees
    start = shares[level.nodes(where)]
    node = np.searchsorted(where, places)
    painted = np.flatnonzero(np.take(where, node, mode="clip") == places)
    there = np.zeros((len(painted), shares.shape[1]))
    there[np.arange(len(painted)), columns[painted]] = HOLD * degrees[node[painted]]
    ties = Ties((start.T * pull).T.astype(np.float32), node[painted], there)
    found = potentials(graph, ties, start, tol=TOLERANCE, check=check)
    return where[in_band], found.shares[in_band]
