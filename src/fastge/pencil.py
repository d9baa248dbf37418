"""The pencil (L_G, L_H): two Laplacians kept as sums of edges, implied pairs and a demand graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from fastge import _native
from fastge.errors import GraphError
from fastge.graph import FloatArray, Graph, IntArray, as_graph, from_canonical, resized
from fastge.implied import NO_MEMBERS, Implied, Members

_SPARSE_ROWS = 4  # edges that touch fewer than n / 4 nodes are applied to those nodes only


class Side(LinearOperator):
    """L = Laplacian of edges + within·(pairs of one class) + across·(pairs of two) + demand·d dᵀ.

    The last three are dense graphs of low rank: they are applied, never formed.
    """

    def __init__(
        self,
        edges: Graph,
        members: Members = NO_MEMBERS,
        *,
        within: float = 0.0,
        across: float = 0.0,
        demand: float = 0.0,
        mass: FloatArray | None = None,
        dtype: Any = np.float64,
    ) -> None:
        super().__init__(np.dtype(dtype), (edges.n, edges.n))  # type: ignore[call-arg]
        self.edges, self.members = edges, members
        self.within, self.across, self.demand = within, across, demand
        self.mass = np.zeros(edges.n) if mass is None else mass

    def astype(self, dtype: Any) -> Side:
        """The same operator for blocks of another floating-point type."""
        same = self.dtype == dtype
        return self if same else self.like(self.edges, self.members, self.mass, dtype)

    def like(self, edges: Graph, members: Members, mass: FloatArray, dtype: Any = None) -> Side:
        """An operator with the same factors on other nodes."""
        return Side(
            edges,
            members,
            within=self.within,
            across=self.across,
            demand=self.demand,
            mass=mass,
            dtype=self.dtype if dtype is None else dtype,
        )

    @property
    def n(self) -> int:
        return self.edges.n

    def apply(self, X: FloatArray, out: FloatArray) -> FloatArray:
        """out = L X for a C-contiguous block of this operator's dtype."""
        whole, touched, weights = self._edge_parts
        if whole is not None:
            _native.laplacian(whole.indptr, whole.indices, weights, X, out)
            if self.demand:
                out += self._demand_times(X)
        elif self.demand:
            self._demand_times(X, out)
        else:
            out[...] = 0
        if touched is not None:
            nodes, graph = touched
            some = np.ascontiguousarray(X[nodes])
            product = np.empty_like(some)
            _native.laplacian(graph.indptr, graph.indices, weights, some, product)
            out[nodes] += product
        if self._implied is not None:
            nodes = self.members.nodes
            out[nodes] += self._implied.times(X[nodes])
        return out

    def _demand_times(self, X: FloatArray, out: FloatArray | None = None) -> FloatArray:
        diagonal, mass = self._demand_arrays
        out = np.empty_like(X) if out is None else out
        width = 1 if X.ndim == 1 else X.shape[1]
        sums = np.empty((1, width))
        _native.gram([mass], X, sums)
        _native.scale_shift(diagonal, mass, self.demand * sums.ravel(), X, out)
        return out

    @cached_property
    def _edge_parts(self) -> tuple[Graph | None, tuple[IntArray, Graph] | None, FloatArray]:
        """The edges on all nodes, or on the few nodes that they touch, and their weights."""
        graph = self.edges
        touched = np.flatnonzero(np.diff(graph.indptr))
        if len(touched) == 0:
            return None, None, np.empty(0)
        if len(touched) * _SPARSE_ROWS < graph.n:
            part = graph.subgraph(touched)
            return None, (touched, part), part.weights.astype(self.dtype, copy=False)
        return graph, None, graph.weights.astype(self.dtype, copy=False)

    @cached_property
    def _demand_arrays(self) -> tuple[FloatArray, FloatArray]:
        volume = float(self.mass.sum())
        mass = np.ascontiguousarray(self.mass, dtype=self.dtype)
        return (self.demand * volume * self.mass).astype(self.dtype), mass

    @cached_property
    def _implied(self) -> Implied | None:
        useful = len(self.members.nodes) and (self.within or self.across)
        return Implied(self.members, self.within, self.across, self.dtype) if useful else None

    def diagonal(self) -> FloatArray:
        """The diagonal of L."""
        result: FloatArray = self.edges.degrees + self.demand * self.mass * (
            self.mass.sum() - self.mass
        )
        if self._implied is not None:
            result[self.members.nodes] += self._implied.diagonal()
        return result

    def energy(self, X: FloatArray) -> FloatArray:
        """xᵀ L x of every column."""
        return np.asarray(np.einsum("i...,i...->...", X, self @ X))

    def toarray(self) -> FloatArray:
        return np.asarray(self @ np.eye(self.n, dtype=self.dtype))

    def with_stars(self) -> Graph:
        """Sparse graph whose Schur complement onto the first n nodes is L (of edges and `within`).

        The clique of one class is what elimination of a star's centre leaves behind.
        """
        A, v = self.members.strength, self.members.class_volumes
        useful = np.flatnonzero(np.diff(A.tocsc().indptr) > 1)
        if len(useful) == 0 or not self.within:
            return self.edges
        stars = (A[:, useful] * (self.within * v[useful])).tocoo()
        n, size = self.n, self.n + len(useful)
        i, j = self.members.nodes[stars.row], n + stars.col
        both = (np.concatenate([i, j]), np.concatenate([j, i]))
        star_edges = sp.coo_array((np.tile(stars.data, 2), both), shape=(size, size)).tocsr()
        star_edges.eliminate_zeros()
        return from_canonical(resized(self.edges.to_scipy(), size) + star_edges)

    def _matvec(self, x: FloatArray) -> FloatArray:
        return self._matmat(x.reshape(-1, 1)).reshape(x.shape)

    def _matmat(self, X: FloatArray) -> FloatArray:
        block = np.ascontiguousarray(X, dtype=self.dtype)
        return self.apply(block, np.empty_like(block))

    def _adjoint(self) -> Side:
        return self

    _transpose = _adjoint


@dataclass(frozen=True, eq=False)
class Weighting:
    """What a merge rule decides: how much constraints and the demand graph count."""

    strength: FloatArray
    """s_i: the pair (i, j) weighs its factor times s_i s_j."""
    must_factor: float
    cannot_factor: float
    tau: float = 0.0
    """Factor of the demand graph K_ij = d_i d_j / vol in H."""
    ridge: float = 0.0
    """Factor of G in H."""

    def scaled(self, **changes: Any) -> Weighting:
        return replace(self, **changes)


class Pencil:
    """The pair (L_G, L_H) of the eigenproblem L_G x = λ L_H x.

    Built by `merge`, or from two adjacencies of your own: `Pencil(G, H)`.
    """

    def __init__(
        self,
        G: Any,
        H: Any,
        *,
        degrees: FloatArray | None = None,
        weighting: Weighting | None = None,
    ) -> None:
        self.L_G = G if isinstance(G, Side) else Side(as_graph(G))
        self.L_H = H if isinstance(H, Side) else Side(as_graph(H))
        if self.L_G.n != self.L_H.n:
            raise GraphError(
                f"G has {self.L_G.n} nodes and H has {self.L_H.n}; both sides of a pencil "
                "need the same nodes"
            )
        self.degrees = self.L_G.edges.degrees if degrees is None else degrees
        self.weighting = weighting

    @property
    def n(self) -> int:
        return self.L_G.n

    @cached_property
    def star_graph(self) -> Graph:
        """Sparse graph that stands for L_G in a preconditioner; extra nodes come last."""
        return self.L_G.with_stars()

    @cached_property
    def components(self) -> tuple[int, IntArray]:
        """Connected components of G, implied must-links included."""
        _, ids = self.star_graph.components
        kept, ids = np.unique(ids[: self.n], return_inverse=True)
        return len(kept), ids

    def astype(self, dtype: Any) -> Pencil:
        sides = self.L_G.astype(dtype), self.L_H.astype(dtype)
        other = Pencil(*sides, degrees=self.degrees, weighting=self.weighting)
        other.__dict__.update(
            {
                key: self.__dict__[key]
                for key in ("star_graph", "components")
                if key in self.__dict__
            }
        )
        return other

    def __repr__(self) -> str:
        return f"Pencil({self.n:,} nodes, G: {self.L_G.edges!r}, H: {self.L_H.edges!r})"
