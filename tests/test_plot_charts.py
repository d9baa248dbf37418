"""Charts of figures, and methods side by side: what is drawn is what was measured."""

from io import BytesIO

import numpy as np
import pytest

from fastge import plot
from fastge.errors import ParameterError
from fastge.plot.charts import Bar, Line

pytest.importorskip("matplotlib")

RNG = np.random.default_rng(0)
X = np.array([10, 50, 200])
TICKS = {float(x): str(x) for x in X}
RAND = {
    "ours": Line(X, [RNG.uniform(0.7, 0.9, 20) for _ in X]),
    "slow": Line(X, [RNG.uniform(0.5, 0.9, 2) for _ in X]),
}
SECONDS = {name: Line(X, [10.0 ** RNG.normal(size=3) for _ in X]) for name in RAND}


def saved(figure):
    file = BytesIO()
    figure.savefig(file, format="png")
    return len(file.getvalue())


def legend_of(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_lines_are_medians_and_bars_hold_all_draws():
    figure = plot.lines_with_spread({"Rand index": RAND}, x="labels", ticks=TICKS, title="T")
    (axes,) = figure.axes
    for line, given in zip(axes.lines, RAND.values(), strict=True):
        np.testing.assert_allclose(line.get_ydata(), [np.median(d) for d in given.draws])
        np.testing.assert_allclose(line.get_xdata(), X, rtol=0.3)
    ends = axes.collections[0].get_segments()
    np.testing.assert_allclose([e[:, 1] for e in ends], [(d.min(), d.max()) for d in
                                                        RAND["ours"].draws])  # fmt: skip
    assert [t.get_text() for t in axes.get_xticklabels()] == ["10", "50", "200"]
    assert axes.get_xscale() == "log"
    assert saved(figure) > 5000


def test_lines_stand_side_by_side_and_look_different():
    figure = plot.lines_with_spread({"Rand index": RAND}, x="labels", ticks=TICKS, title="T")
    first, second = figure.axes[0].lines
    assert (second.get_xdata() > first.get_xdata()).all()
    assert first.get_marker() != second.get_marker()
    assert first.get_color() != second.get_color()
    assert first.get_linewidth() > second.get_linewidth()


def test_lines_stay_near_their_places():
    """Within a twelfth of the axis, however few places there are."""
    two = {name: Line(X[:2], line.draws[:2]) for name, line in RAND.items()}
    for lines, ticks in ((RAND, TICKS), (two, {10: "10", 50: "50"})):
        axes = plot.lines_with_spread({"Rand": lines}, x="", ticks=ticks, title="").axes[0]
        most = (max(ticks) / min(ticks)) ** (1 / 12)
        for line in axes.lines:
            away = np.abs(np.log(line.get_xdata() / np.array(list(ticks))))
            assert (away < np.log(most)).all()


def test_a_name_looks_the_same_in_every_picture():
    alone = {"Rand index": {"slow": RAND["slow"]}}
    style = {"x": "labels", "ticks": TICKS, "title": "T", "looks": {"ours": 0, "slow": 9}}
    both = plot.lines_with_spread({"Rand index": RAND}, **style).axes[0].lines[1]
    one = plot.lines_with_spread(alone, **style).axes[0].lines[0]
    assert both.get_color() == one.get_color()
    assert both.get_marker() == one.get_marker()
    assert both.get_linestyle() == one.get_linestyle() != "-"


def test_panels_share_a_legend_and_what_was_not_measured_is_a_gap():
    gap = Line(X, [np.array([0.5]), np.empty(0), np.array([0.6])])
    panels = {"seconds": SECONDS, "Rand index": RAND | {"third": gap}}
    figure = plot.lines_with_spread(
        panels, x="labels", ticks=TICKS, logarithmic={"seconds"}, title="T"
    )
    assert legend_of(figure) == ["ours", "slow", "third"]
    assert [axes.get_yscale() for axes in figure.axes] == ["log", "linear"]
    np.testing.assert_allclose(figure.axes[1].lines[2].get_ydata(), [0.5, 0.6])
    assert saved(figure) > 5000


def test_bars_have_their_lengths_and_texts():
    violated = {"patras": {"ours": Bar(2, "2 of 91", emphasis=True), "slow": Bar(21, "21 of 91")}}
    seconds = {"patras": {"ours": Bar(0.5, "0.5 s"), "slow": Bar(None, "stopped after 9 s")}}
    figure = plot.bars(
        {"violated": violated, "seconds": seconds}, logarithmic={"seconds"}, title="T"
    )
    left, right = figure.axes
    assert [bar.get_width() for bar in left.patches] == [2, 21]
    assert left.patches[0].get_facecolor() != left.patches[1].get_facecolor()
    assert [t.get_text() for t in left.texts] == ["2 of 91", "21 of 91"]
    assert left.get_title(loc="left") == "patras"
    assert not right.patches
    assert right.lines[1].get_xdata()[0] == 0.5
    assert [t.get_text() for t in right.texts] == ["0.5 s", "stopped after 9 s"]
    assert right.get_xlim()[0] > 0
    assert saved(figure) > 5000


def test_nothing_but_stops_can_be_drawn():
    stopped = {"a": {"slow": Bar(None, "stopped")}}
    assert saved(plot.bars({"seconds": stopped}, logarithmic={"seconds"}, title="T")) > 2000
    assert saved(plot.bars({"violated": stopped}, title="T")) > 2000


def test_methods_stand_side_by_side_on_the_same_points():
    points = RNG.normal(size=(40, 2))
    answers = {name: RNG.integers(0, 3, 40) for name in "abcd"}
    figure = plot.points_by_method(points, answers, labelled=np.array([3, 5]), title="T")
    assert [axes.get_title(loc="left") for axes in figure.axes] == list("abcd")
    for axes in figure.axes:
        np.testing.assert_allclose(axes.collections[-1].get_offsets(), points[[3, 5]])
    assert saved(figure) > 5000


@pytest.mark.parametrize("shape", [(30, 40), (1500, 20)])
def test_an_image_lies_under_its_regions(shape):
    image = RNG.random((*shape, 3))
    regions = (np.arange(shape[1]) > 9).astype(int) * np.ones(shape, int)
    marked = np.full(shape, -1)
    marked[2, 3], marked[7, 15] = 0, 1
    figure = plot.image_by_method(image, {"ours": regions}, marked=marked, title="T")
    plain, ours = figure.axes
    assert [a.get_title(loc="left") for a in figure.axes] == ["labelled pixels", "ours"]
    assert max(plain.images[0].get_array().shape) <= 750
    assert plain.images[0].get_extent() == [-0.5, shape[1] - 0.5, shape[0] - 0.5, -0.5]
    assert (plain.images[0].get_array() != ours.images[0].get_array()).any()
    np.testing.assert_allclose([dots.get_offsets()[0] for dots in ours.collections],
                               [(3, 2), (15, 7)])  # fmt: skip
    assert saved(figure) > 5000


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plot.lines_with_spread({}, x="x", ticks={1.0: "1"}, title="T"),
        lambda: plot.bars({}, title="T"),
        lambda: plot.image_by_method(
            np.zeros((3, 4)), {"a": np.zeros(12)}, marked=np.zeros((3, 4), int), title="T"
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw):
    with pytest.raises(ParameterError):
        draw()
