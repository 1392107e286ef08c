"""Files that are either the old one or the new one, never half of each.

PyTorch writes in place: a full disk or a crash while saving leaves a broken checkpoint. Here the
bytes go to a temporary file in the same directory, reach the disk, and replace the old file in one
step. What is not an ordinary file (a pipe, /dev/null) is written directly.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

_ATTEMPTS = 100


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Opens `path` for writing; it changes only when the block ends without an exception."""
    # A symbolic link stays one: the file it names is replaced.
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as direct:
            yield direct
        return
    temporary, file = _create_beside(target)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise
    _sync_folder(folder)


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _create_beside(target: str) -> tuple[str, BinaryIO]:
    for attempt in range(_ATTEMPTS):
        temporary = f"{target}.{os.getpid()}.{attempt}.tmp"
        try:
            return temporary, open(temporary, "xb")
        except FileExistsError:
            continue
    raise FileExistsError(f"cannot create a temporary file beside {target}")


def _sync_folder(folder: str) -> None:
    """Makes the new name durable, where directories can be synced at all."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
