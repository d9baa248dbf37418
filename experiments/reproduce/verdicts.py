"""What the paper says, judged by what was measured, each by a rule that is stated beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np

from baselines.registry import METHODS
from reproduce.results import Draws, Results

MARGIN = 0.005
"""A difference of Rand or adjusted Rand indices that nobody would act on."""
ERRORS = 2.0
"""Standard errors of the mean difference, over draws that both methods finished."""
LEAST_DRAWS = 3
"""Fewer draws have no spread to speak of, and are not compared."""


class Verdict(StrEnum):
    AGREES = "agrees"
    PARTLY = "agrees in part"
    DIFFERS = "differs"
    OPEN = "not measured"


@dataclass(frozen=True)
class Finding:
    verdict: Verdict
    measured: str


Judge: TypeAlias = Callable[[Results], Finding]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, how it is decided, and what we make of the outcome."""

    paper: str
    rule: str
    judge: Judge
    why: Mapping[Verdict, str]
    """Written by hand for the verdicts that were seen; others stand without an explanation."""


@dataclass(frozen=True)
class Comparison:
    """Means of two methods over their common draws at one place."""

    place: Any
    peer: str
    ours: float
    theirs: float
    error: float
    """Standard error of the mean difference."""

    @property
    def is_behind(self) -> bool:
        return self.theirs - self.ours > max(MARGIN, ERRORS * self.error)


def compared(ours: Draws, theirs: Draws, peer: str) -> Iterator[Comparison]:
    for place in sorted(ours.keys() & theirs.keys()):
        common = sorted(ours[place].keys() & theirs[place].keys())
        if len(common) >= LEAST_DRAWS:
            a = np.array([ours[place][draw] for draw in common])
            b = np.array([theirs[place][draw] for draw in common])
            error = float((a - b).std(ddof=1)) / len(common) ** 0.5
            yield Comparison(place, peer, float(a.mean()), float(b.mean()), error)


NOT_BEHIND = (
    f"Behind means: the mean over common draws is lower by more than {MARGIN} and by more than "
    f"{ERRORS:g} standard errors. Agrees if never behind, in part if behind in at most half of "
    f"all comparisons (place × peer), which take at least {LEAST_DRAWS} common draws."
)


def not_behind(
    results: Results,
    *,
    ours: str,
    peers: Sequence[str],
    score: str,
    data: Sequence[str] | None = None,
) -> Finding:
    """Never behind any peer at any place, of some data sets or all."""
    cells, lines = [], []
    for name in data or results.data:
        own = results.draws(name, ours, score)
        here = [c for p in peers for c in compared(own, results.draws(name, p, score), p)]
        if here:
            told = {cell.place: results.told(name, cell.place) for cell in here}
            lines.append(f"{name}: {_against_the_best(here, told)}")
        cells += here
    if not cells:
        return Finding(Verdict.OPEN, f"Fewer than {LEAST_DRAWS} draws were finished by both sides.")
    count = sum(cell.is_behind for cell in cells)
    lines.append(f"Behind in {count} of {len(cells)} comparisons.")
    return Finding(_by_share(count / len(cells)), "\n".join(lines))


def _against_the_best(cells: Sequence[Comparison], told: Mapping[Any, str]) -> str:
    """At every place the means against the hardest peer."""
    parts = []
    for place in sorted({cell.place for cell in cells}):
        here = [cell for cell in cells if cell.place == place]
        worst = max(here, key=lambda cell: cell.theirs - cell.ours)
        mark = " (behind)" if worst.is_behind else ""
        peer = METHODS[worst.peer].label
        parts.append(
            f"at {told[place]} {worst.ours:.3f} against {worst.theirs:.3f} of {peer}{mark}"
        )
    return "; ".join(parts) + "."


def faster(
    results: Results,
    *,
    ours: str,
    peers: Sequence[str],
    factor: float,
    data: Sequence[str] | None = None,
) -> Finding:
    """Less processor time than every peer, by a factor, at every place (medians)."""
    ratios, lines = [], []
    for name in data or results.data:
        own = _medians(results.draws(name, ours, "cpu_seconds"))
        for peer in peers:
            theirs = _medians(results.draws(name, peer, "cpu_seconds"))
            here = [theirs[place] / own[place] for place in sorted(own.keys() & theirs.keys())]
            if here:
                span = " to ".join(dict.fromkeys([rounded(min(here)), rounded(max(here))]))
                lines.append(f"{name}: {METHODS[peer].label} takes {span} times the seconds.")
                ratios += here
    if not ratios:
        return Finding(Verdict.OPEN, "No run of both sides was finished or stopped.")
    return Finding(_by_least_ratio(min(ratios), factor), "\n".join(lines))


def _by_share(behind: float) -> Verdict:
    if behind == 0:
        return Verdict.AGREES
    return Verdict.PARTLY if behind <= 0.5 else Verdict.DIFFERS


def _by_least_ratio(least: float, factor: float) -> Verdict:
    if least >= factor:
        return Verdict.AGREES
    return Verdict.PARTLY if least > 1 else Verdict.DIFFERS


def _medians(draws: Draws) -> dict[Any, float]:
    return {place: float(np.median(list(of.values()))) for place, of in draws.items()}


def rounded(value: float) -> str:
    """Two significant digits, without an exponent."""
    return f"{float(f'{value:.2g}'):,.12g}"
