"""Chess on a screen: pieces on squares, picked up and dropped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from typing import Final

import chess
from rich.style import Style
from textual.geometry import Size

from endgame_core.chess import notation
from endgame_core.chess.editor import MEN
from endgame_core.chess.material import piece_word
from endgame_core.language import _
from endgame_core.words.text_model import KINDS
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
from endgame_tui.look import MARK, Ink, Look
from endgame_tui.piece_pictures import PiecePictures, picture_rows
from endgame_tui.widths import PANELS_MIN_WIDTH


class ChessMoveInput(MoveInput):
    """A piece is picked up, then dropped."""

    def choose(self, position: chess.Board, moves: Sequence[chess.Move], point: int) -> InputStep:
        """Pick up a piece, put it back, drop it on another square, or pick up another piece instead."""
        piece = position.piece_at(point)
        source = self.picked_point
        # No legal move ends on a piece of one's own, so this is a change of mind.
        if piece is not None and piece.color == position.turn:
            if source == point:
                self.pick(None)
            else:
                self.pick(point)
            return InputStep()
        if source is None:
            side = _("White") if position.turn else _("Black")
            return InputStep(refusal=_("{side} is to move: pick one of {side}'s pieces.").format(side=side))

        fitting = [move for move in moves if (move.from_square, move.to_square) == (source, point)]
        if not fitting:
            self.pick(None)
            names = f"{chess.square_name(source)}{chess.square_name(point)}"
            return InputStep(refusal=_("{names} is not a legal move.").format(names=names))
        # Several moves: promotions, the queen first.
        return InputStep(tuple(sorted(fitting, key=lambda move: -(move.promotion or 0))))


_TYPED: Final = (
    ("Kg8 g7a1", _("a move, SAN or UCI")),
    ("e8=N exd6", _("e8 lets you pick the piece")),
    ("S12 12/3", _("a layer; its 3rd position")),
    ("7", _("the layer's 7th position")),
    ("clock 43", _("50-move counter in plies")),
    ("KBNvK", _("an ending")),
    ("8/8/… w", _("FEN, short FEN, key")),
)

_MARKS: Final = (
    *((kind.sign, kind.words) for kind in KINDS.values()),
    ("cursed", _("won, but drawn if claimed")),
    ("blessed", _("lost, but drawn if claimed")),
    ("z", _("zeroing move: clock to 0")),
    ("DTM", _("plies to mate")),
    ("DTZ", _("plies to a z move or mate")),
    (_("50-move"), _("counter: moves since z")),
    ("≈4", _("4 or 5, rounded in Syzygy")),
    ("S101=", _("layer of cursed wins")),
)
"""Results under the 50-move rule, and the terms and signs that go with it."""

_PROMOTION: Final = (
    ("q", _("Queen")), ("r", _("Rook")), ("b", _("Bishop")), ("n", _("Knight")), ("Esc", _("Leave the pawn there")),
)  # fmt: skip


class ChessFace(Face):
    """Chess: pieces on squares."""

    game = "chess"
    help_sections = ((_("Typed after {prompt}"), _TYPED), (_("The 50-move rule"), _MARKS), (_("Promotion"), _PROMOTION))
    letters_place = True
    editor_keys = (
        ("{previous_piece} {next_piece}", _("choose a piece")),
        ("{choose}", _("place or move it")),
        ("{side_to_move}", _("side to move")),
        ("{en_passant}", _("en passant")),
        ("{clear}", _("remove all but the kings")),
        ("{exchange}", _("swap the colours")),
        ("{edit_undo} {edit_redo}", _("undo, redo")),
        ("{prompt}", _("type a FEN")),
    )

    def new_move_input(self) -> ChessMoveInput:
        """An empty move input."""
        return ChessMoveInput()

    def board_layout(self, size: Size, coloured: bool) -> tuple[ChessLayout, int]:
        """The largest layout that leaves room for the panels and the text below.

        The four largest layouts draw pieces as pictures, for which they need colours.
        """
        width, height = size
        if width < PANELS_MIN_WIDTH:
            if width >= 34 and height >= 19:
                return ChessLayout(2, 4, shifted=coloured and height > 21), 2
            return ChessLayout(1, 2), 2

        margin = 3
        pictures = (
            (ChessLayout(7, 14), 63),
            (ChessLayout(6, 12), 55),
            (ChessLayout(5, 10), 47),
            (ChessLayout(4, 8), 38),
        )
        # The largest that leaves the panels some more columns than they need, and has enough rows.
        for layout, min_height in pictures:
            if coloured and width - margin - layout.columns >= PANEL_COLUMNS + 8 and height >= min_height:
                return layout, margin
        # 48 columns: 8 squares of 6.
        if width - margin - 48 >= PANEL_COLUMNS and height >= 30:
            return ChessLayout(3, 6), margin
        if height >= 22:
            return ChessLayout(2, 4, shifted=coloured), margin
        return ChessLayout(1, 2), margin

    def compact_layout(self, coloured: bool) -> tuple[ChessLayout, int]:
        """Squares of two rows."""
        return ChessLayout(2, 4, shifted=coloured), 3

    def board_view(
        self, position: chess.Board | None, moves: Sequence[chess.Move] = (), view: PositionView | None = None
    ) -> SquaresView:
        """The pieces, and the layers to which the moves of one of them lead."""
        if position is None:
            return SquaresView(flipped=view is not None and view.flipped)
        view = view or PositionView()

        picked = None
        if view.reviewed_move is not None:
            source = view.reviewed_move.from_square
        else:
            source = source_point(view)
            if view.move_input is not None:
                picked = view.move_input.picked_point

        pieces = {
            square: ColouredPiece(piece.symbol().upper(), piece.color) for square, piece in position.piece_map().items()
        }
        last_move = None
        if view.last_move:
            last_move = (view.last_move.from_square, view.last_move.to_square)
        targets = target_labels(view, moves, self.endpoints, source)
        better_move = better_move_elsewhere(view, self.endpoints)
        if better_move is not None:
            better_source, better_destination, label = better_move
            # Marks the piece that should have moved, too.
            if better_source is not None:
                targets |= {better_source: Label(best=True), better_destination: label}
        return SquaresView(pieces, view.cursor, picked, last_move, targets, view.flipped, view.lit)

    def initial_cursor(self, position: chess.Board, moves: Sequence[chess.Move]) -> int:
        """The first piece of the side to move other than its king; the king if it is alone."""
        king = position.king(position.turn)
        squares = chess.SquareSet(position.occupied_co[position.turn])
        return next((square for square in squares if square != king), king or 0)

    def has_piece(self, position: chess.Board, point: int) -> bool:
        """Whether a piece stands on a square."""
        return position.piece_at(point) is not None

    def endpoints(self, move: chess.Move) -> tuple[int, int]:
        """Source and destination of a move."""
        return move.from_square, move.to_square

    def editor_palette(self, look: Look) -> list[list[PaletteItem]]:
        """White's pieces, and Black's below them."""
        is_bold = not look.palette.has_colours
        rows: list[list[PaletteItem]] = [[], []]
        for piece in MEN:
            # Outlined and filled glyphs differ, so that both sides may be black on a light square, as on the board.
            glyph = "".join(ColouredPiece(piece.symbol().upper(), piece.color).glyph(look.glyphs.unicode))
            style = look.palette("black_man", "square_light", bold=is_bold)
            # White is True, and its row is the first.
            rows[not piece.color].append(PaletteItem(piece, ((glyph, style),), "square_light"))
        return rows

    def ambiguous_moves(self, position: chess.Board, text: str) -> tuple[chess.Move, ...]:
        """The promotions that a typed text without a piece may mean."""
        return tuple(notation.promotions(position, text))

    def promotion_choice(self, move: chess.Move) -> tuple[str, str]:
        """The letter and the name of the piece that the pawn becomes."""
        piece = move.promotion or chess.QUEEN
        return chess.piece_symbol(piece), piece_word(piece)


# Drawing


_GLYPHS: Final = {"white": "♔♕♖♗♘♙", "black": "♚♛♜♝♞♟"}
"""Outlined for White and filled for Black, so that the sides differ without colours."""

PieceRow = tuple[str, str]
"""The characters of a row of a piece, and for each the colours: see :data:`_COLOURS`."""

_COLOURS: Final = {"f": ("fill", "square"), "l": ("line", "square"), "b": ("fill", "line")}
"""Text colour and background of a cell of a piece."""

_PIECE_ROLES: Final = {
    True: {"fill": "white_man", "line": "black_man"},
    False: {"fill": "black_man", "line": "white_man"},
}
"""For White and Black, the colours of a piece."""


@cache
def drawings(pieces: str, columns: int, rows: int) -> Mapping[str, Sequence[PieceRow]]:
    """The drawings of all pieces for squares of some size; empty if there are none of that size.

    Args:
        pieces: ``quadrants`` or ``sextants``.
        columns: Columns of a square.
        rows: Rows of a square.

    Returns:
        The rows of each piece by ``w`` or ``b`` and its letter, such as ``wK``.
    """
    text = (resources.files("endgame_tui") / "pieces.json").read_text("utf-8")
    return json.loads(text)[pieces].get(f"{columns}x{rows}", {})


@dataclass(frozen=True, slots=True)
class ColouredPiece:
    """A piece: its letter (``K`` … ``P``) and its side."""

    letter: str
    white: bool

    @property
    def name(self) -> str:
        """The piece as the files of drawings and pictures name it, such as ``wK``."""
        side = "w" if self.white else "b"
        return side + self.letter

    def glyph(self, unicode: bool) -> tuple[str, str]:
        """The piece as two cells."""
        if not unicode:
            letter = self.letter if self.white else self.letter.lower()
            return letter, " "
        glyphs = _GLYPHS["white" if self.white else "black"]
        return glyphs["KQRBNP".index(self.letter)] + MARK, " "


@dataclass(frozen=True, slots=True)
class ChessLayout:
    """The size of a square in terminal cells.

    Attributes:
        height: Rows of a square.
        width: Columns of a square.
        shifted: Whether the squares are half a row lower. A glyph on a square of two rows stands in one of
            them; shifted by half a row, that row is the middle of the square. The board needs one more row.
    """

    height: int
    width: int
    shifted: bool = False

    @property
    def rows(self) -> int:
        """Rows of the whole board."""
        return 8 * self.height + self.shifted

    @property
    def glyph_row(self) -> int:
        """The row of a square that has the glyph or the label."""
        return (self.height - 1) // 2

    @property
    def columns(self) -> int:
        """Columns of the whole board."""
        return 8 * self.width

    @property
    def large(self) -> bool:
        """Whether there is room for the targets of the piece under the cursor."""
        return self.height >= 3

    def rank_at(self, row: int) -> int | None:
        """The rank (0 at the top) under a row of the board; None outside."""
        rank = (row - self.shifted) // self.height
        if 0 <= rank < 8 and row >= 0:
            return rank
        return None


@dataclass(frozen=True, slots=True)
class SquareState:
    """Everything that determines how a square looks, which makes it the key of the cache of drawn squares.

    Attributes:
        ground: Role of its background colour.
        piece: The piece on it.
        label: The label of the move to it; None if no move leads there.
        cursor: Whether the cursor is on it.
        is_origin: Whether the last move started here, or the piece here is picked up.
    """

    ground: str
    piece: ColouredPiece | None
    label: Label | None
    cursor: bool
    is_origin: bool


@dataclass(frozen=True, slots=True)
class SquaresView:
    """Everything that the board shows. Squares are numbered 0 (a1) to 63 (h8).

    Attributes:
        pieces: The pieces by square.
        cursor: Square of the cursor.
        picked_square: Square of the piece that is picked up.
        last_move: Source and destination of the last move.
        labels: The squares where the piece in question can go.
        flipped: Whether Black's side is below.
        lit: The square that lights up for a moment.
    """

    pieces: Mapping[int, ColouredPiece] = field(default_factory=dict[int, ColouredPiece])
    cursor: int | None = None
    picked_square: int | None = None
    last_move: tuple[int, int] | None = None
    labels: Mapping[int, Label] = field(default_factory=dict[int, Label])
    flipped: bool = False
    lit: int | None = None

    def square_at(self, column: int, row: int) -> int:
        """The square ``column`` from the left and ``row`` from the top."""
        if self.flipped:
            return row * 8 + 7 - column
        return (7 - row) * 8 + column

    def square_state(self, square: int) -> SquareState:
        """The state of a square, from which it is drawn."""
        shade = "dark"
        # a1 is dark.
        if (square + square // 8) % 2:
            shade = "light"
        is_picked = square == self.picked_square
        label = self.labels.get(square)

        # From the least to the most important: each of the following replaces the colour before.
        ground = f"square_{shade}"
        if is_picked or (self.last_move is not None and square in self.last_move):
            ground = f"moved_{shade}"
        if label is not None and label.ground:
            ground = f"map_{label.ground}_{shade}"
            # The colour alone shows the value where a piece stands.
            if square in self.pieces:
                label = None
        elif label is not None and label.best:
            ground = "best_target"
        if square == self.lit:
            ground = f"map_key_{shade}"

        # Drawn as brackets without colours, where moved squares look like all others.
        is_origin = is_picked or (self.last_move is not None and square == self.last_move[0])
        return SquareState(ground, self.pieces.get(square), label, square == self.cursor, is_origin)

    # BoardRenderer

    def paint(self, layout: ChessLayout, look: Look) -> list[list[Ink]]:
        """The board row by row, from the top.

        If squares are shifted, the rows between two of them are drawn with lower half blocks, whose text colour is that
        of the square below, their background that of the square above.
        """
        ranks = [[self.square_state(self.square_at(column, rank)) for column in range(8)] for rank in range(8)]
        rows: list[list[Ink]] = []
        for rank, states in enumerate(ranks):
            if layout.shifted:
                if rank:
                    above = [state.ground for state in ranks[rank - 1]]
                else:
                    above = ["ground"] * 8
                edge = zip(states, above, strict=True)
                rows.append([("▄" * layout.width, look.palette(state.ground, ground)) for state, ground in edge])
            # Cached by state: after a move, only the squares that have changed are drawn anew.
            squares = [paint(state, layout, look) for state in states]
            for y in range(len(squares[0])):
                rows.append([ink for square in squares for ink in square[y]])
        if layout.shifted:
            # The lower half of the last squares; below it is the background of the screen.
            rows.append([("▀" * layout.width, look.palette(state.ground)) for state in ranks[7]])
        return rows

    def edge_labels(self, layout: ChessLayout) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        """The rows and names of the ranks, the columns and names of the files."""
        ranks = [
            (rank * layout.height + layout.glyph_row + layout.shifted, str(self.square_at(0, rank) // 8 + 1))
            for rank in range(8)
        ]
        files = [
            (column * layout.width + (layout.width - 1) // 2, "abcdefgh"[self.square_at(column, 0) % 8])
            for column in range(8)
        ]
        return ranks, files

    def point_at(self, x: int, y: int, layout: ChessLayout) -> int | None:
        """The square drawn at a cell; None outside the board."""
        rank = layout.rank_at(y)
        column = x // layout.width
        if rank is None or not 0 <= column < 8:
            return None
        return self.square_at(column, rank)

    def neighbour(self, point: int | None, columns: int, rows: int) -> int:
        """The square at a distance in columns and rows, wrapping around the edges of the board."""
        square = point or 0
        column = square % 8
        row = 7 - square // 8
        if self.flipped:
            column = 7 - column
            row = 7 - row
        # square_at mirrors back what was mirrored above.
        return self.square_at((column + columns) % 8, (row + rows) % 8)


@lru_cache(maxsize=512)
def paint(state: SquareState, layout: ChessLayout, look: Look) -> tuple[tuple[Ink, ...], ...]:
    """Draw a square: its rows, each as runs of equal style.

    Of a shifted square this is the middle row only: the rows above and below it are half and half with other squares.
    """
    if layout.shifted:
        height = 1
        row = 0
    else:
        height = layout.height
        row = layout.glyph_row

    grid = _SquareGrid(state, height, layout.width, look)
    if state.piece is not None:
        rows: Sequence[PieceRow] = ()
        # There are drawings for some sizes of squares only; others have the glyph.
        if layout.large and look.can_draw_pieces and look.pieces != "glyphs":
            rows = drawings(look.pieces, layout.width, height).get(state.piece.name, ())
        if layout.large and look.pictures is not None:
            grid.put_picture(state.piece, look.pictures)
        elif rows:
            grid.draw_piece(state.piece, rows)
        else:
            grid.put_piece(state.piece, row)
    elif state.label is not None:
        label = state.label
        # A text that is too long and has no shorter form is drawn as far as it fits.
        fits = len(label.text) <= layout.width or not label.short
        text = label.text if fits else label.short
        grid.put_label(row, text or look.glyphs.dot, label.best)
    elif state.is_origin and not look.palette.has_colours:
        grid.put_with_margin(row, (layout.width - 2) // 2, "()")
    if state.cursor:
        grid.put_cursor(row)
    return tuple(tuple(grid.inks(y)) for y in range(height))


class _SquareGrid(Grid):
    """The cells of a square that is being drawn."""

    def __init__(self, state: SquareState, height: int, width: int, look: Look) -> None:
        self.state = state
        self.look = look
        self.height = height
        self.width = width
        self._blank = look.palette("text", state.ground)
        shade = " "
        if not look.palette.has_colours and state.ground.endswith("dark"):
            shade = "░" if look.glyphs.unicode else "."
        super().__init__([shade * width] * height, self._blank)

    def style(self, role: str, bold: bool = False) -> Style:
        return self.look.palette(role, self.state.ground, bold=bold)

    def put_with_margin(self, row: int, column: int, chars: str | tuple[str, ...], style: Style | None = None) -> None:
        """Write characters with a blank on either side, so that the shading of dark squares does not touch them."""
        self.put(column - 1, row, " " * (len(chars) + 2), self._blank)
        self.put(column, row, chars, style or self._blank)

    def put_piece(self, piece: ColouredPiece, row: int) -> None:
        """Write the glyph of a piece."""
        style = self.style("black_man", not self.look.palette.has_colours)
        self.put_with_margin(row, (self.width - 2) // 2, piece.glyph(self.look.glyphs.unicode), style)

    def draw_piece(self, piece: ColouredPiece, rows: Sequence[PieceRow]) -> None:
        """Draw a piece as a picture; its blanks show the square."""
        roles = {**_PIECE_ROLES[piece.white], "square": self.state.ground}
        for y, (chars, colours) in enumerate(rows):
            for x, (char, colour) in enumerate(zip(chars, colours, strict=True)):
                # Any other letter is a blank of the drawing.
                if colour in _COLOURS:
                    ink, paper = _COLOURS[colour]
                    self.put(x, y, char, self.look.palette(roles[ink], roles[paper]))

    def put_picture(self, piece: ColouredPiece, pictures: PiecePictures) -> None:
        """Show the picture of a piece, around which the square is seen."""
        colour = pictures.colour(piece.name, self.width, self.height)
        # The colour is the number of the picture, which the terminal takes from it: see piece_pictures.
        style = self._blank + Style(color=colour)
        for y, cells in enumerate(picture_rows(self.width, self.height)):
            self.put(0, y, cells, style)

    def put_label(self, row: int, text: str, best: bool) -> None:
        ground = self.state.ground
        style = self.style("black_man", best or ground.startswith("map_"))
        column = max(0, (self.width - len(text)) // 2)
        if not self.look.palette.has_colours:
            # Remove the shading of the row, which would make the label hard to read.
            self.put(0, row, " " * self.width, self._blank)
            if best and self.width > len(text):
                text = self.look.glyphs.pointer + text
                column = max(0, column - 1)
        self.put(column, row, text, style)

    def put_cursor(self, row: int) -> None:
        """Draw the cursor: corners around a large square, else brackets, else the whole row in its colour."""
        style = self.style("cursor", bold=True)
        last_column = self.width - 1
        label_length = 0
        if self.state.label:
            label_length = len(self.state.label.text)
        has_colours = self.look.palette.has_colours
        # No room for brackets beside the piece or the label.
        if self.width < 4 or label_length > self.width - 2:
            style = self.look.palette("white_man", "cursor", bold=True)
            if not has_colours:
                style = self.look.palette("text", underline=True)
            # The same characters again in the style of the cursor; a glyph with its selector is one of them.
            self.put(0, row, [char for char, __ in self.cells[row]], style)
        elif self.height >= 4 and self.look.can_draw_pieces:
            self.put(0, 0, "┏", style)
            self.put(last_column, 0, "┓", style)
            self.put(0, self.height - 1, "┗", style)
            self.put(last_column, self.height - 1, "┛", style)
        else:
            if not has_colours and self.state.piece is None and self.state.label is None:
                self.put(0, row, " " * self.width, self._blank)
            self.put(0, row, "[", style)
            self.put(last_column, row, "]", style)
