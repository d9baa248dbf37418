"""How much the page takes from its clients, and the errors that say so."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from fastge.errors import FastgeError


class LimitError(FastgeError):
    """A request for more than the server gives."""


class UnknownSessionError(FastgeError):
    """A session that is not, or no longer, there."""


@dataclass(frozen=True)
class Limits:
    """Upper bounds, each with an error of its own."""

    upload_bytes: int = 100 * 2**20
    pixels: int = 64_000_000
    """Of one image."""
    pixels_in_total: int = 256_000_000
    sessions: int = 16
    connections: int = 64
    message_bytes: int = 2**20
    classes: int = 24
    extra: int = 8
    """Regions to discover beyond the painted ones."""
    strokes: int = 2_000
    points: int = 200_000
    """Of all strokes of a session together."""
    least_working_pixels: int = 20_000
    most_working_pixels: int = 4_000_000
    full_pixels: int = field(default_factory=lambda: _pixels_that_fit(16_000_000))
    """Above it, a segmentation in full resolution is computed smaller and enlarged."""
    rest_seconds: float = 120.0
    """After which the graph of an image that nobody looks at is forgotten, and built anew later."""
    idle_seconds: float = 12 * 3600.0
    """After which an image that nobody looks at makes room for others."""


WORKING_PIXELS = 400_000
_BYTES_PER_PIXEL = 1_300  # measured, of a segmentation from scratch


def _pixels_that_fit(most: int) -> int:
    """Pixels that can be segmented in half of the memory that is free."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1_000_000, min(most, free // 2 // _BYTES_PER_PIXEL))


def check(value: float, most: float, what: str, remedy: str) -> None:
    """Raise unless `value` is within its limit."""
    if value > most:
        raise LimitError(f"{value:,.0f} {what} are more than the {most:,.0f} allowed; {remedy}")
