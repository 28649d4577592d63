"""A trail through the positions of any game: where the user is, where they came from, all facts about the place.

No Textual here. What differs from game to game is in the classes that extend these: how a position is called, which
layers belong together, what may be typed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

from endgame_core.errors import EndgameError, LayerError, NotBuiltError, TableError
from endgame_core.game import Game
from endgame_core.tables.explorer import Explorer, Layers, Place, Previous, RatedMove
from endgame_core.values import Category, Verdict, code_of

P = TypeVar("P")
M = TypeVar("M")

WINNERS = ("white", "black")


class Findings(Generic[P, M]):
    """All that the tables say about one position; found out when first asked for.

    Args:
        explorer: Whom to ask.
        position: The position.
        layers: Layers of endings looked up before; new ones are added.
        placed: Whether to find the place in the layer, too.
    """

    def __init__(
        self,
        explorer: Explorer[P, M],
        position: P,
        layers: dict[str, Layers] | None = None,
        placed: bool = True,
    ) -> None:
        self.explorer = explorer
        self.position = position
        self.problem: EndgameError | None = None
        self.verdict: Verdict | None = None
        self.moves: list[RatedMove[P, M]] = []
        self.place: Place | None = None
        self.layers: Layers | None = None
        try:
            self.verdict = explorer.probe(position)
            self.moves = explorer.moves(position)
            if placed and not explorer.game.is_trivial(position):
                self.place = self.located()
                self.layers = self.counted({} if layers is None else layers)
        except EndgameError as problem:
            over = self.verdict is not None and not self.moves and not explorer.game.moves(position)
            if not (over and isinstance(problem, NotBuiltError)):
                self.problem = problem  # what is over by the rules is known without a table

    def located(self) -> Place:
        """Where the position stands in its layer."""
        return self.explorer.locate(self.position)

    def counted(self, known: dict[str, Layers]) -> Layers | None:
        """The layers of the ending, looked up once for all its positions."""
        assert self.place is not None
        ending = self.place.ending
        if ending not in known:
            known[ending] = self.explorer.layers(ending)
        return known[ending]

    @cached_property
    def sentence(self) -> str:
        """What the position is, and why the best move is best."""
        if self.problem is not None or self.verdict is None:
            return ""
        from endgame_core.judge import Known
        from endgame_core.words.position import why

        game = self.explorer.game
        return why(Known(game, self.position, self.verdict, by_depth=tuple(self.moves)), game)

    @cached_property
    def previous(self) -> list[Previous[P, M]]:
        """The positions before this one."""
        if self.problem is not None:
            return []
        try:
            found = self.explorer.previous(self.position)
        except EndgameError:
            return []
        return sorted(found, key=self._nearest)

    @property
    def name(self) -> str:
        """The ending in the colours of the board."""
        raise NotImplementedError

    @property
    def result(self) -> tuple[str, str]:
        """The result in words, and its role."""
        raise NotImplementedError

    def origin(self, item: Previous[P, M]) -> str:
        """The name of a previous position: what will move, and where it stands."""
        raise NotImplementedError

    def _nearest(self, item: Previous[P, M]) -> tuple[bool, bool, int, int, str]:
        """Best play first, then what gave up little; then by layer, and by where the man came from."""
        layer = 999 if item.layer is None else item.layer
        return not item.best, item.gave_up is None, item.gave_up or 0, layer, self.origin(item)

    def family(self) -> str:
        """``White wins``, ``Black wins`` or ``draws``, in the colours of the board."""
        if self.verdict is None or self.verdict.winner is None:
            return "draws"
        return f"{self.verdict.winner.capitalize()} wins"


@dataclass(slots=True)
class Step(Generic[P, M]):
    """A place on the walk and the move that led to it, if a move did."""

    position: P
    move: M | None = None


class Trail(Generic[P, M]):
    """A walk through positions, with its past and its undone future.

    Args:
        explorer: The tables.
        start: Where it begins.
        rng: What is left to chance.
    """

    def __init__(self, explorer: Explorer[P, M], start: P, rng: random.Random | None = None) -> None:
        self.explorer = explorer
        self.metric = explorer.game.metric
        self.step: Step[P, M] = Step(start)
        self.past: list[Step[P, M]] = []
        self.future: list[Step[P, M]] = []
        self.rng = rng or random.Random()
        self._facts: dict[Hashable, Findings[P, M]] = {}
        self._layers: dict[str, dict[str, Layers]] = {}
        self._line: list[tuple[P, M]] = []

    # What a game says

    def find(self, metric: str, known: dict[str, Layers]) -> Findings[P, M]:
        """Finds out all about where we are, by a metric; ``known`` holds layers looked up before."""
        raise NotImplementedError

    def writing(self, position: P, move: M) -> Any:
        """Sorts moves nearly as they are written, at a fraction of the price."""
        return self.rules.san(position, move)

    def spelled(self, moves: Sequence[M]) -> list[str]:
        """Moves made from here one after the other, as people write them."""
        names: list[str] = []
        position = self.position
        for move in moves:
            names.append(self.rules.san(position, move))
            position = self.rules.play(position, move)
        return names

    def layers_of(self, ending: str) -> Layers:
        """The layers of an ending; raises NotBuiltError or TableError."""
        raise NotImplementedError

    def nth(self, ending: str, winner: str | None, n: int | None, number: int, side: int) -> P:
        """A position of a layer by its number; raises LayerError."""
        raise NotImplementedError

    def open(self, ending: str) -> None:
        """Goes to the longest win of an ending; raises EndgameError."""
        raise NotImplementedError

    def typed_else(self, text: str) -> None:
        """Does what was typed, when it is no layer and no number; raises EndgameError."""
        raise NotImplementedError

    # What is the same for all

    @property
    def rules(self) -> Game[P, M]:
        """The rules."""
        return self.explorer.game

    @property
    def position(self) -> P:
        """Where we are."""
        return self.step.position

    @property
    def findings(self) -> Findings[P, M]:
        """All about where we are, by the metric of the layers."""
        return self.findings_by(self.metric)

    @property
    def about_line(self) -> Findings[P, M]:
        """What the best line goes by."""
        return self.findings

    def findings_by(self, metric: str) -> Findings[P, M]:
        """All about where we are, by a metric."""
        key = metric, self.rules.format(self.position)
        found = self._facts.get(key)
        if found is None:
            if len(self._facts) > 200:
                self._facts.clear()
            found = self._facts[key] = self.find(metric, self._layers.setdefault(metric, {}))
        return found

    def forget(self) -> None:
        """Asks the tables anew: some were built, repaired or removed."""
        self._facts.clear()
        self._layers.clear()
        self._line.clear()

    def go(self, position: P, move: M | None = None) -> None:
        """Walks to a position."""
        self.past.append(self.step)
        self.future.clear()
        self.step = Step(position, move)

    def play(self, move: M) -> None:
        """Plays a legal move."""
        self.go(self.rules.play(self.position, move), move)

    def undo(self) -> bool:
        """Goes back one step; False at the beginning."""
        if not self.past:
            return False
        self.future.append(self.step)
        self.step = self.past.pop()
        return True

    def redo(self) -> bool:
        """Takes back an undo; False when there is none."""
        if not self.future:
            return False
        self.past.append(self.step)
        self.step = self.future.pop()
        return True

    def line(self, most: int) -> list[M]:
        """The best line from here, at most so many plies; what is known of it is kept.

        Raises:
            EndgameError: A table on the way is missing or damaged.
        """
        facts = self.about_line
        if facts.problem is not None or not facts.moves or facts.verdict is None:
            return []
        best = facts.moves[0]
        if facts.verdict.depth is None:
            return [best.move]
        known = next((n for n, (there, _) in enumerate(self._line) if there == self.position), None)
        kept = [] if known is None else self._line[known:]
        if not kept or kept[0][1] != best.move:
            kept = [(self.position, best.move)]
        while len(kept) < most:
            position = self.rules.play(*kept[-1])
            depth = facts.verdict.depth - len(kept)
            if depth <= 0:
                break
            kept.append((position, self._shortest(position, depth)))
        self._line = kept
        return [move for _, move in kept][:most]

    def _shortest(self, position: P, depth: int) -> M:
        """A best move of a position of known depth: the first found in the order of writing."""
        wins_now = depth % 2 == 1
        target = code_of(Category.LOSS if wins_now else Category.WIN, depth - 1)
        moves = sorted(self.rules.moves(position), key=lambda move: self.writing(position, move))
        for move in moves:
            if self.explorer.code(self.rules.play(position, move)) == target:
                return move
        raise TableError(f"the table of {self.rules.ending_of(position)} contradicts itself", "verify it")

    def open_family(self, layers: Layers, winner: str | None) -> None:
        """Goes to the longest win of a winner, the winner to move where parity tells; to a draw when there is none."""
        if winner is None:
            side = next((s for s, w in enumerate(WINNERS) if layers.draws[w].canonical), 0)
            self.go(self.nth(layers.ending, None, None, 1, side))
            return
        family = layers.families[winner]
        either = self.metric == "dtz"
        n = next((row.n for row in reversed(family) if (row.n % 2 or either) and row.canonical), family[-1].n)
        self.go(self.nth(layers.ending, winner, n, 1, 0))

    def next_family(self) -> None:
        """Changes between White's wins, Black's wins and the draws of this ending."""
        place, layers = self._placed()
        order: list[str | None] = [w for w in WINNERS if w in layers.families]
        if any(count.canonical for count in layers.draws.values()):
            order.append(None)
        if len(order) < 2:
            raise LayerError(f"{layers.ending} has only one kind of result", "there is no other family")
        at = order.index(place.winner) if place.winner in order else -1
        self.open_family(layers, order[(at + 1) % len(order)])

    def _placed(self) -> tuple[Place, Layers]:
        facts = self.findings
        if facts.problem is not None:
            raise facts.problem
        if facts.place is None or facts.layers is None:
            raise self.nowhere()
        return facts.place, facts.layers

    def _at(self, place: Place, n: int | None, number: int, side: int) -> P:
        position = self.nth(place.ending, place.winner, n, number, side)
        return self.rules.swapped(position) if place.swapped else position

    def to_row(self, row: int) -> None:
        """Goes to the first position of a row of the Layers panel."""
        place, layers = self._placed()
        if place.winner is None:
            if not layers.draws[WINNERS[row % 2]].canonical:
                raise LayerError(f"{place.ending} has no draws with that side to move", "")
            self.go(self._at(place, None, 1, row % 2))
        else:
            self.to_layer(layers.families[place.winner][row].n)

    def to_layer(self, n: int, number: int = 1) -> None:
        """Goes to a position of layer ``n`` of the same winner; raises LayerError."""
        place, layers = self._placed()
        family = layers.families.get(place.winner or "white", ())
        if not 0 <= n < len(family):
            last = f"S{len(family) - 1}" if family else "no layer"
            whose = f"{(place.winner or 'white').capitalize()}'s"
            raise LayerError(f"there is no S{n} here, {whose} wins go up to {last}", "choose a smaller n")
        self.go(self._at(replace(place, winner=place.winner or "white"), n, number, 0))

    def step_layer(self, by: int) -> None:
        """Goes to the next layer that has positions, nearer to the end or farther from it."""
        place, layers = self._placed()
        if place.n is None or place.winner is None:
            self.to_row(1 - place.side)
            return
        family = layers.families.get(place.winner, ())
        n = min(place.n + by, len(family) - (by < 0))
        while 0 <= n < len(family) and not family[n].canonical:
            n += by
        if not 0 <= n < len(family):
            end = "S0 is the end of the game" if by < 0 else f"S{max(place.n, len(family) - 1)} is the last layer"
            raise LayerError(end, "")
        self.to_layer(n)

    def step_position(self, by: int) -> None:
        """Goes to the next or previous position of the layer, round and round; its ends meet at what is in no list."""
        place = self._listed()
        number = place.number if by > 0 else max(place.number, 1)
        self.to_number((number - 1 + by) % place.total + 1)

    def to_number(self, number: int) -> None:
        """Goes to a position of this layer by its number; raises LayerError."""
        place, _ = self._placed()
        self.go(self._at(place, place.n, number, place.side))

    def randomly(self) -> None:
        """Goes to a random position of this layer."""
        self.to_number(self.rng.randint(1, self._listed().total))

    def _listed(self) -> Place:
        """The place, when its layer has a list to walk through (only en passant can lead to one that has none)."""
        place, _ = self._placed()
        if not place.total:
            raise LayerError("no other position is in this layer", "[ and ] go to the layers beside it")
        return place

    def nowhere(self) -> EndgameError:
        """Why a position is in no layer."""
        raise NotImplementedError

    def typed(self, text: str) -> None:
        """Does what was typed: a layer, a place, or whatever the game knows.

        Raises:
            EndgameError: It is none of these, or cannot be done here.
        """
        if match := re.fullmatch(r"[sS](\d+)(?:/(\d+))?", text) or re.fullmatch(r"(\d+)/(\d+)", text):
            self.to_layer(int(match[1]), int(match[2] or 1))
        elif re.fullmatch(r"\d+", text) and self._is_number(int(text)):
            self.to_number(int(text))
        else:
            self.typed_else(text)

    def _is_number(self, number: int) -> bool:
        place = self.findings.place
        return place is not None and 0 <= number <= place.total


def unbuilt(problem: EndgameError | None) -> str | None:
    """The ending whose table is missing, when that is the problem."""
    return problem.ending if isinstance(problem, NotBuiltError) else None


def is_over(found: Findings[Any, Any]) -> bool:
    """Whether the game has ended here."""
    return found.problem is None and not found.moves


def loses(found: Findings[Any, Any]) -> bool:
    """Whether the side to move loses."""
    return found.verdict is not None and found.verdict.category in (Category.LOSS, Category.BLESSED_LOSS)
