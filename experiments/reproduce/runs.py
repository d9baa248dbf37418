"""Which runs a figure wants, and carrying them out one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from baselines.registry import METHODS
from reproduce.process import Worker
from reproduce.schema import Parameters, Record, Run
from reproduce.store import Store


@dataclass(frozen=True)
class Step:
    """A run, whether its clusters are kept, and its record if there is one."""

    run: Run
    keep: bool
    record: Record | None


@dataclass(frozen=True)
class Series:
    """One method on one data set: several draws at every place along the axis of a figure.

    Draws come in rounds, one at every place. A round is not begun once the series has taken its
    budget, and a place where the method was stopped is not tried again: nor are those after it,
    which are harder.
    """

    data: str
    """What the data set is called in the report."""
    case: str
    method: str
    axis: str
    """The parameter, or option of the method, that the places differ in."""
    places: tuple[Any, ...]
    draws: int = 1
    limit: float = 60.0
    """Seconds of the processor for one run."""
    budget: float = 300.0
    """Seconds of the processor after which the series begins no further round."""
    kept: int | None = None
    """Place of whose first draw the clusters are kept, for a picture; −1 for all places."""
    drawn: bool = True
    """Whether the data of a case depend on a draw."""
    shared: Parameters = field(default_factory=dict)
    """Parameters of the case at all places."""
    of_method: bool = False
    """Whether the axis is an option of the method."""

    def given(self, patience: float) -> Series:
        """The same with so many times the seconds."""
        return replace(self, limit=patience * self.limit, budget=patience * self.budget)

    def run_at(self, place: int, draw: int) -> Run:
        method, here = METHODS[self.method], {self.axis: self.places[place]}
        parameters = {**self.shared, **({} if self.of_method else here)}
        options = {**method.options, **(here if self.of_method else {})}
        if self.drawn:
            parameters["draw"] = draw
        return Run(self.case, parameters, self.method, method.target, options, seed=draw)

    def is_kept(self, place: int, draw: int) -> bool:
        return draw == 0 and self.kept is not None and self.kept in (place, -1)

    def steps(self, store: Store) -> Iterator[Step]:
        """Every run in order.

        A missing record is looked for again before the next step: who wants it adds it to the
        store meanwhile. Without it the series ends there.
        """
        spent, reachable = 0.0, len(self.places)
        for draw in range(self.draws):
            if spent > self.budget:
                return
            for place in range(reachable):
                run, keep = self.run_at(place, draw), self.is_kept(place, draw)
                yield Step(run, keep, store.find(run, limit=self.limit, kept=keep))
                record = store.latest(run)
                if record is None:
                    return
                spent += record.cpu_seconds
                if record.status == "stopped":
                    reachable = place
                    break

    def records(self, store: Store) -> list[Record]:
        """What is known, failures included, and what more patience has found."""
        runs = (self.run_at(p, draw) for draw in range(self.draws) for p in range(len(self.places)))
        return [record for run in runs if (record := store.latest(run)) is not None]


def carry_out(series: Series, store: Store) -> Iterator[Record]:
    """Every record of the series that is missing, measured now."""
    with Worker(store.folder) as worker:
        for step in series.steps(store):
            if step.record is None:
                record = worker.execute(step.run, limit=series.limit, keep=step.keep)
                store.add(record)
                yield record
