"""Pairs implied by labels, as operators: all of one class, all of two, never written out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from fastge.graph import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Members:
    """Strength a_ic of node i in class c: the implied pair (i, j) weighs a_ic a_jc'."""

    nodes: IntArray
    """The nodes that have an entry, sorted."""
    strength: sp.csr_array
    """Entries of those nodes: one row per node in `nodes`, one column per class."""

    @cached_property
    def class_volumes(self) -> FloatArray:
        """v_c = Σ_i a_ic"""
        return np.asarray(self.strength.sum(axis=0), dtype=np.float64).ravel()

    @property
    def n_classes(self) -> int:
        return int(self.strength.shape[1])

    def by_node(self, n: int) -> tuple[IntArray, IntArray, FloatArray]:
        """Start of each node's entries, their classes and their strengths."""
        start = np.zeros(n + 1, dtype=np.int64)
        start[self.nodes + 1] = np.diff(self.strength.indptr)
        classes = self.strength.indices.astype(np.int32, copy=False)
        return np.cumsum(start), classes, self.strength.data


NO_MEMBERS = Members(np.empty(0, np.int64), sp.csr_array((0, 0)))


class Implied:
    """Laplacian of within · (pairs of one class) + across · (pairs of two), on the labelled nodes.

    within · Σ_c (v_c D_c − a_c a_cᵀ) + across · (Σ_c (v − v_c) D_c − (a aᵀ − Σ_c a_c a_cᵀ)).
    """

    def __init__(self, members: Members, within: float, across: float, dtype: Any) -> None:
        A, v = members.strength, members.class_volumes
        self.members, self.within, self.across = members, within, across
        self.strength = A.astype(dtype)
        self.towards_others = np.asarray(A @ (across * _sums_of_others(v))).astype(dtype)

    def times(self, X: FloatArray) -> FloatArray:
        """The Laplacian times a block on the labelled nodes."""
        sums = self.strength.T @ X
        if not self.across:
            return self._within_times(X, sums)
        others = self.across * _sums_of_others(sums)
        result = np.asarray((X.T * self.towards_others).T - self.strength @ others)
        return result + self._within_times(X, sums) if self.within else result

    def _within_times(self, X: FloatArray, sums: FloatArray) -> FloatArray:
        """within · Σ_c v_c a_ic (x_i − m_c) with m_c = Σ_j a_jc x_j / v_c, by differences.

        The vectors that are looked for hardly differ inside a class, and the weights of its pairs
        add up to so much that rounding in v_c x_i − Σ_j a_jc x_j would drown what is left. The
        mean of the differences is taken out once more, so that they add up to zero.
        """
        entry, volumes = self._entries, self._volumes
        apart = X[entry.rows] - (sums.T / volumes).T[entry.classes]
        apart -= ((entry.sums_by_class @ apart).T / volumes).T[entry.classes]
        return np.asarray(entry.sums_by_node @ (apart.T * entry.weights).T)

    @cached_property
    def _volumes(self) -> FloatArray:
        return np.maximum(self.members.class_volumes, np.finfo(np.float64).tiny)

    @cached_property
    def _entries(self) -> _Entries:
        return _Entries.of(self.strength, self.within * self._volumes)

    def diagonal(self) -> FloatArray:
        """The diagonal, for the labelled nodes."""
        A, v = self.members.strength, self.members.class_volumes
        row = A @ (self.within * v + self.across * _sums_of_others(v))
        own_squares = np.asarray(A.power(2).sum(axis=1)).ravel()
        squared_row = np.asarray(A.sum(axis=1)).ravel() ** 2
        row = row - self.within * own_squares - self.across * (squared_row - own_squares)
        return np.asarray(row)


def _sums_of_others(values: FloatArray) -> FloatArray:
    """Σ_{c' ≠ c} values_c' along the first axis, which v − values_c loses where c outweighs all."""
    before, after = np.zeros_like(values), np.zeros_like(values)
    np.cumsum(values[:-1], axis=0, out=before[1:])
    np.cumsum(values[:0:-1], axis=0, out=after[-2::-1])
    return np.asarray(before + after)


@dataclass(frozen=True, eq=False)
class _Entries:
    """The memberships (node, class) one by one: a node may stand in several classes."""

    rows: IntArray
    classes: IntArray
    weights: FloatArray
    """v_c a_ic, times the factor of the pairs."""
    sums_by_class: sp.csr_array
    """Σ a_e over the entries e of a class."""
    sums_by_node: sp.csr_array
    """Σ over the entries of a node."""

    @classmethod
    def of(cls, strength: sp.csr_array, class_weights: FloatArray) -> _Entries:
        count, (n, n_classes) = strength.nnz, strength.shape
        rows = np.repeat(np.arange(n), np.diff(strength.indptr))
        classes, entries = strength.indices, np.arange(count)
        ones = np.ones(count, dtype=strength.dtype)
        by_class = sp.coo_array((strength.data, (classes, entries)), shape=(n_classes, count))
        by_node = sp.csr_array((ones, entries, strength.indptr), shape=(n, count))
        weights = (class_weights[classes] * strength.data).astype(strength.dtype)
        return cls(rows, classes, weights, by_class.tocsr(), by_node)
