"""Weighted undirected graphs: reading, checking, degrees, components."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from fastge import _native
from fastge.errors import (
    AsymmetricGraphError,
    ComplexWeightError,
    EmptyGraphError,
    GraphError,
    MissingExtraError,
    NegativeWeightError,
    NonFiniteWeightError,
    NotSquareError,
    warn,
)

FloatArray: TypeAlias = np.ndarray[Any, np.dtype[np.floating[Any]]]
IntArray: TypeAlias = np.ndarray[Any, np.dtype[np.integer[Any]]]
NodeArray: TypeAlias = np.ndarray[Any, np.dtype[np.int32]]
"""Node numbers as the native kernels take them."""
BoolArray: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]

SYMMETRY_TOLERANCE = 1e-10
_LARGEST_NODE = np.iinfo(np.int32).max

logger = logging.getLogger("fastge")


@dataclass(frozen=True, eq=False)
class Graph:
    """Symmetric adjacency in compressed rows: positive weights, sorted columns, no diagonal."""

    indptr: IntArray
    indices: IntArray
    weights: FloatArray

    @property
    def n(self) -> int:
        return len(self.indptr) - 1

    @property
    def n_edges(self) -> int:
        return len(self.indices) // 2

    @cached_property
    def degrees(self) -> FloatArray:
        """Row sums d of the adjacency."""
        return _native.row_sums(self.indptr, self.weights)

    @cached_property
    def components(self) -> tuple[int, IntArray]:
        """Number of connected components and the component of every node."""
        count, ids = connected_components(self.to_scipy(), directed=False)
        return int(count), ids

    def to_scipy(self) -> sp.csr_array:
        return sp.csr_array((self.weights, self.indices, self.indptr), shape=(self.n, self.n))

    def times(self, X: FloatArray) -> FloatArray:
        """A X: sums over neighbours, for a C-contiguous block."""
        product = np.empty_like(X)
        _native.laplacian(self.indptr, self.indices, self.weights, X, product)
        np.subtract(self.degrees[:, None] * X, product, out=product)
        return product

    def subgraph(self, nodes: IntArray) -> Graph:
        """The graph induced by the sorted `nodes`, renumbered 0, 1, …"""
        return from_canonical(self.to_scipy()[nodes][:, nodes])

    def plus(self, other: sp.csr_array) -> Graph:
        """The graph whose weights are the sums of both."""
        return self if other.nnz == 0 else from_canonical(self.to_scipy() + other)

    def __repr__(self) -> str:
        return f"Graph({self.n:,} nodes, {self.n_edges:,} edges)"


def from_canonical(matrix: sp.csr_array) -> Graph:
    """The graph of a matrix that is known to be symmetric, positive and free of a diagonal."""
    matrix.sum_duplicates()
    return Graph(
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        np.ascontiguousarray(matrix.data, dtype=np.float64),
    )


def resized(matrix: sp.csr_array, n: int) -> sp.csr_array:
    """The matrix with n rows and columns: further ones are empty."""
    indptr = np.append(matrix.indptr, np.full(n - matrix.shape[0], matrix.indptr[-1]))
    return sp.csr_array((matrix.data, matrix.indices, indptr), shape=(n, n))


def from_pairs(n: int, pairs: IntArray, weights: FloatArray) -> sp.csr_array:
    """Symmetric matrix with `weights` on the unordered `pairs`; repeated pairs add up."""
    i, j = pairs[:, 0], pairs[:, 1]
    both = (np.concatenate([i, j]), np.concatenate([j, i]))
    return sp.coo_array((np.concatenate([weights, weights]), both), shape=(n, n)).tocsr()


def as_graph(adjacency: Any) -> Graph:
    """Graph of a SciPy sparse or dense matrix, a networkx graph or an edge list, checked.

    An array of two or three columns (that is not square) is an edge list, and so is a list of
    tuples: one row per undirected edge, node numbers first, then the weight. Parallel edges are
    summed, zero weights dropped.
    """
    if isinstance(adjacency, Graph):
        return adjacency
    matrix = _read(adjacency)
    _check_shape(matrix)
    matrix = _real_csr(matrix)
    if not matrix.has_canonical_format or not matrix.has_sorted_indices:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    _check_weights(matrix)
    matrix = _without_zeros_and_loops(matrix)
    graph = from_canonical(matrix)
    _check_symmetry(graph)
    _check_scale(graph)
    return graph


def _read(adjacency: Any) -> sp.sparray:
    if sp.issparse(adjacency):
        return _read_sparse(adjacency)
    if hasattr(adjacency, "is_directed") and hasattr(adjacency, "adj"):
        return _read_networkx(adjacency)
    try:
        array = np.asarray(adjacency)
    except ValueError as cause:
        raise GraphError(f"the adjacency is no matrix and no edge list: {cause}") from cause
    if array.dtype.kind not in "biufc":
        raise GraphError(
            f"a graph cannot be read from {type(adjacency).__name__} of dtype {array.dtype}; pass "
            "a SciPy sparse matrix, a numeric array, a networkx graph or an (m, 2|3) edge list"
        )
    if array.size == 0:
        raise EmptyGraphError("the graph has no nodes; pass at least one node and one edge")
    if _is_edge_list(adjacency, array):
        return _read_edges(array)
    if array.ndim != 2:
        raise NotSquareError(
            f"the adjacency has shape {array.shape}; an adjacency is n × n, an edge list m × 2 or 3"
        )
    return sp.csr_array(array if array.dtype.kind == "c" else array.astype(np.float64, copy=False))


def _is_edge_list(adjacency: Any, array: Any) -> bool:
    """Whether the rows are edges: of 2 × 2 and 3 × 3 entries only tuples in a list are."""
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        return False
    tuples = isinstance(adjacency, list) and all(isinstance(row, tuple) for row in adjacency)
    return tuples or array.shape[0] != array.shape[1]


def _read_sparse(matrix: Any) -> sp.sparray:
    if matrix.ndim != 2:
        raise NotSquareError(
            f"the adjacency has {matrix.ndim} dimension; pass an n × n matrix, see reshape"
        )
    if matrix.format not in ("csr", "csc"):
        entries: sp.coo_array = sp.coo_array(matrix)
        return entries
    # A second object on the same arrays: the check replaces what it finds too wide.
    compressed = sp.csr_array(matrix) if matrix.format == "csr" else sp.csc_array(matrix)
    try:
        compressed.check_format(full_check=True)
    except ValueError as cause:
        raise GraphError(
            f"the sparse adjacency is damaged: {cause}; build it anew, for example as "
            "scipy.sparse.coo_array((weights, (i, j)), shape=(n, n))"
        ) from cause
    return compressed


def _read_networkx(graph: Any) -> sp.sparray:
    try:
        import networkx
    except ImportError as cause:
        raise MissingExtraError("networkx", "networkx", "reading a networkx graph") from cause
    if len(graph) == 0:
        raise EmptyGraphError("the networkx graph has no nodes")
    try:
        matrix: sp.csr_array = networkx.to_scipy_sparse_array(graph, weight="weight", format="csr")
    except (TypeError, ValueError) as cause:
        raise GraphError(
            f"the networkx graph has an edge weight that is no number: {cause}; set the edge "
            "attribute 'weight' to numbers, or delete it where it should be 1"
        ) from cause
    return matrix


def _read_edges(rows: Any) -> sp.sparray:
    if rows.dtype.kind == "c":
        raise ComplexWeightError("the edge list holds complex numbers; pass real ones")
    ends = rows[:, :2]
    if not np.isfinite(ends).all() or (ends != np.floor(ends)).any() or (ends < 0).any():
        raise GraphError("the first two columns of an edge list must be node numbers 0, 1, 2, …")
    if ends.max() >= _LARGEST_NODE:
        raise GraphError(
            f"node number {int(ends.max())} is too large; renumber the nodes 0 … n−1, "
            "for example with numpy.unique(…, return_inverse=True)"
        )
    weights = rows[:, 2] if rows.shape[1] == 3 else np.ones(len(rows))
    pairs = ends.astype(np.int64)
    loops = pairs[:, 0] == pairs[:, 1]
    n = int(pairs.max()) + 1
    edges = from_pairs(n, pairs[~loops], weights[~loops].astype(np.float64))
    if not loops.any():
        return edges
    at = pairs[loops, 0]
    own = sp.coo_array((weights[loops].astype(np.float64), (at, at)), shape=(n, n))
    return sp.csr_array(edges + own)


def _check_shape(matrix: Any) -> None:
    rows, columns = matrix.shape
    if rows != columns:
        raise NotSquareError(
            f"the adjacency is {rows} × {columns}, not square; pass an n × n matrix or an edge "
            "list of two or three columns"
        )
    if rows == 0:
        raise EmptyGraphError("the graph has no nodes; pass at least one")
    if rows >= _LARGEST_NODE:
        raise GraphError(f"the graph has {rows} nodes; at most {_LARGEST_NODE - 1} are supported")


def _real_csr(matrix: Any) -> sp.csr_array:
    if np.iscomplexobj(matrix.data):
        raise ComplexWeightError("the adjacency holds complex numbers; pass abs() or the real part")
    if matrix.dtype.kind not in "biuf":
        raise GraphError(f"the adjacency has dtype {matrix.dtype}; pass numbers")
    # Parallel edges are summed on the way to rows: in float64, where no small integer overflows.
    return sp.csr_array(matrix.astype(np.float64, copy=False))


def _check_weights(matrix: sp.csr_array) -> None:
    if not np.isfinite(matrix.data).all():
        at = int(np.flatnonzero(~np.isfinite(matrix.data))[0])
        i = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        raise NonFiniteWeightError(
            f"the weight of edge ({i}, {int(matrix.indices[at])}) is {matrix.data[at]}; "
            "drop that edge or give it a finite weight"
        )
    if matrix.nnz and matrix.data.min() < 0:
        at = int(matrix.data.argmin())
        i = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        raise NegativeWeightError(
            f"the weight of edge ({i}, {int(matrix.indices[at])}) is {matrix.data[at]:g}; weights "
            "say how alike two nodes are: drop it, or say that they differ with a cannot-link"
        )


def _check_scale(graph: Graph) -> None:
    """Products of degrees have to be numbers; what is tiny beside the heaviest edge may vanish."""
    heaviest = float(graph.weights.max(initial=0.0))
    if heaviest and not 1e-100 < heaviest < 1e100:
        raise GraphError(
            f"the heaviest edge weighs {heaviest:g}; divide all weights by it: "
            "only their ratios matter"
        )


def _without_zeros_and_loops(matrix: sp.csr_array) -> sp.csr_array:
    loops = int(np.count_nonzero(matrix.diagonal()))
    if loops == 0 and (matrix.nnz == 0 or matrix.data.min() > 0):
        return matrix
    if loops:
        were = "self-loop was" if loops == 1 else "self-loops were"
        warn(f"{loops} {were} dropped: an edge from a node to itself cuts nothing")
    edges = matrix.tocoo()
    keep = (edges.row != edges.col) & (edges.data != 0)
    entries = (edges.data[keep], (edges.row[keep], edges.col[keep]))
    return sp.coo_array(entries, shape=matrix.shape).tocsr()


def _check_symmetry(graph: Graph) -> None:
    pair = _native.asymmetric_pair(graph.indptr, graph.indices, graph.weights, SYMMETRY_TOLERANCE)
    if pair is not None:
        i, j = pair
        raise AsymmetricGraphError(
            f"the adjacency is not symmetric: entries ({i}, {j}) and ({j}, {i}) differ; use "
            "(A + A.T) / 2 for the mean of both directions, or A.maximum(A.T) for their union"
        )
