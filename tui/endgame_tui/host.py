"""The app as its screens know it, and what one screen wants of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from endgame_core.laboratory import Laboratory
from endgame_tui.jobs import Jobs
from endgame_tui.look import Look


@dataclass(frozen=True, slots=True)
class Request:
    """What one screen wants of another.

    Attributes:
        game: The game it is about; the one at hand by default.
        text: What is to be opened, as a user would type it, or the key of a theme.
        position: A position to be set up.
        metric: By which metric the layers are to be shown; None leaves that as it is.
        asked: Whether the user has asked for it; else it is taken only where nothing is in hand.
    """

    game: str | None = None
    text: str | None = None
    position: Any = None
    metric: str | None = None
    asked: bool = True


class Host(Protocol):
    """The app, as far as screens know it."""

    game: str
    """The game at hand, on all screens."""
    lab: Laboratory
    """Tables, judges, thinkers, what was practised."""
    jobs: Jobs
    """The builds."""
    rng: Random
    """What is left to chance on the screens."""
    first: str | None
    """A position or an ending to be opened first."""
    clock: Callable[[], float]
    """Tells the seconds that pass in a drill."""

    @property
    def look(self) -> Look:
        """The palette and glyphs to draw with."""
        ...

    async def open(self, mode: str, request: Request | None = None) -> None:
        """Changes to the screen of a mode, and hands it a request."""
        ...
