"""Rows of styled text: the one widget that prints sentences, facts, figures and lines of moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from textwrap import wrap

from rich.style import Style
from textual.geometry import Size

from endgame_core.language import _
from endgame_core.words.text_model import Headline, LineText, Message, Section, TextRow, TextSpan, note
from endgame_tui.look import Glyphs
from endgame_tui.widgets.canvas import Canvas, CanvasRow

Notes = Sequence[TextRow] | Callable[[Size], Sequence[TextRow]]
"""Rows of text, or a function that returns them for the size of the widget."""


class Lines(Canvas):
    """Rows of text. With ``height: auto`` it is as high as there are rows.

    Args:
        id: DOM id.
        indent: Columns left blank at the left end.
        ground: Role of the background colour.
    """

    def __init__(self, *, id: str | None = None, indent: int = 0, ground: str = "ground") -> None:
        super().__init__(id=id)
        self._indent = indent
        self._ground = ground
        self._notes: Notes = ()

    def show(self, notes: Notes) -> None:
        """Show other text."""
        self._notes = notes
        self.redraw()

    def content_rows(self, size: Size) -> int:
        """The number of rows."""
        return len(self._text_rows(size))

    def _text_rows(self, size: Size) -> Sequence[TextRow]:
        if callable(self._notes):
            return self._notes(size)
        return self._notes

    def draw(self) -> list[CanvasRow]:
        """The text; a row that is too long, and the last row in sight if there are more, end in an ellipsis."""
        width, height = self.size
        text_rows = self._text_rows(self.size)
        is_cut = len(text_rows) > height
        rows: list[CanvasRow] = []
        for number, text_row in enumerate(text_rows[:height]):
            tail = ""
            if is_cut and number == height - 1:
                tail = f" {self.look.glyphs.ellipsis}"
            row = self.row(self._ground).pad_to(self._indent)
            rows.append(write(row, text_row, width - len(tail)).put(tail, "faint"))
        return rows


def write(
    row: CanvasRow, text_row: TextRow, width: int, style_of: Callable[[TextSpan], Style] | None = None
) -> CanvasRow:
    """Write styled text: spans one after the other or in their columns, those at the right end if there is room.

    A span before one with a column is shortened so that the column stays free.

    Args:
        row: The row to write to.
        text_row: The text.
        width: Columns of the row.
        style_of: Returns the style of a span; by default that of its role.

    Returns:
        The row.
    """

    def role_style(span: TextSpan) -> Style:
        return row.style(span.role, bold=span.bold)

    style_of = style_of or role_style
    glyphs = row.look.glyphs
    spans = [(span, glyphs.plain(span.text)) for span in text_row.left]
    is_cut = False
    for number, (span, text) in enumerate(spans):
        start = _column(span, len(text), width)
        # Once something is cut, what would follow it directly is dropped; so is a right-aligned span without room.
        if is_cut and start is None:
            continue
        if span.end is not None and (start or 0) < row.width:
            continue

        # The text may run up to the next span that has a column of its own, or to the end of the row.
        later = spans[number + 1 :]
        columns = [_column(later_span, len(later_text), width) for later_span, later_text in later]
        next_fixed = next((at for at, column in enumerate(columns) if column is not None), len(columns))
        stop = width
        if next_fixed < len(columns):
            # One blank before the next column, except behind a single sign, e.g. the pointer.
            stop = (columns[next_fixed] or 0) - (len(text) > 1)

        row.pad_to(max(start or 0, row.width))
        space = stop - row.width
        # Cut only if what follows directly does not fit, and there is no room behind this text for its ellipsis.
        following = sum(len(later_text) for __, later_text in later[:next_fixed])
        is_cut = len(text) + following > space and len(text) > space - len(glyphs.ellipsis)
        if is_cut:
            text = _ellipsized(text, space, glyphs.ellipsis)
        row.write([(text, style_of(span))])

    right = [(glyphs.plain(span.text), style_of(span)) for span in text_row.right]
    length = sum(len(text) for text, __ in right)
    # All of the right end or nothing: half a figure would be wrong.
    if length and row.width + 1 + length <= width:
        row.pad_to(width - length).write(right)
    return row


def _column(span: TextSpan, length: int, width: int) -> int | None:
    """The column where a span of some length starts; None if it follows the one before it."""
    if span.end is not None:
        # 0 and negative ends count from the right end of the row; so do negative starts below.
        end = span.end if span.end > 0 else width + span.end
        return end - length
    if span.at is not None:
        if span.at >= 0:
            return span.at
        return width + span.at
    return None


# Shortening


def truncate(text: str, space: int, ellipsis: str) -> str:
    """The text, cut to ``space`` columns with an ellipsis if it is longer."""
    if len(text) <= space:
        return text
    return _ellipsized(text, space, ellipsis)


def _ellipsized(text: str, space: int, ellipsis: str) -> str:
    """The text cut so that it fits with an ellipsis behind it; empty if there is no room for the ellipsis."""
    if space < len(ellipsis):
        return ""
    return text[: max(space - len(ellipsis), 0)].rstrip() + ellipsis


def _cut_at_clause(text: str, space: int, ellipsis: str) -> str:
    """A text that is too long, cut between clauses, else between words, with an ellipsis."""
    end = max(space - len(ellipsis), 0)
    clause_end = max(text.rfind(";", 0, end + 1), text.rfind(",", 0, end + 1))
    # A clause that ends in the first third would waste too much room.
    if clause_end > space // 3:
        return text[:clause_end] + ellipsis
    return text[:end].rsplit(" ", 1)[0] + ellipsis


# Text rows of several kinds


def section_rows(sections: Iterable[Section], size: Size, ellipsis: str, rule: str = "") -> list[TextRow]:
    """Sections of facts with their values at the right end, up to the first section that does not fit.

    Args:
        sections: The sections.
        size: The room.
        ellipsis: What values that are too long end in.
        rule: The character of the rules behind titles; empty for no rules.
    """
    result: list[TextRow] = []
    for title, facts in sections:
        line = rule * (size.width - len(title) - 1)
        rows = [TextRow((TextSpan(title, bold=True), TextSpan(f" {line}" if line else "", "loser_bar")))]
        for fact in facts:
            value = truncate(fact.value, max(size.width - len(fact.label) - 1, 0), ellipsis)
            rows.append(TextRow((TextSpan(fact.label, "dim"), TextSpan(value, fact.role, end=0))))
        # A blank row between sections; it counts as part of the section that may not fit.
        if result:
            rows.insert(0, TextRow())
        if len(result) + len(rows) > size.height:
            break
        result += rows
    return result


def key_rows(keys: Sequence[tuple[str, str]], title: str = "") -> list[TextRow]:
    """Keys and what they do, below a title."""
    if not keys:
        return []
    column = max(len(key) for key, __ in keys) + 2
    rows = [TextRow((TextSpan(key, bold=True), TextSpan(words, "dim", at=column))) for key, words in keys]
    if title:
        return [note(title, bold=True), *rows]
    return rows


def headline_rows(view: Headline, size: Size, glyphs: Glyphs) -> list[TextRow]:
    """The side to move and the verdict: in two rows or, if there is only one, side by side."""
    if not view.mover:
        return []
    result = glyphs.plain(view.result)
    side = TextSpan(glyphs.white if view.white else glyphs.black)
    mover = TextSpan(f" {view.mover}", bold=True)
    if size.height > 1:
        aside = ()
        if view.aside:
            aside = (TextSpan(view.aside, "dim"),)
        return [TextRow((side, mover)), TextRow((TextSpan(result, view.role, bold=True),), aside)]

    # In one row, the colour of the stone says who is to move if there is no room for the name.
    verdict = TextSpan(result, view.role, bold=True, end=0)
    if len(side.text + mover.text) + len(result) + 2 <= size.width:
        return [TextRow((side, mover, verdict))]
    return [TextRow((side, verdict))]


def message_rows(view: Message, size: Size, glyphs: Glyphs) -> list[TextRow]:
    """A heading and a sentence, wrapped to the available rows; text that does not fit is cut between clauses."""
    heading = glyphs.plain(view.heading)
    text = glyphs.plain(view.sentence)
    gap = ""
    if heading:
        gap = "  " if size.width >= 60 else ": "
    indent = len(heading + gap)
    # A blank column at both ends.
    room = max(size.width - 2, 1)

    rows = [text]
    if indent + len(text) > room:
        # NULs hold the place of the heading: textwrap would drop blanks.
        rows = wrap(text, room, initial_indent="\0" * indent, break_on_hyphens=False)
        rows[0] = rows[0][indent:]
    fits = len(rows) <= max(size.height, 1)
    last = max(min(size.height, len(rows)) - 1, 0)
    # Only the first row shares its room with the heading.
    last_indent = indent if last == 0 else 0
    if not fits:
        rows[last:] = [_cut_at_clause(" ".join(rows[last:]), room - last_indent, glyphs.ellipsis)]

    result = [[TextSpan(heading, view.role, bold=True, at=1), TextSpan(gap + rows[0])]]
    result += [[TextSpan(row, at=1)] for row in rows[1:]]
    aside = glyphs.plain(view.aside)
    if aside and fits and 1 + last_indent + len(rows[-1]) + 2 + len(aside) <= size.width:
        result[-1].append(TextSpan(f"  {aside}", "dim"))
    return [TextRow(tuple(spans)) for spans in result]


_LINE_INDENT = 6
"""The column where the moves of a line start, right of its title."""


def line_rows(view: LineText, size: Size, glyphs: Glyphs) -> list[TextRow]:
    """A line of moves in pairs, wrapped between pairs, as many as fit; then the number of moves not shown."""
    if not view.moves:
        return []
    rows: list[list[TextSpan]] = [[TextSpan(_("Line"), bold=True, at=1)]]
    used = _LINE_INDENT
    pairs = _pairs(view, glyphs)

    def hidden(shown_pairs: int) -> TextSpan:
        count = ""
        if view.plies:
            count = view.plies - shown_pairs
        return TextSpan(f" {glyphs.ellipsis}{count}", "faint")

    # The ellipsis and a number of up to three digits, where the number of plies is known.
    hidden_length = len(glyphs.ellipsis) + 3 * (view.plies > 0)
    tail = 0 if view.complete else hidden_length
    for number, pair in enumerate(pairs):
        length = sum(len(span.text) for span in pair)
        is_last_row = len(rows) == size.height
        is_last_pair = number == len(pairs) - 1
        # In the last row, room is kept for the number of moves that are not shown, until nothing can follow.
        if is_last_row and not is_last_pair:
            reserve = hidden_length + 1
        else:
            reserve = tail
        gap = used > _LINE_INDENT
        if used + gap + length + reserve > size.width - 1:
            if is_last_row:
                rows[-1].append(hidden(number))
                return [TextRow(tuple(row)) for row in rows]
            rows.append([])
            used = _LINE_INDENT
            gap = False
        if gap:
            rows[-1].append(TextSpan(" "))
        # The first pair of a row starts in the column of the moves, the others follow the one before them.
        column = None if gap else _LINE_INDENT
        rows[-1] += [replace(pair[0], at=column), *pair[1:]]
        used += gap + length
    if tail:
        rows[-1].append(hidden(len(pairs)))
    return [TextRow(tuple(row)) for row in rows]


def _pairs(view: LineText, glyphs: Glyphs) -> list[list[TextSpan]]:
    """The moves in pairs of White's and Black's, each with its number; one by one if they are not numbered."""
    pairs: list[list[TextSpan]] = []
    offset = 0 if view.white else 1
    for ply, move in enumerate(view.moves):
        # The moves of the winning side are bright, those of the other side dim; the next move is amber.
        is_strong = (ply % 2 == 0) == view.strong_first
        is_white = (ply + offset) % 2 == 0
        role = "text" if is_strong else "dim"
        if ply == 0:
            role = "amber"

        if not view.numbered:
            pairs.append([TextSpan(move, role, ply == 0)])
        elif is_white or ply == 0:
            number = (ply + offset) // 2 + view.first
            dots = "." if is_white else glyphs.ellipsis
            pairs.append([TextSpan(f"{number}{dots}", "faint"), TextSpan(move, role, ply == 0)])
        else:
            pairs[-1].append(TextSpan(f" {move}", role))
    return pairs
