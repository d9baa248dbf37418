"""What every generator returns: a graph, its true clusters, where its nodes lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from fastge.constraints import Constraints
from fastge.graph import FloatArray, IntArray

Seed: TypeAlias = int | np.random.Generator

FAST_GE = (
    "Cucuringu, Koutis, Chawla, Miller, Peng: Scalable Constrained Clustering: "
    "A Generalized Spectral Method. AISTATS 2016"
)
PLANTED_PARTITION = (
    "Condon, Karp: Algorithms for Graph Partitioning on the Planted Partition Model. "
    "Random Structures & Algorithms 18 (2), 2001"
)
SYNTHETIC = "Synthetic data of the fastge package"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A graph, its true clusters, and where its nodes lie."""

    name: str
    adjacency: sp.csr_array
    truth: IntArray
    k: int
    seed: int
    citation: str
    points: FloatArray | None = None
    """(n, 2) positions of the nodes, where they are points."""
    shape: tuple[int, int] | None = None
    """Rows and columns, where the nodes are the pixels of a grid in reading order."""
    constraints: Constraints | None = None
    """The constraints that belong to the data, where some do."""

    @property
    def n(self) -> int:
        return len(self.truth)
