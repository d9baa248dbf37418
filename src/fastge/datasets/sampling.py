"""What a method is told of the truth: labels of nodes drawn uniformly, as in the paper."""

from __future__ import annotations

import numpy as np

from fastge.datasets.dataset import Seed
from fastge.errors import ParameterError
from fastge.graph import IntArray


def sample_labels(
    truth: IntArray, count: int | None = None, *, share: float | None = None, seed: Seed
) -> IntArray:
    """The truth at `count` nodes (or a share of them) drawn uniformly, −1 elsewhere.

    Draws of one seed are nested: a larger one contains the smaller. Nodes whose truth is negative
    (unknown) are never drawn.
    """
    known = np.flatnonzero(np.asarray(truth) >= 0)
    if (count is None) == (share is None):
        raise ParameterError("give either the count of labelled nodes or their share, not both")
    if share is not None and not 0 < share <= 1:
        raise ParameterError(f"share = {share} must lie in (0, 1]")
    size = max(1, round(share * len(known))) if share is not None else count
    if size is None or not 1 <= size <= len(known):
        raise ParameterError(f"{size} labels of {len(known)} known ones; choose 1 ≤ count ≤ known")
    drawn = np.random.default_rng(seed).permutation(known)[:size]
    labels = np.full(len(truth), -1, dtype=np.int64)
    labels[drawn] = np.asarray(truth)[drawn]
    return labels
