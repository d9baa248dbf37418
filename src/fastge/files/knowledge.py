"""What is known of some nodes: files of labels and of must-link or cannot-link pairs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fastge.files.nodes import Nodes
from fastge.files.tables import (
    TEXT_SUFFIXES,
    Layout,
    as_number,
    as_whole,
    check_readable,
    file_error,
    looks_like_header,
    number_at,
    reading,
    rows,
    single_column,
    sniff,
    suffix_of,
)
from fastge.graph import FloatArray, IntArray

KNOWLEDGE_SUFFIXES = (*TEXT_SUFFIXES, ".npy")
_UNKNOWN = ("", "-1", "-1.0")


@dataclass(frozen=True, eq=False)
class ClassLabels:
    """One class id per node, −1 where it is unknown, and what the file calls the classes."""

    ids: IntArray
    names: list[str] | None = None
    """Names of the classes 0, 1, …; None when the file gives numbers, which then are the ids."""

    @classmethod
    def none(cls) -> ClassLabels:
        return cls(np.empty(0, np.int64))

    @property
    def count(self) -> int:
        """How many different classes there are."""
        return len(np.unique(self.ids[self.ids >= 0]))

    def named(self, clusters: IntArray) -> list[int] | list[str]:
        """What the file calls the clusters; those beyond its classes were discovered."""
        if self.names is None:
            return [int(cluster) for cluster in clusters]
        discovered = range(1, int(clusters.max(initial=-1)) - len(self.names) + 2)
        names = np.array([*self.names, *(f"discovered-{i}" for i in discovered), "-1"])
        return [str(name) for name in names[clusters]]


def read_labels(path: Path, nodes: Nodes) -> ClassLabels:
    """Classes from rows `node,label`, from one label per line, or from an .npy array."""
    check_readable(path, KNOWLEDGE_SUFFIXES)
    with reading(path):
        if suffix_of(path) == ".npy":
            cells = [str(value) for value in _load_array(path, (1,)).tolist()]
            return _by_position(path, list(enumerate(cells, 1)), nodes, counted="entries")
        layout = sniff(path, (1, 2))
        if len(layout.first_rows[0][1]) == 1:
            return _by_position(path, single_column(path), nodes, counted="lines")
        return _by_name(layout, nodes)


def _by_position(
    path: Path, cells: list[tuple[int, str]], nodes: Nodes, counted: str
) -> ClassLabels:
    if len(cells) == nodes.n + 1 and looks_like_header([cells[0][1]]):
        cells = cells[1:]
    while len(cells) > nodes.n and counted == "lines" and not cells[-1][1]:
        cells.pop()
    if not nodes.order_is_evident:
        raise file_error(
            path,
            None,
            f"a plain list of labels does not say which of the {nodes.describe()} they "
            "are for; write rows node,label",
        )
    if len(cells) != nodes.n:
        raise file_error(
            path,
            None,
            f"{len(cells)} {counted} for {nodes.n} nodes; write one label per node, "
            "-1 or nothing where it is unknown, or rows node,label",
        )
    known = [(line, number, cell) for number, (line, cell) in enumerate(cells)]
    return _classes(path, known, nodes.n)


def _by_name(layout: Layout, nodes: Nodes) -> ClassLabels:
    path = layout.path
    known: list[tuple[int, int, str]] = []
    seen: dict[int, tuple[int, str]] = {}
    for line, cells in rows(path, layout.separator, layout.skip):
        if len(cells) != 2:
            raise file_error(path, line, f"{len(cells)} columns; every row is node,label")
        number = nodes.number(cells[0])
        if number is None and line == layout.first_rows[0][0] and _is_header(cells, nodes):
            continue
        number = _known_node(path, line, cells[0], nodes)
        before = seen.setdefault(number, (line, cells[1]))
        if before[1] != cells[1]:
            raise file_error(
                path,
                line,
                f"node {cells[0]} has the label {cells[1]!r} here and {before[1]!r} in "
                f"line {before[0]}; keep one of them",
            )
        known.append((line, number, cells[1]))
    return _classes(path, known, nodes.n)


def _is_header(cells: list[str], nodes: Nodes) -> bool:
    return as_number(cells[0]) is None if nodes.are_numbers else looks_like_header(cells)


def _known_node(path: Path, line: int, cell: str, nodes: Nodes) -> int:
    number = nodes.number(cell)
    if number is None:
        raise file_error(
            path,
            line,
            f"node {cell!r} is not in the graph, which has {nodes.describe()}; correct "
            "it or drop the row",
        )
    return number


def _classes(path: Path, cells: list[tuple[int, int, str]], n: int) -> ClassLabels:
    """Class ids of rows (line, node, class); integers stay, words are numbered in sorted order."""
    known = [(line, node, cell) for line, node, cell in cells if cell not in _UNKNOWN]
    if not known:
        raise file_error(
            path, None, "every label is unknown (-1 or empty); give at least one node a class"
        )
    ids = np.full(n, -1, dtype=np.int64)
    where = [node for _, node, _ in known]
    values = [value for _, _, cell in known if (value := as_whole(cell)) is not None]
    if len(values) < len(known):
        names, numbers = np.unique([cell for _, _, cell in known], return_inverse=True)
        ids[where] = numbers
        return ClassLabels(ids, [str(name) for name in names])
    for (line, _, cell), value in zip(known, values, strict=True):
        if not 0 <= value < 2**31:
            raise file_error(
                path,
                line,
                f"label {cell} is not a class; classes are 0, 1, 2, … or words, and -1 "
                "means unknown",
            )
    ids[where] = values
    return ClassLabels(ids)


def read_pairs(path: Path, nodes: Nodes) -> tuple[IntArray, FloatArray]:
    """(p, 2) node numbers and p confidences from rows `node,node[,confidence]` or an .npy array."""
    check_readable(path, KNOWLEDGE_SUFFIXES)
    with reading(path):
        if suffix_of(path) == ".npy":
            table = _load_array(path, (2,))
            if table.shape[1] not in (2, 3):
                raise file_error(
                    path, None, f"shape {table.shape}; save an array of p × 2 or p × 3"
                )
            numbered = enumerate((list(map(str, row)) for row in table.tolist()), 1)
            return _resolve(path, list(numbered), nodes, None)
        layout = sniff(path, (2, 3))
        return _resolve(path, rows(path, layout.separator, layout.skip), nodes, layout)


def _resolve(
    path: Path, table: Any, nodes: Nodes, layout: Layout | None
) -> tuple[IntArray, FloatArray]:
    ends: list[tuple[int, int]] = []
    confidence: list[float] = []
    for line, cells in table:
        if len(cells) not in (2, 3):
            raise file_error(path, line, f"{len(cells)} columns; a row is node,node[,confidence]")
        is_first = layout is not None and line == layout.first_rows[0][0]
        if is_first and nodes.number(cells[0]) is None and _is_header(cells, nodes):
            continue
        i, j = (_known_node(path, line, cell, nodes) for cell in cells[:2])
        if i == j:
            raise file_error(path, line, f"a pair of node {cells[0]} and itself; drop the row")
        ends.append((i, j))
        has_confidence = len(cells) == 3 and cells[2] != ""
        confidence.append(number_at(path, line, cells[2], "confidence") if has_confidence else 1.0)
    if not ends:
        raise file_error(path, None, "there are no pairs in it; leave the option out")
    return np.array(ends, dtype=np.int64), np.array(confidence)


def _load_array(path: Path, dimensions: tuple[int, ...]) -> Any:
    try:
        values = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as cause:
        raise file_error(path, None, f"not an .npy array: {cause}; use numpy.save") from cause
    if getattr(values, "ndim", None) not in dimensions or values.dtype.kind not in "biufUS":
        wanted = "one label per node" if dimensions == (1,) else "p × 2 or p × 3 numbers"
        raise file_error(
            path,
            None,
            f"an array of shape {getattr(values, 'shape', '?')}, dtype "
            f"{getattr(values, 'dtype', '?')}; save an array of {wanted}",
        )
    return values
