"""Pairs that say what labels would."""

from __future__ import annotations

import numpy as np
import pytest

from fastge import Constraints
from fastge.groups import labels_of_groups


def labels(must: list[tuple[int, int]], cannot: list[tuple[int, int]], k: int = 3) -> dict | None:
    told = Constraints(must or None, cannot or None)
    found = labels_of_groups(told.must_link, told.cannot_link, k)
    return None if found is None else dict(zip(found.nodes, found.classes, strict=True))


def test_groups_are_numbered_by_their_first_nodes() -> None:
    assert labels([(9, 2), (4, 9), (7, 1)], [(2, 7)]) == {1: 0, 2: 1, 4: 1, 7: 0, 9: 1}


def test_a_node_alone_is_a_group() -> None:
    assert labels([], [(3, 5), (3, 8), (5, 8)]) == {3: 0, 5: 1, 8: 2}


@pytest.mark.parametrize(
    ("must", "cannot"),
    [
        ([], []),
        ([(1, 2)], []),
        ([(1, 2), (3, 4)], []),
        ([(1, 2), (2, 3)], [(1, 3), (1, 4), (3, 4)]),
        ([], [(1, 2), (3, 4)]),
        ([], [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]),
    ],
    ids=["nothing", "one group", "not apart", "contradiction", "half apart", "more than k"],
)
def test_other_pairs_say_less(must: list[tuple[int, int]], cannot: list[tuple[int, int]]) -> None:
    assert labels(must, cannot) is None


def test_a_label_is_as_sure_as_the_surest_pair() -> None:
    told = Constraints(
        [(0, 1)], [(0, 2), (1, 2)], must_link_confidence=[0.3], cannot_link_confidence=[0.5, 0.2]
    )
    found = labels_of_groups(told.must_link, told.cannot_link, 2)
    assert found is not None
    np.testing.assert_allclose(found.confidence, [0.5, 0.3, 0.5])
