"""Every path of a user's files, in one place, and how files are written: whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import platformdirs

from endgame_core.errors import EndgameError, StorageError

APP = "endgame-tui"
HOME_VARIABLE = "ENDGAME_TUI_HOME"


def data_dir() -> Path:
    """The user data directory; ``ENDGAME_TUI_HOME`` overrides it."""
    return _override() or platformdirs.user_data_path(APP)


def _override() -> Path | None:
    override = os.environ.get(HOME_VARIABLE)
    try:
        return Path(override).expanduser() if override else None
    except RuntimeError:
        raise EndgameError(f"{HOME_VARIABLE}={override} names no home directory", "write a full path") from None


def tables_dir(root: Path | None = None) -> Path:
    """Where tables are kept, below ``root`` or the user data directory."""
    return (root or data_dir()) / "tables"


def settings_file(root: Path | None = None) -> Path:
    """The user's settings (TOML), below ``root`` or the user data directory."""
    return (root or data_dir()) / "settings.toml"


def journal_file(root: Path | None = None) -> Path:
    """Where attempts, cards and ratings are kept, below ``root`` or the user data directory."""
    return (root or data_dir()) / "journal.sqlite3"


def studies_dir(root: Path | None = None) -> Path:
    """Where the user's own studies are kept, below ``root`` or the user data directory."""
    return (root or data_dir()) / "studies"


def cache_dir() -> Path:
    """The user cache directory; below ``ENDGAME_TUI_HOME`` when that is set."""
    override = _override()
    return override / "cache" if override else platformdirs.user_cache_path(APP)


def kernel_cache_dir() -> Path:
    """Where compiled kernels are kept (``NUMBA_CACHE_DIR`` of the building process)."""
    return cache_dir() / "kernels"


def _shipped(name: str) -> Path:
    import endgame_data

    return Path(endgame_data.__file__).parent / name


def costs_file() -> Path:
    """The shipped figures of what every ending costs to build."""
    return _shipped("costs.json")


def positions_file() -> Path:
    """The shipped numbers of canonical positions of all chess endings."""
    return _shipped("positions.json")


def dtz_sizes_file() -> Path:
    """The shipped sizes of all tables by DTZ."""
    return _shipped("dtz_sizes.json")


def themes_file() -> Path:
    """The shipped groups of themes to practise."""
    return _shipped("themes.json")


def starter_dir() -> Path:
    """The tables that are shipped, so that the first launch shows a board at once."""
    return _shipped("starter")


def curated_dir() -> Path:
    """The studies that are shipped."""
    return _shipped("studies")


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


@contextmanager
def whole(path: Path) -> Generator[BinaryIO]:
    """Opens a file for writing that appears whole, and on the disk, or not at all; raises OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    with suppress(OSError):  # not every system writes a directory at once
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_text(path: Path, text: Iterable[str]) -> None:
    """Writes a text file, at once or line by line, whole or not at all; raises StorageError."""
    with storage_errors(path), whole(path) as file:
        file.writelines(part.encode() for part in ([text] if isinstance(text, str) else text))
