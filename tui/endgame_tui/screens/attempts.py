"""Attempts: all that were made, newest first, or those of one theme or ending."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message

from endgame_core.errors import EndgameError
from endgame_core.practice.journal import day_of
from endgame_core.practice.records import Record
from endgame_core.words.progress import about_attempt, day_words
from endgame_tui import progress as scenes
from endgame_tui.screens.pictured import Pictured
from endgame_tui.screens.replay import ReplayScreen
from endgame_tui.widgets.about import About, AboutView
from endgame_tui.widgets.attempts import AttemptsPanel
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.panel import Panel
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question

KEYS = (("Enter", "review it"), ("a", "all attempts"), ("↑ ↓", "choose"), ("Esc", "back"))
SMALL_KEYS = (("Enter", "review"), ("Esc", "back"))

PAGE = 200
"""Attempts that are read at once."""

SIDE = 110
"""From this width on there is a board beside the list."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which attempts are shown; empty fields mean all.

    Attributes:
        theme: Only of this theme.
        ending: Only of this ending.
        label: The theme in words.
        day: Only of this day and before.
    """

    theme: str = ""
    ending: str = ""
    label: str = ""
    day: int | None = None

    def words(self, today: int) -> str:
        """What is shown, in a few words."""
        if self.day is not None:
            return f"to {day_words(self.day, today, exact=True)}"
        return f"{self.ending} {self.label}".strip() or "all"

    @property
    def before(self) -> float | None:
        """The end of the day, in seconds since 1970."""
        if self.day is None:
            return None
        return datetime.combine(date.fromordinal(self.day + 1), time()).timestamp()


class AttemptsScreen(Pictured):
    """A list of attempts.

    Args:
        wanted: Which ones.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "all", "All attempts", show=False, id="attempts.all"),
        Binding("escape", "back", "Back to the figures", show=False, id="attempts.back"),
    ]

    @dataclass
    class Loaded(Message):
        """A page of attempts was read, or could not be.

        Attributes:
            wanted: What had been asked for.
            records: The attempts.
            last: When the last one that was looked at began; None when there are no more.
            problem: Why they could not be read.
        """

        wanted: Wanted
        records: list[Record]
        last: float | None
        problem: EndgameError | None = None

    def __init__(self, wanted: Wanted) -> None:
        super().__init__()
        self._wanted = wanted
        self._records: list[Record] = []
        self._next: float | None = None
        self._reading = False

    def compose(self) -> ComposeResult:
        """The list; a board and facts about the attempt under the cursor."""
        yield TopBar("progress", id="top")
        attempts = AttemptsPanel((), id="attempts")
        attempts.title = "Attempts"
        yield attempts
        yield self.make_board()
        yield About(id="about")
        yield JobStrip(id="strip")
        yield KeyBar(KEYS, KEYS, SMALL_KEYS, id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")

    def on_mount(self) -> None:
        """Reads the first page."""
        self._seen = self.session.changes
        self._crumbs()
        self.fit()
        self._read(self._wanted.before)

    def regions(self, size: Size) -> dict[str, Region]:
        """The list, and right of it a board with facts, or facts below."""
        width, height = size
        regions = {"top": Region(0, 0, width, 1), "keys": Region(0, height - 1, width, 1)}
        bottom = max(height - 2, 1)
        if self.has_strip:
            regions["strip"] = Region(0, bottom, width, 1)
        top = 2 if height >= 16 else 1
        if width >= SIDE and bottom - top >= 26:
            left = width - 44
            regions["attempts"] = Region(1, top, left - 4, bottom - top)
            if self._records:
                regions["board"] = Region(left, top, 35, 18)
            regions["about"] = Region(left, top + 19, width - 1 - left, bottom - top - 19)
            return self.bottom(regions)
        if bottom - top >= 6:
            bottom -= 1
            regions["about"] = Region(1, bottom, width - 2, 1)
            bottom -= height >= 16
        regions["attempts"] = Region(1, top, max(width - 2, 1), max(bottom - top, 1))
        return self.bottom(regions)

    def fit(self) -> None:
        """Gives the board small cells."""
        self.fit_small_board(3)
        self._show_about()

    def focus_home(self) -> None:
        """The list has the focus."""
        self.set_focus(self.query_one(AttemptsPanel))

    # Reading

    def _read(self, before: float | None) -> None:
        """Reads a page in a thread."""
        self._reading = True
        wanted = self._wanted
        self.run_worker(lambda: self._page(wanted, before), name="attempts", group="attempts", thread=True)

    def _page(self, wanted: Wanted, before: float | None) -> None:
        """Runs in a thread."""
        found: list[Record] = []
        last = before
        try:
            while len(found) < PAGE:
                page = self.session.journal.attempts(theme=wanted.theme, game=self.GAME, most=PAGE, before=last)
                found += [record for record in page if wanted.theme or wanted.ending in ("", record.ending)]
                last = page[-1].started if len(page) == PAGE else None
                if last is None:
                    break
        except EndgameError as problem:
            self.post_message(self.Loaded(wanted, found, None, problem))
        else:
            self.post_message(self.Loaded(wanted, found, last))

    @on(Loaded)
    def _loaded(self, event: Loaded) -> None:
        if event.wanted != self._wanted:
            return
        self._reading = False
        first = not self._records
        self._records += event.records
        self._next = event.last
        today = day_of(self.session.journal.clock())
        self.query_one(AttemptsPanel).show(scenes.attempts_view(self._records, today), 0 if first else None)
        if first:
            self.relayout()
            self.focus_home()
        self._show_about()
        if event.problem is not None:
            self.complain(event.problem)
        elif not self._records:
            self.say("no attempt yet.")

    @on(Panel.Pointed)
    def _pointed(self, event: Panel.Pointed) -> None:
        self._show_about()
        if self._next is not None and not self._reading and event.number >= len(self._records) - PAGE // 4:
            self._read(self._next)

    def _crumbs(self) -> None:
        today = day_of(self.session.journal.clock())
        words = self.look.glyphs.plain(self._wanted.words(today))
        self.query_one(TopBar).crumbs = ("Progress", "attempts", words)

    def _show_about(self) -> None:
        number = self.query_one(AttemptsPanel).cursor
        about = AboutView()
        if number < len(self._records):
            today, game = day_of(self.session.journal.clock()), self.session.explorer_of(self.GAME).game
            told = replace(about_attempt(self._records[number], today, game), keys=("review it", ""))
            about = scenes.pictured(told, self.GAME)
        self.query_one(About).view = about
        self.show_picture(about.board)

    # Keys

    @on(Panel.Chosen)
    def _chosen(self, event: Panel.Chosen) -> None:
        self.hush()
        self.app.push_screen(self.replay_screen(self._records[event.number]))

    def replay_screen(self, record: Record) -> ReplayScreen:
        """The screen of one attempt."""
        return ReplayScreen(record)

    def action_all(self) -> None:
        """Shows the attempts of all themes."""
        if self._wanted != Wanted():
            self._wanted, self._records = Wanted(), []
            self.hush()
            self._crumbs()
            self._read(None)

    def action_back(self) -> None:
        """Goes back to the figures."""
        self.dismiss()
