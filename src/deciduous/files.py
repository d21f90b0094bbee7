"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from deciduous.errors import DataError


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file (UTF-8): first beside its place, then moved there, so that it is never seen half-written.

    A file that was there keeps its permissions. DataError if the folder is absent or not writable.
    """
    target = Path(path)
    if target.is_dir():
        raise DataError(f"cannot write {str(target)!r}: it is a folder; give a file name.")
    if target.exists() and not target.is_file():  # a pipe or a device, such as /dev/stdout, cannot be replaced
        target.write_text(text, encoding="utf-8", newline="")
        return
    target = target.resolve()  # a link keeps pointing at the file it names
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".part")
    except OSError as error:
        raise DataError(f"cannot write {str(path)!r}: {error.strerror or error} ({target.parent}).") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
