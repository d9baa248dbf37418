"""What a long computation tells while it runs: seconds per stage, progress, the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from fastge.graph import FloatArray

logger = logging.getLogger("fastge")


@dataclass(frozen=True)
class Progress:
    """One sign of life: the stage, and within the eigensolver its iteration and worst residual."""

    stage: str
    iteration: int | None = None
    residual: float | None = None


Callback: TypeAlias = Callable[[Progress], None]


@dataclass
class Stages:
    """Seconds per stage, in order; every stage is announced to the callback and to the log."""

    callback: Callback | None = None
    level: int = logging.DEBUG
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self._tell(Progress(name))
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
        logger.log(self.level, "%s: %.2f s", name, self.seconds[name])

    def observe(self, iteration: int, residuals: FloatArray) -> None:
        """For the eigensolver: called after each iteration."""
        worst = float(residuals.max())
        logger.log(self.level, "iteration %d: residual %.1e", iteration, worst)
        self._tell(Progress("solve", iteration, worst))

    def _tell(self, progress: Progress) -> None:
        if self.callback is not None:
            self.callback(progress)


@contextmanager
def logging_to_stderr(verbose: bool) -> Iterator[int]:
    """The level to log at; with `verbose` the log reaches a reader even if nobody set it up."""
    if not verbose:
        yield logging.DEBUG
        return
    handler, level = logging.StreamHandler(), logger.level
    unheard = not logger.hasHandlers()
    if unheard:
        logger.addHandler(handler)
    logger.setLevel(min(level or logging.INFO, logging.INFO))
    try:
        yield logging.INFO
    finally:
        logger.setLevel(level)
        if unheard:
            logger.removeHandler(handler)
