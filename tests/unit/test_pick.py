"""Limits on candidates, their gains, and the tie rule."""

from typing import Any

import numpy as np
import pytest

from deciduous import measures
from deciduous.criteria import CRITERIA
from deciduous.search.contingency import Contingency, Rule, weight_of
from deciduous.search.conventions import first_best
from deciduous.search.pick import Candidates, allowed, gains, known_share, score_of, split_information

INF = float("inf")


def rule(criterion: str = "gini", task: Any = "class", missing: str = "error", **limits: Any) -> Rule:
    return Rule(CRITERIA[task, criterion], missing, "subset", band=1e-10, **limits)


def contingency(known: Any = ((1, 1),), missing: Any = (0, 0), n_missing: int = 0) -> Contingency:
    return Contingency(np.array(known, float), np.ones(len(known), dtype=np.int64), np.array(missing, float), n_missing)


def candidates(*weights: Any, counts: Any = None) -> Candidates:
    tables = np.array([[[w, 0.0] for w in line] for line in weights])
    return Candidates(tables, np.array(weights if counts is None else counts, dtype=np.int64))


@pytest.mark.parametrize(
    ("limits", "keep"),
    [
        ({}, [True, True, True, True, False]),
        ({"min_samples_leaf": 2}, [False, True, True, True, False]),
        ({"min_samples_leaf": 3}, [False, False, True, False, False]),
        ({"min_weight_leaf": 2.0}, [False, True, True, True, False]),
        ({"min_weight_leaf": 2.0 * (1 + 1e-11)}, [False, True, True, True, False]),
        ({"min_weight_leaf": 2.1}, [False, False, True, False, False]),
        ({"min_cases": 2.0}, [True, True, True, True, False]),
        ({"min_cases": 3.0}, [True, False, True, False, False]),
        ({"min_cases": 3.0 * (1 + 1e-11)}, [True, False, True, False, False]),
    ],
)
def test_limits(limits: Any, keep: list[bool]) -> None:
    found = candidates([4, 4, 1], [2, 2, 2], [3, 0, 3], [2, 6, 0], [9, 0, 0])
    assert allowed(found, rule(**limits)).tolist() == keep


def test_limits_count_rows_or_weight() -> None:
    found = candidates([0.5, 4.0], [3.0, 3.0], counts=[[5, 5], [1, 9]])
    assert allowed(found, rule(min_samples_leaf=5)).tolist() == [True, False]
    assert allowed(found, rule(min_weight_leaf=1)).tolist() == [False, True]
    assert allowed(found, rule(min_cases=1)).tolist() == [False, True]


def test_the_weight_of_statistics() -> None:
    assert weight_of(np.array([[1.0, 2], [3, 4]]), CRITERIA["class", "gini"]).tolist() == [3, 7]
    assert weight_of(np.array([[5.0, 2, 9]]), CRITERIA["number", "squared_error"]).tolist() == [5]


def test_gains() -> None:
    tables = np.array([[[2, 0], [0, 2]], [[1, 1], [1, 1]], [[2, 2], [0, 0]]], dtype=float)
    found = Candidates(tables, tables.sum(axis=2).astype(np.int64))
    assert gains(found, rule(), contingency()).tolist() == [0.5, 0, -INF]
    assert gains(found, rule(min_samples_leaf=9), contingency()).tolist() == [-INF] * 3
    half = contingency([[2, 2]], (3, 1), n_missing=4)
    assert gains(found, rule(missing="majority"), half).tolist() == [0.25, 0, -INF]
    assert gains(found, rule(missing="direction"), half).tolist() == [0.5, 0, -INF]


@pytest.mark.parametrize(
    ("policy", "share"), [("error", 0.75), ("majority", 0.75), ("fractional", 0.75), ("branch", 1), ("direction", 1)]
)
def test_the_share_of_known_rows(policy: str, share: float) -> None:
    assert known_share(contingency([[1, 2], [3, 0]], (2, 0), n_missing=1), rule(missing=policy)) == share
    assert known_share(contingency([[1, 2]]), rule(missing=policy)) == 1
    moments = contingency([[6.0, -1, 5]], (2.0, 9, 9), n_missing=1)
    assert known_share(moments, rule("squared_error", "number", policy)) == share


@pytest.mark.parametrize(
    ("scores", "band", "best"),
    [
        ([], 0, None),
        ([-INF, -INF], 1, None),
        ([1, 3, 2], 0, 1),
        ([1, 3, 3], 0, 1),
        ([2.95, 2.8, 3], 0.1, 0),
        ([2.85, 2.95, 3.0], 0.1, 1),  # compared with the best, never pairwise
        ([-INF, 0, 0], 0, 1),
        ([-2, -1], 0, 1),
    ],
)
def test_the_first_of_the_best(scores: list[float], band: float, best: int | None) -> None:
    assert first_best(np.array(scores, dtype=float), band) == best


def test_split_information_and_score() -> None:
    table = np.array([[2.0, 1], [3, 0]])
    apart = contingency(table, (1, 1), n_missing=2)
    known = split_information(table, rule(missing="branch"), apart)
    assert known == pytest.approx(measures.entropy(p=[3, 3]))
    both = split_information(table, rule(missing="fractional"), apart)
    assert both == pytest.approx(measures.entropy(p=[3, 3, 2]))
    assert score_of(0.5, both, rule()) == 0.5
    assert score_of(0.5, both, rule("gain_ratio")) == 0.5 / both
    assert score_of(0.5, 0.0, rule("gain_ratio")) == -INF
