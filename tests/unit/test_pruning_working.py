"""The working of pruning: every figure that is compared is written out, and comes from the pruner's own functions."""

import re
from typing import Any

import numpy as np
import pytest

from deciduous import CARTRegressor, ID3Classifier, datasets, explain_pruning, worksheet
from deciduous.explain.expression import value_of
from deciduous.prune import CostComplexity, CriticalValue, DescriptionLength, Optimal, ReducedError, Validation
from deciduous.prune.critical_value import g_test
from deciduous.prune.description_length import class_bits, question_bits

TRAIN, VALID = datasets.load("watermelon2_train"), datasets.load("watermelon2_valid")
#: With the navel first, the tie at the root is decided as in Zhou (2016, section 4.3).
COLUMNS = ["编号", "脐部", "色泽", "根蒂", "敲声", "纹理", "触感"]
MELONS = ID3Classifier(kinds=TRAIN.kinds).fit(TRAIN.frame.select(COLUMNS), TRAIN.y)


def words(text: str) -> str:
    return " ".join(text.split())


def of_melons(pruner: Any, lang: str = "en") -> str:
    return words(explain_pruning(MELONS, pruner, VALID.frame.select(COLUMNS), VALID.y).to_text(lang))


def test_zhous_pruning_row_by_row() -> None:
    """4 and 13 are green, 5 is pale among the hollow ones; 71.4 % with the navel alone, before and after pruning."""
    text = of_melons(Validation())
    assert "1 3 否 1, 是 2 是 4, 5, 13" in text
    assert "e(D_1) = 3 - 2 = 1.000" in text
    assert "subtree = e(D_1) + e(D_2) + e(D_3) = 1 + 1 + 0 = 2.000" in text
    assert "answered right: 5/7 = 71.4 % with the branches" in text
    after = of_melons(ReducedError("keep"), "zh")
    accuracy = [f"保留各分支时 {a}/7" for a in (3, 4, 4, 4, 5)]
    places = [after.find(one) for one in accuracy]
    assert places == sorted(places)
    assert -1 not in places
    assert "全部验证样本的精度：保留各分支时 3/7 = 42.9 %，作为叶结点时 4/7 = 57.1 %" in after.replace("时 ", "时 ")


def test_numbers_by_validation_rows() -> None:
    x = np.arange(12.0)
    model = CARTRegressor(max_depth=2).fit({"x": x}, x**2)
    text = words(explain_pruning(model, ReducedError(), {"x": x + 0.25}, (x + 1) ** 2).to_text())
    found = explain_pruning(model, ReducedError(), {"x": x + 0.25}, (x + 1) ** 2)
    last = found.decisions[-1]
    whole = float(((model.predict({"x": x + 0.25}) - (x + 1) ** 2) ** 2).mean())
    assert last.before == pytest.approx(12 * whole)
    assert "mean squared error of all validation rows" in text


def test_description_length_and_significance_write_their_formulas_out() -> None:
    tree = ID3Classifier(kinds={"ID": "id"}).fit(datasets.load("loan").frame, "Class").tree_
    found = explain_pruning(tree, DescriptionLength())
    for decision in found.decisions:
        steps = {step.symbol.text: step for step in found.steps_of(decision)}
        name = "D" if decision.node == 0 else f"D_{decision.node}"
        assert steps[f"L({name})"].exact == pytest.approx(1 + class_bits(tree)[decision.node])
        assert steps[f"Q({name})"].exact == pytest.approx(1 + question_bits(tree)[decision.node])
        assert value_of(steps["subtree"].numbers) == pytest.approx(decision.as_subtree)
    text = words(explain_pruning(tree, CriticalValue()).to_text())
    assert "G(D) = 2 ln 2 × (15 × 0.970951 - 9 × 0.918296 - 6 × 0) = 8.733" in text
    assert f"p = {g_test(tree)[0]:.3f}" in text


@pytest.mark.parametrize("cost", ["impurity", "errors", "gini", "entropy"])
def test_costs_of_leaves_are_worked_out(cost: str) -> None:
    tree = ID3Classifier(kinds={"ID": "id"}).fit(datasets.load("loan").frame, "Class").tree_
    text = words(explain_pruning(tree, CostComplexity(alpha=0.1, cost=cost)).to_text())
    shown = {
        "impurity": "R(1) = |D_1|/|D| × Ent(D_1) = 9/15 × 0.918296 = 0.551",
        "errors": "R(1) = 3/15 = 0.200",
        "gini": "R(1) = |D_1|/|D| × Gini(D_1) = 9/15 × 0.444444 = 0.267",
        "entropy": "R(1) = |D_1|/|D| × Ent(D_1) = 9/15 × 0.918296 = 0.551",
    }
    assert shown[cost] in text
    assert "alpha = 1.5" in text  # the textbooks' C(T) is a sum over the 15 rows
    sums = words(explain_pruning(tree, Optimal(2, cost=cost)).to_text())
    assert {"errors": "C(1, 1) = 9 - 6 = 3.000", "gini": "C(1, 1) = |D_1| × Gini(D_1)"}.get(cost, "× Ent(D_1)") in sums


def test_costs_of_numbers() -> None:
    model = CARTRegressor().fit({"x": [1, 2, 3, 4]}, [1.0, 2, 6, 7])
    text = words(explain_pruning(model, CostComplexity(alpha=1.0)).to_text())
    assert "R(0) = 4/4 × 6.5 = 6.500" in text
    assert "R(1) = 2/4 × 0.25 = 0.125" in text


def test_the_choice_among_subtrees() -> None:
    text = of_melons(CostComplexity())
    path = MELONS.pruning_path(VALID.frame.select(COLUMNS), VALID.y)
    taken = path.choose("min")
    assert "The choice among the subtrees" in text
    figures = (path.alpha, path.cost, path.validation_error, path.validation_se)
    assert " ".join([str(taken), str(path.n_leaves[taken]), *(f"{v[taken]:.3f}" for v in figures), "chosen"]) in text


@pytest.mark.parametrize(
    "pruner",
    [CostComplexity(alpha=0.1), CostComplexity(), Optimal(3), Optimal(), ReducedError(), Validation(), CriticalValue()],
    ids=repr,
)
def test_worksheets_of_pruning_give_nothing_away(pruner: Any) -> None:
    key = explain_pruning(MELONS, pruner, VALID.frame.select(COLUMNS), VALID.y)
    for lang, told in (("en", TOLD), ("zh", "剪去|^  保留$|被选中|达到要求|精度")):
        sheet = worksheet(key).to_text(lang).split("\n")
        assert [line for line in sheet if re.search(told, line)] == []
        results = [line for line in sheet if re.search(r" = -?[\d.]+$", line)]
        assert [line for line in results if "alpha = " not in line and "alpha |T|" not in line] == []  # the price given
    assert ("What becomes of this node, and why?" in worksheet(key).to_text()) or isinstance(
        pruner, Optimal | CostComplexity
    )


#: What a worksheet does not say.
TOLD = "falls|chosen|it stays|it becomes|best$|good enough|answered right"
