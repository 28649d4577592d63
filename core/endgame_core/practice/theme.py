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
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Generic, TypeVar

from endgame_core import paths
from endgame_core.errors import EndgameError
from endgame_core.foreign import quoted
from endgame_core.tables.explorer import Explorer
from endgame_core.values import WINNERS, Category, Winner, before, other, value_of

P = TypeVar("P")
M = TypeVar("M")

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
            Mode.STREAK: "in a row, against time",
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
        side = f" as {self.winner.capitalize()}" if self.winner and self.winner == _MATED[1] else ""
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
    return DrillError(f"{quoted(key)} is no theme", "write one like: KRvK mate white 5-11")


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
    document = json.loads(paths.shipped("themes.json").read_text("utf-8"))
    return tuple(Group(name, tuple(parse_theme(key) for key in keys)) for name, keys in document.get(game, {}).items())


_TRIES = 600
_FEW_TRIES = 100
_MANY_TRIES = 1500
_TOGETHER = 20
"""Positions tried for a condition, and how many of them side by side."""


@dataclass(frozen=True, slots=True)
class Start(Generic[P]):
    """The start of one drill.

    Attributes:
        position: The position.
        learner: The learner's side, in the position's own colours.
        category: The result for the side to move.
        perfect: Plies to the end under best play, None for a draw.
    """

    position: P
    learner: Winner
    category: Category
    perfect: int | None


_Layer = tuple[Winner | None, int | None, int]
"""Winner, n, and the side to move of draws, in the ending's colours."""


class Starts(Generic[P, M]):
    """Draws starts.

    Args:
        explorer: The tables.
        rng: Decides.
        colours: Whether the colours may be exchanged, so that the learner plays Black as often as White.
    """

    def __init__(self, explorer: Explorer[P, M], rng: random.Random, colours: bool = True) -> None:
        self.explorer = explorer
        self.game = explorer.game
        self._rng = rng
        self._colours = colours

    def draw(self, theme: Theme) -> Start[P]:
        """A random start of a theme of an ending.

        Raises:
            NotBuiltError: The ending, or a sub-ending that had to be looked at, is not built.
            DrillError: There is no such position, or none was found.
        """
        if theme.study:
            raise DrillError(f"{theme.label} is a study", "start from its position")
        if theme.winner not in (None, *self.game.winners):
            raise DrillError(f"{quoted(theme.key)} is no theme of {self.game.name}", "choose another one")
        position = {
            Mode.MATE: self._any,
            Mode.HOLD: self._any if theme.winner else self._hard_draw,
            Mode.CALL: self._question,
            Mode.ONLY: self._only_move,
        }[theme.mode](theme)
        copy = self.copy(position, self._colours)
        return self._start(copy, self.game.mover(copy))

    def of_position(self, position: P, learner: Winner, colours: bool = False) -> Start[P]:
        """A start from a random symmetric copy of a position.

        Args:
            position: The position of a study, or one that the user added.
            learner: The side to play, in the position's own colours.
            colours: Whether the colours may be exchanged.

        Raises:
            NotBuiltError: Its ending is not built.
            EndingError: No table can cover it.
        """
        copy = self.copy(position, False)
        if colours and self._rng.random() < 0.5:
            copy, learner = self.game.swapped(copy), other(learner)
        return self._start(copy, learner)

    def copy(self, position: P, colours: bool) -> P:
        """A random symmetric copy, each alike; with ``colours``, Black and White exchanged half of the time."""
        if colours and self._rng.random() < 0.5:
            position = self.game.swapped(position)
        return self._rng.choice(self.game.copies_of(position))

    def count(self, theme: Theme) -> int:
        """Canonical positions that starts are drawn from, before any condition on moves; 0 for a study."""
        return 0 if theme.study else sum(self._counted(theme).values())

    def _start(self, position: P, learner: Winner) -> Start[P]:
        verdict = self.explorer.probe(position)
        return Start(position, learner, verdict.category, verdict.depth)

    def _counted(self, theme: Theme) -> dict[_Layer, int]:
        """The layers of a theme with their sizes; empty ones left out."""
        winners = [theme.winner] if theme.winner else list(self.game.winners)
        won = [(winner, n, 0) for winner in winners for n in range(theme.low | 1, theme.high + 1, 2)]
        lost = [
            (winner, n, 0) for winner in winners for n in range(max(2, theme.low + theme.low % 2), theme.high + 1, 2)
        ]
        found: list[_Layer] = []
        if theme.mode is not Mode.HOLD:
            found += won
        if theme.mode is Mode.CALL or (theme.mode is Mode.HOLD and theme.winner):
            found += lost
        if theme.winner is None:
            for side in self._sides(theme.ending):
                if theme.mode is Mode.CALL or self._may_lose(theme.ending, side):
                    found.append((None, None, side))
        counted = {layer: self.explorer.count(theme.ending, *layer) for layer in found}
        return {layer: count for layer, count in counted.items() if count}

    def _sides(self, ending: str) -> range:
        """The sides to move that draws are listed by; one where layers belong to the side to move."""
        first, second = (self.game.index.parts(ending, None, None, side) for side in range(2))
        return range(1) if first == second else range(2)

    def _may_lose(self, ending: str, side: int) -> bool:
        """Whether a side (0 is the one named first) loses any position of an ending."""
        return any(self.explorer.count(ending, self.game.winners[1 - side], n) for n in range(LONGEST + 1))

    def _layer(self, layers: dict[_Layer, int], theme: Theme) -> _Layer:
        """A random layer by its size, so that every position is equally likely."""
        if not layers:
            raise DrillError(f"{theme.ending} has no position of this kind: {theme.label}", "choose another window")
        return self._rng.choices(list(layers), list(layers.values()))[0]

    def _any(self, theme: Theme) -> P:
        layers = self._counted(theme)
        for _ in range(_TRIES):
            winner, n, side = self._layer(layers, theme)
            position = self.explorer.random(theme.ending, winner, n, self._rng, side)
            if not self._is_gift(position):
                return position
        raise self._nothing(theme)

    def _is_gift(self, position: P) -> bool:
        """Whether to take a hanging man is an answer: a best move of a position won or lost, or one that holds.

        Such a start teaches nothing about its ending, and is left out.
        """
        gifts = self.game.gifts(position)
        now = self.explorer.code(position) if gifts else 0
        return any(before(self.explorer.code(self.game.play(position, move))) == now for move in gifts)

    def _hard_draw(self, theme: Theme) -> P:
        """A drawn position in which a move loses."""
        for position in self._tried(theme, self._counted(theme)):
            if self._can_err(position) and not self._is_gift(position):
                return position
        raise self._nothing(theme)

    def _only_move(self, theme: Theme) -> P:
        """A position in which one of several moves keeps the result; drawn and won ones alike often, if both exist."""
        kinds: dict[Winner | None, dict[_Layer, int]] = {}
        for layer, count in self._counted(theme).items():
            kinds.setdefault(layer[0], {})[layer] = count
        for layers in self._rng.sample(list(kinds.values()), len(kinds)):
            for position in self._tried(theme, layers, _MANY_TRIES):
                if self._is_only_one(position) and not self._is_gift(position):
                    return position
        raise self._nothing(theme)

    def _question(self, theme: Theme) -> P:
        """A position to judge: wins, draws and losses alike often, and half of the time the move decides."""
        layers = self._counted(theme)
        kinds: dict[Category, dict[_Layer, int]] = {}
        for (winner, n, side), count in layers.items():
            result = Category.DRAW if n is None else Category.WIN if n % 2 else Category.LOSS
            kinds.setdefault(result, {})[winner, n, side] = count
        wanted = self._rng.random() < 0.5
        chosen = self._rng.choice(list(kinds.values())) if kinds else {}
        first = None
        for position in self._tried(theme, chosen, _FEW_TRIES):
            first = position if first is None else first
            if not wanted or move_decides(self.explorer, position):
                return position
        if first is None:
            raise self._nothing(theme)
        return first

    def _tried(self, theme: Theme, layers: dict[_Layer, int], tries: int = _TRIES) -> Iterator[P]:
        """Random positions of some layers, stretch by stretch, until the bound is reached."""
        for _ in range(tries // _TOGETHER):
            winner, n, side = self._layer(layers, theme)
            yield from self.explorer.some(theme.ending, winner, n, self._rng, _TOGETHER, side)

    def _keeping(self, position: P) -> Iterator[bool]:
        """Move by move, in random order, whether it keeps the result; each costs a look into a table."""
        now = value_of(self.explorer.code(position))[0]
        moves = list(self.game.moves(position))
        for move in self._rng.sample(moves, len(moves)):
            yield value_of(before(self.explorer.code(self.game.play(position, move))))[0] is now

    def _can_err(self, position: P) -> bool:
        """Whether a move changes the result."""
        return not all(self._keeping(position))

    def _is_only_one(self, position: P) -> bool:
        """Whether one of several moves keeps the result."""
        kept = changed = 0
        for keeps in self._keeping(position):
            kept, changed = kept + keeps, changed + (not keeps)
            if kept > 1:
                return False
        return kept == 1 and changed > 0

    def _nothing(self, theme: Theme) -> DrillError:
        return DrillError(
            f"no position of {theme.ending} was found for: {theme.label}", "choose another window or another ending"
        )


def move_decides(explorer: Explorer[P, M], position: P) -> bool | None:
    """Whether another side wins, or nobody, with the other side to move; None where that cannot be.

    Raises:
        NotBuiltError: The position's ending is not built.
    """
    turned = explorer.game.turned(position)
    if turned is None:
        return None
    return explorer.probe(position).winner != explorer.probe(turned).winner
