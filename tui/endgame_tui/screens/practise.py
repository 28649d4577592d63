"""Practise: choose what to drill, and how, in either game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import ScreenResume
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.practice.course import Course
from endgame_core.practice.defence import defence_of, note_choices
from endgame_core.practice.drills import WinGoal
from endgame_core.practice.records import JournalError
from endgame_core.practice.theme import DrillMode
from endgame_core.settings import DEFENCE
from endgame_core.tasks.drill_picker import DUE, DrillEntry, DrillPicker
from endgame_core.tasks.resume import DRILL, go_on_drilling
from endgame_core.tasks.training_session import TrainingPlan, TrainingSession
from endgame_core.words import practice as words
from endgame_core.words.lesson import NO_LESSON
from endgame_core.words.tables import offers, price
from endgame_core.words.text_model import Choices, TextRow, TextSpan
from endgame_tui.faces import PositionView
from endgame_tui.jobs import Ended
from endgame_tui.screens.base import BaseScreen, Request, instead_of_left
from endgame_tui.screens.drill import DrillScreen
from endgame_tui.screens.lesson import LessonScreen
from endgame_tui.widgets.ask import Choice, LastRow
from endgame_tui.widgets.bars import WIDE, Key
from endgame_tui.widgets.board import BoardCanvas
from endgame_tui.widgets.charts import WindowChart
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import ChoiceList, RowItem, Rows

_NARROW: Final = 40
"""Below this width of the list the numbers of drills go."""

_VALUES: Final = 9
"""Column where the values of choices begin."""


class CourseList(Rows):
    """What can be drilled; left and right change how."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("enter", "choose", "Start", id="practise.start", short="start", rank=1),
        Key("left,h", "screen.do('change', -1)", "Previous mode", id="practise.left", short="change"),
        Key("right,l", "screen.do('change', 1)", "Next mode", id="practise.right", short="change"),
        Key("space", "screen.do('open')", "Expand or collapse a set", id="practise.open"),
        Key("pageup", "page(-1)", "Page up", id="practise.page-up"),
        Key("pagedown", "page(1)", "Page down", id="practise.page-down"),
    ]

    def show_courses(self, chooser: DrillPicker) -> None:
        """Shows all that can be drilled."""

        def made(size: Size) -> list[RowItem]:
            wide = size.width >= _NARROW
            return [self._course(row, wide) if row.key else _heading(row, wide) for row in words.courses(chooser)]

        self.show(made, cursor=chooser.entry.key)

    def _course(self, row: words.CourseRow, wide: bool) -> RowItem:
        glyphs = self.look.glyphs
        mark = "" if row.opened is None else f" {glyphs.opened if row.opened else glyphs.closed}"
        left = [TextSpan(row.name + mark, "text" if row.built else "dim", at=4 if row.indent else 2)]
        if row.label:
            left.append(TextSpan(" " * max(7 - len(row.name), 1) + row.label, "dim"))
        if row.drills is not None and wide:
            left.append(TextSpan(str(row.drills), "dim", end=-18))
        if row.due:
            left.append(TextSpan(str(row.due), end=-11))
        if row.right:
            left.append(TextSpan(row.right, row.role, end=-2))
        return RowItem(tuple(left), key=row.key)


def _heading(row: words.CourseRow, wide: bool) -> RowItem:
    """A heading of the list; its first one tells what the figures are."""
    left = [TextSpan(row.name, "text", True)]
    if row.label and wide:
        left.append(TextSpan(row.label, "dim", end=-18))
    if row.right:
        left += [TextSpan("due", "dim", end=-11), TextSpan(row.right, "dim", end=-2)]
    return RowItem(tuple(left))


def _show_choices(setup: ChoiceList, chooser: DrillPicker) -> None:
    """Shows the choices; where there is room all modes are named."""
    here = min(chooser.row, len(chooser.rows()) - 1)

    def made(size: Size) -> list[RowItem]:
        items = [RowItem()]
        for number, choice in enumerate(words.setup(chooser)):
            label = TextSpan(choice.label, "dim")
            values = None if number else _all_named(choice, here == 0, size.width - _VALUES)
            note = TextRow((label, *values)) if values else _one_named(choice, label, here == number, size.width)
            items.append(RowItem(note.left, note.right, key=number))
        return items

    right = TextRow((), (TextSpan(words.setup_right(chooser)),))
    setup.show(made, cursor=here, head=right, title=chooser.entry.title)
    setup.styles.height = 2 + len(chooser.rows())


def _all_named(choice: Choices, here: bool, room: int) -> list[TextSpan]:
    """All options beside one another; none where there is no room for them."""
    used, gaps = sum(map(len, choice.options)), len(choice.options) - 1
    if used + gaps > room or not gaps:
        return []
    named, gap = [TextSpan("", at=_VALUES)], TextSpan("  " if used + 2 * gaps <= room else " ")
    for number, option in enumerate(choice.options):
        chosen = number == choice.chosen
        named += [TextSpan(option, "amber" if chosen and here else "text" if chosen else "dim", chosen), gap]
    return named[:-1]


def _one_named(choice: Choices, label: TextSpan, here: bool, width: int) -> TextRow:
    """The option that is chosen, and how many there are."""
    value = choice.options[choice.chosen]
    if here and len(choice.options) > 1:
        value = f"‹ {value} ›" if _VALUES + len(value) + 4 <= width else f"‹{value}›"
    count = f"{choice.chosen + 1} of {len(choice.options)}" if here and len(choice.options) > 2 else ""
    right = (TextSpan(count, "faint"),) if count and _VALUES + len(value) + 2 + len(count) <= width else ()
    return TextRow((label, TextSpan(value, "amber" if here else "text", here, at=_VALUES)), right)


def _sitting(chooser: DrillPicker, screen: BaseScreen, order: TrainingPlan) -> TrainingSession:
    """A sitting of what was chosen."""
    judge, host = screen.lab.judge(chooser.game.name), screen.host
    return TrainingSession(order, judge, chooser.course, host.rng, host.clock)


class Practising:
    """What is chosen of one game, and done with it.

    Args:
        chooser: What is chosen.
        screen: Where it is asked and said.
        show: Shows the choices anew.
    """

    def __init__(self, chooser: DrillPicker, screen: BaseScreen, show: Callable[[], None]) -> None:
        self.chooser, self.screen, self._show = chooser, screen, show
        self.said: tuple[TextRow, ...] = ()
        """Rows that are shown in place of the figures."""
        self._usual, self._setting = chooser.defence, ""
        self.prefer()
        kept = screen.host.memory
        for name in ("colours", "grows"):
            known = kept.get(bool, "practise", chooser.game.name, name)
            setattr(chooser, name, getattr(chooser, name) if known is None else known)
        goal = kept.get(str, "practise", chooser.game.name, "win_goal")
        if goal in list(WinGoal):
            chooser.win_goal = WinGoal(goal)

    def prefer(self) -> None:
        """Takes the defender of the last time, or whom the settings have named since."""
        host, setting = self.screen.host, self.screen.host.settings[DEFENCE]
        if setting != self._setting:
            self._setting, name = setting, self.chooser.game.name
            self.chooser.defence = defence_of(host.memory, host.settings, "practise", name, self._usual)

    @property
    def shows_sample(self) -> bool:
        """Whether there is room for a board that shows a start."""
        return self.screen.has_class("-grand") and self.screen.size.width >= WIDE

    def look_up(self) -> None:
        """Looks up all figures; says so when the journal cannot be read."""
        course = self.chooser.course
        try:
            course.refresh()
        except JournalError as problem:
            self.screen.complain(problem)
        if notice := course.journal.take_notice():
            self.screen.say(notice, "loss")

    def go(self, key: str) -> None:
        """Puts the cursor on a row."""
        self.screen.say()
        self.said = ()
        self.chooser.go(key)
        self._show()

    def point(self, row: int) -> None:
        """Puts the cursor on a choice."""
        self.screen.say()
        self.chooser.row = row
        self._show()

    def move(self, by: int) -> None:
        """Moves the window of layers."""
        self.chooser.move_window(by)
        self._show()

    def open(self) -> None:
        """Opens or closes the set."""
        if self.chooser.toggle():
            self.screen.show()
        else:
            self.screen.say(words.NOT_OPENED)

    def change(self, by: int) -> None:
        """Changes a choice; in the list the mode."""
        self.said = ()
        chooser = self.chooser
        if self.screen.focused is None or self.screen.focused.id != "setup":
            chooser.row = 0
        told, host = words.changed(chooser.change(chooser.row, by), chooser), self.screen.host
        how = {
            "defence": chooser.defence.value, "colours": chooser.colours, "grows": chooser.grows,
            "win_goal": chooser.win_goal.value,
        }  # fmt: skip
        note_choices(host.memory, host.settings, "practise", chooser.game.name, **how)
        self._show()
        self.screen.say(told)

    def widen(self, by: int) -> None:
        """Takes a layer more, or one less, into the window."""
        if self.chooser.widen_window(by):
            self._show()
        else:
            self.screen.say(words.NO_LAYERS)

    def back(self) -> None:
        """Takes the sentence away, goes back to the list."""
        self.said = ()
        self._show()

    def start(self) -> None:
        """Begins a sitting of what is chosen; what is not built is offered."""
        chooser = self.chooser
        try:
            order = chooser.order(chooser.sample() if self.shows_sample else None)
        except NotBuiltError as problem:
            self._offer(chooser.missing() or (problem.ending,))
        except EndgameError as problem:
            self.screen.complain(problem)
        else:
            drill = partial(DrillScreen, chooser.game.name, partial(_sitting, chooser, self.screen, order))
            self._replace(order, lambda: self.screen.app.push_screen(drill(), self.drilled))

    def _replace(self, order: TrainingPlan, go: Callable[[], object]) -> None:
        """Begins a sitting; asks first when one that was left open would be forgotten, which a streak lets wait."""
        if order.mode is DrillMode.STREAK:
            go()
        else:
            instead_of_left(self.screen, DRILL, go)

    def go_on(self, kept: Mapping[str, Any]) -> None:
        """Goes on with a sitting that was left open."""
        chooser, screen = self.chooser, self.screen
        make = partial(_sitting, chooser, screen)
        try:
            left = [go_on_drilling(kept, chooser.course, make)]
        except EndgameError as problem:
            screen.host.memory.note(None, "left", DRILL)
            screen.complain(problem)
            return
        again = replace(left[0].order, first=None)
        drill = DrillScreen(chooser.game.name, lambda: left.pop() if left else make(again))
        screen.app.push_screen(drill, self.drilled)

    def drilled(self, result: EndgameError | Request | None) -> None:
        """A sitting is over; it may have ended with a wish, or because nothing could be drilled."""
        if isinstance(result, EndgameError):
            self.screen.complain(result)
        elif result is not None:
            self.screen.receive(result)

    def _offer(self, endings: Sequence[str]) -> None:
        """Asks whether to build endings."""
        cost = price(self.chooser.explorer.library, endings)
        build = partial(self.screen.jobs.build, endings, self.chooser.game.metric)
        choice = Choice("enter", "build", build)
        text = offers(endings, None, cost, self.screen.last_row.room(choice))
        self.screen.last_row.ask(self.screen.look.glyphs.plain(text), choice)

    def build(self) -> None:
        """Offers to build what the row needs."""
        missing = self.chooser.missing()
        if missing:
            self._offer(missing)
        else:
            self.screen.say(words.ALL_BUILT)

    def another(self) -> None:
        """Draws another start to look at."""
        sample = self.chooser.sample(another=True)
        if sample is None and len(self.chooser.items) == 1 and self.chooser.missing():
            self.build()
        elif sample is None:
            self.screen.say(instruct(words.NO_SINGLE_START))
        elif self.shows_sample:
            self._show()
        else:
            self.screen.say(words.start_sentence(sample, self.chooser))

    def send(self) -> None:
        """Shows the start in Explore."""
        sample = self.chooser.shown
        if sample is None:
            self.screen.say(words.NO_START)
        else:
            game = self.chooser.game
            self.screen.call_later(self.screen.host.open, "explore", Request(game.name, game.format(sample.position)))

    def read_lesson(self) -> None:
        """Open the lesson of the selected study; it may end with the wish to practise it."""
        study = self.chooser.entry.study
        if study is None:
            self.screen.say(NO_LESSON)
            return

        def read(wants_to_start: bool | None) -> None:
            if wants_to_start:
                self.start()

        self.screen.app.push_screen(LessonScreen(study), read)

    def find(self) -> None:
        """Asks for a name and goes there while it is typed."""
        self.chooser.begin_search()
        self.screen.last_row.prompt("/", words.to_find(self.chooser), self._found, on_change=self._searching)

    def _searching(self, text: str) -> None:
        if self.chooser.search(text):
            self.go(self.chooser.cursor)

    def _found(self, text: str) -> None:
        if not self.chooser.end_search(text):
            raise words.not_found(text, self.chooser)
        self.go(self.chooser.cursor)

    def give_up(self) -> None:
        """Goes back to where a search began."""
        if self.chooser.end_search(None):
            self.go(self.chooser.cursor)

    def add(self) -> None:
        """Asks for a position, or a file of them."""
        self.screen.last_row.prompt("+", words.to_add(self.chooser.game), self._added)

    def _added(self, text: str) -> None:
        done = self.chooser.add(text)
        self.said = words.left_out(done)
        self.screen.show()
        self.screen.say(*words.added(done))

    def delete(self) -> None:
        """Asks, then deletes an own position, an own set, or an own theme."""
        chooser, entry = self.chooser, self.chooser.entry
        if chooser.can_delete:
            delete = Choice("y", "delete", lambda: self._delete(entry))
            self.screen.last_row.ask(words.shall_delete(entry), delete)
        else:
            self.screen.say(words.NOT_DELETED)

    def _delete(self, entry: DrillEntry) -> None:
        self.chooser.delete(entry)
        self.screen.show()
        self.screen.say(words.deleted(entry))


_SHORT: Final = {"practise.next-panel": "how", "practise.add": "add"}
"""What keys are called on the smallest screens."""


class PractiseScreen(BaseScreen):
    """Sets, themes and studies; the mode; the window of layers."""

    TASK = "practise"
    PANELS = (CourseList, WindowChart)
    CSS_PATH = "practise.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-low"), (22, "-middle"), (30, "-tall"), (38, "-grand")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("tab", "panel(1)", "List, mode, layers", id="practise.next-panel", short="set, mode, layers", rank=1,
            priority=True),
        Key("shift+tab", "panel(-1)", "Panel before", id="practise.previous-panel", priority=True),
        Key("less_than_sign", "do('widen', -1)", "Narrow the window of layers", id="practise.narrow"),
        Key("greater_than_sign", "do('widen', 1)", "Widen the window of layers", id="practise.widen"),
        Key("plus", "do('add')", "Add positions or a file",
            id="practise.add", short="add a position", rank=1,
            priority=True, typing=True),
        Key("slash,colon", "do('find')", "Find a set, study or ending", id="practise.find", short="find", rank=3,
            priority=True, typing=True),
        Key("n", "do('another')", "Another starting position", id="practise.another", short="another start", rank=3),
        Key("s", "do('send')", "Open the start in Explore", id="practise.send"),
        Key("L", "do('read_lesson')", "Read the lesson", id="practise.lesson", short="lesson", priority=True),
        Key("d", "do('delete')", "Delete your own", id="practise.delete", priority=True),
        Key("b", "do('build')", "Build the missing tables", id="practise.build", priority=True),
        Key("escape", "do('back')", "Back to the list", id="practise.back"),
        Binding("home,pageup", "choice(0)", "First setting", show=False, id="setup.home"),
        Binding("end,pagedown", "choice(-1)", "Last setting", show=False, id="setup.end"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.courses = CourseList(id="courses", steady=True)
        self.setup, self.window = ChoiceList(id="setup", pointer=False), WindowChart(id="window")
        self.board = BoardCanvas(id="board")
        self.board.can_focus = False
        self._practising: dict[str, Practising] = {}

    @property
    def practising(self) -> Practising:
        """What is chosen in the game at hand."""
        if self.game not in self._practising:
            lab, explorer = self.lab, self.lab.explorer_of(self.game)
            course = Course(explorer.game, explorer.library, lab.studies(self.game), lab.journal)
            made = Practising(DrillPicker(course, explorer, self.host.rng, self.lab.file), self, self.show_choices)
            self._practising[self.game] = made
            made.look_up()
        return self._practising[self.game]

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
        if self._practising:
            self.practising.chooser.course.read_sets()
            self.practising.look_up()
            self.show()

    def receive(self, request: Request) -> None:
        """Begins a drill that another screen wants: of a theme by its key, all that is due, or what was left open."""
        if request.left is not None:
            self.practising.go_on(request.left)
        if request.text is None:
            return
        key = request.text or DUE
        self.practising.go(key)
        if self.practising.chooser.entry.key == key:
            self.action_do("start")
        else:
            self.say(words.GONE)

    def tables_changed(self) -> None:
        """Asks the tables anew."""
        for practising in self._practising.values():
            practising.chooser.forget()
        self.show()

    def ended(self, event: Ended) -> None:
        """Says that all is built."""
        if self.jobs.job is None:
            self.say(event.words, "win")

    # What is shown

    def show(self) -> None:
        """Shows everything."""
        self.crumbs("Choose a drill", named=True)
        self.query_one("#header", Lines).show((words.header(self.practising.chooser.course),))
        self.courses.show_courses(self.practising.chooser)
        self.show_choices()

    def show_choices(self) -> None:
        """Shows the row with the cursor, what belongs to it, and where there is room one start of it."""
        practising, look = self.practising, self.look
        practising.prefer()
        chooser = practising.chooser
        if chooser.entry.key != self.courses.cursor:
            self.courses.show_courses(chooser)
        self.set_class(chooser.entry.theme is not None, "-layers")
        _show_choices(self.setup, chooser)
        layers = chooser.window
        names = tuple(f"S{n}" for n in layers.layers)
        right = words.window_mover(chooser) if names else words.no_window(chooser)
        self.window.show(layers.boards, names, layers.low, layers.high, right)
        self.query_one("#facts", Lines).show(lambda size: practising.said or words.facts(chooser, *size))
        self.query_one("#modes", Lines).show(lambda _: words.modes(chooser))
        if not practising.shows_sample:
            return
        sample = chooser.shown
        self.board.resize(*self.face.compact_layout(look.can_draw_pieces))
        view = PositionView(flipped=sample is not None and sample.learner == "black", idle=True)
        self.board.view = self.face.board_view(None if sample is None else sample.position, (), view)
        self.query_one("#start", Lines).show(words.start(sample, chooser))

    def on_resize(self) -> None:
        """Where rows are plenty, one is kept free for what is said."""
        self.strip.reserved = self.size.height >= 24
        self.strip.show_job(self.jobs.job)
        self.call_after_refresh(self.show_choices)

    def label(self, key: Key) -> str:
        """What a key is called; on small screens shortly."""
        small = self.has_class("-narrow")
        return _SHORT.get(key.id or "", "") or super().label(key) if small else super().label(key)

    # Lists and layers

    @on(Rows.Pointed)
    def _pointed(self, event: Rows.Pointed) -> None:
        if event.entered:
            return
        if isinstance(event.key, str):
            self.practising.go(event.key)
        elif isinstance(event.key, int):
            self.practising.point(event.key)

    @on(ChoiceList.Changed)
    def _changed(self, event: ChoiceList.Changed) -> None:
        self.action_do("change", event.by)

    @on(Rows.Chosen)
    def _chosen(self) -> None:
        self.action_do("start")

    @on(LastRow.Cancelled)
    def _given_up(self) -> None:
        self.practising.give_up()

    def action_do(self, what: str, *args: Any) -> None:
        """What one does with what is chosen."""
        self.say()
        getattr(self.practising, what)(*args)
        if what == "back":
            self._to(self.courses)

    def action_choice(self, number: int) -> None:
        """Goes to the first choice or the last."""
        if self.setup.has_focus:
            self.setup.move_cursor(self.setup.keys[number])

    def action_panel(self, by: int) -> None:
        """Goes to the next panel; on small screens it takes the place of the list."""
        panels: list[Widget] = [self.courses, self.setup]
        if self.practising.chooser.window.layers:
            panels.append(self.window)
        at = next((number for number, panel in enumerate(panels) if panel.has_focus), 0)
        self._to(panels[(at + by) % len(panels)])

    def _to(self, panel: Widget) -> None:
        self.set_class(panel is not self.courses, "-how")
        self.set_focus(panel)


def _warm_up() -> None:
    """Loads in a thread what the first drill needs, so that it starts at once."""
    import fsrs
    import numpy

    del fsrs, numpy
