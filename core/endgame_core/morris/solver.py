"""Solves a pair of Nine Men's Morris by retrograde analysis over successor counts.

:func:`solve` turns captures into lower bounds, counts quiet moves, and then runs one layer after another over a few
threads; the loops are in the ``_kernels`` modules.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from endgame_core.game import Lookup, Progress, Solved, Wanted
from endgame_core.morris import _kernels_layers as layers
from endgame_core.morris import _kernels_start as start
from endgame_core.morris import arrays, index
from endgame_core.morris._kernels_rows import Layer, Pair, Row, State
from endgame_core.morris.index import FEWEST, stones_of, stride
from endgame_core.tables.threads import Workers


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
    pair = _pair(white, black)
    rows = len(pair.whites)
    slots = rows * pair.stride
    sides = 1 + (white > black)
    workers = Workers(threads)
    try:
        state = State(
            np.zeros(sides * slots, np.uint8), np.zeros(sides * slots, np.uint8), np.zeros(8 * rows, np.uint64), rows
        )  # fmt: skip
        _prepare(white, black, pair, state, lookup, workers)
        _solve_layers(pair, state, sides, workers, on_progress)
        workers.run(layers.finish, state)
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


def _codes(ending: str, side: int, lookup: Lookup) -> NDArray[np.uint8]:
    """The codes of every slot of a finished pair."""
    return arrays.filled(ending, lookup(ending, side)).reshape(-1)


def _prepare(white: int, black: int, pair: Pair, state: State, lookup: Lookup, workers: Workers) -> None:
    """Turns captures into promises, and counts the moves that take nothing."""
    _offer_white(white, black, pair, state, lookup, workers)
    if white > black:
        _offer_black(white, black, pair, state, lookup, workers)
    for side in range(1 + (white > black)):
        workers.run(start.count_moves, pair, state, side, own=_own(workers))


def _offer_white(white: int, black: int, pair: Pair, state: State, lookup: Lookup, workers: Workers) -> None:
    worth = np.zeros(len(pair.whites) * pair.stride, np.uint8)
    sub = _codes(f"{white}-{black - 1}", 1, lookup) if black > FEWEST else np.zeros(0, np.uint8)
    workers.run(start.white_takes, pair, sub, stride(white, black - 1), worth, own=_own(workers))
    del sub
    workers.run(start.white_offers, pair, worth, state.codes, own=_own(workers))


def _offer_black(white: int, black: int, pair: Pair, state: State, lookup: Lookup, workers: Workers) -> None:
    sub = _codes(f"{white - 1}-{black}", 0, lookup)
    rows = arrays.losses(white), arrays.orbits(white - 1).masks
    workers.run(start.black_offers, pair, *rows, sub, stride(white - 1, black), state.codes, own=_own(workers))


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
        workers.run(layers.solve_layer, pair, state, last, out, depth, sides, own=own)
        new_white, new_black = (sum(int(new[side]) for _, new in own) for side in (0, 1))
        if not new_white and not new_black and depth >= last_due:
            return
        on_progress(Progress(depth, new_white, new_black))
        if sides == 1:
            out.words[len(out.words) // 2 :] = 0
            numbers = arrays.canonicals(24 - pair.points)
            workers.run(layers.exchange, pair, state, out, *numbers, own=_own(workers))
            workers.run(layers.count_rows, pair, out)
        last, out = out, last
        depth += 1
