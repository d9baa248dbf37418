"""Strokes → painted pixels, and an image → the picture that a page shows."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from fastge.app.document import ERASER, Stroke
from fastge.files.images import Pixels, display_rgb, pillow, resized, smaller_size

_UNPAINTED = 255
_SHOWN_PIXELS = 4_000_000


def shown_image(pixels: Pixels) -> bytes:
    """The image for the eye, small enough for a canvas."""
    size = smaller_size(pixels, _SHOWN_PIXELS)
    image = pillow().fromarray(display_rgb(resized(pixels, *size)))
    file = io.BytesIO()
    image.save(file, "JPEG", quality=92, subsampling=0)
    return file.getvalue()


class Canvas:
    """Class of every painted pixel, −1 elsewhere; what is drawn already is not drawn again."""

    def __init__(self, width: int, height: int, scale: float) -> None:
        self._size = width, height
        self._scale = scale
        self._wipe()

    def _wipe(self) -> None:
        self._image = pillow().new("L", self._size, _UNPAINTED)
        self._drawn: tuple[Stroke, ...] = ()

    def paint(self, strokes: tuple[Stroke, ...]) -> NDArray[np.int64]:
        """The canvas after these strokes."""
        known = len(self._drawn)
        if strokes[:known] != self._drawn:
            self._wipe()
            known = 0
        pen = pillow("ImageDraw").Draw(self._image)
        for stroke in strokes[known:]:
            _draw(pen, stroke, self._scale)
        self._drawn = strokes
        painted = np.array(self._image, dtype=np.int64)
        painted[painted == _UNPAINTED] = -1
        return painted


def _draw(pen: object, stroke: Stroke, scale: float) -> None:
    """Round ends and joints: a disc at every point and a line between neighbours.

    The middle of a pixel is at half a coordinate on the page, and at a whole one in Pillow.
    """
    value = _UNPAINTED if stroke.kind == ERASER else stroke.kind
    places = np.asarray(stroke.points, dtype=np.float64).reshape(-1, 2) * scale - 0.5
    radius = max(stroke.radius * scale, 0.5)
    line = [tuple(place) for place in places.tolist()]
    if len(line) > 1:
        pen.line(line, fill=value, width=max(1, round(2 * radius)))  # type: ignore[attr-defined]
    for x, y in line:
        box = (x - radius + 0.5, y - radius + 0.5, x + radius - 0.5, y + radius - 0.5)
        if radius < 1:
            pen.point((round(x), round(y)), fill=value)  # type: ignore[attr-defined]
        else:
            pen.ellipse(box, fill=value)  # type: ignore[attr-defined]
