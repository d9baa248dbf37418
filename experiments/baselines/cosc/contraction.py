"""Groups of nodes as vertices: must-links hold for ever, and two colours where there are two sides.

Rangapuram and Hein: Constrained 1-Spectral Clustering. AISTATS 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components

from fastge.graph import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Instance:
    """A graph with vertex weights b, and cannot-links between its vertices, each once."""

    adjacency: sp.csr_array
    b: FloatArray
    cannot_link: IntArray

    @property
    def n(self) -> int:
        return len(self.b)

    @property
    def volume(self) -> float:
        return float(self.b.sum())

    def violated(self, labels: IntArray) -> int:
        """Number of cannot-links inside the clusters."""
        i, j = self.cannot_link.T
        return int((labels[i] == labels[j]).sum())

    def among(self, vertices: IntArray) -> Instance:
        """The part on the sorted vertices; they keep their weights b."""
        position = np.full(self.n, -1, dtype=np.int64)
        position[vertices] = np.arange(len(vertices))
        links = position[self.cannot_link]
        return Instance(
            self.adjacency[vertices][:, vertices],
            self.b[vertices],
            links[(links >= 0).all(axis=1)],
        )


def contracted(instance: Instance, group: IntArray) -> Instance:
    """One vertex per group 0, 1, …: weights add up, what is inside a group is dropped."""
    m = int(group.max()) + 1
    edges = instance.adjacency.tocoo()
    i, j = group[edges.row], group[edges.col]
    across = i != j
    adjacency = sp.coo_array((edges.data[across], (i[across], j[across])), shape=(m, m)).tocsr()
    links = np.sort(group[instance.cannot_link], axis=1)
    links = np.unique(links[links[:, 0] != links[:, 1]], axis=0)
    b = np.bincount(group, weights=instance.b, minlength=m)
    return Instance(adjacency, b, links.astype(np.int64).reshape(-1, 2))


def must_link_groups(n: int, must_link: IntArray) -> IntArray:
    """The group of every node under chains of must-links."""
    return _components(n, must_link)[1]


def two_coloured_groups(instance: Instance) -> tuple[IntArray, int]:
    """Groups that two sides without a violated cannot-link keep whole; and how many must fail.

    They are the two colours of each component of cannot-links. A component with an odd cycle has
    no colours: its vertices stay apart, and at least one of its cannot-links fails.
    """
    component, colour = colours(instance)
    group = 2 * component + (colour > 0)
    odd = colour == 0
    group[odd] = 2 * instance.n + np.flatnonzero(odd)
    return np.unique(group, return_inverse=True)[1], len(np.unique(component[odd]))


def colours(instance: Instance) -> tuple[IntArray, IntArray]:
    """Each vertex's component of cannot-links, and its colour −1 or 1: 0 beside an odd cycle."""
    links = instance.cannot_link
    count, component = _components(instance.n, links)
    colour = 1 - 2 * _parities(instance.n, links, component)
    i, j = links.T
    odd = np.zeros(count, dtype=bool)
    odd[component[i[colour[i] == colour[j]]]] = True
    return component, np.where(odd[component], 0, colour)


def _parities(n: int, links: IntArray, component: IntArray) -> IntArray:
    """Parity of every vertex's depth in a breadth-first tree of its component of links."""
    # One search for all: a further vertex is linked to the first of each component.
    first = np.unique(component, return_index=True)[1]
    ends = np.concatenate([links, np.column_stack([np.full(len(first), n), first])])
    order, parent = breadth_first_order(_pattern(n + 1, ends), n, directed=False)
    parity = np.zeros(n + 1, dtype=np.int64)
    for v in order[1:].tolist():
        parity[v] = 1 - parity[parent[v]]
    return parity[:n]


def _components(n: int, links: IntArray) -> tuple[int, IntArray]:
    count, ids = connected_components(_pattern(n, links), directed=False)
    return int(count), ids


def _pattern(n: int, ends: IntArray) -> sp.csr_array:
    return sp.coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()
