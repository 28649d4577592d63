"""The 50-move rule: the value of a position with its half-move clock, and the choice of moves under the rule.

A table by DTZ, our own or a Syzygy file, has positions whose clock is 0. With the clock at c, a win with the next
zeroing move or mate in n plies remains one while c + n is at most 100: at 100 the side to move can claim a draw, unless
that ply was mate. As in the lichess tablebase API, a win is then called cursed, even if the winner could still mate
before anybody claims. Syzygy DTZ may be one ply too small; if that ply decides and the moves do not settle it, the
category is ``maybe-win`` or ``maybe-loss``.

Numbers of plies are signed like scores: above 0 if the side to move wins, 0 for a draw and for mate on the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

import chess

from endgame_core.chess import material, metrics, notation
from endgame_core.chess.metrics import Zeroing
from endgame_core.errors import EndingError, MissingError, NotBuiltError, TableError
from endgame_core.language import _, or_list
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
        """Return whether it may cover a board or its successors; True by default."""
        return True

    def look(self, board: chess.Board) -> Zeroing:
        """Return the value of a legal board with the clock at 0; the board is not changed.

        Raises:
            MissingError: A table is missing; the error says what it is needed for.
            TableError: A table is damaged.
        """
        ...


class OwnSource(Source):
    """Our own tables by DTZ.

    Args:
        library: The library of :data:`endgame_core.chess.game.CHESS_DTZ`.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def reaches(self, board: chess.Board) -> bool:
        """Return whether the table of its ending is built; True for too many men, as moves may lead to such a table."""
        if board.occupied == board.kings:
            return True
        name, __ = notation.name_of(board)
        return name not in material.KNOWN or self._library.is_built(name)

    def look(self, board: chess.Board) -> Zeroing:
        """Return the value with the clock at 0; see :class:`Source`."""
        if board.occupied == board.kings:
            return Zeroing(Category.DRAW, 0)
        try:
            code = self._library.code(board)
        except NotBuiltError as error:
            raise _not_built(board, error) from None
        return Zeroing.of(*metrics.value_of(code))


class FiftyMoves:
    """The 50-move rule with the tables that know it. Thread-safe if its sources are.

    Args:
        sources: Tables by DTZ in order of preference; at least one.
    """

    def __init__(self, *sources: Source) -> None:
        self._sources = sources

    def covers(self, board: chess.Board) -> bool:
        """Return whether any table may cover a board or its successors."""
        return any(source.reaches(board) for source in self._sources)

    def clock(self, board: chess.Board) -> int:
        """Return the half-move clock."""
        return board.halfmove_clock

    def with_clock(self, board: chess.Board, plies: int) -> chess.Board:
        """Return the board with another clock; raises PositionError for one at which a game would have ended before."""
        notation.check_clock(plies)
        result = board.copy(stack=False)
        result.halfmove_clock = plies
        return result

    def is_zeroing(self, board: chess.Board, move: chess.Move) -> bool:
        """Return whether a move resets the clock."""
        return board.is_zeroing(move)

    def probe(self, board: chess.Board, dtm: int | None) -> Fifty:
        """Return the value of a legal position with its clock, without looking at its moves.

        Args:
            board: The position.
            dtm: Signed plies to mate, None if unknown.

        Raises:
            MissingError: A table is missing.
            TableError: A table is damaged.
        """
        result = self._look(board)
        clock = board.halfmove_clock
        category = category_with_clock(result, clock)
        plies = result.dtz
        if category is Category.DRAW:
            plies = 0
        precise = None
        if result.exact or not plies:
            precise = plies
        only_mate = _only_mate(board, board.turn == (plies > 0))
        stalemate = result.category is Category.DRAW and not any(board.generate_legal_moves())
        return Fifty(category, plies, precise, clock, dtm, board.turn, only_mate, bool(board.pawns), stalemate)

    def _look(self, board: chess.Board) -> Zeroing:
        """Return the value from the first source that has it, else by the rules of the board alone."""
        errors: list[MissingError | EndingError] = []
        try:
            for source in self._sources:
                try:
                    return source.look(board)
                except (MissingError, EndingError) as error:
                    errors.append(error)
            raise _combined_error(errors)
        except (MissingError, TableError):
            if (result := _value_by_rules(board)) is None:
                raise
            return result

    def refine(self, value: Fifty, after: Sequence[Fifty]) -> Fifty:
        """Settle a value that one ply of rounding leaves open, if the values after all its moves are certain."""
        if value.category not in _MAYBE:
            return value
        # The values after the moves are the opponent's: the worst of them is the best move.
        best = min((one.category for one in after), key=lambda category: category.goodness)
        if best in _MAYBE:
            return value
        return _with_rounding_settled(value, best in (Category.WIN, Category.LOSS))

    def order(self, before: Fifty, moves: Iterable[Rated]) -> list[Rated]:
        """Return all legal moves whose DTZ is known, best first.

        A win takes the fewest plies to a zeroing move that keeps it, or to mate; so does a cursed win; a draw is kept;
        a blessed loss heads for the earliest claimable draw, and then, as a loss does, for the most plies. DTM breaks
        ties.
        """
        result = [
            rated.with_(before=before, fifty=_settled_by_position(rated.fifty, before))
            for rated in moves
            if rated.fifty is not None
        ]
        result.sort(key=_dtz_order)
        return result

    def rival(self, moves: Sequence[Rated]) -> Rated | None:
        """Return the best move by DTM if it is not equal to the best by DTZ; None if it is, or if DTM is unknown."""
        by_dtm = [rated for rated in moves if rated.fifty is not None and rated.fifty.dtm is not None]
        if not by_dtm or len(by_dtm) < len(moves) or moves[0].clock >= LAST_CLOCK:
            return None
        rival = min(by_dtm, key=_dtm_order)
        both_draw = {one.fifty.category for one in (by_dtm[0], rival) if one.fifty is not None} == {Category.DRAW}
        if both_draw or _dtm_order(rival) == _dtm_order(by_dtm[0]):
            return None
        return rival


def _settled_by_position(after: Fifty, before: Fifty) -> Fifty:
    """Settle a value after a move that one ply of rounding leaves open; it cannot exceed that of the position."""
    # The position is only a cursed win, so no move of it wins in time: the opponent's loss comes one ply too late.
    if (before.category, after.category) == (Category.CURSED_WIN, Category.MAYBE_LOSS):
        return _with_rounding_settled(after, in_time=False)
    # The position is lost whatever is played, so the opponent's win after each move is in time.
    if (before.category, after.category) == (Category.LOSS, Category.MAYBE_WIN):
        return _with_rounding_settled(after, in_time=True)
    return after


def _with_rounding_settled(value: Fifty, in_time: bool) -> Fifty:
    """Return a value once it is known whether its DTZ was rounded (``in_time``: it was not)."""
    if in_time:
        plies = value.dtz
        category = _CERTAIN[value.category]
    else:
        # The source has rounded down: the true number is one ply further from 0.
        plies = value.dtz + (1 if value.dtz > 0 else -1)
        category = after_claim(value.category)
    return replace(value, category=category, dtz=plies, precise_dtz=plies)


def _value_by_rules(board: chess.Board) -> Zeroing | None:
    """Return the value of a game that is over by mate, stalemate or insufficient material; else None."""
    if board.is_insufficient_material():
        return Zeroing(Category.DRAW, 0)
    if any(board.generate_legal_moves()):
        return None
    return Zeroing(Category.LOSS if board.is_check() else Category.DRAW, 0)


def category_with_clock(value: Zeroing, clock: int) -> Category:
    """Return the category of a position with a clock, given its value with the clock at 0."""
    plies = abs(value.dtz)
    # Only wins and losses change with the clock; with the clock at 0 tables are right as they are.
    if not plies or not clock or value.category not in _UNCERTAIN:
        if clock < LAST_CLOCK or not plies:
            return value.category
        return Category.DRAW
    if clock >= LAST_CLOCK:
        return Category.DRAW
    # For example a win in 30 plies: with the clock at 71 a draw can be claimed before it, with 69 not even if DTZ is
    # one ply too small. With 70 it is a win if DTZ is exact, else a ``maybe-win``.
    if clock + plies > HORIZON:
        return after_claim(value.category)
    if clock + plies < HORIZON or value.exact:
        return value.category
    return _UNCERTAIN[value.category]


def _only_mate(board: chess.Board, winner: chess.Color) -> bool:
    """Return whether no capture or pawn move can keep the win: one piece, or two minor pieces, against a bare king."""
    men = board.occupied.bit_count()
    # No pawn to move, and nothing of the loser's to capture.
    pawns_or_losers = board.occupied_co[not winner] & ~board.kings or board.pawns
    return not pawns_or_losers and (men == 3 or (men == 4 and not board.queens | board.rooks))


def _dtm_order(rated: Rated) -> tuple[int, int]:
    """Sort key for moves by DTM: the quickest mate, a draw, the slowest loss."""
    dtm = 0
    if rated.fifty is not None:
        dtm = rated.fifty.dtm or 0
    # The number is the opponent's after the move: below 0 it is being mated, so the move wins.
    if rated.checkmate or dtm < 0:
        return (0, -dtm)
    return (1, 0) if dtm == 0 else (2, -dtm)


def _dtz_order(rated: Rated) -> tuple[int, int, int, int, int, str]:
    """Sort key for moves by DTZ, best first."""
    after = rated.fifty
    assert after is not None
    goodness = after.category.goodness
    mate = abs(after.dtm or 0)
    following = abs(after.dtz)
    plies = rated.plies
    # ``after`` is the opponent's value: the lower its goodness, the better the move.
    if goodness < Category.DRAW.goodness:
        return goodness, 0, plies, mate, following, rated.uci
    # A cursed win of the opponent is a blessed loss: the fewer plies remain to the claim, the better.
    blessed = after.category is Category.CURSED_WIN
    claim = HORIZON - after.clock if blessed else 0
    return goodness, claim, -plies, -mate, -following, rated.uci


def _combined_error(errors: Sequence[MissingError | EndingError]) -> MissingError | EndingError:
    """Return one error for several sources; that there are too many men is reported only if all sources say so."""
    missing = [error for error in errors if isinstance(error, MissingError)]
    if len(missing) < 2:
        return (missing or errors)[0]
    first = missing[0]
    name = or_list([first.name, *(_with_line(error) for error in missing[1:])])
    return MissingError(first.ending, name, first.then, first.line)


def _with_line(error: MissingError) -> str:
    """Return the name of a missing table and the moves after which it is needed."""
    if error.line:
        return _("{error} after {line}").format(error=error.name, line=" ".join(error.line))
    return error.name


def _not_built(board: chess.Board, error: NotBuiltError) -> MissingError:
    """Return the error for a table of ours that is not built, with the en passant capture before it, if any."""
    line: tuple[str, ...] = ()
    # A position of this ending needs the table of another one only if a pawn can be captured en passant.
    if error.ending != notation.name_of(board)[0] and (en_passant := list(board.generate_legal_ep())):
        line = (notation.san(board, en_passant[0]),)
    return MissingError(
        error.ending, _("{ending} by DTZ").format(ending=error.ending), error.then, line, _("is not built")
    )
