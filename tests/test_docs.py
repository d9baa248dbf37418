"""The documentation runs: every Python snippet and every command that it gives."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import fastge

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
SHELLS = {"sh", "bash", "console"}
INSTALLERS = {"apt-get", "cd", "git", "pip", "python3", "source", "sudo"}


@dataclass(frozen=True)
class Snippet:
    page: Path
    line: int
    language: str
    text: str

    @property
    def commands(self) -> list[list[str]]:
        joined = self.text.replace("\\\n", " ").splitlines()
        return [words for line in joined if (words := shlex.split(line, comments=True))]


def snippets(page: Path) -> Iterator[Snippet]:
    text = page.read_text(encoding="utf-8")
    for fence in FENCE.finditer(text):
        yield Snippet(page, text.count("\n", 0, fence.start()) + 1, fence[1], fence[2])


def run_python(snippet: Snippet, namespace: dict[str, object]) -> None:
    padding = "\n" * snippet.line  # so that a traceback names the line of the page
    exec(compile(padding + snippet.text, str(snippet.page), "exec"), namespace)


def run_shell(snippet: Snippet) -> None:
    """Commands of fastge run for real; make targets must exist; the rest only sets a machine up."""
    programs = {words[0] for words in snippet.commands}
    if "fastge" in programs:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        script = ["bash", "-euo", "pipefail", "-c", snippet.text]
        done = subprocess.run(
            script, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, f"{snippet.page}:{snippet.line}\n{done.stdout}{done.stderr}"
        return
    for words in snippet.commands:
        if words[0] == "make":
            subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, check=True, capture_output=True)
    assert programs <= INSTALLERS | {"make"}, f"{snippet.page}:{snippet.line} is not checked"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "snippets"}
    for snippet in snippets(page):
        if snippet.language == "python":
            run_python(snippet, namespace)
        elif snippet.language in SHELLS:
            run_shell(snippet)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing


def test_readme_shows_python_and_the_command_line() -> None:
    languages = [snippet.language for snippet in snippets(ROOT / "README.md")]
    assert languages.count("python") >= 4
    assert SHELLS & set(languages)


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert fastge.__version__ == project["version"]
    assert f"\nversion: {project['version']}\n" in citation


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    unlisted = [p.name for p in folder.glob("[0-9]*.md") if f"({p.name})" not in index]
    assert not unlisted
