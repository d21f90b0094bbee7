"""How much memory this process uses and used at most, in bytes."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

STATUS, RESTART = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def restart_peak() -> int:
    """Return what is resident now, and count the peak from here on.

    Where the system cannot start again (other than Linux), the peak so far is taken for what is resident.
    """
    try:
        RESTART.write_text("5", encoding="ascii")
    except OSError:
        return peak()
    return _status("VmRSS")


def peak() -> int:
    """Return the most that was resident."""
    if STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _status(key: str) -> int:
    line = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith(key))
    return int(line.split()[1]) * 1024
