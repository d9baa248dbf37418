"""Labels and constraints as users hand them to an estimator."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastge import Constraints
from fastge.errors import ConstraintError, NodeOutOfRangeError, NoKnownLabelError
from fastge.supervision import read_labels, supervision


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, -1],
        np.array([0, 1, -1], dtype=np.int8),
        [0.0, 1.0, -1.0],
        np.array([0, 1, -1], dtype=object),
    ],
)
def test_integers_are_read_whatever_holds_them(y):
    np.testing.assert_array_equal(read_labels(y), [0, 1, -1])


@pytest.mark.parametrize("y", [[0, 1, None], [0, 1, np.nan], np.array([0.0, 1.0, np.nan])])
def test_missing_labels_are_unknown(y):
    with pytest.warns(UserWarning, match="1 missing labels"):
        np.testing.assert_array_equal(read_labels(y), [0, 1, -1])


def test_pandas_missing_values_are_unknown():
    pandas = pytest.importorskip("pandas")
    for y in (
        pandas.Series([0, 1, pandas.NA], dtype="Int64"),
        pandas.Series([0, 1, None]),
        pandas.Series([0, 1, pandas.NaT], dtype=object),
    ):
        with pytest.warns(UserWarning, match="1 missing labels"):
            np.testing.assert_array_equal(read_labels(y), [0, 1, -1])


def test_an_na_that_cannot_be_compared_is_unknown():
    class NAType:
        def __ne__(self, other: object) -> bool:
            raise TypeError("boolean value of NA is ambiguous")

    with pytest.warns(UserWarning, match="1 missing labels"):
        np.testing.assert_array_equal(read_labels([0, 1, NAType()]), [0, 1, -1])


def test_truth_values_are_classes():
    np.testing.assert_array_equal(read_labels([True, False]), [1, 0])
    with pytest.warns(UserWarning, match="missing"):
        np.testing.assert_array_equal(read_labels([True, False, None]), [1, 0, -1])


@pytest.mark.parametrize("y", [["cat", "dog"], np.array(["cat", None, -1], dtype=object)])
@pytest.mark.filterwarnings("ignore:1 missing labels")
def test_names_are_refused_with_the_way_to_encode_them(y):
    with pytest.raises(ConstraintError, match=r"y holds 'cat'.*factorize"):
        read_labels(y)


def test_large_integers_stay_exact():
    with pytest.warns(UserWarning, match="missing"):
        assert read_labels([2**60 + 1, None])[0] == 2**60 + 1


def test_measurements_are_no_classes():
    with pytest.raises(ConstraintError, match="integers"):
        supervision([0.5, 1.0], None, None, 2)


def test_only_unknown_labels_are_an_error():
    with pytest.raises(NoKnownLabelError):
        supervision([-1, -1], None, None, 2)


def test_as_many_labels_as_samples():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        supervision([0, 1], None, None, 3)


def test_labels_and_pairs_combine():
    known = supervision([0, -1, 1], Constraints(must_link=[(0, 1)]), None, 3)
    assert known.must_link.count == 1
    assert known.labels.nodes.tolist() == [0, 2]


def test_nothing_is_known():
    assert supervision(None, None, None, 3).is_empty
    assert supervision(None, None, [4, 5, 6], 3).is_empty


def test_an_array_is_no_constraints():
    with pytest.raises(ConstraintError, match=r"Constraints\(must_link"):
        supervision(None, np.array([[0, 1]]), None, 3)


@pytest.mark.parametrize(
    ("constraints", "error"),
    [
        (Constraints(cannot_link=[(0, 3)]), NodeOutOfRangeError),
        (Constraints.from_labels([0, 1, 0, 1]), ConstraintError),
    ],
)
def test_constraints_on_more_rows_than_there_are_point_to_rows(constraints, error):
    with pytest.raises(error, match="pass and route rows="):
        supervision(None, constraints, None, 3)


@given(st.permutations(range(8)), st.integers(2, 8))
@settings(max_examples=40, deadline=None)
def test_rows_renumber_exactly_the_constraints_among_them(order, size):
    rows = np.array(order[:size])
    ml, cl = [(0, 5), (1, 2), (6, 7)], [(0, 1), (3, 4)]
    labels = np.array([0, -1, 1, -1, 2, 0, -1, 1])
    every = Constraints(ml, cl) & Constraints.from_labels(labels)
    part = supervision(None, every, rows, size)
    for pairs, whole in ((part.must_link, ml), (part.cannot_link, cl)):
        back = {tuple(sorted(rows[list(pair)])) for pair in pairs.ends}
        assert back == {pair for pair in whole if set(pair) <= set(rows.tolist())}
    assert dict(zip(rows[part.labels.nodes], part.labels.classes, strict=True)) == {
        row: labels[row] for row in rows if labels[row] >= 0
    }
    assert (np.diff(part.labels.nodes) > 0).all()


def test_rows_of_unlabelled_pairs_may_lie_beyond_the_last_pair():
    part = supervision(None, Constraints(must_link=[(0, 9)]), [9, 50, 0], 3)
    assert part.must_link.ends.tolist() == [[0, 2]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([0, 1], "row number"),
        ([0, 1, -2], "row number"),
        ([0.0, 1.0, 2.0], "row number"),
        ([0, 1, 1], "repeats"),
        ([0, 1, 4], "there are 4 labels"),
    ],
)
def test_rows_that_make_no_sense(rows, message):
    with pytest.raises(ConstraintError, match=message):
        supervision(None, Constraints.from_labels([0, 1, 0, 1]), rows, 3)
