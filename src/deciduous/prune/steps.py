"""The working of error-based pruning: what was compared in every node, and what was decided."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from deciduous.language import translate as _
from deciduous.model.labels import Conditions, figure, significant
from deciduous.model.tree import Tree
from deciduous.textgrid import grid

Decision = Literal["is a leaf", "becomes a leaf", "is replaced by its largest branch", "stays"]


@dataclass(frozen=True)
class PruningStep:
    """What was compared and decided in one node, after the nodes below it.

    `node`: its number in the tree before pruning; `question`: the node whose question it asks by now, another one if a
    branch was raised to it. `n`, `errors`: N and E, the weight of its rows and of those that it answers wrongly as a
    leaf; `as_leaf`: N U_CF(E, N); `subtree`: the sum of this over the leaves below it; `largest_branch`: the child
    that most rows go to, and `raised` what its leaves are expected to err if all rows of the node come to it (infinite
    without subtree raising), and `raised_leaves` the N and E of each of these leaves then. The last four say nothing
    (NaN, -1, none) of a leaf.
    """

    node: int
    question: int
    n: float
    errors: float
    as_leaf: float
    subtree: float = math.nan
    largest_branch: int = -1
    raised: float = math.nan
    decision: Decision = "is a leaf"
    raised_leaves: tuple[tuple[float, float], ...] = ()

    @property
    def rate(self) -> float:
        """U_CF(E, N), 0 without rows."""
        return self.as_leaf / self.n if self.n > 0 else 0.0


@dataclass(frozen=True, eq=False)
class PruningWorking:
    """The working of error-based pruning: the tree before, the pruned tree, and the steps in their order.

    A node below a branch that was raised is decided again, with the rows that came to it. `print` shows all.
    """

    tree: Tree
    pruned: Tree
    steps: tuple[PruningStep, ...]
    confidence: float

    def of(self, node: int) -> tuple[PruningStep, ...]:
        """Return the steps that decided about one node of the tree before pruning, none if it is not there."""
        return tuple(step for step in self.steps if step.node == node)

    def __str__(self) -> str:
        """Return the steps as a table."""
        conditions = Conditions(self.tree)
        head = [_("node"), _("condition"), "N", "E", "U", "N U", _("branches"), _("raised"), _("decision")]
        lines = [
            [
                str(step.node),
                conditions(step.node),
                significant(round(step.n, 6)),
                significant(round(step.errors, 6)),
                figure(step.rate, 3),
                figure(step.as_leaf, 3),
                figure(step.subtree, 3),
                figure(step.raised, 3) if math.isfinite(step.raised) else "",
                _(step.decision),
            ]
            for step in self.steps
        ]
        shown = grid(head, lines, numbers=[0, 2, 3, 4, 5, 6, 7])
        before = _(
            "Errors of N rows, E of them wrong in training, are expected to be N U(E, N) at worst (confidence "
            "{confidence})."
        )
        after = _("From {before} leaves to {after}.").format(before=self.tree.n_leaves, after=self.pruned.n_leaves)
        return f"{before.format(confidence=f'{self.confidence:g}')}\n{shown}\n{after}"
