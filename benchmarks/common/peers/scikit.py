"""scikit-learn's trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.peers.peer import Peer
from common.workload import Data, Workload

#: How many of the alphas of the path a grid search tries.
ALPHAS = 20


class ScikitLearn(Peer):
    """DecisionTreeClassifier and DecisionTreeRegressor; with folds, GridSearchCV over some alphas of the path."""

    module, package = "sklearn", "scikit-learn"
    cross_validates = True

    def __init__(self, work: Workload, data: Data) -> None:
        """Refuse nominal columns."""
        super().__init__(work, data)
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        self.demand(not data.nominal, "its trees have no nominal columns")
        cls = DecisionTreeClassifier if work.classes else DecisionTreeRegressor
        self.found: Any = None
        self.model: Any = cls(criterion=work.criterion, max_depth=work.depth, random_state=0)

    def fit(self) -> None:
        """Grow."""
        if self.work.folds:
            self.search()
        else:
            self.model.fit(self.data.X, self.data.y)

    def search(self) -> None:
        """Grow trees for alphas evenly spread over the path of pruning, fold by fold, and keep the best one's."""
        from sklearn.model_selection import GridSearchCV, PredefinedSplit

        X, y = self.data.X, self.data.y
        alphas = np.unique(self.model.cost_complexity_pruning_path(X, y).ccp_alphas.clip(min=0))
        grid = alphas[np.linspace(0, len(alphas) - 1, ALPHAS).astype(int)]
        folds = PredefinedSplit(np.arange(len(y)) % self.work.folds)
        self.found = GridSearchCV(self.model, {"ccp_alpha": np.unique(grid)}, cv=folds).fit(X, y).best_estimator_

    def predict(self) -> None:
        """Predict."""
        self.model.predict(self.data.queries)

    def leaf_ids(self) -> NDArray[Any]:
        """Return leaves."""
        leaves: NDArray[Any] = (self.found if self.work.folds else self.model).apply(self.data.X)
        return leaves
