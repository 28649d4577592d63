"""How a game is told: its depths, men and moves in words, a position as a picture. No Textual here.

What is the same for all games is told by the scenes themselves; they ask the :class:`Speech` of the game for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from endgame_core.practice.match import Match
from endgame_tui.widgets.squares import SquaresView
from endgame_tui.widgets.stones import StonesView

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from endgame_core.collected import Collected
    from endgame_core.tables.explorer import RatedMove

AnyMatch = Match[Any, Any]
Picture = SquaresView | StonesView


class Speech(Protocol):
    """The words and pictures of one game."""

    @property
    def name(self) -> str:
        """The game, where it must be said; empty for chess."""
        ...

    @property
    def winning(self) -> str:
        """What a won drill ends with, after ``Solved means``."""
        ...

    @property
    def losing(self) -> str:
        """What happens to the loser, after ``or``."""
        ...

    @property
    def won(self) -> str:
        """The end of a won game, in a word."""
        ...

    @property
    def task(self) -> str:
        """The drill of winning, as a heading."""
        ...

    @property
    def moves(self) -> str:
        """Moves one may type, as examples."""
        ...

    @property
    def to_find(self) -> str:
        """An ending one may look for, as an example."""
        ...

    @property
    def to_add(self) -> str:
        """What may be added to one's studies."""
        ...

    @property
    def position(self) -> str:
        """What a position is called as text."""
        ...

    @property
    def metric(self) -> str:
        """The metric of its tables."""
        ...

    @property
    def starts(self) -> tuple[str, str]:
        """The random starts: either colour may come first, or White does."""
        ...

    def ends(self, depth: int, wins: bool) -> str:
        """How many moves or plies the end is away, for who wins or for who loses."""
        ...

    def possible(self, depth: int) -> str:
        """What perfect play needs for a win."""
        ...

    def was_possible(self, depth: int) -> str:
        """The same in a few words, when a drill is under way."""
        ...

    def layer(self, depth: int, wins: bool) -> str:
        """The layer, and how far the end is."""
        ...

    def men(self, position: Any) -> str:
        """The men of a position, as a sentence names them."""
        ...

    def first_step(self, position: Any, move: Any) -> str:
        """The first step of a hint: what to move, or to do."""
        ...

    def picture(self, position: Any, flipped: bool = False) -> Picture:
        """A position, small, with nothing marked."""
        ...

    def replayed(
        self, position: Any, move: Any, came: Any, rated: Sequence[RatedMove[Any, Any]], flipped: bool
    ) -> Picture:
        """A position of a past game: the move that is looked at, the one that led here, what moves lead to."""
        ...

    def retold(self, note: str, told_of: Any, copy: Any) -> str:
        """A note about a position, told about a symmetric copy of it."""
        ...

    def records(self, path: Path) -> Iterable[Collected]:
        """The positions of a file."""
        ...


@cache
def speech_of(game: str) -> Speech:
    """How a game is told."""
    if game == "morris":
        from endgame_tui.morris_speech import MorrisSpeech

        return MorrisSpeech()
    from endgame_tui.chess_speech import ChessSpeech

    return ChessSpeech()
