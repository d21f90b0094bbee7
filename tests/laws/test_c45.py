"""C4.5 with all its options: weights are repeated rows, shares sum to one, no row is lost."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deciduous import C45Classifier
from deciduous.model.tree import Tree
from deciduous.prune import estimated_errors, node_costs
from tests.laws.trees import same_tree
from tests.strategies import QUARTERS, WHOLE, fit, tables

#: What each convention knows of the two options that it restricts.
KNOWS = {
    "c45": [("multiway", "gain_ratio"), ("one_vs_rest", "gain_ratio"), ("subset", "gain"), ("groups", "gain_ratio")],
    "j48": [("multiway", "gain_ratio"), ("one_vs_rest", "gain_ratio")],
    "r8": [("multiway", "gain_ratio"), ("multiway", "gain"), ("groups", "gain_ratio")],
}


@st.composite
def c45_options(draw: st.DrawFn, conventions: str) -> dict[str, Any]:
    nominal, criterion = draw(st.sampled_from(KNOWS[conventions]))
    flags = ("guard", "mdl_correction", "collapse", "laplace", "subtree_raising")
    return {
        "conventions": conventions,
        "nominal": nominal,
        "criterion": criterion,
        "threshold": draw(st.sampled_from(["data", "midpoint"])),
        "min_cases": draw(st.sampled_from([0.0, 1.0, 2.0])),
        "pruning": draw(st.sampled_from([None, "error"])),
        "confidence": draw(st.sampled_from([0.1, 0.25, 0.5])),
        **{flag: draw(st.booleans()) for flag in flags},
    }


@given(data=st.data())
def test_whole_weights_are_repeated_rows(data: st.DataObject) -> None:
    table = data.draw(tables(weights=WHOLE, zero_weights=True))
    chosen = data.draw(c45_options("c45"))
    repeated = replace(table, weights=None).take(np.repeat(range(len(table)), table.weight.astype(int)))
    weighted, plain = (fit(C45Classifier, t, **chosen).tree_ for t in (table, repeated))
    same_tree(weighted, plain, skip=("n_samples",))


@pytest.mark.parametrize("conventions", list(KNOWS))
@given(data=st.data())
def test_no_row_is_lost_and_shares_sum_to_one(conventions: str, data: st.DataObject) -> None:
    table = data.draw(tables(weights=QUARTERS))
    model = fit(C45Classifier, table, **data.draw(c45_options(conventions)))
    tree = model.tree_
    assert tree.weight[0] == pytest.approx(table.weight.sum(), rel=1e-12)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        below = slice(tree.first_child[node], tree.first_child[node] + tree.n_branches[node])
        assert tree.weight[below].sum() == pytest.approx(tree.weight[node], rel=1e-12)
        assert tree.share[below].sum() == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(model.predict_proba(table.X).sum(axis=1), 1.0, rtol=1e-12)


@given(data=st.data())
def test_pruning_never_raises_the_estimated_errors(data: st.DataObject) -> None:
    table = data.draw(tables(weights=None))
    chosen = data.draw(c45_options("c45"))
    grown, pruned = (fit(C45Classifier, table, **chosen | {"pruning": pruning}).tree_ for pruning in (None, "error"))
    assert estimate(pruned, chosen) <= estimate(grown, chosen) * (1 + 1e-9) + 1e-9


def estimate(tree: Tree, chosen: dict[str, Any]) -> float:

    leaves = tree.is_leaf & (tree.weight > 0)
    return float(estimated_errors(tree.weight[leaves], node_costs(tree, "errors")[leaves], chosen["confidence"]).sum())


@given(data=st.data())
def test_rows_without_class_only_place_thresholds(data: st.DataObject) -> None:
    """They are left out, and the questions are those of the others; a threshold may be a value of theirs."""
    table = data.draw(tables(weights=None))
    chosen = data.draw(c45_options("c45")) | {"threshold": "midpoint"}
    unknown = np.array(data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table))))
    assume(not unknown.all() and unknown.any())
    y = pd.Series(table.target("class")).mask(unknown)
    with pytest.warns(UserWarning, match=f"{unknown.sum()} of {len(table)} rows left out"):
        with_them = C45Classifier(**chosen).fit(table.X, y).tree_
    without = table.take(np.flatnonzero(~unknown))
    same_tree(with_them, C45Classifier(**chosen).fit(without.X, without.target("class")).tree_)


# --- laplace, declared classes ---------------------------------------------------------------------------------------


def test_laplace_adds_a_row_of_each_class() -> None:
    X, y = {"a": ["u", "u", "u", "v", "v"]}, ["p", "p", "n", "n", "n"]
    plain = C45Classifier(min_cases=1, pruning=None).fit(X, y)
    smooth = C45Classifier(min_cases=1, pruning=None, laplace=True).fit(X, y)
    assert plain.predict_proba({"a": ["u", "v"]}).tolist() == [[1 / 3, 2 / 3], [1.0, 0.0]]
    assert smooth.predict_proba({"a": ["u", "v"]}) == pytest.approx(np.array([[2 / 5, 3 / 5], [3 / 4, 1 / 4]]))


@pytest.mark.parametrize(("conventions", "classes"), [("c45", ["n", "p"]), ("j48", ["p", "z", "n"])])
def test_declared_classes(conventions: str, classes: list[str]) -> None:
    """The programs know the classes that are declared, in that order, those without a row too."""
    y = pd.Series(pd.Categorical(["p", "p", "n", "n"], categories=["p", "z", "n"]))
    model = C45Classifier(conventions=conventions).fit(pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]}), y)
    assert model.classes_.tolist() == classes
    assert model.predict_proba(pd.DataFrame({"a": [1.0]})).shape == (1, len(classes))


def test_an_empty_branch_of_release_8_answers_with_one_class() -> None:
    """J48 gives it the shares of its parent."""
    a = pd.Categorical(["u", "u", "u", "v", "v", "v"], categories=["u", "v", "w"])
    X, y = pd.DataFrame({"a": a}), ["p", "p", "p", "n", "n", "p"]
    asked = pd.DataFrame({"a": pd.Categorical(["w"], categories=["u", "v", "w"])})
    shares = {
        conventions: C45Classifier(conventions=conventions, pruning=None).fit(X, y).predict_proba(asked)[0].tolist()
        for conventions in ("j48", "r8")
    }
    assert shares["j48"] == pytest.approx([2 / 6, 4 / 6])
    assert shares["r8"] == [0.0, 1.0]
