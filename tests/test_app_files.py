"""Pictures and files that the page gives away."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from app_client import (
    LEFT,
    RIGHT,
    client,
    decoded,
    encoded,
    opened_session,
    painting,
    two_fields,
    upload,
)
from fastge.files.scribbles import read_painting
from fastge.image import read_scribbles


def test_files_hold_what_the_page_shows(tmp_path: Path) -> None:
    with client() as browser:
        key = opened_session(browser, name="tie & dye.tif.png")
        files = f"/api/sessions/{key}/files"
        assert "nothing to save yet" in browser.get(f"{files}/labels.png").json()["error"]
        with painting(browser, key) as page:
            page.send(LEFT)
            page.send(RIGHT)
            labels = page.until("labels", stage="final")["labels"]
            saved = {
                kind: browser.get(f"{files}/{kind}")
                for kind in ("labels.png", "overlay.png", "scribbles.png", "report.json")
            }
    name = saved["labels.png"].headers["content-disposition"]
    assert name == "attachment; filename*=UTF-8''tie%20%26%20dye.tif-labels.png"
    assert (decoded(saved["labels.png"].content) == labels + 1).all()
    overlay = decoded(saved["overlay.png"].content)
    assert overlay.shape == (40, 64, 3)
    assert overlay[5, 5, 2] > two_fields()[5, 5, 2] + 40  # blue over red
    (tmp_path / "s.png").write_bytes(saved["scribbles.png"].content)
    again = read_scribbles(read_painting(tmp_path / "s.png", (40, 64)), (40, 64)).labels
    assert again[20, 10] == 0
    assert again[20, 50] == 1
    assert (again >= 0).sum() < 300
    report = saved["report.json"].json()
    assert report["segmentation"]["sizes"].keys() == {"0", "1"}
    assert report["quality"]["clusters"][0]["size"] == (labels == 0).sum()
    assert len(report["strokes"]) == 2


def test_eigenvectors_are_pictures() -> None:
    with client() as browser:
        key = opened_session(browser)
        with painting(browser, key) as page:
            assert browser.get(f"/api/sessions/{key}/eigenvectors/1").status_code == 404
            page.send(LEFT)
            page.send(RIGHT)
            count = page.until("labels", stage="final")["eigenvectors"]
            first = decoded(browser.get(f"/api/sessions/{key}/eigenvectors/1").content)
            beyond = browser.get(f"/api/sessions/{key}/eigenvectors/{count + 1}")
    assert abs(float(first[:, :30].mean()) - float(first[:, 34:].mean())) > 100
    assert "there is no eigenvector" in beyond.json()["error"]


def test_deep_and_turned_images_are_shown_upright() -> None:
    turned = encoded(np.rot90(two_fields()), "JPEG", exif=_orientation(6), quality=95)
    deep = two_fields()[..., 0].astype(np.uint16) * 200
    with client() as browser:
        state = upload(browser, turned).json()
        assert (state["width"], state["height"]) == (64, 40)
        state = upload(browser, encoded(deep, "TIFF"), "deep.tif").json()
        shown = decoded(browser.get(f"/api/sessions/{state['session']}/image").content)
        assert shown[20, 10].mean() > 180
        assert shown[20, 50].mean() < 60


def _orientation(value: int) -> bytes:
    from PIL import Image

    exif = Image.Exif()
    exif[0x0112] = value
    return exif.tobytes()
