"""How many digits the numbers in a formula need, so that its printed result comes out on a pocket calculator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from deciduous.explain.expression import Count, Expression, Figure, Style, text_of, value_of

#: At most so many digits more: a float has no others.
MOST_MORE = 8


def with_enough_digits(numbers: Expression, value: float, style: Style) -> Expression:
    """Return a formula whose numbers, as they are written, come to what is printed for `value`.

    Some digits more than those of the result are enough as a rule, not where large numbers that are nearly equal are
    subtracted. Where the style rounds at each step, numbers are what was printed before.
    """
    if style.each_step:
        return numbers
    printed = style.result(value)
    for more in range(MOST_MORE + 1):
        shown = _each_number(numbers, lambda number, more=more: replace(number, more=more))
        if style.result(value_of(_each_number(shown, lambda number: _as_written(number, style)))) == printed:
            return shown
    return numbers


def _as_written(number: Count | Figure, style: Style) -> Count:
    return Count(float(text_of(number, style)))


def _each_number(part: Any, change: Callable[[Any], Any]) -> Any:
    """Return an expression with every number of it changed."""
    if isinstance(part, Count | Figure):
        return change(part)
    if isinstance(part, tuple):
        return tuple(_each_number(one, change) for one in part)
    if not isinstance(part, Expression):
        return part
    return replace(part, **{field.name: _each_number(getattr(part, field.name), change) for field in fields(part)})
