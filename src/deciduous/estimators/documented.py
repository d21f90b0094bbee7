"""The docstrings of estimators: what each parameter means is said once, in `Algorithm`, and shown where users look."""

from __future__ import annotations

import inspect
import re
from typing import TypeVar

from deciduous.grow.algorithm import Algorithm

T = TypeVar("T", bound=type)

#: The parameters that estimators have and `Algorithm` has not.
KINDS = (
    'kinds: what columns are taken for, by name or position, such as {"zip": "nominal", "no": "id"}; None to infer it.'
)


def documented(cls: T) -> T:
    """Add the meaning of each parameter of an estimator to its docstring."""
    if cls.__doc__:  # python -OO has none
        meanings = meanings_of(Algorithm) | {"kinds": KINDS}
        names = [name for name in inspect.signature(cls).parameters if name in meanings]
        listed = "\n".join(f"    {meanings[name]}" for name in names)
        cls.__doc__ = f"{inspect.cleandoc(cls.__doc__)}\n\nParameters:\n{listed}\n"
    return cls


def meanings_of(record: type) -> dict[str, str]:
    """Return the paragraphs under `Attributes:` in the docstring of a record, by name, without their indentation."""
    attributes = inspect.cleandoc(record.__doc__ or "").partition("Attributes:\n")[2]
    paragraphs = re.split(r"^    (?=\w)", attributes, flags=re.MULTILINE)[1:]
    return {text.partition(":")[0]: text.rstrip() for text in paragraphs}
