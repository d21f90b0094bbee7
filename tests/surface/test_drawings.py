"""Pictures read back: each format holds the tree, whatever its names; and programs that read a format accept it."""

from __future__ import annotations

import re
import shutil
import subprocess
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import deciduous
from deciduous import datasets, draw
from deciduous.draw.metrics import clean, wrap
from deciduous.draw.theme import LIGHT
from tests.drawings import HOSTILE, random_tree, renamed
from tests.trees import leaf, node, tree_of

SVG = "{http://www.w3.org/2000/svg}"
SEEDS = range(12)
#: TeX's fonts do not tell programs which quote a quote is.
NO_QUOTES = str.maketrans("", "", "'`’‘")


@pytest.fixture(scope="module")
def loan() -> Any:
    table = datasets.load("loan")
    return deciduous.ID3Classifier(kinds=table.kinds).fit(table.frame, "Class")


@pytest.fixture(scope="module")
def hostile() -> deciduous.Tree:
    """A tree of 43 leaves and 43 inner nodes in which every hostile name is a category, and many are columns."""
    many = node(*(leaf(*np.eye(8)[i % 8]) for i in range(40)))
    tree = tree_of(node(many, node(leaf(*[1] * 8), leaf(*[2] * 8)), leaf(*[0] * 8)))
    return renamed(tree, [*HOSTILE])


def texts(element: ET.Element) -> list[str]:
    return [text.text or "" for text in element.iter(f"{SVG}text")]


# --- SVG -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("direction", ["down", "right"])
def test_svg_holds_every_node_its_answer_and_its_parent(seed: int, direction: str) -> None:
    tree = random_tree(seed)
    root = ET.fromstring(draw.to_svg(tree, direction=direction))
    groups = root.findall(f"{SVG}g")
    nodes = {int(g.get("data-node", "")): g for g in groups if not g.get("class", "").startswith("edge")}
    edges = {int(g.get("data-node", "")): g for g in groups if g.get("class", "").startswith("edge")}
    assert sorted(nodes) == list(range(len(tree)))
    assert sorted(edges) == list(range(1, len(tree)))
    for number, group in nodes.items():
        title = group.findtext(f"{SVG}title") or ""
        shown = "".join(texts(group)).replace(" ", "")
        seen = tree.node(number)
        if seen.feature is None:
            expected = f"{clean(tree.target)} = {clean(str(seen.prediction)) or chr(39) * 2}"
        else:
            expected = clean(seen.feature) or "''"
        assert group.get("class") == ("leaf" if seen.is_leaf else "question")
        assert expected in title
        assert f"{seen.n_samples} row" in title or seen.n_samples == 0
        start = "".join(wrap(expected, LIGHT.most_width, LIGHT.font_size, "bold", LIGHT.most_lines))
        assert shown.startswith(start.rstrip("…").replace(" ", "")[:60])
    for number, group in edges.items():
        above = tree.node(int(tree.parent[number]))
        assert above.split is not None
        code = int(above.split.categories_of(number - int(tree.first_child[above.index]))[0])
        name = clean(str(tree.schema.features[above.split.feature].categories[code]))
        assert group.findtext(f"{SVG}title") == name


def test_svg_cannot_be_broken_out_of(hostile: deciduous.Tree) -> None:
    svg = draw.to_svg(hostile)
    root = ET.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {"svg", "title", "g", "rect", "path", "text"}
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name]


def test_falsy_labels_are_shown() -> None:
    frame = pd.DataFrame({"k": [0, 0, 1, 1], "s": ["", "", "a", "a"]})
    for y in ([0, 0, 1, 0], [False, False, True, False]):
        model = deciduous.CARTClassifier(kinds={"k": "nominal"}).fit(frame[["k"]], y)
        shown = texts(ET.fromstring(draw.to_svg(model)))
        assert f"y = {y[0]}" in shown
        assert "0" in shown
    model = deciduous.ID3Classifier().fit(frame[["s"]], [0, 0, 1, 0])
    assert "''" in texts(ET.fromstring(draw.to_svg(model)))


def test_weights_are_named_as_such() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    model = deciduous.CARTClassifier().fit(X, ["a", "a", "b"], sample_weight=[0.5, 0.25, 2.0])
    shown = texts(ET.fromstring(draw.to_svg(model)))
    assert "3 rows, weight 2.75" in shown
    assert "a: 0.75 (27.3 %)" in shown


def test_thresholds_get_the_digits_that_tell_them_apart() -> None:
    X = pd.DataFrame({"x": [1.00001, 1.00002, 1.00003, 1.00004]})
    model = deciduous.CARTClassifier().fit(X, ["a", "b", "c", "d"])
    shown = {text for text in texts(ET.fromstring(draw.to_svg(model))) if text.startswith("≤")}
    assert len(shown) == 3
    assert all(len(text) >= len("≤ 1.00001") for text in shown)


# --- what is shown -------------------------------------------------------------------------------------------------


def test_a_row_is_followed(loan: Any) -> None:
    row = {"Owns House": "No", "Employed": "Yes"}
    root = ET.fromstring(draw.to_svg(loan, row=row))
    lit = [g.get("data-node") for g in root.iter(f"{SVG}g") if g.get("class", "").endswith("lit")]
    assert sorted(map(int, lit)) == [0, 1, 1, 4, 4]  # nodes 0, 1, 4 and the edges that lead to 1 and 4
    frame = pd.DataFrame([{"Age": None, "Credit Status": None, "ID": 1, **row}])
    assert draw.to_svg(loan, row=frame) == draw.to_svg(loan, row=frame.iloc[0]) == draw.to_svg(loan, row=row)
    for wrong in ({"Owns House": "No"}, {**row, "Emploid": 1}):
        with pytest.raises(deciduous.DataError, match="Employed"):
            draw.to_svg(loan, row=wrong)


def test_the_half_grown_tree_names_its_sets(loan: Any) -> None:
    """Source 002 draws the first step with D1 and D2, a leaf by its class too; the last picture has no sets."""
    shown = texts(ET.fromstring(draw.to_svg(loan, splits=1, counts=False)))
    assert shown == ["No", "Yes", "Owns House", "D1", "Yes, D2"]
    assert texts(ET.fromstring(draw.to_svg(loan, splits=0, counts=False))) == ["D"]
    done = texts(ET.fromstring(draw.to_svg(loan, splits=2, counts=False)))
    assert done[-5:] == ["Owns House", "Employed", "No", "Yes", "Yes"]


@pytest.mark.parametrize("feature", ["Leg", "Color", "Bite"])
def test_one_level_of_any_column(feature: str) -> None:
    """Source 004 draws the division by each column of its table, chosen or not."""
    table = datasets.load("catdog")
    target = table.frame.columns[-1]
    model = deciduous.ID3Classifier(kinds=table.kinds).fit(table.frame, target)
    level = draw.one_level(model, feature)
    level.check()
    assert level.node(0).feature == feature
    groups = table.frame.to_pandas().groupby(feature, observed=True)[target]
    for child in level.node(0).children:
        category = level.schema.features[level.feature[0]].categories[child.branch]
        counts = groups.get_group(category).astype(str).value_counts()
        assert child.class_weights == counts.to_dict()
        assert child.impurity == pytest.approx(deciduous.entropy(list(groups.get_group(category))))
    assert len(texts(ET.fromstring(draw.to_svg(level)))) > 8


def test_one_level_says_why_there_is_none(loan: Any) -> None:
    with pytest.raises(deciduous.DataError, match=r"Emploid.*Employed"):
        draw.one_level(loan, "Emploid")
    with pytest.raises(deciduous.DataError, match="constant"):
        draw.one_level(loan, "Owns House", 1)
    with pytest.raises(deciduous.DataError, match="no search"):
        draw.one_level(loan, "Age", 2)


def test_what_is_cut_off_is_counted() -> None:
    tree = random_tree(5, 80)
    for options in ({"max_depth": 1}, {"max_nodes": 9}, {"collapse": [int(np.flatnonzero(~tree.is_leaf)[1])]}):
        root = ET.fromstring(draw.to_svg(tree, **options))
        nodes = [g for g in root.findall(f"{SVG}g") if not g.get("class", "").startswith("edge")]
        hidden = [int(m[1]) for g in nodes for text in texts(g) if (m := re.fullmatch(r"\+(\d+) nodes", text))]
        assert hidden
        assert len(nodes) + sum(hidden) == len(tree)
    assert len(nodes) < len(tree)


def test_options_are_checked(loan: Any) -> None:
    with pytest.raises(TypeError, match=r"max_dept.*max_depth"):
        draw.to_svg(loan, max_dept=2)
    for wrong in ({"direction": "up"}, {"max_depth": -1}, {"digits": 0}, {"shape": "star"}, {"theme": "pink"}):
        with pytest.raises(deciduous.OptionError, match=next(iter(wrong))):
            draw.to_svg(loan, **wrong)
    with pytest.raises(TypeError, match="fit"):
        draw.to_svg(deciduous.ID3Classifier())


# --- DOT -----------------------------------------------------------------------------------------------------------

needs_dot = pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")


@needs_dot
@pytest.mark.parametrize("seed", SEEDS)
def test_graphviz_reads_every_name(seed: int) -> None:
    tree = random_tree(seed, 30)
    done = subprocess.run(["dot", "-Tsvg"], input=draw.to_dot(tree).encode(), capture_output=True, timeout=60)
    assert done.returncode == 0
    assert b"syntax error" not in done.stderr
    root = ET.fromstring(done.stdout)
    shown = " ".join(texts(root)).replace("\xa0", " ")
    for number in range(len(tree)):
        first = draw_title(tree, number).replace("\xa0", " ").strip()
        assert " ".join(first.split()) in " ".join(shown.split())


def draw_title(tree: deciduous.Tree, number: int) -> str:
    """The first line of a node's title."""
    seen = tree.node(number)
    title = seen.feature if seen.feature is not None else f"{clean(tree.target)} = {clean(str(seen.prediction))}"
    return wrap(clean(title) or "''", LIGHT.most_width, LIGHT.font_size, "bold", LIGHT.most_lines)[0]


@needs_dot
@pytest.mark.parametrize("special_characters", [True, False])
def test_export_graphviz_is_read_by_graphviz_and_pydotplus(hostile: deciduous.Tree, special_characters: bool) -> None:
    options = {"filled": True, "rounded": True, "node_ids": True, "rotate": True, "leaves_parallel": True}
    text = draw.export_graphviz(hostile, special_characters=special_characters, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pydotplus

        graph = pydotplus.graph_from_dot_data(text)
    assert len([n for n in graph.get_nodes() if n.get_name().isdigit()]) == len(hostile)
    assert len(graph.get_edges()) == len(hostile) - 1
    done = subprocess.run(["dot", "-Tplain"], input=text.encode(), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_export_graphviz_says_what_scikit_learn_says() -> None:
    """Line by line, on a tree that both grow: the same nodes, numbers and edges."""
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.tree import export_graphviz as theirs

    iris = load_iris()
    X = iris.data[:, [0, 2]]  # without ties, which scikit-learn decides at random
    other = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, iris.target)
    ours = deciduous.CARTClassifier(max_depth=2).fit(X, iris.target)
    names = {"feature_names": ["a", "b"], "class_names": list(iris.target_names), "precision": 3}
    our_text, their_text = draw.export_graphviz(ours, **names), theirs(other, **names)
    assert our_text is not None

    def labels(text: str) -> list[str]:
        found = re.findall(r'\[label="([^"]*)"', text)
        return sorted(re.sub(r"gini = [\d.]+\\n", "", label).replace(".0\\n", "\\n") for label in found)

    assert labels(our_text) == labels(their_text)
    assert re.findall(r"\d+ -> \d+ .*", our_text)[0] == re.findall(r"\d+ -> \d+ .*", their_text)[0]


def test_export_graphviz_writes_files_and_checks_names(loan: Any, tmp_path: Path) -> None:
    draw.export_graphviz(loan, str(tmp_path / "a.dot"), class_names=["n", "y"])
    assert "class = y" in (tmp_path / "a.dot").read_text()
    with open(tmp_path / "b.dot", "w") as file:
        draw.export_graphviz(loan, file, max_depth=0, class_names=False, impurity=False, label="root", proportion=True)
    text = (tmp_path / "b.dot").read_text()
    assert text.count('label="(...)"') == 2
    assert "100%" in text
    assert "class" not in text
    assert "entropy" not in text
    with pytest.raises(deciduous.DataError, match="feature_names has 2 names"):
        draw.export_graphviz(loan, feature_names=["a", "b"])


# --- TikZ and Mermaid ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="LaTeX is not installed")
def test_latex_compiles_hostile_names(tmp_path: Path) -> None:
    latin = [name for name in HOSTILE if all(ord(c) < 256 for c in clean(name))]
    tree = renamed(tree_of(node(*(leaf(*np.eye(8)[i % 8]) for i in range(len(latin))))), latin)
    draw.save(tree, tmp_path / "tree.tex", direction="right")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tree.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=170)
    assert done.returncode == 0, done.stdout[-2000:]
    if shutil.which("pdftotext"):
        shown = subprocess.run(["pdftotext", "tree.pdf", "-"], cwd=tmp_path, capture_output=True).stdout
        blanks = " ".join(shown.decode().split()).translate(NO_QUOTES)
        for category in tree.schema.features[int(tree.feature[0])].categories:
            assert " ".join(clean(str(category)).split()).translate(NO_QUOTES) in blanks


def test_mermaid_is_drawn_as_the_sources_draw_it(loan: Any) -> None:
    text = draw.to_mermaid(loan, splits=1, counts=False, shape="round", theme="dark")
    assert text.startswith('%%{init: {"theme": "dark"}}%%\ngraph TD\n    N0(("Owns House"))\n    N1(("D1"))\n')
    assert '    N0 -- "No" --> N1\n    N2(("Yes, D2"))\n    N0 -- "Yes" --> N2\n' in text


def test_large_trees_stay_within_mermaids_limits() -> None:
    text = draw.to_mermaid(random_tree(3, 3000))
    assert text.count("-->") <= 500
    assert len(text) <= 50_000
    assert re.search(r"\+\d+ nodes", text)


# --- files and pictures of dots ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        *(("a.svg", b"<svg "), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF"), ("a.dot", b"digraph"), ("a.mmd", b"graph")),
        *(("a.tex", b"\\documentclass"), ("a.txt", b"id3 tree for")),
    ],
)
def test_a_file_has_the_format_of_its_name(loan: Any, tmp_path: Path, name: str, begins: bytes) -> None:
    draw.save(loan, tmp_path / name)
    first = (tmp_path / name).read_bytes()
    assert first.startswith(begins)
    draw.save(loan, tmp_path / name)
    assert (tmp_path / name).read_bytes() == first  # the same tree, the same file


def test_matplotlib_draws_the_same_texts(loan: Any) -> None:
    from matplotlib.figure import Figure

    ax = Figure(figsize=(4, 4)).add_subplot()
    assert deciduous.plot_tree(loan, ax=ax, row={"Owns House": "Yes", "Employed": None}) is ax
    assert [text.get_text() for text in ax.texts] == texts(
        ET.fromstring(draw.to_svg(loan, row={"Owns House": "Yes", "Employed": None}))
    )
    box = ax.get_window_extent()
    ax.figure.draw_without_rendering()
    for text in ax.texts:
        extent = text.get_window_extent()
        assert box.x0 - 1 <= extent.x0 <= extent.x1 <= box.x1 + 1


@pytest.mark.parametrize("seed", range(4))
def test_matplotlib_draws_hostile_names_with_one_warning_at_most(seed: int, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        draw.save(random_tree(seed, 20), tmp_path / "a.png")
    assert len(caught) <= 1
    assert all(issubclass(warning.category, deciduous.DataWarning) for warning in caught)


def test_a_picture_that_is_too_large_for_dots_is_refused(tmp_path: Path) -> None:
    with pytest.raises(deciduous.OptionError, match="max_depth"):
        draw.save(random_tree(3, 3000), tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


def test_several_targets_are_all_answered() -> None:
    """Every figure says whose it is, in questions and in leaves."""
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    y = pd.DataFrame({"a": ["p", "p", "q", "q"], "b": ["u", "u", "v", "w"]})
    model = deciduous.CARTClassifier().fit(X, y)
    shown = texts(ET.fromstring(draw.to_svg(model)))
    assert shown.count("a = q") == 2
    assert {"b = u (100 %)", "b = v (100 %)", "b = w (100 %)"} <= set(shown)
    root = ET.fromstring(draw.to_svg(model)).findall(f"{SVG}g")
    assert texts(next(g for g in root if g.get("class") == "question")) == [
        *("x", "4 rows", "a:", "p: 2 (50 %)", "q: 2 (50 %)", "b = u (50 %)")
    ]
    numbers = deciduous.CARTRegressor().fit(X, pd.DataFrame({"a": [1.0, 1, 2, 2], "b": [3.0, 3, 5, 7]}))
    shown = texts(ET.fromstring(draw.to_svg(numbers)))
    assert {"a: mean 1.5", "b: mean 4.5", "a = 1", "b = 3", "b = 7"} <= set(shown)
    assert draw.to_mermaid(model, counts=False).count("b = u") == 1


def test_pictures_speak_the_language_spoken(loan: Any) -> None:
    tree = random_tree(5, 80, hostile=False)
    with deciduous.language.speaking("zh"):
        shown = texts(ET.fromstring(draw.to_svg(tree, max_depth=2, impurity=True)))
        titles = [title.text or "" for title in ET.fromstring(draw.to_svg(loan)).iter(f"{SVG}title")]
    words = "".join(shown).replace("alpha", "").replace("beta", "").replace("gamma", "")
    assert not re.search("[A-Za-z]{2}", words)
    assert titles[0] == "id3 决策树（目标 Class）：15 个样本，3 个叶结点，深度 2"
    assert titles[-1] == "结点 2; Yes; Class = Yes; 6 个样本 (100 %)"


def test_what_is_highlighted_wins_in_mermaid(loan: Any) -> None:
    lines = draw.to_mermaid(loan, row={"Owns House": "No", "Employed": "Yes"}).splitlines()
    styles = [line.split()[1] for line in lines if line.lstrip().startswith("classDef")]
    assert styles[-1].startswith("lit")
    assert "N0(" in draw.to_mermaid(loan, shape="round")
    assert "N0((" not in draw.to_mermaid(loan, shape="round")
