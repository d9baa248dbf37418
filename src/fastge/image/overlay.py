"""Labels → a picture: translucent colours over the image, and lines where regions meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fastge.graph import BoolArray, IntArray, NodeArray

# After Okabe and Ito, ordered so that neighbours also differ in lightness; as in fastge.plot.
PALETTE = np.array(
    [
        (0x00, 0x72, 0xB2),
        (0xE9, 0xA8, 0x00),
        (0x66, 0x11, 0x50),
        (0x1F, 0xAA, 0x85),
        (0x56, 0xB4, 0xE9),
        (0xD5, 0x5E, 0x00),
        (0xCC, 0x79, 0xA7),
    ],
    dtype=np.uint8,
)
LINE = (255, 255, 255)


def overlay(
    image: Any,
    labels: IntArray,
    *,
    opacity: float = 0.45,
    lines: bool = True,
    colours: Mapping[int, tuple[int, int, int]] | None = None,
) -> Any:
    """RGB picture (uint8) of an h × w image under the colours of its labels; −1 stays bare."""
    rgb = as_rgb(image)
    row, mixed = _mixtures(labels, opacity, colours)
    first = row[labels] * np.int32(256)
    picture = np.empty_like(rgb)
    for channel in range(3):
        mixed[:, channel].ravel().take(first + rgb[..., channel], out=picture[..., channel])
    if lines:
        picture[cut_lines(labels)] = LINE
    return picture


def _mixtures(
    labels: IntArray, opacity: float, colours: Mapping[int, tuple[int, int, int]] | None
) -> tuple[NodeArray, Any]:
    """Row of each label that occurs (of −1 the last entry), and what becomes of 0 … 255 there.

    Painting is looked up, not calculated: pictures have many pixels and few classes.
    """
    count = max(int(labels.max(initial=0)) + 1, 1)
    present = np.flatnonzero(np.bincount(labels.ravel() + 1, minlength=count + 1)) - 1
    row = np.zeros(count + 1, dtype=np.int32)
    row[present] = np.arange(len(present), dtype=np.int32)
    paint = PALETTE[present % len(PALETTE)].astype(np.float64)
    for label, colour in (colours or {}).items():
        paint[present == label] = colour
    share = np.where(present >= 0, opacity, 0.0)[:, None, None]
    values = np.arange(256)
    mixed = values + share * (paint[:, :, None] - values)
    return row, np.rint(mixed).astype(np.uint8)


def cut_lines(labels: IntArray) -> BoolArray:
    """Pixels whose right or lower neighbour has another label: lines one pixel wide."""
    line = np.zeros(labels.shape, dtype=bool)
    line[:, :-1] |= labels[:, :-1] != labels[:, 1:]
    line[:-1] |= labels[:-1] != labels[1:]
    return line & (labels >= 0)


def as_rgb(image: Any) -> Any:
    """Any h × w (× c) image as uint8 RGB: integers by their range, floats stretched if need be."""
    values = np.asarray(image)
    if values.ndim == 2:
        values = values[..., None]
    if values.shape[-1] in (2, 4) and values.dtype.kind in "iu":
        values = values[..., :-1]
    values = values[..., :3] if values.shape[-1] >= 3 else values[..., :1]
    rgb = np.broadcast_to(_to_bytes(values), (*values.shape[:-1], 3))
    return np.ascontiguousarray(rgb)


def _to_bytes(values: Any) -> Any:
    if values.dtype == np.uint8:
        return values
    known = np.nan_to_num(values.astype(np.float64), posinf=0.0, neginf=0.0)
    low, high = float(known.min()), float(known.max())
    if values.dtype.kind == "f" and low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return np.rint(255 * (known - low) / ((high - low) or 1.0)).astype(np.uint8)
