"""What differs between the games on a screen: how a move is entered on the board, and how the board is drawn.

A :class:`Face` is all that a screen knows of the game it shows. A move is entered point by point with a
:class:`Hand`: in chess a man is picked up and dropped; in Nine Men's Morris a stone is chosen, then where it goes,
then what a closed mill takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import chess
from textual.geometry import Size

from endgame_core.chess import notation
from endgame_core.morris.geometry import NEIGHBOURS, POINTS, points_of
from endgame_core.morris.notation import NAMES, spell
from endgame_core.morris.rules import WHITE, Move, Position, mask_of
from endgame_tui.widgets.board import Label, Picture, Scale
from endgame_tui.widgets.squares import Cells, Man, SquaresView
from endgame_tui.widgets.stones import Pitch, StonesView

PANELS = 41
"""Columns the panels take beside the board at least."""

SMALL = 76
"""Below this width there is room for one column beside the board, but not for panels."""


@dataclass(frozen=True, slots=True)
class Step:
    """What choosing a point has led to.

    Attributes:
        moves: The move that is made; several where it must be asked which (what a pawn becomes); none while there is
            more to choose.
        refusal: A sentence that says why it cannot be chosen.
    """

    moves: tuple[Any, ...] = ()
    refusal: str = ""


class Hand:
    """What has been chosen of a move so far. As it is here, nothing is taken beside where a man goes."""

    is_taking = False
    """Whether only what to take is still to be chosen."""
    words = ""
    """What has been chosen, as people write it, once the end of the move is."""

    def __init__(self) -> None:
        self.pick(None)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been chosen."""
        return self.picked is None

    @property
    def picked(self) -> int | None:
        """Where the man stands that was picked up."""
        return self._picked

    def choose(self, position: Any, moves: Sequence[Any], point: int) -> Step:
        """Goes on with a point."""
        raise NotImplementedError

    def pick(self, point: int | None) -> None:
        """Begins with the man on a point; with None nothing is chosen any more."""
        self._picked = point

    def back(self) -> int | None:
        """Takes back the last choice; the point where the cursor belongs then, if another than now."""
        self.pick(None)
        return None

    def begin(self, moves: Sequence[Any], text: str) -> bool:
        """Takes over what a typed move has chosen, when it leaves open what it takes; False when it does not."""
        del moves, text
        return False

    def takeable(self, moves: Sequence[Any]) -> tuple[int, ...]:
        """The points from which may be taken now, those of the best moves first."""
        del moves
        return ()


@dataclass(frozen=True, slots=True)
class View:
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
    """

    cursor: int | None = None
    hand: Hand | None = None
    last: Any = None
    looked: Any = None
    rated: Sequence[tuple[Any, Label]] = ()
    show_all: bool = False
    idle: bool = False
    named: tuple[int, ...] = ()
    flipped: bool = False


class Face:
    """One game on a screen.

    Attributes:
        game: Its name.
        name: The game, where it must be said; empty for chess.
        follows: Whether the cursor goes along with every move; else only where its man has gone.
    """

    game = ""
    name = ""
    follows = False

    def hand(self) -> Hand:
        """A hand that has chosen nothing."""
        raise NotImplementedError

    def scale(self, size: Size, coloured: bool) -> tuple[Scale, int]:
        """How large the board is drawn on a screen with panels beside it, and the columns left of it."""
        raise NotImplementedError

    def small(self, coloured: bool) -> tuple[Scale, int]:
        """The same for a place beside other things."""
        raise NotImplementedError

    def picture(self, position: Any, moves: Sequence[Any] = (), view: View | None = None) -> Picture:
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
        del position, text
        return ()

    def choice(self, move: Any) -> tuple[str, str]:
        """The key and the name of what is asked of a move: what its pawn becomes."""
        del move
        return "", ""


Ends = Callable[[Any], tuple[int | None, int]]
"""Where a move begins and ends."""


def _labels(view: View, moves: Sequence[Any], ends: Ends, source: int | None) -> dict[int, Label]:
    """Where the man on a point can go, and what that leads to; of several moves to one point the best speaks."""
    if source is None:
        return {}
    found = {end: Label() for start, end in map(ends, moves) if start == source}
    for move, label in reversed(view.rated):
        start, end = ends(move)
        if start == source:
            found[end] = label
    return found


def _source(view: View) -> int | None:
    """The point of the man that shows where it can go."""
    if view.hand is not None and not view.hand.is_empty:
        return view.hand.picked
    return view.cursor if view.show_all else None


# Chess


class ChessHand(Hand):
    """A man is picked up, and dropped."""

    def choose(self, position: chess.Board, moves: Sequence[chess.Move], point: int) -> Step:
        """Picks a man up, puts it down again, or drops it; picks another one up instead."""
        piece, source = position.piece_at(point), self.picked
        if piece is not None and piece.color == position.turn:
            self.pick(None if source == point else point)
            return Step()
        if source is None:
            side = "White" if position.turn else "Black"
            return Step(refusal=f"{side} is to move: pick one of {side}'s men.")
        fitting = [move for move in moves if (move.from_square, move.to_square) == (source, point)]
        if not fitting:
            self.pick(None)
            names = f"{chess.square_name(source)}{chess.square_name(point)}"
            return Step(refusal=f"{names} is not a legal move.")
        return Step(tuple(sorted(fitting, key=lambda move: -(move.promotion or 0))))


class ChessFace(Face):
    """Chess: men on squares."""

    game = "chess"

    def hand(self) -> ChessHand:
        """A hand without a man."""
        return ChessHand()

    def scale(self, size: Size, coloured: bool) -> tuple[Cells, int]:
        """The largest cells that leave room for panels and words; men are drawn in the largest of all."""
        width, height = size
        if width < SMALL:
            roomy = width >= 34 and height >= 19
            return (Cells(2, 4, shifted=coloured and height > 21) if roomy else Cells(1, 2)), 2
        if coloured and width - 3 - 64 >= PANELS + 8 and height >= 38:
            return Cells(4, 8), 3
        if width - 3 - 48 >= PANELS and height >= 30:
            return Cells(3, 6), 3
        return (Cells(2, 4, shifted=coloured) if height >= 22 else Cells(1, 2)), 3

    def small(self, coloured: bool) -> tuple[Cells, int]:
        """Squares two rows high."""
        return Cells(2, 4, shifted=coloured), 3

    def picture(
        self, position: chess.Board | None, moves: Sequence[chess.Move] = (), view: View | None = None
    ) -> SquaresView:
        """The men; where one of them can go, and the layers these moves lead to."""
        if position is None:
            return SquaresView(flipped=view is not None and view.flipped)
        view = view or View()
        picked = view.hand.picked if view.hand is not None and view.looked is None else None
        source = view.looked.from_square if view.looked is not None else _source(view)
        men = {square: Man(piece.symbol().upper(), piece.color) for square, piece in position.piece_map().items()}
        moved = (view.last.from_square, view.last.to_square) if view.last else None
        labels = _labels(view, moves, self.ends, source)
        return SquaresView(men, view.cursor, picked, moved, labels, view.flipped)

    def first(self, position: chess.Board, moves: Sequence[chess.Move]) -> int:
        """A man of the side to move, a piece rather than the king."""
        del moves
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


# Nine Men's Morris


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What has been chosen of a move of stones, in this order."""

    source: int | None = None
    end: int | None = None
    taken: tuple[int, ...] = ()

    def fits(self, move: Move) -> bool:
        """Whether a move begins like this."""
        begins = self.source in (None, move.source) and self.end in (None, move.end)
        return begins and set(self.taken) <= set(move.taken)


class StonesHand(Hand):
    """A stone is chosen, then where it goes, then what it takes; a stone from the hand goes somewhere at once."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been chosen."""
        return self._chosen == _Chosen()

    @property
    def is_taking(self) -> bool:
        """Whether a mill was closed, and what it takes is still to be chosen."""
        return self._chosen.end is not None

    @property
    def picked(self) -> int | None:
        """The stone that goes somewhere; none any more when it has arrived."""
        return None if self.is_taking else self._chosen.source

    @property
    def way(self) -> tuple[int | None, int | None, tuple[int, ...]]:
        """Where the stone comes from, where it goes, what it takes, as far as chosen."""
        return self._chosen.source, self._chosen.end, self._chosen.taken

    @property
    def words(self) -> str:
        """The move so far, as people write it."""
        source, end, taken = self.way
        return "" if end is None else spell(Move(source, end, taken))

    def takeable(self, moves: Sequence[Move]) -> tuple[int, ...]:
        """The stones that may be taken now, of the best moves first."""
        if not self.is_taking:
            return ()
        fitting = (move for move in moves if self._chosen.fits(move))
        points = dict.fromkeys(point for move in fitting for point in move.taken)
        return tuple(point for point in points if point not in self._chosen.taken)

    def pick(self, point: int | None) -> None:
        """Begins with a stone, or anew."""
        self._chosen = _Chosen(point)

    def back(self) -> int | None:
        """Takes back the last choice; the cursor returns to where the stone had arrived."""
        before = self._chosen
        if before.taken:
            self._chosen = replace(before, taken=before.taken[:-1])
            return None
        self._chosen = replace(before, end=None) if before.end is not None else _Chosen()
        return before.end

    def begin(self, moves: Sequence[Move], text: str) -> bool:
        """Takes over a typed move that closes a mill and does not say what it takes."""
        typed = re.sub(r"[\s–]", "-", text.strip().lower())
        for move in moves:
            if move.taken and typed == spell(replace(move, taken=())):
                self._chosen = _Chosen(move.source, move.end)
                return True
        return False

    def choose(self, position: Position, moves: Sequence[Move], point: int) -> Step:
        """Goes on with a point; what is refused leaves everything as it was."""
        own, other = mask_of(position, position.turn), mask_of(position, 1 - position.turn)
        chosen = self._chosen
        if chosen.end is not None:
            return self._take(position, moves, point, bool(other >> point & 1))
        if position.hands[position.turn]:
            return self._put(moves, point, bool((own | other) >> point & 1))
        if point == chosen.source:
            self._chosen = _Chosen()
            return Step()
        if own >> point & 1:
            if not any(_Chosen(point).fits(move) for move in moves):
                return Step(refusal=f"{POINTS[point]} cannot move: there is a stone on every point beside it.")
            self._chosen = _Chosen(point)
            return Step()
        if chosen.source is None:
            side = NAMES[position.turn]
            return Step(refusal=f"{side} is to move: choose one of {side}'s stones.")
        return self._put(moves, point, bool((own | other) >> point & 1))

    def _put(self, moves: Sequence[Move], point: int, occupied: bool) -> Step:
        put = replace(self._chosen, end=point)
        if any(put.fits(move) for move in moves):
            return self._settle(put, moves)
        name, source = POINTS[point], self._chosen.source
        if occupied:
            return Step(refusal=f"{name} is occupied: choose an empty point.")
        if source is not None and point not in NEIGHBOURS[source]:
            return Step(refusal=f"{POINTS[source]}-{name} is not a legal move: no line joins them.")
        return Step(refusal=f"{name} is not a legal move.")

    def _take(self, position: Position, moves: Sequence[Move], point: int, others: bool) -> Step:
        chosen = self._chosen
        take = replace(chosen, taken=(*chosen.taken, point))
        if point not in chosen.taken and any(take.fits(move) for move in moves):
            return self._settle(take, moves)
        if others and point not in chosen.taken:
            return Step(refusal=f"{POINTS[point]} stands in a mill: take a stone that does not.")
        side = NAMES[1 - position.turn]
        return Step(refusal=f"choose the stone of {side} to take; Esc chooses another move.")

    def _settle(self, chosen: _Chosen, moves: Sequence[Move]) -> Step:
        """The move, when nothing is left to choose."""
        fitting = [move for move in moves if chosen.fits(move)]
        self._chosen = _Chosen() if len(fitting) == 1 else chosen
        return Step(tuple(fitting)) if len(fitting) == 1 else Step()


class StonesFace(Face):
    """Nine Men's Morris: stones on points."""

    game = "morris"
    name = "Nine Men’s Morris"
    follows = True

    def hand(self) -> StonesHand:
        """A hand that has chosen nothing."""
        return StonesHand()

    def scale(self, size: Size, coloured: bool) -> tuple[Pitch, int]:
        """The largest board that leaves room for the panels and the words."""
        del coloured
        width, height = size
        if width < SMALL:
            return (Pitch(4, 2) if height >= 16 else Pitch(4, 1)), 2
        for pitch, margin in ((Pitch(9, 5), 4), (Pitch(8, 4), 3)):
            if width >= margin + pitch.columns + PANELS + 3 and height >= pitch.rows + 7:
                return pitch, margin
        return (Pitch(6, 3) if height >= 22 else Pitch(4, 2)), 3

    def small(self, coloured: bool) -> tuple[Pitch, int]:
        """Points as near to each other as stones allow."""
        del coloured
        return Pitch(4, 2), 3

    def picture(self, position: Position | None, moves: Sequence[Move] = (), view: View | None = None) -> StonesView:
        """The stones with what has been chosen done; where one of them can go, and the layers these moves lead to."""
        view = view or View()
        if position is None:
            return StonesView(flipped=view.flipped)
        chosen = view.hand.way if isinstance(view.hand, StonesHand) else (None, None, ())
        if view.looked is not None:
            chosen = (view.looked.source, None, ())
        source, end, taken = chosen
        last = view.last
        shows = source if source is not None else _source(view)
        takeable = view.hand.takeable(moves) if view.hand is not None else ()
        placing = position.turn if position.hands[position.turn] and not view.idle else None
        return StonesView(
            stones=_done(position, source, end, taken),
            cursor=view.cursor,
            picked=source if end is None else None,
            left=source if end is not None else last.source if last else None,
            moved=end if end is not None else last.end if last else None,
            gone=taken if end is not None else tuple(last.taken) if last else (),
            takeable=sum(1 << point for point in takeable),
            labels={} if end is not None else _labels(view, moves, self.ends, shows),
            hands=position.hands if any(position.hands) else None,
            placing=placing,
            flipped=view.flipped,
        )

    def first(self, position: Position, moves: Sequence[Move]) -> int:
        """Where the first move begins, or a stone is placed."""
        move = next(iter(moves), None)
        if move is not None:
            return move.end if move.source is None else move.source
        return next(iter(points_of(position.white | position.black)), 0)

    def is_man(self, position: Position, point: int) -> bool:
        """Whether a stone stands on a point."""
        return bool((position.white | position.black) >> point & 1)

    def ends(self, move: Move) -> tuple[int | None, int]:
        """From where to where."""
        return move.source, move.end


def _done(position: Position, source: int | None, end: int | None, taken: tuple[int, ...]) -> tuple[int, int]:
    """White's and Black's stones with what has been chosen done: the stone on its end, those taken gone."""
    own, other = mask_of(position, position.turn), mask_of(position, 1 - position.turn)
    if end is not None:
        left = 0 if source is None else 1 << source
        own = own & ~left | 1 << end
        other &= ~sum(1 << point for point in taken)
    return (own, other) if position.turn == WHITE else (other, own)


FACES: Final[dict[str, Face]] = {face.game: face for face in (ChessFace(), StonesFace())}
"""The faces of all games, by name."""


def face_of(game: str) -> Face:
    """The face of a game."""
    return FACES[game]
