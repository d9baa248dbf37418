"""The merged pencil equals the expanded one, and both its sides are Laplacians."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

import reference
from fastge.constraints import Constraints
from fastge.errors import GraphError
from fastge.graph import FloatArray, Graph
from fastge.implied import Members
from fastge.merging import merge
from fastge.pencil import Pencil, Side
from strategies import Problem, problems


def magnitude(side: Side) -> float:
    """The largest number that enters L: pairs of a node with itself come in and cancel."""
    A, v = side.members.strength, side.members.class_volumes
    own = side.edges.degrees + side.demand * side.mass * side.mass.sum()
    implied = A @ (side.within * v + side.across * (v.sum() - v))
    return float(own.max() + implied.max(initial=np.finfo(float).tiny))


def assert_close(
    actual: FloatArray, expected: FloatArray, side: Side, tolerance: float = 1e-12
) -> None:
    """Equal up to rounding of the largest number involved."""
    error = np.abs(actual - expected).max(initial=0.0)
    assert error <= tolerance * len(expected) * magnitude(side)


def expanded(problem: Problem) -> tuple[FloatArray, FloatArray]:
    return reference.merged(problem.adjacency, problem.constraints, problem.weighting)


@given(problems())
def test_implicit_equals_expanded(problem: Problem) -> None:
    pencil = problem.pencil
    for side, W in zip((pencil.L_G, pencil.L_H), expanded(problem), strict=True):
        L = reference.laplacian(W)
        assert_close(side.toarray(), L, side)
        assert_close(side.diagonal(), np.diag(L), side)


@given(problems(decades=1.0))
def test_implicit_equals_expanded_entry_by_entry(problem: Problem) -> None:
    pencil = problem.pencil
    for side, W in zip((pencil.L_G, pencil.L_H), expanded(problem), strict=True):
        L = reference.laplacian(W)
        np.testing.assert_allclose(side.toarray(), L, rtol=1e-8, atol=1e-8)


@given(problems(), st.integers(0, 100))
def test_products_and_energies_equal_expanded(problem: Problem, seed: int) -> None:
    X = np.random.default_rng(seed).uniform(-1, 1, (problem.n, 3))
    pencil = problem.pencil
    for side, W in zip((pencil.L_G, pencil.L_H), expanded(problem), strict=True):
        L = reference.laplacian(W)
        assert_close(side @ X, L @ X, side)
        assert_close(side @ X[:, 0], L @ X[:, 0], side)
        assert np.abs(side.energy(X) - np.einsum("ij,ij->j", X, L @ X)).max() <= (
            1e-12 * problem.n**2 * magnitude(side)
        )
        assert side.T is side


@given(problems())
def test_both_sides_are_laplacians(problem: Problem) -> None:
    for side in (problem.pencil.L_G, problem.pencil.L_H):
        L = side.toarray()
        assert_close(side @ np.ones(problem.n), np.zeros(problem.n), side)
        assert_close(L, L.T, side)
        assert np.linalg.eigvalsh(L).min() >= -1e-12 * problem.n * magnitude(side)


@given(problems())
def test_stars_leave_the_cliques_behind(problem: Problem) -> None:
    pencil = problem.pencil
    n = problem.n
    L = reference.laplacian(pencil.star_graph.to_scipy().toarray())
    coupling, centres = L[:n, n:], L[n:, n:]
    assert not (centres - np.diag(np.diag(centres))).any()
    schur = L[:n, :n] - coupling / np.diag(centres) @ coupling.T
    assert_close(schur, pencil.L_G.toarray(), pencil.L_G)


@given(problems())
def test_components_join_over_implied_must_links(problem: Problem) -> None:
    G, _ = expanded(problem)
    count, ids = problem.pencil.components
    expected_count, expected = connected_components(sp.csr_array(G), directed=False)
    assert count == expected_count
    assert len(np.unique(np.column_stack([ids, expected]), axis=0)) == count


@given(problems(), st.data())
def test_a_must_link_never_lowers_the_energy_of_G(problem: Problem, data: st.DataObject) -> None:
    i = data.draw(st.integers(0, problem.n - 1))
    j = data.draw(st.integers(0, problem.n - 1).filter(lambda j: j != i))
    x = np.random.default_rng(i).standard_normal(problem.n)
    more = problem.constraints & Constraints(must_link=[[i, j]])
    before = problem.pencil.L_G
    after = merge(problem.adjacency, more, rule=problem.rule).L_G
    rounding = 1e-12 * problem.n * magnitude(before)
    assert after.energy(x) >= before.energy(x) * (1 - 1e-12) - rounding


@given(problems(decades=2.0))
def test_single_precision_agrees_to_single_precision(problem: Problem) -> None:
    single = problem.pencil.astype(np.float32)
    X = np.eye(problem.n, dtype=np.float32)
    assert (single.L_H @ X).dtype == np.float32
    assert_close(single.L_G @ X, problem.pencil.L_G.toarray(), problem.pencil.L_G, 1e-6)
    assert_close(single.L_H @ X, problem.pencil.L_H.toarray(), problem.pencil.L_H, 1e-6)


def test_node_in_two_classes_makes_no_pair_with_itself() -> None:
    """Nodes 0 and 1 share class 0; node 0 is in class 1, too: pairs (0, 1) within and across."""
    strength = sp.csr_array(np.array([[2.0, 3.0], [5.0, 0.0]]))
    empty = Graph(np.zeros(3, np.int64), np.empty(0, np.int32), np.empty(0))
    side = Side(empty, Members(np.array([0, 1]), strength), within=1.0, across=10.0)
    weight = 2 * 5 * 1.0 + 3 * 5 * 10.0
    np.testing.assert_allclose(side.toarray(), weight * np.array([[1, -1], [-1, 1]]))
    np.testing.assert_allclose(side.diagonal(), [weight, weight])


def test_pencil_of_two_graphs_of_your_own() -> None:
    G = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]], dtype=float)
    H = sp.csr_array(np.array([[0, 0, 4], [0, 0, 0], [4, 0, 0]], dtype=float))
    pencil = Pencil(G, H)
    np.testing.assert_array_equal(pencil.L_G.toarray(), reference.laplacian(G))
    np.testing.assert_array_equal(pencil.L_H.toarray(), reference.laplacian(H.toarray()))
    np.testing.assert_array_equal(pencil.degrees, [1, 3, 2])
    assert pencil.weighting is None
    assert "3 nodes" in repr(pencil)


def test_sides_of_different_size_are_refused() -> None:
    with pytest.raises(GraphError, match="same nodes"):
        Pencil(np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3))


def test_casts_keep_what_is_known() -> None:
    pencil = merge(np.ones((4, 4)) - np.eye(4), Constraints.from_labels([0, 0, 1, -1]))
    stars, components = pencil.star_graph, pencil.components
    single = pencil.astype(np.float32)
    assert single.star_graph is stars
    assert single.components is components
    assert pencil.L_G.astype(np.float64) is pencil.L_G


def test_energy_inside_a_class_survives_the_weight_of_its_pairs() -> None:
    """Rounding in v_c x_i − Σ a_j x_j would be 10⁴ times what is asked for."""
    n, rng = 200_000, np.random.default_rng(0)
    strength = sp.csr_array(rng.uniform(0.5, 2.0, (n, 1)))
    empty = Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0))
    side = Side(empty, Members(np.arange(n), strength), within=1.0)
    a, differences = strength.toarray()[:, 0], 1e-9 * rng.standard_normal(n)
    x = 1.0 + differences
    rounded = x - 1.0  # what x really holds
    exact = a.sum() * (a * (rounded - a @ rounded / a.sum()) ** 2).sum()
    assert x @ (side @ x) == pytest.approx(exact, rel=1e-5)
    assert abs(np.ones(n) @ (side @ x)) < 1e-9 * np.abs(side @ x).sum()


def test_a_class_that_outweighs_all_others_leaves_their_pairs_exact() -> None:
    """v − v_c of the heavy class has no correct digit; the sum of the others has all of them."""
    weights = np.array([1e17, 1.0, 3.0])
    members = Members(np.arange(3), sp.csr_array(np.diag(weights)))
    nothing = Graph(np.zeros(4, np.int64), np.empty(0, np.int32), np.empty(0))
    side = Side(nothing, members, across=1.0)
    np.testing.assert_allclose(side.toarray(), reference.laplacian(_products(weights)), rtol=1e-15)
    light = side @ np.array([0.0, 1.0, 1.0])
    np.testing.assert_allclose(light, [-4e17, 1e17, 3e17], rtol=1e-15)


def _products(a: np.ndarray) -> np.ndarray:
    W = np.outer(a, a)
    np.fill_diagonal(W, 0)
    return W
