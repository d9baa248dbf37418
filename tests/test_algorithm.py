"""The whole method: right on hand-made graphs, deterministic, plain about bad input."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from sklearn.exceptions import ConvergenceWarning

import numerics
import reference
from fastge import Constraints, bipartition, cluster, errors, merging
from fastge.algorithm import Progress
from fastge.graph import Graph, IntArray
from fastge.quality import adjusted_rand_index
from strategies import Problem, problems


def blocks(sizes: tuple[int, ...], seed: int, across: float = 0.02) -> tuple[Graph, IntArray]:
    """Planted clusters, and which node belongs to which."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(seed)
    chance = np.where(truth[:, None] == truth, 0.4, across)
    i, j = np.nonzero(np.triu(rng.random(chance.shape) < chance, 1))
    return numerics.graph_of(len(truth), i, j), truth


def some_labels(truth: IntArray, count: int, seed: int = 0) -> Constraints:
    labels = np.full(len(truth), -1)
    for c in np.unique(truth):
        known = np.random.default_rng(seed).choice(np.flatnonzero(truth == c), count, replace=False)
        labels[known] = c
    return Constraints.from_labels(labels)


@pytest.mark.parametrize("sizes", [(30, 30, 30), (250, 200, 150)])
@pytest.mark.parametrize("labelled", [False, True])
def test_planted_clusters_are_found(sizes: tuple[int, ...], labelled: bool) -> None:
    graph, truth = blocks(sizes, 0)
    result = cluster(graph, some_labels(truth, 15) if labelled else None, 3, rule=merging.paper)
    assert adjusted_rand_index(result.labels, truth) == 1
    assert result.converged
    if labelled:
        np.testing.assert_array_equal(result.labels, truth)
    assert result.embedding.shape == result.eigenvectors.shape == (sum(sizes), 3)
    assert result.eigenvalues.shape == result.residuals.shape == (3,)
    assert set(result.timings) == {"merge", "build", "solve", "embed", "partition", "report"}
    assert all(seconds >= 0 for seconds in result.timings.values())


@pytest.mark.parametrize("n", [60, 700])
def test_a_pencil_of_ones_own_is_solved_as_it_is(n: int) -> None:
    graph, truth = blocks((n // 2, n // 2), 0)
    known = some_labels(truth, 5)
    pencil = merging.merge(graph, known)
    merged, own = cluster(graph, known), cluster(pencil, known)
    np.testing.assert_array_equal(own.labels, merged.labels)
    np.testing.assert_array_equal(own.eigenvalues, merged.eigenvalues)
    assert vars(own.report.must_link) == vars(merged.report.must_link)
    unnamed = cluster(pencil)
    assert adjusted_rand_index(unnamed.labels, truth) > 0.95
    assert unnamed.report.must_link.kept == 0
    side, certificate = bipartition(pencil)
    assert adjusted_rand_index(side, truth) > 0.95
    assert certificate.holds


def test_class_ids_are_the_users() -> None:
    graph, truth = blocks((40, 40), 1)
    result = cluster(graph, some_labels(np.array([3, 7])[truth], 3), 2, rule=merging.paper)
    np.testing.assert_array_equal(result.labels, np.array([3, 7])[truth])


def test_more_clusters_than_classes() -> None:
    graph, truth = blocks((40, 40, 40), 2)
    labels = np.where(np.arange(120) % 10 == 0, np.array([3, 7, -1])[truth], -1)
    result = cluster(graph, Constraints.from_labels(labels), 3, rule=merging.scaled)
    assert adjusted_rand_index(result.labels, truth) > 0.85
    assert {3, 7} < set(result.labels)


def test_constraints_move_the_cut() -> None:
    """A 2 × 2 arrangement of blocks can be halved in two ways: constraints say which."""
    W = np.kron([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]], np.full((8, 8), 0.05))
    W += np.kron(np.eye(4), np.ones((8, 8)) - np.eye(8))
    rows = np.repeat([0, 0, 1, 1], 8)
    columns = np.repeat([0, 1, 0, 1], 8)
    for truth, ends in ((rows, [[0, 16], [9, 25]]), (columns, [[0, 8], [17, 25]])):
        side, certificate = bipartition(W, Constraints(cannot_link=ends))
        assert adjusted_rand_index(side, truth) == 1
        assert certificate.holds


@pytest.mark.parametrize("n", [80, 600])
def test_same_seed_same_clusters_whatever_the_threads(n: int) -> None:
    graph, truth = blocks((n // 2, n // 2), 3, across=0.2)
    for constraints in (None, some_labels(truth, 3)):
        one, two = (cluster(graph, constraints, 3, seed=5, threads=t) for t in (1, 2))
        np.testing.assert_array_equal(one.labels, two.labels)
        np.testing.assert_array_equal(one.eigenvectors, two.eigenvectors)
        again = cluster(graph, constraints, 3, seed=5)
        np.testing.assert_array_equal(again.labels, one.labels)


@pytest.mark.parametrize("n", [90, 600])
def test_relabelled_nodes_get_relabelled_clusters(n: int) -> None:
    graph, truth = blocks((n // 3,) * 3, 4, across=0.05)
    order = np.random.default_rng(0).permutation(n)
    A = graph.to_scipy()
    plain, moved = cluster(A, None, 3), cluster(A[order][:, order], None, 3)
    assert adjusted_rand_index(plain.labels[order], moved.labels) == 1
    np.testing.assert_allclose(plain.eigenvalues, moved.eigenvalues, rtol=2e-2)
    known = some_labels(truth, 3)
    labels = np.full(n, -1)
    labels[known.labels.nodes] = known.labels.classes
    plain = cluster(A, known, 3)
    moved = cluster(A[order][:, order], Constraints.from_labels(labels[order]), 3)
    np.testing.assert_array_equal(plain.labels[order], moved.labels)


def test_components_are_clusters() -> None:
    parts = [numerics.complete(size) for size in (5, 9, 300)]
    result = cluster(numerics.together(*parts), None, 3)
    truth = np.repeat([0, 1, 2], [5, 9, 300])
    assert adjusted_rand_index(result.labels, truth) == 1
    assert (result.eigenvalues[:2] == 0).all()


def test_strays_are_set_aside_with_a_note() -> None:
    graph, truth = blocks((30, 50), 5)
    graph = numerics.together(graph, *[numerics.path(1)] * 20)
    result = cluster(graph)
    assert adjusted_rand_index(result.labels[:80], truth) == 1
    assert len(set(result.labels[80:])) <= 2
    assert "largest cluster" in result.report.notes[0]


def test_every_node_its_own_cluster() -> None:
    result = cluster(numerics.path(6), None, 6)
    assert sorted(result.labels) == list(range(6))


def test_contradictions_are_survived() -> None:
    graph, truth = blocks((30, 30), 6)
    pair = [[0, 59], [1, 2]]
    constraints = Constraints(must_link=pair, cannot_link=pair)
    result = cluster(graph, constraints, 2)
    assert adjusted_rand_index(result.labels, truth) > 0.8
    assert result.report.must_link.total == result.report.cannot_link.total == 2


def test_refinement_leaves_outskirts_over() -> None:
    graph, _ = blocks((60, 60), 7, across=0.1)
    whole, refined = (cluster(graph, None, 2, refine=r) for r in (False, True))
    assert set(refined.labels) <= {-1, 0, 1}
    assert refined.report.left_over == (refined.labels == -1).sum()
    kept = refined.labels >= 0
    np.testing.assert_array_equal(refined.labels[kept], whole.labels[kept])
    assert (refined.report.phi <= whole.report.phi * (1 + 1e-9)).all()


def test_progress_is_told(caplog: pytest.LogCaptureFixture) -> None:
    graph = numerics.grid(25, 25, 0)
    seen: list[Progress] = []
    with caplog.at_level(logging.INFO, logger="fastge"):
        result = cluster(graph, None, 3, verbose=True, callback=seen.append)
    assert list(dict.fromkeys(p.stage for p in seen)) == list(result.timings)
    iterations = [p.iteration for p in seen if p.iteration is not None]
    assert iterations == list(range(result.n_iterations + 1))
    assert seen[-3].residual is None
    assert any("iteration" in message for message in caplog.messages)


def test_stopping_early_warns_once() -> None:
    graph = numerics.grid(30, 30, 0)
    with pytest.warns(ConvergenceWarning) as caught:
        result = cluster(graph, None, 3, tol=1e-9, max_iterations=2)
    assert len([w for w in caught if w.category is ConvergenceWarning]) == 1
    assert not result.converged
    assert result.n_iterations == 2


@settings(max_examples=60, deadline=None)
@given(problems(max_nodes=10, decades=2.0, connected=True))
def test_sweep_keeps_the_promises_of_the_theorem(problem: Problem) -> None:
    """λ ≤ φ(G, H) of any cut ≤ φ of the sweep ≤ 4 λ / φ(G, K)."""
    side, certificate = bipartition(problem.adjacency, problem.constraints, rule=problem.rule)
    G, H = reference.merged(problem.adjacency, problem.constraints, problem.weighting)
    found = reference.ratio(G, H, side.astype(bool))
    best = reference.least_ratio(G, H)
    assert found == pytest.approx(certificate.ratio, rel=1e-6)
    assert certificate.lower_bound <= best * (1 + 1e-6)
    assert best <= found * (1 + 1e-6)
    expansion = reference.least_ratio(G, reference.demand_graph(G))
    assert found <= 4 * certificate.eigenvalue / expansion * (1 + 1e-6)
    assert certificate.holds


def test_sides_are_oriented_by_the_classes() -> None:
    graph, truth = blocks((40, 60), 8)
    for flipped in (truth, 1 - truth):
        side, _ = bipartition(graph, some_labels(flipped, 3))
        np.testing.assert_array_equal(side, flipped)


PATH = np.array([[0, 1], [1, 2], [2, 3]])


@pytest.mark.parametrize(
    ("adjacency", "error"),
    [
        ([[0, np.nan], [np.nan, 0]], errors.NonFiniteWeightError),
        ([[0, np.inf], [np.inf, 0]], errors.NonFiniteWeightError),
        ([[0, -1], [-1, 0]], errors.NegativeWeightError),
        (np.empty((0, 0)), errors.EmptyGraphError),
        (np.ones((2, 4)), errors.NotSquareError),
        ([[0, 1j], [1j, 0]], errors.ComplexWeightError),
        ([[0, 1], [0, 0]], errors.AsymmetricGraphError),
        (sp.csr_array((4, 4)), errors.GraphError),
        ("no graph", errors.GraphError),
    ],
)
@pytest.mark.parametrize("function", [cluster, bipartition])
def test_bad_graphs(function: Any, adjacency: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        function(adjacency)


@pytest.mark.parametrize(
    ("constraints", "options", "error"),
    [
        (None, {"k": 1}, errors.ClusterCountError),
        (None, {"k": 5}, errors.ClusterCountError),
        (None, {"k": 2.0}, errors.ClusterCountError),
        (None, {"k": True}, errors.ClusterCountError),
        (None, {"tol": 0.0}, errors.ParameterError),
        (None, {"tol": np.nan}, errors.ParameterError),
        (None, {"max_iterations": 0}, errors.ParameterError),
        (None, {"dtype": np.int64}, errors.ParameterError),
        (None, {"threads": 0}, errors.ParameterError),
        (None, {"seed": "seven"}, errors.ParameterError),
        (None, {"seed": -1}, errors.ParameterError),
        ([[0, 1]], {}, errors.ConstraintError),
        (Constraints(must_link=[[0, 9]]), {}, errors.NodeOutOfRangeError),
        (Constraints.from_labels([0, 1]), {}, errors.ConstraintError),
    ],
)
def test_bad_constraints_and_options(
    constraints: Any, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        cluster(PATH, constraints, **options)


LOOPS = {
    "build": "while True: Hierarchy(g)",
    "solve": "h = Hierarchy(g)\nwhile True: h.solve(np.ones((g.n, 4)) * np.arange(g.n)[:, None])",
    "cluster": "while True: fastge.cluster(g, None, 4)",
}


@pytest.mark.parametrize("loop", LOOPS)
def test_interrupts_are_heard_within_a_second(loop: str) -> None:
    """A second of the processor: other programs may keep this one waiting for longer."""
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import numpy as np, fastge, numerics\n"
        "from fastge.multigrid import Hierarchy\n"
        "g = numerics.grid(700, 700, 0); fastge.cluster\n"
        f"print(flush=True)\n{LOOPS[loop]}"
    )
    folder = numerics.__file__.rpartition("/")[0]
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    time.sleep(0.7)
    before = processor_seconds(process.pid)
    process.send_signal(signal.SIGINT)
    message = process.stderr.read()
    _, _, usage = os.wait4(process.pid, 0)
    assert usage.ru_utime + usage.ru_stime - before < 1  # the interpreter's own end included
    assert message.rstrip().endswith("KeyboardInterrupt")


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
