"""The photograph of the demo: regions from a few labelled pixels."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from fastge import plot
from fastge.datasets import Dataset
from fastge.datasets.photographs import shipped_picture
from fastge.graph import IntArray
from fastge.image import Segmentation, segment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "china"
REGIONS = ("sky", "pagoda", "trees", "lake")
MORE = (
    *((604, 144, 2), (583, 178, 2), (40, 215, 2), (45, 300, 3), (272, 149, 1)),
    *((140, 310, 1), (205, 38, 1), (196, 350, 1), (266, 374, 1)),
)
"""Labelled pixels (x, y, region) besides those that come with the photograph."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A photograph, its labelled pixels, and the regions that were found."""

    data: Dataset
    known: IntArray
    """Class of every labelled pixel, −1 elsewhere."""
    found: Segmentation
    seconds: float

    @property
    def headline(self) -> str:
        count, (height, width) = int((self.known >= 0).sum()), self.known.shape
        return f"{self.data.citation}: {width} × {height} pixels, {count} of them labelled."

    @property
    def kept(self) -> int:
        """Labelled pixels that are in their own region."""
        return int((self.found.labels == self.known)[self.known >= 0].sum())

    @property
    def shares(self) -> dict[str, float]:
        sizes = np.bincount(self.found.labels.ravel(), minlength=len(REGIONS))
        return dict(zip(REGIONS, (sizes / sizes.sum()).tolist(), strict=True))


def find_regions() -> Scene:
    """The regions of a photograph that ships in scikit-learn; Pillow reads it."""
    data = shipped_picture("china")
    assert data.shape is not None
    known = data.truth.reshape(data.shape).copy()
    for x, y, label in MORE:
        known[y, x] = label
    start = time.perf_counter()
    found = segment(data.image, known)
    return Scene(data, known, found, time.perf_counter() - start)


def facts(scene: Scene) -> dict[str, Any]:
    """The scene in plain numbers, ready for JSON."""
    return {
        "data": scene.headline,
        "licence": scene.data.licence,
        "pixels": scene.known.size,
        "regions": scene.shares,
        "labelled_pixels": int((scene.known >= 0).sum()),
        "labelled_pixels_kept": scene.kept,
        "eigenvalues": scene.found.eigenvalues.tolist(),
        "converged": scene.found.converged,
        "seconds": scene.seconds,
    }


def pictures(scene: Scene) -> Iterator[tuple[str, Callable[[], Figure]]]:
    yield (
        f"{NAME}-regions.png",
        lambda: plot.image_by_method(
            scene.data.image,
            {"regions": scene.found.labels},
            marked=scene.known,
            title="China: regions of a photograph",
        ),
    )
    yield (
        f"{NAME}-eigenvectors.png",
        lambda: plot.eigenvector_heatmaps(
            scene.found.eigenvectors.reshape(scene.known.size, -1),
            shape=(scene.known.shape[0], scene.known.shape[1]),
            eigenvalues=scene.found.eigenvalues,
            title="China: eigenvectors",
        ),
    )


def tell(scene: Scene, console: Console) -> None:
    console.rule("[bold]China[/]", align="left", style="dim")
    console.print(scene.headline, f"Licence: {scene.data.licence}.", markup=False)
    regions = Table("region", box=SIMPLE_HEAD)
    regions.add_column("share", justify="right")
    for name, share in scene.shares.items():
        regions.add_row(name, f"{share:.1%}")
    console.print(regions)
    table = Table.grid(padding=(0, 2))
    table.add_row(" eigenvalues", "  ".join(f"{value:.4f}" for value in scene.found.eigenvalues))
    state = "converged" if scene.found.converged else "NOT converged"
    table.add_row(" potentials", state)
    kept, told = scene.kept, int((scene.known >= 0).sum())
    table.add_row(" labelled pixels", f"{kept} kept, {told - kept} violated")
    table.add_row(" seconds", f"{scene.seconds:.2f}")
    console.print(table, "")
