"""Which fine nodes share a coarse node, and which are eliminated exactly beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from fastge import _native
from fastge.graph import FloatArray, Graph, IntArray, from_canonical, from_pairs

ELIMINATION_PAYS = 0.05
"""Least share of nodes of degree one and two at which a pass of elimination is worth its level."""


@dataclass(frozen=True, eq=False)
class Aggregation:
    """Piecewise constant transfer: fine node i belongs to coarse node group[i] (−1: to none)."""

    group: IntArray
    start: IntArray
    members: IntArray

    @property
    def n_coarse(self) -> int:
        return len(self.start) - 1

    def matrix(self) -> sp.csr_array:
        """P with P[i, group[i]] = 1."""
        fine = np.flatnonzero(self.group >= 0)
        shape = (len(self.group), self.n_coarse)
        return sp.coo_array((np.ones(len(fine)), (fine, self.group[fine])), shape=shape).tocsr()


@dataclass(frozen=True, eq=False)
class Elimination:
    """Exact transfer: pivots of degree one and two, and the nodes that are kept."""

    node: IntArray
    first: IntArray
    second: IntArray
    first_share: FloatArray
    second_share: FloatArray
    inverse: FloatArray
    kept: IntArray

    @property
    def n_coarse(self) -> int:
        return len(self.kept)

    @property
    def pivots(self) -> tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
        shares = self.first_share, self.second_share
        return (self.node, self.first, self.second, *shares, self.inverse)

    def forward(self, b: FloatArray) -> FloatArray:
        """Right-hand side of the kept nodes; b is updated in place."""
        _native.eliminate_forward(*self.pivots, b)
        return np.ascontiguousarray(b[self.kept])

    def backward(self, b: FloatArray | None, x_kept: FloatArray, x: FloatArray) -> FloatArray:
        """x on all nodes from x on the kept ones; b is what `forward` left, None for zero."""
        x[self.kept] = x_kept
        _native.eliminate_backward(*self.pivots, b, x)
        return x


Transfer: TypeAlias = Aggregation | Elimination


def aggregate(graph: Graph) -> tuple[Aggregation, Graph]:
    """Groups of combinatorial multigrid, and the graph contracted by them."""
    count, group = _native.group_nodes(graph.indptr, graph.indices, graph.weights)
    start, members, *coarse = _native.contract(
        graph.indptr, graph.indices, graph.weights, group, count
    )
    return Aggregation(group, start, members), Graph(*coarse)


def eliminate(graph: Graph) -> tuple[Elimination, Graph] | None:
    """One pass of exact elimination, or None where it does not pay."""
    degree = np.diff(graph.indptr)
    if np.count_nonzero((degree == 1) | (degree == 2)) < ELIMINATION_PAYS * graph.n:
        return None
    log = _native.eliminate(graph.indptr, graph.indices, graph.weights)
    node, first, second, share, second_share, inverse, i, j, weights = log
    alive = np.ones(graph.n, dtype=bool)
    alive[node] = False
    kept = np.flatnonzero(alive)
    remaining = graph.to_scipy()[kept][:, kept]
    position = np.cumsum(alive) - 1
    created = from_pairs(len(kept), np.column_stack([position[i], position[j]]), weights)
    coarse = from_canonical(sp.csr_array(remaining + created))
    pivots = Elimination(node, first, second, share, second_share, inverse, kept)
    return pivots, coarse
