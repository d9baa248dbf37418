"""`make reproduce SMALL=1`: interrupted, taken up again, and its files and report checked."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import fields
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baselines.registry import METHODS
from reproduce.figures import FIGURES
from reproduce.schema import SCHEMA, Record

EXPERIMENTS = Path(__file__).resolve().parents[1] / "experiments"
MOST_SECONDS = 900
STATUSES = {"done", "stopped", "refused", "failed"}
HEX = re.compile(r"[0-9a-f]+")


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "reproduce", "--small", "--output", str(folder), *options]
    return subprocess.Popen(
        command, cwd=EXPERIMENTS, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def contents(folder: Path) -> dict[str, Any]:
    return {file.name: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}


def records_of(folder: Path) -> dict[str, dict[str, Any]]:
    return {r["key"]: r for content in contents(folder).values() for r in content["records"]}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run that was interrupted by Ctrl-C and started again."""
    folder = tmp_path_factory.mktemp("results")
    first = start(folder)
    deadline = time.monotonic() + MOST_SECONDS
    while len(records_of(folder)) < 6 and time.monotonic() < deadline:
        assert first.poll() is None, first.communicate()
        time.sleep(0.2)
    os.killpg(first.pid, signal.SIGINT)
    _, said = first.communicate(timeout=60)
    assert first.returncode == 130, said
    assert said == "interrupted; start again to go on from here\n"
    assert not list(folder.glob("*.part"))
    known = records_of(folder)
    assert len(known) >= 6
    second = start(folder)
    _, said = second.communicate(timeout=MOST_SECONDS)
    assert second.returncode == 0, said
    assert f"The report is {folder / 'report.html'}" in said
    after = records_of(folder)
    assert len(after) > 100
    assert all(after[key] == record for key, record in known.items())  # not measured again
    return folder


@pytest.mark.slow
def test_files_keep_to_the_schema(finished: Path) -> None:
    assert contents(finished)
    for name, content in contents(finished).items():
        assert set(content) == {"schema", "environments", "records"}, name
        assert content["schema"] == SCHEMA
        for environment in content["environments"].values():
            assert environment["threads"] == "1"
            assert environment["processors"] >= 1
            assert {"machine", "processor", "system", "python"} < set(environment)
            assert environment["packages"]["numpy"] == np.__version__
        for facts in content["records"]:
            check_record(facts, content["environments"])


def check_record(facts: dict[str, Any], environments: dict[str, Any]) -> None:
    record = Record.from_dict(facts)
    assert record.to_dict() == facts
    assert facts["key"] == record.run.key
    assert set(facts) == {"key", *(f.name for f in fields(Record))}
    assert facts["status"] in STATUSES
    assert facts["environment"] in environments
    assert facts["limit"] >= facts["cpu_seconds"] * 0.9
    assert all(HEX.fullmatch(value) for value in facts["code"].values())
    module = record.run.target.partition(":")[0].replace(".", "/")
    assert any(name.startswith(f"experiments/{module}") for name in facts["code"])
    assert record.run.target == METHODS[record.run.method].target
    assert isinstance(record.run.seed, int)
    assert record.data["nodes"] > record.data["clusters"] > 1
    assert record.data["citation"]
    if record.is_done:
        assert all(np.isfinite(value) for value in record.scores.values())
        assert record.scores["clusters"] >= 1
    else:
        assert record.reason


@pytest.mark.slow
def test_nothing_fails_and_everybody_takes_part(finished: Path) -> None:
    records = [Record.from_dict(facts) for facts in records_of(finished).values()]
    assert [r.reason for r in records if r.status in ("failed", "refused")] == []
    assert {r.run.method for r in records} == set(METHODS)
    best = defaultdict(float)
    for r in records:
        best[r.run.method] = max(best[r.run.method], r.scores.get("ari", 0.0))
    assert best["fastge"] > 0.8


@pytest.mark.slow
def test_the_page_is_whole_and_stands_alone(finished: Path) -> None:
    page = (finished / "report.html").read_text()
    assert not re.search(r"(src|href)=[\"'](?!data:|#)", page)
    assert "<script" not in page
    pictures = re.findall(r'src="data:image/png;base64,([^"]+)"', page)
    files = {file.read_bytes() for file in finished.glob("*.png")}
    assert {base64.b64decode(picture) for picture in pictures} == files
    assert len(files) >= 15
    for figure in FIGURES:
        assert f'<h2 id="{figure.name}">' in page
        for claim in figure.claims:
            assert unescape(page).count(claim.paper) >= 2  # in the overview and beside the figure
    badges = re.findall(r'<span class="verdict \w+">([^<]+)</span>', page)
    assert len(badges) == 2 * sum(len(figure.claims) for figure in FIGURES)
    assert "Its verdicts mean nothing" in page
    assert "citation" not in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "case", "axis", "score"),
    [
        ("PACM: Rand index", "pacm", "labelled", "rand"),
        ("Four-Moons: Rand index", "four-moons", "labelled", "rand"),
        ("stand-in of Simmons: ARI, unlabelled nodes", "stand-in", "share", "ari_hidden"),
    ],
)
def test_tables_of_the_page_hold_the_means_of_the_files(
    finished: Path, title: str, case: str, axis: str, score: str
) -> None:
    draws = defaultdict(list)
    for facts in records_of(finished).values():
        run = facts["run"]
        if run["case"] == case and facts["status"] == "done" and "factor" not in run["options"]:
            draws[run["method"], run["parameters"][axis]].append(facts["scores"][score])
    page = (finished / "report.html").read_text()
    table = page.split(f"<h3>{title}</h3>", 1)[1].split("</table>", 1)[0]
    places = sorted({place for _, place in draws})
    checked = 0
    for row in table.split("<tr>")[2:]:
        label = unescape(re.match(r"<th>([^<]*)</th>", row)[1])  # type: ignore[index]
        method = next(name for name in METHODS if METHODS[name].label == label)
        cells = re.findall(r"<td[^>]*>([^<]*)", row)
        for place, cell in zip(places, cells, strict=True):
            if cell != "–":
                assert float(cell) == pytest.approx(np.mean(draws[method, place]), abs=6e-4)
                checked += 1
    assert checked >= 20


@pytest.mark.slow
def test_a_report_alone_measures_nothing(finished: Path) -> None:
    before = {file: file.read_bytes() for file in finished.glob("*.json")}
    (finished / "report.html").unlink()
    again = start(finished, "--report")
    _, said = again.communicate(timeout=MOST_SECONDS)
    assert again.returncode == 0, said
    assert (finished / "report.html").is_file()
    assert {file: file.read_bytes() for file in finished.glob("*.json")} == before
