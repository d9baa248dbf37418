"""What a method is told of the truth: nodes drawn uniformly, as in the paper."""

from __future__ import annotations

import numpy as np

from fastge.constraints import Constraints
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


def sample_constraints(
    truth: IntArray, count: int, *, pairs: bool = False, seed: Seed
) -> Constraints:
    """All must-links and cannot-links among `count` nodes drawn uniformly.

    They are implied by the labels of those nodes and never expanded, or, with `pairs`, written out:
    count · (count − 1) / 2 of them, for methods that know nothing of labels.
    """
    labels = sample_labels(truth, count, seed=seed)
    if not pairs:
        return Constraints.from_labels(labels)
    drawn = np.flatnonzero(labels >= 0)
    ends = np.column_stack([drawn[half] for half in np.triu_indices(len(drawn), 1)])
    same = labels[ends[:, 0]] == labels[ends[:, 1]]
    return Constraints(ends[same], ends[~same])
