"""Every method by name: where it is, what it takes and needs, how large a graph it can bear.

Methods are imported when they run: one whose module or package is missing is left out with the
reason, and the others run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

from baselines.outcome import Outcome

Function: TypeAlias = Callable[..., Outcome]


@dataclass(frozen=True)
class Method:
    """A function `(graph, points or image; constraints, k, *, seed) -> Outcome` and its limits."""

    label: str
    """Its name in pictures."""
    target: str
    """module:function"""
    source: str
    needs: Literal["graph", "points", "image"] = "graph"
    takes: Literal["pairs", "labels", "nothing"] = "pairs"
    """What it makes of constraints; who takes pairs can read labels as pairs, too."""
    most_nodes: int | None = None
    requires: tuple[str, ...] = ()
    """Packages besides those of fastge."""
    options: Mapping[str, Any] = field(default_factory=dict)
    remark: str = ""

    @property
    def missing(self) -> str | None:
        """Why it cannot run here."""
        module = self.target.partition(":")[0]
        if not _is_there(module):
            return f"there is no module {module}"
        absent = [package for package in self.requires if not _is_there(package)]
        if absent:
            return f"the package {absent[0]} is missing; pip install 'fastge[experiments]'"
        return None

    def load(self) -> Function:
        module, _, name = self.target.partition(":")
        function: Function = getattr(import_module(module), name)
        return function


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of a parent
        return False


def available(names: Iterator[str] | list[str]) -> list[str]:
    return [name for name in names if METHODS[name].missing is None]


def look_of(name: str) -> int:
    """The number of colour, marker and dash of a method in every picture."""
    return list(METHODS).index(_LOOKS_LIKE.get(name, name))


_LOOKS_LIKE = {"fastge-tau": "fastge", "paper-tau": "paper"}
"""Variants that are drawn as what they vary."""

_PAPER = "Cucuringu, Koutis, Chawla, Miller, Peng (AISTATS 2016)"
_CSP = "Wang, Davidson (KDD 2010); Wang, Qian, Davidson (DMKD 2014)"
_COSC = "Rangapuram, Hein (AISTATS 2012)"

METHODS: dict[str, Method] = {
    "fastge": Method("fastge (this library)", "baselines.ours:fastge", "this library, defaults"),
    "released": Method(
        "FAST-GE, as released",
        "baselines.released:released",
        _PAPER,
        remark="the authors' program of 2016: no demand graph, loose eigenvectors, one k-means",
    ),
    "cosf": Method("COSf", "baselines.cosc:cosc_fast", _COSC),
    "csp": Method("CSP, as released", "baselines.csp:csp", _CSP, most_nodes=4000),
    "csp-unit-rows": Method(
        "CSP, unit rows", "baselines.csp:csp_normalised", _CSP, most_nodes=4000
    ),
    "fastge2": Method("FAST-GE-2.0", "baselines.fastge2:fastge2", "Jiang, Xie, Bai (AISTATS 2017)"),
    "paper": Method(
        "FAST-GE, paper to the letter",
        "baselines.released:paper",
        _PAPER,
        remark="weights d_i d_j / (d_min d_max), H = K/n + CL, converged vectors, 20 × k-means",
    ),
    "njw": Method(
        "no constraints (Ng, Jordan, Weiss)",
        "baselines.standard:ng_jordan_weiss",
        "Ng, Jordan, Weiss (NIPS 2001)",
        takes="nothing",
    ),
    "poisson": Method(
        "Poisson learning",
        "baselines.poisson:poisson",
        "Calder, Cook, Thorpe, Slepčev (ICML 2020)",
        takes="labels",
    ),
    "label-spreading": Method(
        "label spreading",
        "baselines.propagation:label_spreading",
        "Zhou et al. (NIPS 2003), scikit-learn",
        takes="labels",
    ),
    "harmonic": Method(
        "harmonic functions",
        "baselines.propagation:harmonic",
        "Zhu, Ghahramani, Lafferty (ICML 2003)",
        takes="labels",
    ),
    "pck-means": Method(
        "PCK-means",
        "baselines.constrained_kmeans:pck_kmeans",
        "Basu, Banerjee, Mooney (SDM 2004)",
        needs="points",
    ),
    "random-walker": Method(
        "random walker",
        "baselines.random_walker:random_walker",
        "Grady (PAMI 2006), scikit-image",
        needs="image",
        takes="labels",
        requires=("skimage",),
    ),
    "segment": Method(
        "fastge.image.segment",
        "baselines.ours:segment",
        "this library",
        needs="image",
        takes="labels",
        remark="the library's own way with images, on its own graph of pixels in colour",
    ),
    "cosc": Method("COSC, exact", "baselines.cosc:cosc", _COSC, most_nodes=500),
    "csp-sparse": Method(
        "CSP, degree-weighted, sparse",
        "baselines.relaxations:csp_sparse",
        _CSP,
        remark="CSP's own eigenproblem with Q̄, solved by fastge's eigensolver",
    ),
    "csp-relaxed": Method(
        "CSP, signed Laplacian",
        "baselines.relaxations:csp_relaxed",
        _CSP,
    ),
    "cosc-relaxed": Method(
        "COSC, definite relaxation",
        "baselines.relaxations:cosc_relaxed",
        _COSC,
    ),
    "cosc-indefinite": Method(
        "COSC, indefinite relaxation",
        "baselines.relaxations:cosc_indefinite",
        _COSC,
    ),
    "paper-tau": Method(
        "the paper's merge, k vectors", "baselines.ours:paper_with_coefficient", _PAPER
    ),
    "paper-tau-1": Method(
        "the paper's merge, k − 1 vectors",
        "baselines.ours:paper_with_coefficient",
        _PAPER,
        options={"vectors": -1},
    ),
    "fastge-tau": Method(
        "fastge (this library)", "baselines.ours:fastge_with_coefficient", "this library"
    ),
}
