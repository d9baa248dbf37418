"""Graph files of every kind become the right graph with the right names of nodes."""

from __future__ import annotations

import gzip
import logging
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fastge.files import (
    read_graph,
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
