"""Baselines on the cases of the originals, against what the originals' own programs make of them.

What is random in the programs (starts of iterations, k-means) is random here, too, but not the
same: medians and ranges over seeds are compared.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import reference_sets
from baselines import csp
from baselines.cosc import cosc_fast
from baselines.fastge2 import fastge2
from baselines.released import paper, released
from baselines.spectral import unit_rows
from fastge.quality import rand_index

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "data"
pytestmark = [
    pytest.mark.reference_data,
    pytest.mark.skipif(
        not (REFERENCE / "simmons.npz").exists(), reason=f"the real cases are not in {REFERENCE}"
    ),
]


def rand_indices(method, case: reference_sets.Case, seeds: int) -> np.ndarray:
    runs = (method(case.adjacency, case.constraints, case.k, seed=seed) for seed in range(seeds))
    return np.sort([rand_index(case.truth, run.labels) for run in runs])


def mean_over_draws(method, name: str, share: float, draws: int) -> float:
    found = []
    for draw in range(draws):
        case = reference_sets.network(name, share, draw)
        labels = method(case.adjacency, case.constraints, case.k, seed=draw).labels
        found.append(rand_index(case.truth, labels))
    return float(np.mean(found))


def test_fast_ge_as_released_on_four_moons() -> None:
    """.911 to .912 with 50 labels; .993 with 100, but about .85 where k-means is unlucky."""
    np.testing.assert_allclose(
        rand_indices(released, reference_sets.moons("c50"), 10), 0.911, atol=0.0015
    )
    many = rand_indices(released, reference_sets.moons("c100"), 10)
    lucky = many > 0.9
    assert 6 <= lucky.sum() <= 10
    np.testing.assert_allclose(many[lucky], 0.993, atol=0.001)
    np.testing.assert_allclose(many[~lucky], 0.845, atol=0.015)


def test_the_paper_to_the_letter_scores_as_the_released_program() -> None:
    for name, expected in (("c50", 0.911), ("c100", 0.993)):
        found = rand_indices(paper, reference_sets.moons(name), 1)
        np.testing.assert_allclose(found, expected, atol=0.002)


def test_fast_ge_2_on_four_moons() -> None:
    for name, expected in (("c50", 0.9105), ("c100", 0.993)):
        found = rand_indices(fastge2, reference_sets.moons(name), 3)
        np.testing.assert_allclose(found, expected, atol=0.002)


def test_cosf_on_four_moons() -> None:
    """Four seeds gave .648 to .962 with 50 labels, and 1, 1, 1 and .900 with 100."""
    few = rand_indices(cosc_fast, reference_sets.moons("c50"), 4)
    assert few.min() > 0.6
    assert few[:2].max() < 0.97
    many = rand_indices(cosc_fast, reference_sets.moons("c100"), 4)
    assert (many == 1).sum() >= 2
    assert many.min() > 0.84


@pytest.mark.parametrize(
    ("method", "name", "share", "expected", "tolerance"),
    [
        (released, "simmons", 0.05, 0.780, 0.02),
        (released, "simmons", 0.15, 0.795, 0.02),
        (released, "simmons", 0.30, 0.833, 0.02),
        (released, "haverford", 0.05, 0.770, 0.02),
        (released, "haverford", 0.15, 0.786, 0.02),
        (released, "haverford", 0.30, 0.817, 0.02),
        (fastge2, "simmons", 0.15, 0.793, 0.02),
        (cosc_fast, "simmons", 0.05, 0.687, 0.06),
        (cosc_fast, "simmons", 0.15, 0.727, 0.06),
        (cosc_fast, "haverford", 0.15, 0.682, 0.06),
    ],
)
def test_networks(method, name: str, share: float, expected: float, tolerance: float) -> None:
    """On labels that were drawn anew."""
    assert mean_over_draws(method, name, share, 3) == pytest.approx(expected, abs=tolerance)


def test_csp_on_the_larger_network() -> None:
    """.683 as released, .739 with unit rows, on other draws of labels."""
    case = reference_sets.network("haverford", 0.15, 0)
    found = csp.feasible_vectors(case.adjacency, case.constraints, case.k)
    both = found.columns, unit_rows(found.columns)
    labels = [csp.clusters(found, rows, case.k, seed=0).labels for rows in both]
    scores = [rand_index(case.truth, some) for some in labels]
    np.testing.assert_allclose(scores, [0.683, 0.739], atol=0.04)


@pytest.mark.slow
def test_cosf_merges_regions_of_patras() -> None:
    """The original's run violates 21 of 91 pairs, all of them cannot-links.

    Its power iteration is far from converged on an image and starts at random: of seven seeds here
    three violate nothing, the others 6, 6, 21 and 30. Regions go together where specks are split.
    """
    case = reference_sets.picture("patras")
    for seed in range(7):
        outcome = cosc_fast(case.adjacency, case.constraints, case.k, seed=seed)
        assert outcome.diagnostics["violated_must_links"] == 0
        violated = outcome.diagnostics["violated_cannot_links"]
        assert (violated > 0) == (np.bincount(outcome.labels).min() < 100)
        if violated:
            break
    assert 4 <= violated <= 35


def test_fast_ge_as_released_on_patras() -> None:
    """Four of 91 pairs violated: a must-link and three cannot-links of the sky."""
    case = reference_sets.picture("patras")
    labels = case.constraints.labels
    for seed in range(3):
        found = released(case.adjacency, case.constraints, case.k, seed=seed).labels[labels.nodes]
        same = labels.classes[:, None] == labels.classes
        together = found[:, None] == found
        assert np.triu(same != together, 1).sum() <= 8
