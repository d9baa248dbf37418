"""The algorithm: merge, build, solve, embed, partition, report."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg as la

from fastge.constraints import Constraints
from fastge.embedding import embed
from fastge.errors import ClusterCountError
from fastge.graph import FloatArray, IntArray, as_graph
from fastge.merge import DEFAULT_RULE, MergeRule, check_constraints, merge
from fastge.partition import kmeans, labelled_directions
from fastge.quality import Report, report


@dataclass(frozen=True, eq=False)
class Clustering:
    """Clusters, and what they were found from."""

    labels: IntArray
    embedding: FloatArray
    eigenvectors: FloatArray
    eigenvalues: FloatArray
    residuals: FloatArray
    converged: bool
    report: Report
    timings: dict[str, float] = field(default_factory=dict)


def cluster(
    adjacency: Any,
    constraints: Constraints | None = None,
    k: int = 2,
    *,
    seed: int = 0,
    rule: MergeRule = DEFAULT_RULE,
    threads: int | None = None,
    verbose: bool = False,
    callback: Callable[..., None] | None = None,
) -> Clustering:
    graph = as_graph(adjacency)
    constraints = check_constraints(constraints, graph.n)
    if not 2 <= k <= graph.n:
        raise ClusterCountError(f"k = {k} clusters of {graph.n} nodes; choose 2 ≤ k ≤ n")
    start = time.perf_counter()
    pencil = merge(graph, constraints, rule=rule)
    G, H = pencil.L_G.toarray(), pencil.L_H.toarray()
    one = np.ones((graph.n, 1)) / np.sqrt(graph.n)
    Q = la.null_space(one.T)
    mu, Y = la.eigh(Q.T @ H @ Q, Q.T @ G @ Q, subset_by_index=[graph.n - 1 - k, graph.n - 2])
    X = Q @ Y[:, ::-1]
    e = embed(pencil, X)
    if constraints.labels.count:
        labels = labelled_directions(e.rows, constraints.labels, k, seed=seed)
    else:
        labels = kmeans(e.rows, k, seed=seed)
    return Clustering(
        labels, e.rows, X, 1 / mu[::-1], np.zeros(k), True,
        report(pencil, constraints, labels), {"total": time.perf_counter() - start},
    )
