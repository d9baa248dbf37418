"""The page's server over real sockets: many clients, dying ones, slow ones, rude ones."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
import time
import urllib.error
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from app_client import encoded, line, two_fields
from app_server import Served, serving
from fastge.app import downloads
from fastge.app.limits import Limits
from fastge.app.pages import Pace, Page

CLIENTS = 8
SIZE = (90, 60)


def picture(j: int) -> Any:
    """Two fields whose border is elsewhere for every client, and which pixels lie right of it."""
    width, height = SIZE
    border = 20 + 6 * j
    image = np.zeros((height, width, 3))
    image[:, :border, 0] = image[:, border:, 1] = 200
    image += np.random.default_rng(j).normal(20, 5, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8), np.arange(width) >= border


def strokes(j: int) -> list[dict[str, Any]]:
    border = 20 + 6 * j
    return [line(0, 3.0, 10.0, 12.0, 10.0 + j), line(1, border + 5.0, 50.0, 86.0, 50.0 - j)]


@pytest.fixture
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


def test_eight_clients_paint_at_once_and_three_are_killed(server: Served) -> None:
    everyone = threading.Barrier(CLIENTS)

    def paint(j: int) -> tuple[str, Any]:
        key = server.open(encoded(picture(j)[0]), f"{j}.png")
        with server.painting(key) as page:
            everyone.wait(30)
            for stroke in strokes(j):
                page.send(stroke)
            if j % 3 == 1:
                page.until("state", revision=2)
                page.socket.cut()
                return key, None
            coarse = page.until("labels", stage="coarse", revision=2)
            final = page.until("labels", stage="final", revision=2)
            assert coarse["waited"] <= final["waited"]
            return key, final["labels"]

    with ThreadPoolExecutor(CLIENTS) as pool:
        done = list(pool.map(paint, range(CLIENTS)))
    assert len({key for key, _ in done}) == CLIENTS
    for j, (key, labels) in enumerate(done):
        state = server.ask(f"/api/sessions/{key}")
        assert state["name"] == f"{j}.png"
        assert [s["points"] for s in state["strokes"]] == [s["points"] for s in (
            {**s, "points": list(s["points"])} for s in strokes(j))]  # fmt: skip
        if labels is None:  # it comes back and finds everything, with its answer
            with server.painting(key) as page:
                labels = page.until("labels", stage="final")["labels"]
        assert (labels == picture(j)[1]).mean() > 0.97, j


def test_a_client_that_does_not_read_holds_nobody_up_and_is_given_up() -> None:
    long = np.random.default_rng(0).uniform(2, 20, 38_000).round(1).tolist()
    with serving(Limits(connections=2, reading_seconds=0.5)) as server:
        key = server.open(encoded(two_fields()))
        with deaf(server, key), server.painting(key) as page:
            page.send(line(0, *long))
            page.send(line(1, 44.0, 20.0, 60.0, 20.0))
            page.until("labels", stage="final", revision=2)
            for j in range(40):  # far more than fits into the buffers of a connection
                page.send({"type": ("undo", "redo")[j % 2]})
                page.until("state", revision=3 + j)
            time.sleep(1.0)
            with server.painting(key) as another:  # the place of the deaf one
                assert another.state["revision"] == 42


def deaf(server: Served, key: str) -> socket.socket:
    """A connection that has joined a session and never reads a byte."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    host, port = server.host.split(":")
    connection.connect((host, int(port)))
    connection.sendall(
        f"GET /api/sessions/{key}/paint?token={server.token} HTTP/1.1\r\nHost: {server.host}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
    )
    return connection


class Outlet:
    """A socket of a page: what was sent, once it is let through."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.open = asyncio.Event()

    async def send_text(self, data: str) -> None:
        await self.open.wait()
        self.sent.append(json.loads(data))

    async def send_bytes(self, data: bytes) -> None:
        await self.open.wait()
        self.sent.append(data)


def test_what_waits_for_a_slow_page_is_only_the_newest_of_each_kind() -> None:
    async def scene() -> list[Any]:
        outlet = Outlet()
        page = Page(outlet, 5.0)
        delivering = asyncio.create_task(page.deliver(lambda: None))
        for j in range(100):
            page.tell("state", {"revision": j})
            page.tell("labels", bytes([j]))
            await asyncio.sleep(0)
        outlet.open.set()
        await asyncio.sleep(0.05)
        delivering.cancel()
        return outlet.sent

    assert asyncio.run(scene()) == [{"revision": 0}, {"revision": 99}, b"\x63"]


def test_a_page_that_reads_nothing_is_given_up() -> None:
    async def scene() -> list[str]:
        page, given_up = Page(Outlet(), 0.05), []
        page.tell("state", {})
        await page.deliver(lambda: given_up.append("gone"))
        return given_up

    assert asyncio.run(scene()) == ["gone"]


def test_messages_beyond_a_burst_are_read_at_a_pace() -> None:
    now = [0.0]
    pace = Pace(10.0, 3, lambda: now[0])
    assert [pace.wait() for _ in range(5)] == pytest.approx([0, 0, 0, 0.1, 0.2])
    now[0] = 0.3
    assert pace.wait() == 0
    now[0] = 1000.0
    assert [pace.wait() for _ in range(4)] == pytest.approx([0, 0, 0, 0.1])


def test_a_flood_is_slowed_and_the_others_are_answered() -> None:
    with serving(Limits(messages_per_second=20.0, messages_at_once=5)) as server:
        keys = [server.open(encoded(two_fields())) for _ in range(2)]
        with server.painting(keys[0]) as rude, server.painting(keys[1]) as page:
            for _ in range(60):
                rude.send(line(0, 4.0, 4.0))
            for stroke in (line(0, 4.0, 20.0), line(1, 50.0, 20.0)):
                page.send(stroke)
            page.until("labels", stage="final", revision=2)
            assert len(server.ask(f"/api/sessions/{keys[0]}")["strokes"]) < 60
            rude.until("state", revision=60)


def test_a_message_that_is_too_long_ends_its_connection_only(server: Served) -> None:
    keys = [server.open(encoded(two_fields())) for _ in range(2)]
    address = server.address(f"/api/sessions/{keys[0]}/paint", "ws")
    with server.painting(keys[1]) as page:
        with connect(address) as rude:
            rude.send(" " * 3_000_000)
            with pytest.raises(ConnectionClosed) as closed:
                deque(iter(partial(rude.recv, 20), None))
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
        page.send(line(0, 4.0, 20.0))
        assert page.until("state")["count"] == 1


REFUSED = {
    "no token": ("GET", "/api/sessions/x", {}),
    "a wrong token": ("GET", "/?token=guess", {}),
    "another host": ("GET", "/?token={token}", {"Host": "evil.example"}),
    "another page": ("POST", "/api/start?token={token}", {"Origin": "http://evil.example"}),
    "another port": ("POST", "/api/start?token={token}", {"Origin": "http://127.0.0.1:1"}),
    "a form elsewhere": ("POST", "/api/start?token={token}", {"Sec-Fetch-Site": "cross-site"}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_strangers_are_refused_over_the_wire(server: Served, name: str) -> None:
    method, path, headers = REFUSED[name]
    connection = http.client.HTTPConnection(server.host, timeout=20)
    connection.request(method, path.format(token=server.token), headers=headers)
    answer = connection.getresponse()
    assert answer.status == 403
    assert server.token not in answer.read().decode()
    assert answer.headers["server"] is None
    connection.close()


def test_garbage_on_the_wire_leaves_the_server_alive(server: Served) -> None:
    host, port = server.host.split(":")
    for garbage in (b"\0" * 500, b"GET " + b"a" * 200_000, b"\x16\x03\x01 hello", b""):
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            connection.sendall(garbage)
    assert server.ask("/api/start", b"") == {"session": None}


def test_an_upload_that_does_not_arrive_is_given_up_and_its_place_is_free_again() -> None:
    with serving(Limits(sessions=1, upload_seconds=0.3)) as server:
        host, port = server.host.split(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            connection.sendall(
                f"POST /api/images?token={server.token} HTTP/1.1\r\nHost: {server.host}\r\n"
                "Content-Length: 1000\r\n\r\nslow".encode()
            )
            answer = connection.recv(4000).decode()
        assert answer.startswith("HTTP/1.1 413")
        assert "the file did not arrive within 0 s; send it again" in answer
        server.open(encoded(two_fields()))


def test_a_bug_is_an_answer_and_the_server_lives_on(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a bug")

    key = server.open(encoded(two_fields()))
    with monkeypatch.context() as patched:
        patched.setattr(downloads, "make", broken)
        with pytest.raises(urllib.error.HTTPError, match="500") as failed:
            server.ask(f"/api/sessions/{key}/files/scribbles.png")
        assert "the other images are not affected" in json.load(failed.value)["error"]
    assert server.ask(f"/api/sessions/{key}")["revision"] == 0
