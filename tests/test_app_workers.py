"""Threads and memory that the sessions of the page share."""

from __future__ import annotations

import asyncio
import threading

from threadpoolctl import ThreadpoolController

from app_client import two_fields
from fastge.app.solver import Solver, Stage
from fastge.app.workers import Shelf, Workers


def test_solvers_that_hold_too_much_forget_the_longest_unused_first() -> None:
    solvers = [Solver(two_fields()) for _ in range(3)]
    shelf = Shelf(50_000)
    for solver in (solvers[0], solvers[1], solvers[0], solvers[2]):
        solver.prepare(20_000)
        shelf.take(solver, 20_000)
    assert [solver.is_ready for solver in solvers] == [True, False, True]
    shelf.put_away(solvers[0])
    shelf.take(solvers[1], 40_000)
    assert [solver.is_ready for solver in solvers] == [False, False, False]
    shelf.take(solvers[1], 900_000)  # alone, however much it is


def test_those_who_work_at_the_same_time_share_the_cores() -> None:
    def threads() -> int:
        pools = ThreadpoolController().select(user_api="openmp").info()
        return max(pool["num_threads"] for pool in pools)

    workers = Workers(cores=2)
    before = threads()
    assert workers.share(threads) == 2
    assert workers.share(lambda: workers.share(threads)) == 1
    assert workers.share(threads) == 2
    assert threads() == before
    workers.stop()


def test_no_coarse_answer_stands_in_line_behind_final_ones() -> None:
    async def scene() -> str:
        workers, done = Workers(cores=2), threading.Event()
        finals = [asyncio.create_task(workers.run(Stage.FINAL, done.wait)) for _ in range(8)]
        coarse = await asyncio.wait_for(workers.run(Stage.COARSE, lambda: "at once"), 20)
        assert not any(task.done() for task in finals)
        done.set()
        await asyncio.gather(*finals)
        workers.stop()
        return coarse

    assert asyncio.run(scene()) == "at once"
