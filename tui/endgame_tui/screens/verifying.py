"""Verifying a table: checksums, then positions derived anew, beside the screen."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.message import Message

from endgame_core.errors import EndgameError
from endgame_core.tables.library import Library
from endgame_core.words import tables as words
from endgame_tui.screens.mode import ModeScreen

SAMPLES = 1000
"""Positions that verify derives anew."""


class Verifying(ModeScreen):
    """A screen that verifies one table at a time."""

    @dataclass
    class Checked(Message):
        """A verification has got on, or is over."""

        text: str
        role: str
        over: bool = False

        def can_replace(self, message: Message) -> bool:
            """Progress still in the queue is out of date."""
            return isinstance(message, Verifying.Checked) and not message.over

    def __init__(self) -> None:
        super().__init__()
        self._verifying = False

    def to_verify(self) -> tuple[Library, str] | None:
        """The table that is to be verified; None when there is none."""
        raise NotImplementedError

    def action_verify(self) -> None:
        """Proves the table: checksums, then positions derived anew."""
        table = self.to_verify()
        if table is None:
            self.say("only a table that is built can be verified.")
        elif self._verifying:
            self.say("one verification at a time.")
        else:
            library, ending = table
            self._verifying = True
            self.say(words.verifying(ending, 0, 0))
            self.run_worker(lambda: self._verify(library, ending), name="verify", thread=True)

    def _verify(self, library: Library, ending: str) -> None:
        """Runs in a thread."""

        def progress(compared: int, samples: int) -> None:
            self.post_message(self.Checked(words.verifying(ending, compared, samples), "text"))

        try:
            found = library.verify(ending, SAMPLES, progress=progress)
        except EndgameError as problem:
            self.session.changes += 1
            self.post_message(self.Checked(str(problem), "loss", over=True))
            return
        self.post_message(self.Checked(words.verified(found), "win" if found.mismatch is None else "loss", over=True))

    @on(Checked)
    def _checked(self, event: Checked) -> None:
        if event.over:
            self._verifying = False
            self._look_again()
        if event.over or self._verifying:
            self.say(event.text, event.role)
