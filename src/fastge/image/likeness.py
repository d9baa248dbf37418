"""Likeness: which class a pixel resembles most, in colour and a little in place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastge.graph import FloatArray, IntArray

PLACE = 0.5
"""Weight of a whole diagonal of the image, in standard deviations of its channels."""
BANDWIDTH = 0.2
"""Distance at which a pixel still resembles a sample, in standard deviations of the channels."""
SAMPLES = 16
"""Samples of a class: long strokes are summed up by as many."""
_BLOCK = 1 << 13  # rows compared at a time, so that they stay in the cache


@dataclass(frozen=True, eq=False)
class Features:
    """Channels and place of every node, in units of the bandwidth."""

    rows: FloatArray
    bandwidth: float
    """In units of the channels."""

    @classmethod
    def of(cls, channels: FloatArray, inside: IntArray, shape: tuple[int, ...]) -> Features:
        """`channels` has a row for every node, `inside` its place in reading order."""
        spread = float(np.sqrt(channels.var(axis=0, dtype=np.float64).sum())) or 1.0
        diagonal = float(np.hypot.reduce(np.array(shape, dtype=np.float64)))
        places = np.stack(np.unravel_index(inside, shape), axis=1) * (PLACE / diagonal)
        rows = np.hstack([channels / spread, places]) / BANDWIDTH
        return cls(np.ascontiguousarray(rows, dtype=np.float32), BANDWIDTH * spread)

    def samples(self, nodes: IntArray) -> FloatArray:
        """At most so many rows that stand for those of the given nodes.

        The farthest from all before, one by one; then the means of the rows nearest to each.
        """
        rows = self.rows[nodes]
        if len(rows) <= SAMPLES:
            return rows
        chosen = rows[:1]
        distance = _squares(rows, chosen)[:, 0]
        for _ in range(SAMPLES - 1):
            new = rows[distance.argmax()][None]
            chosen = np.vstack([chosen, new])
            distance = np.minimum(distance, _squares(rows, new)[:, 0])
        nearest = _squares(rows, chosen).argmin(axis=1)
        sums = np.zeros_like(chosen)
        np.add.at(sums, nearest, rows)
        counts = np.bincount(nearest, minlength=SAMPLES)[:, None]
        return np.where(counts > 0, sums / np.maximum(counts, 1), chosen).astype(np.float32)

    def likeness(self, samples: list[FloatArray]) -> FloatArray:
        """p_ic ∝ exp(−δ_ic² / 2), with the distance δ to the nearest sample of class c."""
        every = np.vstack(samples)
        starts = np.cumsum([0, *(len(s) for s in samples[:-1])])
        result = np.empty((len(self.rows), len(samples)), dtype=np.float32)
        for first in range(0, len(result), _BLOCK):
            block = slice(first, first + _BLOCK)
            squares = _squares(self.rows[block], every)
            nearest = np.minimum.reduceat(squares, starts, axis=1)
            nearest -= nearest.min(axis=1, keepdims=True)
            p = np.exp(nearest * np.float32(-0.5))
            result[block] = p / p.sum(axis=1, keepdims=True)
        return result


def _squares(rows: FloatArray, centres: FloatArray) -> FloatArray:
    """Squared distances, but for rounding."""
    lengths = (rows**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)
    return np.asarray(lengths - 2 * (rows @ centres.T))
