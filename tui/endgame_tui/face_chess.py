"""Chess on a screen: men on squares, picked up and dropped."""

from __future__ import annotations

from collections.abc import Sequence

import chess
from textual.geometry import Size

from endgame_core.chess import notation
from endgame_tui.faces import PANELS, SMALL, Face, Hand, Step, View, labels, source_of
from endgame_tui.widgets.squares import Cells, Man, SquaresView


class ChessHand(Hand):
    """A man is picked up, and dropped."""

    def choose(self, position: chess.Board, moves: Sequence[chess.Move], point: int) -> Step:
        """Picks a man up, puts it down again, or drops it; picks another one up instead."""
        piece, source = position.piece_at(point), self.picked
        if piece is not None and piece.color == position.turn:
            self.pick(None if source == point else point)
            return Step()
        if source is None:
            side = "White" if position.turn else "Black"
            return Step(refusal=f"{side} is to move: pick one of {side}'s men.")
        fitting = [move for move in moves if (move.from_square, move.to_square) == (source, point)]
        if not fitting:
            self.pick(None)
            names = f"{chess.square_name(source)}{chess.square_name(point)}"
            return Step(refusal=f"{names} is not a legal move.")
        return Step(tuple(sorted(fitting, key=lambda move: -(move.promotion or 0))))


class ChessFace(Face):
    """Chess: men on squares."""

    game = "chess"

    def hand(self) -> ChessHand:
        """A hand without a man."""
        return ChessHand()

    def scale(self, size: Size, coloured: bool) -> tuple[Cells, int]:
        """The largest cells that leave room for panels and words; men are drawn in the largest of all."""
        width, height = size
        if width < SMALL:
            roomy = width >= 34 and height >= 19
            return (Cells(2, 4, shifted=coloured and height > 21) if roomy else Cells(1, 2)), 2
        if coloured and width - 3 - 64 >= PANELS + 8 and height >= 38:
            return Cells(4, 8), 3
        if width - 3 - 48 >= PANELS and height >= 30:
            return Cells(3, 6), 3
        return (Cells(2, 4, shifted=coloured) if height >= 22 else Cells(1, 2)), 3

    def small(self, coloured: bool) -> tuple[Cells, int]:
        """Squares two rows high."""
        return Cells(2, 4, shifted=coloured), 3

    def picture(
        self, position: chess.Board | None, moves: Sequence[chess.Move] = (), view: View | None = None
    ) -> SquaresView:
        """The men; where one of them can go, and the layers these moves lead to."""
        if position is None:
            return SquaresView(flipped=view is not None and view.flipped)
        view = view or View()
        picked = view.hand.picked if view.hand is not None and view.looked is None else None
        source = view.looked.from_square if view.looked is not None else source_of(view)
        men = {square: Man(piece.symbol().upper(), piece.color) for square, piece in position.piece_map().items()}
        moved = (view.last.from_square, view.last.to_square) if view.last else None
        targets = labels(view, moves, self.ends, source)
        return SquaresView(men, view.cursor, picked, moved, targets, view.flipped)

    def first(self, position: chess.Board, moves: Sequence[chess.Move]) -> int:
        """A man of the side to move, a piece rather than the king."""
        del moves
        king = position.king(position.turn)
        return next((s for s in chess.SquareSet(position.occupied_co[position.turn]) if s != king), king or 0)

    def is_man(self, position: chess.Board, point: int) -> bool:
        """Whether a man stands on a square."""
        return position.piece_at(point) is not None

    def ends(self, move: chess.Move) -> tuple[int, int]:
        """From where to where."""
        return move.from_square, move.to_square

    def typed(self, position: chess.Board, text: str) -> tuple[chess.Move, ...]:
        """Promotions that do not say to what."""
        return tuple(notation.promotions(position, text))

    def choice(self, move: chess.Move) -> tuple[str, str]:
        """The letter and the name of what the pawn becomes."""
        piece = move.promotion or chess.QUEEN
        return chess.piece_symbol(piece), chess.piece_name(piece)
