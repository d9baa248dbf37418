"""One image of `fastge segment`: read, segment, write."""

from __future__ import annotations

import platform
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from fastge.errors import ConstraintError, FastgeError
from fastge.files.images import Pixels, display_rgb, read_image, resized, smaller_size
from fastge.files.overlays import (
    enlarged_labels,
    map_picture,
    rgb_of,
    with_legend,
    with_lines,
    with_points,
    with_scribbles,
    write_labels,
)
from fastge.files.scribbles import read_painting, read_points
from fastge.files.tables import file_error
from fastge.graph import IntArray
from fastge.image import PALETTE, Segmentation, Segmenter, overlay, read_scribbles

_MOST_CLASSES = 256
_SHOWN_PIXELS = 16_000_000


@dataclass(frozen=True)
class Job:
    """What is the same for all images of one call."""

    scribbles: Path | None
    points: Path | None
    k: int | None
    overlay: Path | None
    labels: Path | None
    eigenvectors: Path | None
    most_pixels: int
    seed: int
    many: bool
    """Whether outputs, scribbles and points are folders with a file per image."""
    quality: bool
    """Whether φ and the pairs are wanted: on many pixels they take longer than the regions."""

    def target(self, given: Path, image: Path, end: str) -> Path:
        return given / f"{image.stem}{end}" if self.many else given


@dataclass(frozen=True, eq=False)
class Known:
    """Class of every pixel that is known, −1 elsewhere; names and colours of the classes."""

    classes: IntArray
    names: dict[int, str]
    colours: dict[int, str]
    are_points: bool = False


def segment_one(path: Path, job: Job) -> dict[str, Any]:
    """Segment one image, write what is asked for, and tell about it."""
    start = time.perf_counter()
    pixels = read_image(path)
    height, width = pixels.shape[:2]
    known = _known(path, job, (height, width))
    size = smaller_size(pixels, job.most_pixels)
    small = None if known is None else _moved(known.classes, size)
    try:
        found = Segmenter(resized(pixels, *size), seed=job.seed).update(small, job.k)
    except FastgeError as cause:
        raise file_error(path, None, str(cause)) from cause
    labels = enlarged_labels(found.labels, (width, height))
    _write(path, job, pixels, known, labels, found)
    names = {} if known is None else known.names
    classes = [names.get(int(c), f"found {c}") for c in found.class_ids]
    return {
        "image": str(path),
        "width": width,
        "height": height,
        "segmented_at": size,
        "k": len(classes),
        "classes": classes,
        "pixels": [int((labels == c).sum()) for c in found.class_ids],
        **_kept(found.labels, small),
        **(found.report.to_dict() if job.quality and found.report else {}),
        "eigenvalues": found.eigenvalues,
        "converged": found.converged,
        "timings": {**found.timings, "in_total": time.perf_counter() - start},
        "versions": {"fastge": version("fastge"), "python": platform.python_version()},
    }


def summary(facts: dict[str, Any]) -> str:
    """What came out for one image, in one line."""
    violated, known = facts["violated_pixels"], facts["known_pixels"]
    kept = f", {violated} of {known} known pixels violated" if known else ""
    return (
        f"{facts['image']}: {facts['width']} × {facts['height']} pixels → {facts['k']} regions in "
        f"{facts['timings']['in_total']:.1f} s{kept}"
    )


def _known(image: Path, job: Job, shape: tuple[int, int]) -> Known | None:
    """What is known about the pixels of an image; errors name the file that says so."""
    given = job.scribbles or job.points
    if given is None:
        return None
    kind = ("scribbles", "png") if job.scribbles else ("points", "csv")
    path = _belonging(given, image, *kind) if job.many else given
    names: dict[int, str] = {}
    if job.scribbles:
        content = read_painting(path, shape)
    else:
        points = read_points(path, shape)
        content, names = points.rows, points.names
    try:
        read = read_scribbles(content, shape)
    except ConstraintError as cause:
        raise file_error(path, None, str(cause)) from cause
    names = names or {int(c): f"class {c}" for c in read.classes}
    colours = {c: "#" + bytes(colour).hex() for c, colour in read.colours.items()}
    return Known(read.labels, names, colours, are_points=job.scribbles is None)


def _belonging(folder: Path, image: Path, kind: str, end: str) -> Path:
    """The file in a folder that belongs to an image."""
    names = [f"{image.stem}{between}.{end}" for between in (f"-{kind}", f"_{kind}", "")]
    found = next((folder / name for name in names if (folder / name).is_file()), None)
    if found is None or found.samefile(image):
        raise file_error(
            image, None, f"there are no {kind} for it in {folder}; call them {names[0]}"
        )
    return found


def _moved(classes: IntArray, size: tuple[int, int]) -> IntArray:
    """Known pixels on the image of another size; none is lost, however small it becomes."""
    height, width = classes.shape
    if (width, height) == size:
        return classes
    y, x = np.nonzero(classes >= 0)
    result = np.full(size[::-1], -1, dtype=np.int64)
    result[y * size[1] // height, x * size[0] // width] = classes[y, x]
    return result


def _colours(known: Known | None) -> list[str]:
    """Colour of every class: as it was painted, or in turn from the palette."""
    table = ["#" + bytes(PALETTE[j % len(PALETTE)]).hex() for j in range(_MOST_CLASSES)]
    for label, colour in ({} if known is None else known.colours).items():
        table[label] = colour
    return table


def _kept(labels: IntArray, known: IntArray | None) -> dict[str, int]:
    """Number of known pixels, and of those among them that got another class."""
    if known is None:
        return {"known_pixels": 0, "violated_pixels": 0}
    painted = (known >= 0) & (labels >= 0)
    violated = labels[painted] != known[painted]
    return {"known_pixels": int(painted.sum()), "violated_pixels": int(violated.sum())}


def _write(
    image: Path,
    job: Job,
    pixels: Pixels,
    known: Known | None,
    labels: IntArray,
    found: Segmentation,
) -> None:
    colours = _colours(known)
    if job.labels is not None:
        write_labels(job.target(job.labels, image, "-labels.png"), labels, colours)
    if job.overlay is not None:
        picture = _overlay(pixels, known, labels, colours)
        picture.save(job.target(job.overlay, image, "-segmented.png"))
    if job.eigenvectors is not None:
        maps = found.eigenvectors
        for j in range(maps.shape[-1]):
            name = f"{image.stem}-eigenvector-{j + 1}.png"
            map_picture(maps[..., j]).save(job.eigenvectors / name)


def _overlay(pixels: Pixels, known: Known | None, labels: IntArray, colours: list[str]) -> Any:
    table = {j: rgb_of(colour) for j, colour in enumerate(colours)}
    size = smaller_size(pixels, _SHOWN_PIXELS)
    shown = enlarged_labels(labels, size)
    picture = overlay(display_rgb(resized(pixels, *size)), shown, lines=False, colours=table)
    picture = with_lines(picture, shown)
    if known is not None:
        draw = with_points if known.are_points else with_scribbles
        picture = draw(picture, _moved(known.classes, size), colours)
    names = {} if known is None else known.names
    found, counts = np.unique(labels[labels >= 0], return_counts=True)
    entries = [
        (f"{names.get(c, f'found {c}')} · {n / labels.size:.0%}", colours[c])
        for c, n in zip(found.tolist(), counts.tolist(), strict=True)
    ]
    return with_legend(picture, entries)
