"""What the rows look like inside a node (to come)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deciduous.draw.shapes import Shape


@dataclass(frozen=True)
class Chart:
    width: float
    height: float

    def shapes(self, x: float, y: float) -> tuple[Shape, ...]:
        return ()


Charts = dict[int, Chart]


def charts_of(outline: Any, theme: Any) -> Charts:
    return {}
