"""Reads a layers archive back into a table, trusting nothing that it says.

The description is checked field by field, and every length against it, before anything is allocated; every key must be
that of a legal canonical position, in order, in one layer only; what the layers claim is then held against the rules by
:mod:`endgame_core.tables.archive_check`. The table is written last, so a refused archive leaves the library as it was.
"""

from __future__ import annotations

import errno
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from endgame_core.errors import EndgameError, StorageError
from endgame_core.game import Game, Solved
from endgame_core.tables.archive import CHUNK, LayerFile
from endgame_core.tables.archive_description import Description, game_named, read_description, wrong
from endgame_core.tables.explorer import WINNERS
from endgame_core.tables.kernels.cache import environment
from endgame_core.tables.library import Library
from endgame_core.values import DRAW, value_of

Report = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much."""


@contextmanager
def opened(path: Path) -> Generator[zipfile.ZipFile]:
    """Opens an archive; whatever is wrong with the file comes out as an ArchiveError or StorageError."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
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


def game_of(path: Path) -> str:
    """The game that an archive is of, as it says itself; empty where it says none.

    Raises:
        ArchiveError: It is damaged so far that it cannot tell.
        StorageError: The file cannot be read.
    """
    with opened(path) as archive:
        return game_named(path, archive)


class Reading:
    """The layers of one archive on their way into codes.

    Args:
        path: The archive's file, for its name.
        game: The game.
        described: Its sound description.

    Attributes:
        codes: uint8 array of shape (2, slots): what the layers say, everything else a draw.
    """

    def __init__(self, path: Path, game: Game[Any, Any], described: Description) -> None:
        import numpy as np

        self.name = path.name
        self.game = game
        self.described = described
        self.arrays = game.arrays()
        self.codes = np.full((2, game.slots(described.ending)), DRAW, np.uint8)

    def position(self, side: int, slot: int) -> str:
        """A slot's position in words."""
        return self.game.format(self.game.position_at(self.described.ending, side, slot))

    def read(self, archive: zipfile.ZipFile, report: Report) -> None:
        """Reads all layers; raises ArchiveError for a key that is out of place."""
        total = sum(layer.positions for layer in self.described.layers)
        done = 0
        for layer in self.described.layers:
            report("reading", done, total)
            self._layer(archive, layer)
            done += layer.positions

    def _layer(self, archive: zipfile.ZipFile, layer: LayerFile) -> None:
        import numpy as np

        last = -1
        example = self.described.example
        missing = example is not None and example[0] == layer.file
        with archive.open(layer.file) as member:
            for start in range(0, layer.positions, CHUNK):
                keys = np.frombuffer(_exactly(member, 8 * min(CHUNK, layer.positions - start)), "<u8")
                if int(keys[0]) <= last or not bool((keys[1:] > keys[:-1]).all()):
                    raise wrong(self.name, f"the keys of {layer.file} are not in ascending order")
                last = int(keys[-1])
                missing = missing and example is not None and not bool((keys == example[1]).any())
                self._place(layer, keys)
            member.read(1)  # past the end: now the checksum is compared
        if missing:
            raise wrong(self.name, f"the key of its example is not in {layer.file}")

    def _place(self, layer: LayerFile, keys: Any) -> None:
        """Puts one layer's code into the slots of its keys."""
        side, code = layer.place
        sides, slots = self.arrays.slots_of_keys(self.described.ending, keys)
        bad = (slots < 0) | (sides != side)
        if bad.any():
            at = int(bad.argmax())
            what = "is no key of a listed position" if slots[at] < 0 else "has the wrong side to move"
            raise wrong(self.name, f"{int(keys[at])} in {layer.file} {what}")
        taken = self.codes[side, slots] != DRAW
        if taken.any():
            slot = int(slots[int(taken.argmax())])
            n = value_of(int(self.codes[side, slot]))[1]
            raise wrong(self.name, f"{self.position(side, slot)} is in S{n} and again in {layer.file}")
        self.codes[side, slots] = code

    def settle(self, report: Report) -> tuple[Solved, Any]:
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
                report("counting", side * slots + start, 2 * slots)
                part = self.codes[side, start : start + CHUNK]
                copies = self.arrays.copies(self.described.ending, side, start, len(part))
                self._check_listed(side, start, part, copies)
                most = max(most, int(copies.max()))
                tally[side, start // CHUNK] = np.bincount(part[copies > 0], minlength=256)
                boards[side] += np.bincount(part, weights=copies, minlength=256).astype(np.int64)
                bits = np.packbits(copies > 0, bitorder="little").view(np.uint64)
                kept[side, start // 64 : start // 64 + len(bits)] = bits
        canonical = tally.sum(axis=1)
        for side in range(2):
            if (drawn := int(canonical[side, DRAW])) != self.described.draws[side]:
                mover = WINNERS[side]
                raise wrong(
                    self.name, f"{drawn} positions with {mover} to move are in no layer, and it counts "
                    f"{self.described.draws[side]} draws",
                )  # fmt: skip
        missing = most * canonical - boards
        return Solved(self.codes, kept, most, missing), tally

    def _check_listed(self, side: int, start: int, part: Any, copies: Any) -> None:
        bad = (part != DRAW) & (copies == 0)
        if bad.any():
            at = int(bad.argmax())
            n = value_of(int(part[at]))[1]
            raise wrong(
                self.name, f"S{n} lists {self.position(side, start + at)}, which is impossible or a mirror copy"
            )


def _exactly(member: IO[bytes], length: int) -> bytes:
    """So many bytes of a member; raises EOFError when it has fewer."""
    parts: list[bytes] = []
    while length:
        part = member.read(length)
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


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
    report: Report = lambda what, done, total: None,
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
    from endgame_core.tables.archive_check import Check, check_needs

    os.environ.update(environment())  # before numba, which packs the table, is imported

    with opened(path) as archive:
        described = read_description(path, archive, library.game)
        ending = described.ending
        if library.is_built(ending) and not force:
            raise StorageError(f"{ending} is there already", "add --force to replace it")
        check_needs(library, ending)
        try:
            reading = Reading(path, library.game, described)
            reading.read(archive, report)
            solved, tally = reading.settle(report)
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
    positions = int(tally.sum())
    return Imported(ending, len(described.layers), positions, compared, sampled, ends, size)
