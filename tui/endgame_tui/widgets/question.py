"""A question in the last row: a sentence, and the keys that answer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.events import Blur, Key
from textual.message import Message
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer.

    Attributes:
        key: Textual's name of the key.
        shown: The key as printed.
        label: What it does.
        act: Called when it is chosen.
    """

    key: str
    shown: str
    label: str
    act: Callable[[], object]


class Question(Canvas):
    """Asks; every key that is no answer means no."""

    @dataclass
    class Answered(Message):
        """The question is over: the choice, or None."""

        question: Question
        choice: Choice | None

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = ""
        self._choices: tuple[Choice, ...] = ()
        self.asked = 0
        """How many questions have been asked."""

    def ask(self, text: str, choices: tuple[Choice, ...]) -> None:
        """Asks something."""
        self._text, self._choices = text, choices
        self.asked += 1
        self.redraw()

    def on_key(self, event: Key) -> None:
        """Takes an answer; keys mean nothing else meanwhile, but those that open a prompt come before."""
        event.stop()
        event.prevent_default()
        choice = next((choice for choice in self._choices if choice.key == event.key), None)
        self.post_message(self.Answered(self, choice))

    def on_blur(self, _event: Blur) -> None:
        """Something else was chosen: no."""
        self.post_message(self.Answered(self, None))

    def room(self, *choices: Choice) -> int:
        """How many columns a sentence may take beside some answers."""
        return max(self.screen.size.width - sum(len(key) + len(label) + 3 for key, label in _answers(choices)) - 3, 0)

    def draw(self) -> list[Strip]:
        """The sentence left, the answers right."""
        pen, width = self.look.palette, self.size.width
        answers, space = _answers(self._choices), self.room(*self._choices)
        length = sum(len(key) + len(label) + 3 for key, label in answers)
        row = self.row("bar").to(1)
        more = self.look.glyphs.more
        text = self._text if len(self._text) <= space else self._text[: max(space - len(more) - 1, 0)].rstrip() + more
        row.put(text, pen("amber", "bar", bold=True)).to(width - length)
        for key, label in answers:
            row.put(key, pen("text", "bar", bold=True)).put(f" {label}  ", pen("dim", "bar"))
        return [row.strip(width)]


def _answers(choices: tuple[Choice, ...]) -> list[tuple[str, str]]:
    """Keys and what they do, the one that means no among them."""
    return [*((choice.shown, choice.label) for choice in choices), ("Esc", "no")]
