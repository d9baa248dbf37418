"""`fastge.image.segmenter`: regions from scribbles, stroke after stroke."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fastge.errors import ClusterCountError, ConstraintError
from fastge.image import CancelledError, Scribbles, Segmentation, Segmenter, segment
from fastge.image import segmenter as module

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
COLOURS = np.array([(200, 60, 40), (60, 160, 70), (50, 80, 190)])


def rings(size: int = 60, seed: int = 0, noise: float = 25) -> tuple[Any, Any]:
    """A disc in a ring in a square, three noisy colours, and the class of every pixel."""
    y, x = np.mgrid[:size, :size] - (size - 1) / 2
    radius = np.hypot(x, y) / size
    truth = np.where(radius < 0.18, 0, np.where(radius < 0.36, 1, 2))
    image = COLOURS[truth] + np.random.default_rng(seed).normal(0, noise, (size, size, 3))
    return np.clip(image, 0, 255).astype(np.uint8), truth


def stroke(truth: Any, rows: slice, columns: slice, *others: tuple[slice, slice]) -> Any:
    """The classes of pixels that are painted rightly, −1 elsewhere."""
    labels = np.full(truth.shape, -1)
    for part in ((rows, columns), *others):
        labels[part] = truth[part]
    return labels


def agreement(one: Segmentation, other: Segmentation) -> float:
    return float((one.labels == other.labels).mean())


def shrunk(monkeypatch: pytest.MonkeyPatch, fine: int, quick: int) -> None:
    """Small images take the way of large ones."""
    monkeypatch.setattr(module, "FINE_PIXELS", fine)
    monkeypatch.setattr(module, "QUICK_PIXELS", quick)


IMAGE, TRUTH = rings()
ACROSS = stroke(TRUTH, slice(29, 31), slice(None))


@pytest.mark.parametrize("blocks", [10_000, 1_000, 500])
def test_regions_follow_the_scribbles(monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    shrunk(monkeypatch, blocks, 400)
    found = segment(IMAGE, ACROSS)
    assert (found.labels == TRUTH).mean() > 0.97
    assert found.class_ids.tolist() == [0, 1, 2]
    assert found.k == 3
    assert found.converged
    assert found.shape == (60, 60)
    assert not found.is_preview
    assert set(found.timings) == {"scribbles", "build", "solve", "refine", "label"}


def test_ids_are_those_of_the_scribbles() -> None:
    found = segment(IMAGE, np.where(ACROSS >= 0, 10 * ACROSS + 5, -1))
    assert found.class_ids.tolist() == [5, 15, 25]
    assert (found.labels == 10 * TRUTH + 5).mean() > 0.97


@pytest.mark.parametrize("blocks", [10_000, 700])
def test_membership_sums_to_one_and_agrees_with_the_labels(
    monkeypatch: pytest.MonkeyPatch, blocks: int
) -> None:
    shrunk(monkeypatch, blocks, 400)
    found = segment(IMAGE, ACROSS)
    assert found.membership.shape == (60, 60, 3)
    np.testing.assert_allclose(found.membership.sum(axis=2), 1, atol=1e-5)
    assert found.membership.min() >= 0
    assert (found.class_ids[found.membership.argmax(axis=2)] == found.labels).mean() > 0.99


def test_eigenvector_maps_belong_to_ascending_eigenvalues() -> None:
    found = segment(IMAGE, ACROSS)
    assert found.eigenvectors.shape == (60, 60, 2)
    assert (np.diff(found.eigenvalues) >= 0).all()
    assert (found.eigenvalues >= 0).all()
    assert (found.eigenvalues <= 1).all()
    for values in np.moveaxis(found.eigenvectors, 2, 0):
        within = sum(values[c == TRUTH].var() for c in range(3))
        assert values.var() > within / 3


def test_masked_pixels_get_no_label(monkeypatch: pytest.MonkeyPatch) -> None:
    mask = np.zeros((60, 60), bool)
    mask[:20, :25], mask[50, 50] = True, True
    for blocks in (10_000, 700):
        shrunk(monkeypatch, blocks, 400)
        found = segment(IMAGE, ACROSS, mask=mask)
        np.testing.assert_array_equal(found.labels < 0, mask)
        assert (found.labels == TRUTH)[~mask].mean() > 0.97
        assert not found.membership[mask].any()
        assert not found.eigenvectors[mask].any()
        np.testing.assert_allclose(found.membership[~mask].sum(axis=1), 1, atol=1e-5)
        assert found.report is not None
        assert found.report.sizes.sum() == (~mask).sum()


def test_painted_pixels_keep_their_class(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    scribbles = np.where(rng.random((60, 60)) < 0.01, rng.integers(0, 3, (60, 60)), -1)
    for blocks in (10_000, 900, 300):
        shrunk(monkeypatch, blocks, 300)
        found = segment(IMAGE, scribbles)
        painted = scribbles >= 0
        np.testing.assert_array_equal(found.labels[painted], scribbles[painted])


def test_the_report_counts_what_is_painted() -> None:
    found = segment(IMAGE, ACROSS)
    assert found.report is not None
    assert found.report.sizes.sum() == 3600
    assert found.report.must_link.violated == found.report.cannot_link.violated == 0
    per_class = np.bincount(ACROSS[ACROSS >= 0])
    assert found.report.must_link.kept == (per_class * (per_class - 1) // 2).sum()


@pytest.mark.parametrize("painted", [(0, 1), (2,)])
def test_classes_that_nobody_painted_are_discovered(painted: tuple[int, ...]) -> None:
    image, truth = rings(noise=10)
    known = stroke(truth, slice(29, 31), slice(None))
    known[~np.isin(known, painted)] = -1
    found = segment(image, known, k=3)
    assert found.k == 3
    assert set(painted) <= set(found.class_ids.tolist())
    for label in painted:
        assert (found.labels == label)[truth == label].mean() > 0.95
    assert purity(found, truth) > 0.95


def test_without_scribbles_all_classes_are_discovered() -> None:
    stripes = np.repeat([0, 1, 2], 20) * np.ones((50, 1), int)
    image = COLOURS[stripes] + np.random.default_rng(0).normal(0, 10, (50, 60, 3))
    found = segment(np.clip(image, 0, 255), k=3)
    assert found.class_ids.tolist() == [0, 1, 2]
    assert purity(found, stripes) > 0.97
    assert found.report is not None
    assert found.report.must_link.kept == 0


def purity(found: Segmentation, truth: Any) -> float:
    """Share of pixels in their true class, if every class is named after the region it fills."""
    counts = np.zeros((3, 3))
    np.add.at(counts, (truth, np.searchsorted(found.class_ids, found.labels)), 1)
    return float(counts.max(axis=1).sum() / truth.size)


def test_everything_may_be_grey_or_in_volumes() -> None:
    assert (segment(rings(noise=8)[0][..., 2], ACROSS).labels == TRUTH).mean() > 0.97
    volume = np.zeros((8, 10, 12))
    volume[:, :, 6:] = 1.0
    volume += np.random.default_rng(0).normal(0, 0.1, volume.shape)
    found = segment(volume, [(1, 1, 1, 0), (10, 8, 6, 1)], volume=True)
    assert found.labels.shape == (8, 10, 12)
    assert (found.labels == (np.arange(12) >= 6)).all()


def test_an_image_of_one_colour_is_divided_by_place() -> None:
    found = segment(np.full((9, 20), 7), [(1, 4, 0), (18, 4, 1)])
    assert (found.labels[:, :8] == 0).all()
    assert (found.labels[:, 12:] == 1).all()


def test_overlay_keeps_the_colours_that_were_painted() -> None:
    known = Scribbles(ACROSS, {0: (1, 2, 3)})
    picture = segment(IMAGE, known).overlay(opacity=1, lines=False)
    assert (picture[30, 30] == (1, 2, 3)).all()


def large(seed: int = 1) -> tuple[Any, Any]:
    return rings(150, seed)


def test_strokes_undo_and_new_classes_end_where_a_fresh_segmenter_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shrunk(monkeypatch, 6_000, 1_500)
    image, truth = large()
    first = stroke(truth, slice(74, 76), slice(70, 80), (slice(2, 4), slice(0, 40)))
    more = stroke(truth, slice(74, 76), slice(None))
    wrong = more.copy()
    wrong[100:104, 70:80] = 0
    reused = Segmenter(image)
    for scribbles, k in ((first, None), (more, None), (wrong, None), (first, 3), (more, None)):
        found = reused.update(scribbles, k)
        assert agreement(found, Segmenter(image).update(scribbles, k)) >= 0.99
    assert (found.labels == truth).mean() > 0.97


def test_a_preview_is_close_to_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    shrunk(monkeypatch, 6_000, 1_500)
    image, truth = large()
    scribbles = stroke(truth, slice(74, 76), slice(None))
    segmenter = Segmenter(image)
    preview, final = segmenter.preview(scribbles), segmenter.update(scribbles)
    assert preview.is_preview
    assert preview.report is None
    assert preview.labels.shape == final.labels.shape
    assert agreement(preview, final) > 0.97
    assert preview.membership.shape == final.membership.shape
    assert len(preview.eigenvalues) == preview.eigenvectors.shape[2] == 2


def test_nothing_random_is_left() -> None:
    one, other = segment(IMAGE, ACROSS, k=4), segment(IMAGE, ACROSS, k=4)
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.membership, other.membership)


def test_who_loses_interest_is_not_kept_waiting() -> None:
    asked = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > 2

    with pytest.raises(CancelledError):
        Segmenter(IMAGE).update(ACROSS, cancelled=cancelled)
    with pytest.raises(CancelledError):
        Segmenter(IMAGE).update(None, 3, cancelled=lambda: True)


@pytest.mark.parametrize(
    ("scribbles", "k", "error", "message"),
    [
        (None, None, ConstraintError, "no scribbles and no k"),
        (np.full((60, 60), -1), None, ConstraintError, "no scribbles and no k"),
        ([(1, 1, 0)], None, ConstraintError, "one class"),
        (ACROSS, 2, ClusterCountError, "below the 3 classes"),
        (None, 1, ClusterCountError, "below"),
        (None, 65, ClusterCountError, "too many"),
    ],
)
def test_bad_wishes_are_named(scribbles: Any, k: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        segment(IMAGE, scribbles, k)


@pytest.mark.reference_data
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the real cases in ../shared/data")
@pytest.mark.parametrize(("name", "k", "most"), [("patras", 5, 4), ("davis", 4, 0), ("cat", 3, 0)])
def test_the_pictures_of_the_paper(name: str, k: int, most: int) -> None:
    image = np.asarray(Image.open(SHARED / f"{name}.jpg"))
    with (SHARED / f"{name}_points.csv").open(encoding="utf-8") as file:
        points = [(int(r["x"]), int(r["y"]), int(r["label"])) for r in csv.DictReader(file)]
    found = segment(image, points)
    assert found.report is not None
    assert found.report.must_link.violated + found.report.cannot_link.violated <= most
    assert found.k == k
    assert (np.bincount(found.labels.ravel()) > 0.002 * found.labels.size).all()
