"""Classes by lazy random walks: long ones towards a class, regression on short ones.

Regression is for classes that the graph is not divided by. Two nodes are alike as far as walks
from them meet: with P = (I + D⁻¹A) / 2,

    K = D^½ P^t D^−½ − d^½ d^½ᵀ / vol

Class scores are K_·S α with (K_SS + κ I) α = Y − Ȳ on the labelled nodes S, κ the mean diagonal of
K_SS; every class is raised until it has as many nodes as its labels suggest. The regression
discounts what labelled nodes of different classes have in common, as votes of neighbours do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastge import _native
from fastge.columns import ratio
from fastge.graph import BoolArray, FloatArray, Graph, IntArray
from fastge.pairs import Labels

STEPS = 8
LONG = 64
"""Steps of the walks that lead across a whole class."""
FOLDS = 4
MAX_ITERATIONS = 30
TOLERANCE = 0.03
PSEUDO_LABELS = 4.0
"""Labels that every class is taken to have besides its own where its share is estimated."""
_BALANCING_ROUNDS, _BALANCING_STEP = 30, 0.3
_SAMPLED = 64  # diagonal entries from which their mean is taken


@dataclass(frozen=True, eq=False)
class Regression:
    """Classes of all nodes, and how well the other labels tell those that are known."""

    classes: IntArray
    told: BoolArray
    """For each label: whether regression on three quarters of the other nodes finds its class."""


def regression(graph: Graph, labels: Labels) -> Regression:
    """The class of largest score for every node, and for labels as if they were unknown."""
    kernel = _Kernel.of(graph, np.unique(labels.nodes))
    ids, column = np.unique(labels.classes, return_inverse=True)
    row = np.searchsorted(kernel.nodes, labels.nodes)
    Y = np.zeros((len(kernel.nodes), len(ids)))
    np.add.at(Y, (row, column), labels.confidence)
    trust = Y.sum(axis=1)
    Y /= trust[:, None]
    fold = _folds(Y)
    held_out = np.empty_like(Y)
    for part in range(FOLDS):
        kept = fold != part
        scores = kernel.among(kernel.weights(Y, trust, kept))
        held_out[~kept] = scores[~kept]
    everyone = np.ones(len(trust), dtype=bool)
    scores = kernel.everywhere(kernel.weights(Y, trust, everyone))
    classes = ids[_balanced(scores, Y.sum(axis=0))]
    return Regression(classes, held_out[row].argmax(axis=1) == column)


def _balanced(scores: FloatArray, counts: FloatArray) -> IntArray:
    """The class of largest score, once each class has as many nodes as its labels suggest.

    Something is added to the scores of every class until then: a few labels say too little of
    where their class ends, and the largest classes would take what lies between.
    """
    n, k = scores.shape
    wanted = (counts + PSEUDO_LABELS) / (counts + PSEUDO_LABELS).sum()
    pull, unit = np.zeros(k), _BALANCING_STEP * float(scores.std())
    for _ in range(_BALANCING_ROUNDS):
        found = np.bincount((scores + pull).argmax(axis=1), minlength=k)
        pull += unit * np.log(wanted * (n + k) / (found + 1))
    return np.asarray((scores + pull).argmax(axis=1))


def attracted(graph: Graph, classes: IntArray, labels: Labels | None = None) -> IntArray:
    """The class that a walk of 64 steps most likely ends in, if all classes were as heavy.

    A class is its labels, or all its nodes where there are none. `classes` stand where walks tell
    nothing.
    """
    everyone = Labels(np.arange(graph.n), classes, graph.degrees)
    known = everyone if labels is None else labels
    ids, nodes, weights = np.unique(classes), known.nodes, known.confidence
    column = np.searchsorted(ids, known.classes)
    d = graph.degrees[nodes]
    X = np.zeros((graph.n, len(ids)))
    np.add.at(X, (nodes, column), np.divide(weights, d, out=np.zeros_like(d), where=d > 0))
    mass = graph.degrees @ X
    X /= np.where(mass > 0, mass, 1.0)
    chances = _walked(graph, X, LONG)
    return np.where(np.ptp(chances, axis=1) > 0, ids[chances.argmax(axis=1)], classes)


def _walked(graph: Graph, X: FloatArray, steps: int) -> FloatArray:
    """P^t X; X is used up."""
    d = graph.degrees
    half = np.divide(0.5, d, out=np.zeros_like(d), where=d > 0)
    nothing, other = np.zeros_like(X), np.empty_like(X)
    for _ in range(steps):
        _native.relax(graph.indptr, graph.indices, graph.weights, half, nothing, X, other)
        X, other = other, X
    return X


def _folds(Y: FloatArray) -> IntArray:
    """Parts 0 … of the rows, equally many of every class in each as far as possible."""
    order = np.argsort(Y.argmax(axis=1), kind="stable")
    fold = np.empty(len(Y), dtype=np.int64)
    fold[order] = np.arange(len(Y)) % FOLDS
    return fold


@dataclass(frozen=True, eq=False)
class _Kernel:
    graph: Graph
    nodes: IntArray
    """S, sorted."""
    roots: FloatArray
    """d^½"""
    mean_diagonal: float

    @classmethod
    def of(cls, graph: Graph, nodes: IntArray) -> _Kernel:
        kernel = cls(graph, nodes, np.sqrt(graph.degrees), 1.0)
        some = np.unique(np.linspace(0, len(nodes) - 1, _SAMPLED).astype(np.int64))
        columns = np.zeros((len(nodes), len(some)))
        columns[some, np.arange(len(some))] = 1
        diagonal = kernel.among(columns)[some, np.arange(len(some))]
        return cls(graph, nodes, kernel.roots, max(float(diagonal.mean()), 1e-300))

    def everywhere(self, weights: FloatArray) -> FloatArray:
        """K_·S times weights"""
        d, roots = self.graph.degrees, self.roots
        X = np.zeros((self.graph.n, weights.shape[1]))
        inverse = np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)
        X[self.nodes] = inverse[self.nodes, None] * weights
        X -= (d @ X) / d.sum()
        return _walked(self.graph, X, STEPS) * roots[:, None]

    def among(self, weights: FloatArray) -> FloatArray:
        """K_SS times weights"""
        return self.everywhere(weights)[self.nodes]

    def weights(self, Y: FloatArray, trust: FloatArray, kept: BoolArray) -> FloatArray:
        """α for the rows that are kept, zero for the others: conjugate gradients."""
        ridge = self.mean_diagonal / trust[:, None]
        R = np.where(kept[:, None], Y - np.average(Y[kept], axis=0, weights=trust[kept]), 0.0)
        alpha, direction = np.zeros_like(R), R.copy()
        size = (R * R).sum(axis=0)
        target = TOLERANCE**2 * size
        for _ in range(MAX_ITERATIONS):
            if (size <= target).all():
                break
            image = np.where(kept[:, None], self.among(direction) + ridge * direction, 0.0)
            step = ratio(size, (direction * image).sum(axis=0))
            alpha += step * direction
            R -= step * image
            before, size = size, (R * R).sum(axis=0)
            direction = R + ratio(size, before) * direction
        return alpha
