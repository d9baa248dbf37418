"""Standard spectral clustering and the relaxations of CSP and COSC, against dense algebra."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

import reference_sets
from baselines import csp, relaxations, standard
from baselines.relaxations import Task
from baselines.released import released
from baselines.signed import SignedLaplacian
from baselines.spectral import unit_rows
from fastge import Constraints
from fastge.datasets import pacm, planted_partition, sample_labels
from fastge.graph import as_graph
from fastge.quality import adjusted_rand_index, rand_index

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "data"
needs_reference_data = pytest.mark.skipif(
    not (REFERENCE / "simmons.npz").exists(), reason=f"the real cases are not in {REFERENCE}"
)
STANDARD = (standard.shi_malik, standard.ng_jordan_weiss, standard.lee_oveis_gharan_trevisan)
RELAXED = (
    relaxations.csp_sparse,
    relaxations.csp_relaxed,
    relaxations.cosc_relaxed,
    relaxations.cosc_indefinite,
)


def planted(k: int, size: int, labels: int, *, p_out: float = 0.02, seed: int = 0):
    data = planted_partition([size] * k, p_in=0.25, p_out=p_out, seed=seed)
    known = Constraints.from_labels(sample_labels(data.truth, labels, seed=seed))
    return data.adjacency, known, data.truth


def weighted(graph: sp.csr_array, seed: int) -> sp.csr_array:
    """The graph with random weights."""
    upper = sp.triu(graph, format="csr")
    upper.data = np.random.default_rng(seed).uniform(0.5, 2.0, upper.nnz)
    return sp.csr_array(upper + upper.T)


def dense_laplacian(graph: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
    A = graph.toarray()
    return np.diag(A.sum(axis=1)) - A, A.sum(axis=1)


@pytest.mark.parametrize("size", [40, 200])  # solved densely, and by iterations
def test_eigenfunctions_are_those_of_dense_algebra(size: int) -> None:
    graph, _, _ = planted(3, size, 3)
    L, d = dense_laplacian(graph)
    values, X = la.eigh(L, np.diag(d), subset_by_index=[1, 3])
    found = standard.eigenfunctions(as_graph(graph), 3)
    np.testing.assert_allclose(found.values, values, rtol=1e-4)
    np.testing.assert_allclose(found.F.T @ (d[:, None] * found.F), np.eye(3), atol=1e-4)
    alignment = np.abs(np.sum(X[:, :2] * (d[:, None] * found.F[:, :2]), axis=0))
    np.testing.assert_allclose(alignment, 1, atol=1e-4)


@pytest.mark.parametrize("method", STANDARD)
@pytest.mark.parametrize("k", [2, 4])
def test_clear_groups_are_found_without_constraints(method, k: int) -> None:
    graph, known, truth = planted(k, 60, 8)
    outcome = method(graph, known, k, seed=0)
    assert adjusted_rand_index(truth, outcome.labels) > 0.95
    assert outcome.diagnostics["converged"]
    np.testing.assert_array_equal(outcome.labels, method(graph, Constraints(), k, seed=0).labels)


def test_points_of_ng_jordan_and_weiss_are_the_radial_projection_with_the_constant() -> None:
    graph = weighted(planted(3, 40, 3)[0], 0)
    L, d = dense_laplacian(graph)
    normalised = L / np.sqrt(np.outer(d, d))
    V = la.eigh(normalised, subset_by_index=[0, 2])[1]
    found = standard.eigenfunctions(as_graph(graph), 2).with_constant(3)
    ours, theirs = unit_rows(found), unit_rows(V)
    signs = np.sign(np.sum(ours * theirs, axis=0))
    np.testing.assert_allclose(ours, signs * theirs, atol=1e-3)


def pairs_violated(known: Constraints, x: np.ndarray) -> tuple[int, int]:
    """Must-links and cannot-links that the signs of x violate."""
    must, cannot = (x[pairs.ends] for pairs in (known.must_link, known.cannot_link))
    return int((must[:, 0] != must[:, 1]).sum()), int((cannot[:, 0] == cannot[:, 1]).sum())


def some_pairs(n: int, seed: int) -> Constraints:
    """Thirty must-links and thirty cannot-links, no two alike."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    chosen = np.column_stack([i, j])[rng.choice(len(i), 60, replace=False)]
    return Constraints(must_link=chosen[:30], cannot_link=chosen[30:])


@pytest.mark.parametrize("seed", range(5))
def test_quadratic_forms_are_the_functional_of_cosc_on_signs(seed: int) -> None:
    """4 (cut + γ · violated) over 4 vol(C) vol(C̄) / vol."""
    graph = weighted(planted(2, 20, 2, seed=seed)[0], seed)
    known, gamma = some_pairs(40, seed), 0.7
    x = np.where(np.random.default_rng(seed).random(40) < 0.4, 1.0, -1.0)
    d, side = graph.sum(axis=1), x > 0
    cut = graph[side][:, ~side].sum()
    must, cannot = pairs_violated(known, x)
    task = Task.of(graph, known)
    definite = relaxations.definite(task, gamma).matrix
    assert x @ definite @ x == pytest.approx(4 * (cut + gamma * (must + cannot)))
    indefinite, shift = relaxations.indefinite(task, gamma)
    shifted = x @ indefinite.matrix @ x - shift * d.sum()
    assert shifted == pytest.approx(4 * (cut + gamma * (must + cannot - 30)))
    balance = relaxations.balance(task.graph)
    assert balance.energy(x) == pytest.approx(4 * d[side].sum() * d[~side].sum() / d.sum())


def test_laplacian_of_the_double_cover_takes_antisymmetric_vectors_to_such() -> None:
    graph, known = weighted(planted(2, 20, 2)[0], 0), some_pairs(40, 0)
    cannot = Task.of(graph, known).cannot
    L = SignedLaplacian(graph, cannot, np.random.default_rng(0).random(40))
    cover, _ = dense_laplacian(L.double_cover())
    X = np.random.default_rng(1).standard_normal((40, 3))
    expected = L.matrix @ X
    np.testing.assert_allclose(cover @ np.vstack([X, -X]), np.vstack([expected, -expected]))


def test_cycle_of_the_cover_is_symmetric_and_close_to_the_inverse() -> None:
    graph, known, _ = planted(3, 300, 30)
    L = relaxations.definite(Task.of(graph, known), 1.0)
    apply = L.cycle()
    R = np.random.default_rng(0).standard_normal((900, 6))
    Z = apply(R).copy()
    np.testing.assert_allclose(R.T @ Z, (R.T @ Z).T, rtol=1e-9)
    S = la.cho_factor(L.matrix.toarray())
    values = la.eigh(R.T @ Z, R.T @ la.cho_solve(S, R), eigvals_only=True)
    assert 0.2 < values.min() <= values.max() < 5


@pytest.mark.parametrize("size", [40, 200])
@pytest.mark.parametrize("form", ["definite", "indefinite"])
def test_pairs_of_cosc_are_those_of_dense_algebra(form: str, size: int) -> None:
    graph, known, _ = planted(3, size, 24)
    graph, gamma = weighted(graph, 0), 0.6
    task = Task.of(graph, known)
    L, d = dense_laplacian(graph)
    must, cannot = (dense_laplacian(some)[0] for some in (task.must, task.cannot))
    signed_part = 2 * np.diag(np.diag(cannot)) - cannot if form == "definite" else -cannot
    numerator = L + gamma * (must + signed_part)
    # L_K is singular on the constants, the numerator may be indefinite: −L_K against it, shifted.
    shift = 2.0 * gamma * (np.diag(cannot) / d).max()
    positive = numerator + (shift if form == "indefinite" else 0) * np.diag(d)
    mu, X = la.eigh(np.diag(d) - np.outer(d, d) / d.sum(), positive + 1e-12 * np.diag(d))
    expected = 1 / mu[::-1][:3] - (shift if form == "indefinite" else 0)
    solver = getattr(relaxations, f"{form}_pairs")
    found = solver(task, gamma, 3)
    assert found.converged
    np.testing.assert_allclose(found.values, expected, atol=1e-4 * max(shift, expected.max()))
    x, y = X[:, -1], found.vectors[:, 0]
    assert abs(x @ positive @ y) / np.sqrt(y @ positive @ y) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("size", [40, 200])
@pytest.mark.parametrize("signed_laplacian", [False, True])
def test_pairs_of_csp_are_those_of_the_dense_program(signed_laplacian: bool, size: int) -> None:
    graph, known, _ = planted(3, size, 24)
    graph = weighted(graph, 0)
    task = Task.of(graph, known)
    must, cannot = (dense_laplacian(some)[0] for some in (task.must, task.cannot))
    Q = task.must.toarray() - task.cannot.toarray()
    M = cannot - must if signed_laplacian else Q
    L, d = dense_laplacian(graph)
    roots = 1 / np.sqrt(d)
    L, M_bar = roots[:, None] * L * roots, roots[:, None] * M * roots
    values = la.eigvalsh(M_bar)
    beta = (values[-2] + values[-3]) / 2
    B = M_bar - beta * np.eye(len(d))
    V = csp.symmetric_vectors(L, B)
    gains = np.sum(V * (B @ V), axis=0)
    costs = np.sum(V * (L @ V), axis=0)
    kept = np.flatnonzero((gains > 0) & (costs > 1e-9))
    expected = np.sort(costs[kept] / gains[kept])
    found = relaxations.feasible_pairs(task.graph, sp.csr_array(M), float(beta), len(expected))
    assert len(expected) == 2  # as many as eigenvalues above β
    assert found.converged
    np.testing.assert_allclose(found.values, expected, rtol=1e-5)
    U = np.sqrt(d)[:, None] * found.vectors
    np.testing.assert_allclose(L @ U, found.values * (B @ U), atol=1e-3 * np.abs(L @ U).max())


def test_ends_of_the_spectrum_are_those_of_dense_algebra(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, known, _ = planted(3, 60, 30)
    task = Task.of(graph, known)
    Q = sp.csr_array(task.must - task.cannot)
    d = task.graph.degrees
    expected = la.eigvalsh(Q.toarray() / np.sqrt(np.outer(d, d)))
    for most in (1000, 10):  # densely, and by Lanczos iterations
        monkeypatch.setattr(relaxations, "DENSE_SPECTRUM_BELOW", most)
        ends = np.sort(relaxations.ends_of_spectrum(Q, d, 3))
        np.testing.assert_allclose(ends[:3], expected[:3], atol=1e-10)
        np.testing.assert_allclose(ends[-3:], expected[-3:], atol=1e-10)


def test_sparse_csp_is_csp_of_the_normalised_constraints() -> None:
    graph, known, _ = planted(3, 200, 40)
    task = Task.of(graph, known)
    roots = 1 / np.sqrt(task.graph.degrees)
    Q = roots[:, None] * (task.must - task.cannot).toarray() * roots
    s = csp.singular_values(Q)
    outcome = relaxations.csp_sparse(graph, known, 3, seed=0)
    assert outcome.diagnostics["beta"] == pytest.approx((s[2] + s[3]) / 2)
    dense = csp.many_way(task.graph, Q, 3, csp.symmetric_vectors)
    assert outcome.diagnostics["feasible"] == dense.feasible == 2
    expected = csp.clusters(dense, unit_rows(dense.columns), 3, seed=0).labels
    assert adjusted_rand_index(expected, outcome.labels) > 0.99


@pytest.mark.parametrize("method", RELAXED)
@pytest.mark.parametrize("k", [2, 3])
def test_relaxations_find_clear_groups(method, k: int) -> None:
    graph, known, truth = planted(k, 200, 12 * k, p_out=0.01)
    outcome = method(graph, known, k, seed=0)
    assert adjusted_rand_index(truth, outcome.labels) > 0.9
    assert outcome.diagnostics["converged"]
    np.testing.assert_array_equal(outcome.labels, method(graph, known, k, seed=0).labels)


@pytest.mark.parametrize("method", RELAXED)
def test_relaxations_bear_single_pairs_and_several_components(method) -> None:
    graph, _, truth = planted(3, 40, 3, p_out=0.0)
    known = Constraints(must_link=[(0, 1)], cannot_link=[(0, 50)])
    labels = method(graph, known, 3, seed=0).labels
    assert labels.shape == truth.shape
    assert 0 <= labels.min() <= labels.max() < 3


def test_fast_ge_as_released_bears_an_iteration_that_breaks_off() -> None:
    """With ten labels L_CL has rank nine at most, and rounding ends the iteration early."""
    data = pacm(seed=1000)
    known = Constraints.from_labels(sample_labels(data.truth, 10, seed=0))
    outcome = released(data.adjacency, known, 4, seed=0)
    assert not outcome.diagnostics["converged"]
    assert len(np.unique(outcome.labels)) == 4


@pytest.mark.reference_data
@needs_reference_data
@pytest.mark.parametrize(("name", "expected"), [("c50", 0.803), ("simmons", 0.808)])
def test_fast_ge_without_constraints_scores_as_measured(name: str, expected: float) -> None:
    case = (
        reference_sets.moons(name) if name == "c50" else reference_sets.network("simmons", 0.15, 0)
    )
    run = standard.lee_oveis_gharan_trevisan
    labels = run(case.adjacency, case.constraints, case.k, seed=0).labels
    assert rand_index(case.truth, labels) == pytest.approx(expected, abs=0.01)


@pytest.mark.reference_data
@needs_reference_data
def test_on_four_moons_definite_relaxations_are_worse_than_fast_ge() -> None:
    """The negative findings; squares in place of absolute values are another matter."""
    case = reference_sets.moons("c50")
    arguments = case.adjacency, case.constraints, case.k

    def score(method) -> float:
        return rand_index(case.truth, method(*arguments, seed=0).labels)

    fast_ge = score(released)
    for method in (relaxations.csp_sparse, relaxations.csp_relaxed, relaxations.cosc_relaxed):
        assert score(method) < fast_ge - 0.03
    assert score(relaxations.cosc_indefinite) > fast_ge
