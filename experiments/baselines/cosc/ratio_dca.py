"""RatioDCA: descent of a ratio of differences of convex functions by convex inner problems."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from baselines.cosc.functional import Functional, balance_gradient
from baselines.cosc.native import InnerSolver
from fastge.graph import FloatArray

_FIRST_INNER_LIMIT = 100
_LONG_RUN = 20  # steps in a row that succeed before the inner problems are solved more exactly
_STATIONARY = 1e-8
_PERTURBATIONS = np.arange(0.001, 0.1, 0.01)
_MOST_FAILURES = 5


@dataclass(eq=False)
class RatioDCA:
    """Minimiser of F_γ from a start; counts its own effort.

    `limit` bounds inner iterations per step and the number of steps. With `perturbed`, every
    minimum is shaken and the descent repeated from there.
    """

    limit: int
    perturbed: bool
    rng: np.random.Generator
    outer: int = field(default=0, init=False)
    inner: int = field(default=0, init=False)

    def __call__(self, functional: Functional, f: FloatArray) -> FloatArray:
        f, value = self._descent(functional, f)
        failures = 0
        for share in _PERTURBATIONS if self.perturbed else ():
            noise = share * np.ptp(f) * self.rng.standard_normal(len(f))
            other, other_value = self._descent(functional, f + noise)
            if other_value < value:
                f, value = other, other_value
            else:
                failures += 1
                if failures == _MOST_FAILURES:
                    break
        return f

    def _descent(self, functional: Functional, f: FloatArray) -> tuple[FloatArray, float]:
        value = functional(f)
        solve = InnerSolver(functional, f)
        limit, successes, steps = _FIRST_INNER_LIMIT, 0, 0
        while limit < self.limit and steps < self.limit:
            steps += 1
            h = (
                functional.kept_gradient(f) + value * balance_gradient(functional.instance.b, f)
            ) / 2
            solution = solve(h, limit)
            self.inner += solution.iterations
            if -solution.dual < _STATIONARY or np.ptp(solution.x) == 0:
                break
            new = functional(solution.x)
            descends = new < value
            if descends:
                f, value = solution.x, new
            successes = successes + 1 if descends else _LONG_RUN
            if successes == _LONG_RUN:
                limit, successes = 2 * limit, 0
        self.outer += steps
        return f, value
