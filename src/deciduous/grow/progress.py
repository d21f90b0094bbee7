"""Progress: with `verbose`, a bar of what is done, if the whole takes long."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from deciduous.language import translate as _

#: A bar is shown after so many seconds: what is done sooner needs none.
SHOWN_AFTER = 0.5


class Progress:
    """Counts what is done of `total`, by default rows that have come to a leaf while a tree grows; `task` and `units`
    in the language spoken.

    A context, so that the bar is closed whatever happens.
    """

    def __init__(self, total: int, verbose: int, task: str | None = None, units: str | None = None) -> None:
        self._total, self._done = total, 0
        self._words = (task or _("growing"), units or _("rows in leaves"))
        self._shows_from = time.monotonic() + SHOWN_AFTER if verbose else float("inf")
        self._bar: Any = None

    def settled(self, more: int) -> None:
        """Say that so many more are done."""
        self._done += more
        if time.monotonic() < self._shows_from:
            return
        if self._bar is None:
            task, units = self._words
            self._bar = _bar(units)
            self._task = self._bar.add_task(task, total=self._total)
        self._bar.update(self._task, completed=self._done)

    def __enter__(self) -> Progress:
        """Return this."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the bar; work that ended well is complete."""
        if self._bar is None:
            return
        if error is None:
            self._bar.update(self._task, completed=self._total)
        self._bar.stop()


def _bar(units: str) -> Any:
    """Return a bar that is shown on the standard error output."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(units))
    bar = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True))
    bar.start()
    return bar
