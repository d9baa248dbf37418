"""results/*.json: every record, one file per data set and method, written after every run."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import fastge
from fastge import _native
from reproduce.schema import FINAL, SCHEMA, Facts, Record, Run

ROOTS = {
    "fastge": Path(fastge.__file__).parent,
    "experiments": Path(__file__).resolve().parents[1],
    "native": Path(_native.__file__).parent,
}
"""Where the code lives that results depend on."""
HARNESS, COUNTED = "experiments/reproduce/", {"cases.py", "worker.py"}
"""Of the harness itself only these; and methods are told by their functions, not their registry."""
REGISTRY = "experiments/baselines/registry.py"
PACKAGES = ("fastge", "numpy", "scipy", "scikit-learn", "scikit-image", "threadpoolctl")


class Store:
    """The records of a folder. Those of other code, or of another schema, do not count."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._records: dict[str, dict[str, Record]] = defaultdict(dict)
        self.environments: dict[str, Facts] = {}
        for file in sorted(folder.glob("*.json")):
            self._read(file)

    def find(self, run: Run, *, limit: float = 0.0, kept: bool = False) -> Record | None:
        """The record of a run, if it still holds: same code, time enough, clusters if wanted."""
        record = self.latest(run)
        if record is None or record.status not in FINAL:
            return None
        if record.status == "stopped" and record.limit < limit:
            return None
        if kept and record.is_done and not (self.folder / record.arrays).is_file():
            return None
        return record

    def latest(self, run: Run) -> Record | None:
        """The record of a run with the code as it is, even of a failure."""
        record = self._records[_name_of(run)].get(run.key)
        return record if record is not None and is_current(record.code) else None

    def add(self, record: Record) -> None:
        name = _name_of(record.run)
        self._records[name][record.run.key] = record
        here = environment()
        self.environments[record.environment] = here
        self._write(name)

    def all_records(self) -> list[Record]:
        return [record for records in self._records.values() for record in records.values()]

    def _read(self, file: Path) -> None:
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except ValueError:
            return  # cut short while it was written by hand: measured anew
        if not isinstance(content, dict) or content.get("schema") != SCHEMA:
            return
        self.environments |= content["environments"]
        for facts in content["records"]:
            record = Record.from_dict(facts)
            self._records[_name_of(record.run)][record.run.key] = record

    def _write(self, name: str) -> None:
        records = self._records[name].values()
        used = {record.environment for record in records}
        content = {
            "schema": SCHEMA,
            "environments": {key: self.environments[key] for key in sorted(used)},
            "records": [record.to_dict() for record in records],
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        written = self.folder / f"{name}.json.part"
        written.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        written.replace(self.folder / f"{name}.json")


def _name_of(run: Run) -> str:
    school = run.parameters.get("school") or run.parameters.get("name")
    return "--".join([run.case, *([str(school)] if school else []), run.method])


def environment_id() -> str:
    return hashlib.sha1(json.dumps(environment(), sort_keys=True).encode()).hexdigest()[:8]


@cache
def environment() -> Facts:
    """What figures depend on, besides the code."""
    return {
        "machine": platform.machine(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "system": platform.platform(),
        "threads": os.environ.get("OMP_NUM_THREADS", "all"),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if "model name" in line), "")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def is_current(code: Mapping[str, str]) -> bool:
    """Whether every file still is what it was."""
    return all(hash_of(name) == known for name, known in code.items())


@cache
def hash_of(name: str) -> str:
    """Hash of a file named by root and path, empty where it is gone."""
    root, _, path = name.partition("/")
    file = ROOTS[root] / path
    return hashlib.sha1(file.read_bytes()).hexdigest()[:12] if file.is_file() else ""


def name_of_file(file: Path) -> str | None:
    """Root and path of a file that results depend on, None for others."""
    for root, folder in ROOTS.items():
        if file.is_relative_to(folder):
            name = f"{root}/{file.relative_to(folder).as_posix()}"
            idle = name == REGISTRY or (name.startswith(HARNESS) and file.name not in COUNTED)
            return None if idle else name
    return None
