"""Image files → arrays of pixels, as hostile as the files may be.

PNG, JPEG, TIFF and WebP, told apart by their first bytes and never by their name. The size is
known from the header alone, so a file that would fill the memory is refused before it is decoded.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastge.errors import MissingExtraError, warn
from fastge.files.tables import check_readable, file_error

Pixels: TypeAlias = NDArray[Any]
"""h × w grey values or h × w × 3 or 4 colours: uint8, uint16 or float32."""

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")
MOST_PIXELS = 500_000_000

# By class: `Image.open` would try every format it knows and has a limit of its own.
_FORMATS = {
    b"\x89PNG\r\n\x1a\n": ("PngImagePlugin", "PngImageFile"),
    b"\xff\xd8\xff": ("JpegImagePlugin", "JpegImageFile"),
    b"II*\0": ("TiffImagePlugin", "TiffImageFile"),
    b"MM\0*": ("TiffImagePlugin", "TiffImageFile"),
    b"II+\0": ("TiffImagePlugin", "TiffImageFile"),
    b"MM\0+": ("TiffImagePlugin", "TiffImageFile"),
    b"RIFF": ("WebPImagePlugin", "WebPImageFile"),
}
_MODES = {"1": "L", "LA": "RGBA", "La": "RGBA", "RGBa": "RGBA", "CMYK": "RGB", "YCbCr": "RGB"}
_DEEP = 65_535
_STRETCH = (0.5, 99.5)  # percentiles of a deep image that become black and white
_ONE_AT_A_TIME = threading.RLock()


def pillow(module: str = "Image") -> Any:
    """A module of Pillow, or the error that says how to get it."""
    try:
        return importlib.import_module(f"PIL.{module}")
    except ImportError as cause:
        raise MissingExtraError("Pillow", "image", "reading and writing images") from cause


def read_image(path: Path, *, most_pixels: int = MOST_PIXELS) -> Pixels:
    """Pixels of an image file, upright as its EXIF orientation says."""
    check_readable(path, IMAGE_SUFFIXES)
    try:
        content = path.read_bytes()
    except OSError as cause:
        raise file_error(path, None, f"cannot be read: {cause.strerror or cause}") from cause
    return decode_image(content, str(path), most_pixels=most_pixels)


def decode_image(content: bytes, name: str, *, most_pixels: int = MOST_PIXELS) -> Pixels:
    """Pixels of an image file given by its bytes; `name` is what errors call it."""
    image = open_image(content, name, most_pixels=most_pixels)
    try:
        if image.format == "TIFF":
            _tell_of_further_pages(image, name)
        with _only_our_limit():
            image.load()
        return _pixels(pillow("ImageOps").exif_transpose(image), name)
    except MemoryError as cause:
        raise file_error(Path(name), None, "does not fit into the memory; make it smaller") from (
            cause
        )
    except _UnsuitableError as cause:
        raise file_error(Path(name), None, str(cause)) from None
    except Exception as cause:  # a damaged file makes decoders raise whatever they like
        raise _damaged(name) from cause


def open_image(content: bytes, name: str, *, most_pixels: int = MOST_PIXELS) -> Any:
    """The header of an image: its size and mode are known and allowed, nothing is decoded."""
    place = Path(name)
    kind = next((kind for mark, kind in _FORMATS.items() if content.startswith(mark)), None)
    if kind is None:
        raise file_error(place, None, "not an image that fastge reads: PNG, JPEG, TIFF or WebP")
    opener = getattr(pillow(kind[0]), kind[1])
    try:
        with _only_our_limit():
            image = opener(BytesIO(content))
        width, height = image.size
    except Exception as cause:
        raise _damaged(name) from cause
    if width * height > most_pixels:
        raise file_error(
            place,
            None,
            f"{width:,} × {height:,} pixels are more than the {most_pixels / 1e6:,.0f} million "
            "allowed here; make the image smaller",
        )
    return image


def display_rgb(pixels: Pixels) -> NDArray[np.uint8]:
    """h × w × 3 bytes for the eye: deep values stretched, transparency over white."""
    shown = pixels if pixels.dtype == np.uint8 else _stretched(pixels)
    if shown.ndim == 2:
        return np.repeat(shown[:, :, None], 3, axis=2)
    if shown.shape[2] == 3:
        return np.asarray(shown, dtype=np.uint8)
    alpha = shown[:, :, 3:].astype(np.float32) / 255
    mixed = shown[:, :, :3] * alpha + 255 * (1 - alpha)
    return np.asarray(np.rint(mixed), dtype=np.uint8)


def smaller_size(pixels: Pixels, most_pixels: int) -> tuple[int, int]:
    """Width and height of the image, scaled down, if need be, to so many pixels."""
    height, width = pixels.shape[:2]
    scale = min(1.0, (most_pixels / (width * height)) ** 0.5)
    return max(1, round(width * scale)), max(1, round(height * scale))


def resized(pixels: Pixels, width: int, height: int) -> Pixels:
    """The image at another size, every new pixel a mean of old ones."""
    if (height, width) == pixels.shape[:2]:
        return pixels
    if pixels.dtype == np.uint8:
        box = pillow().Resampling.BOX
        return np.asarray(pillow().fromarray(pixels).resize((width, height), box))
    flat = pixels.reshape(*pixels.shape[:2], -1).astype(np.float32)
    bands = [
        np.asarray(pillow().fromarray(band).resize((width, height), pillow().Resampling.BOX))
        for band in np.moveaxis(flat, 2, 0)
    ]
    return np.stack(bands, axis=2).reshape(height, width, *pixels.shape[2:]).astype(pixels.dtype)


class _UnsuitableError(Exception):
    """What an image is that cannot be segmented, and what to do about it."""


@contextmanager
def _only_our_limit() -> Iterator[None]:
    """No second limit on pixels by Pillow, which takes large scans for an attack."""
    module = pillow()
    with _ONE_AT_A_TIME:
        its_own, module.MAX_IMAGE_PIXELS = module.MAX_IMAGE_PIXELS, None
        try:
            yield
        finally:
            module.MAX_IMAGE_PIXELS = its_own


def _damaged(name: str) -> Exception:
    return file_error(
        Path(name), None, "the image is damaged or breaks off; copy it again or save it anew"
    )


def _tell_of_further_pages(image: Any, name: str) -> None:
    with suppress(EOFError):
        image.seek(1)
        warn(f"{name}: only the first of its pages is used")
    image.seek(0)


def _pixels(image: Any, name: str) -> Pixels:
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    if image.mode in _MODES:
        image = image.convert(_MODES[image.mode])
    pixels = np.asarray(image)
    if image.mode in {"L", "RGB", "RGBA"}:
        return pixels
    if pixels.dtype.kind not in "uif" or pixels.ndim != 2:
        raise _UnsuitableError(f"colours as {image.mode} are not supported; save it as RGB or grey")
    if pixels.dtype.kind in "ui" and pixels.min() >= 0 and pixels.max() <= _DEEP:
        return pixels.astype(np.uint16)
    if not np.isfinite(pixels).all():
        raise _UnsuitableError("some pixels are not finite numbers; replace them before saving it")
    return pixels.astype(np.float32)


def _stretched(pixels: Pixels) -> NDArray[np.uint8]:
    sample = pixels[:: max(1, len(pixels) // 500), :: max(1, pixels.shape[1] // 500)]
    low, high = np.percentile(sample, _STRETCH)
    scale = 255 / (high - low) if high > low else 0.0
    values = (pixels.astype(np.float32) - low) * scale
    return np.asarray(np.clip(np.rint(values), 0, 255), dtype=np.uint8)
