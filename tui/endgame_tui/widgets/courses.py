"""What can be drilled as a list, and how it is drilled: rows of choices, the layers, figures, the modes."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Click
from textual.geometry import Size

from endgame_core.tasks.choosing import Chooser
from endgame_core.words import practice as words
from endgame_core.words.told import Choices, Note, Word
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.charts import Layers, WindowChart
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import Item, Rows

_NARROW: Final = 40
"""Below this width of the list the numbers of drills go."""

_VALUES: Final = 9
"""Column where the values of choices begin."""


class CourseList(Rows):
    """What can be drilled; left and right change how."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("enter", "choose", "Start", id="practise.start", short="start", rank=1),
        Key("left,h", "screen.do('change', -1)", "Mode before", id="practise.left", short="change"),
        Key("right,l", "screen.do('change', 1)", "Next mode", id="practise.right", short="change"),
        Key("space", "screen.do('open')", "Open or close a set", id="practise.open"),
        Key("pageup", "page(-1)", "Page up", id="practise.page-up"),
        Key("pagedown", "page(1)", "Page down", id="practise.page-down"),
    ]

    def show_courses(self, chooser: Chooser) -> None:
        """Shows all that can be drilled."""

        def made(size: Size) -> list[Item]:
            wide = size.width >= _NARROW
            return [self._course(row, wide) if row.key else _heading(row, wide) for row in words.courses(chooser)]

        self.show(made, cursor=chooser.entry.key)

    def _course(self, row: words.CourseRow, wide: bool) -> Item:
        glyphs = self.look.glyphs
        mark = "" if row.opened is None else f" {glyphs.opened if row.opened else glyphs.closed}"
        left = [Word(row.name + mark, "text" if row.built else "dim", at=4 if row.indent else 2)]
        if row.label:
            left.append(Word(" " * max(7 - len(row.name), 1) + row.label, "dim"))
        if row.drills is not None and wide:
            left.append(Word(str(row.drills), "dim", end=-17))
        if row.due:
            left.append(Word(str(row.due), end=-10))
        if row.right:
            left.append(Word(row.right, row.role, end=-1))
        return Item(tuple(left), key=row.key)


class SetupList(Rows):
    """How it is drilled; a click changes a row at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("enter", "choose", "Begin", id="setup.begin", short="start", rank=1),
        Key("left,h", "screen.do('change', -1)", "Change it back", id="setup.left", short="change"),
        Key("right,l,space", "screen.do('change', 1)", "Change it", id="setup.right", short="change"),
        Key("up,k", "step(-1)", "Choice above", id="setup.up"),
        Key("down,j", "step(1)", "Choice below", id="setup.down"),
    ]

    def on_click(self, event: Click) -> None:
        """Points at the row under the mouse, and changes it."""
        event.prevent_default()
        self.focus()
        if (row := event.y - 2) in range(len(self._made()) - 1):
            self.point(row)
            self.call_later(self.run_action, "screen.do('change', 1)")

    def show_choices(self, chooser: Chooser) -> None:
        """Shows the choices; where there is room all modes are named."""
        here = min(chooser.row, len(chooser.rows()) - 1)

        def made(size: Size) -> list[Item]:
            items = [Item()]
            for number, choice in enumerate(words.setup(chooser)):
                label = Word(choice.label, "dim")
                values = None if number else _all_named(choice, here == 0, size.width - _VALUES)
                note = Note((label, *values)) if values else _one_named(choice, label, here == number, size.width)
                items.append(Item(note.left, note.right, key=number))
            return items

        right = Note((), (Word(words.setup_right(chooser)),))
        self.show(made, cursor=here, head=right, title=chooser.entry.title)
        self.styles.height = 2 + len(chooser.rows())


class HowPanel(Vertical):
    """How the row with the cursor is drilled."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.setup, self.window = SetupList(id="setup", pointer=False), WindowChart(id="window")

    def compose(self) -> ComposeResult:
        """Choices, layers, figures, what the modes mean."""
        yield self.setup
        yield self.window
        yield Lines(id="facts")
        yield Lines(id="modes")

    def show(self, chooser: Chooser, said: tuple[Note, ...]) -> None:
        """Shows what belongs to the row with the cursor.

        Args:
            chooser: What is chosen.
            said: Rows that are shown in place of the figures.
        """
        self.screen.set_class(chooser.entry.theme is not None, "-layers")
        self.setup.show_choices(chooser)
        window = chooser.window
        names, low, high = tuple(f"S{n}" for n in window.layers), window.low, window.high
        told = (words.window_mover(chooser), "") if names else ("", words.no_window(chooser))
        self.window.show(Layers(window.boards, names, low, high, *told))
        self.query_one("#facts", Lines).show(lambda size: said or words.facts(chooser, *size))
        self.query_one("#modes", Lines).show(lambda _: words.modes(chooser))


def _heading(row: words.CourseRow, wide: bool) -> Item:
    """A heading of the list; its first one tells what the figures are."""
    left = [Word(row.name, "text", True)]
    if row.label and wide:
        left.append(Word(row.label, "dim", end=-17))
    if row.right:
        left += [Word("due", "dim", end=-10), Word(row.right, "dim", end=-1)]
    return Item(tuple(left))


def _all_named(choice: Choices, here: bool, room: int) -> list[Word]:
    """All options beside one another; none where there is no room for them."""
    used = sum(map(len, choice.options))
    if used + len(choice.options) - 1 > room or len(choice.options) < 2:
        return []
    gap = 2 if used + 2 * (len(choice.options) - 1) <= room else 1
    words_: list[Word] = []
    for number, option in enumerate(choice.options):
        chosen = number == choice.chosen
        role = "amber" if chosen and here else "text" if chosen else "dim"
        words_.append(Word(option, role, chosen, at=_VALUES) if not number else Word(" " * gap))
        if number:
            words_.append(Word(option, role, chosen))
    return words_


def _one_named(choice: Choices, label: Word, here: bool, width: int) -> Note:
    """The option that is chosen, and how many there are."""
    value = choice.options[choice.chosen]
    if here and len(choice.options) > 1:
        value = f"‹ {value} ›" if _VALUES + len(value) + 4 <= width else f"‹{value}›"
    count = f"{choice.chosen + 1} of {len(choice.options)}" if here and len(choice.options) > 2 else ""
    right = (Word(count, "faint"),) if count and _VALUES + len(value) + 2 + len(count) <= width else ()
    return Note((label, Word(value, "amber" if here else "text", here, at=_VALUES)), right)
