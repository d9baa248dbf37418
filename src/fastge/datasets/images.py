"""Pixel grids: neighbouring pixels are joined, the stronger the more alike they are."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.spatial import KDTree

from fastge.datasets.dataset import SYNTHETIC, Dataset
from fastge.errors import ParameterError
from fastge.graph import FloatArray, IntArray, from_pairs

_LEAST_WEIGHT = 1e-6  # keeps an image grid connected across the sharpest border
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
    """Pixel grid of a shaded, noisy picture: w_ij = exp(−(g_i − g_j)² / (2 contrast²)).

    Regions with wavy borders are the truth; each has a grey value g of its own. Time and memory
    are linear in the number of pixels.
    """
    rows, columns = shape
    if min(rows, columns) < 2 or not 1 <= regions <= rows * columns:
        raise ParameterError(f"{regions} regions do not fit on a grid of {rows} × {columns} pixels")
    if neighbours not in (4, 8) or not contrast > 0 or not noise >= 0:
        raise ParameterError("choose neighbours = 4 or 8, contrast > 0 and noise ≥ 0")
    rng = np.random.default_rng(seed)
    truth = _wavy_regions(rows, columns, regions, rng)
    grey = rng.permutation(np.linspace(0, 1, regions))[truth]
    grey += np.tile(np.linspace(0, _SHADING, columns), rows)
    grey += rng.normal(0, noise, rows * columns)
    pairs = _grid_pairs(rows, columns, neighbours)
    step = (grey[pairs[:, 0]] - grey[pairs[:, 1]]) / contrast
    weights = np.maximum(np.exp(-(step**2) / 2), _LEAST_WEIGHT)
    return Dataset(
        name="grid-image",
        adjacency=from_pairs(rows * columns, pairs, weights),
        truth=truth,
        k=regions,
        seed=seed,
        citation=SYNTHETIC,
        shape=(rows, columns),
    )


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
