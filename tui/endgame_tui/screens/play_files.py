"""What leads from the Play screen elsewhere: files, other screens, the board editor."""

from __future__ import annotations

from typing import Any

from endgame_core import movetext
from endgame_core.chess.notation import plain_name
from endgame_core.chess.pgn import PgnScript
from endgame_tui.screens.editor import EditorScreen
from endgame_tui.screens.play_view import PlayView


class PlayFiles(PlayView):
    """Saves and opens games, sends positions, opens the editor."""

    @property
    def script(self) -> movetext.Script[Any, Any]:
        """PGN."""
        return PgnScript()

    def name_to_save(self) -> str:
        """The ending the game began in."""
        assert self.play.match is not None
        return plain_name(self.play.match.start)

    def to_explore(self) -> None:
        """Sends the position to Explore."""
        self.session.ask = self.play.game.format(self.position)
        self.app.call_later(self.app.run_action, "screen('explore')")

    def action_copy(self) -> None:
        """Copies the FEN to the terminal's clipboard."""
        self.app.copy_to_clipboard(self.play.game.format(self.position))
        self.say("copied the FEN.")

    def action_edit(self) -> None:
        """Sets the board up by hand."""
        self.interrupt()
        self.leave(lambda: self.app.push_screen(EditorScreen(self.position, "play")))
