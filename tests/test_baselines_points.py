"""Constrained k-means on points, and the random walker on pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from baselines.constrained_kmeans import (
    NoAssignmentError,
    _neighbourhood_centres,
    _Soft,
    cop_kmeans,
    pck_kmeans,
)
from baselines.pairs import explicit_pairs
from baselines.random_walker import random_walker
from fastge import Constraints
from fastge.datasets import sample_labels
from fastge.errors import ConstraintError, ParameterError
from fastge.quality import adjusted_rand_index


def clouds(n: int, k: int, seed: int, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    return 4 * np.eye(k)[truth] + spread * rng.standard_normal((n, k)), truth


def violated(constraints: Constraints, labels: np.ndarray) -> int:
    pairs = explicit_pairs(constraints)
    must, cannot = labels[pairs.must_link], labels[pairs.cannot_link]
    return int((must[:, 0] != must[:, 1]).sum() + (cannot[:, 0] == cannot[:, 1]).sum())


@pytest.mark.parametrize("method", [cop_kmeans, pck_kmeans])
def test_without_constraints_it_is_kmeans(method) -> None:
    points, _truth = clouds(240, 3, 0)
    found = method(points, Constraints(), 3, seed=1)
    best = KMeans(3, n_init=10, random_state=0).fit(points)
    assert adjusted_rand_index(best.labels_, found.labels) > 0.98
    factor = 1 if method is cop_kmeans else 2
    assert factor * found.diagnostics["objective"] == pytest.approx(best.inertia_, rel=0.01)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 999), st.integers(2, 5), st.integers(2, 60))
def test_cop_keeps_what_can_be_kept(seed: int, k: int, count: int) -> None:
    points, truth = clouds(120, k, seed, spread=3.0)
    constraints = Constraints.from_labels(sample_labels(truth, count, seed=seed))
    found = cop_kmeans(points, constraints, k, seed=seed, restarts=2)
    assert violated(constraints, found.labels) == 0
    assert found.labels.min() >= 0
    assert found.labels.max() < k


def test_constraints_find_what_distance_does_not() -> None:
    """Two long bars side by side: k-means cuts them across, constraints do not allow it."""
    x = np.tile(np.linspace(0, 6.5, 50), 2)
    truth = np.repeat([0, 1], 50)
    points = np.column_stack([x, 3.0 * truth])
    constraints = Constraints.from_labels(sample_labels(truth, 30, seed=0))
    plain = cop_kmeans(points, Constraints(), 2, seed=0).labels
    assert adjusted_rand_index(truth, plain) < 0.1
    for method in (cop_kmeans, pck_kmeans):
        assert adjusted_rand_index(truth, method(points, constraints, 2, seed=0).labels) > 0.9


def test_cop_says_which_pair_contradicts() -> None:
    points, _ = clouds(10, 2, 0)
    torn = Constraints(must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(NoAssignmentError, match="points 0 and 2"):
        cop_kmeans(points, torn, 2, seed=0)
    assert violated(torn, pck_kmeans(points, torn, 2, seed=0).labels) > 0


def test_cop_says_that_nothing_was_found() -> None:
    """Three points, each two apart, do not fit into two clusters."""
    points, _ = clouds(10, 2, 0)
    triangle = Constraints(cannot_link=[(0, 1), (1, 2), (0, 2)])
    with pytest.raises(NoAssignmentError, match="raise k"):
        cop_kmeans(points, triangle, 2, seed=0)
    labels = cop_kmeans(points, triangle, 3, seed=0).labels
    assert len(set(labels[:3])) == 3


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 999), st.floats(0, 50))
def test_pck_never_raises_its_objective(seed: int, weight: float) -> None:
    rng = np.random.default_rng(seed)
    points, _ = clouds(90, 3, seed, spread=2.5)
    ends = rng.permutation(90)[:60].reshape(-1, 2)
    pairs = explicit_pairs(Constraints(ends[:15], ends[15:]))
    task = _Soft(points, pairs, weight)
    labels = rng.integers(3, size=90)
    centres = points[:3]
    values = [task.objective(labels, centres)]
    for _ in range(5):
        labels = task.improved(labels, centres, rng)
        values.append(task.objective(labels, centres))
        centres = np.array([points[labels == c].mean(axis=0) for c in range(3)])
        values.append(task.objective(labels, centres))
    assert (np.diff(values) <= 1e-9 * values[0]).all()


def test_pck_starts_from_the_largest_neighbourhoods() -> None:
    points, _truth = clouds(60, 3, 0)
    must = [(0, 3), (3, 6), (1, 4)]
    pairs = explicit_pairs(Constraints(must, [(2, 0), (2, 1), (5, 0)]))
    centres = _neighbourhood_centres(points, pairs, 3)
    expected = [points[[0, 3, 6]].mean(axis=0), points[[1, 4]].mean(axis=0), points[2]]
    np.testing.assert_allclose(centres, expected)
    assert len(_neighbourhood_centres(points, pairs, 2)) == 2


def test_a_heavy_pair_is_kept_and_a_light_one_is_not() -> None:
    points, truth = clouds(80, 2, 0, spread=0.3)
    against = Constraints(must_link=[(0, 1)])
    heavy = pck_kmeans(points, against, 2, seed=0, weight=1e3)
    light = pck_kmeans(points, against, 2, seed=0, weight=1e-3)
    assert heavy.diagnostics["violated_must_links"] == 0
    assert light.diagnostics["violated_must_links"] == 1
    assert adjusted_rand_index(truth, light.labels) == 1.0


def two_regions(colour: bool) -> tuple[np.ndarray, np.ndarray]:
    truth = np.zeros((12, 16), dtype=int)
    truth[:, 9:] = 1
    grey = truth + 0.1 * np.random.default_rng(0).standard_normal(truth.shape)
    return (np.stack([grey, 1 - grey, grey], axis=-1) if colour else grey), truth


@pytest.mark.parametrize("mode", ["cg_j", "cg_mg"])
@pytest.mark.parametrize("colour", [False, True])
def test_a_walker_stays_in_its_region(mode, colour: bool) -> None:
    pytest.importorskip("skimage", reason="the random walker is scikit-image's")
    image, truth = two_regions(colour)
    labels = np.full(truth.shape, -1)
    labels[6, 1], labels[2, 14] = 8, 5
    found = random_walker(image, Constraints.from_labels(labels.ravel()), 2, seed=0, mode=mode)
    np.testing.assert_array_equal(found.labels, np.where(truth.ravel() == 0, 8, 5))


def test_a_walker_needs_an_image_and_labels() -> None:
    pytest.importorskip("skimage", reason="the random walker is scikit-image's")
    image, _ = two_regions(False)
    with pytest.raises(ConstraintError, match="needs the classes"):
        random_walker(image, Constraints(must_link=[(0, 1)]), 2, seed=0)
    with pytest.raises(ParameterError, match="an image is"):
        random_walker(image.ravel(), Constraints(must_link=[(0, 1)]), 2, seed=0)
