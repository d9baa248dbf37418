"""Openly licensed photographs that lie inside other packages: nothing is downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np

from fastge.datasets.dataset import Dataset
from fastge.datasets.images import picture
from fastge.errors import FileFormatError, MissingExtraError, ParameterError
from fastge.graph import IntArray

_EXTRA = "samples"
_LEAST_SIZE = 10_000  # pixels; labelled points stay apart


@dataclass(frozen=True)
class _Photograph:
    package: str
    distribution: str
    file: str
    citation: str
    licence: str
    regions: tuple[tuple[tuple[int, int], ...], ...]
    """Places x, y in the picture as it lies in the package, region by region."""


def _sklearn(name: str, author: str, *regions: tuple[tuple[int, int], ...]) -> _Photograph:
    citation = f"Photograph by {author} (Flickr), {name} of scikit-learn's sample images"
    file = f"datasets/images/{name}"
    return _Photograph("sklearn", "scikit-learn", file, citation, "CC BY 2.0", regions)


def _skimage(name: str, author: str, *regions: tuple[tuple[int, int], ...]) -> _Photograph:
    citation = f"Photograph by {author}, {name} of scikit-image's data"
    return _Photograph("skimage", "scikit-image", f"data/{name}", citation, "CC0 1.0", regions)


_PHOTOGRAPHS = {
    "china": _sklearn(
        "china.jpg",
        "danielbuechele",
        ((60, 60), (400, 60), (560, 120), (420, 200)),  # sky
        ((250, 90), (140, 115), (160, 215), (250, 270), (320, 345)),  # pagoda
        ((60, 390), (450, 370), (600, 250), (590, 390), (20, 210), (330, 400)),  # trees
        ((400, 275), (530, 235), (370, 235), (30, 265)),  # lake
    ),
    "flower": _sklearn(
        "flower.jpg",
        "vultilion",
        ((310, 220), (220, 150), (410, 250), (250, 310), (370, 130), (300, 340)),  # dahlia
        ((350, 400), (410, 400), (315, 415), (450, 423)),  # the one below
        (
            (60, 100),
            (550, 100),
            (100, 350),
            (500, 320),
            (310, 40),
            (250, 385),
            (510, 400),
        ),  # leaves
    ),
    "coffee": _skimage(
        "coffee.png",
        "Rachel Michetti",
        ((40, 330), (60, 160), (145, 60), (560, 60), (540, 340), (470, 40)),  # table
        ((110, 220), (330, 365), (450, 200), (260, 225), (140, 320)),  # saucer and cup
        ((188, 110), (390, 100), (290, 70), (290, 200)),  # porcelain
        ((250, 115), (290, 175), (330, 160)),  # coffee
        ((90, 20), (20, 60)),  # floor
    ),
    "camera": _skimage(
        "camera.png",
        "Lav Varshney",
        ((100, 60), (400, 60), (20, 150), (330, 100)),  # sky
        ((100, 250), (60, 400), (220, 100), (180, 220), (110, 470)),  # man
        ((200, 420), (450, 300), (440, 430), (270, 460), (360, 270)),  # lawn
    ),
    "retina": _skimage(
        "retina.jpg",
        "Mikael Häggström",
        ((260, 620), (270, 690), (240, 660), (290, 640)),  # optic disc
        ((400, 640), (330, 450), (330, 850), (110, 500), (130, 850), (700, 300), (1150, 250),
         (900, 560), (1000, 900), (700, 1200)),  # fundus
        ((40, 40), (1370, 40), (40, 1370), (1370, 1370), (200, 60), (1200, 1350)),  # mask
    ),
}  # fmt: skip
PHOTOGRAPHS = tuple(_PHOTOGRAPHS)


def shipped_picture(
    name: Literal["china", "flower", "coffee", "camera", "retina"], size: int | None = None
) -> Dataset:
    """A photograph with 12–18 labelled pixels, as `picture`, and with its licence.

    `china` and `flower` (273,280 pixels) lie in scikit-learn, `coffee` (240,000), `camera`
    (262,144) and `retina` (1,990,921) in scikit-image. With `size` the picture is scaled to at most
    so many pixels, and to hardly fewer: detail is lost or, above its own size, interpolated.
    """
    if name not in _PHOTOGRAPHS:
        raise ParameterError(f"no picture {name!r} is shipped; choose {', '.join(PHOTOGRAPHS)}")
    if size is not None and size < _LEAST_SIZE:
        raise ParameterError(f"size = {size} pixels are too few to see anything; {_LEAST_SIZE} do")
    try:
        from PIL import Image
    except ImportError as cause:
        raise MissingExtraError("Pillow", _EXTRA, "reading photographs") from cause
    photograph = _PHOTOGRAPHS[name]
    with Image.open(_path(photograph)) as file:
        image = file.convert("RGB") if file.mode != "L" else file.copy()
    factor = 1.0 if size is None else float(np.sqrt(size / (image.width * image.height)))
    if size is not None:
        shape = int(image.width * factor), int(image.height * factor)
        image = image.resize(shape, Image.Resampling.BICUBIC)
    return picture(
        np.asarray(image),
        _points(photograph, factor),
        name=name,
        citation=photograph.citation,
        licence=photograph.licence,
    )


def _path(photograph: _Photograph) -> Path:
    """Where the photograph lies; its package is not imported."""
    package = find_spec(photograph.package)
    if package is None or not package.submodule_search_locations:
        raise MissingExtraError(photograph.distribution, _EXTRA, f"reading {photograph.file}")
    path = Path(package.submodule_search_locations[0]) / photograph.file
    if not path.is_file():
        raise FileFormatError(
            f"{path}: no such file; this version of {photograph.distribution} comes without it"
        )
    return path


def _points(photograph: _Photograph, factor: float) -> IntArray:
    """Rows x, y, region."""
    regions = np.repeat(range(len(photograph.regions)), [len(r) for r in photograph.regions])
    places = np.concatenate([np.array(region) for region in photograph.regions])
    return np.column_stack([((places + 0.5) * factor).astype(np.int64), regions])
