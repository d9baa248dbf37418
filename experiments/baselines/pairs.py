"""Constraints in the form that the peers want: every pair written out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastge import Constraints
from fastge.graph import IntArray


@dataclass(frozen=True, eq=False)
class ExplicitPairs:
    """(p, 2) must-links and cannot-links, i < j, each once."""

    must_link: IntArray
    cannot_link: IntArray


def explicit_pairs(constraints: Constraints) -> ExplicitPairs:
    """All pairs, those implied by labels included. Confidences are left out: peers know none.

    Quadratic in the number of labelled nodes, as the peers are.
    """
    labels = constraints.labels
    i, j = (labels.nodes[half] for half in np.triu_indices(labels.count, 1))
    first, second = (labels.classes[half] for half in np.triu_indices(labels.count, 1))
    implied = np.column_stack([i, j])
    return ExplicitPairs(
        _unique(constraints.must_link.ends, implied[first == second]),
        _unique(constraints.cannot_link.ends, implied[first != second]),
    )


def _unique(*parts: IntArray) -> IntArray:
    ends = np.sort(np.concatenate([part.reshape(-1, 2) for part in parts]), axis=1)
    return np.unique(ends, axis=0).astype(np.int64)
