"""Connected components of G, which the pencil's null space is made of.

An indicator of a component costs nothing in G. Where H tells components apart, differences of
indicators are eigenvectors with λ = 0, known exactly; all others are L_H-orthogonal to them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from fastge import _native
from fastge.errors import GraphError
from fastge.graph import FloatArray, IntArray, from_canonical
from fastge.implied import Members
from fastge.pencil import Pencil, Side

DENSE_BELOW = 512
"""Components under which the quotient of H is diagonalised as a dense matrix."""
MOST_DIRECTIONS = 64
"""Directions between more components than that which a projection can take out."""
NO_ENERGY = 1e-12
_LANCZOS_TOLERANCE = 1e-10


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
    gain, V = _told_apart(pencil, most)
    return np.asarray((V / np.sqrt(gain))[ids])


def _told_apart(pencil: Pencil, most: int) -> tuple[FloatArray, FloatArray]:
    """Directions between components that H tells apart best, and by how much: VᵀQV = diag(gain).

    Q = ZᵀL_H Z is the quotient of H; directions have unit length in the mass of the components.
    """
    count, ids = pencil.components
    quotient = contracted(pencil.L_H.astype(np.float64), ids, count)
    mass: FloatArray = np.bincount(ids, weights=pencil.degrees, minlength=count).astype(float)
    scale = 1 / np.sqrt(np.maximum(mass, _least_positive(mass)))
    gain, Y = _largest(quotient, scale, min(most, count - 1))
    kept = gain > NO_ENERGY * max(float(gain.max(initial=0.0)), 0.0)
    return gain[kept], scale[:, None] * Y[:, kept]


def _largest(quotient: Side, scale: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """The largest eigenvalues of the scaled quotient, in descending order, and their vectors."""
    count = len(scale)
    if count < DENSE_BELOW or most * 4 > count:
        gain, Y = la.eigh(quotient.toarray() * scale[:, None] * scale)
        return gain[::-1][:most], Y[:, ::-1][:, :most]
    if not quotient.diagonal().any():
        return np.empty(0), np.empty((count, 0))
    scaled = LinearOperator(
        (count, count), matvec=lambda x: scale * (quotient @ (scale * x.ravel())), dtype=np.float64
    )
    start = np.random.default_rng(0).standard_normal(count)
    gain, Y = eigsh(scaled, most, v0=start, tol=_LANCZOS_TOLERANCE)
    return gain[::-1], Y[:, ::-1]


def _least_positive(values: FloatArray) -> float:
    return float(values[values > 0].min()) if (values > 0).any() else 1.0


def projector(pencil: Pencil) -> Callable[[FloatArray], FloatArray]:
    """X ↦ X − Z (ZᵀL_H Z)⁻ ZᵀL_H X, in place, with Z the indicators of the components."""
    count, ids = pencil.components
    if count == 1:
        return centred
    few = count < DENSE_BELOW
    gain, V = _told_apart(pencil, count if few else MOST_DIRECTIONS)
    if not few and len(gain) == MOST_DIRECTIONS:
        raise GraphError(
            f"H tells more than {MOST_DIRECTIONS} of {count} components of G apart, and so many "
            "clusters are wanted; cluster the largest components, or link some with must-links"
        )
    indicators = _indicators(ids, count).astype(pencil.L_G.dtype)
    sizes = np.bincount(ids, minlength=count)

    def project(X: FloatArray) -> FloatArray:
        X -= ((indicators.T @ X) / sizes[:, None])[ids].astype(X.dtype, copy=False)
        pull = indicators.T @ pencil.L_H.apply(X, np.empty_like(X))
        X -= (V @ ((V.T @ pull) / gain[:, None]))[ids].astype(X.dtype, copy=False)
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
