"""Error-based pruning: by an upper limit of the errors that each leaf is expected to make (Quinlan 1993, chapter 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deciduous.errors import OptionError
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.conventions import PruningConventions, conventions_of
from deciduous.prune.draft import Draft
from deciduous.prune.impossible import without_impossible
from deciduous.prune.raising import RaisingDraft
from deciduous.prune.rows import LabelledRows, Need, needless, required
from deciduous.prune.steps import Decision, PruningStep, PruningWorking
from deciduous.prune.upper_limits import estimated_errors
from deciduous.search.contingency import TIE


@dataclass(frozen=True)
class ErrorBased:
    """Prune from below where a leaf, or the largest branch, is expected to err no more than all branches together.

    The pruning of C4.5. In every node, after those below it: if the estimated errors N U_CF(E, N) of the node as a
    leaf are no more than the sum over its leaves, and no more than those of its largest branch with all rows of the
    node, it becomes a leaf; else, if those of its largest branch are no more than the sum, that branch takes its place
    (it is raised), and is pruned anew.

    `confidence`: CF, smaller prunes more. `subtree_raising`: branches may be raised, by the training rows; without it
    a node becomes a leaf or stays, and no rows are needed. `conventions`: `c45`, the book; `r8`, the program that comes
    with it, and `j48`, Weka: both take a smaller tree that is worse by up to 0.1 errors, and the last of equally large
    branches; see `estimated_errors` for their estimates.
    """

    confidence: float = 0.25
    subtree_raising: bool = False
    conventions: str = "c45"
    name: ClassVar[str] = "error"

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not 0 < self.confidence < 1:
            raise OptionError(f"confidence={self.confidence!r} must lie between 0 and 1.")
        if not isinstance(self.subtree_raising, bool):
            raise OptionError(f"subtree_raising={self.subtree_raising!r} must be True or False.")
        conventions_of(self.conventions)

    @classmethod
    def of_tree(cls, tree: Tree, confidence: float | None = None, conventions: str | None = None) -> ErrorBased:
        """Return the pruner without raising; what is None is as the tree's own options have it."""
        own = {key: tree.options[key] for key in ("confidence", "conventions") if key in tree.options}
        given = {"confidence": confidence, "conventions": conventions}
        return cls(**(own | {key: value for key, value in given.items() if value is not None}))

    @property
    def needs(self) -> Need:
        """The training rows, if branches may be raised."""
        return "training" if self.subtree_raising else "statistics"

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree. `rows`: those that the tree was grown on, if branches may be raised."""
        needless(tree, "error-based pruning")
        draft = self._draft(tree, rows)
        decide_from_below(draft, conventions_of(self.conventions), None)
        return self._frozen(draft)

    def working(self, tree: Tree, rows: LabelledRows | None = None) -> PruningWorking:
        """Return the pruned tree, and what was compared and decided in every node on the way."""
        needless(tree, "error-based pruning")
        draft = self._draft(tree, rows)
        steps: list[PruningStep] = []
        decide_from_below(draft, conventions_of(self.conventions), steps)
        return PruningWorking(tree, self._frozen(draft), tuple(steps), self.confidence)

    def _frozen(self, draft: Draft) -> Tree:
        tree = draft.freeze()
        return without_impossible(tree) if conventions_of(self.conventions).drops_impossible else tree

    def _draft(self, tree: Tree, rows: LabelledRows | None) -> Draft:
        if not self.subtree_raising:
            return Draft(tree, self.estimate)
        training = required(rows, "error-based pruning with subtree raising", "training")
        if len(tree) == 1:
            return Draft(tree, self.estimate)
        if tree.options.get("monotonic_cst") is not None:
            raise OptionError(
                "subtree raising brings other rows to a node and does not keep its answers within monotonic_cst; use "
                "subtree_raising=False."
            )
        keeps_class = conventions_of(self.conventions).keeps_class
        return RaisingDraft(tree, self.estimate, training, keeps_class=keeps_class)

    def estimate(self, n: Floats, errors: Floats) -> Floats:
        """Return the estimated errors N U_CF(E, N) of leaves."""
        return estimated_errors(n, errors, self.confidence, self.conventions)


def decide_from_below(draft: Draft, rules: PruningConventions, steps: list[PruningStep] | None) -> None:
    """Decide about every node after those below it, and note what was compared; with None nothing is noted."""
    below = list(draft.as_leaf)  # the estimated errors of the leaves below each node by now
    slack = rules.slack + rules.equal_up_to(np.array(draft.as_leaf))
    waiting = list(range(len(draft.tree))) if steps is not None else np.flatnonzero(draft.first_child >= 0).tolist()
    while waiting:
        node = waiting.pop()
        leaf = draft.as_leaf[node]
        figures = node, int(draft.question[node]), draft.weight[node], draft.errors[node], leaf
        if draft.is_leaf(node):
            below[node] = leaf
            if steps is not None:
                steps.append(PruningStep(*figures))
            continue
        children = draft.children(node)
        subtree = sum(below[children.start : children.stop])
        largest = _largest(children, draft.weight, rules)
        fare = draft.fare(node, largest)
        decision: Decision = "stays"
        if leaf <= min(subtree, fare) + slack:
            decision = "becomes a leaf"
            below[node] = leaf
        elif fare <= subtree + slack:
            decision = "is replaced by its largest branch"
        else:
            below[node] = subtree
        if steps is not None:
            steps.append(PruningStep(*figures, subtree, largest, fare, decision, draft.leaves_if_raised(node, largest)))
        draft.settle(node)
        if decision == "becomes a leaf":
            draft.make_leaf(node)
        elif decision == "is replaced by its largest branch":
            waiting.extend(draft.raise_branch(node, largest))


def _largest(children: range, weight: list[float], rules: PruningConventions) -> int:
    """Return the heaviest child; of equals the one that the conventions say."""
    weights = weight[children.start : children.stop]
    most = max(weights)
    least = most - (TIE * most if rules.band is None else rules.band)
    heaviest = [branch for branch, of_branch in enumerate(weights) if of_branch >= least]
    return children[heaviest[-1 if rules.last_branch else 0]]
