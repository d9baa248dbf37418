"""Seconds and memory of one method in a process of its own, and tables of them."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

Facts: TypeAlias = dict[str, Any]
Tell: TypeAlias = Callable[..., None]

PACKAGES = ("fastge", "numpy", "scipy", "pyamg", "approx_chol")


def isolated(task: Callable[..., None], *arguments: Any, limit: float) -> Facts:
    """What `task(*arguments, tell)` told from a fresh process, even if it had to be stopped."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(task, arguments, sender), daemon=True)
    process.start()
    sender.close()
    facts: Facts = {"status": "died"}
    deadline = time.monotonic() + limit
    with suppress(EOFError):
        while receiver.poll(max(0.0, deadline - time.monotonic())):
            facts |= receiver.recv()
        facts["status"] = f"stopped after {limit:g} s"
    process.kill()
    process.join()
    return facts


def _run(task: Callable[..., None], arguments: tuple[Any, ...], sender: Connection) -> None:
    def tell(**facts: Any) -> None:
        sender.send(facts)

    try:
        task(*arguments, tell)
        tell(status="done")
    except Exception as error:  # a peer that fails is a result, too
        tell(status=str(error)[:80] or type(error).__name__)


@contextmanager
def stage(name: str, tell: Tell) -> Iterator[None]:
    """Tells wall and processor seconds; the latter mean more on a busy machine."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    tell(
        **{
            f"{name}_seconds": time.perf_counter() - wall,
            f"{name}_cpu_seconds": time.process_time() - cpu,
        }
    )


class PeakMemory:
    """The most memory held since creation, beyond what was held then."""

    def __init__(self) -> None:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        self._before = _peak_mebibytes()

    def mebibytes(self) -> float:
        return _peak_mebibytes() - self._before


def _peak_mebibytes() -> float:
    """High-water mark of resident memory; on Linux since the last reset."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    unit = 2**20 if platform.system() == "Darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def command_line(description: str, *, nodes: Sequence[int], small: int) -> argparse.Namespace:
    """The options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--nodes", type=int, nargs="+", default=list(nodes), help="sizes to run")
    parser.add_argument("--small", action="store_true", help=f"only {small:,} nodes: seconds")
    parser.add_argument("--limit", type=float, default=300, help="seconds allowed to each method")
    parser.add_argument("--json", type=Path, help="file to write every figure to")
    options = parser.parse_args()
    if options.small:
        options.nodes = [small]
    return options


def with_totals(facts: Facts) -> Facts:
    """The facts with setup and solve added up, where both were reached and no total was told."""
    totals = {
        f"total_{unit}": facts[f"setup_{unit}"] + facts[f"solve_{unit}"]
        for unit in ("seconds", "cpu_seconds")
        if f"setup_{unit}" in facts and f"solve_{unit}" in facts
    }
    return totals | facts


def environment() -> Facts:
    """What the figures depend on, besides the code."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS"),
        "load_average_at_start": os.getloadavg()[0],
        "packages": {name: version(name) for name in PACKAGES},
    }


def show(title: str, columns: dict[str, str], rows: Sequence[Facts]) -> None:
    """A Markdown table of some facts of every row: `columns` maps facts to headings."""
    texts = [[*columns.values()], *([_text(row.get(fact)) for fact in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    texts.insert(1, ["-" * width for width in widths])
    print(f"\n{title}\n")
    for line in texts:
        cells = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        print("|", " | ".join(cells), "|", flush=True)


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else str(value)
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value >= 0.01 else f"{value:.0e}"


def save(path: Path | None, **content: Any) -> None:
    if path is not None:
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
