"""Points in the plane, joined to their neighbours: half rings, overlapping clouds."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fastge.constraints import Constraints
from fastge.datasets.dataset import FAST_GE, SYNTHETIC, Dataset
from fastge.datasets.neighbours import noisy_knn
from fastge.errors import ParameterError
from fastge.graph import FloatArray

_HALF_RING = (8.0, 12.0)  # inner and outer radius of a moon


def four_moons(
    n: int = 1500,
    *,
    k_g: int = 30,
    l_g: float = 15,
    combine: Literal["union", "xor"] = "xor",
    seed: int,
) -> Dataset:
    """Four interleaved half rings in a row, joined by a noisy neighbour graph.

    Geometry and defaults are those of the FAST-GE authors' own instances: every second moon is
    the mirror image of the sample before it, and noise also removes edges (`combine="xor"`).
    """
    if n < 4 or n % 4:
        raise ParameterError(f"n = {n} points cannot make four equal moons; use a multiple of 4")
    rng = np.random.default_rng(seed)
    first, second = _half_ring(n // 4, rng), _half_ring(n // 4, rng)
    pairs = [np.concatenate([moon, moon * (1, -1) + (13, 4)]) for moon in (first, second)]
    points = np.concatenate([pairs[0], pairs[1] + (26, 0)])
    return Dataset(
        name="four-moons",
        adjacency=noisy_knn(points, k_g, l_g, seed=rng, combine=combine),
        truth=np.repeat(np.arange(4), n // 4),
        k=4,
        seed=seed,
        citation=FAST_GE,
        points=points,
    )


def contradictory(n: int = 240, *, honest: int = 30, lies: int = 4, seed: int) -> Dataset:
    """Two overlapping clouds of points with constraints that cannot all be kept.

    Besides `honest` pairs there are chains of three must-links, `lies` of them, each with a
    cannot-link on its first pair (both at once) and one between its ends (inside a component).
    """
    if n % 2 or min(lies, honest) < 0 or max(8 * lies, 2 * honest, 2) > n:
        raise ParameterError(f"n = {n} must be even, ≥ 2 · honest = {2 * honest}, ≥ 8 · lies")
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1], n // 2)
    points = rng.normal(size=(n, 2)) * (0.9, 1.5) + np.outer(truth, (2.7, 0.0))
    told = rng.permutation(n)[: 2 * honest].reshape(-1, 2)
    same = truth[told[:, 0]] == truth[told[:, 1]]
    chain = rng.permutation(n // 2)[: 4 * lies].reshape(-1, 4)
    chain += (np.arange(lies) % 2 * (n // 2))[:, None]
    links = [chain[:, [0, 1]], chain[:, [1, 2]], chain[:, [2, 3]]]
    return Dataset(
        name="contradictory-constraints",
        adjacency=noisy_knn(points, min(10, n), 0, seed=rng),
        truth=truth,
        k=2,
        seed=seed,
        citation=SYNTHETIC,
        points=points,
        constraints=Constraints(
            must_link=np.concatenate([told[same], *links]),
            cannot_link=np.concatenate([told[~same], chain[:, [0, 1]], chain[:, [0, 3]]]),
        ),
    )


def _half_ring(n: int, rng: np.random.Generator) -> FloatArray:
    """Upper half of a ring around the origin, uniform in area."""
    inner, outer = _HALF_RING
    radius = np.sqrt(rng.uniform(inner**2, outer**2, n))
    angle = rng.uniform(0, np.pi, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
