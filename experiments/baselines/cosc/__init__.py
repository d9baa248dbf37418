"""COSC: constrained 1-spectral clustering. Rangapuram, Hein, AISTATS 2012.

Reading order: contraction, functional, native (with kernels.cpp), ratio_dca, starts, two_way,
split, k_way. Must-links are hard. Cannot-links are soft for k > 2; for k = 2 none is violated that
need not be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from baselines.cosc.contraction import Instance, contracted, must_link_groups
from baselines.cosc.k_way import k_way
from baselines.cosc.ratio_dca import RatioDCA
from baselines.cosc.two_way import Partition, two_way
from baselines.outcome import Outcome
from baselines.pairs import ExplicitPairs, explicit_pairs
from fastge import Constraints
from fastge.errors import ClusterCountError, ConstraintError, GraphError
from fastge.graph import FloatArray, Graph, IntArray, as_graph
from fastge.merging import check_constraints

__all__ = ["cosc", "cosc_fast"]


@dataclass(frozen=True)
class _Effort:
    """Starts of each descent, whole recursions, and what bounds a descent."""

    starts: int
    limit: int
    recursions: int = 1
    perturbed: bool = False


def cosc(adjacency: Any, constraints: Constraints, k: int, *, seed: int) -> Outcome:
    """The exact variant: many starts, every minimum shaken, whole recursions repeated."""
    two = _Effort(starts=10, limit=10_000, perturbed=True)
    more = _Effort(starts=2, limit=1000, recursions=5, perturbed=True)
    return _clustered(adjacency, constraints, k, seed, two if k == 2 else more)


def cosc_fast(adjacency: Any, constraints: Constraints, k: int, *, seed: int) -> Outcome:
    """COSf: relaxed starts only, one recursion, nothing shaken."""
    return _clustered(
        adjacency, constraints, k, seed, _Effort(starts=2 if k == 2 else 1, limit=1000)
    )


def _clustered(
    adjacency: Any, constraints: Constraints, k: int, seed: int, effort: _Effort
) -> Outcome:
    graph = as_graph(adjacency)
    if not 2 <= k <= graph.n:
        raise ClusterCountError(f"k = {k} clusters of {graph.n} nodes; choose 2 ≤ k ≤ {graph.n}")
    pairs = explicit_pairs(check_constraints(constraints, graph.n))
    group = must_link_groups(graph.n, pairs.must_link)
    whole = Instance(graph.to_scipy(), graph.degrees, pairs.cannot_link)
    instance = contracted(whole, group)
    _check(instance, k)
    descent = RatioDCA(effort.limit, effort.perturbed, np.random.default_rng(seed))
    found = _partition(instance, k, descent, effort)
    labels = found.labels[group]
    return Outcome(
        labels,
        {
            "ncut": normalised_cut(graph, labels),
            **_violations(pairs, group, labels),
            "functional": found.functional,
            "gamma": found.gamma,
            "outer_iterations": descent.outer,
            "inner_iterations": descent.inner,
        },
    )


def _check(instance: Instance, k: int) -> None:
    if instance.n < k:
        raise ConstraintError(
            f"must-links, which are hard here, leave only {instance.n} groups for k = {k} "
            "clusters; drop some of them or ask for fewer clusters"
        )
    if instance.b.min() <= 0:
        raise GraphError(
            "some node has no edges, and a balanced cut divides by the degrees of its sides; "
            "join it to the graph or leave it out"
        )


def _partition(instance: Instance, k: int, descent: RatioDCA, effort: _Effort) -> Partition:
    if instance.n == k:
        return Partition(np.arange(k), 0.0, 0.0)
    if k == 2:
        return two_way(instance, descent, effort.starts)
    return k_way(instance, k, descent, starts=effort.starts, recursions=effort.recursions)


def normalised_cut(graph: Graph, labels: IntArray) -> float:
    """Σ cut(C) / vol(C)"""
    edges = graph.to_scipy().tocoo()
    across = labels[edges.row] != labels[edges.col]
    cuts: FloatArray = np.bincount(labels[edges.row[across]], edges.data[across], labels.max() + 1)
    return float((cuts / np.bincount(labels, graph.degrees)).sum())


def _violations(pairs: ExplicitPairs, group: IntArray, labels: IntArray) -> dict[str, int]:
    """Violated pairs, and how many cannot-links must-links have made impossible."""
    (a, b), (i, j) = pairs.must_link.T, pairs.cannot_link.T
    return {
        "violated_must_links": int((labels[a] != labels[b]).sum()),
        "violated_cannot_links": int((labels[i] == labels[j]).sum()),
        "impossible_cannot_links": int((group[i] == group[j]).sum()),
    }
