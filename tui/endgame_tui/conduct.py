"""What keeps a game going on a screen: replies, hints, the clock, what a table shows by itself, files and questions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from textual.timer import Timer

from endgame_core.errors import EndgameError, PositionError
from endgame_core.practice.played import Claim
from endgame_core.tasks.play import PLAY, REVIEW, SETUP, Play
from endgame_core.tasks.thinking import LOOK, REPLY, Thinking
from endgame_core.words import played as words
from endgame_core.words.speech import speech_of
from endgame_tui.host import Request
from endgame_tui.screens.base import BoardScreen
from endgame_tui.widgets.ask import Choice

PACE = 0.8
"""Seconds between two moves that the table shows."""


class Panels(Protocol):
    """What shows a part of a game by itself."""

    def show_facts(self) -> None:
        """Shows rules, hints, clock."""
        ...

    def show_hint(self) -> bool:
        """Points out the hint on the board; False where there is no room for its sentence."""
        ...


class Conduct:
    """One game of one kind.

    Args:
        play: The game.
        screen: Where it is shown, asked and said.
        panels: What shows its parts.
        post: Has something done by the screen; called from any thread.
    """

    def __init__(
        self, play: Play[Any, Any], screen: BoardScreen, panels: Panels, post: Callable[[Callable[[], None]], object]
    ) -> None:
        self.play, self.screen, self.panels = play, screen, panels
        self.thinking: Thinking[Any] = Thinking(lambda: screen.lab.thinker(play.game.name), post)
        self.thinking.on_thought = screen.show
        self.thinking.on_trouble = screen.complain
        self._since = monotonic()
        self._clock: Timer | None = None
        self._showing: Timer | None = None
        self._shown_elsewhere: Any = None
        self._wanted: Any = None

    @property
    def elapsed(self) -> float:
        """Seconds since it became your move."""
        return monotonic() - self._since

    # Beginning

    def set_up(self, position: Any, side: str = "") -> None:
        """Shows a position and what a game from it is to be; a game under way is given up."""
        self._stop()
        self._wanted = None
        self.play.set_up(position, side)
        self._turn_board()

    def offer(self, position: Any) -> None:
        """What Explore shows is set up where no game is on; else it is what the next one begins with, if it is new."""
        if position != self._shown_elsewhere:
            self._shown_elsewhere = self._wanted = position
            if self.play.stage == SETUP:
                self.set_up(position)

    def _turn_board(self) -> None:
        """Your side is below."""
        self.screen.board.flipped = self.play.you == "black"
        self.screen.show()

    def _stop(self) -> None:
        """A game under way is given up."""
        self.interrupt()
        self.thinking.forget()
        if self._clock is not None:
            self._clock.pause()

    def change(self, row: str, by: int) -> None:
        """Changes a row of the setup."""
        self.play.change(row, by)
        self._turn_board()

    def begin(self) -> None:
        """Begins the game that was set up."""
        self.interrupt()
        self.thinking.forget()
        try:
            self.play.begin()
        except PositionError as problem:
            self.screen.complain(problem)
            return
        self._begun()

    def _begun(self) -> None:
        match = self.play.match
        if match is not None and match.control is not None:
            self._clock = self._clock or self.screen.set_interval(1.0, self.tick, name="clock")
            self._clock.resume()
        self.screen.board.position = None  # another game: the cursor begins anew
        self._go_on()

    def new(self) -> None:
        """Chooses another game; begins it where it is chosen."""
        if self.play.stage == SETUP:
            self.begin()
        else:
            self.leave(self._anew)

    def _anew(self) -> None:
        """Sets up what Explore shows if that is new, else where the last game began."""
        if self._wanted is not None:
            self.set_up(self._wanted)
            return
        self._stop()
        self.play.set_up_again()
        self._turn_board()

    def retry(self) -> None:
        """Plays on from the position looked at; before a game, takes a random position of its layer."""
        self.interrupt()
        stage = self.play.stage
        try:
            if stage == REVIEW:
                self.play.retry()
                self._begun()
            elif stage == SETUP:
                self.play.randomly()
                self._turn_board()
            else:
                self.screen.say("r plays from here again once the game is over; u takes back.")
        except EndgameError as problem:
            self.screen.complain(problem)

    def leave(self, go: Callable[[], object]) -> None:
        """Does something that ends the game under way; asks first when moves have been made."""
        match = self.play.match
        if match is not None and match.result is None and match.plies:
            self.screen.ask.question("Give this game up?", Choice("enter", "Enter", "give it up", go))
        else:
            go()

    # The moves of both sides

    def _go_on(self) -> None:
        """Shows the game; lets the defender reply, or says how it ended."""
        self._since = monotonic()
        self.thinking.forget()
        if self.play.stage == REVIEW:
            self._finish()
            return
        self.screen.show()
        if self.play.your_turn:
            self._look_ahead()
        else:
            self.screen.call_after_refresh(self._answer)
        if notice := self.screen.lab.journal.take_notice():
            self.screen.say(notice, "loss")

    def _look_ahead(self) -> None:
        """Estimates the position while it is your move, when that may be told and no table knows."""
        play, thinking = self.play, self.thinking
        if thinking.is_awaited or (play.hint is not None and thinking.thought is not None):
            return  # a hint waits for what is being thought, or rests on it; or it is to be shown
        if play.stage == PLAY and play.told and play.your_turn and play.guessed and play.match is not None:
            thinking.think(play.match.tracked, LOOK)

    def _finish(self) -> None:
        """The game is over: from here it is looked at."""
        self.thinking.forget()
        if self._clock is not None:
            self._clock.pause()
        self.screen.board.pick(None)
        self.screen.show()
        if self.play.match is not None:
            self.screen.say(*words.ended(self.play.match))

    def tick(self) -> None:
        """A second has passed on your clock."""
        match = self.play.match
        if match is None or match.left is None or not match.your_turn:
            return
        if match.left <= self.elapsed:
            self.play.flag()
            self._finish()
        else:
            self.panels.show_facts()

    def _answer(self) -> None:
        """The defender claims a draw, or moves: by the tables, else by the search."""
        play, match = self.play, self.play.match
        if match is None or play.stage != PLAY or match.your_turn:
            return
        try:
            claim = play.answer()
        except EndgameError:
            self.thinking.think(match.tracked, REPLY, self._answered)
            self.screen.show()
            return
        if claim is not None:
            self._claimed("the defender claims", claim)
        else:
            self._go_on()

    def _answered(self, move: Any) -> None:
        """Makes the move that was thought of for the defender."""
        play, thought = self.play, self.thinking.thought
        if play.stage == PLAY and not play.your_turn:
            if thought is not None:
                play.replied = 1000 * thought.seconds
            play.make(move)
            self._go_on()

    def make(self, move: Any) -> None:
        """Plays your move."""
        if self.play.your_turn:
            self.screen.say()
            self.screen.board.cursor = self.screen.face.ends(move)[1]
            self.play.make(move, self.elapsed)
            self._go_on()

    def take_back(self) -> None:
        """Takes back your last move and the reply."""
        if not self._is_on():
            return
        try:
            self.play.take_back()
        except PositionError as problem:
            self.screen.complain(problem)
            return
        self._go_on()
        self.screen.board.put_cursor()
        self.screen.board.repaint()

    def _is_on(self) -> bool:
        """Whether a game is played; else says that there is none."""
        self.screen.say()
        if self.play.stage == PLAY:
            return True
        over = self.play.stage == REVIEW
        self.screen.say("the game is over: r plays on from here." if over else "Enter begins the game first.")
        return False

    # Hints, the verdict, draws

    def hint(self) -> None:
        """Gives the next step of a hint."""
        play, thinking, match = self.play, self.thinking, self.play.match
        if not self._is_on() or match is None:
            return
        if not play.your_turn:
            self.screen.say("the defender is to move.")
            return
        try:
            best = play.best() if play.hint is None else play.hint.move
        except EndgameError:
            if play.told and thinking.thought is not None and thinking.thought.move is not None:
                thinking.cancel()  # what is shown and the hint are the same thought
                self._hint_of(thinking.thought.move)
                return
            self.screen.say("thinking about a hint: an estimate, for no table knows this position.")
            thinking.think(match.tracked, REPLY, self._hint_of)
            return
        self._hint_of(best)

    def _hint_of(self, best: Any) -> None:
        """Shows the next step of a hint about a move."""
        if self.play.your_turn:
            self.play.give_hint(best)
            self.screen.say()
            self.warn()
            self.screen.show()
            if not self.panels.show_hint():
                told = words.said(self.play)
                self.screen.say(f"{told.heading}: {told.sentence}")

    def warn(self) -> None:
        """Says what the 50-move rule has against a win, or for a loss."""
        if warning := words.warning(self.play):
            self.screen.say(warning, "cursed")

    def verdict(self) -> None:
        """Shows or hides the verdict."""
        self.screen.say()
        if self.play.stage == REVIEW:
            self.screen.say("after the game nothing is hidden.")
            return
        self.play.change("verdict", 1)
        self.screen.show()
        self._look_ahead()

    def draw(self) -> None:
        """Claims a draw where there is one to claim, else offers one."""
        match = self.play.match
        if not self._is_on() or match is None:
            return
        try:
            if (claim := self.play.claim) is not None:

                def claimed() -> None:
                    if self._is_on():  # the clock may have ended it meanwhile
                        self._claimed("you claim", self.play.claim_draw())

                question = f"Claim a draw{words.announced(match, claim)}?"
                self.screen.ask.question(question, Choice("enter", "Enter", "claim", claimed))
            elif self.play.offer_draw():
                self._finish()
                self.screen.say("the defender agrees: a draw.", "draw")
            else:
                self.screen.say(speech_of(self.play.game.name).declined)
        except PositionError as problem:
            self.screen.complain(problem)

    def _claimed(self, who: str, claim: Claim[Any]) -> None:
        match = self.play.match
        self._finish()
        if match is not None:
            self.screen.say(f"{who} a draw{words.announced(match, claim)}: {claim.draw.value}.", "draw")

    # Giving up, and looking back

    def show_me(self) -> None:
        """Gives up, after a question, and lets the best line be played out."""
        if self._is_on():
            self.warn()
            choice = Choice("enter", "Enter", "show me", self._show_line)
            self.screen.ask.question("Give up, and see how it is done?", choice)

    def _show_line(self) -> None:
        """Gives up, and lets the best line be played out."""
        match = self.play.match
        if match is None or self.play.stage != PLAY:
            return
        try:
            line = self.play.best_line()
        except EndgameError:
            self.screen.say("thinking: what is shown will be an estimate, for no table knows this position.")
            thinking = self.thinking

            def shown(_move: Any) -> None:
                self._show_moves([] if thinking.thought is None else list(thinking.thought.line), estimated=True)

            thinking.think(match.tracked, REPLY, shown)
            return
        self._show_moves(line)

    def _show_moves(self, line: list[Any], estimated: bool = False) -> None:
        """Gives up, and plays a line out, which may be an estimate."""
        if self.play.stage == PLAY:
            self.play.show(line, estimated)
            self._finish()
            self._showing = self.screen.set_interval(PACE, self._show_step, name="show")

    def _show_step(self) -> None:
        """One more move of what the table shows."""
        review = self.play.review
        if review is None or review.item is None:
            self.interrupt()
            return
        review.step(1)
        self.screen.show()

    def interrupt(self) -> None:
        """What the table shows by itself stops, and what was said goes."""
        self.screen.say()
        if self._showing is not None:
            self._showing.stop()
            self._showing = None

    def step(self, items: int) -> None:
        """Steps through the game that is over."""
        if self.play.review is not None:
            self.interrupt()
            self.play.review.step(items)
            self.screen.show()

    def go(self, number: int) -> None:
        """Goes to a move of the game that is over."""
        if self.play.review is not None:
            self.step(number - self.play.review.at)

    def next_error(self) -> None:
        """Goes to your next move that was not the best."""
        self.interrupt()
        if self.play.review is None:
            self.screen.say("errors are found after the game.")
        elif self.play.review.next_error():
            self.screen.show()
        else:
            self.screen.say("there is no error in this game.")

    # Files and what is typed

    def save(self) -> None:
        """Asks for a file and writes the game to it."""

        def saved(text: str) -> None:
            if not text:
                raise PositionError("nothing was typed", "type the name of a file")
            self.play.save(Path(text))
            self.screen.say(f"saved as {Path(text).name}.", "win")

        if self.play.match is None:
            self.screen.say("there is no game to save yet.")
        else:
            self.screen.ask.text("Save as", "a new file", saved, str(words.file_of(self.play)))

    def load(self) -> None:
        """Asks for a file and opens its first game."""

        def opened(text: str) -> None:
            problem = self.play.open(Path(text))
            self._stop()
            self.screen.ask.stop()
            self.screen.board.flipped = self.play.you == "black"
            self._begun()
            if problem:
                self.screen.say(problem)

        self.interrupt()
        self.leave(lambda: self.screen.ask.text("Open", "a PGN file", opened, f"{self.play.folder}/"))

    def type(self) -> None:
        """Asks for a move, or for a position."""
        self.interrupt()
        speech = speech_of(self.play.game.name)
        if self.play.stage == PLAY:
            self.screen.ask.text(":", f"a move: {speech.to_play}", self._typed_move)
        else:
            self.screen.ask.text(":", speech.positions, self._typed_position)

    def _typed_position(self, text: str) -> None:
        self._stop()
        if not text.strip():
            raise words.nothing_typed(self.play)
        self.play.typed(text)
        self.screen.ask.stop()
        self._turn_board()

    def _typed_move(self, text: str) -> None:
        if not text:
            raise words.nothing_typed(self.play)
        if "/" in text:
            raise PositionError("a game is on, and that is a position", "press Esc and n first, then type it")
        screen = self.screen
        if promotions := screen.face.typed(self.play.position, text):
            screen.say()
            screen.promote(promotions)
        elif self.play.your_turn and screen.board.begin(text):
            screen.ask.stop()
        else:
            move = self.play.move(text)
            screen.ask.stop()
            self.make(move) if self.play.your_turn else screen.say("the defender is to move.")

    # What leads elsewhere

    def send(self) -> None:
        """Asks where the position is to go."""
        self.interrupt()
        game, position = self.play.game, self.play.position
        request = Request(game.name, game.format(position), metric=None if game.horizon else game.metric)
        go = partial(self.screen.app.call_later, self.screen.host.open, "explore", request)
        self.screen.ask.question("Send this position to", Choice("1", "1", "Explore", go))

    def copy(self) -> None:
        """Copies the position to the terminal's clipboard."""
        self.screen.app.copy_to_clipboard(self.play.game.format(self.play.position))
        self.screen.say(f"copied the {speech_of(self.play.game.name).position}.")
