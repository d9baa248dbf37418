"""Points → clusters: k-means, and the nearest direction of a labelled class."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin_min
from threadpoolctl import threadpool_limits

from fastge.graph import FloatArray, IntArray
from fastge.pairs import Labels

logger = logging.getLogger("fastge")

RESTARTS = 20
TIE_BREAK = 1e-6
SAMPLE_SIZE = 20_000
_SAMPLES_PER_CLUSTER = 20
_LLOYD_STEPS = 100
_FINISHING_STEPS = 20  # on all rows, from centres that fit the sample already
_BLOCK_ENTRIES = 1 << 20


def kmeans(points: FloatArray, k: int, *, seed: int, restarts: int = RESTARTS) -> IntArray:
    """Clusters 0 … k−1 of least squared distance to their means, the best of several starts.

    The starts compete on a sample of at most 20 000 rows; the winner is finished on all of them.
    Every cluster has a member as long as there are k distinct points.
    """
    rng = np.random.default_rng(seed)
    sample = _sample(points, k, rng)
    with threadpool_limits(limits=1):  # sums in another order would round differently
        state = int(rng.integers(1 << 31))
        best = _fitted(sample, k, init="k-means++", n_init=restarts, random_state=state)
        if len(sample) < len(points):
            best = _finished(points, best)
    return _without_empty(points, best.labels_.astype(np.int64), k)


def labelled_directions(points: FloatArray, labels: Labels, k: int, *, seed: int) -> IntArray:
    """The class whose labelled rows have the nearest mean direction, for every node.

    The result speaks in the user's class ids. Labels are soft: a labelled node is treated as every
    other. With k above the number of classes the remaining clusters are discovered and take the
    least ids that no class has.
    """
    ids, directions = class_directions(points, labels)
    if k < len(ids):
        logger.warning(
            "%d clusters are asked for, the labels name %d classes: clusters are found by k-means "
            "and their ids are not those of the classes",
            k,
            len(ids),
        )
        return kmeans(points, k, seed=seed)
    if k > len(ids):
        found = _with_discovered(points, directions, k, seed)
        return _named_after_classes(found, labels, ids, k)
    with threadpool_limits(limits=1):
        return ids[_nearest_direction(points, directions)]


def _named_after_classes(found: IntArray, labels: Labels, ids: IntArray, k: int) -> IntArray:
    """The k clusters with the ids of the classes whose labels they hold most of, all in all.

    Centres wander: one that started from a class may end up elsewhere.
    """
    held = np.zeros((len(ids), k))
    column = np.searchsorted(ids, labels.classes)
    np.add.at(held, (column, found[labels.nodes]), labels.confidence)
    _, of_class = linear_sum_assignment(held, maximize=True)
    names = np.empty(k, dtype=np.int64)
    names[of_class] = ids
    names[np.setdiff1d(np.arange(k), of_class)] = _unused_ids(ids, k - len(ids))
    return names[found]


def class_directions(points: FloatArray, labels: Labels) -> tuple[IntArray, FloatArray]:
    """Class ids, and the unit vector along each class's confidence-weighted mean row.

    A trace of the mean itself is added: where two classes point the same way, as they may on a
    line, the one whose rows agree more wins on their side, and the other one opposite to it.
    """
    ids, column = np.unique(labels.classes, return_inverse=True)
    sums = np.zeros((len(ids), points.shape[1]))
    np.add.at(sums, column, points[labels.nodes] * labels.confidence[:, None])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    weights = np.bincount(column, weights=labels.confidence)[:, None]
    means = sums / np.where(weights > 0, weights, 1.0)
    return ids, sums / np.where(lengths > 0, lengths, 1.0) + TIE_BREAK * means


def _nearest_direction(points: FloatArray, directions: FloatArray) -> IntArray:
    nearest = np.empty(len(points), dtype=np.int64)
    step = max(1, _BLOCK_ENTRIES // len(directions))
    for start in range(0, len(points), step):
        block = slice(start, start + step)
        nearest[block] = (points[block] @ directions.T).argmax(axis=1)
    return nearest


def _with_discovered(points: FloatArray, known: FloatArray, k: int, seed: int) -> IntArray:
    """Lloyd's clusters from the known centres and the best of several choices of further ones."""
    rng = np.random.default_rng(seed)
    sample = _sample(points, k, rng)
    with threadpool_limits(limits=1):
        starts = (_spread(sample, known, k - len(known), rng) for _ in range(RESTARTS))
        tries = (_fitted(sample, k, init=start, n_init=1) for start in starts)
        best = min(tries, key=lambda fit: float(fit.inertia_))
        if len(sample) < len(points):
            best = _finished(points, best)
    return _without_empty(points, best.labels_.astype(np.int64), k)


def _spread(
    points: FloatArray, centres: FloatArray, extra: int, rng: np.random.Generator
) -> FloatArray:
    """The centres and `extra` points drawn by squared distance to all before (k-means++)."""
    _, distance = pairwise_distances_argmin_min(points, centres, metric="sqeuclidean")
    chosen = []
    for _ in range(extra):
        total = distance.sum()
        chance = distance / total if total > 0 else None
        new = points[rng.choice(len(points), p=chance)]
        distance = np.minimum(distance, ((points - new) ** 2).sum(axis=1))
        chosen.append(new)
    return np.vstack([centres, *chosen])


def _fitted(points: FloatArray, k: int, *, max_iter: int = _LLOYD_STEPS, **start: Any) -> Any:
    with warnings.catch_warnings():  # fewer distinct points than clusters is an honest answer here
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(n_clusters=k, max_iter=max_iter, **start).fit(points)


def _finished(points: FloatArray, fit: Any) -> Any:
    centres = fit.cluster_centers_
    return _fitted(points, len(centres), max_iter=_FINISHING_STEPS, init=centres, n_init=1)


def _sample(points: FloatArray, k: int, rng: np.random.Generator) -> FloatArray:
    size = max(SAMPLE_SIZE, _SAMPLES_PER_CLUSTER * k)
    if len(points) <= size:
        return points
    return points[np.sort(rng.choice(len(points), size, replace=False))]


def _without_empty(points: FloatArray, labels: IntArray, k: int) -> IntArray:
    """The clusters, with the farthest points moved to empty ones while distinct points last."""
    if np.bincount(labels, minlength=k).all():
        return labels
    distinct, first, where = np.unique(points, axis=0, return_index=True, return_inverse=True)
    labels = labels[first]
    for empty in np.flatnonzero(np.bincount(labels, minlength=k) == 0):
        sizes = np.bincount(labels, minlength=k)
        if sizes.max() < 2:
            break
        means = np.zeros((k, points.shape[1]))
        np.add.at(means, labels, distinct)
        means /= np.maximum(sizes, 1)[:, None]
        distance = ((distinct - means[labels]) ** 2).sum(axis=1)
        labels[np.where(sizes[labels] > 1, distance, -1.0).argmax()] = empty
    return labels[where.ravel()]


def _unused_ids(ids: IntArray, count: int) -> IntArray:
    candidates = np.arange(len(ids) + count, dtype=np.int64)
    return np.setdiff1d(candidates, ids)[:count]
