"""What the benchmarks run on."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np


def machine() -> dict[str, Any]:
    """Return date, system, processor, cores, memory in bytes, load of the last minute, and versions."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "system": platform.system(),
        "processor": _processor() or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
