"""Figures of each column of a block, as conjugate gradients for several right-hand sides need."""

from __future__ import annotations

import numpy as np

from fastge import _native
from fastge.graph import FloatArray


def dots(x: FloatArray, y: FloatArray) -> FloatArray:
    """xᵀ_c y_c of every column c"""
    result = np.empty(x.shape[1])
    _native.column_dots(x, y, result)
    return result


def ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """a / b, zero where b is: a column that has arrived stays where it is."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
