"""Each merge rule against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from fastge.constraints import Constraints
from fastge.errors import ConstraintError, GraphError, NodeOutOfRangeError
from fastge.graph import Graph, as_graph
from fastge.merging import (
    DEFAULT_RULE,
    median,
    merge,
    paper,
    released,
    released_alpha_1,
    robust,
    scaled,
)
from strategies import Problem, problems

# Path 0 – 1 – 2 – 3 with weights 1, 2, 3 and an isolated node 4: degrees 1, 3, 5, 3, 0.
PATH = np.zeros((5, 5))
for _i, _weight in enumerate((1.0, 2.0, 3.0)):
    PATH[_i, _i + 1] = PATH[_i + 1, _i] = _weight
VOLUME = 12.0
# must-link (0, 3) weighs 1·3·f with confidence 1; cannot-link (1, 2) of confidence 2 weighs 2·3·5·f
PAIRS = Constraints([[0, 3]], [[1, 2]], cannot_link_confidence=[2.0])


def adjacencies(rule: object, constraints: Constraints = PAIRS) -> tuple[np.ndarray, np.ndarray]:
    pencil = merge(PATH, constraints, rule=rule)  # type: ignore[arg-type]
    G, H = (-side.toarray() for side in (pencil.L_G, pencil.L_H))
    np.fill_diagonal(G, 0.0)
    np.fill_diagonal(H, 0.0)
    return G, H


def expected(
    must: float, cannot: float, demand: float, ridge: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    G = PATH.copy()
    G[0, 3] = G[3, 0] = must
    d = np.array([1.0, 3.0, 5.0, 3.0, 0.0])
    H = demand * np.outer(d, d)
    np.fill_diagonal(H, 0.0)
    H[[1, 2], [2, 1]] += cannot
    return G, H + ridge * G


@pytest.mark.parametrize(
    ("rule", "must", "cannot", "demand", "ridge"),
    [
        # factor 1/(1·5), τ = vol/(1²·5) and K_ij = d_i d_j / vol
        (scaled, 3 / 5, 30 / 5, 1 / 5, 0.0),
        # the same factor, τ = 1/5
        (paper, 3 / 5, 30 / 5, 1 / 5 / VOLUME, 0.0),
        # median of the positive degrees is 3: factor 1/(3·5), τ = 1/5
        (median, 3 / 15, 30 / 15, 1 / 5 / VOLUME, 0.0),
        # unit weights, must-links times α, no demand graph
        (released, 5.0, 2.0, 0.0, 1e-8),
        (released_alpha_1, 1.0, 2.0, 0.0, 1e-8),
    ],
)
def test_rule_by_hand(
    rule: object, must: float, cannot: float, demand: float, ridge: float
) -> None:
    for actual, wanted in zip(
        adjacencies(rule), expected(must, cannot, demand, ridge), strict=True
    ):
        np.testing.assert_allclose(actual, wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("rule", [scaled, paper, median, released])
def test_an_isolated_node_counts_as_if_of_the_least_degree(rule: object) -> None:
    G, _ = adjacencies(rule, Constraints([[0, 1], [4, 1]]))
    assert G[4, 1] > 0
    assert G[4, 1] == pytest.approx(G[0, 1] - PATH[0, 1])


def test_labels_by_hand() -> None:
    """Classes {0, 3} and {1}: one implied must-link, two implied cannot-links."""
    G, H = adjacencies(paper, Constraints.from_labels([0, 1, -1, 0, -1]))
    _, without = adjacencies(paper, Constraints())
    wanted_G, _ = expected(3 / 5, 0.0, 0.0)
    np.testing.assert_allclose(G, wanted_G, atol=1e-14)
    implied = np.zeros_like(H)
    implied[0, 1] = implied[1, 0] = 3 / 5
    implied[1, 3] = implied[3, 1] = 9 / 5
    np.testing.assert_allclose(H, without + implied, atol=1e-14)


def test_confidence_of_an_implied_pair_is_the_product() -> None:
    labels = Constraints.from_labels([0, -1, -1, 0, -1], confidence=[0.5, 1, 1, 3, 1])
    G, _ = adjacencies(paper, labels)
    assert G[0, 3] == pytest.approx(0.5 * 3 * 3 / 5)


def test_the_default_is_the_robust_rule() -> None:
    assert DEFAULT_RULE is robust
    np.testing.assert_array_equal(
        merge(PATH, PAIRS).L_H.toarray(), merge(PATH, PAIRS, rule=robust).L_H.toarray()
    )


def cycle_of(weights: list[float]) -> Graph:
    n = len(weights)
    ring = np.array([[i, (i + 1) % n] for i in range(n)])
    return as_graph(np.column_stack([ring, weights]))


def test_the_robust_rule_by_hand_on_equal_and_on_unequal_edges() -> None:
    equal = robust(cycle_of([1.0] * 6))  # d = 2 everywhere, w̄ = 1
    assert equal.must_factor == pytest.approx(1 / 4)
    assert equal.tau == pytest.approx(1 / 4 * 8 / 4)
    unequal = robust(cycle_of([1.0, 5.0] * 3))
    assert unequal.tau == pytest.approx(1 / 6)


def test_the_robust_rule_has_no_jump() -> None:
    taus = [robust(cycle_of([1.0, 1.0 + x] * 3)).tau for x in np.linspace(0, 1, 201)]
    assert np.abs(np.diff(np.log(taus))).max() < 0.02


@pytest.mark.parametrize("unit", [1e-3, 1e6])
def test_the_robust_rule_knows_no_units(unit: float) -> None:
    """G and the cannot-links of H scale with the data; so do their eigenvectors not at all."""
    one, other = (
        merge(unit * PATH if scale else PATH, PAIRS, rule=robust) for scale in (False, True)
    )
    np.testing.assert_allclose(other.L_G.toarray(), unit * one.L_G.toarray(), rtol=1e-12)
    np.testing.assert_allclose(
        other.L_H.toarray(), unit * one.L_H.toarray(), rtol=1e-12, atol=1e-12 * unit
    )


def test_degrees_too_small_to_divide_by_are_an_error_that_names_the_remedy() -> None:
    dust = cycle_of([1.0, 1.0, 1e-200, 1e-200])
    with pytest.raises(GraphError, match=r"merging\.robust"):
        scaled(dust)
    assert np.isfinite(robust(dust).tau)


def test_a_rule_is_any_function_of_the_graph() -> None:
    base = merge(PATH, PAIRS, rule=lambda graph: paper(graph).scaled(must_factor=10.0))
    assert -base.L_G.toarray()[0, 3] == pytest.approx(30.0)


def test_a_must_link_on_an_edge_adds_to_it() -> None:
    G, _ = adjacencies(released, Constraints([[0, 1]]))
    assert G[0, 1] == pytest.approx(6.0)


def test_graph_without_edges() -> None:
    pencil = merge(np.zeros((3, 3)), Constraints([[0, 1]], [[1, 2]]))
    assert pencil.L_H.demand == 0.0
    np.testing.assert_allclose(
        np.diag(pencil.L_G.toarray()), np.diag(pencil.L_G.toarray())[[1, 0, 2]]
    )
    assert pencil.L_G.toarray()[2].tolist() == [0, 0, 0]
    assert pencil.L_H.toarray()[0].tolist() == [0, 0, 0]


@given(problems())
def test_the_data_is_not_changed(problem: Problem) -> None:
    graph = as_graph(problem.adjacency)
    before = graph.to_scipy().toarray().copy()
    pencil = merge(graph, problem.constraints, rule=problem.rule)
    np.testing.assert_array_equal(graph.to_scipy().toarray(), before)
    np.testing.assert_array_equal(pencil.degrees, graph.degrees)


def test_constraints_must_be_constraints() -> None:
    with pytest.raises(ConstraintError, match=r"fastge\.Constraints, not list"):
        merge(PATH, [[0, 1]])  # type: ignore[arg-type]


def test_constraints_must_fit_the_graph() -> None:
    with pytest.raises(NodeOutOfRangeError, match="the graph has 5 nodes"):
        merge(PATH, Constraints([[0, 5]]))
    with pytest.raises(ConstraintError, match="3 labels for 5 nodes"):
        merge(PATH, Constraints.from_labels([0, 1, 0]))
