"""How good a clustering is: φ of every cluster, constraints kept and violated, Rand indices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score, rand_score

from fastge import _native
from fastge.constraints import Constraints
from fastge.graph import FloatArray, IntArray
from fastge.pairs import Labels, Pairs
from fastge.pencil import Pencil, Side
from fastge.sweep import Certificate, sum_of_others, sums_by_group


@dataclass(frozen=True)
class Tally:
    """Constraints of one kind, explicit and implied: how many hold, and what they weigh."""

    kept: int
    violated: int
    kept_weight: float
    violated_weight: float

    @property
    def total(self) -> int:
        return self.kept + self.violated

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.kept + other.kept,
            self.violated + other.violated,
            self.kept_weight + other.kept_weight,
            self.violated_weight + other.violated_weight,
        )


@dataclass(frozen=True, eq=False)
class Report:
    """What a clustering achieves. Nodes left over (−1) belong to no cluster."""

    cluster_ids: IntArray
    sizes: IntArray
    phi: FloatArray
    """cut_G / cut_H of each cluster against the rest; nan where both are 0, inf where cut_H is."""
    cut_G: FloatArray
    cut_H: FloatArray
    left_over: int
    must_link: Tally
    cannot_link: Tally
    certificate: Certificate | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The report in plain numbers, ready for JSON: what is not finite becomes None."""
        return {
            "clusters": [
                {"id": int(i), "size": int(size), "phi": _plain(p), "cut_G": g, "cut_H": h}
                for i, size, p, g, h in zip(
                    self.cluster_ids,
                    self.sizes,
                    self.phi,
                    self.cut_G.tolist(),
                    self.cut_H.tolist(),
                    strict=True,
                )
            ],
            "left_over": self.left_over,
            "must_link": vars(self.must_link).copy(),
            "cannot_link": vars(self.cannot_link).copy(),
            "certificate": None if self.certificate is None else _plain(self.certificate),
            "notes": list(self.notes),
        }


def report(pencil: Pencil, constraints: Constraints, labels: IntArray) -> Report:
    """φ of every cluster on the merged pencil, and the constraints that hold in it."""
    labels = np.asarray(labels)
    ids, group = np.unique(labels, return_inverse=True)
    left = np.flatnonzero(labels < 0)
    if len(left):
        # Each node left over stands alone: its must-links are violated, its cannot-links kept.
        ids, group = ids[ids >= 0], group - int((ids < 0).sum())
        group[left] = len(ids) + np.arange(len(left))
    k = len(ids)
    cut_G, cut_H = (_cluster_cuts(side, group, k) for side in (pencil.L_G, pencil.L_H))
    with np.errstate(divide="ignore", invalid="ignore"):
        phi = cut_G / cut_H
    must, cannot = _tallies(pencil, constraints, group)
    sizes = np.bincount(group, minlength=k)[:k]
    return Report(ids, sizes, phi, cut_G, cut_H, len(left), must, cannot)


def _cluster_cuts(side: Side, group: IntArray, k: int) -> FloatArray:
    """Weight between each of the first k groups and everything outside it."""
    edges, n_groups = side.edges, int(group.max()) + 1
    cuts: FloatArray = _native.cluster_cuts(
        edges.indptr, edges.indices, edges.weights, group.astype(np.int32), n_groups
    )
    masses = sums_by_group(side.mass, group, n_groups)
    cuts = cuts + side.demand * masses * sum_of_others(masses, np.zeros(n_groups, np.int64))
    if side.members.strength.nnz and (side.within or side.across):
        cuts = cuts + _implied_cuts(side, group)
    return cuts[:k]


def _implied_cuts(side: Side, group: IntArray) -> FloatArray:
    entries = side.members.strength.tocoo()
    groups, n_groups = group[side.members.nodes[entries.row]], int(group.max()) + 1
    same, every = _split(entries.col, groups, entries.data, n_groups)
    cuts = side.within * same
    if side.across:
        count_same, count_every = _split(entries.col, groups, np.ones(entries.nnz), n_groups)
        # Without a pair of two classes the difference of the weights is rounding.
        different = np.where(count_every > count_same, np.maximum(every - same, 0.0), 0.0)
        cuts = cuts + side.across * different
    return np.asarray(cuts)


def _split(
    classes: IntArray, groups: IntArray, mass: FloatArray, n_groups: int
) -> tuple[FloatArray, FloatArray]:
    """Σ m_e m_f over entries e inside and f outside each group: of one class, and of any."""
    table = _Table.of(classes, groups, mass)
    split = table.mass * sum_of_others(table.mass, table.classes)
    same = sums_by_group(split, table.groups, n_groups)
    masses = sums_by_group(mass, groups, n_groups)
    return same, masses * sum_of_others(masses, np.zeros(n_groups, np.int64))


@dataclass(frozen=True, eq=False)
class _Table:
    """Nonzero cells of the table class × group."""

    classes: IntArray
    groups: IntArray
    mass: FloatArray
    cell: IntArray
    """Cell of every entry."""

    @classmethod
    def of(cls, classes: IntArray, groups: IntArray, mass: FloatArray) -> _Table:
        width = int(groups.max()) + 1
        key = classes.astype(np.int64) * width + groups
        cells, cell = np.unique(key, return_inverse=True)
        return cls(cells // width, cells % width, sums_by_group(mass, cell, len(cells)), cell)


def _tallies(pencil: Pencil, constraints: Constraints, group: IntArray) -> tuple[Tally, Tally]:
    w = pencil.weighting
    strength = np.ones(pencil.n) if w is None else w.strength
    must_factor, cannot_factor = (1.0, 1.0) if w is None else (w.must_factor, w.cannot_factor)
    same, different = _implied(constraints.labels, strength, group)
    must = _explicit(constraints.must_link, strength, group) + same
    cannot = _explicit(constraints.cannot_link, strength, group) + different
    return _weighed(must, must_factor), _weighed(_turned(cannot), cannot_factor)


def _weighed(tally: Tally, factor: float) -> Tally:
    return Tally(
        tally.kept,
        tally.violated,
        float(factor * tally.kept_weight),
        float(factor * tally.violated_weight),
    )


def _turned(tally: Tally) -> Tally:
    return Tally(tally.violated, tally.kept, tally.violated_weight, tally.kept_weight)


def _explicit(pairs: Pairs, strength: FloatArray, group: IntArray) -> Tally:
    """Pairs that lie together (kept) and apart (violated)."""
    i, j = pairs.ends[:, 0], pairs.ends[:, 1]
    weight = pairs.confidence * strength[i] * strength[j]
    together = group[i] == group[j]
    count = int(together.sum())
    apart = ~together
    return Tally(
        count, len(together) - count, float(weight[together].sum()), float(weight[apart].sum())
    )


def _implied(labels: Labels, strength: FloatArray, group: IntArray) -> tuple[Tally, Tally]:
    """Pairs of one class and pairs of two classes, lying together (kept) and apart (violated).

    A node that stands in two classes makes no pair with itself.
    """
    if labels.count == 0:
        return Tally(0, 0, 0.0, 0.0), Tally(0, 0, 0.0, 0.0)
    counts = _pair_sums(labels, np.ones(labels.count), group)
    weights = _pair_sums(labels, strength[labels.nodes] * labels.confidence, group)
    same_kept, same_split, together, split = (
        (round(count), weight if count else 0.0)
        for count, weight in zip(counts, weights, strict=True)
    )
    return (
        Tally(same_kept[0], same_split[0], same_kept[1], same_split[1]),
        Tally(together[0], split[0], together[1], split[1]),
    )


def _pair_sums(labels: Labels, mass: FloatArray, group: IntArray) -> tuple[float, ...]:
    """Σ m_e m_f over pairs of entries: one class together, apart; two classes together, apart."""
    _, classes = np.unique(labels.classes, return_inverse=True)
    table = _Table.of(classes, group[labels.nodes], mass)
    volumes = sums_by_group(table.mass, table.classes, int(classes.max()) + 1)
    with_self = _half(mass, sum_of_others(mass, labels.nodes))
    every = _half(volumes, sum_of_others(volumes, np.zeros(len(volumes), np.int64))) - with_self
    together = _half(table.mass, sum_of_others(table.mass, table.groups)) - with_self
    return (
        _half(mass, sum_of_others(mass, table.cell)),
        _half(table.mass, sum_of_others(table.mass, table.classes)),
        max(together, 0.0),
        max(every - together, 0.0),
    )


def _half(a: FloatArray, b: FloatArray) -> float:
    return float(a @ b) / 2


def rand_index(a: Any, b: Any) -> float:
    """Share of node pairs on which two clusterings agree."""
    return float(rand_score(a, b))


def adjusted_rand_index(a: Any, b: Any) -> float:
    """The Rand index, scaled so that chance gives 0 and equality 1."""
    return float(adjusted_rand_score(a, b))


def _plain(value: Any) -> Any:
    """Numbers and dataclasses as JSON can hold them."""
    if isinstance(value, Certificate):
        return {key: _plain(part) for key, part in vars(value).items()}
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return float(value) if math.isfinite(value) else None
