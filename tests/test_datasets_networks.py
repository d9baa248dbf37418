"""Networks with known groups: those that are drawn, and those that are read from Facebook100."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat
from scipy.sparse.csgraph import connected_components

from fastge import datasets, errors

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "data"


def inside_share(data: datasets.Dataset) -> float:
    edges = data.adjacency.tocoo()
    return float((data.truth[edges.row] == data.truth[edges.col]).mean())


def assert_simple(data: datasets.Dataset) -> None:
    assert abs(data.adjacency - data.adjacency.T).nnz == 0
    assert not data.adjacency.diagonal().any()
    assert (data.adjacency.data == 1).all()


def test_degrees_and_the_planted_share_are_those_asked_for() -> None:
    sizes, planted = (400, 600, 1000), (0.5, 0.2, 0.0)
    degrees = np.tile([5.0, 20.0], 1000)
    data = datasets.degree_corrected_partition(sizes, degrees, planted=planted, seed=1)
    assert_simple(data)
    np.testing.assert_array_equal(np.bincount(data.truth), sizes)
    found = np.diff(data.adjacency.indptr)
    assert found[::2].mean() == pytest.approx(5, rel=0.05)
    assert found[1::2].mean() == pytest.approx(20, rel=0.05)
    edges = data.adjacency.tocoo()
    same = data.truth[edges.row] == data.truth[edges.col]
    outer = np.array(sizes) * (1 - np.array(planted))
    for group, share in enumerate(planted):
        by_chance = (1 - share) * outer[group] / outer.sum()
        rate = same[data.truth[edges.row] == group].mean()
        assert rate == pytest.approx(share + by_chance, abs=0.02)


def test_edges_of_hubs_are_in_proportion_to_both_degrees() -> None:
    degrees = np.where(np.arange(2000) < 200, 30.0, 3.0)
    data = datasets.degree_corrected_partition([2000], degrees, planted=0, seed=3)
    hubs = data.adjacency[:200][:, :200].nnz / data.adjacency.nnz
    volume = 200 * 30 / (200 * 30 + 1800 * 3)
    assert hubs == pytest.approx(volume**2, rel=0.1)


def test_a_group_without_room_for_its_edges_takes_as_many_as_fit() -> None:
    data = datasets.degree_corrected_partition([4, 4], np.full(8, 6.0), planted=1, seed=0)
    assert data.n_edges == 12
    assert inside_share(data) == 1


@pytest.mark.parametrize(
    ("like", "n", "k", "edges", "inside"),
    [("simmons", 850, 10, 15_169, 0.309), ("haverford", 1025, 15, 36_682, 0.299)],
)
def test_stand_ins_are_like_the_networks(
    like: Any, n: int, k: int, edges: int, inside: float
) -> None:
    for seed in range(3):
        data = datasets.network_stand_in(like, seed=seed)
        assert_simple(data)
        assert data.name == f"{like}-like"
        assert (data.n, data.k, data.seed) == (n, k, seed)
        assert data.n_edges == pytest.approx(edges, rel=0.05)
        assert inside_share(data) == pytest.approx(inside, abs=0.04)
        assert connected_components(data.adjacency, directed=False)[0] == 1
        assert "Karrer" in data.citation
        assert "Traud" in data.citation


@pytest.mark.reference_data
@pytest.mark.parametrize("like", ["simmons", "haverford"])
def test_stand_ins_have_the_sizes_and_degrees_of_the_originals(like: Any) -> None:
    if not (REFERENCE / f"{like}.npz").exists():
        pytest.skip(f"{like}.npz is not in ../shared/data")
    original = datasets.facebook100(REFERENCE, like)
    drawn = datasets.network_stand_in(like, seed=0)
    np.testing.assert_array_equal(np.bincount(original.truth), np.bincount(drawn.truth))
    ours, theirs = (
        np.percentile(np.diff(data.adjacency.indptr), [10, 25, 50, 75, 90, 95])
        for data in (drawn, original)
    )
    np.testing.assert_allclose(ours, theirs, rtol=0.2)
    for class_id in np.flatnonzero(np.bincount(original.truth) >= 100):
        shares = []
        for data in (drawn, original):
            edges = data.adjacency.tocoo()
            ends = data.truth[edges.row] == class_id
            shares.append((data.truth[edges.col] == class_id)[ends].mean())
        assert shares[0] == pytest.approx(shares[1], abs=0.05)


# Two houses, 7 and 3, of three people; someone of unknown house; two friends who know nobody else.
EDGES = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3), (6, 0), (6, 5), (7, 8)]
HOUSES = [7, 7, 7, 3, 3, 3, 0, 3, 3]
TRUTH = [1, 1, 1, 0, 0, 0]


def write_mat(path: Path, **changes: Any) -> Path:
    graph = nx.Graph(EDGES)
    people = np.zeros((9, 7), dtype=np.uint8)
    people[:, 4] = HOUSES
    matrix = nx.to_scipy_sparse_array(graph, nodelist=range(9), dtype=float, format="csc")
    content = {"A": matrix, "local_info": people} | changes
    savemat(path, {name: value for name, value in content.items() if value is not None})
    return path


def write_gml(path: Path, attribute: str = "dorm") -> Path:
    graph = nx.Graph()
    graph.add_nodes_from(range(9))
    graph.add_edges_from(EDGES)
    nx.set_node_attributes(graph, dict(enumerate(HOUSES)), attribute)
    nx.write_gml(graph, path)
    return path


def write_npz(path: Path) -> Path:
    matrix = nx.to_scipy_sparse_array(nx.Graph(EDGES), nodelist=range(9), format="csr")
    truth = np.where(np.array(HOUSES) > 0, HOUSES, -1)
    np.savez(path, indptr=matrix.indptr, indices=matrix.indices, truth=truth)
    return path


@pytest.mark.parametrize(
    ("write", "name"), [(write_mat, "Lake8.mat"), (write_gml, "x.gml"), (write_npz, "lake.npz")]
)
def test_a_school_is_its_largest_component_of_known_houses(
    tmp_path: Path, write: Any, name: str
) -> None:
    data = datasets.facebook100(write(tmp_path / name))
    assert data.name == Path(name).stem
    assert (data.n, data.n_edges, data.k, data.seed) == (6, 7, 2, None)
    np.testing.assert_array_equal(data.truth, TRUTH)
    assert_simple(data)
    assert data.adjacency[2, 3] == 1
    assert "Traud" in data.citation


def test_a_folder_knows_its_schools_with_and_without_numbers(tmp_path: Path) -> None:
    for name in ("Lake8.mat", "UC61.mat", "UC64.mat", "Hill3.mat"):
        write_mat(tmp_path / name)
    write_gml(tmp_path / "Hill3.gml", "nothing")
    assert datasets.facebook100(tmp_path, "lake").n == 6
    assert datasets.facebook100(tmp_path, "Lake8").n == 6
    assert datasets.facebook100(tmp_path, "uc64").n == 6
    assert datasets.facebook100(tmp_path, "hill").n == 6  # the .mat comes before the .gml
    with pytest.raises(errors.FileFormatError, match=r"2 schools are called 'UC'.*UC61, UC64"):
        datasets.facebook100(tmp_path, "UC")
    with pytest.raises(errors.FileFormatError, match=r"0 schools are called 'Sea'.*Lake8"):
        datasets.facebook100(tmp_path, "Sea")
    with pytest.raises(errors.FileFormatError, match=r"say which school.*Hill3, Lake8"):
        datasets.facebook100(tmp_path)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("a.mat", {"local_info": None}, "no A and local_info"),
        ("a.mat", {"local_info": np.ones((9, 3))}, "local_info is 9 × 3 for 9 people"),
        ("a.mat", {"local_info": np.zeros((9, 7))}, "nobody's dormitory is known"),
        ("a.mat", {"A": sp.csc_array(np.triu(np.ones((9, 9)), 1))}, "not symmetric"),
    ],
)
def test_files_that_are_no_school_say_why(
    tmp_path: Path, name: str, changes: dict[str, Any], message: str
) -> None:
    path = write_mat(tmp_path / name, **changes)
    with pytest.raises(errors.InputError, match=message) as caught:
        datasets.facebook100(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.mat", "not a MATLAB file"),
        ("a.gml", "not a GML file"),
        ("a.npz", "not an archive of indptr, indices and truth"),
        ("a.txt", "unknown extension '.txt'; pass one of .mat, .gml, .npz"),
    ],
)
def test_damaged_files_say_why(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / name).write_text("nonsense [", encoding="utf-8")
    with pytest.raises(errors.FileFormatError, match=message):
        datasets.facebook100(tmp_path / name)
    with pytest.raises(errors.FileFormatError, match="no such file or folder"):
        datasets.facebook100(tmp_path / "nowhere")


def test_a_gml_file_without_dormitories_is_refused(tmp_path: Path) -> None:
    with pytest.raises(errors.FileFormatError, match="no node has an attribute 'dorm'"):
        datasets.facebook100(write_gml(tmp_path / "a.gml", "house"))


def test_networkx_is_asked_for_when_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_gml(tmp_path / "a.gml")
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(errors.MissingExtraError, match=r"fastge\[networkx\]"):
        datasets.facebook100(path)


@pytest.mark.parametrize(
    "build",
    [
        lambda: datasets.degree_corrected_partition([], np.ones(0), planted=0, seed=0),
        lambda: datasets.degree_corrected_partition([3], np.ones(4), planted=0, seed=0),
        lambda: datasets.degree_corrected_partition([3], np.zeros(3), planted=0, seed=0),
        lambda: datasets.degree_corrected_partition([3], np.ones(3), planted=1.5, seed=0),
        lambda: datasets.degree_corrected_partition([3], np.ones(3), planted=(0, 1), seed=0),
        lambda: datasets.network_stand_in("yale", seed=0),
    ],
)
def test_impossible_requests_are_refused(build: Any) -> None:
    with pytest.raises(errors.ParameterError):
        build()
