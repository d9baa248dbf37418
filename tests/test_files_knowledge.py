"""Labels and pairs are read by the names of nodes; clusters and reports are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastge import errors
from fastge.files import (
    ClassLabels,
    Nodes,
    check_writable,
    read_labels,
    read_pairs,
    write_clusters,
    write_report,
)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


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
