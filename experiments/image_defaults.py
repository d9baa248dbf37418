"""Regions of photographs from five labelled pixels a class: the defaults of `fastge.image`.

    python experiments/image_defaults.py

Every other photograph was used for choosing ("choose"), the others for reporting ("report"). ARI
is over all pixels that a person labelled; seconds are those of the processor, for all fifteen.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
from PIL import Image

import reference_sets as sets
from baselines.random_walker import random_walker
from fastge import Constraints, cluster
from fastge.graph import IntArray
from fastge.image import level, likeness, segmenter
from fastge.quality import adjusted_rand_index

Image3: TypeAlias = Any
Method: TypeAlias = Callable[["Photograph"], IntArray]


@dataclass(frozen=True, eq=False)
class Photograph:
    """Colours, the labelled pixels and the truth, −1 where there is none."""

    image: Image3
    seeds: IntArray
    truth: IntArray

    @classmethod
    def read(cls, name: str) -> Photograph:
        start = sets.FOLDER / "bsds_train" / name
        parts = [np.asarray(Image.open(f"{start}{end}")) for end in (".jpg", "_seeds.png")]
        truth = np.asarray(Image.open(f"{start}_truth.png")).astype(np.int64) - 1
        return cls(parts[0], parts[1].astype(np.int64) - 1, truth)

    @property
    def constraints(self) -> Constraints:
        return Constraints.from_labels(self.seeds.ravel())

    @property
    def k(self) -> int:
        return int(self.seeds.max()) + 1

    def agreement(self, labels: IntArray) -> float:
        known = self.truth >= 0
        return adjusted_rand_index(self.truth[known], labels.reshape(self.truth.shape)[known])


def walker(p: Photograph) -> IntArray:
    return random_walker(p.image, p.constraints, p.k, seed=0).labels


def directions(p: Photograph) -> IntArray:
    graph = segmenter.Segmenter(p.image).graph
    return cluster(graph, p.constraints, p.k).labels


def resemblance(p: Photograph) -> IntArray:
    """The class of the likeness alone, without any graph."""
    fine = segmenter.Segmenter(p.image).fine
    places = np.flatnonzero(p.seeds.ravel() >= 0)
    nodes, classes = fine.nodes(places), p.seeds.ravel()[places]
    samples = [fine.features.samples(nodes[classes == c]) for c in range(p.k)]
    best = fine.features.likeness(samples).argmax(axis=1)
    return np.asarray(fine.blocks.spread(best.reshape(fine.pixels.shape)))


def ours(p: Photograph, **options: Any) -> IntArray:
    return segmenter.segment(p.image, p.seeds, **options).labels


def changed(*changes: tuple[Any, str, Any], **options: Any) -> Method:
    """Our method with other constants or options."""

    def run(p: Photograph) -> IntArray:
        with ExitStack() as stack:
            for module, name, value in changes:
                stack.enter_context(patch.object(module, name, value))
            return ours(p, **options)

    return run


def pixels_themselves(pixels: Any) -> Any:
    return pixels


METHODS: dict[str, Method] = {
    "random walker": walker,
    "`fastge.cluster` of all pixels": directions,
    "likeness alone": resemblance,
    "**`fastge.image`**": ours,
    "likeness counts 15 / n": changed((level, "REACH", 15.0)),
    "likeness counts 60 / n": changed((level, "REACH", 60.0)),
    "likeness counts nothing": changed((level, "REACH", 1e-3)),
    "bandwidth 0.1": changed((likeness, "BANDWIDTH", 0.1)),
    "bandwidth 0.4": changed((likeness, "BANDWIDTH", 0.4)),
    "place does not count": changed((likeness, "PLACE", 0.0)),
    "place counts 1": changed((likeness, "PLACE", 1.0)),
    "all pixels, not blocks": changed((segmenter, "FINE_PIXELS", 200_000)),
    "blocks of 3 × 3": changed((segmenter, "FINE_PIXELS", 20_000)),
    "blocks of 4 × 4": changed((segmenter, "FINE_PIXELS", 10_000)),
    "noise is not smoothed": changed((level, "smoothed", pixels_themselves)),
    "20 neighbours": changed(radius=2.3),
    "hold of a painted pixel 10": changed((level, "HOLD", 10.0)),
}


def table() -> None:
    names = sets.photograph_names()
    print("| method | choose | report | all | seconds |\n|---|---|---|---|---|")
    photographs = [Photograph.read(name) for name in names]
    for name, method in METHODS.items():
        start = time.process_time()
        found = [method(p) for p in photographs]
        seconds = time.process_time() - start
        scores = [p.agreement(labels) for p, labels in zip(photographs, found, strict=True)]
        means = (np.mean(scores[::2]), np.mean(scores[1::2]), np.mean(scores))
        cells = [name, *(f"{mean:.3f}" for mean in means), f"{seconds:.1f}"]
        print("|", " | ".join(cells), "|", flush=True)


def per_photograph() -> None:
    print("\n| photograph | classes | random walker | `fastge.image` |\n|---|---|---|---|")
    for name in sets.photograph_names():
        p = Photograph.read(name)
        scores = [p.agreement(method(p)) for method in (walker, ours)]
        print(f"| {name} | {p.k} |", " | ".join(f"{score:.3f}" for score in scores), "|")


def pictures() -> Iterator[str]:
    for name in sets.PICTURES:
        image = np.asarray(Image.open(sets.FOLDER / f"{name}.jpg"))
        with (sets.FOLDER / f"{name}_points.csv").open(encoding="utf-8") as file:
            rows = [[int(row[key]) for key in ("x", "y", "label")] for row in csv.DictReader(file)]
        start = time.process_time()
        found = segmenter.segment(image, rows)
        seconds = time.process_time() - start
        assert found.report is not None
        must, cannot = found.report.must_link, found.report.cannot_link
        violated, told = must.violated + cannot.violated, len(rows) * (len(rows) - 1) // 2
        shares = ", ".join(f"{size / found.labels.size:.0%}" for size in found.report.sizes)
        yield f"| {name} | {found.k} | {violated} of {told} | {shares} | {seconds:.2f} |"


if __name__ == "__main__":
    table()
    per_photograph()
    print("\n| picture | regions | pairs violated | sizes | seconds |\n|---|---|---|---|---|")
    print("\n".join(pictures()))
