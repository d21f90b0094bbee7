"""One split: the question a node asks, and where each answer leads."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels import SplitKind
from deciduous.measures import Floats

_NO_CATEGORIES = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Split:
    """A question about one column.

    `feature`: position of the column in the schema. `category_branch[code]` is the branch of a category (-1: absent
    from the node in training; such a row is treated as unseen). `shares[b]`: the share of a missing cell's row that
    goes to branch b; one 1 sends it whole, all 0 lets it stop at the node. With a branch of their own, missing cells
    take the last one.
    """

    feature: int
    kind: SplitKind
    n_branches: int
    threshold: float = float("nan")
    category_branch: NDArray[np.int32] = field(default_factory=lambda: _NO_CATEGORIES)
    shares: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def missing_branch(self) -> int:
        """The branch that holds missing cells and nothing else, or -1 if there is none."""
        if self.kind == SplitKind.MISSING:
            return 1
        if self.kind == SplitKind.GROUPS:
            return -1
        known = len(self.category_branch) if self.kind == SplitKind.MULTIWAY else 2
        return self.n_branches - 1 if self.n_branches > known else -1

    def categories_of(self, branch: int) -> NDArray[np.intp]:
        """Return the category codes that lead to a branch."""
        return np.flatnonzero(self.category_branch == branch)
