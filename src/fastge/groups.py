"""Labels in other words: groups of nodes that pairs hold together, and every two of them apart."""

from __future__ import annotations

import numpy as np

from fastge.graph import IntArray
from fastge.pairs import Labels, Pairs, joined


def labels_of_groups(must_link: Pairs, cannot_link: Pairs, k: int) -> Labels | None:
    """A class 0, 1, … per group under chains of must-links, in order of the groups' first nodes.

    None where pairs say less than labels would: if a cannot-link lies inside a group, if two groups
    are not held apart, or if there are more than k. A label has the confidence of the surest
    pair of its node.
    """
    ends = np.concatenate([must_link.ends, cannot_link.ends])
    if len(ends) == 0:
        return None
    nodes, ends = np.unique(ends, return_inverse=True)
    ends = ends.reshape(-1, 2)
    together, apart = ends[: must_link.count], ends[must_link.count :]
    count, group = joined(len(nodes), *together.T)
    across = np.sort(group[apart], axis=1)
    held_apart = np.unique(across[:, 0] * count + across[:, 1])
    inside = bool((across[:, 0] == across[:, 1]).any())
    if inside or not 2 <= count <= k or len(held_apart) < count * (count - 1) // 2:
        return None
    confidence = np.zeros(len(nodes))
    np.maximum.at(confidence, together, must_link.confidence[:, None])
    np.maximum.at(confidence, apart, cannot_link.confidence[:, None])
    return Labels(nodes, _in_order_of_appearance(group), confidence)


def _in_order_of_appearance(group: IntArray) -> IntArray:
    _, first, where = np.unique(group, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[where]
