"""Library: all endings of a game, what building them costs, and the tables that are built.

:class:`Endings` is the list, :class:`EndingDetail` the panel beside it; :class:`LibraryScreen` builds, verifies,
compacts and deletes tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
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

from endgame_core.controls import control, instruct
from endgame_core.errors import BuildCancelledError, EndgameError, format_size
from endgame_core.games import by_name, metrics_of
from endgame_core.language import _
from endgame_core.metric import Metric
from endgame_core.tables.disk import Form
from endgame_core.tables.library import CatalogueEntry, Library
from endgame_core.tables.locks import LockOwner
from endgame_core.tables.survey import EndingProfile
from endgame_core.tables.table_files import SHARED, SHIPPED
from endgame_core.tables.verification import Verified
from endgame_core.tasks.builds import BuildRequest, Job
from endgame_core.tasks.catalogue import Catalogue
from endgame_core.words import tables as words
from endgame_core.words.about import brief
from endgame_core.words.missing_tables import NOT_BUILT
from endgame_core.words.text_model import LabelledValue, TextRow, TextSpan, duration, ordinal, positions, wrapped
from endgame_tui.jobs import Ended, Jobs
from endgame_tui.keys import CHESS, CHOOSE, DELETE, FIND, LEAVE, METRIC, PAGE_DOWN, PAGE_UP, PROMPT, SYZYGY, VERIFY, Key
from endgame_tui.look import Glyphs
from endgame_tui.screens.about import statistics_rows
from endgame_tui.screens.base import BaseScreen, Request
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.charts import silhouette
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import RowItem, Rows

if TYPE_CHECKING:
    from endgame_core.tables.table_task import Task

_DETAIL_WIDE = 50
"""From this width on the detail has longer texts and a chart of the layers."""

_STATES = {
    "built": ("check", _(" built"), "win"),
    "missing": ("dot", "", "faint"),
    "damaged": ("cross", _(" damaged"), "loss"),
}
"""Name of the glyph, word and role of each state."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of the list.

    Attributes:
        positions: Right end of the number of positions; 0 for no such column.
        size: Right end of the file size; 0 for no such column.
        state: Where the state begins.
        other_state: Where the state of the other metric's table begins.
        words: Whether states have words and not only glyphs.
    """

    positions: int
    size: int
    state: int
    other_state: int
    words: bool


def columns(width: int) -> Columns:
    """The columns that fit: with less room the words go first, then the size, then the positions."""
    if width >= 56:
        return Columns(34, 46, 48, 57, words=True)
    if width >= 48:
        return Columns(30, 39, 41, 45, words=False)
    if width >= 39:
        return Columns(30, 0, 32, 36, words=False)
    return Columns(0, 0, 22, 26, words=False)


class Endings(Rows):
    """All endings, grouped by the number of their pieces."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("left,h", "screen.fold(True)", _("Collapse the group"), id="collapse"),
        Key("right,l", "screen.fold(False)", _("Expand the group"), id="expand"),
        PAGE_UP,
        PAGE_DOWN,
        CHOOSE.adapted(_("Open or build the ending"), short=_("open, build"), rank=1),
    ]

    _catalogue: Catalogue
    _job: Job | None = None
    _places: Mapping[str, int]
    _lock_owners: Mapping[str, LockOwner]

    def show_catalogue(
        self, catalogue: Catalogue, job: Job | None, places: Mapping[str, int], lock_owners: Mapping[str, LockOwner]
    ) -> None:
        """Show the endings.

        Args:
            catalogue: The endings and their tables.
            job: The running build; None if there is none by this metric.
            places: Places in the queue of endings that wait, from 1.
            lock_owners: Other programs that are working on endings.
        """
        self._catalogue = catalogue
        self._job = job
        self._places = places
        self._lock_owners = lock_owners
        self.show(self._items_for, cursor=catalogue.cursor, head=self._headings)

    def _headings(self, size: Size) -> TextRow:
        stops = columns(size.width)
        catalogue = self._catalogue
        metric = catalogue.metric.upper()
        headings = [
            TextSpan(_("Ending"), "dim", at=3),
            TextSpan(words.longest_heading(catalogue.metric), "dim", end=20),
        ]
        if stops.positions:
            headings.append(TextSpan(_("positions"), "dim", end=stops.positions))
        if stops.size:
            headings.append(TextSpan(_("size"), "dim", end=stops.size))
        if catalogue.other is not None:
            other_metric = catalogue.other.game.metric.upper()
            headings.append(TextSpan(metric, "dim", at=stops.state))
            headings.append(TextSpan(other_metric, "faint", at=stops.other_state))
        elif stops.words:
            headings.append(TextSpan(_("state"), "dim", at=stops.state))
        return TextRow(tuple(headings))

    def _items_for(self, size: Size) -> list[RowItem]:
        """The groups, each with its endings unless it is folded."""
        catalogue = self._catalogue
        glyphs = self.look.glyphs
        stops = columns(size.width)
        unit = _(catalogue.library.game.listing.unit)
        items: list[RowItem] = []
        for men, endings in catalogue.groups.items():
            is_folded = men in catalogue.folded
            built, total = catalogue.count(men)
            spans = (
                TextSpan(glyphs.closed if is_folded else glyphs.opened, at=1),
                TextSpan(f"{men} {unit}", bold=True, at=3),
                TextSpan(_("{built} of {total} built").format(built=built, total=total), "dim", at=13),
            )
            items.append(RowItem(spans, key=men, sticky=True))
            if not is_folded:
                items += [
                    RowItem(key=ending, make_spans=partial(self._ending_spans, ending, stops)) for ending in endings
                ]
        return items

    def _ending_spans(self, ending: str, stops: Columns) -> tuple[TextSpan, ...]:
        """The spans of an ending's row."""
        glyphs = self.look.glyphs
        catalogue = self._catalogue
        entry = catalogue.entry(ending)
        is_built = entry.state == "built"
        role = "text" if is_built else "dim"
        longest = glyphs.dash if is_built else glyphs.dot
        if entry.longest is not None:
            longest = str(entry.longest)
        spans = [TextSpan(entry.ending, role, at=3), TextSpan(longest, role, end=20)]
        if stops.positions:
            spans.append(TextSpan(positions(entry.positions, entry.exact), role, end=stops.positions))
        if stops.size:
            estimated = "" if is_built else "≈ "
            spans.append(TextSpan(estimated + format_size(entry.size), role, end=stops.size))
        spans += self._state(entry, stops)
        if catalogue.other is not None:
            if entry.ending in catalogue.built(catalogue.other):
                spans.append(TextSpan(glyphs.check, "win", at=stops.other_state))
            else:
                spans.append(TextSpan(glyphs.dot, "faint", at=stops.other_state))
        return tuple(spans)

    def _state(self, entry: CatalogueEntry, stops: Columns) -> list[TextSpan]:
        """The state of a table: being built here or by another program, queued, built, damaged or missing."""
        glyphs = self.look.glyphs
        job = self._job
        # Until the build reports an ending, it stands at the last requested one.
        if job is not None and entry.ending == (job.ending or job.request.endings[-1]):
            percent = ""
            if stops.words and job.share is not None:
                percent = f" {round(100 * job.share)} %"
            return [TextSpan(glyphs.pointer, "amber", at=stops.state), TextSpan(percent)]

        owner = self._lock_owners.get(entry.ending)
        if owner is not None:
            progress = ""
            if stops.words:
                share = words.share(owner)
                if share is None:
                    progress = _(" busy")
                else:
                    progress = f" {round(100 * share)} %"
            return [TextSpan(glyphs.pointer, "dim", at=stops.state), TextSpan(progress, "dim")]

        if place := self._places.get(entry.ending):
            # Narrow lists have one column for it.
            digit = str(place) if place < 10 else glyphs.ellipsis
            if stops.words:
                queued = _("wait {ordinal}").format(ordinal=ordinal(place))
            else:
                queued = digit
            return [TextSpan(queued, "amber", at=stops.state)]

        glyph, word, role = _STATES[entry.state]
        if entry.owner == SHARED:
            word = _(" shared")
        if not stops.words:
            word = ""
        word_role = "text" if entry.state == "built" else "faint"
        return [TextSpan(getattr(glyphs, glyph), role, at=stops.state), TextSpan(word, word_role)]


class EndingDetail(Lines):
    """Details of the ending under the cursor: title, costs, progress of its build, requirements, and keys.

    Args:
        jobs: The builds.
        library: Returns the tables of a metric.
        id: DOM id.
    """

    _catalogue: Catalogue
    _job: Job | None = None

    def __init__(self, jobs: Jobs, library: Callable[[Metric], Library], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._jobs = jobs
        self._library = library

    def show_catalogue(self, catalogue: Catalogue, job: Job | None) -> None:
        """Show the ending or group under the cursor, and the running build if it is of that ending."""
        self._catalogue = catalogue
        self._job = job
        if catalogue.ending is None:
            panel = self._group
        else:
            panel = self._detail
        self.show(panel)

    @property
    def _place(self) -> int | None:
        """Place of the ending in the queue, from 1; None if it does not wait."""
        return self._jobs.places(self._catalogue.metric).get(self._catalogue.ending or "")

    def _group(self, size: Size) -> list[TextRow]:
        catalogue = self._catalogue
        listing = catalogue.library.game.listing
        title = TextRow((TextSpan(f"{catalogue.men} {_(listing.unit)}", bold=True),))
        built, total = catalogue.count(catalogue.men)
        can_be_built_together = built < total and any(catalogue.men in men for *__, men in listing.sets)
        return [title, *wrapped(words.group(built, total, can_be_built_together), size.width, "dim")]

    def _detail(self, size: Size) -> list[TextRow]:
        """One ending; the endings it requires and those that require it get the room between the facts and the keys."""
        catalogue = self._catalogue
        ending = catalogue.ending or ""
        entry = catalogue.entry(ending)
        job = self._job
        rows = [self._title(entry, job)]
        rows += [*wrapped(catalogue.library.game.title(ending), size.width, "dim")[:2], TextRow()]
        rows += self._facts(entry, job, size.width >= _DETAIL_WIDE)
        if job is not None:
            rows += [TextRow(), *self._building(job, entry, size.width)]

        tail = self._tail(entry, job, size.width)
        # The keys at the bottom come before the lists above them.
        room = size.height - len(rows) - len(tail) - 1
        if entry.needs and room > 0:
            if room > 1:
                rows.append(TextRow())
            rows += self._needs(entry, size, max(room - 1, 1))
        dependents = catalogue.wanted_by(ending)
        room = size.height - len(rows) - len(tail) - 2
        if job is None and dependents and room >= 0:
            rows += [TextRow(), *self._dependents(dependents, size.width, min(room, 2))]
        return rows + tail

    def _title(self, entry: CatalogueEntry, job: Job | None) -> TextRow:
        """The ending and its state."""
        place = self._place if job is None else None
        if place:
            state = words.waits(place)
        else:
            state = words.state(entry, self._catalogue.metric, job is not None)
        role = "dim"
        if job is not None or place:
            role = "amber"
        elif entry.state == "damaged":
            role = "loss"
        return TextRow((TextSpan(entry.ending, bold=True),), (TextSpan(state, role),))

    def _facts(self, entry: CatalogueEntry, job: Job | None, is_wide: bool) -> list[TextRow]:
        """Sizes, costs, results, and the table of the other metric."""
        catalogue = self._catalogue
        cost = None
        if entry.state != "built" and job is None:
            cost = words.price(catalogue.library, [entry.ending], self._jobs.workers)
        facts = [
            *words.facts(entry, catalogue.metric, cost, is_wide),
            *self._results(entry, is_wide),
            *self._other_table(entry.ending),
        ]
        return [TextRow((TextSpan(fact.label, "dim"), TextSpan(fact.value, at=11))) for fact in facts]

    def _dependents(self, endings: Sequence[str], width: int, room: int) -> list[TextRow]:
        """The endings that require this one, below their heading, or beside it if ``room`` has no row for them."""
        heading = TextSpan(_("Required by"), bold=True)
        if not room:
            (names,) = self._name_rows(endings, width - 13, 1)
            return [TextRow((heading, TextSpan("  "), *names.left))]
        return [TextRow((heading,)), *self._name_rows(endings, width, room)]

    def _results(self, entry: CatalogueEntry, is_wide: bool) -> list[LabelledValue]:
        """How often a built ending is won."""
        if entry.state != "built":
            return []
        try:
            return [LabelledValue(_("results"), brief(EndingProfile(self._catalogue.library, entry.ending), is_wide))]
        except EndgameError:  # deleted or damaged since it was listed
            return []

    def _other_table(self, ending: str) -> list[LabelledValue]:
        catalogue = self._catalogue
        other = catalogue.other
        if other is None:
            return []
        try:
            text = words.other_table(other.table(ending).size)
        except EndgameError:
            text = words.other_table(None, damaged=catalogue.entry(ending, other).state == "damaged")
        return [LabelledValue(other.game.metric.upper(), text)]

    def _building(self, job: Job, entry: CatalogueEntry, width: int) -> list[TextRow]:
        """Progress of the build, and where there is room a chart of the layers solved so far."""
        glyphs = self.look.glyphs
        share = job.share or 0.0
        name = ""
        if job.ending != entry.ending:
            name = f"{job.ending} "
        step = ""
        if job.steps:
            step = _("step {step} of {steps}").format(step=job.step or 1, steps=job.steps)
        if len(_("Building") + f" {name}{step}") > width:
            step = ""
            if job.steps:
                step = f"{job.step or 1}/{job.steps}"
        time_left = ""
        if job.seconds_left is not None and job.share is not None:
            time_left = _("{left} left").format(left=duration(job.seconds_left))
        bar_cells = round(width * share)
        rows = [
            TextRow((TextSpan(_("Building"), bold=True),), (TextSpan(name, "dim"), TextSpan(step, "faint"))),
            TextRow((TextSpan(glyphs.bar * bar_cells), TextSpan(glyphs.thin * (width - bar_cells), "faint"))),
            TextRow(
                (TextSpan(f"{round(100 * share)} %", bold=True), TextSpan(f"  {self._reached(job, width)}")),
                (TextSpan(time_left, "dim"),),
            ),
        ]
        if width >= _DETAIL_WIDE and job.sizes and job.ending == entry.ending:
            rows += [TextRow(), *self._layer_chart(job, entry, width)]
        return rows

    def _reached(self, job: Job, width: int) -> str:
        """The stage of a build, the placements or the layers it has solved."""
        if stage := words.stage(job):
            return stage
        if job.slices is not None:
            if width >= _DETAIL_WIDE:
                return words.placements(*job.slices)
            return words.reached(job)
        layers = [(_("White"), job.white), (_("Black"), job.black)]
        return " · ".join(f"{winner} S{n}" for winner, n in layers if n is not None)

    def _layer_chart(self, job: Job, entry: CatalogueEntry, width: int) -> list[TextRow]:
        """The sizes of the layers so far, as a chart over the whole width; dots stand for layers to come."""
        glyphs = self.look.glyphs
        longest = entry.longest or 0
        if longest and job.request.metric.in_moves:
            longest = 2 * longest - 1  # moves to plies: mate in m is layer S_(2m - 1)
        last_layer = max(longest, len(job.sizes) - 1, 1)
        chart_width = max(round(width * len(job.sizes) / (last_layer + 1)), 1)
        # Sizes of layers differ by factors of thousands. One is added, because a layer may be empty.
        largest = log(max(job.sizes) + 1) or 1.0
        chart = silhouette([log(number + 1) / largest for number in job.sizes], chart_width, glyphs)

        current_label = f"S{len(job.sizes) - 1}"
        last_label = f"S{longest}"
        labels = [TextSpan("S1", "dim")]
        if chart_width - len(current_label) > 3:
            labels.append(TextSpan(current_label, end=chart_width))
        if longest and width - len(last_label) > max(chart_width, 2) + 1:
            labels.append(TextSpan(last_label, "faint", end=width))
        to_come = TextSpan(glyphs.middle_dot * (width - chart_width), "faint")
        return [TextRow((TextSpan(chart, "winner_bar"), to_come)), TextRow(tuple(labels))]

    def _needs(self, entry: CatalogueEntry, size: Size, height: int) -> list[TextRow]:
        """The endings it requires, in at most ``height`` rows below a heading.

        If they are few and the panel is narrow, each has a row with its state, else they stand in columns.
        """
        catalogue = self._catalogue
        glyphs = self.look.glyphs
        needs = catalogue.needs(entry.ending)
        built = catalogue.built()
        has_states = size.width < _DETAIL_WIDE and len(needs) <= min(height, 4)
        per_row = 1
        if not has_states:
            per_row = max(size.width // 12, 1)
        room = height * per_row
        hidden = 0
        visible = needs
        if len(needs) > room:
            # The last place has the number of those that are not shown.
            hidden = len(needs) - room + 1
            visible = needs[: room - 1]

        rows: list[TextRow] = []
        for start in range(0, min(len(needs), room), per_row):
            spans: list[TextSpan] = []
            for column, need in enumerate(visible[start : start + per_row]):
                is_built = need in built
                if is_built:
                    spans.append(TextSpan(glyphs.check, "win", at=12 * column))
                else:
                    spans.append(TextSpan(glyphs.dot, "faint", at=12 * column))
                spans.append(TextSpan(f" {need}", "text" if is_built else "dim"))
                if has_states:
                    spans.append(TextSpan(self._need_state(need, is_built, entry), "dim", at=9))
            is_last_row = start + per_row >= room
            if hidden and is_last_row:
                more = _("{ellipsis} {hidden} more").format(ellipsis=glyphs.ellipsis, hidden=hidden)
                spans.append(TextSpan(more, "faint", at=12 * (per_row - 1)))
            rows.append(TextRow(tuple(spans)))

        count: tuple[TextSpan, ...] = ()
        if not has_states:
            built_count = sum(need in built for need in needs)
            text = _("{built} of {total} built").format(built=built_count, total=len(needs))
            count = (TextSpan(text, "faint"),)
        return [TextRow((TextSpan(_("Requires"), bold=True),), count), *rows]

    def _need_state(self, need: str, is_built: bool, entry: CatalogueEntry) -> str:
        """The state of an ending that ``entry`` requires."""
        if is_built:
            if self._catalogue.entry(need).longest is None:
                return _("built, all drawn")
            return _("built")
        if entry.state == "built":
            return NOT_BUILT
        return _("built first")

    def _name_rows(self, names: Sequence[str], width: int, max_rows: int) -> list[TextRow]:
        """Names in at most ``max_rows`` rows, and how many are left out."""
        glyphs = self.look.glyphs
        rows = [""]
        used = 0
        for number, name in enumerate(names):
            rest = f"{glyphs.ellipsis}{len(names) - number}"
            is_last_row = len(rows) == max_rows
            needs_rest = is_last_row and number < len(names) - 1
            # In the last row, each name but the last leaves room for the number of those that follow.
            length = len(name)
            if needs_rest:
                length += len(rest) + 2
            if used + length > width:
                if is_last_row:
                    cut = TextRow((TextSpan(rows.pop(), "dim"), TextSpan(rest, "faint")))
                    return [*(TextRow((TextSpan(row, "dim"),)) for row in rows), cut]
                rows.append("")
                used = 0
            rows[-1] += f"{name} "
            used += len(name) + 1
        return [TextRow((TextSpan(row, "dim"),)) for row in rows]

    def _tail(self, entry: CatalogueEntry, job: Job | None, width: int) -> list[TextRow]:
        """The queue, problems of the table, and the keys that matter."""
        rows: list[TextRow] = []
        if queue := self._jobs.waiting:
            rows += [TextRow(), TextRow((TextSpan(_("Queue"), bold=True),), (TextSpan(str(len(queue)), "faint"),))]
            rows += [self._queue_row(number, request, width) for number, request in enumerate(queue, start=1)]
        if job is not None:
            return rows
        owner = self._jobs.others(self._catalogue.library).get(entry.ending)
        if owner is not None:
            rows += [TextRow(), *wrapped(_("In use: {in_hand}.").format(in_hand=words.in_hand(owner)), width, "dim")]
        if entry.state == "damaged":
            reason = entry.reason[:1].upper() + entry.reason[1:].removesuffix(".") + "."
            rows += [TextRow(), *wrapped(reason, width, "dim")]
        if self._place:
            keys = (
                TextSpan(control("delete"), bold=True),
                TextSpan(_(" drop  "), "dim"),
                TextSpan(instruct("{queue_earlier} {queue_later}"), bold=True),
                TextSpan(_(" earlier, later"), "dim"),
            )
            return [*rows, TextRow(), TextRow((TextSpan(words.waits_for(len(entry.missing)), "dim"),)), TextRow(keys)]

        does = words.enter_does(entry, width >= _DETAIL_WIDE)
        enter = control("choose")
        about_key = control("about")
        keys = (TextSpan(enter, bold=True), TextSpan(f" {does}", "dim"))
        # The statistics are of the game's own metric, whichever is shown here.
        main_library = self._library(by_name(self._catalogue.library.game.name).metric)
        label = _("about")
        has_room = len(f"{enter} {does}  {about_key} {label}") <= width
        if has_room and entry.state != "damaged" and main_library.is_built(entry.ending):
            keys = (*keys, TextSpan(f"  {about_key}", bold=True), TextSpan(f" {label}", "dim"))
        return [*rows, TextRow(), TextRow(keys)]

    def _queue_row(self, number: int, request: BuildRequest, width: int) -> TextRow:
        """A queued build: its place, the ending, how many endings are built before it, its longest win."""
        ending = request.endings[-1]
        # The plan ends with the requested ending itself.
        before = words.first_built(len(self._library(request.metric).planner.plan(request.endings)) - 1)
        longest = request.metric.label
        if request.metric.in_moves:
            mate_in = self._library(request.metric).entry(ending).longest
            longest = ""
            if mate_in is not None:
                longest = _("mate in {mate_in}").format(mate_in=mate_in)
        right = ()
        if width >= _DETAIL_WIDE:
            right = (TextSpan(longest, "dim"),)
        return TextRow((TextSpan(f"{number} {ending}"), TextSpan(before, "dim", at=12)), right)


def _summary_row(built: int, listing: str, disk: str, width: int, glyphs: Glyphs) -> TextRow:
    """How many endings are built and what they take and, where there is room, the meaning of the marks in the list."""
    spans = (TextSpan(str(built), bold=True), TextSpan(listing), TextSpan(f"   {disk}", "dim"))
    built_mark = TextSpan(glyphs.check, "win"), TextSpan(_(" built  "), "faint")
    missing_mark = TextSpan(glyphs.dot, "faint"), TextSpan(_(" not built "), "faint")
    legend = (*built_mark, *missing_mark)
    length = sum(len(span.text) for span in (*spans, *legend))
    if length + 3 <= width:
        return TextRow(spans, legend)
    return TextRow(spans)


SAMPLES = 1000
"""Positions whose values a verification derives again."""


def _verify(process: Task[Verified], report: Callable[[str], None]) -> tuple[str, str]:
    """Verify a table; return a message and its role."""
    result = process.run(lambda share: report(words.verifying(process.ending, share)))
    role = "win" if result.mismatch is None else "loss"
    return words.verified(result), role


class LibraryScreen(BaseScreen):
    """The catalogue of endings."""

    TASK = "library"
    CRUMB_ACTIONS = ("find", "metric")
    FOCUSABLE = (Endings,)
    PANELS = (Endings,)
    CSS_PATH = "library.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        METRIC,
        Key("a", "about", _("Statistics of the ending"), short=_("about"), rank=3),
        VERIFY.adapted(short=_("verify")),
        DELETE.adapted(_("Delete the table"), short=_("delete"), rank=3),
        Key("less_than_sign", "queue(-1)", _("Move up in the queue"), id="queue_earlier"),
        Key("greater_than_sign", "queue(1)", _("Move down in the queue"), id="queue_later"),
        Key("m", "build_all", _("Build all 3/4/5-piece tables"), priority=True, short=_("group")),
        Key("c", "compact", _("Compact the table")),
        SYZYGY.adapted(action="app.syzygy", games=CHESS, short=_("Syzygy")),
        FIND.adapted(_("Find an ending"), rank=1),
        PROMPT.adapted(_("Find an ending"), action="find"),
        LEAVE.adapted(_("Back to the list")),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._catalogues: dict[str, Catalogue] = {}

    def body(self) -> ComposeResult:
        """Yield the summary, the list and the detail."""
        yield Lines(id="summary", indent=1)
        with Horizontal(id="main"):
            yield Endings(id="endings", steady=True)
            yield EndingDetail(self.jobs, self.lab.library, id="detail")
            yield Lines(id="statistics")

    def on_mount(self) -> None:
        """Focus the list; it is filled by the first resize, when the size is known."""
        self.set_focus(self.home())

    def on_resize(self) -> None:
        """Update the screen; high screens keep a row free for messages."""
        self.strip.reserved = self.size.height >= 24
        self.show()

    def home(self) -> Widget:
        """The list."""
        return self.query_one(Endings)

    # What is shown

    @property
    def catalogue(self) -> Catalogue:
        """The endings of the game; at first the cursor is on the one being built."""
        if self.game not in self._catalogues:
            metrics = metrics_of(self.game)
            job = self.jobs.job
            building = None
            if job is not None and job.request.metric in metrics:
                building = job.request.endings[-1]
            self._catalogues[self.game] = Catalogue([self.lab.library(metric) for metric in metrics], building)
        return self._catalogues[self.game]

    @property
    def _job(self) -> Job | None:
        """The running build if it is by the metric that is shown."""
        job = self.jobs.job
        if job is not None and job.request.metric == self.catalogue.metric:
            return job
        return None

    def show(self) -> None:
        """Update everything on the screen."""
        catalogue = self.catalogue
        library = catalogue.library
        metric = ()
        if catalogue.other:
            metric = (_("by {metric}").format(metric=catalogue.metric.upper()),)
        self.crumbs(self.face.name or _("Chess"), _("all endings"), *metric, named=False)

        built, total = catalogue.count()
        lock_owners = self.jobs.others(library)
        listing = words.listing(total, self.jobs.job is not None, len(self.jobs.waiting), len(lock_owners))
        disk = words.disk(library.disk.used_bytes(), library.disk.free_bytes())
        self.query_one("#summary", Lines).show(
            lambda size: [_summary_row(built, listing, disk, size.width, self.look.glyphs)]
        )
        self.strip.show_job(self.jobs.job, words.others(lock_owners))
        places = self.jobs.places(catalogue.metric)
        self.query_one(Endings).show_catalogue(catalogue, self._job, places, lock_owners)
        self._show_detail()

    def _show_detail(self) -> None:
        detail = self.query_one(EndingDetail)
        job = self._job
        # The detail shows a build only if it is about the ending under the cursor.
        if job is not None and self.catalogue.ending not in (job.ending, *job.request.endings):
            job = None
        detail.show_catalogue(self.catalogue, job)
        self._show_statistics()
        # The strip need not repeat a build that the detail shows.
        self.strip.quiet = job is not None and bool(detail.size.width) and self.size.width >= 100

    def _show_statistics(self) -> None:
        """Show the statistics of a built ending in the third column of a large screen."""
        statistics = self.query_one("#statistics", Lines)
        ending = self.catalogue.ending
        profile: EndingProfile | None = None
        if ending is not None and self.has_class("-huge") and self.catalogue.entry(ending).state == "built":
            # The table may have been deleted or damaged since it was listed.
            with suppress(EndgameError):
                profile = EndingProfile(self.catalogue.library, ending)
        if profile is None or ending is None:
            statistics.show(())
            return
        statistics.show(lambda size: statistics_rows(profile, ending, size, self.look.glyphs))

    # Builds and tables

    def build_progressed(self) -> None:
        """Show the progress in the list, the detail and the strip."""
        self.show()

    def tables_changed(self) -> None:
        """Look up all tables again."""
        for catalogue in self._catalogues.values():
            catalogue.forget()
        self.show()

    def build_finished(self, event: Ended) -> None:
        """Report a build that succeeded, unless the next one has started."""
        if self.jobs.job is None:
            self.say(event.words, "win")

    # Keys

    @on(Rows.Pointed, "#endings")
    def _pointed(self, event: Rows.Pointed) -> None:
        if event.key is None:  # the list is still empty
            return
        self.catalogue.cursor = event.key
        if not event.entered:
            self.say()
        self._show_detail()

    def action_fold(self, fold: bool) -> None:
        """Fold or unfold the group of the cursor."""
        self.catalogue.fold(fold)
        self.show()

    @on(Rows.Chosen, "#endings")
    async def _chosen(self, event: Rows.Chosen) -> None:
        catalogue = self.catalogue
        ending = event.key
        job = self._job
        if not isinstance(ending, str):  # a group
            self.action_fold(ending not in catalogue.folded)
        elif job is not None and ending in (job.ending, *job.request.endings):
            self.say(_("{ending} is being built.").format(ending=ending))
        elif catalogue.entry(ending).state == "built":
            await self.host.open("explore", Request(self.game, text=ending, metric=catalogue.metric))
        else:
            self._build_or_ask(ending)

    def _build_or_ask(self, ending: str) -> None:
        """Build an ending; ask first if that takes long, or more space than there is on the disk."""
        catalogue = self.catalogue
        cost = words.price(catalogue.library, [ending], self.jobs.workers)
        free = catalogue.library.disk.free_bytes()
        if cost.peak <= free and not cost.is_long:
            self._build([ending])
            return
        choices = self.build_choices(cost, partial(self._build, [ending]))
        metric = None
        if catalogue.metric.label:
            metric = catalogue.metric
        question = words.offers([ending], metric, cost, self.last_row.room(*choices))
        if cost.peak > free:
            question = words.asks_to_build(cost, free)
        self.last_row.ask(question, *choices)

    def _build(self, endings: Sequence[str], keep_requested_only: bool = False) -> None:
        self.say()
        self.jobs.build(endings, self.catalogue.metric, keep_requested_only=keep_requested_only)

    def action_leave(self) -> None:
        """Clear the message and focus the list."""
        self.say()
        self.set_focus(self.home())

    def action_metric(self) -> None:
        """Show the tables of the other metric."""
        self.say()
        self.catalogue.turn()
        self.show()

    def action_about(self) -> None:
        """Open the statistics of the ending under the cursor."""
        from endgame_tui.screens.about import AboutScreen

        ending = self.catalogue.ending
        self.say()
        if ending is None or not self.lab.explorer_of(self.game).library.is_built(ending):
            main_metric = by_name(self.game).metric
            # The statistics are of the main metric: it is named if the other one is shown.
            named_metric = None if main_metric == self.catalogue.metric else main_metric
            self.say(words.not_known_yet(ending, named_metric))
            return
        self.app.push_screen(AboutScreen(ending))

    # Verify, compact, delete, build a set, find

    def action_verify(self) -> None:
        """Verify the table: its checksums, then a sample of positions derived again."""
        from endgame_core.tables.table_task import verifying

        catalogue = self.catalogue
        ending = catalogue.ending
        if ending is None or catalogue.entry(ending).state != "built":
            self.say(_("only a built table can be verified."))
            return
        process = verifying(catalogue.library, ending, SAMPLES)
        self._run_task(words.verifying(ending, 0), partial(_verify, process), process)

    def action_compact(self) -> None:
        """Ask for a smaller form of the table and rewrite it."""
        from endgame_core.tables.table_task import compacting

        ending = self.catalogue.ending
        library = self.catalogue.library
        entry = None
        if ending:
            entry = self.catalogue.entry(ending)
        if entry is None or entry.state != "built":
            self.say(_("only a built table can be compacted."))
            return

        def compact(form: Form) -> None:
            process = compacting(library, entry.ending, form)

            def work(report: Callable[[str], None]) -> tuple[str, str]:
                sizes = process.run(lambda share: report(words.compacting(entry.ending, share)))
                return words.compacted(entry.ending, *sizes), "win"

            self._run_task(words.compacting(entry.ending, 0), work, process)

        def choice(form: Form, byte_size: int) -> Choice:
            key = "l" if form == "lean" else "c"
            return Choice(key, words.form_of(form, byte_size), partial(compact, form))

        forms = library.disk.forms(entry.ending)
        if forms:
            self.last_row.ask(words.asks_to_compact(entry), *starmap(choice, forms.items()))
        else:
            self.say(words.as_small_as_it_gets(entry.ending))

    def _run_task(
        self, first_message: str, work: Callable[[Callable[[str], None]], tuple[str, str]], process: Task[Any]
    ) -> None:
        """Work on a table in a thread, one at a time.

        Args:
            first_message: Message shown at once.
            work: Gets a function to report progress with; returns the last message and its role.
            process: The process that ``work`` runs, which the user can cancel.
        """
        if self.jobs.table_task is not None:
            self.say(_("only one verification or compaction can run at a time."))
            return

        def report(message: str) -> None:
            self.call_later(self.say, message)

        def finish(message: str, role: str) -> None:
            self.jobs.table_task = None
            self.jobs.changed()
            self.catch_up()
            self.say(message, role)

        def fail(problem: EndgameError) -> None:
            # A cancelled task is no error to the user, who has cancelled it.
            role = "text" if isinstance(problem, BuildCancelledError) else "loss"
            finish(str(problem), role)

        # Set in the app's thread before the worker starts, so that x can cancel it at once.
        self.jobs.table_task = process
        self.say(first_message)
        self.run_in_thread(partial(work, report), lambda outcome: finish(*outcome), "verify", fail)

    def action_delete(self) -> None:
        """Remove the ending from the queue, or ask and delete its table."""
        catalogue = self.catalogue
        ending = catalogue.ending
        entry = None
        if ending:
            entry = catalogue.entry(ending)
        # An ending that waits has no table yet: the key removes it from the queue.
        if ending is not None and self.jobs.drop(ending, catalogue.metric):
            self.say(words.not_waiting(ending))
            return
        if entry is None or entry.state not in ("built", "damaged"):
            self.say(_("there is no table to delete here."))
            return

        def delete() -> None:
            freed = catalogue.library.disk.remove(entry.ending)
            self.jobs.changed()
            self.catch_up()
            self.say(words.deleted(entry.ending, freed))

        if entry.owner in (SHARED, SHIPPED):
            delete()  # raises an error that explains why such tables cannot be deleted
            return
        dependents = catalogue.library.disk.one_sided_dependents(entry.ending)
        question = words.asks_to_delete(entry, catalogue.metric, dependents)
        self.last_row.ask(question, Choice("y", _("delete"), delete))

    def action_queue(self, step: int) -> None:
        """Move the ending under the cursor in the queue."""
        ending = self.catalogue.ending
        self.say()
        if ending is None or not self.jobs.move(ending, self.catalogue.metric, step):
            self.say(_("only waiting builds can be moved, and only within the queue."))

    def action_build_all(self) -> None:
        """Ask for a set of endings, such as all with three pieces, and build those that are missing."""
        catalogue = self.catalogue
        library = catalogue.library

        def ask(men: tuple[int, ...]) -> None:
            endings = catalogue.missing(men)
            if not endings:
                self.say(words.all_built(men, library.game.listing.unit))
                return
            question = words.asks_to_build(words.price(library, endings, self.jobs.workers), library.disk.free_bytes())
            self.last_row.ask(question, Choice("enter", _("build"), lambda: self._build(endings)))

        self.say()
        sets = library.game.listing.sets
        choices = [Choice(key, label, partial(ask, men)) for key, label, men in sets]
        self.last_row.ask(_("Build all endings of"), *choices)

    def action_find(self) -> None:
        """Ask for the name of an ending; the cursor follows while it is typed."""
        example = self.catalogue.library.game.listing.example
        self.say()

        def go_to(text: str) -> None:
            self.catalogue.go_to(text)
            self.say()
            self.show()

        def preview(text: str) -> None:
            # A name that is not complete yet is no error while it is typed.
            if self.catalogue.find(text):
                self.show()

        self.last_row.prompt("/", _("a name, such as {example}").format(example=example), go_to, on_change=preview)
