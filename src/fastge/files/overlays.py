"""Segmentations → image files: labels, overlays with a legend, maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.ndimage import maximum_filter

from fastge.files.images import Pixels, pillow
from fastge.graph import BoolArray, FloatArray, IntArray

LABEL_SUFFIXES = (".png", ".npy")
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg")
_MOST_LABELS = 255
_INK, _PAPER = (34, 34, 34), (255, 255, 255)
_SPIKES = 2.0  # per cent of entries beyond each end of the grey scale


def write_labels(path: Path, labels: IntArray, colours: Sequence[str]) -> None:
    """.npy with the labels as they are (int16), or the palette PNG of `labels_picture`."""
    if path.suffix.lower() == ".npy":
        np.save(path, labels.astype(np.int16))
    else:
        labels_picture(labels, colours).save(path)


def labels_picture(labels: IntArray, colours: Sequence[str]) -> Any:
    """A palette image with label + 1 in every pixel; 0, transparent, is none."""
    image = pillow().fromarray(np.clip(labels + 1, 0, _MOST_LABELS).astype(np.uint8))
    image.putpalette([0, 0, 0, *(part for c in colours[:_MOST_LABELS] for part in rgb_of(c))])
    image.info["transparency"] = 0
    return image


def map_picture(values: FloatArray) -> Any:
    """A grey picture of an eigenvector, cut at the spikes that constraints cause."""
    low, high = np.percentile(values, [_SPIKES, 100 - _SPIKES])
    grey = np.clip((values - low) * (255 / ((high - low) or 1.0)), 0, 255)
    return pillow().fromarray(grey.astype(np.uint8))


def enlarged_labels(labels: IntArray, size: tuple[int, int]) -> IntArray:
    """Labels at another width and height: at every pixel the class that has most of it."""
    if labels.shape == size[::-1]:
        return labels
    best = np.zeros(size[::-1], dtype=np.float32)
    result = np.full(size[::-1], -1, dtype=np.int16)  # they may be hundreds of millions
    for label in np.unique(labels):
        part = pillow().fromarray((labels == label).astype(np.float32))
        share = np.asarray(part.resize(size, pillow().Resampling.BILINEAR))
        wins = share > best
        best[wins], result[wins] = share[wins], label
    return result


def with_lines(picture: Pixels, labels: IntArray) -> Pixels:
    """The picture with lines between regions: white inside dark, so that they show on anything."""
    cut = np.zeros(labels.shape, dtype=bool)
    cut[:, 1:] |= labels[:, 1:] != labels[:, :-1]
    cut[1:] |= labels[1:] != labels[:-1]
    width = _pen(labels)
    return _stamped(_stamped(picture, cut, width + 1, _INK), cut, width - 1, _PAPER)


def with_scribbles(picture: Pixels, classes: IntArray, colours: Sequence[str]) -> Pixels:
    """The picture with what is known on it: painted pixels in full colour and a light edge."""
    width = 2 * _pen(classes)
    result = _stamped(picture, classes >= 0, width + max(1, width // 2), _PAPER)
    for label in np.unique(classes[classes >= 0]):
        result = _stamped(result, classes == label, width, rgb_of(colours[label]))
    return result


def with_points(picture: Pixels, classes: IntArray, colours: Sequence[str]) -> Pixels:
    """The picture with a disc in full colour and a light edge at every known pixel."""
    image = pillow().fromarray(picture)
    pen = pillow("ImageDraw").Draw(image)
    radius = max(3.0, math.sqrt(classes.size) / 110)
    edge = max(1, round(radius / 3))
    for y, x in np.argwhere(classes >= 0).tolist():
        box = (x - radius, y - radius, x + radius, y + radius)
        pen.ellipse(box, rgb_of(colours[classes[y, x]]), _PAPER, edge)
    return np.asarray(image)


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


def _pen(labels: IntArray) -> int:
    """Width of a line that is readable when the picture fills a screen."""
    return max(1, round(math.sqrt(labels.size) / 900))


def _stamped(picture: Pixels, where: BoolArray, width: int, colour: tuple[int, int, int]) -> Pixels:
    """The picture with every marked pixel as a square of 2 · width // 2 + 1 pixels."""
    result = picture.copy()
    result[maximum_filter(where, size=2 * (width // 2) + 1)] = colour
    return result


def rgb_of(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour such as #e9a800."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


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
