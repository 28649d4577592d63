"""Drills: a theme, a start, what the learner does, and what it was worth."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar
from uuid import uuid4

from endgame_core.errors import PositionError
from endgame_core.game import Game
from endgame_core.judge import MINDING, Judge
from endgame_core.practice.defence import Defence, reply, usual
from endgame_core.practice.goals import GOING_ON, Goal, Standing, allowed, goal_of, standing
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import Hint, Match, Ply
from endgame_core.practice.recorder import Recorder
from endgame_core.practice.records import JournalError, Made, Outcome
from endgame_core.practice.schedule import Effort, Mark, Schedule, rate
from endgame_core.practice.starts import Start, move_decides
from endgame_core.practice.theme import DrillError, Mode, Theme
from endgame_core.tables.explorer import Explorer
from endgame_core.values import Category

P = TypeVar("P")
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a drill is kept; by default nowhere.

    Attributes:
        journal: Its journal.
        schedule: Its cards; None leaves the schedule alone.
        run: Joins the attempts of one sitting, see :func:`new_run`.
        mode: Kept under this mode instead of the theme's own (the streak's items).
    """

    journal: Journal | None = None
    schedule: Schedule | None = None
    run: str = ""
    mode: Mode | None = None


def new_run() -> str:
    """A name for attempts made in a row."""
    return uuid4().hex


class _Judged:
    """What drills and questions have in common: they end once, are rated, and their theme is scheduled."""

    def __init__(self, theme: Theme, kept: Kept) -> None:
        self.theme = theme
        self.kept = kept
        self.standing: Standing = GOING_ON
        """Where the drill stands."""
        self.mark: Mark | None = None
        """The rating it got; None while it goes on."""
        self.outcome: Outcome | None = None
        """What became of it; None while it goes on."""
        self.recorder = Recorder(kept.journal, theme, run=kept.run, mode=kept.mode or "")

    @property
    def attempt(self) -> str:
        """The attempt in the journal; empty before it has begun, and when it is kept nowhere."""
        return self.recorder.uuid

    def _end(self, found: Standing, outcome: Outcome, effort: Effort) -> None:
        """Ends the drill; only the first end is rated."""
        self.standing, self.outcome = found, outcome
        if self.mark is None:
            self.mark = rate(effort)
            if self.kept.schedule is not None:
                with suppress(JournalError):  # a journal that cannot be read just now does not stop a drill
                    self.kept.schedule.review(self.theme, self.mark, self.attempt)


class Drill(_Judged, Generic[P, M]):
    """*Mate it*, *hold it*, *find the only move*: a game from a start, over as soon as its goal is reached or missed.

    After a goal was missed, ``take_back`` lets the learner try again; that no longer changes what became of the drill.

    Args:
        judge: Tells what moves are worth.
        theme: What is drilled.
        start: Where it starts.
        defence: The defender's manner; the game's usual one by default.
        kept: Where it is kept.

    Raises:
        DrillError: No table covers the start, or the theme asks a question (see :class:`Question`).
    """

    def __init__(
        self,
        judge: Judge[P, M],
        theme: Theme,
        start: Start[P],
        defence: Defence | None = None,
        kept: Kept | None = None,
    ) -> None:
        super().__init__(theme, kept or Kept())
        if theme.mode is Mode.CALL and not theme.study:
            raise DrillError("this drill is a question", "it has no moves")
        self.start = start
        self.match: Match[P, M] = Match(
            judge, start.position, start.learner, defence or usual(judge.game), limited=self._in_time(judge.game)
        )
        self.match.listener = self.recorder
        verdict = self.match.start_verdict
        if verdict is None:
            raise DrillError("no table covers the start of this drill", "build its ending first")
        mover = judge.game.mover(start.position)
        only = theme.mode is Mode.ONLY and not theme.study
        self.goal = Goal.MOVE if only else goal_of(verdict, mover, start.learner)
        self.recorder.goal = self.goal
        self._rest()

    def _in_time(self, game: Game[P, M]) -> bool:
        """Whether best play ends before a limit of moves can end the game; where it does not, none is asked to."""
        horizon, clock = game.horizon, game.tracked(self.start.position).clock
        return horizon is not None and clock + (self.start.perfect or 0) <= horizon

    @property
    def allowed(self) -> int:
        """Plies that may be lost for the drill to count as solved."""
        return allowed(self.start.perfect)

    @property
    def plies_lost(self) -> int:
        """Plies lost so far, with those of moves taken back."""
        return self.recorder.plies_lost

    @property
    def errors(self) -> int:
        """Moves so far that changed the result for the worse."""
        return self.recorder.errors

    def play(self, move: M, seconds: float = 0.0) -> Ply[P, M]:
        """Makes the learner's move.

        Raises:
            PositionError: It is not his move, the drill is over, or the move is not legal.
        """
        self._check_running()
        if not self.match.your_turn:
            raise PositionError("it is not your move", "wait for the reply")
        ply = self.match.play(move, seconds)
        self._rest()
        return ply

    def reply(self, rng: random.Random) -> Ply[P, M]:
        """Finds and makes the defender's move.

        Raises:
            NotBuiltError: A table that a move leads to is missing.
            PositionError: It is not his move, or the drill is over.
        """
        self._check_running()
        match = self.match
        if match.your_turn:
            raise PositionError("it is your move", "the defender waits")
        return self.answer(reply(match.explorer, match.position, match.defence, rng))

    def answer(self, move: M) -> Ply[P, M]:
        """Makes the defender's move, found elsewhere (by :func:`defence.reply` in a worker)."""
        self._check_running()
        ply = self.match.play(move)
        self._rest()
        return ply

    def hint(self) -> Hint[M]:
        """The next step of a hint: the man, then the move; each counts.

        Raises:
            PositionError: It is not the learner's move.
        """
        self._check_running()
        best = self.match.judge.known(self.match.position).best
        if best is None:
            raise PositionError("there is no move", "the game is over")
        return self.match.hint(best.move)

    def take_back(self) -> int:
        """Takes back the learner's last move and the reply to it; returns the plies taken back.

        Raises:
            PositionError: The game has ended by its rules, or he has not moved yet.
        """
        count = self.match.take_back()
        self.standing = GOING_ON
        return count

    def show(self) -> None:
        """Gives up, or looks at what was missed: the table's line is put behind the moves played.

        Raises:
            PositionError: The game has ended by its rules.
        """
        self.recorder.begin(self.match)
        self.match.show(self.match.judge.line(self.match.position, by=MINDING).moves)
        self._rest()

    def leave(self) -> None:
        """Gives up without being shown: failed once the learner has moved or had a hint, else as if never begun."""
        if self.outcome is not None:
            return
        if self.recorder.moves or self.recorder.hints:
            self._conclude(Standing(True, False, "left"))
        else:
            self.recorder.leave()
            self.outcome = Outcome.LEFT

    def _check_running(self) -> None:
        if self.standing.over:
            raise PositionError("the drill is over", "take the move back, or start another one")

    def _rest(self) -> None:
        """Looks where the drill stands, after every ply."""
        found = standing(self.goal, self.match)
        if found.over:
            self._conclude(found)

    def _conclude(self, found: Standing) -> None:
        recorder = self.recorder
        if self.outcome in (Outcome.SOLVED, Outcome.FAILED):
            self.standing = found
            return
        recorder.conclude(self.match, found)
        assert recorder.finished_as is not None
        effort = Effort(
            found.reached, recorder.errors, recorder.plies_lost, self.allowed, recorder.hints, recorder.takebacks,
            recorder.seconds / max(1, recorder.moves),
        )  # fmt: skip
        self._end(found, recorder.finished_as, effort)


@dataclass(frozen=True, slots=True)
class Call:
    """An answer to *call it*.

    Attributes:
        result: Win, draw or loss for the side to move.
        decides: Whether the move decides: would the result be another one with the other side to move? None where
            that side cannot be to move, and where it is not asked.
    """

    result: Category
    decides: bool | None = None

    @property
    def words(self) -> str:
        """The answer in words."""
        return self.result.value + {True: ", the move decides", False: ", whoever moves", None: ""}[self.decides]


class Question(_Judged, Generic[P, M]):
    """*Call it*: what is the result, and does the move decide?

    Args:
        explorer: The tables.
        theme: What is drilled.
        start: The position in question.
        kept: Where it is kept.
    """

    def __init__(self, explorer: Explorer[P, M], theme: Theme, start: Start[P], kept: Kept | None = None) -> None:
        super().__init__(theme, kept or Kept())
        self.explorer = explorer
        self.start = start
        self.truth = Call(start.category, move_decides(explorer, start.position))
        """The right answer."""

    def answer(self, call: Call, seconds: float = 0.0) -> bool:
        """Answers the question; True when right. Where ``truth.decides`` is None, it is not asked for.

        Raises:
            PositionError: It has been answered.
        """
        if self.standing.over:
            raise PositionError("the question has been answered", "start another one")
        right = call.result is self.truth.result and self.truth.decides in (None, call.decides)
        found = Standing(True, right, "right" if right else f"it is a {self.truth.words}")
        outcome = Outcome.SOLVED if right else Outcome.FAILED
        start, journal = self.start, self.kept.journal
        if journal is not None:
            self.recorder.begin_at(
                self.explorer.game, start.position, start.learner, goal=Goal.ANSWER, perfect=start.perfect
            )
            said = Made(1, "", call.words, True, "right" if right else "wrong", error=not right, seconds=seconds)
            journal.move(self.attempt, said)
            journal.finish(self.attempt, outcome, found.why)
        self._end(found, outcome, Effort(right, int(not right), pace=seconds))
        return right
