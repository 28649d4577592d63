"""The game so far: numbered moves in two columns, with a note about each of yours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Offset
from textual.reactive import reactive
from textual.strip import Strip

from endgame_core.words.played import Row as ScoreRow
from endgame_core.words.told import Mark
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.canvas import Canvas, Row
from endgame_tui.widgets.moves import shortened

SLIM = 14
"""A panel narrower than this shows one move in a row."""


@dataclass(frozen=True, slots=True)
class ScoreView:
    """What the panel shows.

    Attributes:
        rows: The moves.
        cursor: Number of the ply selected; None when none is.
        white: Whether White's moves are yours.
        marks: Whether marks are shown.
        title: The title.
        prompt: The number of the move to come and words about it, below the others; empty when none is to come.
    """

    rows: tuple[ScoreRow, ...] = ()
    cursor: int | None = None
    white: bool = True
    marks: bool = False
    title: str = "Game"
    prompt: tuple[int, str] | None = None


class ScorePanel(Canvas, can_focus=True):
    """The moves of a game; keys and the wheel have the screen step through them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("left,h", "screen.step(-1)", "Move before", id="score.left", short="step", rank=1),
        Key("right,l", "screen.step(1)", "Move after", id="score.right", short="step", rank=1),
        Key("up,k", "screen.step(-2)", "A move up", id="score.up"),
        Key("down,j", "screen.step(2)", "A move down", id="score.down"),
        Key("home", "screen.step(-9999)", "To the start", id="score.home", short="first, last", rank=3),
        Key("end", "screen.step(9999)", "To the end", id="score.end", short="first, last", rank=3),
    ]

    view: reactive[ScoreView] = reactive(ScoreView(), repaint=False)
    """What to show."""

    def wheel(self, turns: int) -> None:
        """Steps through the game."""
        self.call_later(self.run_action, f"screen.step({turns})")

    @property
    def _left(self) -> int:
        """The column where the moves begin, right of their numbers."""
        return max(len(str(self.view.rows[-1].number)) if self.view.rows else 0, 2) + 1

    def _column(self) -> int:
        """Columns one move takes."""
        widest = max((len(move) for row in self.view.rows for move in row.moves), default=0)
        room = (self.size.width - self._left) // 2
        return max(min(max(widest + 1, 7), room), 1)

    def _first(self, height: int) -> int:
        """The first row shown: the selected one, or the last, is always in sight."""
        rows, cursor = self.view.rows, self.view.cursor
        at = next((n for n, row in enumerate(rows) if cursor is not None and cursor in row.plies), len(rows) - 1)
        if cursor is None:
            return max(len(rows) - height, 0)
        return min(max(at - height // 2, 0), max(len(rows) - height, 0))

    def place(self) -> Offset:
        """The move that is selected; else the last row."""
        if self.size.width < SLIM:
            return Offset()
        view, first = self.view, self._first(self.size.height - 1)
        for y, row in enumerate(view.rows[first:], 1):
            if view.cursor is not None and view.cursor in row.plies:
                return Offset(self._left + row.plies.index(view.cursor) * self._column(), y)
        return Offset(self._left if view.rows else 0, len(view.rows) - first)

    def on_click(self, event: Click) -> None:
        """Chooses the move under the mouse."""
        if self.size.width < SLIM or event.y == 0:
            return
        first = self._first(self.size.height - 1)
        if (at := first + event.y - 1) < len(self.view.rows):
            row, second = self.view.rows[at], event.x >= self._left + self._column()
            ply = row.plies[second] if row.plies[second] >= 0 else max(row.plies)
            self.post_message(self.Chosen(self, ply))

    def draw(self) -> list[Strip]:
        """The title, then the moves."""
        if self.size.width < SLIM:
            return self._slim()
        pen, width = self.look.palette, self.size.width
        title = self.row().put(self.view.title, pen.title(self.has_focus))
        view, prompt = self.view, self.view.prompt
        inside = prompt is not None and bool(view.rows) and view.rows[-1].number == prompt[0]
        room = max(self.size.height - 1 - (prompt is not None and not inside), 0)
        first = self._first(room)
        rows = [title, *(self._row(row) for row in view.rows[first : first + room])]
        if prompt is not None:
            if not inside:
                rows.append(self.row().right(str(prompt[0]), pen("faint"), 2).to(3))
            at = 3 + inside * self._column()
            words = prompt[1] if at + 2 + len(prompt[1]) <= width else prompt[1].partition(",")[0]
            rows[-1].to(at).put("_", pen("amber", bold=True)).put(f" {words}", pen("faint"))
        return [row.strip(width) for row in rows]

    def _row(self, row: ScoreRow) -> Row:
        pen, column, left = self.look.palette, self._column(), self._left
        drawn = self.row().right(str(row.number), pen("faint"), left - 1).to(left)
        for side, (move, ply) in enumerate(zip(row.moves, row.plies, strict=True)):
            drawn.to(left + side * column)
            yours = (side == 0) == self.view.white and not row.shown
            if ply >= 0 and ply == self.view.cursor:
                drawn.put(move.ljust(column - 1), pen("amber", "selected", bold=True, underline=not pen.coloured))
            else:
                drawn.put(self.look.glyphs.plain(move), pen("text" if yours else "dim"))
        if self.view.marks and row.mark is not None:
            drawn.to(left + 2 * column)
            self._mark(drawn, row.mark)
        if self.view.marks and row.slip and drawn.width + 2 + len(row.slip) <= self.size.width:
            at = min(left + 2 * column + 12, self.size.width - len(row.slip))
            drawn.to(max(at, drawn.width + 2)).put(row.slip, pen("dim"))
        return drawn

    def _mark(self, row: Row, mark: Mark) -> None:
        pen, glyphs = self.look.palette, self.look.glyphs
        row.put(glyphs.plain(mark.sign), pen(mark.role, bold=not mark.quiet))
        row.put(f" {glyphs.plain(mark.words)}", pen("dim" if mark.quiet else mark.role))

    def _slim(self) -> list[Strip]:
        """One move in a row, the last ones or those around the selected one."""
        pen, (width, height), view = self.look.palette, self.size, self.view
        plies = [
            (ply, move, (side == 0) == view.white)
            for row in view.rows
            for side, (move, ply) in enumerate(zip(row.moves, row.plies, strict=True))
            if ply >= 0
        ]
        at = next((n for n, (ply, _, _) in enumerate(plies) if ply == view.cursor), len(plies) - 1)
        first = min(max(at - height // 2, 0), max(len(plies) - height, 0))
        strips: list[Strip] = []
        for ply, move, yours in plies[first : first + height]:
            here = ply == view.cursor
            style = pen("amber", "selected", bold=True, underline=True) if here else pen("text" if yours else "dim")
            strips.append(self.row().put(shortened(move, width)[:width], style).strip(width))
        return strips
