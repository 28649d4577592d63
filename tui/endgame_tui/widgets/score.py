"""The game so far: numbered moves in two columns, with a note about each of yours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Offset

from endgame_core.words.game_report import MoveRow as ScoreRow
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.moves import shortened

SLIM = 14
"""A panel narrower than this shows one move in a row."""


class ScorePanel(Canvas, can_focus=True):
    """The moves of a game, known by their plies; keys and the wheel have the screen step through them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("left,h", "screen.step(-1)", "Previous move", id="score.left", short="step", rank=1),
        Key("right,l", "screen.step(1)", "Next move", id="score.right", short="step", rank=1),
        Key("up,k", "screen.step(-2)", "Row above", id="score.up"),
        Key("down,j", "screen.step(2)", "Row below", id="score.down"),
        Key("home", "screen.step(-9999)", "Go to the start", id="score.home", short="first, last", rank=3),
        Key("end", "screen.step(9999)", "Go to the end", id="score.end", short="first, last", rank=3),
    ]

    _moves: Sequence[ScoreRow] = ()
    _white, _marks, _title = True, False, "Game"
    _prompt: tuple[int, str] | None = None

    def show(
        self,
        moves: Sequence[ScoreRow],
        cursor: int | None,
        white: bool,
        marks: bool,
        title: str = "Game",
        prompt: tuple[int, str] | None = None,
    ) -> None:
        """Shows a game.

        Args:
            moves: The moves.
            cursor: Number of the ply selected; None when none is.
            white: Whether White's moves are yours.
            marks: Whether marks are shown.
            title: The title.
            prompt: The number of the move to come and words about it, below the others.
        """
        self._moves, self.cursor, self._white, self._marks = moves, cursor, white, marks
        self._title, self._prompt = title, prompt
        self.redraw()

    def wheel(self, turns: int) -> None:
        """Steps through the game."""
        self.call_later(self.run_action, f"screen.step({turns})")

    def place(self) -> Offset:
        """The move that is selected; else the last row."""
        last = Offset(self._left if self._moves else 0, min(len(self._moves), self.size.height - 1))
        return last if self.cursor is None else super().place()

    def on_click(self, event: Click) -> None:
        """Chooses the move under the mouse."""
        if (ply := self.item_at(event.x, event.y)) is not None:
            self.post_message(self.Chosen(self, ply))

    @property
    def _left(self) -> int:
        """The column where the moves begin, right of their numbers."""
        return max(len(str(self._moves[-1].number)) if self._moves else 0, 2) + 1

    def _column(self) -> int:
        """Columns one move takes."""
        widest = max((len(move) for row in self._moves for move in row.moves), default=0)
        room = (self.size.width - self._left) // 2
        return max(min(max(widest + 1, 7), room), 1)

    def draw(self) -> list[CanvasRow]:
        """The title, then the moves."""
        if self.size.width < SLIM:
            return self._slim()
        moves, prompt, width = self._moves, self._prompt, self.size.width
        inside = prompt is not None and bool(moves) and moves[-1].number == prompt[0]
        room = max(self.size.height - 1 - (prompt is not None and not inside), 0)
        at = next((n for n, row in enumerate(moves) if self.cursor in row.plies), len(moves) - 1)
        first = _first(at, len(moves), room)
        rows = [self.heading(self._title), *map(self._row, moves[first : first + room])]
        if prompt is not None:
            if not inside:
                rows.append(self.row().right(str(prompt[0]), 2, "faint").to(3))
            at = 3 + inside * self._column()
            words = prompt[1] if at + 2 + len(prompt[1]) <= width else prompt[1].partition(",")[0]
            rows[-1].to(at).item(None).put("_", "amber", bold=True).put(f" {words}", "faint")
        return rows

    def _row(self, row: ScoreRow) -> CanvasRow:
        column, left = self._column(), self._left
        number = self.row().item(next(ply for ply in (*row.plies, None) if ply != -1))
        drawn = number.right(str(row.number), left - 1, "faint").to(left)
        for side, (move, ply) in enumerate(zip(row.moves, row.plies, strict=True)):
            drawn.to(left + side * column)
            if ply >= 0:
                drawn.item(ply)
            self._move(drawn, move.ljust(column - 1) if ply == self.cursor else move, ply, side, row.shown)
        if self._marks and (mark := row.mark) is not None:
            drawn.to(left + 2 * column).put(mark.sign, mark.role, bold=not mark.quiet)
            drawn.put(f" {mark.words}", "dim" if mark.quiet else mark.role)
        if self._marks and row.slip and drawn.width + 2 + len(row.slip) <= self.size.width:
            at = min(left + 2 * column + 12, self.size.width - len(row.slip))
            drawn.to(max(at, drawn.width + 2)).put(row.slip, "dim")
        return drawn

    def _move(self, row: CanvasRow, move: str, ply: int, side: int, shown: bool = False) -> CanvasRow:
        """Writes a move: that with the cursor, one of yours, or another."""
        if 0 <= ply == self.cursor:
            return row.put(move, "amber", "selected", bold=True, underline=not self.look.palette.coloured)
        return row.put(move, "text" if (side == 0) == self._white and not shown else "dim")

    def _slim(self) -> list[CanvasRow]:
        """One move in a row, the last ones or those around the selected one."""
        width, height = self.size
        plies = [
            (shortened(move, width)[:width], ply, side)
            for row in self._moves
            for side, (move, ply) in enumerate(zip(row.moves, row.plies, strict=True))
            if ply >= 0
        ]
        at = next((n for n, (_, ply, _) in enumerate(plies) if ply == self.cursor), len(plies) - 1)
        first = _first(at, len(plies), height)
        return [self._move(self.row().item(ply), move, ply, side) for move, ply, side in plies[first : first + height]]


def _first(at: int, count: int, height: int) -> int:
    """The first of some rows that is shown, so that one of them is in sight, with as many before it as after it."""
    return min(max(at - height // 2, 0), max(count - height, 0))
