"""One image, many strokes: everything that does not depend on the scribbles is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fastge.dense import one_thread
from fastge.errors import ClusterCountError, ConstraintError, FastgeError
from fastge.graph import Graph, IntArray
from fastge.image.blocks import Blocks
from fastge.image.colour import Colour, read_pixels
from fastge.image.discovery import discovered
from fastge.image.graph import FLOOR, RADIUS, Affinity, pixel_graph
from fastge.image.level import Level
from fastge.image.potentials import Potentials, class_pairs
from fastge.image.refinement import followed, refined
from fastge.image.scribbles import MOST_CLASSES, Scribbles, read_scribbles
from fastge.image.segmentation import Segmentation, Shares

FINE_PIXELS = 125_000
"""Pixels, or blocks of pixels, that are solved for; borders are then refined to single pixels."""
QUICK_PIXELS = 16_000
"""Blocks that a preview is made of, and that unpainted classes are discovered on."""


class CancelledError(FastgeError):
    """The caller has lost interest in the answer."""


@dataclass(frozen=True, eq=False)
class _Painted:
    """Scribbles on pixels that take part: places in reading order, and columns of classes."""

    known: Scribbles | None
    places: IntArray
    columns: IntArray
    ids: IntArray
    """Class of every column."""
    given: int
    """So many places come first that were painted by the user; others were discovered."""


class Segmenter:
    """Segments one image again and again as scribbles change."""

    def __init__(
        self,
        image: Any,
        *,
        mask: Any = None,
        radius: float = RADIUS,
        colour: Colour = "auto",
        scale: float | None = None,
        floor: float = FLOOR,
        volume: bool = False,
        seed: int = 0,
    ) -> None:
        self.image, self.seed = image, seed
        self.affinity = Affinity(radius, scale, floor)
        self.pixels = read_pixels(image, mask, colour=colour, volume=volume)
        self.shape = self.pixels.shape

    @cached_property
    def graph(self) -> Graph:
        """The graph of all pixels, which only the report needs."""
        return pixel_graph(self.pixels, self.affinity)

    @cached_property
    def fine(self) -> Level:
        return self._level(FINE_PIXELS)

    @cached_property
    def quick(self) -> Level:
        level = self._level(QUICK_PIXELS)
        return self.fine if level.blocks == self.fine.blocks else level

    def _level(self, count: int) -> Level:
        return Level(self.pixels, Blocks.at_most(self.shape, count), self.affinity)

    def update(
        self,
        scribbles: Any,
        k: int | None = None,
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> Segmentation:
        """The segmentation under these scribbles, which replace all earlier ones.

        `cancelled` is asked now and then; once it returns true, `CancelledError` is raised.
        """

        def check() -> None:
            if cancelled is not None and cancelled():
                raise CancelledError

        return self._segmented(scribbles, k, check, is_preview=False)

    def preview(self, scribbles: Any, k: int | None = None) -> Segmentation:
        """A first answer, at once, from a smaller image."""
        return self._segmented(scribbles, k, lambda: None, is_preview=True)

    def _segmented(
        self, scribbles: Any, k: int | None, check: Callable[[], None], *, is_preview: bool
    ) -> Segmentation:
        clock = _Clock()
        with one_thread():  # strokes are short, and many may be painting
            painted = self._painted(scribbles, k, check)
            clock.stop("scribbles")
            level = (self.quick if is_preview else self.fine).built()
            clock.stop("build")
            strokes = painted.places, painted.columns
            found, ties = level.solve(*strokes, len(painted.ids), check=check)
            values, coefficients = class_pairs(ties, found.shares)
            clock.stop("solve")
            best, shares = self._in_full(level, painted, found, check, is_preview)
            clock.stop("refine")
        labels = np.append(painted.ids, -1)[best]
        clock.stop("label")
        return Segmentation(
            labels,
            painted.ids,
            values,
            found.converged,
            clock.seconds,
            self.image,
            painted.known,
            is_preview,
            shares=shares,
            coefficients=coefficients,
            graph=lambda: self.graph,
        )

    def _in_full(
        self,
        level: Level,
        painted: _Painted,
        found: Potentials,
        check: Callable[[], None],
        is_preview: bool,
    ) -> tuple[IntArray, Shares]:
        """Column of every pixel's class, −1 for none, and what it was read off."""
        coarse = level.as_blocks(found.shares)
        if is_preview:
            return followed(level, self.pixels, found.shares), Shares(level.blocks, coarse)
        given = slice(painted.given)
        places, columns = painted.places[given], painted.columns[given]
        best, pixels, shares = refined(level, self.pixels, found.shares, places, columns, check)
        return best, Shares(level.blocks, coarse, pixels, shares)

    def _painted(self, scribbles: Any, k: int | None, check: Callable[[], None]) -> _Painted:
        known = None if scribbles is None else read_scribbles(scribbles, self.shape)
        places: IntArray = np.empty(0, dtype=np.int64)
        classes = places
        if known is not None:
            places = np.flatnonzero((known.labels >= 0) & self.pixels.inside)
            classes = known.labels.ravel()[places]
            if len(places) == 0 and len(known.classes):
                raise ConstraintError(
                    "all scribbles lie on pixels that the mask (or alpha) leaves out; paint others"
                )
        ids = np.unique(classes)
        k = _count(len(ids), k, int(np.count_nonzero(self.pixels.inside)))
        given = len(places)
        if k > len(ids):
            level = self.quick
            places, classes = discovered(level, places, classes, k, seed=self.seed, check=check)
            ids = np.unique(classes)
        return _Painted(known, places, np.searchsorted(ids, classes), ids, given)


class _Clock:
    """Seconds per stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def stop(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage] = now - self._since
        self._since = now


def segment(
    image: Any,
    scribbles: Any = None,
    k: int | None = None,
    *,
    mask: Any = None,
    radius: float = RADIUS,
    colour: Colour = "auto",
    scale: float | None = None,
    floor: float = FLOOR,
    volume: bool = False,
    seed: int = 0,
) -> Segmentation:
    """The k regions of an image that scribbles hint at.

    Without k there are as many as classes were painted; with more, the rest is discovered.
    Scribbles are described at `read_scribbles`, the other options at `image_graph`.
    """
    segmenter = Segmenter(
        image,
        mask=mask,
        radius=radius,
        colour=colour,
        scale=scale,
        floor=floor,
        volume=volume,
        seed=seed,
    )
    return segmenter.update(scribbles, k)


def _count(painted: int, k: int | None, n: int) -> int:
    if k is None:
        if painted == 0:
            raise ConstraintError("there are no scribbles and no k; paint some, or say how many")
        if painted == 1:
            raise ConstraintError("the scribbles have one class; paint a second one, or pass k = 2")
        k = painted
    if k < max(painted, 2):
        raise ClusterCountError(f"k = {k} is below the {max(painted, 2)} classes that there are")
    if k > min(n, MOST_CLASSES):
        raise ClusterCountError(f"k = {k} is too many for {n} pixels (at most {MOST_CLASSES})")
    return k
