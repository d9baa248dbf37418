"""The pages that look at a session: what is on its way to each, and how fast it may talk."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import anyio
from starlette.websockets import WebSocketDisconnect

Outgoing: TypeAlias = dict[str, Any] | bytes


class Socket(Protocol):
    """What a page is reached by."""

    async def send_text(self, data: str) -> None: ...
    async def send_bytes(self, data: bytes) -> None: ...


class Page:
    """A socket with an outbox, so that nobody waits for a page that reads slowly.

    Of the messages of one kind that wait, only the newest is sent: it replaces the others.
    """

    def __init__(self, socket: Socket, patience: float) -> None:
        self._socket = socket
        self._patience = patience
        self._waiting: dict[str, Outgoing] = {}
        self._filled = asyncio.Event()

    def tell(self, kind: str, message: Outgoing) -> None:
        """Put a message into the outbox, as the last one."""
        self._waiting.pop(kind, None)
        self._waiting[kind] = message
        self._filled.set()

    async def deliver(self, give_up: Callable[[], object]) -> None:
        """Send for as long as the page reads; give it up once it has not for too long."""
        try:
            while True:
                await self._filled.wait()
                self._filled.clear()
                while self._waiting:
                    message = self._waiting.pop(next(iter(self._waiting)))
                    with anyio.fail_after(self._patience):
                        await self._send(message)
        except (TimeoutError, WebSocketDisconnect):
            give_up()

    async def _send(self, message: Outgoing) -> None:
        if isinstance(message, bytes):
            await self._socket.send_bytes(message)
        else:
            await self._socket.send_text(json.dumps(message, separators=(",", ":")))


class Pace:
    """A store of turns that refills with time; whoever has used it up waits for the next one."""

    def __init__(
        self, per_second: float, at_once: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second, self._most, self._clock = per_second, at_once, clock
        self._turns, self._seen = float(at_once), clock()

    def wait(self) -> float:
        """Take a turn: the seconds until it comes."""
        now = self._clock()
        self._turns = min(self._most, self._turns + (now - self._seen) * self._per_second) - 1.0
        self._seen = now
        return max(0.0, -self._turns / self._per_second)
