"""Questions of a tree with surrogates: where a row goes, by the question itself or by what stands in for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from deciduous.data.schema import Feature
from deciduous.data.table import Cells, Table
from deciduous.explain.conditions import STOPS, Condition
from deciduous.kernels import MISSING_CELL
from deciduous.kernels.reference import side_of
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.labels import MOST_CATEGORIES, among, significant
from deciduous.model.route import branches_of
from deciduous.model.split import Split
from deciduous.model.surrogates import Surrogate
from deciduous.model.tree import Tree

#: What decided about a row, beside the places of surrogates: the question itself; the larger side, or nothing.
ITSELF, NONE = -1, -2


@dataclass(frozen=True, eq=False)
class Question:
    """The question of a node, with its surrogates in order."""

    split: Split
    surrogates: tuple[Surrogate, ...]
    unseen_as_missing: bool

    @classmethod
    def of(cls, tree: Tree, node: int) -> Question:
        """Return the question of an inner node."""
        assert tree.surrogates is not None
        asked = tuple(tree.surrogates.of_node(node)) if tree.options["use_surrogates"] else ()
        return cls(tree.split(node), asked, tree.unseen == "missing")

    def answers(self, table: Table) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the branch of every row of an encoded table, below 0 where it stops, and what decided: a surrogate by
        its place, `ITSELF`, or `NONE`; shapes (rows,).
        """
        branch = branches_of(self.split, _cells(table, self.split.feature), self.unseen_as_missing).copy()
        by = np.where(branch == MISSING_CELL, NONE, ITSELF)
        for place, surrogate in enumerate(self.surrogates):
            side = side_of(
                surrogate.kind,
                surrogate.threshold,
                surrogate.below,
                surrogate.category_branch,
                _cells(table, surrogate.feature),
            )
            sent = (branch == MISSING_CELL) & (side >= 0)
            branch[sent], by[sent] = side[sent], place
        if (self.split.shares > 0).any():
            branch[branch == MISSING_CELL] = int(self.split.shares.argmax())
        return branch, by


def _cells(table: Table, feature: int) -> Cells:
    cells = table.columns[feature]
    assert cells is not None
    return cells


@dataclass(frozen=True, eq=False)
class Surrogated:
    """The condition on one column in a tree with surrogates: `known` says which cells pass, and where the cell is
    missing the surrogates of each of the questions about the column decide, `asked`, each with the branch to be taken.
    """

    known: Condition
    asked: tuple[tuple[Question, int], ...] = ()

    @property
    def feature(self) -> Feature:
        """The column."""
        return self.known.feature

    @property
    def missing(self) -> float:
        """The part of a missing cell that passes for certain: none."""
        return 0.0

    @property
    def whole(self) -> bool:
        """Whether every known cell fulfils it."""
        return False

    @property
    def possible(self) -> bool:
        """Whether a row may fulfil it."""
        return True

    def after(self, question: Question, branch: int) -> Surrogated:
        """Return the condition on the way through a branch of a question, or of stopping there."""
        known = self.known.after(question.split, branch, question.unseen_as_missing)
        return Surrogated(replace(known, missing=0.0), (*self.asked, (question, branch)))

    def passes(self, table: Table) -> Floats:
        """Return for each row of an encoded table 1 if it passes, else 0; shape (rows,)."""
        passed = np.ones(table.n_rows)
        for question, wanted in self.asked:
            branch, _by = question.answers(table)
            passed *= branch < 0 if wanted == STOPS else branch == wanted
        return passed

    def text(self, digits: int = 6, most: int = MOST_CATEGORIES) -> str:
        """Return the condition in words; of missing cells, where training met some, that surrogates decide."""
        if not self.feature.missing:
            return self.known.text(digits, most)
        stops = any(branch == STOPS for _question, branch in self.asked)
        if stops and not self.known.possible:
            return _("{feature} and its surrogates are missing").format(feature=self.feature.name)
        return _("{condition} (if missing: as surrogates say)").format(condition=self.known.text(digits, most))


def side_text(feature: Feature, surrogate: Surrogate, branch: int) -> str:
    """Return in words which cells of its column a surrogate sends to a branch."""
    if len(surrogate.category_branch):
        chosen = np.flatnonzero(surrogate.category_branch == branch)
        return f"{feature.name} {among(feature.categories[code] for code in chosen.tolist())}"
    cut = float(np.nextafter(surrogate.threshold, np.inf))
    number = significant(cut, 6) if feature.kind == "numeric" else str(feature.categories[int(np.ceil(cut))])
    return f"{feature.name} {'<' if surrogate.below == branch else '>='} {number}"
