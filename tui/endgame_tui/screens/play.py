"""Play: any position, either colour, against a defender of choice; afterwards every move is graded."""

from __future__ import annotations

from time import monotonic
from typing import ClassVar

import chess
from textual import on
from textual.binding import BindingType
from textual.timer import Timer

from endgame_core.errors import EndgameError, PositionError
from endgame_tui import game_file, play_words
from endgame_tui.screens.play_files import PlayFiles
from endgame_tui.screens.play_keys import BINDINGS
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.moves import MovesPanel
from endgame_tui.widgets.question import Choice
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widgets.setup import SetupPanel

PACE = 0.8
"""Seconds between two moves that the table shows."""


class PlayScreen(PlayFiles):
    """Play against the tables."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    def __init__(self) -> None:
        super().__init__()
        self._showing: Timer | None = None
        self._clock: Timer | None = None

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

    def refresh_tables(self) -> None:
        """Asks the tables anew."""
        if self._play is not None:
            self._play.forget()
            self.show()

    # Setting up

    def set_up(self, position: chess.Board) -> None:
        """Shows a position and what a game from it is to be."""
        self.interrupt()
        self.play.set_up(position)
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
        try:
            match = self.play.begin()
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
        if match.result is not None:
            self._end()
            return
        self.show()
        if not match.your_turn:
            self.call_after_refresh(self._reply)

    def _reply(self) -> None:
        """The defender claims a draw, or moves."""
        play, match = self.play, self.play.match
        if match is None or match.result is not None or match.your_turn:
            return
        if (claim := match.defender_claims()) is not None:
            match.claim_draw()
            self._end()
            with_move = "" if claim.move is None else f" with {match.game.san(match.position, claim.move)}"
            self.say(f"the defender claims a draw{with_move}: {claim.draw.value}.", "draw")
            return
        try:
            move = play.reply()
        except EndgameError as problem:
            self.complain(problem)
            return
        match.play(move)
        man = self.position.piece_at(self._cursor)
        if man is None or man.color != (match.you == "white"):
            self.put_cursor()
        self.go_on()

    def _end(self) -> None:
        """The game is over: from here it is looked at."""
        match = self.play.match
        assert match is not None
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
            self._end()
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

    def _in_play(self) -> game_file.ChessMatch | None:
        """The game, while it is played; else says that there is none."""
        self.hush()
        if self.play.stage == "play":
            return self.play.match
        over = self.play.stage == "review"
        self.say("the game is over: r plays on from here." if over else "Enter begins the game first.")
        return None

    def action_hint(self) -> None:
        """Gives the next step of a hint."""
        match = self._in_play()
        if match is None:
            return
        try:
            known = match.given
            hint = match.hint(self.play.best() if known is None else known.move)
        except EndgameError as problem:
            self.complain(problem)
            return
        self._picked = hint.move.from_square
        self._cursor = hint.move.from_square if hint.step == 1 else hint.move.to_square
        self.show_board()
        self.show_words()
        self.show_facts()
        if "reason" not in self.regions(self.size):
            view = play_words.playing_view(self.play)
            self.say(f"{view.heading}: {view.sentence}")

    def action_verdict(self) -> None:
        """Shows or hides the verdict."""
        self.hush()
        if self.play.stage == "review":
            self.say("after the game nothing is hidden.")
            return
        self.play.hidden = not self.play.hidden
        self.show()

    def action_show_me(self) -> None:
        """Gives up, after a question, and lets the best line be played out."""
        match = self._in_play()
        if match is not None:
            self.question("Give up, and see how it is done?", Choice("enter", "Enter", "show me", self._show_me))

    def _show_me(self) -> None:
        play, match = self.play, self.play.match
        if match is None or match.result is not None:
            return
        at = len(match.plies)
        try:
            line = [step.move for step in play.explorer.line(match.position)]
        except EndgameError as problem:
            self.complain(problem)
            return
        match.show(line)
        self._end()
        play.at = at
        self.show()
        self._showing = self.set_interval(PACE, self.show_step, name="show")

    def show_step(self) -> None:
        """One more move of what the table shows."""
        match = self.play.match
        if match is None or self.play.at >= len(match.plies):
            self.interrupt()
            return
        self.play.step(1)
        self.show()

    def interrupt(self) -> None:
        """Showing stops."""
        if self._showing is not None:
            self._showing.stop()
            self._showing = None

    def action_draw(self) -> None:
        """Claims a draw where there is one to claim, else offers one."""
        match = self._in_play()
        if match is None:
            return
        try:
            if (claim := self.play.claim) is not None:
                match.claim_draw()
                self._end()
                named = "" if claim.move is None else f" with {match.game.san(match.position, claim.move)}"
                self.say(f"you claim a draw{named}: {claim.draw.value}.", "draw")
            elif match.offer_draw():
                self._end()
                self.say("the defender agrees: a draw.", "draw")
            else:
                self.say("the defender plays on, and there is nothing to claim.")
        except PositionError as problem:
            self.complain(problem)

    # Afterwards

    @on(ScorePanel.Stepped)
    def _stepped(self, event: ScorePanel.Stepped) -> None:
        self.action_step(event.plies)

    @on(ScorePanel.Chosen)
    def _ply_chosen(self, event: ScorePanel.Chosen) -> None:
        self.action_step(event.ply - self.play.at)

    def action_step(self, plies: int) -> None:
        """Steps through the game that is over."""
        self.interrupt()
        if self.play.stage != "review":
            return
        self.hush()
        self.play.step(plies)
        self.show()

    def action_next_error(self) -> None:
        """Goes to your next move that was not the best."""
        self.interrupt()
        self.hush()
        if self.play.stage != "review":
            self.say("errors are found after the game.")
        elif self.play.next_error():
            self.show()
        else:
            self.say("there is no error in this game.")

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
            self.prompt(":", "a FEN, KRvK, KRvK S12, S12/3", self._typed_position)

    def _typed_position(self, text: str) -> None:
        position = self.play.typed(text)
        self.hush()
        self.stop_asking()
        self.set_up(position)

    def _typed_move(self, text: str) -> None:
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
