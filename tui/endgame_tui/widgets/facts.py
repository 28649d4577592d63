"""Small panels of facts: labels with values, keys with what they do, and the result of a game."""

from __future__ import annotations

from dataclasses import dataclass

from textual.reactive import reactive
from textual.strip import Strip

from endgame_core.words.told import Mark, Section
from endgame_tui.widgets.canvas import Canvas
from endgame_tui.widgets.lines import shortened


class FactsPanel(Canvas):
    """Sections one below the other; sections that do not fit are left out from the end."""

    view: reactive[tuple[Section, ...]] = reactive((), repaint=False)
    """What to show."""

    def draw(self) -> list[Strip]:
        """Titles bold, labels left, values right."""
        pen, glyphs, (width, height) = self.look.palette, self.look.glyphs, self.size
        strips: list[Strip] = []
        for section in self.view:
            rows = [self.row().put(section.title, pen("text", bold=True)).strip(width)]
            for fact in section.facts:
                row = self.row().put(glyphs.plain(fact.label), pen("dim"))
                value, room = glyphs.plain(fact.value), max(width - row.width - 1, 0)
                while len(value) > room and " " in value:
                    value = value.rpartition(" ")[0]
                row.right(value if len(value) <= room else value[:room], pen(fact.role), width)
                rows.append(row.strip(width))
            gap = [self.row().strip(width)] if strips else []
            if len(strips) + len(gap) + len(rows) > height:
                break
            strips += [*gap, *rows]
        return strips


class KeysPanel(Canvas):
    """A title, and keys with what they do here."""

    title = "Keys"

    view: reactive[tuple[tuple[str, str], ...]] = reactive((), repaint=False)
    """Keys and words."""

    def draw(self) -> list[Strip]:
        """One key in a row."""
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        if not self.view:
            return []
        rows = [self.row().put(self.title, pen("text", bold=True))]
        wide = max(len(glyphs.plain(key)) for key, _ in self.view) + 2
        for key, words in self.view:
            rows.append(self.row().put(glyphs.plain(key), pen("text", bold=True)).to(wide).put(words, pen("dim")))
        return [row.strip(width) for row in rows]


@dataclass(frozen=True, slots=True)
class ResultView:
    """How a game ended: a sentence, words at the right end, and the grades counted."""

    words: str = ""
    right: str = ""
    counts: tuple[Mark, ...] = ()


class ResultRows(Canvas):
    """The result, and the grades counted in their colours."""

    view: reactive[ResultView] = reactive(ResultView(), repaint=False)
    """What to show."""

    def draw(self) -> list[Strip]:
        """Two rows."""
        pen, glyphs, width, view = self.look.palette, self.look.glyphs, self.size.width, self.view
        head = self.row().put(shortened(glyphs.plain(view.words), width, glyphs.more), pen("text", bold=True))
        if head.width + len(view.right) + 2 <= width:
            head.right(glyphs.plain(view.right), pen("dim"), width)
        texts = [glyphs.plain(f"{mark.sign} {mark.words}") for mark in view.counts]
        gap = 3 if sum(map(len, texts)) + 3 * (len(texts) - 1) <= width else 1
        counts = self.row()
        for number, (text, mark) in enumerate(zip(texts, view.counts, strict=True)):
            counts.put(" " * gap if number else "", pen("text")).put(text, pen(mark.role))
        return [head.strip(width), counts.strip(width)]
