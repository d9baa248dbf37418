"""Neighbour graphs against scikit-learn's, and on repeated, few and far-off points."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph

from fastge.affinity import (
    connectivity_graph,
    precomputed_neighbors_graph,
    rbf_graph,
    without_diagonal,
)


def points(n: int = 60, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 3))


def test_connectivity_is_the_mean_of_both_directions_of_scikit_learns_graph():
    X = points()
    one_way = kneighbors_graph(X, 7)
    expected = 0.5 * (one_way + one_way.T)
    np.testing.assert_array_equal(connectivity_graph(X, 7).toarray(), expected.toarray())


@given(n=st.integers(2, 30), k=st.integers(1, 40), seed=st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_every_point_has_its_neighbours_and_never_itself(n, k, seed):
    # Coordinates from a small grid: most points are repeated.
    X = np.random.default_rng(seed).integers(0, 3, size=(n, 2)).astype(float)
    W = connectivity_graph(X, k)
    assert (W != W.T).nnz == 0
    assert not W.diagonal().any()
    assert np.diff(W.indptr).min() >= min(k, n - 1)
    assert W.nnz <= 2 * n * min(k, n - 1)
    assert W.sum() == n * min(k, n - 1)


@pytest.mark.parametrize("gamma", [1.0, 0.3])
def test_rbf_is_the_kernel_on_neighbours_and_zero_elsewhere(gamma):
    X = points()
    W = rbf_graph(X, 5, gamma).toarray()
    linked = connectivity_graph(X, 5).toarray() > 0
    np.testing.assert_allclose(W[linked], np.exp(-gamma * cdist(X, X) ** 2)[linked], rtol=1e-9)
    assert not W[~linked].any()


def test_rbf_without_gamma_does_not_depend_on_the_unit_of_length():
    X = points()
    np.testing.assert_allclose(
        rbf_graph(X, 5, None).toarray(), rbf_graph(1e6 * X, 5, None).toarray(), rtol=1e-9
    )


def test_rbf_without_gamma_copes_with_points_repeated_more_often_than_neighbours_are_asked_for():
    X = np.vstack([np.zeros((9, 2)), np.ones((9, 2)), [[5.0, 5.0]]])
    W = rbf_graph(X, 4, None)
    assert np.isfinite(W.data).all()
    assert W[[0], :].max() == 1.0
    assert (W.sum(axis=1) > 0).all()


def test_points_all_alike_have_affinity_one():
    assert set(rbf_graph(np.zeros((6, 2)), 3, None).data) == {1.0}


def test_rbf_warns_when_gamma_isolates_points():
    with pytest.warns(UserWarning, match=r"gamma = 1.0 leaves 60 of 60 points .* gamma=None"):
        rbf_graph(1e3 * points(), 5, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rbf_graph(1e3 * points(), 5, None)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize("repeated", [False, True])
def test_a_transformed_graph_gives_the_same_as_the_points(mode, repeated):
    X = np.repeat(points(20), 2, axis=0) if repeated else points()
    # In mode "distance" one entry more than asked for is stored: the point itself.
    stored = 5 if mode == "distance" else 6
    graph = KNeighborsTransformer(n_neighbors=stored, mode=mode).fit_transform(X)
    ours = precomputed_neighbors_graph(graph, 5)
    np.testing.assert_array_equal(ours.toarray(), connectivity_graph(X, 5).toarray())


def test_sparse_and_dense_distances_agree_and_a_stored_zero_is_a_distance():
    D = cdist(points(), points())
    D[3, 4] = D[4, 3] = 0.0
    rows, columns = np.indices(D.shape)
    stored = sp.coo_array((D.ravel(), (rows.ravel(), columns.ravel())), shape=D.shape).tocsr()
    assert stored.nnz == D.size
    dense = precomputed_neighbors_graph(D, 4)
    np.testing.assert_array_equal(dense.toarray(), precomputed_neighbors_graph(stored, 4).toarray())
    assert dense[3, 4] == 1.0
    assert D[3, 3] == 0.0, "the caller's distances are left alone"


def test_rows_with_fewer_entries_than_neighbours_are_taken_whole():
    D = sp.csr_array(([1.0, 2.0, 1.0], ([0, 0, 1], [1, 2, 0])), shape=(4, 4))
    W = precomputed_neighbors_graph(D, 3).toarray()
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = 1.0
    expected[0, 2] = expected[2, 0] = 0.5
    np.testing.assert_array_equal(W, expected)


def test_the_diagonal_is_dropped_without_touching_the_input():
    A = sp.csr_array(np.ones((3, 3)))
    assert without_diagonal(A).nnz == 6
    assert A.nnz == 9
    clean = without_diagonal(A)
    assert without_diagonal(clean) is clean
