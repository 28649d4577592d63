"""Chess diagrams as SVG, drawn by python-chess."""

from __future__ import annotations

import chess
import chess.svg

from endgame_core.game import PictureView


def picture(board: chess.Board, view: PictureView[chess.Move]) -> str:
    """Draw a board as an SVG document."""
    arrows = [chess.svg.Arrow(move.from_square, move.to_square, color=view.arrow_colour) for move in view.moves]
    return chess.svg.board(
        board,
        orientation=chess.BLACK if view.flipped else chess.WHITE,
        arrows=arrows,
        fill=dict(view.fills),
        size=view.size,
        check=board.king(board.turn) if board.is_check() else None,
    )
