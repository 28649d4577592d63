"""Moves in groups, best first: those that lead to the same layer stand together, each with what that means.

How the groups share the rows of a panel is a *shape*, a function without any drawing: a heading above its moves, a row
for each group, groups whose moves go on in further rows, or one move below the other for the smallest screens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Size

from endgame_core.words.position import MoveGroup
from endgame_tui.look import Glyphs
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.canvas import CanvasRow
from endgame_tui.widgets.rows import Picker

_NOTED = 14
"""Columns of title and note, where they stand in the row of the moves."""

LABELLED = 40
"""From this width on, a row of its own says in words what its moves are worth."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A row: a group's heading, some of its moves, or both.

    Attributes:
        group: Number of the group.
        title: What its heading says; empty for none.
        note: What that means, beside the title; with ``note_at`` in a column of its own.
        note_at: That column; 0 for right behind the title.
        first: Number of the first move on the row, counted through all groups.
        names: The moves on the row.
        columns: Where each of them begins.
        hidden: How many moves of the group are not shown; told behind the last one.
    """

    group: int
    title: str = ""
    note: str = ""
    note_at: int = 0
    first: int = 0
    names: tuple[str, ...] = ()
    columns: tuple[int, ...] = ()
    hidden: int = 0

    @property
    def end(self) -> int:
        """The column behind the last move, with a gap."""
        return self.columns[-1] + len(self.names[-1]) + 1 if self.names else 0


Shape = Callable[[Sequence[MoveGroup], int | None, Size, Glyphs], list[Piece]]
"""How groups share a size; the move with the given number must be in sight."""


class MovesPanel(Picker):
    """Groups of moves, known by their numbers through all groups; the cursor walks through them, a click chooses one.

    Args:
        title: The first row's bold words.
        id: DOM id.
        shape: How the groups share the rows.
        steady: Whether the cursor is shown without the focus, too.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("left,h", "step(-1)", "Previous move", id="moves.left"),
        Key("right,l", "step(1)", "Next move", id="moves.right"),
        Key("up,k", "line(-1)", "Row above", id="moves.up"),
        Key("down,j", "line(1)", "Row below", id="moves.down"),
        Key("home", "step(-999)", "First move", id="moves.home"),
        Key("end", "step(999)", "Last move", id="moves.end"),
        Key("enter,space", "choose", "Choose", id="moves.choose"),
    ]

    def __init__(self, title: str, *, id: str | None = None, shape: Shape, steady: bool = True) -> None:
        super().__init__(id=id)
        self.title, self._shape, self._steady = title, shape, steady
        self.cursor = 0
        self._groups: tuple[MoveGroup, ...] = ()
        self._notice: tuple[str, ...] = ()

    def show(self, groups: Sequence[MoveGroup], *notice: str, cursor: int | None = None) -> None:
        """Shows other groups, or rows of words in their place; the cursor stays unless it is given."""
        self._groups, self._notice = tuple(groups), notice
        self.cursor = min(self.cursor if cursor is None else cursor, max(len(self.keys) - 1, 0))
        self.redraw()

    def reshape(self, shape: Shape) -> None:
        """Shares the rows in another way."""
        if shape is not self._shape:
            self._shape = shape
            self.redraw()

    @property
    def keys(self) -> range:
        """The numbers of the moves."""
        return range(sum(len(group.moves) for group in self._groups))

    @property
    def shows_all(self) -> bool:
        """Whether there is room for all of them."""
        return sum(len(piece.names) for piece in self._pieces()) == len(self.keys)

    def high(self, size: Size) -> int:
        """The rows of all groups, or of the words in their place, below the title."""
        rows = self._shape(self._groups, None, Size(size.width, 10_000), self.look.glyphs)
        return max(len(rows), len(self._notice), 1) + 1

    def action_line(self, rows: int) -> None:
        """Moves the cursor to the same place in another row; by moves where rows are only a few names broken off."""
        if self._shape is wrapped:
            self.action_step(rows)
            return
        size = Size(self.size.width, 10_000)
        pieces = [piece for piece in self._shape(self._groups, None, size, self.look.glyphs) if piece.names]
        at = _row_of(pieces, self.cursor)
        if pieces:
            other = pieces[min(max(at + rows, 0), len(pieces) - 1)]
            self.point(other.first + min(self.cursor - pieces[at].first, len(other.names) - 1))

    def wheel(self, turns: int) -> None:
        """Moves the cursor to another row, which comes in sight; it is shown where the keys are."""
        self.focus()
        self.action_line(turns)

    def on_click(self, event: Click) -> None:
        """Chooses the move under the mouse."""
        event.prevent_default()
        self.focus()
        if (number := self.item_at(event.x, event.y)) is not None:
            self.post_message(self.Chosen(self, number))

    # Drawing

    @property
    def _headed(self) -> int:
        """Rows above the moves."""
        return 0 if self._shape is slim else 1

    def _pieces(self) -> list[Piece]:
        cursor = self.cursor if self._steady or self.has_focus else None
        size = Size(self.size.width, max(self.size.height - self._headed, 1))
        return self._shape(self._groups, cursor, size, self.look.glyphs)

    def draw(self) -> list[CanvasRow]:
        """The title, then the groups, or the words in their place."""
        pieces = self._pieces()
        rows = [self.heading(self.title, str(len(self.keys) or ""))] if self._headed else []
        rows += [self.row().put(words, "dim") for words in self._notice if words]
        rows += [self._piece(piece) for piece in pieces]
        if self._shape is in_rows and pieces and (rest := self._groups[pieces[-1].group + 1 :]):
            count = sum(len(group.moves) for group in rest)
            row = self.row().put(f"{rest[0].title} and worse", "faint")
            rows.append(row.right(f"{count} move{'s' if count > 1 else ''}", self.size.width, "faint"))
        return rows

    def _piece(self, piece: Piece) -> CanvasRow:
        """One row."""
        glyphs, row = self.look.glyphs, self.row()
        if piece.group < 0:
            return row
        group, broken = self._groups[piece.group], self._shape is wrapped
        row.put(piece.title, "dim" if broken and not group.best else group.role, bold=True)
        if piece.note:
            note = piece.note if piece.note_at else f" {piece.note}"
            row.to(piece.note_at).put(note, "dim" if group.role == "text" else group.role)
        plain = "text" if group.best else "dim"
        for number, (column, name) in enumerate(zip(piece.columns, piece.names, strict=True), piece.first):
            here = number == self.cursor and (self._steady or self.has_focus)
            row.to(column - 1).item(number)
            if column:
                row.put(glyphs.pointer if here else " ", "amber" if here else plain)
            unseen = here and not self.look.palette.coloured and (not column or broken)
            row.put(name, *(("amber", "selected") if here else (plain,)), bold=here, underline=unseen)
        row.item(None)
        if piece.hidden:
            row.to(piece.end).put(f"{glyphs.more}{piece.hidden}", "faint")
        return row


def _starts(groups: Sequence[MoveGroup]) -> list[int]:
    """The number of the first move of each group, and of all moves."""
    return list(accumulate((len(group.moves) for group in groups), initial=0))


def _cell(group: MoveGroup) -> int:
    """Columns one move of the group takes, the gap included."""
    return max(map(len, group.moves), default=0) + 1


# Headings above moves


def headed(groups: Sequence[MoveGroup], cursor: int | None, size: Size, glyphs: Glyphs) -> list[Piece]:
    """A heading above the moves of each group: all when they fit; else the others are cut short before the best."""
    rows = [-(-len(group.moves) // max((size.width - 1) // _cell(group), 1)) for group in groups]

    def shrink(first: int, last: int, least: int) -> None:
        """Takes rows from the longest of some groups until all fit or none has more than ``least``."""
        while sum(rows) + len(rows) > size.height and max(rows[first:last], default=0) > least:
            rows[rows.index(max(rows[first:last]), first)] -= 1

    shrink(1, len(rows), 1)
    shrink(0, 1, 2)
    for number in range(len(rows) - 1, 0, -1):
        shrink(number, number + 1, 0)  # none: the moves stand in the row of the heading
    shrink(0, 1, 1)
    pieces: list[Piece] = []
    for number, (group, start) in enumerate(zip(groups, _starts(groups), strict=False)):
        pieces += _cut(number, group, start, rows[number], cursor, size.width)
    return _scrolled(pieces, cursor, size.height)


def _cut(number: int, group: MoveGroup, start: int, rows: int, cursor: int | None, width: int) -> list[Piece]:
    """A group in some rows below its heading, or in that of the heading; if cut short, the part with the cursor."""
    count, cell = len(group.moves), _cell(group)
    indent = 0 if rows else len(group.title)
    per_row = max((width - 1 - indent) // cell, 1)
    space = per_row * max(rows, 1)
    shown = count if count <= space else max(space - 1, 1)
    offset = 0
    if cursor is not None and start + shown <= cursor < start + count:
        offset = min(-(-(cursor - start - shown + 1) // per_row) * per_row, cursor - start)
    names, first = group.moves[offset : offset + shown], start + offset
    pieces = [
        Piece(number, first=first + at, names=some, columns=tuple(indent + 1 + n * cell for n in range(len(some))))
        for at in range(0, len(names), per_row)
        for some in [names[at : at + per_row]]
    ]
    pieces[-1] = replace(pieces[-1], hidden=count - len(names))
    if not rows:
        return [replace(pieces[0], title=group.title)]
    return [Piece(number, group.title, group.note_within(width - len(group.title) - 1)), *pieces]


def _scrolled(pieces: list[Piece], cursor: int | None, height: int) -> list[Piece]:
    """The part of the rows with the cursor, when even the shortest form is too long."""
    first = min(max(_row_of(pieces, cursor) - height + 1, 0), max(len(pieces) - height, 0))
    return pieces[first : first + height]


def _row_of(pieces: Sequence[Piece], cursor: int | None) -> int:
    """The row with a move; 0 where there is none."""
    if cursor is None:
        return 0
    return next((at for at, p in enumerate(pieces) if p.first <= cursor < p.first + len(p.names)), 0)


# A row for each group


def in_rows(groups: Sequence[MoveGroup], cursor: int | None, size: Size, glyphs: Glyphs) -> list[Piece]:
    """One row per group: as many as there is room for, the one with the cursor among them."""
    starts, height = _starts(groups), size.height
    at = max((n for n, start in enumerate(starts[:-1]) if start <= (cursor or 0)), default=0)
    last = max(at + 1, height) if len(groups) <= height else max(at + 1, height - 1)
    pieces: list[Piece] = []
    for number in range(max(last - height, 0), min(last, len(groups))):
        group, start = groups[number], starts[number]
        cell, count = _cell(group), len(group.moves)
        room = max((size.width - _NOTED) // cell, 1)
        if count > room:
            rest = len(glyphs.more) + len(str(count)) + 1
            room = max((size.width - _NOTED - max(rest, 4)) // cell, 1)
        skip = min(max((cursor or 0) - start - room + 1, 0), count - room) if number == at and count > room else 0
        names = group.moves[skip : skip + room]
        note = group.note_within(_NOTED - 6)
        columns = tuple(_NOTED + 1 + place * cell for place in range(len(names)))
        pieces.append(Piece(number, group.title, note, 5, start + skip, names, columns, count - len(names)))
    return pieces


# Groups whose moves go on in further rows


def wrapped(groups: Sequence[MoveGroup], cursor: int | None, size: Size, glyphs: Glyphs) -> list[Piece]:
    """A label, and names as they fit; with room enough, what they are worth in words."""
    wide = size.width >= LABELLED
    labels = [_label(group, groups, wide) for group in groups]
    start = 19 if wide else max([3, *map(len, labels)]) + 1
    pieces: list[Piece] = []
    number = 0
    for at, (group, label) in enumerate(zip(groups, labels, strict=True)):
        row = Piece(at, label, group.note if wide else "", 5 if wide else 0, number)
        for name in group.moves:
            column = row.end if row.names else start
            if row.names and column + len(name) > size.width:
                pieces.append(row)
                row, column = Piece(at, first=number), start
            row = replace(row, names=(*row.names, name), columns=(*row.columns, column))
            number += 1
        pieces.append(row)
    return _scrolled(pieces, cursor, max(size.height, 1))


def _label(group: MoveGroup, groups: Sequence[MoveGroup], wide: bool) -> str:
    """The layer; where two groups share it and no words tell them apart, with the plies that were given up."""
    shared = sum(other.title == group.title for other in groups) > 1
    if wide or not shared or group.given_up is None:
        return group.title
    return f"{group.title}+{group.given_up}"


# One move below the other


def slim(groups: Sequence[MoveGroup], cursor: int | None, size: Size, glyphs: Glyphs) -> list[Piece]:
    """The best group, a blank, the next group, a move in each row."""
    pieces: list[Piece] = []
    first = 0
    for number, (group, space) in enumerate(zip(groups, _slim_shares(groups, size.height), strict=False)):
        if pieces:
            pieces.append(Piece(-1))
        pieces.append(Piece(number, group.title))
        count = len(group.moves)
        offset = 0
        if cursor is not None and first <= cursor < first + count and space < count:
            offset = max(0, cursor - first - space + 2)
        shown = group.moves[offset : offset + space]
        shown = shown[:-1] if offset + space < count else shown
        for at, name in enumerate(shown, first + offset):
            pieces.append(Piece(number, first=at, names=(shortened(name, size.width),), columns=(0,)))
        if rest := count - offset - len(shown):
            pieces.append(Piece(number, hidden=rest))
        first += count
    return pieces


def _slim_shares(groups: Sequence[MoveGroup], height: int) -> list[int]:
    """Rows of moves for the first group and, where there is one, the second."""
    counts = [len(group.moves) for group in groups[:2]]
    if len(counts) < 2:
        return [min(count, height - 1) for count in counts]
    second = min(counts[1], max(height - 3 - counts[0], 3))
    return [min(counts[0], height - 3 - second), second]


def shortened(move: str, width: int) -> str:
    """A move that is too long for a slim column without what can be spared: ``bxa8=Q+`` gives ``bxa8Q``."""
    for sparing in ("+#", "=", "x"):
        if len(move) > width:
            move = "".join(char for char in move if char not in sparing)
    return move
