"""What differs between the games on a screen: how a move is entered on the board, and how the board is drawn.

A :class:`Face` is all that a screen knows of the game it shows. A move is entered point by point with a
:class:`MoveInput`: in chess a man is picked up and dropped; in Nine Men's Morris a stone is chosen, then where it goes,
then what a closed mill takes.
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
from endgame_tui.look import Ink, Look

PANELS = 41
"""Columns the panels take beside the board at least."""

SMALL = 76
"""Below this width there is room for one column beside the board, but not for panels."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a move to a point leads to: a layer, ``=``, or nothing known; and whether it is a best move.

    On a map: what the position would be if a man stood there, ``short`` where there is little room, on a ground of its
    own, such as ``win``.
    """

    text: str = ""
    best: bool = False
    short: str = ""
    ground: str = ""


class BoardLayout(Protocol):
    """How large a board is drawn."""

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
        """Whether there is room to show where the man under the cursor can go."""
        ...


class Grid:
    """Cells that are drawn on, one character and its style in each.

    Args:
        rows: What stands there at first.
        style: Its style.
    """

    def __init__(self, rows: Sequence[Sequence[str]], style: Style) -> None:
        self.cells = [[(char, style) for char in row] for row in rows]

    def put(self, x: int, y: int, chars: Sequence[str], style: Style) -> None:
        """Draws as much as lies within."""
        if 0 <= y < len(self.cells):
            row = self.cells[y]
            for column, char in enumerate(chars, start=x):
                if 0 <= column < len(row):
                    row[column] = (char, style)

    def inks(self, y: int, start: int = 0, end: int | None = None) -> list[Ink]:
        """A part of a row, in pieces of one style each."""
        runs = groupby(self.cells[y][start:end], key=itemgetter(1))
        return [("".join(char for char, _ in run), style) for style, run in runs]


class BoardRenderer(Protocol):
    """Everything a board shows. Points are numbered as in the rules of the game."""

    @property
    def cursor(self) -> int | None:
        """The point with the cursor."""
        ...

    def paint(self, scale: Any, look: Look, /) -> Sequence[Sequence[Ink]]:
        """The board row by row, in pieces that are repainted alone."""
        ...

    def names(self, scale: Any, /) -> tuple[Sequence[tuple[int, str]], Sequence[tuple[int, str]]]:
        """What is written left of some rows, and below some columns."""
        ...

    def at(self, x: int, y: int, scale: Any, /) -> int | None:
        """The point drawn at a cell."""
        ...

    def towards(self, point: int | None, columns: int, rows: int) -> int:
        """Where the cursor goes from a point by an arrow key."""
        ...


@dataclass(frozen=True, slots=True)
class InputStep:
    """What choosing a point has led to.

    Attributes:
        moves: The move that is made; several where it must be asked which (what a pawn becomes); none while there is
            more to choose.
        refusal: A sentence that says why it cannot be chosen.
    """

    moves: tuple[Any, ...] = ()
    refusal: str = ""


class MoveInput:
    """What has been chosen of a move so far. As it is here, nothing is taken beside where a man goes."""

    words = ""
    """What has been chosen, as people write it, once the end of the move is."""

    def __init__(self) -> None:
        self.way: tuple[int | None, int | None] = (None, None)
        """Where the man comes from and where it goes, as far as chosen."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been chosen."""
        return self.way == (None, None)

    @property
    def is_taking(self) -> bool:
        """Whether only what to take is still to be chosen."""
        return self.way[1] is not None

    @property
    def picked(self) -> int | None:
        """Where the man stands that was picked up; none any more when it has arrived."""
        return None if self.is_taking else self.way[0]

    def choose(self, position: Any, moves: Sequence[Any], point: int) -> InputStep:
        """Goes on with a point; what is refused leaves everything as it was."""
        raise NotImplementedError

    def pick(self, point: int | None) -> None:
        """Begins with the man on a point; with None nothing is chosen any more."""
        self.way = point, None

    def back(self) -> int | None:
        """Takes back the last choice; the point where the cursor belongs then, if another than now."""
        source, end = self.way
        self.pick(None if end is None else source)
        return end

    def begin(self, moves: Sequence[Any], text: str) -> bool:
        """Takes over what a typed move has chosen, when it leaves open what it takes; False when it does not."""
        return False

    def takeable(self, moves: Sequence[Any]) -> tuple[int, ...]:
        """The points from which may be taken now, those of the best moves first."""
        return ()


@dataclass(frozen=True, slots=True)
class PositionView:
    """How a position is to be shown.

    Attributes:
        cursor: Point of the cursor.
        hand: What has been chosen of a move.
        last: The move that led here.
        looked: The move that is looked at afterwards: its man shows where it could have gone.
        rated: Moves and what they lead to, the best first; of those not among them nothing is known.
        show_all: Whether the man under the cursor shows where it can go, too, where the board is large enough.
        idle: Whether nobody is to move now: no side is asked to place a stone.
        named: The points to take from first, as a hint names them.
        flipped: Whether Black's side is below.
        map: What stands on each point, whoever can go there; None where the moves are shown.
    """

    cursor: int | None = None
    hand: MoveInput | None = None
    last: Any = None
    looked: Any = None
    rated: Sequence[tuple[Any, Label]] = ()
    show_all: bool = False
    idle: bool = False
    named: tuple[int, ...] = ()
    flipped: bool = False
    map: Mapping[int, Label] | None = None


Told = tuple[str, str]
"""A key, or what can be typed or seen, and what it does or means."""

Section = tuple[str, Sequence[Told]]
"""A title, and what is told below it."""


class Face:
    """One game on a screen.

    Attributes:
        game: Its name.
        name: The game, where it must be said; empty for chess.
        follows: Whether the cursor goes along with every move; else only where its man has gone.
        told: What Help tells of it: first what can be typed, then what else there is in this game alone.
    """

    game = ""
    name = ""
    follows = False
    told: ClassVar[tuple[Section, ...]] = ()

    def hand(self) -> MoveInput:
        """A hand that has chosen nothing."""
        raise NotImplementedError

    def scale(self, size: Size, coloured: bool) -> tuple[BoardLayout, int]:
        """How large the board is drawn on a screen with panels beside it, and the columns left of it."""
        raise NotImplementedError

    def small(self, coloured: bool) -> tuple[BoardLayout, int]:
        """The same for a place beside other things."""
        raise NotImplementedError

    def picture(self, position: Any, moves: Sequence[Any] = (), view: PositionView | None = None) -> BoardRenderer:
        """A position as a picture: where a man can go, and what that leads to; an empty board when there is none."""
        raise NotImplementedError

    def first(self, position: Any, moves: Sequence[Any]) -> int:
        """Where the cursor begins."""
        raise NotImplementedError

    def is_man(self, position: Any, point: int) -> bool:
        """Whether a man stands on a point."""
        raise NotImplementedError

    def ends(self, move: Any) -> tuple[int | None, int]:
        """Where a move begins, None where it comes from the hand, and where it ends."""
        raise NotImplementedError

    def typed(self, position: Any, text: str) -> tuple[Any, ...]:
        """The moves a typed text leaves open: promotions that do not say to what."""
        return ()

    def choice(self, move: Any) -> tuple[str, str]:
        """The key and the name of what is asked of a move: what its pawn becomes."""
        return "", ""


FACES = {"chess": "endgame_tui.face_chess:ChessFace", "morris": "endgame_tui.face_stones:StonesFace"}
"""Where the face of each game is."""


@cache
def face_of(game: str) -> Face:
    """The face of a game; to ask for it is to import its rules, which a user of another game need not wait for."""
    return load_object(FACES[game])()


Ends = Callable[[Any], tuple[int | None, int]]
"""Where a move begins and ends."""


def labels(view: PositionView, moves: Sequence[Any], ends: Ends, source: int | None) -> dict[int, Label]:
    """Where the man on a point can go, and what that leads to; of several moves to one point the best speaks."""
    if view.map is not None:
        return dict(view.map)
    if source is None:
        return {}
    result = {end: Label() for start, end in map(ends, moves) if start == source}
    for move, label in reversed(view.rated):
        start, end = ends(move)
        if start == source:
            result[end] = label
    return result


def best_of_another(view: PositionView, ends: Ends) -> tuple[int | None, int, Label] | None:
    """From where to where the best move goes when another man makes it than in the move looked at; else None."""
    if view.looked is None:
        return None
    best = [(*ends(move), label) for move, label in view.rated if label.best]
    source, _ = ends(view.looked)
    return best[0] if best and all(start != source for start, _, _ in best) else None


def source_of(view: PositionView) -> int | None:
    """The point of the man that shows where it can go."""
    if view.hand is not None and not view.hand.is_empty:
        return view.hand.picked
    return view.cursor if view.show_all else None
