"""Pictures: what they show, that nothing global is touched, and how they fail."""

import subprocess
import sys
from io import BytesIO

import numpy as np
import pytest

from fastge import plot
from fastge.constraints import Constraints
from fastge.errors import MissingExtraError, ParameterError
from fastge.plot.canvas import look

pytest.importorskip("matplotlib")

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(60, 2))
LABELS = np.repeat([0, 1, 2], 20)


def legend_of(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def saved(figure):
    file = BytesIO()
    figure.savefig(file, format="png")
    return len(file.getvalue())


def test_every_cluster_is_drawn_once_in_a_look_of_its_own():
    figure = plot.points_by_cluster(POINTS, LABELS)
    dots = figure.axes[0].collections
    assert [len(d.get_offsets()) for d in dots] == [20, 20, 20]
    assert len({tuple(d.get_facecolor()[0]) for d in dots}) == 3
    assert len({d.get_paths()[0].vertices.tobytes() for d in dots}) == 3
    np.testing.assert_allclose(dots[1].get_offsets(), POINTS[LABELS == 1])
    assert legend_of(figure) == ["cluster 0", "cluster 1", "cluster 2"]
    assert saved(figure) > 5000


def test_thirty_clusters_all_look_different():
    looks = {look(j)[:2] for j in range(30)}
    assert len(looks) == 30


def test_the_first_colours_differ_in_grey():
    rgb = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in plot.COLOURS[:4]])
    grey = np.sort(rgb @ [0.299, 0.587, 0.114])
    assert np.diff(grey).min() > 20


def test_nodes_left_over_are_crosses_and_no_cluster():
    labels = np.where(np.arange(60) < 5, -1, LABELS)
    figure = plot.points_by_cluster(POINTS, labels)
    assert legend_of(figure) == ["cluster 0", "cluster 1", "cluster 2", "left over"]
    assert len(figure.axes[0].collections[-1].get_offsets()) == 5


def test_constraints_are_told_apart_by_whether_they_are_kept():
    c = Constraints([(0, 1), (2, 3), (4, 50)], [(0, 20), (5, 6), (7, 8), (9, 45)])
    figure = plot.points_by_cluster(POINTS, LABELS, constraints=c)
    drawn = {
        line.get_label(): int(np.isnan(line.get_xdata()).sum()) for line in figure.axes[0].lines
    }
    assert drawn == {
        "must-link, kept": 2,
        "must-link, violated": 1,
        "cannot-link, kept": 2,
        "cannot-link, violated": 2,
    }


def test_labelled_nodes_are_ringed():
    known = np.full(60, -1)
    known[[3, 30]] = [0, 1]
    figure = plot.points_by_cluster(POINTS, LABELS, constraints=Constraints.from_labels(known))
    np.testing.assert_allclose(figure.axes[0].collections[-1].get_offsets(), POINTS[[3, 30]])
    assert legend_of(figure)[-1] == "labelled node"


@pytest.mark.parametrize("stretch", [(6.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)])
def test_legend_and_title_stay_off_the_data(stretch):
    figure = plot.points_by_cluster(POINTS * stretch, LABELS, title="A title")
    figure.draw_without_rendering()
    legend = figure.legends[0].get_window_extent()
    title = figure._suptitle.get_window_extent()
    data = figure.axes[0].get_window_extent()
    assert not legend.overlaps(data)
    assert not title.overlaps(data)
    assert figure.axes[0].get_aspect() == 1


def test_a_million_points_are_thinned_out_evenly():
    points, labels = np.random.default_rng(1).random((1_000_000, 2)), np.arange(1_000_000) % 4
    figure = plot.points_by_cluster(points, labels)
    counts = [len(d.get_offsets()) for d in figure.axes[0].collections]
    assert sum(counts) == 60_000
    assert min(counts) > 14_000


@pytest.mark.parametrize(("width", "panels"), [(2, 1), (3, 2), (6, 2)])
def test_embedding_is_a_rigid_view_of_its_rows(width, panels):
    rows = RNG.normal(size=(60, width))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    figure = plot.embedding_scatter(rows, LABELS)
    assert len(figure.axes) == panels
    seen = np.concatenate([d.get_offsets() for d in figure.axes[0].collections])
    lengths = np.linalg.norm(seen, axis=1)
    assert lengths.max() <= 1 + 1e-12
    assert width > 2 or lengths.min() >= 1 - 1e-12
    assert saved(figure) > 5000


@pytest.mark.parametrize("k", [1, 2, 4, 7])
def test_heatmaps_of_a_grid_are_its_eigenvectors(k):
    X = RNG.normal(size=(12, k))
    figure = plot.eigenvector_heatmaps(X, shape=(3, 4), eigenvalues=np.arange(k) / 10)
    images = [axes.images[0] for axes in figure.axes[:k]]
    for x, image in zip(X.T, images, strict=True):
        shown = image.get_array().ravel()
        assert np.corrcoef(shown, x)[0, 1] == pytest.approx(1)
        assert np.sort(shown)[1:-1].mean() == pytest.approx(0)
        assert image.get_clim() == (-1, 1)
    assert f"λ = {(k - 1) / 10:.3g}" in figure.axes[k - 1].get_title(loc="left")
    assert saved(figure) > 5000


def test_heatmaps_of_points_do_not_let_spikes_hide_the_rest():
    x = np.sin(np.arange(60))
    x[7] = 1e6
    figure = plot.eigenvector_heatmaps(x, points=POINTS)
    rest = np.delete(figure.axes[0].collections[0].get_array(), 7)
    assert 0.9 <= rest.max() <= 1.1
    assert -1.1 <= rest.min() <= -0.9
    np.testing.assert_allclose(figure.axes[0].collections[0].get_offsets(), POINTS)


def test_heatmap_of_a_constant_vector_is_plain():
    figure = plot.eigenvector_heatmaps(np.ones((60, 1)), points=POINTS)
    assert not figure.axes[0].collections[0].get_array().any()


def test_points_of_many_dimensions_are_projected():
    flat = np.column_stack([POINTS, 1e-9 * RNG.normal(size=60)])
    shown = plot.points_by_cluster(flat, np.zeros(60, int)).axes[0].collections[0].get_offsets()
    distances = [np.linalg.norm(p[:, None] - p[None], axis=2) for p in (np.array(shown), POINTS)]
    np.testing.assert_allclose(*distances, atol=1e-7)


def test_convergence_takes_ragged_and_exhausted_histories():
    figure = plot.convergence([[1.0, 0.5, 0.1], [0.1, 0.0], [1e-3]], tolerance=1e-2)
    first, second, third, tolerance = (line.get_ydata() for line in figure.axes[0].lines)
    np.testing.assert_array_equal(first, [1, 0.1, 1e-3])
    np.testing.assert_array_equal(second, [0.5, np.nan, np.nan])
    np.testing.assert_array_equal(third, [0.1, np.nan, np.nan])
    assert list(tolerance) == [1e-2, 1e-2]
    assert figure.axes[0].get_yscale() == "log"
    assert len(plot.convergence([[1.0], [0.1]]).axes[0].lines) == 1
    assert saved(figure) > 5000


def test_drawing_touches_nothing_global():
    program = (
        "import sys, numpy as np; from fastge import plot\n"
        "assert 'matplotlib' not in sys.modules\n"
        "figure = plot.points_by_cluster(np.random.rand(9, 2), np.zeros(9, int))\n"
        "import matplotlib, io; figure.savefig(io.BytesIO())\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "before = dict(matplotlib.rcParams)\n"
        "plot.convergence([[1.0], [0.1]]).savefig(io.BytesIO())\n"
        "assert dict(matplotlib.rcParams) == before"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=120)


def test_without_matplotlib_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"fastge\[plot\]"):
        plot.points_by_cluster(POINTS, LABELS)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plot.points_by_cluster(POINTS, LABELS[:-1]),
        lambda: plot.points_by_cluster(POINTS[:, 0], LABELS),
        lambda: plot.points_by_cluster(POINTS[:0], LABELS[:0]),
        lambda: plot.embedding_scatter(POINTS[:, :1], LABELS),
        lambda: plot.eigenvector_heatmaps(POINTS),
        lambda: plot.eigenvector_heatmaps(POINTS, points=POINTS, shape=(6, 10)),
        lambda: plot.eigenvector_heatmaps(POINTS, points=POINTS[1:]),
        lambda: plot.eigenvector_heatmaps(POINTS, shape=(6, 9)),
        lambda: plot.convergence([]),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw):
    with pytest.raises(ParameterError):
        draw()
