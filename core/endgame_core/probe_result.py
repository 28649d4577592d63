"""The known facts about one position and its moves: the results of probes, and the grades of moves.

Nothing here touches a table: :mod:`endgame_core.judge` probes them. Two ways of rating meet. *By depth* counts plies to
the end and ignores the move limit; *by the rule* (in chess by DTZ, under the 50-move rule) does not. Where only depth
is known, depth and clock still *prove* some categories: a mate before anybody can claim a draw is certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Final, Generic, Protocol, TypeVar

from endgame_core.errors import EndgameError
from endgame_core.game import Game
from endgame_core.tables.explorer import RatedMove
from endgame_core.values import HORIZON, LAST_CLOCK, Category, Fifty, Grade, Kind, Verdict, after_claim

P = TypeVar("P")
M = TypeVar("M")

_RESULT_SIGN: Final[Mapping[Category, int]] = {
    Category.WIN: 1, Category.CURSED_WIN: 0, Category.DRAW: 0, Category.BLESSED_LOSS: 0, Category.LOSS: -1,
}  # fmt: skip
"""The result of each certain category under the rule: 1 won, 0 drawn, -1 lost."""

POSSIBLE_CATEGORIES: Final[Mapping[Category, tuple[Category, ...]]] = {
    Category.MAYBE_WIN: (Category.WIN, Category.CURSED_WIN),
    Category.MAYBE_LOSS: (Category.LOSS, Category.BLESSED_LOSS),
}
"""The categories that an uncertain one may turn out to be."""

_WINS = (Category.WIN, Category.CURSED_WIN, Category.MAYBE_WIN)


class Rule(Protocol[P, M]):
    """A move limit that tables by depth ignore, with the tables that know it; in chess the 50-move rule."""

    def covers(self, position: P, /) -> bool:
        """Return whether its tables may cover a position or its successors."""
        ...

    def clock(self, position: P, /) -> int:
        """Return the plies that count against the limit."""
        ...

    def with_clock(self, position: P, plies: int, /) -> P:
        """Return the position with another clock; raises PositionError if the game would already have ended."""
        ...

    def is_zeroing(self, position: P, move: M, /) -> bool:
        """Return whether a move resets the clock."""
        ...

    def probe(self, position: P, depth: int | None, /) -> Fifty:
        """Return the value of a position without looking at its moves; raises MissingError or TableError.

        ``depth`` is the signed depth in plies, None if unknown.
        """
        ...

    def refine(self, value: Fifty, after: Sequence[Fifty], /) -> Fifty:
        """Return a value corrected by those after all moves, which can settle a category that rounding leaves open."""
        ...

    def order(self, before: Fifty, moves: Iterable[RatedMove[P, M]], /) -> list[RatedMove[P, M]]:
        """Return all moves, best first; DTZ must be known for all."""
        ...

    def rival(self, moves: Sequence[RatedMove[P, M]], /) -> RatedMove[P, M] | None:
        """Return the best move by depth if the best by the rule is another one."""
        ...


@dataclass(frozen=True)
class ProbeResult(Generic[P, M]):
    """Everything known about one position.

    Attributes:
        game: The game.
        position: The position.
        verdict: By depth; None if no table has it.
        problem: Why there is no verdict, or no best move.
        legal: All legal moves, in the order of generation, with everything known about each.
        by_depth: The legal moves rated by depth alone: best first, those into endings without a table last. Empty if
            one of the latter may be the best. Lists and choices use :attr:`listed_by_depth` and :attr:`moves`.
        clock: Plies that count against the move limit; None in a game without one.
        fifty: Value under the rule; None if unknown.
        fifty_problem: Why the value under the rule is unknown, for the position or one of its moves.
        by_dtz: The moves ordered by the rule, best first; empty unless all are known.
        rival: The best move by depth if DTZ prefers another.
        is_complete: Whether the tables of the rule can add nothing: they have been probed, or none covers the position.
    """

    game: Game[P, M]
    position: P
    verdict: Verdict | None = None
    problem: EndgameError | None = None
    legal: tuple[RatedMove[P, M], ...] = ()
    by_depth: tuple[RatedMove[P, M], ...] = ()
    clock: int | None = None
    fifty: Fifty | None = None
    fifty_problem: EndgameError | None = None
    by_dtz: tuple[RatedMove[P, M], ...] = ()
    rival: RatedMove[P, M] | None = field(default=None, repr=False)
    is_complete: bool = True

    @property
    def is_ended_by_limit(self) -> bool:
        """Whether the move limit has ended the game; False after mate and stalemate."""
        return self.clock is not None and self.clock >= LAST_CLOCK and bool(self.legal)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return not self.legal or self.is_ended_by_limit

    @property
    def is_rated_by_dtz_only(self) -> bool:
        """Whether only DTZ rates the moves."""
        return self.problem is not None and bool(self.by_dtz)

    @property
    def is_unrated(self) -> bool:
        """Whether no table rates the moves."""
        return self.problem is not None and not self.by_dtz

    @property
    def category(self) -> Category | None:
        """The category under the rule, as far as tables prove it; None if none covers the position."""
        if self.fifty is not None:
            return self.fifty.category
        if self.verdict is None:
            return None
        if self.clock is None:
            return self.verdict.category
        return proved_by_moves(self.clock, self.verdict, self.legal)

    @cached_property
    def partial_by_dtz(self) -> tuple[RatedMove[P, M], ...]:
        """If DTZ is known of some moves only: all moves, those first, by category and then DTZ; else empty."""
        if self.by_dtz or all(rated.fifty is None for rated in self.legal):
            return ()
        return tuple(sorted(self.legal, key=_partial_order))

    @cached_property
    def moves(self) -> tuple[RatedMove[P, M], ...]:
        """All moves, best first: by depth, those that keep the category before all others; without depth, by DTZ.

        Unless DTZ is known for all moves, the category of a move is what depth and clock prove: with the clock at 98,
        a capture that wins in 40 precedes a check that mates in 3, because the reply to the check can claim a draw.
        """
        if not self.by_depth:
            return self.by_dtz
        if self.clock is None:
            return self.by_depth
        categories = {rated.move: rated.unclaimed_after for rated in self._rated_under_rule}
        keeping: list[RatedMove[P, M]] = []
        spoiling: list[RatedMove[P, M]] = []
        unknown: list[RatedMove[P, M]] = []
        for rated in self.by_depth:
            category = categories[rated.move]
            if category is None:
                unknown.append(rated)
            elif rated.move in self._keeping_moves:
                keeping.append(rated)
            else:
                spoiling.append(
                    _graded_as_spoiling(rated, after_claim(category) if rated.clock >= HORIZON else category)
                )
        if keeping and (smallest_loss := keeping[0].later):
            # The best moves by depth do not keep the category: count plies from the best move that does.
            keeping = [
                rated.with_(
                    grade="best" if rated.later == smallest_loss else rated.grade, later=rated.later - smallest_loss
                )
                for rated in keeping
            ]
        spoiling.sort(key=lambda rated: _rank(categories[rated.move]))
        return (*keeping, *spoiling, *unknown)

    @property
    def listed_by_depth(self) -> tuple[RatedMove[P, M], ...]:
        """The moves for a list by depth: unchanged beside a list by DTZ, else as :attr:`moves`."""
        if self.by_dtz or not self.by_depth:
            return self.by_depth
        return self.moves

    @property
    def best(self) -> RatedMove[P, M] | None:
        """The first of the best moves; None if there is none or it is unknown."""
        return self.moves[0] if self.moves else None

    def under_rule(self, move: M) -> RatedMove[P, M] | None:
        """Return a move as rated by the rule; None unless all moves are known."""
        return next((rated for rated in self.by_dtz if rated.move == move), None)

    @cached_property
    def _rated_under_rule(self) -> tuple[RatedMove[P, M], ...]:
        """The moves whose categories are compared: by DTZ if all are known, else with whatever is known of each."""
        if self.by_dtz or self.clock is None:
            return self.by_dtz
        return self.legal

    @cached_property
    def best_under_rule(self) -> RatedMove[P, M] | None:
        """A move with the best category under the rule among the known ones; None if none is known."""
        if self.by_dtz:
            return self.by_dtz[0]
        rated_moves = [rated for rated in self._rated_under_rule if rated.unclaimed_after is not None]
        return min(rated_moves, key=lambda rated: _rank(rated.unclaimed_after), default=None)

    @cached_property
    def _keeping_moves(self) -> frozenset[M]:
        """The moves that keep the category and, once a draw can be claimed, also the category without a claim."""
        best = self.best_under_rule
        if best is None:
            return frozenset()
        best_categories = best.category_after, best.unclaimed_after
        return frozenset(
            rated.move
            for rated in self._rated_under_rule
            if (rated.category_after, rated.unclaimed_after) == best_categories
        )

    def keeps_result(self, move: M) -> bool:
        """Return whether a move keeps the result of the position under the rule; True if no best move is known."""
        return not self.moves or self.best_under_rule is None or move in self._keeping_moves

    @property
    def spoiling_best(self) -> RatedMove[P, M] | None:
        """The best move by depth, if no best move by depth keeps the result under the rule; else None."""
        best = [rated for rated in self.by_depth if rated.grade == "best"]
        if not best or any(self.keeps_result(rated.move) for rated in best):
            return None
        return best[0]


@dataclass(frozen=True, slots=True)
class QuickProbe:
    """The value of a position, without its moves.

    Attributes:
        verdict: By depth; None if no table has it.
        category: The same as :attr:`ProbeResult.category`.
        fifty: Value under the rule; None if unknown.
        problem: Why nothing is known.
    """

    verdict: Verdict | None = None
    category: Category | None = None
    fifty: Fifty | None = None
    problem: EndgameError | None = None


def proved_category(verdict: Verdict, clock: int) -> Category:
    """Return the category that a verdict and the clock prove; a mate before anybody can claim a draw is certain."""
    if verdict.depth is None or (verdict.depth and clock >= LAST_CLOCK):
        return Category.DRAW
    wins = verdict.category is Category.WIN
    if clock + verdict.depth <= HORIZON or not verdict.depth:
        if wins:
            return Category.WIN
        return Category.LOSS
    if clock >= HORIZON:
        if wins:
            return Category.CURSED_WIN
        return Category.BLESSED_LOSS
    if wins:
        return Category.MAYBE_WIN
    return Category.MAYBE_LOSS


def proved_by_moves(clock: int, verdict: Verdict, moves: Sequence[RatedMove[P, M]]) -> Category:
    """Return the category that the moves prove: captures and pawn moves reset the clock.

    Args:
        clock: Half-move clock of the position.
        verdict: Verdict of the position by depth.
        moves: The legal moves, rated by depth; empty if the game is over or they are unknown.
    """
    rated_moves = [rated for rated in moves if rated.verdict is not None]
    if clock >= HORIZON or not rated_moves:
        return proved_category(verdict, clock)
    # The category after a move is the opponent's, so the mover's best has the least goodness.
    best = min((_proof_of(rated, clock) for rated in rated_moves), key=lambda category: category.goodness)
    if best is Category.LOSS:
        return Category.WIN  # one move that wins is enough
    # Otherwise one of the others may be better.
    if len(rated_moves) == len(moves):
        return best.negated
    return proved_category(verdict, clock)


def _proof_of(rated: RatedMove[P, M], clock: int) -> Category:
    """Return what depth and clock prove about the position after a move that was made at ``clock``."""
    assert rated.verdict is not None
    return rated.proof or proved_category(rated.verdict, 0 if rated.zeroing else clock + 1)


def _rank(category: Category | None) -> int:
    """Return the rank of the category after a move for its mover, best first; an unknown one is last.

    That category is seen by the opponent: a loss, whose ``goodness`` is 0, is the mover's win.
    """
    if category is None:
        return len(Category)
    return category.goodness


def _partial_order(rated: RatedMove[P, M]) -> tuple[int, int, str]:
    """Sort key: best for the mover first, unknown moves last."""
    if rated.fifty is None:
        return len(Category), 0, rated.san
    # DTZ is the opponent's: negative after a move that wins, which puts the soonest win first, and the latest loss.
    return _rank(rated.category_after), 0 if rated.zeroing else -rated.dtz, rated.san


def has_best(game: Game[P, M], verdict: Verdict | None, rated: Sequence[RatedMove[P, M]]) -> bool:
    """Return whether the first of the rated moves has the value that the table gives the position."""
    if verdict is None or not rated or rated[0].verdict is None:
        return False
    return game.index.move_code(rated[0].position, rated[0].move, rated[0].verdict.code) == verdict.code


def graded_by_depth(game: Game[P, M], moves: Sequence[RatedMove[P, M]]) -> tuple[RatedMove[P, M], ...]:
    """Return all legal moves graded by depth, best first; those without a verdict last and ungraded."""
    moves_with_code = [
        (game.index.move_code(rated.position, rated.move, rated.verdict.code), rated)
        for rated in moves
        if rated.verdict is not None
    ]
    moves_with_code.sort(key=lambda pair: (-pair[0], pair[1].san))  # the bigger the code of a move, the better
    graded: list[RatedMove[P, M]] = []
    for code, rated in moves_with_code:
        best_code = moves_with_code[0][0]
        best_category, best_depth = game.index.value(best_code)
        category, depth = game.index.value(code)
        later = 0
        if category is best_category:
            later = abs((depth or 0) - (best_depth or 0))
        if code == best_code:
            grade = "best"
        elif category is best_category:
            grade = "faster"
            if category in _WINS:
                grade = "slower"
        else:
            grade = "draw"
            if category is Category.LOSS:
                grade = "loss"
        graded.append(rated.with_(grade=grade, later=later))
    return (*graded, *(rated for rated in moves if rated.verdict is None))


def graded_by_dtz(moves: Sequence[RatedMove[P, M]]) -> list[RatedMove[P, M]]:
    """Grade ordered moves by DTZ: those as good as the first are best, the others are graded by what they keep."""
    graded: list[RatedMove[P, M]] = []
    for rated in moves:
        best = moves[0]
        if rated.category_after is not best.category_after:
            graded.append(_graded_as_spoiling(rated, rated.category_after))
            continue
        later = abs(rated.plies - best.plies)
        # The opponent wins even after the best move: a worse one loses faster.
        worse = "faster" if best.dtz > 0 else "slower"
        graded.append(rated.with_(grade=worse if later else "best", later=later))
    return graded


def _graded_as_spoiling(rated: RatedMove[P, M], category: Category | None) -> RatedMove[P, M]:
    """Return a move that does not keep the category, graded by the category that is left."""
    if category is None:
        result = Category.DRAW
    else:
        result = category.negated
    names = {Category.DRAW: "draw", Category.LOSS: "loss"}
    return rated.with_(grade=names.get(result, result.value), later=0)


def keeping_grade(probe: ProbeResult[P, M], move: M, depth_grade: Grade) -> Grade:
    """Return the grade of a move that keeps the result: plies lost against the best such move by depth."""
    if not probe.by_depth:
        if depth_grade.kind is Kind.BEST:
            return depth_grade
        return Grade(Kind.KEEPS)
    result = next(rated for rated in probe.moves if rated.move == move)
    kind = {"best": Kind.BEST, "slower": Kind.SLOWER, "faster": Kind.FASTER}.get(result.grade)
    if kind is None:
        return depth_grade
    return Grade(kind if result.later else Kind.BEST, result.later)


def possible_kinds(was: Category, now: Category) -> set[Kind]:
    """Return what a move may have done to the result: several kinds if a category before or after it is uncertain."""
    possible = product(POSSIBLE_CATEGORIES.get(was, (was,)), POSSIBLE_CATEGORIES.get(now, (now,)))
    # Played moves are at most as good as the best.
    return {_kind_of_change(best, played) for best, played in possible if played.goodness <= best.goodness}


def _kind_of_change(was: Category, now: Category) -> Kind:
    """Return what a move did to the result, given the certain categories before and after it.

    Once a draw can be claimed, a win is already cursed and cannot become so: a move that leaves it cursed holds.
    """
    if _RESULT_SIGN[now] < _RESULT_SIGN[was]:
        if _RESULT_SIGN[now] < 0:
            return Kind.LOSES
        if now is Category.CURSED_WIN:
            return Kind.CURSED
        return Kind.WIN_GONE
    if _RESULT_SIGN[was]:
        if _RESULT_SIGN[was] > 0:
            return Kind.KEEPS
        return Kind.STILL_LOST
    if was is Category.CURSED_WIN and now is not was:
        return Kind.WIN_GONE
    return Kind.HOLDS
