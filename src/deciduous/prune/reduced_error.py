"""Reduced-error pruning: what does not help on rows that the tree has not seen becomes a leaf (Quinlan 1987)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from deciduous.errors import OptionError
from deciduous.model.tree import Tree
from deciduous.prune.rows import LabelledRows, Need, required
from deciduous.prune.subtree import collapse
from deciduous.prune.walk import least_cost, slack_of

TIES = ("prune", "keep")


@dataclass(frozen=True)
class ReducedError:
    """Prune from below where the validation errors of a leaf are no more than those of the branches.

    Quinlan (1987, section 2.2). The result is the smallest of the subtrees that answer the validation rows best. For
    numbers errors are squared errors. `ties`: `prune` where both are equal (the smaller tree), or `keep`, which prunes
    only where the answers get better, as Zhou (2016, section 4.3.2) does. It is J48's -R too: parts of rows with
    missing cells count by the shares of growing, a branch without growing rows answers as its parent, and nothing is
    collapsed or raised.
    """

    ties: str = "prune"
    name: ClassVar[str] = "reduced_error"
    needs: ClassVar[Need] = "validation"

    def __post_init__(self) -> None:
        """Check the word."""
        if self.ties not in TIES:
            raise OptionError(f"ties={self.ties!r} must be 'prune' or 'keep'.")

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree."""
        errors = required(rows, "reduced-error pruning", self.needs).errors(tree)
        slack = slack_of(errors.as_leaf)
        made_leaf, _ = least_cost(tree, errors.as_leaf, errors.stopped, slack if self.ties == "prune" else -slack)
        return collapse(tree, made_leaf)
