"""All that is known of a position, by whatever tables there are: asked once, and then passed on.

A judge answers for one game. Tables by depth (DTM in chess, plies to the end in Nine Men's Morris) tell the verdict and
grade the moves; where the game has a limit of moves, its :class:`Rule` tells from tables by DTZ what that makes of
them. Who shows, grades or chooses moves asks here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from operator import itemgetter
from typing import Any, Final, Generic, Protocol, TypeVar

from endgame_core.errors import EndgameError, MissingError, NotBuiltError, TableError
from endgame_core.game import Game
from endgame_core.tables.explorer import Explorer, RatedMove
from endgame_core.values import HORIZON, LAST_CLOCK, Category, Fifty, Grade, Kind, Verdict, grade_of, late, other
from endgame_core.values import before as worth_before

P = TypeVar("P")
M = TypeVar("M")

DTZ = "dtz"
"""The metric of a rule's tables."""

MINDING = "minding"
"""A line by depth, but by moves that keep the result under the rule."""

_KEPT = 300
LONGEST = 600
"""Plies of a line at most."""

_WORTH: Final[Mapping[Category, int]] = {
    Category.WIN: 1, Category.CURSED_WIN: 0, Category.DRAW: 0, Category.BLESSED_LOSS: 0, Category.LOSS: -1,
}  # fmt: skip
"""The result that a certain category is under the rule."""

_POSSIBLE: Final[Mapping[Category, tuple[Category, ...]]] = {
    Category.MAYBE_WIN: (Category.WIN, Category.CURSED_WIN),
    Category.MAYBE_LOSS: (Category.LOSS, Category.BLESSED_LOSS),
}
"""What a category may turn out to be."""

_FIRST: Final = itemgetter(0)

_WINS = (Category.WIN, Category.CURSED_WIN, Category.MAYBE_WIN)


class Rule(Protocol[P, M]):
    """A limit of moves that tables by depth know nothing of, with the tables that do; in chess the 50-move rule."""

    def reaches(self, position: P, /) -> bool:
        """Whether its tables may know a position, or where its moves lead."""
        ...

    def clock(self, position: P, /) -> int:
        """The plies that count against the limit."""
        ...

    def clocked(self, position: P, plies: int, /) -> P:
        """The same position with so many of them; raises PositionError where a game would have ended before."""
        ...

    def is_zeroing(self, position: P, move: M, /) -> bool:
        """Whether a move begins the count anew."""
        ...

    def alone(self, position: P, depth: int | None, /) -> Fifty:
        """What a position is worth, its moves unseen, given its signed depth; raises MissingError or TableError."""
        ...

    def settled(self, found: Fifty, after: Sequence[Fifty], /) -> Fifty:
        """The same, once it is known what all its moves lead to."""
        ...

    def ordered(self, before: Fifty, moves: Iterable[RatedMove[P, M]], /) -> list[RatedMove[P, M]]:
        """All moves of a position, of which all is known, the best first."""
        ...

    def rival(self, moves: Sequence[RatedMove[P, M]], /) -> RatedMove[P, M] | None:
        """The move that is best by depth where another is best by the rule."""
        ...


@dataclass(frozen=True)
class ProbeResult(Generic[P, M]):
    """What is known of one position.

    Attributes:
        game: The game.
        position: The position.
        verdict: By depth; None where no table tells.
        problem: Why not, or why no best move is known.
        legal: All legal moves, with what is known of each, in the order in which they are found.
        by_depth: The same rated by depth alone, best first, and last those that lead to endings which are not built;
            none where the best may be among these. Lists and choices use :attr:`listed_by_depth` and :attr:`moves`.
        clock: Plies that count against the limit of moves; None in a game without one.
        fifty: What the rule makes of the position; None where that is not known.
        fifty_problem: Why not, or why not of all moves.
        by_dtz: The moves as the rule has it, best first; none where not all are known.
        rival: The move that is best by depth where DTZ chooses another.
        whole: Whether all was asked that may tell something; not before the tables of the rule were.
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
    whole: bool = True

    @property
    def ended(self) -> bool:
        """Whether the limit of moves itself has ended the game, mate and stalemate apart."""
        return self.clock is not None and self.clock >= LAST_CLOCK and bool(self.legal)

    @property
    def over(self) -> bool:
        """Whether nothing can be played any more."""
        return not self.legal or self.ended

    @property
    def category(self) -> Category | None:
        """Under the rule, as far as the tables prove it; None where none tells anything."""
        if self.fifty is not None:
            return self.fifty.category
        if self.verdict is None or self.clock is None:
            return None if self.verdict is None else self.verdict.category
        return judged(self.clock, self.verdict, self.legal)

    @cached_property
    def partly(self) -> tuple[RatedMove[P, M], ...]:
        """Where DTZ of some moves only is known, all moves, those first, by category, and by DTZ among equals."""
        if self.by_dtz or all(rated.fifty is None for rated in self.legal):
            return ()
        return tuple(sorted(self.legal, key=_partial_order))

    @cached_property
    def moves(self) -> tuple[RatedMove[P, M], ...]:
        """All moves, best first: by depth among those that keep the category, which come first; else by DTZ alone.

        Where DTZ of all moves is not known, the category of a move is what depth and clock prove: with the clock at
        98 a capture that wins in 40 comes before a check that mates in 3, for the reply to the check allows a claim.
        """
        if not self.by_depth:
            return self.by_dtz
        if self.clock is None:
            return self.by_depth
        categories = {rated.move: rated.unclaimed for rated in self._under_rule}
        kept: list[RatedMove[P, M]] = []
        spoiling: list[RatedMove[P, M]] = []
        unknown: list[RatedMove[P, M]] = []
        for rated in self.by_depth:
            category = categories[rated.move]
            if category is None:
                unknown.append(rated)
            elif rated.move in self._keeping:
                kept.append(rated)
            else:
                spoiling.append(_spoiling(rated, late(category) if rated.clock >= HORIZON else category))
        if kept and (first := kept[0].later):
            kept = [
                rated.with_(grade="best" if rated.later == first else rated.grade, later=rated.later - first)
                for rated in kept
            ]
        spoiling.sort(key=lambda rated: _goodness(categories[rated.move]))
        return (*kept, *spoiling, *unknown)

    @property
    def listed_by_depth(self) -> tuple[RatedMove[P, M], ...]:
        """The moves for a list by depth: by depth alone where a list by DTZ stands beside it, else as :attr:`moves`."""
        return self.by_depth if self.by_dtz or not self.by_depth else self.moves

    @property
    def best(self) -> RatedMove[P, M] | None:
        """The first of the best moves; None where there is none, or it is not known."""
        return self.moves[0] if self.moves else None

    def under_rule(self, move: M) -> RatedMove[P, M] | None:
        """A move as the rule has it; None where not all moves are known."""
        return next((rated for rated in self.by_dtz if rated.move == move), None)

    @cached_property
    def _under_rule(self) -> tuple[RatedMove[P, M], ...]:
        """The moves whose categories the rule compares: by DTZ of all, else by what is known of each."""
        if self.by_dtz or self.clock is None:
            return self.by_dtz
        return self.legal

    @cached_property
    def best_under_rule(self) -> RatedMove[P, M] | None:
        """A move with the best category under the rule, among those known; None where none is."""
        if self.by_dtz:
            return self.by_dtz[0]
        known = [rated for rated in self._under_rule if rated.unclaimed is not None]
        return min(known, key=lambda rated: _goodness(rated.unclaimed), default=None)

    @cached_property
    def _keeping(self) -> frozenset[M]:
        """The moves that keep the category; once a draw can be claimed, also what it will be if nobody claims."""
        best = self.best_under_rule
        if best is None:
            return frozenset()
        kept = best.category, best.unclaimed
        return frozenset(rated.move for rated in self._under_rule if (rated.category, rated.unclaimed) == kept)

    def keeps(self, move: M) -> bool:
        """Whether a move keeps all that the position is worth under the rule; True where no best move is known."""
        return not self.moves or self.best_under_rule is None or move in self._keeping

    @property
    def spoilt(self) -> RatedMove[P, M] | None:
        """The first of the best moves by depth, when none of these keeps what the position is worth under the rule."""
        best = [rated for rated in self.by_depth if rated.grade == "best"]
        return best[0] if best and not any(self.keeps(rated.move) for rated in best) else None


@dataclass(frozen=True, slots=True)
class QuickProbe:
    """What a position is worth, its moves unseen.

    Attributes:
        verdict: By depth; None where no table tells.
        category: The same as :attr:`Known.category`.
        fifty: What the rule makes of it; None where that is not known.
        problem: Why nothing is known.
    """

    verdict: Verdict | None = None
    category: Category | None = None
    fifty: Fifty | None = None
    problem: EndgameError | None = None


class Judge(Generic[P, M]):
    """Judges the positions and moves of one game; of any number of threads.

    Args:
        explorer: The tables by depth.
        rule: Makes what asks the tables of the game's limit of moves, when first needed; None for a game without one.
    """

    def __init__(self, explorer: Explorer[P, M], rule: Callable[[], Rule[P, M]] | None = None) -> None:
        self.explorer = explorer
        self.game: Game[P, M] = explorer.game
        self._make = rule
        self._rule: Rule[P, M] | None = None
        self._early: dict[str, ProbeResult[P, M]] = {}
        self._known: dict[str, ProbeResult[P, M]] = {}
        self._steps: dict[tuple[str, str], RatedMove[P, M] | None] = {}

    def forget(self) -> None:
        """Asks the tables anew: some have come or gone."""
        self._rule = None
        self._early, self._known, self._steps = {}, {}, {}
        self.clerk.forget()
        if self._make is not None:
            self.unlimited.forget()

    @property
    def rule(self) -> Rule[P, M] | None:
        """The game's limit of moves."""
        if self._rule is None and self._make is not None:
            self._rule = self._make()
        return self._rule

    @cached_property
    def unlimited(self) -> Judge[P, M]:
        """The same for games that no limit of moves ends."""
        return self if self._make is None else Judge(self.explorer)

    @cached_property
    def clerk(self) -> BackgroundProber[P, M]:
        """Finds out in a thread what takes longer."""
        return BackgroundProber(self)

    # Positions

    def known(self, position: P) -> ProbeResult[P, M]:
        """What is known of a position; asks the tables once, and never raises an EndgameError."""
        key = self.game.format(position)
        result = self._known.get(key)
        if result is None:
            early = self._early.get(key) or self._find_out_early(position)
            result = _keep(self._known, key, self._find_out(early))
            if early.whole:
                _keep(self._early, key, early)
            else:
                self._early.pop(key, None)
        return result

    def early(self, position: P) -> ProbeResult[P, M]:
        """What is known by depth, which is found out sooner; all, where that is at hand and other tables may tell."""
        key = self.game.format(position)
        early = self._early.get(key)
        if early is not None and early.whole:
            return early
        result = self._known.get(key) or early
        return _keep(self._early, key, self._find_out_early(position)) if result is None else result

    def peek(self, position: P) -> ProbeResult[P, M] | None:
        """What is known of a position, if it was found out before; asks nothing."""
        return self._known.get(self.game.format(position))

    def glance(self, position: P) -> QuickProbe:
        """What a position is worth: the same as :meth:`known` tells, which is asked where only the moves can tell."""
        rule = self.rule
        verdict, problem = _asked(lambda: self.explorer.probe(position))
        if rule is None:
            return QuickProbe(verdict, None if verdict is None else verdict.category, None, problem)
        fifty = None
        if verdict is None or rule.reaches(position):
            fifty, missing = _asked(lambda: rule.alone(position, _signed(verdict)))
            problem = problem or missing
        category = None if fifty is None else fifty.category
        if fifty is None and verdict is not None:
            category = proved(verdict, rule.clock(position))
        if category in _POSSIBLE:
            known = self.known(position)
            category, fifty = known.category, known.fifty
        return QuickProbe(verdict, category, fifty, None if category is not None else problem)

    def category(self, position: P) -> Category | None:
        """Under the rule; None where DTZ is not known, or in a game without one."""
        fifty = self.known(position).fifty
        return None if fifty is None else fifty.category

    def _find_out(self, early: ProbeResult[P, M]) -> ProbeResult[P, M]:
        """Asks the rule's tables, too: once for the position, and once for what each move leads to.

        The position comes first: a table that is found damaged is put aside, and not there for who asks next.
        """
        rule = self.rule
        if rule is None:
            return early
        before, problem = _asked(lambda: rule.alone(early.position, _signed(early.verdict)))
        if early.whole and problem is not None:  # nothing reaches the position: nothing is asked of its moves
            return replace(early, fifty_problem=problem)
        known = replace(early, legal=tuple(self._under(rule, rated) for rated in early.legal), whole=True)
        return self._ruled(rule, known, before, problem)

    def _find_out_early(self, position: P) -> ProbeResult[P, M]:
        """Asks the tables by depth."""
        explorer, game, rule = self.explorer, self.game, self.rule
        verdict, problem = _asked(lambda: explorer.probe(position))
        clock = None if rule is None else rule.clock(position)
        legal: list[RatedMove[P, M]] = []
        missing: EndgameError | None = None
        for move in game.moves(position):
            after = game.play(position, move)
            worth, lacking = _asked(lambda after=after: explorer.probe(after))
            if lacking is not None and (missing is None or not isinstance(lacking, NotBuiltError)):
                missing = lacking
            zeroing = rule is not None and rule.is_zeroing(position, move)
            proof = None if rule is None or worth is None else proved(worth, rule.clock(after))
            legal.append(
                RatedMove(
                    game, position, move, after, worth,
                    zeroing=zeroing, clock=clock or 0, proof=proof, problem=lacking,
                )
            )  # fmt: skip
        by_depth = _by_depth(game, legal) if verdict is not None else ()
        if missing is not None and not (isinstance(missing, NotBuiltError) and _has_best(game, verdict, by_depth)):
            problem, by_depth = problem or missing, ()
        whole = rule is None or not rule.reaches(position)
        known = ProbeResult(game, position, verdict, problem, tuple(legal), by_depth, clock, whole=whole)
        return self._with_proofs(rule, known) if rule is not None and whole else known

    def _with_proofs(self, rule: Rule[P, M], known: ProbeResult[P, M]) -> ProbeResult[P, M]:
        """The same after a look at the replies to each move that depth and clock leave open."""
        legal = tuple(rated.with_(proof=self._proof(rule, rated)) for rated in known.legal)
        proofs = {rated.move: rated.proof for rated in legal}
        by_depth = tuple(rated.with_(proof=proofs[rated.move]) for rated in known.by_depth)
        return replace(known, legal=legal, by_depth=by_depth)

    def _proof(self, rule: Rule[P, M], rated: RatedMove[P, M]) -> Category | None:
        """What depth and clock prove of the position after a move; replies are probed until they settle it.

        Let the loser be mated in d plies there with the clock at c, and c + d > 100. A quiet best reply leaves that sum
        as it is and settles nothing, unless it brings the clock to 100, where a draw is claimed. So a loss is proved if
        no quiet reply escapes, and a win only by a capture or a pawn move.
        """
        if rated.proof not in _POSSIBLE or rated.verdict is None:
            return rated.proof
        claims_next = rule.clock(rated.after) + 1 >= HORIZON
        replies = [(move, rule.is_zeroing(rated.after, move)) for move in self.game.moves(rated.after)]
        quiet = [move for move, zeroing in replies if not zeroing]
        zeroing = [move for move, zeroing in replies if zeroing]
        if rated.proof is Category.MAYBE_LOSS and claims_next and quiet:
            return Category.BLESSED_LOSS
        searched = zeroing if rated.proof is Category.MAYBE_WIN else [*quiet, *zeroing]
        settled = Category.CURSED_WIN if claims_next else Category.MAYBE_WIN
        if rated.proof is Category.MAYBE_LOSS:
            settled = Category.LOSS
        for move in searched:
            after = self.game.play(rated.after, move)
            verdict, _ = _asked(lambda after=after: self.explorer.probe(after))
            reply = None if verdict is None else proved(verdict, rule.clock(after)).turned
            if rated.proof is Category.MAYBE_LOSS and reply is not Category.LOSS:
                return Category.MAYBE_LOSS
            if rated.proof is Category.MAYBE_WIN and reply is Category.WIN:
                return Category.WIN
            if rated.proof is Category.MAYBE_WIN and reply in (None, Category.MAYBE_WIN):
                settled = Category.MAYBE_WIN
        return settled

    def _under(self, rule: Rule[P, M], rated: RatedMove[P, M]) -> RatedMove[P, M]:
        """A move with what the rule makes of the position after it, seen alone."""
        after, verdict = rated.after, rated.verdict
        if verdict is None:
            verdict = self.game.terminal(after)
        fifty, problem = _asked(lambda: rule.alone(after, _signed(verdict)))
        return rated.with_(fifty=fifty, problem=problem)

    def _ruled(
        self, rule: Rule[P, M], known: ProbeResult[P, M], before: Fifty | None, problem: EndgameError | None
    ) -> ProbeResult[P, M]:
        """The same with what the rule makes of all moves; and of the position, seen alone, or why that is not known."""
        legal = known.legal
        failed = next((rated for rated in legal if rated.problem is not None), None)
        by_dtz: list[RatedMove[P, M]] = []
        if before is not None and failed is None:
            before = rule.settled(before, [rated.fifty for rated in legal if rated.fifty is not None])
            by_dtz = _graded_by_dtz(rule.ordered(before, legal))
        elif failed is not None:
            lacking = failed.problem  # a missing table tells after which move it is needed
            problem = problem or (lacking.after(failed.san) if isinstance(lacking, MissingError) else lacking)
            legal = tuple(self._settled(rule, rated.with_(before=before)) for rated in legal)
        worth = {rated.move: rated.fifty for rated in by_dtz or legal}
        by_depth = tuple(rated.with_(before=before, fifty=worth[rated.move]) for rated in known.by_depth)
        known = replace(known, legal=legal, by_depth=by_depth, fifty=before, fifty_problem=problem)
        if not by_dtz:
            return self._with_proofs(rule, known)
        if by_depth and by_depth[-1].verdict is None:  # DTZ knows all moves, depth does not
            known = replace(known, by_depth=(), problem=by_depth[-1].problem)
        return replace(known, by_dtz=tuple(by_dtz), rival=rule.rival(by_dtz))

    def _settled(self, rule: Rule[P, M], rated: RatedMove[P, M]) -> RatedMove[P, M]:
        """A move of which a ply of rounding decides: what it leads to may be told by the moves from there."""
        fifty = rated.fifty
        if fifty is None or fifty.category not in _POSSIBLE:
            return rated
        further: list[Fifty] = []
        for move in self.game.moves(rated.after):
            beyond = self.game.play(rated.after, move)
            result, _ = _asked(lambda beyond=beyond: rule.alone(beyond, None))
            if result is None:
                return rated
            further.append(result)
        return rated.with_(fifty=rule.settled(fifty, further))

    # Moves

    def minding(self, position: P, move: M) -> M:
        """The move, or the best under the rule when the move does not keep what the position is worth."""
        known = self.known(position)
        if known.keeps(move):
            return move
        return (known.by_dtz or known.moves)[0].move

    def keeping(self, position: P) -> tuple[RatedMove[P, M], ...]:
        """The moves that keep the result by DTZ, best first; none where that is not certain."""
        known = self.known(position)
        grades = [(rated, self._by_dtz(known, rated)) for rated in known.by_dtz]
        if any(grade is None for _, grade in grades):
            return ()
        return tuple(rated for rated, grade in grades if grade is not None and not grade.kind.is_error)

    def grade(self, position: P, move: M) -> Grade | None:
        """What a played move was worth: by depth, mended by the rule; by DTZ alone as far as that is certain.

        Where DTZ is not known, depth and clock may prove the results of moves. A move of which they leave open whether
        it keeps what another one is proved to keep has no grade.

        None where no table tells, and for a null move.
        """
        if self.game.is_null(move):
            return None
        if self.peek(position) is None and (grade := self._at_sight(position, move)) is not None:
            return grade
        known = self.known(position)
        rated = next(found for found in known.legal if found.move == move)
        if known.verdict is None or rated.verdict is None:
            return self._by_dtz(known, rated)
        by_depth = grade_of(known.verdict.code, worth_before(rated.verdict.code))
        played = known.under_rule(move) or rated
        best = known.best_under_rule
        if known.clock is None or played.checkmate or best is None or best.category is None or played.category is None:
            return by_depth
        was = best.category.turned
        now = played.category.turned
        if known.category is not None and any(other.category is None for other in known.legal):
            was = max(was, known.category, key=lambda category: category.goodness)  # the best move may be unknown
        if was is now and was in _POSSIBLE:
            return _counted(known, move, by_depth)
        kinds = _kinds(was, now)
        if len(kinds) > 1:
            # A draw that may have become a loss counts as lost only if the count that is running does not decide: the
            # loss takes longer than a whole count. Near the end of the count such moves often hold.
            is_long = was is Category.DRAW and (rated.verdict.depth or 0) > HORIZON
            is_error = is_long or all(kind.is_error for kind in kinds)
            return by_depth if is_error else None
        kind = kinds.pop()
        if kind is Kind.STILL_LOST:
            return by_depth
        return _counted(known, move, by_depth) if kind is Kind.KEEPS else Grade(kind)

    def _at_sight(self, position: P, move: M) -> Grade | None:
        """The grade where no limit of moves can matter, for which no other move is looked at; else None."""
        codes: list[int] = []
        for here in (position, self.game.play(position, move)):
            verdict, _ = _asked(lambda here=here: self.explorer.probe(here))
            if verdict is None or (self.rule is not None and self.rule.clock(here) + (verdict.depth or 0) > HORIZON):
                return None
            codes.append(verdict.code)
        return grade_of(codes[0], worth_before(codes[1]))

    def _by_dtz(self, known: ProbeResult[P, M], rated: RatedMove[P, M]) -> Grade | None:
        """What a move made of the result; None where tables are missing, or rounded where a ply decides."""
        if known.fifty is None:
            return None
        if rated.checkmate:
            return Grade(Kind.BEST)
        was, claimable = known.fifty.category, known.fifty.clock >= HORIZON
        played = known.under_rule(rated.move)
        if played is not None and played.category is not None and known.by_dtz[0].category is not None:
            best, now = known.by_dtz[0].category.turned, played.category.turned
            was = was if was in _POSSIBLE.get(best, ()) else best
        elif (after := self.known(rated.after).fifty) is not None and not claimable:
            now = after.category.turned
        else:
            return None
        kinds = _kinds(was, now)
        return Grade(kinds.pop()) if len(kinds) == 1 else None

    # Lines

    def line(self, position: P, most: int = LONGEST, by: str | None = None, claims: bool = True) -> BestLine[P, M]:
        """The best moves of both sides, as far as tables tell them; never raises an EndgameError.

        Args:
            position: Where it begins.
            most: Plies at most.
            by: The game's own metric, also by default: to the end of the game, a single move in a draw. :data:`DTZ`: to
                the end or to the first claim of a draw, none from a drawn position. :data:`MINDING`: by depth as far as
                that keeps the result under the rule.
            claims: Whether a line that minds the rule ends where a draw can be claimed.
        """
        by = by or self.game.metric
        line: BestLine[P, M] = BestLine(DTZ if by == DTZ else self.game.metric)
        steps: list[RatedMove[P, M]] = []
        over, cut, here = False, None, position
        rule = self.rule if claims and by != self.game.metric else None
        while len(steps) < most and not over:
            step, problem = _asked(lambda here=here: self._step(here, by))
            if by == DTZ and steps and isinstance(problem, MissingError) and (step := self._other_way(steps[-1])):
                steps.pop()
            if step is None:
                cut = problem
                break
            steps.append(step)
            here = step.after
            ended = step.checkmate if by == DTZ else not line.depth(step)
            over = ended or (rule is not None and rule.clock(here) >= HORIZON)
        return BestLine(line.metric, tuple(steps), cut, over)

    def _other_way(self, step: RatedMove[P, M]) -> RatedMove[P, M] | None:
        """A move as good by DTZ as one after which a table is missing, where none is; None where there is none."""
        worth = step.category, step.plies
        others = [rated for rated in self.known(step.position).by_dtz if (rated.category, rated.plies) == worth]
        return next((rated for rated in others if _asked(lambda at=rated.after: self._step(at, DTZ))[1] is None), None)

    def best_play(self, position: P, metric: str | None = None, most: int = LONGEST) -> BestPlay[P, M]:
        """Best play by a metric; by default by depth, but by DTZ where that is not known or where the clock matters.

        Its line has ``most`` plies at most.

        The clock matters where it would pass the limit before the end: what is best by depth need then not keep the
        result.

        Raises:
            NotBuiltError: No table by depth tells it, where none by DTZ may or can.
            MissingError: No table by DTZ tells it.
            TableError: A table is damaged.
            EndingError: No table can cover the position.
        """
        known, by_depth = self.known(position), self.game.metric
        if metric == by_depth or known.clock is None:
            return self._best_by_depth(known, most)
        result = None
        if metric is None and known.verdict is not None and not isinstance(known.problem, TableError):
            result = self._best_by_depth(known, most)
            if result.line.cut is None and known.clock + (known.verdict.depth or 0) <= HORIZON:
                return result
        elif metric is None and isinstance(known.problem, TableError):
            raise known.problem
        if known.fifty is not None and known.fifty_problem is None:
            return self._best_by_rule(known, known.fifty, most)
        if result is not None:
            if known.ended:
                return replace(result, category=known.category or result.category, line=BestLine(by_depth), winner=None)
            line = self.line(position, most, MINDING, claims=False)
            return replace(result, category=known.category or result.category, line=line)
        assert known.fifty_problem is not None
        if metric is None and known.fifty is not None and isinstance(known.fifty_problem, MissingError):
            return self._best_by_rule(known, known.fifty, most)  # the line tells what is missing
        raise known.fifty_problem

    def _best_by_rule(self, known: ProbeResult[P, M], found: Fifty, most: int) -> BestPlay[P, M]:
        mover = self.game.mover(known.position)
        winner = None if found.category is Category.DRAW else mover if found.dtz > 0 else other(mover)
        return BestPlay(known, self.line(known.position, most, DTZ), found.category, found.dtz, winner)

    def _best_by_depth(self, known: ProbeResult[P, M], most: int) -> BestPlay[P, M]:
        if (verdict := known.verdict) is None or isinstance(known.problem, TableError):
            raise known.problem or NotBuiltError(self.game.ending_of(known.position))
        depth = None if verdict.depth is None else verdict.signed
        return BestPlay(known, self.line(known.position, most), verdict.category, depth, verdict.winner)

    def _step(self, position: P, by: str) -> RatedMove[P, M] | None:
        """The first move of a line; None where there is none."""
        text = self.game.format(position)
        key = (text, by)
        if key not in self._steps:
            if len(self._steps) >= 2 * LONGEST:
                self._steps.clear()
            known, by_depth = self._known.get(text), by == self.game.metric
            step = self._step_by_depth(position, known) if by_depth else self._step_by_rule(position, known, by)
            self._steps[key] = step
        return self._steps[key]

    def _step_by_depth(self, position: P, known: ProbeResult[P, M] | None) -> RatedMove[P, M] | None:
        """One that wins soonest or resists longest; of several the first as they are written.

        The table tells what the best is worth, so that no move is looked at that is written later than such a one, and
        one that leads to what is not built does not matter where another is as good.
        """
        if known is not None and known.by_depth:
            return known.by_depth[0]
        game, explorer = self.game, self.explorer
        worth, _ = _asked(lambda: explorer.code(position))
        best: list[tuple[M, P, Verdict]] = []
        most, last = -1, None
        missing: NotBuiltError | None = None
        for writing, move in sorted(((game.writing(position, m), m) for m in game.moves(position)), key=_FIRST):
            if most == worth and writing != last:
                break
            after = game.play(position, move)
            try:
                verdict = explorer.probe(after)
            except NotBuiltError as lacking:
                missing = missing or lacking
                continue
            result = game.index.worth(position, move, verdict.code)
            if result >= most:
                best = best if result == most else []
                best.append((move, after, verdict))
                most, last = result, writing
        if missing is not None and most != worth:
            raise missing
        rated = [RatedMove(game, position, *told) for told in best]
        return min(rated, key=lambda one: one.san) if len(rated) > 1 else rated[0] if rated else None

    def _step_by_rule(self, position: P, known: ProbeResult[P, M] | None, by: str) -> RatedMove[P, M] | None:
        """The best by DTZ, or the best by depth that keeps the result."""
        known = known or self._find_out(self._find_out_early(position))
        if by != DTZ:
            if known.problem is not None and known.legal:
                raise known.problem
            return known.best
        if known.fifty is not None and (known.fifty.category is Category.DRAW or known.fifty.clock >= HORIZON):
            return None
        if known.fifty_problem is not None:
            if (sure := self._sure(known)) is None:
                raise known.fifty_problem
            return sure
        return known.by_dtz[0] if known.by_dtz else None

    def _sure(self, known: ProbeResult[P, M]) -> RatedMove[P, M] | None:
        """A move that is as good by DTZ as the position itself, so that what is not known of others does not matter."""
        if self.rule is None or (before := known.fifty) is None:
            return None
        worth = before.category.turned, abs(before.dtz)
        moves = self.rule.ordered(before, known.legal)
        return next((rated for rated in moves if (rated.category, rated.plies) == worth), None)


@dataclass(frozen=True, slots=True)
class BestLine(Generic[P, M]):
    """The best moves of both sides.

    Attributes:
        metric: By which they are best.
        steps: The plies.
        cut: What is missing, or damaged, for the rest of them.
        over: Whether the game ends with the last of them, or a draw is claimed.
    """

    metric: str
    steps: tuple[RatedMove[P, M], ...] = ()
    cut: EndgameError | None = None
    over: bool = False

    def depth(self, step: RatedMove[P, M]) -> int | None:
        """Signed depth after a ply, for the side then to move; None for a draw by depth."""
        if self.metric == DTZ:
            return step.dtz
        return None if step.verdict is None or step.verdict.depth is None else step.verdict.signed

    @property
    def moves(self) -> list[M]:
        """The moves alone."""
        return [step.move for step in self.steps]

    @property
    def sans(self) -> list[str]:
        """The moves as people write them."""
        return [step.san for step in self.steps]

    @property
    def ends(self) -> bool:
        """Whether it goes to a won end of the game."""
        return self.over and self.depth(self.steps[-1]) == 0


@dataclass(frozen=True, slots=True)
class BestPlay(Generic[P, M]):
    """What best play is, and by which metric that is told (that of its line).

    Attributes:
        known: What is known of the position.
        line: The best moves of both sides.
        category: Of the position; the clock counts, unless depth was asked for.
        depth: Signed plies; by depth None for a draw.
        winner: Who wins, in the position's own colours; None for a draw.
    """

    known: ProbeResult[P, M]
    line: BestLine[P, M]
    category: Category
    depth: int | None
    winner: str | None


def proved(verdict: Verdict, clock: int) -> Category:
    """The category of a position by its verdict alone; a mate before anybody can claim is sure."""
    if verdict.depth is None or (verdict.depth and clock >= LAST_CLOCK):
        return Category.DRAW
    wins = verdict.category is Category.WIN
    if clock + verdict.depth <= HORIZON or not verdict.depth:
        return Category.WIN if wins else Category.LOSS
    if clock >= HORIZON:
        return Category.CURSED_WIN if wins else Category.BLESSED_LOSS
    return Category.MAYBE_WIN if wins else Category.MAYBE_LOSS


def judged(clock: int, verdict: Verdict, moves: Sequence[RatedMove[P, M]]) -> Category:
    """The category of a position by what its moves lead to: captures and pawn moves reset the clock.

    Args:
        clock: Its half-move clock.
        verdict: By depth.
        moves: Rated by depth; none where the game is over, or they are not known.
    """
    known = [rated for rated in moves if rated.verdict is not None]
    if clock >= HORIZON or not known:
        return proved(verdict, clock)
    best = min((_proof_of(rated, clock) for rated in known), key=lambda category: category.goodness)
    if best is Category.LOSS:
        return Category.WIN  # one move that wins is enough
    return best.turned if len(known) == len(moves) else proved(verdict, clock)


def _proof_of(rated: RatedMove[P, M], clock: int) -> Category:
    """What depth and clock prove of the position after a move from one with that clock."""
    assert rated.verdict is not None
    return rated.proof or proved(rated.verdict, 0 if rated.zeroing else clock + 1)


def _signed(verdict: Verdict | None) -> int | None:
    return None if verdict is None else verdict.signed


T = TypeVar("T")


def _keep(kept: dict[str, T], key: str, found: T) -> T:
    """Keeps what was found, and forgets all when it has become too much."""
    if len(kept) >= _KEPT:
        kept.clear()
    kept[key] = found
    return found


def _asked(ask: Callable[[], T]) -> tuple[T | None, EndgameError | None]:
    """What tables answer, or why they cannot."""
    try:
        return ask(), None
    except EndgameError as problem:
        return None, problem


def _goodness(category: Category | None) -> int:
    """A place in the order of the mover, for what is known of the position after a move."""
    return len(Category) if category is None else category.goodness


def _partial_order(rated: RatedMove[P, M]) -> tuple[int, int, str]:
    """What is better for the mover first, what is not known last."""
    if rated.fifty is None:
        return len(Category), 0, rated.san
    return _goodness(rated.category), 0 if rated.zeroing else -rated.dtz, rated.san


def _has_best(game: Game[P, M], verdict: Verdict | None, rated: Sequence[RatedMove[P, M]]) -> bool:
    """Whether the first of some moves is worth what the table says that the position is."""
    if verdict is None or not rated or rated[0].verdict is None:
        return False
    return game.index.worth(rated[0].position, rated[0].move, rated[0].verdict.code) == verdict.code


def _by_depth(game: Game[P, M], moves: Sequence[RatedMove[P, M]]) -> tuple[RatedMove[P, M], ...]:
    """All legal moves of a position: graded, best first; those of which no verdict is known last, without a grade."""
    result = [
        (game.index.worth(rated.position, rated.move, rated.verdict.code), rated)
        for rated in moves
        if rated.verdict is not None
    ]
    result.sort(key=lambda one: (-one[0], one[1].san))
    graded: list[RatedMove[P, M]] = []
    for worth, rated in result:
        was, longest = game.index.value(result[0][0])
        now, depth = game.index.value(worth)
        later = abs((depth or 0) - (longest or 0)) if was is now else 0
        if worth == result[0][0]:
            grade = "best"
        elif was is now:
            grade = "slower" if now in _WINS else "faster"
        else:
            grade = "loss" if now is Category.LOSS else "draw"
        graded.append(rated.with_(grade=grade, later=later))
    return (*graded, *(rated for rated in moves if rated.verdict is None))


def _graded_by_dtz(moves: Sequence[RatedMove[P, M]]) -> list[RatedMove[P, M]]:
    """Ordered moves with their grades by DTZ: those as good as the first are best, others what they keep."""
    graded: list[RatedMove[P, M]] = []
    for rated in moves:
        best = moves[0]
        if rated.category is not best.category:
            graded.append(_spoiling(rated, rated.category))
            continue
        later = abs(rated.plies - best.plies)
        worse = "faster" if best.dtz > 0 else "slower"
        graded.append(rated.with_(grade=worse if later else "best", later=later))
    return graded


def _spoiling(rated: RatedMove[P, M], category: Category | None) -> RatedMove[P, M]:
    """A move that does not keep the category, graded by the one it is worth."""
    worth = Category.DRAW if category is None else category.turned
    plain = {Category.DRAW: "draw", Category.LOSS: "loss"}
    return rated.with_(grade=plain.get(worth, worth.value), later=0)


def _counted(known: ProbeResult[P, M], move: M, by_depth: Grade) -> Grade:
    """A move that keeps the result: plies lost against the best by depth that does."""
    if not known.by_depth:
        return by_depth if by_depth.kind is Kind.BEST else Grade(Kind.KEEPS)
    result = next(rated for rated in known.moves if rated.move == move)
    kind = {"best": Kind.BEST, "slower": Kind.SLOWER, "faster": Kind.FASTER}.get(result.grade)
    return by_depth if kind is None else Grade(kind if result.later else Kind.BEST, result.later)


def _kinds(was: Category, now: Category) -> set[Kind]:
    """What may have become of the result: several kinds where a category before or after the move is open."""
    possible = product(_POSSIBLE.get(was, (was,)), _POSSIBLE.get(now, (now,)))
    return {_result(best, played) for best, played in possible if played.goodness <= best.goodness}


def _result(was: Category, now: Category) -> Kind:
    """What became of the result: a category before a move and after it, both certain.

    Once a draw can be claimed, a win is cursed already and cannot become so: a move that leaves it cursed holds.
    """
    if _WORTH[now] < _WORTH[was]:
        if _WORTH[now] < 0:
            return Kind.LOSES
        return Kind.CURSED if now is Category.CURSED_WIN else Kind.WIN_GONE
    if _WORTH[was]:
        return Kind.KEEPS if _WORTH[was] > 0 else Kind.STILL_LOST
    if was is Category.CURSED_WIN and now is not was:
        return Kind.WIN_GONE
    return Kind.HOLDS


PATIENCE = 0.015
"""Seconds for which a screen waits: nearly always enough, and then the row is painted once, not twice."""

_AT_A_TIME = 8
"""Plies of a line between two looks at whether it is still wanted."""


class BackgroundProber(Generic[P, M]):
    """Finds out about one position at a time, in a thread.

    Args:
        judge: Whom to ask.
    """

    def __init__(self, judge: Judge[P, M]) -> None:
        self.judge = judge
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="clerk")
        self._asked: Future[object] | None = None
        self._wanted = ""
        self._lines: dict[str, BestLine[P, M]] = {}

    @property
    def busy(self) -> bool:
        """Whether something is being found out."""
        return self._asked is not None and not self._asked.done()

    def forget(self) -> None:
        """Follows lines anew; what the thread is at counts no more."""
        self._wanted, self._lines = "", {}

    def line(self, position: P) -> BestLine[P, M] | None:
        """The best line by DTZ, as far as it was asked for and found."""
        return self._lines.get(self.judge.game.format(position))

    def ask(self, position: P, then: Callable[[], object], plies: int = 0) -> None:
        """Finds out about a position; ``then`` is called in the thread whenever more is known than a moment later.

        Args:
            position: The position; nothing more is found out about the one asked for before.
            then: Called in the thread.
            plies: How much of the best line by DTZ is wanted.
        """
        self._wanted = key = self.judge.game.format(position)
        if self.judge.peek(position) is None:
            self._have_done(lambda: self.judge.known(position) if key == self._wanted else None, then)
        known, line = self.judge.peek(position), self._lines.get(key)
        if plies > 1 and (known is None or known.by_dtz) and (line is None or not _is_enough(line, plies)):
            self._have_done(lambda: self._follow(position, key, plies), then, patience=0.0)

    def do(self, work: Callable[[], object], then: Callable[[], object]) -> bool:
        """Has something else found out; False when it takes longer, and then ``then`` is called in the thread."""
        self._wanted = ""
        return self._have_done(work, then)

    def _have_done(self, work: Callable[[], object], then: Callable[[], object], patience: float = PATIENCE) -> bool:
        """Waits for a moment; when it takes longer, ``then`` is called afterwards."""
        asked = self._asked = self._thread.submit(work)
        try:
            asked.result(patience)
        except NotYet:
            asked.add_done_callback(lambda asked: asked.cancelled() or then())
            return False
        return True

    def _follow(self, position: P, key: str, plies: int) -> None:
        """In the thread: the line, until something else is wanted."""
        for most in (*range(_AT_A_TIME, plies, _AT_A_TIME), plies):
            if key != self._wanted:
                break
            line = _keep(self._lines, key, self.judge.line(position, most, DTZ))
            if _is_enough(line, most + 1):
                break

    def close(self) -> None:
        """Ends the thread."""
        self._wanted = ""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _is_enough(line: BestLine[Any, Any], plies: int) -> bool:
    """Whether a line goes so far, or no farther."""
    return len(line.steps) >= plies or line.cut is not None or not line.steps or line.over
