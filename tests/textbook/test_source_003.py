"""Document 003, "决策树": notes on chapter 4 of Zhou's book. Its figures and its split of the training rows are right.

Its errata: Ent is called cross entropy (it is Shannon's), and Gain(A, a) should be Gain(D, a).
"""

import math
from functools import cache
from itertools import pairwise

import pytest

from deciduous import C45Classifier, ID3Classifier, conditional_entropy, datasets, entropy, information_gain
from deciduous.explain.working import working_of
from tests.textbook.figures import Figure, branch_working, feature_working, parametrize, questions

MELONS = datasets.load("watermelon2")
GOOD = MELONS.y.to_list()
COLOUR = MELONS.frame["色泽"].to_list()


@cache
def id3(name: str = "watermelon2", first: str = "色泽") -> ID3Classifier:
    """Return the tree of a table whose features are put in an order that decides ties for `first`."""
    data = datasets.load(name)
    return ID3Classifier().fit(data.X.select(first, *(c for c in data.X.columns if c != first)), data.y)


@parametrize(
    [
        Figure("Ent(D)", "0.998", lambda: entropy(GOOD), lambda: working_of(id3().tree_).entropy),
        # Ent'(D) is written out and not worked out; Zhou prints Ent(D) - Ent'(D) = 0.109 and its parts.
        Figure(
            "Ent'(D)",
            "0.889",
            lambda: conditional_entropy(COLOUR, GOOD),
            lambda: feature_working(id3(), "色泽").conditional_entropy,
        ),
        Figure("green", "1.000", lambda: entropy(p=[3, 3]), lambda: branch_working(id3(), "色泽 = 青绿").entropy),
        Figure("black", "0.918", lambda: entropy(p=[4, 2]), lambda: branch_working(id3(), "色泽 = 乌黑").entropy),
        Figure("pale", "0.722", lambda: entropy(p=[1, 4]), lambda: branch_working(id3(), "色泽 = 浅白").entropy),
    ]
)
def test_figure(figure: Figure) -> None:
    figure.check()


@pytest.mark.parametrize(
    ("value", "rows", "good"), [("青绿", 6, 3), ("乌黑", 6, 4), ("浅白", 5, 1)], ids=["green", "black", "pale"]
)
def test_counts_of_the_example(value: str, rows: int, good: int) -> None:
    branch = branch_working(id3(), f"色泽 = {value}")
    assert (branch.weight, branch.class_weights) == (rows, {"是": good, "否": rows - good})


@pytest.mark.parametrize("classes", [1, 2, 3, 10, 17])
def test_best_and_worst_entropy(classes: int) -> None:
    """0 where one class has probability 1, log2 |Y| where all have the same."""
    assert entropy(p=[1] + [0] * (classes - 1)) == 0
    assert entropy(p=[1 / classes] * classes) == pytest.approx(math.log2(classes), rel=1e-12)


@pytest.mark.parametrize("feature", MELONS.X.columns, ids=datasets.load("watermelon2", english=True).X.columns)
def test_gain_of_d(feature: str) -> None:
    """Gain(D, a): printed as Gain(A, a)."""
    column = MELONS.frame[feature].to_list()
    by_hand = entropy(GOOD) - conditional_entropy(column, GOOD)
    assert information_gain(column, GOOD) == pytest.approx(by_hand, rel=1e-12)
    assert feature_working(id3(), feature).gain == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize(
    ("navel", "good", "bad"),
    [("凹陷", {1, 2, 3}, {14}), ("稍凹", {6, 7}, {15, 17}), ("平坦", set(), {10, 16})],
    ids=["sunken", "slightly sunken", "flat"],
)
def test_split_of_the_training_rows(navel: str, good: set[int], bad: set[int]) -> None:
    """凹陷 (1, 2, 3), 14; 稍凹 (6, 7), 15, 17; 平坦 10, 16: the rows of the children of 脐部, good ones bracketed."""
    training = datasets.load("watermelon2_train")
    estimator = id3("watermelon2_train", first="脐部")
    root = estimator.tree_.node(0)
    child = root.children[training.frame["脐部"].dtype.categories.to_list().index(navel)]
    passes = estimator.decision_path(training.X).toarray()[:, child.index].astype(bool)
    here = training.frame.filter(passes)
    assert root.feature == "脐部"
    assert set(here.filter(here["好瓜"] == "是")["编号"].to_list()) == good
    assert set(here.filter(here["好瓜"] == "否")["编号"].to_list()) == bad


def test_threshold_is_the_one_of_largest_gain() -> None:
    """连续值: of the midpoints, the one that gains most."""
    melons = datasets.load("watermelon3")
    values = sorted(melons.frame["密度"].to_list())
    midpoints = [(a + b) / 2 for a, b in pairwise(values)]
    gains = [information_gain([x <= t for x in melons.frame["密度"]], melons.y.to_list()) for t in midpoints]
    kept = id3("watermelon3").tree_.node(0).candidates[6]
    assert kept.split.threshold == pytest.approx(midpoints[gains.index(max(gains))], rel=1e-12)
    assert kept.gain == pytest.approx(max(gains), rel=1e-12)
    assert kept.tried == len(midpoints)


def test_numbers_can_be_asked_for_again() -> None:
    """连续属性可以不断划分."""
    tree = ID3Classifier().fit({"x": [1, 2, 3, 4]}, ["a", "b", "b", "a"]).tree_
    assert questions(tree.node(0)) == {"x": {"<= 1.5": "a", "> 1.5": {"x": {"<= 3.5": "b", "> 3.5": "a"}}}}


def test_categories_are_not_asked_for_again() -> None:
    """离散值重复划分是无效的: below a question, one value is left of the column."""
    tree = id3().tree_
    paths = [[tree.node(i).feature for i in tree.path(leaf)[:-1]] for leaf in tree.is_leaf.nonzero()[0].tolist()]
    assert all(len(set(path)) == len(path) for path in paths)
    assert information_gain(["青绿"] * 6, ["是", "否"] * 3) == 0


@pytest.mark.parametrize(
    ("feature", "known", "good"),
    [("色泽", 14, 6), ("根蒂", 15, 8), ("敲声", 15, 7), ("纹理", 15, 7), ("脐部", 15, 7), ("触感", 15, 7)],
    ids=["colour", "root", "sound", "texture", "navel", "touch"],
)
def test_known_subset(feature: str, known: int, good: int) -> None:
    """D~ are the rows where a is known, D~^k those of class k; the share of D~ is rho (data 2.0-alpha)."""
    melons = datasets.load("watermelon2a")
    estimator = C45Classifier(criterion="gain").fit(melons.X, melons.y)
    shown = feature_working(estimator, feature)
    inside = melons.frame.filter(melons.frame[feature].is_not_null())
    assert shown.known_share == pytest.approx(known / 17, rel=1e-12)
    assert len(inside) == sum(branch.weight for branch in shown.branches) == known
    assert (inside["好瓜"] == "是").sum() == sum(branch.class_weights["是"] for branch in shown.branches) == good
