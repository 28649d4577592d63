"""One played game: moves and their grades, takebacks, hints, draws, how it ended, and what is kept of it.

A drill or a game is solved when its goal was reached, see ``docs/practice.md``. How well it went, which hints, moves
taken back and plies lost decide, is rated in :mod:`endgame_core.practice.levels`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar
from uuid import uuid4

from endgame_core.errors import EndgameError, PositionError
from endgame_core.game import Game
from endgame_core.game_state import Draw, GameState, Win
from endgame_core.judge import Judge
from endgame_core.practice.defence import Defence, accepts_draw, can_win, reply
from endgame_core.practice.records import PLAY, Attempt, Made, Outcome
from endgame_core.practice.stars import plies_allowed
from endgame_core.values import Category, Grade, GradeTally, Verdict, Winner, opposite_side

if TYPE_CHECKING:
    from endgame_core.practice.journal import Journal
    from endgame_core.practice.theme import Theme

P = TypeVar("P")
M = TypeVar("M")


class Termination(StrEnum):
    """How a game can end otherwise than on the board, in words that follow ``by``."""

    TIME = "time"
    AGREED = "agreement"
    SHOWN = "asking to be shown"
    RECORD = "the record"
    """A game from elsewhere says who won, and neither its moves nor a header says how."""
    UNREAD = "a move that cannot be read"


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended.

    Attributes:
        winner: ``white`` or ``black`` as on the board, None when nobody won.
        reason: By what.
    """

    winner: Winner | None
    reason: Termination | Win | Draw

    @property
    def score(self) -> str:
        """As PGN writes it; ``*`` for a game that was not played to its end but shown by the table, or is broken."""
        if self.reason in (Termination.SHOWN, Termination.UNREAD):
            return "*"
        return {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[self.winner]


UNKNOWN: Final = -1
"""The depth of a position that no table knows."""


@dataclass(frozen=True, slots=True)
class Ply(Generic[P, M]):
    """A move that was made; in a past attempt, an answer that was given, too.

    Attributes:
        move: The move; None for an answer.
        san: As people write it, or the answer in words.
        before: The position it was made in.
        after: The position after it.
        mover: Who made it.
        own: Whether the person did.
        number: Its number in the game, from 1; a move played after taking back has the number of the one before.
        grade: Its worth; None where no table knows, and for an answer.
        error: Whether it changed the result for the worse, or was a wrong answer.
        verdict: The verdict after it, seen by the side then to move; None where no table knows, and in a past attempt.
        depth: Plies to the end after it; None for a draw, UNKNOWN where no table knows.
        hints: Steps of hints taken for it: 1 the man, 2 the move.
        seconds: Time taken for it.
        taken: Whether it was taken back later.
        shown: It was not played, but shown by the table.
        first: The number that the position where the game begins gives to the first move.
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
    hints: int = 0
    seconds: float = 0.0
    taken: bool = False
    shown: bool = False
    first: int = 1

    @property
    def turn(self) -> int:
        """The number of the move on a score sheet, where White's and Black's share one."""
        return self.first - 1 + self.number // 2 + (self.number % 2 == 1 or self.mover == "white")

    @property
    def name(self) -> str:
        """The move with its number: ``3.Kd5``, ``3…Kd7``; an answer as it was given."""
        return self.san if self.move is None else f"{self.turn}{'.' if self.mover == 'white' else '…'}{self.san}"

    @property
    def is_slip(self) -> bool:
        """Whether a move of the person lost anything, or an answer was wrong."""
        return self.own and not self.shown and (self.error or (self.grade is not None and self.grade.plies > 0))


@dataclass(frozen=True, slots=True)
class Hint(Generic[M]):
    """A hint: at step 0 only what kind of move ``move`` is may be shown, at step 1 its piece, at step 2 the move."""

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


LOST = (Category.LOSS, Category.MAYBE_LOSS, Category.BLESSED_LOSS)

BY_LIMIT = (Draw.FIFTY, Draw.SEVENTY_FIVE, Draw.QUIET)
"""Draws by a limit of moves."""


class Match(Generic[P, M]):
    """A game of a person against a defender.

    It knows the rules, what happened and what it was worth.

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
        self.recorder: Recorder | None = None
        """Keeps what happens."""
        self.limited = limited
        self.tracked: GameState[P, M] = self.game.start_game(start)
        """The game so far, with its repetitions and its 50-move clock; only moves are to be asked of it."""
        self.start: P = start
        self.start_verdict = self._verdict(start)
        self.plies: list[Ply[P, M]] = []
        self.result: Result | None = None
        self.estimated = False
        """Whether what was shown is an estimate."""
        self.takebacks = 0
        self.hints = 0
        self.made = 0
        """Moves that the person has made; these, and what they cost, count when they were taken back, too."""
        self.lost = 0
        """Plies lost by them; by a win that was let go, all that it still needed."""
        self.errors = 0
        """How many of them changed the result for the worse."""
        self.thought = 0.0
        """Seconds taken for them."""
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
        return opposite_side(self.you)

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
        return self.game.terminal(position) or self.judge.probe_by_depth(position).verdict

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
        if yours:
            self.made += 1
            self.lost += ply.grade.plies if ply.grade else 0
            self.errors += ply.error
            self.thought += seconds
        if self.recorder is not None:
            self.recorder.moved(ply)
        self._conclude()
        if yours and self.left is not None and self.left <= 0:
            self.flag()
        return ply

    def skip(self, move: M) -> None:
        """Make a null move, which only a game that was written elsewhere has; raises PositionError if it is over."""
        self._check_running()
        self._lefts.append(self.left)
        self._make(self._ply(move))
        self._conclude()

    def _ply(self, move: M, seconds: float = 0.0, hints: int = 0, shown: bool = False) -> Ply[P, M]:
        game, before = self.game, self.position
        after, mover, grade = game.play(before, move), game.mover(before), self.judge.grade(before, move)
        was, verdict = self.verdict, self._verdict(after)
        if grade is not None and grade.kind.is_error and was is not None and was.category is Category.WIN:
            grade = replace(grade, plies=was.depth or 0)  # a win let go costs all plies that it still needed
        return Ply(
            move, game.san(before, move), before, after, mover, mover == self.you, len(self.plies) + 1, grade,
            grade is not None and grade.kind.is_error, verdict, UNKNOWN if verdict is None else verdict.depth, hints,
            seconds, shown=shown, first=game.file_notation.first_move_number(self.start),
        )  # fmt: skip

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
        if isinstance(won := self.tracked.board_outcome(), Win):
            self._finish(Result(opposite_side(self.mover), won))
        elif over is not None:
            stuck = not self.game.moves(self.position)
            self._finish(Result(None, Draw.STALEMATE if stuck else Draw.MEN))
        elif (drawn := self._counting(self.tracked.automatic_draw())) is not None:
            self._finish(Result(None, drawn))

    def _counting(self, draw: Draw | None) -> Draw | None:
        """A draw, unless it is by a limit of moves that this game does not have."""
        return draw if self.limited or draw not in BY_LIMIT else None

    def _finish(self, result: Result) -> None:
        self.result, self._hint = result, None
        if self.recorder is not None:
            self.recorder.finished()

    def take_back(self) -> int:
        """Takes back the person's last move, and the reply to it.

        Returns:
            How many plies were taken back.

        Raises:
            PositionError: The game is over, or the person has not moved yet.
        """
        self._check_running()
        count = next((n for n, ply in enumerate(reversed(self.plies), start=1) if ply.own), None)
        if count is None:
            raise PositionError("there is nothing to take back", "you have not moved yet")
        for _ in range(count):
            self.plies.pop()
            self.tracked.pop()
            self.left = self._lefts.pop()
        self._hint = None
        self.takebacks += 1
        if self.recorder is not None:
            self.recorder.taken_back()
        return count

    def hint(self, best: M, idea: bool = False) -> Hint[M]:
        """Give the next step of a hint for this move: the piece, then the move; then the move again.

        Args:
            best: A best move; what an earlier step was about stays.
            idea: Whether the kind of move comes before the piece.

        Raises:
            PositionError: It is not the person's move.
        """
        self._check_yours()
        if self._hint is not None and self._hint.step == 2:
            return self._hint
        if self._hint is None:
            self._hint = Hint(best, 0 if idea else 1)
        else:
            self._hint = Hint(self._hint.move, self._hint.step + 1)
        self.hints += 1
        if self.recorder is not None:
            self.recorder.hinted()
        return self._hint

    def _check_yours(self) -> None:
        self._check_running()
        if not self.your_turn:
            raise PositionError("it is not your move", "wait for the reply")

    def claim(self) -> Claim[M] | None:
        """The draw that the side to move may claim now, or with a move that it announces; None when there is none."""
        if self.result is not None:
            return None
        if (draw := self._counting(self.tracked.claimable_draw())) is not None:
            return Claim(draw, None)
        for move in self.game.moves(self.position):
            if (draw := self._counting(self.tracked.claimable_draw(move))) is not None:
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
        try:
            accepted = accepts_draw(self.judge, self.position, self.opponent)
        except EndgameError:
            accepted = False
        if accepted:
            self._finish(Result(None, Termination.AGREED))
        return accepted

    def reply(self, rng: random.Random) -> M:
        """The defender's move by what knows the position: by DTZ where no table tells the end.

        All but the human defender mind the 50-move rule. May be called in a thread.

        Raises:
            EndgameError: Nothing knows the position.
        """
        position = self.position
        game = self.game
        visited = {game.start_game(position).key for position in (self.start, *(ply.after for ply in self.plies))}
        try:
            move = reply(self.judge, position, self.defence, rng, visited)
        except EndgameError:
            if by_dtz := self.judge.probe(position).by_dtz:
                return by_dtz[0].move
            raise
        return move if self.defence is Defence.HUMAN else self.judge.keep_result(position, move)

    def defender_claims(self) -> Claim[M] | None:
        """The draw that the defender, being to move, claims: any that he can, unless he wins or may hope to."""
        claim = self.claim() if self.result is None and self.mover == self.opponent else None
        if claim is None:
            return None
        if self.verdict is None:  # whether the ending can be won at all only its table tells
            return claim if self.judge.category(self.position) in LOST else None
        if self.verdict.category is Category.WIN or (self.verdict.category is Category.DRAW and self.can_be_lost):
            return None
        return claim

    @property
    def can_be_lost(self) -> bool | None:
        """Whether the defender's side wins anything in this ending; None where no table knows."""
        try:
            return can_win(self.explorer, self.position, self.opponent)
        except EndgameError:
            return None

    def flag(self) -> None:
        """The person's time is up: lost, or a draw where the defender's side wins nothing in this ending."""
        if self.result is None:
            lost = self.verdict is None or self.can_be_lost
            self._finish(Result(self.opponent if lost else None, Termination.TIME))

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
        self._finish(Result(None, Termination.SHOWN))
        for move in line:
            self._make(self._ply(move, shown=True))

    def continuation(self, line: Sequence[M]) -> list[Ply[P, M]]:
        """The plies of a line from where the game stands, as shown by the table; the game stays as it is."""
        game = self.game
        result: list[Ply[P, M]] = []
        before = self.position
        for number, move in enumerate(line, len(self.plies) + 1):
            after = game.play(before, move)
            verdict = self._verdict(after)
            depth = UNKNOWN if verdict is None else verdict.depth
            mover = game.mover(before)
            ply = Ply(
                move, game.san(before, move), before, after, mover, mover == self.you, number, verdict=verdict,
                depth=depth, shown=True, first=game.file_notation.first_move_number(self.start),
            )  # fmt: skip
            result.append(ply)
            before = after
        return result

    @property
    def played(self) -> list[Ply[P, M]]:
        """The plies that were played, not those that were shown."""
        return [ply for ply in self.plies if not ply.shown]

    @property
    def tally(self) -> GradeTally:
        """The person's grades."""
        return GradeTally.of(ply.grade for ply in self.played if ply.own)

    @property
    def perfect(self) -> int | None:
        """The moves in which the person could have won from the start; None where that was no win."""
        verdict = self.start_verdict
        if verdict is None or verdict.depth is None or verdict.winner != self.you:
            return None
        return (verdict.depth + 1) // 2


# Goals

HOLD_MOVES = 15
"""Moves of the learner after which a position counts as held."""


class GameGoal(StrEnum):
    """What is to be reached."""

    WIN = "win"
    FEWEST = "fewest"
    """To win without losing a ply, a hint or a move taken back: the goal of those who want it strict."""
    DRAW = "draw"
    LAST = "last"
    MOVE = "move"
    ANSWER = "answer"
    ANY = ""
    """Not to lose: in a game that no table knows, or a lost one of which none knows how long it can be held."""


def goal_of(verdict: Verdict | None, mover: Winner, learner: Winner) -> GameGoal:
    """What the learner's side can reach, given the verdict for the side to move."""
    if verdict is None:
        return GameGoal.ANY
    if verdict.category is Category.DRAW:
        return GameGoal.DRAW
    return GameGoal.WIN if (verdict.category is Category.WIN) == (mover == learner) else GameGoal.LAST


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


def standing(goal: GameGoal, match: Match[Any, Any]) -> Standing:
    """Where a played drill or game stands, by the rules of the game and by the tables.

    Args:
        goal: What is to be reached.
        match: What was played.
    """
    last = next((ply for ply in reversed(match.played) if ply.own), None)
    if goal is GameGoal.MOVE and last is not None:
        kept = last.grade is not None and not last.error
        return Standing(True, kept, "the only move" if kept else "the result is gone")
    if match.result is not None:
        return _ended(goal, match)
    if goal in (GameGoal.WIN, GameGoal.FEWEST, GameGoal.DRAW) and last is not None and last.error:
        return Standing(True, False, "the draw is gone" if goal is GameGoal.DRAW else "the win is gone")
    if goal is GameGoal.FEWEST and match.lost:
        return Standing(True, False, "there was a faster way")
    if goal in (GameGoal.DRAW, GameGoal.LAST):
        return _held(goal, match)
    claim = match.defender_claims() if goal in (GameGoal.WIN, GameGoal.FEWEST) else None
    return GOING_ON if claim is None else Standing(True, False, str(claim.draw))


def _ended(goal: GameGoal, match: Match[Any, Any]) -> Standing:
    """The rules, or the person, have ended the game."""
    result = match.result
    assert result is not None
    if result.reason is Termination.SHOWN:
        return Standing(True, False, "shown")
    won = result.winner == match.you
    if goal is GameGoal.WIN:
        reached = won
    elif goal is GameGoal.FEWEST:
        reached = won and not (match.lost or match.hints or match.takebacks)
    elif won or result.winner is None:
        reached = True
    elif goal is GameGoal.LAST and result.reason is not Termination.TIME:
        # To be mated was not to be helped, only to be put off: that is what must have gone well.
        reached = match.lost <= plies_allowed(None if match.start_verdict is None else match.start_verdict.depth)
    else:
        reached = False
    return Standing(True, reached, str(result.reason))


def _held(goal: GameGoal, match: Match[Any, Any]) -> Standing:
    """Whether enough has been held, or more than was asked for."""
    own = sum(ply.own for ply in match.played)
    if own == 0:
        return GOING_ON
    verdict = match.verdict
    if verdict is not None:
        now = goal_of(verdict, match.mover, match.you)
        if now is GameGoal.WIN or (goal is GameGoal.LAST and now is GameGoal.DRAW):
            return Standing(True, True, "more than held")
    if goal is GameGoal.DRAW and match.mover == match.you and (claim := match.claim()) is not None:
        return Standing(True, True, str(claim.draw))
    if goal is GameGoal.DRAW and verdict is not None and match.can_be_lost is False:
        return Standing(True, True, "neither side can lose this position")
    return Standing(True, True, f"held for {own} moves") if own >= HOLD_MOVES else GOING_ON


# What is kept


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a drill or a game is kept.

    Attributes:
        journal: Its journal.
        schedules: Whether the theme is scheduled anew after it.
        run: Joins the attempts of one sitting, see :func:`new_run`.
        mode: Kept under this mode instead of the theme's own (the streak's items); empty for that.
    """

    journal: Journal
    schedules: bool = False
    run: str = ""
    mode: str = ""


def new_run() -> str:
    """A name for attempts made in a row."""
    return uuid4().hex


def begin(kept: Kept, game: Game[Any, Any], start: Any, learner: str, theme: Theme | None = None, **facts: Any) -> str:
    """Begins an attempt at a position, a drill or a game; returns its uuid. ``facts`` are further fields of it."""
    ending = "" if theme is None else theme.ending
    with suppress(EndgameError):
        ending = ending or game.ending_of(start)
    unnamed = "other" if game.name == "chess" else game.name
    key, label = (ending or unnamed, "game") if theme is None else (theme.key, theme.label)
    return kept.journal.begin(
        Attempt(
            theme=key, label=label, ending=ending, start=game.format(start), colour=learner, game=game.name,
            mode=kept.mode or (PLAY if theme is None else theme.mode), run=kept.run, **facts,
        )
    )  # fmt: skip


class Recorder:
    """Keeps a match as an attempt; every method comes right after the fact, and what it keeps is then in the journal.

    The attempt is begun with the first move or hint, so that a game that was only looked at leaves no trace. A game is
    finished when the match ends. What ends a drill, its theme knows.

    Args:
        match: What is kept.
        kept: Where to write.
        theme: What is drilled; None for a game.
        goal: What is to be reached; by default what the start is worth.
    """

    def __init__(
        self, match: Match[Any, Any], kept: Kept, theme: Theme | None = None, goal: GameGoal | None = None
    ) -> None:
        self.match, self.kept, self.theme = match, kept, theme
        verdict = match.start_verdict
        self.goal = goal_of(verdict, match.game.mover(match.start), match.you) if goal is None else goal
        self.uuid = ""
        """The attempt in the journal; empty before it was begun."""
        self.finished_as: Outcome | None = None
        self._perfect = None if verdict is None else verdict.depth
        match.recorder = self

    def begin(self) -> None:
        """Begins the attempt now, if it has not been."""
        if not self.uuid:
            match = self.match
            self.uuid = begin(
                self.kept, match.game, match.start, match.you, self.theme, defence=match.defence, goal=self.goal,
                perfect=self._perfect,
            )  # fmt: skip

    def moved(self, ply: Ply[Any, Any]) -> None:
        """A move was made, by either side."""
        self.begin()
        made = Made(
            ply=ply.number, uci=self.match.game.uci(ply.move), san=ply.san, own=ply.own,
            grade=ply.grade.kind if ply.grade else "", plies=ply.grade.plies if ply.grade else 0, error=ply.error,
            layer=None if ply.depth == UNKNOWN else ply.depth, seconds=ply.seconds,
        )  # fmt: skip
        self.kept.journal.move(self.uuid, made)

    def taken_back(self) -> None:
        """Moves were taken back; what they lost stays lost."""
        if self.uuid:
            self.kept.journal.take_back(self.uuid, len(self.match.plies) + 1)

    def hinted(self) -> None:
        """A step of a hint was given."""
        self.begin()
        self.kept.journal.hint(self.uuid)

    def finished(self) -> None:
        """The match is over; with it a game is finished."""
        if self.theme is None:
            self.conclude(standing(self.goal, self.match))

    def conclude(self, standing: Standing) -> Outcome:
        """Finish the attempt: solved if its goal was reached, else failed."""
        return self._finish(Outcome.SOLVED if standing.reached else Outcome.FAILED, standing.why)

    def leave(self) -> None:
        """The game is given up unfinished; it then counts in no figure."""
        if self.finished_as is None:
            self._finish(Outcome.LEFT)

    def _finish(self, outcome: Outcome, why: str = "") -> Outcome:
        self.finished_as = outcome
        if self.uuid:
            self.kept.journal.finish(self.uuid, outcome, why)
        return outcome
