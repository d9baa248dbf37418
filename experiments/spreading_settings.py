"""Which α makes label spreading the strongest opponent? The table in docs/reproduction.md.

    python experiments/spreading_settings.py        five minutes of one core

ARI on unlabelled nodes, and how many of them no label reached; draws other than those that
`make reproduce` judges by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from baselines.propagation import label_spreading
from fastge.quality import adjusted_rand_index
from reproduce.cases import Case, four_moons, network, pacm, stand_in, there_are_reference_sets

ALPHAS = (0.2, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
TOLERANCES = (1e-3, 1e-6)
DRAWS = range(100, 108)

Make = Callable[[int], Case]


def sets() -> dict[str, Make]:
    """Every kind of data of the figures, with few labels and with many."""
    found: dict[str, Make] = {}
    for labels in (10, 50, 200):
        found[f"Four-Moons, {labels} labels"] = lambda draw, m=labels: four_moons(1500, m, draw)
    for labels in (10, 40):
        found[f"PACM, {labels} labels"] = lambda draw, m=labels: pacm(m, draw)
    for make in (network, stand_in) if there_are_reference_sets() else (stand_in,):
        for school in ("simmons", "haverford"):
            for share in (0.05, 0.30):
                name = f"{make.__name__.replace('_', '-')} {school}, {share:.0%}"
                found[name] = lambda draw, f=make, s=school, p=share: f(s, p, draw)
    return found


def score(case: Case, alpha: float, tol: float) -> tuple[float, int]:
    """ARI on the unlabelled nodes, and how many of all nodes no label reached."""
    found = label_spreading(case.adjacency, case.constraints, case.k, seed=0, alpha=alpha, tol=tol)
    hidden = case.labels < 0
    assert case.truth is not None
    ari = adjusted_rand_index(case.truth[hidden], found.labels[hidden])
    return ari, int(found.diagnostics["unreached"])


def rows() -> Iterator[str]:
    for name, make in sets().items():
        cases = [make(draw) for draw in DRAWS]
        for tol in TOLERANCES:
            cells = []
            for alpha in ALPHAS:
                aris, unreached = zip(*(score(case, alpha, tol) for case in cases), strict=True)
                lost = f" ({np.mean(unreached):.0f})" if any(unreached) else ""
                cells.append(f"{np.mean(aris):.3f}{lost}")
            yield f"| {name} | {tol:g} | {' | '.join(cells)} |"


def main() -> None:
    print("ARI on unlabelled nodes by α (nodes that no label reached)\n")
    print(f"| set | tol | {' | '.join(map(str, ALPHAS))} |")
    print("|---" * (len(ALPHAS) + 2) + "|")
    for row in rows():
        print(row, flush=True)


if __name__ == "__main__":
    main()
