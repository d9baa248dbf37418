"""What a segmentation is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastge.graph import FloatArray, IntArray
from fastge.image.overlay import overlay
from fastge.image.scribbles import Rgb, Scribbles
from fastge.quality import Report


@dataclass(frozen=True, eq=False)
class Segmentation:
    """The regions of an image, and what they were found from."""

    labels: IntArray
    """Class of every pixel: the ids of the scribbles where there are any; −1 for masked pixels."""
    membership: FloatArray
    """How much each pixel belongs to each of `class_ids` (last axis): sums to 1, 0 where masked."""
    class_ids: IntArray
    eigenvectors: FloatArray
    """One map per eigenvector (last axis)."""
    eigenvalues: FloatArray
    converged: bool
    report: Report | None
    """Sizes, φ and constraints kept and violated; None for a preview."""
    timings: dict[str, float]
    """Seconds per stage."""
    image: Any
    scribbles: Scribbles | None = None
    is_preview: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.labels.shape)

    @property
    def k(self) -> int:
        return len(self.class_ids)

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
