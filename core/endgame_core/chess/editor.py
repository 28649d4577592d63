"""The editor of chess positions: men are placed until the position is legal."""

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
    """A position being set up; every change returns a new object.

    Attributes:
        fen: Men, side to move, en passant square, and the half-move clock, which is kept while the men do not change.
    """

    palette = MEN
    places = chess.SQUARES
    first_cursor = chess.E4

    fen: str = "8/8/8/8/8/8/8/8 w - - 0 1"

    @classmethod
    def of(cls, board: chess.Board) -> ChessEdit:
        """Start from a board."""
        board = board.copy(stack=False)
        board.castling_rights = chess.BB_EMPTY
        board.fullmove_number = 1
        # Keeps the en passant square even while no capture there is legal; the position is not finished yet.
        return cls(board.fen(en_passant="fen"))

    @property
    def preview(self) -> chess.Board:
        """The position, legal or not."""
        return chess.Board(self.fen)

    @property
    def text(self) -> str:
        """The FEN, whether the position is legal or not."""
        return self.preview.fen()

    @property
    def passed(self) -> int | None:
        """The en passant square; None if there is none."""
        return self.preview.ep_square

    def man(self, square: int) -> chess.Piece | None:
        """Return the man on a square."""
        return self.preview.piece_at(square)

    def side(self, square: int) -> Winner:
        """Return the owner of the man on a square."""
        return WINNERS[not self.preview.color_at(square)]

    def has_keys(self, square: int) -> bool:
        """Return whether key squares can be shown for a man: for a king if there are pawns."""
        return bool(self.preview.pawns) and self.preview.piece_type_at(square) == chess.KING

    def put(self, square: int, man: chess.Piece | None) -> ChessEdit:
        """Put a man on a square, or empty it; a king moves there from its old square."""
        board = self.preview
        if man is not None and man.piece_type == chess.KING:
            for king_square in board.pieces(chess.KING, man.color):
                board.remove_piece_at(king_square)
        board.set_piece_at(square, man)
        return _changed(board)

    def position_with_man_moved(self, source: int, target: int) -> chess.Board:
        """Return the position with a man moved to an empty square and nothing else changed, e.g. the side to move.

        Raises:
            PositionError: The position is illegal, with the reason.
        """
        board = self.preview
        board.set_piece_at(target, board.remove_piece_at(source))
        # ``_passable`` tries squares on the board that it is given, hence the copy.
        if board.ep_square is not None and board.ep_square not in _passable(board.copy()):
            board.ep_square = None
        notation.check(board)
        return board

    def clear(self) -> ChessEdit:
        """Remove all men except the kings."""
        board = self.preview
        for square in chess.SquareSet(board.occupied & ~board.kings):
            board.remove_piece_at(square)
        return _changed(board)

    def turn(self) -> ChessEdit:
        """Give the move to the other side."""
        board = self.preview
        board.turn = not board.turn
        board.ep_square = None
        return ChessEdit.of(board)

    def exchange(self) -> ChessEdit:
        """Exchange the colours, and mirror the board so that pawns keep their direction."""
        return ChessEdit.of(self.preview.mirror())

    def passable(self) -> tuple[int, ...]:
        """Return the possible en passant squares, a to h: those where an enemy pawn can capture."""
        return _passable(self.preview)

    def next_passed(self) -> ChessEdit:
        """Cycle through the possibilities of en passant: none, then each possible square."""
        board = self.preview
        order = (None, *self.passable())
        current = 0
        if self.passed in order:
            current = order.index(self.passed)
        board.ep_square = order[(current + 1) % len(order)]
        # The pawn has just moved.
        if board.ep_square is not None:
            board.halfmove_clock = 0
        return ChessEdit.of(board)

    def checked_position(self) -> chess.Board:
        """Return the position if it is legal.

        Raises:
            PositionError: It is illegal, with the reason.
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
    """Return the editor after its men have changed."""
    board.halfmove_clock = 0
    if board.ep_square not in _passable(board.copy()):
        board.ep_square = None
    return ChessEdit.of(board)
