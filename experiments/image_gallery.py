"""The pictures of docs/gallery.md: photographs that ship in other packages, and their regions.

    python experiments/image_gallery.py

writes docs/gallery/*.jpg: on the left the photograph with its labelled pixels, on the right the
regions that `fastge.image.segment` finds from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from PIL import Image, ImageDraw

from fastge.datasets.photographs import shipped_picture
from fastge.demo_photograph import MORE
from fastge.graph import IntArray
from fastge.image import PALETTE, segment
from fastge.image.overlay import as_rgb

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "gallery"
SIZE = (440, 440)
QUALITY = 82
_DOT = 4

Points: TypeAlias = list[tuple[int, int, int]]

# Beyond the points that come with the pictures: x, y, class.
FURTHER: dict[str, Points] = {
    "china": list(MORE),
    "flower": [],
    "coffee": [(291, 311, 1), (106, 353, 0), (435, 353, 0), (365, 285, 1), (225, 256, 1)],
    "camera": [(170, 165, 1), (290, 148, 1), (350, 185, 0), (330, 205, 2), (240, 493, 2)],
    "retina": [(200, 640, 0), (205, 670, 0)],
}
CAT: Points = [
    *((10, 60, 0), (430, 60, 0), (430, 200, 0), (390, 20, 0), (400, 290, 0)),
    *((215, 40, 1), (100, 150, 1), (60, 250, 1), (300, 110, 1), (130, 210, 1), (250, 285, 1)),
    *((230, 180, 1), (370, 30, 1), (10, 200, 1), (345, 190, 1), (170, 260, 1), (60, 20, 1)),
    *((157, 127, 2), (172, 110, 2), (195, 120, 2), (318, 137, 2), (330, 146, 2)),
    *((265, 245, 3), (280, 250, 3), (255, 235, 3), (275, 238, 3)),
]


@dataclass(frozen=True, eq=False)
class Picture:
    """A photograph and its labelled pixels."""

    name: str
    image: Any
    points: IntArray


def pictures() -> Iterator[Picture]:
    for name, further in FURTHER.items():
        data = shipped_picture(name)  # type: ignore[arg-type]
        classes = data.truth.reshape(data.shape)
        y, x = np.nonzero(classes >= 0)
        points = np.column_stack([x, y, classes[y, x]])
        yield Picture(
            name, data.image, np.vstack([points, np.array(further, dtype=np.int64).reshape(-1, 3)])
        )
    from skimage import data as samples

    yield Picture("cat", samples.chelsea(), np.array(CAT))


def shown(picture: Picture) -> Image.Image:
    """The photograph with its points, and the regions found from them, side by side."""
    found = segment(picture.image, picture.points)
    left, right = (Image.fromarray(a) for a in (as_rgb(picture.image), found.overlay()))
    scale = min(SIZE[0] / left.width, SIZE[1] / left.height)
    size = round(left.width * scale), round(left.height * scale)
    left, right = (half.resize(size, Image.Resampling.LANCZOS) for half in (left, right))
    draw = ImageDraw.Draw(left)
    for x, y, label in picture.points.tolist():
        at = (x + 0.5) * scale, (y + 0.5) * scale
        draw.circle(at, _DOT, fill=tuple(PALETTE[label].tolist()), outline="white")
    both = Image.new("RGB", (2 * size[0] + 8, size[1]), "white")
    both.paste(left, (0, 0))
    both.paste(right, (size[0] + 8, 0))
    return both


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for picture in pictures():
        shown(picture).save(FOLDER / f"{picture.name}.jpg", quality=QUALITY, optimize=True)
        print(FOLDER / f"{picture.name}.jpg")
