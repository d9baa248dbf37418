"""The sweep against every threshold, its certificate against every cut, refinement by prefixes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reference
from fastge.constraints import Constraints
from fastge.errors import InputError
from fastge.merging import merge
from fastge.pencil import Pencil
from fastge.quality import report
from fastge.sweep import _cuts_along, certificate, refine, sum_of_others, sweep
from strategies import Problem, clusterings, problems, vectors


def expanded(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    return reference.merged(problem.adjacency, problem.constraints, problem.weighting)


@given(problems(), st.data())
def test_sweep_finds_the_best_threshold(problem: Problem, data: st.DataObject) -> None:
    vector = data.draw(vectors(problem.n))
    G, H = expanded(problem)
    best = reference.sweep_ratio(G, H, vector)
    if math.isinf(best) and not any(
        reference.cut(G, vector > t) > 0 for t in np.unique(vector)[:-1]
    ):
        with pytest.raises(InputError, match="no threshold"):
            sweep(problem.pencil, vector)
        return
    cut = sweep(problem.pencil, vector)
    np.testing.assert_array_equal(cut.side, vector > cut.threshold)
    assert cut.side.any()
    assert not cut.side.all()
    assert cut.ratio == pytest.approx(best, rel=1e-8)
    assert cut.cut_G == pytest.approx(reference.cut(G, cut.side), rel=1e-8)
    assert cut.cut_H == pytest.approx(reference.cut(H, cut.side), rel=1e-8)


@given(problems(), st.randoms(use_true_random=False))
def test_sweep_of_renumbered_nodes(problem: Problem, random: object) -> None:
    n = problem.n
    rng = np.random.default_rng(random.randrange(2**32))  # type: ignore[attr-defined]
    new = rng.permutation(n)
    vector = rng.standard_normal(n)
    other = renumbered(problem, new)
    moved = np.empty(n)
    moved[new] = vector
    try:
        cut = sweep(problem.pencil, vector)
    except InputError:
        with pytest.raises(InputError):
            sweep(other.pencil, moved)
        return
    twin = sweep(other.pencil, moved)
    assert twin.ratio == pytest.approx(cut.ratio, rel=1e-8)
    G, H = expanded(problem)
    assert reference.ratio(G, H, twin.side[new]) == pytest.approx(cut.ratio, rel=1e-8)


def renumbered(problem: Problem, new: np.ndarray) -> Problem:
    """The problem whose node new[i] is the node i of this one."""
    old = np.argsort(new)
    c, labels = problem.constraints, problem.constraints.labels
    moved = Constraints(
        new[c.must_link.ends],
        new[c.cannot_link.ends],
        must_link_confidence=c.must_link.confidence,
        cannot_link_confidence=c.cannot_link.confidence,
    )
    for k in labels.class_ids:
        of_class = labels.classes == k
        dense, confidence = np.full(problem.n, -1), np.ones(problem.n)
        dense[new[labels.nodes[of_class]]] = k
        confidence[new[labels.nodes[of_class]]] = labels.confidence[of_class]
        moved &= Constraints.from_labels(dense, confidence=confidence)
    return Problem(problem.adjacency[np.ix_(old, old)], moved, problem.rule)


@pytest.mark.parametrize("seed", range(10))
def test_cuts_are_exact_over_twelve_decades(seed: int) -> None:
    """Small cuts are differences of large sums; cuts that are 0 come out as 0."""
    rng = np.random.default_rng(seed)
    n, classes = 20, np.repeat([0, 1], 10)
    upper = np.triu(rng.random((n, n)) < 0.3, 1) * 10.0 ** rng.uniform(-6, 6, (n, n))
    upper[:10, 10:] = 0.0
    A = upper + upper.T
    labels = Constraints.from_labels(classes)
    pencil = merge(A, labels)
    assert pencil.weighting is not None
    order = np.concatenate([rng.permutation(10), 10 + rng.permutation(10)])
    for side, W in zip(
        (pencil.L_G, pencil.L_H), reference.merged(A, labels, pencil.weighting), strict=True
    ):
        wanted = [reference.cut(W, np.isin(np.arange(n), order[: t + 1])) for t in range(n - 1)]
        np.testing.assert_allclose(_cuts_along(side, order), wanted, rtol=1e-12, atol=0.0)


def test_an_edge_of_G_that_joins_nothing_makes_the_cut_free() -> None:
    """Two components with a cannot-link between them: ratio 0, not 0/0 elsewhere."""
    A = np.zeros((5, 5))
    A[0, 1] = A[1, 0] = A[2, 3] = A[3, 2] = A[3, 4] = A[4, 3] = 1.0
    H = np.zeros((5, 5))
    H[0, 4] = H[4, 0] = 2.0
    cut = sweep(Pencil(A, H), np.arange(5.0))
    assert cut.side.tolist() == [False, False, True, True, True]
    assert (cut.cut_G, cut.cut_H, cut.ratio, cut.threshold) == (0.0, 2.0, 0.0, 1.0)


def test_nothing_over_nothing_is_never_chosen() -> None:
    G = np.kron(np.eye(2), np.ones((2, 2))) - np.eye(4)
    H = np.zeros((4, 4))
    H[2, 3] = H[3, 2] = 1.0
    cut = sweep(Pencil(G, H), np.arange(4.0))
    assert cut.side.tolist() == [False, False, False, True]
    assert cut.ratio == 1.0


def test_where_H_is_never_cut_the_least_cut_of_G_is_taken() -> None:
    path = np.diag([3.0, 1.0, 2.0], 1)
    cut = sweep(Pencil(path + path.T, np.zeros((4, 4))), np.arange(4.0))
    assert cut.side.tolist() == [False, False, True, True]
    assert math.isinf(cut.ratio)


def test_equal_values_stay_together() -> None:
    path = np.diag(np.ones(3), 1)
    pencil = Pencil(path + path.T, np.ones((4, 4)) - np.eye(4))
    assert sweep(pencil, np.array([1.0, 1.0, 1.0, 2.0])).side.tolist() == [False] * 3 + [True]
    with pytest.raises(InputError, match="all its values are equal"):
        sweep(pencil, np.ones(4))


@settings(max_examples=40)
@given(problems(min_nodes=3, max_nodes=9, decades=2.0, connected=True))
def test_certificate_holds_against_every_cut(problem: Problem) -> None:
    """lower bound ≤ φ(G, H) ≤ ratio of the sweep ≤ 4 λ / φ(G, K) ≤ Cheeger bound."""
    G, H = expanded(problem)
    assume(H.max() >= 1e-6 * G.max())
    values, X = reference.pencil_eigenpairs(G, H)
    K = reference.demand_graph(G)
    expansion = reference.pencil_eigenpairs(G, K)[0][0]
    best, expansion_of_cuts = reference.least_ratio(G, H), reference.least_ratio(G, K)
    assert expansion <= expansion_of_cuts * (1 + 1e-8)

    cut = sweep(problem.pencil, X[:, 0])
    found = certificate(cut.ratio, values[0], 0.0, expansion)
    assert found.lower_bound <= best * (1 + 1e-8)
    assert values[0] >= expansion_of_cuts * best / 4 * (1 - 1e-8)
    assert best <= cut.ratio * (1 + 1e-8)
    assert cut.ratio <= 4 * values[0] / expansion_of_cuts * (1 + 1e-8)
    assert 4 * values[0] / expansion_of_cuts <= found.cheeger_bound * (1 + 1e-8)
    assert found.holds
    assert cut.ratio <= found.gap * best * (1 + 1e-8)


def test_certificate_by_hand() -> None:
    found = certificate(0.5, 0.2, 0.1, 0.4)
    assert found.lower_bound == pytest.approx(0.18)
    assert found.gap == pytest.approx(0.5 / 0.18)
    assert found.cheeger_bound == pytest.approx(2.0)
    assert found.holds


@pytest.mark.parametrize("expansion", [None, 0.0, -1e-17])
def test_without_expansion_there_is_no_upper_bound(expansion: float | None) -> None:
    found = certificate(0.5, 0.2, 0.0, expansion)
    assert math.isinf(found.cheeger_bound)
    assert found.holds


def test_a_residual_above_one_bounds_nothing() -> None:
    found = certificate(0.5, 0.2, 1.5, None)
    assert found.lower_bound == 0.0
    assert math.isinf(found.gap)


def test_a_broken_bound_is_reported() -> None:
    assert not certificate(0.1, 0.2, 0.0, None).holds
    assert not certificate(9.0, 0.2, 0.0, 0.4).holds


@given(problems(), st.data())
def test_refinement_keeps_the_best_prefix(problem: Problem, data: st.DataObject) -> None:
    labels = data.draw(clusterings(problem.n))
    lengths = np.abs(data.draw(vectors(problem.n)))
    pencil = problem.pencil
    refined = refine(pencil, lengths, labels)
    assert refined.dtype == np.int64
    assert np.all((refined == labels) | (refined == -1))

    G, H = expanded(problem)
    for c, best in reference.refined(G, H, lengths, labels).items():
        inside = refined == c
        assert inside.any()
        kept, left = lengths[inside], lengths[(labels == c) & ~inside]
        assert kept.min() > left.max(initial=-1.0)
        found = reference.ratio(G, H, inside)
        assert found == pytest.approx(best, rel=1e-8, nan_ok=True)


@given(problems(), st.data())
def test_refinement_never_raises_phi(problem: Problem, data: st.DataObject) -> None:
    labels = data.draw(clusterings(problem.n))
    lengths = np.abs(data.draw(vectors(problem.n)))
    pencil = problem.pencil
    before = report(pencil, problem.constraints, labels)
    after = report(pencil, problem.constraints, refine(pencil, lengths, labels))
    np.testing.assert_array_equal(before.cluster_ids, after.cluster_ids)
    worse = after.phi > before.phi * (1 + 1e-8)
    assert not worse.any()


def test_refinement_drops_an_outskirt() -> None:
    """A triangle with a tail that hangs more on the other triangle than on its own."""
    A = np.zeros((7, 7))
    for i, j in ((0, 1), (0, 2), (1, 2), (4, 5), (4, 6), (5, 6)):
        A[i, j] = A[j, i] = 1.0
    A[2, 3] = A[3, 2] = 0.1
    A[3, 4] = A[4, 3] = 2.0
    labels = np.array([0, 0, 0, 0, 1, 1, 1])
    lengths = np.array([3.0, 3.0, 3.0, 1.0, 3.0, 3.0, 3.0])
    refined = refine(merge(A), lengths, labels)
    assert refined.tolist() == [0, 0, 0, -1, 1, 1, 1]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-12, 12)), max_size=12))
def test_sum_of_others_does_not_cancel(entries: list[tuple[int, int]]) -> None:
    groups = np.array([group for group, _ in entries], dtype=np.int64)
    values = np.array([10.0**power for _, power in entries])
    wanted = [
        sum(values[j] for j in range(len(values)) if j != i and groups[j] == groups[i])
        for i in range(len(values))
    ]
    np.testing.assert_allclose(sum_of_others(values, groups), wanted, rtol=1e-12)


def test_a_cut_that_costs_nothing_is_a_best_one() -> None:
    assert certificate(0.0, 0.0, 0.0).gap == 1.0
    assert math.isinf(certificate(0.5, 0.0, 0.0).gap)
