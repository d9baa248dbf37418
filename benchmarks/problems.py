"""Graphs to measure on, and the pencil written out in the form that general solvers want."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, laplacian

from fastge.datasets import Dataset, grid_image
from fastge.graph import as_graph, from_pairs
from fastge.merging import DEFAULT_RULE

POWER_LAW_EXPONENT = 2.5
POWER_LAW_EDGES = 4  # drawn per node


def weighted_grid(nodes: int, seed: int = 0) -> sp.csr_array:
    """4-neighbour grid with weights e^{6u}, u uniform in [0, 1]."""
    side = round(nodes**0.5)
    pixel = np.arange(side * side).reshape(side, side)
    right = np.column_stack([pixel[:, :-1].ravel(), pixel[:, 1:].ravel()])
    down = np.column_stack([pixel[:-1].ravel(), pixel[1:].ravel()])
    return _weighted(side * side, np.concatenate([right, down]), np.random.default_rng(seed))


def image_grid(nodes: int, seed: int = 0) -> sp.csr_array:
    """4-neighbour pixel grid of a shaded, noisy picture of five regions."""
    return picture(nodes, seed).adjacency


def picture(nodes: int, seed: int = 0) -> Dataset:
    """The same grid with its true regions."""
    side = round(nodes**0.5)
    return grid_image((side, side), regions=5, seed=seed)


def near_tree(nodes: int, seed: int = 0) -> sp.csr_array:
    """Deep random tree with one extra edge per hundred nodes, weights e^{6u}."""
    rng = np.random.default_rng(seed)
    child = np.arange(1, nodes)
    parent = child - rng.integers(1, np.minimum(child, 50) + 1)
    extra = rng.integers(0, nodes, (nodes // 100, 2))
    extra = extra[extra[:, 0] != extra[:, 1]]
    return _weighted(nodes, np.concatenate([np.column_stack([parent, child]), extra]), rng)


def power_law(nodes: int, seed: int = 0) -> sp.csr_array:
    """Largest component of a graph with expected degrees ∝ i^(−1/(γ − 1)), γ = 2.5."""
    rng = np.random.default_rng(seed)
    popularity = np.cumsum(np.arange(1, nodes + 1) ** (-1 / (POWER_LAW_EXPONENT - 1)))
    draws = rng.uniform(0, popularity[-1], (POWER_LAW_EDGES * nodes, 2))
    ends = np.searchsorted(popularity, draws)
    ends = ends[ends[:, 0] != ends[:, 1]]
    whole = from_pairs(nodes, ends, np.ones(len(ends)))
    _, ids = connected_components(whole, directed=False)
    kept = np.flatnonzero(ids == np.bincount(ids).argmax())
    return sp.csr_array(whole[kept][:, kept])


PROBLEMS: dict[str, Callable[[int], sp.csr_array]] = {
    "grid, weights e^{6u}": weighted_grid,
    "image-like grid": image_grid,
    "near-tree": near_tree,
    "power law": power_law,
}


def laplacian_of(adjacency: sp.csr_array) -> sp.csr_array:
    """D − A"""
    return sp.csr_array(laplacian(adjacency))


@dataclass(frozen=True, eq=False)
class ExpandedPencil:
    """L_G sparse with every implied must-link, L_H = L_CL + τ (D − d dᵀ / vol)."""

    L_G: sp.csr_array
    cannot: sp.csr_array
    degrees: np.ndarray
    tau: float

    def apply_L_H(self, X: np.ndarray) -> np.ndarray:
        """L_H X for a vector or a block."""
        scaled = self.tau * self.degrees
        mean = self.degrees @ X / self.degrees.sum()
        return self.cannot @ X + (scaled * (X - mean).T).T


def expanded_pencil(adjacency: sp.csr_array, labels: np.ndarray) -> ExpandedPencil:
    """G = G_D + ML and H = τ K + CL with every pair of labelled nodes as an edge.

    Weighed by the default rule, but put together independently of fastge.merge.
    """
    graph = as_graph(adjacency)
    n, weighting = graph.n, DEFAULT_RULE(graph)
    known = np.flatnonzero(labels >= 0)
    i, j = (known[half] for half in np.triu_indices(len(known), 1))
    weights = weighting.strength[i] * weighting.strength[j]
    same = labels[i] == labels[j]
    pairs = np.column_stack([i, j])
    must = from_pairs(n, pairs[same], weighting.must_factor * weights[same])
    cannot = from_pairs(n, pairs[~same], weighting.cannot_factor * weights[~same])
    return ExpandedPencil(
        laplacian_of(sp.csr_array(adjacency + must)),
        laplacian_of(cannot),
        graph.degrees,
        weighting.tau,
    )


def _weighted(nodes: int, pairs: np.ndarray, rng: np.random.Generator) -> sp.csr_array:
    return from_pairs(nodes, pairs, np.exp(6 * rng.random(len(pairs))))
