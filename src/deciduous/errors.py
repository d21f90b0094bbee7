"""Errors and warnings of deciduous, and the hint that ends an error message.

Every error says what was found and where, what is allowed, and what to do. All of them are `ValueError`s (or
`TypeError`s where Python's own habit asks for one), so that code written for scikit-learn catches them.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class DataError(ValueError):
    """A table, column, cell or target that cannot be used as it is."""


class OptionError(ValueError):
    """An option with a value that is not allowed, or that does not fit the other options."""


class ModelFileError(ValueError):
    """A saved model that is damaged, of an unknown version, or not a model at all."""


class DataWarning(UserWarning):
    """Something about the data that the user should know: a guess, dropped rows, unseen categories."""


def nearest(name: object, choices: Iterable[object]) -> str:
    """Return a hint such as `` Did you mean 'gini'?``, or an empty string when nothing is close."""
    by_text = {str(choice): choice for choice in choices}
    lowered = {text.casefold(): text for text in by_text}
    match = get_close_matches(str(name).casefold(), list(lowered), n=1, cutoff=0.6)
    return f" Did you mean {by_text[lowered[match[0]]]!r}?" if match else ""


def listing(names: Iterable[object], most: int = 8) -> str:
    """Return names as `'a', 'b', ...` for a message, at most `most` of them, with the count of the rest."""
    shown = [repr(name) for name in names]
    rest = len(shown) - most
    return ", ".join(shown[:most]) + (f", ... and {rest} more" if rest > 0 else "")
