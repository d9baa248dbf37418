"""Eigenpairs of the pencil: multigrid, nested start and block solver introduced to each other."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from fastge.components import projector, without_components, zero_vectors
from fastge.dense import dense_pairs
from fastge.eigensolver import VANISHING, Eigenpairs, Observer, Problem, solve
from fastge.graph import FloatArray
from fastge.multigrid import Hierarchy
from fastge.nested import fast_cycle, nested_start
from fastge.pencil import Pencil

logger = logging.getLogger("fastge")

DENSE_BELOW = 400
"""Nodes under which dense algebra is faster than iterating."""
GUARDS = 2
"""Columns beyond the wanted ones that are iterated along with them."""
TOLERANCE = 1e-3
"""Relative residual at which labels no longer change (docs/decisions/0002)."""
MAX_ITERATIONS = 100
ROUNDING_ENERGY = 0.1
"""Energy that rounding to single precision may add to a vector, as a share of its own."""
_STEP = 4  # block widths are multiples of this: the native kernels are specialised on them


def eigenpairs(
    pencil: Pencil,
    k: int,
    *,
    hierarchy: Hierarchy | None = None,
    tol: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
    dtype: Any = np.float64,
    observe: Observer | None = None,
) -> Eigenpairs:
    """The k smallest λ of L_G x = λ L_H x, the constant vector left out.

    Fewer than k are returned when the pencil has no more: n − 1 at most.
    """
    zero = zero_vectors(pencil, k)
    finite = min(k - zero.shape[1], pencil.n - pencil.components[0])
    if finite <= 0:
        return _joined(zero, None)
    if is_small(pencil, k):
        return _joined(zero, _dense(pencil, finite))
    hierarchy = hierarchy or Hierarchy(pencil.star_graph)
    if np.dtype(dtype) == np.float32 and not _single_precision_will_do(hierarchy):
        logger.info("the weights span too many decades for float32; float64 is used")
        dtype = np.float64
    pairs = _iterative(pencil.astype(dtype), hierarchy, finite, tol, max_iterations, observe)
    return _joined(zero, pairs)


def _single_precision_will_do(hierarchy: Hierarchy) -> bool:
    """Whether rounding a vector of energy 1 adds little energy: ε² Σ w x² ≪ 1 with x² ~ 1 / w."""
    weights = hierarchy.graph.weights
    if not hierarchy.fits_single_precision:
        return False
    spread = float(weights.max() / weights.min()) * hierarchy.graph.n
    return spread * float(np.finfo(np.float32).eps) ** 2 < ROUNDING_ENERGY


def is_small(pencil: Pencil, k: int) -> bool:
    """Whether the pencil is solved densely: few nodes, or hardly more than a block has columns."""
    return pencil.n < DENSE_BELOW or _width(k) * 4 > pencil.n


def _width(k: int) -> int:
    return -(-(k + GUARDS) // _STEP) * _STEP


def _iterative(
    pencil: Pencil,
    hierarchy: Hierarchy,
    k: int,
    tol: float,
    max_iterations: int,
    observe: Observer | None,
) -> Eigenpairs:
    dtype = pencil.L_G.dtype
    width = _width(k)
    start = nested_start(pencil, hierarchy, width, dtype)
    if start is None:
        noise = np.random.default_rng(0).standard_normal((pencil.n, width))
        start = np.ascontiguousarray(noise, dtype=dtype)
    problem = Problem(
        pencil.L_G, pencil.L_H, _Preconditioner(hierarchy, pencil.n, width), projector(pencil)
    )
    return solve(problem, start, k, tol=tol, max_iterations=max_iterations, observe=observe)


class _Preconditioner:
    """One multigrid cycle; the extra nodes of stars carry no right side."""

    def __init__(self, hierarchy: Hierarchy, n: int, width: int) -> None:
        self.n = n
        self.cycle = fast_cycle(hierarchy)
        self.right_side = np.zeros((hierarchy.graph.n, width), dtype=self.cycle.dtype)

    def __call__(self, R: FloatArray) -> FloatArray:
        self.right_side[: self.n] = R
        return self.cycle(self.right_side)[: self.n]


def _dense(pencil: Pencil, k: int) -> Eigenpairs:
    _, ids = pencil.components
    L_G, L_H = pencil.L_G.toarray(), without_components(pencil.L_H, ids)
    mu, vectors = dense_pairs(L_G, L_H, ids, k)
    vanishing = mu <= VANISHING * max(float(mu[0]), 0.0)
    values = np.divide(1.0, mu, out=np.full(len(mu), np.inf), where=~vanishing)
    return Eigenpairs(values, vectors, np.full(len(mu), np.finfo(float).eps), True)


def _joined(zero: FloatArray, pairs: Eigenpairs | None) -> Eigenpairs:
    """The exact pairs of λ = 0 before the computed ones, all in double precision."""
    none = np.zeros(zero.shape[1])
    if pairs is None:
        return Eigenpairs(none, zero, none, True)
    return Eigenpairs(
        np.concatenate([none, pairs.values]),
        np.hstack([zero, pairs.vectors.astype(np.float64, copy=False)]),
        np.concatenate([none, pairs.residuals]),
        pairs.converged,
        pairs.iterations,
        pairs.history,
    )
