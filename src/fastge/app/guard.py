"""Who may talk to the server: this machine's own page, opened with this run's token.

Three checks before anything else happens. The *Host* must be a name of this machine, so that a
foreign name that resolves to it (DNS rebinding) gets nothing. The *Origin* must be the page
itself, so that other sites open in the same browser get nothing. And everything but the style
of the refusal needs the *token* of this run, from the address at first and from a cookie after;
the browser that the program itself starts gets a *ticket* instead, good for one request.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_POLICY_VIOLATION = 1008
_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; script-src 'self'; style-src 'self'; "
    b"img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'",
}


@dataclass(frozen=True)
class Access:
    """What a request must know and call this machine."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    hosts: frozenset[str] = frozenset(_LOOPBACK)
    any_address: bool = False
    """Whether the machine may be called by any numeric address: needed where it listens on all."""
    _tickets: set[str] = field(default_factory=set, repr=False)

    @classmethod
    def for_host(cls, host: str, further: Iterable[str] = ()) -> Access:
        """Access to a server that listens at `host`, with a new token."""
        names = {host, *further, *_LOOPBACK}
        return cls(hosts=frozenset(n.lower() for n in names), any_address=_is_wildcard(host))

    def refusal(self, headers: Headers, query: bytes) -> str | None:
        """Why the request is not answered, or None."""
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not self._is_ours(host):
            return "this server does not answer to that host name; open the address that it printed"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return "requests from other pages are not answered"
        navigates = headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site") in {"cross-site", "same-site"} and not navigates:
            return "requests from other pages are not answered"
        if not self.knows_token(headers, query):
            return "the token is missing or wrong; open the address that fastge paint printed"
        return None

    def issue_ticket(self) -> str:
        """What stands for the token in the address of one request."""
        ticket = secrets.token_urlsafe(24)
        self._tickets.add(ticket)
        return ticket

    def knows_token(self, headers: Headers, query: bytes) -> bool:
        asked = parse_qs(query.decode("latin-1"))
        given = [*asked.get("token", []), _cookie(headers, self.cookie)]
        if any(_same(g, self.token) for g in given):
            return True
        spent = {t for t in self._tickets for g in asked.get("ticket", []) if _same(g, t)}
        self._tickets.difference_update(spent)
        return bool(spent)

    @property
    def cookie(self) -> str:
        """Named after the token, because the cookies of all ports of a machine are one jar."""
        return f"fastge-{self.token[:6]}"

    def _is_ours(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        return name in self.hosts or (self.any_address and _is_address(name))


class Guard:
    """ASGI middleware that refuses what `Access` refuses and adds the headers of a closed page."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        reason = self._access.refusal(Headers(scope=scope), scope["query_string"])
        if reason is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await WebSocketClose(_POLICY_VIOLATION, reason)(scope, receive, send)
        else:
            answer = PlainTextResponse(f"fastge: {reason}\n", HTTPStatus.FORBIDDEN)
            await answer(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message["headers"]}
            added = [(name, value) for name, value in _HEADERS.items() if name not in own]
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return sending


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def _cookie(headers: Headers, name: str) -> str:
    try:
        jar = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return jar[name].value if name in jar else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_wildcard(host: str) -> bool:
    return _is_address(host) and ipaddress.ip_address(host).is_unspecified
