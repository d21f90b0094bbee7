"""Derivations: the numbers are those that the tree was grown by, and what is printed can be worked out again."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from sklearn.base import clone

from deciduous import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    Tree,
    datasets,
    derivation,
    explain_pruning,
)
from deciduous.explain.expression import value_of
from deciduous.prune import (
    CostComplexity,
    CriticalValue,
    DescriptionLength,
    ErrorBased,
    MinimumError,
    Optimal,
    Pessimistic,
    ReducedError,
    Validation,
)
from tests import recompute
from tests.strategies import CLASSIFIERS, fit, task_of, tasks

#: The quantity that columns are compared by, by criterion.
SCORES = {
    "gain": "gain",
    "entropy": "gain",
    "log_loss": "gain",
    "gain_ratio": "gain_ratio",
    "gini": "gini_gain",
    "misclassification": "error_drop",
}


@pytest.mark.filterwarnings("ignore")
@given(tasks(), st.sampled_from(["own", "all"]), st.booleans())
def test_every_step_is_what_its_numbers_come_to_and_scores_are_those_of_growing(
    task: Any, measures: str, with_rows: bool
) -> None:
    estimator, table, options = task
    model = fit(estimator, table, **options)
    rows = (table.X, table.target(task_of(estimator)), table.sample_weight) if with_rows else ()
    shown = derivation(model, "all", *rows, measures=measures)
    for node, view in zip(shown, model.tree_, strict=True):
        for step in node.all_steps():
            if step.numbers is not None:
                assert value_of(step.numbers) == pytest.approx(step.exact, rel=1e-7, abs=1e-9), step
        for feature, candidate in zip(node.features, view.candidates, strict=True):
            if candidate.split is None:
                continue
            quantity = SCORES.get(options["criterion"], "drop")
            if candidate.correction > 0 and quantity == "gain":
                quantity = "corrected_gain"
            score = next(step for step in reversed(feature.steps) if step.quantity == quantity)
            if candidate.score == candidate.score and abs(candidate.score) < float("inf"):
                assert score.exact == pytest.approx(candidate.score, rel=1e-9, abs=1e-12)
            best = [one for one in feature.tried if one.best]
            if feature.tried:
                assert len(best) == 1
                assert best[0].gain == pytest.approx(candidate.gain, rel=1e-9, abs=1e-12)
                assert len([one for one in feature.tried if one.allowed]) <= feature.n_tried


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=15)
@given(tasks(limits=False), st.sampled_from(["end", "each step"]), st.sampled_from(["en", "zh"]), st.booleans())
def test_what_is_printed_can_be_worked_out_again(task: Any, rounding: str, lang: str, with_rows: bool) -> None:
    estimator, table, options = task
    model = fit(estimator, table, **options, max_depth=2)
    rows = (table.X, table.target(task_of(estimator)), table.sample_weight) if with_rows else ()
    shown = derivation(model, "all", *rows, measures="all", rounding=rounding)
    steps = [step for node in shown for step in node.all_steps() if step.numbers is not None]
    bounds = sum(step.quantity == "entropy" and step.of == "" for node in shown for step in node.steps)
    for form, lines in recompute.in_all_forms(shown, lang).items():
        assert len(lines) >= len(steps), form
        assert len(lines) <= len(steps) + bounds, form
        for python, result in lines:
            value = recompute.worked_out(python)
            assert recompute.close(value, result), (form, python, result)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("estimator", "name", "target"),
    [
        (C45Classifier(), "golf", "class"),  # thresholds pay a correction, columns are held against the average gain
        (C45Classifier(conventions="r8", max_depth=1), "watermelon3", "好瓜"),
        (CARTRegressor(criterion="poisson", max_depth=1), "penguins", "body_mass_g"),  # large and nearly equal means
        (CARTRegressor(max_depth=1), "penguins", "body_mass_g"),
        (CARTClassifier.rpart(), "penguins", "species"),  # surrogates send rows on
        (CARTClassifier.rpart(criterion="entropy", costs={"island": 0.5, "sex": 3}), "penguins", "species"),
        (CARTClassifier.rpart(priors={"Adelie": 0.2, "Chinstrap": 0.5, "Gentoo": 0.3}), "penguins", "species"),
        (CARTRegressor.rpart(cp=0.05), "penguins", "body_mass_g"),
        (CARTRegressor.rpart(method="poisson", cp=0.05), "penguins", "body_mass_g"),
    ],
)
def test_what_is_printed_of_real_tables_can_be_worked_out_again(estimator: Any, name: str, target: str) -> None:
    frame = datasets.load(name).frame.drop_nulls(target)
    shown = derivation(clone(estimator).fit(frame, target), "all", frame, target)
    for form, lines in recompute.in_all_forms(shown, "en").items():
        assert len(lines) > 10
        for python, result in recompute.calculations(lines):
            assert recompute.close(recompute.worked_out(python), result), (form, python, result)


@pytest.mark.parametrize(
    ("estimator", "target"),
    [
        (CARTClassifier.rpart(), "species"),
        (CARTClassifier.rpart(criterion="entropy", costs={"flipper_length_mm": 2}), "species"),
        (CARTClassifier.rpart(priors={"Adelie": 0.2, "Chinstrap": 0.5, "Gentoo": 0.3}), "species"),
        (CARTClassifier.rpart(loss=[[0, 1, 2], [3, 0, 1], [1, 4, 0]]), "species"),
        (CARTRegressor.rpart(cp=0.05), "body_mass_g"),
        (CARTRegressor.rpart(method="poisson", cp=0.05), "body_mass_g"),
    ],
)
def test_improvements_are_what_columns_compete_by(estimator: Any, target: str) -> None:
    model = clone(estimator).fit(datasets.load("penguins").frame.drop_nulls(target), target)
    for node in derivation(Tree.from_json(model.tree_.to_json()), "all"):
        for feature in (one for one in node.features if one.steps):
            last = feature.steps[-1]
            assert last.quantity.startswith("improvement"), feature.working.feature
            assert last.exact == pytest.approx(feature.working.score, rel=1e-9, abs=1e-9)


def test_priors_and_losses_weight_the_classes_of_the_working() -> None:
    """By hand: of 344 penguins 152 are Adelie, so that with a prior of 0.2 each counts 0.2 / (152/344) = 0.4526."""
    frame = datasets.load("penguins").frame
    model = CARTClassifier.rpart(priors={"Adelie": 0.2, "Chinstrap": 0.5, "Gentoo": 0.3}).fit(frame, "species")
    text = derivation(Tree.from_json(model.tree_.to_json()), 1).to_text()
    assert re.search(r"Adelie +0.2 +2 +0.4419 +0.4526\n", text)
    assert "124 rows, weight 197.347: Adelie 25.3474, Chinstrap 172" in text  # 56 and 68 of them
    by_loss = CARTClassifier.rpart(loss=[[0, 1, 2], [3, 0, 1], [1, 4, 0]]).fit(frame, "species")
    leaf = derivation(by_loss, len(by_loss.tree_) - 1).to_text()
    assert "answers Chinstrap: 4.08309 of 9.44214; the class of the least expected loss" in " ".join(leaf.split())


@pytest.mark.parametrize(
    "options",
    [{"priors": {"Adelie": 0.2, "Chinstrap": 0.5, "Gentoo": 0.3}}, {"loss": [[0, 1, 2], [3, 0, 1], [1, 4, 0]]}],
)
def test_of_what_was_tried_under_priors_or_losses_the_best_was_chosen(options: Any) -> None:
    frame = datasets.load("penguins").frame
    for node in derivation(CARTClassifier.rpart(**options).fit(frame, "species"), "all", frame, "species"):
        for feature in node.features:
            gains = [one.gain for one in feature.tried if one.allowed]
            assert [one.gain for one in feature.tried if one.best] == pytest.approx([max(gains)] if gains else [])


def test_the_working_says_which_surrogates_sent_rows() -> None:
    text = derivation(CARTClassifier.rpart().fit(datasets.load("penguins").frame, "species"), 0).to_text()
    assert "2 rows with a missing cell went by the surrogate island" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_small_numbers_can_be_worked_out_again(lang: str) -> None:
    """They are written with powers of ten."""
    shown = derivation(CARTRegressor(max_depth=1).fit({"x": list("aabb")}, [0.001, 0.001, 0.002, 0.003]))
    steps = [step for step in shown.node(0).all_steps() if step.numbers is not None]
    assert any(0 < step.value < 1e-5 for step in steps)
    for form, lines in recompute.in_all_forms(shown, lang).items():
        assert len(lines) == len(steps), form
        for python, result in lines:
            assert recompute.worked_out(python) == pytest.approx(float(result), rel=1e-4), form


PRUNERS = [
    ErrorBased(),
    ErrorBased(0.1, conventions="r8"),
    MinimumError(),
    MinimumError("laplace"),
    Pessimistic(),
    ErrorBased(0.25, subtree_raising=True),
    ErrorBased(0.3, subtree_raising=True, conventions="j48"),
    ReducedError(),
    ReducedError("keep"),
    Validation(),
    CriticalValue(),
    CriticalValue(critical=0.05),
    DescriptionLength(),
    Optimal(4),
    Optimal(3, cost="errors"),
    Optimal(),
    CostComplexity(alpha=0.01, cost="errors"),
    CostComplexity(alpha=0.02),
    CostComplexity(),
]


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=12)
@given(tasks(CLASSIFIERS, limits=False), st.sampled_from(PRUNERS), st.sampled_from(["en", "zh"]))
def test_the_working_of_pruning_can_be_worked_out_again(task: Any, pruner: Any, lang: str) -> None:
    estimator, table, options = task
    rows = (table.X, table.target("class"), table.sample_weight) if pruner.needs != "statistics" else ()
    shown = explain_pruning(fit(estimator, table, **options), pruner, *rows)
    latex, html = shown.to_latex(lang), recompute.calculations(recompute.of_html(shown.to_html(lang)))
    text = recompute.calculations(recompute.of_text(shown.to_text(lang)))
    by_dollars = recompute.calculations(recompute.of_latex(shown.to_markdown(lang), "$$", "$$"))
    aligned = recompute.calculations(recompute.of_latex(latex, r"\begin{align*}", r"\end{align*}"))
    assert len(text) == len(by_dollars) == len(aligned) == len(html)
    found = {
        "text": [(recompute.python_of_text(a), b) for a, b in text],
        "md": [(recompute.python_of_latex(a), b) for a, b in by_dollars],
        "latex": [(recompute.python_of_latex(a), b) for a, b in aligned],
        "html": html,
        "json": recompute.of_records(json.loads(shown.to_json(lang))),
    }
    for form, lines in found.items():
        for python, result in lines:
            assert recompute.close(recompute.worked_out(python), result), (form, python, result)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("estimator", [ID3Classifier, C45Classifier, CARTClassifier])
@pytest.mark.parametrize("name", ["watermelon3", "penguins", "golf", "watermelon2a"])
def test_text_fits_a_terminal(estimator: Any, name: str, lang: str) -> None:
    data = datasets.load(name)
    model = estimator(max_depth=3, kinds=data.kinds).fit(data.frame, data.target)
    text = derivation(model, "all", data.frame, data.target, measures="all").to_text(lang)
    assert max(map(cell_len, text.split("\n"))) <= 80


def test_a_large_tree_is_derived_node_by_node() -> None:
    """Parts come one by one: the first is there before later nodes are looked at."""
    model = CARTRegressor(keep_candidates=100_000).fit({"x": range(6000)}, [i % 7 for i in range(6000)])
    shown = derivation(model, "all")
    assert len(shown) > 10_000
    parts = shown.parts("text")
    start = "".join(next(parts) for _ in range(40))
    assert "Node 0" in start
    assert "Node 10000" not in start
    assert shown.conditions is shown.conditions  # what nodes are called is worked out once, not node by node


def test_rounding_at_each_step() -> None:
    """Zhou prints 0.109 where the exact gain is 0.108."""
    data = datasets.load("watermelon2")
    model = ID3Classifier().fit(data.X, data.y)
    exact = derivation(model).node(0).feature("色泽").steps[-1]
    by_hand = derivation(model, rounding="each step").node(0).feature("色泽").steps[-1]
    assert f"{exact.value:.3f}" == "0.108"
    assert by_hand.value == 0.109
    assert "0.998 - 0.889 = 0.109" in derivation(model, rounding="each step").to_text()


def test_row_labels_stand_in_each_branch() -> None:
    data = datasets.load("watermelon2")
    model = ID3Classifier(kinds=data.kinds).fit(data.frame, data.target)
    text = derivation(model, 0, data.frame, data.target).to_text("zh")
    assert re.search(r"D\^清晰: 纹理 = 清晰 .* 1, 2, 3, 4, 5, 6, 8, 10, 15", re.sub(r"\s+", " ", text))
