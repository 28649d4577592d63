"""Probes positions: result, depth and rated moves, from all tables of a game at once.

A judge serves one game. Tables by depth (DTM in chess, plies to the end in Nine Men's Morris) give the verdict and
grade the moves. If the game has a move limit, its :class:`.probe_result.Rule` corrects both with tables by DTZ. All
code that shows, grades or chooses moves goes through this module.

What calls what, and what it costs::

    probe ──────── _probe_by_depth ── explorer.probe        the position and each move, one look-up each
      │              └─ _with_proofs ─ _proof               replies, only where depth and clock leave a category open
      └─ _add_rule ─ _probe_move ──── rule.probe            the position and each move by DTZ
           └─ _with_rule ─ _refine_move                     replies, only where rounding leaves a category open

    quick_probe    the position alone; `probe` where its category needs the moves
    grade          two look-ups where the limit cannot matter (_grade_without_rule); else `probe`
    line           _best_move for each ply: by depth with as few look-ups as possible, by the rule from `probe`
    best_play      chooses the metric, then `line`

``by_depth`` means *moves rated by depth*, except in names of methods, where it means *by the tables by depth alone*. A
:class:`BackgroundProber` calls `probe` and `line` in a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from endgame_core.errors import EndgameError, MissingError, NotBuiltError, TableError
from endgame_core.game import Game
from endgame_core.metric import DTZ, Metric
from endgame_core.probe_result import (
    POSSIBLE_CATEGORIES,
    ProbeResult,
    QuickProbe,
    Rule,
    graded_by_depth,
    graded_by_dtz,
    has_best,
    keeping_grade,
    possible_kinds,
    proved_category,
)
from endgame_core.tables.explorer import Explorer, RatedMove
from endgame_core.values import (
    HORIZON,
    Category,
    Fifty,
    Grade,
    Kind,
    Verdict,
    code_before,
    grade_of,
    opposite_side,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

P = TypeVar("P")
M = TypeVar("M")

DEPTH_UNDER_RULE = Metric("depth under the rule")
"""In place of a metric: the line is best by depth among the moves that keep the result under the rule.

No table has this metric; the name is never written or shown.
"""

_CACHE_SIZE = 300
MAX_LINE_PLIES = 600
"""Longest line in plies."""


_by_notation: Final = itemgetter(0)


class Judge(Generic[P, M]):
    """Judges the positions and moves of one game. Thread-safe.

    Args:
        explorer: The tables by depth.
        make_rule: Creates the game's rule on first use; None for a game without a move limit.
    """

    def __init__(self, explorer: Explorer[P, M], make_rule: Callable[[], Rule[P, M]] | None = None) -> None:
        self.explorer = explorer
        self.game: Game[P, M] = explorer.game
        self._make_rule = make_rule
        self._rule: Rule[P, M] | None = None
        self._probes_by_depth: dict[str, ProbeResult[P, M]] = {}
        self._probes: dict[str, ProbeResult[P, M]] = {}
        self._best_moves: dict[tuple[str, str], RatedMove[P, M] | None] = {}
        self.changes = 0
        """How often tables were built or deleted: results that are older are out of date."""

    def forget(self) -> None:
        """Clear all caches, because tables were built or deleted."""
        self.changes += 1
        self._rule = None
        self._probes_by_depth = {}
        self._probes = {}
        self._best_moves = {}
        # Both are cached properties: this creates one that nobody has used yet, which is cheap.
        self.prober.forget()
        if self._make_rule is not None:
            self.unlimited.forget()

    @property
    def rule(self) -> Rule[P, M] | None:
        """The game's move limit; None if it has none."""
        if self._rule is None and self._make_rule is not None:
            self._rule = self._make_rule()
        return self._rule

    @cached_property
    def unlimited(self) -> Judge[P, M]:
        """A judge of the same tables for games without a move limit."""
        if self._make_rule is None:
            return self
        return Judge(self.explorer)

    @cached_property
    def prober(self) -> BackgroundProber[P, M]:
        """Runs slow probes in a thread."""
        return BackgroundProber(self)

    # Positions

    def probe(self, position: P) -> ProbeResult[P, M]:
        """Return everything known about a position; cached, never raises an EndgameError."""
        key = self.game.format(position)
        # `forget`, in another thread, replaces both caches: a result that is out of date goes nowhere.
        probes = self._probes
        probes_by_depth = self._probes_by_depth
        result = probes.get(key)
        if result is None:
            depth_probe = probes_by_depth.get(key) or self._probe_by_depth(position)
            result = _store(probes, key, self._add_rule(depth_probe))
            # What `probe_by_depth` returns from now on: a complete depth probe itself, stored here because it may be
            # new; in place of an incomplete one the result, which has all that it has.
            if depth_probe.is_complete:
                _store(probes_by_depth, key, depth_probe)
            else:
                probes_by_depth.pop(key, None)
        return result

    def probe_by_depth(self, position: P) -> ProbeResult[P, M]:
        """Probe the tables by depth only, which is faster; return the complete result if it is already known."""
        key = self.game.format(position)
        probes_by_depth = self._probes_by_depth
        depth_probe = probes_by_depth.get(key)
        if depth_probe is not None and depth_probe.is_complete:
            return depth_probe
        result = self._probes.get(key) or depth_probe
        if result is None:
            return _store(probes_by_depth, key, self._probe_by_depth(position))
        return result

    def peek(self, position: P) -> ProbeResult[P, M] | None:
        """Return the cached complete result of a position, if any; probes nothing."""
        return self._probes.get(self.game.format(position))

    def quick_probe(self, position: P) -> QuickProbe:
        """Return the value of a position as :meth:`probe` would; looks at its moves only if the category needs them."""
        rule = self.rule
        verdict, problem = _attempt(lambda: self.explorer.probe(position))
        if rule is None:
            return QuickProbe(verdict, None if verdict is None else verdict.category, None, problem)
        fifty = None
        if verdict is None or rule.covers(position):
            fifty, fifty_problem = _attempt(lambda: rule.probe(position, _signed(verdict)))
            problem = problem or fifty_problem
        category = None
        if fifty is not None:
            category = fifty.category
        if fifty is None and verdict is not None:
            category = proved_category(verdict, rule.clock(position))
        if category in POSSIBLE_CATEGORIES:
            probe = self.probe(position)
            category = probe.category
            fifty = probe.fifty
        if category is not None:
            problem = None
        return QuickProbe(verdict, category, fifty, problem)

    def category_by_dtz(self, position: P) -> Category | None:
        """Return the category that DTZ gives under the rule; None if it is unknown or the game has no rule.

        Unlike :attr:`ProbeResult.category` it does not fall back on what depth and clock prove.
        """
        fifty = self.probe(position).fifty
        if fifty is None:
            return None
        return fifty.category

    def _add_rule(self, depth_probe: ProbeResult[P, M]) -> ProbeResult[P, M]:
        """Complete a result with the rule's tables: one probe for the position, one for each move.

        The position is probed first: a table found damaged is moved away and is missing for the next probe.
        """
        rule = self.rule
        if rule is None:
            return depth_probe
        before, problem = _attempt(lambda: rule.probe(depth_probe.position, _signed(depth_probe.verdict)))
        if depth_probe.is_complete and problem is not None:  # no table of the rule covers the position or its moves
            return replace(depth_probe, fifty_problem=problem)
        probe = replace(
            depth_probe, legal=tuple(self._probe_move(rule, rated) for rated in depth_probe.legal), is_complete=True
        )
        return self._with_rule(rule, probe, before, problem)

    def _probe_by_depth(self, position: P) -> ProbeResult[P, M]:
        """Probe the tables by depth for a position and all its moves."""
        explorer = self.explorer
        game = self.game
        rule = self.rule
        verdict, problem = _attempt(lambda: explorer.probe(position))
        clock = None
        if rule is not None:
            clock = rule.clock(position)
        legal: list[RatedMove[P, M]] = []
        worst_problem: EndgameError | None = None
        for move in game.moves(position):
            after = game.play(position, move)
            value, move_problem = _attempt(lambda after=after: explorer.probe(after))
            # A missing table hides a move; any other problem hides more, so it takes precedence.
            if move_problem is not None and (worst_problem is None or not isinstance(move_problem, NotBuiltError)):
                worst_problem = move_problem
            zeroing = rule is not None and rule.is_zeroing(position, move)
            if rule is None or value is None:
                proof = None
            else:
                proof = proved_category(value, rule.clock(after))
            legal.append(
                RatedMove(
                    game, position, move, after, value,
                    zeroing=zeroing, clock=clock or 0, proof=proof, problem=move_problem,
                )
            )  # fmt: skip
        by_depth = ()
        if verdict is not None:
            by_depth = graded_by_depth(game, legal)
        is_harmless = isinstance(worst_problem, NotBuiltError) and has_best(game, verdict, by_depth)
        if worst_problem is not None and not is_harmless:
            problem = problem or worst_problem
            by_depth = ()

        is_complete = rule is None or not rule.covers(position)
        probe = ProbeResult(game, position, verdict, problem, tuple(legal), by_depth, clock, is_complete=is_complete)
        if rule is not None and is_complete:
            return self._with_proofs(rule, probe)
        return probe

    def _with_proofs(self, rule: Rule[P, M], probe: ProbeResult[P, M]) -> ProbeResult[P, M]:
        """Look at the replies to each move whose category depth and clock leave open."""
        legal = tuple(rated.with_(proof=self._proof(rule, rated)) for rated in probe.legal)
        proofs = {rated.move: rated.proof for rated in legal}
        by_depth = tuple(rated.with_(proof=proofs[rated.move]) for rated in probe.by_depth)
        return replace(probe, legal=legal, by_depth=by_depth)

    def _proof(self, rule: Rule[P, M], rated: RatedMove[P, M]) -> Category | None:
        """Return what depth and clock prove about the position after a move; probes replies until they settle it.

        Say the loser is mated there in d plies with the clock at c, and c + d > 100. A quiet best reply leaves that sum
        unchanged and settles nothing, unless it brings the clock to 100, where a draw is claimed.
        """
        if rated.verdict is None:
            return rated.proof
        if rated.proof is Category.MAYBE_WIN:
            return self._proof_of_win(rule, rated.after)
        if rated.proof is Category.MAYBE_LOSS:
            return self._proof_of_loss(rule, rated.after)
        return rated.proof

    def _proof_of_win(self, rule: Rule[P, M], position: P) -> Category:
        """Return what zeroing moves prove about a possible win: one that wins is enough. No quiet move can prove it."""
        is_claimed_next = rule.clock(position) + 1 >= HORIZON  # after a quiet move
        proof = Category.CURSED_WIN if is_claimed_next else Category.MAYBE_WIN
        for move in self.game.moves(position):
            if not rule.is_zeroing(position, move):
                continue
            category = self._proved_after(rule, position, move)
            if category is Category.WIN:
                return Category.WIN
            # A reply without a table, or one that may win, leaves open whether the win is cursed.
            if category is None or category is Category.MAYBE_WIN:
                proof = Category.MAYBE_WIN
        return proof

    def _proof_of_loss(self, rule: Rule[P, M], position: P) -> Category:
        """Return what the moves prove about a possible loss: all have to lose, and no quiet one may reach the limit."""
        is_claimed_next = rule.clock(position) + 1 >= HORIZON
        quiet: list[M] = []
        zeroing: list[M] = []
        for move in self.game.moves(position):
            (zeroing if rule.is_zeroing(position, move) else quiet).append(move)
        if is_claimed_next and quiet:
            return Category.BLESSED_LOSS
        for move in [*quiet, *zeroing]:
            if self._proved_after(rule, position, move) is not Category.LOSS:
                return Category.MAYBE_LOSS
        return Category.LOSS

    def _proved_after(self, rule: Rule[P, M], position: P, move: M) -> Category | None:
        """Return what depth and clock prove about a move, for the side that makes it; None without a table."""
        after = self.game.play(position, move)
        verdict, _ = _attempt(lambda: self.explorer.probe(after))
        return None if verdict is None else proved_category(verdict, rule.clock(after)).negated

    def _probe_move(self, rule: Rule[P, M], rated: RatedMove[P, M]) -> RatedMove[P, M]:
        """Return a move with the value of the position after it under the rule, without looking further."""
        after = rated.after
        verdict = rated.verdict
        if verdict is None:
            verdict = self.game.terminal(after)
        fifty, problem = _attempt(lambda: rule.probe(after, _signed(verdict)))
        return rated.with_(fifty=fifty, problem=problem)

    def _with_rule(
        self, rule: Rule[P, M], probe: ProbeResult[P, M], before: Fifty | None, problem: EndgameError | None
    ) -> ProbeResult[P, M]:
        """Complete a result with the rule, given its value of the position (``before``), or why that is unknown."""
        legal = probe.legal
        unprobed = next((rated for rated in legal if rated.problem is not None), None)
        by_dtz: list[RatedMove[P, M]] = []
        if before is not None and unprobed is None:
            before = rule.refine(before, [rated.fifty for rated in legal if rated.fifty is not None])
            by_dtz = graded_by_dtz(rule.order(before, legal))
        elif unprobed is not None:
            move_problem = unprobed.problem
            if isinstance(move_problem, MissingError):
                move_problem = move_problem.after(unprobed.san)  # says after which move the table is needed
            problem = problem or move_problem
            legal = tuple(self._refine_move(rule, rated.with_(before=before)) for rated in legal)
        values = {rated.move: rated.fifty for rated in by_dtz or legal}
        by_depth = tuple(rated.with_(before=before, fifty=values[rated.move]) for rated in probe.by_depth)
        probe = replace(probe, legal=legal, by_depth=by_depth, fifty=before, fifty_problem=problem)
        if not by_dtz:
            return self._with_proofs(rule, probe)
        if by_depth and by_depth[-1].verdict is None:  # DTZ knows all moves, depth does not
            probe = replace(probe, by_depth=(), problem=by_depth[-1].problem)
        return replace(probe, by_dtz=tuple(by_dtz), rival=rule.rival(by_dtz))

    def _refine_move(self, rule: Rule[P, M], rated: RatedMove[P, M]) -> RatedMove[P, M]:
        """Settle the category after a move that a ply of rounding leaves open, by the replies, if all are known."""
        fifty = rated.fifty
        if fifty is None or fifty.category not in POSSIBLE_CATEGORIES:
            return rated
        replies: list[Fifty] = []
        for move in self.game.moves(rated.after):
            position = self.game.play(rated.after, move)
            result, _ = _attempt(lambda position=position: rule.probe(position, None))
            if result is None:
                return rated
            replies.append(result)
        return rated.with_(fifty=rule.refine(fifty, replies))

    # Moves

    def keep_result(self, position: P, move: M) -> M:
        """Return the move if it keeps the result of the position under the rule, else the best move under it."""
        probe = self.probe(position)
        if probe.keeps_result(move):
            return move
        return (probe.by_dtz or probe.moves)[0].move

    def keeping_moves(self, position: P) -> tuple[RatedMove[P, M], ...]:
        """Return the moves that certainly keep the result by DTZ, best first; empty if one is uncertain."""
        probe = self.probe(position)
        grades = [(rated, self._grade_by_dtz(probe, rated)) for rated in probe.by_dtz]
        if any(grade is None for _, grade in grades):
            return ()
        return tuple(rated for rated, grade in grades if grade is not None and not grade.kind.is_error)

    def grade(self, position: P, move: M) -> Grade | None:
        """Grade a played move: by depth, corrected by the rule; without depth, by DTZ if that is certain.

        Where DTZ is unknown, depth and clock may still prove results. There is no grade if they leave open whether the
        move keeps a result that another move is proved to keep.

        Returns:
            The grade; None if no table has one, and for a null move.
        """
        if self.game.is_null(move):
            return None
        if self.peek(position) is None and (grade := self._grade_without_rule(position, move)) is not None:
            return grade
        probe = self.probe(position)
        rated = next(rated for rated in probe.legal if rated.move == move)
        if probe.verdict is None or rated.verdict is None:
            return self._grade_by_dtz(probe, rated)
        depth_grade = grade_of(probe.verdict.code, code_before(rated.verdict.code))
        played = probe.under_rule(move) or rated
        best = probe.best_under_rule
        if (
            probe.clock is None
            or played.checkmate
            or best is None
            or best.category_after is None
            or played.category_after is None
        ):
            return depth_grade
        # What the position was worth, and what it is worth after the move, both for the side that moved.
        was = best.category_after.negated
        now = played.category_after.negated
        # Some move has no category and may be better than `best`, so the category of the position itself counts too.
        if probe.category is not None and any(other.category_after is None for other in probe.legal):
            was = max(was, probe.category, key=lambda category: category.goodness)
        if was is now and was in POSSIBLE_CATEGORIES:
            return keeping_grade(probe, move, depth_grade)
        kinds = possible_kinds(was, now)
        if len(kinds) > 1:
            # The move is graded only if it is an error in any case, or if a draw may have become a loss that takes
            # longer than a whole count of 50 moves: then the count that is running does not decide it. A shorter loss
            # may be none, because near the end of the count such moves often hold.
            is_long = was is Category.DRAW and (rated.verdict.depth or 0) > HORIZON
            is_error = is_long or all(kind.is_error for kind in kinds)
            return depth_grade if is_error else None
        kind = kinds.pop()
        if kind is Kind.STILL_LOST:
            return depth_grade
        if kind is Kind.KEEPS:
            return keeping_grade(probe, move, depth_grade)
        return Grade(kind)

    def _grade_without_rule(self, position: P, move: M) -> Grade | None:
        """Grade a move by probing two positions only, if the move limit cannot matter; else None."""
        codes: list[int] = []
        for current in (position, self.game.play(position, move)):
            verdict, _ = _attempt(lambda current=current: self.explorer.probe(current))
            if verdict is None or (self.rule is not None and self.rule.clock(current) + (verdict.depth or 0) > HORIZON):
                return None
            codes.append(verdict.code)
        return grade_of(codes[0], code_before(codes[1]))

    def _grade_by_dtz(self, probe: ProbeResult[P, M], rated: RatedMove[P, M]) -> Grade | None:
        """Grade a move by what it did to the result; None if tables are missing, or rounded where a ply decides."""
        if probe.fifty is None:
            return None
        if rated.checkmate:
            return Grade(Kind.BEST)
        was = probe.fifty.category
        claimable = probe.fifty.clock >= HORIZON
        played = probe.under_rule(rated.move)
        if played is not None and played.category_after is not None and probe.by_dtz[0].category_after is not None:
            best = probe.by_dtz[0].category_after.negated
            now = played.category_after.negated
            # The best move settles what the position is worth, unless the position's own category is one of those that
            # the best move leaves open: then that is more certain.
            if was not in POSSIBLE_CATEGORIES.get(best, ()):
                was = best
        elif (after := self.probe(rated.after).fifty) is not None and not claimable:
            now = after.category.negated
        else:
            return None
        kinds = possible_kinds(was, now)
        if len(kinds) == 1:
            return Grade(kinds.pop())
        return None

    # Lines

    def line(
        self, position: P, limit: int = MAX_LINE_PLIES, metric: Metric | None = None, claims: bool = True
    ) -> BestLine[P, M]:
        """Return the best moves of both sides, as far as tables know them; never raises an EndgameError.

        Args:
            position: Start of the line.
            limit: Maximum number of plies.
            metric: The game's own metric (default): to the end of the game, or a single move in a draw. :data:`DTZ`:
                to the end or the first claim of a draw, nothing from a drawn position. :data:`DEPTH_UNDER_RULE`: by
                depth, restricted to moves that keep the result under the rule.
            claims: Whether a line under the rule ends where a draw can be claimed.
        """
        metric = metric or self.game.metric
        line_metric = DTZ if metric == DTZ else self.game.metric  # DEPTH_UNDER_RULE is no metric of a line
        steps: list[RatedMove[P, M]] = []
        over = False
        line_problem = None
        current = position
        rule = None
        if claims and metric != self.game.metric:
            rule = self.rule
        while len(steps) < limit and not over:
            step, problem = _attempt(lambda current=current: self._best_move(current, metric))
            if metric == DTZ and steps and isinstance(problem, MissingError):
                # The last move led to a position without a table: an equally good one takes its place.
                step = self._alternative(steps[-1])
                if step is not None:
                    steps.pop()
            if step is None:
                line_problem = problem
                break
            steps.append(step)
            current = step.after
            # By depth 0 is the end of the game, and None a draw, of which the line shows a single move.
            ended = step.checkmate if metric == DTZ else _depth_after(line_metric, step) in (0, None)
            over = ended or (rule is not None and rule.clock(current) >= HORIZON)
        return BestLine(line_metric, tuple(steps), line_problem, over)

    def _alternative(self, step: RatedMove[P, M]) -> RatedMove[P, M] | None:
        """Return a move with the same DTZ value whose continuation is known, to replace one before a missing table."""
        value = step.category_after, step.plies
        ties = [rated for rated in self.probe(step.position).by_dtz if (rated.category_after, rated.plies) == value]
        for rated in ties:
            _, problem = _attempt(lambda after=rated.after: self._best_move(after, DTZ))
            if problem is None:
                return rated
        return None

    def best_play(self, position: P, metric: Metric | None = None, limit: int = MAX_LINE_PLIES) -> BestPlay[P, M]:
        """Return best play by a metric; by default by depth, or by DTZ if depth is unknown or the clock matters.

        The clock matters if it would pass the limit before the end: the best move by depth may then change the result.
        The line has at most ``limit`` plies.

        Raises:
            NotBuiltError: No table by depth covers the position, and DTZ was not allowed or cannot help.
            MissingError: No table by DTZ covers it.
            TableError: A table is damaged.
            EndingError: No table can cover the position.
        """
        probe = self.probe(position)
        depth_metric = self.game.metric
        if metric == depth_metric or probe.clock is None:
            return self._best_by_depth(probe, limit)
        result = None
        if metric is None and probe.verdict is not None and not isinstance(probe.problem, TableError):
            result = self._best_by_depth(probe, limit)
            if result.line.problem is None and probe.clock + (probe.verdict.depth or 0) <= HORIZON:
                return result
        elif metric is None and isinstance(probe.problem, TableError):
            raise probe.problem
        if probe.fifty is not None and probe.fifty_problem is None:
            return self._best_by_rule(probe, probe.fifty, limit)
        if result is not None:
            if probe.is_ended_by_limit:
                return replace(
                    result, category=probe.category or result.category, line=BestLine(depth_metric), winner=None
                )
            line = self.line(position, limit, DEPTH_UNDER_RULE, claims=False)
            return replace(result, category=probe.category or result.category, line=line)
        # Without a value under the rule there is a problem: `_add_rule` stores one or the other, and only a game with a
        # rule comes this far, because `probe.clock` is not None.
        assert probe.fifty_problem is not None
        if metric is None and probe.fifty is not None and isinstance(probe.fifty_problem, MissingError):
            return self._best_by_rule(probe, probe.fifty, limit)  # its line reports the missing table
        raise probe.fifty_problem

    def _best_by_rule(self, probe: ProbeResult[P, M], value: Fifty, limit: int) -> BestPlay[P, M]:
        mover = self.game.mover(probe.position)
        winner = mover if value.dtz > 0 else opposite_side(mover)
        if value.category is Category.DRAW:
            winner = None
        line = self.line(probe.position, limit, DTZ)
        return BestPlay(probe, line, value.category, value.dtz, winner)

    def _best_by_depth(self, probe: ProbeResult[P, M], limit: int) -> BestPlay[P, M]:
        if (verdict := probe.verdict) is None or isinstance(probe.problem, TableError):
            raise probe.problem or NotBuiltError(self.game.ending_of(probe.position))
        depth = None
        if verdict.depth is not None:
            depth = verdict.signed_depth
        return BestPlay(probe, self.line(probe.position, limit), verdict.category, depth, verdict.winner)

    def _best_move(self, position: P, metric: Metric) -> RatedMove[P, M] | None:
        """Return the first move of a line, cached; None if there is none."""
        text = self.game.format(position)
        key = (text, metric)
        cache = self._best_moves  # `forget`, in another thread, replaces it: a result that is out of date goes nowhere
        with suppress(KeyError):
            return cache[key]
        probe = self._probes.get(text)
        if metric == self.game.metric:
            best = self._best_move_by_depth(position, probe)
        else:
            best = self._best_move_by_rule(position, probe, metric)
        if len(cache) >= 2 * MAX_LINE_PLIES:
            cache.clear()
        cache[key] = best
        return best

    def _best_move_by_depth(self, position: P, probe: ProbeResult[P, M] | None) -> RatedMove[P, M] | None:
        """Return a move that wins soonest or resists longest; of equals the first in alphabetical order of SAN.

        The code of the position is that of its best move. So the moves are probed in the order of a cheap
        prefix of their SAN, and probing stops at the first prefix behind a best move; a move into an ending without a
        table does not matter if another move has the best value.
        """
        if probe is not None and probe.by_depth:
            return probe.by_depth[0]
        game = self.game
        explorer = self.explorer
        position_code, _ = _attempt(lambda: explorer.code(position))
        moves = sorted(((game.san_prefix(position, move), move) for move in game.moves(position)), key=_by_notation)

        best: list[tuple[M, P, Verdict]] = []
        best_code = -1
        best_prefix = None
        missing: NotBuiltError | None = None
        for prefix, move in moves:
            # A best move has been found, and later moves come after it in alphabetical order.
            if best_code == position_code and prefix != best_prefix:
                break
            after = game.play(position, move)
            try:
                verdict = explorer.probe(after)
            except NotBuiltError as error:
                missing = missing or error
                continue
            code = game.index.move_code(position, move, verdict.code)
            if code > best_code:
                best = []
            if code >= best_code:
                best.append((move, after, verdict))
                best_code = code
                best_prefix = prefix
        # The best move may be the one that leads into the missing table.
        if missing is not None and best_code != position_code:
            raise missing

        ties = [RatedMove(game, position, move, after, verdict) for move, after, verdict in best]
        if len(ties) > 1:
            return min(ties, key=lambda rated: rated.san)
        return ties[0] if ties else None

    def _best_move_by_rule(
        self, position: P, probe: ProbeResult[P, M] | None, metric: Metric
    ) -> RatedMove[P, M] | None:
        """Return the best move by DTZ, or the best by depth that keeps the result."""
        # Not `self.probe`: the positions of a long line would evict all others from its cache.
        probe = probe or self._add_rule(self._probe_by_depth(position))
        if metric != DTZ:  # it is DEPTH_UNDER_RULE
            if probe.problem is not None and probe.legal:
                raise probe.problem
            return probe.best
        if probe.fifty is not None and (probe.fifty.category is Category.DRAW or probe.fifty.clock >= HORIZON):
            return None
        if probe.fifty_problem is not None:
            certain = self._certain_move(probe)
            if certain is None:
                raise probe.fifty_problem
            return certain
        if probe.by_dtz:
            return probe.by_dtz[0]
        return None

    def _certain_move(self, probe: ProbeResult[P, M]) -> RatedMove[P, M] | None:
        """Return a move whose DTZ equals that of the position, so that the moves without DTZ do not matter."""
        before = probe.fifty
        if self.rule is None or before is None:
            return None
        value = before.category.negated, abs(before.dtz)
        moves = self.rule.order(before, probe.legal)
        return next((rated for rated in moves if (rated.category_after, rated.plies) == value), None)


@dataclass(frozen=True, slots=True)
class BestLine(Generic[P, M]):
    """The best moves of both sides.

    Attributes:
        metric: The metric by which they are best.
        steps: The plies.
        problem: The missing or damaged table that ends the line early, if any.
        is_over: Whether the game ends, or a draw is claimed, after the last ply.
    """

    metric: Metric
    steps: tuple[RatedMove[P, M], ...] = ()
    problem: EndgameError | None = None
    is_over: bool = False

    def depth(self, step: RatedMove[P, M]) -> int | None:
        """Return the signed depth after a ply, for the side then to move; None for a draw by depth."""
        return _depth_after(self.metric, step)

    @property
    def moves(self) -> list[M]:
        """The moves, without their ratings."""
        return [step.move for step in self.steps]

    @property
    def sans(self) -> list[str]:
        """The moves in SAN."""
        return [step.san for step in self.steps]

    @property
    def ends_in_win(self) -> bool:
        """Whether the line leads to a decisive end of the game."""
        return self.is_over and self.depth(self.steps[-1]) == 0


@dataclass(frozen=True, slots=True)
class BestPlay(Generic[P, M]):
    """Best play from a position; its metric is that of the line.

    Attributes:
        probe: The probe of the position.
        line: The best moves of both sides.
        category: Category of the position; the clock counts unless the metric by depth was requested.
        depth: Signed plies; by depth None for a draw.
        winner: The winner in the position's own colours; None for a draw.
    """

    probe: ProbeResult[P, M]
    line: BestLine[P, M]
    category: Category
    depth: int | None
    winner: str | None


def _signed(verdict: Verdict | None) -> int | None:
    if verdict is None:
        return None
    return verdict.signed_depth


T = TypeVar("T")


def _depth_after(metric: Metric, step: RatedMove[Any, Any]) -> int | None:
    """Return the signed depth by a metric after a ply, for the side then to move; None for a draw by depth."""
    if metric == DTZ:
        return step.dtz
    if step.verdict is None or step.verdict.depth is None:
        return None
    return step.verdict.signed_depth


def _store(cache: dict[str, T], key: str, value: T) -> T:
    """Store a value in a cache, which is cleared when it is full."""
    if len(cache) >= _CACHE_SIZE:
        cache.clear()
    cache[key] = value
    return value


def _attempt(probe: Callable[[], T]) -> tuple[T | None, EndgameError | None]:
    """Call a function; return its result and the EndgameError it raised, one of them None."""
    try:
        return probe(), None
    except EndgameError as problem:
        return None, problem


WAIT_SECONDS = 0.015
"""Seconds that a screen waits for a probe: nearly always enough, so that the row is painted once instead of twice."""

_LINE_CHUNK = 8
"""Plies of a line computed between two checks whether it is still needed."""


class BackgroundProber(Generic[P, M]):
    """Probes one position at a time in a thread.

    Args:
        judge: The judge that does the work.
    """

    def __init__(self, judge: Judge[P, M]) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self.judge = judge
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="prober")
        self._future: Future[object] | None = None
        self._current_key = ""
        self._lines: dict[str, BestLine[P, M]] = {}

    @property
    def is_busy(self) -> bool:
        """Whether a probe is running."""
        return self._future is not None and not self._future.done()

    def forget(self) -> None:
        """Discard all lines; the result of a running probe is ignored."""
        self._current_key = ""
        self._lines = {}

    def line(self, position: P) -> BestLine[P, M] | None:
        """Return the best line by DTZ, as far as it was requested and is known."""
        return self._lines.get(self.judge.game.format(position))

    def ask(self, position: P, on_result: Callable[[], object], plies: int = 0) -> None:
        """Probe a position; ``on_result`` is called in the thread for each result that takes longer than a moment.

        Args:
            position: The position; replaces the one requested before.
            on_result: Called in the thread.
            plies: Requested length of the best line by DTZ.
        """
        key = self.judge.game.format(position)
        self._current_key = key
        if self.judge.peek(position) is None:
            self._run_briefly_waiting(
                lambda: self.judge.probe(position) if key == self._current_key else None, on_result
            )
        probe = self.judge.peek(position)
        line = self._lines.get(key)
        needs_line = line is None or not _is_complete_line(line, plies)
        if plies > 1 and (probe is None or probe.by_dtz) and needs_line:
            self._run_briefly_waiting(lambda: self._extend_line(position, key, plies), on_result, wait=0.0)

    def run(self, work: Callable[[], object], on_result: Callable[[], object]) -> bool:
        """Run other work in the thread; if it takes longer, return False and call ``on_result`` there when it ends."""
        self._current_key = ""
        return self._run_briefly_waiting(work, on_result)

    def _run_briefly_waiting(
        self, work: Callable[[], object], on_result: Callable[[], object], wait: float = WAIT_SECONDS
    ) -> bool:
        """Run work in the thread and wait for a moment; if it takes longer, ``on_result`` is called afterwards."""
        future = self._thread.submit(work)
        self._future = future
        try:
            future.result(wait)
        except TimeoutError:
            future.add_done_callback(lambda future: future.cancelled() or on_result())
            return False
        return True

    def _extend_line(self, position: P, key: str, plies: int) -> None:
        """Compute a line in the thread, piece by piece, until another position is requested."""
        for limit in (*range(_LINE_CHUNK, plies, _LINE_CHUNK), plies):
            if key != self._current_key:
                break
            line = _store(self._lines, key, self.judge.line(position, limit, DTZ))
            if _is_complete_line(line, limit + 1):
                break

    def close(self) -> None:
        """Stop the thread."""
        self._current_key = ""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _is_complete_line(line: BestLine[Any, Any], plies: int) -> bool:
    """Return whether a line has this many plies, or cannot be continued."""
    return len(line.steps) >= plies or line.problem is not None or not line.steps or line.is_over
