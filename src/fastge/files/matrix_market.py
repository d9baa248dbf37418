"""Matrix Market files: a banner, comments, a line of sizes, one entry per line.

SciPy's own reader ends the whole process on some damaged or compressed files, from C++ where no
exception can be caught; and it counts lines for us only if it lives.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fastge.errors import ComplexWeightError, GraphError, NotSquareError
from fastge.files.tables import as_number, as_whole, file_error, open_text
from fastge.graph import FloatArray, IntArray

_BANNER = "%%matrixmarket"
_FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
_REMEDY = "write the file again, for example with scipy.io.mmwrite"


@dataclass(frozen=True)
class Header:
    """What the first lines of a Matrix Market file announce."""

    path: Path
    is_array: bool
    has_values: bool
    is_symmetric: bool
    n: int
    entries: int
    line: int
    """The line of the sizes, which the entries follow."""

    @property
    def columns(self) -> int:
        return 1 if self.is_array else 2 + self.has_values


def read_matrix_market(path: Path) -> Any:
    """The matrix in a file, with both halves of a symmetric one."""
    header = read_header(path)
    values = _entries(header)
    if len(values) != header.entries:
        raise file_error(
            path,
            None,
            f"{header.entries} entries are announced, {len(values)} are there; {_REMEDY}",
        )
    i, j, weights = _array_ends(header, values) if header.is_array else _ends(header, values)
    if header.is_symmetric:
        off = i != j
        i, j = np.concatenate([i, j[off]]), np.concatenate([j, i[off]])
        weights = np.concatenate([weights, weights[off]])
    return sp.coo_array((weights, (i, j)), shape=(header.n, header.n)).tocsr()


def read_header(path: Path) -> Header:
    """The banner and the sizes; an error if they are not those of a real, square matrix."""
    with open_text(path) as file:
        words = file.readline().lower().split()
        if len(words) != 5 or words[:2] != [_BANNER, "matrix"]:
            raise file_error(path, 1, f"no banner '%%MatrixMarket matrix …'; {_REMEDY}")
        layout, field, symmetry = words[2:]
        if field == "complex":
            raise ComplexWeightError("the matrix is complex; write its absolute values")
        if symmetry == "skew-symmetric":
            raise GraphError("the matrix is skew-symmetric, so half its weights are negative")
        if (
            layout not in ("array", "coordinate")
            or field not in _FIELDS
            or symmetry not in ("general", "symmetric")
        ):
            raise file_error(path, 1, f"unknown kind of matrix '{' '.join(words[2:])}'; {_REMEDY}")
        useful = ((at, text) for at, text in enumerate(file, 2) if text.partition("%")[0].strip())
        line, text = next(useful, (0, ""))
    if not line:
        raise file_error(path, None, f"no line of sizes below the banner; {_REMEDY}")
    is_array, is_symmetric = layout == "array", symmetry == "symmetric"
    sizes = [as_whole(cell) for cell in text.split()]
    n, entries = _sizes(path, line, sizes, is_array, is_symmetric)
    return Header(path, is_array, field != "pattern", is_symmetric, n, entries, line)


def _sizes(
    path: Path, line: int, sizes: list[int | None], is_array: bool, is_symmetric: bool
) -> tuple[int, int]:
    known = [size for size in sizes if size is not None and size >= 0]
    if len(known) != len(sizes) or len(sizes) != (2 if is_array else 3):
        wanted = "rows and columns" if is_array else "rows, columns and entries"
        raise file_error(path, line, f"this line must give {wanted}; {_REMEDY}")
    n = known[0]
    if n != known[1]:
        raise NotSquareError(
            f"the matrix is {n} × {known[1]}; a graph needs as many rows as columns"
        )
    full = n * (n + 1) // 2 if is_symmetric else n * n
    return n, full if is_array else known[2]


def _entries(header: Header) -> Any:
    names = ["w"] if header.is_array else ["i", "j", "w"][: header.columns]
    kinds = {"i": np.int64, "j": np.int64, "w": np.float64}
    dtype = [(name, kinds[name]) for name in names]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            warnings.filterwarnings("ignore", message=".*contained no data", category=UserWarning)
            return np.loadtxt(
                header.path,
                dtype=dtype,
                comments="%",
                skiprows=header.line,
                encoding="utf-8",
                ndmin=1,
            )
    except (ValueError, DeprecationWarning) as cause:
        _raise_at_first_bad_line(header)
        raise file_error(header.path, None, f"{cause}; {_REMEDY}") from cause


def _ends(header: Header, entries: Any) -> tuple[IntArray, IntArray, FloatArray]:
    i, j = entries["i"] - 1, entries["j"] - 1
    if len(entries) and (min(i.min(), j.min()) < 0 or max(i.max(), j.max()) >= header.n):
        _raise_at_first_bad_line(header)
    return i, j, entries["w"] if header.has_values else np.ones(len(entries))


def _array_ends(header: Header, entries: Any) -> tuple[IntArray, IntArray, FloatArray]:
    """Rows and columns of a dense matrix written column by column, a symmetric one below i ≥ j."""
    if header.is_symmetric:
        j, i = np.triu_indices(header.n)
    else:
        j, i = np.divmod(np.arange(header.n**2), header.n)
    return i, j, entries["w"]


def _raise_at_first_bad_line(header: Header) -> None:
    for line, cells in _lines(header):
        if len(cells) != header.columns:
            wanted = ("value", "", "row, column", "row, column and value")[
                0 if header.is_array else header.columns
            ]
            message = f"{len(cells)} numbers where {wanted} should be"
        elif not header.is_array and (outside := _outside(header, cells[:2])):
            message = f"'{outside}' is not a row or column number from 1 to {header.n}"
        elif header.has_values and as_number(cells[-1]) is None:
            message = f"value '{cells[-1]}' is not a number"
        else:
            continue
        raise file_error(header.path, line, f"{message}; {_REMEDY}")


def _lines(header: Header) -> Iterator[tuple[int, list[str]]]:
    with open_text(header.path) as file:
        for line, text in enumerate(file, 1):
            cells = text.partition("%")[0].split()
            if line > header.line and cells:
                yield line, cells


def _outside(header: Header, ends: list[str]) -> str | None:
    for cell in ends:
        number = as_whole(cell)
        if number is None or not 1 <= number <= header.n:
            return cell
    return None
