"""What is worth saying about a column in a node beside its figures, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deciduous.explain.expression import Style, plain
from deciduous.explain.improvement import sent_by_surrogates
from deciduous.explain.limits import limit_remarks
from deciduous.explain.steps import Tried
from deciduous.explain.working import FeatureWorking
from deciduous.kernels import SplitKind
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.model.candidate import Candidate
from deciduous.model.node import Node
from deciduous.search.contingency import KNOWN_ROWS_ONLY, TIE


def feature_remarks(
    node: Node, candidate: Candidate, figures: FeatureWorking, tried: Sequence[Tried], average: float, style: Style
) -> tuple[str, ...]:
    """Return the remarks about a column: why it has no candidate, how the best one was found, what limits removed, ties
    in value, missing cells, and why it was not chosen. `average`: the gain that C4.5 asks for.
    """
    if candidate.split is None:
        limits = limit_remarks(node, candidate, removed=True) if candidate.verdict == "limits" else ()
        return (_none_text(candidate, figures), *limits)
    return (
        *_search(node, candidate, tried),
        *_missing(node, candidate),
        *_empty(node, candidate),
        *_verdict(figures, average, style),
        *_again(candidate, figures),
    )


def _none_text(candidate: Candidate, figures: FeatureWorking) -> str:
    if candidate.verdict == "constant":
        return _("one value only, so one branch: split information 0, no candidate ({why})").format(why=figures.why)
    return _("no candidate: {why}").format(why=figures.why)


def _search(node: Node, candidate: Candidate, tried: Sequence[Tried]) -> Iterator[str]:
    split, options = candidate.split, node.tree.options
    assert split is not None
    n_tried = sum(one.allowed for one in tried) or candidate.tried
    if n_tried > 1:
        yield _("best of {n} candidates").format(n=n_tried)
    if not candidate.exact:
        yield _("found by a heuristic, not exhaustively")
    removed = sum(not one.allowed for one in tried)
    if removed:
        yield _n("{n} candidate removed by limits", "{n} candidates removed by limits", removed).format(n=removed)
    yield from limit_remarks(node, candidate, removed=removed > 0)
    if split.kind != SplitKind.THRESHOLD:
        return
    best = next((one for one in tried if one.best), None)
    if best is not None and best.low == best.low:
        midpoint = plain((best.low + best.high) / 2)
        text = _("between the neighbouring values {low} and {high}; midpoint {midpoint}").format(
            low=plain(best.low), high=plain(best.high), midpoint=midpoint
        )
        if options["threshold"] == "data":
            text += _("; C4.5 prints {value}, the largest training value not above it").format(
                value=plain(split.threshold)
            )
        yield text
    if options["criterion"] == "gain_ratio" and candidate.tried > 1:
        yield _("thresholds of a column are compared by gain, columns by gain ratio")


def _missing(node: Node, candidate: Candidate) -> Iterator[str]:
    """Say where the rows go whose cell is missing."""
    if candidate.missing is None or candidate.split is None:
        return
    shares, policy = candidate.split.shares, str(node.tree.options["missing"])
    if policy == "fractional" and candidate.table is not None:
        by_class = node.tree.task == "class"
        weights = candidate.table.sum(axis=1) if by_class else candidate.table[:, 0]
        total = plain(float(weights.sum()))
        parts = ", ".join(f"{plain(float(weight))}/{total}" for weight in weights)
        yield _("a row with a missing cell goes down every branch, with weights {parts}; below they multiply").format(
            parts=parts
        )
    elif policy in KNOWN_ROWS_ONLY and (shares == 1).any():
        yield _("rows with a missing cell follow the heaviest branch, number {branch}").format(
            branch=int(shares.argmax()) + 1
        )
    elif candidate.verdict == "chosen":
        yield from sent_by_surrogates(node)


def _empty(node: Node, candidate: Candidate) -> Iterator[str]:
    split, table = candidate.split, candidate.table
    assert split is not None
    if table is None or candidate.verdict != "chosen":
        return
    weights = table.sum(axis=1) if node.tree.task == "class" else table[:, 0]
    feature = node.tree.schema.features[split.feature]
    if split.kind != SplitKind.MULTIWAY:
        return
    for category, weight in zip(feature.categories, weights, strict=False):
        if weight == 0:
            yield _("{feature} = {category}: no rows, so a leaf that answers as this node does").format(
                feature=feature.name, category=category
            )


def _verdict(figures: FeatureWorking, average: float, style: Style) -> Iterator[str]:
    if figures.verdict == "below average gain":
        yield _("gain {gain} < {average}, the average gain: not eligible").format(
            gain=style.result(figures.gain - figures.correction), average=style.result(average)
        )


def _again(candidate: Candidate, figures: FeatureWorking) -> Iterator[str]:
    if figures.verdict != "chosen" or candidate.split is None:
        return
    if candidate.split.kind == SplitKind.MULTIWAY:
        yield _("each branch has one value of this column left: it cannot be asked again below")
    elif candidate.split.kind == SplitKind.THRESHOLD:
        yield _("a column of numbers may be asked again below, with another threshold")


def leaf_text(node: Node) -> str:
    """Return what a leaf of classes answers: its majority, and how a tie between classes was decided."""
    tree = node.tree
    if tree.task != "class":
        return ""
    answering = tree.node(int(tree.answers_from[node.index]))
    weights = answering.class_weights
    most, total = weights.get(node.prediction, 0.0), sum(weights.values())
    text = _("answers {answer}: {n} of {total}").format(answer=node.prediction, n=plain(most), total=plain(total))
    if tree.options.get("loss") is not None:
        return text + _("; the class of the least expected loss")
    tied = [str(label) for label, weight in weights.items() if abs(weight - most) <= TIE * total]
    if len(tied) > 1:
        text += _("; as many are of {classes}: the first class is taken").format(
            classes=", ".join(label for label in tied if label != str(node.prediction))
        )
    return text
