"""The settings: what there is to choose, and what that means."""

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
from endgame_core.settings import ALL, Setting
from endgame_core.tasks.builds import work_for
from endgame_core.words import settings as words
from endgame_core.words.text_model import TextRow, TextSpan, capital, wrapped
from endgame_tui.screens.base import BaseScreen
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.lines import Lines, shortened
from endgame_tui.widgets.rows import ChoiceList, RowItem

_VALUE = 14
"""Column where what is chosen begins."""


class SettingsScreen(BaseScreen):
    """Every setting, one in a row."""

    PANELS = (ChoiceList,)
    CSS_PATH = "settings.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("d,delete", "reset", "Reset to default", id="settings.reset", short="reset"),
        Key("escape,comma", "back", "Back", id="settings.back", short="back", rank=1),
    ]

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode
        self.choices = ChoiceList(id="settings")

    def body(self) -> ComposeResult:
        """The list, and what is to be said of the setting under the cursor."""
        with Horizontal(id="main"):
            yield self.choices
            yield Lines(id="detail")
        yield Lines(id="file", indent=1)

    def home(self) -> Widget:
        """The list has the focus."""
        return self.choices

    def on_mount(self) -> None:
        """Lists the settings as the file has them now."""
        self.host.settings.read()
        self.show()
        self.set_focus(self.choices)
        for below in self.app.screen_stack[:-1]:
            if isinstance(below, BaseScreen):
                below.say()  # what was wrong in the file is told here

    # What is shown

    def show(self) -> None:
        """Shows everything."""
        self.crumbs("Settings", named=False)
        self.choices.show(self._items)
        self.query_one("#detail", Lines).show(self._detail)
        self.query_one("#file", Lines).show(
            [TextRow((TextSpan("Stored in ", "faint"), TextSpan(str(self._kept.file), "faint")))]
        )

    @property
    def _kept(self) -> settings.Settings:
        return self.host.settings

    @property
    def _here(self) -> Setting[Any]:
        """The setting under the cursor."""
        return ALL[self.choices.cursor or 0]

    def _items(self, size: Size) -> list[RowItem]:
        more = self.look.glyphs.more
        items: list[RowItem] = []
        for number, setting in enumerate(ALL):
            told = shortened(
                words.value(setting, self._kept[setting], self.lab.access.locked), size.width - _VALUE - 5, more
            )
            here = number == self.choices.cursor and bool(setting.choices)
            value = TextSpan(f"‹ {told} ›" if here else told, at=_VALUE - 2 * here + 2)
            items.append(RowItem((TextSpan(words.LABELS[setting.name], "dim"), value), key=number))
        return items

    def _detail(self, size: Size) -> list[TextRow]:
        """What the setting is about, and what may stand in the file."""
        title = TextRow((TextSpan(words.LABELS[self._here.name], bold=True),))
        rows = wrapped(instruct(words.MEANINGS[self._here.name]), size.width)
        rows += (TextRow(), *wrapped(words.allowed(self._here), size.width, "dim"))
        for problem in self._kept.problems:
            rows += (TextRow(), *wrapped(capital(str(problem)), size.width, "loss"))
        return [title, *rows]

    @on(ChoiceList.Pointed)
    def _pointed(self) -> None:
        self.show()

    def label(self, key: Key) -> str:
        """Nothing begins here."""
        return {"setup.begin": "change"}.get(key.id or "", super().label(key))

    # What is done

    def _put(self, setting: Setting[Any], value: Any) -> None:
        """Chooses something, from now on."""
        try:
            self._kept.put(setting, value)
            self.say(words.written(setting, self._kept), "win")
        except EndgameError as problem:
            self.complain(problem)
        self.host.settle(setting)
        self.show()

    @on(ChoiceList.Changed)
    def _changed(self, event: ChoiceList.Changed) -> None:
        setting = ALL[event.row]
        if not setting.choices:
            self._type(setting)
            return
        at = sum(choice < self._kept[setting] for choice in setting.choices) if setting.most else None
        at = setting.choices.index(self._kept[setting]) if self._kept[setting] in setting.choices else (at or 0)
        self._put(setting, setting.choices[(at + event.by) % len(setting.choices)])

    @on(ChoiceList.Chosen)
    def _chosen(self) -> None:
        if self._here.choices:
            self.choices.action_change(1)
        else:
            self._type(self._here)

    def _type(self, setting: Setting[Any]) -> None:
        """Asks for a text, which has to be of use; where the program is locked, who started it says it."""
        if self.lab.access.locked and setting is not settings.PLAYER:
            self.complain(words.locked(setting))
            return

        def typed(text: str) -> None:
            if setting is settings.SYZYGY:
                from endgame_core.chess.syzygy import tables_in

                text = str(self.lab.file(text))
                tables_in(text)
            elif setting is settings.CLUSTER:
                work_for(self.lab.library("dtm"), (), text)
            elif setting is settings.ENGINE:
                from endgame_core.chess.engine import find_named

                find_named(text)
            self._put(setting, text)

        hints = {"syzygy": "a directory", "engine": "a program, or off", "cluster": "tcp://host:8786, or local:4"}
        hint = hints.get(setting.name, "as games have it")
        self.ask.text(words.LABELS[setting.name], hint, typed, self._kept[setting])

    def action_reset(self) -> None:
        """Chooses what it was at first."""
        self._put(self._here, self._here.default)

    def action_back(self) -> None:
        """Goes back."""
        self.dismiss()
