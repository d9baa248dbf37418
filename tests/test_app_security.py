"""What the page's server survives: hostile files, malformed messages, too much of anything."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import pytest
from PIL import Image
from starlette.websockets import WebSocketDisconnect

from app_client import (
    HOST,
    STREAM,
    client,
    encoded,
    line,
    opened_session,
    painting,
    two_fields,
    upload,
)
from fastge.app import session as session_module
from fastge.app.limits import Limits, pixels_that_fit


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and has next to nothing inside."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def tiff_header(width: int, height: int) -> bytes:
    entries = [
        (256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
        (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, height), (279, 4, 1, 100),
    ]  # fmt: skip
    packed = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + packed + b"\0\0\0\0"


HOSTILE = {
    "nothing": (b"", "not an image"),
    "text": (b"hello", "not an image"),
    "svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not an image"),
    "pickle": (b"\x80\x04\x95", "not an image"),
    "gif": (b"GIF89a" + bytes(100), "not an image"),
    "eps": (b"%!PS-Adobe-3.0 EPSF-3.0\n" + bytes(100), "not an image"),
    "truncated png": (encoded(two_fields())[:300], "damaged"),
    "truncated jpeg": (encoded(two_fields(), "JPEG")[:500], "damaged"),
    "truncated tiff": (encoded(two_fields(), "TIFF")[:3000], "damaged"),
    "only a mark": (b"\x89PNG\r\n\x1a\n", "damaged"),
    "tiff of noise": (b"II*\0" + bytes(range(256)) * 4, "damaged"),
    "webp of noise": (b"RIFF\x10\0\0\0WEBPVP8 " + bytes(100), "damaged"),
    "wrong lengths": (encoded(two_fields())[:40] + b"\xff" * 400, "damaged"),
    "bomb": (png_header(100_000, 100_000), "100,000 × 100,000 pixels are more than"),
    "bomb, tiff": (tiff_header(100_000, 100_000), "100,000 × 100,000 pixels are more than"),
    "empty inside": (png_header(200, 200), "damaged"),
}


def test_bad_files_give_an_error_and_the_server_lives_on() -> None:
    with client() as browser:
        for name, (content, reason) in HOSTILE.items():
            answer = upload(browser, content, name)
            assert answer.status_code == 422, name
            assert reason in answer.json()["error"], name
        with painting(browser, opened_session(browser)) as page:
            page.send(line(0, 4.0, 20.0, 20.0, 20.0))
            page.send(line(1, 44.0, 20.0, 60.0, 20.0))
            page.until("labels", stage="final")


def test_random_damage_never_breaks_the_server() -> None:
    rng = np.random.default_rng(0)
    sources = [encoded(two_fields(), kind) for kind in ("PNG", "JPEG", "TIFF", "WEBP")]
    with client(Limits(sessions=300)) as browser:
        for _ in range(15):
            for source in sources:
                damaged = np.frombuffer(source, dtype=np.uint8).copy()
                damaged[rng.integers(4, len(damaged), 8)] = rng.integers(0, 256, 8)
                assert upload(browser, damaged.tobytes()).status_code in {201, 422}


def test_too_many_bytes_are_not_even_read() -> None:
    read = []

    def endless() -> Any:
        for _ in range(100):
            read.append(1)
            yield bytes(1000)

    with client(Limits(upload_bytes=5000)) as browser:
        announced = browser.post("/api/images", content=bytes(5001), headers=STREAM)
        streamed = browser.post("/api/images", content=endless(), headers=STREAM)
    for answer in (announced, streamed):
        assert answer.status_code == 413
        assert "make the image smaller" in answer.json()["error"]


LIMITS: dict[str, tuple[Limits, list[dict[str, Any]], str]] = {
    "strokes": (Limits(strokes=2), [line(0, 1.0, 1.0)] * 3, "3 strokes are more than the 2"),
    "points": (Limits(points=3), [line(0, *[1.0] * 8)], "4 points of strokes are more than the 3"),
    "classes": (
        Limits(classes=2),
        [{"type": "classes", "classes": [{"name": "a", "colour": "#000000"}] * 3}],
        "3 classes are more than the 2",
    ),
    "regions": (
        Limits(),
        [{"type": "settings", "working_pixels": 50_000, "extra": 9}],
        "at most 8",
    ),
    "resolution": (
        Limits(),
        [{"type": "settings", "working_pixels": 50_000_000, "extra": 0}],
        "a working resolution lies between",
    ),
    "message": (Limits(message_bytes=99), [line(0, *[1.0] * 100)], "longer than 99 bytes"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_every_limit_has_its_message_and_the_page_goes_on(name: str) -> None:
    limits, messages, reason = LIMITS[name]
    with client(limits) as browser, painting(browser, opened_session(browser)) as page:
        for message in messages:
            page.send(message)
        assert reason in page.until("error")["message"]
        assert page.until("state")["classes"][0]["name"] == "Class 1"
        page.send({"type": "undo"})
        page.until("state")


def test_images_pages_and_pixels_are_limited() -> None:
    with client(Limits(sessions=1, connections=1)) as browser:
        key = opened_session(browser)
        full = upload(browser)
        assert full.status_code == 413
        assert "2 open images are more than the 1 allowed; close one" in full.json()["error"]
        with (
            painting(browser, key),
            pytest.raises(WebSocketDisconnect) as refused,
            browser.websocket_connect(f"ws://{HOST}/api/sessions/{key}/paint") as socket,
        ):
            socket.receive_text()
        assert refused.value.reason.startswith("1 pages are connected, which is the most")
    with client(Limits(pixels_in_total=4000)) as browser:
        opened_session(browser)
        assert "5,120 pixels in all open images" in upload(browser).json()["error"]
    with client(Limits(pixels=2000)) as browser:
        assert "64 × 40 pixels are more" in upload(browser).json()["error"]


def test_a_resolution_beyond_the_free_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "pixels_that_fit", lambda: 1_000_000)
    with client() as browser, painting(browser, opened_session(browser)) as page:
        page.send({"type": "settings", "working_pixels": 2_000_000, "extra": 0})
        assert "the free memory is too small" in page.until("error")["message"]
        page.send({"type": "settings", "working_pixels": 900_000, "extra": 0})
        assert page.until("state", revision=1)["working"]["pixels"] == 900_000


def test_free_memory_is_measured() -> None:
    assert pixels_that_fit() >= 1_000_000


MALFORMED = [
    "", "{", "[]", "null", '"stroke"', "{}", '{"type":"format"}', '{"type":"__class__"}',
    '{"type":"undo","path":"/etc/passwd"}', '{"type":"stroke","kind":0,"radius":1,"points":[1]}',
    '{"type":"stroke","kind":0,"radius":1,"points":[1,2,3]}',
    '{"type":"stroke","kind":0,"radius":-1,"points":[1,2]}',
    '{"type":"stroke","kind":0,"radius":1e999,"points":[1,2]}',
    '{"type":"stroke","kind":0,"radius":1,"points":[NaN,2]}',
    '{"type":"stroke","kind":0,"radius":1,"points":[1e300,2]}',
    '{"type":"stroke","kind":7,"radius":1,"points":[1,2]}',
    '{"type":"stroke","kind":-2,"radius":1,"points":[1,2]}',
    '{"type":"stroke","kind":"0","radius":1,"points":[1,2]}',
    '{"type":"classes","classes":[]}', '{"type":"classes","classes":[{"name":"a","colour":"red"}]}',
    '{"type":"settings","working_pixels":1,"extra":0}', "[" * 5000,
]  # fmt: skip


def test_malformed_messages_get_one_line_and_change_nothing() -> None:
    with client() as browser, painting(browser, opened_session(browser)) as page:
        for text in MALFORMED:
            page.send(text)
            answer = page.until("error")["message"]
            assert "\n" not in answer, text
            assert page.until("state")["revision"] == 0, text


def test_a_class_with_strokes_cannot_be_removed() -> None:
    with client() as browser, painting(browser, opened_session(browser)) as page:
        page.send(line(1, 4.0, 4.0))
        page.send({"type": "classes", "classes": [{"name": "a", "colour": "#000000"}]})
        assert "class 2 has strokes" in page.until("error")["message"]


def test_colours_beyond_red_green_and_blue_are_explained() -> None:
    with client() as browser:
        lab = encoded_mode("LAB")
        assert "save it as RGB or grey" in upload(browser, lab).json()["error"]
        assert upload(browser, encoded_mode("CMYK")).status_code == 201
        assert upload(browser, encoded_mode("1")).status_code == 201


def encoded_mode(mode: str) -> bytes:
    import io

    file = io.BytesIO()
    Image.new(mode, (20, 20)).save(file, "TIFF")
    return file.getvalue()
