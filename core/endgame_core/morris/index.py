"""The pairs, and how their positions are numbered; :mod:`endgame_core.morris.arrays` does it.

A table holds one unordered pair of numbers of stones, the larger one first in its name (``4-3``) and called White's.
One of the sixteen symmetries makes White's stones the smallest mask of their orbit; Black's stones are then one of
C(24 - W, B) sets of the free points, ranked by their masks (colexicographically)::

    slot = orbit of White's stones * stride + rank of Black's stones

Suppose we have 3-3 with White on g4, g1 and f4, and Black on a7, d6 and b4. Of the sixteen images of White's stones the
smallest mask has a7, d7 and d6 (points 0, 1 and 9): ``2**0 + 2**1 + 2**9 = 515``, which is orbit 26. The same symmetry
takes Black's stones to g1, f4 and d2 (points 4, 11 and 13). Counting only the points that White has left free these are
2, 8 and 10, and the rank is ``C(2, 1) + C(8, 2) + C(10, 3) = 2 + 28 + 120 = 150``. The stride is 1344, so the slot is
``26 * 1344 + 150 = 35094``.

The stride is C(24 - W, B) rounded up to a multiple of 64; slots beyond a row's end hold nothing. Both sides to move
have the same slots. With equal numbers the player to move is always called White, and nothing is kept for Black.

Where several symmetries lead White's stones to the same mask, the one that gives Black's the lowest rank is meant; the
other slots are copies of that one, and not kept in a table.
"""

from __future__ import annotations

from functools import cache
from math import comb

from endgame_core.errors import EndingError
from endgame_core.language import _
from endgame_core.morris.rules import FEWEST, STONES
from endgame_core.untrusted import quoted

_ORBITS = {3: 158, 4: 757, 5: 2830, 6: 8774, 7: 22188, 8: 46879, 9: 82880}
"""Number of ways to place some stones, symmetric copies once."""

ENDINGS = tuple(
    f"{total - black}-{black}"
    for total in range(2 * FEWEST, 2 * STONES + 1)
    # The second number is the smaller one; among pairs with as many stones, equal sides come first.
    for black in range(total // 2, FEWEST - 1, -1)
    if total - black <= STONES
)
"""All pairs, those with fewer stones first: the pairs that a capture leads to come before."""


LONGEST = {
    "3-3": 25, "4-3": 33, "4-4": 9, "5-3": 31, "5-4": 29, "6-3": 7, "5-5": 57, "6-4": 157, "7-3": 31, "6-5": 163,
    "7-4": 111, "8-3": 33, "6-6": 167, "7-5": 159, "8-4": 111, "9-3": 25, "7-6": 185, "8-5": 153, "9-4": 103,
    "7-7": 181, "8-6": 185, "9-5": 113, "8-7": 203, "9-6": 173, "8-8": 195, "9-7": 201, "9-8": 201, "9-9": 191,
}  # fmt: skip
"""The longest wins in plies, of whichever side, the winner to move, as published; see the tests."""


def parse_ending(text: str) -> tuple[int, int]:
    """Reads the numbers of stones in a name such as ``4-3`` or ``3-4``, as written; raises EndingError."""
    parts = text.strip().replace("–", "-").split("-")
    if len(parts) != 2 or not all(0 < len(part) < 3 and part.isascii() and part.isdigit() for part in parts):
        raise EndingError(
            _("{text} is not an ending").format(text=quoted(text)),
            _("write the number of stones of each player, e.g. 4-3"),
        )
    first, second = map(int, parts)
    if not (FEWEST <= first <= STONES and FEWEST <= second <= STONES):
        raise EndingError(
            _("{text} is not an ending").format(text=text.strip()),
            _("each player has {fewest} to {stones} stones").format(fewest=FEWEST, stones=STONES),
        )
    return first, second


def name_of(first: int, second: int) -> str:
    """The name of the pair of two numbers of stones."""
    return f"{max(first, second)}-{min(first, second)}"


def stones_of(ending: str) -> tuple[int, int]:
    """White's and Black's number of stones in a pair, spelled as in ``ENDINGS``."""
    return int(ending[0]), int(ending[2])


def sides(ending: str) -> int:
    """How many sides to move are solved and stored: one where both players have the same number of stones."""
    white, black = stones_of(ending)
    return 1 + (white > black)


def needs(ending: str) -> list[str]:
    """Lists the pairs that a capture leads to, unless it ends the game."""
    white, black = stones_of(ending)
    result = {name_of(*stones) for stones in ((white, black - 1), (white - 1, black)) if min(stones) >= FEWEST}
    return [name for name in ENDINGS if name in result]


def row_size(white: int, black: int) -> int:
    """Slots of a row that have a meaning: the sets of ``black`` points among those that White leaves free."""
    return comb(24 - white, black)


def stride(white: int, black: int) -> int:
    """Slots from one row to the next: a multiple of 64, as bits of 64 slots share a word."""
    # Rounded up.
    return -(-row_size(white, black) // 64) * 64


@cache
def axes(ending: str) -> tuple[int, int]:
    """How many values each digit of a slot takes: rows, and slots of a row."""
    white, black = stones_of(ending)
    return _ORBITS[white], stride(white, black)


def slots(ending: str) -> int:
    """Slots of a pair, per side to move."""
    rows, length = axes(ending)
    return rows * length
