"""Pre-pruning by validation: a question is asked only if more validation rows are answered right with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from deciduous.model.tree import Tree
from deciduous.prune.rows import LabelledRows, Need, required
from deciduous.prune.subtree import collapse
from deciduous.prune.walk import slack_of, sum_of_children


@dataclass(frozen=True)
class Validation:
    """Go down from the root and stop where a question does not lower the errors on the validation rows at once.

    Zhou (2016, section 4.3.1). Which question a node would ask does not depend on these rows, so that cutting the full
    tree gives what stopping while it grows would. For numbers errors are squared errors.
    """

    name: ClassVar[str] = "validation"
    needs: ClassVar[Need] = "validation"

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree."""
        errors = required(rows, "pre-pruning by validation", self.needs).errors(tree)
        asked = sum_of_children(tree, errors.as_leaf) + errors.stopped
        return collapse(tree, asked >= errors.as_leaf - slack_of(errors.as_leaf))
