"""Names mean nothing: only the order of the columns matters, and that only for ties."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from deciduous.model.tree import ARRAYS, Tree
from tests.laws.trees import STRUCTURE, same_structure
from tests.strategies import CLASSIFIERS, Small, fit, task_of, tasks


def equal_arrays(one: Tree, other: Tree) -> None:
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=ARRAYS[name] is np.float64), name


@given(tasks())
def test_renamed_categories(task: tuple[type, Small, dict[str, Any]]) -> None:
    """Declared categories keep their declared order, whatever their names."""
    estimator, table, chosen = task
    y = table.target(task_of(estimator))
    model = fit(estimator, table, **chosen)
    X = table.X.copy()
    for name in X.select_dtypes("category"):
        X[name] = X[name].cat.rename_categories(dict(zip(X[name].cat.categories, "zyxwv", strict=False)))
    renamed = estimator(**chosen).fit(X, y, table.sample_weight)
    equal_arrays(model.tree_, renamed.tree_)


@given(tasks())
def test_renamed_text(task: tuple[type, Small, dict[str, Any]]) -> None:
    """Text has its categories in sorted order, so that names in the same order grow the same tree."""
    estimator, table, chosen = task
    y = table.target(task_of(estimator))
    X = table.X.astype({f"a{j}": object for j, kind in enumerate(table.columns) if kind != "numeric"})
    names = {f"{letter}{j}": f"{i}. {letter}" for i, letter in enumerate("uvwxyz") for j in range(len(table.columns))}
    other = X.apply(lambda column: column if column.dtype == float else column.map(names, na_action="ignore"))
    kinds = {f"a{j}": "nominal" for j, kind in enumerate(table.columns) if kind != "numeric"}
    models = [estimator(**chosen, kinds=kinds).fit(frame, y, table.sample_weight) for frame in (X, other)]
    equal_arrays(models[0].tree_, models[1].tree_)


@given(tasks(CLASSIFIERS))
def test_renamed_classes(task: tuple[type, Small, dict[str, Any]]) -> None:
    """Names in the same order change nothing; in another order, only which of equally frequent classes is predicted."""
    estimator, table, chosen = task
    model = fit(estimator, table, **chosen)
    for names in (np.array([-7, 0, 5, 40]), np.array([False, True, 2, 3], dtype=object)[: max(table.y) + 1]):
        equal_arrays(model.tree_, estimator(**chosen).fit(table.X, names[list(table.y)], table.sample_weight).tree_)
    backwards = fit(estimator, replace(table, y=tuple(3 - y for y in table.y)), **chosen)
    same_structure(model.tree_, backwards.tree_, skip=("class_code",))


FUNCTIONS = {"line": lambda x: 8 * x + 3, "cube": lambda x: x**3 + x, "power": lambda x: np.exp2(4 * x)}


@given(tasks(), st.sampled_from(sorted(FUNCTIONS)))
def test_increasing_functions_of_numbers(task: tuple[type, Small, dict[str, Any]], name: str) -> None:
    """Only the order of numbers matters: all but the thresholds stays, and these follow a straight line."""
    estimator, table, chosen = task
    model = fit(estimator, table, **chosen)
    X = table.X.apply(lambda column: FUNCTIONS[name](column) if column.dtype == float else column)
    other = estimator(**chosen).fit(X, table.target(task_of(estimator)), table.sample_weight)
    same_structure(model.tree_, other.tree_, skip=("threshold",))
    if name == "line":
        numeric = np.array([kind == "numeric" for kind in table.columns])
        cut = ~np.isnan(model.tree_.threshold) & numeric[model.tree_.feature]
        assert np.array_equal(FUNCTIONS[name](model.tree_.threshold[cut]), other.tree_.threshold[cut])


def same_but_for_ties(one: Tree, other: Tree, column: list[int], node: int = 0, twin: int = 0) -> None:
    """Walk down both trees as long as they ask the same; `column[j]` is the place in `one` of column j of `other`."""
    a, b = one.node(node), other.node(twin)
    assert a.n_samples == b.n_samples
    assert a.reason == b.reason
    if a.is_leaf:
        return
    assert a.split is not None
    assert b.split is not None
    if column[b.split.feature] != a.split.feature:
        assert a.candidates is not None
        verdicts = {c.feature: c.verdict for c in a.candidates}
        assert verdicts[column[b.split.feature]] == "tied"
        return
    assert (a.split.kind, a.split.n_branches) == (b.split.kind, b.split.n_branches)
    assert a.split.threshold == b.split.threshold or a.split.threshold != a.split.threshold
    assert np.array_equal(a.split.category_branch, b.split.category_branch)
    for child, below in zip(a.children, b.children, strict=True):
        same_but_for_ties(one, other, column, child.index, below.index)


@given(tasks(max_columns=4), st.data())
def test_permuted_columns(task: tuple[type, Small, dict[str, Any]], data: st.DataObject) -> None:
    estimator, table, chosen = task
    order = data.draw(st.permutations(range(len(table.columns))))
    one, other = fit(estimator, table, **chosen), fit(estimator, table.permuted(order), **chosen)
    same_but_for_ties(one.tree_, other.tree_, order)


@given(tasks())
def test_names_of_columns(task: tuple[type, Small, dict[str, Any]]) -> None:
    """Columns are told apart by place at fit and by name afterwards."""
    estimator, table, chosen = task
    model = fit(estimator, table, **chosen)
    X = table.X.rename(columns=lambda name: f"列 {name}, of the table")
    renamed = estimator(**chosen).fit(X, table.target(task_of(estimator)), table.sample_weight)
    equal_arrays(model.tree_, renamed.tree_)
    backwards = pd.concat([X.iloc[:, ::-1], pd.Series(0.0, index=X.index, name="unknown")], axis=1)
    assert np.array_equal(renamed.apply(backwards), model.apply(table.X))


def test_what_is_compared() -> None:
    assert set(STRUCTURE) < set(ARRAYS)
