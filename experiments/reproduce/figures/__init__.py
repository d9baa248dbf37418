"""The figures of the paper, one file each, in its order."""

from reproduce.figures import coefficient, facebook, four_moons, images, pacm, relaxations
from reproduce.figures.figure import Figure

FIGURES: tuple[Figure, ...] = (
    four_moons.FIGURE,
    pacm.FIGURE,
    images.FIGURE,
    facebook.FIGURE,
    relaxations.FIGURE,
    coefficient.FIGURE,
)

__all__ = ["FIGURES", "Figure"]
