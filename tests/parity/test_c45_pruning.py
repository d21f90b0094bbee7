"""Pruning as J48 and C4.5 Release 8 do it: from the unpruned trees that they recorded to the pruned ones.

The questions of the unpruned tree are theirs; all figures, those of raised branches too, are counted from the rows.
"""

import re
from typing import Any

import numpy as np
import pytest

from deciduous import Tree
from deciduous.prune import Collapse, ErrorBased, estimated_errors
from deciduous.prune.walk import sum_of_leaves
from tests.parity.oracles import SHARED
from tests.parity.recorded_trees import differences, recorded, rows_of, tree_from

#: Some of the recorded leaves of Release 8: confidence, rows, errors, estimate.
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
    for conventions in ("c45", "r8"):
        ours = float(estimated_errors(np.array(rows), np.array(errors), confidence, conventions))
        assert ours == pytest.approx(estimate, rel=1e-5)


def ids(pattern: str) -> list[str]:
    return sorted(path.stem for path in (SHARED / "open").glob(pattern))


R8 = ids("c45r8/*.json")


@pytest.mark.skipif(not R8, reason="the folder shared/oracles is absent")
@pytest.mark.parametrize("case_id", R8)
def test_release_8(case_id: str) -> None:
    """The pruned tree, and the estimated errors of every node of it: to 1e-4, the program works in single precision."""
    case = recorded(case_id)
    unpruned, pruned = (case["expected"][which]["tree"] for which in ("unpruned", "pruned"))
    rows, classes = rows_of(case_id)
    tree = tree_from(unpruned, rows, classes)
    assert differences(tree.node(0), unpruned, 1e-4) == []
    percent = re.search(r"-c (\d+)", case["options"])
    confidence = float(percent[1]) / 100 if percent else 0.25
    ours = ErrorBased(confidence, True, "r8")(tree, rows)
    ours.check()
    assert differences(ours.node(0), pruned, 1e-4) == []
    estimates = estimates_of(ours, confidence, "r8")
    assert estimates == pytest.approx(np.array(fields(ours, pruned)), rel=1e-4, abs=1e-4)
    share = 100 * estimates[0] / rows.table.n_rows
    assert share == pytest.approx(case["expected"]["evaluation"]["estimate_after_percent"], abs=0.1)


def estimates_of(tree: Tree, confidence: float, conventions: str) -> np.ndarray:
    """Return the estimated errors of the leaves below each node."""
    heaviest = np.array([max(node.class_weights.values(), default=0.0) for node in tree])
    return sum_of_leaves(tree, estimated_errors(tree.weight, tree.weight - heaviest, confidence, conventions))


def fields(tree: Tree, theirs: dict[str, Any]) -> list[float]:
    """Return the recorded estimates in the order of our nodes."""
    found = {0: theirs}
    for i in range(len(tree)):
        below = zip(tree.node(i).children, found[i].get("children", []), strict=True)
        found |= {child.index: other for child, other in below}
    return [found[i]["errors_field"] if found[i]["n"] > 0 else 0.0 for i in range(len(tree))]


#: Cases of J48, each with the case whose tree it prunes, and whether that is collapsed first. Without numeric columns
#: the correction of thresholds (-J) makes no difference.
FROM = {
    "default": ("U", False),
    "A": ("U", False),
    "S": ("U", False),
    "C10": ("U", False),
    "B": ("B_U", False),
    "J_noMDL": ("U_O_J", True),
    "O_nocollapse": ("U_O_J", False),
    "U": ("U_O_J", True),
    "U_M1": ("U_O_J_M1", True),
}
NEED_CATEGORIES = ("O_nocollapse", "U", "U_M1")


def prunings_of_j48() -> list[tuple[str, str]]:
    """Return the cases whose unpruned tree is recorded too, and that one."""
    there = set(ids("weka/j48.*.json"))
    pairs = [
        (case_id, f"{case_id.rpartition('.')[0]}.{FROM[kind][0]}")
        for case_id in sorted(there)
        if (kind := case_id.rpartition(".")[2]) in FROM
    ]
    return [(case_id, source) for case_id, source in pairs if source in there]


@pytest.mark.skipif(not R8, reason="the folder shared/oracles is absent")
@pytest.mark.parametrize(("case_id", "source"), prunings_of_j48())
def test_j48(case_id: str, source: str) -> None:
    kind = case_id.rpartition(".")[2]
    rows, classes = rows_of(case_id)
    numeric = any(feature.kind == "numeric" for feature in rows.table.schema.features)
    if kind in NEED_CATEGORIES and numeric:
        pytest.skip("the recorded tree without collapsing is one without the correction too")
    unpruned, expected = (recorded(name)["expected"]["tree"] for name in (source, case_id))
    tree = tree_from(unpruned, rows, classes)
    assert differences(tree.node(0), unpruned, 1e-6) == []
    if FROM[kind][1]:
        tree = Collapse("j48")(tree)
    if not kind.startswith("U"):
        tree = ErrorBased(0.1 if kind == "C10" else 0.25, subtree_raising=kind != "S", conventions="j48")(tree, rows)
    tree.check()
    assert differences(tree.node(0), expected, 1e-6) == []
