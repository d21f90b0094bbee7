"""Error-based pruning of Quinlan's C4.5 Release 8: the estimate of every leaf of its recorded pruned trees, and the
pruned trees themselves, from the recorded unpruned ones.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from deciduous import Node
from deciduous.prune import ErrorBased, estimated_errors
from tests.parity.oracles import SHARED
from tests.trees import Nested, tree_of

FOLDER = SHARED / "open" / "c45r8"

#: Some of the recorded leaves, kept here: confidence, rows, errors, estimate.
KEPT = [
    (0.25, 5, 0, 1.21070862),
    (0.25, 25, 1, 2.54745603),
    (0.25, 25, 3, 4.87146807),
    (0.25, 25, 6, 8.12157059),
    (0.25, 1.007194, 0.402878, 0.854387045),
    (0.50, 5, 0, 0.647247195),
    (0.50, 25, 1, 1.76696587),
    (0.50, 25, 6, 6.967031),
    (0.50, 7.040936, 0.020468, 0.682190597),
    (0.50, 4.023392, 0.023392, 0.661750197),
]


@pytest.mark.parametrize(("confidence", "rows", "errors", "estimate"), KEPT)
def test_some_leaves(confidence: float, rows: float, errors: float, estimate: float) -> None:
    ours = float(estimated_errors(np.array(rows), np.array(errors), confidence))
    assert ours == pytest.approx(estimate, rel=1e-5)


def leaves(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "attr" not in tree:
        yield tree
    for child in tree.get("children", []):
        yield from leaves(child)


def raised(unpruned: dict[str, Any], pruned: dict[str, Any]) -> bool:
    """Whether a branch has taken the place of its parent somewhere (issue 4): then another question is asked there."""
    if "attr" not in pruned:
        return False
    if any(unpruned.get(key) != pruned.get(key) for key in ("attr", "kind", "threshold")):
        return True
    return any(map(raised, unpruned["children"], pruned["children"]))


def confidence_of(case: dict[str, Any]) -> float:
    percent = re.search(r"-c (\d+)", case["options"])
    return float(percent[1]) / 100 if percent else 0.25


def nested(recorded: dict[str, Any]) -> Nested:
    """Return a recorded tree by its class weights; the weights of an empty leaf are those of its parent there."""
    weights = recorded["dist"] if recorded["n"] > 0 else [0.0] * len(recorded["dist"])
    return tuple(weights), tuple(nested(child) for child in recorded.get("children", []))


def shape(recorded: dict[str, Any]) -> Any:
    return round(recorded["n"], 3), tuple(shape(child) for child in recorded.get("children", []))


def our_shape(node: Node) -> Any:
    return round(node.weight, 3), tuple(our_shape(child) for child in node.children)


@pytest.mark.skipif(not FOLDER.exists(), reason="the folder shared/oracles is absent")
def test_every_recorded_pruned_tree_without_raising() -> None:
    """The program prunes also where the leaf's estimate is up to 0.1 larger."""
    compared = 0
    for path in sorted(FOLDER.glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        unpruned, pruned = (case["expected"][which]["tree"] for which in ("unpruned", "pruned"))
        ours = ErrorBased(confidence_of(case), slack=0.1)(tree_of(nested(unpruned)))
        assert (our_shape(ours.node(0)) == shape(pruned)) == (not raised(unpruned, pruned)), path.name
        compared += not raised(unpruned, pruned)
    assert compared >= 120


@pytest.mark.skipif(not FOLDER.exists(), reason="the folder shared/oracles is absent")
def test_every_recorded_leaf() -> None:
    """To 1e-5: the program works in single precision."""
    found = 0
    for path in sorted(FOLDER.glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        confidence = confidence_of(case)
        ends = [leaf for leaf in leaves(case["expected"]["pruned"]["tree"]) if leaf["n"] > 0]
        rows = np.array([leaf["n"] for leaf in ends])
        errors = np.array([leaf["n"] - max(leaf["dist"]) for leaf in ends])
        recorded = np.array([leaf["errors_field"] for leaf in ends])
        assert estimated_errors(rows, errors, confidence) == pytest.approx(recorded, rel=1e-5, abs=1e-5), path.name
        found += len(ends)
    assert found > 1000
