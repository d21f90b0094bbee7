"""Trees as text: what a reader of the terminal sees, word for word."""

from __future__ import annotations

import json
import re
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import deciduous
from deciduous.explain.derivation import derivation_of
from deciduous.model.labels import among, figure, significant
from deciduous.model.reason import Reason


def bundled(name: str, cls: Any, **options: Any) -> Any:
    table = deciduous.datasets.load(name)
    return cls(**options).fit(table.X, table.y).tree_


LOAN = """\
id3 tree for Class: 15 rows, 3 leaves, depth 2
all rows: 15 rows: No 6 (40 %), Yes 9 (60 %)
├─ Owns House = No: 9 rows: No 6 (66.7 %), Yes 3 (33.3 %)
│  ├─ Employed = No -> No: 6 rows: No 6 (100 %)
│  └─ Employed = Yes -> Yes: 3 rows: Yes 3 (100 %)
└─ Owns House = Yes -> Yes: 6 rows: Yes 6 (100 %)"""

WATERMELONS = """\
id3 tree for 好瓜: 17 rows, 5 leaves, depth 2
all rows: 17 rows: 否 9 (52.9 %), 是 8 (47.1 %)
├─ 纹理 = 清晰: 9 rows: 否 2 (22.2 %), 是 7 (77.8 %)
│  ├─ 密度 <= 0.3815 -> 否: 2 rows: 否 2 (100 %)
│  └─ 密度 > 0.3815 -> 是: 7 rows: 是 7 (100 %)
├─ 纹理 = 稍糊: 5 rows: 否 4 (80 %), 是 1 (20 %)
│  ├─ 触感 = 硬滑 -> 否: 4 rows: 否 4 (100 %)
│  └─ 触感 = 软粘 -> 是: 1 row: 是 1 (100 %)
└─ 纹理 = 模糊 -> 否: 3 rows: 否 3 (100 %)"""

PENGUINS = """\
cart tree for species: 344 rows, 4 leaves, depth 2
all rows: 344 rows: Adelie 152 (44.2 %), Chinstrap 68 (19.8 %), Gentoo 124 (36 %)
├─ flipper_length_mm <= 206.5 or missing: 215 rows: Adelie 150 (69.8 %), Chinstrap 63 (29.3 %), Gentoo 2 (0.93 %)
│  ├─ bill_length_mm <= 43.35 or missing -> Adelie: 152 rows: Adelie 146 (96.1 %), Chinstrap 5 (3.29 %), Gentoo 1 (0.658 %)
│  └─ bill_length_mm > 43.35 -> Chinstrap: 63 rows: Adelie 4 (6.35 %), Chinstrap 58 (92.1 %), Gentoo 1 (1.59 %)
└─ flipper_length_mm > 206.5: 129 rows: Adelie 2 (1.55 %), Chinstrap 5 (3.88 %), Gentoo 122 (94.6 %)
   ├─ island = Biscoe -> Gentoo: 122 rows: Gentoo 122 (100 %)
   └─ island in {Dream, Torgersen} -> Chinstrap: 7 rows: Adelie 2 (28.6 %), Chinstrap 5 (71.4 %)"""  # noqa: E501

NUMBERS = """\
cart tree for y: 8 rows, 5 leaves, depth 3
all rows: 8 rows, mean 6.188, variance 22.62
├─ x0 <= 3.5: 4 rows, mean 1.5, variance 0.25
│  ├─ x0 <= 1.5 -> 1: 2 rows, mean 1, variance 0
│  └─ x0 > 1.5 -> 2: 2 rows, mean 2, variance 0
└─ x0 > 3.5: 4 rows, mean 10.88, variance 1.047
   ├─ x0 <= 6.5: 3 rows, mean 10.33, variance 0.2222
   │  ├─ x0 <= 5.5 -> 10: 2 rows, mean 10, variance 0
   │  └─ x0 > 5.5 -> 11: 1 row, mean 11, variance 0
   └─ x0 > 6.5 -> 12.5: 1 row, mean 12.5, variance 0"""

X8 = np.arange(8.0).reshape(-1, 1)
Y8 = [1, 1, 2, 2, 10, 10, 11, 12.5]


def test_the_loans() -> None:
    assert str(bundled("loan", deciduous.ID3Classifier)) == LOAN


def test_the_watermelons() -> None:
    assert str(bundled("watermelon3", deciduous.ID3Classifier)) == WATERMELONS


def test_the_penguins() -> None:
    assert str(bundled("penguins", deciduous.CARTClassifier, max_depth=2)) == PENGUINS


def test_numbers() -> None:
    assert str(deciduous.CARTRegressor().fit(X8, Y8).tree_) == NUMBERS


def test_rails_in_ascii_are_the_same_lines() -> None:
    table = deciduous.datasets.load("penguins")
    tree = deciduous.CARTClassifier().fit(table.X, table.y).tree_
    plain = tree.to_text(rails="ascii")
    assert plain.isascii()
    assert plain.translate(str.maketrans("+`|-", "├└│─")) == tree.to_text().translate(str.maketrans("-", "─"))
    with pytest.raises(deciduous.OptionError, match=r"rails='ascci' is not one of .* Did you mean 'ascii'\?"):
        tree.to_text(rails="ascci")


def test_a_tree_that_is_one_leaf() -> None:
    tree = deciduous.CARTClassifier().fit([[1], [1]], ["a", "a"]).tree_
    assert str(tree) == "cart tree for y: 2 rows, 1 leaf, depth 0\nall rows -> a: 2 rows: a 2 (100 %)"
    assert repr(tree) == "<Tree cart on 'y': 1 nodes, 1 leaves, depth 0>"


def test_a_tree_cut_off_shows_what_it_would_answer_and_what_is_hidden() -> None:
    tree = deciduous.CARTRegressor().fit(X8, Y8).tree_
    assert tree.to_text(max_depth=1).split("\n") == [
        "cart tree for y: 8 rows, 5 leaves, depth 3",
        "all rows: 8 rows, mean 6.188, variance 22.62",
        "├─ x0 <= 3.5 -> 1.5: 4 rows, mean 1.5, variance 0.25",
        "│     ... 2 more nodes hidden (2 leaves, 1 level)",
        "└─ x0 > 3.5 -> 10.88: 4 rows, mean 10.88, variance 1.047",
        "      ... 4 more nodes hidden (3 leaves, 2 levels)",
    ]
    assert tree.to_text(max_depth=0).split("\n")[1:] == [
        "all rows -> 6.188: 8 rows, mean 6.188, variance 22.62",
        "   ... 8 more nodes hidden (5 leaves, 3 levels)",
    ]
    assert tree.to_text(max_depth=3) == tree.to_text(max_depth=99) == tree.to_text()


@pytest.mark.parametrize("depth", range(5))
def test_what_is_shown_and_what_is_hidden_is_all_there_is(depth: int) -> None:
    tree = bundled("penguins", deciduous.CARTClassifier)
    text = tree.to_text(max_depth=depth)
    hidden = re.findall(r"\.\.\. (\d+) more nodes hidden \((\d+) leaves, (\d+) levels?\)", text)
    shown = text.count("\n") - len(hidden)
    assert shown + sum(int(nodes) for nodes, _, _ in hidden) == len(tree)
    assert depth + max((int(levels) for _, _, levels in hidden), default=0) == tree.max_depth


def test_different_thresholds_look_different() -> None:
    X = np.array([[0.3], [0.30001], [0.30002], [0.30003], [123456.5], [123456.75], [123457]])
    tree = deciduous.CARTRegressor().fit(X, [1, 2, 4, 8, 16, 32, 64]).tree_
    shown = re.findall(r"x0 <= (\S+?)(?: ->|:)", str(tree))
    thresholds = tree.threshold[~tree.is_leaf]
    assert len(set(shown)) == len(set(shown)) == len(np.unique(thresholds)) == 6
    assert np.allclose(sorted(map(float, shown)), np.sort(thresholds), rtol=1e-5)


@pytest.mark.parametrize("step", [1e-12, 1e-300, 2.0**-50])
def test_thresholds_next_to_each_other_look_different(step: float) -> None:
    base = 0.0 if step < 1e-100 else 1.0
    X = (base + step * np.arange(6)).reshape(-1, 1)
    tree = deciduous.CARTClassifier().fit(X, list("abcdef")).tree_
    shown = re.findall(r"x0 <= (\S+?)(?: ->|:)", str(tree))
    assert len(set(shown)) == len(shown) == 5


def test_more_digits() -> None:
    tree = deciduous.CARTRegressor(max_depth=0).fit(X8, Y8).tree_
    assert tree.to_text(digits=8).endswith("8 rows, mean 6.1875, variance 22.621094")


def test_weights_are_called_weights() -> None:
    text = str(deciduous.CARTRegressor(max_depth=1).fit(X8, Y8, sample_weight=[1, 2, 1, 1, 0.5, 1, 1, 1]).tree_)
    assert text.split("\n") == [
        "cart tree for y: 8 rows, weight 8.5, 2 leaves, depth 1",
        "all rows: 8 rows, weight 8.5, mean 5.353, variance 22.9",
        "├─ x0 <= 3.5 -> 1.4: 4 rows, weight 5, mean 1.4, variance 0.24",
        "└─ x0 > 3.5 -> 11: 4 rows, weight 3.5, mean 11, variance 1.071",
    ]


def test_class_weights_are_called_weights() -> None:
    text = str(deciduous.CARTClassifier(class_weight={"a": 3}).fit([[1], [2], [3]], ["a", "b", "b"]).tree_)
    assert text.split("\n")[:2] == [
        "cart tree for y: 3 rows, weight 5, 2 leaves, depth 1",
        "all rows: 3 rows, weight 5: a 3 (60 %), b 2 (40 %)",
    ]


def test_parts_of_rows_are_called_weight() -> None:
    X = pd.DataFrame({"a": ["u", "u", "u", "v", "v", None]})
    text = str(deciduous.C45Classifier().fit(X, list("ppprrr")).tree_)
    assert text.split("\n") == [
        "c45 tree for y: 6 rows, 2 leaves, depth 1",
        "all rows: 6 rows: p 3 (50 %), r 3 (50 %)",
        "├─ a = u -> p: 4 rows, weight 3.6: p 3 (83.3 %), r 0.6 (16.7 %)",
        "└─ a = v -> r: 3 rows, weight 2.4: r 2.4 (100 %)",
    ]


def test_missing_cells_have_a_place() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 8.0, 9.0, None, None]})
    y = list("ppqqrr")
    branch = str(deciduous.CARTClassifier(missing="branch", max_depth=1).fit(X, y).tree_)
    assert "a is missing -> r: 2 rows" in branch
    majority = str(deciduous.ID3Classifier(max_depth=1).fit(X, y).tree_)
    assert len(re.findall(r"a (?:<=|>) 5 or missing", majority)) == 1


def test_an_empty_branch_says_so() -> None:
    X = pd.DataFrame({"a": pd.Categorical(["u", "v", "u"], categories=["u", "v", "w"])})
    tree = deciduous.ID3Classifier().fit(X, list("pqp")).tree_
    assert "└─ a = w -> p: no rows, answers as its parent" in str(tree)
    assert tree.node(len(tree) - 1).reason == Reason.EMPTY


def test_many_categories_and_classes_are_cut_with_their_number() -> None:
    X = pd.DataFrame({"a": [f"k{i:02d}" for i in range(40)] * 2})
    y = ["low"] * 20 + ["high"] * 20
    text = str(deciduous.CARTClassifier(max_depth=1).fit(X, y * 2).tree_)
    assert text.count("k11, ... 8 more}") + text.count("k31, ... 8 more}") == 2
    tree = deciduous.CARTClassifier(max_depth=0).fit(np.zeros((20, 1)), [f"c{i:02d}" for i in range(20)]).tree_
    assert str(tree).endswith("c05 1 (5 %), and 14 more classes")


# --- hostile names -------------------------------------------------------------------------------------------------

CONTROL = ["a\nb", "a\rb", "a\tb", "a\x1b[31mb", "a\x00b", "a\u2028b", "a\u202eb", "a\x85b", "a\u200bb", "\x07"]


@pytest.mark.parametrize("name", CONTROL)
@pytest.mark.parametrize("place", ["column", "category", "class"])
def test_control_characters_cannot_break_lines(name: str, place: str) -> None:
    column = name if place == "column" else "c"
    X = pd.DataFrame({column: [name if place == "category" else "u", "v"] * 2})
    y = [name if place == "class" else "p", "q"] * 2
    tree = deciduous.ID3Classifier().fit(X, y).tree_
    lines = str(tree).split("\n")
    assert len(lines) == len(tree) + 1
    assert all(line.isprintable() for line in lines)
    assert name.encode("unicode_escape").decode() in str(tree)


@pytest.mark.parametrize("name", CONTROL)
def test_control_characters_in_the_name_of_the_target_cannot_break_lines(name: str) -> None:
    tree = deciduous.ID3Classifier().fit([["u"], ["v"]] * 2, pd.Series(["p", "q"] * 2, name=name)).tree_
    lines = str(tree).split("\n")
    assert len(lines) == len(tree) + 1
    assert all(line.isprintable() for line in lines)


def schema_and_working(name: str, place: str) -> list[str]:
    column = name if place == "column" else "c"
    X = pd.DataFrame({column: [name if place == "category" else "u", "v"] * 2})
    y = [name if place == "class" else "p", "q"] * 2
    model = deciduous.ID3Classifier().fit(X, y)
    return f"{model.schema_}\n{derivation_of(model.tree_, 0).to_text(width=10_000)}".split("\n")


@pytest.mark.parametrize("name", CONTROL)
@pytest.mark.parametrize("place", ["column", "category", "class"])
def test_control_characters_cannot_break_schema_and_working(name: str, place: str) -> None:
    lines = schema_and_working(name, place)
    assert len(lines) == len(schema_and_working("plain", place))
    assert all(line.isprintable() for line in lines)


def test_names_that_look_like_the_drawing_are_printed_as_they_are() -> None:
    X = pd.DataFrame({"├─ x -> y: 3 rows": ["= v", "in {a, b}"] * 2})
    text = str(deciduous.ID3Classifier().fit(X, ["{}", "%s"] * 2).tree_)
    assert "├─ ├─ x -> y: 3 rows = = v -> {}: 2 rows: {} 2 (100 %)" in text


# --- size ----------------------------------------------------------------------------------------------------------


def chain(levels: int) -> deciduous.Tree:
    """A regression tree that asks x0 <= 0, x0 <= 1, ... one below the other."""
    small = deciduous.CARTRegressor(keep_candidates=0).fit([[0], [1], [2]], [0.0, 1.0, 5.0]).tree_
    document: Any = json.loads(small.to_json())
    n = 2 * levels + 1
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    nodes = np.arange(n)
    parent = np.where(nodes == 0, -1, 2 * ((nodes - 1) // 2))
    rows = np.where(nodes % 2 == 1, 1, levels + 1 - nodes // 2)
    document["nodes"] |= {
        "parent": parent.tolist(),
        "first_child": np.where(inner, nodes + 1, -1).tolist(),
        "n_branches": np.where(inner, 2, 0).tolist(),
        "feature": np.where(inner, 0, -1).tolist(),
        "kind": np.where(inner, document["nodes"]["kind"][0], 0).tolist(),
        "threshold": [float(i // 2) if inner[i] else None for i in range(n)],
        "category_start": [0] * (n + 1),
        "category_branch": [],
        "share": [1.0, *np.where(nodes[1:] % 2 == 0, 1.0, 0.0).tolist()],
        "n_samples": rows.tolist(),
        "weight": rows.astype(float).tolist(),
        "impurity": [0.0] * n,
        "gain": [0.5 if inner[i] else None for i in range(n)],
        "value": nodes.astype(float).tolist(),
        "class_start": [0] * (n + 1),
        "class_code": [],
        "class_weight": [],
        "answers_from": nodes.tolist(),
        "reason": np.where(inner, int(Reason.SPLIT), int(Reason.PURE)).tolist(),
        "exact": [True] * n,
    }
    document["candidates"] = None
    return deciduous.Tree.from_json(json.dumps(document))


def test_a_chain_of_three_thousand_levels_is_printed_quickly_and_narrowly() -> None:
    tree = chain(3000)
    assert (len(tree), tree.max_depth) == (6001, 3000)
    started = time.perf_counter()
    text = str(tree)
    assert time.perf_counter() - started < 10
    lines = text.split("\n")
    assert len(lines) == len(tree) + 1
    assert max(map(len, lines)) < 200
    assert [int(d) for d in re.findall(r"^\[(\d+)\]", text, re.MULTILINE)][::2] == list(range(24, 3000, 24))


def test_the_size_of_the_text_grows_with_the_tree_and_not_faster() -> None:
    sizes = [len(str(chain(levels))) / levels for levels in (500, 2000)]
    assert sizes[1] < 1.2 * sizes[0]


def test_a_deep_tree_is_read_saved_and_walked_without_recursion() -> None:
    tree = chain(3000)
    assert deciduous.Tree.from_json(tree.to_json()).to_json() == tree.to_json()
    assert len(tree.path(6000)) == 3001
    assert tree.to_text(max_depth=2).count("\n") == 6
    assert len(tree.nodes()) == 6001


# --- numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (-3.0, "-3"),
        (1234567.0, "1234567"),
        (0.12345678, "0.1235"),
        (1.5, "1.5"),
        (12.3456, "12.35"),
        (123456.75, "123456.8"),
        (1e-9, "1e-09"),
        (2 / 3, "0.6667"),
    ],
)
def test_numbers_keep_four_digits_and_whole_numbers_all(value: float, text: str) -> None:
    assert significant(value) == text


def test_a_huge_number_is_short() -> None:
    assert len(significant(1e300)) < 12


@pytest.mark.parametrize("value", [1e15, 1e16, 1e22, 123456789012345678.0, 0.1 + 0.2, 5e-324, 1e308, 2.0**60])
def test_numbers_are_never_wrong_by_more_than_their_digits(value: float) -> None:
    assert float(significant(value)) == pytest.approx(value, rel=5e-4)
    assert float(significant(value, 17)) == value


@pytest.mark.parametrize(
    ("value", "text"), [(0.970951, "0.9710"), (0.0, "0.0000"), (float("nan"), ""), (2e-7, "2.00e-07")]
)
def test_figures_have_four_decimals(value: float, text: str) -> None:
    assert figure(value) == text


def test_sets_of_categories() -> None:
    assert among(["a"]) == "= a"
    assert among([1, 2.5, True]) == "in {1, 2.5, True}"
    assert among(map(str, range(14))).endswith("11, ... 2 more}")


def test_a_frame_of_the_nodes() -> None:
    frame = bundled("loan", deciduous.ID3Classifier).nodes()
    assert frame["condition"].to_list() == [
        None,
        "Owns House = No",
        "Owns House = Yes",
        "Employed = No",
        "Employed = Yes",
    ]
    assert frame["weight of Yes"].to_list() == [9.0, 3.0, 6.0, 0.0, 3.0]
    assert frame["reason"].to_list() == ["split", "split", "pure", "pure", "pure"]


def test_warnings_name_the_column() -> None:
    with pytest.warns(deciduous.DataWarning, match="column 'a' has a different value in each of the 4 rows"):
        deciduous.ID3Classifier().fit(pd.DataFrame({"a": list("wxyz")}), list("ppqq"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        deciduous.ID3Classifier(kinds={"a": "nominal"}).fit(pd.DataFrame({"a": list("wxyz")}), list("ppqq"))
