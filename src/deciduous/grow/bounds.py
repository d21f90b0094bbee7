"""How much risk is left to lower below a node: what stops growing by complexity (`cp`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciduous.grow.risk import Risk
from deciduous.measures import Floats
from deciduous.model.reason import Reason
from deciduous.search.contingency import TIE


class ComplexityBounds:
    """The risk of every node so far, and an upper bound of what its subtree may still save.

    A node whose risk or bound is not above alpha is not worth a split. A child may save at most what its parent had,
    less the alpha that the parent's own split must bring. The exact limits, which depend on the subtrees of siblings,
    are kept to when the tree is finished (`prune/complexity.py`); until then no node is stopped that they would split.
    """

    def __init__(self, risk: Risk, cp: float) -> None:
        self._cp, self.alpha = cp, risk.alpha
        self._risks, self._limits, self._scores = np.zeros(0), np.zeros(0), np.zeros(0)
        self._handed: Floats | None = None
        self._handed_scores = np.zeros(1)

    def hand_down(self, parents: NDArray[np.int64]) -> None:
        """Say which nodes are the parents of those that come next."""
        assert self.alpha is not None
        self._handed = np.minimum(self._risks, self._limits)[parents] - self.alpha
        self._handed_scores = self._scores[parents]

    def stop(self, risks: Floats, reasons: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the reasons of new nodes, with those that are not worth a split stopped."""
        if self.alpha is None:
            self.alpha = self._cp * float(risks[0])
        limits = risks if self._handed is None else self._handed
        self._risks, self._limits = np.append(self._risks, risks), np.append(self._limits, limits)
        self._scores = np.append(self._scores, self._handed_scores)
        poor = (np.minimum(risks, limits) <= self.alpha) & (reasons == Reason.SPLIT)
        return np.where(poor, np.uint8(Reason.COMPLEXITY), reasons)

    def noticeable(self, numbers: NDArray[np.int64], score: Floats) -> NDArray[np.bool_]:
        """Return which scores, shape (nodes, columns), are more than next to nothing beside the best one of the node
        or of one above it.
        """
        best = np.maximum(self._scores[numbers], score.max(axis=1, initial=0.0))
        self._scores[numbers] = best
        large: NDArray[np.bool_] = score > TIE * best[:, None]
        return large
