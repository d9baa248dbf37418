"""Poisson learning: labels as sources and sinks of a flow through the graph.

Source: Calder, Cook, Thorpe, Slepčev, Poisson learning: graph based semi-supervised learning at
very low label rates (ICML 2020). Labels speak in the class ids.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from baselines.known import known_classes
from baselines.outcome import Outcome
from fastge import Constraints
from fastge.graph import FloatArray, Graph, IntArray, as_graph
from fastge.multigrid import build


def poisson(
    adjacency: Any,
    constraints: Constraints,
    k: int,
    *,
    seed: int,
    priors: FloatArray | None = None,
    tol: float = 1e-8,
) -> Outcome:
    """argmax_c s_c u_c with L u = Σ_j (y_j − ȳ) δ_j over the labelled nodes j, and dᵀu = 0.

    Without `priors`, s = 1. With them (the share of nodes in each class, by rising class id),
    s_c = priors_c / ȳ_c makes up for labels that were drawn in other shares.
    """
    graph = as_graph(adjacency)
    classes = known_classes(constraints, graph.n, "Poisson learning")
    ids, column, counts = np.unique(classes[classes >= 0], return_inverse=True, return_counts=True)
    Y = np.eye(len(ids))[column]
    U, iterations = poisson_functions(graph, np.flatnonzero(classes >= 0), Y, tol=tol)
    if priors is not None:
        U = U * (np.asarray(priors) * counts.sum() / counts)
    return Outcome(ids[U.argmax(axis=1)], {"iterations": iterations})


def poisson_functions(
    graph: Graph, nodes: IntArray, Y: FloatArray, *, tol: float = 1e-8
) -> tuple[FloatArray, int]:
    """u with L u = Y − Ȳ on `nodes`, 0 elsewhere, and dᵀu = 0 on every component; and iterations.

    Components with several labels are problems of their own: a flow cannot leave them.
    """
    sources = np.zeros((graph.n, Y.shape[1]))
    sources[nodes] = Y - Y.mean(axis=0)
    solution = build(graph).solve_with_history(sources, tol=tol)
    return _centred_by_degree(solution.x, graph), solution.iterations


def _centred_by_degree(U: FloatArray, graph: Graph) -> FloatArray:
    count, ids = graph.components
    member = sp.csr_array((graph.degrees, (ids, np.arange(graph.n))), shape=(count, graph.n))
    volumes: FloatArray = np.asarray(member.sum(axis=1))[:, None]
    means = (member @ U) / np.where(volumes > 0, volumes, 1.0)
    return np.asarray(U - means[ids])
