"""Criteria: drops in impurity from arrays of tables, their names, and a user's own function."""

from typing import Any

import numpy as np
import pytest

from deciduous import measures
from deciduous.criteria import CRITERIA, criterion_of, drop_in_squared_error
from deciduous.errors import OptionError

TABLES = np.array([[[3, 1], [0, 4]], [[2, 2], [2, 2]], [[8, 0], [0, 0]]], dtype=float)
NAMES = tuple(name for task, name in CRITERIA if task == "class")


@pytest.mark.parametrize("name", NAMES)
def test_the_gain_is_the_drop_in_the_impurity(name: str) -> None:
    criterion = criterion_of(name, "class", NAMES)
    impurity = {"gini": measures.gini, "misclassification": measures.misclassification}.get(name, measures.entropy)
    drops = [
        impurity(p=table.sum(axis=0)) - sum(line.sum() / table.sum() * impurity(p=line) for line in table)
        for table in TABLES
    ]
    assert criterion.gain(TABLES) == pytest.approx(drops, abs=1e-15)
    assert criterion.impurity(TABLES).shape == (3, 2)
    assert criterion.ratio == (name == "gain_ratio")
    assert criterion.orderable
    assert not criterion.own


def moments(*branches: list[float]) -> np.ndarray:
    return np.array([[[len(y), sum(y), sum(v * v for v in y)] for y in branches]], dtype=float)


@pytest.mark.parametrize("branches", [([1, 2], [5]), ([1], [1, 1]), ([-1, 1, 0], []), ([-3, 1], [1, 1], [0])])
def test_the_drop_in_squared_error(branches: tuple[list[float], ...]) -> None:
    every = [v for y in branches for v in y]
    within = sum(len(y) * measures.squared_error(y) for y in branches) / len(every)
    drop = drop_in_squared_error(moments(*branches))
    assert drop == pytest.approx([measures.squared_error(every) - within], abs=1e-15)


def test_a_small_drop_in_squared_error_keeps_its_digits() -> None:
    tiny = 1e-9
    drop = drop_in_squared_error(np.array([[[1e6, 1e6 * tiny, 1e12], [1e6, -1e6 * tiny, 1e12]]]))
    assert drop == pytest.approx([tiny**2], rel=1e-12)


def test_an_unknown_name_gets_the_list_and_the_nearest() -> None:
    with pytest.raises(OptionError, match=r"criterion='GINNI' is not one of 'gini', 'entropy'.*Did you mean 'gini'\?"):
        criterion_of("GINNI", "class", ("gini", "entropy"))
    with pytest.raises(OptionError, match="is not one of 'gain'"):
        criterion_of("gini", "class", ("gain",))


# A user's own criterion


def own(function: Any, task: Any = "class") -> Any:
    return criterion_of(function, task, ())


def test_a_users_function_is_wrapped() -> None:
    def purity(tables: np.ndarray) -> list[float]:
        return [float(table.max()) for table in tables]

    criterion = own(purity)
    assert (criterion.name, criterion.task, criterion.ratio, criterion.own) == ("purity", "class", False, True)
    assert criterion.gain(TABLES).tolist() == [4, 2, 8]
    assert criterion.impurity is measures.of_gini
    assert own(purity, "number").impurity is measures.of_squared_error


@pytest.mark.parametrize(
    "function",
    [
        lambda tables: 1.0,
        lambda tables: tables,
        lambda tables: np.zeros(len(tables) + 1),
        lambda tables: np.full(len(tables), np.nan),
        lambda tables: np.full(len(tables), np.inf),
    ],
    ids=["scalar", "tables", "one too many", "nan", "infinite"],
)
def test_a_users_function_must_return_one_finite_score_a_candidate(function: Any) -> None:
    with pytest.raises(OptionError, match=r"must return one .*score a candidate, shape \(3,\)"):
        own(function).gain(TABLES)
