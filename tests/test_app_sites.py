"""Another site in the same browser: it gets nothing, even if it knows the token."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from app_client import two_fields
from app_server import serving
from chromium import Connection
from fastge.app.server import Opened

TRIES = """
<a id="link" href="{page}">fastge</a><iframe src="{page}"></iframe>
<script>
const seen = window.seen = {{}};
const note = (name, value) => () => (seen[name] = value);
fetch("{start}", {{ method: "POST", mode: "no-cors" }})
  .then(note("fetch", "done"), note("fetch", "refused"));
const socket = new WebSocket("{socket}");
socket.onopen = note("socket", "done");
socket.onerror = note("socket", "refused");
const image = new Image();
image.onload = note("image", "done");
image.onerror = note("image", "refused");
image.src = "{icon}";
</script>
"""


@contextmanager
def other_site(content: str) -> Iterator[tuple[str, list[str]]]:
    """Its address, and what browsers told it of where they came from."""
    referrers: list[str] = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            referrers.append(self.headers.get("Referer", ""))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as site:
        thread = threading.Thread(target=site.serve_forever)
        thread.start()
        yield f"http://localhost:{site.server_port}/", referrers
        site.shutdown()
        thread.join()


def test_another_site_gets_nothing_and_a_link_to_the_page_works(browser: Connection) -> None:
    with serving(opened=Opened("fields.png", two_fields())) as server:
        content = TRIES.format(
            page=server.page,
            start=server.address("/api/start"),
            icon=server.address("/static/icon.svg"),
            socket=server.address("/api/sessions/x/paint", "ws"),
        )
        with other_site(content) as (address, referrers), browser.tab() as tab:
            tab.open(address)
            tab.wait("Object.keys(seen).length === 3")
            assert set(tab.run("Object.values(seen)")) == {"refused"}
            assert any("frame-ancestors" in line for line in tab.complaints())
            tab.run("document.getElementById('link').click()")
            tab.wait("document.body?.dataset.state === 'open'")
            assert server.token not in tab.run("location.href")
            tab.reload()
            tab.wait("document.body.dataset.state === 'open'")
            tab.run(f"location.href = {address + 'next'!r}")
            tab.wait("window.seen")
    assert not any(server.token in referrer or server.host in referrer for referrer in referrers)
