"""What a tree says about one more target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.data.schema import Label
from deciduous.measures import Floats

#: The arrays of `Answers`.
ANSWERS = ("value", "class_start", "class_code", "class_weight")


@dataclass(frozen=True, eq=False)
class Answers:
    """What the nodes of a tree say about one target: the fields of these names of `Tree`; its arrays are read-only."""

    target: str
    classes: tuple[Label, ...]
    value: Floats
    class_start: NDArray[np.int64]
    class_code: NDArray[np.int32]
    class_weight: Floats

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for array in self.arrays().values():
            array.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickle; arrays come back writable, so they are frozen again."""
        self.__dict__.update(state)
        self.__post_init__()

    def arrays(self) -> dict[str, Any]:
        """Return the arrays by name."""
        return {name: getattr(self, name) for name in ANSWERS}
