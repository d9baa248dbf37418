"""Pixels → a weighted graph: neighbours are alike as far as their channels are."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from fastge.errors import ParameterError
from fastge.graph import FloatArray, Graph, IntArray, from_canonical, from_pairs
from fastge.image.colour import Colour, Pixels, read_pixels

FLOOR = 1e-6
"""Least weight of an edge: the graph stays connected, and no weight vanishes."""


def image_graph(
    image: Any,
    *,
    mask: Any = None,
    radius: float = 1.5,
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
    pixels = read_pixels(image, mask, colour=colour, volume=volume)
    return pixel_graph(pixels, radius=radius, scale=scale, floor=floor)


def pixel_graph(
    pixels: Pixels, *, radius: float = 1.5, scale: float | None = None, floor: float = FLOOR
) -> Graph:
    """The graph of `image_graph` from channels."""
    check_options(radius, scale, floor)
    number = np.cumsum(pixels.inside.ravel()) - 1
    number[~pixels.inside.ravel()] = -1
    number = number.reshape(pixels.shape)
    pairs, squares = _pairs(pixels.channels, number, offsets(radius, len(pixels.shape)))
    mean = float(squares.mean()) if len(squares) else 0.0
    sigma = scale if scale is not None else mean
    weights = np.maximum(np.exp(-squares / sigma), floor) if sigma > 0 else np.ones(len(squares))
    return from_canonical(from_pairs(int(pixels.inside.sum()), pairs, weights))


def offsets(radius: float, axes: int) -> IntArray:
    """Steps to the neighbours that come later in reading order."""
    reach = range(-int(radius), int(radius) + 1)
    steps = [
        step
        for step in product(reach, repeat=axes)
        if step > (0,) * axes and sum(s * s for s in step) <= radius * radius
    ]
    return np.array(steps, dtype=np.int64).reshape(-1, axes)


def check_options(radius: float, scale: float | None, floor: float) -> None:
    if not 1 <= radius <= 16:
        raise ParameterError(f"radius = {radius}; choose 1 … 16 pixels")
    if scale is not None and not scale > 0:
        raise ParameterError(f"scale = {scale}; choose a positive squared distance, or None")
    if not 0 < floor <= 1:
        raise ParameterError(f"floor = {floor}; choose a weight in (0, 1]")


def _pairs(channels: FloatArray, number: IntArray, steps: IntArray) -> tuple[IntArray, FloatArray]:
    pairs, squares = [], []
    for step in steps:
        here = tuple(
            slice(max(-s, 0), min(n - s, n)) for s, n in zip(step, number.shape, strict=True)
        )
        there = tuple(
            slice(max(s, 0), min(n + s, n)) for s, n in zip(step, number.shape, strict=True)
        )
        i, j = number[here].ravel(), number[there].ravel()
        keep = (i >= 0) & (j >= 0)
        difference = (channels[here] - channels[there]).reshape(len(i), -1)[keep]
        pairs.append(np.column_stack([i[keep], j[keep]]))
        squares.append((difference.astype(np.float64) ** 2).sum(axis=1))
    return np.concatenate(pairs), np.concatenate(squares)
