"""The parameters of rpart in our words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from types import NoneType
from typing import Any

import numpy as np

from deciduous.errors import OptionError, listing, nearest
from deciduous.grow.option_checks import check_number, check_whole, plain_folds

#: rpart's methods, and what they are here.
METHODS = ("class", "anova", "poisson")
#: rpart's measures of impurity.
SPLITS = {"gini": "gini", "information": "entropy"}


#: The least that whole numbers of `rpart.control` may be.
WHOLE = {"minsplit": 0, "minbucket": 1, "maxcompete": 0, "maxsurrogate": 0, "maxdepth": 0}


def rpart_options(
    method: str,
    *,
    minsplit: int | None,
    minbucket: int | None,
    cp: float,
    maxcompete: int,
    maxsurrogate: int,
    usesurrogate: int,
    xval: Any,
    surrogatestyle: int,
    maxdepth: int,
    parms: Mapping[str, Any] | None,
    cost: Any,
) -> dict[str, Any]:
    """Return the options of CART that grow the tree of rpart's `rpart.control` and `parms`; OptionError names those of
    rpart's parameters that have no such value.

    `minbucket` is a third of `minsplit` by default, and `minsplit` three times `minbucket` where only that is given.
    `xval`: the number of folds, or the fold of each row; 0 for none.
    """
    given = {
        "minsplit": minsplit,
        "minbucket": minbucket,
        "maxcompete": maxcompete,
        "maxsurrogate": maxsurrogate,
        "maxdepth": maxdepth,
    }
    for name, value in given.items():
        if value is not None:
            check_whole(name, value, WHOLE[name])
    for name, value, allowed in (
        ("usesurrogate", usesurrogate, (0, 1, 2)),
        ("surrogatestyle", surrogatestyle, (0, 1)),
    ):
        if isinstance(value, bool) or not isinstance(value, Integral) or value not in allowed:
            raise OptionError(f"{name}={value!r:.60} must be one of {listing(allowed)}.")
    check_number("cp", cp, -1.0)
    xval = plain_folds(xval)
    if not isinstance(xval, list | tuple | np.ndarray | NoneType):
        check_whole("xval", xval, 0)
    if minbucket is None:
        minsplit = 20 if minsplit is None else minsplit
        minbucket = max(round(minsplit / 3), 1)
    elif minsplit is None:
        minsplit = 3 * minbucket
    return {
        "missing": "surrogates",
        "unseen": "missing",
        "zero_gain": "stop",
        "min_samples_split": max(minsplit, 2),
        "min_samples_leaf": minbucket,
        "cp": cp,
        "max_competitors": maxcompete,
        "max_surrogates": maxsurrogate,
        "use_surrogates": usesurrogate,
        "surrogate_style": surrogatestyle,
        "max_depth": maxdepth,
        "costs": cost,
        "cv": None if isinstance(xval, Integral) and xval == 0 else xval,
        **_parms(method, parms),
    }


def _parms(method: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what `parms` says, in our words; OptionError for what the method does not know."""
    if not isinstance(given, Mapping | NoneType):
        raise OptionError(f"parms={given!r:.60} must be a mapping of names to values, such as {{'split': 'gini'}}.")
    parms = dict(given or {})
    known: tuple[str, ...] = ()
    if method == "class":
        known = ("prior", "loss", "split")
        split = parms.get("split", "gini")
        if split not in SPLITS:
            raise OptionError(f"split={split!r} in parms is not one of {listing(SPLITS)}.{nearest(str(split), SPLITS)}")
        found = {"criterion": SPLITS[split], "priors": parms.get("prior"), "loss": parms.get("loss")}
    elif method == "poisson":
        known = ("shrink", "method", "split")
        errors = parms.get("method", "deviance")
        if errors not in ("deviance", "sqrt"):
            raise OptionError(f"method={errors!r} in parms must be 'deviance' or 'sqrt'.")
        found = {"criterion": "poisson", "shrink": parms.get("shrink"), "cv_loss": errors}
    else:
        found = {"criterion": "squared_error"}
    unknown = [name for name in parms if name not in known]
    if unknown:
        raise OptionError(
            f"parms has {listing(unknown)}, which method={method!r} does not know; it knows {listing(known) or 'none'}."
        )
    return found


def check_method(method: str, allowed: Sequence[str], who: str) -> None:
    """Raise OptionError for a method that this estimator does not have."""
    if method == "exp":
        raise OptionError("method='exp' (survival) is not offered; rpart itself, or scikit-survival, grows such trees.")
    if method in METHODS and method not in allowed:
        other = "CARTClassifier" if method == "class" else "CARTRegressor"
        raise OptionError(f"method={method!r} is that of {other}.rpart, not of {who}.rpart.")
    if method not in allowed:
        raise OptionError(
            f"method={method!r:.60} is not one of {listing(allowed)} for {who}.{nearest(method, allowed)}"
        )
