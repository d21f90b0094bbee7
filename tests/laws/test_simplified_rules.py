"""Simplified rules: they cover what they say, answer by the first that holds, and survive saving."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciduous
from deciduous import RulesClassifier, simplify_rules
from deciduous.explain.conditions import Among, Range
from deciduous.prune import estimated_errors
from deciduous.ruleset.io import rules_of
from deciduous.ruleset.rule_set import RuleSet, SimplifiedRule
from tests.laws.test_rules import disturbed
from tests.strategies import CLASSIFIERS, Small, fit, tasks


def holds(rule: SimplifiedRule, row: Any) -> bool:
    """Whether the conditions of a rule hold for a row of a frame, cell by cell."""
    for condition in rule.conditions:
        cell = row[condition.feature.name]
        missing = cell is None or cell != cell
        if isinstance(condition, Range):
            wanted = (not missing and condition.known and condition.low < cell <= condition.high) or (
                missing and not condition.known
            )
        else:
            assert isinstance(condition, Among)
            known = condition.feature.categories
            about_missing = condition.whole or not any(condition.part)
            wanted = missing != condition.whole if about_missing else cell in known and cell in condition.categories
        if not wanted:
            return False
    return True


def brute(rules: RuleSet, X: pd.DataFrame) -> list[int]:
    """The place of the rule that answers each row."""
    return [next((i for i, rule in enumerate(rules) if holds(rule, row)), len(rules)) for _, row in X.iterrows()]


@pytest.mark.filterwarnings("ignore")
@given(tasks(CLASSIFIERS), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.5, 1.0]))
def test_rules_say_what_they_cover_and_answer_by_the_first_that_holds(
    task: tuple[type, Small, dict[str, Any]], seed: int, theory_weight: float
) -> None:
    estimator, table, options = task
    model = fit(estimator, table, **options)
    y = table.target("class")
    rules = simplify_rules(model, table.X, y, table.sample_weight, theory_weight=theory_weight)
    weight, left = table.weight, np.ones(len(table), dtype=bool)
    for rule in rules:
        covered = np.array([holds(rule, row) for _, row in table.X.iterrows()]) & (weight > 0)
        by_class = [float(weight[covered & (y == label)].sum()) for label in rules.classes]
        assert rule.conditions
        assert rule.n_samples == covered.sum() > 0
        assert rule.class_weights == pytest.approx(by_class)
        assert rule.confidence == pytest.approx(max(by_class) / sum(by_class))
        errors = estimated_errors(sum(by_class), sum(by_class) - by_class[rule.code])
        assert rule.expected_error == pytest.approx(float(errors) / sum(by_class))
        left &= ~covered
    rest = [float(weight[left & (y == label)].sum()) for label in rules.classes]
    assert rules.default_weights == pytest.approx(rest)
    X = disturbed(table, seed)
    place = brute(rules, X)
    assert rules.apply(X).tolist() == place
    assert rules.predict(X) == [rules.classes[rules.codes[i]] for i in place]
    again = rules_of(rules.to_dict())
    assert again.to_json() == rules.to_json()
    assert again.predict(X) == rules.predict(X)


@pytest.mark.filterwarnings("ignore")
@given(tasks(CLASSIFIERS))
def test_answers_have_the_largest_share(task: tuple[type, Small, dict[str, Any]]) -> None:
    estimator, table, options = task
    model = RulesClassifier(estimator(**options)).fit(table.X, table.target("class"), table.sample_weight)
    shares = model.predict_proba(table.X)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(table)))
    predicted = model.predict(table.X)
    own = shares[np.arange(len(table)), np.searchsorted(model.classes_, predicted)]
    assert own == pytest.approx(shares.max(axis=1))


def test_golf_by_hand() -> None:
    """The four rules of the book's tree for golf, with the book's expected accuracy of each."""
    data = deciduous.datasets.load("golf")
    rules = RulesClassifier().fit(data.frame, data.target).rules_
    shown = {
        " AND ".join(c.text() for c in rule.conditions): f"{100 * (1 - rule.expected_error):.1f}" for rule in rules
    }
    assert shown == {
        "outlook = overcast": "70.7",
        "outlook = rain AND windy = false": "63.0",
        "outlook = sunny AND humidity > 75": "63.0",
        "outlook = rain AND windy = true": "50.0",
    }
    assert rules.classes[rules.default] == "Play"


def test_rules_of_a_tree_with_surrogates_keep_their_cuts() -> None:
    """Such a tree asks x < cut: a row at the cut is not below it, in the file and in words."""
    model = deciduous.CARTClassifier(missing="surrogates").fit({"x": [1.0, 2, 3, 4, 5, 6]}, list("aaabbb"))
    rules = simplify_rules(model, {"x": [1.0, 2, 3, 4, 5, 6]}, list("aaabbb"))
    assert "IF x < 3.5 THEN a" in rules.to_text()
    again = rules_of(rules.to_dict())
    assert again.to_text() == rules.to_text()
    assert again.predict({"x": [3.4999, 3.5]}) == rules.predict({"x": [3.4999, 3.5]}) == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 2}, "it has version 2"),
        ({"classes": []}, "rules must have classes"),
        ({"default": "no such"}, "'default' in the document must be one of the classes"),
        ({"class_weights": [0, 0]}, "must not all be 0"),
        ({"rules": [{"conditions": []}]}, "rule 1 has no condition"),
        ({"rules": [{"conditions": [{"column": "nil"}]}]}, "condition 1 of rule 1 names column 'nil'"),
        ({"rules": [{"conditions": [{"column": "humidity"}]}]}, "must have 'above' or 'up_to'"),
        ({"rules": [{"conditions": [{"column": "outlook", "in": ["hail"]}]}]}, "must hold some of the categories"),
    ],
)
def test_a_damaged_file_is_refused(change: dict[str, Any], said: str) -> None:
    data = deciduous.datasets.load("golf")
    document = RulesClassifier().fit(data.frame, data.target).rules_.to_dict()
    with pytest.raises(deciduous.ModelFileError, match=said):
        rules_of({**document, **change})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"confidence": "a"}, "confidence='a' must lie between 0 and 1"),
        ({"theory_weight": "a"}, "theory_weight='a' must be a number"),
    ],
)
def test_what_is_no_number_is_refused(options: Any, said: str) -> None:
    with pytest.raises(deciduous.OptionError, match=said):
        RulesClassifier(**options).fit({"a": [1, 2, 3, 4]}, list("ppqq"))


def test_rules_of_numbers_are_refused() -> None:
    model = deciduous.CARTRegressor().fit({"a": [1, 2, 3, 4]}, [1.0, 2, 4, 3])
    with pytest.raises(deciduous.OptionError, match="is for trees that predict classes; this one predicts numbers"):
        simplify_rules(model, {"a": [1, 2, 3, 4]}, [1.0, 2, 4, 3])


def test_a_missing_cell_fulfils_no_condition() -> None:
    data = deciduous.datasets.load("golf")
    model = RulesClassifier().fit(data.frame, data.target)
    rows = [
        {"outlook": None, "temperature": 70, "humidity": 90, "windy": "true"},
        {"outlook": "hail", "temperature": 70, "humidity": 90, "windy": "true"},
        {"outlook": "rain", "temperature": None, "humidity": None, "windy": "true"},
    ]
    assert model.predict(rows).tolist() == ["Play", "Play", "Don't Play"]
    assert model.apply(rows).tolist()[:2] == [4, 4]


def test_more_rules_than_all_subsets_can_be_tried_of() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({f"x{i}": rng.normal(size=600) for i in range(3)} | {"c": rng.choice(list("abcde"), 600)})
    above = (X["x0"] > 0.5) & X["c"].isin(["a", "b"])
    below = (X["x1"] < -0.4) & (X["x2"] > 0) & (X["c"] != "a")
    y = np.where((above | below) ^ (rng.uniform(size=600) < 0.1), "p", "q")
    model = RulesClassifier(theory_weight=0.1).fit(X, y)
    grown = deciduous.C45Classifier(pruning=None).fit(X, y)
    assert sum(leaf.is_leaf and leaf.prediction == "p" for leaf in grown.tree_) > 10
    assert 4 < len(model.rules_) < grown.get_n_leaves()
    assert (model.predict(X) == y).mean() > 0.85
