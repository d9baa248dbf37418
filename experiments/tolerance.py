"""At which residual do labels stop changing? The table of docs/decisions/0002.

    python experiments/tolerance.py                   everything, about five minutes on one core
    python experiments/tolerance.py --sets moons networks

Labels at each tolerance are compared with those at 1e-8: same case, same seed, clusters matched.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

import reference_sets as sets
from fastge import Constraints, datasets
from fastge.embedding import embed
from fastge.graph import IntArray
from fastge.merging import merge
from fastge.multigrid import Hierarchy
from fastge.partition import kmeans, labelled_directions
from fastge.pencil import Pencil
from fastge.quality import adjusted_rand_index, rand_index
from fastge.spectrum import eigenpairs
from reference_sets import Case

TOLERANCES = (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-6)
EXACT = 1e-8


@dataclass(frozen=True, eq=False)
class Answer:
    """What one tolerance gives: labels by directions (where there are labels) and by k-means."""

    found: dict[str, IntArray]
    iterations: int
    converged: bool


@dataclass(frozen=True)
class Change:
    """How an answer differs from the exact one, by one way of partitioning."""

    moved: float
    rand: float
    ari: float


def answer(case: Case, pencil: Pencil, hierarchy: Hierarchy, tol: float) -> Answer:
    pairs = eigenpairs(pencil, case.k, hierarchy=hierarchy, tol=tol, max_iterations=400)
    points = embed(pencil, pairs.vectors)
    found = {"k-means": kmeans(points.rows, case.k, seed=0)}
    labels = case.constraints.labels
    if labels.count:
        rows = points.leading(case.k - 1)
        found["directions"] = labelled_directions(rows, labels, case.k, seed=0)
    return Answer(found, pairs.iterations, pairs.converged)


def change(case: Case, found: IntArray, exact: IntArray) -> Change:
    known = case.truth >= 0
    truth, new, old = case.truth[known], found[known], exact[known]
    return Change(
        moved_share(found, exact),
        rand_index(truth, new) - rand_index(truth, old),
        adjusted_rand_index(truth, new) - adjusted_rand_index(truth, old),
    )


def moved_share(found: IntArray, exact: IntArray) -> float:
    """Share of nodes in another cluster, after the best matching of clusters."""
    table = contingency_matrix(found, exact)
    return 1.0 - float(table[linear_sum_assignment(-table)].sum()) / len(found)


def grid(side: int) -> Case:
    """Synthetic picture of five regions with 30 labelled pixels."""
    data = datasets.grid_image((side, side), seed=1)
    labels = datasets.sample_labels(data.truth, 30, seed=1)
    constraints = Constraints.from_labels(labels)
    return Case(f"grid {side} × {side}", data.adjacency, constraints, data.k, data.truth)


def groups(
    names: list[str], draws: int, photographs: int, side: int
) -> Iterator[tuple[str, list[Case]]]:
    if "moons" in names:
        yield "Four-Moons", [sets.moons(name) for name in sets.MOONS]
    if "networks" in names:
        for network in sets.NETWORKS:
            cases = [sets.network(network, s, d) for s in sets.SHARES for d in range(draws)]
            yield network, cases
    if "pictures" in names:
        yield "pictures", [sets.picture(name) for name in sets.PICTURES]
    if "photographs" in names:
        chosen = sets.photograph_names()[:photographs]
        yield "photographs", [sets.photograph(name) for name in chosen]
    if "grid" in names:
        yield "grid", [grid(side)]


def report_group(title: str, cases: list[Case]) -> None:
    answers: dict[float, list[Answer]] = {tol: [] for tol in (*TOLERANCES, EXACT)}
    for case in cases:
        pencil = merge(case.adjacency, case.constraints)
        hierarchy = Hierarchy(pencil.star_graph)
        for tol, given in answers.items():
            given.append(answer(case, pencil, hierarchy, tol))
    for way in ("directions", "k-means"):
        if way in answers[EXACT][0].found:
            for tol in TOLERANCES:
                print_row(f"{title}, {way}", tol, cases, answers[tol], answers[EXACT], way)


def print_row(
    title: str, tol: float, cases: list[Case], given: list[Answer], exact: list[Answer], way: str
) -> None:
    changes = [
        change(case, new.found[way], old.found[way])
        for case, new, old in zip(cases, given, exact, strict=True)
    ]
    moved = [c.moved for c in changes]
    rand = max((c.rand for c in changes), key=abs)
    ari = [c.ari for c in changes]
    steps = [a.iterations for a in given]
    open_ones = sum(not a.converged for a in given)
    print(
        f"| {title} | {tol:.0e} | {np.mean(moved):.2%} | {max(moved):.2%} | {rand:+.4f} | "
        f"{np.mean(ari):+.4f} | {max(ari, key=abs):+.4f} | {np.mean(steps):.1f} | {max(steps)} | "
        f"{open_ones} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    choices = ["moons", "networks", "pictures", "photographs", "grid"]
    parser.add_argument("--sets", nargs="+", choices=choices, default=choices)
    parser.add_argument("--draws", type=int, default=3, help="label draws per network and share")
    parser.add_argument("--photographs", type=int, default=5)
    parser.add_argument("--side", type=int, default=500, help="the synthetic picture is square")
    options = parser.parse_args()
    print(
        "| set | tol | moved, mean | moved, worst | Δ Rand, worst | Δ ARI, mean | Δ ARI, worst | "
        "iterations, mean | most | not converged |"
    )
    print("|---" * 10 + "|")
    arguments = options.sets, options.draws, options.photographs, options.side
    for title, cases in groups(*arguments):
        report_group(title, cases)


if __name__ == "__main__":
    main()
