"""The order of the classes, the default, and the rules that do harm, by hand."""

import numpy as np

from deciduous.ruleset.generalise import Labelled
from deciduous.ruleset.order import class_order, default_class, without_harm


def rows(codes: list[int], n_classes: int = 2) -> Labelled:
    return Labelled(np.array(codes), np.ones(len(codes)), n_classes)


def at(*places: int) -> np.ndarray:
    return np.array(places, dtype=np.int64)


def order(covers: dict[int, list[np.ndarray]], labelled: Labelled) -> list[int]:
    return [turn.chosen for turn in class_order(covers, labelled)]


def test_the_class_of_the_fewest_wrong_answers_comes_first() -> None:
    """Class 0 answers row 3 wrongly, class 1 none."""
    assert order({0: [at(0, 1, 3)], 1: [at(2, 3)]}, rows([0, 0, 1, 1])) == [1, 0]


def test_rows_answered_before_count_no_more() -> None:
    """Class 2 answers two rows wrongly at first, but none after class 1 has answered them; class 0 still one."""
    covers = {0: [at(0, 5)], 1: [at(1, 2)], 2: [at(1, 2, 3)]}
    assert order(covers, rows([0, 1, 1, 2, 2, 2], 3)) == [1, 2, 0]


def test_of_equal_classes_the_first() -> None:
    assert order({0: [at(0)], 1: [at(1)]}, rows([0, 1])) == [0, 1]


def test_the_default_is_the_most_frequent_class_left() -> None:
    code, left = default_class([at(0, 1, 2)], rows([0, 0, 0, 1, 1, 0]))
    assert (code, left.tolist()) == (1, [1.0, 2.0])
    assert default_class([at(0)], rows([1, 0, 1]))[0] == 1  # one each is left; class 1 is more frequent in all
    assert default_class([at(0, 1, 2)], rows([1, 0, 1]))[0] == 1  # none is left


def test_a_rule_goes_without_which_fewer_rows_are_wrong() -> None:
    """Rule 0 answers row 1 wrongly and row 0 as rule 1 would."""
    covers = [at(0, 1), at(0, 2)]
    assert without_harm(covers, [0, 0], rows([0, 1, 0, 1]))[-1].stay == (1,)
    assert without_harm(covers, [0, 0], rows([0, 0, 0, 1]))[-1].stay == (0, 1)
