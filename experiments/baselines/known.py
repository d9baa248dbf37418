"""Classes of single nodes, for the methods that understand nothing else."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from fastge import Constraints
from fastge.errors import ConstraintError
from fastge.graph import IntArray

UNKNOWN = -1


def known_classes(constraints: Constraints, n: int, method: str) -> IntArray:
    """Class of every node, −1 where it is unknown.

    Of several labels of one node the most confident counts; pairs beside labels are left out.
    Pairs alone are read as classes where they say the same: must-links join nodes to groups, and
    cannot-links hold every two groups apart.
    """
    constraints.check_fits(n)
    if constraints.labels.count == 0:
        return _classes_of_groups(constraints, n, method)
    known = constraints.labels
    order = np.argsort(known.confidence, kind="stable")
    classes = np.full(n, UNKNOWN, dtype=np.int64)
    classes[known.nodes[order]] = known.classes[order]
    return classes


def _classes_of_groups(constraints: Constraints, n: int, method: str) -> IntArray:
    nodes = constraints.nodes
    group = must_link_groups(constraints.must_link.ends, n)
    ids, column = np.unique(group[nodes], return_inverse=True)
    apart = np.sort(group[constraints.cannot_link.ends], axis=1)
    inside = apart[:, 0] == apart[:, 1]
    held_apart = len(np.unique(apart[~inside], axis=0))
    if len(ids) < 2 or inside.any() or held_apart < len(ids) * (len(ids) - 1) // 2:
        raise ConstraintError(
            f"{method} needs the classes of some nodes, and these pairs do not say them: they make "
            f"{len(ids)} groups, of which {held_apart} pairs are held apart by cannot-links; use "
            "Constraints.from_labels, or a method that takes pairs"
        )
    classes = np.full(n, UNKNOWN, dtype=np.int64)
    classes[nodes] = column
    return classes


def must_link_groups(must_link: IntArray, n: int) -> IntArray:
    """Group of every node under chains of must-links: 0, 1, … in order of their first nodes."""
    links = sp.coo_array((np.ones(len(must_link), np.int8), tuple(must_link.T)), shape=(n, n))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)
