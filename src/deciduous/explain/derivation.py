"""The derivation of a tree: every number of a node, a path or the whole tree, as one would write it by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from deciduous.errors import OptionError
from deciduous.explain import class_steps, number_steps
from deciduous.explain.altered import as_rated
from deciduous.explain.expression import Style
from deciduous.explain.improvement import improvement_step
from deciduous.explain.rates import plain_rate, shrunk_step
from deciduous.explain.remarks import feature_remarks, leaf_text
from deciduous.explain.shown import Shown
from deciduous.explain.steps import (
    Calculation,
    FeatureDerivation,
    Line,
    NodeDerivation,
    Step,
    Tried,
    branch_names,
    known,
    node_symbol,
    subset,
)
from deciduous.explain.training import TrainingRows
from deciduous.explain.tried import tried_of
from deciduous.explain.working import FeatureWorking, average_gain, demand_candidates, working_of
from deciduous.language import speaking, spoken
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.candidate import Candidate
from deciduous.model.labels import Conditions
from deciduous.model.node import Node
from deciduous.model.tree import Tree
from deciduous.search.contingency import KNOWN_ROWS_ONLY

#: What `rounding` may be.
ROUNDINGS = ("end", "each step")
#: So many candidates of a column are shown by default; of more, the best, with the count of the rest.
MOST_TRIED = 1000
#: Up to so many partitions of categories are written out, all of them.
MOST_WRITTEN = 4


class Derivation(Shown):
    """The working of some nodes of a tree, made node by node when it is shown: a large tree is never held as a whole.

    `nodes`: their numbers, in the order in which they are shown. `training` is None where only the tree is known: the
    best candidate of every column is shown then, not all that were tried. `candidates`: so many of a column are shown
    at most, the best ones.
    """

    def __init__(
        self,
        tree: Tree,
        nodes: Sequence[int],
        training: TrainingRows | None = None,
        style: Style | None = None,
        families: Sequence[str] | None = None,
        candidates: int = MOST_TRIED,
    ) -> None:
        self.tree, self.nodes, self.training, self.candidates = tree, tuple(nodes), training, candidates
        self.style = style or style_of(tree)
        own = class_steps.FAMILIES.get(str(tree.options["criterion"]), ())
        self.families = tuple(own if families is None else families)
        self._conditions: dict[str, Conditions] = {}

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.nodes)

    def __iter__(self) -> Iterator[NodeDerivation]:
        """Return the records of the nodes, made one by one."""
        return (self.node(index) for index in self.nodes)

    def node(self, index: int, lang: str | None = None) -> NodeDerivation:
        """Return the record of a node, its words in a language; DataError if the tree keeps no candidates."""
        with speaking(lang):
            return _Builder(self, index).node()

    @property
    def conditions(self) -> Conditions:
        """The conditions of the tree in the language spoken, which all nodes share."""
        found = self._conditions.get(spoken())
        if found is None:
            found = self._conditions[spoken()] = Conditions(self.tree)
        return found

    def most(self, tried: Sequence[Tried]) -> tuple[Tried, ...]:
        """Return the candidates that are shown: all in their order, or of too many the best."""
        by_gain = sorted(range(len(tried)), key=lambda i: (not tried[i].best, not tried[i].allowed, -tried[i].gain))
        return tuple(tried[i] for i in sorted(by_gain[: self.candidates]))

    def blocks(self) -> Iterator[Any]:
        """Return what is to be shown, node by node."""
        from deciduous.explain.blocks import of_derivation

        return of_derivation(self)

    def to_dict(self, lang: str | None = None) -> dict[str, Any]:
        """Return the derivation as plain values, such as JSON holds."""
        from deciduous.explain.records import dict_of

        return dict_of(self, lang)

    def to_frame(self) -> Any:
        """Return the steps as a polars data frame, a row a step."""
        from deciduous.explain.records import frame_of

        return frame_of(self)

    def __repr__(self) -> str:
        """Return what it is a derivation of."""
        return f"<Derivation: {len(self)} nodes of {self.tree!r}>"


def derivation_of(
    tree: Tree,
    node: int | str | None = None,
    *,
    training: TrainingRows | None = None,
    digits: int | None = None,
    rounding: str = "end",
    measures: str = "own",
    candidates: int = MOST_TRIED,
) -> Derivation:
    """Return the derivation of one node, of all (`node="all"`), or by default of the root.

    `digits`: decimals of results (3 by default), for numbers significant digits (5); `rounding="each step"` rounds
    before every next step, as books do that calculate by hand; `measures="all"` writes out entropy, gain ratio, Gini
    and misclassification, whatever the tree was grown by; `candidates`: with `training`, so many of a column are shown
    at most, the best ones. OptionError for another word.
    """
    if rounding not in ROUNDINGS:
        raise OptionError(f"rounding={rounding!r} must be 'end' or 'each step'.")
    if measures not in ("own", "all"):
        raise OptionError(f"measures={measures!r} must be 'own' or 'all'.")
    numbers = tree.task == "number"
    chosen = (5 if numbers else 3) if digits is None else digits
    if not 1 <= chosen <= 15:
        raise OptionError(f"digits={digits!r} must be between 1 and 15.")
    if candidates < 1:
        raise OptionError(f"candidates={candidates!r} must be at least 1.")
    demand_candidates(tree)
    tree = as_rated(tree)
    nodes = range(len(tree)) if node == "all" else [tree.node(0 if node is None else int(node)).index]
    families = class_steps.ALL_FAMILIES if measures == "all" and not numbers else None
    return _kind_of(tree)(tree, nodes, training, style_of(tree, chosen, rounding == "each step"), families, candidates)


def _kind_of(tree: Tree) -> type[Derivation]:
    """Return the derivation of trees with as many targets."""
    if not tree.others:
        return Derivation
    from deciduous.explain.joint import JointDerivation

    return JointDerivation


def style_of(tree: Tree, digits: int | None = None, each_step: bool = False) -> Style:
    """Return how numbers of a tree are written: decimals for classes; significant digits for numbers, some more where
    they are used, since large sums are subtracted.
    """
    if tree.task == "number":
        return Style(5 if digits is None else digits, True, each_step, guard=4)
    return Style(3 if digits is None else digits, False, each_step)


def path_derivation(tree: Tree, node: int, **options: Any) -> Derivation:
    """Return the derivation of the nodes on the path from the root to a node; options as for `derivation_of`."""
    found = derivation_of(tree, node, **options)
    return type(found)(found.tree, tree.path(node), found.training, found.style, found.families, found.candidates)


class _Builder:
    """The record of one node."""

    def __init__(self, derivation: Derivation, index: int) -> None:
        self.derivation, self.tree, self.training = derivation, derivation.tree, derivation.training
        self.style, self.families = derivation.style, derivation.families
        self.working = working_of(self.tree, index, self.style.digits, derivation.conditions)
        self.view: Node = self.tree.node(index)
        self.criterion = str(self.tree.options["criterion"])
        self.symbol = node_symbol(index)
        self.present = self._present()

    def _present(self) -> list[int]:
        """Return the codes of the classes that the node's rows have."""
        labels = list(self.view.class_weights) if self.tree.task == "class" else []
        return [code for code, label in enumerate(self.tree.classes) if label in set(labels)]

    def node(self) -> NodeDerivation:
        classes = tuple(str(self.tree.classes[code]) for code in self.present)
        work = Calculation(self.style)
        if self.view.n_samples:
            self._own_steps(work)
        own = {family: step for family in self.families for step in work.steps if _is_of(step, family)}
        candidates = self.view.candidates or ()
        features = tuple(
            self._feature(candidate, figures, work, own)
            for candidate, figures in zip(candidates, self.working.features, strict=True)
        )
        comparison = self._comparison(features)
        rows = () if self.training is None else self.training.labels_of(self.training.of_node(self.view.index).entries)
        answer = leaf_text(self.view) if self.view.is_leaf else ""
        n_classes = len(self.tree.classes)
        return NodeDerivation(
            self.working, self.symbol, classes, tuple(work.steps), features, rows, answer, n_classes, comparison
        )

    def _comparison(self, features: Sequence[FeatureDerivation]) -> tuple[Step, ...]:
        """Return the average gain, where C4.5's guard holds columns against it."""
        if self.criterion != "gain_ratio" or not self.tree.options.get("guard"):
            return ()
        gains = [
            next(step for step in reversed(feature.steps) if step.quantity in class_steps.GAINS)
            for feature in features
            if feature.working.counted
        ]
        work = Calculation(self.style)
        if gains:
            class_steps.average_gain(work, self.symbol, gains, average_gain(self.working.features))
        return tuple(work.steps)

    def _own_steps(self, work: Calculation) -> None:
        if self.tree.task == "number":
            answer = plain_rate(self.view)
            weight, error = self.view.weight, self.view.impurity
            values = () if self.training is None else self.training.values_of(self.view.index)
            number_steps.node_steps(work, self.symbol, weight, answer, error, self.criterion, values)
            shrunk_step(work, self.view, self.symbol)
            return
        counts = np.array(list(self.view.class_weights.values()))
        for family in self.families:
            if family != "ratio":
                class_steps.impurity_step(work, family, counts, self.symbol)

    def _feature(
        self, candidate: Candidate, figures: FeatureWorking, node_work: Calculation, own: dict[str, Step]
    ) -> FeatureDerivation:
        if candidate.split is None or candidate.table is None:
            return FeatureDerivation(figures, remarks=self._remarks(candidate, figures, ()))
        apart = self._apart(candidate)
        lines = self._lines(candidate, figures)
        work = Calculation(self.style)
        work.steps.extend(node_work.steps)
        if self.tree.task == "class":
            missing = None if apart is None else apart[self.present]
            gains = self._exact_gains(candidate, figures)
            class_steps.feature_steps(
                work,
                self.families,
                figures.feature,
                self.symbol,
                own,
                lines,
                missing,
                gains,
                (candidate.tried, candidate.correction),
            )
        else:
            parts = None if apart is None else (float(apart[0]), float(apart[1]), float(apart[2]))
            drop = figures.drop
            number_steps.feature_steps(work, self.criterion, figures.feature, self.symbol, lines, parts, drop)
        if self.tree.surrogates is not None:
            improvement_step(work, self.view, self.symbol, figures.feature, figures.score)
        tried = self._tried(candidate)
        shown = self.derivation.most(tried)
        others = self._others(candidate, figures, own, shown, node_work)
        return FeatureDerivation(
            figures,
            lines,
            tuple(work.steps[len(node_work.steps) :]),
            shown,
            max(len(tried), candidate.tried),
            others,
            self._missing_line(candidate, apart),
            self._remarks(candidate, figures, tried),
        )

    def _remarks(self, candidate: Candidate, figures: FeatureWorking, tried: Sequence[Tried]) -> tuple[str, ...]:
        average = average_gain(self.working.features)
        return feature_remarks(self.view, candidate, figures, tried, average, self.style)

    def _apart(self, candidate: Candidate) -> Floats | None:
        """Return the statistics of the rows with a missing cell, where these take no part in the branches."""
        return candidate.missing if self.tree.options["missing"] in KNOWN_ROWS_ONLY else None

    def _others(
        self,
        candidate: Candidate,
        figures: FeatureWorking,
        own: dict[str, Step],
        tried: Sequence[Tried],
        node_work: Calculation,
    ) -> tuple[Step, ...]:
        """Return the steps of the other partitions of categories, where these are few."""
        partitions = [one for one in tried if not one.best and math.isnan(one.low) and math.isfinite(one.gain)]
        own_measure = [f for f in self.families if f != "ratio" and self.criterion in class_steps.FAMILIES]
        if self.tree.task != "class" or not own_measure or len(tried) > MOST_WRITTEN:
            return ()
        missing = self._apart(candidate)
        rows = self.symbol if missing is None else known(self.symbol)
        work = Calculation(self.style)
        for one in partitions:
            work.steps.extend(node_work.steps)
            cells = [tuple(line[code] for code in self.present) for line in one.cells]
            lines = [
                Line(name, subset(rows, name), weight, cell)
                for name, weight, cell in zip(one.branches, one.weights, cells, strict=False)
            ]
            family = class_steps.FAMILIES[self.criterion][0]
            name = f"{figures.feature}: {one.what}"
            apart = None if missing is None else missing[self.present]
            class_steps.feature_steps(work, [family], name, self.symbol, own, lines, apart, {family: one.gain})
        return tuple(step for step in work.steps if step not in node_work.steps)

    def _exact_gains(self, candidate: Candidate, figures: FeatureWorking) -> dict[str, float]:
        """Return the drop in each impurity; the known share is multiplied in."""
        table = candidate.table
        assert table is not None
        exact = {}
        for family, value in class_steps.VALUES.items():
            weights = table.sum(axis=1)
            before, after = value(table.sum(axis=0)), float((value(table) * weights).sum() / weights.sum())
            exact[family] = max(float(before) - after, 0.0) * figures.known_share
        if self.criterion in class_steps.FAMILIES:
            family = class_steps.FAMILIES[self.criterion][0]
            exact[family] = candidate.gain
        return exact

    def _lines(self, candidate: Candidate, figures: FeatureWorking) -> tuple[Line, ...]:
        split, table = candidate.split, candidate.table
        assert split is not None
        assert table is not None
        none: list[tuple[Any, ...]] = [()] * split.n_branches
        labels, values = none, none
        if self.training is not None:
            labels, values = self.training.of_branches(self.view.index, split)
        weights = table.sum(axis=1) if self.tree.task == "class" else table[:, 0]
        cells: Floats = table[:, self.present] if self.tree.task == "class" else table[:, 1:]
        feature, apart = self.tree.schema.features[split.feature], self._apart(candidate) is not None
        rows = known(self.symbol) if apart else self.symbol
        symbols = [subset(rows, name) for name in branch_names(split, feature)]
        return tuple(
            Line(branch.condition, symbols[b], float(weights[b]), tuple(cells[b].tolist()), labels[b], values[b])
            for b, branch in enumerate(figures.branches)
        )

    def _missing_line(self, candidate: Candidate, apart: Floats | None) -> Line | None:
        """Return the line of the rows whose cell is missing, where these take no part in the branches."""
        if apart is None:
            return None
        cells = apart[self.present] if self.tree.task == "class" else apart[1:]
        weight = float(apart.sum() if self.tree.task == "class" else apart[0])
        labels = () if self.training is None else self.training.missing_labels(self.view.index, candidate.feature)
        return Line(_("missing"), subset(self.symbol, "?"), weight, tuple(cells.tolist()), labels)

    def _tried(self, candidate: Candidate) -> list[Tried]:
        """Return the candidates of a column that were tried, none where these are not to be shown, or the training rows
        are not at hand.
        """
        if self.training is None or not self.derivation.candidates:
            return []
        return tried_of(self.training, self.view.index, candidate.feature)


def _is_of(step: Step, family: str) -> bool:
    return family != "ratio" and step.quantity == class_steps.IMPURITIES[family].quantity
