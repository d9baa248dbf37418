"""Every kind of adjacency becomes the same graph; every bad one names its cause and remedy."""

from __future__ import annotations

import sys
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import fastge
from fastge import errors
from fastge.graph import Graph, as_graph, from_canonical, from_pairs

WEIGHTS = np.array(
    [
        [0.0, 2.0, 0.0, 0.0],
        [2.0, 0.0, 0.5, 1.0],
        [0.0, 0.5, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
    ]
)
EDGES = np.array([[0, 1, 2.0], [1, 2, 0.5], [3, 1, 0.75], [1, 3, 0.25]])


def networkx_graph() -> Any:
    graph = nx.Graph()
    graph.add_nodes_from(range(4))
    graph.add_weighted_edges_from([(0, 1, 2.0), (1, 2, 0.5), (1, 3, 1.0)])
    return graph


def with_wide_indices() -> sp.csr_array:
    matrix = sp.csr_array(WEIGHTS)
    matrix.indices = matrix.indices.astype(np.int64)
    matrix.indptr = matrix.indptr.astype(np.int64)
    return matrix


READABLE: dict[str, Any] = {
    "csr_array": sp.csr_array(WEIGHTS),
    "csr_matrix": sp.csr_matrix(WEIGHTS),
    "csc_array": sp.csc_array(WEIGHTS),
    "csc_matrix": sp.csc_matrix(WEIGHTS),
    "coo_array": sp.coo_array(WEIGHTS),
    "coo_matrix": sp.coo_matrix(WEIGHTS),
    "lil_array": sp.lil_array(WEIGHTS),
    "dia_array": sp.dia_array(WEIGHTS),
    "int64 indices": with_wide_indices(),
    "dense": WEIGHTS,
    "nested lists": WEIGHTS.tolist(),
    "longdouble": WEIGHTS.astype(np.longdouble),
    "float16": WEIGHTS.astype(np.float16),
    "networkx": networkx_graph(),
    "networkx.DiGraph": networkx_graph().to_directed(),
    "edge list": EDGES,
    "edge list, long double": EDGES.astype(np.longdouble),
    "edge list as lists": [*EDGES.tolist(), [0, 2, 0.0]],
    "graph": as_graph(WEIGHTS),
}


@pytest.mark.parametrize("adjacency", READABLE.values(), ids=READABLE.keys())
def test_every_kind_of_input_is_read(adjacency: Any) -> None:
    graph = as_graph(adjacency)
    np.testing.assert_array_equal(graph.to_scipy().toarray(), WEIGHTS)
    assert (graph.n, graph.n_edges) == (4, 3)
    assert graph.indices.dtype == np.int32
    assert graph.indptr.dtype == np.int64
    assert graph.weights.dtype == np.float64


def test_two_columns_are_edges_of_weight_one() -> None:
    graph = as_graph([(0, 1), (1, 2), (1, 3)])
    np.testing.assert_array_equal(graph.to_scipy().toarray(), WEIGHTS > 0)


def test_integer_weights_and_node_numbers_of_any_type() -> None:
    for dtype in (np.uint8, np.int64, np.uint64, np.float32):
        graph = as_graph(np.array([[0, 1, 3], [1, 2, 4]], dtype=dtype))
        assert graph.degrees.tolist() == [3, 7, 4]


def test_the_input_is_left_as_it_was() -> None:
    columns = np.array([2, 1, 1, 0, 0, 0], dtype=np.int64)  # unsorted, one edge twice
    starts = np.array([0, 3, 5, 6], dtype=np.int64)
    matrix = sp.csr_array((np.array([3.0, 1, 1, 1, 1, 3]), columns, starts), shape=(3, 3))
    matrix.indices, matrix.indptr = columns, starts
    assert as_graph(matrix).degrees.tolist() == [5, 2, 3]
    assert matrix.indices is columns
    assert matrix.indices.tolist() == [2, 1, 1, 0, 0, 0]
    assert matrix.data.tolist() == [3, 1, 1, 1, 1, 3]


def test_unsorted_columns_are_sorted() -> None:
    matrix = sp.csr_array(
        (np.array([2.0, 1.0, 1.0, 2.0]), np.array([2, 1, 0, 0]), np.array([0, 2, 3, 4])),
        shape=(3, 3),
    )
    graph = as_graph(matrix)
    assert graph.indices.tolist() == [1, 2, 0, 0]
    assert graph.weights.tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float32, np.float64])
def test_parallel_edges_are_summed_without_overflow(dtype: Any) -> None:
    ends = ([0] * 200 + [1] * 200, [1] * 200 + [0] * 200)
    graph = as_graph(sp.coo_array((np.full(400, 2, dtype), ends), shape=(2, 2)))
    assert graph.weights.tolist() == [400.0, 400.0]


def test_parallel_edges_of_truth_values_are_counted() -> None:
    ends = ([0, 0, 1, 1], [1, 1, 0, 0])
    graph = as_graph(sp.coo_array((np.ones(4, dtype=bool), ends), shape=(2, 2)))
    assert graph.weights.tolist() == [2.0, 2.0]


def test_two_or_three_edges_as_tuples_are_no_matrix() -> None:
    assert as_graph([(0, 1), (1, 2)]).n == 3
    assert as_graph([(0, 1, 2.5), (1, 2, 1.0), (2, 3, 1.0)]).n == 4
    assert as_graph([[0, 1], [1, 0]]).n == 2
    assert as_graph(np.array([[0, 1], [1, 0]])).n == 2


def test_parallel_rows_and_both_directions_of_an_edge_list_are_summed() -> None:
    assert as_graph([(0, 1, 2.0), (1, 0, 3.0), (0, 1, 0.5)][:2]).degrees.tolist() == [5, 5]
    assert as_graph(np.array([[0, 1], [0, 1], [1, 0]])).degrees.tolist() == [3, 3]


def test_parallel_edges_of_a_multigraph_are_summed() -> None:
    graph = nx.MultiGraph([(0, 1, {"weight": 2.0}), (0, 1, {"weight": 3.0}), (1, 2)])
    assert as_graph(graph).degrees.tolist() == [5, 6, 1]


def test_zeros_are_dropped_even_on_one_side_only() -> None:
    entries = ([1.0, 1.0, 0.0], ([0, 1, 0], [1, 0, 2]))
    graph = as_graph(sp.coo_array(entries, shape=(3, 3)))
    assert graph.n_edges == 1
    assert (graph.weights > 0).all()


def test_a_row_of_weight_zero_declares_a_node() -> None:
    graph = as_graph(np.array([[0, 1, 1.0], [4, 4, 0.0]]))
    assert (graph.n, graph.n_edges) == (5, 1)


@pytest.mark.parametrize(
    "adjacency",
    [WEIGHTS + np.diag([1.0, 0, 0, 3]), np.vstack([EDGES, [[0, 0, 1], [3, 3, 1], [3, 3, 2]]])],
    ids=["matrix", "edge list"],
)
def test_self_loops_are_dropped_with_a_warning(adjacency: Any) -> None:
    with pytest.warns(UserWarning, match="2 self-loops were dropped"):
        graph = as_graph(adjacency)
    np.testing.assert_array_equal(graph.to_scipy().toarray(), WEIGHTS)


def test_tiny_asymmetry_of_rounding_is_accepted() -> None:
    assert as_graph(WEIGHTS + np.triu(WEIGHTS) * 1e-13).n_edges == 3


@pytest.mark.parametrize("n", [1, 3])
def test_nodes_without_edges_are_nodes(n: int) -> None:
    graph = as_graph(np.zeros((n, n)))
    assert (graph.n, graph.n_edges) == (n, 0)
    assert graph.components[0] == n
    assert graph.degrees.tolist() == [0] * n


SQUARE = errors.NotSquareError
GENERIC = errors.GraphError
COMPLEX = errors.ComplexWeightError
EMPTY = errors.EmptyGraphError
BAD: dict[str, tuple[Any, type[errors.GraphError], str]] = {
    "oblong": (np.ones((3, 4)), SQUARE, "shape|3 × 4, not square; pass an n × n"),
    "oblong sparse": (sp.csr_array((3, 4)), SQUARE, "3 × 4, not square; pass an n × n"),
    "three dimensions": (np.ones((2, 2, 2)), SQUARE, r"shape \(2, 2, 2\); an adjacency is n × n"),
    "vector": (np.ones(4), SQUARE, r"shape \(4,\); an adjacency is n × n"),
    "sparse vector": (sp.coo_array(np.ones(4)), SQUARE, "1 dimension; pass an n × n"),
    "empty": (np.empty((0, 0)), EMPTY, "no nodes; pass at least one"),
    "no edges listed": (np.empty((0, 3)), EMPTY, "no nodes; pass at least one"),
    "empty sparse": (sp.csr_array((0, 0)), EMPTY, "no nodes; pass at least one"),
    "empty networkx": (nx.Graph(), EMPTY, "networkx graph has no nodes"),
    "too many nodes": (sp.coo_array((2**31, 2**31)), GENERIC, "at most 2147483646"),
    "text": ("graph.csv", GENERIC, "cannot be read from str .*; pass a SciPy sparse matrix"),
    "nothing": (None, GENERIC, "cannot be read from NoneType .*; pass a SciPy sparse"),
    "ragged": ([[0, 1], [2]], GENERIC, "no matrix and no edge list"),
    "complex": (WEIGHTS * 1j, COMPLEX, r"complex numbers; pass abs\(\) or the real part"),
    "complex sparse": (sp.csc_array(WEIGHTS * 1j), COMPLEX, "complex numbers; pass abs"),
    "complex edges": (EDGES * (1 + 0j), COMPLEX, "edge list holds complex numbers; pass real"),
    "negative": (-WEIGHTS, errors.NegativeWeightError, r"\(0, 1\) is -2; .* with a cannot-link"),
    "negative edge": (EDGES * [1, 1, -1], errors.NegativeWeightError, "drop it, or say"),
    "fraction": ([[0.5, 1]], GENERIC, "must be node numbers 0, 1, 2"),
    "negative node": ([[-1, 1, 1.0]], GENERIC, "must be node numbers 0, 1, 2"),
    "nan node": ([[np.nan, 1, 1.0]], GENERIC, "must be node numbers 0, 1, 2"),
    "huge node": ([[0, 2**40, 1]], GENERIC, "1099511627776 is too large; renumber"),
    "one direction": (
        np.triu(WEIGHTS),
        errors.AsymmetricGraphError,
        r"\(0, 1\) and \(1, 0\) .*A.T",
    ),
    "directed": (nx.DiGraph([(0, 1)]), errors.AsymmetricGraphError, r"use \(A \+ A.T\) / 2"),
    "objects": (
        sp.csr_array((np.ones(2, dtype=object), [1, 0], [0, 1, 2]), shape=(2, 2)),
        GENERIC,
        "has dtype object; pass numbers",
    ),
    "words as weights": (
        nx.Graph([(0, 1, {"weight": "heavy"})]),
        GENERIC,
        "weight that is no number: .*; set the edge attribute 'weight'",
    ),
}


@pytest.mark.parametrize(("adjacency", "error", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_names_cause_and_remedy(
    adjacency: Any, error: type[errors.GraphError], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        as_graph(adjacency)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array, sp.coo_matrix])
def test_weights_that_are_not_finite_are_located(kind: Any, value: float) -> None:
    weights = WEIGHTS.copy()
    weights[1, 3] = weights[3, 1] = value
    with pytest.raises(errors.NonFiniteWeightError, match=r"edge \(1, 3\) is .*; drop that edge"):
        as_graph(kind(weights))


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("column", [2, 50_000_000, -1])
def test_damaged_indices_are_caught_before_native_code_sees_them(kind: Any, column: int) -> None:
    arrays = (np.ones(2), np.array([1, column]), np.array([0, 1, 2]))
    with pytest.raises(errors.GraphError, match=r"is damaged: .*; build it anew"):
        as_graph(kind(arrays, shape=(2, 2)))


def test_networkx_is_asked_for_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = networkx_graph()
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(errors.MissingExtraError, match=r"pip install 'fastge\[networkx\]'"):
        as_graph(graph)


@st.composite
def edge_lists(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    ends = st.integers(0, 9)
    weight = st.floats(0.0, 1e6, allow_subnormal=False)
    row = st.tuples(ends, ends, weight).filter(lambda edge: edge[0] != edge[1])
    return np.array(draw(st.lists(row, min_size=1, max_size=30)), dtype=float)


@given(edges=edge_lists(), seed=st.integers(0, 1000))
def test_an_edge_list_is_the_matrix_of_its_sums(edges: np.ndarray[Any, Any], seed: int) -> None:
    edges = np.where(edges < 1e-90, 0.0, edges)
    n = int(edges[:, :2].max()) + 1
    dense = np.zeros((n, n))
    for i, j, weight in edges:
        dense[int(i), int(j)] += weight
        dense[int(j), int(i)] += weight
    rows = np.random.default_rng(seed).permutation(len(edges))
    never_square = np.vstack([edges[rows], [[0, 1, 0.0]] * 3])
    listed = as_graph(never_square)
    np.testing.assert_allclose(listed.to_scipy().toarray(), dense)
    np.testing.assert_allclose(as_graph(dense).degrees, dense.sum(axis=1))


def test_subgraph_plus_and_components() -> None:
    graph = as_graph(np.array([[0, 1, 1.0], [1, 2, 2.0], [3, 4, 3.0], [4, 5, 4.0]]))
    assert graph.components[0] == 2
    assert graph.components[1].tolist() == [0, 0, 0, 1, 1, 1]
    part = graph.subgraph(np.array([1, 2, 4]))
    assert part.to_scipy().toarray().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
    more = graph.plus(from_pairs(6, np.array([[2, 3], [0, 1]]), np.array([5.0, 1.0])))
    assert more.components[0] == 1
    assert more.to_scipy()[0, 1] == 2
    assert graph.plus(sp.csr_array((6, 6))) is graph
    assert repr(more) == "Graph(6 nodes, 5 edges)"


def test_a_graph_is_passed_through() -> None:
    graph = from_canonical(sp.csr_array(WEIGHTS))
    assert isinstance(graph, Graph)
    assert as_graph(graph) is graph


@pytest.mark.parametrize("scale", [1e-300, 1e250])
def test_weights_whose_products_are_no_numbers_name_the_remedy(scale: float) -> None:
    with pytest.raises(errors.GraphError, match="divide all weights by it"):
        as_graph(scale * sp.csr_array(np.ones((3, 3)) - np.eye(3)))


def test_warnings_point_at_the_line_of_the_user() -> None:
    with_loop = sp.eye_array(4) + sp.diags_array([1.0, 1, 1], offsets=1, shape=(4, 4))
    with pytest.warns(UserWarning, match="self-loop") as caught:
        fastge.cluster(with_loop + with_loop.T, k=2)
    assert [w.filename for w in caught] == [__file__]
