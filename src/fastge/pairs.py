"""The raw material of constraints: pairs of nodes, and classes of nodes, with confidences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from fastge.graph import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Pairs:
    """Unordered pairs i < j without repetition, each with a confidence."""

    ends: IntArray
    confidence: FloatArray

    @property
    def count(self) -> int:
        return len(self.ends)

    def among(self, position: IntArray) -> Pairs:
        """The pairs with both ends kept; `position` is each node's new number or −1."""
        moved = position[self.ends]
        keep = (moved >= 0).all(axis=1)
        return Pairs(np.sort(moved[keep], axis=1), self.confidence[keep])


NO_PAIRS = Pairs(np.empty((0, 2), np.int64), np.empty(0))


@dataclass(frozen=True, eq=False)
class Labels:
    """Entries (node, class, confidence): all pairs among them are implied.

    A node stands in several entries when sources disagree about its class.
    """

    nodes: IntArray
    classes: IntArray
    confidence: FloatArray

    @property
    def count(self) -> int:
        return len(self.nodes)

    @property
    def class_ids(self) -> IntArray:
        return np.unique(self.classes)

    def among(self, position: IntArray) -> Labels:
        moved = position[self.nodes]
        keep = moved >= 0
        return Labels(moved[keep], self.classes[keep], self.confidence[keep])


def joined(n: int, i: IntArray, j: IntArray) -> tuple[int, IntArray]:
    """Number of groups that chains of pairs (i, j) join, and the group of each of n things."""
    if n == 0:
        return 0, np.empty(0, dtype=np.int32)
    links = sp.coo_array((np.ones(len(i), np.int8), (i, j)), shape=(n, n))
    count, group = connected_components(links, directed=False)
    return int(count), np.asarray(group)
