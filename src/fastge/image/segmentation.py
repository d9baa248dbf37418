"""What a segmentation is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import ndimage

from fastge.constraints import Constraints
from fastge.graph import BoolArray, FloatArray, Graph, IntArray
from fastge.image.blocks import Blocks
from fastge.image.overlay import overlay
from fastge.image.scribbles import Rgb, Scribbles
from fastge.merging import merge
from fastge.quality import Report, report


@dataclass(frozen=True, eq=False)
class Shares:
    """What share of every block belongs to each class, and of the pixels solved for by themselves.

    Masked blocks and pixels have none.
    """

    blocks: Blocks
    of_blocks: FloatArray
    pixels: IntArray | None = None
    of_pixels: FloatArray | None = None

    def everywhere(self, inside: BoolArray) -> FloatArray:
        """Shares of every pixel (shape × k): those of blocks without their stairs."""
        k = self.of_blocks.shape[-1]
        result = self.blocks.spread(self.of_blocks)
        if self.blocks.side > 1:
            size = (*(self.blocks.side,) * inside.ndim, 1)
            result = ndimage.uniform_filter(result, size=size, mode="nearest")
        else:
            result = result.copy()
        rows = result.reshape(-1, k)
        if self.pixels is not None and self.of_pixels is not None:
            rows[self.pixels] = self.of_pixels
        rows[~inside.ravel()] = 0
        sums = rows.sum(axis=1, keepdims=True)
        rows /= np.where(sums > 0, sums, 1)
        return np.asarray(result)


@dataclass(frozen=True, eq=False)
class Segmentation:
    """The regions of an image, and what they were found from."""

    labels: IntArray
    """Class of every pixel: the ids of the scribbles where there are any; −1 for masked pixels."""
    class_ids: IntArray
    eigenvalues: FloatArray
    """λ of the classes' pencil, ascending; one per eigenvector map."""
    converged: bool
    timings: dict[str, float]
    """Seconds per stage."""
    image: Any
    scribbles: Scribbles | None = None
    is_preview: bool = False
    shares: Shares = field(kw_only=True, repr=False)
    coefficients: FloatArray = field(kw_only=True, repr=False)
    """What the classes' shares add up to eigenvectors with: one column each."""
    graph: Callable[[], Graph] = field(kw_only=True, repr=False)
    """The graph of all pixels, for the report."""

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.labels.shape)

    @property
    def k(self) -> int:
        return len(self.class_ids)

    @cached_property
    def membership(self) -> FloatArray:
        """How much each pixel belongs to each of `class_ids` (last axis): sums to 1, 0 if masked.

        That is the chance that a random walk from there ends in the class.
        """
        return self.shares.everywhere(self.labels >= 0)

    @cached_property
    def eigenvectors(self) -> FloatArray:
        """One map per eigenvector (last axis), 0 where masked."""
        return np.asarray(self.membership @ self.coefficients.astype(np.float32))

    @cached_property
    def report(self) -> Report | None:
        """Sizes, φ and constraints kept and violated; made when asked for, None for a preview."""
        if self.is_preview:
            return None
        inside = self.labels >= 0
        constraints = Constraints()
        if self.scribbles is not None:
            painted = self.scribbles.labels[inside]
            if (painted >= 0).any():
                constraints = Constraints.from_labels(painted)
        return report(merge(self.graph(), constraints), constraints, self.labels[inside])

    def overlay(
        self,
        *,
        opacity: float = 0.45,
        lines: bool = True,
        colours: Mapping[int, Rgb] | None = None,
    ) -> Any:
        """RGB picture (uint8): translucent class colours over the image, and lines where they meet.

        `colours` maps classes to RGB; without it painted scribbles keep their colours, and other
        classes take the palette's in turn.
        """
        if colours is None and self.scribbles is not None:
            colours = self.scribbles.colours
        return overlay(self.image, self.labels, opacity=opacity, lines=lines, colours=colours)
