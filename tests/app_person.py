"""A person before the page: paints, presses keys, looks at the screen."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from app_client import decoded, two_fields
from app_server import Served
from chromium import Tab

WIDTH, HEIGHT = 96, 60
FIELDS = two_fields(WIDTH, HEIGHT)
SIGHTS = ("show-lines", "show-patterns", "show-scribbles", "show-badges", "show-marks")


def close(colour: tuple[int, int, int], wanted: tuple[int, int, int]) -> bool:
    return max(abs(a - b) for a, b in zip(colour, wanted, strict=True)) < 12


class Person:
    """Someone before the page, with the image of the command line open."""

    def __init__(self, tab: Tab, server: Served) -> None:
        self.tab, self.server = tab, server
        tab.open(server.page)
        tab.wait("document.body.dataset.state === 'open'")
        self.hears("Paint a stroke in each region.")

    def hears(self, text: str) -> None:
        self.tab.wait(f"document.getElementById('hint').textContent.includes({json.dumps(text)})")

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the fitted image is, from fractions of its sides."""
        left, top, width, height = self.tab.run(
            "(() => { const r = document.getElementById('canvas').getBoundingClientRect();"
            "return [r.x, r.y, r.width, r.height]; })()"
        )
        margin = min(24, width / 20)
        zoom = min((width - 2 * margin) / WIDTH, (height - 2 * margin) / HEIGHT)
        return (left + (width - WIDTH * zoom) / 2 + x * WIDTH * zoom,
                top + (height - HEIGHT * zoom) / 2 + y * HEIGHT * zoom)  # fmt: skip

    def paints(self, *places: tuple[float, float]) -> None:
        self.tab.drag(*(self.place(*place) for place in places))

    def paints_both(self) -> None:
        self.paints((0.1, 0.3), (0.2, 0.5), (0.3, 0.5))
        self.hears("choose another class")
        self.tab.press("2")
        self.paints((0.7, 0.4), (0.8, 0.5), (0.9, 0.5))
        self.waits()

    def waits(self, stage: str = "final") -> None:
        self.tab.wait(f"document.getElementById('stage-mark').dataset.stage === '{stage}'")

    def shows_only_regions(self) -> None:
        """Nothing but colours, and those opaque."""
        for name in SIGHTS:
            self.tab.run(f"document.getElementById('{name}').checked && "
                         f"document.getElementById('{name}').click()")  # fmt: skip
        self.slides("opacity", 100)

    def slides(self, name: str, value: int) -> None:
        self.tab.run(
            f"(() => {{ const e = document.getElementById('{name}'); e.value = {value};"
            "for (const type of ['input', 'change']) e.dispatchEvent(new Event(type)); })()"
        )

    def sees(self, x: float, y: float) -> tuple[int, int, int]:
        """The colour on the screen at a point of the fitted image."""
        time.sleep(0.05)  # the next frame
        u, v = self.place(x, y)
        pixel = decoded(self.tab.screenshot())[round(v), round(u), :3]
        return tuple(int(c) for c in pixel)  # type: ignore[return-value]

    def comes_to_see(self, x: float, y: float, colour: tuple[int, int, int]) -> None:
        end = time.monotonic() + 5
        while not close(seen := self.sees(x, y), colour):
            assert time.monotonic() < end, (x, y, seen, colour)

    def reds(self) -> int:
        """Pixels on the screen that are as red as the marks of violations."""
        time.sleep(0.05)
        screen = decoded(self.tab.screenshot())[..., :3].astype(int)
        return int((abs(screen - (0xC1, 0x12, 0x1F)).max(axis=-1) < 6).sum())

    def state(self) -> dict[str, Any]:
        key = self.tab.run("location.hash.slice(1)")
        return dict(self.server.ask(f"/api/sessions/{key}"))

    def knows(self, condition: str) -> None:
        """The server's state becomes as wanted."""
        end = time.monotonic() + 20
        while not eval(condition, {"s": (state := self.state())}):
            assert time.monotonic() < end, state
            time.sleep(0.02)

    def saves(self, kind: str, folder: Path) -> Path:
        self.tab.downloads_go_to(folder)
        self.tab.click("#save summary")
        self.tab.click(f"[data-file='{kind}']")
        path = folder / f"fields-{kind}"
        end = time.monotonic() + 20
        while not path.exists():
            assert time.monotonic() < end, list(folder.iterdir())
            time.sleep(0.02)
        return path
