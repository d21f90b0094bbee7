"""One measure written out on a user's own table, without growing a tree: for people who check homework."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from deciduous import measures
from deciduous.data.columns import Column, Columns, labels_of
from deciduous.data.frames import columns_of
from deciduous.errors import DataError, OptionError, listing, nearest
from deciduous.explain import class_steps
from deciduous.explain.blocks import Block, Formula, Grid, Heading, Text, counts_grid, formula_of, known_shares
from deciduous.explain.expression import Count, Log, Name, Style, plain
from deciduous.explain.notation import definitions_of, name_of
from deciduous.explain.records import step_dict, steps_frame
from deciduous.explain.shown import Shown
from deciduous.explain.steps import WHOLE, Calculation, Line, Step, applied, known, subset
from deciduous.language import speaking
from deciduous.language import translate as _
from deciduous.measures import Floats

#: The measures by name: the quantities that are written out on the way, the last being the one asked for.
MEASURES: dict[str, tuple[str, ...]] = {
    "entropy": ("entropy",),
    "joint_entropy": ("joint_entropy",),
    "conditional_entropy": ("entropy", "conditional_entropy"),
    "information_gain": ("entropy", "conditional_entropy", "gain"),
    "split_information": ("split_information",),
    "gain_ratio": ("entropy", "conditional_entropy", "gain", "split_information", "gain_ratio"),
    "gini": ("gini",),
    "gini_index": ("gini", "gini_index"),
    "gini_gain": ("gini", "gini_index", "gini_gain"),
    "two_step": ("gini", "gini_index"),
}
#: The symbol of the rows whose cell is known.
KNOWN_ROWS = known(WHOLE)
#: Other names of measures.
ALIASES = {"gain": "information_gain", "iv": "split_information", "gini_value": "gini"}
#: A column of numbers with more different values is not taken as categories.
MOST_VALUES = 10
#: Which measures need a column.
WITHOUT_FEATURE = ("entropy", "gini", "two_step")


@dataclass(frozen=True)
class Counted:
    """The contingency table of a column: the class weights of each value, and of the rows whose cell is missing."""

    values: tuple[str, ...]
    table: Floats
    missing: Floats


class MeasureDerivation(Shown):
    """The working of one measure on a table."""

    def __init__(
        self, measure: str, columns: Columns, target: str, feature: str | None, threshold: float | None, style: Style
    ) -> None:
        self.measure, self.columns, self.target = measure, columns, target
        self.feature, self.threshold, self.style = feature, threshold, style
        cells = cells_of(_column(columns, target, "target"))
        self.classes = [str(label) for label in measures.sorted_labels({c for c in cells if c is not None})]
        self._classes = [None if cell is None else self.classes.index(str(cell)) for cell in cells]
        if not self.classes:
            raise DataError(f"the target {target!r} is missing in all rows.")

    @cached_property
    def counts(self) -> Floats:
        """The number of rows of each class."""
        known = [code for code in self._classes if code is not None]
        return np.bincount(known, minlength=len(self.classes)).astype(np.float64)

    def counted(self, name: str, threshold: float | None = None) -> Counted:
        """Return the contingency table of a column; a column of numbers is divided at a threshold."""
        column = _column(self.columns, name, "feature")
        cells = cells_of(column)
        if threshold is not None:
            numbers = _numbers(column)
            cells = [None if math.isnan(x) else ("-" if x <= threshold else "+") for x in numbers.tolist()]
            values: list[Any] = ["-", "+"]
        else:
            values = list(measures.sorted_labels({cell for cell in cells if cell is not None}))
        table, missing = np.zeros((len(values), len(self.classes))), np.zeros(len(self.classes))
        place = {value: i for i, value in enumerate(values)}
        for cell, code in zip(cells, self._classes, strict=True):
            if code is not None:
                (missing if cell is None else table[place[cell]])[code] += 1
        return Counted(tuple(map(str, values)), table, missing)

    @cached_property
    def steps(self) -> list[Step]:
        """The steps, the last being the measure asked for."""
        shown = {*MEASURES[self.measure]} | (
            {"known_share"} if {"entropy", "gini"} & {*MEASURES[self.measure]} else set()
        )
        return [step for step in self._all_steps() if step.quantity in shown]

    @property
    def value(self) -> float:
        """What the measure comes to."""
        return self.steps[-1].exact

    def _all_steps(self) -> list[Step]:
        work, node = Calculation(self.style), WHOLE
        families = [f for f in ("entropy", "gini") if class_steps.IMPURITIES[f].quantity in MEASURES[self.measure]]
        if self.measure == "split_information":
            families = ["entropy"]
        own = {family: class_steps.impurity_step(work, family, self.counts, node) for family in families}
        if self.feature is None:
            return work.steps
        counted = self.counted(self.feature, self.threshold)
        if self.measure == "joint_entropy":
            return [_joint(work, counted, self.feature, self.target)]
        lines = self.lines(counted, KNOWN_ROWS if counted.missing.any() else node)
        missing = counted.missing if counted.missing.any() else None
        ratio = ["ratio"] if {"split_information", "gain_ratio"} & set(MEASURES[self.measure]) else []
        whole, known = self.counts, counted.table.sum(axis=0)
        drops = {}
        for family in families:
            value = class_steps.VALUES[family]
            after = float(measures.of_branch_mean(value(counted.table), counted.table.sum(axis=1)))
            drops[family] = max(float(value(known)) - after, 0.0) * float(known.sum() / whole.sum())
        class_steps.feature_steps(work, [*families, *ratio], self.feature, node, own, lines, missing, drops)
        return work.steps

    def lines(self, counted: Counted, rows: Name) -> list[Line]:
        """Return the lines of a contingency table."""
        assert self.feature is not None
        cut = "" if self.threshold is None else plain(self.threshold)
        named = {"-": f"<= {cut}", "+": f"> {cut}"} if cut else {}
        return [
            Line(
                f"{self.feature} {named[value]}" if value in named else f"{self.feature} = {value}",
                subset(rows, value),
                float(weights.sum()),
                tuple(weights.tolist()),
            )
            for value, weights in zip(counted.values, counted.table, strict=True)
        ]

    # --- shown

    def blocks(self) -> Iterator[Block]:
        """Return the definition, the table, the steps, and what the measure means."""
        about = self.target if self.feature is None else f"{self.feature}, {self.target}"
        yield Heading(_("{measure} ({columns})").format(measure=title_of(self.measure), columns=about), 1)
        if self.measure == "two_step":
            from deciduous.explain.two_step import two_step_blocks

            yield from two_step_blocks(self)
            return
        yield from definitions_of(MEASURES[self.measure], classes=True, missing=bool(self._missing()))
        yield self._grid()
        if self.feature is not None and self._missing():
            counted = self.counted(self.feature, self.threshold)
            yield from known_shares(self.classes, self.lines(counted, KNOWN_ROWS))
        for step in self.steps:
            yield formula_of(step, self.style)
        yield from self._meaning()

    def _missing(self) -> float:
        return 0.0 if self.feature is None else float(self.counted(self.feature, self.threshold).missing.sum())

    def _grid(self) -> Grid:
        if self.feature is None:
            whole = Line("D", Name("", ""), float(self.counts.sum()), tuple(self.counts.tolist()))
            found = counts_grid(self.classes, [whole])
            return replace(found, header=(self.target, *found.header[1:]))
        counted = self.counted(self.feature, self.threshold)
        lines = self.lines(counted, KNOWN_ROWS if counted.missing.any() else WHOLE)
        if counted.missing.any():
            apart = subset(WHOLE, "?")
            lines.append(Line(_("missing"), apart, float(counted.missing.sum()), tuple(counted.missing.tolist())))
        return counts_grid(self.classes, lines)

    def _meaning(self) -> Iterator[Block]:
        """Say between which bounds the measure stands, and what it means."""
        n, value = len(self.classes), self.steps[-1]
        if self.measure == "entropy":
            most = math.log2(n)
            yield Formula(("0", value.symbol, Log(Count(n)), plain(most, 4)), ("<=", "<=", "="))
            yield Text(_("0 if all rows are of one class; log2 |Y| if all classes are equally frequent."))
            if most:
                share = f"{100 * value.exact / most:.1f} %"
                yield Text(_("it is {share} of the largest entropy that there may be").format(share=share), "decision")
        elif self.measure == "gini":
            yield Text(_("The chance that two rows, drawn with replacement, are of different classes."))
            double = class_steps.two_class_gini(self.counts.tolist())
            if double is not None:
                yield Formula((value.symbol, Name("2p(1 - p)", "2p(1 - p)"), double, self.style.result(value.value)))
        elif self.measure in ("information_gain", "gain_ratio"):
            yield from self._bias()

    def _bias(self) -> Iterator[Block]:
        """Show on the columns of the table that gain grows with the number of values, and what the ratio does."""
        yield Heading(_("Gain prefers columns of many values"), 3)
        yield Text(
            _(
                "A column with a value of its own in every row gains all of Ent(D), and predicts nothing. "
                "The gain ratio divides by the split information, which grows with the number of values."
            )
        )
        rows, left_out = [], []
        for column in self.columns.columns:
            if column.name == self.target:
                continue
            if column.text is None and distinct(column) > MOST_VALUES:
                left_out.append(column.name)
                continue
            counted = self.counted(column.name)
            rows.append(self._bias_row(column.name, counted.table, float(counted.missing.sum())))
        identity = np.eye(len(self.classes))[[code for code in self._classes if code is not None]]
        rows.append(self._bias_row(_("(row number)"), identity, 0.0))
        rows.sort(key=lambda row: int(row[1]))
        header = (_("column"), _("values"), _("gain"), _("split info"), _("ratio"))
        yield Grid(header, tuple(rows), (1, 2, 3, 4), "figures")
        if left_out:
            words = _("Left out, as numbers of more than {most} different values: {names}. A threshold divides them.")
            yield Text(words.format(most=MOST_VALUES, names=listing(left_out)))

    def _bias_row(self, name: str, table: Floats, missing: float) -> tuple[str, ...]:
        known = float(table.sum())
        gain = measures.information_gain(table=table) * known / (known + missing) if known else 0.0
        information = float(measures.of_entropy(np.append(table.sum(axis=1), missing)))
        ratio = self.style.result(gain / information) if information > 0 else "-"
        shown = (self.style.result(value) for value in (gain, information))
        return (name, str(len(table)), *shown, ratio)

    def to_dict(self, lang: str | None = None) -> dict[str, Any]:
        """Return the steps as plain values."""
        with speaking(lang):
            return {
                "measure": self.measure,
                "target": self.target,
                "feature": self.feature,
                "threshold": self.threshold,
                "classes": self.classes,
                "steps": [step_dict(step, self.style) for step in self.steps],
            }

    def to_frame(self) -> Any:
        """Return the steps as a polars data frame, a row a step."""
        return steps_frame(((0, self.feature or "", step) for step in self.steps), self.style)

    def __repr__(self) -> str:
        """Return what is measured."""
        return f"<MeasureDerivation: {self.measure} of {self.feature or self.target!r}>"


def title_of(measure: str) -> str:
    """Return the name of a measure in words."""
    if measure == "two_step":
        return _("the two-step rule for CART's category")
    return name_of(MEASURES[measure][-1])


def explain_measure(
    measure: str,
    table: Any,
    feature: str | None = None,
    target: str | None = None,
    *,
    threshold: float | None = None,
    digits: int = 3,
    rounding: str = "end",
) -> MeasureDerivation:
    """Write out one calculation on a table, without growing a tree.

    `measure`: `entropy`, `joint_entropy`, `conditional_entropy`, `information_gain`, `split_information`, `gain_ratio`,
    `gini`, `gini_index`, `gini_gain`, or `two_step` (the textbooks' rule for CART's category beside the best split).
    `table`: a frame; `target`: its column of classes (the last by default); `feature`: another column, which `entropy`,
    `gini` and `two_step` do not need. A column of numbers is divided at `threshold`. `digits` and `rounding` as for
    `derivation`. OptionError, DataError say what is wrong.
    """
    name = ALIASES.get(measure, measure)
    if name not in MEASURES:
        raise OptionError(f"measure={measure!r} is not one of {listing(MEASURES, 12)}.{nearest(measure, MEASURES)}")
    if rounding not in ("end", "each step"):
        raise OptionError(f"rounding={rounding!r} must be 'end' or 'each step'.")
    if not 1 <= digits <= 15:
        raise OptionError(f"digits={digits!r} must be between 1 and 15.")
    columns = columns_of(table)
    if not columns.columns or not columns.n_rows:
        raise DataError("the table has no rows, or no columns.")
    chosen = columns.columns[-1].name if target is None else target
    if feature is None and name not in WITHOUT_FEATURE:
        others = [column for column in columns.names if column != chosen]
        raise OptionError(f"{name} needs feature=, one of {listing(others)}.")
    shown = None if name in WITHOUT_FEATURE else feature
    if shown is not None and shown == chosen:
        others = [column for column in columns.names if column != chosen]
        raise OptionError(
            f"{shown!r} is the target: it tells everything about itself. Give another column, one of {listing(others)}."
        )
    if shown is not None and threshold is None:
        _refuse_many_numbers(_column(columns, shown, "feature"))
    style = Style(digits, each_step=rounding == "each step")
    found = MeasureDerivation(name, columns, chosen, shown, threshold, style)
    assert found.steps is not None  # what cannot be worked out is refused here
    return found


def _joint(work: Calculation, counted: Counted, feature: str, target: str) -> Step:
    cells = [float(n) for n in counted.table.ravel()]
    exact = measures.joint_entropy(table=counted.table)
    symbol = applied("H", feature, target)
    return work.step("joint_entropy", feature, symbol, None, class_steps.entropy_of(cells), exact)


def _column(columns: Columns, name: str, what: str) -> Column:
    if name not in columns.names:
        raise DataError(
            f"there is no column {name!r} for the {what}; the columns are {listing(columns.names)}."
            + nearest(name, columns.names)
        )
    return columns.columns[columns.names.index(name)]


def cells_of(column: Column) -> list[Any]:
    """Return the cells of a column as labels, None for a missing one."""
    if column.text is not None:
        return list(column.text.to_list())
    missing = column.missing()
    known = iter(labels_of(column))
    return [None if gap else next(known) for gap in missing.tolist()]


def _numbers(column: Column) -> Floats:
    if column.numbers is None:
        raise OptionError(f"threshold= goes with a column of numbers, and {column.name!r} holds text.")
    return column.numbers


def distinct(column: Column) -> int:
    """Return how many different known cells a column has."""
    return len({cell for cell in cells_of(column) if cell is not None})


def _refuse_many_numbers(column: Column) -> None:
    if column.text is None and distinct(column) > MOST_VALUES:
        raise OptionError(
            f"column {column.name!r} has {distinct(column)} different numbers; give threshold= to divide them in two, "
            "or use derivation() of a fitted tree, which lists all thresholds."
        )
