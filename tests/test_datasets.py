"""Datasets: geometry, noise, truth, and agreement with the authors' own instances."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

import fastge
from fastge import datasets
from fastge.errors import ParameterError
from fastge.quality import rand_index

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "data" / "four_moons_c50.npz"


def cross_share(adjacency, truth):
    edges = adjacency.tocoo()
    return float((truth[edges.row] != truth[edges.col]).mean())


def assert_simple_symmetric(adjacency):
    assert abs(adjacency - adjacency.T).nnz == 0
    assert not adjacency.diagonal().any()
    assert adjacency.data.min() > 0


def test_four_moons_are_half_rings_and_their_mirror_images():
    moons = datasets.four_moons(400, k_g=8, l_g=4, seed=3)
    first, second, third, fourth = moons.points.reshape(4, 100, 2)
    np.testing.assert_allclose(second, first * (1, -1) + (13, 4))
    np.testing.assert_allclose(fourth, third * (1, -1) + (13, 4))
    radius = np.linalg.norm(np.concatenate([first, third - (26, 0)]), axis=1)
    assert radius.min() >= 8
    assert radius.max() <= 12
    assert (first[:, 1] >= 0).all()
    assert moons.n == 400
    assert moons.k == len(np.unique(moons.truth)) == 4
    assert_simple_symmetric(moons.adjacency)


def test_one_seed_gives_one_graph():
    one, same, other = (datasets.four_moons(200, k_g=6, l_g=3, seed=s) for s in (5, 5, 6))
    assert abs(one.adjacency - same.adjacency).nnz == 0
    assert abs(one.adjacency - other.adjacency).nnz > 0


def test_pacm_is_four_letters_of_uneven_density():
    data = datasets.pacm(seed=2)
    assert data.n == 426
    assert data.k == 4
    assert data.n_edges == data.adjacency.nnz // 2
    assert_simple_symmetric(data.adjacency)
    assert abs(data.adjacency - datasets.pacm(seed=2).adjacency).nnz == 0
    spacing = []
    for c in range(4):
        letter = data.points[data.truth == c]
        between = np.sort(np.linalg.norm(letter[:, None] - letter, axis=2), axis=1)[:, 1]
        assert np.median(between) < 0.5 < 8 < np.ptp(letter[:, 1]) < 14
        spacing.append(between.mean())
    assert max(spacing) > 1.2 * min(spacing)


@pytest.mark.parametrize(
    "data",
    [
        datasets.four_moons(400, seed=3),
        datasets.pacm(seed=3),
        datasets.planted_partition([5, 20, 40], seed=3),
        datasets.grid_image((20, 30), seed=3),
        datasets.network_stand_in("simmons", seed=3),
    ],
    ids=lambda data: data.name,
)
def test_every_result_knows_its_sizes_truth_seed_and_source(data):
    assert data.n == data.adjacency.shape[0] == len(data.truth) == data.sizes.sum()
    assert data.n_edges == data.adjacency.nnz // 2 > data.n / 2
    assert (data.sizes == [(data.truth == c).sum() for c in range(data.k)]).all()
    assert data.sizes.min() > 0
    assert data.seed == 3
    assert data.citation


def test_pacm_letters_hang_together_until_noise_joins_them():
    for seed in range(5):
        points, truth = (data := datasets.pacm(seed=seed)).points, data.truth
        assert cross_share(datasets.noisy_knn(points, 6, 0, seed=0), truth) < 0.02
        assert 0.25 < cross_share(data.adjacency, truth) < 0.32


def test_pacm_is_found_well_but_not_perfectly_without_constraints():
    free, told = [], []
    for seed in range(4):
        data = datasets.pacm(seed=seed)
        known = datasets.sample_constraints(data.truth, 40, seed=seed)
        free.append(rand_index(data.truth, fastge.cluster(data.adjacency, k=4).labels))
        told.append(rand_index(data.truth, fastge.cluster(data.adjacency, known, 4).labels))
    assert 0.83 < np.mean(free) < 0.93 < np.mean(told) < 1


@pytest.mark.reference_data
def test_four_moons_resemble_the_authors_instance():
    if not REFERENCE.exists():
        pytest.skip(f"{REFERENCE.name} is not in ../shared/data")
    authors = np.load(REFERENCE)
    degrees, truth = np.diff(authors["indptr"]), authors["truth"]
    rows = np.repeat(np.arange(len(truth)), degrees)
    share = (truth[rows] != truth[authors["indices"]]).mean()
    for seed in range(3):
        moons = datasets.four_moons(seed=seed)
        ours = moons.adjacency.sum(axis=1)
        assert abs(ours.mean() - degrees.mean()) < 1
        assert abs(ours.min() - degrees.min()) <= 5
        assert abs(ours.max() - degrees.max()) <= 10
        assert abs(cross_share(moons.adjacency, moons.truth) - share) < 0.01
        for c in range(4):
            box = np.ptp(moons.points[moons.truth == c], axis=0)
            np.testing.assert_allclose(box, np.ptp(authors["points"][truth == c], axis=0), atol=1)


@pytest.mark.reference_data
def test_nearest_pairs_are_the_authors_neighbour_graph_up_to_their_noise():
    if not REFERENCE.exists():
        pytest.skip(f"{REFERENCE.name} is not in ../shared/data")
    authors = np.load(REFERENCE)
    near = datasets.nearest_pairs(authors["points"], 30)
    assert abs(2 * len(near) - 50_258) <= 4  # single precision breaks a few ties otherwise
    n = len(authors["truth"])
    rows = np.repeat(np.arange(n), np.diff(authors["indptr"]))
    kept = np.isin(near @ (n, 1), rows * n + authors["indices"])
    assert 0.98 < kept.mean() < 1  # XOR noise at 1 % took the others away


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 40), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_nearest_pairs_match_sorted_distances(n, k, seed):
    k = min(k, n)
    points = np.random.default_rng(seed).random((n, 3))
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    expected = np.zeros((n, n), dtype=bool)
    np.put_along_axis(expected, distance.argsort(axis=1)[:, :k], True, axis=1)
    expected = np.triu(expected | expected.T, 1)
    np.testing.assert_array_equal(datasets.nearest_pairs(points, k), np.argwhere(expected))


@pytest.mark.parametrize("combine", ["union", "xor"])
def test_noise_adds_edges_and_only_xor_removes_some(combine):
    points = np.random.default_rng(0).random((500, 2))
    clean = datasets.noisy_knn(points, 10, 0, seed=1)
    noisy = datasets.noisy_knn(points, 10, 25, seed=1, combine=combine)
    assert_simple_symmetric(noisy)
    removed = (clean - noisy > 0).sum() / clean.nnz
    added = (noisy - clean > 0).sum() / (500 * 499 - clean.nnz)
    assert added == pytest.approx(0.05, abs=0.005)
    assert removed == (0 if combine == "union" else pytest.approx(0.05, abs=0.02))
    assert noisy.data.max() == 1


def test_full_noise_makes_the_complete_graph():
    points = np.random.default_rng(0).random((20, 2))
    assert datasets.noisy_knn(points, 3, 20, seed=0).nnz == 20 * 19
    assert datasets.noisy_knn(points, 20, 20, seed=0, combine="xor").nnz == 0


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 60), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_random_pairs_are_distinct_and_ordered(n, probability, seed):
    pairs = datasets.random_pairs(n, probability, seed=seed)
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert len(np.unique(pairs, axis=0)) == len(pairs) <= n * (n - 1) // 2
    assert pairs.size == 0 or (pairs.min() >= 0 and pairs.max() < n)


def test_random_pairs_hit_every_pair_equally_often():
    hits = np.zeros((8, 8))
    for seed in range(2000):
        hits[tuple(datasets.random_pairs(8, 0.3, seed=seed).T)] += 1
    rates = hits[np.triu_indices(8, 1)] / 2000
    assert rates == pytest.approx(0.3, abs=0.05)
    assert hits.sum() == hits[np.triu_indices(8, 1)].sum()


def test_random_pairs_of_a_huge_graph_take_room_for_the_answer_only():
    n = 40_000_000
    pairs = datasets.random_pairs(n, 1e-11, seed=0)
    assert len(pairs) == pytest.approx(1e-11 * n**2 / 2, rel=0.1)
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert n / 2 < pairs.max() < n
    assert len(datasets.random_pairs(n, 1e-300, seed=0)) == 0


def test_planted_partition_has_the_densities_asked_for():
    sizes = (150, 250, 100)
    data = datasets.planted_partition(sizes, p_in=0.3, p_out=0.05, seed=2)
    assert_simple_symmetric(data.adjacency)
    np.testing.assert_array_equal(np.bincount(data.truth), sizes)
    same = data.truth[:, None] == data.truth[None]
    dense = data.adjacency.toarray()
    np.fill_diagonal(same, False)
    assert dense[same].mean() == pytest.approx(0.3, abs=0.02)
    apart = data.truth[:, None] != data.truth[None]
    assert dense[apart].mean() == pytest.approx(0.05, abs=0.01)
    assert dense.max() == 1


@pytest.mark.parametrize(
    ("neighbours", "edges"), [(4, 30 * 39 + 29 * 40), (8, 30 * 39 + 29 * 40 + 2 * 29 * 39)]
)
def test_grid_image_joins_neighbouring_pixels(neighbours, edges):
    data = datasets.grid_image((30, 40), neighbours=neighbours, seed=1)
    assert data.shape == (30, 40)
    assert data.adjacency.nnz == 2 * edges
    assert_simple_symmetric(data.adjacency)
    ends = data.adjacency.tocoo()
    step = np.abs(np.stack(np.divmod(ends.row, 40)) - np.stack(np.divmod(ends.col, 40)))
    assert step.max() == 1
    assert neighbours == 8 or (step.sum(axis=0) == 1).all()


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_grid_regions_are_whole_and_their_borders_weak(regions, seed):
    data = datasets.grid_image((60, 90), regions=regions, noise=0.02, seed=seed)
    assert len(np.unique(data.truth)) == regions == data.k
    edges = data.adjacency.tocoo()
    border = data.truth[edges.row] != data.truth[edges.col]
    if regions > 1:
        assert edges.data[border].mean() < 0.7 * edges.data[~border].mean()
    inside = data.adjacency.copy()
    inside.data[border] = 0
    inside.eliminate_zeros()
    assert connected_components(inside, directed=False)[0] <= regions + 2  # clipped corners


def test_contradictory_constraints_are_exactly_those_asked_for():
    data = datasets.contradictory(120, honest=20, lies=3, seed=4)
    found = data.constraints.contradictions
    assert len(found.both) == 3
    assert len(found.inside) == 6
    must, cannot = data.constraints.must_link, data.constraints.cannot_link
    assert must.count + cannot.count == 20 + 5 * 3
    assert (data.truth[must.ends[:, 0]] == data.truth[must.ends[:, 1]]).all()
    wrong = data.truth[cannot.ends[:, 0]] == data.truth[cannot.ends[:, 1]]
    assert wrong.sum() == 6
    assert not datasets.contradictory(120, lies=0, seed=4).constraints.contradictions


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-1, 4), min_size=1, max_size=50), st.integers(0, 2**32 - 1), st.data())
def test_labels_are_true_where_they_are_known(truth, seed, data):
    truth = np.array([*truth, 0])
    known = int((truth >= 0).sum())
    few = data.draw(st.integers(1, known))
    many = data.draw(st.integers(few, known))
    small, large = (datasets.sample_labels(truth, c, seed=seed) for c in (few, many))
    assert (large >= 0).sum() == many
    assert (large[large >= 0] == truth[large >= 0]).all()
    assert (small[small >= 0] == large[small >= 0]).all()


def test_labels_by_share():
    truth = np.repeat([0, 1], 100)
    labels = datasets.sample_labels(truth, share=0.15, seed=0)
    assert (labels >= 0).sum() == 30
    assert (datasets.sample_labels(truth, share=1.0, seed=0) == truth).all()
    assert (datasets.sample_labels(truth, share=1e-9, seed=0) >= 0).sum() == 1


def test_constraints_are_all_pairs_among_the_drawn_nodes():
    truth = np.repeat(np.arange(4), 100)
    implied = datasets.sample_constraints(truth, 50, seed=3)
    written = datasets.sample_constraints(truth, 50, pairs=True, seed=3)
    assert implied.labels.count == 50
    assert implied.must_link.count == implied.cannot_link.count == 0
    assert written.labels.count == 0
    assert written.must_link.count + written.cannot_link.count == 50 * 49 // 2
    np.testing.assert_array_equal(implied.nodes, written.nodes)
    sizes = np.bincount(implied.labels.classes)
    assert written.must_link.count == (sizes * (sizes - 1) // 2).sum()
    for links, same in ((written.must_link, True), (written.cannot_link, False)):
        assert ((truth[links.ends[:, 0]] == truth[links.ends[:, 1]]) == same).all()


def test_constraints_are_uniform_over_nodes():
    truth = np.arange(20) % 2
    drawn = [datasets.sample_constraints(truth, 5, seed=s).nodes for s in range(2000)]
    hits = np.bincount(np.concatenate(drawn), minlength=20) / 2000
    assert hits == pytest.approx(0.25, abs=0.04)


@pytest.mark.parametrize(
    "build",
    [
        lambda: datasets.four_moons(1501, seed=0),
        lambda: datasets.four_moons(0, seed=0),
        lambda: datasets.noisy_knn(np.zeros((5, 2)), 6, 0, seed=0),
        lambda: datasets.noisy_knn(np.zeros(5), 2, 0, seed=0),
        lambda: datasets.noisy_knn(np.zeros((5, 2)), 2, 6, seed=0),
        lambda: datasets.noisy_knn(np.zeros((5, 2)), 2, 1, seed=0, combine="and"),
        lambda: datasets.random_pairs(5, 1.5, seed=0),
        lambda: datasets.planted_partition([], seed=0),
        lambda: datasets.planted_partition([3, 0], seed=0),
        lambda: datasets.grid_image((1, 9), seed=0),
        lambda: datasets.grid_image((9, 9), neighbours=6, seed=0),
        lambda: datasets.grid_image((9, 9), contrast=0, seed=0),
        lambda: datasets.contradictory(121, seed=0),
        lambda: datasets.contradictory(20, lies=3, seed=0),
        lambda: datasets.sample_labels(np.zeros(5, int), seed=0),
        lambda: datasets.sample_labels(np.zeros(5, int), 2, share=0.5, seed=0),
        lambda: datasets.sample_labels(np.zeros(5, int), 6, seed=0),
        lambda: datasets.sample_labels(np.zeros(5, int), share=1.5, seed=0),
    ],
)
def test_impossible_requests_are_refused(build):
    with pytest.raises(ParameterError):
        build()
