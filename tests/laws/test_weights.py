"""What weights mean: two rows in one, no row at all, or a unit of measure."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import C45Classifier
from deciduous.model.tree import ARRAYS
from tests.laws.trees import same_tree
from tests.strategies import CLASSIFIERS, ESTIMATORS, WHOLE, Small, fit, options, tables, tasks

SHARES = st.sampled_from([0.0, 0.0, 0.1, 0.24])


def of_weights(data: st.DataObject, estimator: type, table: Small) -> dict[str, Any]:
    """Options whose limits count weights, or one row."""
    chosen = data.draw(options(estimator, table.has_missing))
    rows = ("min_samples_split", "min_samples_leaf")
    return {k: v for k, v in chosen.items() if k not in rows} | {"min_weight_fraction_leaf": data.draw(SHARES)}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
@given(data=st.data())
def test_whole_weights_are_repeated_rows(estimator: type, data: st.DataObject) -> None:
    table = data.draw(tables(weights=WHOLE, zero_weights=True))
    chosen = of_weights(data, estimator, table)
    repeated = replace(table, weights=None).take(np.repeat(range(len(table)), table.weight.astype(int)))
    weighted, plain = fit(estimator, table, **chosen).tree_, fit(estimator, repeated, **chosen).tree_
    same_tree(weighted, plain, skip=("n_samples",))
    assert plain.n_samples == pytest.approx(plain.weight) or chosen["missing"] == "fractional"


@given(tasks(zero_weights=True))
def test_no_weight_is_no_row(task: tuple[type, Small, dict[str, Any]]) -> None:
    """Rows without weight change nothing, not even the last digit (where the categories are declared)."""
    estimator, table, chosen = task
    with_them = fit(estimator, table, **chosen).tree_
    without = fit(estimator, table.take(np.flatnonzero(table.weight)), **chosen).tree_
    for name in ARRAYS:
        one, other = getattr(with_them, name), getattr(without, name)
        assert np.array_equal(one, other, equal_nan=ARRAYS[name] is np.float64), name


@given(tasks().filter(lambda task: task[1].weights is not None), SHARES, st.sampled_from([-40, -3, 1, 30]))
def test_the_unit_of_weights(task: tuple[type, Small, dict[str, Any]], share: float, exponent: int) -> None:
    """All weights times a power of two: all else stays, but for rounding. Not with C4.5's minimum for numbers, which
    ends at 25 rows.
    """
    estimator, table, chosen = task
    chosen |= {"min_weight_fraction_leaf": share} | ({"min_cases": 0.0} if estimator is C45Classifier else {})
    unit = Fraction(2) ** exponent
    scaled = replace(table, weights=tuple(w * unit for w in table.weights))
    one, other = fit(estimator, table, **chosen).tree_, fit(estimator, scaled, **chosen).tree_
    for name in ARRAYS:
        before, after = getattr(one, name), getattr(other, name)
        if name in ("weight", "class_weight"):
            before = before * float(unit)
        if ARRAYS[name] is np.float64:  # native sums of weights 1 are counts, others are not
            np.testing.assert_allclose(before, after, rtol=1e-12, atol=1e-13, err_msg=name)
        else:
            assert np.array_equal(before, after), name


@given(tasks(CLASSIFIERS), st.permutations([Fraction(1, 2), Fraction(1), Fraction(3), Fraction(1)]))
def test_class_weight_is_the_weight_of_its_rows(
    task: tuple[type, Small, dict[str, Any]], of_class: list[Fraction]
) -> None:
    estimator, table, chosen = task
    weights = table.weights or [Fraction(1)] * len(table)
    weighted = replace(table, weights=tuple(w * of_class[y] for w, y in zip(weights, table.y, strict=True)))
    by_class = {f"k{y}": float(of_class[y]) for y in set(table.y)}
    same_tree(fit(estimator, table, **chosen, class_weight=by_class).tree_, fit(estimator, weighted, **chosen).tree_)


@given(st.sampled_from(CLASSIFIERS), tables(weights=None))
def test_balanced_classes_weigh_the_same(estimator: type, table: Small) -> None:
    tree = fit(estimator, table, class_weight="balanced").tree_
    weights = list(tree.node(0).class_weights.values())
    assert weights == pytest.approx([len(table) / len(weights)] * len(weights))
