"""Library: every ending of a game, its price, and what has been built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget

from endgame_core.errors import EndgameError
from endgame_core.games import metrics_of
from endgame_core.tables.library import Library
from endgame_core.tasks.shelf import Shelf
from endgame_core.words import tables as words
from endgame_core.words.told import Note, Word
from endgame_tui.host import Request
from endgame_tui.jobs import Job, Wish
from endgame_tui.screens.base import BaseScreen
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.endings import EndingDetail, Endings
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import Rows

SAMPLES = 1000
"""Positions that verifying derives anew."""


class LibraryScreen(BaseScreen):
    """The catalogue of endings."""

    TASK = "library"
    PANELS = (Endings,)
    CSS_PATH = "library.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("z", "metric", "Tables by DTM or by DTZ", games=("chess",), id="library.metric", short="DTZ"),
        Key("v", "verify", "Verify the table", id="library.verify", short="verify"),
        Key("d", "delete", "Delete the table", priority=True, id="library.delete", short="delete", rank=3),
        Key("m", "build_set", "Build all of 3, 4 or 5 men", priority=True, id="library.set", short="set"),
        Key("y", "syzygy", "Syzygy files", games=("chess",), id="library.syzygy", short="Syzygy"),
        Key(
            "slash,colon", "find", "Find an ending", id="library.find", short="find", rank=1, priority=True,
            typing=True,
        ),
        Key("escape", "back", "Back to the list", id="library.back"),
    ]  # fmt: skip

    @dataclass
    class Checked(Message):
        """A verification has got on, or is over."""

        text: str
        role: str
        over: bool = False

        def can_replace(self, message: Message) -> bool:
            """Progress still in the queue is out of date."""
            return isinstance(message, LibraryScreen.Checked) and not message.over

    def __init__(self) -> None:
        super().__init__()
        self._shelves: dict[str, Shelf] = {}
        self._verifying = False

    def body(self) -> ComposeResult:
        """Summary, list and detail."""
        yield Lines(id="summary", indent=1)
        with Horizontal(id="main"):
            yield Endings(id="endings", steady=True)
            yield EndingDetail(id="detail")

    def on_mount(self) -> None:
        """Shows the endings of the game at hand."""
        self.show()
        self.set_focus(self.home())

    def on_resize(self) -> None:
        """Where rows are plenty, one is kept free for what is said."""
        self.strip.kept = self.size.height >= 24
        self.strip.follow(self.jobs.job)

    def home(self) -> Widget:
        """The list has the focus."""
        return self.query_one(Endings)

    # What is shown

    @property
    def shelf(self) -> Shelf:
        """The endings of the game; at first the cursor is on the one being built."""
        if self.game not in self._shelves:
            metrics, job = metrics_of(self.game), self.jobs.job
            first = job.wanted[-1] if job is not None and job.metric in metrics else None
            self._shelves[self.game] = Shelf([self.lab.library(metric) for metric in metrics], first)
        return self._shelves[self.game]

    @property
    def _job(self) -> Job | None:
        """The build under way, when it is by the metric in hand."""
        job = self.jobs.job
        return job if job is not None and job.metric == self.shelf.catalogue.metric else None

    def show(self) -> None:
        """Shows everything."""
        shelf, catalogue = self.shelf, self.shelf.catalogue
        metric = (f"by {catalogue.metric.upper()}",) if shelf.other else ()
        self.crumbs(self.face.name or "Chess", "all endings", *metric, named=False)
        built, total = catalogue.count()
        listing = words.listing(total, self.jobs.job is not None, len(self.jobs.queue))
        disk = words.disk(catalogue.library.used_bytes(), catalogue.library.free_bytes())
        summary = Note((Word(str(built), bold=True), Word(listing), Word(f"   {disk}", "dim")))
        self.query_one("#summary", Lines).show([summary])
        self.query_one(Endings).show_shelf(shelf, self._job)
        self._show_detail()

    def _show_detail(self) -> None:
        detail, job = self.query_one(EndingDetail), self._job
        here = job if job is not None and job.ending == self.shelf.ending else None
        detail.show_shelf(self.shelf, here, self.jobs.queue, self.lab.library)
        self.strip.quiet = here is not None and bool(detail.size.width) and self.size.width >= 100

    # Builds and tables

    def progressed(self) -> None:
        """Shows how the build gets on, everywhere."""
        self.show()

    def tables_changed(self) -> None:
        """Looks everything up anew."""
        for shelf in self._shelves.values():
            shelf.forget()
        self.show()

    def ended(self, wish: Wish) -> None:
        """Says that a build has ended well."""
        if self.jobs.job is None:
            self.say(words.built(wish.endings, wish.metric), "win")

    # Keys

    @on(Rows.Pointed, "#endings")
    def _pointed(self, event: Rows.Pointed) -> None:
        assert isinstance(event.key, str | int)
        self.shelf.cursor = event.key
        if not event.entered:
            self.say()
        self._show_detail()

    def action_fold(self, fold: bool) -> None:
        """Folds the group of the cursor, or unfolds it."""
        self.shelf.fold(fold)
        self.show()

    @on(Rows.Chosen, "#endings")
    async def _chosen(self, event: Rows.Chosen) -> None:
        catalogue, ending, job = self.shelf.catalogue, event.key, self._job
        if not isinstance(ending, str):
            self.action_fold(ending not in self.shelf.folded)
        elif job is not None and ending in (job.ending, *job.wanted):
            self.say(f"{ending} is being built.")
        elif catalogue.entry(ending).state == "built":
            await self.host.open("explore", Request(self.game, text=ending, metric=catalogue.metric))
        else:
            self._build([ending])

    def _build(self, endings: Sequence[str]) -> None:
        self.say()
        try:
            self.jobs.build(endings, self.shelf.catalogue.metric)
        except EndgameError as problem:
            self.complain(problem)

    def action_back(self) -> None:
        """Takes the sentence away."""
        self.say()
        self.set_focus(self.home())

    def action_metric(self) -> None:
        """Shows the tables of the other metric."""
        self.say()
        self.shelf.turn()
        self.show()

    async def action_syzygy(self) -> None:
        """Shows the Syzygy files."""
        self.say()
        await self.run_action("app.syzygy")

    # Verify, delete, build a set, find

    def action_verify(self) -> None:
        """Proves the table: checksums, then positions derived anew."""
        catalogue, ending = self.shelf.catalogue, self.shelf.ending
        if ending is None or catalogue.entry(ending).state != "built":
            self.say("only a table that is built can be verified.")
        elif self._verifying:
            self.say("one verification at a time.")
        else:
            self._verifying = True
            self.say(words.verifying(ending, 0, 0))
            self.run_worker(lambda: self._verify(catalogue.library, ending), name="verify", thread=True)

    def _verify(self, library: Library, ending: str) -> None:
        """Runs in a thread."""

        def progress(compared: int, samples: int) -> None:
            self.post_message(self.Checked(words.verifying(ending, compared, samples), "text"))

        try:
            found = library.verify(ending, SAMPLES, progress=progress)
        except EndgameError as problem:
            self.jobs.changes += 1
            self.post_message(self.Checked(str(problem), "loss", over=True))
        else:
            role = "win" if found.mismatch is None else "loss"
            self.post_message(self.Checked(words.verified(found), role, over=True))

    @on(Checked)
    def _checked(self, event: Checked) -> None:
        if event.over:
            self._verifying = False
            self._look_again()
        if event.over or self._verifying:
            self.say(event.text, event.role)

    def action_delete(self) -> None:
        """Asks, then deletes the table."""
        catalogue, ending = self.shelf.catalogue, self.shelf.ending
        entry = catalogue.entry(ending) if ending else None
        if entry is None or entry.state not in ("built", "damaged"):
            self.say("there is no table to delete here.")
            return

        def delete() -> None:
            try:
                freed = catalogue.library.remove(entry.ending)
            except EndgameError as problem:
                self.complain(problem)
                return
            self.jobs.changes += 1
            self._look_again()
            self.say(words.deleted(entry.ending, freed))

        if entry.starter:
            delete()  # which says why not
        else:
            self.ask.question(words.asks_to_delete(entry, catalogue.metric), Choice("y", "y", "delete", delete))

    def action_build_set(self) -> None:
        """Asks which endings to build together."""
        library, catalogue = self.shelf.catalogue.library, self.shelf.catalogue

        def ask(men: tuple[int, ...]) -> None:
            if not (endings := catalogue.missing(men)):
                self.say(words.all_built(men, library.game.listing.unit))
                return
            asks = words.asks_to_build(words.price(library, endings), library.free_bytes())
            self.ask.question(asks, Choice("enter", "Enter", "build", lambda: self._build(endings)))

        sets = library.game.listing.sets
        choices = [Choice(key, key, what, lambda men=men: ask(men)) for key, what, men in sets]
        self.ask.question("Build all endings of", *choices)

    def action_find(self) -> None:
        """Asks for a name and goes there while it is typed."""
        example = self.shelf.catalogue.library.game.listing.example

        def found(text: str) -> None:
            self.shelf.go_to(text)
            self.say()
            self.show()

        def typed(text: str) -> None:
            if self.shelf.find(text):
                self.show()

        self.ask.text("/", f"a name, such as {example}", found, typed=typed)
