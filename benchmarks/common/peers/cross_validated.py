"""cvdt: trees whose splits are scored on held-out folds."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from common.peers.peer import Peer, Refused
from common.workload import Data, Workload


class Cvdt(Peer):
    """CVDTClassifier and CVDTRegressor in the faster of its modes, with the fewest folds; 256 quantile bins."""

    module, package = "cvdt", "cvdt"

    def __init__(self, work: Workload, data: Data) -> None:
        """Refuse absolute error, which the fast mode lacks."""
        super().__init__(work, data)
        from cvdt import CVDTClassifier, CVDTRegressor

        self.demand(work.criterion != "absolute_error", "no absolute error in its fast mode")
        cls = CVDTClassifier if work.classes else CVDTRegressor
        self.model: Any = cls(
            max_depth=1000 if work.depth is None else work.depth,
            mode="fast",
            n_bins=256,
            cv_folds=2,
            parallel=True,
            n_threads=2,
            categorical_features=list(data.nominal) or None,
        )

    def fit(self) -> None:
        """Grow."""
        self.model.fit(self.data.X, self.data.y)

    def predict(self) -> None:
        """Predict."""
        self.model.predict(self.data.queries)

    def leaf_ids(self) -> NDArray[Any]:
        """Refuse: it does not say where rows end."""
        raise Refused("it does not say in which leaf a row ends")
