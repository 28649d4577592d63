"""A game in progress: positions made and taken back, how often each occurred, and an estimate of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Self

from endgame_core.game import Category, Draw
from endgame_core.morris import notation, rules
from endgame_core.morris.geometry import ALL, MILLS
from endgame_core.morris.rules import BLACK, STANDARD, WHITE, Move, Position

_STONE, _MILL, _OPEN, _STEP = 100, 12, 8, 3
"""What a stone, a mill, two stones of a mill whose third point is empty, and a step are worth."""

_MOST = 2 * STANDARD.stones
_MIDDLES = 0xAAAAAA


def _beside(mask: int) -> int:
    """The points next to any point of a mask."""
    rings = (mask & 0x7F7F7F) << 1 | mask >> 7 & 0x010101 | mask >> 1 & 0x7F7F7F | (mask & 0x010101) << 7
    middles = mask & _MIDDLES
    return (rings | middles << 8 | middles >> 8) & ALL


def _standing(own: int, other: int) -> int:
    """What the stones of one player on the board are worth, apart from their number."""
    free = ALL & ~(own | other)
    found = _STEP * (_beside(own) & free).bit_count()
    for mill in MILLS:
        if not other & mill:
            stones = (own & mill).bit_count()
            if stones == 3:
                found += _MILL
            elif stones == 2:
                found += _OPEN
    return found


class TrackedGame:
    """A game that starts from a position; what came before it is not known.

    Args:
        position: The position.
    """

    def __init__(self, position: Position) -> None:
        self._positions = [position]
        self._clocks = [0]
        self._moves: list[Move] = []
        self._past = Counter([position])
        self._skipped: list[bool] = []

    @property
    def here(self) -> Position:
        """The position; positions never change."""
        return self._positions[-1]

    @property
    def position(self) -> Position:
        """The position of this moment."""
        return self._positions[-1]

    @property
    def start(self) -> Position:
        """The position the game began from."""
        return self._positions[0]

    @property
    def made(self) -> Sequence[Move]:
        """The moves made since the start; not to be changed."""
        return self._moves

    @property
    def key(self) -> int:
        """The position key, which is different for any two positions."""
        return notation.key(self.here)

    @property
    def occurrences(self) -> int:
        """How often the position has occurred since the start of the game, this time included."""
        return self._past[self.here]

    @property
    def clock(self) -> int:
        """Plies since the last capture or placing."""
        return self._clocks[-1]

    @property
    def phase(self) -> int:
        """256 with all stones, in hand or on the board, down to 0 when each player has three."""
        stones = rules.total(self.here, WHITE) + rules.total(self.here, BLACK)
        return max(0, 256 * (stones - 2 * rules.FEWEST) // (_MOST - 2 * rules.FEWEST))

    @property
    def evaluation(self) -> int:
        """An estimate for the side to move, in hundredths of a stone: stones, mills closed and open, steps."""
        here = self.here
        lead = _STONE * (rules.total(here, WHITE) - rules.total(here, BLACK))
        lead += _standing(here.white, here.black) - _standing(here.black, here.white)
        return -lead if here.turn else lead

    def copy(self) -> Self:
        """The same game, past included, to go on with elsewhere."""
        found = type(self)(self.start)
        found._positions, found._clocks = list(self._positions), list(self._clocks)
        found._moves, found._skipped = list(self._moves), list(self._skipped)
        found._past = self._past.copy()
        return found

    def push(self, move: Move) -> None:
        """Makes a legal move."""
        quiet = move.source is not None and not move.taken
        self._moves.append(move)
        self._enter(rules.play(self.here, move), self.clock + 1 if quiet else 0, skipped=False)

    def _enter(self, position: Position, clock: int, skipped: bool) -> None:
        self._positions.append(position)
        self._clocks.append(clock)
        self._past[position] += 1
        self._skipped.append(skipped)

    def pop(self) -> Move:
        """Takes back the last move, or passing; raises IndexError at the start."""
        skipped = self._skipped.pop()
        self._past[self._positions.pop()] -= 1
        self._clocks.pop()
        return Move(None, 0) if skipped else self._moves.pop()

    def skip(self) -> bool:
        """Lets the side to move pass while it has stones in hand; later being to move may well be a burden."""
        here = self.here
        if not here.hands[here.turn]:
            return False
        self._enter(Position(here.white, here.black, 1 - here.turn, here.hands), 0, skipped=True)
        return True

    def moves(self) -> list[Move]:
        """All legal moves."""
        return rules.moves(self.here)

    def forcing(self) -> list[Move]:
        """The moves that take a stone."""
        return [move for move in rules.moves(self.here) if move.taken]

    def gain(self, move: Move) -> int:
        """The stones a move takes."""
        return len(move.taken)

    def threatened(self) -> bool:
        """Never: nothing forces an answer as a check does."""
        return False

    def finished(self) -> Category | None:
        """A loss for the side to move when it has too few stones or no move; None otherwise."""
        return Category.LOSS if rules.lost(self.here) else None

    def claim(self, move: Move | None = None) -> Draw | None:
        """The draw that has come about: none has to be claimed."""
        return self.drawn() if move is None else None

    def dead(self) -> bool:
        """Never: three stones can always win."""
        return False

    def drawn(self) -> Draw | None:
        """The draw by repetition, or by moves without a capture; None while the game goes on or has been won."""
        if self.occurrences >= STANDARD.occurrences:
            return Draw.THREEFOLD
        return Draw.QUIET if self.clock >= STANDARD.quiet and not rules.lost(self.here) else None
