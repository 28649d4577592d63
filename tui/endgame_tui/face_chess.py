"""Chess on a screen: men on squares, picked up and dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import chess
from rich.style import Style
from textual.geometry import Size

from endgame_core.chess import notation
from endgame_core.words.text_model import KINDS
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
from endgame_tui.look import MARK, Ink, Look


class ChessHand(MoveInput):
    """A man is picked up, and dropped."""

    def choose(self, position: chess.Board, moves: Sequence[chess.Move], point: int) -> InputStep:
        """Picks a man up, puts it down again, or drops it; picks another one up instead."""
        piece, source = position.piece_at(point), self.picked
        if piece is not None and piece.color == position.turn:
            self.pick(None if source == point else point)
            return InputStep()
        if source is None:
            side = "White" if position.turn else "Black"
            return InputStep(refusal=f"{side} is to move: pick one of {side}'s men.")
        fitting = [move for move in moves if (move.from_square, move.to_square) == (source, point)]
        if not fitting:
            self.pick(None)
            names = f"{chess.square_name(source)}{chess.square_name(point)}"
            return InputStep(refusal=f"{names} is not a legal move.")
        return InputStep(tuple(sorted(fitting, key=lambda move: -(move.promotion or 0))))


_TYPED: Final = (
    ("Kg8 g7a1", "a move, SAN or UCI"),
    ("e8=N exd6", "e8 alone asks to what"),
    ("S12 12/3", "a layer; its 3rd"),
    ("7", "the 7th of the layer"),
    ("clock 43", "50-move counter in plies"),
    ("KBNvK", "an ending"),
    ("8/8/… w", "FEN, short FEN, key"),
)

_MARKS: Final = (
    *((kind.sign, kind.words) for kind in KINDS.values()),
    ("cursed", "won, but drawn by a claim"),
    ("blessed", "lost, but drawn by a claim"),
    ("z", "zeroing move: clock to 0"),
    ("DTM", "plies to mate"),
    ("DTZ", "plies to a z move or mate"),
    ("50-move", "counter: moves since z"),
    ("≈4", "4 or 5: Syzygy rounds"),
    ("S101=", "layer of cursed wins"),
)
"""What the 50-move rule makes of a position."""

_PROMOTION: Final = (
    ("q", "Queen"), ("r", "Rook"), ("b", "Bishop"), ("n", "Knight"), ("Esc", "Leave the pawn there"),
)  # fmt: skip


class ChessFace(Face):
    """Chess: men on squares."""

    game = "chess"
    told = (("Typed after :", _TYPED), ("The 50-move rule", _MARKS), ("Promotion", _PROMOTION))

    def hand(self) -> ChessHand:
        """A hand without a man."""
        return ChessHand()

    def scale(self, size: Size, coloured: bool) -> tuple[Cells, int]:
        """The largest cells that leave room for panels and words; men are drawn in the largest of all."""
        width, height = size
        if width < SMALL:
            roomy = width >= 34 and height >= 19
            return (Cells(2, 4, shifted=coloured and height > 21) if roomy else Cells(1, 2)), 2
        for cells, least in ((Cells(6, 12), 55), (Cells(5, 10), 47), (Cells(4, 8), 38)):
            if coloured and width - 3 - cells.columns >= PANELS + 8 and height >= least:
                return cells, 3
        if width - 3 - 48 >= PANELS and height >= 30:
            return Cells(3, 6), 3
        return (Cells(2, 4, shifted=coloured) if height >= 22 else Cells(1, 2)), 3

    def small(self, coloured: bool) -> tuple[Cells, int]:
        """Squares two rows high."""
        return Cells(2, 4, shifted=coloured), 3

    def picture(
        self, position: chess.Board | None, moves: Sequence[chess.Move] = (), view: PositionView | None = None
    ) -> SquaresView:
        """The men; where one of them can go, and the layers these moves lead to."""
        if position is None:
            return SquaresView(flipped=view is not None and view.flipped)
        view = view or PositionView()
        picked = view.hand.picked if view.hand is not None and view.looked is None else None
        source = view.looked.from_square if view.looked is not None else source_of(view)
        men = {
            square: ColouredPiece(piece.symbol().upper(), piece.color) for square, piece in position.piece_map().items()
        }
        moved = (view.last.from_square, view.last.to_square) if view.last else None
        targets = labels(view, moves, self.ends, source)
        if (better := best_of_another(view, self.ends)) is not None and better[0] is not None:
            targets |= {better[0]: Label(best=True), better[1]: better[2]}
        return SquaresView(men, view.cursor, picked, moved, targets, view.flipped)

    def first(self, position: chess.Board, moves: Sequence[chess.Move]) -> int:
        """A man of the side to move, a piece rather than the king."""
        king = position.king(position.turn)
        return next((s for s in chess.SquareSet(position.occupied_co[position.turn]) if s != king), king or 0)

    def is_man(self, position: chess.Board, point: int) -> bool:
        """Whether a man stands on a square."""
        return position.piece_at(point) is not None

    def ends(self, move: chess.Move) -> tuple[int, int]:
        """From where to where."""
        return move.from_square, move.to_square

    def typed(self, position: chess.Board, text: str) -> tuple[chess.Move, ...]:
        """Promotions that do not say to what."""
        return tuple(notation.promotions(position, text))

    def choice(self, move: chess.Move) -> tuple[str, str]:
        """The letter and the name of what the pawn becomes."""
        piece = move.promotion or chess.QUEEN
        return chess.piece_symbol(piece), chess.piece_name(piece)


# The picture


BLACK_MARK: Final = "•"
"""Follows every black man, so that the sides differ without colour too."""

_GLYPHS: Final = {"K": "♚", "Q": "♛", "R": "♜", "B": "♝", "N": "♞", "P": "♟"}

DRAWINGS: Final = {
    "K": (" ▗▟▙▖ ", "▄▄▞▚▄▄", "▀████▀", "▝▀▀▀▀▘"),
    "Q": ("▄ ▐▌ ▄", "▜█▟▙█▛", " ▜██▛ ", "▝▀▀▀▀▘"),
    "R": ("▄ ▄▄ ▄", "▜████▛", " ████ ", "▝▀▀▀▀▘"),
    "B": ("  ▟▙  ", " ▟█▞▙ ", " ▝██▘ ", "▝▀▀▀▀▘"),
    "N": (" ▗▟▙▖ ", "▟█▜██▌", " ▗███▌", "▝▀▀▀▀▘"),
    "P": ("      ", " ▗██▖ ", " ▗██▖ ", "▝▀▀▀▀▘"),
}
"""Quadrant blocks, six cells wide and four high, base on the lowest row."""


@dataclass(frozen=True, slots=True)
class ColouredPiece:
    """A chessman: its letter (``K`` … ``P``) and its side."""

    letter: str
    white: bool

    def glyph(self, unicode: bool) -> tuple[str, str]:
        """The man as two cells."""
        if not unicode:
            return (self.letter if self.white else self.letter.lower(), " ")
        return _GLYPHS[self.letter] + MARK, " " if self.white else BLACK_MARK


@dataclass(frozen=True, slots=True)
class Cells:
    """The size of a square in terminal cells.

    Attributes:
        height: Rows.
        width: Columns.
        shifted: Squares lie half a row lower, so that a man two rows high stands in the middle;
            the board is one row higher for it.
    """

    height: int
    width: int
    shifted: bool = False

    @property
    def rows(self) -> int:
        """Rows of the whole board."""
        return 8 * self.height + self.shifted

    @property
    def man_row(self) -> int:
        """The row of a square on which a glyph or a label stands."""
        return (self.height - 1) // 2

    @property
    def columns(self) -> int:
        """Columns of the whole board."""
        return 8 * self.width

    @property
    def large(self) -> bool:
        """Whether there is room to show where the man under the cursor can go."""
        return self.height >= 3

    def rank_at(self, row: int) -> int | None:
        """The rank (0 at the top) under a row of the board."""
        rank = (row - self.shifted) // self.height
        return rank if 0 <= rank < 8 and row >= 0 else None


@dataclass(frozen=True, slots=True)
class Square:
    """All that decides how a square looks.

    Attributes:
        ground: Role of its colour.
        man: The man on it.
        label: What a move to it leads to; None when no move goes there.
        cursor: Whether the cursor is here.
        left: Whether the last move started here, or the man was picked up.
    """

    ground: str
    man: ColouredPiece | None
    label: Label | None
    cursor: bool
    left: bool


@dataclass(frozen=True, slots=True)
class SquaresView:
    """Everything the board shows. Squares are numbered 0 (a1) to 63 (h8).

    Attributes:
        men: The men by square.
        cursor: Square of the cursor.
        picked: Square of the man picked up.
        moved: From and to of the last move.
        labels: Where the man in question can go.
        flipped: Black's side is below.
    """

    men: Mapping[int, ColouredPiece] = field(default_factory=dict[int, ColouredPiece])
    cursor: int | None = None
    picked: int | None = None
    moved: tuple[int, int] | None = None
    labels: Mapping[int, Label] = field(default_factory=dict[int, Label])
    flipped: bool = False

    def square(self, column: int, row: int) -> int:
        """The square ``column`` from the left and ``row`` from the top."""
        return row * 8 + 7 - column if self.flipped else (7 - row) * 8 + column

    def face(self, square: int) -> Square:
        """How a square looks."""
        shade = "light" if (square + square // 8) % 2 else "dark"
        label = self.labels.get(square)
        ground = f"square_{shade}"
        if square == self.picked or (self.moved is not None and square in self.moved):
            ground = f"moved_{shade}"
        if label is not None and (label.best or label.ground):
            ground = f"map_{label.ground}_{shade}" if label.ground else "best_target"
            label = None if label.ground and square in self.men else label
        left = square == self.picked or (self.moved is not None and square == self.moved[0])
        return Square(ground, self.men.get(square), label, square == self.cursor, left)

    # As a picture

    def paint(self, cells: Cells, look: Look) -> list[list[Ink]]:
        """Rank by rank; where squares are shifted, the rows between two of them are half and half."""
        squares = [[self.face(self.square(column, rank)) for column in range(8)] for rank in range(8)]
        rows: list[list[Ink]] = []
        for rank, faces in enumerate(squares):
            if cells.shifted:
                above = [face.ground for face in squares[rank - 1]] if rank else ["ground"] * 8
                edge = zip(faces, above, strict=True)
                rows.append([("▄" * cells.width, look.palette(face.ground, ground)) for face, ground in edge])
            painted = [paint(face, cells, look) for face in faces]
            rows += [[ink for square in painted for ink in square[y]] for y in range(len(painted[0]))]
        if cells.shifted:
            rows.append([("▀" * cells.width, look.palette(face.ground)) for face in squares[7]])
        return rows

    def names(self, cells: Cells) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        """Ranks and files."""
        ranks = [
            (rank * cells.height + cells.man_row + cells.shifted, str(self.square(0, rank) // 8 + 1))
            for rank in range(8)
        ]
        files = [
            (column * cells.width + (cells.width - 1) // 2, "abcdefgh"[self.square(column, 0) % 8])
            for column in range(8)
        ]
        return ranks, files

    def at(self, x: int, y: int, cells: Cells) -> int | None:
        """The square drawn at a cell."""
        rank, column = cells.rank_at(y), x // cells.width
        return None if rank is None or not 0 <= column < 8 else self.square(column, rank)

    def towards(self, point: int | None, columns: int, rows: int) -> int:
        """The square beside it, round the edges of the board."""
        square = point or 0
        column, row = square % 8, 7 - square // 8
        if self.flipped:
            column, row = 7 - column, 7 - row
        return self.square((column + columns) % 8, (row + rows) % 8)


@lru_cache(maxsize=512)
def paint(face: Square, cells: Cells, look: Look) -> tuple[tuple[Ink, ...], ...]:
    """Draws a square: its rows, each as pieces of text.

    A shifted square is drawn as its middle row alone; the rows between squares are half and half.
    """
    height = 1 if cells.shifted else cells.height
    grid = _Square(face, height, cells.width, look)
    row = 0 if cells.shifted else cells.man_row
    if face.man is not None:
        drawn = height >= 4 and cells.width >= 8 and look.palette.coloured and look.glyphs.unicode
        if drawn:
            grid.draw_man(face.man)
        else:
            grid.put_man(face.man, row)
    elif face.label is not None:
        fits = len(face.label.text) <= cells.width or not face.label.short
        grid.put_label(row, (face.label.text if fits else face.label.short) or look.glyphs.nothing, face.label.best)
    elif face.left and not look.palette.coloured:
        grid.halo(row, (cells.width - 2) // 2, "()")
    if face.cursor:
        grid.put_cursor(row)
    return tuple(tuple(grid.inks(y)) for y in range(height))


class _Square(Grid):
    """A square being drawn."""

    def __init__(self, face: Square, height: int, width: int, look: Look) -> None:
        self.face, self.look, self.height, self.width = face, look, height, width
        self._blank = look.palette("text", face.ground)
        shade = " "
        if not look.palette.coloured and face.ground.endswith("dark"):
            shade = "░" if look.glyphs.unicode else "."
        super().__init__([shade * width] * height, self._blank)

    def style(self, role: str, bold: bool = False) -> Style:
        return self.look.palette(role, self.face.ground, bold=bold)

    def halo(self, row: int, column: int, chars: str | tuple[str, ...], style: Style | None = None) -> None:
        """Puts text with a blank on either side, so that shading does not touch it."""
        self.put(column - 1, row, " " * (len(chars) + 2), self._blank)
        self.put(column, row, chars, style or self._blank)

    def put_man(self, man: ColouredPiece, row: int) -> None:
        style = self.style("white_man" if man.white else "black_man", not self.look.palette.coloured)
        self.halo(row, (self.width - 2) // 2, man.glyph(self.look.glyphs.unicode), style)

    def draw_man(self, man: ColouredPiece) -> None:
        style = self.style("white_man" if man.white else "black_man")
        left = (self.width - 6) // 2
        top = (self.height - 3) // 2
        for row, line in enumerate(DRAWINGS[man.letter], start=top):
            for column, char in enumerate(line, start=left):
                if char != " ":
                    self.put(column, row, char, style)
        if not man.white:
            self.put(left + 5, top + 3, BLACK_MARK, style)

    def put_label(self, row: int, text: str, best: bool) -> None:
        ground = self.face.ground
        style = self.style("white_man" if ground.endswith("dark") else "black_man", best or ground.startswith("map_"))
        column = max(0, (self.width - len(text)) // 2)
        if not self.look.palette.coloured:
            self.put(0, row, " " * self.width, self._blank)
            if best and self.width > len(text):
                text, column = self.look.glyphs.pointer + text, max(0, column - 1)
        self.put(column, row, text, style)

    def put_cursor(self, row: int) -> None:
        style = self.style("cursor", bold=True)
        last = self.width - 1
        if self.width < 4 or len(self.face.label.text if self.face.label else "") > self.width - 2:
            style = self.look.palette("black_man", "cursor", bold=True)
            if not self.look.palette.coloured:
                style = self.look.palette("text", underline=True)
            self.put(0, row, [char for char, _ in self.cells[row]], style)
        elif self.height >= 4 and self.look.glyphs.unicode and self.look.palette.coloured:
            self.put(0, 0, "┏", style)
            self.put(last, 0, "┓", style)
            self.put(0, self.height - 1, "┗", style)
            self.put(last, self.height - 1, "┛", style)
        else:
            if not self.look.palette.coloured and self.face.man is None and self.face.label is None:
                self.put(0, row, " " * self.width, self._blank)
            self.put(0, row, "[", style)
            self.put(last, row, "]", style)
