"""What the spectral peers share: pairs as matrices, Laplacians, rows of unit length."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from fastge.graph import FloatArray, IntArray, from_pairs


def pair_matrix(n: int, pairs: IntArray) -> sp.csr_array:
    """Symmetric n × n matrix with ones on the pairs."""
    return from_pairs(n, pairs, np.ones(len(pairs)))


def unit_rows(X: FloatArray) -> FloatArray:
    """X with rows of length one; rows of zeros stay as they are."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return np.asarray(X / np.where(lengths > 0, lengths, 1.0))


def inverse_roots(degrees: FloatArray) -> FloatArray:
    """d^(−1/2), zero where d is."""
    roots = np.zeros_like(degrees)
    np.divide(1.0, np.sqrt(degrees), out=roots, where=degrees > 0)
    return roots


def laplacian(adjacency: sp.csr_array) -> sp.csr_array:
    """D − A."""
    return sp.csr_array(sp.diags_array(row_sums(adjacency)) - adjacency)


def row_sums(matrix: sp.csr_array) -> FloatArray:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
