"""Replay: a past attempt move by move, every move graded."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.widget import Widget

from endgame_core.errors import EndgameError
from endgame_core.practice.journal import day_of
from endgame_core.practice.records import Record
from endgame_core.tasks.review import ReviewSession
from endgame_core.words import progress as words
from endgame_core.words.game_report import chart, rows_of
from endgame_core.words.position import label
from endgame_tui.faces import Label, PositionView
from endgame_tui.screens.base import BoardScreen, OverScreen, Request
from endgame_tui.widgets.bars import NORMAL, WIDE, Key
from endgame_tui.widgets.charts import DepthChart
from endgame_tui.widgets.lines import Lines, message_rows
from endgame_tui.widgets.score import ScorePanel


class ReplayScreen(OverScreen, BoardScreen):
    """An attempt on the board.

    Args:
        record: The attempt.
    """

    TASK = "progress"
    CSS_PATH = "replay.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("left,h", "step(-1)", "Previous move", id="replay.left", short="step", rank=1),
        Key("right,l", "step(1)", "Next move", id="replay.right", short="step", rank=1),
        Key("home", "step(-99999)", "Go to the start", id="replay.home", short="first, last", rank=3),
        Key("end", "step(99999)", "Go to the end", id="replay.end", short="first, last", rank=3),
        Key("e", "next_error", "Go to your next error", id="replay.error", short="next error", rank=1),
        Key("f", "flip", "Flip the board", id="replay.flip", short="flip", rank=3),
        Key("s", "send", "Open in Explore", id="replay.send", short="Explore"),
        Key("escape", "back", "Back to the attempts", id="replay.back", short="back", rank=1),
    ]

    def __init__(self, record: Record) -> None:
        super().__init__()
        self._record = record
        self._review: ReviewSession[Any, Any] | None = None
        self.board.flipped = record.colour == "black"
        self.board.can_focus = False

    def body(self) -> ComposeResult:
        """Board, result, moves, depth, and a sentence about the move."""
        with Horizontal(id="main"):
            yield self.board
            with Vertical(id="panels"):
                yield Lines(id="result")
                yield ScorePanel(id="score")
                yield DepthChart(id="chart")
        with Vertical(id="below"):
            yield Lines(id="reason")
            yield DepthChart(id="low")

    def home(self) -> Widget:
        """The moves have the focus."""
        return self.query_one(ScorePanel)

    def on_mount(self) -> None:
        """Reads the moves, and puts the attempt on the board."""
        try:
            moves = self.lab.journal.moves(self._record.uuid)
            self._review = ReviewSession.of_attempt(self.lab.judge(self._record.game), self._record, moves)
        except EndgameError as problem:
            self.complain(problem)
        if self._review is not None and self._review.missing:
            self.say("some moves of this attempt cannot be put on the board.", "loss")

    def on_resize(self, event: Resize | None = None) -> None:
        """Gives the sentence and the depth below the board the rows that are left, at most three."""
        super().on_resize(event)
        rows = min(max(self.size.height - 4 - (self.board.board_layout.rows if self.board.board_layout else 0), 1), 3)
        self.query_one("#below").styles.height = rows
        self.query_one("#reason").styles.max_height = max(rows - 1, 1)

    def show(self) -> None:
        """Shows where one is."""
        review, record = self._review, self._record
        if review is None:
            return
        today = day_of(self.lab.journal.clock())
        self.crumbs(*words.review_crumbs(review, record, today, self.size.width >= WIDE), named=False)
        item, known = review.item, review.known
        move = item.move if item is not None else None
        rated = () if move is None or known.problem is not None else known.moves
        labels = [(each.move, Label(*label(each))) for each in rated]
        view = PositionView(cursor=None, last_move=review.came_by, reviewed_move=move, rated_moves=labels, idle=True)
        self.board.show(review.position, [each.move for each in rated], view)
        self.query_one("#result", Lines).show(lambda size: words.review_result(review, record, size.width))
        rows = rows_of(review.items, words.UNGRADED)
        cursor = None if item is None else review.at
        self.query_one(ScorePanel).show(rows, cursor, review.you == "white", marks=True)
        start, end = chart(review)
        for drawn in self.query(DepthChart):
            drawn.show(review.depths if len(review.depths) > 1 else (), review.at, start=start, end=end)
        told = words.review_reason(review, record, self.size.width >= NORMAL)
        self.query_one("#reason", Lines).show(lambda size: message_rows(told, size, self.look.glyphs))

    # Keys

    def label(self, key: Key) -> str:
        """What keys are called in the last row."""
        return {"add": "add to studies", "game": ""}.get(key.action, super().label(key))

    def action_step(self, items: int) -> None:
        """Steps through the attempt."""
        if self._review is not None:
            self.say()
            self._review.step(items)
            self.show()

    @on(ScorePanel.Chosen)
    def _chosen(self, event: ScorePanel.Chosen) -> None:
        self.action_step(event.key - (self._review.at if self._review is not None else 0))

    def action_next_error(self) -> None:
        """Goes to the learner's next slip."""
        if self._review is None:
            return
        self.say()
        if self._review.next_error():
            self.show()
        else:
            self.say("nothing was lost here.", "win")

    async def action_send(self) -> None:
        """Opens the position in Explore."""
        if self._review is not None:
            game = self._review.judge.game
            await self.host.open("explore", Request(game.name, text=game.format(self._review.position)))
