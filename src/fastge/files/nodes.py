"""Names of nodes ↔ their numbers 0 … n−1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fastge.files.tables import as_whole
from fastge.graph import IntArray


@dataclass(frozen=True, eq=False)
class Nodes:
    """The names of a graph's nodes in the order of their numbers: sorted integers or strings."""

    names: IntArray | Sequence[str]
    order_is_evident: bool = True
    """Whether a plain list of n values can be understood without naming the nodes."""

    @classmethod
    def numbered(cls, n: int) -> Nodes:
        return cls(np.arange(n))

    @property
    def n(self) -> int:
        return len(self.names)

    @property
    def are_numbers(self) -> bool:
        return isinstance(self.names, np.ndarray)

    @cached_property
    def _number_of(self) -> dict[Any, int]:
        names = self.names.tolist() if isinstance(self.names, np.ndarray) else self.names
        return {name: number for number, name in enumerate(names)}

    @cached_property
    def _gapless_from(self) -> int | None:
        if not isinstance(self.names, np.ndarray) or self.n == 0:
            return None
        first = int(self.names[0])
        return first if int(self.names[-1]) - first == self.n - 1 else None

    def number(self, cell: Any) -> int | None:
        """The number of the node that is called so, None if there is none."""
        if not self.are_numbers:
            return self._number_of.get(str(cell))
        name = as_whole(cell) if isinstance(cell, str) else int(cell)
        if name is None or self._gapless_from is None:
            return self._number_of.get(name)
        number = name - self._gapless_from
        return number if 0 <= number < self.n else None

    def describe(self) -> str:
        """What the names look like, for an error message."""
        if self._gapless_from is not None:
            return f"nodes {self._gapless_from} … {self._gapless_from + self.n - 1}"
        return f"{self.n} nodes such as {self.names[0]!s}"
