"""A game of Morris in progress: its key, repetitions, quiet plies and evaluation, updated with every move.

Draws need no claim: the game is drawn when a position occurs for the third time, or after 100 plies of the moving
phase without a capture. Published rules differ here. Both numbers are the defaults of Sanmill's nine men's morris
(``src/rule.cpp``: threefold repetition, ``nMoveRule`` 100), and the rules on henked.de also end a game after 50 moves
of each side without a mill. The tournament rules of the Weltmühlespiel-Dachverband are reported to allow only 20 (its
site no longer serves them).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Self

from endgame_core.game_state import Draw, GameState, Win
from endgame_core.morris.evaluation import around, closers, judge, shape, victims
from endgame_core.morris.geometry import ALL, NEIGHBOUR_MASKS
from endgame_core.morris.rules import FEWEST, MorrisMove, Position

_PASS = MorrisMove(None, -1)
"""The null move, recorded in the history."""

_HAND = 24
"""The source of placed stones, as a row of ``_QUIET``."""

_QUIET = tuple(tuple(MorrisMove(None if source == _HAND else source, end) for end in range(24)) for source in range(25))
"""Every move without a capture: ``[source][end]``. Made once, since a search generates them all the time."""

_BEST_TAKEN = 2
"""Number of captures per step in :meth:`MorrisGameState.forcing_moves`."""

_OCCURRENCES = 3
"""Occurrences of a position that draw."""

_QUIET_PLIES = 100
"""Plies without a placement or capture that draw."""


@cache
def _taking(source: int, end: int) -> tuple[MorrisMove, ...]:
    """Return the moves of a step with each possible capture, by the point of the taken stone."""
    step = _QUIET[source][end]
    return tuple(MorrisMove(step.source, end, (captured,)) for captured in range(24))


class MorrisGameState(GameState[Position, MorrisMove]):
    """A game whose key, occurrences and evaluation cost the same at move 200 as at move 1.

    Its moves are those of :func:`~endgame_core.morris.rules.moves`, in the order for a search. It never reports a
    threat, since the threat to close a mill seldom loses at once; and no position is dead, since three stones can win.

    Args:
        position: The start position.
    """

    def __init__(self, position: Position) -> None:
        self._start = position
        self._stones = [position.white, position.black]
        self._hands = list(position.hands)
        self._turn = position.turn
        self._clock = 0
        self._key = self._number()
        self._moves: list[MorrisMove] = []
        # For each move what undoes it: stones of the mover and of the opponent, the mover's hand, the clock, the key.
        self._undo: list[tuple[int, int, int, int, int]] = []
        self._past: dict[int, int] = {}  # occurrences of earlier positions by key

    def copy(self) -> Self:
        """Return an independent copy with the whole history."""
        game = type(self)(self._start)
        game._stones = self._stones[:]
        game._hands = self._hands[:]
        game._turn = self._turn
        game._clock = self._clock
        game._key = self._key
        game._moves = self._moves[:]
        game._undo = self._undo[:]
        game._past = dict(self._past)
        return game

    def push(self, move: MorrisMove) -> None:
        """Make a legal move."""
        self._record(move)
        turn = self._turn
        stones = self._stones
        if move.source is None:
            self._hands[turn] -= 1
            self._clock = 0
        else:
            stones[turn] ^= 1 << move.source
            self._clock += 1
        stones[turn] |= 1 << move.end
        for captured in move.captured:
            stones[1 - turn] ^= 1 << captured
            self._clock = 0
        self._turn = 1 - turn
        self._key = self._number()

    def _record(self, move: MorrisMove) -> None:
        """Add a move that is about to be made to the history, with what :meth:`pop` restores."""
        turn = self._turn
        key = self._key
        self._undo.append((self._stones[turn], self._stones[1 - turn], self._hands[turn], self._clock, key))
        self._past[key] = self._past.get(key, 0) + 1
        self._moves.append(move)

    def pop(self) -> MorrisMove:
        """Take back the last move; raises IndexError at the start."""
        move = self._moves.pop()
        turn = self._turn = 1 - self._turn
        self._stones[turn], self._stones[1 - turn], self._hands[turn], self._clock, self._key = self._undo.pop()
        occurrences = self._past.pop(self._key)
        if occurrences > 1:
            self._past[self._key] = occurrences - 1
        return move

    def skip(self) -> bool:
        """Make a null move if both sides have at least two stones in hand; return whether it was made.

        Later in the game the obligation to move may be what loses.
        """
        if min(self._hands) < 2:
            return False
        self._record(_PASS)
        self._clock += 1
        self._turn = 1 - self._turn
        self._key = self._number()
        return True

    # Properties

    def _number(self) -> int:
        """Pack both masks (24 bits each), both hands (4 bits each) and the side to move into one number."""
        white, black = self._stones
        return white | black << 24 | self._hands[0] << 48 | self._hands[1] << 52 | self._turn << 56

    @property
    def key(self) -> int:
        """The position as one number."""
        return self._key

    @property
    def occurrences(self) -> int:
        """The number of times that the position has occurred since the start, including now."""
        return self._past.get(self._key, 0) + 1

    @property
    def clock(self) -> int:
        """Plies since the last placement or capture, or since the start."""
        return self._clock

    @property
    def evaluation(self) -> int:
        """The evaluation for the side to move, in hundredths of a stone."""
        turn = self._turn
        stones = self._stones
        hands = self._hands
        return judge((stones[turn], stones[1 - turn]), (hands[turn], hands[1 - turn]))

    @property
    def position(self) -> Position:
        """The current position."""
        return Position(self._stones[0], self._stones[1], self._turn, (self._hands[0], self._hands[1]))

    @property
    def start(self) -> Position:
        """The position that the game started from."""
        return self._start

    @property
    def history(self) -> Sequence[MorrisMove]:
        """All moves since the start."""
        return self._moves

    # Moves

    def _steps(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield the steps of each stone of the side to move.

        Yields:
            The source, as a row of ``_QUIET``; the mask of the stones that stay; the mask of ends that close a mill;
            and the mask of the other ends.
        """
        own = self._stones[self._turn]
        free = ALL & ~(own | self._stones[1 - self._turn])
        if self._hands[self._turn]:
            closing = closers(own) & free
            yield _HAND, own, closing, free ^ closing
            return
        flying = own.bit_count() == FEWEST
        # A stone without a free point beside it cannot slide, so it is not even looked at.
        remaining = own if flying else own & around(free)
        while remaining:
            stone = remaining & -remaining
            remaining ^= stone
            source = stone.bit_length() - 1
            staying = own ^ stone
            ends = free if flying else NEIGHBOUR_MASKS[source] & free
            closing = closers(staying) & ends
            yield source, staying, closing, ends ^ closing

    def _captures(self, source: int, staying: int, closing: int, limit: int = 24) -> list[MorrisMove]:
        """Return the moves of a stone that close a mill.

        Args:
            source: Where the stone comes from, as a row of ``_QUIET``.
            staying: The mask of the mover's other stones.
            closing: The mask of the ends that close a mill.
            limit: The number of captures for each end, the most valuable stones first.
        """
        other = self._stones[1 - self._turn]
        result: list[MorrisMove] = []
        ranked = victims(other, ALL & ~(staying | other))[:limit]
        while closing:
            end = (closing & -closing).bit_length() - 1
            closing &= closing - 1
            if not other:  # nothing to take yet
                result.append(_QUIET[source][end])
            else:
                moves = _taking(source, end)
                result += [moves[captured] for captured in ranked]
        return result

    def _lacks_stones(self) -> bool:
        return self._stones[self._turn].bit_count() + self._hands[self._turn] < FEWEST

    def moves(self) -> list[MorrisMove]:
        """Return all legal moves, those that close a mill first; none when the game is over."""
        if self._lacks_stones():
            return []
        result: list[MorrisMove] = []
        quiet: list[MorrisMove] = []
        for source, staying, closing, ends in self._steps():
            if closing:
                result += self._captures(source, staying, closing)
            row = _QUIET[source]
            while ends:
                end = ends & -ends
                ends ^= end
                quiet.append(row[end.bit_length() - 1])
        return result + quiet

    def forcing_moves(self) -> list[MorrisMove]:
        """Return the moves that take a stone, only the most valuable stones for each step."""
        if self._lacks_stones():
            return []
        result: list[MorrisMove] = []
        for source, staying, closing, _ in self._steps():
            if closing:
                result += self._captures(source, staying, closing, _BEST_TAKEN)
        return [move for move in result if move.captured]

    def gain(self, move: MorrisMove) -> int:
        """Return the rank of a move for move ordering: 8 for a capture, 1 for blocking a mill, 0 otherwise."""
        if move.captured:
            return 8 * len(move.captured)
        opponent = 1 - self._turn
        stones = self._stones[opponent]
        # Whoever places or flies reaches every point; others close a mill only by sliding.
        reaches_all = self._hands[opponent] or stones.bit_count() == FEWEST
        if reaches_all:
            threats = closers(stones)
        else:
            threats = shape(stones).slid
        return threats >> move.end & 1

    # The end of the game

    def may_be_in_tables(self) -> bool:
        """Return whether all stones have been placed."""
        return not (self._hands[0] or self._hands[1])

    def board_outcome(self) -> Win | None:
        """Return how the side that moved last has won; None while the game goes on."""
        if self._lacks_stones():
            return Win.STONES
        can_move = any(closing | ends for _, _, closing, ends in self._steps())
        return None if can_move else Win.BLOCKED

    def claimable_draw(self, move: MorrisMove | None = None) -> Draw | None:
        """Return the draw on the board; a move cannot be announced to claim one."""
        if move is not None:
            return None
        if self.occurrences >= _OCCURRENCES:
            return Draw.THREEFOLD
        if self._clock >= _QUIET_PLIES:
            return Draw.QUIET
        return None

    def automatic_draw(self) -> Draw | None:
        """Return the draw on the board; None while the game goes on, and after a win."""
        if self.board_outcome() is not None:
            return None
        return self.claimable_draw()
