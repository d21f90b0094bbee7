"""The contingency table of one feature in one node, and what a search returns for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import Criterion
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.search.conventions import C45, Conventions
from deciduous.search.conventions import TIE as TIE

Counts = NDArray[np.int64]

#: The policies for missing cells under which gains are taken on known rows and multiplied by their share.
KNOWN_ROWS_ONLY = ("error", "majority", "fractional", "surrogates")


@dataclass(frozen=True, eq=False)
class Contingency:
    """Sums of the target's statistics per value of one feature in one node.

    `table`: shape (values, statistics); `counts`: rows per value; `missing` and `missing_count`: the same for the
    rows whose cell is missing. `values`: for a numeric or ordinal feature the distinct values, increasing; for a
    nominal one None, and line k belongs to category k (categories absent from the node have zero lines). With
    `max_bins` a line may hold several values: `values` are the least ones, `greatest` the greatest.
    """

    table: Floats
    counts: Counts
    missing: Floats
    missing_count: int
    values: Floats | None = None
    greatest: Floats | None = None


@dataclass(frozen=True)
class Rule:
    """What a search must know: the criterion, the policy for missing cells, the limits and the node's tie band.

    `band`: scores within it are tied. `training_values`: with `threshold="data"`, the sorted values of the column in
    all training rows, else None. `splitter`: `best`, or `random` (one candidate, drawn by hash from `key`, that of the
    node and the column). `mdl_correction`: thresholds pay for the choice among the candidates; `conventions`: what is
    equal and what is enough. `looks`: how many columns a node looks at, None for all. `monotone`: -1, 0 or 1; with one
    of the others, branches answer in that order and between `low` and `high`, in units of the scanned numbers. `band`,
    `key`, `low` and `high` are a node's own.
    """

    criterion: Criterion
    missing: str
    nominal: str
    band: float
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    min_cases: float = 0.0
    mdl_correction: bool = False
    conventions: Conventions = C45
    training_values: Floats | None = None
    splitter: str = "best"
    looks: int | None = None
    monotone: int = 0
    key: int = 0
    low: float = -math.inf
    high: float = math.inf

    @property
    def limited(self) -> bool:
        """Whether limits, or the criterion, may forbid candidates."""
        return self.min_samples_leaf > 1 or self.min_weight_leaf > 0 or self.min_cases > 0 or self.criterion.forbids

    @property
    def known_rows_only(self) -> bool:
        """Whether gains are taken on the known rows and multiplied by their share."""
        return self.missing in KNOWN_ROWS_ONLY


@dataclass(frozen=True, eq=False, slots=True)
class Found:
    """The best candidate of one feature.

    `kind`, `threshold`, `category_branch` describe the split; `weights` are those of its branches; `table` (branches,
    statistics) its contingency table, where that was asked for; `missing_branch` where missing cells were counted, or
    -1. `gain` includes the known share; `correction` is what a threshold pays for the choice among the candidates;
    `score` is what features are compared by (of the gain less the correction), -inf if the candidate is none after all;
    `split_information` as C4.5 has it.
    `missing`: the statistics of the rows whose cell is missing, if the node has any. `known_rows`: the number of rows
    whose cell is known, where it was counted.
    """

    kind: SplitKind
    weights: Sequence[float]
    table: Floats | None
    gain: float
    score: float
    split_information: float
    correction: float = 0.0
    missing_branch: int = -1
    threshold: float = float("nan")
    category_branch: NDArray[np.int32] | None = None
    tried: int = 1
    exact: bool = True
    missing: Floats | None = None
    known_rows: int = -1


def weight_of(statistics: Floats, criterion: Criterion) -> Floats:
    """Return the weight in statistics: the sum over classes, or the first moment column."""
    return criterion.weight(statistics)
