"""The page: every figure with what the paper says and what was measured, in one file."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path

import numpy as np

from baselines.registry import METHODS
from reproduce.cases import there_are_reference_sets
from reproduce.figures.figure import Figure, Picture, Table
from reproduce.results import Results
from reproduce.schema import Facts, Record
from reproduce.store import Store
from reproduce.verdicts import Claim, Finding, Verdict

STYLE = Path(__file__).with_name("style.css")
CLASSES = {
    Verdict.AGREES: "agrees",
    Verdict.PARTLY: "partly",
    Verdict.DIFFERS: "differs",
    Verdict.OPEN: "open",
}


@dataclass(frozen=True, eq=False)
class Section:
    """A figure with its outcome."""

    figure: Figure
    results: Results
    pictures: Sequence[Picture]
    findings: Sequence[tuple[Claim, Finding]]

    @classmethod
    def of(cls, figure: Figure, results: Results) -> Section:
        findings = [(claim, claim.judge(results)) for claim in figure.claims]
        return cls(figure, results, list(figure.draw(results)), findings)


def write(sections: Sequence[Section], store: Store, *, small: bool) -> Path:
    """report.html in the folder of the results, with the PNG files beside it."""
    body = [
        *_opening(sections, store, small),
        *(line for section in sections for line in _section(section, store.folder, small)),
        *_methods(),
        *_machines(store),
    ]
    style = STYLE.read_text(encoding="utf-8")
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>FAST-GE, measured again</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )
    file = store.folder / "report.html"
    file.write_text(page, encoding="utf-8")
    return file


def _opening(sections: Sequence[Section], store: Store, small: bool) -> Iterator[str]:
    records = [record for record in store.all_records() if record.is_done]
    hours = sum(record.seconds for record in records) / 3600
    yield "<h1>FAST-GE, measured again</h1>"
    yield (
        f'<p class="lead">{date.today():%-d %B %Y}. {len(records):,} runs, {hours:.1f} hours of '
        "methods at work. The paper: Cucuringu, Koutis, Chawla, Miller, Peng, <i>Simple and "
        "Scalable Constrained Clustering: A Generalized Spectral Method</i>, AISTATS 2016.</p>"
    )
    if small:
        yield (
            "<p><b>This is the small run</b>: a few draws of small data show that everything "
            "works. Its verdicts mean nothing; run <code>make reproduce</code> for those.</p>"
        )
    if not there_are_reference_sets():
        yield (
            "<p><b>The collection of real cases is not at hand</b> (../shared/data): there are "
            "stand-ins for the Facebook networks, and neither Patras nor the authors' own "
            "Four-Moons. What the paper says of these is judged by stand-ins and other data.</p>"
        )
    yield (
        "<p>Every verdict is computed from the figures by the rule stated with it; the "
        "explanations are written by hand for the verdicts that were seen. Seconds are those that "
        "the method alone had the processor, after a rehearsal on a tiny case, and without making "
        "the data.</p>"
    )
    yield '<div class="scroll"><table><tr><th>Figure</th><th>The paper</th><th>Here</th></tr>'
    for section in sections:
        link = f'<a href="#{section.figure.name}">{escape(section.figure.title)}</a>'
        for claim, finding in section.findings:
            yield (
                f"<tr><td>{link}</td><td>{escape(claim.paper)}</td>"
                f"<td>{_badge(finding.verdict)}</td></tr>"
            )
            link = ""
    yield "</table></div>"


def _section(section: Section, folder: Path, small: bool) -> Iterator[str]:
    figure = section.figure
    yield f'<h2 id="{figure.name}">{escape(figure.title)}</h2>'
    yield from (f"<p>{escape(paragraph)}</p>" for paragraph in figure.about)
    for claim, finding in section.findings:
        yield from _claim(claim, finding, explained=not small)
    for picture in section.pictures:
        yield from _picture(picture, folder / f"{picture.name}.png")
    tables = [line for table in figure.tables(section.results) for line in _table(table, section)]
    if tables:
        yield "<details><summary>All means and spreads</summary>"
        yield from tables
        yield "</details>"
    yield from _unfinished(section.results)


def _claim(claim: Claim, finding: Finding, *, explained: bool) -> Iterator[str]:
    why = claim.why.get(finding.verdict, "") if explained else ""
    rows = {"measured": finding.measured, "rule": claim.rule, "why": why}
    yield f'<div class="claim"><p class="said">{escape(claim.paper)} {_badge(finding.verdict)}</p>'
    yield "<dl>"
    yield from (f"<dt>{n}</dt><dd>{escape(text)}</dd>" for n, text in rows.items() if text)
    yield "</dl></div>"


def _badge(verdict: Verdict) -> str:
    return f'<span class="verdict {CLASSES[verdict]}">{verdict}</span>'


def _picture(picture: Picture, file: Path) -> Iterator[str]:
    picture.drawing.savefig(file)
    data = base64.b64encode(file.read_bytes()).decode("ascii")
    text = escape(picture.caption)
    yield f'<figure><img alt="{text}" src="data:image/png;base64,{data}">'
    yield f"<figcaption>{text}</figcaption></figure>"


def _table(table: Table, section: Section) -> Iterator[str]:
    results = section.results
    rows = {
        method: draws
        for method in results.methods(table.data)
        if (draws := results.draws(table.data, method, table.score))
    }
    places = sorted({place for draws in rows.values() for place in draws})
    if not places:
        return
    means = {(m, p): np.mean(list(d[p].values())) for m, d in rows.items() for p in d}
    smaller = table.score.endswith("seconds")
    best = {p: (min if smaller else max)(v for (_, q), v in means.items() if q == p)
            for p in places}  # fmt: skip
    yield f'<h3>{escape(table.title)}</h3><div class="scroll"><table><tr><th></th>'
    yield (
        "".join(f'<th class="figure">{results.told(table.data, place)}</th>' for place in places)
        + "</tr>"
    )
    for method, draws in rows.items():
        cells = []
        for place in places:
            values = np.array(list(draws.get(place, {}).values()))
            top = " best" if len(values) and means[method, place] == best[place] else ""
            cells.append(f'<td class="figure{top}">{_cell(values)}</td>')
        yield f"<tr><th>{escape(METHODS[method].label)}</th>{''.join(cells)}</tr>"
    yield "</table></div>"


def _cell(values: np.ndarray) -> str:
    """Mean, standard deviation and number of draws."""
    if len(values) == 0:
        return "–"
    spread = f" ± {values.std(ddof=1):.3f}" if len(values) > 1 else ""
    return f'{values.mean():.3f}<span class="spread">{spread} ({len(values)})</span>'


def _unfinished(results: Results) -> Iterator[str]:
    """Runs that gave no answer, by method and reason."""
    reasons: dict[tuple[str, str, str], list[Record]] = {}
    for data in results.data:
        for method in results.methods(data):
            for record in results.records(data, method):
                if not record.is_done:
                    reasons.setdefault((data, method, record.reason), []).append(record)
    if reasons:
        yield "<details><summary>Runs without an answer</summary><ul>"
        for (data, method, reason), records in reasons.items():
            label = METHODS[method].label
            yield f"<li>{escape(f'{data}, {label}: {len(records)} × {reason}')}</li>"
        yield "</ul></details>"


def _methods() -> Iterator[str]:
    yield '<h2 id="methods">Methods</h2><div class="scroll"><table>'
    yield "<tr><th>Method</th><th>Source</th><th>Takes</th><th>Remarks</th></tr>"
    for method in METHODS.values():
        remarks = [method.remark, f"left out: {method.missing}" if method.missing else ""]
        if method.most_nodes:
            remarks.append(f"up to {method.most_nodes:,} nodes")
        cells = (
            method.label,
            method.source,
            f"{method.needs}, {method.takes}",
            "; ".join(filter(None, remarks)),
        )
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    yield "</table></div>"
    yield (
        "<p>A series (a method on a data set) makes as many draws as its budget of processor "
        "seconds allows, up to those stated and at least one; tables say how many there were, and "
        "<code>make reproduce PATIENCE=10</code> gives ten times the seconds. A run is stopped at "
        "its limit. Methods that need pairs get all pairs among the labelled nodes.</p>"
    )


def _machines(store: Store) -> Iterator[str]:
    yield '<h2 id="machines">Machines and versions</h2>'
    used = {record.environment for record in store.all_records()}
    for key in sorted(used):
        yield f"<p>{escape(_told(store.environments[key]))}</p>"


def _told(facts: Facts) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
    return (
        f"{facts['processor']} ({facts['machine']}, {facts['processors']} processors, "
        f"{facts['threads']} thread(s) per method), {facts['system']}, "
        f"Python {facts['python']}; {packages}."
    )
