"""Random small tables, and random options that fit an algorithm: what the properties are tried on.

Every number is a multiple of a quarter, so that tables are exact as fractions and as floats; values repeat often, so
that ties and equal cells are the rule; classes and categories have different labels: no column looks like the target.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier

CLASSIFIERS = (ID3Classifier, C45Classifier, CARTClassifier)
ESTIMATORS = (*CLASSIFIERS, CARTRegressor)
POLICIES = ("error", "majority", "branch", "direction", "fractional")  # for missing cells
NOMINAL = ("multiway", "subset", "one_vs_rest")
#: C4.5 as the textbooks have it: grown in full, by gain ratio or gain.
PLAIN_C45 = {"mdl_correction": False, "collapse": False, "pruning": None}


@dataclass(frozen=True)
class Small:
    """A small table.

    `columns`: "numeric", "ordinal", or the number of categories of a nominal column, as the oracle has them;
    `cells[j]`: the cells of column j, numbers or codes, None where missing; `levels[j]`: how many categories are
    declared; `y`: small whole numbers, class codes for a classifier; `weights`: multiples of a quarter, or None.
    """

    columns: tuple[str | int, ...]
    cells: tuple[tuple[float | int | None, ...], ...]
    levels: tuple[int, ...]
    y: tuple[int, ...]
    weights: tuple[Fraction, ...] | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def rows(self) -> list[tuple[float | int | None, ...]]:
        return list(zip(*self.cells, strict=True))

    @cached_property
    def X(self) -> pd.DataFrame:
        return pd.DataFrame({f"a{j}": self._column(j) for j in range(len(self.columns))})

    def _column(self, j: int) -> Any:
        if self.columns[j] == "numeric":
            return np.array([np.nan if cell is None else cell for cell in self.cells[j]], dtype=float)
        codes = [-1 if cell is None else int(cell) for cell in self.cells[j]]
        labels = [f"{'uvwxyz'[k]}{j}" for k in range(self.levels[j])]
        return pd.Categorical.from_codes(codes, categories=labels, ordered=self.columns[j] == "ordinal")

    def target(self, task: str) -> np.ndarray:
        """The target: class labels, or numbers that no column holds."""
        if task == "class":
            return np.array([f"k{code}" for code in self.y], dtype=object)
        return np.array(self.y, dtype=float) + 40.0

    @property
    def sample_weight(self) -> np.ndarray | None:
        return None if self.weights is None else np.array([float(w) for w in self.weights])

    @property
    def weight(self) -> np.ndarray:
        """The weight of every row, 1 where none is given."""
        return np.ones(len(self)) if self.sample_weight is None else self.sample_weight

    @property
    def has_missing(self) -> bool:
        return any(None in column for column in self.cells)

    def take(self, rows: list[int] | np.ndarray) -> "Small":
        """The table of some rows, in their order, repeated where they are named twice."""
        rows = [int(i) for i in rows]
        cells = tuple(tuple(column[i] for i in rows) for column in self.cells)
        weights = None if self.weights is None else tuple(self.weights[i] for i in rows)
        return replace(self, cells=cells, y=tuple(self.y[i] for i in rows), weights=weights)

    def permuted(self, order: list[int]) -> "Small":
        """The table with its columns in another order; they have new names and labels then."""
        columns, cells, levels = (tuple(part[j] for j in order) for part in (self.columns, self.cells, self.levels))
        return replace(self, columns=columns, cells=cells, levels=levels)


def task_of(estimator: type) -> str:
    return "number" if estimator is CARTRegressor else "class"


def fit(estimator: type, table: Small, **options: Any) -> Any:
    """A fitted estimator whose tree does not contradict itself."""
    model = estimator(**options).fit(table.X, table.target(task_of(estimator)), table.sample_weight)
    model.tree_.check()
    return model


# --- tables --------------------------------------------------------------------------------------------------------

QUARTERS = tuple(Fraction(n, 4) for n in (4, 1, 2, 3, 5, 6, 8, 11))
WHOLE = tuple(map(Fraction, (1, 2, 3)))
_NUMBERS = tuple(x / 4 for x in range(-4, 9, 2))

Pick = Callable[[Sequence[Any], int], list[Any]]  # some of the values, each at random
_DIGIT = st.integers(0, 59)  # one strategy for all draws, for speed: 60 has many divisors


def _drawn_by(draw: st.DrawFn) -> Pick:
    return lambda values, n: [values[draw(_DIGIT) % len(values)] for _ in range(n)]


def _column(pick: Pick, n: int, missing: bool) -> tuple[str | int, int, tuple[Any, ...]]:
    """The kind of a column as the oracle has it, how many categories it declares, and its cells.

    There are few different values, perhaps one; and perhaps categories that no row has.
    """
    (kind,) = pick(["numeric", "nominal", "numeric", "nominal", "ordinal"], 1)
    levels = 0 if kind == "numeric" else pick([1, 2, 2, 3, 3, 4, 4, 5], 1)[0]
    values = _NUMBERS if kind == "numeric" else tuple(range(levels))
    values = values[pick([0, 0, len(values) // 2], 1)[0] :]
    values = values[: pick([1, *[*range(2, len(values) + 1)] * 4], 1)[0]]
    holes = pick([0, 1, 1, 1, len(values)], 1)[0] if missing else 0
    cells = pick([*values, *[None] * holes], n)
    return (levels if kind == "nominal" else kind), levels, tuple(cells)


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    max_rows: int = 12,
    max_columns: int = 3,
    missing: bool | None = None,
    weights: Sequence[Fraction] | None = QUARTERS,
    zero_weights: bool = False,
    n_values: int = 4,
) -> Small:
    """Tables of few rows.

    `missing`: whether cells may be missing (None: either); `weights`: those that rows may have, or None; `n_values`:
    the most different values of the target. Half of the tables are drawn cell by cell, and shrink to simple ones when
    a property fails; the others come from a seed, have up to twice as many rows, and are less simple on average.
    """
    seed = draw(st.none() | st.integers(0, 2**32 - 1))
    generator = random.Random(seed)
    pick = _drawn_by(draw) if seed is None else lambda values, n: generator.choices(values, k=n)
    most = max_rows if seed is None else 2 * max_rows
    (n,) = pick([*range(1, most), *range(most // 2, most + 1)], 1)
    may_miss = pick([False, True], 1)[0] if missing is None else missing
    (n_columns,) = pick([*range(1, max_columns + 1), max_columns], 1)
    kinds, levels, cells = zip(*(_column(pick, n, may_miss) for _ in range(n_columns)), strict=True)
    y = pick(range(pick([1, *[*range(2, n_values + 1)] * 4], 1)[0]), n)
    weight = None
    if weights is not None and pick([False, True], 1)[0]:
        weight = tuple(pick([*weights, *[Fraction(0)] * (2 * zero_weights)], n))
        weight = weight if any(weight) else None
    return Small(kinds, cells, levels, tuple(y), weight)


# --- options -------------------------------------------------------------------------------------------------------

#: Limits that no gain or impurity of small fractions equals, so that exact and rounded numbers decide alike.
_MIN_GAIN, _MIN_IMPURITY = (0.0312345, 0.1123457), (0.3712345,)


@st.composite
def options(draw: st.DrawFn, estimator: type, has_missing: bool = True, limits: bool = True) -> dict[str, Any]:
    """Options that are valid for an estimator; without `limits`, only those on how splits are made and compared."""
    several = _drawn_by(draw)

    def pick(*values: Any) -> Any:
        return several(values, 1)[0]

    chosen: dict[str, Any] = {
        "criterion": pick(*estimator._base.criteria),
        "nominal": pick(*NOMINAL),
        "threshold": pick("midpoint", "data"),
        "missing": pick(*POLICIES[1:]) if has_missing else pick(*POLICIES),
        "zero_gain": pick("split", "stop"),
    }
    if estimator is C45Classifier:
        chosen |= {"guard": pick(True, False), "min_cases": 0.0} | PLAIN_C45
    if not limits:
        return chosen
    if estimator is C45Classifier:
        chosen["min_cases"] = pick(0.0, 1.0, 1.5, 2.0)
    some = {
        "min_gain": _MIN_GAIN,
        "max_depth": (0, 1, 2, 2),
        "min_samples_split": (3, 5),
        "min_samples_leaf": (2, 3),
        "min_impurity": _MIN_IMPURITY,
    }
    for option in several(sorted(some), pick(0, 1, 2)):
        chosen[option] = pick(*some[option])
    return chosen


@st.composite
def tasks(
    draw: st.DrawFn, estimators: Sequence[type] = ESTIMATORS, *, limits: bool = True, **of_tables: Any
) -> tuple[type, Small, dict[str, Any]]:
    """An estimator, a table, and options that fit both."""
    estimator = draw(st.sampled_from(estimators))
    table = draw(tables(**of_tables))
    return estimator, table, draw(options(estimator, table.has_missing, limits))
