"""`fastge segment`: regions of images from scribbles or points."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from fastge.cli import console
from fastge.cli.commands import app
from fastge.cli.segmenting import Job, segment_one, summary
from fastge.errors import FastgeError, InputError
from fastge.files.images import IMAGE_SUFFIXES
from fastge.files.overlays import LABEL_SUFFIXES, PICTURE_SUFFIXES
from fastge.files.results import check_writable, write_report
from fastge.files.tables import file_error

MOST_PIXELS = 4_000_000
_NOT_AN_IMAGE = re.compile(r".*[-_](segmented|labels|overlay|scribbles|eigenvector-\d+)")


@app.command()
def segment(
    images: Annotated[
        list[Path],
        typer.Argument(metavar="IMAGE", help="PNG, JPEG, TIFF or WebP, or a folder of them."),
    ],
    scribbles: Annotated[
        Path | None,
        typer.Option(
            metavar="PNG",
            help="A picture of the image's size with the known pixels painted in one colour per "
            "class on transparency or black; if grey: 0 unpainted, v is class v - 1. For several "
            "images a folder with NAME.png or NAME-scribbles.png.",
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="Rows x,y,label, counted from 0 at the top left. For several images a folder "
            "with NAME.csv or NAME-points.csv.",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("-k", "--regions", min=2, help="Number of regions [default: of classes]."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="The image under the colours of its regions, with a legend: .png or .jpg; for "
            "several images a folder [default, if nothing else is written: NAME-segmented.png].",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT",
            help="Class of every pixel: .npy, or .png with class + 1; for several images a folder.",
        ),
    ] = None,
    eigenvectors: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A grey picture of every eigenvector.")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Quality, eigenvalues and timings as JSON."),
    ] = None,
    most_pixels: Annotated[
        int,
        typer.Option(min=100, help="Images with more are segmented smaller, and then enlarged."),
    ] = MOST_PIXELS,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything random.")] = 0,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no summary.")
    ] = False,
) -> None:
    """Segment images into regions that scribbles or points hint at."""
    with console.plain_endings():
        if scribbles is not None and points is not None:
            raise typer.BadParameter("give scribbles or points, not both", param_hint="--points")
        if scribbles is None and points is None and k is None:
            raise typer.BadParameter("give scribbles, points, or a number of regions (-k)")
        paths = _images(images)
        many = len(paths) > 1 or images[0].is_dir()
        if output is None and labels is None and eigenvectors is None and report is None:
            output = Path() if many else Path(f"{paths[0].stem}-segmented.png")
        outputs = (output, labels, eigenvectors)
        quality = report is not None
        job = Job(scribbles, points, k, *outputs, most_pixels, seed, many, quality)
        _check_files(job, report, paths)
        facts, failed = _segment_all(paths, job, quiet)
        if report is not None:
            write_report(report, {"images": facts} if many else facts[0])
    if failed:
        raise typer.Exit(1)


def _images(given: list[Path]) -> list[Path]:
    """The images that are meant; a folder stands for those in it that are not made of others."""
    found: list[Path] = []
    for path in given:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(p for p in path.iterdir() if p.suffix.lower() in IMAGE_SUFFIXES)
        inside = [p for p in inside if not _NOT_AN_IMAGE.fullmatch(p.stem)]
        if not inside:
            raise file_error(
                path, None, f"no image in this folder; fastge reads {', '.join(IMAGE_SUFFIXES)}"
            )
        found += inside
    return found


def _check_files(job: Job, report: Path | None, inputs: list[Path]) -> None:
    """Everything that can be wrong with the names of files, before any image is read."""
    stems = [path.stem for path in inputs]
    twice = next((stem for stem in stems if stems.count(stem) > 1), None)
    if twice is not None:
        raise InputError(f"two images are called {twice}; segment them one by one")
    given = job.scribbles or job.points
    if job.many and given is not None and not given.is_dir():
        raise file_error(given, None, "for several images name a folder with a file for each")
    folders = [job.eigenvectors, *([job.overlay, job.labels] if job.many else [])]
    for folder in folders:
        if folder is not None:
            is_named_as_file = folder.suffix.lower() in {*PICTURE_SUFFIXES, *LABEL_SUFFIXES}
            if not folder.is_dir() and (folder.exists() or is_named_as_file):
                what = "name a folder here, which is made if need be, not a file"
                raise file_error(folder, None, what)
            folder.mkdir(parents=True, exist_ok=True)
    used = [p for p in (*inputs, job.scribbles, job.points) if p is not None and p.is_file()]
    if not job.many:
        for path, suffixes in ((job.overlay, PICTURE_SUFFIXES), (job.labels, LABEL_SUFFIXES)):
            if path is not None:
                check_writable(path, suffixes, used)
    if report is not None:
        check_writable(report, (".json",), used)


def _segment_all(paths: list[Path], job: Job, quiet: bool) -> tuple[list[dict[str, Any]], int]:
    """Facts about every image; where there are several, one that fails does not stop the rest."""
    facts: list[dict[str, Any]] = []
    failed = 0
    screen = console.console()
    with (
        _bar(screen, quiet or not job.many) as bar,
        console.ProgressLine(quiet or job.many) as line,
    ):
        for path in bar.track(paths, description="segmenting"):
            line.stage(f"segmenting {path}")
            try:
                found = segment_one(path, job)
            except FastgeError as cause:
                if not job.many:
                    raise
                console.say(str(cause), screen)
                found = {"image": str(path), "error": str(cause)}
                failed += 1
            facts.append(found)
            if not quiet and "error" not in found:
                console.say(summary(found), screen)
    return facts, failed


def _bar(screen: Console, is_hidden: bool) -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    is_hidden = is_hidden or not screen.is_terminal
    return Progress(*columns, console=screen, transient=True, disable=is_hidden)
