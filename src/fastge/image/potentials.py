"""Potentials of classes: what share of a random walk from each pixel ends in which class.

Every class is one more node, to which pixels are tied. The potentials u_c solve L u_c = 0 at the
pixels, with 1 at class c and 0 at the others. They span the eigenvectors of the pencil whose G is
the graph with these ties and whose H are cannot-links between the classes: L_H x vanishes at the
pixels, hence L_G x does, and only a pencil of the size of the classes is left (`class_pairs`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg as la

from fastge import _native
from fastge.columns import dots, ratio
from fastge.graph import FloatArray, Graph, IntArray
from fastge.multigrid import Hierarchy
from fastge.multigrid.cycle import Cycle
from fastge.nested import fast_cycle

TOLERANCE = 1e-2
"""Error in energy, as a share of the solution's, below which one label in a thousand changes."""
MAX_ITERATIONS = 60
DIRECT_BELOW = 200
"""Nodes under which a level is inverted: fewer than for eigenvectors, since one hierarchy serves
a handful of iterations."""
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

    def sums(self) -> FloatArray:
        """How strongly each node is tied to all classes together."""
        total = self.everywhere.sum(axis=1, dtype=np.float64)
        total[self.nodes] += self.there.sum(axis=1)
        return np.asarray(total)

    def of_classes(self) -> FloatArray:
        """Sum of the ties of every class."""
        total = self.everywhere.sum(axis=0, dtype=np.float64)
        return np.asarray(total + self.there.sum(axis=0, dtype=np.float64))


def potentials(
    graph: Graph,
    ties: Ties,
    start: FloatArray | None = None,
    *,
    tol: float = TOLERANCE,
    check: Callable[[], None] | None = None,
) -> Potentials:
    """Conjugate gradients for all classes but the last, whose share is what remains.

    The last class is the ground that the graph is joined to as strongly as to all classes together.
    """
    grounded = Graph(*_native.add_ground(graph.indptr, graph.indices, graph.weights, ties.sums()))
    hierarchy = Hierarchy(grounded, direct_below=DIRECT_BELOW)
    cycle = fast_cycle(hierarchy)
    width = -(-(ties.k - 1) // _STEP) * _STEP
    b = np.zeros((grounded.n, width), dtype=cycle.dtype)
    b[:-1, : ties.k - 1] = ties.everywhere[:, :-1]
    b[ties.nodes, : ties.k - 1] += ties.there[:, :-1]
    b[-1] = -b[:-1].sum(axis=0, dtype=np.float64)
    x = np.zeros_like(b)
    if start is not None:
        x[:-1, : ties.k - 1] = start[:, :-1]
    iterations, converged = _solve(grounded, cycle, b, x, tol, check or _go_on)
    shares = np.empty((graph.n, ties.k), dtype=np.float32)
    np.subtract(x[:-1, : ties.k - 1], x[-1, : ties.k - 1], out=shares[:, :-1])
    np.clip(shares[:, :-1], 0, 1, out=shares[:, :-1])
    np.subtract(1, shares[:, :-1].sum(axis=1), out=shares[:, -1])
    np.maximum(shares[:, -1], 0, out=shares[:, -1])
    return Potentials(shares, iterations, converged)


def _go_on() -> None:
    """Nobody wants it to end."""


def _solve(
    grounded: Graph,
    cycle: Cycle,
    b: FloatArray,
    x: FloatArray,
    tol: float,
    check: Callable[[], None],
) -> tuple[int, bool]:
    """x improved in place until L x = b, up to constants."""
    width = b.shape[1]
    rows = grounded.indptr, grounded.indices, grounded.weights.astype(b.dtype)
    r, p, Lp, one = np.empty_like(x), np.zeros_like(x), np.empty_like(x), np.ones(width)
    _native.laplacian(*rows, x, r)
    np.subtract(b, r, out=r)
    rz = np.zeros(width)
    for iteration in range(MAX_ITERATIONS + 1):
        check()
        _native.centre(r)  # rounding leaves a mean behind, which no x can take away
        z = cycle(r)
        new = dots(r, z)
        if iteration and (new <= tol * tol * np.maximum(dots(b, x), 0)).all():
            return iteration, True
        _native.axpby(one, z, ratio(new, rz), p)
        _native.laplacian(*rows, p, Lp)
        alpha = ratio(new, dots(p, Lp))
        _native.axpby(alpha, p, one, x)
        _native.axpby(-alpha, Lp, one, r)
        rz = new
    return MAX_ITERATIONS, False


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
