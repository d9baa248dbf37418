"""Messages between the page and the server.

The page sends JSON texts, one `Message` each. The server sends JSON texts, too, and labels as
binary frames: the length of a JSON header (4 bytes, little endian), the header, and the labels,
a byte per pixel, compressed by zlib.
"""

from __future__ import annotations

import json
import zlib
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from fastge.app.document import ERASER, PaintedClass, Stroke
from fastge.app.solver import Answer, Stage
from fastge.errors import InputError
from fastge.files.images import smaller_size

_FAR = 200_000.0  # pixels; strokes may leave the image, but not by much
_Finite = Field(ge=-_FAR, le=_FAR, allow_inf_nan=False)
_MOST_CLASSES = 250  # what fits into a byte of labels; the limits of a server are tighter


class MessageError(InputError):
    """A message that the server does not understand."""


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class StrokeMessage(_Message):
    """A finished stroke, or a draft of the one that is being painted."""

    type: Literal["stroke", "draft"]
    kind: Annotated[int, Field(ge=ERASER, lt=_MOST_CLASSES)]
    radius: Annotated[float, Field(gt=0, le=_FAR, allow_inf_nan=False)]
    points: Annotated[list[Annotated[float, _Finite]], Field(min_length=2, max_length=40_000)]

    @property
    def stroke(self) -> Stroke:
        if len(self.points) % 2:
            raise MessageError("a stroke has an odd number of coordinates; send pairs x, y")
        return Stroke(self.kind, self.radius, tuple(self.points))


class HistoryMessage(_Message):
    """A step through the history, or a whole result on demand."""

    type: Literal["undo", "redo", "clear", "full"]


class ClassMessage(_Message):
    """Name and colour of one class."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    colour: Annotated[str, Field(pattern="^#[0-9a-f]{6}$")]


class ClassesMessage(_Message):
    """The classes as they are to be from now on."""

    type: Literal["classes"]
    classes: Annotated[list[ClassMessage], Field(min_length=1, max_length=_MOST_CLASSES)]

    @property
    def painted_classes(self) -> tuple[PaintedClass, ...]:
        return tuple(PaintedClass(c.name, c.colour) for c in self.classes)


class SettingsMessage(_Message):
    """Working resolution, and how many regions to discover."""

    type: Literal["settings"]
    working_pixels: Annotated[int, Field(ge=1, le=10**9)]
    extra: Annotated[int, Field(ge=0, lt=_MOST_CLASSES)]


Message: TypeAlias = StrokeMessage | HistoryMessage | ClassesMessage | SettingsMessage
_MESSAGES: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


def read_message(text: str) -> Message:
    """The message in a text, or an error in one line."""
    try:
        return _MESSAGES.validate_json(text)
    except ValidationError as cause:
        first = cause.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the message"
        raise MessageError(f"{where}: {first['msg']}; reload the page") from None


def frame(answer: Answer, most_pixels: int) -> bytes:
    """An answer as a binary frame, its labels thinned out where they are more than a page needs."""
    width, height = smaller_size(answer.labels, most_pixels)
    labels = nearest(answer.labels, width, height)
    header = json.dumps(describe(answer) | {"width": width, "height": height}, allow_nan=False)
    packed = header.encode()
    # Level 1: regions are large, and the page waits.
    return len(packed).to_bytes(4, "little") + packed + zlib.compress(labels.tobytes(), 1)


def nearest(labels: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """Labels at another size: of every new pixel's middle the label there."""
    rows = (2 * np.arange(height) + 1) * labels.shape[0] // (2 * height)
    columns = (2 * np.arange(width) + 1) * labels.shape[1] // (2 * width)
    return labels[np.ix_(rows, columns)]


def describe(answer: Answer) -> dict[str, Any]:
    """What is known about a segmentation, but for the labels."""
    labels = answer.labels
    height, width = labels.shape
    sizes = {c: int((labels == c).sum()) for c in answer.class_ids}
    return {
        "type": "full" if answer.stage is Stage.FULL else "labels",
        "stage": answer.stage.value,
        "revision": answer.wish.revision,
        "solved": [width, height],
        "sizes": sizes,
        "eigenvectors": len(answer.eigenvalues),
        "eigenvalues": answer.eigenvalues,
        "seconds": round(answer.seconds, 4),
        "waited": round(answer.waited, 4),
        "painted": answer.painted,
        "violated": len(answer.violated),
        "marks": answer.marks.tolist(),
    }
