"""Every right or corrected figure that the documents and books print stands at its place in the rendered working: under
its node and column, behind its formula with the numbers in place, in English and in Chinese.
"""

import re
from functools import cache
from typing import Any

import polars as pl
import pytest

from deciduous import (
    C45Classifier,
    CARTClassifier,
    ID3Classifier,
    datasets,
    derivation,
    evaluate,
    explain_measure,
    explain_pruning,
)
from deciduous.language import speaking
from deciduous.prune import MinimumError
from tests import recompute
from tests.textbook.shown import figure_at
from tests.trees import leaf, node, tree_of

ESTIMATORS: dict[str, Any] = {"id3": ID3Classifier, "c45": C45Classifier, "cart": CARTClassifier}
GOLF = datasets.load("golf").frame
ONE_MISSING = GOLF.with_columns(outlook=pl.when(pl.int_range(pl.len()) == 11).then(None).otherwise(pl.col("outlook")))


@cache
def working(name: str, algorithm: str, lang: str, digits: int) -> str:
    options = {} if algorithm != "c45" else {"pruning": None, "mdl_correction": False}
    if name == "golf, one missing":
        X, y = ONE_MISSING.drop("class"), ONE_MISSING["class"]
    else:
        data = datasets.load(name)
        X, y = data.X, data.y
    model = ESTIMATORS[algorithm](**options).fit(X, y)
    return derivation(model, "all", X, y, digits=digits).to_text(lang)


ENTROPY_OF_CATDOG = [
    (0, "", "Ent(D)", "0.9911"),
    (0, "Leg", "Ent(D^long)", "0.9710"),
    (0, "Leg", "Ent(D^short)", "1.0000"),
    (0, "Leg", "H(D|Leg)", "0.9839"),
    (0, "Leg", "Gain(D, Leg)", "0.0072"),  # printed 0.0071
    (0, "Color", "Ent(D^yellow)", "0.8113"),
    (0, "Color", "Ent(D^black)", "1.0000"),
    (0, "Color", "Ent(D^white)", "0.0000"),
    (0, "Color", "H(D|Color)", "0.5828"),
    (0, "Color", "Gain(D, Color)", "0.4083"),
    (0, "Bite", "Ent(D^yes)", "0.9710"),
    (0, "Bite", "Ent(D^no)", "0.8113"),
    (0, "Bite", "H(D|Bite)", "0.9000"),
    (0, "Bite", "Gain(D, Bite)", "0.0911"),
]
MELONS = [
    (0, "", "Ent(D)", "0.998"),
    (0, "色泽", "Ent(D^青绿)", "1.000"),
    (0, "色泽", "Ent(D^乌黑)", "0.918"),
    (0, "色泽", "Ent(D^浅白)", "0.722"),
    (0, "色泽", "Gain(D, 色泽)", "0.108"),  # printed 0.109: rounded on the way
    (0, "根蒂", "Gain(D, 根蒂)", "0.143"),
    (0, "敲声", "Gain(D, 敲声)", "0.141"),
    (0, "纹理", "Gain(D, 纹理)", "0.381"),
    (0, "脐部", "Gain(D, 脐部)", "0.289"),
    (0, "触感", "Gain(D, 触感)", "0.006"),
]
FIGURES = {
    ("loan", "id3", 3): [  # document 002
        (0, "", "Ent(D)", "0.971"),
        (0, "Age", "Gain(D, Age)", "0.083"),
        (0, "Employed", "Gain(D, Employed)", "0.324"),
        (0, "Owns House", "Gain(D, Owns House)", "0.420"),
        (0, "Credit Status", "Gain(D, Credit Status)", "0.363"),
        (1, "", "Ent(D_1)", "0.918"),
        (1, "Age", "Gain(D_1, Age)", "0.252"),  # printed 0.251
        (1, "Employed", "Gain(D_1, Employed)", "0.918"),
        (1, "Credit Status", "Gain(D_1, Credit Status)", "0.474"),
    ],
    ("catdog", "id3", 4): ENTROPY_OF_CATDOG,  # document 004
    ("catdog", "c45", 4): [
        *ENTROPY_OF_CATDOG,
        (0, "Leg", "IV(Leg)", "0.9911"),
        (0, "Leg", "Gain_ratio(D, Leg)", "0.0073"),  # printed 0.0072
        (0, "Color", "IV(Color)", "1.5305"),
        (0, "Color", "Gain_ratio(D, Color)", "0.2668"),
        (0, "Bite", "IV(Bite)", "0.9911"),
        (0, "Bite", "Gain_ratio(D, Bite)", "0.0919"),
    ],
    ("catdog", "cart", 4): [
        (0, "", "Gini(D)", "0.4938"),
        (0, "Leg", "Gini(D^long)", "0.4800"),
        (0, "Leg", "Gini(D^short)", "0.5000"),
        (0, "Leg", "Gini_index(D, Leg)", "0.4889"),
        (0, "Leg", "Gini_gain(D, Leg)", "0.0049"),
        (0, "Color", "Gini(D^yellow)", "0.3750"),
        (0, "Color", "Gini(D^{black, white})", "0.3200"),
        (0, "Color", "Gini_index(D, Color: {yellow} | {black, white})", "0.3444"),  # printed 0.3827
        (0, "Color", "Gini_gain(D, Color: {yellow} | {black, white})", "0.1494"),  # printed 0.1111
        (0, "Color", "Gini(D^black)", "0.5000"),
        (0, "Color", "Gini(D^{yellow, white})", "0.4898"),
        (0, "Color", "Gini_index(D, Color: {black} | {yellow, white})", "0.4921"),
        (0, "Color", "Gini_gain(D, Color: {black} | {yellow, white})", "0.0018"),  # printed 0.0017
        (0, "Color", "Gini(D^white)", "0.0000"),
        (0, "Color", "Gini(D^{yellow, black})", "0.4444"),
        (0, "Color", "Gini_index(D, Color)", "0.2963"),  # printed 0.1975
        (0, "Color", "Gini_gain(D, Color)", "0.1975"),  # printed 0.2936
        (0, "Bite", "Gini_index(D, Bite)", "0.4333"),  # cut off
        (0, "Bite", "Gini_gain(D, Bite)", "0.0605"),
    ],
    ("watermelon2", "id3", 3): [  # document 003, and Zhou's book
        *MELONS,
        (1, "色泽", "Gain(D_1, 色泽)", "0.043"),
        (1, "根蒂", "Gain(D_1, 根蒂)", "0.458"),
        (1, "敲声", "Gain(D_1, 敲声)", "0.331"),
        (1, "脐部", "Gain(D_1, 脐部)", "0.458"),
        (1, "触感", "Gain(D_1, 触感)", "0.458"),
    ],
    ("watermelon3", "id3", 3): [
        *MELONS,
        (0, "密度", "Gain(D, 密度)", "0.262"),
        (0, "含糖率", "Gain(D, 含糖率)", "0.349"),
    ],
    ("watermelon2a", "id3", 3): [  # missing cells
        (0, "色泽", "rho", "0.824"),
        (0, "色泽", "Ent(D~)", "0.985"),
        (0, "色泽", "Ent(D~^青绿)", "1.000"),
        (0, "色泽", "Ent(D~^乌黑)", "0.918"),
        (0, "色泽", "Ent(D~^浅白)", "0.000"),
        (0, "色泽", "Gain(D, 色泽)", "0.252"),
        (0, "根蒂", "Gain(D, 根蒂)", "0.171"),
        (0, "敲声", "Gain(D, 敲声)", "0.145"),
        (0, "纹理", "Gain(D, 纹理)", "0.424"),
        (0, "脐部", "Gain(D, 脐部)", "0.289"),
        (0, "触感", "Gain(D, 触感)", "0.006"),
    ],
    ("watermelon2", "c45", 3): [(0, "触感", "IV(触感)", "0.874"), (0, "色泽", "IV(色泽)", "1.580")],
    ("golf", "c45", 3): [  # Quinlan
        (0, "", "Ent(D)", "0.940"),
        (0, "outlook", "H(D|outlook)", "0.694"),
        (0, "outlook", "Gain(D, outlook)", "0.247"),
        (0, "outlook", "IV(outlook)", "1.577"),
        (0, "outlook", "Gain_ratio(D, outlook)", "0.156"),
        (0, "windy", "Gain(D, windy)", "0.048"),
    ],
    ("golf, one missing", "c45", 3): [
        (0, "outlook", "Ent(D~)", "0.961"),
        (0, "outlook", "H(D~|outlook)", "0.747"),
        (0, "outlook", "Gain(D, outlook)", "0.199"),
        (0, "outlook", "IV(outlook)", "1.809"),
        (0, "outlook", "Gain_ratio(D, outlook)", "0.110"),
    ],
}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("source", FIGURES, ids=lambda source: " ".join(map(str, source)))
def test_figures_of_a_source(source: tuple[str, str, int], lang: str) -> None:
    name, algorithm, digits = source
    text = working(name, algorithm, lang, digits)
    for number, column, symbol, right in FIGURES[source]:
        numbers, result = figure_at(text, number, column, symbol)
        assert result == right, (number, column, symbol)
        value = recompute.worked_out(recompute.python_of_text(numbers))
        assert value == pytest.approx(float(right), abs=0.6 * 10.0**-digits)


def test_the_books_figure_that_is_rounded_on_the_way() -> None:
    data = datasets.load("watermelon2")
    model = ID3Classifier().fit(data.X, data.y)
    text = derivation(model, rounding="each step").to_text("zh")
    assert figure_at(text, 0, "色泽", "Gain(D, 色泽)") == ("0.998 - 0.889", "0.109")


@pytest.mark.parametrize(
    ("column", "low", "high", "midpoint"), [("密度", "0.36", "0.403", "0.3815"), ("含糖率", "0.103", "0.149", "0.126")]
)
def test_thresholds_of_the_book(column: str, low: str, high: str, midpoint: str) -> None:
    text = " ".join(working("watermelon3", "id3", "zh", 3).split())
    assert f"位于相邻取值 {low} 与 {high} 之间；中点 {midpoint}" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_rule_of_document_000_beside_cart(lang: str) -> None:
    """Step 2 takes 纹理=模糊 (index 0.403), CART 纹理=清晰 (0.286)."""
    data = datasets.load("watermelon2")
    text = " ".join(explain_measure("two_step", data.frame.drop("编号"), target="好瓜").to_text(lang).split())
    assert "纹理 = 模糊 0.000 0.403" in text
    assert "纹理 = 清晰 0.346 0.286" in text
    assert ("they differ" if lang == "en" else "两者不同") in (text if lang == "en" else text.replace(" ", ""))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_document_001_gini_of_two_classes(lang: str) -> None:
    """Gini = 2p(1 - p): the chance that two draws differ."""
    data = datasets.load("loan")
    text = explain_measure("gini", data.frame, target="Class").to_text(lang)
    assert "Gini(D) = 2p(1 - p) = 2 × 6/15 × 9/15 = 0.480" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_document_001_bootstrap(lang: str) -> None:
    """0.632 of the rows are in a sample in the limit; acc_boot weighs the rows outside by 0.632, all rows by 0.368."""
    data = datasets.load("loan")
    found = evaluate.bootstrap(ID3Classifier(kinds=data.kinds), data.frame, data.target, samples=5)
    with speaking(lang):
        text = str(found)
    shown = re.search(r"1 - \(1 - 1/15\)\^15 = (0\.\d+)", text)
    assert shown is not None
    assert f"{1 - (1 - 1 / 15) ** 15:.4f}" == shown[1]
    line = re.search(r"\.632 +([\d.]+) +[\d.]+  0\.632 x ([\d.]+) \+ 0\.368 x ([\d.]+)", text)
    assert line is not None
    error, outside, own = map(float, line.groups())
    assert error == pytest.approx(0.632 * outside + 0.368 * own, abs=2e-4)


def test_bratkos_pruning() -> None:
    """b (.375) and d (.400) are pruned: the expected errors stand at their nodes."""
    tree = tree_of(node(node(leaf(3, 2), leaf(1, 0)), node(leaf(1, 0), node(leaf(1, 1), leaf(0, 1)))))
    text = explain_pruning(tree, MinimumError("laplace")).to_text()
    for number, symbol, right in [(0, "E(D)", "0.417"), (1, "E(D_1)", "0.375"), (2, "E(D_2)", "0.500")]:
        assert figure_at(text, number, "", symbol)[1] == right
    assert figure_at(text, 6, "", "E(D_6)")[1] == "0.400"
