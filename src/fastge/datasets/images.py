"""Pixel grids: neighbouring pixels are joined, the stronger the more alike they are."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.spatial import KDTree

from fastge.constraints import Constraints
from fastge.datasets.dataset import SYNTHETIC, Dataset
from fastge.errors import ParameterError
from fastge.graph import FloatArray, IntArray, from_pairs

_FLOOR = 1e-6  # keeps a grid connected across the sharpest border
_LUMA = (0.299, 0.587, 0.114)  # how bright red, green and blue look (ITU-R BT.601)
_SHADING = 0.1  # how much grey changes across the grid, in units of black to white
_WAVES, _WAVE_HEIGHT = 2.0, 0.06  # per shorter side; 2π · waves · height < 1: regions stay whole


def grid_image(
    shape: tuple[int, int],
    *,
    regions: int = 5,
    neighbours: Literal[4, 8] = 4,
    noise: float = 0.04,
    contrast: float = 0.1,
    seed: int,
) -> Dataset:
    """Pixel grid of a shaded, noisy picture, its weights those of `grey_graph`.

    Regions with wavy borders are the truth; each has a grey value g of its own. Time and memory
    are linear in the number of pixels.
    """
    rows, columns = shape
    if min(rows, columns) < 2 or not 1 <= regions <= rows * columns:
        raise ParameterError(f"{regions} regions do not fit on a grid of {rows} × {columns} pixels")
    if not contrast > 0 or not noise >= 0:
        raise ParameterError("choose contrast > 0 and noise ≥ 0")
    rng = np.random.default_rng(seed)
    truth = _wavy_regions(rows, columns, regions, rng)
    grey = rng.permutation(np.linspace(0, 1, regions))[truth]
    grey += np.tile(np.linspace(0, _SHADING, columns), rows)
    grey += rng.normal(0, noise, rows * columns)
    return Dataset(
        name="grid-image",
        adjacency=grey_graph(grey.reshape(shape), neighbours=neighbours, scale=contrast),
        truth=truth,
        k=regions,
        seed=seed,
        citation=SYNTHETIC,
        shape=(rows, columns),
    )


def grey_graph(
    image: FloatArray,
    *,
    neighbours: Literal[4, 8] = 4,
    scale: float = 10.0,
    floor: float = _FLOOR,
) -> sp.csr_array:
    """w_ij = max(exp(−(g_i − g_j)² / (2 scale²)), floor) between neighbouring grey values.

    `image` is rows × columns; nodes are its pixels in reading order. The defaults are those with
    which the paper's peers were run, for grey values 0 … 255.
    """
    if image.ndim != 2 or min(image.shape) < 2 or not np.isfinite(image).all():
        raise ParameterError(
            f"an image of shape {image.shape} has no grid of pixels; pass rows × columns of finite "
            "grey values, at least two of each"
        )
    if neighbours not in (4, 8) or not scale > 0 or not 0 < floor <= 1:
        raise ParameterError("choose neighbours = 4 or 8, scale > 0 and 0 < floor ≤ 1")
    rows, columns = image.shape
    pairs = _grid_pairs(rows, columns, neighbours)
    grey = image.ravel()
    step = (grey[pairs[:, 0]] - grey[pairs[:, 1]]) / scale
    return from_pairs(image.size, pairs, np.maximum(np.exp(-(step**2) / 2), floor))


def picture(
    image: Any,
    points: Any,
    *,
    name: str = "picture",
    citation: str = "",
    licence: str | None = None,
    neighbours: Literal[4, 8] = 4,
    scale: float = 10.0,
    floor: float = _FLOOR,
) -> Dataset:
    """Pixels of a picture as `grey_graph`, with a few of them labelled.

    `image` is rows × columns of grey values 0 … 255, or rows × columns × 3 of red, green and
    blue; `points` has rows x, y, class (column, row, 0 … k−1). They are the constraints and all
    that is known of the truth.
    """
    values = np.asarray(image)
    if values.ndim == 3 and values.shape[2] == 3:
        grey = np.rint(values @ _LUMA)
    elif values.ndim == 2:
        grey = values.astype(np.float64)
    else:
        raise ParameterError(f"an image of shape {values.shape} is neither grey nor in colour")
    if np.abs(values).max(initial=0) <= 1:
        raise ParameterError("grey values lie in 0 … 255, these in 0 … 1; multiply them by 255")
    adjacency = grey_graph(grey, neighbours=neighbours, scale=scale, floor=floor)
    labels = _labels_at(np.asarray(points), grey.shape)
    return Dataset(
        name=name,
        adjacency=adjacency,
        truth=labels,
        k=len(np.unique(labels[labels >= 0])),
        seed=None,
        citation=citation,
        shape=grey.shape,
        constraints=Constraints.from_labels(labels),
        image=np.clip(np.rint(values), 0, 255).astype(np.uint8),
        licence=licence,
    )


def _labels_at(points: IntArray, shape: tuple[int, int]) -> IntArray:
    """Class per pixel, −1 where there is no point."""
    if (
        points.ndim != 2
        or points.shape[1] != 3
        or len(points) == 0
        or points.dtype.kind not in "iu"
    ):
        raise ParameterError("points are rows x, y, class of whole numbers, at least one")
    x, y, classes = points.T
    if points.min() < 0 or x.max() >= shape[1] or y.max() >= shape[0]:
        raise ParameterError(f"a point lies outside of the {shape[0]} × {shape[1]} pixels")
    labels = np.full(shape, -1, dtype=np.int64)
    labels[y, x] = classes
    if (labels[y, x] != classes).any():
        raise ParameterError("two points of different classes lie on the same pixel; drop one")
    return labels.ravel()


def _grid_pairs(rows: int, columns: int, neighbours: int) -> IntArray:
    """Neighbouring pixels i < j in reading order."""
    pixel = np.arange(rows * columns).reshape(rows, columns)
    pairs = [(pixel[:, :-1], pixel[:, 1:]), (pixel[:-1], pixel[1:])]
    if neighbours == 8:
        pairs += [(pixel[:-1, :-1], pixel[1:, 1:]), (pixel[:-1, 1:], pixel[1:, :-1])]
    return np.concatenate([np.column_stack([i.ravel(), j.ravel()]) for i, j in pairs])


def _wavy_regions(rows: int, columns: int, count: int, rng: np.random.Generator) -> IntArray:
    """Region of every pixel: the nearest of `count` sites in coordinates bent by waves."""
    y, x = np.indices((rows, columns)).reshape(2, -1) / min(rows, columns)
    phase = rng.uniform(0, 2 * np.pi, 2)
    wave = _WAVE_HEIGHT * np.sin(2 * np.pi * _WAVES * np.stack([x, y]) + phase[:, None])
    places = np.column_stack([y + wave[0], x + wave[1]])
    tried = places[rng.choice(len(places), min(len(places), 32 * count), replace=False)]
    return np.asarray(KDTree(_spread_out(tried, count)).query(places)[1])


def _spread_out(places: FloatArray, count: int) -> FloatArray:
    """The first place and, one by one, whichever is farthest from those chosen before."""
    chosen = [0]
    distance = np.full(len(places), np.inf)
    for _ in range(count - 1):
        distance = np.minimum(distance, ((places - places[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(distance.argmax()))
    return places[chosen]
