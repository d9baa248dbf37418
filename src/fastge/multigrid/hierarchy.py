"""The ladder of coarser Laplacians."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.linalg as la

from fastge.graph import FloatArray, Graph
from fastge.multigrid.grouping import Transfer, aggregate, eliminate

DIRECT_BELOW = 700
"""Nodes under which a level is solved by a dense inverse."""
DENSE_BELOW = 2048
"""Nodes under which a level that does not coarsen any further is solved so, too."""
TINY = 8
"""Nodes under which a level is solved so whatever its weights are."""
WIDEST = 1e8
"""Ratio of weights above which levels that are not tiny are coarsened further instead: rounding
across the lightest edges would drown in a dense inverse what lies between the heaviest."""
LARGEST_TOTAL = 5
"""Entries of all levels together, in units of the first level's, at which coarsening stops."""


@dataclass(frozen=True, eq=False)
class Level:
    """One rung: its graph, the transfer to the next one, and how often that one is cycled."""

    graph: Graph
    transfer: Transfer | None
    repeats: int = 1
    inverse: FloatArray | None = None


Levels: TypeAlias = Sequence[Level]


def build_levels(graph: Graph, *, direct_below: int = DIRECT_BELOW) -> list[Level]:
    """Levels from the given graph down to one that is solved directly or just smoothed."""
    levels: list[Level] = []
    budget = LARGEST_TOTAL * _entries(graph)
    while True:
        if graph.n < (direct_below if _is_even(graph) else TINY):
            return [*levels, Level(graph, None, inverse=dense_inverse(graph))]
        eliminated = eliminate(graph)
        if eliminated is not None:
            levels.append(Level(graph, eliminated[0]))
            graph = eliminated[1]
            continue
        transfer, coarse = aggregate(graph)
        budget -= _entries(graph)
        if coarse.n >= graph.n - 1 or budget < 0 or coarse.n <= 1:
            inverse = dense_inverse(graph) if graph.n < DENSE_BELOW else None
            return [*levels, Level(graph, None, inverse=inverse)]
        levels.append(Level(graph, transfer, _repeats(graph, coarse)))
        graph = coarse


def _is_even(graph: Graph) -> bool:
    w = graph.weights
    return len(w) == 0 or float(w.max()) <= WIDEST * float(w.min())


def _entries(graph: Graph) -> int:
    """Entries of a triangular half, the diagonal included."""
    return graph.n_edges + graph.n


def _repeats(fine: Graph, coarse: Graph) -> int:
    """ρ = ⌊nnz(A) / nnz(A_coarse) − 1⌋, at least 1: between a V-cycle and a W-cycle."""
    return max(_entries(fine) // max(_entries(coarse), 1) - 1, 1)


def dense_inverse(graph: Graph) -> FloatArray:
    """L⁺ of a small graph, component by component.

    Each component is grounded at its last node first: the inverse of what remains has no
    negative entries and suffers no cancellation, however far apart the weights are.
    """
    result = np.zeros((graph.n, graph.n))
    L = np.diag(graph.degrees) - graph.to_scipy().toarray()
    count, ids = graph.components
    for component in range(count):
        nodes = np.flatnonzero(ids == component)
        if len(nodes) > 1:
            result[np.ix_(nodes, nodes)] = _centred_inverse(L[np.ix_(nodes, nodes)])
    return result


def _centred_inverse(L: FloatArray) -> FloatArray:
    scale = 1 / np.sqrt(np.diag(L))
    inverse = np.zeros_like(L)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", la.LinAlgWarning)
            grounded = L[:-1, :-1] * scale[:-1, None] * scale[:-1]
            inverse[:-1, :-1] = la.inv(grounded, overwrite_a=True)
    except la.LinAlgError:  # an edge so weak that rounding takes it for none
        values, vectors = la.eigh(L * scale[:, None] * scale)
        inverse = vectors / np.maximum(values, values[-1] * np.finfo(float).eps) @ vectors.T
    inverse *= scale[:, None] * scale
    inverse -= inverse.mean(axis=0)
    inverse -= inverse.mean(axis=1)[:, None]
    return (inverse + inverse.T) / 2
