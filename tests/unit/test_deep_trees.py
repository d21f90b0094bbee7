"""Chains: trees as deep as they have questions are loaded, checked, walked, printed and explained without recursion."""

from __future__ import annotations

from collections import deque
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import deciduous
from deciduous import CARTClassifier, kernels
from deciduous.data.table import Table
from deciduous.explain.derivation import derivation_of
from deciduous.explain.working import working_of
from deciduous.model.io import load, save
from deciduous.model.labels import Conditions
from deciduous.model.route import route
from deciduous.model.text import lines_of
from deciduous.model.tree import ARRAYS, Tree
from tests.chains import chain

DEEP, DEEPEST = 20_000, 1_000_000
SLOW = pytest.mark.slow


@pytest.fixture(scope="module", params=[DEEP, pytest.param(DEEPEST, marks=SLOW)], ids="{:,} levels".format)
def tree(request: pytest.FixtureRequest) -> Tree:
    return chain(request.param)


def rows_and_leaves(levels: int) -> tuple[np.ndarray, list[int]]:
    """Return some rows of a chain, and the nodes where they must end."""
    return np.array([0, 1, levels // 2, levels - 1, levels]), [1, 3, levels // 2 * 2 + 1, 2 * levels - 1, 2 * levels]


def test_it_agrees_with_itself_and_knows_its_size(tree: Tree) -> None:
    tree.check()
    levels = len(tree) // 2
    assert repr(tree) == f"<Tree cart on 'y': {2 * levels + 1} nodes, {levels + 1} leaves, depth {levels}>"
    assert tree.path(2 * levels) == list(range(0, 2 * levels + 1, 2))
    assert tree.mean_tests == pytest.approx((levels * (levels + 1) / 2 + levels) / (levels + 1))


def test_its_file_gives_it_back(tree: Tree, tmp_path: Path) -> None:
    save(tree, tmp_path / "chain.json")
    again = load(tmp_path / "chain.json")
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(again, name), getattr(tree, name))


@pytest.mark.parametrize("use", ["native", "numpy"])
def test_rows_find_their_leaves(tree: Tree, use: str) -> None:
    rows, leaves = rows_and_leaves(len(tree) // 2)
    with kernels.use(use):
        arrivals = route(tree, Table.encode_like(rows[:, None].astype(float), tree.schema))
    assert arrivals.nodes.tolist() == leaves


def test_a_loaded_estimator_answers(tree: Tree, tmp_path: Path) -> None:
    levels = len(tree) // 2
    save(tree, tmp_path / "chain.json")
    estimator = deciduous.load(tmp_path / "chain.json")
    rows, leaves = rows_and_leaves(levels)
    X = rows[:, None].astype(float)
    assert estimator.predict(X).tolist() == ["ab"[row % 2] for row in rows]
    assert estimator.predict_proba(X).tolist() == [[1 - row % 2, row % 2] for row in rows]
    assert estimator.apply(X).tolist() == leaves
    assert estimator.get_depth() == levels
    assert estimator.get_n_leaves() == levels + 1
    assert estimator.feature_importances_.tolist() == [1.0]
    path = estimator.decision_path(X)
    assert np.diff(path.indptr).tolist() == [2, 3, levels // 2 + 2, levels + 1, levels + 1]
    assert path[4].indices.tolist() == list(range(0, 2 * levels + 1, 2))


def test_its_text_has_a_short_line_a_node(tree: Tree) -> None:
    levels, widest, n_lines = len(tree) // 2, 0, 0
    last: deque[str] = deque(maxlen=1)
    for line in lines_of(tree):
        widest, n_lines = max(widest, len(line)), n_lines + 1
        last.append(line)
    assert n_lines == len(tree) + 1
    assert widest < 200
    assert last[0].endswith(f"└─ x0 > {levels - 0.5:.1f} -> {'ab'[levels % 2]}: 1 row: {'ab'[levels % 2]} 1 (100 %)")


def test_its_text_may_be_cut_off(tree: Tree) -> None:
    levels = len(tree) // 2
    lines = tree.to_text(max_depth=3).splitlines()
    assert len(lines) == 1 + 7 + 1
    hidden = f"... {2 * (levels - 3)} more nodes hidden ({levels - 2} leaves, {levels - 3} levels)"
    assert lines[-1].strip() == hidden
    assert list(islice(lines_of(tree), 7)) == lines[:7]


def test_its_frame_has_a_row_a_node(tree: Tree) -> None:
    levels, frame = len(tree) // 2, tree.nodes()
    assert frame.height == len(tree)
    assert frame.row(-1, named=True) == {
        "node": 2 * levels,
        "parent": 2 * levels - 2,
        "depth": levels,
        "condition": f"x0 > {levels - 0.5:.1f}",
        "feature": None,
        "threshold": None,
        "n_samples": 1,
        "weight": 1.0,
        "impurity": 0.0,
        "gain": None,
        "prediction": "ab"[levels % 2],
        "reason": "pure",
        "weight of a": 1.0 - levels % 2,
        "weight of b": 0.0 + levels % 2,
    }


def test_the_conditions_on_the_way_to_its_last_leaf(tree: Tree) -> None:
    path = Conditions(tree).path(len(tree) - 1)
    assert len(path) == len(tree) // 2
    assert (path[0], path[-1]) == ("x0 > 0.5", f"x0 > {len(tree) // 2 - 0.5:.1f}")


@pytest.mark.parametrize(
    ("levels", "use"),
    [(1_000, "native"), (300, "numpy"), pytest.param(20_000, "native", marks=SLOW)],
)
def test_a_chain_is_grown(levels: int, use: str) -> None:
    """Of classes in turn the best cut takes one row off, at either end alike, and the first of equals is taken.

    Between n rows, half of them of each class, a cut after k rows, k odd, gains 1 / (2 k (n - k)), one after an even k
    nothing; between n rows, n odd, a cut after an odd k gains (n - k) / (2 k n^2), one after an even k as much as its
    mirror image.
    """
    X, y = np.arange(levels + 1.0)[:, None], np.array(["a", "b"])[np.arange(levels + 1) % 2]
    with kernels.use(use):
        model = CARTClassifier(keep_candidates=3 * levels).fit(X, y)
        assert model.apply(X).tolist() == [*range(1, 2 * levels, 2), 2 * levels]
    grown, built = model.tree_, chain(levels)
    grown.check()
    for name in ARRAYS:
        np.testing.assert_allclose(getattr(grown, name), getattr(built, name), rtol=1e-9, atol=1e-12, err_msg=name)
    last = working_of(grown, 2 * levels - 2)
    assert len(last.path) == levels - 1
    text = derivation_of(grown, 2 * levels - 2).to_text()
    assert "x0 > 0.5 and " in text
    assert len(text) < 2_000
