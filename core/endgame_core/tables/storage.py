"""Errors of the disk, in words."""

from __future__ import annotations

import errno
from collections.abc import Generator
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
