"""Nine Men's Morris on a screen: stones on points, moved in three steps."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rich.style import Style
from textual.geometry import Size

from endgame_core.controls import instruct
from endgame_core.language import _
from endgame_core.morris.geometry import LINES, MILLS, NEIGHBOURS, POINTS, points_of
from endgame_core.morris.notation import NAMES, spell
from endgame_core.morris.rules import WHITE, MorrisMove, Position, mask_of
from endgame_tui.faces import (
    PANEL_COLUMNS,
    Face,
    Grid,
    InputStep,
    Label,
    MoveInput,
    PaletteItem,
    PositionView,
    better_move_elsewhere,
    source_point,
    target_labels,
)
from endgame_tui.look import Ink, Look
from endgame_tui.widths import PANELS_MIN_WIDTH


class StonesMoveInput(MoveInput):
    """A stone is chosen, then its destination, then the stone it takes; a stone from the hand needs no first step."""

    @property
    def notation(self) -> str:
        """The move so far; empty until its destination is chosen."""
        source, end = self.endpoints
        if end is None:
            return ""
        return spell(MorrisMove(source, end))

    def takeable_points(self, moves: Sequence[MorrisMove]) -> tuple[int, ...]:
        """The points of the stones that the move may take, in the order of ``moves`` (best first)."""
        if not self.is_taking:
            return ()
        fitting = (move for move in moves if (move.source, move.end) == self.endpoints)
        return tuple(dict.fromkeys(point for move in fitting for point in move.captured))

    def begin_typed(self, moves: Sequence[MorrisMove], text: str) -> bool:
        """Continue with a typed move that closes a mill but lacks the stone to take; return whether it is one."""
        # A blank or a dash may separate the points: d6 d7, d6–d7 or d6-d7.
        typed = re.sub(r"[\s–]", "-", text.strip().lower())
        for move in moves:
            if move.captured and typed == spell(replace(move, captured=())):
                self.endpoints = move.source, move.end
                return True
        return False

    def complete(self, text: str) -> str:
        """Return the whole move if the text names only the stone to take, as in ``b2`` or ``xb2``."""
        taken = re.fullmatch(r"\s*x?\s*([a-g][1-7])\s*", text.lower())
        if self.is_taking and taken is not None:
            return f"{self.notation}x{taken[1]}"
        return text

    def choose(self, position: Position, moves: Sequence[MorrisMove], point: int) -> InputStep:
        """Choose a stone, its destination, or the stone it takes."""
        own_stones = mask_of(position, position.turn)
        other_stones = mask_of(position, 1 - position.turn)
        # Bit n of a mask is point n.
        is_own = bool(own_stones >> point & 1)
        is_other = bool(other_stones >> point & 1)

        # A move that closes a mill is not complete before its stone is taken, so this comes first.
        if self.is_taking:
            return self._take(position, moves, point, is_other)
        # Placing: there is no stone to pick up, so the first point is the destination.
        if position.hands[position.turn]:
            return self._put(moves, point, is_own or is_other)
        if point == self.picked_point:
            self.pick(None)
            return InputStep()
        if is_own:
            if all(move.source != point for move in moves):
                return InputStep(
                    refusal=_("{points} cannot move: there is a stone on every point next to it.").format(
                        points=POINTS[point]
                    )
                )
            self.pick(point)
            return InputStep()
        if self.picked_point is None:
            side = NAMES[position.turn]
            return InputStep(refusal=_("{side} is to move: choose one of {side}'s stones.").format(side=side))
        return self._put(moves, point, is_other)

    def _put(self, moves: Sequence[MorrisMove], point: int, is_occupied: bool) -> InputStep:
        """Choose the destination; several fitting moves differ in the stone they take."""
        name = POINTS[point]
        source = self.picked_point
        fitting = tuple(move for move in moves if (move.source, move.end) == (source, point))
        if len(fitting) == 1:
            self.pick(None)
            return InputStep(fitting)
        if fitting:
            self.endpoints = source, point
            return InputStep()

        if is_occupied:
            return InputStep(refusal=_("{name} is occupied: choose an empty point.").format(name=name))
        if source is not None and point not in NEIGHBOURS[source]:
            return InputStep(
                refusal=_("{points}-{name} is not a legal move: no line connects them.").format(
                    points=POINTS[source], name=name
                )
            )
        return InputStep(refusal=_("{name} is not a legal move.").format(name=name))

    def _take(self, position: Position, moves: Sequence[MorrisMove], point: int, is_other: bool) -> InputStep:
        for move in moves:
            if (move.source, move.end) == self.endpoints and point in move.captured:
                self.pick(None)
                return InputStep((move,))
        if is_other:
            return InputStep(
                refusal=_("{points} is in a mill: take a stone outside a mill.").format(points=POINTS[point])
            )
        side = NAMES[1 - position.turn]
        return InputStep(
            refusal=instruct(
                _("choose one of {side}'s stones to take, or press {leave} to cancel the move."), side=side
            )
        )


class StonesFace(Face):
    """Nine Men's Morris: stones on points."""

    game = "morris"
    name = _("Nine Men’s Morris")
    cursor_follows = True
    help_sections = (
        (
            _("Typed after {prompt}"),
            (
                ("{cursor_up} {cursor_down} {cursor_left} {cursor_right}", _("Along lines, else nearest")),
                ("{choose}", _("Stone, point, capture")),
                ("c4-e3xd6", _("a move with its capture")),
                ("3-4", _("White's and Black's stones")),
                ("3-4 S13", _("a layer of that ending")),
            ),
        ),
    )
    editor_title = _("Stones")
    hand_words = _("moves a stone")
    editor_keys = (
        ("{previous_piece} {next_piece}", _("choose a stone")),
        ("{choose}", _("place or move it")),
        ("{side_to_move}", _("side to move")),
        ("{white_hand} {black_hand}", _("stones in hand")),
        ("{clear}", _("clear the board")),
        ("{exchange}", _("swap the colours")),
        ("{edit_undo} {edit_redo}", _("undo, redo")),
        ("{prompt}", _("type a position")),
    )
    editor_hint = _(
        "press {put_white_stone} to put a white stone here, {put_black_stone} for a black one; "
        "{next_piece} selects the stone that {choose} puts down."
    )

    def new_move_input(self) -> StonesMoveInput:
        """An empty move input."""
        return StonesMoveInput()

    def board_layout(self, size: Size, coloured: bool) -> tuple[StonesLayout, int]:
        """The largest layout that leaves room for the panels and the text below."""
        width, height = size
        if width < PANELS_MIN_WIDTH:
            distance = 2 if height >= 16 else 1
            return StonesLayout(4, distance), 2
        large = ((StonesLayout(13, 7), 4), (StonesLayout(11, 6), 4), (StonesLayout(9, 5), 4), (StonesLayout(8, 4), 3))
        for layout, margin in large:
            if width >= margin + layout.columns + PANEL_COLUMNS + 3 and height >= layout.rows + 7:
                return layout, margin
        if height >= 22:
            return StonesLayout(6, 3), 3
        return StonesLayout(4, 2), 3

    def compact_layout(self, coloured: bool) -> tuple[StonesLayout, int]:
        """Points as close to each other as stones allow."""
        return StonesLayout(4, 2), 3

    def editor_palette(self, look: Look) -> list[list[PaletteItem]]:
        """A stone of each side with its name and key."""
        sides = ((_("White"), "put_white_stone"), (_("Black"), "put_black_stone"))
        return [
            [PaletteItem(side, stone(side, look), "ground", name, action)] for side, (name, action) in enumerate(sides)
        ]

    def board_view(
        self, position: Position | None, moves: Sequence[MorrisMove] = (), view: PositionView | None = None
    ) -> StonesView:
        """The stones after the chosen part of a move, and the layers to which the moves of one of them lead."""
        view = view or PositionView()
        if position is None:
            return StonesView(flipped=view.flipped)

        source = None
        end = None
        if view.move_input is not None:
            source, end = view.move_input.endpoints
        if view.reviewed_move is not None:
            source = view.reviewed_move.source
            end = None

        # A move whose stone to take is still to be chosen is shown as made; else the last move is marked.
        last_move: MorrisMove | None = view.last_move
        picked_point = origin = destination = None
        captured: tuple[int, ...] = ()
        targets: dict[int, Label] = {}
        if end is not None:
            origin = source
            destination = end
        else:
            picked_point = source
            shown_source = source
            if shown_source is None:
                shown_source = source_point(view)
            targets = target_labels(view, moves, self.endpoints, shown_source)
            if last_move:
                origin = last_move.source
                destination = last_move.end
                captured = tuple(last_move.captured)

        better_point = None
        better_move = better_move_elsewhere(view, self.endpoints)
        if better_move is not None:
            better_point, better_destination, label = better_move
            targets[better_destination] = label

        takeable = ()
        if view.move_input is not None:
            takeable = view.move_input.takeable_points(moves)
        is_placing = bool(position.hands[position.turn]) and not view.idle
        return StonesView(
            stones=_stones_after(position, source, end),
            cursor=view.cursor,
            picked_point=picked_point,
            origin=origin,
            destination=destination,
            captured=captured,
            takeable=sum(1 << point for point in takeable),
            labels=targets,
            better_point=better_point,
            hands=position.hands if any(position.hands) else None,
            placing_side=position.turn if is_placing else None,
            flipped=view.flipped,
            lit=view.lit,
        )

    def initial_cursor(self, position: Position, moves: Sequence[MorrisMove]) -> int:
        """The stone of the first move, or the point where it places one; the first stone if there is no move."""
        move = next(iter(moves), None)
        if move is not None:
            if move.source is None:
                return move.end
            return move.source
        return next(iter(points_of(position.white | position.black)), 0)

    def has_piece(self, position: Position, point: int) -> bool:
        """Whether a stone stands on a point."""
        return bool((position.white | position.black) >> point & 1)

    def endpoints(self, move: MorrisMove) -> tuple[int | None, int]:
        """Source and destination of a move; the source is None for a stone from the hand."""
        return move.source, move.end


def _stones_after(position: Position, source: int | None, end: int | None) -> tuple[int, int]:
    """Masks of White's and Black's stones once the side to move has moved to ``end``, if that is chosen."""
    own = mask_of(position, position.turn)
    other = mask_of(position, 1 - position.turn)
    if end is not None:
        source_mask = 0 if source is None else 1 << source
        own = own & ~source_mask | 1 << end
    if position.turn == WHITE:
        return (own, other)
    return (other, own)


# Drawing


COLUMNS = "abcdefg"

INITIAL_POINT = 6
"""The point where the cursor starts: a1."""

# Row 0 is the top, where the rules have row 7.
COORDINATES = tuple((COLUMNS.index(name[0]), 7 - int(name[1])) for name in POINTS)
"""Column from the left and row from the top of each point, 0 to 6."""

_POINT_AT = {coordinates: point for point, coordinates in enumerate(COORDINATES)}

_JUNCTIONS = {
    "rd": "┌", "ld": "┐", "ru": "└", "lu": "┘", "lrd": "┬", "lru": "┴", "rud": "├", "lud": "┤", "lrud": "┼",
}  # fmt: skip
"""The line glyph of a point by the directions of its lines: left, right, up, down."""


@dataclass(frozen=True, slots=True)
class StonesLayout:
    """The distance of neighbouring grid points in terminal cells; a stone is three columns wide or more."""

    width: int
    height: int

    @property
    def edge(self) -> tuple[int, int]:
        """Columns and rows of the board around the outermost points."""
        # Half the distance of two points, so that stones and labels at the edge have room; a row only on large boards.
        return (self.width + 1) // 2, 1 if self.height >= 5 else 0

    @property
    def columns(self) -> int:
        """Columns of the whole board."""
        return 6 * self.width + 1 + 2 * self.edge[0]

    @property
    def rows(self) -> int:
        """Rows of the whole board."""
        return 6 * self.height + 1 + 2 * self.edge[1]

    @property
    def large(self) -> bool:
        """Whether stones three rows high fit."""
        return self.width >= 9 and self.height >= 5

    def cell(self, column: int, row: int) -> tuple[int, int]:
        """The cell where a column and a row of points cross."""
        return self.edge[0] + column * self.width, self.edge[1] + row * self.height

    def split(self) -> list[tuple[int, int]]:
        """First and last column (exclusive) of seven strips of the board, with one column of points in each."""
        first_column = self.edge[0]
        half = self.width // 2
        # Strips end halfway between two columns of points, and the outer ones at the edge of the board.
        starts = [0, *(first_column + column * self.width - half for column in range(1, 7)), self.columns]
        return list(itertools.pairwise(starts))

    def row_at(self, y: int) -> int | None:
        """The row of points nearest to a row of cells; None outside the board and halfway between two of them."""
        if not 0 <= y < self.rows:
            return None
        # Shifted by half a cell, so that each row of points gets the cells around it.
        row, offset = divmod(y - self.edge[1] + self.height // 2, self.height)
        has_halfway_row = self.height > 1 and self.height % 2 == 0
        if has_halfway_row and offset == 0:
            return None
        return min(max(row, 0), 6)


@dataclass(frozen=True, slots=True)
class StonesView:
    """Everything that the board shows. Points are numbered as in the rules.

    Attributes:
        stones: Masks of White's and Black's stones.
        cursor: Point of the cursor.
        picked_point: Point of the stone that is picked up.
        better_point: Point of the stone that had a better move than the reviewed one.
        origin: Where the last move, or the move being entered, started; None for a stone from the hand.
        destination: Where that move ended.
        captured: Points from which the last move took stones.
        takeable: Mask of the stones that the move being entered may take.
        labels: The points where the stone in question can go.
        hands: Stones in White's and Black's hand; None to show none.
        placing_side: The side that places a stone next: 0 for White, 1 for Black.
        flipped: Whether Black's side is below.
        lit: The point whose stone lights up for a moment.
    """

    stones: tuple[int, int] = (0, 0)
    cursor: int | None = None
    picked_point: int | None = None
    better_point: int | None = None
    origin: int | None = None
    destination: int | None = None
    captured: tuple[int, ...] = ()
    takeable: int = 0
    labels: Mapping[int, Label] = field(default_factory=dict[int, Label])
    hands: tuple[int, int] | None = None
    placing_side: int | None = None
    flipped: bool = False
    lit: int | None = None

    def column_and_row(self, point: int) -> tuple[int, int]:
        """Column and row of a point on the board as shown."""
        column, row = COORDINATES[point]
        if self.flipped:
            return (6 - column, 6 - row)
        return (column, row)

    def point_in(self, column: int, row: int) -> int | None:
        """The point shown in a column and row; None if there is none."""
        if self.flipped:
            return _POINT_AT.get((6 - column, 6 - row))
        return _POINT_AT.get((column, row))

    def side_at(self, point: int) -> int | None:
        """The side whose stone is on a point: 0 for White, 1 for Black; None for an empty point."""
        return next((side for side in (0, 1) if self.stones[side] >> point & 1), None)

    def neighbour(self, point: int | None, columns: int, rows: int) -> int:
        """The next point in a direction: along a line if there is one, else the nearest that way, else ``point``."""
        start = INITIAL_POINT if point is None else point
        x, y = self.column_and_row(start)

        candidates: list[tuple[bool, int, int]] = []
        for other in range(len(COORDINATES)):
            column, row = self.column_and_row(other)
            dx = column - x
            dy = row - y
            along = dx * columns + dy * rows
            # One of the two components is 0, so these are the distances along the direction and across it.
            aside = abs(dx * rows) + abs(dy * columns)
            if along > 0:
                is_joined = aside == 0 and other in NEIGHBOURS[start]
                # False sorts first. What lies aside counts double, so that the cursor keeps its direction.
                candidates.append((not is_joined, along + 2 * aside, other))
        if candidates:
            return min(candidates)[2]
        return start

    # BoardRenderer

    def paint(self, layout: StonesLayout, look: Look) -> list[list[Ink]]:
        """The board row by row, in runs of one style that end between two columns of points."""
        grid = paint(self, layout, look)
        strips = layout.split()
        return [[ink for start, end in strips for ink in grid.inks(y, start, end)] for y in range(layout.rows)]

    def edge_labels(self, layout: StonesLayout) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        """The cells and names of the rows and columns of points."""
        rows: list[tuple[int, str]] = []
        columns: list[tuple[int, str]] = []
        for number in range(7):
            x, y = layout.cell(number, number)
            # Rows are counted from below; both rows and columns run the other way if Black's side is below.
            if self.flipped:
                rows.append((y, str(number + 1)))
                columns.append((x, COLUMNS[6 - number]))
            else:
                rows.append((y, str(7 - number)))
                columns.append((x, COLUMNS[number]))
        return rows, columns

    def point_at(self, x: int, y: int, layout: StonesLayout) -> int | None:
        """The point nearest to a cell; None where there is none."""
        row = layout.row_at(y)
        column = next((number for number, (start, end) in enumerate(layout.split()) if start <= x < end), None)
        if row is None or column is None:
            return None
        return self.point_in(column, row)


@lru_cache(maxsize=16)
def _empty_board(layout: StonesLayout, look: Look) -> tuple[tuple[str, ...], ...]:
    """The lines of the board, character by character."""
    grid = [[" "] * layout.columns for __ in range(layout.rows)]
    across = "-"
    down = "|"
    junction = "+"
    if look.glyphs.unicode:
        across = "─"
        # Corners and crossings are drawn by _junction, by the lines that meet there.
        down = "│"
        junction = ""
    for line in LINES:
        _draw_line(grid, layout, COORDINATES[line[0]], COORDINATES[line[-1]], across, down)
    for point, coordinates in enumerate(COORDINATES):
        x, y = layout.cell(*coordinates)
        grid[y][x] = junction or _junction(point)
    return tuple(map(tuple, grid))


def _draw_line(
    grid: list[list[str]],
    layout: StonesLayout,
    start: tuple[int, int],
    end: tuple[int, int],
    across: str,
    down: str,
) -> None:
    """Draw a line between two points, given by column and row; the points themselves are left out."""
    # The line is level or upright: one of the two loops draws nothing.
    (x1, y1), (x2, y2) = sorted((layout.cell(*start), layout.cell(*end)))
    for x in range(x1 + 1, x2):
        grid[y1][x] = across
    for y in range(y1 + 1, y2):
        grid[y][x1] = down


def _junction(point: int) -> str:
    """The glyph for a point, with an arm towards each neighbour."""
    x, y = COORDINATES[point]
    neighbours = [COORDINATES[neighbour] for neighbour in NEIGHBOURS[point]]
    directions = ""
    if any(column < x for column, row in neighbours if row == y):
        directions += "l"
    if any(column > x for column, row in neighbours if row == y):
        directions += "r"
    if any(row < y for column, row in neighbours if column == x):
        directions += "u"
    if any(row > y for column, row in neighbours if column == x):
        directions += "d"
    return _JUNCTIONS[directions]


def paint(view: StonesView, layout: StonesLayout, look: Look) -> Grid:
    """Draw the whole board, cell by cell."""
    # Later drawings lie on top of earlier ones: lines, mills, hands, labels, stones, the cursor.
    board = _BoardGrid(view, layout, look)
    for side in (0, 1):
        for mill in MILLS:
            if view.stones[side] & mill == mill:
                board.draw_mill(mill)
    board.draw_hands()
    for point, label in view.labels.items():
        # A stone is more important than the label of its point.
        if view.side_at(point) is None:
            board.draw_label(point, label)
    for point in range(len(COORDINATES)):
        board.draw_point(point)
    if view.cursor is not None:
        board.draw_cursor(view.cursor)
    return board


_ROLES = ("white_man", "black_man")
"""The colour roles of White's and Black's stones."""


def _letter(side: int, unicode: bool) -> str:
    """A stone as one character."""
    letters = "○●" if unicode else "OX"
    return letters[side]


def stone(side: int, look: Look) -> tuple[Ink, ...]:
    """A stone outside the board, drawn as on it."""
    role = _ROLES[side]
    if not look.can_draw_pieces:
        return ((f"({_letter(side, look.glyphs.unicode)})", look.palette(role, bold=True)),)
    edge = look.palette(role)
    # Half blocks round off both ends of the stone; its letter is in the colour of the other side.
    return ("▐", edge), (_letter(side, True), look.palette(_ROLES[1 - side], role)), ("▌", edge)


class _BoardGrid(Grid):
    """The cells of a board that is being drawn."""

    def __init__(self, view: StonesView, layout: StonesLayout, look: Look) -> None:
        self.view = view
        self.layout = layout
        self.look = look
        self.has_large_stones = layout.large and look.can_draw_pieces
        super().__init__(_empty_board(layout, look), self.style("morris_line"))

    def style(self, role: str, ground: str = "morris_board", bold: bool = False) -> Style:
        return self.look.palette(role, ground, bold=bold)

    @property
    def mark(self) -> Style:
        """The style of the cursor and of the last move."""
        return self.style("morris_mark", bold=True)

    def cell_of(self, point: int) -> tuple[int, int]:
        return self.layout.cell(*self.view.column_and_row(point))

    def draw_mill(self, mill: int) -> None:
        """Draw heavy lines between the three stones of a mill, given by its mask."""
        cells = sorted(self.cell_of(point) for point in points_of(mill))
        # The middle stone is drawn over the line later.
        x1, y1 = cells[0]
        x2, y2 = cells[-1]
        across = "="
        down = "#"
        if self.look.glyphs.unicode:
            across = "━"
            down = "┃"
        self.put(x1 + 1, y1, across * (x2 - x1 - 1), self.mark)
        for y in range(y1 + 1, y2):
            self.put(x1, y, down, self.mark)

    def draw_hands(self) -> None:
        """Write the number of stones not yet placed in the middle of the board."""
        if self.view.hands is None:
            return
        glyphs = self.look.glyphs
        x, y = self.layout.cell(3, 3)
        is_flat = self.layout.height == 1
        # The middle of the board has no point: room for both sides, above each other or in one row.
        rows = (y, y) if is_flat else (y - 1, y + 1)
        for side, count in enumerate(self.view.hands):
            is_placing = side == self.view.placing_side
            letter = _letter(side, glyphs.unicode)
            style = self.style(_ROLES[side], bold=is_placing)
            if is_flat:
                self.put(x + 2 * side - 2, rows[side], f"{letter}{count}", style)
            else:
                self.put(x - 2, rows[side], glyphs.pointer if is_placing else " ", self.mark)
                self.put(x - 1, rows[side], f"{letter} {count}", style)

    def draw_label(self, point: int, label: Label) -> None:
        """Write the label of an empty point to which a stone can go."""
        x, y = self.cell_of(point)
        glyphs = self.look.glyphs
        if self.layout.width < 6:
            # The points are so close that the text has to be short: 12 instead of S12.
            text = label.text.removeprefix("S")
        else:
            text = label.text
        if not text:
            text = "•" if glyphs.unicode else "*"
        if label.short and len(text) >= self.layout.width:
            text = label.short
        if label.best and not self.look.palette.has_colours:
            text = glyphs.pointer + text
        # Blanks keep the lines of the board off the text.
        elif self.layout.width >= 6 or len(text) == 1:
            text = f" {text} "

        if label.ground:
            style = self.style("black_man", f"map_{label.ground}_dark", bold=True)
        elif label.best:
            style = self.style("black_man", "best_target", bold=True)
        else:
            style = self.style("white_man")
        self.put(x - len(text) // 2, y, text, style)

    def draw_point(self, point: int) -> None:
        """Draw a stone, or the mark of one that the last move moved away or took."""
        view = self.view
        side = view.side_at(point)
        x, y = self.cell_of(point)
        if side is not None:
            self.draw_stone(point, side)
        elif point == view.origin and point not in view.labels:
            middle = " "
            if not self.layout.large:
                middle = self.look.glyphs.middle_dot
            self.put(x - 1, y, f"({middle})", self.mark)
        elif point in view.captured and point not in view.labels:
            self.put(x - 1, y, self.look.glyphs.plain("(×)"), self.mark)

    def draw_stone(self, point: int, side: int) -> None:
        """Draw a stone three columns wide or, if there is room, three rows high and five columns wide."""
        view = self.view
        x, y = self.cell_of(point)
        role = _ROLES[side]
        # Without colours or block characters, a stone is (O) or (X), and its marks replace the brackets.
        if not self.look.can_draw_pieces:
            self.put(x - 1, y, self.stone_text(side, point), self.style(role, bold=True))
            return

        ground = "morris_mark"
        if point != view.lit:
            ground = role
        edge = self.style(ground)
        if self.has_large_stones:
            self.put(x - 2, y - 1, "▟███▙", edge)
            self.put(x - 2, y, "█████", edge)
            self.put(x - 2, y + 1, "▜███▛", edge)
        else:
            self.put(x - 1, y, "▐█▌", edge)

        # The sign inside is in the colour of the other side, which always stands out; on a lit stone it is black.
        body_role = "black_man" if point == view.lit else _ROLES[1 - side]
        body = self.style(body_role, ground)
        if view.takeable >> point & 1:
            self.put(x, y, "×", self.style(("take_white", "take_black")[side], role, bold=True))
        else:
            signs = "◎◉" if point == view.destination else "○●"
            self.put(x, y, signs[side], body)

        if point in (view.picked_point, view.better_point):
            if self.has_large_stones:
                distance = 3
                style = self.mark
            else:
                distance = 1
                style = body
            # The stone that should have moved has the colour of the best target.
            if point == view.better_point:
                style = self.style("black_man", "best_target", bold=True)
            self.put(x - distance, y, "▸", style)
            self.put(x + distance, y, "◂", style)

    def stone_text(self, side: int, point: int) -> str:
        """A stone as three characters that need no colours."""
        view = self.view
        glyphs = self.look.glyphs
        letter = _letter(side, glyphs.unicode)
        if view.takeable >> point & 1:
            return glyphs.plain(f"×{letter}×")
        if point in (view.picked_point, view.better_point):
            right_arrow = "◂" if glyphs.unicode else "<"
            return glyphs.plain(f"▸{letter}") + right_arrow
        if point == view.destination:
            if glyphs.unicode:
                return f"({'◎◉'[side]})"
            return f"{{{letter}}}"
        return f"({letter})"

    def draw_cursor(self, point: int) -> None:
        """Draw brackets around a point, or corners if stones are large."""
        x, y = self.cell_of(point)
        if self.has_large_stones:
            for dy, corners in ((-2, "┏┓"), (2, "┗┛")):
                self.put(x - 4, y + dy, corners[0], self.mark)
                self.put(x + 4, y + dy, corners[1], self.mark)
            return
        self.put(x - 2, y, "[", self.mark)
        self.put(x + 2, y, "]", self.mark)
