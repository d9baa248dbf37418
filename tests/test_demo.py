"""The demo: a sound report, pictures on disk, and an honest word where something is missing."""

import json
import sys
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from fastge import demo

KINDS = ("points", "embedding", "eigenvectors")


def screen():
    return Console(file=StringIO(), width=100, highlight=False)


@pytest.fixture(scope="module")
def findings():
    return [demo.find_moons(), demo.find_despite_contradictions()]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    pytest.importorskip("matplotlib")
    output, console = tmp_path_factory.mktemp("demo") / "deep" / "demo-output", screen()
    code = demo.run(output, console)
    return code, output, console.file.getvalue()


def test_demo_ends_well_and_leaves_every_picture(finished):
    code, output, _ = finished
    assert code == 0
    pictures = {path.name for path in output.glob("*.png")}
    for name in ("four-moons", "contradictory-constraints"):
        assert {f"{name}-{kind}.png" for kind in KINDS} <= pictures
    for path in output.glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size > 10_000


def test_a_photograph_is_divided_into_its_regions(finished):
    _, output, printed = finished
    scene = json.loads((output / "report.json").read_text(encoding="utf-8"))["china"]
    assert scene["labelled_pixels"] == scene["labelled_pixels_kept"]
    assert scene["licence"] == "CC BY 2.0"
    assert scene["converged"]
    assert 0.3 < scene["regions"]["sky"] < 0.45
    assert min(scene["regions"].values()) > 0.05
    assert "pagoda" in printed
    assert "danielbuechele" in printed


def test_without_pillow_everything_else_comes_all_the_same(tmp_path, monkeypatch, findings):
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr(demo, "find_moons", lambda: findings[0])
    monkeypatch.setattr(demo, "find_despite_contradictions", lambda: findings[1])
    console = screen()
    assert demo.run(tmp_path, console) == 0
    said = console.file.getvalue()
    assert "No photograph: " in said
    assert "Pillow" in said
    assert "china" not in json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))


def test_report_is_the_same_in_print_and_on_disk(finished):
    _, output, printed = finished
    written = (output / "report.txt").read_text(encoding="utf-8")
    assert printed.startswith(written)
    for word in ("eigenvalues", "must-links", "cannot-links", "certificate", "Rand", "seconds"):
        assert word in written


def test_json_holds_what_was_found(finished):
    _, output, _ = finished
    facts = json.loads((output / "report.json").read_text(encoding="utf-8"))
    moons, clash = facts["four-moons"], facts["contradictory-constraints"]
    assert moons["nodes"] == sum(c["size"] for c in moons["clusters"]) == 1500
    assert moons["rand_index"] > 0.9
    assert len(moons["eigenvalues"]) == 4
    assert moons["converged"]
    assert moons["must_link"]["kept"] + moons["cannot_link"]["kept"] > 1100
    assert moons["certificate"] is None
    assert clash["rand_index"] > 0.85
    assert clash["certificate"]["holds"]
    assert clash["certificate"]["lower_bound"] <= clash["certificate"]["ratio"]
    assert clash["must_link"]["violated"] + clash["cannot_link"]["violated"] >= 4
    assert set(facts["pictures"]) == {path.name for path in output.glob("*.png")}
    assert facts["missing"] is None


def test_constraints_at_odds_cannot_all_be_kept(findings):
    clash = findings[1]
    assert len(clash.constraints.contradictions.both) == 4
    assert clash.report.must_link.violated + clash.report.cannot_link.violated >= 4
    assert "4 are must-links too" in clash.headline


def test_without_matplotlib_the_report_comes_all_the_same(tmp_path, monkeypatch, findings):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr(demo, "find_moons", lambda: findings[0])
    monkeypatch.setattr(demo, "find_despite_contradictions", lambda: findings[1])
    console = screen()
    assert demo.run(tmp_path, console) == 0
    assert "pip install 'fastge[plot]'" in console.file.getvalue()
    assert not list(tmp_path.glob("*.png"))
    facts = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert facts["pictures"] == []
    assert "fastge[plot]" in facts["missing"]
    assert "Rand index" in (tmp_path / "report.txt").read_text(encoding="utf-8")


def test_what_did_not_converge_is_said_and_changes_the_exit_code(tmp_path, monkeypatch, findings):
    unfinished = replace(findings[0], found=replace(findings[0].found, converged=False))
    failing = replace(findings[1].report.certificate, holds=False)
    false = replace(findings[1], report=replace(findings[1].report, certificate=failing))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for moons, clash, word in (
        (unfinished, findings[1], "NOT converged"),
        (findings[0], false, "FAILS"),
    ):
        monkeypatch.setattr(demo, "find_moons", lambda moons=moons: moons)
        monkeypatch.setattr(demo, "find_despite_contradictions", lambda clash=clash: clash)
        console = screen()
        assert demo.run(tmp_path, console) == 1
        assert word in console.file.getvalue()


def test_output_that_is_a_file_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "find_moons", lambda: pytest.fail("work was done"))
    place = tmp_path / "taken"
    place.write_text("", encoding="utf-8")
    with pytest.raises(FileExistsError):
        demo.run(place)
