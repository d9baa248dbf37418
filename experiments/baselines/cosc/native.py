"""The inner problem of RatioDCA, solved by the native loop of kernels.cpp.

min over ‖x‖ ≤ 1 of  Σ_e w_e |x_i − x_j| + (γ vol(Q)/2) (max x − min x) − ⟨x, h⟩
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from baselines.compiled import library
from baselines.cosc.functional import Functional
from fastge.graph import FloatArray

_SOURCE = Path(__file__).with_name("kernels.cpp")
_LIPSCHITZ = 4.0


class _Graph(ctypes.Structure):
    _fields_ = (
        ("n", ctypes.c_int64),
        ("m", ctypes.c_int64),
        ("tail", ctypes.c_void_p),
        ("head", ctypes.c_void_p),
        ("weight", ctypes.c_void_p),
        ("leaving_start", ctypes.c_void_p),
        ("entering_start", ctypes.c_void_p),
        ("entering", ctypes.c_void_p),
    )


class _Problem(ctypes.Structure):
    _fields_ = (
        ("linear", ctypes.c_void_p),
        ("range", ctypes.c_double),
        ("edge_step", ctypes.c_double),
        ("node_step", ctypes.c_double),
        ("most_iterations", ctypes.c_int64),
    )


class _State(ctypes.Structure):
    _fields_ = (
        ("flow", ctypes.c_void_p),
        ("low", ctypes.c_void_p),
        ("x", ctypes.c_void_p),
        ("primal", ctypes.c_double),
        ("dual", ctypes.c_double),
    )


@dataclass(frozen=True, eq=False)
class InnerSolution:
    """A point of the unit ball with its value, the lower bound on all values, and the effort."""

    x: FloatArray
    primal: float
    dual: float
    iterations: int


class InnerSolver:
    """FISTA on the dual. Its variables are kept: each problem starts where the last one ended."""

    def __init__(self, functional: Functional, f: FloatArray) -> None:
        n = functional.instance.n
        self.range = functional.range_weight / 2
        self.tail, self.head, self.weight = functional.edges
        self.entering = np.argsort(self.head, kind="stable").astype(np.int32)
        self.leaving_start, self.entering_start = (
            _starts(ends, n) for ends in functional.edges[:2]
        )
        degree = np.diff(self.leaving_start) + np.diff(self.entering_start)
        self.edge_step = 2 / (_LIPSCHITZ * max(int(degree.max()), 1))
        self.flow = np.zeros(len(self.weight))
        self.low = np.zeros(n)
        self.low[f.argmin()] = 1.0

    def __call__(self, h: FloatArray, most_iterations: int) -> InnerSolution:
        linear = np.ascontiguousarray(h / self.range if self.range else h)
        x = np.empty(len(linear))
        state = _State(_address(self.flow), _address(self.low), _address(x), 0.0, 0.0)
        iterations = _library().cosc_inner(
            ctypes.byref(self._graph(len(linear))),
            ctypes.byref(
                _Problem(
                    _address(linear),
                    self.range,
                    self.edge_step,
                    2 / _LIPSCHITZ,
                    most_iterations,
                )
            ),
            ctypes.byref(state),
        )
        return InnerSolution(x, state.primal, state.dual, iterations)

    def _graph(self, n: int) -> _Graph:
        arrays = (
            *(self.tail, self.head, self.weight),
            *(self.leaving_start, self.entering_start, self.entering),
        )
        return _Graph(n, len(self.weight), *map(_address, arrays))


def _library() -> ctypes.CDLL:
    loaded = library(_SOURCE)
    loaded.cosc_inner.restype = ctypes.c_int64
    return loaded


def _starts(ends: FloatArray, n: int) -> FloatArray:
    return np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=n))]).astype(np.int64)


def _address(array: FloatArray) -> int:
    return int(array.ctypes.data)
