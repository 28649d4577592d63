"""The detail of one ending: its price, what it needs, who wants it, how its build gets on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from textual.reactive import reactive
from textual.strip import Strip

from endgame_core.tables.library import Entry
from endgame_core.words import tables as told
from endgame_core.words.numbers import duration
from endgame_core.words.tables import Price
from endgame_tui.jobs import Job
from endgame_tui.widgets.canvas import Canvas, Ink, Row

WIDE = 50
"""From this width on there are more words, and the silhouette of the layers."""


@dataclass(frozen=True)
class DetailView:
    """What the panel shows.

    Attributes:
        entry: The ending; None for a group.
        title: The ending in words.
        price: What it costs with all that is built first, when anything is.
        wanted_by: Endings that need it.
        built: All built endings, and those whose positions are all drawn.
        drawn: Built endings without any win.
        job: The build under way, when it is of this ending.
        queue: What waits: name, endings before it, its longest win in words.
        metric: What the tables tell: ``dtm``, ``dtz`` or ``depth``.
        other: Label and words about the table of the other metric.
        heading: For a group, its name and a sentence.
        more: More sentences about it.
        version: Changes whenever anything does.
    """

    entry: Entry | None = None
    title: str = ""
    price: Price | None = None
    wanted_by: tuple[str, ...] = ()
    built: frozenset[str] = frozenset()
    drawn: frozenset[str] = frozenset()
    job: Job | None = None
    queue: tuple[tuple[str, str, str], ...] = ()
    metric: str = "dtm"
    other: tuple[str, str] = ("", "")
    heading: tuple[str, str] = ("", "")
    more: tuple[str, ...] = ()
    version: int = 0


class Detail(Canvas):
    """One ending in full."""

    view: reactive[DetailView] = reactive(DetailView(), repaint=False, always_update=True)
    """What to show."""

    def draw(self) -> list[Strip]:
        """Section by section."""
        width, view = self.size.width, self.view
        rows: list[Row] = []
        if view.entry is None:
            rows = self._group()
        else:
            rows += [*self._head(view.entry), self.row(), *self._facts(view.entry)]
            if view.job is not None:
                rows += [self.row(), *self._building(view.job, view.entry)]
            tail = self._tail(view.entry)
            if view.entry.needs:
                rows += [self.row(), *self._needs(view.entry, self.size.height - len(rows) - len(tail) - 2)]
            if view.job is None and view.wanted_by and len(rows) + len(tail) + 4 <= self.size.height:
                rows += [self.row(), self.row().put("Wanted by", self.look.palette("text", bold=True))]
                rows += [self.row().write(line) for line in self._names(view.wanted_by)]
            rows += tail
        return [row.strip(width) for row in rows]

    def _group(self) -> list[Row]:
        pen = self.look.palette
        name, words = self.view.heading
        rows = [self.row().put(name, pen("text", bold=True))]
        for sentence in (words, *self.view.more):
            lines = wrapped(self.look.glyphs.plain(sentence), self.size.width)
            rows += [self.row().put(line, pen("dim")) for line in lines]
        return rows

    def _head(self, entry: Entry) -> list[Row]:
        pen, width = self.look.palette, self.size.width
        building = self.view.job is not None
        role = "amber" if building else "loss" if entry.state == "damaged" else "dim"
        state = told.state(entry, self.view.metric, building)
        title = self.row().put(entry.ending, pen("text", bold=True)).right(state, pen(role), width)
        lines = wrapped(self.view.title, width)[:2]
        return [title, *(self.row().put(line, pen("dim")) for line in lines)]

    def _facts(self, entry: Entry) -> list[Row]:
        pen, glyphs, view = self.look.palette, self.look.glyphs, self.view
        facts = [
            (fact.label, fact.value) for fact in told.facts(entry, view.metric, view.price, self.size.width >= WIDE)
        ]
        if view.other[0]:
            facts.append(view.other)
        return [
            self.row().put(label, pen("dim")).to(11).put(glyphs.plain(value), pen("text")) for label, value in facts
        ]

    def _building(self, job: Job, entry: Entry) -> list[Row]:
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        title = self.row().put("Building", pen("text", bold=True))
        if job.steps:
            title.right(f"step {job.step or 1} of {job.steps}", pen("faint"), width)
        share = job.share or 0.0
        done = round(width * share)
        bar = self.row().put(glyphs.bar * done, pen("text"))
        bar.put(glyphs.thin * (width - done), pen("faint"))
        words = self.row().put(f"{round(100 * share)} %", pen("text", bold=True))
        words.put(f"  {self._reached(job)}", pen("text"))
        left = "" if job.left is None or job.share is None else f"{glyphs.plain(duration(job.left))} left"
        if words.width + 2 + len(left) <= width:
            words.right(left, pen("dim"), width)
        rows = [title, bar, words]
        if width >= WIDE and job.sizes:
            rows += [self.row(), *self._silhouette(job, entry)]
        return rows

    def _reached(self, job: Job) -> str:
        if job.stage:
            return job.stage
        if job.slices is not None:
            done, total = job.slices
            if self.size.width >= WIDE:
                return told.placements(done, total)
            return job.layer_words
        sides = [("White", job.white), ("Black", job.black)]
        middle = f" {self.look.glyphs.middle} "
        return middle.join(f"{name} S{n}" for name, n in sides if n is not None)

    def _silhouette(self, job: Job, entry: Entry) -> list[Row]:
        """The layers so far, as many columns as there is room; those to come are dots."""
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        known = entry.longest or 0
        if known and self.view.metric == "dtm":
            known = 2 * known - 1
        last = max(known, len(job.sizes) - 1, 1)
        done = max(round(width * len(job.sizes) / (last + 1)), 1)
        top = log(max(job.sizes) + 1) or 1.0
        chart = self.row()
        for column in range(done):
            size_ = job.sizes[min(column * len(job.sizes) // done, len(job.sizes) - 1)]
            height = round((len(glyphs.levels) - 1) * log(size_ + 1) / top)
            chart.put(glyphs.levels[height], pen("winner_bar"))
        chart.put(glyphs.middle * (width - done), pen("faint"))
        labels = self.row().put("S1", pen("dim"))
        here = f"S{len(job.sizes) - 1}"
        if done - len(here) > 3:
            labels.right(here, pen("text"), done)
        if known and width - len(f"S{known}") > labels.width + 1:
            labels.right(f"S{known}", pen("faint"), width)
        return [chart, labels]

    def _needs(self, entry: Entry, space: int) -> list[Row]:
        """The endings it needs; at most ``space`` rows of them, but one at least."""
        pen, glyphs, width, view = self.look.palette, self.look.glyphs, self.size.width, self.view
        have = [need for need in entry.needs if need in view.built]
        title = self.row().put("Needs", pen("text", bold=True))
        if width >= WIDE or len(entry.needs) > 4:
            title.right(f"{len(have)} of {len(entry.needs)} built", pen("faint"), width)
        rows = [title]
        per_row = max(width // 12, 1) if width >= WIDE or len(entry.needs) > 4 else 1
        for start in range(0, len(entry.needs), per_row):
            row = self.row()
            for column, need in enumerate(entry.needs[start : start + per_row]):
                built = need in view.built
                row.to(12 * column)
                row.put(glyphs.check if built else glyphs.nothing, pen("win" if built else "faint"))
                row.put(f" {need}", pen("text" if built else "dim"))
                if per_row == 1:
                    words = "built, all drawn" if need in view.drawn else "built"
                    row.to(9).put(words if built else "built first", pen("dim"))
            rows.append(row)
        if len(rows) - 1 > max(space, 1):
            shown = max(space - 1, 1)
            rest = self.row().put(f"{glyphs.more} {len(entry.needs) - shown * per_row} more", pen("faint"))
            rows[1 + shown :] = [rest]
        return rows

    def _tail(self, entry: Entry) -> list[Row]:
        """What waits, and what Enter does."""
        pen, width, view = self.look.palette, self.size.width, self.view
        rows: list[Row] = []
        if view.queue:
            title = self.row().put("Queue", pen("text", bold=True))
            rows += [self.row(), title.right(str(len(view.queue)), pen("faint"), width)]
            for number, (name, before, longest) in enumerate(view.queue, start=1):
                row = self.row().put(f"{number} {name}", pen("text")).to(12).put(before, pen("dim"))
                rows.append(row.right(longest, pen("dim"), width) if width >= WIDE else row)
        if entry.state == "damaged" and view.job is None:
            rows += [self.row(), *self._words(entry.reason)]
        if view.job is None:
            does = told.enter_does(entry, width >= WIDE)
            row = self.row().put("Enter", pen("text", bold=True)).put(f" {does}", pen("dim"))
            rows += [self.row(), row]
        return rows

    def _words(self, text: str) -> list[Row]:
        sentence = text[:1].upper() + text[1:].removesuffix(".") + "."
        plain = self.look.glyphs.plain(sentence)
        return [self.row().put(line, self.look.palette("dim")) for line in wrapped(plain, self.size.width)]

    def _names(self, names: Sequence[str]) -> list[list[Ink]]:
        """Two rows of names, and how many more there are."""
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        rows: list[list[Ink]] = [[]]
        used = 0
        for number, name in enumerate(names):
            rest = f"{glyphs.more}{len(names) - number}"
            last = len(rows) == 2 and number < len(names) - 1
            if used + len(name) + (len(rest) + 2 if last else 0) > width:
                if len(rows) == 2:
                    rows[-1].append((rest, pen("faint")))
                    return rows
                rows.append([])
                used = 0
            rows[-1].append((f"{name} ", pen("dim")))
            used += len(name) + 1
        return rows


def wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most ``width`` characters, broken between words, and within those that are longer."""
    lines = [""]
    for word in (long[at : at + width] for long in text.split() for at in range(0, len(long), max(width, 1))):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines
