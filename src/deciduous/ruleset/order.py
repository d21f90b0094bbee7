"""In which order the rules of the classes are asked, what is answered where none holds, and a last look at each rule
(Quinlan 1993, sections 5.2 and 5.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.measures import Floats
from deciduous.ruleset.generalise import Labelled
from deciduous.ruleset.subset import Rows

#: Up to this share of all weight two weights are equal.
SLACK = 1e-10


@dataclass(frozen=True)
class Turn:
    """Which class is asked next: the weight of the rows left that the rules of each class answer wrongly, by code."""

    wrong: Mapping[int, float]
    chosen: int


def class_order(covers: Mapping[int, Sequence[Rows]], rows: Labelled) -> list[Turn]:
    """Return the turns in which the classes get their order.

    Next is always the class whose rules answer the fewest of the rows wrongly that no class before has answered, the
    first of equals. `covers`: the rows of each rule, by class code.
    """
    left = np.ones(len(rows.codes), dtype=bool)
    of_class = {code: _any(several, len(left)) for code, several in covers.items()}
    turns: list[Turn] = []
    slack = SLACK * float(rows.weight.sum())
    while of_class:
        wrong = {
            code: float(rows.weight[covered & left & (rows.codes != code)].sum()) for code, covered in of_class.items()
        }
        least = min(wrong.values()) + slack
        turns.append(Turn(wrong, next(code for code, errors in wrong.items() if errors <= least)))
        left &= ~of_class.pop(turns[-1].chosen)
    return turns


def _any(covers: Sequence[Rows], n: int) -> NDArray[np.bool_]:
    covered = np.zeros(n, dtype=bool)
    for rows in covers:
        covered[rows] = True
    return covered


def default_class(covers: Sequence[Rows], rows: Labelled) -> tuple[int, Floats]:
    """Return the class that is most frequent among the rows that no rule covers, and the class weights of these rows.

    Of equals the one that is most frequent among all rows, then the first; where every row is covered, the most
    frequent of all.
    """
    rest = np.flatnonzero(~_any(covers, len(rows.codes)))
    left, everything = rows.by_class(rest), rows.by_class(np.arange(len(rows.codes)))
    slack = SLACK * float(everything.sum())
    most = left >= left.max() - slack
    return int(np.argmax(np.where(most, everything, -1.0) >= everything[most].max() - slack)), left


@dataclass(frozen=True)
class Look:
    """A look at the rules that are left: how many errors fewer there are without each, and which one goes.

    `stay`: the positions of the rules; `default`: the class of the rows that none covers; `goes`: a position, -1 for
    none.
    """

    stay: tuple[int, ...]
    default: int
    fewer: tuple[float, ...]
    goes: int


def without_harm(covers: Sequence[Rows], answers: Sequence[int], rows: Labelled) -> list[Look]:
    """Return the looks in which rules go: as long as the rows are answered with fewer errors without some rule, the
    first such rule. In the last look none goes.
    """
    stay = list(range(len(covers)))
    slack = SLACK * float(rows.weight.sum())
    looks: list[Look] = []
    while not looks or looks[-1].goes >= 0:
        default, _ = default_class([covers[j] for j in stay], rows)
        fewer = _errors_fewer([covers[j] for j in stay], [answers[j] for j in stay], default, rows)
        harmful = np.flatnonzero(fewer > slack)
        goes = stay[int(harmful[0])] if len(harmful) else -1
        looks.append(Look(tuple(stay), default, tuple(fewer.tolist()), goes))
        if goes >= 0:
            stay.remove(goes)
    return looks


def _errors_fewer(covers: Sequence[Rows], answers: Sequence[int], default: int, rows: Labelled) -> Floats:
    """Return for each rule how many errors fewer there are without it: its rows then go to the next rule that holds."""
    none = len(covers)
    first, second = np.full(len(rows.codes), none), np.full(len(rows.codes), none)
    for j in reversed(range(none)):
        second[covers[j]] = first[covers[j]]
        first[covers[j]] = j
    wrong = np.array([*answers, default])[np.stack([first, second])] != rows.codes
    change = rows.weight * (wrong[0].astype(np.float64) - wrong[1])
    return np.bincount(first, weights=change, minlength=none + 1)[:none].astype(np.float64)
