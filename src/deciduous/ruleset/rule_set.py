"""A list of simplified rules with a default class: a model of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciduous.data.schema import Label, Schema
from deciduous.data.table import Table
from deciduous.explain.blocks import Block
from deciduous.explain.conditions import Condition
from deciduous.explain.expression import Style
from deciduous.explain.shown import Shown
from deciduous.files import write_whole
from deciduous.measures import Floats

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class SimplifiedRule:
    """IF all conditions hold THEN the class of a code.

    `node`: the leaf that it came from. `n_samples` and `class_weights`: the training rows that it covers, whether or
    not a rule before it covers them too. `expected_error`: the upper limit U_CF(E, N) of its error rate.
    """

    conditions: tuple[Condition, ...]
    code: int
    node: int
    n_samples: int
    class_weights: tuple[float, ...]
    expected_error: float

    @property
    def weight(self) -> float:
        """The weight of the rows that it covers."""
        return sum(self.class_weights)

    @property
    def confidence(self) -> float:
        """The share of its class among the rows that it covers."""
        return self.class_weights[self.code] / self.weight

    def holds(self, table: Table) -> NDArray[np.bool_]:
        """Return for which rows of an encoded table all conditions hold, shape (rows,)."""
        held = np.ones(table.n_rows, dtype=bool)
        for condition in self.conditions:
            cells = table.columns[table.schema.index(condition.feature.name)]
            assert cells is not None
            held &= condition.shares(cells) == 1
        return held


@dataclass(frozen=True, eq=False)
class RuleSet(Shown):
    """Rules in the order in which they are asked: the first that holds answers, and where none does, the default class.

    `default`: the code of that class, `default_weights`: the class weights of the training rows that no rule covers;
    `class_weights`: those of all. `algorithm`: that of the tree; `confidence` and `theory_weight` as for
    `Simplification`.
    """

    schema: Schema
    target: str
    classes: tuple[Label, ...]
    rules: tuple[SimplifiedRule, ...]
    default: int
    default_weights: tuple[float, ...]
    class_weights: tuple[float, ...]
    algorithm: str
    confidence: float
    theory_weight: float
    style: Style = field(default_factory=Style, repr=False)

    def __len__(self) -> int:
        """Return the number of rules, the default left out."""
        return len(self.rules)

    def __iter__(self) -> Iterator[SimplifiedRule]:
        """Return the rules in order."""
        return iter(self.rules)

    def __getitem__(self, place: int) -> SimplifiedRule:
        """Return a rule."""
        return self.rules[place]

    @cached_property
    def used_features(self) -> list[int]:
        """The columns that rules ask for, by position."""
        return sorted({self.schema.index(c.feature.name) for rule in self.rules for c in rule.conditions})

    # --- answers

    def apply(self, X: Any, who: str = "the rules") -> NDArray[np.int64]:
        """Return the place of the rule that answers each row, the number of rules where the default does.

        DataError says what does not fit the columns of the rules; `who` names them there.
        """
        return self.deciding(Table.encode_like(X, self.schema, needed=self.used_features, who=who))

    def deciding(self, table: Table) -> NDArray[np.int64]:
        """Return the same for an encoded table."""
        place = np.full(table.n_rows, len(self.rules), dtype=np.int64)
        for i in reversed(range(len(self.rules))):
            place[self.rules[i].holds(table)] = i
        return place

    @property
    def codes(self) -> NDArray[np.intp]:
        """The class codes of the rules in order, that of the default at the end."""
        return np.array([*(rule.code for rule in self.rules), self.default], dtype=np.intp)

    @cached_property
    def distributions(self) -> Floats:
        """The class shares among the training rows that each rule covers, and among those left to the default (of all,
        where none is left), shape (rules + 1, classes).
        """
        default = self.default_weights if sum(self.default_weights) > 0 else self.class_weights
        weights = np.array([*(rule.class_weights for rule in self.rules), default])
        shares: Floats = weights / weights.sum(axis=1, keepdims=True)
        return shares

    def predict(self, X: Any) -> list[Label]:
        """Return the class of each row."""
        return [self.classes[code] for code in self.codes[self.apply(X)].tolist()]

    def predict_proba(self, X: Any) -> Floats:
        """Return the class shares of the rule that answers each row, shape (rows, classes)."""
        return self.distributions[self.apply(X)]

    # --- shown and saved

    def blocks(self) -> Iterator[Block]:
        """Return the rules as headings and text."""
        from deciduous.ruleset.text import blocks_of

        return blocks_of(self)

    def to_frame(self) -> pl.DataFrame:
        """Return the rules as a polars data frame, a row a rule, the default (without conditions) at the end."""
        from deciduous.ruleset.text import frame_of

        return frame_of(self)

    def to_dict(self, lang: str | None = None) -> dict[str, Any]:
        """Return the model document (see docs/simplified-rules.md); it is the same in every language."""
        from deciduous.ruleset.io import document_of

        return document_of(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rules to a model file (JSON), whole or not at all. `deciduous.load` reads it."""
        write_whole(path, self.to_json() + "\n")

    def __repr__(self) -> str:
        """Return how many rules there are, and of what."""
        return f"<RuleSet of {self.algorithm} on {self.target!r}: {len(self)} rules>"
