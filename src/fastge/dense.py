"""The pencil solved densely: exact answers for small graphs and for the coarsest level."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np
import scipy.linalg as la
from threadpoolctl import ThreadpoolController

from fastge.graph import FloatArray, IntArray


def dense_pairs(
    L_G: FloatArray, L_H: FloatArray, ids: IntArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """The largest μ of L_H x = μ L_G x with xᵀ L_G x = 1; `ids` are G's components.

    One node of every component is held at zero: what remains of L_G is definite, and its Cholesky
    factor keeps its accuracy however far apart the weights are. L_H must vanish on the components.
    """
    grounds = np.unique(ids, return_index=True)[1]
    free = np.setdiff1d(np.arange(len(ids)), grounds)
    count = min(count, len(free))
    vectors = np.zeros((len(ids), count))
    if count == 0:
        return np.empty(0), vectors
    G, H = L_G[np.ix_(free, free)], L_H[np.ix_(free, free)]
    scale = 1 / np.sqrt(np.diag(G))
    G = G * scale[:, None] * scale
    H = H * scale[:, None] * scale
    mu, X = _largest_pairs(H, G, count)
    vectors[free] = scale[:, None] * X
    return mu, vectors


def _largest_pairs(H: FloatArray, G: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    n = len(G)
    try:
        mu, X = la.eigh(H, G, subset_by_index=[n - count, n - 1])
        if X.shape[1] < count:  # LAPACK returns fewer where many values agree to rounding
            raise la.LinAlgError(f"{X.shape[1]} of {count} eigenvectors converged")
    except la.LinAlgError:  # that, or G is definite, but not any more after rounding
        values, vectors = la.eigh(G)
        basis = vectors / np.sqrt(np.maximum(values, values[-1] * np.finfo(float).eps))
        mu, rotation = la.eigh(basis.T @ H @ basis)
        mu, X = mu[-count:], basis @ rotation[:, -count:]
    return mu[::-1], X[:, ::-1]


def one_blas_thread() -> AbstractContextManager[Any]:
    """Dense algebra on one thread: on several it sums in another order and rounds differently."""
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit


def one_thread() -> AbstractContextManager[Any]:
    """All native code on one thread: for work so short that teams wait for each other."""
    limit: AbstractContextManager[Any] = _controller().limit(limits=1)
    return limit


@cache
def _controller() -> Any:
    return ThreadpoolController()
