# ruff: noqa: E501  (lists to be read in columns: one entry a line)
"""Tables, targets and weights that an estimator may be given, and how each must end: see hostile.py."""

from __future__ import annotations

import collections
import datetime
import enum
import fractions
import pathlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

nan, inf = float("nan"), float("inf")
day = datetime.date(2024, 1, 31)


# --- tables, targets, weights and options --------------------------------------------------------------------------

#: Our own estimators by task; an entry says what classifiers and what the regressor must answer.
WORKS = None


@dataclass(frozen=True)
class Input:
    """Something given to an estimator, made afresh for every use, and how it must end.

    `says`: what the message of a classifier must hold, `numbers` that of the regressor; None where it must work.
    """

    name: str
    make: Callable[[], Any]
    says: str | None = None
    numbers: str | None = None
    wrong: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    def expected(self, task: str) -> str | None:
        return self.numbers if task == "number" else self.says


def both(name: str, make: Callable[[], Any], says: str | None = None, wrong: str = "", **options: Any) -> Input:
    """An input that all estimators must answer alike."""
    return Input(name, make, says, says, wrong, options)


def one(cells: Any, **more: Any) -> Callable[[], Any]:
    """A pandas frame with the one column `a`."""
    return lambda: pd.DataFrame({"a": cells}, **more)


def polars(cells: Any, dtype: Any = None) -> Callable[[], Any]:
    return lambda: pl.DataFrame({"a": pl.Series(cells, dtype=dtype)})


def arrow(cells: Any, dtype: Any = None) -> Callable[[], Any]:
    return lambda: pa.table({"a": pa.array(cells, dtype)})


class ArrayLike:
    """Something that turns into an array."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


DATES, CELL, FLAT, ZERO = (
    "holds dates or times",
    "must be a string or a number",
    "got 1D array",
    "a minimum of 1 is required",
)
INFINITY = "row 1: infinity"

TABLES: list[Input] = [
    # no table at all
    both("None", lambda: None, "None"),
    both("a number", lambda: 3, "0D array"),
    both("text", lambda: "loan.csv", "To read a file use deciduous.read_table(path)"),
    both("bytes", lambda: b"abc", "To read a file use deciduous.read_table(path)"),
    both("a path", lambda: pathlib.Path("loan.csv"), "read_table"),
    both("a generator of rows", lambda: ([i] for i in range(4)), "Expected 2D array"),
    both("an iterator of rows", lambda: iter([[1], [2]]), "Expected 2D array"),
    both("a range", lambda: range(4), FLAT),
    both("a set", lambda: {1, 2, 3}, "Expected 2D array"),
    both("sets for rows", lambda: [{1}, {2}], FLAT),
    both("a function", lambda: len, "Expected 2D array"),
    both("no rows, no columns", lambda: np.zeros((0, 0)), ZERO),
    both("no rows", lambda: np.zeros((0, 3)), ZERO),
    both("no columns", lambda: np.zeros((3, 0)), ZERO),
    both("an empty list", list, "shape (0,)"),
    both("empty rows", lambda: [[], []], ZERO),
    both("an empty dict", dict, ZERO),
    both("0-D", lambda: np.array(3.0), "0D array"),
    both("1-D", lambda: np.arange(4.0), FLAT),
    both("1-D list", lambda: [1, 2, 3, 4], FLAT),
    both("1-D text", lambda: ["a", "b"], FLAT),
    both("3-D", lambda: np.zeros((4, 2, 2)), "got 3D array"),
    both("ragged", lambda: [[1, 2], [3]], "equally many cells in every row"),
    both("ragged text", lambda: [["a", "b"], ["c"]], "equally many cells in every row"),
    both("None for a row", lambda: [None, [1]], "equally many cells in every row"),
    both("a number for a row", lambda: [[1, 2], 3], "equally many cells in every row"),
    both("dicts and lists for rows", lambda: [{"a": 1}, [2]], "equally many cells in every row"),
    both("nested lists", lambda: [[[[[[1]]]]]], "got 6D array"),
    both("columns of different length", lambda: {"a": [1, 2], "b": [1]}, "the columns must have equally many rows"),
    both("one row as a dict", lambda: {"a": 1, "b": "x"}, "column 'a'"),
    both("a dict with None for a column", lambda: {"a": None}, "column 'a'"),
    both("a dict with text for a column", lambda: {"a": "xyz"}, "column 'a'"),
    both("a dict of dicts", lambda: {"a": {"b": 1, "c": 2}}, "column 'a'"),
    both("a dict with a 2-D column", lambda: {"a": np.zeros((3, 2))}, "column 'a', row 0"),
    both("a dict whose keys are the same text", lambda: {1: [1, 2], "1": [3, 4]}, "found more than once: '1'"),
    both("lazy", lambda: pl.LazyFrame({"a": [1, 2]}), "pass X.collect()"),
    both("polars expression", lambda: pl.col("a"), "Expected 2D array"),
    both("groups", lambda: pl.DataFrame({"a": [1]}).group_by("a"), "Expected 2D array"),
    both("sparse matrix", lambda: sp.csr_matrix(np.eye(4)), "Sparse matrices are not supported"),
    both("sparse array", lambda: sp.coo_array(np.eye(4)), "Sparse matrices are not supported"),
    both("pandas series", lambda: pd.Series([1, 2, 3]), FLAT),
    both("polars series", lambda: pl.Series([1, 2, 3]), FLAT),
    both("arrow array", lambda: pa.array([1, 2]), FLAT),
    both("arrow chunks", lambda: pa.chunked_array([[1, 2]]), FLAT),
    both("pandas index", lambda: pd.Index([1, 2]), FLAT),
    both("a memory view of rows", lambda: memoryview(np.eye(3))),
    # odd tables that are tables
    both("one cell", lambda: [[1]]),
    both("one row", lambda: [[1, 2, 3]]),
    both("tuples", lambda: ((1, 2), (3, 4), (5, 6))),
    both("a deque", lambda: collections.deque([[1], [2]])),
    both("dicts for rows, some cells missing", lambda: [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": 3}, {}]),
    both("a dict of columns", lambda: {"a": [1, 2, 3], "b": ["x", "y", "x"]}),
    both("a dict of series", lambda: {"a": pd.Series([1, 2, 3]), "b": pl.Series([1, 2, 3])}),
    both("an array-like", lambda: ArrayLike(np.eye(3))),
    both("arrays for rows", lambda: [np.arange(3), np.arange(3)]),
    both("structured array", lambda: np.array([(1, "a"), (2, "b")], [("n", "i4"), ("t", "U1")])),
    both("record array", lambda: np.rec.array([(1, "a"), (2, "b")], dtype=[("n", "i4"), ("t", "U1")])),
    both("structured array, 2-D", lambda: np.zeros((2, 2), [("n", "i4")]), "column 'n', row 0"),
    both("structured array, nested", lambda: np.zeros(2, [("t", [("p", "i4"), ("q", "i4")])]), "column 't', row 0"),
    both("void", lambda: np.zeros((2, 1), "V3"), CELL),
    # numbers
    both("infinity", lambda: [[1.0], [inf], [2.0]], INFINITY),
    both("minus infinity", one([1.0, -inf]), "column 'a', row 1: infinity (-inf)"),
    both("infinity beside NaN", lambda: [[nan], [inf]], INFINITY),
    both("the largest numbers", lambda: [[1e308], [-1e308], [1e308]]),
    both("the smallest numbers", lambda: [[5e-324], [0.0], [-5e-324]]),
    both("minus zero", lambda: [[0.0], [-0.0], [1.0]]),
    both("integers beyond 2^53", lambda: np.array([[2**53], [2**53 + 1], [2**53 + 2]])),
    both("integers of 30 digits", lambda: [[10**30], [10**30 + 1], [3]]),
    both("integers of 400 digits", lambda: [[10**400], [1]], "row 0"),
    both("long doubles", lambda: np.eye(3, dtype=np.longdouble)),
    both("long doubles out of range", lambda: np.array([["1e400"], ["1"]]).astype(np.longdouble), "row 0"),
    *(both(f"dtype {d}", lambda d=d: np.eye(4).astype(d)) for d in ("f2", "f4", "i1", "u8", ">f8", ">i4", "?", "O")),
    both("complex", lambda: np.ones((3, 2), complex), "Complex data not supported"),
    both("complex cells", one([1j, 2j]), "column 'a', row 0"),
    both("Decimal", lambda: [[Decimal("1.5")], [Decimal("NaN")], [Decimal("2")]]),
    both("Decimal infinity", lambda: [[Decimal("2")], [Decimal("Infinity")]], INFINITY),
    both("Decimal sNaN", lambda: [[Decimal("2")], [Decimal("sNaN")]], "row 1"),
    both("fractions", lambda: [[fractions.Fraction(1, 2)], [fractions.Fraction(1, 3)]], CELL),
    both("NumPy scalars", lambda: [[np.float32(1)], [np.int8(2)]]),
    both("NumPy scalars of several kinds", lambda: [[np.float32(1)], [np.int8(2)], [np.bool_(True)]]),
    both("half floats as objects", lambda: np.array([[np.float16("nan")], [np.float32(2)]], object)),
    both("IntEnum", lambda: [[Level.LOW], [Level.HIGH]]),
    both("read-only", lambda: np.frombuffer(np.eye(4).tobytes()).reshape(4, 4)),
    both("Fortran order", lambda: np.asfortranarray(np.eye(4))),
    both("strided backwards", lambda: np.arange(40.0).reshape(8, 5)[::-2, ::2]),
    both("broadcast", lambda: np.broadcast_to(np.arange(3.0), (4, 3))),
    both("3,000 columns", lambda: np.arange(15_000.0).reshape(5, 3_000), max_depth=0),
    both("60 columns", lambda: np.arange(300.0).reshape(5, 60)),
    both("all rows identical", lambda: np.ones((6, 3))),
    both("all cells missing", lambda: np.full((4, 2), nan)),
    both("all cells None", lambda: [[None], [None]]),
    both("one column all missing", lambda: pd.DataFrame({"a": [nan] * 4, "b": [1, 2, 3, 4]})),
    # text
    both("words for missing", lambda: [["None"], ["nan"], ["NA"]]),
    both("empty text", lambda: [[""], [""], [""]]),
    both("blank text", lambda: [["a"], [""], [" "]]),
    both("numbers as text", lambda: [["1", "2"], ["3", "4"]]),
    both("fixed-width text", lambda: np.array([["a", "1"], ["b", "2"]])),
    both("NumPy's text", lambda: np.array([["a"], ["b"], ["a"]], np.dtypes.StringDType())),
    both("NumPy's text with None", lambda: np.array([["a"], [None]], np.dtypes.StringDType(na_object=None))),
    both("fixed-width bytes", lambda: np.array([[b"a"], [b"b"], [b"\xff"]])),
    both("bytes for cells", lambda: np.array([[b"a"], [b"b"]], object), CELL),
    both("NUL in text", lambda: [["a\0b"], ["x"]]),
    both("surrogates", lambda: [["\ud800"], ["x"]], "row 0"),
    both("100,000 characters", lambda: [["a" * 100_000], ["b"]]),
    both("control characters in names and cells", lambda: pd.DataFrame({"a\n\x1b[31m\0": ["x\r\n", "y\t"]})),
    both("right to left", lambda: pd.DataFrame({"\u202eabc": ["\u2066x", "y"]})),
    both("our own words", lambda: pd.DataFrame({"prediction": ["is missing", "-> x: 3 rows"], "node": ["{", "}"]})),
    # mixed cells
    both("numbers and text", one([1, "x", 2.5, None])),
    both("bools and numbers", one([True, 2, None], dtype=object)),
    both("bools and text", lambda: [[True], ["x"], ["True"]]),
    both("numbers and blanks", lambda: [[1], [""], ["  "], [2.5]]),
    both("pandas NA among objects", one(pd.Series([1, pd.NA, "x"], dtype=object))),
    both("NaT among objects", one(pd.Series([pd.NaT, 1, 2], dtype=object))),
    *(
        both(f"cells: {name}", lambda cell=cell: pd.DataFrame({"a": pd.Series([cell, cell], dtype=object)}), CELL)
        for name, cell in [
            ("lists", [1]),
            ("dicts", {1: 2}),
            ("sets", {1}),
            ("tuples", (1,)),
            ("types", int),
            ("enums", Colour.RED),
            ("UUIDs", uuid.UUID(int=1)),
            ("ellipses", ...),
            ("objects", object()),
            ("intervals", pd.Interval(0, 1)),
            ("periods", pd.Period("2024")),
        ]
    ),
    # dates
    both("datetime64", lambda: np.array([["2024-01-01"], ["2024-01-02"]], "M8[D]"), DATES),
    both("timedelta64", lambda: np.array([[1], [2]], "m8[s]"), DATES),
    both("dates as objects", lambda: [[day], [day]], DATES),
    both("times as objects", lambda: [[datetime.time(1)], [datetime.time(2)]], DATES),
    both("timestamps as objects", lambda: [[pd.Timestamp("2024")], [1]], DATES),
    both("pandas dates", lambda: pd.DataFrame({"when": pd.to_datetime(["2024-01-01", None])}), "column 'when' holds dates"),
    both("pandas dates of a zone", one(pd.to_datetime(["2024-01-01"] * 2).tz_localize("UTC")), DATES),
    both("pandas periods", one(pd.period_range("2024", periods=3)), "column 'a'"),
    # pandas' own types
    both("nullable integers", one(pd.array([1, None, 3], "Int64"))),
    both("nullable floats", one(pd.array([1.5, None, 3], "Float32"))),
    both("nullable bools", one(pd.array([True, None, False], "boolean"))),
    both("nullable text", one(pd.array(["x", None, "y"], "string"))),
    both("nullable integers, all missing", one(pd.array([None, None], "Int64"))),
    both("nullable text, all missing", one(pd.array([None, None], "string"))),
    *(
        both(
            f"pandas over arrow: {dtype}",
            lambda c=cells, t=dtype: pd.DataFrame({"a": pd.array(c, pd.ArrowDtype(t))}),
            says,
        )
        for cells, dtype, says in [
            (["x", None, "y"], pa.string(), WORKS),
            ([1, None, 3], pa.int64(), WORKS),
            ([True, None, False], pa.bool_(), WORKS),
            ([Decimal("1.5"), None], pa.decimal128(5, 2), WORKS),
            ([None, None], pa.null(), WORKS),
            (["x", "y", None], pa.dictionary(pa.int32(), pa.string()), WORKS),
            ([day], pa.date32(), DATES),
            ([[1], [2]], pa.list_(pa.int64()), "column 'a' holds List"),
            ([b"x", b"y"], pa.binary(), "column 'a', row 0"),
        ]
    ),
    both("sparse columns", lambda: pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(np.eye(4)))),
    both("shuffled index", one([1, 2, 3], index=[5, 5, 1])),
    both("index alone", lambda: pd.DataFrame(index=[1, 2, 3]), ZERO),
    both("columns alone", lambda: pd.DataFrame(columns=["a", "b"]), ZERO),
    both("MultiIndex columns", lambda: pd.DataFrame(np.eye(3), columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")]))),
    both("duplicate names", lambda: pd.DataFrame(np.eye(2), columns=["a", "a"]), "'a' (columns 0, 1)"),
    both("duplicate names in arrow", lambda: pa.table([[1, 2], [3, 4]], ["a", "a"]), "'a' (columns 0, 1)"),
    both("names that become the same text", lambda: pd.DataFrame(np.eye(2), columns=[1, "1"]), "'1' (columns 0, 1)"),
    both("integer names", lambda: pd.DataFrame(np.eye(3))),
    both("names of several types", lambda: pd.DataFrame(np.eye(3), columns=[1, "b", None])),
    both("names that are dates", lambda: pd.DataFrame(np.eye(2), columns=pd.to_datetime(["2024-01-01", "2024-01-02"]))),
    both("names that are bytes", lambda: pd.DataFrame(np.eye(2), columns=[b"a", b"b"])),
    # categories
    both("category", one(pd.Categorical(["x", None, "y"]))),
    both("empty text as a category", one(pd.Categorical(["", "x", ""]))),
    both("unused categories", one(pd.Categorical(["x", "x"], categories=["x", "y", "z"]))),
    both("1,000 categories", one(pd.Categorical([f"c{i % 7}" for i in range(20)], categories=[f"c{i}" for i in range(1000)]))),
    both("integers as categories", one(pd.Categorical([3, 1, 3]))),
    both("bools as categories", one(pd.Categorical([True, False, None]))),
    both("fractions as categories", one(pd.Categorical([1.5, 2.5, 1.5]))),
    both("infinity as a category", one(pd.Categorical([inf, 2.5, 1.5])), "column 'a'"),
    both("dates as categories", one(pd.Categorical([day, day])), DATES),
    both("timestamps as categories", one(pd.Categorical(pd.to_datetime(["2024-01-01", "2024-01-02"]))), DATES),
    both("intervals as categories", one(pd.cut([1, 2, 3, 4], 2)), "column 'a'"),
    both("numbers and text as categories", one(pd.Categorical([1, "x", 1]))),
    both("1 and '1' as categories", one(pd.Categorical([1, "1", 1])), "column 'a'"),
    both("category of no level", one(pd.Categorical([None, None, None]))),
    both("category without a known cell", one(pd.Categorical([None, None], categories=["x", "y"]))),
    both("ranked categories", one(pd.Categorical(["lo", "hi", "mid", None], categories=["lo", "mid", "hi"], ordered=True))),
    both("ranked numbers", one(pd.Categorical([10, 2, 30], categories=[10, 2, 30], ordered=True))),
    both("one ranked category", one(pd.Categorical(["lo", "lo"], categories=["lo"], ordered=True))),
    # polars
    both("polars Categorical", polars(["x", "y", None], pl.Categorical)),
    both("polars Enum", polars(["x", "y", None], pl.Enum(["z", "y", "x"]))),
    both("polars Enum of no level", polars([None, None], pl.Enum([]))),
    both("polars Categorical, all missing", polars([None, None], pl.Categorical)),
    both("polars Null", polars([None, None, None])),
    both("polars Boolean", polars([True, False, None])),
    both("polars Int128", polars([1, 2], pl.Int128)),
    both("polars UInt64", polars([2**64 - 1, 2**64 - 2, 0], pl.UInt64)),
    both("polars Float32", polars([1.1, nan, None], pl.Float32)),
    both("polars Decimal", polars([Decimal("1.5"), None])),
    both("polars Date", polars([day, None]), DATES),
    both("polars Datetime", polars([datetime.datetime(2024, 1, 1)]), DATES),
    both("polars Duration", polars([datetime.timedelta(1)]), DATES),
    both("polars Time", polars([datetime.time(1)]), DATES),
    both("polars List", polars([[1], [2]]), "column 'a' holds List"),
    both("polars Array", polars([[1], [2]], pl.Array(pl.Int8, 1)), "column 'a' holds Array"),
    both("polars Struct", polars([{"b": 1}, {"b": 2}]), "column 'a' holds Struct"),
    both("polars Binary", polars([b"a", b"b"]), "column 'a', row 0"),
    both("polars Object", polars([object(), object()], pl.Object), "column 'a', row 0"),
    both("polars without columns", lambda: pl.DataFrame(), ZERO),
    both("polars without rows", polars([]), ZERO),
    # arrow
    both("arrow", lambda: pa.table({"a": [1, 2, None], "b": ["x", None, "y"]})),
    both("arrow batch", lambda: pa.RecordBatch.from_pydict({"a": [1, 2]})),
    both("arrow dictionary", lambda: pa.table({"a": pa.array(["x", "y", None]).dictionary_encode()})),
    both("arrow dictionary of integers", lambda: pa.table({"a": pa.array([5, 6, None]).dictionary_encode()})),
    both("arrow dictionary, ranked", lambda: pa.table({"a": pa.DictionaryArray.from_arrays([0, 1, None], ["x", "y"], ordered=True)})),
    both("arrow dictionary that holds null", lambda: pa.table({"a": pa.DictionaryArray.from_arrays([0, 1, 2], pa.array(["x", None, "y"]))})),
    both("arrow nulls", lambda: pa.table({"a": pa.nulls(3)})),
    both("arrow large text", arrow(["x", "y"], pa.large_string())),
    both("arrow text views", arrow(["x", "y"], pa.string_view())),
    both("arrow decimals", arrow([Decimal("1.5")], pa.decimal256(40, 2))),
    both("arrow maps", arrow([[("k", 1)]], pa.map_(pa.string(), pa.int64())), "column 'a' holds Map"),
    both("arrow times", arrow([1, 2], pa.time32("s")), DATES),
    both("arrow durations", arrow([1, 2], pa.duration("s")), DATES),
    both("arrow binary", arrow([b"a", b"b"]), "column 'a', row 0"),
]  # fmt: skip

TEXT, LABEL, NUMBER, ROWS_OF_Y = "holds text", "is no class label", "is not a number", "one target a row"


def text(name: str, make: Callable[[], Any], wrong: str = "") -> Input:
    """A target of words: for classifiers only."""
    return Input(name, make, WORKS, TEXT, wrong)


#: Targets for a table of six rows with the columns `n` (numbers) and `t` (text).
TARGETS: list[Input] = [
    both("None", lambda: None, "the target y is None"),
    both("a number", lambda: 3, ROWS_OF_Y),
    both("no column", lambda: "tt", "Did you mean 't'?"),
    Input("a column of text", lambda: "t", WORKS, TEXT),
    both("a column of numbers", lambda: "n"),
    both("bytes", lambda: b"ababab", ROWS_OF_Y),
    both("a dict", lambda: {"a": 1}, ROWS_OF_Y),
    both("a set", lambda: {1, 2, 3, 4, 5, 6}, ROWS_OF_Y),
    both("a generator", lambda: (i for i in range(6)), ROWS_OF_Y),
    both("a lazy frame", lambda: pl.LazyFrame({"y": [1] * 6}), ROWS_OF_Y),
    both("a sparse column", lambda: sp.csr_matrix([[0], [1]] * 3), "parse"),
    both("empty", list, "[6, 0]"),
    both("too short", lambda: [0, 1, 0], "[6, 3]"),
    both("too long", lambda: [0, 1] * 6, "[6, 12]"),
    both("3-D", lambda: np.zeros((6, 1, 1)), "shape (6, 1, 1)"),
    both("0-D", lambda: np.array(1), "shape ()"),
    both("lists", lambda: [[0], [1]] * 3, "row 0 holds [0]"),
    both("ragged lists", lambda: [[0], [1, 2]] * 3, "rows of different lengths"),
    both("tuples", lambda: [(0,), (1,)] * 3, "row 0 holds (0,)"),
    both("structured", lambda: np.zeros(6, [("a", "i4")]), "row 0 holds"),
    both("a column vector", lambda: np.array([[0], [1]] * 3)),
    both("a frame of one column", lambda: pd.DataFrame({"y": [0, 1] * 3})),
    both("a polars frame of one column", lambda: pl.DataFrame({"y": [0, 1] * 3})),
    both("a range", lambda: range(6)),
    both("a deque", lambda: collections.deque([0, 1] * 3)),
    both("an array-like", lambda: ArrayLike(np.array([0, 1] * 3))),
    both("int8", lambda: np.array([0, 1] * 3, "i1")),
    both("uint64", lambda: np.array([2**63 - 1, 0] * 3, "u8")),
    Input("uint64 beyond int64", lambda: np.array([2**64 - 1, 0] * 3, "u8"), "too long for a class label", WORKS),
    both("float16 of whole numbers", lambda: np.array([0, 1] * 3, "f2")),
    both("whole floats", lambda: [0.0, 1.0] * 3),
    both("integers and floats", lambda: [1, 1.0, 2, 2.0, 1, 2]),
    both("negative", lambda: [-1, -2] * 3),
    both("minus zero", lambda: [0.0, -0.0, 1] * 2),
    both("IntEnum", lambda: [Level.LOW, 1, 2, 1, 2, 1]),
    both("one number", lambda: [3] * 6),
    both("integers beyond 2^53", lambda: [2**53, 2**53 + 1] * 3),
    both("integers of 400 digits", lambda: [10**400, 1] * 3, "row 0"),
    Input("fractions", lambda: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "use CARTRegressor", WORKS),
    Input("float32 fractions", lambda: np.array([0.5, 1] * 3, "f4"), "use CARTRegressor", WORKS),
    both("infinity", lambda: [1, 2, 3, 4, 5, inf], "row 5, is inf"),
    both("minus infinity", lambda: [-inf, 2, 3, 4, 5, 6], "row 0, is -inf"),
    Input("the largest numbers", lambda: [1e308, -1e308] * 3, WORKS, "beyond 1e+150"),
    Input("the smallest numbers", lambda: [5e-324, 0] * 3, "use CARTRegressor", WORKS),
    both("some NaN", lambda: [1, 2, nan, 1, 2, 1]),
    both("some None", lambda: [0, 1, None, 1, 0, 1]),
    both("some NA", lambda: pd.array([0, 1, None, 1, 0, 1], "Int64")),
    both("arrow integers with nulls", lambda: pa.chunked_array([[1, None] * 3])),
    both("all NaN", lambda: [nan] * 6, "is missing in all 6 rows"),
    both("all None", lambda: [None] * 6, "is missing in all 6 rows"),
    both("all NaT", lambda: [pd.NaT] * 6, "is missing in all 6 rows"),
    both("polars Null", lambda: pl.Series("y", [None] * 6), "the target 'y' is missing in all 6 rows"),
    text("text", lambda: list("ababab")),
    text("text with NA", lambda: [pd.NA, "a", "b", "a", "b", "a"]),
    text("text with NaN", lambda: ["a", "b", nan, "a", "b", "a"]),
    text("numbers as text", lambda: ["1", "2"] * 3),
    text("fractions as text", lambda: ["1.5", "2"] * 3),
    text("empty text", lambda: ["", "a"] * 3),
    text("blank text", lambda: [" ", "a"] * 3),
    text("control characters", lambda: ["a\nb", "\x1b[31m"] * 3),
    Input("surrogates", lambda: ["\ud800", "a"] * 3, "row 0", TEXT),
    text("10,000 characters", lambda: ["x" * 10_000, "y"] * 3),
    text("fixed-width text", lambda: np.array(list("ababab"))),
    text("NumPy's text", lambda: np.array(list("ababab"), np.dtypes.StringDType())),
    text("NumPy's text with None", lambda: np.array(["a", None] * 3, np.dtypes.StringDType(na_object=None))),
    text("category", lambda: pd.Series(pd.Categorical(list("ababab"), categories=["b", "a", "z"]))),
    text("category with missing", lambda: pd.Series(pd.Categorical(["a", None] * 3))),
    text("categorical array", lambda: pd.Categorical(list("ababab"))),
    text("nullable text", lambda: pd.array(["a", None, "b"] * 2, "string")),
    text("arrow text", lambda: pa.chunked_array([["a", "b"] * 3])),
    text("arrow dictionary", lambda: pa.array(["a", "b"] * 3).dictionary_encode()),
    text("polars text", lambda: pl.Series("y", list("ababab"))),
    text("polars Enum", lambda: pl.Series("y", list("ababab"), dtype=pl.Enum(["b", "a"]))),
    text("polars Categorical", lambda: pl.Series("y", list("ababab"), dtype=pl.Categorical)),
    text("one class", lambda: ["a"] * 6),
    text("one known", lambda: ["a", None, None, None, None, None]),
    text("a class a row", lambda: list("abcdef")),
    both("categories of integers", lambda: pd.Series(pd.Categorical([3, 1] * 3))),
    Input("bools", lambda: [True, False] * 3, WORKS, "holds bools"),
    Input("NumPy bools", lambda: np.array([True, False] * 3), WORKS, "holds bools"),
    Input("nullable bools", lambda: pd.array([True, None, False] * 2, "boolean"), WORKS, "holds bools"),
    Input("bools and numbers", lambda: [True, 2] * 3, WORKS, "holds bools"),
    Input("text and numbers", lambda: ["a", 1] * 3, "mixes text and numbers", TEXT),
    Input("bytes a row", lambda: [b"a", b"b"] * 3, LABEL, NUMBER),
    Input("fixed-width bytes", lambda: np.array(list("ababab"), "S1"), LABEL, NUMBER),
    Input("complex", lambda: [1j, 2] * 3, LABEL, NUMBER),
    both("complex array", lambda: np.array([1j, 2] * 3), "Complex data not supported"),
    Input("dates", lambda: [day] * 6, LABEL, NUMBER),
    Input("datetime64", lambda: np.array(["2024-01-01", "2024-01-02"] * 3, "M8[D]"), LABEL, NUMBER),
    Input("nanoseconds", lambda: np.array(["2024-01-01", "2024-01-02"] * 3, "M8[ns]"), "is no class label", "is not a number"),
    Input("timedelta64", lambda: np.array([1, 2] * 3, "m8[s]"), LABEL, NUMBER),
    Input("timestamps", lambda: pd.Series(pd.to_datetime(["2024-01-01"] * 6)), LABEL, NUMBER),
    Input("Decimal", lambda: [Decimal("1"), Decimal("2")] * 3, LABEL, WORKS),
    Input("Decimal NaN", lambda: [Decimal("NaN"), Decimal("2"), Decimal("3")] * 2, LABEL, WORKS),
    Input("sets", lambda: [{1}, {2}] * 3, LABEL, NUMBER),
    Input("dicts", lambda: [{}, {}] * 3, LABEL, NUMBER),
    Input("objects", lambda: [object()] * 6, LABEL, NUMBER),
    Input("enums", lambda: [Colour.RED] * 6, LABEL, NUMBER),
    Input("polars Struct", lambda: pl.Series("y", [{"a": 1}] * 6), LABEL, NUMBER),
    both("polars List", lambda: pl.Series("y", [[1]] * 6), "row 0 holds [1]"),
    both("a series of another index", lambda: pd.Series([0, 1] * 3, index=[9, 8, 7, 6, 5, 4])),
    both("a series named 0", lambda: pd.Series([0, 1] * 3, name=0)),
    both("a series named by a tuple", lambda: pd.Series([0, 1] * 3, name=("a", "b"))),
    both("a series with a line break in its name", lambda: pd.Series([0, 1] * 3, name="<b>\n{}%s")),
]  # fmt: skip

AGAINST_ROWS = "must have one number a row"

#: Weights for six rows.
WEIGHTS: list[Input] = [
    both("negative", lambda: [-1] + [1] * 5, "row 0 has -1.0"),
    both("NaN", lambda: [1, nan] + [1] * 4, "row 1 has nan"),
    both("None", lambda: [1, None] + [1] * 4, "row 1 has nan"),
    both("NA", lambda: pd.array([1, None, 1, 1, 1, 1], "Int64"), "row 1 has nan"),
    both("infinity", lambda: [inf] + [1] * 5, "row 0 has inf"),
    both("all zero", lambda: [0] * 6, "no row is left to learn from"),
    both("too short", lambda: [1] * 5, AGAINST_ROWS),
    both("too long", lambda: [1] * 7, AGAINST_ROWS),
    both("empty", list, AGAINST_ROWS),
    both("2-D", lambda: np.ones((6, 1)), AGAINST_ROWS),
    both("a number", lambda: 2.0, AGAINST_ROWS),
    both("text a row", lambda: list("abcdef"), "weight"),
    both("a word", lambda: "balanced", "weight"),
    both("a dict", lambda: {"a": 1}, "weight"),
    both("complex", lambda: [1j] * 6, "weight"),
    both("a generator", lambda: (1 for _ in range(6)), "weight"),
    both("objects", lambda: [object()] * 6, "weight"),
    both("ragged", lambda: [[1], [1, 2]] * 3, "weight"),
    both("400 digits", lambda: [10**400] + [1] * 5, "weight"),
    both("dates", lambda: np.array(["2024-01-01"] * 6, "M8[D]"), "weight"),
    both("the largest numbers", lambda: [1e308] * 6, "weight"),
    both("the smallest numbers", lambda: [5e-324] * 6, "1e-50"),
    both("of very different size", lambda: [1e-300, 1e300] * 3, "1e-50"),
    both("all zero but one", lambda: [1, 0, 0, 0, 0, 0]),
    both("zero for a class", lambda: [1, 0, 1, 0, 1, 0]),
    both("bools", lambda: [True] * 6),
    both("Decimal", lambda: [Decimal(1)] * 6),
    both("float16", lambda: np.ones(6, "f2")),
    both("a series of another index", lambda: pd.Series([1.0] * 6, index=[6, 5, 4, 3, 2, 1])),
    both("polars", lambda: pl.Series([1.0] * 6)),
    both("arrow", lambda: pa.array([1.0] * 6)),
]  # fmt: skip

#: Values that no option takes, beside those of the wrong range: as (name, value, what is known to go wrong).
