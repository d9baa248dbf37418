"""Eigenvectors → points: one row per node, on the unit sphere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastge.graph import FloatArray
from fastge.pencil import Pencil


@dataclass(frozen=True, eq=False)
class Embedding:
    """Unit rows, and their lengths before scaling."""

    rows: FloatArray
    lengths: FloatArray

    def leading(self, count: int) -> FloatArray:
        """Unit rows from the first `count` eigenvectors only."""
        return _unit(self.rows[:, :count])[0]


def embed(pencil: Pencil, eigenvectors: FloatArray) -> Embedding:
    """x ← x − (xᵀd / 1ᵀd) 1, x ← x / √(xᵀ L_H x), then rows of unit length.

    Rows that are zero stay zero: such a node sits at the centre and belongs nowhere in particular.
    """
    d = pencil.degrees if pencil.degrees.any() else np.ones(pencil.n)
    X = eigenvectors - (d @ eigenvectors) / d.sum()
    norms = np.sqrt(np.maximum(pencil.L_H.energy(X), 0.0))
    X /= np.where(norms > 0, norms, 1.0)
    return Embedding(*_unit(X))


def _unit(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    lengths: FloatArray = np.linalg.norm(X, axis=1)
    return X / np.where(lengths > 0, lengths, 1.0)[:, None], lengths
