"""Themes: what is practised. A theme is what the journal counts by and what is scheduled.

Its *key* is how it is written down, in the journal and in ``themes.json``:

- ``KRvK mate white 5-11``: White wins from layers S5 to S11 (plies); without numbers from any layer;
- ``KPvK hold``: hold drawn positions; ``KQvKR hold white 20-40``: last, where White wins in 20 to 40 plies;
- ``KPvK call``: win, draw or loss?
- ``KRPvKR only`` (or ``only white 5-21``): find the only move that keeps the result;
- ``KRPvKR only quiet``: the same, of a kind, see :data:`KINDS`;
- ``study lucena``: a study.

Morris, whose endings name the side to move first, says ``mover`` and ``opponent``: ``3-4 mate mover 21-33``: win
from these layers; ``4-3 hold opponent 20-32``: last, where the opponent wins.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import Generic, TypeVar

from endgame_core import paths
from endgame_core.controls import instruct
from endgame_core.errors import EndgameError
from endgame_core.practice.levels import LEVELS, layers_at, least_acceptable, most_moves
from endgame_core.practice.stars import plies_allowed
from endgame_core.tables.explorer import Explorer
from endgame_core.untrusted import quoted
from endgame_core.values import DRAW, LAST_LAYER, WINNERS, Category, Winner, code_before, opposite_side, value_of

P = TypeVar("P")
M = TypeVar("M")

_MATED = WINNERS
_FINISHED = ("mover", "opponent")
"""Names of winners, by game: the first pair wins by mate, the other by taking stones or leaving no move."""

_PAIR = re.compile(r"[1-9]-[1-9]")


def game_of(ending: str) -> str:
    """The game of an ending, as it is spelled: cards and ratings are kept without it."""
    return "morris" if _PAIR.fullmatch(ending) else "chess"


class DrillError(EndgameError):
    """A theme that cannot be read, or of which no position exists."""


class DrillMode(StrEnum):
    """How a theme is drilled."""

    MATE = "mate"
    HOLD = "hold"
    CALL = "call"
    ONLY = "only"
    STREAK = "streak"

    def words(self, game: str) -> str:
        """Its name on the screen, in a game."""
        mate = "checkmate" if game == "chess" else "win"
        names = {"mate": mate, "hold": "hold the draw", "call": "win/draw/loss?", "only": "only move"}
        return names.get(self, "streak")

    @property
    def meaning(self) -> str:
        """What is to be done, in one line."""
        return {
            DrillMode.MATE: "win in as few plies as perfect play",
            DrillMode.HOLD: "draw, or last as long as the table says",
            DrillMode.CALL: "win, draw or loss; does the move decide",
            DrillMode.ONLY: "one move keeps the result: find it",
            DrillMode.STREAK: "in a row, against time",
        }[self]


KINDS = ("quiet", "underpromotion", "zugzwang", "hanging")
"""What an only move may be asked to be: of a kind, or to bring about a mutual zugzwang, or to take a hanging man."""

_THEMED = (DrillMode.MATE, DrillMode.HOLD, DrillMode.CALL, DrillMode.ONLY)


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
        kind: What an only move is to be, one of :data:`KINDS`; empty for any.
        name: What a study is called.
    """

    ending: str
    mode: DrillMode
    winner: Winner | None = None
    low: int = 1
    high: int = LAST_LAYER
    study: str = ""
    name: str = ""
    kind: str = ""

    @property
    def key(self) -> str:
        """How the theme is written down."""
        if self.study:
            return f"study {self.study}"
        parts = [self.ending, self.mode.value, *([self.winner] if self.winner else [])]
        parts += [f"{self.low}-{self.high}"] if self.winner and self.has_window else []
        return " ".join([*parts, self.kind] if self.kind else parts)

    @property
    def has_window(self) -> bool:
        """Whether not all layers are meant."""
        return (self.low, self.high) != (1, LAST_LAYER)

    @property
    def label(self) -> str:
        """The theme in words, without its ending."""
        if self.study:
            return self.name or self.study
        if self.mode is DrillMode.CALL:
            return "win/draw/loss?"
        finished = self.winner in _FINISHED
        layers = f"{self.low}–{self.high} plies" if finished else f"{(self.low + 1) // 2}–{(self.high + 1) // 2}"
        window = f" in {layers}" if self.has_window and self.winner else ""
        mate = "win" if finished else "mate"
        if self.mode is DrillMode.ONLY:
            kind = {"hanging": "a man hangs"}.get(self.kind, self.kind)
            return "only move" + (f", {mate}{window}" if window else "") + (f", {kind}" if kind else "")
        if self.mode is DrillMode.HOLD and finished:
            return f"last {layers}" if window else "last"
        if self.mode is DrillMode.HOLD:
            return f"last, mated{window}" if self.winner else "hold"
        side = f" as {self.winner.capitalize()}" if self.winner and self.winner == _MATED[1] else ""
        return (f"{mate}{window}" if window else "win") + side


def parse_theme(key: str) -> Theme:
    """Reads a theme's key; of a study it gives no more than the id.

    Raises:
        DrillError: It is no key of a theme.
    """
    words = key.split()
    if len(words) == 2 and words[0] == "study":
        return Theme("", DrillMode.MATE, study=words[1])
    kind = words.pop() if words[1:2] == [DrillMode.ONLY] and words[-1] in KINDS else ""
    try:
        ending, mode = words[0], DrillMode(words[1])
        winner = words[2] if len(words) > 2 else None
        low, high = map(int, words[3].split("-")) if len(words) > 3 else (1, LAST_LAYER)
    except (IndexError, ValueError):
        raise _no_theme(key) from None
    theme = Theme(ending, mode, winner, low, high, kind=kind)
    known = winner in (*_MATED, *_FINISHED) or (winner is None and mode is not DrillMode.MATE)
    fits = mode in _THEMED and known and len(words) < 5
    if not fits or not 0 <= low <= high <= LAST_LAYER:
        raise _no_theme(key)
    return theme


def _no_theme(key: str) -> DrillError:
    return DrillError(f"{quoted(key)} is no theme", "write one like: KRvK mate white 5-11")


@cache
def groups(game: str) -> Mapping[str, tuple[Theme, ...]]:
    """The shipped themes of a game, in order of difficulty, by the sets that they are in (``Rook endings``)."""
    document = json.loads(paths.shipped("themes.json").read_text("utf-8"))
    return {name: tuple(map(parse_theme, keys)) for name, keys in document.get(game, {}).items()}


_TRIES = 600
_FEW_TRIES = 100
_MANY_TRIES = 1500
_SOME_TRIES = 30
_EASY_TRIES = 300
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

    def draw(self, theme: Theme, level: int = LEVELS) -> Start[P]:
        """A random start of a theme of an ending.

        Args:
            theme: The theme.
            level: How hard it may be, from 1 on; by default anything in its window.

        Raises:
            NotBuiltError: The ending, or a sub-ending that had to be looked at, is not built.
            DrillError: There is no such position, or none was found.
        """
        if theme.study:
            raise DrillError(f"{theme.label} is a study", "start from its position")
        if theme.winner not in (None, *self.game.winners):
            raise DrillError(f"{quoted(theme.key)} is no theme of {self.game.name}", "choose another one")
        if theme.mode is DrillMode.CALL:
            position = self._question(theme, level)
        elif theme.mode is DrillMode.ONLY:
            position = self._only_move(theme, level)
        else:
            lasts = theme.mode is DrillMode.MATE or theme.winner is not None
            tried = self._any(theme, level) if lasts else self._tried(theme, self._counted(theme))
            position = self._easy(theme, tried if lasts else filter(self._can_err, tried), level)
        copy = self.copy(position, self._colours)
        return self._start(copy, self.game.mover(copy))

    def deepest(self, theme: Theme, level: int = LEVELS) -> int | None:
        """The last layer that starts of a level come from; None where they are of no layer, and for a study."""
        layers = {} if theme.study else self._at(theme, level)
        return max((n for _, n, _ in layers if n is not None), default=None)

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
            copy, learner = self.game.with_colours_swapped(copy), opposite_side(learner)
        return self._start(copy, learner)

    def copy(self, position: P, colours: bool) -> P:
        """A random symmetric copy, each alike; with ``colours``, Black and White exchanged half of the time."""
        if colours and self._rng.random() < 0.5:
            position = self.game.with_colours_swapped(position)
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
        ends = [min(theme.high, self.explorer.deepest(theme.ending, winner)) + 1 for winner in winners]
        each = list(zip(winners, ends, strict=True))
        won = [(winner, n, 0) for winner, end in each for n in range(theme.low | 1, end, 2)]
        lost = [(winner, n, 0) for winner, end in each for n in range(max(2, theme.low + theme.low % 2), end, 2)]
        found: list[_Layer] = []
        if theme.mode is not DrillMode.HOLD:
            found += won
        if theme.mode is DrillMode.CALL or (theme.mode is DrillMode.HOLD and theme.winner):
            found += lost
        if theme.winner is None:
            for side in self._sides(theme.ending):
                if theme.mode is DrillMode.CALL or self._may_lose(theme.ending, side):
                    found.append((None, None, side))
        counted = {layer: self.explorer.count(theme.ending, *layer) for layer in found}
        return {layer: count for layer, count in counted.items() if count}

    def _sides(self, ending: str) -> range:
        """The sides to move that draws are listed by; one where layers belong to the side to move."""
        first, second = (self.game.index.parts(ending, None, None, side) for side in range(2))
        return range(1) if first == second else range(2)

    def _may_lose(self, ending: str, side: int) -> bool:
        """Whether a side (0 is the one named first) loses any position of an ending."""
        winner = self.game.winners[1 - side]
        return any(self.explorer.count(ending, winner, n) for n in range(self.explorer.deepest(ending, winner) + 1))

    def _layer(self, layers: dict[_Layer, int], theme: Theme) -> _Layer:
        """A random layer by its size, so that every position is equally likely."""
        if not layers:
            raise DrillError(f"{theme.ending} has no position of this kind: {theme.label}", "choose another window")
        return self._rng.choices(list(layers), list(layers.values()))[0]

    def _at(self, theme: Theme, level: int) -> dict[_Layer, int]:
        """The layers of a level with their sizes: of each winner, and of wins and losses, those nearest to the end."""
        layers = self._counted(theme)
        if level == LEVELS:
            return layers
        found: dict[_Layer, int] = {}
        kinds: dict[tuple[Winner | None, int], list[_Layer]] = {}
        for layer in layers:
            winner, n, _ = layer
            kinds.setdefault((winner, -1 if n is None else n % 2), []).append(layer)
        for (winner, _), kind in kinds.items():
            kept = kind if winner is None else sorted(kind)[: layers_at(len(kind), level)]
            found |= {layer: layers[layer] for layer in kept}
        return found

    def _any(self, theme: Theme, level: int) -> Iterator[P]:
        """Positions of a level."""
        layers = self._at(theme, level)
        drawn = (self._layer(layers, theme) for _ in range(_TRIES))
        return self._closed(
            theme, (self.explorer.random(theme.ending, winner, n, self._rng, side) for winner, n, side in drawn)
        )

    def _easy(self, theme: Theme, found: Iterator[P], level: int) -> P:
        """The first position with as many acceptable moves as a level has; of some without the one with the most."""
        least, best, tried = least_acceptable(level), (0, None), 0
        for position in found:
            if self._is_gift(position):
                continue
            moves = LEVELS if level == LEVELS else self._acceptable(position)
            if moves >= least:
                return position
            best, tried = max(best, (moves, position), key=lambda one: one[0]), tried + 1
            if tried == _SOME_TRIES:
                break
        if best[1] is None:
            raise self._nothing(theme)
        return best[1]

    def _acceptable(self, position: P) -> int:
        """How many moves keep the result and lose no more plies than a solved drill may."""
        now = self.explorer.code(position)
        most = 0 if now == DRAW else plies_allowed(value_of(now)[1]) // 2
        worth = (code_before(self.explorer.code(self.game.play(position, move))) for move in self.game.moves(position))
        return sum(now - code <= most and value_of(code)[0] is value_of(now)[0] for code in worth)

    def _is_gift(self, position: P) -> bool:
        """Whether to take a hanging man is an answer: it wins or holds all the same, or loses as late as can be.

        Such a start teaches nothing about its ending, and is left out.
        """
        gifts = self.game.free_captures(position)
        now = self.explorer.code(position) if gifts else 0
        worth = (code_before(self.explorer.code(self.game.play(position, move))) for move in gifts)
        return any(code == now or (code >= DRAW and value_of(code)[0] is value_of(now)[0]) for code in worth)

    def _only_move(self, theme: Theme, level: int) -> P:
        """A position in which one of several moves keeps the result; drawn and won ones alike often, if both exist."""
        if theme.kind in ("zugzwang", "underpromotion"):
            return self._surveyed(theme)
        kinds: dict[Winner | None, dict[_Layer, int]] = {}
        for layer, count in self._at(theme, level).items():
            kinds.setdefault(layer[0], {})[layer] = count
        most = most_moves(level)
        for layers in self._rng.sample(list(kinds.values()), len(kinds)):
            for tried, position in enumerate(self._tried(theme, layers, _MANY_TRIES)):
                if most is not None and tried < _EASY_TRIES and len(self.game.moves(position)) > most:
                    continue
                move = self._only(position)
                if move is not None and self._is_of(theme.kind, position, move):
                    return position
        raise self._nothing(theme)

    def _is_of(self, kind: str, position: P, move: M) -> bool:
        """Whether an only move is of a kind: of any but taking a hanging man, if none was asked for."""
        if (kind == "hanging") is not self._is_gift(position):
            return False
        return kind in ("", "hanging") or (kind == "quiet" and self.game.is_quiet(position, move))

    def _surveyed(self, theme: Theme) -> P:
        """A position of a rare kind: out of those that were found when all moves of the ending were looked at."""
        from endgame_core.tables.survey import EndingProfile

        ending = self.game.canonical_name(theme.ending)
        about = EndingProfile(self.explorer.library, ending)
        if about.survey is None:
            advice = instruct("{press} {about} in the Library, or run: endgame-tui about {ending}", ending=ending)
            raise DrillError(f"the moves of {ending} must be examined first", advice)
        if theme.kind == "zugzwang":
            shown = about.zugzwangs()
            ends = (shown[n].position for n in self._rng.sample(range(len(shown)), len(shown)))
            found = (back for end in ends for back, move in self.game.unmoves(end) if self._only(back) == move)
        else:
            found = (about.deepest(one) for one in about.survey.kinds if one.kind == theme.kind)
        for position in found:
            place = self.explorer.locate(position)
            inside = theme.winner is None or (
                place.winner == theme.winner and theme.low <= (place.n or 0) <= theme.high
            )
            if inside and place.ending == theme.ending:
                return position
        raise self._nothing(theme)

    def _question(self, theme: Theme, level: int) -> P:
        """A position to judge: wins, draws and losses alike often, and half of the time the move decides."""
        layers = self._at(theme, level)
        kinds: dict[Category, dict[_Layer, int]] = {}
        for (winner, n, side), count in layers.items():
            result = Category.DRAW if n is None else Category.WIN if n % 2 else Category.LOSS
            kinds.setdefault(result, {})[winner, n, side] = count
        wanted = self._rng.random() < 0.5
        chosen = self._rng.choice(list(kinds.values())) if kinds else {}
        first = None
        for tried, position in enumerate(self._tried(theme, chosen)):
            if tried >= _FEW_TRIES and first is not None:
                break
            if self._is_gift(position):
                continue
            first = position if first is None else first
            if not wanted or move_decides(self.explorer, position):
                return position
        if first is None:
            raise self._nothing(theme)
        return first

    def _tried(self, theme: Theme, layers: dict[_Layer, int], tries: int = _TRIES) -> Iterator[P]:
        """Random positions of some layers, stretch by stretch, until the bound is reached."""
        drawn = (self._layer(layers, theme) for _ in range(tries // _TOGETHER))
        some = (self.explorer.sample(theme.ending, winner, n, self._rng, _TOGETHER, side) for winner, n, side in drawn)
        return self._closed(theme, chain.from_iterable(some))

    def _closed(self, theme: Theme, positions: Iterator[P]) -> Iterator[P]:
        """Those of some positions that no move leaves for a sub-ending which is not built."""
        game, is_built = self.game, self.explorer.library.is_built
        if all(map(is_built, game.needs(game.canonical_name(theme.ending)))):
            return positions

        def is_closed(position: P) -> bool:
            after = (game.play(position, move) for move in game.moves(position))
            return all(game.is_trivial(to) or is_built(game.ending_of(to)) for to in after)

        return filter(is_closed, positions)

    def _can_err(self, position: P) -> bool:
        """Whether a move changes the result."""
        now, moves = value_of(self.explorer.code(position))[0], list(self.game.moves(position))
        codes = (self.explorer.code(self.game.play(position, move)) for move in self._rng.sample(moves, len(moves)))
        return any(value_of(code_before(code))[0] is not now for code in codes)

    def _only(self, position: P) -> M | None:
        """The one of several moves that keeps the result; None where it is not one."""
        now = value_of(self.explorer.code(position))[0]
        moves, found = list(self.game.moves(position)), list[M]()
        for move in self._rng.sample(moves, len(moves)):
            if value_of(code_before(self.explorer.code(self.game.play(position, move))))[0] is now:
                found.append(move)
                if len(found) > 1:
                    return None
        return found[0] if len(found) == 1 < len(moves) else None

    def _nothing(self, theme: Theme) -> DrillError:
        return DrillError(
            f"no position of {theme.ending} was found for: {theme.label}", "choose another window or another ending"
        )


def move_decides(explorer: Explorer[P, M], position: P) -> bool | None:
    """Whether another side wins, or nobody, with the other side to move; None where that cannot be.

    Raises:
        NotBuiltError: The position's ending is not built.
    """
    turned = explorer.game.with_side_switched(position)
    if turned is None:
        return None
    return explorer.probe(position).winner != explorer.probe(turned).winner
