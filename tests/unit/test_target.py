"""The target: its task, its classes with their own types, its missing cells."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from deciduous.data.target import as_label_array, encode_target, encode_target_like
from deciduous.errors import DataError

NAN = float("nan")


@pytest.mark.parametrize(
    ("y", "codes", "classes"),
    [
        (["b", "a", "b"], [1, 0, 1], ["a", "b"]),
        ([3, 1, 3], [1, 0, 1], [1, 3]),
        ([3.0, 1.0], [1, 0], [1.0, 3.0]),
        ([True, False], [1, 0], [False, True]),
        (np.array(["b", "a"]), [1, 0], ["a", "b"]),
        (np.array([3, 1]), [1, 0], [1, 3]),
        (np.array([True, False]), [1, 0], [False, True]),
        (pd.Series(["b", "a"], dtype="category"), [1, 0], ["a", "b"]),
        (pd.Series(["b", None, "a"], dtype="string"), [1, -1, 0], ["a", "b"]),
        (pd.Series([3, None, 1], dtype="Int64"), [1, -1, 0], [1, 3]),
        (pl.Series(["b", None, "a"]), [1, -1, 0], ["a", "b"]),
        (pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])), [1, 0], ["a", "b"]),
        (pa.chunked_array([["b", None, "a"]]), [1, -1, 0], ["a", "b"]),
        (["b", NAN, None, "a"], [1, -1, -1, 0], ["a", "b"]),
        (("b", None, "a"), [1, -1, 0], ["a", "b"]),
        (("b", NAN, "a"), [1, -1, 0], ["a", "b"]),
    ],
    ids=[
        *("text", "whole", "whole floats", "bools", "text array", "whole array", "bool array"),
        *("pandas category", "pandas string", "pandas Int64", "polars", "polars Enum", "arrow"),
        *("missing", "tuple of None", "tuple of NaN"),
    ],
)
def test_classes(y: Any, codes: list[int], classes: list[Any]) -> None:
    target = encode_target(y, "class", "t")
    assert (target.task, target.name, target.values.dtype) == ("class", "t", np.int32)
    assert target.values.tolist() == codes
    assert target.known.tolist() == [code >= 0 for code in codes]
    assert target.classes is not None
    assert target.classes.tolist() == classes
    assert [type(c) for c in target.classes.tolist()] == [type(c) for c in classes]


@pytest.mark.parametrize(
    "y",
    [
        [2, 1.5],
        np.array([2, 1.5], dtype="f4"),
        pd.Series([2, 1.5], dtype="Float64"),
        pl.Series([2.0, 1.5]),
        [Decimal(2), Decimal("1.5")],
    ],
    ids=["list", "array", "pandas", "polars", "decimals"],
)
def test_numbers(y: Any) -> None:
    target = encode_target(y, "number")
    assert (target.task, target.classes, target.values.dtype) == ("number", None, np.float64)
    assert target.values.tolist() == [2, 1.5]
    assert target.known.all()


def test_missing_numbers_are_not_known() -> None:
    assert encode_target([1, None, NAN, pd.NA], "number").known.tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    "y",
    [np.array([["a"], ["b"]]), pd.DataFrame({"t": ["a", "b"]}), pl.DataFrame({"t": ["a", "b"]})],
    ids=["array", "pandas", "polars"],
)
def test_a_column_of_a_table_is_taken_with_a_warning(y: Any) -> None:
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        assert encode_target(y, "class").values.tolist() == [0, 1]


@pytest.mark.parametrize("make", [list, np.array], ids=["list", "array"])
def test_numbers_whose_squares_are_too_large(make: Any) -> None:
    assert encode_target(make([1e150, -1e150, NAN]), "number").values.tolist()[:2] == [1e150, -1e150]
    for huge in (1.01e150, -1e300):
        with pytest.raises(DataError, match=r"the target 't' holds numbers beyond 1e\+150, whose squares do not fit"):
            encode_target(make([NAN, huge]), "number", "t")


@pytest.mark.parametrize("task", ["class", "number"])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        (np.zeros((2, 2)), r"y should be a 1d array .* shape \(2, 2\)"),
        (3, r"y should be a 1d array .* shape \(\)"),
        ([1, [2]], r"y should be a 1d array .* row 1 holds \[2\]"),
        ([None, NAN], "target 'y' is missing in all 2 rows"),
        (np.array([1j, 2]), "Complex"),
        ([1, float("inf")], "contains infinity.* row 1, is inf"),
        ([pd.Timestamp("2020")], "target 'y', row 0: .* is no"),
    ],
    ids=["None", "two columns", "scalar", "nested", "all missing", "complex", "infinite", "date"],
)
def test_targets_that_are_none(task: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode_target(y, task)


@pytest.mark.parametrize(
    ("task", "y", "message"),
    [
        ("class", [1, 2.5], r"Unknown label type: continuous.* \(row 1: 2\.5\).* use CARTRegressor"),
        ("class", [1, "a"], "mixes text and numbers"),
        ("class", [b"a", b"b"], "no class label"),
        ("number", ["1", "2"], r"holds text \(row 0: '1'\).* use ID3Classifier, C45Classifier or CARTClassifier"),
        ("number", [1, True], r"holds bools \(row 1: True\)"),
        ("number", [1, 1j], "row 1: 1j is not a number"),
    ],
)
def test_targets_of_the_other_task(task: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode_target(y, task)


@pytest.mark.parametrize(
    ("task", "y", "message"),
    [
        ("class", [1.5, 2], r"predicts the classes 'a', 'b', and the target given for 'y' holds the numbers 1.5, 2.0:"),
        ("class", [3, 4], r"'y' has no class that the tree knows: it has 3, 4, the tree 'a', 'b'. Give the target"),
        ("class", ["A"], r"it has 'A', the tree 'a', 'b'"),
        ("class", [1, "a"], "mixes text and numbers"),
        ("number", ["a", "b"], r"predicts numbers, and the target given for 'y' holds the classes 'a', 'b': give the"),
        ("number", [True, False], r"holds the classes False, True"),
        ("number", [1, 1j], "row 1: 1j is not a number"),
    ],
)
def test_targets_of_the_other_task_for_a_tree_that_is_grown(task: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode_target_like(y, task, ("a", "b"), "y")


def test_classes_are_those_of_the_tree() -> None:
    found = encode_target_like(["b", "c", None, "a"], "class", ("a", "b"), "y")
    assert found.values.tolist() == [1, -1, -1, 0]
    assert found.known.tolist() == [True, True, False, True]
    assert found.labels == ("a", "b")


@pytest.mark.parametrize(
    ("labels", "dtype"), [(["a", "bc"], "U"), ([1, 2], "i"), ([1.5, 2], "f"), ([True, False], "b"), ([True, 2], "O")]
)
def test_labels_as_an_array(labels: list[Any], dtype: str) -> None:
    array = as_label_array(labels)
    assert array.dtype.kind == dtype
    assert array.tolist() == labels


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64", "uint64"])
def test_whole_numbers_of_any_type_and_range(dtype: str) -> None:
    limits = np.iinfo(dtype)
    for lowest, highest in (
        (limits.min, limits.max),
        (0, 5),
        (limits.max - 3, limits.max),
        (limits.min, limits.min + 3),
    ):
        y = np.array([highest, lowest, highest, lowest, lowest + 1, highest, lowest, lowest], dtype=dtype)
        if highest >= 2**63:
            with pytest.raises(DataError, match="too long for a class label; make it text"):
                encode_target(y, "class")
            continue
        target = encode_target(y, "class")
        assert target.classes is not None
        assert target.classes.tolist() == sorted(set(y.tolist()))
        assert target.classes[target.values].tolist() == y.tolist()
