"""A game against the tables, or the search, line by line."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from endgame_core.errors import EndgameError, PositionError
from endgame_core.plain.board import BOARD, BoardMode, last_of
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.console import Console
from endgame_core.plain.mode import TO_BEGIN
from endgame_core.tasks.play import PLAY, REPLY, REVIEW, SETUP, EngineTask, Play
from endgame_core.words import game_report as words
from endgame_core.words import screen_reader
from endgame_core.words.position import numbered

PLAYING = CommandRegistry(BOARD)
"""The commands here."""


class Playing(BoardMode):
    """A game being set up, played, or looked at afterwards."""

    TABLE = PLAYING
    NAME = "play"
    ABOUT = "Set a game up, type begin, then type moves."

    def __init__(self, desk: Console, game: str) -> None:
        super().__init__(desk, game)
        self.play: Play[Any, Any] = Play(self.lab, game, desk.rng)
        self.thinking: EngineTask[Any] = EngineTask(self.lab, game, desk.todo.put)
        self.since = desk.clock()
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
        """Seconds since it became your turn."""
        return max(self.desk.clock() - self.since, 0.0)

    def wanted_ending(self) -> str:
        """The ending on the board."""
        with suppress(EndgameError):
            return self.rules.ending_of(self.position)
        return ""

    def enter(self, argument: str) -> None:
        """Sets up what was typed, unless the game under way is to go on; tells how it stands."""
        if argument and self.give_up():
            self.play.typed(argument)
        self.tell()

    def typed(self, text: str) -> None:
        """A move in a game; before it a position, an ending, a layer or a study; or what a choice is to be."""
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
                self.set_choice(text)
            except EndgameError:
                raise problem from None
        else:
            self.tell()

    def blank(self) -> None:
        """Begins the game that is set up; else says again what was said."""
        if self.stage == SETUP:
            begin(self, "")
        else:
            super().blank()

    def tick(self) -> None:
        """Your time may be up."""
        if self.play.tick(self.elapsed):
            self.tell_end()

    def leave(self) -> str:
        """A game with moves is saved, to be gone on with; what was thought is let go."""
        self.thinking.forget()
        match, told = self.play.match, ""
        if self.stage == PLAY and match is not None and match.plies:
            path = words.file_of(self.play)
            with suppress(EndgameError):
                self.play.save(path)
                told = f"The game is saved as {path.name}; load {path.name} goes on with it."
        self.play.leave()
        return told

    # What is said

    def tell(self) -> None:
        """Tells how it stands."""
        if self.stage == SETUP:
            self.say(
                screen_reader.of_said(words.said(self.play)), *map(screen_reader.of_choices, words.choices(self.play))
            )
            self.say(TO_BEGIN)
            return
        self.say(f"{', '.join(words.crumbs(self.play, True))}.")
        if self.stage == PLAY:
            self.tell_turn()
        else:
            self.tell_review()

    def tell_turn(self) -> None:
        """Whose move it is; how it stands, as far as that may be told; what may be claimed."""
        play = self.play
        headline = words.headline(play, self.thinking.thought)
        said = screen_reader.of_headline(replace(headline, result="") if play.hidden else headline)
        check = self.rules.name == "chess" and play.position.is_check()
        self.say(
            screen_reader.joined(
                "Check." if check else "", said, "" if play.hidden else screen_reader.of_said(words.said(play))
            )
        )
        if play.match is not None and (claim := play.claim) is not None:
            self.say(f"draw claims a draw{words.announced(play.match, claim)}: {claim.draw.value}.")

    def tell_end(self) -> None:
        """The game is over."""
        match = self.play.match
        if match is not None:
            self.say(
                f"{words.ended(match)[0]} {words.result_words(match)}.", screen_reader.of_said(words.said(self.play))
            )

    def tell_review(self) -> None:
        """The move that is looked at."""
        review = self.play.review
        at = "" if review is None or review.item is None else f"{', '.join(words.crumbs(self.play, True)[-1:])}: "
        self.say(f"{at}{screen_reader.of_said(words.said(self.play))}")

    def last(self) -> str:
        """The last move."""
        return last_of(self.play.plies, self.play.review)

    def clocks(self) -> Iterable[str]:
        """What counts towards a draw, the defender, hints and time; distances where they may be told."""
        if self.play.match is None:
            return
        for title, facts in words.facts(self.play, self.elapsed):
            yield f"{title}: {', '.join(f'{each.label} {each.value}' for each in facts)}."
        for row in words.clocks(self.play, 80):
            yield f"{screen_reader.of_note(row)}."

    # Before a game

    def set_choice(self, text: str) -> None:
        """Changes a choice of the next game; raises EndgameError."""
        row = self.choose_option(
            text, words.choices(self.play), lambda row, by: self.play.change(self.play.rows[row], by)
        )
        now = words.choices(self.play)[row]
        self.say(f"{now.label}: {now.options[now.chosen]}. {now.about}")

    # While it is played

    def play_move(self, text: str) -> None:
        """Makes your move; the defender replies."""
        if self.stage != PLAY:
            raise PositionError("no game is on", "type begin")
        before, move = self.position, self.play.move(text)
        self.play.make(move, self.elapsed)
        self.go_on(f"You play {self.rules.san(before, move)}.")

    def go_on(self, told: str = "") -> None:
        """Lets the defender reply; tells what was played, and how it stands."""
        play = self.play
        while self.stage == PLAY and not play.your_turn:
            before, plies = play.position, len(play.plies)
            try:
                claim = play.answer()
            except EndgameError:
                self.say(told)
                told = ""
                move = self.thought("the defender is thinking.")
                if move is None:
                    return
                play.make(move)
            else:
                if claim is not None and play.match is not None:
                    self.say(f"{told} The defender claims a draw: {claim.draw.value}.")
                    self.tell_end()
                    return
            made = self.rules.san(before, play.plies[plies].move)
            told = screen_reader.joined(told, f"{play.plies[plies].mover.capitalize()} plays {made}.")
        self.say(told)
        self.since = self.desk.clock()
        self.thinking.forget()
        if self.stage == REVIEW:
            self.tell_end()
        else:
            self.tell_turn()

    def thought(self, sentence: str) -> Any:
        """The move that is thought of where no table knows; None where that was of no use, which is said."""
        match = self.play.match
        if match is None:
            return None
        self.say(sentence)
        self.thinking.think(match.tracked, REPLY, lambda move: None)
        if not self.desk.until(lambda: not self.thinking.is_awaited):
            self.thinking.cancel()
        if self.thinking.trouble is not None:
            raise self.thinking.trouble
        return self.thinking.thought.move if self.thinking.thought is not None else None

    def give_up(self) -> bool:
        """Gives a game under way up; asks first when moves have been made. False when it is to go on."""
        match = self.play.match
        if self.stage == PLAY and match is not None and match.plies and not self.desk.ask(words.SHALL_I_GIVE_UP):
            return False
        self.thinking.forget()
        return True

    # Afterwards

    def look(self, plies: int) -> None:
        """Looks at another move of the game that is over."""
        if self.play.review is not None:
            self.play.review.step(plies)
            self.tell_review()


PLAYING.tells(
    "setup", "show the choices for the game", lambda room, _: map(screen_reader.of_choices, words.choices(room.play))
)
PLAYING.does(
    "set", "change a choice: set you black, set defence tricky, set time 5 min, set verdict shown", "set_choice",
    takes="CHOICE", stages="setup",
)  # fmt: skip


@PLAYING("begin", "start the game", "", "setup")
def begin(room: Playing, _: str) -> None:
    """Begins."""
    room.thinking.forget()
    room.play.begin()
    match = room.play.match
    if match is not None:
        men = screen_reader.men_of(room.game, match.position, "")
        room.say(f"You are {match.you.capitalize()}, against a {match.defence.value} defence. {men}")
    room.go_on()


@PLAYING("random r", "take a random position of the same layer", "", "setup")
def at_random(room: Playing, _: str) -> None:
    """A random position."""
    room.play.randomly()
    room.tell()


@PLAYING("load O", "open a saved game", "[FILE]")
def load(room: Playing, name: str) -> None:
    """Opens a game; tells which there are."""
    names = room.play.completions("")
    if not name:
        room.say(f"Saved games: {', '.join(names[:10])}." if names else "No game has been saved yet.")
        return
    if not room.give_up():
        return
    problem = room.play.open(Path(name))
    room.since = room.desk.clock()
    if problem:
        room.say(problem)
    if room.stage == PLAY:
        room.go_on()
    else:
        room.tell()


@PLAYING("hint i", "get a hint: first the piece, then the move; hints count", "", "play")
def hint(room: Playing, _: str) -> None:
    """The next step of a hint."""
    play = room.play
    try:
        best = play.best()
    except EndgameError:
        best = room.thought(words.ON_A_HINT)
        if best is None:  # Ctrl-C came before there was any
            return
    play.give_hint(best)
    room.say(words.warning(play), screen_reader.of_said(words.said(play)))


@PLAYING("best b", "name the best move; counts as a hint", "", "play")
def best(room: Playing, _: str) -> None:
    """Names the best move."""
    hint(room, "")
    if room.play.hint is not None and room.play.hint.step == 1:
        hint(room, "")


PLAYING.tells(
    "why", "explain the position unless the verdict is hidden; after the game, explain the move",
    lambda room, _: screen_reader.of_said(words.said(room.play)),
)  # fmt: skip


@PLAYING("verdict v", "show or hide the verdict", "", "setup play")
def verdict(room: Playing, _: str) -> None:
    """Changes whether the verdict is told."""
    room.play.change("verdict", 1)
    room.say(f"The verdict is {'hidden' if room.play.hidden else 'told'}.")
    if room.stage == PLAY:
        room.tell_turn()


@PLAYING("back u", "take back your move; after the game, go one move back", "", "play review")
def back(room: Playing, _: str) -> None:
    """Takes back, or steps back."""
    if room.play.review is not None:
        room.look(-1)
        return
    room.play.take_back()
    room.go_on("Your move is taken back.")


@PLAYING("draw D", "claim a draw if you can, otherwise offer one", "", "play")
def draw(room: Playing, _: str) -> None:
    """Claims or offers a draw."""
    play, match = room.play, room.play.match
    if match is None:
        return
    if (claim := play.claim) is not None:
        if room.desk.ask(words.shall_i_claim(match, claim)):
            room.say(f"You claim a draw: {play.claim_draw().draw.value}.")
            room.tell_end()
    elif play.offer_draw():
        room.say(words.AGREED)
        room.tell_end()
    else:
        room.say(words.DECLINED)


@PLAYING("show w", "give up and hear the solution", "", "play")
def show(room: Playing, _: str) -> None:
    """Gives up; tells the best line."""
    if not room.desk.ask(words.SHALL_I_SHOW):
        return
    play = room.play
    try:
        line, estimated = play.best_line(), False
    except EndgameError:
        room.thought(words.ON_A_LINE)
        thought, estimated = room.thinking.thought, True
        line = [] if thought is None else list(thought.line)
    first = len(play.plies)
    play.show(line, estimated)
    if play.match is not None:
        names = numbered([ply.san for ply in play.plies[first:]], words.ply_of(play.match, first))
        room.say(f"{'An estimate' if estimated else 'Best'}: {names}.")
    room.tell_end()


@PLAYING("new n", "give up this game and set up another", "", "play review")
def new(room: Playing, _: str) -> None:
    """Gives up, after a question."""
    if room.give_up():
        room.play.set_up_again()
        room.tell()


@PLAYING("save o", "save the game with its grades", "[FILE]", "play review")
def save(room: Playing, name: str) -> None:
    """Writes the game to a file."""
    path = Path(name) if name else words.file_of(room.play)
    room.say(f"The game is saved as {room.play.save(path)}.")


PLAYING.does("forward", "go one move forward", "look", 1, stages="review")
PLAYING.does("start", "go to the start of the game", "look", -9999, stages="review")
PLAYING.does("end", "go to the end of the game", "look", 9999, stages="review")


@PLAYING("error e", "go to your next move that was not the best", "", "review")
def error(room: Playing, _: str) -> None:
    """Your next slip."""
    if room.play.review is None or not room.play.review.next_error():
        raise EndgameError("you made no error in this game", "type new for another game")
    room.tell_review()


@PLAYING("retry", "play on from this position", "", "review")
def retry(room: Playing, _: str) -> None:
    """Plays from here."""
    room.play.retry()
    room.go_on("You play on from here.")


PLAYING.tells(
    "score", "list all moves with the grades of yours",
    lambda room, _: screen_reader.rows(words.rows_of(room.play.plies), room.stage == REVIEW or room.play.told),
    stages="play review",
)  # fmt: skip
