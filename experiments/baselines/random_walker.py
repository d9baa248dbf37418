"""scikit-image's random walker: the class whose labelled pixels a walk reaches first.

Source: Grady, Random walks for image segmentation (IEEE PAMI 28 (11), 2006).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from baselines.known import known_classes
from baselines.outcome import Outcome
from fastge import Constraints
from fastge.errors import ParameterError
from fastge.graph import FloatArray

BETA = 90.0
"""Weights are exp(−β Δ² / (10 σ²)), where σ is the deviation of the whole image."""


def random_walker(
    image: FloatArray,
    constraints: Constraints,
    k: int,
    *,
    seed: int,
    beta: float = BETA,
    mode: Literal["cg_j", "cg_mg"] = "cg_j",
    tol: float = 1e-3,
) -> Outcome:
    """Class ids of the pixels of an h × w (× 3) image in reading order, four neighbours a pixel.

    `cg_mg` needs pyamg and is the faster one on large images. Labels are kept as they are.
    """
    from skimage.segmentation import random_walker as walk

    if image.ndim not in (2, 3):
        raise ParameterError(f"an image is h × w or h × w × channels, not of shape {image.shape}")
    shape = image.shape[:2]
    classes = known_classes(constraints, shape[0] * shape[1], "the random walker")
    ids, marker = np.unique(classes[classes >= 0], return_inverse=True)
    markers = np.zeros(classes.shape, dtype=np.int32)
    markers[classes >= 0] = marker + 1
    found = walk(
        image,
        markers.reshape(shape),
        beta=beta,
        mode=mode,
        tol=tol,
        channel_axis=-1 if image.ndim == 3 else None,
    )
    return Outcome(ids[found.ravel() - 1], {"beta": beta, "mode": mode})
