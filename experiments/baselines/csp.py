"""Constrained spectral clustering (CSP): L̄ v = λ (Q − βI) v, dense and with all its vectors.

Wang, Davidson: Flexible Constrained Spectral Clustering, KDD 2010; Wang, Qian, Davidson: On
Constrained Spectral Clustering and Its Applications, DMKD 28, 2014. Q holds 1 for must-links and −1
for cannot-links; L̄ = I − D^(−1/2) A D^(−1/2). Two clusters are the signs of one vector, more are
found by k-means on the rows of k − 1 vectors. As released, rows keep their lengths, and labelled
nodes are so far out that hardly any other node is clustered; `csp_normalised` scales them to
length one. The release leaves k-means to the user: here it is scikit-learn's, the best of twenty
runs from random rows (k-means++ would start at the labelled outliers and do worse).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from baselines.outcome import Outcome
from baselines.pairs import explicit_pairs
from baselines.spectral import inverse_roots, pair_matrix, unit_rows
from fastge import Constraints
from fastge.errors import ConstraintError
from fastge.graph import FloatArray, Graph, IntArray, as_graph

LEAST_COST = 1e-10
"""Cost of the trivial vector, which two clusters do not come from."""
BELOW_MIDWAY = 1e-6
NO_ENERGY = 1e-12
REAL = 1e-8
RUNS = 20
ROUNDING = 1e-10
"""Share of a vector's largest entry below which the sign of another one means nothing."""

PencilVectors: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Feasible:
    """Columns u = D^(−1/2) v of the vectors that keep enough constraints, cheapest first."""

    columns: FloatArray
    costs: FloatArray
    beta: float
    feasible: int
    """How many vectors with v'(Q − βI)v ≥ 0 there were to choose from."""


def csp(adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int) -> Outcome:
    """Clusters as the released program finds them."""
    found = feasible_vectors(adjacency, constraints, k)
    return clusters(found, found.columns, k, seed)


def csp_normalised(
    adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int
) -> Outcome:
    """Clusters of the same vectors with rows of unit length."""
    found = feasible_vectors(adjacency, constraints, k)
    return clusters(found, unit_rows(found.columns), k, seed)


def clusters(found: Feasible, rows: FloatArray, k: int, seed: int) -> Outcome:
    """Signs of a single column for two clusters, k-means on rows for more."""
    cost = float(found.costs.sum())
    return Outcome(
        _labels(rows, k, seed), {"beta": found.beta, "feasible": found.feasible, "cost": cost}
    )


def _labels(rows: FloatArray, k: int, seed: int) -> IntArray:
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype=np.int64)
    return (rows[:, 0] > 0).astype(np.int64) if k == 2 else _kmeans(rows, k, seed)


def _kmeans(rows: FloatArray, k: int, seed: int) -> IntArray:
    with threadpool_limits(limits=1):  # sums in another order would round differently
        fit = KMeans(k, init="random", n_init=RUNS, random_state=seed).fit(rows)
    return np.asarray(fit.labels_, dtype=np.int64)


def symmetric_vectors(A: FloatArray, B: FloatArray) -> FloatArray:
    """Vectors of A v = λ B v for A ≥ 0: with A = F Fᵀ they are B⁻¹ F y, (Fᵀ B⁻¹ F) y = λ y.

    The same as by QZ, in a fraction of the time; and λ is seen to be real. The null space of A
    comes first, by vectors that are orthogonal in B, too.
    """
    energies, U = la.eigh(A)
    some = energies > NO_ENERGY * max(float(energies[-1]), 0.0)
    F = U[:, some] * np.sqrt(energies[some])
    S = la.solve(B, F, assume_a="sym")
    product = F.T @ S
    _, Y = la.eigh((product + product.T) / 2)
    null = U[:, ~some]
    _, rotation = la.eigh(null.T @ B @ null)
    return np.hstack([null @ rotation, S @ Y])


def qz_vectors(A: FloatArray, B: FloatArray) -> FloatArray:
    """Vectors of A v = λ B v as the released program computes them, λ real and finite."""
    values, vectors = la.eig(A, B)
    real = np.isfinite(values) & (np.abs(values.imag) <= REAL * (1 + np.abs(values)))
    return np.asarray(vectors[:, real].real)


def feasible_vectors(
    adjacency: sp.csr_array,
    constraints: Constraints,
    k: int,
    *,
    vectors_of: PencilVectors = symmetric_vectors,
) -> Feasible:
    """The vectors that the clusters are read off: one for k = 2, else up to k − 1."""
    if constraints.is_empty:
        raise ConstraintError("CSP is all about constraints: give some, or use baselines.standard")
    graph = as_graph(adjacency)
    Q = constraint_matrix(constraints, graph.n)
    if k > 2:
        return many_way(graph, Q, k, vectors_of)
    known = constraints.nodes
    Q[known, known] = 1.0  # every node belongs with itself, says the released demo of two clusters
    return two_way(graph, Q, vectors_of)


def constraint_matrix(constraints: Constraints, n: int) -> FloatArray:
    """Q, dense, with nothing on its diagonal."""
    pairs = explicit_pairs(constraints)
    must, cannot = pair_matrix(n, pairs.must_link), pair_matrix(n, pairs.cannot_link)
    return np.asarray((must - cannot).toarray())


def singular_values(Q: FloatArray) -> FloatArray:
    """All of them in descending order; rows of zeros have none but zero."""
    some = np.flatnonzero(Q.any(axis=1))
    values = np.zeros(len(Q))
    values[: len(some)] = np.abs(la.eigvalsh(Q[np.ix_(some, some)]))
    return np.sort(values)[::-1]


def normalised_laplacian(graph: Graph) -> FloatArray:
    """L̄, dense; isolated nodes have nothing but their 1 on the diagonal."""
    roots = inverse_roots(graph.degrees)
    A = graph.to_scipy().toarray()
    return np.asarray(np.eye(graph.n) - roots[:, None] * A * roots)


def two_way(graph: Graph, Q: FloatArray, vectors_of: PencilVectors) -> Feasible:
    """β = s₁ / 2 of Q̄ = D^(−1/2) Q D^(−1/2), and the cheapest vector that is not trivial."""
    roots = inverse_roots(graph.degrees)
    Q = roots[:, None] * Q * roots
    beta = float(singular_values(Q)[0]) / 2
    L = normalised_laplacian(graph)
    V, costs = _by_cost(L, Q - beta * np.eye(graph.n), vectors_of)
    volume = float(graph.degrees.sum())
    chosen = np.flatnonzero(costs * volume > LEAST_COST)[:1]
    columns = roots[:, None] * V[:, chosen] * np.sqrt(volume)
    return Feasible(columns, costs[chosen] * volume, beta, len(costs))


def many_way(graph: Graph, Q: FloatArray, k: int, vectors_of: PencilVectors) -> Feasible:
    """β halfway between s_k and s_(k+1) of Q; columns are weighted by 1 − cost."""
    s = singular_values(Q)
    beta = float(s[k - 1] + s[k]) / 2 - BELOW_MIDWAY
    L = normalised_laplacian(graph)
    V, costs = _by_cost(L, Q - beta * np.eye(graph.n), vectors_of)
    chosen = np.arange(_leading_without_sign_change(V), len(costs))[: k - 1]
    scale = np.sqrt(graph.degrees.sum()) * (1 - costs[chosen])
    columns = inverse_roots(graph.degrees)[:, None] * V[:, chosen] * scale
    return Feasible(columns, costs[chosen], beta, len(costs))


def _by_cost(
    L: FloatArray, B: FloatArray, vectors_of: PencilVectors
) -> tuple[FloatArray, FloatArray]:
    """Unit vectors with v'Bv ≥ 0, and v'L̄v in ascending order."""
    V = vectors_of(L, B)
    V = V / np.linalg.norm(V, axis=0)
    feasible = np.einsum("ij,ij->j", V, B @ V) >= 0
    V = V[:, feasible]
    costs = np.einsum("ij,ij->j", V, L @ V)
    order = np.argsort(costs, kind="stable")
    return V[:, order], costs[order]


def _leading_without_sign_change(V: FloatArray) -> int:
    least, most = V.min(axis=0), V.max(axis=0)
    changes = np.minimum(-least, most) > ROUNDING * np.maximum(-least, most)
    return int(changes.argmax()) if changes.any() else V.shape[1]
