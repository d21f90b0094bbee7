"""Weka's Id3: its printed trees, class distributions, predictions and confusion matrices."""

import re
from typing import Any

import numpy as np
import pytest

from deciduous import ID3Classifier, Node
from deciduous.model.reason import Reason
from tests.parity import oracles

CASES = oracles.ids("id3")

#: The prediction of a branch without rows: Weka gives it no class.
NO_CLASS = "null"


@pytest.fixture(name="fitted", scope="module", params=CASES)
def _fitted(request: pytest.FixtureRequest) -> tuple[ID3Classifier, oracles.Table, dict[str, Any]]:
    recorded, table = oracles.case(request.param)["expected"], oracles.table(request.param)
    return ID3Classifier(kinds=table.kinds).fit(table.X, table.y), table, recorded


def test_tree(fitted: tuple[ID3Classifier, oracles.Table, dict[str, Any]]) -> None:
    """The lines of the tree are those that Weka prints; of classes that tie at a leaf, Weka's is one."""
    estimator, _, recorded = fitted
    root = estimator.tree_.node(0)
    ours = lines_of(root)
    printed = [re.fullmatch(r"(.*? = .*?)(?:: (.*))?", line) for line in recorded["text"].splitlines()[2:]]
    assert [line for line, _ in ours] == [line[1] for line in printed]
    assert [line[0] for line, (_, classes) in zip(printed, ours, strict=True) if line[2] not in classes] == []


def lines_of(node: Node, indent: str = "") -> list[tuple[str, list[str | None]]]:
    """Return the tree below a node as Weka prints it: each line, and the classes it may end in."""
    feature = node.tree.schema.features[node.split.feature]
    lines = []
    for category, child in zip(feature.categories, node.children, strict=True):
        lines.append((f"{indent}{feature.name} = {category}", classes_of(child)))
        if not child.is_leaf:
            lines += lines_of(child, indent + "|  ")
    return lines


def classes_of(node: Node) -> list[str | None]:
    if not node.is_leaf:
        return [None]
    if node.reason == Reason.EMPTY:
        return [NO_CLASS]
    heaviest = max(node.class_weights.values())
    return [str(label) for label, weight in node.class_weights.items() if weight == heaviest]


def test_distributions(fitted: tuple[ID3Classifier, oracles.Table, dict[str, Any]]) -> None:
    estimator, table, recorded = fitted
    expected = np.array(recorded["distinct_distributions"])[recorded["row_distribution"]]
    shares = table.by_level(estimator.predict_proba(table.X), estimator.classes_)
    np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-8)  # recorded with 8 decimals


def test_predictions(fitted: tuple[ID3Classifier, oracles.Table, dict[str, Any]]) -> None:
    """Our class is Weka's, or one that ties with it; the confusion matrix follows where nothing ties."""
    estimator, table, recorded = fitted
    proba = table.by_level(estimator.predict_proba(table.X), estimator.classes_)
    rows, ranked = np.arange(len(table.y)), np.sort(proba, axis=1)
    predicted = np.array([table.levels.index(label) for label in estimator.predict(table.X)])
    theirs = np.array(recorded["row_class"])
    np.testing.assert_array_equal(proba[rows, predicted], proba[rows, theirs])
    if (ranked[:, -1] > ranked[:, -2]).all():
        confusion = np.zeros((len(table.levels), len(table.levels)))
        np.add.at(confusion, ([table.levels.index(label) for label in table.y], predicted), 1)
        np.testing.assert_array_equal(confusion, recorded["train_confusion_rows_true"])
