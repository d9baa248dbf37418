"""One image, many strokes: everything that does not depend on the scribbles is kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from fastge.algorithm import cluster
from fastge.constraints import Constraints
from fastge.errors import ClusterCountError, ConstraintError, FastgeError
from fastge.graph import FloatArray, Graph, IntArray
from fastge.image.colour import Colour, read_pixels
from fastge.image.graph import FLOOR, pixel_graph
from fastge.image.scribbles import MOST_CLASSES, Scribbles, read_scribbles
from fastge.image.segmentation import Segmentation

PREVIEW_PIXELS = 40_000


class CancelledError(FastgeError):
    """The caller has lost interest in the answer."""


class Segmenter:
    """Segments one image again and again as scribbles change."""

    def __init__(
        self,
        image: Any,
        *,
        mask: Any = None,
        radius: float = 1.5,
        colour: Colour = "auto",
        scale: float | None = None,
        floor: float = FLOOR,
        volume: bool = False,
        seed: int = 0,
    ) -> None:
        self.image, self.mask, self.seed = image, mask, seed
        self._options: dict[str, Any] = {"radius": radius, "scale": scale, "floor": floor}
        self._read: dict[str, Any] = {"colour": colour, "volume": volume}
        self.pixels = read_pixels(image, mask, **self._read)
        self.shape = self.pixels.shape

    @cached_property
    def graph(self) -> Graph:
        return pixel_graph(self.pixels, **self._options)

    def update(
        self,
        scribbles: Any,
        k: int | None = None,
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> Segmentation:
        """The segmentation under these scribbles, which replace all earlier ones.

        `cancelled` is asked now and then; once it returns true, `CancelledError` is raised.
        """
        known = None if scribbles is None else read_scribbles(scribbles, self.shape)
        k = _count(known, k, int(self.pixels.inside.sum()))
        inside = self.pixels.inside.ravel()
        constraints = None
        if known is not None and (known.labels.ravel()[inside] >= 0).any():
            constraints = Constraints.from_labels(known.labels.ravel()[inside])

        def check(_: Any) -> None:
            if cancelled is not None and cancelled():
                raise CancelledError

        result = cluster(self.graph, constraints, k, seed=self.seed, tol=1e-2, callback=check)
        labels = np.full(self.shape, -1, dtype=np.int64)
        labels[self.pixels.inside] = result.labels
        ids = np.unique(result.labels)
        membership = np.zeros((*self.shape, len(ids)), dtype=np.float32)
        membership[self.pixels.inside] = _membership(result.embedding, result.labels, ids)
        maps = np.zeros((*self.shape, result.eigenvectors.shape[1]), dtype=np.float32)
        maps[self.pixels.inside] = result.eigenvectors
        return Segmentation(
            labels,
            membership,
            ids,
            maps,
            result.eigenvalues,
            result.converged,
            result.report,
            result.timings,
            self.image,
            known,
        )

    def preview(self, scribbles: Any, k: int | None = None) -> Segmentation:
        """A first answer, at once, from a smaller image."""
        return self.update(scribbles, k)


def segment(
    image: Any,
    scribbles: Any = None,
    k: int | None = None,
    *,
    mask: Any = None,
    radius: float = 1.5,
    colour: Colour = "auto",
    scale: float | None = None,
    floor: float = FLOOR,
    volume: bool = False,
    seed: int = 0,
) -> Segmentation:
    """The k regions of an image that scribbles hint at.

    Without k there are as many as classes were painted; with more, the rest is discovered.
    Scribbles are described at `read_scribbles`, the other options at `image_graph`.
    """
    segmenter = Segmenter(
        image,
        mask=mask,
        radius=radius,
        colour=colour,
        scale=scale,
        floor=floor,
        volume=volume,
        seed=seed,
    )
    return segmenter.update(scribbles, k)


def _count(scribbles: Scribbles | None, k: int | None, n: int) -> int:
    painted = 0 if scribbles is None else len(scribbles.classes)
    if k is None:
        if painted == 0:
            raise ConstraintError("there are no scribbles and no k; paint some, or say how many")
        if painted == 1:
            raise ConstraintError("the scribbles have one class; paint a second one, or pass k = 2")
        k = painted
    if k < max(painted, 2):
        raise ClusterCountError(f"k = {k} is below the {painted} classes that are painted")
    if k > min(n, MOST_CLASSES):
        raise ClusterCountError(f"k = {k} is too many for {n} pixels (at most {MOST_CLASSES})")
    return k


def _membership(rows: FloatArray, labels: IntArray, ids: IntArray) -> FloatArray:
    """Softmax of the cosine between a pixel's row and each class's mean direction."""
    means = np.stack([rows[labels == i].mean(axis=0) for i in ids])
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-300)
    soft = np.exp(8 * (rows @ means.T - 1))
    return np.asarray(soft / soft.sum(axis=1, keepdims=True), dtype=np.float32)
