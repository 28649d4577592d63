"""The board of any game: it shows a picture, moves a cursor over its points; on some of them moves are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from textual import on
from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Offset, Size
from textual.message import Message
from textual.reactive import reactive

from endgame_tui.faces import BoardLayout, Face, InputStep, MoveInput, PositionView
from endgame_tui.widgets.bars import Key, tell_keys
from endgame_tui.widgets.canvas import Canvas, CanvasRow


class BoardCanvas(Canvas, can_focus=True):
    """The board. With ``width: auto`` and ``height: auto`` it is as large as its scale says.

    Args:
        view: What to show first.
        scale: How large.
        id: DOM id.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Key(
                f"{way},{letter}", f"point({step})", f"Cursor {way}", id=f"board.{way}",
                words={"morris": f"Along the line {way}"},
            )
            for way, letter, step in (
                ("up", "k", "0,-1"), ("down", "j", "0,1"), ("left", "h", "-1,0"), ("right", "l", "1,0")
            )
        ),
        Key(
            "enter,space", "choose", "Pick up or drop a piece", id="board.choose",
            words={"morris": "Place, move or take a stone"},
        ),
    ]  # fmt: skip

    view: reactive[Any] = reactive(None, repaint=False)
    """The picture to show."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.scale: Any = None
        self.margin = 3

    def resize(self, scale: BoardLayout, margin: int) -> None:
        """Changes how large the board is drawn, and how many columns are left of it."""
        if (scale, margin) != (self.scale, self.margin):
            if self.scale is not None and type(scale) is not type(self.scale):
                self.set_reactive(BoardCanvas.view, None)  # a picture of another game does not fit into it
            self.scale, self.margin = scale, margin
            self.redraw()
            self.refresh(layout=True)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """The board and what names its rows."""
        return self.margin + (self.scale.columns if self.scale else 0)

    def high(self, size: Size) -> int:
        """The board and what names its columns."""
        return 1 + (self.scale.rows if self.scale else 0)

    def place(self) -> Offset:
        """The point of the cursor, in the cell under which its column is named."""
        view, scale = self.view, self.scale
        if view is None or scale is None or view.cursor is None:
            return Offset()
        beside, below = view.names(scale)
        cells = ((x, y) for y, _ in beside for x, _ in below)
        result = (Offset(self.margin + x, y) for x, y in cells if view.at(x, y, scale) == view.cursor)
        return next(result, Offset())

    def action_point(self, columns: int, rows: int) -> None:
        """Moves the cursor."""
        if self.view is not None:
            self.post_message(self.Pointed(self, self.view.towards(self.view.cursor, columns, rows)))

    def action_choose(self) -> None:
        """Chooses the point under the cursor."""
        if self.view is not None and self.view.cursor is not None:
            self.post_message(self.Chosen(self, self.view.cursor))

    def on_click(self, event: Click) -> None:
        """Chooses the point under the mouse."""
        if self.view is None or self.scale is None or not self.can_focus:
            return
        point = self.view.at(event.x - self.margin, event.y, self.scale)
        if point is not None:
            self.focus()
            self.post_message(self.Chosen(self, point))

    def draw(self) -> list[CanvasRow]:
        """Row names, the board, column names."""
        view, scale, margin = self.view, self.scale, self.margin
        if view is None or scale is None:
            return []
        beside, below = view.names(scale) if self.look.coordinates else ((), ())
        names, last = dict(beside), self.row()
        rows = [
            self.row().to(margin - 2).put(names.get(y, ""), "dim").to(margin).write(pieces)
            for y, pieces in enumerate(view.paint(scale, self.look))
        ]
        for x, name in below:
            last.to(margin + x).put(name, "dim")
        return [*rows, last]


class MoveBoard(BoardCanvas):
    """A board for one game at a time.

    Args:
        face: The game.
        id: DOM id.
    """

    @dataclass
    class Touched(Message):
        """Something was pointed at or chosen, and what that has led to: mostly to nothing as yet."""

        step: InputStep = field(default_factory=InputStep)

    def __init__(self, face: Face, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.face: Face = face
        self.hand: MoveInput = face.hand()
        self.position: Any = None
        self.moves: Sequence[Any] = ()
        self.cursor = 0
        self.flipped = False
        self.refusal = ""
        """Why no move can be made now, in a sentence; empty when one can."""
        self._shown = PositionView()
        tell_keys(self, face.game)

    def resize(self, scale: BoardLayout, margin: int) -> None:
        """Changes how large the board is drawn; a large one shows where the man under the cursor can go."""
        super().resize(scale, margin)
        if self.position is not None:
            self.repaint()

    def play(self, face: Face) -> None:
        """Changes the game."""
        self.face, self.hand = face, face.hand()
        self.position, self.moves, self.cursor = None, (), 0
        self.set_reactive(BoardCanvas.view, None)
        tell_keys(self, face.game)

    def show(self, position: Any, moves: Sequence[Any] = (), view: PositionView | None = None) -> None:
        """Shows a position; cursor, hand and side are the board's own.

        After another position nothing is chosen any more, and the cursor is where a man is.

        Args:
            position: The position; None for an empty board.
            moves: Its legal moves, the best first where that may be told.
            view: How to show it; its ``cursor`` tells by being None whether there is one.
        """
        view = view or PositionView(cursor=0)
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

    @on(BoardCanvas.Pointed)
    def _pointed(self, event: BoardCanvas.Pointed) -> None:
        event.stop()
        self.point_at(event.key)

    @on(BoardCanvas.Chosen)
    def _point_chosen(self, event: BoardCanvas.Chosen) -> None:
        event.stop()
        self.choose(event.key)

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
        step = InputStep(refusal=self.refusal) if self.refusal else self.hand.choose(self.position, self.moves, point)
        if not step.refusal and not step.moves:
            self._take_first()
        self.repaint()
        if len(step.moves) == 1:
            self.hand.pick(None)
        self.post_message(self.Touched(step))

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
