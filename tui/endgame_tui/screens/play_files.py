"""What leads from the Play screen elsewhere: files, other screens, the board editor."""

from __future__ import annotations

from typing import Any

from endgame_core import movetext
from endgame_core.chess.notation import plain_name
from endgame_core.chess.pgn import PgnScript
from endgame_tui import game_file
from endgame_tui.judging import Judge
from endgame_tui.screens.editor import EditorScreen
from endgame_tui.screens.play_view import PlayView
from endgame_tui.widgets.question import Choice


class PlayFiles(PlayView):
    """Saves and opens games, sends positions, opens the editor."""

    @property
    def script(self) -> movetext.Script[Any, Any]:
        """PGN."""
        return PgnScript()

    @property
    def minding(self) -> Judge:
        """Minds the 50-move rule."""
        return self.play.judge

    def name_to_save(self) -> str:
        """The ending the game began in."""
        assert self.play.match is not None
        return plain_name(self.play.match.start)

    def open_game(self, loaded: game_file.Loaded[Any, Any]) -> None:
        """Goes on with a game that was read from a file."""
        self.stop_game()
        self.play.take(loaded)
        self._flipped = loaded.match.you == "black"
        self.put_cursor()
        self.go_on()

    def action_send(self) -> None:
        """Asks where the position is to go."""
        self.interrupt()
        self.question("Send this position to", Choice("1", "1", "Explore", self._to_explore))

    def _to_explore(self) -> None:
        self.session.ask = self.play.game.format(self.position)
        self.app.call_later(self.app.run_action, "screen('explore')")

    def action_copy(self) -> None:
        """Copies the FEN to the terminal's clipboard."""
        self.app.copy_to_clipboard(self.play.game.format(self.position))
        self.say("copied the FEN.")

    def action_edit(self) -> None:
        """Sets the board up by hand."""
        self.interrupt()
        self.leave(lambda: self.app.push_screen(EditorScreen(self.position)))
