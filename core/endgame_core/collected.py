"""Files of positions, in any game: a position in each line, or games as text.

Every line that is not blank and every game becomes one :class:`Collected`, good or bad, so nothing of a file is lost
without a word. Whether a position suits the reader (men, a game that is over) is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from endgame_core import movetext
from endgame_core.errors import EndgameError, PositionError, StudyError
from endgame_core.movetext import BrokenGame, Script

Opcodes = Mapping[str, str | int | float]
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Collected:
    """A position as a file gives it, good or bad.

    Attributes:
        where: Where it stands, such as ``line 3`` or ``game 12``.
        text: What stands there, shortened.
        problem: Why it cannot be read, one clause; empty when it can.
        position: The position as text.
        name: EPD opcode ``id``; the players and event of a game.
        note: EPD opcode ``c0``; what follows a position; the comment of a game.
        source: File and place.
        best: EPD opcode ``bm``, in SAN.
        mate: EPD opcode ``dm`` as plies, positive when the side to move mates.
        opcodes: All other EPD opcodes; ``pv``, the moves, for a game that starts from a position of its own.
    """

    where: str = ""
    text: str = ""
    problem: str = ""
    position: str = ""
    name: str = ""
    note: str = ""
    source: str = ""
    best: tuple[str, ...] = ()
    mate: int | None = None
    opcodes: Opcodes = field(default_factory=dict[str, str | int | float])


def read(path: Path, script: Script[Any, Any], line: Callable[[str], Collected], kinds: str) -> Iterator[Collected]:
    """Reads a file of positions: games when it is called ``.pgn`` or begins with a header, else one in each line.

    Args:
        path: The file.
        script: Reads the games.
        line: Reads a line, where it stands left out; raises EndgameError for a bad one.
        kinds: The files that can be read, in words.

    Raises:
        StudyError: The file cannot be read at all.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise StudyError(f"{path} cannot be read ({error.strerror})", f"name a file {kinds}") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    text = re.sub(r"\r\n?", "\n", text)
    if path.suffix.lower() == ".pgn" or movetext.HEADER.match(text.lstrip()):
        return _games(text, path.name, script)
    return _lines(text, path.name, line)


def _lines(text: str, file: str, read_line: Callable[[str], Collected]) -> Iterator[Collected]:
    for number, raw in enumerate(text.split("\n"), 1):
        line, where = raw.strip(), f"line {number}"
        if not line or line.startswith("#"):
            continue
        try:
            found = replace(read_line(line), source=f"{file}, {where}")
        except EndgameError as error:
            found = Collected(problem=error.what)
        yield replace(found, where=where, text=_shown(line))


def _games(text: str, file: str, script: Script[Any, Any]) -> Iterator[Collected]:
    number = 0
    for number, game in enumerate(movetext.games(text, script), 1):
        where = f"game {number}"
        if isinstance(game, BrokenGame):
            yield Collected(where, _shown(game.name or where), game.problem.removesuffix("."))
            continue
        try:
            found = _game(game, script)
        except PositionError as error:
            found = Collected(problem=error.what)
        name = _title(game.headers)
        shown = _shown(f"{name} {found.position}") or where
        yield replace(found, where=where, text=shown, name=name, source=f"{file}, {where}")
    if not number and text.strip():
        yield Collected("the file", _shown(text), "it has no game")


def _game(record: movetext.GameText[Any, Any], script: Script[Any, Any]) -> Collected:
    """The start of a game that has one of its own, else the position after its moves; raises PositionError."""
    game, position, line = script.game, record.start, list[str]()
    for note in record.notes:
        line.append(game.san(position, note.move))
        position = game.play(position, note.move)
    if "FEN" in script.headers(record.start):
        text, comment = game.format(record.start), record.comment
    elif record.notes:
        text, comment, line = game.format(position), record.notes[-1].comment, []
    else:
        raise PositionError("it has neither a FEN tag nor moves")
    game.parse(text)  # more than a game may begin with can be no position of tables
    opcodes: Opcodes = {"pv": " ".join(line)} if line else {}
    return Collected(position=text, note=re.sub(r"\[%[^\]]*\]", "", comment).strip(), opcodes=opcodes)


def _title(headers: Mapping[str, str]) -> str:
    """The players, the event and the year, as far as they are known."""
    known = {name: headers.get(name, "").strip(" ?.-*") for name in ("White", "Black", "Event", "Date")}
    players = " – ".join(filter(None, (known["White"], known["Black"])))
    return ", ".join(filter(None, (players, known["Event"], known["Date"][:4])))


def _shown(text: str) -> str:
    """Text for a list: one line, nothing that a terminal would obey, not too long."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * _SHOWN]).split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
