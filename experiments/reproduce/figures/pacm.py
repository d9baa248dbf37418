"""PACM: Rand index and seconds against the number of labelled nodes, on letters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reproduce.figures.claims import Whys, accuracy, speed
from reproduce.figures.curves import EVERYBODY, pictures, tables_of
from reproduce.figures.figure import Figure, Picture, bearable
from reproduce.results import Results
from reproduce.runs import Series
from reproduce.verdicts import Verdict

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


_SMALL = (
    "With 426 nodes a dense eigenproblem takes a tenth of a second, so CSP cannot be far slower; "
    "it is solved by symmetric problems here, not by QZ as released."
)
ACCURACY: Whys = {
    ("released", Verdict.PARTLY): (
        "With 10 labels L_CL has rank nine at most, the program's H has no demand graph, and its "
        "eigensolver breaks off; with many labels one run of k-means is stuck now and then."
    ),
    ("fastge", Verdict.AGREES): "Level with COSf within the spread, at about a tenth of its time.",
}
SPEED: Whys = {("released", Verdict.PARTLY): _SMALL, ("fastge", Verdict.PARTLY): _SMALL}

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
    claims=(*accuracy([DATA], "rand", ACCURACY), *speed([DATA], 3, SPEED)),
    tables=partial(tables_of, {"rand": "Rand index", "ari_hidden": "ARI, unlabelled nodes"}),
)
