"""How many digits the numbers in a formula need, so that its printed result comes out on a pocket calculator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
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
        shown = _each_number(numbers, partial(replace, more=more))
        if style.result(value_of(_each_number(shown, partial(_as_written, style)))) == printed:
            return shown
    return numbers


def _as_written(style: Style, number: Count | Figure) -> Count:
    return Count(float(text_of(number, style)))


def _each_number(expression: Expression, change: Callable[[Count | Figure], Expression]) -> Expression:
    """Return an expression with every number of it changed."""

    def changed(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(map(changed, part))
        return _each_number(part, change) if isinstance(part, Expression) else part

    if isinstance(expression, Count | Figure):
        return change(expression)
    return replace(expression, **{field.name: changed(getattr(expression, field.name)) for field in fields(expression)})
