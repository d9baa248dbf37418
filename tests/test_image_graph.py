"""`fastge.image.graph` and `colour`: pixels of every kind, against a slow and obvious twin."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from skimage.color import rgb2lab
from threadpoolctl import threadpool_limits

import reference
from fastge.errors import ParameterError
from fastge.image import image_graph, lab, read_pixels
from fastge.image.graph import FLOOR, offsets

RNG = np.random.default_rng(0)
PHOTO = RNG.integers(0, 256, (6, 7, 3), dtype=np.uint8)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 5),
    st.integers(1, 6),
    st.integers(1, 4),
    st.sampled_from([1, 1.5, 2, 2.3, 3.2]),
    st.booleans(),
    st.integers(0, 99),
)
def test_an_image_graph_is_what_its_formula_says(
    height: int, width: int, channels: int, radius: float, masked: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(height, width, channels))
    mask = rng.random((height, width)) < 0.3 if masked else np.zeros((height, width), bool)
    mask[rng.integers(height), rng.integers(width)] = False
    graph = image_graph(values, mask=mask, radius=radius, colour="values", scale=0.7)
    pixels = read_pixels(values, mask, colour="values")
    expected = reference.pixel_weights(pixels.channels, pixels.inside, radius, 0.7, FLOOR)
    np.testing.assert_allclose(graph.to_scipy().toarray(), expected, rtol=1e-5)


@pytest.mark.parametrize(("radius", "most"), [(1, 6), (1.5, 18), (1.8, 26)])
def test_volumes_are_images_with_one_more_axis(radius: float, most: int) -> None:
    values = RNG.normal(size=(3, 4, 5))
    mask = np.zeros(values.shape, bool)
    mask[0, 0, :2] = True
    graph = image_graph(values, mask=mask, radius=radius, scale=1.3, volume=True)
    pixels = read_pixels(values, mask, volume=True)
    expected = reference.pixel_weights(pixels.channels, pixels.inside, radius, 1.3, FLOOR)
    np.testing.assert_allclose(graph.to_scipy().toarray(), expected, rtol=1e-5)
    assert np.diff(graph.indptr).max() == most


def test_neighbours_of_an_image_are_four_eight_or_those_within_a_radius() -> None:
    counts = {radius: 2 * len(offsets(radius, 2)) for radius in (1, 1.5, 2, 2.3, 3.2)}
    assert counts == {1: 4, 1.5: 8, 2: 12, 2.3: 20, 3.2: 36}
    assert 2 * len(offsets(1, 3)) == 6


def test_the_scale_is_the_mean_squared_difference_over_the_edges() -> None:
    values = RNG.random((5, 6))
    pixels = read_pixels(values)
    chosen = image_graph(values)
    squares = [
        float(((pixels.channels[i] - pixels.channels[j]) ** 2).sum())
        for i in np.ndindex(5, 6)
        for j in np.ndindex(5, 6)
        if i < j and max(abs(i[0] - j[0]), abs(i[1] - j[1])) == 1
    ]
    given_scale = image_graph(values, scale=float(np.mean(squares)))
    np.testing.assert_allclose(chosen.weights, given_scale.weights, rtol=1e-5)


def test_an_image_of_one_colour_has_equal_weights() -> None:
    assert set(image_graph(np.full((4, 5), 7)).weights) == {1.0}


def test_one_pixel_is_a_graph_without_edges() -> None:
    assert image_graph(np.ones((1, 1))).n_edges == 0


def test_no_weight_is_below_the_floor() -> None:
    image = np.array([[0.0, 0.0, 1000.0]])
    assert image_graph(image, scale=1e-9, floor=1e-3).weights.min() == pytest.approx(1e-3)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param((PHOTO.astype(np.uint16) * 257), id="16-bit"),
        pytest.param(PHOTO / 255, id="floats up to 1"),
        pytest.param(PHOTO.astype(np.float32), id="floats up to 255"),
        pytest.param(np.dstack([PHOTO, np.full((6, 7), 9, np.uint8)]), id="RGBA"),
        pytest.param(PHOTO[::-1][::-1], id="strided"),
    ],
)
def test_the_same_colours_in_another_type_are_the_same_graph(other: NDArray[Any]) -> None:
    np.testing.assert_allclose(image_graph(other).weights, image_graph(PHOTO).weights, rtol=1e-3)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.uint16, np.int32, np.float32, np.float64])
def test_grey_values_of_any_type_and_unit(dtype: Any) -> None:
    grey = (RNG.random((5, 6)) > 0.5).astype(np.uint8)
    expected = image_graph(grey).weights
    np.testing.assert_allclose(image_graph(grey.astype(dtype)).weights, expected, rtol=1e-5)
    np.testing.assert_allclose(image_graph(grey * 3.5 + 7).weights, expected, rtol=1e-5)


def test_channels_of_any_unit_count_alike() -> None:
    values = RNG.normal(size=(5, 6, 4))
    stretched = values * [1, 10, 1e4, 1e-4] + [5, 0, 0, 3]
    np.testing.assert_allclose(
        image_graph(stretched).weights, image_graph(values).weights, rtol=1e-3
    )


def test_transparent_and_masked_pixels_take_no_part() -> None:
    alpha = np.full((6, 7), 255, np.uint8)
    alpha[2, 3:5] = 0
    mask = np.zeros((6, 7), bool)
    mask[0, 0] = True
    pixels = read_pixels(np.dstack([PHOTO, alpha]), mask)
    assert pixels.inside.sum() == 42 - 3
    assert image_graph(np.dstack([PHOTO, alpha]), mask=mask).n == 39
    assert read_pixels(np.dstack([PHOTO[..., 0], alpha])).inside.sum() == 40


def test_pixels_that_are_masked_may_be_nan() -> None:
    values = RNG.random((4, 5))
    values[1, 1] = np.nan
    graph = image_graph(values, mask=np.isnan(values))
    assert np.isfinite(graph.weights).all()


def test_lab_has_the_values_that_others_have() -> None:
    rgb = RNG.random((50, 3))
    np.testing.assert_allclose(lab(rgb), rgb2lab(rgb), atol=0.02)


@pytest.mark.parametrize(
    ("image", "options", "message"),
    [
        (np.zeros(5), {}, "shape"),
        (np.zeros((2, 3, 4, 5)), {}, "volume=True"),
        (np.zeros((0, 3)), {}, "no pixels"),
        (np.array([["a"]]), {}, "no pixel values"),
        (np.zeros((2, 2), complex), {}, "no pixel values"),
        (np.array([[1.0, np.nan]]), {}, "first one at \\(0, 1\\)"),
        (np.zeros((2, 3)), {"mask": np.zeros((3, 2))}, "mask has shape"),
        (np.zeros((2, 3)), {"mask": np.ones((2, 3))}, "leaves out every pixel"),
        (np.zeros((2, 3)), {"colour": "lab"}, "red, green and blue"),
        (np.zeros((2, 3)), {"colour": "hsv"}, "choose 'auto'"),
        (np.zeros((2, 3)), {"radius": 0.5}, "radius"),
        (np.zeros((2, 3)), {"radius": np.nan}, "radius"),
        (np.zeros((2, 3)), {"scale": 0}, "scale"),
        (np.zeros((2, 3)), {"floor": 0}, "floor"),
    ],
)
def test_bad_input_is_named(image: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        image_graph(image, **options)


def test_building_a_graph_costs_a_few_products() -> None:
    """Two to four of a block of eight columns; the test leaves room for a busy machine."""
    image = np.random.default_rng(0).integers(0, 256, (500, 600, 3), dtype=np.uint8)
    graph = image_graph(image)
    matrix, block = graph.to_scipy(), np.ones((graph.n, 8))
    build, product = [], []
    for _ in range(3):
        build.append(_seconds(lambda: image_graph(image)))
        product.append(_seconds(lambda: matrix @ block))
    assert min(build) <= 10 * min(product)


def _seconds(task: Any) -> float:
    start = time.process_time()
    with threadpool_limits(limits=1):
        task()
    return time.process_time() - start
