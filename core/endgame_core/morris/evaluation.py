"""The evaluation of a Morris position: stones, mills that are or may be closed, freedom. Hundredths of a stone.

The weights were chosen by hand and changed where the change won more games than it lost.
"""

from __future__ import annotations

from endgame_core.morris.geometry import ALL
from endgame_core.morris.lines import around, shape, slides
from endgame_core.morris.rules import FEWEST

_STONES = (0, 0, 0, 250, 385, 500, 605, 705, 805, 905)
"""What so many stones are worth, those in hand counted; with three one flies, but the next loss is the last."""

_MILL = 12
_CLOSER = (4, 4)
"""A free point that lacks to complete a mill, while stones are placed and later."""
_SLID, _TWO = 30, 40
"""A free point where a slide closes a mill, and more for two, which cannot both be blocked."""
_SWUNG = 90
"""A stone that slides from mill to mill."""
_SLIDE = (9, 12)
_STUCK = (8, 20)
"""A slide to a free point, and a stone that has none."""
_FLIGHT = 55
"""The freedom of a player who flies."""


def judge(stones: tuple[int, int], hands: tuple[int, int], flying: bool) -> int:
    """The evaluation for the side to move.

    Args:
        stones: The stones on the board of the side to move and of the other, as masks.
        hands: Their stones in hand.
        flying: Whether a player with three stones flies.
    """
    free = ALL & ~(stones[0] | stones[1])
    placing = hands[0] or hands[1]
    if placing:
        return _placing(stones[0], hands[0], free) - _placing(stones[1], hands[1], free)
    return _moving(stones[0], free, flying) - _moving(stones[1], free, flying)


def _placing(own: int, hand: int, free: int) -> int:
    """What one side has while stones are placed."""
    form = shape(own)
    return (
        _STONES[min(own.bit_count() + hand, 9)]
        + _MILL * form.mills
        + _CLOSER[0] * (form.closers & free).bit_count()
        + _SLIDE[0] * slides(own, free)
        - _STUCK[0] * (own & ~around(free)).bit_count()
    )


def _moving(own: int, free: int, flying: bool) -> int:
    """What one side has when all are placed."""
    form = shape(own)
    closers = form.closers & free
    score = _STONES[min(own.bit_count(), 9)] + _MILL * form.mills + _CLOSER[1] * closers.bit_count()
    if flying and own.bit_count() == FEWEST:
        return score + _FLIGHT + (_SLID if closers else 0)
    score += _SLIDE[1] * slides(own, free) - _STUCK[1] * (own & ~around(free)).bit_count()
    ready = form.slid & free
    if ready:
        score += _SLID + (_TWO if ready & (ready - 1) else 0) + (_SWUNG if form.swung & free else 0)
    return score
