"""Unknown parameters: the error says what they are called here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache, wraps
from inspect import signature
from typing import Any, Self

from rich.cells import cell_len
from sklearn.base import BaseEstimator

from deciduous.elsewhere import PARAMETERS, parameter_hint
from deciduous.errors import OptionError, nearest


class NamedParameters(BaseEstimator):
    """An estimator whose constructor and `set_params` know the parameters of other tools by name, to refuse them."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Let a constructor that is declared here name what it does not know."""
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            setattr(cls, "__init__", _naming_unknown(vars(cls)["__init__"]))  # noqa: B010 (mypy: a method is assigned)

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters, worked out once a class: every copy of an estimator asks for them."""
        names: list[str] = super()._get_param_names()
        return names

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters; OptionError says what an unknown one is called here."""
        known = self._get_param_names()
        for name in parameters:
            if name.partition("__")[0] not in known:
                hint = _hint(name, known)
                raise OptionError(
                    f"Invalid parameter {name!r} for estimator {type(self).__name__}.{hint} Its parameters are: "
                    f"{', '.join(known)}."
                )
        super().set_params(**parameters)
        return self


def _hint(name: str, known: list[str]) -> str:
    """Return what a parameter is called here, which estimators have it, or the nearest known name, as the end of a
    message.
    """
    if name in PARAMETERS:
        return parameter_hint(name, known)
    owners = [cls.__name__ for cls in _estimators() if name in cls._get_param_names()]
    return f" It is a parameter of {', '.join(owners)}." if owners else nearest(name, known)


def _estimators() -> list[type[NamedParameters]]:
    """Return the estimators of this library that have parameters."""
    found, waiting = [], NamedParameters.__subclasses__()
    for cls in waiting:  # grows on the way
        waiting.extend(cls.__subclasses__())
        if "__init__" in vars(cls) and cls.__module__.startswith("deciduous."):
            found.append(cls)
    return found


def _naming_unknown(init: Callable[..., None]) -> Callable[..., None]:
    known = list(signature(init).parameters)[1:]

    @wraps(init)
    def constructor(self: Any, *arguments: Any, **parameters: Any) -> None:
        for name in parameters:
            if name not in known:
                hint = _hint(name, known)
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}.{hint}")
        init(self, *arguments, **parameters)

    return constructor


def constructor_call(estimator: BaseEstimator, without: Collection[str] = (), width: int | None = None) -> str:
    """Return the Python call that makes an estimator of the same options, those that differ from the defaults.

    With `width`, a call that is longer has a line an option.
    """
    defaults = type(estimator)().get_params()
    chosen = {k: v for k, v in estimator.get_params().items() if repr(v) != repr(defaults[k]) and k not in without}
    options = [f"{name}={value!r}" for name, value in chosen.items()]
    call = f"{type(estimator).__name__}({', '.join(options)})"
    if width is None or cell_len(call) <= width:
        return call
    return "\n".join([f"{type(estimator).__name__}(", *(f"    {option}," for option in options), ")"])
