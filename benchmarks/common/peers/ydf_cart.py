"""ydf (Yggdrasil Decision Forests): its CART learner, not pruned."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from common.peers.peer import Peer
from common.workload import Data, Workload


class Ydf(Peer):
    """CartLearner; it scores classes by entropy, and counts depth from 1. Missing cells are imputed, its only way."""

    module, package = "ydf", "ydf"
    other_criterion: ClassVar = {"gini": "entropy"}

    def __init__(self, work: Workload, data: Data) -> None:
        """Refuse absolute error."""
        super().__init__(work, data)
        import ydf

        self.demand(work.criterion != "absolute_error", "no absolute error")
        ydf.verbose(0)
        self.training = self._columns(data.X) | {"y": data.y}
        self.queries = None if data.queries is None else self._columns(data.queries)
        self.learner = ydf.CartLearner(
            label="y",
            task=ydf.Task.CLASSIFICATION if work.classes else ydf.Task.REGRESSION,
            features=[
                ydf.Feature(f"x{j}", ydf.Semantic.CATEGORICAL if j in data.nominal else ydf.Semantic.NUMERICAL)
                for j in range(work.columns)
            ],
            min_vocab_frequency=1,
            max_vocab_count=-1,
            max_depth=-1 if work.depth is None else work.depth + 1,
            min_examples=1,
            validation_ratio=0.0,
            num_threads=2,
        )

    def _columns(self, X: NDArray[np.float64]) -> dict[str, Any]:
        columns: dict[str, Any] = {f"x{j}": np.ascontiguousarray(column) for j, column in enumerate(X.T)}
        for j in self.data.nominal:
            codes = np.nan_to_num(X[:, j], nan=-1).astype(np.int64)
            labels = np.array([*(f"c{code}" for code in range(codes.max() + 1)), ""])  # code -1, "": missing
            columns[f"x{j}"] = labels[codes]
        return columns

    def fit(self) -> None:
        """Grow."""
        self.model = self.learner.train(self.training)

    def predict(self) -> None:
        """Predict."""
        self.model.predict(self.queries, num_threads=2)

    def leaf_ids(self) -> NDArray[Any]:
        """Return leaves."""
        leaves: NDArray[Any] = self.model.predict_leaves(self.training)[:, 0]
        return leaves
