"""The layers archive: every layer of an ending as a file of position keys, in a zip file for exchange.

``description.json`` says in plain words what the other members are: one file per layer and winner, such as
``white/S_007.keys``, of ascending little-endian uint64 keys. A position that is in no layer is a draw. The format is
told in ``docs/archive.md``.

An import trusts nothing that an archive says. The description is checked field by field, and every length against it,
before anything is allocated; every key must be that of a legal canonical position, in order, in one layer only; what
the layers claim is then held against the rules, without the solver. The table is written last, so a refused archive
leaves the library as it was.
"""

from __future__ import annotations

import errno
import json
import os
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from endgame_core.errors import (
    ArchiveError,
    EndgameError,
    EndingError,
    NotBuiltError,
    PositionError,
    StorageError,
    TableError,
)
from endgame_core.game import Game, Part, Slot, Solved, derived_code, parity_part, position_code
from endgame_core.paths import kernel_environment, whole
from endgame_core.tables.explorer import WINNERS
from endgame_core.tables.file import Table, fits
from endgame_core.tables.library import Library
from endgame_core.values import DRAW, Winner, value_of

FORMAT = "endgame-tui layers"
VERSION = 1
DESCRIPTION = "description.json"
DEEPEST = 254

CHUNK = 1 << 22
"""Slots, or keys, worked on at a time."""

_COMPRESSION = 1
"""zlib's level: higher ones take many times as long to save a tenth."""
_AGAIN = "nothing was imported; get the archive again, or export it anew"

Report = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much."""


def silent(what: str, done: int, total: int) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True)
class Layer:
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
    """

    ending: str
    layers: tuple[Layer, ...]
    draws: tuple[int, int]
    example: tuple[Layer, int] | None

    @classmethod
    def of(cls, game: Game[Any, Any], table: Table) -> Description:
        """The description of a table; the example is the first position of the longest win."""
        layers = tuple(
            Layer(winner, n, positions)
            for winner in WINNERS
            for n in range(DEEPEST + 1)
            for part in [parity_part("", WINNERS.index(winner), n)]
            if (positions := table.canonical(part.side, part.code))
        )
        example = None
        if layers:
            layer = max((layer for layer in layers if layer.winner == layers[0].winner), key=lambda layer: layer.n)
            side, code = layer.part.side, layer.part.code
            frame = next(frame for frame, count in enumerate(table.frame_counts(side, code)) if count)
            position = game.index.position_at(table.ending, side, table.select(side, frame, code)[0])
            example = (layer, game.index.key(position))
        return cls(table.ending, layers, (table.canonical(0, DRAW), table.canonical(1, DRAW)), example)

    def written(self, game: Game[Any, Any]) -> dict[str, Any]:
        """The description as an archive holds it."""
        example = None
        if self.example is not None:
            layer, key = self.example
            example = {"file": layer.file, "key": key, "position": game.format(game.index.from_key(self.ending, key))}
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": game.name,
            "ending": self.ending,
            "title": game.title(self.ending),
            "rules": game.rules,
            "metric": game.metric,
            "men": list(game.men(self.ending)),
            "reading": [
                "Each file holds the positions of one layer as unsigned 64-bit integers, little-endian, ascending.",
                f"Bit 0 of a key is 1 when White is to move. {game.index.key_words(self.ending)}",
                "White is the side named first. Layer n holds the positions that its winner wins in n plies:",
                "with n odd the winner is to move, with n even the loser, and in layer 0 the game is over.",
                "Of symmetric copies only one is listed. A legal position that is in no file is a draw.",
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
        known = isinstance(found, dict) and cast("dict[str, Any]", found).get("format") == FORMAT
        need(name, known, f"its {DESCRIPTION} is not of the format {FORMAT!r}")
        if found.get("version") != VERSION:
            raise ArchiveError(f"{name} is of another version of the format", "update this program")
        for odd in sorted(set(found) ^ _FIELDS):
            need(name, False, f"its {DESCRIPTION} has {'an unknown' if odd in found else 'no'} field {odd!r}")
        need(name, found["game"] == game.name, f"it is of another game than {game.name}")
        ending = found["ending"]
        need(
            name,
            _is_ending(game, ending),
            f"its ending is none that this program knows, spelled as {game.endings()[1]}",
        )
        most = range(game.index.slots(ending) + 1)
        expected = cls(ending, (), (0, 0), None).written(game)
        for field in ("rules", "metric", "men"):
            need(name, found[field] == expected[field], f"its {field} should be {expected[field]!r}")
        is_text = fits(found["title"], str) and fits(found["reading"], [str])
        need(name, is_text, "its title or reading is not text")
        layers = _layers(name, found["layers"], most)
        draws = found["draws"]
        need(name, fits(draws, dict.fromkeys(WINNERS, most)), "its draws are not two counts, white and black")
        example = None
        if layers or found["example"] is not None:
            example = _example(name, game, ending, layers, found["example"])
        for side, mover in enumerate(WINNERS):
            total = draws[mover] + sum(layer.positions for layer in layers if layer.part.side == side)
            need(name, total in most, f"it counts {total} positions with {mover} to move, more than there can be")
        return cls(ending, layers, (draws["white"], draws["black"]), example)


_FIELDS = {
    "format", "version", "game", "ending", "title", "rules", "metric", "men", "reading", "example", "draws", "layers",
}  # fmt: skip


def wrong(name: str, what: str) -> ArchiveError:
    """The error for an archive that is not what it should be."""
    return ArchiveError(f"{name} is no sound archive: {what}", _AGAIN)


def need(name: str, sound: bool, what: str) -> None:
    """Raises that error unless something is as it should be."""
    if not sound:
        raise wrong(name, what)


def _anything(_: object) -> bool:
    return True


def _is_ending(game: Game[Any, Any], text: Any) -> bool:
    try:
        return isinstance(text, str) and len(text) < 20 and game.canonical_name(text) == text
    except EndingError:
        return False


def _layers(name: str, listed: Any, most: range) -> tuple[Layer, ...]:
    is_list = fits(listed, [dict.fromkeys(("file", "winner", "n", "positions"), _anything)])
    need(name, is_list, "its layers are not a list of file, winner, n and positions")
    found: dict[str, Layer] = {}
    for entry in listed:
        layer = Layer(entry["winner"], entry["n"], entry["positions"])
        is_layer = layer.winner in WINNERS and fits(layer.n, range(DEEPEST + 1))
        need(name, is_layer, "a layer's winner is not white or black, or its n is not from 0 to 254")
        what = f"the file of layer S{layer.n}, {layer.winner} wins, has another name than it should"
        need(name, entry["file"] == layer.file, what)
        need(name, fits(layer.positions, most[1:]), f"{layer.file} cannot have as many positions as it claims")
        need(name, layer.file not in found, f"{layer.file} is listed twice")
        found[layer.file] = layer
    return tuple(found.values())


def _example(
    name: str, game: Game[Any, Any], ending: str, layers: tuple[Layer, ...], example: Any
) -> tuple[Layer, int]:
    is_example = fits(example, {"file": _anything, "key": range((1 << 63) + 1), "position": _anything})
    need(name, is_example, "its example is not a file, a key and a position")
    try:
        position = game.format(game.index.from_key(ending, example["key"]))
    except PositionError:
        raise wrong(name, "the key of its example is none") from None
    need(name, position == example["position"], "the key and the position of its example differ")
    named = [layer for layer in layers if layer.file == example["file"]]
    need(name, bool(named), "the file of its example is none of the layers")
    return named[0], example["key"]


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote: layers, positions in them (draws are not), bytes."""

    ending: str
    layers: int
    positions: int
    size: int


def export(library: Library, ending: str, path: Path, *, force: bool = False, report: Report = silent) -> Exported:
    """Writes a layers archive, which appears whole or not at all.

    Args:
        library: The tables.
        ending: A built ending.
        path: The file to write.
        force: Replace the file when it is there.
        report: Told of positions written now and then.

    Returns:
        What was written.

    Raises:
        NotBuiltError: There is no table.
        TableError: The table is damaged.
        StorageError: The file is there already, or cannot be written.
    """
    if path.exists() and not force:
        raise StorageError(f"{path} is there already", "choose another name, or add --force to replace it")
    table = library.table(ending)
    description = Description.of(library.game, table)
    total = sum(layer.positions for layer in description.layers)
    done = 0
    try:
        with whole(path) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION) as archive:
            with archive.open(DESCRIPTION, "w") as member:
                member.write(f"{json.dumps(description.written(library.game), indent=2)}\n".encode())
            for layer, keys in _keys(library.game, table, description.layers):
                with archive.open(layer.file, "w", force_zip64=keys.nbytes >> 31 > 0) as member:
                    for start in range(0, len(keys), CHUNK):
                        member.write(keys[start : start + CHUNK].tobytes())
                done += layer.positions
                report("writing", done, total)
        return Exported(ending, len(description.layers), total, path.stat().st_size)
    except OSError as error:
        raise StorageError(f"{path} cannot be written ({error.strerror})", "choose another place") from None


def _keys(game: Game[Any, Any], table: Table, layers: tuple[Layer, ...]) -> Iterator[tuple[Layer, Any]]:
    """Each layer with its keys, a '<u8' array in ascending order; one side to move after the other."""
    import numpy as np

    arrays = game.index.arrays()
    for side in range(2):
        codes = table.all_codes(side, DRAW)
        for layer in layers:
            if layer.part.side != side:
                continue
            slots = np.flatnonzero(codes == layer.part.code)
            if len(slots) != layer.positions:
                raise TableError(f"the table of {table.ending} miscounts layer S{layer.n}", "build it again")
            keys = np.empty(len(slots), "<u8")
            for start in range(0, len(slots), CHUNK):
                keys[start : start + CHUNK] = arrays.keys(table.ending, side, slots[start : start + CHUNK])
            keys.sort()
            yield layer, keys


_INSTEAD = "nothing was imported; build the ending instead"
_MOST_ENDS = 20_000
"""Positions that look like a finished game and are looked at; an ending with more of them is sampled."""

MOST_SLOTS = 1 << 24
"""Slots of one side of the largest ending that is derived as a whole: its sub-endings have to fit into memory, too."""

_MOST_UNSURE = 2000
"""Positions that cannot be derived many at once, and are compared one by one."""

_RANGE = 1 << 18


def check_needs(library: Library, ending: str) -> None:
    """Raises NotBuiltError for sub-endings without which an import cannot be checked."""
    missing = [name for name in library.game.needs(ending) if not library.is_built(name)]
    if missing:
        names = " ".join(missing)
        raise NotBuiltError(
            missing[0], f"the check of {ending} needs it for the values after captures; run: endgame-tui build {names}"
        )


class Check:
    """Compares a solved ending, as an archive tells it, with the rules.

    Args:
        library: Has the tables of the sub-endings.
        name: Name of the archive, for errors.
        ending: The ending.
        solved: Its codes.
        tally: Its positions per side, chunk of slots and code.
        report: Told what is done, how much of it, and of how much.
    """

    def __init__(
        self,
        library: Library,
        name: str,
        ending: str,
        solved: Solved,
        tally: Any,
        report: Report,
    ) -> None:
        self.library = library
        self.game: Game[Any, Any] = library.game
        self.name = name
        self.ending = ending
        self.solved = solved
        self.tally = tally
        self.report = report

    def _look(self, slot: Slot) -> int:
        if slot.ending == self.ending:
            return int(self.solved.codes[slot.side, slot.index])
        return self.library.table(slot.ending).value(slot.side, slot.index)

    def _code(self, position: Any) -> int:
        return position_code(self.game, position, self._look)

    def _compare(self, side: int, slot: int) -> None:
        """Raises ArchiveError when the value of a slot is not what its moves make it."""
        position = self.game.index.position_at(self.ending, side, slot)
        found, expected = int(self.solved.codes[side, slot]), derived_code(self.game, position, self._code)
        if found != expected:
            raise ArchiveError(
                f"{self.name} breaks the rules: {self.game.format(position)} is {_place(side, found)} in it, "
                f"but its moves lead to {_place(side, expected)}",
                _INSTEAD,
            )

    @property
    def whole(self) -> bool:
        """Whether the ending is small enough for :meth:`everything`."""
        return self.solved.codes.shape[1] <= MOST_SLOTS

    def _codes(self, name: str, side: int) -> Any:
        return self.solved.codes[side] if name == self.ending else self.library.table(name).all_codes(side, DRAW)

    def everything(self, seed: int | None) -> int:
        """Derives all positions again, one ply deep; returns how many were compared.

        Those that slots do not tell all about (en passant) are compared one by one; of more than 2 000, so many at
        random.
        """
        import numpy as np

        one_ply = self.game.solver.one_ply(self.ending, self._codes)
        size = self.solved.codes.shape[1]
        compared = 0
        unsure: list[tuple[int, int]] = []
        for side in range(2):
            for start in range(0, size, _RANGE):
                self.report("comparing one ply deep", side * size + start, 2 * size)
                slots, derived = one_ply.derived(side, start, min(_RANGE, size - start))
                known = derived >= 0
                for slot in slots[known & (derived != self.solved.codes[side, slots])].tolist():
                    self._compare(side, slot)
                compared += int(np.count_nonzero(known))
                unsure += [(side, slot) for slot in slots[~known].tolist()]
        if len(unsure) > _MOST_UNSURE:
            unsure = random.Random(seed).sample(unsure, _MOST_UNSURE)
        for side, slot in unsure:
            self._compare(side, slot)
        return compared + len(unsure)

    def ends(self, seed: int | None) -> int:
        """Makes sure of layer 0: every finished game is in it, and nothing else.

        Args:
            seed: Makes the choice repeatable where there is one.

        Returns:
            Positions compared: those where the side to move looks lost at first sight; of more than 20 000, so many
            at random.
        """
        import numpy as np

        arrays = self.game.index.arrays()
        found: list[tuple[int, int]] = []
        for side in range(2):
            codes = self.solved.codes[side]
            listed = 0
            for start in range(0, len(codes), CHUNK):
                self.report("looking for finished games", side * len(codes) + start, 2 * len(codes))
                part = codes[start : start + CHUNK]
                slots = np.flatnonzero(arrays.end_candidates(self.ending, side, start, len(part)))
                listed += int(np.count_nonzero(part[slots] == 0))
                found += [(side, slot) for slot in (start + slots).tolist()]
            if listed != int(self.tally[side, :, 0].sum()):
                where = f"{WINNERS[1 - side]}/S_000.keys"
                raise ArchiveError(f"{self.name} breaks the rules: {where} lists games that are not over", _INSTEAD)
        if len(found) > _MOST_ENDS:
            found = random.Random(seed).sample(found, _MOST_ENDS)
        for side, slot in found:
            position = self.game.index.position_at(self.ending, side, slot)
            verdict = self.game.terminal(position)
            if (verdict is not None and verdict.depth == 0) != (self.solved.codes[side, slot] == 0):
                self._compare(side, slot)
        return len(found)

    def samples(self, count: int, seed: int | None) -> int:
        """Derives random positions again, one ply deep.

        Args:
            count: Positions of each layer, and of each side's draws; all of them where there are fewer.
            seed: Makes the choice repeatable.

        Returns:
            Positions compared.
        """
        wanted = [
            (side, code, min(count, int(self.tally[side, :, code].sum())))
            for side in range(2)
            for code in range(256)
        ]  # fmt: skip
        total = sum(number for _, _, number in wanted)
        done = 0
        for side, slot in self._chosen(wanted, random.Random(seed)):
            if done % 100 == 0:
                self.report("comparing by the rules alone", done, total)
            self._compare(side, slot)
            done += 1
        return done

    def _chosen(self, wanted: list[tuple[int, int, int]], rng: random.Random) -> Iterator[tuple[int, int]]:
        """Random slots, chunk by chunk: so many, all different, of each (side, code)."""
        import numpy as np

        picks: dict[tuple[int, int], dict[int, list[int]]] = {}
        for side, code, number in wanted:
            if not number:
                continue
            ends = np.cumsum(self.tally[side, :, code])
            for ordinal in rng.sample(range(int(ends[-1])), number):
                chunk = int(np.searchsorted(ends, ordinal, side="right"))
                first = int(ends[chunk - 1]) if chunk else 0
                picks.setdefault((side, chunk), {}).setdefault(code, []).append(ordinal - first)
        for (side, chunk), codes in sorted(picks.items()):
            start = chunk * CHUNK
            part = self.solved.codes[side, start : start + CHUNK]
            canonical = self.game.index.arrays().copies(self.ending, side, start, len(part)) > 0
            for code, ordinals in codes.items():
                slots = np.flatnonzero(canonical & (part == code))
                yield from ((side, start + int(slots[ordinal])) for ordinal in ordinals)


def _place(side: int, code: int) -> str:
    """A value in words: the layer and its winner."""
    if code == DRAW:
        return "a draw"
    winner = WINNERS[side if code > DRAW else 1 - side].capitalize()
    return f"S{value_of(code)[1]} ({winner} wins)"


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
    os.environ.update(kernel_environment())  # before numba, which packs the table, is imported

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
