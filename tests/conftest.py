"""Fixtures that several files share."""

from __future__ import annotations

from pathlib import Path

import pytest

from friends import FILES


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a graph of two triangles and what is known about it."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path
