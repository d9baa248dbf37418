"""What happens in the process that carries out runs: data, the method on the clock, scores."""

from __future__ import annotations

import signal
import sys
import time
import warnings
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from baselines.pairs import explicit_pairs
from baselines.registry import METHODS, Function, Method
from fastge.errors import InputError
from fastge.graph import IntArray
from fastge.quality import adjusted_rand_index, rand_index
from reproduce.cases import Case, build, planted
from reproduce.schema import Facts, Run
from reproduce.store import hash_of, name_of_file

DRAWN_PIXELS = 250_000
"""Of eigenvectors of images no more than about so many pixels are kept: pictures show fewer."""


def serve(connection: Connection) -> None:
    """Runs one after the other, as they are asked for, until nobody asks or listens any more.

    Ctrl-C is for the process that asks: it ends this one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    rehearsed: set[str] = set()
    with suppress(EOFError, ConnectionError):
        while True:
            run, arrays, limit = connection.recv()
            try:
                method = METHODS[run.method]
                function = method.load()
                if run.method not in rehearsed:
                    _rehearse(function, method, run)
                    rehearsed.add(run.method)
                carry_out(run, function, method, limit, arrays, connection)
            except Exception as error:
                status = "refused" if isinstance(error, InputError) else "failed"
                reason = f"{type(error).__name__}: {error}"[:300]
                connection.send({"status": status, "reason": reason, "code": loaded_code()})


def carry_out(
    run: Run,
    function: Function,
    method: Method,
    limit: float,
    arrays: Path | None,
    connection: Connection,
) -> None:
    """The data, the method on the clock, the scores; says so after each of them.

    A timer ends the process where the method has had the processor for `limit` seconds; even in
    native code, which would not listen to Python.
    """
    case = build(run.case, run.parameters)
    constraints = case.constraints
    given = case.input_of(method.needs)
    connection.send({"status": "started", "data": _facts_of(case), "code": loaded_code()})
    wall, cpu = time.perf_counter(), time.process_time()
    signal.setitimer(signal.ITIMER_PROF, limit)
    outcome = function(given, constraints, case.k, seed=run.seed, **run.options)
    seconds = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    signal.setitimer(signal.ITIMER_PROF, 0)
    connection.send({"status": "finished", **seconds})
    if arrays is not None:
        _keep(arrays, case, outcome)
    found = scores(case, np.asarray(outcome.labels))
    diagnostics = {name: _plain(value) for name, value in outcome.diagnostics.items()}
    facts = {"scores": found, "diagnostics": diagnostics, "code": loaded_code()}
    connection.send({"status": "done", "reason": "", **facts})


def _rehearse(function: Function, method: Method, run: Run) -> None:
    """One go at a tiny case: late imports, compilers and thread pools are not what is timed."""
    tiny = planted([16, 16, 16], share=0.25, draw=0)
    image = np.add.outer(np.linspace(0, 1, 6), np.linspace(0, 1, 8))
    points = np.random.default_rng(0).random((48, 2))
    tiny = Case(tiny.adjacency, tiny.labels, 3, "", points=points, image=image)
    with suppress(Exception):
        function(tiny.input_of(method.needs), tiny.constraints, 3, seed=0, **run.options)


def scores(case: Case, found: IntArray) -> dict[str, float]:
    """Agreement with the truth on all nodes and on those without a label; pairs violated."""
    pairs = explicit_pairs(case.constraints)
    must, cannot = found[pairs.must_link], found[pairs.cannot_link]
    figures: dict[str, float] = {
        "clusters": len(np.unique(found)),
        "must_links": len(must),
        "cannot_links": len(cannot),
        "must_links_violated": int((must[:, 0] != must[:, 1]).sum()),
        "cannot_links_violated": int((cannot[:, 0] == cannot[:, 1]).sum()),
    }
    if case.truth is not None:
        hidden = case.labels < 0
        figures["rand"] = rand_index(case.truth, found)
        figures["ari"] = adjusted_rand_index(case.truth, found)
        figures["rand_hidden"] = rand_index(case.truth[hidden], found[hidden])
        figures["ari_hidden"] = adjusted_rand_index(case.truth[hidden], found[hidden])
    return figures


def loaded_code() -> dict[str, str]:
    """Hashes of the loaded files of ours, with the C++ files that lie beside them."""
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    names = {name for file in files if file for name in _code_at(file)}
    return {name: hash_of(name) for name in sorted(names)}


@cache
def _code_at(file: str) -> frozenset[str]:
    """Names of a file of ours and of the C++ files beside it; nothing for files of others."""
    path = Path(file).resolve()
    name = name_of_file(path)
    beside = path.parent.glob("*.cpp") if (name or "").startswith("experiments/") else ()
    return frozenset(filter(None, [name, *map(name_of_file, beside)]))


def _facts_of(case: Case) -> Facts:
    return {
        "nodes": len(case.labels),
        "edges": case.adjacency.nnz // 2,
        "clusters": case.k,
        "labelled": int((case.labels >= 0).sum()),
        "citation": case.citation,
    }


def _keep(file: Path, case: Case, outcome: Any) -> None:
    """Clusters, and of images a thinned-out view of the eigenvectors."""
    kept: dict[str, Any] = {"labels": np.asarray(outcome.labels, dtype=np.int16)}
    vectors = getattr(outcome, "eigenvectors", None)
    if vectors is not None and case.image is not None:
        rows, columns = case.image.shape[:2]
        step = max(1, round((rows * columns / DRAWN_PIXELS) ** 0.5))
        kept["eigenvectors"] = vectors.reshape(rows, columns, -1)[::step, ::step].astype(np.float32)
        kept["eigenvalues"] = outcome.eigenvalues
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as opened:
        np.savez_compressed(opened, **kept)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
