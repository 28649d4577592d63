"""A sitting: drills one after the other, what became of each, what is being looked at, and the clock."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import cycle, islice
from typing import Any

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError
from endgame_core.judge import DEPTH_UNDER_RULE, Judge
from endgame_core.practice.course import Course, DrillItem
from endgame_core.practice.defence import Defence
from endgame_core.practice.drills import Call, Drill, Kept, ResultQuestion, Scored, Streak, WinGoal, new_run
from endgame_core.practice.levels import LEVELS
from endgame_core.practice.match import Ply
from endgame_core.practice.records import JournalError, Outcome
from endgame_core.practice.theme import DrillMode, Start, Starts, Theme
from endgame_core.tasks.review import ReviewSession
from endgame_core.values import Category

REFUTATION = 8
"""Plies of a refutation that are shown, at most."""

AnyStart = Start[Any]
AnyDrill = Drill[Any, Any]
AnyQuestion = ResultQuestion[Any, Any]
AnyTask = AnyDrill | AnyQuestion


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What a sitting is to be.

    Attributes:
        title: What it is about.
        items: What is drilled, in turn and round and round.
        count: How many drills.
        mode: Asked of every item in place of its own, if any.
        defence: The defender; None for the usual one of the game.
        colours: Whether Black and White may be exchanged.
        endings: Of a streak; empty for all others.
        first: The start of the first drill, when it was chosen.
        grows: Whether starts become harder with success; otherwise they come from the whole window.
        win_goal: What is asked for in a drill that can be won; None for the usual goal of the game.
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


def draw(
    starts: Starts[Any, Any], item: DrillItem, colours: bool, mode: DrillMode | None = None, level: int | None = None
) -> AnyStart:
    """A start of an item: a random position of its theme, or a random copy of its study.

    Args:
        starts: Draws it.
        item: The item.
        colours: Whether Black and White may be exchanged in a study.
        mode: The mode asked for in place of the item's own.
        level: How hard the start of a theme may be; anything when it is None.

    Raises:
        EndgameError: It is not built, or there is no such position.
    """
    if item.study is None:
        return starts.draw(item.theme, level or LEVELS)
    position, side = starts.game.parse(item.study.position), item.study.side
    if mode is DrillMode.CALL:
        side = starts.game.mover(position)
    return starts.of_position(position, side, colours)


class Stage(StrEnum):
    """How far the drill at hand has come."""

    DRILL = "drill"
    """Moves are made."""
    QUESTION = "question"
    """Win, draw or loss?"""
    DECIDES = "decides"
    """Does the move decide?"""
    OVER = "over"
    """It was solved, or not."""
    SUMMARY = "summary"
    """The sitting is over, or has not begun."""


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one drill.

    Attributes:
        theme: What was drilled.
        solved: Whether it was solved.
        counts: Whether it counts; one that was left before a move was made does not.
        why: What decided.
        lost: Plies lost.
        errors: Moves that let the result go.
        hints: Hints taken.
        seconds: How long it took.
        due: When its theme comes again, seconds since 1970; None when it is not scheduled, or that cannot be read.
        stars: How well it was solved, 1 to 3; 0 where it was not, and for a question.
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
    """Draws the drills of an order one after the other, and follows the learner through each.

    Methods that only say why they do nothing return that as a sentence; an empty one means it was done. A journal that
    cannot be read does not stop a drill: see :meth:`take_trouble`.

    Args:
        order: What was chosen.
        judge: Tells what moves are worth.
        course: Keeps the journal, and knows what is built.
        rng: Decides on starts, in a streak on what is asked, and seeds the defender.
        clock: Tells seconds that pass.

    Raises:
        EndgameError: A streak has no ending.
    """

    def __init__(
        self,
        order: TrainingPlan,
        judge: Judge[Any, Any],
        course: Course,
        rng: random.Random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.order = order
        self.judge = judge
        self.explorer = judge.explorer
        self.game = judge.game
        self.course = course
        self.journal = course.journal
        self.done: list[Done] = []
        """The drills that are over, in order."""
        self.number = 0
        """The drill at hand, from 1; 0 before the first."""
        self.items = list(islice(cycle(order.items), order.count))
        """What is drilled in turn; nothing in a streak."""
        self.streak: Streak[Any, Any] | None = None
        self.step_made: Scored | None = None
        """What the last item of a streak did to the rating."""
        self.review: ReviewSession[Any, Any] | None = None
        """A drill that is over, once it is looked at move by move."""
        self.refutation: list[Ply[Any, Any]] = []
        """Of a drill that a move has missed: how the table punishes it."""
        self.called: Category | None = None
        """The result that was answered to a question."""
        self.given: Call | None = None
        """The whole answer, once it is given."""
        self.shows_line = False
        """Whether the table's line is told, after a drill."""
        self.level: int | None = None
        """The level of the drill at hand, once it is over the new one; None where it has none."""
        self.level_before: int | None = None
        """The level with which the drill at hand began."""
        self._defender = random.Random(rng.random())
        self._starts = Starts(judge.explorer, rng, order.colours)
        self._clock = clock
        self._run = new_run() if order.count > 1 else ""
        self._task: AnyTask | None = None
        self._first = order.first
        self._began = self._turn = clock()
        self._ended: float | None = None
        self._is_summed_up = False
        self._trouble: EndgameError | None = None
        if order.mode is DrillMode.STREAK:
            self.streak = Streak(self._starts, order.endings, self.journal, rng, clock)

    # Where it has come to

    @property
    def stage(self) -> Stage:
        """How far the drill at hand has come."""
        if self._is_summed_up or self._task is None:
            return Stage.SUMMARY
        if self.task.standing.over:
            return Stage.OVER
        if self.drill is not None:
            return Stage.DRILL
        return Stage.QUESTION if self.called is None else Stage.DECIDES

    @property
    def task(self) -> AnyTask:
        """The drill or question at hand."""
        assert self._task is not None
        return self._task

    @property
    def drill(self) -> AnyDrill | None:
        """The drill at hand, unless it is a question, or none has begun."""
        return self._task if isinstance(self._task, Drill) else None

    @property
    def question(self) -> AnyQuestion | None:
        """The question at hand, unless it is a drill with moves, or none has begun."""
        return self._task if isinstance(self._task, ResultQuestion) else None

    @property
    def total(self) -> int:
        """How many drills there will be; 0 when nobody knows."""
        return len(self.items)

    @property
    def item(self) -> DrillItem:
        """What is drilled; in a streak, what the item was drawn from."""
        return DrillItem(self.task.theme) if self.streak is not None else self.items[self.number - 1]

    @property
    def learner(self) -> str | None:
        """The learner's side; None before the first drill."""
        return None if self._task is None else self._task.start.learner

    @property
    def mover(self) -> str:
        """The side to move in the position the drill has come to."""
        drill = self.drill
        return self.game.mover(self.task.start.position if drill is None else drill.match.position)

    @property
    def position(self) -> Any:
        """The position that is looked at; None before the first drill."""
        if self.review is not None:
            return self.review.position
        drill = self.drill
        if drill is not None:
            return drill.match.position
        return None if self._task is None else self._task.start.position

    @property
    def last_move(self) -> Any:
        """The move that led to it, None when none did."""
        if self.review is not None:
            return self.review.came_by
        drill = self.drill
        return drill.match.plies[-1].move if drill is not None and drill.match.plies else None

    @property
    def last(self) -> Done | None:
        """What became of the drill at hand; None while it goes on."""
        return self.done[-1] if self._task is not None and self._task.outcome is not None and self.done else None

    @property
    def counted(self) -> list[Done]:
        """The drills that count."""
        return [done for done in self.done if done.counts]

    def take_trouble(self) -> EndgameError | None:
        """Why figures could not be looked up, or nothing more can be drawn; told once."""
        trouble, self._trouble = self._trouble, None
        return trouble

    # The clock

    @property
    def seconds(self) -> float:
        """How long the drill at hand has taken; what is left of a streak."""
        if self.streak is not None:
            return self.streak.left
        return (self._clock() if self._ended is None else self._ended) - self._began

    @property
    def thought(self) -> float:
        """Seconds since it became the learner's turn."""
        return max(0.0, self._clock() - self._turn)

    def tick(self) -> bool:
        """A moment has passed; True when with it the time of a streak is up, which ends the sitting."""
        if self.streak is None or self.seconds > 0 or self.stage in (Stage.OVER, Stage.SUMMARY):
            return False
        self.leave()
        return True

    # One drill after the other

    @property
    def is_finished(self) -> bool:
        """Whether no drill is to come."""
        if self.streak is not None:
            return self.streak.over
        return self.number >= self.total

    @property
    def flows_on(self) -> bool:
        """Whether an item of a streak is over and the next one follows at once."""
        return self.streak is not None and self.task.outcome is not None and not self.streak.over

    def next(self) -> str:
        """Begins the next drill, or sums up after the last; a drill that cannot be drawn is passed over.

        Returns:
            Why drills were passed over, as a sentence; mostly empty.

        Raises:
            EndgameError: None that is left can be drawn, and none was drilled before.
        """
        if self.is_finished:
            self.sum_up()
            return ""
        return self._enter(self._draw)

    def again(self) -> str:
        """Begins another copy of the drill at hand, as one more drill; ends a streak.

        A drill that goes on has to be finished first, unless it can no longer be solved.

        Raises:
            EndgameError: None can be drawn, and none was drilled before.
        """
        if self.task.outcome is None and not self.offers_copy:
            return instruct("finish this one first; {press} {show} to see the solution.")
        if self.drill is not None and self.task.outcome is None:
            self.drill.leave()
            self._conclude()
        if self.streak is not None:
            self.sum_up()
            return ""

        def another() -> tuple[AnyTask, str]:
            """One more copy."""
            task = self._make(self.item)
            self.items.insert(self.number, self.item)
            self.number += 1
            return task, ""

        return self._enter(another)

    @property
    def offers_copy(self) -> bool:
        """Whether the drill can no longer be solved, so that another copy may be had at once."""
        return self.streak is None and self.drill is not None and self.drill.is_spoilt

    def _enter(self, drawn: Callable[[], tuple[AnyTask, str]]) -> str:
        """Begins a drill, this way or that."""
        self.review, self.called, self.given, self.shows_line = None, None, None, False
        self.refutation = []
        try:
            task, passed = drawn()
        except EndgameError as problem:
            if not self.counted:
                raise
            self.sum_up()
            self._trouble = problem
            return ""
        self._task = task
        self._began = self._turn = self._clock()
        self._ended = None
        self._rest()
        return f"passed over: {passed}" if passed else ""

    def _draw(self) -> tuple[AnyTask, str]:
        """The next drill, and why others were passed over."""
        if self.streak is not None:
            self.number += 1
            return self.streak.next(), ""
        passed = ""
        while True:
            self.number += 1
            try:
                return self._make(self.item), passed
            except EndgameError as problem:
                passed = str(problem)
                if self.is_finished:
                    raise

    def _make(self, item: DrillItem) -> AnyTask:
        """A drill, or a question, about an item."""
        mode = self.order.mode
        first, self._first = self._first, None
        self.level = self.level_before = self.course.level(item.theme) if self.order.grows else None
        start = first if first is not None else draw(self._starts, item, self.order.colours, mode, self.level)
        kept = Kept(self.journal, True, self._run)
        if item.study is not None and mode is DrillMode.CALL:  # calling it right does not mean to have learnt it
            unscheduled = Kept(self.journal, False, self._run, DrillMode.CALL)
            return ResultQuestion(self.explorer, item.theme, start, unscheduled)
        if item.theme.mode is DrillMode.CALL:
            return ResultQuestion(self.explorer, item.theme, start, kept)
        return Drill(self.judge, item.theme, start, kept, self.order.defence, self.order.win_goal)

    def _rest(self) -> None:
        """After every act: what became of it, if it is over; else the learner begins to think, if it is his turn."""
        self._conclude()
        drill = self.drill
        if drill is not None and not drill.standing.over and drill.match.your_turn:
            self._turn = self._clock()

    def _conclude(self) -> None:
        """Notes what became of the drill at hand, once, when it has ended."""
        task, drill = self.task, self.drill
        if task.outcome is None or self._ended is not None:
            return
        self._ended = self._clock()
        if self.level is not None:
            self.level = self.course.level(task.theme)
        if drill is not None and self.mistake is not None and self.mistake.error:
            line = self.judge.line(drill.match.position, REFUTATION, metric=DEPTH_UNDER_RULE)
            self.refutation = drill.match.continuation(line.moves)
        done = Done(
            task.theme, task.outcome is Outcome.SOLVED, task.outcome is not Outcome.LEFT, task.standing.why,
            *((0, 0, 0) if drill is None else (drill.match.lost, drill.let_go, drill.match.hints)),
            self._ended - self._began, self._due(task),
            drill.stars if drill is not None and task.outcome is Outcome.SOLVED else 0,
        )  # fmt: skip
        if self.streak is not None and done.counts:
            self.step_made = self.streak.done(task)
            done = replace(done, solved=self.step_made.solved)
        self.done.append(done)

    def _due(self, task: AnyTask) -> float | None:
        if not task.kept.schedules:
            return None
        try:
            card = self.journal.card(task.theme.key)
        except JournalError:
            return None
        return None if card is None else card.due

    def sum_up(self) -> None:
        """Ends the sitting; what it changed is looked up."""
        self._is_summed_up = True
        if self.counted:
            try:
                self.course.refresh()
            except JournalError as problem:
                self._trouble = problem

    @property
    def leaving_fails(self) -> bool:
        """Whether a drill that is left now counts as not solved: a move was made, or a hint taken."""
        drill = self.drill
        return drill is not None and drill.outcome is None and drill.is_begun

    def leave(self) -> None:
        """Ends the sitting; a drill that goes on is given up."""
        drill = self.drill
        if drill is not None and drill.outcome is None:
            drill.leave()
            self._conclude()
        self.sum_up()

    # Moves

    @property
    def why_no_move(self) -> str:
        """Why no move can be made now, in a sentence; empty when one can."""
        drill = self.drill
        if drill is None or self.stage is not Stage.DRILL:
            return instruct("the drill is over: {press} {next} to go on.")
        return "" if drill.match.your_turn else "wait for the reply."

    def play(self, move: Any) -> None:
        """The side to move does so: the learner, whose time counts, or the defender.

        Raises:
            EndgameError: It cannot.
        """
        drill = self.drill
        if drill is not None:
            drill.play(move, self.thought if drill.match.your_turn else 0.0)
            self._rest()

    def wanted_reply(self) -> Callable[[], Any] | None:
        """Finds the reply that is to be made now, in any thread; None when the learner is to move, or nobody is.

        It raises EndgameError. Its move is still wanted as long as the position is the same object.
        """
        drill = self.drill
        if drill is None or self.stage is not Stage.DRILL or drill.match.your_turn:
            return None
        return partial(drill.match.reply, self._defender)

    def hint(self) -> str:
        """Gives the next step of a hint, see ``drill.match.given``.

        Raises:
            EndgameError: There is none.
        """
        drill = self.drill
        if self.stage is not Stage.DRILL or drill is None:
            return "there is nothing to give a hint about."
        drill.hint()
        return ""

    @property
    def can_take_back(self) -> bool:
        """Whether a move of the learner can be taken back now."""
        drill = self.drill
        if drill is None or self.stage is Stage.SUMMARY or self.streak is not None:
            return False
        return drill.match.result is None and any(ply.own for ply in drill.match.plies)

    @property
    def has_better(self) -> bool:
        """Whether there is a best line to tell of a drill that is over: from an error on, or from where it stands."""
        drill = self.drill
        if drill is None:
            return False
        return any(ply.own and ply.error for ply in drill.match.plies) or bool(self.game.moves(drill.match.position))

    def take_back(self) -> str:
        """Takes the learner's last move back.

        Raises:
            EndgameError: He has not moved yet.
        """
        drill = self.drill
        if drill is None or self.stage is Stage.SUMMARY or self.streak is not None:
            return "nothing can be taken back here."
        if drill.match.result is not None:
            return instruct("the game has ended; {again}: new position, {next}: next.")
        self.review, self.shows_line = None, False
        self.refutation = []
        drill.take_back()
        self._rest()
        return ""

    def show(self) -> None:
        """Gives up, and puts the table's line behind the moves.

        Raises:
            EndgameError: There is none.
        """
        drill = self.drill
        if drill is None or self.stage is not Stage.DRILL:
            return
        at = len(drill.match.plies)
        drill.show()
        self._conclude()
        self.look_at(at + 1)

    @property
    def mistake(self) -> Ply[Any, Any] | None:
        """The learner's move that has missed the goal of the drill at hand; None where none has."""
        drill = self.drill
        if drill is None or not drill.standing.over or drill.standing.reached or not drill.match.plies:
            return None
        last = drill.match.plies[-1]
        return last if last.is_slip else None

    @property
    def can_retry(self) -> bool:
        """Whether the drill at hand was missed by a move that can be taken back, to try again from there."""
        return self.stage is Stage.OVER and self.mistake is not None and self.can_take_back

    # Questions

    def call(self, result: Category) -> None:
        """Says what the result is."""
        question = self.question
        if question is None or self.stage not in (Stage.QUESTION, Stage.DECIDES):
            return
        self.called = result
        if question.truth.decides is None:
            self._give(Call(result))

    def decide(self, decides: bool) -> None:
        """Says whether the move decides."""
        if self.stage is Stage.DECIDES and self.called is not None:
            self._give(Call(self.called, decides))

    def _give(self, call: Call) -> None:
        question = self.question
        assert question is not None
        self.given = call
        question.answer(call, self.thought)
        self._conclude()

    # Looking at a drill that is over

    def step(self, plies: int) -> bool:
        """Steps through the drill that is over; False where there is none."""
        drill = self.drill
        if self.stage is not Stage.OVER or drill is None:
            return False
        self.look_at((len(drill.match.plies) if self.review is None else self.review.at) + plies)
        return True

    def look_at(self, at: int) -> None:
        """Looks at the position after so many plies of a drill that is over."""
        drill = self.drill
        if self.stage is Stage.OVER and drill is not None:
            self.shows_line = False
            self.review = self.review or ReviewSession.of_match(self.judge, drill.match, self.refutation)
            self.review.go(at)
