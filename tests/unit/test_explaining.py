"""Measures on a table, worksheets, the working of pruning, and derivations that are refused."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deciduous
from deciduous import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    DataError,
    ID3Classifier,
    OptionError,
    datasets,
    derivation,
    explain_measure,
    explain_pruning,
    explain_row,
    explain_simplification,
    simplify_rules,
    worksheet,
)
from deciduous.estimators.explaining import training_rows
from deciduous.explain.blocks import Formula
from deciduous.explain.expression import Count, Figure, Name, Ratio, Style, Sum
from deciduous.explain.measure import MEASURES
from deciduous.explain.render_latex import _aligned as aligned
from deciduous.prune import (
    CostComplexity,
    ErrorBased,
    MinimumError,
    Optimal,
    Pessimistic,
    ReducedError,
    Validation,
    collapse,
)
from tests import recompute

LOAN = datasets.load("loan")
MODEL = ID3Classifier().fit(LOAN.X, LOAN.y)
PENGUINS = datasets.load("penguins")


# --- measures


@pytest.mark.parametrize("measure", [name for name in MEASURES if name != "two_step"])
@pytest.mark.parametrize("feature", ["Age", "Owns House"])
def test_a_measure_is_that_of_the_public_function(measure: str, feature: str) -> None:
    function, y = getattr(deciduous, measure), LOAN.y.to_list()
    cells = LOAN.frame[feature].to_list()
    expected = function(y) if measure in ("entropy", "gini") else function(cells, y)
    assert explain_measure(measure, LOAN.frame, feature, "Class").value == pytest.approx(expected)


def test_a_measure_with_missing_cells() -> None:
    table = pd.DataFrame({"a": ["u", "u", None, "v", "v"], "y": list("xyxyy")})
    found = explain_measure("information_gain", table, "a", "y")
    assert found.value == pytest.approx(deciduous.information_gain(table.a.tolist(), table.y.tolist()))
    assert "Gain(D, a) = rho × (Ent(D~) - H(D~|a)) = 4/5 × (0.81128 - 0.50000) = 0.249" in found.to_text()


def test_a_measure_at_a_threshold() -> None:
    golf = datasets.load("golf").frame
    found = explain_measure("gain_ratio", golf, "humidity", "class", threshold=80)
    assert f"{found.value:.3f}" == "0.109"
    assert "D^-: humidity <= 80" in found.to_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "gainratio"}, "is not one of .* Did you mean 'gain_ratio'"),
        ({"feature": "Agee"}, "no column 'Agee' for the feature; .* Did you mean 'Age'"),
        ({"target": "class"}, "no column 'class' for the target"),
        ({"feature": None}, "gain_ratio needs feature=, one of"),
        ({"digits": 0}, "digits=0 must be between 1 and 15"),
        ({"rounding": "up"}, "rounding='up' must be"),
        ({"threshold": 3.0}, "goes with a column of numbers"),
    ],
)
def test_a_wrong_measure_is_refused(arguments: dict[str, Any], message: str) -> None:
    given = {"measure": "gain_ratio", "feature": "Age", "target": "Class"} | arguments
    with pytest.raises((OptionError, DataError), match=message):
        explain_measure(given.pop("measure"), LOAN.frame, **given)


def test_many_numbers_need_a_threshold() -> None:
    with pytest.raises(OptionError, match="different numbers; give threshold="):
        explain_measure("gain", PENGUINS.frame, "body_mass_g", "species")


# --- worksheets


def test_a_worksheet_gives_nothing_away() -> None:
    key = derivation(MODEL)
    text = worksheet(key, counts=True).to_text()
    answers = {step.numbers and key.style.result(step.value) for step in key.node(0).all_steps()} - {None, "0.000"}
    assert not any(answer in text for answer in answers)
    assert "chosen" not in text.replace("Which column is chosen", "")
    assert "Which column is chosen, and why?" in text
    assert text.count("= ________") >= len([s for s in key.node(0).all_steps() if s.numbers])


def test_a_worksheet_of_numbers_does_not_tell_the_means_that_it_asks_for() -> None:
    shown = derivation(CARTRegressor(max_depth=1).fit({"x": [1, 2, 3, 4]}, [1.0, 3.0, 7.25, 8.5]))
    assert "7.875" in shown.to_text()
    text = worksheet(shown).to_text()
    assert "7.875" not in text
    assert re.search(r"x < 2.5 +2 +____ +____|x <= 2.5 +2 +____ +____", text)


def test_a_worksheet_of_pruning_and_of_rules_gives_nothing_away() -> None:
    golf = datasets.load("golf")
    grown = C45Classifier(pruning=None).fit(golf.frame, golf.target)
    of_pruning = worksheet(explain_pruning(grown, "error")).to_text()
    assert "NU(D_1) = ________________________ = ________" in of_pruning
    assert not re.search(r"it stays|it becomes|from \d+ leaves|leaf = \d", of_pruning)
    of_rules = worksheet(explain_simplification(grown, golf.frame, golf.target)).to_text()
    assert "U(0, 2) = ________________________ = ________" in of_rules
    assert not re.search(r"  goes$|  kept$|What is left|0\.454|^ +1\. IF", of_rules, re.MULTILINE)


def test_a_worksheet_with_an_example() -> None:
    text = worksheet(derivation(MODEL), worked=1).to_text()
    assert "Gain(D, Age) = Ent(D) - H(D|Age) = 0.97095 - 0.88794 = 0.083" in text
    assert "0.324" not in text


@pytest.mark.parametrize("form", ["md", "latex", "html"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_worksheet_in_every_form(form: str, lang: str) -> None:
    shown = "".join(worksheet(derivation(MODEL, "all")).parts(form, lang))
    assert "0.420" not in shown


# --- pruning


PRUNERS = [ErrorBased(subtree_raising=False), MinimumError(), MinimumError("laplace"), Pessimistic()]


@pytest.mark.parametrize("pruner", PRUNERS, ids=repr)
@pytest.mark.parametrize("data", [LOAN, PENGUINS, datasets.load("watermelon3")], ids=lambda data: data.name)
def test_the_decisions_are_those_of_the_pruner(pruner: Any, data: Any) -> None:
    tree = ID3Classifier().fit(data.X, data.y).tree_
    found = explain_pruning(tree, pruner)
    made_leaf = np.zeros(len(tree), dtype=bool)
    for decision in found.decisions:
        made_leaf[decision.node] = decision.pruned
        for step in found.steps_of(decision):
            if step.numbers is not None:
                from deciduous.explain.expression import value_of

                assert value_of(step.numbers) == pytest.approx(step.exact, rel=1e-9)
    assert collapse(tree, made_leaf).n_leaves == pruner(tree).n_leaves
    lines = [line for line in recompute.of_text(found.to_text()) if "subtree" not in line[0]]
    for numbers, result in lines:
        assert recompute.worked_out(recompute.python_of_text(numbers)) == pytest.approx(float(result), abs=1e-3)


@pytest.mark.parametrize("pruner", [ReducedError(), ReducedError("keep"), Validation()], ids=repr)
def test_the_decisions_by_validation_rows(pruner: Any) -> None:
    train, valid = datasets.load("watermelon2_train"), datasets.load("watermelon2_valid")
    tree = ID3Classifier().fit(train.X, train.y).tree_
    found = explain_pruning(tree, pruner, valid.X, valid.y)
    made_leaf = np.zeros(len(tree), dtype=bool)
    for decision in found.decisions:
        made_leaf[decision.node] = decision.pruned
    assert collapse(tree, made_leaf).n_leaves == found.pruned.n_leaves
    assert "剪枝结果" in found.to_text("zh")


def test_the_rounds_of_cost_complexity() -> None:
    tree = CARTClassifier().fit(PENGUINS.X, PENGUINS.y).tree_
    text = explain_pruning(tree, "cost_complexity").to_text()
    path = CARTClassifier().fit(PENGUINS.X, PENGUINS.y).pruning_path()
    assert text.count("Round ") == len(path) - 1
    for step, alpha in enumerate(path.alpha[1:].tolist(), 1):
        after = text.split(f"Round {step}: ")[1]
        assert f"= {alpha:.3f}" in after.split("Round ")[0]
    text = explain_pruning(tree, CostComplexity(alpha=0.01)).to_text()
    assert "C_alpha(T) = C(T) + alpha |T| at alpha = 0.01" in text


def test_pruning_that_needs_rows() -> None:
    with pytest.raises(OptionError, match="needs validation rows"):
        explain_pruning(MODEL, "reduced_error")


# --- derivations


def test_other_rows_than_those_of_the_tree_are_refused() -> None:
    with pytest.raises(DataError, match=r"not the rows that the tree was grown on: node 0 has 15 rows .* the table 14"):
        derivation(MODEL, 0, LOAN.X[:14], LOAN.y[:14])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rounding": "down"}, "rounding='down' must be 'end' or 'each step'"),
        ({"measures": "some"}, "measures='some' must be"),
        ({"digits": 0}, "digits=0 must be between"),
        ({"path": True}, "path=True needs the number"),
        ({"node": 99}, "there is no node 99"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((OptionError, DataError), match=message):
        derivation(MODEL, **options)


def test_json_and_frame_hold_every_step() -> None:
    found = derivation(MODEL, "all", LOAN.X, LOAN.y)
    document = json.loads(found.to_json())
    steps = [step for node in found for step in node.all_steps()]
    in_json = [
        s for node in document["nodes"] for s in [*node["steps"], *(s for f in node["features"] for s in f["steps"])]
    ]
    assert len(in_json) == len(steps) == len(found.to_frame())
    assert json.loads(found.to_json("zh"))["nodes"][0]["decision"].startswith("选择 Owns House")


def test_a_path() -> None:
    leaf = max(node.index for node in MODEL.tree_)
    found = derivation(MODEL, 3, path=True)
    assert found.nodes == tuple(MODEL.tree_.path(3))
    assert leaf > 0


def test_weights_and_class_weights_are_those_of_fitting() -> None:
    weight = np.linspace(0.5, 2, 15)
    model = CARTClassifier(class_weight={"Yes": 2, "No": 1}).fit(LOAN.X, LOAN.y, weight)
    found = derivation(model, "all", LOAN.X, LOAN.y, weight)
    assert all(one.tried for one in found.node(0).features)


def test_a_tree_of_numbers_is_written_as_a_function() -> None:
    model = CARTRegressor(max_depth=1).fit({"x": [1, 2, 3, 4]}, [1.0, 3, 8, 8])
    text = derivation(model, "all").to_text()
    assert "f(x) = sum_m c_m I(x in R_m) = 2.00000" in text or "f(x) = sum_m c_m I(x in R_m) = 2 × I(x in R_1)" in text
    assert re.search(r"R_2 +x > 2\.5 +2 +8", text)


def test_a_notebook_shows_markdown() -> None:
    assert derivation(MODEL)._repr_markdown_().startswith("# The working of the ID3 tree for Class")


@pytest.mark.parametrize("name", ["a & b_c%", "{x}^2 ~ $", "<b>\\", "#1 | [2]"])
@pytest.mark.parametrize("form", ["md", "latex", "html", "text"])
def test_names_with_signs_of_their_own(name: str, form: str) -> None:
    table = pd.DataFrame({name: ["<&>", "\\{}", "\\{}", "_$%"], "z": list("uvuv")})
    shown = "".join(derivation(ID3Classifier().fit(table, list("xxyy")), "all").parts(form))
    if form == "html":
        assert "<b>" not in shown
        assert recompute.of_html(shown)
    if form == "latex":
        assert shown.count("{") == shown.count("}") or "\\{" in shown


@pytest.mark.parametrize(
    ("name", "lang"),
    [
        ("loan", "zh"),
        ("watermelon2a", "en"),
        pytest.param("loan", "en", marks=pytest.mark.slow),
        pytest.param("watermelon2a", "zh", marks=pytest.mark.slow),
    ],
)
def test_latex_compiles(name: str, lang: str, tmp_path: Path) -> None:
    data = datasets.load(name)
    model = C45Classifier().fit(data.X, data.y)
    document = derivation(model, "all", data.X, data.y, measures="all").to_latex(lang)
    compile_latex(document, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_latex_of_the_others_compiles(lang: str, tmp_path: Path) -> None:
    parts = [
        worksheet(derivation(MODEL, "all"), counts=True),
        explain_measure("gain_ratio", LOAN.frame, "Age", "Class"),
        explain_pruning(MODEL, "error"),
        explain_pruning(MODEL, "cost_complexity"),
        explain_pruning(MODEL, Optimal(3)),
        simplify_rules(MODEL, LOAN.frame, "Class"),
        explain_row(MODEL, LOAN.X.row(0, named=True)),
        derivation(CARTRegressor(max_depth=2).fit({"a_b": [1, 2, 3, 4]}, [1.0, 2, 5, 7]), "all"),
    ]
    for i, part in enumerate(parts):
        (tmp_path / str(i)).mkdir()
        compile_latex(part.to_latex(lang), tmp_path / str(i))


def compile_latex(document: str, folder: Path) -> None:
    """Compile a document; where no LaTeX is installed that knows Chinese, with another letter for each sign of it."""
    chinese = shutil.which("xelatex") if kpse("ctex.sty") else None
    compiler = chinese or shutil.which("pdflatex")
    if compiler is None or not kpse("longtable.sty"):
        pytest.skip("no LaTeX is installed")
    if not chinese:
        document = re.sub(r"[^\x00-\x7f]", "x", document)
    (folder / "working.tex").write_text(document, "utf-8")
    arguments = [compiler, "-interaction=nonstopmode", "-halt-on-error", "working.tex"]
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]


def kpse(file: str) -> bool:
    """Whether TeX finds a file."""
    program = shutil.which("kpsewhich")
    return program is not None and subprocess.run([program, file], capture_output=True).returncode == 0


# --- data frames


def test_measures_and_decisions_as_data_frames() -> None:
    steps = explain_measure("gain_ratio", LOAN.frame, "Age", "Class").to_frame()
    assert steps["quantity"].to_list()[-1] == "gain_ratio"
    assert steps["exact"][-1] == pytest.approx(deciduous.gain_ratio(LOAN.X["Age"], LOAN.y))
    decisions = explain_pruning(MODEL, "error").to_frame()
    assert decisions["node"].to_list() == [node.index for node in MODEL.tree_ if not node.is_leaf][::-1]
    assert decisions["pruned"].dtype == pl.Boolean
    divisions = explain_pruning(MODEL, Optimal(3)).to_frame()
    assert divisions.filter(pl.col("best") & (pl.col("node") == 0))["leaves"].to_list() == [1, 2, 3]
    assert explain_pruning(MODEL, "cost_complexity").to_frame().is_empty()


def test_rules_in_a_notebook() -> None:
    assert deciduous.rules(MODEL)._repr_markdown_().startswith("| rule | answer |")
    assert simplify_rules(MODEL, LOAN.frame, "Class")._repr_markdown_().startswith("# ")


@pytest.mark.parametrize("use", [0, 1, 2])
def test_rows_of_trees_with_surrogates(use: int) -> None:
    """Every node finds its own rows: those that surrogates send, and none of those that stay above."""
    frame = datasets.load("penguins").frame.with_columns(pl.col("flipper_length_mm").replace(190, None))
    model = CARTClassifier(missing="surrogates", use_surrogates=use, max_depth=3).fit(frame, "species")
    rows = training_rows(model, frame, "species")
    for node in range(len(model.tree_)):
        assert len(rows.of_node(node).entries) == model.tree_.n_samples[node]


def test_a_long_fraction_is_broken_into_lines() -> None:
    gains = tuple(Figure(0.1 + i / 1000) for i in range(30))
    lines = aligned(Formula((Name("g", "g"), Ratio(Sum(gains), Count(30)), "0.114")), Style()).split(r"\\")
    assert len(lines) > 2
    assert max(map(len, lines)) < 120
