"""The addresses of the page: no path that a request names is ever opened."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from importlib import resources

import anyio
from fastapi import FastAPI, Request, WebSocket
from fastapi.responses import JSONResponse, Response

from fastge.app import downloads
from fastge.app.guard import Access, Guard
from fastge.app.limits import LimitError, Limits, UnknownSessionError
from fastge.app.pages import Pace, Page
from fastge.app.protocol import read_message
from fastge.app.session import Session
from fastge.app.sessions import Sessions
from fastge.errors import FastgeError
from fastge.files.images import Pixels, decode_image

_log = logging.getLogger(__name__)
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_PAGE = "index.html"
_NO_SUCH_SESSION = 4404
_REFUSED = 4429
_LONGEST_NAME = 120


@dataclass(frozen=True)
class Opened:
    """An image that is open already when the page is first shown."""

    name: str
    pixels: Pixels


def create_app(access: Access, limits: Limits | None = None, opened: Opened | None = None) -> Guard:
    """The whole application, behind its guard."""
    limits = limits or Limits()
    sessions = Sessions(limits)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        sessions.close_all()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.sessions = sessions
    _add_pages(app, access, opened, sessions)
    _add_images(app, sessions)
    _add_results(app, sessions)
    _add_painting(app, sessions)
    app.exception_handler(FastgeError)(_explain)
    app.exception_handler(Exception)(_apologise)
    return Guard(app, access)


def assets() -> dict[str, bytes]:
    """The files of the page, read once and known by name."""
    folder = resources.files("fastge.app") / "static"
    return {file.name: file.read_bytes() for file in folder.iterdir() if _kind(file.name) in _TYPES}


def _add_pages(app: FastAPI, access: Access, opened: Opened | None, sessions: Sessions) -> None:
    files = assets()

    @app.get("/")
    def page() -> Response:
        answer = _asset(files, _PAGE)
        answer.set_cookie(access.cookie, access.token, httponly=True, samesite="strict")
        return answer

    @app.get("/static/{name}")
    def asset(name: str) -> Response:
        return _asset(files, name)

    @app.post("/api/start")
    async def start() -> Response:
        """A session for the image that was named on the command line, or none."""
        if opened is None:
            return JSONResponse({"session": None})
        with sessions.place():
            return JSONResponse({"session": sessions.open(opened.name, opened.pixels).key})


def _add_images(app: FastAPI, sessions: Sessions) -> None:
    @app.post("/api/images")
    async def open_image(request: Request, name: str = "image") -> Response:
        """The body is the file; its name is only ever shown."""
        limits = sessions.limits
        shown = "".join(c for c in name if c.isprintable())[:_LONGEST_NAME] or "image"
        with sessions.place():
            content = await _body(request, limits)
            work = partial(decode_image, content, shown, most_pixels=limits.pixels)
            async with sessions.decoding:
                pixels = await asyncio.to_thread(work)
            return JSONResponse(sessions.open(shown, pixels).state(), HTTPStatus.CREATED)

    @app.delete("/api/sessions/{key}")
    async def close(key: str) -> Response:
        sessions.close(key)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    @app.get("/api/sessions/{key}/image")
    def image(key: str) -> Response:
        return Response(sessions.get(key).shown, media_type="image/jpeg")


def _add_results(app: FastAPI, sessions: Sessions) -> None:
    @app.get("/api/sessions/{key}")
    async def state(key: str) -> Response:
        return JSONResponse(sessions.get(key).state())

    @app.get("/api/sessions/{key}/eigenvectors/{j}")
    def eigenvector(key: str, j: int) -> Response:
        answer = sessions.get(key).answer
        if answer is None:
            return _problem(HTTPStatus.NOT_FOUND, "there are no eigenvectors yet; paint first")
        return Response(downloads.eigenvector_png(answer, j - 1), media_type="image/png")

    @app.get("/api/sessions/{key}/files/{kind}")
    def download(key: str, kind: str) -> Response:
        session = sessions.get(key)
        if kind not in downloads.KINDS:
            return _problem(HTTPStatus.NOT_FOUND, f"files are {', '.join(downloads.KINDS)}")
        file = downloads.make(session, kind)
        headers = {"Content-Disposition": file.disposition}
        return Response(file.content, media_type=file.media_type, headers=headers)


def _add_painting(app: FastAPI, sessions: Sessions) -> None:
    @app.websocket("/api/sessions/{key}/paint")
    async def paint(socket: WebSocket, key: str) -> None:
        """One page that paints, for as long as it is open."""
        await socket.accept()
        try:
            session = sessions.get(key)
            sessions.check_connections()
        except FastgeError as cause:
            code = _NO_SUCH_SESSION if isinstance(cause, UnknownSessionError) else _REFUSED
            await socket.close(code, str(cause)[:_LONGEST_NAME])
            return
        page = Page(socket, sessions.limits.reading_seconds)
        session.join(page)
        try:
            async with anyio.create_task_group() as both:
                both.start_soon(page.deliver, both.cancel_scope.cancel)
                await _listen(session, page, socket, sessions.limits)
                both.cancel_scope.cancel()
        finally:
            session.leave(page)


async def _listen(session: Session, page: Page, socket: WebSocket, limits: Limits) -> None:
    """Messages until the page is gone; what is wrong with one is told to the page that sent it."""
    pace = Pace(limits.messages_per_second, limits.messages_at_once)
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        await asyncio.sleep(pace.wait())
        text = message.get("text") or ""
        try:
            if len(text) > limits.message_bytes:
                raise LimitError(f"a message is longer than {limits.message_bytes:,} bytes")
            session.receive(read_message(text), page)
        except FastgeError as cause:
            page.tell("error", {"type": "error", "message": str(cause)})
            page.tell("state", session.state())


async def _body(request: Request, limits: Limits) -> bytes:
    """The body of a request, given up on as soon as it is too long."""
    most = limits.upload_bytes
    too_long = LimitError(
        f"the file is larger than the {most / 2**20:,.0f} MiB allowed; make the image smaller"
    )
    announced = request.headers.get("content-length", "0")
    if announced.isdecimal() and int(announced) > most:
        raise too_long
    parts, length = [], 0
    try:
        with anyio.fail_after(limits.upload_seconds):
            async for part in request.stream():
                length += len(part)
                if length > most:
                    raise too_long
                parts.append(part)
    except TimeoutError:
        reason = f"the file did not arrive within {limits.upload_seconds:,.0f} s; send it again"
        raise LimitError(reason) from None
    return b"".join(parts)


def _asset(files: Mapping[str, bytes], name: str) -> Response:
    if name not in files:
        return _problem(HTTPStatus.NOT_FOUND, "there is no such file")
    return Response(files[name], media_type=_TYPES[_kind(name)])


def _kind(name: str) -> str:
    return name.rpartition(".")[2]


def _problem(status: HTTPStatus, message: str) -> Response:
    return JSONResponse({"error": message}, status)


async def _explain(_: Request, cause: Exception) -> Response:
    """Errors that name cause and remedy, as they are."""
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    if isinstance(cause, UnknownSessionError):
        status = HTTPStatus.NOT_FOUND
    elif isinstance(cause, LimitError):
        status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    return _problem(status, str(cause))


async def _apologise(_: Request, cause: Exception) -> Response:
    _log.error("a request failed", exc_info=cause)
    return _problem(
        HTTPStatus.INTERNAL_SERVER_ERROR, "this request failed; the other images are not affected"
    )
