"""The harness behind `make reproduce`: records, series, single runs, verdicts."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from baselines.registry import METHODS
from reproduce.cases import Case, build
from reproduce.figures import FIGURES
from reproduce.figures.coefficient import larger_hurts
from reproduce.figures.curves import matched
from reproduce.figures.images import fewer_violated, million_pixels
from reproduce.process import Worker, _death
from reproduce.progress import Outlook
from reproduce.results import Results
from reproduce.runs import Series
from reproduce.schema import SCHEMA, Record, Run
from reproduce.store import Store, hash_of
from reproduce.verdicts import Verdict, faster, not_behind, rounded
from reproduce.worker import scores

RUN = Run("four-moons", {"n": 40, "labelled": 8, "draw": 0}, "njw", METHODS["njw"].target)


def series_of(method: str, *, places=(10, 20), draws: int = 3, **more) -> Series:
    return Series("Moons", "four-moons", method, "labelled", places, draws, **more)


def fill(store: Store, series: Series, value_of) -> Series:
    """A record with the figures `value_of(place, draw)` for every run."""
    for place in range(len(series.places)):
        for draw in range(series.draws):
            figures = value_of(series.places[place], draw)
            facts = {"status": "done", "cpu_seconds": 1.0, "seconds": 1.0, **figures}
            store.add(Record(series.run_at(place, draw), **facts))
    return series


def rands(values: dict[int, list[float]]):
    return lambda place, draw: {"scores": {"rand": values[place][draw]}}


def test_the_schema_has_the_fields_of_its_number() -> None:
    """Whoever changes what records hold raises SCHEMA and this test."""
    assert SCHEMA == 1
    assert [f.name for f in fields(Run)] == [
        *("case", "parameters", "method", "target", "options", "seed")
    ]
    assert [f.name for f in fields(Record)] == [
        *("run", "status", "reason", "limit", "seconds", "cpu_seconds", "scores", "diagnostics"),
        *("data", "code", "environment", "load", "arrays"),
    ]
    assert RUN.key == "644a1b3502f581df"


def test_records_are_found_again_while_they_hold(tmp_path: Path) -> None:
    name = "experiments/reproduce/cases.py"
    record = Record(RUN, "done", cpu_seconds=2.0, code={name: hash_of(name)}, scores={"rand": 0.5})
    Store(tmp_path).add(record)
    assert Store(tmp_path).find(RUN) == record
    assert Store(tmp_path).find(replace(RUN, seed=1)) is None
    assert Store(tmp_path).find(RUN, kept=True) is None  # its clusters are not there
    store = Store(tmp_path)
    store.add(replace(record, code={name: "another"}))
    assert store.find(RUN) is None
    store.add(replace(record, code={"experiments/gone.py": "1"}))
    assert store.find(RUN) is None
    store.add(replace(record, status="failed"))
    assert store.find(RUN) is None
    assert store.latest(RUN) is not None
    store.add(replace(record, status="stopped", limit=5.0))
    assert store.find(RUN, limit=5.0) is not None
    assert store.find(RUN, limit=6.0) is None


@pytest.mark.parametrize("content", ['{"schema": 1, "rec', "[]", '{"schema": 0, "records": []}'])
def test_damaged_and_older_files_count_for_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "four-moons--njw.json").write_text(content)
    store = Store(tmp_path)
    assert store.all_records() == []
    store.add(Record(RUN, "done"))
    assert json.loads((tmp_path / "four-moons--njw.json").read_text())["schema"] == SCHEMA


def test_draws_come_in_rounds_until_the_budget_is_spent(tmp_path: Path) -> None:
    one, store = series_of("njw", budget=3.5), Store(tmp_path)
    visited = []
    for step in one.steps(store):
        visited.append((step.run.parameters["labelled"], step.run.parameters["draw"]))
        store.add(Record(step.run, "done", cpu_seconds=1.0))
    assert visited == [(10, 0), (20, 0), (10, 1), (20, 1)]
    assert len(one.records(store)) == len(one.given(0.1).records(store)) == 4
    assert len(list(one.given(2.0).steps(store))) == 5  # waits for the record of the next


def test_a_place_where_a_method_was_stopped_is_the_last(tmp_path: Path) -> None:
    one, store = series_of("njw", places=(10, 20, 30), draws=2), Store(tmp_path)
    for step in one.steps(store):
        hard = step.run.parameters["labelled"] >= 20
        store.add(Record(step.run, "stopped" if hard else "done", cpu_seconds=1.0, limit=60.0))
    assert [record.run.at("labelled") for record in one.records(store)] == [10, 20, 10]


def test_options_can_be_the_axis(tmp_path: Path) -> None:
    one = Series("Moons", "four-moons", "paper-tau-1", "factor", (0.1, 10.0), of_method=True,
                 shared={"n": 40, "labelled": 8})  # fmt: skip
    run = one.run_at(1, 3)
    assert run.options == {"vectors": -1, "factor": 10.0}
    assert run.parameters == {"n": 40, "labelled": 8, "draw": 3}
    assert run.at("factor") == 10.0


def test_a_run_is_measured_stopped_refused_or_fails(tmp_path: Path) -> None:
    with Worker(tmp_path) as worker:
        done = worker.execute(RUN, limit=60, keep=True)
        assert (done.status, done.reason) == ("done", "")
        assert done.cpu_seconds > 0
        case = build(RUN.case, RUN.parameters)
        with np.load(tmp_path / done.arrays) as arrays:
            labels = arrays["labels"].astype(int)
        assert done.scores == scores(case, labels)
        assert done.data["nodes"] == 40
        assert done.code["experiments/baselines/standard.py"]

        exact = Run("pacm", {"labelled": 20, "draw": 0}, "cosc", METHODS["cosc"].target)
        stopped = worker.execute(exact, limit=0.3, keep=True)
        assert (stopped.status, stopped.cpu_seconds, stopped.arrays) == ("stopped", 0.3, "")
        assert stopped.reason == "stopped after 0.3 s of the processor"

        odd = replace(RUN, parameters={**RUN.parameters, "n": 41})
        refused = worker.execute(odd, limit=60, keep=False)  # by a process that is started anew
        assert refused.status == "refused"
        assert "multiple of 4" in refused.reason

        blind = replace(RUN, method="random-walker", target=METHODS["random-walker"].target)
        failed = worker.execute(blind, limit=60, keep=False)
        assert (failed.status, failed.reason[:14]) == ("failed", "AttributeError")


def test_a_death_for_another_reason_is_a_failure() -> None:
    assert _death(-9, 5.0, 1.0) == {
        "status": "failed",
        "reason": "the process died (exit code -9)",
    }


def test_scores_are_those_of_all_and_of_hidden_nodes() -> None:
    case = build("planted", {"sizes": [10, 10], "share": 0.5, "draw": 0})
    hidden, found = case.labels < 0, case.truth.copy()
    found[np.flatnonzero(hidden)[0]] = 1 - found[np.flatnonzero(hidden)[0]]
    figures = scores(case, found)
    assert figures["rand"] == pytest.approx(1 - 19 / 190)
    assert figures["rand_hidden"] == pytest.approx(1 - 9 / 45)
    assert figures["must_links_violated"] == figures["cannot_links_violated"] == 0
    labelled = np.flatnonzero(case.labels == 0)
    found = np.ones(20, dtype=int)
    found[labelled[0]] = 0
    figures = scores(case, found)
    assert figures["must_links_violated"] == len(labelled) - 1
    assert figures["cannot_links_violated"] == (len(labelled) - 1) * (case.labels == 1).sum()


def test_clusters_are_matched_to_the_truth() -> None:
    truth = np.array([0, 0, 0, 1, 1, 2])
    case = Case(None, truth, 3, "", truth)  # type: ignore[arg-type]
    np.testing.assert_array_equal(matched(np.array([5, 5, 2, 2, 2, 9]), case), [0, 0, 1, 1, 1, 2])


def test_ahead_behind_and_within_the_spread(tmp_path: Path) -> None:
    store = Store(tmp_path)
    ours = fill(store, series_of("fastge"), rands({10: [0.8, 0.9, 0.85], 20: [0.9, 0.9, 0.9]}))
    close = fill(store, series_of("cosf"), rands({10: [0.9, 0.8, 0.87], 20: [0.8, 0.8, 0.8]}))
    better = fill(store, series_of("csp"), rands({10: [0.9, 0.95, 0.93], 20: [0.7, 0.7, 0.7]}))
    results = Results([ours, close, better], store)

    def verdict(*peers: str) -> Verdict:
        finding = not_behind(results, ours="fastge", peers=peers, score="rand")
        return finding.verdict

    assert verdict("cosf") == Verdict.AGREES  # .007 behind on average, within two standard errors
    assert verdict("cosf", "csp") == Verdict.PARTLY
    assert verdict("njw") == Verdict.OPEN
    few = Results([ours, replace(better, draws=2)], store)
    assert not_behind(few, ours="fastge", peers=["csp"], score="rand").verdict == Verdict.OPEN
    told = not_behind(results, ours="fastge", peers=["csp"], score="rand").measured
    assert "at 10 0.850 against 0.927 of CSP, as released (behind)" in told
    assert "Behind in 1 of 2 comparisons." in told
    backwards = not_behind(results, ours="csp", peers=["fastge", "cosf"], score="rand")
    assert backwards.verdict == Verdict.PARTLY


def test_speed_is_compared_in_seconds_of_the_processor(tmp_path: Path) -> None:
    store = Store(tmp_path)
    quick = fill(store, series_of("fastge"), lambda *_: {"cpu_seconds": 0.1, "seconds": 9.0})
    slow = fill(store, series_of("cosf"), lambda *_: {"cpu_seconds": 0.7})
    endless = fill(store, series_of("csp"),
                   lambda *_: {"status": "stopped", "cpu_seconds": 60.0})  # fmt: skip
    results = Results([quick, slow, endless], store)
    assert faster(results, ours="fastge", peers=["cosf", "csp"], factor=5).verdict == "agrees"
    assert faster(results, ours="fastge", peers=["cosf"], factor=8).verdict == "agrees in part"
    assert faster(results, ours="cosf", peers=["fastge"], factor=8).verdict == "differs"
    told = faster(results, ours="fastge", peers=["csp"], factor=5).measured
    assert told == "Moons: CSP, as released takes 600 times the seconds."


def test_figures_are_rounded_without_exponents() -> None:
    assert [rounded(x) for x in (227.2, 0.0561, 1234.0, 7.0)] == ["230", "0.056", "1,200", "7"]


def test_a_larger_coefficient_is_judged_against_the_own_one(tmp_path: Path) -> None:
    def verdict(at_hundred: list[float]) -> str:
        store = Store(tmp_path)
        one = Series("Moons", "four-moons", "paper-tau", "factor", (1.0, 100.0), 3, of_method=True)
        values = {1.0: [0.8, 0.9, 0.85], 100.0: at_hundred}
        results = Results([fill(store, one, rands(values))], store)
        return larger_hurts(results, method="paper-tau").verdict

    assert verdict([0.7, 0.8, 0.76]) == "agrees"
    assert verdict([0.8, 0.9, 0.85]) == "differs"
    assert verdict([0.9, 0.99, 0.95]) == "differs"


def test_images_are_judged_by_violated_pairs_and_by_the_largest(tmp_path: Path) -> None:
    def told(method: str, violated: list[int], nodes: int) -> Series:
        one = Series("Coffee", "shipped", method, "name", ("coffee",), 3, drawn=False)
        return fill(
            Store(tmp_path), one,
            lambda _, draw: {"scores": {"must_links_violated": 0,
                                        "cannot_links_violated": violated[draw]},
                             "data": {"nodes": nodes}, "cpu_seconds": 50.0},
        )  # fmt: skip

    both = [told("fastge", [0, 1, 1], 1_100_000), told("cosf", [2, 1, 9], 1_100_000)]
    results = Results(both, Store(tmp_path))
    finding = fewer_violated(results, subject="fastge")
    assert finding.verdict == Verdict.AGREES
    assert finding.measured == "Coffee: 1 (0 to 1) against 2 (1 to 9) of COSf."
    assert million_pixels(results, subject="fastge").verdict == Verdict.AGREES
    assert million_pixels(results, subject="released").verdict == Verdict.OPEN


def test_time_left_shrinks_to_nothing(tmp_path: Path) -> None:
    store, one = Store(tmp_path), series_of("njw", budget=100.0)
    outlook = Outlook.of([one], store)
    before = outlook.seconds_left
    assert before > 0
    for step in one.steps(store):
        record = Record(step.run, "done", cpu_seconds=2.0, seconds=4.0)
        store.add(record)
        outlook.learn(0, record)
    assert outlook.seconds_left == 0
    again = Outlook.of([series_of("njw", draws=6, budget=100.0)], store)
    again.clock, again.processor = 8.0, 4.0  # the machine is shared: two seconds for one
    assert again.seconds_left == pytest.approx(6 * 2 * (2 + 0.1))


def test_every_figure_has_runs_claims_and_methods_that_exist() -> None:
    for figure in FIGURES:
        for small in (False, True):
            plans = figure.series(small)
            assert len({(one.data, one.method) for one in plans}) == len(plans)
            assert all(one.method in METHODS for one in plans)
        assert figure.claims
        for claim in figure.claims:
            assert claim.judge(Results([], Store(Path("/nonexistent")))).verdict == Verdict.OPEN
