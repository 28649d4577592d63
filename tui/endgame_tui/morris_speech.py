"""How Nine Men's Morris is told where other games are told otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from endgame_core.collected import Record
from endgame_core.morris import collections
from endgame_core.morris.game import MORRIS
from endgame_core.morris.geometry import NUMBERS, POINTS, image, points_of
from endgame_core.morris.rules import Move, Position
from endgame_core.tables.explorer import RatedMove
from endgame_core.words import speech
from endgame_tui.morris_scenes import label_of
from endgame_tui.selection import Selection, Turn, stones_view
from endgame_tui.widgets.stones import StonesView


class MorrisSpeech(speech.MorrisSpeech):
    """Its pictures, and what is read and told of positions."""

    metric = "depth"

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
