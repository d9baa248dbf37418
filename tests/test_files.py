"""Files of every kind become the right graph and labels; every bad one names its line."""

from __future__ import annotations

import gzip
import json
import logging
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fastge import errors
from fastge.files import (
    GRAPH_SUFFIXES,
    ClassLabels,
    Nodes,
    check_readable,
    check_writable,
    read_graph,
    read_labels,
    read_pairs,
    write_clusters,
    write_report,
)
from fastge.files.tables import as_whole
from fastge.graph import FloatArray

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "data"
WEIGHTS = np.array(
    [
        [0.0, 2.0, 0.0, 0.0],
        [2.0, 0.0, 0.5, 1.0],
        [0.0, 0.5, 0.0, 3.0],
        [0.0, 1.0, 3.0, 0.0],
    ]
)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def dense(path: Path) -> FloatArray:
    return np.asarray(read_graph(path).graph.to_scipy().toarray())


def names(path: Path) -> list[Any]:
    return list(read_graph(path).nodes.names)


@pytest.fixture(params=[".mtx", ".mtx.gz", ".npz", "arrays.npz", ".graphml", ".gml", "id.gml"])
def graph_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """WEIGHTS in every format for matrices and graphs."""
    path, kind = tmp_path / f"graph{request.param}", request.param
    matrix = sp.csr_array(WEIGHTS)
    graph = nx.from_scipy_sparse_array(matrix)
    if kind == ".mtx":
        scipy.io.mmwrite(path, matrix, symmetry="symmetric")
    elif kind == ".mtx.gz":
        with gzip.open(path, "wb") as file:
            scipy.io.mmwrite(file, matrix, symmetry="general")
    elif kind == ".npz":
        sp.save_npz(path, matrix)
    elif kind == "arrays.npz":
        np.savez(path, indptr=matrix.indptr, indices=matrix.indices, data=matrix.data)
    elif kind == ".graphml":
        nx.write_graphml(graph, path)
    elif kind == ".gml":
        nx.write_gml(graph, path)
    else:
        nx.write_gml(graph, path)
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if "label" not in line), encoding="utf-8")
    return path


def test_matrices_and_graphs_are_read(graph_file: Path) -> None:
    np.testing.assert_array_equal(dense(graph_file), WEIGHTS)
    assert [str(name) for name in names(graph_file)] == ["0", "1", "2", "3"]
    assert read_graph(graph_file).nodes.order_is_evident


def test_an_archive_without_data_has_weights_of_one(tmp_path: Path) -> None:
    matrix = sp.csr_array(WEIGHTS)
    np.savez(tmp_path / "g.npz", indptr=matrix.indptr, indices=matrix.indices)
    np.testing.assert_array_equal(dense(tmp_path / "g.npz"), WEIGHTS > 0)


MATRIX_MARKET = {
    "pattern symmetric": (
        "coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n",
        [[0, 1, 0], [1, 0, 1], [0, 1, 0]],
    ),
    "integer general": ("coordinate integer general\n2 2 2\n1 2 7\n2 1 7\n", [[0, 7], [7, 0]]),
    "comments": (
        "coordinate real symmetric\n% a\n\n%b\n2 2 1\n% c\n2 1 .5 % d\n",
        [[0, 0.5], [0.5, 0]],
    ),
    "array": ("array real general\n2 2\n0\n3\n3\n0\n", [[0, 3], [3, 0]]),
    "symmetric array": (
        "array real symmetric\n3 3\n0\n1\n2\n0\n3\n0\n",
        [[0, 1, 2], [1, 0, 3], [2, 3, 0]],
    ),
    "no entries": ("coordinate real symmetric\n2 2 0\n", [[0, 0], [0, 0]]),
    "upper case": ("Coordinate REAL Symmetric\n2 2 1\n2 1 1\n", [[0, 1], [1, 0]]),
}


@pytest.mark.parametrize(("text", "matrix"), MATRIX_MARKET.values(), ids=MATRIX_MARKET.keys())
def test_every_kind_of_matrix_market(tmp_path: Path, text: str, matrix: Any) -> None:
    path = write(tmp_path / "g.mtx", f"%%MatrixMarket matrix {text}")
    np.testing.assert_array_equal(dense(path), matrix)


EDGE_LISTS = {
    "plain": ("g.csv", "0,1,2\n1,2,0.5\n1,3,1\n2,3,3\n"),
    "header": ("g.csv", "source,target,weight\n0,1,2\n1,2,0.5\n1,3,1\n2,3,3\n"),
    "comments and blank lines": ("g.csv", "# mine\n\na,b,w\n0,1,2 # x\n1,2,.5\n\n1,3,1\n2,3,3\n"),
    "tabs": ("g.tsv", "0\t1\t2\n1\t2\t0.5\n1\t3\t1\n2\t3\t3\n"),
    "spaces": ("g.txt", "0 1  2\n1 2 0.5\n1   3 1\n2 3 3"),
    "semicolons": ("g.csv", "0;1;2\n1;2;0.5\n1;3;1\n2;3;3\n"),
    "quotes": ("g.csv", '"0","1",2\n"1","2",0.5\n"1","3",1\n"2","3",3\n'),
    "floats": ("g.csv", "0.0,1.0,2e0\n1e0,2.0,5e-1\n1.0,3.0,1\n2.0,3.0,3\n"),
    "one float among integers": ("g.csv", "0,1,2\n1,2.0,0.5\n1,3,1\n2,3,3\n"),
    "byte order mark": ("g.csv", "\ufeff0,1,2\n1,2,0.5\n1,3,1\n2,3,3\n"),
    "carriage returns": ("g.csv", "0,1,2\r\n1,2,0.5\r\n1,3,1\r\n2,3,3\r\n"),
    "both directions": ("g.csv", "0,1,1\n1,0,1\n1,2,0.5\n1,3,1\n2,3,3\n"),
}


@pytest.mark.parametrize(("name", "text"), EDGE_LISTS.values(), ids=EDGE_LISTS.keys())
@pytest.mark.parametrize("packed", [False, True], ids=["text", "gz"])
def test_every_way_to_write_an_edge_list(
    tmp_path: Path, name: str, text: str, packed: bool
) -> None:
    if packed:
        path = tmp_path / f"{name}.gz"
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path = tmp_path / name
        path.write_bytes(text.encode())
    np.testing.assert_array_equal(dense(path), WEIGHTS)
    assert names(path) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("Ann,Bob\nBob,Cid\n", ["Ann", "Bob", "Cid"]),
        ("source,target\nAnn,Bob\nBob,Cid\n", ["Ann", "Bob", "Cid"]),
        ("person,friend,years\nAnn,Bob,3\n", ["Ann", "Bob"]),
        ("a,b\nb,c\n", ["a", "b", "c"]),
        ("i,j\nj,k\n", ["i", "j", "k"]),
        ("node_1,node_2\nx,y\n", ["x", "y"]),
        ('"Fox, Ann",Bob\nBob,Cid\n', ["Fox, Ann", "Bob", "Cid"]),
        ("Grüße,日本\n", ["Grüße", "日本"]),
        ("1_0,2_0\n2_0,10\n", ["1_0", "2_0", "10"]),
        ("007,008\n008,7\n", ["007", "008", "7"]),
        ("3,10\n10,7\n", [3, 7, 10]),
        ("-5,3\n3,4\n", [-5, 3, 4]),
        ("100000000000,5\n5,6\n", [5, 6, 100000000000]),
        ("9007199254740993,9007199254740992\n", [9007199254740992, 9007199254740993]),
        (f"{2**70},5\n", [str(2**70), "5"]),
        ("1,2\n2,2.0\n2,1.0\n", [1, 2]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*self-loop")
def test_nodes_keep_their_names(tmp_path: Path, text: str, nodes: list[Any]) -> None:
    assert names(write(tmp_path / "g.csv", text)) == nodes


def test_integers_in_order_make_a_plain_list_of_labels_evident(tmp_path: Path) -> None:
    for text, evident in (("0,1\n", True), ("1,2\n", True), ("1,3\n", False), ("a,b\n", False)):
        assert read_graph(write(tmp_path / "g.csv", text)).nodes.order_is_evident is evident


def test_self_loops_of_a_file_are_dropped_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path / "g.csv", "0,0,4\n0,1,2\n1,2,0.5\n1,3,1\n2,3,3\n")
    with pytest.warns(UserWarning, match="1 self-loop was dropped"):
        np.testing.assert_array_equal(dense(path), WEIGHTS)


def test_a_word_among_numbers_is_pointed_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="fastge"):
        assert names(write(tmp_path / "g.csv", "1,2\n2,3\n3,x4\n")) == ["1", "2", "3", "x4"]
    assert "g.csv:3: node 'x4' is a name among numbers" in caplog.text


@given(
    edges=st.lists(
        st.tuples(st.integers(-50, 50), st.integers(51, 99), st.floats(1e-9, 1e9)),
        min_size=1,
        max_size=40,
    ),
    separator=st.sampled_from([",", "\t", ";", " "]),
)
def test_numbers_and_names_are_read_alike(
    tmp_path_factory: pytest.TempPathFactory, edges: list[Any], separator: str
) -> None:
    """The fast reader of numbers and the careful one of names agree on every file."""
    folder = tmp_path_factory.mktemp("edges")
    rows = [separator.join(map(repr, edge)) for edge in edges]
    words = [separator.join((f"n{i}", f"n{j}", repr(w))) for i, j, w in edges]
    plain = read_graph(write(folder / "plain.txt", "\n".join(rows)))
    named = read_graph(write(folder / "named.txt", "\n".join(words)))
    assert sorted(f"n{name}" for name in plain.nodes.names) == sorted(named.nodes.names)
    order = [named.nodes.number(f"n{name}") for name in plain.nodes.names]
    np.testing.assert_allclose(
        plain.graph.to_scipy().toarray(), named.graph.to_scipy().toarray()[np.ix_(order, order)]
    )


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
    assert dense(path).tolist() == [[0, 1], [1, 0]]
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


NUMBERED = Nodes.numbered(4)
PEOPLE = Nodes(["Ann", "Bob", "Cid", "Dan"], order_is_evident=False)
FROM_ONE = Nodes(np.array([1, 2, 3, 4]))
SPARSE = Nodes(np.array([3, 7, 10, 2**40]), order_is_evident=False)


@pytest.mark.parametrize(
    ("nodes", "name", "text"),
    [
        (NUMBERED, "l.csv", "0,1\n2,0\n3,-1\n"),
        (NUMBERED, "l.csv", "node,label\n0,1\n2,0\n"),
        (NUMBERED, "l.tsv", "node\tclass\n0\t1\n2\t0.0\n1\t\n"),
        (NUMBERED, "l.txt", "1\n\n0\n-1\n"),
        (NUMBERED, "l.txt", "label\n1\n-1\n0\n\n"),
        (NUMBERED, "l.csv", "# known\n1\n-1\n0\n-1\n\n\n"),
        (FROM_ONE, "l.csv", "1,1\n3,0\n3,0\n"),
        (FROM_ONE, "l.txt", "1\n-1\n0\n-1\n"),
        (PEOPLE, "l.csv", "name,label\nAnn,1\nCid,0\n"),
        (SPARSE, "l.csv", "id,cluster\n10,0\n3,1\n"),
    ],
)
def test_labels_are_read_in_every_form(tmp_path: Path, nodes: Nodes, name: str, text: str) -> None:
    labels = read_labels(write(tmp_path / name, text), nodes)
    assert labels.ids.tolist() == [1, -1, 0, -1]
    assert labels.names is None
    assert labels.count == 2


@pytest.mark.parametrize(
    "values",
    [[1, -1, 0, -1], [1.0, -1.0, 0.0, -1.0], ["1", "", "0", "-1"]],
    ids=["integers", "floats", "text"],
)
def test_labels_are_read_from_arrays(tmp_path: Path, values: list[Any]) -> None:
    np.save(tmp_path / "l.npy", np.array(values))
    assert read_labels(tmp_path / "l.npy", NUMBERED).ids.tolist() == [1, -1, 0, -1]


def test_classes_keep_their_names(tmp_path: Path) -> None:
    labels = read_labels(write(tmp_path / "l.csv", "Ann,red\nCid,blue\nDan,\n"), PEOPLE)
    assert labels.names == ["blue", "red"]
    assert labels.ids.tolist() == [1, -1, 0, -1]
    found = np.array([1, 0, 2, 3, -1])
    assert labels.named(found) == ["red", "blue", "discovered-1", "discovered-2", "-1"]
    assert ClassLabels.none().named(found) == [1, 0, 2, 3, -1]


BAD_LABELS = {
    "unknown node": (
        PEOPLE,
        "Ann,1\nZoe,2\n",
        ":2: node 'Zoe' is not in the graph, .* such as Ann",
    ),
    "number too large": (NUMBERED, "0,1\n9,2\n", ":2: node '9' is not in .* nodes 0 … 3; correct"),
    "number too small": (FROM_ONE, "1,1\n0,2\n", ":2: node '0' is not in .* nodes 1 … 4"),
    "not among them": (SPARSE, "3,1\n4,2\n", ":2: node '4' is not in .* 4 nodes such as 3"),
    "contradiction": (PEOPLE, "Ann,1\nAnn,2\n", ":2: .* '2' here and '1' in line 1; keep one"),
    "three columns": (PEOPLE, "Ann,1\nBob,1,3\n", ":2: 3 columns; every row is node,label"),
    "negative": (PEOPLE, "Ann,1\nBob,-2\n", ":2: label -2 is not a class; classes are 0, 1, 2"),
    "all unknown": (PEOPLE, "Ann,-1\nBob,\n", ": every label is unknown .*; give at least one"),
    "too few": (NUMBERED, "1\n0\n", ": 2 lines for 4 nodes; write one label per node"),
    "too many": (NUMBERED, "1\n0\n1\n1\n1\n", ": 5 lines for 4 nodes"),
    "order unknown": (PEOPLE, "1\n0\n1\n1\n", ": a plain list of labels does not say which"),
}


@pytest.mark.parametrize(("nodes", "text", "message"), BAD_LABELS.values(), ids=BAD_LABELS.keys())
def test_bad_label_files_name_the_line(
    tmp_path: Path, nodes: Nodes, text: str, message: str
) -> None:
    path = write(tmp_path / "l.csv", text)
    with pytest.raises(errors.FileFormatError, match=message) as caught:
        read_labels(path, nodes)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((4, 2)), r"an array of shape \(4, 2\), .*; save an array of one label per node"),
        (np.zeros(3), "3 entries for 4 nodes"),
        (np.zeros(4) * 1j, "dtype complex128; save"),
        (np.array([None] * 4), "not an .npy array: .*; use numpy.save"),
    ],
)
def test_bad_label_arrays(tmp_path: Path, values: Any, message: str) -> None:
    np.save(tmp_path / "l.npy", values)
    with pytest.raises(errors.FileFormatError, match=message):
        read_labels(tmp_path / "l.npy", NUMBERED)


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        (NUMBERED, "0,1\n2,3\n"),
        (NUMBERED, "i,j\n0,1\n2,3\n"),
        (NUMBERED, "i,j,confidence\n0,1,1\n2,3,\n"),
        (FROM_ONE, "1 2\n3 4\n"),
        (PEOPLE, "Ann,Bob\nCid,Dan\n"),
        (PEOPLE, "node1,node2\nAnn,Bob\nCid,Dan\n"),
        (SPARSE, "3,7,1.0\n10,1099511627776,1\n"),
    ],
)
def test_pairs_are_read_in_every_form(tmp_path: Path, nodes: Nodes, text: str) -> None:
    ends, confidence = read_pairs(write(tmp_path / "p.csv", text), nodes)
    assert ends.tolist() == [[0, 1], [2, 3]]
    assert confidence.tolist() == [1, 1]


def test_pairs_are_read_from_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "p.npy", np.array([[0, 1], [2, 3]], dtype=np.int32))
    assert read_pairs(tmp_path / "p.npy", NUMBERED)[0].tolist() == [[0, 1], [2, 3]]
    np.save(tmp_path / "p.npy", np.array([[0, 1, 0.25], [2, 3, 1]]))
    ends, confidence = read_pairs(tmp_path / "p.npy", NUMBERED)
    assert ends.tolist() == [[0, 1], [2, 3]]
    assert confidence.tolist() == [0.25, 1]
    np.save(tmp_path / "p.npy", np.array([["Ann", "Bob"]]))
    assert read_pairs(tmp_path / "p.npy", PEOPLE)[0].tolist() == [[0, 1]]


BAD_PAIRS = {
    "unknown node": ("Ann,Bob\nAnn,Zoe\n", ":2: node 'Zoe' is not in the graph"),
    "itself": ("Ann,Bob\nBob,Bob\n", ":2: a pair of node Bob and itself; drop the row"),
    "negative confidence": ("Ann,Bob,-1\n", ":1: confidence -1 must be finite and not negative"),
    "confidence is a word": ("Ann,Bob,1\nAnn,Cid,x\n", ":2: confidence 'x' is not a number"),
    "columns": ("Ann,Bob\nAnn,Cid,1,2\n", ":2: 4 columns; a row is node,node"),
    "only a header": ("node1,node2\n", ": there are no pairs in it; leave the option out"),
}


@pytest.mark.parametrize(("text", "message"), BAD_PAIRS.values(), ids=BAD_PAIRS.keys())
def test_bad_pair_files_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(errors.FileFormatError, match=message):
        read_pairs(write(tmp_path / "p.csv", text), PEOPLE)


def test_a_pair_array_of_four_columns_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "p.npy", np.zeros((3, 4)))
    with pytest.raises(errors.FileFormatError, match=r"shape \(3, 4\); save an array of p × 2"):
        read_pairs(tmp_path / "p.npy", NUMBERED)


def test_clusters_are_written_as_csv_and_npy(tmp_path: Path) -> None:
    write_clusters(tmp_path / "c.csv", Nodes(["Fox, Ann", "Bob"]), ["red", "blue"])
    text = (tmp_path / "c.csv").read_text(encoding="utf-8")
    assert text == 'node,cluster\n"Fox, Ann",red\nBob,blue\n'
    write_clusters(tmp_path / "c.npy", NUMBERED, [3, 1, -1, 0])
    assert np.load(tmp_path / "c.npy").tolist() == [3, 1, -1, 0]


def test_what_is_written_can_be_read_as_labels(tmp_path: Path) -> None:
    write_clusters(tmp_path / "c.csv", SPARSE, [3, 1, -1, 0])
    assert read_labels(tmp_path / "c.csv", SPARSE).ids.tolist() == [3, 1, -1, 0]


def test_many_clusters_are_written_in_blocks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fastge.files.results._ROWS_AT_ONCE", 2)
    write_clusters(None, Nodes.numbered(5), [0, 1, 0, 1, 0])
    assert capsys.readouterr().out == "node,cluster\n0,0\n1,1\n2,0\n3,1\n4,0\n"


def test_a_report_is_plain_json(tmp_path: Path) -> None:
    content = {"x": np.array([1.5, np.nan]), "n": np.int64(3), "t": (True, None), "inf": np.inf}
    write_report(tmp_path / "r.json", content)
    text = (tmp_path / "r.json").read_text(encoding="utf-8")
    assert json.loads(text) == {"x": [1.5, None], "n": 3, "t": [True, None], "inf": None}


def test_what_cannot_be_written_is_found_out_beforehand(tmp_path: Path) -> None:
    source = write(tmp_path / "g.csv", "0,1\n")
    for path, message in (
        (tmp_path, "this is a directory; name a file in it"),
        (tmp_path / "x.png", "cannot write '.png'; end the name in .csv or .npy"),
        (tmp_path / "no" / "x.csv", "there is no directory .*no; create it first"),
        (source, "this would overwrite an input; choose another name"),
        (tmp_path / ("x" * 300 + ".csv"), "cannot be written: File name too long; choose"),
    ):
        with pytest.raises(errors.FileFormatError, match=message):
            check_writable(path, (".csv", ".npy"), [source])
    check_writable(tmp_path / "new.csv", (".csv",), [source])
    assert not (tmp_path / "new.csv").exists()
    old = write(tmp_path / "old.csv", "old")
    check_writable(old, (".csv",))
    assert old.read_text(encoding="utf-8") == "old"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is a Linux device")
def test_a_full_disk_is_an_error_of_one_line() -> None:
    check_writable(Path("/dev/full"), (".csv",))
    with pytest.raises(errors.FileFormatError, match="cannot be written: No space left"):
        write_clusters(Path("/dev/full"), NUMBERED, [0, 1, 0, 1])


def test_every_extension_for_graphs_is_accepted(tmp_path: Path) -> None:
    for suffix in GRAPH_SUFFIXES:
        check_readable(write(tmp_path / f"name.with.dots{suffix.upper()}", "x"), GRAPH_SUFFIXES)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        *[("3", 3), ("-3", -3), ("+3", 3), ("3.0", 3), ("3e2", 300), ("0", 0), ("3.5", None)],
        *[("", None), ("x", None), ("007", None), ("1_0", None), ("nan", None), ("inf", None)],
        *[("1e300", None), (str(2**53 + 1), 2**53 + 1)],
    ],
)
def test_whole_numbers(cell: str, value: int | None) -> None:
    assert as_whole(cell) == value


@pytest.mark.reference_data
def test_the_reference_graphs_are_read() -> None:
    if not DATA.is_dir():
        pytest.skip(f"the collection of real cases is not at {DATA}")
    for name, n, edges in (("simmons", 850, 15169), ("haverford", 1025, 36682)):
        assert (read_graph(DATA / f"{name}.npz").graph.n_edges) == edges
        assert read_graph(DATA / f"{name}.npz").graph.n == n
