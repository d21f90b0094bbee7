"""The kernels: native where they were compiled, else their NumPy twins, with equal results.

``DECIDUOUS_KERNELS=native`` or ``=numpy`` in the environment chooses one; ``use`` does so for a block.
"""

import importlib
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from types import ModuleType
from typing import ParamSpec, TypeVar

from deciduous.kernels import reference
from deciduous.kernels.reference import MISSING_CELL, UNSEEN_CELL, SplitKind, branch_of, side_of

__all__ = [
    "MISSING_CELL",
    "UNSEEN_CELL",
    "SplitKind",
    "branch_of",
    "native",
    "redistribute",
    "route",
    "route_by_surrogates",
    "side_of",
    "use",
    "weigh_leaves",
]

P = ParamSpec("P")
R = TypeVar("R")

_MODULES = {"native": "deciduous.kernels._native", "numpy": "deciduous.kernels.reference"}
_HOW_TO_BUILD = (
    "to build it, install from source where a C++20 compiler is: pip install --no-binary deciduous deciduous"
)

_in_use: ModuleType | None = None


def _load(name: str) -> ModuleType:
    if name not in _MODULES:
        raise ValueError(f"there are no {name!r} kernels; allowed are {', '.join(map(repr, _MODULES))}")
    try:
        return importlib.import_module(_MODULES[name])
    except ImportError as error:
        raise ImportError(f"the native kernels are absent ({error}); {_HOW_TO_BUILD}") from error


@cache
def _default() -> ModuleType:
    if chosen := os.environ.get("DECIDUOUS_KERNELS"):
        return _load(chosen)
    try:
        return _load("native")
    except ImportError as error:
        warnings.warn(f"{error}. The NumPy kernels stand in: equal results, slower.", RuntimeWarning, stacklevel=3)
        return reference


@contextmanager
def use(name: str) -> Iterator[None]:
    """Use the ``"native"`` or ``"numpy"`` kernels inside a ``with`` block, in all threads.

    Raises ValueError for another name and ImportError where the native kernels are absent.
    """
    global _in_use
    before = _in_use
    _in_use = _load(name)
    try:
        yield
    finally:
        _in_use = before


def _dispatched(twin: Callable[P, R]) -> Callable[P, R]:
    @wraps(twin)
    def kernel(*args: P.args, **kwargs: P.kwargs) -> R:
        result: R = getattr(_in_use or _default(), twin.__name__)(*args, **kwargs)
        return result

    return kernel


route = _dispatched(reference.route)
redistribute = _dispatched(reference.redistribute)
weigh_leaves = _dispatched(reference.weigh_leaves)

route_by_surrogates = _dispatched(reference.route_by_surrogates)


def native() -> ModuleType | None:
    """The native module, for the kernels that keep a state of their own; None where NumPy is in use."""
    module = _in_use or _default()
    return None if module is reference else module
