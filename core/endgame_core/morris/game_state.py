"""A game of Morris in progress: keys, repetitions, the count of quiet plies and the evaluation, move by move.

Draws happen without anyone claiming them: when a position occurs for the third time, or when nobody has taken a
stone for 100 plies of the moving phase. Published rules differ here. Both numbers are the defaults of Sanmill's nine
men's morris (``src/rule.cpp``: threefold repetition, ``nMoveRule`` 100), and the rules on henked.de end a game after 50
moves of each side without a mill, too. The tournament rules of the Weltmühlespiel-Dachverband are reported to allow
only 20 (its own site does not serve them any more).
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
_HAND = 24
"""Where stones that are placed come from, as a row of moves."""

_QUIET = tuple(tuple(MorrisMove(None if source == _HAND else source, end) for end in range(24)) for source in range(25))
"""Every move without a capture, by source and end."""

_BEST_TAKEN = 2
"""Stones that are tried to be taken by one step before a position is judged."""

_OCCURRENCES = 3
_QUIET_PLIES = 100


@cache
def _taking(source: int, end: int) -> tuple[MorrisMove, ...]:
    """The moves of a step that takes one stone, by its point."""
    step = _QUIET[source][end]
    return tuple(MorrisMove(step.source, end, (taken,)) for taken in range(24))


class MorrisGameState(GameState[Position, MorrisMove]):
    """A game whose key, occurrences and evaluation cost the same at move 200 as at move 1.

    Its moves are those of :func:`~endgame_core.morris.rules.moves`. No threat is answered before judging: one to close
    a mill seldom loses at once. Nothing is ever dead: three stones are enough to win.

    Args:
        position: Where it starts.
    """

    def __init__(self, position: Position) -> None:
        self._start = position
        self._stones = [position.white, position.black]
        self._hands = list(position.hands)
        self._turn = position.turn
        self._clock = 0
        self._key = self._number()
        self._made: list[MorrisMove] = []
        self._sums: list[tuple[int, int, int, int, int]] = []
        self._past: dict[int, int] = {}

    def copy(self) -> Self:
        """The same game, past included."""
        game = type(self)(self._start)
        game._stones, game._hands, game._turn = self._stones[:], self._hands[:], self._turn
        game._clock, game._key = self._clock, self._key
        game._made, game._sums, game._past = self._made[:], self._sums[:], dict(self._past)
        return game

    def push(self, move: MorrisMove) -> None:
        """Makes a legal move."""
        self._enter(move)
        turn, stones = self._turn, self._stones
        if move.source is None:
            self._hands[turn] -= 1
            self._clock = 0
        else:
            stones[turn] ^= 1 << move.source
            self._clock += 1
        stones[turn] |= 1 << move.end
        for taken in move.taken:
            stones[1 - turn] ^= 1 << taken
            self._clock = 0
        self._turn = 1 - turn
        self._key = self._number()

    def _enter(self, move: MorrisMove) -> None:
        """Notes a move, and what undoing it brings back."""
        turn, key = self._turn, self._key
        self._sums.append((self._stones[turn], self._stones[1 - turn], self._hands[turn], self._clock, key))
        self._past[key] = self._past.get(key, 0) + 1
        self._made.append(move)

    def pop(self) -> MorrisMove:
        """Takes back the last move; raises IndexError at the start."""
        move = self._made.pop()
        turn = self._turn = 1 - self._turn
        self._stones[turn], self._stones[1 - turn], self._hands[turn], self._clock, self._key = self._sums.pop()
        if (times := self._past.pop(self._key)) > 1:
            self._past[self._key] = times - 1
        return move

    def skip(self) -> bool:
        """Passes while stones are placed, but for the last ones: later, having to move may be what loses."""
        if min(self._hands) < 2:
            return False
        self._enter(_PASS)
        self._clock += 1
        self._turn = 1 - self._turn
        self._key = self._number()
        return True

    # What it is

    def _number(self) -> int:
        """All that is on the board and in hand, and the side to move."""
        white, black = self._stones
        return white | black << 24 | self._hands[0] << 48 | self._hands[1] << 52 | self._turn << 56

    @property
    def key(self) -> int:
        """The position as one number."""
        return self._key

    @property
    def occurrences(self) -> int:
        """How often the position has occurred since the start, this time included."""
        return self._past.get(self._key, 0) + 1

    @property
    def clock(self) -> int:
        """Plies since a stone was placed or taken, or since the start."""
        return self._clock

    @property
    def evaluation(self) -> int:
        """An estimate for the side to move, in hundredths of a stone."""
        turn, stones, hands = self._turn, self._stones, self._hands
        return judge((stones[turn], stones[1 - turn]), (hands[turn], hands[1 - turn]))

    @property
    def position(self) -> Position:
        """The position."""
        return Position(self._stones[0], self._stones[1], self._turn, (self._hands[0], self._hands[1]))

    @property
    def start(self) -> Position:
        """The position the game began from."""
        return self._start

    @property
    def history(self) -> Sequence[MorrisMove]:
        """The moves made."""
        return self._made

    # Moves

    def _steps(self) -> Iterator[tuple[int, int, int, int]]:
        """Row of the mover's moves, the stones that stay, ends that close a mill, other ends; stone by stone."""
        own = self._stones[self._turn]
        free = ALL & ~(own | self._stones[1 - self._turn])
        if self._hands[self._turn]:
            closing = closers(own) & free
            yield _HAND, own, closing, free ^ closing
            return
        flying = own.bit_count() == FEWEST
        left = own if flying else own & around(free)
        while left:
            stone = left & -left
            left ^= stone
            source, rest = stone.bit_length() - 1, own ^ stone
            ends = free if flying else NEIGHBOUR_MASKS[source] & free
            closing = closers(rest) & ends
            yield source, rest, closing, ends ^ closing

    def _takes(self, source: int, rest: int, closing: int, most: int = 24) -> list[MorrisMove]:
        """The moves by which a stone closes mills, each with what it may take; the best ``most`` of each step."""
        other = self._stones[1 - self._turn]
        result: list[MorrisMove] = []
        ranked = victims(other, ALL & ~(rest | other))[:most]
        while closing:
            end = (closing & -closing).bit_length() - 1
            closing &= closing - 1
            if not other:
                result.append(_QUIET[source][end])
            else:
                moves = _taking(source, end)
                result += [moves[taken] for taken in ranked]
        return result

    def _lacks_stones(self) -> bool:
        return self._stones[self._turn].bit_count() + self._hands[self._turn] < FEWEST

    def moves(self) -> list[MorrisMove]:
        """All legal moves, those that take a stone first; none when the game is over."""
        if self._lacks_stones():
            return []
        result: list[MorrisMove] = []
        quiet: list[MorrisMove] = []
        for source, rest, closing, others in self._steps():
            if closing:
                result += self._takes(source, rest, closing)
            row = _QUIET[source]
            while others:
                end = others & -others
                others ^= end
                quiet.append(row[end.bit_length() - 1])
        return result + quiet

    def forcing_moves(self) -> list[MorrisMove]:
        """The moves that close a mill, each taking the stones that would be missed most."""
        if self._lacks_stones():
            return []
        result: list[MorrisMove] = []
        for source, rest, closing, _ in self._steps():
            if closing:
                result += self._takes(source, rest, closing, _BEST_TAKEN)
        return [move for move in result if move.taken]

    def gain(self, move: MorrisMove) -> int:
        """Much for taking stones, a little for standing where the opponent would close a mill next, 0 else."""
        if move.taken:
            return 8 * len(move.taken)
        foe = 1 - self._turn
        stones = self._stones[foe]
        free = self._hands[foe] or stones.bit_count() == FEWEST
        return (closers(stones) if free else shape(stones).slid) >> move.end & 1

    # Its end

    def may_be_in_tables(self) -> bool:
        """Whether all stones have been placed."""
        return not (self._hands[0] or self._hands[1])

    def board_outcome(self) -> Win | None:
        """By what the side that moved last has won; None while there is a move."""
        if self._lacks_stones():
            return Win.STONES
        can_move = any(closing | others for _, _, closing, others in self._steps())
        return None if can_move else Win.BLOCKED

    def claimable_draw(self, move: MorrisMove | None = None) -> Draw | None:
        """The draw that has happened; none is to be announced."""
        if move is not None:
            return None
        if self.occurrences >= _OCCURRENCES:
            return Draw.THREEFOLD
        return Draw.QUIET if self._clock >= _QUIET_PLIES else None

    def automatic_draw(self) -> Draw | None:
        """The draw that has happened; None while the game goes on or has been won."""
        return None if self.board_outcome() is not None else self.claimable_draw()
