"""What is asked in the last row: a text to be typed, or a question with a few answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Blur, Click, Key, Paste
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from endgame_core.app_state import AppState
from endgame_core.errors import EndgameError
from endgame_core.query import QueryError
from endgame_core.untrusted import visible
from endgame_core.words.text_model import TextRow, TextSpan
from endgame_tui.widgets.bars import KeyBar, Offer
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.lines import Lines, shortened

COMMANDS = (":", "/")
"""Labels of prompts at which what can be done may be typed by its name, too."""


class _Field(Input):
    """One row to type into. What is pasted becomes one row; Tab completes it, or does nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+u", "clear", "Clear the line", show=False, id="prompt.clear"),
        Binding("tab", "complete(1)", "Complete", show=False, id="prompt.complete"),
        Binding("shift+tab", "complete(-1)", "Complete", show=False, id="prompt.complete-back"),
        Binding("up", "recall(1)", "Previous entry", show=False, id="prompt.earlier"),
        Binding("down", "recall(-1)", "Next entry", show=False, id="prompt.later"),
    ]

    def __init__(self) -> None:
        super().__init__(compact=True, select_on_focus=False)
        self.cursor_blink = False
        self._complete: Callable[[str], Sequence[str]] | None = None
        self._found: Sequence[str] = ()
        self._earlier: Sequence[str] = ()
        self._back = 0
        self._begun = self._offered = ""

    def begin(self, text: str, complete: Callable[[str], Sequence[str]] | None, earlier: Sequence[str]) -> None:
        """Another text is asked for.

        Args:
            text: What stands there at first.
            complete: Tells what a beginning may become; None where nothing is completed.
            earlier: What was typed here before, the newest first.
        """
        self._complete, self._found = complete, () if complete is None else complete("")
        self._earlier, self._back, self._offered = earlier, 0, ""
        self._put(text)

    def _put(self, text: str) -> None:
        self.value = text
        self.cursor_position = len(text)

    def _on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        self.replace(visible(" ".join(event.text.split())), *self.selection)

    def action_clear(self) -> None:
        """Deletes everything."""
        self.clear()

    def offer(self) -> None:
        """Selects all: it goes when anything else is typed."""
        self.select_all()
        self._offered = self.value

    def action_copy(self) -> None:
        """Copies what somebody has selected; where nothing is, Ctrl-C is pressed to leave."""
        if self.selected_text not in ("", self._offered):
            super().action_copy()
        else:
            self.app.action_help_quit()

    def action_recall(self, by: int) -> None:
        """Goes back through what was typed before, or forth to what is being typed."""
        if not self._back:
            self._begun = self.value
        if 0 <= self._back + by <= len(self._earlier):
            self._back += by
            self._put(self._earlier[self._back - 1] if self._back else self._begun)

    def action_complete(self, by: int) -> None:
        """Takes the next of what the text may become, round and round."""
        if self._complete is None:
            return
        if self.value in self._found:
            at = self._found.index(self.value) + by
        else:
            self._found, at = self._complete(self.value), min(by, 0)
        if self._found:
            self._put(self._found[at % len(self._found)])


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer.

    Attributes:
        key: Textual's name of the key.
        label: What it does.
        act: Called when it is chosen; may raise EndgameError.
        more: What it leads to, in words that may follow the label: from the longest to the shortest.
    """

    key: str
    label: str
    act: Callable[[], object]
    more: tuple[tuple[TextSpan, ...], ...] = ()

    @property
    def shown(self) -> str:
        """The key as printed."""
        return self.key if len(self.key) == 1 else self.key.capitalize()


_STEPS = {**dict.fromkeys(("left", "up", "h", "k"), -1), **dict.fromkeys(("right", "down", "l", "j", "tab"), 1)}
"""Keys that move the cursor to another answer, round and round."""


class ChoiceQuestion(Canvas, can_focus=True):
    """Asks for one of a few answers.

    A plain question takes every other key for no; an offer does, too, and the key does what it always does. One with a
    cursor stays until an answer is chosen, or Escape pressed.

    Args:
        answer: Told the choice, or None, when the question is over.
        id: DOM id.
    """

    def __init__(self, answer: Callable[[Choice | None], None], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._answer = answer
        self._text = ""
        self._choices: tuple[Choice, ...] = ()
        self._cursor: int | None = None
        self._offers = False

    @property
    def stays(self) -> bool:
        """Whether it has a cursor, and other keys mean nothing."""
        return self._cursor is not None

    def ask(self, text: str, choices: Sequence[Choice], cursor: int | None = None, offers: bool = False) -> None:
        """Asks something, with the cursor on one of the answers or without any; or offers it."""
        self._text, self._choices, self._cursor, self._offers = text, tuple(choices), cursor, offers
        self.redraw()

    def on_key(self, event: Key) -> None:
        """Takes an answer; keys mean nothing else meanwhile, but those that open a prompt come before."""
        choice = next((choice for choice in self._choices if event.key in (choice.key, choice.key.upper())), None)
        event.stop()
        event.prevent_default()
        if self._offers and choice is None and event.key != "escape":
            self._answer(None)
            self.app.post_message(Key(event.key, event.character))  # as if nothing had been asked
            return
        if self._cursor is not None and (step := _STEPS.get(event.key)):
            self._cursor = (self._cursor + step) % len(self._choices)
            self.redraw()
        elif self._cursor is None or event.key == "escape":
            self._answer(choice)
        elif choice is not None or event.key in ("enter", "space"):
            self._answer(choice or self._choices[self._cursor])

    def on_blur(self, _event: Blur) -> None:
        """Something else was chosen: no, unless that has led to asking anew."""
        self.call_next(lambda: None if self.has_focus else self._answer(None))

    def on_click(self, event: Click) -> None:
        """Chooses the answer under the mouse; elsewhere none."""
        self._answer(self.item_at(event.x, event.y))

    def room(self, *choices: Choice) -> int:
        """How many columns a sentence may take beside some answers."""
        answers = sum(len(choice.shown) + len(choice.label) + 3 for choice in choices)
        return max(self.screen.size.width - answers - len("Esc no") - 5, 0)

    # Drawing

    def draw(self) -> list[CanvasRow]:
        """The answers in the longest words that fit, the way out at the right end."""
        width = self.size.width
        if self._cursor is None:
            row, out = self._plain(), "Esc no"
            row.to(width - len(out) - 2)
        else:
            forms = list(self._forms())
            row = next((form for form in forms if form.width + 5 <= width), forms[-1])
            out = "Esc back" if row.width + 10 <= width else "Esc"
            row.item(None).to(width - len(out) - 1)
        row.item(None).put("Esc", bold=True)
        return [row.put(out.removeprefix("Esc"), "dim")]

    def _plain(self) -> CanvasRow:
        """The sentence left, the answers right."""
        glyphs, space = self.look.glyphs, self.room(*self._choices)
        text = shortened(f" {glyphs.plain(self._text)}", space + 1, glyphs.more)
        row = self.row("bar").put(text.ljust(space + 3), "amber", bold=True)
        for choice in self._choices:
            row.item(choice).put(choice.shown, bold=True).put(f" {choice.label}  ", "dim")
        return row

    def _forms(self) -> Iterator[CanvasRow]:
        """From the longest words to the shortest: the sentence, the labels, what the answers lead to."""
        most = max(len(choice.more) for choice in self._choices)
        for text, names, more in ((self._text, True, 0), (self._text, True, 1), (self._text, False, 1), ("", False, 2)):
            row = self.row("bar").put(f" {text} " if text else " ", "amber", bold=True)
            for number in range(len(self._choices)):
                self._put(row, number, names, min(more, most - 1))
            yield row

    def _put(self, row: CanvasRow, number: int, names: bool, more: int) -> None:
        """One answer: its key, its label where there is room, what it leads to."""
        choice, here = self._choices[number], number == self._cursor
        ground = "selected" if here else "bar"
        row.item(choice).put(self.look.glyphs.pointer if here else " ", "amber" if here else "text")
        row.put(choice.shown, "amber" if here else "text", ground, bold=True)
        if names:
            row.put(f" {choice.label}", "amber" if here else "dim", ground)
        for word in choice.more[more] if 0 <= more < len(choice.more) else ():
            row.put(f" {word.text}", word.role, ground, bold=word.bold)
        row.put("  " if names else " ")


class LastRow(Horizontal):
    """The last row of a screen: its keys, or what is asked in their place.

    Args:
        offered: Tells which keys may be named now.
        home: The widget that has the focus when nothing is asked.
        command: Does what a name typed after a colon stands for; False where it is no such name.
        memory: Keeps what was typed after a colon, and queries.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel", show=False, id="prompt.cancel"),
    ]

    @dataclass
    class Failed(Message):
        """An answer was wrong; what is to be typed stays."""

        problem: EndgameError

    class Left(Message):
        """The user has given up what was asked."""

    def __init__(
        self,
        offered: Callable[[], Sequence[Offer]],
        home: Callable[[], Widget],
        command: Callable[[str], bool],
        memory: AppState,
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._home, self._command, self._memory = home, command, memory
        self._keys, self._question = KeyBar(offered, id="keys"), ChoiceQuestion(self._answered, id="question")
        self._label, self._hint = Lines(indent=1, ground="bar"), Lines(indent=1, ground="bar")
        self._field = _Field()
        self._prompt = Horizontal(self._label, self._field, self._hint, id="prompt")
        self._open: Widget | None = None
        self._asked = ("", "")
        self._answer: Callable[[str], object] | None = None
        self._typed: Callable[[str], object] | None = None
        self._times = 0

    def compose(self) -> ComposeResult:
        """The keys, and what may take their place."""
        yield self._keys
        yield self._prompt
        yield self._question

    @property
    def is_open(self) -> bool:
        """Whether something is asked."""
        return self._open is not None

    @property
    def is_choosing(self) -> bool:
        """Whether it stays until one of its answers is chosen."""
        return self._open is self._question and self._question.stays

    @property
    def is_typing(self) -> bool:
        """Whether it is a text."""
        return self._open is self._prompt

    def text(
        self,
        label: str,
        hint: str,
        answer: Callable[[str], object],
        text: str = "",
        typed: Callable[[str], object] | None = None,
        complete: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        """Asks for a text.

        Args:
            label: What is asked for.
            hint: What may be typed.
            answer: Called with the text; may raise EndgameError: then it can be mended.
            text: What stands there at first: it goes as soon as anything else is typed; Left, Right or End keeps it.
            typed: Called with what stands there whenever that changes; what stands there at first is then gone on with.
            complete: Tells what a beginning may become, for Tab.
        """
        self._answer, self._typed, self._asked = answer, typed, (label, hint)
        self._show(self._prompt)
        for lines, word in ((self._label, TextSpan(label, "amber", bold=True)), (self._hint, TextSpan(hint, "faint"))):
            lines.styles.width = len(word.text) + 2
            lines.show((TextRow((word,)),))
        self._field.begin(text, complete, self._memory.texts("recent", label))
        if text and typed is None:
            self._field.offer()
        self._fit_hint()
        self.screen.set_focus(self._field)

    @property
    def begins(self) -> int:
        """The column where what is typed begins."""
        return len(self._asked[0]) + 2

    def put(self, letters: str) -> None:
        """Types letters that were meant for the prompt that was opened since."""
        if self.is_typing:
            self._field.replace(letters, *self._field.selection)

    def _fit_hint(self) -> None:
        """Takes the hint away when the text comes near it."""
        used = len(self._field.value) + sum(map(len, self._asked)) + 6
        self._hint.display = used < self.screen.size.width

    def question(self, text: str, *choices: Choice, cursor: int | None = None, offers: bool = False) -> None:
        """Asks a question with a few answers, or offers something; with a cursor it stays until it is answered."""
        self._show(self._question)
        self._question.ask(text, choices, cursor, offers)
        self.screen.set_focus(self._question)

    def room(self, *choices: Choice) -> int:
        """How many columns a question may take beside some answers."""
        return self._question.room(*choices)

    def _show(self, widget: Widget | None) -> None:
        self._open = widget
        self._times += 1
        for child in self.children:
            child.display = child is (widget or self._keys)
        self.screen.refresh_bindings()

    def stop(self) -> None:
        """Puts the keys back."""
        if self._open is not None:
            self._show(None)
            home = self._home()
            self.screen.set_focus(home if home.focusable else None)  # else the hidden field would take the keys

    def action_cancel(self) -> None:
        """Gives up what was to be typed."""
        if self.is_typing:
            self.stop()
            self.post_message(self.Left())

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fit_hint()
        if self.is_typing and self._typed is not None:
            self._typed(event.value.strip())

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        times, text, label = self._times, event.value.strip(), self._asked[0]
        if not text:
            self.action_cancel()
            return
        try:
            if self._answer is not None:
                self._answer(text)
        except EndgameError as problem:
            if label in COMMANDS and self._command(text):
                self._memory.add(text, "recent", label)
                self.stop()
                return
            if isinstance(problem, QueryError):
                self._field.selection = Selection(*problem.place)
            else:
                self._field.select_all()  # so that what is typed next takes its place
            self.post_message(self.Failed(problem))
        else:
            if label in COMMANDS:
                self._memory.add(text, "recent", label)
            if times == self._times:  # the answer has not led to asking more
                self.stop()

    @on(Input.Blurred)
    def _blurred(self, event: Input.Blurred) -> None:
        """Gives up when something else has got the focus."""
        event.stop()
        if not self._field.has_focus:
            self.action_cancel()

    def _answered(self, choice: Choice | None) -> None:
        if self._open is not self._question:
            return
        times = self._times
        try:
            if choice is not None:
                choice.act()
        except EndgameError as problem:
            self.post_message(self.Failed(problem))
        if times == self._times:
            self.stop()
