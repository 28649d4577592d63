"""Replay of a past attempt, move by move, with a grade for every move."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.widget import Widget

from endgame_core.errors import EndgameError
from endgame_core.language import _
from endgame_core.practice.journal import day_of
from endgame_core.practice.records import Record
from endgame_core.tasks.review import ReviewSession
from endgame_core.words import progress as words
from endgame_core.words.game_report import chart, phase_rows, rows_of
from endgame_core.words.position import label
from endgame_tui.faces import Label, PositionView
from endgame_tui.keys import ADD, EXPLORE_HERE, FIRST, FLIP, LAST, LEAVE, NEXT_ERROR, STEP_BACK, STEP_FORWARD, Key
from endgame_tui.screens.base import BoardScreen, OverScreen, Request
from endgame_tui.widgets.charts import DepthChart
from endgame_tui.widgets.lines import Lines, message_rows
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widths import MEDIUM, WIDE


class ReplayScreen(OverScreen, BoardScreen):
    """A past attempt on the board.

    Args:
        record: The attempt.
    """

    TASK = "progress"
    CSS_PATH = "replay.tcss"
    FOCUSABLE = (ScorePanel,)
    BINDINGS: ClassVar[list[BindingType]] = [
        STEP_BACK,
        STEP_FORWARD,
        FIRST.adapted(_("Go to the start"), short=_("first, last"), rank=3),
        LAST.adapted(_("Go to the end"), short=_("first, last"), rank=3),
        NEXT_ERROR.adapted(short=_("next error")),
        FLIP.adapted(short=_("flip"), rank=3),
        EXPLORE_HERE.adapted(short=_("Explore")),
        LEAVE.adapted(_("Back to the attempts"), short=_("back")),
    ]

    def __init__(self, record: Record) -> None:
        super().__init__()
        self._record = record
        self._review: ReviewSession[Any, Any] | None = None
        self.board.flipped = record.colour == "black"
        self.board.can_focus = False

    def body(self) -> ComposeResult:
        """Yield the board, the result, the moves, the chart of depths, and the sentence about the move."""
        with Horizontal(id="main"):
            yield self.board
            with Vertical(id="panels"):
                yield Lines(id="result")
                yield ScorePanel(id="score")
                yield DepthChart(id="chart")
                yield Lines(id="phases")
        with Vertical(id="below"):
            yield Lines(id="reason")
            yield DepthChart(id="low")

    def home(self) -> Widget:
        """The list of moves."""
        return self.query_one(ScorePanel)

    def on_mount(self) -> None:
        """Read the moves of the attempt."""
        try:
            moves = self.lab.journal.moves(self._record.uuid)
            self._review = ReviewSession.of_attempt(self.lab.judge(self._record.game), self._record, moves)
        except EndgameError as problem:
            self.complain(problem)
        if self._review is not None and self._review.missing:
            self.say(_("some moves of this attempt cannot be shown on the board."), "loss")

    def on_resize(self, event: Resize | None = None) -> None:
        """Resize the board; the rows below it, one to three, are for the sentence and the chart."""
        super().on_resize(event)
        board_rows = 0
        if self.board.board_layout:
            board_rows = self.board.board_layout.rows
        rows = min(max(self.size.height - 4 - board_rows, 1), 3)
        self.query_one("#below").styles.height = rows
        self.query_one("#reason").styles.max_height = max(rows - 1, 1)

    def show(self) -> None:
        """Show the current move and its grade."""
        review = self._review
        record = self._record
        if review is None:
            return
        today = day_of(self.lab.journal.clock())
        self.crumbs(*words.review_crumbs(review, record, today, self.size.width >= WIDE), named=False)
        self._show_board(review)
        self.query_one("#result", Lines).show(lambda size: words.review_result(review, record, size.width))

        cursor = None
        if review.item is not None:
            cursor = review.at
        score = rows_of(review.items, words.UNGRADED)
        self.query_one(ScorePanel).show(score, cursor, review.you == "white", marks=True)
        start, end = chart(review)
        depths = ()
        # A chart of one position says nothing.
        if len(review.depths) > 1:
            depths = review.depths
        # Beside and below the board; replay.tcss shows the one that has room.
        for depth_chart in self.query(DepthChart):
            depth_chart.show(depths, review.at, outcomes=review.outcomes, errors=review.errors, start=start, end=end)
        self.query_one("#phases", Lines).show(lambda size: phase_rows(review, size.width))
        message = words.review_reason(review, record, self.size.width >= MEDIUM)
        self.query_one("#reason", Lines).show(lambda size: message_rows(message, size, self.look.glyphs))

    def _show_board(self, review: ReviewSession[Any, Any]) -> None:
        """Show the position, the move made there and what all its moves lead to; at the end only the position."""
        move = None
        if review.item is not None:
            move = review.item.move
        probe = review.probe
        if move is None or probe.problem is not None:
            rated = ()
        else:
            rated = probe.moves
        labels = [(each.move, Label(*label(each))) for each in rated]
        view = PositionView(cursor=None, last_move=review.came_by, reviewed_move=move, rated_moves=labels, idle=True)
        self.board.show(review.position, [each.move for each in rated], view)

    # Keys

    def label(self, key: Key) -> str:
        """Name of a key in the last row; the game cannot be switched here."""
        return {ADD.id: _("add to studies"), "game": ""}.get(key.id, super().label(key))

    def action_step(self, items: int) -> None:
        """Go forward or back by some moves."""
        if self._review is not None:
            self.say()
            self._review.step(items)
            self.show()

    @on(ScorePanel.Chosen)
    def _chosen(self, event: ScorePanel.Chosen) -> None:
        if self._review is not None:
            self.action_step(event.key - self._review.at)

    def action_next_error(self) -> None:
        """Go to the user's next error."""
        if self._review is None:
            return
        self.say()
        if self._review.next_error():
            self.show()
        else:
            self.say(_("nothing was lost here."), "win")

    async def action_explore_here(self) -> None:
        """Open the position in Explore."""
        if self._review is not None:
            game = self._review.judge.game
            await self.host.open("explore", Request(game.name, text=game.format(self._review.position)))
