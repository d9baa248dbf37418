"""`fastge.image`: blocks, likeness and potentials, each against a slow and obvious twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
from hypothesis import given, settings
from hypothesis import strategies as st

import numerics
import reference
from fastge import Pencil, _native
from fastge.graph import Graph
from fastge.image.blocks import Blocks, smoothed
from fastge.image.colour import Pixels
from fastge.image.graph import Affinity, pixel_graph
from fastge.image.level import Level
from fastge.image.likeness import SAMPLES, Features
from fastge.image.potentials import Ties, class_pairs, potentials
from fastge.image.refinement import followed
from fastge.spectrum import eigenpairs

RNG = np.random.default_rng(0)


def random_ties(graph: Graph, k: int, seed: int) -> Ties:
    """Ties of every node to all classes and strong ones of a few."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(k), graph.n)
    base = rng.random(graph.n) + 0.01
    nodes = np.sort(rng.choice(graph.n, min(5, graph.n), replace=False))
    there = rng.random((len(nodes), k)) * 10
    return Ties((base[:, None] * shares).astype(np.float32), nodes, there)


def with_classes(graph: Graph, ties: Ties) -> Any:
    """Adjacency of the nodes and, after them, the classes."""
    T = ties.everywhere.astype(float)
    T[ties.nodes] += ties.there
    k = ties.k
    return np.block([[graph.to_scipy().toarray(), T], [T.T, np.zeros((k, k))]])


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 40), st.integers(2, 6), st.integers(0, 999))
def test_potentials_solve_the_dirichlet_problem(n: int, k: int, seed: int) -> None:
    graph = numerics.random_graph(n, seed)
    ties = random_ties(graph, k, seed)
    W = with_classes(graph, ties)
    L = np.diag(W.sum(axis=1)) - W
    expected = np.linalg.solve(L[:n, :n], -L[:n, n:])
    found = potentials(graph, ties, tol=1e-5)
    np.testing.assert_allclose(found.shares, expected, atol=2e-3)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1, atol=1e-5)
    assert found.converged


@pytest.mark.parametrize("k", [2, 3, 6])
def test_potentials_span_the_eigenvectors_of_the_pencil(k: int) -> None:
    """G with the classes as nodes against cannot-links between them: the docstring's theorem."""
    graph = numerics.random_graph(500, 1)
    ties = random_ties(graph, k, 1)
    shares = potentials(graph, ties, tol=1e-6).shares
    values, coefficients = class_pairs(ties, shares)
    mass = ties.of_classes()
    H = np.zeros((500 + k, 500 + k))
    H[500:, 500:] = np.outer(mass, mass) / mass.sum()
    np.fill_diagonal(H, 0)
    expected = eigenpairs(Pencil(with_classes(graph, ties), H), k - 1, tol=1e-6)
    np.testing.assert_allclose(values, expected.values, rtol=1e-3)
    vectors = expected.vectors[:500] - expected.vectors[:500].mean(axis=0)
    mine = shares @ coefficients
    mine = mine - mine.mean(axis=0)
    angles = la.subspace_angles(mine, vectors)
    assert angles.max() < 0.02


def test_single_precision_stays_on_course_where_it_cannot_arrive() -> None:
    """Rounding leaves constants in residuals, which multigrid would blow up from step to step."""
    image = np.zeros((150, 150, 1), np.float32)
    image[40:110, 40:110] = 5
    pixels = Pixels(image + RNG.normal(0, 1, image.shape).astype(np.float32), image[..., 0] >= 0)
    graph = pixel_graph(pixels, Affinity())
    base = graph.degrees * 1e-3
    nodes = np.array([75 * 150 + 75, 0])
    ties = Ties(np.stack([base, base], axis=1).astype(np.float32) / 2, nodes, 10 * np.eye(2))
    good, best = (potentials(graph, ties, tol=tol).shares for tol in (1e-3, 1e-9))
    np.testing.assert_allclose(good, best, atol=0.01)


def test_a_start_near_the_solution_saves_iterations() -> None:
    graph = pixel_graph(
        Pixels(RNG.random((60, 60, 1), np.float32), np.ones((60, 60), bool)), Affinity()
    )
    nodes = np.array([0, 3599])
    base = graph.degrees * 1e-3
    ties = Ties(np.stack([base, base], axis=1).astype(np.float32) / 2, nodes, 10 * np.eye(2))
    first = potentials(graph, ties)
    again = potentials(graph, ties, first.shares)
    assert again.iterations < first.iterations
    np.testing.assert_allclose(again.shares, first.shares, atol=0.02)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 30), st.integers(0, 999))
def test_the_ground_is_one_more_node(n: int, seed: int) -> None:
    graph = numerics.random_graph(n, seed)
    ties = np.random.default_rng(seed).integers(0, 3, n).astype(float)
    grown = Graph(*_native.add_ground(graph.indptr, graph.indices, graph.weights, ties))
    expected = np.zeros((n + 1, n + 1))
    expected[:n, :n] = graph.to_scipy().toarray()
    expected[n, :n] = expected[:n, n] = ties
    np.testing.assert_array_equal(grown.to_scipy().toarray(), expected)
    assert all(
        (np.diff(grown.indices[a:b]) > 0).all()
        for a, b in zip(grown.indptr[:-1], grown.indptr[1:], strict=True)
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=3), st.integers(1, 4), st.integers(0, 99))
def test_blocks_are_means_of_what_takes_part(shape: list[int], side: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    channels = rng.random((*shape, 2)).astype(np.float32)
    inside = rng.random(shape) < 0.7
    blocks = Blocks(tuple(shape), side)
    means = blocks.means(Pixels(channels, inside))
    assert means.shape == blocks.coarse_shape
    for block in np.ndindex(*means.shape):
        part = tuple(slice(side * b, side * (b + 1)) for b in block)
        assert means.inside[block] == inside[part].any()
        if side > 1 and inside[part].any():
            expected = channels[part][inside[part]].mean(axis=0)
            np.testing.assert_allclose(means.channels[block], expected, rtol=1e-5)
    numbers = np.arange(means.inside.size).reshape(means.shape)
    np.testing.assert_array_equal(
        blocks.spread(numbers).ravel(), blocks.of_pixels(np.arange(inside.size))
    )
    full = blocks.means(Pixels(channels, np.ones(shape, bool)))
    assert full.inside.all()


def test_the_number_of_blocks_is_bounded() -> None:
    assert Blocks.at_most((300, 400), 120_000).side == 1
    assert Blocks.at_most((300, 401), 120_000).side == 2
    assert Blocks.at_most((880, 1248), 125_000).coarse_shape == (294, 416)
    assert Blocks.at_most((64, 64, 64), 40_000).coarse_shape == (32, 32, 32)


def test_smoothing_mixes_neighbours_and_skips_what_takes_no_part() -> None:
    values = np.array([[0.0, 4.0, 8.0]], np.float32)[..., None]
    everything = smoothed(Pixels(values, np.ones((1, 3), bool)))
    np.testing.assert_allclose(everything.channels.ravel(), [1, 4, 7])
    hole = smoothed(Pixels(values, np.array([[True, False, True]])))
    np.testing.assert_allclose(hole.channels.ravel(), [0, 0, 8])


def test_likeness_is_a_softmax_of_distances_to_the_nearest_samples() -> None:
    channels = RNG.random((20, 2))
    features = Features.of(channels, np.arange(20), (4, 5))
    samples = [features.samples(np.array([0, 3])), features.samples(np.array([7]))]
    squares = np.stack(
        [((features.rows[:, None] - s[None]) ** 2).sum(axis=2).min(axis=1) for s in samples], axis=1
    )
    expected = np.exp(-squares / 2)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(features.likeness(samples), expected, atol=1e-5)


def test_units_of_the_channels_do_not_matter() -> None:
    channels = RNG.random((30, 3))
    one, other = (Features.of(c, np.arange(30), (5, 6)).rows for c in (channels, 7 * channels))
    np.testing.assert_allclose(one, other, rtol=1e-5)


def test_many_painted_nodes_are_summed_up_by_few_samples() -> None:
    channels = np.concatenate([RNG.normal(m, 0.01, (50, 1)) for m in range(5)])
    features = Features.of(channels, np.arange(250), (1, 250))
    samples = features.samples(np.arange(250))
    assert len(samples) == SAMPLES
    nearest = ((features.rows[:, None] - samples[None]) ** 2).sum(axis=2).min(axis=1)
    assert nearest.max() < ((features.rows[0] - features.rows[-1]) ** 2).sum() / 50


def test_blocks_that_two_classes_are_painted_on_are_shared() -> None:
    pixels = Pixels(RNG.random((4, 4, 1)).astype(np.float32), np.ones((4, 4), bool))
    level = Level(pixels, Blocks((4, 4), 2), Affinity())
    found, ties = level.solve(np.array([0, 1, 5, 15]), np.array([0, 0, 1, 1]), 2)
    shares = ties.there / ties.there.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, [[2 / 3, 1 / 3], [0, 1]])
    assert found.shares[3, 1] > 2 / 3
    np.testing.assert_allclose(ties.everywhere.sum(axis=1), level.ties, rtol=1e-5)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=3),
    st.integers(2, 4),
    st.integers(1, 3),
    st.integers(2, 4),
    st.integers(0, 999),
)
def test_pixels_follow_the_blocks_they_are_alike(
    shape: list[int], side: int, channels: int, k: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    inside = rng.random(shape) < 0.8
    inside.ravel()[0] = True
    whole = Pixels(rng.random((*shape, channels)).astype(np.float32) * inside[..., None], inside)
    level = Level(whole, Blocks(tuple(shape), side), Affinity())
    shares = rng.dirichlet(np.ones(k), level.n).astype(np.float32)
    found = followed(level, whole, shares)
    scale = 2 * level.features.bandwidth**2
    expected = reference.followed(whole, level, shares, scale)
    np.testing.assert_array_equal(found, expected)
