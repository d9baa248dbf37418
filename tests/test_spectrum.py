"""Eigenpairs by multigrid equal dense ones on every kind of pencil."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import numerics
from fastge import merging, spectrum
from fastge.constraints import Constraints
from fastge.eigensolver import Eigenpairs
from fastge.graph import FloatArray, Graph
from fastge.merging import MergeRule, merge
from fastge.multigrid import hierarchy
from fastge.pencil import Pencil

Kind = Callable[[int, np.random.Generator], Constraints]


def nothing(n: int, rng: np.random.Generator) -> Constraints:
    return Constraints()


def one_cannot_link(n: int, rng: np.random.Generator) -> Constraints:
    return Constraints(cannot_link=[[0, n - 1]])


def contradictory(n: int, rng: np.random.Generator) -> Constraints:
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(10)])
    return Constraints(must_link=pairs, cannot_link=pairs)


def pairs(n: int, rng: np.random.Generator) -> Constraints:
    must, cannot = (np.array([rng.choice(n, 2, replace=False) for _ in range(15)]) for _ in "mc")
    return Constraints(must_link=must, cannot_link=cannot)


def labels(n: int, rng: np.random.Generator) -> Constraints:
    known = np.full(n, -1)
    known[rng.choice(n, 20, replace=False)] = np.arange(20) % 4
    return Constraints.from_labels(known)


def grid(seed: int) -> Graph:
    return numerics.grid(9, 16, seed, spread=3.0)


def components(seed: int) -> Graph:
    """Three parts and isolated nodes."""
    parts = numerics.grid(8, 9, seed), numerics.random_graph(80, seed), numerics.path(30)
    return numerics.together(*parts)


def power_law(seed: int) -> Graph:
    return numerics.power_law(150, seed)


def tail(seed: int) -> Graph:
    """A grid and a path that hangs on it: elimination hides the path from the coarse levels."""
    inner = numerics.grid(9, 9, seed, spread=2.0).to_scipy().tocoo()
    n, upper = 81, inner.row < inner.col
    i = np.concatenate([inner.row[upper], [0], np.arange(n, n + 59)])
    j = np.concatenate([inner.col[upper], [n], np.arange(n + 1, n + 60)])
    return numerics.graph_of(n + 60, i, j, np.concatenate([inner.data[upper], np.ones(60)]))


@pytest.fixture(params=[8, 30, 700], ids=lambda size: f"direct below {size}")
def by_multigrid(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Small problems are iterated on, with levels of so few nodes."""
    monkeypatch.setattr(spectrum, "DENSE_BELOW", 0)
    monkeypatch.setitem(hierarchy.build_levels.__kwdefaults__, "direct_below", request.param)


def check(pencil: Pencil, pairs: Eigenpairs, k: int, tolerance: float = 1e-6) -> None:
    n_zero, mu = numerics.exact_pairs(pencil)
    n_zero = min(n_zero, k)
    expected = mu[: k - n_zero]
    assert pairs.values.shape == (n_zero + len(expected),)
    assert not pairs.values[:n_zero].any()
    finite = pairs.values[np.isfinite(pairs.values)]
    assert (np.diff(finite) >= -1e-12 * finite[1:]).all()
    present = expected > 1e-9 * mu[0]
    found = 1 / pairs.values[n_zero:]
    np.testing.assert_allclose(found[present], expected[present], rtol=tolerance)
    assert (found[~present] <= 2e-9 * mu[0]).all()
    X = pairs.vectors[:, n_zero:]
    energy = X.T @ pencil.L_G.toarray() @ X
    np.testing.assert_allclose(energy, np.eye(len(energy)), atol=max(1e-6, tolerance))
    assert (np.ptp(pairs.vectors, axis=0) > 1e-8 * np.abs(pairs.vectors).max(axis=0)).all()


@pytest.mark.usefixtures("by_multigrid")
@pytest.mark.parametrize("rule", [merging.scaled, merging.paper, merging.released])
@pytest.mark.parametrize("kind", [nothing, one_cannot_link, contradictory, pairs, labels])
@pytest.mark.parametrize("shape", [grid, components, power_law, tail])
def test_eigenvalues_equal_dense_ones(
    shape: Callable[[int], Graph], kind: Kind, rule: MergeRule
) -> None:
    graph = shape(0)
    pencil = merge(graph, kind(graph.n, np.random.default_rng(0)), rule=rule)
    check(pencil, spectrum.eigenpairs(pencil, 4, tol=1e-8, max_iterations=300), 4)


@pytest.mark.usefixtures("by_multigrid")
@pytest.mark.parametrize("shape", [grid, components, power_law, tail])
def test_default_tolerance_finds_the_right_pairs(shape: Callable[[int], Graph]) -> None:
    graph = shape(1)
    pencil = merge(graph, labels(graph.n, np.random.default_rng(1)))
    pairs = spectrum.eigenpairs(pencil, 4)
    assert pairs.converged
    check(pencil, pairs, 4, tolerance=1e-2)


@pytest.mark.usefixtures("by_multigrid")
def test_graphs_of_your_own_with_a_singular_second_one() -> None:
    """H joins three pairs of nodes: three finite eigenvalues, the others are infinite."""
    H = numerics.graph_of(144, np.array([0, 5, 70]), np.array([143, 77, 20]), np.ones(3))
    pencil = Pencil(grid(2).to_scipy(), H.to_scipy())
    check(pencil, spectrum.eigenpairs(pencil, 3, tol=1e-8, max_iterations=200), 3)
    more = spectrum.eigenpairs(pencil, 5, tol=1e-8, max_iterations=200)
    np.testing.assert_allclose(1 / more.values[:3], numerics.exact_pairs(pencil)[1][:3], rtol=1e-6)
    assert (more.values[3:] > 1e5 * more.values[2]).all()


@pytest.mark.usefixtures("by_multigrid")
@pytest.mark.parametrize("shape", [numerics.path, numerics.star])
def test_trees_that_elimination_leaves_nothing_of(shape: Callable[[int], Graph]) -> None:
    pencil = merge(shape(300), Constraints(cannot_link=[[3, 5], [17, 240]]))
    check(pencil, spectrum.eigenpairs(pencil, 2, tol=1e-8, max_iterations=200), 2)


@pytest.mark.usefixtures("by_multigrid")
def test_a_cannot_link_between_twins_is_seen() -> None:
    """Two leaves of one node share a group: coarse levels are blind to their difference."""
    inner = numerics.grid(10, 10, 0, spread=1.0).to_scipy().tocoo()
    upper = inner.row < inner.col
    i = np.concatenate([inner.row[upper], [50, 50]])
    j = np.concatenate([inner.col[upper], [100, 101]])
    graph = numerics.graph_of(102, i, j, np.concatenate([inner.data[upper], [1.0, 1.0]]))
    pencil = merge(graph, Constraints(cannot_link=[[100, 101]]), rule=merging.released)
    pairs = spectrum.eigenpairs(pencil, 1)
    check(pencil, pairs, 1, tolerance=1e-2)
    assert pairs.vectors[100, 0] == pytest.approx(-pairs.vectors[101, 0], rel=1e-2)


@pytest.mark.usefixtures("by_multigrid")
def test_hardly_more_nodes_than_vectors() -> None:
    pencil = merge(numerics.random_graph(40, 3, degree=8))
    for k in (5, 6, 7, 20, 39):  # the last ones fall back on dense algebra
        check(pencil, spectrum.eigenpairs(pencil, k, tol=1e-8, max_iterations=200), k)


def test_no_more_pairs_than_there_are() -> None:
    pencil = merge(numerics.path(5))
    assert spectrum.eigenpairs(pencil, 5).values.shape == (4,)
    two = merge(numerics.together(numerics.path(3), numerics.path(3)))
    values = spectrum.eigenpairs(two, 6).values
    assert values.shape == (5,)
    assert values[0] == 0


@pytest.mark.parametrize("n", [300, 500])
def test_residuals_are_honest(n: int) -> None:
    """√(rᵀ L_G⁺ r) / μ with r = L_H x − μ L_G x, whether iterated or not."""
    graph = numerics.random_graph(n, 5, degree=6)
    pencil = merge(graph, labels(n, np.random.default_rng(0)))
    pairs = spectrum.eigenpairs(pencil, 3, tol=1e-3)
    true = true_residuals(pencil, pairs)
    assert (true <= 3 * pairs.residuals + 1e-10).all()
    assert (pairs.residuals <= 1e-3).all()


def true_residuals(pencil: Pencil, pairs: Eigenpairs) -> FloatArray:
    finite = pairs.values > 0
    X, mu = pairs.vectors[:, finite], 1 / pairs.values[finite]
    R = pencil.L_H.toarray() @ X - mu * (pencil.L_G.toarray() @ X)
    inverse = hierarchy.dense_inverse(pencil.star_graph)[: pencil.n, : pencil.n]
    result = np.zeros(len(pairs.values))
    result[finite] = np.sqrt(np.einsum("ij,ij->j", R, inverse @ R)) / mu
    return result


@pytest.mark.parametrize("rows", [22, 30])
def test_single_precision_agrees(rows: int) -> None:
    graph = numerics.grid(rows, 22, 0, spread=3.0)
    pencil = merge(graph, labels(graph.n, np.random.default_rng(0)))
    double = spectrum.eigenpairs(pencil, 4, tol=1e-4)
    single = spectrum.eigenpairs(pencil, 4, tol=1e-3, dtype=np.float32)
    np.testing.assert_allclose(single.values, double.values, rtol=1e-3)
    assert single.vectors.dtype == np.float64


def test_single_precision_is_not_used_where_it_cannot_hold_the_weights() -> None:
    graph = numerics.random_graph(600, 0, degree=5, decades=90.0)
    pencil = merge(graph)
    single, double = (spectrum.eigenpairs(pencil, 2, dtype=t) for t in (np.float32, np.float64))
    np.testing.assert_array_equal(single.values, double.values)


def test_random_start_and_nested_start_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = numerics.grid(35, 35, 0)
    pencil = merge(graph, labels(graph.n, np.random.default_rng(0)))
    nested = spectrum.eigenpairs(pencil, 4, tol=1e-7)
    monkeypatch.setattr(spectrum, "nested_start", lambda *args: None)
    random = spectrum.eigenpairs(pencil, 4, tol=1e-7)
    np.testing.assert_allclose(nested.values, random.values, rtol=1e-6)
    assert len(nested.history) <= len(random.history)
