"""One workload, all contestants: each in a process of its own, in turn, several rounds, with a limit of time a run."""

from __future__ import annotations

import dataclasses
import json
import math
import select
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common import data, trees
from common.peers import OURS, REFERENCE, peer_class
from common.peers.peer import Refused
from common.workload import Workload, read, write

HERE = Path(__file__).parent


@dataclasses.dataclass(frozen=True)
class Limits:
    """How long a contest may take.

    `rounds`: how often each contestant runs. `seconds`: the limit of one run; a contestant that exceeds it is stopped.
    Ours and scikit-learn, which ratios need, may take five times as long. A contestant that has used a third of
    `seconds` in all runs no more, scikit-learn twice `seconds`; ours run in every round.
    """

    rounds: int
    seconds: float

    def of_one_run(self, name: str) -> float:
        """Return the limit of one run of a contestant."""
        return self.seconds * (5 if name == REFERENCE or _is_ours(name) else 1)

    def of_all_runs(self, name: str) -> float:
        """Return after how much time a contestant runs no more."""
        return math.inf if _is_ours(name) else self.seconds * (2 if name == REFERENCE else 1 / 3)


def _is_ours(name: str) -> bool:
    return name.startswith("deciduous")


@dataclasses.dataclass
class Entry:
    """What became of a contestant: the seconds of its runs, peak memory, leaves and comparison, or why it has none."""

    name: str
    version: str | None = None
    seconds: list[float] = dataclasses.field(default_factory=list)
    peak: int | None = None
    leaves: int | None = None
    tree: str = ""
    reason: str = ""

    @property
    def median(self) -> float | None:
        """The median of the runs."""
        return statistics.median(self.seconds) if self.seconds else None


class Worker:
    """The process of a contestant."""

    def __init__(self, folder: Path, name: str, limits: Limits) -> None:
        """Start it; an entry with a reason has none."""
        self.entry, self._limit, self._folder = Entry(name), limits.of_one_run(name), folder
        self._process: subprocess.Popen[bytes] | None = None
        try:
            command = peer_class(name).command(folder, name)
        except Refused as refused:
            self.entry.reason = str(refused)
            return
        self._log = (folder / "log").open("ab")
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=HERE.parent, stdin=pipe, stdout=pipe, stderr=self._log)
        self.entry.version = self._answer("to get ready").get("version")

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process is not None and not self.entry.reason

    def run(self) -> None:
        """Run once."""
        answer = self._ask("run", "a run")
        if "seconds" in answer:
            self.entry.seconds.append(answer["seconds"])
            self.entry.peak = answer["peak"]

    def leaves(self) -> NDArray[np.int32] | None:
        """Return the leaf of each training row, or None, with the reason in the entry."""
        answer = self._ask("describe", "to tell its leaves")
        return np.fromfile(self._folder / answer["leaves"], dtype=np.int32) if "leaves" in answer else None

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._log.close()
            self._process = None

    def _ask(self, word: str, what: str) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n".encode())
        self._process.stdin.flush()
        return self._answer(what)

    def _answer(self, what: str) -> dict[str, Any]:
        """Return its next line; on silence or its end, stop it."""
        assert self._process is not None
        assert self._process.stdout is not None
        answer: dict[str, Any] = {}
        if not select.select([self._process.stdout], [], [], self._limit)[0]:
            answer["reason"] = f"stopped: over {self._limit:g} s {what}"
        elif line := self._process.stdout.readline():
            answer = json.loads(line)
        else:
            answer["reason"] = f"its process ended ({self._process.wait()})"
        if "reason" in answer:
            self.entry.reason = answer["reason"]
        return answer


def contest(work: Workload, names: Sequence[str], limits: Limits) -> list[Entry]:
    """Run a workload with the contestants of these names and return what became of each, in order."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        write(Path(folder), work, data.make(work))
        workers = [Worker(Path(folder), name, limits) for name in names]
        try:
            for _ in range(limits.rounds):
                for worker in workers:
                    spent = sum(worker.entry.seconds) * work.repeat
                    if worker.alive and spent < limits.of_all_runs(worker.entry.name):
                        worker.run()
            _compare(work, Path(folder), workers, limits)
        finally:
            for worker in workers:
                worker.stop()
    return [worker.entry for worker in workers]


def _compare(work: Workload, folder: Path, workers: list[Worker], limits: Limits) -> None:
    """Fill in leaves and comparisons."""
    y = read(folder)[1].y
    ours: dict[str, NDArray[np.int32] | None] = {}
    for worker in workers:
        if not worker.alive or not worker.entry.seconds:
            continue
        leaves = worker.leaves()
        if leaves is None:
            worker.entry.tree, worker.entry.reason = f"not compared: {worker.entry.reason}", ""
            continue
        worker.entry.leaves = trees.distinct_leaves(leaves)[0]
        criterion = peer_class(worker.entry.name).other_criterion.get(work.criterion, work.criterion)
        if criterion not in ours:
            is_ours = worker.entry.name == OURS
            ours[criterion] = leaves if is_ours else _our_leaves(work, criterion, limits)
        if worker.entry.name != OURS:
            reference = ours[criterion]
            worker.entry.tree = (
                "not compared: no tree of ours by " + criterion
                if reference is None
                else trees.verdict(work, y, reference, leaves, criterion)
            )


def _our_leaves(work: Workload, criterion: str, limits: Limits) -> NDArray[np.int32] | None:
    """Return the leaves of our own tree by another criterion."""
    work = dataclasses.replace(work, criterion=criterion, task="fit", repeat=1)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        write(Path(folder), work, data.make(work))
        worker = Worker(Path(folder), OURS, limits)
        try:
            if worker.alive:
                worker.run()
            return worker.leaves() if worker.alive else None
        finally:
            worker.stop()
