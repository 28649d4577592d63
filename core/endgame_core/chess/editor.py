"""The board editor: men are put on squares until the position can occur."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import chess

from endgame_core import game
from endgame_core.chess import notation
from endgame_core.values import WINNERS, Winner

MEN: Final = tuple(chess.Piece.from_symbol(letter) for letter in "KQRBNPkqrbnp")
"""The palette: White's men, then Black's."""


@dataclass(frozen=True)
class ChessEdit(game.PositionEdit):
    """A position being set up; every change gives a new one.

    Attributes:
        fen: Men, side to move, the square that a pawn may just have passed, and the half-move clock; it is kept while
            the men are.
    """

    palette = MEN
    places = chess.SQUARES

    fen: str = "8/8/8/8/8/8/8/8 w - - 0 1"

    @classmethod
    def of(cls, board: chess.Board) -> ChessEdit:
        """Begins with a board."""
        board = board.copy(stack=False)
        board.castling_rights, board.fullmove_number = chess.BB_EMPTY, 1
        return cls(board.fen(en_passant="fen"))

    @property
    def preview(self) -> chess.Board:
        """The position, whether it can occur or not."""
        return chess.Board(self.fen)

    @property
    def text(self) -> str:
        """The FEN, whether the position can occur or not."""
        return self.preview.fen()

    @property
    def passed(self) -> int | None:
        """Square that a pawn may just have passed, for en passant; None when there is none."""
        return self.preview.ep_square

    def man(self, square: int) -> chess.Piece | None:
        """What stands on a square."""
        return self.preview.piece_at(square)

    def side(self, square: int) -> Winner:
        """Whose man stands on a square."""
        return WINNERS[not self.preview.color_at(square)]

    def has_keys(self, square: int) -> bool:
        """Whether one asks for the key squares of a man: of a king where there are pawns."""
        return bool(self.preview.pawns) and self.preview.piece_type_at(square) == chess.KING

    def put(self, square: int, man: chess.Piece | None) -> ChessEdit:
        """Puts a man on a square, or takes away what stands there; a king that is put down moves there."""
        board = self.preview
        if man is not None and man.piece_type == chess.KING:
            for at in board.pieces(chess.KING, man.color):
                board.remove_piece_at(at)
        board.set_piece_at(square, man)
        return _changed(board)

    def position_with_man_moved(self, source: int, target: int) -> chess.Board:
        """The position with a man on another, empty square, all else as it is: who is to move, and the clock.

        Raises:
            PositionError: It cannot occur; it says why.
        """
        board = self.preview
        board.set_piece_at(target, board.remove_piece_at(source))
        if board.ep_square is not None and board.ep_square not in _passable(board.copy()):
            board.ep_square = None
        notation.check(board)
        return board

    def clear(self) -> ChessEdit:
        """Takes all men away but the kings."""
        board = self.preview
        for square in chess.SquareSet(board.occupied & ~board.kings):
            board.remove_piece_at(square)
        return _changed(board)

    def switch_side(self) -> ChessEdit:
        """Gives the move to the other side."""
        board = self.preview
        board.turn, board.ep_square = not board.turn, None
        return ChessEdit.of(board)

    def exchange(self) -> ChessEdit:
        """Exchanges the colours, and turns the position round so that pawns go their own way."""
        return ChessEdit.of(self.preview.mirror())

    def passable(self) -> tuple[int, ...]:
        """The squares that a pawn of the side that has just moved may have passed by two steps, a to h.

        Only where an enemy pawn stands beside it: elsewhere en passant means nothing.
        """
        return _passable(self.preview)

    def next_passed(self) -> ChessEdit:
        """The next possibility of en passant: none, then each passable square, round and round."""
        board = self.preview
        order = (None, *self.passable())
        at = order.index(self.passed) if self.passed in order else 0
        board.ep_square = order[(at + 1) % len(order)]
        if board.ep_square is not None:
            board.halfmove_clock = 0
        return ChessEdit.of(board)

    def checked_position(self) -> chess.Board:
        """The position, when it can occur.

        Raises:
            PositionError: It cannot; it says why.
        """
        board = self.preview
        notation.check(board)
        return board


def _passable(board: chess.Board) -> tuple[int, ...]:
    result: list[int] = []
    for square in chess.SquareSet(chess.BB_RANK_6 if board.turn else chess.BB_RANK_3):
        board.ep_square = square
        if board.has_pseudo_legal_en_passant() and not board.status() & chess.STATUS_INVALID_EP_SQUARE:
            result.append(square)
    return tuple(result)


def _changed(board: chess.Board) -> ChessEdit:
    """The position once its men have changed."""
    board.halfmove_clock = 0
    if board.ep_square not in _passable(board.copy()):
        board.ep_square = None
    return ChessEdit.of(board)
