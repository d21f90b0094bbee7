"""Encoding training rows, and new rows like them."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from deciduous.data.frames import columns_of
from deciduous.data.table import Table, Unseen
from deciduous.errors import DataError, DataWarning
from deciduous.kernels import MISSING_CELL as MISSING
from deciduous.kernels import UNSEEN_CELL as UNSEEN

NAN = float("nan")
TRAINING = {"size": [1.5, None, 2], "colour": ["red", "blue", None], "ok": [True, False, True], "n": [3, 1, 3]}
SCHEMA = Table.encode(TRAINING, {"n": "nominal"}).schema


def lists(table: Table) -> list[Any]:
    return [None if c is None else [None if v != v else v for v in c.tolist()] for c in table.columns]


def test_encode() -> None:
    table = Table.encode(TRAINING, {"n": "nominal"})
    assert lists(table) == [[1.5, None, 2], [1, 0, -1], [1, 0, 1], [1, 0, 1]]
    assert [c.dtype for c in table.columns] == [np.float64, np.int32, np.int32, np.int32]
    assert (table.n_rows, table.weight, table.unseen) == (3, None, {})
    assert table.schema.features[1].categories == ("blue", "red")


def test_columns_that_were_read_already() -> None:
    assert lists(Table.encode(columns_of(TRAINING))) == lists(Table.encode(TRAINING))


def test_row_labels_and_weights_are_no_features() -> None:
    X = {"a": [1, 2], "id": ["x", None], "w": [2, 3], "v": [0.5, 1]}
    table = Table.encode(X, {"id": "id", "w": "weight", "v": "weight"})
    assert lists(table) == [[1, 2], None, None, None]
    assert table.weight is not None
    assert table.weight.tolist() == [1, 3]


@pytest.mark.parametrize("cells", [[7.0, None], [1.5, 2], [float("inf"), 2], ["x", "x"]], ids=str)
def test_any_cells_may_label_rows(cells: list[Any]) -> None:
    table = Table.encode({"a": [1, 2], "k": cells}, {"k": "id"})
    assert lists(table) == [[1, 2], None]
    assert lists(Table.encode_like({"a": [3, 4], "k": cells}, table.schema)) == [[3, 4], None]


@pytest.mark.parametrize(
    "X",
    [pd.DataFrame({"a": []}), {"a": []}, np.zeros((0, 2)), np.zeros((2, 0)), {}],
    ids=["pandas", "dict", "no row", "no column", "nothing"],
)
def test_a_table_without_a_cell(X: Any) -> None:
    with pytest.raises(DataError, match=r"Found array with \d sample\(s\) and \d feature\(s\) .* minimum of 1"):
        Table.encode(X)


@pytest.mark.parametrize("cells", [[1, float("inf")], [-1.0, float("-inf")]])
def test_infinity_is_no_number_to_compare(cells: list[float]) -> None:
    with pytest.raises(DataError, match=r"column 'a', row 1: infinity \(-?inf\)"):
        Table.encode({"a": cells})


# New rows


@pytest.mark.parametrize(
    "X",
    [
        {"n": [1], "ok": [False], "size": [9], "colour": ["red"]},
        {"other": [0], **{name: cells[:1] for name, cells in TRAINING.items()}, "n": [1], "size": [9], "ok": [False]},
        pd.DataFrame({"colour": ["red"], "n": [1.0], "ok": ["False"], "size": ["9"]}, index=[5]),
        pl.DataFrame({"colour": ["red"], "n": ["1"], "ok": [0], "size": [" 9.0 "]}),
        pd.DataFrame({"colour": ["red"], "n": [1], "ok": [False], "size": [9]}).astype("category"),
        pl.DataFrame({"colour": pl.Series(["red"], dtype=pl.Categorical), "n": ["1.0"], "ok": ["FALSE"], "size": [9]}),
        [{"colour": "red", "n": 1, "ok": False, "size": 9}],
    ],
    ids=["order", "extra", "pandas", "polars text", "categories", "polars categories", "dicts"],
)
def test_columns_match_by_name_and_cells_by_label(X: Any) -> None:
    table = Table.encode_like(X, SCHEMA)
    assert lists(table) == [[9], [1], [0], [0]]
    assert table.unseen == {}
    assert table.schema is SCHEMA


@pytest.mark.parametrize(
    ("training", "cells", "codes"),
    [
        (["1", "2"], [1, 2.0], [0, 1]),
        (["1.5", "2"], [1.5, 2], [0, 1]),
        (["True", "False"], [True, False], [1, 0]),
        (["a", "b"], pd.Categorical(["b"], categories=["b"]), [1]),
        (["a", "b"], pd.Categorical(["b", "a"], categories=["b", "c", "a"]), [1, 0]),
        (["a", "b"], ["A", " a", "a"], [UNSEEN, UNSEEN, 0]),
        (["a", "b"], [None, NAN], [MISSING, MISSING]),
        (["a", "b"], [1, None], [UNSEEN, MISSING]),
        (pd.Categorical([3, 1], categories=[3, 1]), [1, 2, 3], [1, UNSEEN, 0]),
        (pd.Categorical([3, 1], categories=[3, 1]), ["3", "x", None], [0, UNSEEN, MISSING]),
        ([True, False], ["true", "no", 0, None], [1, UNSEEN, 0, MISSING]),
        ([True, False], [1, 2], [1, UNSEEN]),
        (["01", "1"], [1], [1]),
    ],
    ids=lambda value: str(value.tolist() if isinstance(value, pd.Categorical) else value),
)
@pytest.mark.filterwarnings("ignore:column 'a' mixes types")
def test_labels_of_another_type(training: Any, cells: Any, codes: list[int]) -> None:
    schema = Table.encode(pd.DataFrame({"a": training}), {"a": "nominal"}).schema
    assert lists(Table.encode_like(pd.DataFrame({"a": cells}), schema)) == [codes]


@pytest.mark.parametrize(
    ("cells", "report"),
    [
        (["green", "red", "grey"], Unseen(2, "green", 0)),
        (["red", 5, 6], Unseen(2, "5", 1)),
        (["red", "", None], Unseen(1, "", 1)),
    ],
)
@pytest.mark.filterwarnings("ignore:column 'colour' mixes types")
def test_unseen_categories_are_reported(cells: list[Any], report: Unseen) -> None:
    table = Table.encode_like(TRAINING | {"colour": cells}, SCHEMA)
    assert table.unseen == {"colour": report}
    assert (table.columns[1] == UNSEEN).sum() == report.count


def test_an_unseen_number_is_reported_as_it_is_written() -> None:
    assert Table.encode_like(TRAINING | {"n": [3, 7, 2]}, SCHEMA).unseen == {"n": Unseen(2, "7", 1)}


def test_a_category_that_training_declared_is_not_unseen() -> None:
    schema = Table.encode(pd.DataFrame({"a": pd.Categorical(["x", "x"], categories=["x", "y"])})).schema
    assert lists(Table.encode_like({"a": ["y"]}, schema)) == [[1]]


def test_only_the_columns_that_are_needed() -> None:
    table = Table.encode_like(TRAINING | {"colour": ["green"] * 3}, SCHEMA, needed=[0])
    assert lists(table) == [[1.5, None, 2], None, None, None]
    assert table.unseen == {}


def test_row_labels_and_weights_need_not_be_there() -> None:
    X = {"id": ["x", "y"], "a": [1, 2], "w": [1, 2]}
    schema = Table.encode(X, {"id": "id", "w": "weight"}).schema
    assert lists(Table.encode_like({"a": [5]}, schema)) == [None, [5], None]
    assert lists(Table.encode_like(X | {"w": [None, None]}, schema)) == [None, [1, 2], None]


def test_a_missing_column_is_named_with_the_nearest() -> None:
    message = r"X lacks the columns 'size', 'colour' that .*it has 'n', 'ok', 'sizes'\. Did you mean 'sizes'\?"
    with pytest.raises(DataError, match=message):
        Table.encode_like({"n": [1], "ok": [True], "sizes": [1]}, SCHEMA)


def test_text_that_is_no_number() -> None:
    with pytest.raises(DataError, match=r"column 'size' is numeric \(numbers\), but row 1 holds 'big'"):
        Table.encode_like(TRAINING | {"size": ["1", "big", ""]}, SCHEMA)


def test_blank_text_is_a_missing_number() -> None:
    assert lists(Table.encode_like(TRAINING | {"size": ["1e3", " ", None]}, SCHEMA))[0] == [1000, None, None]


def test_no_new_rows() -> None:
    assert lists(Table.encode_like(pd.DataFrame(TRAINING)[:0], SCHEMA)) == [[], [], [], []]


# Positions


BY_POSITION = Table.encode(np.array([[1.0, 2.0], [3.0, 4.0]])).schema
BY_NAME = Table.encode({"a": [1, 3], "b": [2, 4]}).schema


@pytest.mark.parametrize("X", [np.array([[5, 6]]), [[5, 6]], np.array([["5", "6"]])], ids=["array", "list", "text"])
def test_arrays_match_by_position(X: Any) -> None:
    assert lists(Table.encode_like(X, BY_POSITION)) == [[5], [6]]


@pytest.mark.parametrize(
    ("X", "schema", "message"),
    [
        (
            pd.DataFrame({"b": [5], "a": [6]}),
            BY_POSITION,
            "X has feature names, but Tree was fitted without feature names",
        ),
        (np.array([[5, 6]]), BY_NAME, "X does not have valid feature names, but Tree was fitted with feature names"),
    ],
)
def test_names_on_one_side_only(X: Any, schema: Any, message: str) -> None:
    with pytest.warns(UserWarning, match=message):
        assert lists(Table.encode_like(X, schema)) == [[5], [6]]


def test_another_number_of_columns() -> None:
    with pytest.raises(
        DataError, match="X has 3 features, but Fir is expecting 2 features as input, in the order 'x0'"
    ):
        Table.encode_like(np.zeros((1, 3)), BY_POSITION, who="Fir")


@pytest.mark.parametrize("X", [np.zeros((0, 2)), np.zeros((1, 0))])
def test_an_array_without_a_cell(X: Any) -> None:
    with pytest.raises(DataError, match="minimum of 1 is required by Fir"):
        Table.encode_like(X, BY_POSITION, who="Fir")


# Categories that are told apart by type only


def test_categories_that_are_equal_as_text() -> None:
    with (
        pytest.warns(DataWarning, match="mixes types"),
        pytest.raises(DataError, match=r"column 'a' has categories that read alike as text: 1, '1'\. Rename them"),
    ):
        Table.encode(pd.DataFrame({"a": pd.Categorical([1, "1", 1])}))


def test_text_is_not_the_category_infinity() -> None:
    with pytest.raises(DataError, match="column 'a', row 1: infinity is no category"):
        Table.encode({"a": [1, float("inf")]}, {"a": "nominal"})
    schema = Table.encode({"a": [1, 2]}, {"a": "nominal"}).schema
    assert lists(Table.encode_like({"a": ["text", "inf", "2"]}, schema)) == [[UNSEEN, UNSEEN, 1]]
