"""Which nodes are split next: a whole level at a time, or the best one."""

from __future__ import annotations

import heapq
import math
from typing import Protocol

import numpy as np

from deciduous.grow.splits import Pending


class Frontier(Protocol):
    """The nodes that wait for their split."""

    def push(self, nodes: Pending) -> None:
        """Add nodes."""

    def pop(self) -> Pending | None:
        """Take the next nodes to split; None when none is left."""


class LevelByLevel:
    """All nodes of a level at once."""

    def __init__(self) -> None:
        self._level: Pending | None = None

    def push(self, nodes: Pending) -> None:
        """Set the nodes of the next level."""
        self._level = nodes if len(nodes) else None

    def pop(self) -> Pending | None:
        """Take the level."""
        level, self._level = self._level, None
        return level


def _rounded(x: float) -> float:
    """Return a number without its last 13 bits, so that decreases that differ by rounding are equal."""
    mantissa, exponent = math.frexp(x)
    return math.ldexp(round(mantissa * 2**40), exponent - 40)


class BestFirst:
    """One node at a time: the one whose split lowers the impurity most; the older one if equal."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Pending]] = []

    def push(self, nodes: Pending) -> None:
        """Add nodes."""
        for i in range(len(nodes)):
            node = nodes.take(np.array([i]))
            heapq.heappush(self._heap, (-_rounded(float(node.decrease[0])), int(node.node[0]), node))

    def pop(self) -> Pending | None:
        """Take the best node."""
        return heapq.heappop(self._heap)[2] if self._heap else None
