"""Nine Men's Morris on a screen: stones on points, moved in three steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual.geometry import Size

from endgame_core.morris.geometry import NEIGHBOURS, POINTS, points_of
from endgame_core.morris.notation import NAMES, spell
from endgame_core.morris.rules import WHITE, Move, Position, mask_of
from endgame_tui.faces import PANELS, SMALL, Face, Hand, Step, View, labels, source_of
from endgame_tui.widgets.stones import Pitch, StonesView


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
        shows = source if source is not None else source_of(view)
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
            labels={} if end is not None else labels(view, moves, self.ends, shows),
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
