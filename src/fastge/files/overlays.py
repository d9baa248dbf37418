"""Segmentations → image files: labels, overlays with a legend, maps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fastge.files.images import Pixels, pillow
from fastge.graph import FloatArray, IntArray

LABEL_SUFFIXES = (".png", ".npy")
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg")
_MOST_LABELS = 255
_INK, _PAPER = (34, 34, 34), (255, 255, 255)
_SPIKES = 2.0  # per cent of entries beyond each end of the grey scale


def write_labels(path: Path, labels: IntArray, colours: Sequence[str]) -> None:
    """.npy with the labels as they are, or the palette PNG of `labels_picture`."""
    if path.suffix.lower() == ".npy":
        np.save(path, labels)
    else:
        labels_picture(labels, colours).save(path)


def labels_picture(labels: IntArray, colours: Sequence[str]) -> Any:
    """A palette image with label + 1 in every pixel; 0, transparent, is none."""
    image = pillow().fromarray(np.clip(labels + 1, 0, _MOST_LABELS).astype(np.uint8))
    channels = [int(c[at : at + 2], 16) for c in colours[:_MOST_LABELS] for at in (1, 3, 5)]
    image.putpalette([0, 0, 0, *channels])
    image.info["transparency"] = 0
    return image


def map_picture(values: FloatArray) -> Any:
    """A grey picture of an eigenvector, cut at the spikes that constraints cause."""
    low, high = np.percentile(values, [_SPIKES, 100 - _SPIKES])
    grey = np.clip((values - low) * (255 / ((high - low) or 1.0)), 0, 255)
    return pillow().fromarray(grey.astype(np.uint8))


def with_legend(picture: Pixels, entries: Sequence[tuple[str, str]]) -> Any:
    """The picture with names and colours of its classes below it, sized to be read beside it."""
    image, draw = pillow().fromarray(picture), pillow("ImageDraw")
    size = int(np.clip(image.width / 40, 11, 64))
    font = pillow("ImageFont").load_default(size)
    rows = _rows(entries, font, size, image.width)
    strip = pillow().new("RGB", (image.width, size // 2 + len(rows) * 2 * size), _PAPER)
    pen = draw.Draw(strip)
    for line, row in enumerate(rows):
        y = size // 2 + line * 2 * size
        for x, (name, colour) in row:
            pen.rectangle((x, y, x + size, y + size), fill=colour, outline=_INK)
            pen.text((x + 1.5 * size, y + size / 2), name, _INK, font, anchor="lm")
    whole = pillow().new("RGB", (image.width, image.height + strip.height), _PAPER)
    whole.paste(image, (0, 0))
    whole.paste(strip, (0, image.height))
    return whole


def _rows(
    entries: Sequence[tuple[str, str]], font: Any, size: int, width: int
) -> list[list[tuple[float, tuple[str, str]]]]:
    """Entries with their x, broken into rows that fit the width."""
    rows: list[list[tuple[float, tuple[str, str]]]] = [[]]
    x = size / 2
    for entry in entries:
        needed = 2.5 * size + font.getlength(entry[0])
        if rows[-1] and x + needed > width:
            rows.append([])
            x = size / 2
        rows[-1].append((x, entry))
        x += needed
    return rows
