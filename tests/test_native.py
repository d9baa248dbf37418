"""Native kernels agree with their NumPy and SciPy twins, on all widths and both precisions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import numerics
from fastge import _native
from fastge.graph import FloatArray, Graph, IntArray
from fastge.multigrid.grouping import Elimination, aggregate, eliminate

WIDTHS = (1, 2, 3, 4, 5, 8, 12, 16, 17, 40)
each_width = pytest.mark.parametrize("width", WIDTHS)
SETS = _native.instruction_sets()
each_set = pytest.mark.parametrize("instruction_set", SETS, indirect=True)
each_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])
sizes = st.integers(1, 60)
seeds = st.integers(0, 2**32 - 1)
decades = st.sampled_from([-1.0, 0.0, 2.0, 12.0])
densities = st.sampled_from([1.0, 3.0, 8.0, 20.0])


@pytest.fixture
def instruction_set(request: pytest.FixtureRequest) -> Iterator[str]:
    _native.use_instruction_set(request.param)
    yield request.param
    _native.use_instruction_set(SETS[0])


def block(rng: np.random.Generator, n: int, width: int, dtype: Any) -> FloatArray:
    return np.ascontiguousarray(rng.standard_normal((n, width)), dtype=dtype)


def close(actual: FloatArray, expected: FloatArray, scale: float | None = None) -> None:
    """Equal up to rounding of sums whose terms are as large as `scale`."""
    rounding = 300 * float(np.finfo(actual.dtype).eps)
    largest = float(np.abs(expected).max(initial=0)) if scale is None else scale
    np.testing.assert_allclose(actual, expected, rtol=rounding, atol=rounding * largest)


class Case:
    """A graph with blocks on it, as the kernels take them and in double precision."""

    def __init__(self, width: int, dtype: Any, n: int = 5000, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.graph = numerics.random_graph(n, seed)
        self.rows = (self.graph.indptr, self.graph.indices, self.graph.weights.astype(dtype))
        self.x, self.b = block(rng, n, width, dtype), block(rng, n, width, dtype)
        self.scale = rng.random(n).astype(dtype)
        self.out = np.full_like(self.x, np.nan)
        self.L = numerics.laplacian(self.graph)
        self.size = float(self.graph.degrees.max() * np.abs(self.x).max() * 2)
        self.rng, self.width, self.dtype, self.n = rng, width, dtype, n

    def residual(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.b - self.L @ x.astype(np.float64))


@each_set
@each_dtype
@each_width
@pytest.mark.usefixtures("instruction_set")
def test_product_and_relaxation(width: int, dtype: Any) -> None:
    case = Case(width, dtype)
    _native.laplacian(*case.rows, case.x, case.out)
    close(case.out, np.asarray(case.L @ case.x.astype(np.float64)), case.size)
    _native.relax(*case.rows, case.scale, case.b, case.x, case.out)
    close(case.out, case.x + case.scale[:, None] * case.residual(case.x), case.size)


def test_product_is_exactly_zero_on_constants() -> None:
    case = Case(4, np.float64)
    _native.laplacian(*case.rows, np.full_like(case.x, 1 / 3), case.out)
    assert not case.out.any()


@each_set
@each_dtype
@each_width
@pytest.mark.usefixtures("instruction_set")
def test_restriction_and_prolongation(width: int, dtype: Any) -> None:
    case = Case(width, dtype)
    transfer, _ = aggregate(case.graph)
    P = transfer.matrix()
    assert (transfer.group == -1).any()  # isolated nodes belong to no group
    coarse = np.full((transfer.n_coarse, width), np.nan, dtype=dtype)
    members = transfer.start, transfer.members
    _native.restrict_residual(*case.rows, *members, case.b, case.x, case.out, coarse)
    close(case.out, case.residual(case.x), 10 * case.size)
    close(coarse, np.asarray(P.T @ case.residual(case.x)), 10 * case.size)
    z = block(case.rng, transfer.n_coarse, width, dtype)
    corrected = case.x + np.asarray(P @ z.astype(np.float64))
    args = (transfer.group, case.scale, case.b, z, case.x, case.out)
    _native.prolong_relax(*case.rows, *args)
    close(case.x, corrected)
    close(case.out, corrected + case.scale[:, None] * case.residual(corrected), 3 * case.size)


@each_set
@each_dtype
@each_width
@pytest.mark.usefixtures("instruction_set")
def test_blocks_scaled_and_added(width: int, dtype: Any) -> None:
    case = Case(width, dtype)
    mass, shift = case.rng.random(case.n).astype(dtype), case.rng.standard_normal(width)
    _native.scale_rows(case.scale, case.x, case.out)
    close(case.out, case.scale[:, None] * case.x)
    _native.scale_shift(case.scale, mass, shift, case.x, case.out)
    close(case.out, case.scale[:, None] * case.x - mass[:, None] * shift)
    alpha, beta = case.rng.standard_normal((2, width))
    expected = alpha * case.x + beta * case.b
    _native.axpby(alpha, case.x, beta, case.b)
    close(case.b, expected)
    centred = case.x - case.x.mean(axis=0, dtype=np.float64)
    _native.centre(case.x)
    close(case.x, centred)


@each_set
@each_dtype
@each_width
@pytest.mark.usefixtures("instruction_set")
def test_gram_matrices_and_dots(width: int, dtype: Any) -> None:
    case = Case(width, dtype)
    left = [case.x, case.b, block(case.rng, case.n, width, dtype)]
    right = block(case.rng, case.n, WIDTHS[width % len(WIDTHS)], dtype)
    result = np.empty((3 * width, right.shape[1]))
    _native.gram(left, right, result)
    expected = np.hstack(left).astype(np.float64).T @ right.astype(np.float64)
    np.testing.assert_allclose(result, expected, rtol=1e-11, atol=1e-9)
    dots = np.empty(width)
    _native.column_dots(case.x, case.b, dots)
    expected = np.einsum("ij,ij->j", case.x.astype(np.float64), case.b)
    np.testing.assert_allclose(dots, expected, rtol=1e-11, atol=1e-9)


@each_set
@each_dtype
@each_width
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.usefixtures("instruction_set")
def test_combinations_may_overwrite_their_inputs(width: int, dtype: Any, outputs: int) -> None:
    case = Case(width, dtype)
    blocks = [case.x, case.b, block(case.rng, case.n, width, dtype)]
    coefficients = block(case.rng, 3 * width, outputs * width, dtype)
    expected = np.hstack(blocks).astype(np.float64) @ coefficients
    untouched = [b.copy() for b in blocks[outputs:]]
    _native.combine(blocks, blocks[:outputs], coefficients)
    close(np.hstack(blocks[:outputs]), expected, 10 * float(np.abs(expected).max()))
    assert all(np.array_equal(a, b) for a, b in zip(untouched, blocks[outputs:], strict=True))


def test_no_kernel_leaves_its_arrays() -> None:
    program = Path(__file__).with_name("guarded.py")
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-500:]


def test_an_instruction_set_that_is_none() -> None:
    with pytest.raises(ValueError, match="does not run that instruction set"):
        _native.use_instruction_set("abacus")
    assert "baseline" in SETS


@settings(max_examples=150, deadline=None)
@given(sizes, seeds, densities, decades)
def test_grouping_follows_its_authors_step_by_step(
    n: int, seed: int, degree: float, spread: float
) -> None:
    graph = numerics.random_graph(n, seed, degree=degree, decades=spread)
    check_grouping(graph)


@pytest.mark.parametrize(
    "graph",
    [
        numerics.grid(12, 12, 0),
        numerics.grid(9, 14, 0, spread=0.0),
        numerics.path(100),
        numerics.star(40),
        numerics.complete(40),
        numerics.power_law(150, 0),
        # Ever heavier edges: one long walk to the root, cut by diameter.
        numerics.graph_of(90, np.arange(89), np.arange(1, 90), np.arange(1.0, 90.0)),
        numerics.together(numerics.path(1), numerics.path(30), numerics.complete(20)),
    ],
    ids=repr,
)
def test_grouping_of_graphs_with_a_shape(graph: Graph) -> None:
    check_grouping(graph)


@given(sizes, seeds)
def test_grouping_of_trees(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    node = np.arange(1, n)
    parent = np.maximum(node - rng.integers(1, 4, n - 1), 0)
    check_grouping(numerics.graph_of(n, node, parent, np.sort(rng.random(n - 1)) + 0.01))


def check_grouping(graph: Graph) -> None:
    count, group = _native.group_nodes(graph.indptr, graph.indices, graph.weights)
    expected_count, expected = numerics.SlowGrouping(graph).groups()
    assert count == expected_count
    np.testing.assert_array_equal(group, expected)


def test_grouping_survives_weights_that_are_symmetric_up_to_rounding() -> None:
    """Then the heaviest edges may run in a circle."""
    more = 1 + 1e-12
    W = np.zeros((30, 30))
    W[:3, :3] = [[0, more, 1], [1, 0, more], [more, 1, 0]]
    for v in range(3, 30):
        W[v, max(v - 3, v % 3)] = W[max(v - 3, v % 3), v] = 0.5
    indptr = np.concatenate([[0], np.cumsum((W > 0).sum(axis=1))])
    count, group = _native.group_nodes(indptr, np.nonzero(W)[1].astype(np.int32), W[W > 0])
    assert 0 < count < 30
    assert set(group) == set(range(count))


@given(sizes, seeds, densities, decades)
def test_contraction(n: int, seed: int, degree: float, spread: float) -> None:
    graph = numerics.random_graph(n, seed, degree=degree, decades=spread)
    count, group = _native.group_nodes(graph.indptr, graph.indices, graph.weights)
    rows = (graph.indptr, graph.indices, graph.weights)
    start, members, *coarse = _native.contract(*rows, group, count)
    for g in range(count):
        np.testing.assert_array_equal(members[start[g] : start[g + 1]], np.flatnonzero(group == g))
    A = Graph(*coarse).to_scipy().toarray()
    np.testing.assert_allclose(A, numerics.contracted(graph, group, count), rtol=1e-12)
    assert all(coarse[2] > 0)


@settings(deadline=None)
@given(sizes, seeds, st.sampled_from([1.0, 2.0, 3.0]), st.sampled_from(WIDTHS))
def test_elimination_solves_exactly(n: int, seed: int, degree: float, width: int) -> None:
    graph = numerics.random_graph(n, seed, degree=degree)
    found = eliminate(graph)
    if found is None:
        return
    pivots, coarse = found
    inverse = np.linalg.pinv(numerics.dense_laplacian(graph), hermitian=True)
    b = numerics.dense_laplacian(graph) @ np.random.default_rng(seed).standard_normal((n, width))
    x = solved(pivots, coarse, b)
    difference = x - inverse @ b
    L_difference = numerics.dense_laplacian(graph) @ difference
    assert np.abs(L_difference).max() <= 1e-9 * max(np.abs(b).max(), 1)


def solved(pivots: Elimination, coarse: Graph, b: FloatArray) -> FloatArray:
    eliminated = np.array(b)
    b_kept = pivots.forward(eliminated)
    x_kept = np.linalg.pinv(numerics.dense_laplacian(coarse), hermitian=True) @ b_kept
    return pivots.backward(eliminated, np.ascontiguousarray(x_kept), np.full_like(b, np.nan))


@given(sizes, seeds)
def test_elimination_leaves_the_schur_complement(n: int, seed: int) -> None:
    graph = numerics.random_graph(n, seed, degree=2.5)
    found = eliminate(graph)
    if found is None:
        return
    pivots, coarse = found
    L, node, kept = numerics.dense_laplacian(graph), pivots.node, pivots.kept
    schur = L[np.ix_(kept, kept)]
    if len(node):
        schur = schur - L[np.ix_(kept, node)] @ np.linalg.solve(
            L[np.ix_(node, node)], L[np.ix_(node, kept)]
        )
    expected = numerics.dense_laplacian(coarse)
    np.testing.assert_allclose(schur, expected, atol=1e-9 * np.abs(L).max())
    # What is left is no leaf: its neighbours were merged along the way.
    x = pivots.backward(None, np.ones((len(kept), 1)), np.full((n, 1), np.nan))
    np.testing.assert_allclose(x, 1)


@given(st.integers(2, 14), seeds, decades)
def test_prefix_cuts_with_all_terms(n: int, seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    graph = numerics.random_graph(n, seed, decades=spread)
    mass, demand, within, across = rng.random(n), *rng.random(3)
    classes, strength = rng.integers(0, 3, n).astype(np.int32), rng.random(n)
    order = rng.permutation(n).astype(np.int32)
    same = classes[:, None] == classes
    pairs = np.outer(strength, strength) * np.where(same, within, across)
    W = graph.to_scipy().toarray() + demand * np.outer(mass, mass) + pairs
    np.fill_diagonal(W, 0)
    cuts = _native.prefix_cuts(
        graph.indptr, graph.indices, graph.weights, demand, within, across, mass,
        np.arange(n + 1), classes, strength, 3, order,
    )  # fmt: skip
    np.testing.assert_allclose(cuts, numerics.prefix_cuts(W, order), rtol=1e-10, atol=1e-12)


@given(st.integers(1, 30), seeds, decades)
def test_cluster_cuts(n: int, seed: int, spread: float) -> None:
    graph = numerics.random_graph(n, seed, decades=spread)
    cluster = np.random.default_rng(seed).integers(-1, 3, n).astype(np.int32)
    cuts = _native.cluster_cuts(graph.indptr, graph.indices, graph.weights, cluster, 3)
    W = graph.to_scipy().toarray()
    expected = [W[np.ix_(cluster == c, cluster != c)].sum() for c in range(3)]
    np.testing.assert_allclose(cuts, expected, rtol=1e-13)


@given(st.integers(2, 20), seeds)
def test_the_first_asymmetric_pair(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = numerics.random_graph(n, seed)
    A = graph.to_scipy().toarray()
    assert _native.asymmetric_pair(*rows_of(A), 1e-10) is None
    i, j = rng.choice(n, 2, replace=False)
    A[i, j] = 0 if A[i, j] and rng.random() < 0.5 else A[i, j] * 1.5 + 1
    found = _native.asymmetric_pair(*rows_of(A), 1e-10)
    assert found is not None
    assert set(found) == {i, j}
    A[j, i] = A[i, j] * (1 + 1e-12)
    assert _native.asymmetric_pair(*rows_of(A), 1e-10) is None


def rows_of(A: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    indptr = np.concatenate([[0], np.cumsum((A != 0).sum(axis=1))])
    return indptr, np.nonzero(A)[1].astype(np.int32), A[A != 0]
