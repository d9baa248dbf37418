"""The class of every node, from a first guess, the data graph and labels.

Two views compete: that classes are what the graph is divided by (`blockmodel`), and that they are
one of several things that shape it (`walks`). The second is asked only where the first fails to
tell many of the labels that are known.
"""

from __future__ import annotations

import logging

from fastge.blockmodel import refined
from fastge.constraints import Constraints
from fastge.graph import Graph, IntArray
from fastge.walks import regression

logger = logging.getLogger("fastge")

CLEAR = 0.75
"""Share of labels told by neighbours from which the graph is divided by the classes."""


def classified(graph: Graph, start: IntArray, constraints: Constraints) -> IntArray:
    """The classes that refine `start`, or those of a regression where it tells more labels.

    Regression knows labelled classes only: it discovers no others."""
    if graph.n_edges == 0:
        return start
    labels, blocks = constraints.labels, refined(graph, start, constraints)
    told = blocks.told[: labels.count]
    if len(labels.class_ids) < 2 or told.mean() >= CLEAR:
        return blocks.classes
    walks = regression(graph, labels)
    logger.info(
        "labels told by neighbours: %.0f %%, by the other labels: %.0f %%",
        100 * told.mean(),
        100 * walks.told.mean(),
    )
    return walks.classes if walks.told.sum() > told.sum() else blocks.classes
