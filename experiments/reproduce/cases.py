"""The data of a run, built from a name and a few numbers: what a method gets, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

import reference_sets
from fastge import Constraints, datasets
from fastge.graph import FloatArray, IntArray
from reproduce.schema import Parameters

BASE_SEED = 1000
"""Seeds of graphs start here: those of labels are 0, 1, …, and the two must not be correlated."""


@dataclass(frozen=True, eq=False)
class Case:
    """A graph with some labelled nodes."""

    adjacency: sp.csr_array
    labels: IntArray
    """Class of every labelled node, −1 elsewhere."""
    k: int
    citation: str
    truth: IntArray | None = None
    points: FloatArray | None = None
    image: Any = None
    """h × w (× 3), floats in 0 … 1."""

    @property
    def constraints(self) -> Constraints:
        return Constraints.from_labels(self.labels)

    def input_of(self, needs: str) -> Any:
        """What a method takes in the place of a graph: the graph, the points or the image."""
        return {"graph": self.adjacency, "points": self.points, "image": self.image}[needs]


def four_moons(n: int, labelled: int, draw: int) -> Case:
    """Points, noise and labels drawn anew."""
    return _drawn(datasets.four_moons(n, seed=BASE_SEED + draw), {"count": labelled}, draw)


def authors_moons(name: str) -> Case:
    """The authors' own instance; its pairs are all those among the labelled nodes."""
    case = reference_sets.moons(name)
    labels = np.full(len(case.truth), -1)
    labels[case.constraints.nodes] = case.truth[case.constraints.nodes]
    return Case(case.adjacency, labels, case.k, datasets.FAST_GE, case.truth)


def pacm(labelled: int, draw: int) -> Case:
    return _drawn(datasets.pacm(seed=BASE_SEED + draw), {"count": labelled}, draw)


def network(school: str, share: float, draw: int) -> Case:
    """The Facebook network of a school; only labels are drawn."""
    case = reference_sets.network(school, share, draw)
    labels = np.full(len(case.truth), -1)
    labels[case.constraints.labels.nodes] = case.constraints.labels.classes
    return Case(case.adjacency, labels, case.k, datasets.FACEBOOK, case.truth)


def stand_in(school: Literal["simmons", "haverford"], share: float, draw: int) -> Case:
    """A network of the sizes and degrees of a school's, drawn anew."""
    data = datasets.network_stand_in(school, seed=BASE_SEED + draw)
    return _drawn(data, {"share": share}, draw)


def planted(sizes: list[int], share: float, draw: int) -> Case:
    data = datasets.planted_partition(sizes, p_in=0.1, p_out=0.02, seed=BASE_SEED + draw)
    return _drawn(data, {"share": share}, draw)


def picture(name: str) -> Case:
    """A picture of the collection with its own labelled pixels."""
    from PIL import Image

    case = reference_sets.picture(name)
    image = np.asarray(Image.open(reference_sets.FOLDER / f"{name}.jpg"), dtype=float) / 255
    citation = datasets.FAST_GE if name == "patras" else "no source stated"
    return Case(case.adjacency, case.truth, case.k, citation, image=image)


def shipped(name: str, size: int | None = None) -> Case:
    """An openly licensed picture from an installed package."""
    data = datasets.shipped_picture(name, size)
    labels = np.full(data.n, -1)
    labels[data.constraints.labels.nodes] = data.constraints.labels.classes
    image = data.image / 255
    return Case(data.adjacency, labels, data.k, data.citation, image=image)


CASES: dict[str, Callable[..., Case]] = {
    "four-moons": four_moons,
    "authors-moons": authors_moons,
    "pacm": pacm,
    "network": network,
    "stand-in": stand_in,
    "planted": planted,
    "picture": picture,
    "shipped": shipped,
}


def build(name: str, parameters: Parameters) -> Case:
    return CASES[name](**parameters)


def there_are_reference_sets() -> bool:
    return reference_sets.FOLDER.is_dir()


def _drawn(data: datasets.Dataset, told: dict[str, Any], draw: int) -> Case:
    labels = datasets.sample_labels(data.truth, **told, seed=draw)
    return Case(data.adjacency, labels, data.k, data.citation, data.truth, data.points)
