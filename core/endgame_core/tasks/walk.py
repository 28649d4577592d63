"""A walk through the positions of any game: where the user is, where they came from, and the layers around them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from endgame_core import games
from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, EndingError, LayerError, NotBuiltError, PositionError
from endgame_core.judge import DEPTH_UNDER_RULE, BestLine, ProbeResult
from endgame_core.tables.explorer import Explorer, LayerCount, Layers, Place, Previous, RatedMove
from endgame_core.values import HORIZON, LAST_CLOCK, WINNERS, Verdict

if TYPE_CHECKING:
    from endgame_core.app_context import AppContext
    from endgame_core.game import Game
    from endgame_core.judge import Judge
    from endgame_core.tables.find import Query

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
        result = self._known.get(ending)
        if result is None:
            result = self._known[ending] = self._merged(ending) if self._by_mover else self.explorer.layers(ending)
        return result

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
            raise LayerError(
                f"{ending} has no position in S{n}, {winner} wins", instruct("{near} and {far} skip such layers")
            )
        result = explorer.nth(view, won_by, n, number)
        return result if explorer.game.mover(result) == WINNERS[side] else explorer.game.with_colours_swapped(result)


def _woven(odd: tuple[LayerCount, ...], even: tuple[LayerCount, ...]) -> tuple[LayerCount, ...]:
    """The winner to move in odd layers, the loser in even ones."""
    return tuple(
        (odd if n % 2 else even)[n] if n < len(odd if n % 2 else even) else LayerCount(n, 0, 0)
        for n in range(max(len(odd), len(even)))
    )


_LAYER = re.compile(r"[sS](\d+)(?:/(\d+))?|(\d+)/(\d+)")
_LAYER_OF = re.compile(r"(\S+)\s+([sS]?\d+(?:/\d+)?)")
_POSITION = re.compile(r"[/\n]|^\d+$")
_CLOCK = re.compile(r"clock\b\s*(.*)", re.IGNORECASE)
_DIGITS = 6
"""Of a number of more digits than any clock has, the first say enough."""


@dataclass(slots=True)
class WalkStep(Generic[P, M]):
    """A place on the walk and the move that led to it, if a move did."""

    position: P
    move: M | None = None


class Here(Generic[P, M]):
    """All about a place on the walk by one metric: what it is worth, and where it stands in its layer.

    Attributes:
        position: The position.
        metric: The metric.
        verdict: What it is worth; None where no table tells.
        problem: Why it or its place is not known.
        place: Where it stands.
        layers: The layers of its ending.
        captures: Whether captures are among the moves that led here.
    """

    def __init__(self, around: BoardLayers[P, M], known: ProbeResult[P, M], metric: str, by_known: bool) -> None:
        self.captures = False
        self._around, self._over = around, known.is_over
        self.position, self.metric = known.position, metric
        self.verdict: Verdict | None = None
        self.problem: EndgameError | None = None
        self.place: Place | None = None
        self.layers: Layers | None = None
        try:
            self.verdict = known.verdict if by_known else around.explorer.probe(self.position)
            if self.verdict is not None:
                self._locate(self.verdict)
            else:
                self.problem = known.problem
        except EndgameError as problem:
            self.problem = problem

    def _locate(self, verdict: Verdict) -> None:
        """Finds the place; what is over by the rules is known without a table."""
        if self._around.explorer.game.is_trivial(self.position):
            return
        try:
            self.place = self._around.place(self.position, verdict)
            self.layers = self._around.layers(self.place.ending)
        except NotBuiltError:
            if not self._over:
                raise

    @property
    def unbuilt(self) -> str | None:
        """The ending whose table is missing, when that is the problem."""
        return self.problem.ending if isinstance(self.problem, NotBuiltError) else None

    @cached_property
    def previous(self) -> list[Previous[P, M]]:
        """The positions from which one move leads here: best play first, then what gave up little; then by layer."""
        if self.problem is not None:
            return []
        try:
            result = self._around.explorer.previous(self.position, self.captures)
        except EndgameError:
            return []
        return sorted(result, key=self._nearness)

    def _nearness(self, item: Previous[P, M]) -> tuple[bool, bool, int, int, str, str]:
        layer = 999 if item.layer is None else item.layer
        origin = self._around.explorer.game.uci(item.move)
        return not item.best, item.gave_up is None, item.gave_up or 0, layer, item.san[:1], origin


class Walk(Generic[P, M]):
    """A walk through positions, with its past and its undone future.

    Args:
        lab: What tells all about positions.
        game: The name of the game.
        rng: What is left to chance.
    """

    def __init__(self, lab: AppContext, game: str, rng: random.Random | None = None) -> None:
        self._lab, self.game = lab, game
        self.judge: Judge[P, M] = lab.judge(game)
        self.clerk = self.judge.prober
        """Finds out in a thread what takes longer, and the best line by DTZ."""
        self.rules: Game[P, M] = self.judge.game
        self.metrics = games.metrics_of(game)
        """Of what layers are: first that which counts the plies to the end of the game."""
        self._wanted = self.metrics[0]
        self.step: WalkStep[P, M] = WalkStep(self.rules.parse(self.rules.example_position))
        self.past: list[WalkStep[P, M]] = []
        self.future: list[WalkStep[P, M]] = []
        self.rng = rng or random.Random()
        self.found: Sequence[P] = ()
        """Positions that a query has found, which are walked through in place of a layer's."""
        self.place = 0
        """The number of the one that was shown last, from 0."""
        self.queries: list[str] = []
        """What has been asked for, the last first."""
        self.shown: WalkStep[P, M] | None = None
        """The step that led to it."""
        self._around = {metric: BoardLayers(lab.explorer(metric)) for metric in self.metrics}
        self._known: tuple[WalkStep[P, M], ProbeResult[P, M] | None] = (self.step, None)
        self._here: tuple[WalkStep[P, M], Here[P, M] | None] = (self.step, None)

    # Where we are

    @property
    def position(self) -> P:
        """Where we are."""
        return self.step.position

    @property
    def metric(self) -> str:
        """The metric of the layers that are walked through: as wanted, but the first where that alone tells."""
        first, known = self.metrics[0], self.known
        if self._wanted == first or not known.is_complete or known.fifty is not None or known.verdict is None:
            return self._wanted
        ending = self.ending
        told = not ending or self._lab.explorer(self._wanted).library.is_built(ending)
        return self._wanted if told else first

    @metric.setter
    def metric(self, metric: str) -> None:
        self._wanted = metric

    @property
    def known(self) -> ProbeResult[P, M]:
        """All that has been found out about where we are: by the clock only where somebody has asked the judge."""
        step, known = self._known
        if known is None or step is not self.step or not known.is_complete:
            known = self.judge.probe_by_depth(self.position)
            self._known = self.step, known
        return known

    @property
    def here(self) -> Here[P, M]:
        """Where we are in the layers of the metric."""
        step, result = self._here
        if result is None or step is not self.step or result.metric != self.metric:
            by_known = self.metric == self.metrics[0]
            result = Here(self._around[self.metric], self.known, self.metric, by_known)
            self._here = self.step, result
        return result

    @property
    def ending(self) -> str:
        """The ending by its own name; empty where no table can be."""
        try:
            return self.rules.ending_of(self.position)
        except EndgameError:
            return ""

    @property
    def is_late(self) -> bool:
        """Whether the end of the game comes later than the clock allows, so that what is best may keep nothing."""
        known = self.known
        depth = 0 if known.verdict is None else known.verdict.depth or 0
        return known.clock is not None and depth + known.clock > HORIZON

    @property
    def by_clock(self) -> bool:
        """Whether moves are told by DTZ with the clock counted in.

        So they are where the layers are, where no table tells the end, and where the clock may decide before it.
        """
        if self.metric != self.metrics[0]:
            return True
        known = self.known
        if not (known.by_dtz or known.partial_by_dtz):
            return False
        return isinstance(known.problem, NotBuiltError | EndingError) or (bool(known.by_dtz) and self.is_late)

    @property
    def moves(self) -> Sequence[RatedMove[P, M]]:
        """All legal moves in the order in which they are told; none where the game is over, or none is known."""
        known = self.known
        if known.is_over:
            return ()
        return (known.by_dtz or known.partial_by_dtz) if self.by_clock else known.listed_by_depth

    @property
    def offered(self) -> str | None:
        """The ending to offer to build: its table is missing, and nothing else tells what is needed."""
        known = self.known
        return self.here.unbuilt if known.is_complete and known.fifty is None else None

    @property
    def missing(self) -> str | None:
        """The ending whose table is missing: its own, or one that the best moves may lead to."""
        problem = self.here.problem or (None if self.by_clock else self.known.problem)
        return problem.ending if isinstance(problem, NotBuiltError) else None

    def forget(self) -> None:
        """Asks the tables anew: some were built, repaired or removed."""
        self._known, self._here = (self.step, None), (self.step, None)
        for around in self._around.values():
            around.forget()

    # Steps

    def go(self, position: P, move: M | None = None) -> None:
        """Walks to a position."""
        self.past.append(self.step)
        self.future.clear()
        self.step = WalkStep(position, move)

    def play(self, move: M) -> None:
        """Plays a legal move; raises LayerError where a limit of moves has ended the game."""
        if self.known.is_ended_by_limit:
            advice = instruct("{press} {back} to go back, or {counter} to set the 50-move counter")
            raise LayerError("the 75-move rule has ended the game here", advice)
        self.go(self.rules.play(self.position, move), move)

    def play_best(self) -> None:
        """Plays the best move; raises EndgameError where there is none or it is not known."""
        self.play(self.best())

    def best(self) -> M:
        """The best move, by DTM among those that keep the result under the clock; raises EndgameError."""
        known = self.known
        if known.is_over:
            raise LayerError("the game is over here", instruct("{press} {back} to go back"))
        if self.by_clock and known.fifty is not None:
            if known.by_dtz:
                return known.by_dtz[0].move
            raise known.fifty_problem or LayerError("no move is known here", "")
        if self.here.problem is not None:
            raise self.here.problem
        if known.problem is not None:
            raise known.problem
        assert known.best is not None
        return known.best.move

    def play_on(self) -> bool:
        """One move of autoplay; False when it has to stop."""
        try:
            self.play_best()
        except EndgameError:
            return False
        return bool(self.rules.moves(self.position)) and not self.rules.is_trivial(self.position)

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

    def play_listed(self, number: int) -> None:
        """Plays one of :attr:`moves`, as far as there are so many; raises LayerError."""
        result = self.moves
        if number < len(result):
            self.play(result[number].move)

    def to_previous(self, number: int) -> None:
        """Goes to one of the positions before this one, as far as there are so many."""
        earlier = self.here.previous
        if number < len(earlier):
            self.go(earlier[number].position)

    def turn_captures(self) -> bool:
        """Tells captures among the moves that led here, or no more, as long as we stay; False where there are none."""
        here = self.here
        here.captures = not here.captures
        vars(here).pop("previous", None)
        return not here.captures or any(item.kind in ("uncapture", "en-passant") for item in here.previous)

    def set_clock(self, plies: int) -> None:
        """Goes to the same position with so many plies since the last zeroing move; raises PositionError."""
        if (rule := self.judge.rule) is None:
            raise PositionError("this game has no clock", "")
        self.go(rule.with_clock(self.position, plies))

    def show_by(self, metric: str, ending: str = "") -> None:
        """Changes to the layers of a metric; of an ending, to its longest win by that."""
        self.metric = metric
        if ending:
            self.open(ending)

    def turn_metric(self) -> str | None:
        """Changes the metric of the layers.

        Returns:
            An ending to offer to build by the other metric, which may have been changed to all the same; else None.

        Raises:
            LayerError: No table can tell the other metric here.
        """
        first, *others = self.metrics
        if self.metric != first or not others:
            self.metric = first
            return None
        if not (ending := self.ending):
            raise LayerError(f"no table can tell {others[0].upper()} here", "")
        built = self._lab.explorer(others[0]).library.is_built(ending)
        if built or self.known.fifty is not None:
            self.metric = others[0]
        return None if built else ending

    def line(self, most: int) -> BestLine[P, M]:
        """The best line from here by the first metric, at most so many plies.

        Where the clock may run out first, it prefers moves that are proved to keep the result.
        """
        if self.is_late and self.known.is_complete:
            return self.judge.line(self.position, most, DEPTH_UNDER_RULE, claims=False)
        return self.judge.line(self.position, most, self.rules.metric)

    # Layers

    def begin(self, text: str) -> None:
        """Begins the walk at a position or an ending; at one with layers by another metric alone, with these.

        Raises:
            EndgameError: It is neither, or the ending is not built.
        """
        if not self._is_ending(text):
            self.step = WalkStep(self.rules.parse(text))
            return
        ending = self.rules.canonical_name(text)
        built = (metric for metric in self.metrics if self._lab.explorer(metric).library.is_built(ending))
        self.metric = next(built, self.metric)
        self.open(text)
        self.past.clear()

    def open(self, text: str) -> None:
        """Goes to the longest win of an ending, the winner to move; to a draw when nobody wins.

        Raises:
            EndgameError: The name is no ending, or it is not built.
        """
        metric = self._wanted
        around = self._around[metric]
        ending = around.spelled(text)
        self.take()
        first = self.rules.parse(self.rules.example_position)
        if metric == self.metrics[0] and ending == self.rules.ending_of(first):
            self.go(first)
            return
        layers = around.layers(ending)
        winner = max(layers.families, key=lambda w: len(layers.families[w]), default=None)
        self._open_family(metric, layers, winner)

    def _open_family(self, metric: str, layers: Layers, winner: str | None) -> None:
        """Goes to the longest win of a winner, the winner to move where parity tells; to a draw when there is none."""
        if winner is None:
            side = next((s for s, w in enumerate(WINNERS) if layers.draws[w].canonical), 0)
            self.go(self._around[metric].nth(layers.ending, None, None, 1, side))
            return
        family = layers.families[winner]
        either = metric != self.metrics[0]
        n = next((row.n for row in reversed(family) if (row.n % 2 or either) and row.canonical), family[-1].n)
        self.go(self._around[metric].nth(layers.ending, winner, n, 1, 0))

    def next_family(self) -> None:
        """Changes between White's wins, Black's wins and the draws of this ending."""
        place, layers = self._placed()
        order: list[str | None] = [w for w in WINNERS if w in layers.families]
        if any(count.canonical for count in layers.draws.values()):
            order.append(None)
        if len(order) < 2:
            raise LayerError(f"{layers.ending} has only one kind of result", "there is no other family")
        at = order.index(place.winner) if place.winner in order else -1
        self._open_family(self.metric, layers, order[(at + 1) % len(order)])

    def _placed(self) -> tuple[Place, Layers]:
        here = self.here
        if here.problem is not None:
            raise here.problem
        if here.place is not None and here.layers is not None:
            return here.place, here.layers
        if not self.rules.is_trivial(self.position):  # over by the rules, which need no table, but layers do
            raise NotBuiltError(self.rules.ending_of(self.position))
        if here.verdict is not None and here.verdict.depth is None:
            raise LayerError("two bare kings are a draw", "open an ending with more men")
        raise LayerError("the game is over here", instruct("{press} {back} to go back"))

    def _at(self, place: Place, n: int | None, number: int, side: int) -> P:
        position = self._around[self.metric].nth(place.ending, place.winner, n, number, side)
        return self.rules.with_colours_swapped(position) if place.swapped else position

    def to_row(self, row: int) -> None:
        """Goes to the first position of a row of the layers: of the draws, there is one for each side to move."""
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
        winner = place.winner or WINNERS[0]
        family = layers.families.get(winner, ())
        if not family:
            raise LayerError(f"there is no S{n} here, for {winner.capitalize()} never wins {place.ending}")
        if not 0 <= n < len(family):
            last = f"{winner.capitalize()}'s wins go up to S{len(family) - 1}"
            raise LayerError(f"there is no S{n} here, {last}", "choose a smaller n")
        self.go(self._at(replace(place, winner=winner), n, number, 0))

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

    # What was found

    def asked(self, text: str) -> Query:
        """A query about the ending at hand.

        Raises:
            QueryError: It cannot be understood.
            EndgameError: A table that it needs is not there, or no table can be.
        """
        from endgame_core.tables.find import Query

        ending = self.rules.ending_of(self.position)
        tables = [self._lab.library(metric) for metric in self.metrics]
        result = Query(tables[0], ending, text, tables[1] if len(tables) > 1 else None)
        self.queries = [text, *(query for query in self.queries if query != text)]
        return result

    def take(self, found: Sequence[P] = ()) -> None:
        """Walks through some positions from now on, the first of them at once; where there are none, through layers."""
        self.found = found
        if found:
            self.to_number(1)

    def step_position(self, by: int) -> None:
        """Goes to the next or previous position of the layer, round and round; its ends meet at what is in no list.

        Where positions were found by a query, to the next or previous of these.
        """
        number, total = self._listed()
        self.to_number(((number if by > 0 else max(number, 1)) - 1 + by) % total + 1)

    def to_number(self, number: int) -> None:
        """Goes to a position of this layer, or of those found, by its number; raises LayerError."""
        if self.found:
            if not 1 <= number <= len(self.found):
                raise LayerError(f"positions 1 to {len(self.found)} were found", "choose one of them")
            self.place = number - 1
            self.go(self.found[self.place])
            self.shown = self.step
            return
        place, _ = self._placed()
        self.go(self._at(place, place.n, number, place.side))

    def randomly(self) -> None:
        """Goes to a random position of this layer, or of those found."""
        self.to_number(self.rng.randint(1, self._listed()[1]))

    def _listed(self) -> tuple[int, int]:
        """The number in the list walked through, and how many are in it; only en passant leads to a layer of none."""
        if self.found:
            return self.place + 1, len(self.found)
        place, _ = self._placed()
        if not place.total:
            raise LayerError("no other position is in this layer", instruct("{near} and {far} go to the next layers"))
        return place.number, place.total

    # What may be typed

    def typed(self, text: str) -> None:
        """Does what was typed: a move, or what :meth:`goes_to` does; raises EndgameError where it is neither."""
        if not self.goes_to(text):
            self.play(self.rules.parse_move(self.position, text))

    def goes_to(self, text: str) -> bool:
        """Goes where a text says: a layer, a number, the clock, an ending, a layer of one or a position; else False.

        Raises:
            EndgameError: It is one of these that cannot be, or not here.
        """
        if match := _LAYER.fullmatch(text):
            self.to_layer(int(match[1] or match[3]), int(match[2] or match[4] or 1))
        elif re.fullmatch(r"\d+", text) and (self.found or self.here.place is not None):
            self.to_number(int(text[:_DIGITS]))
        elif (match := _CLOCK.fullmatch(text)) and self.rules.horizon is not None:
            if not match[1].isdigit():
                raise PositionError("the clock is a number of plies", f"type clock and 0 to {LAST_CLOCK}")
            self.set_clock(int(match[1][:_DIGITS]))
        elif (match := _LAYER_OF.fullmatch(text)) and self._is_ending(match[1]):
            self._typed_layer_of(match[1], match[2])
        elif self._is_ending(text):
            self.open(text)
        elif _POSITION.search(text) or self.rules.spelling_of(text) == "position":
            self.go(self.rules.parse(text))
        else:
            return False
        return True

    def _is_ending(self, text: str) -> bool:
        return self.rules.spelling_of(text) == "ending"

    def _typed_layer_of(self, ending: str, layer: str) -> None:
        """A layer of another ending, as one step."""
        there: Walk[P, M] = Walk(self._lab, self.game)
        there.metric = self._wanted
        there.open(ending)
        there.typed(layer)
        self.go(there.position)
