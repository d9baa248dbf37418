"""Five eigenpairs of an image-like grid with 30 labelled pixels: fastge against SciPy's lobpcg.

Everyone stops right after all five eigenvalues are within 1 % of the converged ones: a rehearsal
that is not timed finds the number of iterations. `fastge, default` stops by its own tolerance.

The peers get a fair start: L_G and L_H with all implied pairs written out before the clock runs, a
preconditioner and a start block qr(M X₀) kept off the constants. They look for the smallest λ:
asked for the largest μ = 1/λ, lobpcg hands back the iterate with the least ‖L_H x − μ L_G x‖, often
the first. fastge gets adjacency and labels, and its total includes k-means and the report.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse.linalg import LinearOperator, lobpcg

from fastge import Constraints
from fastge.algorithm import Clustering, cluster
from fastge.datasets import Dataset, sample_labels
from measure import (
    Facts,
    PeakMemory,
    Tell,
    command_line,
    environment,
    isolated,
    save,
    show,
    stage,
    with_totals,
)
from peers import approximate_cholesky, on_blocks, smoothed_aggregation
from problems import ExpandedPencil, expanded_pencil, picture
from reference import Reference, converged

K, LABELLED = 5, 30
ACCURACY = 0.01
REHEARSED = 25
NEVER = 1e-30  # a tolerance that lobpcg does not reach; 0 would mean its default
COLUMNS = {
    "nodes": "nodes",
    "method": "method",
    "setup_seconds": "setup s",
    "iterations": "iterations",
    "solve_seconds": "solve s",
    "total_seconds": "total s",
    "total_cpu_seconds": "CPU s",
    "error": "worst error",
    "memory_mebibytes": "memory MiB",
    "status": "status",
}

Method: TypeAlias = Callable[[Dataset, np.ndarray, np.ndarray, Tell], np.ndarray]
"""(problem, labels, converged μ, tell) ↦ μ"""


def with_fastge(
    problem: Dataset, labels: np.ndarray, wanted: np.ndarray, tell: Tell, *, rehearse: bool
) -> np.ndarray:
    def run(**options: Any) -> Clustering:
        return cluster(problem.adjacency, Constraints.from_labels(labels), K, **options)

    memory, options = PeakMemory(), {}
    if rehearse:
        options["max_iterations"] = _first(lambda n: 1 / run(max_iterations=n).eigenvalues, wanted)
    with stage("total", tell):
        result = run(**options)
    tell(memory_mebibytes=memory.mebibytes())
    seconds = result.timings
    tell(setup_seconds=seconds["merge"] + seconds["build"], solve_seconds=seconds["solve"])
    tell(stages=seconds, iterations=result.n_iterations)
    return 1 / result.eigenvalues


def with_lobpcg(
    problem: Dataset,
    labels: np.ndarray,
    wanted: np.ndarray,
    tell: Tell,
    *,
    preconditioner: Callable[[Any], Any],
    width: int,
) -> np.ndarray:
    pencil = expanded_pencil(problem.adjacency, labels)
    memory = PeakMemory()
    with stage("setup", tell):
        M = on_blocks(preconditioner(pencil.L_G).matvec, problem.n)
    solve = partial(_lobpcg, pencil, M, width)
    _, history = solve(REHEARSED, retLambdaHistory=True)
    found = [within(1 / values, wanted) for values in history]
    if not any(found):
        tell(iterations=len(history) - 2, error=error_of(1 / history[-1], wanted))
        raise RuntimeError("not within 1 %")
    iterations, mu = max(found.index(True) - 1, 0), np.zeros(K)
    while not within(mu, wanted):
        with stage("solve", tell):
            mu, _ = solve(iterations)
        tell(memory_mebibytes=memory.mebibytes(), iterations=iterations, error=error_of(mu, wanted))
        iterations += 1
    return mu


def _lobpcg(
    pencil: ExpandedPencil, M: LinearOperator, width: int, iterations: int, **options: Any
) -> tuple[np.ndarray, Any]:
    """μ after so many iterations, and the last of what else lobpcg returns."""
    n, apply = M.shape[0], pencil.apply_L_H
    L_H = LinearOperator((n, n), matvec=apply, matmat=apply, dtype=np.float64)
    noise = np.random.default_rng(0).standard_normal((n, width))
    start, _ = np.linalg.qr(M @ noise)
    options |= {"largest": False, "tol": NEVER, "maxiter": iterations}
    result = lobpcg(pencil.L_G, start, B=L_H, M=M, **options)
    return 1 / result[0], result[-1]


def _first(attempt: Callable[[int], np.ndarray], wanted: np.ndarray) -> int:
    """The least number of iterations that is accurate enough."""
    return next(n for n in range(1, REHEARSED) if within(attempt(n), wanted))


def error_of(mu: np.ndarray, wanted: np.ndarray) -> float:
    """The largest relative error of the wanted values."""
    return float(np.max(np.abs(mu[: len(wanted)] / wanted - 1)))


def within(mu: np.ndarray, wanted: np.ndarray) -> bool:
    return error_of(mu, wanted) <= ACCURACY


METHODS: dict[str, Method] = {
    "fastge, default": partial(with_fastge, rehearse=False),
    "fastge": partial(with_fastge, rehearse=True),
    "approx-chol, split 2, block 5": partial(
        with_lobpcg, preconditioner=partial(approximate_cholesky, split=2), width=5
    ),
    "approx-chol, split 2, block 8": partial(
        with_lobpcg, preconditioner=partial(approximate_cholesky, split=2), width=8
    ),
    "approx-chol, split 3, block 8": partial(
        with_lobpcg, preconditioner=partial(approximate_cholesky, split=3), width=8
    ),
    "pyamg, block 5": partial(with_lobpcg, preconditioner=smoothed_aggregation, width=5),
    "pyamg, block 8": partial(with_lobpcg, preconditioner=smoothed_aggregation, width=8),
}


def measured(method: str, nodes: int, wanted: np.ndarray, tell: Tell) -> None:
    """One row of the table, told piece by piece."""
    warnings.simplefilter("ignore")  # all are stopped early, and warn that they were
    problem = picture(nodes)
    labels = sample_labels(problem.truth, LABELLED, seed=0)
    mu = METHODS[method](problem, labels, wanted, tell)
    tell(mu=mu[:K].tolist(), error=error_of(mu, wanted))


def row(method: str, nodes: int, reference: Reference, limit: float) -> Facts:
    facts: Facts = {"nodes": nodes, "method": method}
    return with_totals(facts | isolated(measured, method, nodes, reference.mu, limit=limit))


def main() -> None:
    options = command_line(__doc__, nodes=[250_000, 1_000_000], small=4_000)
    machine, rows, references = environment(), [], []
    for nodes in options.nodes:
        problem = picture(nodes)
        reference = converged(problem.adjacency, sample_labels(problem.truth, LABELLED, seed=0), K)
        part = [row(method, nodes, reference, options.limit) for method in METHODS]
        show(f"{nodes:,} nodes, {LABELLED} labelled, k = {K}", COLUMNS, part)
        facts = reference.facts(nodes, [row["mu"] for row in part if "mu" in row])
        print("\nReference:", facts["summary"])
        rows, references = rows + part, [*references, facts]
    save(options.json, environment=machine, accuracy=ACCURACY, references=references, rows=rows)


if __name__ == "__main__":
    main()
