"""`fastge paint` as a program: how it begins and how it ends."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from app_client import encoded, line, two_fields
from app_server import Served
from fastge.app.run import Place, serve
from fastge.cli import app
from fastge.cli import paint as paint_module

PROGRAM = Path(sys.executable).parent / "fastge"


@contextmanager
def started(*options: str, **environment: str) -> Iterator[tuple[Any, Served]]:
    command = [PROGRAM, "paint", "--port", "0", *options]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=os.environ | environment
    )
    try:
        assert process.stderr is not None
        found = re.search(r"http://([^/]+)/\?token=(\S+)", process.stderr.readline())
        assert found is not None
        yield process, Served(*found.groups())
    finally:
        process.kill()
        process.wait()


def interrupted(process: Any) -> tuple[float, str]:
    """Seconds from Ctrl-C to the end, and what was said."""
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=30)[1]
    return time.monotonic() - start, said


def test_the_image_is_there_and_ctrl_c_ends_at_once_even_in_the_middle_of_work(
    tmp_path: Path,
) -> None:
    path = tmp_path / "fields.png"
    path.write_bytes(encoded(np.kron(two_fields(), np.ones((30, 30, 1), dtype=np.uint8))))
    with started("--no-browser", str(path)) as (process, server):
        key = server.ask("/api/start", b"")["session"]
        with server.painting(key) as page:
            assert (page.state["name"], page.state["width"]) == ("fields.png", 1920)
            page.send(line(0, 100.0, 500.0, 700.0, 500.0))
            page.send(line(1, 1200.0, 500.0, 1800.0, 500.0))
            page.until("labels", stage="coarse", revision=2)
            page.send({"type": "full"})  # seconds of work that nobody waits for any more
            page.until("working", stage="full")
            seconds, said = interrupted(process)
    assert process.returncode == 0
    assert seconds < 10  # about one on a machine that does nothing else
    assert said.splitlines()[1:] == ["fastge: The server has ended."]


def test_the_browser_gets_a_ticket_because_others_see_the_arguments_of_programs(
    tmp_path: Path,
) -> None:
    script, seen = tmp_path / "browser", tmp_path / "seen"
    script.write_text(f'#!/bin/sh\necho "$@" > {seen}.part\nmv {seen}.part {seen}\n')
    script.chmod(0o755)
    with started(BROWSER=str(script)) as (_, server):
        end = time.monotonic() + 20
        while not seen.exists() and time.monotonic() < end:
            time.sleep(0.05)
        address = seen.read_text().strip()
        assert server.token not in address
        with urllib.request.urlopen(address, timeout=20) as answer:
            assert b"fastge" in answer.read()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(address, timeout=20)


def test_what_is_said_from_the_first_line_to_the_last() -> None:
    said: list[str] = []

    def visit_and_interrupt() -> None:
        while len(said) < 2:
            time.sleep(0.01)
        with urllib.request.urlopen(said[0].split()[-1], timeout=20) as answer:
            visited.append(answer.status)
        os.kill(os.getpid(), signal.SIGINT)

    visited: list[int] = []
    visitor = threading.Thread(target=visit_and_interrupt)
    visitor.start()
    serve(None, Place(port=0), said.append, open_browser=False)
    visitor.join()
    assert visited == [200]
    assert said[0].startswith("The page is at http://127.0.0.1:")
    assert said[-1] == "The server has ended."


def refused(*arguments: str) -> str:
    """The one line of a program that cannot begin."""
    done = CliRunner().invoke(app, ["paint", "--no-browser", *arguments])
    assert done.exit_code == 1, done.output
    (said,) = done.stderr.splitlines()
    return said


def test_a_port_in_use_is_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refused("--port", port)
    assert said == (
        f"fastge: cannot listen at 127.0.0.1, port {port}: Address already in use; choose another "
        "with --port or --host"
    )


def test_an_address_of_another_machine_is_said_in_one_line() -> None:
    assert "cannot listen at 192.0.2.1" in refused("--host", "192.0.2.1", "--port", "0")
    assert "cannot listen at no.such.invalid" in refused("--host", "no.such.invalid")


@pytest.mark.parametrize("module", paint_module._NEEDED)
def test_what_is_missing_is_said_with_its_remedy(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        paint_module, "find_spec", lambda name: None if name == module else find(name)
    )
    said = refused()
    assert f"the page needs {paint_module._NEEDED[module]}, which is not installed" in said
    assert "pip install 'fastge[app]'" in said


def test_an_image_that_cannot_be_read_is_said_in_one_line(tmp_path: Path) -> None:
    text = tmp_path / "notes.png"
    text.write_text("no picture")
    assert "notes.png: not an image" in refused(str(text))
    assert "gone.png: no such file" in refused(str(tmp_path / "gone.png"))
