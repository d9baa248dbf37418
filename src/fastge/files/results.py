"""Clusters and reports → files."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from fastge.files.nodes import Nodes
from fastge.files.tables import file_error

CLUSTER_SUFFIXES = (".csv", ".npy")
_ROWS_AT_ONCE = 100_000


def check_writable(path: Path, suffixes: tuple[str, ...], inputs: Sequence[Path] = ()) -> None:
    """Raise unless a file of one of the extensions can be written at `path`."""
    with _writing(path):
        if path.is_dir():
            raise file_error(path, None, "this is a directory; name a file in it")
        if path.suffix.lower() not in suffixes and not _is_device(path):
            raise file_error(
                path, None, f"cannot write '{path.suffix}'; end the name in {' or '.join(suffixes)}"
            )
        if not path.parent.is_dir():
            raise file_error(path, None, f"there is no directory {path.parent}; create it first")
        existed = path.exists()
        if existed and any(path.samefile(source) for source in inputs):
            raise file_error(path, None, "this would overwrite an input; choose another name")
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()


def write_clusters(path: Path | None, nodes: Nodes, clusters: Sequence[int | str]) -> None:
    """CSV `node,cluster`, to standard output without a path, or an .npy array in node order."""
    if path is None:
        _write_table(sys.stdout, nodes, clusters)
        sys.stdout.flush()
        return
    with _writing(path):
        if path.suffix.lower() == ".npy":
            np.save(path, np.asarray(clusters))
            return
        with path.open("w", encoding="utf-8", newline="") as file:
            _write_table(file, nodes, clusters)


def write_report(path: Path, content: dict[str, Any]) -> None:
    """JSON with plain numbers; what is not finite becomes null."""
    text = json.dumps(_plain(content), indent=2, allow_nan=False)
    with _writing(path):
        path.write_text(text + "\n", encoding="utf-8")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as cause:
        raise file_error(
            path, None, f"cannot be written: {cause.strerror}; choose another place"
        ) from cause


def _write_table(file: TextIO, nodes: Nodes, clusters: Sequence[int | str]) -> None:
    """Rows in blocks, because a call per row is slow on a pipe."""
    names = nodes.names.tolist() if isinstance(nodes.names, np.ndarray) else nodes.names
    file.write("node,cluster\n")
    pairs = iter(zip(names, clusters, strict=True))
    while block := list(islice(pairs, _ROWS_AT_ONCE)):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(block)
        file.write(text.getvalue())


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
