"""Errors of the disk, in words."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from endgame_core.errors import StorageError


@contextmanager
def storage_errors(path: Path) -> Generator[None]:
    """Turns the system's errors while writing below ``path`` into StorageErrors."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageError(
                f"the disk is full at {path}", "free some space or use --data-dir; finished tables are kept"
            ) from None
        if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM, errno.ENOTDIR, errno.EEXIST):
            raise StorageError(
                f"{path} cannot be written", "make it writable or choose another place with --data-dir"
            ) from None
        raise StorageError(f"{path} cannot be written ({error.strerror})", "check the disk") from None


def write_text(path: Path, parts: Iterable[str]) -> None:
    """Writes a text, whole or in parts, so that its file appears whole or not at all; raises StorageError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with storage_errors(path):
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.writelines([parts] if isinstance(parts, str) else parts)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
