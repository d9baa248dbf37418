"""The cycle: smooth, restrict, recurse, prolong, smooth.

Linear, symmetric and positive on each component's complement of the constants, so it may be used
inside conjugate gradients and block eigensolvers. Sources and rules: docs/method.md.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastge import _native
from fastge.graph import FloatArray, IntArray
from fastge.multigrid.grouping import Aggregation, Elimination
from fastge.multigrid.hierarchy import Level, Levels

DAMPING = 0.5


@dataclass(frozen=True, eq=False)
class _Smoothed:
    """A level that is smoothed and corrected from a coarser one."""

    rows: tuple[IntArray, IntArray, FloatArray]
    scale: FloatArray
    transfer: Aggregation


@dataclass(frozen=True, eq=False)
class _Solved:
    """The last level: a dense inverse, or one half Jacobi step where there is none."""

    inverse: FloatArray | None
    scale: FloatArray


class Cycle:
    """x ≈ L⁺ b on blocks of one floating-point type, from any level of a hierarchy downwards."""

    def __init__(self, levels: Levels, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self._repeats = [level.repeats for level in levels]
        self._levels = [self._prepare(level) for level in levels]
        self._sizes = [level.graph.n for level in levels]
        self._buffers = threading.local()

    def _prepare(self, level: Level) -> _Smoothed | _Solved | Elimination:
        if isinstance(level.transfer, Elimination):
            return level.transfer
        degrees = level.graph.degrees
        scale = np.zeros_like(degrees)
        np.divide(DAMPING, degrees, out=scale, where=degrees > 0)
        scale = scale.astype(self.dtype)
        if level.transfer is None:
            inverse = level.inverse
            return _Solved(None if inverse is None else inverse.astype(self.dtype), scale)
        graph = level.graph
        rows = (graph.indptr, graph.indices, graph.weights.astype(self.dtype, copy=False))
        return _Smoothed(rows, scale, level.transfer)

    def __call__(self, b: FloatArray, at: int = 0) -> FloatArray:
        """One cycle for the columns of b (n × width, this cycle's dtype), started at level `at`.

        The result is a buffer that the next call overwrites.
        """
        return self._run(at, b, 1)

    def _buffer(self, name: str, at: int, width: int) -> FloatArray:
        store: dict[Any, FloatArray] = self._buffers.__dict__
        key = (name, at, width)
        if key not in store:
            store[key] = np.empty((self._sizes[at], width), dtype=self.dtype)
        return store[key]

    def _run(self, at: int, b: FloatArray, repeats: int) -> FloatArray:
        level, width = self._levels[at], b.shape[1]
        if isinstance(level, _Solved):
            return self._last(level, at, b)
        if isinstance(level, Elimination):
            eliminated = self._buffer("b", at, width)
            if eliminated is not b:
                eliminated[...] = b
            x_kept = self._run(at + 1, level.forward(eliminated), repeats)
            return level.backward(eliminated, x_kept, self._buffer("x", at, width))
        x, other = self._buffer("x", at, width), self._buffer("other", at, width)
        coarse = self._buffer("b", at + 1, width)
        transfer = level.transfer
        for repeat in range(repeats):
            if repeat == 0:
                _native.scale_rows(level.scale, b, x)
            else:
                _native.relax(*level.rows, level.scale, b, x, other)
                x, other = other, x
            members = transfer.start, transfer.members
            _native.restrict_residual(*level.rows, *members, b, x, other, coarse)
            z = self._run(at + 1, coarse, self._repeats[at])
            _native.prolong_relax(*level.rows, transfer.group, level.scale, b, z, x, other)
            x, other = other, x
        return x

    def _last(self, level: _Solved, at: int, b: FloatArray) -> FloatArray:
        x = self._buffer("x", at, b.shape[1])
        if level.inverse is None:
            _native.scale_rows(level.scale, b, x)
            return x
        return np.matmul(level.inverse, b, out=x)
