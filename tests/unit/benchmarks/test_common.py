"""What the benchmarks share: comparing trees, making data, limits of time."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from common import data, trees
from common.contest import Limits, contest
from common.peers import OURS, peer_class
from common.tables import table
from common.workload import Workload, read, write

TWO = Workload("two classes", "floats", 60, 4, 2)
Y = np.array([0, 0, 0, 1, 1, 1])


def test_trees_that_send_the_same_rows_together_are_the_same() -> None:
    assert trees.verdict(TWO, Y, np.array([3, 3, 3, 4, 4, 5]), np.array([9, 9, 9, 0, 0, 1]), "gini") == "same tree"


def test_trees_as_pure_are_told_from_the_same() -> None:
    ours, theirs = np.array([1, 1, 2, 3, 3, 3]), np.array([1, 1, 1, 2, 2, 2])
    assert trees.verdict(TWO, Y, ours, theirs, "gini") == "same impurity, 3 leaves of ours"
    assert trees.verdict(TWO, Y, ours, theirs, "entropy") == "same impurity by entropy, 3 leaves of ours"


def test_trees_that_differ_say_by_how_much() -> None:
    ours, theirs = np.array([1, 1, 1, 2, 2, 2]), np.array([1, 1, 2, 2, 2, 2])
    assert trees.verdict(TWO, Y, ours, theirs, "gini") == "differs: impurity 0.25, ours 0 in 2 leaves"


def test_the_impurity_left_in_leaves() -> None:
    classes, numbers = np.array([1, 0, 1, 1, 1]), np.array([5.0, 1.0, 7.0, 1.0, 4.0])
    leaves = np.array([7, 8, 7, 8, 8])  # {1, 1} and {0, 1, 1}; {5, 7} and {1, 1, 4}
    assert trees.leaf_impurity(leaves, classes, "gini") == pytest.approx(3 / 5 * (1 - 1 / 9 - 4 / 9))
    entropy = -(1 / 3 * math.log2(1 / 3) + 2 / 3 * math.log2(2 / 3))
    assert trees.leaf_impurity(leaves, classes, "entropy") == pytest.approx(3 / 5 * entropy)
    assert trees.leaf_impurity(leaves, numbers, "squared_error") == pytest.approx((1 + 1 + 1 + 1 + 4) / 5)
    assert trees.leaf_impurity(leaves, numbers, "absolute_error") == pytest.approx((1 + 1 + 0 + 0 + 3) / 5)


@pytest.mark.parametrize("maker", sorted(set(data.MAKERS) - {"iris"}))
def test_the_same_data_again(maker: str, tmp_path: Path) -> None:
    work = Workload(maker, maker, 500, 6, 2, queries=50, task="predict")
    made = data.make(work)
    write(tmp_path, work, made)
    again, kept = read(tmp_path)
    assert again == work
    assert kept.nominal == made.nominal
    np.testing.assert_array_equal(kept.X, data.make(work).X)
    np.testing.assert_array_equal(kept.y, made.y)
    assert kept.X.shape == (500, 6)
    assert kept.queries is not None
    assert kept.queries.shape == (50, 6)
    assert len(np.unique(made.y)) == 2
    assert np.isnan(kept.X).any() == maker.endswith("missing")


def test_floats_have_no_ties_and_are_float32() -> None:
    X = data.make(Workload("", "floats", 300_000, 3, 2)).X
    for column in X.T:
        assert len(np.unique(column)) == len(column)
    np.testing.assert_array_equal(X, X.astype(np.float32))


def test_a_contestant_that_exceeds_the_limit_is_stopped_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    code = 'import time; print(\'{"version": "1"}\', flush=True); time.sleep(60)'
    cls = peer_class("scikit-learn")
    monkeypatch.setattr(cls, "command", classmethod(lambda *_: [sys.executable, "-c", code]))
    (entry,) = contest(TWO, ["scikit-learn"], Limits(rounds=3, seconds=0.2))
    assert entry.seconds == []
    assert entry.reason == "stopped: over 1 s a run"


def test_a_contestant_whose_process_dies_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    cls = peer_class("scikit-learn")
    monkeypatch.setattr(cls, "command", classmethod(lambda *_: [sys.executable, "-c", "raise SystemExit(3)"]))
    (entry,) = contest(TWO, ["scikit-learn"], Limits(rounds=3, seconds=20))
    assert entry.reason == "its process ended (3)"


@pytest.mark.slow
def test_runs_are_counted_and_compared() -> None:
    ours, peer = contest(TWO, [OURS, "scikit-learn"], Limits(rounds=3, seconds=60))
    assert len(ours.seconds) == len(peer.seconds) == 3
    assert ours.median == sorted(ours.seconds)[1]
    assert ours.leaves is not None
    assert peer.tree.startswith("same")


def test_ratios_of_a_table() -> None:
    def entry(name: str, median: float | None, reason: str = "") -> dict[str, object]:
        runs = [] if median is None else [median]
        return {
            "name": name,
            "median": median,
            "seconds": runs,
            "peak": 1920,
            "leaves": 9,
            "tree": "",
            "reason": reason,
        }

    entries = [entry(OURS, 0.5), entry("scikit-learn", 2.0), entry("rpart", None, "no R")]
    text = table({"workload": {"rows": 60, "columns": 4, "queries": 0}, "entries": entries})
    head, _, ours, peer, absent = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert head[3:5] == ["scikit-learn / it", "it / ours"]
    assert ours[1:6] == ["0.50 s", "1", "4.0", "1.0", "0 MiB (1.0)"]
    assert peer[1:5] == ["2.00 s", "1", "1.0", "4.0"]
    assert absent[-1] == "no R"
