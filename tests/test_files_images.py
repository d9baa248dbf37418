"""Image files of every kind that is read, and what is drawn of them."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fastge.errors import FileFormatError
from fastge.files.images import decode_image, display_rgb, read_image, resized, smaller_size
from fastge.files.overlays import enlarged_labels, map_picture, with_legend, with_lines


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def ramp(kind: Any) -> Any:
    return np.arange(6 * 8).reshape(6, 8).astype(kind)


@pytest.mark.parametrize(
    ("mode", "shape", "dtype"),
    [
        ("1", (6, 8), np.uint8),
        ("L", (6, 8), np.uint8),
        ("LA", (6, 8, 4), np.uint8),
        ("RGB", (6, 8, 3), np.uint8),
        ("RGBA", (6, 8, 4), np.uint8),
        ("CMYK", (6, 8, 3), np.uint8),
        ("I;16", (6, 8), np.uint16),
        ("I", (6, 8), np.uint16),
        ("F", (6, 8), np.float32),
    ],
)
def test_every_mode_becomes_grey_or_colours(mode: str, shape: Any, dtype: Any) -> None:
    pixels = decode_image(encoded(Image.new(mode, (8, 6), 1), "TIFF"), "a.tif")
    assert (pixels.shape, pixels.dtype) == (shape, dtype)


def test_palettes_are_looked_up() -> None:
    image = Image.fromarray(ramp(np.uint8))
    image.putpalette([channel for j in range(256) for channel in (j, 0, 255 - j)])
    pixels = decode_image(encoded(image), "a.png")
    assert pixels[0, 5].tolist() == [5, 0, 250]
    image.info["transparency"] = 3
    seen = decode_image(encoded(image), "a.png")
    assert seen[0, 2:5, 3].tolist() == [255, 0, 255]


@pytest.mark.parametrize("order", ["<", ">"])
def test_sixteen_bits_are_kept_in_either_byte_order(order: str) -> None:
    deep = ramp(np.uint16) * 1000
    if order == "<":
        content = encoded(Image.fromarray(deep), "TIFF")
    else:
        content = encoded(Image.fromarray(deep))  # PNG has the high byte first
    assert (decode_image(content, "a") == deep).all()


def test_sixteen_bits_a_colour_are_read() -> None:
    """Pillow keeps the upper half of each; a file of 48 bits a pixel is written by hand."""
    rows = [b"\0" + struct.pack(">3H", 60_000, 30_000, 0) * 8] * 6

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", 8, 6, 16, 2, 0, 0, 0)
    body = (
        chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")
    )
    pixels = decode_image(b"\x89PNG\r\n\x1a\n" + body, "a.png")
    assert (pixels == [60_000 >> 8, 30_000 >> 8, 0]).all()


def test_values_beyond_sixteen_bits_are_numbers_of_their_own() -> None:
    values = np.array([[-1.5, 2.0], [70_000.0, 3.0]], dtype=np.float32)
    assert (decode_image(encoded(Image.fromarray(values), "TIFF"), "a") == values).all()
    whole = decode_image(encoded(Image.fromarray(np.array([[70_000, 1]], np.int32)), "TIFF"), "a")
    assert whole.dtype == np.float32
    values[0, 0] = np.nan
    with pytest.raises(FileFormatError, match=r"a: some pixels are not finite numbers; replace"):
        decode_image(encoded(Image.fromarray(values), "TIFF"), "a")


def test_of_many_pages_the_first_is_used_and_said_so() -> None:
    pages = [Image.fromarray(ramp(np.uint8) + j) for j in range(2)]
    content = encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    with pytest.warns(UserWarning, match=r"a\.tif: only the first of its pages is used"):
        assert (decode_image(content, "a.tif") == ramp(np.uint8)).all()


@pytest.mark.parametrize(
    ("kind", "name"), [("TIFF", "a.tif"), ("PNG", "a.png"), ("WEBP", "a.webp")]
)
def test_large_scans_are_no_attack(
    kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: Any
) -> None:
    """Beyond Pillow's own limit, which is not meant for scans, ours is the only one."""
    (tmp_path / name).write_bytes(encoded(Image.new("RGB", (80, 60)), kind))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    assert read_image(tmp_path / name).shape == (60, 80, 3)
    assert Image.MAX_IMAGE_PIXELS == 1000
    assert not recwarn
    with pytest.raises(FileFormatError, match=r"80 × 60 pixels are more than the 0 million"):
        read_image(tmp_path / name, most_pixels=4000)


def test_what_cannot_be_read_is_told_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(Image.new("L", (8, 6))))

    def unreadable(_: Path) -> bytes:
        raise OSError(5, "Input/output error")

    def too_much(_: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as broken:
        broken.setattr(Path, "read_bytes", unreadable)
        with pytest.raises(FileFormatError, match=r"a\.png: cannot be read: Input/output error"):
            read_image(path)
    monkeypatch.setattr("PIL.PngImagePlugin.PngImageFile.load", too_much)
    with pytest.raises(FileFormatError, match=r"a\.png: does not fit into the memory; make it"):
        read_image(path)


def test_pictures_are_stretched_and_laid_over_white_for_the_eye() -> None:
    deep = display_rgb(ramp(np.uint16) + 500)
    assert deep.shape == (6, 8, 3)
    assert (deep[0, 0, 0], deep[-1, -1, 0]) == (0, 255)
    assert (display_rgb(np.full((4, 4), 7, np.uint16)) == 0).all()
    glass = np.zeros((2, 2, 4), np.uint8)
    glass[0, :, 3] = 255
    assert display_rgb(glass)[:, 0, 0].tolist() == [0, 255]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("channels", [None, 3])
def test_smaller_images_are_means_of_larger_ones(dtype: Any, channels: int | None) -> None:
    fine = np.kron(ramp(dtype), np.ones((4, 4), dtype))
    if channels:
        fine = np.stack([fine, fine + 1, fine + 2], axis=2)
    small = resized(fine, 8, 6)
    assert small.dtype == dtype
    assert (small == fine[::4, ::4]).all()
    assert resized(small, 8, 6) is small
    assert smaller_size(fine, 48) == (8, 6)
    assert smaller_size(small, 10**6) == (8, 6)


def test_labels_are_enlarged_along_smooth_borders() -> None:
    small = np.where(np.arange(8)[None, :] + np.arange(6)[:, None] < 7, 0, 5)
    small[0, 0] = -1
    large = enlarged_labels(small, (80, 60))
    y, x = np.indices((60, 80))
    truth = np.where(x + y < 74, 0, 5)
    assert (large == truth)[10:, 10:].mean() > 0.98
    assert large[0, 0] == -1
    assert set(np.unique(large)) == {-1, 0, 5}


def test_lines_show_on_any_image() -> None:
    labels = np.repeat([[0] * 10 + [1] * 10], 10, axis=0)
    drawn = with_lines(np.full((10, 20, 3), 255, np.uint8), labels)
    assert drawn[5].min() < 50  # dark edges on white
    assert (with_lines(np.zeros((10, 20, 3), np.uint8), labels)[5] == 255).any()


def test_maps_spread_over_all_greys_but_for_their_spikes() -> None:
    values = np.linspace(-1, 1, 10_000).reshape(100, 100)
    values[0, 0] = 1e9
    grey = np.asarray(map_picture(values))
    assert (grey.min(), grey.max()) == (0, 255)
    assert abs(float(grey.mean()) - 127) < 3
    assert (np.asarray(map_picture(np.ones((4, 4)))) == 0).all()


def test_a_legend_breaks_into_rows_and_is_sized_for_the_picture() -> None:
    entries = [(f"a long name, number {j}", "#0072b2") for j in range(6)]
    narrow = with_legend(np.zeros((50, 200, 3), np.uint8), entries)
    wide = with_legend(np.zeros((50, 2000, 3), np.uint8), entries)
    assert narrow.width == 200
    assert narrow.height - 50 > 6 * 20
    assert 100 < wide.height - 50 < 250
