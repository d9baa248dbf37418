"""Which merge rule? Every rule over every real case; the table of docs/decisions/0001.

    python experiments/merge_rules.py                 everything, about ten minutes of one core
    python experiments/merge_rules.py --sets moons pictures --rules scaled paper

Ten draws of labels and every other photograph were used for choosing ("choose"), twenty other draws
and the other photographs for reporting ("report").
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

import reference_sets as sets
from fastge import merging
from fastge.embedding import Embedding, embed
from fastge.graph import IntArray
from fastge.merging import MergeRule
from fastge.partition import kmeans, labelled_directions
from fastge.pencil import Pencil
from fastge.quality import adjusted_rand_index, rand_index, report
from fastge.spectrum import eigenpairs
from reference_sets import Case

RULES: dict[str, MergeRule] = {
    "robust": merging.robust,
    "scaled": merging.scaled,
    "paper": merging.paper,
    "median": merging.median,
    "released": merging.released,
    "released-1": merging.released_alpha_1,
}
CONVERGED = 1e-4
DRAWS = {"choose": range(10), "report": range(10, 30)}


def points(case: Case, rule: MergeRule) -> tuple[Pencil, Embedding]:
    """The merged pencil and its embedding, from pairs that have converged."""
    pencil = merging.merge(case.adjacency, case.constraints, rule=rule)
    pairs = eigenpairs(pencil, case.k, tol=CONVERGED, max_iterations=300)
    if not pairs.converged:
        print(f"  {case.name}: not converged, residual {pairs.residuals.max():.1e}")
    return pencil, embed(pencil, pairs.vectors)


def both_partitions(case: Case, found: Embedding) -> tuple[IntArray, IntArray]:
    """Labelled directions (of k − 1 vectors), and the paper's k-means, of the same embedding."""
    rows = found.leading(case.k - 1)
    directions = labelled_directions(rows, case.constraints.labels, case.k, seed=0)
    return directions, kmeans(found.rows, case.k, seed=0)


def moons_row(seeds: int, rule: MergeRule) -> str:
    cells = []
    for case in map(sets.moons, sets.MOONS):
        rows = points(case, rule)[1].rows
        rand = [rand_index(case.truth, kmeans(rows, case.k, seed=seed)) for seed in range(seeds)]
        cells.append(f"{np.mean(rand):.3f} (worst {min(rand):.3f})")
    return " | ".join(cells)


def network_scores(case: Case, rule: MergeRule) -> list[float]:
    """Rand, ARI on all nodes and ARI on unlabelled nodes: by directions, then by k-means."""
    _, rows = points(case, rule)
    scores = []
    for found in both_partitions(case, rows):
        truth, hidden = case.truth, case.hidden
        scores += [rand_index(truth, found), adjusted_rand_index(truth, found)]
        scores += [rand_index(truth[hidden], found[hidden])]
        scores += [adjusted_rand_index(truth[hidden], found[hidden])]
    return scores


def network_row(cases: Iterable[Case], rule: MergeRule) -> str:
    scores = np.array([network_scores(case, rule) for case in cases])
    means, spread = scores.mean(axis=0), scores.std(axis=0)
    cells = [f"{m:.3f} ± {s:.3f}" for m, s in zip(means, spread, strict=True)]
    return " | ".join(cells)


def picture_row(rule: MergeRule) -> str:
    cells = []
    for case in map(sets.picture, sets.PICTURES):
        pencil, rows = points(case, rule)
        broken = []
        for found in both_partitions(case, rows):
            tally = report(pencil, case.constraints, found)
            broken.append(tally.must_link.violated + tally.cannot_link.violated)
        cells.append(f"{broken[0]} / {broken[1]}")
    return " | ".join(cells)


def photograph_row(names: list[str], rule: MergeRule) -> str:
    scores = []
    for case in map(sets.photograph, names):
        _, rows = points(case, rule)
        known = case.truth >= 0
        both = both_partitions(case, rows)
        scores.append([adjusted_rand_index(case.truth[known], found[known]) for found in both])
    directions, means = np.mean(scores, axis=0)
    return f"{directions:.3f} | {means:.3f}"


def table(title: str, heading: str, row: Callable[[MergeRule], str], rules: list[str]) -> None:
    print(f"\n{title}\n\n| rule | {heading} |\n|---" + "|---" * (heading.count("|") + 1) + "|")
    for name in rules:
        print(f"| {name} | {row(RULES[name])} |", flush=True)


def network_tables(parts: list[str], rules: list[str]) -> None:
    heading = "Rand | ARI | Rand hidden | ARI hidden"
    heading = f"{heading} | k-means: {heading}"
    for name in sets.NETWORKS:
        for share in sets.SHARES:
            for part in parts:
                cases = [sets.network(name, share, draw) for draw in DRAWS[part]]
                title = f"{cases[0].name} labelled, {len(cases)} draws ({part})"
                table(title, heading, partial(network_row, cases), rules)


def photograph_tables(rules: list[str]) -> None:
    names = sets.photograph_names()
    for half, some in (("choose", names[::2]), ("report", names[1::2])):
        title = f"{len(some)} photographs ({half}), mean ARI"
        table(title, "directions | k-means", partial(photograph_row, some), rules)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    choices = ["moons", "networks", "pictures", "photographs"]
    parser.add_argument("--sets", nargs="+", choices=choices, default=choices)
    parser.add_argument("--rules", nargs="+", choices=list(RULES), default=list(RULES))
    parser.add_argument("--parts", nargs="+", choices=list(DRAWS), default=list(DRAWS))
    parser.add_argument("--seeds", type=int, default=10, help="k-means seeds on the moons")
    options = parser.parse_args()
    rules = options.rules
    if "moons" in options.sets:
        heading = " | ".join(f"Four-Moons {name}" for name in sets.MOONS)
        table("Rand index", heading, partial(moons_row, options.seeds), rules)
    if "networks" in options.sets:
        network_tables(options.parts, rules)
    if "pictures" in options.sets:
        title = "Violated pairs, directions / k-means"
        table(title, " | ".join(sets.PICTURES), picture_row, rules)
    if "photographs" in options.sets:
        photograph_tables(rules)


if __name__ == "__main__":
    main()
