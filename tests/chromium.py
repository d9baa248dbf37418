"""Headless Chromium for tests, driven through its DevTools protocol."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--disable-dev-shm-usage", "--mute-audio", "--hide-scrollbars",
    "--remote-debugging-port=0",
)  # fmt: skip
PATIENCE = 20.0
BUTTONS = {"left": 1, "right": 2, "middle": 4}


def program() -> str | None:
    """The Chromium of this machine, if it has one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def running(folder: Path) -> Iterator[Connection]:
    """A browser with a profile of its own in `folder`."""
    path = program()
    assert path is not None
    command = [path, *OPTIONS, f"--user-data-dir={folder}", "about:blank"]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet)
    try:
        with connect(_address(folder, process), max_size=None, compression=None) as socket:
            yield Connection(socket)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _address(folder: Path, process: subprocess.Popen[bytes]) -> str:
    """Where the browser listens; it writes port and path into its profile."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        lines = _lines(folder / "DevToolsActivePort")
        if len(lines) == 2:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        assert process.poll() is None, "Chromium did not start"
        time.sleep(0.05)
    raise AssertionError("Chromium does not listen")


def _lines(file: Path) -> list[str]:
    return file.read_text().split() if file.exists() else []


class Connection:
    """Commands to the browser and its pages, each answered before the next; events by page."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.events: dict[str | None, list[dict[str, Any]]] = {}

    def call(self, method: str, page: str | None = None, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        self._socket.send(json.dumps(message | ({"sessionId": page} if page else {})))
        while True:
            answer = json.loads(self._socket.recv(PATIENCE))
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer}"
                return dict(answer["result"])
            self.events.setdefault(answer.get("sessionId"), []).append(answer)

    @contextmanager
    def tab(self, width: int = 1280, height: int = 800, **screen: Any) -> Iterator[Tab]:
        """A page with cookies and storage of its own."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)
        page = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        tab = Tab(self, page["sessionId"], context)
        for domain in ("Page", "Runtime", "Network", "Log"):
            tab.call(f"{domain}.enable")
        tab.resize(width, height, **screen)
        try:
            yield tab
        finally:
            self.call("Target.disposeBrowserContext", browserContextId=context)


class Tab:
    """One page, and what a person does with it."""

    def __init__(self, connection: Connection, page: str, context: str) -> None:
        self._connection, self._page, self._context = connection, page, context

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._connection.call(method, self._page, **parameters)

    def events(self, method: str) -> list[dict[str, Any]]:
        self.run("0")  # so that what has happened has arrived
        found = self._connection.events.get(self._page, [])
        return [event["params"] for event in found if event["method"] == method]

    def open(self, address: str) -> None:
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def reload(self) -> None:
        self.run("window.isOld = true")
        self.call("Page.reload")
        self.wait("!window.isOld && document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """The value of an expression or of its promise."""
        answer = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, f"{script}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = PATIENCE) -> Any:
        """The first true value of an expression."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                value = self.run(condition)
            except AssertionError as cause:  # in the middle of a navigation
                value = None
                if "context" not in str(cause):
                    raise
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"{condition} did not become true; the page says: {self.text()!r}")

    def text(self) -> str:
        return str(self.run("document.body.innerText"))

    def resize(self, width: int, height: int, *, mobile: bool = False, scale: float = 1) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=mobile)  # fmt: skip
        if mobile:
            self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)

    def middle(self, selector: str) -> tuple[float, float]:
        """The middle of an element, scrolled into sight."""
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'nearest', inline: 'nearest'});"
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2];"
            "})()"
        )
        return x, y

    def mouse(self, kind: str, x: float, y: float, button: str = "left", held: bool = True) -> None:
        buttons = BUTTONS[button] if held and kind != "mouseReleased" else 0
        named = button if held else "none"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=named, buttons=buttons,
                  clickCount=0 if kind == "mouseMoved" else 1)  # fmt: skip

    def click(self, selector: str) -> None:
        x, y = self.middle(selector)
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def drag(self, *places: tuple[float, float], button: str = "left") -> None:
        self.mouse("mouseMoved", *places[0], held=False)
        self.mouse("mousePressed", *places[0], button)
        for place in places[1:]:
            self.mouse("mouseMoved", *place, button)
        self.mouse("mouseReleased", *places[-1], button)

    def touch(self, *moments: list[tuple[float, float]]) -> None:
        """Fingers at these places from moment to moment, then lifted."""
        for j, fingers in enumerate(moments):
            points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(fingers)]
            kind = "touchMove" if j and len(fingers) == len(moments[j - 1]) else "touchStart"
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, key: str, *, ctrl: bool = False, shift: bool = False) -> None:
        """A key with its text, or with Ctrl as a shortcut."""
        text = {"Enter": "\r", "Tab": ""}.get(key, key if len(key) == 1 and not ctrl else "")
        code = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowUp": 38,
                "ArrowRight": 39, "ArrowDown": 40}.get(key, ord(key.upper()[0]))  # fmt: skip
        common = {"key": key, "modifiers": 2 * ctrl + 8 * shift, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def choose_files(self, selector: str, *files: Path) -> None:
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(file) for file in files])

    def drop(self, selector: str, *files: Path) -> None:
        """Files let go over an element."""
        x, y = self.middle(selector)
        data = {"items": [], "files": [str(file) for file in files], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def downloads_go_to(self, folder: Path) -> None:
        self._connection.call("Browser.setDownloadBehavior", behavior="allow",
                              downloadPath=str(folder), browserContextId=self._context)  # fmt: skip

    def screenshot(self, file: Path | None = None) -> bytes:
        content = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if file is not None:
            file.write_bytes(content)
        return content

    def foreign_requests(self, home: str) -> list[str]:
        """Addresses that are not at home."""
        sent = [event["request"]["url"] for event in self.events("Network.requestWillBeSent")]
        places = [urlsplit(address) for address in sent]
        away = [p for p in places if p.scheme not in {"blob", "data", "about"} and p.netloc != home]
        return [place.geturl() for place in away]

    def complaints(self) -> list[str]:
        """Errors of scripts, policies and the console."""
        thrown = [
            str(event["exceptionDetails"]) for event in self.events("Runtime.exceptionThrown")
        ]
        logged = [event["entry"] for event in self.events("Log.entryAdded")]
        said = [str(e["args"]) for e in self.events("Runtime.consoleAPICalled")
                if e["type"] in {"error", "warning"}]  # fmt: skip
        return thrown + said + [e["text"] for e in logged if e["level"] in {"error", "warning"}]
