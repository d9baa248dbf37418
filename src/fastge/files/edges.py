"""Edge lists: rows `node, node[, weight]` with integers or any other names for nodes.

A file of good numbers is parsed by NumPy in one go. Whatever else there is, names or a mistake,
is read line by line, which takes five times as long and knows the line.
"""

from __future__ import annotations

import logging
import warnings
from array import array
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from fastge.files.nodes import Nodes
from fastge.files.tables import (
    ENCODING,
    LARGEST_EXACT,
    Layout,
    as_number,
    as_whole,
    file_error,
    is_whole,
    looks_like_header,
    number_at,
    rows,
    sniff,
)
from fastge.graph import FloatArray, IntArray, from_pairs

Edges: TypeAlias = tuple[IntArray, FloatArray]

logger = logging.getLogger("fastge")


def read_edge_list(path: Path) -> tuple[Any, Nodes]:
    """Symmetric matrix of the edges, parallel ones summed, and the names of its nodes."""
    layout = sniff(path, (2, 3))
    if has_header(layout):
        layout = layout.without_first_row()
    edges = _clean_numbers(layout)
    if edges is None:
        names, (ends, weights) = _line_by_line(layout)
        if (numbers := _all_integers(layout, names)) is None:
            return from_pairs(len(names), ends, weights), Nodes(names, order_is_evident=False)
        edges = numbers[ends], weights
    integers, ends = _numbered(edges[0])
    first, last = int(integers[0]), int(integers[-1])
    evident = first in (0, 1) and last - first == len(integers) - 1
    return from_pairs(len(integers), ends, edges[1]), Nodes(integers, order_is_evident=evident)


def has_header(layout: Layout) -> bool:
    """Whether the first row is no edge: its cells are words where the next row has numbers."""
    first, *others = (cells for _, cells in layout.first_rows)
    if any(as_number(cell) is not None for cell in first):
        return False
    if len(first) == 3:
        return True
    if others and all(is_whole(cell) for cell in others[0][:2]):
        return True
    return looks_like_header(first) and not _occurs_below(layout, set(first))


def _occurs_below(layout: Layout, words: set[str]) -> bool:
    below = rows(layout.path, layout.separator, skip=layout.first_rows[0][0])
    return any(not words.isdisjoint(cells) for _, cells in below)


def _clean_numbers(layout: Layout) -> Edges | None:
    """Ends and weights of a file that holds nothing but good numbers, otherwise None."""
    cells = layout.first_rows[0][1]
    if not all(is_whole(cell) for _, row in layout.first_rows for cell in row[:2]):
        return None
    ends = np.int64 if all(cell.isdigit() for cell in cells[:2]) else np.float64
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            table = np.loadtxt(
                layout.path,
                dtype=[("i", ends), ("j", ends), ("weight", np.float64)][: len(cells)],
                delimiter=layout.separator,
                skiprows=layout.skip,
                encoding=ENCODING,
                quotechar='"',
                ndmin=1,
            )
    except (ValueError, UserWarning, DeprecationWarning):
        return None
    weights = table["weight"] if len(cells) == 3 else np.ones(len(table))
    pairs = np.stack([table["i"], table["j"]], axis=1)
    if not (np.isfinite(weights).all() and (weights >= 0).all()) or not _are_exact(pairs):
        return None
    return pairs.astype(np.int64, copy=False), weights


def _are_exact(pairs: Any) -> bool:
    if pairs.dtype.kind == "i":
        return True
    return bool((pairs == np.floor(pairs)).all() and np.abs(pairs).max() < LARGEST_EXACT)


def _line_by_line(layout: Layout) -> tuple[list[str], Edges]:
    path, columns = layout.path, len(layout.first_rows[0][1])
    number_of: dict[str, int] = {}
    ends, weights = array("q"), array("d")
    for line, cells in rows(path, layout.separator, layout.skip):
        if len(cells) != columns:
            raise file_error(
                path,
                line,
                f"{len(cells)} columns, but {columns} in the first row; every row is "
                "node, node and, in all rows or none, a weight",
            )
        if not cells[0] or not cells[1]:
            raise file_error(path, line, "an edge without a node; name both ends or drop the row")
        ends.append(number_of.setdefault(cells[0], len(number_of)))
        ends.append(number_of.setdefault(cells[1], len(number_of)))
        if columns == 3:
            weights.append(number_at(path, line, cells[2], "weight"))
    pairs = np.frombuffer(ends, dtype=np.int64).reshape(-1, 2)
    return list(number_of), (pairs, np.array(weights) if columns == 3 else np.ones(len(pairs)))


def _all_integers(layout: Layout, names: list[str]) -> IntArray | None:
    """The names as integers if they all are; None, perhaps with a warning, if some are words."""
    values = [as_whole(name) for name in names]
    others = [name for name, value in zip(names, values, strict=True) if value is None]
    if not others:
        if any(abs(value) >= 2**63 for value in values if value is not None):
            return None
        return np.array(values, dtype=np.int64)
    odd = next((name for name in others if as_number(name) is not None), None)
    if odd is not None and all(as_number(name) is not None for name in names):
        raise file_error(
            layout.path,
            _line_of(layout, odd),
            f"node {odd!r} is not a whole number; nodes are "
            "integers or names, in the first two columns",
        )
    if len(others) < len(names):
        logger.warning(
            "%s:%d: node %r is a name among numbers; all nodes are taken as names",
            layout.path,
            _line_of(layout, others[0]),
            others[0],
        )
    return None


def _line_of(layout: Layout, name: str) -> int:
    below = rows(layout.path, layout.separator, layout.skip)
    return next(line for line, cells in below if name in cells[:2])


def _numbered(ends: IntArray) -> tuple[IntArray, IntArray]:
    """Sorted names, and the ends as positions among them."""
    low, high = int(ends.min()), int(ends.max())
    if high - low > 8 * ends.size + 1000:
        names, position = np.unique(ends, return_inverse=True)
        return names, position.reshape(ends.shape)
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[ends.ravel() - low] = True
    position = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs) + low, position[ends - low]
