"""The Moves panel: all legal moves, grouped by the layer they reach, best first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.look import Look
from endgame_tui.widgets.canvas import Canvas, Row
from endgame_tui.widgets.groups import Group, Piece, arrange, cell_width

_NOTED = 14
"""Columns of title and note, where they stand in the row of the moves."""


@dataclass(frozen=True, slots=True)
class MovesView:
    """What the panel shows.

    Attributes:
        groups: The moves, best group first.
        cursor: Number of the selected move, counted through all groups.
        notice: Words in place of moves: mate, stalemate, not built.
    """

    groups: tuple[Group, ...] = ()
    cursor: int | None = None
    notice: tuple[str, ...] = ()


class MovesPanel(Canvas, can_focus=True):
    """The moves; the cursor walks through them and Enter plays one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "point(-1)", "Previous move", show=False, id="moves.left"),
        Binding("right,l", "point(1)", "Next move", show=False, id="moves.right"),
        Binding("up,k", "line(-1)", "Row above", show=False, id="moves.up"),
        Binding("down,j", "line(1)", "Row below", show=False, id="moves.down"),
        Binding("home", "point(-999)", "First move", show=False, id="moves.home"),
        Binding("end", "point(999)", "Last move", show=False, id="moves.end"),
        Binding("enter,space", "choose", "Play it", show=False, id="moves.choose"),
    ]

    view: reactive[MovesView] = reactive(MovesView(), repaint=False)
    """What to show."""

    slim = False
    """Whether the panel is one move wide, without title, for the smallest screens."""

    compact = False
    """Whether every group takes one row only, its heading included."""

    @dataclass
    class Pointed(Message):
        """The cursor was moved to a move."""

        number: int

    @dataclass
    class Chosen(Message):
        """A move was chosen."""

        number: int

    @property
    def _count(self) -> int:
        return sum(len(group.moves) for group in self.view.groups)

    def action_point(self, steps: int) -> None:
        """Moves the cursor by moves."""
        if self._count:
            number = min(max((self.view.cursor or 0) + steps, 0), self._count - 1)
            self.post_message(self.Pointed(number))

    def action_line(self, rows: int) -> None:
        """Moves the cursor to the same column, some rows away."""
        pieces = [piece for piece in self._full() if piece.names]
        cursor = self.view.cursor or 0
        for at, piece in enumerate(pieces):
            if piece.first <= cursor < piece.first + len(piece.names):
                other = pieces[min(max(at + rows, 0), len(pieces) - 1)]
                column = min(cursor - piece.first, len(other.names) - 1)
                self.post_message(self.Pointed(other.first + column))
                return

    def action_choose(self) -> None:
        """Chooses the move under the cursor."""
        if self._count:
            self.post_message(self.Chosen(self.view.cursor or 0))

    def on_click(self, event: Click) -> None:
        """Chooses the move under the mouse."""
        self.focus()
        if self.slim:
            rows = slim_rows(self.view, self.size.width, self.size.height, self.look)
            number = rows[event.y][1] if event.y < len(rows) else None
            if number is not None:
                self.post_message(self.Chosen(number))
            return
        pieces = self._shown()
        if not 0 < event.y <= len(pieces):
            return
        piece = pieces[event.y - 1]
        group = self.view.groups[piece.group]
        start = (_NOTED if self.compact else len(group.title)) + 1 if piece.heading else 1
        column = (event.x - start) // cell_width(group)
        if 0 <= column < len(piece.names):
            self.post_message(self.Chosen(piece.first + column))

    def _full(self) -> list[Piece]:
        if self.compact:
            return list(self._compacted(10_000))
        return arrange(self.view.groups, None, self.size.width - 1, 10_000)

    def _compacted(self, height: int) -> Iterator[Piece]:
        """One row per group: as many as there is room for, the one with the cursor among them."""
        starts = list(accumulate((len(group.moves) for group in self.view.groups), initial=0))
        cursor = self.view.cursor or 0
        at = max((n for n, start in enumerate(starts[:-1]) if start <= cursor), default=0)
        last = max(at + 1, height) if len(starts) - 1 <= height else max(at + 1, height - 1)
        for number in range(max(last - height, 0), min(last, len(starts) - 1)):
            group, start = self.view.groups[number], starts[number]
            room = max((self.size.width - _NOTED) // cell_width(group), 1)
            count = len(group.moves)
            if count > room:
                rest = len(self.look.glyphs.more) + len(str(count)) + 1
                room = max((self.size.width - _NOTED - max(rest, 4)) // cell_width(group), 1)
            skip = min(max(cursor - start - room + 1, 0), count - room) if number == at and count > room else 0
            names = group.moves[skip : skip + room]
            yield Piece(number, True, start + skip, names, count - len(names))

    def _shown(self) -> list[Piece]:
        if self.compact:
            return list(self._compacted(self.size.height - 1))
        return arrange(self.view.groups, self.view.cursor, self.size.width - 1, self.size.height - 1)

    def draw(self) -> list[Strip]:
        """The title, then the groups."""
        if self.slim:
            return [strip for strip, _ in slim_rows(self.view, self.size.width, self.size.height, self.look)]
        pen, width = self.look.palette, self.size.width
        title = self.row().put("Moves", pen.title(self.has_focus))
        if self._count:
            title.right(str(self._count), pen("faint"), width)
        strips = [title.strip(width)]
        for words in self.view.notice:
            strips.append(self.row().put(words, pen("dim")).strip(width))
        shown = self._shown()
        strips += [self._piece(piece) for piece in shown]
        if self.compact and shown and (rest := self.view.groups[shown[-1].group + 1 :]):
            count = sum(len(group.moves) for group in rest)
            row = self.row().put(f"{rest[0].title} and worse", pen("faint"))
            strips.append(row.right(f"{count} move{'s' if count > 1 else ''}", pen("faint"), width).strip(width))
        return strips

    def _piece(self, piece: Piece) -> Strip:
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        group = self.view.groups[piece.group]
        row = self.row()
        if piece.heading:
            row.put(group.title, pen(group.role, bold=True))
            if not piece.names:
                note = pen("dim" if group.role == "text" else group.role)
                fits = row.width + 1 + len(group.note) <= width
                return row.put(f" {group.note if fits else group.note.replace(' plies', '')}", note).strip(width)
            if self.compact:
                words = group.note.replace(" plies", "").partition(f" {glyphs.middle}")[0]
                row.to(5).put(words, pen("dim" if group.role == "text" else group.role)).to(_NOTED)
        start, cell = row.width, cell_width(group)
        plain = pen("text" if group.best else "dim")
        column = start
        for column, name in enumerate(piece.names):
            here = piece.first + column == self.view.cursor
            row.to(start + column * cell)
            row.put(glyphs.pointer if here else " ", pen("amber") if here else plain)
            row.put(name, pen("amber", "selected", bold=True) if here else plain)
        if piece.hidden:
            row.to(start + 1 + len(piece.names) * cell)
            row.put(f"{glyphs.more}{piece.hidden}", pen("faint"))
        return row.strip(width)


def slim_rows(view: MovesView, width: int, height: int, look: Look) -> list[tuple[Strip, int | None]]:
    """One move per row, with its number: the best group, a blank, the next group."""
    pen, glyphs = look.palette, look.glyphs
    strips: list[tuple[Strip, int | None]] = []

    def write(text: str, role: str, bold: bool = False, number: int | None = None) -> None:
        here = number is not None and number == view.cursor
        text = shortened(text, width)
        row = Row(pen("text", "selected" if here else "ground", underline=here))
        ground = "selected" if here else "ground"
        row.put(text, pen("amber" if here else role, ground, bold=bold, underline=here))
        end = row.width if here and not pen.coloured else width
        strips.append((row.strip(max(end, 1)).extend_cell_length(width, pen("text")), number))

    rows = _slim_shares([len(group.moves) for group in view.groups[:2]], height)
    first = 0
    for group, space in zip(view.groups, rows, strict=False):
        if strips:
            strips.append((Row(pen("text")).strip(width), None))
        write(group.title, group.role, bold=True)
        offset = 0
        if view.cursor is not None and first <= view.cursor < first + len(group.moves):
            offset = max(0, view.cursor - first - space + 2 if space < len(group.moves) else 0)
        shown = group.moves[offset : offset + space]
        if offset + space < len(group.moves):
            shown = shown[:-1]
        for at, name in enumerate(shown, start=first + offset):
            write(name, "text" if group.best else "dim", number=at)
        if rest := len(group.moves) - offset - len(shown):
            write(f"{glyphs.more}{rest}", "faint")
        first += len(group.moves)
    return strips


def shortened(move: str, width: int) -> str:
    """A move that is too long for a slim column without what can be spared: ``bxa8=Q+`` gives ``bxa8Q``."""
    for sparing in ("+#", "=", "x"):
        if len(move) > width:
            move = "".join(char for char in move if char not in sparing)
    return move


def _slim_shares(counts: list[int], height: int) -> list[int]:
    """Rows of moves for the first group and, where there is one, the second."""
    if len(counts) < 2:
        return [min(count, height - 1) for count in counts]
    second = min(counts[1], max(height - 3 - counts[0], 3))
    return [min(counts[0], height - 3 - second), second]


def numbered(groups: tuple[Group, ...]) -> list[str]:
    """All moves in the order in which the cursor walks."""
    return list(chain.from_iterable(group.moves for group in groups))
