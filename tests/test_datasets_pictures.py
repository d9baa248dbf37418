"""Pictures: the graph of their grey values, labelled pixels, photographs inside other packages."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastge
from fastge import datasets, errors
from fastge.datasets import photographs

pytest.importorskip("PIL")
from PIL import Image

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "data"
HAS_SKIMAGE = importlib.util.find_spec("skimage") is not None
INSTALLED = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            photographs._PHOTOGRAPHS[name].package == "skimage" and not HAS_SKIMAGE,
            reason="scikit-image is not installed",
        ),
    )
    for name in datasets.PHOTOGRAPHS
]
SIZES = {
    "china": (427, 640, 4),
    "flower": (427, 640, 3),
    "coffee": (400, 600, 5),
    "camera": (512, 512, 3),
    "retina": (1411, 1411, 3),
}


def test_weights_are_those_of_the_formula() -> None:
    grey = np.array([[0.0, 10.0, 30.0], [0.0, 255.0, 30.0]])
    four = datasets.grey_graph(grey).toarray()
    assert four[0, 1] == pytest.approx(np.exp(-0.5))
    assert four[1, 2] == pytest.approx(np.exp(-2))
    assert four[0, 3] == four[2, 5] == 1
    assert four[1, 4] == four[3, 4] == 1e-6
    assert four[0, 4] == four[0, 2] == four[0, 0] == 0
    assert (four == four.T).all()
    eight = datasets.grey_graph(grey, neighbours=8, scale=20, floor=0.01).toarray()
    assert eight[0, 4] == eight[1, 4] == 0.01
    assert eight[1, 3] == pytest.approx(np.exp(-1 / 8))
    assert (eight > 0).sum() == 2 * (7 + 4)


def test_colours_become_the_grey_values_of_picture_files() -> None:
    colours = np.random.default_rng(0).integers(0, 256, (40, 30, 3), dtype=np.uint8)
    grey = np.asarray(Image.fromarray(colours).convert("L")).astype(float)
    ours = datasets.picture(colours, [(0, 0, 0)]).adjacency
    theirs = datasets.grey_graph(grey)
    assert (ours.data == theirs.data).mean() > 0.99  # rounding differs now and then
    np.testing.assert_array_equal(ours.indices, theirs.indices)


def test_a_picture_knows_what_it_is_told() -> None:
    image = np.full((5, 8), 90.0)
    points = [(7, 0, 2), (0, 4, 0), (3, 2, 2)]
    data = datasets.picture(image, points, name="wall", citation="me", licence="CC0")
    assert (data.n, data.n_edges, data.k, data.shape) == (40, 5 * 7 + 4 * 8, 2, (5, 8))
    assert (data.name, data.citation, data.licence, data.seed) == ("wall", "me", "CC0", None)
    assert data.truth[7] == data.truth[2 * 8 + 3] == 2
    assert data.truth[4 * 8] == 0
    assert (data.truth >= 0).sum() == 3
    np.testing.assert_array_equal(data.constraints.labels.nodes, [7, 19, 32])
    assert data.image.dtype == np.uint8
    assert (data.image == 90).all()


@pytest.mark.reference_data
def test_patras_is_the_instance_of_the_originals() -> None:
    if not (REFERENCE / "patras.jpg").exists():
        pytest.skip("patras.jpg is not in ../shared/data")
    image = np.asarray(Image.open(REFERENCE / "patras.jpg").convert("L"))
    with (REFERENCE / "patras_points.csv").open(encoding="utf-8") as file:
        points = [(int(r["x"]), int(r["y"]), int(r["label"])) for r in csv.DictReader(file)]
    data = datasets.picture(image, points, name="patras")
    assert (data.n, data.k, data.constraints.labels.count) == (44_589, 5, 14)
    assert data.adjacency.data.min() == 1e-6
    grey = image.astype(float)
    across = np.maximum(np.exp(-(np.diff(grey, axis=1) ** 2) / 200), 1e-6)
    assert data.adjacency.diagonal(1).sum() == pytest.approx(across.sum())


@pytest.mark.parametrize("name", INSTALLED)
def test_photographs_are_there_with_licence_and_labelled_pixels(name: Any) -> None:
    rows, columns, k = SIZES[name]
    data = datasets.shipped_picture(name)
    assert (data.name, data.shape, data.k) == (name, (rows, columns), k)
    assert data.n_edges == rows * (columns - 1) + columns * (rows - 1)
    assert data.image.shape[:2] == data.shape
    assert 10 <= data.constraints.labels.count <= 20
    assert np.bincount(data.truth[data.truth >= 0], minlength=k).min() >= 2
    assert data.licence in ("CC0 1.0", "CC BY 2.0")
    assert "Photograph by" in data.citation


@pytest.mark.parametrize("size", [20_000, 500_000])
def test_scaled_photographs_show_the_same_at_the_same_place(size: int) -> None:
    whole, scaled = datasets.shipped_picture("china"), datasets.shipped_picture("china", size)
    assert 0.99 * size < scaled.n <= size
    assert scaled.shape[1] / scaled.shape[0] == pytest.approx(640 / 427, rel=0.01)
    assert scaled.constraints.labels.count == whole.constraints.labels.count
    for at in np.flatnonzero(scaled.truth >= 0):
        place = np.array(np.unravel_index(at, scaled.shape)) + 0.5
        row, column = (place * whole.shape / scaled.shape).astype(int)
        near = whole.truth.reshape(whole.shape)[row - 3 : row + 4, column - 3 : column + 4]
        assert near.max() == scaled.truth[at]


def test_the_sky_over_china_is_found() -> None:
    data = datasets.shipped_picture("china", 30_000)
    labels = fastge.cluster(data.adjacency, data.constraints, data.k).labels.reshape(data.shape)
    assert (labels[:10] == 0).all()
    known = data.constraints.labels
    assert (labels.ravel()[known.nodes] == known.classes).all()


def test_what_is_missing_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(photographs, "find_spec", lambda name: None)
        with pytest.raises(errors.MissingExtraError, match=r"scikit-image.*fastge\[samples\]"):
            datasets.shipped_picture("coffee")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "PIL", None)
        with pytest.raises(errors.MissingExtraError, match=r"Pillow.*fastge\[samples\]"):
            datasets.shipped_picture("china")
    (tmp_path / "sklearn").mkdir()
    (tmp_path / "sklearn" / "__init__.py").touch()
    spec = importlib.util.spec_from_file_location(
        "sklearn", tmp_path / "sklearn" / "__init__.py", submodule_search_locations=[str(tmp_path)]
    )
    monkeypatch.setattr(photographs, "find_spec", lambda name: spec)
    with pytest.raises(errors.FileFormatError, match="scikit-learn comes without it"):
        datasets.shipped_picture("china")


@pytest.mark.parametrize(
    "build",
    [
        lambda: datasets.grey_graph(np.zeros(9)),
        lambda: datasets.grey_graph(np.zeros((1, 9))),
        lambda: datasets.grey_graph(np.full((3, 3), np.nan)),
        lambda: datasets.grey_graph(np.eye(3), scale=0),
        lambda: datasets.grey_graph(np.eye(3), floor=0),
        lambda: datasets.grey_graph(np.eye(3), neighbours=6),
        lambda: datasets.picture(np.zeros((3, 3, 4)), [(0, 0, 0)]),
        lambda: datasets.picture(np.eye(3), [(0, 0, 0)]),
        lambda: datasets.picture(9 * np.eye(3), []),
        lambda: datasets.picture(9 * np.eye(3), [(0, 0)]),
        lambda: datasets.picture(9 * np.eye(3), [(0, 0.5, 1)]),
        lambda: datasets.picture(9 * np.eye(3), [(3, 0, 1)]),
        lambda: datasets.picture(9 * np.eye(3), [(0, 0, 1), (0, 0, 2)]),
        lambda: datasets.shipped_picture("lena"),
        lambda: datasets.shipped_picture("china", 99),
    ],
)
def test_impossible_requests_are_refused(build: Any) -> None:
    with pytest.raises(errors.ParameterError):
        build()
