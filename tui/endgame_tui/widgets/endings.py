"""The endings of a game: a list by the number of their men, and one of them in detail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from typing import ClassVar

from textual.binding import BindingType
from textual.geometry import Size

from endgame_core.game import wanted_by
from endgame_core.tables.library import Entry, Library
from endgame_core.tasks.shelf import Shelf
from endgame_core.words import tables as words
from endgame_core.words.told import Fact, Note, Word, duration, positions, size, wrapped
from endgame_tui.jobs import Job, Wish
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.charts import silhouette
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import Item, Rows

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
        Key("left,h", "screen.fold(True)", "Fold the group", id="endings.fold"),
        Key("right,l", "screen.fold(False)", "Unfold the group", id="endings.unfold"),
        Key("pageup", "page(-1)", "Page up", id="endings.page-up"),
        Key("pagedown", "page(1)", "Page down", id="endings.page-down"),
        Key("enter,space", "choose", "Open or build", id="endings.choose", short="open, build", rank=1),
    ]

    _shelf: Shelf
    _job: Job | None = None

    def show_shelf(self, shelf: Shelf, job: Job | None) -> None:
        """Shows the endings, and how far a build of one of them has come."""
        self._shelf, self._job = shelf, job
        self.show(self._endings, cursor=shelf.cursor, head=self._heads)

    def _heads(self, size: Size) -> Note:
        """The headings of the columns."""
        stops, shelf = columns(size.width), self._shelf
        metric, other = shelf.catalogue.metric.upper(), "" if shelf.other is None else shelf.other.metric.upper()
        heads = [Word("Ending", "dim", at=3), Word(words.longest_heading(shelf.catalogue.metric), "dim", end=20)]
        if stops.positions:
            heads.append(Word("positions", "dim", end=stops.positions))
        if stops.size:
            heads.append(Word("size", "dim", end=stops.size))
        if other:
            heads.append(Word(metric if stops.words else metric[-1], "dim", at=stops.state))
            heads.append(Word(other if stops.words else other[-1], "faint", at=stops.other))
        elif stops.words:
            heads.append(Word("state", "dim", at=stops.state))
        return Note(tuple(heads))

    def _endings(self, size: Size) -> list[Item]:
        """The groups, and below those not folded their endings."""
        shelf, glyphs, stops = self._shelf, self.look.glyphs, columns(size.width)
        found: list[Item] = []
        unit = shelf.catalogue.library.game.listing.unit
        for men, endings in shelf.catalogue.groups.items():
            folded = men in shelf.folded
            built, total = shelf.catalogue.count(men)
            heading = Word(f"{men} {unit}", bold=True, at=3), Word(f"{built} of {total} built", "dim", at=13)
            sign = Word(glyphs.closed if folded else glyphs.opened, at=1)
            found.append(Item((sign, *heading), key=men, sticky=True))
            if not folded:
                found += [Item(key=ending, words=partial(self._ending, ending, stops)) for ending in endings]
        return found

    def _ending(self, ending: str, stops: Columns) -> tuple[Word, ...]:
        """The words of an ending's row."""
        glyphs, other, entry = self.look.glyphs, self._shelf.other, self._shelf.catalogue.entry(ending)
        is_built = entry.state == "built"
        role = "text" if is_built else "dim"
        nothing = glyphs.dash if is_built else glyphs.nothing
        found = [
            Word(entry.ending, role, at=3),
            Word(nothing if entry.longest is None else str(entry.longest), role, end=20),
        ]
        if stops.positions:
            found.append(Word(positions(entry.positions, entry.exact), role, end=stops.positions))
        if stops.size:
            found.append(Word(("" if is_built else "≈ ") + size(entry.size), role, end=stops.size))
        found += self._state(entry, stops)
        if other is not None:
            done = entry.ending in other.built
            found.append(Word(glyphs.check if done else glyphs.nothing, "win" if done else "faint", at=stops.other))
        return tuple(found)

    def _state(self, entry: Entry, stops: Columns) -> list[Word]:
        """Whether it is built, or how far its build has come."""
        glyphs, job = self.look.glyphs, self._job
        if job is not None and entry.ending == (job.ending or job.wanted[-1]):
            share = f" {round(100 * job.share)} %" if stops.words and job.share is not None else ""
            return [Word(glyphs.pointer, "amber", at=stops.state), Word(share)]
        glyph, word, role = _STATES[entry.state]
        text = Word(word if stops.words else "", "text" if entry.state == "built" else "faint")
        return [Word(getattr(glyphs, glyph), role, at=stops.state), text]


class EndingDetail(Lines):
    """One ending: what it is, what it costs, how its build gets on, what it needs and what needs it."""

    _shelf: Shelf
    _job: Job | None = None
    _queue: Sequence[Wish] = ()
    _library: Callable[[str], Library]

    def show_shelf(
        self, shelf: Shelf, job: Job | None, queue: Sequence[Wish], library: Callable[[str], Library]
    ) -> None:
        """Shows what the cursor is on.

        Args:
            shelf: The endings.
            job: The build under way, when it is of that ending.
            queue: What waits behind it.
            library: The tables of a metric.
        """
        self._shelf, self._job, self._queue, self._library = shelf, job, tuple(queue), library
        self.show(self._group if shelf.ending is None else self._detail)

    def _group(self, size: Size) -> list[Note]:
        """A group of endings."""
        men, catalogue = self._shelf.men, self._shelf.catalogue
        name = f"{men} {catalogue.library.game.listing.unit}"
        return [Note((Word(name, bold=True),)), *wrapped(words.group(*catalogue.count(men)), size.width, "dim")]

    def _detail(self, size: Size) -> list[Note]:
        """One ending: what it is, what it costs, how its build gets on, what it needs and what needs it."""
        catalogue, ending, wide = self._shelf.catalogue, self._shelf.ending or "", size.width >= WIDE
        entry, job, game = catalogue.entry(ending), self._job, catalogue.library.game
        state = words.state(entry, catalogue.metric, job is not None)
        role = "amber" if job is not None else "loss" if entry.state == "damaged" else "dim"
        cost = words.price(catalogue.library, [ending]) if entry.missing and job is None else None
        rows = [Note((Word(ending, bold=True),), (Word(state, role),))]
        rows += [*wrapped(game.title(ending), size.width, "dim")[:2], Note()]
        rows += [
            Note((Word(fact.label, "dim"), Word(fact.value, at=11)))
            for fact in (*words.facts(entry, catalogue.metric, cost, wide), *self._other(ending))
        ]
        if job is not None:
            rows += [Note(), *self._building(job, entry, size.width)]
        tail = self._tail(entry, job, size.width)
        if entry.needs:
            rows += [Note(), *self._needs(entry, size, size.height - len(rows) - len(tail) - 2)]
        wanted = wanted_by(game, ending)
        if job is None and wanted and len(rows) + len(tail) + 4 <= size.height:
            rows += [Note(), Note((Word("Wanted by", bold=True),)), *self._names(wanted, size.width)]
        return rows + tail

    def _other(self, ending: str) -> list[Fact]:
        """The table of the other metric, in a few words."""
        other = self._shelf.other
        if other is None:
            return []
        is_built = ending in other.built
        told = words.other_table(is_built, other.entry(ending).size if is_built else 0)
        return [Fact(other.metric.upper(), told)]

    def _building(self, job: Job, entry: Entry, width: int) -> list[Note]:
        """How far a build has come, and the layers so far."""
        glyphs, share = self.look.glyphs, job.share or 0.0
        done = round(width * share)
        step = (Word(f"step {job.step or 1} of {job.steps}", "faint"),) if job.steps else ()
        left = "" if job.left is None or job.share is None else f"{duration(job.left)} left"
        rows = [
            Note((Word("Building", bold=True),), step),
            Note((Word(glyphs.bar * done), Word(glyphs.thin * (width - done), "faint"))),
            Note(
                (Word(f"{round(100 * share)} %", bold=True), Word(f"  {self._reached(job, width)}")),
                (Word(left, "dim"),),
            ),
        ]
        return rows + ([Note(), *self._silhouette(job, entry, width)] if width >= WIDE and job.sizes else [])

    def _reached(self, job: Job, width: int) -> str:
        if job.stage:
            return job.stage
        if job.slices is not None:
            return words.placements(*job.slices) if width >= WIDE else job.layer_words
        sides = [("White", job.white), ("Black", job.black)]
        return " · ".join(f"{name} S{n}" for name, n in sides if n is not None)

    def _silhouette(self, job: Job, entry: Entry, width: int) -> list[Note]:
        """The layers so far, as many columns as there is room; those to come are dots."""
        glyphs, known = self.look.glyphs, entry.longest or 0
        if known and job.metric == "dtm":
            known = 2 * known - 1
        last = max(known, len(job.sizes) - 1, 1)
        done = max(round(width * len(job.sizes) / (last + 1)), 1)
        top = log(max(job.sizes) + 1) or 1.0
        chart = silhouette([log(number + 1) / top for number in job.sizes], done, glyphs)
        here, end = f"S{len(job.sizes) - 1}", f"S{known}"
        labels = [Word("S1", "dim")]
        if done - len(here) > 3:
            labels.append(Word(here, end=done))
        if known and width - len(end) > max(done, 2) + 1:
            labels.append(Word(end, "faint", end=width))
        to_come = Word(glyphs.middle * (width - done), "faint")
        return [Note((Word(chart, "winner_bar"), to_come)), Note(tuple(labels))]

    def _needs(self, entry: Entry, size: Size, space: int) -> list[Note]:
        """The endings it needs; at most ``space`` rows of them, but one at least."""
        catalogue, glyphs = self._shelf.catalogue, self.look.glyphs
        needs = catalogue.needs(entry.ending)
        tight = size.width < WIDE and len(needs) <= 4
        have = sum(need in catalogue.built for need in needs)
        many = () if tight else (Word(f"{have} of {len(needs)} built", "faint"),)
        per_row = 1 if tight else max(size.width // 12, 1)
        rows: list[Note] = []
        for start in range(0, len(needs), per_row):
            found: list[Word] = []
            for column, need in enumerate(needs[start : start + per_row]):
                is_built = need in catalogue.built
                sign = Word(
                    glyphs.check if is_built else glyphs.nothing, "win" if is_built else "faint", at=12 * column
                )
                found += [sign, Word(f" {need}", "text" if is_built else "dim")]
                if tight:
                    drawn = is_built and catalogue.entry(need).longest is None
                    state = "built, all drawn" if drawn else "built" if is_built else "built first"
                    found.append(Word(state, "dim", at=9))
            rows.append(Note(tuple(found)))
        if len(rows) > max(space, 1):
            shown = max(space - 1, 1)
            rows[shown:] = [Note((Word(f"{glyphs.more} {len(needs) - shown * per_row} more", "faint"),))]
        return [Note((Word("Needs", bold=True),), many), *rows]

    def _names(self, names: Sequence[str], width: int) -> list[Note]:
        """Two rows of names, and how many more there are."""
        glyphs, rows, used = self.look.glyphs, [""], 0
        for number, name in enumerate(names):
            rest = f"{glyphs.more}{len(names) - number}"
            last = len(rows) == 2 and number < len(names) - 1
            if used + len(name) + (len(rest) + 2 if last else 0) > width:
                if len(rows) == 2:
                    return [Note((Word(rows[0], "dim"),)), Note((Word(rows[1], "dim"), Word(rest, "faint")))]
                rows.append("")
                used = 0
            rows[-1] += f"{name} "
            used += len(name) + 1
        return [Note((Word(row, "dim"),)) for row in rows]

    def _tail(self, entry: Entry, job: Job | None, width: int) -> list[Note]:
        """What waits, what is wrong, and what Enter does."""
        rows: list[Note] = []
        if queue := self._queue:
            rows += [Note(), Note((Word("Queue", bold=True),), (Word(str(len(queue)), "faint"),))]
            rows += [self._waiting(number, wish, width) for number, wish in enumerate(queue, start=1)]
        if job is not None:
            return rows
        if entry.state == "damaged":
            reason = entry.reason[:1].upper() + entry.reason[1:].removesuffix(".") + "."
            rows += [Note(), *wrapped(reason, width, "dim")]
        does = words.enter_does(entry, width >= WIDE)
        return [*rows, Note(), Note((Word("Enter", bold=True), Word(f" {does}", "dim")))]

    def _waiting(self, number: int, wish: Wish, width: int) -> Note:
        """What waits: its name, endings before it, its longest win."""
        ending = wish.endings[-1]
        before = words.first_built(len(self._library(wish.metric).plan(wish.endings)) - 1)
        longest = "DTZ" if wish.metric == "dtz" else ""
        if wish.metric == "dtm":
            known = self._library("dtm").entry(ending).longest
            longest = "" if known is None else f"mate in {known}"
        right = (Word(longest, "dim"),) if width >= WIDE else ()
        return Note((Word(f"{number} {ending}"), Word(before, "dim", at=12)), right)
