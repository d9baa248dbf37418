"""CSP: its β rules, its vectors against QZ, planted answers and the released program's figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

import reference_sets
from baselines import csp
from baselines.pairs import explicit_pairs
from baselines.spectral import unit_rows
from fastge import Constraints
from fastge.datasets import planted_partition, sample_labels
from fastge.errors import ConstraintError
from fastge.graph import as_graph
from fastge.quality import adjusted_rand_index, rand_index

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "data"
needs_reference_data = pytest.mark.skipif(
    not (REFERENCE / "simmons.npz").exists(), reason=f"the real cases are not in {REFERENCE}"
)


def planted(k: int, seed: int = 0, *, size: int = 40, labels: int = 20, p_out: float = 0.05):
    data = planted_partition([size] * k, p_in=0.3, p_out=p_out, seed=seed)
    known = Constraints.from_labels(sample_labels(data.truth, labels, seed=seed))
    return data.adjacency, known, data.truth


def crossed_blocks(size: int = 15) -> tuple[sp.csr_array, np.ndarray]:
    """Four blocks in a square, joined more along rows than along columns; (n, 2) row and column."""
    rng = np.random.default_rng(0)
    place = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], size, axis=0)
    same = place[:, None] == place
    chance = np.select([same.all(2), same[..., 0], same[..., 1]], [0.6, 0.12, 0.06], 0.0)
    upper = np.triu(rng.random(chance.shape) < chance, 1)
    return sp.csr_array((upper | upper.T).astype(float)), place


@pytest.mark.parametrize("side", [0, 1])
def test_constraints_choose_between_two_ways_to_halve_a_graph(side: int) -> None:
    graph, place = crossed_blocks()
    truth = place[:, side]
    known = Constraints.from_labels(sample_labels(truth, 16, seed=1))
    labels = csp.csp(graph, known, 2, seed=0).labels
    assert adjusted_rand_index(truth, labels) > 0.8
    np.testing.assert_array_equal(labels, csp.csp_normalised(graph, known, 2, seed=0).labels)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", [0, 1])
def test_vectors_are_those_of_qz(k: int, seed: int) -> None:
    graph, known, _ = planted(k, seed)
    ours = csp.feasible_vectors(graph, known, k)
    theirs = csp.feasible_vectors(graph, known, k, vectors_of=csp.qz_vectors)
    assert ours.feasible == theirs.feasible
    np.testing.assert_allclose(ours.costs, theirs.costs, rtol=1e-9)
    signs = np.sign(np.sum(ours.columns * theirs.columns, axis=0))
    scale = np.abs(ours.columns).max()
    np.testing.assert_allclose(ours.columns, signs * theirs.columns, atol=1e-8 * scale)


def program(graph: sp.csr_array, known: Constraints, k: int):
    """L̄, Q and D of the dense program, written out entry by entry."""
    n, d = graph.shape[0], np.asarray(graph.sum(axis=1)).ravel()
    L = np.eye(n) - graph.toarray() / np.sqrt(np.outer(d, d))
    Q, pairs = np.zeros((n, n)), explicit_pairs(known)
    for ends, value in ((pairs.must_link, 1.0), (pairs.cannot_link, -1.0)):
        for i, j in ends:
            Q[i, j] = Q[j, i] = value
    if k == 2:
        Q[known.nodes, known.nodes] = 1.0
        Q /= np.sqrt(np.outer(d, d))
    return L, Q, d


@pytest.mark.parametrize("k", [2, 3, 4])
def test_chosen_vectors_are_stationary_feasible_and_balanced(k: int) -> None:
    graph, known, _ = planted(k)
    found = csp.feasible_vectors(graph, known, k)
    L, Q, d = program(graph, known, k)
    B = Q - found.beta * np.eye(len(Q))
    V = np.sqrt(d)[:, None] * found.columns
    V /= np.linalg.norm(V, axis=0)
    gains = np.sum(V * (B @ V), axis=0)
    values = np.sum(V * (L @ V), axis=0) / gains
    assert (gains > 0).all()
    np.testing.assert_allclose(L @ V, values * (B @ V), atol=1e-10)
    np.testing.assert_allclose(np.sqrt(d) @ B @ V, 0, atol=1e-9)  # nothing of the constant is left


def test_beta_of_two_clusters_is_half_of_the_largest_singular_value() -> None:
    graph, known, _ = planted(2)
    _, Q, _ = program(graph, known, 2)
    beta = csp.feasible_vectors(graph, known, 2).beta
    assert beta == pytest.approx(la.svdvals(Q)[0] / 2)


def test_beta_of_more_clusters_lies_halfway_and_leaves_one_vector_less_than_clusters() -> None:
    """Labels without noise give Q k − 1 large positive eigenvalues and a large negative one."""
    graph, known, _ = planted(4)
    _, Q, _ = program(graph, known, 4)
    s = la.svdvals(Q)
    found = csp.feasible_vectors(graph, known, 4)
    assert found.beta == pytest.approx((s[3] + s[4]) / 2 - 1e-6)
    assert found.feasible == found.columns.shape[1] == 3
    assert (np.diff(found.costs) >= 0).all()


def test_columns_of_more_clusters_are_weighted_by_what_their_cost_leaves() -> None:
    graph, known, _ = planted(3)
    found = csp.feasible_vectors(graph, known, 3)
    d = as_graph(graph).degrees
    lengths = np.sqrt(d @ found.columns**2)
    np.testing.assert_allclose(lengths, np.sqrt(d.sum()) * (1 - found.costs))


def test_only_rows_of_unit_length_cluster_the_unlabelled_nodes() -> None:
    graph, known, truth = planted(4, size=80, labels=60, p_out=0.03)
    hidden = np.setdiff1d(np.arange(len(truth)), known.nodes)
    raw = csp.csp(graph, known, 4, seed=0).labels[hidden]
    normalised = csp.csp_normalised(graph, known, 4, seed=0).labels[hidden]
    assert adjusted_rand_index(truth[hidden], normalised) > 0.9
    assert np.bincount(raw).max() > 0.9 * len(hidden)


def test_a_disconnected_graph_is_split_for_free() -> None:
    """Differences of components cost nothing, and enough labels make them feasible."""
    graph, known, truth = planted(3, labels=80, p_out=0.0)
    found = csp.feasible_vectors(graph, known, 3)
    np.testing.assert_allclose(found.costs, [0, 0], atol=1e-12)
    outcome = csp.csp_normalised(graph, known, 3, seed=0)
    assert adjusted_rand_index(truth, outcome.labels) == 1.0


def test_without_constraints_there_is_no_csp() -> None:
    graph, _, _ = planted(2)
    with pytest.raises(ConstraintError, match=r"baselines\.standard"):
        csp.csp(graph, Constraints(), 2, seed=0)


@pytest.mark.reference_data
@needs_reference_data
def test_four_moons_come_out_as_of_the_released_program() -> None:
    case = reference_sets.moons("c100")
    found = csp.feasible_vectors(case.adjacency, case.constraints, case.k)
    for seed in range(2):
        raw = csp.clusters(found, found.columns, case.k, seed).labels
        normalised = csp.clusters(found, unit_rows(found.columns), case.k, seed).labels
        assert sorted(np.bincount(raw)) == [24, 24, 31, 1421]
        assert rand_index(case.truth, raw) == pytest.approx(0.302, abs=0.001)
        assert rand_index(case.truth, normalised) == pytest.approx(0.941, abs=0.001)


@pytest.mark.reference_data
@needs_reference_data
def test_a_network_comes_out_near_the_released_program() -> None:
    """.711 and .762 on other draws of labels."""
    scores = []
    for draw in range(2):
        case = reference_sets.network("simmons", 0.15, draw)
        found = csp.feasible_vectors(case.adjacency, case.constraints, case.k)
        both = found.columns, unit_rows(found.columns)
        labels = [csp.clusters(found, rows, case.k, seed=draw).labels for rows in both]
        scores.append([rand_index(case.truth, some) for some in labels])
    np.testing.assert_allclose(np.mean(scores, axis=0), [0.711, 0.762], atol=0.03)
