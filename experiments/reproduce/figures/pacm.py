"""PACM: Rand index and seconds against the number of labelled nodes, on letters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reproduce.figures.claims import accuracy, speed
from reproduce.figures.curves import EVERYBODY, pictures, tables_of
from reproduce.figures.figure import Figure, Picture, bearable
from reproduce.results import Results
from reproduce.runs import Series

DATA = "PACM"
NODES, LABELS, SMALL_LABELS = 426, (10, 20, 40, 80, 120), (20, 60)


def series(small: bool) -> list[Series]:
    labels = SMALL_LABELS if small else LABELS
    return [
        Series(
            DATA, "pacm", method, "labelled", labels, draws=2 if small else 20,
            limit=2 if small else 60, budget=1 if small else 30, kept=len(labels) // 2,
        )
        for method in bearable(EVERYBODY, NODES)
    ]  # fmt: skip


def draw(results: Results) -> Iterator[Picture]:
    yield from pictures(results, DATA, x="labelled nodes", instance=True)


FIGURE = Figure(
    name="pacm",
    title="PACM",
    about=(
        "The paper's second synthetic case: 426 points in the letters P, A, C, M, irregular in "
        "shape, size and density.",
        "Its points were never published. Here they are drawn anew from strokes of that "
        "description, with the noise of Four-Moons, so that single figures cannot be compared "
        "with the paper's, but the order of the methods can.",
    ),
    series=series,
    draw=draw,
    claims=(*accuracy([DATA], "rand", {}), *speed([DATA], 3, {})),
    tables=partial(tables_of, {"rand": "Rand index", "ari_hidden": "ARI, unlabelled nodes"}),
)
