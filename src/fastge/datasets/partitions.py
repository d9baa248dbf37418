"""Random networks with planted groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fastge.datasets.dataset import DEGREE_CORRECTED, PLANTED_PARTITION, Dataset
from fastge.datasets.neighbours import random_pairs
from fastge.errors import ParameterError
from fastge.graph import FloatArray, IntArray, from_pairs

_ROUNDS = 50  # of drawing anew what was drawn before


def planted_partition(
    sizes: Sequence[int], *, p_in: float = 0.2, p_out: float = 0.02, seed: int
) -> Dataset:
    """Groups whose nodes are joined with probability p_in inside and p_out across."""
    counts = _counts(sizes)
    rng = np.random.default_rng(seed)
    n, starts = int(counts.sum()), np.cumsum(counts) - counts
    truth = np.repeat(np.arange(len(counts)), counts)
    pairs = random_pairs(n, p_out, seed=rng)
    across = pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]]
    inside = [random_pairs(int(size), p_in, seed=rng) for size in counts]
    moved = [pairs + start for pairs, start in zip(inside, starts, strict=True)]
    edges = np.concatenate([across, *moved])
    return Dataset(
        name="planted-partition",
        adjacency=from_pairs(n, edges, np.ones(len(edges))),
        truth=truth,
        k=len(counts),
        seed=seed,
        citation=PLANTED_PARTITION,
    )


def degree_corrected_partition(
    sizes: Sequence[int],
    degrees: FloatArray,
    *,
    planted: float | Sequence[float],
    seed: int,
) -> Dataset:
    """Groups with hubs and hermits: edge (i, j) is drawn in proportion to d_i d_j.

    `degrees` are those expected of the nodes, group after group. The share `planted` (one, or one
    per group) of their edges is drawn inside the group, the others among all nodes. Time and
    memory are linear in the number of edges. Edges are distinct, so hubs fall somewhat short of
    their degrees, and so do groups with hardly more pairs than edges.
    """
    counts = _counts(sizes)
    degrees, share = np.asarray(degrees, dtype=np.float64), np.asarray(planted, dtype=np.float64)
    n, k = int(counts.sum()), len(counts)
    if degrees.shape != (n,) or not (np.isfinite(degrees) & (degrees > 0)).all():
        raise ParameterError(f"degrees must be one positive number for each of the {n} nodes")
    if share.shape not in ((), (k,)) or not ((share >= 0) & (share <= 1)).all():
        raise ParameterError(f"planted must be one share in [0, 1], or one for each of {k} groups")
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(k), counts)
    groups = np.split(np.arange(n), np.cumsum(counts)[:-1])
    inner = degrees * np.broadcast_to(share, k)[truth]
    edges = [_edges(n, group, inner[group], rng) for group in groups]
    edges.append(_edges(n, np.arange(n), degrees - inner, rng))
    pairs = np.column_stack(np.divmod(np.concatenate(edges), n))
    adjacency = from_pairs(n, pairs, np.ones(len(pairs)))
    adjacency.data[:] = 1.0  # an edge that was drawn inside its group and among all nodes, too
    return Dataset(
        name="degree-corrected-partition",
        adjacency=adjacency,
        truth=truth,
        k=k,
        seed=seed,
        citation=DEGREE_CORRECTED,
    )


def _counts(sizes: Sequence[int]) -> IntArray:
    counts = np.asarray(sizes, dtype=np.int64)
    if counts.ndim != 1 or len(counts) < 1 or counts.min() < 1:
        raise ParameterError(f"sizes = {sizes!r} must be one positive number of nodes per group")
    return counts


def _edges(n: int, nodes: IntArray, ends: FloatArray, rng: np.random.Generator) -> IntArray:
    """i n + j of distinct pairs i < j of the sorted nodes, drawn in proportion to both `ends`."""
    m, chance = len(nodes), np.cumsum(ends)
    count = min(round(chance[-1] / 2), m * (m - 1) // 2)
    found = np.empty(0, dtype=np.int64)
    for _ in range(_ROUNDS):
        missing = count - len(found)
        if missing <= 0:
            break
        drawn = np.searchsorted(
            chance, rng.uniform(0, chance[-1], (missing + missing // 8 + 16, 2))
        )
        i, j = nodes[np.sort(drawn, axis=1)].T
        found = np.concatenate([found, (i * n + j)[i < j]])
        found = found[np.sort(np.unique(found, return_index=True)[1])]  # in order of appearance
    return found[:count]
