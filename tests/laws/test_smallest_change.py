"""The smallest change of a row is the smallest: no other has fewer columns, nor as many and less movement."""

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciduous import CARTClassifier, CARTRegressor, explain_row
from deciduous.data.table import Table
from deciduous.model.tree import Tree
from tests.laws.test_rules import disturbed
from tests.strategies import fit, tasks


def places(tree: Tree, feature: int, training: Any) -> list[float]:
    """Cells that stand for all cells of a column that the tree, or the ranks, can tell apart."""
    kind = tree.schema.features[feature]
    if kind.kind == "nominal":
        return [float(code) for code in range(len(kind.categories))]
    if kind.kind == "ordinal":
        return [float(code) for code in range(len(kind.categories))]
    cuts = tree.threshold[tree.feature == feature].tolist()
    if tree.surrogates is not None:
        cuts += tree.surrogates.threshold[tree.surrogates.feature == feature].tolist()
    values = [] if training is None else training.columns[feature].tolist()
    known = sorted({x for x in [*cuts, *values] if not math.isnan(x)}) or [0.0]
    between = [(a + b) / 2 for a, b in itertools.pairwise(known)]
    above = [float(np.nextafter(x, math.inf)) for x in known]
    return [known[0] - 1, *known, *between, *above, known[-1] + 1]


def movement(tree: Tree, feature: int, old: float, new: float, training: Any) -> float:
    """How far a cell moves: the share of the training values passed; of the tree's thresholds without training rows."""
    kind = tree.schema.features[feature]
    if kind.kind == "nominal":
        return 1.0
    if kind.kind == "ordinal":
        return 1.0 if old < 0 else abs(old - new) / max(len(kind.categories) - 1, 1)
    if math.isnan(old):
        return 1.0
    if training is None:
        cuts = tree.threshold[tree.feature == feature]
        if tree.surrogates is not None:
            cuts = np.append(cuts, tree.surrogates.threshold[tree.surrogates.feature == feature])
        cuts = cuts[~np.isnan(cuts)]
        passed = (np.minimum(old, new) <= cuts) & (cuts < np.maximum(old, new))
    else:
        column = training.columns[feature]
        values = column[~np.isnan(column)]
        passed = (values >= old) & (values < new) if old < new else (values <= old) & (values > new)
    return float(passed.mean()) if len(passed) else 1.0


def smallest(model: Any, row: Table, current: Any, training: Any) -> tuple[int, float] | None:
    """The fewest columns and the least movement of all changes, tried one after another."""
    tree, options = model.tree_, {}
    for feature in tree.used_features:
        old = float(row.columns[feature][0])
        cells = [new for new in places(tree, feature, training) if new != old]
        options[feature] = [(new, movement(tree, feature, old, new, training)) for new in cells]
    for size in range(1, len(options) + 1):
        least = math.inf
        for columns in itertools.combinations(options, size):
            tried = list(itertools.product(*(options[feature] for feature in columns)))
            cells = {name: [label_of(row, j)] * len(tried) for j, name in enumerate(tree.schema.names)}
            for place, feature in enumerate(columns):
                kind = tree.schema.features[feature]
                news = [one[place][0] for one in tried]
                cells[kind.name] = news if kind.kind == "numeric" else [kind.categories[int(code)] for code in news]
            changed = model.predict(pd.DataFrame(cells)) != current if tried else np.zeros(0, dtype=bool)
            far = np.array([sum(moved for _, moved in one) for one in tried])
            least = min(least, far[changed].min(initial=math.inf))
        if least < math.inf:
            return size, least
    return None


def label_of(row: Table, j: int) -> Any:
    """The cell of a row as a frame has it; None if the tree does not ask for the column."""
    cells, feature = row.columns[j], row.schema.features[j]
    if cells is None:
        return None
    if feature.kind == "numeric":
        return float(cells[0])
    code = int(cells[0])
    return feature.categories[code] if code >= 0 else None if code == -1 else "new"


def check(model: Any, table: Any, X: pd.DataFrame, with_training: bool) -> None:
    tree = model.tree_
    training = Table.encode_like(table.X, tree.schema) if with_training else None
    for i in range(min(len(X), 3)):
        found = explain_row(model, X.iloc[i].to_dict(), table.X if with_training else None)
        row = Table.encode_like(X.iloc[[i]], tree.schema, needed=tree.used_features)
        least = smallest(model, row, found.prediction, training)
        if least is None:
            assert found.change is None
            continue
        assert found.change is not None, least
        assert (len(found.change.changes), pytest.approx(found.change.movement, abs=1e-12)) == least


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=40)
@given(tasks(limits=False), st.integers(0, 2**32 - 1), st.sampled_from(["node", "missing"]), st.booleans())
def test_no_change_is_smaller(task: Any, seed: int, unseen: str, with_training: bool) -> None:
    estimator, table, options = task
    model = fit(estimator, table, **options, unseen=unseen, max_depth=3)
    X = disturbed(table, seed)
    if options["missing"] == "error":
        X = X.dropna()
    check(model, table, X, with_training)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=25)
@given(
    tasks((CARTClassifier, CARTRegressor), limits=False), st.integers(0, 2**32 - 1), st.booleans(), st.integers(0, 2)
)
def test_no_change_is_smaller_where_surrogates_decide(task: Any, seed: int, with_training: bool, use: int) -> None:
    estimator, table, options = task
    criterion = options["criterion"] if options["criterion"] in ("gini", "entropy", "squared_error") else None
    given = {} if criterion is None else {"criterion": criterion}
    model = fit(estimator, table, missing="surrogates", pruning=None, max_depth=3, use_surrogates=use, **given)
    check(model, table, disturbed(table, seed), with_training)
