"""A game against the defender, or of two people at one board: graded moves, clocks, hints, takebacks and draws.

:mod:`endgame_core.practice.goals` decides whether the learner has reached the goal of a game or a drill, and
:mod:`endgame_core.practice.recorder` stores the game in the journal.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from endgame_core.errors import EndgameError, PositionError
from endgame_core.game_state import Draw, GameState, Win
from endgame_core.judge import Judge
from endgame_core.language import _
from endgame_core.practice.defence import Defence, accepts_draw, can_win, reply
from endgame_core.values import Category, Grade, GradeTally, Verdict, Winner, opposite_side

P = TypeVar("P")
M = TypeVar("M")


class Termination(StrEnum):
    """Ways a game ends other than by its rules; the values follow the word ``by``."""

    TIME = "time"
    AGREED = "agreement"
    SHOWN = "asking to be shown"
    RECORD = "the record"
    """An imported game has a result, but neither its moves nor its headers explain it."""
    UNREAD = "a move that cannot be read"
    """An imported game stops at a move that cannot be parsed."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended.

    Attributes:
        winner: ``white`` or ``black``, None for a draw or a game without a result.
        reason: How it ended.
    """

    winner: Winner | None
    reason: Termination | Win | Draw

    @property
    def score(self) -> str:
        """The PGN result; ``*`` if the game ended with the solution shown or with an unreadable move."""
        if self.reason in (Termination.SHOWN, Termination.UNREAD):
            return "*"
        return {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[self.winner]


UNKNOWN: Final = -1
"""The depth of a position that no table covers."""


@dataclass(frozen=True, slots=True)
class Ply(Generic[P, M]):
    """A move with its grade; in a past attempt also an answer to a question.

    Attributes:
        move: The move; None for an answer.
        san: The move in SAN, or the text of the answer.
        before: The position before the move.
        after: The position after the move.
        mover: The side that moved.
        own: Whether the learner moved (or answered); of two people at one board, both are learners.
        number: The ply number in the game, from 1; a move replayed after a takeback gets the same number again.
        grade: The grade; None if no table covers the position, and for an answer.
        error: Whether the move worsened the result, or the answer was wrong.
        verdict: The verdict after the move, for the side then to move; None if no table covers the position, and in a
            past attempt.
        depth: Plies to the end after the move; None for a draw, UNKNOWN if no table covers the position.
        hint_step: The last :class:`HintStep` used for the move; 0 also if there was no hint.
        seconds: Thinking time.
        was_taken_back: Whether the move was taken back later.
        is_shown: Whether the move belongs to a shown solution and was not played.
        first: The move number with which the game starts, from its start position.
    """

    move: M
    san: str
    before: P
    after: P
    mover: Winner
    own: bool
    number: int
    grade: Grade | None = None
    error: bool = False
    verdict: Verdict | None = None
    depth: int | None = UNKNOWN
    hint_step: int = 0
    seconds: float = 0.0
    was_taken_back: bool = False
    is_shown: bool = False
    first: int = 1

    @property
    def turn(self) -> int:
        """The move number as on a score sheet, where one move of White and one of Black share a number."""
        # If White starts, plies 1, 2, 3 are moves 1, 1, 2: half the ply number, rounded up. If Black starts, they are
        # moves 1, 2, 2. An odd ply rounds up in both cases, an even one counts one more only if White makes it.
        return self.first - 1 + self.number // 2 + (self.number % 2 == 1 or self.mover == "white")

    @property
    def name(self) -> str:
        """The move with its number, ``3.Kd5`` or ``3…Kd7``; for an answer its text."""
        if self.move is None:
            return self.san
        dots = "." if self.mover == "white" else "…"
        return f"{self.turn}{dots}{self.san}"

    @property
    def is_slip(self) -> bool:
        """Whether a move of the learner lost plies or worsened the result, or an answer was wrong."""
        lost_plies = self.grade is not None and self.grade.plies > 0
        return self.own and not self.is_shown and (self.error or lost_plies)


class HintStep(IntEnum):
    """How much a hint about a move reveals; saved games and PGN files have these numbers."""

    IDEA = 0
    """In :attr:`Ply.hint_step`, this number also stands for no hint."""
    PIECE = 1
    MOVE = 2


ChooseSteps = Callable[[Any], Sequence[HintStep]]
"""Returns the steps of a hint that each add something to the one before, for the move that the hint is about."""


def idea_piece_move(_move: object) -> Sequence[HintStep]:
    """All steps, which drills give."""
    return (HintStep.IDEA, HintStep.PIECE, HintStep.MOVE)


def piece_move(_move: object) -> Sequence[HintStep]:
    """The steps of a game, which do not explain the idea."""
    return (HintStep.PIECE, HintStep.MOVE)


@dataclass(frozen=True, slots=True)
class Hint(Generic[M]):
    """A hint about ``move`` that reveals as much of it as its step says."""

    move: M
    step: HintStep


@dataclass(frozen=True, slots=True)
class Claim(Generic[M]):
    """A draw that the side to move may claim; ``move`` must be announced with the claim, None if it needs no move."""

    draw: Draw
    move: M | None


@dataclass(frozen=True, slots=True)
class Control:
    """A time control: seconds for the whole game, and seconds added after each move."""

    seconds: float
    increment: float = 0.0


LOST = (Category.LOSS, Category.MAYBE_LOSS, Category.BLESSED_LOSS)

BY_LIMIT = (Draw.FIFTY, Draw.SEVENTY_FIVE, Draw.QUIET)
"""Draws by a move limit, e.g. the 50-move rule."""


class MatchCounters(NamedTuple):
    """The figures of a :class:`Match` that its moves do not give, because moves that were taken back count, too.

    See the attributes of the match with the same names. The order is that of saved games.
    """

    seconds_left: float | None
    hints: int
    takebacks: int
    moves_made: int
    plies_lost: int
    errors: int
    seconds_thought: float


class MatchRecorder(Protocol):
    """What a match calls after every change, see :class:`~endgame_core.practice.recorder.Recorder`."""

    def record_move(self, ply: Ply[Any, Any]) -> None:
        """Store a move of either side."""
        ...

    def record_takeback(self) -> None:
        """Store a takeback, which the match has made."""
        ...

    def record_hint(self) -> None:
        """Store a hint step."""
        ...

    def record_result(self) -> None:
        """Store that the match has ended."""
        ...


def _not_legal_error(uci: str) -> PositionError:
    return PositionError(f"{uci} is not a legal move here", "choose a different one")


class Match(Generic[P, M]):
    """A game of the learner against a defender or a friend, with its rules, its history and the grades of its moves.

    Args:
        judge: Grades the moves and knows who wins, where tables cover the position.
        start: The start position.
        you: The learner's side, ``white`` or ``black``.
        defence: How the defender plays.
        control: The learner's time control, None to play without a clock.
        limited: Whether a move limit (unknown to DTM tables) ends the game or allows a draw claim.
        with_friend: Whether a friend plays the other side at the same board: then the moves of both sides are graded
            as the learner's, both have a clock, and no defender replies.
    """

    def __init__(
        self,
        judge: Judge[P, M],
        start: P,
        you: Winner,
        defence: Defence = Defence.PERFECT,
        control: Control | None = None,
        limited: bool = True,
        with_friend: bool = False,
    ) -> None:
        self.judge = judge if limited else judge.unlimited
        self.explorer = judge.explorer
        self.game = judge.game
        self.you = you
        self.defence = defence
        self.control = control
        self.with_friend = with_friend
        self.recorder: MatchRecorder | None = None
        """Stores the match in the journal; it registers itself here."""
        self.limited = limited
        self.tracked: GameState[P, M] = self.game.start_game(start)
        """The game so far with its repetitions and its 50-move counter; callers must not push or pop moves."""
        self.start: P = start
        self.start_verdict = self._verdict(start)
        self.plies: list[Ply[P, M]] = []
        self.position: P = start
        """The current position. This and the next two follow from the last ply and are updated with it."""
        self.mover: Winner = self.game.mover(start)
        """The side to move."""
        self.verdict: Verdict | None = self.start_verdict
        """The verdict on the current position, None if no table covers it."""
        self.result: Result | None = None
        self.estimated = False
        """Whether the shown solution is an estimate."""
        self.takebacks = 0
        self.hints = 0
        """Hint steps used."""
        self.moves_made = 0
        """Moves made by the learner. This and the next three figures include moves that were taken back."""
        self.plies_lost = 0
        """Plies lost by the learner's moves; a thrown-away win costs all plies that it still needed."""
        self.errors = 0
        """The learner's moves that worsened the result."""
        self.seconds_thought = 0.0
        """Seconds used for the learner's moves."""
        self.seconds_left = None if control is None else control.seconds
        """Seconds remaining on the learner's clock, None without a clock."""
        self.friend_seconds_left = self.seconds_left if with_friend else None
        """Seconds remaining on the friend's clock, None without a friend or a clock."""
        self._hint: Hint[M] | None = None
        self._hint_steps: tuple[HintStep, ...] = ()
        """The steps of the hint for the move to be made."""
        self._clock_history: list[tuple[float | None, float | None]] = []
        """The clocks of the learner and of the friend before each played ply, restored by a takeback."""
        self._keys = [self.tracked.key]
        """``GameState.key`` of every position of the game, the current one included."""
        self._claim: Claim[M] | None = None
        """The result of :meth:`claim`; valid while ``_claim_is_current``."""
        self._claim_is_current = False
        self._end_by_rules()

    @property
    def opponent(self) -> Winner:
        """The defender's side."""
        return opposite_side(self.you)

    @property
    def your_turn(self) -> bool:
        """Whether the game is running and the learner, or a friend at the same board, is to move."""
        return self.result is None and self._is_own(self.mover)

    def _is_own(self, side: Winner) -> bool:
        """Return whether the moves of a side are made at the board, not by the defender."""
        return self.with_friend or side == self.you

    def time_left(self, side: Winner) -> float | None:
        """Return the seconds remaining on the clock of a side; None if it has none."""
        if side == self.you:
            return self.seconds_left
        return self.friend_seconds_left

    @property
    def side_on_clock(self) -> Winner:
        """The side whose clock runs, or would run on its turn."""
        if self.with_friend:
            return self.mover
        return self.you

    @property
    def last_hint(self) -> Hint[M] | None:
        """The last hint given for the move to be made, None if there was none."""
        return self._hint

    def _verdict(self, position: P) -> Verdict | None:
        return self.game.terminal(position) or self.judge.probe_by_depth(position).verdict

    def play(self, move: M, seconds: float = 0.0) -> Ply[P, M]:
        """Make a move for the side to move; update the learner's clock and figures, record it, end the game if over.

        Args:
            move: A legal move.
            seconds: Thinking time for it.

        Returns:
            The move with its grade.

        Raises:
            PositionError: The game is over, or the move is not legal.
        """
        hint_step = 0
        if self._is_own(self.mover) and self._hint is not None:
            hint_step = self._hint.step
        return self._make(move, seconds, hint_step)

    def replay_ply(self, move: M, seconds: float = 0.0, hint_step: int = 0) -> Ply[P, M]:
        """Make a move of a saved game: like :meth:`play`, with the hint step that was used for it at the time."""
        return self._make(move, seconds, hint_step)

    def _make(self, move: M, seconds: float, hint_step: int) -> Ply[P, M]:
        self._check_running()
        if move not in self.game.moves(self.position):
            raise _not_legal_error(self.game.uci(move))
        mover = self.mover
        self._clock_history.append((self.seconds_left, self.friend_seconds_left))
        ply = self._graded_ply(move, seconds, hint_step)
        self._push(ply)

        # Only moves made at the board count: the defender has no clock, and no figures are kept of its moves.
        if ply.own:
            self._use_time(mover, seconds)
            self.moves_made += 1
            if ply.grade is not None:
                self.plies_lost += ply.grade.plies
            self.errors += ply.error
            self.seconds_thought += seconds

        if self.recorder is not None:
            self.recorder.record_move(ply)
        self._end_by_rules()
        remaining = self.time_left(mover)
        if remaining is not None and remaining <= 0:
            self._flag(mover)
        return ply

    @property
    def counters(self) -> MatchCounters:
        """The figures to save with an unfinished game, see :meth:`restore`."""
        return MatchCounters(
            self.seconds_left,
            self.hints,
            self.takebacks,
            self.moves_made,
            self.plies_lost,
            self.errors,
            self.seconds_thought,
        )

    def restore(
        self,
        moves: Iterable[tuple[str, float, int]],
        counters: MatchCounters,
        friend_seconds_left: float | None = None,
        is_recorded: bool = False,
    ) -> None:
        """Replay an unfinished game in this new match.

        Args:
            moves: The moves in UCI, each with its thinking time in seconds and the last hint step used for it.
            counters: The figures of the game.
            friend_seconds_left: Seconds remaining on the friend's clock; None without a friend or a clock.
            is_recorded: Whether the journal already has these moves.

        Raises:
            PositionError: A move is not legal, or follows the end of the game.
        """
        recorder = self.recorder
        if is_recorded:
            self.recorder = None
        for uci, seconds, hint_step in moves:
            move = next((move for move in self.game.moves(self.position) if self.game.uci(move) == uci), None)
            if move is None:
                raise _not_legal_error(uci)
            self.replay_ply(move, seconds, hint_step)
        self.recorder = recorder

        # Playing the moves has counted them, but no hints, no takebacks and no moves that were taken back.
        self.seconds_left = counters.seconds_left
        self.hints = counters.hints
        self.takebacks = counters.takebacks
        self.moves_made = counters.moves_made
        self.plies_lost = counters.plies_lost
        self.errors = counters.errors
        self.seconds_thought = counters.seconds_thought
        self.friend_seconds_left = friend_seconds_left

    def _use_time(self, side: Winner, seconds: float) -> None:
        """Take the seconds of a move from the clock of a side, if it has one, and add its increment."""
        remaining = self.time_left(side)
        if remaining is None or self.control is None:
            return
        remaining -= seconds
        # No increment for a move that came too late: the flag has fallen.
        if remaining > 0:
            remaining += self.control.increment
        if side == self.you:
            self.seconds_left = remaining
        else:
            self.friend_seconds_left = remaining

    def skip(self, move: M) -> None:
        """Make a null move, which only imported games contain.

        Raises:
            PositionError: The game is over.
        """
        self._check_running()
        self._clock_history.append((self.seconds_left, self.friend_seconds_left))
        self._push(self._graded_ply(move))
        self._end_by_rules()

    def _graded_ply(self, move: M, seconds: float = 0.0, hint_step: int = 0, is_shown: bool = False) -> Ply[P, M]:
        """Grade a move in the current position without making it."""
        before = self.position
        before_verdict = self.verdict
        grade = self.judge.grade(before, move)
        is_error = grade is not None and grade.kind.is_error
        if grade is not None and is_error and before_verdict is not None and before_verdict.category is Category.WIN:
            # A thrown-away win costs all plies that it still needed.
            grade = replace(grade, plies=before_verdict.depth or 0)

        ply = self._ungraded_ply(before, move, len(self.plies) + 1)
        return replace(ply, grade=grade, error=is_error, hint_step=hint_step, seconds=seconds, is_shown=is_shown)

    def _ungraded_ply(self, before: P, move: M, number: int) -> Ply[P, M]:
        """Return a move as ply ``number`` of this game or of a line that branches off it; nothing is made."""
        game = self.game
        after = game.play(before, move)
        verdict = self._verdict(after)
        mover = game.mover(before)
        return Ply(
            move=move,
            san=game.san(before, move),
            before=before,
            after=after,
            mover=mover,
            own=self._is_own(mover),
            number=number,
            verdict=verdict,
            depth=UNKNOWN if verdict is None else verdict.depth,
            first=game.file_notation.first_move_number(self.start),
        )

    def _push(self, ply: Ply[P, M]) -> None:
        self.tracked.push(ply.move)
        self.plies.append(ply)
        self._keys.append(self.tracked.key)
        self._hint = None
        self._follow_last_ply()

    def _follow_last_ply(self) -> None:
        """Update the position and its verdict from the last ply."""
        if self.plies:
            self.position = self.plies[-1].after
            self.verdict = self.plies[-1].verdict
        else:
            self.position = self.start
            self.verdict = self.start_verdict
        self.mover = self.game.mover(self.position)
        self._claim_is_current = False

    def _check_running(self) -> None:
        if self.result is not None:
            raise PositionError(_("the game is over"), _("start a new game, or play on from one of its positions"))

    def _end_by_rules(self) -> None:
        """End the game if it is won or drawn by the rules."""
        if self.result is not None:
            return

        board_outcome = self.tracked.board_outcome()
        # The side to move has been mated, or cannot move in Morris: the other side wins.
        if isinstance(board_outcome, Win):
            self._finish(Result(opposite_side(self.mover), board_outcome))
            return

        if self.game.terminal(self.position) is not None:
            # Over, but not won: with legal moves left there is too little material, without them it is stalemate.
            has_moves = bool(self.game.moves(self.position))
            self._finish(Result(None, Draw.MEN if has_moves else Draw.STALEMATE))
            return

        draw = self._applicable(self.tracked.automatic_draw())
        if draw is not None:
            self._finish(Result(None, draw))

    def _applicable(self, draw: Draw | None) -> Draw | None:
        """Return the draw, or None if it is by a move limit and this game is played without one."""
        if self.limited or draw not in BY_LIMIT:
            return draw
        return None

    def _finish(self, result: Result) -> None:
        self.result = result
        self._hint = None
        if self.recorder is not None:
            self.recorder.record_result()

    def reopen(self) -> None:
        """Forget the result, so that the last move can be taken back."""
        self.result = None

    def take_back(self) -> int:
        """Take back the learner's last move and the reply to it, and reset the clock to its time before that move.

        Returns:
            The number of plies taken back.

        Raises:
            PositionError: The game is over, or the learner has not moved yet.
        """
        self._check_running()
        # Usually two plies, the reply and the learner's move; one if the defender has not replied.
        count = next((n for n, ply in enumerate(reversed(self.plies), start=1) if ply.own), None)
        if count is None:
            raise PositionError(_("there is nothing to take back"), _("you have not moved yet"))
        for __ in range(count):
            self.plies.pop()
            self.tracked.pop()
            self._keys.pop()
            self.seconds_left, self.friend_seconds_left = self._clock_history.pop()
        self._hint = None
        self._follow_last_ply()
        self.takebacks += 1
        if self.recorder is not None:
            self.recorder.record_takeback()
        return count

    @property
    def next_hint_step(self) -> HintStep | None:
        """The step that the next hint for the move to be made gives; None before the first one and after the last."""
        if self._hint is None:
            return None
        return next((step for step in self._hint_steps if step > self._hint.step), None)

    def hint(self, best: M, choose_steps: ChooseSteps = piece_move) -> Hint[M]:
        """Give the next step of a hint.

        After the last step, return it again, uncounted.

        Args:
            best: A best move. This and ``choose_steps`` count at the first step only: later ones stay with its move.
            choose_steps: Chooses the steps, in order, the last of them MOVE.

        Raises:
            PositionError: The game is over, or the learner is not to move.
        """
        self._check_learner_to_move()
        if self._hint is None:
            self._hint_steps = tuple(choose_steps(best))
            self._hint = Hint(best, self._hint_steps[0])
        elif self._hint.step is HintStep.MOVE:
            return self._hint
        else:
            self._hint = Hint(self._hint.move, self.next_hint_step or HintStep.MOVE)
        self.hints += 1
        if self.recorder is not None:
            self.recorder.record_hint()
        return self._hint

    def _check_learner_to_move(self) -> None:
        self._check_running()
        if not self.your_turn:
            raise PositionError(_("it is not your move"), _("wait for the reply"))

    def claim(self) -> Claim[M] | None:
        """Find a draw that the side to move may claim now or by announcing a move; None if there is none."""
        if self.result is not None:
            return None
        if not self._claim_is_current:
            self._claim = self._find_claim()
            self._claim_is_current = True
        return self._claim

    def _find_claim(self) -> Claim[M] | None:
        draw = self._applicable(self.tracked.claimable_draw())
        if draw is not None:
            return Claim(draw, None)
        for move in self.game.moves(self.position):
            draw = self._applicable(self.tracked.claimable_draw(move))
            if draw is not None:
                return Claim(draw, move)
        return None

    def claim_draw(self) -> Claim[M]:
        """Claim a draw for the side to move, which ends the game.

        Raises:
            PositionError: The game is over, or no draw can be claimed.
        """
        self._check_running()
        claim = self.claim()
        if claim is None:
            raise PositionError(_("no draw can be claimed here"), _("offer one"))
        self._finish(Result(None, claim.draw))
        return claim

    def offer_draw(self) -> bool:
        """Offer the defender a draw; return whether it accepts, which ends the game.

        The defender accepts only in a drawn position that it cannot expect to win, and never without a table.

        Raises:
            PositionError: The game is over, or the learner is not to move.
        """
        self._check_learner_to_move()
        try:
            accepted = accepts_draw(self.judge, self.position, self.opponent)
        except EndgameError:
            accepted = False
        if accepted:
            self._finish(Result(None, Termination.AGREED))
        return accepted

    def reply(self, rng: random.Random) -> M:
        """Choose the defender's move with the tables; the best move by DTZ where no DTM table covers the position.

        Every defender except the human one keeps to the result under the 50-move rule. Safe to call in a thread while
        no move is made.

        Args:
            rng: Chooses among equally good moves.

        Raises:
            EndgameError: No table covers the position.
        """
        position = self.position
        try:
            move = reply(self.judge, position, self.defence, rng, frozenset(self._keys))
        except EndgameError:
            by_dtz = self.judge.probe(position).by_dtz
            if by_dtz:
                return by_dtz[0].move
            raise
        if self.defence is Defence.HUMAN:
            return move
        return self.judge.keep_result(position, move)

    def defender_claims(self) -> Claim[M] | None:
        """Return the draw that the defender to move claims: any it can, unless it is winning or has winning chances."""
        if self.result is not None or self.mover != self.opponent:
            return None
        claim = self.claim()
        if claim is None:
            return None

        verdict = self.verdict
        if verdict is None:
            # Without a table nobody knows whether the ending can be won at all: claim only in a lost position.
            if self.judge.category_by_dtz(self.position) in LOST:
                return claim
            return None
        if verdict.category is Category.WIN:
            return None
        if verdict.category is Category.DRAW and self.can_be_lost:
            return None
        return claim

    @property
    def can_be_lost(self) -> bool | None:
        """Whether the learner can lose the current ending; None if no table covers it."""
        return self._can_win(self.opponent)

    def _can_win(self, side: Winner) -> bool | None:
        """Return whether a side can win the current ending; None if no table covers it."""
        try:
            return can_win(self.explorer, self.position, side)
        except EndgameError:
            return None

    def flag(self) -> None:
        """End the game on time: the learner loses, or draws if the other side cannot win this ending.

        Against a friend, the time of the side to move is up.
        """
        self._flag(self.side_on_clock)

    def _flag(self, side: Winner) -> None:
        """End the game because the time of a side is up."""
        if self.result is not None:
            return
        opponent = opposite_side(side)
        is_lost = self.verdict is None or self._can_win(opponent)
        self._finish(Result(opponent if is_lost else None, Termination.TIME))

    def agree_draw(self) -> None:
        """End the game as a draw by agreement, with a friend; raises PositionError if the game is over."""
        self._check_running()
        self._finish(Result(None, Termination.AGREED))

    def end(self, result: Result) -> None:
        """End the game with a result that its rules do not give, e.g. that of an imported game.

        Raises:
            PositionError: The game is over.
        """
        self._check_running()
        self._finish(result)

    def show(self, line: Sequence[M], estimated: bool = False) -> None:
        """Give up and append the solution to the moves played.

        Args:
            line: The moves of the solution from the current position.
            estimated: Whether they are an estimate.

        Raises:
            PositionError: The game is over.
        """
        self._check_running()
        self.estimated = estimated
        # The result comes first, because the moves that were played decide about the goal.
        self._finish(Result(None, Termination.SHOWN))
        for move in line:
            self._push(self._graded_ply(move, is_shown=True))

    def continuation(self, line: Sequence[M]) -> list[Ply[P, M]]:
        """Return the plies of a line from the current position, ungraded and marked as shown; the game is unchanged."""
        result: list[Ply[P, M]] = []
        before = self.position
        for number, move in enumerate(line, len(self.plies) + 1):
            ply = replace(self._ungraded_ply(before, move, number), is_shown=True)
            result.append(ply)
            before = ply.after
        return result

    def variation_ply(self, line: Sequence[Ply[P, M]], move: M) -> Ply[P, M]:
        """Return a move after a line from the start as a graded ply, as the learner's; the game is unchanged.

        Raises:
            PositionError: The move is not legal there.
        """
        game = self.game
        before = line[-1].after if line else self.start
        if move not in game.moves(before):
            raise _not_legal_error(game.uci(move))
        grade = self.judge.grade(before, move)
        is_error = grade is not None and grade.kind.is_error
        ply = self._ungraded_ply(before, move, len(line) + 1)
        return replace(ply, own=True, grade=grade, error=is_error)

    @property
    def played(self) -> list[Ply[P, M]]:
        """The plies that were played, without a shown solution."""
        return [ply for ply in self.plies if not ply.is_shown]

    @property
    def tally(self) -> GradeTally:
        """The grades of the learner's moves, counted; with a friend, those of both."""
        return GradeTally.of(ply.grade for ply in self.played if ply.own)

    def tally_of(self, side: Winner) -> GradeTally:
        """Return the grades of the moves of a side, counted."""
        return GradeTally.of(ply.grade for ply in self.played if ply.mover == side)

    @property
    def perfect(self) -> int | None:
        """The fewest moves in which the learner could win from the start; None if the start was not won."""
        verdict = self.start_verdict
        if verdict is None or verdict.depth is None or verdict.winner != self.you:
            return None
        return (verdict.depth + 1) // 2
