"""Soft must-link and cannot-link constraints: pairs, confidences and partly known labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastge.contradictions import Contradictions, contradictions
from fastge.errors import (
    ConfidenceError,
    ConstraintError,
    NodeOutOfRangeError,
    NoKnownLabelError,
    SelfConstraintError,
)
from fastge.graph import FloatArray, IntArray
from fastge.pairs import NO_PAIRS, Labels, Pairs

_PAIRS = "pass the numbers 0 … n − 1 of the nodes"
_NUMBERING = {
    "must_link": _PAIRS,
    "cannot_link": _PAIRS,
    "labels": "number the classes 0, 1, 2, … and write −1 where a class is unknown",
}


class Constraints:
    """Must-link and cannot-link pairs and partly known labels, validated when created.

    Deliberately opaque (no length, shape or array interface): scikit-learn's metadata routing
    slices whatever looks like one row per sample.
    """

    def __init__(
        self,
        must_link: Any = None,
        cannot_link: Any = None,
        *,
        must_link_confidence: Any = None,
        cannot_link_confidence: Any = None,
    ) -> None:
        self.must_link = _read_pairs(must_link, must_link_confidence, "must_link")
        self.cannot_link = _read_pairs(cannot_link, cannot_link_confidence, "cannot_link")
        self.labels = Labels(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
        self.n_nodes: int | None = None

    @classmethod
    def from_labels(cls, labels: Any, *, confidence: Any = None) -> Constraints:
        """Constraints implied by one class per node, −1 where it is unknown."""
        classes = _read_labels(labels)
        weight = _read_confidence(confidence, len(classes), "confidence")
        known = np.flatnonzero((classes >= 0) & (weight > 0))
        if len(known) == 0:
            raise NoKnownLabelError(
                "every label is −1 (unknown) or has confidence 0, so the labels say nothing; give "
                "at least one node a class ≥ 0, or cluster without labels"
            )
        return cls._assemble(
            Labels(known, classes[known], weight[known]), NO_PAIRS, NO_PAIRS, len(classes)
        )

    @classmethod
    def of_labels(cls, labels: Labels) -> Constraints:
        """Constraints implied by entries that are known to be valid."""
        return cls._assemble(labels, NO_PAIRS, NO_PAIRS, None)

    @classmethod
    def _assemble(
        cls, labels: Labels, must_link: Pairs, cannot_link: Pairs, n_nodes: int | None
    ) -> Constraints:
        result = cls()
        result.labels, result.must_link, result.cannot_link = labels, must_link, cannot_link
        result.n_nodes = n_nodes
        return result

    def __and__(self, other: Constraints) -> Constraints:
        """All constraints of both; of a repeated one the higher confidence counts."""
        if not isinstance(other, Constraints):
            return NotImplemented
        sizes = {n for n in (self.n_nodes, other.n_nodes) if n is not None}
        if len(sizes) > 1:
            raise ConstraintError(
                f"labels of {self.n_nodes} and of {other.n_nodes} nodes do not belong to one graph"
            )
        return self._assemble(
            _united_labels(self.labels, other.labels),
            _united_pairs(self.must_link, other.must_link),
            _united_pairs(self.cannot_link, other.cannot_link),
            sizes.pop() if sizes else None,
        )

    @property
    def is_empty(self) -> bool:
        return self.must_link.count + self.cannot_link.count + self.labels.count == 0

    @property
    def nodes(self) -> IntArray:
        """The nodes that some constraint speaks of, sorted."""
        parts = (self.must_link.ends.ravel(), self.cannot_link.ends.ravel(), self.labels.nodes)
        return np.unique(np.concatenate(parts))

    @property
    def contradictions(self) -> Contradictions:
        return contradictions(self.must_link.ends, self.cannot_link.ends, self.labels)

    def check_fits(self, n: int) -> None:
        """Raise unless every constraint is about one of the nodes 0 … n−1."""
        if self.n_nodes is not None and self.n_nodes != n:
            raise ConstraintError(
                f"there are {self.n_nodes} labels for {n} nodes; pass one label per node, "
                "−1 where it is unknown"
            )
        for name, pairs in (("must_link", self.must_link), ("cannot_link", self.cannot_link)):
            if pairs.count and pairs.ends.max() >= n:
                worst = pairs.ends[pairs.ends.max(axis=1).argmax()]
                raise NodeOutOfRangeError(
                    f"{name} pair ({worst[0]}, {worst[1]}) is out of range: the graph has {n} "
                    f"nodes, numbered 0 … {n - 1}"
                )

    def among(self, nodes: IntArray, n: int) -> Constraints:
        """The constraints whose ends are all in the sorted `nodes` out of n, renumbered 0, 1, …"""
        position = np.full(n, -1, dtype=np.int64)
        position[nodes] = np.arange(len(nodes))
        return self._assemble(
            self.labels.among(position),
            self.must_link.among(position),
            self.cannot_link.among(position),
            None if self.n_nodes is None else len(nodes),
        )

    def __repr__(self) -> str:
        labels = self.labels
        return (
            f"Constraints({self.must_link.count:,} must-link, {self.cannot_link.count:,} "
            f"cannot-link, {labels.count:,} labels of {len(labels.class_ids):,} classes)"
        )


def _read_pairs(pairs: Any, confidence: Any, name: str) -> Pairs:
    if pairs is None:
        if confidence is not None:
            raise ConfidenceError(f"{name}_confidence is given without {name}")
        return NO_PAIRS
    ends = _integers(pairs, name)
    if ends.size == 0:
        ends = ends.reshape(0, 2)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise ConstraintError(f"{name} has shape {ends.shape}; pass a (p, 2) array of node numbers")
    weight = _read_confidence(confidence, len(ends), f"{name}_confidence")
    if (ends < 0).any():
        row = int(np.flatnonzero((ends < 0).any(axis=1))[0])
        raise NodeOutOfRangeError(f"{name}[{row}] names the negative node {ends[row].min()}")
    loops = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if len(loops):
        raise SelfConstraintError(
            f"{name}[{loops[0]}] is a constraint between node {ends[loops[0], 0]} and itself; "
            "drop it"
        )
    return _unique_pairs(ends[weight > 0], weight[weight > 0])


def _unique_pairs(ends: IntArray, confidence: FloatArray) -> Pairs:
    ordered, where = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
    strongest = np.zeros(len(ordered))
    np.maximum.at(strongest, where.ravel(), confidence)
    return Pairs(ordered.astype(np.int64, copy=False).reshape(-1, 2), strongest)


def _united_pairs(a: Pairs, b: Pairs) -> Pairs:
    return _unique_pairs(
        np.concatenate([a.ends, b.ends]), np.concatenate([a.confidence, b.confidence])
    )


def _united_labels(a: Labels, b: Labels) -> Labels:
    entries = np.column_stack(
        [np.concatenate([a.nodes, b.nodes]), np.concatenate([a.classes, b.classes])]
    )
    unique, where = np.unique(entries, axis=0, return_inverse=True)
    strongest = np.zeros(len(unique))
    np.maximum.at(strongest, where.ravel(), np.concatenate([a.confidence, b.confidence]))
    return Labels(unique[:, 0].copy(), unique[:, 1].copy(), strongest)


def _read_labels(labels: Any) -> IntArray:
    classes = _integers(labels, "labels")
    if classes.ndim != 1:
        raise ConstraintError(f"labels have shape {classes.shape}; pass one integer per node")
    if classes.size and classes.min() < -1:
        raise ConstraintError(
            f"label {classes.min()} is not a class; classes are 0, 1, 2, … and −1 means unknown"
        )
    return classes


def _integers(values: Any, name: str) -> IntArray:
    try:
        array = np.asarray(values)
    except ValueError as cause:
        raise ConstraintError(f"{name} is no rectangular array of integers: {cause}") from cause
    if array.size == 0:
        return array.astype(np.int64)
    whole = np.full(array.size, array.dtype.kind in "iu")
    if array.dtype.kind == "f":
        whole = np.isfinite(array.ravel()) & (array.ravel() == np.floor(array.ravel()))
    if not whole.all():
        example = array.ravel()[[whole.argmin()]].tolist()[0]
        raise ConstraintError(f"{name} must be integers, not {example!r}; {_NUMBERING[name]}")
    return array.astype(np.int64)


def _read_confidence(confidence: Any, count: int, name: str) -> FloatArray:
    if confidence is None:
        return np.ones(count)
    try:
        weight = np.asarray(confidence, dtype=np.float64)
    except (TypeError, ValueError) as cause:
        raise ConfidenceError(f"{name} must be real numbers ≥ 0") from cause
    if weight.ndim == 0:
        weight = np.full(count, float(weight))
    if weight.shape != (count,):
        raise ConfidenceError(f"{name} has shape {weight.shape} for {count} constraints")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ConfidenceError(f"{name} must be finite and ≥ 0; 0 switches a constraint off")
    return weight
