"""Progress: what was practised, what is due, what is hard, and a review of any past attempt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType
from textual.message import Message

from endgame_core.errors import EndgameError, StorageError
from endgame_core.practice.exchange import export_file, import_lines
from endgame_core.practice.records import Record
from endgame_core.practice.stats import progress
from endgame_core.practice.theme import game_of
from endgame_core.words import progress as words
from endgame_core.words.progress import Found, is_drill
from endgame_tui.screens.progress_keys import BINDINGS
from endgame_tui.screens.progress_view import ProgressView
from endgame_tui.widgets.panel import Panel
from endgame_tui.widgets.question import Choice

if TYPE_CHECKING:
    from endgame_tui.screens.attempts import AttemptsScreen, Wanted
    from endgame_tui.screens.replay import ReplayScreen

EXPORT = "endgame-journal.jsonl"
"""The name that is proposed for an export."""

WINDOWS = (1, 2, 6, 13, 26, 52, 104, 520)
"""Numbers of weeks one can choose."""


class ProgressScreen(ProgressView):
    """The figures of the journal."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    @dataclass
    class Loaded(Message):
        """The journal was read, or could not be."""

        request: int
        found: Found | None
        problem: EndgameError | None

    @dataclass
    class Done(Message):
        """An export or import is over.

        Attributes:
            words: What to say.
            role: Role of the words' colour.
            changed: Whether the journal has changed.
        """

        words: str
        role: str
        changed: bool = False

    def __init__(self) -> None:
        super().__init__()
        self._request = 0

    def on_mount(self) -> None:
        """Says where we are."""
        self._seen = self.session.changes

    def resumed(self) -> None:
        """Reads the journal anew: other screens may have written to it."""
        self.load()

    # Reading the journal

    def load(self) -> None:
        """Reads the journal in a thread."""
        self._request += 1
        request, weeks, back = self._request, self._weeks, self._back
        self.run_worker(lambda: self._read(request, weeks, back), name="progress", group="progress", thread=True)

    def _read(self, request: int, weeks: int, back: int) -> None:
        """Runs in a thread."""
        found: Found | None = None
        problem: EndgameError | None = None
        try:
            journal = self.session.journal
            cards = tuple(card for card in journal.cards() if game_of(card.ending) == self.GAME)
            found = Found(progress(journal, weeks, back, game=self.GAME), cards)
        except EndgameError as error:
            problem = error
        self.post_message(self.Loaded(request, found, problem))

    @on(Loaded)
    def _loaded(self, event: Loaded) -> None:
        if event.request != self._request:
            return
        if event.found is not None:
            self._found = event.found
            self.show()
            if self._asking is None and self.app.screen is self:
                self.focus_home()
        notice = self.session.journal.take_notice()
        if notice:
            self.say(notice, "loss")
        elif event.problem is not None:
            self.complain(event.problem)

    def action_widen(self, steps: int) -> None:
        """Counts fewer or more weeks."""
        at = min(max(WINDOWS.index(self._weeks) + steps, 0), len(WINDOWS) - 1)
        self._weeks = WINDOWS[at]
        self._turn()

    def action_weeks_back(self, steps: int) -> None:
        """Counts the weeks before those, or after them."""
        self._back = max(self._back + steps * self._weeks, 0)
        self._turn()

    def _turn(self) -> None:
        self.hush()
        self.load()

    # Panels

    def action_next_panel(self, steps: int) -> None:
        """Goes to the next panel, or to the one before."""
        self.hush()
        names = self.panels()
        if names:
            at = names.index(self._panel) + steps if self._panel in names else 0
            self.set_focus(self.panel(names[at % len(names)]))

    def action_back(self) -> None:
        """Takes the sentence away, goes to the first panel."""
        self.hush()
        self._panel = ""
        self.focus_home()

    @on(Panel.Chosen)
    async def _chosen(self, event: Panel.Chosen) -> None:
        name, number = event.panel.id or "", event.number
        if theme := self.theme_at(name, number):
            if is_drill(theme.theme):
                await self._drill(theme.theme)
            else:
                self.action_review()
        elif record := self.record_at(name, number):
            self.app.push_screen(self.replay_screen(record))
        elif name == "due":
            await self._drill_due(number)
        elif name == "days":
            self.action_review()

    async def _drill_due(self, ahead: int) -> None:
        """All that is due now; of another day the first theme."""
        cards = self._found.due_on(ahead) if self._found is not None else []
        if not cards:
            self.say("nothing is due then.")
        else:
            await self._drill("" if ahead == 0 else cards[0].theme)

    async def _drill(self, theme: str) -> None:
        """Has the Practise screen drill a theme; what is due when it is empty."""
        self.session.drill = theme
        await self.app.run_action("screen('practise')")

    def action_review(self) -> None:
        """Shows the attempts: of the theme, ending or day under the cursor, else all."""
        if self._found is None:
            return
        try:
            known = bool(self.session.journal.attempts(game=self.GAME, most=1))
        except EndgameError as problem:
            self.complain(problem)
            return
        if not known:
            self.say("there is no attempt to review yet.")
            return
        self.hush()
        self.app.push_screen(self.attempts_screen(self._wanted()))

    def attempts_screen(self, wanted: Wanted) -> AttemptsScreen:
        """The list of attempts."""
        from endgame_tui.screens.attempts import AttemptsScreen

        return AttemptsScreen(wanted)

    def replay_screen(self, record: Record) -> ReplayScreen:
        """The screen of one attempt."""
        from endgame_tui.screens.replay import ReplayScreen

        return ReplayScreen(record)

    def _wanted(self) -> Wanted:
        from endgame_tui.screens.attempts import Wanted

        assert self._found is not None
        found, name = self._found.progress, self._panel
        number = self.panel(name).cursor if name else 0
        theme = self.theme_at(name, number)
        if theme is not None and name == "solved":
            return Wanted(ending=theme.ending)
        if theme is not None:
            return Wanted(theme=theme.theme, ending=theme.ending, label=theme.label)
        if name == "days":
            return Wanted(day=found.first + number)
        return Wanted()

    # Export and import

    def action_export(self) -> None:
        """Asks for a file, and writes the journal into it."""
        self.hush()
        self.prompt("Export to", "a file; JSON, a line for each attempt", self._export_to, EXPORT)

    def _export_to(self, text: str) -> None:
        if not text:
            raise StorageError("nothing was typed", "type the name of a file")
        file = Path(text).expanduser().absolute()
        if file.is_dir():
            file /= EXPORT
        if not file.parent.is_dir():
            raise StorageError(f"there is no directory {file.parent}", "choose another")
        if file.exists():
            write = Choice("y", "y", "replace", lambda: self._export(file))
            self.question(f"{file.name} is there already: replace it?", write)
        else:
            self._export(file)

    def _export(self, file: Path) -> None:
        self.say("writing …")
        self.run_worker(lambda: self._write(file), name="export", group="exchange", thread=True)

    def _write(self, file: Path) -> None:
        """Runs in a thread."""
        try:
            records = export_file(self.session.journal, file) - 1
        except EndgameError as problem:
            self.post_message(self.Done(str(problem), "loss"))
        else:
            self.post_message(self.Done(words.exported(records, file), "win"))

    def action_import(self) -> None:
        """Asks for a file, and adds what is new in it."""
        self.hush()
        self.prompt("Import from", "a file that o has written", self._import_from)

    def _import_from(self, text: str) -> None:
        file = Path(text or ".").expanduser().absolute()
        if not file.is_file():
            raise StorageError(f"{text or 'nothing'} is no file", "type the name of an exported journal")
        self.say("reading …")
        self.run_worker(lambda: self._take(file), name="import", group="exchange", thread=True)

    def _take(self, file: Path) -> None:
        """Runs in a thread."""
        try:
            # What is no UTF-8 comes in as surrogates, which make their line a bad one, and no other.
            with file.open(encoding="utf-8", errors="surrogateescape") as lines:
                done = import_lines(self.session.journal, lines)
        except EndgameError as problem:
            self.post_message(self.Done(str(problem), "loss", changed=True))
        except OSError as error:
            self.post_message(self.Done(f"{file} cannot be read ({error.strerror}).", "loss"))
        else:
            self.post_message(self.Done(words.imported(done), "loss" if done.bad else "win", changed=True))

    @on(Done)
    def _done(self, event: Done) -> None:
        if event.changed:
            self.load()
        self.say(event.words, event.role)
