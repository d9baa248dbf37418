"""How far the runs are, and how long the rest will take."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import median

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from baselines.registry import METHODS
from reproduce.runs import Series
from reproduce.schema import Record
from reproduce.store import Store

OVERHEAD = 0.1
"""Seconds of a run that are not the method's: the process, the data, the rehearsal, the scores."""
UNKNOWN = 1.0
"""Seconds of the processor for a run of a method that nothing is known about."""
LOG_EVERY = 30.0


@dataclass
class Outlook:
    """What is done of every series, how long runs of every method take, and how busy it is here."""

    series: Sequence[Series]
    done: list[int] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)
    closed: list[bool] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    clock: float = 0.0
    processor: float = 0.0

    @classmethod
    def of(cls, series: Sequence[Series], store: Store) -> Outlook:
        outlook = cls(series)
        for one in series:
            known = one.records(store)
            outlook.done.append(len(known))
            outlook.spent.append(sum(record.cpu_seconds for record in known))
            outlook.closed.append(False)
            for record in known:
                outlook.seconds.setdefault(record.run.method, []).append(record.cpu_seconds)
        return outlook

    def learn(self, at: int, record: Record) -> None:
        self.done[at] += 1
        self.spent[at] += record.cpu_seconds
        self.seconds.setdefault(record.run.method, []).append(record.cpu_seconds)
        self.clock += record.seconds
        self.processor += record.cpu_seconds

    def close(self, at: int) -> None:
        self.closed[at] = True

    @property
    def seconds_left(self) -> float:
        return sum(self._seconds_left_of(at) for at in range(len(self.series)))

    def _seconds_left_of(self, at: int) -> float:
        one = self.series[at]
        missing = one.draws * len(one.places) - self.done[at]
        if self.closed[at] or missing <= 0:
            return 0.0
        known = self.spent[at] / self.done[at] if self.done[at] else self._typical(one.method)
        first_round = max(len(one.places) - self.done[at], 0) * known
        affordable = max(one.budget - self.spent[at], first_round)
        runs = min(float(missing), affordable / known) if known > 0 else missing
        stretch = max(self.clock / self.processor, 1.0) if self.processor > 0 else 1.0
        return runs * (known + OVERHEAD) * stretch

    def _typical(self, method: str) -> float:
        known = self.seconds.get(method)
        return median(known) if known else UNKNOWN


class Display:
    """A moving line on a terminal, and now and then a line in a log."""

    def __init__(self, outlook: Outlook, console: Console) -> None:
        self.outlook, self.console = outlook, console
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
        self.progress = Progress(*columns, console=console)
        self.start = self.said = time.monotonic()
        self.task = TaskID(0)

    @contextmanager
    def shown(self) -> Iterator[Display]:
        self.task = self.progress.add_task("", total=1.0, left="")
        if not self.console.is_terminal:
            yield self
            return
        with Live(self.progress, console=self.console, refresh_per_second=4, transient=True):
            yield self

    def tell(self, at: int) -> None:
        """The series at hand, and what is left after it as far as can be told."""
        one, left = self.outlook.series[at], self.outlook.seconds_left
        passed = time.monotonic() - self.start
        text = f"{one.data}: {METHODS[one.method].label}"
        left_text = f"about {_span(left)} left"
        share = passed / (passed + left) if passed + left > 0 else 1.0
        self.progress.update(self.task, completed=share, description=text, left=left_text)
        if not self.console.is_terminal and time.monotonic() - self.said > LOG_EVERY:
            self.said = time.monotonic()
            self.console.print(f"{_span(passed)}: {text}; {left_text}", markup=False)


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
