"""Real cases with known answers, read from ../shared/data, never copied into the project.

The photographs need Pillow and scikit-image besides fastge.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from fastge import Constraints
from fastge.datasets import sample_labels
from fastge.graph import IntArray, from_pairs

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"
SHARES = (0.05, 0.15, 0.30)
NETWORKS = ("simmons", "haverford")
MOONS = ("c50", "c100")
PICTURES = ("patras", "davis", "cat")


@dataclass(frozen=True, eq=False)
class Case:
    """A graph, what is told about it, and the truth (−1 where it is unknown)."""

    name: str
    adjacency: sp.csr_array
    constraints: Constraints
    k: int
    truth: IntArray

    @property
    def hidden(self) -> IntArray:
        """The nodes with a truth that no label told."""
        known = self.truth >= 0
        known[self.constraints.labels.nodes] = False
        return np.flatnonzero(known)


def moons(name: str) -> Case:
    """The authors' Four-Moons instance `c50` or `c100`, with the pairs that come with it."""
    with np.load(FOLDER / f"four_moons_{name}.npz") as data:
        constraints = Constraints(data["must_link"], data["cannot_link"])
        graph = sp.csr_array((data["data"].astype(float), data["indices"], data["indptr"]))
        return Case(name, graph, constraints, 4, data["truth"].astype(np.int64))


def network(name: str, share: float, draw: int) -> Case:
    """A Facebook network with a share of its nodes labelled, drawn uniformly."""
    with np.load(FOLDER / f"{name}.npz") as data:
        ones = np.ones(len(data["indices"]))
        graph = sp.csr_array((ones, data["indices"], data["indptr"]))
        truth = data["truth"].astype(np.int64)
    labels = sample_labels(truth, share=share, seed=draw)
    title = f"{name} {share:.0%}"
    return Case(title, graph, Constraints.from_labels(labels), len(np.unique(truth)), truth)


def picture(name: str, grey_scale: float = 10.0) -> Case:
    """A picture with a few labelled pixels: w = exp(−Δg² / (2 · 10²)), at least 1e-6."""
    from PIL import Image

    grey = np.asarray(Image.open(FOLDER / f"{name}.jpg").convert("L"), dtype=float)
    pairs = _neighbours(grey.shape, diagonal=False)
    step = np.diff(grey.ravel()[pairs], axis=1).ravel()
    weights = np.maximum(np.exp(-(step**2) / (2 * grey_scale**2)), 1e-6)
    labels = np.full(grey.size, -1)
    with (FOLDER / f"{name}_points.csv").open() as file:
        for row in csv.DictReader(file):
            labels[int(row["y"]) * grey.shape[1] + int(row["x"])] = int(row["label"])
    graph = from_pairs(grey.size, pairs, weights)
    return Case(name, graph, Constraints.from_labels(labels), int(labels.max()) + 1, labels)


def photograph_names() -> list[str]:
    return sorted(file.stem for file in (FOLDER / "bsds_train").glob("*.jpg"))


def photograph(name: str) -> Case:
    """A photograph with five labelled pixels a class: w = exp(−δ² / mean δ²), δ in CIELAB."""
    from PIL import Image
    from skimage.color import rgb2lab

    start = FOLDER / "bsds_train" / name
    lab = rgb2lab(np.asarray(Image.open(f"{start}.jpg")))
    truth, seeds = (
        np.asarray(Image.open(f"{start}_{part}.png")).astype(np.int64).ravel() - 1
        for part in ("truth", "seeds")
    )
    pairs = _neighbours(lab.shape[:2], diagonal=True)
    colours = lab.reshape(-1, 3)
    squares = ((colours[pairs[:, 0]] - colours[pairs[:, 1]]) ** 2).sum(axis=1)
    weights = np.maximum(np.exp(-squares / squares.mean()), 1e-6)
    graph = from_pairs(truth.size, pairs, weights)
    return Case(name, graph, Constraints.from_labels(seeds), int(seeds.max()) + 1, truth)


def _neighbours(shape: tuple[int, ...], *, diagonal: bool) -> IntArray:
    """Pairs i < j of pixels that touch, in reading order."""
    pixel = np.arange(shape[0] * shape[1]).reshape(shape[0], shape[1])
    pairs = [(pixel[:, :-1], pixel[:, 1:]), (pixel[:-1], pixel[1:])]
    if diagonal:
        pairs += [(pixel[:-1, :-1], pixel[1:, 1:]), (pixel[:-1, 1:], pixel[1:, :-1])]
    return np.concatenate([np.column_stack([i.ravel(), j.ravel()]) for i, j in pairs])
