"""Label spreading, harmonic functions and Poisson learning: known answers and published figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.semi_supervised import LabelSpreading

from baselines.known import known_classes
from baselines.poisson import poisson, poisson_functions
from baselines.propagation import harmonic, harmonic_functions, label_spreading
from fastge import Constraints
from fastge.datasets import planted_partition, sample_labels
from fastge.errors import ConstraintError
from fastge.graph import as_graph, from_pairs
from fastge.quality import adjusted_rand_index

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "data"
METHODS = [label_spreading, harmonic, poisson]


def path(n: int) -> sp.csr_array:
    nodes = np.arange(n)
    return from_pairs(n, np.column_stack([nodes[:-1], nodes[1:]]), np.ones(n - 1))


def barbell(size: int) -> tuple[sp.csr_array, np.ndarray]:
    """Two cliques joined by one edge."""
    i, j = np.triu_indices(size, 1)
    one = np.column_stack([i, j])
    pairs = np.concatenate([one, one + size, [[size - 1, size]]])
    return from_pairs(2 * size, pairs, np.ones(len(pairs))), np.repeat([0, 1], size)


def labelled(n: int, known: dict[int, int]) -> Constraints:
    labels = np.full(n, -1)
    labels[list(known)] = list(known.values())
    return Constraints.from_labels(labels)


@pytest.fixture
def blocks() -> tuple[sp.csr_array, np.ndarray, Constraints]:
    data = planted_partition([60, 80, 50], p_in=0.3, p_out=0.02, seed=3)
    labels = sample_labels(data.truth, 50, seed=4)
    return data.adjacency, data.truth, Constraints.from_labels(labels)


@pytest.mark.parametrize("method", METHODS)
def test_a_barbell_falls_apart_into_its_bells(method) -> None:
    adjacency, truth = barbell(8)
    found = method(adjacency, labelled(16, {0: 7, 15: 3}), 2, seed=0).labels
    np.testing.assert_array_equal(found, np.where(truth == 0, 7, 3))


@pytest.mark.parametrize("method", METHODS)
def test_planted_groups_are_found(method, blocks) -> None:
    adjacency, truth, constraints = blocks
    found = method(adjacency, constraints, 3, seed=0).labels
    assert adjusted_rand_index(truth, found) > 0.9


def test_spreading_on_a_sparse_graph_is_spreading_on_a_dense_one(blocks) -> None:
    adjacency, truth, constraints = blocks
    y = known_classes(constraints, len(truth), "test")
    nodes = np.arange(len(truth))[:, None]
    dense = LabelSpreading(kernel=lambda *_: adjacency.toarray(), alpha=0.9, max_iter=1000)
    found = label_spreading(adjacency, constraints, 3, seed=0, alpha=0.9)
    np.testing.assert_array_equal(found.labels, dense.fit(nodes, y).transduction_)
    assert found.diagnostics["converged"]


def test_spreading_ends_where_the_linear_system_says(blocks) -> None:
    """F = (1 − α) (I − α S)⁻¹ Y"""
    adjacency, truth, constraints = blocks
    W, known = adjacency.toarray(), constraints.labels
    scale = 1 / np.sqrt(W.sum(axis=1))
    Y = np.zeros((len(truth), 3))
    Y[known.nodes, known.classes] = 1
    F = np.linalg.solve(np.eye(len(truth)) - 0.9 * scale[:, None] * W * scale, Y)
    found = label_spreading(adjacency, constraints, 3, seed=0, alpha=0.9, tol=1e-10)
    np.testing.assert_array_equal(found.labels, F.argmax(axis=1))


def test_spreading_takes_no_memory_for_pairs_of_nodes() -> None:
    n = 200_000  # n² numbers would be 320 GB
    found = label_spreading(path(n), labelled(n, {0: 0, n - 1: 1}), 2, seed=0)
    assert found.labels[1] == 0
    assert found.labels[-2] == 1


def test_the_harmonic_function_of_a_path_is_linear() -> None:
    n = 500
    known = np.zeros(n, dtype=bool)
    known[[0, -1]] = True
    f, nodes, _ = harmonic_functions(path(n), known, np.array([[0.0], [1.0]]), tol=1e-12)
    np.testing.assert_allclose(f[:, 0], nodes / (n - 1), atol=1e-8)


def test_harmonic_functions_keep_the_maximum_principle(blocks) -> None:
    """Values lie strictly between those of the labelled nodes, and classes sum to one."""
    adjacency, truth, constraints = blocks
    known = constraints.labels
    mask = np.isin(np.arange(len(truth)), known.nodes)
    Y = np.eye(3)[known.classes[np.argsort(known.nodes)]]
    f, nodes, _ = harmonic_functions(adjacency, mask, Y, tol=1e-10)
    assert len(nodes) == (~mask).sum()
    assert f.min() > 0
    assert f.max() < 1
    np.testing.assert_allclose(f.sum(axis=1), 1, atol=1e-7)


def test_class_mass_gives_few_labels_their_share() -> None:
    """A long path, labelled 0 near one end and 1 at the end: without masses, 1 gets nothing."""
    n = 101
    constraints = labelled(n, {100: 0, 99: 1})
    plain = harmonic(path(n), constraints, 2, seed=0).labels
    assert (plain == 1).sum() == n - 1
    pulled = harmonic(path(n), labelled(n, {0: 0, 20: 1, 100: 1}), 2, seed=0).labels
    massed = harmonic(
        path(n), labelled(n, {0: 0, 20: 1, 100: 1}), 2, seed=0, class_mass=True
    ).labels
    assert (massed == 0).sum() > (pulled == 0).sum()


def test_nodes_out_of_reach_join_the_larger_class() -> None:
    two = sp.block_diag([path(6), path(4)], format="csr")
    constraints = labelled(10, {0: 5, 1: 5, 5: 2})
    found = harmonic(two, constraints, 2, seed=0)
    assert found.labels[6:].tolist() == [5] * 4
    assert found.diagnostics["unreached"] == 4


def test_poisson_functions_solve_the_equation_and_are_centred(blocks) -> None:
    adjacency, _truth, constraints = blocks
    graph, known = as_graph(adjacency), constraints.labels
    Y = np.eye(3)[known.classes]
    U, _ = poisson_functions(graph, known.nodes, Y, tol=1e-12)
    sources = np.zeros_like(U)
    sources[known.nodes] = Y - Y.mean(axis=0)
    L = sp.diags_array(graph.degrees) - adjacency
    np.testing.assert_allclose(L @ U, sources, atol=1e-9)
    np.testing.assert_allclose(graph.degrees @ U, 0, atol=1e-9)
    np.testing.assert_allclose(U.sum(axis=1), 0, atol=1e-9)


def test_priors_move_poissons_border() -> None:
    n = 201
    constraints = labelled(n, {0: 0, 200: 1})
    sizes = [
        int((poisson(path(n), constraints, 2, seed=0, priors=p).labels == 0).sum())
        for p in (np.array([0.3, 0.7]), None, np.array([0.7, 0.3]))
    ]
    assert sizes[0] <= sizes[1] <= sizes[2]
    assert sizes[1] in (100, 101)


@pytest.mark.parametrize("method", METHODS)
def test_pairs_that_say_classes_are_read_as_classes(method, blocks) -> None:
    adjacency, _truth, constraints = blocks
    known = constraints.labels
    i, j = np.triu_indices(known.count, 1)
    ends = np.column_stack([known.nodes[i], known.nodes[j]])
    same = known.classes[i] == known.classes[j]
    pairs = Constraints(ends[same], ends[~same])
    found = method(adjacency, pairs, 3, seed=0).labels
    expected = method(adjacency, constraints, 3, seed=0).labels
    assert adjusted_rand_index(expected, found) == 1.0


@pytest.mark.parametrize(
    "pairs",
    [
        Constraints(must_link=[(0, 1), (2, 3)]),
        Constraints(must_link=[(0, 1)]),
        Constraints(cannot_link=[(0, 1), (1, 2)]),
        Constraints(must_link=[(0, 1)], cannot_link=[(0, 1)]),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_other_pairs_are_refused(method, pairs: Constraints) -> None:
    with pytest.raises(ConstraintError, match="needs the classes"):
        method(path(8), pairs, 2, seed=0)


def test_the_most_confident_label_counts() -> None:
    sure = Constraints.from_labels([0, 1, -1])
    unsure = Constraints.from_labels([1, -1, -1], confidence=0.5)
    assert known_classes(unsure & sure, 3, "test").tolist() == [0, 1, -1]


# Mean ARI on unlabelled nodes over eight other draws of 5, 15 and 30 % labels.
POISSON = {"haverford": (0.098, 0.141, 0.167), "simmons": (0.164, 0.162, 0.188)}


@pytest.mark.reference_data
@pytest.mark.skipif(
    not (REFERENCE / "simmons.npz").exists(), reason=f"the real cases are not in {REFERENCE}"
)
@pytest.mark.parametrize("name", list(POISSON))
def test_poisson_learning_on_the_networks(name: str) -> None:
    from reference_sets import SHARES, network

    for share, expected in zip(SHARES, POISSON[name], strict=True):
        scores = []
        for draw in range(8):
            case = network(name, share, draw)
            found = poisson(case.adjacency, case.constraints, case.k, seed=0, tol=1e-6).labels
            scores.append(adjusted_rand_index(case.truth[case.hidden], found[case.hidden]))
        assert np.mean(scores) == pytest.approx(expected, abs=0.025)
