"""Labels that spread along edges: scikit-learn's label spreading, and harmonic functions.

Sources: Zhou, Bousquet, Lal, Weston, Schölkopf, Learning with local and global consistency
(NIPS 2003); Zhu, Ghahramani, Lafferty, Semi-supervised learning using Gaussian fields and harmonic
functions (ICML 2003). Labels speak in the class ids; there are never more clusters than classes.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.exceptions import ConvergenceWarning
from sklearn.semi_supervised import LabelSpreading

from baselines.known import known_classes
from baselines.outcome import Outcome
from fastge import Constraints
from fastge.graph import BoolArray, FloatArray, IntArray, as_graph
from fastge.multigrid import build_sdd


def label_spreading(
    adjacency: Any,
    constraints: Constraints,
    k: int,
    *,
    seed: int,
    alpha: float = 0.2,
    max_iterations: int = 1000,
    tol: float = 1e-3,
) -> Outcome:
    """F ← α S F + (1 − α) Y with S = D^−½ W D^−½, as scikit-learn does it, on the graph given.

    The class builds its graph by a kernel function of the samples; one that returns a sparse
    matrix is taken as it is, and nothing grows with n². α is the library's default.
    """
    W = as_graph(adjacency).to_scipy()
    n = W.shape[0]
    classes = known_classes(constraints, n, "label spreading")
    model = LabelSpreading(kernel=lambda *_: W, alpha=alpha, max_iter=max_iterations, tol=tol)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(np.arange(n)[:, None], classes)
    reached = model.label_distributions_.any(axis=1)
    return Outcome(
        model.transduction_.astype(np.int64),
        {
            "iterations": int(model.n_iter_),
            "converged": bool(model.n_iter_ < max_iterations),
            "unreached": int((~reached).sum()),
        },
    )


def harmonic(
    adjacency: Any,
    constraints: Constraints,
    k: int,
    *,
    seed: int,
    class_mass: bool = False,
    tol: float = 1e-8,
) -> Outcome:
    """The class of largest harmonic function: 1 on its labelled nodes, 0 on others, L f = 0.

    With `class_mass`, functions are scaled so that their sums over the unlabelled nodes are as
    the shares of the labels (class mass normalisation). Nodes that no label reaches join the
    class with most labels.
    """
    W = as_graph(adjacency).to_scipy()
    classes = known_classes(constraints, W.shape[0], "the harmonic function")
    ids, column, counts = np.unique(classes[classes >= 0], return_inverse=True, return_counts=True)
    Y = np.eye(len(ids))[column]
    F, nodes, iterations = harmonic_functions(W, classes >= 0, Y, tol=tol)
    if class_mass and len(nodes):
        F = F * (counts / counts.sum()) / F.sum(axis=0)
    labels = np.where(classes >= 0, classes, ids[counts.argmax()])
    labels[nodes] = ids[F.argmax(axis=1)]
    unreached = int((classes < 0).sum()) - len(nodes)
    return Outcome(labels, {"iterations": iterations, "unreached": unreached})


def harmonic_functions(
    W: sp.csr_array, known: BoolArray, Y: FloatArray, *, tol: float = 1e-8
) -> tuple[FloatArray, IntArray, int]:
    """f with L f = 0 off the nodes of the mask `known` and f = Y on them; where; and iterations.

    Rows belong to the nodes that are not known but joined to some that are.
    """
    _, component = connected_components(W, directed=False)
    reached = np.isin(component, component[known])
    nodes, given = np.flatnonzero(reached & ~known), np.flatnonzero(known)
    if len(nodes) == 0:
        return np.zeros((0, Y.shape[1])), nodes, 0
    rows = W[nodes]
    L = sp.diags_array(np.asarray(rows.sum(axis=1))) - rows[:, nodes]
    solution = build_sdd(L).solve_with_history(rows[:, given] @ Y, tol=tol)
    return solution.x, nodes, solution.iterations
