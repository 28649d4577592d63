"""What the Practise screen shows: its widgets, where they stand, what each is given."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.widget import Widget

from endgame_core.practice.course import Course
from endgame_core.practice.records import JournalError
from endgame_core.words.told import Note
from endgame_tui import practise_scenes as scenes
from endgame_tui.look import Look
from endgame_tui.practising import Chooser
from endgame_tui.screens.pictured import Pictured
from endgame_tui.screens.practise_keys import KEYS, SMALL_KEYS, WIDE_KEYS
from endgame_tui.screens.practise_plan import SMALL, plan
from endgame_tui.widgets.courses import CourseList
from endgame_tui.widgets.drill_setup import DrillSetup
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.notes import Notes
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.window import WindowPanel


class PractiseView(Pictured):
    """Shows what is chosen; the keys are in the class that extends it."""

    def __init__(self) -> None:
        super().__init__()
        self._chooser: Chooser | None = None
        self._on_list = True
        self._shape: tuple[int, bool] = (3, True)
        self._said: tuple[Note, ...] = ()
        self._before: tuple[str, frozenset[str]] | None = None

    @property
    def chooser(self) -> Chooser:
        """What is chosen."""
        if self._chooser is None:
            session, explorer = self.session, self.session.explorer_of(self.GAME)
            studies = session.studies_of(self.GAME)
            course = Course(explorer.game, explorer.library, studies, session.journal, session.schedule)
            self._chooser = Chooser(course, explorer, session.rng)
            self.look_up()
        return self._chooser

    @property
    def drawn_in(self) -> Look:
        """The palette and glyphs of the app."""
        return self.query_one(TopBar).look

    def compose(self) -> ComposeResult:
        """All widgets; the plan decides which of them are seen."""
        yield TopBar("practise", id="top")
        yield Notes(id="header")
        yield CourseList(id="courses")
        yield DrillSetup(id="setup")
        yield WindowPanel(id="window")
        yield Notes(id="facts")
        yield Notes(id="modes")
        yield self.make_board()
        yield Notes(id="start")
        yield JobStrip(id="strip")
        yield KeyBar(WIDE_KEYS, KEYS, SMALL_KEYS, id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")

    def look_up(self) -> None:
        """Looks up all figures; says so when the journal cannot be read."""
        assert self._chooser is not None
        try:
            self._chooser.course.refresh()
        except JournalError as problem:
            self.complain(problem)
        self.say_notice()

    def say_notice(self) -> None:
        """Says what has befallen the journal, once."""
        if notice := self.session.journal.take_notice():
            self.say(notice, "loss")

    # Where everything stands

    def regions(self, size: Size) -> dict[str, Region]:
        """The plan for what is chosen."""
        rows, window = self._shape
        found = plan(
            size.width, size.height, strip=self.has_strip, rows=rows, window=window, list_first=self._on_list
        )  # fmt: skip
        return self.bottom(found)

    def fit(self) -> None:
        """Gives the board its cells, the figures their width."""
        self.fit_small_board(3)
        if self._chooser is not None:
            self.show_choices()

    @property
    def is_small(self) -> bool:
        """Whether list and choices do not fit beside one another."""
        return self.size.width < SMALL

    # What is shown

    def show(self) -> None:
        """Shows everything."""
        chooser, glyphs = self.chooser, self.drawn_in.glyphs
        self.query_one(TopBar).crumbs = self.crumbs("Choose a drill")
        self.query_one("#header", Notes).view = scenes.header(chooser.course, glyphs)
        self.query_one(CourseList).view = scenes.courses(chooser)
        self.show_choices()

    def show_choices(self) -> None:
        """Shows what belongs to the row with the cursor."""
        chooser, glyphs = self.chooser, self.drawn_in.glyphs
        setup = scenes.setup(chooser)
        window = scenes.window(chooser, glyphs)
        shape = (len(setup.rows), chooser.entry.theme is not None)
        if shape != self._shape:
            self._shape = shape
            self.relayout()
        panel = self.query_one(DrillSetup)
        panel.view, panel.right = setup, scenes.setup_right(chooser)
        self.query_one(WindowPanel).view = window
        room = self.regions(self.size).get("facts", Region(0, 0, 34, 6))
        now = self.session.journal.clock()
        said = self._said or scenes.facts(chooser, room.width, room.height, now)
        self.query_one("#facts", Notes).view = said
        self.query_one("#modes", Notes).view = scenes.modes(chooser)
        self.show_sample()

    def show_sample(self) -> None:
        """Shows one start, where there is room for a board."""
        if "board" not in self.regions(self.size):
            return
        sample, glyphs = self.chooser.sample(), self.drawn_in.glyphs
        self.show_picture(scenes.board(sample, self.speech))
        self.query_one("#start", Notes).view = scenes.start(sample, self.chooser, glyphs)

    def panels(self) -> list[Widget]:
        """The panels that keys can go to, in order."""
        found: list[Widget] = [self.query_one(CourseList), self.query_one(DrillSetup)]
        view = self.query_one(WindowPanel).view
        return [*found, self.query_one(WindowPanel)] if view.counts and self._shape[1] else found

    def focus_home(self) -> None:
        """The list has the focus."""
        self._on_list = True
        self.set_focus(self.query_one(CourseList))
