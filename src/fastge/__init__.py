"""Constrained clustering of large graphs, points and images by generalized eigenvectors (FAST-GE).

Where to start reading: `algorithm`, the method in ten lines. Then along the pipeline, each module
importing only from those before it:

`errors`, `graph`, `pairs`, `contradictions`, `constraints`, `implied`, `pencil`, `merging`: from
input to the two Laplacians;
`components`, `dense`, `columns`, `orthogonal`, `multigrid`, `eigensolver`, `nested`, `spectrum`:
from the Laplacians to eigenvectors;
`sweep`, `embedding`, `partition`, `blockmodel`, `walks`, `classification`, `quality`: from
eigenvectors to clusters and what they are worth;
`affinity`, `datasets`, `files`: graphs from points, from a generator, from a file;
`progress`, `relevance`, `algorithm`: one run from end to end;
`supervision`, `estimator`, `image`, `plot`, `demo`, `app`, `cli`: the faces that it shows to users.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from fastge import errors
from fastge.constraints import Constraints
from fastge.merging import merge
from fastge.pencil import Pencil

if TYPE_CHECKING:
    from fastge import datasets, image, multigrid
    from fastge.algorithm import Clustering, bipartition, cluster
    from fastge.estimator import ConstrainedSpectralClustering
    from fastge.quality import Report
    from fastge.sweep import Certificate

__version__ = version("fastge")

__all__ = [
    "Certificate",
    "Clustering",
    "ConstrainedSpectralClustering",
    "Constraints",
    "Pencil",
    "Report",
    "__version__",
    "bipartition",
    "cluster",
    "datasets",
    "errors",
    "image",
    "merge",
    "multigrid",
]

# Imported when they are first asked for, because scikit-learn takes a while.
_LATER = {
    "Certificate": "sweep",
    "Clustering": "algorithm",
    "ConstrainedSpectralClustering": "estimator",
    "Report": "quality",
    "bipartition": "algorithm",
    "cluster": "algorithm",
    "datasets": None,
    "image": None,
    "multigrid": None,
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _LATER:
            raise AttributeError(f"module 'fastge' has no attribute {name!r}")
        home = _LATER[name]
        module = import_module(f"fastge.{home or name}")
        value = getattr(module, name) if home else module
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
