"""Data and constraints merged into the pencil: G = G_D + ML, H = τ K + CL."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from fastge.constraints import Constraints
from fastge.errors import ConstraintError, GraphError
from fastge.graph import FloatArray, Graph, as_graph, from_canonical, from_pairs
from fastge.implied import NO_MEMBERS, Members
from fastge.pairs import Labels
from fastge.pencil import Pencil, Side, Weighting

MergeRule: TypeAlias = Callable[[Graph], Weighting]


def _positive(degrees: FloatArray) -> FloatArray:
    positive = degrees[degrees > 0]
    return positive if len(positive) else np.ones(1)


def _by_degrees(graph: Graph, low: float, tau: float) -> Weighting:
    """Pair (i, j) weighs d_i d_j / (d_lo d_hi). Isolated nodes count as if of the least degree."""
    degrees = graph.degrees
    least, most = _positive(degrees).min(), _positive(degrees).max()
    factor = 1.0 / low / most
    if not np.isfinite([factor, tau]).all():
        raise GraphError(
            f"the least degree {low:g} is too small for this merge rule; drop the lightest edges "
            "or use merging.robust"
        )
    return Weighting(np.maximum(degrees, least), factor, factor, tau)


def scaled(graph: Graph) -> Weighting:
    """The paper's weights, with K scaled to a least edge of 1 and then divided by n."""
    low = float(_positive(graph.degrees).min())
    return _by_degrees(graph, low, float(graph.degrees.mean()) / low / low)


def paper(graph: Graph) -> Weighting:
    """The paper to the letter: weights d_i d_j / (d_min d_max) and H = K/n + CL."""
    return _by_degrees(graph, float(_positive(graph.degrees).min()), 1.0 / graph.n)


def median(graph: Graph) -> Weighting:
    """The paper's weights with the median degree for d_min, and H = K/n + CL."""
    return _by_degrees(graph, float(np.median(_positive(graph.degrees))), 1.0 / graph.n)


UNEQUAL = 0.25
"""Coefficient of variation of the edge weights from which a least edge of K means nothing."""


def robust(graph: Graph) -> Weighting:
    """γ d_i d_j with γ = w̄ / (d_lo d_max), the mean edge w̄ and d_lo = max(d_min, w̄).

    Where edges are equal, τ = γ d̄³ / d_lo²: a cannot-link then weighs n (d_lo / d̄)² edges of τ K.
    Where they differ, d_min is dust and τ = 1/n. In between τ moves from one to the other without
    a jump. Other units of the data change nothing.
    """
    mean, variation = _mean_and_variation(graph.weights)
    low = max(float(_positive(graph.degrees).min()), mean)
    factor = mean / (low * max(float(graph.degrees.max(initial=0.0)), low))
    equal = factor * (float(graph.degrees.mean()) / low) ** 2 * float(graph.degrees.mean())
    share = min(1.0, variation / UNEQUAL)
    tau = equal ** (1 - share) * (1.0 / graph.n) ** share if equal > 0 else 1.0 / graph.n
    return Weighting(np.maximum(graph.degrees, low), factor, factor, tau)


def _mean_and_variation(weights: FloatArray) -> tuple[float, float]:
    """Mean, and standard deviation as a share of it."""
    if len(weights) == 0:
        return 1.0, 0.0
    mean = float(weights.mean())
    return mean, float((weights / mean).std())


def released(graph: Graph, *, alpha: float = 5.0) -> Weighting:
    """The authors' released program: must-links weigh α, cannot-links 1, H = CL + 1e-8 G."""
    return Weighting(np.ones(graph.n), alpha, 1.0, ridge=1e-8)


released_alpha_1: MergeRule = partial(released, alpha=1.0)

DEFAULT_RULE: MergeRule = robust


def merge(
    adjacency: Any, constraints: Constraints | None = None, *, rule: MergeRule = DEFAULT_RULE
) -> Pencil:
    """The pencil of a graph and soft constraints."""
    graph = as_graph(adjacency)
    constraints = check_constraints(constraints, graph.n)
    w = rule(graph)
    members = _members(constraints.labels, w.strength)
    must = _pair_weights(graph, constraints.must_link, w, w.must_factor)
    cannot = _pair_weights(graph, constraints.cannot_link, w, w.cannot_factor)
    G = graph.plus(must)
    H = from_canonical(sp.csr_array(cannot + w.ridge * G.to_scipy()) if w.ridge else cannot)
    volume = float(graph.degrees.sum())
    within = w.must_factor if members.n_classes else 0.0
    across = w.cannot_factor if members.n_classes else 0.0
    return Pencil(
        Side(G, members, within=within),
        Side(
            H,
            members,
            within=w.ridge * within,
            across=across,
            demand=w.tau / volume if volume else 0.0,
            mass=graph.degrees,
        ),
        degrees=graph.degrees,
        weighting=w,
    )


def check_constraints(constraints: Constraints | None, n: int) -> Constraints:
    """The constraints, known to be about nodes 0 … n−1."""
    if constraints is None:
        return Constraints()
    if not isinstance(constraints, Constraints):
        raise ConstraintError(
            f"constraints are a fastge.Constraints, not {type(constraints).__name__}; build one "
            "with Constraints(must_link=…, cannot_link=…) or Constraints.from_labels(…)"
        )
    constraints.check_fits(n)
    return constraints


def _pair_weights(graph: Graph, pairs: Any, w: Weighting, factor: float) -> sp.csr_array:
    i, j = pairs.ends[:, 0], pairs.ends[:, 1]
    weights = factor * pairs.confidence * w.strength[i] * w.strength[j]
    matrix = from_pairs(graph.n, pairs.ends, weights)
    matrix.eliminate_zeros()
    return matrix


def _members(labels: Labels, strength: FloatArray) -> Members:
    if labels.count == 0:
        return NO_MEMBERS
    nodes, row = np.unique(labels.nodes, return_inverse=True)
    classes, column = np.unique(labels.classes, return_inverse=True)
    values = strength[labels.nodes] * labels.confidence
    shape = (len(nodes), len(classes))
    return Members(nodes, sp.coo_array((values, (row, column)), shape=shape).tocsr())
