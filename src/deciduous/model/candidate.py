"""What the search found for one feature in one node, kept so that a saved tree can show its working."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, overload

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

    `table`: the contingency table, shape (branches, statistics): class weights, or `(w, mean, mean squared deviation)`
    for numbers, under absolute error `(w, median, mean absolute deviation)`. `missing`: the same statistics of the rows
    whose cell is missing, where these take no part in the table. `gain` has the known share multiplied in; `score` is
    what features are compared by, of the gain less the `correction` that a threshold pays for having been chosen among
    several; `counted` says whether that gain entered the average that C4.5's guard asks for. `tried` counts the
    candidates that were scored; `known_rows` the rows that know the cell, -1 where they were not counted. `exact` is
    false if a heuristic looked for the partition. A feature without a candidate has only a verdict.
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
    correction: float = 0.0
    counted: bool = False
    known_rows: int = -1


class LazyCandidates(Sequence[tuple[Candidate, ...]]):
    """The candidates of every node of a tree, put together when they are first asked for.

    `makers`: for a node that was searched, what puts its candidates together. Pickled as plain tuples.
    """

    def __init__(self, makers: Mapping[int, Callable[[], tuple[Candidate, ...]]], n_nodes: int) -> None:
        self._makers, self._n_nodes = makers, n_nodes
        self._made: dict[int, tuple[Candidate, ...]] = {}

    def __len__(self) -> int:
        """Return the number of nodes."""
        return self._n_nodes

    @overload
    def __getitem__(self, node: int) -> tuple[Candidate, ...]: ...
    @overload
    def __getitem__(self, node: slice) -> Sequence[tuple[Candidate, ...]]: ...
    def __getitem__(self, node: int | slice) -> Any:
        """Return the candidates of a node; none of one that was not searched."""
        if isinstance(node, slice):
            return tuple(self[i] for i in range(*node.indices(len(self))))
        node = range(self._n_nodes)[node]
        if node not in self._made:
            self._made[node] = self._makers[node]() if node in self._makers else ()
        return self._made[node]

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to restore this: as plain tuples."""
        return tuple, (tuple(self),)
