"""What rows look like inside nodes: bars that count them, on the side that the question sends them to."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import deciduous
from deciduous.draw.cards import outline_of
from deciduous.draw.inside import HEIGHT, WIDTH, charts_of
from deciduous.draw.metrics import width
from deciduous.draw.picture import picture_of
from deciduous.draw.shapes import Dot, Path, Rect, Text
from deciduous.draw.theme import LIGHT
from deciduous.draw.view import View
from tests.strategies import fit, task_of, tasks
from tests.unit.draw.test_picture import check_geometry


def chart(model, X, y, node=0):
    return charts_of(outline_of(model.tree_, View(data=(X, y))), LIGHT)[node]


def test_a_histogram_counts_each_class_on_its_side_of_the_threshold() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": np.round(rng.normal(size=300), 1)})
    y = np.where(X.x + rng.normal(scale=0.4, size=300) > 0.3, "b", "a")
    model = deciduous.CARTClassifier(max_depth=1).fit(X, y)
    parts = chart(model, X, y).parts
    cut = next(p for p in parts if isinstance(p, Path) and p.dashed).points[0][0]
    bars = [p for p in parts if isinstance(p, Rect)]
    for left_side in (True, False):
        rows = (X.x <= model.tree_.threshold[0]) == left_side
        side = [bar for bar in bars if (bar.x + bar.width <= cut + 1e-9) == left_side]
        areas = [sum(b.height * (b.width + 0.6) for b in side if b.fill == LIGHT.of_class(k)) for k in (0, 1)]
        counts = [int((y[rows] == label).sum()) for label in "ab"]
        assert areas[0] * counts[1] == pytest.approx(areas[1] * counts[0], rel=1e-6)
    assert all(cut <= bar.x + 1e-9 or bar.x + bar.width <= cut + 1e-9 for bar in bars)
    assert max(bar.y + bar.height for bar in bars) == pytest.approx(HEIGHT)


def test_bars_of_categories_are_as_high_as_they_are_frequent() -> None:
    X = pd.DataFrame({"c": list("aabbbc")})
    y = ["p", "q", "p", "p", "p", "q"]
    model = deciduous.ID3Classifier().fit(X, y)
    bars = [p for p in chart(model, X, y).parts if isinstance(p, Rect)]
    heights: dict[float, float] = {}
    for bar in bars:
        heights[bar.x] = heights.get(bar.x, 0.0) + bar.height
    assert list(heights.values()) == pytest.approx([HEIGHT * 2 / 3, HEIGHT, HEIGHT / 3])


def test_a_chart_of_many_categories_says_that_it_shows_the_most_frequent_ones() -> None:
    X = pd.DataFrame({"c": [f"c{i:02}" for i in range(20)] * 3 + ["c07"]})
    model = deciduous.CARTClassifier().fit(X, ["p" if c < "c11" else "q" for c in X.c])
    parts = chart(model, X, ["p" if c < "c11" else "q" for c in X.c]).parts
    assert len({p.x for p in parts if isinstance(p, Rect)}) == 12
    (words,) = (p for p in parts if isinstance(p, Text))
    assert words.text == "12 most frequent of 20"
    assert width(words.text, words.size) <= WIDTH


def test_numbers_are_dots_and_the_two_means_are_lines() -> None:
    X = pd.DataFrame({"x": [0.0, 1, 2, 3]})
    y = [0.0, 2.0, 8.0, 10.0]
    model = deciduous.CARTRegressor(max_depth=1).fit(X, y)
    parts = chart(model, X, y).parts
    assert sum(isinstance(p, Dot) for p in parts) == 4
    means = [p for p in parts if isinstance(p, Path) and p.stroke == LIGHT.highlight]
    room = HEIGHT - 3.0
    assert [p.points[0][1] for p in means] == pytest.approx([1.5 + room * 0.9, 1.5 + room * 0.1])
    assert [p.points[0][0] for p in means] == pytest.approx([0.0, WIDTH / 2])


@given(tasks(max_columns=3))
def test_charts_keep_the_geometry(task) -> None:
    estimator, table, options = task
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", deciduous.DataWarning)
        model = fit(estimator, table, **options)
    view = View(data=(table.X, table.target(task_of(estimator))))
    check_geometry(picture_of(model.tree_, view, LIGHT))
