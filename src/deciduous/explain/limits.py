"""The limits on the branches of a split, in words: C4.5's minimum (Quinlan 1993, chapter 9), and those of all trees."""

from __future__ import annotations

from collections.abc import Iterator

from deciduous.explain.expression import plain
from deciduous.kernels import SplitKind
from deciduous.language import translate as _
from deciduous.model.candidate import Candidate
from deciduous.model.node import Node
from deciduous.search.conventions import CONVENTIONS, MOST_MIN_SPLIT


def limit_remarks(node: Node, candidate: Candidate, removed: bool) -> Iterator[str]:
    """Yield the limits that a column's candidates must keep.

    C4.5's minimum for thresholds is always said, since it is worked out node by node; the others where they `removed`
    candidates, or left none.
    """
    options = node.tree.options
    least = float(options.get("min_cases", 0.0))
    by_order = node.tree.schema.features[candidate.feature].kind != "nominal"
    if candidate.split is not None:
        by_order = candidate.split.kind == SplitKind.THRESHOLD
    if least > 0 and by_order and node.tree.task == "class":
        yield _minimum_for_numbers(node, candidate, least)
    if not removed:
        return
    if least > 0 and not by_order:
        yield _("at least two branches must weigh {least} (min_cases)").format(least=plain(least))
    rows = int(options.get("min_samples_leaf", 1))
    if rows > 1:
        yield _("every branch must hold {n} rows (min_samples_leaf)").format(n=rows)
    share = float(options.get("min_weight_fraction_leaf", 0.0))
    if share > 0:
        weight = share * float(node.tree.weight[0])
        text = _("every branch must weigh {weight}, {share} of all (min_weight_fraction_leaf)")
        yield text.format(weight=plain(weight), share=plain(share))


def _minimum_for_numbers(node: Node, candidate: Candidate, least: float) -> str:
    """Return what both sides of a threshold must weigh: M, or a tenth of the mean weight of a class (see
    `Conventions.min_split`).
    """
    known, n_classes = candidate.table, len(node.tree.classes)
    if known is None or candidate.split is None:
        return _(
            "each side of a threshold must weigh {least} (min_cases), or a tenth of the mean weight of a class, up to "
            "{most}, where that is more"
        ).format(least=plain(least), most=plain(MOST_MIN_SPLIT))
    weight = float(known.sum())
    minimum = CONVENTIONS[node.tree.options.get("conventions", "c45")].min_split(least, weight, n_classes)
    if minimum <= least:
        return _("each side of a threshold must weigh {least} (min_cases)").format(least=plain(least))
    return _(
        "each side of a threshold must weigh {minimum}: a tenth of the mean weight of a class, {known}/{n}, at most "
        "{most}"
    ).format(minimum=plain(minimum), known=plain(weight), n=n_classes, most=plain(MOST_MIN_SPLIT))
