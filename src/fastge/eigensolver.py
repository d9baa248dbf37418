"""Preconditioned block solver for L_G x = λ L_H x, given any preconditioner of L_G.

Works in the L_G inner product and looks for the largest μ = 1/λ of L_H x = μ L_G x, since L_H may
be singular. Basis per step: iterates X, preconditioned residuals W = M⁻¹(L_H X − L_G X μ) and the
last step P, as in Knyazev's LOBPCG. Deviations: the basis is made L_G-orthonormal in coefficients
(see `orthogonal`), converged columns are locked softly, guard columns are carried along, and the
residual is measured in the norm of M⁻¹, which bounds the relative error of μ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np
import scipy.linalg as la

from fastge import _native
from fastge.graph import FloatArray, IntArray
from fastge.orthogonal import direction_coefficients, orthonormalizer

Preconditioner: TypeAlias = Callable[[FloatArray], FloatArray]
Observer: TypeAlias = Callable[[int, FloatArray], None]

REFRESH_EVERY = 8
"""Iterations after which L_G X and L_G P are computed anew, against the drift of recurrences."""
STAGNATION_WINDOW = 12
"""Iterations within which the worst wanted residual has to fall by a quarter."""
VANISHING = 1e-13
"""μ below this share of the largest one counts as zero, λ as infinite."""


class Operator(Protocol):
    """What the solver needs of a Laplacian."""

    def apply(self, X: FloatArray, out: FloatArray) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """λ in ascending order, vectors with xᵀ L_G x = 1, and how they were reached."""

    values: FloatArray
    vectors: FloatArray
    residuals: FloatArray
    """‖L_H x − μ L_G x‖ / μ in the norm of M⁻¹: about the relative error of x in energy."""
    converged: bool
    iterations: int = 0
    history: list[FloatArray] = field(default_factory=list)
    """Residuals of the wanted pairs after every iteration."""


@dataclass(frozen=True, eq=False)
class Problem:
    """L_H x = μ L_G x with a preconditioner, on the complement of what `project` removes."""

    L_G: Operator
    L_H: Operator
    precondition: Preconditioner
    project: Callable[[FloatArray], FloatArray]


def solve(
    problem: Problem,
    start: FloatArray,
    k: int,
    *,
    tol: float,
    max_iterations: int,
    observe: Observer | None = None,
) -> Eigenpairs:
    """The k pairs of smallest λ, from a start block of at least k columns."""
    return _BlockIteration(problem, start, k, tol).run(max_iterations, observe)


class _BlockIteration:
    """The iterates X with L_G X, the last step P with L_G P, and their small matrices."""

    def __init__(self, problem: Problem, start: FloatArray, k: int, tol: float) -> None:
        self.problem, self.k, self.tol = problem, k, tol
        self.width = start.shape[1]
        self.drop = 1e-12 if start.dtype == np.float64 else 1e-6
        self.X = problem.project(start)
        shape, dtype = self.X.shape, self.X.dtype
        self.GX, self.P, self.GP, self.W, self.GW, self.T = (
            np.zeros(shape, dtype) for _ in range(6)
        )
        self.n_steps = 0  # columns of P that hold a direction
        self.rank_is_full = False  # whether every column of X holds a direction
        self.mu = np.zeros(self.width)
        self.energy_XP: FloatArray = np.zeros((0, 0))  # [X P]ᵀ L_H [X P]
        self.residuals = np.full(self.width, np.inf)

    def run(self, max_iterations: int, observe: Observer | None) -> Eigenpairs:
        self._start()
        history: list[FloatArray] = []
        for iteration in range(max_iterations + 1):
            if iteration and iteration % REFRESH_EVERY == 0:
                self._refresh()
            self._residual_block()
            history.append(self.residuals[: self.k].copy())
            if observe is not None:
                observe(iteration, history[-1])
            if self._arrived() or iteration == max_iterations or _stagnates(history):
                break
            if not self._step():
                break
        return self._result(history)

    def _arrived(self) -> bool:
        return bool((self.residuals[: self.k] <= self.tol).all())

    def _start(self) -> None:
        """Ritz vectors of the start block, and of noise for what that block is blind to.

        A block from coarser levels knows nothing of vectors that cancel within a group of nodes,
        such as the difference of two twins, and iterating on symmetric vectors never finds them.
        """
        noise = np.random.default_rng(0).standard_normal(self.X.shape, dtype=self.X.dtype)
        self.problem.L_H.apply(noise, self.T)
        self._take_for_steps(self.problem.precondition(self.T))
        if not self.rank_is_full:
            self._take_for_steps(noise)

    def _take_for_steps(self, block: FloatArray) -> None:
        self.P[...] = block
        self.P = self.problem.project(self.P)
        self.n_steps = self.width
        self._refresh()

    def _refresh(self) -> None:
        """[X P] made orthonormal anew, with L_G X and L_G P computed, not updated."""
        basis, images = [self.X, self.P], [self.GX, self.GP]
        for block, image in zip(basis, images, strict=True):
            self.problem.L_G.apply(block, image)
        used = self._used(with_residuals=False)
        gram = _symmetric(np.hstack([_gram(basis, image) for image in images]))[np.ix_(used, used)]
        columns = []
        for block in basis:
            self.problem.L_H.apply(block, self.T)
            columns.append(_gram(basis, self.T))
        energy: FloatArray = _symmetric(np.hstack(columns))[np.ix_(used, used)]
        rotation = orthonormalizer(gram, np.diag(gram), self.drop)
        energy = _symmetric(rotation.T @ energy @ rotation)
        vectors = la.eigh(energy)[1][:, ::-1]
        chosen, steps = vectors[:, : self.width], vectors[:, self.width :]
        self._rotate(basis, images, used, rotation, energy, chosen, steps)

    def _residual_block(self) -> None:
        """T = L_H X − L_G X μ, W = M⁻¹ T, and the residual of every column."""
        self.problem.L_H.apply(self.X, self.T)
        _native.axpby(-self.mu, self.GX, np.ones(self.width), self.T)
        self.W[...] = self.problem.precondition(self.T)
        self.W = self.problem.project(self.W)
        squares = np.empty(self.width)
        _native.column_dots(self.T, self.W, squares)
        floor = VANISHING * max(float(self.mu.max()), 0.0)
        scale = np.maximum(self.mu, floor)
        self.residuals = np.sqrt(np.maximum(squares, 0)) / np.where(scale > 0, scale, 1)

    def _step(self) -> bool:
        """One Rayleigh–Ritz step in [X P W]; False when W adds nothing."""
        basis = [self.X, self.P, self.W]
        self.problem.L_G.apply(self.W, self.GW)
        overlap = _gram(basis, self.GW)
        self.problem.L_H.apply(self.W, self.T)
        energy = _gram(basis, self.T)

        used = self._used(with_residuals=True)
        n_old = self.width + self.n_steps
        new = used[n_old:] - 2 * self.width
        rotation = self._orthonormal_basis(overlap[np.ix_(used, new)], n_old)
        if rotation.shape[1] == n_old:
            return False
        small = _bordered(self.energy_XP, energy[np.ix_(used, new)])
        small = _symmetric(rotation.T @ small @ rotation)
        chosen = la.eigh(small)[1][:, ::-1][:, : self.width]
        steps = direction_coefficients(chosen, self.width)
        images = [self.GX, self.GP, self.GW]
        self._rotate(basis, images, used, rotation, small, chosen, steps)
        return True

    def _orthonormal_basis(self, overlap: FloatArray, n_old: int) -> FloatArray:
        """Coefficients that leave [X P] alone and make W orthonormal to it.

        `overlap` is [X P W]ᵀ L_G W; [X P] is orthonormal already.
        """
        against, own = overlap[:n_old], _symmetric(overlap[n_old:])
        rest = own - against.T @ against
        T = orthonormalizer(_symmetric(rest), np.diag(own), self.drop)
        return np.block([[np.eye(n_old), -against @ T], [np.zeros((len(own), n_old)), T]])

    def _rotate(
        self,
        basis: list[FloatArray],
        images: list[FloatArray],
        used: IntArray,
        rotation: FloatArray,
        energy: FloatArray,
        chosen: FloatArray,
        steps: FloatArray,
    ) -> None:
        """X and P from coefficients in an orthonormal basis (`used` columns × rotation)."""
        both = np.hstack([chosen, steps])
        self.energy_XP = _symmetric(both.T @ energy @ both)
        self.mu = _padded(np.diag(self.energy_XP)[: chosen.shape[1]], self.width)
        self.n_steps = steps.shape[1]
        full = np.zeros((len(basis) * self.width, 2 * self.width))
        full[used, : chosen.shape[1]] = rotation @ chosen
        full[used, self.width : self.width + self.n_steps] = rotation @ steps
        _combine(basis, [self.X, self.P], full)
        _combine(images, [self.GX, self.GP], full)

    def _used(self, *, with_residuals: bool) -> IntArray:
        """Columns of [X P W] that take part: all of X, P's directions, W of open columns."""
        b = self.width
        used = np.concatenate([np.arange(b), b + np.arange(self.n_steps)])
        if not with_residuals:
            return used
        open_columns = np.flatnonzero(self.residuals > self.tol)
        return np.concatenate([used, 2 * b + open_columns])

    def _result(self, history: list[FloatArray]) -> Eigenpairs:
        k = self.k
        mu = self.mu[:k]
        vanishing = mu <= VANISHING * max(float(self.mu.max()), 0.0)
        values = np.divide(1.0, mu, out=np.full(k, np.inf), where=~vanishing)
        return Eigenpairs(
            values,
            np.ascontiguousarray(self.X[:, :k]),
            self.residuals[:k].copy(),
            self._arrived(),
            len(history) - 1,
            history,
        )


def _stagnates(history: list[FloatArray]) -> bool:
    if len(history) <= STAGNATION_WINDOW:
        return False
    worst = [float(h.max()) for h in history]
    return min(worst[-STAGNATION_WINDOW:]) > 0.75 * min(worst[:-STAGNATION_WINDOW])


def _gram(left: list[FloatArray], right: FloatArray) -> FloatArray:
    result = np.empty((len(left) * left[0].shape[1], right.shape[1]))
    _native.gram(left, right, result)
    return result


def _combine(inputs: list[FloatArray], outputs: list[FloatArray], coefficients: FloatArray) -> None:
    _native.combine(inputs, outputs, np.ascontiguousarray(coefficients, dtype=inputs[0].dtype))


def _bordered(old: FloatArray, new_columns: FloatArray) -> FloatArray:
    """The symmetric matrix whose first block and whose last columns are given."""
    n_old = len(old)
    new = _symmetric(new_columns[n_old:])
    return np.block([[old, new_columns[:n_old]], [new_columns[:n_old].T, new]])


def _symmetric(A: FloatArray) -> FloatArray:
    return (A + A.T) / 2


def _widened(A: FloatArray, columns: int) -> FloatArray:
    return np.hstack([A, np.zeros((len(A), columns - A.shape[1]))])
