"""Practise: choose what to drill, and how, in either game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Click, ScreenResume
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.practice.course import Course
from endgame_core.practice.records import JournalError
from endgame_core.tasks.choosing import DUE, Chooser, Entry
from endgame_core.tasks.sitting import Sitting
from endgame_core.words import practice as words
from endgame_core.words.speech import speech_of
from endgame_core.words.tables import price
from endgame_core.words.told import Choices, Note, Word
from endgame_tui.faces import View
from endgame_tui.host import Request
from endgame_tui.jobs import Wish
from endgame_tui.screens.base import BaseScreen
from endgame_tui.widgets.ask import Choice, LastRow
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.charts import Layers, WindowChart
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import Item, Rows

_ANSWERS = 24
"""Columns that the answers of a question take."""

_NARROW = 40
"""Below this width of the list the numbers of drills go."""

_VALUES = 9
"""Column where the values of choices begin."""


_SHORT = {"practise.next-panel": "how", "practise.add": "add"}
"""What keys are called on the smallest screens."""


class _List(Rows):
    """What can be drilled; left and right change how."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("enter", "choose", "Start", id="practise.start", short="start", rank=1),
        Key("left,h", "screen.change(-1)", "Mode before", id="practise.left", short="change"),
        Key("right,l", "screen.change(1)", "Next mode", id="practise.right", short="change"),
        Key("space", "screen.open", "Open or close a set", id="practise.open"),
        Key("pageup", "page(-1)", "Page up", id="practise.page-up"),
        Key("pagedown", "page(1)", "Page down", id="practise.page-down"),
    ]


class _Choices(Rows):
    """How it is drilled; a click changes a row at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("enter", "choose", "Begin", id="setup.begin", short="start", rank=1),
        Key("left,h", "screen.change(-1)", "Change it back", id="setup.left", short="change"),
        Key("right,l,space", "screen.change(1)", "Change it", id="setup.right", short="change"),
        Key("up,k", "step(-1)", "Choice above", id="setup.up"),
        Key("down,j", "step(1)", "Choice below", id="setup.down"),
    ]

    def on_click(self, event: Click) -> None:
        """Points at the row under the mouse, and changes it."""
        event.prevent_default()
        self.focus()
        if (row := event.y - 2) in range(len(self._made()) - 1):
            self.point(row)
            self.call_later(self.run_action, "screen.change(1)")


class PractiseScreen(BaseScreen):
    """Sets, themes and studies; the mode; the window of layers."""

    TASK = "practise"
    CSS_PATH = "practise.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-low"), (22, "-middle"), (30, "-tall"), (38, "-grand")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("tab", "panel(1)", "List, mode, layers", id="practise.next-panel", short="set, mode, layers", rank=1,
            priority=True),
        Key("shift+tab", "panel(-1)", "Panel before", id="practise.previous-panel", priority=True),
        Key("less_than_sign", "widen(-1)", "Narrow the window of layers", id="practise.narrow"),
        Key("greater_than_sign", "widen(1)", "Widen the window of layers", id="practise.widen"),
        Key("plus", "add", "Add a position or a file", id="practise.add", short="add a position", rank=1,
            priority=True, typing=True),
        Key("slash,colon", "find", "Find a set, study, ending", id="practise.find", short="find", rank=3,
            priority=True, typing=True),
        Key("n", "another", "Another start", id="practise.another", short="another start", rank=3),
        Key("s", "send", "See the start in Explore", id="practise.send"),
        Key("d", "delete", "Delete your own", id="practise.delete", priority=True),
        Key("b", "build", "Build what is missing", id="practise.build", priority=True),
        Key("escape", "back", "Back to the list", id="practise.back"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.courses, self.setup = _List(id="courses", steady=True), _Choices(id="setup", pointer=False)
        self.window, self.board = WindowChart(id="window"), Board(id="board")
        self.board.can_focus = False
        self._choosers: dict[str, Chooser] = {}
        self._said: tuple[Note, ...] = ()

    @property
    def chooser(self) -> Chooser:
        """What is chosen in the game at hand."""
        if self.game not in self._choosers:
            lab, explorer = self.lab, self.lab.explorer_of(self.game)
            course = Course(explorer.game, explorer.library, lab.studies(self.game), lab.journal, lab.schedule)
            self._choosers[self.game] = Chooser(course, explorer, self.host.rng)
            self._look_up()
        return self._choosers[self.game]

    def body(self) -> ComposeResult:
        """The list at the left, what is chosen at the right."""
        yield Lines(id="header")
        with Horizontal(id="main"):
            with Vertical(id="listed"):
                yield self.courses
                with Horizontal(id="sample"):
                    yield self.board
                    yield Lines(id="start")
            with Vertical(id="chosen"):
                yield self.setup
                yield self.window
                yield Lines(id="facts")
                yield Lines(id="modes")

    def home(self) -> Widget:
        """The list."""
        return self.courses

    def on_mount(self) -> None:
        """Begins at what is due, or at the first set."""
        self.show()
        self.set_focus(self.courses)
        self.run_worker(_warm_up, name="warm-up", thread=True, exit_on_error=False)

    @on(ScreenResume)
    def _resumed(self) -> None:
        """Figures have changed after a sitting; an own position may have been added elsewhere."""
        if self._choosers:
            self.chooser.course.read_sets()
            self._look_up()
            self.show()

    def _look_up(self) -> None:
        """Looks up all figures; says so when the journal cannot be read."""
        try:
            self._choosers[self.game].course.refresh()
        except JournalError as problem:
            self.complain(problem)
        if notice := self.lab.journal.take_notice():
            self.say(notice, "loss")

    def receive(self, request: Request) -> None:
        """Begins a drill that another screen wants: of a theme by its key, or of all that is due."""
        if request.text is None:
            return
        key = request.text or DUE
        self._go(key)
        if self.chooser.entry.key == key:
            self._start()
        else:
            self.say(words.GONE)

    def tables_changed(self) -> None:
        """Asks the tables anew."""
        for chooser in self._choosers.values():
            chooser.forget()
        self.show()

    def ended(self, wish: Wish) -> None:
        """Says that all is built."""
        if self.jobs.job is None:
            self.say(words.built(len(wish.endings)), "win")

    # What is shown

    def show(self) -> None:
        """Shows everything."""
        chooser = self.chooser
        self.crumbs("Choose a drill", named=True)
        self.query_one("#header", Lines).show((words.header(chooser.course),))
        self.courses.show(self._courses, cursor=chooser.entry.key)
        self._show_choices()

    def _courses(self, size: Size) -> list[Item]:
        """The list, as wide as there is room."""
        wide = size.width >= _NARROW
        return [self._course(row, wide) if row.key else _heading(row, wide) for row in words.courses(self.chooser)]

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

    def _show_choices(self) -> None:
        """Shows what belongs to the row with the cursor."""
        chooser = self.chooser
        self.set_class(chooser.entry.theme is not None, "-layers")
        row = min(chooser.row, len(chooser.rows()) - 1)
        right = Note((), (Word(words.setup_right(chooser)),))
        self.setup.show(self._setup, cursor=row, head=right, title=chooser.entry.title)
        self.setup.styles.height = 2 + len(chooser.rows())
        window = chooser.window
        names, low, high = tuple(f"S{n}" for n in window.layers), window.low, window.high
        told = (words.window_mover(chooser), "") if names else ("", words.no_window(chooser))
        self.window.show(Layers(window.boards, names, low, high, *told))
        self.query_one("#facts", Lines).show(lambda size: self._said or words.facts(chooser, *size))
        self.query_one("#modes", Lines).show(lambda _: words.modes(chooser))
        self._show_sample()

    def _setup(self, size: Size) -> list[Item]:
        """The choices; where there is room all modes are named."""
        chooser = self.chooser
        here = min(chooser.row, len(chooser.rows()) - 1)
        items = [Item()]
        for number, choice in enumerate(words.setup(chooser)):
            label = Word(choice.label, "dim")
            values = None if number else _all_named(choice, here == 0, size.width - _VALUES)
            note = Note((label, *values)) if values else _one_named(choice, label, here == number, size.width)
            items.append(Item(note.left, note.right, key=number))
        return items

    @property
    def _shows_sample(self) -> bool:
        """Whether there is room for a board that shows a start."""
        return self.has_class("-grand") and self.has_class("-wide")

    def _show_sample(self) -> None:
        """Shows one start, where there is room for a board."""
        if not self._shows_sample:
            return
        chooser, look = self.chooser, self.look
        sample = chooser.sample()
        scale, margin = self.face.small(look.palette.coloured and look.glyphs.unicode)
        self.board.resize(scale, margin)
        view = View(flipped=sample is not None and sample.learner == "black", idle=True)
        self.board.view = self.face.picture(None if sample is None else sample.position, (), view)
        self.query_one("#start", Lines).show(words.start(sample, chooser))

    def on_resize(self) -> None:
        """Where rows are plenty, one is kept free for what is said; a start is shown where there is room."""
        self.strip.kept = self.size.height >= 24
        self.strip.follow(self.jobs.job)
        self.call_after_refresh(self._show_sample)

    def label(self, key: Key) -> str:
        """What a key is called; on small screens shortly."""
        if key.id == "rows.choose":
            return ""
        small = self.has_class("-narrow")
        return _SHORT.get(key.id or "", "") or super().label(key) if small else super().label(key)

    # The cursor and the panels

    @on(Rows.Pointed, "#courses")
    def _pointed(self, event: Rows.Pointed) -> None:
        if not event.entered and isinstance(event.key, str):
            self._go(event.key)

    def _go(self, key: str) -> None:
        self.say()
        self._said = ()
        self.chooser.go(key)
        self.courses.show(self._courses, cursor=self.chooser.entry.key)
        self._show_choices()

    @on(Rows.Pointed, "#setup")
    def _row_pointed(self, event: Rows.Pointed) -> None:
        if not event.entered and isinstance(event.key, int):
            self.say()
            self.chooser.row = event.key
            self._show_choices()

    def action_open(self) -> None:
        """Opens or closes the set."""
        self.say()
        if self.chooser.toggle():
            self.show()
        else:
            self.say(words.NOT_OPENED)

    def action_change(self, by: int) -> None:
        """Changes a choice; in the list the mode."""
        self.say()
        self._said = ()
        chooser = self.chooser
        if self.focused is not self.setup:
            chooser.row = 0
        told = words.changed(chooser.change(chooser.row, by), chooser)
        self._show_choices()
        self.say(told)

    @on(WindowChart.Moved)
    def _window_moved(self, event: WindowChart.Moved) -> None:
        self.say()
        self.chooser.move_window(event.by)
        self._show_choices()

    @on(WindowChart.Widened)
    def _window_widened(self, event: WindowChart.Widened) -> None:
        self.action_widen(event.by)

    def action_widen(self, by: int) -> None:
        """Takes a layer more, or one less, into the window."""
        self.say()
        if self.chooser.widen_window(by):
            self._show_choices()
        else:
            self.say(words.NO_LAYERS)

    def action_panel(self, by: int) -> None:
        """Goes to the next panel; on small screens it takes the place of the list."""
        panels: list[Widget] = [self.courses, self.setup]
        if self.chooser.window.layers:
            panels.append(self.window)
        at = next((number for number, panel in enumerate(panels) if panel.has_focus), 0)
        self._to(panels[(at + by) % len(panels)])

    def _to(self, panel: Widget) -> None:
        self.set_class(panel is not self.courses, "-how")
        self.set_focus(panel)

    def action_back(self) -> None:
        """Takes the sentence away, goes back to the list."""
        self.say()
        self._said = ()
        self._show_choices()
        self._to(self.courses)

    # Starting

    @on(Rows.Chosen)
    @on(WindowChart.Chosen)
    def _start(self) -> None:
        self.say()
        chooser = self.chooser
        try:
            order = chooser.order(chooser.sample() if self._shows_sample else None)
        except NotBuiltError as problem:
            self._offer(chooser.missing() or (problem.ending,))
        except EndgameError as problem:
            self.complain(problem)
        else:
            from endgame_tui.screens.drill import DrillScreen

            begin = partial(Sitting, order, self.lab.judge(self.game), chooser.course, self.host.rng, self.host.clock)
            self.app.push_screen(DrillScreen(self.game, begin), self._drilled)

    def _drilled(self, result: EndgameError | Request | None) -> None:
        """A sitting is over; it may have ended with a wish, or because nothing could be drilled."""
        if isinstance(result, EndgameError):
            self.complain(result)
        elif result is not None:
            self.receive(result)

    def _offer(self, endings: Sequence[str]) -> None:
        """Asks whether to build endings."""
        cost = price(self.chooser.explorer.library, endings)
        text = words.shall_build(endings, cost.endings - len(endings), cost.words, self.size.width - _ANSWERS)
        build = Choice("enter", "Enter", "build", lambda: self._build(endings))
        self.ask.question(self.look.glyphs.plain(text), build)

    def _build(self, endings: Sequence[str]) -> None:
        try:
            self.jobs.build(endings, self.chooser.game.metric)
        except EndgameError as problem:
            self.complain(problem)

    def action_build(self) -> None:
        """Offers to build what the row needs."""
        missing = self.chooser.missing()
        if missing:
            self._offer(missing)
        else:
            self.say(words.ALL_BUILT)

    def action_another(self) -> None:
        """Draws another start to look at."""
        self.say()
        sample = self.chooser.sample(another=True)
        if sample is None:
            self.say(words.NO_SINGLE_START)
        elif self._shows_sample:
            self._show_sample()
        else:
            self.say(words.start_sentence(sample, self.chooser))

    async def action_send(self) -> None:
        """Shows the start in Explore."""
        sample = self.chooser.sample()
        if sample is None:
            self.say(words.NO_START)
        else:
            await self.host.open("explore", Request(self.game, self.chooser.game.format(sample.position)))

    # Finding, adding, deleting

    def action_find(self) -> None:
        """Asks for a name and goes there while it is typed."""
        self.chooser.begin_search()
        self.ask.text("/", words.to_find(self.chooser), self._found, typed=self._searching)

    def _searching(self, text: str) -> None:
        if self.chooser.search(text):
            self._go(self.chooser.cursor)

    def _found(self, text: str) -> None:
        if not self.chooser.end_search(text):
            raise words.not_found(text, self.chooser)
        self._go(self.chooser.cursor)

    @on(LastRow.Left)
    def _given_up(self) -> None:
        """Goes back to where a search began."""
        if self.chooser.end_search(None):
            self._go(self.chooser.cursor)

    def action_add(self) -> None:
        """Asks for a position, or a file of them."""
        self.ask.text("+", speech_of(self.game).to_add, self._added)

    def _added(self, text: str) -> None:
        if not text:
            raise words.nothing_to_add(self.chooser)
        done = self.chooser.add(text)
        self._said = words.left_out(done)
        self.show()
        self.say(*words.added(done))

    def action_delete(self) -> None:
        """Asks, then deletes an own position, an own set, or an own theme."""
        chooser, entry = self.chooser, self.chooser.entry
        if chooser.can_delete:
            delete = Choice("y", "y", "delete", lambda: self._delete(entry))
            self.ask.question(words.shall_delete(entry), delete)
        else:
            self.say(words.NOT_DELETED)

    def _delete(self, entry: Entry) -> None:
        try:
            self.chooser.delete(entry)
        except EndgameError as problem:
            self.complain(problem)
            return
        self.show()
        self.say(words.deleted(entry))


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


def _warm_up() -> None:
    """Loads in a thread what the first drill needs, so that it starts at once."""
    import fsrs
    import numpy

    del fsrs, numpy
