"""What every figure is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baselines.registry import METHODS
from reproduce.results import Results
from reproduce.runs import Series
from reproduce.verdicts import Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


@dataclass(frozen=True, eq=False)
class Picture:
    """A drawing, the name of its file, and what it shows."""

    name: str
    caption: str
    drawing: Drawing


@dataclass(frozen=True)
class Table:
    """Means and spreads of a score, methods down and places across."""

    data: str
    score: str
    title: str


@dataclass(frozen=True)
class Figure:
    """One figure of the paper."""

    name: str
    title: str
    about: Sequence[str]
    """Paragraphs: what the paper shows, what is done here."""
    series: Callable[[bool], list[Series]]
    """The runs it wants, in full or small."""
    draw: Callable[[Results], Iterator[Picture]]
    claims: Sequence[Claim]
    tables: Callable[[Results], list[Table]]


def bearable(methods: Sequence[str], nodes: int) -> list[str]:
    """The methods that are installed and can bear so many nodes."""
    return [
        name
        for name in methods
        if METHODS[name].missing is None and (METHODS[name].most_nodes or nodes) >= nodes
    ]
