"""Iterative deepening alpha-beta search for any game, for positions that no table covers.

The search sees a game only through :class:`~endgame_core.game_state.GameState`. Tables are probed wherever a move has
changed the ending (the clock is then 0): their values are exact and end the line there. A position that has occurred
before in the line counts as a draw, as does one in which a draw can be claimed.

The result is an estimate unless no opinion entered it: evaluations, guesses (null moves) and draws that depend on the
history are counted as opinions, and the score of a node during which none was counted is *proven*.

Scores are hundredths of a pawn; mates are numbers beyond all of them: a mate ``n`` plies after the root scores ``MATE -
n`` for the side that mates. In the transposition table mates are counted from the stored position.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Any, Generic, TypeVar

from endgame_core.game_state import GameState, Win
from endgame_core.search_estimate import Limits, SearchEstimate
from endgame_core.values import Category, value_of

MATE = 1_000_000
INFINITE = MATE + 1
SURE = MATE - 2_000
"""Scores beyond this are mates: the longest win in a table is far below 2 000 plies."""


@cache
def score_of(code: int) -> int:
    """Return the score of a code at the position itself."""
    category, depth = value_of(code)
    if category is Category.DRAW:
        return 0
    score = MATE - (depth or 0)
    if category is Category.WIN:
        return score
    return -score


def shifted(score: int, plies: int) -> int:
    """Return a score as seen from ``plies`` plies earlier: mates become that much more distant."""
    if score > SURE:
        return score - plies
    if score < -SURE:
        return score + plies
    return score


def mate_in(score: int) -> int | None:
    """Return the plies to mate of a root score, positive for the side to move; None if it is not a mate."""
    if score > SURE:
        return MATE - score
    if score < -SURE:
        return -(MATE + score)
    return None


M = TypeVar("M")

Probe = Callable[[Any], int | None]
"""Returns the code of a position, or None if no table covers it."""

SOURCE = "search"
"""The source of our estimates."""

_LOWER = 1
_UPPER = 2
_EXACT = 3
"""Kinds of bounds of stored scores."""

_Entry = tuple[int, int, int, bool, M | None]
"""Depth, bound, score, proven, best move."""

_MAX_ENTRIES = 600_000
_MAX_PLIES = 100
_CLOCK_MASK = 31
"""Time and stop requests are checked whenever the node count has no bit of this mask."""

_WINDOW = 20
"""Half the width of the aspiration window around the last score."""

_CLOCK_LIMIT = 80
"""Half-move clock from which stored scores are not used: a draw by the clock is near, and the key has no clock."""

_BIG = 1 << 40
"""Larger than any gain or history score; also the node limit if there is none."""

_FULL_DEPTH_QUIET_MOVES = 2
"""Number of quiet moves searched at full depth before late move reductions begin."""


class _Stopped(Exception):  # noqa: N818 - not an error
    """The time is up, or the search was stopped."""


def knows_nothing(position: Any) -> int | None:
    """A probe without tables."""
    return None


class Searcher(Generic[M]):
    """Searches positions, keeping its transposition table from one search to the next.

    Args:
        probe: Returns the code of a position if a table covers it, else None.
        entries: The most positions to keep; None for the default.
    """

    def __init__(self, probe: Probe = knows_nothing, entries: int | None = None) -> None:
        self._probe = probe
        self._max_entries = entries or _MAX_ENTRIES
        self._table: dict[int, _Entry[M]] = {}
        self._history: dict[M, int] = {}
        self._killers: list[list[M]] = []
        self._lines: list[list[M]] = []
        self._path: set[int] = set()
        self._nodes = self._looked_up = self._opinions = 0
        self._game: GameState[object, M]
        self._is_first_depth = True
        self._null_move_ply = -1
        self._extension_limit = 0
        self._deadline = 0.0
        self._max_nodes = 0
        self._stop: Callable[[], bool] = bool

    def estimates(
        self,
        game: GameState[object, M],
        limits: Limits,
        stop: Callable[[], bool] = bool,
        only: Collection[M] = (),
    ) -> Iterator[SearchEstimate[M]]:
        """Search deeper and deeper, yielding an estimate after each depth.

        Args:
            game: The game so far; not changed.
            limits: When to stop. The first depth is always completed, unless ``stop`` is True.
            stop: Called every few nodes; True stops the search at once.
            only: The moves to choose from; empty for all.

        Yields:
            One estimate per depth. Deepening ends early if the score is proven or a mate lies within the depth.
        """
        began = time.monotonic()
        self._game = game.copy()
        self._deadline = began + limits.seconds
        self._max_nodes = limits.nodes or _BIG
        self._stop = stop
        self._nodes = self._looked_up = 0
        self._is_first_depth = True
        # Refutations found by earlier searches still help to order moves, but count only an eighth.
        self._history = {move: score >> 3 for move, score in self._history.items()}
        # A full table is cleared during a search; one that is half full would be, so it is cleared before.
        if len(self._table) > self._max_entries // 2:
            self._table.clear()
        moves = [move for move in self._game.moves() if not only or move in only]
        if not moves:
            mate = None
            if isinstance(self._game.board_outcome(), Win):
                mate = 0
            yield SearchEstimate(0, 0, mate, (), 1, time.monotonic() - began, SOURCE, 0, True)
            return
        self._killers = []
        # From here on the root's moves keep the order in which the last depth left them: the best one first.
        ranked = [move for _, _, move in self._rank_moves(moves, 0)]
        score = 0
        for depth in range(1, max(1, min(limits.depth, _MAX_PLIES - 20)) + 1):
            # No opinion during a whole depth: its score follows from the rules and the tables alone.
            self._opinions = 0
            self._extension_limit = 2 * depth
            try:
                score = self._search_around(depth, score, ranked)
            except _Stopped:
                return
            self._is_first_depth = False
            mate = mate_in(score)
            exact = self._opinions == 0
            line = tuple(self._lines[0])
            yield SearchEstimate(
                depth, 0 if mate is not None else score, mate, line, self._nodes,
                time.monotonic() - began, SOURCE, self._looked_up, exact,
            )  # fmt: skip
            if exact or (mate is not None and abs(mate) <= depth):
                return

    def _search_around(self, depth: int, score: int, ranked: list[M]) -> int:
        """Search one depth with an aspiration window around the last score, widened if the score falls outside."""
        if depth < 4 or abs(score) > SURE:
            return self._root(depth, -INFINITE, INFINITE, ranked)
        # Scores seldom change much from depth to depth: a narrow window cuts off more, and is rarely missed.
        low = score - _WINDOW
        high = score + _WINDOW
        result = self._root(depth, low, high, ranked)
        if result <= low:
            return self._root(depth, -INFINITE, high, ranked)
        if result >= high:
            return self._root(depth, low, INFINITE, ranked)
        return result

    def _root(self, depth: int, alpha: int, beta: int, ranked: list[M]) -> int:
        """Search the root's moves; move the best one to the front of ``ranked``."""
        game = self._game
        self._null_move_ply = -1
        self._killers = [[] for _ in range(_MAX_PLIES + 2)]
        self._lines = [[] for _ in range(_MAX_PLIES + 2)]
        self._path = {game.key}
        self._check_limits()
        best = -INFINITE
        for number, move in enumerate(list(ranked)):
            game.push(move)
            # Principal variation search: a later move only has to be shown to be no better, in a window of width 0.
            # If it is better, it is searched again for its score.
            if number and alpha > -INFINITE:
                score = -self._node(depth - 1, -alpha - 1, -alpha, 1)
                if alpha < score < beta:
                    score = -self._node(depth - 1, -beta, -alpha, 1)
            else:
                score = -self._node(depth - 1, -beta, -alpha, 1)
            game.pop()
            if score > best:
                best = score
                if score > alpha or number == 0:
                    ranked.remove(move)
                    ranked.insert(0, move)
                    self._lines[0] = [move, *self._lines[1]]
            alpha = max(alpha, score)
            if alpha >= beta:
                break
        return best

    def _check_limits(self) -> None:
        """Raise _Stopped if the search was stopped or a limit is reached."""
        if self._stop():
            raise _Stopped
        if not self._is_first_depth and (time.monotonic() > self._deadline or self._nodes >= self._max_nodes):
            raise _Stopped

    def _known_score(self, ply: int) -> int | None:
        """Return the score of a position that needs no search: drawn by rule, or in a table; else None."""
        game = self._game
        if game.is_dead():
            return 0
        if game.claimable_draw() is not None:
            self._opinions += 1
            return 0
        # With the clock at 0 a capture or pawn move has just been made. Within an ending, the table's values are exact
        # in each position, so that one look-up where the line enters it suffices; at ply 1 it ranks the root's moves.
        if (game.clock == 0 or ply == 1) and game.may_be_in_tables():
            code = self._probe(game.live_position)
            if code is not None:
                self._looked_up += 1
                return shifted(score_of(code), ply)
        return None

    def _node(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Return the score of the position for its side to move, or a bound if it lies outside the window."""
        self._lines[ply] = []
        self._nodes += 1
        if not self._nodes & _CLOCK_MASK:
            self._check_limits()
        known_score = self._known_score(ply)
        if known_score is not None:
            return known_score
        game = self._game
        key = game.key
        if key in self._path:
            self._opinions += 1
            return 0
        # The best that can happen here is mate at the next ply, the worst is mate on the board. If neither falls
        # into the window, a shorter mate has been found elsewhere.
        if alpha >= MATE - ply - 1 or beta <= ply - MATE:
            if alpha >= MATE - ply - 1:
                return alpha
            return beta
        threatened = game.is_threatened()
        # A check is answered before the line is evaluated, but only up to twice the depth: checks may go on forever.
        depth += threatened and ply < self._extension_limit
        if depth <= 0:
            return self._quiescence(alpha, beta, ply, threatened)
        entry = self._table.get(key)
        if ply >= _MAX_PLIES:
            self._opinions += 1
            return game.evaluation
        # In a wide window the line of moves is wanted as well, which the table does not have.
        if entry is not None and beta - alpha == 1 and game.clock < _CLOCK_LIMIT:
            stored = self._stored(entry, depth, alpha, beta, ply)
            if stored is not None:
                return stored
        self._path.add(key)
        opinions = self._opinions
        if not threatened and depth > 2 and beta - alpha == 1 and self._null_move_cuts(depth, beta, ply):
            self._path.discard(key)
            return beta
        best, move, bound = self._search_moves(
            depth, alpha, beta, ply, threatened, entry[4] if entry is not None else None
        )
        self._path.discard(key)
        if move is not None:
            if len(self._table) >= self._max_entries:
                self._table.clear()
            self._table[key] = (depth, bound, shifted(best, -ply), self._opinions == opinions, move)
        return best

    def _stored(self, entry: _Entry[M], depth: int, alpha: int, beta: int, ply: int) -> int | None:
        """Return a stored score if it is deep enough and settles the window."""
        stored_depth, bound, score, proven, _ = entry
        if stored_depth < depth and not proven:
            return None
        score = shifted(score, ply)
        if bound == _EXACT or (bound == _LOWER and score >= beta) or (bound == _UPPER and score <= alpha):
            # A stored score is as uncertain as the search that found it.
            self._opinions += not proven
            return score
        return None

    def _null_move_cuts(self, depth: int, beta: int, ply: int) -> bool:
        """Return whether the side to move is above the window even after a null move."""
        game = self._game
        # Passing is almost never the best move: if it holds beta, a real move does. No two null moves in a row, for
        # the position would then repeat with less depth; none near mates, which they would hide.
        if abs(beta) > SURE or self._null_move_ply == ply - 1 or game.evaluation < beta or not game.skip():
            return False
        previous_ply = self._null_move_ply
        self._null_move_ply = ply
        # One ply for the null move, and two that are saved.
        score = -self._node(depth - 3, -beta, -beta + 1, ply + 1)
        self._null_move_ply = previous_ply
        game.pop()
        if score < beta:
            return False
        self._opinions += 1
        return True

    def _search_moves(
        self, depth: int, alpha: int, beta: int, ply: int, threatened: bool, first: M | None
    ) -> tuple[int, M | None, int]:
        """Search the moves of a node; return the best score, its move (None without moves), and the kind of bound."""
        game = self._game
        lower = alpha
        best = -INFINITE
        chosen = first
        quiet = number = 0
        for move, gain in self._ordered_moves(first, ply):
            game.push(move)
            if number == 0:
                score = -self._node(depth - 1, -beta, -lower, ply + 1)
            else:
                # Late move reduction: a quiet move far down the list is first searched one ply less.
                reduction = int(depth > 2 and not gain and quiet > _FULL_DEPTH_QUIET_MOVES and not threatened)
                score = -self._node(depth - 1 - reduction, -lower - 1, -lower, ply + 1)
                if score > lower and (reduction or score < beta):
                    score = -self._node(depth - 1, -beta, -lower, ply + 1)
            game.pop()
            number += 1
            quiet += not gain
            if score > best:
                best = score
                chosen = move
                if score > lower:
                    lower = score
                    self._lines[ply] = [move, *self._lines[ply + 1]]
                    if score >= beta:
                        self._record_refutation(move, gain, depth, ply)
                        return best, chosen, _LOWER
        if not number:
            return (ply - MATE if isinstance(game.board_outcome(), Win) else 0), None, _EXACT
        return best, chosen, (_EXACT if best > alpha else _UPPER)

    def _record_refutation(self, move: M, gain: int, depth: int, ply: int) -> None:
        """Record a quiet move that refuted a position, since it may refute similar ones."""
        if gain:
            return
        killers = self._killers[ply]
        if not killers or killers[0] != move:
            killers.insert(0, move)
            del killers[2:]
        self._history[move] = min(_BIG >> 1, self._history.get(move, 0) + depth * depth)

    def _ordered_moves(self, first: M | None, ply: int) -> Iterator[tuple[M, int]]:
        """Yield all legal moves with their gains: the stored best move first, before the others are generated."""
        if first is not None:
            yield first, self._game.gain(first)
        for rank, _, move in self._rank_moves(self._game.moves(), ply):
            if move != first:
                yield move, -rank - _BIG if rank < -_BIG else 0

    def _rank_moves(self, moves: list[M], ply: int) -> list[tuple[int, int, M]]:
        """Return moves in the order to try: by gain, then killer moves, then by how often they refuted positions.

        Each comes with its rank, which is below ``-_BIG`` by its gain, and a number that makes ties sortable.
        """
        gain = self._game.gain
        history = self._history
        killers = []
        if ply < len(self._killers):
            killers = self._killers[ply]
        # For the time of sorting, killer moves get a score above that of all other quiet moves.
        killer_history = [(killer, history[killer]) for killer in killers]
        for killer in killers:
            history[killer] = _BIG - 1
        ranked = [
            (-_BIG - move_gain if (move_gain := gain(move)) else -history.get(move, 0), number, move)
            for number, move in enumerate(moves)
        ]
        history.update(killer_history)
        ranked.sort()
        return ranked

    def _quiescence(self, alpha: int, beta: int, ply: int, threatened: bool) -> int:
        """Search captures and replies to checks until the position is quiet enough to evaluate.

        The caller has entered the node; deeper ones are entered by :meth:`_quiescence_node`.
        """
        game = self._game
        best = -INFINITE
        if not threatened or ply >= _MAX_PLIES:
            best = game.evaluation
            self._opinions += 1
            # The side to move need not capture: the evaluation is a lower bound of the score.
            if best >= beta or ply >= _MAX_PLIES:
                return best
            alpha = max(alpha, best)
        moves = game.forcing_moves()
        if not moves and (finished := game.board_outcome()) is not None:
            if isinstance(finished, Win):
                return ply - MATE
            return 0
        for _, _, move in self._rank_moves(moves, ply):
            game.push(move)
            score = -self._quiescence_node(-beta, -alpha, ply + 1)
            game.pop()
            if score > best:
                best = score
                if score > alpha:
                    alpha = score
                    self._lines[ply] = [move, *self._lines[ply + 1]]
                    if score >= beta:
                        break
        return best

    def _quiescence_node(self, alpha: int, beta: int, ply: int) -> int:
        """Return the score of a node of the quiescence search."""
        self._lines[ply] = []
        self._nodes += 1
        if not self._nodes & _CLOCK_MASK:
            self._check_limits()
        known_score = self._known_score(ply)
        if known_score is not None:
            return known_score
        return self._quiescence(alpha, beta, ply, self._game.is_threatened())
