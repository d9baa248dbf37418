"""The report against expanded pairs and dense cuts."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from fastge.constraints import Constraints
from fastge.merging import merge
from fastge.pencil import Pencil
from fastge.quality import Report, Tally, adjusted_rand_index, rand_index, report
from fastge.sweep import certificate
from strategies import Problem, clusterings, problems


def as_tuple(tally: Tally) -> tuple[int, int, float, float]:
    return tally.kept, tally.violated, tally.kept_weight, tally.violated_weight


def assert_tallies(found: Report, wanted: dict[bool, tuple[int, int, float, float]]) -> None:
    for must, tally in ((True, found.must_link), (False, found.cannot_link)):
        assert (tally.kept, tally.violated) == wanted[must][:2]
        assert tally.total == sum(wanted[must][:2])
        scale = sum(wanted[must][2:])
        np.testing.assert_allclose(
            as_tuple(tally)[2:], wanted[must][2:], rtol=1e-8, atol=1e-12 * scale
        )


@given(problems(), st.data())
def test_constraints_count_as_if_expanded(problem: Problem, data: st.DataObject) -> None:
    labels = data.draw(clusterings(problem.n))
    found = report(problem.pencil, problem.constraints, labels)
    wanted = reference.tallies(problem.constraints, problem.weighting, labels)
    assert_tallies(found, wanted)


@given(problems(), st.data())
def test_pencil_of_your_own_weighs_by_confidence(problem: Problem, data: st.DataObject) -> None:
    labels = data.draw(clusterings(problem.n))
    pencil = Pencil(problem.adjacency, problem.adjacency)
    found = report(pencil, problem.constraints, labels)
    assert_tallies(found, reference.tallies(problem.constraints, None, labels))


@given(problems(), st.data())
def test_phi_equals_the_dense_cuts(problem: Problem, data: st.DataObject) -> None:
    labels = data.draw(clusterings(problem.n))
    found = report(problem.pencil, problem.constraints, labels)
    G, H = reference.merged(problem.adjacency, problem.constraints, problem.weighting)
    np.testing.assert_array_equal(found.cluster_ids, np.unique(labels[labels >= 0]))
    assert found.left_over == int((labels < 0).sum())
    for at, c in enumerate(found.cluster_ids):
        inside = labels == c
        assert found.sizes[at] == inside.sum()
        assert found.cut_G[at] == pytest.approx(reference.cut(G, inside), rel=1e-8)
        assert found.cut_H[at] == pytest.approx(reference.cut(H, inside), rel=1e-8)
        assert found.phi[at] == pytest.approx(reference.ratio(G, H, inside), rel=1e-8, nan_ok=True)


@given(problems(), st.data())
def test_report_of_renumbered_clusters(problem: Problem, data: st.DataObject) -> None:
    labels = data.draw(clusterings(problem.n))
    found = report(problem.pencil, problem.constraints, labels)
    swapped = np.where(labels >= 0, 100 - labels, -1)
    other = report(problem.pencil, problem.constraints, swapped)
    np.testing.assert_array_equal(other.cluster_ids, (100 - found.cluster_ids)[::-1])
    np.testing.assert_allclose(other.phi, found.phi[::-1], rtol=1e-8)
    assert other.must_link.kept == found.must_link.kept
    assert other.cannot_link.kept == found.cannot_link.kept


@given(problems(), st.data())
def test_report_of_renumbered_nodes(problem: Problem, data: st.DataObject) -> None:
    labels = data.draw(clusterings(problem.n))
    order = np.random.default_rng(problem.n).permutation(problem.n)
    rank = np.argsort(order)
    c = problem.constraints
    pairs_only = Constraints(c.must_link.ends, c.cannot_link.ends)
    moved = Constraints(rank[c.must_link.ends], rank[c.cannot_link.ends])
    A = problem.adjacency
    found = report(merge(A, pairs_only, rule=problem.rule), pairs_only, labels)
    other = report(merge(A[np.ix_(order, order)], moved, rule=problem.rule), moved, labels[order])
    np.testing.assert_allclose(other.phi, found.phi, rtol=1e-8)
    np.testing.assert_allclose(as_tuple(other.must_link), as_tuple(found.must_link), rtol=1e-8)
    np.testing.assert_allclose(as_tuple(other.cannot_link), as_tuple(found.cannot_link), rtol=1e-8)


def test_left_over_nodes_belong_to_no_cluster() -> None:
    """A must-link between two of them is violated, a cannot-link kept."""
    pencil = merge(np.ones((4, 4)) - np.eye(4))
    constraints = Constraints([[2, 3], [0, 1]], [[2, 3], [0, 2]])
    found = report(pencil, constraints, np.array([0, 0, -1, -1]))
    assert (found.must_link.kept, found.must_link.violated) == (1, 1)
    assert (found.cannot_link.kept, found.cannot_link.violated) == (2, 0)
    assert found.cluster_ids.tolist() == [0]
    assert found.left_over == 2


def test_everything_left_over() -> None:
    labels = Constraints.from_labels([0, 0, 1])
    found = report(merge(np.ones((3, 3)) - np.eye(3), labels), labels, np.full(3, -1))
    assert found.phi.size == 0
    assert (found.must_link.kept, found.must_link.violated) == (0, 1)
    assert (found.cannot_link.kept, found.cannot_link.violated) == (2, 0)


def test_a_million_labels_are_counted_exactly() -> None:
    """n/2 nodes a class, one node of each in the other's cluster: 10¹² pairs, none of them made."""
    n = 1_000_000
    classes = np.arange(n) % 2
    labels = classes.copy()
    labels[:2] = 1 - labels[:2]
    pencil = Pencil(*(np.array([[0, n - 1, 1.0]]),) * 2)
    found = report(pencil, Constraints.from_labels(classes), labels)
    half = n // 2
    assert found.must_link.violated == 2 * (half - 1)
    assert found.must_link.total == half * (half - 1)
    assert found.cannot_link.violated == 2 * (half - 1)
    assert found.cannot_link.total == half * half


def test_to_dict_is_json() -> None:
    A = np.kron(np.eye(2), np.ones((2, 2))) - np.eye(4)
    labels = Constraints.from_labels([0, 0, 1, -1])
    found = report(merge(A, labels), labels, np.array([0, 0, 1, 1]))
    full = Report(
        **vars(found) | {"certificate": certificate(0.5, 0.0, 0.0), "notes": ("two components",)}
    )
    plain = json.loads(json.dumps(full.to_dict(), allow_nan=False))
    assert [c["id"] for c in plain["clusters"]] == [0, 1]
    assert [c["phi"] for c in plain["clusters"]] == [0.0, 0.0]
    assert plain["must_link"] == {
        "kept": 1,
        "violated": 0,
        "kept_weight": 1.0,
        "violated_weight": 0.0,
    }
    assert plain["cannot_link"]["kept"] == 2
    assert plain["certificate"]["gap"] is None
    assert plain["certificate"]["holds"] is True
    assert plain["notes"] == ["two components"]


def test_phi_of_a_cluster_that_cuts_nothing() -> None:
    A = np.kron(np.eye(2), np.ones((2, 2))) - np.eye(4)
    found = report(Pencil(A, A), Constraints(), np.array([0, 0, 1, 1]))
    assert np.isnan(found.phi).all()
    assert found.to_dict()["clusters"][0]["phi"] is None
    found = report(Pencil(A, np.zeros((4, 4))), Constraints(), np.array([0, 1, 1, 1]))
    assert all(math.isinf(phi) for phi in found.phi)


def test_rand_indices() -> None:
    a, b = [0, 0, 1, 1], [5, 5, 5, 2]
    assert rand_index(a, b) == pytest.approx(3 / 6)
    assert adjusted_rand_index(a, a[::-1]) == pytest.approx(1.0)
    assert adjusted_rand_index(a, b) == pytest.approx(0.0)
