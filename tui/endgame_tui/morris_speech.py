"""How Nine Men's Morris is told where other games are told otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from endgame_core.collected import Collected
from endgame_core.morris import collections
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

    def records(self, path: Path) -> Iterable[Collected]:
        """A position in each line."""
        return collections.read(path)
