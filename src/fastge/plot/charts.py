"""Figures against figures: lines with their spread, bars, residuals against iterations."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from fastge.errors import ParameterError
from fastge.graph import FloatArray
from fastge.plot.canvas import (
    COLOURS,
    FAINT,
    HEAD,
    INK,
    SOFT_INK,
    TEXT,
    WIDTH,
    frame,
    head,
    legend,
    look,
    sheet,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)))
_DODGE, _MOST_DODGE = 0.3, 0.08  # of the least step between values of x, and of their range
_BAR, _BAR_GAP, _GROUP_GAP = 0.2, 0.3, 0.45  # inches, of each bar and around a group
_FEW_DECADES = 300.0
_ROOM_FOR_TEXT = 1.35  # times the longest bar


@dataclass(frozen=True, eq=False)
class Line:
    """What several draws gave at every x > 0; some may have fewer draws than others."""

    x: FloatArray
    draws: Sequence[FloatArray]


@dataclass(frozen=True)
class Bar:
    """A length, and what is written after it; without a length only that."""

    value: float | None
    text: str
    emphasis: bool = False


def lines_with_spread(
    panels: Mapping[str, Mapping[str, Line]],
    *,
    x: str,
    ticks: Mapping[float, str],
    logarithmic: Collection[str] = (),
    looks: Mapping[str, int] | None = None,
    title: str,
) -> Figure:
    """Medians over draws against x (on a logarithmic axis), in one panel per quantity.

    Thick bars hold half of the draws, thin ones all of them; lines keep apart sideways. `looks`
    numbers colour, marker and dash of every name, so that it looks the same in several pictures.
    """
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    if not names:
        raise ParameterError("there is no line to draw; pass at least one panel with one line")
    chosen = looks or {name: j for j, name in enumerate(names)}
    figure = sheet(WIDTH + 2.2, 0.52 * WIDTH)
    for at, (quantity, lines) in enumerate(panels.items(), start=1):
        axes = figure.add_subplot(1, len(panels), at)
        axes.set(xscale="log", yscale="log" if quantity in logarithmic else "linear")
        for name, shift in zip(names, _shifts(ticks, len(names)), strict=True):
            if name in lines:
                _draw_line(axes, lines[name], name, chosen[name], shift, bold=name == names[0])
        _number_ticks(axes, ticks)
        if quantity in logarithmic:
            _number_decades(axes)
        frame(axes, x, quantity)
    head(figure, title)
    legend(figure, _with_all_names(figure.axes), below=True)
    return figure


def bars(
    panels: Mapping[str, Mapping[str, Mapping[str, Bar]]],
    *,
    logarithmic: Collection[str] = (),
    title: str,
) -> Figure:
    """Quantity → group → name → bar: groups below one another, quantities side by side."""
    groups = list(dict.fromkeys(group for quantity in panels.values() for group in quantity))
    if not groups:
        raise ParameterError("there is no bar to draw; pass at least one quantity with one group")
    counts = [max(len(quantity.get(g, {})) for quantity in panels.values()) for g in groups]
    heights = [_BAR_GAP + _BAR * count for count in counts]
    figure = sheet(WIDTH + 1, sum(heights) + _GROUP_GAP * len(groups) + 2 * HEAD)
    grid = figure.add_gridspec(len(groups), len(panels), height_ratios=heights)
    for column, (quantity, of_group) in enumerate(panels.items()):
        log = quantity in logarithmic
        span = _span([bar for bars in of_group.values() for bar in bars.values()], log)
        for row, group in enumerate(groups):
            axes = figure.add_subplot(grid[row, column])
            _draw_bars(axes, of_group.get(group, {}), span, log=log)
            axes.set_title(group if column == 0 else "", fontsize=TEXT, color=INK, loc="left")
            frame(axes, quantity if row == len(groups) - 1 else "", "")
            axes.tick_params(axis="y", length=0, labelcolor=INK)
            axes.tick_params(labelbottom=row == len(groups) - 1, labelleft=column == 0)
            if log:
                axes.xaxis.set_major_formatter("{x:g}")
    head(figure, title)
    return figure


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


def _draw_line(axes: Axes, line: Line, name: str, number: int, shift: float, *, bold: bool) -> None:
    some = [j for j, values in enumerate(line.draws) if len(values)]
    x = np.asarray(line.x, dtype=np.float64)[some] * shift
    levels = np.array([np.quantile(line.draws[j], [0, 0.25, 0.5, 0.75, 1]) for j in some])
    low, lower, middle, upper, high = levels.reshape(-1, 5).T
    colour, marker, area = look(number)
    dash = _DASHES[number // len(COLOURS) % len(_DASHES)]
    axes.vlines(x, low, high, color=colour, lw=0.8, zorder=2)
    axes.vlines(x, lower, upper, color=colour, lw=3.2, alpha=0.45, zorder=2)
    style = {"marker": marker, "ms": 5 * area**0.5, "mec": "white", "mew": 0.5}
    axes.plot(
        x, middle, color=colour, ls=dash, lw=2.2 if bold else 1.2, label=name, zorder=3, **style
    )
    axes.grid(visible=True, axis="y", color=FAINT, linewidth=0.5)
    axes.set_axisbelow(True)


def _shifts(ticks: Mapping[float, str], count: int) -> FloatArray:
    """Factors around 1 that keep `count` lines apart: bars of one x stand side by side."""
    places = np.sort(np.log(list(ticks)))
    steps, span = np.diff(places), float(np.ptp(places))
    width = min(_DODGE * float(steps.min()), _MOST_DODGE * span) if len(steps) else 0.03
    return np.asarray(np.exp(width * (np.arange(count) - (count - 1) / 2) / count))


def _number_ticks(axes: Axes, ticks: Mapping[float, str]) -> None:
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.set_xticks([], minor=True)


def _number_decades(axes: Axes) -> None:
    """Plain numbers at 1, 10, 100, …, and at 2 and 5 where there are few decades."""
    low, high = axes.get_ylim()
    parts = (1.0,) if high / low > _FEW_DECADES else (1.0, 2.0, 5.0)
    ticker = importlib.import_module("matplotlib.ticker")
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=parts))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_locator(ticker.NullLocator())


def _with_all_names(panels: Sequence[Axes]) -> Axes:
    """The panel with most lines; a method that one quantity lacks is in the others' legend."""
    return max(panels, key=lambda axes: len(axes.get_legend_handles_labels()[1]))


def _span(drawn: Sequence[Bar], log: bool) -> tuple[float, float]:
    values = [bar.value for bar in drawn if bar.value is not None and bar.value > 0]
    if not values:
        return (0.1, 1.0) if log else (0.0, 1.0)
    if not log:
        return 0.0, max(values) * _ROOM_FOR_TEXT
    low, high = min(values) / 2, max(values)
    return low, high * (high / low) ** (_ROOM_FOR_TEXT - 1)


def _draw_bars(
    axes: Axes, drawn: Mapping[str, Bar], span: tuple[float, float], *, log: bool
) -> None:
    axes.set(xscale="log" if log else "linear", xlim=span)
    axes.set_ylim(len(drawn) - 0.4, -0.6)
    for y, bar in enumerate(drawn.values()):
        end = span[0] if bar.value is None else max(bar.value, span[0])
        colour = COLOURS[0] if bar.emphasis else SOFT_INK
        if not log:
            axes.barh(y, end, height=0.7, color=colour)
        elif bar.value is not None:  # the length of a bar that starts anywhere means nothing
            axes.plot([span[0], end], [y, y], color=FAINT, lw=1)
            axes.plot(end, y, color=colour, marker="D" if bar.emphasis else "o", ms=6)
        axes.annotate(
            bar.text, (end, y), (6, 0), textcoords="offset points", va="center",
            fontsize=TEXT - 1, color=INK, annotation_clip=False,
        )  # fmt: skip
    axes.set_yticks(range(len(drawn)), list(drawn))


def _history(residuals: Sequence[Any] | FloatArray) -> FloatArray:
    """Iterations × eigenpairs; what is not a positive number leaves a gap."""
    columns = list(zip_longest(*(np.atleast_1d(row) for row in residuals), fillvalue=np.nan))
    if not columns:
        raise ParameterError("the history of residuals is empty; pass at least one iteration")
    table = np.array(columns, dtype=np.float64).T
    return np.where(table > 0, table, np.nan)
