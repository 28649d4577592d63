"""Play: any position, either colour, against a defender of choice; afterwards every move is graded."""

from __future__ import annotations

from typing import ClassVar

import chess
from textual import on
from textual.binding import BindingType

from endgame_core.errors import PositionError
from endgame_core.practice.study import Study
from endgame_tui import play_words
from endgame_tui.screens.play_keys import BINDINGS
from endgame_tui.screens.play_thinking import PlayThinking
from endgame_tui.widgets.setup import SetupPanel


class PlayScreen(PlayThinking):
    """Play against the tables."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    DECLINED: ClassVar[str] = "the defender plays on, and there is nothing to claim."

    def on_mount(self) -> None:
        """Sets up what Explore shows."""
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

    def set_up(self, position: chess.Board, side: str = "") -> None:
        """Shows a position and what a game from it is to be; a game under way is given up."""
        self.stop_game()
        self.play.set_up(position, side)
        self._flipped = not self.play.setup.white
        self.put_cursor()
        self.show()

    @on(SetupPanel.Changed)
    def _row_changed(self, event: SetupPanel.Changed) -> None:
        self.play.change(event.row, event.by)
        if event.row == 0:
            self._flipped = not self.play.setup.white
        self.show()

    # Playing

    def keep_cursor(self) -> None:
        """The cursor stays on a man of yours."""
        man, match = self.position.piece_at(self._cursor), self.play.match
        if man is None or match is None or man.color != (match.you == "white"):
            self.put_cursor()

    def interrupt(self) -> None:
        """What the table shows by itself stops."""
        self.stop_showing()

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
        if self.play.match is not None and self.play.match.your_turn:
            self._cursor = move.to_square
            self.make(move)

    def warn(self) -> None:
        """Says what the 50-move rule has against a win, or for a loss."""
        if warning := play_words.warning(self.play):
            self.say(warning, "cursed")

    def show_hint(self) -> None:
        """Puts the cursor on the man of the hint, then on where it goes."""
        if (hint := self.play.hint) is None:
            return
        self._picked = hint.move.from_square
        self._cursor = hint.move.from_square if hint.step == 1 else hint.move.to_square
        self.show_board()
        self.show_words()
        self.show_facts()
        if "reason" not in self.regions(self.size):
            view = play_words.playing_view(self.play)
            self.say(f"{view.heading}: {view.sentence}")

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
