"""Which nodes are split next: a whole level at a time, or the best one."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from deciduous.grow.inherited import Inherited
from deciduous.model.split import Split


@dataclass(frozen=True, eq=False, slots=True)
class Pending:
    """A node whose split is decided and not yet made.

    `decrease`: the drop in impurity that the split brings, times the node's weight. `handle`: where its rows are.
    `inherited`: what the node has from above, an array of one, where an option asks for it.
    """

    node: int
    depth: int
    handle: Any
    split: Split
    gain: float
    decrease: float
    exact: bool = True
    inherited: Inherited | None = None


class Frontier(Protocol):
    """The nodes that wait for their split."""

    def push(self, nodes: Sequence[Pending]) -> None:
        """Add nodes."""

    def pop(self) -> list[Pending]:
        """Take the next nodes to split; empty when none is left."""


class LevelByLevel:
    """All nodes of a level at once."""

    def __init__(self) -> None:
        self._nodes: list[Pending] = []

    def push(self, nodes: Sequence[Pending]) -> None:
        """Add the nodes of the next level."""
        self._nodes.extend(nodes)

    def pop(self) -> list[Pending]:
        """Take all nodes."""
        level, self._nodes = self._nodes, []
        return level


def _rounded(x: float) -> float:
    """Return a number without its last 13 bits, so that decreases that differ by rounding are equal."""
    mantissa, exponent = math.frexp(x)
    return math.ldexp(round(mantissa * 2**40), exponent - 40)


class BestFirst:
    """One node at a time: the one whose split lowers the impurity most; the older one if equal."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Pending]] = []

    def push(self, nodes: Sequence[Pending]) -> None:
        """Add nodes."""
        for node in nodes:
            heapq.heappush(self._heap, (-_rounded(node.decrease), node.node, node))

    def pop(self) -> list[Pending]:
        """Take the best node."""
        return [heapq.heappop(self._heap)[2]] if self._heap else []
