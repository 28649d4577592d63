"""The settings of a new game."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from endgame_core.language import N_
from endgame_core.practice.defence import Defence
from endgame_core.practice.match import Control
from endgame_core.values import Winner, opposite_side

P = TypeVar("P")

TIMES: Final[tuple[tuple[str, Control | None], ...]] = (
    (N_("off"), None), ("1 min", Control(60)), ("3 min", Control(180)), ("5 min", Control(300)),
    ("10 min", Control(600)), ("5 min + 5 s", Control(300, 5)),
)  # fmt: skip
"""The user's time for the whole game: names and time controls."""

DEFENCES: Final = tuple(Defence)


@dataclass(frozen=True, slots=True)
class GameSetup(Generic[P]):
    """The settings of a new game.

    Attributes:
        position: The start position.
        you: The user's side.
        defence: The defender.
        time: Index in :data:`TIMES`.
        opening: Whether the game begins at the initial position of a whole game instead: with all stones in hand.
        with_friend: Whether a friend plays the other side at the same board, not the defender.
        turns_board: Whether the board turns with a friend, so that the side to move is at the bottom.
        study: Name and note of the study that the position comes from; empty for another position.
    """

    position: P
    you: Winner
    defence: Defence
    time: int = 0
    opening: bool = False
    with_friend: bool = False
    turns_board: bool = False
    study: tuple[str, str] = ("", "")

    def changed(self, row: str, step: int) -> GameSetup[P]:
        """Return the settings with one changed: ``start``, ``you``, ``opponent``, ``defence``, ``board`` or ``time``.

        Args:
            row: Name of the setting.
            step: 1 for its next value, -1 for the one before.
        """
        if row == "start":
            return replace(self, opening=not self.opening)
        if row == "you":
            return replace(self, you=opposite_side(self.you))
        if row == "opponent":
            return replace(self, with_friend=not self.with_friend)
        if row == "board":
            return replace(self, turns_board=not self.turns_board)
        if row == "defence":
            return replace(self, defence=DEFENCES[(DEFENCES.index(self.defence) + step) % len(DEFENCES)])
        return replace(self, time=(self.time + step) % len(TIMES))
