"""Reads and checks what a layers archive says of itself: every field, and every member's name and length.

Nothing larger than a description has been read, and nothing allocated, when :func:`read_description` returns.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from endgame_core.errors import ArchiveError, EndingError, PositionError
from endgame_core.game import Game
from endgame_core.tables.archive import DEEPEST, DESCRIPTION, FORMAT, VERSION, LayerFile, file_name
from endgame_core.tables.explorer import WINNERS

_LARGEST_DESCRIPTION = 1 << 20
_FIELDS = {
    "format", "version", "game", "ending", "title", "rules", "metric", "men", "reading", "example", "draws", "layers",
}  # fmt: skip
_AGAIN = "nothing was imported; get the archive again, or export it anew"


@dataclass(frozen=True, slots=True)
class Description:
    """What an archive says of itself, once it has been found sound.

    Attributes:
        ending: The ending.
        layers: Its layers, in the order of the description.
        draws: Drawn positions per side to move.
        example: A member and one key in it, or None.
    """

    ending: str
    layers: tuple[LayerFile, ...]
    draws: tuple[int, int]
    example: tuple[str, int] | None


def wrong(name: str, what: str) -> ArchiveError:
    """The error for an archive that is not what it should be."""
    return ArchiveError(f"{name} is no sound archive: {what}", _AGAIN)


def read_description(path: Path, archive: zipfile.ZipFile, game: Game[Any, Any]) -> Description:
    """Reads and checks the description, and the names and sizes of all members against it."""
    members = _members(path.name, archive)
    found = _fields(path.name, archive, members.pop(DESCRIPTION, None))
    described = _Described(path.name, game, found).check()
    for layer in described.layers:
        info = members.pop(layer.file, None)
        if info is None:
            raise wrong(path.name, f"{layer.file} is missing")
        if info.file_size != 8 * layer.positions:
            raise wrong(
                path.name, f"{layer.file} has {info.file_size} bytes, but {layer.positions} positions take 8 each"
            )
    if members:
        raise wrong(path.name, f"it holds {min(members)!r}, which the description does not name")
    return described


def game_named(path: Path, archive: zipfile.ZipFile) -> str:
    """The game that an archive says it is of; empty where it says none. Nothing else is checked."""
    found = _fields(path.name, archive, _members(path.name, archive).get(DESCRIPTION))
    named = cast("dict[str, Any]", found).get("game") if isinstance(found, dict) else None
    return named if isinstance(named, str) else ""


def _fields(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo | None) -> Any:
    """The description as it was found."""
    if info is None:
        raise wrong(name, f"it holds no {DESCRIPTION}")
    if info.file_size > _LARGEST_DESCRIPTION:
        raise wrong(name, f"its {DESCRIPTION} is {info.file_size} bytes long")
    with archive.open(info) as member:
        text = member.read(_LARGEST_DESCRIPTION)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise wrong(name, f"its {DESCRIPTION} is no JSON") from None


def _members(name: str, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members by name; the two folders, which other programs write, are left out."""
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        if info.filename in found:
            raise wrong(name, f"it holds {info.filename!r} twice")
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise wrong(name, f"{info.filename!r} is encrypted or packed by a method other than deflate")
        if info.file_size or info.filename not in [f"{winner}/" for winner in WINNERS]:
            found[info.filename] = info
    return found


class _Described:
    """A description as it was found; :meth:`check` makes sure of every field."""

    def __init__(self, name: str, game: Game[Any, Any], found: Any) -> None:
        self.name = name
        self.game = game
        self.found = found

    def check(self) -> Description:
        """The description's content; raises ArchiveError, or EndingError for what this program has no table of."""
        if not isinstance(self.found, dict) or self.found.get("format") != FORMAT:
            raise self._wrong(f"its {DESCRIPTION} is not of the format {FORMAT!r}")
        if self.found.get("version") != VERSION:
            raise ArchiveError(f"{self.name} is of another version of the format", "update this program")
        if set(self.found) != _FIELDS:
            odd = min(set(self.found) ^ _FIELDS)
            raise self._wrong(f"its {DESCRIPTION} has {'an unknown' if odd in self.found else 'no'} field {odd!r}")
        ending = self._ending()
        fixed = {"rules": self.game.rules, "metric": self.game.metric, "men": list(self.game.men(ending))}
        for field, expected in fixed.items():
            if self.found[field] != expected:
                raise self._wrong(f"its {field} should be {expected!r}")
        told = self.found["reading"]
        if (
            not isinstance(self.found["title"], str)
            or not isinstance(told, list)
            or any(type(t) is not str for t in told)
        ):
            raise self._wrong("its title or reading is not text")
        layers = self._layers(ending)
        draws = self.found["draws"]
        if not _has_fields(draws, WINNERS) or not all(_is_count(draws[w], 0, self.game.slots(ending)) for w in draws):
            raise self._wrong("its draws are not two counts, white and black")
        found = Description(ending, layers, (draws["white"], draws["black"]), self._example(ending, layers))
        for side in range(2):
            total = found.draws[side] + sum(layer.positions for layer in layers if layer.place[0] == side)
            if total > self.game.slots(ending):
                raise self._wrong(f"it counts {total} positions with {WINNERS[side]} to move, more than there can be")
        return found

    def _wrong(self, what: str) -> ArchiveError:
        return wrong(self.name, what)

    def _ending(self) -> str:
        if self.found["game"] != self.game.name:
            raise self._wrong(f"it is of another game than {self.game.name}")
        ending = self.found["ending"]
        try:
            known = isinstance(ending, str) and len(ending) < 20 and self.game.canonical_name(ending) == ending
        except EndingError:
            known = False
        if not known:
            raise self._wrong(f"its ending is none that this program knows, spelled as {self.game.endings()[1]}")
        reason = self.game.obstacle(ending)
        if reason:
            raise EndingError(f"{ending} cannot be imported", reason)
        return ending

    def _layers(self, ending: str) -> tuple[LayerFile, ...]:
        found: list[LayerFile] = []
        listed = self.found["layers"]
        for entry in listed if isinstance(listed, list) else [None]:
            if not _has_fields(entry, ("file", "winner", "n", "positions")):
                raise self._wrong("its layers are not a list of file, winner, n and positions")
            layer = LayerFile(**cast("dict[str, Any]", entry))
            if layer.winner not in WINNERS or not _is_count(layer.n, 0, DEEPEST):
                raise self._wrong("a layer's winner is not white or black, or its n is not from 0 to 254")
            if layer.file != file_name(layer.winner, layer.n):
                raise self._wrong(f"the file of layer S{layer.n}, {layer.winner} wins, has another name than it should")
            if not _is_count(layer.positions, 1, self.game.slots(ending)):
                raise self._wrong(f"{layer.file} cannot have as many positions as it claims")
            if layer in found or any(layer.file == other.file for other in found):
                raise self._wrong(f"{layer.file} is listed twice")
            found.append(layer)
        return tuple(found)

    def _example(self, ending: str, layers: tuple[LayerFile, ...]) -> tuple[str, int] | None:
        example = self.found["example"]
        if not layers and example is None:
            return None
        if not _has_fields(example, ("file", "key", "position")) or not _is_count(example["key"], 0, 1 << 63):
            raise self._wrong("its example is not a file, a key and a position")
        try:
            position = self.game.from_key(ending, example["key"])
        except PositionError:
            raise self._wrong("the key of its example is none") from None
        if self.game.format(position) != example["position"]:
            raise self._wrong("the key and the position of its example differ")
        if all(example["file"] != layer.file for layer in layers):
            raise self._wrong("the file of its example is none of the layers")
        return example["file"], example["key"]


def _has_fields(value: Any, fields: tuple[str, ...]) -> bool:
    return isinstance(value, dict) and set(cast("dict[str, Any]", value)) == set(fields)


def _is_count(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most
