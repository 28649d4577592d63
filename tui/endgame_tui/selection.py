"""A move of stones chosen step by step: which stone, where to, what it takes. No Textual here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from endgame_core.morris.geometry import NEIGHBOURS, POINTS
from endgame_core.morris.notation import NAMES, spell
from endgame_core.morris.rules import WHITE, Move, Position, mask_of
from endgame_tui.widgets.board import Label
from endgame_tui.widgets.stones import StonesView


@dataclass(frozen=True, slots=True)
class Selection:
    """What has been chosen of a move so far, in this order."""

    source: int | None = None
    end: int | None = None
    taken: tuple[int, ...] = ()

    def back(self) -> Selection:
        """The same without the last choice."""
        if self.taken:
            return replace(self, taken=self.taken[:-1])
        return replace(self, end=None) if self.end is not None else Selection()


@dataclass(frozen=True, slots=True)
class Step:
    """What choosing a point has led to: more to choose, a whole move, or a sentence that says why not."""

    selection: Selection
    move: Move | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """The side to move, and all it may do.

    Attributes:
        position: The position.
        moves: All legal moves.
    """

    position: Position
    moves: tuple[Move, ...]

    @property
    def own(self) -> int:
        """Mask of the stones of the side to move."""
        return mask_of(self.position, self.position.turn)

    @property
    def other(self) -> int:
        """Mask of the other side's."""
        return mask_of(self.position, 1 - self.position.turn)

    @property
    def placing(self) -> bool:
        """Whether a stone from the hand is to be placed."""
        return self.position.hands[self.position.turn] > 0

    def fitting(self, chosen: Selection) -> list[Move]:
        """The moves that begin as chosen."""
        return [
            move
            for move in self.moves
            if chosen.source in (None, move.source)
            and chosen.end in (None, move.end)
            and set(chosen.taken) <= set(move.taken)
        ]

    def begun(self, text: str) -> Selection | None:
        """What a typed move has chosen when it closes a mill and does not say what it takes; else None."""
        typed = re.sub(r"[\s–]", "-", text.strip().lower())
        for move in self.moves:
            if move.taken and typed == spell(replace(move, taken=())):
                return Selection(move.source, move.end)
        return None

    def takeable(self, chosen: Selection) -> int:
        """Mask of the stones to choose from; none before the end is chosen."""
        if chosen.end is None:
            return 0
        points = {point for move in self.fitting(chosen) for point in move.taken} - set(chosen.taken)
        return sum(1 << point for point in points)

    def shown(self, chosen: Selection) -> tuple[int, int]:
        """The stones with what has been chosen done: the stone on its end, those taken gone."""
        own, other = self.own, self.other
        if chosen.end is not None:
            left = 0 if chosen.source is None else 1 << chosen.source
            own = own & ~left | 1 << chosen.end
            other &= ~sum(1 << point for point in chosen.taken)
        return (own, other) if self.position.turn == WHITE else (other, own)

    def choose(self, chosen: Selection, point: int) -> Step:
        """Goes on with a point; what is refused leaves the selection as it was."""
        if chosen.end is not None:
            return self._take(chosen, point)
        if self.placing:
            return self._put(chosen, point)
        if point == chosen.source:
            return Step(Selection())
        if self.own >> point & 1:
            return self._pick(chosen, point)
        if chosen.source is None:
            side = NAMES[self.position.turn]
            return Step(chosen, refusal=f"{side} is to move: choose one of {side}'s stones.")
        return self._put(chosen, point)

    def _pick(self, chosen: Selection, point: int) -> Step:
        picked = Selection(point)
        if self.fitting(picked):
            return Step(picked)
        return Step(chosen, refusal=f"{POINTS[point]} cannot move: there is a stone on every point beside it.")

    def _put(self, chosen: Selection, point: int) -> Step:
        put = replace(chosen, end=point)
        moves = self.fitting(put)
        if moves:
            return self._settle(put, moves)
        name = POINTS[point]
        if (self.own | self.other) >> point & 1:
            return Step(chosen, refusal=f"{name} is occupied: choose an empty point.")
        if chosen.source is not None and point not in NEIGHBOURS[chosen.source]:
            return Step(chosen, refusal=f"{POINTS[chosen.source]}-{name} is not a legal move: no line joins them.")
        return Step(chosen, refusal=f"{name} is not a legal move.")

    def _take(self, chosen: Selection, point: int) -> Step:
        take = replace(chosen, taken=(*chosen.taken, point))
        moves = self.fitting(take)
        if point not in chosen.taken and moves:
            return self._settle(take, moves)
        if self.other >> point & 1 and point not in chosen.taken:
            return Step(chosen, refusal=f"{POINTS[point]} stands in a mill: take a stone that does not.")
        return Step(
            chosen, refusal=f"choose the stone of {NAMES[1 - self.position.turn]} to take; Esc chooses another move."
        )

    def _settle(self, chosen: Selection, moves: list[Move]) -> Step:
        """The move, when nothing is left to choose."""
        return Step(Selection(), moves[0]) if len(moves) == 1 else Step(chosen)


def stones_view(
    turn: Turn,
    chosen: Selection,
    cursor: int | None,
    *,
    last: Move | None = None,
    rated: Iterable[tuple[Move, Label]] = (),
    show_all: bool = False,
    flipped: bool = False,
) -> StonesView:
    """The board: position, what has been chosen, and where the stone in question can go.

    Args:
        turn: The position.
        chosen: What has been chosen of a move.
        cursor: Point of the cursor.
        last: The move that led here.
        rated: Moves and what they lead to, the best of all first; else the plain moves.
        show_all: Whether the stone under the cursor shows its moves, too.
        flipped: Whether Black's side is below.
    """
    hands = turn.position.hands
    going = chosen.end is not None
    source = chosen.source if chosen.source is not None else cursor if show_all else None
    labels = {} if going or source is None else _labels(turn, source, list(rated))
    return StonesView(
        stones=turn.shown(chosen),
        cursor=cursor,
        picked=None if going else chosen.source,
        left=chosen.source if going else last.source if last else None,
        moved=chosen.end if going else last.end if last else None,
        gone=chosen.taken if going else tuple(last.taken) if last else (),
        takeable=turn.takeable(chosen),
        labels=labels,
        hands=hands if any(hands) else None,
        placing=turn.position.turn if turn.placing else None,
        flipped=flipped,
    )


def _labels(turn: Turn, source: int, rated: list[tuple[Move, Label]]) -> dict[int, Label]:
    """Where a stone can go; of several captures the best speaks."""
    labels: dict[int, Label] = {}
    for move, label in rated or ((move, Label()) for move in turn.moves):
        if move.source == source:
            labels.setdefault(move.end, label)
    return labels
