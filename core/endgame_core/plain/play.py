"""Play in plain mode: a game against the tables or an engine, line by line."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from endgame_core import actions
from endgame_core.errors import EndgameError, PositionError
from endgame_core.plain.board import BOARD_COMMANDS, BoardMode, last_move_of
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.console import Console
from endgame_core.plain.mode import HOW_TO_BEGIN
from endgame_core.practice.studies import MY_GAMES
from endgame_core.tasks.play import PLAY, REPLY, REVIEW, SETUP, EngineTask, Play
from endgame_core.words import game_report as words
from endgame_core.words import screen_reader
from endgame_core.words.position import numbered
from endgame_core.words.text_model import count

_TO_THE_END = 9999
"""More plies than any game has: a step that ends at its start or end."""


PLAY_COMMANDS = CommandRegistry(BOARD_COMMANDS)
"""The commands of Play."""


class PlayMode(BoardMode):
    """A game being set up, played or reviewed.

    Attributes:
        play: The state of the game.
        engine: Looks for moves where no table has the position.
        turn_began: When it became the user's turn, by the clock of the console.
    """

    COMMANDS = PLAY_COMMANDS
    NAME = "play"
    HELP = "Set a game up, type begin, then type moves."

    def __init__(self, console: Console, game: str) -> None:
        super().__init__(console, game)
        self.play: Play[Any, Any] = Play(self.lab, game, console.rng)
        self.engine: EngineTask[Any] = EngineTask(self.lab, game, console.pending_calls.put)
        self.turn_began = console.clock()
        self.play.set_up(self.play.setup.position)

    @property
    def stage(self) -> str:
        """``setup``, ``play`` or ``review``."""
        return self.play.stage

    @property
    def position(self) -> Any:
        """The position on the board."""
        return self.play.position

    @property
    def elapsed(self) -> float:
        """Seconds since it became the user's turn."""
        return max(self.console.clock() - self.turn_began, 0.0)

    def default_ending(self) -> str:
        """Return the ending of the position on the board."""
        with suppress(EndgameError):
            return self.rules.ending_of(self.position)
        return ""

    def enter(self, argument: str) -> None:
        """Set up the position that was typed, if any, unless the user keeps the current game; describe the state."""
        if argument and self.confirm_giving_up():
            self.play.typed(argument)
        self.describe()

    def handle_text(self, text: str) -> None:
        """Handle a move in a game; during setup a position, an ending, a layer, a study or an option."""
        if self.stage == PLAY:
            self.play_move(text)
            return
        if self.stage == REVIEW:
            raise PositionError(
                "the game is over", "type back or forward to step through it, retry to play on, or new for another game"
            )
        try:
            self.play.typed(text)
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
            begin(self, "")
        else:
            super().handle_empty_line()

    def tick(self) -> None:
        """End the game if the user's time is up."""
        if self.play.tick(self.elapsed):
            self.describe_end()

    def close(self) -> str:
        """Save an unfinished game with moves, so that it can be resumed; stop the engine."""
        self.engine.forget()
        message = ""
        match = self.play.match
        if self.stage == PLAY and match is not None and match.plies:
            path = words.file_of(self.play)
            with suppress(EndgameError):
                self.play.save(path)
                message = f"The game is saved as {path.name}; load {path.name} goes on with it."
        self.play.leave()
        return message

    # Output

    def describe(self) -> None:
        """Print the state: the choices before a game, the turn during it, the reviewed move after it."""
        if self.stage == SETUP:
            choices = map(screen_reader.of_choices, words.choices(self.play))
            self.say(screen_reader.of_said(words.said(self.play)), *choices)
            self.say(HOW_TO_BEGIN)
            return
        self.say(f"{', '.join(words.crumbs(self.play, True))}.")
        if self.stage == PLAY:
            self.describe_turn()
        else:
            self.describe_review()

    def describe_turn(self) -> None:
        """Print who is to move, the verdict unless it is hidden, and a draw that the user can claim."""
        play = self.play
        headline = words.headline(play, self.engine.thought)
        explanation = ""
        if play.hidden:
            headline = replace(headline, result="")
        else:
            explanation = screen_reader.of_said(words.said(play))
        check = "Check." if self.rules.is_check(play.position) else ""
        self.say(screen_reader.joined(check, screen_reader.of_headline(headline), explanation))

        claim = play.claim
        if play.match is not None and claim is not None:
            self.say(f"draw claims a draw{words.announced(play.match, claim)}: {claim.draw.value}.")

    def describe_end(self) -> None:
        """Print how the game ended."""
        match = self.play.match
        if match is None:
            return
        sentence, _ = words.ended(match)
        self.say(f"{sentence} {words.result_words(match)}.", screen_reader.of_said(words.said(self.play)))

    def describe_review(self) -> None:
        """Print the reviewed move."""
        review = self.play.review
        place = ""
        if review is not None and review.item is not None:
            place = f"{words.crumbs(self.play, True)[-1]}: "
        self.say(place + screen_reader.of_said(words.said(self.play)))

    def last_move(self) -> str:
        """Return the last move as a sentence."""
        return last_move_of(self.play.plies, self.play.review)

    def clock_report(self) -> Iterable[str]:
        """Return the counters of draws, the opponent, hints and time; distances unless the verdict is hidden."""
        if self.play.match is None:
            return
        for title, facts in words.facts(self.play, self.elapsed):
            values = ", ".join(f"{fact.label} {fact.value}" for fact in facts)
            yield f"{title}: {values}."
        for row in words.clocks(self.play, 80):
            yield f"{screen_reader.of_note(row)}."

    # Before a game

    def set_option(self, text: str) -> None:
        """Change a choice for the next game; raises EndgameError."""

        def change(row: int, step: int) -> None:
            self.play.change(self.play.rows[row], step)

        row = self.choose_option(text, words.choices(self.play), change)
        choice = words.choices(self.play)[row]
        self.say(f"{choice.label}: {choice.options[choice.chosen]}. {choice.about}")

    # During a game

    def play_move(self, text: str) -> None:
        """Play the user's move and the replies to it."""
        if self.stage != PLAY:
            raise PositionError("no game is on", "type begin")
        before = self.position
        move = self.play.move(text)
        self.play.make(move, self.elapsed)
        self.play_replies(f"You play {self.rules.san(before, move)}.")

    def play_replies(self, message: str = "") -> None:
        """Let the defender move until it is the user's turn, then print the moves and the state.

        Args:
            message: What is printed before the replies.
        """
        play = self.play
        while self.stage == PLAY and not play.your_turn:
            before = play.position
            reply_index = len(play.plies)
            try:
                claim = play.answer()
            except EndgameError:  # no table has the position
                self.say(message)
                message = ""
                move = self.engine_move("the defender is thinking.")
                if move is None:
                    return
                play.make(move)
            else:
                if claim is not None and play.match is not None:
                    self.say(f"{message} The defender claims a draw: {claim.draw.value}.")
                    self.describe_end()
                    return
            reply = play.plies[reply_index]
            san = self.rules.san(before, reply.move)
            message = screen_reader.joined(message, f"{reply.mover.capitalize()} plays {san}.")

        self.say(message)
        self.turn_began = self.console.clock()
        self.engine.forget()
        if self.stage == REVIEW:
            self.describe_end()
        else:
            self.describe_turn()

    def engine_move(self, announcement: str) -> Any:
        """Return the best move by the engine, for positions that no table has.

        Args:
            announcement: Printed before the engine starts.

        Returns:
            The move; None if Ctrl-C came before there was one.

        Raises:
            EndgameError: The engine failed.
        """
        match = self.play.match
        if match is None:
            return None
        self.say(announcement)
        # The move is read from the estimate below; a callback is given so that `is_awaited` is true until it is final.
        self.engine.think(match.tracked, REPLY, lambda move: None)
        if not self.console.wait_until(lambda: not self.engine.is_awaited):
            self.engine.cancel()
        if self.engine.trouble is not None:
            raise self.engine.trouble
        estimate = self.engine.thought
        return None if estimate is None else estimate.move

    def confirm_giving_up(self) -> bool:
        """Return whether the game may be given up; asks if it is unfinished and has moves. Stops the engine if so."""
        match = self.play.match
        is_unfinished = self.stage == PLAY and match is not None and bool(match.plies)
        if is_unfinished and not self.console.ask(words.SHALL_I_GIVE_UP):
            return False
        self.engine.forget()
        return True

    # After a game

    def step_review(self, plies: int) -> None:
        """Step through the game that is over, and print the move."""
        if self.play.review is not None:
            self.play.review.step(plies)
            self.describe_review()


PLAY_COMMANDS.add_report(
    "setup", "show the choices for the game", lambda mode, _: map(screen_reader.of_choices, words.choices(mode.play))
)
PLAY_COMMANDS.add(
    "set",
    "change a choice: set you black, set defence tricky, set time 5 min, set verdict shown",
    lambda mode, text: mode.set_option(text),
    "CHOICE",
    "setup",
)


@PLAY_COMMANDS.register(actions.BEGIN, "start the game", stages="setup")
def begin(mode: PlayMode, _: str) -> None:
    """Begin the game."""
    mode.engine.forget()
    mode.play.begin()
    match = mode.play.match
    if match is not None:
        pieces = screen_reader.men_of(mode.game, match.position, "")
        mode.say(f"You are {match.you.capitalize()}, against a {match.defence.value} defence. {pieces}")
    mode.play_replies()


@PLAY_COMMANDS.register(actions.RANDOM, "take a random position of the same layer", stages="setup")
def set_up_random(mode: PlayMode, _: str) -> None:
    """Set up a random position of the same layer."""
    mode.play.randomly()
    mode.describe()


@PLAY_COMMANDS.register(actions.OPEN_GAMES, "open a saved game", "[FILE]")
def load(mode: PlayMode, name: str) -> None:
    """Open a saved game, or list those there are."""
    if not name:
        names = mode.play.completions("")
        mode.say(f"Saved games: {', '.join(names[:10])}." if names else "No game has been saved yet.")
        return
    if not mode.confirm_giving_up():
        return
    problem = mode.play.open(Path(name))
    mode.turn_began = mode.console.clock()
    if problem:
        mode.say(problem)
    if mode.stage == PLAY:
        mode.play_replies()
    else:
        mode.describe()


@PLAY_COMMANDS.register(actions.HINT, "get a hint: first the piece, then the move; hints count", stages="play")
def hint(mode: PlayMode, _: str) -> None:
    """Give the next step of a hint."""
    play = mode.play
    try:
        best_move = play.best()
    except EndgameError:
        best_move = mode.engine_move(words.ON_A_HINT)
        if best_move is None:  # Ctrl-C came before there was one
            return
    play.give_hint(best_move)
    mode.say(words.warning(play), screen_reader.of_said(words.said(play)))


@PLAY_COMMANDS.register(actions.BEST, "name the best move; counts as a hint", stages="play")
def best(mode: PlayMode, _: str) -> None:
    """Give hints until one names the best move."""
    hint(mode, "")
    if mode.play.hint is not None and mode.play.hint.step == 1:
        hint(mode, "")


PLAY_COMMANDS.add_report(
    "why",
    "explain the position unless the verdict is hidden; after the game, explain the move",
    lambda mode, _: screen_reader.of_said(words.said(mode.play)),
)


@PLAY_COMMANDS.register(actions.VERDICT, "show or hide the verdict", stages="setup play")
def toggle_verdict(mode: PlayMode, _: str) -> None:
    """Show or hide the verdict."""
    mode.play.change("verdict", 1)
    mode.say(f"The verdict is {'hidden' if mode.play.hidden else 'told'}.")
    if mode.stage == PLAY:
        mode.describe_turn()


@PLAY_COMMANDS.register(
    actions.TAKE_BACK, "take back your move; after the game, go one move back", stages="play review"
)
def back(mode: PlayMode, _: str) -> None:
    """Take back the user's move; after the game, step back."""
    if mode.play.review is not None:
        mode.step_review(-1)
        return
    mode.play.take_back()
    mode.play_replies("Your move is taken back.")


@PLAY_COMMANDS.register(actions.DRAW, "claim a draw if you can, otherwise offer one", stages="play")
def draw(mode: PlayMode, _: str) -> None:
    """Claim a draw, or offer one."""
    play = mode.play
    match = play.match
    if match is None:
        return
    claim = play.claim
    if claim is not None:
        if mode.console.ask(words.shall_i_claim(match, claim)):
            mode.say(f"You claim a draw: {play.claim_draw().draw.value}.")
            mode.describe_end()
    elif play.offer_draw():
        mode.say(words.AGREED)
        mode.describe_end()
    else:
        mode.say(words.DECLINED)


@PLAY_COMMANDS.register(actions.SHOW, "give up and hear the solution", stages="play")
def show(mode: PlayMode, _: str) -> None:
    """Give up, after a question, and print the best line by the tables, else by the engine."""
    if not mode.console.ask(words.SHALL_I_SHOW):
        return
    play = mode.play
    is_estimate = False
    try:
        line = play.best_line()
    except EndgameError:
        is_estimate = True
        mode.engine_move(words.ON_A_LINE)
        estimate = mode.engine.thought
        line = [] if estimate is None else list(estimate.line)

    first_ply = len(play.plies)
    play.show(line, is_estimate)
    if play.match is not None:
        names = [ply.san for ply in play.plies[first_ply:]]
        title = "An estimate" if is_estimate else "Best"
        mode.say(f"{title}: {numbered(names, words.ply_of(play.match, first_ply))}.")
    mode.describe_end()


@PLAY_COMMANDS.register(actions.NEW, "give up this game and set up another", stages="play review")
def new(mode: PlayMode, _: str) -> None:
    """Set up another game from the same position; asks before an unfinished one is given up."""
    if mode.confirm_giving_up():
        mode.play.set_up_again()
        mode.describe()


@PLAY_COMMANDS.register(actions.SAVE_GAME, "save the game with its grades", "[FILE]", "play review")
def save(mode: PlayMode, name: str) -> None:
    """Save the game to a file."""
    path = Path(name) if name else words.file_of(mode.play)
    mode.say(f"The game is saved as {mode.play.save(path)}.")


PLAY_COMMANDS.add(actions.FORWARD, "go one move forward", lambda mode, _: mode.step_review(1), stages="review")
PLAY_COMMANDS.add(
    "start", "go to the start of the game", lambda mode, _: mode.step_review(-_TO_THE_END), stages="review"
)
PLAY_COMMANDS.add("end", "go to the end of the game", lambda mode, _: mode.step_review(_TO_THE_END), stages="review")


@PLAY_COMMANDS.register(actions.NEXT_ERROR, "go to your next move that was not the best", stages="review")
def next_error(mode: PlayMode, _: str) -> None:
    """Go to the user's next move that was not the best."""
    if mode.play.review is None or not mode.play.review.next_error():
        raise EndgameError("you made no error in this game", "type new for another game")
    mode.describe_review()


@PLAY_COMMANDS.register(actions.PRACTISE_ERRORS, "make drills of your errors in this game", stages="review")
def practise_errors(mode: PlayMode, _: str) -> None:
    """Add the positions of the user's errors to the set of their games."""
    added = len(mode.play.practise_errors().added)
    new = count(added, "new position", "new positions") if added else "No new position"
    mode.say(f"{new} in the set {MY_GAMES}. Type practise {MY_GAMES}, then begin.")


@PLAY_COMMANDS.register(actions.RETRY_GAME, "play on from this position", stages="review")
def retry(mode: PlayMode, _: str) -> None:
    """Begin a game from the reviewed position."""
    mode.play.retry()
    mode.play_replies("You play on from here.")


PLAY_COMMANDS.add_report(
    "score",
    "list all moves with the grades of yours",
    lambda mode, _: screen_reader.rows(words.rows_of(mode.play.plies), mode.stage == REVIEW or mode.play.told),
    stages="play review",
)
