"""Components: contraction, exact zero eigenvectors, and what their projection leaves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import numerics
from fastge import components
from fastge.errors import GraphError
from fastge.merging import merge
from fastge.pencil import Pencil
from strategies import Problem, problems


@given(problems(decades=2.0), st.integers(0, 2**32 - 1))
def test_contraction_is_a_congruence(problem: Problem, seed: int) -> None:
    group = np.random.default_rng(seed).integers(0, 3, problem.n)
    P = numerics.assignment(group, 3).toarray()
    for side in (problem.pencil.L_G, problem.pencil.L_H):
        expected = P.T @ side.toarray() @ P
        actual = components.contracted(side, group, 3).toarray()
        size = np.abs(side.toarray()).max()
        np.testing.assert_allclose(actual, expected, atol=1e-11 * size * problem.n)


def test_contraction_drops_nodes_of_no_group() -> None:
    graph = numerics.path(4)
    group = np.array([0, -1, 1, 1])
    side = components.contracted(merge(graph).L_G, group, 2)
    assert not side.toarray().any()
    assert components.contracted(merge(graph).L_H, group, 2).mass.tolist() == [1.0, 3.0]


@given(problems(decades=2.0))
def test_zero_vectors_are_eigenvectors(problem: Problem) -> None:
    pencil = problem.pencil
    X = components.zero_vectors(pencil, problem.n)
    assert X.shape[1] == numerics.exact_pairs(pencil)[0]
    np.testing.assert_allclose(pencil.L_G @ X, 0, atol=1e-9 * (1 + np.abs(X).max(initial=0)))
    energy = X.T @ (pencil.L_H @ X)
    np.testing.assert_allclose(energy, np.eye(X.shape[1]), atol=1e-6)
    assert components.zero_vectors(pencil, 1).shape[1] == min(1, X.shape[1])


@given(problems(decades=2.0), st.integers(0, 2**32 - 1))
def test_projection_is_orthogonal_to_indicators(problem: Problem, seed: int) -> None:
    pencil = problem.pencil
    X = np.random.default_rng(seed).standard_normal((problem.n, 3))
    before = pencil.L_G.energy(X)
    Y = components.projector(pencil)(X.copy())
    np.testing.assert_allclose(Y.mean(axis=0), 0, atol=1e-9 * (1 + np.abs(Y).max()))
    np.testing.assert_allclose(pencil.L_G.energy(Y), before, rtol=1e-6, atol=1e-9)
    count, ids = pencil.components
    if count > 1:
        Z = numerics.assignment(ids, count)
        size = np.abs(pencil.L_H.toarray()).max() * (1 + np.abs(Y).max())
        np.testing.assert_allclose(Z.T @ (pencil.L_H @ Y), 0, atol=1e-8 * size * problem.n)


def many_pairs(count: int, *joined: tuple[int, int]) -> Pencil:
    """As many components of two nodes each; H joins some of them."""
    i = np.arange(0, 2 * count, 2)
    G = numerics.graph_of(2 * count, i, i + 1)
    ends = 2 * np.array(joined)
    H = numerics.graph_of(2 * count, ends[:, 0], ends[:, 1], np.arange(1.0, 1 + len(ends)))
    return Pencil(G.to_scipy(), H.to_scipy())


def test_many_components_are_told_apart_like_few(monkeypatch: pytest.MonkeyPatch) -> None:
    pencil = many_pairs(600, (0, 1), (1, 2), (5, 9), (40, 41), (5, 6))
    sparse = components.zero_vectors(pencil, 8)
    X = np.random.default_rng(0).standard_normal((pencil.n, 2))
    projected = components.projector(pencil)(X.copy())
    monkeypatch.setattr(components, "DENSE_BELOW", 10_000)
    dense = components.zero_vectors(pencil, 8)
    assert sparse.shape == dense.shape == (1200, 5)
    np.testing.assert_allclose(np.abs(dense.T @ (pencil.L_H @ sparse)), np.eye(5), atol=1e-7)
    change = projected - components.projector(pencil)(X.copy())
    np.testing.assert_allclose(pencil.L_H @ change, 0, atol=1e-8)


def test_components_that_nothing_tells_apart_have_no_zero_vectors() -> None:
    i = np.arange(0, 1200, 2)
    G = numerics.graph_of(1200, i, i + 1)
    assert components.zero_vectors(Pencil(G.to_scipy(), G.to_scipy()), 3).shape == (1200, 0)


def test_more_directions_than_can_be_projected_out_are_refused() -> None:
    pencil = many_pairs(600, *((j, j + 1) for j in range(components.MOST_DIRECTIONS + 1)))
    with pytest.raises(GraphError, match="components"):
        components.projector(pencil)


def test_connected_graphs_have_none() -> None:
    pencil = Pencil(numerics.path(4).to_scipy(), numerics.complete(4).to_scipy())
    assert components.zero_vectors(pencil, 3).shape == (4, 0)
    assert components.projector(pencil) is components.centred
