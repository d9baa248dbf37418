"""Where the descent starts: relaxations of the cut without and with cannot-links, and noise."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from baselines.cosc.contraction import Instance, colours
from fastge.graph import FloatArray, from_canonical
from fastge.implied import NO_MEMBERS
from fastge.pencil import Pencil, Side
from fastge.spectrum import eigenpairs

_EIGEN_TOLERANCE = 1e-6
_POWER_STEPS = 1000
_CONSTRAINED_STEPS = 20_000
_STILL = 1e-12


def second_eigenvector(instance: Instance) -> FloatArray:
    """The x of least λ > 0 in L x = λ diag(b) x, converged."""
    none = from_canonical(sp.csr_array((instance.n, instance.n)))
    demand = Side(none, NO_MEMBERS, demand=1 / instance.volume, mass=instance.b)
    pencil = Pencil(Side(from_canonical(instance.adjacency)), demand, degrees=instance.b)
    x = eigenpairs(pencil, 1, tol=_EIGEN_TOLERANCE).vectors[:, 0]
    return x - (x @ instance.b) / instance.volume


def power_iterate(instance: Instance, rng: np.random.Generator) -> FloatArray:
    """The same by at most 1000 power steps from noise, as released.

    The shift 2 max d / min b is safe but large: where degrees differ much, little but noise comes
    out.
    """
    degrees = instance.adjacency.sum(axis=1)
    shift = 2 * float(degrees.max() / instance.b.min())
    root = np.sqrt(instance.b)
    matrix = _normalised(instance, shift)
    kernel = root / np.linalg.norm(root)
    y = rng.standard_normal(instance.n)
    for _ in range(_POWER_STEPS):
        y -= (kernel @ y) * kernel
        y, moved = _power_step(matrix, y)
        if moved < _STILL:
            break
    return y / root


def constrained_signs(instance: Instance, rng: np.random.Generator) -> FloatArray:
    """Signs of the second eigenvector under x_i + x_j = 0 for every cannot-link and bᵀx = 0.

    Xu, Li, Schuurmans: Fast normalized cut with linear constraints. CVPR 2009.
    """
    root = np.sqrt(instance.b)
    component, colour = colours(instance)
    weight = root * colour
    squares = np.bincount(component, weight**2)
    squares[squares == 0] = 1.0

    def feasible(y: FloatArray) -> FloatArray:
        return weight * (np.bincount(component, weight * y) / squares)[component]

    kernel = feasible(root)
    length = np.linalg.norm(kernel)
    kernel = kernel / length if length > 0 else kernel
    matrix = _normalised(instance, 2.0)
    y = rng.standard_normal(instance.n)
    for _ in range(_CONSTRAINED_STEPS):
        y = feasible(y)
        y -= (kernel @ y) * kernel
        y, moved = _power_step(matrix, y)
        if moved < _STILL:
            break
    return np.sign(feasible(y))


def _normalised(instance: Instance, shift: float) -> sp.csr_array:
    """shift · I − b^(−1/2) L b^(−1/2)"""
    scale = sp.diags_array(1 / np.sqrt(instance.b))
    diagonal = sp.diags_array(shift - instance.adjacency.sum(axis=1) / instance.b)
    return sp.csr_array(scale @ instance.adjacency @ scale + diagonal)


def _power_step(matrix: sp.csr_array, y: FloatArray) -> tuple[FloatArray, float]:
    """The next unit vector, and how far it is from y."""
    product = matrix @ y
    length = float(np.linalg.norm(product))
    if length == 0:  # no edges: every vector is as good
        return y, 0.0
    product /= length
    return product, float(np.linalg.norm(product - y))
