"""The components that a clustering is about; the others carry no information and are set aside."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

from fastge.constraints import Constraints
from fastge.graph import BoolArray, FloatArray, IntArray
from fastge.pencil import Pencil

logger = logging.getLogger("fastge")

DUST = 0.01
"""Share of the mean size of a cluster below which a component of its own is no cluster."""


@dataclass(frozen=True, eq=False)
class Relevant:
    """Nodes that take part, sorted; all of them where nothing is set aside."""

    nodes: IntArray
    n: int

    @property
    def is_everything(self) -> bool:
        return len(self.nodes) == self.n

    def expanded(self, rows: FloatArray) -> FloatArray:
        """Rows of all nodes from those that take part; zero elsewhere."""
        if self.is_everything:
            return rows
        result = np.zeros((self.n, *rows.shape[1:]), dtype=rows.dtype)
        result[self.nodes] = rows
        return result


def relevant_nodes(pencil: Pencil, constraints: Constraints, k: int) -> Relevant:
    """Components that a constraint speaks of, and the largest others as far as clusters are left.

    A component apart from everything, and from every constraint, would take an eigenvector of its
    own (λ = 0) and push out one that tells the rest apart. Where there are more components than
    clusters, those of a few nodes (the outliers of a neighbour graph, say) are no clusters.
    """
    everything = Relevant(np.arange(pencil.n), pencil.n)
    count, ids = pencil.components
    if count == 1:
        return everything
    volumes = np.bincount(ids, weights=pencil.degrees, minlength=count)
    sizes = np.bincount(ids, minlength=count)
    anchored = np.zeros(count, dtype=bool)
    anchored[ids[constraints.nodes]] = True
    dust = _dust(sizes, anchored, k)
    by_size = np.lexsort((np.arange(count), -sizes, -volumes, dust, ~anchored))
    n_classes = len(constraints.labels.class_ids)
    n_anchored = int(anchored.sum())
    others = max(0, k - n_classes) if n_classes else max(0, k + 1 - n_anchored)
    others = min(others, int((~anchored & ~dust).sum()))
    kept = max(n_anchored + others, int(np.searchsorted(np.cumsum(sizes[by_size]), k)) + 1)
    if kept >= count:
        return everything
    logger.info(
        "%d of %d components are set aside: no constraint reaches them", count - kept, count
    )
    takes_part = np.zeros(count, dtype=bool)
    takes_part[by_size[:kept]] = True
    return Relevant(np.flatnonzero(takes_part[ids]), pencil.n)


def _dust(sizes: IntArray, anchored: BoolArray, k: int) -> BoolArray:
    """Components too small for a cluster, unless most nodes lie in such: then they are the data."""
    n = int(sizes.sum())
    dust = ~anchored & (sizes * k < DUST * n) & (len(sizes) > k)
    return dust & (2 * int(sizes[dust].sum()) <= n)


def with_set_aside(relevant: Relevant, labels: IntArray, degrees: FloatArray) -> IntArray:
    """Labels of all nodes: what was set aside joins the largest cluster, the best guess."""
    if relevant.is_everything:
        return labels
    inside = labels >= 0
    ids, cluster = np.unique(labels[inside], return_inverse=True)
    volume = np.bincount(cluster, weights=degrees[relevant.nodes][inside] + 1e-300)
    result = np.full(relevant.n, ids[volume.argmax()], dtype=np.int64)
    result[relevant.nodes] = labels
    return result
