"""All sessions of a server."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from fastge.app.limits import LimitError, Limits, UnknownSessionError, check
from fastge.app.session import Session, Workers
from fastge.files.images import Pixels


class Sessions:
    """Sessions by their key, which nobody can guess."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        threads = max(2, (os.cpu_count() or 2) // 2)
        self._workers = Workers(
            ThreadPoolExecutor(threads, "fastge-quick"), ThreadPoolExecutor(1, "fastge-slow")
        )
        self._sessions: dict[str, Session] = {}

    def open(self, name: str, pixels: Pixels) -> Session:
        """A new session for an image."""
        self.check_room(pixels.shape[0] * pixels.shape[1])
        key = secrets.token_urlsafe(12)
        self._sessions[key] = Session(key, name, pixels, self.limits, self._workers)
        return self._sessions[key]

    def check_room(self, pixels: int = 0) -> None:
        """Raise unless one more image fits; forgotten ones make room."""
        self._drop_forgotten()
        remedy = "close one that is open (⋯ menu, Close image), or start fastge paint anew"
        check(len(self._sessions) + 1, self.limits.sessions, "open images", remedy)
        total = pixels + sum(s.pixels.shape[0] * s.pixels.shape[1] for s in self)
        check(total, self.limits.pixels_in_total, "pixels in all open images", remedy)

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
        for executor in (self._workers.quick, self._workers.slow):
            executor.shutdown(wait=False, cancel_futures=True)

    def __iter__(self) -> Iterator[Session]:
        return iter(self._sessions.values())

    def _drop_forgotten(self) -> None:
        longest = self.limits.idle_seconds
        now = time.monotonic()
        for session in list(self):
            if not session.pages and now - session.last_seen > longest:
                self.close(session.key)
