"""What can be wrong with an input: one class per cause, each message with its remedy."""

import sys
import warnings
from pathlib import Path

_HERE = str(Path(__file__).parent)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning that points at the line of the user's that led to it, not at one in here."""
    frame, level = sys._getframe(1), 2
    while frame.f_code.co_filename.startswith(_HERE) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


class FastgeError(Exception):
    """Root of the exceptions that fastge raises on purpose."""


class InputError(FastgeError, ValueError):
    """Input that no clustering can be computed from."""


class GraphError(InputError):
    """A graph that is not a symmetric one with finite, positive weights."""


class NotSquareError(GraphError):
    """An adjacency matrix whose two sides differ."""


class AsymmetricGraphError(GraphError):
    """An adjacency matrix that differs from its transpose."""


class NegativeWeightError(GraphError):
    """An edge weight below zero."""


class NonFiniteWeightError(GraphError):
    """An edge weight that is NaN or infinite."""


class ComplexWeightError(GraphError):
    """An edge weight with an imaginary part."""


class EmptyGraphError(GraphError):
    """A graph without nodes."""


class ConstraintError(InputError):
    """Constraints that are malformed or do not fit the graph."""


class NodeOutOfRangeError(ConstraintError):
    """A constraint on a node that the graph does not have."""


class SelfConstraintError(ConstraintError):
    """A constraint between a node and itself."""


class NoKnownLabelError(ConstraintError):
    """A label array in which every entry is unknown."""


class ConfidenceError(ConstraintError):
    """A confidence that is negative, NaN or infinite, or of the wrong length."""


class ClusterCountError(InputError):
    """A number of clusters below two or above the number of nodes."""


class ParameterError(InputError):
    """An option outside its range."""


class FileFormatError(InputError):
    """A file that cannot be read as what its name says."""


class MissingExtraError(FastgeError, ImportError):
    """An optional dependency that is needed now and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {package}, which is not installed; "
            f"install it with: pip install 'fastge[{extra}]'"
        )
