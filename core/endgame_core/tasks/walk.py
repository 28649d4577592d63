"""Navigation through the positions of a game: the current position, its history, and the layers of its ending."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from endgame_core import games
from endgame_core.controls import instruct
from endgame_core.errors import (
    EndgameError,
    EndingError,
    LayerError,
    NotBuiltError,
    PositionError,
)
from endgame_core.judge import DEPTH_UNDER_RULE, BestLine
from endgame_core.language import _, side_name
from endgame_core.metric import Metric
from endgame_core.probe_result import ProbeResult
from endgame_core.tables.explorer import (
    Explorer,
    LayerCount,
    Layers,
    Place,
    Previous,
    RatedMove,
)
from endgame_core.values import HORIZON, LAST_CLOCK, WINNERS, Verdict

if TYPE_CHECKING:
    from endgame_core.app_context import AppContext
    from endgame_core.game import Game
    from endgame_core.judge import Judge
    from endgame_core.tables.find import FindResult, Query

P = TypeVar("P")
M = TypeVar("M")


class BoardLayers(Generic[P, M]):
    """The layers of endings, with winners given as White and Black.

    Some games store their tables from the view of the side to move: the winners of their layers are the mover and the
    opponent. This class combines the two views of an ending to layers of White and Black.

    Args:
        explorer: The tables of one metric.
    """

    def __init__(self, explorer: Explorer[P, M]) -> None:
        self.explorer = explorer
        self._by_mover = tuple(explorer.game.winners) != WINNERS
        self._cached_layers: dict[str, Layers] = {}

    def forget(self) -> None:
        """Clear the cache, after tables were built or deleted."""
        self._cached_layers.clear()

    def view_name(self, text: str) -> str:
        """Convert an ending to the name of its layers, White's pieces first if ``text`` says so; raises EndingError."""
        game = self.explorer.game
        views = game.views(game.canonical_name(text))
        name = text.strip().replace("–", "-")
        return name if name in views else views[0]

    def _other_view(self, ending: str) -> str:
        """Name of the same ending from the other side's view."""
        game = self.explorer.game
        views = game.views(game.canonical_name(ending))
        if ending == views[0]:
            return views[-1]
        return views[0]

    def layers(self, ending: str) -> Layers:
        """The layers of an ending (cached); raises NotBuiltError or TableError."""
        result = self._cached_layers.get(ending)
        if result is None:
            if self._by_mover:
                result = self._merged(ending)
            else:
                result = self.explorer.layers(ending)
            self._cached_layers[ending] = result
        return result

    def _merged(self, ending: str) -> Layers:
        """Combine the layers of both sides to move; White has the pieces named first in ``ending``."""
        mover, opponent = self.explorer.game.winners
        by_side = [self.explorer.layers(ending), self.explorer.layers(self._other_view(ending))]
        families: dict[str, tuple[LayerCount, ...]] = {}
        for side, winner in enumerate(WINNERS):
            # In odd layers the winner is to move, so they are the mover's wins with that side to move. In even layers
            # the loser is to move, so they are the opponent's wins with the other side to move.
            odd = by_side[side].families.get(mover, ())
            even = by_side[1 - side].families.get(opponent, ())
            if odd or even:
                families[winner] = _interleaved(odd, even)
        draws = {color: by_side[side].draws[mover] for side, color in enumerate(WINNERS)}
        return Layers(ending, families, draws, {})

    def place(self, position: P, verdict: Verdict) -> Place:
        """The place of a position in its layer; raises NotBuiltError, EndingError or TableError."""
        place = self.explorer.locate(position)
        if not self._by_mover:
            return place
        side = WINNERS.index(self.explorer.game.mover(position))
        if side:
            ending = self._other_view(place.ending)
        else:
            ending = place.ending
        return replace(place, ending=ending, winner=verdict.winner, swapped=False, side=side)

    def nth(self, ending: str, winner: str | None, n: int | None, number: int, side: int) -> P:
        """The position with a given number in a layer.

        Args:
            ending: The ending.
            winner: The winner; None for draws.
            n: The layer, in plies; None for draws.
            number: Number of the position, from 1.
            side: The side to move in draws: 0 for the side named first in the ending, 1 for the other.

        Raises:
            LayerError: There is no such layer or number.
        """
        explorer = self.explorer
        if not self._by_mover:
            return explorer.nth(ending, winner, n, number, side)

        winner_in_view = None
        if winner is not None and n is not None:
            mover, opponent = explorer.game.winners
            side = WINNERS.index(winner)
            winner_in_view = mover
            if n % 2 == 0:  # the loser is to move
                side = 1 - side
                winner_in_view = opponent
        view = ending
        if side == 1:
            view = self._other_view(ending)
        if winner is not None and not explorer.count(view, winner_in_view, n):
            raise LayerError(
                _("{ending} has no position in S{n}, {winner} wins").format(ending=ending, n=n, winner=winner),
                instruct(_("{near} and {far} skip such layers")),
            )

        result = explorer.nth(view, winner_in_view, n, number)
        if explorer.game.mover(result) == WINNERS[side]:
            return result
        return explorer.game.with_colours_swapped(result)  # the view of the mover has no colours of its own


def _interleaved(odd: tuple[LayerCount, ...], even: tuple[LayerCount, ...]) -> tuple[LayerCount, ...]:
    """Take odd layers from ``odd`` and even ones from ``even``, both indexed by layer; missing layers are empty."""
    result: list[LayerCount] = []
    for n in range(max(len(odd), len(even))):
        rows = odd if n % 2 else even
        result.append(rows[n] if n < len(rows) else LayerCount(n, 0, 0))
    return tuple(result)


_LAYER = re.compile(r"[sS](\d+)(?:/(\d+))?|(\d+)/(\d+)")
"""A layer, or a position in it: ``S12``, ``S12/3``, ``12/3``."""

_LAYER_OF = re.compile(r"(\S+)\s+([sS]?\d+(?:/\d+)?)")
"""A layer of another ending: ``KQvKR S12``."""

_POSITION = re.compile(r"[/\n]|^\d+$")
"""Part of a text that can only be a position, though perhaps not a valid one: ranks, lines, nothing but digits."""

_CLOCK = re.compile(r"clock\b\s*(.*)", re.IGNORECASE)
"""The 50-move counter: ``clock 30``."""

_MAX_DIGITS = 6
"""Longer numbers are cut to this many digits: still out of range, but cheap to convert and to print."""


@dataclass(frozen=True, slots=True)
class WalkStep(Generic[P, M]):
    """A position of the walk and the move that led to it; None if it was reached by a jump.

    A step never changes, so caches of the current position are valid as long as the current step is the same object.
    """

    position: P
    move: M | None = None


class Location(Generic[P, M]):
    """The value of a position by one metric, and its place among the layers of its ending.

    Attributes:
        position: The position.
        metric: The metric.
        verdict: The value of the position; None if no table covers it.
        problem: Why the value or the place is unknown; None if both are known.
        place: The place of the position in its layer.
        layers: The layers of the ending.
        includes_captures: Whether :attr:`previous` includes captures.
    """

    def __init__(self, board_layers: BoardLayers[P, M], probe: ProbeResult[P, M], metric: Metric) -> None:
        self.includes_captures = False
        self._cached_previous: list[Previous[P, M]] | None = None
        self._board_layers = board_layers
        self._is_over = probe.is_over
        self.position = probe.position
        self.metric = metric
        self.verdict: Verdict | None = None
        self.problem: EndgameError | None = None
        self.place: Place | None = None
        self.layers: Layers | None = None
        try:
            if metric == probe.game.metric:  # the probe has looked it up already
                self.verdict = probe.verdict
            else:
                self.verdict = board_layers.explorer.probe(self.position)
            if self.verdict is not None:
                self._locate(self.verdict)
            else:
                self.problem = probe.problem
        except EndgameError as problem:
            self.problem = problem

    def _locate(self, verdict: Verdict) -> None:
        """Set the place and the layers; a missing table is no problem if the game is over by the rules."""
        if self._board_layers.explorer.game.is_trivial(self.position):
            return
        try:
            self.place = self._board_layers.place(self.position, verdict)
            self.layers = self._board_layers.layers(self.place.ending)
        except NotBuiltError:
            if not self._is_over:
                raise

    @property
    def unbuilt_ending(self) -> str | None:
        """The ending whose table is missing, if that is the problem; otherwise None."""
        if isinstance(self.problem, NotBuiltError):
            return self.problem.ending
        return None

    @property
    def previous(self) -> list[Previous[P, M]]:
        """The positions one move before this one: best moves first, then by how much the move lost, then by layer."""
        if self._cached_previous is None:
            self._cached_previous = self._probe_previous()
        return self._cached_previous

    def toggle_captures(self) -> None:
        """Include captures in :attr:`previous`, or exclude them again."""
        self.includes_captures = not self.includes_captures
        self._cached_previous = None

    def _probe_previous(self) -> list[Previous[P, M]]:
        if self.problem is not None:
            return []
        try:
            result = self._board_layers.explorer.previous(self.position, self.includes_captures)
        except EndgameError:
            return []
        return sorted(result, key=self._sort_key)

    def _sort_key(self, item: Previous[P, M]) -> tuple[bool, bool, int, bool, int, str, str]:
        """See :attr:`previous`; in a layer, pieces of a kind stand together, by their first letter."""
        uci = self._board_layers.explorer.game.uci(item.move)
        return (
            not item.best,
            item.gave_up is None,  # the move changed the result
            item.gave_up or 0,
            item.layer is None,  # draws come last
            item.layer or 0,
            item.san[:1],
            uci,
        )


class Walk(Generic[P, M]):
    """The current position with an undo and a redo history, and commands that move to other positions.

    Args:
        lab: The application context, which provides tables and the judge.
        game: Name of the game.
        rng: Chooses random positions.
        start: The first position; the example position of the game by default.
    """

    def __init__(self, lab: AppContext, game: str, rng: random.Random | None = None, start: P | None = None) -> None:
        self._lab = lab
        self.game = game
        self.judge: Judge[P, M] = lab.judge(game)
        self.prober = self.judge.prober
        """Probes in a background thread what takes long, and the best line by DTZ."""
        self.rules: Game[P, M] = self.judge.game
        self.metrics = games.metrics_of(game)
        """The metrics of the game; the first one counts the plies to the end of the game."""
        self._chosen_metric = self.metrics[0]
        """See :attr:`metric`, which may differ from it."""
        if start is None:
            start = self.rules.parse(self.rules.example_position)
        self.step: WalkStep[P, M] = WalkStep(start)
        self.past: list[WalkStep[P, M]] = []
        self.future: list[WalkStep[P, M]] = []
        self.rng = rng or random.Random()
        self.results: FindResult | None = None
        """The results of a query, through which the walk goes instead of the layer; None for none."""
        self.result_index = 0
        """Index of the result that was shown last."""
        self._result_step: WalkStep[P, M] | None = None
        """The step that led to that result."""
        self.queries: list[str] = []
        """The queries of this walk, the latest first."""
        self._board_layers = {metric: BoardLayers(lab.explorer(metric)) for metric in self.metrics}
        # Caches of one value each, valid while the current step is the same object.
        self._cached_probe: tuple[WalkStep[P, M], ProbeResult[P, M] | None] = (self.step, None)
        self._cached_location: tuple[WalkStep[P, M], Location[P, M] | None] = (self.step, None)

    # The current position

    @property
    def position(self) -> P:
        """The current position."""
        return self.step.position

    @property
    def metric(self) -> Metric:
        """The metric of the layers: the chosen one, but the first if only that one has a table for the ending.

        So the walk may go through endings without a DTZ table, and is back at DTZ layers in those with one.
        """
        first = self.metrics[0]
        chosen = self._chosen_metric
        if chosen == first:
            return chosen
        probe = self.probe
        if not probe.is_complete or probe.fifty is not None or probe.verdict is None:
            return chosen
        ending = self.ending
        if not ending or self._is_built(ending, chosen):
            return chosen
        return first

    def choose_metric(self, metric: Metric) -> None:
        """Choose the metric of the layers, for this position and all others; see :attr:`metric`."""
        self._chosen_metric = metric

    def _is_built(self, ending: str, metric: Metric) -> bool:
        return self._lab.explorer(metric).library.is_built(ending)

    @property
    def probe(self) -> ProbeResult[P, M]:
        """The probe result of the current position; it includes DTZ only if the judge has already probed that."""
        step, probe = self._cached_probe
        if probe is None or step is not self.step or not probe.is_complete:
            probe = self.judge.probe_by_depth(self.position)
            self._cached_probe = self.step, probe
        return probe

    @property
    def location(self) -> Location[P, M]:
        """The value and the place of the current position, by the current metric."""
        step, result = self._cached_location
        if result is None or step is not self.step or result.metric != self.metric:
            result = Location(self._board_layers[self.metric], self.probe, self.metric)
            self._cached_location = self.step, result
        return result

    @property
    def ending(self) -> str:
        """Canonical name of the current ending; empty if no table can cover it."""
        try:
            return self.rules.ending_of(self.position)
        except EndgameError:
            return ""

    @property
    def counter_may_run_out(self) -> bool:
        """Whether the 50-move counter runs out before the end by DTM, so that the best move by DTM may only draw."""
        probe = self.probe
        depth = 0
        if probe.verdict is not None:
            depth = probe.verdict.depth or 0
        return probe.clock is not None and depth + probe.clock > HORIZON

    @property
    def rates_by_dtz(self) -> bool:
        """Whether moves are rated by DTZ and the 50-move counter.

        In the layers of DTZ this is always so. Elsewhere DTZ must rate the moves, and either no DTM table is available
        or the counter may run out before the end by DTM.
        """
        if self.metric == self.rules.rule_metric:
            return True
        probe = self.probe
        if not (probe.by_dtz or probe.partial_by_dtz):
            return False
        return isinstance(probe.problem, NotBuiltError | EndingError) or (
            bool(probe.by_dtz) and self.counter_may_run_out
        )

    @property
    def moves(self) -> Sequence[RatedMove[P, M]]:
        """All legal moves, rated, in display order; empty if the game is over or no move can be rated."""
        probe = self.probe
        if probe.is_over:
            return ()
        if self.rates_by_dtz:
            return probe.by_dtz or probe.partial_by_dtz
        return probe.listed_by_depth

    @property
    def ending_to_offer(self) -> str | None:
        """The ending to offer to build, because its table is missing and nothing else covers it; otherwise None."""
        probe = self.probe
        if probe.is_complete and probe.fifty is None:
            return self.location.unbuilt_ending
        return None

    @property
    def missing_ending(self) -> str | None:
        """The ending whose table is missing: the current one or one that a move leads to; None if none is."""
        problem = self.location.problem
        if problem is None and not self.rates_by_dtz:
            problem = self.probe.problem
        if isinstance(problem, NotBuiltError):
            return problem.ending
        return None

    def forget(self) -> None:
        """Clear all caches, after tables were built, repaired or deleted."""
        self._cached_probe = (self.step, None)
        self._cached_location = (self.step, None)
        for board_layers in self._board_layers.values():
            board_layers.forget()

    # Steps

    def go(self, position: P, move: M | None = None) -> None:
        """Go to a position and clear the redo history."""
        self.past.append(self.step)
        self.future.clear()
        self.step = WalkStep(position, move)

    def play(self, move: M) -> None:
        """Play a legal move; raises LayerError if the 75-move rule has ended the game."""
        if self.probe.is_ended_by_limit:
            advice = instruct(_("{press} {take_back} to go back, or {counter} to set the 50-move counter"))
            raise LayerError(_("the 75-move rule has ended the game here"), advice)
        self.go(self.rules.play(self.position, move), move)

    def play_best(self) -> None:
        """Play the best move; raises EndgameError if there is none or it is unknown."""
        self.play(self.best())

    def best(self) -> M:
        """The best move by DTM, or under the 50-move rule if moves are rated by that; raises EndgameError."""
        probe = self.probe
        if probe.is_over:
            raise LayerError(_("the game is over here"), instruct(_("{press} {take_back} to go back")))
        if self.rates_by_dtz and probe.fifty is not None:
            if probe.by_dtz:
                return probe.by_dtz[0].move
            raise probe.fifty_problem or LayerError(_("no move is known here"), "")
        if self.location.problem is not None:
            raise self.location.problem
        if probe.problem is not None:
            raise probe.problem
        assert probe.best is not None
        return probe.best.move

    def play_on(self) -> bool:
        """Play one move of autoplay; False if autoplay has to stop."""
        try:
            self.play_best()
        except EndgameError:
            return False
        return bool(self.rules.moves(self.position)) and not self.rules.is_trivial(self.position)

    def undo(self) -> bool:
        """Go back one step; False at the start of the walk."""
        if not self.past:
            return False
        self.future.append(self.step)
        self.step = self.past.pop()
        return True

    def redo(self) -> bool:
        """Redo the last undone step; False if there is none."""
        if not self.future:
            return False
        self.past.append(self.step)
        self.step = self.future.pop()
        return True

    def play_listed(self, number: int) -> None:
        """Play the move with index ``number`` in :attr:`moves`, if there is one; raises LayerError."""
        moves = self.moves
        if number < len(moves):
            self.play(moves[number].move)

    def to_previous(self, number: int) -> None:
        """Go to the previous position with index ``number``, if there is one."""
        earlier = self.location.previous
        if number < len(earlier):
            self.go(earlier[number].position)

    def toggle_captures(self) -> bool:
        """Include captures in the previous positions, or exclude them again, until the position changes.

        Returns:
            False if captures are included now, but there are none.
        """
        location = self.location
        location.toggle_captures()
        if not location.includes_captures:
            return True
        return any(previous.kind in ("uncapture", "en-passant") for previous in location.previous)

    def set_clock(self, plies: int) -> None:
        """Go to the same position with another 50-move counter, in plies; raises PositionError."""
        rule = self.judge.rule
        if rule is None:
            raise PositionError(_("this game has no 50-move counter"), "")
        self.go(rule.with_clock(self.position, plies))

    def show_layers_by(self, metric: Metric, ending: str = "") -> None:
        """Show the layers of a metric; if an ending is given, go to its longest win by that metric."""
        self.choose_metric(metric)
        if ending:
            self.open(ending)

    def switch_metric(self) -> Metric | None:
        """Switch to the next metric by which the position can be shown, and from the last one to the first.

        Returns:
            A metric whose table of the current ending is not built, if there is no other to switch to, or if the
            position is covered without that table; otherwise None.

        Raises:
            LayerError: No table of another metric can cover the position.
        """
        first = self.metrics[0]
        following = self.metrics[self.metrics.index(self.metric) + 1 :]
        ending = self.ending
        if ending:
            for metric in following:
                if self._is_built(ending, metric):
                    self.choose_metric(metric)
                    return None
                if metric == self.rules.rule_metric and self.probe.fifty is not None:
                    # Other tables, such as Syzygy files, have the value; only the layers are missing.
                    self.choose_metric(metric)
                    return metric

        if self.metric != first or not following:
            self.choose_metric(first)
            return None
        if not ending:
            raise LayerError(
                _("no table has the {following} of this position").format(following=following[0].upper()), ""
            )
        return following[0]

    def line(self, limit: int) -> BestLine[P, M]:
        """The best line from the current position by the first metric, at most ``limit`` plies.

        If the 50-move counter may run out first, it prefers moves that are proved to keep the result.
        """
        if self.counter_may_run_out and self.probe.is_complete:
            return self.judge.line(self.position, limit, DEPTH_UNDER_RULE, claims=False)
        return self.judge.line(self.position, limit, self.rules.metric)

    # Layers

    def begin(self, text: str) -> None:
        """Start the walk at a position or an ending, by the first metric in which the ending is built.

        Raises:
            EndgameError: The text is neither a position nor an ending, or the ending is not built.
        """
        if not self._is_ending(text):
            self.step = WalkStep(self.rules.parse(text))
            return
        ending = self.rules.canonical_name(text)
        built = (metric for metric in self.metrics if self._is_built(ending, metric))
        self.choose_metric(next(built, self.metric))
        self.open(text)
        self.past.clear()

    def open(self, text: str) -> None:
        """Go to the longest win of an ending with the winner to move, or to a draw if there are no wins.

        Raises:
            EndgameError: The text is not an ending, or the ending is not built.
        """
        # Not self.metric: which tables the current ending has says nothing about the one to open.
        metric = self._chosen_metric
        board_layers = self._board_layers[metric]
        ending = board_layers.view_name(text)
        example = self.rules.parse(self.rules.example_position)
        if metric == self.metrics[0] and ending == self.rules.ending_of(example):
            position = example  # also a longest win, and the one that every new user has seen
        else:
            layers = board_layers.layers(ending)
            winner = max(layers.families, key=lambda winner: len(layers.families[winner]), default=None)
            position = self._example_of_family(metric, layers, winner)

        # Only now: if the ending is not built, the query results can still be browsed.
        self.leave_results()
        self.go(position)

    def _example_of_family(self, metric: Metric, layers: Layers, winner: str | None) -> P:
        """Return a longest win of ``winner`` with the winner to move, or the first draw if it is None.

        By DTM the winner is to move in odd layers, and the longest win is one of these. By DTZ parity says nothing, and
        the last layer with positions is chosen.
        """
        board_layers = self._board_layers[metric]
        if winner is None:
            side = next((side for side, mover in enumerate(WINNERS) if layers.draws[mover].canonical), 0)
            return board_layers.nth(layers.ending, None, None, 1, side)

        family = layers.families[winner]
        any_parity = not metric.to_end
        candidates = (row.n for row in reversed(family) if row.canonical and (any_parity or row.n % 2 == 1))
        n = next(candidates, family[-1].n)
        return board_layers.nth(layers.ending, winner, n, 1, 0)

    def next_family(self) -> None:
        """Switch from White's wins to Black's wins to draws of this ending; raises LayerError if it has only one."""
        place, layers = self._place_and_layers()
        order: list[str | None] = [winner for winner in WINNERS if winner in layers.families]
        if any(count.canonical for count in layers.draws.values()):
            order.append(None)
        if len(order) < 2:
            raise LayerError(
                _("{ending} has only one kind of result").format(ending=layers.ending),
                _("there is no other kind of result"),
            )
        index = -1
        if place.winner in order:
            index = order.index(place.winner)
        winner = order[(index + 1) % len(order)]
        self.go(self._example_of_family(self.metric, layers, winner))

    def _place_and_layers(self) -> tuple[Place, Layers]:
        """The place of the current position and the layers of its ending; raises EndgameError if there are none."""
        location = self.location
        if location.problem is not None:
            raise location.problem
        if location.place is not None and location.layers is not None:
            return location.place, location.layers
        if not self.rules.is_trivial(self.position):  # the game is over by the rules, but layers need the table
            raise NotBuiltError(self.rules.ending_of(self.position))
        if location.verdict is not None and location.verdict.depth is None:
            raise LayerError(_("two bare kings are a draw"), _("open an ending with more pieces"))
        raise LayerError(_("the game is over here"), instruct(_("{press} {take_back} to go back")))

    def _position_at(self, place: Place, n: int | None, number: int, side: int) -> P:
        """A position of layer ``n`` in the ending and colours of ``place``, see :meth:`BoardLayers.nth`."""
        position = self._board_layers[self.metric].nth(place.ending, place.winner, n, number, side)
        if place.swapped:
            return self.rules.with_colours_swapped(position)
        return position

    def to_row(self, row: int) -> None:
        """Go to the first position of a row of the list of layers; draws have one row for each side to move."""
        place, layers = self._place_and_layers()
        if place.winner is None:
            if not layers.draws[WINNERS[row % 2]].canonical:
                raise LayerError(_("{ending} has no draws with that side to move").format(ending=place.ending), "")
            self.go(self._position_at(place, None, 1, row % 2))
        else:
            self.to_layer(layers.families[place.winner][row].n)

    def to_layer(self, n: int, number: int = 1) -> None:
        """Go to the position with a number (from 1) in layer ``n`` of the same winner; raises LayerError."""
        place, layers = self._place_and_layers()
        winner = place.winner or WINNERS[0]
        family = layers.families.get(winner, ())
        if not family:
            raise LayerError(
                _("there is no S{n} here: {winner} never wins {ending}").format(
                    n=n, winner=side_name(winner), ending=place.ending
                )
            )
        if not 0 <= n < len(family):
            last = _("{winner}'s wins go up to S{family}").format(winner=side_name(winner), family=len(family) - 1)
            raise LayerError(_("there is no S{n} here ({last})").format(n=n, last=last), _("choose a smaller number"))
        self.go(self._position_at(replace(place, winner=winner), n, number, 0))

    def step_layer(self, by: int) -> None:
        """Go to the next layer with positions, away from the end if ``by`` is 1, towards it if -1; raises LayerError.

        In draws, go to those with the other side to move.
        """
        place, layers = self._place_and_layers()
        if place.n is None or place.winner is None:
            self.to_row(1 - place.side)
            return
        family = layers.families.get(place.winner, ())
        n = place.n + by
        if by < 0:
            # An en passant position is in no layer and may be farther from the end than all of them.
            n = min(n, len(family) - 1)
        while 0 <= n < len(family) and not family[n].canonical:
            n += by
        if not 0 <= n < len(family):
            if by < 0:
                end = _("S0 is the end of the game")
            else:
                end = _("S{place_n} is the last layer").format(place_n=max(place.n, len(family) - 1))
            raise LayerError(end, "")
        self.to_layer(n)

    # Query results

    def new_query(self, text: str) -> Query:
        """Create a query about the current ending and add it to the history.

        Raises:
            QueryError: The query is not valid.
            EndgameError: A required table is not built, or no table can cover the position.
        """
        from endgame_core.tables.find import Query

        ending = self.rules.ending_of(self.position)
        result = Query(self._lab.library(self.metrics[0]), ending, text, self._lab.rule_library(self.game))
        self.queries = [text, *(query for query in self.queries if query != text)]
        return result

    def browse(self, results: FindResult) -> None:
        """Go to the first of the query results, and walk through these from now on; there must be one."""
        self.results = results
        self.to_number(1)

    def leave_results(self) -> None:
        """Walk through layers again instead of query results; the position stays."""
        self.results = None
        self._result_step = None

    @property
    def is_at_result(self) -> bool:
        """Whether the current step led to the query result shown last, and not on from it."""
        return self.step is self._result_step

    def step_position(self, by: int) -> None:
        """Go to the next or previous position of the layer or the query results, wrapping around."""
        number, total = self._number_and_total()
        if by < 0:
            number = max(number, 1)  # 0 for a position that the layer does not list: it lies between last and first
        self.to_number((number - 1 + by) % total + 1)

    def to_number(self, number: int) -> None:
        """Go to a position of the layer or the query results by its number, from 1; raises LayerError."""
        if self.results is not None:
            if not 1 <= number <= len(self.results):
                raise LayerError(
                    _("only positions 1 to {found} were found").format(found=len(self.results)), _("choose one of them")
                )
            self.result_index = number - 1
            self.go(self.results[self.result_index])
            self._result_step = self.step
            return
        place, __ = self._place_and_layers()
        self.go(self._position_at(place, place.n, number, place.side))

    def to_random(self) -> None:
        """Go to a random position of the layer or the query results."""
        __, total = self._number_and_total()
        self.to_number(self.rng.randint(1, total))

    def _number_and_total(self) -> tuple[int, int]:
        """Number of the current position in its layer or the query results, and their total.

        Raises:
            LayerError: The layer is empty; only en passant positions, which no table lists, are in such layers.
        """
        if self.results is not None:
            return self.result_index + 1, len(self.results)
        place, __ = self._place_and_layers()
        if not place.total:
            raise LayerError(
                _("there is no other position in this layer"), instruct(_("{near} and {far} go to the next layers"))
            )
        return place.number, place.total

    # Typed commands

    def execute(self, text: str) -> None:
        """Execute a typed command: a move or a destination, see :meth:`go_to_text`; raises EndgameError."""
        if not self.go_to_text(text):
            self.play(self.rules.parse_move(self.position, text))

    def go_to_text(self, text: str) -> bool:
        """Go to a typed destination.

        Destinations are a layer (``S12``), a position in it (``S12/3``), a number, a 50-move counter (``clock 30``), an
        ending, a layer of an ending (``KQvKR S12``) and a position.

        Returns:
            False if the text is none of these.

        Raises:
            EndgameError: The destination does not exist, or cannot be reached from the current position.
        """
        if match := _LAYER.fullmatch(text):
            self.to_layer(int(match[1] or match[3]), int(match[2] or match[4] or 1))
        elif re.fullmatch(r"\d+", text) and (self.results is not None or self.location.place is not None):
            self.to_number(int(text[:_MAX_DIGITS]))
        elif (match := _CLOCK.fullmatch(text)) and self.rules.horizon is not None:
            if not match[1].isdigit():
                raise PositionError(
                    _("the clock is set in plies"),
                    _("type clock and a number from 0 to {last_clock}").format(last_clock=LAST_CLOCK),
                )
            self.set_clock(int(match[1][:_MAX_DIGITS]))
        elif (match := _LAYER_OF.fullmatch(text)) and self._is_ending(match[1]):
            self._to_layer_of(match[1], match[2])
        elif self._is_ending(text):
            self.open(text)
        elif _POSITION.search(text) or self.rules.spelling_of(text) == "position":
            self.go(self.rules.parse(text))
        else:
            return False
        return True

    def _is_ending(self, text: str) -> bool:
        return self.rules.spelling_of(text) == "ending"

    def _to_layer_of(self, ending: str, layer: str) -> None:
        """Go to a layer of another ending in one step of the history, with the help of a temporary walk."""
        walk: Walk[P, M] = Walk(self._lab, self.game)
        walk.choose_metric(self._chosen_metric)
        walk.open(ending)
        walk.execute(layer)
        self.leave_results()  # as `open` does
        self.go(walk.position)
