"""Practise: choose what to drill and how, in either game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import ScreenResume
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.language import _
from endgame_core.paths import new_file, write_bytes
from endgame_core.practice.course import Course
from endgame_core.practice.defence import defence_of, note_choices
from endgame_core.practice.drills import WinGoal
from endgame_core.practice.records import JournalError
from endgame_core.practice.theme import DrillMode
from endgame_core.settings import DEFENCE
from endgame_core.tasks.drill_picker import DUE, DrillEntry, DrillPicker
from endgame_core.tasks.drill_search import DrillSearch
from endgame_core.tasks.resume import DRILL, resume_session
from endgame_core.tasks.start_samples import StartSamples
from endgame_core.tasks.training_session import TrainingPlan, TrainingSession
from endgame_core.words import practice as words
from endgame_core.words import sheet
from endgame_core.words.lesson import NO_LESSON
from endgame_core.words.tables import offers, price
from endgame_core.words.text_model import Choices, TextRow, TextSpan
from endgame_tui.faces import PositionView
from endgame_tui.jobs import Ended
from endgame_tui.keys import (
    ADD,
    BEGIN,
    BUILD_SET,
    DELETE,
    EXPLORE_HERE,
    FIND,
    FIRST,
    LAST,
    LEAVE,
    LESSON,
    NEXT_PANEL,
    NEXT_VALUE,
    PAGE_DOWN,
    PAGE_UP,
    PREVIOUS_PANEL,
    PREVIOUS_VALUE,
    PROMPT,
    Key,
)
from endgame_tui.screens.base import BaseScreen, Request
from endgame_tui.screens.drill import DrillScreen
from endgame_tui.screens.lesson import LessonScreen
from endgame_tui.widgets.ask import Choice, LastRow
from endgame_tui.widgets.board import BoardCanvas
from endgame_tui.widgets.charts import WindowChart
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import ChoiceList, RowItem, Rows
from endgame_tui.widths import WIDE

_NARROW: Final = 40
"""Below this width the list leaves out the numbers of drills."""

_VALUES: Final = 9
"""Column where the values of choices begin."""


class CourseList(Rows):
    """The list of sets, themes and studies; left and right change the mode."""

    BINDINGS: ClassVar[list[BindingType]] = [
        BEGIN.adapted(_("Start"), action="choose"),
        PREVIOUS_VALUE.adapted(_("Previous mode"), action="screen.change(-1)"),
        NEXT_VALUE.adapted(_("Next mode"), action="screen.change(1)"),
        Key("space", "screen.open_set", _("Expand or collapse a set"), id="open_set"),
        PAGE_UP,
        PAGE_DOWN,
    ]

    def show_courses(self, chooser: DrillPicker) -> None:
        """Show all that can be drilled."""

        def items_for(size: Size) -> list[RowItem]:
            is_wide = size.width >= _NARROW
            return [self._course(row, is_wide) if row.key else _heading(row, is_wide) for row in words.courses(chooser)]

        self.show(items_for, cursor=chooser.entry.key)

    def _course(self, row: words.CourseRow, is_wide: bool) -> RowItem:
        glyphs = self.look.glyphs
        mark = ""
        if row.opened is not None:  # a set that can be expanded
            mark = f" {glyphs.opened if row.opened else glyphs.closed}"
        role = "text" if row.built else "dim"
        column = 4 if row.indent else 2
        spans = [TextSpan(row.name + mark, role, at=column)]
        if row.label:
            spans.append(TextSpan(" " * max(7 - len(row.name), 1) + row.label, "dim"))
        if row.drills is not None and is_wide:
            spans.append(TextSpan(str(row.drills), "dim", end=-18))
        if row.due:
            spans.append(TextSpan(str(row.due), end=-11))
        if row.right:
            spans.append(TextSpan(row.right, row.role, end=-2))
        return RowItem(tuple(spans), key=row.key)


def _heading(row: words.CourseRow, is_wide: bool) -> RowItem:
    """A heading of the list; the first one names the columns."""
    spans = [TextSpan(row.name, "text", True)]
    if row.label and is_wide:
        spans.append(TextSpan(row.label, "dim", end=-18))
    if row.right:
        spans += [TextSpan(_("due"), "dim", end=-11), TextSpan(row.right, "dim", end=-2)]
    return RowItem(tuple(spans))


def _show_choices(setup: ChoiceList, chooser: DrillPicker) -> None:
    """Show the choices; all options of the first one, the mode, are named if there is room."""
    cursor = min(chooser.row, len(chooser.rows()) - 1)

    def items_for(size: Size) -> list[RowItem]:
        items = [RowItem()]
        for number, choice in enumerate(words.setup(chooser)):
            label = TextSpan(choice.label, "dim")
            row = _chosen_option(choice, label, cursor == number, size.width)
            if number == 0 and (options := _all_options(choice, cursor == 0, size.width - _VALUES)):
                row = TextRow((label, *options))
            items.append(RowItem(row.left, row.right, key=number))
        return items

    right = TextRow((), (TextSpan(words.setup_right(chooser)),))
    setup.show(items_for, cursor=cursor, head=right, title=chooser.entry.title)
    setup.styles.height = 2 + len(chooser.rows())


def _all_options(choice: Choices, has_cursor: bool, room: int) -> list[TextSpan]:
    """All options side by side; empty if there is only one, or no room for them."""
    used = sum(map(len, choice.options))
    gaps = len(choice.options) - 1
    # A single blank between options is the least, two are better.
    if used + gaps > room or not gaps:
        return []
    gap = TextSpan("  " if used + 2 * gaps <= room else " ")
    spans = [TextSpan("", at=_VALUES)]
    for number, option in enumerate(choice.options):
        is_chosen = number == choice.chosen
        role = "dim"
        if is_chosen:
            role = "amber" if has_cursor else "text"
        spans += [TextSpan(option, role, is_chosen), gap]
    return spans[:-1]


def _chosen_option(choice: Choices, label: TextSpan, has_cursor: bool, width: int) -> TextRow:
    """The chosen option; with the cursor, its number of how many there are."""
    value = choice.options[choice.chosen]
    if has_cursor and len(choice.options) > 1:
        if _VALUES + len(value) + 4 <= width:
            value = f"‹ {value} ›"
        else:
            value = f"‹{value}›"
    right: tuple[TextSpan, ...] = ()
    if has_cursor and len(choice.options) > 2:
        count = _("{chosen} of {options}").format(chosen=choice.chosen + 1, options=len(choice.options))
        if _VALUES + len(value) + 2 + len(count) <= width:
            right = (TextSpan(count, "faint"),)
    role = "amber" if has_cursor else "text"
    return TextRow((label, TextSpan(value, role, has_cursor, at=_VALUES)), right)


def _session(chooser: DrillPicker, screen: BaseScreen, plan: TrainingPlan) -> TrainingSession:
    judge = screen.lab.judge(chooser.game.name)
    return TrainingSession(plan, judge, chooser.course, screen.host.rng, screen.host.clock)


class Practising:
    """Chooses and starts the drills of one game.

    Args:
        chooser: The choices.
        screen: The screen that shows messages and asks questions.
        show: Updates the choices on the screen.
    """

    def __init__(self, chooser: DrillPicker, screen: BaseScreen, show: Callable[[], None]) -> None:
        self.chooser = chooser
        self._search = DrillSearch(chooser)
        self.samples = StartSamples(chooser)
        self.screen = screen
        self._show = show
        self.notice: tuple[TextRow, ...] = ()
        """Rows that are shown in place of the facts."""
        self._default_defence = chooser.defence
        self._applied_setting = ""
        """The defender of the settings when the choices were filled in last; empty before."""
        self.prefer()
        memory = screen.host.memory
        for name in ("colours", "grows"):
            stored = memory.get(bool, "practise", chooser.game.name, name)
            if stored is not None:
                setattr(chooser, name, stored)
        goal = memory.get(str, "practise", chooser.game.name, "win_goal")
        if goal in list(WinGoal):
            chooser.win_goal = WinGoal(goal)

    def prefer(self) -> None:
        """Choose the defender of the last time, or that of the settings if it was changed since."""
        host = self.screen.host
        setting = host.settings[DEFENCE]
        if setting != self._applied_setting:
            # Only if it differs: what the user has chosen on this screen lasts until the setting is changed.
            self._applied_setting = setting
            name = self.chooser.game.name
            self.chooser.defence = defence_of(host.memory, host.settings, "practise", name, self._default_defence)

    @property
    def shows_sample(self) -> bool:
        """Whether there is room for a board with a sample position."""
        return self.screen.has_class("-grand") and self.screen.size.width >= WIDE

    def look_up(self) -> None:
        """Read all figures from the journal; show its problems."""
        course = self.chooser.course
        try:
            course.refresh()
        except JournalError as problem:
            self.screen.complain(problem)
        if notice := course.journal.take_notice():
            self.screen.say(notice, "loss")

    def forget(self) -> None:
        """Clear cached facts about the tables, after some were built or deleted."""
        self.chooser.forget()
        self.samples.forget()

    def go(self, key: str) -> None:
        """Move the cursor of the list to a row."""
        self.screen.say()
        self.notice = ()
        self.chooser.go(key)
        self._show()

    def point(self, row: int) -> None:
        """Move the cursor of the choices."""
        self.screen.say()
        self.chooser.row = row
        self._show()

    def move(self, by: int) -> None:
        """Move the window of layers."""
        self.chooser.move_window(by)
        self._show()

    def open(self) -> None:
        """Expand or collapse the set."""
        if self.chooser.toggle():
            self.screen.show()
        else:
            self.screen.say(words.NOT_OPENED)

    def change(self, by: int) -> None:
        """Change the choice under the cursor and store it; while the list has the focus, the mode."""
        self.notice = ()
        chooser = self.chooser
        if self.screen.focused is None or self.screen.focused.id != "setup":
            # The row of the mode, which left and right change also from the list.
            chooser.row = 0
        message = words.changed(chooser.change(chooser.row, by), chooser)
        choices = {
            "defence": chooser.defence.value,
            "colours": chooser.colours,
            "grows": chooser.grows,
            "win_goal": chooser.win_goal.value,
        }
        host = self.screen.host
        note_choices(host.memory, host.settings, "practise", chooser.game.name, **choices)
        self._show()
        self.screen.say(message)

    def widen(self, by: int) -> None:
        """Widen or narrow the window of layers."""
        if self.chooser.widen_window(by):
            self._show()
        else:
            self.screen.say(words.NO_LAYERS)

    def back(self) -> None:
        """Clear the notice; the screen focuses the list."""
        self.notice = ()
        self._show()

    def start(self) -> None:
        """Start a session of the chosen drills, or offer to build the missing tables."""
        chooser = self.chooser
        try:
            # The position that the user sees on the board is the one with which the first drill begins.
            sample = self.samples.sample() if self.shows_sample else None
            plan = chooser.plan(sample)
        except NotBuiltError as problem:
            self._offer(chooser.missing() or (problem.ending,))
        except EndgameError as problem:
            self.screen.complain(problem)
        else:
            # The next session begins with another position.
            self.samples.discard_sample()
            make = partial(_session, chooser, self.screen, plan)

            def start() -> None:
                self.screen.app.push_screen(DrillScreen(chooser.game.name, make), self.drill_closed)

            if plan.mode is DrillMode.STREAK or plan.placement:  # not stored, so an unfinished session is kept
                start()
            else:
                self.screen.confirm_discard(DRILL, start)

    def go_on(self, unfinished: Mapping[str, Any]) -> None:
        """Resume an unfinished session; discard it and report the error if that is not possible."""
        chooser = self.chooser
        screen = self.screen
        make = partial(_session, chooser, screen)
        try:
            resumed = [resume_session(unfinished, chooser.course, make)]
        except EndgameError as problem:
            # If it stayed, it would be offered at each start of the app.
            screen.host.memory.note(None, "left", DRILL)
            screen.complain(problem)
            return
        # The screen runs the resumed session first, and new ones of the same plan if it is to be repeated.
        next_plan = replace(resumed[0].plan, first=None)

        def next_session() -> TrainingSession:
            if resumed:
                return resumed.pop()
            return make(next_plan)

        screen.app.push_screen(DrillScreen(chooser.game.name, next_session), self.drill_closed)

    def drill_closed(self, result: EndgameError | Request | None) -> None:
        """Handle the result of the Drill screen: an error if there was nothing to drill, or a request to open."""
        if isinstance(result, EndgameError):
            self.screen.complain(result)
        elif result is not None:
            self.screen.receive(result)

    def _offer(self, endings: Sequence[str]) -> None:
        """Ask whether to build endings."""
        cost = price(self.chooser.explorer.library, endings)
        build = partial(self.screen.jobs.build, endings, self.chooser.game.metric)
        choice = Choice("enter", _("build"), build)
        text = offers(endings, None, cost, self.screen.last_row.room(choice))
        self.screen.last_row.ask(self.screen.look.glyphs.plain(text), choice)

    def build(self) -> None:
        """Offer to build the missing tables of the row."""
        missing = self.chooser.missing()
        if missing:
            self._offer(missing)
        else:
            self.screen.say(words.ALL_BUILT)

    def another(self) -> None:
        """Show another sample position."""
        sample = self.samples.sample(another=True)
        if sample is None and len(self.chooser.items) == 1 and self.chooser.missing():
            self.build()
        elif sample is None:
            self.screen.say(instruct(words.NO_SINGLE_START))
        elif self.shows_sample:
            self._show()
        else:
            self.screen.say(words.start_sentence(sample, self.chooser))

    def send(self) -> None:
        """Open the sample position in Explore."""
        sample = self.samples.shown_start
        if sample is None:
            self.screen.say(words.NO_START)
        else:
            game = self.chooser.game
            self.screen.call_later(self.screen.host.open, "explore", Request(game.name, game.format(sample.position)))

    def read_lesson(self) -> None:
        """Open the lesson of the selected study; from there the user may start to practise it."""
        study = self.chooser.entry.study
        if study is None:
            self.screen.say(NO_LESSON)
            return

        def on_close(starts: bool | None) -> None:
            if starts:
                self.start()

        self.screen.app.push_screen(LessonScreen(study), on_close)

    def find(self) -> None:
        """Ask for a name; the cursor follows while it is typed."""
        # Remembers where the cursor is, for cancel_search.
        self._search.begin()
        self.screen.last_row.prompt("/", words.to_find(self.chooser), self._end_search, on_change=self._follow_search)

    def _follow_search(self, text: str) -> None:
        if self._search.advance(text):
            self.go(self.chooser.cursor)

    def _end_search(self, text: str) -> None:
        if not self._search.end(text):
            # The prompt shows the error and stays open.
            raise words.not_found(text, self.chooser)
        self.go(self.chooser.cursor)

    def cancel_search(self) -> None:
        """Go back to where the search began."""
        if self._search.end(None):
            self.go(self.chooser.cursor)

    def add(self) -> None:
        """Ask for a position, or a file with positions, to add to your own."""
        self.screen.last_row.prompt("+", words.to_add(self.chooser.game), self._add)

    def _add(self, text: str) -> None:
        result = self.chooser.add(text)
        self.notice = words.left_out(result)
        self.screen.show()
        self.screen.say(*words.added(result))

    def delete(self) -> None:
        """Ask, then delete a position, set or theme of your own."""
        entry = self.chooser.entry
        if self.chooser.can_delete:
            delete = Choice("y", _("delete"), lambda: self._delete(entry))
            self.screen.last_row.ask(words.shall_delete(entry), delete)
        else:
            self.screen.say(words.NOT_DELETED)

    def export(self) -> None:
        """Ask for a file, and write the studies of the row into it: a sheet to print, or positions."""
        entry = self.chooser.entry
        if entry.study is not None:
            studies = [entry.study]
        else:
            studies = [item.study for item in entry.items if item.study]
        if entry.theme is not None or not studies:
            self.screen.say(words.NOT_EXPORTED)
            return
        judge = self.screen.lab.judge(self.chooser.game.name)

        def write(text: str) -> None:
            # Checked while the prompt is open, so that another name can be typed.
            file = new_file(self.screen.lab.file(text).absolute(), advice=_("type a different name"))
            work = partial(sheet.exported, entry.title, studies, judge, sheet.format_of(file), report)
            self.screen.say(_("drawing …"))
            self.screen.run_in_thread(work, partial(finish, file), "export")

        def report(share: float) -> None:
            # Called in the worker's thread: call_later passes it to the app's.
            self.screen.call_later(self.screen.say, _("drawing … {share:.0%}").format(share=share))

        def finish(file: Path, data: bytes) -> None:
            write_bytes(file, data)
            self.screen.say(words.exported(len(studies), file), "win")
            self.screen.deliver(file)

        self.screen.last_row.prompt(_("Export to"), words.EXPORT_FILES, write, words.export_name(entry.title))

    def _delete(self, entry: DrillEntry) -> None:
        self.chooser.delete(entry)
        self.screen.show()
        self.screen.say(words.deleted(entry))


_SHORT: Final = {"next_panel": _("mode"), "add": _("add")}
"""Names of keys on narrow screens."""


class PractiseScreen(BaseScreen):
    """Choose a set, theme or study, the mode, and a window of layers."""

    TASK = "practise"
    PANELS = (CourseList, WindowChart)
    FOCUSABLE = (CourseList, ChoiceList, WindowChart)
    CSS_PATH = "practise.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-low"), (22, "-middle"), (30, "-tall"), (38, "-grand")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        NEXT_PANEL.adapted(_("List, mode, layers"), short=_("set, mode, layers"), priority=True),
        PREVIOUS_PANEL.adapted(priority=True),
        Key("less_than_sign", "widen_window(-1)", _("Narrow the window of layers"), id="narrow"),
        Key("greater_than_sign", "widen_window(1)", _("Widen the window of layers"), id="widen"),
        ADD.adapted(_("Add positions or a file"), short=_("add a position"), rank=1, priority=True, typing=True),
        FIND.adapted(_("Find a set, study or ending"), rank=3),
        PROMPT.adapted(_("Find a set, study or ending"), action="find"),
        Key("n", "another", _("Another starting position"), short=_("another start"), rank=3),
        EXPLORE_HERE.adapted(_("Open in Explore")),
        LESSON.adapted(short=_("lesson"), rank=1, priority=True),
        DELETE.adapted(_("Delete your own")),
        Key("o", "export", _("Export a set as a sheet"), priority=True, short=_("export")),
        BUILD_SET,
        LEAVE.adapted(_("Back to the list")),
        FIRST.adapted(_("First setting"), action="choice(0)", system=True),
        PAGE_UP.adapted(_("First setting"), action="choice(0)", system=True),
        LAST.adapted(_("Last setting"), action="choice(-1)", system=True),
        PAGE_DOWN.adapted(_("Last setting"), action="choice(-1)", system=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.courses = CourseList(id="courses", steady=True)
        self.setup = ChoiceList(id="setup", pointer=False)
        self.window = WindowChart(id="window")
        self.board = BoardCanvas(id="board")
        self.board.can_focus = False
        self._practising: dict[str, Practising] = {}
        self._has_lesson = False

    @property
    def practising(self) -> Practising:
        """The choices of the current game."""
        if self.game not in self._practising:
            explorer = self.lab.explorer_of(self.game)
            course = Course(explorer.game, explorer.library, self.lab.studies(self.game), self.lab.journal)
            chooser = DrillPicker(course, explorer, self.host.rng, self.lab.file)
            practising = Practising(chooser, self, self.show_choices)
            self._practising[self.game] = practising
            practising.look_up()
        return self._practising[self.game]

    def body(self) -> ComposeResult:
        """Yield the list at the left, the choices at the right."""
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
        """Show everything; load in the background what drills need."""
        self.show()
        self.set_focus(self.courses)
        # Imports only, so that the thread touches nothing of the app.
        self.run_worker(_warm_up, name="warm-up", thread=True, exit_on_error=False)

    @on(ScreenResume)
    def _resumed(self) -> None:
        """Read sets and figures again: a drill or another screen may have changed them."""
        if self._practising:
            self.practising.chooser.course.read_sets()
            self.practising.look_up()
            self.show()

    def receive(self, request: Request) -> None:
        """Resume an unfinished session, or go to a row by its key and start its drills; an empty key: due drills."""
        if request.unfinished is not None:
            self.practising.go_on(request.unfinished)
        if request.text is None:
            return
        key = request.text or DUE
        # The placement and the weakest themes are in the list only while there is something to drill.
        if key in words.MISSING_ROWS and key not in self.practising.chooser.entries():
            self.say(words.MISSING_ROWS[key])
            return
        self.practising.go(key)
        if not request.starts:
            self.courses.show_courses(self.practising.chooser)
            self.set_focus(self.courses)
        # Otherwise go() has found no such row, and the cursor is on another one.
        elif self.practising.chooser.entry.key == key:
            self.action_begin()
        else:
            self.say(words.GONE)

    def tables_changed(self) -> None:
        """Look up the tables again."""
        for practising in self._practising.values():
            practising.forget()
        self.show()

    def build_finished(self, event: Ended) -> None:
        """Report a build that succeeded, unless the next one has started."""
        if self.jobs.job is None:
            self.say(event.words, "win")

    # What is shown

    def show(self) -> None:
        """Update everything on the screen."""
        self.crumbs(_("Choose a drill"), named=True)
        course = self.practising.chooser.course
        self.query_one("#header", Lines).show(lambda size: (words.header(course, size.width),))
        self.courses.show_courses(self.practising.chooser)
        self.show_choices()

    def show_choices(self) -> None:
        """Show the choices of the row under the cursor, and a sample position if there is room."""
        practising = self.practising
        practising.prefer()
        chooser = practising.chooser
        # The cursor was moved by a search or a request, not by the list itself.
        if chooser.entry.key != self.courses.cursor:
            self.courses.show_courses(chooser)
        self.set_class(chooser.entry.theme is not None, "-layers")
        # Only when it changes: new keys redraw the last row.
        if self._has_lesson != (chooser.entry.study is not None):
            self._has_lesson = not self._has_lesson
            self.refresh_bindings()
        _show_choices(self.setup, chooser)
        layers = chooser.window
        names = tuple(f"S{n}" for n in layers.layers)
        if names:
            right = words.window_mover(chooser)
        else:
            right = words.no_window(chooser)
        self.window.show(layers.boards, names, layers.low, layers.high, right)
        self.query_one("#facts", Lines).show(lambda size: practising.notice or words.facts(chooser, *size))
        self.query_one("#modes", Lines).show(lambda size: words.modes(chooser, size.width))
        if not practising.shows_sample:
            return
        sample = practising.samples.shown_start
        self.board.resize(*self.face.compact_layout(self.look.can_draw_pieces))
        view = PositionView(flipped=sample is not None and sample.learner == "black", idle=True)
        position = None if sample is None else sample.position
        self.board.view = self.face.board_view(position, (), view)
        self.query_one("#start", Lines).show(words.start(sample, chooser))

    def on_resize(self) -> None:
        """Update the choices; high screens keep a row free for messages."""
        self.strip.reserved = self.size.height >= 24
        self.strip.show_job(self.jobs.job)
        # After the layout, which sets the size classes that shows_sample reads.
        self.call_after_refresh(self.show_choices)

    def label(self, key: Key) -> str:
        """Name of a key in the last row."""
        if key.id == LESSON.id and not self._has_lesson:
            return ""
        if self.has_class("-narrow") and key.id in _SHORT:
            return _SHORT[key.id]
        return super().label(key)

    # Lists and layers

    @on(Rows.Pointed)
    def _pointed(self, event: Rows.Pointed) -> None:
        # The focus alone is not an action of the user, and must not clear the message.
        if event.entered:
            return
        # The list has keys of text, the choices have numbers.
        if isinstance(event.key, str):
            self.practising.go(event.key)
        elif isinstance(event.key, int):
            self.practising.point(event.key)

    @on(ChoiceList.Changed)
    def _changed(self, event: ChoiceList.Changed) -> None:
        self.action_change(event.by)

    @on(Rows.Chosen)
    def _chosen(self) -> None:
        self.action_begin()

    @on(LastRow.Cancelled)
    def _prompt_left(self) -> None:
        self.practising.cancel_search()

    # Keys

    def action_begin(self) -> None:
        """Start a session of the chosen drills."""
        self.say()
        self.practising.start()

    def action_change(self, by: int) -> None:
        """Change the choice under the cursor, or the mode."""
        self.say()
        self.practising.change(by)

    def action_open_set(self) -> None:
        """Expand or collapse the set."""
        self.say()
        self.practising.open()

    def action_move_window(self, by: int) -> None:
        """Move the window of layers."""
        self.say()
        self.practising.move(by)

    def action_widen_window(self, by: int) -> None:
        """Widen or narrow the window of layers."""
        self.say()
        self.practising.widen(by)

    def action_add(self) -> None:
        """Ask for a position, or a file with positions, to add to your own."""
        self.say()
        self.practising.add()

    def action_find(self) -> None:
        """Ask for a name; the cursor follows while it is typed."""
        self.say()
        self.practising.find()

    def action_another(self) -> None:
        """Show another sample position."""
        self.say()
        self.practising.another()

    def action_explore_here(self) -> None:
        """Open the sample position in Explore."""
        self.say()
        self.practising.send()

    def action_lesson(self) -> None:
        """Open the lesson of the selected study."""
        self.say()
        self.practising.read_lesson()

    def action_delete(self) -> None:
        """Ask, then delete a position, set or theme of your own."""
        self.say()
        self.practising.delete()

    def action_export(self) -> None:
        """Ask for a file and write the set or study under the cursor into it."""
        self.say()
        self.practising.export()

    def action_build_set(self) -> None:
        """Offer to build the missing tables of the row."""
        self.say()
        self.practising.build()

    def action_leave(self) -> None:
        """Clear the notice and focus the list."""
        self.say()
        self.practising.back()
        self._focus(self.courses)

    def action_choice(self, number: int) -> None:
        """Move the cursor to the first or last choice."""
        if self.setup.has_focus:
            self.setup.move_cursor(self.setup.keys[number])

    def action_panel(self, by: int) -> None:
        """Focus the next panel; on narrow screens it replaces the list."""
        panels: list[Widget] = [self.courses, self.setup]
        if self.practising.chooser.window.layers:
            panels.append(self.window)
        index = next((number for number, panel in enumerate(panels) if panel.has_focus), 0)
        self._focus(panels[(index + by) % len(panels)])

    def _focus(self, panel: Widget) -> None:
        # On narrow screens this class hides the list and shows the choices.
        self.set_class(panel is not self.courses, "-how")
        self.set_focus(panel)


def _warm_up() -> None:
    """Import what the first drill needs, in a thread, so that it starts at once."""
    import fsrs
    import numpy

    del fsrs, numpy
