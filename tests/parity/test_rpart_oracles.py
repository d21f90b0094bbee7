"""rpart's trees: whatever the notes on the oracles say must match, for all its recorded cases.

A case whose result could be told apart from another one only by rounding must match as far as both are the same; where
they part, the runner proves that the two candidates are equal (`rpart_ties.py`).
"""

from pathlib import Path

import pytest

from deciduous import Tree, kernels
from tests.parity.oracles import differences
from tests.parity.rpart_cases import FILES, Fitted, fit, other_comparisons, read, table_comparisons, tree_comparisons
from tests.parity.rpart_ties import Walk, tied_in_a_fold

TOLERANCE = {"relative": 1e-6, "absolute": 1e-9}
ROBUST = [file for file in FILES if read(file)["check"]["robust"]]
TIED = [file for file in FILES if file not in ROBUST]

#: The robust cases whose cross-validation, not their tree, has a tie that rounding decides: the one that is known.
TIED_IN_A_FOLD = {"rpart.zoo.class.info"}

pytestmark = [
    pytest.mark.skipif(not FILES, reason="the folder shared/oracles is absent"),
    pytest.mark.filterwarnings("ignore::deciduous.errors.DataWarning"),
]


@pytest.mark.parametrize("file", ROBUST, ids=lambda p: p.stem)
def test_robust(file: Path) -> None:
    fitted = fit(read(file))
    fitted.tree.check()
    walk = Walk(fitted)
    found = differences(tree_comparisons(fitted), **TOLERANCE)
    if found:  # only left and right of equal means may differ, which the walk proves
        assert differences(walk.comparisons(), **TOLERANCE) == []
        assert walk.ties
        assert all(place.endswith("below_goes") for place, _, _ in found)
    of_errors = _check_table(fitted)
    assert not of_errors or file.stem in TIED_IN_A_FOLD
    assert differences(other_comparisons(fitted), **TOLERANCE) == []


@pytest.mark.parametrize("file", TIED, ids=lambda p: p.stem)
def test_tied(file: Path) -> None:
    fitted = fit(read(file))
    fitted.tree.check()
    walk = Walk(fitted)
    assert differences(walk.comparisons(), **TOLERANCE) == []
    if not walk.unlike:
        _check_table(fitted, merge=1e-11)  # whether such lines are two is a matter of rounding


def _check_table(fitted: Fitted, merge: float = 0.0) -> bool:
    """Compare the table of complexities; returns whether its errors differ, for which a fold must have a tie."""
    found = differences(table_comparisons(fitted, merge), **TOLERANCE)
    assert {name for name, _, _ in found} <= {"xerror", "xstd"}
    if found:
        assert tied_in_a_fold(fitted.case)
    return bool(found)


SMALL = [file for file in ROBUST if file.stem.split(".")[1] in ("kyphosis", "stagec", "warpbreaks", "insurance")]


@pytest.mark.parametrize("file", SMALL, ids=lambda p: p.stem)
def test_numpy_grows_the_same(file: Path) -> None:
    native = fit(read(file)).tree
    with kernels.use("numpy"):
        tree = fit(read(file)).tree
    assert differences(iter([("nodes", len(tree), len(native))]), **TOLERANCE) == []
    ours, theirs = (t.surrogates for t in (tree, native))
    for name in ("left", "blind", "start", "feature", "threshold", "below", "category_branch", "agreement", "rows"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist() or name == "threshold"
    assert tree.cp_table == pytest.approx(native.cp_table, rel=1e-9, abs=1e-12)
    assert Tree.from_json(tree.to_json()).to_json() == tree.to_json()
