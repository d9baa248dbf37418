"""Files ↔ graphs, labels, pairs and clusters; every error names the file, the line and a remedy.

Reading order: `tables` (text, line by line), `nodes` (names of nodes), `edges`, `matrix_market` and
`graphs`, `knowledge` (labels and pairs), `results`.
"""

from fastge.files.graphs import GRAPH_SUFFIXES, NamedGraph, read_graph
from fastge.files.knowledge import KNOWLEDGE_SUFFIXES, ClassLabels, read_labels, read_pairs
from fastge.files.nodes import Nodes
from fastge.files.results import CLUSTER_SUFFIXES, check_writable, write_clusters, write_report
from fastge.files.tables import check_readable, file_error

__all__ = [
    "CLUSTER_SUFFIXES",
    "GRAPH_SUFFIXES",
    "KNOWLEDGE_SUFFIXES",
    "ClassLabels",
    "NamedGraph",
    "Nodes",
    "check_readable",
    "check_writable",
    "file_error",
    "read_graph",
    "read_labels",
    "read_pairs",
    "write_clusters",
    "write_report",
]
