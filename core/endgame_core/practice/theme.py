"""Themes: what is practised. A theme is what the journal counts by and what is scheduled.

Its *key* is how it is written down, in the journal and in ``themes.json``:

- ``KRvK mate white 5-11``: White wins from layers S5 to S11 (plies); without numbers from any layer;
- ``KPvK hold``: hold drawn positions; ``KQvKR hold white 20-40``: last, where White wins in 20 to 40 plies;
- ``KPvK call``: win, draw or loss?
- ``KRPvKR only`` (or ``only white 5-21``): find the only move that keeps the result;
- ``study lucena``: a study.

Morris, whose endings name the side to move first, says ``mover`` and ``opponent``: ``3-4 mate mover 21-33``: win
from these layers; ``4-3 hold opponent 20-32``: last, where the opponent wins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from endgame_core import paths
from endgame_core.errors import EndgameError
from endgame_core.tables.explorer import WINNERS
from endgame_core.values import Winner

_MATED = WINNERS
_FINISHED = ("mover", "opponent")
"""Names of winners, by game: the first pair wins by mate, the other by taking stones or leaving no move."""

LONGEST = 254
"""The last layer there can be, in plies."""


_PAIR = re.compile(r"[1-9]-[1-9]")


def game_of(ending: str) -> str:
    """The game of an ending, as it is spelled: cards and ratings are kept without it."""
    return "morris" if _PAIR.fullmatch(ending) else "chess"


class DrillError(EndgameError):
    """A theme that cannot be read, or of which no position exists."""


class Mode(StrEnum):
    """How a theme is drilled."""

    MATE = "mate"
    HOLD = "hold"
    CALL = "call"
    ONLY = "only"
    STREAK = "streak"

    def words(self, game: str) -> str:
        """Its name on the screen, in a game."""
        mate = "mate it" if game == "chess" else "win it"
        return {"mate": mate, "hold": "hold it", "call": "call it", "only": "only move"}.get(self, "streak")

    @property
    def meaning(self) -> str:
        """What is to be done, in one line."""
        return {
            Mode.MATE: "win in as few plies as perfect play",
            Mode.HOLD: "draw, or last as long as the table says",
            Mode.CALL: "win, draw or loss; does the move decide",
            Mode.ONLY: "one move keeps the result: find it",
            Mode.STREAK: "in a row, against the clock",
        }[self]


_THEMED = (Mode.MATE, Mode.HOLD, Mode.CALL, Mode.ONLY)


@dataclass(frozen=True, slots=True)
class Theme:
    """One thing to practise; each has one card in the schedule.

    Attributes:
        ending: The ending; empty for a study.
        mode: How it is drilled; a study's depends on its position.
        winner: Who wins, in the ending's colours; None for drawn positions, and for any in *call it* and *only move*.
        low: The first layer of the window, in plies.
        high: The last one.
        study: The study's id, else empty.
        name: What a study is called.
    """

    ending: str
    mode: Mode
    winner: Winner | None = None
    low: int = 1
    high: int = LONGEST
    study: str = ""
    name: str = ""

    @property
    def key(self) -> str:
        """How the theme is written down."""
        if self.study:
            return f"study {self.study}"
        parts = [self.ending, self.mode.value, *([self.winner] if self.winner else [])]
        return " ".join([*parts, f"{self.low}-{self.high}"] if self.winner and self.has_window else parts)

    @property
    def has_window(self) -> bool:
        """Whether not all layers are meant."""
        return (self.low, self.high) != (1, LONGEST)

    @property
    def label(self) -> str:
        """The theme in words, without its ending."""
        if self.study:
            return self.name or self.study
        if self.mode is Mode.CALL:
            return "call it"
        finished = self.winner in _FINISHED
        layers = f"{self.low}–{self.high} plies" if finished else f"{(self.low + 1) // 2}–{(self.high + 1) // 2}"
        window = f" in {layers}" if self.has_window and self.winner else ""
        mate = "win" if finished else "mate"
        if self.mode is Mode.ONLY:
            return "only move" + (f", {mate}{window}" if window else "")
        if self.mode is Mode.HOLD and finished:
            return f"last {layers}" if window else "last"
        if self.mode is Mode.HOLD:
            return f"last, mated{window}" if self.winner else "hold"
        side = f" as {self.winner.capitalize()}" if self.winner == _MATED[1] else ""
        return (f"{mate}{window}" if window else "win") + side

    @classmethod
    def of_study(cls, study: str, name: str, ending: str, mode: Mode) -> Theme:
        """The theme of one study."""
        return cls(ending, mode, study=study, name=name)


def parse_theme(key: str) -> Theme:
    """Reads a theme's key; of a study it gives no more than the id.

    Raises:
        DrillError: It is no key of a theme.
    """
    words = key.split()
    if len(words) == 2 and words[0] == "study":
        return Theme("", Mode.MATE, study=words[1])
    try:
        ending, mode = words[0], Mode(words[1])
        winner = words[2] if len(words) > 2 else None
        low, high = map(int, words[3].split("-")) if len(words) > 3 else (1, LONGEST)
    except (IndexError, ValueError):
        raise _no_theme(key) from None
    theme = Theme(ending, mode, winner, low, high)
    known = winner in (*_MATED, *_FINISHED) or (winner is None and mode is not Mode.MATE)
    fits = mode in _THEMED and known and len(words) < 5
    if not fits or not 0 <= low <= high <= LONGEST:
        raise _no_theme(key)
    return theme


def _no_theme(key: str) -> DrillError:
    return DrillError(f"{key[:60]!r} is no theme", "write one like: KRvK mate white 5-11")


@dataclass(frozen=True, slots=True)
class Group:
    """Themes that belong together.

    Attributes:
        name: What the group is called (``Rook endings``), as the sets of studies are.
        themes: In order of difficulty.
    """

    name: str
    themes: tuple[Theme, ...]


@cache
def groups(game: str) -> Sequence[Group]:
    """The shipped groups of themes of a game, by its name."""
    document = json.loads(paths.themes_file().read_text("utf-8"))
    return tuple(Group(name, tuple(parse_theme(key) for key in keys)) for name, keys in document.get(game, {}).items())
