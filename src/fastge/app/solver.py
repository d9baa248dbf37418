"""One image and its segmentations: everything here runs outside the event loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from fastge.app.document import Stroke
from fastge.app.drawing import Canvas
from fastge.errors import FastgeError, ParameterError
from fastge.files.images import Pixels, resized, smaller_size
from fastge.image import CancelledError, Segmentation, Segmenter

_MARKS = 300
NO_LABEL = 255


class Stage(StrEnum):
    """How good an answer is."""

    COARSE = "coarse"
    FINAL = "final"
    FULL = "full"


@dataclass(frozen=True)
class Wish:
    """What is to be segmented: a state of the document that does not change any more."""

    revision: int
    strokes: tuple[Stroke, ...]
    extra: int
    working_pixels: int
    is_draft: bool = False
    since: float = field(default_factory=time.perf_counter, compare=False)
    """When it was wished."""

    @property
    def hint(self) -> str | None:
        """What is missing before there is anything to find."""
        kinds = {stroke.kind for stroke in self.strokes if stroke.kind >= 0}
        if not kinds:
            return "Paint a stroke in each region."
        if len(kinds) + self.extra < 2:
            return "Now choose another class and paint in a second region."
        return None


@dataclass(frozen=True, eq=False)
class Answer:
    """A segmentation of the working image, or of the full one, and what the page says about it."""

    wish: Wish
    stage: Stage
    labels: NDArray[np.uint8]
    """h × w, NO_LABEL where the image takes no part."""
    class_ids: tuple[int, ...]
    eigenvalues: tuple[float, ...]
    timings: dict[str, float]
    found: Segmentation | None
    """Eigenvectors and quality; not kept in full resolution, where they would fill the memory."""
    seconds: float
    """Of the computation."""
    waited: float
    """Seconds since it was wished."""
    painted: int
    violated: NDArray[np.int64]
    """Rows x, y of painted pixels that got another class."""

    @property
    def marks(self) -> NDArray[np.int64]:
        """Violated pixels, evenly drawn when they are many."""
        step = -(-len(self.violated) // _MARKS) or 1
        return self.violated[::step]


class Solver:
    """Holds what can be reused from stroke to stroke; answers one wish at a time."""

    def __init__(self, pixels: Pixels) -> None:
        self._pixels = pixels
        self._segmenter: Segmenter | None = None
        self._canvas: Canvas | None = None
        self._size = (0, 0)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the image."""
        return self._pixels.shape[1], self._pixels.shape[0]

    @property
    def is_ready(self) -> bool:
        """Whether it holds what does not depend on strokes."""
        return self._segmenter is not None

    def prepare(self, working_pixels: int) -> None:
        """Build what the first answer will need; what is wrong with it, the first answer says."""
        segmenter, _ = self._tools(smaller_size(self._pixels, working_pixels))
        corners = np.full(segmenter.shape, -1)
        corners.flat[[0, -1]] = 0, 1
        with suppress(FastgeError):
            segmenter.preview(corners, 2)

    def solve(self, wish: Wish, stage: Stage, cancelled: Callable[[], bool]) -> Answer:
        """Coarse or final answer in working resolution; `CancelledError` once told to stop."""
        start = time.perf_counter()
        segmenter, canvas = self._tools(smaller_size(self._pixels, wish.working_pixels))
        scribbles = _painted(canvas, wish)
        k = count(scribbles, wish.extra)
        if stage is Stage.COARSE:
            found = segmenter.preview(scribbles, k)
        else:
            found = segmenter.update(scribbles, k, cancelled=cancelled)
        return _answer(wish, stage, found, scribbles, time.perf_counter() - start)

    def solve_in_full(
        self, wish: Wish, size: tuple[int, int], cancelled: Callable[[], bool]
    ) -> Answer:
        """The segmentation from scratch of the image as it was opened, or as large as allowed."""
        start = time.perf_counter()
        if cancelled():
            raise CancelledError
        segmenter = Segmenter(resized(self._pixels, *size))
        scribbles = _painted(Canvas(*size, size[0] / self.size[0]), wish)
        found = segmenter.update(scribbles, count(scribbles, wish.extra), cancelled=cancelled)
        return _answer(wish, Stage.FULL, found, scribbles, time.perf_counter() - start)

    def scribbles(self, strokes: tuple[Stroke, ...]) -> NDArray[np.int64]:
        """Painted classes in full resolution."""
        return Canvas(*self.size, 1.0).paint(strokes)

    def forget(self) -> None:
        """Give the memory of the last size back."""
        self._segmenter = self._canvas = None
        self._size = (0, 0)

    def _tools(self, size: tuple[int, int]) -> tuple[Segmenter, Canvas]:
        if self._segmenter is None or self._canvas is None or self._size != size:
            self.forget()
            self._segmenter = Segmenter(resized(self._pixels, *size))
            self._canvas = Canvas(*size, size[0] / self.size[0])
            self._size = size
        return self._segmenter, self._canvas


def count(scribbles: NDArray[np.int64], extra: int) -> int:
    """Number of regions: the painted classes and those to discover."""
    painted = len(np.unique(scribbles[scribbles >= 0]))
    if painted == 0:
        raise ParameterError("the strokes lie outside the image; paint on it")
    return painted + extra


def _painted(canvas: Canvas, wish: Wish) -> NDArray[np.int64]:
    scribbles = canvas.paint(wish.strokes)
    count(scribbles, wish.extra)
    return scribbles


def _answer(
    wish: Wish, stage: Stage, found: Segmentation, scribbles: NDArray[np.int64], seconds: float
) -> Answer:
    labels = np.where(found.labels < 0, NO_LABEL, found.labels).astype(np.uint8)
    painted = scribbles >= 0
    rows, columns = np.nonzero(painted & (found.labels >= 0) & (found.labels != scribbles))
    violated = np.column_stack([columns, rows])
    waited = time.perf_counter() - wish.since
    return Answer(
        wish,
        stage,
        labels,
        tuple(int(c) for c in found.class_ids),
        tuple(float(value) for value in found.eigenvalues),
        found.timings,
        None if stage is Stage.FULL else found,
        seconds,
        waited,
        int(painted.sum()),
        violated,
    )
