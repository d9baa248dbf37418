"""The multigrid cycle is a linear, symmetric, definite operator, and solves every graph."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import cg
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import numerics
from fastge import errors, multigrid
from fastge.graph import FloatArray, Graph
from fastge.multigrid import Hierarchy, hierarchy
from fastge.multigrid.grouping import Aggregation, Elimination

seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(params=[8, hierarchy.DIRECT_BELOW], ids=["deep", "as is"])
def deep(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels of a handful of nodes, so that small graphs have several; and those by default."""
    monkeypatch.setitem(hierarchy.build_levels.__kwdefaults__, "direct_below", request.param)


def some_graph(seed: int) -> Graph:
    """One of many kinds: with several components, tails, hubs, twelve decades, one node."""
    rng = np.random.default_rng(seed)
    n, kind = int(rng.integers(1, 150)), rng.integers(7)
    if kind == 0:
        degree, decades = rng.choice([1.5, 3.0, 8.0]), rng.choice([-1.0, 0.0, 2.0, 12.0])
        return numerics.random_graph(n, seed, degree=degree, decades=decades)
    if kind == 1:
        rows, columns = rng.integers(1, 13, 2)
        return numerics.grid(int(rows), int(columns), seed)
    if kind == 2:
        return numerics.power_law(n + 2, seed)
    if kind == 3:
        weights = 10 ** rng.uniform(-6, 6, n - 1)
        return numerics.graph_of(n, np.arange(n - 1), np.arange(1, n), weights)
    if kind == 4:
        return numerics.complete(n // 3 + 2)
    if kind == 5:
        return numerics.star(n)
    parts = numerics.grid(6, 7, seed), numerics.random_graph(40, seed), numerics.path(15)
    return numerics.together(*parts, numerics.path(1))


def component_projector(graph: Graph) -> FloatArray:
    count, ids = graph.components
    Z = np.zeros((graph.n, count))
    Z[np.arange(graph.n), ids] = 1
    Z /= np.sqrt(Z.sum(axis=0))
    return np.asarray(np.eye(graph.n) - Z @ Z.T)


@pytest.mark.usefixtures("deep")
def test_cycle_is_linear_symmetric_and_positive() -> None:
    for seed in range(60):
        graph = some_graph(seed)
        cycle = Hierarchy(graph).cycle()
        C = cycle(np.eye(graph.n)).copy()
        X = np.random.default_rng(seed).standard_normal((graph.n, 3))
        size = np.abs(C).max()
        np.testing.assert_allclose(cycle(X), C @ X, atol=1e-9 * size * graph.n)
        Q = component_projector(graph)
        S = Q @ C @ Q
        np.testing.assert_allclose(S, S.T, atol=1e-9 * size)
        root = np.sqrt(graph.degrees)
        values = la.eigvalsh(root[:, None] * (S + S.T) / 2 * root)
        assert values.min() >= -1e-9 * values.max()


@pytest.mark.usefixtures("deep")
def test_cycle_is_spectrally_close_to_the_inverse() -> None:
    for seed in range(60):
        graph = some_graph(seed)
        if graph.n_edges == 0 or np.ptp(np.log10(graph.weights)) > 8:
            continue
        C = Hierarchy(graph).cycle()(np.eye(graph.n)).copy()
        count = graph.components[0]
        values = np.sort(la.eigvals(C @ numerics.dense_laplacian(graph)).real)[count:]
        assert values.min() > 0.01
        assert values.max() < 2


@pytest.mark.usefixtures("deep")
@settings(deadline=None)
@given(seeds)
def test_solutions_equal_the_pseudoinverse(seed: int) -> None:
    graph = some_graph(seed)
    h = Hierarchy(graph)
    b = np.random.default_rng(seed).standard_normal((graph.n, 3))
    reachable = component_projector(graph) @ b
    solution = h.solve_with_history(b)
    assert solution.converged
    assert solution.iterations <= 60
    assert solution.residuals[-1] <= 1e-8
    expected = hierarchy.dense_inverse(graph) @ reachable
    L = numerics.laplacian(graph)
    energy = np.einsum("ij,ij->j", expected, L @ expected)
    error = solution.x - expected
    # The energy of the error is the residual's, through L⁺: with the weights it may grow.
    spread = graph.weights.max() / graph.weights.min() if graph.n_edges else 1.0
    assert (np.einsum("ij,ij->j", error, L @ error) <= 1e-14 * energy * graph.n**2 * spread).all()
    np.testing.assert_allclose(
        h.solve(b[:, 0]), solution.x[:, 0], atol=1e-6 * np.abs(expected).max()
    )


@given(seeds)
def test_small_inverse_is_the_pseudoinverse(seed: int) -> None:
    graph = numerics.random_graph(25, seed, decades=2.0)
    expected = np.linalg.pinv(numerics.dense_laplacian(graph), rcond=1e-11, hermitian=True)
    inverse = hierarchy.dense_inverse(graph)
    np.testing.assert_allclose(inverse, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.usefixtures("deep")
@given(seeds)
def test_coarse_cuts_are_fine_cuts(seed: int) -> None:
    """P 1 = 1 on aggregated levels, so L 1 = 0 and every cut of the coarse graph is a fine one."""
    rng = np.random.default_rng(seed)
    levels = Hierarchy(some_graph(seed)).levels
    for fine, coarse in itertools.pairwise(levels):
        ones = np.ones(coarse.graph.n)
        assert np.abs(numerics.laplacian(coarse.graph) @ ones).max() <= 1e-12 * (
            coarse.graph.degrees.max(initial=0)
        )
        if isinstance(fine.transfer, Elimination):
            continue
        assert isinstance(fine.transfer, Aggregation)
        inside = rng.random(coarse.graph.n) < 0.5
        fine_inside = np.append(inside, False)[fine.transfer.group]
        cuts = [
            float(x @ (numerics.laplacian(level.graph) @ x))
            for level, x in ((fine, fine_inside * 1.0), (coarse, inside * 1.0))
        ]
        assert cuts[0] == pytest.approx(cuts[1], rel=1e-9, abs=1e-12 * fine.graph.degrees.sum())


@pytest.mark.parametrize("side", [100, 300])
def test_grids_with_wild_weights(side: int) -> None:
    graph = numerics.grid(side, side, 0)
    h = Hierarchy(graph)
    b = np.random.default_rng(1).standard_normal(graph.n)
    solution = h.solve_with_history(b)
    assert solution.iterations <= 32
    residual = b - b.mean() - numerics.laplacian(graph) @ solution.x
    assert np.linalg.norm(residual) <= 2e-8 * np.linalg.norm(b)
    sizes = np.array([level.graph.n for level in h.levels])
    falls = sizes[:-1] / sizes[1:]
    assert ((falls > 3) & (falls < 4.5)).all()


@pytest.mark.parametrize(
    "graph", [numerics.path(10**6), numerics.star(10**6)], ids=["path", "star"]
)
def test_trees_of_a_million_nodes_are_solved_exactly(graph: Graph) -> None:
    rng = np.random.default_rng(0)
    expected = rng.standard_normal(graph.n)
    expected -= expected.mean()
    b = numerics.laplacian(graph) @ expected
    solution = Hierarchy(graph).solve_with_history(b)
    assert solution.iterations <= 2
    assert np.abs(numerics.laplacian(graph) @ solution.x - b).max() <= 1e-6


def test_dense_graph_too_large_for_a_dense_inverse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hierarchy, "DENSE_BELOW", 100)
    h = Hierarchy(numerics.complete(800))
    assert h.levels[-1].inverse is None
    assert "half Jacobi step" in repr(h)
    assert h.solve_with_history(np.arange(800.0)).iterations <= 3


def test_single_node_and_isolated_nodes() -> None:
    np.testing.assert_array_equal(multigrid.build(np.zeros((1, 1))).solve([5.0]), [0.0])
    graph = numerics.together(numerics.path(3), numerics.path(1), numerics.path(1))
    x = Hierarchy(graph).solve(np.array([1.0, 0.0, -1.0, 7.0, 8.0]))
    np.testing.assert_allclose(x, [1, 0, -1, 0, 0], atol=1e-12)


def test_a_right_side_of_zero_and_shapes() -> None:
    h = Hierarchy(numerics.grid(5, 5, 0))
    assert not h.solve(np.zeros(25)).any()
    assert not h.solve(np.ones(25)).any()
    assert h.solve(np.ones((25, 4))).shape == (25, 4)
    assert h.n == 25


@pytest.mark.parametrize("strict_rows", [1, 5, 60])
def test_diagonally_dominant_systems(strict_rows: int) -> None:
    rng = np.random.default_rng(strict_rows)
    graph = numerics.random_graph(60, 3, degree=6)
    excess = np.zeros(60)
    excess[rng.choice(60, strict_rows, replace=False)] = rng.random(strict_rows) + 0.1
    A = numerics.laplacian(graph) + sp.diags_array(excess)
    b = np.asarray(A @ rng.standard_normal((60, 2)))
    h = multigrid.build_sdd(A)
    assert h.n == 60
    np.testing.assert_allclose(A @ h.solve(b, tol=1e-10), b, atol=1e-7 * np.abs(b).max())
    assert multigrid.build_sdd(numerics.laplacian(graph)).has_ground is False


def test_preconditioner_in_scipy_conjugate_gradients() -> None:
    graph = numerics.grid(40, 40, 0)
    h = Hierarchy(graph)
    b = np.random.default_rng(0).standard_normal(graph.n)
    b -= b.mean()
    steps: list[int] = []
    options = {"M": h.as_preconditioner(), "callback": lambda _: steps.append(1)}
    x, failed = cg(numerics.laplacian(graph), b, rtol=1e-8, **options)
    assert failed == 0
    assert len(steps) <= 30
    np.testing.assert_allclose(x - x.mean(), h.solve(b), atol=1e-6 * np.abs(x).max())
    single, double = h.as_preconditioner(np.float32), h.as_preconditioner()
    np.testing.assert_allclose(single @ b, double @ b, atol=1e-4 * np.abs(x).max())
    columns = np.column_stack([b, 2 * b])
    np.testing.assert_allclose(
        (h.as_preconditioner() @ columns)[:, 1], 2 * (h.as_preconditioner() @ b)
    )


def test_same_bits_whatever_the_number_of_threads() -> None:
    graph = numerics.grid(90, 90, 0)
    b = np.random.default_rng(0).standard_normal((graph.n, 2))
    answers = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            answers.append(Hierarchy(graph).solve(b))
    np.testing.assert_array_equal(*answers)


def test_hierarchy_prints_its_levels() -> None:
    shown = repr(Hierarchy(numerics.together(numerics.grid(40, 40, 0), numerics.path(300))))
    assert shown.startswith("Hierarchy of 1,900 unknowns")
    for part in ("nodes eliminated", "grouped, next level cycled", "dense inverse"):
        assert part in shown


def test_range_of_single_precision() -> None:
    assert Hierarchy(numerics.path(9)).fits_single_precision
    tiny = numerics.graph_of(3, np.array([0, 1]), np.array([1, 2]), np.array([1.0, 1e-40]))
    assert not Hierarchy(tiny).fits_single_precision


def test_an_edge_that_rounding_takes_for_none() -> None:
    """Two triangles that share a node's last 1e-20: the answer is right within each of them."""
    i, j = np.array([0, 1, 2, 3, 4, 5, 2]), np.array([1, 2, 0, 4, 5, 3, 3])
    graph = numerics.graph_of(6, i, j, np.array([1.0] * 6 + [1e-20]))
    x = Hierarchy(graph).solve(np.array([1.0, -1, 0, 2, -2, 0]))
    np.testing.assert_allclose([x[0] - x[1], x[3] - x[4]], [2 / 3, 4 / 3], rtol=1e-7)


def test_running_out_of_iterations_warns() -> None:
    h = Hierarchy(numerics.grid(40, 40, 0))
    with pytest.warns(ConvergenceWarning, match="after 2 iterations"):
        solution = h.solve_with_history(np.arange(1600.0), max_iterations=2)
    assert not solution.converged
    assert len(solution.residuals) == 3


@pytest.mark.parametrize(
    ("b", "options"),
    [
        (np.ones(8), {}),
        (np.ones((3, 3, 1)), {}),
        (np.full(9, np.nan), {}),
        (np.ones(9), {"tol": 0.0}),
        (np.ones(9), {"tol": 2.0}),
    ],
)
def test_bad_right_sides_and_options(b: Any, options: dict[str, float]) -> None:
    with pytest.raises(errors.ParameterError):
        Hierarchy(numerics.path(9)).solve(b, **options)


@pytest.mark.parametrize(
    ("matrix", "error"),
    [
        (np.ones((2, 3)), errors.NotSquareError),
        ([[np.nan, 0], [0, 1]], errors.NonFiniteWeightError),
        ([[2.0, 1], [1, 2]], errors.GraphError),
        ([[2.0, -1], [-0.5, 2]], errors.AsymmetricGraphError),
        ([[0.5, -1], [-1, 1]], errors.GraphError),
    ],
)
def test_bad_matrices(matrix: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        multigrid.build_sdd(np.array(matrix))
