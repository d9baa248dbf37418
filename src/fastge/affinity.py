"""Neighbour graphs: points or distances → sparse symmetric affinities, never an n × n block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from fastge.errors import warn
from fastge.graph import FloatArray, IntArray


def connectivity_graph(X: Any, n_neighbors: int, **search: Any) -> sp.csr_array:
    """(A + Aᵀ) / 2 of the k-nearest-neighbour relation A: mutual neighbours 1, one-sided ones 1/2.

    A point is not its own neighbour, not even where the data repeat it. With fewer than
    `n_neighbors` other points all of them are neighbours. `search` as in `nearest`.
    """
    _, neighbours = nearest(X, n_neighbors, **search)
    rows = np.repeat(np.arange(len(neighbours)), neighbours.shape[1])
    return _mean_of_directions(len(neighbours), rows, neighbours.ravel())


def rbf_graph(X: Any, n_neighbors: int, gamma: float | None, **search: Any) -> sp.csr_array:
    """exp(−γ d²) between nearest neighbours, zero between all other points.

    Without γ each pair has its own scale, exp(−d² / (σ_i σ_j)), with σ_i the distance from i to
    the last of its neighbours: dense and thin regions are then treated alike.
    """
    distances, neighbours = nearest(X, n_neighbors, **search)
    n = len(distances)
    with np.errstate(over="ignore"):
        if gamma is None:
            scale = _positive_scales(distances[:, -1])
            exponent: FloatArray = (distances / scale[:, None]) * (distances / scale[neighbours])
        else:
            exponent = gamma * distances**2
    rows = np.repeat(np.arange(n), neighbours.shape[1])
    entries = (np.exp(-exponent).ravel(), (rows, neighbours.ravel()))
    one_way = sp.coo_array(entries, shape=(n, n)).tocsr()
    affinity = sp.csr_array(one_way.maximum(one_way.T))
    _warn_if_isolated(affinity, gamma)
    return affinity


def precomputed_neighbors_graph(distances: Any, n_neighbors: int) -> sp.csr_array:
    """(A + Aᵀ) / 2 of the k smallest distances in each row of a sparse or dense matrix.

    In a sparse matrix a stored zero is a distance and an absent entry none at all; the distance
    of a point to itself is passed over, whether stored or not. Ties with the k-th are all kept,
    so that a graph of ones is taken as it is.
    """
    n = distances.shape[0]
    keep = _closest_stored if sp.issparse(distances) else _closest_in_rows
    return _mean_of_directions(n, *keep(distances, min(n_neighbors, n - 1)))


def nearest(
    X: Any,
    n_neighbors: int,
    *,
    metric: Any = "euclidean",
    metric_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
) -> tuple[FloatArray, IntArray]:
    """Distances and numbers of the nearest other points of every point, nearest first."""
    search = NearestNeighbors(
        n_neighbors=min(n_neighbors, X.shape[0] - 1),
        metric=metric,
        metric_params=None if metric_params is None else dict(metric_params),
        n_jobs=n_jobs,
    )
    distances, neighbours = search.fit(X).kneighbors()
    return distances.astype(np.float64, copy=False), neighbours


def without_diagonal(matrix: Any) -> Any:
    """The affinities between different points; those of a point with itself cut nothing."""
    entries = sp.coo_array(matrix)
    keep = entries.row != entries.col
    if keep.all():
        return matrix
    kept = (entries.data[keep], (entries.row[keep], entries.col[keep]))
    return sp.coo_array(kept, shape=entries.shape).tocsr()


def _mean_of_directions(n: int, rows: IntArray, columns: IntArray) -> sp.csr_array:
    one_way = sp.coo_array((np.full(len(rows), 0.5), (rows, columns)), shape=(n, n)).tocsr()
    return sp.csr_array(one_way + one_way.T)


def _positive_scales(farthest: FloatArray) -> FloatArray:
    """Neighbourhood sizes, where points repeated k times borrow the smallest positive one."""
    positive = farthest[farthest > 0]
    return np.maximum(farthest, positive.min() if len(positive) else 1.0)


def _warn_if_isolated(affinity: sp.csr_array, gamma: float | None) -> None:
    isolated = int(np.count_nonzero(affinity.sum(axis=1) == 0))
    if isolated:
        warn(
            f"gamma = {gamma} leaves {isolated} of {affinity.shape[0]} points without any "
            "neighbour of positive affinity; scale the features, lower gamma, or pass gamma=None "
            "to scale every pair by its neighbourhoods"
        )


def _closest_stored(distances: Any, k: int) -> tuple[IntArray, IntArray]:
    entries = sp.coo_array(distances)
    other = entries.row != entries.col
    rows, columns, values = entries.row[other], entries.col[other], entries.data[other]
    order = np.lexsort((values, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    count = np.bincount(rows, minlength=entries.shape[0])
    start = np.cumsum(count) - count
    last = (start + np.minimum(k, count) - 1)[rows]
    keep = values <= values[last]
    return rows[keep], columns[keep]


def _closest_in_rows(distances: FloatArray, k: int) -> tuple[IntArray, IntArray]:
    others = np.array(distances, dtype=np.float64)
    np.fill_diagonal(others, np.inf)
    limit = np.partition(others, k - 1, axis=1)[:, k - 1 : k]
    rows, columns = np.nonzero(others <= limit)
    return rows, columns
