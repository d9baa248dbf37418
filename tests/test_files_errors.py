"""Every bad graph file is one line of error that names the file, the line and a remedy."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fastge import errors
from fastge.files import (
    GRAPH_SUFFIXES,
    check_readable,
    read_graph,
)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


BANNER = "%%MatrixMarket matrix coordinate real general\n"
BAD_GRAPHS = {
    "weight is a word": (
        "g.csv",
        "0,1,2\n1,2,abc\n",
        ":2: weight 'abc' is not a number; write one",
    ),
    "weight below the header": ("g.csv", "a,b,w\n0,1,x\n", ":2: weight 'x' is not a number"),
    "first weight": ("g.csv", "0,1,abc\n1,2,1\n", ":1: weight 'abc' is not a number"),
    "no weight": ("g.csv", "0,1,2\n1,2,\n", ":2: weight '' is not a number; .* leave the column"),
    "negative": (
        "g.csv",
        "0,1,2\n\n# x\n1,2,-1\n",
        ":4: weight -1 must be finite and not negative",
    ),
    "nan": ("g.csv", "0,1,nan\n", ":1: weight nan must be finite"),
    "inf": ("g.tsv", "0\t1\t1\n0\t1\tinf\n", ":2: weight inf must be finite"),
    "too few columns": ("g.csv", "0,1,2\n1,2\n", ":2: 2 columns, but 3 in the first row"),
    "too many columns": ("g.csv", "0,1\n1,2\n2,3,4,5\n", ":3: 4 columns, but 2 in the first"),
    "four columns": ("g.csv", "0,1,2,3\n", ":1: no table of 2 or 3 columns; separate"),
    "one column": ("g.csv", "5\n6\n", ":1: no table of 2 or 3 columns"),
    "two separators": ("g.csv", "0;1;0,5\n", ":1: columns may end at ',' or ';'; use only one"),
    "fraction": ("g.csv", "1,2,1\n1.5,2,3\n", ":2: node '1.5' is not a whole number; nodes are"),
    "nan node": ("g.csv", "1,2\n3,nan\n", ":2: node 'nan' is not a whole number"),
    "empty node": ("g.csv", "1,2\n,3\n", ":2: an edge without a node; name both ends"),
    "only a header": ("g.csv", "source,target\n", ": there are no rows under the header"),
    "only comments": ("g.csv", "# a\n\n# b\n", ": there are no rows in it, only comments"),
    "broken quotes": ("g.csv", 'a,b\nc,"' + "d" * 140_000 + "\n", ":2: not a table: field larger"),
    "empty": ("g.csv", "", ": the file is empty; write it again"),
    "empty matrix": ("g.mtx", "", ": the file is empty; write it again"),
    "unknown": ("g.xlsx", "x", ": unknown extension '.xlsx'; fastge reads .mtx"),
    "no extension": ("graph", "0 1\n", ": unknown extension ''; fastge reads .mtx"),
    "bad banner": ("g.mtx", "3 3 1\n1 2 1\n", ":1: no banner '%%MatrixMarket matrix"),
    "bad kind": ("g.mtx", BANNER.replace("real", "quaternion"), ":1: unknown kind of matrix"),
    "complex": ("g.mtx", BANNER.replace("real", "complex"), ": the matrix is complex; write its"),
    "skew": (
        "g.mtx",
        BANNER.replace("general", "skew-symmetric"),
        ": the matrix is skew-symmetric",
    ),
    "no sizes": ("g.mtx", BANNER + "% nothing\n", ": no line of sizes below the banner"),
    "bad sizes": ("g.mtx", BANNER + "% x\n3 3\n", ":3: this line must give rows, columns and ent"),
    "bad array sizes": (
        "g.mtx",
        BANNER.replace("coordinate", "array") + "3 x\n",
        ":2: this line must give rows and columns; write",
    ),
    "oblong": ("g.mtx", BANNER + "3 4 0\n", ": the matrix is 3 × 4; a graph needs"),
    "too few entries": (
        "g.mtx",
        BANNER + "3 3 2\n1 2 1\n",
        ": 2 entries are announced, 1 are there",
    ),
    "bad row": ("g.mtx", BANNER + "3 3 2\n1 2 1\n4 1 1\n", ":4: '4' is not a row or column number"),
    "row 0": ("g.mtx", BANNER + "3 3 1\n0 2 1\n", ":3: '0' is not a row or column number from 1"),
    "bad value": ("g.mtx", BANNER + "3 3 1\n1 2 x\n", ":3: value 'x' is not a number; write"),
    "missing value": (
        "g.mtx",
        BANNER + "3 3 1\n1 2\n",
        ":3: 2 numbers where row, column and value",
    ),
    "asymmetric": ("g.mtx", BANNER + "2 2 1\n1 2 1\n", ": the adjacency is not symmetric: .*A.T"),
    "no archive": ("g.npz", "nonsense", ": not a NumPy archive of a graph: it is no zip file"),
    "no xml": ("g.graphml", "<graphml><x>", ":1: not graphml: no element found.*save the graph"),
    "no gml": ("g.gml", "nonsense [", ": not gml: .*; save the graph again"),
    "no gzip": ("g.mtx.gz", "nonsense", ": not gzip data; drop .gz from its name"),
}


@pytest.mark.parametrize(("name", "text", "message"), BAD_GRAPHS.values(), ids=BAD_GRAPHS.keys())
def test_bad_graph_files_name_the_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = write(tmp_path / name, text)
    with pytest.raises(errors.InputError, match=message) as caught:
        read_graph(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_missing_file_suggests_the_one_that_is_there(tmp_path: Path) -> None:
    write(tmp_path / "friends.csv", "0,1\n")
    with pytest.raises(errors.FileFormatError, match=r"no such file; did you mean .*friends.csv\?"):
        read_graph(tmp_path / "freinds.csv")
    with pytest.raises(errors.FileFormatError, match="no such file; check the path"):
        read_graph(tmp_path / "nowhere" / "x.csv")
    with pytest.raises(errors.FileFormatError, match="this is a directory; name a file in it"):
        read_graph(tmp_path)


@pytest.mark.parametrize("name", ["g.mtx.gz", "g.csv.gz"])
def test_a_truncated_gzip_file_is_recognised(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(0)
    rows = "".join(f"{i} {j} 1\n" for i, j in rng.integers(1, 999, (5000, 2)))
    text = (BANNER + "999 999 5000\n" if "mtx" in name else "") + rows
    whole = gzip.compress(text.encode())
    for length in (5, 40, len(whole) // 2, len(whole) - 4):
        (tmp_path / name).write_bytes(whole[:length])
        with pytest.raises(errors.FileFormatError, match="break off or are damaged; copy"):
            read_graph(tmp_path / name)


def test_bytes_that_are_no_text_are_recognised(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_bytes(b"1,2\n" * 10 + b"\xff\xfe\x00,3\n")
    with pytest.raises(errors.FileFormatError, match="not UTF-8 text; save it again as UTF-8"):
        read_graph(path)


def test_a_file_that_may_not_be_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "g.csv", "0,1\n")

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(errors.FileFormatError, match="cannot be read: Permission denied"):
        read_graph(path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.ones(3)}, "no graph in it, but X; write it with scipy.sparse.save_npz"),
        ({"indptr": np.array([0, 1, 2]), "indices": np.array([1, 9])}, "not a NumPy archive of a"),
        ({"indptr": np.array([0, 1, 2]), "indices": np.array([1])}, "not a NumPy archive of a gr"),
        ({"format": np.array("csr"), "X": np.ones(3)}, "not a NumPy archive of a graph"),
        ({"indptr": np.array([0, 1]), "indices": np.array([None])}, "not a NumPy archive"),
        ({"indptr": np.array([0, 1, 1]), "indices": np.array([1])}, "is not symmetric"),
    ],
)
def test_bad_archives_say_what_is_in_them(
    tmp_path: Path, arrays: dict[str, Any], message: str
) -> None:
    np.savez(tmp_path / "g.npz", **arrays)
    with pytest.raises(errors.InputError, match=message) as caught:
        read_graph(tmp_path / "g.npz")
    assert str(caught.value).startswith(str(tmp_path / "g.npz"))


def test_directed_graphs_are_refused_unless_symmetric(tmp_path: Path) -> None:
    path = tmp_path / "g.graphml"
    nx.write_graphml(nx.DiGraph([(0, 1), (1, 0)]), path)
    assert read_graph(path).graph.degrees.tolist() == [1, 1]
    nx.write_graphml(nx.DiGraph([(0, 1), (1, 2)]), path)
    with pytest.raises(errors.AsymmetricGraphError, match="directed; save it as an undirected"):
        read_graph(path)


def test_graphml_without_nodes_or_with_words_as_weights(tmp_path: Path) -> None:
    path = tmp_path / "g.graphml"
    nx.write_graphml(nx.Graph(), path)
    with pytest.raises(errors.FileFormatError, match="the graph has no nodes"):
        read_graph(path)
    nx.write_graphml(nx.Graph([(0, 1, {"weight": "heavy"})]), path)
    with pytest.raises(errors.FileFormatError, match=r"not graphml: .*heavy"):
        read_graph(path)


def test_networkx_is_asked_for_when_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "g.gml", "graph [ ]")
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(errors.MissingExtraError, match=r"reading .gml files needs networkx"):
        read_graph(path)


def test_every_extension_for_graphs_is_accepted(tmp_path: Path) -> None:
    for suffix in GRAPH_SUFFIXES:
        check_readable(write(tmp_path / f"name.with.dots{suffix.upper()}", "x"), GRAPH_SUFFIXES)
