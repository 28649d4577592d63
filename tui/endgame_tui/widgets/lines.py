"""Rows of words in roles: the one widget that prints sentences, facts, figures and lines of moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from textwrap import wrap

from rich.style import Style
from textual.geometry import Size

from endgame_core.words.text_model import Headline, LineText, Message, Section, TextRow, TextSpan, note
from endgame_tui.look import Glyphs
from endgame_tui.widgets.canvas import Canvas, CanvasRow

Notes = Sequence[TextRow] | Callable[[Size], Sequence[TextRow]]
"""Rows of words; or what makes them for a size, asked again whenever that changes."""


class Lines(Canvas):
    """Rows of words, one note in each. With ``height: auto`` it is as high as they are many.

    Args:
        id: DOM id.
        indent: Columns left free at the left end.
        ground: Role of the paper.
    """

    def __init__(self, *, id: str | None = None, indent: int = 0, ground: str = "ground") -> None:
        super().__init__(id=id)
        self._indent, self._ground = indent, ground
        self._notes: Notes = ()

    def show(self, notes: Notes) -> None:
        """Shows other words."""
        self._notes = notes
        self.redraw()

    def high(self, size: Size) -> int:
        """As many rows as there are notes."""
        return len(self._made(size))

    def _made(self, size: Size) -> Sequence[TextRow]:
        return self._notes(size) if callable(self._notes) else self._notes

    def draw(self) -> list[CanvasRow]:
        """One note in a row; what is too long, or has no row any more, ends in an ellipsis."""
        width, height = self.size
        notes, rows = self._made(self.size), list[CanvasRow]()
        more = f" {self.look.glyphs.more}" if len(notes) > height else ""
        for each in notes[:height]:
            rest = more if len(rows) == height - 1 else ""
            rows.append(write(self.row(self._ground).to(self._indent), each, width - len(rest)).put(rest, "faint"))
        return rows


def write(row: CanvasRow, note: TextRow, width: int, ink: Callable[[TextSpan], Style] | None = None) -> CanvasRow:
    """Writes a note: words one after the other or in their columns, those at the right end if there is room.

    What comes before a word in a column is shortened so that the column stays free.

    Args:
        row: Where to write.
        note: What to write.
        width: Columns of the row.
        ink: The style of a word, where that is not the one of its role.

    Returns:
        The row.
    """

    def plain(word: TextSpan) -> Style:
        return row.style(word.role, bold=word.bold)

    glyphs, ink = row.look.glyphs, ink or plain
    words = [(word, glyphs.plain(word.text)) for word in note.left]
    cut = False
    for number, (word, text) in enumerate(words):
        start = _column(word, len(text), width)
        if (start is None and cut) or (word.end is not None and (start or 0) < row.width):
            continue
        columns = [_column(later, len(plain), width) for later, plain in words[number + 1 :]]
        at = next((at for at, column in enumerate(columns) if column is not None), len(columns))
        stop = width if at == len(columns) else (columns[at] or 0) - (len(text) > 1)
        row.to(max(start or 0, row.width))
        space, following = stop - row.width, sum(len(plain) for _, plain in words[number + 1 : number + 1 + at])
        cut = len(text) + following > space and len(text) > space - len(glyphs.more)
        row.write([(_ended(text, space, glyphs.more) if cut else text, ink(word))])
    tail = [(glyphs.plain(word.text), ink(word)) for word in note.right]
    length = sum(len(text) for text, _ in tail)
    if length and row.width + 1 + length <= width:
        row.to(width - length).write(tail)
    return row


def _column(word: TextSpan, length: int, width: int) -> int | None:
    """Where a word begins that stands in a column."""
    if word.end is not None:
        return (word.end if word.end > 0 else width + word.end) - length
    if word.at is not None:
        return word.at if word.at >= 0 else width + word.at
    return None


# Words that fit


def shortened(words: str, space: int, more: str) -> str:
    """Words cut to a space, with an ellipsis where something is missing."""
    return words if len(words) <= space else _ended(words, space, more)


def _ended(words: str, space: int, more: str) -> str:
    """Words cut to a space in which they end in an ellipsis; nothing where it has no room."""
    return words[: max(space - len(more), 0)].rstrip() + more if space >= len(more) else ""


# Notes of several kinds


def listed(sections: Iterable[Section], size: Size, more: str) -> list[TextRow]:
    """Sections of facts, values at the right end; sections that do not fit are left out from the end."""
    notes: list[TextRow] = []
    for title, facts in sections:
        rows = [note(title, bold=True)]
        for each in facts:
            value = shortened(each.value, max(size.width - len(each.label) - 1, 0), more)
            rows.append(TextRow((TextSpan(each.label, "dim"), TextSpan(value, each.role, end=0))))
        gap = [TextRow()] if notes else []
        if len(notes) + len(gap) + len(rows) > size.height:
            break
        notes += [*gap, *rows]
    return notes


def keyed(keys: Sequence[tuple[str, str]], title: str = "") -> list[TextRow]:
    """Keys with what they do, below a title."""
    if not keys:
        return []
    wide = max(len(key) for key, _ in keys) + 2
    rows = [TextRow((TextSpan(key, bold=True), TextSpan(words, "dim", at=wide))) for key, words in keys]
    return [note(title, bold=True), *rows] if title else rows


def headline(view: Headline, size: Size, glyphs: Glyphs) -> list[TextRow]:
    """Who is to move, and what the table says: side by side, or one below the other."""
    if not view.mover:
        return []
    result, mover = glyphs.plain(view.result), TextSpan(f" {view.mover}", bold=True)
    side = TextSpan(glyphs.white if view.white else glyphs.black)
    if size.height > 1:
        return [
            TextRow((side, mover)),
            TextRow((TextSpan(result, view.role, bold=True),), (TextSpan(view.aside, "dim"),) if view.aside else ()),
        ]
    room = len(side.text + mover.text) + len(result) + 2 <= size.width
    return [TextRow((side, *([mover] if room else []), TextSpan(result, view.role, bold=True, end=0)))]


def said(view: Message, size: Size, glyphs: Glyphs) -> list[TextRow]:
    """A heading and a sentence, in as many rows as there are; what is too long ends between clauses in an ellipsis."""
    heading, text = glyphs.plain(view.heading), glyphs.plain(view.sentence)
    gap = "" if not heading else "  " if size.width >= 60 else ": "
    taken, room, more = len(heading + gap), max(size.width - 2, 1), glyphs.more
    rows = [text]
    if taken + len(text) > room:
        rows = wrap(text, room, initial_indent="\0" * taken, break_on_hyphens=False)
        rows[0] = rows[0][taken:]
    fits, last = len(rows) <= max(size.height, 1), max(min(size.height, len(rows)) - 1, 0)
    if not fits:
        room -= taken * (last == 0)
        rows[last:] = [_cut(" ".join(rows[last:]), room, more)]
    notes = [
        [TextSpan(heading, view.role, bold=True, at=1), TextSpan(gap + rows[0])],
        *([TextSpan(row, at=1)] for row in rows[1:]),
    ]
    aside = glyphs.plain(view.aside)
    if aside and fits and 1 + taken * (last == 0) + len(rows[-1]) + 2 + len(aside) <= size.width:
        notes[-1].append(TextSpan(f"  {aside}", "dim"))
    return [TextRow(tuple(words)) for words in notes]


def _cut(text: str, space: int, more: str) -> str:
    """A text that is too long, cut between clauses, else between words."""
    cut = max(space - len(more), 0)
    clause = max(text.rfind(";", 0, cut + 1), text.rfind(",", 0, cut + 1))
    return (text[:clause] if clause > space // 3 else text[:cut].rsplit(" ", 1)[0]) + more


def moves_line(view: LineText, size: Size, glyphs: Glyphs) -> list[TextRow]:
    """A line of moves in pairs, wrapped between pairs, as many as the rows hold."""
    if not view.moves:
        return []
    indent, plies = 6, view.plies
    rows: list[list[TextSpan]] = [[TextSpan("Line", bold=True, at=1)]]
    used = indent
    pairs = _pairs(view, glyphs)
    tail = 0 if view.complete else len(glyphs.more) + 3 * (plies > 0)
    for number, pair in enumerate(pairs):
        length = sum(len(word.text) for word in pair)
        last = len(rows) == size.height
        reserve = len(glyphs.more) + 1 + 3 * (plies > 0) if last and number < len(pairs) - 1 else tail
        gap = used > indent
        if used + gap + length + reserve > size.width - 1:
            if last:
                rows[-1].append(TextSpan(f" {glyphs.more}{plies - number if plies else ''}", "faint"))
                return [TextRow(tuple(row)) for row in rows]
            rows.append([])
            used, gap = indent, False
        first = replace(pair[0], at=None if gap else indent)
        rows[-1] += [*([TextSpan(" ")] if gap else []), first, *pair[1:]]
        used += gap + length
    if tail:
        rows[-1].append(TextSpan(f" {glyphs.more}{plies - len(pairs) if plies else ''}", "faint"))
    return [TextRow(tuple(row)) for row in rows]


def _pairs(view: LineText, glyphs: Glyphs) -> list[list[TextSpan]]:
    """The moves as White's and Black's, numbered."""
    pairs: list[list[TextSpan]] = []
    offset = 0 if view.white else 1
    for ply, move in enumerate(view.moves):
        strong = (ply % 2 == 0) == view.strong_first
        role = "amber" if ply == 0 else "text" if strong else "dim"
        if not view.numbered:
            pairs.append([TextSpan(move, role, ply == 0)])
        elif (ply + offset) % 2 == 0 or ply == 0:
            dots = "." if (ply + offset) % 2 == 0 else glyphs.more
            pairs.append(
                [TextSpan(f"{(ply + offset) // 2 + view.first}{dots}", "faint"), TextSpan(move, role, ply == 0)]
            )
        else:
            pairs[-1].append(TextSpan(f" {move}", role))
    return pairs
