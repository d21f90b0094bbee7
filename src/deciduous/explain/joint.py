"""The derivation of a tree of several targets: that of each target, and the mean, which columns compete by."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import polars as pl

from deciduous import measures
from deciduous.criteria import columns_of
from deciduous.explain import class_steps
from deciduous.explain.blocks import (
    Block,
    Formula,
    Grid,
    Heading,
    Text,
    feature_head,
    figures_of,
    head_of,
    node_head,
    node_tail,
    rows_text,
    steps_of,
    with_colon,
)
from deciduous.explain.derivation import Derivation
from deciduous.explain.expression import Count, Name, Ratio, Sum
from deciduous.explain.remarks import feature_remarks
from deciduous.explain.steps import Calculation, FeatureDerivation, NodeDerivation, Step, applied, node_symbol
from deciduous.explain.tried import tried_of
from deciduous.explain.working import decision
from deciduous.language import speaking
from deciduous.language import translate as _
from deciduous.model.candidate import Candidate, LazyCandidates
from deciduous.model.tree import Tree
from deciduous.search.contingency import KNOWN_ROWS_ONLY

#: The mean over the targets of the drop in impurity.
MEAN = Name("mean_drop(D, a)", r"\mathrm{mean\_drop}(D, a)")
SUM = Name("sum_t drop_t(D, a) / T", r"\frac{1}{T} \sum_{t=1}^{T} \mathrm{drop}_t(D, a)")


@dataclass(frozen=True)
class JointNode(NodeDerivation):
    """A node whose columns have the mean over the targets; `of_targets`: its derivation for each of them."""

    of_targets: tuple[NodeDerivation, ...] = ()

    def all_steps(self) -> list[Step]:
        """Return all steps, those of the targets first."""
        return [*(step for part in self.of_targets for step in part.all_steps()), *super().all_steps()]


class JointDerivation(Derivation):
    """The working of some nodes of a tree of several targets, made node by node (see `Derivation`).

    `of_targets`: the derivation for each target. The drops in it are those of the target; columns are compared by their
    mean.
    """

    def __init__(self, tree: Tree, *arguments: Any) -> None:
        super().__init__(tree, *arguments)
        ones = [None] * len(tree.targets) if self.training is None else self.training.of_targets(each_target(tree))
        self.of_targets = tuple(
            Derivation(one, self.nodes, training, self.style, self.families, candidates=0)
            for one, training in zip(each_target(tree), ones, strict=True)
        )

    def node(self, index: int, lang: str | None = None) -> JointNode:
        """Return the record of a node, its words in a language; DataError if the tree keeps no candidates."""
        with speaking(lang):
            parts = tuple(one.node(index) for one in self.of_targets)
            view, first = self.tree.node(index), parts[0]
            features = tuple(
                self._feature(index, candidate, [part.features[i] for part in parts])
                for i, candidate in enumerate(view.candidates or ())
            )
            working = replace(
                first.working,
                class_weights={},
                impurity=view.impurity,
                features=tuple(feature.working for feature in features),
                decision=decision(view, first.working.features, self.style.digits),
            )
            return JointNode(working, first.symbol, (), (), features, first.rows, of_targets=parts)

    def _feature(self, index: int, candidate: Candidate, parts: Sequence[FeatureDerivation]) -> FeatureDerivation:
        """Return a column with the mean over the targets, what else was tried, and the remarks."""
        figures = parts[0].working
        if not parts[0].lines:
            return parts[0]
        drops = [self.drop_of(part) for part in parts]
        symbol = applied("mean_drop", node_symbol(index), figures.feature)
        numbers = Ratio(Sum(tuple(drop.figure for drop in drops)), Count(len(drops)))
        work = Calculation(self.style)
        work.step("mean_drop", figures.feature, symbol, None, numbers, candidate.gain)
        tried = [] if self.training is None else tried_of(self.training, index, candidate.feature)
        view = self.of_targets[0].tree.node(index)
        own = next(one for one in view.candidates or () if one.feature == candidate.feature)
        return FeatureDerivation(
            replace(figures, drop=candidate.gain),
            steps=tuple(work.steps),
            tried=self.most(tried),
            n_tried=max(len(tried), candidate.tried),
            remarks=feature_remarks(view, own, figures, tried, math.nan, self.style),
        )

    def drop_of(self, feature: FeatureDerivation) -> Step:
        """Return the step that ends in the drop of a column for one target."""
        families = class_steps.FAMILIES.get(str(self.tree.options["criterion"]))
        quantity = "drop" if families is None else class_steps.IMPURITIES[families[0]].drop
        return next(step for step in feature.steps if step.quantity == quantity)

    def __iter__(self) -> Iterator[JointNode]:
        """Return the records of the nodes, made one by one."""
        return (self.node(index) for index in self.nodes)

    def blocks(self) -> Iterator[Block]:
        """Return what is to be shown: the definitions once, then node by node."""
        from deciduous.explain.regions import of_regions

        yield from head_of(self)
        yield Formula((MEAN, SUM), label=_("mean over the T targets"))
        for node in self:
            yield from self._of_node(node)
        if len(self) == len(self.tree):
            for one in self.of_targets:
                yield from of_regions(one.tree, self.style, named=True)

    def _of_node(self, node: JointNode) -> Iterator[Block]:
        criterion = str(self.tree.options["criterion"])
        yield from node_head(node)
        for target, part in zip(self.tree.targets, node.of_targets, strict=True):
            rows = rows_text(part)
            yield Text(_("{target}: {what}").format(target=target, what=rows) if part.classes else with_colon(target))
            yield from steps_of(part, self.style)
        for i, feature in enumerate(node.features):
            yield feature_head(feature)
            if feature.steps:
                for target, part in zip(self.tree.targets, node.of_targets, strict=True):
                    yield Text(with_colon(target))
                    yield from figures_of(part, replace(part.features[i], remarks=()), self.style, criterion)
                yield Text(_("The mean over the targets:"))
            yield from figures_of(node.of_targets[0], feature, self.style, criterion)
        if any(feature.steps for feature in node.features):
            yield Heading(_("The columns side by side"), 3)
            yield self._overview(node)
        yield from node_tail(node)

    def _overview(self, node: JointNode) -> Grid:
        """Return the columns side by side: the drop for each target, and the mean."""
        result = self.style.result
        lines = []
        for i, feature in enumerate(node.features):
            figures = [""] * (len(self.tree.targets) + 1)
            if feature.steps:
                drops = [self.drop_of(part.features[i]) for part in node.of_targets]
                figures = [result(step.value) for step in (*drops, *feature.steps)]
            lines.append((feature.working.feature, *figures, feature.working.why))
        header = (_("column"), *self.tree.targets, _("mean"), "")
        return Grid(header, tuple(lines), tuple(range(1, len(header) - 1)), "overview")

    def to_dict(self, lang: str | None = None) -> dict[str, Any]:
        """Return the derivation as plain values, such as JSON holds."""
        from deciduous.explain.records import joint_dict_of

        return joint_dict_of(self, lang)

    def to_frame(self) -> pl.DataFrame:
        """Return the steps as a polars data frame, a row a step, with the target that each is of; null for means."""
        frames = [*(one.to_frame() for one in self.of_targets), super().to_frame()]
        names = (*self.tree.targets, None)
        lines = [
            frame.select(pl.lit(name, dtype=pl.String).alias("target"), pl.all())
            for frame, name in zip(frames, names, strict=True)
        ]
        return cast(pl.DataFrame, pl.concat(lines))


def each_target(tree: Tree) -> tuple[Tree, ...]:
    """Return the tree of each target (see `Tree.by_target`), its candidates with what they mean for that target."""
    kept = tree.candidates
    if kept is None:
        return tree.by_target()
    ones = tree.by_target()
    widths = [max(len(one.classes), 1) for one in ones]
    found = []
    for one, own in zip(ones, columns_of(tree.task, widths), strict=True):
        makers = {node: partial(_of_target, kept, node, own, one) for node in range(len(tree))}
        found.append(replace(one, candidates=LazyCandidates(makers, len(tree))))
    return tuple(found)


def _of_target(kept: Sequence[tuple[Candidate, ...]], node: int, own: Any, tree: Tree) -> tuple[Candidate, ...]:
    """Return the candidates of a node with the statistics and the drop of one target; `own`: the columns of it."""
    return tuple(
        candidate
        if candidate.table is None
        else replace(
            candidate,
            table=candidate.table[:, own],
            missing=None if candidate.missing is None else candidate.missing[own],
            gain=_drop(candidate, own, tree),
        )
        for candidate in kept[node]
    )


def _drop(candidate: Candidate, own: Any, tree: Tree) -> float:
    """Return the drop in impurity for one target, the share of the known rows multiplied in."""
    assert candidate.table is not None
    table = candidate.table[:, own]
    missing = candidate.missing if tree.options["missing"] in KNOWN_ROWS_ONLY else None
    if tree.task == "class":
        value = class_steps.VALUES[class_steps.FAMILIES[str(tree.options["criterion"])][0]]
        weights, before = table.sum(axis=1), float(value(table.sum(axis=0)))
        after = float(measures.of_branch_mean(value(table), weights))
        unknown = 0.0 if missing is None else float(missing[own].sum())
    else:
        weights, means = table[:, 0], table[:, 1]
        mean = float((weights * means).sum() / weights.sum())
        before, after = float((weights * (means - mean) ** 2).sum() / weights.sum()), 0.0  # between the branches
        unknown = 0.0 if missing is None else float(missing[0])
    known = float(weights.sum())
    return max(before - after, 0.0) * known / (known + unknown)
