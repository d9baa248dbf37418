"""COSC for two clusters: the least γ at which the best cut found violates nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baselines.cosc.contraction import Instance, contracted, two_coloured_groups
from baselines.cosc.functional import Functional
from baselines.cosc.ratio_dca import RatioDCA
from baselines.cosc.starts import constrained_signs, second_eigenvector
from fastge.graph import FloatArray, IntArray

_FIRST_GAMMA = 0.2
_GAMMA_PRECISION = 0.01


@dataclass(frozen=True, eq=False)
class Partition:
    """Clusters 0 … k−1 of all vertices, with the largest γ used and the functional's value."""

    labels: IntArray
    gamma: float
    functional: float


@dataclass(frozen=True, eq=False)
class _Attempt:
    """What all starts lead to at one γ, each one's end and side; and the best of the sides."""

    gamma: float
    ends: list[FloatArray]
    labels: IntArray
    value: float
    violated: int


def two_way(instance: Instance, descent: RatioDCA, starts: int) -> Partition:
    """Both colours of every component of cannot-links are kept whole, so none need be violated.

    γ is 0, 0.2 and then doubled until the best cut satisfies all that can be, and bisected between
    the last failure and the first success.
    """
    group, unavoidable = two_coloured_groups(instance)
    small = contracted(instance, group)
    if small.n == 2:
        labels = np.arange(2)
        return Partition(labels[group], 0.0, Functional(small, 0.0)(labels.astype(float)))
    best = _least_sufficient(small, descent, starts, unavoidable)
    return Partition(best.labels[group], best.gamma, best.value)


def _least_sufficient(
    instance: Instance, descent: RatioDCA, starts: int, unavoidable: int
) -> _Attempt:
    vectors = _starts(instance, descent.rng, starts)
    failed: _Attempt | None = None
    attempt = _attempt(instance, descent, 0.0, vectors)
    fewest = attempt
    while attempt.violated > unavoidable and attempt.gamma <= instance.volume:
        failed = attempt
        gamma = 2 * failed.gamma or _FIRST_GAMMA
        attempt = _attempt(instance, descent, gamma, failed.ends)
        fewest = min(fewest, attempt, key=lambda a: a.violated)
    if attempt.violated > unavoidable:
        return fewest
    while failed and attempt.gamma - failed.gamma > _GAMMA_PRECISION * attempt.gamma:
        middle = _attempt(instance, descent, (failed.gamma + attempt.gamma) / 2, failed.ends)
        if middle.violated > unavoidable:
            failed = middle
        else:
            attempt = middle
    return attempt


def _starts(instance: Instance, rng: np.random.Generator, count: int) -> list[FloatArray]:
    relaxed = [second_eigenvector(instance), constrained_signs(instance, rng)]
    noise = [rng.standard_normal(instance.n) for _ in range(count - len(relaxed))]
    return [f for f in relaxed if np.ptp(f) > 0] + noise


def _attempt(
    instance: Instance, descent: RatioDCA, gamma: float, vectors: list[FloatArray]
) -> _Attempt:
    functional = Functional(instance, gamma)
    ends = [descent(functional, f) for f in vectors]
    side, value = min((functional.best_threshold(f) for f in ends), key=lambda cut: cut[1])
    labels = side.astype(np.int64)
    return _Attempt(gamma, ends, labels, value, instance.violated(labels))
