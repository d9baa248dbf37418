"""The page's server as its pages meet it: images in, strokes, segmentations and files out."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from starlette.websockets import WebSocketDisconnect

from app_client import (
    HOST,
    LEFT,
    RIGHT,
    TRUTH,
    client,
    decoded,
    encoded,
    line,
    opened_session,
    painting,
    two_fields,
)
from fastge.app import session as session_module
from fastge.app.limits import Limits
from fastge.app.server import Opened
from fastge.app.solver import Solver, Stage


def test_a_stroke_in_each_region_finds_both_regions_first_coarse_then_final() -> None:
    with client() as browser, painting(browser, opened_session(browser)) as page:
        assert page.state["hint"] == "Paint a stroke in each region."
        page.send(LEFT)
        assert "another class" in page.until("nothing")["hint"]
        page.send(RIGHT)
        coarse = page.until("labels", stage="coarse")
        final = page.until("labels", stage="final")
    assert coarse["revision"] == final["revision"] == 2
    assert (final["labels"] == TRUTH).mean() > 0.99
    assert final["sizes"] == {"0": (final["labels"] == 0).sum(), "1": (final["labels"] == 1).sum()}
    assert final["violated"] == 0
    assert final["painted"] > 100
    assert final["seconds"] > 0


def test_undo_redo_and_clear_are_followed() -> None:
    with client() as browser, painting(browser, opened_session(browser)) as page:
        page.send(LEFT)
        page.send(RIGHT)
        page.until("labels", stage="final")
        page.send({"type": "undo"})
        state = page.until("state", can_redo=True)
        assert [stroke["kind"] for stroke in state["strokes"]] == [0]
        page.until("nothing")
        page.send({"type": "redo"})
        page.until("labels", stage="final")
        page.send({"type": "clear"})
        assert page.until("state")["strokes"] == []
        page.until("nothing")
        page.send({"type": "undo"})
        assert len(page.until("state")["strokes"]) == 2
        page.until("labels", stage="final")


def test_an_eraser_takes_pixels_away() -> None:
    with client() as browser, painting(browser, opened_session(browser)) as page:
        page.send(LEFT)
        page.send(RIGHT)
        before = page.until("labels", stage="final")["painted"]
        page.send(line(-1, 52.0, 10.0, 52.0, 30.0))
        page.until("labels", stage="coarse", revision=3)
        assert 0 < before - page.until("labels", stage="final")["painted"] < 40


def test_further_regions_are_discovered() -> None:
    image = two_fields()
    image[:, 48:] = (20, 20, 220)
    with client() as browser:
        key = opened_session(browser, content=encoded(image))
        with painting(browser, key) as page:
            page.send(LEFT)
            page.send({"type": "settings", "working_pixels": 400_000, "extra": 2})
            found = page.until("labels", stage="final", revision=2)
    assert len(found["sizes"]) == 3
    assert (found["labels"][:, :30] == 0).mean() > 0.95


def test_the_working_resolution_is_adjusted_and_the_full_one_computed_on_demand() -> None:
    big = encoded(np.kron(two_fields(), np.ones((4, 4, 1), dtype=np.uint8)))
    wide = [{**s, "points": [4 * p for p in s["points"]], "radius": 8.0} for s in (LEFT, RIGHT)]
    with client() as browser:
        key = opened_session(browser, content=big)
        with painting(browser, key) as page:
            page.send({"type": "settings", "working_pixels": 20_000, "extra": 0})
            assert page.until("state")["working"] == {"pixels": 20_000, "width": 179, "height": 112}
            for stroke in wide:
                page.send(stroke)
            found = page.until("labels", stage="final")
            assert found["labels"].shape == (112, 179)
            enlarged = decoded(browser.get(f"/api/sessions/{key}/files/labels.png").content)
            page.send({"type": "full"})
            full = page.until("full")
            assert full["solved"] == [256, 160]
            assert full["labels"].shape == (160, 256)
            exact = decoded(browser.get(f"/api/sessions/{key}/files/labels.png").content)
    truth = np.kron(TRUTH, np.ones((4, 4))) + 1
    assert (enlarged == truth).mean() > 0.98
    assert (exact == truth).mean() > 0.99


def test_strokes_and_answer_survive_a_reload() -> None:
    with client() as browser:
        key = opened_session(browser)
        with painting(browser, key) as page:
            page.send(LEFT)
            page.send(RIGHT)
            page.send({"type": "classes", "classes": [
                {"name": "sky", "colour": "#112233"}, {"name": "sea", "colour": "#445566"},
            ]})  # fmt: skip
            first = page.until("labels", stage="final")
        with painting(browser, key) as page:
            assert [c["name"] for c in page.state["classes"]] == ["sky", "sea"]
            assert [s["kind"] for s in page.state["strokes"]] == [0, 1]
            assert (page.until("labels")["labels"] == first["labels"]).all()


def test_two_pages_of_one_image_see_each_other() -> None:
    with client() as browser:
        key = opened_session(browser)
        with painting(browser, key) as one, painting(browser, key) as other:
            one.send(LEFT)
            assert [s["kind"] for s in other.until("state")["strokes"]] == [0]
            assert one.until("state")["strokes"] is None  # it has its own stroke already
            other.send(RIGHT)
            assert (one.until("labels", stage="final")["labels"] == TRUTH).mean() > 0.99


def test_drafts_are_answered_coarsely_and_leave_no_trace() -> None:
    with client() as browser, painting(browser, opened_session(browser)) as page:
        page.send(LEFT)
        page.until("nothing")
        page.send({**RIGHT, "type": "draft"})
        page.until("labels", stage="coarse")
        page.send({"type": "undo"})
        assert page.until("state")["strokes"] == []
        page.until("nothing")


def test_overtaken_requests_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[tuple[int, Stage]] = []
    solve = Solver.solve

    def slowly(self: Solver, wish: Any, stage: Stage, cancelled: Any) -> Any:
        solved.append((wish.revision, stage))
        time.sleep(0.15)
        return solve(self, wish, stage, cancelled)

    monkeypatch.setattr(session_module.Solver, "solve", slowly)
    with client() as browser, painting(browser, opened_session(browser)) as page:
        page.send(LEFT)
        for j in range(12):
            page.send(line(1, 44.0, 8.0 + 2 * j, 60.0, 8.0 + 2 * j))
        final = page.until("labels", stage="final")
    assert final["revision"] == 13
    assert [revision for revision, stage in solved if stage is Stage.FINAL] == [13]
    assert len(solved) < 8


def test_a_failing_segmentation_is_told_and_the_next_one_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solve, calls = Solver.solve, []

    def failing_once(self: Solver, *arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("a bug")
        return solve(self, *arguments)

    monkeypatch.setattr(session_module.Solver, "solve", failing_once)
    with client() as browser, painting(browser, opened_session(browser)) as page:
        page.send(LEFT)
        page.send(RIGHT)
        assert "this segmentation failed; undo" in page.until("error")["message"]
        page.send(line(0, 5.0, 5.0))
        page.until("labels", stage="final", revision=3)


def test_the_image_of_the_command_line_is_there_for_every_page_anew() -> None:
    with client(opened=Opened("fields.png", two_fields())) as browser:
        keys = [browser.post("/api/start").json()["session"] for _ in range(2)]
        assert keys[0] != keys[1]
        state = browser.get(f"/api/sessions/{keys[0]}").json()
        assert (state["name"], state["width"], state["height"]) == ("fields.png", 64, 40)
        shown = decoded(browser.get(f"/api/sessions/{keys[0]}/image").content)
        assert np.abs(shown.astype(int) - two_fields()).mean() < 6
    with client() as browser:
        assert browser.post("/api/start").json() == {"session": None}


def test_eight_painting_clients_keep_their_own_images() -> None:
    with client() as browser:
        keys = [opened_session(browser, name=f"{j}.png") for j in range(8)]

        def paint(j: int) -> Any:
            with painting(browser, keys[j]) as page:
                page.send(line(0, 4.0, 4.0 + 4 * j, 20.0, 4.0 + 4 * j))
                page.send(line(1, 44.0, 4.0 + 4 * j, 60.0, 4.0 + 4 * j))
                return page.until("labels", stage="final"), page.state["name"]

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(paint, range(8)))
        for j, (answer, name) in enumerate(found):
            assert name == f"{j}.png"
            assert (answer["labels"] == TRUTH).mean() > 0.99
            strokes = browser.get(f"/api/sessions/{keys[j]}").json()["strokes"]
            assert strokes[0]["points"][1] == 4.0 + 4 * j


def test_a_client_that_dies_takes_nothing_with_it() -> None:
    with client() as browser:
        keys = [opened_session(browser) for _ in range(2)]
        with painting(browser, keys[0]) as staying:
            with painting(browser, keys[1]) as dying:
                dying.send(LEFT)
                dying.send(RIGHT)
            staying.send(LEFT)
            staying.send(RIGHT)
            staying.until("labels", stage="final")
        assert len(browser.get(f"/api/sessions/{keys[1]}").json()["strokes"]) == 2


def test_closed_images_are_gone() -> None:
    with client() as browser:
        key = opened_session(browser)
        assert browser.delete(f"/api/sessions/{key}").status_code == 204
        assert browser.get(f"/api/sessions/{key}").status_code == 404
        with (
            pytest.raises(WebSocketDisconnect) as closed,
            browser.websocket_connect(f"ws://{HOST}/api/sessions/{key}/paint") as socket,
        ):
            socket.receive_text()
        assert (closed.value.code, closed.value.reason[:27]) == (
            4404,
            "this image is not open any ",
        )


def test_forgotten_images_make_room() -> None:
    with client(Limits(sessions=1, idle_seconds=0.0)) as browser:
        first = opened_session(browser)
        opened_session(browser)
        assert browser.get(f"/api/sessions/{first}").status_code == 404
