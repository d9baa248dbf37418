"""Start the server of the page, and the browser that shows it."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import uvicorn

from fastge.app.guard import Access
from fastge.app.limits import Limits
from fastge.app.server import Opened, create_app
from fastge.errors import ParameterError

PORT = 8344
_TRIES = 20
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}


@dataclass(frozen=True)
class Place:
    """Where the server listens."""

    host: str = "127.0.0.1"
    port: int | None = None
    """None is PORT or, where that is taken, one of the next."""
    further_hosts: Iterable[str] = ()
    """Further names by which the machine may be called."""


def serve(
    opened: Opened | None,
    place: Place,
    say: Callable[[str], None],
    *,
    open_browser: bool = True,
    limits: Limits | None = None,
) -> None:
    """Serve the page until Ctrl-C."""
    limits = limits or Limits()
    access = Access.for_host(place.host, place.further_hosts)
    listener = listen(place)
    address = address_of(place.host, listener.getsockname()[1], access.token)
    config = uvicorn.Config(
        create_app(access, limits, opened),
        log_level="warning",
        ws_max_size=2 * limits.message_bytes,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    say(f"The page is at {address}")
    say("Only who knows this address can use it. Ctrl-C ends the server and forgets the images.")
    if open_browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    uvicorn.Server(config).run(sockets=[listener])


def listen(place: Place) -> socket.socket:
    """A socket at the wished port, or at the first free one."""
    ports = [place.port] if place.port is not None else range(PORT, PORT + _TRIES)
    for port in ports:
        try:
            family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
            return socket.create_server((place.host, port), family=family, backlog=64)
        except OSError as cause:
            reason = cause
    raise ParameterError(
        f"cannot listen at {place.host}, port {ports[-1]}: {reason.strerror or reason}; choose "
        "another with --port or --host"
    )


def address_of(host: str, port: int, token: str) -> str:
    shown = _WILDCARDS.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/?token={token}"
