"""What a solve does in which order, by DTM and by DTZ.

A solve is a row of *passes*: pass 2 n finds losses, pass 2 n + 1 wins, and a :class:`Pass` says what the metric makes
of them. By DTM pass n is layer n, and each pass reads the X of the pass before. By DTZ both passes have depth n, losses
come from wins at n - 1 and wins from losses at n - 1, so that three X are alive: the newest losses, those before, and
the newest wins.
"""

from __future__ import annotations

from typing import NamedTuple

from endgame_core.tables.kernels.vectors import inner, kernel

HORIZON = 100
"""The last depth by DTZ that the 50-move rule lets a win have; see :mod:`endgame_core.chess.dtz`."""


class Pass(NamedTuple):
    """What one pass looks for.

    Attributes:
        first: 1 in pass 0: candidates are the positions in check.
        losing: 1 when it finds losses, 0 when it finds wins.
        code: The code its positions get.
        fits: 1 when there is such a code.
        due: The exit that makes a position a candidate without any quiet move; 0 for none.
        limit: The best exit that a loss may have.
    """

    first: int
    losing: int
    code: int
    fits: int
    due: int
    limit: int


@inner
def pass_of(number, dtz, draw):
    """What pass ``number`` looks for, by DTM or by DTZ, where ``draw`` is the code of a draw.

    :mod:`endgame_core.chess.dtz` tells of codes.
    """
    n = number >> 1
    losing = 1 - (number & 1)
    if not dtz:
        code = n if losing else 255 - n
        return Pass(int(number == 0), losing, code, int(code < draw if losing else code > draw), code, code)
    room = draw if losing else 256 - draw
    short = room if room > HORIZON + 1 else room // 2
    place = n
    if n > HORIZON and short < room:
        place += short - HORIZON - 1
    fits = n < short or (n > HORIZON and place < room)
    due, limit = 0, 0 if n == 0 else 1
    if n > HORIZON:
        limit = 2
    if n == 1:
        due = 1 if losing else 255
    elif n == HORIZON + 1:
        due = 2 if losing else 254
    return Pass(int(number == 0), losing, place if losing else 256 - place, int(fits), due, limit)


@kernel
def last_due(state, dtz):
    """The last pass in which an exit is due, 0 when none is."""
    last = 0
    for code in range(256):
        for task in range(state.due.size // 256):
            if state.due[task * 256 + code]:
                lost = code < 128
                n = code if lost else 255 - code
                if dtz:
                    n = 1 if code == 1 or code == 255 else HORIZON + 1
                last = max(last, 2 * n if lost else 2 * n + 1)
                break
    return last
