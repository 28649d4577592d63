"""Games of chess as PGN: moves, comments, and depths as ``[%eval #n]``; see :mod:`endgame_core.movetext`."""

from __future__ import annotations

import re
from collections.abc import Mapping

import chess

from endgame_core import movetext
from endgame_core.chess import notation
from endgame_core.errors import PositionError
from endgame_core.movetext import RESULTS, SEVEN, BrokenGame

Note = movetext.Note[chess.Move]
Record = movetext.Record[chess.Board, chess.Move]

__all__ = [
    "RESULTS", "SEVEN", "BrokenGame", "Note", "PgnScript", "Record", "depth_of", "evaluation", "read", "read_all",
    "write",
]  # fmt: skip


class PgnScript:
    """Positions as FEN, moves as SAN."""

    def opening(self, headers: Mapping[str, str]) -> chess.Board:
        """The position of the header ``FEN``, else that of a game of chess; raises PositionError."""
        if "FEN" not in headers:
            return chess.Board()
        try:
            board = chess.Board(headers["FEN"])
        except ValueError:
            raise PositionError("its FEN cannot be read") from None
        notation.check(board)
        return board

    def headers(self, start: chess.Board) -> Mapping[str, str]:
        """The FEN of another position than the first of chess."""
        return {} if start.fen() == chess.STARTING_FEN else {"SetUp": "1", "FEN": start.fen()}

    def first(self, start: chess.Board) -> tuple[int, bool]:
        """As the FEN says."""
        return start.fullmove_number, start.turn

    def read(self, position: chess.Board, word: str) -> chess.Move:
        """The move in SAN; raises PositionError."""
        try:
            move = position.parse_san(word)
        except chess.AmbiguousMoveError:
            raise PositionError("is ambiguous") from None
        except ValueError:
            raise PositionError("is no legal move") from None
        if not move:
            raise PositionError("is no move")
        return move

    def san(self, position: chess.Board, move: chess.Move) -> str:
        """SAN."""
        return position.san(move)

    def play(self, position: chess.Board, move: chess.Move) -> chess.Board:
        """The position after a move."""
        after = position.copy(stack=False)
        after.push(move)
        return after


_SCRIPT = PgnScript()


def evaluation(board: chess.Board, depth: int | None) -> str:
    """A verdict as ``[%eval …]`` writes it; see :func:`endgame_core.movetext.evaluation`."""
    return movetext.evaluation(board.turn, depth)


def depth_of(board: chess.Board, text: str) -> int | None:
    """The plies to mate that ``#n`` means in a position; None where it is no mate. Undoes :func:`evaluation`."""
    found = re.fullmatch(r"#(-?)(\d+)", text)
    if not found or not int(found[2]):
        return None
    wins = (found[1] == "") == board.turn
    return 2 * int(found[2]) - wins


def write(record: Record) -> str:
    """The game as PGN, ending with a newline."""
    return movetext.write(record, _SCRIPT)


def read(text: str) -> Record:
    """The first game of a PGN text; raises PositionError when there is none, or it cannot be read."""
    return movetext.read(text, _SCRIPT)


def read_all(text: str) -> tuple[list[Record], list[BrokenGame]]:
    """All games of a PGN text: those that can be read, and what is wrong with the others."""
    return movetext.read_all(text, _SCRIPT)
