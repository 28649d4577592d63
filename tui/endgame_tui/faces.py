"""The differences between the games on a screen: how moves are entered on the board, and how it is drawn.

A :class:`Face` is all that a screen knows about the game it shows. A move is entered point by point with a
:class:`MoveInput`: in chess a piece is picked up and dropped; in Nine Men's Morris the player chooses a stone, then its
destination, then the stone that a closed mill takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, Protocol

from rich.style import Style
from textual.geometry import Size

from endgame_core.jsonl_process import load_object
from endgame_core.language import _
from endgame_tui.look import Ink, Look

PANEL_COLUMNS = 41
"""The fewest columns that the panels beside the board need."""


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a point that a move leads to, or of any point of a map.

    Attributes:
        text: The layer that the move leads to, ``=`` for a draw, empty if the result is unknown. On a map: the result
            of the position with the piece on that point.
        best: Whether the move is a best move.
        short: A shorter text for small boards; empty for none.
        ground: On a map, the result that gives the point its colour, e.g. ``win``; empty elsewhere.
    """

    text: str = ""
    best: bool = False
    short: str = ""
    ground: str = ""


class BoardLayout(Protocol):
    """The size at which a board is drawn, in terminal cells."""

    @property
    def columns(self) -> int:
        """Columns of the whole board."""
        ...

    @property
    def rows(self) -> int:
        """Rows of the whole board."""
        ...

    @property
    def large(self) -> bool:
        """Whether there is room for the targets of the piece under the cursor."""
        ...


class Grid:
    """A canvas of cells, each with one character and its style.

    Args:
        rows: The initial characters.
        style: The style of these characters.
    """

    def __init__(self, rows: Sequence[Sequence[str]], style: Style) -> None:
        self.cells = [[(char, style) for char in row] for row in rows]

    def put(self, x: int, y: int, chars: Sequence[str], style: Style) -> None:
        """Write characters from a cell to the right; those outside the grid are dropped."""
        if not 0 <= y < len(self.cells):
            return
        row = self.cells[y]
        for column, char in enumerate(chars, start=x):
            if 0 <= column < len(row):
                row[column] = (char, style)

    def inks(self, y: int, start: int = 0, end: int | None = None) -> list[Ink]:
        """Columns ``start`` to ``end`` (exclusive) of a row, as runs of equal style."""
        # One run for all neighbouring cells of a style: fewer segments to compare and to send.
        runs = groupby(self.cells[y][start:end], key=itemgetter(1))
        return [("".join(char for char, _ in run), style) for style, run in runs]


class BoardRenderer(Protocol):
    """Everything that a board shows. Points have the numbers that the rules of the game give them."""

    @property
    def cursor(self) -> int | None:
        """The point with the cursor."""
        ...

    def paint(self, layout: Any, look: Look, /) -> Sequence[Sequence[Ink]]:
        """The board row by row, in pieces that are repainted separately."""
        ...

    def edge_labels(self, layout: Any, /) -> tuple[Sequence[tuple[int, str]], Sequence[tuple[int, str]]]:
        """The names left of the board as (row, name), and those below it as (column, name)."""
        ...

    def point_at(self, x: int, y: int, layout: Any, /) -> int | None:
        """The point drawn at a cell; None outside the board."""
        ...

    def neighbour(self, point: int | None, columns: int, rows: int) -> int:
        """The point to which an arrow key moves the cursor from ``point``."""
        ...


@dataclass(frozen=True, slots=True)
class InputStep:
    """The effect of choosing a point.

    Attributes:
        moves: The completed move; several if the player has to pick one (what a pawn promotes to); empty while the
            move is incomplete.
        refusal: A sentence that says why the point cannot be chosen; empty if it was accepted.
    """

    moves: tuple[Any, ...] = ()
    refusal: str = ""


class MoveInput:
    """The chosen part of a move. This base class has no third step: nothing is taken apart from the destination."""

    notation = ""
    """The chosen part in the notation of the game; empty until the destination is chosen."""

    def __init__(self) -> None:
        self.endpoints: tuple[int | None, int | None] = (None, None)
        """Source and destination; None for what is not chosen yet, and for the source of a stone from the hand."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is chosen."""
        return self.endpoints == (None, None)

    @property
    def is_taking(self) -> bool:
        """Whether only the stone to take remains to be chosen."""
        return self.endpoints[1] is not None

    @property
    def picked_point(self) -> int | None:
        """The point of the piece that is picked up; None once its destination is chosen."""
        if self.is_taking:
            return None
        return self.endpoints[0]

    def choose(self, position: Any, moves: Sequence[Any], point: int) -> InputStep:
        """Choose the next point of a move; a refused point changes nothing."""
        raise NotImplementedError

    def pick(self, point: int | None) -> None:
        """Start a move with the piece on a point; None clears the input."""
        self.endpoints = point, None

    def undo_choice(self) -> int | None:
        """Take back the last choice; return the point for the cursor, None if it need not move."""
        # With a destination, only that is taken back, and the piece stays picked up; else the piece is put back.
        source, destination = self.endpoints
        if destination is None:
            self.pick(None)
        else:
            self.pick(source)
        return destination

    def begin_typed(self, moves: Sequence[Any], text: str) -> bool:
        """Continue with a typed move that lacks only the stone to take; return whether it is such a move."""
        return False

    def complete(self, text: str) -> str:
        """Return a typed text as a whole move if it names only the stone to take, otherwise unchanged."""
        return text

    def takeable_points(self, moves: Sequence[Any]) -> tuple[int, ...]:
        """The points of the stones that the move may take, in the order of ``moves`` (best first)."""
        return ()


@dataclass(frozen=True, slots=True)
class PositionView:
    """How to show a position.

    Attributes:
        cursor: Point of the cursor.
        move_input: The chosen part of a move.
        last_move: The move that led to the position.
        reviewed_move: The move under review: the board shows where its piece could have gone.
        rated_moves: Moves and their labels, the best first; moves that are not listed have an unknown result.
        show_all: Whether the piece under the cursor shows its targets, if the board is large enough.
        idle: Whether no side is to move, so that the board does not ask for a stone.
        hinted_points: The stones to take first, as a hint names them.
        flipped: Whether Black's side is below.
        map: A label for each point, whether or not a piece can go there; None to label the targets of moves.
        lit: The point that lights up for a moment, because a move has just ended there.
    """

    cursor: int | None = None
    move_input: MoveInput | None = None
    last_move: Any = None
    reviewed_move: Any = None
    rated_moves: Sequence[tuple[Any, Label]] = ()
    show_all: bool = False
    idle: bool = False
    hinted_points: tuple[int, ...] = ()
    flipped: bool = False
    map: Mapping[int, Label] | None = None
    lit: int | None = None


HelpEntry = tuple[str, str]
"""A key, a text to type or a sign on the screen, and its meaning."""

HelpSection = tuple[str, Sequence[HelpEntry]]
"""A title and the entries below it."""


@dataclass(frozen=True, slots=True)
class PaletteItem:
    """A piece that the board editor can place.

    Attributes:
        man: The piece, as the editor's task knows it.
        inks: Its drawing.
        ground: The role of the colour behind it.
        name: Its name, if that is written beside it.
        action: The action that places it, whose key is written behind the name.
    """

    man: Any
    inks: Sequence[Ink]
    ground: str
    name: str = ""
    action: str = ""


class Face:
    """One game on a screen.

    Attributes:
        game: The identifier of the game.
        name: The name for headings; empty for chess, which is not named.
        cursor_follows: Whether the cursor follows every move; otherwise only one that leaves its point empty.
        help_sections: The sections of Help about this game: first what can be typed. Keys are named by placeholders.
        editor_title: The title of the palette of the board editor.
        hand_words: What the hand does there.
        letters_place: Whether letters place pieces in the board editor, so that its board has no keys on letters.
        editor_keys: The keys listed beside the board of the editor, the most useful first, by placeholders.
        editor_hint: The hint of the editor after Enter had no effect, with placeholders; empty for none.
    """

    game = ""
    name = ""
    cursor_follows = False
    help_sections: ClassVar[tuple[HelpSection, ...]] = ()
    editor_title = _("Pieces")
    hand_words = _("moves a piece")
    letters_place = False
    editor_keys: ClassVar[tuple[HelpEntry, ...]] = ()
    editor_hint = ""

    def new_move_input(self) -> MoveInput:
        """An empty move input."""
        raise NotImplementedError

    def board_layout(self, size: Size, coloured: bool) -> tuple[BoardLayout, int]:
        """The layout for a screen of a given size, and the width of the margin left of the board."""
        raise NotImplementedError

    def compact_layout(self, coloured: bool) -> tuple[BoardLayout, int]:
        """The layout and margin of a small board beside other content."""
        raise NotImplementedError

    def board_view(self, position: Any, moves: Sequence[Any] = (), view: PositionView | None = None) -> BoardRenderer:
        """The drawing of a position, with the targets of a piece and their labels; an empty board for None."""
        raise NotImplementedError

    def initial_cursor(self, position: Any, moves: Sequence[Any]) -> int:
        """The point where the cursor starts in a position."""
        raise NotImplementedError

    def has_piece(self, position: Any, point: int) -> bool:
        """Whether a piece stands on a point."""
        raise NotImplementedError

    def endpoints(self, move: Any) -> tuple[int | None, int]:
        """Source and destination of a move; the source is None for a stone from the hand."""
        raise NotImplementedError

    def editor_palette(self, look: Look) -> Sequence[Sequence[PaletteItem]]:
        """The pieces that the board editor can place, in rows."""
        return ()

    def ambiguous_moves(self, position: Any, text: str) -> tuple[Any, ...]:
        """The moves that a typed text may mean if it is ambiguous: promotions without a piece."""
        return ()

    def promotion_choice(self, move: Any) -> tuple[str, str]:
        """The key and the name of the piece that a move promotes to."""
        return "", ""


FACES = {"chess": "endgame_tui.face_chess:ChessFace", "morris": "endgame_tui.face_stones:StonesFace"}
"""The module and class of each game's face."""


@cache
def face_of(game: str) -> Face:
    """The face of a game. Its module, which imports the rules of that game, is loaded on first use."""
    return load_object(FACES[game])()


EndpointsOf = Callable[[Any], tuple[int | None, int]]
"""A function that returns source and destination of a move."""


def target_labels(
    view: PositionView, moves: Sequence[Any], endpoints: EndpointsOf, source: int | None
) -> dict[int, Label]:
    """The labels of the points where the piece on ``source`` can go, or those of the map.

    If several moves lead to one point (promotions), the best one labels it.
    """
    if view.map is not None:
        return dict(view.map)
    if source is None:
        return {}

    # All legal destinations, so that those whose result is not known are marked, too.
    result = {end: Label() for start, end in map(endpoints, moves) if start == source}
    # The best moves come first: go backwards, so that they overwrite the others.
    for move, label in reversed(view.rated_moves):
        start, end = endpoints(move)
        if start == source:
            result[end] = label
    return result


def better_move_elsewhere(view: PositionView, endpoints: EndpointsOf) -> tuple[int | None, int, Label] | None:
    """Source, destination and label of the best move if only other pieces than the reviewed one can make it."""
    if view.reviewed_move is None:
        return None
    best_moves = [(*endpoints(move), label) for move, label in view.rated_moves if label.best]
    source, _ = endpoints(view.reviewed_move)
    # If the reviewed piece has a best move itself, its targets show that already.
    if not best_moves or any(start == source for start, _, _ in best_moves):
        return None
    return best_moves[0]


def source_point(view: PositionView) -> int | None:
    """The point of the piece whose targets are shown: the picked one, else the one under the cursor."""
    if view.move_input is not None and not view.move_input.is_empty:
        # A move whose destination is chosen has no picked point: it shows no targets any more.
        return view.move_input.picked_point
    if view.show_all:
        return view.cursor
    return None
