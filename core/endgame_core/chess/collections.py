"""Collections of positions: reads FEN lists, EPD and PGN files, and writes EPD.

Every line that is not blank and every game becomes one :class:`Record`, good or bad, so nothing of a file is lost
without a word. Whether a position suits the reader (men, a game that is over) is not decided here.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import chess
import chess.pgn

from endgame_core.chess import notation
from endgame_core.collected import Opcodes, Record
from endgame_core.errors import PositionError, StudyError

_MOVES = ("bm", "am", "pv", "sm")
"""Opcodes whose operands are moves, and are written without quotes."""
_SHOWN = 80
_LONGEST_MATE = 500


def read(path: Path) -> Iterator[Record]:
    """Reads a file of positions: PGN when it is called so or begins with a tag, else one FEN or EPD per line.

    Raises:
        StudyError: The file cannot be read at all.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise StudyError(f"{path} cannot be read ({error.strerror})", "name a file of FEN, EPD or PGN") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    text = re.sub(r"\r\n?", "\n", text)
    if path.suffix.lower() == ".pgn" or text.lstrip().startswith("["):
        return _games(text, path.name)
    return _lines(text, path.name)


def _lines(text: str, file: str) -> Iterator[Record]:
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if line and not line.startswith("#"):
            yield _line(line, f"line {number}", f"{file}, line {number}")


def _line(line: str, where: str, source: str) -> Record:
    """A FEN with or without its counts, and what follows it: EPD operations, or a note after ``#`` or ``;``."""
    shown = _shown(line)
    found = re.match(r"(\S+\s+\S+\s+\S+\s+\S+)((?:\s+\d+){2}(?=\s|;|$))?\s*(.*)$", line)
    fields, counts, rest = found.groups(default="") if found else (line, "", "")
    try:
        fen = notation.fen(notation.parse_position(fields + counts))
        if rest.startswith(("#", ";")):
            return Record(where, shown, "", fen, note=rest.lstrip("#; "), source=source)
        operations = _operations(fields, rest)
    except PositionError as error:
        return Record(where, shown, error.what)
    except (ValueError, AssertionError) as error:
        return Record(where, shown, f"its EPD operations cannot be read: {error}")
    if not counts and {"hmvc", "fmvn"} & set(operations):
        counts = f" {operations.get('hmvc', 0)} {operations.get('fmvn', 1)}"
        try:
            fen = notation.fen(notation.parse_position(fields + counts))
        except PositionError as error:
            return Record(where, shown, error.what)
    taken = {"id", "c0", "bm", "hmvc", "fmvn"}
    mate = _plies(operations.get("dm"))
    taken |= {"dm"} if mate else set()
    best = tuple(str(operations.get("bm", "")).split())
    opcodes = {name: value for name, value in operations.items() if name not in taken}
    name, note = str(operations.get("id", "")), str(operations.get("c0", ""))
    return Record(where, shown, "", fen, name, note, source, best, mate, opcodes)


def _operations(fields: str, rest: str) -> dict[str, str | int | float]:
    """EPD operations with moves as SAN; raises ValueError."""
    if not rest:
        return {}
    board = chess.Board(None)
    found: dict[str, Any] = board.set_epd(f"{fields} {rest}")
    operations: dict[str, str | int | float] = {}
    for opcode, value in found.items():
        if isinstance(value, list):
            operations[opcode] = _sans(board, opcode, value)
        elif isinstance(value, chess.Move):
            operations[opcode] = board.san(value)
        else:
            operations[opcode] = "" if value is None else value
    return operations


def _sans(board: chess.Board, opcode: str, moves: list[chess.Move]) -> str:
    """Moves in SAN: one after another for a line, else all from the same position."""
    board = board.copy(stack=False)
    if opcode == "pv":
        return " ".join(board.san_and_push(move) for move in moves)
    return " ".join(board.san(move) for move in moves)


def _plies(mate: str | float | None) -> int | None:
    """Full moves of the opcode ``dm`` as plies, positive when the side to move mates; None when it says nothing."""
    if not isinstance(mate, int) or not mate or abs(mate) > _LONGEST_MATE:
        return None
    return 2 * mate - 1 if mate > 0 else 2 * mate


class _Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Collects errors without printing them."""

    def __init__(self) -> None:
        super().__init__(Game=chess.pgn.Game)

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


_TAG = re.compile(r"\[\s*[A-Za-z0-9][A-Za-z0-9_+#=:-]*\s")


def _games(text: str, file: str) -> Iterator[Record]:
    """One record per game. The text is cut before each block of tags, so that no game can swallow the next."""
    number = 0
    for chunk in _chunks(text):
        stream = io.StringIO(chunk)
        while True:
            before = stream.tell()
            try:
                game = chess.pgn.read_game(stream, Visitor=_Builder)
            except (ValueError, AssertionError, AttributeError, IndexError, KeyError) as error:
                number += 1
                yield Record(f"game {number}", _shown(chunk), f"it cannot be read: {error}")
                break
            if game is None:
                break
            number += 1
            yield _game(game, chunk[before : stream.tell()], f"game {number}", f"{file}, game {number}")
    if not number and text.strip():
        yield Record("the file", _shown(text), "it has no game")


def _chunks(text: str) -> Iterator[str]:
    chunk: list[str] = []
    in_tags = True
    for line in text.splitlines(keepends=True):
        is_tag = bool(_TAG.match(line))
        if is_tag and not in_tags and chunk:
            yield "".join(chunk)
            chunk = []
        in_tags = is_tag or (in_tags and not line.strip())
        chunk.append(line)
    yield "".join(chunk)


def _game(game: chess.pgn.Game, text: str, where: str, source: str) -> Record:
    """The start of a game that has a FEN tag, else the position after its moves."""
    fen, name = game.headers.get("FEN", ""), _title(game.headers)
    shown = _shown(f"{name} {fen}" if name or fen else text)
    try:
        if problem := _problem(game, text):
            return Record(where, shown, problem)
        if not fen:
            end = game.end()
            position = notation.fen(notation.parse_position(end.board().fen()))
            return Record(where, shown, "", position, name, _comment(end), source)
        line = _sans(game.board(), "pv", list(game.mainline_moves()))
        position = notation.fen(notation.parse_position(fen))
    except PositionError as error:
        return Record(where, shown, error.what)
    return Record(where, shown, "", position, name, _comment(game), source, opcodes={"pv": line} if line else {})


def _problem(game: chess.pgn.Game, text: str) -> str:
    """Why a game gives no position, or nothing; raises PositionError for a bad FEN tag."""
    if game.headers.get("Variant", "").casefold() not in ("", "standard", "chess", "from position"):
        return f"it is a game of another variant, {_shown(game.headers['Variant'])}"
    if text.rfind("{") > text.rfind("}"):
        return "a comment in it is not closed"
    if "FEN" in game.headers:
        notation.parse_position(game.headers["FEN"])
    elif re.search(r"^\[\s*FEN\b", text, re.MULTILINE | re.IGNORECASE):
        return "its FEN tag cannot be read"
    if game.errors:
        return f"a move cannot be read: {_shown(str(game.errors[0]))}"
    if "FEN" not in game.headers and game.is_end():
        return "it has neither a FEN tag nor moves"
    return ""


def _title(headers: chess.pgn.Headers) -> str:
    """The players, the event and the year, as far as they are known."""
    known = {name: headers.get(name, "").strip(" ?.-*") for name in ("White", "Black", "Event", "Date")}
    players = " – ".join(filter(None, (known["White"], known["Black"])))
    return ", ".join(filter(None, (players, known["Event"], known["Date"][:4])))


def _comment(node: chess.pgn.GameNode) -> str:
    """The comment of a node without commands such as ``[%eval 1.2]``."""
    return re.sub(r"\[%[^\]]*\]", "", node.comment).strip()


def _shown(text: str) -> str:
    """Text for a list: one line, nothing that a terminal would obey, not too long."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * _SHOWN]).split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def epd(
    position: str,
    *,
    name: str = "",
    note: str = "",
    best: Sequence[str] = (),
    mate: int | None = None,
    opcodes: Opcodes | None = None,
) -> str:
    """One line of EPD, without line break; what :func:`read` gives can be written, and read again.

    Args:
        position: FEN; its counts of moves become ``hmvc`` and ``fmvn`` when they are not 0 and 1.
        name: Becomes ``id``.
        note: Becomes ``c0``.
        best: Becomes ``bm``.
        mate: Plies, positive when the side to move mates; becomes ``dm`` in moves.
        opcodes: Everything else.
    """
    board = notation.parse_position(position)
    operations: dict[str, str | int | float] = {}
    if best:
        operations["bm"] = " ".join(best)
    if mate is not None:
        operations["dm"] = (mate + 1) // 2
    if name:
        operations["id"] = name
    if note:
        operations["c0"] = note
    if (board.halfmove_clock, board.fullmove_number) != (0, 1):
        operations |= {"hmvc": board.halfmove_clock, "fmvn": board.fullmove_number}
    operations = {**(opcodes or {}), **operations}
    return " ".join([board.epd(), *(f"{opcode} {_operand(opcode, v)};" for opcode, v in operations.items())])


def _operand(opcode: str, value: str | float) -> str:
    if not isinstance(value, str) or opcode in _MOVES:
        return str(value)
    for plain, escaped in (("\\", "\\\\"), ("\t", "\\t"), ("\r", "\\r"), ("\n", "\\n"), ('"', '\\"')):
        value = value.replace(plain, escaped)
    return f'"{value}"'
