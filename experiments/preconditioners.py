"""Multigrid or approximate Cholesky? The table of docs/decisions/0007.

    python experiments/preconditioners.py [NODES]        ten minutes of one core at 200,000

The same eigensolver from the same flat start with either preconditioner of L_G: iterations to the
default tolerance and processor seconds of setup, of one application to a block, and of all.
Approximate Cholesky is approx-chol's, one column at a time. To be fair to a form of it that would
solve whole blocks in parallel, which nobody has written, its applications are also counted as if
a block of eight cost as much as two columns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import laplacian
from scipy.spatial import Delaunay

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
from fastge import Constraints
from fastge.affinity import connectivity_graph
from fastge.components import projector
from fastge.eigensolver import Problem, solve
from fastge.graph import FloatArray, IntArray, as_graph, from_pairs
from fastge.merging import merge
from fastge.multigrid import Hierarchy
from fastge.pencil import Pencil
from fastge.spectrum import TOLERANCE
from peers import approximate_cholesky
from problems import image_grid, near_tree, power_law, weighted_grid

K, LABELLED, WIDTH, MAX_ITERATIONS = 5, 30, 8, 60
COLUMNS_OF_A_FAST_BLOCK = 2
SPLITS: tuple[int | None, ...] = (None, 2)


def neighbours_in_space(nodes: int) -> sp.csr_array:
    X = np.random.default_rng(0).standard_normal((nodes, 3))
    return connectivity_graph(X, 10, metric="euclidean", metric_params=None, n_jobs=None)


def road_map(nodes: int) -> sp.csr_array:
    """Two thirds of a Delaunay triangulation's edges, weighed by the inverse of their lengths."""
    rng = np.random.default_rng(0)
    places = rng.random((nodes, 2))
    corners = Delaunay(places).simplices
    ends = np.unique(np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]]])), axis=0)
    ends = ends[rng.random(len(ends)) < 2 / 3]
    return from_pairs(nodes, ends, 1 / np.linalg.norm(np.diff(places[ends], axis=1)[:, 0], axis=1))


def expander(nodes: int) -> sp.csr_array:
    """The union of three random permutations: six neighbours nearly everywhere."""
    rng = np.random.default_rng(0)
    ends = np.tile(np.arange(nodes), 3)
    ends = np.column_stack([ends, np.concatenate([rng.permutation(nodes) for _ in range(3)])])
    ends = ends[ends[:, 0] != ends[:, 1]]
    return from_pairs(nodes, ends, np.ones(len(ends)))


FAMILIES: dict[str, Callable[[int], sp.csr_array]] = {
    "image-like grid": image_grid,
    "grid, weights e^{6u}": weighted_grid,
    "nearest neighbours, 3-D": neighbours_in_space,
    "road map": road_map,
    "near-tree": near_tree,
    "power law": power_law,
    "expander": expander,
}


@dataclass
class Stopwatch:
    """A preconditioner that counts its applications and their processor seconds."""

    apply: Callable[[FloatArray], FloatArray]
    applications: int = 0
    seconds: float = 0.0

    def __call__(self, R: FloatArray) -> FloatArray:
        begin = time.process_time()
        result = self.apply(R)
        self.seconds += time.process_time() - begin
        self.applications += 1
        return result


@dataclass(frozen=True)
class Outcome:
    method: str
    setup: float
    iterations: int
    converged: bool
    per_application: float
    total: float
    values: FloatArray = field(repr=False)


def multigrid(pencil: Pencil) -> Callable[[FloatArray], FloatArray]:
    cycle = Hierarchy(pencil.star_graph).as_preconditioner(np.float32)
    return _padded(pencil, cycle.matmat)


def cholesky(pencil: Pencil, split: int | None) -> Callable[[FloatArray], FloatArray]:
    factor = approximate_cholesky(sp.csr_array(laplacian(pencil.star_graph.to_scipy())), split)

    def apply(R: FloatArray) -> FloatArray:
        centred = np.asfortranarray(R - R.mean(axis=0))
        return np.column_stack([factor.solve(column) for column in centred.T])

    return _padded(pencil, apply)


def _padded(pencil: Pencil, apply: Callable[[FloatArray], FloatArray]) -> Any:
    """With zeros on the right side of the centres of stars."""
    extra = pencil.star_graph.n - pencil.n

    def padded(R: FloatArray) -> FloatArray:
        return np.asarray(apply(np.pad(R, ((0, extra), (0, 0))))[: pencil.n], dtype=R.dtype)

    return padded


def run(pencil: Pencil, method: str, make: Callable[[], Any]) -> Outcome:
    begin = time.process_time()
    precondition = Stopwatch(make())
    setup = time.process_time() - begin
    start = np.random.default_rng(1).standard_normal((pencil.n, WIDTH))
    begin = time.process_time()
    problem = Problem(pencil.L_G, pencil.L_H, precondition, projector(pencil))
    pairs = solve(problem, start, K, tol=TOLERANCE, max_iterations=MAX_ITERATIONS)
    total = setup + time.process_time() - begin
    each = precondition.seconds / max(precondition.applications, 1)
    return Outcome(method, setup, pairs.iterations, pairs.converged, each, total, pairs.values)


def compare(name: str, adjacency: sp.csr_array) -> None:
    graph = as_graph(adjacency)
    pencil = merge(graph, Constraints.from_labels(_labels(graph.n)))
    outcomes = [run(pencil, "multigrid", lambda: multigrid(pencil))]
    for split in SPLITS:
        method = "approximate Cholesky" + (f", split {split}" if split else "")
        outcomes.append(run(pencil, method, lambda split=split: cholesky(pencil, split)))
    for one in outcomes:
        saved = one.per_application * one.iterations * (1 - COLUMNS_OF_A_FAST_BLOCK / WIDTH)
        blocked = "" if one.method == "multigrid" else f"{one.total - saved:.1f}"
        steps = f"{one.iterations}" + ("" if one.converged else ", not converged")
        print(
            f"| {name} | {one.method} | {one.setup:.2f} | {steps} | {one.per_application:.3f} | "
            f"{one.total:.1f} | {blocked} |",
            flush=True,
        )


def _labels(n: int) -> IntArray:
    """Thirty nodes of five classes, in five stretches of the numbering."""
    rng = np.random.default_rng(2)
    labels = np.full(n, -1)
    nodes = np.sort(rng.choice(n, LABELLED, replace=False))
    labels[nodes] = np.repeat(np.arange(K), LABELLED // K)
    return labels


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    print("| graph | preconditioner | setup | iterations | application | all | all, if blocked |")
    print("|---|---|---|---|---|---|---|")
    for name, make in FAMILIES.items():
        compare(name, make(size))
