"""Splits by the batch: what `model.Split` is for one node, as arrays for many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.grow.inherited import Inherited
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.ragged import Starts, lengths_of, starts_of, take
from deciduous.model.split import Split
from deciduous.model.surrogates import Surrogates


@dataclass(frozen=True, eq=False, slots=True)
class Splits:
    """A batch of splits: arrays with an element a split.

    `share` is ragged over branches (`branch_start`), `category_branch` over categories (`category_start`; only splits
    of categories have any). `exact`: no heuristic looked for the split. `surrogates`: those of the splits, once they
    are looked for.
    """

    feature: NDArray[np.int32]
    kind: NDArray[np.uint8]
    threshold: Floats
    branch_start: Starts
    share: Floats
    category_start: Starts
    category_branch: NDArray[np.int32]
    exact: NDArray[np.bool_]
    surrogates: Surrogates | None = None

    @classmethod
    def of(cls, splits: Sequence[Split], exact: Sequence[bool]) -> Splits:
        """Return single splits as a batch."""
        none = np.zeros(0, dtype=np.int32)
        return cls(
            np.array([split.feature for split in splits], dtype=np.int32),
            np.array([split.kind for split in splits], dtype=np.uint8),
            np.array([split.threshold for split in splits], dtype=np.float64),
            starts_of([split.n_branches for split in splits]),
            np.concatenate([np.zeros(0), *(split.shares for split in splits)]),
            starts_of([len(split.category_branch) for split in splits]),
            np.concatenate([none, *(split.category_branch for split in splits)]),
            np.array(exact, dtype=bool),
        )

    def __len__(self) -> int:
        """Return the number of splits."""
        return len(self.feature)

    @property
    def n_branches(self) -> NDArray[np.int64]:
        """The number of branches of each split."""
        return lengths_of(self.branch_start)

    def take(self, which: NDArray[Any]) -> Splits:
        """Return some of the splits, in the order asked for (positions, or flags)."""
        at = which.nonzero()[0] if which.dtype == bool else which
        branches = take(self.branch_start, self.share, at)
        categories = take(self.category_start, self.category_branch, at)
        surrogates = None if self.surrogates is None else self.surrogates.take(at)
        return Splits(
            self.feature[at], self.kind[at], self.threshold[at], *branches, *categories, self.exact[at], surrogates
        )

    @staticmethod
    def joined(parts: Sequence[Splits]) -> Splits:
        """Return batches one behind the other."""
        if len(parts) == 1:
            return parts[0]
        return Splits(
            np.concatenate([part.feature for part in parts]),
            np.concatenate([part.kind for part in parts]),
            np.concatenate([part.threshold for part in parts]),
            starts_of(np.concatenate([part.n_branches for part in parts])),
            np.concatenate([part.share for part in parts]),
            starts_of(np.concatenate([lengths_of(part.category_start) for part in parts])),
            np.concatenate([part.category_branch for part in parts]),
            np.concatenate([part.exact for part in parts]),
            Surrogates.joined([s for part in parts if (s := part.surrogates) is not None])
            if all(part.surrogates is not None for part in parts)
            else None,
        )

    def __getitem__(self, i: int) -> Split:
        """Return one of the splits."""
        branches = slice(self.branch_start[i], self.branch_start[i + 1])
        categories = slice(self.category_start[i], self.category_start[i + 1])
        return Split(
            int(self.feature[i]),
            SplitKind(self.kind[i]),
            int(self.branch_start[i + 1] - self.branch_start[i]),
            float(self.threshold[i]),
            self.category_branch[categories],
            self.share[branches],
        )


@dataclass(frozen=True, eq=False, slots=True)
class Pending:
    """Nodes whose splits are decided and not yet made: arrays with an element a node.

    `decrease`: the drop in impurity that the split brings, times the node's weight. `handles`: where their rows are.
    `inherited`: what the nodes have from above, where an option asks for it.
    """

    node: NDArray[np.int64]
    depth: NDArray[np.int64]
    handles: NDArray[Any]
    splits: Splits
    gain: Floats
    decrease: Floats
    inherited: Inherited | None = None

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.node)

    def take(self, which: NDArray[Any]) -> Pending:
        """Return some of the nodes."""
        return Pending(
            self.node[which],
            self.depth[which],
            self.handles[which],
            self.splits.take(which),
            self.gain[which],
            self.decrease[which],
            None if self.inherited is None else self.inherited.take(which),
        )


#: No nodes at all.
NOTHING = Pending(
    np.zeros(0, dtype=np.int64),
    np.zeros(0, dtype=np.int64),
    np.zeros(0),
    Splits.of([], []),
    np.zeros(0),
    np.zeros(0),
)
