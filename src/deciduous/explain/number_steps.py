"""The steps of numbers: means, sums of squares (or absolute deviations), and the drop.

Sums of squares are written, as the textbooks do; the drop is their difference over the weight of the node.
"""

from __future__ import annotations

from collections.abc import Sequence

from deciduous.explain.expression import (
    Absolute,
    Count,
    Expression,
    Log,
    Median,
    Minus,
    Name,
    Power,
    Ratio,
    Sum,
    Times,
)
from deciduous.explain.expression import minus as less
from deciduous.explain.steps import Calculation, Line, Step, applied, known, share

#: Sums over at most so many rows are written out.
FEW_ROWS = 8

#: The symbol of the sum of errors, by criterion; squares by default.
SUMS = {"absolute_error": ("absolute_sum", "A")}


def node_steps(
    work: Calculation,
    node: Name,
    weight: float,
    answer: float,
    error: float,
    criterion: str,
    values: Sequence[float] = (),
) -> None:
    """Add the answer of the node and the sum of its errors; `error` is the mean one. `values`: those of its rows, where
    they are known.
    """
    _both_steps(work, node, "", weight, (answer, error), criterion, values)


def _both_steps(
    work: Calculation,
    rows: Name,
    of: str,
    weight: float,
    answer_and_error: tuple[float, float],
    criterion: str,
    values: Sequence[float],
) -> Step | None:
    """Add the answer for some rows, and the sum of their errors, which is returned; under Poisson deviance there is no
    such sum.
    """
    answer, error = answer_and_error
    median = criterion == "absolute_error"
    by_hand = written_out(values, answer, criterion)
    total = None if median else Ratio(Count(weight * answer), Count(weight))
    average, errors = by_hand or (total, None)
    work.step("median" if median else "mean", of, applied("c", rows), None, average, answer)
    return None if criterion == "poisson" else _sum_step(work, rows, weight, error, criterion, of, errors)


def _sum_step(
    work: Calculation,
    rows: Name,
    weight: float,
    error: float,
    criterion: str,
    of: str,
    by_hand: Expression | None = None,
) -> Step:
    quantity, symbol = SUMS.get(criterion, ("squared_sum", "S"))
    numbers = by_hand or Times((Count(weight), Count(error)))
    return work.step(quantity, of, applied(symbol, rows), None, numbers, weight * error)


def written_out(numbers: Sequence[float], answer: float, criterion: str) -> tuple[Expression, Expression] | None:
    """Return the mean and the sum of squares of a few numbers, written out, or their median and the sum of absolute
    deviations; None for many.
    """
    if not 0 < len(numbers) <= FEW_ROWS:
        return None
    deviations = [Sum((Count(y), Minus(Count(answer)))) for y in numbers]
    if criterion == "absolute_error":
        return Median(tuple(Count(y) for y in sorted(numbers))), Sum(tuple(map(Absolute, deviations)))
    average = Ratio(Sum(tuple(Count(y) for y in numbers)), Count(len(numbers)))
    return average, Sum(tuple(map(Power, deviations)))


def feature_steps(
    work: Calculation,
    criterion: str,
    feature: str,
    node: Name,
    lines: Sequence[Line],
    missing: tuple[float, float, float] | None,
    drop: float,
) -> None:
    """Add the steps of one column; `lines` hold (answer, mean error), `missing` (weight, answer, error) of the rows
    whose cell is missing, where these take no part. `drop`: the exact one.
    """
    filled = [line for line in lines if line.weight > 0]
    weight = sum(line.weight for line in filled)
    unknown = 0.0 if missing is None else missing[0]
    rows = known(node) if unknown else node
    if criterion == "poisson":
        _poisson(work, feature, node, filled, unknown, drop)
        return
    sums = []
    for line in filled:
        figures = (line.cells[0], line.cells[1])
        found = _both_steps(work, line.symbol, line.condition, line.weight, figures, criterion, line.values)
        assert found is not None
        sums.append(found)
    if (
        unknown and criterion == "absolute_error"
    ):  # the branches do not tell the median of the known rows; the drop does
        exact = drop * (weight + unknown) + sum(step.exact for step in sums)
        before = work.step("absolute_sum", feature, applied("A", rows), None, None, exact)
    elif unknown:
        mean = sum(line.weight * line.cells[0] for line in filled) / weight
        error = sum(line.weight * (line.cells[1] + (line.cells[0] - mean) ** 2) for line in filled) / weight
        before = _sum_step(work, rows, weight, error, criterion, feature)
    else:
        before = next(step for step in work.steps if step.of == "" and step.quantity.endswith("_sum"))
    numbers = Ratio(less(before.figure, *(s.figure for s in sums)), Count(weight + unknown))
    formula = Ratio(less(before.symbol, *(s.symbol for s in sums)), Name(f"|{node.text}|", f"|{node.latex}|"))
    work.step("drop", feature, applied("drop", node, feature), formula, numbers, drop)


def _poisson(work: Calculation, feature: str, node: Name, lines: Sequence[Line], unknown: float, drop: float) -> None:
    """Add the drop in half the Poisson deviance, sum_b w_b/W c_b ln(c_b / c)."""
    weight = sum(line.weight for line in lines)
    mean = sum(line.weight * line.cells[0] for line in lines) / weight
    rows = known(node) if unknown else node
    steps = []
    for line in lines:
        figures = (line.cells[0], line.cells[1])
        _both_steps(work, line.symbol, line.condition, line.weight, figures, "poisson", line.values)
        steps.append(work.steps[-1])
    terms = [(share(line.weight, weight + unknown), step) for line, step in zip(lines, steps, strict=True)]
    whole = next(step for step in work.steps if step.of == "" and step.quantity == "mean")
    if unknown:
        total = Ratio(Count(weight * mean), Count(weight))
        whole = work.step("mean", feature, applied("c", rows), None, total, mean)
    numbers = Sum(tuple(Times((part, step.figure, Log(Ratio(step.figure, whole.figure), 0))) for part, step in terms))
    work.step("drop", feature, applied("drop", node, feature), None, numbers, drop)
