"""The prompt: one row to type into. No blinking, no timers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Blur, Key, Paste
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas


class Prompt(Canvas):
    """A row for typing a move, a position, a place or a name."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Do it", show=False, id="prompt.submit"),
        Binding("escape", "cancel", "Never mind", show=False, id="prompt.cancel"),
        Binding("left", "move(-1)", "Left", show=False, id="prompt.left"),
        Binding("right", "move(1)", "Right", show=False, id="prompt.right"),
        Binding("home,ctrl+a", "move(-9999)", "Start", show=False, id="prompt.home"),
        Binding("end,ctrl+e", "move(9999)", "End", show=False, id="prompt.end"),
        Binding("backspace", "erase(-1)", "Delete left", show=False, id="prompt.backspace"),
        Binding("delete", "erase(0)", "Delete right", show=False, id="prompt.delete"),
        Binding("ctrl+u", "clear", "Delete all", show=False, id="prompt.clear"),
        Binding("tab,shift+tab", "move(0)", "", show=False, id="prompt.stay"),
    ]

    label: reactive[str] = reactive(":", repaint=False)
    """What is asked for."""

    hint: reactive[str] = reactive("", repaint=False)
    """What may be typed, at the right end while there is room."""

    text: reactive[str] = reactive("", repaint=False)
    """What has been typed."""

    @dataclass
    class Changed(Message):
        """The text has changed."""

        prompt: Prompt
        text: str

    @dataclass
    class Submitted(Message):
        """Enter was pressed."""

        prompt: Prompt
        text: str

    @dataclass
    class Cancelled(Message):
        """Escape was pressed, or something else was chosen."""

        prompt: Prompt

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._at = 0

    def ask(self, label: str, hint: str, text: str = "") -> None:
        """Starts afresh."""
        self.label, self.hint, self.text = label, hint, text
        self._at = len(text)
        self.redraw()

    def watch_text(self) -> None:
        """Shows the text and tells about it."""
        self._at = min(self._at, len(self.text))
        self.redraw()
        self.post_message(self.Changed(self, self.text))

    def _insert(self, text: str) -> None:
        at = self._at
        self._at = at + len(text)
        self.text = self.text[:at] + text + self.text[at:]

    def on_key(self, event: Key) -> None:
        """Types a character; keys typed here mean nothing else."""
        if event.is_printable and event.character:
            event.stop()
            event.prevent_default()
            self._insert(event.character)

    def on_paste(self, event: Paste) -> None:
        """Types what was pasted, on one row."""
        event.stop()
        self._insert(" ".join(event.text.split()))

    def on_blur(self, _event: Blur) -> None:
        """Gives up when something else gets the focus."""
        self.post_message(self.Cancelled(self))

    def action_move(self, columns: int) -> None:
        """Moves the cursor."""
        self._at = min(max(self._at + columns, 0), len(self.text))
        self.redraw()

    def action_erase(self, offset: int) -> None:
        """Deletes the character left of the cursor (-1) or under it (0)."""
        at = self._at + offset
        if 0 <= at < len(self.text):
            self._at = at
            self.text = self.text[:at] + self.text[at + 1 :]
            self.redraw()

    def action_clear(self) -> None:
        """Deletes everything."""
        self._at = 0
        self.text = ""

    def action_submit(self) -> None:
        """Hands over what was typed."""
        self.post_message(self.Submitted(self, self.text.strip()))

    def action_cancel(self) -> None:
        """Gives up."""
        self.post_message(self.Cancelled(self))

    def draw(self) -> list[Strip]:
        """Label, text with cursor, hint."""
        pen, width = self.look.palette, self.size.width
        row = self.row("bar").to(1).put(self.label, pen("amber", "bar", bold=True))
        row.put(" ", pen("text", "bar"))
        space = max(width - row.width - 2, 1)
        skip = max(self._at - space + 1, 0)
        text = self.text[skip:] + " "
        at = self._at - skip
        row.put(text[:at], pen("text", "bar"))
        cursor = pen("bar", "amber") if pen.coloured else pen("text", "bar", underline=True)
        row.put(text[at], cursor).put(text[at + 1 :], pen("text", "bar"))
        if row.width + len(self.hint) + 3 < width:
            row.right(self.hint, pen("faint", "bar"), width - 1)
        return [row.strip(width)]
