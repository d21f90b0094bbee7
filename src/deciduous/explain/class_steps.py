"""The steps of classes: entropy, gain, split information, ratio, Gini and misclassification from contingency tables.

Every value is that of `measures`, which growing uses; the formulas have the same numbers in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deciduous import measures
from deciduous.explain.expression import Count, Expression, Largest, Log, Minus, Name, Power, Ratio, Sum, Times
from deciduous.explain.expression import minus as less
from deciduous.explain.steps import Calculation, Line, Step, applied, known, share
from deciduous.measures import Floats

#: Which families of measures a criterion needs.
FAMILIES: dict[str, tuple[str, ...]] = {
    "gain": ("entropy",),
    "entropy": ("entropy",),
    "log_loss": ("entropy",),
    "gain_ratio": ("entropy", "ratio"),
    "gini": ("gini",),
    "misclassification": ("error",),
}
ALL_FAMILIES = ("entropy", "ratio", "gini", "error")


@dataclass(frozen=True)
class Impurity:
    """How the impurity of one set of rows is named and worked out, and that of a split by it."""

    quantity: str
    symbol: str
    after: str
    drop: str
    drop_symbol: str


#: The impurities by family.
IMPURITIES: dict[str, Impurity] = {
    "entropy": Impurity("entropy", "Ent", "conditional_entropy", "gain", "Gain"),
    "gini": Impurity("gini", "Gini", "gini_index", "gini_gain", "Gini_gain"),
    "error": Impurity("misclassification", "Err", "error_after", "error_drop", "Err_drop"),
}
#: Their values, of class weights along the last axis.
VALUES = {
    "entropy": measures.of_entropy,
    "gini": measures.of_gini,
    "error": measures.of_misclassification,
}


def impurity_step(work: Calculation, family: str, counts: Floats, symbol: Name, of: str = "") -> Step:
    """Add the impurity of one set of rows, such as Ent(D) = -(9/15 log2 9/15 + 6/15 log2 6/15)."""
    what = IMPURITIES[family]
    numbers = {"entropy": entropy_of, "gini": gini_of, "error": error_of}[family](counts.tolist())
    exact = float(VALUES[family](counts))
    return work.step(what.quantity, of, applied(what.symbol, symbol), None, numbers, exact)


def entropy_of(counts: Sequence[float]) -> Expression:
    """Return -(p1 log2 p1 + ...) with p as fractions of counts."""
    total = sum(counts)
    terms = tuple(Times((share(n, total), Log(share(n, total)))) for n in counts)
    return Minus(Sum(terms)) if len(terms) > 1 else Minus(terms[0])


def gini_of(counts: Sequence[float]) -> Expression:
    """Return 1 - (n1/n)^2 - ... ."""
    total = sum(counts)
    return Sum((Count(1), *(Minus(Power(share(n, total))) for n in counts)))


def error_of(counts: Sequence[float]) -> Expression:
    """Return 1 - max(n1/n, ...)."""
    total = sum(counts)
    return less(Count(1), Largest(tuple(share(n, total) for n in counts)))


def feature_steps(
    work: Calculation,
    families: Sequence[str],
    feature: str,
    node: Name,
    node_steps: dict[str, Step],
    lines: Sequence[Line],
    missing: Floats | None,
    total_gain: dict[str, float],
    correction: tuple[int, float] = (1, 0.0),
) -> None:
    """Add the steps of one column: impurity of each branch, their mean, the drop; split information and ratio.

    `missing`: the class weights of the rows whose cell is missing, where these take no part in the branches; the
    measures are then those of the known rows, and the gain is multiplied by their share. `total_gain`: the exact drop
    by family. `correction`: among how many candidates a threshold was chosen, and what it pays for that (C4.5).
    """
    counts = np.array([line.cells for line in lines])
    known_counts = counts.sum(axis=0)
    unknown = 0.0 if missing is None else float(missing.sum())
    rows = known(node) if unknown else node
    rho = float(known_counts.sum()) / (float(known_counts.sum()) + unknown)
    if unknown:
        total = float(known_counts.sum()) + unknown
        symbol = Name("rho", r"\rho")
        formula = Ratio(Name(f"|{rows.text}|", f"|{rows.latex}|"), Name(f"|{node.text}|", f"|{node.latex}|"))
        work.step("known_share", feature, symbol, formula, share(float(known_counts.sum()), total), rho)
    for family in (f for f in families if f != "ratio"):
        before = impurity_step(work, family, known_counts, rows, feature) if unknown else node_steps[family]
        after = after_split(work, family, feature, rows, lines)
        _drop(work, family, feature, node, before, after, (known_counts.sum(), unknown), total_gain[family])
    if correction[1] > 0 and "entropy" in families:
        _correct(work, feature, node, correction, float(known_counts.sum()) + unknown)
    if "ratio" in families:
        _ratio(work, feature, node, [line.weight for line in lines], unknown)


def after_split(work: Calculation, family: str, feature: str, rows: Name, lines: Sequence[Line]) -> Step:
    """Add the impurity of every branch and their weighted mean."""
    what, filled = IMPURITIES[family], [line for line in lines if line.weight > 0]
    total = sum(line.weight for line in lines)
    parts = [impurity_step(work, family, np.array(line.cells), line.symbol, line.condition) for line in filled]
    numbers = Sum(
        tuple(Times((share(line.weight, total), part.figure)) for line, part in zip(filled, parts, strict=True))
    )
    counts = np.array([line.cells for line in lines])
    exact = float(measures.of_branch_mean(VALUES[family](counts), counts.sum(axis=1)))
    symbol = (
        applied("H", rows, given=feature)
        if family == "entropy"
        else applied("Gini_index" if family == "gini" else "Err", rows, feature)
    )
    return work.step(what.after, feature, symbol, None, numbers, exact)


def _drop(
    work: Calculation,
    family: str,
    feature: str,
    node: Name,
    before: Step,
    after: Step,
    known_and_missing: tuple[float, float],
    exact: float,
) -> None:
    what, (known_weight, unknown) = IMPURITIES[family], known_and_missing
    formula: Expression = less(before.symbol, after.symbol)
    numbers: Expression = less(before.figure, after.figure)
    if unknown:
        formula = Times((Name("rho", r"\rho"), formula))
        numbers = Times((share(known_weight, known_weight + unknown), numbers))
    work.step(what.drop, feature, applied(what.drop_symbol, node, feature), formula, numbers, exact)


def _correct(work: Calculation, feature: str, node: Name, correction: tuple[int, float], weight: float) -> None:
    """Add what a threshold pays for having been chosen among several, log2(c) / n, and what is left of the gain."""
    tried, exact = correction
    gain = next(step for step in reversed(work.steps) if step.quantity == "gain")
    symbol = applied("Correction", feature)
    numbers = Ratio(Log(Count(tried)), Count(weight))
    paid = work.step("correction", feature, symbol, None, numbers, exact)
    left = applied("Gain_corrected", node, feature)
    formula, numbers_left = less(gain.symbol, paid.symbol), less(gain.figure, paid.figure)
    work.step("corrected_gain", feature, left, formula, numbers_left, gain.exact - exact)


def _ratio(work: Calculation, feature: str, node: Name, weights: list[float], unknown: float) -> None:
    """Add the split information, the missing rows being one more branch, and the ratio where it is not 0."""
    branches = [w for w in [*weights, unknown] if w > 0]
    information = float(measures.of_entropy(np.array(branches)))
    iv = work.step("split_information", feature, applied("IV", feature), None, entropy_of(branches), information)
    gain = next(step for step in reversed(work.steps) if step.quantity in GAINS)
    exact = gain.exact / information if information > 0 else float("nan")
    symbol = applied("Gain_ratio", node, feature)
    work.step("gain_ratio", feature, symbol, Ratio(gain.symbol, iv.symbol), Ratio(gain.figure, iv.figure), exact)


#: What columns gain; of numbers, what is left of it.
GAINS = ("gain", "corrected_gain")
#: An average of more gains is written without their symbols.
MOST_GAINS = 6


def average_gain(work: Calculation, node: Name, gains: Sequence[Step], exact: float) -> None:
    """Add the average of some gains, which C4.5's guard asks columns for (Quinlan 1993, section 2.2)."""
    n = Count(len(gains))
    formula = Ratio(Sum(tuple(gain.symbol for gain in gains)), n) if 1 < len(gains) <= MOST_GAINS else None
    numbers = Ratio(Sum(tuple(gain.figure for gain in gains)), n)
    work.step("average_gain", "", applied("Gain_average", node), formula, numbers, exact)


def two_class_gini(counts: Sequence[float]) -> Expression | None:
    """Return 2 p (1 - p) for two classes."""
    if len(counts) != 2:
        return None
    total = sum(counts)
    return Times((Count(2), share(counts[0], total), share(counts[1], total)))
