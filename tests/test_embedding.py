"""Rows of the embedding are unit vectors, whatever the eigenvectors' scale and shift."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fastge.embedding import embed
from fastge.merging import merge
from strategies import Problem, problems


@given(problems(decades=2.0), st.integers(0, 2**32 - 1))
def test_formula(problem: Problem, seed: int) -> None:
    rng, pencil = np.random.default_rng(seed), problem.pencil
    X = rng.standard_normal((problem.n, 3))
    embedding = embed(pencil, X)
    d = pencil.degrees if pencil.degrees.any() else np.ones(problem.n)
    Y = X - d @ X / d.sum()
    energies = pencil.L_H.energy(Y)
    Y /= np.sqrt(np.where(energies > 0, energies, 1))
    np.testing.assert_allclose(embedding.lengths, np.linalg.norm(Y, axis=1), rtol=1e-9)
    np.testing.assert_allclose(embedding.rows * embedding.lengths[:, None], Y, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(embedding.rows, axis=1), 1)


@given(problems(decades=2.0), st.integers(0, 2**32 - 1))
def test_scale_and_shift_do_not_matter(problem: Problem, seed: int) -> None:
    rng, pencil = np.random.default_rng(seed), problem.pencil
    X = rng.standard_normal((problem.n, 2))
    if not pencil.L_H.toarray().any():
        return
    one, other = embed(pencil, X), embed(pencil, 3 * X + [5.0, -1.0])
    np.testing.assert_allclose(other.rows, one.rows, atol=1e-7)


def test_zero_rows_stay_zero_and_the_input_as_it_was() -> None:
    pencil = merge(np.ones((4, 4)) - np.eye(4))
    X = np.array([[1.0], [-1.0], [0.0], [0.0]])
    copy = X.copy()
    np.testing.assert_array_equal(embed(pencil, X).rows, X)
    np.testing.assert_array_equal(X, copy)
