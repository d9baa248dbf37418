"""All sessions of a server."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager

from fastge.app.limits import LimitError, Limits, UnknownSessionError, check
from fastge.app.session import Session
from fastge.app.workers import Workers
from fastge.files.images import Pixels

_REMEDY = "close one that is open (⋯ menu, Close image), or start fastge paint anew"
_DECODED_AT_ONCE = 2


class Sessions:
    """Sessions by their key, which nobody can guess."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._workers = Workers()
        self._sessions: dict[str, Session] = {}
        self._coming = 0
        self.decoding = asyncio.Semaphore(_DECODED_AT_ONCE)
        """Pictures are large while they are unpacked."""

    @contextmanager
    def place(self) -> Iterator[None]:
        """Room for one more image while it is on its way; forgotten ones make it."""
        self._drop_forgotten()
        check(len(self._sessions) + self._coming + 1, self.limits.sessions, "open images", _REMEDY)
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    def open(self, name: str, pixels: Pixels) -> Session:
        """A new session for an image that has a place."""
        total = sum(p.shape[0] * p.shape[1] for p in (pixels, *(s.pixels for s in self)))
        check(total, self.limits.pixels_in_total, "pixels in all open images", _REMEDY)
        key = secrets.token_urlsafe(12)
        self._sessions[key] = Session(key, name, pixels, self.limits, self._workers)
        return self._sessions[key]

    def check_connections(self) -> None:
        if sum(len(s.pages) for s in self) >= self.limits.connections:
            raise LimitError(
                f"{self.limits.connections} pages are connected, which is the most; close some"
            )

    def get(self, key: str) -> Session:
        try:
            return self._sessions[key]
        except KeyError:
            raise UnknownSessionError("this image is not open any more; open it again") from None

    def close(self, key: str) -> None:
        self.get(key).close()
        del self._sessions[key]

    def close_all(self) -> None:
        """Stop every session; threads end with what they are doing."""
        for key in list(self._sessions):
            self.close(key)
        self._workers.stop()

    def __iter__(self) -> Iterator[Session]:
        return iter(self._sessions.values())

    def _drop_forgotten(self) -> None:
        limits, now = self.limits, time.monotonic()
        for session in list(self):
            longest = limits.idle_seconds if session.document.history else limits.untouched_seconds
            if not session.pages and now - session.last_seen > min(longest, limits.idle_seconds):
                self.close(session.key)
