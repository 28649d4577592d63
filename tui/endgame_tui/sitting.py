"""A sitting: drills one after the other, what became of each, and the clock. No Textual here."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from endgame_core.errors import EndgameError
from endgame_core.judge import Judge
from endgame_core.practice.course import Course, Item
from endgame_core.practice.drills import Drill, Kept, Question, new_run
from endgame_core.practice.records import JournalError, Outcome
from endgame_core.practice.starts import Starts
from endgame_core.practice.streak import Scored, Streak
from endgame_core.practice.theme import DrillError, Mode, Theme
from endgame_core.tables.explorer import Explorer
from endgame_tui.order import AnyStart, Order, draw
from endgame_tui.speech import Speech, speech_of

AnyDrill = Drill[Any, Any]
AnyQuestion = Question[Any, Any]
AnyTask = AnyDrill | AnyQuestion


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one drill.

    Attributes:
        theme: What was drilled.
        solved: Whether it was solved.
        counts: Whether it counts; one that was left before a move was made does not.
        why: What decided.
        lost: Plies lost.
        hints: Hints taken.
        seconds: How long it took.
        due: When its theme comes again, seconds since 1970; None when it is not scheduled, or that cannot be read.
    """

    theme: Theme
    solved: bool
    counts: bool
    why: str
    lost: int
    hints: int
    seconds: float
    due: float | None


class Sitting:
    """Draws the drills of an order, one after the other.

    Args:
        order: What was chosen.
        explorer: The tables.
        course: Keeps journal and schedule, and knows what is built.
        rng: Decides on starts, and in a streak on what is asked.
        clock: Tells seconds that pass.
    """

    def __init__(
        self,
        order: Order,
        explorer: Explorer[Any, Any],
        course: Course,
        rng: random.Random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.order = order
        self.explorer = explorer
        self.course = course
        self.journal = course.journal
        self.starts = Starts(explorer, rng, order.colours)
        self.done: list[Done] = []
        """The drills that are over, in order."""
        self.number = 0
        """The drill at hand, from 1; 0 before the first."""
        self.total = order.count
        """How many drills there will be; 0 when nobody knows."""
        self.streak: Streak[Any, Any] | None = None
        self.step: Scored | None = None
        """What the last item of a streak did to the rating."""
        self._clock = clock
        self._run = new_run() if order.count > 1 else ""
        self._task: AnyTask | None = None
        self._first = order.first
        self._began = self._turn = clock()
        self._ended: float | None = None
        self._at = 0
        if order.mode is Mode.STREAK:
            self.streak = Streak(self.starts, order.endings, self.journal, rng, clock)

    @property
    def speech(self) -> Speech:
        """How the game is told."""
        return speech_of(self.explorer.game.name)

    @property
    def mover(self) -> str:
        """The side to move in the position the drill has come to."""
        task = self.task
        return self.explorer.game.mover(task.match.position if isinstance(task, Drill) else task.start.position)

    @property
    def task(self) -> AnyTask:
        """The drill at hand."""
        assert self._task is not None
        return self._task

    @property
    def drill(self) -> AnyDrill | None:
        """The drill at hand, unless it is a question."""
        return self._task if isinstance(self._task, Drill) else None

    @property
    def question(self) -> AnyQuestion | None:
        """The question at hand, unless it is a drill with moves."""
        return self._task if isinstance(self._task, Question) else None

    @property
    def item(self) -> Item:
        """What is drilled; in a streak, what the item was drawn from."""
        if self.streak is not None:
            return Item(self.task.theme)
        return self.order.items[self._at % len(self.order.items)]

    # The clock

    @property
    def seconds(self) -> float:
        """How long the drill at hand has taken; what is left of a streak."""
        if self.streak is not None:
            return self.streak.left
        return (self._clock() if self._ended is None else self._ended) - self._began

    def thought(self) -> float:
        """Seconds since it became the learner's turn."""
        return max(0.0, self._clock() - self._turn)

    def your_turn(self) -> None:
        """It has become the learner's turn."""
        self._turn = self._clock()

    # One drill after the other

    @property
    def finished(self) -> bool:
        """Whether no drill is to come."""
        if self.streak is not None:
            return self.streak.over
        return self.number >= self.total

    def next(self) -> str:
        """Begins the next drill; one that cannot be drawn is passed over.

        Returns:
            Why drills were passed over, as a sentence; mostly empty.

        Raises:
            EndgameError: None that is left can be drawn.
        """
        if self.streak is not None:
            self.number += 1
            self._begin(self.streak.next())
            return ""
        passed = ""
        while True:
            if self.finished:
                raise DrillError("there is nothing more to drill", "")
            self._at = self.number
            self.number += 1
            try:
                self._begin(self._make(self.item))
            except JournalError:
                raise
            except EndgameError as problem:
                passed = str(problem)
                if self.finished:
                    raise
                continue
            return passed

    def again(self) -> None:
        """Begins another copy of the drill at hand, as one more drill.

        Raises:
            EndgameError: None can be drawn.
        """
        if self.streak is not None:
            raise DrillError("in a streak nothing comes twice", "Enter goes on")
        task = self._make(self.item)
        self.total += 1
        self.number += 1
        self._begin(task)
        self._shift()

    def _shift(self) -> None:
        """Drills that come later keep their items although one was put in."""
        items = self.order.items
        at = self._at % len(items)
        if len(items) > 1:
            self.order = replace(self.order, items=(*items[: at + 1], items[at], *items[at + 1 :]))
            self._at += 1

    def _begin(self, task: AnyTask) -> None:
        self._task = task
        self._began = self._turn = self._clock()
        self._ended = None

    def _make(self, item: Item) -> AnyTask:
        """A drill, or a question, about an item."""
        mode = self.order.mode
        start = self._start(item, mode)
        kept = Kept(self.journal, self.course.schedule, self._run)
        if item.study is not None and mode is Mode.CALL:  # calling it right does not mean to have learnt it
            return Question(self.explorer, item.theme, start, Kept(self.journal, None, self._run, Mode.CALL))
        if item.theme.mode is Mode.CALL:
            return Question(self.explorer, item.theme, start, kept)
        return Drill(Judge(self.explorer), item.theme, start, self.order.defence, kept)

    def _start(self, item: Item, mode: Mode | None) -> AnyStart:
        first, self._first = self._first, None
        return first if first is not None else draw(self.starts, item, self.order.colours, mode)

    def conclude(self) -> Done | None:
        """What became of the drill at hand, once it has ended; None while it goes on, or when that was said before."""
        task = self.task
        if task.outcome is None or self._ended is not None:
            return None
        self._ended = self._clock()
        drill = self.drill
        done = Done(
            task.theme, task.outcome is Outcome.SOLVED, task.outcome is not Outcome.LEFT, task.standing.why,
            0 if drill is None else drill.plies_lost, 0 if drill is None else drill.recorder.hints,
            self._ended - self._began, self._due(task),
        )  # fmt: skip
        if self.streak is not None and done.counts:
            self.step = self.streak.done(task)
            done = replace(done, solved=self.step.solved)
        self.done.append(done)
        return done

    def _due(self, task: AnyTask) -> float | None:
        if task.kept.schedule is None:
            return None
        try:
            card = self.journal.card(task.theme.key)
        except JournalError:
            return None
        return None if card is None else card.due

    def leave(self) -> None:
        """Gives up the drill at hand, if it goes on."""
        if self._task is None or self._task.outcome is not None:
            return
        drill = self.drill
        if drill is not None:
            drill.leave()
            self.conclude()
