"""Random splits and sampled columns: one seed, one tree; and every choice as likely as it should be."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

from deciduous import CARTClassifier, CARTRegressor
from deciduous.search.draw import column_keys
from deciduous.search.random_split import drawn_one, drawn_subset, drawn_threshold, missing_goes_left
from tests.laws.trees import same_tree

LEAST = 0.001  # of the probability of a worse chi-square: the seeds are fixed, so that this fails for good or never
CHOICES: list[dict[str, Any]] = [
    {"splitter": "random"},
    {"max_features": 2},
    {"splitter": "random", "max_features": "sqrt", "criterion": "entropy"},
    {"splitter": "random", "max_features": 0.5, "nominal": "one_vs_rest", "missing": "branch"},
    {"splitter": "random", "nominal": "multiway", "missing": "majority", "threshold": "data"},
    {"splitter": "random", "missing": "fractional", "max_leaf_nodes": 12},
]
NUMBERS: list[dict[str, Any]] = [
    {"criterion": criterion, "splitter": "random", "max_features": 2}
    for criterion in ("squared_error", "absolute_error", "poisson")
]


def table(seed: int = 0, n: int = 90) -> tuple[pd.DataFrame, Any, Any]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(2),
            "b": rng.integers(0, 9, n).astype(float),
            "c": rng.choice(list("uvwxyz"), n),
            "d": pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True),
        }
    )
    score = frame["a"] + (frame["c"] == "u") + rng.normal(size=n)
    holes = rng.random((n, 2)) < 0.1
    frame["a"], frame["c"] = frame["a"].mask(holes[:, 0]), frame["c"].mask(holes[:, 1])
    return frame, np.where(score > 0.3, "yes", "no"), score.abs().round(1).to_numpy()


def grown(options: dict[str, Any], rows: Any = slice(None), **more: Any) -> Any:
    frame, classes, numbers = table()
    number = options.get("criterion") in ("squared_error", "absolute_error", "poisson")
    estimator, y = (CARTRegressor, numbers) if number else (CARTClassifier, classes)
    model = estimator(**options, **more).fit(frame.iloc[rows], y[rows])
    model.tree_.check()
    return model.tree_


@pytest.mark.parametrize("options", [*CHOICES, *NUMBERS], ids=str)
def test_one_seed_one_tree(options: dict[str, Any]) -> None:
    tree = grown(options, random_state=5)
    same_tree(tree, grown(options, random_state=5, n_jobs=2))
    same_tree(tree, grown(options, np.random.default_rng(1).permutation(90), random_state=5))
    same_tree(grown(options), grown(options, random_state=0))  # no seed is the seed 0
    assert len({grown(options, random_state=seed).to_text() for seed in range(4)}) == 4


def test_growing_best_first_draws_the_same() -> None:
    """What a node draws hangs on its path, not on when it is split."""
    for options in ({"splitter": "random"}, {"max_features": 1}):
        level, best_first = (grown(options, max_leaf_nodes=leaves).to_text() for leaves in (None, 1000))
        assert level == best_first


def test_a_generator_gives_a_seed() -> None:
    frame, y, _ = table()
    trees = [
        CARTClassifier(max_features=1, random_state=state).fit(frame, y).tree_
        for state in (np.random.default_rng(3), np.random.default_rng(3), np.random.RandomState(3))
    ]
    same_tree(*trees[:2])
    assert isinstance(trees[2].options["random_state"], int)


@pytest.mark.parametrize("max_features", [None, 1.0, 4, 99])
def test_all_columns_and_best_splits_leave_nothing_to_chance(max_features: Any) -> None:
    same_tree(grown({}), grown({"max_features": max_features, "random_state": 8}))


@pytest.mark.parametrize(("max_features", "looks"), [(1, 1), (3, 3), ("sqrt", 2), (0.5, 2)])
def test_how_many_columns_a_node_looks_at(max_features: Any, looks: int) -> None:
    for seed in range(5):
        tree = grown({"max_features": max_features, "random_state": seed})
        for node in tree:
            verdicts = [candidate.verdict for candidate in node.candidates]
            if verdicts:
                looked = [v for v in verdicts if v != "not looked at"]
                found = [v for v in looked if v not in ("constant", "no known cell", "limits")]
                assert len(looked) == looks or (len(looked) > looks and len(found) <= 1)
                assert found or len(looked) == 4


def test_a_node_looks_on_past_constant_columns() -> None:
    rng = np.random.default_rng(0)
    X = np.zeros((40, 8))
    X[:, 5] = rng.normal(size=40)
    for seed in range(20):
        model = CARTClassifier(max_features=1, random_state=seed).fit(X, X[:, 5] > 0)
        assert model.get_n_leaves() == 2


def test_every_column_is_as_likely() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5)), rng.normal(size=30)
    trees = [CARTRegressor(max_features=1, random_state=seed, max_depth=2).fit(X, y).tree_ for seed in range(400)]
    root = np.array([tree.feature[0] for tree in trees])
    assert chisquare(np.bincount(root, minlength=5)).pvalue > LEAST
    below = np.array([tree.feature[1] for tree in trees])
    pairs = np.bincount((root * 5 + below)[below >= 0], minlength=25)
    assert chisquare(pairs).pvalue > LEAST  # the choice of a child does not hang on that of its parent


def test_thresholds_are_uniform() -> None:
    keys = column_keys(np.arange(4000, dtype=np.uint64), [0])[:, 0].tolist()
    drawn = np.array([drawn_threshold(-2.0, 6.0, key) for key in keys])
    assert ((drawn >= -2) & (drawn < 6)).all()
    assert chisquare(np.histogram(drawn, bins=16, range=(-2, 6))[0]).pvalue > LEAST
    assert abs(np.mean([missing_goes_left(key) for key in keys]) - 0.5) < 0.03
    assert abs(np.corrcoef(drawn, [missing_goes_left(key) for key in keys])[0, 1]) < 0.06
    assert drawn_threshold(-1.5e308, 1.5e308, keys[0]) < 1.5e308
    near = np.nextafter(1.0, 2)
    assert {drawn_threshold(1.0, near, key) for key in keys[:50]} == {1.0}


def test_thresholds_of_trees_are_uniform_between_least_and_largest() -> None:
    rng = np.random.default_rng(1)
    x, y = np.append(rng.exponential(size=58), [0.0, 9.0]), rng.normal(size=60)
    roots = [CARTRegressor(splitter="random", max_depth=1, random_state=s).fit(x[:, None], y).tree_ for s in range(300)]
    thresholds = [tree.threshold[0] for tree in roots]
    assert chisquare(np.histogram(thresholds, bins=6, range=(0, 9))[0]).pvalue > LEAST


def test_every_division_of_categories_is_as_likely() -> None:
    keys = column_keys(np.arange(2100, dtype=np.uint64), [3])[:, 0].tolist()
    items = np.array([0, 2, 5, 6])
    codes = [sum(1 << i for i, left in enumerate(drawn_subset(items, key)) if left) for key in keys]
    assert {0, 15} & set(codes) == set()
    assert chisquare(np.bincount(codes, minlength=15)[1:]).pvalue > LEAST
    assert chisquare(np.bincount([drawn_one(items, key) for key in keys], minlength=4)).pvalue > LEAST
