"""The command line: measures what is missing of every figure, or of those named, and reports."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from reproduce.figures import FIGURES
from reproduce.progress import Display, Outlook
from reproduce.report import Section, write
from reproduce.results import Results
from reproduce.runs import Series, carry_out
from reproduce.store import Store

RESULTS = Path(__file__).resolve().parents[2] / "results"
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if every run gave an answer or refused to, 1 if some failed."""
    options = _options(arguments)
    console = Console(stderr=True, highlight=False)
    store = Store(options.output or RESULTS / ("small" if options.small else ""))
    plans = {
        figure.name: [one.given(options.patience) for one in figure.series(options.small)]
        for figure in FIGURES
    }
    wanted = [one for name in options.only or plans for one in plans[name]]
    try:
        failed = 0 if options.report else measure(wanted, store, console)
    except KeyboardInterrupt:
        console.print("interrupted; start again to go on from here")
        return INTERRUPTED
    known = [(figure, Results(plans[figure.name], store)) for figure in FIGURES]
    sections = [Section.of(figure, results) for figure, results in known if results.are_there]
    file = write(sections, store, small=options.small)
    console.print(f"The report is {file}", soft_wrap=True, markup=False)
    if failed:
        console.print(f"{failed} runs failed; the report says why")
    return 1 if failed else 0


def measure(wanted: Sequence[Series], store: Store, console: Console) -> int:
    """How many runs failed, of all that were missing."""
    outlook, failed = Outlook.of(wanted, store), 0
    with Display(outlook, console).shown() as display:
        for at, one in enumerate(wanted):
            display.tell(at)
            for record in carry_out(one, store):
                failed += record.status == "failed"
                outlook.learn(at, record)
                display.tell(at)
            outlook.close(at)
    return failed


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    names = [figure.name for figure in FIGURES]
    parser = argparse.ArgumentParser(prog="python -m reproduce", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=names, default=[], metavar="FIGURE",
                        help=f"some of: {', '.join(names)}")  # fmt: skip
    parser.add_argument("--small", action="store_true", help="every figure, in minutes")
    patience = "on the seconds that methods get: more draws of the slow ones"
    parser.add_argument("--patience", type=float, default=1.0, metavar="FACTOR", help=patience)
    parser.add_argument("--report", action="store_true", help="measure nothing, draw what is known")
    parser.add_argument("--output", type=Path, help="folder of the results")
    return parser.parse_args(arguments)
