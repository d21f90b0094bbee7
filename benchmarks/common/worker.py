"""The process of one contestant on one workload: `python -m common.worker FOLDER NAME`.

It answers with one line of JSON: first `{"version": ...}`, or `{"reason": ...}` if it takes no part; to `run`,
`{"seconds": ..., "peak": ...}`; to `describe`, `{"leaves": FILE}`, the leaf of each training row, int32, in the folder;
and a reason instead where that fails. The peak is of the first run, in bytes above what was resident when the data were
ready.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from common import memory
from common.peers import build
from common.peers.peer import Peer, Refused
from common.workload import Data, Workload, read

WARM_UP_ROWS = 100


def main() -> None:
    """Answer until the input ends."""
    warnings.simplefilter("ignore")  # tables, not logs: what packages warn of is not what is measured
    folder, name = Path(sys.argv[1]), sys.argv[2]
    answers = _private_stdout()
    work, data = read(folder)
    try:
        _warm_up(name, work, data)
        peer = build(name, work, data)
        if work.task == "predict":
            peer.fit()
    except Exception as error:
        _say(answers, reason=_reason(error))
        return
    baseline = memory.restart_peak()
    _say(answers, version=peer.version)
    peak = None
    for line in sys.stdin:
        try:
            if line.strip() == "run":
                seconds = _timed(peer)
                peak = memory.peak() - baseline if peak is None else peak
                _say(answers, seconds=seconds, peak=peak)
            else:
                _say(answers, leaves=_write_leaves(peer, folder, name))
        except Exception as error:
            _say(answers, reason=_reason(error))


def _reason(error: Exception) -> str:
    """Return why a contestant has no figure: its refusal, or whatever the package raised."""
    if isinstance(error, Refused):
        return str(error)
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:200]}"


def _warm_up(name: str, work: Workload, data: Data) -> None:
    """Fit a few rows: what a package loads at its first fit is not what a fit takes."""
    few = slice(None, None, max(1, work.rows // WARM_UP_ROWS))
    y = data.y[few]
    with contextlib.suppress(Exception):  # a package that cannot do so few rows goes without
        build(name, replace(work, rows=len(y)), Data(data.X[few].copy(), y, data.nominal)).fit()


def _timed(peer: Peer) -> float:
    work = peer.fit if peer.work.task == "fit" else peer.predict
    gc.collect()
    start = time.perf_counter()
    for _ in range(peer.work.repeat):
        work()
    return (time.perf_counter() - start) / peer.work.repeat


def _write_leaves(peer: Peer, folder: Path, name: str) -> str:
    file = name.replace(", ", "-").replace(" ", "-") + ".i32"
    np.asarray(peer.leaf_ids(), dtype=np.int32).tofile(folder / file)
    return file


def _private_stdout() -> IO[str]:
    """Return the standard output, and let packages that print write to the standard error."""
    private = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return private


def _say(answers: IO[str], **content: Any) -> None:
    answers.write(json.dumps(content) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
