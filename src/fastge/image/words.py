"""Words: groups of pixels that look alike, wherever they lie.

Edges between neighbours alone leave regions that fall apart in pieces without a tie. One extra
node per group, joined weakly to all its pixels, ties them at the cost of one edge a pixel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastge.graph import FloatArray, IntArray, NodeArray
from fastge.image.colour import Pixels

SIDE = 0.5
"""Side of a cell of alike channels, in standard deviations of the channel that varies most."""
REACH = 4.0
"""Standard deviations beyond which channels count as equally extreme."""
AXES = 3
"""Principal channels that words are made of."""


@dataclass(frozen=True, eq=False)
class Words:
    """Word of every node, and the weight of the edge between the two."""

    of_node: NodeArray
    count: int
    weight: float


NO_WORDS = Words(np.empty(0, np.int32), 0, 0.0)


def colour_words(pixels: Pixels, affinity: float) -> Words:
    """Occupied cells of a regular grid in the space of channels; weight affinity / n^(1/axes).

    Ties through a word count by the area of a region and neighbours by the length of its border:
    the root keeps their proportion in images of any size.
    """
    if affinity == 0:
        return NO_WORDS
    seen = pixels.seen
    cells = _cells(_principal(seen))
    found, of_node = _renumbered(cells)
    weight = affinity / len(seen) ** (1 / len(pixels.shape))
    return Words(of_node, found, weight)


def _principal(channels: FloatArray) -> FloatArray:
    """The channels, or their leading principal axes where there are many."""
    if channels.shape[1] <= AXES:
        return channels
    centred = channels - channels.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T.astype(np.float64) @ centred)
    return np.asarray(centred @ vectors[:, ::-1][:, :AXES].astype(channels.dtype))


def _cells(channels: FloatArray) -> IntArray:
    """Number of the grid cell of every row."""
    columns = np.ascontiguousarray(channels.T)
    columns -= columns.mean(axis=1, keepdims=True)
    spread = float(columns.std(axis=1).max())
    cell = np.zeros(len(channels), dtype=np.int32)
    if spread == 0:
        return cell
    most = int(REACH / SIDE)
    columns *= np.float32(1 / (SIDE * spread))
    np.clip(columns, -most, most - 0.5, out=columns)
    columns += most
    for column in columns:
        cell *= 2 * most
        cell += column.astype(np.int32)  # rounds down: nothing is negative
    return cell


def _renumbered(cells: IntArray) -> tuple[int, NodeArray]:
    """How many different cells there are, and each one's place among them."""
    used = np.flatnonzero(np.bincount(cells))
    place = np.zeros(int(used[-1]) + 1, dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return len(used), place[cells]
