"""The walk through positions of Nine Men's Morris. No Textual here.

Layers are told in the colours of the board: ``3-4`` means that White has three stones and Black four, and ``White
wins`` holds the positions with White to move (n odd) and with Black to move (n even), which the tables keep apart.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from endgame_core.errors import LayerError, PositionError
from endgame_core.morris import notation, rules
from endgame_core.morris.index import parse_ending
from endgame_core.morris.rules import BLACK, WHITE, Move, Position
from endgame_core.morris.texts import is_ending, is_position, parse
from endgame_core.tables.explorer import Explorer, LayerCount, Layers, Place, Previous
from endgame_core.values import Category
from endgame_tui.selection import Selection, Turn
from endgame_tui.trail import WINNERS, Findings, Trail

MorrisExplorer = Explorer[Position, Move]

START = "OXOOXX2/8/8 w"
"""Where the first launch begins: the longest win with three stones against three."""


def counts(position: Position) -> tuple[int, int]:
    """White's and Black's stones on the board."""
    return rules.count(position, WHITE), rules.count(position, BLACK)


def layers_in_colours(explorer: MorrisExplorer, ending: str) -> Layers:
    """The layers of both sides to move, White having the stones named first; raises NotBuiltError or TableError."""
    white, black = parse_ending(ending)
    by_mover = (explorer.layers(f"{white}-{black}"), explorer.layers(f"{black}-{white}"))
    families = {
        winner: _merged(by_mover[side].families.get("mover", ()), by_mover[1 - side].families.get("opponent", ()))
        for side, winner in enumerate(WINNERS)
    }
    draws = {winner: by_mover[side].draws["mover"] for side, winner in enumerate(WINNERS)}
    return Layers(ending, {winner: rows for winner, rows in families.items() if rows}, draws, {})


def _merged(odd: tuple[LayerCount, ...], even: tuple[LayerCount, ...]) -> tuple[LayerCount, ...]:
    """The winner to move in odd layers, the loser in even ones."""
    return tuple((odd if n % 2 else even)[n] if n < len(odd if n % 2 else even) else LayerCount(n, 0, 0)
                 for n in range(max(len(odd), len(even))))  # fmt: skip


class StoneFindings(Findings[Position, Move]):
    """All that the tables say about one position."""

    def located(self) -> Place:
        """Where it stands in its layer, in the colours of the board."""
        place = self.explorer.locate(self.position)
        winner = self.verdict.winner if self.verdict else None
        return replace(place, ending=self.name, winner=winner, swapped=False, side=self.position.turn)

    def counted(self, known: dict[str, Layers]) -> Layers | None:
        """The layers of both sides to move."""
        if self.name not in known:
            known[self.name] = layers_in_colours(self.explorer, self.name)
        return known[self.name]

    @property
    def name(self) -> str:
        """White's and Black's stones."""
        white, black = counts(self.position)
        return f"{white}-{black}" if not any(self.position.hands) else "placing"

    @property
    def result(self) -> tuple[str, str]:
        """The result in words, and its role."""
        verdict = self.verdict
        if self.problem is not None or verdict is None:
            return "", "text"
        if verdict.depth is None:
            return "draw", "draw"
        if verdict.depth == 0:
            return "has lost", "loss"
        plies = f"{verdict.depth} {'ply' if verdict.depth == 1 else 'plies'}"
        return (f"wins in {plies}", "win") if verdict.category is Category.WIN else (f"loses in {plies}", "loss")

    def origin(self, item: Previous[Position, Move]) -> str:
        """Where the stone came from that goes to where it is now."""
        return item.san


class StoneWalk(Trail[Position, Move]):
    """A walk through positions of stones.

    Args:
        explorer: The tables.
    """

    def __init__(self, explorer: MorrisExplorer) -> None:
        super().__init__(explorer, notation.parse_line(START))

    @property
    def stones(self) -> StoneFindings:
        """All about where we are."""
        return cast("StoneFindings", self.findings)

    def find(self, metric: str, known: dict[str, Layers]) -> StoneFindings:
        """Asks the tables."""
        return StoneFindings(self.explorer, self.position, known)

    def layers_of(self, ending: str) -> Layers:
        """The layers of an ending, White having the stones named first."""
        return layers_in_colours(self.explorer, ending)

    def nth(self, ending: str, winner: str | None, n: int | None, number: int, side: int) -> Position:
        """A position of a layer in the colours of the board."""
        stones = parse_ending(ending)
        if winner is not None and n is not None:
            side = WINNERS.index(winner) ^ (n % 2 == 0)
        won_by = None if winner is None else "mover" if WINNERS[side] == winner else "opponent"
        mover = f"{stones[side]}-{stones[1 - side]}"
        if winner is not None and not self.explorer.count(mover, won_by, n):
            raise LayerError(f"{ending} has no position in S{n}, {winner} wins", "[ and ] skip such layers")
        found = self.explorer.nth(mover, won_by, n, number)
        return found if found.turn == side else self.rules.swapped(found)

    def nowhere(self) -> LayerError:
        """A player with two stones is in no table."""
        return LayerError("the game is over here", "u goes back")

    def open(self, ending: str) -> None:
        """Goes to the longest win of an ending, the winner to move; to a draw when nobody wins.

        Raises:
            EndgameError: The name is no ending, or it is not built.
        """
        white, black = parse_ending(ending)
        layers = self.layers_of(f"{white}-{black}")
        winner = max(layers.families, key=lambda w: len(layers.families[w]), default=None)
        self.open_family(layers, winner)

    def begun(self, text: str) -> Selection | None:
        """What a typed move has chosen when it closes a mill and does not say what it takes; else None."""
        return Turn(self.position, tuple(self.rules.moves(self.position))).begun(text)

    def typed_else(self, text: str) -> None:
        """A move, an ending, a layer of it (``3-4 S12``) or a position.

        Raises:
            EndgameError: It is none of these, or cannot be done here.
        """
        if not text:
            raise PositionError("nothing was typed", "type a move, a position, S12, 12/3 or 4-3")
        if both := re.fullmatch(r"(\S+)\s+([sS]?\d+(?:/\d+)?)", text):
            there = StoneWalk(self.explorer)
            there.open(both[1])
            there.typed(both[2])
            self.go(there.position)
        elif is_ending(text):
            self.open(text)
        elif is_position(text):
            self.go(parse(text))
        else:
            self.play(self.rules.parse_move(self.position, text))


def opening(text: str, walk: StoneWalk) -> None:
    """Begins the walk at what the command line says; raises EndgameError."""
    if is_ending(text):
        walk.open(text)
        walk.past.clear()
    else:
        walk.step.position = parse(text)
