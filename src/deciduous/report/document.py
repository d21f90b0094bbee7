"""The report of a fitted tree: what is gathered for it, and the file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from deciduous.data.frames import columns_of
from deciduous.draw.metrics import clean
from deciduous.draw.sample import Sample, sample_of
from deciduous.errors import OptionError, listing
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.explaining import row_labels
from deciduous.estimators.pruning import note_shared
from deciduous.explain import rules_text
from deciduous.explain.blocks import ALGORITHMS
from deciduous.explain.rules import rules
from deciduous.files import write_whole
from deciduous.language import speaking, spoken
from deciduous.language import translate as _
from deciduous.model.labels import significant
from deciduous.report.distributions import MOST_ROWS, Distributions, thinned
from deciduous.report.judged import Judged, judge
from deciduous.report.made import Source, made_data
from deciduous.report.nodes import Ints, nodes_held, tree_data
from deciduous.report.page import page_of
from deciduous.report.profile import MOST_COLUMNS, columns_data, described
from deciduous.report.words import words_of_script
from deciduous.report.workings import Workings, workings_of

#: Rows that a reader can pick, evenly spaced among those given; so many cells at most.
MOST_PICKED = 500
MOST_CELLS = 20_000
#: Nodes whose rows are shown, the upper levels.
MOST_SHOWN = 2000
#: Rules that are listed, in the order of the tree.
MOST_RULES = 200


@dataclass(frozen=True, repr=False)
class Report:
    """A report: `html`, the whole file; `left_out`, what it does not hold, sentence by sentence."""

    html: str
    left_out: tuple[str, ...]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all."""
        write_whole(path, self.html)

    def __repr__(self) -> str:
        """Return how large it is."""
        return f"<Report: {len(self.html.encode()) / 1000:.0f} kB>"


def report(
    estimator: TreeEstimator,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    validation: Any = None,
    folds: int = 10,
    seed: int = 0,
    title: str | None = None,
    lang: str | None = None,
    source: Source | None = None,
) -> Report:
    """Return a report of a fitted tree as one HTML file that needs no network: the tree to look into, how good it is on
    rows that it has not seen, the columns, the rules, and how it was made.

    Args:
        estimator: a fitted estimator of one target; trees of several are refused.
        X, y, sample_weight: the rows that it was fitted on; `y` may be the name of a column of X.
        validation: other rows, `(X, y)` or `(X, y, sample_weight)`, that judge the tree. Without them trees are grown
            in the same way on parts of the rows, and judged by the rest: by cross-validation with `folds` parts, or, of
            more than 5,000 rows, by a quarter held out; `seed` draws them.
        title: what stands at the top.
        lang: `en` or `zh`; by default what is spoken.
        source: the names of files, for the calls that are shown.

    Raises:
        DataError: for rows that do not fit the tree, or none with a target.
        OptionError: for several targets, a wrong option, the rows of X once more as validation, or if Jinja2 is not
            installed.
    """
    if not isinstance(estimator, TreeEstimator):
        raise TypeError(
            "a report is of a fitted estimator that grows a tree (ID3Classifier, C45Classifier, CARTClassifier, "
            f"CARTRegressor); this is a {type(estimator).__name__}."
        )
    check_is_fitted(estimator)
    if estimator.tree_.others:
        raise OptionError(
            f"a report is of one target; this tree has {len(estimator.tree_.targets)}, "
            f"{listing(estimator.tree_.targets)}. Fit one of them alone and report that; a picture shows them together "
            "(deciduous draw, to_svg)."
        )
    if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
        raise OptionError(f"folds={folds!r} must be a whole number of at least 2.")
    if validation is not None and (not isinstance(validation, tuple | list) or len(validation) not in (2, 3)):
        raise OptionError("validation must be (X, y) or (X, y, sample_weight).")
    with speaking(lang):
        sample = sample_of(estimator.tree_, X, y)
        if validation is not None and sample.equals(sample_of(estimator.tree_, *validation[:2])):
            raise OptionError(
                "validation holds the very rows that the tree is shown with; rows that it has seen do not tell how "
                "good it is. Give others, or leave it out: trees are then grown on parts of the rows and judged by "
                "the rest."
            )
        if validation is not None:
            note_shared(estimator.tree_, (X, y), (validation[0], validation[1]))
        judged = judge(estimator, X, y, sample_weight, validation, folds, seed)
        target = y if isinstance(y, str) else estimator.tree_.target
        made = made_data(estimator, target, source or Source(folds=folds), validation is not None)
        return _Gathered(estimator, sample, judged, row_labels(estimator.tree_, columns_of(X))).report(title, made)


class _Gathered:
    """What goes into a report, gathered from the tree, its rows and its evaluation."""

    def __init__(self, estimator: TreeEstimator, sample: Sample, judged: Judged, labels: list[str] | None) -> None:
        self.estimator, self.tree, self.sample = estimator, estimator.tree_, sample
        self.judged, self.labels = judged, labels
        self.held: Ints = nodes_held(self.tree)
        self.shown = sorted(self.held.tolist(), key=lambda node: int(self.tree.depth[node]))[:MOST_SHOWN]
        self.looked_at = sample.take(thinned(sample, MOST_ROWS))
        self.distributions = Distributions(self.tree, self.looked_at)

    def report(self, title: str | None, made: dict[str, Any]) -> Report:
        """Return the report; `made`: how it was made."""
        tree, workings = self.tree, workings_of(self.tree, self.held)
        head, lines = rules_text.table_of(rules(tree, stops=False, most=MOST_RULES))
        left_out = self._left_out(workings)
        importance = self.estimator.feature_importances_
        name = ALGORITHMS.get(str(tree.options["name"]), str(tree.options["name"]))
        page = {
            "lang": {"zh": "zh-CN"}.get(spoken(), spoken()),
            "title": title or _("{name} tree for {target}").format(name=name, target=tree.target),
            "algorithm": name,
            "task": tree.task,
            "target": tree.target,
            "facts": self._facts(),
            "judged": self.judged.data(),
            "columns": columns_data(self.looked_at, self.tree),
            "importance": self._importance(importance),
            "rules": {"head": head, "lines": lines},
            "workings": workings.by_node,
            "made": made,
            "trained_on_these": self._trained_on_these(),
            "left_out": left_out,
        }
        return Report(page_of(page, self._script_data()), tuple(left_out))

    def _facts(self) -> list[tuple[str, str]]:
        """Return the figures at the top."""
        tree = self.tree
        facts = [
            (_("training rows"), f"{int(tree.n_samples[0]):,}"),
            (_("leaves"), f"{tree.n_leaves:,}"),
            (_("most questions on a path"), str(tree.max_depth)),
            (_("columns asked for"), f"{len(np.unique(tree.feature[~tree.is_leaf]))} / {len(tree.schema)}"),
        ]
        return [*facts, (_("classes"), str(len(tree.classes)))] if tree.task == "class" else facts

    def _importance(self, importance: Any) -> list[dict[str, Any]]:
        order = [j for j in np.argsort(-importance, kind="stable").tolist() if importance[j] > 0]
        names = self.tree.schema.names
        return [
            {"name": names[j], "share": f"{100 * importance[j]:.1f} %", "width": significant(100 * importance[j])}
            for j in order
        ]

    def _trained_on_these(self) -> bool:
        """Whether the rows given are as many as the tree was grown on, in every node whose rows are shown."""
        whole = len(self.looked_at.rows) == len(self.sample.rows)
        tree = self.tree
        return whole and all(len(self.distributions.rows_of(n)) == tree.n_samples[n] for n in self.shown)

    def _script_data(self) -> dict[str, Any]:
        return {
            "tree": tree_data(self.tree, self.held, self.judged.stages.closes),
            "stages": self.judged.stages.data(),
            "distributions": {node: self.distributions.of_node(node) for node in self.shown},
            "columns": {j: self._column(j) for j in described(self.tree)},
            "rows": self._picked(),
            "words": words_of_script(self.tree),
        }

    def _column(self, j: int) -> dict[str, Any] | None:
        if not self.tree.schema.features[j].is_split_on:
            return None
        return self.distributions.of_column(j, np.arange(len(self.looked_at.rows)))

    def _picked(self) -> dict[str, Any]:
        """Return rows to pick: for each its place, from 1, its label, its cells in the columns that the tree asks for
        (numbers, or codes of categories), and its target.
        """
        used = self.tree.used_features
        places = thinned(self.sample, min(MOST_PICKED, MOST_CELLS // max(1, len(used))))
        rows = self.sample.rows[places]
        cells = [self._cells(j, places) for j in used]
        return {
            "number": (rows + 1).tolist(),
            "of": len(self.sample.rows),
            "label": None if self.labels is None else [clean(self.labels[row]) for row in rows.tolist()],
            "cells": [list(line) for line in zip(*cells, strict=True)] if used else [[] for _row in rows],
            "truth": self.sample.target[places].tolist(),
        }

    def _cells(self, j: int, places: Ints) -> list[float | int | None]:
        column = self.sample.table.columns[j]
        assert column is not None
        return [None if cell != cell else cell for cell in column[places].tolist()]

    def _left_out(self, workings: Workings) -> list[str]:
        """Return what the report does not hold, in sentences."""
        tree, sentences = self.tree, []
        if len(self.held) < len(tree):
            text = _("Of the {all} nodes of the tree the upper {n} are here; what is below them is counted.")
            sentences.append(text.format(all=f"{len(tree):,}", n=f"{len(self.held):,}"))
        if workings.left_out:
            text = _("The working of {n} nodes is left out: {reason}.")
            sentences.append(text.format(n=f"{workings.left_out:,}", reason=workings.reason))
        if len(self.held) > len(self.shown):
            text = _("The rows of {n} nodes of the lowest levels are not shown.")
            sentences.append(text.format(n=f"{len(self.held) - len(self.shown):,}"))
        if tree.n_leaves > MOST_RULES:
            text = _("{n} further rules are left out; “deciduous rules MODEL” prints all.")
            sentences.append(text.format(n=f"{tree.n_leaves - MOST_RULES:,}"))
        if len(tree.schema) > MOST_COLUMNS:
            text = _("{n} further columns are not described.")
            sentences.append(text.format(n=len(tree.schema) - MOST_COLUMNS))
        if len(self.looked_at.rows) < len(self.sample.rows):
            text = _("Distributions are those of {n} rows, evenly spaced among {all}.")
            sentences.append(text.format(n=f"{len(self.looked_at.rows):,}", all=f"{len(self.sample.rows):,}"))
        return sentences
