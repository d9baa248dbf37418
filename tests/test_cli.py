"""The program as its users meet it: what it writes, says and returns."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import fastge
from fastge.cli import app, console
from fastge.files import ClassLabels
from fastge.graph import as_graph
from friends import PROGRAM, fastge_cluster


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, **options
    )


def clusters(text: str) -> dict[str, str]:
    head, *rows = text.splitlines()
    assert head == "node,cluster"
    return {row.rpartition(",")[0].strip('"'): row.rpartition(",")[2] for row in rows}


def assert_two_triangles(found: dict[str, str]) -> None:
    assert found["Ann"] == found["Bob"] == found["Cid, the elder"]
    assert found["Dan"] == found["Eve"] == found["Fay"]
    assert found["Ann"] != found["Dan"]


def test_clusters_go_to_standard_output_and_a_summary_to_the_other(folder: Path) -> None:
    result = program("cluster", "people.csv", "-k", "2")
    assert result.returncode == 0
    assert_two_triangles(clusters(result.stdout))
    assert "6 nodes, 7 edges → 2 clusters" in result.stderr
    assert "eigenvalues: " in result.stderr
    assert "\x1b" not in result.stderr


def test_quiet_means_quiet(folder: Path) -> None:
    result = fastge_cluster("people.csv", "-k", "2", "--quiet", "-o", "out.csv")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert_two_triangles(clusters((folder / "out.csv").read_text(encoding="utf-8")))


def test_labels_give_the_clusters_their_names_and_number(folder: Path) -> None:
    result = fastge_cluster("people.csv", "--labels", "teams.csv")
    found = clusters(result.stdout)
    assert_two_triangles(found)
    assert (found["Ann"], found["Eve"]) == ("red", "blue")
    assert "blue" in result.stderr
    assert "cannot-links: 1 of 1 kept, 100.0% by weight" in result.stderr


def test_clusters_beyond_the_classes_are_called_discovered(folder: Path) -> None:
    result = fastge_cluster("people.csv", "--labels", "teams.csv", "-k", "3", "-q")
    assert set(clusters(result.stdout).values()) == {"red", "blue", "discovered-1"}


def test_fewer_clusters_than_classes_have_numbers(folder: Path) -> None:
    (folder / "teams.csv").write_text("Ann,red\nEve,blue\nFay,green\n", encoding="utf-8")
    result = fastge_cluster("people.csv", "--labels", "teams.csv", "-k", "2", "-q")
    assert set(clusters(result.stdout).values()) == {"0", "1"}
    assert result.stderr.startswith("fastge: warning: 2 clusters are asked for")


def test_the_report_holds_everything(folder: Path) -> None:
    result = fastge_cluster(
        *("people.csv", "-k", "2", "--must-link", "together.csv", "--cannot-link", "apart.csv"),
        *(
            "--report",
            "r.json",
            "--seed",
            "7",
            "--rule",
            "released",
            "--threads",
            "1",
            "--tol",
            "1e-6",
        ),
    )
    assert result.exit_code == 0
    report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    assert (report["n"], report["m"], report["k"], report["seed"]) == (6, 7, 2, 7)
    assert (report["rule"], report["graph"]) == ("released", "people.csv")
    assert report["converged"] is True
    assert len(report["eigenvalues"]) == len(report["residuals"]) == 2
    assert sum(c["size"] for c in report["clusters"]) == 6
    for kind in ("must_link", "cannot_link"):
        assert report[kind]["kept"] + report[kind]["violated"] == 1
    assert set(report["timings"]) > {"read", "merge"}
    assert report["versions"]["fastge"] == fastge.__version__
    assert report["versions"].keys() == {"python", "fastge", "numpy", "scipy", "scikit-learn"}


def test_confidence_reaches_the_algorithm(folder: Path) -> None:
    result = fastge_cluster(
        *("people.csv", "-k", "2", "-q", "--cannot-link", "apart.csv", "--report", "a.json")
    )
    assert result.exit_code == 0
    (folder / "apart.csv").write_text("Ann,Dan,1\n", encoding="utf-8")
    fastge_cluster(
        "people.csv", "-k", "2", "-q", "--cannot-link", "apart.csv", "--report", "b.json"
    )
    half, whole = (
        json.loads((folder / name).read_text(encoding="utf-8"))["cannot_link"]["kept_weight"]
        for name in ("a.json", "b.json")
    )
    assert half == pytest.approx(whole / 2)


def test_refinement_may_leave_nodes_over(folder: Path) -> None:
    result = fastge_cluster("people.csv", "-k", "2", "--refine")
    assert result.exit_code == 0
    assert set(clusters(result.stdout).values()) <= {"0", "1", "-1"}


def test_an_array_of_clusters_is_written_in_node_order(folder: Path) -> None:
    adjacency = np.kron(np.eye(2), np.ones((4, 4)))
    np.fill_diagonal(adjacency, 0)
    adjacency[3, 4] = adjacency[4, 3] = 0.1
    sp.save_npz(folder / "g.npz", sp.csr_array(adjacency))
    result = fastge_cluster("g.npz", "-k", "2", "-o", "out.npy", "-q")
    assert result.exit_code == 0
    found = np.load(folder / "out.npy")
    assert found.tolist() in ([0] * 4 + [1] * 4, [1] * 4 + [0] * 4)


def test_many_clusters_are_summed_up(folder: Path) -> None:
    ring = "".join(f"{i},{(i + 1) % 40}\n" for i in range(40))
    (folder / "ring.csv").write_text(ring, encoding="utf-8")
    result = fastge_cluster("ring.csv", "-k", "20", "-o", "out.csv")
    assert "… 8 more" in result.stderr
    assert "eigenvalues:" in result.stderr
    assert ", … (residuals" in result.stderr


def test_left_overs_certificate_and_notes_are_part_of_the_summary(
    capsys: pytest.CaptureFixture[str],
) -> None:
    graph = as_graph(np.array([[0, 1, 1.0], [1, 2, 0.1], [2, 3, 1.0], [0, 1, 0.5]]))
    found = fastge.cluster(graph)
    _, certificate = fastge.bipartition(graph)
    report = replace(found.report, left_over=3, certificate=certificate, notes=("[b]note[/b]",))
    console.summarise(graph, ClassLabels.none(), replace(found, report=report), 1.25)
    said = capsys.readouterr().err
    assert "4 nodes, 3 edges → 2 clusters in 1.2 s" in said
    assert "left over: 3 nodes, cluster -1" in said
    assert f"certificate: the cut's ratio is at most {certificate.gap:.4g} times" in said
    assert "[b]note[/b]" in said


def test_version_and_help() -> None:
    result = program("--version")
    assert (result.returncode, result.stdout) == (0, f"fastge {fastge.__version__}\n")
    text = CliRunner().invoke(app, ["cluster", "--help"]).stdout
    for option in ("--labels", "--must-link", "--cannot-link", "--output", "--report", "--seed"):
        assert option in text
    assert {"cluster", "demo"} <= set(CliRunner().invoke(app, ["--help"]).stdout.split())


def test_the_demo_is_told_where_to_leave_its_pictures(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []
    monkeypatch.setitem(sys.modules, "fastge.demo", SimpleNamespace(run=asked.append))
    assert CliRunner().invoke(app, ["demo"]).exit_code == 0
    assert CliRunner().invoke(app, ["demo", "--output", "here"]).exit_code == 0
    assert asked == [Path("demo-output"), Path("here")]
