"""What the Progress screen shows: its widgets, where they stand, what each is given."""

from __future__ import annotations

from typing import Any, cast

from textual import on
from textual.app import ComposeResult
from textual.geometry import Region, Size

from endgame_core.practice.records import JournalError, Record
from endgame_core.practice.stats import WEEKS, ThemeCount, last_of
from endgame_core.words import progress as words
from endgame_core.words.progress import Found
from endgame_tui import progress as scenes
from endgame_tui.screens.pictured import Pictured
from endgame_tui.screens.progress_keys import EMPTY_KEYS, SMALL_KEYS, keys_for
from endgame_tui.screens.progress_plan import plan
from endgame_tui.widgets.about import About, AboutView
from endgame_tui.widgets.attempts import AttemptsPanel
from endgame_tui.widgets.days import DaysPanel, DaysView
from endgame_tui.widgets.due import DuePanel
from endgame_tui.widgets.figures import FiguresRow
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.hardest import HardestPanel
from endgame_tui.widgets.lost import LostPanel
from endgame_tui.widgets.panel import Panel
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.solved import SolvedPanel
from endgame_tui.widgets.welcome import Welcome

PANELS = ("hardest", "last", "solved", "days", "lost", "due")
"""The panels in the order of Tab."""

FRAME = frozenset({"top", "keys", "strip"})
"""What is there when nothing was practised yet."""


class ProgressView(Pictured):
    """Shows what the journal says; the keys are in the class that extends it."""

    def __init__(self) -> None:
        super().__init__()
        self._found: Found | None = None
        self._weeks, self._back = WEEKS, 0
        self._panel = ""
        self._has_board = True

    def compose(self) -> ComposeResult:
        """All widgets; the plan decides which of them are seen."""
        yield TopBar("progress", id="top")
        yield FiguresRow(id="figures")
        yield SolvedPanel((), id="solved")
        yield DaysPanel(DaysView(), id="days")
        yield LostPanel((), id="lost")
        yield DuePanel((), id="due")
        yield HardestPanel((), id="hardest")
        yield AttemptsPanel((), id="last")
        yield self.make_board()
        yield About(id="about")
        yield Welcome(id="welcome")
        yield JobStrip(id="strip")
        yield KeyBar(*keys_for("drill it", "review attempts"), SMALL_KEYS, id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")

    def regions(self, size: Size) -> dict[str, Region]:
        """The plan; without anything practised, words in the place of the panels."""
        regions = plan(size.width, size.height, strip=self.has_strip)
        if self._found is not None and self._found.is_empty:
            regions = {name: region for name, region in regions.items() if name in FRAME}
            regions["welcome"] = Region(1, 2, max(size.width - 2, 1), max(size.height - 4, 1))
        elif self._found is None:
            regions = {name: region for name, region in regions.items() if name in FRAME}
        elif not self._has_board:
            regions.pop("board", None)
        return self.bottom(regions)

    def fit(self) -> None:
        """Gives the board small cells; a panel that is gone gives the focus back."""
        self.fit_small_board(0)
        if self._found is not None:
            if self._panel and self._panel not in self.panels() and self._asking is None:
                self.focus_home()
            self._show_about()

    # Panels

    def panel(self, name: str) -> Panel[Any]:
        """A panel by its name."""
        return cast("Panel[Any]", self.query_one(f"#{name}"))

    def panels(self) -> list[str]:
        """The panels on the screen that have anything to point at."""
        shown = self.regions(self.size)
        return [name for name in PANELS if name in shown and self.panel(name).count]

    def focus_home(self) -> None:
        """The panel that had the focus last, else the first one."""
        names = self.panels()
        if names:
            self.set_focus(self.panel(self._panel if self._panel in names else names[0]))
        else:
            self.set_focus(None)

    @on(Panel.Pointed)
    def _pointed(self, event: Panel.Pointed) -> None:
        if event.panel.has_focus:
            self._panel = event.panel.id or ""
            if not event.entered:
                self.hush()
            self._show_about()

    # What is shown

    def show(self) -> None:
        """Shows what was found."""
        found = self._found
        if found is None:
            return
        progress, first = found.progress, not self._panel
        window = "Progress" if found.is_empty else words.window(progress, self._weeks, self._back)
        self.query_one(TopBar).crumbs = self.crumbs(window)
        self.query_one(FiguresRow).view = words.figures(progress)
        self.panel("solved").show(scenes.solved_view(progress))
        self._show_newest("days", scenes.days_view(progress), first)
        self._show_newest("lost", scenes.lost_view(found), first)
        self.panel("due").show(scenes.due_view(progress))
        self.panel("hardest").show(scenes.hardest_view(progress))
        self.panel("last").show(scenes.attempts_view(progress.recent, progress.today))
        self.relayout()
        self._show_about()

    def _show_newest(self, name: str, view: Any, first: bool) -> None:
        """Shows a panel whose newest item is the last; the cursor stays there when it was there."""
        panel = self.panel(name)
        panel.show(view, 999_999 if first or panel.cursor >= panel.count - 1 else None)

    def _show_about(self) -> None:
        """Says what the item under the cursor is, and what the keys do there."""
        about = self.about()
        self.query_one(About).view = about
        self.show_picture(about.board)
        if self._has_board != (about.board is not None):
            self._has_board = about.board is not None
            self.relayout()
        empty = self._found is not None and self._found.is_empty
        self.query_one(KeyBar).offer(*(EMPTY_KEYS if empty else (*keys_for(*about.keys), SMALL_KEYS)))

    def about(self) -> AboutView:
        """About the item under the cursor of the panel with the focus."""
        return scenes.pictured(self._about(), self.GAME)

    def _about(self) -> words.About:
        found = self._found
        if found is None or found.is_empty:
            return words.About()
        progress, game, name = found.progress, self.session.explorer_of(self.GAME).game, self._panel
        number = self.panel(name).cursor if name else 0
        if theme := self.theme_at(name, number):
            last = self._last_of(theme.theme)
            if name == "solved":
                return words.about_ending(progress.endings[number], theme, last, game)
            return words.about_theme(theme, progress.today, last, game)
        if record := self.record_at(name, number):
            return words.about_attempt(record, progress.today, game)
        if name == "days" and number < len(progress.days):
            return words.about_day(progress.first + number, progress.days[number], progress.today)
        if name == "due":
            cards = found.due_on(number)
            last = self._last_of(cards[0].theme) if cards else None
            minutes = progress.minutes if number == 0 else None
            return words.about_due(cards, words.due_names(progress)[number], minutes, last, game)
        return words.About()

    def theme_at(self, name: str, number: int) -> ThemeCount | None:
        """The theme that an item of a panel stands for: itself, or the hardest of an ending."""
        if self._found is None:
            return None
        progress = self._found.progress
        if name == "hardest" and number < len(progress.themes):
            return progress.themes[number]
        if name == "solved" and number < len(progress.endings):
            return self._found.hardest_of(progress.endings[number].name)
        return None

    def record_at(self, name: str, number: int) -> Record | None:
        """The attempt that an item of a panel stands for."""
        if self._found is None:
            return None
        records = {"last": self._found.progress.recent, "lost": self._found.columns}.get(name, ())
        return records[number] if number < len(records) else None

    def _last_of(self, theme: str) -> Record | None:
        """The last attempt of a theme, for its start; only where the board is shown."""
        if "board" not in plan(*self.size, strip=False):
            return None
        try:
            found = last_of(self.session.journal, theme, 1)
        except JournalError:
            return None  # the next load says what is wrong
        return found[0] if found else None
