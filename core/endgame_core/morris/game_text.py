"""Games of Nine Men's Morris as text in the manner of PGN: its headers, and the moves as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from endgame_core.errors import PositionError
from endgame_core.morris import notation
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import START, Move, Position

NAME: Final = "Nine Men's Morris"
"""What the header ``Variant`` says."""


class MorrisScript:
    """Positions as a line of text in the header ``FEN``, moves such as ``a7-d7xb4``."""

    game = MORRIS

    def opening(self, headers: Mapping[str, str]) -> Position:
        """The position of the header ``FEN``, else the empty board; raises PositionError."""
        if headers.get("Variant", NAME) != NAME:
            raise PositionError(f"it is a game of {headers['Variant']}", f"only {NAME} is played here")
        return notation.parse_line(headers["FEN"]) if "FEN" in headers else START

    def headers(self, start: Position) -> Mapping[str, str]:
        """The game; the position when it is not the empty board."""
        return {"Variant": NAME, **({} if start == START else {"SetUp": "1", "FEN": notation.line(start)})}

    def first(self, start: Position) -> int:
        """Every game begins with move 1."""
        return 1

    def read(self, position: Position, word: str) -> Move:
        """The move; raises PositionError."""
        try:
            return notation.parse_move(position, word)
        except PositionError:
            raise PositionError("is no legal move") from None
