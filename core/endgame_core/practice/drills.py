"""Drills and result questions: how they are played, graded and scheduled for repetition."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from endgame_core.errors import EndgameError, PositionError
from endgame_core.game import Game
from endgame_core.judge import DEPTH_UNDER_RULE, Judge
from endgame_core.language import _
from endgame_core.practice.defence import Defence, reply, suggestion, usual
from endgame_core.practice.goals import (
    FASTER_WAY,
    GOING_ON,
    SOLUTION_SHOWN,
    GameGoal,
    Standing,
    judge_goal,
    reachable_goal,
)
from endgame_core.practice.match import ChooseSteps, Hint, Match, Ply, idea_piece_move
from endgame_core.practice.recorder import Recorder, RecordingOptions, begin_attempt
from endgame_core.practice.records import JournalError, Made, Outcome
from endgame_core.practice.repetition import FsrsRating, rate, review
from endgame_core.practice.stars import STARS, count_stars, plies_allowed
from endgame_core.practice.theme import DrillError, DrillMode, Start, Theme, turn_matters
from endgame_core.tables.explorer import Explorer
from endgame_core.values import Category

P = TypeVar("P")
M = TypeVar("M")

_DRAWN_LINE = 8
"""Plies that the solution of a drawn position has."""
_LEFT = "left"
_RESULT_KEPT = (_LEFT, SOLUTION_SHOWN, FASTER_WAY)
"""The reasons (`Standing.why`) of a drill that is not solved although no result was thrown away."""


class _RatedExercise:
    """Common base of drills and questions: each ends, gets one rating, and reschedules its theme.

    Two things may be over. ``standing.over`` is about the position on the board: after a takeback it is false again.
    ``is_decided`` is about the outcome: once the exercise has one, no retry changes it. So they differ

    - during a retry after a missed goal: decided, but not over on the board;
    - in a drill that was left before its first move: decided, but never over on the board.
    """

    def __init__(self, theme: Theme, recording: RecordingOptions) -> None:
        self.theme = theme
        self.recording = recording
        self.standing: Standing = GOING_ON
        """Whether the exercise is over, and if so whether the goal was reached, and why."""
        self.mark: FsrsRating | None = None
        """The rating; None until the exercise ends."""
        self.outcome: Outcome | None = None
        """The outcome as stored in the journal; None until the exercise ends."""
        self.attempt = ""
        """The UUID of the attempt in the journal; empty until the exercise ends."""

    @property
    def is_decided(self) -> bool:
        """Whether the exercise has its outcome, which no retry changes."""
        return self.outcome is not None

    def _rate_once(self, standing: Standing, outcome: Outcome, mark: FsrsRating) -> None:
        """End the exercise and rate it; called at most once, since a retry changes only the standing."""
        self.standing = standing
        self.outcome = outcome
        self.mark = mark
        if self.recording.schedules:
            with suppress(JournalError):  # an unreadable journal must not stop the drill
                review(self.recording.journal, self.theme, self.mark, self.attempt)


class WinGoal(StrEnum):
    """The goal of a drill whose start is won."""

    WIN = "win"
    """Mate, or convert to another ending that the tables prove won within the 50-move rule."""
    MATE = "mate"
    """Play until mate, or until the game is won by its rules."""
    FEWEST = "fewest moves"
    """Mate without losing a ply and without help."""


def usual_goal(game: Game[Any, Any]) -> WinGoal:
    """Return the default goal of won drills in a game."""
    if game.converts:
        return WinGoal.WIN
    return WinGoal.MATE


class Drill(_RatedExercise, Generic[P, M]):
    """A game from a start position that ends as soon as its goal is reached or missed.

    The goal is a win, a draw, or an only move. After a missed goal the learner may take back and try again; the
    outcome and the rating no longer change then.

    Args:
        judge: Grades the moves.
        theme: The theme of the drill.
        start: The start position and the learner's side.
        recording: The journal, and how the attempt is stored in it.
        defence: How the defender plays; by default as usual in this game.
        win_goal: The goal if the start is won; by default the usual one of this game.

    Raises:
        DrillError: No table covers the start, or the theme asks a question (see :class:`ResultQuestion`).
    """

    def __init__(
        self,
        judge: Judge[P, M],
        theme: Theme,
        start: Start[P],
        recording: RecordingOptions,
        defence: Defence | None = None,
        win_goal: WinGoal | None = None,
    ) -> None:
        super().__init__(theme, recording)
        self.win_goal = win_goal or usual_goal(judge.game)
        if theme.mode is DrillMode.CALL and not theme.study:
            raise DrillError(_("this drill is a question"), _("it has no moves"))
        self.start = start
        self.match: Match[P, M] = Match(
            judge,
            start.position,
            start.learner,
            defence or usual(judge.game),
            limited=self._ends_before_move_limit(judge.game),
        )
        verdict = self.match.start_verdict
        if verdict is None:
            raise DrillError(_("no table covers the start of this drill"), _("build its ending first"))

        if theme.mode is DrillMode.ONLY:
            self.goal = GameGoal.MOVE
        else:
            self.goal = reachable_goal(verdict, judge.game.mover(start.position), start.learner)
        if self.goal is GameGoal.WIN and self.win_goal is WinGoal.FEWEST:
            self.goal = GameGoal.FEWEST

        self._rng = random.Random(judge.game.format(start.position))  # the same hints each time
        self.recorder = Recorder(self.match, self.recording, theme, self.goal)
        self._update_standing()

    def _ends_before_move_limit(self, game: Game[P, M]) -> bool:
        """Whether best play from the start ends before a move limit, e.g. the 50-move rule, can end the game.

        Otherwise the drill is played without the limit, because no learner could meet it.
        """
        if game.horizon is None:
            return False
        clock = game.start_game(self.start.position).clock
        return clock + (self.start.perfect or 0) <= game.horizon

    @property
    def allowed(self) -> int:
        """Plies that a good attempt may lose."""
        return plies_allowed(self.start.perfect)

    def play(self, move: M, seconds: float = 0.0) -> Ply[P, M]:
        """Make a move for the side to move: the learner's, or the defender's (see :meth:`Match.reply`).

        Args:
            move: A legal move.
            seconds: Thinking time for it.

        Raises:
            PositionError: The drill is over, or the move is not legal.
        """
        self._check_running()
        ply = self.match.play(move, seconds)
        self._update_standing()
        return ply

    def hint(self, choose_steps: ChooseSteps = idea_piece_move) -> Hint[M]:
        """Give the next step of a hint: the idea, then the piece, then the move. Each step counts.

        Args:
            choose_steps: Chooses the steps for the move that the hint is about.

        Raises:
            PositionError: It is not the learner's move.
        """
        self._check_running()
        match = self.match
        probe = match.judge.probe(match.position)
        if probe.best is None:
            raise probe.problem or PositionError(_("there is no move"), _("the game is over"))
        if match.last_hint is not None:
            return match.hint(match.last_hint.move)
        best = suggestion(match.judge, match.position, probe, self._rng)
        return match.hint(best, choose_steps)

    def take_back(self) -> int:
        """Take back the learner's last move and the reply to it; return the number of plies taken back.

        A last move that has ended the game by its rules, such as a stalemate, is also taken back.

        Raises:
            PositionError: The learner has not moved yet.
        """
        self.match.reopen()
        count = self.match.take_back()
        self.standing = GOING_ON
        return count

    def show(self) -> None:
        """Show the solution: append the table's best line to the moves played. A running drill is thereby given up.

        The line of a drawn position shows how the draw is held for a few moves.

        Raises:
            PositionError: The game has ended by its rules.
        """
        self.recorder.begin()
        solution = self.match.judge.line(self.match.position, metric=DEPTH_UNDER_RULE).moves
        self.match.show(self._drawn_line() or solution)
        self._update_standing()

    def _drawn_line(self) -> list[M]:
        """How both sides may go on in a drawn position; empty if it is not drawn, or a table is missing."""
        judge, position = self.match.judge, self.match.position
        game = judge.game
        line: list[M] = []
        visited: set[int] = set()
        while len(line) < _DRAWN_LINE:
            probe = judge.probe(position)
            if probe.category is not Category.DRAW or probe.best is None:
                break
            visited.add(game.start_game(position).key)
            try:
                if game.mover(position) == self.match.you:
                    move = suggestion(judge, position, probe, self._rng)
                else:
                    move = judge.keep_result(position, reply(judge, position, self.match.defence, self._rng, visited))
            except EndgameError:
                break
            line.append(move)
            position = game.play(position, move)
        return line

    def leave(self) -> None:
        """Give up without seeing the solution; it counts as failed only after a move or a hint."""
        if self.is_decided:
            return
        if self.is_begun:
            self._decide(Standing.failure(_LEFT))
        else:
            self.recorder.leave()
            self.outcome = Outcome.LEFT

    @property
    def blunders(self) -> int:
        """How often the learner threw away the result: by a move, or by a draw by rule in a won position."""
        missed = self.standing.over and not self.standing.reached
        missed_by_rule = missed and self.standing.why not in _RESULT_KEPT
        return self.match.errors or int(missed_by_rule)

    @property
    def stars(self) -> int:
        """The stars for reaching the goal now: 3 for perfect play, 2 for good play, else 1."""
        match = self.match
        return count_stars(self.start.perfect, match.plies_lost, match.hints, match.takebacks, match.errors)

    @property
    def is_spoilt(self) -> bool:
        """Whether the drill can no longer be solved, though play may continue.

        Either the goal was missed, or the goal is the fewest moves and a ply was lost or help was used.
        """
        return self.outcome is Outcome.FAILED or (self.goal is GameGoal.FEWEST and self.stars < STARS)

    @property
    def is_begun(self) -> bool:
        """Whether the learner has moved or used a hint."""
        return bool(self.match.moves_made or self.match.hints)

    def _check_running(self) -> None:
        if self.standing.over:
            raise PositionError(_("the drill is over"), _("take the move back, or start a new one"))

    def _update_standing(self) -> None:
        """End the drill if the last ply has reached or missed the goal."""
        result = judge_goal(self.goal, self.match, is_retry=self.is_decided)
        if not result.over:
            conversion = self._describe_conversion()
            if conversion:
                result = Standing.success(conversion)
        if result.over:
            self._decide(result)

    def _describe_conversion(self) -> str:
        """Say how the win was converted to another ending that is proved won; empty if it was not.

        This is checked after the defender's reply: a captured piece or a promotion counts only if the defender cannot
        win it back at once. Reaching another ending by losing a piece is not a conversion.
        """
        match = self.match
        game = match.game
        verdict = match.verdict
        if self.win_goal is not WinGoal.WIN or self.goal is not GameGoal.WIN or not match.your_turn:
            return ""
        if verdict is None or verdict.category is not Category.WIN or len(match.plies) < 2:
            return ""

        ending = game.ending_of(match.position)
        if ending == game.ending_of(match.start) or self._balance(match.position) < self._balance(match.start):
            return ""

        clock = match.tracked.clock
        if game.horizon is not None and clock + (verdict.depth or 0) > game.horizon:
            return ""  # not proved within the 50-move rule: the learner has to play on

        own_ply, reply_ply = match.plies[-2:]
        # Only chess moves have these attributes. A reply to the same square has captured the new piece.
        promotion = getattr(own_ply.move, "promotion", None)
        own_target = getattr(own_ply.move, "to_square", None)
        reply_target = getattr(reply_ply.move, "to_square", None)
        if promotion and reply_target != own_target:
            return "the pawn has promoted and wins"
        return f"{ending} is won"

    def _balance(self, position: P) -> int:
        """Return the learner's material minus the defender's."""
        game = self.match.game
        mover_material, opponent_material = game.material(position)
        balance = mover_material - opponent_material
        if game.mover(position) == self.match.you:
            return balance
        return -balance

    def _decide(self, standing: Standing) -> None:
        """Record and rate the end of the drill; after a retry only the standing changes.

        The match alone does not know that a drill is over, since most end before mate. So the end goes from here to
        the journal (`Recorder.conclude`), then to the rating (`_rate_once`); the session notes the result afterwards.
        """
        if self.is_decided:
            self.standing = standing
            return
        match = self.match
        outcome = self.recorder.conclude(standing)
        mark = rate(
            reached=standing.reached,
            errors=match.errors,
            plies_lost=match.plies_lost,
            allowed=self.allowed,
            hints=match.hints,
            takebacks=match.takebacks,
            pace=match.seconds_thought / max(1, match.moves_made),
        )
        self.attempt = self.recorder.uuid
        self._rate_once(standing, outcome, mark)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a Win/draw/loss? question.

    Attributes:
        result: Win, draw or loss for the side to move.
        turn_matters: Whether the result would change with the other side to move. None if the position would be illegal
            then, or if this is not part of the question.
    """

    result: Category
    turn_matters: bool | None = None

    @property
    def words(self) -> str:
        """The answer as text, e.g. ``win, the move decides``."""
        turn = {True: ", the move decides", False: ", whichever side moves", None: ""}[self.turn_matters]
        return self.result.value + turn


class ResultQuestion(_RatedExercise, Generic[P, M]):
    """Win/draw/loss?: what is the result, and does it matter whose turn it is?

    Args:
        explorer: The tables that know the answer.
        theme: The theme of the question.
        start: The position in question.
        recording: The journal, and how the attempt is stored in it.
    """

    def __init__(self, explorer: Explorer[P, M], theme: Theme, start: Start[P], recording: RecordingOptions) -> None:
        super().__init__(theme, recording)
        self.explorer = explorer
        self.start = start
        self.truth = Answer(start.category, turn_matters(explorer, start.position))
        """The right answer."""

    def answer(self, answer: Answer, seconds: float = 0.0) -> bool:
        """Grade an answer and record it; return whether it is right.

        Args:
            answer: The answer; its ``turn_matters`` is ignored if ``truth.turn_matters`` is None.
            seconds: Thinking time.

        Raises:
            PositionError: The question has already been answered.
        """
        if self.standing.over:
            raise PositionError(_("the question has been answered"), _("start a new one"))
        right = answer.result is self.truth.result and self.truth.turn_matters in (None, answer.turn_matters)
        if right:
            standing = Standing.success("right")
            outcome = Outcome.SOLVED
        else:
            standing = Standing.failure(f"it is a {self.truth.words}")
            outcome = Outcome.FAILED

        start = self.start
        self.attempt = begin_attempt(
            self.recording,
            self.explorer.game,
            start.position,
            start.learner,
            self.theme,
            goal=GameGoal.ANSWER,
            perfect=start.perfect,
        )
        # The journal stores an answer as the only move of the attempt, with its text in place of the SAN.
        grade = "right" if right else "wrong"
        made = Made(ply=1, uci="", san=answer.words, own=True, grade=grade, error=not right, seconds=seconds)
        self.recording.journal.move(self.attempt, made)
        self.recording.journal.finish(self.attempt, outcome, standing.why)
        self._rate_once(standing, outcome, rate(right, int(not right), pace=seconds))
        return right
