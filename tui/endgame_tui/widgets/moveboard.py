"""The board on which moves are made: it keeps the cursor and what has been chosen of a move, and reports moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from textual import on
from textual.message import Message

from endgame_tui.faces import Face, Hand, Step, View
from endgame_tui.widgets.bars import tell_keys
from endgame_tui.widgets.board import Board, Scale


class MoveBoard(Board):
    """A board for one game at a time.

    Args:
        face: The game.
        id: DOM id.
    """

    class Touched(Message):
        """Something was pointed at or chosen: another cursor, or another choice."""

    @dataclass
    class Made(Message):
        """A legal move was made by hand."""

        move: Any

    @dataclass
    class Several(Message):
        """Several moves lead there: it is to be asked which."""

        moves: tuple[Any, ...]

    @dataclass
    class Refused(Message):
        """A point was chosen from which, or to which, nothing goes: why, in a sentence."""

        words: str

    def __init__(self, face: Face, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.face: Face = face
        self.hand: Hand = face.hand()
        self.position: Any = None
        self.moves: Sequence[Any] = ()
        self.cursor = 0
        self.flipped = False
        self.refusal = ""
        """Why no move can be made now, in a sentence; empty when one can."""
        self._shown = View()
        tell_keys(self, face.game)

    def resize(self, scale: Scale, margin: int) -> None:
        """Changes how large the board is drawn; a large one shows where the man under the cursor can go."""
        super().resize(scale, margin)
        if self.position is not None:
            self.repaint()

    def play(self, face: Face) -> None:
        """Changes the game."""
        self.face, self.hand = face, face.hand()
        self.position, self.moves, self.cursor = None, (), 0
        self.set_reactive(Board.view, None)
        tell_keys(self, face.game)

    def show(self, position: Any, moves: Sequence[Any] = (), view: View | None = None) -> None:
        """Shows a position; cursor, hand and side are the board's own.

        After another position nothing is chosen any more, and the cursor is where a man is.

        Args:
            position: The position; None for an empty board.
            moves: Its legal moves, the best first where that may be told.
            view: How to show it; its ``cursor`` tells by being None whether there is one.
        """
        view = view or View(cursor=0)
        other, first = position != self.position, self.position is None
        self.position, self.moves, self._shown = position, moves, view
        if position is not None and (other or first):
            self.hand.pick(None)
            if first or (view.last is None and not self.face.is_man(position, self.cursor)):
                self.put_cursor()
            elif view.last is not None and (self.face.follows or not self.face.is_man(position, self.cursor)):
                self.cursor = self.face.ends(view.last)[1]
        self.repaint()

    def repaint(self) -> None:
        """Draws the position anew, with cursor and hand as they are."""
        shown = self._shown
        view = replace(
            shown,
            cursor=None if shown.cursor is None else self.cursor,
            hand=self.hand,
            show_all=shown.show_all and self.scale is not None and self.scale.large,
            flipped=self.flipped,
        )
        self.view = self.face.picture(self.position, self.moves, view)

    def put_cursor(self) -> None:
        """Puts the cursor where the side to move begins."""
        if self.position is not None:
            self.cursor = self.face.first(self.position, self.moves)

    def turn(self) -> None:
        """Turns the board."""
        self.flipped = not self.flipped
        self.repaint()

    # Choosing

    @on(Board.Pointed)
    def _pointed(self, event: Board.Pointed) -> None:
        event.stop()
        self.point_at(event.point)

    @on(Board.Chosen)
    def _point_chosen(self, event: Board.Chosen) -> None:
        event.stop()
        self.choose(event.point)

    def point_at(self, point: int) -> None:
        """Moves the cursor."""
        self.cursor = point
        self.repaint()
        self.post_message(self.Touched())

    def pick(self, point: int | None, cursor: int | None = None) -> None:
        """Begins with a man, as if it had been chosen; None puts all down again."""
        self.hand.pick(point)
        self.cursor = self.cursor if cursor is None else cursor
        self.repaint()

    def begin(self, text: str) -> bool:
        """Takes over a typed move that leaves open what it takes; False where there is none."""
        begun = self.hand.begin(self.moves, text)
        if begun:
            self._take_first()
            self.repaint()
            self.post_message(self.Touched())
        return begun

    def choose(self, point: int) -> None:
        """Goes on with a point: a man, where it goes, what it takes."""
        self.cursor = point
        step = Step(refusal=self.refusal) if self.refusal else self.hand.choose(self.position, self.moves, point)
        if not step.refusal and not step.moves:
            self._take_first()
        self.repaint()
        self.post_message(self.Touched())
        if step.refusal:
            self.post_message(self.Refused(step.refusal))
        elif len(step.moves) == 1:
            self.hand.pick(None)
            self.post_message(self.Made(step.moves[0]))
        elif step.moves:
            self.post_message(self.Several(step.moves))

    def _take_first(self) -> None:
        """Puts the cursor on the first stone that may be taken."""
        takeable = self.hand.takeable(self.moves)
        if takeable:
            self.cursor = next((point for point in self._shown.named if point in takeable), takeable[0])

    def unpick(self) -> bool:
        """Takes back the last choice; False when nothing was chosen."""
        if self.hand.is_empty:
            return False
        cursor = self.hand.back()
        self.cursor = self.cursor if cursor is None else cursor
        self.repaint()
        self.post_message(self.Touched())
        return True
