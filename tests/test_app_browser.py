"""The page in a real browser: painted, watched, saved and reloaded as a person would."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from app_client import encoded
from app_person import FIELDS, Person, close
from app_server import Served, serving
from chromium import Connection
from fastge.app.server import Opened
from fastge.app.session import Session
from fastge.image import Segmenter

BLUE, YELLOW = (0x00, 0x72, 0xB2), (0xE9, 0xA8, 0x00)


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving(opened=Opened("fields.png", FIELDS)) as served:
        yield served


@pytest.fixture
def page(browser: Connection, server: Served) -> Iterator[Person]:
    with browser.tab() as tab:
        yield Person(tab, server)
        assert tab.complaints() == []
        assert tab.foreign_requests(server.host) == []


def test_painted_regions_get_their_colours_up_to_the_border(page: Person) -> None:
    page.paints_both()
    page.shows_only_regions()
    for x, y in ((0.03, 0.05), (0.3, 0.9), (0.48, 0.5)):
        page.comes_to_see(x, y, BLUE)
    for x, y in ((0.52, 0.5), (0.7, 0.1), (0.97, 0.95)):
        page.comes_to_see(x, y, YELLOW)
    said = page.tab.text()
    for words in ("50 %", "2 regions", "no violations", "first 0.", "96 × 60"):
        assert words in said
    page.slides("opacity", 0)
    page.comes_to_see(0.03, 0.05, (220, 20, 20))
    page.tab.press("l")
    assert min(page.sees(0.5, 0.1)) > 200  # the cut line


def test_undo_redo_clear_and_eraser(page: Person) -> None:
    page.paints_both()
    page.tab.press("z", ctrl=True)
    page.hears("choose another class")
    page.tab.press("Z", ctrl=True, shift=True)
    page.waits()
    page.knows("len(s['strokes']) == 2")
    page.tab.press("e")
    page.paints((0.65, 0.4), (0.95, 0.5))
    page.knows("s['strokes'][-1]['kind'] == -1")
    page.tab.click("#clear")
    page.hears("Paint a stroke in each region.")
    page.tab.click("#undo")
    page.knows("len(s['strokes']) == 3")


def test_classes_are_added_renamed_recoloured_and_chosen_by_key(page: Person) -> None:
    page.tab.click("#add-class")
    page.knows("len(s['classes']) == 3")
    page.tab.click("[aria-label='Name of class 3']")
    page.tab.run("document.activeElement.select()")
    for letter in "sky":
        page.tab.press(letter)
    page.tab.press("Enter")
    page.knows("s['classes'][2]['name'] == 'sky'")
    page.tab.run(
        "(() => { const e = document.querySelector(\"[aria-label='Colour of Class 1']\");"
        "e.value = '#123456'; e.dispatchEvent(new Event('change')); })()"
    )
    page.knows("s['classes'][0]['colour'] == '#123456'")
    for key, x in (("3", 0.2), ("1", 0.7)):
        page.tab.press(key)
        page.paints((x, 0.3), (x + 0.1, 0.3))
    page.waits()
    page.knows("[t['kind'] for t in s['strokes']] == [2, 0]")
    page.shows_only_regions()
    page.comes_to_see(0.7, 0.8, (0x12, 0x34, 0x56))
    page.tab.press("7")  # there is no such class
    assert page.tab.run("document.querySelector('#classes .chosen').dataset.kind") == "0"


def test_news_that_crosses_a_change_takes_nothing_back(
    page: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = Session.state

    def late(self: Session, **options: Any) -> Any:
        known = state(self, **options)
        time.sleep(0.3)
        return known

    monkeypatch.setattr(Session, "state", late)
    page.paints((0.1, 0.3), (0.2, 0.5))
    page.tab.click("#add-class")
    page.tab.wait("!document.getElementById('undo').disabled")  # of the first stroke
    page.paints((0.7, 0.3), (0.8, 0.5))
    page.tab.press("z", ctrl=True)
    page.paints((0.7, 0.6), (0.8, 0.6))
    page.tab.wait("document.querySelector('#classes .chosen').dataset.kind === '2'")
    page.knows("[t['kind'] for t in s['strokes']] == [0, 2]")
    page.waits()
    page.tab.press("n")
    page.comes_to_see(0.75, 0.6, (0x66, 0x11, 0x50))  # the last stroke
    assert not close(page.sees(0.75, 0.4), (0x66, 0x11, 0x50))


def test_a_session_survives_a_reload(page: Person) -> None:
    page.paints_both()
    before = page.tab.run("location.href")
    assert page.server.token not in before
    page.tab.reload()
    page.waits()
    assert page.tab.run("location.href") == before
    page.shows_only_regions()
    page.comes_to_see(0.2, 0.8, BLUE)
    page.tab.press("z", ctrl=True)
    page.hears("choose another class")


def test_zoom_and_pan_move_the_image_under_the_brush(page: Person) -> None:
    page.tab.press("+")
    page.tab.drag((700, 300), (760, 340), button="right")
    page.tab.press("h")
    page.tab.drag((700, 300), (680, 330))
    page.tab.call(
        "Input.dispatchMouseEvent", type="mouseWheel", x=700, y=400, deltaX=0, deltaY=-240
    )
    assert page.state()["strokes"] == []
    page.tab.press("0")
    page.tab.press("b")
    page.paints((0.25, 0.5), (0.5, 0.5))
    page.knows("len(s['strokes']) == 1")
    points = page.state()["strokes"][0]["points"]
    assert points[:2] == pytest.approx([24, 30], abs=0.5)
    assert points[-2:] == pytest.approx([48, 30], abs=0.5)


def test_eigenvectors_take_the_place_of_the_image(page: Person) -> None:
    page.paints_both()
    page.shows_only_regions()
    page.tab.run(
        "(() => { const e = document.getElementById('background'); e.value = '1';"
        "e.dispatchEvent(new Event('change')); })()"
    )
    dark, light = sorted((sum(page.sees(0.2, 0.8)), sum(page.sees(0.8, 0.8))))
    assert light - dark > 150


def test_saved_files_can_be_read_back(page: Person, tmp_path: Path) -> None:
    page.paints_both()
    labels = np.asarray(Image.open(page.saves("labels.png", tmp_path)))
    assert labels.shape == (60, 96)
    assert (labels[:, :46] == 1).all()
    assert (labels[:, 50:] == 2).all()
    overlay = np.asarray(Image.open(page.saves("overlay.png", tmp_path)))
    assert overlay.shape == (60, 96, 3)
    scribbles = np.asarray(Image.open(page.saves("scribbles.png", tmp_path)))
    assert (scribbles[30, 25, :3] == BLUE).all()
    assert scribbles[5, 5, 3] == 0
    report = json.loads(page.saves("report.json", tmp_path).read_text())
    assert report["segmentation"]["sizes"] == {"0": (labels == 1).sum(), "1": (labels == 2).sum()}


def test_marks_show_painted_pixels_that_got_another_class(
    page: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = Segmenter.update

    def wrong_at_the_right(self: Segmenter, *arguments: Any, **options: Any) -> Any:
        found = update(self, *arguments, **options)
        labels = found.labels.copy()
        labels[:, 80:] = 0
        return replace(found, labels=labels)

    monkeypatch.setattr(Segmenter, "update", wrong_at_the_right)
    page.paints_both()
    assert "painted pixels violated" in page.tab.text()
    page.tab.press("s")
    page.tab.press("n")
    assert page.reds() > 100
    page.tab.press("v")
    assert page.reds() == 0


def test_a_dropped_file_is_opened_and_a_bad_one_explained(page: Person, tmp_path: Path) -> None:
    good, bad = tmp_path / "other.png", tmp_path / "bad.png"
    good.write_bytes(encoded(FIELDS[:, ::-1]))
    bad.write_bytes(b"no picture at all")
    page.tab.drop("#stage", bad)
    page.tab.wait("document.getElementById('toast-text').textContent.includes('not an image')")
    page.tab.complaints = list  # the refusal is in the console, too
    assert "fields.png" in page.tab.text()
    page.tab.drop("#stage", good)
    page.tab.wait("document.getElementById('file').textContent.startsWith('other.png')")
    page.tab.choose_files("#chooser", good)
    page.hears("Paint a stroke")


def test_the_keyboard_alone_will_do(page: Person) -> None:
    focus = "document.activeElement"
    seen = []
    for _ in range(60):
        page.tab.press("Tab")
        seen.append(page.tab.run(f"{focus}.id || {focus}.name || {focus}.className"))
        if seen[-1] == "canvas" and "open" in seen:
            break
    assert {"open", "add-class", "tool", "brush", "opacity", "resolution", "extra"} <= set(seen)
    assert page.tab.run(f"getComputedStyle({focus}).outlineStyle") == "solid"
    page.tab.press("ArrowLeft", shift=True)
    page.tab.press("ArrowLeft", shift=True)
    for key in (" ", "ArrowLeft", "ArrowLeft", " ", "2"):
        page.tab.press(key)
    for _ in range(6):
        page.tab.press("ArrowRight", shift=True)
    for key in (" ", "ArrowRight", "ArrowRight", " "):
        page.tab.press(key)
    page.waits()
    page.knows("[t['kind'] for t in s['strokes']] == [0, 1]")
    page.tab.wait("document.getElementById('spoken').textContent.includes('Class 1 50 percent')")
    page.tab.press("?")
    page.tab.wait("document.getElementById('help').open")
    page.tab.press("Escape")
    page.tab.wait("!document.getElementById('help').open")


def test_everything_that_is_used_has_a_name(page: Person) -> None:
    page.tab.call("Accessibility.enable")
    nodes = page.tab.call("Accessibility.getFullAXTree")["nodes"]
    used = {
        "button",
        "checkbox",
        "radio",
        "slider",
        "textbox",
        "combobox",
        "spinbutton",
        "ColorWell",
    }
    nameless = [node for node in nodes if node.get("role", {}).get("value") in used
                and not node["ignored"] and not node.get("name", {}).get("value")]  # fmt: skip
    assert nameless == []


def test_fingers_paint_and_two_of_them_zoom(browser: Connection, server: Served) -> None:
    with browser.tab(390, 844, mobile=True) as tab:
        page = Person(tab, server)
        assert tab.run("document.documentElement.scrollWidth") == 390
        tab.touch(*([page.place(x, 0.3)] for x in (0.1, 0.2, 0.3)))
        page.knows("len(s['strokes']) == 1")
        tab.click("#classes [data-kind='1'] .pick")
        tab.touch(*([page.place(x, 0.7)] for x in (0.7, 0.8, 0.9)))
        page.waits()
        page.knows("[t['kind'] for t in s['strokes']] == [0, 1]")
        page.shows_only_regions()
        page.comes_to_see(0.3, 0.8, BLUE)
        x, y = page.place(0.2, 0.5)
        tab.touch([(x, y)], [(x, y), (x + 40, y)], [(x - 30, y), (x + 90, y)])
        page.knows("len(s['strokes']) == 2")
        assert not close(page.sees(0.6, 0.5), YELLOW)  # the left field has grown over it
        assert tab.complaints() == []
