"""The class of every node, from a first guess, the data graph and constraints.

Two views compete: that classes are what the graph is divided by (`blockmodel`), and that they are
one of several things that shape it (`walks`). The second is asked only where the first fails to
tell many of the labels that are known.
"""

from __future__ import annotations

import logging

import numpy as np

from fastge.blockmodel import Refined, likelihood, refined, witnesses
from fastge.constraints import Constraints
from fastge.graph import Graph, IntArray
from fastge.walks import attracted, regression

logger = logging.getLogger("fastge")

CLEAR = 0.75
"""Share of labels told by neighbours from which the graph is divided by the classes."""
FEWEST_WITNESSES = 8.0
"""Mean number of neighbours up to which they are not asked: in lattices of pixels, meshes, roads
and trees the few neighbours of a node see no more than it does, and heed noise (decision 0004)."""
REPEATS = 3
"""How often walks may start anew from all nodes of the classes found."""


def classified(graph: Graph, start: IntArray, constraints: Constraints) -> IntArray:
    """The classes that refine `start`, or those of a regression where it tells more labels.

    Where neighbours are few, `start` stays. Regression knows labelled classes only: it discovers
    no others.
    """
    if graph.n_edges == 0 or witnesses(graph) <= FEWEST_WITNESSES:
        return start
    labels, first = constraints.labels, refined(graph, start, constraints)
    blocks, told = _improved(graph, first, constraints), first.told[: labels.count]
    if len(labels.class_ids) < 2 or told.mean() >= CLEAR:
        return blocks.classes
    walks = regression(graph, labels)
    logger.info(
        "labels told by neighbours: %.0f %%, by the other labels: %.0f %%",
        100 * told.mean(),
        100 * walks.told.mean(),
    )
    return walks.classes if walks.told.sum() > told.sum() else blocks.classes


def _improved(graph: Graph, best: Refined, constraints: Constraints) -> Refined:
    """The best of several starts, unless the first one settled at once.

    Rounds move a class only as far as its neighbours; a start that lies beyond needs walks. Those
    from labels know no discovered classes and are left out where there are some.
    """
    if best.rounds <= 1:
        return best
    merit, labels = _merit(graph, best), constraints.labels
    starts = [labels] if np.array_equal(np.unique(best.classes), labels.class_ids) else []
    for source in (*starts, *[None] * REPEATS):
        other = refined(graph, attracted(graph, best.classes, source), constraints)
        if (other_merit := _merit(graph, other)) > merit:
            best, merit = other, other_merit
        elif source is None:
            break
    return best


def _merit(graph: Graph, found: Refined) -> tuple[int, float]:
    """Constraints that neighbours tell, and, of as many, how likely the edges are."""
    return int(found.told.sum()), likelihood(graph, found.classes)
