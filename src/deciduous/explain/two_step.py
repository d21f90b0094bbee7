"""The rule of some textbooks for CART's category, beside the split that CART makes.

The rule takes the column of the smallest Gini index over all its values, then the value whose rows have the smallest
Gini value, and divides "this value, or not". CART compares the Gini index of every division in two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from deciduous import measures
from deciduous.explain import class_steps
from deciduous.explain.blocks import Block, Formula, Grid, Heading, Text, formula_of
from deciduous.explain.steps import WHOLE, Calculation, Line, known, subset
from deciduous.language import translate as _
from deciduous.measures import Floats

if TYPE_CHECKING:
    from deciduous.explain.measure import Counted, MeasureDerivation


def one_or_not(table: Floats) -> Floats:
    """Return for each value the Gini index of the division "this value, or not", shape (values,)."""
    rest = table.sum(axis=0) - table
    both = np.stack([table, rest], axis=1)
    return measures.of_branch_mean(measures.of_gini(both), both.sum(axis=2))


def two_step_blocks(derivation: MeasureDerivation) -> Iterator[Block]:
    """Return both ways side by side: the rule's two steps, and the smallest Gini index of all "value, or not"."""
    from deciduous.explain.measure import MOST_VALUES, distinct

    style = derivation.style
    tables: dict[str, Counted] = {
        column.name: derivation.counted(column.name)
        for column in derivation.columns.columns
        if column.name != derivation.target and (column.text is not None or distinct(column) <= MOST_VALUES)
    }
    tables = {name: counted for name, counted in tables.items() if 1 < len(counted.values) < derivation.counts.sum()}
    if not tables:
        yield Text(_("no column of categories"))
        return
    whole = {name: measures.gini_index(table=counted.table) for name, counted in tables.items()}
    first = min(whole, key=lambda name: whole[name])
    yield Heading(_("Step 1: the column of the smallest Gini index over all its values"), 3)
    smallest = {True: _("smallest"), False: ""}
    columns = tuple((name, style.result(index), smallest[name == first]) for name, index in whole.items())
    yield Grid((_("column"), _("Gini index"), ""), columns, (1,), "figures")
    values, table = tables[first].values, tables[first].table
    gini, index = measures.of_gini(table), one_or_not(table)
    second = int(np.argmin(gini))
    yield Heading(_("Step 2: its value of the smallest Gini value"), 3)
    shown = [(style.result(float(value)), style.result(float(i))) for value, i in zip(gini, index, strict=True)]
    rows = tuple((f"{first} = {value}", *shown[i], smallest[i == second]) for i, value in enumerate(values))
    yield Grid((_("value"), _("Gini value"), _("Gini index of 'value, or not'"), ""), rows, (1, 2), "figures")
    yield from _written(derivation, first, values[second], table[second])
    yield Heading(_("What CART does: the smallest Gini index of all divisions 'value, or not'"), 3)
    every = [
        (float(score), name, value)
        for name, counted in tables.items()
        for value, score in zip(counted.values, one_or_not(counted.table), strict=True)
    ]
    every.sort(key=lambda one: one[0])
    best, name, value = every[0]
    few = tuple((f"{n} = {v}", style.result(score), smallest[i == 0]) for i, (score, n, v) in enumerate(every[:8]))
    yield Grid((_("value"), _("Gini index of 'value, or not'"), ""), few, (1,), "figures")
    if (name, value) != (first, values[second]):
        yield from _written(derivation, name, value, tables[name].table[tables[name].values.index(value)])
    ruled = f"{first} = {values[second]}"
    found = f"{name} = {value}"
    figures = {"rule": ruled, "index": style.result(float(index[second])), "cart": found, "best": style.result(best)}
    if best < float(index[second]) - 1e-10:
        text = _("The rule takes {rule} (Gini index {index}), CART takes {cart} ({best}): they differ.")
    else:
        text = _("The rule and CART agree here: {rule} (Gini index {index}).")
    yield Text(text.format(**figures), "decision")


def _written(derivation: MeasureDerivation, column: str, value: str, one: Floats) -> Iterator[Formula]:
    """Return the Gini index of the division "this value, or not", written out; `one`: the classes of the value."""
    known_rows = derivation.counted(column).table.sum(axis=0)
    rows = WHOLE if known_rows.sum() == derivation.counts.sum() else known(WHOLE)
    sides = (
        (f"{column} = {value}", value, one),
        (f"{column} != {value}", _("not {value}").format(value=value), known_rows - one),
    )
    lines = [
        Line(condition, subset(rows, name), float(side.sum()), tuple(side.tolist())) for condition, name, side in sides
    ]
    work = Calculation(derivation.style)
    class_steps.after_split(work, "gini", f"{column} = {value}", rows, lines)
    for step in work.steps:
        yield formula_of(step, derivation.style)
