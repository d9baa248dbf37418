"""Bases come out orthonormal, and directions that are not there are left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastge.orthogonal import direction_coefficients, orthonormalizer


@given(st.integers(1, 10), st.integers(0, 2**32 - 1))
def test_columns_of_any_length_become_orthonormal(width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((40, width)) * 10 ** rng.uniform(-6, 6, width)
    gram = V.T @ V
    T = orthonormalizer(gram, np.diag(gram), 1e-12)
    assert T.shape == (width, width)
    np.testing.assert_allclose((V @ T).T @ (V @ T), np.eye(width), atol=1e-9)


@given(st.integers(1, 5), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_dependent_columns_are_left_out(rank: int, more: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.standard_normal((30, rank)))[0]
    mixing = np.linalg.qr(rng.standard_normal((rank + more, rank)))[0].T
    V = basis @ mixing
    gram = V.T @ V
    T = orthonormalizer(gram, np.ones(rank + more), 1e-10)
    assert T.shape == (rank + more, rank)
    np.testing.assert_allclose((V @ T).T @ (V @ T), np.eye(rank), atol=1e-7)


def test_nothing_in_nothing_out() -> None:
    assert orthonormalizer(np.zeros((0, 0)), np.zeros(0), 1e-12).shape == (0, 0)
    assert orthonormalizer(np.zeros((3, 3)), np.zeros(3), 1e-12).shape == (3, 0)
    # What a projection left of a column is rounding: it is no direction.
    assert orthonormalizer(np.diag([1e-15, 1.0]), np.ones(2), 1e-12).shape == (2, 1)


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-6])
def test_steps_are_orthonormal_and_orthogonal_to_the_iterates(size: float) -> None:
    """However small the step: digits that its first projection loses come back."""
    rng = np.random.default_rng(0)
    old = np.vstack([np.eye(4), np.zeros((6, 4))])
    chosen = np.linalg.qr(old + size * rng.standard_normal((10, 4)))[0]
    steps = direction_coefficients(chosen, 4)
    assert steps.shape[1] == 4
    np.testing.assert_allclose(steps.T @ steps, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(chosen.T @ steps, 0, atol=1e-12)
    # Together they span the old iterates.
    both = np.hstack([chosen, steps])
    np.testing.assert_allclose(both @ (both.T @ old), old, atol=1e-7)


def test_no_step_no_direction() -> None:
    chosen = np.vstack([np.linalg.qr(np.ones((3, 3)) + np.eye(3))[0], np.zeros((2, 3))])
    assert direction_coefficients(chosen, 3).shape == (5, 0)
