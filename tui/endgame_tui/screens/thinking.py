"""What the Play screens share where no table reaches: replies, hints and lines are estimates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textual import on
from textual.message import Message

from endgame_core.errors import EndgameError
from endgame_core.estimate import Estimate, Limits, Thinker
from endgame_core.tracked import Tracked
from endgame_tui.screens.mode import ModeScreen

REPLY = Limits(seconds=1.0)
"""How long the defender thinks."""

LOOK = Limits(seconds=4.0)
"""How long an estimate is made better while it is your move."""


class ThinkingScreen(ModeScreen):
    """Thinks, for a reply, for a hint, or to show an estimate."""

    @dataclass
    class Estimated(Message):
        """A depth was finished."""

        number: int
        thought: Estimate[Any]

        def can_replace(self, message: Message) -> bool:
            """An older estimate still in the queue is out of date."""
            return isinstance(message, ThinkingScreen.Estimated)

    @dataclass
    class Concluded(Message):
        """Thinking has ended."""

        number: int
        problem: EndgameError | None

    def __init__(self) -> None:
        super().__init__()
        self._number = 0
        self._thought: Estimate[Any] | None = None
        self._then: Callable[[Any], object] | None = None

    # What a screen says

    @property
    def thinker(self) -> Thinker:
        """Who thinks."""
        return self.session.thinker

    @property
    def thought_about(self) -> Tracked[Any, Any]:
        """The game whose position is thought about."""
        raise NotImplementedError

    def show_thought(self) -> None:
        """Shows the estimate, once the verdict may be told."""
        raise NotImplementedError

    # What is the same for all

    @property
    def thinking(self) -> bool:
        """Whether something waits for the thought under way."""
        return self._then is not None

    def think(self, limits: Limits, then: Callable[[Any], object] | None = None) -> None:
        """Thinks about the position of the game; ``then`` is called with the best move when it is done."""
        self._number += 1
        self._thought, self._then = None, then
        number = self._number

        def estimated(thought: Estimate[Any]) -> None:
            self.post_message(self.Estimated(number, thought))

        def concluded(problem: EndgameError | None) -> None:
            self.post_message(self.Concluded(number, problem))

        try:
            self.thinker.think(self.thought_about, limits, estimated, concluded)
        except EndgameError as problem:
            self._then = None
            self.complain(problem)

    def forget_thought(self) -> None:
        """What is or was thought is of no more use."""
        if self._number and (self._then is not None or self._thought is not None):
            self.thinker.cancel()
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
