"""L x = b to 1e-8: fastge's multigrid against pyamg and approx-chol.

Every method runs in a process of its own, gets adjacency and Laplacian ready-made, and is stopped
after --limit seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg

from fastge.multigrid import build
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
from peers import approximate_cholesky, on_blocks, pyamg_cg, smoothed_aggregation
from problems import PROBLEMS, laplacian_of

TOLERANCE = 1e-8
MAX_ITERATIONS = 2000
COLUMNS = {
    "problem": "problem",
    "nodes": "nodes",
    "method": "method",
    "setup_seconds": "setup s",
    "iterations": "iterations",
    "solve_seconds": "solve s",
    "total_seconds": "total s",
    "total_cpu_seconds": "CPU s",
    "memory_mebibytes": "memory MiB",
    "residual": "residual",
    "status": "status",
}

Method: TypeAlias = Callable[[sp.csr_array, sp.csr_array, np.ndarray, Tell], np.ndarray]


def with_fastge(adjacency: sp.csr_array, L: sp.csr_array, b: np.ndarray, tell: Tell) -> np.ndarray:
    with stage("setup", tell):
        hierarchy = build(adjacency)
    with stage("solve", tell):
        solution = hierarchy.solve_with_history(b, tol=TOLERANCE, max_iterations=MAX_ITERATIONS)
    tell(iterations=solution.iterations)
    return solution.x


def with_pyamg(adjacency: sp.csr_array, L: sp.csr_array, b: np.ndarray, tell: Tell) -> np.ndarray:
    residuals: list[float] = []
    scale = float(np.linalg.norm(b))

    def observe(_: np.ndarray) -> None:
        tell(iterations=len(residuals) - 1, residual=residuals[-1] / scale)

    with stage("setup", tell):
        M = on_blocks(smoothed_aggregation(L).matvec, len(b))
    options = {"tol": TOLERANCE, "maxiter": MAX_ITERATIONS}
    with stage("solve", tell):
        x, _ = pyamg_cg(L, b, M=M, residuals=residuals, callback=observe, **options)
    return x


def with_approximate_cholesky(
    adjacency: sp.csr_array, L: sp.csr_array, b: np.ndarray, tell: Tell, *, split: int | None
) -> np.ndarray:
    iterations = 0

    def observe(_: np.ndarray) -> None:
        nonlocal iterations
        iterations += 1
        tell(iterations=iterations)

    with stage("setup", tell):
        factor = approximate_cholesky(L, split)
    with stage("solve", tell):
        x, _ = cg(L, b, rtol=TOLERANCE, maxiter=MAX_ITERATIONS, M=factor, callback=observe)
    return x


METHODS: dict[str, Method] = {
    "fastge": with_fastge,
    "approx-chol": partial(with_approximate_cholesky, split=None),
    "approx-chol, split 2": partial(with_approximate_cholesky, split=2),
    "pyamg": with_pyamg,
}


def measured(method: str, problem: str, nodes: int, tell: Tell) -> None:
    """One row of the table, told piece by piece."""
    adjacency = PROBLEMS[problem](nodes)
    L = laplacian_of(adjacency)
    b = np.random.default_rng(1).standard_normal(L.shape[0])
    b -= b.mean()
    memory = PeakMemory()
    x = METHODS[method](adjacency, L, b, tell)
    tell(memory_mebibytes=memory.mebibytes())
    residual = float(np.linalg.norm(b - L @ x) / np.linalg.norm(b))
    tell(residual=residual)
    if residual > 2 * TOLERANCE:
        raise RuntimeError("gave up")


def row(method: str, problem: str, nodes: int, limit: float) -> Facts:
    facts: Facts = {"problem": problem, "nodes": nodes, "method": method}
    return with_totals(facts | isolated(measured, method, problem, nodes, limit=limit))


def main() -> None:
    options = command_line(__doc__, nodes=[1_100_000], small=4_000)
    machine, rows = environment(), []
    for nodes in options.nodes:
        for problem in PROBLEMS:
            part = [row(method, problem, nodes, options.limit) for method in METHODS]
            show(f"{problem}, {nodes:,} nodes", COLUMNS, part)
            rows += part
    save(options.json, environment=machine, tolerance=TOLERANCE, rows=rows)


if __name__ == "__main__":
    main()
