"""Smaller images: the mean of every block of pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fastge.graph import FloatArray, IntArray
from fastge.image.colour import Pixels


@dataclass(frozen=True)
class Blocks:
    """Cubes of `side` pixels along every axis; those at the far edges may be cut."""

    shape: tuple[int, ...]
    side: int

    @classmethod
    def at_most(cls, shape: tuple[int, ...], count: int) -> Blocks:
        """The smallest blocks of which there are about `count` at most."""
        pixels = float(np.prod(shape))
        side = int(np.ceil((pixels / count) ** (1 / len(shape)) - 1e-9))
        return cls(shape, max(side, 1))

    @property
    def coarse_shape(self) -> tuple[int, ...]:
        return tuple(-(-size // self.side) for size in self.shape)

    def of_pixels(self, places: IntArray) -> IntArray:
        """Block of pixels that are given by their place in reading order."""
        if self.side == 1:
            return places
        axes = np.unravel_index(places, self.shape)
        return np.ravel_multi_index(tuple(a // self.side for a in axes), self.coarse_shape)

    def means(self, pixels: Pixels) -> Pixels:
        """Mean channels of the pixels of every block that take part; blocks without any do not."""
        if self.side == 1:
            return pixels
        if pixels.inside.all():
            sums = self._sums(pixels.channels)
            counts = self._sums(np.ones((*self.shape, 1), np.float32))
            return Pixels(sums / counts, np.ones(self.coarse_shape, dtype=bool))
        inside = pixels.inside[..., None].astype(np.float32)
        sums, counts = self._sums(pixels.channels * inside), self._sums(inside)
        return Pixels(sums / np.maximum(counts, 1), counts[..., 0] > 0)

    def _sums(self, values: FloatArray) -> FloatArray:
        for axis in range(len(self.shape)):
            starts = np.arange(0, values.shape[axis], self.side)
            values = np.add.reduceat(values, starts, axis=axis)
        return values

    def spread(self, values: Any) -> Any:
        """Every pixel's value from those of its block."""
        if self.side == 1:
            return values
        for axis, size in enumerate(self.shape):
            values = values.repeat(self.side, axis=axis)
            values = values[(slice(None),) * axis + (slice(size),)]
        return values


def smoothed(pixels: Pixels) -> Pixels:
    """Pixels mixed 1 : 2 : 1 with their neighbours along every axis, as far as they take part."""
    inside = pixels.inside[..., None].astype(np.float32)
    if pixels.inside.all():
        return Pixels(_binomial(pixels.channels), pixels.inside)
    weight = _binomial(inside)
    mixed = _binomial(pixels.channels * inside) / np.maximum(weight, np.finfo(np.float32).tiny)
    return Pixels(np.ascontiguousarray(mixed * inside), pixels.inside)


def _binomial(values: FloatArray) -> FloatArray:
    """1 : 2 : 1 along every axis but the last; at an end the outermost value counts twice."""
    for axis in range(values.ndim - 1):
        lines = np.moveaxis(values, axis, 0)
        before = np.concatenate([lines[:1], lines[:-1]])
        after = np.concatenate([lines[1:], lines[-1:]])
        values = np.moveaxis((before + after) * np.float32(0.25) + lines * np.float32(0.5), 0, axis)
    return np.ascontiguousarray(values)
