"""The working of trees of several targets: what they keep of their search, target by target, and how it is shown."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import deciduous
from deciduous import CARTClassifier, CARTRegressor, OptionError, derivation
from deciduous.explain.joint import each_target
from deciduous.model.tree import Tree
from tests import recompute

RNG = np.random.default_rng(5)
X = pd.DataFrame({"x": RNG.integers(0, 9, 40), "c": RNG.choice(list("abcd"), 40), "z": RNG.normal(size=40)})
NUMBERS = pd.DataFrame({"y": X.x * 2.0 + RNG.normal(size=40), "k": (X.c == "a") * 3.0 + X.z})
CLASSES = pd.DataFrame({"colour": np.where(X.x > 4, "red", "blue"), "heavy": np.where(X.z + (X.c == "b") > 0, 1, 0)})


def gaps(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.mask(np.random.default_rng(1).random(frame.shape) < 0.15)


GROWN = {
    "numbers": (CARTRegressor(max_depth=2), X, NUMBERS),
    "classes": (CARTClassifier(max_depth=2), X, CLASSES),
    "entropy": (CARTClassifier(max_depth=2, criterion="entropy"), X, CLASSES),
    "gaps": (CARTRegressor(max_depth=1), gaps(X), NUMBERS),
    "parts of rows": (CARTClassifier(max_depth=1, missing="fractional"), gaps(X), CLASSES),
}


@pytest.fixture(params=GROWN)
def grown(request: Any) -> Any:
    made, table, targets = GROWN[request.param]
    return clone(made).fit(table, targets), table, targets


@pytest.fixture
def model(grown: Any) -> Any:
    return grown[0]


def test_each_target_has_its_own_impurity(model: Any) -> None:
    tree = model.tree_
    ones = tree.by_target()
    assert np.mean([one.impurity for one in ones], axis=0) == pytest.approx(tree.impurity, abs=1e-9)
    y = NUMBERS if tree.task == "number" else CLASSES
    if tree.task == "number":
        assert [one.impurity[0] for one in ones] == pytest.approx(y.var(ddof=0).tolist())
    elif tree.options["criterion"] == "gini":
        shares = [y[name].value_counts(normalize=True) for name in y]
        assert [one.impurity[0] for one in ones] == pytest.approx([1 - (own**2).sum() for own in shares])


def test_candidates_are_kept_and_read_back(model: Any) -> None:
    """The gains of the targets have that of the tree as their mean, column by column; files keep them."""
    tree = model.tree_
    again = Tree.from_json(tree.to_json())
    assert again.to_json() == tree.to_json()
    for kept in (tree, again):
        for node in range(len(kept)):
            columns = zip(*(one.node(node).candidates for one in (kept, *each_target(kept))), strict=True)
            for joint, *own in columns:
                assert {one.verdict for one in own} == {joint.verdict}
                if joint.table is not None:
                    assert np.mean([one.gain for one in own]) == pytest.approx(joint.gain, abs=1e-9)
                if joint.verdict == "chosen":
                    assert joint.gain == pytest.approx(kept.gain[node])


@pytest.mark.parametrize(("with_rows", "lang"), [(False, "en"), (True, "zh")])
def test_the_working_of_a_node_is_right(grown: Any, with_rows: bool, lang: str) -> None:
    """Every line that is written comes out as it says, in every form; the best candidate is the one kept."""
    model, table, targets = grown
    shown = derivation(model, "all", *((table, targets) if with_rows else ()))
    steps = [step for node in shown for step in node.all_steps() if step.numbers is not None]
    for form, lines in recompute.in_all_forms(shown, lang).items():
        assert len(recompute.calculations(lines)) >= len(steps) > 20, form
        for python, result in recompute.calculations(lines):
            value = recompute.worked_out(python)
            assert recompute.close(value, result), (form, python, result)
    tried = [one for node in shown for feature in node.features for one in feature.tried]
    assert bool(tried) == with_rows
    for node in shown:
        for feature, candidate in zip(node.features, model.tree_.node(node.working.node).candidates, strict=True):
            best = [one.gain for one in feature.tried if one.best]
            assert best == pytest.approx([candidate.gain] if feature.tried else [])


def test_the_working_in_words() -> None:
    X = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    y = pd.DataFrame({"price": [1.0, 2.0, 3.0, 4.0, 5.0, 9.0], "age": [7.0, 7.0, 7.0, 2.0, 2.0, 2.0]})
    text = derivation(CARTRegressor(max_depth=1).fit(X, y)).to_text(width=120)
    for line in (
        "The working of the CART tree for price, age",
        "mean_drop(D, size) = (4 + 6.25) / 2 = 5.125",
        "size is chosen: the largest drop in squared error, 5.125, the mean over the targets.",
    ):
        assert line in text


def test_one_of_the_targets_is_shown_by_its_own_tree() -> None:
    model = CARTRegressor(max_depth=2).fit(X, NUMBERS)
    one = model.tree_.by_target()[1]
    assert "k" in str(deciduous.rules(one))
    with pytest.raises(OptionError, match="by_target"):
        deciduous.rules(model)
