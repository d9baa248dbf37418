"""The letters P, A, C and M as clouds of points, uneven in density, stroke and size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fastge.datasets.dataset import FAST_GE, Dataset
from fastge.datasets.neighbours import noisy_knn
from fastge.graph import FloatArray

_TRIES = 4  # places of which a point takes the emptiest
_UNEVEN = 0.6  # by how much the density along a letter rises above its mean and falls below
_WAVES = 1.5  # how often it does so
_ARC_STEPS = 24


@dataclass(frozen=True, eq=False)
class _Letter:
    """Strokes about ten units high as lines from corner to corner, and how they are filled."""

    strokes: tuple[FloatArray, ...]
    width: float
    count: int
    corner: tuple[float, float]


def pacm(
    *,
    k_g: int = 30,
    l_g: float = 15,
    combine: Literal["union", "xor"] = "union",
    seed: int,
) -> Dataset:
    """426 points in the letters P, A, C, M, joined by a noisy neighbour graph.

    The letters differ in density, width and size, as the FAST-GE paper shows them; its points were
    never published, so these are drawn anew. With the default noise, that of Four-Moons, clusters
    without constraints have a Rand index of about 0.89, and 0.96 with 40 labels.
    """
    rng = np.random.default_rng(seed)
    letters = list(_letters())
    points = np.concatenate([_filled(letter, rng) for letter in letters])
    return Dataset(
        name="pacm",
        adjacency=noisy_knn(points, k_g, l_g, seed=rng, combine=combine),
        truth=np.repeat(np.arange(4), [letter.count for letter in letters]),
        k=4,
        seed=seed,
        citation=FAST_GE,
        points=points,
    )


def _letters() -> Iterator[_Letter]:
    bowl = np.concatenate([[(0, 10)], _arc((2.4, 7.3), (2.8, 2.7), 90, -90), [(0, 4.6)]])
    yield _Letter((_line((0, 0), (0, 10)), bowl), 0.55, 118, (0.0, 0.0))
    roof, bar = _line((0, 0), (3.6, 10), (7.2, 0)), _line((1.5, 3.6), (5.7, 3.6))
    yield _Letter((roof, bar), 0.45, 96, (6.4, -0.4))
    yield _Letter((_arc((4.2, 5), (4, 5.2), 48, 312),), 0.8, 84, (14.6, 0.3))
    zigzag = _line((0, 0), (0.9, 10), (4.4, 2.6), (7.9, 10), (8.8, 0))
    yield _Letter((zigzag,), 0.5, 128, (23.6, -0.2))


def _line(*corners: tuple[float, float]) -> FloatArray:
    return np.array(corners, dtype=np.float64)


def _arc(
    centre: tuple[float, float], radii: tuple[float, float], start: float, end: float
) -> FloatArray:
    angle = np.radians(np.linspace(start, end, _ARC_STEPS + 1))
    return np.column_stack([np.cos(angle), np.sin(angle)]) * radii + centre


def _filled(letter: _Letter, rng: np.random.Generator) -> FloatArray:
    """Points one by one, each at the emptiest of a few places: kept apart, but not evenly."""
    starts = np.concatenate([stroke[:-1] for stroke in letter.strokes])
    steps = np.concatenate([np.diff(stroke, axis=0) for stroke in letter.strokes])
    lengths = np.hypot(*steps.T)
    middle = (np.cumsum(lengths) - lengths / 2) / lengths.sum()
    wave = np.sin(2 * np.pi * (_WAVES * middle + rng.random()))
    chance = lengths * (1 + _UNEVEN * wave)
    points = np.empty((0, 2))
    for _ in range(letter.count):
        at = rng.choice(len(steps), _TRIES, p=chance / chance.sum())
        places = starts[at] + rng.random((_TRIES, 1)) * steps[at]
        places += rng.normal(0, letter.width / 2, (_TRIES, 2))
        gaps = np.linalg.norm(places[:, None] - points, axis=2).min(axis=1, initial=np.inf)
        points = np.vstack([points, places[gaps.argmax()]])
    return points + letter.corner
