"""Proves a new table before it is published.

Two things are compared with the rules alone: how many positions the table has, and the values of a sample of them one
ply deep. The count comes from the legality kernels with the layout that every reader uses, whatever layout the solver
had; the sample comes from the pure Python index, move generator and reader. So a fault in the solver, in a work file or
in the writer does not reach a user's directory.
"""

from __future__ import annotations

import random
import time
from collections.abc import Generator
from importlib.util import find_spec
from typing import Any, Final

from endgame_core.errors import NotBuiltError, ProofError
from endgame_core.game import Game, derived_code
from endgame_core.language import _
from endgame_core.tables.file import Table
from endgame_core.tables.lean import TableSource
from endgame_core.tables.numeric import np

MIN_POSITIONS: Final = 200
"""Positions to compare at least."""
_MAX_ATTEMPTS: Final = 4 * MIN_POSITIONS
"""Positions to try for that; those with moves into sub-endings that are not built cannot be compared."""
TIME_SHARE: Final = 0.02
"""More positions are compared for this part of the time that it took to make the table."""
_SLOTS_AT_ONCE: Final = 1 << 30
"""Slots whose legality is computed at once, one bit each."""


def prove(table: Table, source: TableSource, seconds: float, threads: int) -> None:
    """Compare a table with the rules.

    Args:
        table: An open table that is not published yet.
        source: All tables, this one in place of the ending's published one.
        seconds: How long it took to make the table.
        threads: Number of threads for counting.

    Raises:
        ProofError: The table is wrong.
        TableError: The table cannot be read.
    """
    _compare_counts(table, source.game, threads)
    deadline = time.monotonic() + TIME_SHARE * seconds
    compared = 0
    for number, (side, slot) in enumerate(_sample(table)):
        is_enough = compared >= MIN_POSITIONS or number >= _MAX_ATTEMPTS
        if is_enough and time.monotonic() > deadline:
            return
        try:
            difference = mismatch(table, source, side, slot)
        except NotBuiltError:  # a table may be compacted after a sub-ending was removed
            continue
        if difference:
            raise ProofError(table.ending, difference)
        compared += 1


def mismatch(table: Table, source: TableSource, side: int, slot: int) -> str:
    """How the stored value of a position differs from the value of its best move, in words; empty if they agree.

    Raises:
        NotBuiltError: A move leads to a sub-ending that is not built.
    """
    game = source.game
    position = game.index.position_at(table.ending, side, slot)
    stored = table.code(side, slot)
    derived = derived_code(game, position, source.code)
    if derived == stored:
        return ""
    return _("{position}: {stored} stored, {derived} derived").format(
        position=game.format(position), stored=stored, derived=derived
    )


def count_positions(game: Game[Any, Any], ending: str, side: int, threads: int) -> int:
    """Count the legal positions of an ending with one side to move, symmetric copies once."""
    axes = game.index.axes(ending)
    if game.index.slots(ending) <= _SLOTS_AT_ONCE:
        return int(np.bitwise_count(game.solver.canonical_bits(ending, side, threads)).sum())
    # A large ending is counted in slices, one for each digit of the first axis.
    total = 0
    for digit in range(axes[0]):
        slot_digits = [[digit], *map(range, axes[1:])]
        bits = game.solver.canonical_bits(ending, side, threads, slot_digits).reshape(axes[0], -1)[digit]
        total += int(np.bitwise_count(bits).sum())
    return total


def _compare_counts(table: Table, game: Game[Any, Any], threads: int) -> None:
    """Compare the numbers of positions; without numba, which counts them, nothing is built anyway."""
    if find_spec("numba") is None:
        return
    first_of_black = table.tilings[0].frame_count
    stored = [
        int(table.positions_per_frame[:first_of_black].sum()),
        int(table.positions_per_frame[first_of_black:].sum()),
    ]
    for side in (0, 1):
        expected = count_positions(game, table.ending, side, threads)
        if stored[side] != expected:
            what = _("{stored} positions with {value} to move instead of {expected}").format(
                stored=stored[side], value=("White", "Black")[side], expected=expected
            )
            raise ProofError(table.ending, what)


def _sample(table: Table) -> Generator[tuple[int, int]]:
    """An endless sample of sides and slots to compare.

    One position of each value, rare values first, alternates with random ones. A fault often affects few positions, and
    these often have values that few others have: the longest wins, mates, the draws of an ending that is nearly always
    won.
    """
    rng = random.Random(table.positions)
    counts = {(side, code): table.canonical(side, code) for side in (0, 1) for code in table.used_codes(side)}
    for side, code in sorted(counts, key=counts.__getitem__):
        yield side, table.slot_with(side, code, rng.randrange(counts[side, code]))
        yield table.nth(rng.randrange(table.positions))
    while True:
        yield table.nth(rng.randrange(table.positions))
