"""The commands: `fastge cluster`, `fastge demo`, `fastge --version`."""

from __future__ import annotations

import platform
import time
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from fastge import __version__, merging
from fastge.algorithm import Clustering
from fastge.algorithm import cluster as find_clusters
from fastge.cli import console
from fastge.constraints import Constraints
from fastge.files import (
    CLUSTER_SUFFIXES,
    GRAPH_SUFFIXES,
    KNOWLEDGE_SUFFIXES,
    ClassLabels,
    NamedGraph,
    Nodes,
    check_readable,
    check_writable,
    file_error,
    read_graph,
    read_labels,
    read_pairs,
    write_clusters,
    write_report,
)
from fastge.graph import IntArray

app = typer.Typer(
    help="Constrained clustering of large graphs.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


class Rule(StrEnum):
    """How constraints are weighed against data: the functions of `fastge.merging` by name."""

    robust = "robust"
    scaled = "scaled"
    paper = "paper"
    median = "median"
    released = "released"


_RULES: dict[Rule, merging.MergeRule] = {
    Rule.robust: merging.robust,
    Rule.scaled: merging.scaled,
    Rule.paper: merging.paper,
    Rule.median: merging.median,
    Rule.released: merging.released,
}


def main() -> None:
    """The program `fastge`."""
    app(prog_name="fastge")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fastge {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Constrained clustering of large graphs, as fastge does it."""


@app.command()
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the pictures go.")
    ] = Path("demo-output"),
) -> None:
    """Cluster two built-in graphs, print what came out and leave pictures of it."""
    with console.plain_endings():
        from fastge.demo import run

        run(output)


@app.command()
def cluster(
    graph: Annotated[
        Path,
        typer.Argument(
            metavar="GRAPH",
            help="Matrix Market (.mtx, .mtx.gz), .npz of SciPy, edge list (.csv, .tsv, .txt: "
            "node,node[,weight], one row per edge), .graphml or .gml. Nodes of .mtx and .npz are "
            "numbered from 0.",
        ),
    ],
    k: Annotated[
        int | None,
        typer.Option("-k", "--clusters", min=2, help="Number of clusters [default: of classes]."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Known classes: rows node,label, or one label per node; -1 or nothing is unknown. "
            ".csv, .tsv, .txt or .npy.",
        ),
    ] = None,
    must_link: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Pairs that belong together: node,node[,confidence]."),
    ] = None,
    cannot_link: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Pairs that belong apart: node,node[,confidence]."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help=".csv or .npy [default: CSV to standard output]."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Quality, eigenvalues and timings as JSON."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything random.")] = 0,
    refine: Annotated[
        bool, typer.Option("--refine", help="Tighten each cluster; nodes left over get -1.")
    ] = False,
    rule: Annotated[
        Rule, typer.Option(help="How constraints are weighed against edges.")
    ] = Rule.robust,
    tol: Annotated[
        float | None, typer.Option(help="Relative residual at which an eigenpair is accepted.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Number of threads [default: all].")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no summary.")
    ] = False,
) -> None:
    """Cluster the nodes of GRAPH under soft constraints; write rows node,cluster."""
    start = time.perf_counter()
    with console.plain_endings():
        if k is None and labels is None:
            raise typer.BadParameter("give the number of clusters, or labels", param_hint="-k")
        _check_files(graph, [labels, must_link, cannot_link], output, report)
        with console.ProgressLine(quiet) as progress:
            progress.stage(f"reading {graph}")
            data = read_graph(graph)
            _check_order(data.nodes, output)
            known = None if labels is None else read_labels(labels, data.nodes)
            constraints = _constraints(known, must_link, cannot_link, data.nodes)
            wanted = k or max(2, known.count if known else 0)
            read = time.perf_counter() - start
            found = find_clusters(
                data.graph,
                constraints,
                wanted,
                seed=seed,
                rule=_RULES[rule],
                callback=progress,
                **_given(refine=refine or None, tol=tol, threads=threads),
            )
        named = known if known is not None and wanted >= known.count else ClassLabels.none()
        if report is not None:
            facts = {"graph": str(graph), "k": wanted, "seed": seed, "rule": rule.value}
            write_report(report, facts | _facts(data, named, found, read))
        write_clusters(output, data.nodes, named.named(found.labels))
        if not quiet:
            console.summarise(data.graph, named, found, time.perf_counter() - start)


def _check_files(
    graph: Path, knowledge: list[Path | None], output: Path | None, report: Path | None
) -> None:
    """Everything that can be wrong with the names of files, before any of them is read."""
    check_readable(graph, GRAPH_SUFFIXES)
    given = [path for path in knowledge if path is not None]
    for path in given:
        check_readable(path, KNOWLEDGE_SUFFIXES)
    if output is not None:
        check_writable(output, CLUSTER_SUFFIXES, [graph, *given])
    if report is not None:
        check_writable(report, (".json",), [graph, *given])


def _check_order(nodes: Nodes, output: Path | None) -> None:
    if output is not None and output.suffix.lower() == ".npy" and not nodes.order_is_evident:
        raise file_error(
            output,
            None,
            f"an array cannot tell which of the {nodes.describe()} its entries are for; "
            "write a .csv",
        )


def _given(**options: Any) -> dict[str, Any]:
    """The options that have a value; the library knows the defaults of the others."""
    return {name: value for name, value in options.items() if value is not None}


def _constraints(
    labels: ClassLabels | None, must_link: Path | None, cannot_link: Path | None, nodes: Nodes
) -> Constraints:
    must, must_confidence = _pairs(must_link, nodes)
    cannot, cannot_confidence = _pairs(cannot_link, nodes)
    pairs = Constraints(
        must,
        cannot,
        must_link_confidence=must_confidence,
        cannot_link_confidence=cannot_confidence,
    )
    return pairs if labels is None else Constraints.from_labels(labels.ids) & pairs


def _pairs(path: Path | None, nodes: Nodes) -> tuple[IntArray | None, Any]:
    return (None, None) if path is None else read_pairs(path, nodes)


def _facts(
    data: NamedGraph, labels: ClassLabels, found: Clustering, reading_seconds: float
) -> dict[str, Any]:
    packages = ("fastge", "numpy", "scipy", "scikit-learn")
    return {
        "n": data.graph.n,
        "m": data.graph.n_edges,
        "components": data.graph.components[0],
        "classes": labels.names,
        **found.report.to_dict(),
        "eigenvalues": found.eigenvalues,
        "residuals": found.residuals,
        "converged": found.converged,
        "timings": {"read": reading_seconds, **found.timings},
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in packages},
        },
    }
