"""The parts of a model file's document, read with their places for error messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciduous.errors import ModelFileError


class Part:
    """An object of the document, with its place for error messages."""

    def __init__(self, content: Any, place: str) -> None:
        if not isinstance(content, dict):
            raise ModelFileError(f"{place} must be a JSON object; it is {type(content).__name__}.")
        self.content, self.place = content, place

    def raw(self, key: str) -> Any:
        if key not in self.content:
            raise ModelFileError(f"{self.place} lacks {key!r}.")
        return self.content[key]

    def get(self, key: str, kind: type | tuple[type, ...]) -> Any:
        value = self.raw(key)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            names = kind.__name__ if isinstance(kind, type) else " or ".join(k.__name__ for k in kind)
            raise ModelFileError(f"{key!r} in {self.place} must be {names}; it is {value!r:.60}.")
        return value

    def number(self, key: str) -> float:
        """Read a number, or null as NaN."""
        value = self.get(key, (int, float, type(None)))
        try:
            number = float("nan") if value is None else float(value)
        except OverflowError:
            number = float("inf")
        if number in (float("inf"), float("-inf")):
            raise ModelFileError(f"{key!r} in {self.place} is beyond the range of 64-bit floats.")
        return number

    def count(self, key: str) -> int:
        """Read a whole number that is not negative."""
        value: int = self.get(key, int)
        if value < 0:
            raise ModelFileError(f"{key!r} in {self.place} must not be negative; it is {value}.")
        return value

    def one_of(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self.get(key, str)
        if value not in allowed:
            raise ModelFileError(f"{key!r} in {self.place} must be one of {', '.join(allowed)}; it is {value!r:.60}.")
        return str(value)

    def part(self, key: str) -> Part:
        return Part(self.raw(key), f"{key!r} in {self.place}")

    def array(self, key: str, dtype: type[np.generic]) -> Any:
        """Read a flat list of one type: whole numbers, truth values, or numbers with null for NaN."""
        return numbers(self.get(key, list), dtype, f"{key!r} in {self.place}")

    def table(self, key: str, shape: tuple[int, ...], *, may_be_negative: bool = False) -> Any:
        """Read numbers of a given shape, none of them null; weights among them are not negative."""
        table = numbers(self.get(key, list), np.float64, f"{key!r} in {self.place}", shape)
        if np.isnan(table).any() or ((table < 0).any() and not may_be_negative):
            raise ModelFileError(f"{key!r} in {self.place} has a missing or negative number.")
        return table


def numbers(values: Any, dtype: type[np.generic], place: str, shape: tuple[int, ...] | None = None) -> Any:
    """Return a list from the document as an array; ModelFileError unless every element is of the type and fits in
    it.
    """
    is_float = dtype is np.float64
    allowed = {int, float, type(None)} if is_float else {bool} if dtype is np.bool_ else {int}
    flat = (
        values
        if shape is None or len(shape) == 1
        else [v for line in values for v in line]
        if is_nested(values)
        else [()]
    )
    if not isinstance(flat, list) or not set(map(type, flat)) <= allowed:
        raise ModelFileError(f"{place} must be a list of {'numbers' if is_float else np.dtype(dtype).name}.")
    try:
        array = np.array([np.nan if v is None else v for v in flat] if is_float else flat, dtype=dtype)
        if is_float and np.isinf(array).any():
            raise ModelFileError(f"{place} has a number beyond the range of 64-bit floats.")
        return array if shape is None else array.reshape(shape)
    except (OverflowError, ValueError):
        raise ModelFileError(f"{place} has numbers or a length that do not fit.") from None


def is_nested(values: Any) -> bool:
    """Whether it is a list of lists."""
    return isinstance(values, list) and all(isinstance(line, list) for line in values)
