"""Spectral clustering without constraints: L x = λ D x, and three ways to read its vectors.

Shi, Malik: Normalized Cuts and Image Segmentation, PAMI 22, 2000; Ng, Jordan, Weiss: On Spectral
Clustering, NIPS 2001; Lee, Oveis Gharan, Trevisan: Multi-way Spectral Partitioning and Higher-order
Cheeger Inequalities, STOC 2012. All of them take the constraints and leave them unread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from baselines.outcome import Outcome
from baselines.spectral import unit_rows
from fastge import Constraints
from fastge.graph import FloatArray, Graph, as_graph, from_canonical
from fastge.partition import kmeans
from fastge.pencil import Pencil, Side
from fastge.spectrum import eigenpairs

TOLERANCE = 1e-4
MAX_ITERATIONS = 300


@dataclass(frozen=True, eq=False)
class Eigenfunctions:
    """f₂, f₃, … of L f = λ D f with FᵀDF = 1: the constant f₁ is left out."""

    values: FloatArray
    F: FloatArray
    constant: float
    """The one value of f₁: vol^(−1/2)."""
    converged: bool
    iterations: int

    def with_constant(self, count: int) -> FloatArray:
        """f₁, …, f_count."""
        first = np.full((len(self.F), 1), self.constant)
        return np.hstack([first, self.F[:, : count - 1]])


def shi_malik(adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int) -> Outcome:
    """k-means of the rows of f₂, …, f_k as they are (f₁ tells no rows apart)."""
    found = eigenfunctions(as_graph(adjacency), k - 1)
    return _clusters(found, found.F, k, seed)


def ng_jordan_weiss(
    adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int
) -> Outcome:
    """k-means of the rows of D^(1/2) (f₁, …, f_k), scaled to length one.

    D^(1/2) scales whole rows and so cancels.
    """
    found = eigenfunctions(as_graph(adjacency), k - 1)
    return _clusters(found, unit_rows(found.with_constant(k)), k, seed)


def lee_oveis_gharan_trevisan(
    adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int
) -> Outcome:
    """k-means of the radially projected rows of f₂, …, f_(k+1).

    The k functions after the constant, as FAST-GE embeds: this is FAST-GE without constraints.
    With the constant among the k functions the points would be those of Ng, Jordan and Weiss.
    """
    found = eigenfunctions(as_graph(adjacency), k)
    return _clusters(found, unit_rows(found.F), k, seed)


def eigenfunctions(graph: Graph, count: int) -> Eigenfunctions:
    """The first `count` functions after the constant, by fastge's own eigensolver."""
    nothing = from_canonical(sp.csr_array((graph.n, graph.n)))
    volume = float(graph.degrees.sum())
    demand = Side(nothing, demand=1 / volume, mass=graph.degrees)
    pencil = Pencil(Side(graph), demand, degrees=graph.degrees)
    pairs = eigenpairs(pencil, count, tol=TOLERANCE, max_iterations=MAX_ITERATIONS)
    F = pairs.vectors - graph.degrees @ pairs.vectors / volume
    F = F / np.sqrt(graph.degrees @ F**2)
    return Eigenfunctions(pairs.values, F, volume**-0.5, pairs.converged, pairs.iterations)


def _clusters(found: Eigenfunctions, rows: FloatArray, k: int, seed: int) -> Outcome:
    return Outcome(
        kmeans(rows, k, seed=seed),
        {
            "sum of eigenvalues": float(found.values.sum()),
            "converged": found.converged,
            "iterations": found.iterations,
        },
    )
