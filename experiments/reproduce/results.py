"""Records as figures want them: by data set and method, along an axis, draw by draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from fastge.graph import FloatArray
from fastge.plot import Line
from reproduce.runs import Series
from reproduce.schema import Record
from reproduce.store import Store

Draws: TypeAlias = dict[Any, dict[int, float]]
"""Place → draw → figure."""


class Results:
    """What is known of some series."""

    def __init__(self, series: Sequence[Series], store: Store) -> None:
        self.series, self.store = series, store

    @cached_property
    def _records(self) -> Mapping[tuple[str, str], list[Record]]:
        return {(one.data, one.method): one.records(self.store) for one in self.series}

    @cached_property
    def _axes(self) -> Mapping[tuple[str, str], str]:
        return {(one.data, one.method): one.axis for one in self.series}

    def records(self, data: str, method: str) -> list[Record]:
        return self._records.get((data, method), [])

    def methods(self, data: str) -> list[str]:
        """Those that have any record of the data."""
        return [name for (of, name), records in self._records.items() if of == data and records]

    @property
    def are_there(self) -> bool:
        return any(self._records.values())

    @property
    def data(self) -> list[str]:
        return list(dict.fromkeys(one.data for one in self.series))

    def told(self, data: str, place: Any) -> str:
        """A place on the axis of a data set: a share as per cent, names as they are."""
        axes = {axis for (of, _), axis in self._axes.items() if of == data}
        if "share" in axes:
            return f"{place:.0%}"
        return place if isinstance(place, str) else f"{place:,g}"

    def draws(self, data: str, method: str, score: str) -> Draws:
        """A score at every place and draw that has one."""
        found: Draws = {}
        for record in self.records(data, method):
            value = score_of(record, score)
            if value is not None:
                place = record.run.at(self._axes[data, method])
                found.setdefault(place, {})[record.run.seed] = value
        return dict(sorted(found.items()))

    def line(self, data: str, method: str, score: str) -> Line | None:
        draws = self.draws(data, method, score)
        if not draws:
            return None
        values = [np.array(list(of.values())) for of in draws.values()]
        return Line(np.array(list(draws), dtype=np.float64), values)

    def shown(self, data: str, method: str) -> Record | None:
        """The record whose clusters are kept."""
        kept = (record for record in self.records(data, method) if record.arrays)
        return next(kept, None)

    def arrays(self, record: Record) -> dict[str, FloatArray]:
        with np.load(self.store.folder / record.arrays) as arrays:
            return dict(arrays)


def score_of(record: Record, score: str) -> float | None:
    """A score, all violated pairs, or the seconds, which a run has that was stopped, too."""
    if score in ("seconds", "cpu_seconds"):
        return float(getattr(record, score)) if record.status in ("done", "stopped") else None
    if not record.is_done:
        return None
    if score == "violated":
        return record.scores["must_links_violated"] + record.scores["cannot_links_violated"]
    value = record.scores.get(score)
    return None if value is None else float(value)
