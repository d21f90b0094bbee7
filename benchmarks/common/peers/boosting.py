"""lightgbm and xgboost: one boosting round without shrinkage or regularisation is one tree.

From a constant start the second derivatives of the logistic loss are equal in all rows, so that its gain is the drop in
Gini, and for squared error the drop in variance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.peers.peer import Peer
from common.workload import Data, Workload

#: The most leaves that lightgbm allows; it sets memory aside for histograms of as many, unless that has a limit (MiB).
MOST_LEAVES, HISTOGRAMS = 131072, 1024
#: xgboost's exact method needs a limit of depth; no tree here comes near this one.
NO_LIMIT = 1000
#: Categories that a branch may hold; more than any table here has.
MOST_CATEGORIES = 1000


class LightGBM(Peer):
    """LGBMClassifier and LGBMRegressor: 255 bins, leaf-wise."""

    module, package = "lightgbm", "lightgbm"

    def __init__(self, work: Workload, data: Data) -> None:
        """Refuse what would be several trees."""
        super().__init__(work, data)
        from lightgbm import LGBMClassifier, LGBMRegressor

        self.demand(work.classes <= 2, "grows a tree for each class")
        self.demand(work.criterion != "absolute_error", "no tree of least absolute error (it boosts its gradient)")
        cls = LGBMClassifier if work.classes else LGBMRegressor
        self.X = data.frame() if data.nominal else data.X
        self.model: Any = cls(
            n_estimators=1,
            learning_rate=1.0,
            max_depth=-1 if work.depth is None else work.depth,
            num_leaves=min(MOST_LEAVES, work.rows, 2 ** (work.depth or 30)),
            histogram_pool_size=HISTOGRAMS,
            min_child_samples=1,
            min_child_weight=0.0,
            min_data_in_bin=1,
            min_data_per_group=1,
            cat_smooth=0.0,
            cat_l2=0.0,
            max_cat_threshold=MOST_CATEGORIES,
            n_jobs=2,
            verbose=-1,
        )

    def fit(self) -> None:
        """Grow."""
        self.model.fit(self.X, self.data.y)

    def predict(self) -> None:
        """Predict."""
        self.model.booster_.predict(self.data.queries, num_threads=2)

    def leaf_ids(self) -> NDArray[Any]:
        """Return leaves."""
        return np.asarray(self.model.booster_.predict(self.X, pred_leaf=True))[:, 0]


class XGBoost(Peer):
    """XGBClassifier and XGBRegressor; `method`: `exact`, or `hist` with 256 bins."""

    module, package = "xgboost", "xgboost-cpu"

    def __init__(self, work: Workload, data: Data, method: str) -> None:
        """Refuse what the method cannot do."""
        super().__init__(work, data)
        from xgboost import XGBClassifier, XGBRegressor

        exact = method == "exact"
        self.demand(not exact or work.classes <= 2, "its exact method grows a tree for each class")
        self.demand(not exact or not data.nominal, "its exact method has no nominal columns")
        self.demand(work.criterion != "absolute_error", "no tree of least absolute error (it boosts its gradient)")
        cls = XGBClassifier if work.classes else XGBRegressor
        unlimited = NO_LIMIT if exact else 0
        self.X = data.frame() if data.nominal else data.X
        self.model: Any = cls(
            n_estimators=1,
            learning_rate=1.0,
            tree_method=method,
            max_depth=unlimited if work.depth is None else work.depth,
            reg_lambda=0.0,
            min_child_weight=0.0,
            enable_categorical=bool(data.nominal),
            max_cat_to_onehot=1,
            max_cat_threshold=MOST_CATEGORIES,
            multi_strategy="multi_output_tree" if work.classes > 2 else None,
            n_jobs=2,
        )

    def fit(self) -> None:
        """Grow."""
        self.model.fit(self.X, self.data.y)

    def predict(self) -> None:
        """Predict."""
        self.model.predict(self.data.queries)

    def leaf_ids(self) -> NDArray[Any]:
        """Return leaves."""
        return np.asarray(self.model.apply(self.X)).reshape(len(self.data.y), -1)[:, 0]
