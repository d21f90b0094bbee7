"""The walk of a row in the report's script, beside the library's: the same nodes, parts, answers and shares."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import deciduous
from deciduous.data.table import Table
from deciduous.model.route import route
from deciduous.report import workings
from tests.reports import gappy_table, opened, other_rows

pytest.importorskip("jinja2", reason="Jinja2 is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:categories that training never saw")

CART, C45, ID3 = deciduous.CARTClassifier, deciduous.C45Classifier, deciduous.ID3Classifier
WALKS = {
    "majority": ID3(),
    "unseen as missing": ID3(unseen="missing", missing="majority"),
    "a branch of their own": ID3(missing="branch", unseen="missing"),
    "a branch and one against the rest": C45(missing="branch", nominal="one_vs_rest", pruning=None),
    "in parts": C45(pruning=None),
    "in parts, unseen as missing": C45(unseen="missing", laplace=True),
    "groups": C45(nominal="groups"),
    "J48": C45(conventions="j48"),
    "Release 8": C45(conventions="r8"),
    "direction": CART(),
    "direction, many branches": CART(nominal="multiway", unseen="missing"),
    "surrogates": CART.rpart(cp=0.001),
    "surrogates or stay": CART.rpart(cp=0.001, use_surrogates=1),
    "surrogates not asked, losses": CART.rpart(cp=0.001, use_surrogates=0, loss=[[0, 1, 2], [3, 0, 1], [1, 4, 0]]),
    "numbers": deciduous.CARTRegressor(),
    "medians": deciduous.CARTRegressor(criterion="absolute_error", max_depth=5),
    "numbers with surrogates": deciduous.CARTRegressor.rpart(cp=0.001),
}


#: Those that differ from another one in an option alone, which the library's own tests try too.
VARIANTS = (
    "unseen as missing",
    "in parts, unseen as missing",
    "Release 8",
    "direction, many branches",
    "surrogates or stay",
    "medians",
    "numbers with surrogates",
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in VARIANTS else []) for name in WALKS]
)
@pytest.mark.filterwarnings("ignore:20 of the 20 validation rows")
def test_the_walk_is_that_of_the_library(
    browser: Any, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row ends in the same nodes, by the same parts, with the same answer and shares: gaps, unseen categories."""
    monkeypatch.setattr(workings, "MOST_CHARACTERS", 0)  # which takes the most time
    X, classes, numbers = gappy_table(2, 160)
    model = WALKS[name]
    y = numbers if model.__class__ is deciduous.CARTRegressor else classes
    model.fit(X, y)
    tree = model.tree_
    rows = pd.concat([X, other_rows(X), other_rows(X, 2)], ignore_index=True)
    table = Table.encode_like(rows, tree.schema)
    cells = [
        [None if cell != cell else cell for cell in line]
        for line in zip(*(c.tolist() for c in table.columns), strict=True)
    ]
    script = "rows => rows.map(row => { const {ends} = walk(row); return [ends, answerOf(ends)]; })"
    html = deciduous.report(model, X, y, validation=(X[:20], y[:20])).html  # which takes less time than folds
    with opened(browser, html, tmp_path) as shown:
        found = shown.page.evaluate(script, cells)
    arrivals = route(tree, table)
    expected = zip(arrivals.rows.tolist(), arrivals.nodes.tolist(), arrivals.weights.tolist(), strict=True)
    by_row = [list(group) for _, group in itertools.groupby(expected, key=lambda entry: entry[0])]
    assert [[(end["node"], end["weight"]) for end in ends] for ends, _ in found] == [
        [(node, weight) for _, node, weight in group] for group in by_row
    ]
    answers = [answer["value"] for _, answer in found]
    if tree.task == "number":
        assert answers == pytest.approx(model.predict(rows).tolist(), rel=1e-12)
        return
    assert [tree.classes[code] for code in answers] == model.predict(rows).tolist()
    shares = np.array([answer["shares"] for _, answer in found])
    assert shares == pytest.approx(model.predict_proba(rows), abs=1e-12)
