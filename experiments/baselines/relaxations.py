"""Spectral relaxations of CSP and COSC with signed Laplacians: what the paper found not to work.

L, D and vol are those of the data graph, L_ML and L_CL the Laplacians of the pairs, and
S_CL = D_CL + A_CL, so that xᵀ S_CL x = Σ_CL (x_i + x_j)². On vectors of ±1 a pair costs nothing if
it is kept and 4 if it is violated, in L_ML and S_CL alike, and L_K = D − d dᵀ / vol has
xᵀ L_K x = 4 vol(C) vol(C̄) / vol. COSC minimises cut + γ · violated over vol(C) vol(C̄) / vol: both

    cosc_relaxed      xᵀ (L + γ L_ML + γ S_CL) x / xᵀ L_K x
    cosc_indefinite   xᵀ (L + γ L_ML − γ L_CL) x / xᵀ L_K x  (+ 4γ|CL| / vol, which moves no vector)

are that on ±1, relaxed to all x: the first with Kunegis' definite signed Laplacian, the second
with squares in place of COSC's absolute values. CSP minimises xᵀLx / xᵀDx among vectors that
agree enough with the constraints, and its stationary vectors are those of

    csp_sparse        L x = λ (Q − βD) x,               Q = A_ML − A_CL: CSP itself with Q̄
    csp_relaxed       L x = λ (L_CL − L_ML − βD) x,     agreement measured by a signed Laplacian

of which the least λ > 0 are wanted. All are solved sparsely by fastge's eigensolver, with multigrid
on a double cover; k − 1 vectors, whose rows are scaled to length one, are clustered by fastge's
k-means. A ridge of 1e-9 D on L leaves nothing singular.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

from baselines.outcome import Figure, Outcome
from baselines.pairs import ExplicitPairs, explicit_pairs
from baselines.signed import SignedLaplacian, SparseOperator, grounded_cycle, largest_pairs
from baselines.spectral import inverse_roots, laplacian, pair_matrix, row_sums, unit_rows
from fastge import Constraints
from fastge.eigensolver import Eigenpairs
from fastge.graph import FloatArray, Graph, IntArray, as_graph, from_canonical
from fastge.partition import kmeans
from fastge.pencil import Side

RIDGE = 1e-9
CLOSE = 0.8
"""Share of the last quotient above which a new one is close enough."""
GAMMAS = (0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
"""COSC's own schedule for γ, in units of the mean edge: doubled until nothing is violated."""
DENSE_SPECTRUM_BELOW = 1000


@dataclass(frozen=True, eq=False)
class Task:
    """The data graph and its pairs."""

    graph: Graph
    pairs: ExplicitPairs
    must: sp.csr_array
    cannot: sp.csr_array

    @classmethod
    def of(cls, adjacency: sp.csr_array, constraints: Constraints) -> Task:
        graph, pairs = as_graph(adjacency), explicit_pairs(constraints)
        must, cannot = (
            pair_matrix(graph.n, pairs.must_link),
            pair_matrix(graph.n, pairs.cannot_link),
        )
        return cls(graph, pairs, must, cannot)

    def violated(self, labels: IntArray) -> int:
        must, cannot = (labels[ends] for ends in (self.pairs.must_link, self.pairs.cannot_link))
        broken = (must[:, 0] != must[:, 1]).sum() + (cannot[:, 0] == cannot[:, 1]).sum()
        return int(broken)


def cosc_relaxed(
    adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int
) -> Outcome:
    """Smallest pairs of (L + γ L_ML + γ S_CL) x = λ L_K x."""
    return _least_violated(Task.of(adjacency, constraints), definite_pairs, k, seed)


def cosc_indefinite(
    adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int
) -> Outcome:
    """Smallest pairs of (L + γ L_ML − γ L_CL) x = λ L_K x."""
    return _least_violated(Task.of(adjacency, constraints), indefinite_pairs, k, seed)


def csp_sparse(adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int) -> Outcome:
    """First feasible pairs of L x = λ (Q − βD) x; β is half of s₁, or halfway from s_k to s_(k+1).

    The s are the singular values of D^(−1/2) Q D^(−1/2), in descending order.
    """
    task = Task.of(adjacency, constraints)
    Q = sp.csr_array(task.must - task.cannot)
    ends = ends_of_spectrum(Q, task.graph.degrees, k + 1)
    s = np.sort(np.abs(ends))[::-1]
    beta = float(s[0] / 2 if k == 2 else (s[k - 1] + s[k]) / 2)
    return _feasible(task, Q, beta, int((ends > beta).sum()), k, seed)


def csp_relaxed(adjacency: sp.csr_array, constraints: Constraints, k: int, *, seed: int) -> Outcome:
    """First feasible pairs of L x = λ (L_CL − L_ML − βD) x, β halfway from m_(k−1) to m_k.

    The m are the eigenvalues of D^(−1/2) (L_CL − L_ML) D^(−1/2), in descending order: k − 1 vectors
    are feasible then, as with CSP's own β.
    """
    task = Task.of(adjacency, constraints)
    signed = sp.csr_array(laplacian(task.cannot) - laplacian(task.must))
    m = np.sort(ends_of_spectrum(signed, task.graph.degrees, k))[::-1]
    beta = float(m[k - 2] + m[k - 1]) / 2
    return _feasible(task, signed, beta, int((m > beta).sum()), k, seed)


def definite(task: Task, gamma: float) -> SignedLaplacian:
    """L + γ L_ML + γ S_CL"""
    drawn = sp.csr_array(task.graph.to_scipy() + gamma * task.must)
    return SignedLaplacian(drawn, sp.csr_array(gamma * task.cannot), ridge(task.graph))


def indefinite(task: Task, gamma: float) -> tuple[SignedLaplacian, float]:
    """L + γ L_ML − γ L_CL + cD and the c that makes it definite: γ L_CL ≤ 2γ D_CL ≤ cD."""
    d = task.graph.degrees
    pushed = 2 * gamma * row_sums(task.cannot)
    shift = float(np.divide(pushed, d, out=np.zeros_like(d), where=d > 0).max())
    drawn = sp.csr_array(task.graph.to_scipy() + gamma * task.must)
    excess = np.maximum(shift * d - pushed, 0.0) + ridge(task.graph)
    return SignedLaplacian(drawn, sp.csr_array(gamma * task.cannot), excess), shift


def ridge(graph: Graph) -> FloatArray:
    """The diagonal of 1e-9 D; isolated nodes count as if of the least degree."""
    d = graph.degrees
    return np.asarray(RIDGE * np.maximum(d, d[d > 0].min()))


def balance(graph: Graph) -> Side:
    """L_K = D − d dᵀ / vol, applied but never formed."""
    nothing = from_canonical(sp.csr_array((graph.n, graph.n)))
    return Side(nothing, demand=1 / float(graph.degrees.sum()), mass=graph.degrees)


def definite_pairs(task: Task, gamma: float, count: int) -> Eigenpairs:
    """Smallest λ of (L + γ L_ML + γ S_CL) x = λ L_K x."""
    L = definite(task, gamma)
    return largest_pairs(L.matrix, balance(task.graph), L.cycle, count)


def indefinite_pairs(task: Task, gamma: float, count: int) -> Eigenpairs:
    """Smallest λ of (L + γ L_ML − γ L_CL) x = λ L_K x."""
    L, shift = indefinite(task, gamma)
    pairs = largest_pairs(L.matrix, balance(task.graph), L.cycle, count)
    return replace(pairs, values=pairs.values - shift)


def _least_violated(
    task: Task, pairs_of: Callable[[Task, float, int], Eigenpairs], k: int, seed: int
) -> Outcome:
    """The clusters, over the schedule of γ, that violate the fewest pairs."""
    unit = float(task.graph.weights.mean())
    tries = []
    for gamma in GAMMAS:
        pairs = pairs_of(task, gamma * unit, k - 1)
        X = pairs.vectors / np.sqrt(balance(task.graph).energy(pairs.vectors))
        labels = kmeans(unit_rows(X), k, seed=seed)
        tries.append((task.violated(labels), gamma, labels, pairs))
        if tries[-1][0] == 0:
            break
    violated, gamma, labels, pairs = min(tries, key=lambda one: one[:2])
    return Outcome(labels, {"gamma": gamma, "violated": violated, **_figures(pairs)})


def _feasible(task: Task, M: sp.csr_array, beta: float, above: int, k: int, seed: int) -> Outcome:
    """Clusters from the vectors of least λ > 0 of L x = λ (M − βD) x, k − 1 at most.

    There are as many of them as eigenvalues of D^(−1/2) M D^(−1/2) above β (Sylvester), less the
    constant vector if it is on that side.
    """
    constant_is_feasible = float(M.sum()) > beta * float(task.graph.degrees.sum())
    count = min(k - 1, above - int(constant_is_feasible))
    if count < 1:
        labels: IntArray = np.zeros(task.graph.n, dtype=np.int64)
        return Outcome(labels, {"beta": beta, "feasible": 0, "violated": task.violated(labels)})
    pairs = feasible_pairs(task.graph, M, beta, count)
    labels = kmeans(unit_rows(weighted(task.graph, pairs.vectors)), k, seed=seed)
    figures: dict[str, Figure] = {"beta": beta, "feasible": count}
    return Outcome(labels, figures | {"violated": task.violated(labels)} | _figures(pairs))


def weighted(graph: Graph, X: FloatArray) -> FloatArray:
    """CSP's columns: xᵀDx = 1, then times 1 − xᵀLx."""
    X = X / np.sqrt(graph.degrees @ X**2)
    return np.asarray(X * (1 - Side(graph).energy(X)))


def feasible_pairs(graph: Graph, M: sp.csr_array, beta: float, count: int) -> Eigenpairs:
    """The least λ > 0 of L x = λ H x, H = M − βD, the constant vector left out.

    Solved as H x = ν (L − σH) x with ν = 1 / (λ − σ) and 0 < σ < λ₁: smooth vectors, for which
    xᵀHx / xᵀLx runs to −∞, are out of the way at ν > −1/σ.
    """
    degrees = sp.diags_array(graph.degrees)
    L = sp.csr_array(laplacian(graph.to_scipy()) + sp.diags_array(ridge(graph)))
    H = sp.csr_array(M - beta * degrees)
    sigma = _least_quotient(L, H, M, sp.csr_array(beta * degrees)) / 2
    pairs = largest_pairs(
        sp.csr_array(L - sigma * H),
        SparseOperator(H),
        lambda: grounded_cycle(sp.csr_array(L + sigma * beta * degrees)),
        count,
        without=np.ones(graph.n),
    )
    return replace(pairs, values=pairs.values + sigma)


def _least_quotient(L: sp.csr_array, H: sp.csr_array, M: sp.csr_array, cost: sp.csr_array) -> float:
    """About the least xᵀLx / xᵀHx > 0, from above (Dinkelbach).

    The x of largest xᵀMx / xᵀ(L + σ βD)x has a quotient below σ as long as any has.
    """
    sigma = 1.0
    while True:
        P = sp.csr_array(L + sigma * cost)
        best = largest_pairs(P, SparseOperator(M), partial(grounded_cycle, P), 1)
        x = best.vectors[:, 0]
        gain = float(x @ (H @ x))
        if gain <= 0:
            sigma *= 10
            continue
        quotient = float(x @ (L @ x)) / gain
        if quotient > CLOSE * sigma:
            return quotient
        sigma = quotient


def _figures(pairs: Eigenpairs) -> dict[str, Figure]:
    return {
        "converged": pairs.converged,
        "iterations": pairs.iterations,
        "residual": float(pairs.residuals.max()),
    }


def ends_of_spectrum(M: sp.csr_array, degrees: FloatArray, count: int) -> FloatArray:
    """Eigenvalues of D^(−1/2) M D^(−1/2), at least `count` from either end; zeros fill up."""
    nodes = np.flatnonzero(np.diff(M.indptr))
    roots = sp.diags_array(inverse_roots(degrees)[nodes])
    small = roots @ M[nodes][:, nodes] @ roots
    zeros = np.zeros(count)
    if len(nodes) < DENSE_SPECTRUM_BELOW:
        return np.concatenate([la.eigvalsh(small.toarray()), zeros])
    start = np.random.default_rng(0).standard_normal(len(nodes))
    ends = eigsh(small, 2 * count, which="BE", v0=start, return_eigenvectors=False)
    return np.concatenate([ends, zeros])
