"""Read-only views of the nodes of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deciduous.data.schema import Label
from deciduous.model.candidate import Candidate
from deciduous.model.reason import Reason
from deciduous.model.split import Split

if TYPE_CHECKING:
    from deciduous.model.tree import Tree


@dataclass(frozen=True)
class Node:
    """A read-only view of one node."""

    tree: Tree
    index: int

    def __repr__(self) -> str:
        """Return what the node is, in a line."""
        what = f"leaf, {self.prediction!r}" if self.is_leaf else f"asks {self.feature!r}"
        return f"<Node {self.index}: {what}, {self.n_samples} rows>"

    @property
    def is_leaf(self) -> bool:
        """Whether the node asks nothing."""
        return bool(self.tree.first_child[self.index] < 0)

    @property
    def depth(self) -> int:
        """The number of questions before it."""
        return int(self.tree.depth[self.index])

    @property
    def parent(self) -> Node | None:
        """The node above, None for the root."""
        parent = int(self.tree.parent[self.index])
        return None if parent < 0 else Node(self.tree, parent)

    @property
    def children(self) -> Sequence[Node]:
        """The nodes below, one a branch, in order."""
        first, n = int(self.tree.first_child[self.index]), int(self.tree.n_branches[self.index])
        return [] if first < 0 else [Node(self.tree, first + b) for b in range(n)]

    @property
    def branch(self) -> int:
        """Which branch of its parent leads here; -1 for the root."""
        parent = self.parent
        return -1 if parent is None else self.index - int(self.tree.first_child[parent.index])

    @property
    def split(self) -> Split | None:
        """The question, None for a leaf."""
        return None if self.is_leaf else self.tree.split(self.index)

    @property
    def feature(self) -> str | None:
        """The name of the column asked for, None for a leaf."""
        return None if self.is_leaf else self.tree.schema.features[self.tree.feature[self.index]].name

    @property
    def n_samples(self) -> int:
        """Training rows that are here."""
        return int(self.tree.n_samples[self.index])

    @property
    def weight(self) -> float:
        """The sum of their weights."""
        return float(self.tree.weight[self.index])

    @property
    def impurity(self) -> float:
        """The impurity, in the units of the criterion."""
        return float(self.tree.impurity[self.index])

    @property
    def gain(self) -> float:
        """The gain of the split made; NaN for a leaf."""
        return float(self.tree.gain[self.index])

    @property
    def class_weights(self) -> dict[Label, float]:
        """The weight of each class present (the number of rows, where rows are not weighted)."""
        part = slice(self.tree.class_start[self.index], self.tree.class_start[self.index + 1])
        codes, weights = self.tree.class_code[part].tolist(), self.tree.class_weight[part].tolist()
        return {self.tree.classes[code]: weight for code, weight in zip(codes, weights, strict=True)}

    @property
    def prediction(self) -> Label:
        """The class predicted, or the mean or median of the target."""
        value = float(self.tree.value[self.index])
        return self.tree.classes[int(value)] if self.tree.task == "class" else value

    @property
    def reason(self) -> Reason:
        """Why it is a leaf (`Reason.SPLIT` for an inner node)."""
        return Reason(int(self.tree.reason[self.index]))

    @property
    def candidates(self) -> tuple[Candidate, ...] | None:
        """The best candidate of every feature, if the tree keeps them; empty where no search was made."""
        return None if self.tree.candidates is None else self.tree.candidates[self.index]
