"""In which order the rules of the classes are asked, what is answered where none holds, and a last look at each rule
(Quinlan 1993, sections 5.2 and 5.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deciduous.measures import Floats
from deciduous.ruleset.generalise import Labelled
from deciduous.ruleset.subset import Rows

#: Up to this share of all weight two weights are equal.
SLACK = 1e-10


def class_order(covers: Mapping[int, Sequence[Rows]], rows: Labelled) -> list[int]:
    """Return the classes in the order in which their rules are asked.

    Next is always the class whose rules answer the fewest of the rows wrongly that no class before has answered, the
    first of equals. `covers`: the rows of each rule, by class code.
    """
    left = np.ones(len(rows.codes), dtype=bool)
    of_class = {code: _any(several, len(left)) for code, several in covers.items()}
    order: list[int] = []
    slack = SLACK * float(rows.weight.sum())
    while len(order) < len(of_class):
        wrong = {
            code: float(rows.weight[covered & left & (rows.codes != code)].sum())
            for code, covered in of_class.items()
            if code not in order
        }
        least = min(wrong.values()) + slack
        order.append(next(code for code, errors in wrong.items() if errors <= least))
        left &= ~of_class[order[-1]]
    return order


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


def without_harm(covers: list[Rows], answers: list[int], rows: Labelled) -> list[int]:
    """Return the positions of the rules that stay: as long as the rows are answered with fewer errors without some
    rule, the first such rule goes.
    """
    stay = list(range(len(covers)))
    slack = SLACK * float(rows.weight.sum())
    while stay:
        default, _ = default_class([covers[j] for j in stay], rows)
        less = _errors_less([covers[j] for j in stay], [answers[j] for j in stay], default, rows)
        harmful = np.flatnonzero(less > slack)
        if not len(harmful):
            break
        del stay[int(harmful[0])]
    return stay


def _errors_less(covers: Sequence[Rows], answers: Sequence[int], default: int, rows: Labelled) -> Floats:
    """Return for each rule how much fewer errors there are without it: its rows then go to the next rule that holds."""
    none = len(covers)
    first, second = np.full(len(rows.codes), none), np.full(len(rows.codes), none)
    for j in reversed(range(none)):
        second[covers[j]] = first[covers[j]]
        first[covers[j]] = j
    wrong = np.array([*answers, default])[np.stack([first, second])] != rows.codes
    change = rows.weight * (wrong[0].astype(np.float64) - wrong[1])
    return np.bincount(first, weights=change, minlength=none + 1)[:none].astype(np.float64)
