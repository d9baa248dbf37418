"""Classes refined by a block model of the graph, whose only figures are learnt from it.

Edges lie p times as often inside classes, and q times as often between them, as degrees alone
would put them there. Given beliefs Q (rows add up to 1) and D = Qᵀ d, node i has the evidence

    h_ic = log π_c + s (log(p / q) (A Q)_ic − (p − q) d_i D_c / vol)

for class c, with s = Σ w / Σ w², so that weights count as edges, and π from the labels. A round
asks all nodes at once and takes the mean of old beliefs and new ones. Constraints are soft: a label
counts as edges to its class that weigh as much as all edges of the node, and the pairs of a node
count together as half of them.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from fastge.constraints import Constraints
from fastge.graph import BoolArray, FloatArray, Graph, IntArray
from fastge.pairs import Labels

logger = logging.getLogger("fastge")

ROUNDS = 30
SETTLED = 0.01
"""Share of nodes that change class in a round below which it was the last one."""
LABEL = 1.0
"""Weight of a label as a share of the degree of its node."""
PAIRS = 0.5
"""Weight of all pairs of a node as a share of its degree."""
DEVIATIONS = 2.0
"""Standard deviations by which neighbours must have become worse at telling constraints."""


@dataclass(frozen=True, eq=False)
class Refined:
    """Classes of all nodes, and how well neighbours alone tell those that are known."""

    classes: IntArray
    told: BoolArray
    """For each label, then each pair: whether it is what the neighbours of its nodes say."""
    rounds: int


@dataclass(frozen=True, eq=False)
class _Known:
    """Labels with their columns among the classes, and pairs (+ must-link, − cannot-link)."""

    labels: Labels
    columns: IntArray
    ends: IntArray
    together: BoolArray
    pull: sp.csr_array
    """Row i: the signed confidences of the pairs of node i, divided by how many there are."""

    @classmethod
    def of(cls, constraints: Constraints, ids: IntArray, n: int) -> Self:
        labels, must_link = constraints.labels, constraints.must_link
        cannot_link = constraints.cannot_link
        ends = np.concatenate([must_link.ends, cannot_link.ends])
        signed = np.concatenate([must_link.confidence, -cannot_link.confidence])
        i, j = np.concatenate([ends, ends[:, ::-1]]).T
        count = np.maximum(np.bincount(i, minlength=n), 1)
        pull = sp.coo_array((np.tile(signed, 2) / count[i], (i, j)), shape=(n, n)).tocsr()
        columns = np.searchsorted(ids, labels.classes)
        return cls(labels, columns, ends, np.arange(len(ends)) < must_link.count, pull)

    @property
    def count(self) -> int:
        return self.labels.count + len(self.ends)

    def told_by(self, free: IntArray) -> BoolArray:
        """Which labels and pairs hold in clusters that were found without looking at them."""
        i, j = self.ends.T
        of_pairs = (free[i] == free[j]) == self.together
        return np.concatenate([free[self.labels.nodes] == self.columns, of_pairs])

    def added_to(self, evidence: FloatArray, edges: FloatArray, Q: FloatArray) -> None:
        """Evidence of the constraints; `edges` is that of all edges of each node."""
        nodes = self.labels.nodes
        weights = LABEL * self.labels.confidence * edges[nodes]
        np.add.at(evidence, (nodes, self.columns), weights)
        if self.pull.nnz:
            evidence += PAIRS * edges[:, None] * (self.pull @ Q)


def refined(graph: Graph, classes: IntArray, constraints: Constraints) -> Refined:
    """The classes after rounds of asking the neighbours, until they settle.

    Where the labelled classes are not what the graph is divided by, rounds lead away from them:
    the result is that of the last round before neighbours become significantly worse at telling
    labels and pairs. Nodes without neighbours keep their class, and every class some node.
    """
    ids = np.union1d(classes, constraints.labels.classes)
    known = _Known.of(constraints, ids, graph.n)
    log_prior = _log_shares(known.columns, known.labels.confidence, len(ids))
    now, alone = np.searchsorted(ids, classes), graph.degrees == 0
    Q = np.eye(len(ids))[now]
    best: Refined | None = None
    for rounds in range(1, ROUNDS + 1):
        evidence, edge = _evidence(graph, Q, log_prior)
        if edge == 0:  # no more edges inside classes than by chance: neighbours tell nothing
            return best or Refined(classes, np.zeros(known.count, dtype=bool), 0)
        told = known.told_by(evidence.argmax(axis=1))
        if best is not None and _much_worse(told, best.told):
            logger.info("neighbours lead away from the constraints after round %d", best.rounds)
            return best
        known.added_to(evidence, edge * graph.degrees, Q)
        before, now = now, evidence.argmax(axis=1)
        now[alone] = before[alone]
        _keep_all_classes(now, evidence)
        if best is None or told.sum() >= best.told.sum():
            best = Refined(ids[now], told, rounds)
        if np.count_nonzero(now != before) <= SETTLED * graph.n:
            break
        Q += _shares(evidence)
        Q /= 2
    return Refined(ids[now], told, rounds)


def _evidence(graph: Graph, Q: FloatArray, log_prior: FloatArray) -> tuple[FloatArray, float]:
    """h of every node, and what an edge of weight 1 to a class adds to it."""
    d, volume, unit = graph.degrees, float(graph.degrees.sum()), _weight_of_one_edge(graph)
    around, masses = graph.times(Q), d @ Q
    inside, by_chance = float(np.vdot(Q, around)), float(masses @ masses) / volume
    p, q = _ties(inside, by_chance, volume, unit)
    edge = max(float(np.log(p / q)), 0.0) / unit
    around *= edge
    around += log_prior - np.outer(d, (p - q) / unit / volume * masses)
    return around, edge


def likelihood(graph: Graph, classes: IntArray) -> float:
    """log p for an edge inside a class and log q between two, the mean over all edges."""
    ids, columns = np.unique(classes, return_inverse=True)
    Q, volume = np.eye(len(ids))[columns], float(graph.degrees.sum())
    masses, unit = graph.degrees @ Q, _weight_of_one_edge(graph)
    inside, by_chance = float(np.vdot(Q, graph.times(Q))), float(masses @ masses) / volume
    p, q = _ties(inside, by_chance, volume, unit)
    return float(inside * np.log(p) + (volume - inside) * np.log(q)) / volume


def _ties(inside: float, by_chance: float, volume: float, unit: float) -> tuple[float, float]:
    """p and q, with one edge more than there is inside classes and between them."""
    p = (inside + unit) / (by_chance + unit)
    return p, (volume - inside + unit) / (volume - by_chance + unit)


def witnesses(graph: Graph) -> float:
    """Mean number of neighbours whose word counts: mean degree in units of one edge."""
    return float(graph.degrees.mean()) / _weight_of_one_edge(graph)


def _weight_of_one_edge(graph: Graph) -> float:
    """1 / s = Σ w² / Σ w"""
    largest = float(graph.weights.max())
    weights = graph.weights / largest
    return largest * float(weights @ weights) / float(weights.sum())


def _log_shares(columns: IntArray, confidence: FloatArray, n_classes: int) -> FloatArray:
    """log π, with one label more in each class than there are; discovered classes have the mean."""
    counts = np.bincount(columns, weights=confidence, minlength=n_classes)
    known = counts > 0
    counts = np.where(known, counts, counts[known].mean() if known.any() else 0.0) + 1
    return np.asarray(np.log(counts / counts.sum()))


def _keep_all_classes(classes: IntArray, evidence: FloatArray) -> None:
    """Every class without a node takes the one that needs the least persuasion."""
    sizes = np.bincount(classes, minlength=evidence.shape[1])
    for c in np.flatnonzero(sizes == 0):
        lack = np.where(sizes[classes] > 1, evidence.max(axis=1) - evidence[:, c], np.inf)
        node = int(lack.argmin())
        sizes[classes[node]] -= 1
        sizes[c] += 1
        classes[node] = c


def _shares(evidence: FloatArray) -> FloatArray:
    """exp h, divided by the sum of its row, in the place of h."""
    evidence -= evidence.max(axis=1, keepdims=True)
    np.exp(evidence, out=evidence)
    evidence /= evidence.sum(axis=1, keepdims=True)
    return evidence


def _much_worse(told: BoolArray, before: BoolArray) -> bool:
    """Whether more constraints were lost than won, beyond what chance explains."""
    lost = np.count_nonzero(before & ~told)
    won = np.count_nonzero(told & ~before)
    return bool(lost - won > DEVIATIONS * np.sqrt(lost + won))
