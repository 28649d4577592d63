"""Drill: one sitting, against the table, in either game."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.binding import BindingType
from textual.message import Message
from textual.timer import Timer

from endgame_core.errors import EndgameError, PositionError
from endgame_core.practice.course import Course
from endgame_core.practice.defence import reply
from endgame_core.practice.drills import Call
from endgame_core.practice.records import JournalError
from endgame_core.tables.explorer import Explorer
from endgame_core.values import Category
from endgame_tui import drill_words as words
from endgame_tui.order import Order
from endgame_tui.screens.drill_keys import BINDINGS
from endgame_tui.screens.drill_review import DrillReview
from endgame_tui.sitting import AnyTask, Sitting
from endgame_tui.widgets.question import Choice


class Drilling(DrillReview):
    """The drills of a sitting, one after the other."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    @dataclass
    class Replied(Message):
        """The defender's move has been found, or not.

        Attributes:
            task: The drill it belongs to.
            plies: How many plies had been made.
            move: The move.
            problem: Why there is none.
        """

        task: AnyTask
        plies: int
        move: Any
        problem: EndgameError | None

    def __init__(self, order: Order, course: Course) -> None:
        super().__init__(order, course)
        self._timer: Timer | None = None
        self._rng = random.Random()

    def on_mount(self) -> None:
        """Begins the first drill."""
        self._seen = self.session.changes
        self._rng.seed(self.session.rng.random())
        self._timer = self.set_interval(1.0, self.tick, name="clock")
        self._begin_sitting()

    def _begin_sitting(self) -> None:
        try:
            self._sitting = Sitting(
                self._order, self.session.explorer_of(self.GAME), self._course, self.session.rng, self.session.clock
            )  # fmt: skip
        except EndgameError as problem:
            self._give_up(problem)
            return
        self._summed_up = False
        self.fit()
        self._next()

    def resumed(self) -> None:
        """Another screen has asked for a drill: it has to wait until this one is over."""
        if self.session.drill is None:
            return
        if self.stage == "summary":
            self.call_later(self.dismiss)
        else:
            self.session.drill = None
            self.say("one sitting at a time: Esc leaves this one.")

    def on_unmount(self) -> None:
        """The app ends: a drill under way is given up."""
        self._leave()

    def tick(self) -> None:
        """The clock goes on; a streak ends with its time."""
        sitting = self._sitting
        if sitting is None or self.stage in ("over", "summary"):
            return
        if sitting.streak is not None and sitting.seconds <= 0:
            self._leave()
            self._sum_up()
            self.say("time is up.")
            return
        self.show_clock()

    # One drill after the other

    def _next(self) -> None:
        """The next drill; the summary after the last."""
        if self.sitting.finished:
            self._sum_up()
            return
        self._enter(self.sitting.next)

    def _enter(self, begin: Callable[[], object]) -> None:
        """Begins a drill, this way or that."""
        self.hush()
        self._at, self._called, self._given, self._line = None, None, None, ""
        self.unpick_quietly()
        try:
            passed = begin()
        except EndgameError as problem:
            if any(done.counts for done in self.sitting.done):
                self._sum_up()
                self.complain(problem)
            else:
                self._give_up(problem)
            return
        self.begin_at(self.sitting.task.start.learner == "black")
        self._shown = ""
        self.show()
        if passed:
            self.say(f"passed over: {passed}")
        self._go_on()

    def _give_up(self, problem: EndgameError) -> None:
        """Nothing can be drilled: back to the list, which says why."""
        self.session.trouble = problem
        self.dismiss()

    def _sum_up(self) -> None:
        """Shows how the sitting went; nothing, when nothing was done."""
        self._summed_up = True
        if not any(done.counts for done in self.sitting.done):
            self.dismiss()
            return
        try:
            self._course.refresh()
        except JournalError as problem:
            self.complain(problem)
        self.show()
        self._say_notice()

    def _go_on(self) -> None:
        """Shows where the drill has come to, and lets the defender reply."""
        sitting = self.sitting
        sitting.conclude()
        drill = sitting.drill
        if drill is not None and not drill.standing.over:
            if drill.match.your_turn:
                sitting.your_turn()
            else:
                self._ask_for_reply()
        self.show()
        self._say_notice()

    def _say_notice(self) -> None:
        if notice := self.session.journal.take_notice():
            self.say(notice, "loss")

    def _guarded(self, act: Callable[[], object]) -> bool:
        """Does something to the drill; False when it could not be done. A journal that fails does not stop it."""
        try:
            act()
        except JournalError as problem:
            self.complain(problem)
        except EndgameError as problem:
            self.complain(problem)
            return False
        return True

    # Moves

    @property
    def why_no_move(self) -> str:
        """Why no move can be made by hand now, in a sentence; empty when one can."""
        drill = self.sitting.drill
        if drill is None or self.stage != "drill":
            return "the drill is over: Enter goes on."
        return "" if drill.match.your_turn else "wait for the reply."

    def make(self, move: Any) -> None:
        """The learner moves."""
        drill, sitting = self.sitting.drill, self.sitting
        self.unpick_quietly()
        if drill is None:
            return
        if self._guarded(lambda: drill.play(move, sitting.thought())):
            self._after_task()
        else:
            self.show()

    def _after_task(self) -> None:
        """Goes on after a move or an answer; in a streak at once to the next item."""
        sitting = self.sitting
        if sitting.streak is None or sitting.task.outcome is None:
            self._go_on()
            return
        sitting.conclude()
        if sitting.streak.over:
            self.show()
            return
        told = self._comment()[0]
        self._next()
        if self.stage != "summary":
            self.say("".join(word.text for word in told.left), "win")

    def _ask_for_reply(self) -> None:
        """Looks for the defender's move in a thread."""
        drill = self.sitting.drill
        assert drill is not None
        match, explorer = drill.match, self.sitting.explorer
        position, defence, plies = match.position, match.defence, len(match.plies)
        own = Explorer(explorer.game, explorer.library)

        def find() -> None:
            move, problem = None, None
            try:
                move = reply(own, position, defence, self._rng)
            except EndgameError as error:
                problem = error
            self.post_message(self.Replied(drill, plies, move, problem))

        self.run_worker(find, name="reply", group="reply", thread=True, exit_on_error=False)

    @on(Replied)
    def _replied(self, event: Replied) -> None:
        drill = self.sitting.drill
        if drill is None or event.task is not drill or len(drill.match.plies) != event.plies or drill.standing.over:
            return
        move = event.move
        if move is None:
            self.complain(event.problem or EndgameError("the defender has no move", "Esc leaves"))
            return
        if self._guarded(lambda: drill.answer(move)):
            self.settle_cursor()
            self._go_on()

    def action_hint(self) -> None:
        """Gives the next step of a hint."""
        drill = self.sitting.drill
        if self.stage != "drill" or drill is None:
            self.say("there is nothing to give a hint about.")
            return
        self.hush()
        if self._guarded(drill.hint) and (hint := drill.match.given) is not None:
            self.point_out(hint.move, hint.step)
            self.show()
            self._say_notice()

    def action_take_back(self) -> None:
        """Takes the learner's last move back."""
        drill = self.sitting.drill
        if drill is None or self.stage == "summary" or self.sitting.streak is not None:
            self.say("nothing can be taken back here.")
            return
        if drill.match.result is not None:
            self.say("the game has ended: r draws another copy, Enter goes on.")
            return
        self.hush()
        self._at, self._line = None, ""
        self.unpick_quietly()
        if self._guarded(drill.take_back):
            self.settle_cursor()
            self._go_on()

    def action_show_me(self) -> None:
        """Gives up, after a question, and shows the best line; in a question it says: a win."""
        stage, drill = self.stage, self.sitting.drill
        if stage in ("question", "decides"):
            self.action_call("win")
        elif stage == "over" and drill is not None:
            self._line = "" if self._line else words.line_words(self.sitting, drill)
            self.show()
        elif stage == "drill" and drill is not None:
            self.question("Give up, and see how it is done?", Choice("enter", "Enter", "show me", self._show_me))

    def _show_me(self) -> None:
        drill = self.sitting.drill
        if drill is None or self.stage != "drill":
            return
        at = len(drill.match.plies)
        self.unpick_quietly()
        if self._guarded(drill.show):
            self.sitting.conclude()
            self._at = min(at + 1, len(drill.match.plies))
            self.show()
            self.say("the table shows it: ← → step through.")

    def action_type(self) -> None:
        """Asks for a move."""
        if self.stage == "drill":
            self.prompt(":", f"a move: {self.sitting.speech.moves}", self._typed)
        else:
            self.say("there is no move to make.")

    def _typed(self, text: str) -> None:
        drill = self.sitting.drill
        if drill is None:
            return
        if not drill.match.your_turn:
            raise PositionError("it is not your move", "wait for the reply")
        if not text:
            raise PositionError("nothing was typed", f"type a move such as {self.sitting.speech.moves}")
        if self.asks_more(text):
            return
        move = drill.match.game.parse_move(self.at_hand, text)
        self.hush()
        self.stop_asking()
        self.make(move)

    # Questions

    def action_call(self, result: str) -> None:
        """Says what the result is."""
        question = self.sitting.question
        if question is None or self.stage not in ("question", "decides"):
            return
        self.hush()
        self._called = Category(result)
        if question.truth.decides is None:
            self._call(None)
        else:
            self.show()

    def action_decides(self) -> None:
        """Says that the move decides."""
        if self.stage == "decides":
            self._call(True)

    def _call(self, decides: bool | None) -> None:
        question, sitting, called = self.sitting.question, self.sitting, self._called
        assert question is not None and called is not None
        call = Call(called, decides)
        self._given = call
        if self._guarded(lambda: question.answer(call, sitting.thought())):
            self._after_task()

    # What comes next

    def action_next(self) -> None:
        """The next drill; back to the list after the last."""
        stage = self.stage
        if stage == "summary":
            self.dismiss()
        elif stage == "over" or self.sitting.task.outcome is not None:
            self._next()

    def action_no(self) -> None:
        """Says that the move does not decide; elsewhere the next drill."""
        if self.stage == "decides":
            self._call(False)
        else:
            self.action_next()

    def action_again(self) -> None:
        """Drills another copy of the same; after the last drill, all of it."""
        if self.stage == "summary":
            self._begin_sitting()
        elif self.sitting.task.outcome is None:
            self.say("finish this one first; w shows how it is done.")
        elif self.sitting.streak is not None:
            self._sum_up()
        else:
            self._enter(self.sitting.again)

    def action_leave(self) -> None:
        """Puts the man down, or leaves: a drill under way counts as not solved once a move was made."""
        self.hush()
        if self.stage == "summary":
            self.dismiss()
            return
        if self.step_back():
            return
        drill = self.sitting.drill
        begun = drill is not None and drill.outcome is None and (drill.recorder.moves or drill.recorder.hints)
        if begun:
            leave = Choice("enter", "Enter", "leave", self._leave_sitting)
            self.question("Leave this drill? It counts as not solved.", leave)
        else:
            self._leave_sitting()

    def _leave_sitting(self) -> None:
        self._leave()
        self._sum_up()

    def _leave(self) -> None:
        if self._sitting is not None and self._sitting.number:
            self._guarded(self._sitting.leave)
