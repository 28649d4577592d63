"""The layers of an ending as a walk sees them: in the colours of the board, White wins and Black wins.

Tables may tell them otherwise: those of stones from the side of the player to move, so that a family of White's wins is
made of two, White to move in the odd layers and Black in the even ones; those of chess with White as the side named
first, so that a position may have the colours of its ending exchanged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Generic, TypeVar

from endgame_core.errors import LayerError
from endgame_core.tables.explorer import WINNERS, Explorer, LayerCount, Layers, Place
from endgame_core.values import Verdict

P = TypeVar("P")
M = TypeVar("M")


class BoardLayers(Generic[P, M]):
    """Layers, places in them and their positions, in the colours of the board.

    Args:
        explorer: The tables of one metric.
    """

    def __init__(self, explorer: Explorer[P, M]) -> None:
        self.explorer = explorer
        self._by_mover = tuple(explorer.game.winners) != WINNERS
        self._known: dict[str, Layers] = {}

    def forget(self) -> None:
        """Asks the tables anew."""
        self._known.clear()

    def spelled(self, text: str) -> str:
        """An ending as its layers are named: White's men first where that is told; raises EndingError."""
        game = self.explorer.game
        views, plain = game.views(game.canonical_name(text)), text.strip().replace("–", "-")
        return plain if plain in views else views[0]

    def _turned(self, ending: str) -> str:
        """The same ending from the other side."""
        game = self.explorer.game
        views = game.views(game.canonical_name(ending))
        return views[-1] if ending == views[0] else views[0]

    def layers(self, ending: str) -> Layers:
        """The layers of an ending, looked up once; raises NotBuiltError or TableError."""
        found = self._known.get(ending)
        if found is None:
            found = self._known[ending] = self._merged(ending) if self._by_mover else self.explorer.layers(ending)
        return found

    def _merged(self, ending: str) -> Layers:
        """The layers of both sides to move; White has the men named first."""
        mover, opponent = self.explorer.game.winners
        views = [self.explorer.layers(ending), self.explorer.layers(self._turned(ending))]
        families = {
            winner: _woven(views[side].families.get(mover, ()), views[1 - side].families.get(opponent, ()))
            for side, winner in enumerate(WINNERS)
        }
        draws = {winner: views[side].draws[mover] for side, winner in enumerate(WINNERS)}
        return Layers(ending, {winner: rows for winner, rows in families.items() if rows}, draws, {})

    def place(self, position: P, verdict: Verdict) -> Place:
        """Where a position stands in its layer; raises NotBuiltError, EndingError or TableError."""
        place = self.explorer.locate(position)
        if not self._by_mover:
            return place
        side = WINNERS.index(self.explorer.game.mover(position))
        ending = self._turned(place.ending) if side else place.ending
        return replace(place, ending=ending, winner=verdict.winner, swapped=False, side=side)

    def nth(self, ending: str, winner: str | None, n: int | None, number: int, side: int) -> P:
        """The number-th position of a layer.

        Args:
            ending: The ending.
            winner: Who wins; None for draws.
            n: The layer; None for draws.
            number: From 1 on.
            side: Who is to move in draws, 0 for the side named first.

        Raises:
            LayerError: There is no such layer or number.
        """
        explorer = self.explorer
        if not self._by_mover:
            return explorer.nth(ending, winner, n, number, side)
        won_by = None
        if winner is not None and n is not None:
            side = WINNERS.index(winner) ^ (n % 2 == 0)
            won_by = explorer.game.winners[WINNERS[side] != winner]
        view = self._turned(ending) if side else ending
        if winner is not None and not explorer.count(view, won_by, n):
            raise LayerError(f"{ending} has no position in S{n}, {winner} wins", "[ and ] skip such layers")
        found = explorer.nth(view, won_by, n, number)
        return found if explorer.game.mover(found) == WINNERS[side] else explorer.game.swapped(found)


def _woven(odd: tuple[LayerCount, ...], even: tuple[LayerCount, ...]) -> tuple[LayerCount, ...]:
    """The winner to move in odd layers, the loser in even ones."""
    return tuple(
        (odd if n % 2 else even)[n] if n < len(odd if n % 2 else even) else LayerCount(n, 0, 0)
        for n in range(max(len(odd), len(even)))
    )
