"""Scribbles in any form → one class per pixel, −1 where nothing is painted."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from fastge.errors import ConstraintError, MissingExtraError
from fastge.graph import IntArray
from fastge.image.overlay import PALETTE

Rgb: TypeAlias = tuple[int, int, int]

MOST_CLASSES = 64
"""Classes above which a picture is taken for something other than scribbles."""


@dataclass(frozen=True, eq=False)
class Scribbles:
    """Class of every painted pixel, −1 elsewhere, and the colours they were painted in."""

    labels: IntArray
    colours: dict[int, Rgb] = field(default_factory=dict)

    @property
    def classes(self) -> IntArray:
        return np.unique(self.labels[self.labels >= 0])


def read_scribbles(scribbles: Any, shape: tuple[int, ...]) -> Scribbles:
    """Scribbles on an image of the given shape (h, w) or (d, h, w).

    An integer array of that shape is one class per pixel, −1 where nothing is painted. An array
    with three or four channels more, or the path of a picture, is painted in colours: black and
    transparent pixels are unpainted, colours of the palette are the classes 0, 1, … in its order,
    and any other colour takes the least free number in reading order. An (n, 3) array is a list
    of points (x, y, class); in volumes (x, y, z, class).
    """
    if isinstance(scribbles, Scribbles):
        return _checked(scribbles, shape)
    if isinstance(scribbles, str | Path):
        return _of_colours(_read_picture(scribbles), shape)
    array = np.asarray(scribbles)
    if array.shape == shape:
        return _checked(Scribbles(_integers(array)), shape)
    if array.ndim == len(shape) + 1 and array.shape[-1] in (3, 4):
        return _of_colours(array, shape)
    if array.ndim == 2 and array.shape[1] == len(shape) + 1:
        return _of_points(array, shape)
    raise ConstraintError(
        f"scribbles of shape {array.shape} do not fit an image of shape {shape}; pass one class "
        f"per pixel (−1 where unpainted), a painted picture of the same size, or points as rows of "
        f"{'x, y, class' if len(shape) == 2 else 'x, y, z, class'}"
    )


def _integers(array: Any) -> IntArray:
    if array.dtype.kind == "f":
        if not (array == np.floor(array)).all():
            raise ConstraintError("scribbles hold fractions; classes are 0, 1, 2, …, unpainted −1")
    elif array.dtype.kind not in "iu":
        raise ConstraintError(
            f"scribbles of dtype {array.dtype} are no classes; pass integers, −1 where unpainted"
        )
    return np.asarray(array, dtype=np.int64)


def _checked(scribbles: Scribbles, shape: tuple[int, ...]) -> Scribbles:
    labels = scribbles.labels
    if labels.shape != shape:
        raise ConstraintError(f"scribbles are {labels.shape}, the image {shape}; sizes must agree")
    if labels.min() < -1:
        raise ConstraintError(f"a scribble has class {labels.min()}; classes are ≥ 0, unpainted −1")
    if labels.size > 1 and labels.min() >= 0:
        raise ConstraintError(
            "every pixel is painted, so nothing is left to find; write −1 where nothing is painted "
            "(where 0 means unpainted: scribbles.astype(int) - 1)"
        )
    if len(scribbles.classes) > MOST_CLASSES:
        raise ConstraintError(
            f"the scribbles have {len(scribbles.classes)} classes, more than {MOST_CLASSES}; paint "
            "without smoothing and save without losses (PNG)"
        )
    return scribbles


def _of_points(points: Any, shape: tuple[int, ...]) -> Scribbles:
    rows = _integers(points)
    places, classes = rows[:, :-1], rows[:, -1]
    size = np.array(shape[::-1])
    outside = ((places < 0) | (places >= size)).any(axis=1)
    if outside.any():
        at = tuple(int(i) for i in places[outside][0])
        raise ConstraintError(
            f"point {at} lies outside the image of size {tuple(int(s) for s in size)}; x counts "
            "columns and y rows, from 0"
        )
    if len(classes) and classes.min() < 0:
        raise ConstraintError(f"a point has class {classes.min()}; classes are 0, 1, 2, …")
    labels = np.full(shape, -1, dtype=np.int64)
    labels[tuple(places.T[::-1])] = classes
    return _checked(Scribbles(labels), shape)


def _of_colours(picture: Any, shape: tuple[int, ...]) -> Scribbles:
    if picture.shape[:-1] != shape:
        raise ConstraintError(
            f"the painted picture is {picture.shape[:-1]}, the image {shape}; sizes must agree"
        )
    if picture.dtype != np.uint8:
        raise ConstraintError(f"a painted picture of dtype {picture.dtype} is not supported; uint8")
    code = _codes(picture[..., :3])
    painted = code > 0
    if picture.shape[-1] == 4:
        painted &= picture[..., 3] > 0
    found, first, where = np.unique(code[painted], return_index=True, return_inverse=True)
    if len(found) > MOST_CLASSES:
        raise ConstraintError(
            f"the painted picture has {len(found)} colours, more than {MOST_CLASSES}; paint "
            "without smoothing and save without losses (PNG)"
        )
    classes = _classes_of(found, first)
    labels = np.full(shape, -1, dtype=np.int64)
    labels[painted] = classes[where]
    colours = {int(c): _rgb(int(f)) for c, f in zip(classes, found, strict=True)}
    return _checked(Scribbles(labels, colours), shape)


def _classes_of(codes: IntArray, first: IntArray) -> IntArray:
    """Palette colours are their place in it; others take free numbers in reading order."""
    palette = {int(code): at for at, code in enumerate(_codes(PALETTE))}
    classes = np.array([palette.get(int(code), -1) for code in codes], dtype=np.int64)
    others = np.flatnonzero(classes < 0)
    free = np.setdiff1d(np.arange(2 * MOST_CLASSES), classes)
    classes[others[np.argsort(first[others])]] = free[: len(others)]
    return classes


def _codes(rgb: Any) -> IntArray:
    parts = rgb.astype(np.int64)
    return np.asarray(parts[..., 0] << 16 | parts[..., 1] << 8 | parts[..., 2])


def _rgb(code: int) -> Rgb:
    return code >> 16, code >> 8 & 255, code & 255


def _read_picture(path: str | Path) -> Any:
    try:
        from PIL import Image
    except ImportError as cause:
        raise MissingExtraError("Pillow", "image", "reading a painted picture") from cause
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGBA"))
