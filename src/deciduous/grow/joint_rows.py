"""Rows with several targets: the statistics of the targets side by side, searched as those of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import JOINT, columns_of, jointly
from deciduous.data.table import Table
from deciduous.errors import OptionError, listing
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.rows import Entries, MemoryRows, Rowids
from deciduous.grow.surrogate_options import ONLY_WITH, given
from deciduous.measures import Floats


class JointRows(MemoryRows):
    """The training rows of a table, with several targets.

    `values`: class codes or numbers, shape (rows, targets); `n_classes`: one a target (1 for numbers). Each target of
    a node is centred on its own mean; all are scaled alike, so that their errors can be added.
    """

    def __init__(
        self,
        table: Table,
        values: NDArray[np.int32] | Floats,
        weight: Floats,
        algorithm: Algorithm,
        n_classes: Sequence[int],
        rows: Rowids,
    ) -> None:
        columns = columns_of(algorithm.task, n_classes)
        criterion = jointly(algorithm.scoring, columns)
        super().__init__(table, values, weight, criterion, sum(n_classes), rows, algorithm.max_bins)
        self._one = algorithm.scoring
        self._offsets = [int(own[0]) for own in columns]

    def _classes(self, entries: Entries) -> tuple[Any, ...]:
        y: NDArray[Any] = self.values[entries.rows]
        statistics = self._class_weights(y, np.zeros(len(y), dtype=np.int64), 1, entries.weight)[0]
        return len(y), entries.weight.sum(), statistics, 0.0, _constant(y), 0.0, 1.0

    def _numbers(self, entries: Entries) -> tuple[Any, ...]:
        y: NDArray[Any] = self.values[entries.rows]
        w, n_targets = entries.weight, len(self._offsets)
        if not len(y):
            return 0, 0.0, np.zeros(1 + 2 * n_targets), 0.0, True, np.zeros(n_targets), 1.0
        total = float(w.sum())
        nodes = [self._one.centred(own, w) for own in y.T]
        scale = max(node.scale for node in nodes)
        scaled = float(np.mean([node.scaled_impurity * (node.scale / scale) ** 2 for node in nodes]))
        statistics = np.array([total, *(figure for node in nodes for figure in (node.value, node.impurity))])
        return len(y), total, statistics, scaled, _constant(y), np.array([node.centre for node in nodes]), scale

    def _sums(
        self, groups: NDArray[np.int64], n_groups: int, entries: Entries, centre: Any, scale: float
    ) -> tuple[Floats, NDArray[np.int64]]:
        y: NDArray[Any] = self.values[entries.rows]
        counts = np.bincount(groups, minlength=n_groups).astype(np.int64)
        if self.task == "class":
            return self._class_weights(y, groups, n_groups, entries.weight), counts
        powers = [np.ones(len(y)), *(own**k for own in ((y - centre) / scale).T for k in (1, 2))]
        sums = [np.bincount(groups, weights=entries.weight * power, minlength=n_groups) for power in powers]
        return np.stack(sums, axis=1).astype(np.float64), counts

    def _class_weights(self, y: NDArray[Any], groups: NDArray[np.int64], n_groups: int, weight: Floats) -> Floats:
        """Return the class weights of all targets by group, shape (groups, classes of all targets)."""
        width = self.n_classes
        cells = (groups[:, None] * width + y + self._offsets).ravel()
        weights = np.repeat(weight, len(self._offsets))
        summed = np.bincount(cells, weights=weights, minlength=n_groups * width).astype(np.float64)
        return summed.reshape(n_groups, width)


def _constant(y: NDArray[Any]) -> bool:
    """Whether every target has one value in all rows."""
    return bool((y == y[:1]).all())


def refuse_joint(algorithm: Algorithm, targets: Sequence[str]) -> None:
    """Raise OptionError for options that do not go with several targets, naming all of them."""
    several = f"y has {len(targets)} columns ({listing(targets)})"
    if algorithm.name != "cart":
        raise OptionError(
            f"{several}, and {algorithm.name} predicts one target: use CARTClassifier, or fit one tree a column."
        )
    found = not_joint(algorithm)
    if found:
        raise OptionError(f"{several}, and there is what does not go with several targets: {'; '.join(found)}.")


def not_joint(algorithm: Algorithm) -> list[str]:
    """Return the options of CART that do not go with several targets, and what to do instead."""
    fit = [name for name in JOINT if name in algorithm.criteria]
    one_mapping = "class_weight with one mapping (use 'balanced', or a list with a mapping for each target)"
    refused: dict[str, bool] = {
        "missing='surrogates' (all of rpart's way)": algorithm.missing == "surrogates",
        f"criterion={algorithm.scoring.name!r} (use {listing(fit)})": algorithm.criterion not in fit,
        "monotonic_cst": algorithm.monotonic_cst is not None,
        one_mapping: isinstance(algorithm.class_weight, Mapping),
        f"pruning={algorithm.pruning!r} (use ccp_alpha)": algorithm.pruning is not None and algorithm.ccp_alpha == 0,
        "cv": algorithm.cv is not None,
        **{option: given(algorithm, option) for option in ONLY_WITH},
        "nominal='groups'": algorithm.nominal == "groups",
    }
    return [what for what, is_there in refused.items() if is_there]
