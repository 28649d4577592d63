"""The actions that a user can do, each with one identifier for both front ends.

An action is declared once: here if plain mode has a command for it, otherwise with its key, in
:mod:`endgame_tui.keys` or beside the screen that has it. Both front ends and all sentences use its identifier: the
commands of plain mode are registered with these declarations, a key is declared with the same identifier, and a
sentence names the action by a placeholder (:mod:`endgame_core.controls`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Action:
    """An action that plain mode has a command for.

    Attributes:
        id: Its identifier, in sentences and in the table ``[keys]`` of the settings.
        command: The names of its command, separated by blanks: the full one, then the short ones.
    """

    id: str
    command: str

    @property
    def name(self) -> str:
        """The full name of its command."""
        return self.command.split()[0]


# Everywhere
EXPLORE_SCREEN: Final = Action("explore_screen", "explore")
LIBRARY_SCREEN: Final = Action("library_screen", "library")
PLAY_SCREEN: Final = Action("play_screen", "play")
PRACTISE_SCREEN: Final = Action("practise_screen", "practise drill")
PROGRESS_SCREEN: Final = Action("progress_screen", "progress")
GAME: Final = Action("game", "game G")
HELP: Final = Action("help", "help ?")
QUIT: Final = Action("quit", "quit q exit")

# Tables
BUILD: Final = Action("build", "build .")
CANCEL_BUILD: Final = Action("cancel_build", "cancel x")
BUILD_ALL: Final = Action("build_all", "build-all m")
ABOUT: Final = Action("about", "about a")
EXAMINE: Final = Action("examine", "survey a")
VERIFY: Final = Action("verify", "verify")
COMPACT: Final = Action("compact", "compact")
DELETE: Final = Action("delete", "delete")

# Boards
ADD: Final = Action("add", "add +")
BEST: Final = Action("best", "best b")
HINT: Final = Action("hint", "hint i")
TAKE_BACK: Final = Action("take_back", "back u")
FORWARD: Final = Action("forward", "forward")
ALL_MOVES: Final = Action("all_moves", "moves")
RANDOM: Final = Action("random", "random r")

# Explore
NEAR: Final = Action("near", "near [")
FAR: Final = Action("far", "far ]")
NEXT_POSITION: Final = Action("next_position", "next n")
PREVIOUS_POSITION: Final = Action("previous_position", "previous")
FAMILY: Final = Action("family", "family")
LIST_PREVIOUS: Final = Action("list_previous", "before")
METRIC: Final = Action("metric", "metric z")
COUNTER: Final = Action("counter", "clock C")
FIND: Final = Action("find", "find /")

# Games
BEGIN: Final = Action("begin", "begin")
OPEN_GAMES: Final = Action("open_games", "load O")
VERDICT: Final = Action("verdict", "verdict v")
DRAW: Final = Action("draw", "draw D")
SHOW: Final = Action("show", "show w")
NEW: Final = Action("new", "new n")
SAVE_GAME: Final = Action("save_game", "save o")
NEXT_ERROR: Final = Action("next_error", "error e")
PRACTISE_ERRORS: Final = Action("practise_errors", "mistakes")
RETRY_GAME: Final = Action("retry_game", "retry")

# Drills
LESSON: Final = Action("lesson", "lesson")
NEXT: Final = Action("next", "next n")
AGAIN: Final = Action("again", "again r")
LEAVE: Final = Action("leave", "leave")
CALL_WIN: Final = Action("call_win", "win w")
CALL_DRAW: Final = Action("call_draw", "draw d")
CALL_LOSS: Final = Action("call_loss", "loss l")
YES: Final = Action("yes", "yes y")
NO: Final = Action("no", "no n")

ACTIONS: Final = tuple(value for value in globals().values() if isinstance(value, Action))
"""Every action with a command, in the order above."""
