"""Play, with a board of stones: any position or the empty board, against a defender; then every move is graded."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import BindingType

from endgame_core.estimate import Thinker
from endgame_core.morris.game_text import MorrisScript
from endgame_core.morris.rules import Move, Position
from endgame_tui.morris_play_words import name_of
from endgame_tui.screens.adding import Adding
from endgame_tui.screens.editor import EditorScreen
from endgame_tui.screens.morris_play_keys import BINDINGS
from endgame_tui.screens.morris_play_view import MorrisPlayView
from endgame_tui.selection import Selection
from endgame_tui.widgets.setup import SetupPanel


class MorrisPlayScreen(MorrisPlayView, Adding):
    """Play Nine Men's Morris against the tables, and against the search where they do not reach."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    def __init__(self) -> None:
        super().__init__()
        self._seen_stones: Position | None = None

    @property
    def thinker(self) -> Thinker:
        """Who thinks."""
        return self.session.morris_thinker

    def on_mount(self) -> None:
        """Sets up what was sent, else what Explore shows."""
        sent, self.session.sent_stones = self.session.sent_stones, None
        self.set_up(sent or self._shown_elsewhere() or self.play.chosen)

    def _shown_elsewhere(self) -> Position | None:
        """What Explore shows, if it is another position than when this was last asked."""
        stones = self.session.stones
        if stones == self._seen_stones:
            return None
        self._seen_stones = stones
        return stones

    def resumed(self) -> None:
        """Sets up what another screen has sent, asking first while a game is on; before one, what Explore shows."""
        sent, self.session.sent_stones = self.session.sent_stones, None
        if self._play is None:
            return
        if sent is not None:
            self.leave(lambda: self.set_up(sent))
        elif self.play.stage == "setup" and (stones := self._shown_elsewhere()) is not None:
            self.set_up(stones)

    def refresh_tables(self) -> None:
        """Asks the tables anew."""
        if self._play is not None:
            self._play.forget()
            self.show()

    # Setting up

    def set_up(self, position: Position) -> None:
        """Shows a position and what a game from it is to be; a game under way is given up."""
        self.stop_game()
        self._chosen = Selection()
        self.play.set_up(position)
        self._flipped = not self.play.white
        self.show()

    def new_game(self) -> None:
        """Sets up what Explore shows if that is new, else where the last game began."""
        shown, empty = self._shown_elsewhere(), self.play.empty
        self.set_up(shown or self.play.chosen)
        self.play.empty = self.play.empty or (empty and shown is None)
        self.show()

    @on(SetupPanel.Changed)
    def _row_changed(self, event: SetupPanel.Changed) -> None:
        self.play.change(event.row, event.by)
        self._flipped = not self.play.white
        self.show()

    # Playing

    def go_on(self) -> None:
        """Nothing is chosen yet of the next move."""
        self._chosen = Selection()
        super().go_on()

    def finish(self) -> None:
        """What was chosen of a move is off the board: the game may end by a draw, by time, by giving up."""
        self._chosen = Selection()
        super().finish()

    def keep_cursor(self) -> None:
        """The cursor stays on a stone of yours, and while stones are placed, where it is."""
        self._chosen = Selection()
        turn = self.turn
        occupied = (turn.own | turn.other) >> self._point & 1
        if (turn.placing and occupied) or (not turn.placing and not turn.own >> self._point & 1):
            self.put_cursor()

    def interrupt(self) -> None:
        """What the table shows by itself stops."""
        self.stop_showing()

    def refusal(self) -> str:
        """Moves are made only when it is yours."""
        play = self.play
        if play.stage == "setup":
            return "Enter on the choices begins the game."
        if play.stage == "review":
            return "the game is over: r plays on from here, n begins a new game."
        return "" if play.match is not None and play.match.your_turn else "the defender is to move."

    def move_made(self, move: Move) -> None:
        """Plays it."""
        if self.play.match is not None and self.play.match.your_turn:
            self._point = move.end
            self.make(move)

    def show_hint(self) -> None:
        """Puts the cursor on the stone of the hint, then on where it goes."""
        hint = self.play.hint
        if hint is None:
            return
        self.hush()
        source = hint.move.source
        self._chosen = Selection(source)
        if hint.step == 2:
            self._point = hint.move.end
        elif source is not None:
            self._point = source
        self.show_facts()
        self.show_choice()

    # Typing

    def action_type(self) -> None:
        """Asks for a move, or for a position."""
        self.interrupt()
        if self.play.stage == "play":
            self.prompt(":", "a move: d6, a7-d7, a7-d7xb4", self._typed_move)
        else:
            self.prompt(":", "a position, 3-4, 3-4 S13, S12", self._typed_position)

    def _typed_position(self, text: str) -> None:
        position = self.play.typed(text)
        self.hush()
        self.stop_asking()
        self.set_up(position)

    def _typed_move(self, text: str) -> None:
        match = self.play.match
        assert match is not None
        chosen = self.turn.begun(text)
        if chosen is not None and match.your_turn and len(self.turn.fitting(chosen)) > 1:
            self.hush()
            self.stop_asking()
            self.begin(chosen)
            return
        move = match.game.parse_move(match.position, text)
        self.stop_asking()
        if match.your_turn:
            self.move_made(move)
        else:
            self.say("the defender is to move.")

    # Files

    @property
    def script(self) -> MorrisScript:
        """Headers, and moves as people write them."""
        return MorrisScript()

    def name_to_save(self) -> str:
        """The ending the game began in."""
        assert self.play.match is not None
        return "morris" if any(self.play.match.start.hands) else name_of(self.play.match.start)

    def action_edit(self) -> None:
        """Sets the board up by hand."""
        self.interrupt()
        self.leave(lambda: self.app.push_screen(EditorScreen(self.play.position, "play")))

    def position_to_add(self) -> str:
        """The position on the board."""
        self.interrupt()
        return self.session.morris.game.format(self.play.position)

    def side_to_add(self) -> str:
        """The side that is played here."""
        return "white" if self.play.white else "black"

    # What leads elsewhere

    def to_explore(self) -> None:
        """Sends the position to Explore."""
        game = self.session.morris.game
        self.session.ask, self.session.ask_metric = game.format(self.play.position), game.metric
        self.app.call_later(self.app.run_action, "screen('explore')")

    def action_copy(self) -> None:
        """Copies the position to the terminal's clipboard."""
        self.app.copy_to_clipboard(self.session.morris.game.format(self.play.position))
        self.say("copied the position.")
