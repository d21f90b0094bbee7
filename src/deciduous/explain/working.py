"""The working of one node: every feature's figures from its contingency table, which feature won, and why.

The figures come from the same functions of tables as growing (`measures`), applied to the tables that the tree keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciduous import measures
from deciduous.data.schema import Label
from deciduous.errors import DataError
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.candidate import Candidate, Verdict
from deciduous.model.labels import Conditions, answer, cut_of, figure, significant, signs_of
from deciduous.model.node import Node
from deciduous.model.reason import REASON_TEXT
from deciduous.model.tree import Tree
from deciduous.search.contingency import KNOWN_ROWS_ONLY


@dataclass(frozen=True)
class BranchWorking:
    """One branch of a candidate: its condition, the weight of its rows and of each class, and its entropy and Gini
    value.

    For numbers: `mean` and `squared_error` instead of classes; under absolute error these are the median and the mean
    absolute deviation from it.
    """

    condition: str
    weight: float
    class_weights: dict[Label, float]
    entropy: float
    gini: float
    mean: float = math.nan
    squared_error: float = math.nan


@dataclass(frozen=True)
class FeatureWorking:
    """The figures of one feature's best candidate in one node; NaN where a figure does not apply.

    `gain` has the known share multiplied in; `correction` is what a threshold pays for having been chosen among several
    (C4.5), `counted` whether the rest of the gain entered the average that the guard asks for; `split_information`
    counts missing rows as a branch; `gain_ratio` is the gain less the correction divided by it. The conditional entropy
    and the Gini figures are those of the known rows alone. `drop` is the drop in impurity, for numbers; `score` is what
    features were compared by.
    """

    feature: str
    verdict: Verdict
    why: str
    branches: tuple[BranchWorking, ...] = ()
    known_share: float = 1.0
    conditional_entropy: float = math.nan
    gain: float = math.nan
    correction: float = 0.0
    counted: bool = False
    split_information: float = math.nan
    gain_ratio: float = math.nan
    gini_index: float = math.nan
    gini_gain: float = math.nan
    drop: float = math.nan
    score: float = math.nan
    tried: int = 0
    exact: bool = True


@dataclass(frozen=True)
class NodeWorking:
    """The working of one node: its own figures, every feature's, and the decision in words.

    `path`: the answers that lead here; `branches`: the nodes that its own question leads to, each with its condition.
    """

    node: int
    path: tuple[str, ...]
    n_samples: int
    weight: float
    class_weights: dict[Label, float]
    impurity: float
    entropy: float
    gini: float
    features: tuple[FeatureWorking, ...]
    decision: str
    branches: tuple[tuple[int, str], ...] = ()


def working_of(tree: Tree, node: int = 0, decimals: int = 4, words: Conditions | None = None) -> NodeWorking:
    """Return the working of a node; DataError if there is no such node, or the tree is too large to have kept
    candidates. `decimals`: of the figures in the words of the decision; of numbers, their significant digits.
    `words`: the conditions of the tree, where many nodes share them.
    """
    tree.demand_one_target("working_of")
    demand_candidates(tree)
    view = tree.node(node)
    conditions = Conditions(tree) if words is None else words
    features = tuple(_feature_working(view, candidate) for candidate in view.candidates or ())
    weights = np.array(list(view.class_weights.values())) if tree.task == "class" else np.zeros(0)
    return NodeWorking(
        node,
        conditions.path(node),
        view.n_samples,
        view.weight,
        view.class_weights,
        view.impurity,
        float(measures.of_entropy(weights)) if len(weights) else math.nan,
        float(measures.of_gini(weights)) if len(weights) else math.nan,
        features,
        decision(view, features, decimals),
        tuple((child.index, conditions(child.index)) for child in view.children),
    )


def demand_candidates(tree: Tree) -> None:
    """Raise DataError if a tree keeps no candidates."""
    most = tree.options.get("keep_candidates")
    if tree.candidates is None and len(tree) <= int(most or 0):
        raise DataError(
            "the tree keeps no candidates: it was stored without, or is that of one of several targets. Fit it again, "
            "or explain the tree of all targets."
        )
    if tree.candidates is None:
        raise DataError(
            f"the tree has {len(tree)} nodes and keeps no candidates (they are kept up to keep_candidates={most} "
            "nodes). Fit it again with a larger keep_candidates, or a smaller max_depth."
        )


def _feature_working(node: Node, candidate: Candidate) -> FeatureWorking:
    tree = node.tree
    name = tree.schema.features[candidate.feature].name
    if candidate.split is None or candidate.table is None:
        return FeatureWorking(name, candidate.verdict, _why_none(node, candidate))
    figures: dict[str, Any] = {"drop": candidate.gain} if tree.task == "number" else _class_figures(tree, candidate)
    return FeatureWorking(
        name,
        candidate.verdict,
        _(VERDICT_TEXT[candidate.verdict]),
        _branches(tree, candidate),
        **figures,
        score=candidate.score,
        tried=candidate.tried,
        exact=candidate.exact,
    )


#: The verdicts in words.
VERDICT_TEXT: dict[Verdict, str] = {
    "chosen": "chosen",
    "tied": "tied with the chosen one, which comes first",
    "lower": "lower",
    "below average gain": "below the average gain, not eligible",
    "no gain": "gains too little",
    "constant": "one value only",
    "no known cell": "no known cell",
    "limits": "no split within the limits",
    "not looked at": "not looked at (max_features)",
}


def _why_none(node: Node, candidate: Candidate) -> str:
    """Return why a feature has no candidate; a category that was asked for above is said to be used up."""
    ancestors = node.tree.path(node.index)[:-1]
    asked = candidate.feature in node.tree.feature[ancestors].tolist()
    used_up = candidate.verdict == "constant" and asked
    return _("used above, one value left") if used_up else _(VERDICT_TEXT[candidate.verdict])


def _class_figures(tree: Tree, candidate: Candidate) -> dict[str, Any]:
    table = candidate.table
    assert table is not None
    apart = candidate.missing if tree.options["missing"] in KNOWN_ROWS_ONLY else None
    known, unknown = float(table.sum()), 0.0 if apart is None else float(apart.sum())
    share = known / (known + unknown)
    gain = measures.information_gain(table=table) * share
    information = float(measures.of_entropy(np.append(table.sum(axis=1), unknown)))
    return {
        "known_share": share,
        "conditional_entropy": measures.conditional_entropy(table=table),
        "gain": gain,
        "correction": candidate.correction,
        "counted": candidate.counted,
        "split_information": information,
        "gain_ratio": (gain - candidate.correction) / information if information > 0 else math.nan,
        "gini_index": measures.gini_index(table=table),
        "gini_gain": measures.gini_gain(table=table),
    }


def _branches(tree: Tree, candidate: Candidate) -> tuple[BranchWorking, ...]:
    split, table = candidate.split, candidate.table
    assert split is not None
    assert table is not None
    feature = tree.schema.features[candidate.feature]
    threshold = "" if math.isnan(split.threshold) else significant(float(cut_of(tree, split.threshold)), 6)
    arrives = candidate.missing is not None and tree.options["missing"] not in KNOWN_ROWS_ONLY
    return tuple(
        _branch(tree, answer(split, feature, b, threshold, missing_arrives=arrives, signs=signs_of(tree)), statistics)
        for b, statistics in enumerate(table)
    )


def _branch(tree: Tree, condition: str, statistics: Floats) -> BranchWorking:
    if tree.task == "number":
        weight, mean, error = statistics.tolist()
        return BranchWorking(condition, weight, {}, math.nan, math.nan, mean, error)
    weights = dict(zip(tree.classes, statistics.tolist(), strict=True))
    return BranchWorking(
        condition,
        float(statistics.sum()),
        weights,
        float(measures.of_entropy(statistics)),
        float(measures.of_gini(statistics)),
    )


def decision(node: Node, features: Sequence[FeatureWorking], decimals: int) -> str:
    """Return in words why a node is a leaf, or which column it asks for and why."""
    if node.is_leaf:
        return _("Node {node} is a leaf because {reason}.").format(node=node.index, reason=_(REASON_TEXT[node.reason]))
    chosen = next((f for f in features if f.verdict == "chosen"), None)
    if chosen is None:
        return _("Node {node} asks for {feature}.").format(node=node.index, feature=node.feature)
    criterion = str(node.tree.options["criterion"])
    surrogates = node.tree.surrogates is not None  # these trees compare improvements, as rpart rates splits
    quantity = _("improvement") if surrogates else _(QUANTITY.get(criterion, criterion))
    written = significant if node.tree.task == "number" else figure
    text = _("{feature} is chosen: the largest {quantity}, {figure}").format(
        feature=chosen.feature, quantity=quantity, figure=written(chosen.score, decimals)
    )
    if node.tree.others:
        text += _(", the mean over the targets")
    tied = [f.feature for f in features if f.verdict == "tied"]
    below = [f.feature for f in features if f.verdict == "below average gain"]
    if tied:
        text += _("; tied with it: {features}; the first column is taken").format(features=", ".join(tied))
    if below:
        text += _("; below the average gain {average}, so not eligible: {features}").format(
            average=figure(average_gain(features), decimals), features=", ".join(below)
        )
    return text + _(".")


def average_gain(features: Sequence[FeatureWorking]) -> float:
    """Return the average gain over the columns that entered it, corrections taken off; NaN without any (Quinlan 1993,
    section 2.2).
    """
    gains = [f.gain - f.correction for f in features if f.counted]
    return sum(gains) / len(gains) if gains else math.nan


#: What features are compared by, in words, by criterion.
QUANTITY = {
    "gain": "information gain",
    "gain_ratio": "gain ratio",
    "entropy": "information gain",
    "log_loss": "information gain",
    "gini": "drop in Gini",
    "misclassification": "drop in misclassification",
    "squared_error": "drop in squared error",
    "friedman_mse": "drop in squared error",
    "absolute_error": "drop in absolute error",
    "poisson": "drop in half Poisson deviance",
}
