"""A training session: a series of drills with their results, the review of a finished drill, and the clock."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import cycle, islice
from typing import Any, Final

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, PositionError
from endgame_core.judge import DEPTH_UNDER_RULE, Judge
from endgame_core.language import _
from endgame_core.practice.course import Course, DrillItem
from endgame_core.practice.defence import Defence
from endgame_core.practice.drills import Answer, Drill, ResultQuestion, WinGoal
from endgame_core.practice.levels import LEVELS
from endgame_core.practice.match import ChooseSteps, Ply, idea_piece_move
from endgame_core.practice.path import Placement, rate_first_attempt
from endgame_core.practice.recorder import RecordingOptions, new_run
from endgame_core.practice.records import JournalError, Outcome
from endgame_core.practice.streak import ItemScore, Streak
from endgame_core.practice.studies import Study
from endgame_core.practice.theme import DrillError, DrillMode, Start, Starts, Theme
from endgame_core.tasks.review import ReviewSession
from endgame_core.values import Category

REFUTATION = 8
"""Maximum length of a refutation, in plies."""

_REASONED_LINE = 40
"""Plies of best play that are searched for the reason of a mistake."""

AnyStart = Start[Any]
AnyDrill = Drill[Any, Any]
AnyQuestion = ResultQuestion[Any, Any]
AnyTask = AnyDrill | AnyQuestion


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """The settings of a training session.

    Attributes:
        title: Title of the session.
        items: Items to drill in turn; repeated from the first one until there are ``count`` drills.
        count: Number of drills; 0 for a streak.
        mode: Overrides the mode of every item; None keeps the item's own mode.
        defence: How the defender plays; None for the default of the game.
        colours: Whether Black and White may be exchanged.
        endings: Endings of a streak; empty for other modes.
        first: Start of the first drill, if the user chose one; otherwise None.
        grows: Whether starts get harder with success; otherwise they come from the whole window.
        win_goal: Goal of drills that can be won; None for the default of the game.
        placement: Whether this is the placement test, which finds the learner's level and chooses its own items.
    """

    title: str
    items: tuple[DrillItem, ...]
    count: int
    mode: DrillMode | None = None
    defence: Defence | None = None
    colours: bool = True
    endings: tuple[str, ...] = ()
    first: AnyStart | None = None
    grows: bool = True
    win_goal: WinGoal | None = None
    placement: bool = False


def draw(
    starts: Starts[Any, Any],
    item: DrillItem,
    colours: bool,
    mode: DrillMode | None = None,
    level: int | None = None,
    is_another: bool = False,
) -> AnyStart:
    """Draw a start for an item: a random position of its theme, or a random symmetric copy of its study.

    Errors in the user's own games first start from the board of the game, so that the user recognizes them.

    Args:
        starts: Source of random starts.
        item: The item to drill.
        colours: Whether Black and White may be exchanged in a study.
        mode: Mode of the drill, where it overrides the item's own.
        level: Highest difficulty of a theme's start; None for the whole window.
        is_another: Whether the user has asked for another start of the same item.

    Raises:
        EndgameError: The table is not built, or no position fits the theme.
    """
    if item.study is None:
        return starts.draw(item.theme, level or LEVELS)

    position = starts.game.parse(item.study.position)
    if mode is DrillMode.CALL:
        side = starts.game.mover(position)
    else:
        side = item.study.side
    if item.study.is_from_game and not is_another:
        return starts.unchanged(position, side)
    return starts.of_position(position, side, colours)


class Stage(StrEnum):
    """The stage of the current drill."""

    DRILL = "drill"
    """The learner and the defender make moves."""
    QUESTION = "question"
    """The learner answers: win, draw or loss?"""
    TURN_MATTERS = "turn"
    """The learner answers: does it matter whose turn it is?"""
    OVER = "over"
    """The drill is over, solved or not."""
    SUMMARY = "summary"
    """The session is over, or has not begun."""


ANSWERED: Final = "answered"
"""In place of a stage, for keys and commands: a question is over, so that there are no moves to look at."""


@dataclass(frozen=True, slots=True)
class DrillResult:
    """The outcome of one drill.

    Attributes:
        theme: Theme of the drill.
        solved: Whether the drill was solved.
        counts: Whether the drill counts; one abandoned before the first move does not.
        why: The reason for the outcome.
        lost: Plies lost.
        errors: Number of moves that threw away the result.
        hints: Number of hints used.
        seconds: Duration of the drill.
        due: Next due time of the theme, in seconds since 1970; None if unscheduled or the journal is unreadable.
        stars: Rating of the solution, 1 to 3; 0 if the drill was not solved, and for a question.
    """

    theme: Theme
    solved: bool
    counts: bool
    why: str
    lost: int
    errors: int
    hints: int
    seconds: float
    due: float | None
    stars: int = 0


class TrainingSession:
    """Runs the drills of a plan one after the other and tracks the learner's progress in each.

    Several methods return a sentence: the reason why they did nothing, or an empty string on success. An unreadable
    journal does not stop a drill: see :meth:`take_trouble`.

    Args:
        plan: What to drill.
        judge: Grades moves and provides best lines.
        course: Provides the journal, and which tables are built.
        rng: Chooses starts and the questions of a streak, and seeds the defender.
        clock: Returns a monotonic time in seconds.

    Raises:
        EndgameError: The plan is a streak without endings.
    """

    def __init__(
        self,
        plan: TrainingPlan,
        judge: Judge[Any, Any],
        course: Course,
        rng: random.Random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.plan = plan
        self.judge = judge
        self.explorer = judge.explorer
        self.game = judge.game
        self.course = course
        self.journal = course.journal
        self.results: list[DrillResult] = []
        """The results of the finished drills, in order."""
        self.number = 0
        """Number of the current drill, from 1; 0 before the first."""
        self.items = list(islice(cycle(plan.items), plan.count))
        """The item of each drill; empty in a streak, and of the drills so far in the placement test."""
        self.placement = Placement(course, rng) if plan.placement else None
        """Chooses the items of the placement test; None for other sessions."""
        self.streak: Streak[Any, Any] | None = None
        """Draws and counts the items of a streak; None for other sessions."""
        self.item_score: ItemScore | None = None
        """How the last item of a streak changed the rating."""
        self._defender_rng = random.Random(rng.random())
        self._starts = Starts(judge.explorer, rng, plan.colours)
        self._clock = clock
        self._run = ""
        if plan.count > 1 or plan.placement:
            self._run = new_run()
        self._chosen_start = plan.first
        """The start that the user chose for the first drill, until it is used."""
        self._is_summed_up = False
        self._trouble: EndgameError | None = None

        # The rest is about the current drill, and set again with each one.
        self._task: AnyTask | None = None
        self.level: int | None = None
        """Level of the current drill, or the new level once it is over; None if the drill has no level."""
        self.level_before: int | None = None
        """Level at the start of the current drill."""
        self.rating_change = 0.0
        """How the current drill changed the learner's rating; 0 while it is running, and if it is not rated."""
        self.answered_result: Category | None = None
        """The first part of the learner's answer to a question: its result."""
        self.answer: Answer | None = None
        """The learner's complete answer; None until there is one."""
        self.review: ReviewSession[Any, Any] | None = None
        """The move-by-move review of a finished drill, once it is opened."""
        self.refutation: list[Ply[Any, Any]] = []
        """The line that punishes the learner's mistake, after a drill that was missed."""
        self.mistake_reason: str | None = None
        """Why the learner's move was a mistake, in words; None until the front end has asked for it."""
        self.variation_start: int | None = None
        """The ply of the review after which moves were tried for either side, after a drill; None if none was."""
        self.shows_line = False
        """Whether the best line is shown, after a drill."""
        self._drill_started_at = clock()
        self._turn_started_at = self._drill_started_at
        self._drill_ended_at: float | None = None

        if plan.mode is DrillMode.STREAK:
            self.streak = Streak(self._starts, plan.endings, self.journal, rng, clock)

    # The state of the session

    @property
    def stage(self) -> Stage:
        """The stage of the current drill."""
        if self._is_summed_up or self._task is None:
            return Stage.SUMMARY
        if self.task.standing.over:
            return Stage.OVER
        if self.drill is not None:
            return Stage.DRILL
        if self.answered_result is None:
            return Stage.QUESTION
        return Stage.TURN_MATTERS

    @property
    def command_stage(self) -> str:
        """The stage that decides which keys and commands apply: :attr:`stage`, or ``answered`` after a question."""
        if self.stage is Stage.OVER and self.drill is None:
            return ANSWERED
        return self.stage.value

    @property
    def task(self) -> AnyTask:
        """The current drill or question; there must be one."""
        assert self._task is not None
        return self._task

    @property
    def drill(self) -> AnyDrill | None:
        """The current drill; None for a question, and before the first drill."""
        if isinstance(self._task, Drill):
            return self._task
        return None

    @property
    def question(self) -> AnyQuestion | None:
        """The current question; None for a drill with moves, and before the first drill."""
        if isinstance(self._task, ResultQuestion):
            return self._task
        return None

    @property
    def total(self) -> int:
        """Number of drills of the session; 0 for a streak, whose length is unknown."""
        if self.placement is None:
            return len(self.items)
        return self.placement.count

    @property
    def is_test(self) -> bool:
        """Whether each item is answered once, without taking back: in a streak and in the placement test."""
        return self.streak is not None or self.placement is not None

    @property
    def item(self) -> DrillItem:
        """The item of the current drill; in a streak, one with the theme that the drill was drawn from."""
        if self.streak is not None:
            return DrillItem(self.task.theme)
        return self.items[self.number - 1]

    @property
    def learner(self) -> str | None:
        """The learner's side; None before the first drill."""
        if self._task is None:
            return None
        return self._task.start.learner

    @property
    def mover(self) -> str:
        """The side to move in the current position of the drill, or in the position of the question."""
        drill = self.drill
        if drill is None:
            position = self.task.start.position
        else:
            position = drill.match.position
        return self.game.mover(position)

    @property
    def position(self) -> Any:
        """The position on the board, of the review if one is open; None before the first drill."""
        if self.review is not None:
            return self.review.position

        drill = self.drill
        if drill is not None:
            return drill.match.position

        if self._task is None:
            return None
        return self._task.start.position

    @property
    def last_move(self) -> Any:
        """The move that led to the position on the board; None at the start."""
        if self.review is not None:
            return self.review.came_by

        drill = self.drill
        if drill is None or not drill.match.plies:
            return None
        return drill.match.plies[-1].move

    @property
    def current_result(self) -> DrillResult | None:
        """The result of the current drill; None while it is running."""
        is_decided = self._task is not None and self._task.is_decided
        if is_decided and self.results:
            return self.results[-1]
        return None

    @property
    def counted_results(self) -> list[DrillResult]:
        """The results of the drills that count."""
        return [result for result in self.results if result.counts]

    def take_trouble(self) -> EndgameError | None:
        """Return the last non-fatal problem and clear it; None if there was none.

        It is either an unreadable journal or a session that ended early because no further drill could be drawn.
        """
        trouble = self._trouble
        self._trouble = None
        return trouble

    # The clock

    @property
    def elapsed(self) -> float:
        """Seconds since the current drill began; the clock stops when it is decided."""
        if self._drill_ended_at is None:
            end = self._clock()
        else:
            end = self._drill_ended_at
        return end - self._drill_started_at

    @property
    def thought(self) -> float:
        """Seconds since the learner's turn began."""
        return max(0.0, self._clock() - self._turn_started_at)

    def tick(self) -> bool:
        """Check the clock of a streak; end the session and return True if the time is up."""
        if self.streak is None or self.streak.seconds_left > 0 or self.stage in (Stage.OVER, Stage.SUMMARY):
            return False
        self.leave()
        return True

    # One drill after the other

    @property
    def is_last_drill(self) -> bool:
        """Whether the current drill is the last one."""
        if self.streak is not None:
            return self.streak.is_over
        return self.number >= self.total

    @property
    def flows_on(self) -> bool:
        """Whether an item of a streak is over and the next one follows without pause."""
        return self.streak is not None and self.task.is_decided and not self.streak.is_over

    def next(self) -> str:
        """Begin the next drill, or end the session after the last one; skip drills that cannot be drawn.

        Returns:
            A sentence that explains why drills were skipped; empty if none was.

        Raises:
            EndgameError: None of the remaining drills can be drawn, and no drill counts so far.
        """
        if self.is_last_drill:
            self.sum_up()
            return ""
        return self._enter(self._draw)

    def resume_after(self, number: int, results: Sequence[DrillResult]) -> str:
        """Resume an unfinished session with the drill after drill ``number``; ``results`` are those so far.

        Returns:
            A sentence that explains why drills were skipped; empty if none was.

        Raises:
            EndgameError: None of the remaining drills can be drawn, and no drill counts so far.
        """
        self.results[:] = results
        self.number = number
        return self.next()

    def again(self) -> str:
        """Begin another copy of the current drill, inserted as an additional drill; in a streak, end the session.

        A drill that can still be solved must be finished first.

        Returns:
            A sentence that explains why there is no copy, or why drills were skipped; empty on success.

        Raises:
            EndgameError: No copy can be drawn, and no drill counts so far.
        """
        if not self.task.is_decided and not self.offers_copy:
            return instruct(_("finish this drill first; {press} {show} to see the solution."))

        self._leave_drill()
        if self.streak is not None:
            self.sum_up()
            return ""
        if self.placement is not None:  # each position is asked about once
            return self.next()
        return self._enter(self._draw_copy)

    def _draw_copy(self) -> tuple[AnyTask, str]:
        """Draw another start for the current item, and insert it as the next drill; see :meth:`_draw`."""
        task = self._draw_task(self.item, is_another=True)
        self.items.insert(self.number, self.item)
        self.number += 1
        return task, ""

    @property
    def offers_copy(self) -> bool:
        """Whether the drill can no longer be solved, so that the learner may start another copy at once."""
        return self.streak is None and self.placement is None and self.drill is not None and self.drill.is_spoilt

    def _enter(self, draw_task: Callable[[], tuple[AnyTask, str]]) -> str:
        """Begin the drill that ``draw_task`` returns; return a sentence about skipped drills, or an empty string.

        If it raises EndgameError after a drill that counts, the session ends, and the error is stored as the trouble.
        """
        self._close_review()
        self.answered_result = None
        self.answer = None
        self.rating_change = 0.0

        try:
            task, skip_reason = draw_task()
        except EndgameError as problem:
            if not self.counted_results:
                raise
            self.sum_up()
            self._trouble = problem
            return ""

        self._task = task
        self._drill_started_at = self._turn_started_at = self._clock()
        self._drill_ended_at = None
        self._after_action()
        if skip_reason:
            return _("skipped: {skip_reason}").format(skip_reason=skip_reason)
        return ""

    def _draw(self) -> tuple[AnyTask, str]:
        """Draw the next drill that is possible; return it with the reason why the last one before it was skipped."""
        if self.streak is not None:
            self.number += 1
            return self.streak.next(), ""
        if self.placement is not None:
            return self._draw_placement(self.placement), ""

        skip_reason = ""
        while True:
            self.number += 1
            try:
                return self._draw_task(self.item), skip_reason
            except EndgameError as problem:
                skip_reason = str(problem)
                if self.is_last_drill:
                    raise

    def _draw_placement(self, placement: Placement) -> AnyTask:
        """Draw the next position of the placement test: an only move if there is just one, else a question."""
        while True:
            item = placement.next()
            if item is None or item.study is None:
                raise DrillError(_("there are no positions left to find your level"), _("build more endings"))
            try:
                task = self._placement_task(item, item.study)
            except EndgameError:
                continue  # a damaged table, for example
            self.number += 1
            self.items.append(item)
            return task

    def _placement_task(self, item: DrillItem, study: Study) -> AnyTask:
        position = self.game.parse(study.position)
        start = self._starts.of_position(position, self.game.mover(position), self.plan.colours)
        storage = RecordingOptions(self.journal, schedules=False, run=self._run)
        if self._starts.only_move(start.position) is None:
            return ResultQuestion(self.explorer, replace(item.theme, mode=DrillMode.CALL), start, storage)
        return Drill(self.judge, replace(item.theme, mode=DrillMode.ONLY), start, storage)

    def _draw_task(self, item: DrillItem, is_another: bool = False) -> AnyTask:
        """Set the level of the next drill, draw a start for it, and create it.

        The start that the user chose is used once, for the first drill.
        """
        self.level = None
        if self.plan.grows:
            self.level = self.course.level(item.theme)
        self.level_before = self.level

        start = self._chosen_start
        self._chosen_start = None
        if start is None:
            start = draw(self._starts, item, self.plan.colours, self.plan.mode, self.level, is_another)
        return self._make_task(item, start)

    def _make_task(self, item: DrillItem, start: AnyStart) -> AnyTask:
        """Create the drill or question of an item."""
        # Naming the result of a study correctly does not prove that the learner can play it: it is not scheduled.
        if item.study is not None and self.plan.mode is DrillMode.CALL:
            unscheduled = RecordingOptions(self.journal, schedules=False, run=self._run, mode=DrillMode.CALL)
            return ResultQuestion(self.explorer, item.theme, start, unscheduled)

        scheduled = RecordingOptions(self.journal, schedules=True, run=self._run)
        if item.theme.mode is DrillMode.CALL:
            return ResultQuestion(self.explorer, item.theme, start, scheduled)
        return Drill(self.judge, item.theme, start, scheduled, self.plan.defence, self.plan.win_goal)

    def _after_action(self) -> None:
        """Note the result if the drill is decided; start the learner's clock if it goes on and it is their turn."""
        self._note_result()
        self._refute()
        drill = self.drill
        if drill is not None and not drill.standing.over and drill.match.your_turn:
            self._turn_started_at = self._clock()

    def _note_result(self) -> None:
        """Append the result of the current drill to ``results`` once it is decided; later calls do nothing."""
        task = self.task
        drill = self.drill
        if not task.is_decided or self._drill_ended_at is not None:
            return

        self._drill_ended_at = self._clock()
        if self.level is not None:
            self.level = self.course.level(task.theme)
        is_solved = task.outcome is Outcome.SOLVED
        result = DrillResult(
            theme=task.theme,
            solved=is_solved,
            counts=task.outcome is not Outcome.LEFT,
            why=task.standing.why,
            lost=0 if drill is None else drill.match.plies_lost,
            errors=0 if drill is None else drill.blunders,
            hints=0 if drill is None else drill.match.hints,
            seconds=self.elapsed,
            due=self._due(task),
            stars=drill.stars if drill is not None and is_solved else 0,
        )
        if self.streak is not None and result.counts:
            self.item_score = self.streak.score(task)
            result = replace(result, solved=self.item_score.solved)  # false if it was solved too late
        elif result.counts:
            self.rating_change = rate_first_attempt(self.journal, self.game.name, self.item, result.solved)
        self.results.append(result)

    def _refute(self) -> None:
        """Find the line that punishes the learner's last move if that was a mistake, also when they try again."""
        drill = self.drill
        mistake = self.mistake
        if drill is None or mistake is None or not mistake.error:
            return  # nothing was thrown away: a slower win, for example, has no refutation
        if drill.match.result is not None:
            return  # the move itself ended the game, e.g. by stalemate: no line follows
        line = self.judge.line(drill.match.position, REFUTATION, metric=DEPTH_UNDER_RULE)
        self.refutation = drill.match.continuation(line.moves)

    def _due(self, task: AnyTask) -> float | None:
        """Next due time of the task's theme, in seconds since 1970; None if unscheduled or unreadable."""
        if not task.recording.schedules:
            return None
        try:
            card = self.journal.card(task.theme.key)
        except JournalError:
            return None
        if card is None:
            return None
        return card.due

    def sum_up(self) -> None:
        """End the session and reload the course, which the outcomes have changed."""
        self._is_summed_up = True
        if self.counted_results:
            try:
                self.course.refresh()
            except JournalError as problem:
                self._trouble = problem

    @property
    def leaving_fails(self) -> bool:
        """Whether leaving the drill now counts as not solved, because a move was made or a hint used."""
        drill = self.drill
        return drill is not None and not drill.is_decided and drill.is_begun

    def leave(self) -> None:
        """End the session; abandon the current drill if it is still running."""
        self._leave_drill()
        self.sum_up()

    def _leave_drill(self) -> None:
        """Abandon the current drill if it is still running; an unanswered question needs no result."""
        drill = self.drill
        if drill is not None and not drill.is_decided:
            drill.leave()
            self._note_result()

    # Moves

    @property
    def why_no_move(self) -> str:
        """A sentence that explains why the learner cannot move now; empty if they can."""
        if self.stage is Stage.QUESTION:
            return instruct(_("a question has no moves: {call}"))
        if self.stage is Stage.TURN_MATTERS:
            return instruct(_("a question has no moves: {yes_or_no}?"))
        drill = self.drill
        if drill is None or self.stage is not Stage.DRILL:
            return instruct(_("the drill is over: {press} {next} to go on."))
        if drill.match.your_turn:
            return ""
        return _("wait for the reply.")

    def play(self, move: Any) -> None:
        """Play a move for the side to move; only the learner's moves take time.

        Raises:
            EndgameError: The move cannot be played.
        """
        drill = self.drill
        if drill is None:
            return
        seconds = 0.0
        if drill.match.your_turn:
            seconds = self.thought
        drill.play(move, seconds)
        self._after_action()

    def wanted_reply(self) -> Callable[[], Any] | None:
        """Return a function that finds the defender's reply, or None if it is not the defender's turn.

        The function may be called in any thread and raises EndgameError. Its result is out of date as soon as the
        position of the drill is a different object.
        """
        drill = self.drill
        if drill is None or self.stage is not Stage.DRILL or drill.match.your_turn:
            return None
        return partial(drill.match.reply, self._defender_rng)

    def hint(self, choose_steps: ChooseSteps = idea_piece_move) -> str:
        """Give the next step of a hint, see ``drill.match.last_hint``.

        Args:
            choose_steps: Chooses the steps for the move that the hint is about.

        Returns:
            A sentence that explains why there is no hint; empty on success.

        Raises:
            EndgameError: No hint is available.
        """
        drill = self.drill
        if self.stage is Stage.QUESTION:
            return instruct(_("a question has no hints: {call}"))
        if self.stage is Stage.TURN_MATTERS:
            return instruct(_("a question has no hints: {yes_or_no}?"))
        if self.stage is not Stage.DRILL or drill is None:
            return _("there are no hints here.")
        if self.is_test:
            return _("there are no hints here.")
        drill.hint(choose_steps)
        return ""

    @property
    def can_take_back(self) -> bool:
        """Whether the learner can take back a move now."""
        drill = self.drill
        if drill is None or self.stage is Stage.SUMMARY or self.is_test:
            return False
        has_ended = drill.match.result is not None and self.mistake is None
        return not has_ended and any(ply.own for ply in drill.match.plies)

    @property
    def has_better(self) -> bool:
        """Whether the drill has a best line to show: from the learner's error on, or from the current position."""
        drill = self.drill
        if drill is None:
            return False
        has_error = any(ply.own and ply.error for ply in drill.match.plies)
        return has_error or bool(self.game.moves(drill.match.position))

    def take_back(self) -> str:
        """Take back the learner's last move.

        Returns:
            A sentence that explains why no move can be taken back; empty on success.

        Raises:
            EndgameError: The learner has not moved yet.
        """
        drill = self.drill
        if drill is None or self.stage is Stage.SUMMARY or self.is_test:
            return _("nothing can be taken back here.")
        if drill.match.result is not None and self.mistake is None:
            return instruct(_("the game has ended; {press} {again} for a new position, {next} for the next drill."))
        self._close_review()
        drill.take_back()
        self._after_action()
        return ""

    def show(self) -> None:
        """Give up: append the best line to the moves and open the review at its first move.

        Raises:
            EndgameError: No best line is available.
        """
        drill = self.drill
        if drill is None or self.stage is not Stage.DRILL:
            return
        played = len(drill.match.plies)
        drill.show()
        self._note_result()
        self.look_at(played + 1)

    @property
    def mistake(self) -> Ply[Any, Any] | None:
        """The learner's last move, if it missed the goal of the current drill; otherwise None."""
        drill = self.drill
        if drill is None or not drill.standing.over or drill.standing.reached or not drill.match.plies:
            return None
        last = drill.match.plies[-1]
        if last.is_slip:
            return last
        return None

    def best_play(self, position: Any) -> list[tuple[Any, Any]]:
        """Return best play from a position, each move with the position before it."""
        steps = self.judge.line(position, _REASONED_LINE, metric=DEPTH_UNDER_RULE).steps
        return [(step.position, step.move) for step in steps]

    @property
    def is_retrying(self) -> bool:
        """Whether the learner tries again after a mistake; the result of the drill stays."""
        return self.stage is Stage.DRILL and self.task.is_decided

    @property
    def can_retry(self) -> bool:
        """Whether the learner missed the goal by a move that they can take back, to try again from there."""
        return self.stage is Stage.OVER and self.mistake is not None and self.can_take_back

    # Questions

    def answer_result(self, result: Category) -> None:
        """Answer the question with a result; the answer is complete unless it also asks whose turn matters."""
        question = self.question
        if question is None or self.stage not in (Stage.QUESTION, Stage.TURN_MATTERS):
            return
        self.answered_result = result
        if question.truth.turn_matters is None:
            self._complete_answer(Answer(result))

    def answer_turn_matters(self, matters: bool) -> None:
        """Answer whether it matters whose turn it is."""
        if self.stage is Stage.TURN_MATTERS and self.answered_result is not None:
            self._complete_answer(Answer(self.answered_result, matters))

    def _complete_answer(self, answer: Answer) -> None:
        question = self.question
        assert question is not None
        self.answer = answer
        question.answer(answer, self.thought)
        self._note_result()

    # Review of a finished drill

    def _close_review(self) -> None:
        """Forget what was shown after the drill, because it goes on or another one begins."""
        self.review = None
        self.variation_start = None
        self.refutation = []
        self.mistake_reason = None
        self.shows_line = False

    def step(self, plies: int) -> bool:
        """Step forward (or back) in the review of a finished drill; False if there is none."""
        drill = self.drill
        if self.stage is not Stage.OVER or drill is None:
            return False
        self.look_at(self._reviewed_ply(drill) + plies)
        return True

    def _reviewed_ply(self, drill: AnyDrill) -> int:
        """The number of plies before the position on the board; without a review, all of them."""
        if self.review is None:
            return len(drill.match.plies)
        return self.review.at

    def look_at(self, at: int) -> None:
        """Show the position after ``at`` plies of a finished drill.

        At the ply where the learner began to try moves, or before it, the tried moves are dropped.
        """
        drill = self.drill
        if self.stage is not Stage.OVER or drill is None:
            return
        self.shows_line = False
        if self.variation_start is not None and at <= self.variation_start:
            self.variation_start = None
            self.review = None
        if self.review is None:
            self.review = ReviewSession.of_match(self.judge, drill.match, self.refutation)
        self.review.go(at)

    def try_move(self, move: Any) -> None:
        """Try a move for the side to move in the review of a finished drill; the result stays.

        Raises:
            EndgameError: The drill is not over, or the move is not legal.
        """
        drill = self.drill
        if self.stage is not Stage.OVER or drill is None:
            raise PositionError(_("there is no move to make"), _("finish this drill first"))
        self.look_at(self._reviewed_ply(drill))
        assert self.review is not None
        line = list(self.review.items[: self.review.at])
        if self.variation_start is None:
            self.variation_start = len(line)
        tried = drill.match.variation_ply(line, move)
        self.review = ReviewSession(self.judge, drill.match.start, [*line, tried], drill.match.you)
        self.review.go(len(line) + 1)
