"""Images of any kind → channels in which Euclidean distance means something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from fastge.errors import ParameterError
from fastge.graph import BoolArray, FloatArray

Colour: TypeAlias = Literal["auto", "lab", "values"]

_WHITE = np.array([0.95047, 1.0, 1.08883])  # D65
_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_LINEAR_BELOW = (6 / 29) ** 3
_BLOCK = 1 << 14  # colours converted at a time, so that they stay in the cache


@dataclass(frozen=True, eq=False)
class Pixels:
    """Channels of every pixel (shape × c, float32), and which pixels take part."""

    channels: FloatArray
    inside: BoolArray

    @property
    def seen(self) -> FloatArray:
        """Channels of the pixels that take part, one row each."""
        rows = self.channels.reshape(self.inside.size, -1)
        return rows if self.inside.all() else rows[self.inside.ravel()]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.inside.shape)


def read_pixels(
    image: Any, mask: Any = None, *, colour: Colour = "auto", volume: bool = False
) -> Pixels:
    """Channels of an image: CIELAB of colours, other channels by their standard deviation.

    h × w is grey, h × w × 3 is RGB, h × w × 4 of integers is RGBA, and of integers h × w × 2 is
    grey with alpha; whatever else is a multichannel image. Floats are colours where they lie in
    0 … 1 or 0 … 255. With `volume` there is one more axis in front. Pixels where `mask` is true
    or alpha is 0 take no part.
    """
    if colour not in ("auto", "lab", "values"):
        raise ParameterError(f"colour = {colour!r}; choose 'auto', 'lab' or 'values'")
    values, inside = _without_alpha(_with_channels(image, volume))
    inside = inside & ~_read_mask(mask, inside.shape)
    _check(values, inside)
    if _is_colour(values, inside, colour):
        return Pixels(lab(_unit_range(values, inside)), inside)
    return Pixels(_standardised(values.astype(np.float32), inside), inside)


def lab(rgb: FloatArray) -> FloatArray:
    """CIELAB (D65) of sRGB values in 0 … 1, along the last axis."""
    rows = rgb.reshape(-1, 3)
    result = np.empty_like(rows)
    for first in range(0, len(rows), _BLOCK):
        result[first : first + _BLOCK] = _lab(rows[first : first + _BLOCK])
    return result.reshape(rgb.shape)


def _lab(rgb: FloatArray) -> FloatArray:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((np.maximum(rgb, 0) + 0.055) / 1.055) ** 2.4)
    matrix = (_TO_XYZ / _WHITE[:, None]).astype(rgb.dtype)
    xyz = linear @ matrix.T
    f = np.where(xyz > _LINEAR_BELOW, np.cbrt(xyz), xyz * (841 / 108) + 4 / 29)
    x, y, z = f[..., 0], f[..., 1], f[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def _with_channels(image: Any, volume: bool) -> Any:
    values = np.asarray(image)
    axes = 2 + volume
    if values.dtype.kind not in "biuf":
        raise ParameterError(
            f"an image of dtype {values.dtype} has no pixel values; pass integers or floats "
            "(of a palette image: image.convert('RGB'))"
        )
    if values.ndim == axes:
        values = values[..., None]
    if values.ndim != axes + 1:
        kind = (
            "volume is d × h × w or d × h × w × channels"
            if volume
            else ("image is h × w or h × w × channels (for d × h × w set volume=True)")
        )
        raise ParameterError(f"the image has shape {np.shape(image)}; an {kind}")
    if values.size == 0:
        raise ParameterError(f"the image has shape {np.shape(image)} and no pixels")
    return values


def _without_alpha(values: Any) -> tuple[Any, BoolArray]:
    """Channels without alpha, and where alpha is not zero."""
    if values.dtype.kind in "iu" and values.shape[-1] in (2, 4):
        return values[..., :-1], values[..., -1] > 0
    return values, np.ones(values.shape[:-1], dtype=bool)


def _read_mask(mask: Any, shape: tuple[int, ...]) -> BoolArray:
    if mask is None:
        return np.zeros(shape, dtype=bool)
    array = np.asarray(mask)
    if array.shape != shape:
        raise ParameterError(
            f"the mask has shape {array.shape}, the image {shape}; the mask is true (or not 0) at "
            "every pixel to leave out"
        )
    return array.astype(bool)


def _check(values: Any, inside: BoolArray) -> None:
    if not inside.any():
        raise ParameterError("the mask (or alpha) leaves out every pixel; leave some in")
    if values.dtype.kind == "f":
        bad = ~np.isfinite(values).all(axis=-1) & inside
        if bad.any():
            at = tuple(int(i) for i in np.argwhere(bad)[0])
            raise ParameterError(
                f"{int(bad.sum())} pixels are NaN or infinite, the first one at {at}; leave them "
                "out with mask=~numpy.isfinite(image) or fill them"
            )


def _is_colour(values: Any, inside: BoolArray, colour: Colour) -> bool:
    if colour == "values":
        return False
    three = values.shape[-1] == 3
    if colour == "lab":
        if not three:
            raise ParameterError(
                f"colour='lab' needs red, green and blue; the image has {values.shape[-1]} channels"
            )
        return True
    if not three or values.dtype.kind == "b":
        return False
    if values.dtype.kind == "f":
        seen = values[inside]
        return bool(seen.min() >= 0 and seen.max() <= 255)
    return True


def _unit_range(values: Any, inside: BoolArray) -> FloatArray:
    """Colours in 0 … 1, by the range of the integer type or by the largest value of floats."""
    unit = values.astype(np.float32)
    if values.dtype.kind in "iu":
        return np.asarray(unit / np.float32(np.iinfo(values.dtype).max))
    unit[~inside] = 0
    return np.asarray(unit / np.float32(255) if unit.max() > 1 else unit)


def _standardised(values: FloatArray, inside: BoolArray) -> FloatArray:
    """Channels of standard deviation 1, so that units do not matter; excluded pixels are 0."""
    seen = values[inside].astype(np.float64)
    spread = seen.std(axis=0)
    result = (values - seen.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    result[~inside] = 0
    return np.asarray(result, dtype=np.float32)
