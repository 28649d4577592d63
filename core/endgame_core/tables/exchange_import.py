"""Reads a layers archive back into a table, trusting nothing that it says.

The description is checked field by field, and every length against it, before anything is allocated; every key must be
that of a legal canonical position, in order, in one layer only; what the layers claim is then held against the rules by
:mod:`.exchange_check`. The table is written last, so a refused archive leaves the library as it was.
"""

from __future__ import annotations

import errno
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from endgame_core.errors import EndgameError, StorageError
from endgame_core.game import Game, Solved
from endgame_core.tables.exchange import CHUNK, DESCRIPTION, Description, Layer, Report, need, silent, wrong
from endgame_core.tables.exchange_check import Check, check_needs
from endgame_core.tables.explorer import WINNERS
from endgame_core.tables.kernels.cache import environment
from endgame_core.tables.library import Library
from endgame_core.values import DRAW, value_of

_LARGEST_DESCRIPTION = 1 << 20


@contextmanager
def _opened(path: Path) -> Generator[tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo], Any]]:
    """Opens an archive: itself, its members by name, its description as it was found.

    Whatever is wrong with the file comes out as an ArchiveError or StorageError.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(path.name, archive)
            yield archive, members, _described(path.name, archive, members.pop(DESCRIPTION, None))
    except FileNotFoundError:
        raise StorageError(f"there is no file {path}", "check the name") from None
    except zipfile.BadZipFile as error:
        detail = str(error).rstrip(".")
        more = "" if detail == "File is not a zip file" else f" ({detail})"
        raise wrong(path.name, f"it is no whole zip file{more}") from None
    except (zlib.error, EOFError, NotImplementedError, UnicodeDecodeError, struct.error) as error:
        raise wrong(path.name, f"it cannot be unpacked ({str(error).rstrip('.') or 'it ends early'})") from None
    except OSError as error:
        if error.errno == errno.EINVAL:  # a directory of the zip file that points before its beginning
            raise wrong(path.name, "it is no whole zip file") from None
        raise StorageError(f"{path} cannot be read ({error.strerror or error})", "check the file") from None


def _members(name: str, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members by name; the two folders, which other programs write, are left out."""
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        need(name, info.filename not in found, f"it holds {info.filename!r} twice")
        is_plain = not info.flag_bits & 1 and info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        need(name, is_plain, f"{info.filename!r} is encrypted or packed by a method other than deflate")
        if info.file_size or info.filename not in [f"{winner}/" for winner in WINNERS]:
            found[info.filename] = info
    return found


def _described(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo | None) -> Any:
    if info is None:
        raise wrong(name, f"it holds no {DESCRIPTION}")
    need(name, info.file_size <= _LARGEST_DESCRIPTION, f"its {DESCRIPTION} is {info.file_size} bytes long")
    with archive.open(info) as member:
        text = member.read(_LARGEST_DESCRIPTION)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise wrong(name, f"its {DESCRIPTION} is no JSON") from None


def game_of(path: Path) -> str:
    """The game that an archive is of, as it says itself; empty where it says none.

    Raises:
        ArchiveError: It is damaged so far that it cannot tell.
        StorageError: The file cannot be read.
    """
    with _opened(path) as (_, _, found):
        named = cast("dict[str, Any]", found).get("game") if isinstance(found, dict) else None
        return named if isinstance(named, str) else ""


class _Reading:
    """The layers of one archive on their way into codes.

    Args:
        name: The archive's name, for errors.
        game: The game.
        described: Its sound description.
        report: Told of progress.

    Attributes:
        codes: uint8 array of shape (2, slots): what the layers say, everything else a draw.
    """

    def __init__(self, name: str, game: Game[Any, Any], described: Description, report: Report) -> None:
        import numpy as np

        self.name = name
        self.game = game
        self.described = described
        self.report = report
        self.arrays = game.index.arrays()
        self.codes = np.full((2, game.index.slots(described.ending)), DRAW, np.uint8)

    def _position(self, side: int, slot: int) -> str:
        """A slot's position in words."""
        return self.game.format(self.game.index.position_at(self.described.ending, side, slot))

    def read(self, archive: zipfile.ZipFile) -> None:
        """Reads all layers; raises ArchiveError for a key that is out of place."""
        total = sum(layer.positions for layer in self.described.layers)
        done = 0
        for layer in self.described.layers:
            self.report("reading", done, total)
            self._layer(archive, layer)
            done += layer.positions

    def _layer(self, archive: zipfile.ZipFile, layer: Layer) -> None:
        import numpy as np

        last = -1
        key = self.described.example[1] if self.described.example and self.described.example[0] == layer else None
        with archive.open(layer.file) as member:
            for start in range(0, layer.positions, CHUNK):
                length = 8 * min(CHUNK, layer.positions - start)
                data = member.read(length)
                if len(data) != length:
                    raise EOFError
                keys = np.frombuffer(data, "<u8")
                is_sorted = int(keys[0]) > last and bool((keys[1:] > keys[:-1]).all())
                need(self.name, is_sorted, f"the keys of {layer.file} are not in ascending order")
                last = int(keys[-1])
                if key is not None and bool((keys == key).any()):
                    key = None
                self._place(layer, keys)
            member.read(1)  # past the end: now the checksum is compared
        need(self.name, key is None, f"the key of its example is not in {layer.file}")

    def _place(self, layer: Layer, keys: Any) -> None:
        """Puts one layer's code into the slots of its keys."""
        part = layer.part
        sides, slots = self.arrays.slots_of_keys(self.described.ending, keys)
        bad = (slots < 0) | (sides != part.side)
        if bad.any():
            at = int(bad.argmax())
            what = "is no key of a listed position" if slots[at] < 0 else "has the wrong side to move"
            raise wrong(self.name, f"{int(keys[at])} in {layer.file} {what}")
        taken = self.codes[part.side, slots] != DRAW
        if taken.any():
            slot = int(slots[int(taken.argmax())])
            n = value_of(int(self.codes[part.side, slot]))[1]
            raise wrong(self.name, f"{self._position(part.side, slot)} is in S{n} and again in {layer.file}")
        self.codes[part.side, slots] = part.code

    def settle(self) -> tuple[Solved, Any]:
        """Counts the positions.

        Returns:
            What can be written as a table; and positions per side, chunk of slots and code, an int64 array.

        Raises:
            ArchiveError: A listed position is not legal or not canonical, or the draws are not as many as described.
        """
        import numpy as np

        slots = self.codes.shape[1]
        tally = np.zeros((2, -(-slots // CHUNK), 256), np.int64)
        kept = np.zeros((2, slots // 64), np.uint64)
        boards = np.zeros((2, 256), np.int64)
        most = 0
        for side in range(2):
            for start in range(0, slots, CHUNK):
                self.report("counting", side * slots + start, 2 * slots)
                part = self.codes[side, start : start + CHUNK]
                copies = self.arrays.copies(self.described.ending, side, start, len(part))
                bad = (part != DRAW) & (copies == 0)
                if bad.any():
                    at = int(bad.argmax())
                    n, where = value_of(int(part[at]))[1], self._position(side, start + at)
                    raise wrong(self.name, f"S{n} lists {where}, which is impossible or a mirror copy")
                most = max(most, int(copies.max()))
                tally[side, start // CHUNK] = np.bincount(part[copies > 0], minlength=256)
                boards[side] += np.bincount(part, weights=copies, minlength=256).astype(np.int64)
                bits = np.packbits(copies > 0, bitorder="little").view(np.uint64)
                kept[side, start // 64 : start // 64 + len(bits)] = bits
        canonical = tally.sum(axis=1)
        for mover, told, drawn in zip(WINNERS, self.described.draws, canonical[:, DRAW].tolist(), strict=True):
            what = f"{drawn} positions with {mover} to move are in no layer, and it counts {told} draws"
            need(self.name, drawn == told, what)
        return Solved(self.codes, kept, most, most * canonical - boards), tally


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did.

    Attributes:
        ending: The ending.
        layers: Layers read.
        positions: Positions that they hold and draws: every key of them was checked.
        compared: Those whose value was derived again, one ply deep: nearly all of them in endings of up to four men.
        sampled: Those of every layer, at random, for which the game's own rules did the same one by one.
        ends: In larger endings, positions that were compared to make sure of layer 0.
        size: Bytes of the table.
    """

    ending: str
    layers: int
    positions: int
    compared: int
    sampled: int
    ends: int
    size: int


def import_archive(
    library: Library,
    path: Path,
    *,
    force: bool = False,
    samples: int | None = None,
    seed: int | None = None,
    report: Report = silent,
) -> Imported:
    """Makes a table from a layers archive, or says what is wrong with it.

    Args:
        library: Where the table goes; its sub-endings tell the values after captures.
        path: The archive.
        force: Replace a table that is there already; the old one stays unless the import succeeds.
        samples: Positions of every layer, and of each side's draws, to derive again one by one; by default 2 000, or
            20 where all are derived together.
        seed: Makes their choice repeatable.
        report: Told of progress.

    Raises:
        ArchiveError: The archive is damaged, contradicts itself, or breaks the rules.
        NotBuiltError: Sub-endings must be built first.
        EndingError: This version has no tables of the ending.
        StorageError: The table is there already, the file cannot be read, or the table cannot be written.
        BusyError: A build is at work in the same data directory.
    """
    os.environ.update(environment())  # before numba, which packs the table, is imported

    with _opened(path) as (archive, members, found):
        described = Description.read(path.name, library.game, found)
        _check_members(path.name, members, described)
        ending = described.ending
        if library.is_built(ending) and not force:
            raise StorageError(f"{ending} is there already", "add --force to replace it")
        check_needs(library, ending)
        try:
            reading = _Reading(path.name, library.game, described, report)
            reading.read(archive)
            solved, tally = reading.settle()
        except MemoryError:
            raise EndgameError(f"there is not enough memory for {ending}", "close other programs") from None
    check = Check(library, path.name, ending, solved, tally, report)
    compared, ends = (check.everything(seed), 0) if check.whole else (0, check.ends(seed))
    if samples is None:
        samples = 20 if check.whole else 2000
    sampled = check.samples(samples, seed)
    report("writing", 0, 1)
    with library.locked():
        size = library.write(ending, solved)
    return Imported(ending, len(described.layers), int(tally.sum()), compared, sampled, ends, size)


def _check_members(name: str, members: dict[str, zipfile.ZipInfo], described: Description) -> None:
    """Holds the names and sizes of all members against the description."""
    for layer in described.layers:
        need(name, layer.file in members, f"{layer.file} is missing")
        size = members.pop(layer.file).file_size
        what = f"{layer.file} has {size} bytes, but {layer.positions} positions take 8 each"
        need(name, size == 8 * layer.positions, what)
    for odd in sorted(members):
        need(name, False, f"it holds {odd!r}, which the description does not name")
