"""Regression on walks: the kernel, the system it solves, and what it is good for."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from fastge import Constraints, datasets, walks
from fastge.blockmodel import refined
from fastge.graph import Graph, as_graph, from_canonical
from fastge.quality import adjusted_rand_index
from fastge.walks import LONG, STEPS, attracted, regression


def two_sided(seed: int = 0) -> tuple[Graph, np.ndarray, np.ndarray]:
    """A graph that is divided by something else than its classes, and only a little by those."""
    rng = np.random.default_rng(seed)
    year, house = rng.integers(0, 3, 400), rng.integers(0, 4, 400)
    chance = 0.02 + 0.3 * (year[:, None] == year) + 0.06 * (house[:, None] == house)
    upper = np.triu(rng.random((400, 400)) < chance, 1)
    labels = datasets.sample_labels(house, 200, seed=seed)
    return as_graph((upper | upper.T).astype(float)), house, labels


def kernel(graph: Graph) -> np.ndarray:
    A, d = graph.to_scipy().toarray(), graph.degrees
    walk = (np.eye(graph.n) + A / d[:, None]) / 2
    roots = np.sqrt(d)
    steps = np.linalg.matrix_power(walk, STEPS)
    return roots[:, None] * steps / roots - np.outer(roots, roots) / d.sum()


def test_scores_solve_the_dense_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "TOLERANCE", 1e-10)
    monkeypatch.setattr(walks, "MAX_ITERATIONS", 500)
    graph, _, labels = two_sided()
    nodes = np.flatnonzero(labels >= 0)[:50]
    some = np.full(graph.n, -1)
    some[nodes] = labels[nodes]
    K = kernel(graph)
    Y = np.eye(4)[labels[nodes]]
    inner = K[np.ix_(nodes, nodes)]
    ridge = np.mean(np.diag(inner)) * np.eye(50)
    scores = K[:, nodes] @ np.linalg.solve(inner + ridge, Y - Y.mean(axis=0))
    found = regression(graph, Constraints.from_labels(some).labels)
    np.testing.assert_array_equal(found.classes, walks._balanced(scores, Y.sum(axis=0)))


def test_classes_get_as_many_nodes_as_their_labels_suggest() -> None:
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((4000, 3)) + np.array([2.0, 0.0, 0.0])
    counts = np.array([20.0, 20.0, 56.0])
    sizes = np.bincount(walks._balanced(scores, counts), minlength=3)
    shares = (counts + walks.PSEUDO_LABELS) / (counts + walks.PSEUDO_LABELS).sum()
    np.testing.assert_allclose(sizes / 4000, shares, atol=0.01)
    equal = np.zeros((10, 3))
    np.testing.assert_array_equal(walks._balanced(equal, counts), 0)  # nothing to go by


def test_held_out_labels_are_those_of_the_other_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told of a label must not depend on the label."""
    graph, _, labels = two_sided()
    entries = Constraints.from_labels(labels).labels
    told = regression(graph, entries).told
    assert 0.25 < told.mean() < 1
    wrong = labels.copy()
    wrong[entries.nodes] = np.random.default_rng(1).permutation(entries.classes)
    blind = regression(graph, Constraints.from_labels(wrong).labels).told
    assert blind.mean() < 0.4


def test_classes_beside_a_stronger_division_are_found() -> None:
    graph, house, labels = two_sided()
    told, hidden = Constraints.from_labels(labels), labels < 0
    found = regression(graph, told.labels).classes
    blocks = refined(graph, found, told).classes
    assert adjusted_rand_index(house[hidden], found[hidden]) > 0.3
    assert adjusted_rand_index(house[hidden], blocks[hidden]) < 0.2


def test_other_units_change_nothing() -> None:
    graph, _, labels = two_sided()
    entries = Constraints.from_labels(labels).labels
    found = regression(as_graph(graph.to_scipy() * 1024.0), entries)
    expected = regression(graph, entries)
    np.testing.assert_array_equal(found.classes, expected.classes)
    np.testing.assert_array_equal(found.told, expected.told)


def test_a_node_of_two_classes_and_isolated_nodes_do_no_harm() -> None:
    graph, house, labels = two_sided()
    A = graph.to_scipy().tolil()
    A[5] = 0
    A[:, 5] = 0
    both = np.full(graph.n, -1)
    both[np.flatnonzero(labels >= 0)[0]] = 3
    told = Constraints.from_labels(labels) & Constraints.from_labels(both)
    found = regression(as_graph(A.tocsr()), told.labels)
    assert set(found.classes) <= set(house)
    assert len(found.told) == told.labels.count


def chain() -> tuple[Graph, np.ndarray]:
    """Two dense blobs joined by an edge: a long walk ends where it starts."""
    data = datasets.planted_partition([40, 60], p_in=0.3, p_out=0.002, seed=1)
    return as_graph(data.adjacency), data.truth


def test_walks_from_a_few_labels_reach_their_whole_class() -> None:
    graph, truth = chain()
    labels = np.full(graph.n, -1)
    labels[[0, 99]] = [0, 1]
    entries = Constraints.from_labels(labels).labels
    found = attracted(graph, np.arange(graph.n) % 2, entries)
    np.testing.assert_array_equal(found, truth)


def test_walks_are_those_of_the_dense_matrix() -> None:
    graph, house, labels = two_sided()
    d, A = graph.degrees, graph.to_scipy().toarray()
    walk = np.linalg.matrix_power((np.eye(graph.n) + A / d[:, None]) / 2, LONG)
    nodes = np.flatnonzero(labels >= 0)
    members = np.eye(4)[labels[nodes]]
    scores = walk[:, nodes] @ (members / members.sum(axis=0) / d[nodes, None])
    found = attracted(graph, house, Constraints.from_labels(labels).labels)
    assert (found == scores.argmax(axis=1)).mean() > 0.99
    every = walk @ (np.eye(4)[house] / (d @ np.eye(4)[house]))
    assert (attracted(graph, house) == every.argmax(axis=1)).mean() > 0.99


def test_where_walks_do_not_lead_classes_stand() -> None:
    graph, truth = chain()
    wider = sp.block_diag([graph.to_scipy(), sp.csr_array((2, 2))], format="csr")
    classes = np.concatenate([truth, [1, 0]])
    found = attracted(from_canonical(sp.csr_array(wider)), classes)
    assert found[-2:].tolist() == [1, 0]
