"""What is clustered: the input, checked and merged, and the part of it that is solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fastge.classification import classified
from fastge.constraints import Constraints
from fastge.eigensolver import Eigenpairs
from fastge.embedding import Embedding
from fastge.errors import ClusterCountError, GraphError
from fastge.graph import FloatArray, Graph, IntArray, as_graph
from fastge.groups import labels_of_groups
from fastge.merging import MergeRule, check_constraints, merge
from fastge.partition import kmeans, labelled_directions
from fastge.pencil import Pencil
from fastge.relevance import Relevant, relevant_nodes
from fastge.sweep import refine


@dataclass(frozen=True, eq=False)
class Task:
    """The input, and the part of it that is solved: all, or what is left when strays are aside."""

    whole: Pencil
    told: Constraints
    k: int
    relevant: Relevant
    pencil: Pencil
    """The pencil of the relevant nodes."""
    constraints: Constraints
    """Those among the relevant nodes."""
    graph: Graph | None
    """The data among the relevant nodes; None where a pencil is all that is known."""

    @classmethod
    def of(cls, data: Any, constraints: Constraints | None, k: int, rule: MergeRule) -> Task:
        graph = None if isinstance(data, Pencil) else as_graph(data)
        n = data.n if graph is None else graph.n
        told = check_constraints(constraints, n)
        _check_k(k, n)
        if graph is None:
            return cls(data, told, k, Relevant(np.arange(n), n), data, told, None)
        if graph.n_edges == 0 and told.is_empty:
            raise GraphError(
                "the graph has no edges and there are no constraints: nothing tells nodes apart"
            )
        whole = merge(graph, told, rule=rule)
        relevant = relevant_nodes(whole, told, k)
        if relevant.is_everything:
            return cls(whole, told, k, relevant, whole, told, graph)
        among = told.among(relevant.nodes, n)
        part = graph.subgraph(relevant.nodes)
        pencil = merge(part, among, rule=rule)
        return cls(whole, told, k, relevant, pencil, among, part)

    @property
    def notes(self) -> tuple[str, ...]:
        aside = self.relevant.n - len(self.relevant.nodes)
        if aside == 0:
            return ()
        return (
            f"{aside} nodes lie in components that no constraint reaches; "
            "they were put into the largest cluster",
        )

    def chosen(self, pairs: Eigenpairs) -> FloatArray:
        """The vectors to embed by: where components alone make k clusters, nothing but them."""
        n_zero = int((pairs.values == 0).sum())
        enough = self.constraints.is_empty and n_zero >= self.k - 1
        return pairs.vectors[:, :n_zero] if enough else pairs.vectors

    def _known(self) -> Constraints:
        """The constraints; pairs that say what labels would are taken for labels."""
        told = self.constraints
        groups = labels_of_groups(told.must_link, told.cannot_link, self.k)
        return told if groups is None or told.labels.count else Constraints.of_labels(groups)

    def partition(self, points: Embedding, seed: int, trim: bool) -> IntArray:
        """Clusters of the embedded nodes, and of the data graph around them."""
        k, known = self.k, self._known()
        if known.labels.count:
            # k directions around a centre span k − 1 dimensions. The k-th vector tells no classes
            # apart, and the mean of a few labelled rows does not average its noise away.
            labels = labelled_directions(points.leading(k - 1), known.labels, k, seed=seed)
        else:
            labels = kmeans(points.rows, k, seed=seed)
        if self.graph is not None and not known.is_empty and len(known.labels.class_ids) <= k:
            labels = classified(self.graph, labels, known)
        return refine(self.pencil, points.lengths, labels) if trim else labels


def _check_k(k: Any, n: int) -> None:
    if not isinstance(k, int | np.integer) or isinstance(k, bool):
        raise ClusterCountError(f"k = {k!r} is no number of clusters; pass an integer")
    if n < 2:
        raise ClusterCountError(
            f"a graph of one node cannot be divided into {k} clusters; pass more nodes"
        )
    if not 2 <= k <= n:
        raise ClusterCountError(f"k = {k} clusters cannot be made of {n} nodes; choose 2 ≤ k ≤ {n}")
