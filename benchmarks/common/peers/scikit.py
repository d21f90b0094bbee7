"""scikit-learn's trees."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from common.peers.peer import Peer
from common.workload import Data, Workload


class ScikitLearn(Peer):
    """DecisionTreeClassifier and DecisionTreeRegressor."""

    module, package = "sklearn", "scikit-learn"

    def __init__(self, work: Workload, data: Data) -> None:
        """Refuse nominal columns."""
        super().__init__(work, data)
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        self.demand(not data.nominal, "its trees have no nominal columns")
        cls = DecisionTreeClassifier if work.classes else DecisionTreeRegressor
        self.model: Any = cls(criterion=work.criterion, max_depth=work.depth, random_state=0)

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
