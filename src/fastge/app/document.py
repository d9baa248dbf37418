"""What a person has painted: classes, strokes, and the way back and forth between them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fastge.app.limits import Limits, check
from fastge.errors import ParameterError
from fastge.image import PALETTE

# The palette of `fastge.image`, so that painted files mean the same classes there, and beyond it.
COLOURS = (
    *("#" + bytes(colour).hex() for colour in PALETTE),
    *("#f0e442", "#332288", "#999933", "#aa4499", "#44bb99"),
)
ERASER = -1


@dataclass(frozen=True)
class Stroke:
    """A line through points x₀, y₀, x₁, y₁ … of the image in full resolution."""

    kind: int
    """The class that it paints, or ERASER."""
    radius: float
    points: tuple[float, ...]


CLEAR = Stroke(ERASER, 0.0, ())
"""Erases everything, and can be undone like any other stroke."""


@dataclass(frozen=True)
class PaintedClass:
    """What the person calls a class, and its colour."""

    name: str
    colour: str


def colour_of(j: int) -> str:
    return COLOURS[j % len(COLOURS)]


def first_classes(count: int = 2) -> tuple[PaintedClass, ...]:
    return tuple(PaintedClass(f"Class {j + 1}", colour_of(j)) for j in range(count))


@dataclass
class Document:
    """Classes and strokes; strokes beyond `done` have been undone and can come back."""

    limits: Limits
    classes: tuple[PaintedClass, ...] = field(default_factory=first_classes)
    extra: int = 0
    """Regions to discover beyond the painted classes."""
    history: tuple[Stroke, ...] = ()
    done: int = 0

    @property
    def strokes(self) -> tuple[Stroke, ...]:
        """What counts: strokes that are not undone, since everything was last erased."""
        done = self.history[: self.done]
        last = max((j for j, stroke in enumerate(done) if stroke == CLEAR), default=-1)
        return done[last + 1 :]

    @property
    def can_undo(self) -> bool:
        return self.done > 0

    @property
    def can_redo(self) -> bool:
        return self.done < len(self.history)

    def add(self, stroke: Stroke) -> None:
        """One more stroke; what had been undone is gone."""
        self.check(stroke)
        kept = self.history[: self.done]
        remedy = "clear the canvas or open the image anew"
        check(len(kept) + 1, self.limits.strokes, "strokes", remedy)
        points = sum(len(s.points) for s in kept) + len(stroke.points)
        check(points // 2, self.limits.points, "points of strokes", remedy)
        self.history = (*kept, stroke)
        self.done = len(self.history)

    def check(self, stroke: Stroke) -> None:
        if not ERASER <= stroke.kind < len(self.classes):
            raise ParameterError(f"there is no class {stroke.kind + 1}; add it first")

    def clear(self) -> None:
        """Erase every stroke; when the history is full, for good."""
        if len(self.history[: self.done]) + 1 >= self.limits.strokes:
            self.history, self.done = (), 0
        elif self.strokes:
            self.add(CLEAR)

    def undo(self) -> None:
        self.done = max(0, self.done - 1)

    def redo(self) -> None:
        self.done = min(len(self.history), self.done + 1)

    def rename(self, classes: tuple[PaintedClass, ...]) -> None:
        """Other names and colours, or more classes; those with strokes cannot go."""
        check(len(classes), self.limits.classes, "classes", "merge some of them")
        used = 1 + max((stroke.kind for stroke in self.history), default=0)
        if len(classes) < used:
            raise ParameterError(f"class {used} has strokes; erase them before removing it")
        self.classes = tuple(replace(c) for c in classes)
