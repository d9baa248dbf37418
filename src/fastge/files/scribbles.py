"""What is known about some pixels, from files: painted pictures or tables of points."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fastge.files.images import Pixels, open_image
from fastge.files.tables import (
    TEXT_SUFFIXES,
    as_number,
    as_whole,
    check_readable,
    file_error,
    rows,
    sniff,
)
from fastge.graph import IntArray

SCRIBBLE_SUFFIXES = (".png",)
POINT_SUFFIXES = TEXT_SUFFIXES
_UNPAINTED = -1
_LARGEST_ID = 250


@dataclass(frozen=True, eq=False)
class Points:
    """Rows x, y, class, and what the classes are called."""

    rows: IntArray
    names: dict[int, str]


def read_painting(path: Path, shape: tuple[int, int]) -> Pixels:
    """A painted picture of the image's size: classes (h × w) if it is grey, else RGBA colours.

    In a grey picture 0 is unpainted and v is class v − 1.
    """
    check_readable(path, SCRIBBLE_SUFFIXES)
    image = open_image(path.read_bytes(), str(path))
    if image.size != shape[::-1]:
        raise file_error(
            path,
            None,
            f"{image.width} × {image.height} pixels do not fit the image of {shape[1]} × "
            f"{shape[0]}; paint on a picture of its size",
        )
    try:
        return _classes_or_colours(image)
    except (OSError, SyntaxError, ValueError) as cause:
        raise file_error(path, None, "the picture is damaged; save it again") from cause


def read_points(path: Path, shape: tuple[int, int]) -> Points:
    """Rows x,y,label: x to the right and y down from the top left pixel 0,0; label −1 is none."""
    check_readable(path, POINT_SUFFIXES)
    layout = sniff(path, (3,))
    if not any(as_number(cell) is not None for cell in layout.first_rows[0][1][:2]):
        layout = layout.without_first_row()
    found = [
        (*_place(path, line, cells, shape), cells[2])
        for line, cells in rows(path, layout.separator, layout.skip)
        if cells[2:] != [str(_UNPAINTED)]
    ]
    if not found:
        raise file_error(path, None, "there is no point in it; write rows x,y,label")
    ids, names = _numbered([label for _, _, label in found])
    return Points(np.array([(x, y, i) for (x, y, _), i in zip(found, ids, strict=True)]), names)


def _classes_or_colours(image: Any) -> Pixels:
    if image.mode in {"1", "L", "I;16", "I"}:
        return np.asarray(image.convert("L") if image.mode == "1" else image).astype(np.int64) - 1
    return np.asarray(image.convert("RGBA"))


def _place(path: Path, line: int, cells: list[str], shape: tuple[int, int]) -> tuple[int, int]:
    x, y = (as_number(cell) for cell in cells[:2]) if len(cells) == 3 else (None, None)
    if x is None or y is None:
        raise file_error(path, line, f"{','.join(cells)}: not a point; write x,y,label in pixels")
    if not (0 <= x < shape[1] and 0 <= y < shape[0]):
        raise file_error(
            path,
            line,
            f"the point {cells[0]},{cells[1]} is outside the image of {shape[1]} × {shape[0]} "
            "pixels; x runs to the right and y down, from 0",
        )
    return int(x), int(y)


def _numbered(labels: list[str]) -> tuple[list[int], dict[int, str]]:
    """Ids of the labels and their names: small whole numbers stand for themselves."""
    whole = [number for label in labels if (number := as_whole(label)) is not None]
    if len(whole) == len(labels) and all(0 <= number <= _LARGEST_ID for number in whole):
        return whole, {number: f"class {number}" for number in sorted(set(whole))}
    names = list(dict.fromkeys(labels))
    return [names.index(label) for label in labels], dict(enumerate(names))
