"""Runs in a process of their own, which is stopped when a method takes too long.

Methods are limited in seconds of the processor: how busy the machine is decides nothing.

Processes are forked from a server that has imported the heavy packages but nothing of ours: they
start quickly, and their modules say which code a result depends on. One serves a whole series.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType

from reproduce.schema import Facts, Record, Run
from reproduce.store import environment_id
from reproduce.worker import serve

HEAVY = ("numpy", "scipy.sparse.linalg", "scipy.spatial", "sklearn.cluster", "sklearn.metrics",
         "sklearn.semi_supervised", "skimage.segmentation", "PIL.Image")  # fmt: skip
PREPARATION = 900.0
"""Seconds for starting, compiling what must be, a rehearsal and the data; and for the scores."""
PATIENCE = 20.0
"""Seconds by the clock that a method may take for each of its limit, in case it only waits."""
GRACE = 2.0


class Worker:
    """A process that is started when it is first needed, and anew after it had to be stopped."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._end()

    def execute(self, run: Run, *, limit: float, keep: bool) -> Record:
        """The record of a run, stopped once the method has had the processor `limit` seconds."""
        arrays = self.folder / "arrays" / f"{run.key}.npz" if keep else None
        load = os.getloadavg()[0]
        facts = self._told(run, arrays, limit)
        done = arrays is not None and facts["status"] == "done"
        name = arrays.relative_to(self.folder).as_posix() if arrays and done else ""
        here: Facts = {
            "limit": limit,
            "environment": environment_id(),
            "load": load,
            "arrays": name,
        }
        return Record(run=run, **here, **facts)

    def _told(self, run: Run, arrays: Path | None, limit: float) -> Facts:
        """What the process says of a run; it is ended if it takes too long over any part."""
        connection = self._connection or self._start()
        allowed = {"asked": PREPARATION, "started": PATIENCE * limit, "finished": PREPARATION}
        facts: Facts = {"status": "asked"}
        since = time.perf_counter()
        try:
            connection.send((run, arrays, limit))
            while (status := facts["status"]) in allowed:
                since = time.perf_counter()
                if not connection.poll(allowed[status]):
                    self._end()
                    return facts | _overdue(status, allowed[status])
                facts |= connection.recv()
        except (EOFError, OSError):
            return facts | _death(self._end(), limit, time.perf_counter() - since)
        return facts

    def _start(self) -> Connection:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(HEAVY))
        connection, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs,), daemon=True)
        process.start()  # interrupted here, there is nothing yet to be ended
        theirs.close()
        self._connection, self._process = connection, process
        return connection

    def _end(self) -> int | None:
        """The exit code of the process, negative if a signal ended it."""
        code = None
        if self._process is not None and self._connection is not None:
            self._connection.close()
            self._process.join(GRACE)  # one that is ending by itself says why
            self._process.kill()
            self._process.join()
            code = self._process.exitcode
        self._process = self._connection = None
        return code


def _death(code: int | None, limit: float, seconds: float) -> Facts:
    """Facts of a process that is gone: its timer has ended it, or something else has."""
    if code == -signal.SIGPROF:
        reason = f"stopped after {limit:g} s of the processor"
        return {"status": "stopped", "reason": reason, "seconds": seconds, "cpu_seconds": limit}
    return {"status": "failed", "reason": f"the process died (exit code {code})"}


def _overdue(status: str, seconds: float) -> Facts:
    if status == "started":
        reason = f"the method was not done after {seconds:g} s by the clock"
        return {"status": "failed", "reason": reason}
    part = "the data" if status == "asked" else "the scores"
    return {"status": "failed", "reason": f"{part} were not there after {seconds:g} s"}
