"""What is known about samples, as estimators are told it: y and constraints of all or some rows."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from fastge.constraints import Constraints
from fastge.errors import ConstraintError, warn
from fastge.graph import BoolArray, IntArray
from fastge.merging import check_constraints

_ROWS = (
    "Where X holds only some rows of the data, as in cross-validation, pass and route rows= as well"
)
_CODES = "y, classes = pandas.factorize(y) makes integers of names and −1 of None"


def supervision(y: Any, constraints: Any, rows: Any, n: int) -> Constraints:
    """The constraints among n samples: those implied by the labels y, and those given."""
    known = _of_rows(constraints, rows, n)
    if y is None:
        return known
    check_consistent_length(np.empty(n), y)
    return Constraints.from_labels(read_labels(y)) & known


def read_labels(y: Any) -> IntArray:
    """One integer per sample; a missing label (None, NaN, pandas.NA) becomes −1, with a warning."""
    labels: Any = column_or_1d(np.asarray(y), warn=True)
    if labels.dtype.kind == "b":
        return np.asarray(labels, dtype=np.int64)
    missing = _missing(labels)
    if missing.any():
        warn(f"{int(missing.sum())} missing labels in y are taken as unknown; write −1 for them")
        labels = np.where(missing, -1, labels)
    return np.asarray(_numbers(labels) if labels.dtype.kind in "OSUT" else labels)


def _missing(labels: Any) -> BoolArray:
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels))
    if labels.dtype.kind != "O":
        return np.zeros(len(labels), dtype=bool)
    return np.fromiter((_is_missing(label) for label in labels), dtype=bool, count=len(labels))


def _is_missing(label: Any) -> bool:
    # pandas is not imported for the sake of its NA, whose comparison with itself is neither.
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def _numbers(labels: Any) -> IntArray:
    for label in labels:
        if not isinstance(label, Real):
            raise ConstraintError(
                f"y holds {str(label)!r}; classes are the integers 0, 1, 2, …, and clusters take "
                f"their ids from them: {_CODES}"
            )
    return np.array(labels.tolist())


def _of_rows(constraints: Any, rows: Any, n: int) -> Constraints:
    """The constraints by position among n samples, which may be only some rows of the data."""
    if rows is None or not isinstance(constraints, Constraints):
        try:
            return check_constraints(constraints, n)
        except ConstraintError as cause:
            if not isinstance(constraints, Constraints):
                raise
            raise type(cause)(f"{cause}. {_ROWS}") from cause
    numbers = _row_numbers(rows, n)
    size = constraints.n_nodes or 1 + max(int(constraints.nodes.max(initial=0)), int(numbers.max()))
    if numbers.max() >= size:
        raise ConstraintError(f"rows names row {numbers.max()}, but there are {size} labels")
    # Uniting with nothing puts in order again what the rows may have shuffled.
    return constraints.among(numbers, size) & Constraints()


def _row_numbers(rows: Any, n: int) -> IntArray:
    numbers = np.asarray(rows)
    if numbers.shape != (n,) or numbers.dtype.kind not in "iu" or numbers.min() < 0:
        raise ConstraintError(
            f"rows has shape {numbers.shape} and dtype {numbers.dtype}; pass the row number ≥ 0 "
            f"of each of the {n} samples: numpy.arange(n_samples) when X is whole"
        )
    if len(np.unique(numbers)) < n:
        raise ConstraintError("rows repeats a number, so its constraints would be ambiguous")
    return numbers
