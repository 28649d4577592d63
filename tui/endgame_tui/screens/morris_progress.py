"""Progress, attempts and one attempt, with a board of stones."""

from __future__ import annotations

from typing import ClassVar

from endgame_core.practice.records import Record
from endgame_tui.screens.attempts import AttemptsScreen, Wanted
from endgame_tui.screens.progress import ProgressScreen
from endgame_tui.screens.replay import ReplayScreen


class MorrisReplayScreen(ReplayScreen):
    """A past attempt at Nine Men's Morris."""

    GAME: ClassVar[str] = "morris"


class MorrisAttemptsScreen(AttemptsScreen):
    """The attempts at Nine Men's Morris."""

    GAME: ClassVar[str] = "morris"

    def replay_screen(self, record: Record) -> ReplayScreen:
        """The screen of one attempt."""
        return MorrisReplayScreen(record)


class MorrisProgressScreen(ProgressScreen):
    """The figures of Nine Men's Morris."""

    GAME: ClassVar[str] = "morris"

    def attempts_screen(self, wanted: Wanted) -> AttemptsScreen:
        """The list of attempts."""
        return MorrisAttemptsScreen(wanted)

    def replay_screen(self, record: Record) -> ReplayScreen:
        """The screen of one attempt."""
        return MorrisReplayScreen(record)
