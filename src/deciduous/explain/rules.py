"""The tree as IF-THEN rules: one a leaf, its conditions merged column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from deciduous.data.schema import Label
from deciduous.data.table import Table
from deciduous.errors import OptionError, listing, nearest
from deciduous.explain.conditions import STOPS, Condition, everything
from deciduous.explain.surrogates import Question, Surrogated
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.node import Node
from deciduous.model.tree import Tree
from deciduous.search.contingency import TIE

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Rule:
    """IF all conditions hold THEN the prediction.

    `node`: where the rule ends. `stops`: that node is no leaf, but the question at which rows stop whose category it
    does not know, or whose cell is missing where nothing says where these go; training has such rows only with
    `use_surrogates=0` or 1.
    `n_samples` and `weight`: the training rows that the rule covers, in whole or part; `coverage`: their share of the
    weight. `confidence`: the share of the class predicted among them; `lift`: the confidence over the share of that
    class in the whole table. For numbers `spread` is the node's impurity; `confidence` and `lift` are NaN. An empty
    leaf, and a rule that stops, answer with another node's rows, which are those that confidence speaks of.
    """

    node: int
    conditions: tuple[Condition | Surrogated, ...]
    prediction: Label
    n_samples: int
    weight: float
    coverage: float
    class_weights: dict[Label, float]
    confidence: float
    lift: float
    spread: float
    stops: bool = False

    def shares(self, table: Table) -> Floats:
        """Return the part of each row of an encoded table that the rule covers, shape (rows,), as a rule 0 or 1."""
        covered = np.ones(table.n_rows)
        for condition in self.conditions:
            covered *= passing(condition, table)
        return covered


def passing(condition: Condition | Surrogated, table: Table) -> Floats:
    """Return the part of each row of an encoded table that a condition lets through, shape (rows,)."""
    if isinstance(condition, Surrogated):
        return condition.passes(table)
    cells = table.columns[table.schema.index(condition.feature.name)]
    assert cells is not None
    return condition.shares(cells)


class Rules(Sequence[Rule]):
    """The rules of a tree, in an order; `complete`: all of them, so that every row is answered as by the tree.

    Every row is covered by exactly one rule, or in parts that sum to 1 where missing cells send parts of it down
    several branches: no IF-THEN rule can express that, and the conditions then say how much a missing cell counts. In
    trees with surrogates these decide where a cell is missing, which the conditions say, and `predict` does.
    """

    def __init__(self, tree: Tree, rules: Sequence[Rule], complete: bool) -> None:
        self.tree, self.complete = tree, complete
        self._rules = tuple(rules)

    def __len__(self) -> int:
        """Return the number of rules."""
        return len(self._rules)

    @overload
    def __getitem__(self, i: int) -> Rule: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Rule]: ...
    def __getitem__(self, i: int | slice) -> Rule | Sequence[Rule]:
        """Return a rule, or some."""
        return self._rules[i]

    def ordered(self, by: str = "coverage") -> Rules:
        """Return the rules by `coverage`, `confidence` or `lift`, largest first, or by `prediction`; equal ones stay as
        they are.
        """
        if by not in ORDERS:
            raise OptionError(f"rules cannot be ordered by {by!r}; use one of {listing(ORDERS)}.{nearest(by, ORDERS)}")
        return Rules(self.tree, sorted(self._rules, key=ORDERS[by]), self.complete)

    def where(
        self,
        *,
        prediction: Label | None = None,
        min_coverage: float = 0.0,
        min_confidence: float = 0.0,
        min_lift: float = 0.0,
        min_samples: int = 0,
    ) -> Rules:
        """Return the rules of one prediction, or of at least so much coverage, confidence, lift or training rows."""
        kept = [
            rule
            for rule in self._rules
            if (prediction is None or rule.prediction == prediction)
            and rule.n_samples >= min_samples
            and not (rule.coverage < min_coverage or rule.confidence < min_confidence or rule.lift < min_lift)
        ]
        return Rules(self.tree, kept, self.complete and len(kept) == len(self))

    def shares(self, X: Any) -> Floats:
        """Return the part of each row that each rule covers, shape (rows, rules); a whole row as a rule."""
        table = Table.encode_like(X, self.tree.schema, needed=self.tree.used_features, who="Rules")
        return np.stack([np.zeros(table.n_rows), *(rule.shares(table) for rule in self)], axis=1)[:, 1:]

    def predict(self, X: Any) -> list[Label | None]:
        """Return the answer for each row, None where no rule covers it; equal to the tree's where `complete`."""
        shares, tree = self.shares(X), self.tree
        nodes = np.array([rule.node for rule in self], dtype=np.intp)
        covered = shares.sum(axis=1) > 0
        if tree.task == "number":
            means = shares @ tree.value[nodes] / np.where(covered, shares.sum(axis=1), 1.0)
            return [value if known else None for value, known in zip(means.tolist(), covered.tolist(), strict=True)]
        whole, one = (shares == 1).any(axis=1), np.array([int(tree.value[node]) for node in nodes], dtype=np.intp)
        proba = shares @ tree.distribution(nodes)
        mixed = np.argmax(proba >= proba.max(axis=1, keepdims=True) * (1 - TIE), axis=1)
        codes = np.where(whole, one[shares.argmax(axis=1)], mixed) if len(self) else mixed
        return [tree.classes[c] if known else None for c, known in zip(codes.tolist(), covered.tolist(), strict=True)]

    # --- shown

    def to_text(self, digits: int = 6, lang: str | None = None) -> str:
        """Return the rules as text, two lines a rule."""
        from deciduous.explain.rules_text import text_of

        return text_of(self, digits, lang)

    def to_markdown(self, digits: int = 6, lang: str | None = None) -> str:
        """Return the rules as a Markdown table."""
        from deciduous.explain.rules_text import markdown_of

        return markdown_of(self, digits, lang)

    def to_frame(self) -> pl.DataFrame:
        """Return the rules as a polars data frame, a row a rule."""
        import polars as pl

        columns: dict[str, list[Any]] = {
            "node": [rule.node for rule in self],
            "rule": [" AND ".join(c.text(digits=17, most=10**9) for c in rule.conditions) for rule in self],
            "prediction": [rule.prediction for rule in self],
            "n_samples": [rule.n_samples for rule in self],
            "weight": [rule.weight for rule in self],
            "coverage": [rule.coverage for rule in self],
        }
        own = ("confidence", "lift") if self.tree.task == "class" else ("spread",)
        columns |= {name: [getattr(rule, name) for rule in self] for name in own}
        return pl.DataFrame({**columns, "stops": [rule.stops for rule in self]})

    def __str__(self) -> str:
        """Return the rules as text."""
        return self.to_text()

    def _repr_markdown_(self) -> str:
        """Show them in a notebook."""
        return self.to_markdown()

    def __repr__(self) -> str:
        """Return how many rules there are, and of what."""
        return f"<Rules: {len(self)} of {self.tree!r}>"


#: What rules can be ordered by; the largest first.
ORDERS: dict[str, Callable[[Rule], Any]] = {
    "coverage": lambda rule: -rule.coverage,
    "confidence": lambda rule: -rule.confidence,
    "lift": lambda rule: -rule.lift,
    "prediction": lambda rule: str(rule.prediction),
}


def rules(model: Any, stops: bool = True, most: int | None = None) -> Rules:
    """Return a fitted tree as rules, a rule a leaf, in the order of the printed tree.

    `model`: an estimator or a `Tree`. With `stops`, rules for rows that stop at a question come last: categories that
    training never saw there. Without them such rows are covered by no rule. `most`: only so many rules of leaves.
    OptionError for a tree of several targets.
    """
    tree: Tree = getattr(model, "tree_", model)
    tree.demand_one_target("rules")
    found = list(islice(_of_leaves(tree), most))
    stopping = list(_of_stops(tree)) if stops else []
    return Rules(tree, [*found, *stopping], stops and len(found) == tree.n_leaves)


Path = dict[int, Condition | Surrogated]


def paths(tree: Tree) -> Iterator[tuple[Node, Path]]:
    """Return every node, in the order of the printed tree, with the condition on each column that was asked for."""
    stack: list[tuple[int, Path]] = [(0, {})]
    while stack:
        index, path = stack.pop()
        yield tree.node(index), path
        if tree.first_child[index] < 0:
            continue
        split = tree.split(index)
        for branch in reversed(range(split.n_branches)):
            stack.append((int(tree.first_child[index]) + branch, _after(tree, path, index, branch)))


def _after(tree: Tree, path: Path, node: int, branch: int) -> Path:
    split = tree.split(node)
    feature = tree.schema.features[split.feature]
    if tree.surrogates is not None:
        before = path.get(split.feature) or Surrogated(everything(feature, below=True))
        assert isinstance(before, Surrogated)
        return {**path, split.feature: before.after(Question.of(tree, node), branch)}
    asked = path.get(split.feature) or everything(feature)
    assert not isinstance(asked, Surrogated)
    return {**path, split.feature: asked.after(split, branch, tree.unseen == "missing")}


def _of_leaves(tree: Tree) -> Iterator[Rule]:
    return (_rule(node, path) for node, path in paths(tree) if node.is_leaf)


def _of_stops(tree: Tree) -> Iterator[Rule]:
    """Return the rules of the rows that stop at a question."""
    for node, path in paths(tree):
        if node.is_leaf or not _may_stop(node):
            continue
        stopped = _after(tree, path, node.index, STOPS)
        if all(condition.possible for condition in stopped.values()):
            n, weight = _stopped(node)
            rule = _rule(node, stopped)
            yield replace(rule, n_samples=n, weight=weight, coverage=weight / float(tree.weight[0]), stops=True)


def _stopped(node: Node) -> tuple[int, float]:
    """Return the training rows that stopped at a question, and their weight; only where nothing takes missing cells."""
    assert node.split is not None
    if (node.split.shares > 0).any():
        return 0, 0.0
    n = node.n_samples - sum(child.n_samples for child in node.children)
    return max(n, 0), max(node.weight - sum(child.weight for child in node.children), 0.0) if n > 0 else 0.0


def _may_stop(node: Node) -> bool:
    """Whether rows may stop at a question that are not refused as an error."""
    split, tree = node.split, node.tree
    assert split is not None
    asks_category = tree.schema.features[split.feature].kind != "numeric" and split.kind != SplitKind.MISSING
    if asks_category and tree.unseen == "node":
        return True
    as_missing = tree.options["missing"] != "error" or (asks_category and tree.unseen == "missing")
    return as_missing and not (split.shares > 0).any()


def _rule(node: Node, path: Path) -> Rule:
    tree = node.tree
    shown = tuple(c for c in path.values() if not c.whole or c.missing < 1)
    answering = tree.node(int(tree.answers_from[node.index]))
    confidence = lift = float("nan")
    weights = answering.class_weights if tree.task == "class" else {}
    if tree.task == "class":
        confidence = weights[node.prediction] / sum(weights.values())
        whole = tree.node(0).class_weights
        lift = confidence / (whole[node.prediction] / sum(whole.values()))
    return Rule(
        node.index,
        shown,
        node.prediction,
        node.n_samples,
        node.weight,
        node.weight / float(tree.weight[0]),
        weights,
        confidence,
        lift,
        answering.impurity,
    )
