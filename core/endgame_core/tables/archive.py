"""The layers archive: every layer of an ending as a file of position keys, in a zip file for exchange.

``description.json`` says in plain words what the other members are: one file per layer and winner, such as
``white/S_007.keys``, of ascending little-endian uint64 keys. A position that is in no layer is a draw. The format is
told in ``docs/archive.md``; :mod:`endgame_core.tables.archive_import` reads it.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from endgame_core.errors import StorageError, TableError
from endgame_core.game import Game, Part, parity_part
from endgame_core.tables.explorer import WINNERS, Explorer
from endgame_core.tables.file import Table
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

Progress = Callable[[int, int], None]
"""Told how many positions are done, of how many."""


@dataclass(frozen=True, slots=True)
class LayerFile:
    """One layer of an archive.

    Attributes:
        file: Name of the member that holds its keys.
        winner: Who wins; White is the side named first.
        n: Plies to the end.
        positions: How many canonical positions it has.
    """

    file: str
    winner: Winner
    n: int
    positions: int

    @property
    def place(self) -> tuple[int, int]:
        """Side to move (0 for the side named first) and code of its positions."""
        part = parity_part("", WINNERS.index(self.winner), self.n)
        return part.side, part.code


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote: layers, positions in them (draws are not), bytes."""

    ending: str
    layers: int
    positions: int
    size: int


def file_name(winner: Winner, n: int) -> str:
    """The member that holds a layer."""
    return f"{winner}/S_{n:03}.keys"


def reading(game: Game[Any, Any], ending: str) -> list[str]:
    """The lines that explain the key files to a reader."""
    return [
        "Each file holds the positions of one layer as unsigned 64-bit integers, little-endian, ascending.",
        f"Bit 0 of a key is 1 when White is to move. {game.key_words(ending)}",
        "White is the side named first. Layer n holds the positions that its winner wins in n plies:",
        "with n odd the winner is to move, with n even the loser, and in layer 0 the game is over.",
        "Of symmetric copies only one is listed. A legal position that is in no file is a draw.",
    ]


def describe(library: Library, table: Table, layers: list[LayerFile]) -> dict[str, Any]:
    """The description of an archive, as it is written."""
    game: Game[Any, Any] = library.game
    ending = table.ending
    example = None
    if layers:
        longest = max((layer for layer in layers if layer.winner == layers[0].winner), key=lambda layer: layer.n)
        position = Explorer(game, library).first(Part(ending, *longest.place))
        example = {"file": longest.file, "key": game.key(position), "position": game.format(position)}
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "ending": ending,
        "title": game.title(ending),
        "rules": game.rules,
        "metric": game.metric,
        "men": list(game.men(ending)),
        "reading": reading(game, ending),
        "example": example,
        "draws": {winner: table.canonical(side, DRAW) for side, winner in enumerate(WINNERS)},
        "layers": [asdict(layer) for layer in layers],
    }


def layers_of(table: Table) -> list[LayerFile]:
    """The layers of a table that hold positions, White's first."""
    found: list[LayerFile] = []
    for winner in WINNERS:
        for n in range(DEEPEST + 1):
            part = parity_part(table.ending, WINNERS.index(winner), n)
            positions = table.canonical(part.side, part.code)
            if positions:
                found.append(LayerFile(file_name(winner, n), winner, n, positions))
    return found


def export(
    library: Library, ending: str, path: Path, *, force: bool = False, progress: Progress | None = None
) -> Exported:
    """Writes a layers archive, which appears whole or not at all.

    Args:
        library: The tables.
        ending: A built ending.
        path: The file to write.
        force: Replace the file when it is there.
        progress: Told of positions written now and then.

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
    layers = layers_of(table)
    total = sum(layer.positions for layer in layers)
    text = json.dumps(describe(library, table, layers), indent=2) + "\n"
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    done = 0
    try:
        with _writing(path):
            with temporary.open("wb") as out:
                with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION) as archive:
                    with archive.open(DESCRIPTION, "w") as member:
                        member.write(text.encode())
                    for layer, keys in _layers(library.game, table, layers):
                        with archive.open(layer.file, "w", force_zip64=keys.nbytes >> 31 > 0) as member:
                            for start in range(0, len(keys), CHUNK):
                                member.write(keys[start : start + CHUNK].tobytes())
                        done += layer.positions
                        if progress is not None:
                            progress(done, total)
                out.flush()
                os.fsync(out.fileno())
            temporary.replace(path)
            return Exported(ending, len(layers), total, path.stat().st_size)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _writing(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path} cannot be written ({error.strerror})", "choose another place") from None


def _layers(game: Game[Any, Any], table: Table, layers: list[LayerFile]) -> Iterator[tuple[LayerFile, Any]]:
    """Each layer with its keys, a '<u8' array in ascending order; one side to move after the other."""
    import numpy as np

    arrays = game.arrays()
    for side in range(2):
        codes = table.all_codes(side, DRAW)
        for layer in layers:
            if layer.place[0] != side:
                continue
            slots = np.flatnonzero(codes == layer.place[1])
            if len(slots) != layer.positions:
                raise TableError(f"the table of {table.ending} miscounts layer S{layer.n}", "build it again")
            keys = np.empty(len(slots), "<u8")
            for start in range(0, len(slots), CHUNK):
                keys[start : start + CHUNK] = arrays.keys(table.ending, side, slots[start : start + CHUNK])
            keys.sort()
            yield layer, keys
