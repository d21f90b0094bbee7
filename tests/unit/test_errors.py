"""Hints and lists in error messages, and what the errors are."""

import pytest

from deciduous.errors import DataError, DataWarning, ModelFileError, OptionError, listing, nearest


@pytest.mark.parametrize("error", [DataError, OptionError, ModelFileError])
def test_errors_are_value_errors(error: type) -> None:
    assert issubclass(error, ValueError)


def test_the_warning_is_a_user_warning() -> None:
    assert issubclass(DataWarning, UserWarning)


@pytest.mark.parametrize(
    ("name", "choices", "hint"),
    [
        ("ginni", ["gini", "entropy"], " Did you mean 'gini'?"),
        ("Gini", ["gini", "entropy"], " Did you mean 'gini'?"),
        ("colour", ["Color", "size"], " Did you mean 'Color'?"),
        ("色", ["色泽"], " Did you mean '色泽'?"),
        (12, [11, 120], " Did you mean 120?"),
        ("nothing like it", ["gini"], ""),
        (None, [], ""),
    ],
)
def test_the_nearest_name(name: object, choices: list[object], hint: str) -> None:
    assert nearest(name, choices) == hint


@pytest.mark.parametrize(
    ("names", "most", "text"),
    [([], 8, ""), (["a", 1], 8, "'a', 1"), ("abc", 2, "'a', 'b', ... and 1 more"), ("abc", 3, "'a', 'b', 'c'")],
)
def test_a_list_of_names(names: list[object], most: int, text: str) -> None:
    assert listing(names, most) == text
