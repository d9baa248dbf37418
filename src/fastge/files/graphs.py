"""Graph files: NumPy archives, GraphML and GML, and what other modules read."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fastge.errors import AsymmetricGraphError, FileFormatError, GraphError, MissingExtraError
from fastge.files.edges import read_edge_list
from fastge.files.matrix_market import read_matrix_market
from fastge.files.nodes import Nodes
from fastge.files.tables import TEXT_SUFFIXES, check_readable, file_error, reading, suffix_of
from fastge.graph import Graph, as_graph

GRAPH_SUFFIXES = (".mtx", ".mtx.gz", ".npz", *TEXT_SUFFIXES, ".graphml", ".gml")


@dataclass(frozen=True, eq=False)
class NamedGraph:
    """A checked graph and the names that its file gives to the nodes."""

    graph: Graph
    nodes: Nodes


def read_graph(path: Path) -> NamedGraph:
    """The graph in a file whose extension says what it is."""
    check_readable(path, GRAPH_SUFFIXES)
    suffix = suffix_of(path)
    matrix: Any
    nodes: Nodes | None
    try:
        with reading(path):
            if suffix in TEXT_SUFFIXES:
                matrix, nodes = read_edge_list(path)
            elif suffix == ".npz":
                matrix, nodes = _read_archive(path)
            elif suffix in (".graphml", ".gml"):
                matrix, nodes = _read_networkx(path, suffix)
            else:
                matrix, nodes = read_matrix_market(path), None
        return NamedGraph(as_graph(matrix), nodes or Nodes.numbered(matrix.shape[0]))
    except GraphError as cause:
        raise type(cause)(f"{path}: {cause}") from cause


def _read_archive(path: Path) -> tuple[Any, None]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            keys = set(archive.files)
            if "format" in keys:
                matrix = sp.load_npz(path)
            elif keys >= {"indptr", "indices"}:
                indptr, indices = archive["indptr"], archive["indices"]
                data = archive["data"] if "data" in keys else np.ones(len(indices))
                matrix = sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1,) * 2)
            else:
                found = ", ".join(sorted(keys)) or "nothing"
                raise file_error(
                    path,
                    None,
                    f"no graph in it, but {found}; write it with scipy.sparse.save_npz, or with "
                    "arrays indptr, indices and data",
                )
        if isinstance(matrix, sp.csr_array | sp.csc_array | sp.csr_matrix | sp.csc_matrix):
            matrix.check_format(full_check=True)
        return matrix, None
    except FileFormatError:
        raise
    except (ValueError, TypeError, KeyError, zipfile.BadZipFile, NotImplementedError) as cause:
        reason = "it is no zip file" if "pickle" in str(cause) else cause
        raise file_error(
            path, None, f"not a NumPy archive of a graph: {reason}; use scipy.sparse.save_npz"
        ) from cause


def _read_networkx(path: Path, suffix: str) -> tuple[Any, Nodes]:
    try:
        import networkx
    except ImportError as cause:
        raise MissingExtraError("networkx", "networkx", f"reading {suffix} files") from cause
    try:
        graph = networkx.read_graphml(path) if suffix == ".graphml" else _read_gml(networkx, path)
        names = [str(name) for name in graph]
        if not names:
            raise file_error(path, None, "the graph has no nodes")
        matrix = networkx.to_scipy_sparse_array(graph, weight="weight", dtype=np.float64)
    except (FileFormatError, OSError, UnicodeDecodeError):
        raise
    except Exception as cause:  # the parsers raise whatever their XML or tokenizer does
        line = getattr(cause, "position", (None,))[0]
        raise file_error(path, line, f"not {suffix[1:]}: {cause}; save the graph again") from cause
    if graph.is_directed() and abs(matrix - matrix.T).sum() > 0:
        raise AsymmetricGraphError(
            "the graph is directed; save it as an undirected one, in networkx graph.to_undirected()"
        )
    return matrix, Nodes(names)


def _read_gml(networkx: Any, path: Path) -> Any:
    try:
        return networkx.read_gml(path)
    except networkx.NetworkXError as cause:
        if "label" not in str(cause):
            raise
        return networkx.read_gml(path, label="id")
