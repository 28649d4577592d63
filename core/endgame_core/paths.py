"""Every path of a user's files in one place, the settings, and how files are written: whole or not at all."""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Final

import platformdirs

from endgame_core.errors import EndgameError, StorageError
from endgame_core.untrusted import file_named, quoted

APP = "endgame-tui"
HOME_VARIABLE = "ENDGAME_TUI_HOME"
SYZYGY_VARIABLE = "SYZYGY_PATH"

_KERNELS = "NUMBA_CACHE_DIR"
_COMPILED = ("kernels.py", "geometry.py", "index.py", "values.py")
"""Modules beside those with an underscore whose code is compiled, or goes into what is."""


def data_dir() -> Path:
    """The user data directory; ``ENDGAME_TUI_HOME`` overrides it."""
    return _override() or platformdirs.user_data_path(APP)


def directory(path: Path) -> Path:
    """A path where a directory is or can be; raises StorageError where a file stands."""
    for part in (path, *path.parents):
        if part.exists() and not part.is_dir():
            raise StorageError(f"{part} is a file", "name a directory")
    return path


def _override() -> Path | None:
    override = os.environ.get(HOME_VARIABLE)
    try:
        return Path(override).expanduser() if override else None
    except RuntimeError:
        raise EndgameError(f"{HOME_VARIABLE}={override} names no home directory", "write a full path") from None


def _below(name: str, root: Path | None = None) -> Path:
    """What has this name in ``root``, or in the user data directory."""
    return (root or data_dir()) / name


tables_dir = partial(_below, "tables")
"""Where tables are kept."""
exports_dir = partial(_below, "exports")
"""Where a locked program writes what is exported."""
games_dir = partial(_below, "games")
"""Where games are saved."""
studies_dir = partial(_below, "studies")
"""Where the user's own studies are kept."""
journal_file = partial(_below, "journal.sqlite3")
"""Where attempts, cards and ratings are kept."""
settings_file = partial(_below, "settings.toml")
"""The user's settings."""
memory_file = partial(_below, "memory.json")
"""What is remembered from one run to the next."""


def shared_tables(directory: Path) -> Path:
    """The directory of tables that somebody shares: a data directory has one of its own, else it is the one.

    Raises:
        EndgameError: There is no such directory.
    """
    result = directory.expanduser()
    result = next((path for path in (tables_dir(result), result) if path.is_dir()), None)
    if result is None:
        raise EndgameError(f"there is no directory {directory} with tables", "name the data directory that has them")
    return result.absolute()


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """What a run may use beside its data directory.

    Attributes:
        tables: Directories of tables that others keep, which are only read.
        locked: Whether nothing else outside the data directory may be used: no file, no directory and no program that
            the user or the settings name.
    """

    tables: tuple[Path, ...] = ()
    locked: bool = False

    def file(self, text: str, root: Path) -> Path:
        """The file that somebody has typed; where the program is locked, one among the exports or the saved games.

        Args:
            text: What was typed; ``~`` is a home directory.
            root: The data directory.

        Raises:
            StorageError: No file can be called so, or the program is locked and must not reach it.
        """
        path = file_named(text)
        if not self.locked:
            return path
        rooms = [exports_dir(root).resolve(), games_dir(root).resolve()]
        result = (rooms[0] / path).resolve()
        if not any(result.is_relative_to(room) for room in rooms):
            raise self.refusal(text, "type a name alone: it is kept in exports")
        with suppress(OSError):  # writing there will tell
            rooms[0].mkdir(parents=True, exist_ok=True)
        return result

    def refusal(self, text: str, then: str) -> StorageError:
        """Why a file or a directory cannot be used where the program is locked."""
        return StorageError(f"locked: {quoted(text)} is outside the data directory", then)


FREE: Final = AccessPolicy()
"""Nothing beside it, and nothing forbidden."""


def cache_dir() -> Path:
    """The user cache directory; below ``ENDGAME_TUI_HOME`` when that is set."""
    override = _override()
    return override / "cache" if override else platformdirs.user_cache_path(APP)


def kernel_environment() -> dict[str, str]:
    """What to add to the environment before numba is imported: a place for kernels where the user may write.

    Raises:
        EndgameError: There is no numba; platforms for which it is not made are installed without.
    """
    if find_spec("numba") is None:
        raise EndgameError(
            "the solver is compiled by numba, which is not installed",
            "run: pip install numba; where there is none for your machine, copy tables built on another",
        )
    return {_KERNELS: str(_kernels())}


def prepare_kernels() -> None:
    """Set what numba reads when it is imported, in a process that may need it; nothing where there is no numba."""
    if find_spec("numba") is not None:
        os.environ.update(kernel_environment())


def kernel_mark(name: str) -> Path:
    """The file that stands for kernels of this name, as they are now, having been compiled on this machine."""
    return _kernels() / f"{name}-{_sources()}-{sys.implementation.cache_tag}.compiled"


def _kernels() -> Path:
    """The directory of compiled kernels: what ``NUMBA_CACHE_DIR`` names, or one of the user's cache."""
    configured = os.environ.get(_KERNELS)
    if configured:
        return _writable(Path(configured), "kernels")
    return _writable(cache_dir() / "kernels" / _sources(), "kernels")


def surveys_dir() -> Path:
    """Where surveys of tables go whose own directory is read-only."""
    return _writable(cache_dir() / "surveys", "surveys")


def check_writable(directory: Path) -> None:
    """Create a directory where there is none, and a file in it for a moment; raises OSError.

    Permissions do not tell whether this works: a file system may be read-only for everybody.
    """
    directory.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=directory).close()


def is_writable(directory: Path) -> bool:
    """Whether files can be created in a directory, which is created where there is none."""
    try:
        check_writable(directory)
    except OSError:
        return False
    return True


def _writable(directory: Path, purpose: str) -> Path:
    """The directory, or one of the user's own among temporary files where it is read-only.

    Raises:
        StorageError: Temporary files cannot be written either.
    """
    if is_writable(directory):
        return directory
    name = hashlib.blake2b(os.fsencode(directory), digest_size=8).hexdigest()
    try:
        return _temporary(Path(tempfile.gettempdir()) / f"{APP}-{purpose}-{os.getuid()}-{name}")
    except OSError:
        raise StorageError(
            f"neither {directory} nor a temporary directory can be written", "set TMPDIR to a directory of yours"
        ) from None


def stamp() -> str:
    """Which program this is: its version, and a fingerprint of all that is compiled; other tables come of no other."""
    from importlib import metadata

    try:
        version = metadata.version(APP)
    except metadata.PackageNotFoundError:  # it runs where it has been checked out
        version = "of a checkout"
    return f"{APP} {version} ({_sources()})"


@cache
def _sources() -> str:
    """A fingerprint of all that is compiled: numba itself looks at the file of the called kernel alone."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        if path.name.startswith("_") or path.name in _COMPILED:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _temporary(directory: Path) -> Path:
    """This directory among temporary files if it is the user's own, for what lies in it is run; else a new one."""
    with suppress(OSError):
        directory.mkdir(0o700, exist_ok=True)
        if directory.lstat().st_uid == os.getuid() and is_writable(directory):
            return directory
    return _new_temporary(directory)


@cache
def _new_temporary(directory: Path) -> Path:
    """A new directory beside one that somebody else has; the same for the whole run."""
    return Path(tempfile.mkdtemp(prefix=directory.name, dir=directory.parent))


def shipped(name: str) -> Path:
    """A file or directory that is shipped with the program."""
    import endgame_data

    return Path(endgame_data.__file__).parent / name


def starter_dir() -> Path:
    """The tables that are shipped, so that the first launch shows a board at once."""
    return shipped("starter")


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
                f"{path} cannot be written",
                "make it writable or choose another place; --data-dir names one for all files",
            ) from None
        advice = {errno.ENAMETOOLONG: "choose a shorter name", errno.ENOENT: "choose a directory that is there"}
        then = advice.get(error.errno or 0, "check the disk")
        raise StorageError(f"{path} cannot be written ({error.strerror})", then) from None


def new_file(path: Path, force: bool = False, then: str = "choose another name, or add --force") -> Path:
    """The path of a file that may be written: nothing stands there, or ``force`` says to replace it.

    Raises:
        StorageError: Something does, or one cannot tell; ``then`` says what to do.
    """
    with storage_errors(path):
        if path.is_dir():
            raise StorageError(f"{path} is a directory", "name a file")
        if path.exists() and not force:
            raise StorageError(f"{path} is there already", then)
    return path


@contextmanager
def whole(path: Path, check: Callable[[Path], None] | None = None) -> Generator[BinaryIO]:
    """Opens a file for writing that appears whole, and on the disk, or not at all; raises OSError.

    Args:
        path: The file.
        check: Called with the finished file before it gets its name; what this raises prevents that.
    """
    with temporary_file(path, "part") as (temporary, file):
        yield file
        file.flush()
        os.fsync(file.fileno())
        if sys.platform == "win32":  # an open file cannot be renamed there
            file.close()
        if check is not None:
            check(temporary)
        temporary.replace(path)
    with suppress(OSError):
        sync_directory(path.parent)


@contextmanager
def temporary_file(path: Path, suffix: str) -> Generator[tuple[Path, BinaryIO]]:
    """Opens ``.NAME.PID.SUFFIX`` beside a path, and deletes it in the end; raises OSError.

    What processes left there that were killed is deleted first. The file is locked as long as it is open, so that
    others can tell that somebody still writes it.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{suffix}")
    _sweep(path, suffix)
    try:
        with temporary.open("w+b") as file:
            _lock(file)
            yield temporary, file
    finally:
        temporary.unlink(missing_ok=True)


def _lock(file: BinaryIO) -> bool | None:
    """Lock an open file until it is closed or its process ends.

    Returns:
        Whether it is locked now, False where another process holds the lock; None where files cannot be locked.
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in (errno.EAGAIN, errno.EACCES) else None
    return True


_JUST_CREATED: Final = 60.0
"""Seconds in which a new temporary file may not have been locked yet."""


def _sweep(path: Path, suffix: str) -> None:
    """Delete temporary files for this path that nobody writes any more.

    A file is abandoned if nobody holds its lock. Its process number alone does not tell: another process may have got
    the number since, as in containers, where most programs have number 1.
    """
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.{suffix}"):
        pid = leftover.name.removeprefix(f".{path.name}.").removesuffix(f".{suffix}")
        if not pid.isdecimal() or not leftover.is_file():
            continue
        alive = is_alive(int(pid))
        with suppress(OSError), leftover.open("r+b") as file:
            if alive and time.time() - os.fstat(file.fileno()).st_mtime < _JUST_CREATED:
                continue
            locked = _lock(file)
            if locked or (locked is None and not alive):
                leftover.unlink()


def is_alive(pid: int) -> bool:
    """Whether a process of this machine has this number; True where the system cannot be asked."""
    if sys.platform == "win32":  # there signal 0 is Ctrl-C
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's
        return True
    return True


def sync_directory(directory: Path) -> None:
    """That files stand there is on disk when this returns; raises OSError where a system does not do that."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_text(path: Path, text: Iterable[str]) -> None:
    """Writes a text file, at once or line by line, whole or not at all; raises StorageError."""
    with storage_errors(path), whole(path) as file:
        file.writelines(part.encode() for part in ([text] if isinstance(text, str) else text))
