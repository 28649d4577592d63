"""How Nine Men's Morris is told where other games are told otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from endgame_core.collected import Record
from endgame_core.morris import collections
from endgame_core.morris.game import MORRIS
from endgame_core.morris.geometry import NUMBERS, POINTS, image, points_of
from endgame_core.morris.notation import NAMES
from endgame_core.morris.rules import Move, Position, mask_of
from endgame_core.tables.explorer import RatedMove
from endgame_core.words.numbers import count
from endgame_tui.morris_scenes import NAME, label_of
from endgame_tui.selection import Selection, Turn, stones_view
from endgame_tui.widgets.stones import StonesView


class MorrisSpeech:
    """Wins in plies, stones by their points."""

    name = NAME
    winning = "the game won"
    losing = "the game lost"
    won = "won"
    task = "Win it"
    moves = "d6-d7, c4-e3xd6"
    to_find = "3-4"
    to_add = "a position, or a file of them, one a line"
    position = "position"
    metric = "depth"
    starts = ("random, mirrored", "random, White to move")

    def ends(self, depth: int, wins: bool) -> str:
        """``win in 13 plies``, ``lost in 12 plies``."""
        return f"{'win' if wins else 'lost'} in {count(depth, 'ply', 'plies')}"

    def possible(self, depth: int) -> str:
        """A win in so many plies."""
        return f"a {self.ends(depth, True)} is possible"

    def was_possible(self, depth: int) -> str:
        """The same where there is little room."""
        return self.ends(depth, True)

    def layer(self, depth: int, wins: bool) -> str:
        """The number of the layer says how far it is."""
        return f"S{depth}, {'won' if wins else 'lost'}"

    def men(self, position: Position) -> str:
        """``White a1 b4 d6, Black c3 f2 g7``, and what is in hand."""
        sides: list[str] = []
        for side, name in enumerate(NAMES):
            points = " ".join(POINTS[point] for point in points_of(mask_of(position, side)))
            hand = f" and {position.hands[side]} in hand" if position.hands[side] else ""
            sides.append(f"{name} {points}{hand}")
        return ", ".join(sides)

    def first_step(self, position: Position, move: Move) -> str:
        """The stone to move, or the ring on which one is to be placed."""
        if move.source is None:
            return f"place a stone on the {('outer', 'middle', 'inner')[move.end // 8]} ring"
        return f"move the stone on {POINTS[move.source]}"

    def picture(self, position: Position, flipped: bool = False) -> StonesView:
        """The stones."""
        return stones_view(Turn(position, ()), Selection(), None, flipped=flipped)

    def replayed(
        self,
        position: Position,
        move: Move | None,
        came: Move | None,
        rated: Sequence[RatedMove[Position, Move]],
        flipped: bool,
    ) -> StonesView:
        """The stone that moves shows where it could go, and the layers these moves lead to."""
        turn = Turn(position, tuple(found.move for found in rated))
        chosen = Selection() if move is None else Selection(move.source)
        end = None if move is None else move.end
        labels = [(found.move, label_of(found)) for found in rated]
        return stones_view(turn, chosen, end, last=came, rated=labels, flipped=flipped)

    def retold(self, note: str, told_of: Position, copy: Position) -> str:
        """Points and sides are those of the copy."""
        for swapped in (False, True):
            start = MORRIS.swapped(told_of) if swapped else told_of
            for turn in range(16):
                if (image(turn, start.white), image(turn, start.black), start.turn) == (
                    copy.white,
                    copy.black,
                    copy.turn,
                ):
                    return _renamed(note, turn, swapped)
        return note

    def records(self, path: Path) -> Iterable[Record]:
        """A position in each line."""
        return collections.read(path)


_WORDS = re.compile(r"\b(?:[a-g][1-7]|White|Black|white|black)\b")
_OTHER = {"White": "Black", "Black": "White", "white": "black", "black": "white"}


def _renamed(note: str, turn: int, swapped: bool) -> str:
    """A note with its points turned, and its sides exchanged."""

    def other(found: re.Match[str]) -> str:
        word = found[0]
        if word in NUMBERS:
            return POINTS[points_of(image(turn, 1 << NUMBERS[word]))[0]]
        return _OTHER.get(word, word) if swapped else word

    return _WORDS.sub(other, note)
