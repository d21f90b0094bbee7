"""Weka's SimpleCart and REPTree without pruning: their answers to every row, where our options express their rules.

REPTree grows by information gain or squared error, with a branch for each category and missing cells in parts;
SimpleCart by Gini, with binary splits. Both choose the best split first and then ask whether it leaves enough rows; if
not, the node is a leaf (`BranchesOfWeight`), while our limits choose among the splits that do.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from deciduous import CARTClassifier, CARTRegressor, ID3Classifier
from deciduous.model.tree import Tree
from deciduous.prune import LabelledRows, collapse
from tests.parity import oracles

CASES = oracles.ids("simplecart", "reptree")

MANY_GAPS = "with many missing cells the rules for limits and gains of parts of rows are not described"

#: The cases that are not reproduced, and why.
NOT_EXPRESSED = {
    "reptree.boston.P": "in a node of ten rows a column is divided at another place, or not at all; no rule described",
    "reptree.car_test_frame.P": "one node of eight rows whose best column is mostly missing; no rule described",
    "reptree.labor.P": MANY_GAPS,
    "reptree.titanic_survival.P": MANY_GAPS,
    "reptree.vote.P": MANY_GAPS,
    "simplecart.diabetes.U": "a node of nine rows where all eight columns have a cut of exactly the same gain",
    "simplecart.labor.U": MANY_GAPS,
    "simplecart.penguins.U": MANY_GAPS,
    "simplecart.vote.U": MANY_GAPS,
}


@dataclass(frozen=True)
class BranchesOfWeight:
    """Make a leaf of every node whose split has fewer than two branches of this weight."""

    weight: float
    name: ClassVar[str] = "branches of weight"
    needs: ClassVar[Any] = "statistics"

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        heavy = tree.weight[1:] >= self.weight * (1 - 1e-9)
        n_heavy = np.bincount(tree.parent[1:], weights=heavy, minlength=len(tree))
        return collapse(tree, (n_heavy < 2) & ~tree.is_leaf)


def estimator_of(case: dict[str, Any], y: Any) -> Any:
    """Return the estimator with the rules of a case; both tools have -M 2, REPTree -V 0.001."""
    rows = BranchesOfWeight(2)
    if case["id"].startswith("simplecart"):
        return CARTClassifier(missing="fractional", pruning=rows)
    if y.dtype.kind == "f":
        options = {"nominal": "multiway", "missing": "fractional", "zero_gain": "stop", "pruning": rows}
        return CARTRegressor(**options, min_impurity=0.001 * float(np.nanvar(y)))
    return ID3Classifier(missing="fractional", pruning=rows)


def rows_that_differ(case_id: str) -> int:
    """Return how many rows have another answer than the recorded one (rounded to six digits or so)."""
    case, table = oracles.case(case_id), oracles.table(case_id)
    expected = case["expected"]
    model = estimator_of(case, table.y).set_params(kinds=table.kinds or None).fit(table.X, table.y)
    if model.tree_.task == "number":
        recorded = np.array(expected["row_prediction"], dtype=float)
        return int((np.abs(model.predict(table.X) - recorded) > 1e-6 * np.abs(recorded) + 1e-6).sum())
    recorded = np.array(expected["distinct_distributions"], dtype=float)[expected["row_distribution"]]
    shares = np.zeros(recorded.shape)
    shares[:, [table.levels.index(label) for label in model.classes_]] = model.predict_proba(table.X)
    return int((np.abs(shares - recorded).max(axis=1) > 1e-6).sum())


@pytest.mark.parametrize("case_id", [i for i in CASES if i not in NOT_EXPRESSED])
def test_answers(case_id: str) -> None:
    assert rows_that_differ(case_id) == 0


@pytest.mark.parametrize("case_id", NOT_EXPRESSED)
def test_what_is_not_expressed_is_listed(case_id: str) -> None:
    """A case that comes to match leaves the list."""
    assert rows_that_differ(case_id) > 0, NOT_EXPRESSED[case_id]
