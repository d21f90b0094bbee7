"""The complexity of every node, as rpart finds it while growing, and the tree that it leaves.

A split is worth keeping if it lowers the risk by more than alpha for each split of its subtree. Whether a node is
tried at all depends on a limit that is handed down from above, and for a right child on what the left one came to; the
left child is the one whose rows have the smaller target (`Surrogates.left`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deciduous.errors import OptionError
from deciduous.grow.option_checks import check_number
from deciduous.measures import Floats
from deciduous.model.candidate import Candidate, LazyCandidates
from deciduous.model.reason import Reason
from deciduous.model.tree import Tree
from deciduous.prune.rows import LabelledRows, Need
from deciduous.prune.subtree import collapse


def kept_by_complexity(tree: Tree, alpha: float) -> Tree:
    """Return a tree without the splits that lower its risk by `alpha` or less, and with the complexity of each node,
    in units of risk.
    """
    assert tree.risk is not None
    partition = _Partition(tree, tree.risk.tolist(), alpha)
    reason = np.where(np.isin(tree.reason, SEARCHED) & partition.untried, np.uint8(Reason.COMPLEXITY), tree.reason)
    whole = replace(tree, complexity=_capped(partition.complexity, tree.parent.tolist()), reason=reason)
    fallen = np.array(partition.is_leaf) & ~tree.is_leaf
    pruned = collapse(whole, fallen)
    reason = np.where(pruned.reason == Reason.PRUNED, np.uint8(Reason.COMPLEXITY), pruned.reason)
    return replace(pruned, reason=reason, candidates=_of_the_worthy(pruned, reason))


#: Why nodes are leaves after a search that the rule may not have come to.
SEARCHED = (Reason.NO_CANDIDATE, Reason.NO_GAIN, Reason.MIN_IMPURITY_DECREASE)


def _of_the_worthy(tree: Tree, reason: NDArray[np.uint8]) -> Sequence[tuple[Candidate, ...]] | None:
    """Return the candidates of the nodes that complexity does not stop."""
    if tree.candidates is None:
        return None
    worthy = np.flatnonzero(reason != Reason.COMPLEXITY).tolist()
    return LazyCandidates({node: partial(tree.candidates.__getitem__, node) for node in worthy}, len(tree))


class _Partition:
    """The rule of partitioning, on a tree that is split at least as far."""

    def __init__(self, tree: Tree, risk: list[float], alpha: float) -> None:
        assert tree.surrogates is not None
        n = len(risk)
        self.risk, self.alpha = risk, alpha
        self.limit = risk[:1] + [0.0] * (n - 1)
        self.complexity, self.is_leaf = [alpha] * n, [True] * n
        self.sums: list[tuple[float, int]] = [(r, 0) for r in risk]  # risk and splits of the subtree
        first, left = tree.first_child.tolist(), tree.surrogates.left.tolist()
        steps = [(0, 0)]  # a node, and how many of its children are done
        while steps:
            node, done = steps.pop()
            if first[node] < 0 or min(risk[node], self.limit[node]) <= alpha:
                continue
            pair = (first[node] + left[node], first[node] + 1 - left[node])
            if done < 2:
                self._hand_down(node, pair, done)
                steps += [(node, done + 1), (pair[done], 0)]
            else:
                self._settle(node, *pair)

    @property
    def untried(self) -> NDArray[np.bool_]:
        """Which nodes have too little to save for a split to be looked for."""
        return np.minimum(self.risk, self.limit) <= self.alpha

    def _hand_down(self, node: int, pair: tuple[int, int], done: int) -> None:
        """Set the limit of the left child, or of the right one once the left is done."""
        most = self.risk[node]
        if done:
            risk, splits = self.sums[pair[0]]
            most = max((most - risk) / (splits + 1), most - self.risk[pair[0]])
        self.limit[pair[done]] = min(most, self.limit[node]) - self.alpha

    def _settle(self, node: int, left: int, right: int) -> None:
        """Find the complexity of a node whose children are done: of these, the weaker one may count as a leaf."""
        parts = {left: self.sums[left], right: self.sums[right]}
        weaker, other = (left, right) if self.complexity[right] > self.complexity[left] else (right, left)
        value = self._per_split(node, left, right, parts)
        for child in (weaker, other):
            if value <= self.complexity[child]:
                break
            parts[child] = (self.risk[child], 0)
            value = self._per_split(node, left, right, parts)
        self.complexity[node] = value
        if value > self.alpha:
            self.is_leaf[node] = False
            self.sums[node] = parts[left][0] + parts[right][0], parts[left][1] + parts[right][1] + 1

    def _per_split(self, node: int, left: int, right: int, parts: dict[int, tuple[float, int]]) -> float:
        (rl, sl), (rr, sr) = parts[left], parts[right]
        return (self.risk[node] - rl - rr) / (sl + sr + 1)


#: A complexity that was divided by the risk of the root and multiplied again may differ by so much.
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class CpTable:
    """The lines of the table of complexities: `alpha` (in units of risk), `nsplit` and `rel_error`, shape (lines,)."""

    alpha: Floats
    nsplit: NDArray[np.int64]
    rel_error: Floats


def _capped(complexity: list[float], parents: list[int]) -> Floats:
    """Return the complexity of each node, at most that of its parent."""
    found = list(complexity)
    for node in range(1, len(found)):
        found[node] = min(found[node], found[parents[node]])
    return np.array(found)


def cp_table(tree: Tree, alpha: float) -> CpTable:
    """Return the nested subtrees of a tree: for each alpha the one that keeps the splits of larger complexity.

    The values are the root's complexity, then the different ones of all nodes, but at least `alpha`.
    """
    assert tree.risk is not None
    assert tree.complexity is not None
    complexity = tree.complexity
    if tree.first_child[0] < 0:
        return CpTable(complexity[:1], np.zeros(1, dtype=np.int64), np.ones(1))
    values = np.unique(np.append(np.maximum(complexity, alpha), complexity[0]))[::-1]
    values = values[values <= complexity[0]]
    order = np.argsort(-complexity, kind="stable")
    inner = order[~tree.is_leaf[order]]
    n_kept = np.searchsorted(-complexity[inner], -values, side="left")  # larger ones come first
    return CpTable(values, n_kept.astype(np.int64), _relative(tree, inner, n_kept))


def _relative(tree: Tree, inner: NDArray[np.intp], n_kept: NDArray[np.intp]) -> Floats:
    """Return the risk of the subtrees that keep the first so many of some splits, over that of the root."""
    assert tree.risk is not None
    first = tree.first_child[inner]
    saved = tree.risk[inner] - tree.risk[first] - tree.risk[first + 1]
    sums = np.concatenate([[0.0], np.cumsum(saved)])
    root = float(tree.risk[0])
    relative: Floats = (root - sums[n_kept]) / (root if root > 0 else 1.0)
    return relative


@dataclass(frozen=True)
class ByComplexity:
    """Keep the splits of larger complexity than `cp`, a share of the root's risk, as rpart's `prune` does.

    For trees grown with surrogates, which know the complexity of their nodes; OptionError for others.
    """

    cp: float
    name: ClassVar[str] = "cp"
    needs: ClassVar[Need] = "statistics"

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree."""
        check_number("cp", self.cp, -1.0)
        if tree.complexity is None or tree.risk is None:
            raise OptionError(
                "pruning by cp is for trees grown with missing='surrogates'; use prune_to, pruning_path, or "
                "pruning='cost_complexity' with ccp_alpha."
            )
        return collapse(tree, (tree.complexity <= self.cp * float(tree.risk[0]) * (1 + ROUNDING)) & ~tree.is_leaf)


def chosen_cp(tree: Tree, rule: str) -> float:
    """Return the CP of the line of least cross-validated error (`min`, the first of equals), or of the first line
    within one standard error of it (`1se`).
    """
    assert tree.cp_table is not None
    cp, error, se = tree.cp_table[:, 0], tree.cp_table[:, 3], tree.cp_table[:, 4]
    best = int(np.argmin(error))
    within = error[best] + (se[best] if rule == "1se" else 0.0)
    return float(cp[int(np.argmax(error <= within))])
