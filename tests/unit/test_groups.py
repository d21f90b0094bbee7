"""Value groups: which categories are merged, which are not, and where the others go."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import C45Classifier, OptionError
from deciduous.criteria import CRITERIA
from deciduous.data.table import Table
from deciduous.kernels import SplitKind
from deciduous.model.route import route
from deciduous.prune.impossible import without_impossible
from deciduous.search.contingency import Contingency, Rule
from deciduous.search.groups import best_groups
from deciduous.search.multiway import multiway

RATIO = CRITERIA["class", "gain_ratio"]


def contingency(*lines: tuple[float, ...]) -> Contingency:
    table = np.array(lines, dtype=float)
    counts = np.ceil(table.sum(axis=1)).astype(np.int64)
    return Contingency(table, counts, np.zeros(table.shape[1]), 0)


def rule(**options: Any) -> Rule:
    return Rule(RATIO, "fractional", "groups", 1e-10, **{"min_cases": 2.0} | options)


def branches(*lines: tuple[float, ...], **options: Any) -> list[int] | None:
    found = best_groups(contingency(*lines), rule(**options))
    return None if found is None else found.category_branch.tolist()


def test_pure_categories_of_one_class_are_one_group() -> None:
    assert branches((4, 0), (0, 3), (5, 0), (0, 2)) == [0, 1, 0, 1]


def test_what_the_node_does_not_have_is_the_last_branch() -> None:
    assert branches((4, 0), (0, 0), (0, 3), (0, 0)) == [0, 2, 1, 2]


def test_two_categories_have_a_branch_each() -> None:
    lines = (4.0, 1.0), (1.0, 4.0)
    one, other = best_groups(contingency(*lines), rule()), multiway(contingency(*lines), rule())
    assert (one.kind, one.score) == (SplitKind.MULTIWAY, other.score)


def test_a_small_category_is_merged_so_that_two_groups_are_large() -> None:
    """Of 6, 1 and 1 rows only one is large; the heaviest is not merged, so the two small ones are."""
    assert branches((3, 3), (1, 0), (0, 1)) == [0, 1, 1]


def test_too_few_rows_for_two_groups() -> None:
    assert branches((2, 1), (1, 0), (0, 0)) is None


def test_merging_ends_where_the_ratio_does_not_get_better() -> None:
    """Three pure groups have the ratio 1.585/1.585 = 1, any two of them merged .918/.918 = 1: no better."""
    lines = (8.0, 0.0, 0.0), (0.0, 8.0, 0.0), (0.0, 0.0, 8.0)
    assert branches(*lines) == [0, 1, 2]


@pytest.mark.parametrize("conventions", ["c45", "r8"])
def test_a_tree_of_groups(conventions: str) -> None:
    """Rows fall where they were counted, the tree is saved, and an unknown category waits at the node."""
    rng = np.random.default_rng(3)
    a = pd.Categorical(rng.choice(list("uvwxyz"), 200), categories=list("uvwxyz!"))
    y = np.where(np.isin(a, ["u", "w", "z"]), "p", "n")
    y[rng.random(200) < 0.1] = "q"
    model = C45Classifier(nominal="groups", conventions=conventions).fit(pd.DataFrame({"a": a}), y)
    root = model.tree_.node(0)
    assert root.split.kind == SplitKind.GROUPS
    assert [root.split.categories_of(b).tolist() for b in range(3)] == [[0, 2, 5], [1, 3, 4], [6]]
    model.tree_.check()
    assert type(model.tree_).from_json(model.tree_.to_json()).to_text() == model.tree_.to_text()
    assert "a in {u, w, z}" in model.tree_.to_text()
    reached = np.bincount(model.apply(pd.DataFrame({"a": a})), minlength=len(model.tree_))
    assert reached[model.tree_.is_leaf].tolist() == model.tree_.n_samples[model.tree_.is_leaf].tolist()


def grouped_twice(rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """A table in which the groups of one column pay again below a question about the other."""
    letters = list("uvwxyz!?")
    a = pd.Categorical(rng.choice(letters[:6], 400), categories=letters)
    b = rng.integers(0, 3, 400)
    y = (np.isin(a, ["u", "w", "z"]) ^ ((b == 1) & np.isin(a, ["u", "x"]))).astype(int) + (a == "v")
    return pd.DataFrame({"a": a, "b": pd.Categorical(b.astype(str))}), y


@pytest.mark.parametrize("seed", range(8))
def test_release_8_names_no_impossible_category(seed: int) -> None:
    """What a question above sent elsewhere is named by no question below it, in pruned trees; answers stay."""
    X, y = grouped_twice(np.random.default_rng(seed))
    y[np.random.default_rng(seed).random(len(y)) < 0.1] = 2
    options = {"nominal": "groups", "conventions": "r8", "confidence": 0.9}
    tree = C45Classifier(pruning="error", **options).fit(X, y).tree_
    tree.check()
    possible = {0: set(range(8))}
    for index in range(len(tree)):
        node = tree.node(index)
        if node.is_leaf:
            continue
        of_a = node.split.feature == 0
        named = {int(code) for code in np.flatnonzero(node.split.category_branch >= 0)}
        assert not of_a or named == possible[index]
        for b, child in enumerate(node.children):
            possible[child.index] = set(node.split.categories_of(b).tolist()) if of_a else possible[index]
    full = C45Classifier(pruning=None, collapse=False, **options).fit(X, y).tree_
    smaller = without_impossible(full)
    smaller.check()
    every = pd.DataFrame([(letter, b) for letter in X["a"].cat.categories for b in "012"], columns=["a", "b"])
    every = every.astype({"a": X["a"].dtype, "b": X["b"].dtype})
    answers = [tree.distribution(route(tree, Table.encode_like(every, tree.schema)).nodes) for tree in (full, smaller)]
    assert len(smaller) < len(full)
    assert np.array_equal(*answers)


def test_groups_belong_to_c45() -> None:
    with pytest.raises(OptionError, match=r"nominal='groups' belongs to C4\.5"):
        C45Classifier(nominal="groups", missing="branch").fit({"a": ["u", "v"]}, ["p", "n"])
