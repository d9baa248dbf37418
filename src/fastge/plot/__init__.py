"""Pictures of clusterings: points, embeddings, eigenvectors, convergence.

Every function returns a matplotlib Figure of its own, which the caller saves; nothing global is
touched. Clusters differ in colour and marker: pictures survive greyscale and colour blindness.
"""

from fastge.plot.canvas import COLOURS
from fastge.plot.charts import convergence
from fastge.plot.heatmaps import eigenvector_heatmaps
from fastge.plot.nodes import embedding_scatter, points_by_cluster

__all__ = [
    "COLOURS",
    "convergence",
    "eigenvector_heatmaps",
    "embedding_scatter",
    "points_by_cluster",
]
