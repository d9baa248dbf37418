"""Signed Laplacians and indefinite pencils for fastge's eigensolver, with multigrid for both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from baselines.spectral import row_sums
from fastge.eigensolver import Eigenpairs, Operator, Preconditioner, Problem, solve
from fastge.graph import FloatArray, from_canonical
from fastge.multigrid import Hierarchy, build_sdd

DENSE_BELOW = 400
"""Nodes under which dense algebra is used."""
GUARDS = 2
"""Columns that are iterated along with the wanted ones."""
TOLERANCE = 1e-4
MAX_ITERATIONS = 300
VANISHING = 1e-12
"""|zᵀHz| below this share of ‖z‖ ‖Hz‖ counts as zero."""
_STEP = 4  # block widths are multiples of this: the native kernels are specialised on them


@dataclass(frozen=True, eq=False)
class SparseOperator:
    """A symmetric sparse matrix."""

    matrix: sp.csr_array

    def apply(self, X: FloatArray, out: FloatArray) -> FloatArray:
        out[...] = self.matrix @ X
        return out

    def diagonal(self) -> FloatArray:
        """How large the rows are, which is what the solver asks; the matrix may be indefinite."""
        return row_sums(abs(self.matrix))


@dataclass(frozen=True, eq=False)
class SignedLaplacian:
    """xᵀLx = Σ_{i<j} p_ij (x_i − x_j)² + Σ_{i<j} q_ij (x_i + x_j)² + Σ_i e_i x_i²"""

    positive: sp.csr_array
    """p: pairs that are drawn together."""
    negative: sp.csr_array
    """q: pairs that are drawn to opposite values."""
    excess: FloatArray
    """e: what draws single nodes to zero."""

    @cached_property
    def matrix(self) -> sp.csr_array:
        degrees = row_sums(self.positive) + row_sums(self.negative)
        diagonal = sp.diags_array(degrees + self.excess)
        return sp.csr_array(diagonal - self.positive + self.negative)

    def double_cover(self) -> sp.csr_array:
        """Adjacency on two copies of the nodes: its Laplacian takes (x, −x) to (Lx, −Lx)."""
        across = self.negative + sp.diags_array(self.excess / 2)
        cover = sp.block_array([[self.positive, across], [across, self.positive]], format="csr")
        return sp.csr_array(cover)

    def cycle(self) -> Preconditioner:
        """r ↦ half the difference of both copies after a multigrid cycle of the cover on (r, −r).

        Symmetric, and positive as the cycle is. In double precision: single precision drowns in
        the near null space of a small excess.
        """
        cover = self.double_cover()
        cover.eliminate_zeros()
        cycle, n = Hierarchy(from_canonical(cover)).cycle(), len(self.excess)

        def apply(R: FloatArray) -> FloatArray:
            both = cycle(np.vstack([R, -R]))
            return np.asarray((both[:n] - both[n:]) / 2)

        return apply


def grounded_cycle(matrix: sp.csr_array) -> Preconditioner:
    """A multigrid cycle of a diagonally dominant matrix without positive off-diagonal entries."""
    cycle = build_sdd(matrix).as_preconditioner()

    def apply(R: FloatArray) -> FloatArray:
        return np.asarray(cycle @ R)

    return apply


def largest_pairs(
    G: sp.csr_array,
    H: Operator,
    preconditioner: Callable[[], Preconditioner],
    k: int,
    *,
    without: FloatArray | None = None,
) -> Eigenpairs:
    """The k largest μ = 1/λ of H x = μ G x with xᵀGx = 1, G definite; H need not be.

    `without` is a vector whose H-orthogonal complement holds the wanted ones.
    """
    project = _nothing if without is None else _away_from(without, H)
    n = G.shape[0]
    if n < DENSE_BELOW:
        return _dense(G, H, k, project)
    width = -(-(k + GUARDS) // _STEP) * _STEP
    start = np.random.default_rng(0).standard_normal((n, width))
    problem = Problem(SparseOperator(G), H, preconditioner(), project)
    return solve(problem, start, k, tol=TOLERANCE, max_iterations=MAX_ITERATIONS)


def _nothing(X: FloatArray) -> FloatArray:
    return X


def _away_from(z: FloatArray, H: Operator) -> Callable[[FloatArray], FloatArray]:
    """X ↦ X − z (zᵀHX) / (zᵀHz), in place; along Hz where zᵀHz vanishes."""
    column = np.ascontiguousarray(z.reshape(-1, 1))
    Hz = H.apply(column, np.empty_like(column)).ravel()
    if not Hz.any():
        return _nothing
    vanishes = abs(z @ Hz) <= VANISHING * np.linalg.norm(z) * np.linalg.norm(Hz)
    along = Hz if vanishes else z
    weights = Hz / (along @ Hz)

    def project(X: FloatArray) -> FloatArray:
        X -= np.outer(along, weights @ X)
        return X

    return project


def _dense(
    G: sp.csr_array, H: Operator, k: int, project: Callable[[FloatArray], FloatArray]
) -> Eigenpairs:
    n = G.shape[0]
    P = project(np.eye(n))
    matrix = P.T @ H.apply(np.ascontiguousarray(P), np.empty((n, n)))
    k = min(k, n)
    mu, X = la.eigh((matrix + matrix.T) / 2, G.toarray(), subset_by_index=[n - k, n - 1])
    mu, X = mu[::-1], np.ascontiguousarray(X[:, ::-1])
    with np.errstate(divide="ignore"):
        return Eigenpairs(1 / mu, X, np.full(k, np.finfo(float).eps), True)
