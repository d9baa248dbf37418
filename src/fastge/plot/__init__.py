"""Pictures of clusterings and of figures about them.

Every function returns a matplotlib Figure of its own, which the caller saves; nothing global is
touched. Clusters differ in colour and marker, lines in dashes, too: pictures survive greyscale and
colour blindness. Points and embeddings are in `nodes`, eigenvectors in `heatmaps`, several
methods side by side in `grids`, figures against figures in `charts`.
"""

from fastge.plot.canvas import COLOURS
from fastge.plot.charts import Bar, Line, bars, convergence, lines_with_spread
from fastge.plot.grids import image_by_method, points_by_method
from fastge.plot.heatmaps import eigenvector_heatmaps
from fastge.plot.nodes import embedding_scatter, points_by_cluster

__all__ = [
    "COLOURS",
    "Bar",
    "Line",
    "bars",
    "convergence",
    "eigenvector_heatmaps",
    "embedding_scatter",
    "image_by_method",
    "lines_with_spread",
    "points_by_cluster",
    "points_by_method",
]
