"""Practise: choose what to drill, and how, in either game."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import ScreenResume
from textual.widget import Widget

from endgame_core.practice.course import Course
from endgame_core.tasks.choosing import DUE, Chooser
from endgame_core.words import practice as words
from endgame_tui.faces import View
from endgame_tui.host import Request
from endgame_tui.jobs import Wish
from endgame_tui.practising import Practising
from endgame_tui.screens.base import BaseScreen
from endgame_tui.widgets.ask import LastRow
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.charts import WindowChart
from endgame_tui.widgets.courses import CourseList, HowPanel
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import Rows

_SHORT: Final = {"practise.next-panel": "how", "practise.add": "add"}
"""What keys are called on the smallest screens."""


class PractiseScreen(BaseScreen):
    """Sets, themes and studies; the mode; the window of layers."""

    TASK = "practise"
    CSS_PATH = "practise.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-low"), (22, "-middle"), (30, "-tall"), (38, "-grand")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("tab", "panel(1)", "List, mode, layers", id="practise.next-panel", short="set, mode, layers", rank=1,
            priority=True),
        Key("shift+tab", "panel(-1)", "Panel before", id="practise.previous-panel", priority=True),
        Key("less_than_sign", "do('widen', -1)", "Narrow the window of layers", id="practise.narrow"),
        Key("greater_than_sign", "do('widen', 1)", "Widen the window of layers", id="practise.widen"),
        Key("plus", "do('add')", "Add a position or a file", id="practise.add", short="add a position", rank=1,
            priority=True, typing=True),
        Key("slash,colon", "do('find')", "Find a set, study, ending", id="practise.find", short="find", rank=3,
            priority=True, typing=True),
        Key("n", "do('another')", "Another start", id="practise.another", short="another start", rank=3),
        Key("s", "do('send')", "See the start in Explore", id="practise.send"),
        Key("d", "do('delete')", "Delete your own", id="practise.delete", priority=True),
        Key("b", "do('build')", "Build what is missing", id="practise.build", priority=True),
        Key("escape", "do('back')", "Back to the list", id="practise.back"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.courses, self.how = CourseList(id="courses", steady=True), HowPanel(id="chosen")
        self.board = Board(id="board")
        self.board.can_focus = False
        self._practising: dict[str, Practising] = {}

    @property
    def practising(self) -> Practising:
        """What is chosen in the game at hand."""
        if self.game not in self._practising:
            lab, explorer = self.lab, self.lab.explorer_of(self.game)
            course = Course(explorer.game, explorer.library, lab.studies(self.game), lab.journal, lab.schedule)
            made = Practising(Chooser(course, explorer, self.host.rng), self, self.show_choices)
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
            yield self.how

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
        """Begins a drill that another screen wants: of a theme by its key, or of all that is due."""
        if request.text is None:
            return
        key = request.text or DUE
        self.practising.go(key)
        if self.practising.chooser.entry.key == key:
            self.practising.start()
        else:
            self.say(words.GONE)

    def tables_changed(self) -> None:
        """Asks the tables anew."""
        for practising in self._practising.values():
            practising.chooser.forget()
        self.show()

    def ended(self, wish: Wish) -> None:
        """Says that all is built."""
        if self.jobs.job is None:
            self.say(words.built(len(wish.endings)), "win")

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
        chooser = practising.chooser
        if chooser.entry.key != self.courses.cursor:
            self.courses.show_courses(chooser)
        self.how.show(chooser, practising.said)
        if not practising.shows_sample:
            return
        sample = chooser.sample()
        self.board.resize(*self.face.small(look.palette.coloured and look.glyphs.unicode))
        view = View(flipped=sample is not None and sample.learner == "black", idle=True)
        self.board.view = self.face.picture(None if sample is None else sample.position, (), view)
        self.query_one("#start", Lines).show(words.start(sample, chooser))

    def on_resize(self) -> None:
        """Where rows are plenty, one is kept free for what is said."""
        self.strip.kept = self.size.height >= 24
        self.strip.follow(self.jobs.job)
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

    @on(WindowChart.Moved)
    def _window_moved(self, event: WindowChart.Moved) -> None:
        self.practising.move(event.by)

    @on(WindowChart.Widened)
    def _window_widened(self, event: WindowChart.Widened) -> None:
        self.practising.widen(event.by)

    @on(Rows.Chosen)
    @on(WindowChart.Chosen)
    def _chosen(self) -> None:
        self.practising.start()

    @on(LastRow.Left)
    def _given_up(self) -> None:
        self.practising.give_up()

    def action_do(self, what: str, *args: Any) -> None:
        """What one does with what is chosen."""
        getattr(self.practising, what)(*args)
        if what == "back":
            self._to(self.courses)

    def action_panel(self, by: int) -> None:
        """Goes to the next panel; on small screens it takes the place of the list."""
        panels: list[Widget] = [self.courses, self.how.setup]
        if self.practising.chooser.window.layers:
            panels.append(self.how.window)
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
