"""The settings: a list to change them, with an explanation of the one under the cursor."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.widget import Widget

from endgame_core import settings
from endgame_core.controls import instruct
from endgame_core.errors import EndgameError
from endgame_core.language import _, ngettext
from endgame_core.metric import DTM
from endgame_core.settings import ALL, Setting
from endgame_core.tasks.builds import work_for
from endgame_core.words import settings as words
from endgame_core.words.text_model import TextRow, TextSpan, capital, wrapped
from endgame_tui.keys import BEGIN, LEAVE, SETTINGS, Key
from endgame_tui.screens.base import BaseScreen
from endgame_tui.widgets.lines import Lines, truncate
from endgame_tui.widgets.rows import ChoiceList, RowItem

_VALUE = 14
"""Column where the values begin."""


_OTHER_ROWS = 6
"""Rows of the screen besides the list and the problems: the first and the last row, the path, blank ones."""


class SettingsScreen(BaseScreen):
    """All settings, one in a row.

    Args:
        mode: Mode of the screen below.
    """

    PANELS = (ChoiceList,)
    FOCUSABLE = (ChoiceList,)
    CSS_PATH = "settings.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("d,delete", "reset", _("Reset to default"), short=_("reset")),
        LEAVE.adapted(_("Back"), short=_("back")),
        SETTINGS.adapted(_("Back"), action="leave"),
    ]

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode
        self.choices = ChoiceList(id="settings")

    def body(self) -> ComposeResult:
        """Yield the list, the explanation of the setting under the cursor, problems of the file, and its path."""
        with Horizontal(id="main"):
            yield self.choices
            yield Lines(id="detail")
        yield Lines(id="problems", indent=1)
        yield Lines(id="file", indent=1)

    def home(self) -> Widget:
        """The list."""
        return self.choices

    def on_mount(self) -> None:
        """Read the settings file again and list the settings."""
        # The user may have edited the file while the app runs.
        self.host.settings.read()
        self.host.apply_keys()
        self.show()
        self.set_focus(self.choices)
        for below in self.app.screen_stack[:-1]:
            if isinstance(below, BaseScreen):
                below.say()  # problems of the file are shown here

    # What is shown

    def show(self) -> None:
        """Update everything on the screen."""
        self.crumbs(_("Settings"), named=False)
        self.choices.show(self._items)
        self.query_one("#detail", Lines).show(self._detail)
        # The list comes first; problems get the rows that it leaves, but at least six.
        problem_rows = self._problem_rows(self.size.width - 2, max(self.size.height - len(ALL) - _OTHER_ROWS, 6))
        problems = self.query_one("#problems", Lines)
        problems.styles.height = len(problem_rows)
        problems.show(problem_rows)
        file = (TextSpan(_("Stored in "), "faint"), TextSpan(str(self._settings.file), "faint"))
        self.query_one("#file", Lines).show([TextRow(file)])

    @property
    def _settings(self) -> settings.Settings:
        return self.host.settings

    @property
    def _current(self) -> Setting[Any]:
        """The setting under the cursor."""
        return ALL[self.choices.cursor or 0]

    def _items(self, size: Size) -> list[RowItem]:
        items: list[RowItem] = []
        for number, setting in enumerate(ALL):
            text = words.value(setting, self._settings[setting], self.lab.access.locked)
            text = truncate(text, size.width - _VALUE - 5, self.look.glyphs.ellipsis)
            value = TextSpan(text, at=_VALUE + 2)
            if number == self.choices.cursor and setting.choices:  # left and right change it
                value = TextSpan(f"‹ {text} ›", at=_VALUE)
            items.append(RowItem((TextSpan(words.LABELS[setting.name], "dim"), value), key=number))
        return items

    def _detail(self, size: Size) -> list[TextRow]:
        """Return the meaning of the setting, and its possible values."""
        setting = self._current
        rows = [TextRow((TextSpan(words.LABELS[setting.name], bold=True),))]
        rows += wrapped(instruct(words.MEANINGS[setting.name]), size.width)
        obstacle = self.host.picture_obstacle
        if setting is settings.PIECES and self._settings[setting] == "image" and obstacle:
            sentence = _("Pictures are not available: {obstacle}. The value auto is used instead.").format(
                obstacle=obstacle
            )
            rows += [TextRow(), *wrapped(sentence, size.width, "amber")]
        rows += [TextRow(), *wrapped(words.allowed(setting), size.width, "dim")]
        return rows

    def _problem_rows(self, width: int, height: int) -> list[TextRow]:
        """The problems of the file that fit, and how many more there are."""
        problems = self._settings.problems
        rows: list[TextRow] = []
        for number, problem in enumerate(problems):
            paragraph = wrapped(capital(str(problem)), width, "loss")
            is_last = number == len(problems) - 1
            # Unless it is the last one, a problem leaves a row for the number of those that follow.
            if len(rows) + len(paragraph) + (not is_last) > height:
                remaining = len(problems) - number
                if number:
                    sentence = ngettext(
                        "{number} more problem in this file:", "{number} more problems in this file:", remaining
                    )
                else:
                    sentence = ngettext("{number} problem in this file:", "{number} problems in this file:", remaining)
                return [*rows, TextRow((TextSpan(sentence.format(number=remaining), "loss"),))]
            rows += paragraph
        return rows

    @on(ChoiceList.Pointed)
    def _pointed(self) -> None:
        self.show()

    def label(self, key: Key) -> str:
        """Name of a key in the last row; Enter changes a setting instead of starting something."""
        return {BEGIN.id: _("change")}.get(key.id, super().label(key))

    # Changing

    def _put(self, setting: Setting[Any], value: Any) -> None:
        """Store a value and apply it at once."""
        try:
            self._settings.put(setting, value)
            self.say(words.written(setting, self._settings), "win")
        except EndgameError as problem:
            self.complain(problem)
        # Also if it could not be stored: then it applies until the app quits.
        self.host.apply_setting(setting)
        self.show()

    @on(ChoiceList.Changed)
    def _changed(self, event: ChoiceList.Changed) -> None:
        setting = ALL[event.row]
        if not setting.choices:
            self._type(setting)
            return
        value = self._settings[setting]
        if value in setting.choices:
            index = setting.choices.index(value)
        elif setting.maximum:  # a number typed into the file, between two choices
            index = sum(choice < value for choice in setting.choices)
        else:
            index = 0
        self._put(setting, setting.choices[(index + event.by) % len(setting.choices)])

    @on(ChoiceList.Chosen)
    def _chosen(self) -> None:
        if self._current.choices:
            self.choices.action_change(1)
        else:
            self._type(self._current)

    def _type(self, setting: Setting[Any]) -> None:
        """Ask for a text and check it; a locked app accepts only the player's name."""
        if self.lab.access.locked and setting is not settings.PLAYER:
            self.complain(words.locked(setting))
            return

        def put_checked(text: str) -> None:
            """Store the text; raises EndgameError if the path, cluster or engine cannot be used."""
            if setting is settings.SYZYGY:
                from endgame_core.chess.syzygy import tables_in

                text = str(self.lab.file(text))
                tables_in(text)
            elif setting is settings.GAVIOTA:
                from endgame_core.chess.gaviota import files_in

                text = str(self.lab.file(text))
                files_in(text)
            elif setting is settings.CLUSTER:
                work_for(self.lab.library(DTM), (), text)
            elif setting is settings.ENGINE:
                from endgame_core.chess.engine import find_named

                find_named(text)
            self._put(setting, text)

        hints = {
            "syzygy": _("a directory"),
            "gaviota": _("a directory"),
            "engine": _("a program, or off"),
            "cluster": _("tcp://host:8786, or local:4"),
        }
        hint = hints.get(setting.name, _("as in the PGN"))
        self.last_row.prompt(words.LABELS[setting.name], hint, put_checked, self._settings[setting])

    def action_reset(self) -> None:
        """Reset the setting under the cursor to its default."""
        self._put(self._current, self._current.default)

    def action_leave(self) -> None:
        """Close the screen."""
        self.dismiss()
