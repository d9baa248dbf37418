"""Dot products and ratios, column by column."""

from __future__ import annotations

import numpy as np

from fastge.columns import dots, ratio


def test_dots_of_columns() -> None:
    x, y = np.random.default_rng(0).standard_normal((2, 50, 3))
    np.testing.assert_allclose(dots(x, y), np.einsum("ij,ij->j", x, y), rtol=1e-13)


def test_nothing_over_nothing_is_nothing() -> None:
    np.testing.assert_array_equal(ratio(np.array([1.0, 0.0, 3.0]), np.array([2.0, 0.0, 0.0])),
                                  [0.5, 0.0, 0.0])  # fmt: skip
