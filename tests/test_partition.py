"""k-means and labelled directions: determinism, user's ids, no empty clusters."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from fastge import partition
from fastge.constraints import Constraints
from fastge.pairs import Labels
from fastge.partition import (
    TIE_BREAK,
    _without_empty,
    class_directions,
    kmeans,
    labelled_directions,
)
from fastge.quality import adjusted_rand_index


def unit_rows(X: np.ndarray) -> np.ndarray:
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def bundles(
    n: int, n_bundles: int, seed: int = 0, spread: float = 0.1
) -> tuple[np.ndarray, np.ndarray]:
    """Unit rows around the axes, and the axis of each."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_bundles
    return unit_rows(np.eye(n_bundles)[truth] + spread * rng.standard_normal((n, n_bundles))), truth


def labels_of(
    nodes: list[int], classes: list[int], confidence: list[float] | None = None
) -> Labels:
    weight = np.ones(len(nodes)) if confidence is None else np.array(confidence)
    return Labels(np.array(nodes), np.array(classes), weight)


@pytest.mark.parametrize("n", [300, 30_000])
def test_kmeans_finds_bundles(n: int) -> None:
    points, truth = bundles(n, 4)
    labels = kmeans(points, 4, seed=3)
    assert labels.dtype == np.int64
    assert set(labels) == set(range(4))
    assert adjusted_rand_index(labels, truth) == 1.0


@pytest.mark.parametrize("n", [2_000, 30_000])
def test_one_seed_one_answer_whatever_the_threads(n: int) -> None:
    points = unit_rows(np.random.default_rng(1).standard_normal((n, 4)))
    answers = []
    for threads in (1, 2, 2):
        with threadpool_limits(limits=threads):
            answers.append(kmeans(points, 7, seed=5, restarts=3))
    for other in answers[1:]:
        np.testing.assert_array_equal(answers[0], other)


def test_directions_are_deterministic_too() -> None:
    points = unit_rows(np.random.default_rng(1).standard_normal((30_000, 4)))
    known = labels_of([0, 1, 2], [4, 4, 9])
    for k in (2, 5):
        with threadpool_limits(limits=1):
            one = labelled_directions(points, known, k, seed=5)
        with threadpool_limits(limits=2):
            two = labelled_directions(points, known, k, seed=5)
        np.testing.assert_array_equal(one, two)


def test_more_restarts_are_never_worse() -> None:
    points = unit_rows(np.random.default_rng(2).standard_normal((400, 3)))

    def objective(labels: np.ndarray) -> float:
        return sum(
            float(((points[labels == c] - points[labels == c].mean(axis=0)) ** 2).sum())
            for c in np.unique(labels)
        )

    assert objective(kmeans(points, 9, seed=0, restarts=20)) <= min(
        objective(kmeans(points, 9, seed=seed, restarts=1)) * 1.02 for seed in range(5)
    )


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 8), st.integers(2, 6), st.integers(1, 3), st.integers(0, 99))
def test_no_cluster_is_empty_while_distinct_points_last(
    n_distinct: int, k: int, copies: int, seed: int
) -> None:
    distinct = np.random.default_rng(seed).integers(-2, 3, (n_distinct, 2)).astype(float)
    points = np.tile(distinct, (copies, 1))
    assume(len(points) >= k)
    labels = kmeans(points, k, seed=seed, restarts=2)
    assert len(labels) == len(points)
    assert labels.min() >= 0
    assert labels.max() < k
    assert len(np.unique(labels)) == min(k, len(np.unique(points, axis=0)))


def test_a_rare_point_outside_the_sample_fills_an_empty_cluster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(partition, "SAMPLE_SIZE", 60)
    points = np.tile([[1.0, 0.0], [0.0, 1.0]], (5_000, 1))
    points[17] = [-1.0, 0.0]
    labels = kmeans(points, 3, seed=0)
    assert len(np.unique(labels)) == 3
    assert (labels == labels[17]).sum() == 1


def test_empty_clusters_are_filled_from_afar() -> None:
    points = np.array([[0.0], [1.0], [1.0], [9.0], [9.0]])
    labels = _without_empty(points, np.zeros(5, dtype=np.int64), 3)
    assert adjusted_rand_index(labels, [0, 1, 1, 2, 2]) == 1.0
    assert len(np.unique(_without_empty(points, np.full(5, 2), 4))) == 3


def test_zero_rows_are_points_like_others() -> None:
    points = np.array([[0.0, 0.0]] * 3 + [[1.0, 0.0]] * 3 + [[0.0, 1.0]] * 3)
    assert adjusted_rand_index(kmeans(points, 3, seed=0), np.repeat([0, 1, 2], 3)) == 1.0
    known = labels_of([0, 3, 6], [0, 1, 2])
    labels = labelled_directions(points, known, 3, seed=0)
    assert labels[3:].tolist() == [1, 1, 1, 2, 2, 2]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 99), st.sampled_from([1, 7, 1 << 20]))
def test_nearest_direction_speaks_in_the_users_ids(seed: int, block: int) -> None:
    points, truth = bundles(60, 3, seed)
    ids = np.array([11, 4, 700])
    known = labels_of([0, 1, 2, 3, 4], list(ids[[0, 1, 2, 0, 1]]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition, "_BLOCK_ENTRIES", block)
        labels = labelled_directions(points, known, 3, seed=0)
    np.testing.assert_array_equal(labels, ids[truth])
    assert labels.dtype == np.int64


def test_direction_is_the_mean_weighted_by_confidence() -> None:
    points = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    ids, directions = class_directions(points, labels_of([0, 1, 2], [5, 5, 2], [3.0, 4.0, 9.0]))
    assert ids.tolist() == [2, 5]
    np.testing.assert_allclose(directions, [[0.6, 0.8], [0.6, 0.8]], rtol=2 * TIE_BREAK)


def test_on_a_line_the_class_that_leans_more_wins_its_side() -> None:
    points = np.array([[1.0], [1.0], [1.0], [-1.0], [1.0], [-1.0]])
    known = labels_of([0, 1, 2, 3, 4], [0, 0, 1, 1, 1])  # both means are positive
    assert labelled_directions(points, known, 2, seed=0).tolist() == [0, 0, 0, 1, 0, 1]


def test_labels_are_soft() -> None:
    """A node labelled against all its neighbours goes where they go."""
    points, truth = bundles(100, 2)
    classes = truth.copy()
    classes[0] = 1 - classes[0]
    known = Constraints.from_labels(classes).labels
    np.testing.assert_array_equal(labelled_directions(points, known, 2, seed=0), truth)


@pytest.mark.parametrize("n", [400, 30_000])
def test_further_clusters_are_discovered(n: int) -> None:
    points, truth = bundles(n, 4)
    known = labels_of([0, 1, 4, 5], [2, 0, 2, 0])
    labels = labelled_directions(points, known, 4, seed=0)
    assert set(labels) == {0, 1, 2, 3}
    assert (labels[truth == 0] == 2).all()
    assert (labels[truth == 1] == 0).all()
    assert adjusted_rand_index(labels, truth) == 1.0


def test_fewer_clusters_than_classes(caplog: pytest.LogCaptureFixture) -> None:
    points, _ = bundles(60, 3)
    with caplog.at_level(logging.WARNING, logger="fastge"):
        labels = labelled_directions(points, labels_of([0, 1, 2], [3, 4, 5]), 2, seed=0)
    assert "the labels name 3 classes" in caplog.text
    np.testing.assert_array_equal(labels, kmeans(points, 2, seed=0))
