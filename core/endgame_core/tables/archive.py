"""The layers archive: every layer of an ending as a file of position keys, in a zip file for exchange.

``description.json`` describes the other members in plain words: one file per layer and winner, e.g.
``white/S_007.keys``, of ascending little-endian uint64 keys. A position that is in no layer is a draw. The format is
documented in ``docs/archive.md``.

An import trusts nothing in an archive. The description is checked field by field, and every length against it, before
anything is allocated; every key must be that of a legal canonical position, in order, in one layer only; then the
layers are compared with the rules, every position one ply deep, or a sample where that would take hours. The table is
written last, so a rejected archive leaves the library as it was.
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
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
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
    system_reason,
)
from endgame_core.game import (
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
from endgame_core.language import _, side_name
from endgame_core.paths import atomic_write, kernel_environment, new_file, prepare_kernels, storage_errors
from endgame_core.system import cores
from endgame_core.tables import lean, mmap_arrays
from endgame_core.tables.build import memory_for
from endgame_core.tables.file import Table, silent
from endgame_core.tables.library import Library
from endgame_core.tables.table_files import clear_damage
from endgame_core.untrusted import has_shape, open_regular, quoted, read_json, regular_handle
from endgame_core.values import BYTE_DRAW, CODES_OF_BYTES, DRAW, LAST_LAYER, WINNERS, Winner, byte_of, is_byte, value_of

_FORMAT = "endgame-tui layers"
_VERSION = 1
_DESCRIPTION = "description.json"
_MAX_DESCRIPTION_BYTES = 1 << 20
_MAX_DIRECTORY_BYTES = 1 << 18
"""Bytes of a zip file's list of members: enough for some two thousand; we write 512 at most."""

_CHUNK = 1 << 22
"""Slots, or keys, that are processed at a time."""
_CACHED_CHUNK = 1 << 18
"""Slots that are sorted or counted at a time; arrays of that size stay in caches and need no new pages."""
_BATCH = 1 << 25
"""Keys that are in memory at once while layers are exported, unless one layer has more."""
_LARGE_LAYER = 1 << 16
"""Positions of a layer that is worth compiled code to compress it."""
_MOST_COPIES = 16
"""Symmetric copies of a position, in any game, that are counted with a batch of layers."""
_COPIES_CHUNK = 1 << 17
"""Slots whose symmetric copies are written at a time."""
_ONE_PLY_CHUNK = 1 << 18
"""Slots that are derived one ply deep at a time."""

_COMPRESSION = 1
"""zlib's level: higher ones take many times as long to save a tenth."""

MOST_SLOTS = 1 << 24
"""Slots of one side of the largest ending that is derived as a whole without compiled code, which takes minutes."""

_SAMPLES = 20
"""Positions of each layer, and of each side's draws, that are derived one by one by the rules alone."""
_MANY_SAMPLES = 2000
"""The same for an ending that is not derived as a whole."""

_MAX_UNSURE = 2000
"""Positions to compare one by one because they cannot be derived many at once."""

_FIRST_SAMPLES = 100
"""Positions of a large ending that are compared before anything is counted."""
_LEEWAY = 50
"""The number of positions may be off by one part in 50 before it is counted: a game may not know it exactly."""

_BUILD_INSTEAD = _("nothing was imported; build the ending instead")
_COPY_AGAIN = _("nothing was imported; copy the archive again, or export it again")

Report = Callable[[str, float], None]
"""Called with the current activity, and the finished part of it, 0 to 1."""


def _anything(__: object) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class ArchiveLayer:
    """One layer of an archive.

    Attributes:
        winner: The winning side; White is the side named first.
        n: Plies to the end.
        positions: Number of canonical positions.
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
    """A checked description of an archive.

    Attributes:
        ending: The ending.
        layers: Its layers that hold positions, White's first.
        draws: Drawn positions per side to move.
        example: A layer and the key of a position in it; None when all is drawn.
        copies: Whether symmetric copies are listed and counted as well.
    """

    ending: str
    layers: tuple[ArchiveLayer, ...]
    draws: tuple[int, int]
    example: tuple[ArchiveLayer, int] | None
    copies: bool = False

    @classmethod
    def from_table(cls, game: Game[Any, Any], table: Table, copies: bool = False) -> Description:
        """The description of a table; the example is the first position of the longest win."""
        count = table.boards if copies else table.canonical
        deepest = max(value_of(code)[1] or 0 for code in {*table.used_codes(0), *table.used_codes(1)})
        layers: list[ArchiveLayer] = []
        for winner in WINNERS:
            for n in range(1 + deepest):
                part = parity_part("", WINNERS.index(winner), n)
                positions = count(part.side, part.code)
                if positions:
                    layers.append(ArchiveLayer(winner, n, positions))

        example = None
        if layers:
            longest = max((layer for layer in layers if layer.winner == layers[0].winner), key=lambda layer: layer.n)
            side = longest.part.side
            slot = table.slot_with(side, longest.part.code, 0)
            example = (longest, game.index.key(game.index.position_at(table.ending, side, slot)))
        return cls(table.ending, tuple(layers), (count(0, DRAW), count(1, DRAW)), example, copies)

    def to_json(self, game: Game[Any, Any]) -> dict[str, Any]:
        """The description as an archive stores it."""
        example = None
        if self.example is not None:
            layer, key = self.example
            example = {"file": layer.file, "key": key, "position": game.format(game.index.from_key(self.ending, key))}
        if self.copies:
            order = "in no order"
            listed = "All symmetric copies of a position are listed, one after the other."
        else:
            order = "ascending"
            listed = "Of symmetric copies only one is listed."
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
    def parse(cls, name: str, game: Game[Any, Any], fields: Any) -> Description:
        """Check every field of a description.

        Args:
            name: The archive's name, for errors.
            game: The game.
            fields: The parsed JSON, which may be anything.

        Raises:
            ArchiveError: A field is not valid.
            EndingError: This program has no table of the ending.
        """
        is_ours = isinstance(fields, dict) and cast("dict[str, Any]", fields).get("format") == _FORMAT
        _require(
            name,
            is_ours,
            _("its {description} is not in the format {format!r}").format(description=_DESCRIPTION, format=_FORMAT),
        )
        # Before the fields are compared: another version may well have others, and so do archives of copies.
        if fields.get("version") != _VERSION:
            raise ArchiveError(
                _("{name} has a different version of the format").format(name=name), _("update endgame-tui")
            )
        if fields.get("copies") is True:
            raise ArchiveError(_("{name} lists symmetric copies").format(name=name), _("export it again without --all"))
        for odd in sorted(set(fields) ^ _FIELDS):
            if odd in fields:
                problem = _("its {description} has an unknown field {odd}")
            else:
                problem = _("its {description} has no field {odd}")
            raise _unsound(name, problem.format(description=_DESCRIPTION, odd=quoted(odd)))
        _require(name, fields["game"] == game.name, _("it does not belong to {game}").format(game=game.name))

        ending = fields["ending"]
        is_known = _is_ending(game, ending)
        _require(
            name,
            is_known,
            _("its ending is unknown; endings are written like {endings}").format(endings=game.endings()[1]),
        )
        # These fields follow from the ending: they must be those that an export of ours would write.
        expected = cls(ending, (), (0, 0), None).to_json(game)
        for field in ("rules", "metric", "men"):
            _require(
                name,
                fields[field] == expected[field],
                _("its {field} should be {expected!r}").format(field=field, expected=expected[field]),
            )
        is_text = has_shape(fields["title"], str) and has_shape(fields["reading"], [str])
        _require(name, is_text, _("its title or reading is not text"))

        counts = range(game.index.slots(ending) + 1)
        layers = _parse_layers(name, fields["layers"], counts)
        draws = fields["draws"]
        has_draws = has_shape(draws, dict.fromkeys(WINNERS, counts))
        _require(name, has_draws, _("its draws must be two counts, white and black"))
        example = None
        if layers or fields["example"] is not None:
            example = _parse_example(name, game, ending, layers, fields["example"])

        for side, mover in enumerate(WINNERS):
            total = draws[mover] + sum(layer.positions for layer in layers if layer.part.side == side)
            what = _("it counts {total} positions with {mover} to move, more than possible").format(
                total=total, mover=mover
            )
            _require(name, total in counts, what)
        total = sum(draws.values()) + sum(layer.positions for layer in layers)
        expected_total = game.expected_positions(ending)
        what = _("it counts {total} positions, including draws, but {ending} has {expected_total}").format(
            total=total, ending=ending, expected_total=expected_total
        )
        _require(name, abs(total - expected_total) * _LEEWAY <= expected_total, what)
        return cls(ending, layers, (draws["white"], draws["black"]), example)


_FIELDS = {
    "format", "version", "game", "ending", "title", "rules", "metric", "men", "reading", "example", "draws", "layers",
}  # fmt: skip


def _unsound(name: str, problem: str) -> ArchiveError:
    """The error for a damaged or contradictory archive."""
    return ArchiveError(_("{name} is not a valid archive: {problem}").format(name=name, problem=problem), _COPY_AGAIN)


def _require(name: str, is_sound: bool, problem: str) -> None:
    """Raise that error unless something is sound."""
    if not is_sound:
        raise _unsound(name, problem)


def _is_ending(game: Game[Any, Any], text: Any) -> bool:
    try:
        # The text may be anything: a long one is not even parsed.
        return isinstance(text, str) and len(text) < 20 and game.canonical_name(text) == text
    except EndingError:
        return False


def _parse_layers(name: str, entries: Any, counts: range) -> tuple[ArchiveLayer, ...]:
    """Check the list of layers; ``counts`` is the range of possible numbers of positions."""
    is_list = has_shape(entries, [dict.fromkeys(("file", "winner", "n", "positions"), _anything)])
    _require(name, is_list, _("its layers are not a list of entries with file, winner, n and positions"))
    layers: dict[str, ArchiveLayer] = {}
    for entry in entries:
        layer = ArchiveLayer(entry["winner"], entry["n"], entry["positions"])
        is_layer = layer.winner in WINNERS and has_shape(layer.n, range(LAST_LAYER + 1))
        _require(
            name,
            is_layer,
            _("a layer's winner is not white or black, or its n is not from 0 to {last_layer}").format(
                last_layer=LAST_LAYER
            ),
        )
        what = _("the file of layer S{layer_n}, {winner} wins, has the wrong name").format(
            layer_n=layer.n, winner=layer.winner
        )
        _require(name, entry["file"] == layer.file, what)
        _require(
            name,
            has_shape(layer.positions, counts[1:]),
            _("{file} cannot have as many positions as it claims").format(file=layer.file),
        )
        _require(name, layer.file not in layers, _("{file} is listed twice").format(file=layer.file))
        layers[layer.file] = layer
    return tuple(layers.values())


def _parse_example(
    name: str, game: Game[Any, Any], ending: str, layers: tuple[ArchiveLayer, ...], example: Any
) -> tuple[ArchiveLayer, int]:
    """Check the example: its layer and its key."""
    is_example = has_shape(example, {"file": _anything, "key": range((1 << 63) + 1), "position": _anything})
    _require(name, is_example, _("its example must be a file, a key and a position"))
    try:
        position = game.format(game.index.from_key(ending, example["key"]))
    except PositionError:
        raise _unsound(name, _("the key of its example is not valid")) from None
    _require(name, position == example["position"], _("the key and the position of its example differ"))
    matching = [layer for layer in layers if layer.file == example["file"]]
    _require(name, bool(matching), _("the file of its example is not one of the layers"))
    return matching[0], example["key"]


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export.

    Attributes:
        ending: The ending.
        layers: Number of layers.
        positions: Number of positions in them; draws are not exported.
        size: Bytes of the archive.
    """

    ending: str
    layers: int
    positions: int
    size: int


def export(
    library: Library, ending: str, path: Path, *, force: bool = False, copies: bool = False, report: Report = silent
) -> Exported:
    """Write a layers archive, as a whole or not at all.

    Args:
        library: The tables.
        ending: A built ending.
        path: The file to write.
        force: Replace an existing file.
        copies: Whether to list symmetric copies as well; other programs can read that, but this one cannot import it.
        report: Called with the progress.

    Raises:
        NotBuiltError: There is no table.
        TableError: The table is damaged.
        EndingError: The ending is too large.
        StorageError: The file exists already, or cannot be written.
    """
    new_file(path, force)
    table = library.table(ending)
    _check_size(library.game, ending, _("export it with --lean; the file is many times smaller"))
    description = Description.from_table(library.game, table, copies)
    total = sum(layer.positions for layer in description.layers)
    written = 0
    with (
        storage_errors(path),
        atomic_write(path) as out,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION) as archive,
    ):
        with archive.open(_DESCRIPTION, "w") as member:
            member.write(f"{json.dumps(description.to_json(library.game), indent=2)}\n".encode())
        for layer, chunks in _keys(library.game, table, description):
            # A streamed member cannot become ZIP64 once its header is written; members of 2 GiB and more must be.
            needs_zip64 = 8 * layer.positions >> 31 > 0
            with archive.open(layer.file, "w", force_zip64=needs_zip64) as member:
                if layer.positions >= _LARGE_LAYER and not copies:
                    _compress_as_keys(member)
                for keys in chunks:
                    member.write(keys.data)
                    written += len(keys)
                    report("writing", written / total)
    return Exported(ending, len(description.layers), total, path.stat().st_size)


def _compress_as_keys(member: Any) -> None:
    """Let an open member of a zip file be compressed as ascending keys, if compiled code is available.

    :mod:`zipfile` has no public way to choose the compressor. Where its private one has another name, the member is
    compressed by zlib: that is the same data, only slower.
    """
    if find_spec("numba") is None:
        return
    prepare_kernels()
    from endgame_core.tables.key_deflate import KeyCompressor

    member._compressor = KeyCompressor()


def export_lean(
    library: Library,
    ending: str,
    path: Path,
    *,
    force: bool = False,
    memory: int | None = None,
    report: Report = silent,
) -> int:
    """Write a built ending as a lean table, as a whole or not at all; return its size in bytes.

    Args:
        library: The tables.
        ending: A built ending.
        path: The file to write.
        force: Replace an existing file.
        memory: Memory limit in bytes; 75 % of the free memory by default.
        report: Called with the progress.

    Raises:
        EndgameError: There is too little memory.
        NotBuiltError: There is no table, or that of a sub-ending is missing.
        TableError: The table is damaged.
        StorageError: It can have no lean form, or the file exists already, or cannot be written.
    """
    new_file(path, force)
    prepare_kernels()
    table = library.table(ending)
    with storage_errors(path):
        if table.form != "lean":
            with memory_for(library, ending, _("a one-sided table of {ending}").format(ending=ending), memory):
                return lean.write_lean(table, path, library, partial(report, "writing"), library.proof(ending))
        with atomic_write(path) as out, open_regular(table.path) as source:
            shutil.copyfileobj(source, out, 1 << 20)
        return path.stat().st_size


def import_lean(
    library: Library, path: Path, *, force: bool = False, memory: int | None = None, report: Report = silent
) -> ArchiveImport:
    """Import a lean table of others, once each of its sides to move has been derived from the other.

    Args:
        library: Where the table goes; its sub-endings have the values after captures.
        path: The file.
        force: Replace an existing table.
        memory: Memory limit in bytes; 75 % of the free memory by default.
        report: Called with the progress.

    Raises:
        ArchiveError: The table is damaged, or breaks the rules.
        EndgameError: There is too little memory.
        NotBuiltError: Sub-endings must be built first.
        StorageError: The table exists already, or cannot be written.
        BusyError: The table, or one that requires it, is locked.
    """
    os.environ.update(kernel_environment())
    try:
        tables, table = library.with_file(path)
        if not isinstance(table, lean.LeanTable):
            raise TableError(_("the table {path} stores both sides").format(path=path.name), "")
        ending = table.ending
        _check_import(library, ending, force)
        with library.locks.exclusive(ending, _("the import of {path}").format(path=path.name)):
            report(_("comparing one ply deep"), 0)
            with (
                memory_for(library, ending, _("the import of {path}").format(path=path.name), memory),
                _enough_memory(ending),
            ):
                lean.prove(table, tables)
            _copy_table(library, ending, path)
    # Its advice is about tables of one's own: to build them again.
    except TableError as error:
        raise ArchiveError(error.what, _COPY_AGAIN) from None
    layers = len({(side, code) for side in range(2) for code in table.used_codes(side) if code != DRAW})
    return ArchiveImport(ending, layers, table.positions, table.positions, 0, table.size)


def _copy_table(library: Library, ending: str, path: Path) -> None:
    """Copy a file to the table of an ending; raises StorageError."""
    with storage_errors(library.directory):
        library.directory.mkdir(parents=True, exist_ok=True)
        with atomic_write(library.path(ending), library.proof(ending)) as out, open_regular(path) as source:
            shutil.copyfileobj(source, out, 1 << 20)
        clear_damage(library.path(ending))


def _check_size(game: Game[Any, Any], ending: str, advice: str) -> None:
    """Raise EndingError for an ending whose layers, which an archive sorts, do not fit into memory."""
    if game.index.slots(ending) > mmap_arrays.IN_MEMORY_BYTES:
        raise EndingError(_("the layers of {ending} are too large for an archive").format(ending=ending), advice)


@contextmanager
def _enough_memory(ending: str) -> Generator[None]:
    """Turn a MemoryError into an EndgameError."""
    try:
        yield
    except MemoryError:
        raise EndgameError(
            _("there is not enough memory for {ending}").format(ending=ending), _("close other programs")
        ) from None


def _check_import(library: Library, ending: str, force: bool) -> None:
    """Raise StorageError if the table exists already, NotBuiltError if sub-endings are missing."""
    if library.is_built(ending) and not force:
        raise StorageError(_("{ending} already exists").format(ending=ending), _("add --force to replace it"))
    missing = [name for name in library.game.needs(ending) if not library.is_built(name)]
    if missing:
        raise NotBuiltError(
            missing[0],
            _("checking {ending} requires it for positions after captures; run: endgame-tui build {missing}").format(
                ending=ending, missing=" ".join(missing)
            ),
        )


def _keys(game: Game[Any, Any], table: Table, description: Description) -> Iterator[tuple[ArchiveLayer, Iterator[Any]]]:
    """Each layer with its keys in chunks, arrays of ``<u8``; the layers of one side to move come first."""
    arrays = game.index.arrays()
    if description.copies:
        keys_of = arrays.copied_keys
        # Each position takes up to sixteen keys.
        batch_size = _BATCH // _MOST_COPIES
    else:
        keys_of = arrays.keys
        batch_size = _BATCH
    for side in range(2):
        draw = table.header.draws[side]
        stored = table.all_stored(side, draw)
        for layers in _batches([layer for layer in description.layers if layer.part.side == side], batch_size):
            values = [table.stored_value(side, layer.part.code) for layer in layers]
            keys_by_layer = _keys_by_value(partial(keys_of, table.ending, side), stored, draw, values)
            for layer in layers:
                keys = next(keys_by_layer)
                if len(keys) != table.canonical(side, layer.part.code):
                    raise TableError(
                        _("the table of {ending} has a wrong count in layer S{layer_n}").format(
                            ending=table.ending, layer_n=layer.n
                        ),
                        _("build it again"),
                    )
                yield layer, _in_chunks(keys)


def _batches(layers: Sequence[ArchiveLayer], limit: int) -> Iterator[list[ArchiveLayer]]:
    """Split layers into batches of at most ``limit`` positions; a larger layer is a batch of its own."""
    batch: list[ArchiveLayer] = []
    positions = 0
    for layer in layers:
        if batch and positions + layer.positions > limit:
            yield batch
            batch = []
            positions = 0
        batch.append(layer)
        positions += layer.positions
    if batch:
        yield batch


def _keys_by_value(keys_of: Callable[[Any], Any], stored: Any, draw: int, values: Sequence[int]) -> Iterator[Any]:
    """For each of some stored values the keys of the slots that have it.

    To look through all slots once for each value would take most of the time of an export. Instead, they are sorted by
    value, chunk by chunk.

    Args:
        keys_of: Returns a row of keys for each of some slots.
        stored: The stored values of one side.
        draw: The stored value of a draw, and of slots that are not legal; none of ``values``.
        values: The values.
    """
    # The index of each stored value in ``values``, -1 for all others.
    number_of = np.full(1 << 8 * stored.itemsize, -1, np.int16)
    number_of[values] = np.arange(len(values))
    parts: list[list[Any]] = [[] for _ in values]
    for start in range(0, len(stored), _CACHED_CHUNK):
        chunk = stored[start : start + _CACHED_CHUNK]
        decided = np.flatnonzero(chunk != draw)
        numbers = number_of[chunk[decided]]
        # A stable sort keeps the slots of a value in ascending order, as the next chunk continues it.
        order = np.argsort(numbers, kind="stable")
        # Shifted by one, because bincount takes no negative numbers.
        counts = np.bincount(numbers + 1, minlength=len(values) + 1)
        # Slots with other values, whose number is -1, come first.
        ordered = np.split(keys_of(start + decided)[order], np.cumsum(counts)[:-1])
        for part, keys in zip(parts, ordered[1:], strict=True):
            if len(keys):
                part.append(keys)

    for part in parts:
        yield np.concatenate(part) if part else np.zeros(0, np.uint64)
        # The layer is written; its memory is needed for the next one.
        part.clear()


def _in_chunks(keys: Any) -> Iterator[Any]:
    """The keys of a layer, in ascending order, or those of all copies of a position one after the other; in chunks.

    Args:
        keys: uint64 of shape (n,), or (n, copies).
    """
    if keys.ndim == 1:
        keys.sort()
        for start in range(0, len(keys), _CHUNK):
            yield keys[start : start + _CHUNK].astype("<u8", copy=False)
        return
    for start in range(0, len(keys), _COPIES_CHUNK):
        # One row per slot; a symmetric position has the same key several times in its row.
        rows = np.sort(keys[start : start + _COPIES_CHUNK], axis=1)
        is_new = np.ones(rows.shape, bool)
        is_new[:, 1:] = rows[:, 1:] != rows[:, :-1]
        yield rows[is_new].astype("<u8", copy=False)


class _ArchiveFile(io.FileIO):
    """The file that a zip file is read from; refuses to read a list of members that no archive has."""

    is_open = False

    def read(self, size: int | None = -1, /) -> bytes | None:
        """Bytes of the file; raises BadZipFile for a list of members that is too long."""
        # zipfile reads the whole list of members at once, before it has opened the archive.
        if not self.is_open and (size or 0) > _MAX_DIRECTORY_BYTES:
            raise zipfile.BadZipFile(_("the zip file has too many entries for an archive of layers"))
        return super().read(size)


@contextmanager
def _open_archive(path: Path) -> Generator[tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo], Any]]:
    """Open an archive: the zip file, its members by name, its description, parsed but not checked.

    All errors in the file become an ArchiveError or StorageError.
    """
    try:
        with _ArchiveFile(regular_handle(path)) as file, zipfile.ZipFile(file) as archive:
            file.is_open = True
            members = _members(path.name, archive)
            yield archive, members, _read_description(path.name, archive, members.pop(_DESCRIPTION, None))
    except FileNotFoundError:
        raise StorageError(_("there is no file {path}").format(path=path), _("check the name")) from None
    except zipfile.BadZipFile as error:
        detail = str(error).rstrip(".")
        suffix = ""
        # zipfile's usual message adds nothing to our sentence.
        if detail != "File is not a zip file":
            suffix = f" ({detail})"
        raise _unsound(path.name, _("it is not a complete zip file{suffix}").format(suffix=suffix)) from None
    except (zlib.error, EOFError, NotImplementedError, UnicodeDecodeError, struct.error) as error:
        raise _unsound(
            path.name, _("it cannot be unpacked ({rstrip})").format(rstrip=str(error).rstrip(".") or _("it ends early"))
        ) from None
    except OSError as error:
        if error.errno == errno.EINVAL:  # the zip file's list of members points before its beginning
            raise _unsound(path.name, _("it is not a complete zip file")) from None
        raise StorageError(
            _("{path} cannot be read ({reason})").format(path=path, reason=system_reason(error)), _("check the file")
        ) from None


def _members(name: str, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members by name, without the two folders, which other programs add."""
    members: dict[str, zipfile.ZipInfo] = {}
    folders = [f"{winner}/" for winner in WINNERS]
    # Bit 0 of the flags means that the member is encrypted.
    for info in archive.infolist():
        _require(
            name, info.filename not in members, _("it contains {filename} twice").format(filename=quoted(info.filename))
        )
        is_plain = not info.flag_bits & 1 and info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        _require(
            name,
            is_plain,
            _("{filename} is encrypted or compressed with a method other than deflate").format(
                filename=quoted(info.filename)
            ),
        )
        if info.file_size or info.filename not in folders:
            members[info.filename] = info
    return members


def _read_description(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo | None) -> Any:
    if info is None:
        raise _unsound(name, _("it contains no {description}").format(description=_DESCRIPTION))
    _require(
        name,
        info.file_size <= _MAX_DESCRIPTION_BYTES,
        _("its {description} is {file_size} bytes long").format(description=_DESCRIPTION, file_size=info.file_size),
    )
    with archive.open(info) as member:
        text = member.read(_MAX_DESCRIPTION_BYTES)
    try:
        return read_json(text)
    except EndgameError:
        raise _unsound(name, _("its {description} is not JSON").format(description=_DESCRIPTION)) from None


def game_of(path: Path) -> str:
    """The game of an archive according to its description, unchecked; empty if it names none.

    Raises:
        ArchiveError: It is so damaged that its description cannot be read.
        StorageError: The file cannot be read.
    """
    with _open_archive(path) as (__, __, fields):
        game = None
        if isinstance(fields, dict):
            game = cast("dict[str, Any]", fields).get("game")
        return game if isinstance(game, str) else ""


class _Import:
    """The layers of one archive on their way into a table: they are read, counted, and compared with the rules.

    Every position must have the value that the positions one ply later give it, which proves all of them. In addition,
    random positions of every layer, and of the draws, are derived one by one by the rules of the game. For a large
    ending of a game without compiled code only this is done.

    Args:
        library: Has the tables of the sub-endings.
        name: The archive's name, for errors.
        description: Its checked description.
        report: Called with the progress.
        samples: Number of positions of each layer, and of each side's draws, to compare one by one; by default 20, or
            2000 if nothing else is compared.
        seed: Seed of their choice.

    Attributes:
        values: Stored values of the table, of shape (2, slots); draws until a layer says otherwise.
        draw: The stored value of a draw.
        positions: Number of canonical positions, once they are counted.
        is_large: Whether the ending is too large to derive as a whole without compiled code.
    """

    def __init__(
        self,
        library: Library,
        name: str,
        description: Description,
        report: Report,
        samples: int | None,
        seed: int | None,
    ) -> None:
        self.library = library
        self.game = library.game
        self.name = name
        self.description = description
        self.ending = description.ending
        self.report = report
        self.arrays = self.game.index.arrays()
        self.wide = not all(is_byte(layer.part.code) for layer in description.layers)
        self.draw = DRAW if self.wide else BYTE_DRAW
        slots = self.game.index.slots(self.ending)
        self.values = np.full((2, slots), self.draw, np.uint16 if self.wide else np.uint8)
        self.positions = 0
        self.is_large = slots > MOST_SLOTS
        self._is_only_sampled = self.is_large and self.game.deriver is None
        if samples is None:
            samples = _MANY_SAMPLES if self._is_only_sampled else _SAMPLES
        self._samples = samples
        self._rng = random.Random(seed)
        self._sampled: list[tuple[int, int]] = []
        """Side and slot of each position to compare one by one."""

    def _sample_ordinals(self, count: int) -> Any:
        """Ordinals, from 0, of the positions to compare one by one, out of ``count`` positions."""
        return np.array(self._rng.sample(range(count), min(self._samples, count)), np.int64)

    def _add_samples(self, side: int, ordinals: Any, first: int, slots: Any) -> None:
        """Add the slots whose ordinals were sampled; the ordinals of ``slots`` are consecutive from ``first``."""
        indices = ordinals[(ordinals >= first) & (ordinals < first + len(slots))] - first
        self._sampled += [(side, slot) for slot in slots[indices].tolist()]

    def _code_at(self, side: int, slot: int) -> int:
        value = int(self.values[side, slot])
        if self.wide:
            return value
        return CODES_OF_BYTES[value]

    def _chunks(self, activity: str) -> Iterator[tuple[int, int, Any]]:
        """Side, first slot, and values of each chunk of both sides; reports the progress."""
        slots = self.values.shape[1]
        for side in range(2):
            for start in range(0, slots, _CACHED_CHUNK):
                self.report(activity, (side * slots + start) / (2 * slots))
                yield side, start, self.values[side, start : start + _CACHED_CHUNK]

    def _position(self, side: int, slot: int) -> str:
        return self.game.format(self.game.index.position_at(self.ending, side, slot))

    def read(self, archive: zipfile.ZipFile) -> None:
        """Read all layers; raises ArchiveError for a key that is out of place."""
        total = sum(layer.positions for layer in self.description.layers)
        done = 0
        for layer in self.description.layers:
            self.report("reading", done / total)
            self._read_layer(archive, layer)
            done += layer.positions

    def _read_layer(self, archive: zipfile.ZipFile, layer: ArchiveLayer) -> None:
        ordinals = self._sample_ordinals(layer.positions)
        example_key = None  # the key of the example, as long as it has not been read
        if self.description.example and self.description.example[0] == layer:
            example_key = self.description.example[1]

        last_key = -1
        with archive.open(layer.file) as member:
            for start in range(0, layer.positions, _CHUNK):
                length = 8 * min(_CHUNK, layer.positions - start)
                data = member.read(length)
                if len(data) != length:
                    raise EOFError
                keys = np.frombuffer(data, "<u8")
                # Strictly ascending, so that no key is listed twice.
                is_sorted = int(keys[0]) > last_key and bool((keys[1:] > keys[:-1]).all())
                _require(
                    self.name, is_sorted, _("the keys of {file} are not in ascending order").format(file=layer.file)
                )
                last_key = int(keys[-1])
                if example_key is not None and bool((keys == example_key).any()):
                    example_key = None
                slots = self._place(layer, keys)
                self._add_samples(layer.part.side, ordinals, start, slots)
            member.read(1)  # zipfile compares the checksum when the end is read
        _require(self.name, example_key is None, _("the key of its example is not in {file}").format(file=layer.file))

    def _place(self, layer: ArchiveLayer, keys: Any) -> Any:
        """Store the value of a layer at the slots of some of its keys; return the slots."""
        part = layer.part
        sides, slots = self.arrays.slots_of_keys(self.ending, keys)
        is_bad = (slots < 0) | (sides != part.side)
        if is_bad.any():
            at = int(is_bad.argmax())
            if slots[at] < 0:
                what = _("is not the key of a listed position")
            else:
                what = _("has the wrong side to move")
            raise _unsound(
                self.name, _("{keys} in {file} {what}").format(keys=int(keys[at]), file=layer.file, what=what)
            )

        # No layer consists of draws, so an earlier one has stored what is no longer a draw.
        is_taken = self.values[part.side, slots] != self.draw
        if is_taken.any():
            slot = int(slots[int(is_taken.argmax())])
            n = value_of(self._code_at(part.side, slot))[1]
            raise _unsound(
                self.name,
                _("{position} is in S{n} and again in {file}").format(
                    position=self._position(part.side, slot), n=n, file=layer.file
                ),
            )
        self.values[part.side, slots] = part.code if self.wide else byte_of(part.code)
        return slots

    def count(self) -> SolvedEnding:
        """Count the positions; return what can be written as a table.

        Raises:
            ArchiveError: A listed position is not legal or not canonical, or the description miscounts the draws.
        """
        legal = np.zeros((2, self.values.shape[1] // 64), np.uint64)
        value_end = 1 << 8 * self.values.itemsize
        boards = np.zeros((2, value_end), np.int64)
        canonical = np.zeros((2, value_end), np.int64)
        most_copies = 0
        ordinals = [self._sample_ordinals(draws) for draws in self.description.draws]

        for side, start, values in self._chunks("counting"):
            copies = self.arrays.copies(self.ending, side, start, len(values))
            is_legal = copies > 0
            is_bad = (values != self.draw) & ~is_legal
            if is_bad.any():
                slot = start + int(is_bad.argmax())
                n = value_of(self._code_at(side, slot))[1]
                position = self._position(side, slot)
                raise _unsound(
                    self.name,
                    _("S{n} lists {position}, which is impossible or a mirror copy").format(n=n, position=position),
                )

            most_copies = max(most_copies, int(copies.max()))
            draw_slots = np.flatnonzero(is_legal & (values == self.draw))
            # The draws counted so far are the ordinal of the first one in this chunk, so this comes before they are
            # added up.
            self._add_samples(side, ordinals[side], int(canonical[side, self.draw]), start + draw_slots)
            canonical[side] += np.bincount(values[is_legal], minlength=value_end)
            draws = self.description.draws[side]
            what = _(
                "more than {draws} positions with {winners} to move are in no layer, but it counts {draws} draws"
            ).format(draws=draws, winners=WINNERS[side])
            # Checked chunk by chunk, so that an archive without half of its layers fails early.
            _require(self.name, canonical[side, self.draw] <= draws, what)
            boards[side] += np.bincount(values[is_legal], copies[is_legal], minlength=value_end).astype(np.int64)
            bits = np.packbits(is_legal, bitorder="little").view(np.uint64)
            legal[side, start // 64 : start // 64 + len(bits)] = bits

        counted_draws = canonical[:, self.draw].tolist()
        for mover, draws, draw_count in zip(WINNERS, self.description.draws, counted_draws, strict=True):
            what = _("{counted} positions with {mover} to move are in no layer, but it counts {draws} draws").format(
                counted=draw_count, mover=mover, draws=draws
            )
            _require(self.name, draw_count == draws, what)
        self.positions = int(canonical.sum())
        return SolvedEnding(self.values, legal, most_copies, most_copies * canonical - boards, wide=self.wide)

    def compare_first(self) -> None:
        """Compare a few random positions, so that an archive full of errors is rejected before the long count."""
        rng = random.Random(0)
        for __ in range(_FIRST_SAMPLES):
            side = rng.randrange(2)
            start = 64 * rng.randrange(self.values.shape[1] // 64)
            slots = np.flatnonzero(self.arrays.copies(self.ending, side, start, 64))
            if len(slots):
                self._compare(side, start + int(rng.choice(slots)))

    def _code(self, position: Any) -> int:
        """The code of a position: in the archive, or in the table of a sub-ending."""

        def code_at(slot: Slot) -> int:
            if slot.ending == self.ending:
                return self._code_at(slot.side, slot.index)
            return self.library.table(slot.ending).code(slot.side, slot.index)

        return position_code(self.game, position, code_at)

    def _compare(self, side: int, slot: int) -> None:
        """Raise ArchiveError if the value of a slot differs from the value of its best move."""
        position = self.game.index.position_at(self.ending, side, slot)
        code = self._code_at(side, slot)
        derived = derived_code(self.game, position, self._code)
        if code != derived:
            raise ArchiveError(
                _(
                    "{name} contradicts the rules: it lists {position} as {value}, but the moves of this position lead"
                    " to {value2}"
                ).format(
                    name=self.name,
                    position=self.game.format(position),
                    value=_value(side, code),
                    value2=_value(side, derived),
                ),
                _BUILD_INSTEAD,
            )

    def compare_all(self) -> int:
        """Derive all positions again, one ply deep; return how many were compared.

        Positions that slots do not represent fully (en passant) are compared one by one; if there are more than 2000,
        a random sample of them. Without compiled code no position of a large ending is: it would take hours.
        """
        if self._is_only_sampled:
            return 0
        if self.game.deriver is not None and self.is_large:
            return self._compare_by_deriver(self.game.deriver)

        def stored_values(name: str, side: int) -> Any:
            if name == self.ending:
                return self.values[side]
            table = self.library.table(name)
            return table.all_stored(side, table.header.draws[side])

        if self.wide:
            code_of_value = np.arange(1 << 16)
        else:
            code_of_value = np.array(CODES_OF_BYTES)
        one_ply = self.game.solver.one_ply_deriver(self.ending, stored_values)
        slots_per_side = self.values.shape[1]
        compared = 0
        unsure: list[tuple[int, int]] = []
        for side, start in product(range(2), range(0, slots_per_side, _ONE_PLY_CHUNK)):
            self.report(_("comparing one ply deep"), (side * slots_per_side + start) / (2 * slots_per_side))
            length = min(_ONE_PLY_CHUNK, slots_per_side - start)
            slots, derived = one_ply.derived(side, start, length)
            is_sure = derived >= 0
            differs = is_sure & (derived != code_of_value[self.values[side, slots]])
            for slot in slots[differs].tolist():
                self._compare(side, slot)  # raises the error
            compared += int(np.count_nonzero(is_sure))
            unsure += [(side, slot) for slot in slots[~is_sure].tolist()]

        if len(unsure) > _MAX_UNSURE:
            unsure = self._rng.sample(unsure, _MAX_UNSURE)
        for side, slot in unsure:
            self._compare(side, slot)
        return compared + len(unsure)

    def _compare_by_deriver(self, deriver: Deriver) -> int:
        """Derive all positions by compiled code, including en passant; return how many were compared."""

        def stored_values(name: str, side: int, slot_digits: DigitFilter = ()) -> Any:
            if name == self.ending:
                return self.values[side]
            return self.library.read_side(name, side, cores(), slot_digits)

        for side in range(2):
            self.report(_("comparing one ply deep"), side / 2)
            derived = deriver.stored_side(self.ending, side, stored_values, cores(), (), self.wide)
            legal = self.game.solver.canonical_bits(self.ending, side, cores())
            for slot in lean.differing(derived, self.values[side], legal):
                self._compare(side, slot)
        return self.positions

    def compare_samples(self) -> int:
        """Derive the sampled positions of each layer, and of each side's draws, by the rules alone.

        Returns:
            The number of positions compared: all positions of a layer that has few.
        """
        for done, (side, slot) in enumerate(self._sampled):
            if done % 100 == 0:
                self.report(_("checking a sample against the rules"), done / len(self._sampled))
            self._compare(side, slot)
        return len(self._sampled)


def _value(side: int, code: int) -> str:
    """A value in words: the layer and its winner."""
    if code == DRAW:
        return "a draw"
    winner = side_name(WINNERS[side if code > DRAW else 1 - side])
    return _("S{value_of} ({winner} wins)").format(value_of=value_of(code)[1], winner=winner)


@dataclass(frozen=True, slots=True)
class ArchiveImport:
    """The result of an import.

    Attributes:
        ending: The ending.
        layers: Number of layers read.
        positions: Number of positions in them, and of draws; the keys of all of them were checked.
        compared: Positions whose values were derived again, one ply deep: nearly all of them, or none in a large ending
            of a game without compiled code for it.
        sampled: Random positions of every layer that were derived again one by one by the game's own rules.
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
    """Import a layers archive as a table, or raise an error with its first fault.

    Args:
        library: Where the table goes; its sub-endings have the values after captures.
        path: The archive.
        force: Replace an existing table; it stays unless the import succeeds.
        samples: Positions of each layer, and of each side's draws, to derive again one by one by the rules alone; by
            default 20, or 2000 if nothing else is compared.
        seed: Seed of their choice.
        report: Called with the progress.

    Raises:
        ArchiveError: The archive is damaged, contradicts itself, or breaks the rules.
        NotBuiltError: Sub-endings must be built first.
        EndingError: This version has no tables of the ending, or it is too large.
        StorageError: The table exists already, the file cannot be read, or the table cannot be written.
        BusyError: The table, or one that requires it, is locked.
    """
    os.environ.update(kernel_environment())  # before numba, which packs the table, is imported
    began = time.monotonic()

    # The archive is closed as soon as it is read, but the lock is held until the table is written.
    with ExitStack() as lock:
        with _open_archive(path) as (archive, members, fields):
            description = Description.parse(path.name, library.game, fields)
            _check_members(path.name, members, description)
            ending = description.ending
            _check_size(library.game, ending, _("import a one-sided table instead, or build the ending"))
            _check_import(library, ending, force)
            lock.enter_context(library.locks.exclusive(ending, _("the import of {path}").format(path=path.name)))
            with _enough_memory(ending):
                layers = _Import(library, path.name, description, report, samples, seed)
                layers.read(archive)
                if layers.is_large:
                    layers.compare_first()
                solved = layers.count()

        with _enough_memory(ending):
            compared = layers.compare_all()
            sampled = layers.compare_samples()
            report("writing", 0)
            size = library.write(ending, solved, began)
    return ArchiveImport(ending, len(description.layers), layers.positions, compared, sampled, size)


def _check_members(name: str, members: dict[str, zipfile.ZipInfo], description: Description) -> None:
    """Compare the names and sizes of all members with the description."""
    for layer in description.layers:
        _require(name, layer.file in members, _("{file} is missing").format(file=layer.file))
        # The description was popped when it was read; what remains after the layers does not belong here.
        size = members.pop(layer.file).file_size
        what = _("{file} has {size} bytes, but {positions} positions take 8 each").format(
            file=layer.file, size=size, positions=layer.positions
        )
        _require(name, size == 8 * layer.positions, what)
    for filename in sorted(members):
        raise _unsound(
            name, _("it contains {filename}, which the description does not name").format(filename=quoted(filename))
        )
