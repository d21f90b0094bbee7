"""The growing tree: nodes are added and finished one by one, and frozen into a `Tree` at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deciduous.data.schema import Label, Schema
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.frontier import Pending
from deciduous.grow.rows import Summary
from deciduous.kernels import SplitKind
from deciduous.missing.shares import heaviest
from deciduous.model.candidate import Candidate
from deciduous.model.tree import ARRAYS, Reason, Tree

#: The most numbers that kept contingency tables may hold together; beyond it a tree keeps none.
MOST_CELLS = 2_000_000


class TreeBuilder:
    """Collects nodes as lists, one a field of `Tree`."""

    def __init__(self, algorithm: Algorithm) -> None:
        self.algorithm = algorithm
        self._lists: dict[str, list[Any]] = {name: [] for name in ARRAYS}
        self._categories: dict[int, Any] = {}
        self._candidates: dict[int, tuple[Candidate, ...]] | None = {}
        self._cells = 0
        self._statistics: list[Summary] = []

    def __len__(self) -> int:
        """Return the number of nodes so far."""
        return len(self._statistics)

    def add(self, summary: Summary, parent: int, share: float) -> int:
        """Add a node, a leaf so far, and return its number."""
        node = len(self)
        self._statistics.append(summary)
        empty = summary.n == 0
        values: dict[str, Any] = {
            "parent": parent,
            "first_child": -1,
            "n_branches": 0,
            "feature": -1,
            "kind": int(SplitKind.LEAF),
            "threshold": np.nan,
            "share": share,
            "n_samples": summary.n,
            "weight": summary.weight,
            "impurity": summary.impurity,
            "gain": np.nan,
            "value": self._lists["value"][parent] if empty else self._value(summary),
            "answers_from": parent if empty else node,
            "reason": int(Reason.PURE),
            "exact": True,
        }
        for name, value in values.items():
            self._lists[name].append(value)
        return node

    def _value(self, summary: Summary) -> float:
        if self.algorithm.task == "number":
            return float(summary.statistics[1])
        return float(heaviest(summary.statistics))

    def leaf(self, node: int, reason: Reason, candidates: Sequence[Candidate] = ()) -> None:
        """Say why a node stays a leaf."""
        self._lists["reason"][node] = int(reason)
        self._keep(node, tuple(candidates))

    def split(self, pending: Pending, summaries: Sequence[Summary]) -> list[int]:
        """Make a split: add the children, one a branch, and return their numbers."""
        node, split = pending.node, pending.split
        values = {
            "first_child": len(self),
            "n_branches": split.n_branches,
            "feature": split.feature,
            "kind": int(split.kind),
            "threshold": split.threshold,
            "gain": pending.gain,
            "reason": int(Reason.SPLIT),
            "exact": pending.exact,
        }
        for name, value in values.items():
            self._lists[name][node] = value
        self._categories[node] = split.category_branch
        self._keep(node, pending.candidates)
        return [self.add(summary, node, float(share)) for summary, share in zip(summaries, split.shares, strict=True)]

    def _keep(self, node: int, candidates: tuple[Candidate, ...]) -> None:
        """Keep candidates while the tree is small."""
        if self._candidates is None:
            return
        self._cells += sum(0 if c.table is None else c.table.size for c in candidates)
        if len(self) > self.algorithm.keep_candidates or self._cells > MOST_CELLS:
            self._candidates = None
        else:
            self._candidates[node] = candidates

    def freeze(self, schema: Schema, target: str, classes: tuple[Label, ...], weighted: bool) -> Tree:
        """Return the finished tree."""
        n = len(self)
        lengths = [len(self._categories.get(i, ())) for i in range(n)]
        present: list[Any] = [
            np.flatnonzero(s.statistics > 0) if self.algorithm.task == "class" else [] for s in self._statistics
        ]
        ragged = {
            "category_start": np.concatenate([[0], np.cumsum(lengths)]),
            "category_branch": np.concatenate([[], *(self._categories[i] for i in sorted(self._categories))]),
            "class_start": np.concatenate([[0], np.cumsum([len(codes) for codes in present])]),
            "class_code": np.concatenate([[], *present]),
            "class_weight": np.concatenate(
                [[], *(s.statistics[codes] for s, codes in zip(self._statistics, present, strict=True) if len(codes))]
            ),
        }
        arrays = {name: np.asarray(ragged.get(name, self._lists[name]), dtype=dtype) for name, dtype in ARRAYS.items()}
        kept = None
        if self._candidates is not None and n <= self.algorithm.keep_candidates:
            kept = tuple(self._candidates.get(i, ()) for i in range(n))
        return Tree(
            schema, self.algorithm.task, target, classes, self.algorithm.plain(), weighted, **arrays, candidates=kept
        )
