"""What a baseline returns: clusters, and figures about how it got there."""

from __future__ import annotations

from dataclasses import dataclass, field

from fastge.graph import IntArray

Figure = bool | int | float | str


@dataclass(frozen=True, eq=False)
class Outcome:
    """Clusters of all nodes, and what the method has to say about them."""

    labels: IntArray
    diagnostics: dict[str, Figure] = field(default_factory=dict)
