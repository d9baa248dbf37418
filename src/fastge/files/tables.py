"""Text tables: separators, headers, comments, and errors that name the line."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TextIO, TypeAlias

from fastge.errors import FileFormatError

ENCODING = "utf-8-sig"
TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
LARGEST_EXACT = 2**53  # above it, neighbouring integers are one and the same float
_SEPARATORS = (",", "\t", ";")
_HEADER_WORD = re.compile(
    r"(from|to|source|target|src|dst|node|vertex|nodes|name|id|label|class|cluster|weight|value"
    r"|confidence|score|similarity|start|end|first|second|must_link|cannot_link|i|j|u|v)"
    r"[ _-]?(id|name|node|label|\d|[abij])?",
    re.IGNORECASE,
)
_INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")

Row: TypeAlias = tuple[int, list[str]]


@dataclass(frozen=True)
class Layout:
    """How a table is written: its separator (None is white space) and its first rows."""

    path: Path
    separator: str | None
    first_rows: list[Row]
    skip: int = 0
    """Lines above the first row that counts."""

    def without_first_row(self) -> Layout:
        """The same table below its header."""
        if len(self.first_rows) == 1:
            raise file_error(self.path, None, "there are no rows under the header")
        return replace(self, first_rows=self.first_rows[1:], skip=self.first_rows[0][0])


def file_error(path: Path, line: int | None, message: str) -> FileFormatError:
    where = f"{path}:{line}" if line else f"{path}"
    return FileFormatError(f"{where}: {message}")


def suffix_of(path: Path) -> str:
    """Lower-case extension, with the one before it when the file is compressed."""
    ends = [end.lower() for end in path.suffixes]
    return "".join(ends[-2:] if ends[-1:] == [".gz"] else ends[-1:])


def check_readable(path: Path, suffixes: tuple[str, ...]) -> None:
    """Raise unless `path` is a file with content and one of the extensions."""
    with reading(path):
        if path.is_dir():
            raise file_error(path, None, "this is a directory; name a file in it")
        if not path.exists():
            names = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
            close = get_close_matches(path.name, names, 1)
            remedy = f"did you mean {path.parent / close[0]}?" if close else "check the path"
            raise file_error(path, None, f"no such file; {remedy}")
        if suffix_of(path) not in suffixes:
            raise file_error(
                path,
                None,
                f"unknown extension '{suffix_of(path)}'; fastge reads {', '.join(suffixes)} here",
            )
        with path.open("rb") as file:
            if not file.read(1):
                raise file_error(path, None, "the file is empty; write it again or name another")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Failures of the file system, of gzip and of the encoding as one-line errors."""
    try:
        yield
    except UnicodeDecodeError as cause:
        raise file_error(path, None, "not UTF-8 text; save it again as UTF-8") from cause
    except (EOFError, zlib.error) as cause:
        raise file_error(
            path, None, "the compressed data break off or are damaged; copy the file again"
        ) from cause
    except gzip.BadGzipFile as cause:
        raise file_error(path, None, "not gzip data; drop .gz from its name") from cause
    except OSError as cause:
        raise file_error(path, None, f"cannot be read: {cause.strerror or cause}") from cause


def open_text(path: Path) -> TextIO:
    """A text file, unpacked if its name ends in .gz."""
    if suffix_of(path).endswith(".gz"):
        return gzip.open(path, "rt", encoding=ENCODING, newline="")
    return path.open(encoding=ENCODING, newline="")


def _without_comment(line: str) -> str:
    if "#" not in line:
        return line
    return "" if line.lstrip().startswith("#") else re.split(r"\s#", line, maxsplit=1)[0]


def rows(path: Path, separator: str | None, skip: int = 0) -> Iterator[Row]:
    """Line number and cells of every row below `skip` lines, without comments and blank lines."""
    return (row for row in _all_rows(path, separator) if row[0] > skip)


def _all_rows(path: Path, separator: str | None) -> Iterator[Row]:
    with reading(path), open_text(path) as file:
        lines = map(_without_comment, file)
        if separator is None:
            split = ((number, line.split()) for number, line in enumerate(lines, 1))
            yield from (row for row in split if row[1])
            return
        reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
        try:
            for cells in reader:
                stripped = [cell.strip() for cell in cells]
                if any(stripped):
                    yield reader.line_num, stripped
        except csv.Error as cause:
            raise file_error(path, reader.line_num, f"not a table: {cause}") from cause


def sniff(path: Path, columns: tuple[int, ...]) -> Layout:
    """Layout of the table, found from its first row; `columns` are the numbers allowed."""
    candidates = []
    for separator in (*_SEPARATORS, None):
        first = list(islice(rows(path, separator), 2))
        if not first:
            raise file_error(path, None, "there are no rows in it, only comments or blank lines")
        if len(first[0][1]) in columns and (len(first[0][1]) > 1 or separator is None):
            candidates.append(Layout(path, separator, first))
    marks = [c for c in candidates if c.separator is not None]
    if len(marks) > 1 and suffix_of(path).startswith(".tsv"):
        marks = [c for c in marks if c.separator == "\t"] or marks
    if len(marks) > 1:
        between = " or ".join(repr(c.separator) for c in marks)
        raise file_error(
            path, marks[0].first_rows[0][0], f"columns may end at {between}; use only one of them"
        )
    if not candidates:
        line = first[0][0]
        wanted = " or ".join(map(str, columns))
        raise file_error(
            path, line, f"no table of {wanted} columns; separate them by commas, tabs or spaces"
        )
    return (marks or candidates)[0]


def single_column(path: Path) -> list[tuple[int, str]]:
    """Line number and content of every line but comments: here an empty one means something."""
    with reading(path), open_text(path) as file:
        lines = enumerate(file, 1)
        return [(n, line.strip().strip('"')) for n, line in lines if not line.startswith("#")]


def as_whole(cell: str) -> int | None:
    """The integer in a cell, also if written as 3.0; 007 and 1_0 are names, not numbers."""
    if _INTEGER.fullmatch(cell):
        return int(cell)
    number = as_number(cell)
    exact = number is not None and number.is_integer() and abs(number) < LARGEST_EXACT
    return int(number) if exact and number is not None else None


def is_whole(cell: str) -> bool:
    return as_whole(cell) is not None


def as_number(cell: str) -> float | None:
    if "_" in cell or _LEADING_ZERO.match(cell):
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def looks_like_header(cells: list[str]) -> bool:
    """Whether all cells are words such as `source`, `node_1` or `weight`."""
    return all(_HEADER_WORD.fullmatch(cell) for cell in cells)


def number_at(path: Path, line: int, cell: str, name: str) -> float:
    """A finite number ≥ 0, or the error that says where it is not."""
    value = as_number(cell)
    if value is None:
        raise file_error(
            path,
            line,
            f"{name} {cell!r} is not a number; write one such as 0.5, or leave the "
            f"column of {name}s out",
        )
    if not 0 <= value < float("inf"):
        meaning = "0 means none" if name == "weight" else "0 switches the pair off"
        raise file_error(path, line, f"{name} {cell} must be finite and not negative; {meaning}")
    return value
