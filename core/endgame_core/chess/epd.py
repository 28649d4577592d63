"""Chess games and positions as text: PGN (see :mod:`endgame_core.pgn`), EPD and FEN.

A line of FEN or EPD may end in EPD operations, or in a note after ``#`` or ``;``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import chess

from endgame_core.chess import notation
from endgame_core.errors import PositionError, shorten
from endgame_core.game import PositionRecord
from endgame_core.language import _
from endgame_core.untrusted import unquoted

_VARIANTS = ("", "standard", "chess", "from position")


_QUOTED_FEN = re.compile(r"""(["'])(?P<fen>[^"'/]+(?:/[^"'/]+){7})\1\s*(?P<rest>.*)""", re.DOTALL)
"""A FEN in quotation marks, followed by operations or a note."""

_HEADERS_AND_COMMENTS = re.compile(r'^\[\w+ ".*"\]$|\{[^{}]*\}', re.MULTILINE)
_ORDINARY_WORD = re.compile(
    r"(\d+\.+)?([KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=[QRBN])?|O-O(-O)?)[+#]?[!?]{0,2}"
    r"|\d+\.+|\$\d+|1-0|0-1|1/2-1/2|\*"
)


@lru_cache(maxsize=20_000)
def _is_ordinary(word: str) -> bool:
    """Return whether a word is usual in PGN: a move in SAN, its number, a mark or a result."""
    return _ORDINARY_WORD.fullmatch(word) is not None


class PgnNotation:
    """Positions as FEN, moves as SAN."""

    files = _("in FEN, EPD or PGN format")
    suffix = ".epd"

    def start_of(self, headers: Mapping[str, str]) -> chess.Board:
        """Return the position of the header ``FEN``, else the initial position of chess; raises PositionError."""
        if headers.get("Variant", "").casefold() not in _VARIANTS:
            raise PositionError(
                _("it is a game of a different variant: {headers}").format(headers=shorten(headers["Variant"]))
            )
        if "FEN" not in headers:
            return chess.Board()
        try:
            board = chess.Board(headers["FEN"].replace("~", ""))
        except ValueError:
            raise PositionError(_("its FEN cannot be read")) from None
        notation.check(board)
        return board

    def headers(self, start: chess.Board) -> Mapping[str, str]:
        """Return the FEN headers of a start other than the initial position of chess."""
        if start.fen() == chess.STARTING_FEN:
            return {}
        return {"SetUp": "1", "FEN": start.fen()}

    def first_move_number(self, start: chess.Board) -> int:
        """Return the move number of the FEN."""
        return start.fullmove_number

    def read_move(self, position: chess.Board, word: str) -> chess.Move:
        """Return the move of a word in SAN or a null move; raises PositionError."""
        try:
            move = _move_of(position, word)
        except chess.AmbiguousMoveError:
            raise PositionError(_("is ambiguous")) from None
        except ValueError:
            raise PositionError(_("is not a legal move")) from None
        # python-chess accepts a null move in check, after which the king could be captured.
        if not move and position.is_check():
            raise PositionError(_("is a null move in check"))
        return move

    def may_reach(self, headers: Mapping[str, str], text: str, men: int) -> bool:
        """Return False if the text has too few captures (each ``x`` counts, wherever it stands) and no unusual word."""
        # A game starts with 32 men, and each capture removes one.
        if "FEN" in headers or headers.get("Variant", "").casefold() not in _VARIANTS or 32 - text.count("x") <= men:
            return True
        moves = _HEADERS_AND_COMMENTS.sub(" ", text)
        return not all(map(_is_ordinary, set(moves.split())))

    def read_line(self, line: str) -> PositionRecord:
        """Read a FEN with or without its counters, followed by EPD operations, or a note after ``#`` or ``;``."""
        line = unquoted(line)
        if quoted := _QUOTED_FEN.fullmatch(line):
            line = f"{quoted['fen']} {quoted['rest']}"
        result = re.match(r"(\S+\s+\S+\s+\S+\s+\S+)((?:\s+\d+){2}(?=\s|;|$))?\s*(.*)$", line)
        if result:
            fields, counts, rest = result.groups(default="")
        else:
            fields = line
            counts = ""
            rest = ""
        fen = notation.parse_position(fields + counts).fen()
        if rest.startswith(("#", ";")):
            return PositionRecord(position=fen, note=rest.lstrip("#; "))
        try:
            operations = _operations(fields, rest)
        except (ValueError, AssertionError) as error:
            raise PositionError(
                _("its EPD operations cannot be read: {error}").format(error=shorten(str(error)))
            ) from None
        if not counts and {"hmvc", "fmvn"} & set(operations):
            counts = f" {operations.get('hmvc', 0)} {operations.get('fmvn', 1)}"
            fen = notation.parse_position(fields + counts).fen()
        handled = {"id", "c0", "bm", "hmvc", "fmvn"}
        mate = _plies(operations.get("dm"))
        handled |= {"dm"} if mate else set()
        return PositionRecord(
            position=fen, name=str(operations.get("id", "")), note=str(operations.get("c0", "")), mate=mate,
            best=tuple(str(operations.get("bm", "")).split()),
            opcodes={name: value for name, value in operations.items() if name not in handled},
        )  # fmt: skip

    def write_line(self, record: PositionRecord) -> str:
        """Return a line of EPD; the counters of a FEN become ``hmvc`` and ``fmvn`` if they are not 0 and 1."""
        board = notation.parse_position(record.position)
        operations: dict[str, str | int | float] = dict(record.opcodes)
        if record.best:
            operations["bm"] = " ".join(record.best)
        if record.mate is not None:
            operations["dm"] = (record.mate + 1) // 2
        if record.name:
            operations["id"] = record.name
        if record.note:
            operations["c0"] = record.note
        if (board.halfmove_clock, board.fullmove_number) != (0, 1):
            operations |= {"hmvc": board.halfmove_clock, "fmvn": board.fullmove_number}
        return " ".join([board.epd(), *(f"{opcode} {_operand(opcode, v)};" for opcode, v in operations.items())])


def _move_of(position: chess.Board, word: str) -> chess.Move:
    """Return the move of a word in standard SAN or a common variation of it; raises ValueError."""
    try:
        return position.parse_san(word)
    except chess.InvalidMoveError:
        return position.parse_san(notation.standard_san(word))


_MOVES = ("bm", "am", "pv", "sm")
"""Opcodes whose operands are moves, written without quotes."""
_LONGEST_MATE = 500


def _operations(fields: str, rest: str) -> dict[str, str | int | float]:
    """Return EPD operations, with moves as SAN; raises ValueError."""
    if not rest:
        return {}
    board = chess.Board(None)
    result: dict[str, Any] = board.set_epd(f"{fields} {rest}")
    operations: dict[str, str | int | float] = {}
    for opcode, value in result.items():
        if isinstance(value, list):
            operations[opcode] = _sans(board, opcode, value)
        elif isinstance(value, chess.Move):
            operations[opcode] = board.san(value)
        else:
            operations[opcode] = "" if value is None else value
    return operations


def _sans(board: chess.Board, opcode: str, moves: list[chess.Move]) -> str:
    """Return moves in SAN: consecutive for ``pv``, else all from the same position."""
    board = board.copy(stack=False)
    if opcode == "pv":
        return " ".join(board.san_and_push(move) for move in moves)
    return " ".join(board.san(move) for move in moves)


def _plies(mate: str | float | None) -> int | None:
    """Convert the full moves of the opcode ``dm`` to plies, positive if the side to move mates; None without a mate."""
    if not isinstance(mate, int) or not mate or abs(mate) > _LONGEST_MATE:
        return None
    if mate > 0:
        return 2 * mate - 1
    return 2 * mate


def _operand(opcode: str, value: str | float) -> str:
    if not isinstance(value, str) or opcode in _MOVES:
        return str(value)
    # The backslash comes first, because the other replacements add some.
    for plain, escaped in (("\\", "\\\\"), ("\t", "\\t"), ("\r", "\\r"), ("\n", "\\n"), ('"', '\\"')):
        value = value.replace(plain, escaped)
    return f'"{value}"'
