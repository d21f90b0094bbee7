"""c50py: C5.0's trees; pruned ones with its defaults, others without pruning and without C5.0's corrections."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import NDArray

from common.peers.peer import Peer
from common.workload import Data, Workload


class C50(Peer):
    """C5Classifier, which scores by gain ratio, and C5Regressor."""

    module, package = "c50py", "c50py"
    other_criterion: ClassVar = {"gini": "gain_ratio"}

    def __init__(self, work: Workload, data: Data) -> None:
        """Refuse limits of depth for numbers, and absolute error."""
        super().__init__(work, data)
        from c50py import C5Classifier, C5Regressor

        self.demand(work.criterion != "absolute_error", "no absolute error")
        options: dict[str, Any] = {} if work.pruned else {"pruning": False, "min_samples_leaf": 1}
        options["categorical_features"] = list(data.nominal) or None
        if work.classes:
            exact = {} if work.pruned else {"mdl_penalty": False, "numeric_min_split": False}
            exact["max_depth"] = work.depth
            self.model: Any = C5Classifier(**options, **exact)
        else:
            self.demand(work.depth is None, "its regression tree has no limit of depth")
            self.model = C5Regressor(**options)

    def fit(self) -> None:
        """Grow."""
        self.model.fit(self.data.X, self.data.y)

    def predict(self) -> None:
        """Predict."""
        self.model.predict(self.data.queries)

    def leaf_ids(self) -> NDArray[Any]:
        """Return leaves."""
        leaves: NDArray[Any] = self.model.apply(self.data.X)
        return leaves
