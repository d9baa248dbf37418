"""The benchmarks run, at a size of seconds, and every method reaches what it is timed for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
FROM = "a peer of the benchmarks; install it with: pip install 'fastge[test]'"

pytest.importorskip("pyamg", reason=f"pyamg is missing, {FROM}")
pytest.importorskip("approx_chol", reason=f"approx-chol is missing, {FROM}")


def figures(script: str, folder: Path) -> dict[str, Any]:
    """What a benchmark writes; its table is checked to be one."""
    output = folder / "figures.json"
    command = [sys.executable, FOLDER / script, "--small", "--limit", "120", "--json", output]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    table = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in table}) == 1
    content: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    assert content["environment"]["packages"]["fastge"]
    return content


def of_method(rows: list[dict[str, Any]], prefix: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["method"].startswith(prefix)]


def test_laplacian_solvers(tmp_path: Path) -> None:
    content = figures("laplacian_solvers.py", tmp_path)
    for row in of_method(content["rows"], "fastge"):
        assert row["status"] == "done"
        assert row["residual"] <= 1.01 * content["tolerance"]
        assert 1 <= row["iterations"] <= 40
    for row in of_method(content["rows"], "approx-chol"):
        assert row["status"] == "done"
        assert row["setup_seconds"] > 0
    assert {row["problem"] for row in of_method(content["rows"], "pyamg")} == {
        row["problem"] for row in content["rows"]
    }


def test_eigensolvers(tmp_path: Path) -> None:
    content = figures("eigensolvers.py", tmp_path)
    (reference,) = content["references"]
    assert max(reference["bounds"]) < 1e-4
    assert reference["overlap"] < 1e-6
    assert reference["excess"] < 1e-4
    rows = content["rows"]
    assert of_method(rows, "pyamg")
    for row in [*of_method(rows, "fastge"), *of_method(rows, "approx-chol")]:
        assert row["status"] == "done"
        assert row["error"] <= content["accuracy"]
        assert row["memory_mebibytes"] > 0


def test_images() -> None:
    """Strokes and peers are timed; the preview is checked against the answer."""
    pytest.importorskip("skimage", reason=f"scikit-image is missing, {FROM}")
    command = [sys.executable, FOLDER / "images.py", "--small"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.split("|")[1:-1] for line in done.stdout.splitlines() if line.startswith("|")]
    strokes, peers = rows[2], rows[5]
    assert float(strokes[-1]) > 0.8
    assert all(float(cell.replace(",", "")) > 0 for cell in (*strokes, *peers))
