"""Choosing what to drill, and the drills, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from endgame_core.errors import EndgameError, NotBuiltError, PositionError
from endgame_core.plain.board import BOARD, BoardMode, last_of
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.console import Console
from endgame_core.plain.mode import TO_BEGIN
from endgame_core.practice.course import Course
from endgame_core.practice.records import JournalError
from endgame_core.tasks.drill_picker import DrillPicker
from endgame_core.tasks.lesson import LessonReader
from endgame_core.tasks.training_session import Stage, TrainingSession
from endgame_core.untrusted import quoted
from endgame_core.values import Category
from endgame_core.words import drill as words
from endgame_core.words import lesson, practice, screen_reader
from endgame_core.words.game_report import SHALL_I_SHOW, ply_of
from endgame_core.words.position import numbered
from endgame_core.words.text_model import count

_CHOOSE, _OVER, _ANSWERED, _ASKED = "choose", "over", "answered", "question decides"
_WIDE = 400


PRACTISE = CommandRegistry(BOARD)
"""The commands here."""


class Practise(BoardMode):
    """Drills, chosen and done."""

    TABLE = PRACTISE
    NAME = "practise"
    ABOUT = "Choose what to drill by its name, type begin, then type moves or answers."

    def __init__(self, desk: Console, game: str) -> None:
        super().__init__(desk, game)
        explorer = self.lab.explorer_of(game)
        self.course = Course(explorer.game, explorer.library, self.lab.studies(game), self.lab.journal)
        self.chooser = DrillPicker(self.course, explorer, desk.rng, self.lab.file)
        self.sitting: TrainingSession | None = None
        self.course.read_sets()

    @property
    def stage(self) -> str:
        """``choose``, else that of the sitting; ``answered`` after a question."""
        sitting = self.sitting
        if sitting is None or sitting.stage is Stage.SUMMARY:
            return _CHOOSE
        return _ANSWERED if sitting.stage is Stage.OVER and sitting.drill is None else sitting.stage.value

    @property
    def at(self) -> TrainingSession:
        """The sitting; raises EndgameError where there is none."""
        if self.sitting is None:
            raise EndgameError("no drill is under way", "choose one and type begin")
        return self.sitting

    @property
    def position(self) -> Any:
        """The position that is looked at; while a drill is chosen, none."""
        return None if self.stage == _CHOOSE or self.sitting is None else self.sitting.position

    def wanted_ending(self) -> str:
        """The first ending that what is chosen needs."""
        return next(iter(self.chooser.missing()), "")

    def candidates(self) -> Iterable[str]:
        """Legal moves in a drill, names before it."""
        if self.stage != _CHOOSE:
            return super().candidates()
        return [entry.title for entry in self.chooser.entries().values()]

    def enter(self, argument: str) -> None:
        """Tells what is due and what is chosen; chooses what was typed."""
        if self.stage != _CHOOSE:
            if argument:
                raise EndgameError("a drill is under way", "leave leaves it")
            self._tell()
            return
        try:
            self.course.refresh()
        except JournalError as problem:
            self.say(str(problem))
        self.say(*screen_reader.of_notes([practice.header(self.course)]))
        if argument:
            self.choose(argument)
        else:
            self.tell_chosen()

    def tables_changed(self) -> None:
        """Asks the tables anew."""
        self.chooser.forget()

    def leave(self) -> str:
        """A drill under way is given up; it counts as not solved once a move was made."""
        if self.sitting is None:
            return ""
        told = "The drill counts as not solved." if self.sitting.leaving_fails else ""
        self.sitting.leave()
        return told

    def tick(self) -> None:
        """The time of a streak may be up."""
        if self.sitting is not None and self.stage != _CHOOSE and self.sitting.tick():
            self.say(words.TIME_IS_UP)
            self.summary()

    def blank(self) -> None:
        """Begins, or goes on to the next drill."""
        if self.stage == _CHOOSE:
            begin(self, "")
        elif self.stage in (_OVER, _ANSWERED):
            next_one(self, "")
        else:
            super().blank()

    def typed(self, text: str) -> None:
        """A move in a drill; before it a name, or what a choice is to be."""
        if self.stage != _CHOOSE:
            self.play_move(text)
            return
        try:
            self.choose(text)
        except EndgameError as problem:
            try:
                set_choice(self, text)
            except EndgameError:
                raise problem from None

    # Choosing

    def choose(self, text: str) -> None:
        """Chooses what is called like a text; raises EndgameError."""
        key = self.chooser.find(text)
        if key is None:
            raise practice.not_found(text, self.chooser)
        self.chooser.go(key)
        self.tell_chosen()

    def tell_chosen(self) -> None:
        """What is chosen, how it is drilled, what is known of it."""
        chooser = self.chooser
        right = practice.setup_right(chooser)
        self.say(f"Chosen: {chooser.entry.title}{f', {right}' if right else ''}.")
        self.say(*map(screen_reader.of_choices, practice.setup(chooser)))
        window = chooser.window
        if window.layers:
            low, high = window.layers[window.low], window.layers[window.high]
            self.say(f"Layers: S{low} to S{high}, {practice.window_mover(chooser)}.")
        if missing := chooser.missing():
            self.say(f"Not built: {', '.join(missing)}; build builds {'it' if len(missing) == 1 else 'the first'}.")
        else:
            self.say(TO_BEGIN)

    # Drills

    def take_up(self, begin: Callable[[], str]) -> None:
        """Goes on to a drill, and tells what is to be done."""
        sitting = self.at
        try:
            told = begin()
        except EndgameError:
            self.sitting = None
            raise
        self.say(told)
        if sitting.stage is Stage.SUMMARY:
            self.summary()
            return
        self._reply()
        self._tell()

    def _tell(self) -> None:
        """Which drill it is, the position, and what is to be done."""
        sitting = self.at
        self.say(
            f"{', '.join(words.crumbs(sitting))}.", f"{screen_reader.of_note(words.title(sitting)).rpartition(',')[0]}."
        )
        if sitting.position is not None:
            mover = self.rules.mover(sitting.position).capitalize()
            self.say(f"{screen_reader.men_of(self.game, sitting.position, '')} {mover} to move.")
        self.comment(aim=True)

    def comment(self, aim: bool = False) -> None:
        """What the last move was worth, or what became of it; at first what is to be done, too."""
        notes = words.comment(self.at)
        whole = aim or self.at.stage is not Stage.DRILL or self.at.task.outcome is not None
        self.say(*screen_reader.of_notes(notes if whole else notes[:1]))
        if (trouble := self.at.take_trouble()) is not None:
            self.say(str(trouble))

    def _reply(self) -> str:
        """Lets the defender reply; what he played."""
        sitting, told = self.at, ""
        while (find := sitting.wanted_reply()) is not None:
            before, move = sitting.position, find()
            sitting.play(move)
            told = f"{self.rules.mover(before).capitalize()} plays {self.rules.san(before, move)}."
        return told

    def act(self, act: Callable[[], object], said: str = "") -> None:
        """Something about the drill, then the reply, then what there is to say."""
        sitting = self.at
        refused = act()
        if isinstance(refused, str) and refused:
            raise EndgameError(refused.rstrip("."))
        reply = self._reply()
        if sitting.flows_on:
            self.say(words.passed(sitting))
            self.take_up(sitting.next)
            return
        self.say(screen_reader.joined(said, reply))
        if sitting.stage is Stage.SUMMARY:
            self.summary()
        else:
            self.comment()

    def answer(self, name: str, *args: object) -> None:
        """What the sitting calls so: an answer, a hint."""
        self.act(partial(getattr(self.at, name), *args))

    def play_move(self, text: str) -> None:
        """Makes the learner's move."""
        sitting = self.at
        if sitting.stage in (Stage.QUESTION, Stage.DECIDES):
            raise PositionError("this is a question", "type win, draw or loss; or leave")
        if sitting.why_no_move:
            raise PositionError(
                "the drill is over", "type next to go on, again for a new position, or leave to end the session"
            )
        before, move = sitting.position, self.rules.parse_move(sitting.position, text)
        self.act(lambda: sitting.play(move), f"You play {self.rules.san(before, move)}.")

    def last(self) -> str:
        """The last move."""
        drill = self.at.drill
        return "" if drill is None else last_of(drill.match.plies, self.at.review)

    def clocks(self) -> Iterable[str]:
        """The time, and the facts of the drill."""
        sitting = self.at
        yield f"Time: {words.clock(sitting)}."
        yield from screen_reader.of_notes(words.facts(sitting, 60))

    def look(self, plies: int) -> None:
        """Looks at another position of a drill that is over."""
        if self.at.step(plies):
            self.say(self.last() or "The start.")
            self.comment()

    # From one to the other

    def summary(self) -> None:
        """How the sitting went."""
        sitting = self.at
        if sitting.counted:
            self.say(*screen_reader.of_notes(words.summary(sitting, 40)))
        self.sitting = None
        self.say("The session is over. Type begin to repeat it, or list for other drills.")


@PRACTISE("list", "list the sets, and the themes by ending", "", _CHOOSE)
def list_all(room: Practise, _: str) -> None:
    """Lists all rows."""
    for row in practice.courses(room.chooser):
        if row.key:
            drills = "" if row.drills is None else count(row.drills, "drill", "drills")
            due = f"{row.due} due" if row.due else ""
            room.say(f"{', '.join(part for part in (row.name, row.label, drills, due, row.right) if part)}.")
        elif row.name:
            room.say(f"{row.name}:")


PRACTISE.tells(
    "studies", "list the positions of the selected set",
    lambda room, _: [f"{item.study.name}." for item in room.chooser.entry.items if item.study] or practice.NOT_OPENED,
    stages=_CHOOSE,
)  # fmt: skip


@PRACTISE(
    "lesson",
    "read the lesson of the selected study, or of the one just practised",
    "",
    f"{_CHOOSE} {_OVER} {_ANSWERED}",
)
def read_lesson(room: Practise, _: str) -> None:
    """Prints all pages of a lesson."""
    study = room.chooser.entry.study if room.stage == _CHOOSE else room.at.item.study
    if study is None:
        room.say(lesson.NO_LESSON)
        return
    reader = LessonReader(study, room.lab.judge(room.game))
    room.say(*lesson.spoken(reader))
    while reader.turn(1):
        room.say("", *lesson.spoken(reader))


@PRACTISE(
    "delete", "delete the selected item: your own position or set, or an ending that you have practised", "", _CHOOSE
)
def delete(room: Practise, _: str) -> None:
    """Deletes something of one's own, after a question."""
    entry = room.chooser.entry
    if not room.chooser.can_delete:
        room.say(practice.NOT_DELETED)
    elif room.desk.ask(practice.shall_delete(entry)):
        room.chooser.delete(entry)
        room.say(practice.deleted(entry))
    else:
        room.say("Nothing is deleted.")


PRACTISE.does(
    "choose", "choose a set, an ending or a study; you can also type the name by itself", "choose",
    takes="NAME", stages=_CHOOSE,
)  # fmt: skip


@PRACTISE("set", "change a choice: set mode hold, set defence tricky", "CHOICE", _CHOOSE)
def set_choice(room: Practise, text: str) -> None:
    """Changes a choice."""
    room.choose_option(text, practice.setup(room.chooser), room.chooser.change)
    room.tell_chosen()


@PRACTISE("layers", "choose the layers to start from: layers 11 21", "[LOW HIGH]", _CHOOSE)
def layers(room: Practise, text: str) -> None:
    """Chooses the window of layers."""
    window, numbers = room.chooser.window, [part.lstrip("sS") for part in text.replace("-", " ").split()]
    if not window.layers:
        raise EndgameError(practice.NO_LAYERS.rstrip("."), "choose an ending, such as choose KRvK")
    if numbers:
        if not all(number.isdecimal() for number in numbers) or len(numbers) > 2:
            raise EndgameError(f"{quoted(text)} names no layers", "type layers and two numbers, such as layers 11 21")
        room.chooser.choose_window(int(numbers[0][:6]), int(numbers[-1][:6]))
    room.tell_chosen()


PRACTISE.tells(
    "facts", "show details and your results so far",
    lambda room, _: screen_reader.of_notes(practice.facts(room.chooser, _WIDE, 40)), stages=_CHOOSE,
)  # fmt: skip


@PRACTISE("begin", "start the drills", "", _CHOOSE)
def begin(room: Practise, _: str) -> None:
    """Begins a sitting."""
    try:
        order = room.chooser.order()
    except NotBuiltError as problem:
        raise NotBuiltError((room.chooser.missing() or (problem.ending,))[0]) from None
    room.sitting = TrainingSession(order, room.lab.judge(room.game), room.course, room.desk.rng, room.desk.clock)
    room.take_up(room.sitting.next)


PRACTISE.does("hint i", "get a hint: first the piece, then the move; hints count", "answer", "hint", stages="drill")


@PRACTISE("best b", "name the best move; counts as a hint", "", "drill over")
def best(room: Practise, _: str) -> None:
    """Names the best move."""
    drill = room.at.drill
    if room.at.stage is Stage.OVER:
        why(room, "")
        return
    room.at.hint()
    if drill is not None and drill.match.given is not None and drill.match.given.step == 1:
        room.at.hint()
    room.comment()


@PRACTISE("why", "explain the goal or your last move; after a drill, the best line")
def why(room: Practise, _: str) -> None:
    """Says it."""
    sitting = room.at
    if sitting.stage is Stage.SUMMARY:
        room.summary()
        return
    sitting.shows_line = sitting.stage is Stage.OVER and sitting.has_better
    room.comment()


@PRACTISE("back u", "take back your move; after a drill, go one move back", "", "drill over")
def back(room: Practise, _: str) -> None:
    """Takes back, or steps back."""
    if room.at.stage is Stage.OVER and not room.at.can_take_back:
        room.look(-1)
    else:
        room.act(room.at.take_back, "Your move is taken back.")


PRACTISE.does("forward", "after a drill, go one move forward", "look", 1, stages="over")
PRACTISE.does("start", "after a drill, go to its start", "look", -9999, stages="over")
PRACTISE.does("end", "after a drill, go to its end", "look", 9999, stages="over")


@PRACTISE("show w", "give up and hear the solution", "", "drill")
def show(room: Practise, _: str) -> None:
    """Gives up."""
    if not room.desk.ask(SHALL_I_SHOW):
        return
    drill = room.at.drill
    first = 0 if drill is None else len(drill.match.plies)
    room.at.show()
    if drill is not None:
        names = [ply.san for ply in drill.match.plies[first:]]
        room.say(f"Best: {numbered(names, ply_of(drill.match, first))}.")
    room.comment()


PRACTISE.tells(
    "score", "list all moves with the grades of yours", lambda room, _: screen_reader.rows(words.score(room.at), True),
    stages="drill over",
)  # fmt: skip
# Of a question there is no last move: l is an answer.
PRACTISE.tells(
    "last l", "say the last move", lambda room, _: room.last() or "No move has been made.", stages="drill over"
)
PRACTISE.does("win w", "answer: the side to move wins", "answer", "call", Category.WIN, stages=_ASKED)
PRACTISE.does("draw d", "answer: a draw", "answer", "call", Category.DRAW, stages=_ASKED)
PRACTISE.does("loss l", "answer: the side to move loses", "answer", "call", Category.LOSS, stages=_ASKED)
PRACTISE.does("yes y", "answer: it matters whose turn it is", "answer", "decide", True, stages="decides")
PRACTISE.does("no n", "answer: it does not matter whose turn it is", "answer", "decide", False, stages="decides")


@PRACTISE("next n", "go to the next drill; an empty line does the same", "", "over answered")
def next_one(room: Practise, _: str) -> None:
    """Goes on."""
    room.take_up(room.at.next)


@PRACTISE(
    "again r", "get a new position of the same kind; after a mistake, try again from there", "", "over answered drill"
)
def again(room: Practise, _: str) -> None:
    """Once more."""
    if room.at.can_retry:
        back(room, "")
    else:
        room.take_up(room.at.again)


@PRACTISE("leave", "end the session", "", "drill question decides over answered")
def leave_sitting(room: Practise, _: str) -> None:
    """Ends the sitting, after a question."""
    if room.at.leaving_fails and not room.desk.ask(words.SHALL_I_LEAVE):
        return
    room.at.leave()
    room.summary()
