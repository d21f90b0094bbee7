"""Surrogate splits: what a node asks instead where the cell of its own question is missing (Breiman et al. 1984,
section 5.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model import ragged


@dataclass(frozen=True, eq=False)
class Surrogate:
    """One surrogate split of a node with two branches.

    A threshold sends x <= threshold to the branch `below`, larger cells to the other one; a subset sends the category
    of a code to `category_branch[code]` (-1: not seen, as good as missing). `agreement`: the share of the weight with a
    known primary cell that goes the same way; `adjusted`: what that is better than sending all to the heavier branch,
    1 for a perfect one. `rows`: training rows that it sent.
    """

    feature: int
    kind: SplitKind
    threshold: float
    below: int
    category_branch: NDArray[np.int32]
    agreement: float
    adjusted: float
    rows: int = 0


@dataclass(frozen=True, eq=False)
class Surrogates:
    """The surrogate splits of many nodes: those of node i are numbers `start[i]` up to `start[i + 1]`, in order.

    For every node: `left`, the branch whose rows have the smaller target (rpart writes it first); `blind`, the branch
    whose known rows weigh more, which takes the rows that no surrogate can send, -1 if both weigh the same. The other
    arrays have an element a surrogate (see `Surrogate`); `category_branch` is ragged over `category_start`.
    """

    left: NDArray[np.int8]
    blind: NDArray[np.int8]
    start: NDArray[np.int64]
    feature: NDArray[np.int32]
    kind: NDArray[np.uint8]
    threshold: Floats
    below: NDArray[np.int8]
    category_start: NDArray[np.int64]
    category_branch: NDArray[np.int32]
    agreement: Floats
    adjusted: Floats
    rows: NDArray[np.int64]

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for f in fields(self):
            getattr(self, f.name).flags.writeable = False

    @classmethod
    def of(cls, nodes: Sequence[tuple[int, int, Sequence[Surrogate]]]) -> Surrogates:
        """Return the surrogates of nodes, given as (left, blind, surrogates) each."""
        every = [s for _, _, several in nodes for s in several]
        columns: dict[str, Any] = {
            "left": [left for left, _, _ in nodes],
            "blind": [blind for _, blind, _ in nodes],
            "start": np.cumsum([0, *(len(several) for _, _, several in nodes)]),
            "category_start": np.cumsum([0, *(len(s.category_branch) for s in every)]),
            "category_branch": np.concatenate([np.zeros(0), *(s.category_branch for s in every)]),
        }
        for name in ("feature", "kind", "threshold", "below", "agreement", "adjusted", "rows"):
            columns[name] = [getattr(s, name) for s in every]
        return cls(**{name: np.array(columns[name], dtype=dtype) for name, dtype in TYPES.items()})

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.left)

    def of_node(self, node: int) -> list[Surrogate]:
        """Return the surrogates of a node, the best first."""
        return list(self._some(range(int(self.start[node]), int(self.start[node + 1]))))

    def none_asked(self) -> Surrogates:
        """Return the same nodes without any surrogate."""
        return replace(
            Surrogates.of([]), left=self.left, blind=self.blind, start=np.zeros(len(self) + 1, dtype=np.int64)
        )

    def _some(self, which: range) -> Iterator[Surrogate]:
        for i in which:
            yield Surrogate(
                int(self.feature[i]),
                SplitKind(int(self.kind[i])),
                float(self.threshold[i]),
                int(self.below[i]),
                self.category_branch[self.category_start[i] : self.category_start[i + 1]],
                float(self.agreement[i]),
                float(self.adjusted[i]),
                int(self.rows[i]),
            )

    def take(self, nodes: NDArray[Any]) -> Surrogates:
        """Return the surrogates of some nodes (positions), in the order asked for; -1 stands for a node without any."""
        there = nodes >= 0
        at = nodes[there]
        lengths = np.zeros(len(nodes), dtype=np.int64)
        lengths[there] = np.diff(self.start)[at]
        left, blind = np.zeros(len(nodes), dtype=np.int8), np.full(len(nodes), -1, dtype=np.int8)
        left[there], blind[there] = self.left[at], self.blind[at]
        asked = ragged.take(self.start, np.arange(len(self.feature)), at)[1]
        category_start, category_branch = ragged.take(self.category_start, self.category_branch, asked)
        of_each = {name: getattr(self, name)[asked] for name in OF_EACH}
        return Surrogates(
            left=left,
            blind=blind,
            start=ragged.starts_of(lengths),
            category_start=category_start,
            category_branch=category_branch,
            **of_each,
        )

    @staticmethod
    def joined(parts: Sequence[Surrogates]) -> Surrogates:
        """Return those of batches one behind the other."""
        parts = [Surrogates.of([]), *parts]
        whole = {name: np.concatenate([getattr(part, name) for part in parts]) for name in (*OF_EACH, *RAGGED)}
        return Surrogates(
            start=ragged.starts_of(np.concatenate([np.diff(part.start) for part in parts])),
            category_start=ragged.starts_of(np.concatenate([np.diff(part.category_start) for part in parts])),
            **whole,
        )


#: The arrays with an element a surrogate.
OF_EACH = ("feature", "kind", "threshold", "below", "agreement", "adjusted", "rows")
RAGGED = ("left", "blind", "category_branch")

#: The arrays and their types.
TYPES: dict[str, type[np.generic]] = {
    "left": np.int8,
    "blind": np.int8,
    "start": np.int64,
    "feature": np.int32,
    "kind": np.uint8,
    "threshold": np.float64,
    "below": np.int8,
    "category_start": np.int64,
    "category_branch": np.int32,
    "agreement": np.float64,
    "adjusted": np.float64,
    "rows": np.int64,
}
assert set(TYPES) == {f.name for f in fields(Surrogates)}
