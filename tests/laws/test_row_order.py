"""The order of the rows never changes the tree."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import datasets
from tests.laws.trees import same_tree
from tests.strategies import CLASSIFIERS, ESTIMATORS, fit, options, tables


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
@given(data=st.data())
def test_shuffled_rows(estimator: type, data: st.DataObject) -> None:
    table = data.draw(tables(zero_weights=True))
    chosen = data.draw(options(estimator, table.has_missing))
    order = data.draw(st.permutations(range(len(table))))
    one, other = fit(estimator, table, **chosen), fit(estimator, table.take(order), **chosen)
    same_tree(one.tree_, other.tree_)
    if chosen["missing"] != "fractional" and one.tree_.task == "class":  # else the digits shown may differ by rounding
        assert one.tree_.to_text() == other.tree_.to_text()


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)
@pytest.mark.parametrize("name", datasets.names())
def test_shuffled_rows_of_text(name: str, estimator: type) -> None:
    """Categories that are not declared, only found, come in sorted order and not in that of the rows."""
    data = datasets.load(name)
    rows: list[dict[str, Any]] = data.X.to_dicts()
    y = [str(label) for label in data.y]
    model = estimator(max_depth=4).fit(rows, y)
    for seed in range(3):
        order = random.Random(seed).sample(range(len(rows)), len(rows))
        other = estimator(max_depth=4).fit([rows[i] for i in order], [y[i] for i in order])
        same_tree(model.tree_, other.tree_)
