"""Sentences of the paper that several of its figures make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from reproduce.verdicts import NOT_BEHIND, Claim, Verdict, faster, not_behind

SUBJECTS = {"released": "FAST-GE as its authors released it", "fastge": "this library"}
SPECTRAL_PEERS = ("cosf", "csp", "csp-unit-rows")

Whys = Mapping[tuple[str, Verdict], str]
"""What we make of the outcome, by subject and verdict."""


def accuracy(data: Sequence[str] | None, score: str, whys: Whys) -> Iterator[Claim]:
    """At least as accurate as CSP and COSC, judged for the authors' program and for the library."""
    called = {"rand": "by the Rand index", "ari": "by the adjusted Rand index"}[score]
    for subject, name in SUBJECTS.items():
        yield Claim(
            f"FAST-GE is at least as accurate as CSP and COSC, {called}. Judged for {name}.",
            NOT_BEHIND,
            partial(not_behind, data=data, ours=subject, peers=SPECTRAL_PEERS, score=score),
            _of(whys, subject),
        )


def speed(data: Sequence[str] | None, factor: float, whys: Whys) -> Iterator[Claim]:
    """CSP is far slower, and so is COSC."""
    for subject, name in SUBJECTS.items():
        yield Claim(
            f"CSP and COSC take several times the time of FAST-GE. Judged for {name}.",
            f"Agrees if the median processor time of every peer is at least {factor:g} times that "
            "of FAST-GE at every number of labels, in part if it is always longer. A run that was "
            "stopped counts with the time that it had.",
            partial(faster, data=data, ours=subject, peers=SPECTRAL_PEERS, factor=factor),
            _of(whys, subject),
        )


def _of(whys: Whys, subject: str) -> Mapping[Verdict, str]:
    return {verdict: why for (of, verdict), why in whys.items() if of == subject}
