"""COSC: its functional, contraction, inner problem and descent against slow versions; answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from threadpoolctl import threadpool_limits

from baselines.cosc import cosc, cosc_fast, normalised_cut
from baselines.cosc.contraction import Instance, contracted, must_link_groups, two_coloured_groups
from baselines.cosc.functional import Functional, balance_gradient
from baselines.cosc.native import InnerSolver
from baselines.cosc.ratio_dca import RatioDCA
from baselines.cosc.split import Splitter
from baselines.cosc.two_way import two_way
from fastge import Constraints
from fastge.datasets import four_moons, grid_image, noisy_knn, planted_partition, sample_labels
from fastge.errors import ClusterCountError, ConstraintError, GraphError
from fastge.graph import as_graph, from_pairs
from fastge.quality import adjusted_rand_index

NO_LINKS = np.empty((0, 2), dtype=np.int64)


def some_instance(seed: int, n: int = 14, links: int = 5, *, density: float = 0.4) -> Instance:
    """A connected graph with random weights and a few cannot-links."""
    rng = np.random.default_rng(seed)
    W = np.triu((rng.random((n, n)) < density) * rng.uniform(0.2, 2, (n, n)), 1)
    W[np.arange(n - 1), np.arange(1, n)] += 0.3
    ends = np.column_stack(np.triu_indices(n, 1))
    chosen = ends[np.sort(rng.choice(len(ends), links, replace=False))] if links else NO_LINKS
    W += W.T
    return Instance(sp.csr_array(W), W.sum(axis=1), chosen)


def slow_functional(instance: Instance, gamma: float, f: np.ndarray) -> float:
    """F_γ by double sums, S(f) by summing the set function over all level sets."""
    W, n, b = instance.adjacency.toarray(), instance.n, instance.b
    Q = np.zeros((n, n))
    for i, j in instance.cannot_link:
        Q[i, j] = Q[j, i] = 1
    steps = np.abs(f[:, None] - f)
    numerator = (W * steps).sum() - gamma * (Q * steps).sum() + gamma * Q.sum() * np.ptp(f)
    levels = np.unique(f)
    volumes = [b[f >= level].sum() for level in levels[1:]]
    balance = sum(
        2 * step * v * (b.sum() - v) / b.sum()
        for step, v in zip(np.diff(levels), volumes, strict=True)
    )
    return numerator / balance


vectors = st.lists(st.integers(-4, 4), min_size=14, max_size=14).filter(lambda f: len(set(f)) > 1)
gammas = st.sampled_from([0.0, 0.3, 2.0])


@given(st.integers(0, 50), gammas, vectors)
@settings(max_examples=60, deadline=None)
def test_functional_is_its_definition_and_thresholds_never_lose(seed, gamma, values) -> None:
    instance, f = some_instance(seed), np.array(values, dtype=float)
    functional = Functional(instance, gamma)
    assert functional(f) == pytest.approx(slow_functional(instance, gamma, f), rel=1e-9)
    side, value = functional.best_threshold(f)
    thresholds = [f > level for level in np.unique(f)[:-1]]
    assert value == pytest.approx(min(functional(t.astype(float)) for t in thresholds))
    assert value == pytest.approx(functional(side.astype(float)))
    assert value <= functional(f) * (1 + 1e-9)  # the relaxation is tight
    if f.min() <= 0 < f.max():
        assert value <= functional((f > 0).astype(float)) * (1 + 1e-9)


@given(st.integers(0, 50), gammas, st.integers(1, 2**13 - 1))
@settings(max_examples=60, deadline=None)
def test_functional_of_an_indicator_is_the_penalised_balanced_cut(seed, gamma, code) -> None:
    instance = some_instance(seed)
    side = np.array([code >> i & 1 for i in range(14)], dtype=bool)
    cut = instance.adjacency.toarray()[np.ix_(side, ~side)].sum()
    violated = sum(side[i] == side[j] for i, j in instance.cannot_link)
    bracket = 1 / instance.b[side].sum() + 1 / instance.b[~side].sum()
    expected = (cut + gamma * violated) * bracket
    assert Functional(instance, gamma)(side.astype(float)) == pytest.approx(expected)
    assert instance.violated(side) == violated


@given(st.integers(0, 50), vectors, vectors)
@settings(max_examples=60, deadline=None)
def test_gradients_support_what_they_are_gradients_of(seed, values, others) -> None:
    """Convex and positively homogeneous: p(f) = ⟨f, g⟩ and p(h) ≥ ⟨h, g⟩ for all h."""
    instance = some_instance(seed)
    f, h = np.array(values, dtype=float), np.array(others, dtype=float)
    s = balance_gradient(instance.b, f)
    assert f @ s == pytest.approx(h_balance(instance, f))
    assert h_balance(instance, h) >= h @ s - 1e-9
    r = Functional(instance, 0.7).kept_gradient(f)
    i, j = instance.cannot_link.T
    assert f @ r == pytest.approx(2 * 0.7 * np.abs(f[i] - f[j]).sum())
    assert 2 * 0.7 * np.abs(h[i] - h[j]).sum() >= h @ r - 1e-9


def h_balance(instance: Instance, f: np.ndarray) -> float:
    """S(f): what the cut, over F_0."""
    steps = np.abs(f[:, None] - f)
    return (instance.adjacency.toarray() * steps).sum() / slow_functional(instance, 0.0, f)


@given(st.integers(0, 50), gammas, st.data())
@settings(max_examples=40, deadline=None)
def test_contraction_is_exact(seed, gamma, data) -> None:
    """On vectors that are constant on groups F is what it was; pairs that merge count once."""
    instance = some_instance(seed, links=7)
    must = data.draw(st.lists(st.tuples(st.integers(0, 13), st.integers(0, 13)), max_size=5))
    group = must_link_groups(14, np.array(must, dtype=np.int64).reshape(-1, 2))
    small = contracted(instance, group)
    ends = np.sort(group[instance.cannot_link], axis=1)
    lost = len(ends) - len(np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0))
    f = np.random.default_rng(seed).standard_normal(small.n)
    if small.n < 2:
        return
    assert small.b.sum() == pytest.approx(instance.b.sum())
    assert small.adjacency.diagonal().sum() == 0
    assert Functional(small, 0)(f) == pytest.approx(Functional(instance, 0)(f[group]))
    if lost == 0:
        assert Functional(small, gamma)(f) == pytest.approx(Functional(instance, gamma)(f[group]))


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=12))
@settings(max_examples=80, deadline=None)
def test_two_colours_are_those_of_bipartite_components(pairs) -> None:
    links = np.array([p for p in pairs if p[0] != p[1]], dtype=np.int64).reshape(-1, 2)
    group, unavoidable = two_coloured_groups(
        Instance(sp.csr_array((12, 12)), np.ones(12), np.unique(np.sort(links, axis=1), axis=0))
    )
    graph = nx.Graph(links.tolist())
    graph.add_nodes_from(range(12))
    odd = 0
    for component in nx.connected_components(graph):
        part = graph.subgraph(component)
        if nx.is_bipartite(part):
            for side in nx.bipartite.sets(part):
                assert len(set(group[list(side)])) <= 1
            assert len(set(group[list(component)])) == min(2, len(component))
        else:
            odd += 1
            assert len(set(group[list(component)])) == len(component)
    assert unavoidable == odd
    assert len(set(group)) == group.max() + 1


def projected_to_simplex(x: np.ndarray) -> np.ndarray:
    """The nearest point of the unit simplex, by sorting."""
    falling = np.sort(x)[::-1]
    thresholds = (np.cumsum(falling) - 1) / np.arange(1, len(x) + 1)
    return np.maximum(x - thresholds[np.flatnonzero(falling > thresholds)[-1]], 0)


class SlowSolver:
    """FISTA on the dual as published: the flow scaled by c, D = D0 − Proj(D0), L = 4."""

    def __init__(self, functional: Functional, f: np.ndarray) -> None:
        self.tail, self.head, self.w = functional.edges
        self.C, n = functional.range_weight / 2, functional.instance.n
        self.outer, self.B = self.C or 1.0, np.zeros((len(self.w), n))
        at = np.arange(len(self.w))
        self.B[at, self.tail], self.B[at, self.head] = 1, -1
        self.c = np.abs(self.B).sum(axis=0).max() ** 0.5
        self.a, self.v = np.zeros(len(self.w)), np.zeros(n)
        self.v[f.argmin()] = 1

    def residual(self, h: np.ndarray, a: np.ndarray, v: np.ndarray) -> np.ndarray:
        D = h / self.outer - self.B.T @ a / self.c
        if not self.C:
            return D
        return (D + v) - projected_to_simplex(D + v)

    def __call__(self, h: np.ndarray, steps: int) -> tuple[np.ndarray, float]:
        a, v, t = self.a, self.v, 1.0
        ahead_a, ahead_v = a, v
        bound = self.c * self.w / self.outer
        for _ in range(steps):
            D = self.residual(h, ahead_a, ahead_v)
            new_a = np.clip(ahead_a + 2 / (self.c * 4) * (self.B @ D), -bound, bound)
            new_v = projected_to_simplex(ahead_v - 2 * D / 4) if self.C else v
            next_t = (1 + (1 + 4 * t * t) ** 0.5) / 2
            ahead_a = new_a + (t - 1) / next_t * (new_a - a)
            ahead_v = new_v + (t - 1) / next_t * (new_v - v)
            a, v, t = new_a, new_v, next_t
        self.a, self.v = a, v
        D = self.residual(h, a, v)
        return D / np.linalg.norm(D), -self.outer * float(np.linalg.norm(D))


def inner_objective(functional: Functional, h: np.ndarray, x: np.ndarray) -> float:
    i, j, w = functional.edges
    return float(w @ np.abs(x[i] - x[j]) + functional.range_weight / 2 * np.ptp(x) - h @ x)


def inner_problem(seed: int, gamma: float) -> tuple[Functional, np.ndarray, np.ndarray]:
    """The first inner problem of a descent from noise."""
    functional = Functional(some_instance(seed, n=25, links=8), gamma)
    f = np.random.default_rng(seed).standard_normal(25)
    gradient = functional.kept_gradient(f) + functional(f) * balance_gradient(
        functional.instance.b, f
    )
    return functional, f, gradient / 2


@pytest.mark.parametrize("gamma", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_native_loop_is_the_published_one(seed: int, gamma: float) -> None:
    """Box and simplex projections, steps, momentum, and the start from where the last one ended."""
    functional, f, h = inner_problem(seed, gamma)
    native, slow = InnerSolver(functional, f), SlowSolver(functional, f)
    for steps in (7, 15):
        found = native(h, steps)
        x, dual = slow(h, steps)
        assert found.iterations == steps
        assert found.dual == pytest.approx(dual, rel=1e-9)
        np.testing.assert_allclose(found.x, x, atol=1e-9)
        assert found.primal == pytest.approx(inner_objective(functional, h, x), abs=1e-9)


@pytest.mark.parametrize("gamma", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_gap_of_the_inner_problem_closes(seed: int, gamma: float) -> None:
    """The dual bounds every point from below; the gap proves the last point to be the best."""
    functional, f, h = inner_problem(seed, gamma)
    solutions = [InnerSolver(functional, f)(h, steps) for steps in (20, 200, 2000, 20_000)]
    duals = [solution.dual for solution in solutions]
    assert (np.diff(duals) >= -1e-9).all()
    gaps = [solution.primal - solution.dual for solution in solutions]
    assert min(gaps) >= -1e-9
    assert gaps[-1] <= max(1e-6 * abs(duals[-1]), 1e-6) or solutions[-1].dual > -1e-6
    rng = np.random.default_rng(0)
    for x in [f, *rng.standard_normal((20, 25))]:
        assert inner_objective(functional, h, x / np.linalg.norm(x)) >= duals[-1] - 1e-9


def test_threads_do_not_change_a_bit() -> None:
    adjacency = grid_image((150, 150), seed=0).adjacency
    links = np.array([[0, 22_000], [70, 15_000]])
    functional = Functional(Instance(adjacency, adjacency.sum(axis=1), links), 0.5)
    f = np.random.default_rng(0).standard_normal(22_500)
    h = functional(f) / 2 * balance_gradient(functional.instance.b, f)
    found = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            found.append(InnerSolver(functional, f)(h, 40))
    np.testing.assert_array_equal(found[0].x, found[1].x)
    assert found[0].dual == found[1].dual


@dataclass(frozen=True, eq=False)
class Recorded(Functional):
    """A functional that remembers its values."""

    values: list[float] = field(default_factory=list)

    def __call__(self, f: np.ndarray) -> float:
        self.values.append(super().__call__(f))
        return self.values[-1]


@pytest.mark.parametrize("gamma", [0.0, 0.5])
@pytest.mark.parametrize("perturbed", [False, True])
def test_descent_ends_at_the_least_value_it_has_seen(gamma: float, perturbed: bool) -> None:
    for seed in range(5):
        functional = Recorded(some_instance(seed, n=40, links=10, density=0.15), gamma)
        start = np.random.default_rng(seed).standard_normal(40)
        descent = RatioDCA(400, perturbed, np.random.default_rng(seed))
        end = descent(functional, start)
        seen = functional.values
        assert Functional(functional.instance, gamma)(end) == pytest.approx(min(seen))
        assert min(seen) < seen[0]
        assert descent.outer > 1
        assert descent.inner > 0


class Stub:
    """A descent that satisfies all cannot-links from some γ on, and none below; notes every γ."""

    def __init__(self, good: np.ndarray, bad: np.ndarray, enough: float) -> None:
        self.good, self.bad, self.enough = good, bad, enough
        self.rng, self.gammas = np.random.default_rng(0), list[float]()

    def __call__(self, functional: Functional, f: np.ndarray) -> np.ndarray:
        self.gammas.append(functional.gamma)
        return self.good if functional.gamma >= self.enough else self.bad


def test_gamma_of_two_clusters_is_doubled_then_bisected() -> None:
    """An odd cycle of cannot-links is not contracted; one of its links must fail."""
    path = from_pairs(6, np.column_stack([np.arange(5), np.arange(1, 6)]), np.ones(5))
    triangle = np.array([[0, 1], [1, 2], [0, 2]])
    instance = Instance(path, path.sum(axis=1), triangle)
    # The contracted vertices are 3, 4, 5, 0, 1, 2.
    good, bad = np.array([0.0, 0, 0, 0, 1, 0]), np.array([1.0, 1, 1, 0, 0, 0])
    descent = Stub(good, bad, enough=1.3)
    found = two_way(instance, descent, starts=2)  # type: ignore[arg-type]
    tried = list(dict.fromkeys(descent.gammas))
    np.testing.assert_allclose(tried[:8], [0, 0.2, 0.4, 0.8, 1.6, 1.2, 1.4, 1.3])
    assert 1.3 <= found.gamma <= 1.3 * 1.01
    assert instance.violated(found.labels) == 1


def test_gamma_of_a_split_is_raised_by_steps_that_double_where_nothing_changes() -> None:
    instance = some_instance(0, n=12, links=6)
    alone = np.eye(12)[np.setdiff1d(np.arange(12), instance.cannot_link.ravel())[0]]
    descent = Stub(alone, alone, enough=0)
    split = Splitter(instance, 2, 1, descent)(np.arange(12))  # type: ignore[arg-type]
    np.testing.assert_allclose(descent.gammas, [0, 0.1, 0.3, 0.7, 1.5])
    assert split.kept == 0


def balanced_cuts(instance: Instance) -> np.ndarray:
    """Least cut (1/vol + 1/vol) of all bipartitions that violate fewest cannot-links."""
    best = (np.inf, np.inf)
    for code in product([False, True], repeat=instance.n - 1):
        side = np.array([*code, False])
        if side.any():
            value = Functional(instance, 0.0)(side.astype(float))
            best = min(best, (instance.violated(side), value))
    return np.array(best)


@pytest.mark.parametrize("seed", range(6))
def test_exact_variant_finds_the_best_of_all_cuts(seed: int) -> None:
    instance = some_instance(seed, n=11, links=4)
    known = Constraints(cannot_link=instance.cannot_link)
    outcome = cosc(instance.adjacency, known, 2, seed=0)
    side = outcome.labels.astype(bool)
    found = instance.violated(side), Functional(instance, 0.0)(side.astype(float))
    np.testing.assert_allclose(found, balanced_cuts(instance), rtol=1e-9)
    assert outcome.diagnostics["ncut"] == pytest.approx(found[1])
    fast = cosc_fast(instance.adjacency, known, 2, seed=0).diagnostics
    assert (fast["violated_cannot_links"], fast["ncut"]) >= (found[0], found[1] * (1 - 1e-9))


@pytest.mark.slow
def test_exact_cut_of_two_moons_is_no_worse_than_the_fast_one() -> None:
    points, truth = make_moons(400, noise=0.13, random_state=0)
    adjacency = noisy_knn(points, 10, 0, seed=0)
    known = Constraints.from_labels(sample_labels(truth, 8, seed=0))
    fast, exact = (method(adjacency, known, 2, seed=0) for method in (cosc_fast, cosc))
    for outcome in (fast, exact):
        assert outcome.diagnostics["violated_cannot_links"] == 0
        assert outcome.diagnostics["violated_must_links"] == 0
        assert adjusted_rand_index(truth, outcome.labels) > 0.9
    assert exact.diagnostics["ncut"] <= fast.diagnostics["ncut"] * (1 + 1e-9)


@pytest.mark.parametrize("method", [cosc_fast, pytest.param(cosc, marks=pytest.mark.slow)])
def test_more_clusters_are_found_and_must_links_hold(method) -> None:
    data = four_moons(400, seed=0)
    known = Constraints.from_labels(sample_labels(data.truth, 60, seed=0))
    outcome = method(data.adjacency, known, 4, seed=0)
    assert adjusted_rand_index(data.truth, outcome.labels) > 0.8
    if method is cosc_fast:
        again = method(data.adjacency, known, 4, seed=0)
        np.testing.assert_array_equal(outcome.labels, again.labels)
    assert outcome.diagnostics["violated_must_links"] == 0
    assert outcome.diagnostics["ncut"] == pytest.approx(
        normalised_cut(as_graph(data.adjacency), outcome.labels)
    )


def test_components_are_splits_that_cost_nothing() -> None:
    data = planted_partition([20, 30, 40], p_in=0.4, p_out=0.0, seed=0)
    known = Constraints.from_labels(sample_labels(data.truth, 9, seed=0))
    outcome = cosc_fast(data.adjacency, known, 3, seed=0)
    assert adjusted_rand_index(data.truth, outcome.labels) == 1.0
    assert outcome.diagnostics["ncut"] == 0


def test_contradictions_are_counted_as_impossible() -> None:
    graph = planted_partition([10, 10], p_in=0.6, p_out=0.1, seed=0).adjacency
    known = Constraints(must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2), (0, 15)])
    figures = cosc_fast(graph, known, 2, seed=0).diagnostics
    assert figures["impossible_cannot_links"] == figures["violated_cannot_links"] == 1


def test_as_many_groups_as_clusters_are_the_answer() -> None:
    graph = planted_partition([4, 4, 4], p_in=0.9, p_out=0.3, seed=0)
    known = Constraints.from_labels(graph.truth)
    for k in (2, 3):
        labels = cosc_fast(graph.adjacency, known, k, seed=0).labels
        assert len(np.unique(labels)) == k
    assert adjusted_rand_index(graph.truth, labels) == 1.0


def test_what_cannot_be_cut_is_refused() -> None:
    graph = planted_partition([4, 4], p_in=0.9, p_out=0.5, seed=0)
    with pytest.raises(ClusterCountError, match="choose 2 ≤ k ≤ 8"):
        cosc_fast(graph.adjacency, Constraints(), 1, seed=0)
    with pytest.raises(ConstraintError, match="leave only 2 groups for k = 3"):
        cosc_fast(graph.adjacency, Constraints.from_labels(graph.truth), 3, seed=0)
    lonely = sp.block_diag([graph.adjacency, sp.csr_array((1, 1))], format="csr")
    with pytest.raises(GraphError, match="some node has no edges"):
        cosc_fast(sp.csr_array(lonely), Constraints(), 2, seed=0)
