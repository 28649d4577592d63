"""Play: any position, either colour, against a defender of choice; afterwards every move is graded."""

from __future__ import annotations

from time import monotonic
from typing import ClassVar

import chess
from textual import on
from textual.binding import BindingType
from textual.timer import Timer

from endgame_core.errors import EndgameError, PositionError
from endgame_core.practice.recorder import Recorder
from endgame_core.practice.study import Study
from endgame_tui import play_words
from endgame_tui.screens.play_help import PlayHelp
from endgame_tui.screens.play_keys import BINDINGS
from endgame_tui.screens.thinking import REPLY
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.moves import MovesPanel
from endgame_tui.widgets.setup import SetupPanel


class PlayScreen(PlayHelp):
    """Play against the tables."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    def __init__(self) -> None:
        super().__init__()
        self._clock: Timer | None = None
        self._recorder: Recorder | None = None

    def on_mount(self) -> None:
        """Sets up what Explore shows."""
        self._clock = self.set_interval(1.0, self.tick, name="clock", pause=True)
        self.set_up(self.session.sent or self.session.here or self.play.setup.position)
        self.session.sent = None

    def resumed(self) -> None:
        """Sets up what another screen has sent; a game under way is asked about first."""
        sent, self.session.sent = self.session.sent, None
        if sent is not None and self._play is not None:
            self.leave(lambda: self.set_up(sent))

    def on_unmount(self) -> None:
        """The app ends: a game under way is given up."""
        if self._recorder is not None and self.play.stage == "play":
            self._recorder.leave()

    def refresh_tables(self) -> None:
        """Asks the tables anew."""
        if self._play is not None:
            self._play.forget()
            self.show()

    # Setting up

    def set_up(self, position: chess.Board, side: str = "") -> None:
        """Shows a position and what a game from it is to be; a game under way is given up."""
        self.interrupt()
        self.hush()
        self.forget_thought()
        if self._clock is not None:
            self._clock.pause()
        if self._recorder is not None and self.play.stage == "play":
            self._recorder.leave()
        self._recorder = None
        self.play.set_up(position, side)
        self._flipped = not self.play.setup.white
        self.put_cursor()
        self.show()

    @on(SetupPanel.Pointed)
    def _row_pointed(self, event: SetupPanel.Pointed) -> None:
        self._row = event.row
        self.show()

    @on(SetupPanel.Changed)
    def _row_changed(self, event: SetupPanel.Changed) -> None:
        self.play.change(event.row, event.by)
        if event.row == 0:
            self._flipped = not self.play.setup.white
        self.show()

    @on(SetupPanel.Begun)
    def _begun(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begins the game that was set up."""
        self.hush()
        self.forget_thought()
        self._recorder = Recorder(self.session.journal, goal=self.play.goal)
        try:
            match = self.play.begin(self._recorder)
        except PositionError as problem:
            self.complain(problem)
            return
        if self._clock is not None and match.control is not None:
            self._clock.resume()
        self.put_cursor()
        self.go_on()

    def action_new(self) -> None:
        """Chooses another game."""
        if self.play.stage == "setup":
            self.begin()
            return
        self.leave(lambda: self.set_up(self.play.setup.position))

    # Playing

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
            self.look_at_it()
        if notice := self.session.journal.take_notice():
            self.say(notice, "loss")

    def _reply(self) -> None:
        """The defender claims a draw, or moves."""
        play, match = self.play, self.play.match
        if match is None or match.result is not None or match.your_turn:
            return
        if (claim := match.defender_claims()) is not None:
            match.claim_draw()
            self.finish()
            with_move = "" if claim.move is None else f" with {match.game.san(match.position, claim.move)}"
            self.say(f"the defender claims{with_move}: {claim.draw.value}.", "draw")
            return
        try:
            move = play.reply()
        except EndgameError:
            self.think(REPLY, self._replied)
            self.show_thought()
            return
        self._replied(move)

    def _replied(self, move: chess.Move) -> None:
        """Makes the defender's move."""
        match = self.play.match
        if match is None or match.result is not None or match.your_turn:
            return
        if self._thought is not None:
            self.play.replied = 1000 * self._thought.seconds
        match.play(move)
        man = self.position.piece_at(self._cursor)
        if man is None or man.color != (match.you == "white"):
            self.put_cursor()
        self.go_on()

    def finish(self) -> None:
        """The game is over: from here it is looked at."""
        match = self.play.match
        assert match is not None
        self.forget_thought()
        if self._clock is not None:
            self._clock.pause()
        self.play.at = len(match.plies)
        self.show()
        self.say(*play_words.ended(match))

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

    def refusal(self, square: int) -> str:
        """Your own men only, and only when it is your move."""
        play = self.play
        if play.stage == "setup":
            return "Enter on the choices begins the game; E sets the board up by hand."
        if play.stage == "review":
            return "the game is over: r plays on from here, n begins a new game."
        if play.match is not None and not play.match.your_turn:
            return "the defender is to move."
        return super().refusal(square)

    def move_made(self, move: chess.Move) -> None:
        """Plays it."""
        match = self.play.match
        if match is None or not match.your_turn:
            return
        self.hush()
        self._cursor = move.to_square
        match.play(move, self.elapsed)
        self.go_on()

    def action_take_back(self) -> None:
        """Takes back your last move and the reply."""
        match = self._in_play()
        if match is None:
            return
        try:
            match.take_back()
        except PositionError as problem:
            self.complain(problem)
            return
        self.put_cursor()
        self.go_on()

    def action_retry(self) -> None:
        """Plays on from the position looked at; before a game, takes a random position of its layer."""
        self.interrupt()
        self.hush()
        if self.play.stage == "review":
            self.play.retry()
            self.begin()
        elif self.play.stage == "setup":
            try:
                self.set_up(self.play.random())
            except EndgameError as problem:
                self.complain(problem)
        else:
            self.say("r plays from here again once the game is over; u takes back.")

    # Typing

    def action_type(self) -> None:
        """Asks for a move, or for a position."""
        self.interrupt()
        if self.play.stage == "play":
            self.prompt(":", "a move: Kd5, e8=Q, e7e8q", self._typed_move)
        else:
            self.prompt(":", "a FEN, KRvK, KRvK S12, S12/3, philidor", self._typed_position)

    def _typed_position(self, text: str) -> None:
        study = self._study(text)
        position = self.play.typed(text) if study is None else self.play.game.parse(study.position)
        self.hush()
        self.stop_asking()
        self.set_up(position, "" if study is None else study.side)
        if study is not None:
            self.play.about = study.name, study.note
            self.show_words()

    def _study(self, text: str) -> Study | None:
        """The study of that id or name, in any letter case."""
        wanted = text.strip().casefold()
        found = (study for studies in self.session.studies.sets() for study in studies.studies)
        return next((study for study in found if wanted and wanted in (study.id, study.name.casefold())), None)

    @property
    def learner(self) -> str | None:
        """Your side."""
        match = self.play.match
        if match is not None:
            return match.you
        return self.play.setup.side

    def _typed_move(self, text: str) -> None:
        if "/" in text:
            raise PositionError("a game is on, and that is a position", "press Esc and n first, then type it")
        if promotions := self.play.promotions(text):
            self.hush()
            self.ask_promotion(promotions)
            return
        move = self.play.play_typed(text)
        self.stop_asking()
        self.move_made(move)

    # Panels

    @on(MovesPanel.Pointed)
    def _move_pointed(self, event: MovesPanel.Pointed) -> None:
        self._move = event.number
        self._show_moves()

    @on(MovesPanel.Chosen)
    def _move_chosen(self, event: MovesPanel.Chosen) -> None:
        moves = self.play.facts.moves
        if event.number < len(moves):
            self.move_made(moves[event.number].move)

    def action_moves(self) -> None:
        """Goes to the moves or the game, or back to the board."""
        name = "moves" if self.stage == "shown" else "score"
        panel = self.query_one(f"#{name}")
        if self._plan_for(self.size).small:
            self._fold = not self._fold
            self.fit()
            self.relayout()
            self.call_after_refresh(self.focus_home)
        elif panel.has_focus:
            self.set_focus(self.query_one(Board))
        elif panel.can_focus:
            panel.focus()

    def action_back(self) -> None:
        """Drops the man, closes a panel, goes back to where the keys belong."""
        self.interrupt()
        self.hush()
        if self.unpick():
            return
        if self._fold:
            self.action_moves()
        else:
            self.focus_home()
