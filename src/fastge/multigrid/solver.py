"""A Laplacian solver: the hierarchy as preconditioner of conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator
from sklearn.exceptions import ConvergenceWarning

from fastge import _native
from fastge.columns import dots, ratio
from fastge.dense import one_blas_thread
from fastge.errors import (
    AsymmetricGraphError,
    GraphError,
    NonFiniteWeightError,
    NotSquareError,
    ParameterError,
    warn,
)
from fastge.graph import (
    SYMMETRY_TOLERANCE,
    FloatArray,
    Graph,
    IntArray,
    as_graph,
    from_canonical,
    resized,
)
from fastge.multigrid.cycle import Cycle
from fastge.multigrid.grouping import Elimination
from fastge.multigrid.hierarchy import build_levels

STRICT_DOMINANCE = 1e-13
"""Row sum over diagonal above which a row of an SDD matrix counts as strictly dominant."""


@dataclass(frozen=True, eq=False)
class Solution:
    """x, the number of iterations, and ‖b − L x‖ / ‖b‖ after each of them (worst column)."""

    x: FloatArray
    iterations: int
    residuals: list[float]
    converged: bool


class Hierarchy:
    """Combinatorial multigrid of a graph; printing it shows the levels.

    With `ground`, the last node stands for the ground of a diagonally dominant matrix: its
    value is zero and callers do not see it. A level of fewer nodes than `direct_below` is inverted:
    that costs its cube once, and pays where many systems are solved.
    """

    def __init__(
        self, graph: Graph, *, ground: bool = False, direct_below: int | None = None
    ) -> None:
        self.graph = graph
        with one_blas_thread():
            options = {} if direct_below is None else {"direct_below": direct_below}
            self.levels = build_levels(graph, **options)
        self.has_ground = ground
        self._cycles: dict[np.dtype[Any], Cycle] = {}

    @property
    def n(self) -> int:
        """Unknowns that callers see."""
        return self.graph.n - self.has_ground

    @property
    def fits_single_precision(self) -> bool:
        """Whether degrees and their inverses are numbers of single precision, on every level."""
        degrees = np.concatenate([level.graph.degrees for level in self.levels])
        positive = degrees[degrees > 0]
        return bool(((positive > 1e-25) & (positive < 1e25)).all())

    def cycle(self, dtype: Any = np.float64) -> Cycle:
        """The cycle for blocks of one floating-point type; the lower one is faster."""
        key = np.dtype(dtype)
        if key not in self._cycles:
            self._cycles[key] = Cycle(self.levels, key)
        return self._cycles[key]

    def as_preconditioner(self, dtype: Any = np.float64) -> LinearOperator:
        """One cycle as a SciPy operator: linear, symmetric, positive on 1⊥."""

        def apply(b: Any) -> Any:
            columns = self._to_graph(np.asarray(b, dtype=np.float64).reshape(self.n, -1))
            with one_blas_thread():
                x = self.cycle(dtype)(columns.astype(dtype, copy=False)).astype(np.float64)
            return self._to_caller(self._centred(x)).reshape(b.shape)

        return LinearOperator(
            (self.n, self.n), matvec=apply, rmatvec=apply, matmat=apply, dtype=np.float64
        )

    def solve(self, b: Any, *, tol: float = 1e-8, max_iterations: int = 500) -> FloatArray:
        """x with ‖b − L x‖ ≤ tol ‖b‖ and mean zero on every component.

        The part of b that no x can reach (its mean on each component) is left out.
        """
        return self.solve_with_history(b, tol=tol, max_iterations=max_iterations).x

    def solve_with_history(
        self, b: Any, *, tol: float = 1e-8, max_iterations: int = 500
    ) -> Solution:
        """The same, with iterations and residuals."""
        b = self._check_right_side(b)
        if not 0 < tol < 1:
            raise ParameterError(f"tol = {tol}; choose a relative residual between 0 and 1")
        columns = self._to_graph(b.reshape(self.n, -1))
        with one_blas_thread():
            solution = self._conjugate_gradients(columns, tol, max_iterations)
        if not solution.converged:
            warn(
                f"conjugate gradients stopped at a relative residual of "
                f"{solution.residuals[-1]:.1e} after {solution.iterations} iterations",
                ConvergenceWarning,
            )
        x = self._to_caller(solution.x).reshape(b.shape)
        return Solution(x, solution.iterations, solution.residuals, solution.converged)

    def _conjugate_gradients(self, b: FloatArray, tol: float, max_iterations: int) -> Solution:
        """Columns are independent; b is orthogonal to the constants, and so r remains."""
        target = tol * np.sqrt(dots(b, b))
        x, p, Lp, r = np.zeros_like(b), np.zeros_like(b), np.empty_like(b), b.copy()
        one, rz = np.ones(b.shape[1]), np.zeros(b.shape[1])
        residuals: list[float] = []
        cycle = self.cycle()
        for iteration in range(max_iterations + 1):
            norms = np.sqrt(dots(r, r))
            residuals.append(float(np.max(ratio(norms, target) * tol)))
            if (norms <= target).all():
                return Solution(self._centred(x), iteration, residuals, True)
            z = cycle(r)
            new_rz = dots(r, z)
            _native.axpby(one, z, ratio(new_rz, rz), p)
            _native.laplacian(self.graph.indptr, self.graph.indices, self.graph.weights, p, Lp)
            alpha = ratio(new_rz, dots(p, Lp))
            _native.axpby(alpha, p, one, x)
            _native.axpby(-alpha, Lp, one, r)
            rz = new_rz
        return Solution(self._centred(x), max_iterations, residuals, False)

    def _centred(self, X: FloatArray) -> FloatArray:
        """X without its mean on every component, in place."""
        count, ids = self.graph.components
        if count == 1:
            _native.centre(X)
            return X
        sizes = np.bincount(ids, minlength=count)
        for column in X.T:
            column -= (np.bincount(ids, weights=column, minlength=count) / sizes)[ids]
        return X

    def _to_graph(self, b: FloatArray) -> FloatArray:
        if self.has_ground:
            b = np.vstack([b, -b.sum(axis=0)])
        return self._centred(np.array(b, dtype=np.float64, order="C"))

    def _to_caller(self, x: FloatArray) -> FloatArray:
        return x[:-1] - x[-1] if self.has_ground else x

    def _check_right_side(self, b: Any) -> FloatArray:
        array = np.asarray(b, dtype=np.float64)
        if array.ndim not in (1, 2) or array.shape[0] != self.n:
            raise ParameterError(
                f"the right-hand side has shape {array.shape}; pass ({self.n},) or ({self.n}, m)"
            )
        if not np.isfinite(array).all():
            raise ParameterError("the right-hand side holds NaN or infinity")
        return array

    def __repr__(self) -> str:
        lines = [f"Hierarchy of {self.n:,} unknowns"]
        for at, level in enumerate(self.levels):
            if level.transfer is None:
                how = "dense inverse" if level.inverse is not None else "half Jacobi step"
            elif isinstance(level.transfer, Elimination):
                how = f"{len(level.transfer.node):,} nodes eliminated"
            else:
                how = f"grouped, next level cycled {level.repeats}×"
            lines.append(
                f"  {at}  {level.graph.n:>12,} nodes  {level.graph.n_edges:>12,} edges  {how}"
            )
        return "\n".join(lines)


def build(adjacency: Any) -> Hierarchy:
    """Hierarchy of the Laplacian of a graph."""
    return Hierarchy(as_graph(adjacency))


def build_sdd(matrix: Any) -> Hierarchy:
    """Hierarchy of a symmetric diagonally dominant matrix with off-diagonal entries ≤ 0.

    The excess of each row's diagonal becomes an edge to one extra node, the ground.
    """
    A = sp.csr_array(matrix, dtype=np.float64)
    if A.shape[0] != A.shape[1]:
        raise NotSquareError(f"the matrix is {A.shape[0]} × {A.shape[1]}, not square")
    if not np.isfinite(A.data).all():
        raise NonFiniteWeightError("the matrix holds NaN or infinity")
    diagonal = A.diagonal()
    off = sp.csr_array(A - sp.diags_array(diagonal))
    off.eliminate_zeros()
    if off.nnz and off.data.max() > 0:
        raise GraphError("an off-diagonal entry is positive; only entries ≤ 0 belong to a graph")
    if off.nnz and abs(off - off.T).max() > SYMMETRY_TOLERANCE * abs(off).max():
        raise AsymmetricGraphError("the matrix is not symmetric; use (A + A.T) / 2")
    graph = from_canonical(sp.csr_array(-off))
    excess = diagonal - graph.degrees
    if (excess < -STRICT_DOMINANCE * np.abs(diagonal)).any():
        row = int(excess.argmin())
        raise GraphError(f"row {row} is not diagonally dominant: its sum is {excess[row]:g} < 0")
    strict = np.flatnonzero(excess > STRICT_DOMINANCE * diagonal)
    if len(strict) == 0:
        return Hierarchy(graph)
    return Hierarchy(_grounded(graph, strict, excess[strict]), ground=True)


def _grounded(graph: Graph, nodes: IntArray, weights: FloatArray) -> Graph:
    n = graph.n
    matrix = resized(graph.to_scipy(), n + 1)
    both = (
        np.concatenate([nodes, np.full(len(nodes), n)]),
        np.concatenate([np.full(len(nodes), n), nodes]),
    )
    edges = sp.coo_array((np.tile(weights, 2), both), shape=(n + 1, n + 1)).tocsr()
    return from_canonical(sp.csr_array(matrix + edges))
