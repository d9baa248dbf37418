"""Converged eigenvalues, and evidence for them that does not rest on the solver they came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg

from fastge import Constraints, merge
from fastge.spectrum import eigenpairs
from measure import Facts
from peers import approximate_cholesky, on_blocks
from problems import ExpandedPencil, expanded_pencil

TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Reference:
    """μ = 1/λ in descending order, and how near each is to an eigenvalue for certain."""

    mu: np.ndarray
    bounds: np.ndarray
    """Relative: some eigenvalue lies within bounds · μ of μ."""
    overlap: float
    """max |Xᵀ L_G X − I|: far below one, the vectors belong to different eigenvalues."""

    def facts(self, nodes: int, others: Sequence[Sequence[float]]) -> Facts:
        """A Ritz value never exceeds μ of its rank: one that does, finds a pair that was missed."""
        excess = max((float(np.max(np.array(mu) / self.mu - 1)) for mu in others), default=0.0)
        bound = float(self.bounds.max())
        summary = (
            f"residual bounds ≤ {bound:.0e}, vectors orthogonal to {self.overlap:.0e}, "
            f"no method finds more than {max(excess, 0.0):.0e} above it"
        )
        return {
            "nodes": nodes,
            "mu": self.mu.tolist(),
            "bounds": self.bounds.tolist(),
            "overlap": self.overlap,
            "excess": excess,
            "summary": summary,
        }


def converged(adjacency: sp.csr_array, labels: np.ndarray, k: int) -> Reference:
    """fastge's values at a tight tolerance, checked with matrices and a solver not its own."""
    implied = merge(adjacency, Constraints.from_labels(labels))
    pairs = eigenpairs(implied, k, tol=TOLERANCE)
    pencil = expanded_pencil(adjacency, labels)
    X = pairs.vectors
    gram = X.T @ (pencil.L_G @ X)
    scale = np.sqrt(np.diag(gram))
    overlap = float(np.abs(gram / np.outer(scale, scale) - np.eye(k)).max())
    return Reference(1 / pairs.values, _bounds(pencil, X / scale, 1 / pairs.values), overlap)


def _bounds(pencil: ExpandedPencil, X: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """√(rᵀ L_G⁺ r) / μ with r = L_H x − μ L_G x, for xᵀ L_G x = 1."""
    L_G = pencil.L_G
    M = on_blocks(approximate_cholesky(L_G, 2).matvec, L_G.shape[0])
    bounds = []
    for r, value in zip((pencil.apply_L_H(X) - (L_G @ X) * mu).T, mu, strict=True):
        z, _ = cg(L_G, r - r.mean(), rtol=1e-8, maxiter=500, M=M)
        bounds.append(np.sqrt(max(float(r @ z), 0.0)) / value)
    return np.array(bounds)
