"""Constraints: what is refused, what contradicts, how they combine, that nothing slices them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.validation import _check_method_params

from fastge.constraints import Constraints
from fastge.errors import (
    ConfidenceError,
    ConstraintError,
    NodeOutOfRangeError,
    NoKnownLabelError,
    SelfConstraintError,
)
from strategies import constraint_sets

N = 8


def content(c: Constraints) -> tuple[Any, ...]:
    """Everything a set of constraints says, comparable with ==."""
    labels = c.labels
    entries = zip(
        labels.nodes.tolist(), labels.classes.tolist(), labels.confidence.tolist(), strict=True
    )
    pairs = [
        sorted(zip(map(tuple, p.ends.tolist()), p.confidence.tolist(), strict=True))
        for p in (c.must_link, c.cannot_link)
    ]
    return sorted(entries), *pairs, c.n_nodes


@pytest.mark.parametrize(
    ("pairs", "error", "message"),
    [
        ([[0, 0]], SelfConstraintError, r"must_link\[0\].*itself"),
        ([[0, 1], [2, -1]], NodeOutOfRangeError, r"must_link\[1\].*negative node -1"),
        ([0, 1, 2], ConstraintError, r"shape \(3,\)"),
        ([[0, 1, 2]], ConstraintError, r"shape \(1, 3\)"),
        ([[0, 1], [2]], ConstraintError, "no rectangular array"),
        ([[0, 1], [0.5, 1]], ConstraintError, r"must be integers, not 0\.5; pass the numbers"),
        ([[np.nan, 1]], ConstraintError, "must be integers"),
        ([["a", "b"]], ConstraintError, "must be integers"),
        ([[1j, 2]], ConstraintError, "must be integers"),
    ],
)
def test_bad_pairs(pairs: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Constraints(must_link=pairs)
    with pytest.raises(error, match=message.replace("must_link", "cannot_link")):
        Constraints(cannot_link=pairs)


@pytest.mark.parametrize(
    ("confidence", "message"),
    [
        ([1.0, 2.0], r"shape \(2,\) for 1"),
        ([-1.0], "finite and ≥ 0"),
        ([np.nan], "finite and ≥ 0"),
        ([np.inf], "finite and ≥ 0"),
        (["high"], "real numbers"),
        (1j, "real numbers"),
    ],
)
def test_bad_confidence(confidence: Any, message: str) -> None:
    with pytest.raises(ConfidenceError, match=message):
        Constraints(cannot_link=[[0, 1]], cannot_link_confidence=confidence)


def test_confidence_without_pairs() -> None:
    with pytest.raises(ConfidenceError, match="given without must_link"):
        Constraints(must_link_confidence=[1.0])


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        ([-1, -1], NoKnownLabelError, "every label is −1"),
        ([], NoKnownLabelError, "every label is −1"),
        ([0, -2], ConstraintError, "label -2 is not a class"),
        ([[0, 1]], ConstraintError, r"shape \(1, 2\)"),
        ([0.5, 1], ConstraintError, "must be integers"),
        ([0, None], ConstraintError, "must be integers, not .*; number the classes"),
    ],
)
def test_bad_labels(labels: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Constraints.from_labels(labels)


def test_bad_confidence_of_labels() -> None:
    with pytest.raises(ConfidenceError):
        Constraints.from_labels([0, 1], confidence=[1.0])
    with pytest.raises(NoKnownLabelError):
        Constraints.from_labels([0, 1], confidence=[0.0, 0.0])


def test_every_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="itself"):
        Constraints(must_link=[[3, 3]])


def test_fit_to_a_graph() -> None:
    pairs, labels = Constraints(cannot_link=[[0, 5]]), Constraints.from_labels([0, -1, 1])
    pairs.check_fits(6)
    labels.check_fits(3)
    with pytest.raises(NodeOutOfRangeError, match=r"cannot_link pair \(0, 5\).*5 nodes"):
        pairs.check_fits(5)
    with pytest.raises(ConstraintError, match="3 labels for 4 nodes"):
        labels.check_fits(4)


def test_pairs_are_unordered_and_unique() -> None:
    c = Constraints([[2, 1], [1, 2], [0, 3]], must_link_confidence=[0.5, 2.0, 1.0])
    assert c.must_link.ends.tolist() == [[0, 3], [1, 2]]
    assert c.must_link.confidence.tolist() == [1.0, 2.0]


def test_confidence_zero_switches_off() -> None:
    c = Constraints([[0, 1], [1, 2]], must_link_confidence=[0.0, 1.0])
    assert c.must_link.ends.tolist() == [[1, 2]]
    labels = Constraints.from_labels([4, 5, -1], confidence=[0.0, 1.0, 1.0]).labels
    assert (labels.nodes.tolist(), labels.classes.tolist()) == ([1], [5])


def test_one_confidence_for_all() -> None:
    assert Constraints(
        [[0, 1], [1, 2]], must_link_confidence=0.5
    ).must_link.confidence.tolist() == [
        0.5,
        0.5,
    ]


def test_integers_in_any_dress() -> None:
    for pairs in ([[0.0, 1.0]], np.array([[0, 1]], dtype=np.uint8), [(0, 1)]):
        assert Constraints(pairs).must_link.ends.tolist() == [[0, 1]]


@pytest.mark.parametrize("nothing", [None, [], np.empty((0, 2), dtype=int)])
def test_nothing_is_allowed(nothing: Any) -> None:
    c = Constraints(nothing, nothing)
    assert c.is_empty
    assert not c.contradictions
    assert c.nodes.size == 0
    assert "0 must-link" in repr(c)


class TestContradictions:
    def test_none(self) -> None:
        c = Constraints([[0, 1]], [[1, 2]]) & Constraints.from_labels([0, 0, 1, -1])
        assert not c.contradictions

    def test_pair_that_is_both(self) -> None:
        found = Constraints([[0, 1], [2, 3]], [[1, 0], [0, 2]]).contradictions
        assert found
        assert found.both.tolist() == [[0, 1]]
        assert found.inside.tolist() == [[0, 1]]

    def test_cannot_link_inside_a_chain(self) -> None:
        found = Constraints([[0, 1], [1, 2]], [[0, 2], [2, 3]]).contradictions
        assert found.inside.tolist() == [[0, 2]]
        assert found.both.size == 0

    def test_cannot_link_inside_a_class(self) -> None:
        labels = Constraints.from_labels([5, 5, -1])
        found = (labels & Constraints(cannot_link=[[0, 1]])).contradictions
        assert found.both.tolist() == [[0, 1]]
        assert found.inside.tolist() == [[0, 1]]

    def test_chain_through_a_class(self) -> None:
        labels = Constraints.from_labels([5, 5, -1, -1])
        found = (labels & Constraints([[1, 2]], [[0, 2]])).contradictions
        assert found.inside.tolist() == [[0, 2]]
        assert found.both.size == 0

    def test_node_of_two_classes(self) -> None:
        c = Constraints.from_labels([0, 1, -1]) & Constraints.from_labels([0, 2, -1])
        assert c.contradictions.nodes.tolist() == [1]
        assert c.contradictions.joined_classes.tolist() == [[1, 2]]

    def test_classes_joined_by_must_links(self) -> None:
        c = Constraints.from_labels([3, 7, -1]) & Constraints([[0, 2], [2, 1]])
        assert c.contradictions.joined_classes.tolist() == [[3, 7]]
        assert c.contradictions.nodes.size == 0

    def test_contradictions_are_no_error(self) -> None:
        Constraints([[0, 1]], [[0, 1]]).check_fits(2)


@given(constraint_sets(N), constraint_sets(N), constraint_sets(N))
def test_and_is_idempotent_commutative_associative(
    a: Constraints, b: Constraints, c: Constraints
) -> None:
    assert content(a & a) == content(a)
    assert content(a & b) == content(b & a)
    assert content((a & b) & c) == content(a & (b & c))
    assert content(a & Constraints()) == content(a)


def test_and_keeps_the_higher_confidence() -> None:
    low = Constraints([[0, 1]], must_link_confidence=0.5)
    high = Constraints([[1, 0]], must_link_confidence=0.8)
    assert (low & high).must_link.confidence.tolist() == [0.8]


def test_and_refuses_labels_of_another_graph() -> None:
    with pytest.raises(ConstraintError, match="labels of 2 and of 3 nodes"):
        Constraints.from_labels([0, 1]) & Constraints.from_labels([0, 1, 1])


def test_and_refuses_what_is_no_constraint() -> None:
    with pytest.raises(TypeError):
        Constraints() & [[0, 1]]  # type: ignore[operator]


@given(constraint_sets(N), st.integers(0, 2**N - 1))
def test_among_keeps_what_lies_inside(c: Constraints, code: int) -> None:
    nodes = np.array([i for i in range(N) if code >> i & 1], dtype=np.int64)
    part = c.among(nodes, N)
    kept = set(nodes.tolist())
    for pairs, moved in ((c.must_link, part.must_link), (c.cannot_link, part.cannot_link)):
        wanted = [p for p in pairs.ends.tolist() if set(p) <= kept]
        assert nodes[moved.ends].reshape(-1, 2).tolist() == wanted
    wanted_entries = [
        (i, k)
        for i, k in zip(c.labels.nodes.tolist(), c.labels.classes.tolist(), strict=True)
        if i in kept
    ]
    entries = zip(nodes[part.labels.nodes].tolist(), part.labels.classes.tolist(), strict=True)
    assert list(entries) == wanted_entries
    assert part.n_nodes in (None, len(nodes))


@given(constraint_sets(N))
def test_pickle_round_trip(c: Constraints) -> None:
    assert content(pickle.loads(pickle.dumps(c))) == content(c)


@given(constraint_sets(N))
def test_nodes_are_those_that_are_spoken_of(c: Constraints) -> None:
    spoken = {*c.must_link.ends.flat, *c.cannot_link.ends.flat, *c.labels.nodes}
    assert c.nodes.tolist() == sorted(spoken)
    assert c.is_empty == (len(spoken) == 0)


def test_opaque_to_whatever_slices_arrays() -> None:
    c = Constraints.from_labels(np.zeros(10, dtype=int))
    for name in ("__len__", "shape", "__array__", "__getitem__", "__iter__", "iloc", "take"):
        assert not hasattr(c, name)
    assert np.asarray(c, dtype=object).shape == ()


def test_metadata_routing_does_not_slice() -> None:
    c = Constraints([[0, 9]]) & Constraints.from_labels(np.arange(10) % 2)
    X = np.zeros((10, 2))
    routed = _check_method_params(X, {"constraints": c, "w": np.arange(10)}, indices=[1, 2])
    assert routed["constraints"] is c
    assert routed["w"].tolist() == [1, 2]
