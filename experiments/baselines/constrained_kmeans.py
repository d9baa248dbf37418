"""Constrained k-means on points: hard (COP) and soft (PCK).

Sources: Wagstaff, Cardie, Rogers, Schrödl, Constrained k-means clustering with background knowledge
(ICML 2001); Basu, Banerjee, Mooney, Active semi-supervision for pairwise constrained clustering
(SDM 2004). Points without constraints are assigned all at once, the others one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances

from baselines.known import must_link_groups
from baselines.outcome import Outcome
from baselines.pairs import ExplicitPairs, explicit_pairs
from fastge import Constraints
from fastge.errors import ConstraintError
from fastge.graph import FloatArray, IntArray

ITERATIONS = 100
RESTARTS = 10


class NoAssignmentError(ConstraintError):
    """Hard constraints that the method could not keep."""


def cop_kmeans(
    points: FloatArray, constraints: Constraints, k: int, *, seed: int, restarts: int = RESTARTS
) -> Outcome:
    """k-means in which every constraint holds; the best of several starts.

    Must-linked points move together, to the nearest centre of their mean that no cannot-link
    forbids. Groups are placed greedily in random order, as published: that may fail where an
    assignment exists, and it is then an error, as it is where none does.
    """
    blocks = _Blocks.of(points, explicit_pairs(constraints))
    rng = np.random.default_rng(seed)
    runs = [run for _ in range(restarts) if (run := blocks.lloyd(k, rng)) is not None]
    if not runs:
        raise NoAssignmentError(
            f"no assignment to {k} clusters that keeps all constraints was found in {restarts} "
            "starts; raise k or restarts, or use pck_kmeans, which may violate some"
        )
    best = min(runs, key=lambda run: run.objective)
    return Outcome(
        best.labels[blocks.of_point],
        {
            "objective": best.objective,
            "iterations": best.iterations,
            "converged": best.iterations < ITERATIONS,
            "failed_starts": restarts - len(runs),
        },
    )


@dataclass(frozen=True, eq=False)
class _Run:
    labels: IntArray
    objective: float
    iterations: int


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Must-linked points as one: their mean, their number, and whom they must not meet."""

    of_point: IntArray
    means: FloatArray
    sizes: IntArray
    scatter: float
    forbidden: sp.csr_array

    @classmethod
    def of(cls, points: FloatArray, pairs: ExplicitPairs) -> _Blocks:
        group = must_link_groups(pairs.must_link, len(points))
        apart = group[pairs.cannot_link]
        inside = np.flatnonzero(apart[:, 0] == apart[:, 1])
        if len(inside):
            i, j = pairs.cannot_link[inside[0]]
            raise NoAssignmentError(
                f"points {i} and {j} cannot be linked, yet a chain of must-links joins them; drop "
                "one of the two, or use pck_kmeans, which may violate it"
            )
        sizes = np.bincount(group)
        means = np.zeros((len(sizes), points.shape[1]))
        np.add.at(means, group, points)
        means /= sizes[:, None]
        scatter = float(((points - means[group]) ** 2).sum())
        forbidden = _symmetric(apart, np.ones(len(apart)), len(sizes))
        return cls(group, means, sizes, scatter, forbidden)

    def lloyd(self, k: int, rng: np.random.Generator) -> _Run | None:
        """One run from drawn centres; None when some group found no cluster."""
        centres = drawn_centres(self.means, k, rng)
        order = rng.permutation(np.flatnonzero(np.diff(self.forbidden.indptr)))
        labels = np.full(len(self.means), -1)
        iterations = 0
        while iterations < ITERATIONS:
            iterations += 1
            found = self._assigned(euclidean_distances(self.means, centres, squared=True), order)
            if found is None:
                return None
            if np.array_equal(found, labels):
                break
            labels = found
            centres = _weighted_means(self.means, self.sizes, labels, centres)
        own = ((self.means - centres[labels]) ** 2).sum(axis=1)
        return _Run(labels, self.scatter + float(self.sizes @ own), iterations)

    def _assigned(self, distance: FloatArray, order: IntArray) -> IntArray | None:
        labels: IntArray = distance.argmin(axis=1)
        labels[order] = -1
        allowed = np.empty(distance.shape[1] + 1)  # the last entry is for groups not yet placed
        for block in order:
            allowed[:] = 0.0
            allowed[labels[_row(self.forbidden, block)[0]]] = np.inf
            cost = distance[block] + allowed[:-1]
            labels[block] = cost.argmin()
            if cost[labels[block]] == np.inf:
                return None
        return labels


def pck_kmeans(
    points: FloatArray,
    constraints: Constraints,
    k: int,
    *,
    seed: int,
    weight: float | None = None,
) -> Outcome:
    """Least ½ Σ |x_i − μ(l_i)|² + weight · (violated pairs), from centres of must-linked groups.

    Labels are found point by point with all others fixed, which never raises the objective. A pair
    weighs as much as the mean squared distance from the mean of all points, unless told.
    """
    rng, pairs = np.random.default_rng(seed), explicit_pairs(constraints)
    if weight is None:
        weight = float(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean())
    task = _Soft(points, pairs, weight)
    centres = drawn_centres(points, k, rng, given=_neighbourhood_centres(points, pairs, k))
    labels = euclidean_distances(points, centres).argmin(axis=1)
    objectives: list[float] = []
    while len(objectives) < ITERATIONS:
        before, labels = labels, task.improved(labels, centres, rng)
        centres = _weighted_means(points, np.ones(len(points)), labels, centres)
        objectives.append(task.objective(labels, centres))
        if len(objectives) > 1 and np.array_equal(before, labels):
            break
    broken = task.violated(labels)
    return Outcome(
        labels,
        {
            "objective": objectives[-1],
            "first_objective": objectives[0],
            "iterations": len(objectives),
            "converged": len(objectives) < ITERATIONS,
            "violated_must_links": broken[0],
            "violated_cannot_links": broken[1],
        },
    )


class _Soft:
    """The objective of PCK-means, and its descent in the labels."""

    def __init__(self, points: FloatArray, pairs: ExplicitPairs, weight: float) -> None:
        self.points, self.pairs, self.weight = points, pairs, weight
        signs = np.repeat([-weight, weight], [len(pairs.must_link), len(pairs.cannot_link)])
        ends = np.concatenate([pairs.must_link, pairs.cannot_link])
        self.penalty = _symmetric(ends, signs, len(points))

    def improved(self, labels: IntArray, centres: FloatArray, rng: np.random.Generator) -> IntArray:
        """Every label in turn, in random order, at its best given the others (ICM)."""
        half = euclidean_distances(self.points, centres, squared=True) / 2
        tied = np.flatnonzero(np.diff(self.penalty.indptr))
        new: IntArray = half.argmin(axis=1)
        new[tied] = labels[tied]
        for i in rng.permutation(tied):
            others, signs = _row(self.penalty, i)
            cost = half[i] + np.bincount(new[others], weights=signs, minlength=len(centres))
            best = cost.argmin()
            if cost[best] < cost[new[i]]:
                new[i] = best
        return new

    def violated(self, labels: IntArray) -> tuple[int, int]:
        must, cannot = labels[self.pairs.must_link], labels[self.pairs.cannot_link]
        return int((must[:, 0] != must[:, 1]).sum()), int((cannot[:, 0] == cannot[:, 1]).sum())

    def objective(self, labels: IntArray, centres: FloatArray) -> float:
        scatter = float(((self.points - centres[labels]) ** 2).sum())
        return scatter / 2 + self.weight * sum(self.violated(labels))


def _neighbourhood_centres(points: FloatArray, pairs: ExplicitPairs, k: int) -> FloatArray:
    """Means of the k largest must-linked groups; then of points that are apart from all of them."""
    group = must_link_groups(pairs.must_link, len(points))
    sizes = np.bincount(group)
    apart = _symmetric(group[pairs.cannot_link], np.ones(len(pairs.cannot_link)), len(sizes))
    candidates = np.flatnonzero((sizes > 1) | (np.diff(apart.indptr) > 0))
    chosen: list[int] = []
    for candidate in candidates[np.argsort(-sizes[candidates], kind="stable")].tolist():
        if len(chosen) == k:
            break
        if sizes[candidate] > 1 or set(chosen) <= set(_row(apart, candidate)[0].tolist()):
            chosen.append(candidate)
    means = [points[group == g].mean(axis=0) for g in chosen]
    return np.array(means).reshape(-1, points.shape[1])


def drawn_centres(
    points: FloatArray, k: int, rng: np.random.Generator, *, given: FloatArray | None = None
) -> FloatArray:
    """The given centres and further points, each drawn by its squared distance to all before."""
    centres = list(points[rng.integers(len(points), size=1)] if given is None else given)
    while len(centres) < k:
        nearest = (
            euclidean_distances(points, np.array(centres), squared=True).min(axis=1)
            if centres
            else np.ones(len(points))
        )
        total = nearest.sum()
        chance = nearest / total if total > 0 else None
        centres.append(points[rng.choice(len(points), p=chance)])
    return np.array(centres)


def _weighted_means(
    points: FloatArray, weights: FloatArray | IntArray, labels: IntArray, centres: FloatArray
) -> FloatArray:
    """Means of the clusters; the centre as it was where a cluster is empty."""
    member = sp.csr_array(
        (weights, (labels, np.arange(len(points)))), shape=(len(centres), len(points))
    )
    mass: FloatArray = np.asarray(member.sum(axis=1))[:, None]
    return np.where(mass > 0, (member @ points) / np.where(mass > 0, mass, 1.0), centres)


def _symmetric(ends: IntArray, values: FloatArray, n: int) -> sp.csr_array:
    i, j = ends[:, 0], ends[:, 1]
    both = (np.concatenate([i, j]), np.concatenate([j, i]))
    return sp.coo_array((np.tile(values, 2), both), shape=(n, n)).tocsr()


def _row(matrix: sp.csr_array, i: int) -> tuple[IntArray, FloatArray]:
    some = slice(matrix.indptr[i], matrix.indptr[i + 1])
    return matrix.indices[some], matrix.data[some]
