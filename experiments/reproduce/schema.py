"""What a run is and what is known after it; this is what results/*.json hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

SCHEMA = 1
"""Raised with every change of meaning; files of another number are measured anew."""

Parameters: TypeAlias = Mapping[str, Any]
Facts: TypeAlias = dict[str, Any]
Status: TypeAlias = Literal["done", "stopped", "refused", "failed"]

FINAL = {"done", "stopped", "refused"}
"""What is not tried again; a stopped run is, if it is allowed more time."""


@dataclass(frozen=True)
class Run:
    """One method on one data set and draw."""

    case: str
    parameters: Parameters
    method: str
    target: str
    """The function behind the method, as module:function."""
    options: Parameters = field(default_factory=dict)
    seed: int = 0
    """Of the method: the number of the draw, which is also the seed of data that are drawn."""

    @property
    def key(self) -> str:
        return hashlib.sha1(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    def at(self, axis: str) -> Any:
        """Where the run stands on an axis: a parameter of its data or an option of its method."""
        return {**self.parameters, **self.options}[axis]


@dataclass(frozen=True)
class Record:
    """A run and what came out."""

    run: Run
    status: Status
    reason: str = ""
    """Why there is no answer, where there is none."""
    limit: float = 0.0
    """Seconds of the processor that it was allowed."""
    seconds: float = 0.0
    """By the clock, of the method alone."""
    cpu_seconds: float = 0.0
    scores: Mapping[str, float] = field(default_factory=dict)
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    """Sizes and source of the data."""
    code: Mapping[str, str] = field(default_factory=dict)
    """Hash of every file of fastge and of the experiments that was loaded."""
    environment: str = ""
    load: float = 0.0
    """Processes that were running on the machine at the start, by the minute."""
    arrays: str = ""
    """File beside the results with the clusters, where they are kept."""

    @property
    def is_done(self) -> bool:
        return self.status == "done"

    def to_dict(self) -> Facts:
        return {"key": self.run.key, **asdict(self)}

    @classmethod
    def from_dict(cls, facts: Facts) -> Record:
        rest = {name: value for name, value in facts.items() if name not in ("key", "run")}
        return cls(run=Run(**facts["run"]), **rest)
