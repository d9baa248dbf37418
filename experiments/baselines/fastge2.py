"""FAST-GE-2.0: the merge, the eigenproblem and the clusters of its authors.

Jiang, Xie, Bai: Robust and Efficient Computation of Eigenvectors in a Generalized Spectral Method
for Constrained Clustering, AISTATS 2017. The demand graph is made of the degrees of the weighted
cannot-links, so that L_H is singular; the eigenproblem −L_H x = σ M x with z = n^(−1/2) 1 and
M = L_G + μ L_H + z zᵀ has the vectors of L_G x = λ L_H x, λ = −1/σ − μ, which fastge's eigensolver
finds. Clusters are the signs of the first vector or k-means (here fastge's) on k − 1 of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from baselines.outcome import Outcome
from baselines.pairs import explicit_pairs
from baselines.spectral import pair_matrix, row_sums, unit_rows
from fastge import Constraints
from fastge.graph import FloatArray, Graph, as_graph, from_canonical
from fastge.partition import kmeans
from fastge.pencil import Pencil, Side
from fastge.spectrum import eigenpairs

MU = 1e-3
TOLERANCE = 1e-4
MAX_ITERATIONS = 300
LEAST_AFFINITY = 1e-6
"""Share of the largest affinity of an image below which an edge is dropped."""


@dataclass(frozen=True)
class Factors:
    """G = W + must · ML, H = cannot · CL + d_c d_cᵀ / (spread · vol_c · n)."""

    must: float
    cannot: float
    spread: float


SYNTHETIC = Factors(1.0, 1.0, 2.0)
IMAGE = Factors(3.0, 3.0, 1.0)


def fastge2(adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int) -> Outcome:
    """Clusters of a graph, with the factors of the synthetic cases."""
    return _clusters(merged(as_graph(adjacency), constraints, SYNTHETIC), k, seed)


def fastge2_image(
    adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int
) -> Outcome:
    """Clusters of pixels: affinities are divided by the largest one and tiny ones dropped."""
    W = sp.csr_array(adjacency / adjacency.max())
    W.data[W.data < LEAST_AFFINITY] = 0
    W.eliminate_zeros()
    return _clusters(merged(as_graph(W), constraints, IMAGE), k, seed)


def merged(graph: Graph, constraints: Constraints, factors: Factors) -> Pencil:
    """The pencil (L_G, L_H). A pair weighs d_i d_j / (d_min d_max), with d of the data graph."""
    pairs, d = explicit_pairs(constraints), graph.degrees
    strength = sp.diags_array(d / np.sqrt(d.min() * d.max()))
    must, cannot = (
        sp.csr_array(strength @ pair_matrix(graph.n, some) @ strength)
        for some in (pairs.must_link, pairs.cannot_link)
    )
    H = from_canonical(sp.csr_array(factors.cannot * cannot))
    mass = row_sums(cannot)
    spread = factors.spread * float(mass.sum()) * graph.n
    demand = Side(H, demand=1 / spread if spread else 0.0, mass=mass)
    return Pencil(Side(graph.plus(sp.csr_array(factors.must * must))), demand, degrees=d)


def vectors(pencil: Pencil, k: int) -> tuple[FloatArray, bool, int]:
    """The first k vectors with xᵀMx = 1, whether they have converged, and after how many steps."""
    pairs = eigenpairs(pencil, k, tol=TOLERANCE, max_iterations=MAX_ITERATIONS)
    X = pairs.vectors - pairs.vectors.mean(axis=0)
    X = X / np.sqrt(pencil.L_G.energy(X) + MU * pencil.L_H.energy(X))
    return X, pairs.converged, pairs.iterations


def _clusters(pencil: Pencil, k: int, seed: int) -> Outcome:
    X, converged, iterations = vectors(pencil, k - 1)
    labels = (X[:, 0] > 0).astype(np.int64) if k == 2 else kmeans(unit_rows(X), k, seed=seed)
    return Outcome(labels, {"converged": converged, "iterations": iterations})
