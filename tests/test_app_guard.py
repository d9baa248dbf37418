"""Whom the page's server answers: its own page on this machine, with the token."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from app_client import (
    HOST,
    TOKEN,
    client,
    encoded,
    opened_session,
    upload,
)
from fastge.app.guard import Access
from fastge.app.run import Place, address_of, listen
from fastge.app.server import assets, create_app
from fastge.errors import ParameterError

QUERY = f"token={TOKEN}".encode()


def stranger() -> TestClient:
    return TestClient(create_app(Access(TOKEN)), base_url=f"http://{HOST}")


def refusal(access: Access | None = None, query: bytes = QUERY, **headers: str) -> str | None:
    given = {"host": HOST} | {name.replace("_", "-"): value for name, value in headers.items()}
    return (access or Access(TOKEN)).refusal(Headers(given), query)


@pytest.mark.parametrize("address", ["/", "/api/sessions/abc", "/static/main.js", "/nothing"])
def test_without_the_token_there_is_nothing_to_see(address: str) -> None:
    answer = stranger().get(address)
    assert answer.status_code == 403
    assert "open the address that fastge paint printed" in answer.text


def test_the_token_of_the_address_becomes_a_cookie_that_scripts_and_sites_cannot_read() -> None:
    with client() as browser:
        cookie = browser.get("/", params={"token": TOKEN}).headers["set-cookie"]
        assert {"HttpOnly", "SameSite=strict"} <= {part.strip() for part in cookie.split(";")}
        assert browser.get("/static/main.js").status_code == 200
        browser.cookies.clear()
        assert browser.get("/static/main.js").status_code == 403


@pytest.mark.parametrize("wrong", ["", TOKEN[:-1], TOKEN + "x", "\u00e9"])
def test_a_wrong_token_is_as_good_as_none(wrong: str) -> None:
    assert stranger().get("/", params={"token": wrong}).status_code == 403
    cookie = f"{Access(TOKEN).cookie}={wrong}".encode()
    headers = Headers(raw=[(b"host", HOST.encode()), (b"cookie", cookie)])
    assert not Access(TOKEN).knows_token(headers, b"")


FOREIGN = ["evil.example", "evil.example:8344", "127.0.0.1.evil.example", "[::1", "",
           "localhost@evil.example:80", "10.0.0.1:8344"]  # fmt: skip


@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_name_that_resolves_to_this_machine_gets_nothing(host: str) -> None:
    assert "does not answer to that host name" in (refusal(host=host) or "")


@pytest.mark.parametrize("host", ["127.0.0.1:8344", "localhost:1", "LOCALHOST", "[::1]:8344"])
def test_this_machine_is_called_by_its_own_names(host: str) -> None:
    assert refusal(host=host) is None


def test_on_all_addresses_any_number_will_do_and_names_must_be_given() -> None:
    access = Access.for_host("0.0.0.0", ["lab.example"])
    query = f"token={access.token}".encode()
    for host in ("192.168.0.7:8344", "lab.example:8344", "localhost"):
        assert refusal(access, query, host=host) is None
    assert refusal(access, query, host="evil.example") is not None
    assert refusal(Access.for_host("127.0.0.1"), query, host="192.168.0.7") is not None


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999",
                                    "http://127.0.0.1", "http://localhost:8344"])  # fmt: skip
def test_other_pages_in_the_same_browser_get_nothing(origin: str) -> None:
    assert "other pages" in (refusal(origin=origin) or "")
    assert refusal(origin=f"http://{HOST}") is None
    assert "other pages" in (refusal(sec_fetch_site="cross-site", sec_fetch_mode="no-cors") or "")
    assert refusal(sec_fetch_site="cross-site", sec_fetch_mode="navigate") is None


def test_a_socket_of_another_page_is_not_accepted() -> None:
    with client() as browser:
        address = f"ws://{HOST}/api/sessions/{opened_session(browser)}/paint"
        for headers in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
            with pytest.raises(WebSocketDisconnect) as refused:
                browser.websocket_connect(address, headers=headers).__enter__()
            assert refused.value.code == 1008


def test_two_hosts_are_none() -> None:
    headers = Headers(raw=[(b"host", HOST.encode()), (b"host", b"evil.example")])
    assert Access(TOKEN).refusal(headers, QUERY) is not None


def test_tokens_differ_from_run_to_run_and_are_not_printed_by_accident() -> None:
    one, other = Access.for_host("127.0.0.1"), Access.for_host("127.0.0.1")
    assert one.token != other.token
    assert len(one.token) >= 32
    assert one.token not in repr(one)


def test_a_ticket_opens_the_page_once() -> None:
    access = Access(TOKEN)
    ticket = {"ticket": access.issue_ticket()}
    app = create_app(access)
    with TestClient(app, base_url=f"http://{HOST}") as browser:
        assert browser.get("/", params=ticket).status_code == 200
        assert browser.get("/static/main.js").status_code == 200
    with TestClient(app, base_url=f"http://{HOST}") as other:
        assert other.get("/", params=ticket).status_code == 403
    assert ticket["ticket"] not in repr(access)


def test_the_page_can_load_nothing_from_elsewhere() -> None:
    with client() as browser:
        headers = browser.get("/").headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    for name, content in assets().items():
        text = content.decode().replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text, name
        assert "https://" not in text, name
        assert 'style="' not in text, name


@pytest.mark.parametrize("name", ["../server.py", "..%2fserver.py", "%2e%2e/limits.py", "main.py",
                                  "/etc/passwd", "..%5cserver.py", "index.html%00.js"])  # fmt: skip
def test_no_path_of_a_request_is_opened(name: str) -> None:
    with client() as browser:
        for folder in ("/static/", "/api/sessions/", "/api/sessions/x/files/"):
            answer = browser.get(folder + name)
            assert answer.status_code in {404, 405}
            assert "import" not in answer.text


def test_the_name_of_an_upload_is_only_shown(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(encoded(np.full((5, 5, 3), 77, dtype=np.uint8)))
    with client() as browser:
        state = upload(browser, name=f"{secret}\r\nX-Evil: 1").json()
        assert (state["width"], state["height"]) == (64, 40)
        files = browser.get(f"/api/sessions/{state['session']}/files/scribbles.png")
        assert "x-evil" not in files.headers
        assert "/" not in files.headers["content-disposition"]


def test_the_server_listens_on_this_machine_only_and_finds_a_free_port() -> None:
    with listen(Place()) as first, listen(Place()) as second:
        assert first.getsockname()[0] == second.getsockname()[0] == "127.0.0.1"
        taken = first.getsockname()[1]
        assert second.getsockname()[1] != taken
        with pytest.raises(ParameterError, match="choose another with --port"):
            listen(Place(port=taken))
    assert address_of("0.0.0.0", 80, token="t") == "http://127.0.0.1:80/?token=t"
    assert address_of("::1", 80, token="t") == "http://[::1]:80/?token=t"
