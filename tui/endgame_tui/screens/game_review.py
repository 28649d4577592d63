"""What a Play screen does in any game besides playing: giving up, looking back, the panels."""

from __future__ import annotations

from typing import Any

from textual import on
from textual.timer import Timer

from endgame_core.errors import EndgameError
from endgame_core.practice.match import Match
from endgame_core.tracked import Tracked
from endgame_tui.gameplay import GamePlay
from endgame_tui.screens.saving import SavingScreen
from endgame_tui.screens.thinking import REPLY, ThinkingScreen
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.question import Choice
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widgets.setup import SetupPanel

PACE = 0.8
"""Seconds between two moves that the table shows."""


class ReviewScreen(ThinkingScreen, SavingScreen):
    """A screen with a game that is looked at afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self._row = 0
        self._move = 0
        self._showing: Timer | None = None

    # What a screen says

    @property
    def play(self) -> GamePlay[Any, Any]:
        """The game."""
        raise NotImplementedError

    def show(self) -> None:
        """Shows the game as it stands."""
        raise NotImplementedError

    def show_moves(self) -> None:
        """Shows the moves of the position."""
        raise NotImplementedError

    def finish(self) -> None:
        """The game is over: from here it is looked at."""
        raise NotImplementedError

    def move_made(self, move: Any) -> None:
        """A legal move was made by hand."""
        raise NotImplementedError

    def warn(self) -> None:
        """Says what a rule that the tables do not know of has against what they say."""

    # What is the same for all

    @property
    def thought_about(self) -> Tracked[Any, Any]:
        """The game so far."""
        assert self.play.match is not None
        return self.play.match.tracked

    @on(SetupPanel.Pointed)
    def _row_pointed(self, event: SetupPanel.Pointed) -> None:
        self._row = event.row
        self.show()

    @on(MovesPanel.Pointed)
    def _move_pointed(self, event: MovesPanel.Pointed) -> None:
        self._move = event.number
        self.show_moves()

    @on(MovesPanel.Chosen)
    def _move_chosen(self, event: MovesPanel.Chosen) -> None:
        moves = self.play.facts.moves
        if event.number < len(moves):
            self.move_made(moves[event.number].move)

    def in_play(self) -> Match[Any, Any] | None:
        """The game, while it is played; else says that there is none."""
        self.hush()
        if self.play.stage == "play":
            return self.play.match
        over = self.play.stage == "review"
        self.say("the game is over: r plays on from here." if over else "Enter begins the game first.")
        return None

    # Giving up, and looking back

    def action_show_me(self) -> None:
        """Gives up, after a question, and lets the best line be played out."""
        if self.in_play() is not None:
            self.warn()
            self.question("Give up, and see how it is done?", Choice("enter", "Enter", "show me", self.show_me))

    def show_me(self) -> None:
        """Gives up, and lets the best line be played out."""
        play, match = self.play, self.play.match
        if match is None or match.result is not None:
            return
        try:
            line = play.best_line()
        except EndgameError:
            self.say("thinking: what is shown will be an estimate, for no table knows this position.")
            self.think(REPLY, lambda _: self._show_line_of(list(self._thought.line) if self._thought else [], True))
            return
        self._show_line_of(line)

    def _show_line_of(self, line: list[Any], estimated: bool = False) -> None:
        """Gives up, and plays a line out, which may be an estimate."""
        play, match = self.play, self.play.match
        if match is None or match.result is not None:
            return
        at = len(match.plies)
        match.show(line, estimated)
        self.finish()
        play.at = at
        self.show()
        self._showing = self.set_interval(PACE, self.show_step, name="show")

    def show_step(self) -> None:
        """One more move of what the table shows."""
        match = self.play.match
        if match is None or self.play.at >= len(match.plies):
            self.stop_showing()
            return
        self.play.step(1)
        self.show()

    def stop_showing(self) -> None:
        """Showing stops."""
        if self._showing is not None:
            self._showing.stop()
            self._showing = None

    @on(ScorePanel.Stepped)
    def _stepped(self, event: ScorePanel.Stepped) -> None:
        self.action_step(event.plies)

    @on(ScorePanel.Chosen)
    def _ply_chosen(self, event: ScorePanel.Chosen) -> None:
        self.action_step(event.ply - self.play.at)

    def action_step(self, plies: int) -> None:
        """Steps through the game that is over."""
        self.stop_showing()
        if self.play.stage != "review":
            return
        self.hush()
        self.play.step(plies)
        self.show()

    def action_next_error(self) -> None:
        """Goes to your next move that was not the best."""
        self.stop_showing()
        self.hush()
        if self.play.stage != "review":
            self.say("errors are found after the game.")
        elif self.play.next_error():
            self.show()
        else:
            self.say("there is no error in this game.")
