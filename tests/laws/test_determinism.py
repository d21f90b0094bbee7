"""The same data and options give the same tree to the last digit, in one process and in others of other hash seeds."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
from hypothesis import given

from deciduous.model.tree import ARRAYS
from tests.strategies import Small, fit, tasks

GROW_MANY = """
import warnings
import numpy as np
import deciduous as dd

generator = np.random.default_rng(0)
n = 40
words = [f"{a}{b}" for a in "xyz" for b in "αβ"]
rows = [
    {
        "number": None if generator.random() < 0.1 else float(generator.integers(9)),
        "text": None if generator.random() < 0.1 else words[generator.integers(6)],
        "truth": bool(generator.integers(2)),
    }
    for _ in range(n)
]
classes = [words[code] for code in generator.integers(3, size=n)]
numbers = generator.integers(5, size=n).astype(float)
weights = generator.random(n)
for estimator in (dd.ID3Classifier, dd.C45Classifier, dd.CARTClassifier, dd.CARTRegressor):
    for missing, leaves in (("majority", 9), ("branch", None), ("direction", 9), ("fractional", None)):
        y = numbers if estimator is dd.CARTRegressor else classes
        tree = estimator(missing=missing, max_leaf_nodes=leaves).fit(rows, y, weights).tree_
        tree.check()
        print(tree.to_text())
        print(tree.to_json())
"""


def test_hash_seeds() -> None:
    """Sets and dicts of text have another order under another hash seed; nothing may depend on it."""
    printed = set()
    for seed in ("0", "4242"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", GROW_MANY], env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        printed.add(done.stdout)
    assert len(printed) == 1
    assert printed.pop().count("├─ ".encode()) > 100


@given(tasks(zero_weights=True))
def test_fitting_twice(task: tuple[type, Small, dict[str, Any]]) -> None:
    """Nothing is left over from a fit: not in the estimator, and not in the data."""
    estimator, table, chosen = task
    model = fit(estimator, table, **chosen)
    before = table.X.copy(), model.tree_.to_json()
    assert fit(estimator, table, **chosen).tree_.to_json() == before[1]
    y = table.target(model.tree_.task)
    assert model.fit(table.X, y, table.sample_weight).tree_.to_json() == before[1]
    assert table.X.equals(before[0])


@given(tasks())
def test_best_first_without_a_limit(task: tuple[type, Small, dict[str, Any]]) -> None:
    """In which order nodes are split changes their numbers and nothing else."""
    estimator, table, chosen = task
    levels = fit(estimator, table, **chosen).tree_
    best = fit(estimator, table, **chosen, max_leaf_nodes=10_000).tree_
    twin = {0: 0}
    for node in range(len(levels)):
        first, other = levels.first_child[node], best.first_child[twin[node]]
        twin |= {int(first) + b: int(other) + b for b in range(levels.n_branches[node])}
    order = [twin[node] for node in range(len(levels))]
    assert len(best) == len(levels)
    one_a_node = ("n_branches", "feature", "kind", "threshold", "share", "n_samples", "weight", "impurity", "gain")
    for name in (*one_a_node, "value", "reason", "exact"):
        one, other = getattr(levels, name), getattr(best, name)
        assert np.array_equal(one, other[order], equal_nan=ARRAYS[name] is np.float64), name
    for node, other in twin.items():
        assert np.array_equal(levels.split(node).category_branch, best.split(other).category_branch)
        assert levels.node(node).class_weights == best.node(other).class_weights


@given(tasks())
def test_fewer_leaves_are_a_part_of_more(task: tuple[type, Small, dict[str, Any]]) -> None:
    """Best first: a tree of few leaves is what the tree of more began with, where all splits have two branches."""
    estimator, table, chosen = task
    few, more = (fit(estimator, table, **chosen, max_leaf_nodes=most).tree_ for most in (4, 9))
    assert few.n_leaves <= 4
    assert few.n_leaves <= more.n_leaves <= 9
    if max(*few.n_branches, *more.n_branches) > 2:
        return
    inner = np.flatnonzero(~few.is_leaf)
    assert np.array_equal(few.n_samples, more.n_samples[: len(few)])
    for name in ("feature", "first_child", "threshold", "gain"):
        assert np.array_equal(getattr(few, name)[inner], getattr(more, name)[inner], equal_nan=name == "threshold"), (
            name
        )
