"""The main job on embedded data: two graphs and a photograph, a report, and pictures."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from fastge import demo_photograph, plot
from fastge.algorithm import Clustering, bipartition, cluster
from fastge.constraints import Constraints
from fastge.datasets import Dataset, contradictory, four_moons, sample_labels
from fastge.demo_photograph import Scene
from fastge.errors import MissingExtraError
from fastge.graph import FloatArray
from fastge.quality import Report, Tally, adjusted_rand_index, rand_index
from fastge.spectrum import TOLERANCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEED = 1
LABELLED = 50
_REPORT_WIDTH = 100


@dataclass(frozen=True, eq=False)
class Finding:
    """A data set, what was known about it, and what was found."""

    headline: str
    data: Dataset
    points: FloatArray
    constraints: Constraints
    found: Clustering
    report: Report
    """With the certificate of the best bipartition, where k = 2."""
    seconds: dict[str, float]

    @property
    def agreement(self) -> dict[str, float]:
        """Rand indices against the truth, on all nodes and on those without a label."""
        truth, labels = self.data.truth, self.found.labels
        hidden = np.ones(len(truth), dtype=bool)
        hidden[self.constraints.labels.nodes] = False
        return {
            "rand_index": rand_index(truth, labels),
            "rand_index_unlabelled": rand_index(truth[hidden], labels[hidden]),
            "adjusted_rand_index": adjusted_rand_index(truth, labels),
        }

    @property
    def is_sound(self) -> bool:
        certificate = self.report.certificate
        return self.found.converged and (certificate is None or certificate.holds)


def run(output: Path = Path("demo-output"), console: Console | None = None) -> int:
    """0 if every eigenpair converged and the certificate holds, else 1.

    Prints the report, and leaves it in `output` as report.txt and report.json beside the pictures.
    """
    output.mkdir(parents=True, exist_ok=True)
    console = console or Console(highlight=False)
    findings = [find_moons(), find_despite_contradictions()]
    scene, no_scene = _photograph()
    start = time.perf_counter()
    pictures, missing = _draw_all(findings, scene, output)
    drawing = time.perf_counter() - start
    closing = missing or f"{len(pictures)} pictures drawn in {drawing:.1f} s."
    if no_scene is not None:
        closing = f"No photograph: {no_scene}\n{closing}"
    facts: dict[str, Any] = {f.data.name: _facts(f) for f in findings}
    if scene is not None:
        facts[demo_photograph.NAME] = demo_photograph.facts(scene)
    facts |= {"pictures": pictures, "drawing_seconds": drawing, "missing": missing}
    (output / "report.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    with (output / "report.txt").open("w", encoding="utf-8") as file:
        screen = Console(file=file, width=_REPORT_WIDTH, highlight=False)
        _tell(findings, scene, closing, screen)
    _tell(findings, scene, closing, console)
    console.print(f"Everything is in {output}", soft_wrap=True, markup=False)
    is_sound = scene is None or scene.found.converged
    return 0 if is_sound and all(f.is_sound for f in findings) else 1


def _photograph() -> tuple[Scene | None, str | None]:
    """The photograph and its regions, or what is missing to read it."""
    try:
        return demo_photograph.find_regions(), None
    except MissingExtraError as cause:
        return None, str(cause)


def find_moons() -> Finding:
    """Four interleaved half rings, from a few labelled points."""
    data = four_moons(seed=SEED)
    labels = sample_labels(data.truth, LABELLED, seed=SEED)
    return _find(
        f"{data.n:,} points in {data.k} half rings, {LABELLED} of them labelled.",
        data,
        Constraints.from_labels(labels),
    )


def find_despite_contradictions() -> Finding:
    """Two clouds of points whose constraints cannot all be kept."""
    data = contradictory(seed=SEED)
    constraints = data.constraints or Constraints()
    clash = constraints.contradictions
    return _find(
        f"{data.n:,} points in two clouds. Of {constraints.cannot_link.count} cannot-links, "
        f"{len(clash.both)} are must-links too and {len(clash.inside)} contradict a chain of them.",
        data,
        constraints,
    )


def _find(headline: str, data: Dataset, constraints: Constraints) -> Finding:
    found = cluster(data.adjacency, constraints, data.k, seed=SEED)
    report, seconds = found.report, dict(found.timings)
    if data.k == 2:
        start = time.perf_counter()
        _, certificate = bipartition(data.adjacency, constraints)
        seconds["bipartition"] = time.perf_counter() - start
        report = replace(report, certificate=certificate)
    points = np.empty((0, 2)) if data.points is None else data.points
    return Finding(headline, data, points, constraints, found, report, seconds)


def _facts(f: Finding) -> dict[str, Any]:
    """The finding in plain numbers, ready for JSON."""
    return {
        "data": f.headline,
        "citation": f.data.citation,
        "nodes": f.data.n,
        "edges": f.data.adjacency.nnz // 2,
        "eigenvalues": f.found.eigenvalues.tolist(),
        "residuals": f.found.residuals.tolist(),
        "converged": bool(f.found.converged),
        **f.agreement,
        **f.report.to_dict(),
        "seconds": f.seconds,
    }


def _draw_all(
    findings: list[Finding], scene: Scene | None, output: Path
) -> tuple[list[str], str | None]:
    """Names of the pictures that were saved, and why there are none."""
    names = []
    drawn = [(f"{f.data.name}-{kind}.png", draw) for f in findings for kind, draw in _pictures(f)]
    try:
        for name, draw in [*drawn, *(demo_photograph.pictures(scene) if scene else ())]:
            names.append(name)
            draw().savefig(output / name)
    except MissingExtraError as cause:
        return [], f"No pictures: {cause}"
    return names, None


def _pictures(f: Finding) -> Iterator[tuple[str, Callable[[], Figure]]]:
    name, labels = _name(f), f.found.labels
    yield (
        "points",
        lambda: plot.points_by_cluster(
            f.points, labels, constraints=f.constraints, title=f"{name}: points by cluster"
        ),
    )
    yield (
        "embedding",
        lambda: plot.embedding_scatter(
            f.found.embedding, labels, title=f"{name}: spectral embedding"
        ),
    )
    yield (
        "eigenvectors",
        lambda: plot.eigenvector_heatmaps(
            f.found.eigenvectors,
            points=f.points,
            eigenvalues=f.found.eigenvalues,
            title=f"{name}: eigenvectors",
        ),
    )
    if len(f.found.history) > 1:
        yield (
            "convergence",
            lambda: plot.convergence(
                f.found.history, tolerance=TOLERANCE, title=f"{name}: convergence"
            ),
        )


def _tell(findings: list[Finding], scene: Scene | None, closing: str, console: Console) -> None:
    for finding in findings:
        console.rule(f"[bold]{_name(finding)}[/]", align="left", style="dim")
        console.print(finding.headline, markup=False)
        console.print(_cluster_table(finding.report))
        console.print(_fact_table(finding), "")
    console.print("φ = cut in G / cut in H of a cluster against the rest: the smaller, the better.")
    if scene is not None:
        console.print()
        demo_photograph.tell(scene, console)
    console.print(closing, soft_wrap=True, markup=False)


def _cluster_table(report: Report) -> Table:
    table = Table("cluster", box=SIMPLE_HEAD)
    for column in ("nodes", "φ"):
        table.add_column(column, justify="right")
    for cluster_id, size, phi in zip(report.cluster_ids, report.sizes, report.phi, strict=True):
        table.add_row(str(cluster_id), f"{size:,}", f"{phi:.4f}")
    return table


def _fact_table(f: Finding) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value in _fact_rows(f):
        table.add_row(f" {name}", value)
    return table


def _fact_rows(f: Finding) -> Iterator[tuple[str, str]]:
    yield "eigenvalues", "  ".join(f"{value:.4f}" for value in f.found.eigenvalues)
    state = "converged" if f.found.converged else "NOT converged"
    yield "residuals", f"at most {np.max(f.found.residuals):.1e}: {state}"
    yield "must-links", _kept(f.report.must_link)
    yield "cannot-links", _kept(f.report.cannot_link)
    yield "Rand index", _agreement_line(f)
    certificate = f.report.certificate
    if certificate is not None:
        holds = "holds" if certificate.holds else "FAILS"
        yield "sweep cut", f"φ = {certificate.ratio:.4f}, the least along the first eigenvector"
        yield (
            "certificate",
            f"no cut has φ < {certificate.lower_bound:.4f}: "
            f"the sweep is within a factor {certificate.gap:.2f} of the best",
        )
        yield "Cheeger bound", f"φ ≤ {certificate.cheeger_bound:.4g} {holds}"
    yield "seconds", " · ".join(f"{stage} {value:.2f}" for stage, value in f.seconds.items())


def _agreement_line(f: Finding) -> str:
    values = f.agreement
    line = f"{values['rand_index']:.3f}, adjusted {values['adjusted_rand_index']:.3f}"
    if f.constraints.labels.count == 0:
        return line
    return f"{line}; on unlabelled nodes {values['rand_index_unlabelled']:.3f}"


def _kept(tally: Tally) -> str:
    weight = tally.kept_weight + tally.violated_weight
    share = tally.kept_weight / weight if weight else 1.0
    return f"{tally.kept:,} kept, {tally.violated:,} violated; {share:.1%} kept by weight"


def _name(f: Finding) -> str:
    return f.data.name.replace("-", " ").capitalize()
