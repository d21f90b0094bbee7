"""Writing files whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from deciduous.errors import DataError

#: Names of the standard output; what it is redirected to must not be replaced.
STANDARD_OUTPUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file, text in UTF-8: first beside its place, then moved there, so that it is never seen half-written.

    A file that was there keeps its permissions. DataError if the folder is absent or not writable.
    """
    target = Path(path)
    if "\0" in str(path):
        raise DataError(f"cannot write {str(path)!r}: a file name cannot hold the character NUL.")
    try:
        is_folder, is_file, exists = target.is_dir(), target.is_file(), target.exists()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _refusal(path, error) from None
    if str(target) in STANDARD_OUTPUT:
        write_to_stdout(content)
        return
    data = content.encode() if isinstance(content, str) else content
    if is_folder:
        raise DataError(f"cannot write {str(target)!r}: it is a folder; give a file name.")
    if exists and not is_file:  # a pipe or a device cannot be replaced
        try:
            target.write_bytes(data)
        except OSError as error:
            raise _refusal(path, error) from None
        return
    target = target.resolve()  # a link keeps pointing at the file it names
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".part")
    except OSError as error:
        raise _refusal(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException as error:
        os.unlink(temporary)
        raise (_refusal(path, error) if isinstance(error, OSError) else error) from None


def write_to_stdout(content: str | bytes) -> None:
    """Write to the standard output, bytes as they are."""
    if isinstance(content, str):
        sys.stdout.write(content)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)


def refuse_overwriting(path: str | os.PathLike[str] | None, *inputs: str | os.PathLike[str] | None) -> None:
    """Raise DataError if a file to be written is one of those that were read; None is no file."""
    for source in inputs:
        if path is None or source is None:
            continue
        try:
            same = os.path.samefile(path, source)
        except (OSError, ValueError):
            continue
        if same:
            raise DataError(f"{str(path)!r} is an input of this command and is not overwritten; choose another name.")


def _refusal(path: str | os.PathLike[str], error: OSError | ValueError) -> DataError:
    name = str(path) if len(str(path)) < 100 else str(path)[:60] + "..."
    return DataError(f"cannot write {name!r}: {getattr(error, 'strerror', None) or error}.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
