"""Potentials of classes: what share of a random walk from each pixel ends in which class.

Every class is one more node, to which pixels are tied. The potentials u_c solve L u_c = 0 at the
pixels, with 1 at class c and 0 at the others. They span the eigenvectors of the pencil whose G is
the graph with these ties and whose H are cannot-links between the classes: L_H x vanishes at the
pixels, hence L_G x does, and only a pencil of the size of the classes is left (`class_pairs`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as la

from fastge import _native
from fastge.graph import FloatArray, Graph, IntArray
from fastge.multigrid import Hierarchy
from fastge.nested import fast_cycle

TOLERANCE = 3e-3
"""Error in energy, as a share of the solution's, below which labels hardly change any more."""
MAX_ITERATIONS = 60
_STEP = 4  # block widths are multiples of this: the native kernels are specialised on them


@dataclass(frozen=True, eq=False)
class Potentials:
    """u_c of every class (one column each; rows add up to one), and how they were reached."""

    shares: FloatArray
    iterations: int
    converged: bool


@dataclass(frozen=True, eq=False)
class Ties:
    """Weights between nodes and classes: `everywhere` (n × k), and further ones at some nodes."""

    everywhere: FloatArray
    nodes: IntArray
    there: FloatArray

    @property
    def k(self) -> int:
        return int(self.everywhere.shape[1])

    def right_side(self, classes: slice, width: int, dtype: Any) -> FloatArray:
        """Ties to some of the classes, padded with zeros to a block of the given width."""
        b = np.zeros((len(self.everywhere), width), dtype=dtype)
        columns = self.everywhere[:, classes]
        b[:, : columns.shape[1]] = columns
        b[self.nodes, : columns.shape[1]] += self.there[:, classes]
        return b

    def of_classes(self) -> FloatArray:
        """Sum of the ties of every class."""
        total = self.everywhere.sum(axis=0, dtype=np.float64)
        return np.asarray(total + self.there.sum(axis=0, dtype=np.float64))


class Network:
    """A graph and how strongly its nodes are tied to anything at all: built once, solved often."""

    def __init__(self, graph: Graph, ties: FloatArray) -> None:
        self.n = graph.n
        grounded = _native.add_ground(graph.indptr, graph.indices, graph.weights, ties)
        self.grounded = Graph(*grounded)
        self.hierarchy = Hierarchy(self.grounded, ground=True)
        self.cycle = fast_cycle(self.hierarchy)
        self.weights = self.grounded.weights.astype(self.cycle.dtype)

    def potentials(
        self,
        ties: Ties,
        start: FloatArray | None = None,
        *,
        tol: float = TOLERANCE,
        check: Callable[[], None] | None = None,
    ) -> Potentials:
        """Conjugate gradients for all classes but the last, whose share is what remains.

        The rows of `ties.everywhere` add up to the ties that the network was built with.
        """
        width = -(-(ties.k - 1) // _STEP) * _STEP
        b = ties.right_side(slice(0, ties.k - 1), width, self.cycle.dtype)
        x = np.zeros((self.n + 1, width), dtype=self.cycle.dtype)
        if start is not None:
            x[:-1, : ties.k - 1] = start[:, :-1]
        extra = ties.there.sum(axis=1).astype(self.cycle.dtype)[:, None]
        iterations, converged = self._solve(b, x, ties.nodes, extra, tol, check)
        shares = np.empty((self.n, ties.k), dtype=np.float32)
        np.clip(x[:-1, : ties.k - 1], 0, 1, out=shares[:, :-1])
        np.subtract(1, shares[:, :-1].sum(axis=1), out=shares[:, -1])
        np.maximum(shares[:, -1], 0, out=shares[:, -1])
        return Potentials(shares, iterations, converged)

    def _solve(
        self,
        b: FloatArray,
        x: FloatArray,
        nodes: IntArray,
        extra: FloatArray,
        tol: float,
        check: Callable[[], None] | None,
    ) -> tuple[int, bool]:
        """x improved in place until it solves (L + ties) x = b; its last row, the ground, is 0."""
        width = b.shape[1]
        r, p, Ap, one = np.empty_like(x), np.zeros_like(x), np.empty_like(x), np.ones(width)
        self._apply(x, nodes, extra, r)
        np.subtract(b, r[:-1], out=r[:-1])
        rz = np.zeros(width)
        for iteration in range(MAX_ITERATIONS + 1):
            if check is not None:
                check()
            r[-1] = -r[:-1].sum(axis=0, dtype=np.float64)
            z = self.cycle(r)
            z -= z[-1].copy()
            new = _dots(r[:-1], z[:-1])
            energy = _dots(b, x[:-1])
            if iteration and (new <= tol * tol * np.maximum(energy, 0)).all():
                return iteration, True
            _native.axpby(one, z, _ratio(new, rz), p)
            self._apply(p, nodes, extra, Ap)
            alpha = _ratio(new, _dots(p[:-1], Ap[:-1]))
            _native.axpby(alpha, p, one, x)
            _native.axpby(-alpha, Ap, one, r)
            rz = new
        return MAX_ITERATIONS, False

    def _apply(self, x: FloatArray, nodes: IntArray, extra: FloatArray, out: FloatArray) -> None:
        _native.laplacian(self.grounded.indptr, self.grounded.indices, self.weights, x, out)
        out[nodes] += extra * x[nodes]


def class_pairs(ties: Ties, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """λ in ascending order, and what the classes' potentials are to be combined with.

    The Schur complement of the graph on the classes, against the demand graph of the same degrees:
    λ = 0 where a class is cut off from all others, 1 where nothing tells classes apart.
    """
    total = ties.of_classes()
    flow = ties.everywhere.T @ shares + ties.there.T @ shares[ties.nodes]
    flow = (flow + flow.T).astype(np.float64) / 2
    np.fill_diagonal(flow, 0.0)
    degrees = np.maximum(flow.sum(axis=1), np.finfo(float).tiny)
    mass = np.maximum(total, np.finfo(float).tiny)
    demand = np.diag(mass) - np.outer(mass, mass) / mass.sum()
    basis = la.null_space(mass[None, :])
    schur = basis.T @ (np.diag(degrees) - flow) @ basis
    values, vectors = la.eigh(schur, basis.T @ demand @ basis)
    return np.clip(values, 0.0, None), np.asarray(basis @ vectors)


def _dots(x: FloatArray, y: FloatArray) -> FloatArray:
    result = np.empty(x.shape[1])
    _native.column_dots(x, y, result)
    return result


def _ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """a / b, zero where b is: a column that has arrived stays where it is."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
