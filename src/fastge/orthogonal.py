"""Orthonormal blocks in a given inner product, by coefficients: robust to near-dependence.

Everything here works on Gram matrices of a few dozen columns, never on vectors of n entries.
Source: Stathopoulos and Wu's singular-vector QR; the direction block as Hetmaniuk and Lehoucq and
Duersch et al. choose it, orthogonal to the new iterates by its coefficients.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from fastge.graph import FloatArray


def orthonormalizer(gram: FloatArray, reference: FloatArray, drop: float) -> FloatArray:
    """T with Tᵀ gram T = 1, leaving out directions that are not there.

    `reference` holds the squared norms that the columns had before anything was projected out:
    what is left of a column counts only above `drop` of that.
    """
    if len(gram) == 0:
        return np.zeros((0, 0))
    scale = np.zeros(len(gram))
    alive = (np.diag(gram) > drop * reference) & (reference > 0)
    scale[alive] = 1 / np.sqrt(np.diag(gram)[alive])
    values, vectors = la.eigh(gram * scale[:, None] * scale)
    keep = values > drop * max(float(values[-1]), 0.0)
    keep &= values > 0
    return scale[:, None] * vectors[:, keep] / np.sqrt(values[keep])


def direction_coefficients(chosen: FloatArray, n_old: int, drop: float = 1e-14) -> FloatArray:
    """Orthonormal coefficients of the step from the old iterates, orthogonal to `chosen`.

    `chosen` are the orthonormal coefficients of the new iterates in a basis whose first `n_old`
    vectors are the old ones; the step is what the other vectors contribute.
    """
    step = chosen.copy()
    step[:n_old] = 0
    reference = np.einsum("ij,ij->j", step, step)
    for _ in range(2):  # tiny steps lose digits the first time
        for _ in range(2):
            step -= chosen @ (chosen.T @ step)
        step = step @ orthonormalizer(step.T @ step, reference, drop)
        reference = np.ones(step.shape[1])
    return step
