"""Accuracy and seconds against the number of labels: what most figures of the paper show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from baselines.registry import METHODS, look_of
from fastge import plot
from fastge.graph import IntArray
from fastge.plot import Line
from reproduce.cases import Case, build
from reproduce.figures.figure import Picture, Table
from reproduce.results import Results

PAPER = ("fastge", "released", "cosf", "cosc", "csp", "csp-unit-rows", "fastge2")
"""The paper's comparison, with what the library makes of it today."""
FURTHER = ("fastge", "paper", "poisson", "label-spreading", "harmonic", "pck-means", "njw")
"""What users would take instead, and no constraints at all."""
EVERYBODY = tuple(dict.fromkeys(PAPER + FURTHER))
SECONDS = "CPU seconds"
SPREAD = (
    "Lines join medians over the draws, thick bars hold half of the draws, thin bars all of them; "
    "lines keep apart sideways."
)


def pictures(
    results: Results, data: str, *, x: str, adjusted: bool = False, instance: bool = False
) -> Iterator[Picture]:
    """The paper's comparison, the other methods, and one draw as everybody clusters it.

    With `adjusted` the ARI on unlabelled nodes is drawn besides the Rand index.
    """
    scores = {"rand": "Rand index", **({"ari_hidden": "ARI, unlabelled nodes"} if adjusted else {})}
    scores["cpu_seconds"] = SECONDS
    name = data.lower().replace(" ", "-")
    for methods, part, what in (
        (PAPER, "comparison", "the paper's comparison"),
        (FURTHER, "further", "what could be used instead"),
    ):
        title = f"{data}: {what}"
        yield from curves(
            results, data, methods, scores, name=f"{name}-{part}", x=x, title=title, caption=title
        )
    if instance:
        title = f"{data}: one draw"
        yield from instances(results, data, EVERYBODY, name=f"{name}-instance", title=title)


def curves(
    results: Results,
    data: str,
    methods: Sequence[str],
    scores: Mapping[str, str],
    *,
    name: str,
    x: str,
    title: str,
    caption: str,
) -> Iterator[Picture]:
    """Scores (and how they are called) along the axis of the data, a panel each."""
    panels: dict[str, dict[str, Line]] = {}
    for score, quantity in scores.items():
        lines = {m: results.line(data, m, score) for m in methods}
        panels[quantity] = {METHODS[m].label: line for m, line in lines.items() if line}
    if not any(panels.values()):
        return
    places = {float(v) for lines in panels.values() for line in lines.values() for v in line.x}
    drawing = plot.lines_with_spread(
        panels,
        x=x,
        ticks={place: results.told(data, place) for place in sorted(places)},
        logarithmic={SECONDS},
        looks={METHODS[m].label: look_of(m) for m in methods},
        title=title,
    )
    yield Picture(name, f"{caption}. {SPREAD}", drawing)


def instances(
    results: Results, data: str, methods: Sequence[str], *, name: str, title: str
) -> Iterator[Picture]:
    """The same draw as every method clusters it."""
    shown = {m: record for m in methods if (record := results.shown(data, m))}
    if not shown:
        return
    run = next(iter(shown.values())).run
    case = build(run.case, run.parameters)
    points = np.empty((0, 2)) if case.points is None else case.points
    answers = {}
    for method, record in shown.items():
        found = matched(results.arrays(record)["labels"].astype(np.int64), case)
        answers[f"{METHODS[method].label}: Rand {record.scores['rand']:.3f}"] = found
    labelled = np.flatnonzero(case.labels >= 0)
    drawing = plot.points_by_method(points, answers, labelled=labelled, title=title)
    caption = (
        f"One draw with {len(labelled)} labelled nodes (ringed). Colours are matched to the truth."
    )
    yield Picture(name, caption, drawing)


def matched(found: IntArray, case: Case) -> IntArray:
    """Clusters renumbered to agree with the truth (or the labels) on as many nodes as may be."""
    truth = case.labels if case.truth is None else case.truth
    known = truth >= 0
    ids, column = np.unique(found, return_inverse=True)
    size = max(len(ids), int(truth.max()) + 1)
    table = np.zeros((size, size))
    np.add.at(table, (column[known], truth[known]), 1)
    row, name = linear_sum_assignment(table, maximize=True)
    names = np.empty(size, dtype=np.int64)
    names[row] = name
    return names[column]


def tables_of(scores: Mapping[str, str], results: Results) -> list[Table]:
    return [
        Table(data, score, f"{data}: {title}")
        for data in results.data
        for score, title in scores.items()
    ]
