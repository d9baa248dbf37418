"""A server of the page for tests, its clients, and images to send."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from starlette.testclient import TestClient

from fastge.app.guard import Access
from fastge.app.limits import Limits
from fastge.app.server import Opened, create_app

TOKEN = "the-token-of-this-test-run"
HOST = "127.0.0.1:8344"
STREAM = {"content-type": "application/octet-stream"}


def two_fields(width: int = 64, height: int = 40) -> NDArray[np.uint8]:
    """Red left and green right, with some noise."""
    image = np.zeros((height, width, 3))
    image[:, : width // 2, 0] = 200
    image[:, width // 2 :, 1] = 200
    image += np.random.default_rng(0).normal(20, 5, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def encoded(pixels: NDArray[Any], kind: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, **options)
    return file.getvalue()


def decoded(content: bytes) -> NDArray[Any]:
    return np.asarray(Image.open(io.BytesIO(content)))


def line(kind: int, *points: float, radius: float = 2.0) -> dict[str, Any]:
    return {"type": "stroke", "kind": kind, "radius": radius, "points": points}


# A stroke in each of the two fields, and what there is to find.
LEFT, RIGHT = line(0, 4.0, 20.0, 20.0, 20.0), line(1, 44.0, 20.0, 60.0, 20.0)
TRUTH = np.repeat([[0] * 32 + [1] * 32], 40, axis=0)


@contextmanager
def client(limits: Limits | None = None, opened: Opened | None = None) -> Iterator[TestClient]:
    """A browser that has opened the printed address."""
    app = create_app(Access(TOKEN), limits or Limits(), opened)
    with TestClient(app, base_url=f"http://{HOST}") as browser:
        assert browser.get("/", params={"token": TOKEN}).status_code == 200
        yield browser


def upload(browser: TestClient, content: bytes | None = None, name: str = "a.png") -> Any:
    content = encoded(two_fields()) if content is None else content
    return browser.post("/api/images", params={"name": name}, content=content, headers=STREAM)


def opened_session(browser: TestClient, **options: Any) -> str:
    answer = upload(browser, **options)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["session"])


@contextmanager
def painting(browser: TestClient, key: str) -> Iterator[Painter]:
    with browser.websocket_connect(f"ws://{HOST}/api/sessions/{key}/paint") as socket:
        yield Painter(socket)


class Painter:
    """A page without a browser: sends messages and waits for answers."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.state = self.next()
        assert self.state["type"] == "state"

    def send(self, message: dict[str, Any] | str) -> None:
        self.socket.send_text(message if isinstance(message, str) else json.dumps(message))

    def next(self) -> dict[str, Any]:
        """The next message; labels come as an array."""
        message = self.socket.receive()
        if message.get("text"):
            return dict(json.loads(message["text"]))
        assert message.get("bytes"), message
        return read_frame(message["bytes"])

    def until(self, kind: str, **wanted: Any) -> dict[str, Any]:
        """The next message of that type with these entries."""
        for _ in range(200):
            message = self.next()
            if message["type"] == kind and wanted.items() <= message.items():
                return message
        raise AssertionError(f"no {kind} with {wanted}")


def read_frame(data: bytes) -> dict[str, Any]:
    length = int.from_bytes(data[:4], "little")
    header = dict(json.loads(data[4 : 4 + length]))
    labels = np.frombuffer(zlib.decompress(data[4 + length :]), dtype=np.uint8)
    header["labels"] = labels.reshape(header["height"], header["width"])
    return header
