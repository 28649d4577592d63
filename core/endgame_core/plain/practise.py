"""Practise in plain mode: choosing what to drill, and the drills, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from endgame_core import actions
from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, NotBuiltError, PositionError
from endgame_core.language import _, side_name
from endgame_core.plain.board import BOARD_COMMANDS, BoardMode, last_move_of
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.console import Console
from endgame_core.plain.mode import HOW_TO_BEGIN
from endgame_core.practice.course import Course
from endgame_core.practice.records import JournalError
from endgame_core.tasks.drill_picker import DrillPicker
from endgame_core.tasks.drill_search import DrillSearch
from endgame_core.tasks.lesson import LessonReader
from endgame_core.tasks.review import TO_THE_END
from endgame_core.tasks.training_session import ANSWERED, Stage, TrainingSession
from endgame_core.untrusted import quoted
from endgame_core.values import Category
from endgame_core.words import drill as words
from endgame_core.words import lesson as lesson_words
from endgame_core.words import practice as practice_words
from endgame_core.words import screen_reader
from endgame_core.words.game_report import SHALL_I_SHOW, ply_of
from endgame_core.words.missing_tables import type_to_build_drills
from endgame_core.words.position import numbered
from endgame_core.words.text_model import count

# The stages for which commands are declared; drill, question, decides and over are those of a TrainingSession.
_CHOOSE = "choose"
"""Choosing what to drill."""
_DRILL = "drill"
_QUESTION = "question turn"
"""A question is open: win, draw or loss; then whether it matters whose turn it is."""
_OVER = "over"

_FACTS_WIDTH = 400
"""Columns of the facts: wide enough that nothing is cut off. The terminal wraps them."""

PRACTISE_COMMANDS = CommandRegistry(BOARD_COMMANDS)
"""The commands of Practise."""


class PractiseMode(BoardMode):
    """Choosing drills, and solving them in a session.

    Attributes:
        course: The drills there are, and the results so far.
        picker: The choices for the next session.
        session: The session under way; None while drills are being chosen.
    """

    COMMANDS = PRACTISE_COMMANDS
    NAME = "practise"
    HELP = _("Type the name of what you want to drill, then begin, then moves or answers.")

    def __init__(self, console: Console, game: str) -> None:
        super().__init__(console, game)
        explorer = self.lab.explorer_of(game)
        self.course = Course(explorer.game, explorer.library, self.lab.studies(game), self.lab.journal)
        self.picker = DrillPicker(self.course, explorer, console.rng, self.lab.file)
        self.session: TrainingSession | None = None
        self.course.read_sets()

    @property
    def stage(self) -> str:
        """``choose``, ``drill``, ``question``, ``turn``, ``over``, or ``answered`` for a question that is over."""
        session = self.session
        if session is None or session.stage is Stage.SUMMARY:
            return _CHOOSE
        return session.command_stage

    def require_session(self) -> TrainingSession:
        """Return the session; raises EndgameError if there is none."""
        if self.session is None:
            raise EndgameError(_("no drill is in progress"), _("choose one and type begin"))
        return self.session

    @property
    def position(self) -> Any:
        """The position on the board; None while drills are being chosen."""
        if self.stage == _CHOOSE or self.session is None:
            return None
        return self.session.position

    def default_ending(self) -> str:
        """Return the first unbuilt ending that the chosen drills require; empty if all are built."""
        return next(iter(self.picker.missing()), "")

    def candidates(self) -> Iterable[str]:
        """Return the legal moves in a drill, otherwise what can be drilled."""
        if self.stage != _CHOOSE:
            return super().candidates()
        return [entry.title for entry in self.picker.entries().values()]

    def enter(self, argument: str) -> None:
        """Apply the typed choice, if any, then print the due drills and the choices; or describe the drill."""
        if self.stage != _CHOOSE:
            if argument:
                raise EndgameError(_("a drill is in progress"), _("type leave to end it"))
            self.describe_drill()
            return

        try:
            self.course.refresh()
        except JournalError as problem:
            self.say(str(problem))
        self.say(*screen_reader.of_notes([practice_words.header(self.course)]))
        if argument:
            self.choose(argument)
        else:
            self.describe_choice()

    def tables_changed(self) -> None:
        """Clear cached facts about the tables."""
        self.picker.forget()

    def close(self) -> str:
        """End the session; an unfinished drill counts as not solved once a move was made or a hint given."""
        if self.session is None:
            return ""
        message = ""
        if self.session.leaving_fails:
            message = _("The drill counts as unsolved.")
        self.session.leave()
        return message

    def tick(self) -> None:
        """End a streak whose time is up."""
        if self.session is None or self.stage == _CHOOSE:
            return
        if self.session.tick():
            self.say(words.TIME_IS_UP)
            self.end_session()

    def handle_empty_line(self) -> None:
        """Begin the session, or go on to the next drill; during a drill repeat the last output."""
        if self.stage == _CHOOSE:
            begin(self, "")
        elif self.stage in (_OVER, ANSWERED):
            next_drill(self, "")
        else:
            super().handle_empty_line()

    def handle_text(self, text: str) -> None:
        """Play a move in a drill; before that, choose a drill by its name, or an option."""
        if self.stage != _CHOOSE:
            self.play_move(text)
            return
        try:
            self.choose(text)
        except EndgameError as problem:
            try:
                set_option(self, text)
            except EndgameError:
                raise problem from None

    # Choosing drills

    def choose(self, name: str) -> None:
        """Choose the set, ending or study with a name, and describe it; raises EndgameError."""
        key = DrillSearch(self.picker).find(name)
        if key is None:
            raise practice_words.not_found(name, self.picker)
        self.picker.go(key)
        self.describe_choice()

    def describe_choice(self) -> None:
        """Print the current choice, its options, its layers, and the endings that are not built."""
        picker = self.picker
        theme = practice_words.setup_right(picker)
        if theme:
            title = f"{picker.entry.title}, {theme}"
        else:
            title = picker.entry.title
        self.say(_("Chosen: {title}.").format(title=title))
        self.say(*map(screen_reader.of_choices, practice_words.setup(picker)))

        window = picker.window
        if window.layers:
            low = window.layers[window.low]
            high = window.layers[window.high]
            self.say(
                _("Layers: S{low} to S{high}, {window_mover}.").format(
                    low=low, high=high, window_mover=practice_words.window_mover(picker)
                )
            )

        missing = picker.missing()
        if missing:
            self.say(type_to_build_drills(missing))
        else:
            self.say(HOW_TO_BEGIN)

    # Drills

    def start_drill(self, start: Callable[[], str]) -> None:
        """Start a drill and describe it.

        Args:
            start: Starts it, or ends the session; returns a sentence to print, mostly empty. If it raises EndgameError,
                the session is over.
        """
        session = self.require_session()
        try:
            message = start()
        except EndgameError:
            self.session = None
            raise
        self.say(message)
        if session.stage is Stage.SUMMARY:
            self.end_session()
            return
        self._play_reply()
        self.describe_drill()

    def describe_drill(self) -> None:
        """Print the number and the theme of the drill, the position and the goal."""
        session = self.require_session()
        theme, __, _clock = screen_reader.of_note(words.title(session)).rpartition(",")
        self.say(f"{', '.join(words.crumbs(session))}.", f"{theme}.")
        if session.position is not None:
            mover = side_name(self.rules.mover(session.position))
            self.say(
                _("{men_of} {mover} to move.").format(
                    men_of=screen_reader.men_of(self.game, session.position, ""), mover=mover
                )
            )
        self.comment(includes_goal=True)

    def comment(self, includes_goal: bool = False) -> None:
        """Print what the last move was worth, or how the drill ended; ``includes_goal`` adds the goal of the drill."""
        session = self.require_session()
        rows = words.comment(session)
        is_drill_open = session.stage is Stage.DRILL and not session.task.is_decided
        if is_drill_open and not includes_goal:
            rows = rows[:1]  # the row after it is the goal
        self.say(*screen_reader.of_notes(rows))

        trouble = session.take_trouble()
        if trouble is not None:
            self.say(str(trouble))

    def _play_reply(self) -> str:
        """Play the defender's reply, if it is their turn, and return it as a sentence."""
        session = self.require_session()
        message = ""
        # The search runs in this thread: plain mode has nothing else to do meanwhile.
        while (find_reply := session.wanted_reply()) is not None:
            before = session.position
            move = find_reply()
            session.play(move)
            message = _("{mover} plays {before}.").format(
                mover=side_name(self.rules.mover(before)), before=self.rules.san(before, move)
            )
        return message

    def act(self, action: Callable[[], object], message: str = "") -> None:
        """Run an action of the session, play the reply, and print what came of it.

        Args:
            action: The action; a sentence that it returns says why it did nothing, and is raised as an EndgameError.
            message: The text that is printed about the action.
        """
        session = self.require_session()
        refusal = action()
        if isinstance(refusal, str) and refusal:
            raise EndgameError(refusal.rstrip("."))

        reply = self._play_reply()
        # A streak goes on by itself after a right answer.
        if session.flows_on:
            self.say(words.passed(session))
            self.start_drill(session.next)
            return
        self.say(screen_reader.joined(message, reply))
        if session.stage is Stage.SUMMARY:
            self.end_session()
        else:
            self.comment()

    def answer_result(self, result: Category) -> None:
        """Answer the question for the result."""
        self.act(partial(self.require_session().answer_result, result))

    def answer_turn_matters(self, answer: bool) -> None:
        """Answer the question whether it matters whose turn it is."""
        self.act(partial(self.require_session().answer_turn_matters, answer))

    def play_move(self, text: str) -> None:
        """Play the user's move and the reply."""
        session = self.require_session()
        if session.stage is Stage.QUESTION:
            raise PositionError(_("this is a question"), _("type win, draw, loss or leave"))
        if session.stage is Stage.TURN_MATTERS:
            raise PositionError(_("this is a question"), _("type yes, no or leave"))
        if session.stage is Stage.OVER and session.drill is not None:
            self._try(session, text)
            return
        if session.why_no_move:
            raise PositionError(
                _("the drill is over"), _("type next to go on, again for a new position, or leave to end the session")
            )
        before = session.position
        move = self.rules.parse_move(before, text)
        self.act(partial(session.play, move), _("You play {before}.").format(before=self.rules.san(before, move)))

    def _try(self, session: TrainingSession, text: str) -> None:
        """Try a move for the side to move after a drill, and print what it is worth."""
        try:
            session.try_move(self.rules.parse_move(session.position, text))
        except PositionError as problem:
            raise PositionError(
                problem.what,
                _("type a move to try, next to go on, again for a new position, or leave to end the session"),
            ) from None
        self.comment()

    def last_move(self) -> str:
        """Return the last move as a sentence."""
        session = self.require_session()
        if session.drill is None:
            return ""
        return last_move_of(session.drill.match.plies, session.review)

    def clock_report(self) -> Iterable[str]:
        """Return the time and the facts of the drill."""
        session = self.require_session()
        yield _("Time: {clock}.").format(clock=words.clock(session))
        if session.streak is not None:
            yield f"{words.streak_length(session.streak)}."
        yield from screen_reader.of_notes(words.facts(session, 60))

    def step_review(self, plies: int) -> None:
        """Step through a drill that is over, and print the move."""
        if self.require_session().step(plies):
            self.say(self.last_move() or _("The start."))
            self.comment()

    def end_session(self) -> None:
        """Print the summary of a session that is over, and go back to choosing drills."""
        session = self.require_session()
        if session.counted_results:
            self.say(*screen_reader.of_notes(words.summary(session, 40)))
        self.session = None
        self.say(_("The session is over. Type begin to repeat it, or list for other drills."))


# Choosing drills


@PRACTISE_COMMANDS.register("list", _("list the sets and, by ending, the themes"), stages=_CHOOSE)
def list_courses(mode: PractiseMode, __: str) -> None:
    """List all that can be drilled."""
    for row in practice_words.courses(mode.picker):
        if row.key:
            drills = ""
            if row.drills is not None:
                drills = count(row.drills, "drill", "drills")
            due = ""
            if row.due:
                due = _("{due} due").format(due=row.due)
            parts = (row.name, row.label, drills, due, row.right)
            mode.say(f"{', '.join(part for part in parts if part)}.")
        elif row.name:
            mode.say(f"{row.name}:")


@PRACTISE_COMMANDS.register("studies", _("list the positions of the selected set"), stages=_CHOOSE)
def list_studies(mode: PractiseMode, __: str) -> None:
    """List the studies of the selected set."""
    names = [f"{item.study.name}." for item in mode.picker.entry.items if item.study]
    mode.say(*(names or [practice_words.NOT_OPENED]))


@PRACTISE_COMMANDS.register(
    actions.LESSON,
    _("read the lesson of the selected study, or of the study just practised"),
    stages=f"{_CHOOSE} {_OVER} {ANSWERED}",
)
def read_lesson(mode: PractiseMode, __: str) -> None:
    """Print all pages of a lesson."""
    if mode.stage == _CHOOSE:
        study = mode.picker.entry.study
    else:
        study = mode.require_session().item.study
    if study is None:
        mode.say(lesson_words.NO_LESSON)
        return
    reader = LessonReader(study, mode.lab.judge(mode.game))
    mode.say(*lesson_words.spoken(reader))
    while reader.turn(1):
        mode.say(*lesson_words.spoken(reader))


@PRACTISE_COMMANDS.register(
    actions.DELETE,
    _("delete the selected item: your own position or set, or an ending that you have practised"),
    stages=_CHOOSE,
)
def delete(mode: PractiseMode, __: str) -> None:
    """Delete the selected item, after a question."""
    entry = mode.picker.entry
    if not mode.picker.can_delete:
        mode.say(practice_words.NOT_DELETED)
    elif mode.console.ask(practice_words.shall_delete(entry)):
        mode.picker.delete(entry)
        mode.say(practice_words.deleted(entry))
    else:
        mode.say(_("Nothing was deleted."))


PRACTISE_COMMANDS.add(
    "choose",
    _("choose a set, an ending or a study; you can also type the name by itself"),
    lambda mode, name: mode.choose(name),
    "NAME",
    _CHOOSE,
)


@PRACTISE_COMMANDS.register("set", _("change a setting, e.g. set mode hold or set defence tricky"), "CHOICE", _CHOOSE)
def set_option(mode: PractiseMode, text: str) -> None:
    """Change a choice for the session."""
    mode.choose_option(text, practice_words.setup(mode.picker), mode.picker.change)
    mode.describe_choice()


@PRACTISE_COMMANDS.register("layers", _("choose the layers to start from: layers 11 21"), _("[LOW HIGH]"), _CHOOSE)
def choose_layers(mode: PractiseMode, text: str) -> None:
    """Choose the layers that drills start from: one, or a range such as ``11 21`` or ``S11-S21``."""
    if not mode.picker.window.layers:
        raise EndgameError(practice_words.NO_LAYERS.rstrip("."), _("choose an ending, e.g. with choose KRvK"))
    numbers = [part.lstrip("sS") for part in text.replace("-", " ").split()]
    if numbers:
        if len(numbers) > 2 or not all(number.isdecimal() for number in numbers):
            raise EndgameError(
                _("{text} is not a range of layers").format(text=quoted(text)),
                _("type layers and two numbers, such as layers 11 21"),
            )
        # At most six digits, because int() is slow for very long numbers.
        low = int(numbers[0][:6])
        high = int(numbers[-1][:6])
        mode.picker.choose_window(low, high)
    mode.describe_choice()


PRACTISE_COMMANDS.add_report(
    "facts",
    _("show details and your results so far"),
    lambda mode, __: screen_reader.of_notes(practice_words.facts(mode.picker, _FACTS_WIDTH, 40)),
    stages=_CHOOSE,
)


@PRACTISE_COMMANDS.register(actions.BEGIN, _("start the drills"), stages=_CHOOSE)
def begin(mode: PractiseMode, __: str) -> None:
    """Begin a session with the current choices."""
    try:
        plan = mode.picker.plan()
    except NotBuiltError as problem:
        missing = mode.picker.missing()
        # Name the first ending that the row requires and lacks.
        ending = missing[0] if missing else problem.ending
        raise NotBuiltError(ending) from None
    judge = mode.lab.judge(mode.game)
    mode.session = TrainingSession(plan, judge, mode.course, mode.console.rng, mode.console.clock)
    mode.start_drill(mode.session.next)


# Drills


@PRACTISE_COMMANDS.register(
    actions.HINT, _("get a hint: the idea, the piece, the move; hints are counted"), stages=_DRILL
)
def hint(mode: PractiseMode, __: str) -> None:
    """Give the next step of a hint."""
    session = mode.require_session()
    mode.act(lambda: session.hint(partial(words.hint_steps, session)))


@PRACTISE_COMMANDS.register(actions.BEST, _("name the best move; counts as a hint"), stages=f"{_DRILL} {_OVER}")
def best(mode: PractiseMode, __: str) -> None:
    """Give hints until one names the best move; after a drill, print the best line."""
    session = mode.require_session()
    if session.stage is Stage.OVER:
        why(mode, "")
        return
    steps = partial(words.hint_steps, session)
    session.hint(steps)
    drill = session.drill
    # Step by step, so that each is counted as it would be if it were asked for.
    while drill is not None and drill.match.next_hint_step is not None:
        session.hint(steps)
    mode.comment()


@PRACTISE_COMMANDS.register("why", _("explain the goal or your last move; after a drill, the best line"))
def why(mode: PractiseMode, __: str) -> None:
    """Print the comment on the drill, with the best line if it is over."""
    session = mode.require_session()
    if session.stage is Stage.SUMMARY:
        mode.end_session()
        return
    session.shows_line = session.stage is Stage.OVER and session.has_better
    mode.comment(includes_goal=True)


@PRACTISE_COMMANDS.register(
    actions.TAKE_BACK, _("take back your move; after a drill, go one move back"), stages=f"{_DRILL} {_OVER}"
)
def back(mode: PractiseMode, __: str) -> None:
    """Take back the user's move; after a drill that cannot be continued, or in its review, step back."""
    session = mode.require_session()
    if session.stage is Stage.OVER and (session.review is not None or not session.can_take_back):
        mode.step_review(-1)
    else:
        mode.act(session.take_back, _("Your move has been taken back."))


PRACTISE_COMMANDS.add(
    actions.FORWARD, _("after a drill, go one move forward"), lambda mode, __: mode.step_review(1), stages=_OVER
)
PRACTISE_COMMANDS.add(
    "start", _("after a drill, go to its start"), lambda mode, __: mode.step_review(-TO_THE_END), stages=_OVER
)
PRACTISE_COMMANDS.add(
    "end", _("after a drill, go to its end"), lambda mode, __: mode.step_review(TO_THE_END), stages=_OVER
)


@PRACTISE_COMMANDS.register(actions.SHOW, _("give up and hear the solution"), stages=_DRILL)
def show(mode: PractiseMode, __: str) -> None:
    """Give up, after a question where that decides the result, and print the best line."""
    session = mode.require_session()
    if not session.is_retrying and not mode.console.ask(SHALL_I_SHOW):
        return
    drill = session.drill
    first_ply = 0
    if drill is not None:
        first_ply = len(drill.match.plies)
    session.show()
    if drill is not None:
        names = [ply.san for ply in drill.match.plies[first_ply:]]
        mode.say(_("Best: {numbered}.").format(numbered=numbered(names, ply_of(drill.match, first_ply))))
    mode.comment()


PRACTISE_COMMANDS.add_report(
    "score",
    _("list all moves, with grades for yours"),
    lambda mode, __: screen_reader.rows(words.score(mode.require_session()), True),
    stages=f"{_DRILL} {_OVER}",
)
# Replaces the command of all boards: a question has no last move, and l is the answer loss there.
PRACTISE_COMMANDS.add_report(
    "last l",
    _("say the last move"),
    lambda mode, __: mode.last_move() or _("No move has been made."),
    stages=f"{_DRILL} {_OVER}",
)

# Questions

PRACTISE_COMMANDS.add(
    actions.CALL_WIN,
    _("answer: the side to move wins"),
    lambda mode, __: mode.answer_result(Category.WIN),
    stages=_QUESTION,
)
PRACTISE_COMMANDS.add(
    actions.CALL_DRAW, _("answer: a draw"), lambda mode, __: mode.answer_result(Category.DRAW), stages=_QUESTION
)
PRACTISE_COMMANDS.add(
    actions.CALL_LOSS,
    _("answer: the side to move loses"),
    lambda mode, __: mode.answer_result(Category.LOSS),
    stages=_QUESTION,
)
PRACTISE_COMMANDS.add(
    actions.YES,
    _("answer: it matters whose turn it is"),
    lambda mode, __: mode.answer_turn_matters(True),
    stages="turn",
)
PRACTISE_COMMANDS.add(
    actions.NO,
    _("answer: it does not matter whose turn it is"),
    lambda mode, __: mode.answer_turn_matters(False),
    stages="turn",
)

# One drill after the other


@PRACTISE_COMMANDS.register(
    actions.NEXT, _("go to the next drill; an empty line does the same"), stages=f"{_OVER} {ANSWERED} {_DRILL}"
)
def next_drill(mode: PractiseMode, __: str) -> None:
    """Go on to the next drill, also while the learner tries again after a mistake."""
    session = mode.require_session()
    if not session.task.is_decided:
        mode.say(instruct(words.NOT_YET))
    else:
        mode.start_drill(session.next)


@PRACTISE_COMMANDS.register(
    actions.AGAIN,
    _("get a new position of the same kind; after a mistake, try again from that position"),
    stages=f"{_OVER} {ANSWERED} {_DRILL}",
)
def again(mode: PractiseMode, __: str) -> None:
    """Take back the mistake, or else start another drill of the same kind."""
    session = mode.require_session()
    if session.can_retry:
        back(mode, "")
    else:
        mode.start_drill(session.again)


@PRACTISE_COMMANDS.register(actions.LEAVE, _("end the session"), stages=f"{_DRILL} {_QUESTION} {_OVER} {ANSWERED}")
def leave(mode: PractiseMode, __: str) -> None:
    """End the session; asks first if the drill would count as not solved."""
    session = mode.require_session()
    if session.leaving_fails and not mode.console.ask(words.SHALL_I_LEAVE):
        return
    session.leave()
    mode.end_session()
