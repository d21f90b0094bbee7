"""The cells of one column that a path lets through: its questions about that column, merged into one condition.

A condition is a range of numbers or a set of categories, and a part of the rows with a missing cell. The walk
(`model/route.py`) says where categories lead, so conditions cannot disagree with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from deciduous.data.schema import Feature, Label
from deciduous.data.table import Cells
from deciduous.kernels import MISSING_CELL, UNSEEN_CELL, SplitKind
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.labels import MOST_CATEGORIES, among, significant
from deciduous.model.route import branches_of
from deciduous.model.split import Split

#: The branch of rows that stop at a question, since no branch takes them.
STOPS = -1


@dataclass(frozen=True)
class Range:
    """Numbers with `low < x <= high`, none if `known` is false, and the part `missing` of every row without one.

    `below`: the bounds are those of a tree with surrogates, which asks x < cut and keeps the number just below the cut;
    they are shown as cuts.
    """

    feature: Feature
    low: float = -math.inf
    high: float = math.inf
    known: bool = True
    missing: float = 1.0
    below: bool = False

    def after(self, split: Split, branch: int, unseen_as_missing: bool = False) -> Range:
        """Return the condition on the way through a branch of a question."""
        missing = self.missing * _missing_share(split, branch)
        if split.kind == SplitKind.MISSING:
            return replace(self, missing=missing, known=self.known and branch == 0)
        if branch == STOPS:
            return replace(self, missing=missing, known=False)
        if branch == 0:
            return replace(self, missing=missing, high=min(self.high, split.threshold))
        if branch == 1:
            return replace(self, missing=missing, low=max(self.low, split.threshold))
        return replace(self, missing=missing, known=False)

    @property
    def possible(self) -> bool:
        """Whether any cell fulfils it."""
        return (self.known and self.low < self.high) or self.missing > 0

    @property
    def whole(self) -> bool:
        """Whether every known number fulfils it."""
        return self.known and self.low == -math.inf and self.high == math.inf

    def shares(self, cells: Cells) -> Floats:
        """Return the part of each row that passes, shape (rows,)."""
        inside = (cells > self.low) & (cells <= self.high) & self.known
        return np.where(np.isnan(cells), self.missing, inside.astype(np.float64))

    def text(self, digits: int = 6, most: int = MOST_CATEGORIES) -> str:
        """Return the condition in words, such as `2 < age <= 30` or `age > 30 or missing`."""
        return _with_missing(self.feature, self._known_text(digits), self.missing)

    def _known_text(self, digits: int) -> str:
        name = self.feature.name
        bounds = np.nextafter([self.low, self.high], math.inf) if self.below else [self.low, self.high]
        low, high = (significant(float(bound), digits) for bound in bounds)
        least, most = ("<", ">=") if self.below else ("<=", ">")
        if not self.known:
            return ""
        if self.whole:
            return _("{feature} is known").format(feature=name)
        if self.low == -math.inf:
            return f"{name} {least} {high}"
        if self.high == math.inf:
            return f"{name} {most} {low}"
        return f"{low} <= {name} < {high}" if self.below else f"{low} < {name} <= {high}"


@dataclass(frozen=True)
class Among:
    """Categories, each with the part of its rows that passes, as a rule 0 or 1.

    `part`: for the categories of the feature in order; `unseen` for all that training never saw; `missing` for missing
    cells.
    """

    feature: Feature
    part: tuple[float, ...]
    unseen: float = 1.0
    missing: float = 1.0

    def after(self, split: Split, branch: int, unseen_as_missing: bool = False) -> Among:
        """Return the condition on the way through a branch of a question."""
        cells = np.arange(UNSEEN_CELL, len(self.part), dtype=np.int32)
        ends = branches_of(split, cells, unseen_as_missing)
        wanted = UNSEEN_CELL if branch == STOPS else branch
        goes = np.where(ends == MISSING_CELL, _missing_share(split, branch), ends == wanted)
        unseen, missing, *part = (goes * [self.unseen, self.missing, *self.part]).tolist()
        return replace(self, part=tuple(part), unseen=unseen, missing=missing)

    @property
    def categories(self) -> tuple[Label, ...]:
        """The categories that pass whole."""
        return tuple(label for label, part in zip(self.feature.categories, self.part, strict=True) if part == 1)

    @property
    def possible(self) -> bool:
        """Whether any cell fulfils it."""
        return any(self.part) or self.unseen > 0 or self.missing > 0

    @property
    def whole(self) -> bool:
        """Whether every known category fulfils it."""
        return self.unseen == 1 and all(part == 1 for part in self.part)

    def shares(self, cells: Cells) -> Floats:
        """Return the part of each row that passes, shape (rows,)."""
        found: Floats = np.array([self.unseen, self.missing, *self.part])[cells.astype(np.intp) - UNSEEN_CELL]
        return found

    def text(self, digits: int = 6, most: int = MOST_CATEGORIES) -> str:
        """Return the condition in words, such as `colour in {a, b} or missing`."""
        return _with_missing(self.feature, self._known_text(most), self.missing)

    def _known_text(self, most: int) -> str:
        name = self.feature.name
        parts = [(label, part) for label, part in zip(self.feature.categories, self.part, strict=True) if part > 0]
        if self.whole:
            return _("{feature} is known").format(feature=name)
        if self.unseen == 1:
            others = set(self.feature.categories) - {label for label, _part in parts}
            return f"{name} {_none_of([label for label in self.feature.categories if label in others], most)}"
        if not parts:
            return ""
        return f"{name} {among([_counting(str(label), part) for label, part in parts], most)}"


Condition = Range | Among


def everything(feature: Feature, below: bool = False) -> Condition:
    """Return the condition on a column that every cell fulfils; `below` as for `Range`."""
    if feature.kind == "numeric":
        return Range(feature, below=below)
    return Among(feature, (1.0,) * len(feature.categories))


def _missing_share(split: Split, branch: int) -> float:
    """Return the part of a missing row that goes through a branch, or stops where no branch takes any."""
    return float(not (split.shares > 0).any()) if branch == STOPS else float(split.shares[branch])


def _with_missing(feature: Feature, known: str, missing: float) -> str:
    """Add what missing cells do, where they pass and training met some in the column."""
    if missing == 0 or (known and not feature.missing):
        return known or _("{feature} is nothing").format(feature=feature.name)
    what = _counting(_("missing"), missing)
    text = _("{condition} or {what}") if known else _("{feature} is {what}")
    return text.format(condition=known, feature=feature.name, what=what)


def _counting(what: str, part: float) -> str:
    return what if part == 1 else _("{what} (counts {part})").format(what=what, part=f"{part:.3g}")


def _none_of(labels: Iterable[Label], most: int) -> str:
    text = among(labels, most)
    return text.replace("=", "!=", 1) if text.startswith("=") else _("not {in_set}").format(in_set=text)
