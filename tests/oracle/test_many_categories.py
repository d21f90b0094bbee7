"""Best subsets of more categories than are tried one by one: near the best of all divisions, and honest about it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from deciduous.criteria import CRITERIA, Criterion
from deciduous.search.climb import MOST_STARTS, Climb
from deciduous.search.contingency import TIE, Contingency, Rule
from deciduous.search.divisions import Cuts
from deciduous.search.items import Items
from deciduous.search.pick import Candidates, gains
from deciduous.search.subsets import EXHAUSTIVE_ITEMS, best_subset


def all_gains(contingency: Contingency, rule: Rule) -> np.ndarray:
    """The gains of all divisions of the values present into two sets."""
    n = len(contingency.counts)
    codes = np.arange(1, 2 ** (n - 1))
    left = (codes[:, None] >> np.arange(n) & 1).astype(bool)
    tables = np.stack([left @ contingency.table, ~left @ contingency.table], axis=1)
    counts = np.stack([left @ contingency.counts, ~left @ contingency.counts], axis=1)
    return gains(Candidates(tables, counts), rule, contingency)


def random_contingency(rng: np.random.Generator, n: int, n_classes: int, most: int = 60) -> Contingency:
    """Rows of n categories; the categories differ much, some or hardly in their classes."""
    shares = rng.dirichlet(np.full(n_classes, rng.choice([0.3, 1.0, 5.0, 50.0])), size=n)
    table = np.array([rng.multinomial(rng.integers(1, most), p) for p in shares]).astype(float)
    return Contingency(table, table.sum(axis=1).astype(np.int64), np.zeros(n_classes), 0)


def rule_of(criterion: Criterion, contingency: Contingency, missing: str = "error", **limits: Any) -> Rule:
    every = contingency.table.sum(axis=0) + contingency.missing
    return Rule(criterion, missing, "subset", TIE * float(criterion.impurity(every)), **limits)


# --- the heuristic ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gini", "entropy", "misclassification"])
def test_climbing_nearly_always_reaches_the_best_of_all_divisions(name: str) -> None:
    """200 random tables of 10 to 14 categories and 3 to 5 classes: at least 0.99 of the best gain, on 90 % equal."""
    rng, ratios = np.random.default_rng(7), []
    for round_ in range(200):
        contingency = random_contingency(rng, 10 + round_ % 5, 3 + round_ % 3)
        rule = rule_of(CRITERIA["class", name], contingency)
        best = all_gains(contingency, rule).max()
        ratios.append(Climb(Items(contingency, rule)).ends.top / best if best > 0 else 1.0)
    assert max(ratios) <= 1 + 1e-9
    assert min(ratios) >= 0.99
    assert np.mean(np.array(ratios) >= 1 - 1e-9) >= 0.9


def test_climbing_under_limits() -> None:
    """What limits allow need not be a cut of any order; still mostly the best is found, and nothing forbidden."""
    rng, ratios = np.random.default_rng(8), []
    for round_ in range(100):
        contingency = random_contingency(rng, 13, 3 + round_ % 3)
        least = int(contingency.counts.sum() // 5)
        rule = rule_of(CRITERIA["class", "gini"], contingency, min_samples_leaf=least)
        found = Climb(Items(contingency, rule)).ends.best(exact=False)
        assert found is not None
        assert min(found.weights) >= least
        ratios.append(found.gain / all_gains(contingency, rule).max())
    assert min(ratios) >= 0.8
    assert np.mean(np.array(ratios) >= 1 - 1e-9) >= 0.9


def test_a_heavy_category_may_be_all_that_can_stand_alone() -> None:
    """The other categories have too few rows together to be on both sides of it, as in every order of shares."""
    table = np.array([[3, 0, 0], [0, 3, 0], [0, 0, 3]] * 5 + [[40, 41, 42]], dtype=float)
    contingency = Contingency(table, table.sum(axis=1).astype(np.int64), np.zeros(3), 0)
    found = best_subset(contingency, rule_of(CRITERIA["class", "gini"], contingency, min_samples_leaf=45))
    assert found is not None
    assert found.weights == [123, 45]


def test_climbing_by_misclassification_finds_the_best_of_all() -> None:
    rng = np.random.default_rng(9)
    for _ in range(50):
        contingency = random_contingency(rng, 13, int(rng.integers(3, 6)))
        rule = rule_of(CRITERIA["class", "misclassification"], contingency)
        climb = Climb(Items(contingency, rule))
        assert climb.exact
        assert climb.ends.top == pytest.approx(all_gains(contingency, rule).max(), rel=1e-12)


def test_many_classes_are_tried_up_to_a_stated_number() -> None:
    contingency = random_contingency(np.random.default_rng(1), 40, 50)
    rule = rule_of(CRITERIA["class", "gini"], contingency)
    items = Items(contingency, rule)
    singles = [Cuts(items, items.order_by(one)).top for one in np.eye(items.shares.shape[1])]
    assert len(singles) > MOST_STARTS
    found = best_subset(contingency, rule)
    assert found is not None
    assert not found.exact
    assert found.gain >= max(singles)


# --- exact or not ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["error", "direction"])
@pytest.mark.parametrize("name", ["gini", "gain"])
def test_the_search_says_whether_it_was_exact(name: str, policy: str) -> None:
    """Categories of equal class shares stay together, so that fewer than 12 of them are left to be tried."""
    rng, exact = np.random.default_rng(5), []
    for round_ in range(40):
        whole = random_contingency(rng, 13, 3 + round_ % 3, most=(60, 6)[round_ % 2])
        asked = whole
        if policy == "direction":
            counts = whole.counts
            asked = Contingency(whole.table[:-1], counts[:-1], whole.table[-1], int(counts[-1]))
        found = best_subset(asked, rule_of(CRITERIA["class", name], asked, policy))
        assert found is not None
        different = len(np.unique(np.round(whole.table / whole.counts[:, None], 9), axis=0))
        assert found.exact == (different <= EXHAUSTIVE_ITEMS)
        best = all_gains(whole, rule_of(CRITERIA["class", name], whole)).max()
        assert found.gain == pytest.approx(best, rel=1e-9 if found.exact else 0.01)
        exact.append(found.exact)
    assert {True, False} == set(exact)


@pytest.mark.parametrize("task", ["class", "number"])
def test_limits_that_are_in_the_way_make_it_inexact(task: Any) -> None:
    """With two classes or numbers: exact as long as limits allow the best cut, or one as good."""
    rng, exact = np.random.default_rng(6), []
    for _ in range(40):
        n = 13
        counts = rng.integers(1, 20, size=n)
        if task == "class":
            ones = rng.binomial(counts, rng.random(n))
            table, criterion = np.stack([counts - ones, ones], axis=1).astype(float), CRITERIA["class", "gini"]
        else:
            y = [rng.normal(size=k) + rng.normal() for k in counts]
            y = [v - np.concatenate(y).mean() for v in y]
            table = np.array([[len(v), v.sum(), (v * v).sum()] for v in y])
            criterion = CRITERIA["number", "squared_error"]
        contingency = Contingency(table, counts, np.zeros(table.shape[1]), 0)
        rule = rule_of(criterion, contingency, min_samples_leaf=int(counts.sum() * rng.uniform(0.1, 0.45)))
        best = all_gains(contingency, rule).max()
        found = best_subset(contingency, rule)
        assert found is not None
        assert not found.exact or found.gain == pytest.approx(best, rel=1e-9)
        assert 0.9 * best <= found.gain <= best * (1 + 1e-9)
        exact.append(found.exact)
    assert {True, False} == set(exact)


def test_own_criteria_are_never_said_to_be_exact_beyond_what_is_tried() -> None:
    contingency = random_contingency(np.random.default_rng(3), 13, 2)
    own = Criterion("own", "class", CRITERIA["class", "gini"].impurity, CRITERIA["class", "gini"].gain, orderable=False)
    found = best_subset(contingency, rule_of(own, contingency))
    theirs = best_subset(contingency, rule_of(CRITERIA["class", "gini"], contingency))
    assert found is not None
    assert theirs is not None
    assert (found.exact, theirs.exact) == (False, True)
    assert found.gain == pytest.approx(theirs.gain)


# --- planted divisions -----------------------------------------------------------------------------------------------


def planted(rng: np.random.Generator, shares: Any) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """6,000 rows in 30 categories of two kinds, which differ in their classes: cells, codes, classes, kinds."""
    kind = rng.permutation(np.arange(30) % 2)
    codes = rng.integers(0, 30, size=6000)
    y = np.array([rng.choice(len(shares[0]), p=shares[kind[code]]) for code in codes])
    cells = pd.Categorical.from_codes(codes, categories=[f"c{i:02}" for i in range(30)])
    return pd.DataFrame({"a": cells}), codes, y, kind


def finds(estimator: Any, X: pd.DataFrame, y: np.ndarray, kind: np.ndarray) -> tuple[float, bool]:
    """The gain and whether the search was exact, once it has found the kinds."""
    tree = estimator.fit(X, y).tree_
    branches = tree.split(0).category_branch
    assert np.array_equal(branches, kind) or np.array_equal(branches, 1 - kind)
    return tree.gain[0], bool(tree.exact[0])


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_subset_of_half_a_bit(seed: int) -> None:
    """Of two classes, 10.75 % of each kind are of the other class: 1 - H(0.1075) = 0.508 bit."""
    X, _, y, kind = planted(np.random.default_rng(seed), [[0.8925, 0.1075], [0.1075, 0.8925]])
    for estimator in (
        CARTClassifier(max_depth=1, criterion="entropy"),
        ID3Classifier(max_depth=1, nominal="subset"),
        C45Classifier(max_depth=1, nominal="subset"),
    ):
        gain, exact = finds(estimator, X, y, kind)
        assert gain == pytest.approx(0.508, abs=0.02)
        assert exact


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio"])
def test_a_planted_subset_is_found(n_classes: int, criterion: str) -> None:
    shares = np.arange(1, n_classes + 1) / sum(range(n_classes + 1))
    X, _, y, kind = planted(np.random.default_rng(n_classes), [shares, np.roll(shares, 1)])
    if criterion == "gain_ratio":
        estimator: Any = C45Classifier(max_depth=1, nominal="subset")
    else:
        estimator = CARTClassifier(max_depth=1, criterion=criterion)
    _, exact = finds(estimator, X, y, kind)
    assert exact == (n_classes == 2)


def test_a_planted_subset_is_found_for_numbers() -> None:
    rng = np.random.default_rng(1)
    X, codes, _, kind = planted(rng, [[1.0], [1.0]])
    _, exact = finds(CARTRegressor(max_depth=1), X, kind[codes] + rng.normal(size=6000), kind)
    assert exact
