"""Connected components of G, which the pencil's null space is made of.

An indicator of a component costs nothing in G. Where H tells components apart, differences of
indicators are eigenvectors with λ = 0, known exactly; all others are L_H-orthogonal to them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from fastge import _native
from fastge.errors import GraphError
from fastge.graph import FloatArray, IntArray, from_canonical
from fastge.pencil import Members, Pencil, Side

MOST_COMPONENTS = 4096
"""Components that are told apart: their quotient is a dense matrix."""
NO_ENERGY = 1e-12


def contracted(side: Side, group: IntArray, n_groups: int) -> Side:
    """PᵀLP for the 0/1 matrix P of an assignment of nodes to groups (−1: to none)."""
    inside = group >= 0
    mass = np.zeros(n_groups)
    np.add.at(mass, group[inside], side.mass[inside])
    edges = side.edges.to_scipy().tocoo()
    i, j = group[edges.row], group[edges.col]
    keep = (i != j) & (i >= 0) & (j >= 0)
    shape = (n_groups, n_groups)
    coarse = sp.coo_array((edges.data[keep], (i[keep], j[keep])), shape=shape).tocsr()
    return side.like(from_canonical(coarse), _contracted_members(side.members, group), mass)


def _contracted_members(members: Members, group: IntArray) -> Members:
    entries = members.strength.tocoo()
    at = group[members.nodes[entries.row]]
    keep = at >= 0
    nodes, row = np.unique(at[keep], return_inverse=True)
    values = (entries.data[keep], (row, entries.col[keep]))
    shape = (len(nodes), members.n_classes)
    return Members(nodes, sp.coo_array(values, shape=shape).tocsr())


def zero_vectors(pencil: Pencil, most: int) -> FloatArray:
    """Eigenvectors with λ = 0 and xᵀ L_H x = 1: those first that H tells apart best."""
    count, ids = pencil.components
    if count == 1:
        return np.empty((pencil.n, 0))
    quotient = _quotient(pencil.L_H, ids, count)
    mass: FloatArray = np.bincount(ids, weights=pencil.degrees, minlength=count).astype(float)
    mass = np.maximum(mass, _least_positive(mass))
    scale = 1 / np.sqrt(mass)
    gain, Y = la.eigh(quotient * scale[:, None] * scale)
    kept = np.flatnonzero(gain > NO_ENERGY * max(float(gain[-1]), 0.0))[::-1][:most]
    return np.asarray((scale[:, None] * Y[:, kept] / np.sqrt(gain[kept]))[ids])


def _least_positive(values: FloatArray) -> float:
    return float(values[values > 0].min()) if (values > 0).any() else 1.0


def _quotient(side: Side, ids: IntArray, count: int) -> FloatArray:
    if count > MOST_COMPONENTS:
        raise GraphError(
            f"the merged graph falls into {count} components, more than {MOST_COMPONENTS}; "
            "cluster the largest ones, or link components with must-links"
        )
    return contracted(side.astype(np.float64), ids, count).toarray()


def projector(pencil: Pencil) -> Callable[[FloatArray], FloatArray]:
    """X ↦ X − Z (ZᵀL_H Z)⁺ ZᵀL_H X, in place, with Z the indicators of the components."""
    count, ids = pencil.components
    if count == 1:
        return centred
    inverse = la.pinvh(_quotient(pencil.L_H, ids, count), rtol=NO_ENERGY)
    indicators = _indicators(ids, count).astype(pencil.L_G.dtype)
    sizes = np.bincount(ids, minlength=count)

    def project(X: FloatArray) -> FloatArray:
        X -= ((indicators.T @ X) / sizes[:, None])[ids].astype(X.dtype, copy=False)
        pull = indicators.T @ pencil.L_H.apply(X, np.empty_like(X))
        X -= (inverse @ pull)[ids].astype(X.dtype, copy=False)
        return centred(X)

    return project


def _indicators(ids: IntArray, count: int) -> sp.csr_array:
    entries = (np.ones(len(ids)), (np.arange(len(ids)), ids))
    return sp.coo_array(entries, shape=(len(ids), count)).tocsr()


def without_components(side: Side, ids: IntArray) -> FloatArray:
    """Dense L_H − L_H Z (ZᵀL_H Z)⁺ ZᵀL_H: what is left when indicators are projected out."""
    L_H = side.astype(np.float64).toarray()
    count = int(ids.max()) + 1
    if count == 1:
        return L_H
    Z = _indicators(ids, count)
    L_H_Z = L_H @ Z
    return np.asarray(L_H - L_H_Z @ la.pinvh(Z.T @ L_H_Z, rtol=NO_ENERGY) @ L_H_Z.T)


def centred(X: FloatArray) -> FloatArray:
    """X without its column means, in place."""
    _native.centre(X)
    return X
