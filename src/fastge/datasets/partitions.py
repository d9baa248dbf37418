"""Random networks with planted groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fastge.datasets.dataset import PLANTED_PARTITION, Dataset
from fastge.datasets.neighbours import random_pairs
from fastge.errors import ParameterError
from fastge.graph import from_pairs


def planted_partition(
    sizes: Sequence[int], *, p_in: float = 0.2, p_out: float = 0.02, seed: int
) -> Dataset:
    """Groups whose nodes are joined with probability p_in inside and p_out across."""
    counts = np.asarray(sizes, dtype=np.int64)
    if counts.ndim != 1 or len(counts) < 1 or counts.min() < 1:
        raise ParameterError(f"sizes = {sizes!r} must be one positive number of nodes per group")
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
