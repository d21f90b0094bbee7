"""Weka's J48: its trees, sizes, class distributions, confusion matrices and cross-validated predictions."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import C45Classifier, Node
from deciduous.algorithms.c45 import C45
from deciduous.estimators.cross_validation import labelled
from deciduous.estimators.growing import grow_on
from deciduous.estimators.training import training_set
from deciduous.kernels import SplitKind
from deciduous.prune import ReducedError
from tests.parity import oracles
from tests.parity.oracles import Comparison, differences

CASES = oracles.ids("j48")
KINDS = {"numeric": SplitKind.THRESHOLD, "multiway": SplitKind.MULTIWAY, "value-vs-rest": SplitKind.ONE_VS_REST}


def options_of(flags: str) -> dict[str, Any]:
    """Return Weka's flags as our options."""
    words = flags.split()
    given = {word: words[i + 1] if i + 1 < len(words) else "" for i, word in enumerate(words) if word.startswith("-")}
    return {
        "conventions": "j48",
        "pruning": None if "-U" in given else "reduced_error" if "-R" in given else "error",
        "min_cases": float(given.get("-M", 2)),
        "confidence": float(given.get("-C", 0.25)),
        "collapse": "-O" not in given,
        "mdl_correction": "-J" not in given,
        "subtree_raising": "-S" not in given,
        "laplace": "-A" in given,
        "nominal": "one_vs_rest" if "-B" in given else "multiway",
    }


def as_target(table: oracles.Table, rows: Any = slice(None)) -> pd.Series:
    """Return the target of some rows with all of its classes declared."""
    return pd.Series(pd.Categorical(table.y[rows], categories=table.levels))


def estimator_of(case_id: str) -> C45Classifier:
    table, options = oracles.table(case_id), options_of(oracles.case(case_id)["options"])
    return C45Classifier(kinds=table.kinds | dict.fromkeys(table.ordinal, "nominal"), **options)


def fit_on(case_id: str, rows: Any) -> C45Classifier:
    """Return the tree of a case on some rows."""
    table = oracles.table(case_id)
    weight = None if table.weight is None else table.weight[rows]
    return estimator_of(case_id).fit(table.X.iloc[rows], as_target(table, rows), sample_weight=weight)


def pruned_by(case_id: str, pruning_rows: list[int]) -> C45Classifier:
    """Return the tree that is grown on all rows but some, which then prune it; all rows count and place thresholds."""
    table, estimator = oracles.table(case_id), estimator_of(case_id)
    algorithm = C45.of(estimator.get_params())
    training = training_set(table.X, as_target(table), table.weight, algorithm, estimator.kinds)
    tree = grow_on(training, algorithm, np.setdiff1d(training.rows, pruning_rows))
    estimator._adopt(ReducedError()(tree, labelled(training, np.array(pruning_rows))), [training.target.classes])
    return estimator


@cache
def fitted(case_id: str) -> C45Classifier:
    recorded = oracles.case(case_id)["expected"]
    if "pruning_rows" in recorded:
        return pruned_by(case_id, recorded["pruning_rows"])
    return fit_on(case_id, np.arange(len(oracles.table(case_id).y)))


@pytest.mark.parametrize("case_id", CASES)
def test_tree(case_id: str) -> None:
    """Questions, thresholds and class weights, node by node; size and number of leaves."""
    tree, recorded = fitted(case_id).tree_, oracles.case(case_id)["expected"]
    assert differences(below(tree.node(0), recorded["tree"]), 1e-6, 1e-6) == []
    assert (tree.n_leaves, len(tree)) == (recorded["number_of_leaves"], recorded["tree_size"])


def below(node: Node, recorded: dict[str, Any], place: str = "root") -> Iterator[Comparison]:
    """Return what is compared in a node and below it."""
    yield f"{place}: weight", node.weight, float(recorded["n"])
    weights = np.array([node.class_weights.get(label, 0.0) for label in node.tree.classes])
    yield f"{place}: class weights", weights, np.array(recorded["dist"])
    yield f"{place}: asks", node.feature or "nothing", recorded.get("attr", "nothing")
    if node.feature is None or "attr" not in recorded or node.feature != recorded["attr"]:
        return
    split = node.split
    assert split is not None
    yield f"{place}: kind", split.kind, KINDS[recorded["kind"]]
    if recorded["kind"] == "numeric":
        yield f"{place}: threshold", split.threshold, float(recorded["threshold"])
    if recorded["kind"] == "value-vs-rest":
        categories = node.tree.schema.features[split.feature].categories
        yield f"{place}: value", [categories[c] for c in split.categories_of(0)], [recorded["value"]]
    yield f"{place}: branches", len(node.children), len(recorded["children"])
    yield f"{place}: weights", np.array([c.weight for c in node.children]), np.array(recorded["branch_weights"])
    for i, (child, other) in enumerate(zip(node.children, recorded["children"], strict=False)):
        yield from below(child, other, f"{place}/{node.feature}[{i}]")


@pytest.mark.parametrize("case_id", CASES)
def test_distributions(case_id: str) -> None:
    recorded = oracles.case(case_id)["expected"]
    expected = np.array(recorded["distinct_distributions"])[recorded["row_distribution"]]
    np.testing.assert_allclose(fitted(case_id).predict_proba(oracles.table(case_id).X), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("case_id", CASES)
def test_confusion(case_id: str) -> None:
    """The weights of the rows by class and predicted class."""
    table, estimator = oracles.table(case_id), fitted(case_id)
    confusion = np.zeros((len(table.levels), len(table.levels)))
    weight = np.ones(len(table.y)) if table.weight is None else table.weight
    known = ~pd.isna(table.y)
    true = pd.Categorical(table.y[known], categories=table.levels).codes
    predicted = pd.Categorical(estimator.predict(table.X)[known], categories=table.levels).codes
    np.add.at(confusion, (true, predicted), weight[known])
    expected = oracles.case(case_id)["expected"]["train_confusion_rows_true"]
    np.testing.assert_allclose(confusion, expected, rtol=0, atol=1e-6)


#: Ten fits a case: one case in five is in every run, `make soak` has them all.
FOLDS = [c for c in CASES if not c.rpartition(".")[2].startswith("R")]


@pytest.mark.parametrize(
    "case_id", [pytest.param(c, marks=() if i % 5 == 0 else pytest.mark.slow) for i, c in enumerate(FOLDS)]
)
def test_cross_validation(case_id: str) -> None:
    """The class of every row as predicted by the tree of the other folds.

    Not with reduced-error pruning: which rows pruned the trees of the folds is not recorded.
    """
    recorded, table = oracles.case(case_id), oracles.table(case_id)
    if "cv10_seed1" not in recorded["expected"]:
        pytest.skip("no cross-validation is recorded")
    expected = recorded["expected"]["cv10_seed1"]
    fold = folds_of(expected["fold_of_row"])
    predicted = np.full(len(fold), -1)
    for k in np.unique(fold[fold >= 0]):
        estimator = fit_on(case_id, np.flatnonzero(fold != k))
        out = fold == k
        predicted[out] = pd.Categorical(estimator.predict(table.X[out]), categories=table.levels).codes
    np.testing.assert_array_equal(predicted, expected["row_class"])


def folds_of(recorded: Any) -> np.ndarray:
    """Return the fold of each row, as listed or as in another case."""
    while isinstance(recorded, str):
        recorded = oracles.case(recorded.removeprefix("as in "))["expected"]["cv10_seed1"]["fold_of_row"]
    return np.array(recorded)
