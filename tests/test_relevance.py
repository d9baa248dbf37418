"""Components that carry no information are set aside, and come back with the largest cluster."""

from __future__ import annotations

import numpy as np

import numerics
from fastge.algorithm import cluster
from fastge.constraints import Constraints
from fastge.merging import merge
from fastge.relevance import Relevant, relevant_nodes, with_set_aside

GRAPH = numerics.together(numerics.grid(5, 5, 0), numerics.path(4), *[numerics.path(1)] * 6)


def test_connected_graph_keeps_everything() -> None:
    graph = numerics.path(5)
    assert relevant_nodes(merge(graph), Constraints(), 2).is_everything


def test_largest_components_stay_as_far_as_clusters_go() -> None:
    relevant = relevant_nodes(merge(GRAPH), Constraints(), 2)
    assert not relevant.is_everything
    assert set(range(29)) <= set(relevant.nodes.tolist())
    assert len(relevant.nodes) < GRAPH.n


def test_components_with_constraints_stay() -> None:
    constraints = Constraints(cannot_link=[[0, 33]])
    relevant = relevant_nodes(merge(GRAPH, constraints), constraints, 2)
    assert {0, 24, 33} <= set(relevant.nodes.tolist())


def test_enough_nodes_stay_for_all_clusters() -> None:
    relevant = relevant_nodes(merge(GRAPH), Constraints.from_labels([0] * 2 + [-1] * 33), 32)
    assert len(relevant.nodes) >= 32


def test_outliers_are_no_clusters_where_components_outnumber_clusters() -> None:
    with_outliers = numerics.together(numerics.grid(30, 30, 0), *[numerics.path(2)] * 3)
    relevant = relevant_nodes(merge(with_outliers), Constraints(), 3)
    np.testing.assert_array_equal(relevant.nodes, np.arange(900))
    told = Constraints(must_link=[[900, 902]])
    assert {900, 902} <= set(relevant_nodes(merge(with_outliers, told), told, 3).nodes.tolist())
    assert relevant_nodes(merge(with_outliers), Constraints(), 4).is_everything


def test_components_are_never_split_where_all_are_tiny() -> None:
    ends = np.arange(4000).reshape(2000, 2)
    r = cluster(ends, None, 3)
    assert len(r.report.cluster_ids) == 3
    assert (r.labels[0::2] == r.labels[1::2]).all()
    np.testing.assert_array_equal(r.report.phi, 0)


def test_rows_of_nodes_set_aside_are_zero_and_their_cluster_the_largest() -> None:
    relevant = Relevant(np.array([0, 2, 3]), 5)
    rows = relevant.expanded(np.arange(1.0, 7.0).reshape(3, 2))
    np.testing.assert_array_equal(rows, [[1, 2], [0, 0], [3, 4], [5, 6], [0, 0]])
    labels = with_set_aside(relevant, np.array([7, 3, 3]), np.array([5.0, 9, 1, 1, 9]))
    np.testing.assert_array_equal(labels, [7, 7, 3, 3, 7])
    left_over = with_set_aside(relevant, np.array([-1, 3, 3]), np.ones(5))
    np.testing.assert_array_equal(left_over, [-1, 3, 3, 3, 3])
