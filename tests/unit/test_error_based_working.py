"""The working of error-based pruning: every figure is the one that was compared, branches raised or not."""

import json
import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import C45Classifier, explain_pruning
from deciduous.explain.expression import value_of
from deciduous.prune import ErrorBased
from tests import recompute

#: Confidences below one half, and one at which Weka expects no more errors than training had.
PRUNERS = [
    ErrorBased(confidence, raising, conventions)
    for confidence in (0.25, 0.6)
    for raising in (True, False)
    for conventions in ("c45", "r8", "j48")
]


@cache
def noisy() -> tuple[Any, pd.DataFrame, np.ndarray]:
    """A tree with missing cells, some of whose branches are raised."""
    rng = np.random.default_rng(5)
    n = 120
    X = pd.DataFrame({f"c{j}": rng.choice(list("uvw"), n) for j in range(3)} | {"x": rng.normal(size=n).round(1)})
    y = np.where((X["x"] > 0) ^ (X["c0"] == "u"), "p", "n")
    y[rng.random(n) < 0.25] = "q"
    X = X.mask(rng.random(X.shape) < 0.1)
    return C45Classifier(pruning=None, collapse=False, min_cases=1).fit(X, y), X, y


@pytest.mark.parametrize("pruner", PRUNERS, ids=str)
def test_every_figure_is_the_one_that_was_compared(pruner: ErrorBased) -> None:
    model, X, y = noisy()
    found = explain_pruning(model, pruner, X, y)
    for decision in found.decisions:
        assert decision.as_leaf == pytest.approx(float(pruner.estimate(decision.n, decision.errors)))
        steps = found.steps_of(decision)
        for step in steps:
            if step.numbers is not None:
                assert value_of(step.numbers) == pytest.approx(step.exact, rel=1e-9, abs=1e-12)
        assert steps[-1].exact == pytest.approx(decision.as_leaf)
        of_branches = [s.exact for s in steps[:-1] if s.quantity in ("expected_errors", "below")]
        assert sum(of_branches) == pytest.approx(decision.as_subtree)
        assert sum(part.cost for part in decision.parts) == pytest.approx(decision.as_subtree)
        if decision.raised_leaves:
            n, errors = map(np.array, zip(*decision.raised_leaves, strict=True))
            assert float(pruner.estimate(n, errors).sum()) == pytest.approx(decision.raised)
            assert n.sum() == pytest.approx(decision.n)
    if pruner.confidence < 0.5:
        assert pruner.subtree_raising == any(d.question != d.node for d in found.decisions)


@pytest.mark.parametrize("pruner", PRUNERS, ids=str)
def test_what_is_printed_is_true(pruner: ErrorBased) -> None:
    model, X, y = noisy()
    text = explain_pruning(model, pruner, X, y).to_text()
    lines = recompute.of_text(text)
    compared = re.findall(r"^  (?:leaf|raised) = (\S+) (<=|>) .* = (\S+)$", text, re.MULTILINE)
    assert len(compared) > 10
    for left, relation, right in compared:
        assert float(left) <= float(right) + 1e-9 if relation == "<=" else float(left) >= float(right) - 1e-9
    for numbers, result in lines:
        if not re.search("subtree|raised", numbers):
            assert recompute.worked_out(recompute.python_of_text(numbers)) == pytest.approx(float(result), abs=2e-3)


def test_a_node_that_is_replaced_errs_more_as_it_is() -> None:
    model, X, y = noisy()
    found = explain_pruning(model, ErrorBased(0.25, True), X, y)
    replaced = [decision for decision in found.decisions if decision.replaced]
    assert replaced
    for decision in replaced:
        assert decision.raised <= decision.as_subtree
    assert "it is replaced by its largest branch" in found.to_text()
    again = [decision for decision in found.decisions if decision.question != decision.node]
    assert f"it asks the question of node {again[0].question} by now" in found.to_text()
    assert f"该结点现在使用结点 {again[0].question} 的划分" in found.to_text("zh")


@pytest.mark.parametrize("raising", [True, False])
def test_json_and_frame_hold_all_estimates(raising: bool) -> None:
    model, X, y = noisy()
    found = explain_pruning(model, ErrorBased(0.25, raising), X, y)
    written = json.loads(found.to_json())["decisions"]
    for one, decision in zip(written, found.decisions, strict=True):
        assert (one["n"], one["errors"], one["question"]) == (decision.n, decision.errors, decision.question)
        assert one["raised"] == (decision.raised if raising else None)
        assert one["replaced"] == decision.replaced
    frame = found.to_frame()
    assert frame["n"].to_list() == [decision.n for decision in found.decisions]
    assert {"node", "as_leaf", "as_subtree", "raised", "errors", "replaced"} <= set(frame.columns)
