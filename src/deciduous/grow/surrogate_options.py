"""Which options go with `missing="surrogates"`, and which only with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from deciduous.errors import OptionError, listing

#: The criteria whose splits can be rated as rpart does.
CRITERIA = ("gini", "entropy", "log_loss", "squared_error", "poisson")
#: Options that say nothing without surrogates, and what they then are.
ONLY_WITH: dict[str, Any] = {"priors": None, "loss": None, "costs": None, "cp": 0.0, "shrink": None}
#: Options that the search for the first strictly best split does not know, and what they must be.
NOT_WITH: dict[str, Any] = {
    "nominal": "subset",
    "numeric": "threshold",
    "threshold": "midpoint",
    "splitter": "best",
    "max_features": None,
    "monotonic_cst": None,
    "max_bins": None,
    "min_weight_fraction_leaf": 0.0,
    "min_cases": 0.0,
    "guard": False,
}


def check_surrogates(options: Any) -> None:
    """Raise OptionError for numbers out of range and for options that do not go together."""
    for option, allowed in (("use_surrogates", (0, 1, 2)), ("surrogate_style", (0, 1))):
        value = getattr(options, option)
        if not isinstance(value, Integral) or isinstance(value, bool) or value not in allowed:
            raise OptionError(f"{option}={value!r:.60} must be one of {listing(allowed)}.")
    for option in ("max_surrogates", "max_competitors"):
        value = getattr(options, option)
        if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < 0:
            raise OptionError(f"{option}={value!r:.60} must be a whole number of at least 0.")
    _check_number("cp", options.cp, -1.0)
    if options.shrink is not None:
        _check_number("shrink", options.shrink, 0.0)
    if options.missing != "surrogates":
        for option in ONLY_WITH:
            if given(options, option):
                raise OptionError(
                    f"{option}={getattr(options, option)!r:.60} goes with missing='surrogates', not with "
                    f"missing={options.missing!r}; see also CARTClassifier.rpart and CARTRegressor.rpart."
                )
        return
    if options.name != "cart":
        raise OptionError(f"missing='surrogates' is for CART; {options.name} has other policies for missing cells.")
    if options.criterion not in CRITERIA:
        raise OptionError(
            f"criterion={options.criterion!r:.60} does not go with missing='surrogates'; use one of "
            f"{listing(CRITERIA, len(CRITERIA))}."
        )
    for option, value in NOT_WITH.items():
        given_value = getattr(options, option)
        if given_value != value and value is None:
            raise OptionError(f"{option}={given_value!r:.60} does not go with missing='surrogates'; leave it out.")
        if given_value != value:
            raise OptionError(
                f"{option}={given_value!r:.60} does not go with missing='surrogates', which needs {option}={value!r}."
            )


def given(options: Any, option: str) -> bool:
    """Whether an option of `ONLY_WITH` says anything."""
    value, nothing = getattr(options, option), ONLY_WITH[option]
    return value is not nothing and (isinstance(value, Sequence | Mapping | np.ndarray) or value != nothing)


def _check_number(option: str, value: Any, least: float) -> None:
    if not isinstance(value, Real) or isinstance(value, bool) or not least <= float(value) < float("inf"):
        raise OptionError(f"{option}={value!r:.60} must be a number of at least {least:g}.")
