"""How the program ends: errors in one line, exit codes, warnings, progress, interrupts."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

import fastge
from fastge.cli import commands, console
from friends import PROGRAM, fastge_cluster

FAILURES = {
    "bad weight": (("bad.csv", "-k", "2"), "bad.csv:7: weight 'abc' is not a number; write one"),
    "missing": (("peopl.csv", "-k", "2"), "peopl.csv: no such file; did you mean people.csv?"),
    "empty": (("empty.csv", "-k", "2"), "empty.csv: the file is empty; write it again"),
    "directory": ((".", "-k", "2"), ".: this is a directory; name a file in it"),
    "extension": (("people.xls", "-k", "2"), "people.xls: no such file; did you mean people.csv?"),
    "labels": (("people.csv", "--labels", "x.npy"), "x.npy: no such file; check the path"),
    "pairs": (("people.csv", "-k", "2", "--must-link", "teams.csv"), "teams.csv:2: node 'red' is"),
    "output": (("people.csv", "-k", "2", "-o", "no/x.csv"), "no/x.csv: there is no directory no;"),
    "array": (("people.csv", "-k", "2", "-o", "x.npy"), "x.npy: an array cannot tell which of the"),
    "input": (("people.csv", "-k", "2", "-o", "people.csv"), "people.csv: this would overwrite an"),
    "report": (("people.csv", "-k", "2", "--report", "r.txt"), "r.txt: cannot write '.txt'; end"),
    "k": (("people.csv", "-k", "7"), "k = 7 clusters cannot be made of 6 nodes; choose 2 ≤ k ≤ 6"),
    "tol": (("people.csv", "-k", "2", "--tol", "0"), "tol = 0"),
}


@pytest.mark.parametrize(("arguments", "message"), FAILURES.values(), ids=FAILURES.keys())
def test_bad_input_is_one_line_and_exit_code_1(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = fastge_cluster(*arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith(f"fastge: {message}")
    assert result.stderr.count("\n") == 1


def test_the_output_is_checked_before_anything_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "read_graph", lambda _: pytest.fail("the graph was read"))
    for arguments in (("-o", "no/x.csv"), ("--report", "no/r.json"), ("--labels", "no.csv")):
        assert fastge_cluster("people.csv", "-k", "2", *arguments).exit_code == 1
    assert fastge_cluster("people.csv").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'GRAPH'"),
        (("people.csv",), "give the number of clusters, or labels"),
        (("people.csv", "-k", "1"), "-k"),
        (("people.csv", "-k", "two"), "-k"),
        (("people.csv", "-k", "2", "--rule", "guess"), "'--rule'"),
        (("people.csv", "-k", "2", "--lables", "x"), "No such option"),
    ],
)
def test_wrong_usage_is_exit_code_2(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    result = fastge_cluster(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "fastge cluster --help" in result.stderr


@pytest.mark.parametrize(
    ("cause", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 1, "not enough memory for this graph"),
        (OSError(errno.EIO, "Input/output error", "x.csv"), 1, "x.csv: Input/output error"),
        (fastge.errors.InputError("two\nlines"), 1, "two lines"),
    ],
)
def test_foreseeable_ends_are_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, cause: BaseException, code: int, message: str
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise cause

    monkeypatch.setattr(commands, "find_clusters", stop)
    result = fastge_cluster("people.csv", "-k", "2")
    assert result.exit_code == code
    assert result.stderr.startswith(f"fastge: {message}")
    assert result.stderr.count("\n") == 1


def test_unforeseen_ends_are_not_hidden(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(commands, "find_clusters", stop)
    assert isinstance(fastge_cluster("people.csv", "-k", "2").exception, ZeroDivisionError)


def test_warnings_are_lines_without_a_place_in_the_source(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = commands.find_clusters

    def wavering(*arguments: Any, **options: Any) -> Any:
        warnings.warn("it has not\nconverged", UserWarning, stacklevel=1)
        return real(*arguments, **options)

    monkeypatch.setattr(commands, "find_clusters", wavering)
    result = fastge_cluster("people.csv", "-k", "2", "--quiet")
    assert result.exit_code == 0
    assert result.stderr == "fastge: warning: it has not converged\n"


def progress(stage: str, iteration: int | None = None, residual: float | None = None) -> Any:
    return SimpleNamespace(stage=stage, iteration=iteration, residual=residual)


def wait_for(text: str, stream: io.StringIO) -> None:
    end = time.monotonic() + 20
    while text not in stream.getvalue() and time.monotonic() < end:
        time.sleep(0.01)
    assert text in stream.getvalue()


@pytest.mark.parametrize("is_terminal", [False, True])
def test_progress_shows_up_once_a_run_takes_long(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    stream = io.StringIO()
    screen = Console(file=stream, force_terminal=is_terminal, width=100)
    monkeypatch.setattr(console, "console", lambda: screen)
    for name in ("_QUIET_SECONDS", "_QUIET_SECONDS_IN_A_LOG", "_SECONDS_BETWEEN_LOG_LINES"):
        monkeypatch.setattr(console, name, 0.01)
    with console.ProgressLine(quiet=False) as line:
        line.stage("reading g.csv")
        wait_for("reading g.csv", stream)
        line(progress("solve", 7, 1e-3))
        wait_for("solve, iteration 7, residual 1.0e-03", stream)
        line(progress("embed"))
        wait_for("embed", stream)


def test_progress_keeps_silent_in_short_runs_and_when_told_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(console, "console", lambda: Console(file=stream))
    with console.ProgressLine(quiet=False) as line:
        line(progress("solve"))
    monkeypatch.setattr(console, "_QUIET_SECONDS_IN_A_LOG", 0.0)
    with console.ProgressLine(quiet=True) as line:
        line(progress("solve"))
        time.sleep(0.05)
    assert stream.getvalue() == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a POSIX thing")
def test_control_c_ends_with_130_and_one_line(folder: Path) -> None:
    os.mkfifo(folder / "endless.csv")
    command = [*PROGRAM, "cluster", "endless.csv", "-k", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        writer = when_read_from(folder / "endless.csv")
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        try:
            _, said = running.communicate(timeout=20)
        finally:
            running.kill()
            os.close(writer)
    assert running.returncode == 130
    assert said == "fastge: interrupted\n"


def when_read_from(pipe: Path) -> int:
    """Descriptor for writing, as soon as somebody has opened the other end."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(f"nobody reads {pipe}")


@pytest.mark.skipif(os.name != "posix", reason="uses the shell")
def test_a_reader_that_has_seen_enough_is_no_error(folder: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [*PROGRAM, "cluster", "people.csv", "-k", "2", "-q"]
    result = subprocess.run(
        command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=120, check=False
    )
    os.close(write)
    assert result.returncode == 141
    assert result.stderr == ""
