"""What every screen has on whose board moves are made: cursor, picking and dropping, promotion, turning the board."""

from __future__ import annotations

from collections.abc import Sequence

import chess
from textual import on

from endgame_tui.screens.adding import Adding
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.promotion import Option, PromotionChooser


class BoardScreen(Adding):
    """A screen with a :class:`Board` ``#board`` and a :class:`PromotionChooser` ``#promotion``.

    Subclasses say which position is on the board (:attr:`position`), draw it (:meth:`show_board`) and do what a move
    does (:meth:`move_made`); they may refuse squares and stop what runs by itself.
    """

    def __init__(self) -> None:
        super().__init__()
        self._cursor = 0
        self._picked: int | None = None
        self._flipped = False
        self._promotions: list[chess.Move] = []

    # What a screen says

    @property
    def position(self) -> chess.Board:
        """The position on the board."""
        raise NotImplementedError

    def position_to_add(self) -> str:
        """The position on the board."""
        self.interrupt()
        return self.session.explorer.game.format(self.position)

    def side_to_add(self) -> str | None:
        """The side that is played here."""
        return self.learner

    def show_board(self) -> None:
        """Shows position, cursor and the man picked up."""
        raise NotImplementedError

    def move_made(self, move: chess.Move) -> None:
        """A legal move was made by hand."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Something is done by hand: what runs by itself stops."""

    def refusal(self, square: int) -> str:
        """Why no man can be picked up from a square, in a sentence; empty when it can."""
        piece = self.position.piece_at(square)
        if piece is not None and piece.color == self.position.turn:
            return ""
        side = "White" if self.position.turn else "Black"
        return f"{side} is to move: pick one of {side}'s men."

    def promotion_choice(self, moves: Sequence[chess.Move]) -> tuple[tuple[Option, ...], int]:
        """What is offered for promotions of one pawn to one square, and where the cursor begins."""
        names = [(chess.piece_symbol(move.promotion or 0), chess.piece_name(move.promotion or 1)) for move in moves]
        return tuple(Option(key, name) for key, name in names), 0

    @property
    def learner(self) -> str | None:
        """The side that the user plays, None for the side to move."""
        return None

    # What is the same for all

    def put_cursor(self) -> None:
        """Puts the cursor on a man of the side to move, a piece rather than the king."""
        board = self.position
        own = [s for s in chess.SquareSet(board.occupied_co[board.turn]) if s != board.king(board.turn)]
        self._cursor = own[0] if own else board.king(board.turn) or 0

    def follow(self, move: chess.Move | None) -> None:
        """Keeps the cursor on a man: the one that moved when its own has gone."""
        if self.position.piece_at(self._cursor) is None:
            if move is not None:
                self._cursor = move.to_square
            else:
                self.put_cursor()

    @on(Board.Pointed)
    def _pointed(self, event: Board.Pointed) -> None:
        self._cursor = event.point
        self.hush()
        self.show_board()

    @on(Board.Chosen)
    def _square_chosen(self, event: Board.Chosen) -> None:
        self.interrupt()
        self.hush()
        self._cursor = event.point
        refusal = self.refusal(event.point)
        if not refusal:
            self._picked = None if self._picked == event.point else event.point
            self.show_board()
        elif self._picked is not None:
            self._drop(self._picked, event.point)
        else:
            self.show_board()
            self.say(refusal)

    def _drop(self, source: int, target: int) -> None:
        moves = [move for move in self.position.legal_moves if (move.from_square, move.to_square) == (source, target)]
        if not moves:
            self._picked = None
            self.show_board()
            names = f"{chess.square_name(source)}{chess.square_name(target)}"
            self.say(f"{names} is not a legal move.")
        elif len(moves) > 1:
            self.ask_promotion(moves)
        else:
            self.move_made(moves[0])

    def unpick(self) -> bool:
        """Puts the man down again; False when none was picked up."""
        if self._picked is None:
            return False
        self._picked = None
        self.show_board()
        return True

    def ask_promotion(self, moves: Sequence[chess.Move]) -> None:
        """Asks what the pawn becomes; the queen comes first."""
        self._promotions = sorted(moves, key=lambda move: -(move.promotion or 0))
        options, cursor = self.promotion_choice(self._promotions)
        self._picked, self._cursor = moves[0].from_square, moves[0].to_square
        self.show_board()
        chooser = self.query_one(PromotionChooser)
        self.show_asking(chooser)
        chooser.ask(options, cursor)

    @on(PromotionChooser.Chosen)
    def _promoted(self, event: PromotionChooser.Chosen) -> None:
        self.stop_asking()
        self.move_made(self._promotions[event.number])

    @on(PromotionChooser.Cancelled)
    def _not_promoted(self, event: PromotionChooser.Cancelled) -> None:
        if event.asked == event.chooser.asked:
            self.stop_asking()

    def action_flip(self) -> None:
        """Turns the board."""
        self._flipped = not self._flipped
        self.show_board()
