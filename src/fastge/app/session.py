"""One image, what is painted on it, and the pages that show it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar

from fastge.app.document import Document, Stroke
from fastge.app.drawing import shown_image
from fastge.app.limits import WORKING_PIXELS, LimitError, Limits, pixels_that_fit
from fastge.app.pages import Page
from fastge.app.protocol import (
    ClassesMessage,
    Message,
    SettingsMessage,
    StrokeMessage,
    frame,
)
from fastge.app.solver import Answer, Solver, Stage, Wish
from fastge.app.workers import Workers
from fastge.errors import FastgeError
from fastge.files.images import Pixels, smaller_size
from fastge.image import CancelledError

_log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(eq=False)
class Session:
    """State of one image. Only the event loop changes it; workers get what cannot change."""

    key: str
    name: str
    pixels: Pixels
    limits: Limits
    workers: Workers
    document: Document = field(init=False)
    working_pixels: int = WORKING_PIXELS
    revision: int = 0
    answer: Answer | None = None
    """The newest coarse or final one."""
    full: Answer | None = None
    pages: set[Page] = field(default_factory=set)
    last_seen: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.document = Document(self.limits)
        self.solver = Solver(self.pixels)
        self._draft: Stroke | None = None
        self._shown_answer: bytes | None = None
        self._since = time.perf_counter()
        self._changed = asyncio.Event()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def join(self, page: Page) -> None:
        """A page begins to look: it gets the state and the newest answer."""
        self.pages.add(page)
        if "follow" not in self._tasks:
            self._tasks["follow"] = asyncio.create_task(self._follow())
        page.tell("state", self.state())
        if self._shown_answer is not None:
            page.tell("labels", self._shown_answer)

    def leave(self, page: Page) -> None:
        self.pages.discard(page)
        self.last_seen = time.monotonic()
        asyncio.get_running_loop().call_later(self.limits.rest_seconds, self._rest)

    def _rest(self) -> None:
        if not self.pages:
            self.workers.shelf.put_away(self.solver)

    def close(self) -> None:
        """No more work for this session; what runs in a thread is overtaken."""
        for task in self._tasks.values():
            task.cancel()
        self.revision += 1
        self._changed.set()
        self.workers.shelf.put_away(self.solver)

    @cached_property
    def shown(self) -> bytes:
        """The image as a file for the page."""
        return shown_image(self.pixels)

    def receive(self, message: Message, sender: Page) -> None:
        """Do what the message says, and tell the pages."""
        if isinstance(message, StrokeMessage) and message.type == "draft":
            self.document.check(message.stroke)
            self._draft, self._since = message.stroke, time.perf_counter()
            self._changed.set()
            return
        if message.type == "full":
            self._start_full()
            return
        needs_answer = self._apply(message)
        self._draft = None
        if needs_answer:
            self.revision += 1
            self._since = time.perf_counter()
            self._changed.set()
        for page in self.pages:
            # The sender has its own strokes already, and they may be many.
            has_them = page is sender and isinstance(message, StrokeMessage)
            page.tell("state", self.state(strokes=not has_them))

    def _apply(self, message: Message) -> bool:
        """Whether the segmentation has to follow."""
        match message:
            case StrokeMessage():
                self.document.add(message.stroke)
            case ClassesMessage():
                self.document.rename(message.painted_classes)
                return False
            case SettingsMessage():
                self._set(message)
            case _:
                getattr(self.document, message.type)()
        return True

    def _set(self, message: SettingsMessage) -> None:
        limits = self.limits
        least, most = limits.least_working_pixels, limits.most_working_pixels
        if not least <= message.working_pixels <= most:
            raise LimitError(f"a working resolution lies between {least:,} and {most:,} pixels")
        if message.working_pixels > max(pixels_that_fit(), self.working_pixels):
            raise LimitError("the free memory is too small for this resolution; choose a lower one")
        if message.extra > limits.extra:
            raise LimitError(f"at most {limits.extra} regions can be discovered")
        self.working_pixels, self.document.extra = message.working_pixels, message.extra

    def wish(self) -> Wish:
        strokes = self.document.strokes
        if self._draft is not None:
            strokes = (*strokes, self._draft)
        return Wish(
            self.revision,
            strokes,
            self.document.extra,
            self.working_pixels,
            is_draft=self._draft is not None,
            since=self._since,
        )

    def state(self, *, strokes: bool = True) -> dict[str, Any]:
        """Everything that a page needs to show, but for image and labels."""
        document, (width, height) = self.document, self.solver.size
        working = smaller_size(self.pixels, self.working_pixels)
        return {
            "type": "state",
            "session": self.key,
            "name": self.name,
            "revision": self.revision,
            "width": width,
            "height": height,
            "working": {"pixels": self.working_pixels, "width": working[0], "height": working[1]},
            "extra": document.extra,
            "classes": [{"name": c.name, "colour": c.colour} for c in document.classes],
            "count": len(document.strokes),
            "strokes": [vars(s) for s in document.strokes] if strokes else None,
            "can_undo": document.can_undo,
            "can_redo": document.can_redo,
            "hint": self.wish().hint,
        }

    def tell(self, message: dict[str, Any]) -> None:
        for page in self.pages:
            page.tell(message["type"], message)

    async def _follow(self) -> None:
        """Answer the newest wish: coarse at once, then final unless there is a newer one."""
        self.workers.shelf.take(self.solver, self.working_pixels)
        await self._in_thread(Stage.COARSE, partial(self.solver.prepare, self.working_pixels))
        while True:
            await self._changed.wait()
            self._changed.clear()
            wish = self.wish()
            if wish.hint is not None:
                self.answer = self._shown_answer = None
                self.tell({"type": "nothing", "revision": wish.revision, "hint": wish.hint})
                continue
            self.workers.shelf.take(self.solver, self.working_pixels)
            stages = [Stage.COARSE] if wish.is_draft else [Stage.COARSE, Stage.FINAL]
            for stage in stages:
                await self._reply(wish, stage)
                if self._changed.is_set():
                    break

    async def _reply(self, wish: Wish, stage: Stage) -> None:
        def work() -> tuple[Answer, bytes]:
            answer = self.solver.solve(wish, stage, self._changed.is_set)
            return answer, frame(answer, self.limits.most_working_pixels)

        solved = await self._in_thread(stage, work)
        if solved is None or (stage is Stage.FINAL and self._changed.is_set()):
            return
        self.answer, self._shown_answer = solved
        for page in self.pages:
            page.tell("labels", self._shown_answer)

    def _start_full(self) -> None:
        task = self._tasks.get("full")
        if task is None or task.done():
            self._tasks["full"] = asyncio.create_task(self._solve_in_full())

    async def _solve_in_full(self) -> None:
        wish = self.wish()
        if wish.hint is not None:
            self.tell({"type": "error", "message": wish.hint})
            return
        width, height = smaller_size(self.pixels, pixels_that_fit())
        self.tell({"type": "working", "stage": "full", "width": width, "height": height})

        def work() -> tuple[Answer, bytes]:
            answer = self.solver.solve_in_full(
                wish, (width, height), lambda: self.revision != wish.revision
            )
            return answer, frame(answer, self.limits.most_working_pixels)

        solved = await self._in_thread(Stage.FULL, work)
        if solved is None or self.revision != wish.revision:
            self.tell({"type": "working", "stage": None})
            return
        self.full = solved[0]
        for page in self.pages:
            page.tell("full", solved[1])

    async def _in_thread(self, stage: Stage, work: Callable[[], T]) -> T | None:
        """The result, or None where the work was overtaken or failed; then the pages are told."""
        try:
            return await self.workers.run(stage, work)
        except CancelledError:
            return None
        except (FastgeError, MemoryError) as cause:
            reason = str(cause) or "not enough memory; choose a lower resolution"
        except Exception:
            _log.exception("a segmentation of %s failed", self.name)
            reason = "this segmentation failed; undo the last stroke or choose another resolution"
        self.tell({"type": "error", "message": reason})
        return None
