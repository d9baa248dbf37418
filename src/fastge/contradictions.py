"""What constraints demand and forbid at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from fastge.graph import BoolArray, IntArray
from fastge.pairs import Labels, joined


@dataclass(frozen=True, eq=False)
class Contradictions:
    """What the constraints demand and forbid at once. Soft constraints survive it."""

    both: IntArray
    """(p, 2) pairs that are must-link and cannot-link at once."""
    inside: IntArray
    """(p, 2) cannot-link pairs whose ends a chain of must-links joins."""
    nodes: IntArray
    """Nodes that carry more than one class."""
    joined_classes: IntArray
    """(p, 2) pairs of classes that a chain of must-links joins."""

    def __bool__(self) -> bool:
        return any(len(part) for part in (self.both, self.inside, self.nodes, self.joined_classes))


def contradictions(ml: IntArray, cl: IntArray, labels: Labels) -> Contradictions:
    """What must-link pairs, cannot-link pairs and labels demand and forbid at once."""
    n = 1 + max((int(part.max()) for part in (ml, cl, labels.nodes) if part.size), default=-1)
    class_ids, class_of = np.unique(labels.classes, return_inverse=True)
    group = _joined_by_must_links(n, ml, labels.nodes, class_of, len(class_ids))
    same = group[cl[:, 0]] == group[cl[:, 1]]
    direct = _rows_in(cl, ml) | _share_a_class(cl, n, labels.nodes, class_of, len(class_ids))
    nodes, entries = np.unique(labels.nodes, return_counts=True)
    return Contradictions(
        both=cl[direct],
        inside=cl[same],
        nodes=nodes[entries > 1],
        joined_classes=_equal_pairs(class_ids, group[n:]),
    )


def _joined_by_must_links(
    n: int, ml: IntArray, nodes: IntArray, class_of: IntArray, n_classes: int
) -> IntArray:
    """Component of every node, then of every class, under must-links and memberships."""
    i = np.concatenate([ml[:, 0], nodes])
    j = np.concatenate([ml[:, 1], n + class_of])
    return joined(n + n_classes, i, j)[1]


def _rows_in(rows: IntArray, others: IntArray) -> BoolArray:
    if len(rows) == 0 or len(others) == 0:
        return np.zeros(len(rows), dtype=bool)
    span = int(max(rows.max(), others.max())) + 1
    return np.isin(rows[:, 0] * span + rows[:, 1], others[:, 0] * span + others[:, 1])


def _share_a_class(
    pairs: IntArray, n: int, nodes: IntArray, class_of: IntArray, n_classes: int
) -> BoolArray:
    if len(pairs) == 0 or len(nodes) == 0:
        return np.zeros(len(pairs), dtype=bool)
    member = sp.csr_array((np.ones(len(nodes)), (nodes, class_of)), shape=(n, n_classes))
    shared: IntArray = np.diff(member[pairs[:, 0]].multiply(member[pairs[:, 1]]).tocsr().indptr)
    return shared > 0


def _equal_pairs(ids: IntArray, group: IntArray) -> IntArray:
    """Neighbouring pairs of `ids` within each group."""
    order = np.lexsort((ids, group))
    same = group[order][1:] == group[order][:-1]
    return np.column_stack([ids[order][:-1][same], ids[order][1:][same]])
