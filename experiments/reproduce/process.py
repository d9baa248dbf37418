"""Runs in a process of their own, which can be stopped when a method takes too long.

Processes are forked from a server that has imported the heavy packages but nothing of ours: they
start quickly, and their modules say which code a result depends on. One serves a whole series.
"""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType

from reproduce.schema import Facts, Record, Run
from reproduce.store import environment_id
from reproduce.worker import serve

HEAVY = ("numpy", "scipy.sparse.linalg", "scipy.spatial", "sklearn.cluster", "sklearn.metrics",
         "sklearn.semi_supervised", "skimage.segmentation", "PIL.Image")  # fmt: skip
PREPARATION = 300.0
"""Seconds for starting, compiling what must be, a rehearsal and the data; and for the scores."""


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
        """The record of a run, which is stopped once the method has taken `limit` seconds."""
        arrays = self.folder / "arrays" / f"{run.key}.npz" if keep else None
        load = os.getloadavg()[0]
        try:
            facts = self._told(run, arrays, limit)
        except (EOFError, OSError):
            self._end()
            facts = {"status": "failed", "reason": "the process died"}
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
        connection.send((run, arrays))
        allowed = {"asked": PREPARATION, "started": limit, "finished": PREPARATION}
        facts: Facts = {"status": "asked"}
        while (status := facts["status"]) in allowed:
            if not connection.poll(allowed[status]):
                self._end()
                return facts | _overdue(status, allowed[status])
            facts |= connection.recv()
        return facts

    def _start(self) -> Connection:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(HEAVY))
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        return self._connection

    def _end(self) -> None:
        if self._process is not None and self._connection is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
        self._process = self._connection = None


def _overdue(status: str, seconds: float) -> Facts:
    if status == "started":
        reason = f"stopped after {seconds:g} s"
        return {"status": "stopped", "reason": reason, "seconds": seconds, "cpu_seconds": seconds}
    part = "the data" if status == "asked" else "the scores"
    return {"status": "failed", "reason": f"{part} were not there after {seconds:g} s"}
