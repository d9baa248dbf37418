"""The page in a real browser with images larger than what it works on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from app_client import two_fields
from app_person import Person
from app_server import serving
from chromium import Connection
from fastge.app.server import Opened

BIG = two_fields(480, 300)


def test_the_working_resolution_is_chosen_and_the_whole_image_computed_on_demand(
    browser: Connection, tmp_path: Path
) -> None:
    with serving(opened=Opened("fields.png", BIG)) as server, browser.tab() as tab:
        page = Person(tab, server)
        assert "0.14 Mpx" in tab.text()
        page.slides("resolution", 0)
        tab.wait("document.body.innerText.includes('works on 283 × 177 of 480 × 300 pixels')")
        page.paints_both()
        assert np.asarray(Image.open(page.saves("labels.png", tmp_path))).shape == (300, 480)
        tab.click("#save summary")
        tab.click("#full")
        page.waits("full")
        assert "Computed 480 × 300 pixels in" in tab.text()
        tab.run("document.activeElement.blur()")
        page.shows_only_regions()
        page.comes_to_see(0.3, 0.9, (0x00, 0x72, 0xB2))
        for file in tmp_path.iterdir():
            file.unlink()
        labels = np.asarray(Image.open(page.saves("labels.png", tmp_path)))
        assert (labels == np.where(np.arange(480) < 240, 1, 2)).mean() > 0.995
        page.paints((0.1, 0.1), (0.2, 0.1))  # newer than the whole image
        page.waits()
        assert tab.complaints() == []


def test_an_image_is_opened_from_the_empty_page_and_closed_again(
    browser: Connection, tmp_path: Path
) -> None:
    path = tmp_path / "photo.jpg"
    Image.fromarray(BIG).resize((4000, 2500)).save(path)
    with serving() as server, browser.tab() as tab:
        tab.open(server.page)
        tab.wait("document.body.innerText.includes('Drop an image here')")
        tab.drop("#stage", path)
        tab.wait("document.body.dataset.state === 'open'")
        assert "works on 1131 × 707 of 4000 × 2500 pixels" in tab.text()
        tab.click("#more summary")
        tab.click("#close")
        tab.wait("document.body.dataset.state === 'empty'")
        assert "#" not in tab.run("location.href")
        tab.reload()
        tab.wait("document.body.innerText.includes('Drop an image here')")
        assert tab.complaints() == []


def test_a_page_without_its_server_says_so_and_finds_the_next_one(browser: Connection) -> None:
    with browser.tab() as tab:
        with serving(opened=Opened("fields.png", BIG)) as server:
            page = Person(tab, server)
            page.paints((0.1, 0.3), (0.2, 0.5))
        tab.wait("document.getElementById('stage-mark').textContent === 'Connecting…'")
        page.paints((0.7, 0.3), (0.8, 0.5))  # waits for the connection
        with serving(opened=Opened("fields.png", BIG)) as server:
            tab.open(f"{server.page}#{tab.run('location.hash.slice(1)')}")
            tab.wait("document.body.dataset.state === 'open'")  # the image of the command line
            page.hears("Paint a stroke in each region.")
