"""FAST-GE as its authors released it, and as the paper says.

Cucuringu, Koutis, Chawla, Miller, Peng: Simple and Scalable Constrained Clustering: A Generalized
Spectral Method, AISTATS 2016. The released program differs from the paper: must-links weigh α = 5
and cannot-links 1 whatever the degrees are, H has no demand graph, the eigensolver stops early, and
k-means runs once. Deviation here: the hierarchy is fastge's, which also solves small graphs.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, lobpcg

from baselines.outcome import Outcome
from baselines.pairs import explicit_pairs
from baselines.spectral import laplacian, pair_matrix, unit_rows
from fastge import Constraints
from fastge.embedding import embed
from fastge.graph import FloatArray, IntArray, as_graph
from fastge.merging import merge
from fastge.merging import paper as paper_weights
from fastge.multigrid import build
from fastge.partition import kmeans
from fastge.spectrum import eigenpairs

ALPHA = 5.0
"""Weight of a must-link."""
RIDGE = 1e-8
"""Share of L in B, which makes B definite on the complement of the constants."""
TOLERANCE = 1e-3
"""Length of L x − λ B x at xᵀBx = 1 at which a column has arrived."""
MAX_ITERATIONS = 50
CONVERGED = 1e-4
"""Relative residual of the paper's method, which nobody stops early."""
MOST_TRIES = 100


@dataclass(frozen=True, eq=False)
class Solved:
    """What fifty iterations give."""

    values: FloatArray
    vectors: FloatArray
    residuals: FloatArray
    iterations: int


def released(
    adjacency: sp.csr_array,
    constraints: Constraints,
    k: int,
    *,
    seed: int,
    alpha: float = ALPHA,
) -> Outcome:
    """Clusters by the released program."""
    rng = np.random.default_rng(seed)
    data, pairs = as_graph(adjacency), explicit_pairs(constraints)
    G = sp.csr_array(data.to_scipy() + alpha * pair_matrix(data.n, pairs.must_link))
    S = laplacian(pair_matrix(data.n, pairs.cannot_link))
    found = solve(G, S, rng.standard_normal((data.n, k)))
    rows = embedding(found.vectors, S, data.degrees)
    labels, tries = single_kmeans(rows, k, rng)
    return Outcome(
        labels,
        {
            "iterations": found.iterations,
            "residual": float(found.residuals.max()),
            "converged": bool((found.residuals <= TOLERANCE).all()),
            "k-means tries": tries,
        },
    )


def paper(adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int) -> Outcome:
    """Clusters by the paper to the letter: its weights, converged vectors, twenty k-means."""
    pencil = merge(adjacency, constraints, rule=paper_weights)
    pairs = eigenpairs(pencil, k, tol=CONVERGED, max_iterations=300)
    labels = kmeans(embed(pencil, pairs.vectors).rows, k, seed=seed)
    return Outcome(
        labels,
        {
            "iterations": pairs.iterations,
            "residual": float(pairs.residuals.max()),
            "converged": pairs.converged,
        },
    )


def solve(G: sp.csr_array, S: sp.csr_array, start: FloatArray) -> Solved:
    """LOBPCG on L x = λ (S + 1e-8 L) x with one multigrid cycle of L, as many columns as start.

    B is close to singular where there are few cannot-links, and rounding may break the iteration
    off; SciPy has no vectors to show then, and those of fewer iterations are taken.
    """
    L = laplacian(G)
    B = sp.csr_array(S + RIDGE * L)
    cycle = build(G).as_preconditioner()
    limit = MAX_ITERATIONS
    while True:
        try:
            return _iterated(L, B, cycle, start, limit)
        except ValueError:
            if limit == 1:
                raise
            limit = limit * 3 // 4


def _iterated(
    L: sp.csr_array, B: sp.csr_array, cycle: LinearOperator, start: FloatArray, limit: int
) -> Solved:
    with warnings.catch_warnings():  # stopping early is how the program works
        warnings.simplefilter("ignore", UserWarning)
        values, vectors, history = lobpcg(
            L,
            start.copy(),
            B,
            cycle,
            tol=TOLERANCE,
            maxiter=limit,
            largest=False,
            retResidualNormsHistory=True,
        )
    X = np.asarray(vectors, dtype=np.float64)
    residuals = np.linalg.norm(np.asarray(L @ X - (B @ X) * values), axis=0)
    return Solved(np.asarray(values), X, residuals, min(len(history) - 1, limit))


def embedding(vectors: FloatArray, S: sp.csr_array, degrees: FloatArray) -> FloatArray:
    """x ← x − (dᵀx / dᵀ1) 1 with d of the data alone, x ← x / √(xᵀSx), then rows of unit length."""
    X = vectors - degrees @ vectors / degrees.sum()
    energies = np.einsum("ij,ij->j", X, S @ X)
    return unit_rows(X / np.sqrt(np.where(energies > 0, energies, 1.0)))


def single_kmeans(points: FloatArray, k: int, rng: np.random.Generator) -> tuple[IntArray, int]:
    """One run of Lloyd's steps until no label changes, again while a cluster is empty.

    Returns the number of runs, too. Centres are seeded by distance, not by its square.
    """
    tries = 0
    while True:
        tries += 1
        labels = _lloyd(points, _seeds(points, k, rng))
        if len(np.unique(labels)) == k or tries == MOST_TRIES:
            return labels, tries


def _seeds(points: FloatArray, k: int, rng: np.random.Generator) -> FloatArray:
    centres = points[[rng.integers(len(points))]]
    while len(centres) < k:
        nearest = centres[_nearest(points, centres)]
        distance = np.linalg.norm(points - nearest, axis=1)
        total = distance.sum()
        chance = distance / total if total > 0 else None
        centres = np.vstack([centres, points[rng.choice(len(points), p=chance)]])
    return centres


def _lloyd(points: FloatArray, centres: FloatArray) -> IntArray:
    k = len(centres)
    labels = _nearest(points, centres)
    while True:
        members = sp.csr_array(
            (np.ones(len(points)), (labels, np.arange(len(points)))), (k, len(points))
        )
        sizes = np.bincount(labels, minlength=k)
        kept = np.flatnonzero(sizes)
        centres = (members @ points)[kept] / sizes[kept, None]
        before, labels = labels, kept[_nearest(points, centres)]
        if np.array_equal(before, labels):
            return labels


def _nearest(points: FloatArray, centres: FloatArray) -> IntArray:
    closeness = 2 * points @ centres.T - (centres**2).sum(axis=1)
    return np.asarray(closeness.argmax(axis=1))
