"""Syzygy files of the user: where they are, which there are, and whether they are whole.

A table of an ending is two files, win/draw/loss (``.rtbw``) and DTZ (``.rtbz``). A file begins with four bytes that
tell its kind, is a multiple of 64 bytes long, and is followed by a checksum of 16.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess.syzygy

from endgame_core import settings
from endgame_core.chess import material
from endgame_core.chess.syzygy.blocks import AGAIN, CHECKSUM, KINDS, opened
from endgame_core.errors import EndgameError, StorageError, TableError

VARIABLE = "SYZYGY_PATH"
"""The environment variable that names a directory of Syzygy files, as in other chess programs."""

_THEN = f"check --syzygy, ${VARIABLE} or the setting syzygy"
_CHUNK = 1 << 24
"""Bytes hashed at a time; the hashes are hashed again."""

_MOST_CHUNKS = 4
"""No file of five men is longer."""

_PADDED = 240
"""Bytes to which short data is padded before it is hashed."""


@dataclass(frozen=True, slots=True)
class SyzygyFile:
    """One file.

    Attributes:
        path: Where it is.
        size: Bytes.
    """

    path: Path
    size: int


@dataclass(frozen=True, slots=True)
class SyzygyTable:
    """What there is of one ending.

    Attributes:
        ending: Its name, as the files spell it.
        wdl: The win/draw/loss file, or None.
        dtz: The DTZ file, or None.
    """

    ending: str
    wdl: SyzygyFile | None
    dtz: SyzygyFile | None

    @property
    def files(self) -> list[SyzygyFile]:
        """The files that are there."""
        return [file for file in (self.wdl, self.dtz) if file is not None]

    @property
    def size(self) -> int:
        """Bytes of both files."""
        return sum(file.size for file in self.files)


def find_directories(given: str | None = None, root: Path | None = None) -> str | None:
    """The directories to use: ``given`` (``--syzygy``), else ``SYZYGY_PATH``, else the setting ``syzygy``.

    Args:
        given: Said for this once; an empty string says nothing.
        root: The data directory with the settings file; the user's own by default.

    Returns:
        A directory, or several as in PATH; None when nobody names one.

    Raises:
        EndgameError: The settings file cannot be read.
    """
    return given or os.environ.get(VARIABLE) or settings.text("syzygy", "/path/to/syzygy", root) or None


def usable(path: str | None, warn: Callable[[EndgameError], object]) -> str | None:
    """Those of some directories that have Syzygy files; ``warn`` is told what is the matter with the others.

    Args:
        path: A directory, or several as in PATH; None for none.
        warn: Called with each problem.
    """
    found: list[str] = []
    for name in filter(None, (path or "").split(os.pathsep)):
        try:
            tables_in(name)
        except EndgameError as problem:
            warn(problem)
        else:
            found.append(name)
    return os.pathsep.join(found) or None


def tables_in(path: str) -> list[SyzygyTable]:
    """The tables in some directories, fewest men first; of a file found twice, the first counts.

    Args:
        path: A directory, or several as in PATH.

    Raises:
        StorageError: A directory is missing or unreadable, or none has a Syzygy file.
    """
    found: dict[str, dict[str, SyzygyFile]] = {}
    for name in filter(None, path.split(os.pathsep)):
        for file in _files(name):
            if file.suffix in KINDS and chess.syzygy.is_tablename(file.stem) and file.is_file():
                kinds = found.setdefault(file.stem, {})
                kinds.setdefault(file.suffix, SyzygyFile(file, file.stat().st_size))
    if not found:
        raise StorageError(f"there is no Syzygy file (.rtbw, .rtbz) in {path}", _THEN)
    names = sorted(found, key=lambda name: (len(name), name))
    return [SyzygyTable(name, found[name].get(".rtbw"), found[name].get(".rtbz")) for name in names]


def missing(table: SyzygyTable, tables: Mapping[str, SyzygyTable]) -> list[str]:
    """What is not there and what it is needed for, a sentence each.

    Args:
        table: An ending.
        tables: All that there are, by the names of their endings.
    """
    ending = table.ending
    found: list[str] = []
    if table.wdl is None:
        found.append(f"{ending}.rtbw is not there: nothing can be told of {ending} without it.")
    if table.dtz is None:
        found.append(f"{ending}.rtbz is not there: DTZ of {ending} needs it.")
    for need in _needs(ending):
        other = tables.get(need)
        names = [
            f"{need}.{suffix}"
            for suffix, file in (("rtbw", other and other.wdl), ("rtbz", other and other.dtz))
            if file is None
        ]
        if names:
            are = "is" if len(names) == 1 else "are"
            change = "a capture" if material.men_count(need) < material.men_count(ending) else "a promotion"
            found.append(f"{' and '.join(names)} {are} not there: {ending} needs {need} after {change}.")
    return found


def _needs(ending: str) -> Sequence[str]:
    """The endings one capture or promotion away; none for more men than we know."""
    try:
        return material.needs(material.parse_material(ending)[0])
    except EndgameError:
        return ()


def _files(name: str) -> list[Path]:
    try:
        return sorted(Path(name).expanduser().iterdir())
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise StorageError(f"the Syzygy directory {name} cannot be read ({reason})", _THEN) from None


def check(file: SyzygyFile, progress: Callable[[float], None] | None = None) -> None:
    """Proves a file whole: its kind, its length, its structure, and the checksum at its end; imports numba.

    Args:
        file: The file.
        progress: Told the part done, 0 to 1, now and then; may raise to stop.

    Raises:
        TableError: It is not, and why.
    """
    path = file.path
    opened(path).close()
    size = path.stat().st_size - CHECKSUM
    if size > _MOST_CHUNKS * _CHUNK:
        raise TableError(f"{path.name} is too long to be checked", "files of up to five men are")
    found, stored = _checksum(path, size, progress or (lambda part: None))
    if found != stored:
        raise TableError(f"the checksum of {path.name} fails: {found.hex()}, {stored.hex()} stored", AGAIN)


def _checksum(path: Path, size: int, progress: Callable[[float], None]) -> tuple[bytes, bytes]:
    """The checksum that a file should end with, and the one it does."""
    from endgame_core.tables.kernels.cache import environment

    os.environ.update(environment())
    import numpy as np

    from endgame_core.chess.syzygy._kernels_cityhash import hash128, hash256

    hashes: list[bytes] = []
    with path.open("rb") as stream:
        for start in range(0, size, _CHUNK):
            data = stream.read(min(_CHUNK, size - start))
            length, seed = len(data), 0
            if length < _PADDED:
                data, length, seed = data.ljust(_PADDED, b"\0"), _PADDED, ~length & 0xFFFF_FFFF
            words = hash256(np.frombuffer(data, "<u8"), np.uint64(length), np.uint64(seed))
            hashes.append(words.astype("<u8").tobytes())
            progress(min(start + _CHUNK, size) / size)
        stored = stream.read()
    return hash128(np.frombuffer(b"".join(hashes), "<u8")).astype("<u8").tobytes(), stored
