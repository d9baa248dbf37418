"""What the program says on standard error: progress, warnings, a summary, why it failed."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from fastge.algorithm import Clustering
from fastge.errors import FastgeError
from fastge.files import ClassLabels
from fastge.graph import Graph
from fastge.quality import Tally

_QUIET_SECONDS = 1.0
_QUIET_SECONDS_IN_A_LOG = 5.0
_SECONDS_BETWEEN_LOG_LINES = 10.0
_CLUSTERS_SHOWN = 12

INTERRUPTED = 130
_READER_GONE = 141


def console() -> Console:
    return Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str, screen: Console | None = None) -> None:
    """One line on standard error, as it stands; above a progress bar, if that has the screen."""
    (screen or console()).print(f"fastge: {' '.join(text.split())}", markup=False)


def fail(reason: str, code: int = 1) -> NoReturn:
    say(reason)
    raise typer.Exit(code)


@contextmanager
def plain_endings() -> Iterator[None]:
    """Every foreseeable end of a command as one line and an exit code."""
    try:
        with plain_warnings():
            yield
    except FastgeError as cause:
        fail(str(cause))
    except BrokenPipeError:
        # Whoever reads our output has seen enough; the interpreter must not flush into the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(_READER_GONE) from None
    except OSError as cause:
        fail(f"{cause.filename or 'standard output'}: {cause.strerror or cause}")
    except MemoryError:
        fail("not enough memory for this graph; use a machine with more, or a sparser graph")
    except KeyboardInterrupt:
        fail("interrupted", INTERRUPTED)


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Warnings and log records of fastge as lines without a place in the source."""
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: say(f"warning: {record.getMessage()}")  # type: ignore[method-assign]
    logger = logging.getLogger("fastge")
    logger.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
            yield
    finally:
        logger.removeHandler(handler)


class ProgressLine:
    """The present stage, shown once a run takes long: a moving line, or now and then one in a log.

    A thread of its own does it, so that a long stage shows up while it lasts.
    """

    def __init__(self, quiet: bool) -> None:
        self._text = "starting"
        self._start = time.monotonic()
        self._done = threading.Event()
        self._thread = None if quiet else threading.Thread(target=self._watch, daemon=True)

    def __call__(self, progress: Any) -> None:
        """Callback of `fastge.cluster`."""
        parts = [progress.stage]
        if progress.iteration is not None:
            parts.append(f"iteration {progress.iteration}")
        if progress.residual is not None:
            parts.append(f"residual {progress.residual:.1e}")
        self._text = ", ".join(parts)

    def stage(self, text: str) -> None:
        self._text = text

    def _watch(self) -> None:
        screen = console()
        if not screen.is_terminal:
            wait = _QUIET_SECONDS_IN_A_LOG
            while not self._done.wait(wait):
                say(f"{time.monotonic() - self._start:.0f} s: {self._text}")
                wait = _SECONDS_BETWEEN_LOG_LINES
        elif not self._done.wait(_QUIET_SECONDS):
            with screen.status(self._text) as status:
                while not self._done.wait(0.2):
                    status.update(f"{self._text} ({time.monotonic() - self._start:.0f} s)")

    def __enter__(self) -> ProgressLine:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()


def summarise(graph: Graph, labels: ClassLabels, r: Clustering, seconds: float) -> None:
    """The clustering in a few lines on standard error."""
    screen = console()
    screen.print(
        f"{graph.n:,} nodes, {graph.n_edges:,} edges → {len(r.report.cluster_ids)} clusters "
        f"in {seconds:.1f} s"
    )
    screen.print(_cluster_table(labels, r))
    for name, tally in (("must-links", r.report.must_link), ("cannot-links", r.report.cannot_link)):
        if tally.total:
            screen.print(f"{name}: {_kept(tally)}")
    if r.report.left_over:
        screen.print(f"left over: {r.report.left_over:,} nodes, cluster -1")
    if r.report.certificate is not None:
        gap = r.report.certificate.gap
        screen.print(f"certificate: the cut's ratio is at most {gap:.4g} times the least possible")
    values = ", ".join(f"{value:.4g}" for value in r.eigenvalues[:_CLUSTERS_SHOWN])
    more = ", …" if len(r.eigenvalues) > _CLUSTERS_SHOWN else ""
    screen.print(f"eigenvalues: {values}{more} (residuals ≤ {np.max(r.residuals, initial=0):.1e})")
    for note in r.report.notes:
        screen.print(note, markup=False)


def _kept(tally: Tally) -> str:
    weight = tally.kept_weight + tally.violated_weight
    share = tally.kept_weight / weight if weight else 1.0
    return f"{tally.kept:,} of {tally.total:,} kept, {share:.1%} by weight"


def _cluster_table(labels: ClassLabels, r: Clustering) -> Table:
    table = Table("cluster", caption="φ = cut in G / cut in H: the smaller, the better")
    table.add_column("nodes", justify="right")
    table.add_column("φ", justify="right")
    ids = r.report.cluster_ids
    names = labels.named(ids)
    largest = np.argsort(-r.report.sizes, kind="stable")[:_CLUSTERS_SHOWN]
    for row in sorted(largest):
        table.add_row(str(names[row]), f"{r.report.sizes[row]:,}", f"{r.report.phi[row]:.4g}")
    if len(ids) > len(largest):
        table.add_row(f"… {len(ids) - len(largest)} more", "", "")
    return table
