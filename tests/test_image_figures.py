"""What `fastge.image` promises about accuracy and time: ratios in one run, with room to spare."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from skimage.segmentation import random_walker
from threadpoolctl import threadpool_limits

from fastge import Constraints, cluster
from fastge.datasets.photographs import shipped_picture
from fastge.image import Segmenter, image_graph, segment
from fastge.quality import adjusted_rand_index

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "bsds_train"
WALKER = 0.520
"""Mean ARI of scikit-image's random walker (β = 90, colour) on the same photographs."""


def seconds(task: Callable[[], Any]) -> float:
    """On the processor, the least of two runs; one thread, since more spin where cores lack."""
    times = []
    with threadpool_limits(limits=1):
        for _ in range(2):
            start = time.process_time()
            task()
            times.append(time.process_time() - start)
    return min(times)


@pytest.mark.slow
def test_strokes_and_previews_cost_a_fraction_of_what_others_do() -> None:
    data = shipped_picture("china", 154_000)
    labels = data.truth.reshape(data.shape)
    fewer = labels.copy()
    fewer[tuple(np.argwhere(labels >= 0)[0])] = -1
    segmenter = Segmenter(data.image)
    segmenter.update(fewer)
    segmenter.preview(fewer)
    stroke = seconds(lambda: segmenter.update(labels))
    preview = seconds(lambda: segmenter.preview(labels))
    scratch = seconds(lambda: segment(data.image, labels))
    known = Constraints.from_labels(data.truth)
    general = seconds(lambda: cluster(image_graph(data.image), known, 4))
    walk = seconds(lambda: random_walker(data.image, labels + 1, 90, "cg_j", 1e-3, channel_axis=-1))
    assert stroke <= general / 3
    assert preview <= general / 6
    assert preview <= stroke
    assert scratch <= walk / 5


@pytest.mark.reference_data
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the photographs in ../shared/data")
def test_five_labelled_pixels_a_class_lead_to_better_regions_than_a_random_walker() -> None:
    scores = []
    for file in sorted(SHARED.glob("*.jpg")):
        truth, seeds = (
            np.asarray(Image.open(file.with_name(f"{file.stem}_{part}.png"))).astype(np.int64) - 1
            for part in ("truth", "seeds")
        )
        found = segment(np.asarray(Image.open(file)), seeds).labels
        scores.append(adjusted_rand_index(truth[truth >= 0], found[truth >= 0]))
    assert len(scores) == 15
    assert np.mean(scores) > WALKER + 0.2
