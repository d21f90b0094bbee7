"""What the search found for one feature in one node, kept so that a saved tree can show its working."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from deciduous.measures import Floats
from deciduous.model.split import Split

#: Why a feature was chosen or not.
Verdict = Literal[
    "chosen", "tied", "lower", "below average gain", "no gain", "constant", "no known cell", "limits", "not looked at"
]
VERDICTS: tuple[str, ...] = get_args(Verdict)


@dataclass(frozen=True, eq=False)
class Candidate:
    """The best candidate split of one feature in one node.

    `table`: the contingency table, shape (branches, statistics): class weights, or `(w, mean, mean squared
    deviation)` for numbers, under absolute error `(w, median, mean absolute deviation)`. `missing`: the same statistics
    of the rows whose cell is missing, where these take no part in the table. `gain` has the known share multiplied in;
    `score` is what features are compared by. `tried` counts the candidates that were scored. `exact` is false if a
    heuristic looked for the partition. A feature without a candidate has only a verdict.
    """

    feature: int
    verdict: Verdict
    split: Split | None = None
    table: Floats | None = None
    missing: Floats | None = None
    gain: float = float("nan")
    score: float = float("nan")
    tried: int = 0
    exact: bool = True
