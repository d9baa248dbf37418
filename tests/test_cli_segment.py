"""`fastge segment` as its users meet it: images in, overlays, labels, maps and a report out."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from typer.testing import CliRunner

from fastge.cli import app, console
from fastge.cli import segmenting as one_image
from fastge.image import PALETTE

POINTS = "x,y,label\n8,20,red\n24,8,red\n40,20,green\n56,30,green\n"
TRUTH = np.repeat([[0] * 32 + [1] * 32], 40, axis=0)
RED, GREEN = (200, 20, 20), (20, 200, 20)


def two_fields(width: int = 64, height: int = 40) -> NDArray[np.uint8]:
    """Red left and green right, with some noise."""
    image = np.where(np.arange(width)[None, :, None] < width // 2, RED, GREEN) + np.zeros(
        (height, 1, 1)
    )
    image += np.random.default_rng(0).normal(0, 5, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def strokes() -> Image.Image:
    """A stroke in each field, in two colours on transparency."""
    picture = Image.new("RGBA", (64, 40))
    for x, colour in ((5, "#1faa85"), (45, "#d55e00")):
        picture.paste(colour, (x, 18, x + 12, 22))
    return picture


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with an image, and what is known about it in two forms."""
    Image.fromarray(two_fields()).save(tmp_path / "fields.png")
    strokes().save(tmp_path / "strokes.png")
    (tmp_path / "known.csv").write_text(POINTS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def several(folder: Path) -> Path:
    """Two images, one file that is none, and points for the images."""
    images, points = folder / "images", folder / "points"
    images.mkdir()
    points.mkdir()
    for name in ("one", "two"):
        Image.fromarray(two_fields()).save(images / f"{name}.jpg", quality=95)
    (images / "broken.png").write_bytes(b"no image")
    (images / "one-segmented.png").write_bytes(b"of an earlier run, and passed over")
    (images / "notes.txt").write_text("passed over, too", encoding="utf-8")
    (points / "one.csv").write_text(POINTS, encoding="utf-8")
    (points / "two-points.csv").write_text(POINTS, encoding="utf-8")
    (points / "broken.csv").write_text(POINTS, encoding="utf-8")
    return folder


def segment(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["segment", *arguments], prog_name="fastge")


def done(*arguments: str) -> str:
    """What a run that ends well says."""
    result = segment(*arguments)
    assert result.exit_code == 0, result.output
    return str(result.output)


def read(path: str) -> NDArray[Any]:
    with Image.open(path) as image:
        return np.asarray(image)


def test_points_give_an_overlay_beside_the_image_with_a_legend(folder: Path) -> None:
    said = done("fields.png", "--points", "known.csv")
    assert said.startswith("fastge: fields.png: 64 × 40 pixels → 2 regions in ")
    assert said.endswith("0 of 4 known pixels violated\n")
    overlay = read("fields-segmented.png").astype(int)
    assert overlay.shape[1] == 64
    assert overlay.shape[0] > 55  # a row of the legend for every name: the image is narrow
    for x, own, field in ((2, PALETTE[0], RED), (61, PALETTE[1], GREEN)):
        tint = np.asarray(field) + 0.45 * (own - np.asarray(field))
        assert np.abs(overlay[2:6, x] - tint).max() < 20
    assert (overlay[2:38, 30:34].min(axis=2).max(axis=1) == 255).all()  # the cut is drawn in white
    below = overlay[40:].reshape(-1, 3)
    for colour in PALETTE[:2]:
        assert (below == colour).all(axis=1).sum() > 50
    disc = overlay[18:23, 6:11].reshape(-1, 3)
    assert (disc == PALETTE[0]).all(axis=1).sum() > 8


def test_strokes_keep_their_colours_in_every_file(folder: Path) -> None:
    done("fields.png", "--scribbles", "strokes.png", "-o", "o.png", "--labels", "l.png")
    with Image.open("l.png") as labels:
        shown = np.asarray(labels.convert("RGBA"))
        ids = np.asarray(labels)
    assert shown[5, 5].tolist() == [0x1F, 0xAA, 0x85, 255]
    assert shown[5, 60].tolist() == [0xD5, 0x5E, 0x00, 255]
    # The colours are those of the palette's classes 3 and 5; files hold class + 1.
    assert (ids == np.where(TRUTH == 0, 4, 6)).mean() > 0.99
    assert (read("o.png")[20, 8] == shown[5, 5][:3]).all()


def test_grey_scribbles_are_classes_and_numpy_files_hold_them_as_they_are(folder: Path) -> None:
    grey = np.zeros((40, 64), dtype=np.uint8)
    grey[18:22, 5:15], grey[18:22, 45:60] = 8, 3
    Image.fromarray(grey).save("grey.png")
    said = done("fields.png", "--scribbles", "grey.png", "--labels", "l.npy", "--quiet")
    labels = np.load("l.npy")
    assert said == ""
    assert labels.dtype == np.int16
    assert (labels == np.where(TRUTH == 0, 7, 2)).mean() > 0.99
    assert not Path("fields-segmented.png").exists()


def test_further_regions_are_discovered_and_named(folder: Path) -> None:
    image = two_fields()
    image[:, 48:] = (20, 20, 220)
    Image.fromarray(image).save("three.png")
    Path("left.csv").write_text("8 20 0\n24 8 0\n", encoding="utf-8")
    done("three.png", "--points", "left.csv", "-k", "3", "--report", "r.json")
    facts = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert facts["classes"][0] == "class 0"
    assert facts["k"] == len(facts["pixels"]) == 3
    assert [name.split()[0] for name in facts["classes"][1:]] == ["found", "found"]
    assert abs(facts["pixels"][0] - 32 * 40) < 60
    assert "3 regions in" in done("three.png", "-k", "3")


def test_the_report_says_what_was_found_and_in_what_time(folder: Path) -> None:
    done("fields.png", "--points", "known.csv", "--report", "r.json", "--eigenvectors", "new/maps")
    facts = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert facts["classes"] == ["red", "green"]
    assert (facts["width"], facts["height"], facts["segmented_at"]) == (64, 40, [64, 40])
    assert (facts["known_pixels"], facts["violated_pixels"]) == (4, 0)
    assert sum(facts["pixels"]) == 64 * 40
    assert facts["timings"]["in_total"] > 0
    assert [c["size"] for c in facts["clusters"]] == facts["pixels"]
    maps = sorted(path.name for path in Path("new/maps").iterdir())
    assert maps == [f"fields-eigenvector-{j + 1}.png" for j in range(len(facts["eigenvalues"]))]
    first = read(f"new/maps/{maps[0]}").astype(float)
    assert first.shape == (40, 64)
    assert abs(first[:, :30].mean() - first[:, 34:].mean()) > 100


def test_large_images_are_segmented_smaller_and_enlarged(folder: Path) -> None:
    large = np.kron(two_fields(), np.ones((5, 5, 1), dtype=np.uint8))
    Image.fromarray(large).save("large.tif", compression="tiff_deflate")
    rows = "\n".join(f"{5 * x},{5 * y},{c}" for x, y, c in ((8, 20, 0), (40, 20, 1), (41, 20, 1)))
    Path("p.csv").write_text(rows, encoding="utf-8")
    done(
        *("large.tif", "--points", "p.csv", "--most-pixels", "2560"),
        *("--labels", "l.npy", "--report", "r.json", "-o", "o.jpg"),
    )
    facts = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert facts["segmented_at"] == [64, 40]
    assert (np.load("l.npy") == np.kron(TRUTH, np.ones((5, 5)))).mean() > 0.99
    assert read("o.jpg").shape[1] == 320


def test_overlays_are_for_the_eye_and_not_larger_than_it_needs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_image, "_SHOWN_PIXELS", 640)
    done("fields.png", "--scribbles", "strokes.png", "-o", "o.png", "--labels", "l.npy")
    assert read("o.png").shape[1] == 32
    assert np.load("l.npy").shape == (40, 64)


def test_a_folder_is_segmented_and_one_bad_image_does_not_stop_the_rest(several: Path) -> None:
    result = segment(
        *("images", "--points", "points", "-o", "out", "--labels", "labels"),
        *("--eigenvectors", "maps", "--report", "r.json"),
    )
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0] == (
        "fastge: images/broken.png: not an image that fastge reads: PNG, JPEG, TIFF or WebP"
    )
    assert [line.split()[1] for line in lines] == [
        f"images/{name}:" for name in ("broken.png", "one.jpg", "two.jpg")
    ]
    assert sorted(p.name for p in Path("out").iterdir()) == [
        "one-segmented.png",
        "two-segmented.png",
    ]
    assert (read("labels/two-labels.png") == TRUTH + 1).mean() > 0.98
    assert len(list(Path("maps").glob("one-eigenvector-*.png"))) == 1  # two regions, one cut
    facts = json.loads(Path("r.json").read_text(encoding="utf-8"))["images"]
    assert ["error" in fact for fact in facts] == [True, False, False]


def test_several_images_go_where_one_stands(several: Path) -> None:
    Path("points/two_points.csv").write_text(POINTS.replace("green", "2"), encoding="utf-8")
    Path("points/two-points.csv").unlink()
    said = done("images/one.jpg", "images/two.jpg", "--points", "points")
    assert said.count("2 regions") == 2
    assert {"one-segmented.png", "two-segmented.png"} <= {p.name for p in several.iterdir()}


def test_scribbles_may_lie_beside_the_images(several: Path) -> None:
    strokes().save("images/one-scribbles.png")
    strokes().save("images/two_scribbles.png")
    Path("images/broken.png").unlink()
    done("images", "--scribbles", "images", "-o", "out", "-q")
    assert len(list(Path("out").iterdir())) == 2


def test_a_terminal_shows_how_far_it_is(several: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Console(
        file=io.StringIO(), force_terminal=True, highlight=False, soft_wrap=True, width=90
    )
    monkeypatch.setattr(console, "console", lambda: screen)
    assert segment("images", "--points", "points", "-o", "out").exit_code == 1
    shown = screen.file.getvalue()
    assert "segmenting" in shown
    assert {"0/3", "3/3"} <= set(re.findall(r"\d/3", shown))
    assert "fastge: images/two.jpg: 64 × 40 pixels" in shown


def test_photographs_are_turned_upright(folder: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held turned by a quarter
    turned = Image.fromarray(np.rot90(two_fields()))
    turned.save("turned.jpg", exif=exif, quality=95)
    done("turned.jpg", "--points", "known.csv", "--labels", "l.npy")
    assert (np.load("l.npy") == TRUTH).mean() > 0.98


@pytest.mark.parametrize("kind", ["deep.png", "deep.tif", "float.tif"])
def test_deep_images_are_segmented_in_their_own_values(folder: Path, kind: str) -> None:
    """The fields differ by a hundredth of the range: as bytes they would be one."""
    rng = np.random.default_rng(0)
    values = np.where(TRUTH == 0, 30_000, 30_700) + rng.normal(0, 60, TRUTH.shape)
    pixels = values.astype(np.float32) / 65_535 if kind.startswith("float") else values
    Image.fromarray(pixels if kind.startswith("float") else values.astype(np.uint16)).save(kind)
    done(kind, "--points", "known.csv", "--labels", "l.npy", "-o", "o.png")
    assert (np.load("l.npy") == TRUTH).mean() > 0.98
    shown = read("o.png")[5, [5, 20, 45, 60]].astype(int)
    assert np.abs(shown[:2].mean(axis=0) - shown[2:].mean(axis=0)).max() > 60  # stretched


FAILURES = {
    "missing": (("fild.png", "-k", "2"), "fild.png: no such file; did you mean fields.png?"),
    "no image": (("known.csv", "-k", "2"), "known.csv: unknown extension '.csv'; fastge reads"),
    "empty folder": (("empty", "-k", "2"), "empty: no image in this folder; fastge reads .png"),
    "size": (
        ("fields.png", "--scribbles", "small.png"),
        "small.png: 10 × 10 pixels do not fit the image of 64 × 40; paint on a picture of its size",
    ),
    "damaged": (
        ("fields.png", "--scribbles", "torn.png"),
        "torn.png: the picture is damaged; save it again",
    ),
    "kind": (("fields.png", "--scribbles", "known.csv"), "known.csv: unknown extension '.csv'"),
    "all painted": (
        ("fields.png", "--scribbles", "fields.png"),
        "fields.png: the painted picture has ",
    ),
    "one class": (
        ("fields.png", "--points", "one.csv"),
        "fields.png: the scribbles have one class; paint a second one, or pass k = 2",
    ),
    "k": (("fields.png", "-k", "2000"), "fields.png: k = 2000 is too many for 2560 pixels"),
    "outside": (
        ("fields.png", "--points", "far.csv"),
        "far.csv:2: the point 64,20 is outside the image of 64 × 40 pixels; x runs to the right",
    ),
    "text": (("fields.png", "--points", "text.csv"), "text.csv:2: 8,a,red: not a point; write x,y"),
    "columns": (("fields.png", "--points", "two.csv"), "two.csv:1: no table of 3 columns;"),
    "no points": (("fields.png", "--points", "none.csv"), "none.csv: there is no point in it;"),
    "output": (("fields.png", "-k", "2", "-o", "x.gif"), "x.gif: cannot write '.gif'; end the"),
    "labels": (("fields.png", "-k", "2", "--labels", "x.csv"), "x.csv: cannot write '.csv';"),
    "report": (("fields.png", "-k", "2", "--report", "x.txt"), "x.txt: cannot write '.txt';"),
    "input": (("fields.png", "-k", "2", "-o", "fields.png"), "fields.png: this would overwrite"),
    "maps": (
        ("fields.png", "-k", "2", "--eigenvectors", "known.csv"),
        "known.csv: name a folder here, which is made if need be, not a file",
    ),
    "file for several": (
        ("fields.png", "small.png", "-k", "2", "-o", "all.png"),
        "all.png: name a folder here, which is made if need be, not a file",
    ),
    "points for several": (
        ("fields.png", "small.png", "--points", "known.csv"),
        "known.csv: for several images name a folder with a file for each",
    ),
    "no points for it": (
        ("fields.png", "small.png", "--points", "empty", "-o", "out"),
        "fields.png: there are no points for it in empty; call them fields-points.csv",
    ),
    "twice": (
        ("fields.png", "other/fields.png", "-k", "2"),
        "two images are called fields; segment them one by one",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), FAILURES.values(), ids=FAILURES.keys())
def test_what_is_wrong_is_one_line_that_names_the_file(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    for name in ("empty", "other"):
        (folder / name).mkdir()
    Image.new("L", (10, 10)).save("small.png")
    Path("torn.png").write_bytes(Path("strokes.png").read_bytes()[:-40])
    for name, text in (
        ("one.csv", "x,y,label\n8,20,red\n"),
        ("far.csv", "x,y,label\n64,20,red\n"),
        ("text.csv", "x,y,label\n8,a,red\n"),
        ("two.csv", "8,20\n"),
        ("none.csv", "x,y,label\n8,20,-1\n"),
    ):
        Path(name).write_text(text, encoding="utf-8")
    result = segment(*arguments)
    assert result.exit_code == 1
    assert result.output.startswith(f"fastge: {message}"), result.output
    assert result.output.count("\n") == (2 if "empty" in arguments[2:] else 1)
    assert sorted(Path().glob("*-segmented.*")) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fields.png",), "give scribbles, points, or a number of regions (-k)"),
        (("fields.png", "--points", "known.csv", "--scribbles", "strokes.png"), "not both"),
        ((), "Missing argument"),
    ],
)
def test_calls_that_make_no_sense_end_with_2(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = segment(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_without_pillow_it_is_said_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL.PngImagePlugin", None)
    result = segment("fields.png", "-k", "2")
    assert result.exit_code == 1
    assert "pip install 'fastge[image]'" in result.output


def test_an_output_folder_that_cannot_be_made_is_named(several: Path) -> None:
    result = segment("images", "--points", "points", "-o", "known.csv/out")
    assert result.exit_code == 1
    assert result.output == "fastge: known.csv/out: Not a directory\n"
