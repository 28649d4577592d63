"""Replay: a past attempt move by move, every move graded."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size

from endgame_core.errors import EndgameError
from endgame_core.practice.journal import day_of
from endgame_core.practice.records import PLAY, Record
from endgame_tui import replaying as scenes
from endgame_tui.replaying import Replay
from endgame_tui.screens.adding import Adding
from endgame_tui.screens.board_plan import Arranged, board_size
from endgame_tui.screens.pictured import Pictured
from endgame_tui.screens.replay_plan import plan
from endgame_tui.widgets.chart import DepthChart
from endgame_tui.widgets.facts import ResultRows
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widgets.words import ReasonRow

WIDE_KEYS = (
    ("← →", "step"), ("Home End", "first, last"), ("e", "next error"), ("f", "flip"), ("s", "open in Explore"),
    ("+", "add to my studies"), ("Esc", "back"),
)  # fmt: skip
KEYS = (("← →", "step"), ("e", "next error"), ("s", "Explore"), ("+", "add to studies"), ("Esc", "back"))
SMALL_KEYS = (("← →", "step"), ("e", "error"), ("Esc", "back"))


class ReplayScreen(Pictured, Adding):
    """An attempt on the board.

    Args:
        record: The attempt.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "Move before", show=False, id="replay.left"),
        Binding("right,l", "step(1)", "Move after", show=False, id="replay.right"),
        Binding("home", "step(-99999)", "To the start", show=False, id="replay.home"),
        Binding("end", "step(99999)", "To the end", show=False, id="replay.end"),
        Binding("e", "next_error", "Your next error", show=False, id="replay.error"),
        Binding("f", "flip", "Turn the board", show=False, id="replay.flip"),
        Binding("s", "send", "See it in Explore", show=False, id="replay.send"),
        Binding("escape", "back", "Back to the attempts", show=False, id="replay.back"),
    ]

    def __init__(self, record: Record) -> None:
        super().__init__()
        self._record = record
        self._replay: Replay | None = None
        self._flipped = record.colour == "black"

    def compose(self) -> ComposeResult:
        """Board, result, moves, depth, and a sentence about the move."""
        yield TopBar("progress", id="top")
        yield self.make_board()
        yield ResultRows(id="result")
        yield ScorePanel(id="score")
        yield DepthChart(id="chart")
        yield ReasonRow(id="reason")
        yield JobStrip(id="strip")
        yield KeyBar(WIDE_KEYS, KEYS, SMALL_KEYS, id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")

    def on_mount(self) -> None:
        """Reads the moves, and puts the attempt on the board."""
        self._seen = self.session.changes
        try:
            moves = self.session.journal.moves(self._record.uuid)
            self._replay = Replay.of(self.session.explorer_of(self.GAME), self._record, moves)
            if self.GAME == "chess" and self._record.mode == PLAY:
                self._replay.judge = self.session.judge
        except EndgameError as problem:
            self.complain(problem)
        self.fit()
        self.focus_home()
        if self._replay is not None and self._replay.missing:
            self.say("some moves of this attempt cannot be put on the board.", "loss")

    def _plan(self, size: Size) -> Arranged:
        coloured = self.look.palette.coloured and self.look.glyphs.unicode
        board = board_size(self.GAME, size.width, size.height, coloured)
        return plan(size.width, size.height, board, strip=self.has_strip)

    def regions(self, size: Size) -> dict[str, Region]:
        """The plan."""
        return self.bottom(dict(self._plan(size).regions))

    def fit(self) -> None:
        """Gives the board cells of the right size."""
        self.fit_board(self._plan(self.size).board)
        self.show()

    def focus_home(self) -> None:
        """The moves have the focus."""
        self.set_focus(self.query_one(ScorePanel))

    def refresh_tables(self) -> None:
        """Asks the tables anew."""
        if self._replay is not None:
            self._replay.forget()
            self.show()

    def show(self) -> None:
        """Shows where one is."""
        replay = self._replay
        if replay is None:
            return
        today, glyphs = day_of(self.session.journal.clock()), self.look.glyphs
        self.query_one(TopBar).crumbs = tuple(map(glyphs.plain, scenes.crumbs(replay, today, self.size.width >= 100)))
        self.show_picture(scenes.board_view(replay, self._flipped))
        self.query_one(ResultRows).view = scenes.result_view(replay)
        self.query_one(ScorePanel).view = scenes.score_view(replay)
        self.query_one(DepthChart).view = scenes.chart_view(replay)
        self.query_one(ReasonRow).view = scenes.reason_view(replay, glyphs)

    # Keys

    def _go(self, number: int) -> None:
        if self._replay is not None:
            self.hush()
            self._replay.step(number - self._replay.at)
            self.show()

    def action_step(self, items: int) -> None:
        """Steps through the attempt."""
        if self._replay is not None:
            self._go(self._replay.at + items)

    @on(ScorePanel.Stepped)
    def _stepped(self, event: ScorePanel.Stepped) -> None:
        self.action_step(event.plies)

    @on(ScorePanel.Chosen)
    def _chosen(self, event: ScorePanel.Chosen) -> None:
        self._go(event.ply)

    def action_next_error(self) -> None:
        """Goes to the learner's next slip."""
        if self._replay is None:
            return
        self.hush()
        if self._replay.next_error():
            self.show()
        else:
            self.say("nothing was lost here.", "win")

    def action_flip(self) -> None:
        """Turns the board."""
        self._flipped = not self._flipped
        self.show()

    def position_to_add(self) -> str:
        """The position on the board."""
        replay = self._replay
        return "" if replay is None else replay.explorer.game.format(replay.position)

    async def action_send(self) -> None:
        """Opens the position in Explore."""
        if self._replay is not None:
            self.session.ask, self.session.ask_metric = self.position_to_add(), self.ask_metric
            await self.app.run_action("screen('explore')")

    def action_back(self) -> None:
        """Goes back."""
        self.dismiss()
