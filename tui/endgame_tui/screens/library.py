"""Library: every ending of a game, its price, and what has been built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from math import log
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.errors import BuildCancelledError, EndgameError, format_size
from endgame_core.games import by_name, metrics_of
from endgame_core.tables.library import SHARED, SHIPPED, CatalogueEntry, Form, Library, Verified
from endgame_core.tables.locks import LockOwner
from endgame_core.tables.survey import EndingProfile
from endgame_core.tasks.builds import BuildRequest, Job
from endgame_core.tasks.catalogue import Catalogue
from endgame_core.words import tables as words
from endgame_core.words.about import brief
from endgame_core.words.text_model import LabelledValue, TextRow, TextSpan, duration, ordinal, positions, wrapped
from endgame_tui.jobs import Ended, Jobs
from endgame_tui.screens.base import BaseScreen, Request, beside, build_choices
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.charts import silhouette
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import RowItem, Rows

if TYPE_CHECKING:
    from endgame_core.tables.compact import Task

WIDE = 50
"""Columns of the detail from which on there are more words, and the silhouette of the layers."""

_STATES = {
    "built": ("check", " built", "win"),
    "missing": ("nothing", "", "faint"),
    "damaged": ("cross", " damaged", "loss"),
}
"""Glyph, word and role of each state."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Right ends of the columns (0: not shown), where both metrics' states begin, and whether there are words."""

    positions: int
    size: int
    state: int
    other: int
    words: bool


def columns(width: int) -> Columns:
    """The columns that fit: size goes first, then positions."""
    if width >= 56:
        return Columns(34, 46, 48, 57, words=True)
    if width >= 46:
        return Columns(32, 43, 45, 47, words=False)
    if width >= 35:
        return Columns(32, 0, 34, 36, words=False)
    return Columns(0, 0, 23, 25, words=False)


class Endings(Rows):
    """All endings by the number of their men."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("left,h", "screen.fold(True)", "Collapse the group", id="endings.fold"),
        Key("right,l", "screen.fold(False)", "Expand the group", id="endings.unfold"),
        Key("pageup", "page(-1)", "Page up", id="endings.page-up"),
        Key("pagedown", "page(1)", "Page down", id="endings.page-down"),
        Key("enter,space", "choose", "Open or build the ending", id="endings.choose", short="open, build", rank=1),
    ]

    _catalogue: Catalogue
    _job: Job | None = None
    _places: Mapping[str, int]
    _others: Mapping[str, LockOwner]

    def show_catalogue(
        self, catalogue: Catalogue, job: Job | None, places: Mapping[str, int], others: Mapping[str, LockOwner]
    ) -> None:
        """Shows the endings, how far builds of them have come, ours and others', and the places of those that wait."""
        self._catalogue, self._job, self._places, self._others = catalogue, job, places, others
        self.show(self._endings, cursor=catalogue.cursor, head=self._heads)

    def _heads(self, size: Size) -> TextRow:
        """The headings of the columns."""
        stops, catalogue = columns(size.width), self._catalogue
        metric, other = catalogue.metric.upper(), "" if catalogue.other is None else catalogue.other.game.metric.upper()
        heads = [TextSpan("Ending", "dim", at=3), TextSpan(words.longest_heading(catalogue.metric), "dim", end=20)]
        if stops.positions:
            heads.append(TextSpan("positions", "dim", end=stops.positions))
        if stops.size:
            heads.append(TextSpan("size", "dim", end=stops.size))
        if other:
            heads.append(TextSpan(metric if stops.words else metric[-1], "dim", at=stops.state))
            heads.append(TextSpan(other if stops.words else other[-1], "faint", at=stops.other))
        elif stops.words:
            heads.append(TextSpan("state", "dim", at=stops.state))
        return TextRow(tuple(heads))

    def _endings(self, size: Size) -> list[RowItem]:
        """The groups, and below those not folded their endings."""
        catalogue, glyphs, stops = self._catalogue, self.look.glyphs, columns(size.width)
        result: list[RowItem] = []
        unit = catalogue.library.game.listing.unit
        for men, endings in catalogue.groups.items():
            folded = men in catalogue.folded
            built, total = catalogue.count(men)
            heading = TextSpan(f"{men} {unit}", bold=True, at=3), TextSpan(f"{built} of {total} built", "dim", at=13)
            sign = TextSpan(glyphs.closed if folded else glyphs.opened, at=1)
            result.append(RowItem((sign, *heading), key=men, sticky=True))
            if not folded:
                result += [RowItem(key=ending, words=partial(self._ending, ending, stops)) for ending in endings]
        return result

    def _ending(self, ending: str, stops: Columns) -> tuple[TextSpan, ...]:
        """The words of an ending's row."""
        glyphs, other, entry = self.look.glyphs, self._catalogue.other, self._catalogue.entry(ending)
        is_built = entry.state == "built"
        role = "text" if is_built else "dim"
        nothing = glyphs.dash if is_built else glyphs.nothing
        result = [
            TextSpan(entry.ending, role, at=3),
            TextSpan(nothing if entry.longest is None else str(entry.longest), role, end=20),
        ]
        if stops.positions:
            result.append(TextSpan(positions(entry.positions, entry.exact), role, end=stops.positions))
        if stops.size:
            result.append(TextSpan(("" if is_built else "≈ ") + format_size(entry.size), role, end=stops.size))
        result += self._state(entry, stops)
        if other is not None:
            done = entry.ending in self._catalogue.built(other)
            result.append(
                TextSpan(glyphs.check if done else glyphs.nothing, "win" if done else "faint", at=stops.other)
            )
        return tuple(result)

    def _state(self, entry: CatalogueEntry, stops: Columns) -> list[TextSpan]:
        """Whether it is built, or how far its build has come."""
        glyphs, job = self.look.glyphs, self._job
        if job is not None and entry.ending == (job.ending or job.wish.endings[-1]):
            share = f" {round(100 * job.share)} %" if stops.words and job.share is not None else ""
            return [TextSpan(glyphs.pointer, "amber", at=stops.state), TextSpan(share)]
        if (holder := self._others.get(entry.ending)) is not None:
            done = words.share(holder) if stops.words else None
            share = " busy" if stops.words and done is None else f" {round(100 * done)} %" if done is not None else ""
            return [TextSpan(glyphs.pointer, "dim", at=stops.state), TextSpan(share, "dim")]
        if place := self._places.get(entry.ending):
            waits = f"wait {ordinal(place)}" if stops.words else str(place) if place < 10 else glyphs.more
            return [TextSpan(waits, "amber", at=stops.state)]
        glyph, word, role = _STATES[entry.state]
        word = " shared" if entry.owner == SHARED else word
        text = TextSpan(word if stops.words else "", "text" if entry.state == "built" else "faint")
        return [TextSpan(getattr(glyphs, glyph), role, at=stops.state), text]


class EndingDetail(Lines):
    """One ending: what it is, what it costs, how its build gets on, what it needs and what needs it.

    Args:
        jobs: The builds.
        library: The tables of a metric.
        id: DOM id.
    """

    _catalogue: Catalogue
    _job: Job | None = None

    def __init__(self, jobs: Jobs, library: Callable[[str], Library], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._jobs, self._library = jobs, library

    def show_catalogue(self, catalogue: Catalogue, job: Job | None) -> None:
        """Shows what the cursor is on, and the build under way when it is of that ending."""
        self._catalogue, self._job = catalogue, job
        self.show(self._group if catalogue.ending is None else self._detail)

    @property
    def _place(self) -> int | None:
        """Where the ending is among all that wait."""
        return self._jobs.places(self._catalogue.metric).get(self._catalogue.ending or "")

    def _group(self, size: Size) -> list[TextRow]:
        """A group of endings."""
        catalogue = self._catalogue
        head = TextRow((TextSpan(f"{catalogue.men} {catalogue.library.game.listing.unit}", bold=True),))
        built, total = catalogue.count(catalogue.men)
        together = built < total and any(catalogue.men in men for *_, men in catalogue.library.game.listing.sets)
        return [head, *wrapped(words.group(built, total, together), size.width, "dim")]

    def _detail(self, size: Size) -> list[TextRow]:
        """One ending: what it is, what it costs, how its build gets on, what it needs and what needs it."""
        catalogue, ending, wide = self._catalogue, self._catalogue.ending or "", size.width >= WIDE
        entry, job, game = catalogue.entry(ending), self._job, catalogue.library.game
        waits = self._place if job is None else None
        state = words.waits(waits) if waits else words.state(entry, catalogue.metric, job is not None)
        role = "amber" if job is not None or waits else "loss" if entry.state == "damaged" else "dim"
        cost = None
        if entry.state != "built" and job is None:
            cost = words.price(catalogue.library, [ending], self._jobs.workers)
        rows = [TextRow((TextSpan(ending, bold=True),), (TextSpan(state, role),))]
        rows += [*wrapped(game.title(ending), size.width, "dim")[:2], TextRow()]
        rows += [
            TextRow((TextSpan(fact.label, "dim"), TextSpan(fact.value, at=11)))
            for fact in (
                *words.facts(entry, catalogue.metric, cost, wide),
                *self._won(entry, wide),
                *self._other(ending),
            )
        ]
        if job is not None:
            rows += [TextRow(), *self._building(job, entry, size.width)]
        tail = self._tail(entry, job, size.width)
        if entry.needs and (room := size.height - len(rows) - len(tail) - 1) > 0:
            rows += [*[TextRow()] * (room > 1), *self._needs(entry, size, max(room - 1, 1))]
        wanted = catalogue.wanted_by(ending)
        room = size.height - len(rows) - len(tail) - 2
        if job is None and wanted and room >= 0:
            rows += [TextRow(), *self._wanted(wanted, size.width, min(room, 2))]
        return rows + tail

    def _wanted(self, wanted: Sequence[str], width: int, room: int) -> list[TextRow]:
        """The endings that need this one, below their heading; beside it where there is one row for both."""
        head = TextSpan("Wanted by", bold=True)
        if not room:
            (names,) = self._names(wanted, width - 11, 1)
            return [TextRow((head, TextSpan("  "), *names.left))]
        return [TextRow((head,)), *self._names(wanted, width, room)]

    def _won(self, entry: CatalogueEntry, wide: bool) -> list[LabelledValue]:
        """Whether a built ending is usually won."""
        if entry.state != "built":
            return []
        try:
            return [LabelledValue("results", brief(EndingProfile(self._catalogue.library, entry.ending), wide))]
        except EndgameError:  # removed or damaged since
            return []

    def _other(self, ending: str) -> list[LabelledValue]:
        """The table of the other metric, in a few words."""
        catalogue = self._catalogue
        other = catalogue.other
        if other is None:
            return []
        try:
            told = words.other_table(other.table(ending).size)
        except EndgameError:
            told = words.other_table(None, damaged=catalogue.entry(ending, other).state == "damaged")
        return [LabelledValue(other.game.metric.upper(), told)]

    def _building(self, job: Job, entry: CatalogueEntry, width: int) -> list[TextRow]:
        """How far a build has come, and the layers so far."""
        glyphs, share = self.look.glyphs, job.share or 0.0
        done = round(width * share)
        named = f"{job.ending} " if job.ending != entry.ending else ""
        many = f"step {job.step or 1} of {job.steps}" if job.steps else ""
        if len(f"Building {named}{many}") > width:
            many = many.removeprefix("step ").replace(" of ", "/")
        step = TextSpan(named, "dim"), TextSpan(many, "faint")
        left = "" if job.left is None or job.share is None else f"{duration(job.left)} left"
        rows = [
            TextRow((TextSpan("Building", bold=True),), step),
            TextRow((TextSpan(glyphs.bar * done), TextSpan(glyphs.thin * (width - done), "faint"))),
            TextRow(
                (TextSpan(f"{round(100 * share)} %", bold=True), TextSpan(f"  {self._reached(job, width)}")),
                (TextSpan(left, "dim"),),
            ),
        ]
        is_drawn = width >= WIDE and job.sizes and job.ending == entry.ending
        return rows + ([TextRow(), *self._silhouette(job, entry, width)] if is_drawn else [])

    def _reached(self, job: Job, width: int) -> str:
        if stage := words.stage(job):
            return stage
        if job.slices is not None:
            return words.placements(*job.slices) if width >= WIDE else words.reached(job)
        sides = [("White", job.white), ("Black", job.black)]
        return " · ".join(f"{name} S{n}" for name, n in sides if n is not None)

    def _silhouette(self, job: Job, entry: CatalogueEntry, width: int) -> list[TextRow]:
        """The layers so far, as many columns as there is room; those to come are dots."""
        glyphs, known = self.look.glyphs, entry.longest or 0
        if known and job.wish.metric == "dtm":
            known = 2 * known - 1
        last = max(known, len(job.sizes) - 1, 1)
        done = max(round(width * len(job.sizes) / (last + 1)), 1)
        top = log(max(job.sizes) + 1) or 1.0
        chart = silhouette([log(number + 1) / top for number in job.sizes], done, glyphs)
        here, end = f"S{len(job.sizes) - 1}", f"S{known}"
        labels = [TextSpan("S1", "dim")]
        if done - len(here) > 3:
            labels.append(TextSpan(here, end=done))
        if known and width - len(end) > max(done, 2) + 1:
            labels.append(TextSpan(end, "faint", end=width))
        to_come = TextSpan(glyphs.middle * (width - done), "faint")
        return [TextRow((TextSpan(chart, "winner_bar"), to_come)), TextRow(tuple(labels))]

    def _needs(self, entry: CatalogueEntry, size: Size, space: int) -> list[TextRow]:
        """The endings it needs, in at most ``space`` rows."""
        catalogue, glyphs = self._catalogue, self.look.glyphs
        needs = catalogue.needs(entry.ending)
        tight = size.width < WIDE and len(needs) <= min(space, 4)
        have = sum(need in catalogue.built() for need in needs)
        many = () if tight else (TextSpan(f"{have} of {len(needs)} built", "faint"),)
        per_row = 1 if tight else max(size.width // 12, 1)
        rows: list[TextRow] = []
        rest = len(needs) - space * per_row + 1
        """How many there is no room for, if there is not for all: these are told in the last place."""
        for start in range(0, min(len(needs), space * per_row), per_row):
            result: list[TextSpan] = []
            for column, need in enumerate(needs[start : start + per_row]):
                if rest > 1 and start + column == space * per_row - 1:
                    result.append(TextSpan(f"{glyphs.more} {rest} more", "faint", at=12 * column))
                    break
                is_built = need in catalogue.built()
                sign = TextSpan(
                    glyphs.check if is_built else glyphs.nothing, "win" if is_built else "faint", at=12 * column
                )
                result += [sign, TextSpan(f" {need}", "text" if is_built else "dim")]
                if tight:
                    drawn = is_built and catalogue.entry(need).longest is None
                    missing = "not built" if entry.state == "built" else "built first"
                    state = "built, all drawn" if drawn else "built" if is_built else missing
                    result.append(TextSpan(state, "dim", at=9))
            rows.append(TextRow(tuple(result)))
        return [TextRow((TextSpan("Needs", bold=True),), many), *rows]

    def _names(self, names: Sequence[str], width: int, most: int) -> list[TextRow]:
        """So many rows of names, and how many more there are."""
        glyphs, rows, used = self.look.glyphs, [""], 0
        for number, name in enumerate(names):
            rest = f"{glyphs.more}{len(names) - number}"
            last = len(rows) == most and number < len(names) - 1
            if used + len(name) + (len(rest) + 2 if last else 0) > width:
                if len(rows) == most:
                    cut = TextRow((TextSpan(rows.pop(), "dim"), TextSpan(rest, "faint")))
                    return [*(TextRow((TextSpan(row, "dim"),)) for row in rows), cut]
                rows.append("")
                used = 0
            rows[-1] += f"{name} "
            used += len(name) + 1
        return [TextRow((TextSpan(row, "dim"),)) for row in rows]

    def _tail(self, entry: CatalogueEntry, job: Job | None, width: int) -> list[TextRow]:
        """What waits, what is wrong, and what Enter does."""
        rows: list[TextRow] = []
        if queue := self._jobs.waiting:
            rows += [TextRow(), TextRow((TextSpan("Queue", bold=True),), (TextSpan(str(len(queue)), "faint"),))]
            rows += [self._waiting(number, wish, width) for number, wish in enumerate(queue, start=1)]
        if job is not None:
            return rows
        if (holder := self._jobs.others(self._catalogue.library).get(entry.ending)) is not None:
            rows += [TextRow(), *wrapped(f"In hand: {words.in_hand(holder)}.", width, "dim")]
        if entry.state == "damaged":
            reason = entry.reason[:1].upper() + entry.reason[1:].removesuffix(".") + "."
            rows += [TextRow(), *wrapped(reason, width, "dim")]
        if self._place:
            keys = (
                TextSpan("d", bold=True),
                TextSpan(" drop  ", "dim"),
                TextSpan("< >", bold=True),
                TextSpan(" earlier, later", "dim"),
            )
            return [*rows, TextRow(), TextRow((TextSpan(words.waits_for(len(entry.missing)), "dim"),)), TextRow(keys)]
        does = words.enter_does(entry, width >= WIDE)
        keys = TextSpan("Enter", bold=True), TextSpan(f" {does}", "dim")
        by_layers = self._library(by_name(self._catalogue.library.game.name).metric)  # as about is
        has_room = len(does) + len("Enter   a about") <= width
        if has_room and entry.state != "damaged" and by_layers.is_built(entry.ending):
            keys = *keys, TextSpan("  a", bold=True), TextSpan(" about", "dim")
        return [*rows, TextRow(), TextRow(keys)]

    def _waiting(self, number: int, wish: BuildRequest, width: int) -> TextRow:
        """What waits: its name, endings before it, its longest win."""
        ending = wish.endings[-1]
        before = words.first_built(len(self._library(wish.metric).plan(wish.endings)) - 1)
        longest = "DTZ" if wish.metric == "dtz" else ""
        if wish.metric == "dtm":
            known = self._library("dtm").entry(ending).longest
            longest = "" if known is None else f"mate in {known}"
        right = (TextSpan(longest, "dim"),) if width >= WIDE else ()
        return TextRow((TextSpan(f"{number} {ending}"), TextSpan(before, "dim", at=12)), right)


SAMPLES = 1000
"""Positions that verifying derives anew."""


def _verified(process: Task[Verified], tell: Callable[[str], None]) -> tuple[str, str]:
    """Verifies a table; what has come of it, and the role of that."""
    result = process.run(lambda part: tell(words.verifying(process.ending, part)))
    return words.verified(result), "win" if result.mismatch is None else "loss"


class LibraryScreen(BaseScreen):
    """The catalogue of endings."""

    TASK = "library"
    CRUMBS = ("slash", "z")
    PANELS = (Endings,)
    CSS_PATH = "library.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("z", "metric", "Switch between DTM and DTZ", games=("chess",), id="library.metric", short="DTZ"),
        Key("a", "about", "Statistics of the ending", id="library.about", short="about", rank=3),
        Key("v", "verify", "Verify the table", id="library.verify", short="verify"),
        Key(
            "d", "delete", "Delete the table", priority=True, id="library.delete",
            short="delete", rank=3,
        ),
        Key("less_than_sign", "queue(-1)", "Move up in the queue", id="library.earlier"),
        Key("greater_than_sign", "queue(1)", "Move down in the queue", id="library.later"),
        Key("m", "build_set", "Build all 3/4/5-piece tables", priority=True, id="library.set", short="set"),
        Key("c", "compact", "Compact the table", id="library.compact"),
        Key("y", "app.syzygy", "Syzygy files", games=("chess",), id="library.syzygy", short="Syzygy"),
        Key(
            "slash,colon", "find", "Find an ending", id="library.find", short="find", rank=1, priority=True,
            typing=True,
        ),
        Key("escape", "back", "Back to the list", id="library.back"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._catalogues: dict[str, Catalogue] = {}

    def body(self) -> ComposeResult:
        """Summary, list and detail."""
        yield Lines(id="summary", indent=1)
        with Horizontal(id="main"):
            yield Endings(id="endings", steady=True)
            yield EndingDetail(self.jobs, self.lab.library, id="detail")

    def on_mount(self) -> None:
        """Goes to the endings of the game at hand, which are shown once it is known how many there is room for."""
        self.set_focus(self.home())

    def on_resize(self) -> None:
        """Where rows are plenty, one is kept free for what is said."""
        self.strip.kept = self.size.height >= 24
        self.show()

    def home(self) -> Widget:
        """The list has the focus."""
        return self.query_one(Endings)

    # What is shown

    @property
    def catalogue(self) -> Catalogue:
        """The endings of the game; at first the cursor is on the one being built."""
        if self.game not in self._catalogues:
            metrics, job = metrics_of(self.game), self.jobs.job
            first = job.wish.endings[-1] if job is not None and job.wish.metric in metrics else None
            self._catalogues[self.game] = Catalogue([self.lab.library(metric) for metric in metrics], first)
        return self._catalogues[self.game]

    @property
    def _job(self) -> Job | None:
        """The build under way, when it is by the metric in hand."""
        job = self.jobs.job
        return job if job is not None and job.wish.metric == self.catalogue.metric else None

    def show(self) -> None:
        """Shows everything."""
        catalogue = self.catalogue
        metric = (f"by {catalogue.metric.upper()}",) if catalogue.other else ()
        self.crumbs(self.face.name or "Chess", "all endings", *metric, named=False)
        built, total = catalogue.count()
        others = self.jobs.others(catalogue.library)
        listing = words.listing(total, self.jobs.job is not None, len(self.jobs.waiting), len(others))
        disk = words.disk(catalogue.library.used_bytes(), catalogue.library.free_bytes())
        summary = TextRow((TextSpan(str(built), bold=True), TextSpan(listing), TextSpan(f"   {disk}", "dim")))
        self.query_one("#summary", Lines).show([summary])
        self.strip.follow(self.jobs.job, words.others(others))
        self.query_one(Endings).show_catalogue(catalogue, self._job, self.jobs.places(catalogue.metric), others)
        self._show_detail()

    def _show_detail(self) -> None:
        detail, job = self.query_one(EndingDetail), self._job
        here = job if job is not None and self.catalogue.ending in (job.ending, *job.wish.endings) else None
        detail.show_catalogue(self.catalogue, here)
        self.strip.quiet = here is not None and bool(detail.size.width) and self.size.width >= 100

    # Builds and tables

    def progressed(self) -> None:
        """Shows how the build gets on, everywhere."""
        self.show()

    def tables_changed(self) -> None:
        """Looks everything up anew."""
        for catalogue in self._catalogues.values():
            catalogue.forget()
        self.show()

    def ended(self, event: Ended) -> None:
        """Says that a build has ended well."""
        if self.jobs.job is None:
            self.say(event.words, "win")

    # Keys

    @on(Rows.Pointed, "#endings")
    def _pointed(self, event: Rows.Pointed) -> None:
        if event.key is None:  # nothing is listed as yet
            return
        self.catalogue.cursor = event.key
        if not event.entered:
            self.say()
        self._show_detail()

    def action_fold(self, fold: bool) -> None:
        """Folds the group of the cursor, or unfolds it."""
        self.catalogue.fold(fold)
        self.show()

    @on(Rows.Chosen, "#endings")
    async def _chosen(self, event: Rows.Chosen) -> None:
        catalogue, ending, job = self.catalogue, event.key, self._job
        if not isinstance(ending, str):
            self.action_fold(ending not in self.catalogue.folded)
        elif job is not None and ending in (job.ending, *job.wish.endings):
            self.say(f"{ending} is being built.")
        elif catalogue.entry(ending).state == "built":
            await self.host.open("explore", Request(self.game, text=ending, metric=catalogue.metric))
        else:
            self._build_or_ask(ending)

    def _build_or_ask(self, ending: str) -> None:
        """Builds an ending; asks first where that takes long, or more than the free disk."""
        catalogue = self.catalogue
        cost = words.price(catalogue.library, [ending], self.jobs.workers)
        free = catalogue.library.free_bytes()
        if cost.peak <= free and not cost.is_long:
            self._build([ending])
            return
        choices = build_choices(self, cost, partial(self._build, [ending]))
        metric = catalogue.metric if catalogue.metric == "dtz" else None
        question = words.offers([ending], metric, cost, self.ask.room(*choices))
        if cost.peak > free:
            question = words.asks_to_build(cost, free)
        self.ask.question(question, *choices)

    def _build(self, endings: Sequence[str], keep_requested_only: bool = False) -> None:
        self.say()
        self.jobs.build(endings, self.catalogue.metric, keep_requested_only=keep_requested_only)

    def action_back(self) -> None:
        """Takes the sentence away."""
        self.say()
        self.set_focus(self.home())

    def action_metric(self) -> None:
        """Shows the tables of the other metric."""
        self.say()
        self.catalogue.turn()
        self.show()

    def action_about(self) -> None:
        """Tells what the ending under the cursor is like."""
        from endgame_tui.screens.about import AboutScreen

        ending = self.catalogue.ending
        self.say()
        if ending is None or not self.lab.explorer_of(self.game).library.is_built(ending):
            self.say(words.not_known_yet(ending, self.catalogue.metric))
            return
        self.app.push_screen(AboutScreen(ending))

    # Verify, compact, delete, build a set, find

    def action_verify(self) -> None:
        """Proves the table: checksums, then positions derived anew."""
        from endgame_core.tables.compact import verifying

        catalogue, ending = self.catalogue, self.catalogue.ending
        if ending is None or catalogue.entry(ending).state != "built":
            self.say("only a table that is built can be verified.")
        else:
            process = verifying(catalogue.library, ending, SAMPLES)
            self._work(words.verifying(ending, 0), partial(_verified, process), process)

    def action_compact(self) -> None:
        """Asks for another form of the table, and writes it anew."""
        from endgame_core.tables.compact import compacting

        ending, library = self.catalogue.ending, self.catalogue.library
        entry = self.catalogue.entry(ending) if ending else None
        if entry is None or entry.state != "built":
            self.say("only a table that is built can be made smaller.")
            return

        def compact(form: Form) -> None:
            process = compacting(library, entry.ending, form)

            def work(tell: Callable[[str], None]) -> tuple[str, str]:
                sizes = process.run(lambda part: tell(words.compacting(entry.ending, part)))
                return words.compacted(entry.ending, *sizes), "win"

            self._work(words.compacting(entry.ending, 0), work, process)

        def choice(form: Form, bytes_: int) -> Choice:
            key = "l" if form == "lean" else "c"
            return Choice(key, words.form_of(form, bytes_), partial(compact, form))

        if forms := library.forms(entry.ending):
            self.ask.question(words.asks_to_compact(entry), *starmap(choice, forms.items()))
        else:
            self.say(words.as_small_as_it_gets(entry.ending))

    def _work(self, begins: str, work: Callable[[Callable[[str], None]], tuple[str, str]], process: Task[Any]) -> None:
        """Works on a table in a thread, which tells how far it is, and what has come of it and the role of that."""
        if self.jobs.at_table is not None:
            self.say("one verification or compaction at a time.")
            return

        def tell(text: str) -> None:
            self.call_later(self.say, text)

        def over(told: str, role: str) -> None:
            self.jobs.at_table = None
            self.jobs.changed()
            self.look_again()
            self.say(told, role)

        def failed(problem: EndgameError) -> None:
            over(str(problem), "text" if isinstance(problem, BuildCancelledError) else "loss")

        self.jobs.at_table = process
        self.say(begins)
        beside(self, partial(work, tell), lambda found: over(*found), "verify", failed)

    def action_delete(self) -> None:
        """Asks, then deletes the table."""
        catalogue, ending = self.catalogue, self.catalogue.ending
        entry = catalogue.entry(ending) if ending else None
        if ending is not None and self.jobs.drop(ending, catalogue.metric):
            self.say(words.not_waiting(ending))
            return
        if entry is None or entry.state not in ("built", "damaged"):
            self.say("there is no table to delete here.")
            return

        def delete() -> None:
            freed = catalogue.library.remove(entry.ending)
            self.jobs.changed()
            self.look_again()
            self.say(words.deleted(entry.ending, freed))

        if entry.owner in (SHARED, SHIPPED):
            delete()  # which says why not
        else:
            leaning = catalogue.library.one_sided_dependents(entry.ending)
            asks = words.asks_to_delete(entry, catalogue.metric, leaning)
            self.ask.question(asks, Choice("y", "delete", delete))

    def action_queue(self, step: int) -> None:
        """Moves the ending under the cursor in the queue."""
        ending = self.catalogue.ending
        self.say()
        if ending is None or not self.jobs.move(ending, self.catalogue.metric, step):
            self.say("only what waits in the queue can be moved there, between its first and its last place.")

    def action_build_set(self) -> None:
        """Asks which endings to build together."""
        catalogue, library = self.catalogue, self.catalogue.library

        def ask(men: tuple[int, ...]) -> None:
            if not (endings := catalogue.missing(men)):
                self.say(words.all_built(men, library.game.listing.unit))
                return
            asks = words.asks_to_build(words.price(library, endings, self.jobs.workers), library.free_bytes())
            self.ask.question(asks, Choice("enter", "build", lambda: self._build(endings)))

        self.say()
        sets = library.game.listing.sets
        choices = [Choice(key, what, lambda men=men: ask(men)) for key, what, men in sets]
        self.ask.question("Build all endings of", *choices)

    def action_find(self) -> None:
        """Asks for a name and goes there while it is typed."""
        example = self.catalogue.library.game.listing.example
        self.say()

        def found(text: str) -> None:
            self.catalogue.go_to(text)
            self.say()
            self.show()

        def typed(text: str) -> None:
            if self.catalogue.find(text):
                self.show()

        self.ask.text("/", f"a name, such as {example}", found, typed=typed)
