"""Cuts along an order of the nodes: Cheeger sweep with its certificate, refinement of clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from fastge import _native
from fastge.errors import InputError
from fastge.graph import BoolArray, FloatArray, IntArray
from fastge.pencil import Pencil, Side

_Edges: TypeAlias = tuple[IntArray, IntArray, FloatArray]
"""Start of each node's edges, their other ends, their weights"""
_Entries: TypeAlias = tuple[IntArray, IntArray, FloatArray, int]
"""Start of each node's entries, their classes, their strengths; the number of classes"""

_ROUNDING = 1e-8  # of an eigenvalue that equals a ratio
_NOISE = 1e-26  # what rounding leaves of a cut that is 0: the kernel sums to about 32 digits


@dataclass(frozen=True, eq=False)
class Cut:
    """Two sides of a graph: `side` is where the swept vector exceeds `threshold`."""

    side: BoolArray
    cut_G: float
    cut_H: float
    ratio: float
    threshold: float


@dataclass(frozen=True)
class Certificate:
    """How far a cut can be from the best one: no cut has a ratio below `lower_bound`."""

    ratio: float
    """φ(G, H) of the cut"""
    eigenvalue: float
    lower_bound: float
    """λ (1 − residual)"""
    gap: float
    """ratio / lower_bound"""
    cheeger_bound: float
    """4 λ / λ₂(L_G, L_K), which the ratio of a swept eigenvector never exceeds"""
    holds: bool
    """lower_bound ≤ ratio ≤ cheeger_bound"""


def sweep(pencil: Pencil, vector: FloatArray) -> Cut:
    """The threshold on `vector` whose two sides have the least cut_G / cut_H."""
    order = np.argsort(vector, kind="stable")
    values = vector[order]
    cut_G, cut_H = (_cuts_along(side, order) for side in (pencil.L_G, pencil.L_H))
    allowed = (values[:-1] < values[1:]) & ((cut_G > 0) | (cut_H > 0))
    if not allowed.any():
        raise InputError(
            "no threshold on the vector separates anything: all its values are equal, or neither "
            "graph joins the two sides; sweep an eigenvector of a positive eigenvalue"
        )
    at = _least_ratio(cut_G, cut_H, allowed)
    threshold = float(values[at])
    return Cut(
        vector > threshold,
        float(cut_G[at]),
        float(cut_H[at]),
        float(_ratios(cut_G, cut_H)[at]),
        threshold,
    )


def certificate(
    ratio: float, eigenvalue: float, residual: float, demand_eigenvalue: float | None = None
) -> Certificate:
    """For a cut of that ratio: λ (1 − residual) ≤ φ(G, H), and ≤ 4 λ / φ(G, K) if it was swept.

    K is the demand graph of G; `demand_eigenvalue`, the least nontrivial eigenvalue of (L_G, L_K),
    is at most φ(G, K). Without it the second bound is infinite.
    """
    lower = max(0.0, eigenvalue * (1.0 - residual)) if residual < 1.0 else 0.0
    expansion = demand_eigenvalue or 0.0
    upper = 4.0 * eigenvalue / expansion if expansion > 0 else math.inf
    slack = 1.0 + _ROUNDING
    return Certificate(
        ratio=ratio,
        eigenvalue=eigenvalue,
        lower_bound=lower,
        gap=_quotient(ratio, lower),
        cheeger_bound=upper,
        holds=lower <= ratio * slack and ratio <= upper * slack,
    )


def _quotient(ratio: float, lower: float) -> float:
    """ratio / lower; 1 where both are zero: a cut that costs nothing is a best one."""
    if lower > 0:
        return ratio / lower
    return 1.0 if ratio == 0 else math.inf


def refine(pencil: Pencil, lengths: FloatArray, labels: IntArray) -> IntArray:
    """The clusters without their outskirts: nodes left over carry −1.

    Of every cluster, sorted by falling length of the embedding rows, the prefix with the least
    cut_G / cut_H against the whole graph stays. The whole cluster is such a prefix: no φ rises.
    """
    labels = np.asarray(labels, dtype=np.int64)
    ids, cluster = np.unique(labels, return_inverse=True)
    order = np.lexsort((-lengths, cluster))
    bounds = np.searchsorted(cluster[order], np.arange(len(ids) + 1))
    rank = np.empty(len(labels), dtype=np.int32)
    rank[order] = np.arange(len(labels)) - bounds[cluster[order]]
    sides = [_Surrounded(side, cluster, rank) for side in (pencil.L_G, pencil.L_H)]
    refined = np.full(len(labels), -1, dtype=np.int64)
    for c in np.flatnonzero(ids >= 0).tolist():
        nodes = order[bounds[c] : bounds[c + 1]]
        end = np.append(lengths[nodes[:-1]] > lengths[nodes[1:]], True)
        cut_G, cut_H = (side.cuts(c, nodes) for side in sides)
        refined[nodes[: _best_prefix(cut_G, cut_H, end)]] = ids[c]
    return refined


def _best_prefix(cut_G: FloatArray, cut_H: FloatArray, end: BoolArray) -> int:
    """Length of the prefix of least ratio, the longest of equal ones, among those that may end."""
    if not (cut_G[-1] > 0 or cut_H[-1] > 0):
        return len(end)  # the whole cluster is cut from nothing
    backwards = slice(None, None, -1)
    allowed = (end & ((cut_G > 0) | (cut_H > 0)))[backwards]
    return len(end) - _least_ratio(cut_G[backwards], cut_H[backwards], allowed)


class _Surrounded:
    """One side of the pencil as each cluster sees it: all that is outside is one node.

    So the cuts of all clusters together cost as much as one sweep over the graph.
    """

    def __init__(self, side: Side, cluster: IntArray, rank: IntArray) -> None:
        self.side, self.cluster, self.rank = side, cluster, rank
        self.edges = side.edges.to_scipy()
        start, classes, strength = side.members.by_node(side.n)
        shape = (side.n, side.members.n_classes)
        self.entries = sp.csr_array((strength, classes, start), shape=shape)
        masses = sums_by_group(side.mass, cluster, int(cluster.max()) + 1)
        self.mass_outside = sum_of_others(masses, np.zeros(len(masses), dtype=np.int64))
        self.strength_outside = self._strength_outside(len(masses))

    def cuts(self, c: int, nodes: IntArray) -> FloatArray:
        """Cut between the first t of the cluster's nodes and all others, t = 1 … len(nodes)."""
        size, side = len(nodes), self.side
        rows = self.edges[nodes]
        inside = self.cluster[rows.indices] == c
        edges = (
            np.append(rows.indptr, rows.nnz).astype(np.int64),
            np.where(inside, self.rank[rows.indices], np.int32(size)),
            rows.data,
        )
        mass = np.append(side.mass[nodes], self.mass_outside[c])
        return _prefix_cuts(side, edges, mass, self._entries_around(c, nodes), np.arange(size + 1))

    def _entries_around(self, c: int, nodes: IntArray) -> _Entries:
        """Entries of the cluster's nodes, then of the outside; classes it lacks become one."""
        rows, outside = self.entries[nodes], self.strength_outside[[c]]
        present = outside.indices
        absent = np.ones(self.entries.shape[1], dtype=bool)
        absent[present] = False
        elsewhere = self.side.members.class_volumes[absent].sum()
        start = np.append(rows.indptr, rows.nnz + len(present) + 1).astype(np.int64)
        classes = np.concatenate(
            [np.searchsorted(present, rows.indices), np.arange(len(present) + 1)]
        )
        strength = np.concatenate([rows.data, outside.data, [elsewhere]])
        return start, classes.astype(np.int32), strength, len(present) + 1

    def _strength_outside(self, n_clusters: int) -> sp.csr_array:
        """Strength of each class outside each cluster, where the cluster has the class at all."""
        entries = self.entries.tocoo()
        shape = (n_clusters, self.entries.shape[1])
        where = (self.cluster[entries.row], entries.col)
        inside = sp.coo_array((entries.data, where), shape=shape).tocsr()
        inside.sort_indices()
        outside = sum_of_others(inside.data, inside.indices)
        return sp.csr_array((outside, inside.indices, inside.indptr), shape=shape)


def _cuts_along(side: Side, order: IntArray) -> FloatArray:
    edges = side.edges.indptr, side.edges.indices, side.edges.weights
    entries = *side.members.by_node(side.n), side.members.n_classes
    return _prefix_cuts(side, edges, side.mass, entries, order)


def _prefix_cuts(
    side: Side, edges: _Edges, mass: FloatArray, entries: _Entries, order: IntArray
) -> FloatArray:
    """Cut between the first t nodes of the order and the rest, for all t but the last."""
    start, classes, strength, n_classes = entries
    cuts = _native.prefix_cuts(
        *edges,
        side.demand,
        side.within,
        side.across,
        mass,
        start,
        classes,
        strength,
        n_classes,
        order.astype(np.int32),
    )[:-1]
    # What is left of sums that cancel is no cut.
    return np.where(cuts > _NOISE * cuts.max(initial=0.0), cuts, 0.0)


def _ratios(cut_G: FloatArray, cut_H: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(cut_G / cut_H)


def _least_ratio(cut_G: FloatArray, cut_H: FloatArray, allowed: BoolArray) -> int:
    """Position of the least ratio; where all are infinite, of the least cut_G."""
    ratio = np.where(allowed, _ratios(cut_G, cut_H), np.inf)
    at = int(ratio.argmin())
    return at if np.isfinite(ratio[at]) else int(np.where(allowed, cut_G, np.inf).argmin())


def sums_by_group(values: FloatArray, groups: IntArray, n_groups: int) -> FloatArray:
    """Σ of the values in each of the groups 0 … n_groups − 1."""
    return np.bincount(groups, weights=values, minlength=n_groups).astype(np.float64, copy=False)


def sum_of_others(values: FloatArray, groups: IntArray) -> FloatArray:
    """Σ of the other values ≥ 0 in the same group 0, 1, …, without cancellation."""
    n_groups = int(groups.max(initial=-1)) + 1
    top = np.zeros(n_groups)
    np.maximum.at(top, groups, values)
    largest = np.full(n_groups, -1, dtype=np.int64)
    candidates = np.flatnonzero(values == top[groups])
    largest[groups[candidates]] = candidates
    largest = largest[largest >= 0]
    others = values.astype(np.float64)
    result: FloatArray = sums_by_group(others, groups, n_groups)[groups] - others
    # Only the largest value of a group can be nearly all of its sum.
    others[largest] = 0.0
    result[largest] = sums_by_group(others, groups, n_groups)[groups[largest]]
    return result
