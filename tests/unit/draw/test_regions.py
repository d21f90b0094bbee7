"""Decision regions: exact rectangles that answer as the tree does, cover the plane, and do not overlap."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciduous
from deciduous.draw.plane import plot_regions
from deciduous.draw.regions import answer_of, regions_of, tiles_of
from tests.strategies import fit, tasks


@given(tasks(max_columns=3), st.integers(1, 2), st.randoms(use_true_random=False))
def test_tiles_answer_as_the_tree_does(task, n_axes, random) -> None:
    """At random points, and just at thresholds; the columns off the axes at random cells, missing ones too."""
    estimator, table, options = task
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", deciduous.DataWarning)
        try:
            model = fit(estimator, table, **options)
        except deciduous.OptionError:
            return
    tree = model.tree_
    positions = list(range(len(tree.schema)))
    axes = random.sample(positions, min(n_axes, len(positions)))
    if any(not tree.schema.features[j].is_split_on for j in axes):
        return
    may_miss = options["missing"] != "error"
    cells = {j: random.choice([*(list(table.cells[j])), *([None] if may_miss else [])]) for j in positions}
    fixed = {}
    for j in positions:
        feature = tree.schema.features[j]
        cell = cells[j]
        fixed[j] = cell if cell is None or feature.kind == "numeric" else table.X.iloc[:, j].cat.categories[int(cell)]
        if j not in axes and feature.kind != "numeric" and fixed[j] is not None and fixed[j] not in feature.categories:
            return
        if fixed[j] is None and not may_miss:
            return
    frame = [(-9.0, 9.0) if tree.schema.features[j].kind == "numeric" else _limits(tree, j) for j in axes]
    tiles = tiles_of(regions_of(tree, axes, {j: fixed[j] for j in positions if j not in axes}), frame)
    for _ in range(12):
        point = [_place(random, tree, j) for j in axes]
        where = [*point, 0.5][:2] if len(axes) == 2 else [point[0], 0.5]
        hits = [t for t in tiles if t.x0 < where[0] <= t.x1 and t.y0 < where[1] <= t.y1]
        assert len(hits) == 1
        row = dict(zip(tree.schema.names, (fixed[j] for j in positions), strict=True))
        for j, at in zip(axes, point, strict=True):
            feature = tree.schema.features[j]
            row[feature.name] = at if feature.kind == "numeric" else feature.categories[int(at)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = pd.DataFrame([row])
            answer = model.predict_proba(one)[0] if tree.task == "class" else model.predict(one)
        assert answer_of(tree, hits[0]) == pytest.approx(answer)


def _limits(tree, feature):
    return -0.5, len(tree.schema.features[feature].categories) - 0.5


def _place(random, tree, feature):
    """A number, often a threshold of the tree; or the code of a category."""
    if tree.schema.features[feature].kind != "numeric":
        return float(random.randrange(len(tree.schema.features[feature].categories)))
    asked = tree.threshold[(tree.feature == feature) & ~np.isnan(tree.threshold)].tolist()
    return float(random.choice([*asked, random.uniform(-5, 5), random.uniform(-1, 3)]))


def test_the_columns_off_the_axes_need_a_cell() -> None:
    X = pd.DataFrame({"a": [0.0, 0, 1, 1], "b": [0.0, 1, 0, 1]})
    model = deciduous.CARTClassifier().fit(X, ["p", "q", "q", "p"])
    with pytest.raises(deciduous.DataError, match="'b'"):
        regions_of(model.tree_, [0], {})


def test_plot_regions_draws_rectangles_and_rows() -> None:
    from matplotlib.figure import Figure
    from sklearn.datasets import load_iris

    iris = load_iris(as_frame=True)
    X = iris.data[["sepal length (cm)", "petal length (cm)"]]
    model = deciduous.CARTClassifier(max_depth=4).fit(X, iris.target)
    ax = plot_regions(model, X, iris.target, ax=Figure().add_subplot())
    area = sum(patch.get_width() * patch.get_height() for patch in ax.patches)
    assert len(ax.patches) == model.get_n_leaves()
    assert area == pytest.approx(np.ptp(ax.get_xlim()) * np.ptp(ax.get_ylim()))
    assert sum(len(points.get_offsets()) for points in ax.collections) == 150
    assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(X.columns)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1", "2"]


def test_a_tree_for_numbers_over_one_column_is_drawn_as_steps() -> None:
    from matplotlib.figure import Figure

    X = pd.DataFrame({"x": [1.0, 2, 3, 4]})
    y = np.array([1.0, 1.0, 5.0, 6.0])
    model = deciduous.CARTRegressor().fit(X, y)
    ax = plot_regions(model, X, y, ax=Figure().add_subplot())
    steps = [line.get_xydata().tolist() for line in ax.lines if len(set(line.get_ydata())) == 1]
    assert [(round(a[0], 6), a[1]) for a, _ in steps] == [(0.82, 1.0), (2.5, 5.0), (3.5, 6.0)]


def test_categories_lie_on_an_axis_and_slices_are_named() -> None:
    from matplotlib.figure import Figure

    penguins = deciduous.datasets.load("penguins")
    model = deciduous.CARTClassifier(max_leaf_nodes=8).fit(penguins.X, penguins.y)
    names = ["flipper_length_mm", "island"]
    ax = plot_regions(
        model, penguins.X, penguins.y, features=names, at={"bill_length_mm": None}, ax=Figure().add_subplot()
    )
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Biscoe", "Dream", "Torgersen"]
    assert "bill_length_mm = missing" in ax.get_title()
    with pytest.raises(deciduous.DataError, match="flipper_length_mm"):
        plot_regions(model, penguins.X, penguins.y, features=["flipper_lenght_mm"])
    with pytest.raises(deciduous.OptionError, match="two different"):
        plot_regions(model, penguins.X, penguins.y, features=["island", "island"])


@pytest.mark.parametrize("task", ["class", "number"])
def test_rows_that_a_slice_does_not_answer_are_rings(task) -> None:
    from matplotlib.figure import Figure

    penguins = deciduous.datasets.load("penguins")
    X, y = pd.DataFrame(penguins.X.to_dict(as_series=False)), penguins.y
    if task == "number":
        known = X["body_mass_g"].notna()
        X, y = X[known].drop(columns="body_mass_g"), X["body_mass_g"][known]
    make = deciduous.CARTClassifier if task == "class" else deciduous.CARTRegressor
    model = make(max_leaf_nodes=7).fit(X, y)
    axes = ["bill_length_mm", "flipper_length_mm"]
    slice_ = {"island": "Dream", "sex": None, "bill_depth_mm": 15.0}
    ax = plot_regions(model, X, y, features=axes, at=slice_, ax=Figure().add_subplot())
    drawn = [
        (bool(len(dots.get_facecolors())), pd.DataFrame(dots.get_offsets().filled(np.nan))) for dots in ax.collections
    ]
    whole, rings = (
        pd.concat([xy for is_filled, xy in drawn if is_filled == wanted]).dropna() for wanted in (True, False)
    )
    moved = X.assign(**slice_)
    stays = model.apply(X) == model.apply(moved)
    expected = X[stays][axes].dropna().to_numpy()
    assert sorted(whole.to_numpy().tolist()) == sorted(expected.tolist())
    assert len(whole) + len(rings) == len(X[axes].dropna())
    assert ax.get_title().endswith("rings: rows that the tree sends elsewhere")
    with deciduous.language.speaking("zh"):
        ax = plot_regions(model, X, y, features=["island", "flipper_length_mm"], ax=Figure().add_subplot())
    assert "空心圆" in ax.get_title()
