"""The Play screen where no table reaches: replies, hints and lines are estimates of a search or an engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import chess
from textual import on
from textual.message import Message

from endgame_core.errors import EndgameError
from endgame_core.estimate import Estimate, Limits
from endgame_tui import play_scenes
from endgame_tui.screens.play_files import PlayFiles
from endgame_tui.widgets.facts import FactsPanel
from endgame_tui.widgets.moves import MovesPanel
from endgame_tui.widgets.words import LineRows, VerdictRow

REPLY = Limits(seconds=1.0)
"""How long the defender thinks."""

LOOK = Limits(seconds=4.0)
"""How long an estimate is made better while it is your move."""

Thought = Estimate[chess.Move]


class PlayThinking(PlayFiles):
    """Thinks, for a reply, for a hint, or to show an estimate."""

    @dataclass
    class Estimated(Message):
        """A depth was finished."""

        number: int
        thought: Thought

        def can_replace(self, message: Message) -> bool:
            """An older estimate still in the queue is out of date."""
            return isinstance(message, PlayThinking.Estimated)

    @dataclass
    class Concluded(Message):
        """Thinking has ended."""

        number: int
        problem: EndgameError | None

    def __init__(self) -> None:
        super().__init__()
        self._number = 0
        self._thought: Thought | None = None
        self._then: Callable[[chess.Move], object] | None = None

    @property
    def thinking(self) -> bool:
        """Whether something waits for the thought under way."""
        return self._then is not None

    def think(self, limits: Limits, then: Callable[[chess.Move], object] | None = None) -> None:
        """Thinks about the position of the game; ``then`` is called with the best move when it is done."""
        match = self.play.match
        assert match is not None
        self._number += 1
        self._thought, self._then = None, then
        number = self._number

        def estimated(thought: Estimate[Any]) -> None:
            self.post_message(self.Estimated(number, thought))

        def concluded(problem: EndgameError | None) -> None:
            self.post_message(self.Concluded(number, problem))

        try:
            self.session.thinker.think(match.tracked, limits, estimated, concluded)
        except EndgameError as problem:
            self._then = None
            self.complain(problem)

    def look_at_it(self) -> None:
        """Estimates the position while it is your move, when that may be told and no table knows."""
        play = self.play
        if play.stage == "play" and not play.hidden and play.match and play.match.your_turn and play.facts.problem:
            self.think(LOOK)

    def forget_thought(self) -> None:
        """What is or was thought is of no more use."""
        if self._number and (self._then is not None or self._thought is not None):
            self.session.thinker.cancel()
        self._number += 1
        self._thought = self._then = None

    @on(Estimated)
    def _estimated(self, event: Estimated) -> None:
        if event.number == self._number:
            self._thought = event.thought
            self.show_thought()

    @on(Concluded)
    def _concluded(self, event: Concluded) -> None:
        if event.number != self._number:
            return
        then, self._then = self._then, None
        move = self._thought.move if self._thought is not None else None
        if then is not None and move is not None:
            then(move)
        elif event.problem is not None:
            self.complain(event.problem)

    def show(self) -> None:
        """Shows the game, and the estimate where no table knows."""
        super().show()
        self.show_thought()

    def show_thought(self) -> None:
        """Shows the estimate, once the verdict may be told."""
        play, glyphs, thought = self.play, self.look.glyphs, self._thought
        if play.stage != "play" or play.facts.problem is None:
            return
        words = "" if thought is None else play_scenes.estimate_words(thought, play.position.turn)
        self.query_one(VerdictRow).view = play_scenes.verdict_view(play, glyphs, words, self.thinking)
        if play.hidden:
            return
        self.query_one(MovesPanel).view = play_scenes.thought_view(play, thought)
        self.query_one(LineRows).view = play_scenes.thought_line(play, thought.line if thought is not None else ())

    def show_facts(self) -> None:
        """Shows rules, hints, clock; and who replies where no table knows."""
        play = self.play
        thinker = self.session.thinker.name if play.stage == "play" and play.facts.problem is not None else ""
        self.query_one(FactsPanel).view = play_scenes.facts_view(play, self.elapsed, thinker)
