"""The layers archive: every layer of an ending as a file of position keys, in a zip file for exchange.

``description.json`` says in plain words what the other members are: one file per layer and winner, such as
``white/S_007.keys``, of ascending little-endian uint64 keys. A position that is in no layer is a draw. The format is
told in ``docs/archive.md``.

An import trusts nothing that an archive says. The description is checked field by field, and every length against it,
before anything is allocated; every key must be that of a legal canonical position, in order, in one layer only; what
the layers claim is then held against the rules, every position one ply deep, or a sample where that would take hours.
The table is written last, so a refused archive leaves the library as it was.
"""

from __future__ import annotations

import errno
import io
import json
import os
import random
import shutil
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np

from endgame_core.errors import (
    ArchiveError,
    EndgameError,
    EndingError,
    NotBuiltError,
    PositionError,
    StorageError,
    TableError,
)
from endgame_core.game import (
    Arrays,
    Deriver,
    DigitFilter,
    Game,
    Part,
    Slot,
    SolvedEnding,
    derived_code,
    parity_part,
    position_code,
)
from endgame_core.paths import kernel_environment, new_file, prepare_kernels, storage_errors, whole
from endgame_core.tables import lean, mmap_arrays
from endgame_core.tables.build import memory_for
from endgame_core.tables.file import Table, fits, silent
from endgame_core.tables.library import Library, unmark
from endgame_core.tables.mmap_arrays import cores
from endgame_core.untrusted import open_regular, quoted, read_json, regular_handle
from endgame_core.values import BYTE_DRAW, CODES_OF_BYTES, DRAW, LAST_LAYER, WINNERS, Winner, byte_of, is_byte, value_of

_FORMAT = "endgame-tui layers"
_VERSION = 1
_DESCRIPTION = "description.json"
_LARGEST_DESCRIPTION = 1 << 20
_LARGEST_DIRECTORY = 1 << 18
"""Bytes that a zip file's list of members may have: some two thousand, where 512 are the most that we write."""

_CHUNK = 1 << 22
"""Slots, or keys, worked on at a time."""
_COPIED = 1 << 17
"""Slots whose symmetric copies are written at a time."""

_COMPRESSION = 1
"""zlib's level: higher ones take many times as long to save a tenth."""

MOST_SLOTS = 1 << 24
"""Slots of one side of the largest ending that is derived as a whole without compiled code, which takes minutes."""

_SAMPLES = 20
"""Positions of every layer, and of each side's draws, that the rules alone derive again one by one."""
_MANY_SAMPLES = 2000
"""The same of an ending that is not derived as a whole."""

_MOST_UNSURE = 2000
"""Positions that cannot be derived many at once, and are compared one by one."""

_GLANCES = 100
"""Positions of a large ending that are compared before anything is counted."""
_LEEWAY = 50
"""By what part of all positions an archive may be off before it is read: a game may not know its number exactly."""

_RANGE = 1 << 18
_INSTEAD = "nothing was imported; build the ending instead"
_AGAIN = "nothing was imported; copy the archive again, or export it again"

Report = Callable[[str, float], None]
"""Told what is being done, and which part of it is."""


def _anything(_: object) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class ArchiveLayer:
    """One layer of an archive.

    Attributes:
        winner: Who wins; White is the side named first.
        n: Plies to the end.
        positions: How many canonical positions it has.
    """

    winner: Winner
    n: int
    positions: int

    @property
    def file(self) -> str:
        """The member that holds its keys."""
        return f"{self.winner}/S_{self.n:03}.keys"

    @property
    def part(self) -> Part:
        """Side to move and code of its positions."""
        return parity_part("", WINNERS.index(self.winner), self.n)


@dataclass(frozen=True, slots=True)
class Description:
    """What an archive says of itself, once it has been found sound.

    Attributes:
        ending: The ending.
        layers: Its layers that hold positions, White's first.
        draws: Drawn positions per side to move.
        example: A layer and the key of a position in it; None when all is drawn.
        copies: Whether symmetric copies are listed, and counted, too.
    """

    ending: str
    layers: tuple[ArchiveLayer, ...]
    draws: tuple[int, int]
    example: tuple[ArchiveLayer, int] | None
    copies: bool = False

    @classmethod
    def of(cls, game: Game[Any, Any], table: Table, copies: bool = False) -> Description:
        """The description of a table; the example is the first position of the longest win."""
        count = table.boards if copies else table.canonical
        layers = tuple(
            ArchiveLayer(winner, n, positions)
            for winner in WINNERS
            for n in range(1 + max(value_of(code)[1] or 0 for code in {*table.used(0), *table.used(1)}))
            for part in [parity_part("", WINNERS.index(winner), n)]
            if (positions := count(part.side, part.code))
        )
        example = None
        if layers:
            layer = max((layer for layer in layers if layer.winner == layers[0].winner), key=lambda layer: layer.n)
            side, code = layer.part.side, layer.part.code
            position = game.index.position_at(table.ending, side, table.slot_with(side, code, 0))
            example = (layer, game.index.key(position))
        return cls(table.ending, layers, (count(0, DRAW), count(1, DRAW)), example, copies)

    def written(self, game: Game[Any, Any]) -> dict[str, Any]:
        """The description as an archive holds it."""
        example = None
        if self.example is not None:
            layer, key = self.example
            example = {"file": layer.file, "key": key, "position": game.format(game.index.from_key(self.ending, key))}
        order, listed = "ascending", "Of symmetric copies only one is listed."
        if self.copies:
            order, listed = "in no order", "All symmetric copies of a position are listed, one after the other."
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "game": game.name,
            "ending": self.ending,
            "title": game.title(self.ending),
            "rules": game.rules,
            "metric": game.metric,
            **({"copies": True} if self.copies else {}),
            "men": list(game.men(self.ending)),
            "reading": [
                f"Each file holds the positions of one layer as unsigned 64-bit integers, little-endian, {order}.",
                f"Bit 0 of a key is 1 when White is to move. {game.index.key_words(self.ending)}",
                "White is the side named first. Layer n holds the positions that its winner wins in n plies:",
                "with n odd the winner is to move, with n even the loser, and in layer 0 the game is over.",
                f"{listed} A legal position that is in no file is a draw.",
            ],
            "example": example,
            "draws": dict(zip(WINNERS, self.draws, strict=True)),
            "layers": [
                {"file": layer.file, "winner": layer.winner, "n": layer.n, "positions": layer.positions}
                for layer in self.layers
            ],
        }

    @classmethod
    def read(cls, name: str, game: Game[Any, Any], found: Any) -> Description:
        """Checks every field of a description.

        Args:
            name: The archive's name, for errors.
            game: The game.
            found: What :meth:`written` may have given.

        Raises:
            ArchiveError: A field is not what it should be.
            EndingError: This program has no table of the ending.
        """
        known = isinstance(found, dict) and cast("dict[str, Any]", found).get("format") == _FORMAT
        _need(name, known, f"its {_DESCRIPTION} is not of the format {_FORMAT!r}")
        if found.get("version") != _VERSION:
            raise ArchiveError(f"{name} is of another version of the format", "update this program")
        if found.get("copies") is True:
            raise ArchiveError(f"{name} lists symmetric copies", "export it again without --all")
        for odd in sorted(set(found) ^ _FIELDS):
            _need(name, False, f"its {_DESCRIPTION} has {'an unknown' if odd in found else 'no'} field {quoted(odd)}")
        _need(name, found["game"] == game.name, f"it is of another game than {game.name}")
        ending = found["ending"]
        _need(
            name,
            _is_ending(game, ending),
            f"its ending is none that this program knows, spelled as {game.endings()[1]}",
        )
        most = range(game.index.slots(ending) + 1)
        expected = cls(ending, (), (0, 0), None).written(game)
        for field in ("rules", "metric", "men"):
            _need(name, found[field] == expected[field], f"its {field} should be {expected[field]!r}")
        is_text = fits(found["title"], str) and fits(found["reading"], [str])
        _need(name, is_text, "its title or reading is not text")
        layers = _layers(name, found["layers"], most)
        draws = found["draws"]
        _need(name, fits(draws, dict.fromkeys(WINNERS, most)), "its draws are not two counts, white and black")
        example = None
        if layers or found["example"] is not None:
            example = _example(name, game, ending, layers, found["example"])
        for side, mover in enumerate(WINNERS):
            total = draws[mover] + sum(layer.positions for layer in layers if layer.part.side == side)
            _need(name, total in most, f"it counts {total} positions with {mover} to move, more than there can be")
        total, expected = (
            sum(draws.values()) + sum(layer.positions for layer in layers),
            game.expected_positions(ending),
        )
        what = f"it counts {total} positions, draws included, where {ending} has {expected}"
        _need(name, abs(total - expected) * _LEEWAY <= expected, what)
        return cls(ending, layers, (draws["white"], draws["black"]), example)


_FIELDS = {
    "format", "version", "game", "ending", "title", "rules", "metric", "men", "reading", "example", "draws", "layers",
}  # fmt: skip


def _wrong(name: str, what: str) -> ArchiveError:
    """The error for an archive that is not what it should be."""
    return ArchiveError(f"{name} is no sound archive: {what}", _AGAIN)


def _need(name: str, sound: bool, what: str) -> None:
    """Raises that error unless something is as it should be."""
    if not sound:
        raise _wrong(name, what)


def _is_ending(game: Game[Any, Any], text: Any) -> bool:
    try:
        return isinstance(text, str) and len(text) < 20 and game.canonical_name(text) == text
    except EndingError:
        return False


def _layers(name: str, listed: Any, most: range) -> tuple[ArchiveLayer, ...]:
    is_list = fits(listed, [dict.fromkeys(("file", "winner", "n", "positions"), _anything)])
    _need(name, is_list, "its layers are not a list of file, winner, n and positions")
    result: dict[str, ArchiveLayer] = {}
    for entry in listed:
        layer = ArchiveLayer(entry["winner"], entry["n"], entry["positions"])
        is_layer = layer.winner in WINNERS and fits(layer.n, range(LAST_LAYER + 1))
        _need(name, is_layer, f"a layer's winner is not white or black, or its n is not from 0 to {LAST_LAYER}")
        what = f"the file of layer S{layer.n}, {layer.winner} wins, has another name than it should"
        _need(name, entry["file"] == layer.file, what)
        _need(name, fits(layer.positions, most[1:]), f"{layer.file} cannot have as many positions as it claims")
        _need(name, layer.file not in result, f"{layer.file} is listed twice")
        result[layer.file] = layer
    return tuple(result.values())


def _example(
    name: str, game: Game[Any, Any], ending: str, layers: tuple[ArchiveLayer, ...], example: Any
) -> tuple[ArchiveLayer, int]:
    is_example = fits(example, {"file": _anything, "key": range((1 << 63) + 1), "position": _anything})
    _need(name, is_example, "its example is not a file, a key and a position")
    try:
        position = game.format(game.index.from_key(ending, example["key"]))
    except PositionError:
        raise _wrong(name, "the key of its example is none") from None
    _need(name, position == example["position"], "the key and the position of its example differ")
    named = [layer for layer in layers if layer.file == example["file"]]
    _need(name, bool(named), "the file of its example is none of the layers")
    return named[0], example["key"]


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote: layers, positions in them (draws are not), bytes."""

    ending: str
    layers: int
    positions: int
    size: int


def export(
    library: Library, ending: str, path: Path, *, force: bool = False, copies: bool = False, report: Report = silent
) -> Exported:
    """Writes a layers archive, which appears whole or not at all.

    Args:
        library: The tables.
        ending: A built ending.
        path: The file to write.
        force: Replace the file when it is there.
        copies: Symmetric copies, too; other programs can read that, and this one cannot import it.
        report: Told of positions written now and then.

    Returns:
        What was written.

    Raises:
        NotBuiltError: There is no table.
        TableError: The table is damaged.
        EndingError: It has six men.
        StorageError: The file is there already, or cannot be written.
    """
    new_file(path, force)
    table = library.table(ending)
    _check_size(library.game, ending, "export it with --lean, which is many times smaller")
    description = Description.of(library.game, table, copies)
    total = sum(layer.positions for layer in description.layers)
    done = 0
    with (
        storage_errors(path),
        whole(path) as out,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION) as archive,
    ):
        with archive.open(_DESCRIPTION, "w") as member:
            member.write(f"{json.dumps(description.written(library.game), indent=2)}\n".encode())
        for layer, parts in _keys(library.game, table, description):
            with archive.open(layer.file, "w", force_zip64=8 * layer.positions >> 31 > 0) as member:
                for keys in parts:
                    member.write(keys.tobytes())
                    done += len(keys)
                    report("writing", done / total)
    return Exported(ending, len(description.layers), total, path.stat().st_size)


def export_lean(
    library: Library,
    ending: str,
    path: Path,
    *,
    force: bool = False,
    memory: int | None = None,
    report: Report = silent,
) -> int:
    """Writes a built ending as a lean table, which appears whole or not at all; returns its bytes.

    No more than ``memory`` bytes are used, three quarters of what is free by default.

    Raises:
        EndingError: That is too little memory.
        NotBuiltError: There is no table, or one of a sub-ending is missing.
        TableError: The table is damaged.
        StorageError: There is no lean form of it, or the file is there already, or cannot be written.
    """
    new_file(path, force)
    prepare_kernels()
    table = library.table(ending)
    with storage_errors(path):
        if table.form != "lean":
            with memory_for(library, ending, f"a lean table of {ending}", memory):
                return lean.write_lean(table, path, library, partial(report, "writing"), library.proof(ending))
        with whole(path) as out, open_regular(table.path) as result:
            shutil.copyfileobj(result, out, 1 << 20)
        return path.stat().st_size


def import_lean(
    library: Library, path: Path, *, force: bool = False, memory: int | None = None, report: Report = silent
) -> ArchiveImport:
    """Takes a lean table of others, once each of its sides to move has been derived from the other.

    Args:
        library: Where the table goes; its sub-endings tell the values after captures.
        path: The file.
        force: Replace a table that is there already.
        memory: Bytes that may be used at most; three quarters of what is free by default.
        report: Told of progress.

    Raises:
        ArchiveError: The table is damaged, or breaks the rules.
        EndingError: That is too little memory.
        NotBuiltError: Sub-endings must be built first.
        StorageError: The table is there already, or cannot be written.
        BusyError: Somebody has the ending in hand, or one that needs it.
    """
    os.environ.update(kernel_environment())
    try:
        among, table = library.with_file(path)
        if not isinstance(table, lean.LeanTable):
            raise TableError(f"the table {path.name} stores both sides", "")
        ending = table.ending
        _can_be_imported(library, ending, force)
        with library.hold_alone(ending, f"the import of {path.name}"):
            report("comparing one ply deep", 0)
            with memory_for(library, ending, f"the import of {path.name}", memory), _enough_memory(ending):
                lean.prove(table, among)
            _take(library, ending, path)
    except TableError as error:
        raise ArchiveError(error.what, _AGAIN) from None
    layers = len({(side, code) for side in range(2) for code in table.used(side) if code != DRAW})
    return ArchiveImport(ending, layers, table.positions, table.positions, 0, table.size)


def _take(library: Library, ending: str, path: Path) -> None:
    """Makes a file the table of an ending; raises StorageError."""
    with storage_errors(library.directory):
        library.directory.mkdir(parents=True, exist_ok=True)
        with whole(library.path(ending), library.proof(ending)) as out, open_regular(path) as result:
            shutil.copyfileobj(result, out, 1 << 20)
        unmark(library.path(ending))


def _check_size(game: Game[Any, Any], ending: str, then: str) -> None:
    """Raises EndingError for an ending whose layers, sorted as an archive has them, no memory holds."""
    if game.index.slots(ending) > mmap_arrays.HELD:
        raise EndingError(f"the layers of {ending} are too large for an archive", then)


@contextmanager
def _enough_memory(ending: str) -> Generator[None]:
    """Says in a sentence that memory does not suffice."""
    try:
        yield
    except MemoryError:
        raise EndgameError(f"there is not enough memory for {ending}", "close other programs") from None


def _can_be_imported(library: Library, ending: str, force: bool) -> None:
    """Raises StorageError where a table is there already, NotBuiltError where sub-endings are missing."""
    if library.is_built(ending) and not force:
        raise StorageError(f"{ending} is there already", "add --force to replace it")
    if missing := [name for name in library.game.needs(ending) if not library.is_built(name)]:
        raise NotBuiltError(
            missing[0],
            f"the check of {ending} needs it for the values after captures; run: endgame-tui build {' '.join(missing)}",
        )


def _keys(game: Game[Any, Any], table: Table, described: Description) -> Iterator[tuple[ArchiveLayer, Iterator[Any]]]:
    """Each layer with its keys, '<u8' arrays one after the other; one side to move after the other."""
    arrays = game.index.arrays()
    for side in range(2):
        stored = table.all_stored(side, table.header.draws[side])
        for layer in (layer for layer in described.layers if layer.part.side == side):
            slots = np.flatnonzero(stored == table.stored(side, layer.part.code))
            if len(slots) != table.canonical(side, layer.part.code):
                raise TableError(f"the table of {table.ending} miscounts layer S{layer.n}", "build it again")
            yield layer, (_copied if described.copies else _ascending)(arrays, table.ending, side, slots)


def _ascending(arrays: Arrays, ending: str, side: int, slots: Any) -> Iterator[Any]:
    """The keys of some slots in ascending order."""
    keys = np.empty(len(slots), "<u8")
    for start in range(0, len(slots), _CHUNK):
        keys[start : start + _CHUNK] = arrays.keys(ending, side, slots[start : start + _CHUNK])
    keys.sort()
    for start in range(0, len(keys), _CHUNK):
        yield keys[start : start + _CHUNK]


def _copied(arrays: Arrays, ending: str, side: int, slots: Any) -> Iterator[Any]:
    """The keys of some slots and of their symmetric copies, slot by slot."""
    for start in range(0, len(slots), _COPIED):
        keys = np.sort(arrays.copied_keys(ending, side, slots[start : start + _COPIED]), axis=1)
        first = np.ones(keys.shape, bool)
        first[:, 1:] = keys[:, 1:] != keys[:, :-1]
        yield keys[first].astype("<u8", copy=False)


class _Zipped(io.FileIO):
    """A file that a zip file is read from; a list of members that no archive has is not read."""

    is_open = False

    def read(self, size: int | None = -1, /) -> bytes | None:
        """Bytes of the file; raises BadZipFile for a list of members that is too long."""
        if not self.is_open and (size or 0) > _LARGEST_DIRECTORY:
            raise zipfile.BadZipFile("it has more members than an archive has layers")
        return super().read(size)


@contextmanager
def _opened(path: Path) -> Generator[tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo], Any]]:
    """Opens an archive: itself, its members by name, its description as it was found.

    Whatever is wrong with the file comes out as an ArchiveError or StorageError.
    """
    try:
        with _Zipped(regular_handle(path)) as file, zipfile.ZipFile(file) as archive:
            file.is_open = True
            members = _members(path.name, archive)
            yield archive, members, _described(path.name, archive, members.pop(_DESCRIPTION, None))
    except FileNotFoundError:
        raise StorageError(f"there is no file {path}", "check the name") from None
    except zipfile.BadZipFile as error:
        detail = str(error).rstrip(".")
        more = "" if detail == "File is not a zip file" else f" ({detail})"
        raise _wrong(path.name, f"it is no whole zip file{more}") from None
    except (zlib.error, EOFError, NotImplementedError, UnicodeDecodeError, struct.error) as error:
        raise _wrong(path.name, f"it cannot be unpacked ({str(error).rstrip('.') or 'it ends early'})") from None
    except OSError as error:
        if error.errno == errno.EINVAL:  # a directory of the zip file that points before its beginning
            raise _wrong(path.name, "it is no whole zip file") from None
        raise StorageError(f"{path} cannot be read ({error.strerror or error})", "check the file") from None


def _members(name: str, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members by name; the two folders, which other programs write, are left out."""
    result: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        _need(name, info.filename not in result, f"it holds {quoted(info.filename)} twice")
        is_plain = not info.flag_bits & 1 and info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        _need(name, is_plain, f"{quoted(info.filename)} is encrypted or packed by a method other than deflate")
        if info.file_size or info.filename not in [f"{winner}/" for winner in WINNERS]:
            result[info.filename] = info
    return result


def _described(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo | None) -> Any:
    if info is None:
        raise _wrong(name, f"it holds no {_DESCRIPTION}")
    _need(name, info.file_size <= _LARGEST_DESCRIPTION, f"its {_DESCRIPTION} is {info.file_size} bytes long")
    with archive.open(info) as member:
        text = member.read(_LARGEST_DESCRIPTION)
    try:
        return read_json(text)
    except EndgameError:
        raise _wrong(name, f"its {_DESCRIPTION} is no JSON") from None


def game_of(path: Path) -> str:
    """The game that an archive is of, as it says itself; empty where it says none.

    Raises:
        ArchiveError: It is damaged so far that it cannot tell.
        StorageError: The file cannot be read.
    """
    with _opened(path) as (_, _, result):
        named = cast("dict[str, Any]", result).get("game") if isinstance(result, dict) else None
        return named if isinstance(named, str) else ""


class _Import:
    """The layers of one archive on their way into a table: read, counted, and held against the rules.

    Every position must have the value that the positions one ply later give it, and that proves them all. Random
    positions of every layer, and of the draws, are held against the rules of the game one by one, too; of a large
    ending of a game without compiled code for it, these alone.

    Args:
        library: Has the tables of the sub-endings.
        name: The archive's name, for errors.
        described: Its sound description.
        report: Told what is done, and which part of it.
        samples: How many positions of each layer, and of each side's draws, are compared one by one; None for 20, and
            2 000 where these alone are.
        seed: Makes their choice repeatable.
    """

    def __init__(
        self, library: Library, name: str, described: Description, report: Report, samples: int | None, seed: int | None
    ) -> None:
        self.library, self.game, self.name, self.described = library, library.game, name, described
        self.ending, self.report = described.ending, report
        self.arrays = self.game.index.arrays()
        self.wide = not all(is_byte(layer.part.code) for layer in described.layers)
        self.draw = DRAW if self.wide else BYTE_DRAW
        size = self.game.index.slots(self.ending)
        self.codes = np.full((2, size), self.draw, np.uint16 if self.wide else np.uint8)
        """What the table will store."""
        self.positions = 0
        """How many canonical positions there are, once they are counted."""
        self.is_large = size > MOST_SLOTS
        self._is_sampled = self.is_large and self.game.deriver is None
        self._samples = (_MANY_SAMPLES if self._is_sampled else _SAMPLES) if samples is None else samples
        self._rng = random.Random(seed)
        self._chosen: list[tuple[int, int]] = []

    def _picked(self, number: int) -> Any:
        """The ordinals of those of so many positions that are compared one by one."""
        return np.array(self._rng.sample(range(number), min(self._samples, number)), np.int64)

    def _choose(self, side: int, picked: Any, first: int, slots: Any) -> None:
        """Notes which of some slots, whose ordinals begin with ``first``, have been picked."""
        here = picked[(picked >= first) & (picked < first + len(slots))] - first
        self._chosen += [(side, slot) for slot in slots[here].tolist()]

    def _code_at(self, side: int, slot: int) -> int:
        stored = int(self.codes[side, slot])
        return stored if self.wide else CODES_OF_BYTES[stored]

    def _chunks(self, what: str) -> Iterator[tuple[int, int, Any]]:
        """Both sides' codes, a part at a time: side, first slot, codes."""
        size = self.codes.shape[1]
        for side in range(2):
            for start in range(0, size, _CHUNK):
                self.report(what, (side * size + start) / (2 * size))
                yield side, start, self.codes[side, start : start + _CHUNK]

    def _position(self, side: int, slot: int) -> str:
        return self.game.format(self.game.index.position_at(self.ending, side, slot))

    def read(self, archive: zipfile.ZipFile) -> None:
        """Reads all layers; raises ArchiveError for a key that is out of place."""
        total = sum(layer.positions for layer in self.described.layers)
        done = 0
        for layer in self.described.layers:
            self.report("reading", done / total)
            self._layer(archive, layer)
            done += layer.positions

    def _layer(self, archive: zipfile.ZipFile, layer: ArchiveLayer) -> None:
        last, picked = -1, self._picked(layer.positions)
        key = self.described.example[1] if self.described.example and self.described.example[0] == layer else None
        with archive.open(layer.file) as member:
            for start in range(0, layer.positions, _CHUNK):
                length = 8 * min(_CHUNK, layer.positions - start)
                data = member.read(length)
                if len(data) != length:
                    raise EOFError
                keys = np.frombuffer(data, "<u8")
                is_sorted = int(keys[0]) > last and bool((keys[1:] > keys[:-1]).all())
                _need(self.name, is_sorted, f"the keys of {layer.file} are not in ascending order")
                last = int(keys[-1])
                if key is not None and bool((keys == key).any()):
                    key = None
                self._choose(layer.part.side, picked, start, self._placed(layer, keys))
            member.read(1)  # past the end: now the checksum is compared
        _need(self.name, key is None, f"the key of its example is not in {layer.file}")

    def _placed(self, layer: ArchiveLayer, keys: Any) -> Any:
        """The slots of one layer's keys, into which its code is put."""
        part = layer.part
        sides, slots = self.arrays.slots_of_keys(self.ending, keys)
        bad = (slots < 0) | (sides != part.side)
        if bad.any():
            at = int(bad.argmax())
            what = "is no key of a listed position" if slots[at] < 0 else "has the wrong side to move"
            raise _wrong(self.name, f"{int(keys[at])} in {layer.file} {what}")
        taken = self.codes[part.side, slots] != self.draw
        if taken.any():
            slot = int(slots[int(taken.argmax())])
            n = value_of(self._code_at(part.side, slot))[1]
            raise _wrong(self.name, f"{self._position(part.side, slot)} is in S{n} and again in {layer.file}")
        self.codes[part.side, slots] = part.code if self.wide else byte_of(part.code)
        return slots

    def counted(self) -> SolvedEnding:
        """Counts the positions, and gives what can be written as a table.

        Raises:
            ArchiveError: A listed position is not legal or not canonical, or the draws are not as many as described.
        """
        kept = np.zeros((2, self.codes.shape[1] // 64), np.uint64)
        columns = 1 << 8 * self.codes.itemsize
        boards, canonical = np.zeros((2, columns), np.int64), np.zeros((2, columns), np.int64)
        most, picked = 0, [self._picked(draws) for draws in self.described.draws]
        for side, start, part in self._chunks("counting"):
            copies = self.arrays.copies(self.ending, side, start, len(part))
            bad = (part != self.draw) & (copies == 0)
            if bad.any():
                at = int(bad.argmax())
                n, where = value_of(self._code_at(side, start + at))[1], self._position(side, start + at)
                raise _wrong(self.name, f"S{n} lists {where}, which is impossible or a mirror copy")
            most = max(most, int(copies.max()))
            drawn = np.flatnonzero((copies > 0) & (part == self.draw))
            self._choose(side, picked[side], int(canonical[side, self.draw]), start + drawn)
            canonical[side] += np.bincount(part[copies > 0], minlength=columns)
            told = self.described.draws[side]
            what = (
                f"more than {told} positions with {WINNERS[side]} to move are in no layer, and it counts {told} draws"
            )
            _need(self.name, canonical[side, self.draw] <= told, what)
            boards[side] += np.bincount(part, weights=copies, minlength=columns).astype(np.int64)
            bits = np.packbits(copies > 0, bitorder="little").view(np.uint64)
            kept[side, start // 64 : start // 64 + len(bits)] = bits
        for mover, told, drawn in zip(WINNERS, self.described.draws, canonical[:, self.draw].tolist(), strict=True):
            what = f"{drawn} positions with {mover} to move are in no layer, and it counts {told} draws"
            _need(self.name, drawn == told, what)
        self.positions = int(canonical.sum())
        return SolvedEnding(self.codes, kept, most, most * canonical - boards, wide=self.wide)

    def glance(self) -> None:
        """Derives some positions, so that what is false all over is refused before everything is counted."""
        rng = random.Random(0)
        for _ in range(_GLANCES):
            side, start = rng.randrange(2), 64 * rng.randrange(self.codes.shape[1] // 64)
            if len(slots := np.flatnonzero(self.arrays.copies(self.ending, side, start, 64))):
                self._compare(side, start + int(rng.choice(slots)))

    def _code(self, position: Any) -> int:
        def look(slot: Slot) -> int:
            if slot.ending == self.ending:
                return self._code_at(slot.side, slot.index)
            return self.library.table(slot.ending).value(slot.side, slot.index)

        return position_code(self.game, position, look)

    def _compare(self, side: int, slot: int) -> None:
        """Raises ArchiveError when the value of a slot is not what its moves make it."""
        position = self.game.index.position_at(self.ending, side, slot)
        result, expected = self._code_at(side, slot), derived_code(self.game, position, self._code)
        if result != expected:
            raise ArchiveError(
                f"{self.name} breaks the rules: {self.game.format(position)} is {_value(side, result)} in it, "
                f"but its moves lead to {_value(side, expected)}",
                _INSTEAD,
            )

    def everything(self) -> int:
        """Derives all positions again, one ply deep; returns how many were compared.

        Those that slots do not tell all about (en passant) are compared one by one; of more than 2 000, so many at
        random. Without compiled code none of a large ending are: they would take hours.
        """
        if self._is_sampled:
            return 0

        def codes(name: str, side: int) -> Any:
            if name == self.ending:
                return self.codes[side]
            table = self.library.table(name)
            return table.all_stored(side, table.header.draws[side])

        if self.game.deriver is not None and self.is_large:
            return self._compiled(self.game.deriver)
        meaning = np.arange(1 << 16) if self.wide else np.array(CODES_OF_BYTES)
        one_ply = self.game.solver.one_ply_deriver(self.ending, codes)
        size = self.codes.shape[1]
        compared = 0
        unsure: list[tuple[int, int]] = []
        for side, start in product(range(2), range(0, size, _RANGE)):
            self.report("comparing one ply deep", (side * size + start) / (2 * size))
            slots, derived = one_ply.derived(side, start, min(_RANGE, size - start))
            known = derived >= 0
            for slot in slots[known & (derived != meaning[self.codes[side, slots]])].tolist():
                self._compare(side, slot)
            compared += int(np.count_nonzero(known))
            unsure += [(side, slot) for slot in slots[~known].tolist()]
        if len(unsure) > _MOST_UNSURE:
            unsure = self._rng.sample(unsure, _MOST_UNSURE)
        for side, slot in unsure:
            self._compare(side, slot)
        return compared + len(unsure)

    def _compiled(self, deriver: Deriver) -> int:
        """The same by compiled code, en passant and all."""

        def codes(name: str, side: int, wanted: DigitFilter = ()) -> Any:
            return self.codes[side] if name == self.ending else self.library.read_side(name, side, cores(), wanted)

        for side in range(2):
            self.report("comparing one ply deep", side / 2)
            result = deriver.all_codes(self.ending, side, codes, cores(), (), self.wide)
            kept = self.game.solver.canonical_bits(self.ending, side, cores())
            for slot in lean.differing(result, self.codes[side], kept):
                self._compare(side, slot)
        return self.positions

    def samples(self) -> int:
        """Derives random positions again by the rules alone, so many of each layer and of each side's draws.

        Returns:
            Positions compared; all of a layer that has fewer.
        """
        for done, (side, slot) in enumerate(self._chosen):
            if done % 100 == 0:
                self.report("comparing by the rules alone", done / len(self._chosen))
            self._compare(side, slot)
        return len(self._chosen)


def _value(side: int, code: int) -> str:
    """A value in words: the layer and its winner."""
    if code == DRAW:
        return "a draw"
    winner = WINNERS[side if code > DRAW else 1 - side].capitalize()
    return f"S{value_of(code)[1]} ({winner} wins)"


@dataclass(frozen=True, slots=True)
class ArchiveImport:
    """What an import did.

    Attributes:
        ending: The ending.
        layers: Layers read.
        positions: Positions that they hold and draws: every key of them was checked.
        compared: Those whose value was derived again, one ply deep: nearly all of them, or none in a large ending of a
            game without compiled code for it.
        sampled: Those of every layer, at random, for which the game's own rules did the same one by one.
        size: Bytes of the table.
    """

    ending: str
    layers: int
    positions: int
    compared: int
    sampled: int
    size: int


def import_archive(
    library: Library,
    path: Path,
    *,
    force: bool = False,
    samples: int | None = None,
    seed: int | None = None,
    report: Report = silent,
) -> ArchiveImport:
    """Makes a table from a layers archive, or says what is wrong with it.

    Args:
        library: Where the table goes; its sub-endings tell the values after captures.
        path: The archive.
        force: Replace a table that is there already; the old one stays unless the import succeeds.
        samples: Positions of every layer, and of each side's draws, to derive again one by one by the rules alone; by
            default 20, or 2 000 where not all are derived together.
        seed: Makes their choice repeatable.
        report: Told of progress.

    Raises:
        ArchiveError: The archive is damaged, contradicts itself, or breaks the rules.
        NotBuiltError: Sub-endings must be built first.
        EndingError: This version has no tables of the ending, or it has six men.
        StorageError: The table is there already, the file cannot be read, or the table cannot be written.
        BusyError: Somebody has the ending in hand, or one that needs it.
    """
    os.environ.update(kernel_environment())  # before numba, which packs the table, is imported
    began = time.monotonic()

    with ExitStack() as held:
        with _opened(path) as (archive, members, result):
            described = Description.read(path.name, library.game, result)
            _check_members(path.name, members, described)
            ending = described.ending
            _check_size(library.game, ending, "ask for a lean table of it, or build it")
            _can_be_imported(library, ending, force)
            held.enter_context(library.hold_alone(ending, f"the import of {path.name}"))
            with _enough_memory(ending):
                reading = _Import(library, path.name, described, report, samples, seed)
                reading.read(archive)
                if reading.is_large:
                    reading.glance()
                solved = reading.counted()
        with _enough_memory(ending):
            compared, sampled = reading.everything(), reading.samples()
            report("writing", 0)
            size = library.write(ending, solved, began)
    return ArchiveImport(ending, len(described.layers), reading.positions, compared, sampled, size)


def _check_members(name: str, members: dict[str, zipfile.ZipInfo], described: Description) -> None:
    """Holds the names and sizes of all members against the description."""
    for layer in described.layers:
        _need(name, layer.file in members, f"{layer.file} is missing")
        size = members.pop(layer.file).file_size
        what = f"{layer.file} has {size} bytes, but {layer.positions} positions take 8 each"
        _need(name, size == 8 * layer.positions, what)
    for odd in sorted(members):
        _need(name, False, f"it holds {quoted(odd)}, which the description does not name")
