"""obliquetree, with splits parallel to the axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.peers.peer import Peer
from common.workload import Data, Workload


class ObliqueTree(Peer):
    """Classifier and Regressor with `use_oblique=False`."""

    module, package = "obliquetree", "obliquetree"

    def __init__(self, work: Workload, data: Data) -> None:
        """Refuse absolute error, and missing categories."""
        super().__init__(work, data)
        from obliquetree import Classifier, Regressor

        self.demand(work.criterion != "absolute_error", "no absolute error")
        self.demand(not np.isnan(data.X[:, list(data.nominal)]).any(), "no missing cells in nominal columns")
        cls = Classifier if work.classes else Regressor
        depth = -1 if work.depth is None else work.depth
        self.model: Any = cls(use_oblique=False, max_depth=depth, categories=list(data.nominal) or None)
        self.y = data.y.astype(np.float64)

    def fit(self) -> None:
        """Grow."""
        self.model.fit(self.data.X, self.y)

    def predict(self) -> None:
        """Predict."""
        self.model.predict(self.data.queries)

    def leaf_ids(self) -> NDArray[Any]:
        """Return leaves."""
        leaves: NDArray[Any] = self.model.apply(self.data.X)
        return leaves
