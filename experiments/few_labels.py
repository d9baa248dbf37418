"""How many eigenvectors should labelled directions use? The table of docs/decisions/0003.

    python experiments/few_labels.py        two minutes of one core

Graphs that anybody can make, with two to fifteen labels per class; ARI on unlabelled nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn import datasets as points

from fastge import Constraints
from fastge.affinity import connectivity_graph
from fastge.datasets import planted_partition
from fastge.embedding import embed
from fastge.graph import IntArray
from fastge.merging import MergeRule, median, merge, paper, robust, scaled
from fastge.partition import kmeans, labelled_directions
from fastge.quality import adjusted_rand_index
from fastge.spectrum import eigenpairs

RULES: dict[str, MergeRule] = {
    "robust": robust,
    "scaled": scaled,
    "paper": paper,
    "median": median,
}
DRAWS = 5
NEIGHBOURS = 10

Graph = tuple[Any, IntArray]


def neighbours(X: Any, truth: IntArray) -> Graph:
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
    search = {"metric": "euclidean", "metric_params": None, "n_jobs": None}
    return connectivity_graph(X, NEIGHBOURS, **search), truth


def planted(sizes: list[int], inside: float, outside: float, seed: int) -> Graph:
    data = planted_partition(sizes, p_in=inside, p_out=outside, seed=seed)
    return data.adjacency, data.truth


def moons(seed: int) -> Graph:
    return neighbours(*points.make_moons(300, noise=0.1, random_state=seed))


def circles(seed: int) -> Graph:
    return neighbours(*points.make_circles(300, noise=0.06, factor=0.5, random_state=seed))


SETS: dict[str, tuple[int, Callable[[int], Graph]]] = {
    "blocks 40 + 40": (3, lambda seed: planted([40, 40], 0.3, 0.05, seed)),
    "blocks 250 + 200 + 150": (4, lambda seed: planted([250, 200, 150], 0.1, 0.01, seed)),
    "the same, 15 labels": (15, lambda seed: planted([250, 200, 150], 0.1, 0.01, seed)),
    "moons, 2 labels": (2, moons),
    "moons, 5 labels": (5, moons),
    "circles": (5, circles),
    "wine": (5, lambda _: neighbours(*points.load_wine(return_X_y=True))),
    "iris": (5, lambda _: neighbours(*points.load_iris(return_X_y=True))),
    "digits": (5, lambda _: neighbours(*points.load_digits(return_X_y=True))),
}


def labelled(truth: IntArray, per_class: int, seed: int) -> IntArray:
    rng = np.random.default_rng(seed)
    labels = np.full(len(truth), -1)
    for c in np.unique(truth):
        labels[rng.choice(np.flatnonzero(truth == c), per_class, replace=False)] = c
    return labels


def scores(graph: Graph, per_class: int, seed: int, rule: MergeRule) -> list[float]:
    """ARI by directions of k vectors, of k − 1 vectors, and by k-means."""
    adjacency, truth = graph
    k, labels = len(np.unique(truth)), labelled(truth, per_class, seed)
    known = Constraints.from_labels(labels)
    pencil = merge(adjacency, known, rule=rule)
    found = embed(pencil, eigenpairs(pencil, k).vectors)
    hidden = labels < 0
    answers = (
        labelled_directions(found.rows, known.labels, k, seed=seed),
        labelled_directions(found.leading(k - 1), known.labels, k, seed=seed),
        kmeans(found.rows, k, seed=seed),
    )
    return [adjusted_rand_index(truth[hidden], answer[hidden]) for answer in answers]


def rows() -> Iterator[str]:
    for name, (per_class, make) in SETS.items():
        cells = []
        for rule in RULES.values():
            runs = [scores(make(seed), per_class, seed, rule) for seed in range(DRAWS)]
            cells.append(" / ".join(f"{mean:.2f}" for mean in np.mean(runs, axis=0)))
        yield f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    print("ARI by directions of k vectors / of k − 1 vectors / by k-means\n")
    print(f"| set | {' | '.join(RULES)} |\n|---{'|---' * len(RULES)}|")
    for row in rows():
        print(row, flush=True)


if __name__ == "__main__":
    main()
