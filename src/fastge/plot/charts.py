"""Figures against figures: lines with their spread, bars, residuals against iterations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from fastge.errors import ParameterError
from fastge.graph import FloatArray
from fastge.plot.canvas import FAINT, INK, WIDTH, frame, head, legend, look, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def convergence(
    residuals: Sequence[Any] | FloatArray,
    *,
    tolerance: float | None = None,
    title: str = "Convergence",
) -> Figure:
    """Relative residual of every eigenpair against the iteration, on a logarithmic axis."""
    history = _history(residuals)
    figure = sheet(0.8 * WIDTH, 0.5 * WIDTH)
    axes = figure.add_subplot()
    for j, column in enumerate(history.T):
        name, (colour, marker, _) = f"$\\lambda_{{{j + 1}}}$", look(j)
        axes.semilogy(column, label=name, color=colour, marker=marker, ms=4.5, lw=1.4)
    if tolerance is not None:
        axes.axhline(tolerance, color=INK, lw=1, linestyle=(0, (4, 3)), label="tolerance")
    axes.grid(visible=True, axis="y", color=FAINT, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.locator_params(axis="x", integer=True)
    frame(axes, "iteration", "relative residual")
    head(figure, title)
    legend(figure, axes, below=False)
    return figure


def _history(residuals: Sequence[Any] | FloatArray) -> FloatArray:
    """Iterations × eigenpairs; what is not a positive number leaves a gap."""
    columns = list(zip_longest(*(np.atleast_1d(row) for row in residuals), fillvalue=np.nan))
    if not columns:
        raise ParameterError("the history of residuals is empty; pass at least one iteration")
    table = np.array(columns, dtype=np.float64).T
    return np.where(table > 0, table, np.nan)
