"""The board of any game: it shows a view and moves a cursor over its points; on a MoveBoard the user enters moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

from textual import on
from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Offset, Size
from textual.message import Message
from textual.reactive import reactive

from endgame_core.language import _
from endgame_tui.faces import BoardLayout, Face, InputStep, MoveInput, PositionView
from endgame_tui.keys import CHOOSE, CURSOR_DOWN, CURSOR_LEFT, CURSOR_RIGHT, CURSOR_UP, describe_keys
from endgame_tui.widgets.canvas import Canvas, CanvasRow

LIT_SECONDS = 0.1
"""How long the end of a played move lights up."""


class BoardCanvas(Canvas, can_focus=True):
    """A board that shows a view, a :class:`~endgame_tui.faces.BoardRenderer`.

    With ``width: auto`` and ``height: auto`` it is as large as its layout.

    Args:
        id: DOM id.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        CURSOR_UP.adapted(_("Cursor up"), action="point(0,-1)", words={"morris": _("Up along the line")}),
        CURSOR_DOWN.adapted(_("Cursor down"), action="point(0,1)", words={"morris": _("Down along the line")}),
        CURSOR_LEFT.adapted(_("Cursor left"), action="point(-1,0)", words={"morris": _("Left along the line")}),
        CURSOR_RIGHT.adapted(_("Cursor right"), action="point(1,0)", words={"morris": _("Right along the line")}),
        CHOOSE.adapted(_("Pick up or drop a piece"), words={"morris": _("Place, move or take a stone")}),
    ]

    view: reactive[Any] = reactive(None, repaint=False)
    """The view to show."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.board_layout: Any = None
        self.margin = 3
        """Columns left of the board, for the names of its rows."""

    def resize(self, layout: BoardLayout, margin: int) -> None:
        """Change the size of the board, and the width of the margin left of it."""
        if (layout, margin) == (self.board_layout, self.margin):
            return
        if self.board_layout is not None and type(layout) is not type(self.board_layout):
            self.set_reactive(BoardCanvas.view, None)  # the view of another game cannot be drawn in this layout
        self.board_layout = layout
        self.margin = margin
        # Two steps: the cells now, and the layout, because the widget is as large as its board.
        self.redraw()
        self.refresh(layout=True)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Columns of the margin and the board."""
        if self.board_layout is None:
            return self.margin
        return self.margin + self.board_layout.columns

    def content_rows(self, size: Size) -> int:
        """Rows of the board and of the names below it."""
        if self.board_layout is None:
            return 1
        return 1 + self.board_layout.rows

    def cursor_offset(self) -> Offset:
        """The cell where the names of the cursor's row and column cross."""
        view = self.view
        layout = self.board_layout
        if view is None or layout is None or view.cursor is None:
            return Offset()
        # The labels are in the middle rows and columns of points, which is where point_at is asked.
        row_names, column_names = view.edge_labels(layout)
        for y, __ in row_names:
            for x, __ in column_names:
                if view.point_at(x, y, layout) == view.cursor:
                    return Offset(self.margin + x, y)
        return Offset()

    def action_point(self, columns: int, rows: int) -> None:
        """Move the cursor."""
        if self.view is not None:
            # Only a message: the owner of the view decides whether the cursor moves, and passes a new view.
            self.post_message(self.Pointed(self, self.view.neighbour(self.view.cursor, columns, rows)))

    def action_choose(self) -> None:
        """Choose the point under the cursor."""
        if self.view is not None and self.view.cursor is not None:
            self.post_message(self.Chosen(self, self.view.cursor))

    def on_click(self, event: Click) -> None:
        """Choose the point under the mouse."""
        if self.view is None or self.board_layout is None or not self.can_focus:
            return
        point = self.view.point_at(event.x - self.margin, event.y, self.board_layout)
        if point is not None:
            self.focus()
            self.post_message(self.Chosen(self, point))

    def draw(self) -> list[CanvasRow]:
        """The board with the names of its rows on the left and those of its columns below."""
        view = self.view
        layout = self.board_layout
        if view is None or layout is None:
            return []
        if self.look.coordinates:
            row_names, column_names = view.edge_labels(layout)
        else:
            row_names = ()
            column_names = ()
        name_at = dict(row_names)

        rows: list[CanvasRow] = []
        for y, inks in enumerate(view.paint(layout, self.look)):
            row = self.row().pad_to(self.margin - 2).put(name_at.get(y, ""), "dim")
            # A drawing: cells of piece pictures are characters of a private area, which are not printable.
            rows.append(row.pad_to(self.margin).write(inks, is_drawing=True))
        names_below = self.row()
        for x, name in column_names:
            names_below.pad_to(self.margin + x).put(name, "dim")
        return [*rows, names_below]


class MoveBoard(BoardCanvas):
    """A board on which the user enters moves of one game at a time.

    Args:
        face: The game.
        id: DOM id.
    """

    @dataclass
    class Touched(Message):
        """The cursor was moved or a point was chosen; ``step`` has the move if that has completed one."""

        step: InputStep = field(default_factory=InputStep)

    def __init__(self, face: Face, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.face: Face = face
        self.move_input: MoveInput = face.new_move_input()
        self.position: Any = None
        self.moves: Sequence[Any] = ()
        self.cursor = 0
        self.flipped = False
        self.refusal = ""
        """A sentence that says why no move can be made now; empty if one can."""
        self._position_view = PositionView()
        self._lit: int | None = None
        """The point that lights up, because a move has just ended there."""
        describe_keys(self, face.game)

    def resize(self, layout: BoardLayout, margin: int) -> None:
        """Change the size of the board; a large one shows the targets of the piece under the cursor."""
        super().resize(layout, margin)
        if self.position is not None:
            self.repaint()

    def set_face(self, face: Face) -> None:
        """Change the game."""
        self.face = face
        self.move_input = face.new_move_input()
        self.position = None
        self.moves = ()
        self.cursor = 0
        self.set_reactive(BoardCanvas.view, None)
        describe_keys(self, face.game)

    def show(self, position: Any, moves: Sequence[Any] = (), view: PositionView | None = None) -> None:
        """Show a position; cursor, move input and orientation are the board's own.

        A new position clears the move input and, if need be, moves the cursor to a piece.

        Args:
            position: The position; None for an empty board.
            moves: Its legal moves, the best first if the user may know them.
            view: How to show it. Of its ``cursor`` only counts whether it is None, which hides the cursor.
        """
        view = view or PositionView(cursor=0)
        is_first = self.position is None
        is_new = position != self.position
        # Undoing a move shows an earlier one as the last move: that is not a move that could be played just now.
        is_played = is_new and not is_first and view.last_move is not None and view.last_move in self.moves
        self.position = position
        self.moves = moves
        self._position_view = view
        if position is not None and (is_new or is_first):
            # A move that was half entered belonged to the position before.
            self.move_input.pick(None)
            self._place_cursor(is_first, view.last_move)
        if is_new:
            self._lit = None
        if is_played and cast("Any", self.app).has_motion:
            self._lit = self.face.endpoints(view.last_move)[1]
            self.set_timer(LIT_SECONDS, self._put_out)
        self.repaint()

    def _put_out(self) -> None:
        """Show the last move as usual again."""
        if self._lit is not None:
            self._lit = None
            self.repaint()

    def _place_cursor(self, is_first: bool, last_move: Any) -> None:
        """Move the cursor to where it belongs in a new position."""
        if is_first:
            self.reset_cursor()
            return
        has_piece = self.face.has_piece(self.position, self.cursor)
        if last_move is None:
            if not has_piece:
                self.reset_cursor()
        elif self.face.cursor_follows or not has_piece:
            self.cursor = self.face.endpoints(last_move)[1]

    def repaint(self) -> None:
        """Draw the position again, with the current cursor and move input."""
        view = self._position_view
        has_room = self.board_layout is not None and self.board_layout.large
        view = replace(
            view,
            cursor=None if view.cursor is None else self.cursor,
            move_input=self.move_input,
            show_all=view.show_all and has_room,
            flipped=self.flipped,
            lit=self._lit,
        )
        self.view = self.face.board_view(self.position, self.moves, view)

    def reset_cursor(self) -> None:
        """Move the cursor to the point where the side to move starts."""
        if self.position is not None:
            self.cursor = self.face.initial_cursor(self.position, self.moves)

    def flip(self) -> None:
        """Turn the board around."""
        self.flipped = not self.flipped
        self.repaint()

    # Entering moves

    @on(BoardCanvas.Pointed)
    def _on_pointed(self, event: BoardCanvas.Pointed) -> None:
        event.stop()
        self.move_cursor(event.key)

    @on(BoardCanvas.Chosen)
    def _on_chosen(self, event: BoardCanvas.Chosen) -> None:
        event.stop()
        self.choose(event.key)

    def move_cursor(self, point: int) -> None:
        """Move the cursor to a point."""
        self.cursor = point
        self.repaint()
        self.post_message(self.Touched())

    def pick(self, point: int | None, cursor: int | None = None) -> None:
        """Start a move with a piece as if the user had picked it up; None clears the move input."""
        self.move_input.pick(point)
        if cursor is not None:
            self.cursor = cursor
        self.repaint()

    def begin_typed(self, text: str) -> bool:
        """Continue with a typed move that lacks only the stone to take; return whether it is such a move."""
        if not self.move_input.begin_typed(self.moves, text):
            return False
        self._point_at_takeable()
        self.repaint()
        self.post_message(self.Touched())
        return True

    def choose(self, point: int) -> None:
        """Choose the next point of a move: a piece, its destination, or the stone it takes."""
        self.cursor = point
        if self.refusal:
            step = InputStep(refusal=self.refusal)
        else:
            step = self.move_input.choose(self.position, self.moves, point)
        # If the choice has closed a mill, the cursor goes to the stones that may be taken.
        if not step.refusal and not step.moves:
            self._point_at_takeable()
        self.repaint()
        # Several moves: the piece stays picked up until the user has chosen, e.g. the piece to promote to.
        if len(step.moves) == 1:
            self.move_input.pick(None)
        self.post_message(self.Touched(step))

    def _point_at_takeable(self) -> None:
        """Move the cursor to a stone that the move may take, preferably a hinted one."""
        takeable = self.move_input.takeable_points(self.moves)
        if takeable:
            hinted = (point for point in self._position_view.hinted_points if point in takeable)
            self.cursor = next(hinted, takeable[0])

    def unpick(self) -> bool:
        """Take back the last choice; return False if nothing was chosen."""
        if self.move_input.is_empty:
            return False
        cursor = self.move_input.undo_choice()
        if cursor is not None:
            self.cursor = cursor
        self.repaint()
        self.post_message(self.Touched())
        return True
