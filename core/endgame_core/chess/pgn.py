"""Games of chess as PGN; see :mod:`endgame_core.movetext`."""

from __future__ import annotations

from collections.abc import Mapping

import chess

from endgame_core import movetext
from endgame_core.chess import notation
from endgame_core.chess.game import CHESS
from endgame_core.errors import PositionError

Note = movetext.Note[chess.Move]
GameText = movetext.GameText[chess.Board, chess.Move]

_VARIANTS = ("", "standard", "chess", "from position")


class PgnScript:
    """Positions as FEN, moves as SAN."""

    game = CHESS

    def opening(self, headers: Mapping[str, str]) -> chess.Board:
        """The position of the header ``FEN``, else that of a game of chess; raises PositionError."""
        if headers.get("Variant", "").casefold() not in _VARIANTS:
            raise PositionError(f"it is a game of another variant, {headers['Variant']}")
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

    def first(self, start: chess.Board) -> int:
        """As the FEN says."""
        return start.fullmove_number

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


_SCRIPT = PgnScript()


def write(record: GameText) -> str:
    """The game as PGN, ending with a newline."""
    return movetext.write(record, _SCRIPT)


def read(text: str) -> GameText:
    """The first game of a PGN text; raises PositionError when there is none, or it cannot be read."""
    return movetext.read(text, _SCRIPT)
