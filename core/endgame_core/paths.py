"""All paths of a user's files in one place, and atomic writes: a file appears as a whole or not at all."""

from __future__ import annotations

import errno
import glob
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

from endgame_core.errors import EndgameError, StorageError, system_reason
from endgame_core.language import _
from endgame_core.system import is_own, lock_file, process_is_alive, sync_directory, user_id
from endgame_core.untrusted import file_named, quoted

APP = "endgame-tui"
HOME_VARIABLE = "ENDGAME_TUI_HOME"
SYZYGY_VARIABLE = "SYZYGY_PATH"
GAVIOTA_VARIABLE = "GAVIOTA_PATH"

_KERNELS_VARIABLE = "NUMBA_CACHE_DIR"
_COMPILED_MODULES = ("kernels.py", "geometry.py", "index.py", "values.py")
"""Modules that are compiled, or whose constants are, besides those whose names begin with ``_kernels``."""


def data_dir() -> Path:
    """The user data directory; ``ENDGAME_TUI_HOME`` overrides it."""
    override = _override()
    if override is not None:
        return override
    from platformdirs import user_data_path

    return user_data_path(APP)


def directory(path: Path) -> Path:
    """Return the path if a directory is there or can be created; raises StorageError if a file is in the way."""
    for part in (path, *path.parents):
        if part.exists() and not part.is_dir():
            raise StorageError(_("{part} is a file").format(part=part), _("name a directory"))
    return path


def _override() -> Path | None:
    """The directory that ``ENDGAME_TUI_HOME`` names, if it is set."""
    override = os.environ.get(HOME_VARIABLE)
    try:
        if override:
            return Path(override).expanduser()
        return None
    except RuntimeError:
        raise EndgameError(
            _("the home directory in {home_variable}={override} does not exist").format(
                home_variable=HOME_VARIABLE, override=override
            ),
            _("give a full path"),
        ) from None


def _below(name: str, root: Path | None = None) -> Path:
    """The path of this name in the data directory ``root``; in the user's by default."""
    return (root or data_dir()) / name


tables_dir = partial(_below, "tables")
"""The directory of tables."""
exports_dir = partial(_below, "exports")
"""The directory of exports when file access is locked."""
games_dir = partial(_below, "games")
"""The directory of saved games."""
studies_dir = partial(_below, "studies")
"""The directory of the user's own studies."""
journal_file = partial(_below, "journal.sqlite3")
"""The database of attempts, cards and ratings."""
settings_file = partial(_below, "settings.toml")
"""The user's settings."""
pace_file = partial(_below, "pace.json")
"""How fast earlier builds were."""
memory_file = partial(_below, "memory.json")
"""The state that is restored in the next run."""


def shared_tables(directory: Path) -> Path:
    """The directory of shared tables: ``tables`` in a data directory, else the directory itself.

    Raises:
        EndgameError: There is no such directory.
    """
    root = directory.expanduser()
    for path in (tables_dir(root), root):
        if path.is_dir():
            return path.absolute()
    raise EndgameError(
        _("the table directory {directory} does not exist").format(directory=directory),
        _("name a data directory that contains tables"),
    )


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """The files and programs that a run may access besides its data directory.

    Attributes:
        tables: Directories of shared tables, which are only read.
        locked: Whether all else outside the data directory is forbidden: any file, directory or program that the user
            or the settings name.
    """

    tables: tuple[Path, ...] = ()
    locked: bool = False

    def file(self, text: str, root: Path) -> Path:
        """The path of a file that the user has typed; if access is locked, it is among the exports or saved games.

        Args:
            text: The typed text; ``~`` is the home directory.
            root: The data directory.

        Raises:
            StorageError: It is no valid name of a file, or access to it is locked.
        """
        path = file_named(text)
        if not self.locked:
            return path
        exports = exports_dir(root).resolve()
        games = games_dir(root).resolve()
        # An absolute path replaces the folder; ``..`` and links are resolved before the comparison.
        result = (exports / path).resolve()
        if not result.is_relative_to(exports) and not result.is_relative_to(games):
            raise self.refusal(text, _("type only a file name; the file is saved in the exports folder"))
        with suppress(OSError):  # the error comes up again when the file is written
            exports.mkdir(parents=True, exist_ok=True)
        return result

    def refusal(self, text: str, advice: str) -> StorageError:
        """The error that access to a file or directory is locked."""
        return StorageError(_("locked: {text} is outside the data directory").format(text=quoted(text)), advice)


UNRESTRICTED: Final = AccessPolicy()
"""No shared tables, and everything is allowed."""


def cache_dir() -> Path:
    """The user cache directory; in ``ENDGAME_TUI_HOME`` if that is set."""
    override = _override()
    if override is None:
        return user_cache_dir()
    return override / "cache"


def user_cache_dir() -> Path:
    """The cache directory of the user, whatever ``ENDGAME_TUI_HOME`` is."""
    from platformdirs import user_cache_path

    return user_cache_path(APP)


def kernel_environment() -> dict[str, str]:
    """Environment variables to set before numba is imported: a directory for compiled kernels that can be written.

    Raises:
        EndgameError: numba is not installed; it is not available on all platforms.
    """
    if find_spec("numba") is None:
        raise EndgameError(
            _("the solver requires numba, which is not installed"),
            _("run: pip install numba; if it cannot be installed here, copy tables from a different machine"),
        )
    return {_KERNELS_VARIABLE: str(_kernels())}


def prepare_kernels() -> None:
    """Set numba's environment variables in a process that may import it; does nothing if numba is not installed."""
    if find_spec("numba") is not None:
        os.environ.update(kernel_environment())


def kernel_mark(name: str) -> Path:
    """The path of an empty file that exists once the current kernels of this name are compiled on this machine."""
    return _kernels() / f"{name}-{source_fingerprint()}-{sys.implementation.cache_tag}.compiled"


def are_kernels_ours() -> bool:
    """Whether the program chooses the directory of compiled kernels, not ``NUMBA_CACHE_DIR``."""
    return not os.environ.get(_KERNELS_VARIABLE)


def _kernels() -> Path:
    """The directory of compiled kernels: ``NUMBA_CACHE_DIR`` if it is set, else one in the user's cache.

    All data directories share it. If it cannot be written, it is in the cache of the data directory.
    """
    configured = os.environ.get(_KERNELS_VARIABLE)
    if configured:
        return _writable(Path(configured), "kernels")
    name = f"{source_fingerprint()}-{processor()}"
    shared, own = (cache / "kernels" / name for cache in (user_cache_dir(), cache_dir()))
    if shared != own and is_writable(shared):
        return shared
    return _writable(own, "kernels")


@cache
def processor() -> str:
    """A fingerprint of the processor; machines with different ones may share a home directory."""
    import platform
    from hashlib import blake2b

    facts = [platform.machine()]
    with suppress(OSError), Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        # Those of the first core, up to the blank line after it.
        for line in iter(lines.readline, "\n"):
            if not line:
                break
            if line.startswith(("model name", "flags", "Features")):
                facts.append(line)
    return blake2b("".join(facts).encode(), digest_size=4).hexdigest()


def surveys_dir() -> Path:
    """The directory for surveys of tables that are in read-only directories."""
    return _writable(cache_dir() / "surveys", "surveys")


def check_writable(directory: Path) -> None:
    """Create a directory if it does not exist, and a file in it for a moment; raises OSError.

    Permissions are not enough to know: a file system may be mounted read-only.
    """
    directory.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=directory).close()


def is_writable(directory: Path) -> bool:
    """Whether files can be created in a directory; it is created if it does not exist."""
    try:
        check_writable(directory)
    except OSError:
        return False
    return True


def _writable(directory: Path, purpose: str) -> Path:
    """Return the directory if it can be written, else a temporary directory of the user.

    Raises:
        StorageError: Temporary files cannot be written either.
    """
    if is_writable(directory):
        return directory
    from hashlib import blake2b

    name = blake2b(os.fsencode(directory), digest_size=8).hexdigest()
    try:
        return _temporary(Path(tempfile.gettempdir()) / f"{APP}-{purpose}-{user_id()}-{name}")
    except OSError:
        raise StorageError(
            _("neither {directory} nor a temporary directory is writable").format(directory=directory),
            _("set TMPDIR to a directory that you can write to"),
        ) from None


def stamp() -> str:
    """Version of the program, and a fingerprint of the compiled code; equal stamps build equal tables."""
    from importlib import metadata

    try:
        version = metadata.version(APP)
    except metadata.PackageNotFoundError:  # it runs from a checkout
        version = "of a checkout"
    return f"{APP} {version} ({source_fingerprint()})"


@cache
def source_fingerprint() -> str:
    """A fingerprint of all compiled modules: numba checks only the file of the called kernel for changes."""
    from hashlib import blake2b

    digest = blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        if path.name.startswith("_kernels") or path.name in _COMPILED_MODULES:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _temporary(directory: Path) -> Path:
    """Return a temporary directory if it belongs to the user, else a new one: code in it will be executed."""
    with suppress(OSError):
        directory.mkdir(0o700, exist_ok=True)
        if is_own(directory) and is_writable(directory):
            return directory
    return _new_temporary(directory)


@cache
def _new_temporary(directory: Path) -> Path:
    """A temporary directory in place of one that another user owns: that of an earlier run, else a new one."""
    prefix = f"{directory.name}-"
    for path in sorted(directory.parent.glob(f"{prefix}*")):
        if is_own(path) and is_writable(path):
            return path
    return Path(tempfile.mkdtemp(prefix=prefix, dir=directory.parent))


def shipped(name: str) -> Path:
    """A file or directory that is shipped with the program."""
    import endgame_data

    return Path(endgame_data.__file__).parent / name


def starter_dir() -> Path:
    """The directory of the shipped tables, with which the first launch shows a board at once."""
    return shipped("starter")


@contextmanager
def storage_errors(path: Path) -> Generator[None]:
    """Turn an OSError while writing ``path``, or in that directory, into a StorageError."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageError(
                _("the disk is full at {path}").format(path=path),
                _("free some space or use --data-dir; finished tables are kept"),
            ) from None
        if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM, errno.ENOTDIR, errno.EEXIST):
            raise StorageError(
                _("{path} cannot be written").format(path=path),
                _("make it writable or choose a different directory, e.g. with --data-dir"),
            ) from None
        advices = {errno.ENAMETOOLONG: _("choose a shorter name"), errno.ENOENT: _("choose an existing directory")}
        advice = advices.get(error.errno or 0, _("check the disk"))
        raise StorageError(
            _("{path} cannot be written ({reason})").format(path=path, reason=system_reason(error)), advice
        ) from None


def new_file(path: Path, force: bool = False, advice: str = _("choose a different name or add --force")) -> Path:
    """Return the path if a file can be written there.

    Args:
        path: The path.
        force: Whether an existing file may be replaced.
        advice: What to do if the file exists.

    Raises:
        StorageError: The file exists, a directory is there, or it cannot be known.
    """
    with storage_errors(path):
        if path.is_dir():
            raise StorageError(_("{path} is a directory").format(path=path), _("name a file"))
        if path.exists() and not force:
            raise StorageError(_("{path} already exists").format(path=path), advice)
    return path


@contextmanager
def atomic_write(path: Path, check: Callable[[Path], None] | None = None) -> Generator[BinaryIO]:
    """Open a file for writing that appears as a whole, and synced to disk, or not at all; raises OSError.

    Args:
        path: The file.
        check: Called with the finished file before it is renamed to ``path``; its exceptions prevent that.
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
    """Open ``.NAME.PID.SUFFIX`` next to a path, and delete it in the end; raises OSError.

    Files that killed processes have left there are deleted first. The file is locked as long as it is open, so that
    other processes know that it is still being written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{suffix}")
    _sweep(path, suffix)
    try:
        with temporary.open("w+b") as file:
            lock_file(file)
            yield temporary, file
    finally:
        temporary.unlink(missing_ok=True)


def target_of(temporary: Path) -> Path:
    """Return the path for which :func:`temporary_file` has opened a file."""
    return temporary.with_name(temporary.name.removeprefix(".").rsplit(".", 2)[0])


_JUST_CREATED: Final = 60.0
"""Seconds in which a new temporary file may not have been locked yet."""


def _sweep(path: Path, suffix: str) -> None:
    """Delete abandoned temporary files for this path.

    A file is abandoned if no process holds its lock. The process number in its name is not enough: another process
    may have got the number since, e.g. in containers, where most programs have number 1.
    """
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.{suffix}"):
        pid = leftover.name.removeprefix(f".{path.name}.").removesuffix(f".{suffix}")
        if not pid.isdecimal() or not leftover.is_file():
            continue
        is_running = process_is_alive(int(pid)) is not False
        with suppress(OSError), leftover.open("r+b") as file:
            if is_running and time.time() - os.fstat(file.fileno()).st_mtime < _JUST_CREATED:
                continue
            is_locked = lock_file(file)
            if is_locked or (is_locked is None and not is_running):
                leftover.unlink()


def write_text(path: Path, text: Iterable[str]) -> None:
    """Write a text file atomically, from one string or from its lines; raises StorageError."""
    parts = [text] if isinstance(text, str) else text
    with storage_errors(path), atomic_write(path) as file:
        file.writelines(part.encode() for part in parts)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file atomically; raises StorageError."""
    with storage_errors(path), atomic_write(path) as file:
        file.write(data)
