"""What a Play screen does in any game: the moves of both sides, takebacks, hints, draws."""

from __future__ import annotations

from time import monotonic
from typing import Any, ClassVar

from textual import on
from textual.timer import Timer

from endgame_core.errors import EndgameError, PositionError
from endgame_core.practice.match import Claim, Match
from endgame_core.practice.recorder import Recorder
from endgame_core.tasks.game_file import Loaded
from endgame_tui import play_words
from endgame_tui.screens.game_review import ReviewScreen
from endgame_tui.screens.thinking import LOOK, REPLY
from endgame_tui.widgets.question import Choice
from endgame_tui.widgets.setup import SetupPanel


class GameScreen(ReviewScreen):
    """A screen on which a game is played against a defender, and looked at afterwards.

    Subclasses say which game (:attr:`play`), show it (:meth:`show`, :meth:`show_facts`) and keep the cursor.
    """

    DECLINED: ClassVar[str] = "the defender plays on."
    """What is said when a draw that was offered is not taken."""

    def __init__(self) -> None:
        super().__init__()
        self._clock: Timer | None = None
        self._recorder: Recorder | None = None
        self._since = monotonic()
        self._flipped = False

    # What a screen says

    def show_facts(self) -> None:
        """Shows rules, hints, clock."""
        raise NotImplementedError

    def put_cursor(self) -> None:
        """Puts the cursor where the first move begins."""
        raise NotImplementedError

    def keep_cursor(self) -> None:
        """The defender has moved: keeps the cursor if it can stay."""
        raise NotImplementedError

    def set_up(self, position: Any) -> None:
        """Shows a position and what a game from it is to be; a game under way is given up."""
        raise NotImplementedError

    def new_game(self) -> None:
        """Sets up another game."""
        self.set_up(self.play.start)

    def interrupt(self) -> None:
        """What the table shows by itself stops."""
        self.stop_showing()

    def show_hint(self) -> None:
        """Shows the hint that was given."""
        raise NotImplementedError

    # Beginning and ending

    @property
    def elapsed(self) -> float:
        """Seconds since it became your move."""
        return monotonic() - self._since

    def on_unmount(self) -> None:
        """The app ends: a game under way is given up."""
        if self._recorder is not None and self.play.stage == "play":
            self._recorder.leave()

    def stop_game(self) -> None:
        """A game under way is given up."""
        self.stop_showing()
        self.hush()
        self.forget_thought()
        if self._clock is not None:
            self._clock.pause()
        if self._recorder is not None and self.play.stage == "play":
            self._recorder.leave()
        self._recorder = None

    def open_game(self, loaded: Loaded[Any, Any]) -> None:
        """Goes on with a game that was read from a file."""
        self.stop_game()
        self.play.take(loaded)
        self._flipped = loaded.match.you == "black"
        self.put_cursor()
        self.go_on()

    def begin_game(self) -> None:
        """Begins the game that was set up."""
        self.hush()
        self.forget_thought()
        self._recorder = Recorder(self.session.journal, goal=self.play.goal)
        try:
            match = self.play.begin(self._recorder)
        except PositionError as problem:
            self.complain(problem)
            return
        if match.control is not None:
            self._clock = self._clock or self.set_interval(1.0, self.tick, name="clock")
            self._clock.resume()
        self.put_cursor()
        self.go_on()

    def action_new(self) -> None:
        """Chooses another game."""
        if self.play.stage == "setup":
            self.begin_game()
        else:
            self.leave(self.new_game)

    def action_retry(self) -> None:
        """Plays on from the position looked at; before a game, takes a random position of its layer."""
        self.stop_showing()
        self.hush()
        if self.play.stage == "review":
            if self.play.explorer.game.terminal(self.play.retried) is not None:
                self.say("the game was over before it began; n begins another.")
                return
            self.play.retry()
            self.begin_game()
        elif self.play.stage == "setup":
            try:
                self.set_up(self.play.random())
            except EndgameError as problem:
                self.complain(problem)
        else:
            self.say("r plays from here again once the game is over; u takes back.")

    @on(SetupPanel.Begun)
    def _begun(self) -> None:
        self.begin_game()

    def go_on(self) -> None:
        """Shows the game; lets the defender reply, or says how it ended."""
        match = self.play.match
        assert match is not None
        self._since = monotonic()
        self.forget_thought()
        if match.result is not None:
            self.finish()
            return
        self.show()
        if not match.your_turn:
            self.call_after_refresh(self._reply)
        else:
            self.look_ahead()
        if notice := self.session.journal.take_notice():
            self.say(notice, "loss")

    def look_ahead(self) -> None:
        """Estimates the position while it is your move, when that may be told and no table knows."""
        play = self.play
        if self.thinking or (play.hint is not None and self._thought is not None):
            return  # a hint waits for what is being thought, or rests on it; or it is to be shown
        if play.stage == "play" and not play.hidden and play.match and play.match.your_turn and play.guessed:
            self.think(LOOK)

    def finish(self) -> None:
        """The game is over: from here it is looked at."""
        match = self.play.match
        assert match is not None
        self.forget_thought()
        if self._clock is not None:
            self._clock.pause()
        self.play.at = len(match.plies)
        self.show()
        self.say(*play_words.ended(match, self.play.estimated))

    def tick(self) -> None:
        """A second has passed on your clock."""
        match = self.play.match
        if match is None or match.left is None or not match.your_turn:
            return
        if match.left <= self.elapsed:
            match.flag()
            self.finish()
        else:
            self.show_facts()

    # Moves

    def _reply(self) -> None:
        """The defender claims a draw, or moves: by the tables, else by the search."""
        match = self.play.match
        if match is None or match.result is not None or match.your_turn:
            return
        if (claim := match.defender_claims()) is not None:
            match.claim_draw()
            self.finish()
            self.say(f"the defender claims{_announced(match, claim)}: {claim.draw.value}.", "draw")
            return
        try:
            move = self.play.reply()
        except EndgameError:
            self.think(REPLY, self._replied)
            self.show_thought()
            return
        self._replied(move)

    def _replied(self, move: Any) -> None:
        """Makes the defender's move."""
        match = self.play.match
        if match is None or match.result is not None or match.your_turn:
            return
        if self._thought is not None:
            self.play.replied = 1000 * self._thought.seconds
        match.play(move)
        self.keep_cursor()
        self.go_on()

    def make(self, move: Any) -> None:
        """Plays your move."""
        match = self.play.match
        if match is None or not match.your_turn:
            return
        self.hush()
        match.play(move, self.elapsed)
        self.go_on()

    def action_take_back(self) -> None:
        """Takes back your last move and the reply."""
        match = self.in_play()
        if match is None:
            return
        try:
            match.take_back()
        except PositionError as problem:
            self.complain(problem)
            return
        self.put_cursor()
        self.go_on()

    def action_hint(self) -> None:
        """Gives the next step of a hint."""
        match = self.in_play()
        if match is None:
            return
        if not match.your_turn:
            self.say("the defender is to move.")
            return
        try:
            best = self.play.best() if match.given is None else match.given.move
        except EndgameError:
            if not self.play.hidden and self._thought is not None and self._thought.move is not None:
                self.thinker.cancel()  # what is shown and the hint are the same thought
                self._give_hint(self._thought.move)
                return
            self.say("thinking about a hint: an estimate, for no table knows this position.")
            self.think(REPLY, self._give_hint)
            return
        self._give_hint(best)

    def _give_hint(self, best: Any) -> None:
        """Shows the next step of a hint about a move."""
        match = self.play.match
        if match is None or not match.your_turn:
            return
        match.hint(best)
        self.warn()
        self.show_hint()

    def action_verdict(self) -> None:
        """Shows or hides the verdict."""
        self.hush()
        if self.play.stage == "review":
            self.say("after the game nothing is hidden.")
            return
        self.play.hidden = not self.play.hidden
        self.show()
        self.look_ahead()

    def action_draw(self) -> None:
        """Claims a draw where there is one to claim, else offers one."""
        match = self.in_play()
        if match is None:
            return
        try:
            if (claim := self.play.claim) is not None:
                enter = Choice("enter", "Enter", "claim", self._claim_draw)
                self.question(f"Claim a draw{_announced(match, claim)}?", enter)
            elif match.offer_draw():
                self.finish()
                self.say("the defender agrees: a draw.", "draw")
            else:
                self.say(self.DECLINED)
        except PositionError as problem:
            self.complain(problem)

    def _claim_draw(self) -> None:
        """Claims the draw, if the clock has not ended the game meanwhile."""
        match = self.in_play()
        if match is None:
            return
        claim = match.claim_draw()
        self.finish()
        self.say(f"you claim a draw{_announced(match, claim)}: {claim.draw.value}.", "draw")


def _announced(match: Match[Any, Any], claim: Claim[Any]) -> str:
    """The move with which a draw is claimed, if it needs one."""
    return "" if claim.move is None else f" with {match.game.san(match.position, claim.move)}"
