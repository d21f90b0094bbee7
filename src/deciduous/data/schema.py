"""The schema: what every column of a table was taken for, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Literal, get_args

from deciduous.errors import DataError, OptionError, listing, nearest
from deciduous.language import translate as _
from deciduous.language import translate_filled
from deciduous.textgrid import grid

Kind = Literal["numeric", "ordinal", "nominal", "id", "weight"]
Label = str | int | float | bool
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True)
class Feature:
    """One column: its name, its kind, its categories in order (ordinal and nominal only), and the reason for the
    kind.
    """

    name: str
    kind: Kind
    categories: tuple[Label, ...] = ()
    reason: str = ""
    missing: int = 0

    @property
    def is_split_on(self) -> bool:
        """Whether a tree may ask for this column; `id` and `weight` columns are never asked for."""
        return self.kind in ("numeric", "ordinal", "nominal")


@dataclass(frozen=True)
class Schema:
    """The columns of a training table, in order.

    `named` tells whether the columns had names of their own (a frame) or only positions (an array, whose columns are
    called x0, x1, ...). Printing a schema shows a table.
    """

    features: tuple[Feature, ...]
    named: bool = True
    n_rows: int = 0
    _index: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the names, and refuse duplicates."""
        names = [feature.name for feature in self.features]
        duplicated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        if duplicated:
            raise DataError(
                f"column names must be different; {listing(duplicated)} occurs more than once. Rename the columns."
            )
        object.__setattr__(self, "_index", {name: i for i, name in enumerate(names)})

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.features)

    @property
    def names(self) -> list[str]:
        """The column names, in order."""
        return [feature.name for feature in self.features]

    def index(self, name: str) -> int:
        """Return the position of a column; DataError with the nearest name if there is none."""
        if name not in self._index:
            raise DataError(
                f"there is no column {name!r}; the columns are {listing(self.names)}.{nearest(name, self.names)}"
            )
        return self._index[name]

    def __str__(self) -> str:
        """Return the table of columns that says what each was taken for and why."""
        rows = [
            [f.name, f.kind, _categories_text(f), str(f.missing), translate_filled(f.reason)] for f in self.features
        ]
        return grid([_("column"), _("kind"), _("categories"), _("missing"), _("why")], rows, numbers=[3])


def _categories_text(feature: Feature, most: int = 5) -> str:
    if feature.kind not in ("ordinal", "nominal"):
        return ""
    joiner = " < " if feature.kind == "ordinal" else ", "
    shown = joiner.join(str(c) for c in feature.categories[:most])
    rest = len(feature.categories) - most
    return shown + (joiner + _("... ({n} more)").format(n=rest) if rest > 0 else "")


def kinds_by_position(kinds: Mapping[Any, str] | None, names: list[str]) -> dict[int, Kind]:
    """Resolve the `kinds` option: keys are column names, or positions where no column has that name.

    OptionError names a key that is no column, or a kind that is none of the five.
    """
    resolved: dict[int, Kind] = {}
    if kinds is not None and not isinstance(kinds, Mapping):
        raise OptionError(f"kinds={kinds!r} must map column names to kinds, for example {{'zip': 'nominal'}}.")
    for key, kind in (kinds or {}).items():
        if not isinstance(kind, str) or kind not in KINDS:
            raise OptionError(
                f"kinds[{key!r}]={kind!r} is not a kind; allowed are {listing(KINDS)}.{nearest(kind, KINDS)}"
            )
        position = position_of("kinds", key, names)
        if resolved.get(position, kind) != kind:
            raise OptionError(f"kinds gives the column {names[position]!r} two kinds, {resolved[position]} and {kind}.")
        resolved[position] = kind  # type: ignore[assignment]
    return resolved


def position_of(option: str, key: Any, names: Sequence[str]) -> int:
    """Return the position of the column that the key of an option names: by its name, or by its position where no
    column has that name. OptionError if there is none.
    """
    if str(key) in names:
        return names.index(str(key))
    if isinstance(key, Integral) and not isinstance(key, bool) and 0 <= int(key) < len(names):
        return int(key)
    raise OptionError(
        f"{option} names the column {key!r}, which is not in the table; the columns are {listing(names)}."
        + nearest(key, names)
    )
