"""The rows of words: verdict, reason, best line, FEN."""

from __future__ import annotations

from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_core.words.told import Headline, Line, Said
from endgame_tui.widgets.canvas import Canvas, Ink


class VerdictRow(Canvas):
    """Who is to move, and what the table says."""

    view: reactive[Headline] = reactive(Headline(), repaint=False)
    """What to show."""

    def draw(self) -> list[Strip]:
        """Mover left, result right; or one below the other."""
        pen, glyphs, width, view = self.look.palette, self.look.glyphs, self.size.width, self.view
        if not view.mover:
            return [self.row().strip(width)]
        result = glyphs.plain(view.result)
        row = self.row().put(glyphs.white if view.white else glyphs.black, pen("text"))
        if self.size.height > 1:
            row.put(f" {view.mover}", pen("text", bold=True))
            second = self.row().put(result, pen(view.role, bold=True))
            return [row.strip(width), second.right(view.aside, pen("dim"), width).strip(width)]
        if row.width + len(view.mover) + len(result) + 3 <= width:
            row.put(f" {view.mover}", pen("text", bold=True))
        row.right(result, pen(view.role, bold=True), width)
        return [row.strip(width)]


class ReasonRow(Canvas):
    """What the position is, and why the best move is best."""

    view: reactive[Said] = reactive(Said(), repaint=False)
    """What to show."""

    def draw(self) -> list[Strip]:
        """One row, shortened with an ellipsis when too long."""
        pen, glyphs, width, view = self.look.palette, self.look.glyphs, self.size.width, self.view
        row = self.row().to(1)
        gap = "" if not view.heading else "  " if width >= 60 else ": "
        row.put(view.heading, pen(view.role, bold=True))
        space = width - row.width - len(gap) - 1
        text = view.sentence
        if len(text) > space:
            cut = max(space - len(glyphs.more), 0)
            clause = max(text.rfind(";", 0, cut + 1), text.rfind(",", 0, cut + 1))
            text = (text[:clause] if clause > space // 3 else text[:cut].rsplit(" ", 1)[0]) + glyphs.more
        row.put(gap + text, pen("text"))
        if text == view.sentence and row.width + 2 + len(view.aside) <= width:
            row.put(f"  {view.aside}" if view.aside else "", pen("dim"))
        return [row.strip(width)]


class Paragraph(Canvas):
    """Some sentences, broken between words."""

    text: reactive[str] = reactive("", repaint=False)
    """What to show."""

    def watch_text(self) -> None:
        """Shows other words."""
        self.redraw()

    def draw(self) -> list[Strip]:
        """As many rows as there is room for."""
        pen, width = self.look.palette, self.size.width
        rows: list[str] = []
        for word in self.text.split():
            if rows and len(rows[-1]) + 1 + len(word) <= width - 2:
                rows[-1] += f" {word}"
            else:
                rows.append(word)
        return [self.row().to(1).put(row, pen("dim")).strip(width) for row in rows]


class LineRows(Canvas):
    """The best line, as many moves as the rows hold."""

    view: reactive[Line] = reactive(Line(), repaint=False)
    """What to show."""

    def draw(self) -> list[Strip]:
        """Moves in pairs, wrapped between pairs."""
        pen, width, height = self.look.palette, self.size.width, self.size.height
        if not self.view.moves:
            return [self.row().strip(width)]
        row = self.row().to(1).put("Line", pen("text", bold=True)).to(6)
        rows = [row]
        pairs = self._pairs()
        more, plies = self.look.glyphs.more, self.view.plies
        tail = 0 if self.view.complete else len(more) + 3 * (plies > 0)
        for number, pair in enumerate(pairs):
            length = sum(len(text) for text, _ in pair)
            last_row = len(rows) == height
            reserve = len(more) + 1 + 3 * (plies > 0) if last_row and number < len(pairs) - 1 else tail
            gap = row.width > 6
            if row.width + gap + length + reserve > width - 1:
                if last_row:
                    row.put(f" {more}{plies - number if plies else ''}", pen("faint"))
                    return [row.strip(width) for row in rows]
                row, gap = self.row().to(6), False
                rows.append(row)
            if gap:
                row.put(" ", pen("text"))
            row.write(pair)
        if tail:
            row.put(f" {more}{plies - len(pairs) if plies else ''}", pen("faint"))
        return [row.strip(width) for row in rows]

    def _pairs(self) -> list[list[Ink]]:
        """The moves as White's and Black's, numbered."""
        pen, view = self.look.palette, self.view
        pairs: list[list[Ink]] = []
        offset = 0 if view.white else 1
        for ply, move in enumerate(view.moves):
            strong = (ply % 2 == 0) == view.strong_first
            style = pen("text" if strong else "dim")
            if ply == 0:
                style = pen("amber", bold=True)
            if not view.numbered:
                pairs.append([(move, style)])
            elif (ply + offset) % 2 == 0 or ply == 0:
                dots = "." if (ply + offset) % 2 == 0 else self.look.glyphs.more
                pairs.append([(f"{(ply + offset) // 2 + view.first}{dots}", pen("faint")), (move, style)])
            else:
                pairs[-1].append((f" {move}", style))
        return pairs


class FenRow(Canvas):
    """The position in FEN; a click copies it."""

    fen: reactive[str] = reactive("", repaint=False)
    """What to show."""

    label = "FEN"
    """What it is called."""

    class Copied(Message):
        """The row was clicked."""

    def watch_fen(self) -> None:
        """Shows a new FEN."""
        self.redraw()

    def on_click(self, _event: Click) -> None:
        """Asks for a copy."""
        self.post_message(self.Copied())

    def draw(self) -> list[Strip]:
        """The FEN, and the key that copies it."""
        pen, width = self.look.palette, self.size.width
        row = self.row()
        if self.fen:
            row.to(1).put(f"{self.label}  {self.fen}", pen("faint"))
            hint = f"c copy {self.label}" if width >= 100 else "c copy"
            if row.width + len(hint) + 2 < width:
                row.right(hint, pen("faint"), width - 1)
        return [row.strip(width)]
