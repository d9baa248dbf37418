"""Start block for the eigensolver: the pencil solved on coarse levels first.

Piecewise constant transfer keeps everything in the family: PᵀLP is a Laplacian, Pᵀd are the coarse
degrees, implied pairs stay implied. Eliminated nodes lend their mass to the kept node that
dominates them; that only moves the start, never the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fastge import _native
from fastge.components import centred, contracted, projector, without_components
from fastge.dense import dense_pairs
from fastge.eigensolver import Problem, solve
from fastge.graph import FloatArray, Graph, IntArray, from_canonical, resized
from fastge.multigrid import Hierarchy
from fastge.multigrid.cycle import DAMPING, Cycle
from fastge.multigrid.grouping import Aggregation, Elimination, Transfer
from fastge.pencil import Pencil, Side

COARSE_ITERATIONS = 2
"""Block iterations per coarse level."""
SMOOTHING_SWEEPS = 6
"""Half Jacobi steps that take the stairs out of a prolonged block: far cheaper than iterating."""
COARSE_TOLERANCE = 0.02
"""Residual at which a coarse level is good enough."""


@dataclass(frozen=True, eq=False)
class _Rung:
    """The pencil on one level: L_G is the level's graph, L_H its contraction."""

    L_G: Side
    L_H: Side


def nested_start(pencil: Pencil, hierarchy: Hierarchy, width: int, dtype: Any) -> FloatArray | None:
    """Block of `width` vectors on the pencil's nodes, or None when there is no coarse level."""
    levels = hierarchy.levels
    if len(levels) == 1:
        return None
    rungs = _rungs(pencil, hierarchy, dtype)
    cycle = fast_cycle(hierarchy)
    X = _coarsest_vectors(rungs[-1], width, dtype)
    for at in range(len(levels) - 2, -1, -1):
        transfer, graph = levels[at].transfer, rungs[at].L_G.edges
        assert transfer is not None
        X = _prolong(transfer, X, graph.n)
        if isinstance(transfer, Aggregation):
            X = _smoothed(X, graph)
            X = _improve(rungs[at], cycle, at, X, pencil.components[0] == 1) if at else X
    return np.ascontiguousarray(X[: pencil.n])


def fast_cycle(hierarchy: Hierarchy) -> Cycle:
    """The cycle in single precision, enough for a preconditioner, where the weights allow it."""
    return hierarchy.cycle(np.float32 if hierarchy.fits_single_precision else np.float64)


def _rungs(pencil: Pencil, hierarchy: Hierarchy, dtype: Any) -> list[_Rung]:
    L_H = _with_stars(pencil.L_H, hierarchy.graph.n)
    rungs = []
    for level in hierarchy.levels:
        rungs.append(_Rung(Side(level.graph, dtype=dtype), L_H.astype(dtype)))
        if level.transfer is not None:
            L_H = contracted(
                L_H, _assignment(level.transfer, level.graph.n), level.transfer.n_coarse
            )
    return rungs


def _with_stars(side: Side, n: int) -> Side:
    """The side with massless extra nodes for the centres of the stars."""
    if n == side.n:
        return side
    edges = resized(side.edges.to_scipy(), n)
    mass = np.concatenate([side.mass, np.zeros(n - side.n)])
    return side.like(from_canonical(edges), side.members, mass)


def _assignment(transfer: Transfer, n: int) -> IntArray:
    """Coarse node of every fine node, −1 for none."""
    if isinstance(transfer, Aggregation):
        return transfer.group
    dominant = np.where(
        transfer.first_share >= transfer.second_share, transfer.first, transfer.second
    )
    follow = np.arange(n)
    follow[transfer.node] = dominant
    while True:
        further = follow[follow]
        if np.array_equal(further, follow):
            break
        follow = further
    position = np.full(n, -1)
    position[transfer.kept] = np.arange(len(transfer.kept))
    return position[follow]


def _coarsest_vectors(rung: _Rung, width: int, dtype: Any) -> FloatArray:
    """Dense eigenvectors where the level is small, noise to start from where it is not."""
    n = rung.L_G.n
    noise = np.random.default_rng(0).standard_normal((n, width))
    if n <= 2048:
        _, ids = rung.L_G.edges.components
        L_H = without_components(rung.L_H, ids)
        _, vectors = dense_pairs(rung.L_G.toarray(), L_H, ids, width)
        noise[:, : vectors.shape[1]] = vectors[:, :width]
    return np.ascontiguousarray(noise, dtype=dtype)


def _prolong(transfer: Transfer, X: FloatArray, n: int) -> FloatArray:
    if isinstance(transfer, Elimination):
        return transfer.backward(None, X, np.empty((n, X.shape[1]), dtype=X.dtype))
    fine = X[transfer.group]
    fine[transfer.group < 0] = 0
    return fine


def _smoothed(X: FloatArray, graph: Graph) -> FloatArray:
    """X ← X − D⁻¹ L_G X / 2, several times."""
    scale = np.zeros_like(graph.degrees)
    np.divide(DAMPING, graph.degrees, out=scale, where=graph.degrees > 0)
    scale, weights = scale.astype(X.dtype), graph.weights.astype(X.dtype, copy=False)
    X, other, nothing = np.ascontiguousarray(X), np.empty_like(X), np.zeros_like(X)
    for _ in range(SMOOTHING_SWEEPS):
        _native.relax(graph.indptr, graph.indices, weights, scale, nothing, X, other)
        X, other = other, X
    return X


def _improve(rung: _Rung, cycle: Cycle, at: int, X: FloatArray, connected: bool) -> FloatArray:
    def precondition(R: FloatArray) -> FloatArray:
        return cycle(R.astype(cycle.dtype, copy=False), at)

    project = centred if connected else projector(Pencil(rung.L_G, rung.L_H))
    problem = Problem(rung.L_G, rung.L_H, precondition, project)
    pairs = solve(problem, X, X.shape[1], tol=COARSE_TOLERANCE, max_iterations=COARSE_ITERATIONS)
    return pairs.vectors
