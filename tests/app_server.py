"""The real server of the page on a loopback port, and clients that talk to it over sockets."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from websockets.sync.client import ClientConnection, connect

from app_client import Painter
from fastge.app.guard import Access
from fastge.app.limits import Limits
from fastge.app.run import Place, listen, server_of
from fastge.app.server import Opened

PATIENCE = 30.0


@dataclass(frozen=True)
class Served:
    """Where a server listens, and what opens it."""

    host: str
    token: str

    @property
    def page(self) -> str:
        return self.address("/")

    def address(self, path: str, scheme: str = "http", **query: str) -> str:
        return f"{scheme}://{self.host}{path}?{urlencode({'token': self.token} | query)}"

    def ask(self, path: str, content: bytes | None = None, **query: str) -> Any:
        """The JSON at an address; with a content, of posting it there."""
        request = urllib.request.Request(self.address(path, **query), data=content)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def open(self, content: bytes, name: str = "a.png") -> str:
        return str(self.ask("/api/images", content, name=name)["session"])

    @contextmanager
    def painting(self, key: str) -> Iterator[Painter]:
        address = self.address(f"/api/sessions/{key}/paint", "ws")
        with connect(address, max_size=None, open_timeout=PATIENCE) as socket:
            yield Painter(Wire(socket))


class Wire:
    """A connection as `Painter` wants it; it can be cut like a cable."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    def send_text(self, text: str) -> None:
        self._connection.send(text)

    def receive(self) -> dict[str, Any]:
        data = self._connection.recv(PATIENCE)
        return {"text" if isinstance(data, str) else "bytes": data}

    def cut(self) -> None:
        self._connection.socket.close()


@contextmanager
def serving(limits: Limits | None = None, opened: Opened | None = None) -> Iterator[Served]:
    access = Access.for_host("127.0.0.1")
    listener = listen(Place(port=0))
    server = server_of(access, limits or Limits(), opened)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield Served(f"127.0.0.1:{listener.getsockname()[1]}", access.token)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()
