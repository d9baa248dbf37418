"""Random small graphs, constraints and clusterings for property tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from fastge import merging as rules
from fastge.constraints import Constraints
from fastge.graph import FloatArray, IntArray
from fastge.merging import MergeRule, merge
from fastge.pencil import Pencil, Weighting

# Time limits on single examples fail on busy machines.
settings.register_profile("fastge", deadline=None)
settings.load_profile("fastge")

RULES: tuple[MergeRule, ...] = (
    rules.robust,
    rules.scaled,
    rules.paper,
    rules.median,
    rules.released,
)


@dataclass(frozen=True)
class Problem:
    """A graph, constraints on it and the rule that merges them."""

    adjacency: FloatArray
    constraints: Constraints
    rule: MergeRule

    @property
    def n(self) -> int:
        return len(self.adjacency)

    @property
    def pencil(self) -> Pencil:
        return merge(self.adjacency, self.constraints, rule=self.rule)

    @property
    def weighting(self) -> Weighting:
        weighting = self.pencil.weighting
        assert weighting is not None
        return weighting


def _rng(draw: st.DrawFn) -> np.random.Generator:
    return np.random.default_rng(draw(st.integers(0, 2**32 - 1)))


@st.composite
def adjacencies(
    draw: st.DrawFn,
    *,
    min_nodes: int = 2,
    max_nodes: int = 14,
    decades: float | None = None,
    connected: bool = False,
) -> FloatArray:
    """Dense adjacency; weights are 1 or spread over the decades, often disconnected."""
    n = draw(st.integers(min_nodes, max_nodes))
    density = draw(st.sampled_from([0.1, 0.3, 0.7, 1.0]))
    spread = draw(st.sampled_from([0.0, 2.0, 12.0])) if decades is None else decades
    rng = _rng(draw)
    present = rng.random((n, n)) < density
    if connected:
        present[np.arange(n - 1), np.arange(1, n)] = True
    upper = np.triu(present * 10.0 ** rng.uniform(-spread / 2, spread / 2, (n, n)), 1)
    return upper + upper.T


@st.composite
def constraint_sets(draw: st.DrawFn, n: int) -> Constraints:
    """Pairs, labels, both or neither; they contradict each other as they like."""
    rng = _rng(draw)
    graded = draw(st.booleans())
    result = Constraints()
    if draw(st.booleans()) and n > 1:
        result &= _pairs(rng, n, int(rng.integers(0, 6)), int(rng.integers(0, 6)), graded)
    for _ in range(draw(st.integers(0, 2))):  # two sources of labels may disagree about a node
        result &= _labels(rng, n, draw(st.integers(1, 4)), graded)
    return result


def _pairs(rng: np.random.Generator, n: int, must: int, cannot: int, graded: bool) -> Constraints:
    def some(count: int) -> IntArray:
        first = rng.integers(0, n, count)
        return np.column_stack([first, (first + rng.integers(1, n, count)) % n])

    return Constraints(
        some(must),
        some(cannot),
        must_link_confidence=rng.uniform(0.1, 2, must) if graded else None,
        cannot_link_confidence=rng.uniform(0.1, 2, cannot) if graded else None,
    )


def _labels(rng: np.random.Generator, n: int, n_classes: int, graded: bool) -> Constraints:
    classes = rng.integers(0, n_classes, n) * 3  # ids need not be 0, 1, 2, …
    labels = np.where(rng.random(n) < rng.choice([0.3, 1.0]), classes, -1)
    labels[rng.integers(n)] = classes[0]
    return Constraints.from_labels(labels, confidence=rng.uniform(0.1, 2, n) if graded else None)


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    min_nodes: int = 2,
    max_nodes: int = 14,
    decades: float | None = None,
    connected: bool = False,
) -> Problem:
    adjacency = draw(
        adjacencies(min_nodes=min_nodes, max_nodes=max_nodes, decades=decades, connected=connected)
    )
    constraints = draw(constraint_sets(len(adjacency)))
    return Problem(adjacency, constraints, draw(st.sampled_from(RULES)))


@st.composite
def clusterings(draw: st.DrawFn, n: int) -> IntArray:
    """Labels of n nodes, some of them −1, ids with gaps."""
    rng = _rng(draw)
    labels = rng.integers(0, draw(st.integers(1, 4)), n) * draw(st.sampled_from([1, 5]))
    left_over = rng.random(n) < draw(st.sampled_from([0.0, 0.3]))
    return np.where(left_over, -1, labels)


@st.composite
def vectors(draw: st.DrawFn, n: int) -> FloatArray:
    """Real numbers, often with equal ones among them."""
    rng = _rng(draw)
    return rng.standard_normal(n) if draw(st.booleans()) else rng.integers(0, 3, n).astype(float)
