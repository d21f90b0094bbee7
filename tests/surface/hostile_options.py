"""Options of an estimator, and tables to predict on, and how each must end: see hostile.py."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

from tests.surface.hostile_inputs import FLAT, WORKS, Input, both, one

nan, inf = float("nan"), float("inf")
day = datetime.date(2024, 1, 31)


SENSELESS = [
    ("a word", "x", ""),
    ("empty text", "", ""),
    ("NaN", nan, ""),
    ("a list", [], ""),
    ("a dict", {}, ""),
    ("bytes", b"gini", ""),
    ("a type", object, ""),
    ("complex", 1j, ""),
    ("an array", np.array([1, 2]), "NumPy's ValueError or TypeError about arrays"),
    ("NA", pd.NA, "pandas' TypeError: boolean value of NA is ambiguous"),
]
WORDS = ("criterion", "nominal", "numeric", "threshold", "missing", "unseen", "zero_gain")
NUMBERS = ("min_gain", "min_cases", "min_impurity", "min_impurity_decrease", "min_weight_fraction_leaf")
WHOLE = ("max_depth", "min_samples_split", "min_samples_leaf", "max_leaf_nodes", "keep_candidates")


def setting(option: str, name: str, value: Any, works: bool = False, wrong: str = "") -> Input:
    return both(f"{option}: {name}", lambda: None, None if works else option, wrong, **{option: value})


def settings() -> list[Input]:
    entries = []
    for name, value, wrong in SENSELESS:
        for option in (*WORDS, *NUMBERS, *WHOLE, "guard"):
            fine = (option == "guard" or (option not in WORDS and name == "NA")) and bool(wrong)
            entries.append(setting(option, name, value if fine else wrong))
    entries = [e for e in entries if e.name != "criterion: a type"]
    for option in WORDS:
        entries += [setting(option, "None", None), setting(option, "a number", 1), setting(option, "True", True)]
    for option in NUMBERS:
        entries += [
            setting(option, "None", None),
            setting(option, "True", True),
            setting(option, "digits", "1"),
            setting(option, "negative", -0.1),
            setting(option, "minus infinity", -inf),
            setting(option, "400 digits", 10**400),
            setting(option, "zero", 0, works=True),
            setting(option, "float64", np.float64(0.25), works=True),
            setting(
                option,
                "float32",
                np.float32(0.25),
                works=True,
            ),
            setting(option, "int64", np.int64(0), works=True),
        ]
        if option != "min_weight_fraction_leaf":
            entries.append(setting(option, "infinity", inf))
            entries.append(setting(option, "Decimal", Decimal(0), works=True))
    for option in WHOLE:
        entries += [
            setting(option, "True", True),
            setting(option, "a fraction", 1.5),
            setting(option, "a whole float", 3.0),
            setting(option, "negative", -1),
            setting(option, "infinity", inf),
            setting(option, "digits", "3"),
            setting(option, "400 digits", 10**400, works=True),
            setting(option, "int64", np.int64(3), works=True),
            setting(option, "uint8", np.uint8(3), works=True),
        ]
        optional = option in ("max_depth", "max_leaf_nodes")
        entries.append(setting(option, "None", None, works=optional))
    return entries


def kinds(name: str, value: Any, says: str | None, wrong: str = "") -> Input:
    return both(f"kinds: {name}", lambda: None, says, wrong, kinds=value)


def weights(name: str, value: Any, says: str | None, wrong: str = "") -> Input:
    return both(f"class_weight: {name}", lambda: None, says, wrong, class_weight=value)


def criterion(name: str, value: Any, says: str | None, wrong: str = "") -> Input:
    return both(f"own criterion: {name}", lambda: None, says, wrong, criterion=value)


def spoil(tables: Any) -> Any:
    """A criterion that writes into what it is given."""
    tables *= 0
    return np.zeros(len(tables))


NOT_A_KIND, NOT_THERE, NO_MAPPING = (
    "is not a kind; allowed are",
    "which is not in the table",
    "AttributeError: no attribute 'items'",
)
SCORES = "must return one score a candidate"

#: Options for a table of six rows with the columns `n` (numbers), `t` (text), `k` (category x, y) and `b` (bools), and
#: the classes p, q, r.
OPTIONS: list[Input] = [
    *settings(),
    kinds("empty", {}, WORKS),
    kinds("nothing new", {"n": "numeric", "t": "nominal"}, WORKS),
    kinds("numbers as categories", {"n": "nominal"}, WORKS),
    kinds("numbers as ranks", {"n": "ordinal"}, WORKS),
    kinds("numbers as weights", {"n": "weight"}, WORKS),
    kinds("bools as numbers", {"b": "numeric"}, WORKS),
    kinds("by position", {0: "id"}, WORKS),
    kinds("text as numbers", {"t": "numeric"}, "column 't' is numeric"),
    kinds("text as ranks", {"t": "ordinal"}, "holds text whose order is not known"),
    kinds("text as weights", {"t": "weight"}, "column 't' is weight"),
    kinds("category as numbers", {"k": "numeric"}, "column 'k' is numeric"),
    kinds("nothing left", {"t": "id", "n": "id", "k": "id", "b": "id"}, "no column is left to ask for"),
    kinds("unknown column", {"nn": "id"}, "Did you mean 'n'?"),
    kinds("negative position", {-1: "id"}, NOT_THERE),
    kinds("position too large", {9: "id"}, NOT_THERE),
    kinds("True for a position", {True: "id"}, NOT_THERE),
    kinds("a float for a position", {1.0: "id"}, NOT_THERE),
    kinds("None for a name", {None: "id"}, NOT_THERE),
    kinds("a tuple for a name", {("n",): "id"}, NOT_THERE),
    kinds("capital", {"n": "Numeric"}, "Did you mean 'numeric'?"),
    kinds("None for a kind", {"n": None}, NOT_A_KIND),
    kinds("a number for a kind", {"n": 3}, NOT_A_KIND),
    kinds("a list for a kind", {"n": ["id"]}, NOT_A_KIND),
    kinds("target for a kind", {"n": "target"}, NOT_A_KIND),
    kinds("one column twice", {"n": "id", 0: "nominal"}, "'n'"),
    kinds("a word", "nominal", "kinds"),
    kinds("pairs", [("n", "id")], "kinds"),
    kinds("a number", 3, "kinds"),
    kinds("True", True, "kinds"),
    kinds("an array", np.array(["id"]), "kinds"),
    weights("balanced", "balanced", WORKS),
    weights("of one class", {"p": 2}, WORKS),
    weights("empty", {}, WORKS),
    weights("float32", {"p": np.float32(2)}, WORKS),
    weights("Decimal", {"p": Decimal(2)}, WORKS),
    weights("capital", "Balanced", "must be None, 'balanced', or a mapping"),
    weights("zero", {"p": 0}, "leave out the rows of that class instead"),
    weights("unknown class", {"zz": 1}, "class_weight names 'zz'"),
    weights("a number for a class", {1: 2}, "class_weight names 1"),
    weights("None for a class", {None: 1}, "class_weight names None"),
    weights("negative", {"p": -1}, "class_weight['p']=-1"),
    weights("NaN", {"p": nan}, "class_weight['p']=nan"),
    weights("infinity", {"p": inf}, "class_weight['p']=inf"),
    weights("the largest numbers", dict.fromkeys("pqr", 1e308), "class_weight"),
    weights("the smallest numbers", dict.fromkeys("pqr", 1e-320), "class_weight"),
    weights("digits", {"p": "2"}, "class_weight['p']='2'"),
    weights("None", {"p": None}, "class_weight['p']=None"),
    weights("True", {"p": True}, "class_weight['p']=True"),
    weights("400 digits", {"p": 10**400}, "class_weight"),
    weights("complex", {"p": 1j}, "class_weight['p']=1j"),
    weights("pairs", [("p", 1)], "must be None, 'balanced', or a mapping"),
    weights("a number", 1.0, "must be None, 'balanced', or a mapping"),
    weights("an array", np.array([1, 2, 3]), "class_weight"),
    criterion("zeros", lambda tables: np.zeros(len(tables)), WORKS),
    criterion("ones as integers", lambda tables: np.ones(len(tables), int), WORKS),
    criterion("negative", lambda tables: -np.ones(len(tables)), WORKS),
    criterion("a list", lambda tables: [0.0] * len(tables), WORKS),
    criterion("one that spoils its tables", spoil, WORKS),
    criterion("NaN", lambda tables: np.full(len(tables), nan), SCORES),
    criterion("infinity", lambda tables: np.full(len(tables), inf), SCORES),
    criterion("None", lambda tables: None, SCORES),
    criterion("one number", lambda tables: 1.0, SCORES),
    criterion("too few", lambda tables: np.zeros(len(tables) - 1), SCORES),
    criterion("2-D", lambda tables: np.zeros((len(tables), 1)), SCORES),
    criterion("text", lambda tables: "x", SCORES),
    criterion("objects", lambda tables: [object()] * len(tables), SCORES),
    criterion("complex", lambda tables: np.ones(len(tables), complex), SCORES),
]  # fmt: skip


@dataclass(frozen=True)
class New:
    """A table given to predict after fitting another one of six rows, and how it must end."""

    name: str
    train: Callable[[], Any]
    make: Callable[[], Any]
    says: str | None = None
    unseen: int = 0
    wrong: str = ""
    options: dict[str, Any] = field(default_factory=dict)


def wide() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "n": [1.0, 2, 3, 4, 5, 6],
            "t": ["a", "b", "a", "b", "c", "c"],
            "k": pd.Categorical(["x", "y", "x", "y", "x", "y"]),
            "b": [True, False] * 3,
        }
    )


def changed(name: str, says: str | None = None, unseen: int = 0, wrong: str = "", **columns: Any) -> New:
    """The table with other cells in one column, which alone was trained on."""
    column = next(iter(columns))
    return New(name, lambda: wide()[[column]], lambda: wide().assign(**columns), says, unseen, wrong)


def label(name: str, cells: Any, new: Any, unseen: int = 0, wrong: str = "") -> New:
    """A nominal column trained on labels of one type and asked with those of another."""
    return New(f"labels: {name}", one(cells), one(new), None, unseen, wrong, {"kinds": {"a": "nominal"}})


NEW_TABLES: list[New] = [
    New("the same", wide, wide),
    New("reordered columns", wide, lambda: wide()[["b", "k", "t", "n"]]),
    New("more columns", wide, lambda: wide().assign(z=1)),
    New("more columns, infinite", wide, lambda: wide().assign(z=inf)),
    New("more columns, of dates", wide, lambda: wide().assign(z=pd.Timestamp("2024"))),
    New("more columns, of lists", wide, lambda: wide().assign(z=[[1]] * 6)),
    New("one column less", wide, lambda: wide()[["n", "t", "k"]], "X lacks the column 'b'"),
    New("other columns", wide, lambda: pd.DataFrame({"q": [1]}), "X lacks the columns 'n', 't', 'k', 'b'"),
    New("other case", wide, lambda: wide().rename(columns=str.upper), "Did you mean 'N'?"),
    New("no rows", wide, lambda: wide().iloc[:0]),
    New("no columns", wide, lambda: wide()[[]], "0 feature(s)"),
    New("no rows of an array", lambda: np.eye(6), lambda: np.zeros((0, 6)), "0 sample(s)"),
    New("polars", wide, lambda: pl.from_pandas(wide())),
    New("arrow", wide, lambda: pa.Table.from_pandas(wide())),
    New("dicts", wide, lambda: wide().to_dict("records")),
    New("a dict of columns", wide, lambda: wide().to_dict("list")),
    New("dicts that lack cells", wide, lambda: [*wide().to_dict("records"), {}]),
    New("dicts that lack columns", wide, lambda: [{"n": 1}], "X lacks the columns 't', 'k', 'b'"),
    New("an array", wide, lambda: wide().to_numpy()),
    New("an array of other width", wide, lambda: wide().to_numpy()[:, :3], "X has 3 features"),
    New("a frame for an array", lambda: np.eye(6), lambda: pd.DataFrame(np.eye(6))),
    New("a row as a series", wide, lambda: wide().iloc[0], FLAT),
    New("a row as a list", wide, lambda: [1, "a", "x", True], FLAT),
    New("a row as a dict", wide, lambda: wide().to_dict("records")[0], "column 'n'"),
    New("None", wide, lambda: None, "None"),
    New("sparse", wide, lambda: sp.csr_matrix(np.eye(4)), "Sparse matrices are not supported"),
    New("lazy", wide, lambda: pl.from_pandas(wide()).lazy(), "pass X.collect()"),
    New("duplicate names", wide, lambda: pd.concat([wide(), wide()], axis=1), "'n' (columns 0, 4)"),
    changed("numbers: a word", "column 'n' is numeric (numbers), but row 0 holds 'hello'", n="hello"),
    changed("numbers: one word", "row 1 holds 'x' (1 such cells)", n=[1, "x", 2, 3, 4, 5]),
    changed("numbers: digits", n=["1", "2", "3", "4", "5", " 6 "]),
    changed("numbers: bools", n=True),
    changed("numbers: category", n=pd.Categorical([1.0, 2, 3, 4, 5, 6])),
    changed("numbers: None", n=None),
    changed("numbers: int8", n=np.arange(6, dtype="int8")),
    changed("numbers: Decimal", n=[Decimal(1)] * 6),
    changed("numbers: infinity", "column 'n', row 0: infinity", n=inf),
    changed("numbers: dates", "column 'n' holds dates", n=pd.Timestamp("2024")),
    changed("numbers: objects", "column 'n', row 0", n=[object()] * 6),
    changed("numbers: sNaN", "row 0", n=[Decimal("sNaN")] * 6),
    changed("text: never seen", unseen=6, t="zzz"),
    changed("text: another case", unseen=6, t="A"),
    changed("text: blanks around", unseen=6, t=" a "),
    changed("text: empty", unseen=6, t=""),
    changed("text: NUL", unseen=6, t="a\0"),
    changed("text: numbers", unseen=6, t=1),
    changed("text: bools", unseen=6, t=True),
    changed("text: None", t=None),
    changed("text: category of another order", t=pd.Categorical(list("abccba"), categories=["c", "b", "a"])),
    changed("text: category with new levels", unseen=3, t=pd.Categorical(["new", "a"] * 3)),
    changed("text: bytes", "column 't', row 0", t=b"a"),
    changed("text: dates", "column 't' holds dates", t=day),
    changed("text: lists", "column 't', row 0", t=[["a"]] * 6),
    changed("text: surrogates", "row 0", t=pd.Series(["\ud800"] * 6, dtype=object)),
    changed("category: text", k=list("xyxyxy")),
    changed("category: codes", unseen=6, k=[0, 1] * 3),
    changed("category: no level", k=pd.Categorical([None] * 6)),
    changed("category: ranked", k=pd.Categorical(["x", "y"] * 3, categories=["y", "x"], ordered=True)),
    changed("bools: words", b=["true", "FALSE"] * 3),
    changed("bools: 0 and 1", b=[1, 0] * 3),
    changed("bools: 2", unseen=6, b=2),
    changed("bools: yes", unseen=6, b="yes"),
    changed("bools: nullable", b=pd.array([True, None] * 3, "boolean")),
    label("int as float", [1, 2, 1, 2, 3, 3], [1.0, 2.0, 3.0]),
    label("int as text", [1, 2, 1, 2, 3, 3], ["1", "2", "3"]),
    label("text as int", list("121233"), [1, 2, 3]),
    label("text as float", list("121233"), [1.0, 2.0, 3.0]),
    label("text '1.0' as int", ["1.0", "2.0", "1.0", "2.0", "3.0", "3.0"], [1, 2, 3], unseen=3),
    label("bool as text", [True, False] * 3, ["True", "false", "x"], unseen=1),
    label("int as bool", [0, 1] * 3, [True, False]),
    label("fractions as text", [0.5, 1.5, 0.5, 1.5, 2.5, 2.5], ["0.5", "1.50", "x"], unseen=1),
    label("int as nullable", [1, 2, 1, 2, 3, 3], pd.array([1, None, 3], "Int64")),
    label("int as category", [1, 2, 1, 2, 3, 3], pd.Categorical([1, 3, 9]), unseen=1),
    label("int as infinity", [1, 2, 1, 2, 3, 3], [inf, 1, 2], unseen=1),
    label("int as 30 digits", [1, 2, 1, 2, 3, 3], [10**30, 1, 2], unseen=1),
    label("int as fractions", [1, 2, 1, 2, 3, 3], [1.5, 1, 2], unseen=1),
]  # fmt: skip
