"""Preconditioned block solver for L_G x = λ L_H x, given any preconditioner of L_G.

Works in the L_G inner product and looks for the largest μ = 1/λ of L_H x = μ L_G x, since L_H may
be singular. Basis per step: iterates X, preconditioned residuals W = M⁻¹(L_H X − L_G X μ) and the
last step P, as in Knyazev's LOBPCG. Deviations: the basis is made L_G-orthonormal in coefficients
(see `orthogonal`), converged columns are locked softly, guard columns are carried along, and the
residual is measured in the norm of M⁻¹, which bounds the relative error of μ.
"""

from __future__ import annotations

import math
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
LEAST_ITERATIONS = 2
"""Iterations that noise in the guard columns is given to reveal what the start was blind to."""
STAGNATION_WINDOW, STAGNATION = 16, 0.9
"""Iterations over which the worst wanted residual has to fall on average, and to what share."""
LARGEST_AMPLIFICATION = 1e4
"""Squared length of residuals, in units of what they add to the basis, up to which coefficients
are accurate enough."""
VANISHING = 1e-13
"""μ below this share of the largest one counts as zero, λ as infinite."""


class Operator(Protocol):
    """What the solver needs of a Laplacian."""

    def apply(self, X: FloatArray, out: FloatArray) -> FloatArray: ...

    def diagonal(self) -> FloatArray: ...


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
            self._residual_block(explore=iteration == 0)
            history.append(self.residuals[: self.k].copy())
            if observe is not None:
                observe(iteration, history[-1])
            arrived = self._arrived() and iteration >= LEAST_ITERATIONS
            if arrived or iteration == max_iterations or _stagnates(history):
                break
            if not self._step():
                break
        return self._result(history)

    def _arrived(self) -> bool:
        return bool((self.residuals[: self.k] <= self.tol).all())

    def _start(self) -> None:
        """X made L_G-orthonormal and rotated to Ritz vectors, filled up with noise if need be."""
        self._refresh()
        if not self.rank_is_full:
            self.P[...] = self._noise(self.width)
            self.P = self.problem.project(self.P)
            self.n_steps = self.width
            self._refresh()

    def _noise(self, columns: int) -> FloatArray:
        """Random numbers in so many last columns, zeros before."""
        noise: FloatArray = np.zeros_like(self.X)
        size = (len(noise), columns)
        noise[:, self.width - columns :] = np.random.default_rng(0).standard_normal(size)
        return noise

    def _refresh(self) -> None:
        """[X P] made orthonormal anew, with L_G X and L_G P computed, not updated."""
        basis, images = [self.X, self.P], [self.GX, self.GP]
        for block, image in zip(basis, images, strict=True):
            self.problem.project(block)
            self.problem.L_G.apply(block, image)
        used = self._used(np.arange(0))
        gram = _symmetric(np.hstack([_gram(basis, image) for image in images]))[np.ix_(used, used)]
        columns = [_gram(basis, self.problem.L_H.apply(block, self.T)) for block in basis]
        energy: FloatArray = _symmetric(np.hstack(columns))[np.ix_(used, used)]
        rotation = orthonormalizer(gram, np.diag(gram), self.drop)
        energy = _symmetric(rotation.T @ energy @ rotation)
        vectors = la.eigh(energy)[1][:, ::-1]
        chosen, steps = vectors[:, : self.width], vectors[:, self.width :]
        self._rotate(basis, images, used, rotation, energy, chosen, steps)

    def _residual_block(self, *, explore: bool) -> None:
        """T = L_H X − L_G X μ, W = M⁻¹ T, and the residual of every column.

        With `explore` the guard columns of T become L_H times noise. A block from coarser levels
        knows nothing of vectors that cancel within a group of nodes, such as the difference of
        two twins, and iterating on what it knows would never find them.
        """
        self.problem.L_H.apply(self.X, self.T)
        _native.axpby(-self.mu, self.GX, np.ones(self.width), self.T)
        if explore and self.k < self.width:
            noise = self._noise(self.width - self.k)
            diagonal = np.maximum(self.problem.L_H.diagonal(), np.finfo(np.float32).tiny)
            noise /= np.sqrt(diagonal)[:, None].astype(noise.dtype)  # all vectors alike in L_H
            self.problem.L_H.apply(noise, self.W)
            self.T[:, self.k :] = self.W[:, self.k :]
        self.W[...] = self.problem.precondition(self.T)
        self.W = self.problem.project(self.W)
        squares = np.empty(self.width)
        _native.column_dots(self.T, self.W, squares)
        floor = VANISHING * max(float(self.mu.max()), 0.0)
        scale = np.maximum(self.mu, floor)
        self.residuals = np.sqrt(np.maximum(squares, 0)) / np.where(scale > 0, scale, 1)

    def _step(self) -> bool:
        """One Rayleigh–Ritz step in [X P W]; False when W adds nothing."""
        new: IntArray = np.flatnonzero(self.residuals > self.tol)
        overlap, energy, rotation = self._orthonormal_basis(new)
        for _ in range(2):
            if _amplification(rotation, overlap) < LARGEST_AMPLIFICATION:
                break
            new = self._rewrite_residuals(new, rotation)
            overlap, energy, rotation = self._orthonormal_basis(new)
        if rotation.shape[1] == len(self.energy_XP):
            return False
        small = _bordered(self.energy_XP, energy)
        small = _symmetric(rotation.T @ small @ rotation)
        chosen = la.eigh(small)[1][:, ::-1][:, : self.width]
        steps = direction_coefficients(chosen, self.width)
        basis, images = [self.X, self.P, self.W], [self.GX, self.GP, self.GW]
        self._rotate(basis, images, self._used(new), rotation, small, chosen, steps)
        return True

    def _orthonormal_basis(self, new: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """[X P W]ᵀ L_G W, [X P W]ᵀ L_H W and coefficients of an orthonormal basis.

        They leave [X P] alone, which is orthonormal already; `new` are the columns of W to use.
        """
        basis, where = [self.X, self.P, self.W], np.ix_(self._used(new), new)
        overlap = _gram(basis, self.problem.L_G.apply(self.W, self.GW))[where]
        energy = _gram(basis, self.problem.L_H.apply(self.W, self.T))[where]
        n_old = len(self.energy_XP)
        against, own = overlap[:n_old], _symmetric(overlap[n_old:])
        rest = _symmetric(own - against.T @ against)
        T = orthonormalizer(rest, np.diag(own), self.drop)
        rotation = np.block([[np.eye(n_old), -against @ T], [np.zeros((len(own), n_old)), T]])
        return overlap, energy, rotation

    def _rewrite_residuals(self, new: IntArray, rotation: FloatArray) -> IntArray:
        """W made orthonormal in vectors, where coefficients alone would lose too many digits."""
        columns = rotation[:, len(self.energy_XP) :]
        full = np.zeros((3 * self.width, self.width))
        full[self._used(new), : columns.shape[1]] = columns
        _combine([self.X, self.P, self.W], [self.W], full)
        self.W = self.problem.project(self.W)
        return np.arange(columns.shape[1])

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
        self.rank_is_full = chosen.shape[1] == self.width
        both = np.hstack([_widened(chosen, self.width), steps])
        self.energy_XP = _symmetric(both.T @ energy @ both)
        self.mu = np.diag(self.energy_XP)[: self.width].copy()
        self.n_steps = steps.shape[1]
        full = np.zeros((len(basis) * self.width, 2 * self.width))
        full[used, : self.width + self.n_steps] = rotation @ both
        _combine(basis, [self.X, self.P], full)
        _combine(images, [self.GX, self.GP], full)

    def _used(self, new: IntArray) -> IntArray:
        """Columns of [X P W] that take part: all of X, P's directions, and `new` ones of W."""
        b = self.width
        return np.concatenate([np.arange(b), b + np.arange(self.n_steps), 2 * b + new])

    def _result(self, history: list[FloatArray]) -> Eigenpairs:
        k = self.k
        order = np.argsort(-self.mu[:k], kind="stable")  # rounding swaps those all but equal
        mu = self.mu[order]
        vanishing = mu <= VANISHING * max(float(self.mu.max()), 0.0)
        values = np.divide(1.0, mu, out=np.full(k, np.inf), where=~vanishing)
        vectors, residuals = np.ascontiguousarray(self.X[:, order]), self.residuals[order]
        steps = len(history) - 1
        return Eigenpairs(values, vectors, residuals, self._arrived(), steps, history)


def _stagnates(history: list[FloatArray]) -> bool:
    """Whether the last residuals are hardly below those before: they may well go up and down."""
    if len(history) < 2 * STAGNATION_WINDOW:
        return False
    worst = np.log([max(float(h.max()), 1e-300) for h in history[-2 * STAGNATION_WINDOW :]])
    before, last = worst[:STAGNATION_WINDOW].mean(), worst[STAGNATION_WINDOW:].mean()
    return bool(last > before + math.log(STAGNATION))


def _gram(left: list[FloatArray], right: FloatArray) -> FloatArray:
    result = np.empty((len(left) * left[0].shape[1], right.shape[1]))
    _native.gram(left, right, result)
    return result


def _combine(inputs: list[FloatArray], outputs: list[FloatArray], coefficients: FloatArray) -> None:
    _native.combine(inputs, outputs, np.ascontiguousarray(coefficients, dtype=inputs[0].dtype))


def _amplification(rotation: FloatArray, overlap: FloatArray) -> float:
    """How much larger than the orthonormal columns the columns of W are that they come from."""
    n_old = len(rotation) - overlap.shape[1]
    own = np.diag(overlap[n_old:])
    return float((own @ rotation[n_old:, n_old:] ** 2).max(initial=0.0))


def _bordered(old: FloatArray, new_columns: FloatArray) -> FloatArray:
    """The symmetric matrix whose first block and whose last columns are given."""
    n_old = len(old)
    new = _symmetric(new_columns[n_old:])
    return np.block([[old, new_columns[:n_old]], [new_columns[:n_old].T, new]])


def _symmetric(A: FloatArray) -> FloatArray:
    return (A + A.T) / 2


def _widened(A: FloatArray, columns: int) -> FloatArray:
    return np.hstack([A, np.zeros((len(A), columns - A.shape[1]))])
