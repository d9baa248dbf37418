"""Rounds of the block model: what a round is, where it leads, and when it stops."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from fastge import Constraints, blockmodel, datasets
from fastge.blockmodel import LABEL, PAIRS, likelihood, refined
from fastge.graph import Graph, as_graph, from_canonical
from fastge.quality import adjusted_rand_index
from strategies import adjacencies
from test_walks import two_sided


def blocks(seed: int = 0) -> tuple[Graph, np.ndarray]:
    data = datasets.planted_partition([60, 50, 40], p_in=0.2, p_out=0.03, seed=seed)
    return as_graph(data.adjacency), data.truth


def mistaken(truth: np.ndarray, share: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(truth)) < share, rng.integers(0, 3, len(truth)), truth)


def known(truth: np.ndarray, count: int, seed: int = 0) -> Constraints:
    return Constraints.from_labels(datasets.sample_labels(truth, count, seed=seed))


def one_round(A: np.ndarray, classes: np.ndarray, constraints: Constraints) -> np.ndarray:
    """The formulas as they stand in the module's docstring, node by node."""
    n, k = len(A), int(classes.max()) + 1
    Q, d, labels = np.eye(k)[classes], A.sum(axis=1), constraints.labels
    vol, s = d.sum(), A.sum() / (A**2).sum()
    inside, chance = np.trace(Q.T @ A @ Q), ((d @ Q) ** 2).sum() / vol
    p, q = (inside + 1 / s) / (chance + 1 / s), (vol - inside + 1 / s) / (vol - chance + 1 / s)
    counts = np.bincount(labels.classes, weights=labels.confidence, minlength=k)
    counts = np.where(counts > 0, counts, counts[counts > 0].mean()) + 1
    pi = counts / counts.sum()
    if p <= q:
        return classes
    tie = np.log(p / q)
    h = np.log(pi) + s * (tie * A @ Q - (p - q) * np.outer(d, d @ Q) / vol)
    for node, c, confidence in zip(labels.nodes, labels.classes, labels.confidence, strict=True):
        h[node, c] += LABEL * confidence * s * tie * d[node]
    pairs = [(i, j, 1) for i, j in constraints.must_link.ends]
    pairs += [(i, j, -1) for i, j in constraints.cannot_link.ends]
    for node in range(n):
        own = [(i + j - node, sign) for i, j, sign in pairs if node in (i, j)]
        for other, sign in own:
            h[node] += PAIRS * s * tie * d[node] * sign * Q[other] / len(own)
    found = np.where(d > 0, softmax(h, axis=1).argmax(axis=1), classes)
    assume(len(np.unique(found)) == k)
    return found


@given(adjacencies(min_nodes=8, max_nodes=20, decades=2.0), st.integers(0, 1000))
def test_a_round_is_what_the_formulas_say(adjacency: np.ndarray, seed: int) -> None:
    assume(adjacency.any())
    rng, n = np.random.default_rng(seed), len(adjacency)
    classes = rng.integers(0, 3, n)
    classes[:3] = [0, 1, 2]
    labels = np.where(rng.random(n) < 0.3, classes, -1)
    labels[0] = 0
    ends = rng.permutation(n)[: n // 4 * 2].reshape(-1, 2)
    told = Constraints.from_labels(labels) & Constraints(ends[::2], ends[1::2])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blockmodel, "ROUNDS", 1)
        found = refined(as_graph(adjacency), classes, told).classes
    np.testing.assert_array_equal(found, one_round(adjacency, classes, told))


def test_mistakes_of_the_first_guess_are_corrected() -> None:
    graph, truth = blocks()
    start = mistaken(truth, 0.4)
    found = refined(graph, start, known(truth, 15))
    assert adjusted_rand_index(truth, start) < 0.5
    assert adjusted_rand_index(truth, found.classes) > 0.95
    assert found.told.mean() > 0.9


def test_pairs_tell_the_rounds_what_labels_would() -> None:
    graph, truth = blocks()
    data = np.random.default_rng(3).integers(0, len(truth), (200, 2))
    data = data[data[:, 0] != data[:, 1]]
    same = truth[data[:, 0]] == truth[data[:, 1]]
    told = Constraints(data[same], data[~same])
    start = mistaken(truth, 0.5)
    alone = refined(graph, start, Constraints()).classes
    with_pairs = refined(graph, start, told).classes
    assert adjusted_rand_index(truth, with_pairs) > adjusted_rand_index(truth, alone)


def test_a_label_is_overruled_only_by_all_neighbours() -> None:
    graph = from_canonical(sp.block_diag([np.ones((9, 9)) - np.eye(9)] * 2, format="csr"))
    labels = np.full(18, -1)
    labels[[0, 9, 10]] = [0, 1, 0]
    start = np.repeat([0, 1], 9)
    told = Constraints.from_labels(labels, confidence=np.full(18, 0.5))
    assert (refined(graph, start, told).classes == start).all()
    sure = Constraints.from_labels(labels, confidence=np.full(18, 2.0))
    assert refined(graph, start, sure).classes[10] == 0


def test_rounds_that_lose_the_labels_are_taken_back() -> None:
    graph, house, labels = two_sided()
    told = Constraints.from_labels(labels)
    found = refined(graph, house, told)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blockmodel, "DEVIATIONS", np.inf)
        patch.setattr(blockmodel, "SETTLED", 0)
        further = refined(graph, house, told)
    hidden = labels < 0
    quality, lost = (
        adjusted_rand_index(house[hidden], result.classes[hidden]) for result in (found, further)
    )
    assert found.rounds < further.rounds
    assert found.told.sum() > further.told.sum()
    assert quality > lost


def test_nodes_without_neighbours_keep_their_class() -> None:
    graph, truth = blocks()
    n = graph.n
    wider = sp.block_diag([graph.to_scipy(), sp.csr_array((2, 2))], format="csr")
    start = np.concatenate([truth, [2, 1]])
    found = refined(from_canonical(sp.csr_array(wider)), start, known(start, 20))
    assert found.classes[n:].tolist() == [2, 1]


def test_graphs_that_repel_are_left_alone() -> None:
    """A bipartite graph: no edge lies inside a class, so neighbours say nothing."""
    side = np.repeat([0, 1], 20)
    A = sp.csr_array((side[:, None] != side).astype(float))
    found = refined(as_graph(A), side, known(side, 8))
    np.testing.assert_array_equal(found.classes, side)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_other_units_change_nothing(factor: float) -> None:
    graph, truth = blocks()
    start, told = mistaken(truth, 0.4), known(truth, 15)
    scaled = as_graph(graph.to_scipy() * factor)
    found = refined(scaled, start, told).classes
    np.testing.assert_array_equal(found, refined(graph, start, told).classes)


def test_ids_of_classes_are_only_names() -> None:
    graph, truth = blocks()
    names = np.array([7, 3, 40])
    start, labels = mistaken(truth, 0.4), datasets.sample_labels(truth, 15, seed=0)
    renamed = np.where(labels >= 0, names[labels], -1)
    found = refined(graph, start, Constraints.from_labels(labels)).classes
    other = refined(graph, names[start], Constraints.from_labels(renamed)).classes
    np.testing.assert_array_equal(names[found], other)


def test_threads_change_nothing() -> None:
    graph, truth = blocks()
    start, told = mistaken(truth, 0.4), known(truth, 15)
    answers = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            answers.append(refined(graph, start, told).classes)
    np.testing.assert_array_equal(*answers)


def test_no_class_is_lost() -> None:
    """Two triangles, three clusters: neighbours alone would see two."""
    triangle = np.ones((3, 3)) - np.eye(3)
    graph = from_canonical(sp.csr_array(sp.block_diag([triangle] * 2, format="csr")))
    told = Constraints.from_labels([0, -1, -1, 1, -1, -1])
    found = refined(graph, np.array([0, 0, 2, 1, 1, 1]), told).classes
    assert set(found) == {0, 1, 2}
    assert found[0] == 0
    assert found[3] == 1


def test_likelihood_is_the_mean_over_edges() -> None:
    graph, truth = blocks()
    A, d = graph.to_scipy().toarray(), graph.degrees
    same, vol = truth[:, None] == truth, d.sum()
    inside, chance = A[same].sum() + 1, np.outer(d, d)[same].sum() / vol + 1
    p, q = inside / chance, (A[~same].sum() + 1) / (np.outer(d, d)[~same].sum() / vol + 1)
    expected = np.where(same, np.log(p), np.log(q))[A > 0].mean()
    assert likelihood(graph, truth) == pytest.approx(expected)
    assert likelihood(graph, mistaken(truth, 0.5)) < expected
