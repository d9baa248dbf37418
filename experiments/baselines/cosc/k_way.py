"""COSC for more clusters: recursive splitting, with rules for which cluster is next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baselines.cosc.contraction import Instance
from baselines.cosc.ratio_dca import RatioDCA
from baselines.cosc.split import Split, Splitter
from baselines.cosc.two_way import Partition
from fastge.graph import IntArray


@dataclass(eq=False)
class _Cluster:
    """Vertices with their cut / vol, and their best split once it is known."""

    vertices: IntArray
    cut: float
    split: Split | None = None


@dataclass(frozen=True, eq=False)
class _Option:
    """A split that may be made next: what the whole partition then costs and satisfies."""

    cluster: _Cluster
    split: Split
    cut: float
    kept: int

    @property
    def rank(self) -> tuple[int, float]:
        """Most cannot-links satisfied first, then the least cut."""
        return -self.kept, self.cut


def k_way(
    instance: Instance, k: int, descent: RatioDCA, *, starts: int, recursions: int
) -> Partition:
    """The recursion of least Σ cut / vol, whatever it violates.

    Its functional is the sum of those of the splits made.
    """
    splitter = Splitter(instance, k, starts, descent)
    runs = [_recursion(splitter) for _ in range(recursions)]
    clusters, made = min(runs, key=lambda run: sum(c.cut for c in run[0]))
    labels = np.empty(instance.n, dtype=np.int64)
    for at, cluster in enumerate(clusters):
        labels[cluster.vertices] = at
    return Partition(labels, max(s.gamma for s in made), sum(s.functional for s in made))


def _recursion(splitter: Splitter) -> tuple[list[_Cluster], list[Split]]:
    """k clusters, and the splits that made them."""
    clusters = [_Cluster(np.arange(splitter.instance.n), 0.0)]
    made: list[Split] = []
    for count in range(2, splitter.k + 1):
        for cluster in clusters:
            if cluster.split is None and len(cluster.vertices) > 1:
                cluster.split = splitter(cluster.vertices)
        chosen = _chosen(splitter, _options(clusters, made), count)
        clusters.remove(chosen.cluster)
        clusters += map(_Cluster, chosen.split.parts, chosen.split.cuts)
        made.append(chosen.split)
    return clusters, made


def _options(clusters: list[_Cluster], made: list[Split]) -> list[_Option]:
    total = sum(cluster.cut for cluster in clusters)
    kept = sum(split.kept for split in made)
    return [
        _Option(c, c.split, total - c.cut + sum(c.split.cuts), kept + c.split.kept)
        for c in clusters
        if c.split is not None
    ]


def _chosen(splitter: Splitter, options: list[_Option], count: int) -> _Option:
    """The split that leads to `count` clusters.

    It should satisfy its share of cannot-links; of those that do, and leave the partition with as
    many satisfied as can be or as are due by now, the least cut is taken.
    """
    qualified = [option for option in options if option.split.kept >= _due(splitter, option)]
    if not qualified or count == splitter.k:
        return min(qualified or options, key=lambda option: option.rank)
    most = max(option.kept for option in qualified)
    k, links = splitter.k, len(splitter.instance.cannot_link)
    due = (2 * k - count) * (count - 1) * links / (k * (k - 1))
    pool = [option for option in qualified if option.kept == most or option.kept >= due]
    return min(pool, key=lambda option: option.cut)


def _due(splitter: Splitter, option: _Option) -> int:
    """What one split of the cluster satisfies where cannot-links join all clusters alike."""
    within = splitter.expected_clusters(len(option.cluster.vertices))
    k, links = splitter.k, len(splitter.instance.cannot_link)
    return 2 * (within - 1) * links // (k * (k - 1))
