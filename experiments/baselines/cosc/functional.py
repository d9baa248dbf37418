"""F_γ: the balanced cut with violated cannot-links, continued to all vectors.

    F_γ(f) = (Σ w_ij |f_i − f_j| + γ (vol(Q) (max f − min f) − Σ q_ij |f_i − f_j|)) / S(f)

over ordered pairs, with q the 0/1 matrix of cannot-links and S the Lovász extension of
2 vol(C) vol(C̄) / vol(V). On an indicator, F_γ = (cut + γ · violated) (1/vol(C) + 1/vol(C̄)).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from baselines.cosc.contraction import Instance
from fastge.graph import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Functional:
    """F_γ of an instance."""

    instance: Instance
    gamma: float

    @property
    def range_weight(self) -> float:
        """γ vol(Q): what max f − min f weighs."""
        return 2 * self.gamma * len(self.instance.cannot_link)

    @cached_property
    def edges(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Tails, heads and weights of the edges i < j, in the order of their tails."""
        matrix = self.instance.adjacency
        tail = np.repeat(np.arange(self.instance.n, dtype=np.int32), np.diff(matrix.indptr))
        up = tail < matrix.indices
        return tail[up], matrix.indices[up].astype(np.int32), matrix.data[up].astype(np.float64)

    def __call__(self, f: FloatArray) -> float:
        i, j, w = self.edges
        cut = 2 * float(w @ np.abs(f[i] - f[j]))
        return (cut + self._violation(f)) / float(f @ balance_gradient(self.instance.b, f))

    def _violation(self, f: FloatArray) -> float:
        if not self.range_weight:
            return 0.0
        i, j = self.instance.cannot_link.T
        kept = 2 * self.gamma * float(np.abs(f[i] - f[j]).sum())
        return self.range_weight * float(f.max() - f.min()) - kept

    def kept_gradient(self, f: FloatArray) -> FloatArray:
        """r, a subgradient of γ Σ q_ij |f_i − f_j|."""
        i, j = self.instance.cannot_link.T
        sign = 2 * self.gamma * np.sign(f[i] - f[j])
        n = self.instance.n
        return np.bincount(i, sign, n) - np.bincount(j, sign, n)

    def best_threshold(self, f: FloatArray) -> tuple[BoolArray, float]:
        """The side f > t of least F_γ, and that value. No threshold parts equal values."""
        order = np.argsort(f, kind="stable")
        rank = np.empty(len(f), dtype=np.int64)
        rank[order] = np.arange(len(f))
        i, j, w = self.edges
        cut = _sums_between(rank[i], rank[j], w, len(f))
        c, d = rank[self.instance.cannot_link.T]
        kept = _sums_between(c, d, np.ones(len(c)), len(f))
        below = np.cumsum(self.instance.b[order])
        above = below[-1] - below[:-1]
        cost = cut + self.gamma * (len(c) - kept)
        value = np.maximum(cost, 0) * (1 / below[:-1] + 1 / above)
        value[np.diff(f[order]) <= 0] = np.inf
        at = int(value.argmin())
        return rank > at, float(value[at])


def balance_gradient(b: FloatArray, f: FloatArray) -> FloatArray:
    """s, a subgradient of S at f, with ⟨f, s⟩ = S(f)."""
    order = np.argsort(f, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(b[order])])
    s = np.empty(len(f))
    s[order] = 2 * b[order] * (below[:-1] + below[1:] - below[-1]) / below[-1]
    return s


def _sums_between(i: IntArray, j: IntArray, w: FloatArray, n: int) -> FloatArray:
    """For t = 1 … n − 1, Σ of the w whose ranks i, j lie on both sides: one < t ≤ the other."""
    change = np.bincount(np.minimum(i, j), w, n) - np.bincount(np.maximum(i, j), w, n)
    return np.asarray(np.cumsum(change)[:-1])
