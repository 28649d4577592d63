"""The Play screen after the game: stepping through it, its errors, what the table would have played."""

from __future__ import annotations

import chess
from textual import on
from textual.timer import Timer

from endgame_core.errors import EndgameError
from endgame_tui.screens.play_thinking import PlayThinking
from endgame_tui.screens.thinking import REPLY
from endgame_tui.widgets.score import ScorePanel

PACE = 0.8
"""Seconds between two moves that the table shows."""


class PlayReview(PlayThinking):
    """Steps through a game that is over."""

    def __init__(self) -> None:
        super().__init__()
        self._showing: Timer | None = None

    def finish(self) -> None:
        """The game is over: from here it is looked at."""
        raise NotImplementedError

    def show_me(self) -> None:
        """Gives up, and lets the best line be played out."""
        play, match = self.play, self.play.match
        if match is None or match.result is not None:
            return
        try:
            line = play.judge.line(match.position)
        except EndgameError:
            self.say("thinking: what is shown will be an estimate, for no table knows this position.")
            self.think(REPLY, lambda _: self._show_line_of(list(self._thought.line) if self._thought else []))
            return
        self._show_line_of(line)

    def _show_line_of(self, line: list[chess.Move]) -> None:
        """Gives up, and plays a line out."""
        play, match = self.play, self.play.match
        if match is None or match.result is not None:
            return
        at = len(match.plies)
        match.show(line)
        self.finish()
        play.at = at
        self.show()
        self._showing = self.set_interval(PACE, self.show_step, name="show")

    def show_step(self) -> None:
        """One more move of what the table shows."""
        match = self.play.match
        if match is None or self.play.at >= len(match.plies):
            self.interrupt()
            return
        self.play.step(1)
        self.show()

    def interrupt(self) -> None:
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
        self.interrupt()
        if self.play.stage != "review":
            return
        self.hush()
        self.play.step(plies)
        self.show()

    def action_next_error(self) -> None:
        """Goes to your next move that was not the best."""
        self.interrupt()
        self.hush()
        if self.play.stage != "review":
            self.say("errors are found after the game.")
        elif self.play.next_error():
            self.show()
        else:
            self.say("there is no error in this game.")
