"""What the Play screens share that save their game to a file, and open one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Protocol

from endgame_core import movetext
from endgame_core.errors import PositionError
from endgame_core.practice.match import Match
from endgame_core.tasks import game_file
from endgame_tui.screens.mode import ModeScreen
from endgame_tui.widgets.question import Choice

GAMES = "games"
"""Below the data directory: where games are saved unless another place is typed."""


class Kept(Protocol):
    """A game that can be saved."""

    @property
    def match(self) -> Match[Any, Any] | None:
        """The game, None before the first."""
        ...

    @property
    def headers(self) -> Mapping[str, str] | None:
        """Headers of a game that was read from a file."""
        ...


class SavingScreen(ModeScreen):
    """Saves and opens games, and asks before one is given up."""

    # What a screen says

    @property
    def play(self) -> Kept:
        """The game."""
        raise NotImplementedError

    @property
    def script(self) -> movetext.Script[Any, Any]:
        """How the game is written."""
        raise NotImplementedError

    def name_to_save(self) -> str:
        """What the file of the game is named after."""
        raise NotImplementedError

    def open_game(self, loaded: game_file.Loaded[Any, Any]) -> None:
        """Goes on with a game that was read from a file."""
        raise NotImplementedError

    # What is the same for all

    def leave(self, go: Callable[[], object]) -> None:
        """Does something that ends the game under way; asks first when moves have been made."""
        match = self.play.match
        if match is not None and match.result is None and match.plies:
            self.question("Give this game up?", Choice("enter", "Enter", "give it up", go))
        else:
            go()

    def action_save(self) -> None:
        """Asks for a file and writes the game to it."""
        if self.play.match is None:
            self.say("there is no game to save yet.")
            return
        name = self.session.library.root / GAMES / game_file.file_name(self.name_to_save(), date.today())
        self.prompt("Save as", "a new file", self._save, str(game_file.free(name)))

    def _save(self, text: str) -> None:
        match = self.play.match
        assert match is not None
        if not text:
            raise PositionError("nothing was typed", "type the name of a file")
        path = Path(text)
        record = game_file.record_of(match, self.play.headers)
        game_file.save(path, movetext.write(record, self.script))
        self.say(f"saved as {path.name}.", "win")

    def action_load(self) -> None:
        """Asks for a file and opens its first game."""
        self.interrupt()
        self.leave(lambda: self.prompt("Open", "a PGN file", self._load, f"{self.session.library.root / GAMES}/"))

    def interrupt(self) -> None:
        """Something is done by hand: what runs by itself stops."""

    def _load(self, text: str) -> None:
        record = game_file.load(Path(text), self.script)
        loaded = game_file.match_of(record, self.session.lab.judge(self.GAME))
        self.stop_asking()
        self.open_game(loaded)
        if loaded.problem:
            self.say(loaded.problem)
