"""The scikit-learn face: parameters and their validation, nothing numerical."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from fastge.affinity import (
    connectivity_graph,
    precomputed_neighbors_graph,
    rbf_graph,
    without_diagonal,
)
from fastge.algorithm import Clustering, cluster
from fastge.constraints import Constraints
from fastge.errors import ClusterCountError, NotSquareError, ParameterError
from fastge.graph import Graph, IntArray, as_graph
from fastge.merging import MergeRule, median, merge, paper, released, robust, scaled
from fastge.quality import report
from fastge.supervision import supervision

_PRECOMPUTED = ("precomputed", "precomputed_nearest_neighbors")
_AFFINITIES = ("nearest_neighbors", "rbf", *_PRECOMPUTED)
_MERGE_RULES: Mapping[str, MergeRule] = {
    "robust": robust,
    "scaled": scaled,
    "paper": paper,
    "median": median,
    "released": released,
}


class ConstrainedSpectralClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Spectral clustering of points or of a graph under soft must-links and cannot-links.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, at most the number of samples.
    affinity : str or callable, default="nearest_neighbors"
        How the rows of X become a graph. Memory grows with ``n_samples * n_neighbors``.

        - "nearest_neighbors": 1 between mutual nearest neighbours, 1/2 between one-sided ones;
        - "rbf": ``exp(-gamma * distance**2)`` between nearest neighbours. Unlike the kernel of
          the same name in scikit-learn, points that are no neighbours get exactly 0;
        - "precomputed": X is the affinity matrix, sparse or dense, symmetric, not negative;
        - "precomputed_nearest_neighbors": X holds distances, as `KNeighborsTransformer` returns
          them; 1 or 1/2 between the nearest neighbours, as above;
        - a callable: ``affinity(X)`` returns the affinity matrix of all rows at once.
    n_neighbors : int, default=10
        Neighbours of each point, itself not counted; at most ``n_samples - 1`` are used.
    gamma : float or None, default=1.0
        Factor in the exponent of "rbf". None scales each pair by the distances from its two
        points to their last neighbours, which needs no tuning.
    metric, metric_params : str or callable, dict or None, default="euclidean", None
        Distance between rows of X, as in `sklearn.neighbors.NearestNeighbors`.
    merge_rule : {"robust", "scaled", "paper", "median", "released"} or callable, default="robust"
        Weight of constraints against the data, see `fastge.merging`.
    refine : bool, default=False
        Trim each cluster to its best-connected core; samples left over get the label -1.
    tol, max_iter : float, int or None, default=None
        Relative residual at which the eigensolver stops, and the most iterations it takes.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random. An int gives what ``fastge.cluster(seed=...)`` gives.
    n_jobs : int or None, default=None
        Threads of the neighbour search and of the solver, -1 for all processors. None is one job
        of the search, and leaves the solver to OpenMP and threadpoolctl.
    verbose : bool or int, default=False
        Whether to log progress to stderr.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample. Clusters take the ids of the classes in `y`, unless there are more
        classes than `n_clusters`; further clusters, and all without `y`, take the least free ids.
    embedding_, eigenvectors_ : ndarray of shape (n_samples, n_clusters)
        Points of unit length that were partitioned, and the eigenvectors behind them.
        Both have no columns for ``n_clusters=1``.
    eigenvalues_, residuals_ : ndarray of shape (n_clusters,)
        Eigenvalues of the pencil, ascending, and their relative residuals.
    n_iter_, converged_ : int, bool
        Iterations of the eigensolver (1 where it was not needed), and whether it reached `tol`.
    report_ : Report
        Ratio of each cluster's cuts, constraints kept and violated.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        The graph, without its diagonal.
    n_features_in_, feature_names_in_ : int, ndarray of str
        As in every estimator.

    Notes
    -----
    Pairs in `constraints` are row numbers of the X that `fit` sees. Cross-validation passes only
    some rows, and nothing can renumber pairs without knowing which: also route
    ``rows=numpy.arange(n_samples)``, which is sliced along with X, and each fit keeps the
    constraints among its own rows. Labels in `y` are sliced as they should be. As a clustering
    says nothing about unseen rows, parameters are best chosen on all rows, scored on labels that
    were kept out of `y`: ``GridSearchCV(estimator, grid, scoring=held_out, cv=[(rows, rows)])``,
    where ``held_out(estimator, X, y)`` compares ``estimator.labels_`` with them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from fastge.estimator import ConstrainedSpectralClustering
    >>> X, truth = make_moons(200, noise=0.08, random_state=0)
    >>> y = np.where(np.arange(200) < 10, truth, -1)
    >>> labels = ConstrainedSpectralClustering(2, random_state=0).fit_predict(X, y)
    >>> bool((labels == truth).mean() > 0.95)
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: str | Callable[[Any], Any] = "nearest_neighbors",
        n_neighbors: int = 10,
        gamma: float | None = 1.0,
        metric: str | Callable[..., float] = "euclidean",
        metric_params: Mapping[str, Any] | None = None,
        merge_rule: str | MergeRule = "robust",
        refine: bool = False,
        tol: float | None = None,
        max_iter: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.metric = metric
        self.metric_params = metric_params
        self.merge_rule = merge_rule
        self.refine = refine
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None, rows: Any = None
    ) -> ConstrainedSpectralClustering:
        """The estimator, with X clustered.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Points, affinities or distances, as `affinity` says.
        y : array-like of int of shape (n_samples,), default=None
            Class of each sample, -1 where it is unknown; None for clustering without labels.
        constraints : fastge.Constraints, default=None
            Pairs (and labels) by row number; they add to what `y` says.
        rows : array-like of int of shape (n_samples,), default=None
            Row numbers of X in the data that `constraints` are about, where X is only a part.
        """
        X = self._validated(X)
        n = X.shape[0]
        self._check_parameters(n)
        known = supervision(y, constraints, rows, n)
        graph = self._graph(X)
        found = self._clusters(graph, known) if self.n_clusters > 1 else self._whole(graph, known)
        self.affinity_matrix_ = graph.to_scipy()
        self.labels_, self.report_ = found.labels, found.report
        self.embedding_, self.eigenvectors_ = found.embedding, found.eigenvectors
        self.eigenvalues_, self.residuals_ = found.eigenvalues, found.residuals
        self.n_iter_ = max(1, found.n_iterations)
        self.converged_ = found.converged
        return self

    def fit_predict(
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None, rows: Any = None
    ) -> IntArray:
        """The labels after `fit`, whose parameters these are."""
        labels: IntArray = self.fit(X, y, constraints=constraints, rows=rows).labels_
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.positive_only = self._precomputed
        return tags

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.affinity, str) and self.affinity in _PRECOMPUTED

    def _validated(self, X: Any) -> Any:
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_min_samples=2,
            ensure_non_negative=self._precomputed,
        )
        if self._precomputed and X.shape[0] != X.shape[1]:
            raise NotSquareError(
                f"X is {X.shape[0]} × {X.shape[1]}, but affinity={self.affinity!r} takes an n × n "
                'matrix; for points pass affinity="nearest_neighbors" or "rbf"'
            )
        return X

    def _check_parameters(self, n: int) -> None:
        _check_whole("n_clusters", self.n_clusters)
        _check_whole("n_neighbors", self.n_neighbors)
        if self.gamma is not None:
            _check_between("gamma", self.gamma, math.inf)
        if self.tol is not None:
            _check_between("tol", self.tol, 1.0)
        if self.max_iter is not None:
            _check_whole("max_iter", self.max_iter)
        _check_choice("affinity", self.affinity, _AFFINITIES)
        _check_choice("merge_rule", self.merge_rule, tuple(_MERGE_RULES))
        if self.n_clusters > n:
            raise ClusterCountError(
                f"n_clusters = {self.n_clusters} is more than n_samples = {n}; ask for fewer"
            )

    def _graph(self, X: Any) -> Graph:
        if callable(self.affinity):
            graph = as_graph(without_diagonal(self.affinity(X)))
            if graph.n != X.shape[0]:
                raise NotSquareError(
                    f"the affinity of {X.shape[0]} samples has {graph.n} rows; the callable has "
                    "to return an n_samples × n_samples matrix"
                )
            return graph
        if self.affinity == "precomputed":
            return as_graph(without_diagonal(X))
        if self.affinity == "precomputed_nearest_neighbors":
            return as_graph(precomputed_neighbors_graph(X, self.n_neighbors))
        search: dict[str, Any] = {
            "metric": self.metric,
            "metric_params": self.metric_params,
            "n_jobs": self.n_jobs,
        }
        if self.affinity == "rbf":
            return as_graph(rbf_graph(X, self.n_neighbors, self.gamma, **search))
        return as_graph(connectivity_graph(X, self.n_neighbors, **search))

    def _clusters(self, graph: Graph, known: Constraints) -> Clustering:
        limits = {"tol": self.tol, "max_iterations": self.max_iter}
        options: dict[str, Any] = {key: limit for key, limit in limits.items() if limit is not None}
        return cluster(
            graph,
            known,
            int(self.n_clusters),
            seed=_seed(self.random_state),
            rule=self._rule,
            refine=self.refine,
            threads=None if self.n_jobs is None else effective_n_jobs(self.n_jobs),
            verbose=bool(self.verbose),
            **options,
        )

    @property
    def _rule(self) -> MergeRule:
        return self.merge_rule if callable(self.merge_rule) else _MERGE_RULES[self.merge_rule]

    def _whole(self, graph: Graph, known: Constraints) -> Clustering:
        """All samples as one cluster, which needs no eigenvectors."""
        classes = known.labels.class_ids
        labels = np.full(graph.n, classes[0] if len(classes) == 1 else 0)
        none, values = np.empty((graph.n, 0)), np.empty(0)
        pencil = merge(graph, known, rule=self._rule)
        summary = report(pencil, known, labels)
        return Clustering(labels, none, none, values, values, True, summary, {})


def _seed(random_state: Any) -> int:
    drawn = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    return int(random_state) if isinstance(random_state, Integral) else drawn


def _check_whole(name: str, value: Any) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ParameterError(f"{name} is {value!r}; pass an integer ≥ 1")


def _check_between(name: str, value: Any, limit: float) -> None:
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < limit:
        raise ParameterError(f"{name} is {value!r}; pass a number between 0 and {limit}, or None")


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if not callable(value) and (not isinstance(value, str) or value not in choices):
        listed = ", ".join(repr(choice) for choice in choices)
        raise ParameterError(f"{name} is {value!r}; pass {listed} or a callable")
