"""fastge itself as a baseline, and the paper's method with another coefficient of K."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import fastge as package
from baselines.outcome import Figure, Outcome
from fastge import Constraints
from fastge.algorithm import cluster
from fastge.embedding import embed
from fastge.graph import FloatArray, Graph
from fastge.merging import DEFAULT_RULE, MergeRule, merge, paper
from fastge.partition import kmeans
from fastge.pencil import Weighting
from fastge.spectrum import eigenpairs

CONVERGED = 1e-4
MAX_ITERATIONS = 300


@dataclass(frozen=True, eq=False)
class Embedded(Outcome):
    """Clusters, and the eigenvectors that they were read off."""

    eigenvectors: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    eigenvalues: FloatArray = field(default_factory=lambda: np.empty(0))


def fastge(adjacency: Any, constraints: Constraints, k: int, *, seed: int) -> Embedded:
    """The library with its defaults."""
    return _clustered(adjacency, constraints, k, seed, DEFAULT_RULE)


def fastge_with_coefficient(
    adjacency: Any, constraints: Constraints, k: int, *, seed: int, factor: float
) -> Embedded:
    """The library with `factor` times its own coefficient of K."""
    return _clustered(adjacency, constraints, k, seed, _times(DEFAULT_RULE, factor))


def segment(image: Any, constraints: Constraints, k: int, *, seed: int) -> Outcome:
    """The library's own way with images: its graph, its blocks, its defaults."""
    from fastge.image import segment as segmented

    scribbles = np.full(image.shape[:2], -1, dtype=np.int64)
    scribbles.ravel()[constraints.labels.nodes] = constraints.labels.classes
    found = segmented(image, scribbles, k, seed=seed)
    return Outcome(found.labels.ravel(), {"converged": found.converged})


def paper_with_coefficient(
    adjacency: Any,
    constraints: Constraints,
    k: int,
    *,
    seed: int,
    factor: float,
    vectors: int = 0,
) -> Outcome:
    """H = factor · K/n + CL, converged vectors (k of them, or so many more), k-means."""
    pencil = merge(adjacency, constraints, rule=_times(paper, factor))
    found = eigenpairs(pencil, k + vectors, tol=CONVERGED, max_iterations=MAX_ITERATIONS)
    labels = kmeans(embed(pencil, found.vectors).rows, k, seed=seed)
    return Outcome(labels, {"converged": found.converged, "iterations": found.iterations})


def _clustered(
    adjacency: Any, constraints: Constraints, k: int, seed: int, rule: MergeRule
) -> Embedded:
    found = cluster(adjacency, constraints, k, seed=seed, rule=rule)
    figures: dict[str, Figure] = {
        "version": package.__version__,
        "converged": found.converged,
        "iterations": found.n_iterations,
    }
    return Embedded(found.labels, figures, found.eigenvectors, found.eigenvalues)


def _times(rule: MergeRule, factor: float) -> MergeRule:
    def changed(graph: Graph) -> Weighting:
        weighting = rule(graph)
        return weighting.scaled(tau=factor * weighting.tau)

    return changed
