"""The settings of the last game, remembered for the next one and the next start."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from endgame_core.app_state import AppState
from endgame_core.practice.defence import defence_of, note_choices
from endgame_core.settings import DEFENCE, Settings
from endgame_core.tasks.game_setup import TIMES
from endgame_core.tasks.play_state import SETUP, PlayState


class SetupPreferences:
    """Fills in the settings of a game from the last one.

    Args:
        state: The game.
        memory: Stores the choices.
        settings: Provides the defender, until the user chooses another one.
    """

    def __init__(self, state: PlayState[Any, Any], memory: AppState, settings: Settings) -> None:
        self._state = state
        self._memory = memory
        self._settings = settings
        self._default_defence = state.setup.defence
        self._applied_defence = ""
        """The defender of the settings when they were applied last; empty before."""

    def apply(self) -> None:
        """Fill in the last choices for the first game; later the defender, if the user has changed it in the settings.

        Does nothing during a game.
        """
        state = self._state
        setting = self._settings[DEFENCE]
        if state.stage != SETUP or setting == self._applied_defence:
            return
        name = state.game.name
        defence = defence_of(self._memory, self._settings, "play", name, self._default_defence)
        time = state.setup.time
        if not self._applied_defence:
            last_time = self._memory.get(int, "play", name, "time") or 0
            if 0 <= last_time < len(TIMES):
                time = last_time
            state.hides_verdict = self._memory.get(bool, "play", name, "hidden") is not False
            state.setup = replace(
                state.setup,
                with_friend=self._memory.get(bool, "play", name, "friend") is True,
                turns_board=self._memory.get(bool, "play", name, "turns") is True,
            )
        state.setup = replace(state.setup, defence=defence, time=time)
        self._applied_defence = setting

    def store(self) -> None:
        """Store the choices of the user."""
        setup = self._state.setup
        choices = {
            "defence": setup.defence.value, "time": setup.time, "hidden": self._state.hides_verdict,
            "friend": setup.with_friend, "turns": setup.turns_board,
        }  # fmt: skip
        note_choices(self._memory, self._settings, "play", self._state.game.name, **choices)
