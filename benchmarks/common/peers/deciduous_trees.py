"""deciduous: CART in exact and binned mode; and C4.5, which trees by gain ratio are compared with."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.peers.peer import Peer
from common.workload import Data, Workload


class Deciduous(Peer):
    """Our trees; nominal columns are given as pandas categories, other tables as an array."""

    module, package = "deciduous", "deciduous"
    like_rpart = cross_validates = True

    def __init__(self, work: Workload, data: Data, threads: int, max_bins: int | None = None) -> None:
        """Refuse options that this version does not have."""
        super().__init__(work, data)
        self.X = data.frame() if data.nominal else data.X
        cls = _estimator(work)
        folds = np.arange(work.rows) % work.folds if work.folds else None
        if work.cp is not None:
            self.model = cls.rpart(cp=work.cp, xval=0 if folds is None else folds).set_params(n_jobs=threads)
            self.model.set_params(pruning=None if folds is None else "cost_complexity")
            return
        options: dict[str, Any] = {"max_depth": work.depth, "n_jobs": threads, "criterion": work.criterion}
        if max_bins is not None:
            options["max_bins"] = max_bins
        if work.criterion == "gain_ratio" and not work.pruned:  # as few rows in a branch as the others allow
            options |= {"min_cases": 1.0, "mdl_correction": False, "collapse": False, "pruning": None}
        if folds is not None:
            options |= {"pruning": "cost_complexity", "cv": folds}
        for option in options:
            self.demand(option in inspect.signature(cls).parameters, f"{option} is not in this version")
        self.demand(work.criterion in cls._base.criteria, f"{work.criterion} is not in this version")
        self.model = cls(**options)

    @property
    def version(self) -> str:
        """The version of the package, which need not be installed to be measured."""
        import deciduous

        return deciduous.__version__

    def fit(self) -> None:
        """Grow."""
        self.model.fit(self.X, self.data.y)

    def predict(self) -> None:
        """Predict."""
        self.model.predict(self.data.queries)

    def leaf_ids(self) -> NDArray[Any]:
        """Return leaves."""
        leaves: NDArray[Any] = self.model.apply(self.X)
        return leaves


def _estimator(work: Workload) -> Any:
    from deciduous import C45Classifier, CARTClassifier, CARTRegressor

    if work.criterion == "gain_ratio":
        return C45Classifier
    return CARTClassifier if work.classes else CARTRegressor
