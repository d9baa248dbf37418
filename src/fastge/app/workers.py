"""The threads that all sessions share, and the memory."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

from fastge.app.limits import pixels_that_fit
from fastge.app.solver import Solver, Stage

NAME = "fastge-worker"
T = TypeVar("T")


class Workers:
    """Threads for every stage, so that no coarse answer stands in line behind final ones."""

    def __init__(self, cores: int | None = None) -> None:
        self._cores = cores or os.cpu_count() or 2
        few = max(2, self._cores // 2)
        self._threads = {
            stage: ThreadPoolExecutor(count, f"{NAME}-{stage}")
            for stage, count in ((Stage.COARSE, few), (Stage.FINAL, few), (Stage.FULL, 1))
        }
        self.shelf = Shelf(pixels_that_fit())
        self._lock = threading.Lock()
        self._busy = 0

    async def run(self, stage: Stage, work: Callable[[], T]) -> T:
        """The work's result, from a thread of that stage."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads[stage], self.share, work)

    def share(self, work: Callable[[], T]) -> T:
        """The work's result; those who work at the same time share the cores.

        Parallel kernels of several workers on all cores each would wait for one another.
        """
        with self._lock:
            self._busy += 1
            threads = max(1, self._cores // self._busy)
        try:
            with _pools().limit(limits=threads, user_api="openmp"):
                return work()
        finally:
            with self._lock:
                self._busy -= 1

    def stop(self) -> None:
        """No more work; threads end with what they are doing."""
        for executor in self._threads.values():
            executor.shutdown(wait=False, cancel_futures=True)


class Shelf:
    """The solvers that hold memory; when they hold too many pixels, the longest unused forget."""

    def __init__(self, most_pixels: int) -> None:
        self._most = most_pixels
        self._held: dict[Solver, int] = {}

    def take(self, solver: Solver, pixels: int) -> None:
        """The solver is about to work on so many pixels."""
        self._held.pop(solver, None)
        self._held[solver] = pixels
        while sum(self._held.values()) > self._most and len(self._held) > 1:
            self.put_away(next(iter(self._held)))

    def put_away(self, solver: Solver) -> None:
        """What a thread still works with is gone when the thread is done."""
        self._held.pop(solver, None)
        solver.forget()


@cache
def _pools() -> ThreadpoolController:
    return ThreadpoolController()
