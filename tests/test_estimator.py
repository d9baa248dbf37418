"""The scikit-learn contract, and clusterings that are worth something through it."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._testing import create_memmap_backed_data
from sklearn.utils.estimator_checks import parametrize_with_checks

import fastge
from fastge import ConstrainedSpectralClustering, Constraints
from fastge.errors import (
    AsymmetricGraphError,
    ClusterCountError,
    ConstraintError,
    NodeOutOfRangeError,
    NotSquareError,
    ParameterError,
)
from fastge.merging import scaled

N = 200


def connectivity(X):
    """A callable affinity."""
    graph = kneighbors_graph(X, min(10, X.shape[0] - 1))
    return graph.maximum(graph.T)


def failing_by_contract(estimator):
    if estimator.affinity not in ("precomputed", "precomputed_nearest_neighbors"):
        return {}
    return {"check_clustering": "it passes points in two dimensions, not an n × n matrix"}


@parametrize_with_checks(
    [
        ConstrainedSpectralClustering(),
        ConstrainedSpectralClustering(affinity="rbf"),
        ConstrainedSpectralClustering(affinity="rbf", gamma=None),
        ConstrainedSpectralClustering(affinity="precomputed"),
        ConstrainedSpectralClustering(affinity="precomputed_nearest_neighbors"),
        ConstrainedSpectralClustering(affinity=connectivity),
    ],
    expected_failed_checks=failing_by_contract,
)
@pytest.mark.filterwarnings("ignore:gamma = 1.0 leaves")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def moons():
    return make_moons(N, noise=0.06, random_state=0)


@pytest.fixture(scope="module")
def labelled(moons):
    """Five labels in each moon."""
    truth = moons[1]
    y = np.full(N, -1)
    for moon in (0, 1):
        y[np.flatnonzero(truth == moon)[:5]] = moon
    return y


def two_moons(**options):
    return ConstrainedSpectralClustering(2, random_state=0, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"affinity": "rbf"},
        {"affinity": "rbf", "gamma": None},
        {"affinity": connectivity},
        {"merge_rule": "paper"},
        {"merge_rule": "median"},
        {"merge_rule": "released"},
        {"merge_rule": scaled},
        {"metric": "manhattan"},
        {"metric": "seuclidean", "metric_params": {"V": [0.75, 0.25]}},
    ],
)
def test_ten_labels_tell_the_moons_apart(moons, labelled, options):
    X, truth = moons
    model = two_moons(**options).fit(X, labelled)
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    # Clusters carry the ids of the classes, so that no matching is needed.
    assert (model.labels_ == truth).mean() > 0.97


def test_class_ids_may_be_any(moons, labelled):
    X, truth = moons
    names = np.array([70, 3])
    labels = two_moons().fit_predict(X, np.where(labelled < 0, -1, names[labelled]))
    assert (labels == names[truth]).mean() > 0.97


def test_attributes(moons, labelled):
    X, _ = moons
    model = two_moons().fit(X, labelled)
    assert model.labels_.shape == (N,)
    assert model.labels_.dtype.kind == "i"
    assert model.embedding_.shape == model.eigenvectors_.shape == (N, 2)
    np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=1), 1.0)
    assert model.eigenvalues_.shape == model.residuals_.shape == (2,)
    assert (np.diff(model.eigenvalues_) >= 0).all()
    assert (model.residuals_ < 1e-2).all()
    assert model.converged_
    assert model.n_iter_ >= 1
    assert model.n_features_in_ == 2
    assert isinstance(model.affinity_matrix_, sp.csr_array)
    assert model.affinity_matrix_.nnz <= 2 * 10 * N
    assert model.report_.must_link.total == model.report_.cannot_link.total - 5 == 20
    assert model.report_.must_link.violated == 0


def test_an_integer_seed_gives_what_cluster_gives(moons, labelled):
    X, _ = moons
    model = ConstrainedSpectralClustering(3, random_state=7).fit(X, labelled)
    direct = fastge.cluster(model.affinity_matrix_, Constraints.from_labels(labelled), 3, seed=7)
    np.testing.assert_array_equal(model.labels_, direct.labels)
    np.testing.assert_allclose(model.eigenvalues_, direct.eigenvalues)


def test_random_states_are_drawn_from(moons):
    X, _ = moons
    labels = [
        ConstrainedSpectralClustering(4, random_state=np.random.RandomState(3)).fit_predict(X)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*labels)
    with pytest.raises(ValueError, match="seed"):
        ConstrainedSpectralClustering(2, random_state="seven").fit(X)


def test_without_labels_it_is_spectral_clustering():
    X, truth = make_blobs(N, centers=4, random_state=1, cluster_std=0.8)
    model = ConstrainedSpectralClustering(4, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    assert sorted(set(model.labels_)) == [0, 1, 2, 3]


def test_pairs_alone_and_pairs_with_labels(moons):
    X, truth = moons
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, N, size=(60, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    known = Constraints(pairs[same], pairs[~same])
    model = two_moons().fit(X, constraints=known)
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    y = np.full(N, -1)
    y[0], y[np.flatnonzero(truth != truth[0])[0]] = truth[0], 1 - truth[0]
    both = two_moons().fit(X, y, constraints=known)
    assert (both.labels_ == truth).mean() > 0.97
    assert both.report_.must_link.total == model.report_.must_link.total
    assert both.report_.cannot_link.total == model.report_.cannot_link.total + 1


def test_contradictory_constraints_are_weighed_not_refused(moons, labelled):
    X, truth = moons
    i, j = np.flatnonzero(truth == 0)[:2]
    wrong = Constraints(must_link=[(i, j)], cannot_link=[(i, j)])
    assert wrong.contradictions
    lie = labelled.copy()
    lie[np.flatnonzero(truth == 0)[0]] = 1
    model = two_moons().fit(X, lie, constraints=wrong)
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    assert model.report_.must_link.violated + model.report_.cannot_link.violated > 0


def test_more_classes_than_clusters_and_fewer():
    X, truth = make_blobs(N, centers=4, random_state=1, cluster_std=0.8)
    few = ConstrainedSpectralClustering(2, random_state=0).fit_predict(X, truth)
    assert len(set(few)) == 2
    y = np.full(N, -1)
    for known in (1, 3):
        y[np.flatnonzero(truth == known)[:2]] = known
    more = ConstrainedSpectralClustering(4, random_state=0).fit_predict(X, y)
    assert adjusted_rand_score(truth, more) > 0.9
    assert (more == truth)[(truth == 1) | (truth == 3)].mean() > 0.95
    assert sorted(set(more)) == [0, 1, 2, 3]


def test_one_cluster_holds_everything(moons, labelled):
    X, _ = moons
    one = ConstrainedSpectralClustering(1).fit(X, labelled)
    assert set(one.labels_) == {0}
    assert one.embedding_.shape == (N, 0)
    assert one.report_.must_link.violated == 0
    assert one.report_.cannot_link.kept == 0
    y = np.where(labelled == 1, 5, -1)
    assert set(ConstrainedSpectralClustering(1).fit_predict(X, y)) == {5}


@pytest.mark.parametrize("n", [2, 3, 5])
def test_few_samples(n):
    X = np.arange(n, dtype=float)[:, None]
    labels = ConstrainedSpectralClustering(2, random_state=0).fit_predict(X)
    assert len(set(labels)) == 2


def test_refined_clusters_may_leave_samples_over(moons, labelled):
    X, truth = moons
    labels = two_moons(refine=True).fit_predict(X, labelled)
    assert set(labels) <= {-1, 0, 1}
    placed = labels >= 0
    assert adjusted_rand_score(truth[placed], labels[placed]) > 0.9


def test_tolerance_and_iterations_reach_the_solver(moons, labelled):
    X, _ = moons
    tight = two_moons(tol=1e-9, max_iter=500).fit(X, labelled)
    assert tight.converged_
    assert (tight.residuals_ < 1e-6).all()


@pytest.mark.parametrize("affinity", ["nearest_neighbors", "rbf"])
def test_points_may_be_sparse_in_either_interface_and_with_long_indices(moons, labelled, affinity):
    X, _ = moons
    model = two_moons(affinity=affinity)
    expected = model.fit_predict(X, labelled)
    long = sp.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    for points in (sp.csr_matrix(X), sp.csc_array(X), sp.coo_array(X), long):
        np.testing.assert_array_equal(model.fit_predict(points, labelled), expected)


@pytest.mark.parametrize("interface", ["spmatrix", "sparray"])
def test_precomputed_graphs_in_every_form(moons, labelled, interface):
    X, _ = moons
    config = {"sparse_interface": interface} if "sparse_interface" in sklearn.get_config() else {}
    with sklearn.config_context(**config), warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = two_moons().fit(X, labelled)
        A = expected.affinity_matrix_
        long = A.copy()
        long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
        model = two_moons(affinity="precomputed")
        for affinity in (A, sp.csr_matrix(A), A.tocoo(), A.tocsc(), A.toarray(), long):
            found = model.fit_predict(affinity, labelled)
            np.testing.assert_array_equal(found, expected.labels_)
        graph = KNeighborsTransformer(n_neighbors=10).fit_transform(X)
        model = two_moons(affinity="precomputed_nearest_neighbors")
        np.testing.assert_array_equal(model.fit_predict(graph, labelled), expected.labels_)
        assert abs(model.affinity_matrix_ - A).max() == 0


def test_a_kernel_matrix_keeps_quiet_about_its_diagonal(moons, labelled):
    X, truth = moons
    kernel = rbf_kernel(X, gamma=30.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = two_moons(affinity="precomputed").fit(kernel, labelled)
    assert (np.diag(kernel) == 1).all()
    assert not model.affinity_matrix_.diagonal().any()
    assert adjusted_rand_score(truth, model.labels_) > 0.9


def test_read_only_memory_maps(moons, labelled):
    X, _ = moons
    mapped, y = create_memmap_backed_data([X, labelled])
    expected = two_moons().fit(X, labelled)
    np.testing.assert_array_equal(two_moons().fit_predict(mapped, y), expected.labels_)
    A = expected.affinity_matrix_
    parts = create_memmap_backed_data([A.data, A.indices, A.indptr])
    graph = sp.csr_array(tuple(parts), shape=A.shape)
    model = two_moons(affinity="precomputed")
    np.testing.assert_array_equal(model.fit_predict(graph, y), expected.labels_)


def test_single_precision_points(moons, labelled):
    X, truth = moons
    labels = two_moons().fit_predict(X.astype(np.float32), labelled)
    assert (labels == truth).mean() > 0.97


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_clusters": 2.0}, "n_clusters is 2.0"),
        ({"n_clusters": True}, "n_clusters is True"),
        ({"n_neighbors": 0}, "n_neighbors is 0"),
        ({"gamma": -1.0}, "gamma is -1.0"),
        ({"gamma": np.inf}, "gamma is inf"),
        ({"gamma": "auto"}, "gamma is 'auto'"),
        ({"tol": 0}, "tol is 0"),
        ({"tol": 1}, "tol is 1; pass a number between 0 and 1"),
        ({"max_iter": 1.5}, "max_iter is 1.5"),
        ({"affinity": "knn"}, "affinity is 'knn'; pass 'nearest_neighbors', 'rbf'"),
        ({"affinity": None}, "affinity is None"),
        ({"merge_rule": "scale"}, "merge_rule is 'scale'; pass 'robust'"),
    ],
)
def test_parameters_out_of_range(moons, options, message):
    with pytest.raises(ParameterError, match=message):
        ConstrainedSpectralClustering(**options).fit(moons[0])


def test_more_clusters_than_samples(moons):
    with pytest.raises(ClusterCountError, match="n_clusters = 6 is more than n_samples = 5"):
        ConstrainedSpectralClustering(6).fit(moons[0][:5])


def test_precomputed_graphs_are_checked(moons):
    X, _ = moons
    model = ConstrainedSpectralClustering(2, affinity="precomputed")
    with pytest.raises(NotSquareError, match=r"200 × 2.*for points pass"):
        model.fit(np.abs(X))
    with pytest.raises(AsymmetricGraphError):
        model.fit(kneighbors_graph(X, 5))
    with pytest.raises(ValueError, match="Negative values"):
        model.fit(-np.eye(5))


def test_a_callable_has_to_return_one_row_per_sample(moons):
    model = ConstrainedSpectralClustering(2, affinity=lambda X: np.ones((3, 3)))
    with pytest.raises(NotSquareError, match="200 samples has 3 rows"):
        model.fit(moons[0])


def test_constraints_are_checked_before_the_neighbours_are_searched(moons):
    def never(X):
        raise AssertionError("searched")

    model = ConstrainedSpectralClustering(2, affinity=never)
    with pytest.raises(NodeOutOfRangeError):
        model.fit(moons[0], constraints=Constraints(must_link=[(0, N)]))
    with pytest.raises(ConstraintError, match=r"a fastge\.Constraints, not list"):
        model.fit(moons[0], constraints=[(0, 1)])
    with pytest.raises(ConstraintError, match="factorize"):
        model.fit(moons[0], ["left", "right"] * (N // 2))


def test_clone_pickle_and_parameters(moons, labelled):
    X, _ = moons
    model = two_moons(merge_rule="median", n_neighbors=8).fit(X, labelled)
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "labels_")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.labels_, model.labels_)
    assert again.report_.must_link == model.report_.must_link


def test_pipeline_without_and_with_routing(moons, labelled):
    X, truth = moons
    stretched = X * [1.0, 1e4]
    known = Constraints(must_link=[np.flatnonzero((truth == 0) & (labelled < 0))[:2]])
    plain = Pipeline([("scale", StandardScaler()), ("cluster", two_moons())])
    plain.set_output(transform="default")
    labels = plain.fit_predict(stretched, labelled, cluster__constraints=known)
    assert (labels == truth).mean() > 0.97
    assert plain[-1].report_.must_link.total == 21
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_pipeline(StandardScaler(), two_moons().set_fit_request(constraints=True))
        np.testing.assert_array_equal(
            routed.fit(stretched, labelled, constraints=known)[-1].labels_, labels
        )
        np.testing.assert_array_equal(
            routed.fit_predict(stretched, labelled, constraints=known), labels
        )


def test_feature_names_and_data_frames(moons, labelled):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(moons[0], columns=["left", "right"])
    y = pandas.Series(labelled, dtype="Int64").replace(-1, pandas.NA)
    model = make_pipeline(StandardScaler(), two_moons()).set_output(transform="pandas")
    with pytest.warns(UserWarning, match="missing labels"):
        model.fit(X, y)
    assert model[-1].feature_names_in_.tolist() == ["left", "right"]
    assert (model[-1].labels_ == moons[1]).mean() > 0.97


def test_grid_search_on_all_rows_scored_on_labels_kept_out(moons, labelled):
    X, truth = moons
    held_out = labelled < 0
    known = Constraints(cannot_link=[(0, int(np.flatnonzero(truth != truth[0])[0]))])

    def agreement(estimator, X, y):
        return adjusted_rand_score(truth[held_out], estimator.labels_[held_out])

    rows = np.arange(N)
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            two_moons().set_fit_request(constraints=True),
            {"n_neighbors": [10, 60]},
            scoring=agreement,
            cv=[(rows, rows)],
            error_score="raise",
        ).fit(X, labelled, constraints=known)
    assert search.best_params_ == {"n_neighbors": 10}
    assert search.best_score_ > 0.9
    assert search.best_estimator_.report_.cannot_link.total == 26


def test_rows_routed_along_keep_pairs_right_when_rows_are_split(moons, labelled):
    X, truth = moons
    rng = np.random.default_rng(0)
    pairs = np.sort(rng.permutation(N)[: N // 2 * 2].reshape(-1, 2), axis=1)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    known = Constraints(pairs[same], pairs[~same])
    seen = []

    def kept(estimator, X):
        report = estimator.report_
        seen.append((report.must_link.total, report.cannot_link.total))
        agreed = report.must_link.kept + report.cannot_link.kept
        return agreed / (report.must_link.total + report.cannot_link.total)

    splits = list(KFold(4, shuffle=True, random_state=0).split(X))
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            two_moons().set_fit_request(constraints=True, rows=True),
            {"merge_rule": ["scaled"]},
            scoring=kept,
            cv=splits,
            error_score="raise",
        ).fit(X, constraints=known, rows=np.arange(N))
    for (train, _), totals in zip(splits, seen, strict=True):
        inside = np.isin(pairs, train).all(axis=1)
        assert totals == (int((inside & same).sum()), int((inside & ~same).sum()))
    # Pairs taken by position in the part would be wrong half of the time.
    assert search.best_score_ > 0.95


def test_splitting_rows_without_routing_them_is_an_error(moons):
    X, _ = moons
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            two_moons().set_fit_request(constraints=True),
            {"n_neighbors": [10]},
            scoring=lambda estimator, X, y=None: 0.0,
            cv=2,
            error_score="raise",
        )
        with pytest.raises(NodeOutOfRangeError, match="route rows="):
            search.fit(X, constraints=Constraints(must_link=[(0, N - 1)]))


def test_threads_do_not_change_the_answer(moons, labelled):
    X, _ = moons
    expected = two_moons(n_jobs=1).fit(X, labelled)
    for n_jobs in (2, -1):
        found = two_moons(n_jobs=n_jobs).fit(X, labelled)
        np.testing.assert_array_equal(found.labels_, expected.labels_)


def test_a_large_rbf_graph_stays_sparse():
    X, _ = make_blobs(20_000, centers=3, random_state=0)
    model = ConstrainedSpectralClustering(1, affinity="rbf", gamma=None).fit(X)
    assert model.affinity_matrix_.nnz <= 2 * 10 * len(X)
