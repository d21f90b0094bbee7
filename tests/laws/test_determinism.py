"""The same data and options give the same tree to the last digit, in one process and in others of other hash seeds."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
from hypothesis import given

from tests.laws.trees import STRUCTURE
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
    flat = set(STRUCTURE) - {"parent", "first_child", "answers_from"}
    for name in [*flat, "weight", "impurity", "gain", "value", "share"]:
        one, other = getattr(levels, name), getattr(best, name)
        if len(one) == len(levels):
            assert np.array_equal(one, other[order], equal_nan=name in ("threshold", "gain")), name


@given(tasks())
def test_fewer_leaves_are_a_part_of_more(task: tuple[type, Small, dict[str, Any]]) -> None:
    """Best first: the tree of at most n leaves is what the tree of more leaves began with."""
    estimator, table, chosen = task
    sizes = []
    for most in (2, 4, 9):
        tree = fit(estimator, table, **chosen, max_leaf_nodes=most).tree_
        assert tree.n_leaves <= most
        sizes.append(tree.n_leaves)
    assert sizes == sorted(sizes)
