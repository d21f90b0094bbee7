"""What columns are taken for, why, and how to say otherwise."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from deciduous.data.infer import ROW_LABEL_NAMES
from deciduous.data.schema import Feature, Schema
from deciduous.data.table import Table
from deciduous.errors import DataError, DataWarning, OptionError

NAN = float("nan")


def feature(cells: Any, kind: str | None = None, name: str = "a") -> Feature:
    (only,) = Table.encode(
        {name: cells} if isinstance(cells, list) else pd.DataFrame({name: cells}), kind and {name: kind}
    ).schema.features
    return only


def label(value: Any) -> str | None:
    """Return a parameter as part of a test's name, in one line."""
    if isinstance(value, pd.Categorical):
        return f"categories {value.tolist()}"
    return None if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize(
    ("cells", "kind", "categories", "reason"),
    [
        ([1.5, 2, None], "numeric", (), "numbers"),
        ([0, 1, 1], "numeric", (), "numbers"),
        (["b", "a", "b"], "nominal", ("a", "b"), "text"),
        (["10", "9", "9"], "nominal", ("10", "9"), "text"),
        ([True, False, None], "nominal", (False, True), "true or false"),
        (pd.Categorical(["b", "a", "b"], categories=["b", "c", "a"]), "nominal", ("b", "c", "a"), "category type"),
        (
            pd.Categorical(["lo", "hi", "lo"], categories=["lo", "mid", "hi"], ordered=True),
            "ordinal",
            ("lo", "mid", "hi"),
            "ranked categories",
        ),
        (pd.Categorical([3, 1, 3], categories=[3, 1], ordered=True), "ordinal", (3, 1), "ranked categories"),
        ([None, NAN], "numeric", (), "no known cell"),
        (pd.Categorical([None], categories=["a"]), "nominal", ("a",), "category type"),
    ],
    ids=label,
)
def test_the_rules(cells: Any, kind: str, categories: tuple[Any, ...], reason: str) -> None:
    found = feature(cells)
    assert (found.kind, found.categories, found.reason) == (kind, categories, reason)
    assert [type(c) for c in found.categories] == [type(c) for c in categories]
    assert found.missing == sum(pd.isna(cells))
    assert found.is_split_on


def test_mixed_cells_are_nominal_and_say_so() -> None:
    with pytest.warns(DataWarning, match="mixes types"):
        found = feature([1, "a", 1])
    assert (found.kind, found.categories, found.reason) == ("nominal", ("1", "a"), "mixed types")


# Row labels


@pytest.mark.parametrize("name", sorted({*ROW_LABEL_NAMES, " ID ", "No."}))
@pytest.mark.parametrize("cells", [[3, 1, 2], ["x", "y", "z"]], ids=["numbers", "text"])
def test_distinct_cells_under_the_name_of_a_row_number_label_the_rows(name: str, cells: list[Any]) -> None:
    with pytest.warns(DataWarning, match="named like a row number: it is taken as row labels .*'nominal' or 'numeric'"):
        found = feature(cells, name=name)
    assert (found.kind, found.categories, found.is_split_on) == ("id", (), False)


@pytest.mark.parametrize("cells", [[1, 1, 2], [1, 2, None], [1.5, 2, 3], [1, 2]], ids=repr)
def test_other_cells_under_such_a_name_are_a_feature(cells: list[Any]) -> None:
    assert feature(cells, name="id").kind == "numeric"


def test_an_array_has_no_row_labels() -> None:
    assert Table.encode(np.array([[1], [2], [3]])).schema.features[0].kind == "numeric"


def test_a_category_type_says_that_it_is_none() -> None:
    assert feature(pd.Categorical(["x", "y", "z"]), name="id").kind == "nominal"


def test_text_that_identifies_rows_is_kept_with_a_warning() -> None:
    with pytest.warns(DataWarning, match=r"column 'a' has a different value in each of the 3 rows.*kinds={'a': 'id'}"):
        assert feature(["x", "y", "z"]).kind == "nominal"


@pytest.mark.parametrize("cells", [["x", "y"], ["x", "y", "y"], ["x", "y", None]], ids=repr)
def test_text_that_does_not_identify_rows_needs_no_warning(cells: list[Any]) -> None:
    assert feature(cells).kind == "nominal"


# Kinds that are declared


@pytest.mark.parametrize(
    ("cells", "kind", "categories"),
    [
        ([3, 1, 3], "nominal", (1, 3)),
        ([3, 1.5, 3], "nominal", (1.5, 3)),
        ([3, 1, None], "ordinal", (1, 3)),
        (["a", "a"], "ordinal", ("a",)),
        ([True, False], "ordinal", (False, True)),
        ([True, False], "numeric", ()),
        (["1", "2.5"], "numeric", ()),
        (["x", "y"], "id", ()),
        ([1, 1], "id", ()),
        ([1, 2], "weight", ()),
        (["1", "2"], "weight", ()),
        (pd.Categorical(["lo", "hi"], categories=["lo", "hi"]), "ordinal", ("lo", "hi")),
        (pd.Categorical(["lo", "hi"], categories=["lo", "hi"], ordered=True), "nominal", ("lo", "hi")),
        (["a", None, "a"], "ordinal", ("a",)),
    ],
    ids=label,
)
def test_a_declared_kind_holds(cells: Any, kind: str, categories: tuple[Any, ...]) -> None:
    found = feature(cells, kind)
    assert (found.kind, found.categories) == (kind, categories)
    assert found.reason == "declared"


@pytest.mark.parametrize(
    ("cells", "kind", "message"),
    [
        (["lo", "hi"], "ordinal", "declared ordinal, but holds text whose order is not known"),
        (["1", "x", "y"], "numeric", r"column 'a' is numeric \(declared.*\), but row 1 holds 'x' \(2 such cells\)"),
        (["1", "x"], "weight", "column 'a' is weight .* row 1 holds 'x'"),
        ([1, None], "weight", "weight column 'a' has a missing cell in row 1"),
        ([1, float("inf")], "nominal", "column 'a', row 1: infinity is no category"),
        ([float("-inf"), 1], "ordinal", "column 'a', row 0: infinity is no category"),
    ],
)
def test_a_declared_kind_that_the_cells_cannot_be(cells: list[Any], kind: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        feature(cells, kind)


@pytest.mark.parametrize("key", ["x1", 1])
def test_kinds_by_position(key: Any) -> None:
    schema = Table.encode(np.array([[1, 2], [3, 4]]), {key: "nominal"}).schema
    assert [f.kind for f in schema.features] == ["numeric", "nominal"]


def test_a_name_comes_before_a_position() -> None:
    schema = Table.encode({"a": [1, 2], "0": [1, 2]}, {0: "nominal"}).schema
    assert [f.kind for f in schema.features] == ["numeric", "nominal"]


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        (
            {"colour": "nominal"},
            r"kinds names the column 'colour', which is not .*'color', 'b'.*Did you mean 'color'\?",
        ),
        ({2: "nominal"}, "kinds names the column 2"),
        ({-1: "nominal"}, "kinds names the column -1"),
        ({True: "nominal"}, "kinds names the column True"),
        ({"b": "nominl"}, r"kinds\['b'\]='nominl' is not a kind; allowed are 'numeric'.*Did you mean 'nominal'\?"),
        ({"b": None}, "is not a kind"),
        (["nominal"], "kinds"),
    ],
)
def test_kinds_that_are_wrong(kinds: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Table.encode({"color": [1, 2], "b": [1, 2]}, kinds)


# The schema


def test_a_schema_prints_as_a_table() -> None:
    grades = pd.Categorical(["lo", None], categories=["lo", "hi"], ordered=True)
    X = pd.DataFrame({"n": [1, 2], "grade": grades, "town": pd.Categorical(["a", "b"], categories=list("abcdefg"))})
    assert str(Table.encode(X).schema).split("\n") == [
        "column  kind     categories                   missing  why",
        "------  -------  ---------------------------  -------  -----------------",
        "n       numeric                                     0  numbers",
        "grade   ordinal  lo < hi                            1  ranked categories",
        "town    nominal  a, b, c, d, e, ... (2 more)        0  category type",
    ]


def test_the_position_of_a_column() -> None:
    schema = Table.encode(pl.DataFrame({"size": [1], "shape": [2]})).schema
    assert (schema.index("shape"), len(schema), schema.names, schema.n_rows) == (1, 2, ["size", "shape"], 1)
    with pytest.raises(DataError, match=r"no column 'sise'; the columns are 'size', 'shape'\. Did you mean 'size'\?"):
        schema.index("sise")


def test_names_must_be_different() -> None:
    with pytest.raises(DataError, match="'a' occurs more than once"):
        Schema((Feature("a", "numeric"), Feature("b", "numeric"), Feature("a", "nominal")))
