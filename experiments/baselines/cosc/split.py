"""One cluster in two: the step of COSC's recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from baselines.cosc.contraction import Instance
from baselines.cosc.functional import Functional
from baselines.cosc.ratio_dca import RatioDCA
from baselines.cosc.starts import power_iterate
from fastge.graph import BoolArray, FloatArray, IntArray

_GAMMA_STEP = 0.1
_MOST_GAMMAS = 5
_SAME_CUT = 1e-8


@dataclass(frozen=True, eq=False)
class Split:
    """The parts of a cluster, the cut / vol of each in the whole graph, and how they were found."""

    parts: tuple[IntArray, IntArray]
    cuts: tuple[float, float]
    kept: int
    """Cannot-links between the parts"""
    gamma: float
    functional: float


@dataclass(frozen=True, eq=False)
class _Candidate:
    side: BoolArray
    gamma: float
    value: float
    eligible: bool
    """Found at the first γ that violates few enough cannot-links"""


@dataclass(eq=False)
class Splitter:
    """Splits clusters of one instance, of which there are to be k."""

    instance: Instance
    k: int
    starts: int
    descent: RatioDCA

    def __post_init__(self) -> None:
        self.degrees = self.instance.adjacency.sum(axis=1)

    def expected_clusters(self, size: int) -> int:
        """How many of the k clusters a cluster of that size would hold, at least two."""
        return max(2, size * self.k // self.instance.n)

    def __call__(self, vertices: IntArray) -> Split:
        part = self.instance.among(vertices)
        candidates = [*self._descents(part), *self._component_candidates(part)]
        pool = [c for c in candidates if c.eligible] or candidates
        cuts = [self._cuts(part, vertices, c.side) for c in pool]
        at = int(np.argmin([sum(pair) for pair in cuts]))
        best = pool[at]
        return Split(
            (vertices[~best.side], vertices[best.side]),
            cuts[at],
            len(part.cannot_link) - part.violated(best.side),
            best.gamma,
            best.value,
        )

    def _descents(self, part: Instance) -> list[_Candidate]:
        """What all starts lead to at the first sufficient γ; at all γ if none is sufficient."""
        if part.n == 2:
            return [self._plain(part, np.array([False, True]))]
        found: list[_Candidate] = []
        ends = self._starts(part)
        gamma, step, last = 0.0, _GAMMA_STEP, np.inf
        for _ in range(_MOST_GAMMAS):
            functional = Functional(part, gamma)
            ends = [self.descent(functional, f) for f in ends]
            cuts = [functional.best_threshold(f) for f in ends]
            side, _ = min(cuts, key=lambda cut: cut[1])
            enough = part.violated(side) <= self._allowed(part)
            tried = [_Candidate(side, gamma, value, enough) for side, value in cuts]
            if enough:
                return tried
            found += tried
            cut = Functional(part, 0.0)(side.astype(float))
            step *= 2 if abs(cut - last) < _SAME_CUT else 1
            gamma, last = gamma + step, cut
        return found

    def _allowed(self, part: Instance) -> int:
        """Cannot-links that a split may leave to later ones."""
        expected = self.expected_clusters(part.n)
        return (expected - 2) * len(part.cannot_link) // expected

    def _starts(self, part: Instance) -> list[FloatArray]:
        rng = self.descent.rng
        noise = [rng.standard_normal(part.n) for _ in range(self.starts - 1)]
        return [power_iterate(part, rng), *noise]

    def _component_candidates(self, part: Instance) -> Iterator[_Candidate]:
        """Every component against the rest, and its own splits with the rest on either side."""
        count, component = connected_components(part.adjacency, directed=False)
        for c in range(count) if count > 1 and part.n > 2 else ():
            inside = component == c
            yield self._plain(part, inside)
            piece = part.among(np.flatnonzero(inside))
            for half in self._descents(piece) if piece.n > 1 else ():
                for rest in (False, True):
                    side = np.full(part.n, rest)
                    side[inside] = half.side
                    yield self._plain(part, side)

    def _plain(self, part: Instance, side: BoolArray) -> _Candidate:
        enough = part.violated(side) <= self._allowed(part)
        return _Candidate(side, 0.0, Functional(part, 0.0)(side.astype(float)), enough)

    def _cuts(self, part: Instance, vertices: IntArray, side: BoolArray) -> tuple[float, float]:
        """cut / vol of both sides, edges to the rest of the graph included."""
        between = float((part.adjacency @ side)[~side].sum())
        outwards = self.degrees[vertices] - part.adjacency.sum(axis=1)
        first, second = (
            (between + float(outwards[half].sum())) / float(part.b[half].sum())
            for half in (~side, side)
        )
        return first, second
