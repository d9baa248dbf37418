"""One resolution of an image, and all that does not depend on scribbles there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from fastge.graph import FloatArray, Graph, IntArray
from fastge.image.blocks import Blocks, smoothed
from fastge.image.colour import Pixels
from fastge.image.graph import Affinity, node_numbers, pixel_graph
from fastge.image.likeness import Features
from fastge.image.potentials import Potentials, Ties, potentials

REACH = 30.0
"""A pixel without scribbles is tied to the classes it resembles by this / n of its degree: walks
end after they have spread over one part in so many of the image."""
HOLD = 2.0
"""Tie of a painted pixel to its class, in degrees: the class keeps at least two thirds of it."""


class Level:
    """Means of blocks of pixels, their graph and features, each made when asked for."""

    def __init__(self, whole: Pixels, blocks: Blocks, affinity: Affinity) -> None:
        self.blocks, self.affinity = blocks, affinity
        self.pixels = blocks.means(whole)
        self._whole = whole

    def built(self) -> Level:
        """The level, with all that takes long made."""
        _ = self.ties, self.features
        return self

    @property
    def n(self) -> int:
        return self.graph.n

    @cached_property
    def number(self) -> IntArray:
        """Node of every block in reading order, −1 for none."""
        return node_numbers(self.pixels)

    @cached_property
    def smooth(self) -> Pixels:
        """The blocks less their noise."""
        return smoothed(self.pixels)

    @cached_property
    def graph(self) -> Graph:
        return pixel_graph(self.smooth, self.affinity)

    @cached_property
    def ties(self) -> FloatArray:
        """How strongly each node is tied to the classes altogether, scribbles aside."""
        floor = np.finfo(np.float32).tiny  # a pixel without neighbours has likeness alone
        return np.asarray(np.maximum(self.graph.degrees, floor) * (REACH / max(self.n, REACH)))

    @cached_property
    def features(self) -> Features:
        inside = np.flatnonzero(self.pixels.inside)
        return Features.of(self.smooth.seen, inside, self.pixels.shape)

    def nodes(self, places: IntArray) -> IntArray:
        """Nodes of pixels of the whole image, given by their places in reading order."""
        return self.number[self.blocks.of_pixels(places)]

    def pixels_of(self, nodes: IntArray) -> IntArray:
        """For every node a pixel of its block that takes part."""
        inside = np.flatnonzero(self._whole.inside)
        some = np.empty(self.n, dtype=np.int64)
        some[self.nodes(inside)] = inside
        return some[nodes]

    def as_blocks(self, rows: FloatArray) -> FloatArray:
        """Rows of nodes laid out as the blocks, 0 where there is no node."""
        laid_out = np.zeros((self.number.size, rows.shape[1]), dtype=rows.dtype)
        laid_out[self.number >= 0] = rows
        return laid_out.reshape(*self.pixels.shape, -1)

    def solve(
        self,
        places: IntArray,
        classes: IntArray,
        k: int,
        start: FloatArray | None = None,
        check: Callable[[], None] | None = None,
    ) -> tuple[Potentials, Ties]:
        """Potentials of classes 0 … k−1, each painted on some pixels that take part."""
        nodes, there = self._held(self.nodes(places), classes, k)
        samples = [self.features.samples(nodes[there[:, c] > 0]) for c in range(k)]
        everywhere = self.features.likeness(samples)
        everywhere *= self.ties[:, None].astype(np.float32)
        ties = Ties(everywhere, nodes, there)
        return potentials(self.graph, ties, start, check=check), ties

    def _held(self, nodes: IntArray, classes: IntArray, k: int) -> tuple[IntArray, FloatArray]:
        """The painted nodes, and how strongly each is tied to the classes painted on it."""
        pairs, counts = np.unique(nodes.astype(np.int64) * k + classes, return_counts=True)
        painted, row = np.unique(pairs // k, return_inverse=True)
        shares = np.zeros((len(painted), k))
        shares[row, pairs % k] = counts
        shares /= shares.sum(axis=1, keepdims=True)
        hold = HOLD * np.maximum(self.graph.degrees[painted], np.finfo(np.float32).tiny)
        return painted, shares * hold[:, None]
