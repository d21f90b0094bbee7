"""Checks of single options, and of some that must go together: each says what was given and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from deciduous.criteria import Task
from deciduous.elsewhere import value_hint
from deciduous.errors import OptionError, listing
from deciduous.search.contingency import KNOWN_ROWS_ONLY

#: The words that `pruning` may be, and the tasks they are for (see `deciduous.prune`).
BOTH: tuple[Task, ...] = ("class", "number")
PRUNING: dict[str, tuple[Task, ...]] = {
    "error": ("class",),
    "reduced_error": BOTH,
    "pessimistic": ("class",),
    "minimum_error": ("class",),
    "critical_value": ("class",),
    "description_length": ("class",),
    "cost_complexity": BOTH,
    "optimal": BOTH,
    "validation": BOTH,
}
#: The words that `max_features` may be.
SHARES = ("sqrt", "log2")
#: The largest number that an option may be.
LARGEST = int(np.finfo(np.float64).max)


def check_class_weight(value: Any) -> None:
    """Refuse what does not say what classes weigh."""
    if value is None or (isinstance(value, str) and value == "balanced"):
        return
    several = isinstance(value, list | tuple) and len(value) > 0 and all(isinstance(one, Mapping) for one in value)
    if not isinstance(value, Mapping) and not several:
        raise OptionError(
            f"class_weight={value!r} must be None, 'balanced', or a mapping of classes to weights (for several "
            "targets a list of them)."
            + (value_hint("class_weight", value, ["balanced"]) if isinstance(value, str) else "")
        )
    for mapping in value if several else [value]:
        for label, weight in mapping.items():
            check_number(f"class_weight[{label!r}]", plain_value(weight), 0.0)


def check_max_features(value: Any) -> None:
    """Refuse what is neither a number of columns nor a share of them."""
    if value is None or (isinstance(value, str) and value in SHARES):
        return
    whole = isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1
    if not whole and not (isinstance(value, float) and 0 < value <= 1):
        hint = value_hint("max_features", value, SHARES) if isinstance(value, str) else ""
        raise OptionError(
            f"max_features={value!r:.60} must be a whole number of at least 1, a share above 0 and up to 1.0, "
            f"{listing(SHARES)}, or None.{hint}"
        )


#: The policies for missing cells that C4.5's programs can do with: gains are those of the known rows.
OF_C45 = tuple(policy for policy in KNOWN_ROWS_ONLY if policy != "surrogates")
#: What other programs know: the values that their conventions allow.
KNOWN_TO: dict[str, dict[str, tuple[str, ...]]] = {
    "j48": {"criterion": ("gain_ratio",), "nominal": ("multiway", "one_vs_rest"), "missing": OF_C45},
    "r8": {"criterion": ("gain_ratio", "gain"), "nominal": ("multiway", "groups"), "missing": OF_C45},
}


def check_conventions(options: Any) -> None:
    """Refuse what the program whose trees are wanted does not know, and groups of categories outside of C4.5."""
    if options.nominal == "groups" and (options.name != "c45" or options.missing not in OF_C45):
        raise OptionError(
            f"nominal='groups' belongs to C4.5 with missing {listing(OF_C45)}, not to {options.name} with "
            f"missing={options.missing!r}."
        )
    for option, allowed in KNOWN_TO.get(options.conventions, {}).items():
        value = getattr(options, option)
        if value not in allowed:
            raise OptionError(
                f"conventions={options.conventions!r} goes with {option} {listing(allowed)}, not with {value!r:.60}; "
                "conventions='c45' goes with all."
            )


def check_pruning(options: Any) -> None:
    """Refuse a word that is none, one that is for the other task, and options that do not fit it."""
    pruning = options.pruning
    allowed = [word for word, tasks in PRUNING.items() if options.task in tasks]
    if isinstance(pruning, str) and pruning not in allowed:
        if pruning in PRUNING:
            raise OptionError(
                f"pruning={pruning!r} is for trees that predict classes; those that predict numbers take None, "
                f"{listing(allowed, 9)}, or a pruner of deciduous.prune."
            )
        raise OptionError(
            f"pruning={pruning!r} is not one of None, {listing(allowed, 9)}, nor a pruner of deciduous.prune."
            + value_hint("pruning", pruning, allowed)
        )
    if not (pruning is None or isinstance(pruning, str) or callable(pruning)):
        raise OptionError(f"pruning={pruning!r:.60} must be None, one of {listing(allowed, 9)}, or a pruner.")
    check_number("ccp_alpha", options.ccp_alpha, 0.0)
    if options.ccp_alpha > 0 and pruning not in (None, "cost_complexity"):
        raise OptionError(f"ccp_alpha={options.ccp_alpha!r} belongs to pruning='cost_complexity', not to {pruning!r}.")
    check_folds(options.cv)
    for option in ("confidence", "validation_fraction"):
        check_number(option, getattr(options, option), 0.0, 1.0)
        if getattr(options, option) in (0, 1):
            raise OptionError(f"{option}={getattr(options, option)!r} must lie between 0 and 1.")


def check_folds(cv: Any) -> None:
    """Refuse what says no folds; whether the fold of each row fits the table is seen there."""
    if cv is None or isinstance(cv, list | tuple | np.ndarray):
        return
    if not isinstance(cv, Integral) or isinstance(cv, bool) or int(cv) < 2:
        raise OptionError(
            f"cv={cv!r:.60} must be a whole number of folds of at least 2, the fold of each row, or a list of pairs "
            "(rows to grow on, rows to judge by), such as list(KFold(5).split(X))."
        )


def plain_folds(value: Any) -> Any:
    """Return a column of folds (a pandas or polars series) as an array, other things as they are."""
    if isinstance(value, str | list | tuple | np.ndarray | np.generic) or not hasattr(value, "__array__"):
        return plain_value(value)
    return np.asarray(value)


def check_number(option: str, value: Any, least: float, most: float = math.inf) -> None:
    """Refuse what is no number in a range."""
    value = plain_value(value)
    limited = most < math.inf or (isinstance(value, Real) and value > LARGEST)  # type: ignore[operator]
    bound = f"between {least:g} and {min(most, LARGEST):g}" if limited else f"at least {least:g}"
    if not isinstance(value, Real) or isinstance(value, bool):
        raise OptionError(f"{option}={value!r:.60} must be a number, {bound}.")
    if not (least <= value <= most and abs(value) <= LARGEST):  # type: ignore[operator]
        raise OptionError(f"{option}={value!r:.60} must be {bound}.")


def check_whole(option: str, value: Any, least: int) -> None:
    """Refuse what is no whole number of at least so much."""
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        raise OptionError(f"{option}={value!r:.60} must be a whole number of at least {least}.")


def check_rows(option: str, value: Any, least: int) -> None:
    """Refuse what is neither a number of rows nor a share of them."""
    if isinstance(value, float) and 0 < value <= 1:
        return
    if isinstance(value, float):
        raise OptionError(
            f"{option}={value!r} must be a whole number of at least {least}, or a share of the rows above 0 and up to "
            "1.0."
        )
    check_whole(option, value, least)


def plain_value(value: Any) -> Any:
    """Return a NumPy number, as parameter searches pass them, or a Decimal as one of Python's own."""
    if isinstance(value, Decimal) and value.is_finite():
        return float(value)
    return value.item() if isinstance(value, np.generic) else value
