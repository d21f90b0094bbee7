"""The pruners as values: their words, what they need, and what they refuse."""

import copy
import dataclasses

import numpy as np
import pytest

from deciduous import C45Classifier, CARTRegressor, OptionError, explain_pruning
from deciduous.grow.option_checks import PRUNING
from deciduous.prune import (
    PRUNERS,
    Collapse,
    CostComplexity,
    CriticalValue,
    ErrorBased,
    MinimumError,
    Optimal,
    Pessimistic,
    Pruner,
    ReducedError,
    frontier,
    prune_to,
)
from tests.trees import leaf, node, tree_of

TREE = tree_of(node(leaf(6, 1), node(leaf(1, 4), leaf(1, 0)), leaf(0, 2)))


def test_the_words_of_the_option_are_those_of_the_pruners() -> None:
    assert set(PRUNING) == set(PRUNERS)
    assert all(name == PRUNERS[name].name for name in PRUNERS)


@pytest.mark.parametrize("name", PRUNERS)
def test_a_pruner_is_a_value(name: str) -> None:
    pruner = PRUNERS[name]()
    assert copy.deepcopy(pruner) == pruner == PRUNERS[name]()
    with pytest.raises(dataclasses.FrozenInstanceError):
        pruner.m = 1


@pytest.mark.parametrize("name", PRUNERS)
def test_what_a_pruner_needs(name: str) -> None:
    pruner = PRUNERS[name]()
    if pruner.needs == "validation":
        with pytest.raises(OptionError, match=r"needs validation rows: pass rows=, or fit\(..., validation="):
            pruner(TREE)
    else:
        pruner(TREE).check()
    assert (CostComplexity(0.1).needs, Optimal(3).needs) == ("statistics", "statistics")


@pytest.mark.parametrize("name", PRUNERS)
def test_a_root_alone_stays(name: str) -> None:
    pruner = PRUNERS[name]()
    if pruner.needs == "statistics":
        tree = tree_of(leaf(3, 1))
        assert pruner(tree) is tree


@pytest.mark.parametrize("name", [name for name, tasks in PRUNING.items() if "number" not in tasks])
def test_pruners_of_classes_refuse_numbers(name: str) -> None:
    tree = CARTRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).tree_
    with pytest.raises(OptionError, match=r"defined for .*classes; for numbers"):
        PRUNERS[name]()(tree)
    assert CriticalValue(0.1)(tree).n_leaves == 2
    assert CriticalValue(0.3)(tree).n_leaves == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ErrorBased(0), "confidence=0 must lie between 0 and 1"),
        (lambda: ErrorBased(subtree_raising=1), "subtree_raising=1 must be True or False"),
        (lambda: ErrorBased(conventions="weka"), "conventions='weka' is not one of 'c45', 'j48', 'r8'"),
        (lambda: Collapse("c5"), "conventions='c5' is not one of"),
        (lambda: MinimumError(-1), "m=-1 must be a number of at least 0, or 'laplace'"),
        (lambda: MinimumError("Laplace"), "m='Laplace' must be"),
        (lambda: Pessimistic(float("nan")), "standard_errors=nan must be at least 0"),
        (lambda: CriticalValue(-0.1), "critical=-0.1 must be at least 0"),
        (lambda: CriticalValue(level=1), "level=1 must lie between 0 and 1"),
        (lambda: ReducedError("no"), "ties='no' must be 'prune' or 'keep'"),
        (lambda: CostComplexity(-1), "alpha=-1 must be at least 0"),
        (lambda: CostComplexity(rule="max"), "rule='max' is not one of 'min', '1se'"),
        (lambda: Optimal(0), "n_leaves=0 must be at least 1"),
        (lambda: Optimal(rule="se"), "rule='se' is not one of"),
        (lambda: prune_to(TREE, 0), "most_leaves=0 must be a whole number of at least 1"),
        (lambda: prune_to(TREE, "2"), "most_leaves='2' must be a whole number of at least 1"),
        (lambda: frontier(TREE).at_most(0), "n_leaves=0 must be at least 1"),
    ],
)
def test_parameters_that_are_not_allowed(make, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make()


@pytest.mark.parametrize("cost", ["impurity", "errors", "gini", "entropy"])
def test_a_price_per_row_is_scikit_learns(cost: str) -> None:
    """The second question saves 1 error of 15 rows, the first 4."""
    if cost == "errors":
        assert CostComplexity(0.99 / 15, cost=cost)(TREE).n_leaves == 4
        assert CostComplexity(1.0 / 15, cost=cost)(TREE).n_leaves == 3
        assert CostComplexity(2.01 / 15, cost=cost)(TREE).n_leaves == 1
    assert CostComplexity(10.0, cost=cost)(TREE).n_leaves == 1


def test_fewer_leaves_than_the_first_question_has() -> None:
    assert [prune_to(TREE, n).n_leaves for n in (1, 2, 3, 4, 99)] == [1, 1, 3, 4, 4]
    assert frontier(TREE).size.tolist() == [1, 3, 4]
    assert np.isfinite(frontier(TREE).cost).all()


def test_a_pruner_says_what_it_is() -> None:
    assert repr(MinimumError()) == "MinimumError(m=2.0)"
    pruner: Pruner = Pessimistic()
    assert (pruner.name, pruner.needs) == ("pessimistic", "statistics")


def test_error_based_pruning_by_its_word_is_as_the_tree_was_grown() -> None:
    y = np.random.default_rng(3).integers(0, 2, 200).astype(str)
    X = np.random.default_rng(4).normal(size=(200, 4)) + (y == "1")[:, None]
    options = {"confidence": 0.01, "conventions": "j48", "subtree_raising": False}
    whole = C45Classifier(pruning=None, **options).fit(X, y)
    pruned = C45Classifier(pruning="error", collapse=False, **options).fit(X, y).tree_
    assert whole.prune("error").tree_.to_text() == pruned.to_text()
    assert explain_pruning(whole, "error").pruned.to_text() == pruned.to_text()
    assert whole.prune(ErrorBased()).tree_.n_leaves > pruned.n_leaves
    assert ErrorBased.of_tree(whole.tree_, 0.5) == ErrorBased(0.5, conventions="j48")
