"""Prompts and questions in the last row: a text to type, or a question with a few answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.events import Blur, Click, Paste
from textual.events import Key as Pressed
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from endgame_core.app_state import AppState
from endgame_core.errors import EndgameError
from endgame_core.language import _
from endgame_core.query import QueryError
from endgame_core.untrusted import quoted, visible
from endgame_core.words.text_model import TextRow, TextSpan
from endgame_tui.keys import Key
from endgame_tui.widgets.bars import FooterKey, KeyBar
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.lines import Lines, truncate

COMMANDS = (":", "/")
"""Labels of prompts that also accept the names of commands, and store the typed text."""


class PromptField(Input):
    """A text input of one row. Pasted text becomes one line; Tab completes the text, or does nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("ctrl+u", "clear", _("Clear the line"), id="clear_line", system=True),
        Key("tab", "complete(1)", _("Complete"), system=True),
        Key("shift+tab", "complete(-1)", _("Complete"), id="complete_back", system=True),
        Key("up", "recall(1)", _("Previous entry"), id="earlier_entry", system=True),
        Key("down", "recall(-1)", _("Next entry"), id="later_entry", system=True),
    ]

    def __init__(self) -> None:
        # Not selected on focus: only select_default decides whether typing replaces the initial text.
        super().__init__(compact=True, select_on_focus=False)
        self.cursor_blink = False
        self._complete: Callable[[str], Sequence[str]] | None = None
        self._completions: Sequence[str] = ()
        self._history: Sequence[str] = ()
        self._entries_back = 0
        """How many entries of the history Up has gone back; 0 for the text being typed."""
        self._draft = ""
        """The text that was being typed before Up was pressed."""
        self._selected_default = ""
        """The initial text while it is selected as a whole."""

    def begin(self, text: str, complete: Callable[[str], Sequence[str]] | None, history: Sequence[str]) -> None:
        """Start another prompt.

        Args:
            text: The initial text.
            complete: Returns the completions of a text; None if nothing is completed.
            history: Texts typed at this prompt before, the newest first.
        """
        self._complete = complete
        # The completions of an empty text: if the initial text is one of them, Tab goes on from it.
        self._completions = () if complete is None else complete("")
        self._history = history
        self._entries_back = 0
        self._selected_default = ""
        self._set_text(text)

    def _set_text(self, text: str) -> None:
        self.value = text
        self.cursor_position = len(text)

    async def _on_key(self, event: Pressed) -> None:
        """Run the field's own bindings at once.

        Textual runs a binding when its key has bubbled to the app. In a burst, e.g. over a slow connection, the letters
        typed after the key are inserted first: Ctrl-U would clear the text typed after it, not before.
        """
        active = self.screen.active_bindings.get(event.key)
        if not event.is_printable and active is not None and active.node is self and active.enabled:
            event.stop()
            event.prevent_default()
            await self.run_action(active.binding.action)

    def _on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        # On one line, and without control characters.
        self.replace(visible(" ".join(event.text.split())), *self.selection)

    def action_clear(self) -> None:
        """Delete everything."""
        self.clear()

    def select_default(self) -> None:
        """Select the initial text, so that typing replaces it."""
        self.select_all()
        self._selected_default = self.value

    def action_copy(self) -> None:
        """Copy the text that the user has selected; if there is none, Ctrl-C was pressed to quit."""
        # The default was selected by the prompt, not by the user, who did not ask to copy it.
        if self.selected_text not in ("", self._selected_default):
            super().action_copy()
        else:
            self.app.action_help_quit()

    def action_recall(self, by: int) -> None:
        """Go back (1) or forwards (-1) through the history and the text being typed."""
        if not self._entries_back:
            # Leaving the typed text for the history: Down brings it back.
            self._draft = self.value
        if 0 <= self._entries_back + by <= len(self._history):
            self._entries_back += by
            if self._entries_back:
                recalled = self._history[self._entries_back - 1]
            else:
                recalled = self._draft
            self._set_text(recalled)

    def action_complete(self, by: int) -> None:
        """Replace the text by its next (1) or previous (-1) completion, wrapping around."""
        if self._complete is None:
            return
        # The text is a completion itself: Tab was pressed before, and goes on from there.
        if self.value in self._completions:
            at = self._completions.index(self.value) + by
        else:
            self._completions = self._complete(self.value)
            # The first completion, or going back the last one.
            at = min(by, 0)
        if self._completions:
            self._set_text(self._completions[at % len(self._completions)])


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to a question.

    Attributes:
        key: Textual's name of the key.
        label: What the answer does.
        action: Called when it is chosen; may raise EndgameError.
        outcomes: What it leads to, as spans that may follow the label: from the longest wording to the shortest.
    """

    key: str
    label: str
    action: Callable[[], object]
    outcomes: tuple[tuple[TextSpan, ...], ...] = ()

    @property
    def key_name(self) -> str:
        """The key as printed."""
        if len(self.key) == 1:
            return self.key
        return self.key.capitalize()


_CURSOR_STEPS = {**dict.fromkeys(("left", "up", "h", "k"), -1), **dict.fromkeys(("right", "down", "l", "j", "tab"), 1)}
"""Keys that move the cursor to another answer, wrapping around."""


class ChoiceQuestion(Canvas, can_focus=True):
    """A question with a few answers.

    Without a cursor, any other key answers no; if the question is only an offer, that key also does what it always
    does, as the numbers of screens always do. A question with a cursor stays until an answer is chosen or Escape is
    pressed.

    Args:
        on_answer: Called with the choice, or None for no, when the question is over.
        id: DOM id.
    """

    def __init__(self, on_answer: Callable[[Choice | None], None], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._on_answer = on_answer
        self._text = ""
        self._short_text = ""
        self._choices: tuple[Choice, ...] = ()
        self._cursor: int | None = None
        self._is_offer = False

    @property
    def has_cursor(self) -> bool:
        """Whether the question has a cursor, and stays until it is answered."""
        return self._cursor is not None

    def ask(
        self, text: str, choices: Sequence[Choice], cursor: int | None = None, offers: bool = False, short: str = ""
    ) -> None:
        """Ask a question, with the cursor on one of the answers or without a cursor; ``offers`` makes it an offer."""
        self._text = text
        self._short_text = short or text
        self._choices = tuple(choices)
        self._cursor = cursor
        self._is_offer = offers
        self.redraw()

    def on_key(self, event: Pressed) -> None:
        """Handle every key, except that bindings that open a prompt come first."""
        # Caps Lock must not matter.
        choice = next((choice for choice in self._choices if event.key in (choice.key, choice.key.upper())), None)
        event.stop()
        event.prevent_default()
        # Digits switch screens from everywhere, also past a question that is not about that.
        leads_elsewhere = self._cursor is None and event.key.isdecimal()
        if (self._is_offer or leads_elsewhere) and choice is None and event.key != "escape":
            self._on_answer(None)
            self.app.post_message(Pressed(event.key, event.character))  # as if there had been no question
            return
        # Without a cursor, every key that is not an answer means no: choice is None.
        if self._cursor is None:
            self._on_answer(choice)
            return

        step = _CURSOR_STEPS.get(event.key)
        if step is not None:
            self._cursor = (self._cursor + step) % len(self._choices)
            self.redraw()
        elif event.key == "escape":
            self._on_answer(choice)
        # With a cursor, any other key is ignored.
        elif choice is not None or event.key in ("enter", "space"):
            self._on_answer(choice or self._choices[self._cursor])

    def on_blur(self, _event: Blur) -> None:
        """Answer no if another widget takes the focus, unless that was to ask the next question."""

        def answer_no() -> None:
            if not self.has_focus:
                self._on_answer(None)

        # This waits, because the next question takes the focus a moment later.
        self.call_next(answer_no)

    def on_click(self, event: Click) -> None:
        """Choose the answer under the mouse; anywhere else answer no."""
        # Items are the choices themselves, and None beside them, which means no.
        self._on_answer(self.item_at(event.x, event.y))

    def room(self, *choices: Choice) -> int:
        """Columns for the text of a question with some answers."""
        # A blank between key and label, two blanks after each answer.
        answers = sum(len(choice.key_name) + len(choice.label) + 3 for choice in choices)
        return max(self.screen.size.width - answers - len("Esc " + _("no")) - 5, 0)

    # Drawing

    def draw(self) -> list[CanvasRow]:
        """The question and its answers in the longest wording that fits, and Escape at the right end."""
        width = self.size.width
        if self._cursor is None:
            row = self._draw_plain()
            escape = " " + _("no")
            margin = 2
        else:
            forms = list(self._forms())
            # The forms are drawn, and measured, from the longest to the shortest; five columns remain for Escape.
            row = next((form for form in forms if form.width + 5 <= width), forms[-1])
            escape = ""
            if row.width + 10 <= width:
                escape = " " + _("back")
            margin = 1
            row.item(None)
        row.pad_to(width - len("Esc" + escape) - margin)
        row.item(None).put("Esc", bold=True)
        return [row.put(escape, "dim")]

    def _draw_plain(self) -> CanvasRow:
        """The text on the left, the answers on the right."""
        glyphs = self.look.glyphs
        space = self.room(*self._choices)
        question = self._text
        if len(question) > space:
            question = self._short_text
        text = truncate(f" {glyphs.plain(question)}", space + 1, glyphs.ellipsis)
        row = self.row("bar").put(text.ljust(space + 3), "amber", bold=True)
        for choice in self._choices:
            row.item(choice).put(choice.key_name, bold=True).put(f" {choice.label}  ", "dim")
        return row

    def _forms(self) -> Iterator[CanvasRow]:
        """The row from the longest wording to the shortest: of the text, the labels and the outcomes."""
        wordings = max(len(choice.outcomes) for choice in self._choices)
        # Without room, the long outcomes go first, then the labels, and last the question and the shorter outcomes.
        forms = ((self._text, True, 0), (self._text, True, 1), (self._text, False, 1), ("", False, 2))
        for text, with_labels, wording in forms:
            row = self.row("bar").put(f" {text} " if text else " ", "amber", bold=True)
            for number in range(len(self._choices)):
                self._put_choice(row, number, with_labels, min(wording, wordings - 1))
            yield row

    def _put_choice(self, row: CanvasRow, number: int, with_label: bool, wording: int) -> None:
        """Write one answer: its key, its label, and its outcome in one of the wordings, if it has that."""
        choice = self._choices[number]
        has_cursor = number == self._cursor
        # Without colours there is no ground: the pointer shows the cursor.
        ground = "selected" if has_cursor else "bar"
        pointer = self.look.glyphs.pointer if has_cursor else " "
        key_role = "amber" if has_cursor else "text"
        row.item(choice).put(pointer, key_role)
        row.put(choice.key_name, key_role, ground, bold=True)
        if with_label:
            label_role = "amber" if has_cursor else "dim"
            row.put(f" {choice.label}", label_role, ground)
        if 0 <= wording < len(choice.outcomes):
            for span in choice.outcomes[wording]:
                row.put(f" {span.text}", span.role, ground, bold=span.bold)
        row.put("  " if with_label else " ")


class LastRow(Horizontal):
    """The last row of a screen: its keys, or a prompt or question in their place.

    Args:
        available_keys: Returns the keys that may be shown now.
        home: Returns the widget that gets the focus when the prompt or question closes.
        run_command: Runs the command of a name typed at a prompt; returns False if there is no such command.
        command_like: Returns the name of a command that is similar to a mistyped one, or an empty text.
        memory: Stores the text typed at the prompts for commands and queries.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("escape", "cancel", _("Cancel"), id="cancel_prompt", system=True),
    ]

    @dataclass
    class Failed(Message):
        """An answer raised an error; a prompt stays open, so that the text can be corrected."""

        problem: EndgameError

    class Cancelled(Message):
        """The user has cancelled the prompt."""

    def __init__(
        self,
        available_keys: Callable[[], Sequence[FooterKey]],
        home: Callable[[], Widget],
        run_command: Callable[[str], bool],
        command_like: Callable[[str], str],
        memory: AppState,
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._home = home
        self._run_command = run_command
        self._command_like = command_like
        self._memory = memory
        self._keys = KeyBar(available_keys, id="keys")
        self._question = ChoiceQuestion(self._on_choice, id="question")
        self._label = Lines(indent=1, ground="bar")
        self._hint = Lines(indent=1, ground="bar")
        self._field = PromptField()
        self._prompt = Horizontal(self._label, self._field, self._hint, id="prompt")
        self._open: Widget | None = None
        """The prompt or the question if one is open."""
        self._label_text = ""
        self._hint_text = ""
        self._on_answer: Callable[[str], object] | None = None
        self._on_decline: Callable[[], object] | None = None
        self._on_change: Callable[[str], object] | None = None
        self._generation = 0
        """Counts prompts and questions, to notice that an answer has opened another one."""

    def compose(self) -> ComposeResult:
        """The keys, and the prompt and the question that take their place."""
        yield self._keys
        yield self._prompt
        yield self._question

    @property
    def is_open(self) -> bool:
        """Whether a prompt or question is open."""
        return self._open is not None

    @property
    def is_choosing(self) -> bool:
        """Whether a question with a cursor is open, which stays until it is answered."""
        return self._open is self._question and self._question.has_cursor

    @property
    def is_typing(self) -> bool:
        """Whether a prompt is open."""
        return self._open is self._prompt

    def prompt(
        self,
        label: str,
        hint: str,
        answer: Callable[[str], object],
        text: str = "",
        on_change: Callable[[str], object] | None = None,
        complete: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        """Open a prompt for a text.

        Args:
            label: What to type.
            hint: Examples of what may be typed.
            answer: Called with the text; if it raises EndgameError, the text can be corrected.
            text: The initial text. Typing replaces it; Left, Right or End keeps it.
            on_change: Called with the text whenever it changes; then the initial text is not replaced but continued.
            complete: Returns the completions of a text, for Tab.
        """
        self._on_answer = answer
        self._on_change = on_change
        self._label_text = label
        self._hint_text = hint
        self._show(self._prompt)
        for lines, span in ((self._label, TextSpan(label, "amber", bold=True)), (self._hint, TextSpan(hint, "faint"))):
            lines.styles.width = len(span.text) + 2
            lines.show((TextRow((span,)),))
        # Each prompt has a history of its own, by its label.
        self._field.begin(text, complete, self._memory.texts("recent", label))
        if text and on_change is None:
            self._field.select_default()
        self._fit_hint()
        # Last: the field cannot have the focus before _show has made it visible.
        self.screen.set_focus(self._field)

    @property
    def text_column(self) -> int:
        """The column where the typed text starts."""
        return len(self._label_text) + 2

    def type_text(self, letters: str) -> None:
        """Type letters into the open prompt that were pressed before it had the focus."""
        if self.is_typing:
            self._field.replace(letters, *self._field.selection)

    def _fit_hint(self) -> None:
        """Hide the hint when the text comes near it."""
        used = len(self._field.value) + len(self._label_text) + len(self._hint_text) + 6
        self._hint.display = used < self.screen.size.width

    def ask(
        self,
        text: str,
        *choices: Choice,
        cursor: int | None = None,
        offers: bool = False,
        short: str = "",
        on_decline: Callable[[], object] | None = None,
    ) -> None:
        """Ask a question with a few answers; see :class:`ChoiceQuestion`.

        Args:
            text: The question.
            *choices: The answers.
            cursor: The answer with the cursor; None without a cursor.
            offers: Whether the question is only an offer.
            short: The question where there is no room for ``text``.
            on_decline: Called if no answer is chosen, before the key that closed the question does anything else.
        """
        self._show(self._question)
        self._on_decline = on_decline
        self._question.ask(text, choices, cursor, offers, short)
        self.screen.set_focus(self._question)

    def room(self, *choices: Choice) -> int:
        """Columns for the text of a question with some answers."""
        return self._question.room(*choices)

    def _show(self, widget: Widget | None) -> None:
        """Show the prompt, the question, or (None) the keys."""
        self._open = widget
        # An answer in progress compares this number, and does not close what it has opened itself.
        self._generation += 1
        for child in self.children:
            child.display = child is (widget or self._keys)
        self.screen.refresh_bindings()

    def close(self) -> None:
        """Close the prompt or question and show the keys again."""
        if self._open is not None:
            self._show(None)
            home = self._home()
            # A home that is hidden cannot take the focus; leaving it where it is would send keys to the hidden field.
            self.screen.set_focus(home if home.focusable else None)

    def action_cancel(self) -> None:
        """Cancel the prompt."""
        if self.is_typing:
            self.close()
            self.post_message(self.Cancelled())

    @on(Input.Changed)
    def _on_text_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fit_hint()
        if self.is_typing and self._on_change is not None:
            self._on_change(event.value.strip())

    def _with_suggestion(self, problem: EndgameError, text: str) -> EndgameError:
        """Return an error that also offers the command that a mistyped word is similar to."""
        name = ""
        if text.isalpha() and len(text) > 3:
            name = self._command_like(text)
        if not name:
            return problem
        return EndgameError(problem.what, _("did you mean {name}?").format(name=quoted(name)))

    @on(Input.Submitted)
    def _on_text_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        generation = self._generation
        text = event.value.strip()
        label = self._label_text
        if not text:
            self.action_cancel()
            return
        try:
            if self._on_answer is not None:
                self._on_answer(text)
        except EndgameError as problem:
            # A text is a move, position or query first; only what is none of these may be the name of a command.
            if label in COMMANDS and self._run_command(text):
                self._memory.add(text, "recent", label)
                self.close()
                return
            if isinstance(problem, QueryError):
                # The wrong word of a query is selected, so that typing replaces only that.
                self._field.selection = Selection(*problem.place)
            else:
                self._field.select_all()  # so that typing replaces it
            if label in COMMANDS:
                problem = self._with_suggestion(problem, text)
            self.post_message(self.Failed(problem))
        else:
            if label in COMMANDS:
                self._memory.add(text, "recent", label)
            if generation == self._generation:  # the answer has not opened another prompt or question
                self.close()

    @on(Input.Blurred)
    def _on_field_blurred(self, event: Input.Blurred) -> None:
        """Cancel the prompt when another widget gets the focus."""
        event.stop()
        # The message arrives late: another prompt may have given the field the focus again.
        if not self._field.has_focus:
            self.action_cancel()

    def _on_choice(self, choice: Choice | None) -> None:
        if self._open is not self._question:
            return
        generation = self._generation
        on_decline = self._on_decline
        # This is cleared before the calls below, as an answer may ask another question with its own on_decline.
        self._on_decline = None
        try:
            if choice is not None:
                choice.action()
            elif on_decline is not None:
                on_decline()
        except EndgameError as problem:
            self.post_message(self.Failed(problem))
        if generation == self._generation:
            self.close()
