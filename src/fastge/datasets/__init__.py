"""Graphs with known answers; each knows its sizes, truth, seed and citation.

Reading order: `dataset` (what every function here returns), `neighbours` (graphs of points, with
noise); then the data: `points`, `letters`, `partitions`, `stand_ins` (drawn from a seed),
`networks` (read from files), `images`, `photographs` (found in other packages); and `sampling`
(what a method is told).
"""

from fastge.datasets.dataset import (
    DEGREE_CORRECTED,
    FACEBOOK,
    FAST_GE,
    PLANTED_PARTITION,
    SYNTHETIC,
    Dataset,
    Seed,
)
from fastge.datasets.images import grey_graph, grid_image, picture
from fastge.datasets.letters import pacm
from fastge.datasets.neighbours import nearest_pairs, noisy_knn, random_pairs
from fastge.datasets.networks import facebook100
from fastge.datasets.partitions import degree_corrected_partition, planted_partition
from fastge.datasets.photographs import PHOTOGRAPHS, shipped_picture
from fastge.datasets.points import contradictory, four_moons
from fastge.datasets.sampling import sample_constraints, sample_labels
from fastge.datasets.stand_ins import network_stand_in

__all__ = [
    "DEGREE_CORRECTED",
    "FACEBOOK",
    "FAST_GE",
    "PHOTOGRAPHS",
    "PLANTED_PARTITION",
    "SYNTHETIC",
    "Dataset",
    "Seed",
    "contradictory",
    "degree_corrected_partition",
    "facebook100",
    "four_moons",
    "grey_graph",
    "grid_image",
    "nearest_pairs",
    "network_stand_in",
    "noisy_knn",
    "pacm",
    "picture",
    "planted_partition",
    "random_pairs",
    "sample_constraints",
    "sample_labels",
    "shipped_picture",
]
