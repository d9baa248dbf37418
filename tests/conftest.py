"""Fixtures that several files share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # without it scikit-learn skips some of its checks

import chromium
from friends import FILES


def pytest_configure() -> None:
    """A shell that runs tests in the background has them, and what they start, ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a graph of two triangles and what is known about it."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Connection]:
    """One headless Chromium for all tests; every test has a page of its own."""
    if chromium.program() is None:
        pytest.skip("no Chromium here; install the package chromium, as .ci/run does")
    with chromium.running(tmp_path_factory.mktemp("profile")) as connection:
        yield connection
