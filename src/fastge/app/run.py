"""Start the server of the page, and the browser that shows it."""

from __future__ import annotations

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlencode

import uvicorn

from fastge.app.guard import Access
from fastge.app.limits import Limits
from fastge.app.server import Opened, create_app
from fastge.app.workers import NAME
from fastge.errors import ParameterError

PORT = 8344
_TRIES = 20
_SECONDS_TO_END = 0.2
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
    access = Access.for_host(place.host, place.further_hosts)
    listener = listen(place)
    server = server_of(access, limits or Limits(), opened)
    port = listener.getsockname()[1]
    say(f"The page is at {address_of(place.host, port, token=access.token)}")
    say("Only who knows this address can use it. Ctrl-C ends the server and forgets the images.")
    if open_browser:
        # Every user of a machine sees the arguments of a program, so the browser's are a ticket.
        once = address_of(place.host, port, ticket=access.issue_ticket())
        threading.Timer(0.5, webbrowser.open, [once]).start()
    with suppress(KeyboardInterrupt):  # whether it arrives here depends on what ran last
        server.run(sockets=[listener])
    say("The server has ended.")
    _leave()


def _leave() -> None:
    """End the program even if threads are deep in what nobody waits for any more."""
    workers = [t for t in threading.enumerate() if t.name.startswith(NAME)]
    for thread in workers:
        thread.join(_SECONDS_TO_END)
    if any(thread.is_alive() for thread in workers):
        sys.stderr.flush()
        os._exit(0)


def server_of(access: Access, limits: Limits, opened: Opened | None = None) -> uvicorn.Server:
    """The server of the page, which has yet to be given its socket."""
    config = uvicorn.Config(
        create_app(access, limits, opened),
        log_level="warning",
        ws_max_size=2 * limits.message_bytes,
        limit_concurrency=4 * limits.connections,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


def listen(place: Place) -> socket.socket:
    """A socket at the wished port, or at the first free one."""
    ports = [place.port] if place.port is not None else range(PORT, PORT + _TRIES)
    for port in ports:
        try:
            family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
            return socket.create_server((place.host, port), family=family, backlog=64)
        except OSError as cause:
            is_name = isinstance(cause, socket.gaierror)
            reason = cause.strerror if is_name else os.strerror(cause.errno or 0)
    tried = f"port {ports[0]}" if len(ports) == 1 else f"ports {ports[0]} to {ports[-1]}"
    raise ParameterError(
        f"cannot listen at {place.host}, {tried}: {reason}; choose another with --port or --host"
    )


def address_of(host: str, port: int, **query: str) -> str:
    shown = _WILDCARDS.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/?{urlencode(query)}"
