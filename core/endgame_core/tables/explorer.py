"""Positions and layers of built endings: values, previous positions, and the place of a position in its layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from random import Random
from typing import Any, Generic, Protocol, TypeVar

from endgame_core.errors import EndgameError, LayerError, NotBuiltError
from endgame_core.game import Back, Game, Part, Slot, position_code
from endgame_core.language import _, grouped, pgettext, side_name
from endgame_core.tables.file import Table
from endgame_core.tables.library import Library
from endgame_core.values import HORIZON, WINNERS, Category, Fifty, Verdict, Winner, after_claim, opposite_side

P = TypeVar("P")
M = TypeVar("M")

_WINS = (Category.WIN, Category.CURSED_WIN)


class OtherTables(Protocol):
    """Tables of another program, by the metric of ours."""

    def code(self, slot: Slot, /) -> int | None:
        """The code of a canonical slot that holds a legal position; None if no table has it; raises TableError."""
        ...


@dataclass(frozen=True)
class RatedMove(Generic[P, M]):
    """A legal move, the position after it, and its grade, as far as tables know it.

    Attributes:
        game: The game.
        position: The position before the move.
        move: The move.
        after: The position after it.
        verdict: The verdict of the position after it by the game's metric, seen by the side then to move; None if no
            table has it.
        grade: ``best``, ``slower`` (still wins, but later), ``draw`` (throws away a win), ``loss`` (throws away a win
            or a draw), ``faster`` (a lost side loses sooner), or one of the categories that only the 50-move rule
            has; empty if it is not known.
        later: Plies by which it is worse than the best move with the same result, else 0.
        zeroing: Whether it sets the half-move clock to 0.
        clock: The half-move clock before it.
        before: The position before it under the 50-move rule; None if that is not known.
        fifty: The position after it under the 50-move rule; None if that is not known.
        proof: The category after it that depth and clock alone prove; None if they do not.
        problem: Why one of these is not known, although it could be.
    """

    game: Game[P, M] = field(repr=False, compare=False)
    position: P = field(repr=False)
    move: M
    after: P
    verdict: Verdict | None
    grade: str = ""
    later: int = 0
    zeroing: bool = False
    clock: int = 0
    before: Fifty | None = None
    fifty: Fifty | None = None
    proof: Category | None = None
    problem: EndgameError | None = None

    @cached_property
    def san(self) -> str:
        """The move in SAN."""
        return self.game.san(self.position, self.move)

    @cached_property
    def uci(self) -> str:
        """The move in UCI notation."""
        return self.game.uci(self.move)

    def with_(self, **changes: Any) -> RatedMove[P, M]:
        """A copy with some fields changed; it keeps the cached notation, and is ten times as fast as ``replace``."""
        copy: RatedMove[P, M] = object.__new__(RatedMove)
        vars(copy).update(vars(self), **changes)
        return copy

    @property
    def layer(self) -> int | None:
        """The layer it leads to, None for a draw."""
        if self.verdict is None:
            return None
        return self.verdict.depth

    @property
    def category_after(self) -> Category | None:
        """The category of the position after it, under the 50-move rule if it is known; None if nothing is known.

        It is seen by the side then to move: a move that wins has ``LOSS``. ``negated`` is the mover's view. A result
        that comes after a draw could be claimed is cursed or blessed.
        """
        unclaimed = self.unclaimed_after
        if unclaimed is not None and self.clock >= HORIZON:
            return after_claim(unclaimed)
        return unclaimed

    @property
    def unclaimed_after(self) -> Category | None:
        """The same, provided that neither player claims a draw in the position before the move."""
        if self.fifty is not None:
            return self.fifty.category
        if self.proof is not None:
            return self.proof
        if self.verdict is None:
            return None
        return self.verdict.category

    @property
    def dtz(self) -> int:
        """DTZ of the position after it, signed as seen by the side then to move; 0 if it is not known."""
        if self.fifty is None:
            return 0
        return self.fifty.dtz

    @property
    def plies(self) -> int:
        """DTZ of the move for its mover, never negative: 1 or 101 for a zeroing move; 0 for a draw."""
        if self.fifty is None or self.fifty.category is Category.DRAW:
            return 0
        if self.zeroing:
            is_late = self.fifty.category in (Category.CURSED_WIN, Category.BLESSED_LOSS)
            return HORIZON + 1 if is_late else 1
        return abs(self.dtz) + 1

    @property
    def checkmate(self) -> bool:
        """Whether it wins at once."""
        if self.fifty is None:
            return self.verdict is not None and self.verdict.depth == 0
        return self.fifty.category is Category.LOSS and self.fifty.dtz == 0

    @property
    def stalemate(self) -> bool:
        """Whether it is known to stalemate."""
        return self.fifty is not None and self.fifty.stalemate


@dataclass(frozen=True, slots=True)
class Previous(Generic[P, M]):
    """A previous position, from which one legal move leads to the current one.

    Attributes:
        position: The previous position.
        move: The move from it.
        san: The move in SAN.
        verdict: The previous position's verdict, seen by its side to move.
        best: Whether the move is a best one.
        gave_up: Plies by which the move is worse than the best; None if it changes the result.
        kind: The kind of the un-move.
    """

    position: P
    move: M
    san: str
    verdict: Verdict
    best: bool
    gave_up: int | None
    kind: Back = "quiet"

    @property
    def layer(self) -> int | None:
        """The layer of the previous position, None for a draw."""
        return self.verdict.depth


@dataclass(frozen=True, slots=True)
class LayerCount:
    """Positions of layer S_n of one winner: symmetric copies once, and all placements."""

    n: int
    canonical: int
    boards: int


@dataclass(frozen=True, slots=True)
class Layers:
    """All layers of an ending.

    Attributes:
        ending: Its name.
        families: Per winner (``white`` is the side named first), its layers from S_0 on.
        draws: Per side to move, canonical and board counts of drawn positions.
        deepest: Per winner, n and a position of its last layer.
    """

    ending: str
    families: dict[Winner, tuple[LayerCount, ...]]
    draws: dict[Winner, LayerCount]
    deepest: dict[Winner, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a position in its layer.

    Attributes:
        ending: The ending.
        winner: The winner in the ending's colours; None in a draw.
        n: The layer, None in a draw.
        number: Number among the canonical positions of the layer, from 1; 0 for a position that is in no layer's list,
            because an en passant capture gives it another value than its slot has.
        total: Number of canonical positions of the layer.
        swapped: Whether the position has the ending's colours exchanged.
        side: Side to move in the ending's colours, 0 for the side named first.
    """

    ending: str
    winner: Winner | None
    n: int | None
    number: int
    total: int
    swapped: bool
    side: int


class Explorer(Generic[P, M]):
    """Probes the positions of one game, and walks through their layers.

    Args:
        game: The game.
        library: Its tables.
        other_tables: Returns tables of another program for positions whose own table is missing; None for none.
    """

    def __init__(
        self, game: Game[P, M], library: Library, other_tables: Callable[[], OtherTables | None] = lambda: None
    ) -> None:
        self.game = game
        self.library = library
        self._other_tables = other_tables

    def code(self, position: P) -> int:
        """The code of a position.

        Raises:
            NotBuiltError: Its table is missing.
            TableError: A table is damaged.
        """
        try:
            return self.library.code(position)
        except NotBuiltError:
            # Tables of other programs are slower: they are only asked if ours is not built.
            other = self._other_tables()
            if other is None:
                raise
            return position_code(self.game, position, partial(self._code_at, other))

    def _code_at(self, other: OtherTables, slot: Slot) -> int:
        """The code of a slot, from a table of our own if it is built."""
        try:
            return self.library.code_at(slot)
        except NotBuiltError:
            code = other.code(slot)
            if code is None:
                raise
            return code

    def probe(self, position: P) -> Verdict:
        """The verdict of a position; one that is over by the rules needs no table.

        Raises:
            NotBuiltError: Its ending is not built.
            EndingError: No table can cover it.
        """
        try:
            return self.verdict(position, self.code(position))
        except NotBuiltError:
            verdict = self.game.terminal(position)
            if verdict is None:
                raise
            return verdict

    def verdict(self, position: P, code: int) -> Verdict:
        """The verdict that a code means for a position."""
        category, depth = self.game.index.value(code)
        if category is Category.DRAW:
            return Verdict(category, None, None)
        mover = self.game.mover(position)
        if category in _WINS:
            winner = mover
        else:
            winner = opposite_side(mover)
        return Verdict(category, depth, winner)

    def previous(self, position: P, captures: bool = False) -> list[Previous[P, M]]:
        """Previous positions, best play first, then by layer; of other endings as far as their tables are built.

        Args:
            position: The position that the moves lead to.
            captures: Whether to include captures.
        """
        game = self.game
        code_after = self.code(position)
        un_moves: list[tuple[P, M, Back]] = [(*un_move, "quiet") for un_move in game.unmoves(position)]
        un_moves += game.converting_unmoves(position, captures)

        result: list[Previous[P, M]] = []
        for earlier, move, kind in un_moves:
            try:
                best_code = self.code(earlier)
                # Two values of the earlier position: that of its best move, and that of the move which leads here.
                code = game.index.move_code(earlier, move, code_after)
            except NotBuiltError:
                if kind == "quiet":
                    raise
                continue
            best_category, best_n = game.index.value(best_code)
            category, n = game.index.value(code)
            gave_up = None
            if category is best_category:
                gave_up = abs((n or 0) - (best_n or 0))
            san = game.san(earlier, move)
            verdict = self.verdict(earlier, best_code)
            result.append(Previous(earlier, move, san, verdict, best_code == code, gave_up, kind))
        # Best play, then moves that only lost time, the least first, then those that gave up the result.
        result.sort(key=lambda p: (not p.best, p.gave_up is None, p.gave_up or 0, p.san))
        return result

    def layers(self, ending: str) -> Layers:
        """Counts of every layer of a built ending; raises NotBuiltError or TableError."""
        winners = self.game.winners
        families = {winner: self._family(ending, winner) for winner in winners}
        draws = {winner: self._layer(ending, None, None, side) for side, winner in enumerate(winners)}
        families = {winner: family for winner, family in families.items() if family}
        deepest = {
            winner: (family[-1].n, self.game.format(self.nth(ending, winner, family[-1].n, 1)))
            for winner, family in families.items()
        }
        return Layers(ending, families, draws, deepest)

    def _layer(self, ending: str, winner: Winner | None, n: int | None, side: int = 0) -> LayerCount:
        parts = self._parts(ending, winner, n, side)
        boards = sum(table.boards(part.side, part.code) for part, table, __ in parts)
        return LayerCount(n or 0, sum(count for *__, count in parts), boards)

    def _parts(self, ending: str, winner: Winner | None, n: int | None, side: int) -> list[tuple[Part, Table, int]]:
        """The parts of a layer, each with its table and its number of canonical positions."""
        result: list[tuple[Part, Table, int]] = []
        for part in self.game.index.parts(ending, winner, n, side):
            table = self.library.table(part.table)
            result.append((part, table, table.canonical(part.side, part.code)))
        return result

    def _family(self, ending: str, winner: Winner) -> tuple[LayerCount, ...]:
        """The layers of a winner from S_0 to the last that is not empty."""
        layers = [self._layer(ending, winner, n) for n in range(self.deepest(ending, winner) + 1)]
        while layers and not layers[-1].boards:
            layers.pop()
        return tuple(layers)

    def deepest(self, ending: str, winner: Winner) -> int:
        """An upper bound of the deepest layer, -1 if all layers are empty; raises NotBuiltError or TableError."""
        # Odd layers have the winner to move, even ones the loser: layers 0 and 1 name all tables that a layer needs.
        tables = {part.table for n in (0, 1) for part in self.game.index.parts(ending, winner, n)}
        return max(map(self.library.deepest, tables), default=-1)

    def count(self, ending: str, winner: Winner | None, n: int | None, side: int = 0) -> int:
        """Canonical positions of a layer; of the draws of one side to move when ``winner`` is None."""
        return self._layer(ending, winner, n, side).canonical

    def nth(self, ending: str, winner: Winner | None, n: int | None, number: int, side: int = 0) -> P:
        """The number-th (from 1) canonical position of a layer.

        Args:
            ending: A built ending.
            winner: The winner in the ending's colours; None for draws.
            n: The layer; None for draws.
            number: From 1 to the layer's count.
            side: Side to move, for draws only (0 is the side named first).

        Raises:
            LayerError: There is no such layer or number.
        """
        parts = self._parts(ending, winner, n, side)
        total = sum(count for *__, count in parts)
        if winner:
            what = _("S{n}, {winner} wins").format(n=n, winner=side_name(winner))
        else:
            what = pgettext("positions", "draws")
        if not total:
            if winner:
                layer = _("layer {what}").format(what=what)
            else:
                layer = what
            raise self._no_layer(ending, layer, None if winner else 1 - side)
        if not 1 <= number <= total:
            raise LayerError(
                _("the last position of {ending} {what} is number {total}").format(
                    ending=ending, what=what, total=total
                ),
                _("choose a number up to that"),
            )
        # The parts are numbered one after the other: skip those before the position.
        at = number - 1
        for part, table, count in parts:
            if at < count:
                slot = table.slot_with(part.side, part.code, at)
                return self.game.index.position_at(part.table, part.side, slot)
            at -= count
        raise AssertionError("the parts add up to the total")

    def _no_layer(self, ending: str, what: str, other_side: int | None) -> LayerError:
        """The error that a layer is empty; for draws it names the side to move that has some.

        Args:
            ending: The ending.
            what: The layer in words.
            other_side: For draws the side to move that was not requested, else None.
        """
        if other_side is not None:
            draws = self.count(ending, None, None, other_side)
            if draws:
                mover = side_name(WINNERS[1 - other_side])
                side = WINNERS[other_side]
                return LayerError(
                    _("{ending} has no draws with {mover} to move").format(ending=ending, mover=mover),
                    _("--side {side} lists {draws}").format(side=side, draws=grouped(draws)),
                )
        return LayerError(
            _("{ending} has no {what}").format(ending=ending, what=what),
            _("for a list, run: endgame-tui layers {ending}{option}").format(ending=ending, option=self.library.option),
        )

    def locate(self, position: P) -> Place:
        """Find the place of a position in its layer.

        The layer is always that of the position's own value. The list of a layer ignores en passant: where such a
        capture does not change the value, the number is that of the same position without it; where it does, 0.

        Raises:
            NotBuiltError: Its ending, or one that an en passant capture leads to, is not built.
            EndingError: No table can cover it.
        """
        slot = self.game.index.slot_of(position)
        own_table = self.library.table(slot.ending)
        code = self.code(position)
        # The table ignores en passant, as do the lists of its layers.
        is_listed = code == own_table.code(slot.side, slot.index)
        category, n = self.game.index.value(code)
        ending, winner = self.game.index.family(slot, category)
        number = 0
        total = 0
        for part, table, count in self._parts(ending, winner, n, slot.side):
            if is_listed and (part.table, part.side) == (slot.ending, slot.side):
                number = total + table.number_with(slot.side, code, slot.index)
            total += count
        return Place(ending, winner, n, number, total, slot.swapped, slot.side)

    def random(self, ending: str, winner: Winner | None, n: int | None, rng: Random, side: int = 0) -> P:
        """A random canonical position of a layer, all equally likely; raises LayerError."""
        total = max(1, self.count(ending, winner, n, side))
        return self.nth(ending, winner, n, rng.randint(1, total), side)

    def sample(
        self, ending: str, winner: Winner | None, n: int | None, rng: Random, limit: int, side: int = 0
    ) -> list[P]:
        """Up to ``limit`` random positions of a layer from one frame, which is faster than one by one.

        All canonical positions are equally likely to be the first; raises LayerError.
        """
        parts = self._parts(ending, winner, n, side)
        totals = [count for *__, count in parts]
        if not sum(totals):
            return [self.nth(ending, winner, n, 1, side)]  # raises the error
        part, table, __ = rng.choices(parts, totals)[0]
        ends = table.ends(part.side, part.code)
        # ``ends`` counts the positions up to the end of each frame, so that each position is equally likely to be hit.
        frame = rng.choices(range(len(ends)), cum_weights=ends)[0]
        slots = table.select(part.side, frame, part.code)
        chosen = rng.sample(slots, min(limit, len(slots)))
        return [self.game.index.position_at(part.table, part.side, slot) for slot in chosen]
