"""The algorithm: merge, build, solve, embed, partition, report."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from fastge.constraints import Constraints
from fastge.dense import one_blas_thread
from fastge.eigensolver import Eigenpairs
from fastge.embedding import embed
from fastge.errors import ParameterError, warn
from fastge.graph import FloatArray, Graph, IntArray
from fastge.merging import DEFAULT_RULE, MergeRule
from fastge.multigrid import Hierarchy
from fastge.pencil import Pencil, Side
from fastge.progress import Callback, Progress, Stages, logging_to_stderr
from fastge.quality import Report, report
from fastge.relevance import with_set_aside
from fastge.spectrum import MAX_ITERATIONS, TOLERANCE, eigenpairs, is_small
from fastge.sweep import Certificate, certificate, sweep
from fastge.task import Task

__all__ = ["Clustering", "Progress", "bipartition", "cluster"]


@dataclass(frozen=True, eq=False)
class Clustering:
    """Clusters, and what they were found from."""

    labels: IntArray
    """Cluster of every node; the user's class ids where labels were given, −1 for left-overs."""
    embedding: FloatArray
    """Unit rows, one per node; zero for nodes that were set aside."""
    eigenvectors: FloatArray
    eigenvalues: FloatArray
    residuals: FloatArray
    converged: bool
    report: Report
    timings: dict[str, float]
    """Seconds per stage."""
    history: list[FloatArray] = field(default_factory=list)
    """Residuals after every iteration of the eigensolver; empty where it was not needed."""

    @property
    def n_iterations(self) -> int:
        return max(len(self.history) - 1, 0)


def cluster(
    adjacency: Any,
    constraints: Constraints | None = None,
    k: int = 2,
    *,
    seed: int = 0,
    rule: MergeRule = DEFAULT_RULE,
    refine: bool = False,
    tol: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
    dtype: Any = np.float64,
    threads: int | None = None,
    verbose: bool = False,
    callback: Callback | None = None,
) -> Clustering:
    """k clusters of a graph under soft constraints.

    Parameters
    ----------
    adjacency
        SciPy sparse or dense symmetric matrix, networkx graph, or edge list of 2 or 3 columns. Or
        a `Pencil` of two graphs of your own: it is solved as it is, `rule` is not asked, and
        constraints only name clusters and are counted in the report.
    constraints
        Must-links, cannot-links and labels; None for plain spectral clustering.
    k
        Number of clusters. May exceed the number of labelled classes: the rest is discovered.
    seed
        Same seed, same clusters, whatever the number of threads.
    rule
        How constraints are weighed against the data, see `fastge.merging`.
    refine
        Trim every cluster to its best-connected core; nodes left over get −1.
    tol, max_iterations
        Relative residual at which the eigensolver stops, and its limit.
    dtype
        Precision of the vectors: float32 halves the memory.
    threads
        Threads of native code; None leaves it to OpenMP and threadpoolctl.
    verbose, callback
        Log progress at INFO; call `callback(Progress)` at every stage and iteration.
    """
    _check_solver_options(tol, max_iterations, dtype, threads)
    _check_seed(seed)
    with logging_to_stderr(verbose) as level, _thread_limit(threads), one_blas_thread():
        stages = Stages(callback, level)
        with stages.stage("merge"):
            task = Task.of(adjacency, constraints, k, rule)
        pairs = _solve(
            task.pencil, task.k, stages, tol=tol, max_iterations=max_iterations, dtype=dtype
        )
        with stages.stage("embed"):
            points = embed(task.pencil, task.chosen(pairs))
        with stages.stage("partition"):
            labels = task.partition(points, seed, refine)
        with stages.stage("report"):
            everywhere = with_set_aside(task.relevant, labels, task.whole.degrees)
            summary = report(task.whole, task.told, everywhere)
            bound = _certified(summary, pairs) if k == 2 and task.relevant.is_everything else None
        return Clustering(
            everywhere,
            task.relevant.expanded(points.rows),
            task.relevant.expanded(pairs.vectors),
            pairs.values,
            pairs.residuals,
            pairs.converged,
            replace(summary, notes=task.notes, certificate=bound),
            stages.seconds,
            pairs.history,
        )


def bipartition(
    adjacency: Any,
    constraints: Constraints | None = None,
    *,
    rule: MergeRule = DEFAULT_RULE,
    tol: float = 1e-4,
    max_iterations: int = MAX_ITERATIONS,
    threads: int | None = None,
    verbose: bool = False,
    callback: Callback | None = None,
) -> tuple[IntArray, Certificate]:
    """Two sides (0 and 1) by the Cheeger sweep, and how far from the best cut they can be.

    With labels of two classes, side 1 is where more of the second class lies.
    """
    _check_solver_options(tol, max_iterations, np.float64, threads)
    with logging_to_stderr(verbose) as level, _thread_limit(threads), one_blas_thread():
        stages = Stages(callback, level)
        with stages.stage("merge"):
            task = Task.of(adjacency, constraints, 2, rule)
        options = {"tol": tol, "max_iterations": max_iterations}
        pairs = _solve(task.pencil, 1, stages, **options)
        with stages.stage("sweep"):
            cut = sweep(task.pencil, pairs.vectors[:, 0])
        with stages.stage("certify"):
            expansion = _expansion(task.pencil, **options)
            cert = certificate(
                cut.ratio, float(pairs.values[0]), float(pairs.residuals[0]), expansion
            )
        side = _oriented(cut.side.astype(np.int64), task.constraints)
        return with_set_aside(task.relevant, side, task.whole.degrees), cert


def _solve(pencil: Pencil, k: int, stages: Stages, **options: Any) -> Eigenpairs:
    with stages.stage("build"):
        hierarchy = None if is_small(pencil, k) else Hierarchy(pencil.star_graph)
    with stages.stage("solve"):
        pairs = eigenpairs(pencil, k, hierarchy=hierarchy, observe=stages.observe, **options)
    if not pairs.converged:
        warn(
            f"the eigensolver stopped after {pairs.iterations} iterations at a relative residual "
            f"of {pairs.residuals.max():.1e}; raise max_iterations or tol",
            ConvergenceWarning,
        )
    return pairs


def _certified(summary: Report, pairs: Eigenpairs) -> Certificate | None:
    """How far the two clusters can be from the best cut of all, if they are two and are cut."""
    if len(summary.cluster_ids) != 2 or summary.left_over or not summary.cut_H[0] > 0:
        return None
    return certificate(float(summary.phi[0]), float(pairs.values[0]), float(pairs.residuals[0]))


def _expansion(pencil: Pencil, **options: Any) -> float:
    """λ₂(L_G, L_K) with K the demand graph of G: at most φ(G, K)."""
    degrees = pencil.L_G.diagonal()
    nothing = Graph(np.zeros(pencil.n + 1, np.int64), np.empty(0, np.int32), np.empty(0))
    K = Side(nothing, demand=1.0 / float(degrees.sum()), mass=degrees)
    pairs = eigenpairs(Pencil(pencil.L_G, K), 1, **options)
    return float(pairs.values[0]) * max(0.0, 1.0 - float(pairs.residuals[0]))


def _oriented(side: IntArray, constraints: Constraints) -> IntArray:
    labels = constraints.labels
    if len(labels.class_ids) < 2:
        return side
    second = labels.classes == labels.class_ids[1]
    first = labels.classes == labels.class_ids[0]
    share = side[labels.nodes[second]].mean() - side[labels.nodes[first]].mean()
    return 1 - side if share < 0 else side


def _thread_limit(threads: int | None) -> AbstractContextManager[Any]:
    return nullcontext() if threads is None else threadpool_limits(limits=threads)


def _check_seed(seed: Any) -> None:
    try:
        np.random.default_rng(seed)
    except (TypeError, ValueError) as cause:
        raise ParameterError(f"seed = {seed!r} is no seed; pass an integer ≥ 0") from cause


def _check_solver_options(tol: float, max_iterations: int, dtype: Any, threads: int | None) -> None:
    if not 0 < tol < 1:
        raise ParameterError(f"tol = {tol}; choose a relative residual between 0 and 1")
    if max_iterations < 1:
        raise ParameterError(f"max_iterations = {max_iterations}; allow at least one")
    if np.dtype(dtype) not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ParameterError(f"dtype = {dtype}; choose numpy.float64 or numpy.float32")
    if threads is not None and threads < 1:
        raise ParameterError(f"threads = {threads}; choose at least 1, or None")
