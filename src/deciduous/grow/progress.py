"""Progress of growing: with `verbose`, a bar of the rows that have come to a leaf, if growing takes long."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

#: A bar is shown after so many seconds: what is done sooner needs none.
SHOWN_AFTER = 0.5


class Progress:
    """Counts rows that have come to a leaf; a context, so that the bar is closed whatever happens."""

    def __init__(self, n_rows: int, verbose: int) -> None:
        self._n_rows, self._done = n_rows, 0
        self._shows_from = time.monotonic() + SHOWN_AFTER if verbose else float("inf")
        self._bar: Any = None

    def settled(self, rows: int) -> None:
        """Say that so many more rows have come to a leaf."""
        self._done += rows
        if time.monotonic() < self._shows_from:
            return
        if self._bar is None:
            self._bar = _bar()
            self._task = self._bar.add_task("growing", total=self._n_rows)
        self._bar.update(self._task, completed=self._done)

    def __enter__(self) -> Progress:
        """Return this."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the bar; growing that ended well is complete."""
        if self._bar is None:
            return
        if error is None:
            self._bar.update(self._task, completed=self._n_rows)
        self._bar.stop()


def _bar() -> Any:
    """Return a bar that is shown on the standard error output."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("rows in leaves"))
    bar = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True))
    bar.start()
    return bar
