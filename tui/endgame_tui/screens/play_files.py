"""What leads from the Play screen elsewhere: files, other screens, the board editor."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from endgame_core.chess import pgn
from endgame_core.errors import PositionError
from endgame_tui import game_file
from endgame_tui.screens.editor import EditorScreen
from endgame_tui.screens.play_view import PlayView
from endgame_tui.widgets.question import Choice

GAMES = "games"
"""Below the data directory: where games are saved unless another place is typed."""


class PlayFiles(PlayView):
    """Saves and opens games, sends positions, opens the editor."""

    def go_on(self) -> None:
        """Shows the game and lets it go on."""
        raise NotImplementedError

    def leave(self, go: Callable[[], object]) -> None:
        """Does something that ends the game under way; asks first when moves have been made."""
        match = self.play.match
        if match is not None and match.result is None and match.plies:
            self.question("Give this game up?", Choice("enter", "Enter", "give it up", go))
        else:
            go()

    def action_save(self) -> None:
        """Asks for a file and writes the game to it."""
        match = self.play.match
        if match is None:
            self.say("there is no game to save yet.")
            return
        name = self.session.library.root / GAMES / game_file.file_name(match, date.today())
        self.prompt("Save as", "a new file", self._save, str(game_file.free(name)))

    def _save(self, text: str) -> None:
        match = self.play.match
        assert match is not None
        if not text:
            raise PositionError("nothing was typed", "type the name of a file")
        path = Path(text)
        game_file.save(path, pgn.write(game_file.record_of(match, self.play.headers, judge=self.play.judge)))
        self.say(f"saved as {path.name}.", "win")

    def action_load(self) -> None:
        """Asks for a file and opens its first game."""
        self.interrupt()
        self.leave(lambda: self.prompt("Open", "a PGN file", self._load, f"{self.session.library.root / GAMES}/"))

    def _load(self, text: str) -> None:
        loaded = game_file.match_of(game_file.load(Path(text)), self.play.explorer, self.play.judge)
        self.stop_asking()
        self.play.take(loaded)
        self._flipped = loaded.match.you == "black"
        self.put_cursor()
        self.go_on()
        if loaded.problem:
            self.say(loaded.problem)

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
