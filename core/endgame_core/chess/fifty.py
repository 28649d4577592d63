"""The 50-move rule at the board: what a position is worth with its half-move clock, and which move to choose.

A table by DTZ, our own or a Syzygy file, knows positions whose clock stands at 0. With the clock at c, a win with the
next zeroing move or mate in n plies stays one while c + n is at most 100: at 100 the side to move may claim a draw,
unless that ply was mate. As in the lichess tablebase API a win is called cursed from there on, even where the winner
could still mate before anybody has claimed. Syzygy DTZ may be one ply short, and where that ply decides and the moves
do not settle it, the category is ``maybe-win`` or ``maybe-loss``.

Numbers of plies are signed like scores: above 0 when the side to move wins, 0 for a draw and for mate on the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

import chess

from endgame_core.chess import material, metrics, notation
from endgame_core.chess.metrics import Zeroing
from endgame_core.errors import EndingError, MissingError, NotBuiltError, TableError
from endgame_core.tables.explorer import RatedMove
from endgame_core.tables.library import Library
from endgame_core.values import HORIZON, LAST_CLOCK, Category, Fifty, after_claim

Rated = RatedMove[chess.Board, chess.Move]

_UNCERTAIN = {Category.WIN: Category.MAYBE_WIN, Category.LOSS: Category.MAYBE_LOSS}
_CERTAIN = {maybe: sure for sure, maybe in _UNCERTAIN.items()}
_MAYBE = tuple(_CERTAIN)


class Source(Protocol):
    """Tables by DTZ: our own, or Syzygy files."""

    def reaches(self, board: chess.Board) -> bool:
        """Whether it may know a board, or where its moves lead; it may unless it tells otherwise."""
        return True

    def look(self, board: chess.Board) -> Zeroing:
        """The value of a legal board with the clock at 0; the board is left alone.

        Raises:
            MissingError: A table is not there; it tells what it is needed for.
            TableError: A table is damaged.
        """
        ...


class OwnSource(Source):
    """Our own tables by DTZ.

    Args:
        library: Of :data:`endgame_core.chess.game.CHESS_DTZ`.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def reaches(self, board: chess.Board) -> bool:
        """Whether the table of its ending is built; of what no table can cover, moves may lead to one that is."""
        if board.occupied == board.kings:
            return True
        name, _ = notation.name_of(board)
        return name not in material.KNOWN or self._library.is_built(name)

    def look(self, board: chess.Board) -> Zeroing:
        """The value with the clock at 0; see :class:`Source`."""
        if board.occupied == board.kings:
            return Zeroing(Category.DRAW, 0)
        try:
            code = self._library.code(board)
        except NotBuiltError as error:
            raise _not_built(board, error) from None
        return Zeroing.of(*metrics.value_of(code))


class FiftyMoves:
    """The 50-move rule, with the tables that know it; of any number of threads, as far as its source is.

    Args:
        sources: Tables by DTZ, asked one after the other; at least one.
    """

    def __init__(self, *sources: Source) -> None:
        self._sources = sources

    def covers(self, board: chess.Board) -> bool:
        """Whether any table may know a board, or where its moves lead."""
        return any(source.reaches(board) for source in self._sources)

    def clock(self, board: chess.Board) -> int:
        """The half-move clock."""
        return board.halfmove_clock

    def with_clock(self, board: chess.Board, plies: int) -> chess.Board:
        """The same board with another clock; raises PositionError for one at which a game has ended before."""
        notation.check_clock(plies)
        other = board.copy(stack=False)
        other.halfmove_clock = plies
        return other

    def is_zeroing(self, board: chess.Board, move: chess.Move) -> bool:
        """Whether a move sets it to 0."""
        return board.is_zeroing(move)

    def probe(self, board: chess.Board, dtm: int | None) -> Fifty:
        """What a legal position is worth with its clock, its moves unseen.

        Args:
            board: The position.
            dtm: Signed plies to mate, None where that is not known.

        Raises:
            MissingError: A table is not there.
            TableError: A table is damaged.
        """
        result = self._look(board)
        clock = board.halfmove_clock
        category, plies = with_clock(result, clock), result.dtz
        if category is Category.DRAW:
            plies = 0
        precise = plies if result.exact or not plies else None
        only_mate = _only_mate(board, board.turn == (plies > 0))
        stalemate = result.category is Category.DRAW and not any(board.generate_legal_moves())
        return Fifty(category, plies, precise, clock, dtm, board.turn, only_mate, bool(board.pawns), stalemate)

    def _look(self, board: chess.Board) -> Zeroing:
        """What the first source says that knows; what the rules of the board tell needs none."""
        failed: list[MissingError | EndingError] = []
        try:
            for source in self._sources:
                try:
                    return source.look(board)
                except (MissingError, EndingError) as error:
                    failed.append(error)
            raise _unknown(failed)
        except (MissingError, TableError):
            if (result := _by_rule(board)) is None:
                raise
            return result

    def refine(self, value: Fifty, after: Sequence[Fifty]) -> Fifty:
        """A position, once it is known what all its moves lead to: they may tell where one ply of rounding decides."""
        if value.category not in _MAYBE:
            return value
        best = min((one.category for one in after), key=lambda category: category.goodness)
        if best in _MAYBE:
            return value
        return _decided(value, best in (Category.WIN, Category.LOSS))

    def order(self, before: Fifty, moves: Iterable[Rated]) -> list[Rated]:
        """All legal moves of a position, of which DTZ is known, the best first.

        A win takes the fewest plies to a zeroing move that keeps it, or to mate; a cursed win is pursued in the same
        way; a draw is kept; a blessed loss goes for the draw that can be claimed soonest, and then as a loss does for
        the most plies. DTM breaks ties.
        """
        result = [
            rated.with_(before=before, fifty=_bounded(rated.fifty, before))
            for rated in moves
            if rated.fifty is not None
        ]
        result.sort(key=_order)
        return result

    def rival(self, moves: Sequence[Rated]) -> Rated | None:
        """The best by DTM of some ordered moves where another is best by DTZ; None where it is, or DTM is not known."""
        known = [rated for rated in moves if rated.fifty is not None and rated.fifty.dtm is not None]
        if not known or len(known) < len(moves) or moves[0].clock >= LAST_CLOCK:
            return None
        other = min(known, key=_mating)
        drawn = {one.fifty.category for one in (known[0], other) if one.fifty is not None} == {Category.DRAW}
        return None if drawn or _mating(other) == _mating(known[0]) else other


def _bounded(after: Fifty, before: Fifty) -> Fifty:
    """What a move leads to, where one ply of rounding decides it and it cannot be better than the position before."""
    if (before.category, after.category) == (Category.CURSED_WIN, Category.MAYBE_LOSS):
        return _decided(after, in_time=False)
    if (before.category, after.category) == (Category.LOSS, Category.MAYBE_WIN):
        return _decided(after, in_time=True)
    return after


def _decided(found: Fifty, in_time: bool) -> Fifty:
    """The same once it is known whether DTZ was rounded."""
    plies = found.dtz if in_time else found.dtz + (1 if found.dtz > 0 else -1)
    category = _CERTAIN[found.category] if in_time else after_claim(found.category)
    return replace(found, category=category, dtz=plies, precise_dtz=plies)


def _by_rule(board: chess.Board) -> Zeroing | None:
    """The value of a game that is over, by mate, stalemate or for want of men; else None."""
    if board.is_insufficient_material():
        return Zeroing(Category.DRAW, 0)
    if any(board.generate_legal_moves()):
        return None
    return Zeroing(Category.LOSS if board.is_check() else Category.DRAW, 0)


def with_clock(found: Zeroing, clock: int) -> Category:
    """The category of a position, given that of the clock at 0."""
    plies = abs(found.dtz)
    if not plies or not clock or found.category not in _UNCERTAIN:
        return found.category if clock < LAST_CLOCK or not plies else Category.DRAW
    if clock >= LAST_CLOCK:
        return Category.DRAW
    if clock + plies > HORIZON:
        return after_claim(found.category)
    return found.category if clock + plies < HORIZON or found.exact else _UNCERTAIN[found.category]


def _only_mate(board: chess.Board, winner: chess.Color) -> bool:
    """Whether no capture or pawn move keeps the win: a lone piece, or two minor ones, against a bare king."""
    men = board.occupied.bit_count()
    others = board.occupied_co[not winner] & ~board.kings or board.pawns
    return not others and (men == 3 or (men == 4 and not board.queens | board.rooks))


def _mating(rated: Rated) -> tuple[int, int]:
    """Moves by DTM, the best first: the quickest mate, a draw, the slowest to be mated."""
    dtm = 0 if rated.fifty is None else rated.fifty.dtm or 0
    if rated.checkmate or dtm < 0:
        return (0, -dtm)
    return (1, 0) if dtm == 0 else (2, -dtm)


def _order(rated: Rated) -> tuple[int, int, int, int, int, str]:
    """Moves by DTZ, the best first."""
    after = rated.fifty
    assert after is not None
    goodness = after.category.goodness
    mate, following, plies = abs(after.dtm or 0), abs(after.dtz), rated.plies
    if goodness < Category.DRAW.goodness:
        return goodness, 0, plies, mate, following, rated.uci
    blessed = after.category is Category.CURSED_WIN
    claim = HORIZON - after.clock if blessed else 0
    return goodness, claim, -plies, -mate, -following, rated.uci


def _unknown(failed: Sequence[MissingError | EndingError]) -> MissingError | EndingError:
    """What several sources lack, in one error; that there are too many men only where all say so."""
    absent = [error for error in failed if isinstance(error, MissingError)]
    if len(absent) < 2:
        return (absent or failed)[0]
    first = absent[0]
    name = " or ".join([first.name, *(_needed(error) for error in absent[1:])])
    return MissingError(first.ending, name, first.then, first.line)


def _needed(error: MissingError) -> str:
    """A missing table, with the moves after which it is needed."""
    return f"{error.name} after {' '.join(error.line)}" if error.line else error.name


def _not_built(board: chess.Board, error: NotBuiltError) -> MissingError:
    """Names a table of ours that is not built, and what it is needed for."""
    line: tuple[str, ...] = ()
    if error.ending != notation.name_of(board)[0] and (passing := list(board.generate_legal_ep())):
        line = (notation.san(board, passing[0]),)
    return MissingError(error.ending, f"{error.ending} by DTZ", error.then, line, "is not built")
