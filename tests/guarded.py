"""Every kernel on arrays right before a page that must not be touched; run as a program.

An access beyond the end of an array ends the process. Such an access may come from the compiler,
and everywhere else it nearly always goes unnoticed.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from typing import Any

import numpy as np

from fastge import _native

PAGE = mmap.PAGESIZE
NO_ACCESS = 0
ROWS = (1, 3, 61, 64, 129)
WIDTHS = (1, 2, 3, 4, 5, 8, 12, 16, 17, 20)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def guarded(values: Any) -> Any:
    """A copy that ends where a page begins that may not be read or written."""
    values = np.ascontiguousarray(values)
    pages = -(-values.nbytes // PAGE) * PAGE
    memory = mmap.mmap(-1, pages + PAGE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if _libc.mprotect(base + pages, PAGE, NO_ACCESS) != 0:
        raise OSError(ctypes.get_errno(), "mprotect failed")
    array = np.frombuffer(
        memory, values.dtype, count=values.size, offset=pages - values.nbytes
    ).reshape(values.shape)
    array[...] = values
    return array


def kernels_stay_inside(n: int, width: int, dtype: Any) -> None:
    rng = np.random.default_rng(n * width)

    def block(rows: int = n, columns: int = width) -> Any:
        return guarded(rng.standard_normal((rows, columns)).astype(dtype))

    i = np.arange(n)
    neighbours = np.sort(np.column_stack([(i + 1) % n, (i + 2) % n]), axis=1)
    csr = (
        guarded(np.arange(0, 2 * n + 1, 2)),
        guarded(neighbours.ravel().astype(np.int32)),
        guarded(rng.random(2 * n).astype(dtype)),
    )
    scale, half = guarded(rng.random(n).astype(dtype)), -(-n // 2)
    group = guarded((i // 2).astype(np.int32))
    start = guarded(np.minimum(np.arange(0, 2 * half + 1, 2), n))
    members = guarded(i.astype(np.int32))
    x, b, out, coarse = block(), block(), block(), block(half)
    _native.laplacian(*csr, x, out)
    _native.relax(*csr, scale, b, x, out)
    _native.restrict_residual(*csr, start, members, b, x, out, coarse)
    _native.prolong_relax(*csr, group, scale, b, coarse, x, out)
    _native.scale_rows(scale, x, out)
    per_column = [guarded(rng.random(width)) for _ in range(2)]
    _native.scale_shift(scale, scale, per_column[0], x, out)
    _native.axpby(per_column[0], x, per_column[1], out)
    _native.column_dots(x, b, per_column[0])
    _native.centre(out)
    _native.gram([x, b, out], x, guarded(np.empty((3 * width, width))))
    _native.combine([x, b, out], [x, b], block(3 * width, 2 * width))


def main() -> None:
    for name in _native.instruction_sets():
        _native.use_instruction_set(name)
        for n in ROWS:
            for width in WIDTHS:
                for dtype in (np.float32, np.float64):
                    sys.stderr.write(f"{name} {n} {width} {np.dtype(dtype)}\n")
                    kernels_stay_inside(n, width, dtype)


if __name__ == "__main__":
    main()
