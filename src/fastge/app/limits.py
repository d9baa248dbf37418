"""How much the page takes from its clients, and the errors that say so."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

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
    messages_per_second: float = 50.0
    messages_at_once: int = 200
    """A page that sends more is read more slowly."""
    upload_seconds: float = 300.0
    reading_seconds: float = 30.0
    """After which a page that takes nothing of what it is sent is given up."""
    classes: int = 24
    extra: int = 8
    """Regions to discover beyond the painted ones."""
    strokes: int = 2_000
    points: int = 200_000
    """Of all strokes of a session together."""
    least_working_pixels: int = 20_000
    most_working_pixels: int = 4_000_000
    rest_seconds: float = 120.0
    """After which the graph of an image that nobody looks at is forgotten, and built anew later."""
    idle_seconds: float = 12 * 3600.0
    """After which an image that nobody looks at makes room for others."""
    untouched_seconds: float = 60.0
    """The same for an image on which nothing was painted."""


WORKING_PIXELS = 800_000
_BYTES_PER_PIXEL = 400  # measured, of a segmentation and its report
_SHARE = 0.7  # of the memory that is free


def pixels_that_fit() -> int:
    """Pixels that can be segmented in the memory that is free now."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, StopIteration, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        available = next(line for line in lines if line.startswith("MemAvailable:"))
        free = int(available.split()[1]) * 1024  # what caches hold can be had, too
    return max(1_000_000, int(_SHARE * free / _BYTES_PER_PIXEL))


def check(value: float, most: float, what: str, remedy: str) -> None:
    """Raise unless `value` is within its limit."""
    if value > most:
        raise LimitError(f"{value:,.0f} {what} are more than the {most:,.0f} allowed; {remedy}")
