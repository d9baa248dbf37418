"""Pixels → a weighted graph: neighbours are alike as far as their channels are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from fastge import _native
from fastge.errors import ParameterError
from fastge.graph import FloatArray, Graph, IntArray, NodeArray
from fastge.image.colour import Colour, Pixels, read_pixels

FLOOR = 1e-6
"""Least weight of an edge: the graph stays connected, and no weight vanishes."""
RADIUS = 1.5
"""Farthest neighbours: those that share an edge or a corner."""
LARGEST_RADIUS = 16


@dataclass(frozen=True)
class Affinity:
    """How alike neighbours are: see `image_graph`."""

    radius: float = RADIUS
    scale: float | None = None
    floor: float = FLOOR
    sharpness: float = 1.0
    """What the scale is divided by."""

    def __post_init__(self) -> None:
        if not 1 <= self.radius <= LARGEST_RADIUS:
            raise ParameterError(f"radius = {self.radius}; choose 1 … {LARGEST_RADIUS} pixels")
        if self.scale is not None and not self.scale > 0:
            raise ParameterError(
                f"scale = {self.scale}; choose a positive squared distance, or None"
            )
        if not 0 < self.floor <= 1:
            raise ParameterError(f"floor = {self.floor}; choose a weight in (0, 1]")


def image_graph(
    image: Any,
    *,
    mask: Any = None,
    radius: float = RADIUS,
    colour: Colour = "auto",
    scale: float | None = None,
    floor: float = FLOOR,
    volume: bool = False,
) -> Graph:
    """w_ij = max(exp(−δ_ij² / scale), floor) between pixels at most `radius` apart.

    δ_ij is the distance of the channels (CIELAB for colours, see `read_pixels`), `scale` the mean
    of δ² over all edges unless given. A radius of 1 joins 4 neighbours (6 in volumes), 1.5 joins 8
    (18), 1.8 all 26. Nodes are the pixels that take part, in reading order.
    """
    affinity = Affinity(radius, scale, floor)
    return pixel_graph(read_pixels(image, mask, colour=colour, volume=volume), affinity)


def pixel_graph(pixels: Pixels, affinity: Affinity) -> Graph:
    """The graph of `image_graph` from channels."""
    grid = np.ascontiguousarray(node_numbers(pixels).reshape(as_volume(pixels.shape)))
    steps = _volume_steps(offsets(affinity.radius, len(pixels.shape)))
    channels = pixels.channels.reshape(*grid.shape, -1)
    squares = np.empty((len(steps), grid.size), dtype=np.float32)
    total, count = _native.pixel_squares(grid, steps, channels, squares)
    scale = affinity.scale
    if scale is None:
        scale = total / count if count else 0.0
    weights = _weights(squares, scale / affinity.sharpness, affinity.floor)
    n = int(np.count_nonzero(pixels.inside))
    return Graph(*_native.pixel_adjacency(grid, steps, weights, n))


def node_numbers(pixels: Pixels) -> NodeArray:
    """Node of every pixel in reading order, −1 for those that take no part."""
    inside = pixels.inside.ravel()
    if inside.all():
        return np.arange(inside.size, dtype=np.int32)
    numbers = np.cumsum(inside, dtype=np.int32) - np.int32(1)
    numbers[~inside] = -1
    return numbers


def offsets(radius: float, axes: int) -> IntArray:
    """Steps to the neighbours that come later in reading order."""
    reach = range(-int(radius), int(radius) + 1)
    steps = [
        step
        for step in product(reach, repeat=axes)
        if step > (0,) * axes and sum(s * s for s in step) <= radius * radius
    ]
    return np.array(steps, dtype=np.int64).reshape(-1, axes)


def _weights(squares: FloatArray, scale: float, floor: float) -> FloatArray:
    """max(exp(−δ² / scale), floor) in place; without any differences all weights are 1."""
    squares *= np.float32(-1 / scale if scale > 0 else 0)
    np.exp(squares, out=squares)
    np.maximum(squares, np.float32(floor), out=squares)
    return squares


def as_volume(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (1,) * (3 - len(shape)) + shape


def _volume_steps(steps: IntArray) -> IntArray:
    return np.ascontiguousarray(np.pad(steps, ((0, 0), (3 - steps.shape[1], 0))))
