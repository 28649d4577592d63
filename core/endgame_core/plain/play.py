"""Play in plain mode: a game against the tables or an engine, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from endgame_core import actions
from endgame_core.errors import EndgameError, PositionError
from endgame_core.language import _, side_name
from endgame_core.plain.board import BOARD_COMMANDS, BoardMode, last_move_of
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.console import Console
from endgame_core.plain.mode import HOW_TO_BEGIN
from endgame_core.practice.match import Claim, HintStep, Ply, Termination
from endgame_core.practice.studies import MY_GAMES
from endgame_core.practice.titles import set_title
from endgame_core.tasks.play_session import (
    EngineUse,
    Notice,
    PlayEvents,
    PlaySession,
    Question,
)
from endgame_core.tasks.play_state import PLAY, REVIEW, SETUP, PlayState
from endgame_core.tasks.review import TO_THE_END
from endgame_core.words import game_report as words
from endgame_core.words import screen_reader
from endgame_core.words.position import numbered
from endgame_core.words.text_model import count, in_words

PLAY_COMMANDS = CommandRegistry(BOARD_COMMANDS)
"""The commands of Play."""

_ENGINE_STARTED: Final = {
    EngineUse.REPLY: _("the defender is thinking."),
    EngineUse.HINT: words.ON_A_HINT,
    EngineUse.SOLUTION: words.ON_A_LINE,
}
"""The lines that are printed before the user waits for the engine."""


class PlayMode(BoardMode):
    """A game being set up, played or reviewed.

    Attributes:
        play: The state of the game.
        session: Conducts the game.
    """

    COMMANDS = PLAY_COMMANDS
    NAME = "play"
    HELP = _("Set up a game, type begin, then type moves.")

    def __init__(self, console: Console, game: str) -> None:
        super().__init__(console, game)
        self.play: PlayState[Any, Any] = PlayState(self.lab, game, console.rng)
        events = PlayEvents(
            begun=self._on_begun,
            retried=lambda: self._tell(_("The game continues from here.")),
            opened=self._on_opened,
            moved=self._on_moved,
            taken_back=self._on_taken_back,
            turn_began=self._on_turn_began,
            engine_started=self._on_engine_started,
            engine_failed=self._on_engine_failed,
            hinted=self._on_hinted,
            solution_shown=self._on_solution_shown,
            over=self._on_over,
            reviewed=self.describe_review,
            notice=self._on_notice,
            ask=self._ask,
        )
        self.session = PlaySession(
            self.play, events, post=console.pending_calls.put, clock=lambda: self.console.clock()
        )
        self._moves = ""
        """Sentences about the last moves, which are printed together with what follows them."""
        self.play.set_up(self.play.setup.position)

    @property
    def stage(self) -> str:
        """``setup``, ``play`` or ``review``."""
        return self.play.stage

    @property
    def position(self) -> Any:
        """The position on the board."""
        return self.play.position

    def default_ending(self) -> str:
        """Return the ending of the position on the board."""
        with suppress(EndgameError):
            return self.rules.ending_of(self.position)
        return ""

    def enter(self, argument: str) -> None:
        """Set up the position that was typed, if any, unless the user keeps the current game; describe the state."""
        if argument:
            self.session.confirm_leaving(lambda: self.session.set_up_text(argument))
        self.describe()

    def handle_text(self, text: str) -> None:
        """Handle a move in a game; during setup a position, an ending, a layer, a study or an option."""
        if self.stage == PLAY:
            self.play_move(text)
            return
        if self.stage == REVIEW:
            raise PositionError(
                _("the game is over"),
                _("type back or forward to step through it, retry to play on, or new for another game"),
            )
        try:
            # A position first; only what is none may be a setting, e.g. white. Its error is the one that is shown.
            self.session.set_up_text(text)
        except EndgameError as problem:
            try:
                self.set_option(text)
            except EndgameError:
                raise problem from None
        else:
            self.describe()

    def handle_empty_line(self) -> None:
        """Begin the game that is set up; otherwise repeat the last output."""
        if self.stage == SETUP:
            self.perform(self.session.begin)
        else:
            super().handle_empty_line()

    def tick(self) -> None:
        """End the game if the user's time is up."""
        self.session.tick()

    def close(self) -> str:
        """Save an unfinished game with moves, so that it can be resumed; stop the engine."""
        message = ""
        if self.play.is_unfinished:
            path = words.file_of(self.play)
            with suppress(EndgameError):
                self.play.save(path)
                message = _("The game is saved as {path}; type load {path} to continue it.").format(path=path.name)
        self.session.close()
        return message

    def perform(self, action: Callable[[], object]) -> None:
        """Run an action of the game, and wait for the engine if the game needs it; Ctrl-C makes it move at once."""
        self._moves = ""
        action()
        engine = self.session.engine
        while engine.is_awaited:
            if not self.console.wait_until(lambda: not engine.is_awaited):
                engine.move_now()

    def play_move(self, text: str) -> None:
        """Play the user's move and the replies to it."""
        if self.stage != PLAY:
            raise PositionError(_("no game is in progress"), _("type begin"))
        move = self.play.parse_move(text)

        def make() -> None:
            if not self.session.make(move):
                raise PositionError(_("it is not your move"), _("wait for the reply"))

        self.perform(make)

    def give_hint(self) -> None:
        """Give the next step of a hint."""
        self.perform(lambda: self.session.hint(partial(words.hint_steps, self.play)))

    # Events of the session

    def _tell(self, *sentences: str) -> None:
        """Add sentences about moves, which are printed together with what follows them."""
        self._moves = screen_reader.joined(self._moves, *sentences)

    def _print_moves(self) -> None:
        moves = self._moves
        self._moves = ""
        self.say(moves)

    def _on_begun(self) -> None:
        match = self.play.running_match
        pieces = screen_reader.men_of(self.game, match.position, "")
        if match.with_friend:
            opening = _("You are {you}; your friend is {opponent}.").format(
                you=side_name(match.you), opponent=side_name(match.opponent)
            )
        else:
            opening = _("You are {you}, against a {defence} defence.").format(
                you=side_name(match.you), defence=in_words(match.defence.value)
            )
        self.say(f"{opening} {pieces}")

    def _on_opened(self, problem: str) -> None:
        self.say(problem)
        if self.stage == REVIEW:
            self.describe()

    def _on_moved(self, ply: Ply[Any, Any]) -> None:
        is_yours = ply.own and not self.play.running_match.with_friend
        if is_yours:
            self._tell(_("You play {san}.").format(san=ply.san))
        else:
            self._tell(_("{mover} plays {san}.").format(mover=side_name(ply.mover), san=ply.san))

    def _on_taken_back(self) -> None:
        is_of_two = self.play.running_match.with_friend
        if is_of_two:
            sentence = _("The last move has been taken back.")
        else:
            sentence = _("Your move has been taken back.")
        self._tell(sentence)

    def _on_turn_began(self, is_your_turn: bool) -> None:
        if is_your_turn:
            self._print_moves()
            self.describe_turn()

    def _on_engine_started(self, use: EngineUse) -> None:
        self._print_moves()
        self.say(_ENGINE_STARTED[use])

    def _on_engine_failed(self, problem: EndgameError) -> None:
        # In the main thread (see Console.pending_calls), so that the error reaches the prompt.
        raise problem

    def _on_hinted(self) -> None:
        self.say(words.warning(self.play), screen_reader.of_said(words.message(self.play)))

    def _on_solution_shown(self) -> None:
        """Print the best line."""
        match = self.play.running_match
        solution = [ply.san for ply in match.plies if ply.is_shown]
        title = _("An estimate") if match.estimated else _("Best")
        self.say(f"{title}: {numbered(solution, words.ply_of(match, len(match.plies) - len(solution)))}.")

    def _on_over(self, claim: Claim[Any] | None, by_user: bool) -> None:
        """Print the last moves, how the game has ended, and how well the user played."""
        match = self.play.running_match
        self._print_moves()
        if claim is not None:
            end = words.claimed(match, claim, by_user)
        elif match.result is not None and match.result.reason is Termination.AGREED:
            end = words.agreed(match)
        else:
            end, __ = words.ended(match)
            if match.result is not None and match.result.score != "1/2-1/2":  # a draw has no more to say
                end = f"{end} {words.result_words(match)}."
        reports = words.side_reports(match) if match.with_friend else ""
        self.say(end, reports, screen_reader.of_said(words.message(self.play)))

    def _on_notice(self, notice: Notice) -> None:
        if notice is Notice.NO_ERRORS:
            raise EndgameError(_("you made no errors in this game"), _("type new for another game"))
        self.say(words.notice_words(self.play, notice))

    def _ask(self, question: Question, proceed: Callable[[], object]) -> None:
        """Ask a question; unfinished games are saved as files, so none is replaced."""
        if question is Question.REPLACE_STORED or self.console.ask(words.question_words(self.play, question)):
            proceed()
        elif question is Question.ACCEPT_DRAW:
            self.say(words.DECLINED_BY_FRIEND)

    # Output

    def describe(self) -> None:
        """Print the state: the choices before a game, the turn during it, the reviewed move after it."""
        if self.stage == SETUP:
            choices = map(screen_reader.of_choices, words.choices(self.play))
            self.say(screen_reader.of_said(words.message(self.play)), *choices)
            self.say(HOW_TO_BEGIN)
            return
        self.say(f"{', '.join(words.crumbs(self.play, True))}.")
        if self.stage == PLAY:
            self.describe_turn()
        else:
            self.describe_review()

    def describe_turn(self) -> None:
        """Print the side to move, the verdict unless it is hidden, and a draw that the user can claim."""
        play = self.play
        headline = words.headline(play, self.session.engine.estimate)
        explanation = ""
        if play.hides_verdict:
            headline = replace(headline, result="")
        else:
            explanation = screen_reader.of_said(words.message(play))
        check = ""
        if self.rules.is_check(play.position):
            check = _("Check.")
        self.say(screen_reader.joined(check, screen_reader.of_headline(headline), explanation))

        claim = play.claim
        if play.match is not None and claim is not None:
            self.say(
                _("type draw to claim a draw{announced}: {draw}.").format(
                    announced=words.announced(play.match, claim), draw=in_words(claim.draw.value)
                )
            )

    def describe_review(self) -> None:
        """Print the reviewed move."""
        review = self.play.review
        place = ""
        if review is not None and review.item is not None:
            place = f"{words.crumbs(self.play, True)[-1]}: "
        self.say(place + screen_reader.of_said(words.message(self.play)))

    def last_move(self) -> str:
        """Return the last move as a sentence."""
        return last_move_of(self.play.plies, self.play.review)

    def clock_report(self) -> Iterable[str]:
        """Return the counters of draws, the opponent, hints and time; distances unless the verdict is hidden."""
        if self.play.match is None:
            return
        for title, facts in words.facts(self.play, self.session.elapsed):
            values = ", ".join(f"{fact.label} {fact.value}" for fact in facts)
            yield f"{title}: {values}."
        for row in words.distances_rows(self.play, 80):
            yield f"{screen_reader.of_note(row)}."

    # Before a game

    def set_option(self, text: str) -> None:
        """Change a choice for the next game; raises EndgameError."""

        def change(row: int, step: int) -> None:
            self.play.change(self.play.rows[row], step)

        row = self.choose_option(text, words.choices(self.play), change)
        choice = words.choices(self.play)[row]
        self.say(f"{choice.label}: {choice.options[choice.chosen]}. {choice.description}")


PLAY_COMMANDS.add_report(
    "setup",
    _("show the settings of the game"),
    lambda mode, __: map(screen_reader.of_choices, words.choices(mode.play)),
)
PLAY_COMMANDS.add(
    "set",
    _("change a setting: set you black, set opponent a friend, set defence tricky, set time 5 min, set verdict shown"),
    lambda mode, text: mode.set_option(text),
    "CHOICE",
    "setup",
)
PLAY_COMMANDS.add(actions.BEGIN, _("start the game"), lambda mode, __: mode.perform(mode.session.begin), stages="setup")


@PLAY_COMMANDS.register(actions.RANDOM, _("set up a random position from the same layer"), stages="setup")
def set_up_random(mode: PlayMode, __: str) -> None:
    """Set up a random position of the same layer."""
    mode.session.set_up_random()
    mode.describe()


@PLAY_COMMANDS.register(actions.OPEN_GAMES, _("open a saved game"), "[FILE]")
def load(mode: PlayMode, name: str) -> None:
    """Open a saved game, or list those there are."""
    if not name:
        names = mode.play.saved_games.completions("")
        if names:
            mode.say(_("Saved games: {names}.").format(names=", ".join(names[:10])))
        else:
            mode.say(_("No game has been saved yet."))
        return
    session = mode.session
    mode.perform(lambda: session.confirm_leaving(lambda: session.open(Path(name))))


PLAY_COMMANDS.add(
    actions.HINT,
    _("get a hint: first the piece, then the move; hints are counted"),
    lambda mode, __: mode.give_hint(),
    stages="play",
)


@PLAY_COMMANDS.register(actions.BEST, _("name the best move; counts as a hint"), stages="play")
def best(mode: PlayMode, __: str) -> None:
    """Give hints until one names the best move."""
    mode.give_hint()
    # The first step named only the piece.
    if mode.play.hint is not None and mode.play.hint.step is HintStep.PIECE:
        mode.give_hint()


PLAY_COMMANDS.add_report(
    "why",
    _("explain the position unless the verdict is hidden; after the game, explain the move"),
    lambda mode, __: screen_reader.of_said(words.message(mode.play)),
)


@PLAY_COMMANDS.register(actions.VERDICT, _("show or hide the verdict"), stages="setup play")
def toggle_verdict(mode: PlayMode, __: str) -> None:
    """Show or hide the verdict."""
    mode.session.toggle_verdict()
    state = _("hidden") if mode.play.hides_verdict else _("shown")
    mode.say(_("The verdict is {hides_verdict}.").format(hides_verdict=state))
    if mode.stage == PLAY:
        mode.describe_turn()


@PLAY_COMMANDS.register(
    actions.TAKE_BACK, _("take back your move; after the game, go one move back"), stages="play review"
)
def back(mode: PlayMode, __: str) -> None:
    """Take back the user's move; after the game, step back."""
    if mode.play.review is not None:
        mode.session.step(-1)
    else:
        mode.perform(mode.session.take_back)


PLAY_COMMANDS.add(
    actions.DRAW,
    _("claim a draw if you can, otherwise offer one"),
    lambda mode, __: mode.perform(mode.session.claim_or_offer_draw),
    stages="play",
)
PLAY_COMMANDS.add(
    actions.SHOW,
    _("give up and hear the solution"),
    lambda mode, __: mode.perform(mode.session.show_solution),
    stages="play",
)


@PLAY_COMMANDS.register(actions.NEW, _("give up this game and set up a new one"), stages="play review")
def new(mode: PlayMode, __: str) -> None:
    """Set up another game from the same position; asks before an unfinished one is given up."""
    mode.session.new()
    if mode.stage == SETUP:
        mode.describe()


@PLAY_COMMANDS.register(actions.SAVE_GAME, _("save the game with its grades"), "[FILE]", "play review")
def save(mode: PlayMode, name: str) -> None:
    """Save the game to a file."""
    path = Path(name) if name else words.file_of(mode.play)
    mode.say(_("The game is saved as {save}.").format(save=mode.play.save(path)))


PLAY_COMMANDS.add(actions.FORWARD, _("go one move forward"), lambda mode, __: mode.session.step(1), stages="review")
PLAY_COMMANDS.add(
    "start", _("go to the start of the game"), lambda mode, __: mode.session.step(-TO_THE_END), stages="review"
)
PLAY_COMMANDS.add(
    "end", _("go to the end of the game"), lambda mode, __: mode.session.step(TO_THE_END), stages="review"
)
PLAY_COMMANDS.add(
    actions.NEXT_ERROR,
    _("go to your next move that was not the best"),
    lambda mode, __: mode.session.next_error(),
    stages="review",
)


@PLAY_COMMANDS.register(actions.PRACTISE_ERRORS, _("turn your errors in this game into drills"), stages="review")
def practise_errors(mode: PlayMode, __: str) -> None:
    """Add the positions of the user's errors to the set of their games."""
    result = mode.session.practise_errors()
    added = 0 if result is None else len(result.added)
    if added:
        new = count(added, "new position", "new positions")
    else:
        new = _("No new position")
    mode.say(
        _("{new} in the set {my_games}. Type practise {my_games}, then begin.").format(
            new=new, my_games=set_title(MY_GAMES)
        )
    )


PLAY_COMMANDS.add(
    actions.RETRY_GAME,
    _("play on from this position"),
    lambda mode, __: mode.perform(mode.session.retry_or_set_up_random),
    stages="review",
)
PLAY_COMMANDS.add_report(
    "score",
    _("list all moves, with grades for yours"),
    lambda mode, __: screen_reader.rows(
        words.rows_of(mode.play.plies), mode.stage == REVIEW or mode.play.shows_verdict
    ),
    stages="play review",
)
