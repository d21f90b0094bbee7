"""The tree: frozen flat arrays, one row a node, and read-only views of single nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import Task
from deciduous.data.schema import Label, Schema
from deciduous.errors import DataError, OptionError, listing
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.answers import Answers
from deciduous.model.candidate import Candidate
from deciduous.model.node import Node
from deciduous.model.split import Split
from deciduous.model.surrogates import Surrogates

if TYPE_CHECKING:
    import polars as pl


Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Tree:
    """A fitted tree. All arrays are read-only and have one element a node, unless said otherwise; node 0 is the root.

    Structure (what the walk reads): `first_child` (-1: a leaf), `n_branches`; the children of a node are contiguous, so
    branch b leads to `first_child + b`. `feature`, `kind` (a `SplitKind`), `threshold` (x <= t is branch 0), and
    `category_branch[category_start[i] : category_start[i + 1]]`, the branch of each category code (-1: absent in
    training). `share`: the share of missing cells of its parent's question that comes to this node.

    Statistics: `n_samples` (training rows that are here, in part or whole), `weight` (the sum of their weights),
    `impurity`, `gain` (of the split made, the known share multiplied in; NaN for a leaf), `value` (the mean of the
    target, its median under absolute error, or the code of the class predicted), `reason` (a `Reason`), `exact` (false
    where a heuristic looked for the split). Class weights are ragged: `class_code[class_start[i] : class_start[i + 1]]`
    and `class_weight` alike hold the classes present in node i. Under monotonic constraints answers lie between the
    bounds that a node inherits: `value`, or the class weights, may then differ from those of its rows. `answers_from`:
    the node whose statistics answer for this one: itself, or its parent for an empty branch.

    Of trees with `missing="surrogates"`: `surrogates`, what nodes ask instead where a cell is missing; rows that no
    surrogate sends, and that have no share, stay at the node. `risk`: what the node costs as a leaf, a sum over its
    rows (weight of errors by priors and losses; squared error; deviance). `class_factor`: prior / share of each class,
    by which its weight counts in answers, and `split_factor`: by which it counts in splits, shape (classes,), None
    where all count 1; `places`: where the classes stand in their declared order, None for their own.
    `improvement`: of the split made, as rpart rates it (NaN for a leaf). `complexity`: how much risk each split
    below a node saves, the alpha at which it becomes a leaf. `cp_table`: the table of complexities, shape (lines, 5):
    cp, nsplit, rel_error, xerror, xstd. None where a tree has no such thing.

    A tree of several targets says of the first what a tree of one says; `others` is what it says of the rest, and
    `impurity` and `gain` are means over all of them; `impurities` are those of each, shape (targets, nodes), None where
    a file does not tell. `by_target` gives a tree of one target each.
    """

    schema: Schema
    task: Task
    target: str
    classes: tuple[Label, ...]
    options: Mapping[str, Any]
    weighted: bool
    parent: NDArray[np.int32]
    first_child: NDArray[np.int32]
    n_branches: NDArray[np.int32]
    feature: NDArray[np.int32]
    kind: NDArray[np.uint8]
    threshold: Floats
    category_start: NDArray[np.int64]
    category_branch: NDArray[np.int32]
    share: Floats
    n_samples: NDArray[np.int64]
    weight: Floats
    impurity: Floats
    gain: Floats
    value: Floats
    class_start: NDArray[np.int64]
    class_code: NDArray[np.int32]
    class_weight: Floats
    answers_from: NDArray[np.int32]
    reason: NDArray[np.uint8]
    exact: NDArray[np.bool_]
    candidates: Sequence[tuple[Candidate, ...]] | None = field(default=None, repr=False)
    surrogates: Surrogates | None = field(default=None, repr=False)
    risk: Floats | None = None
    improvement: Floats | None = None
    class_factor: Floats | None = None
    split_factor: Floats | None = None
    places: Floats | None = None
    complexity: Floats | None = None
    cp_table: Floats | None = field(default=None, repr=False)
    others: tuple[Answers, ...] = ()
    impurities: Floats | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for name in ARRAYS:
            getattr(self, name).flags.writeable = False

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.parent)

    def __repr__(self) -> str:
        """Return one line: what it is and how large."""
        size = f"{len(self)} nodes, {self.n_leaves} leaves, depth {self.max_depth}"
        return f"<Tree {self.options['name']} on {', '.join(map(repr, self.targets))}: {size}>"

    def __str__(self) -> str:
        """Return the tree as text (see `to_text`)."""
        return self.to_text()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickle; arrays come back writable, so they are frozen again."""
        self.__dict__.update(state)
        self.__post_init__()

    # --- targets ---

    @property
    def targets(self) -> tuple[str, ...]:
        """The names of the targets."""
        return (self.target, *(other.target for other in self.others))

    def by_target(self) -> tuple[Tree, ...]:
        """Return a tree for each target, with the same nodes: this one, if there is one target.

        Its `impurity` is that of its target; `gain` is what the questions were chosen by, the mean over all targets.
        It keeps no candidates: those are of all targets together.
        """
        if not self.others:
            return (self,)
        one = replace(self, others=(), candidates=None, impurities=None)
        ones = (one, *(replace(one, target=o.target, classes=o.classes, **o.arrays()) for o in self.others))
        if self.impurities is None:
            return ones
        return tuple(replace(one, impurity=own) for one, own in zip(ones, self.impurities, strict=True))

    def demand_one_target(self, who: str) -> None:
        """Raise OptionError if there are several; `who` is what cannot deal with them."""
        if self.others:
            raise OptionError(
                f"{who} is for trees of one target; this one has {len(self.targets)}, {listing(self.targets)}. "
                "In Python, by_target() gives a tree of each."
            )

    # --- figures ---

    @property
    def unseen(self) -> str:
        """What an unseen category answers: `node`, `missing` or `error`."""
        return str(self.options["unseen"])

    @property
    def class_places(self) -> Floats:
        """Where the classes stand in the order in which they were declared."""
        return np.arange(len(self.classes), dtype=np.float64) if self.places is None else self.places

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        leaf: NDArray[np.bool_] = self.first_child < 0
        return leaf

    @property
    def n_leaves(self) -> int:
        """The number of leaves, empty ones included."""
        return int(self.is_leaf.sum())

    @cached_property
    def depth(self) -> NDArray[np.int64]:
        """The number of questions before each node."""
        depth = [0] * len(self)
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                depth[node] = depth[parent] + 1
        return np.array(depth, dtype=np.int64)

    @property
    def max_depth(self) -> int:
        """The most questions on a path."""
        return int(self.depth.max())

    @property
    def mean_tests(self) -> float:
        """The mean number of questions that a training row is asked, by weight."""
        leaf = self.is_leaf
        return float((self.weight[leaf] * self.depth[leaf]).sum() / self.weight[leaf].sum())

    @cached_property
    def used_features(self) -> list[int]:
        """The columns that the tree asks for, by position, those of surrogates among them."""
        asked = [self.feature[~self.is_leaf], *([] if self.surrogates is None else [self.surrogates.feature])]
        return [int(j) for j in np.unique(np.concatenate(asked))]

    # --- nodes ---

    def node(self, index: int) -> Node:
        """Return the view of a node; DataError if there is none of this number."""
        if not 0 <= index < len(self):
            raise DataError(f"there is no node {index}; the tree has nodes 0 to {len(self) - 1}.")
        return Node(self, index)

    def __iter__(self) -> Iterator[Node]:
        """Return the nodes in order."""
        return (Node(self, i) for i in range(len(self)))

    def nodes(self) -> pl.DataFrame:
        """Return the nodes as a polars data frame, a row a node (see `model/frame.py`)."""
        from deciduous.model.frame import frame_of

        return frame_of(self)

    def distribution(self, nodes: NDArray[Any]) -> Floats:
        """Return the class distributions with which nodes answer, shape (nodes, classes), each summing to 1.

        With the option `laplace` every class has one row more. An empty branch answers as its parent does; in the trees
        of Release 8 with the parent's class alone.
        """
        if len(nodes) > len(self):  # work once for each node; the answer takes more memory than all of theirs
            return self.distribution(np.arange(len(self))).take(nodes, axis=0)
        answering = self.answers_from[nodes]
        reached = np.zeros(len(self), dtype=bool)
        reached[answering] = True
        distinct = np.flatnonzero(reached)
        sizes = np.diff(self.class_start)[distinct]
        line = np.repeat(np.arange(len(distinct)), sizes)
        part = np.repeat(self.class_start[distinct] - np.cumsum(sizes) + sizes, sizes) + np.arange(len(line))
        dense = np.zeros((len(distinct), len(self.classes)))
        dense[line, self.class_code[part]] = self.class_weight[part]
        dense += float(bool(self.options.get("laplace")))
        if self.class_factor is not None:
            dense *= self.class_factor
        shares: Floats = dense / dense.sum(axis=1, keepdims=True)
        line_of = np.empty(len(self), dtype=np.intp)
        line_of[distinct] = np.arange(len(distinct))
        found: Floats = shares[line_of[answering]]
        if self.options.get("conventions") == "r8":
            empty = np.flatnonzero(answering != nodes)
            found[empty] = np.eye(len(self.classes))[self.value[nodes[empty]].astype(np.intp)]
        return found

    def split(self, node: int) -> Split:
        """Return the question of an inner node."""
        first, n = int(self.first_child[node]), int(self.n_branches[node])
        part = slice(int(self.category_start[node]), int(self.category_start[node + 1]))
        return Split(
            int(self.feature[node]),
            SplitKind(int(self.kind[node])),
            n,
            float(self.threshold[node]),
            self.category_branch[part],
            self.share[first : first + n],
        )

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node, both included."""
        path = [node]
        while self.parent[path[-1]] >= 0:
            path.append(int(self.parent[path[-1]]))
        return path[::-1]

    # --- text and file ---

    def to_text(
        self,
        max_depth: int | None = None,
        digits: int = 4,
        numbers: bool = False,
        rails: str = "unicode",
        width: int | None = None,
        lang: str | None = None,
    ) -> str:
        """Return the tree as text: the questions with real names, rows, counts and shares.

        `max_depth`: print at most so many levels; `digits`: significant digits; `numbers`: number the nodes; `rails`:
        `unicode`, or `ascii` for where the lines of the tree may have no other characters; `width`: lines that are
        longer go on below, further in; by default a node has one line; `lang`: `en` or `zh`.
        """
        from deciduous.language import speaking
        from deciduous.model.text import text_of

        with speaking(lang):
            return text_of(self, max_depth=max_depth, digits=digits, numbers=numbers, rails=rails, width=width)

    def to_json(self) -> str:
        """Return the tree as a JSON document (see `model/io.py` and docs/model-file.md)."""
        from deciduous.model.io import to_json

        return to_json(self)

    @staticmethod
    def from_json(document: str) -> Tree:
        """Read a tree from a JSON document; ModelFileError says what is wrong with it. Nothing in it is executed."""
        from deciduous.model.io import from_json

        return from_json(document)

    def check(self) -> None:
        """Raise ModelFileError if the arrays contradict each other (see `model/check.py`)."""
        from deciduous.model.check import check

        check(self)


#: The array fields and their types.
ARRAYS: dict[str, type[np.generic]] = {
    "parent": np.int32,
    "first_child": np.int32,
    "n_branches": np.int32,
    "feature": np.int32,
    "kind": np.uint8,
    "threshold": np.float64,
    "category_start": np.int64,
    "category_branch": np.int32,
    "share": np.float64,
    "n_samples": np.int64,
    "weight": np.float64,
    "impurity": np.float64,
    "gain": np.float64,
    "value": np.float64,
    "class_start": np.int64,
    "class_code": np.int32,
    "class_weight": np.float64,
    "answers_from": np.int32,
    "reason": np.uint8,
    "exact": np.bool_,
}
assert set(ARRAYS) <= {f.name for f in fields(Tree)}
