"""Slow and obvious versions of what fastge computes: dense matrices, expanded pairs, all cuts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import inf, isnan
from typing import Any

import numpy as np
import scipy.linalg as la

from fastge.constraints import Constraints
from fastge.graph import BoolArray, FloatArray, IntArray
from fastge.pencil import Weighting


def laplacian(W: FloatArray) -> FloatArray:
    """D − W"""
    return np.diag(W.sum(axis=1)) - W


def expanded_pairs(constraints: Constraints) -> Iterator[tuple[int, int, bool, float]]:
    """All constraints as (i, j, is a must-link, confidence), those that labels imply included."""
    for pairs, must in ((constraints.must_link, True), (constraints.cannot_link, False)):
        for (i, j), confidence in zip(pairs.ends, pairs.confidence, strict=True):
            yield int(i), int(j), must, float(confidence)
    labels = constraints.labels
    entries = zip(labels.nodes, labels.classes, labels.confidence, strict=True)
    for (i, a, ci), (j, b, cj) in combinations(list(entries), 2):
        if i != j:
            yield int(i), int(j), bool(a == b), float(ci * cj)


def pair_weight(w: Weighting, i: int, j: int, must: bool, confidence: float) -> float:
    factor = w.must_factor if must else w.cannot_factor
    return float(factor * confidence * w.strength[i] * w.strength[j])


def merged(A: FloatArray, constraints: Constraints, w: Weighting) -> tuple[FloatArray, FloatArray]:
    """Dense adjacencies G and H of the merged graphs."""
    d = A.sum(axis=1)
    G = A.copy()
    H = np.zeros_like(A)
    for i, j, must, confidence in expanded_pairs(constraints):
        side = G if must else H
        side[i, j] += pair_weight(w, i, j, must, confidence)
        side[j, i] = side[i, j]
    if d.sum() > 0:
        H += w.tau * np.outer(d, d) / d.sum()
    H += w.ridge * G
    np.fill_diagonal(H, 0.0)
    return G, H


def demand_graph(W: FloatArray) -> FloatArray:
    """K_ij = d_i d_j / vol"""
    d = W.sum(axis=1)
    K = np.outer(d, d) / d.sum()
    np.fill_diagonal(K, 0.0)
    return K


def cut(W: FloatArray, inside: BoolArray) -> float:
    return float(W[np.ix_(inside, ~inside)].sum())


def ratio(G: FloatArray, H: FloatArray, inside: BoolArray) -> float:
    """cut_G / cut_H; nan for 0 / 0"""
    g, h = cut(G, inside), cut(H, inside)
    if h == 0:
        return inf if g > 0 else float("nan")
    return g / h


def all_cuts(n: int) -> Iterator[BoolArray]:
    """Every way to split n nodes in two, once."""
    for code in range(1, 2 ** (n - 1)):
        yield np.array([code >> i & 1 for i in range(n)], dtype=bool)


def least_ratio(G: FloatArray, H: FloatArray) -> float:
    """φ(G, H) by trying all cuts."""
    ratios = (ratio(G, H, inside) for inside in all_cuts(len(G)))
    return min((r for r in ratios if not isnan(r)), default=inf)


def sweep_ratio(G: FloatArray, H: FloatArray, vector: FloatArray) -> float:
    """Least ratio over all thresholds between different values; inf if there is none."""
    ratios = (ratio(G, H, vector > threshold) for threshold in np.unique(vector)[:-1])
    return min((r for r in ratios if not isnan(r)), default=inf)


def pencil_eigenpairs(G: FloatArray, H: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Nontrivial λ, ascending, and vectors of L_G x = λ L_H x for connected G."""
    basis = la.null_space(np.ones((1, len(G))))
    inverse, Y = la.eigh(basis.T @ laplacian(H) @ basis, basis.T @ laplacian(G) @ basis)
    keep = inverse > 1e-12 * inverse.max()
    return 1.0 / inverse[keep][::-1], (basis @ Y)[:, keep][:, ::-1]


def tallies(
    constraints: Constraints, w: Weighting | None, labels: IntArray
) -> dict[bool, tuple[int, int, float, float]]:
    """must-link? → (kept, violated, weight kept, weight violated)"""
    result = {True: [0, 0, 0.0, 0.0], False: [0, 0, 0.0, 0.0]}
    for i, j, must, confidence in expanded_pairs(constraints):
        together = labels[i] == labels[j] and labels[i] >= 0
        violated = int(together != must)
        result[must][violated] += 1
        result[must][2 + violated] += (
            confidence if w is None else pair_weight(w, i, j, must, confidence)
        )
    return {must: (int(v[0]), int(v[1]), v[2], v[3]) for must, v in result.items()}


def refined(
    G: FloatArray, H: FloatArray, lengths: FloatArray, labels: IntArray
) -> dict[int, float]:
    """Least ratio among each cluster's prefixes by falling length; nan if it cuts nothing."""
    best = {}
    for c in np.unique(labels[labels >= 0]):
        inside = labels == c
        thresholds = np.unique(lengths[inside])
        ratios = [ratio(G, H, inside & (lengths >= t)) for t in thresholds]
        best[int(c)] = ratios[0] if isnan(ratios[0]) else min(r for r in ratios if not isnan(r))
    return best


def pixel_weights(
    channels: FloatArray, inside: BoolArray, radius: float, scale: float, floor: float
) -> FloatArray:
    """max(exp(−δ²/scale), floor) between the pixels that take part, at most `radius` apart."""
    places = np.argwhere(inside)
    rows = channels[inside].astype(np.float64)
    W = np.zeros((len(rows), len(rows)))
    for i, j in combinations(range(len(rows)), 2):
        if ((places[i] - places[j]) ** 2).sum() <= radius**2:
            W[i, j] = max(np.exp(-((rows[i] - rows[j]) ** 2).sum() / scale), floor)
    return np.asarray(W + W.T)


def followed(whole: Any, level: Any, shares: FloatArray, scale: float) -> IntArray:
    """Class of every pixel: its block's, or where blocks around differ the one they vote for."""
    side, coarse = level.blocks.side, level.pixels
    of_block = level.as_blocks(shares)
    best = np.where(coarse.inside, of_block.argmax(axis=-1), -1)
    labels = np.full(whole.shape, -1)
    for at in zip(*np.nonzero(whole.inside), strict=True):
        home = tuple(a // side for a in at)
        around = [
            block
            for block in np.ndindex(*coarse.shape)
            if coarse.inside[block]
            and all(abs(b - h) <= 1 for b, h in zip(block, home, strict=True))
        ]
        labels[at] = best[home]
        if len({int(best[block]) for block in around}) > 1:
            exponents = []
            for block in around:
                square = ((whole.channels[at] - coarse.channels[block]) ** 2).sum()
                away = (np.array(at) + 0.5) / side - (np.array(block) + 0.5)
                exponents.append(float(square) / scale + (away**2).sum())
            weights = np.exp(min(exponents) - np.array(exponents))
            votes = weights @ np.stack([of_block[block] for block in around])
            labels[at] = votes.argmax()
    return labels
