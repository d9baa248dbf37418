"""Obvious NumPy and SciPy twins of the native kernels, and small matrices to try them on."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from fastge.graph import FloatArray, Graph, IntArray, from_canonical
from fastge.pencil import Pencil


def random_graph(n: int, seed: int, *, degree: float = 4.0, decades: float = 2.0) -> Graph:
    """Random edges; weights spread over so many decades, all 1 for none, few values below zero."""
    rng = np.random.default_rng(seed)
    count = int(n * degree / 2)
    i, j = rng.integers(0, n, count), rng.integers(0, n, count)
    if decades < 0:
        weights = rng.choice([0.5, 1.0, 2.0, 4.0], count)
    else:
        weights = 10.0 ** rng.uniform(-decades / 2, decades / 2, count)
    return graph_of(n, i, j, weights)


def graph_of(n: int, i: IntArray, j: IntArray, weights: FloatArray | float = 1.0) -> Graph:
    """Graph with the given edges; loops are left out, parallel edges added up."""
    weights = np.broadcast_to(np.asarray(weights, dtype=np.float64), np.shape(i))
    proper = i != j
    low, high = np.minimum(i, j)[proper], np.maximum(i, j)[proper]
    upper = sp.coo_array((weights[proper], (low, high)), shape=(n, n)).tocsr()
    return from_canonical(sp.csr_array(upper + upper.T))


def grid(rows: int, columns: int, seed: int, spread: float = 6.0) -> Graph:
    """Grid of four neighbours with weights e^{spread u}, u uniform."""
    node = np.arange(rows * columns).reshape(rows, columns)
    i = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    j = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
    weights = np.exp(spread * np.random.default_rng(seed).random(len(i)))
    return graph_of(rows * columns, i, j, weights)


def path(n: int) -> Graph:
    return graph_of(n, np.arange(n - 1), np.arange(1, n))


def star(leaves: int) -> Graph:
    return graph_of(leaves + 1, np.zeros(leaves, dtype=int), np.arange(1, leaves + 1))


def complete(n: int) -> Graph:
    return from_canonical(sp.csr_array(np.ones((n, n)) - np.eye(n)))


def power_law(n: int, seed: int) -> Graph:
    """Every new node joins three old ones, drawn by their degrees."""
    rng = np.random.default_rng(seed)
    ends = [0, 1]
    edges = [(0, 1)]
    for v in range(2, n):
        for u in {ends[at] for at in rng.integers(0, len(ends), 3)}:
            edges.append((v, u))
            ends += [v, u]
    i, j = np.array(edges).T
    return graph_of(n, i, j)


def together(*graphs: Graph) -> Graph:
    """Disjoint union."""
    return from_canonical(sp.block_diag([g.to_scipy() for g in graphs], format="csr"))


def laplacian(graph: Graph) -> sp.csr_array:
    """D − A"""
    A = graph.to_scipy()
    return sp.csr_array(sp.diags_array(np.asarray(A.sum(axis=1)).ravel()) - A)


def dense_laplacian(graph: Graph) -> FloatArray:
    return np.asarray(laplacian(graph).toarray())


def assignment(group: IntArray, n_groups: int) -> sp.csr_array:
    """P with P[i, group[i]] = 1"""
    inside = np.flatnonzero(group >= 0)
    entries = (np.ones(len(inside)), (inside, group[inside]))
    return sp.coo_array(entries, shape=(len(group), n_groups)).tocsr()


def contracted(graph: Graph, group: IntArray, n_groups: int) -> FloatArray:
    """PᵀAP without its diagonal"""
    P = assignment(group, n_groups)
    A = np.asarray((P.T @ graph.to_scipy() @ P).toarray())
    np.fill_diagonal(A, 0)
    return A


def prefix_cuts(W: FloatArray, order: IntArray) -> FloatArray:
    """Weight between the first t nodes of the order and the rest, t = 1 … n"""
    cuts = []
    for t in range(1, len(order) + 1):
        inside = np.zeros(len(W), dtype=bool)
        inside[order[:t]] = True
        cuts.append(W[np.ix_(inside, ~inside)].sum())
    return np.array(cuts)


class SlowGrouping:
    """Combinatorial multigrid's grouping, step by step as its authors' program has it."""

    def __init__(self, graph: Graph) -> None:
        self.A = graph.to_scipy().tolil()
        self.n = graph.n
        self.rows = [
            dict(zip(c, w, strict=True)) for c, w in zip(self.A.rows, self.A.data, strict=True)
        ]
        # The heaviest neighbour, the smallest index among equals; an isolated node is a root.
        self.parent = {
            v: min(row, key=lambda u: (-row[u], u)) if row else v for v, row in enumerate(self.rows)
        }
        self.own = dict(self.parent)  # the first choice, kept for its weight
        self.below: dict[int, int] = defaultdict(int)
        self.seen: set[int] = set()

    def groups(self) -> tuple[int, IntArray]:
        for v in range(self.n):
            if self._children(v) == 0 and v not in self.seen:
                self._bound_diameter(v)
        for v in range(self.n):
            if self._children(v) == 0:
                self._cut_thin(v)
        self._detach()
        return self._number()

    def _children(self, v: int) -> int:
        return sum(1 for u in range(self.n) if u != v and self.parent[u] == v)

    def _bound_diameter(self, w: int) -> None:
        while True:
            walk, fresh = [w], [0]
            while len(walk) <= 6 or walk[-1] in self.seen:
                u = self.parent[walk[-1]]
                if u == walk[-1] or (len(walk) > 1 and u == walk[-2]):
                    break
                walk.append(u)
                fresh.append(fresh[-1] + (u not in self.seen))
            if len(walk) <= 6:
                self._mark(walk, fresh)
                return
            q = -(-len(walk) // 2)
            self.parent[walk[q - 1]] = walk[q - 1]
            removed = self.below[walk[q - 1]]
            for u in walk[q:]:
                self.below[u] -= removed
            self._mark(walk[:q], fresh[:q])
            w = walk[q]
            if self._children(w) or w in self.seen:
                return

    def _mark(self, walk: list[int], fresh: list[int]) -> None:
        for v, t in zip(walk, fresh, strict=True):
            self.below[v] += t
            self.seen.add(v)

    def _cut_thin(self, w: int) -> None:
        while True:
            previous, removed, resume = None, 0, None
            u = self.parent[w]
            while u not in (w, previous):
                if resume is None and self.below[w] > 2 and self.below[u] - self.below[w] > 2:
                    self.parent[w] = w
                    removed, resume = self.below[w], u
                self.below[u] -= removed
                previous, w = w, u
                u = self.parent[w]
            if resume is None or self._children(resume):
                return
            w = resume

    def _detach(self) -> None:
        degree = [sum(row.values()) for row in self.rows]
        heaviest = [max(row.values(), default=0.0) for row in self.rows]
        if all(m >= d / 8 for m, d in zip(heaviest, degree, strict=True)):
            return
        tie = [0.0] * self.n
        for v, p in self.parent.items():
            if p != v:
                tie[v] += self.rows[v][p]
                tie[p] += self.rows[v][p]
        for v in range(self.n):
            if tie[v] < degree[v] / 8:
                self.parent[v] = v

    def _number(self) -> tuple[int, IntArray]:
        i, j = np.array(list(self.parent.items())).T
        joined = sp.coo_array((np.ones(self.n), (i, j)), shape=(self.n, self.n))
        _, ids = sp.csgraph.connected_components(joined, directed=False)
        names: dict[int, int] = {}
        result = np.full(self.n, -1)
        for v in range(self.n):
            if self.rows[v]:
                result[v] = names.setdefault(int(ids[v]), len(names))
        return len(names), result


def exact_pairs(pencil: Pencil) -> tuple[int, FloatArray]:
    """Number of eigenvalues λ = 0, and all μ = 1/λ of the others in falling order.

    Indicators of G's components are projected out of H, then one node each is held at zero.
    """
    L_G, L_H = pencil.L_G.toarray(), pencil.L_H.toarray()
    count, ids = pencil.components
    Z = np.zeros((pencil.n, count))
    Z[np.arange(pencil.n), ids] = 1
    quotient = Z.T @ L_H @ Z
    n_zero = int((la.eigvalsh(quotient) > 1e-12 * np.abs(L_H).sum()).sum()) if count > 1 else 0
    if n_zero:
        L_H = L_H - L_H @ Z @ la.pinvh(quotient, rtol=1e-12) @ Z.T @ L_H
    free = np.setdiff1d(np.arange(pencil.n), np.unique(ids, return_index=True)[1])
    scale = 1 / np.sqrt(np.diag(L_G)[free])
    G, H = (L[np.ix_(free, free)] * scale[:, None] * scale for L in (L_G, L_H))
    return n_zero, la.eigh(H, G, eigvals_only=True)[::-1] if len(free) else np.empty(0)
