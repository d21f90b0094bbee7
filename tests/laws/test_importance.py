"""Importance: what each column's splits took from the impurity, as shares."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.strategies import Small, fit, tasks


@given(tasks(zero_weights=True))
def test_importance_equals_the_formula(task: tuple[type, Small, dict[str, Any]]) -> None:
    """Per split: weight x impurity of the node, less that of its children; of a column, the sum over its splits."""
    estimator, table, chosen = task
    model = fit(estimator, table, **chosen)
    importance = model.feature_importances_
    assert importance.shape == (len(table.columns),)
    assert (importance >= 0).all()
    drops = np.zeros(len(table.columns))
    for node in model.tree_:
        if node.split is not None:
            below = sum(child.weight * child.impurity for child in node.children)
            drops[node.split.feature] += max(node.weight * node.impurity - below, 0.0)
    root = model.tree_.node(0)
    if drops.sum() <= 1e-12 * root.weight * root.impurity:  # no split took anything: all 0, or the shares of noise
        assert importance.sum() == pytest.approx(1) or (importance == 0).all()
        return
    assert importance == pytest.approx(drops / drops.sum(), rel=1e-9, abs=1e-12)
    assert importance.sum() == pytest.approx(1, rel=1e-12)


@given(tasks(missing=False))
def test_importance_is_the_sum_of_gains(task: tuple[type, Small, dict[str, Any]]) -> None:
    """Without missing cells, a split's drop is its gain times its weight (the ratio only chooses)."""
    estimator, table, chosen = task
    model = fit(estimator, table, **chosen)
    tree = model.tree_
    gains = np.zeros(len(table.columns))
    for node in tree:
        if node.split is not None:
            gains[node.split.feature] += node.weight * node.gain
    total = gains.sum()
    if total > 1e-9 * tree.weight[0] * tree.impurity[0]:
        assert model.feature_importances_ == pytest.approx(gains / total, rel=1e-9, abs=1e-9)
    unused = sorted(set(range(len(table.columns))) - set(tree.used_features))
    assert (model.feature_importances_[unused] == 0).all()


@given(tasks(max_columns=1))
def test_one_column_has_all_or_nothing(task: tuple[type, Small, dict[str, Any]]) -> None:
    estimator, table, chosen = task
    assert fit(estimator, table, **chosen).feature_importances_.tolist() in ([0.0], [1.0])
