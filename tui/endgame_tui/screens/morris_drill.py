"""Drill, with a board of stones."""

from __future__ import annotations

from collections.abc import Iterable

from textual.widget import Widget

from endgame_core.morris.rules import Move
from endgame_tui.screens.drilling import Drilling
from endgame_tui.screens.stones import StonesScreen
from endgame_tui.selection import Selection, Turn, stones_view
from endgame_tui.widgets.board import Board, Label
from endgame_tui.widgets.stones import Pitch, StonesView


class MorrisDrillScreen(Drilling, StonesScreen):
    """The drills of a sitting, one after the other."""

    @property
    def turn(self) -> Turn:
        """The position on the board, and its moves while the learner may make them."""
        moves = self.sitting.explorer.game.moves(self.at_hand) if self.stage == "drill" else ()
        return Turn(self.at_hand, tuple(moves))

    @property
    def board(self) -> Board:
        """The board."""
        return self.query_one(Board)

    def boards(self) -> Iterable[Widget]:
        """The board alone: what is to be taken is chosen on it."""
        return (Board(id="board"),)

    def fit_board(self) -> None:
        """Gives the board the right size."""
        size = self.plan_for(self.size).board
        assert isinstance(size.cells, Pitch)
        self.board.resize(size.cells, size.margin)

    def show_board(self) -> None:
        """Shows where a stone picked up can go, what it may take, the hint, the last move."""
        if self.at_hand is None:
            self.board.view = StonesView()
            return
        cursor = self._point if self.stage == "drill" else None
        self.board.view = stones_view(
            self.turn, self._chosen, cursor, last=self.last_move, rated=self._hinted(), flipped=self._flipped
        )

    def _hinted(self) -> list[tuple[Move, Label]]:
        """The moves, that of a hint marked."""
        drill = self.sitting.drill
        hint = drill.match.given if drill is not None else None
        if hint is None or hint.step < 2:
            return []
        first = [(hint.move, Label(self.look.glyphs.check, True))]
        return first + [(move, Label()) for move in self.turn.moves if move.end != hint.move.end]

    # Moves

    def show_choice(self) -> None:
        """Says what is to be taken."""
        self.show_board()
        if self.is_taking:
            self.say("choose the stone to take; Esc goes back.")

    def begin_at(self, flipped: bool) -> None:
        """The learner's side is below."""
        self._flipped = flipped
        self.put_cursor()

    def unpick_quietly(self) -> None:
        """Nothing is chosen of a move."""
        self._chosen = Selection()

    def step_back(self) -> bool:
        """Takes back the last choice."""
        return self.unpick()

    def settle_cursor(self) -> None:
        """The cursor stays where a stone of the learner is."""
        if not self.turn.own >> self._point & 1:
            self.put_cursor()

    def point_out(self, move: Move, step: int) -> None:
        """The stone is picked up; then the cursor goes where it is to go."""
        self._chosen = Selection(move.source)
        self._point = move.end if step == 2 or move.source is None else move.source

    def first_to_take(self, takeable: int) -> int:
        """The one that the hint has named."""
        drill = self.sitting.drill
        hint = drill.match.given if drill is not None else None
        named = [point for point in hint.move.taken if takeable >> point & 1] if hint and hint.step == 2 else []
        return named[0] if named else super().first_to_take(takeable)

    def asks_more(self, text: str) -> bool:
        """A move that closes a mill and does not say what it takes."""
        begun = self.turn.begun(text)
        if begun is not None:
            self.hush()
            self.stop_asking()
            self.begin(begun)
        return begun is not None

    def refusal(self) -> str:
        """No move is made while the defender thinks."""
        return self.why_no_move

    def move_made(self, move: Move) -> None:
        """The learner moves."""
        self._point = move.end
        self.make(move)
