"""The men of a chess position, and what their moves lead to, as a board shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chess

from endgame_tui.widgets.board import Label
from endgame_tui.widgets.squares import Man


def men(position: chess.Board) -> dict[int, Man]:
    """The men by square."""
    return {square: Man(piece.symbol().upper(), piece.color) for square, piece in position.piece_map().items()}


def labels_of(moves: Iterable[Any], source: int | None) -> dict[int, Label]:
    """Where the man on ``source`` can go, and the layer each move leads to."""
    found: dict[int, Label] = {}
    for move in moves:
        if move.move.from_square == source and move.move.to_square not in found:
            text = "=" if move.layer is None else f"S{move.layer}"
            found[move.move.to_square] = Label(text, move.grade == "best")
    return found
