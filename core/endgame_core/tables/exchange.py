"""The layers archive: every layer of an ending as a file of position keys, in a zip file for exchange.

``description.json`` says in plain words what the other members are: one file per layer and winner, such as
``white/S_007.keys``, of ascending little-endian uint64 keys. A position that is in no layer is a draw. The format is
told in ``docs/archive.md``. :mod:`.exchange_import` reads it.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from endgame_core.errors import ArchiveError, EndingError, PositionError, StorageError, TableError
from endgame_core.game import Game, Part, parity_part
from endgame_core.paths import whole
from endgame_core.tables.explorer import WINNERS
from endgame_core.tables.file import Table
from endgame_core.tables.format import fits
from endgame_core.tables.library import Library
from endgame_core.values import DRAW, Winner

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
