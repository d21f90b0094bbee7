"""From every kind of table that users have to plain columns."""

import decimal
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deciduous.data import columns
from deciduous.data.columns import UNREAD, Column, labels_of
from deciduous.data.frames import columns_of
from deciduous.errors import DataWarning

NAN = float("nan")
Enum = pl.Enum(["c", "a", "b"])


def column(X: Any) -> Column:
    (only,) = columns_of(X).columns
    return only


def cells(found: Column) -> list[Any]:
    if found.text is not None:
        return found.text.to_list()
    return [None if v != v else v for v in found.numbers.tolist()]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
        pd.DataFrame({"a": [1, 2], "b": ["x", None]}, index=[7, 3]),
        pd.DataFrame({"a": [1, 2], "b": ["x", None]}).convert_dtypes(),
        pd.DataFrame({"a": [1, 2], "b": ["x", None]}).convert_dtypes(dtype_backend="pyarrow"),
        pl.DataFrame({"a": [1, 2], "b": ["x", None]}),
        pa.table({"a": [1, 2], "b": ["x", None]}),
        nw.from_native(pl.DataFrame({"a": [1, 2], "b": ["x", None]})),
        {"a": [1, 2], "b": ["x", None]},
        {"a": np.array([1, 2]), "b": pd.Series(["x", None])},
        {"a": (1, 2), "b": pl.Series(["x", None])},
        [{"a": 1, "b": "x"}, {"a": 2}],
        [{"a": 1, "b": "x"}, {"a": 2, "b": NAN}],
        np.array([(1, "x"), (2, None)], dtype=[("a", "f8"), ("b", "O")]),
    ],
    ids=lambda X: type(X).__module__ + "." + type(X).__name__,
)
def test_tables_with_names(X: Any) -> None:
    found = columns_of(X)
    assert (found.names, found.n_rows, found.named) == (["a", "b"], 2, True)
    assert [c.cells for c in found.columns] == ["number", "text"]
    assert [cells(c) for c in found.columns] == [[1, 2], ["x", None]]
    assert [c.missing().tolist() for c in found.columns] == [[False, False], [False, True]]
    assert [len(c) for c in found.columns] == [2, 2]


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1, "x"], [2, None]], dtype=object),
        [[1, "x"], [2, None]],
        [[1, "x"], (2, NAN)],
        ((1, "x"), (2, None)),
    ],
    ids=["array", "lists", "list and tuple", "tuples"],
)
def test_tables_with_positions(X: Any) -> None:
    found = columns_of(X)
    assert (found.names, found.n_rows, found.named) == (["x0", "x1"], 2, False)
    assert [cells(c) for c in found.columns] == [[1, 2], ["x", None]]


NUMBERS = [
    *(pd.Series([1, 2], dtype=dtype) for dtype in ("int8", "uint64", "float32", "Int64", "Float64", "int64[pyarrow]")),
    *(pl.Series([1, 2], dtype=dtype) for dtype in (pl.Int8, pl.UInt64, pl.Float32, pl.Decimal(10, 2))),
    pa.chunked_array([[1], [2]]),
    pa.chunked_array([[decimal.Decimal("1.0"), decimal.Decimal("2.0")]]),
    pd.Series([1, 2.0], dtype=object),
    pd.Series([1, decimal.Decimal(2)], dtype=object),
    pd.arrays.SparseArray([1, 2]),
]


def frame(series: Any) -> Any:
    if isinstance(series, pl.Series):
        return series.to_frame("a")
    return pa.table({"a": series}) if isinstance(series, pa.ChunkedArray) else pd.DataFrame({"a": series})


@pytest.mark.parametrize("series", NUMBERS, ids=lambda s: str(getattr(s, "dtype", getattr(s, "type", None))))
def test_numbers(series: Any) -> None:
    found = column(frame(series))
    assert (found.cells, cells(found), found.numbers.dtype) == ("number", [1, 2], np.float64)
    assert (found.declared, found.ordered) == (None, False)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i8", "u8"])
def test_numbers_in_arrays(dtype: str) -> None:
    found = column(np.array([[1], [2]], dtype=dtype))
    assert (found.name, found.cells, cells(found), found.numbers.dtype) == ("x0", "number", [1, 2], np.float64)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1.5, NAN]),
        pd.Series([1.5, None], dtype="Float64"),
        pd.Series([1.5, None], dtype="float64[pyarrow]"),
        pd.Series([1.5, pd.NA], dtype=object),
        pd.Series([1.5, None], dtype=object),
        pd.Series([1.5, pd.NaT], dtype=object),
        pd.Series([1.5, " "], dtype=object),
        pl.Series([1.5, None]),
        pl.Series([1.5, NAN]),
        pa.chunked_array([[1.5, None]]),
    ],
    ids=[
        *("pandas", "nullable", "pandas arrow", "object NA", "object None", "object NaT", "object blank"),
        *("polars null", "polars NaN", "arrow"),
    ],
)
def test_missing_numbers(series: Any) -> None:
    assert cells(column(frame(series))) == [1.5, None]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series([True, None, False], dtype="bool[pyarrow]"),
        pd.Series([True, None, False], dtype=object),
        pd.Series([np.True_, NAN, np.False_], dtype=object),
        pl.Series([True, None, False]),
        pa.chunked_array([[True, None, False]]),
    ],
    ids=lambda s: str(getattr(s, "dtype", "arrow")),
)
def test_truth_values(series: Any) -> None:
    found = column(frame(series))
    assert (found.cells, cells(found), labels_of(found)) == ("bool", [1, None, 0], (True, False))


@pytest.mark.parametrize("array", [np.array([[True], [False]]), [[True], [False]]], ids=["array", "list"])
def test_truth_values_in_arrays(array: Any) -> None:
    assert (column(array).cells, cells(column(array))) == ("bool", [1, 0])


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(["a", None, " "], dtype=object),
        pd.Series(["a", None, " "], dtype="string"),
        pd.Series(["a", None, " "], dtype="string[pyarrow]"),
        pd.Series(["a", NAN, " "]),
        pl.Series(["a", None, " "]),
        pa.chunked_array([["a", None, " "]]),
    ],
    ids=lambda s: str(getattr(s, "dtype", "arrow")),
)
def test_text_is_kept_as_it_is(series: Any) -> None:
    found = column(frame(series))
    assert (found.cells, cells(found)) == ("text", ["a", None, " "])


@pytest.mark.parametrize("dtype", ["U3", "S3", "O"])
def test_text_in_arrays(dtype: str) -> None:
    assert cells(column(np.array([["a"], ["bc"]], dtype=dtype))) == ["a", "bc"]


CATEGORIES = pd.Categorical(["a", None, "b"], categories=["c", "a", "b"])


@pytest.mark.parametrize(
    ("series", "ordered"),
    [
        (pd.Series(CATEGORIES), False),
        (pd.Series(CATEGORIES.as_ordered()), True),
        (pl.Series(["a", None, "b"], dtype=Enum), False),
        (pa.chunked_array([pa.DictionaryArray.from_arrays([1, None, 2], ["c", "a", "b"])]), False),
        (pa.chunked_array([pa.DictionaryArray.from_arrays([1, None, 2], ["c", "a", "b"], ordered=True)]), True),
    ],
    ids=["pandas", "pandas ordered", "polars", "arrow", "arrow ordered"],
)
def test_categories_keep_their_order_and_those_that_no_row_has(series: Any, ordered: bool) -> None:
    found = column(frame(series))
    assert (found.cells, cells(found)) == ("text", ["a", None, "b"])
    assert (found.declared, found.ordered) == (("c", "a", "b"), ordered)


@pytest.mark.parametrize(
    ("labels", "kind", "declared"),
    [
        ([3, 1, 2], "number", (3, 1, 2)),
        ([0.5, 2.0], "number", (0.5, 2)),
        ([True, False], "bool", (True, False)),
        ([], "number", ()),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_categories_of_other_types(labels: list[Any], kind: str, declared: tuple[Any, ...], known: bool) -> None:
    codes = [0, -1] if known and labels else [-1, -1]
    found = column(frame(pd.Series(pd.Categorical.from_codes(codes, categories=labels))))
    assert found.declared == declared
    assert [type(label) for label in found.declared] == [type(label) for label in declared]
    assert len(found) == 2
    assert found.missing().tolist() == [c < 0 for c in codes]
    assert found.cells == kind or not known


def test_polars_categories_are_those_of_the_column() -> None:
    pl.Series(["other"], dtype=pl.Categorical)
    assert column(pl.DataFrame({"a": pl.Series(["q", "p", "q"], dtype=pl.Categorical)})).declared == ("q", "p")


def test_a_list_of_dicts_has_all_their_names_in_order() -> None:
    found = columns_of([{"b": 1}, {"a": "x", "b": 2}])
    assert [(c.name, cells(c)) for c in found.columns] == [("b", [1, 2]), ("a", [None, "x"])]


@pytest.mark.parametrize("X", [pd.DataFrame({0: [1], 1: [2]}), {0: [1], 1: [2]}], ids=["pandas", "dict"])
def test_column_names_become_text(X: Any) -> None:
    assert columns_of(X).names == ["0", "1"]


@pytest.mark.parametrize(
    "series", [pd.Series([None, None], dtype=object), pl.Series([None, None])], ids=["pandas", "polars"]
)
def test_a_column_without_a_known_cell(series: Any) -> None:
    assert column(frame(series)).missing().all()
    assert len(column(frame(series))) == 2


@pytest.mark.parametrize("mixed", [[1, "a", None], [True, "a", None], [True, 2, None], [1.5, "a", " "]])
def test_mixed_types_become_text_with_a_warning(mixed: list[Any]) -> None:
    with pytest.warns(DataWarning, match="column 'a' mixes types .*taken as categories by their text"):
        found = column({"a": mixed})
    assert (found.cells, found.note) == ("text", "mixed types")
    assert cells(found) == [None if cell is None else str(cell) for cell in mixed]


LARGE = [2**60, 2**60 + 1, 5]


@pytest.mark.parametrize(
    "X",
    [{"a": LARGE}, pd.DataFrame({"a": LARGE}), pl.DataFrame({"a": LARGE}), pd.DataFrame({"a": LARGE}, dtype="Int64")],
    ids=["dict", "pandas", "polars", "nullable"],
)
def test_integers_that_floats_cannot_tell_apart(X: Any) -> None:
    with pytest.warns(DataWarning, match=r"column 'a' has integers beyond 2\^53; .* 1 of its different values"):
        columns_of(X)


@pytest.mark.parametrize(
    "X",
    [np.array([[2**53], [2**53 + 1]]), pl.DataFrame({"x0": [2**53, 2**53 + 1]})],
    ids=["array", "polars"],
)
def test_the_first_integer_that_floats_cannot_tell_apart(X: Any) -> None:
    with pytest.warns(DataWarning, match=r"column 'x0' has integers beyond 2\^53"):
        columns_of(X)


@pytest.mark.parametrize("X", [{"a": [2**60, 5]}, np.array([[2**60], [5]])], ids=["dict", "array"])
def test_large_integers_that_stay_different_are_fine(X: Any) -> None:
    assert cells(column(X)) == [2**60, 5]


def test_two_columns_of_an_arrow_table_may_hold_the_same_cells() -> None:
    assert columns_of(pa.table({"a": [1, 2], "b": [1, 2]})).names == ["a", "b"]


@pytest.mark.parametrize(
    "series",
    [pd.Series(CATEGORIES.as_ordered()), CATEGORIES, pl.Series(["a"], dtype=Enum)],
    ids=["series", "categorical", "polars"],
)
def test_a_dict_of_categories(series: Any) -> None:
    assert column({"a": series}).declared == ("c", "a", "b")


def test_a_dict_of_arrow_arrays() -> None:
    assert cells(column({"a": pa.array([1, None])})) == [1, None]


OBJECTS = [
    ["a", "b", "a"],
    ["a", None, NAN, pd.NaT, ""],
    [" ", "", None],
    [np.str_("a"), "b"],
    [1, 2, None, 3],
    [1, 2.5, NAN],
    [np.int8(1), np.float32(NAN), np.float64(2), 0.1],
    [2**60, 1],
    [2**53 - 1, -(2**53 - 1), 1.0],
    [float("inf"), 1],
    [True, False, None],
    [np.True_, NAN, False],
    [None, NAN, pd.NaT],
    [1.5, " "],
    [decimal.Decimal(1), 2],
    [decimal.Decimal("NaN"), 2],
    ["a", pd.NA],
    [True, pd.NA],
    [],
]


@pytest.mark.parametrize("objects", OBJECTS, ids=repr)
def test_a_look_at_the_types_finds_what_a_look_at_each_cell_finds(
    objects: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = columns.from_objects("a", objects)
    monkeypatch.setattr(columns, "_from_plain_objects", lambda name, cells: None)
    slow = columns.from_objects("a", objects)
    assert (quick.cells, cells(quick), quick.note) == (slow.cells, cells(slow), slow.note)


@pytest.mark.parametrize(
    "make",
    [pd.Series, lambda c: pd.Series(c, dtype="category"), pl.Series, lambda c: pl.Series(c, dtype=pl.Categorical)],
    ids=["pandas", "pandas categories", "polars", "polars categories"],
)
def test_ordinary_columns_are_not_read_cell_by_cell(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a loop over cells")

    monkeypatch.setattr(columns, "_cell_kind", refuse)
    assert cells(column(frame(make(["b", None, "a"])))) == ["b", None, "a"]


def test_floats_are_not_copied() -> None:
    numbers = np.arange(6.0).reshape(3, 2)
    fortran = np.asfortranarray(numbers)
    for X in (numbers, fortran, pd.DataFrame(numbers, copy=False), pl.DataFrame({"a": fortran[:, 0]})):
        array = fortran if X is fortran or isinstance(X, pl.DataFrame) else numbers
        assert all(np.shares_memory(c.numbers, array) for c in columns_of(X).columns)


def test_columns_that_nobody_asks_for_are_not_read() -> None:
    odd = {"a": [1], "b": [{2}], "c": ["x"]}
    found = columns_of(pd.DataFrame(odd), only={"a"})
    assert (found.names, found.present) == (["a"], ("a", "b", "c"))
    found = columns_of(np.array([[1, {2}, "x"]], dtype=object), at=[0, 2])
    assert [c is UNREAD for c in found.columns] == [False, True, False]


def test_categories_of_arrow_chunks_with_dictionaries_of_their_own() -> None:
    chunks = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", None, "a"]).dictionary_encode()]
    found = column(pa.table({"a": pa.chunked_array(chunks)}))
    assert (cells(found), found.declared) == (["b", "a", "c", None, "a"], ("b", "a", "c"))


@pytest.mark.parametrize("numbers", [[1.0, 2.0], [1.0, NAN], [1.0, float("inf")]], ids=str)
def test_one_look_at_an_array_finds_only_finite_numbers(numbers: list[float]) -> None:
    assert columns_of(np.array([numbers])).all_finite() == all(map(np.isfinite, numbers))
    assert not columns_of({"a": numbers}).all_finite()  # no array: nothing is known


@pytest.mark.parametrize("scale", [1.0, 1e300])
@pytest.mark.parametrize("odd", [None, np.nan, np.inf, -np.inf])
def test_a_look_at_a_matrix_shows_what_is_not_finite(scale: float, odd: float | None) -> None:
    matrix = np.full((300, 4), scale * 1.7e8)
    if odd is not None:
        matrix[17, 2] = odd
    assert columns_of(matrix).all_finite() is (odd is None)
