"""scikit-learn's trees: whatever a recorded case says must match, for all its criteria."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from deciduous import CARTClassifier, CARTRegressor, Node
from tests.parity import oracles
from tests.parity.oracles import Comparison, Table, differences

CASES = oracles.ids(*oracles.SKLEARN_CRITERIA)

CLASS_CRITERIA = ("gini", "entropy")

#: Cases with two cuts of exactly the same absolute error, which scikit-learn tells apart by the rounding of its sums.
#: We take the first.
TIED = {
    "sk.boston.absolute_error_d5",
    "sk.boston.absolute_error_leaf20",
    "sk.boston.absolute_error_sw",
    "sk.syn_r6.absolute_error_leaf10",
}

#: Figures are recorded with 10 digits or more, and scikit-learn's own rounding errors are below 1e-9.
TOLERANCE = {"relative": 1e-9, "absolute": 1e-9}


class Fitted:
    """A recorded case, its table, and our estimator with the recorded options.

    scikit-learn rounds the features to single precision; so do we here, and the thresholds are then equal to all
    recorded digits.
    """

    def __init__(self, case_id: str) -> None:
        self.case, self.table = oracles.case(case_id), oracles.table(case_id)
        options = {**self.case["options"]}
        del options["random_state"]  # ties are broken by column here, not at random
        self.weight = row_weights(options.pop("sample_weight"), self.table)
        self.X = self.table.X.astype(np.float32)
        estimator = CARTRegressor if options["criterion"] not in CLASS_CRITERIA else CARTClassifier
        self.estimator = estimator(**options).fit(self.X, self.table.y, self.weight)
        self.tree = self.estimator.tree_
        self.mass = self.tree.weight * self.tree.impurity
        self.predicted = self.estimator.predict(self.X)
        self.answers = self.predicted if self.tree.task == "number" else self.shares()

    def shares(self) -> np.ndarray:
        return self.table.by_level(self.estimator.predict_proba(self.X), self.estimator.classes_)


def row_weights(recorded: str | list[float] | None, table: Table) -> Any:
    """Return the row weights: a list of them, or those of the weight column if the case says so."""
    return table.weight if isinstance(recorded, str) else recorded


@pytest.mark.parametrize("case_id", [i for i in CASES if i not in TIED])
def test_tree(case_id: str) -> None:
    fitted = Fitted(case_id)
    assert differences(comparisons(fitted), **TOLERANCE) == []


@pytest.mark.parametrize("case_id", sorted(TIED))
def test_tree_with_ties(case_id: str) -> None:
    """All above the ties must match, and the ties must be exact; where no tree is recorded, ours must be as good."""
    fitted = Fitted(case_id)
    expected = fitted.case["expected"]
    if "tree" in expected:
        ties: list[str] = []
        assert (
            differences(node_comparisons(fitted, fitted.tree.node(0), expected["tree"], ties=ties), **TOLERANCE) == []
        )
        assert ties
    else:
        figures = ((name, FIGURES[name](fitted), expected[name]) for name in ("root_impurity", "depth", "node_count"))
        assert differences(figures, **TOLERANCE) == []
        name = "weighted_leaf_impurity_sum"
        assert FIGURES[name](fitted) <= expected[name] * (1 + 1e-9)


WITH_PATH = [i for i in CASES if i not in TIED and "ccp_path" in oracles.entry(i)["must_match"]]


@pytest.mark.parametrize("case_id", WITH_PATH)
def test_cost_complexity_path(case_id: str) -> None:
    """The alphas and impurities of scikit-learn's path, and the leaves of the tree fitted at the recorded alphas.

    A tree that goes another way at an exact tie (`test_tree_with_ties` proves that it is one) has another path.
    """
    fitted = Fitted(case_id)
    expected = fitted.case["expected"]
    path = fitted.estimator.cost_complexity_pruning_path(fitted.X, fitted.table.y, fitted.weight)
    assert differences(path_comparisons(path, expected), **TOLERANCE) == []
    for recorded in expected["ccp_leaves_at"]:
        options = {**fitted.estimator.get_params(), "ccp_alpha": recorded["ccp_alpha"]}
        pruned = type(fitted.estimator)(**options).fit(fitted.X, fitted.table.y, fitted.weight)
        pruned.tree_.check()
        assert pruned.get_n_leaves() == recorded["leaves"]


def path_comparisons(path: Any, expected: dict[str, Any]) -> Iterator[Comparison]:
    yield "alphas", path.ccp_alphas, np.array(expected["ccp_alphas"])
    yield "impurities", path.impurities, np.array(expected["ccp_impurities"])


# --- the figures, by the names of `must_match` ------------------------------------------------------------------------


def comparisons(fitted: Fitted) -> Iterator[Comparison]:
    """Compare every figure that must match, but for the cost-complexity path."""
    expected = fitted.case["expected"]
    for name in fitted.case["must_match"]:
        if name == "tree":
            yield from node_comparisons(fitted, fitted.tree.node(0), expected["tree"])
        elif name == "prediction":
            yield name, fitted.answers, np.array(expected["prediction_distinct"])[expected["prediction_row"]]
        elif name != "ccp_path":
            yield name, FIGURES[name](fitted), expected[name]


FIGURES: dict[str, Callable[[Fitted], Any]] = {
    "node_count": lambda fitted: len(fitted.tree),
    "n_leaves": lambda fitted: fitted.estimator.get_n_leaves(),
    "depth": lambda fitted: fitted.estimator.get_depth(),
    "root_impurity": lambda fitted: fitted.tree.node(0).impurity,
    "weighted_leaf_impurity_sum": lambda fitted: float(fitted.mass[fitted.tree.is_leaf].sum()),
    "weighted_all_node_impurity_sum": lambda fitted: float(fitted.mass.sum()),
    "train_correct": lambda fitted: int((fitted.predicted == fitted.table.y).sum()),
    "train_sse": lambda fitted: float(((fitted.predicted - fitted.table.y) ** 2).sum()),
    "train_sae": lambda fitted: float(np.abs(fitted.predicted - fitted.table.y).sum()),
    "feature_importances": lambda fitted: fitted.estimator.feature_importances_,
}


def node_comparisons(
    fitted: Fitted, node: Node, expected: dict[str, Any], path: str = "root", ties: list[str] | None = None
) -> Iterator[Comparison]:
    """Compare a node and all below it; with `ties`, not below a cut that is exactly as good as ours, which is noted."""
    yield f"{path}: n", node.n_samples, expected["n"]
    yield f"{path}: w", node.weight, float(expected["w"])
    yield f"{path}: impurity", node.impurity, float(expected["impurity"])
    yield f"{path}: value", value_of(fitted, node), expected["value"]
    yield f"{path}: leaf", node.is_leaf, "feature" not in expected
    if node.is_leaf or "feature" not in expected:
        return
    yield f"{path}: feature", int(fitted.tree.feature[node.index]), expected["feature"]
    if ties is not None and node.split.threshold != pytest.approx(expected["threshold"], rel=1e-9):
        cuts = (node.split.threshold, expected["threshold"])
        ours, theirs = (exact_error_below(fitted, node, cut) for cut in cuts)
        yield f"{path}: exact error of the cut", ours == theirs, True
        ties.append(path)
        return
    yield f"{path}: threshold", node.split.threshold, expected["threshold"]
    for child, side in zip(node.children, ("left", "right"), strict=True):
        yield from node_comparisons(fitted, child, expected[side], f"{path}, {side}", ties)


def exact_error_below(fitted: Fitted, node: Node, cut: float) -> Fraction:
    """Return the sum of absolute errors on both sides of a cut of a node's own column, in exact numbers."""
    here = fitted.estimator.decision_path(fitted.X).toarray()[:, node.index] > 0
    left = fitted.X.iloc[:, int(fitted.tree.feature[node.index])].to_numpy() <= cut
    y = [Fraction(repr(float(value))) for value in fitted.table.y]
    w = [Fraction(repr(float(value))) for value in (np.ones(len(y)) if fitted.weight is None else fitted.weight)]
    error = Fraction(0)
    for rows in (np.flatnonzero(here & left), np.flatnonzero(here & ~left)):
        half, below = sum(w[i] for i in rows) / 2, Fraction(0)
        for i in sorted(rows, key=lambda i: y[i]):
            below += w[i]
            if below >= half:
                error += sum(w[k] * abs(y[k] - y[i]) for k in rows)
                break
    return error


def value_of(fitted: Fitted, node: Node) -> np.ndarray:
    """Return what scikit-learn calls the value of a node: the class shares, or the mean."""
    if fitted.tree.task == "number":
        return np.array([node.prediction])
    return fitted.table.by_level(fitted.tree.distribution(np.array([node.index]))[0], fitted.tree.classes)
