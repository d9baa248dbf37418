"""Graphs with known answers: noisy neighbour graphs, planted partitions, image-like grids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.spatial import KDTree

from fastge.constraints import Constraints
from fastge.errors import ParameterError
from fastge.graph import FloatArray, IntArray, from_pairs

Seed: TypeAlias = int | np.random.Generator

FAST_GE = (
    "Cucuringu, Koutis, Chawla, Miller, Peng: Scalable Constrained Clustering: "
    "A Generalized Spectral Method. AISTATS 2016"
)
PLANTED_PARTITION = (
    "Condon, Karp: Algorithms for Graph Partitioning on the Planted Partition Model. "
    "Random Structures & Algorithms 18 (2), 2001"
)
SYNTHETIC = "Synthetic data of the fastge package"

_HALF_RING = (8.0, 12.0)  # inner and outer radius of a moon
_LEAST_WEIGHT = 1e-6  # keeps an image grid connected across the sharpest border
_SHADING = 0.1  # how much grey changes across the grid, in units of black to white
_WAVES, _WAVE_HEIGHT = 2.0, 0.06  # per shorter side; 2π · waves · height < 1: regions stay whole


@dataclass(frozen=True, eq=False)
class Dataset:
    """A graph, its true clusters, and where its nodes lie."""

    name: str
    adjacency: sp.csr_array
    truth: IntArray
    k: int
    seed: int
    citation: str
    points: FloatArray | None = None
    """(n, 2) positions of the nodes, where they are points."""
    shape: tuple[int, int] | None = None
    """Rows and columns, where the nodes are the pixels of a grid in reading order."""
    constraints: Constraints | None = None
    """The constraints that belong to the data, where some do."""

    @property
    def n(self) -> int:
        return len(self.truth)


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


def planted_partition(
    sizes: Sequence[int], *, p_in: float = 0.2, p_out: float = 0.02, seed: int
) -> Dataset:
    """Groups whose nodes are joined with probability p_in inside and p_out across."""
    counts = np.asarray(sizes, dtype=np.int64)
    if counts.ndim != 1 or len(counts) < 1 or counts.min() < 1:
        raise ParameterError(f"sizes = {sizes!r} must be one positive number of nodes per group")
    rng = np.random.default_rng(seed)
    n, starts = int(counts.sum()), np.cumsum(counts) - counts
    truth = np.repeat(np.arange(len(counts)), counts)
    pairs = random_pairs(n, p_out, seed=rng)
    across = pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]]
    inside = [random_pairs(int(size), p_in, seed=rng) for size in counts]
    moved = [pairs + start for pairs, start in zip(inside, starts, strict=True)]
    edges = np.concatenate([across, *moved])
    return Dataset(
        name="planted-partition",
        adjacency=from_pairs(n, edges, np.ones(len(edges))),
        truth=truth,
        k=len(counts),
        seed=seed,
        citation=PLANTED_PARTITION,
    )


def grid_image(
    shape: tuple[int, int],
    *,
    regions: int = 5,
    neighbours: Literal[4, 8] = 4,
    noise: float = 0.04,
    contrast: float = 0.1,
    seed: int,
) -> Dataset:
    """Pixel grid of a shaded, noisy picture: w_ij = exp(−(g_i − g_j)² / (2 contrast²)).

    Regions with wavy borders are the truth; each has a grey value g of its own. Time and memory
    are linear in the number of pixels.
    """
    rows, columns = shape
    if min(rows, columns) < 2 or not 1 <= regions <= rows * columns:
        raise ParameterError(f"{regions} regions do not fit on a grid of {rows} × {columns} pixels")
    if neighbours not in (4, 8) or not contrast > 0 or not noise >= 0:
        raise ParameterError("choose neighbours = 4 or 8, contrast > 0 and noise ≥ 0")
    rng = np.random.default_rng(seed)
    truth = _wavy_regions(rows, columns, regions, rng)
    grey = rng.permutation(np.linspace(0, 1, regions))[truth]
    grey += np.tile(np.linspace(0, _SHADING, columns), rows)
    grey += rng.normal(0, noise, rows * columns)
    pairs = _grid_pairs(rows, columns, neighbours)
    step = (grey[pairs[:, 0]] - grey[pairs[:, 1]]) / contrast
    weights = np.maximum(np.exp(-(step**2) / 2), _LEAST_WEIGHT)
    return Dataset(
        name="grid-image",
        adjacency=from_pairs(rows * columns, pairs, weights),
        truth=truth,
        k=regions,
        seed=seed,
        citation=SYNTHETIC,
        shape=(rows, columns),
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


def sample_labels(
    truth: IntArray, count: int | None = None, *, share: float | None = None, seed: Seed
) -> IntArray:
    """The truth at `count` nodes (or a share of them) drawn uniformly, −1 elsewhere.

    Draws of one seed are nested: a larger one contains the smaller. Nodes whose truth is negative
    (unknown) are never drawn.
    """
    known = np.flatnonzero(np.asarray(truth) >= 0)
    if (count is None) == (share is None):
        raise ParameterError("give either the count of labelled nodes or their share, not both")
    if share is not None and not 0 < share <= 1:
        raise ParameterError(f"share = {share} must lie in (0, 1]")
    size = max(1, round(share * len(known))) if share is not None else count
    if size is None or not 1 <= size <= len(known):
        raise ParameterError(f"{size} labels of {len(known)} known ones; choose 1 ≤ count ≤ known")
    drawn = np.random.default_rng(seed).permutation(known)[:size]
    labels = np.full(len(truth), -1, dtype=np.int64)
    labels[drawn] = np.asarray(truth)[drawn]
    return labels


def noisy_knn(
    points: FloatArray,
    k_g: int,
    l_g: float,
    *,
    seed: Seed,
    combine: Literal["union", "xor"] = "union",
) -> sp.csr_array:
    """Unweighted neighbour graph of points with Erdős–Rényi noise of probability l_g / n.

    Each point is joined to its nearest k_g − 1 others (k_g counts the point itself), in either
    direction. Noise adds edges; with `combine="xor"` it also removes those that it hits.
    """
    points = np.asarray(points, dtype=np.float64)
    n = len(points)
    if points.ndim != 2 or not 1 <= k_g <= n or not 0 <= l_g <= n:
        raise ParameterError("pass (n, dimensions) points with 1 ≤ k_g ≤ n and 0 ≤ l_g ≤ n")
    if combine not in ("union", "xor"):
        raise ParameterError(f"combine = {combine!r}; choose 'union' or 'xor'")
    near, noise = nearest_pairs(points, k_g), random_pairs(n, l_g / n, seed=seed)
    merged = (np.union1d if combine == "union" else np.setxor1d)(
        near[:, 0] * n + near[:, 1], noise[:, 0] * n + noise[:, 1]
    )
    return from_pairs(n, np.column_stack(np.divmod(merged, n)), np.ones(len(merged)))


def nearest_pairs(points: FloatArray, k: int) -> IntArray:
    """Pairs i < j of which one is among the k nearest of the other, itself counted."""
    n = len(points)
    near = KDTree(points).query(points, k=np.arange(1, k + 1))[1].astype(np.int64)
    ends = np.column_stack([np.repeat(np.arange(n), k), near.ravel()])
    ends = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
    return np.column_stack(np.divmod(np.unique(ends[:, 0] * n + ends[:, 1]), n))


def random_pairs(n: int, probability: float, *, seed: Seed) -> IntArray:
    """Each of the n (n − 1) / 2 pairs i < j with the same probability, in time of the answer.

    Gaps between successes of independent trials are geometric: whatever lies between is skipped.
    """
    if not 0 <= probability <= 1:
        raise ParameterError(f"probability = {probability} must lie in [0, 1]")
    total = n * (n - 1) // 2
    if probability == 0 or total == 0:
        return np.empty((0, 2), dtype=np.int64)
    rng = np.random.default_rng(seed)
    chunk = int(total * probability + 4 * np.sqrt(total * probability)) + 16
    parts, last = [], -1
    while last < total:
        parts.append(last + np.cumsum(np.minimum(rng.geometric(probability, chunk), total + 1)))
        last = int(parts[-1][-1])
    hits = np.concatenate(parts)
    return _pair_of_number(hits[hits < total])


def _pair_of_number(number: IntArray) -> IntArray:
    """The pair (i, j), i < j, that comes at place j (j − 1) / 2 + i."""
    j = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    j -= (j * (j - 1) // 2 > number).astype(np.int64)  # the root may round across a whole number
    j += (j * (j + 1) // 2 <= number).astype(np.int64)
    return np.column_stack([number - j * (j - 1) // 2, j])


def _half_ring(n: int, rng: np.random.Generator) -> FloatArray:
    """Upper half of a ring around the origin, uniform in area."""
    inner, outer = _HALF_RING
    radius = np.sqrt(rng.uniform(inner**2, outer**2, n))
    angle = rng.uniform(0, np.pi, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _grid_pairs(rows: int, columns: int, neighbours: int) -> IntArray:
    """Neighbouring pixels i < j in reading order."""
    pixel = np.arange(rows * columns).reshape(rows, columns)
    pairs = [(pixel[:, :-1], pixel[:, 1:]), (pixel[:-1], pixel[1:])]
    if neighbours == 8:
        pairs += [(pixel[:-1, :-1], pixel[1:, 1:]), (pixel[:-1, 1:], pixel[1:, :-1])]
    return np.concatenate([np.column_stack([i.ravel(), j.ravel()]) for i, j in pairs])


def _wavy_regions(rows: int, columns: int, count: int, rng: np.random.Generator) -> IntArray:
    """Region of every pixel: the nearest of `count` sites in coordinates bent by waves."""
    y, x = np.indices((rows, columns)).reshape(2, -1) / min(rows, columns)
    phase = rng.uniform(0, 2 * np.pi, 2)
    wave = _WAVE_HEIGHT * np.sin(2 * np.pi * _WAVES * np.stack([x, y]) + phase[:, None])
    places = np.column_stack([y + wave[0], x + wave[1]])
    tried = places[rng.choice(len(places), min(len(places), 32 * count), replace=False)]
    return np.asarray(KDTree(_spread_out(tried, count)).query(places)[1])


def _spread_out(places: FloatArray, count: int) -> FloatArray:
    """The first place and, one by one, whichever is farthest from those chosen before."""
    chosen = [0]
    distance = np.full(len(places), np.inf)
    for _ in range(count - 1):
        distance = np.minimum(distance, ((places - places[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(distance.argmax()))
    return places[chosen]
