"""Regions of blocks → regions of pixels: by a vote, or solved for once more near the borders."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import ndimage

from fastge import _native
from fastge.graph import BoolArray, FloatArray, IntArray
from fastge.image.colour import Pixels
from fastge.image.graph import as_volume, pixel_graph
from fastge.image.level import HOLD, Level
from fastge.image.potentials import Ties, potentials

PULL = 0.02
"""Tie of a pixel to the shares of its block, in degrees."""
RIM = 10.0
"""The same on the rim of what is solved for: those shares hardly change."""
TOLERANCE = 0.03


def followed(level: Level, whole: Pixels, shares: FloatArray) -> IntArray:
    """Class (0 … k−1) of every pixel, −1 for none: near borders that of the most alike blocks."""
    coarse = _classes(level, shares)
    if level.blocks.side == 1:
        return coarse
    labels = np.empty(as_volume(whole.shape), dtype=np.int8)
    _native.follow_image(
        level.blocks.side,
        level.as_blocks(shares).reshape(coarse.size, -1),
        level.pixels.channels.reshape(coarse.size, -1),
        coarse.ravel().astype(np.int8, copy=False),
        _undecided(coarse).ravel().view(np.uint8),
        whole.inside.reshape(labels.shape).view(np.uint8),
        whole.channels.reshape(whole.inside.size, -1),
        2 * level.features.bandwidth**2,
        labels,
    )
    return labels.reshape(whole.shape)


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
    coarse = _classes(level, shares)
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


def _classes(level: Level, shares: FloatArray) -> IntArray:
    """Class of every block, −1 for none."""
    best = np.full(level.number.size, -1, dtype=np.int8)
    best[level.number >= 0] = shares.argmax(axis=1)
    return np.asarray(best.reshape(level.pixels.shape))


def _undecided(coarse: IntArray) -> BoolArray:
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
