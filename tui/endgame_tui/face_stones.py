"""Nine Men's Morris on a screen: stones on points, moved in three steps."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rich.style import Style
from textual.geometry import Size

from endgame_core.morris.geometry import LINES, MILLS, NEIGHBOURS, POINTS, points_of
from endgame_core.morris.notation import NAMES, spell
from endgame_core.morris.rules import WHITE, MorrisMove, Position, mask_of
from endgame_tui.faces import (
    PANELS,
    SMALL,
    Face,
    Grid,
    InputStep,
    Label,
    MoveInput,
    PositionView,
    best_of_another,
    labels,
    source_of,
)
from endgame_tui.look import Ink, Look


class StonesHand(MoveInput):
    """A stone is chosen, then where it goes, then what it takes; a stone from the hand goes somewhere at once."""

    @property
    def words(self) -> str:
        """The move so far, as people write it."""
        source, end = self.way
        return "" if end is None else spell(MorrisMove(source, end))

    def takeable(self, moves: Sequence[MorrisMove]) -> tuple[int, ...]:
        """The stones that may be taken now, of the best moves first."""
        fitting = (move for move in moves if self.is_taking and (move.source, move.end) == self.way)
        return tuple(dict.fromkeys(point for move in fitting for point in move.taken))

    def begin(self, moves: Sequence[MorrisMove], text: str) -> bool:
        """Takes over a typed move that closes a mill and does not say what it takes."""
        typed = re.sub(r"[\s–]", "-", text.strip().lower())
        for move in moves:
            if move.taken and typed == spell(replace(move, taken=())):
                self.way = move.source, move.end
                return True
        return False

    def choose(self, position: Position, moves: Sequence[MorrisMove], point: int) -> InputStep:
        """Chooses a stone, where it goes, or what it takes."""
        own, other = mask_of(position, position.turn), mask_of(position, 1 - position.turn)
        if self.is_taking:
            return self._take(position, moves, point, bool(other >> point & 1))
        if position.hands[position.turn]:
            return self._put(moves, point, bool((own | other) >> point & 1))
        if point == self.picked:
            self.pick(None)
            return InputStep()
        if own >> point & 1:
            if all(move.source != point for move in moves):
                return InputStep(refusal=f"{POINTS[point]} cannot move: there is a stone on every point beside it.")
            self.pick(point)
            return InputStep()
        if self.picked is None:
            side = NAMES[position.turn]
            return InputStep(refusal=f"{side} is to move: choose one of {side}'s stones.")
        return self._put(moves, point, bool((own | other) >> point & 1))

    def _put(self, moves: Sequence[MorrisMove], point: int, occupied: bool) -> InputStep:
        name, source = POINTS[point], self.picked
        fitting = tuple(move for move in moves if (move.source, move.end) == (source, point))
        if fitting:
            self.way = (None, None) if len(fitting) == 1 else (source, point)
            return InputStep(fitting if len(fitting) == 1 else ())
        if occupied:
            return InputStep(refusal=f"{name} is occupied: choose an empty point.")
        if source is not None and point not in NEIGHBOURS[source]:
            return InputStep(refusal=f"{POINTS[source]}-{name} is not a legal move: no line joins them.")
        return InputStep(refusal=f"{name} is not a legal move.")

    def _take(self, position: Position, moves: Sequence[MorrisMove], point: int, others: bool) -> InputStep:
        taking = next((move for move in moves if (move.source, move.end) == self.way and point in move.taken), None)
        if taking is not None:
            self.pick(None)
            return InputStep((taking,))
        if others:
            return InputStep(refusal=f"{POINTS[point]} stands in a mill: take a stone that does not.")
        side = NAMES[1 - position.turn]
        return InputStep(refusal=f"choose the stone of {side} to take; Esc chooses another move.")


class StonesFace(Face):
    """Nine Men's Morris: stones on points."""

    game = "morris"
    name = "Nine Men’s Morris"
    follows = True
    told = (
        (
            "Typed after :",
            (
                ("↑ ↓ ← →", "Along lines, else nearest"),
                ("Enter", "Stone, point, what to take"),
                ("c4-e3xd6", "a move; c4-e3 asks"),
                ("3-4", "White's and Black's stones"),
                ("3-4 S13", "a layer of that ending"),
            ),
        ),
    )

    def hand(self) -> StonesHand:
        """A hand that has chosen nothing."""
        return StonesHand()

    def scale(self, size: Size, coloured: bool) -> tuple[Pitch, int]:
        """The largest board that leaves room for the panels and the words."""
        width, height = size
        if width < SMALL:
            return (Pitch(4, 2) if height >= 16 else Pitch(4, 1)), 2
        for pitch, margin in ((Pitch(13, 7), 4), (Pitch(11, 6), 4), (Pitch(9, 5), 4), (Pitch(8, 4), 3)):
            if width >= margin + pitch.columns + PANELS + 3 and height >= pitch.rows + 7:
                return pitch, margin
        return (Pitch(6, 3) if height >= 22 else Pitch(4, 2)), 3

    def small(self, coloured: bool) -> tuple[Pitch, int]:
        """Points as near to each other as stones allow."""
        return Pitch(4, 2), 3

    def picture(
        self, position: Position | None, moves: Sequence[MorrisMove] = (), view: PositionView | None = None
    ) -> StonesView:
        """The stones with what has been chosen done; where one of them can go, and the layers these moves lead to."""
        view = view or PositionView()
        if position is None:
            return StonesView(flipped=view.flipped)
        source, end = view.hand.way if view.hand is not None else (None, None)
        if view.looked is not None:
            source, end = view.looked.source, None
        last = view.last
        shows = source if source is not None else source_of(view)
        targets = {} if end is not None else labels(view, moves, self.ends, shows)
        if (better := best_of_another(view, self.ends)) is not None:
            targets[better[1]] = better[2]
        takeable = view.hand.takeable(moves) if view.hand is not None else ()
        placing = position.turn if position.hands[position.turn] and not view.idle else None
        return StonesView(
            stones=_done(position, source, end),
            cursor=view.cursor,
            picked=source if end is None else None,
            left=source if end is not None else last.source if last else None,
            moved=end if end is not None else last.end if last else None,
            gone=tuple(last.taken) if last and end is None else (),
            takeable=sum(1 << point for point in takeable),
            labels=targets,
            better=None if better is None else better[0],
            hands=position.hands if any(position.hands) else None,
            placing=placing,
            flipped=view.flipped,
        )

    def first(self, position: Position, moves: Sequence[MorrisMove]) -> int:
        """Where the first move begins, or a stone is placed."""
        move = next(iter(moves), None)
        if move is not None:
            return move.end if move.source is None else move.source
        return next(iter(points_of(position.white | position.black)), 0)

    def is_man(self, position: Position, point: int) -> bool:
        """Whether a stone stands on a point."""
        return bool((position.white | position.black) >> point & 1)

    def ends(self, move: MorrisMove) -> tuple[int | None, int]:
        """From where to where."""
        return move.source, move.end


def _done(position: Position, source: int | None, end: int | None) -> tuple[int, int]:
    """White's and Black's stones with what has been chosen done: the stone on its end."""
    own, other = mask_of(position, position.turn), mask_of(position, 1 - position.turn)
    if end is not None:
        left = 0 if source is None else 1 << source
        own = own & ~left | 1 << end
    return (own, other) if position.turn == WHITE else (other, own)


# The picture


COLUMNS = "abcdefg"

FIRST = 6
"""Where the cursor begins when it is nowhere: a1."""

PLACES = tuple((COLUMNS.index(name[0]), 7 - int(name[1])) for name in POINTS)
"""Column from the left and row from the top of each point, 0 to 6."""

_AT = {place: point for point, place in enumerate(PLACES)}

_JUNCTIONS = {
    "rd": "┌", "ld": "┐", "ru": "└", "lu": "┘", "lrd": "┬", "lru": "┴", "rud": "├", "lud": "┤", "lrud": "┼",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pitch:
    """How far the points stand apart, in terminal cells; even at the smallest a stone is three columns wide."""

    width: int
    height: int

    @property
    def edge(self) -> tuple[int, int]:
        """Columns and rows of the board around the outermost points."""
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
        """Where a column and a row of points cross."""
        return self.edge[0] + column * self.width, self.edge[1] + row * self.height

    def split(self) -> list[tuple[int, int]]:
        """First and last column (exclusive) of seven strips of the board, a column of points in each."""
        first, half = self.edge[0], self.width // 2
        starts = [0, *(first + column * self.width - half for column in range(1, 7)), self.columns]
        return list(itertools.pairwise(starts))

    def row_at(self, y: int) -> int | None:
        """The row of points nearest to a row of cells, None where both neighbours are equally near or it is outside."""
        if not 0 <= y < self.rows:
            return None
        row, off = divmod(y - self.edge[1] + self.height // 2, self.height)
        even = self.height > 1 and self.height % 2 == 0
        return None if even and off == 0 else min(max(row, 0), 6)


@dataclass(frozen=True, slots=True)
class StonesView:
    """Everything the board shows. Points are numbered as in the rules.

    Attributes:
        stones: Masks of White's and Black's stones.
        cursor: Point of the cursor.
        picked: Point of the stone picked up.
        better: Point of the stone that had a better move than the one looked at.
        left: Where the stone that moved last came from.
        moved: The stone that moved last, or is moving.
        gone: Points from which the last move took stones.
        takeable: Mask of the stones that may be taken now.
        labels: Where the stone in question can go.
        hands: Stones in White's and Black's hand; None when none are shown.
        placing: Who places one now: 0 for White, 1 for Black.
        flipped: Black's side is below.
    """

    stones: tuple[int, int] = (0, 0)
    cursor: int | None = None
    picked: int | None = None
    better: int | None = None
    left: int | None = None
    moved: int | None = None
    gone: tuple[int, ...] = ()
    takeable: int = 0
    labels: Mapping[int, Label] = field(default_factory=dict[int, Label])
    hands: tuple[int, int] | None = None
    placing: int | None = None
    flipped: bool = False

    def place(self, point: int) -> tuple[int, int]:
        """Column and row of a point as shown."""
        column, row = PLACES[point]
        return (6 - column, 6 - row) if self.flipped else (column, row)

    def point(self, column: int, row: int) -> int | None:
        """The point shown in a column and row, if there is one."""
        return _AT.get((6 - column, 6 - row) if self.flipped else (column, row))

    def side(self, point: int) -> int | None:
        """Whose stone is on a point: 0 for White, 1 for Black."""
        return next((side for side in (0, 1) if self.stones[side] >> point & 1), None)

    def towards(self, point: int | None, columns: int, rows: int) -> int:
        """The next point in a direction: along the line there is, else the nearest one that way, else the point."""
        point = FIRST if point is None else point
        x, y = self.place(point)

        def distance(other: int) -> tuple[bool, int, int] | None:
            dx, dy = self.place(other)[0] - x, self.place(other)[1] - y
            along, aside = dx * columns + dy * rows, abs(dx * rows) + abs(dy * columns)
            if along <= 0:
                return None
            joined = aside == 0 and other in NEIGHBOURS[point]
            return not joined, along + 2 * aside, other

        return min((found for other in range(24) if (found := distance(other))), default=(False, 0, point))[2]

    # As a picture

    def paint(self, pitch: Pitch, look: Look) -> list[list[Ink]]:
        """Row by row, in pieces of one style that end between two columns of points."""
        grid = paint(self, pitch, look)
        return [[ink for start, end in pitch.split() for ink in grid.inks(y, start, end)] for y in range(pitch.rows)]

    def names(self, pitch: Pitch) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        """Rows and columns of points."""
        across, down = range(7), range(7)
        rows = [(pitch.cell(0, row)[1], str(row + 1 if self.flipped else 7 - row)) for row in down]
        columns = [(pitch.cell(column, 0)[0], COLUMNS[6 - column if self.flipped else column]) for column in across]
        return rows, columns

    def at(self, x: int, y: int, pitch: Pitch) -> int | None:
        """The point nearest to a cell."""
        row = pitch.row_at(y)
        column = next((number for number, (start, end) in enumerate(pitch.split()) if start <= x < end), None)
        return None if row is None or column is None else self.point(column, row)


@lru_cache(maxsize=16)
def _lines(pitch: Pitch, look: Look) -> tuple[tuple[str, ...], ...]:
    """The empty board, character by character."""
    grid = [[" "] * pitch.columns for _ in range(pitch.rows)]
    unicode = look.glyphs.unicode
    for a, b, c in LINES:
        _draw_line(grid, pitch, (PLACES[a], PLACES[b], PLACES[c]), "─" if unicode else "-", "│" if unicode else "|")
    for point, place in enumerate(PLACES):
        x, y = pitch.cell(*place)
        grid[y][x] = _junction(point) if unicode else "+"
    return tuple(map(tuple, grid))


def _draw_line(
    grid: list[list[str]], pitch: Pitch, places: tuple[tuple[int, int], ...], across: str, down: str
) -> None:
    """Draws from the first point to the last, the ends left out."""
    (x1, y1), (x2, y2) = sorted(pitch.cell(*place) for place in (places[0], places[-1]))
    for x in range(x1 + 1, x2):
        grid[y1][x] = across
    for y in range(y1 + 1, y2):
        grid[y][x1] = down


def _junction(point: int) -> str:
    x, y = PLACES[point]
    ways = ""
    for way, dx, dy in (("l", -1, 0), ("r", 1, 0), ("u", 0, -1), ("d", 0, 1)):
        near = (PLACES[other] for other in NEIGHBOURS[point])
        ways += way if any(((a - x) * dx > 0 and b == y) or ((b - y) * dy > 0 and a == x) for a, b in near) else ""
    return _JUNCTIONS[ways]


def paint(view: StonesView, pitch: Pitch, look: Look) -> Grid:
    """The whole board, cell by cell."""
    picture = _Picture(view, pitch, look)
    for side in (0, 1):
        for mill in MILLS:
            if view.stones[side] & mill == mill:
                picture.mill(mill)
    picture.hands()
    for point, label in view.labels.items():
        if view.side(point) is None:
            picture.label(point, label)
    for point in range(24):
        picture.point(point)
    if view.cursor is not None:
        picture.cursor(view.cursor)
    return picture


def stone(side: int, look: Look) -> tuple[Ink, ...]:
    """A stone as it is on the board, beside it."""
    role, other = ("white_man", "black_man")[side], ("black_man", "white_man")[side]
    if not (look.glyphs.unicode and look.palette.coloured):
        letter = (("○", "●") if look.glyphs.unicode else ("O", "X"))[side]
        return ((f"({letter})", look.palette(role, bold=True)),)
    edge = look.palette(role)
    return ("▐", edge), ("○●"[side], look.palette(other, role)), ("▌", edge)


class _Picture(Grid):
    """A board being drawn."""

    def __init__(self, view: StonesView, pitch: Pitch, look: Look) -> None:
        self.view, self.pitch, self.look = view, pitch, look
        self.drawn = pitch.large and look.palette.coloured and look.glyphs.unicode
        super().__init__(_lines(pitch, look), self.style("morris_line"))

    def style(self, role: str, ground: str = "square_dark", bold: bool = False) -> Style:
        return self.look.palette(role, ground, bold=bold)

    @property
    def mark(self) -> Style:
        """The style of the cursor and of whatever was just done."""
        return self.style("morris_mark", bold=True)

    def at(self, point: int) -> tuple[int, int]:
        return self.pitch.cell(*self.view.place(point))

    def mill(self, mill: int) -> None:
        """Heavy lines between the three stones."""
        ends = sorted(self.at(point) for point in points_of(mill))
        (x1, y1), (x2, y2) = ends[0], ends[-1]
        across, down = ("━", "┃") if self.look.glyphs.unicode else ("=", "#")
        self.put(x1 + 1, y1, across * (x2 - x1 - 1), self.mark)
        for y in range(y1 + 1, y2):
            self.put(x1, y, down, self.mark)

    def hands(self) -> None:
        """The stones not yet placed, in the middle of the board."""
        if self.view.hands is None:
            return
        glyphs, (x, y) = self.look.glyphs, self.pitch.cell(3, 3)
        rows = (y, y) if self.pitch.height == 1 else (y - 1, y + 1)
        for side, count in enumerate(self.view.hands):
            here = side == self.view.placing
            stone = (("○", "●") if glyphs.unicode else ("O", "X"))[side]
            style = self.style(("white_man", "black_man")[side], bold=here)
            if self.pitch.height == 1:
                self.put(x + 2 * side - 2, rows[side], f"{stone}{count}", style)
            else:
                self.put(x - 2, rows[side], glyphs.pointer if here else " ", self.mark)
                self.put(x - 1, rows[side], f"{stone} {count}", style)

    def label(self, point: int, label: Label) -> None:
        """A point a stone can go to, and what that leads to."""
        x, y = self.at(point)
        glyphs, coloured = self.look.glyphs, self.look.palette.coloured
        text = label.text.removeprefix("S") if self.pitch.width < 6 else label.text
        text = text or ("•" if glyphs.unicode else "*")
        if label.short and len(text) >= self.pitch.width:
            text = label.short
        if label.best and not coloured:
            text = glyphs.pointer + text
        elif self.pitch.width >= 6 or len(text) == 1:
            text = f" {text} "
        style = self.style("black_man", "best_target", bold=True) if label.best else self.style("white_man")
        if label.ground:
            style = self.style("white_man", f"map_{label.ground}_dark", bold=True)
        self.put(x - len(text) // 2, y, text, style)

    def point(self, point: int) -> None:
        """A stone, or the mark of one that has gone."""
        side, view = self.view.side(point), self.view
        x, y = self.at(point)
        if side is not None:
            self.stone(point, side)
        elif point == view.left and point not in view.labels:
            middle = " " if self.pitch.large else self.look.glyphs.middle
            self.put(x - 1, y, f"({middle})", self.mark)
        elif point in view.gone and point not in view.labels:
            self.put(x - 1, y, self.look.glyphs.plain("(×)"), self.mark)

    def stone(self, point: int, side: int) -> None:
        """A stone three columns wide; where there is room for it, three rows high and five wide."""
        (x, y), view = self.at(point), self.view
        role = ("white_man", "black_man")[side]
        takeable = bool(view.takeable >> point & 1)
        if not self.look.glyphs.unicode or not self.look.palette.coloured:
            style = self.style(role, bold=True)
            self.put(x - 1, y, self.letters(side, point), style)
            return
        body, edge = self.style("black_man" if side == 0 else "white_man", role), self.style(role)
        middle = (("○", "●"), ("◎", "◉"))[point == view.moved][side]
        style = self.style(("take_white", "take_black")[side], role, bold=True) if takeable else body
        if self.drawn:
            self.put(x - 2, y - 1, "▟███▙", edge)
            self.put(x - 2, y, "█████", edge)
            self.put(x - 2, y + 1, "▜███▛", edge)
        else:
            self.put(x - 1, y, "▐█▌", edge)
        self.put(x, y, "×" if takeable else middle, style)
        if point in (view.picked, view.better):
            out, style = (3, self.mark) if self.drawn else (1, body)
            if point == view.better:
                style = self.style("white_man", "best_target", bold=True)
            self.put(x - out, y, "▸", style)
            self.put(x + out, y, "◂", style)

    def letters(self, side: int, point: int) -> str:
        """A stone of three characters that needs no colour."""
        view = self.view
        stone, last = (("○", "●"), ("◎", "◉")) if self.look.glyphs.unicode else (("O", "X"), ("O", "X"))
        if view.takeable >> point & 1:
            return self.look.glyphs.plain(f"×{stone[side]}×")
        if point in (view.picked, view.better):
            return self.look.glyphs.plain(f"▸{stone[side]}") + ("◂" if self.look.glyphs.unicode else "<")
        if point == view.moved:
            return f"({last[side]})" if self.look.glyphs.unicode else f"{{{last[side]}}}"
        return f"({stone[side]})"

    def cursor(self, point: int) -> None:
        """Brackets around the point; corners where stones are large."""
        x, y = self.at(point)
        if self.drawn:
            for dy, corners in ((-2, "┏┓"), (2, "┗┛")):
                self.put(x - 4, y + dy, corners[0], self.mark)
                self.put(x + 4, y + dy, corners[1], self.mark)
            return
        self.put(x - 2, y, "[", self.mark)
        self.put(x + 2, y, "]", self.mark)
