"""The paper's other negative finding: a larger coefficient of K in H = τ K + CL hurts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from baselines.registry import METHODS
from reproduce.figures.curves import curves, tables_of
from reproduce.figures.figure import Figure, Picture, bearable
from reproduce.results import Results
from reproduce.runs import Series
from reproduce.schema import Parameters
from reproduce.verdicts import ERRORS, LEAST_DRAWS, MARGIN, Claim, Finding, Verdict

SHOWN = ("paper-tau", "paper-tau-1", "fastge-tau")
FACTORS = (0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5)
SMALL_FACTORS = (0.1, 1.0, 1e3)
DATA: dict[str, tuple[str, Parameters]] = {
    "Four-Moons, 50 labels": ("four-moons", {"n": 1500, "labelled": 50}),
    "PACM, 40 labels": ("pacm", {"labelled": 40}),
    "stand-in of Simmons, 15 %": ("stand-in", {"school": "simmons", "share": 0.15}),
}
SMALL_DATA: dict[str, tuple[str, Parameters]] = {
    "Four-Moons, 20 labels": ("four-moons", {"n": 400, "labelled": 20})
}


def series(small: bool) -> list[Series]:
    return [
        Series(
            name, case, method, "factor", SMALL_FACTORS if small else FACTORS,
            draws=1 if small else 10, shared=shared, of_method=True,
            limit=2 if small else 60, budget=1 if small else 30,
        )
        for name, (case, shared) in (SMALL_DATA if small else DATA).items()
        for method in bearable(SHOWN, 1500)
    ]  # fmt: skip


def draw(results: Results) -> Iterator[Picture]:
    for data in results.data:
        name = data.partition(",")[0].lower().replace(" ", "-")
        yield from curves(
            results, data, SHOWN, {"rand": "Rand index", "ari_hidden": "ARI, unlabelled nodes"},
            name=f"{name}-coefficient", x="factor on the coefficient of K", caption=data,
            title=f"{data}: the coefficient of K",
        )  # fmt: skip


RULE = (
    "At every factor above 1, the mean Rand index over common draws is compared with that at "
    f"factor 1. Worse (or better) means by more than {MARGIN} and more than {ERRORS:g} standard "
    "errors. Agrees if some factor is worse on every data set and none is better, differs if none "
    "is worse, in part otherwise."
)


def larger_hurts(results: Results, *, method: str) -> Finding:
    """Whether a larger coefficient is worse than the method's own."""
    worse, better, lines = [], [], []
    for name in results.data:
        draws = results.draws(name, method, "rand")
        changes = {}
        for factor in (place for place in draws if place > 1 and 1.0 in draws):
            common = sorted(draws[1.0].keys() & draws[factor].keys())
            if len(common) < LEAST_DRAWS:
                continue
            change = np.array([draws[factor][d] - draws[1.0][d] for d in common])
            threshold = max(MARGIN, ERRORS * float(change.std(ddof=1)) / len(common) ** 0.5)
            changes[factor] = float(change.mean())
            worse += [name] if change.mean() < -threshold else []
            better += [name] if change.mean() > threshold else []
        if changes:
            told = ", ".join(f"{factor:g}: {change:+.3f}" for factor, change in changes.items())
            lines.append(f"{name}: change of the mean at factor {told}.")
    if not lines:
        return Finding(
            Verdict.OPEN, f"Fewer than {LEAST_DRAWS} draws were finished at factor 1 and above."
        )
    return Finding(_verdict(worse, better, len(lines)), "\n".join(lines))


def _verdict(worse: Sequence[str], better: Sequence[str], sets: int) -> Verdict:
    if not worse:
        return Verdict.DIFFERS
    return Verdict.AGREES if not better and len(set(worse)) == sets else Verdict.PARTLY


WHYS = {
    "paper-tau": (
        Verdict.PARTLY,
        "On PACM a large K drowns the constraints, as the paper says. On Four-Moons 1,000 times "
        "the coefficient is better, and on the stand-in nothing changes up to there: 1/n is a "
        "cautious choice, not the best one everywhere.",
    ),
    "paper-tau-1": (
        Verdict.PARTLY,
        "As with k vectors, only more so: 1,000 times the coefficient solves Four-Moons almost "
        "without an error, and costs as much on PACM.",
    ),
    "fastge-tau": (
        Verdict.DIFFERS,
        "What the eigenvectors get wrong, the library mends on the data graph: its answers hardly "
        "depend on the coefficient any more.",
    ),
}

FIGURE = Figure(
    name="coefficient",
    title="Negative findings: the coefficient of K",
    about=(
        "H = τ K + CL needs a little of the demand graph K, K_ij = d_i d_j / vol. The paper takes "
        "τ = 1/n and remarks that a larger coefficient hurts.",
        "Here τ is multiplied by factors from 1/100 to 100,000, for the paper's merge with k "
        "eigenvectors and with k − 1, both with converged vectors and k-means, and for this "
        "library, whose own τ is larger on graphs of equal edges and whose partition is different.",
    ),
    series=series,
    draw=draw,
    claims=tuple(
        Claim(
            f"A larger coefficient of K hurts. Judged for {METHODS[method].label}.",
            RULE,
            partial(larger_hurts, method=method),
            dict([WHYS[method]]),
        )
        for method in SHOWN
    ),
    tables=partial(tables_of, {"rand": "Rand index", "ari_hidden": "ARI, unlabelled nodes"}),
)
