"""Neighbour graphs of points, and the noise that is laid over them."""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy.sparse as sp
from scipy.spatial import KDTree

from fastge.datasets.dataset import Seed
from fastge.errors import ParameterError
from fastge.graph import FloatArray, IntArray, from_pairs


def noisy_knn(
    points: FloatArray,
    k_g: int,
    l_g: float,
    *,
    seed: Seed,
    combine: Literal["union", "xor"] = "union",
) -> sp.csr_array:
    """Unweighted neighbour graph of points with Erdős–Rényi noise of probability l_g / n.

    Each point is joined to its nearest k_g − 1 others (k_g counts the point itself), in either
    direction. Noise adds edges; with `combine="xor"` it also removes those that it hits.
    """
    points = np.asarray(points, dtype=np.float64)
    n = len(points)
    if points.ndim != 2 or not 1 <= k_g <= n or not 0 <= l_g <= n:
        raise ParameterError("pass (n, dimensions) points with 1 ≤ k_g ≤ n and 0 ≤ l_g ≤ n")
    if combine not in ("union", "xor"):
        raise ParameterError(f"combine = {combine!r}; choose 'union' or 'xor'")
    near, noise = nearest_pairs(points, k_g), random_pairs(n, l_g / n, seed=seed)
    merged = (np.union1d if combine == "union" else np.setxor1d)(
        near[:, 0] * n + near[:, 1], noise[:, 0] * n + noise[:, 1]
    )
    return from_pairs(n, np.column_stack(np.divmod(merged, n)), np.ones(len(merged)))


def nearest_pairs(points: FloatArray, k: int) -> IntArray:
    """Pairs i < j of which one is among the k nearest of the other, itself counted."""
    n = len(points)
    near = KDTree(points).query(points, k=np.arange(1, k + 1))[1].astype(np.int64)
    ends = np.column_stack([np.repeat(np.arange(n), k), near.ravel()])
    ends = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
    return np.column_stack(np.divmod(np.unique(ends[:, 0] * n + ends[:, 1]), n))


def random_pairs(n: int, probability: float, *, seed: Seed) -> IntArray:
    """Each of the n (n − 1) / 2 pairs i < j with the same probability, in time of the answer.

    Gaps between successes of independent trials are geometric: whatever lies between is skipped.
    """
    if not 0 <= probability <= 1:
        raise ParameterError(f"probability = {probability} must lie in [0, 1]")
    total = n * (n - 1) // 2
    if probability == 0 or total == 0:
        return np.empty((0, 2), dtype=np.int64)
    rng = np.random.default_rng(seed)
    chunk = int(total * probability + 4 * np.sqrt(total * probability)) + 16
    parts, last = [], -1
    while last < total:
        parts.append(last + np.cumsum(np.minimum(rng.geometric(probability, chunk), total + 1)))
        last = int(parts[-1][-1])
    hits = np.concatenate(parts)
    return _pair_of_number(hits[hits < total])


def _pair_of_number(number: IntArray) -> IntArray:
    """The pair (i, j), i < j, that comes at place j (j − 1) / 2 + i."""
    j = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    j -= (j * (j - 1) // 2 > number).astype(np.int64)  # the root may round across a whole number
    j += (j * (j + 1) // 2 <= number).astype(np.int64)
    return np.column_stack([number - j * (j - 1) // 2, j])
