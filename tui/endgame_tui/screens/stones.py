"""What every screen has on whose Morris board moves are made: cursor, the three steps of a move, turning the board."""

from __future__ import annotations

from typing import ClassVar

from textual import on

from endgame_core.morris.geometry import points_of
from endgame_core.morris.rules import Move
from endgame_tui.screens.mode import ModeScreen
from endgame_tui.selection import Selection, Turn
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.takes import TakesPanel


class StonesScreen(ModeScreen):
    """A screen with a :class:`Board` ``#board`` and perhaps a :class:`TakesPanel`.

    Subclasses say whose turn it is (:attr:`turn`), draw it (:meth:`show_choice`) and do what a move does
    (:meth:`move_made`).
    """

    GAME: ClassVar[str] = "morris"

    def __init__(self) -> None:
        super().__init__()
        self._point = 0
        self._chosen = Selection()
        self._flipped = False

    # What a screen says

    @property
    def turn(self) -> Turn:
        """The position on the board and its moves."""
        raise NotImplementedError

    def show_board(self) -> None:
        """Shows position, cursor and what has been chosen of a move."""
        raise NotImplementedError

    def show_choice(self) -> None:
        """Shows the board and what follows from another choice: a stone was picked up, put down, or is to be taken."""
        self.show_board()

    def move_made(self, move: Move) -> None:
        """A legal move was made by hand."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Something is done by hand: what runs by itself stops."""

    def refusal(self) -> str:
        """Why no move can be made by hand now, in a sentence; empty when one can."""
        return ""

    def first_to_take(self, takeable: int) -> int:
        """Of the stones that may be taken, the one on which the cursor begins."""
        return points_of(takeable)[0]

    # What is the same for all

    @property
    def is_taking(self) -> bool:
        """Whether only the stone to take is still to be chosen."""
        return self._chosen.end is not None

    def put_cursor(self) -> None:
        """Puts the cursor where the first move begins."""
        first = next(iter(self.turn.moves), None)
        if first is not None:
            self._point = first.end if first.source is None else first.source

    def follow(self, move: Move | None) -> None:
        """Keeps the cursor on a stone: the one that moved when its own has gone."""
        self._chosen = Selection()
        if move is not None:
            self._point = move.end
        elif not (self.turn.own | self.turn.other) >> self._point & 1:
            self.put_cursor()

    @on(Board.Pointed)
    def _pointed(self, event: Board.Pointed) -> None:
        self.point_at(event.point)

    @on(TakesPanel.Pointed)
    def _stone_pointed(self, event: TakesPanel.Pointed) -> None:
        self.point_at(event.point)

    def point_at(self, point: int) -> None:
        """Moves the cursor."""
        self._point = point
        self.hush()
        self.show_board()

    @on(Board.Chosen)
    def _point_chosen(self, event: Board.Chosen) -> None:
        self.choose(event.point)

    @on(TakesPanel.Chosen)
    def _stone_chosen(self, event: TakesPanel.Chosen) -> None:
        self.choose(event.point)

    def choose(self, point: int) -> None:
        """Goes on with a point: a stone, where it goes, what is taken."""
        self.interrupt()
        self.hush()
        self._point = point
        if refusal := self.refusal():
            self.show_board()
            self.say(refusal)
            return
        turn, before = self.turn, self._chosen
        step = turn.choose(before, point)
        self._chosen = step.selection
        if step.move is not None:
            self.move_made(step.move)
            return
        self.begin(self._chosen) if self._chosen != before else self.show_board()
        if step.refusal:
            self.say(step.refusal)

    def begin(self, chosen: Selection) -> None:
        """Goes on from a choice: where a stone is to be taken, the cursor goes to the first."""
        self._chosen = chosen
        if takeable := self.turn.takeable(chosen):
            self._point = self.first_to_take(takeable)
        self.show_choice()

    def unpick(self) -> bool:
        """Takes back the last choice; False when nothing was chosen."""
        if self._chosen == Selection():
            return False
        before, self._chosen = self._chosen, self._chosen.back()
        if before.end is not None and not before.taken:
            self._point = before.end
        self.show_choice()
        return True

    def action_flip(self) -> None:
        """Turns the board."""
        self._flipped = not self._flipped
        self.show_board()
