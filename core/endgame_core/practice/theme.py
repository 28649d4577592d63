"""Themes and their start positions. A theme is the unit of practice that the journal counts and schedules.

The journal and ``themes.json`` identify a theme by its *key*:

- ``KRvK mate white 5-11``: White wins, from layers S5 to S11 (plies); without numbers from any layer;
- ``KPvK hold``: hold the draw; ``KQvKR hold white 20-40``: resist where White wins in 20 to 40 plies;
- ``KPvK call``: win, draw or loss?
- ``KRPvKR only`` (or ``only white 5-21``): find the only move that keeps the result;
- ``KRPvKR only quiet``: find an only move of a certain kind, see :data:`KINDS`;
- ``study lucena``: a study.

In Morris, whose endings name the side to move first, the winner is ``mover`` or ``opponent``: ``3-4 mate mover 21-33``
(win from these layers), ``4-3 hold opponent 20-32`` (resist where the opponent wins).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import Generic, TypeVar

from endgame_core import paths
from endgame_core.controls import instruct
from endgame_core.errors import EndgameError
from endgame_core.games import DEFAULT_GAME, NAMES, by_name, game_by_spelling
from endgame_core.language import N_, _
from endgame_core.practice.levels import LEVELS, layers_at, least_acceptable, most_moves
from endgame_core.practice.stars import plies_allowed
from endgame_core.practice.titles import set_title
from endgame_core.tables.explorer import Explorer
from endgame_core.untrusted import quoted
from endgame_core.values import DRAW, LAST_LAYER, WINNERS, Category, Winner, code_before, opposite_side, value_of

P = TypeVar("P")
M = TypeVar("M")


@cache
def game_of(ending: str) -> str:
    """Return the name of the game that an ending belongs to, which cards and ratings do not store."""
    return game_by_spelling(ending) or DEFAULT_GAME


class DrillError(EndgameError):
    """A theme that cannot be parsed or has no position, or a drill or streak that cannot be started or continued."""


class DrillMode(StrEnum):
    """How a theme is drilled."""

    MATE = "mate"
    HOLD = "hold"
    CALL = "call"
    ONLY = "only"
    STREAK = "streak"

    def words(self, game: str) -> str:
        """Return the name of the mode on the screen of a game."""
        if by_name(game).ends_in_mate:
            mate = _("checkmate")
        else:
            mate = _("win")
        names = {"mate": mate, "hold": _("hold the draw"), "call": _("win/draw/loss?"), "only": _("only move")}
        return names.get(self, _("streak"))

    @property
    def meaning(self) -> str:
        """The task of the mode, in one line."""
        return {
            DrillMode.MATE: _("win, in as few moves as you can"),
            DrillMode.HOLD: _("draw, or hold out as long as the table allows"),
            DrillMode.CALL: _("win, draw or loss, and whether the turn matters"),
            DrillMode.ONLY: _("one move keeps the result: find it"),
            DrillMode.STREAK: _("as many in a row as you can"),
        }[self]


KINDS = (N_("quiet"), N_("underpromotion"), N_("zugzwang"), "hanging")
"""Kinds of only moves: a quiet move, an underpromotion, a move into mutual zugzwang, the capture of a hanging piece."""

_THEMED = (DrillMode.MATE, DrillMode.HOLD, DrillMode.CALL, DrillMode.ONLY)


@dataclass(frozen=True, slots=True)
class Theme:
    """A unit of practice with one card in the schedule.

    Attributes:
        ending: The ending. A theme parsed from the key of a study has none.
        mode: How the theme is drilled; for a study it follows from the study's goal.
        winner: The winner, in the ending's colours; None for drawn positions, and for any winner in the modes CALL and
            ONLY.
        low: The first layer of the window, in plies.
        high: The last layer of the window, in plies.
        study: The ID of a study, else empty.
        name: The name of the study.
        kind: The kind of only move, one of :data:`KINDS`; empty for any kind.
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
        """The text that identifies the theme in the journal and in ``themes.json``."""
        if self.study:
            return f"study {self.study}"
        parts = [self.ending, self.mode.value]
        if self.winner:
            parts.append(self.winner)
            if self.has_window:
                parts.append(f"{self.low}-{self.high}")
        if self.kind:
            parts.append(self.kind)
        return " ".join(parts)

    @property
    def has_window(self) -> bool:
        """Whether the theme is restricted to some of the layers."""
        return (self.low, self.high) != (1, LAST_LAYER)

    @property
    def label(self) -> str:
        """The theme in words, without its ending: in English, as the journal stores it."""
        return self._words(str)

    @property
    def words(self) -> str:
        """The theme in words, without its ending, in the language in use."""
        return self._words(_)

    # The parameter has the name of the function that marks texts for translation, so that the catalogue finds them
    # here.
    def _words(self, _: Callable[[str], str]) -> str:
        """The theme in words, in the language of ``_``."""
        if self.study:
            return self.name or self.study
        if self.mode is DrillMode.CALL:
            return _("win/draw/loss?")

        ends_in_mate = by_name(game_of(self.ending)).ends_in_mate
        if ends_in_mate:
            layers = f"{(self.low + 1) // 2}–{(self.high + 1) // 2}"  # moves
        else:
            layers = _("{low}–{high} plies").format(low=self.low, high=self.high)
        window = ""
        if self.has_window and self.winner:
            window = _(" in {layers}").format(layers=layers)
        mate = _("mate") if ends_in_mate else _("win")

        if self.mode is DrillMode.ONLY:
            if self.kind == "hanging":
                kind = _("hanging piece")
            else:
                kind = _(self.kind)
            result = _("only move")
            if window:
                result += f", {mate}{window}"
            if kind:
                result += f", {kind}"
            return result
        if self.mode is DrillMode.HOLD and not self.winner:
            return _("hold")
        if self.mode is DrillMode.HOLD and ends_in_mate:
            return _("lost: mated{window}").format(window=window)
        if self.mode is DrillMode.HOLD:
            if window:
                return _("hold out {layers}").format(layers=layers)
            return _("hold out")
        side = ""
        if self.winner == WINNERS[1]:
            side = _(" as Black")
        if window:
            return f"{mate}{window}{side}"
        return _("win") + side


def label_words(key: str, label: str) -> str:
    """Return a label that the journal stores in today's words, in the language in use; ``key`` is the theme's key."""
    try:
        theme = parse_theme(key)
    except DrillError:
        return _(label)
    return label if theme.study or not label else theme.words


def parse_theme(key: str) -> Theme:
    """Parse the key of a theme. The theme of a study has only its ID, without ending and name.

    Raises:
        DrillError: The key is invalid.
    """
    words = key.split()
    if len(words) == 2 and words[0] == "study":
        return Theme("", DrillMode.MATE, study=words[1])

    kind = ""
    # The kind comes last in a key, after a winner and a window that may be missing.
    if words[1:2] == [DrillMode.ONLY] and words[-1] in KINDS:
        kind = words.pop()
    winner = None
    low = 1
    high = LAST_LAYER
    try:
        ending = words[0]
        mode = DrillMode(words[1])
        if len(words) > 2:
            winner = words[2]
        if len(words) > 3:
            low, high = map(int, words[3].split("-"))
    except (IndexError, ValueError):
        raise _invalid_theme_error(key) from None

    theme = Theme(ending, mode, winner, low, high, kind=kind)
    if winner is None:
        is_winner_valid = mode is not DrillMode.MATE
    else:
        # Whether it is of this game is checked when a start is drawn. Other games are loaded only if it is not.
        is_winner_valid = any(winner in by_name(name).winners for name in (game_of(ending), *NAMES))
    is_window_valid = 0 <= low <= high <= LAST_LAYER
    if mode not in _THEMED or not is_winner_valid or not is_window_valid or len(words) > 4:
        raise _invalid_theme_error(key)
    return theme


def _invalid_theme_error(key: str) -> DrillError:
    return DrillError(_("{key} is not a theme").format(key=quoted(key)), _("write one like: KRvK mate white 5-11"))


@cache
def groups(game: str) -> Mapping[str, tuple[Theme, ...]]:
    """Load the shipped themes of a game by group, e.g. ``Rook endings``; each group is in order of difficulty."""
    document = json.loads(paths.shipped("themes.json").read_text("utf-8"))
    return {set_title(name): tuple(map(parse_theme, keys)) for name, keys in document.get(game, {}).items()}


@cache
def ratings() -> Mapping[str, int]:
    """Load the difficulty of shipped themes as a Glicko rating, by their keys; a game with rated studies needs none."""
    return json.loads(paths.shipped("themes.json").read_text("utf-8"))["ratings"]


# How many random positions are tried until one meets a condition.
_TRIES = 600
_FEW_TRIES = 100
"""For a question in which the side to move matters; then any position will do."""
_MANY_TRIES = 1500
"""For an only move."""
_SOME_TRIES = 30
"""For a start with enough acceptable moves; then the easiest of these is taken."""
_EASY_TRIES = 300
"""For an only move among few legal moves; then the number of legal moves no longer matters."""
_BATCH_SIZE = 20
"""Positions sampled from a layer at once."""


@dataclass(frozen=True, slots=True)
class Start(Generic[P]):
    """The start position of a drill.

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
"""Winner (None for draws), layer number n in plies (None for draws), and side to move of draws (else 0).

Winner and side are in the ending's colours.
"""


class Starts(Generic[P, M]):
    """Draws random start positions of themes from the tables.

    Args:
        explorer: The tables.
        rng: The source of randomness.
        colours: Whether colours are swapped half of the time, so that the learner plays Black as often as White.
    """

    def __init__(self, explorer: Explorer[P, M], rng: random.Random, colours: bool = True) -> None:
        self.explorer = explorer
        self.game = explorer.game
        self._rng = rng
        self._colours = colours

    def draw(self, theme: Theme, level: int = LEVELS) -> Start[P]:
        """Draw a random start of a theme.

        Args:
            theme: The theme; not a study.
            level: The difficulty, 1 to LEVELS; the highest one, the default, draws from the whole window.

        Raises:
            NotBuiltError: The ending, or a sub-ending that has to be probed, is not built.
            DrillError: The theme is a study or of another game, or no suitable position was found.
        """
        if theme.study:
            raise DrillError(
                _("{theme_label} is a study").format(theme_label=theme.words), _("start from its position")
            )
        if theme.winner not in (None, *self.game.winners):
            raise DrillError(
                _("{key} is not a theme of {game}").format(key=quoted(theme.key), game=self.game.name),
                _("choose a different one"),
            )
        if theme.mode is DrillMode.CALL:
            position = self._question_position(theme, level)
        elif theme.mode is DrillMode.ONLY:
            position = self._only_move_position(theme, level)
        elif theme.mode is DrillMode.MATE or theme.winner is not None:
            position = self._easy(theme, self._decisive_positions(theme, level), level)
        else:
            # A drawn position in which every move holds would be no exercise.
            draws = self._sampled_positions(theme, self._layer_sizes(theme))
            position = self._easy(theme, filter(self._can_err, draws), level)
        copy = self.copy(position, self._colours)
        return self._start(copy, self.game.mover(copy))

    def deepest(self, theme: Theme, level: int = LEVELS) -> int | None:
        """Return the deepest layer (plies) from which starts of a level are drawn; None for draws and studies."""
        layers = {}
        if not theme.study:
            layers = self._level_layers(theme, level)
        return max((n for __, n, __ in layers if n is not None), default=None)

    def of_position(self, position: P, learner: Winner, colours: bool = False) -> Start[P]:
        """Make a start from a random symmetric copy of a position.

        Args:
            position: The position of a study, or one that the user added.
            learner: The learner's side, in the position's own colours.
            colours: Whether colours are swapped half of the time.

        Raises:
            NotBuiltError: The ending is not built.
            EndingError: No table can cover the position.
        """
        copy = self.copy(position, False)
        if colours and self._rng.random() < 0.5:
            copy = self.game.with_colours_swapped(copy)
            learner = opposite_side(learner)
        return self._start(copy, learner)

    def unchanged(self, position: P, learner: Winner) -> Start[P]:
        """Make a start from a position as it is, neither mirrored nor with colours swapped; see :meth:`of_position`."""
        return self._start(position, learner)

    def copy(self, position: P, colours: bool) -> P:
        """Return a random symmetric copy, all equally likely; with ``colours``, swap colours half of the time."""
        if colours and self._rng.random() < 0.5:
            position = self.game.with_colours_swapped(position)
        return self._rng.choice(self.game.copies_of(position))

    def count(self, theme: Theme) -> int:
        """Count the canonical positions of a theme, without its conditions on moves; 0 for a study."""
        if theme.study:
            return 0
        return sum(self._layer_sizes(theme).values())

    def _start(self, position: P, learner: Winner) -> Start[P]:
        verdict = self.explorer.probe(position)
        return Start(position, learner, verdict.category, verdict.depth)

    def _layer_sizes(self, theme: Theme) -> dict[_Layer, int]:
        """Return the layers of a theme with their sizes, without empty layers.

        In odd layers the winner is to move (Win in n plies), in even ones the loser.
        """
        if theme.winner:
            winners = [theme.winner]
        else:
            winners = list(self.game.winners)
        ends = [min(theme.high, self.explorer.deepest(theme.ending, winner)) + 1 for winner in winners]
        windows = list(zip(winners, ends, strict=True))

        layers: list[_Layer] = []
        if theme.mode is not DrillMode.HOLD:
            # The first odd number from ``low`` on: a lowest bit that is not set is set.
            first_odd = theme.low | 1
            layers += [(winner, n, 0) for winner, end in windows for n in range(first_odd, end, 2)]
        if theme.mode is DrillMode.CALL or (theme.mode is DrillMode.HOLD and theme.winner):
            first_even = max(2, theme.low + theme.low % 2)  # from layer 2 on: in S0 the game is over
            layers += [(winner, n, 0) for winner, end in windows for n in range(first_even, end, 2)]
        if theme.winner is None:
            for side in self._sides(theme.ending):
                # Holding a draw is no task for a side that cannot lose the ending at all.
                if theme.mode is DrillMode.CALL or self._may_lose(theme.ending, side):
                    layers.append((None, None, side))

        sizes = {layer: self.explorer.count(theme.ending, *layer) for layer in layers}
        return {layer: size for layer, size in sizes.items() if size}

    def _sides(self, ending: str) -> range:
        """Return the sides to move by which draws are listed; only one if both sides share the same parts."""
        first, second = (self.game.index.parts(ending, None, None, side) for side in range(2))
        if first == second:
            return range(1)
        return range(2)

    def _may_lose(self, ending: str, side: int) -> bool:
        """Whether a side (0 is the one named first) loses any position of an ending."""
        winner = self.game.winners[1 - side]
        return any(self.explorer.count(ending, winner, n) for n in range(self.explorer.deepest(ending, winner) + 1))

    def _random_layer(self, layers: dict[_Layer, int], theme: Theme) -> _Layer:
        """Choose a layer with a probability proportional to its size, so that all positions are equally likely."""
        if not layers:
            raise DrillError(
                _("{ending} has no position of this kind: {theme_label}").format(
                    ending=theme.ending, theme_label=theme.words
                ),
                _("choose a different range of layers"),
            )
        return self._rng.choices(list(layers), list(layers.values()))[0]

    def _level_layers(self, theme: Theme, level: int) -> dict[_Layer, int]:
        """Return the layers of a level with their sizes.

        For each winner, and separately for wins (odd layers) and losses (even layers), these are the layers nearest to
        the end. Draws belong to every level.
        """
        sizes = self._layer_sizes(theme)
        if level == LEVELS:
            return sizes

        layers_by_kind: dict[tuple[Winner | None, int], list[_Layer]] = {}
        for layer in sizes:
            winner, n, __ = layer
            # All draws together.
            parity = -1 if n is None else n % 2
            layers_by_kind.setdefault((winner, parity), []).append(layer)

        result: dict[_Layer, int] = {}
        for (winner, __), layers in layers_by_kind.items():
            if winner is not None:
                # These layers differ only in n, so this sorts them by depth.
                layers = sorted(layers)[: layers_at(len(layers), level)]
            result |= {layer: sizes[layer] for layer in layers}
        return result

    def _decisive_positions(self, theme: Theme, level: int) -> Iterator[P]:
        """Draw random positions of a level, each from a newly chosen layer."""
        sizes = self._level_layers(theme, level)
        layers = (self._random_layer(sizes, theme) for __ in range(_TRIES))
        positions = (self.explorer.random(theme.ending, winner, n, self._rng, side) for winner, n, side in layers)
        return self._without_missing_tables(theme, positions)

    def _easy(self, theme: Theme, positions: Iterator[P], level: int) -> P:
        """Choose the first position with enough acceptable moves for a level.

        If the first few have too few of them, choose the position with the most.
        """
        least = least_acceptable(level)
        easiest: P | None = None
        most_acceptable = 0
        tries = 0
        for position in positions:
            if self._is_gift(position):
                continue
            # At the last level one acceptable move is enough, and every position has one: nothing to count.
            if level == LEVELS:
                moves = LEVELS
            else:
                moves = self._count_acceptable_moves(position)
            if moves >= least:
                return position
            if moves > most_acceptable:
                most_acceptable = moves
                easiest = position
            tries += 1
            if tries == _SOME_TRIES:
                break
        if easiest is None:
            raise self._no_position_error(theme)
        return easiest

    def _count_acceptable_moves(self, position: P) -> int:
        """Count the moves that keep the result and lose no more plies than a good attempt may."""
        code = self.explorer.code(position)
        category, depth = value_of(code)
        # Codes of one result are ordered by depth, two plies apart, so one step down costs two plies.
        allowed_steps = 0
        if code != DRAW:
            allowed_steps = plies_allowed(depth) // 2
        codes_after = (self._code_after(position, move) for move in self.game.moves(position))
        return sum(code - after <= allowed_steps and value_of(after)[0] is category for after in codes_after)

    def _code_after(self, position: P, move: M) -> int:
        """Return the value code of a move for the side that makes it."""
        return code_before(self.explorer.code(self.game.play(position, move)))

    def _is_gift(self, position: P) -> bool:
        """Whether capturing a hanging piece wins or holds as the position does, or resists longest in a lost one.

        Such a start teaches nothing about its ending, and is left out.
        """
        captures = self.game.free_captures(position)
        if not captures:
            return False
        code = self.explorer.code(position)
        category = value_of(code)[0]
        codes_after = (self._code_after(position, move) for move in captures)
        # Equal codes also mean the longest resistance in a lost position; any win or draw that is kept counts, however
        # slow.
        return any(after == code or (after >= DRAW and value_of(after)[0] is category) for after in codes_after)

    def _only_move_position(self, theme: Theme, level: int) -> P:
        """Draw a position in which one of several moves keeps the result; wins and draws are equally likely."""
        if theme.kind in ("zugzwang", "underpromotion"):
            return self._surveyed_position(theme)

        layers_by_winner: dict[Winner | None, dict[_Layer, int]] = {}
        for layer, size in self._level_layers(theme, level).items():
            layers_by_winner.setdefault(layer[0], {})[layer] = size

        limit = most_moves(level)
        # All results in random order: if the first has no such position, the next may.
        for layers in self._rng.sample(list(layers_by_winner.values()), len(layers_by_winner)):
            for tries, position in enumerate(self._sampled_positions(theme, layers, _MANY_TRIES)):
                if limit is not None and tries < _EASY_TRIES and len(self.game.moves(position)) > limit:
                    continue
                move = self.only_move(position)
                if move is not None and self._has_kind(theme.kind, position, move):
                    return position
        raise self._no_position_error(theme)

    def _has_kind(self, kind: str, position: P, move: M) -> bool:
        """Whether an only move is of a kind; with an empty kind, any move except the capture of a hanging piece."""
        if (kind == "hanging") is not self._is_gift(position):
            return False
        return kind in ("", "hanging") or (kind == "quiet" and self.game.is_quiet(position, move))

    def _surveyed_position(self, theme: Theme) -> P:
        """Draw a position of a rare kind from the survey of the ending.

        Raises:
            DrillError: The ending has not been surveyed, or the survey has no suitable position.
        """
        from endgame_core.tables.survey import EndingProfile

        ending = self.game.canonical_name(theme.ending)
        profile = EndingProfile(self.explorer.library, ending)
        if profile.survey is None:
            advice = instruct(_("{press} {about} in the Library, or run: endgame-tui about {ending}"), ending=ending)
            raise DrillError(_("the moves of {ending} must be examined first").format(ending=ending), advice)

        if theme.kind == "zugzwang":
            # The start is one move before a mutual zugzwang, and the only move leads into it.
            zugzwangs = profile.zugzwangs()
            targets = (zugzwangs[n].position for n in self._rng.sample(range(len(zugzwangs)), len(zugzwangs)))
            candidates = (
                previous
                for target in targets
                for previous, move in self.game.unmoves(target)
                if self.only_move(previous) == move
            )
        else:
            candidates = (profile.deepest(kind) for kind in profile.survey.kinds if kind.kind == theme.kind)

        for position in candidates:
            place = self.explorer.locate(position)
            is_in_window = theme.winner is None or (
                place.winner == theme.winner and theme.low <= (place.n or 0) <= theme.high
            )
            if is_in_window and place.ending == theme.ending:
                return position
        raise self._no_position_error(theme)

    def _question_position(self, theme: Theme, level: int) -> P:
        """Draw a position to judge: wins, draws and losses are equally likely.

        Half of the time the side to move must matter, if such a position turns up soon enough.
        """
        layers_by_result: dict[Category, dict[_Layer, int]] = {}
        for layer, size in self._level_layers(theme, level).items():
            n = layer[1]
            if n is None:
                result = Category.DRAW
            else:
                result = Category.WIN if n % 2 else Category.LOSS
            layers_by_result.setdefault(result, {})[layer] = size

        turn_must_matter = self._rng.random() < 0.5
        layers = {}
        if layers_by_result:
            layers = self._rng.choice(list(layers_by_result.values()))
        fallback: P | None = None
        for tries, position in enumerate(self._sampled_positions(theme, layers)):
            if tries >= _FEW_TRIES and fallback is not None:
                break
            if self._is_gift(position):
                continue
            if fallback is None:
                fallback = position
            if not turn_must_matter or turn_matters(self.explorer, position):
                return position
        if fallback is None:
            raise self._no_position_error(theme)
        return fallback

    def _sampled_positions(self, theme: Theme, sizes: dict[_Layer, int], tries: int = _TRIES) -> Iterator[P]:
        """Draw about ``tries`` random positions, in batches of one layer each: much faster than one by one."""
        layers = (self._random_layer(sizes, theme) for __ in range(tries // _BATCH_SIZE))
        batches = (
            self.explorer.sample(theme.ending, winner, n, self._rng, _BATCH_SIZE, side) for winner, n, side in layers
        )
        return self._without_missing_tables(theme, chain.from_iterable(batches))

    def _without_missing_tables(self, theme: Theme, positions: Iterator[P]) -> Iterator[P]:
        """Skip positions from which a move leads to a sub-ending that is not built."""
        game = self.game
        is_built = self.explorer.library.is_built
        if all(map(is_built, game.needs(game.canonical_name(theme.ending)))):
            return positions

        def can_probe_moves(position: P) -> bool:
            positions_after = (game.play(position, move) for move in game.moves(position))
            return all(game.is_trivial(after) or is_built(game.ending_of(after)) for after in positions_after)

        return filter(can_probe_moves, positions)

    def _can_err(self, position: P) -> bool:
        """Whether any move changes the result; in random order, which finds a mistake sooner."""
        category = value_of(self.explorer.code(position))[0]
        moves = list(self.game.moves(position))
        codes_after = (self._code_after(position, move) for move in self._rng.sample(moves, len(moves)))
        return any(value_of(after)[0] is not category for after in codes_after)

    def only_move(self, position: P) -> M | None:
        """Return the only move that keeps the result; None if several do, or if it is the only legal move."""
        category = value_of(self.explorer.code(position))[0]
        moves = list(self.game.moves(position))
        keeping: list[M] = []
        for move in self._rng.sample(moves, len(moves)):  # random order finds a second such move sooner
            if value_of(self._code_after(position, move))[0] is category:
                keeping.append(move)
                if len(keeping) > 1:
                    return None
        if len(keeping) == 1 < len(moves):
            return keeping[0]
        return None

    def _no_position_error(self, theme: Theme) -> DrillError:
        return DrillError(
            _("no position of {ending} was found for: {theme_label}").format(
                ending=theme.ending, theme_label=theme.words
            ),
            _("choose a different range of layers or a different ending"),
        )


def turn_matters(explorer: Explorer[P, M], position: P) -> bool | None:
    """Whether the winner changes with the other side to move; None if the position would be illegal then.

    Raises:
        NotBuiltError: The ending of the position is not built.
    """
    switched = explorer.game.with_side_switched(position)
    if switched is None:
        return None
    return explorer.probe(position).winner != explorer.probe(switched).winner
