"""The score of a game: numbered moves in two columns, with a note about each move of the player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Offset

from endgame_core.language import _
from endgame_core.words.game_report import MoveRow
from endgame_core.words.text_model import Badge
from endgame_tui.keys import CURSOR_DOWN, CURSOR_UP, FAR, FIRST, LAST, STEP_BACK, STEP_FORWARD
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.moves import shorten_move

SLIM_WIDTH = 14
"""A panel narrower than this shows one move in a row."""


class ScorePanel(Canvas, can_focus=True):
    """The moves of a game, keyed by their plies; keys and the wheel step through the game."""

    BINDINGS: ClassVar[list[BindingType]] = [
        STEP_BACK.adapted(action="screen.step(-1)"),
        STEP_FORWARD.adapted(action="screen.step(1)"),
        CURSOR_UP.adapted(_("Row above"), action="screen.step(-2)"),
        CURSOR_DOWN.adapted(_("Row below"), action="screen.step(2)"),
        FIRST.adapted(_("Go to the start"), action=f"screen.step({-FAR})", short=_("first, last"), rank=3),
        LAST.adapted(_("Go to the end"), action=f"screen.step({FAR})", short=_("first, last"), rank=3),
    ]

    _moves: Sequence[MoveRow] = ()
    _white = True
    _marks = False
    _title = _("Game")
    _prompt: tuple[int, str] | None = None
    _both = False

    def show(
        self,
        moves: Sequence[MoveRow],
        cursor: int | None,
        white: bool,
        marks: bool,
        title: str = _("Game"),
        prompt: tuple[int, str] | None = None,
        both: bool = False,
    ) -> None:
        """Show a game.

        Args:
            moves: The moves.
            cursor: Number of the selected ply; None for none.
            white: Whether the player has White.
            marks: Whether to show the notes.
            title: The title.
            prompt: The number of the next move and a text about it, shown below the moves.
            both: Whether both sides are players at this board.
        """
        self._both = both
        self._moves = moves
        self.cursor = cursor
        self._white = white
        self._marks = marks
        self._title = title
        self._prompt = prompt
        self.redraw()

    def wheel(self, turns: int) -> None:
        """Step through the game."""
        # run_action is a coroutine, which call_later awaits.
        self.call_later(self.run_action, f"screen.step({turns})")

    def cursor_offset(self) -> Offset:
        """The cell of the selected move; without one the start of the last row."""
        if self.cursor is not None:
            return super().cursor_offset()
        return Offset(self._moves_column if self._moves else 0, min(len(self._moves), self.size.height - 1))

    def on_click(self, event: Click) -> None:
        """Choose the move under the mouse."""
        ply = self.item_at(event.x, event.y)
        if ply is not None:
            self.post_message(self.Chosen(self, ply))

    @property
    def _moves_column(self) -> int:
        """The column where the moves start, after their numbers."""
        digits = 0
        if self._moves:
            digits = len(str(self._moves[-1].number))
        return max(digits, 2) + 1

    @property
    def _cell_width(self) -> int:
        """Columns for one move."""
        widest = max((len(move) for row in self._moves for move in row.moves), default=0)
        room = (self.size.width - self._moves_column) // 2
        return max(min(max(widest + 1, 7), room), 1)

    def draw(self) -> list[CanvasRow]:
        """The title, the moves around the selected one, the prompt."""
        if self.size.width < SLIM_WIDTH:
            return self._draw_slim()
        moves = self._moves
        prompt = self._prompt
        # The prompt for Black's move stands in the row of White's.
        is_prompt_inside = prompt is not None and bool(moves) and moves[-1].number == prompt[0]
        has_prompt_row = prompt is not None and not is_prompt_inside
        room = max(self.size.height - 1 - has_prompt_row, 0)
        # Without a selected move, e.g. during a game, the last one counts: the panel shows the end of the game.
        selected = next((number for number, row in enumerate(moves) if self.cursor in row.plies), len(moves) - 1)
        first = _first_in_sight(selected, len(moves), room)

        rows = [self.heading(self._title), *map(self._draw_row, moves[first : first + room])]
        if prompt is not None:
            number, text = prompt
            if not is_prompt_inside:
                rows.append(self.row().put_right(str(number), 2, "faint").pad_to(3))
            column = 3
            if is_prompt_inside:
                column = 3 + self._cell_width
            if column + 2 + len(text) > self.size.width:
                # Its second clause is dispensable.
                text = text.partition(",")[0]
            rows[-1].pad_to(column).item(None).put("_", "amber", bold=True).put(f" {text}", "faint")
        return rows

    def _draw_row(self, move_row: MoveRow) -> CanvasRow:
        first_column = self._moves_column
        cell = self._cell_width
        # The blanks before the first move belong to it.
        row = self.row().item(next(ply for ply in (*move_row.plies, None) if ply != -1))
        row.put_right(str(move_row.number), first_column - 1, "faint").pad_to(first_column)
        for side, (move, ply) in enumerate(zip(move_row.moves, move_row.plies, strict=True)):
            row.pad_to(first_column + side * cell)
            if ply >= 0:
                row.item(ply)
            # The background of the selected move fills its cell.
            text = move.ljust(cell - 1) if ply == self.cursor else move
            self._put_move(row, text, ply, side, move_row.has_shown_move)

        mark = move_row.mark
        if self._marks and mark is not None:
            row.pad_to(first_column + 2 * cell)
            if move_row.reply_mark is None:
                self._put_mark(row, mark)
            else:
                self._put_marks(row, mark, move_row.reply_mark)
        slip = move_row.slip
        if self._marks and slip and row.width + 2 + len(slip) <= self.size.width:
            # Slips are aligned behind the words of the notes, and moved left only where they would not fit.
            column = min(first_column + 2 * cell + 12, self.size.width - len(slip))
            row.pad_to(max(column, row.width + 2)).put(slip, "dim")
        return row

    def _put_mark(self, row: CanvasRow, mark: Badge) -> None:
        """Write the sign of a note and, if they fit, its words or the short word."""
        row.put(mark.sign, mark.role, bold=not mark.quiet)
        self._put_words(row, mark)

    def _put_marks(self, row: CanvasRow, white: Badge, black: Badge) -> None:
        """Write the signs of White's and Black's notes, and the words of those that are mistakes, if they fit."""
        row.put(white.sign, white.role, bold=not white.quiet)
        row.put(f" {black.sign}", black.role, bold=not black.quiet)
        for mark in (white, black):
            if not mark.quiet:
                self._put_words(row, mark)

    def _put_words(self, row: CanvasRow, mark: Badge) -> None:
        """Write the words of a note, or the short word, or nothing, as there is room."""
        room = self.size.width - row.width - 1
        words = next((words for words in (mark.words, mark.short) if words and len(words) <= room), "")
        if words:
            row.put(f" {words}", "dim" if mark.quiet else mark.role)

    def _put_move(self, row: CanvasRow, move: str, ply: int, side: int, is_demonstration: bool = False) -> CanvasRow:
        """Write a move: highlighted if selected, bright if the player made it, else dim."""
        if 0 <= ply == self.cursor:
            return row.put(move, "amber", "selected", bold=True, underline=not self.look.palette.has_colours)
        is_player_move = (self._both or (side == 0) == self._white) and not is_demonstration
        role = "text" if is_player_move else "dim"
        return row.put(move, role)

    def _draw_slim(self) -> list[CanvasRow]:
        """One move in each row: those around the selected one, else the last ones."""
        width, height = self.size
        moves = [
            (shorten_move(move, width)[:width], ply, side)
            for row in self._moves
            for side, (move, ply) in enumerate(zip(row.moves, row.plies, strict=True))
            if ply >= 0
        ]
        selected = next((number for number, (__, ply, __) in enumerate(moves) if ply == self.cursor), len(moves) - 1)
        first = _first_in_sight(selected, len(moves), height)
        return [
            self._put_move(self.row().item(ply), move, ply, side) for move, ply, side in moves[first : first + height]
        ]


def _first_in_sight(selected: int, count: int, height: int) -> int:
    """The first of ``height`` rows in sight so that the selected one is in their middle, if there are enough."""
    return min(max(selected - height // 2, 0), max(count - height, 0))
