"""Segmentation of photographs: strokes, previews and peers in one run, in processor seconds.

    python benchmarks/images.py [--small] [--pictures ../shared/data]

The photograph is china.jpg of scikit-learn, scaled. Its strokes are those of the demo's points,
made as wide as a brush. With `--pictures` COSf and we also segment the paper's own photographs.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from fastge import Constraints, cluster
from fastge.datasets.photographs import shipped_picture
from fastge.image import Segmenter, image_graph
from measure import show

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "experiments"))

SIZES = (44_000, 154_000, 1_100_000)
SMALL = (12_000,)
BRUSH = 1 / 100  # of the height
REPEATS = 3


def seconds(task: Callable[[], Any]) -> float:
    """The least of several runs, on the processor."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return min(times)


def painted(shape: tuple[int, int], points: Any) -> Any:
    """Dots of the brush around points x, y, class."""
    y, x = np.indices(shape)
    labels = np.full(shape, -1)
    for px, py, label in points:
        labels[(x - px) ** 2 + (y - py) ** 2 <= (BRUSH * shape[0]) ** 2] = label
    return labels


def strokes(size: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Seconds of a photograph at one size, and how the peers do."""
    data = shipped_picture("china", size)
    classes = data.truth.reshape(data.shape)
    y, x = np.nonzero(classes >= 0)
    points = np.column_stack([x, y, classes[y, x]])
    before, after = painted(data.shape, points[:-1]), painted(data.shape, points)
    segmenter = Segmenter(data.image)
    segmenter.update(before), segmenter.preview(before)
    graph = image_graph(data.image)
    matrix, block = graph.to_scipy(), np.ones((graph.n, 8))
    product = seconds(lambda: matrix @ block)
    scratch = seconds(lambda: Segmenter(data.image).update(after))
    stroke, preview = (seconds(lambda f=f: f(after)) for f in (segmenter.update, segmenter.preview))
    agreement = (segmenter.preview(after).labels == segmenter.update(after).labels).mean()
    whole = _whole(graph, after.ravel())
    row = {
        "pixels": graph.n,
        "graph": seconds(lambda: image_graph(data.image)) / product,
        "scratch": scratch,
        "stroke": stroke,
        "preview": preview,
        "stroke_ratio": stroke / scratch,
        "preview_ratio": preview / scratch,
        "agreement": float(agreement),
    }
    walker = _walker(data.image, after)
    peers = {"pixels": graph.n, "ours": scratch, "walker": walker, "walker_ratio": walker / scratch}
    return row, peers | {"whole": whole, "whole_ratio": whole / stroke}


def _whole(graph: Any, labels: Any) -> float:
    start = time.process_time()
    cluster(graph, Constraints.from_labels(labels), int(labels.max()) + 1)
    return time.process_time() - start


def _walker(image: Any, labels: Any) -> float:
    from skimage.segmentation import random_walker

    start = time.process_time()
    random_walker(image, labels + 1, beta=90, mode="cg_j", tol=1e-3, channel_axis=-1)
    return time.process_time() - start


def against_cosc(folder: Path, name: str) -> dict[str, Any]:
    """From the pixels to the regions: COSf on the paper's graph, and our default."""
    import reference_sets
    from baselines.cosc import cosc_fast

    image = np.asarray(Image.open(folder / f"{name}.jpg"))
    with (folder / f"{name}_points.csv").open(encoding="utf-8") as file:
        rows = np.array([[int(r[c]) for c in ("x", "y", "label")] for r in csv.DictReader(file)])
    ours = seconds(lambda: Segmenter(image).update(rows))
    found = Segmenter(image).update(rows).labels[rows[:, 1], rows[:, 0]]
    start = time.process_time()
    case = reference_sets.picture(name)
    theirs = cosc_fast(case.adjacency, case.constraints, case.k, seed=0).labels
    cosf = time.process_time() - start
    at = rows[:, 1] * image.shape[1] + rows[:, 0]
    told = len(rows) * (len(rows) - 1) // 2
    return {
        "name": name,
        "pairs": told,
        "ours": ours,
        "ours_violated": violated(found, rows[:, 2]),
        "cosf": cosf,
        "cosf_violated": violated(np.asarray(theirs)[at], rows[:, 2]),
        "ratio": cosf / ours,
    }


def violated(found: Any, classes: Any) -> int:
    """Pairs that are together in one and apart in the other."""
    together = found[:, None] == found
    return int((together != (classes[:, None] == classes)).sum() // 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="one small photograph: seconds")
    parser.add_argument("--pictures", type=Path, help="folder with the paper's photographs")
    options = parser.parse_args()
    rows, peers = zip(*map(strokes, SMALL if options.small else SIZES), strict=True)
    columns = {
        "pixels": "pixels",
        "graph": "graph / product",
        "scratch": "from scratch s",
        "stroke": "stroke s",
        "preview": "preview s",
        "stroke_ratio": "stroke / scratch",
        "preview_ratio": "preview / scratch",
        "agreement": "preview right",
    }
    show("Strokes", columns, rows)
    columns = {
        "pixels": "pixels",
        "ours": "fastge.image s",
        "walker": "random walker s",
        "walker_ratio": "times ours",
        "whole": "fastge.cluster s",
        "whole_ratio": "times a stroke",
    }
    show("Peers, from scratch", columns, peers)
    if options.pictures:
        columns = {
            "name": "picture",
            "pairs": "pairs",
            "ours": "fastge.image s",
            "ours_violated": "violated",
            "cosf": "COSf s",
            "cosf_violated": "violated by COSf",
            "ratio": "times ours",
        }
        found = [against_cosc(options.pictures, name) for name in ("patras", "davis")]
        show("COSf", columns, found)


if __name__ == "__main__":
    main()
