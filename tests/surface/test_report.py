"""The report as a file: what it holds, what it does not, that names are text in it, and the command."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier

import deciduous
from deciduous import datasets, evaluate
from deciduous.cli import main
from deciduous.draw.metrics import clean
from deciduous.report import document, judged, nodes, workings
from deciduous.report.page import script_json
from tests.reports import gappy_table, hostile_table

pytest.importorskip("jinja2", reason="Jinja2 is not installed")


@pytest.fixture(scope="module")
def loan() -> Any:
    table = datasets.load("loan")
    return deciduous.ID3Classifier(kinds=table.kinds).fit(table.frame, "Class"), table.frame, "Class"


class Reader(HTMLParser):
    """The elements of a page, the text of scripts and styles, and all other text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[str] = []
        self.raw: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.inside.append("")

    def handle_data(self, data: str) -> None:
        if self.inside and self.inside[-1] in ("script", "style"):
            self.raw.append((self.inside[-1], data))
        else:
            self.text += data

    @property
    def data(self) -> Any:
        """What the script reads."""
        return json.loads(next(text for tag, text in self.raw if tag == "script"))


def test_only_its_own_style_and_script_are_allowed(loan: Any) -> None:
    page = Reader(deciduous.report(*loan).html)
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    (_, style), (_, data), (_, script) = page.raw
    for text in (style, script):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy
    assert json.loads(data)["tree"]["target"] == "Class"
    assert "unsafe" not in policy
    attributes = {name for _tag, found in page.tags for name in found}
    assert not [name for name in attributes if name.startswith("on") or name in ("style", "src", "action")]
    assert {a["href"][:1] for _tag, a in page.tags if a.get("href")} == {"#"}


def test_the_same_input_gives_the_same_file(loan: Any) -> None:
    assert deciduous.report(*loan).html == deciduous.report(*loan).html


def test_names_are_text_everywhere() -> None:
    frame, target = hostile_table()
    model = deciduous.ID3Classifier().fit(frame, target)
    page = Reader(deciduous.report(model, frame, target, title="</title><script>window.broken=1</script>").html)
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert "img" not in [tag for tag, _ in page.tags]
    assert page.data["tree"]["target"] == clean(target)
    assert [feature["name"] for feature in page.data["tree"]["features"]] == [
        clean(name) for name in frame.columns[:-1]
    ]
    assert set(page.data["tree"]["classes"]) == {clean(label) for label in frame[target]}


def test_no_name_turns_what_stands_beside_it() -> None:
    """Changes of direction and control characters are written out, in the page, the data, the calls and the working."""
    turned = "\u202ea\u2067b\x07"
    X = pd.DataFrame({turned: [f"{turned}{i % 2}" for i in range(12)], "x": range(12)})
    y = pd.Series([f"{turned}{i // 3 % 2}" for i in range(12)], name=f"{turned}!")
    html = deciduous.report(deciduous.C45Classifier(min_cases=1).fit(X, y), X, y).html
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f]", html)
    page = Reader(html)
    assert "\\u202ea\\u2067b\\x07" in page.text
    assert page.data["tree"]["classes"] == ["\\u202ea\\u2067b\\x070", "\\u202ea\\u2067b\\x071"]


def test_no_tag_begins_or_ends_in_the_data() -> None:
    strange = {"a": "</script><!--<script>&amp;\u2028\u2029", "b": 0.1}
    text = script_json(strange)
    assert not re.search("[<>&\u2028\u2029]", text)
    assert json.loads(text) == strange


def test_it_is_judged_by_rows_that_it_was_not_grown_on() -> None:
    X, y, _ = gappy_table(5, 200)
    model = deciduous.CARTClassifier().fit(X, y)
    found = evaluate.cross_validate(model, X, y, cv=4, seed=7)
    page = Reader(deciduous.report(model, X, y, folds=4, seed=7).html)
    assert f"{100 * found.scores['accuracy']:.1f} %" in page.text
    low, high = found.interval().low, found.interval().high
    assert f"{100 * low:.1f} % – {100 * high:.1f} %" in page.text
    assert "cross-validation: 4 times" in page.text
    assert page.data["stages"]["error"][0] == pytest.approx(1 - found.scores["accuracy"])
    assert page.data["stages"]["training"][0] == pytest.approx(1 - model.score(X, y))


def test_validation_rows_judge_the_tree_itself_and_every_stage() -> None:
    X, y, _ = gappy_table(6, 300)
    model = deciduous.CARTClassifier().fit(X[:200], y[:200])
    with pytest.warns(deciduous.errors.DataWarning, match="1 of the 100 validation rows"):
        page = Reader(deciduous.report(model, X[:200], y[:200], validation=(X[200:], y[200:])).html)
    path = model.pruning_path(X[200:], y[200:])
    assert "Judged by 100 rows that were given for this" in page.text
    stages = page.data["stages"]
    assert stages["error"][0] == pytest.approx(1 - model.score(X[200:], y[200:]))
    assert stages["error"][-len(path) + 1 :] == pytest.approx(path.validation_error[1:].tolist())
    assert stages["n_leaves"][-len(path) + 1 :] == path.n_leaves[1:].tolist()


def test_cross_validated_errors_of_stages_are_those_of_the_library() -> None:
    """Where the tree is grown in full, its path has the errors of `cross_validated_path` on the same folds."""
    X, y, _ = gappy_table(8, 150)
    model = deciduous.CARTClassifier().fit(X, y)
    path = model.pruning_path()
    cases = evaluate.cases.cases_of(model, X, y)
    parts = evaluate.splits.folds(cases, 5, 1, 0)
    expected = model.cross_validated_path(X, y, cv=[(part.train, part.test) for part in parts])
    found = judged.cross_validated_errors(model, cases, parts, path)
    assert found is not None
    assert found[0] == pytest.approx(expected.cv_error)
    assert found[1] == pytest.approx(expected.cv_se, rel=0.1)  # ours takes the folds apart


def test_intervals_drawn_from_counts_are_those_drawn_from_rows() -> None:
    X, y, _ = gappy_table(9, 200)
    found = evaluate.cross_validate(deciduous.CARTClassifier(max_depth=3), X, y, cv=5, seed=0)
    for name in judged.FROM_COUNTS:
        drawn = judged.FROM_COUNTS[name](judged._drawn_again(found.confusion_matrix))
        expected = found.interval(name, method="percentile", resamples=300)
        assert np.quantile(drawn, (0.025, 0.975)) == pytest.approx((expected.low, expected.high), abs=0.02)
        exact = judged.FROM_COUNTS[name](found.confusion_matrix[None])
        assert exact == pytest.approx(found.scores[name])


def test_few_rows_tell_nothing() -> None:
    X = pd.DataFrame({"x": [1.0, 2, 3, 4]})
    model = deciduous.CARTClassifier().fit(X, [0, 0, 1, 1])
    page = Reader(deciduous.report(model, X, [0, 0, 1, 1]).html)
    assert "4 rows are too few to tell" in page.text
    assert "on rows not trained on" not in page.text
    assert page.data["stages"]["error"] == [None, None]


def test_numbers_have_their_own_scores() -> None:
    X, _, y = gappy_table(11, 200)
    model = deciduous.CARTRegressor(max_depth=3).fit(X, y)
    page = Reader(deciduous.report(model, X, y, folds=3).html)
    found = evaluate.cross_validate(model, X, y, cv=3, seed=0)
    assert f"{found.scores['root_mean_squared_error']:.4g}" in page.text
    assert "Confusion matrix" not in page.text
    assert page.data["stages"]["error"][0] == pytest.approx(found.scores["root_mean_squared_error"] ** 2)


def test_distributions_count_every_row_once() -> None:
    X, y, _ = gappy_table(12, 200)
    model = deciduous.CARTClassifier().fit(X, y)
    data = Reader(deciduous.report(model, X, y, folds=2).html).data
    for node in model.tree_:
        found = data["distributions"][str(node.index)]
        assert found["rows"] == node.n_samples
        if not node.is_leaf:
            counts = np.array(found["column"].get("counts", [[0]]))
            assert counts.sum() + found["column"]["missing"] == node.n_samples
    for j, column in data["columns"].items():
        assert sum(map(sum, column["counts"])) + column["missing"] == len(X)
        assert column["missing"] == X.iloc[:, int(j)].isna().sum()


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_no_bar_of_numbers_holds_both_answers_of_a_question(criterion: str) -> None:
    X, _, y = gappy_table(12, 200)
    model = deciduous.CARTRegressor(criterion=criterion, max_depth=4).fit(X, y)
    data = Reader(deciduous.report(model, X, y, folds=2).html).data
    cut = 0
    for node in model.tree_:
        column = data["distributions"][str(node.index)].get("column", {})
        if "cut" in column:
            cut += 1
            assert column["cut"] == node.split.threshold
            by_branch = dict(zip(column["series"], column["counts"], strict=True))
            assert sum(by_branch[0][column["left"] :]) == sum(by_branch[1][: column["left"]]) == 0
    assert cut >= 3


def test_of_many_columns_those_that_are_asked_for_are_seen() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(80, 230)), columns=[f"c{j}" for j in range(230)])
    y = np.where(X["c222"] + X["c7"] > 0, "a", "b")
    model = deciduous.CARTClassifier(max_depth=2).fit(X, y)
    made = deciduous.report(model, X, y, folds=2)
    page = Reader(made.html)
    asked = [f"c{j}" for j in model.tree_.used_features]
    assert "c222" in asked
    opened = made.html.split("What they hold")[1].split("<details")[0]
    assert re.findall(r'<h4 title="(\w+)"', opened) == asked
    assert len(re.findall(r'<h4 title="', made.html)) == 200
    assert f"{200 - len(asked)} columns that the tree does not ask for" in page.text
    assert {str(j) for j in model.tree_.used_features} <= page.data["columns"].keys()


def test_what_is_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = gappy_table(13, 300)
    model = deciduous.CARTClassifier().fit(X, y)
    monkeypatch.setattr(workings, "MOST_CHARACTERS", 30_000)
    monkeypatch.setattr(nodes, "MOST_NODES", 41)
    monkeypatch.setattr(document, "MOST_RULES", 7)
    monkeypatch.setattr(document, "MOST_SHOWN", 5)
    made = deciduous.report(model, X, y, folds=2)
    assert len(made.left_out) == 4
    page = Reader(made.html)
    assert all(sentence in page.text for sentence in made.left_out)
    held = page.data["tree"]["number"]
    assert len(held) <= 41
    assert f"Of the {len(model.tree_)} nodes of the tree the upper {len(held)}" in page.text
    assert len(page.data["distributions"]) == 5


#: Words that have no Chinese form: names of methods, libraries and commands.
LATIN = {
    *("CART", "Brier", "ROC", "Wilson", "SHA", "Ctrl", "Python", "MODEL", "deciduous", "explain", "node", "numpy"),
    *("scipy", "scikit", "learn", "polars", "alpha"),
}


@pytest.mark.parametrize(
    "model",
    [
        deciduous.C45Classifier(),
        deciduous.ID3Classifier(missing="branch"),
        deciduous.CARTClassifier.rpart(cp=0.001),
        deciduous.CARTClassifier(max_depth=0),
        deciduous.CARTRegressor(criterion="absolute_error", max_depth=2),
        deciduous.CARTRegressor(criterion="friedman_mse", max_depth=2),
        deciduous.CARTRegressor.rpart(cp=0.01),
    ],
    ids=lambda model: f"{model.__class__.__name__} {model.missing} {getattr(model, 'criterion', '')}",
)
def test_it_is_written_in_chinese_as_a_whole(model: Any) -> None:
    """No word is left in English, in the page, its hints, the working, or what the script says."""
    X, classes, numbers = gappy_table(1, 60)
    X = X.set_axis(["大小", "种类", "等级", "标志"], axis=1)
    for name in ("种类", "等级", "标志"):
        labels = sorted({str(cell) for cell in X[name].dropna()})
        X[name] = [None if cell is None or cell != cell else "甲乙丙丁戊"[labels.index(str(cell))] for cell in X[name]]
    y = numbers.rename("分数")
    if is_classifier(model):
        y = classes.map({"no": "否", "maybe": "或", "yes": "是"}).rename("回答")
    html = deciduous.report(model.fit(X, y), X, y, folds=2, lang="zh").html
    assert '<html lang="zh-CN">' in html
    page = Reader(re.sub(r"<(pre|code|math)\b.*?</\1>", "", html, flags=re.DOTALL))
    hints = [attrs.get(name) or "" for _, attrs in page.tags for name in ("title", "aria-label", "placeholder")]
    shown = [page.text, *hints, *page.data["words"].values(), *page.data["tree"]["reasons"].values()]
    plain = re.sub(r"\{\w+\}|\w+='\w+'|\w+_\w+", "", " ".join(shown))  # places to fill, and options
    assert set(re.findall("[A-Za-z]{3,}", plain)) <= LATIN


def test_wrong_input_is_refused(loan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model, frame, target = loan
    with pytest.raises(deciduous.OptionError, match="folds=1 must be a whole number of at least 2"):
        deciduous.report(model, frame, target, folds=1)
    with pytest.raises(deciduous.OptionError, match="validation must be"):
        deciduous.report(model, frame, target, validation=frame)
    with pytest.raises(deciduous.DataError, match="X has no column 'Clas'"):
        deciduous.report(model, frame, "Clas")
    with pytest.raises(deciduous.DataError, match="is missing in all 15 rows"):
        deciduous.report(model, frame, [None] * len(frame))
    with pytest.raises(deciduous.DataError, match=r"has no class that the tree knows: it has 0, 1, 2, .* 'No', 'Yes'"):
        deciduous.report(model, frame, list(range(15)))
    with pytest.raises(deciduous.DataError, match="the tree predicts the classes 'No', 'Yes'"):
        deciduous.report(model, frame, target, validation=(frame, [0.5] * 15))
    numbers = deciduous.CARTRegressor().fit([[0.0], [1.0]], [1.0, 2.5])
    with pytest.raises(deciduous.DataError, match=r"the tree predicts numbers, .* holds the classes 'a', 'b'"):
        deciduous.report(numbers, [[0.0], [1.0]], ["a", "b"])
    with pytest.raises(TypeError, match="this is a Tree"):
        deciduous.report(model.tree_, frame, target)
    two = deciduous.CARTClassifier().fit([[0.0], [1.0]], [[0, 1], [1, 0]])
    with pytest.raises(deciduous.OptionError, match=r"a report is of one target; .* has 2, .* Fit one of them alone"):
        deciduous.report(two, [[0.0], [1.0]], [[0, 1], [1, 0]])
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(deciduous.OptionError, match=r"pip install 'deciduous\[report\]'"):
        deciduous.report(model, frame, target)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    table = datasets.load("loan")
    table.frame.to_csv("loan.csv", index=False) if hasattr(table.frame, "to_csv") else table.frame.write_csv("loan.csv")
    assert (
        main(["fit", "loan.csv", "--target", "Class", "--algorithm", "id3", "--kind", "ID=id", "--save", "m.json"]) == 0
    )
    capsys.readouterr()
    assert main(["report", "m.json", "loan.csv", "--out", "r.html", "--folds", "3"]) == 0
    assert "Wrote r.html." in capsys.readouterr().out
    page = Reader(Path("r.html").read_text("utf-8"))
    assert "deciduous report m.json loan.csv --out report.html --folds 3" in page.text
    assert "deciduous fit loan.csv --target Class --algorithm id3 --kind ID=id --save m.json" in page.text
    renamed = Path("loan.csv").read_text("utf-8").replace("Class", "Verdict", 1)
    Path("other.csv").write_text(renamed, "utf-8")
    told = ["report", "m.json", "other.csv", "--out", "r.html", "--target", "Verdict", "--lang", "zh"]
    assert main([*told, "--validation", "other.csv"]) == 2
    assert "训练过的样本不能说明树的优劣" in capsys.readouterr().err
    Path("new.csv").write_text("\n".join(renamed.splitlines()[:13]), "utf-8")
    assert main([*told, "--validation", "new.csv"]) == 0
    assert main(["report", "m.json", "other.csv", "--out", "r.html"]) == 2
    assert "other.csv has no column 'Class', the target" in capsys.readouterr().err
    assert main(["report", "m.json", "loan.csv", "--out", "loan.csv"]) == 2


def test_the_calls_that_are_shown_make_the_same_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """The Python lines and the commands of a report, run as they are shown."""
    monkeypatch.chdir(tmp_path)
    X, y, _ = gappy_table(14, 80)
    frame = X[["size", "kind"]].assign(answer=y)
    frame.to_csv("data.csv", index=False)
    read = deciduous.read_table("data.csv")
    model = deciduous.CARTClassifier(max_depth=3, criterion="entropy", min_samples_leaf=2).fit(read, "answer")
    made = Reader(deciduous.report(model, read, "answer").html)
    python = re.search(r"import deciduous\n.*?save\(.*?\)", made.text, re.DOTALL)
    assert python is not None
    names: dict[str, Any] = {}
    exec(python[0], names)
    assert names["model"].tree_.to_json() == model.tree_.to_json()
    assert Path("report.html").exists()
    fit = re.search(r"deciduous (fit .*)", made.text)
    assert fit is not None
    assert main([*fit[1].split(), "--no-estimate"]) == 0
    capsys.readouterr()
    assert deciduous.load("model.json").tree_.to_text() == model.tree_.to_text()


@pytest.mark.parametrize("kind", ["array", "dicts", "polars", "one leaf", "weights", "many classes"])
def test_tables_of_every_kind(kind: str) -> None:
    X, y, _ = gappy_table(15, 60)
    weight = None
    table: Any = X[["size"]].to_numpy(dtype=float)
    answers: Any = y.to_list()
    model: Any = deciduous.CARTClassifier(max_depth=2)
    if kind == "dicts":
        table = [{"size": size, "kind": kind} for size, kind in zip(X["size"], X["kind"], strict=True)]
    elif kind == "polars":
        table, answers = datasets.load("loan").frame, "Class"
        model = deciduous.ID3Classifier(kinds=datasets.load("loan").kinds)
    elif kind == "one leaf":
        model = deciduous.C45Classifier(max_depth=0)
    elif kind == "weights":
        weight = np.linspace(0.5, 2.5, 60)
    elif kind == "many classes":
        answers = [i % 30 for i in range(60)]
    model.fit(table, answers, weight)
    page = Reader(deciduous.report(model, table, answers, weight, folds=2).html)
    assert page.data["tree"]["weight"][0] == pytest.approx(model.tree_.weight[0])
    assert len(page.data["rows"]["cells"]) == int(model.tree_.n_samples[0])
    assert page.text.count("rarer classes are left out") == (kind == "many classes")
    assert len(page.data["stages"]["n_leaves"]) >= 1
