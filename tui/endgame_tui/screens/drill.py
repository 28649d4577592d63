"""Drill, with a board of chess."""

from __future__ import annotations

from collections.abc import Iterable

import chess
from textual.widget import Widget

from endgame_core.chess import notation
from endgame_tui import scenes
from endgame_tui.screens.boarded import BoardScreen
from endgame_tui.screens.drilling import Drilling
from endgame_tui.widgets.board import Board, Label
from endgame_tui.widgets.promotion import PromotionChooser
from endgame_tui.widgets.squares import Cells, SquaresView

EMPTY = chess.Board(None)


class DrillScreen(Drilling, BoardScreen):
    """The drills of a sitting, one after the other."""

    @property
    def position(self) -> chess.Board:
        """The position on the board."""
        return self.at_hand or EMPTY

    @property
    def board(self) -> Board:
        """The board."""
        return self.query_one(Board)

    def boards(self) -> Iterable[Widget]:
        """The board, and what a pawn becomes."""
        return Board(id="board"), PromotionChooser(id="promotion")

    def fit_board(self) -> None:
        """Gives the board cells of the right size."""
        size = self.plan_for(self.size).board
        assert isinstance(size.cells, Cells)
        self.board.resize(size.cells, size.margin)

    def show_board(self) -> None:
        """Shows where a man picked up can go, the hint, the last move."""
        if self.at_hand is None:
            return
        last, drilling = self.last_move, self.stage == "drill"
        picked = self._picked if drilling else None
        moved = (last.from_square, last.to_square) if last else None
        cursor = self._cursor if drilling else None
        men = scenes.men(self.position)
        self.board.view = SquaresView(men, cursor, picked, moved, self._labels(picked), self._flipped)

    def _labels(self, picked: int | None) -> dict[int, Label]:
        if picked is None:
            return {}
        glyphs, drill = self.look.glyphs, self.sitting.drill
        moves = self.position.legal_moves
        labels = {move.to_square: Label(glyphs.nothing, False) for move in moves if move.from_square == picked}
        hint = drill.match.given if drill is not None else None
        if hint is not None and hint.step == 2 and hint.move.from_square == picked:
            labels[hint.move.to_square] = Label(glyphs.check, True)
        return labels

    # Moves

    def begin_at(self, flipped: bool) -> None:
        """The learner's men are below."""
        self._flipped = flipped
        self.put_cursor()

    def unpick_quietly(self) -> None:
        """No man is picked up."""
        self._picked = None

    def step_back(self) -> bool:
        """Puts the man down again."""
        return self.unpick()

    def settle_cursor(self) -> None:
        """The cursor stays where a man is."""
        if self.position.piece_at(self._cursor) is None:
            self.put_cursor()

    def point_out(self, move: chess.Move, step: int) -> None:
        """The man is picked up; then the cursor goes where it is to go."""
        self._picked = move.from_square
        self._cursor = move.from_square if step == 1 else move.to_square

    def asks_more(self, text: str) -> bool:
        """A promotion that does not say to what."""
        promotions = notation.promotions(self.position, text)
        if promotions:
            self.hush()
            self.ask_promotion(promotions)
        return bool(promotions)

    def refusal(self, square: int) -> str:
        """No man is picked up while the defender thinks."""
        return self.why_no_move or super().refusal(square)

    def move_made(self, move: chess.Move) -> None:
        """The learner moves."""
        self._cursor = move.to_square
        self.make(move)
