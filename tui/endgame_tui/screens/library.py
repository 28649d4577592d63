"""Library: every ending, its price, and what has been built."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Region, Size

from endgame_core.errors import EndgameError
from endgame_core.game import Game, wanted_by
from endgame_core.tables.catalogue import Catalogue
from endgame_core.tables.library import Library
from endgame_core.words import tables as words
from endgame_tui.jobs import Wish
from endgame_tui.screens.verifying import Verifying
from endgame_tui.widgets.detail import Detail, DetailView
from endgame_tui.widgets.endings import EndingsList, EndingsView, Line
from endgame_tui.widgets.frame import JobStrip, JobView, KeyBar, TopBar
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Choice, Question
from endgame_tui.widgets.summary import Summary

WIDE_KEYS = (
    ("Enter", "open or build"), ("z", "DTM or DTZ"), ("v", "verify"), ("d", "delete"),
    ("m", "build a set"), ("y", "Syzygy files"), ("/", "find"), ("G", "Morris"),
)  # fmt: skip
KEYS = (
    ("Enter", "open, build"), ("z", "DTZ"), ("v", "verify"), ("m", "set"), ("y", "Syzygy"), ("/", "find"),
    ("G", "Morris"),
)  # fmt: skip
SMALL_KEYS = (("Enter", "open, build"), ("/", "find"), ("x", "cancel"))


class LibraryScreen(Verifying):
    """The catalogue of endings."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "verify", "Verify the table", show=False, id="library.verify"),
        Binding("d", "delete", "Delete the table", show=False, priority=True, id="library.delete"),
        Binding("m", "build_set", "Build all of 3, 4 or 5 men", show=False, priority=True, id="library.set"),
        Binding("z", "metric", "Tables by DTM or by DTZ", show=False, id="library.metric"),
        Binding("y", "syzygy", "Syzygy files", show=False, id="library.syzygy"),
        Binding("slash,colon", "find", "Find an ending", show=False, priority=True, id="library.find"),
        Binding("escape", "back", "Back to the list", show=False, id="library.back"),
    ]

    METRICS: ClassVar[tuple[str, ...]] = ("dtm", "dtz")
    """What the tables tell, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self._metric = self.METRICS[0]
        self._catalogues: dict[str, Catalogue] = {}
        self._cursor = Line(0)
        self._folded: frozenset[int] = frozenset()
        self._version = 0

    @property
    def catalogue(self) -> Catalogue:
        """The endings, with the tables of the metric in hand."""
        return self._by(self._metric)

    @property
    def game(self) -> Game[Any, Any]:
        """The game whose endings these are."""
        return self.catalogue.library.game

    @property
    def unit(self) -> str:
        """What the men are called."""
        return self.game.listing.unit

    def _by(self, metric: str) -> Catalogue:
        if metric not in self._catalogues:
            self._catalogues[metric] = Catalogue(self.session.library_of(metric))
        return self._catalogues[metric]

    @property
    def _other(self) -> str:
        """The metric that is not in hand; the same where there is only one."""
        return self.METRICS[self.METRICS.index(self._metric) - 1]

    def compose(self) -> ComposeResult:
        """List and detail in the frame."""
        yield TopBar("library", id="top")
        yield Summary(id="summary")
        yield EndingsList(id="endings")
        yield Detail(id="detail")
        yield JobStrip(id="strip")
        yield self.key_bar()
        yield Prompt(id="prompt")
        yield Question(id="question")

    def key_bar(self) -> KeyBar:
        """The keys worth naming."""
        return KeyBar(WIDE_KEYS, KEYS, SMALL_KEYS, id="keys")

    def first_wish(self) -> str | None:
        """The ending that is to be opened when it is built."""
        return self.session.wish

    def crumbs(self) -> tuple[str, ...]:
        """What the list is of."""
        return "Chess", "all endings", f"by {self._metric.upper()}"

    def on_mount(self) -> None:
        """Begins at the first ending."""
        self._seen = self.session.changes
        job = self.session.job
        first = self.first_wish() or (job.wanted[-1] if job is not None and job.metric in self.METRICS else None)
        first = first or next(iter(self.catalogue.groups.values()))[0]
        self._cursor = Line(self.catalogue.men(first), first)
        self.show()
        self.focus_home()

    def regions(self, size: Size) -> dict[str, Region]:
        """List left, detail right while there is room for it."""
        width, height = size
        regions = {"top": Region(0, 0, width, 1), "keys": Region(0, height - 1, width, 1)}
        bottom = height - 1
        if self.has_strip:
            bottom -= 1
            regions["strip"] = Region(0, bottom, width, 1)
        roomy = height >= 16
        regions["summary"] = Region(0, 1, width, 1)
        top = 3 if roomy else 2
        if height >= 24:
            bottom = height - 3
        list_width = 60 if width >= 110 else 48 if width >= 76 else width - 1
        regions["endings"] = Region(0, top, list_width, max(bottom - top, 1))
        if width >= 76:
            left = 64 if width >= 110 else 52
            regions["detail"] = Region(left, top, min(width - 1, left + 55) - left, bottom - top)
        return self.bottom(regions)

    def fit(self) -> None:
        """Nothing depends on the size but the regions."""
        if self._catalogues:
            self._show_detail()

    def focus_home(self) -> None:
        """The list has the focus."""
        self.set_focus(self.query_one(EndingsList))

    # What is shown

    def show(self) -> None:
        """Shows everything."""
        self.query_one(TopBar).crumbs = self.crumbs()
        self._show_summary()
        self._show_list()
        self._show_detail()

    def _show_summary(self) -> None:
        catalogue = self.catalogue
        library, (built, total) = catalogue.library, catalogue.count()
        listing = words.listing(total, self.session.job is not None, len(self.session.queue))
        disk = words.disk(library.used_bytes(), library.free_bytes())
        self.query_one(Summary).show(str(built), listing, disk)

    def _show_list(self) -> None:
        job = self.session.job
        building: tuple[str, int | None] = ("", None)
        if job is not None and job.metric == self._metric:
            share = None if job.share is None else round(100 * job.share)
            building = (job.ending or job.wanted[-1], share)
        self._version += 1
        self.query_one(EndingsList).view = EndingsView(
            self.catalogue, self._second, self._cursor, self._folded, building, self._version, self.unit
        )

    @property
    def _second(self) -> Catalogue | None:
        """The tables of the other metric, where there is one."""
        return self._by(self._other) if len(self.METRICS) > 1 else None

    def _show_detail(self) -> None:
        detail = self.query_one(Detail)
        ending = self._cursor.ending
        self._version += 1
        if ending is None:
            men = self._cursor.men
            built, total = self.catalogue.count(men)
            detail.view = DetailView(heading=(f"{men} {self.unit}", words.group(built, total)), version=self._version)
            return
        entry = self.catalogue.entry(ending)
        job = self.session.job
        shown = job if job is not None and (job.ending, job.metric) == (ending, self._metric) else None
        needs_drawn = frozenset(
            need for need in entry.needs if need in self.catalogue.built and self.catalogue.entry(need).longest is None
        )
        detail.view = DetailView(
            entry=replace(entry, needs=tuple(self.catalogue.needs(ending))),
            title=self.catalogue.library.game.title(ending),
            price=words.price(self.catalogue.library, [ending]) if entry.missing and shown is None else None,
            wanted_by=tuple(wanted_by(self.catalogue.library.game, ending)),
            built=self.catalogue.built,
            drawn=needs_drawn,
            job=shown,
            queue=tuple(self._waiting(wish) for wish in self.session.queue),
            metric=self._metric,
            other=self._about_other(ending),
            version=self._version,
        )

    def _about_other(self, ending: str) -> tuple[str, str]:
        """The table of the other metric, in a few words."""
        if self._second is None:
            return "", ""
        other = self._by(self._other)
        built = ending in other.built
        return self._other.upper(), words.other_table(built, other.entry(ending).size if built else 0)

    def _waiting(self, wish: Wish) -> tuple[str, str, str]:
        library, ending = self.session.library_of(wish.metric), wish.endings[-1]
        before = words.first_built(len(library.plan(wish.endings)) - 1)
        if wish.metric != "dtm":
            return ending, before, "DTZ" if wish.metric == "dtz" else ""
        last = self._by("dtm").entry(ending)
        return ending, before, "" if last.longest is None else f"mate in {last.longest}"

    def job_view(self) -> JobView:
        """The build under way, unless the detail shows it."""
        view = super().job_view()
        job = self.session.job
        here = job is not None and (job.ending, job.metric) == (self._cursor.ending, self._metric)
        shown = here and "detail" in self.regions(self.size)
        if view.ending and shown and self.size.width >= 100:
            return replace(view, quiet=True)
        return view

    def progressed(self) -> None:
        """Shows how the build gets on, everywhere."""
        super().progressed()
        if self._catalogues and self.is_mounted:
            self._show_summary()
            self._show_list()
            self._show_detail()

    def refresh_tables(self) -> None:
        """Looks everything up anew."""
        for catalogue in self._catalogues.values():
            catalogue.forget()
        self.show()

    def ended(self, wish: Wish) -> None:
        """Says so."""
        if self.session.job is None:
            self.say(words.built(wish.endings, wish.metric), "win")

    # The metric

    def action_metric(self) -> None:
        """Shows the tables of the other metric."""
        self.hush()
        self._metric = self._other
        self.show()
        self.show_strip()

    def action_syzygy(self) -> None:
        """Shows the Syzygy files."""
        self.hush()
        self.app.call_later(self.app.run_action, "syzygy")

    # The list

    @on(EndingsList.Pointed)
    def _pointed(self, event: EndingsList.Pointed) -> None:
        self._cursor = event.line
        self.hush()
        self._show_list()
        self._show_detail()
        self.show_strip()

    @on(EndingsList.Folded)
    def _fold(self, event: EndingsList.Folded) -> None:
        if event.folded:
            self._folded |= {event.men}
            self._cursor = Line(event.men)
        else:
            self._folded -= {event.men}
        self._show_list()
        self._show_detail()

    @on(EndingsList.Chosen)
    async def _chosen(self, event: EndingsList.Chosen) -> None:
        entry = self.catalogue.entry(event.ending)
        job = self.session.job
        if job is not None and job.metric == self._metric and event.ending in (job.ending, *job.wanted):
            self.say(f"{event.ending} is being built.")
        elif entry.state == "built":
            self.session.ask, self.session.ask_metric = event.ending, self._metric
            await self.app.run_action("screen('explore')")
        else:
            self._build([event.ending])

    def _build(self, endings: list[str]) -> None:
        self.hush()
        try:
            self.session.build(endings, self._metric)
        except EndgameError as problem:
            self.complain(problem)

    def action_back(self) -> None:
        """Takes the sentence away."""
        self.hush()
        self.focus_home()

    # Verify, delete, build a set, find

    def to_verify(self) -> tuple[Library, str] | None:
        """The table under the cursor."""
        ending = self._cursor.ending
        if ending is None or self.catalogue.entry(ending).state != "built":
            return None
        return self.catalogue.library, ending

    def action_delete(self) -> None:
        """Asks, then deletes the table."""
        ending = self._cursor.ending
        entry = self.catalogue.entry(ending) if ending else None
        if entry is None or entry.state not in ("built", "damaged"):
            self.say("there is no table to delete here.")
            return
        if entry.starter:
            self._delete(entry.ending)  # which says why not
            return
        delete = Choice("y", "y", "delete", lambda: self._delete(entry.ending))
        self.question(words.asks_to_delete(entry, self._metric), delete)

    def _delete(self, ending: str) -> None:
        try:
            freed = self.catalogue.library.remove(ending)
        except EndgameError as problem:
            self.complain(problem)
            return
        self.session.changes += 1
        self._look_again()
        self.say(words.deleted(ending, freed))

    def action_build_set(self) -> None:
        """Asks which endings to build together."""
        choices = [
            Choice(key, key, what, lambda men=men: self._build_set(men)) for key, what, men in self.game.listing.sets
        ]
        self.question("Build all endings of", *choices)

    def _build_set(self, men: tuple[int, ...]) -> None:
        endings = self.catalogue.missing(men)
        if not endings:
            self.say(words.all_built(men, self.unit))
            return
        library = self.catalogue.library
        asks = words.asks_to_build(words.price(library, endings), library.free_bytes())
        build = Choice("enter", "Enter", "build", lambda: self._build(endings))
        plain = self.query_one(Summary).look.glyphs.plain
        self.question(plain(asks), build)

    def action_find(self) -> None:
        """Asks for a name and goes there while it is typed."""
        self.prompt("/", f"a name, such as {self.game.listing.example}", self._found)

    @on(Prompt.Changed)
    def _searching(self, event: Prompt.Changed) -> None:
        ending = self.catalogue.find(event.text)
        if ending is not None:
            self._go(ending)

    def _found(self, text: str) -> None:
        ending = self.catalogue.find(text)
        if ending is None:
            raise EndgameError(
                f"no ending is called {text or 'nothing'}", f"type a name such as {self.game.listing.example}"
            )
        self.hush()
        self._go(ending)

    def _go(self, ending: str) -> None:
        men = self.catalogue.men(ending)
        self._folded -= {men}
        self._cursor = Line(men, ending)
        self._show_list()
        self._show_detail()

    def on_click(self, event: Click) -> None:
        """A click on the strip's right end cancels the build."""
        if isinstance(event.widget, JobStrip) and event.x >= self.size.width - 10:
            self.session.cancel()
