"""The growing tree: nodes are added batch by batch, and frozen into a `Tree` at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import columns_of
from deciduous.data.schema import Label, Schema
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.nodes import Nodes
from deciduous.grow.record import Record
from deciduous.grow.risk import Risk, costs_of
from deciduous.grow.splits import Pending, Splits
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.answers import Answers
from deciduous.model.candidate import Candidate, LazyCandidates
from deciduous.model.ragged import lengths_of, starts_of, take
from deciduous.model.reason import Reason
from deciduous.model.surrogates import Surrogates
from deciduous.model.tree import ARRAYS, Tree
from deciduous.search.conventions import CONVENTIONS

#: A target: its name and its classes (none for numbers).
Named = tuple[str, tuple[Label, ...]]

#: The most numbers that kept contingency tables may hold together; beyond it a tree keeps none.
MOST_CELLS = 2_000_000


class TreeBuilder:
    """Collects batches of nodes, and their splits."""

    def __init__(self, algorithm: Algorithm, risk: Risk | None = None) -> None:
        self.algorithm, self.risk = algorithm, risk
        self._n = 0
        self._batches: dict[str, list[NDArray[Any]]] = {
            name: [] for name in ("parent", "share", "n_samples", "weight", "impurity")
        }
        self._statistics: list[Floats] = []
        self._risks: list[Floats] = []
        self._splits: list[tuple[Pending, NDArray[np.int64]]] = []  # with the first child of each
        self._reasons: list[tuple[NDArray[np.int64], NDArray[np.uint8]]] = []
        self._records: list[tuple[NDArray[np.int64], Callable[[], Record]]] = []
        self._cells = 0

    def __len__(self) -> int:
        """Return the number of nodes so far."""
        return self._n

    @property
    def keeps_candidates(self) -> bool:
        """Whether the tree is still small enough to keep what was found in its nodes."""
        return self._n <= self.algorithm.keep_candidates and self._cells <= MOST_CELLS

    def add(self, nodes: Nodes, parent: NDArray[np.int64], share: Floats) -> NDArray[np.int64]:
        """Add a batch of nodes, leaves so far, and return their numbers."""
        numbers = np.arange(self._n, self._n + len(nodes))
        self._n += len(nodes)
        batch = {
            "parent": parent,
            "share": share,
            "n_samples": nodes.rows,
            "weight": nodes.weight,
            "impurity": nodes.impurity,
        }
        for name, values in batch.items():
            self._batches[name].append(values)
        self._statistics.append(nodes.statistics)
        if nodes.risk is not None:
            self._risks.append(nodes.risk)
        return numbers

    def stop(self, numbers: NDArray[np.int64], reasons: NDArray[np.uint8]) -> None:
        """Say why nodes stay leaves."""
        self._reasons.append((numbers, reasons))

    def split(self, nodes: Pending, first_child: NDArray[np.int64]) -> None:
        """Say how nodes are split; their children are (or will be) added from `first_child` on."""
        if len(nodes):
            self._splits.append((nodes, first_child))

    def keep(self, numbers: NDArray[np.int64], n_cells: int, record: Callable[[], Record]) -> None:
        """Keep what was found in nodes, in contingency tables of so many cells; `record` makes it when it is first
        asked for.
        """
        self._records.append((numbers, cache(record)))
        self._cells += n_cells

    def freeze(
        self,
        schema: Schema,
        target: str,
        classes: tuple[Label, ...],
        weighted: bool,
        others: Sequence[Named] = (),
    ) -> Tree:
        """Return the finished tree. `others`: further targets, whose statistics lie beside those of the first."""
        arrays = {name: _joined(batches) for name, batches in self._batches.items()}
        arrays |= self._structure()
        statistics = _joined(self._statistics)
        empty = arrays["reason"] == Reason.EMPTY
        arrays["answers_from"] = np.where(empty, arrays["parent"], np.arange(self._n))
        targets = [(target, classes), *others]
        parts = self._parts(targets, statistics)
        answers = self._answers(targets, parts, arrays["answers_from"])
        arrays |= answers[0].arrays()
        more = self._of_risk(schema, statistics, arrays)
        if others:
            more["impurities"] = self._impurities(parts)
        typed: dict[str, Any] = {  # one after the other: both kinds of all arrays need not fit into memory
            name: np.ascontiguousarray(arrays.pop(name), dtype=dtype) for name, dtype in ARRAYS.items()
        }
        kept = self._candidates() if self.keeps_candidates else None
        task, options = self.algorithm.task, self.algorithm.plain()
        return Tree(
            schema, task, target, classes, options, weighted, **typed, candidates=kept, others=answers[1:], **more
        )

    def _parts(self, targets: Sequence[Named], statistics: Floats) -> list[Floats]:
        """Return the statistics of the nodes, target by target."""
        if len(targets) == 1:
            return [statistics]
        columns = columns_of(self.algorithm.task, [max(len(classes), 1) for _, classes in targets])
        return [statistics[:, own] for own in columns]

    def _impurities(self, parts: Sequence[Floats]) -> Floats:
        """Return the impurity of the nodes in each of several targets, shape (targets, nodes)."""
        if self.algorithm.task == "number":
            return np.stack([part[:, 2] for part in parts])
        return np.stack([self.algorithm.scoring.impurity(part) for part in parts])

    def _answers(
        self, targets: Sequence[Named], parts: Sequence[Floats], answers_from: NDArray[Any]
    ) -> tuple[Answers, ...]:
        """Return what the nodes answer, target by target."""
        return tuple(
            Answers(name, classes, self._values(part)[answers_from], *self._class_weights(part))
            for (name, classes), part in zip(targets, parts, strict=True)
        )

    def _of_risk(self, schema: Schema, statistics: Floats, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Return the surrogates of all nodes, and what classes count, of a tree that has surrogates."""
        if self.risk is None:
            return {}
        place = np.full(self._n, -1)
        if self._splits:
            nodes = np.concatenate([nodes.node for nodes, _ in self._splits])
            place[nodes] = np.arange(len(nodes))
        found = [s for nodes, _ in self._splits if (s := nodes.splits.surrogates) is not None]
        surrogates = Surrogates.joined(found).take(place)
        return {
            "surrogates": surrogates,
            "risk": np.concatenate(self._risks),
            "improvement": self._improvements(schema, statistics, arrays),
            "class_factor": self.risk.factor if self.algorithm.priors is not None else None,
            "places": None if (self.risk.places == np.arange(len(self.risk.places))).all() else self.risk.places,
            "split_factor": None if (self.risk.altered == 1).all() else self.risk.altered,
        }

    def _improvements(self, schema: Schema, statistics: Floats, arrays: dict[str, NDArray[Any]]) -> Floats:
        """Return the improvement of each split made, over the cost of its column; NaN for leaves."""
        assert self.risk is not None
        costs = costs_of(self.algorithm.costs, schema.names, range(len(schema)))
        inner = arrays["first_child"] >= 0
        cost = np.where(inner, costs[np.where(inner, arrays["feature"], 0)], 1.0)
        improvements: Floats = self.risk.improvements(statistics, arrays["gain"]) / cost
        return improvements

    def _values(self, statistics: Floats) -> Floats:
        """Return the mean of each node, or the code of its heaviest class, the first of equals; or what is of least
        risk.
        """
        if self.risk is not None:
            return self.risk.answers(statistics, statistics[0])
        if self.algorithm.task == "number":
            return statistics[:, 1]
        return CONVENTIONS[self.algorithm.conventions].heaviest(statistics).astype(np.float64)

    def _structure(self) -> dict[str, NDArray[Any]]:
        """Return what the walk reads, and the reasons, from the splits made."""
        n = self._n
        arrays: dict[str, NDArray[Any]] = {
            "first_child": np.full(n, -1),
            "n_branches": np.zeros(n),
            "feature": np.full(n, -1),
            "kind": np.full(n, SplitKind.LEAF),
            "threshold": np.full(n, np.nan),
            "gain": np.full(n, np.nan),
            "exact": np.ones(n, dtype=bool),
            "reason": np.full(n, Reason.PURE),
        }
        for numbers, reasons in self._reasons:
            arrays["reason"][numbers] = reasons
        if not self._splits:
            return arrays | {"category_start": np.zeros(n + 1), "category_branch": np.zeros(0)}
        at = np.concatenate([nodes.node for nodes, _ in self._splits])
        splits = Splits.joined([nodes.splits for nodes, _ in self._splits])
        arrays["first_child"][at] = np.concatenate([first for _, first in self._splits])
        arrays["gain"][at] = np.concatenate([nodes.gain for nodes, _ in self._splits])
        arrays["exact"][at] = splits.exact
        arrays["reason"][at] = Reason.SPLIT
        arrays["n_branches"][at] = splits.n_branches
        arrays["feature"][at] = splits.feature
        arrays["kind"][at] = splits.kind
        arrays["threshold"][at] = splits.threshold
        lengths = np.zeros(n, dtype=np.int64)
        lengths[at] = lengths_of(splits.category_start)
        branches = splits.category_branch
        if len(branches):  # in the order of the nodes
            branches = take(splits.category_start, branches, np.argsort(at))[1]
        return arrays | {"category_start": starts_of(lengths), "category_branch": branches}

    def _candidates(self) -> LazyCandidates:
        makers = {
            number: partial(_candidates_of, record, i)
            for numbers, record in self._records
            for i, number in enumerate(numbers.tolist())
        }
        return LazyCandidates(makers, self._n)

    def _class_weights(self, statistics: Floats) -> tuple[NDArray[np.int64], NDArray[np.int32], Floats]:
        """Return the classes present in each node and their weights, ragged: starts, codes, weights."""
        if self.algorithm.task == "number":
            return np.zeros(self._n + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
        node, code = np.nonzero(statistics > 0)
        start = np.concatenate([[0], np.cumsum(np.bincount(node, minlength=self._n))])
        return start.astype(np.int64), code.astype(np.int32), statistics[node, code]


def _joined(batches: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return batches as one array, a single one as it is."""
    return batches[0] if len(batches) == 1 else np.concatenate(batches)


def _candidates_of(record: Callable[[], Record], node: int) -> tuple[Candidate, ...]:
    return record().candidates(node)
