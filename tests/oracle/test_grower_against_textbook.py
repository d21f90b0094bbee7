"""The library's trees are those of the textbook: plain recursion in exact fractions, on random tables and options."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import C45Classifier
from deciduous.kernels import SplitKind
from deciduous.model.tree import Tree
from tests.oracle import deviations, textbook
from tests.oracle.textbook import Textbook
from tests.strategies import ESTIMATORS, Small, fit, options, tables, task_of

EXACT = 1e-12  # rounding of a few sums of a few numbers, relative


def grow_exactly(table: Small, task: str, chosen: dict[str, Any]) -> tuple[Textbook, textbook.Node]:
    criterion = "entropy" if chosen["criterion"] == "log_loss" else chosen["criterion"]
    offset = 0 if task == "class" else 40
    y = [value + offset for value in table.y]
    weights = None if table.weights is None else list(table.weights)
    n_classes = max(y) + 1
    known = {name: value for name, value in chosen.items() if name not in ("collapse", "pruning")}  # switched off
    oracle = Textbook(table.rows, table.columns, y, weights, n_classes, **known | {"criterion": criterion})
    return oracle, oracle.grow()


def normal(split: textbook.Split) -> tuple[textbook.Split, bool]:
    """The split as the library writes it, and whether its branches changed places.

    With `direction` the missing rows are one more item of a subset; the subset that holds only them is called "missing
    or not" in the library, with the known rows in branch 0.
    """
    if split.kind != "subset" or split.missing is None or split.missing in split.categories or split.n_branches > 2:
        return split, False
    apart = textbook.Split(split.feature, "missing", missing=1, gain=split.gain, ratio=split.ratio)
    return apart, split.missing == 0


def close(ours: float, exact: Fraction, scale: Fraction | float, within: float = EXACT) -> bool:
    return abs(Fraction(float(ours)) - exact) <= Fraction(within) * Fraction(scale)


def same_split(ours: Any, exact: textbook.Split) -> None:
    assert (ours.feature, SplitKind(ours.kind).name.lower(), ours.n_branches) == (
        exact.feature,
        exact.kind,
        exact.n_branches,
    )
    assert exact.threshold is None or ours.threshold == float(exact.threshold)
    by_category = exact.kind in ("multiway", "subset", "one_vs_rest")
    branches = [-1 if branch is None else branch for branch in exact.categories] if by_category else []
    assert ours.category_branch.tolist() == branches


class Comparison:
    """Walks down both trees at once."""

    def __init__(self, model: Any, table: Small, oracle: Textbook) -> None:
        self.tree: Tree = model.tree_
        self.table, self.oracle = table, oracle
        self.ratio = oracle.criterion == "gain_ratio"
        self.passes = model.decision_path(table.X).toarray().astype(bool)
        self.takes_part = np.flatnonzero(table.weight > 0)

    def same(self, exact: textbook.Node, index: int = 0) -> None:
        ours = self.tree.node(index)
        self.same_statistics(exact, ours)
        self.same_candidates(exact, index)
        if exact.split is None:
            assert ours.is_leaf
            assert ours.reason.name.lower() == exact.reason
            return
        assert not ours.is_leaf
        split, swapped = normal(exact.split)
        same_split(ours.split, split)
        assert close(ours.gain, exact.split.gain, exact.impurity)
        shares = exact.shares[::-1] if swapped else exact.shares
        if any(self.table.cells[split.feature][i] is None for i in exact.rows):
            # where training met no missing cell, the library stores shares for prediction, and the oracle none
            assert np.allclose(ours.split.shares, [float(share) for share in shares], rtol=EXACT, atol=0)
        children = exact.children[::-1] if swapped else exact.children
        assert len(children) == len(ours.children)
        for child, below in zip(children, ours.children, strict=True):
            self.same(child, below.index)

    def same_statistics(self, exact: textbook.Node, ours: Any) -> None:
        tree, index, total = self.tree, ours.index, sum(exact.weights)
        arrived = [i for i in self.takes_part if self.passes[i, index]]
        assert arrived == sorted(exact.rows)
        assert ours.n_samples == len(exact.rows)
        assert close(ours.weight, Fraction(total), total)
        if tree.task == "number":
            assert close(ours.impurity, exact.impurity, exact.impurity)
            assert close(ours.prediction, self.answer(exact.value), 40)
            return
        assert close(ours.impurity, exact.impurity, 1)
        weights = {f"k{code}": weight for code, weight in enumerate(exact.counts) if weight}
        assert ours.class_weights.keys() == weights.keys()
        assert all(close(ours.class_weights[label], weight, total) for label, weight in weights.items())
        answer = dict(zip(tree.classes, tree.distribution(np.array([index]))[0], strict=True))
        assert all(close(answer.get(f"k{code}", 0.0), share, 1) for code, share in enumerate(exact.value))
        assert ours.prediction == f"k{exact.value.index(max(exact.value))}"

    def answer(self, shares: list[Fraction]) -> Fraction:
        """What a node of numbers answers, from its statistics by weight."""
        if self.oracle.impurity is textbook.variance:
            return shares[1]
        return deviations.median(shares) if self.oracle.criterion == "absolute_error" else deviations.mean(shares)

    def same_candidates(self, exact: textbook.Node, index: int) -> None:
        kept = self.tree.candidates[index]
        assert len(kept) == len(exact.best)
        for candidate, best in zip(kept, exact.best, strict=True):
            if best is None:
                assert candidate.split is None
                assert candidate.verdict in ("constant", "no known cell", "limits")
                continue
            same_split(candidate.split, normal(best)[0])
            assert close(candidate.gain, best.gain, exact.impurity)
            if self.oracle.pays(best) and best.left <= textbook.TIE * exact.impurity:
                assert candidate.verdict == "no gain"
                continue
            score = best.ratio_left if self.ratio and best.gain else best.ratio if self.ratio else best.left
            assert close(candidate.score, score, max(abs(score), exact.impurity), 1e-11)
            assert (candidate.verdict == "chosen") == (exact.split is not None and exact.split.feature == best.feature)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
@given(data=st.data())
def test_same_tree_as_the_textbook(estimator: type, data: st.DataObject) -> None:
    table = data.draw(tables(zero_weights=True))
    chosen = data.draw(options(estimator, table.has_missing))
    if estimator is C45Classifier:
        chosen["mdl_correction"] = data.draw(st.booleans())
    leaves = data.draw(st.sampled_from([None, 1000]))  # best first, without a limit: the same tree, other node numbers
    model = fit(estimator, table, **chosen, max_leaf_nodes=leaves)
    oracle, root = grow_exactly(table, task_of(estimator), chosen)
    Comparison(model, table, oracle).same(root)
