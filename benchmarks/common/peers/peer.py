"""What a contestant can be asked."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from numpy.typing import NDArray

from common.workload import Data, Workload


class Refused(Exception):
    """Why a contestant does not take part in a workload."""


class Contestant:
    """A program that fits trees in a process of its own (see `common.worker` for what it is told and answers).

    `other_criterion`: what it minimises instead of the workload's criterion, by that; its trees are compared with ours
    of that criterion.
    """

    other_criterion: ClassVar[dict[str, str]] = {}

    @classmethod
    def command(cls, folder: Path, name: str) -> list[str]:
        """Return the command that starts its process on the workload in a folder; Refused if there is none."""
        return [sys.executable, "-m", "common.worker", str(folder), name]


class Peer(Contestant, ABC):
    """A Python package on one workload. Building it is not timed: its input is there made to be as it wants it.

    `module` is what is imported, `package` the distribution whose version is reported; `like_rpart` and
    `cross_validates` say whether it takes part where a workload has `cp` or `folds`.
    """

    module: ClassVar[str]
    package: ClassVar[str]
    like_rpart: ClassVar[bool] = False
    cross_validates: ClassVar[bool] = False

    @classmethod
    def command(cls, folder: Path, name: str) -> list[str]:
        """Return the command of the Python worker."""
        if find_spec(cls.module) is None:
            raise Refused("not installed")
        return super().command(folder, name)

    def __init__(self, work: Workload, data: Data) -> None:
        """Take a workload; Refused if the package cannot do it."""
        self.work, self.data = work, data
        self.model: Any = None
        self.demand(work.cp is None or self.like_rpart, "no surrogates and no complexity as rpart has them")
        self.demand(not work.folds or self.cross_validates, "not pruned by cross-validation")

    def demand(self, holds: bool, why_not: str) -> None:
        """Refuse unless a condition holds."""
        if not holds:
            raise Refused(why_not)

    @property
    def version(self) -> str:
        """The version of the package."""
        return version(self.package)

    @abstractmethod
    def fit(self) -> None:
        """Grow one tree, from the array or frame to the model; timed."""

    @abstractmethod
    def predict(self) -> None:
        """Predict `data.queries`; timed."""

    @abstractmethod
    def leaf_ids(self) -> NDArray[Any]:
        """Return the leaf of each training row."""
