"""Solves a pair of Nine Men's Morris by retrograde analysis over successor counts.

:func:`solve` turns captures into lower bounds, counts quiet moves, and then runs one layer after another over a few
threads; the loops are in ``_kernels.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from endgame_core.game import Lookup, Progress, Solved, Wanted
from endgame_core.morris import _kernels as kernels
from endgame_core.morris import arrays, index
from endgame_core.morris._kernels import Layer, Pair, Row, State
from endgame_core.morris.index import stones_of, stride
from endgame_core.morris.rules import FEWEST
from endgame_core.tables.kernels import Workers


def _pair(white: int, black: int) -> Pair:
    low, high = arrays.rank_tables()
    links = arrays.moves(white)
    whites = arrays.orbits(white).masks
    masks = arrays.placements(24 - white, black)
    return Pair(whites, masks, low, high, *links, 24 - white, black, stride(white, black))


def _new_row() -> Row:
    return Row(*(np.zeros(size, np.int64) for size in (24, 24, 24, 24, 16, 2, 9 * 384)))


def solve(
    ending: str,
    lookup: Lookup,
    threads: int,
    on_progress: Callable[[Progress], None],
) -> Solved:
    """Solves a pair.

    Args:
        ending: Canonical name, such as ``4-3``.
        lookup: Gives the codes of a finished pair with one side to move, uint8 of shape (slots,).
        threads: Threads to work with, at least 1.
        on_progress: Told of each finished layer; an exception it raises stops the solve.

    Returns:
        Codes and counts; for equal numbers of stones, only those with White to move are kept.
    """
    white, black = stones_of(ending)
    on_progress(Progress(phase="moves of the stones"))
    pair = _pair(white, black)
    rows = len(pair.whites)
    slots = rows * pair.stride
    sides = index.sides(ending)
    workers = Workers(threads)
    try:
        state = State(
            np.zeros(sides * slots, np.uint8), np.zeros(sides * slots, np.uint8), np.zeros(8 * rows, np.uint64), rows
        )  # fmt: skip
        _prepare(_Start(white, black, pair, state, lookup, workers, on_progress), sides)
        _solve_layers(pair, state, sides, workers, on_progress)
        workers.run(kernels.finish, state)
    finally:
        workers.close()
    codes = np.zeros((2, slots), np.uint8) if sides == 1 else state.codes.reshape(2, slots)
    codes[0] = state.codes[:slots]
    return Solved(
        codes=codes,
        kept=np.array([arrays.kept(ending, side) for side in range(2)]),
        missing=np.array([arrays.missing(ending, codes[side]) * (side < sides) for side in range(2)]),
        copies=16,
    )


def warm_up(report: Callable[[str], None]) -> None:
    """Compiles every kernel, or loads it from the cache of an earlier run.

    Args:
        report: Told in one line what is being compiled, before each kernel.
    """
    codes = np.zeros(index.slots("4-3"), np.uint8)

    def look(name: str, side: int, _: Wanted = ()) -> NDArray[np.uint8]:
        return codes[: index.slots(name)]

    def quiet(_: Progress) -> None:
        return

    report("moves of both sides")
    solve("3-3", look, 1, quiet)
    report("captures")
    solve("4-3", look, 1, quiet)


def _own(workers: Workers) -> list[tuple[Row]]:
    return [(_new_row(),) for _ in range(workers.threads)]


@dataclass(frozen=True, slots=True)
class _Start:
    """What comes before the first layer works on."""

    white: int
    black: int
    pair: Pair
    state: State
    lookup: Lookup
    workers: Workers
    on_progress: Callable[[Progress], None]

    def codes(self, white: int, black: int, side: int) -> NDArray[np.uint8]:
        """The codes of every slot of a finished pair."""
        ending = f"{white}-{black}"
        self.on_progress(Progress(phase=f"reading {ending}"))
        return arrays.filled(ending, self.lookup(ending, side)).reshape(-1)

    def run(self, phase: str, part: int, parts: int, kernel: Callable[..., None], *shared: object) -> None:
        """Runs a kernel row by row, as one of the parts of a phase, and tells how far it has come."""
        rows = self.state.rows

        def look(done: int) -> None:
            self.on_progress(Progress(phase=phase, done=part * rows + min(done, rows), total=parts * rows))

        look(0)
        self.workers.run(kernel, self.pair, *shared, own=_own(self.workers), look=look)


def _prepare(begun: _Start, sides: int) -> None:
    """Turns captures into promises, and counts the moves that take nothing."""
    _offer_white(begun)
    if sides > 1:
        _offer_black(begun)
    for side in range(sides):
        begun.run("counting moves", side, sides, kernels.count_moves, begun.state, side)


def _offer_white(begun: _Start) -> None:
    white, black, pair = begun.white, begun.black, begun.pair
    worth = np.zeros(len(pair.whites) * pair.stride, np.uint8)
    sub = begun.codes(white, black - 1, 1) if black > FEWEST else np.zeros(0, np.uint8)
    begun.run("captures by White", 0, 2, kernels.white_takes, sub, stride(white, black - 1), worth)
    del sub
    begun.run("captures by White", 1, 2, kernels.white_offers, worth, begun.state.codes)


def _offer_black(begun: _Start) -> None:
    white, black = begun.white, begun.black
    sub = begun.codes(white - 1, black, 0)
    rows = arrays.losses(white), arrays.orbits(white - 1).masks
    shared = (*rows, sub, stride(white - 1, black), begun.state.codes)
    begun.run("captures by Black", 0, 1, kernels.black_offers, *shared)


def _solve_layers(
    pair: Pair, state: State, sides: int, workers: Workers, on_progress: Callable[[Progress], None]
) -> None:
    """Runs layer after layer until nothing is new and no promise is due."""
    rows = len(pair.whites)
    due = np.bitwise_or.reduce(state.due.reshape(-1, 4), axis=0)
    codes = [code for code in range(256) if int(due[code >> 6]) >> (code & 63) & 1]
    last_due = max((2 * code if code < 128 else 2 * (255 - code) + 1 for code in codes if code != 128), default=0)
    last, out = (
        Layer(np.zeros(2 * rows * pair.stride >> 6, np.uint64), np.zeros(2 * rows, np.uint8)) for _ in range(2)
    )
    own = [(_new_row(), np.zeros(2, np.int64)) for _ in range(workers.threads)]
    depth = 0
    while True:
        for _, new in own:
            new[:] = 0
        workers.run(kernels.solve_layer, pair, state, last, out, depth, sides, own=own)
        new_white, new_black = (sum(int(new[side]) for _, new in own) for side in (0, 1))
        if not new_white and not new_black and depth >= last_due:
            return
        on_progress(Progress(depth, new_white, new_black))
        if sides == 1:
            out.words[len(out.words) // 2 :] = 0
            numbers = arrays.canonicals(24 - pair.points)
            workers.run(kernels.exchange, pair, state, out, *numbers, own=_own(workers))
            workers.run(kernels.count_rows, pair, out)
        last, out = out, last
        depth += 1
