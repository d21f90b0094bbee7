"""`splitter="random"`: one candidate a column, drawn at random (Geurts, Ernst and Wehenkel 2006, "Extremely randomized
trees"), in place of the best one.

All draws are hashes (see `draw.py`) of `rule.key`, the key of the node and the column: thresholds are uniform between
the least and the largest value in the node; of categories, every division of those present into two sets is as likely
as any other, or each of them as the one against the rest. A branch per category leaves nothing to draw. Missing rows,
where they are counted, go to either side with equal chance, or have their branch; a column with one known value asks
whether the cell is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.search.contingency import Contingency, Counts, Found, Rule, weight_of
from deciduous.search.draw import CATEGORIES, MISSING_SIDE, THRESHOLD, below, draw, unit
from deciduous.search.pick import Candidates, gains, score_of, split_information


@dataclass(frozen=True, eq=False)
class Drawn:
    """A candidate that was drawn: the branch of every line of the contingency table (-1: no rows), and of the missing
    rows (-1: not counted).
    """

    kind: SplitKind
    branch: NDArray[np.int32]
    n_branches: int
    missing_branch: int
    threshold: float = float("nan")


def drawn_threshold(low: float, high: float, key: int) -> float:
    """Return a number drawn uniformly from [low, high), low < high: low + (high - low) * unit(draw(key, THRESHOLD))."""
    share = float(unit(draw(key, THRESHOLD)))
    threshold = low + (high - low) * share if high - low < np.inf else low * (1 - share) + high * share
    return threshold if low <= threshold < high else low


def missing_goes_left(key: int) -> bool:
    """Return on which side the missing rows are counted: the upper bit of draw(key, MISSING_SIDE)."""
    return bool(int(draw(key, MISSING_SIDE)) >> 63)


def drawn_subset(items: NDArray[np.int64], key: int) -> NDArray[np.bool_]:
    """Return which items are drawn into the left set, shape (items,): neither none nor all of them.

    `items`: at least two codes (the rows with a missing cell may be one more item, with a code of their own). In round
    r an item goes left by the upper bit of draw(draw(draw(key, CATEGORIES), r), code); a round that leaves a set empty
    is drawn again.
    """
    rounds, attempt = draw(key, CATEGORIES), 0
    while True:
        left: NDArray[np.bool_] = np.asarray(draw(draw(rounds, attempt), items)) >> np.uint64(63) == 1
        if left.any() and not left.all():
            return left
        attempt += 1


def drawn_one(items: NDArray[np.int64], key: int) -> int:
    """Return the place, among `items`, of the one that stands against the rest: below(items, draw(key, CATEGORIES))."""
    return below(len(items), draw(key, CATEGORIES))


def draw_split(contingency: Contingency, rule: Rule) -> Drawn | None:
    """Draw a candidate for one column in one node; None if there is nothing to divide."""
    counted = contingency.missing_count > 0 and not rule.known_rows_only
    present = np.flatnonzero(contingency.counts)
    if len(present) < 2:
        return _missing_or_not(contingency) if counted and len(present) else None
    if contingency.values is not None:
        return _threshold(contingency.values, rule, counted)
    if rule.nominal == "one_vs_rest":
        return _one_vs_rest(contingency, rule, present, counted)
    return _subset(contingency, rule, present, counted)


def _missing_or_not(contingency: Contingency) -> Drawn:
    return Drawn(SplitKind.MISSING, np.where(contingency.counts > 0, 0, -1).astype(np.int32), 2, 1)


def _missing_place(rule: Rule, counted: bool) -> tuple[int, int]:
    """Return the number of branches, and the one that takes the missing rows."""
    if not counted:
        return 2, -1
    return (3, 2) if rule.missing == "branch" else (2, int(not missing_goes_left(rule.key)))


def _threshold(values: Floats, rule: Rule, counted: bool) -> Drawn:
    threshold = drawn_threshold(float(values[0]), float(values[-1]), rule.key)
    if rule.training_values is not None:
        threshold = float(rule.training_values[np.searchsorted(rule.training_values, threshold, side="right") - 1])
    right = (values > threshold).astype(np.int32)
    return Drawn(SplitKind.THRESHOLD, right, *_missing_place(rule, counted), threshold)


def _one_vs_rest(contingency: Contingency, rule: Rule, present: NDArray[np.intp], counted: bool) -> Drawn:
    branch = np.ones(len(contingency.counts), dtype=np.int32)
    branch[present[drawn_one(present, rule.key)]] = 0
    return Drawn(SplitKind.ONE_VS_REST, branch, *_missing_place(rule, counted))


def _subset(contingency: Contingency, rule: Rule, present: NDArray[np.intp], counted: bool) -> Drawn:
    """Draw two sets; the smaller one is the left one, of equal sizes the one with the first item. With `direction` the
    missing rows are an item like any other.
    """
    n_categories = len(contingency.counts)
    as_item = counted and rule.missing == "direction"
    left = drawn_subset(np.append(present, n_categories) if as_item else present, rule.key)
    size = 2 * int(left.sum())
    if size > len(left) or (size == len(left) and not left[0]):
        left = ~left
    if as_item and (left[:-1] != left[-1]).all():
        return _missing_or_not(contingency)
    branch = np.full(n_categories, -1, dtype=np.int32)
    branch[present] = np.where(left[: len(present)], 0, 1)
    places = (2, int(not left[-1])) if as_item else _missing_place(rule, counted)
    return Drawn(SplitKind.SUBSET, branch, *places)


# --- what a drawn candidate is worth ---


def random_split(contingency: Contingency, rule: Rule) -> Found | None:
    """Return the candidate that is drawn for one column; None if there is none, or if it is not allowed."""
    drawn = draw_split(contingency, rule)
    if drawn is None:
        return None
    table = _sums(contingency.table, contingency.missing, drawn)
    return found(drawn, table, counts_of(contingency, drawn), contingency, rule)


def counts_of(contingency: Contingency, drawn: Drawn) -> Counts:
    """Return the rows of each branch of a drawn candidate."""
    missing = np.array([contingency.missing_count])
    return _sums(contingency.counts[:, None], missing, drawn)[:, 0].astype(np.int64)


def _sums(lines: NDArray[np.float64] | Counts, missing: NDArray[np.float64] | Counts, drawn: Drawn) -> Floats:
    sums = np.stack([lines[drawn.branch == b].sum(axis=0) for b in range(drawn.n_branches)]).astype(np.float64)
    if drawn.missing_branch >= 0:
        sums[drawn.missing_branch] += missing
    return sums


def found(drawn: Drawn, table: Floats, counts: Counts, contingency: Contingency, rule: Rule) -> Found | None:
    """Return a drawn candidate with its score, given the statistics and rows of its branches; None if not allowed."""
    gain = float(gains(Candidates(table[None], counts[None]), rule, contingency)[0])
    if gain == -np.inf:
        return None
    information = split_information(table, rule, contingency)
    by_category = drawn.kind in (SplitKind.SUBSET, SplitKind.ONE_VS_REST)
    return Found(
        drawn.kind,
        weight_of(table, rule.criterion).tolist(),
        table,
        gain=gain,
        score=score_of(gain, information, rule),
        split_information=information,
        missing_branch=drawn.missing_branch,
        threshold=drawn.threshold,
        category_branch=drawn.branch if by_category else None,
    )
