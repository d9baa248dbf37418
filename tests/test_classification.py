"""Which view of the classes wins, and that it is invisible to whoever renumbers or renames."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import fastge
from fastge import Constraints, datasets
from fastge.blockmodel import refined
from fastge.classification import classified
from fastge.graph import as_graph
from fastge.merging import merge
from fastge.quality import adjusted_rand_index
from fastge.walks import regression
from test_walks import two_sided


def test_blocks_win_where_the_graph_is_divided_by_the_classes() -> None:
    data = datasets.planted_partition([60, 50, 40], p_in=0.2, p_out=0.03, seed=1)
    labels = datasets.sample_labels(data.truth, 20, seed=0)
    told, graph = Constraints.from_labels(labels), as_graph(data.adjacency)
    found = classified(graph, data.truth, told)
    np.testing.assert_array_equal(found, refined(graph, data.truth, told).classes)


def test_regression_wins_where_something_else_divides_the_graph() -> None:
    graph, house, labels = two_sided()
    told = Constraints.from_labels(labels)
    start = fastge.cluster(merge(graph, told), told, 4).labels
    found = classified(graph, start, told)
    assert adjusted_rand_index(house, found) > adjusted_rand_index(house, start)
    np.testing.assert_array_equal(found, regression(graph, told.labels).classes)


def test_without_edges_the_guess_stands() -> None:
    start = np.array([0, 1, 1, 0])
    told = Constraints.from_labels([0, 1, -1, -1])
    found = classified(as_graph(sp.csr_array((4, 4))), start, told)
    np.testing.assert_array_equal(found, start)


def test_the_few_neighbours_of_a_pixel_are_not_asked() -> None:
    data = datasets.grid_image((30, 40), seed=0)
    labels = datasets.sample_labels(data.truth, 20, seed=0)
    told, graph = Constraints.from_labels(labels), as_graph(data.adjacency)
    start = np.where(np.random.default_rng(0).random(graph.n) < 0.2, 0, data.truth)
    np.testing.assert_array_equal(classified(graph, start, told), start)


def moons() -> tuple[sp.csr_array, np.ndarray, np.ndarray]:
    data = datasets.four_moons(400, k_g=15, l_g=4, seed=2)
    return data.adjacency, data.truth, datasets.sample_labels(data.truth, 40, seed=0)


def test_labels_and_all_their_pairs_give_the_same_clusters() -> None:
    A, truth, _ = moons()
    of_labels = datasets.sample_constraints(truth, 40, seed=0)
    of_pairs = datasets.sample_constraints(truth, 40, pairs=True, seed=0)
    labels = fastge.cluster(A, of_labels, 4).labels
    pairs = fastge.cluster(A, of_pairs, 4).labels
    assert adjusted_rand_index(truth, labels) > 0.9
    assert adjusted_rand_index(labels, pairs) > 0.99


def test_renumbered_nodes_have_the_same_clusters() -> None:
    A, _, labels = moons()
    order = np.random.default_rng(0).permutation(len(labels))
    found = fastge.cluster(A, Constraints.from_labels(labels), 4).labels
    there = fastge.cluster(A[order][:, order], Constraints.from_labels(labels[order]), 4).labels
    assert (there == found[order]).mean() > 0.995


def test_renamed_classes_rename_clusters() -> None:
    A, _, labels = moons()
    names = np.array([5, 0, 9, 2])
    found = fastge.cluster(A, Constraints.from_labels(labels), 4).labels
    renamed = np.where(labels >= 0, names[labels], -1)
    there = fastge.cluster(A, Constraints.from_labels(renamed), 4).labels
    assert (there == names[found]).mean() > 0.995


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_units_of_the_data_change_nothing(factor: float) -> None:
    A, _, labels = moons()
    told = Constraints.from_labels(labels)
    found = fastge.cluster(A, told, 4).labels
    assert (fastge.cluster(A * factor, told, 4).labels == found).mean() > 0.995


def test_more_clusters_than_classes_are_still_discovered() -> None:
    data = datasets.planted_partition([60, 60, 60], p_in=0.3, p_out=0.02, seed=4)
    labels = np.where(data.truth < 2, datasets.sample_labels(data.truth, 60, seed=0), -1)
    found = fastge.cluster(data.adjacency, Constraints.from_labels(labels), 3).labels
    assert adjusted_rand_index(data.truth, found) > 0.95
    assert set(found[data.truth < 2]) >= {0, 1}


def test_walks_reach_what_rounds_cannot() -> None:
    """Ten labels in four letters: the first guess is half wrong, and so is what neighbours say."""
    data = datasets.pacm(seed=1000)
    told = Constraints.from_labels(datasets.sample_labels(data.truth, 10, seed=0))
    graph = as_graph(data.adjacency)
    start = fastge.cluster(merge(graph, told), told, 4).labels
    rounds = adjusted_rand_index(data.truth, refined(graph, start, told).classes)
    assert adjusted_rand_index(data.truth, classified(graph, start, told)) > rounds + 0.02
