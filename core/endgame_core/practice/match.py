"""One played game: moves and their grades, takebacks, hints, draws, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from endgame_core.errors import EndgameError, PositionError
from endgame_core.game import Game
from endgame_core.judge import Judge
from endgame_core.practice.defence import Defence, accepts_draw, can_win
from endgame_core.practice.records import PLAY, Attempt, Made, Outcome
from endgame_core.tracked import Draw, Tracked, Win
from endgame_core.values import Category, Grade, Tally, Verdict, Winner, other

if TYPE_CHECKING:
    from endgame_core.practice.journal import Journal
    from endgame_core.practice.theme import Theme

P = TypeVar("P")
M = TypeVar("M")


class End(StrEnum):
    """How a game can end otherwise than on the board, in words that follow ``by``."""

    TIME = "time"
    AGREED = "agreement"
    SHOWN = "asking to be shown"


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended.

    Attributes:
        winner: ``white`` or ``black`` as on the board, None when nobody won.
        reason: By what.
    """

    winner: Winner | None
    reason: End | Win | Draw

    @property
    def score(self) -> str:
        """As PGN writes it; ``*`` for a game that was shown by the table instead of being played to its end."""
        if self.reason is End.SHOWN:
            return "*"
        return {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[self.winner]


@dataclass(frozen=True, slots=True)
class Ply(Generic[P, M]):
    """A move that was made.

    Attributes:
        move: The move.
        san: As people write it.
        before: The position it was made in.
        after: The position after it.
        mover: Who made it.
        grade: Its worth; None where no table knows.
        verdict: The verdict after it, seen by the side then to move; None where no table knows.
        hints: Steps of hints taken for it: 1 the man, 2 the move.
        seconds: Time taken for it.
        shown: It was not played, but shown by the table.
    """

    move: M
    san: str
    before: P
    after: P
    mover: Winner
    grade: Grade | None
    verdict: Verdict | None
    hints: int = 0
    seconds: float = 0.0
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Hint(Generic[M]):
    """A hint: at step 1 only the man of ``move`` is to be told, at step 2 the move."""

    move: M
    step: int


@dataclass(frozen=True, slots=True)
class Claim(Generic[M]):
    """A draw that the side to move may claim; ``move`` is the one to announce, None when it needs none."""

    draw: Draw
    move: M | None


@dataclass(frozen=True, slots=True)
class Control:
    """A clock: seconds for the whole game, and seconds added after each move."""

    seconds: float
    increment: float = 0.0


_LOST = (Category.LOSS, Category.MAYBE_LOSS, Category.BLESSED_LOSS)

BY_LIMIT = (Draw.FIFTY, Draw.SEVENTY_FIVE, Draw.QUIET)
"""Draws by a limit of moves."""


class Listener(Protocol):
    """Follows a game as it is played; every call comes right after the fact."""

    def moved(self, match: Match[Any, Any], ply: Ply[Any, Any]) -> None:
        """A move was made, by either side."""
        ...

    def taken_back(self, match: Match[Any, Any], plies: int) -> None:
        """So many of the last plies were taken back."""
        ...

    def hinted(self, match: Match[Any, Any], hint: Hint[Any]) -> None:
        """A new step of a hint was given."""
        ...

    def finished(self, match: Match[Any, Any], result: Result) -> None:
        """The game is over."""
        ...


class Match(Generic[P, M]):
    """A game of a person against a defender.

    It knows the rules, what happened and what it was worth; whose reply comes from where is not its affair.

    Args:
        judge: Grades the moves where it can, and tells who wins.
        start: The position to begin from.
        you: The person's side, ``white`` or ``black``.
        defence: The defender's manner.
        control: The person's clock, None for none.
        limited: Whether a limit of moves, of which tables by mate know nothing, ends the game or allows a claim.
    """

    def __init__(
        self,
        judge: Judge[P, M],
        start: P,
        you: Winner,
        defence: Defence = Defence.PERFECT,
        control: Control | None = None,
        limited: bool = True,
    ) -> None:
        self.judge = judge if limited else judge.unlimited
        self.explorer = judge.explorer
        self.game = judge.game
        self.you = you
        self.defence = defence
        self.control = control
        self.listener: Listener | None = None
        """Is told what happens."""
        self.limited = limited
        self.tracked: Tracked[P, M] = self.game.tracked(start)
        """The game so far, with its repetitions and its 50-move clock; only moves are to be asked of it."""
        self.start: P = start
        self.start_verdict = self._verdict(start)
        self.plies: list[Ply[P, M]] = []
        self.result: Result | None = None
        self.estimated = False
        """Whether what was shown is an estimate."""
        self.takebacks = 0
        self.hints = 0
        self.offers = 0
        self.left = None if control is None else control.seconds
        """Seconds left on the person's clock, None without one."""
        self._hint: Hint[M] | None = None
        self._lefts: list[float | None] = []
        self._conclude()

    @property
    def position(self) -> P:
        """Where the game stands."""
        return self.plies[-1].after if self.plies else self.start

    @property
    def mover(self) -> Winner:
        """The side to move."""
        return self.game.mover(self.position)

    @property
    def opponent(self) -> Winner:
        """The defender's side."""
        return other(self.you)

    @property
    def your_turn(self) -> bool:
        """Whether the person is to move in a game that goes on."""
        return self.result is None and self.mover == self.you

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the position, None where no table knows."""
        return self.plies[-1].verdict if self.plies else self.start_verdict

    @property
    def given(self) -> Hint[M] | None:
        """The hint that has been given for this move."""
        return self._hint

    def _verdict(self, position: P) -> Verdict | None:
        return self.game.terminal(position) or self.judge.early(position).verdict

    def play(self, move: M, seconds: float = 0.0) -> Ply[P, M]:
        """Makes a legal move for the side to move.

        Args:
            move: The move.
            seconds: Time taken for it.

        Raises:
            PositionError: The game is over, or the move is not legal.
        """
        self._check_running()
        if move not in self.game.moves(self.position):
            raise PositionError(f"{self.game.uci(move)} is no legal move here", "choose another one")
        yours = self.mover == self.you
        self._lefts.append(self.left)
        ply = self._ply(move, seconds, hints=self._hint.step if yours and self._hint else 0)
        self._make(ply)
        if yours and self.left is not None and self.control is not None:
            self.left -= seconds
            if self.left > 0:
                self.left += self.control.increment
        if self.listener is not None:
            self.listener.moved(self, ply)
        self._conclude()
        if yours and self.left is not None and self.left <= 0:
            self.flag()
        return ply

    def _ply(self, move: M, seconds: float = 0.0, hints: int = 0, shown: bool = False) -> Ply[P, M]:
        before = self.position
        after = self.game.play(before, move)
        san, mover = self.game.san(before, move), self.game.mover(before)
        return Ply(
            move, san, before, after, mover, self.judge.grade(before, move), self._verdict(after), hints, seconds, shown
        )

    def _make(self, ply: Ply[P, M]) -> None:
        self.tracked.push(ply.move)
        self.plies.append(ply)
        self._hint = None

    def _check_running(self) -> None:
        if self.result is not None:
            raise PositionError("the game is over", "start another one, or play on from one of its positions")

    def _conclude(self) -> None:
        """Ends the game if the rules say so."""
        if self.result is not None:
            return
        over = self.game.terminal(self.position)
        if isinstance(won := self.tracked.finished(), Win):
            self._finish(Result(other(self.mover), won))
        elif over is not None:
            stuck = not self.game.moves(self.position)
            self._finish(Result(None, Draw.STALEMATE if stuck else Draw.MEN))
        elif (drawn := self._counting(self.tracked.drawn())) is not None:
            self._finish(Result(None, drawn))

    def _counting(self, draw: Draw | None) -> Draw | None:
        """A draw, unless it is by a limit of moves that this game does not have."""
        return draw if self.limited or draw not in BY_LIMIT else None

    def _finish(self, result: Result) -> None:
        self.result, self._hint = result, None
        if self.listener is not None:
            self.listener.finished(self, result)

    def take_back(self) -> int:
        """Takes back the person's last move, and the reply to it.

        Returns:
            How many plies were taken back.

        Raises:
            PositionError: The game is over, or the person has not moved yet.
        """
        self._check_running()
        count = next((n for n, ply in enumerate(reversed(self.plies), start=1) if ply.mover == self.you), None)
        if count is None:
            raise PositionError("there is nothing to take back", "you have not moved yet")
        for _ in range(count):
            self.plies.pop()
            self.tracked.pop()
            self.left = self._lefts.pop()
        self._hint = None
        self.takebacks += 1
        if self.listener is not None:
            self.listener.taken_back(self, count)
        return count

    def hint(self, best: M) -> Hint[M]:
        """Gives the next step of a hint for this move: first the man, then the move; then the move again.

        Args:
            best: A best move; what an earlier step was about stays.

        Raises:
            PositionError: It is not the person's move.
        """
        self._check_yours()
        if self._hint is not None and self._hint.step == 2:
            return self._hint
        self._hint = Hint(best, 1) if self._hint is None else Hint(self._hint.move, 2)
        self.hints += 1
        if self.listener is not None:
            self.listener.hinted(self, self._hint)
        return self._hint

    def _check_yours(self) -> None:
        self._check_running()
        if not self.your_turn:
            raise PositionError("it is not your move", "wait for the reply")

    def claim(self) -> Claim[M] | None:
        """The draw that the side to move may claim now, or with a move that it announces; None when there is none."""
        if self.result is not None:
            return None
        if (draw := self._counting(self.tracked.claim())) is not None:
            return Claim(draw, None)
        for move in self.game.moves(self.position):
            if (draw := self._counting(self.tracked.claim(move))) is not None:
                return Claim(draw, move)
        return None

    def claim_draw(self) -> Claim[M]:
        """Claims a draw for the side to move, and ends the game.

        Raises:
            PositionError: There is nothing to claim.
        """
        self._check_running()
        claim = self.claim()
        if claim is None:
            raise PositionError("no draw can be claimed here", "offer one")
        self._finish(Result(None, claim.draw))
        return claim

    def offer_draw(self) -> bool:
        """Offers the defender a draw; True when he accepts, which ends the game.

        He accepts only a drawn position that he cannot expect to win; where no table knows, he plays on.
        """
        self._check_yours()
        self.offers += 1
        try:
            accepted = accepts_draw(self.explorer, self.position, self.opponent)
        except EndgameError:
            accepted = False
        if accepted:
            self._finish(Result(None, End.AGREED))
        return accepted

    def defender_claims(self) -> Claim[M] | None:
        """The draw that the defender, being to move, claims: any that he can, unless he wins or may hope to."""
        claim = self.claim() if self.result is None and self.mover == self.opponent else None
        if claim is None:
            return None
        if self.verdict is None:  # whether the ending can be won at all only its table tells
            return claim if self.judge.category(self.position) in _LOST else None
        if self.verdict.category is Category.WIN or (self.verdict.category is Category.DRAW and self._hopes()):
            return None
        return claim

    def _hopes(self) -> bool:
        try:
            return can_win(self.explorer, self.position, self.opponent)
        except EndgameError:
            return False

    def flag(self) -> None:
        """The person's time is up: lost, unless the defender's side wins nothing in this ending."""
        if self.result is None:
            known = self.verdict is not None
            lost = not known or self._hopes()
            self._finish(Result(self.opponent, End.TIME) if lost else Result(None, Draw.MEN))

    def end(self, result: Result) -> None:
        """Ends the game otherwise than by the rules, such as one that was read from a file.

        Raises:
            PositionError: The game is over.
        """
        self._check_running()
        self._finish(result)

    def show(self, line: Sequence[M], estimated: bool = False) -> None:
        """Gives up and lets a line be shown, which is put behind the moves played.

        Args:
            line: The moves.
            estimated: Whether they are an estimate.

        Raises:
            PositionError: The game is over.
        """
        self._check_running()
        self.estimated = estimated
        self._finish(Result(None, End.SHOWN))
        for move in line:
            self._make(self._ply(move, shown=True))

    @property
    def played(self) -> list[Ply[P, M]]:
        """The plies that were played, not those that were shown."""
        return [ply for ply in self.plies if not ply.shown]

    @property
    def tally(self) -> Tally:
        """The person's grades."""
        return Tally.of(ply.grade for ply in self.played if ply.mover == self.you)

    @property
    def perfect(self) -> int | None:
        """The moves in which the person could have won from the start; None where that was no win."""
        verdict = self.start_verdict
        if verdict is None or verdict.depth is None or verdict.winner != self.you:
            return None
        return (verdict.depth + 1) // 2

    def slips(self) -> list[int]:
        """Numbers, from 0, of the played plies by which the person made the result worse or the way longer."""
        return [
            number
            for number, ply in enumerate(self.plies)
            if ply.mover == self.you and not ply.shown and ply.grade and (ply.grade.kind.is_error or ply.grade.plies)
        ]


HOLD_MOVES = 15
"""Moves of the learner after which a position counts as held."""


class Goal(StrEnum):
    """What is to be reached."""

    WIN = "win"
    DRAW = "draw"
    LAST = "last"
    MOVE = "move"
    ANSWER = "answer"
    ANY = ""
    """Not to lose: in a game that no table knows, or a lost one of which none knows how long it can be held."""


def goal_of(verdict: Verdict | None, mover: Winner, learner: Winner) -> Goal:
    """What the learner's side can reach, given the verdict for the side to move."""
    if verdict is None:
        return Goal.ANY
    if verdict.category is Category.DRAW:
        return Goal.DRAW
    return Goal.WIN if (verdict.category is Category.WIN) == (mover == learner) else Goal.LAST


def allowed(perfect: int | None) -> int:
    """Plies that may be lost in a solved drill: a tenth of the perfect length, an even number, and at least 2."""
    return max(2, (perfect or 0) // 20 * 2)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a drill stands.

    Attributes:
        over: Whether nothing more is asked of the learner.
        reached: Whether the goal was reached.
        why: What decided, in words: ``mate``, ``the win is gone``; empty while it goes on.
    """

    over: bool = False
    reached: bool = False
    why: str = ""


GOING_ON = Standing()


def standing(goal: Goal, match: Match[Any, Any]) -> Standing:
    """Where a played drill or game stands, by the rules of the game and by the tables.

    Args:
        goal: What is to be reached.
        match: What was played.
    """
    last = next((ply for ply in reversed(match.played) if ply.mover == match.you), None)
    if goal is Goal.MOVE and last is not None:
        kept = last.grade is not None and not last.grade.kind.is_error
        return Standing(True, kept, "the only move" if kept else "the result is gone")
    if match.result is not None:
        return _ended(goal, match)
    if goal in (Goal.WIN, Goal.DRAW) and last is not None and last.grade is not None and last.grade.kind.is_error:
        return Standing(True, False, "the win is gone" if goal is Goal.WIN else "the draw is gone")
    if goal in (Goal.DRAW, Goal.LAST):
        return _held(goal, match)
    return _spoilt(match) if goal is Goal.WIN else GOING_ON


def _ended(goal: Goal, match: Match[Any, Any]) -> Standing:
    """The rules, or the person, have ended the game."""
    result = match.result
    assert result is not None
    if result.reason is End.SHOWN:
        return Standing(True, False, "shown")
    won, drawn = result.winner == match.you, result.winner is None
    reached = {Goal.WIN: won, Goal.LAST: result.reason is not End.TIME}.get(goal, won or drawn)
    return Standing(True, reached, str(result.reason))


def _held(goal: Goal, match: Match[Any, Any]) -> Standing:
    """Whether enough has been held, or more than was asked for."""
    own = sum(ply.mover == match.you for ply in match.played)
    if own == 0:
        return GOING_ON
    verdict = match.verdict
    if verdict is not None:
        now = goal_of(verdict, match.mover, match.you)
        if now is Goal.WIN or (goal is Goal.LAST and now is Goal.DRAW):
            return Standing(True, True, "more than held")
    if goal is Goal.DRAW and match.mover == match.you and (claim := match.claim()) is not None:
        return Standing(True, True, str(claim.draw))
    if goal is Goal.DRAW and verdict is not None and _harmless(match):
        return Standing(True, True, "nobody can lose this any more")
    return Standing(True, True, f"held for {own} moves") if own >= HOLD_MOVES else GOING_ON


def _harmless(match: Match[Any, Any]) -> bool:
    try:
        return not can_win(match.explorer, match.position, match.opponent)
    except EndgameError:
        return False


def _spoilt(match: Match[Any, Any]) -> Standing:
    """Whether the defender may claim a draw in a position that was to be won."""
    claim = match.defender_claims() if match.mover != match.you else None
    return GOING_ON if claim is None else Standing(True, False, str(claim.draw))


def unnamed(game: Game[Any, Any]) -> str:
    """The theme of games from positions that belong to no ending."""
    return "other" if game.name == "chess" else game.name


class Recorder:
    """Keeps an attempt: a :class:`Match`, as its listener, or the answer to a question.

    The attempt is begun with the first move or hint, so that a game that was only looked at leaves no trace. A game is
    finished when the match ends, by the rule for drills: solved when the goal was reached as well as could be. What
    ends a drill, its theme knows.

    Args:
        journal: Where to write; None adds up only.
        theme: What is drilled; None for a game.
        goal: What is to be reached; by default what the start is worth.
        run: Joins attempts made in a row.
        mode: The mode it is kept under; by default that of the theme.
    """

    def __init__(
        self,
        journal: Journal | None,
        theme: Theme | None = None,
        goal: Goal | None = None,
        run: str = "",
        mode: str = "",
    ) -> None:
        self.journal = journal
        self.theme = theme
        self.goal = goal
        self.run = run
        self.mode = mode or (PLAY if theme is None else theme.mode)
        self.uuid = ""
        """The attempt in the journal; empty before it was begun."""
        self.finished_as: Outcome | None = None
        self.plies_lost = 0
        self.errors = 0
        self.hints = 0
        self.takebacks = 0
        self.moves = 0
        self.seconds = 0.0
        """Thought by the person about ``moves`` moves."""

    def begin(self, match: Match[Any, Any]) -> None:
        """Begins the attempt now, if it has not been."""
        verdict = match.start_verdict
        perfect = None if verdict is None else verdict.depth
        self.begin_at(match.game, match.start, match.you, match.defence, goal=self._goal(match), perfect=perfect)

    def begin_at(self, game: Game[Any, Any], start: Any, learner: str, defence: str = "", **facts: Any) -> None:
        """Begins an attempt at a position, unless one has been; ``facts`` are further fields of the attempt."""
        if self.uuid or self.journal is None:
            return
        theme, ending = self.theme, "" if self.theme is None else self.theme.ending
        with suppress(EndgameError):
            ending = ending or game.ending_of(start)
        key, label = (ending or unnamed(game), "game") if theme is None else (theme.key, theme.label)
        self.uuid = self.journal.begin(
            Attempt(
                theme=key, label=label, ending=ending, mode=self.mode, start=game.format(start), colour=learner,
                defence=defence, run=self.run, game=game.name, **facts,
            )
        )  # fmt: skip

    def moved(self, match: Match[Any, Any], ply: Ply[Any, Any]) -> None:
        """Keeps a move; it is in the journal when this returns."""
        self.begin(match)
        own, grade = ply.mover == match.you, ply.grade
        lost, error = (0, False) if grade is None else (grade.plies, grade.kind.is_error)
        if own:
            self.moves += 1
            self.plies_lost += lost
            self.errors += error
            self.seconds += ply.seconds
        if self.journal is not None:
            made = Made(
                ply=len(match.plies), uci=match.game.uci(ply.move), san=ply.san, own=own,
                grade="" if grade is None else grade.kind, plies=lost, error=error,
                layer=None if ply.verdict is None else ply.verdict.depth, seconds=ply.seconds,
            )  # fmt: skip
            self.journal.move(self.uuid, made)

    def taken_back(self, match: Match[Any, Any], plies: int) -> None:
        """Keeps that moves were taken back; what they lost stays lost."""
        del plies
        self.takebacks += 1
        if self.journal is not None and self.uuid:
            self.journal.take_back(self.uuid, len(match.plies) + 1)

    def hinted(self, match: Match[Any, Any], hint: Hint[Any]) -> None:
        """Counts a step of a hint."""
        del hint
        self.begin(match)
        self.hints += 1
        if self.journal is not None:
            self.journal.hint(self.uuid)

    def finished(self, match: Match[Any, Any], result: Result) -> None:
        """Finishes a game when it is over."""
        del result
        if self.theme is None:
            self.conclude(match, standing(self._goal(match), match))

    def _goal(self, match: Match[Any, Any]) -> Goal:
        if self.goal is None:
            self.goal = goal_of(match.start_verdict, match.game.mover(match.start), match.you)
        return self.goal

    def conclude(self, match: Match[Any, Any], found: Standing) -> None:
        """Finishes the attempt, if there is one, by where it stands."""
        verdict = match.start_verdict
        self.finished_as = self.outcome(found, None if verdict is None else verdict.depth)
        if self.journal is not None and self.uuid:
            self.journal.finish(self.uuid, self.finished_as, found.why)

    def outcome(self, found: Standing, perfect: int | None) -> Outcome:
        """Solved or failed, by the rule in ``docs/practice.md``."""
        clean = not self.errors and not self.hints and self.plies_lost <= allowed(perfect)
        return Outcome.SOLVED if found.reached and clean else Outcome.FAILED

    def leave(self) -> None:
        """The game is given up unfinished; it then counts in no figure."""
        if self.finished_as is None:
            self.finished_as = Outcome.LEFT
            if self.journal is not None and self.uuid:
                self.journal.finish(self.uuid, Outcome.LEFT)
