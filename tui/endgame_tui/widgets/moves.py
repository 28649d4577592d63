"""Moves in groups, best first: moves that lead to the same layer form a group, with what that layer means.

How the groups share the rows of a panel is a *shape*, a function that draws nothing: headings above the moves, one row
for each group, groups that continue in further rows, or one move in each row for the smallest screens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Size

from endgame_core.language import _, ngettext
from endgame_core.words.position import MoveGroup
from endgame_tui.keys import CHOOSE, CURSOR_DOWN, CURSOR_LEFT, CURSOR_RIGHT, CURSOR_UP, FIRST, LAST
from endgame_tui.look import Glyphs
from endgame_tui.widgets.canvas import CanvasRow
from endgame_tui.widgets.rows import Picker

_TITLE_COLUMNS = 14
"""Columns of title and note in a row that also has the moves."""

_NOTE_COLUMN = 5
"""The column of the note in such a row."""

LABELLED = 40
"""The width from which a separate row explains what the moves of a group lead to."""

_UNLIMITED_ROWS = 10_000
"""A height at which every shape shows everything."""


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A row: the heading of a group, some of its moves, or both.

    Attributes:
        group: Number of the group; -1 for a blank row.
        title: The heading; empty for none.
        note: What the title means; in a column of its own if ``note_at`` is set.
        note_at: The column of the note; 0 for right behind the title.
        first: Number of the first move on the row, counted through all groups.
        names: The moves on the row.
        columns: The columns where they start.
        hidden: How many moves of the group are not shown; printed behind the last one.
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
        """The column after the last move and a gap; 0 without moves."""
        if self.names:
            return self.columns[-1] + len(self.names[-1]) + 1
        return 0

    def has_move(self, number: int) -> bool:
        """Whether a move, counted through all groups, is on the row."""
        return self.first <= number < self.first + len(self.names)


Shape = Callable[[Sequence[MoveGroup], int | None, Size, Glyphs], list[GroupRow]]
"""Arranges groups within a size so that the move with the given number is in sight."""


class MovesPanel(Picker):
    """Groups of moves, keyed by their numbers through all groups; the cursor visits each, a click chooses one.

    Args:
        title: The bold text of the first row.
        id: DOM id.
        shape: How the groups share the rows.
        steady: Whether the cursor is also shown without the focus.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        CURSOR_LEFT.adapted(_("Previous move")),
        CURSOR_RIGHT.adapted(_("Next move")),
        CURSOR_UP.adapted(_("Row above"), action="line(-1)"),
        CURSOR_DOWN.adapted(_("Row below"), action="line(1)"),
        FIRST.adapted(_("First move")),
        LAST.adapted(_("Last move")),
        CHOOSE.adapted(_("Choose")),
    ]

    def __init__(self, title: str, *, id: str | None = None, shape: Shape, steady: bool = True) -> None:
        super().__init__(id=id)
        self.title = title
        self._shape = shape
        self._steady = steady
        self.cursor = 0
        self._groups: tuple[MoveGroup, ...] = ()
        self._notice: tuple[str, ...] = ()

    def show(self, groups: Sequence[MoveGroup], *notice: str, cursor: int | None = None) -> None:
        """Show other groups, or a notice instead; the cursor stays unless it is given."""
        self._groups = tuple(groups)
        self._notice = notice
        # There may be fewer moves than before: the cursor stays on one.
        number = self.cursor if cursor is None else cursor
        self.cursor = min(number, max(len(self.keys) - 1, 0))
        self.redraw()

    def reshape(self, shape: Shape) -> None:
        """Arrange the groups by another shape."""
        if shape is not self._shape:
            self._shape = shape
            self.redraw()

    @property
    def keys(self) -> range:
        """The numbers of the moves."""
        return range(sum(len(group.moves) for group in self._groups))

    @property
    def _printed_groups(self) -> Sequence[MoveGroup]:
        """The groups in characters of the terminal, whose widths count: ``Kb3->c4`` in ASCII."""
        glyphs = self.look.glyphs
        if glyphs.unicode:
            return self._groups
        return [replace(group, moves=tuple(map(glyphs.plain, group.moves))) for group in self._groups]

    @property
    def shows_all(self) -> bool:
        """Whether there is room for all moves."""
        return sum(len(row.names) for row in self._rows_in_sight()) == len(self.keys)

    def content_rows(self, size: Size) -> int:
        """The rows of all groups or of the notice, and the title."""
        # Unlimited: the height is what is computed here.
        rows = self._shape(self._printed_groups, None, Size(size.width, _UNLIMITED_ROWS), self.look.glyphs)
        return max(len(rows), len(self._notice), 1) + 1

    def action_line(self, rows: int) -> None:
        """Move the cursor to the same place in another row; by moves in a wrapped shape, whose rows are arbitrary."""
        if self._shape is wrapped_shape:
            self.action_step(rows)
            return
        # All rows, also those out of sight: the cursor may leave the panel, which then scrolls.
        size = Size(self.size.width, _UNLIMITED_ROWS)
        all_rows = [row for row in self._shape(self._printed_groups, None, size, self.look.glyphs) if row.names]
        if not all_rows:
            return
        at = _row_of(all_rows, self.cursor)
        target = all_rows[min(max(at + rows, 0), len(all_rows) - 1)]
        place = self.cursor - all_rows[at].first
        self.move_cursor(target.first + min(place, len(target.names) - 1))

    def wheel(self, turns: int) -> None:
        """Take the focus, which shows the cursor, and move it by rows."""
        self.focus()
        self.action_line(turns)

    def on_click(self, event: Click) -> None:
        """Choose the move under the mouse."""
        event.prevent_default()
        self.focus()
        number = self.item_at(event.x, event.y)
        if number is not None:
            self.post_message(self.Chosen(self, number))

    # Drawing

    @property
    def _shows_cursor(self) -> bool:
        return self._steady or self.has_focus

    @property
    def _title_rows(self) -> int:
        """The number of rows above the moves: 0 or 1."""
        return 0 if self._shape is slim_shape else 1

    def _rows_in_sight(self) -> list[GroupRow]:
        cursor = None
        if self._shows_cursor:
            cursor = self.cursor
        size = Size(self.size.width, max(self.size.height - self._title_rows, 1))
        return self._shape(self._printed_groups, cursor, size, self.look.glyphs)

    def draw(self) -> list[CanvasRow]:
        """The title, then the groups or the notice; in one row for each group, also how many moves are below."""
        moves_rows = self._rows_in_sight()
        rows: list[CanvasRow] = []
        if self._title_rows:
            rows.append(self.heading(self.title, str(len(self.keys) or "")))
        rows += [self.row().put(text, "dim") for text in self._notice if text]
        rows += [self._draw_row(row) for row in moves_rows]

        if self._shape is row_shape and moves_rows:
            # row_shape has left the last row free for this.
            groups_below = self._groups[moves_rows[-1].group + 1 :]
            if groups_below:
                count = sum(len(group.moves) for group in groups_below)
                summary = _("{title} and worse").format(title=groups_below[0].title)
                moves = ngettext("{number} move", "{number} moves", count).format(number=count)
                rows.append(self.row().put(summary, "faint").put_right(moves, self.size.width, "faint"))
        return rows

    def _draw_row(self, moves_row: GroupRow) -> CanvasRow:
        glyphs = self.look.glyphs
        row = self.row()
        if moves_row.group < 0:
            return row

        group = self._groups[moves_row.group]
        is_wrapped = self._shape is wrapped_shape
        title_role = group.role
        if is_wrapped and not group.best:
            title_role = "dim"
        row.put(moves_row.title, title_role, bold=True)
        if moves_row.note:
            note_role = group.role
            if note_role == "text":
                note_role = "dim"
            # A note without a column of its own follows the title after a blank.
            note = moves_row.note
            if not moves_row.note_at:
                note = f" {note}"
            row.pad_to(moves_row.note_at).put(note, note_role)

        plain_role = "text" if group.best else "dim"
        for number, (column, name) in enumerate(zip(moves_row.columns, moves_row.names, strict=True), moves_row.first):
            has_cursor = number == self.cursor and self._shows_cursor
            # The pointer stands in the gap before the move; in the slimmest shape, moves start in column 0 without one.
            row.pad_to(column - 1).item(number)
            if column and has_cursor:
                row.put(glyphs.pointer, "amber")
            elif column:
                row.put(" ", plain_role)
            if has_cursor:
                # Without colours the pointer marks the move; where there is none, or in running text, so does the name.
                needs_underline = not self.look.palette.has_colours and (not column or is_wrapped)
                row.put(name, "amber", "selected", bold=True, underline=needs_underline)
            else:
                row.put(name, plain_role)

        row.item(None)
        if moves_row.hidden:
            row.pad_to(moves_row.end).put(f"{glyphs.ellipsis}{moves_row.hidden}", "faint")
        return row


def _starts(groups: Sequence[MoveGroup]) -> list[int]:
    """The number of the first move of each group; at the end the number of all moves."""
    return list(accumulate((len(group.moves) for group in groups), initial=0))


def _cell_width(group: MoveGroup) -> int:
    """Columns for one move of a group, including the gap."""
    return max(map(len, group.moves), default=0) + 1


# Headings above the moves


def headed_shape(groups: Sequence[MoveGroup], cursor: int | None, size: Size, glyphs: Glyphs) -> list[GroupRow]:
    """A heading above the moves of each group; if not all fit, the others are cut short before the best group."""
    # The rows that each group needs for all of its moves, rounded up; headings are not counted.
    rows = [-(-len(group.moves) // max((size.width - 1) // _cell_width(group), 1)) for group in groups]

    def shrink(first: int, last: int, least: int) -> None:
        """Take rows from the longest of some groups until all fit or none has more than ``least``."""
        # len(rows): one heading for each group.
        while sum(rows) + len(rows) > size.height and max(rows[first:last], default=0) > least:
            rows[rows.index(max(rows[first:last]), first)] -= 1

    # The best group keeps its rows longest: the others go down to a row each, then the best one to two.
    shrink(1, len(rows), 1)
    shrink(0, 1, 2)
    # Still too many: from the worst group on, the moves go into the row of their heading (0 rows).
    for number in range(len(rows) - 1, 0, -1):
        shrink(number, number + 1, 0)
    # Only when nothing else is left does the best group shrink to one row.
    shrink(0, 1, 1)

    result: list[GroupRow] = []
    for number, (group, start) in enumerate(zip(groups, _starts(groups), strict=False)):
        result += _headed_group(number, group, start, rows[number], cursor, size.width)
    return _scrolled(result, cursor, size.height)


def _headed_group(
    number: int, group: MoveGroup, start: int, rows: int, cursor: int | None, width: int
) -> list[GroupRow]:
    """A group in ``rows`` rows below its heading, 0 for the row of the heading; if cut, the part with the cursor."""
    # Moves beside the heading start behind its title; those below it in the first columns.
    count = len(group.moves)
    cell = _cell_width(group)
    indent = 0 if rows else len(group.title)
    per_row = max((width - 1 - indent) // cell, 1)
    space = per_row * max(rows, 1)
    in_sight = count if count <= space else max(space - 1, 1)  # one cell says how many are hidden
    offset = 0
    if cursor is not None and start + in_sight <= cursor < start + count:
        # By whole rows, so that the columns stay where they are.
        beyond = cursor - start - in_sight + 1
        offset = min(-(-beyond // per_row) * per_row, cursor - start)

    names = group.moves[offset : offset + in_sight]
    result: list[GroupRow] = []
    for at in range(0, len(names), per_row):
        row_names = names[at : at + per_row]
        columns = tuple(indent + 1 + place * cell for place in range(len(row_names)))
        result.append(GroupRow(number, first=start + offset + at, names=row_names, columns=columns))
    # Also the moves before the first one in sight are counted as hidden.
    result[-1] = replace(result[-1], hidden=count - len(names))
    if not rows:
        return [replace(result[0], title=group.title)]
    note = group.note_within(width - len(group.title) - 1)
    return [GroupRow(number, group.title, note), *result]


def _scrolled(rows: list[GroupRow], cursor: int | None, height: int) -> list[GroupRow]:
    """The ``height`` rows with the cursor among them."""
    # From the top, only as far down as the row with the cursor.
    first = min(max(_row_of(rows, cursor) - height + 1, 0), max(len(rows) - height, 0))
    return rows[first : first + height]


def _row_of(rows: Sequence[GroupRow], cursor: int | None) -> int:
    """The number of the row with a move; 0 if there is none."""
    if cursor is None:
        return 0
    return next((number for number, row in enumerate(rows) if row.has_move(cursor)), 0)


# A row for each group


def row_shape(groups: Sequence[MoveGroup], cursor: int | None, size: Size, glyphs: Glyphs) -> list[GroupRow]:
    """One row for each group: as many as fit, the one with the cursor among them."""
    starts = _starts(groups)
    has_long_title = any(len(group.title) >= _NOTE_COLUMN for group in groups)
    # Titles such as S101= are one column longer: all notes move right by one, so that they stay aligned.
    note_column = _NOTE_COLUMN + has_long_title
    title_columns = _TITLE_COLUMNS + has_long_title
    height = size.height
    # The last group that starts at or before the cursor.
    cursor_group = max((number for number, start in enumerate(starts[:-1]) if start <= (cursor or 0)), default=0)
    # If not all fit, the last row is left for the number of the moves below.
    last_row = height if len(groups) <= height else height - 1
    end = max(cursor_group + 1, last_row)

    result: list[GroupRow] = []
    for number in range(max(end - height, 0), min(end, len(groups))):
        group = groups[number]
        start = starts[number]
        cell = _cell_width(group)
        count = len(group.moves)
        room = max((size.width - title_columns) // cell, 1)
        skipped = 0
        # Not all fit: keep room for the number of the hidden ones, and scroll to the cursor.
        if count > room:
            hidden_columns = len(glyphs.ellipsis) + len(str(count)) + 1
            room = max((size.width - title_columns - max(hidden_columns, 4)) // cell, 1)
            if number == cursor_group:
                skipped = min(max((cursor or 0) - start - room + 1, 0), count - room)

        names = group.moves[skipped : skipped + room]
        note = group.note_within(_TITLE_COLUMNS - _NOTE_COLUMN - 1)
        columns = tuple(title_columns + 1 + place * cell for place in range(len(names)))
        hidden = count - len(names)
        result.append(GroupRow(number, group.title, note, note_column, start + skipped, names, columns, hidden))
    return result


# Groups that continue in further rows


def wrapped_shape(groups: Sequence[MoveGroup], cursor: int | None, size: Size, glyphs: Glyphs) -> list[GroupRow]:
    """A label and as many moves as fit, then further rows; on wide panels also what the label means."""
    is_wide = size.width >= LABELLED
    labels = [_group_label(group, groups, is_wide) for group in groups]
    # On wide panels the moves start in the same column for every group, behind label and note.
    first_column = 19
    if not is_wide:
        first_column = max([3, *map(len, labels)]) + 1
    result: list[GroupRow] = []
    number = 0
    for group_number, (group, label) in enumerate(zip(groups, labels, strict=True)):
        row = GroupRow(group_number, label, first=number)
        if is_wide:
            row = replace(row, note=group.note, note_at=_NOTE_COLUMN)
        for name in group.moves:
            column = row.end if row.names else first_column
            if row.names and column + len(name) > size.width:
                result.append(row)
                row = GroupRow(group_number, first=number)
                column = first_column
            row = replace(row, names=(*row.names, name), columns=(*row.columns, column))
            number += 1
        result.append(row)
    return _scrolled(result, cursor, max(size.height, 1))


def _group_label(group: MoveGroup, groups: Sequence[MoveGroup], is_wide: bool) -> str:
    """Return the layer of a group; if another group has the same layer and note, also the plies given up."""
    is_shared = sum(other.title == group.title for other in groups) > 1
    if is_wide or not is_shared or group.given_up is None:
        return group.title
    return f"{group.title}+{group.given_up}"


# One move in each row


def slim_shape(groups: Sequence[MoveGroup], cursor: int | None, size: Size, glyphs: Glyphs) -> list[GroupRow]:
    """The best group, a blank row, the next group, with one move in each row."""
    result: list[GroupRow] = []
    first = 0
    for number, (group, space) in enumerate(zip(groups, _slim_shares(groups, size.height), strict=False)):
        if result:
            result.append(GroupRow(-1))
        result.append(GroupRow(number, group.title))

        count = len(group.moves)
        offset = 0
        if cursor is not None and first <= cursor < first + count and space < count:
            # One more than needed, because the last row has the number of hidden moves instead of a move.
            offset = max(0, cursor - first - space + 2)
        names = group.moves[offset : offset + space]
        if offset + space < count:
            names = names[:-1]  # the last row says how many are hidden
        for move_number, name in enumerate(names, first + offset):
            result.append(GroupRow(number, first=move_number, names=(shorten_move(name, size.width),), columns=(0,)))
        hidden = count - offset - len(names)
        if hidden:
            result.append(GroupRow(number, hidden=hidden))
        first += count
    return result


def _slim_shares(groups: Sequence[MoveGroup], height: int) -> list[int]:
    """Rows of moves for the first group and, if there is one, the second."""
    counts = [len(group.moves) for group in groups[:2]]
    if len(counts) < 2:
        return [min(count, height - 1) for count in counts]
    # Three rows are titles and a blank. The second group has what the first leaves, but at least three rows.
    second = min(counts[1], max(height - 3 - counts[0], 3))
    return [min(counts[0], height - 3 - second), second]


def shorten_move(move: str, width: int) -> str:
    """Drop signs from a move until it fits into ``width`` columns: ``bxa8=Q+`` becomes ``bxa8Q``, then ``ba8Q``."""
    # In the order of what a reader misses least: check, the sign of a promotion, that of a capture.
    for dispensable in ("+#", "=", "x"):
        if len(move) > width:
            move = "".join(char for char in move if char not in dispensable)
    return move
