"""The block solver on its own: any operators, any preconditioner, honest about its end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.linalg as la

from fastge import eigensolver
from fastge.components import centred
from fastge.eigensolver import Problem, solve
from fastge.graph import FloatArray


class Dense:
    """A matrix as the solver wants it."""

    def __init__(self, matrix: FloatArray) -> None:
        self.matrix = matrix

    def apply(self, X: FloatArray, out: FloatArray) -> FloatArray:
        out[...] = self.matrix @ X
        return out

    def diagonal(self) -> FloatArray:
        return np.diag(self.matrix)


def laplacian(rng: np.random.Generator, n: int, density: float) -> FloatArray:
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    W[np.arange(n - 1), np.arange(1, n)] += 0.1
    W += W.T
    return np.asarray(np.diag(W.sum(axis=1)) - W)


def a_problem(seed: int, n: int = 80, **changes: Any) -> tuple[Problem, FloatArray, FloatArray]:
    """With Jacobi's preconditioner, a random start of eight columns and the exact μ."""
    rng = np.random.default_rng(seed)
    G, H = laplacian(rng, n, 0.1), laplacian(rng, n, 0.05)
    inverse = 1 / np.diag(G)[:, None]
    parts = {
        "L_G": Dense(G),
        "L_H": Dense(H),
        "precondition": lambda R: inverse * R,
        "project": centred,
    }
    basis = la.null_space(np.ones((1, n)))
    mu = la.eigh(basis.T @ H @ basis, basis.T @ G @ basis, eigvals_only=True)[::-1]
    return Problem(**{**parts, **changes}), rng.standard_normal((n, 8)), mu


@pytest.mark.parametrize("seed", range(10))
def test_smallest_eigenvalues(seed: int) -> None:
    problem, start, mu = a_problem(seed)
    pairs = solve(problem, start, 3, tol=1e-8, max_iterations=500)
    assert pairs.converged
    np.testing.assert_allclose(pairs.values, 1 / mu[:3], rtol=1e-9)
    X = pairs.vectors
    np.testing.assert_allclose(X.T @ problem.L_G.matrix @ X, np.eye(3), atol=1e-9)  # type: ignore[attr-defined]
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    assert len(pairs.history) == pairs.iterations + 1


def test_too_few_iterations_are_admitted() -> None:
    problem, start, _ = a_problem(0)
    pairs = solve(problem, start, 3, tol=1e-10, max_iterations=3)
    assert not pairs.converged
    assert pairs.iterations == 3
    assert pairs.residuals.max() > 1e-10


def test_stagnation_ends_it() -> None:
    """A tolerance below rounding cannot be met: residuals stop falling, and so does the solver."""
    problem, start, _ = a_problem(1)
    pairs = solve(problem, start, 3, tol=1e-40, max_iterations=100_000)
    assert not pairs.converged
    assert pairs.iterations < 2000
    assert pairs.residuals.max() < 1e-10


@pytest.mark.parametrize(
    "columns", [np.zeros((80, 8)), np.ones((80, 8)), np.ones((80, 1)) * range(8)]
)
def test_a_start_without_information_is_replaced_by_noise(columns: FloatArray) -> None:
    problem, _, mu = a_problem(3)
    pairs = solve(problem, columns.astype(float), 3, tol=1e-8, max_iterations=500)
    assert pairs.converged
    np.testing.assert_allclose(pairs.values, 1 / mu[:3], rtol=1e-9)


def test_a_start_that_misses_an_eigenvector_finds_it() -> None:
    """Exact eigenvectors but for the first one: nothing that is known points to it."""
    problem, _, mu = a_problem(4)
    G, H = problem.L_G.matrix, problem.L_H.matrix  # type: ignore[attr-defined]
    basis = la.null_space(np.ones((1, 80)))
    exact = basis @ la.eigh(basis.T @ H @ basis, basis.T @ G @ basis)[1][:, ::-1]
    problem = replace(problem, precondition=la.pinvh(G).__matmul__)
    pairs = solve(problem, exact[:, 1:9].copy(), 3, tol=1e-6, max_iterations=500)
    np.testing.assert_allclose(pairs.values, 1 / mu[:3], rtol=1e-6)


@pytest.mark.parametrize("power", [4, 8, 12])
def test_eigenvalues_far_apart(power: int) -> None:
    """L_H = a strong edge and very little of L_G: μ spans so many decades."""
    rng = np.random.default_rng(0)
    G = laplacian(rng, 60, 0.1)
    edge = np.zeros(60)
    edge[[3, 40]] = 1, -1
    problem = Problem(
        Dense(G), Dense(np.outer(edge, edge) + 10.0**-power * G), la.pinvh(G).__matmul__, centred
    )
    pairs = solve(problem, rng.standard_normal((60, 8)), 4, tol=1e-3, max_iterations=100)
    X = pairs.vectors
    np.testing.assert_allclose(X.T @ G @ X, np.eye(4), atol=1e-8)
    resistance = edge @ la.pinvh(G) @ edge
    np.testing.assert_allclose(1 / pairs.values[0], resistance + 10.0**-power, rtol=1e-9)
    np.testing.assert_allclose(1 / pairs.values[1:], 10.0**-power, rtol=1e-2)


def test_observer_sees_every_iteration() -> None:
    problem, start, _ = a_problem(5)
    seen: list[int] = []
    pairs = solve(
        problem, start, 2, tol=1e-4, max_iterations=200, observe=lambda i, r: seen.append(i)
    )
    assert seen == list(range(pairs.iterations + 1))
    assert len(seen) > eigensolver.REFRESH_EVERY
