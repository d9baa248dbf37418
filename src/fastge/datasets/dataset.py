"""What every generator returns: a graph, its true clusters, where its nodes lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from fastge.constraints import Constraints
from fastge.graph import FloatArray, IntArray

Seed: TypeAlias = int | np.random.Generator
ByteArray: TypeAlias = np.ndarray[Any, np.dtype[np.uint8]]

FAST_GE = (
    "Cucuringu, Koutis, Chawla, Miller, Peng: Scalable Constrained Clustering: "
    "A Generalized Spectral Method. AISTATS 2016"
)
PLANTED_PARTITION = (
    "Condon, Karp: Algorithms for Graph Partitioning on the Planted Partition Model. "
    "Random Structures & Algorithms 18 (2), 2001"
)
DEGREE_CORRECTED = (
    "Karrer, Newman: Stochastic Blockmodels and Community Structure in Networks. "
    "Physical Review E 83, 016107, 2011"
)
FACEBOOK = "Traud, Mucha, Porter: Social Structure of Facebook Networks. Physica A 391 (16), 2012"
SYNTHETIC = "Synthetic data of the fastge package"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A graph, its true clusters, and where its nodes lie."""

    name: str
    adjacency: sp.csr_array
    truth: IntArray
    """The true cluster of every node, −1 where it is unknown."""
    k: int
    seed: int | None
    """None for data that were observed, not drawn."""
    citation: str
    points: FloatArray | None = None
    """(n, 2) positions of the nodes, where they are points."""
    shape: tuple[int, int] | None = None
    """Rows and columns, where the nodes are the pixels of a grid in reading order."""
    constraints: Constraints | None = None
    """The constraints that belong to the data, where some do."""
    image: ByteArray | None = None
    """Rows × columns of grey values, or of red, green and blue, where there is a picture."""
    licence: str | None = None
    """What the picture may be used for."""

    @property
    def n(self) -> int:
        return len(self.truth)

    @property
    def sizes(self) -> IntArray:
        """Number of nodes in each true cluster."""
        return np.bincount(self.truth[self.truth >= 0], minlength=self.k)

    @property
    def n_edges(self) -> int:
        return self.adjacency.nnz // 2
