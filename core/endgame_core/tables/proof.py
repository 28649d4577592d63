"""Proves a new table before it is published.

Two things are compared with what the rules alone say: how many positions the table has, and the values of a sample of
them one ply deep. The count comes from the legality kernels with the layout that every reader uses, whatever layout the
solver had; the sample comes from the pure Python index, move generator and reader. So a fault of the solver, of a work
file or of the writer does not reach a user's directory.
"""

from __future__ import annotations

import random
import time
from collections.abc import Generator
from importlib.util import find_spec
from typing import Any, Final

from endgame_core.errors import NotBuiltError, ProofError
from endgame_core.game import Game, derived_code
from endgame_core.tables.file import Table
from endgame_core.tables.lean import TableSource
from endgame_core.tables.numeric import np

LEAST: Final = 200
"""Positions that are compared at least, one ply deep."""
_MOST_TRIED: Final = 4 * LEAST
"""Positions that are tried for that, where the sub-endings of many are not built."""
SHARE: Final = 0.02
"""More of them are compared for this part of the time that it took to make the table."""
_COUNTED_AT_ONCE: Final = 1 << 30
"""Slots of which the legal ones are counted together: one bit each is held."""


def prove(table: Table, among: TableSource, seconds: float, threads: int) -> None:
    """Compares a table with the rules.

    Args:
        table: An open table that is not published yet.
        among: All tables, this one in the place of its ending's.
        seconds: How long it took to make the table.
        threads: Threads to count with.

    Raises:
        ProofError: The table is wrong.
        TableError: The table cannot be read.
    """
    _compare_counts(table, among.game, threads)
    until = time.monotonic() + SHARE * seconds
    compared = 0
    for number, (side, slot) in enumerate(_sample(table)):
        is_enough = compared >= LEAST or number >= _MOST_TRIED
        if is_enough and time.monotonic() > until:
            return
        try:
            why = mismatch(table, among, side, slot)
        except NotBuiltError:  # a table may be made smaller after a sub-ending was removed
            continue
        if why:
            raise ProofError(table.ending, why)
        compared += 1


def mismatch(table: Table, among: TableSource, side: int, slot: int) -> str:
    """How the stored value of a position differs from the one that its moves give it; empty where they agree.

    Raises:
        NotBuiltError: A move leads to a sub-ending that is not built.
    """
    game = among.game
    position = game.index.position_at(table.ending, side, slot)
    stored = table.value(side, slot)
    derived = derived_code(game, position, among.code)
    if derived == stored:
        return ""
    return f"{game.format(position)}: {stored} stored, {derived} derived"


def positions(game: Game[Any, Any], ending: str, side: int, threads: int) -> int:
    """How many legal positions of an ending there are with one side to move, symmetric copies counted once."""
    axes = game.index.axes(ending)
    if game.index.slots(ending) <= _COUNTED_AT_ONCE:
        return int(np.bitwise_count(game.solver.canonical_bits(ending, side, threads)).sum())
    total = 0
    for digit in range(axes[0]):
        wanted = [[digit], *map(range, axes[1:])]
        bits = game.solver.canonical_bits(ending, side, threads, wanted).reshape(axes[0], -1)[digit]
        total += int(np.bitwise_count(bits).sum())
    return total


def _compare_counts(table: Table, game: Game[Any, Any], threads: int) -> None:
    """Compares the numbers of positions, where there is numba to count them: without it nothing is built."""
    if find_spec("numba") is None:
        return
    first_of_black = table.tilings[0].frames
    stored = int(table.lengths[:first_of_black].sum()), int(table.lengths[first_of_black:].sum())
    for side in (0, 1):
        expected = positions(game, table.ending, side, threads)
        if stored[side] != expected:
            what = f"{stored[side]} positions with {('White', 'Black')[side]} to move instead of {expected}"
            raise ProofError(table.ending, what)


def _sample(table: Table) -> Generator[tuple[int, int]]:
    """Sides and slots of positions to compare, without end: in turn one of each value, rare values first, and any.

    A fault often touches few positions, and these often have values that few others have: the longest wins, mates, the
    draws of an ending that is nearly always won.
    """
    rng = random.Random(table.positions)
    counts = {(side, code): table.canonical(side, code) for side in (0, 1) for code in table.used(side)}
    for side, code in sorted(counts, key=counts.__getitem__):
        yield side, table.slot_with(side, code, rng.randrange(counts[side, code]))
        yield table.nth(rng.randrange(table.positions))
    while True:
        yield table.nth(rng.randrange(table.positions))
