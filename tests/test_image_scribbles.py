"""`fastge.image.scribbles` and `overlay`: strokes in every form, and pictures of labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fastge.errors import ConstraintError
from fastge.image import PALETTE, Scribbles, overlay, read_scribbles
from fastge.image.overlay import LINE, as_rgb, cut_lines

SHAPE = (4, 6)
LABELS = np.full(SHAPE, -1)
LABELS[0, 1:3], LABELS[3, 5] = 0, 2


def painted(colours: Any, *, alpha: bool = False) -> Any:
    """The strokes of LABELS in the colours of their classes."""
    picture = np.zeros((*SHAPE, 4 if alpha else 3), np.uint8)
    for label, colour in colours.items():
        picture[label == LABELS, :3] = colour
    if alpha:
        picture[..., 3] = np.where(LABELS >= 0, 255, 0)
        picture[LABELS < 0, :3] = 99  # what is transparent may have any colour
    return picture


def test_labels_points_and_palette_colours_say_the_same() -> None:
    colours = {0: PALETTE[0], 2: PALETTE[2]}
    points = [(1, 0, 0), (2, 0, 0), (5, 3, 2)]
    for scribbles in (LABELS, LABELS.astype(float), points, painted(colours)):
        np.testing.assert_array_equal(read_scribbles(scribbles, SHAPE).labels, LABELS)
    transparent = read_scribbles(painted(colours, alpha=True), SHAPE)
    np.testing.assert_array_equal(transparent.labels, LABELS)
    assert transparent.colours == {c: tuple(PALETTE[c].tolist()) for c in (0, 2)}
    assert read_scribbles(transparent, SHAPE) is transparent
    assert read_scribbles(LABELS, SHAPE).classes.tolist() == [0, 2]


def test_a_file_is_read_like_the_picture_in_it(tmp_path: Path) -> None:
    Image.fromarray(painted({0: PALETTE[0], 2: PALETTE[2]})).save(tmp_path / "strokes.png")
    read = read_scribbles(tmp_path / "strokes.png", SHAPE)
    np.testing.assert_array_equal(read.labels, LABELS)


def test_other_colours_take_free_numbers_in_reading_order() -> None:
    read = read_scribbles(painted({0: (9, 9, 9), 2: (1, 2, 3)}), SHAPE)
    np.testing.assert_array_equal(read.labels, np.where(LABELS == 2, 1, LABELS))
    assert read.colours == {0: (9, 9, 9), 1: (1, 2, 3)}
    mixed = read_scribbles(painted({0: (9, 9, 9), 2: PALETTE[0]}), SHAPE)
    assert mixed.colours == {1: (9, 9, 9), 0: tuple(PALETTE[0].tolist())}


def test_points_of_a_volume_have_three_places() -> None:
    read = read_scribbles([(3, 1, 0, 7)], (2, 3, 4))
    assert np.argwhere(read.labels == 7).tolist() == [[0, 1, 3]]


@pytest.mark.parametrize(
    ("scribbles", "message"),
    [
        (np.zeros((3, 3, 3, 3)), "do not fit"),
        (np.full(SHAPE, 0.5), "fractions"),
        (np.full(SHAPE, "a"), "no classes"),
        (np.full(SHAPE, -2), "class -2"),
        (np.full(SHAPE, np.nan), "fractions"),
        (np.zeros(SHAPE, int), "every pixel is painted"),
        ([(6, 0, 1)], "outside the image"),
        ([(0, -1, 1)], "outside the image"),
        ([(0, 0, -1)], "class -1"),
        (np.zeros((5, 6, 3), np.uint8), "sizes must agree"),
        (np.zeros((4, 6, 3)), "dtype float64"),
        (Scribbles(np.full((2, 2), -1)), "sizes must agree"),
    ],
)
def test_bad_scribbles_are_named(scribbles: Any, message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        read_scribbles(scribbles, SHAPE)


def test_a_photograph_is_no_scribble() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (20, 20, 3), dtype=np.uint8)
    with pytest.raises(ConstraintError, match="colours, more than"):
        read_scribbles(noise, (20, 20))
    many = np.arange(-1, 399).reshape(20, 20)
    with pytest.raises(ConstraintError, match="classes, more than"):
        read_scribbles(many, (20, 20))


def test_an_overlay_mixes_colours_and_leaves_masked_pixels_bare() -> None:
    image = np.full((*SHAPE, 3), 100, np.uint8)
    labels = np.where(np.arange(6) < 3, 0, 1) * np.ones((4, 1), int)
    labels[0] = -1
    picture = overlay(image, labels, opacity=0.5, lines=False, colours={1: (200, 0, 100)})
    assert (picture[0] == 100).all()
    assert (picture[1:, 3:] == (150, 50, 100)).all()
    assert (picture[1:, :3] == np.rint((100 + PALETTE[0].astype(float)) / 2)).all()


def test_lines_lie_where_labels_meet_and_nowhere_else() -> None:
    labels = np.zeros(SHAPE, int)
    labels[:, 3:] = 1
    expected = np.zeros(SHAPE, bool)
    expected[:, 2] = True
    np.testing.assert_array_equal(cut_lines(labels), expected)
    picture = overlay(np.zeros(SHAPE), labels)
    np.testing.assert_array_equal((picture == LINE).all(axis=2), expected)


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (np.array([[0, 255]], np.uint8), [0, 255]),
        (np.array([[[0, 9], [255, 9]]], np.uint8), [0, 255]),
        (np.array([[0.0, 1.0]]), [0, 255]),
        (np.array([[0.0, 0.5]]), [0, 128]),
        (np.array([[-5.0, 5.0]]), [0, 255]),
        (np.array([[7.0, 7.0]]), [0, 0]),
        (np.array([[0, 65535]], np.uint16), [0, 255]),
        (np.array([[False, True]]), [0, 255]),
        (np.array([[np.nan, 3.0]]), [0, 255]),
    ],
)
def test_any_image_can_be_shown(image: Any, expected: list[int]) -> None:
    rgb = as_rgb(image)
    assert rgb.dtype == np.uint8
    assert rgb.shape == (1, 2, 3)
    assert rgb[0, :, 1].tolist() == expected
