"""The preconditioners that fastge is measured against; the only file that imports them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

try:
    import approx_chol
    import pyamg
except ImportError as missing:
    raise SystemExit(f"{missing}; the peers come with: pip install 'fastge[test]'") from missing


def smoothed_aggregation(L: sp.csr_array) -> LinearOperator:
    """One cycle of pyamg's smoothed aggregation, as it comes."""
    return pyamg.smoothed_aggregation_solver(sp.csr_matrix(L)).aspreconditioner()


def approximate_cholesky(L: sp.csr_array, split: int | None = None) -> Any:
    """AC, or AC(split): more copies of an edge cost setup and memory and save iterations."""
    return approx_chol.factorize(L, approx_chol.Config(seed=0, split=split))


def pyamg_cg(*arguments: Any, **options: Any) -> Any:
    return pyamg.krylov.cg(*arguments, **options)


def on_blocks(apply: Callable[[np.ndarray], np.ndarray], n: int) -> LinearOperator:
    """A preconditioner of single vectors, applied to every column and kept off the constants."""

    def columns(R: np.ndarray) -> np.ndarray:
        centred = np.asfortranarray(R - R.mean(axis=0))
        if R.ndim == 1:
            return _centred(apply(centred))
        return _centred(np.column_stack([apply(column) for column in centred.T]))

    return LinearOperator((n, n), matvec=columns, matmat=columns, dtype=np.float64)


def _centred(Z: np.ndarray) -> np.ndarray:
    return Z - Z.mean(axis=0)
