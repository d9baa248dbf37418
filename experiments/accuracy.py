"""How accurate is fastge beside all other methods? The tables of docs/decisions/0004.

    python experiments/accuracy.py                          half an hour of one core
    python experiments/accuracy.py --draws choose --methods fastge poisson --sets pacm simmons

Adjusted Rand index, mean ± standard deviation, over nodes without a label and over all. Draws 0–9
were for choosing the method, 10–29 are for reporting; methods that need long on a set get fewer.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp

import few_labels
from baselines.registry import METHODS
from fastge.graph import FloatArray
from fastge.quality import adjusted_rand_index
from reproduce import cases
from reproduce.cases import BASE_SEED, Case

PEERS = (
    "fastge", "poisson", "label-spreading", "harmonic", "released", "paper", "fastge2", "cosf",
    "csp-unit-rows",
)  # fmt: skip
DRAWS = {"choose": range(10), "report": range(10, 30)}
SHARES = (0.05, 0.15, 0.30)
SECONDS = 12.0
"""Processor time of one method on one set after which no further draw is begun."""
PLANTED = [100, 80, 60]

Maker = Callable[[int], Case]


def few(per_class: int, make: Callable[[int], few_labels.Graph], draw: int) -> Case:
    adjacency, truth = make(BASE_SEED + draw)
    labels = few_labels.labelled(truth, per_class, draw)
    return Case(sp.csr_array(adjacency), labels, len(np.unique(truth)), "", truth)


def sets() -> Iterator[tuple[str, Maker]]:
    for count in (10, 20, 50, 100, 200):
        yield f"Four-Moons, {count} labels", partial(cases.four_moons, 1500, count)
    for name in ("c50", "c100") if cases.there_are_reference_sets() else ():
        yield f"Four-Moons, authors' {name.upper()}", partial(authors, name)
    for count in (10, 20, 40, 80):
        yield f"PACM, {count} labels", partial(cases.pacm, count)
    for school in ("simmons", "haverford"):
        for share in SHARES if cases.there_are_reference_sets() else ():
            yield f"{school} {share:.0%}", partial(cases.network, school, share)
    for school in ("simmons", "haverford"):
        for share in SHARES:
            yield f"like {school} {share:.0%}", partial(cases.stand_in, school, share)
    for share in SHARES:
        yield f"planted {share:.0%}", partial(cases.planted, PLANTED, share)
    for name, (per_class, make) in few_labels.SETS.items():
        yield f"{name}, {per_class} each", partial(few, per_class, make)


def authors(name: str, draw: int) -> Case:
    """One instance: draws differ in the seed of the method only."""
    return cases.authors_moons(name)


@dataclass(frozen=True, eq=False)
class Scores:
    """ARI over unlabelled nodes and over all, a row per draw; nan where the method failed."""

    values: FloatArray

    def cell(self, column: int, most: int) -> str:
        found = self.values[:, column]
        found = found[np.isfinite(found)]
        if len(found) == 0:
            return "–"
        fewer = f" ({len(found)})" if len(found) < most else ""
        return f"{found.mean():.3f} ± {found.std():.3f}{fewer}"

    def mean(self, column: int) -> float:
        found = self.values[:, column]
        return float(np.nanmean(found)) if np.isfinite(found).any() else -np.inf


def scores(method: str, make: Maker, draws: Iterable[int], seconds: float) -> Scores:
    values, start = [], time.process_time()
    for draw in draws:
        if time.process_time() - start > seconds:
            break
        values.append(_one(method, make(draw), draw))
    return Scores(np.array(values))


def _one(method: str, case: Case, draw: int) -> tuple[float, float]:
    assert case.truth is not None
    known = METHODS[method]
    function, hidden = known.load(), case.labels < 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = function(
                case.adjacency, case.constraints, case.k, seed=draw, **known.options
            ).labels
        except ValueError:  # SciPy's solver inside the released program breaks down now and then
            return np.nan, np.nan
    return (
        adjusted_rand_index(case.truth[hidden], found[hidden]),
        adjusted_rand_index(case.truth, found),
    )


def row(name: str, found: dict[str, Scores], column: int, most: int) -> str:
    """The cells of one set, and fastge's lead over the best other method."""
    cells = [f"| {name} |", *(f" {s.cell(column, most)} |" for s in found.values())]
    peers = {m: s.mean(column) for m, s in found.items() if m != "fastge"}
    if "fastge" in found and peers:
        best = max(peers, key=lambda m: peers[m])
        cells.append(f" {found['fastge'].mean(column) - peers[best]:+.3f} ({best}) |")
    return "".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", choices=list(DRAWS), default="report")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(PEERS))
    parser.add_argument("--sets", nargs="+", default=[""], help="beginnings of their names")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args()
    draws = DRAWS[options.draws]
    lines: list[list[str]] = [[], []]
    for name, make in sets():
        if not name.lower().startswith(tuple(s.lower() for s in options.sets)):
            continue
        found = {m: scores(m, make, draws, options.seconds) for m in options.methods}
        for column in range(2):
            lines[column].append(row(name, found, column, len(draws)))
        print(lines[0][-1], flush=True)
    for title, rows in zip(("Nodes without a label", "All nodes"), lines, strict=True):
        heading = f"| set | {' | '.join(options.methods)} | fastge's lead |"
        print(f"\n{title}\n\n{heading}\n|---{'|---' * (len(options.methods) + 1)}|")
        print("\n".join(rows))


if __name__ == "__main__":
    main()
