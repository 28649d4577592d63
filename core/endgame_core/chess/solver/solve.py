"""Solves a chess ending by bit-sliced retrograde analysis; ``docs/solver.md`` is an overview.

A solve has three steps. The values of exits (captures and promotions) are *unfolded* from the sub-endings. Sets are
filled with the legal positions, and D with the best exit of each. Then *passes* decide positions, in ascending order of
plies, until nothing is new and no exit is due. What is undecided then is drawn.

This module chooses one of four ways, by the pawns and the memory:

====================  ================  ======================================================
pawns                 in memory         in bounded memory
====================  ================  ======================================================
none                  as a whole        plane by plane (``blocks``)
one                   wave by wave      slice by slice, each plane by plane (``slices``)
several               wave by wave      wave by wave, some slices in memory (``waves``)
====================  ================  ======================================================

and lays out the pieces on the dimensions of the kernels (``_kernels_board.Men``). The loops are in the ``_kernels``
modules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import groupby, permutations
from math import prod
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import index, material, metrics
from endgame_core.chess.index import Man, men_of, number_of, pawns_of, placement_count, placements
from endgame_core.chess.solver import _kernels_exits as exits
from endgame_core.chess.solver import _kernels_layers as layers
from endgame_core.chess.solver import _kernels_slices as slices
from endgame_core.chess.solver import needs, waves
from endgame_core.chess.solver._kernels_board import ALL, BLACK_PAWN, IMAGE, LayerBits, Men, SolverState
from endgame_core.chess.solver.blocks import Bounds, Planes, opened_log
from endgame_core.chess.solver.slices import Slices, men_now
from endgame_core.errors import EndingError, format_memory
from endgame_core.game import DigitFilter, Lookup, SolvedEnding, SolveProgress, SolverBudget
from endgame_core.metric import DTM, DTZ, Metric
from endgame_core.tables import mmap_arrays
from endgame_core.tables.kernels import KernelThreads
from endgame_core.values import BYTE_DRAW, DRAW, LAST_BYTE_LAYER, byte_of

PROMOTED = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
_SCRATCH = 64 * 64 + 8

_SLOT = 0.65
"""Work of solving a slot of an ending with pawns; 1 is that of unfolding one byte of an exit. Measured."""
_PREPARED = 0.13
"""Work of a slot of an ending without pawns before the first layer."""
_PASSED = 0.014
"""Work of a slot of an ending without pawns in each layer."""
_EVERY_KING = np.arange(64)
_IDLE = (0, 0, 1)
"""A dimension that is not used: piece, colour and size."""
_KING = (int(chess.KING), 1, 64)
"""The dimension of the white king in a slice."""
_HELD_WHOLE = 5
"""Pieces of the largest sub-endings of which all codes with one side to move are in memory."""
_READ = 1 << 28
"""Slots of a larger sub-ending with pawns that are read at a time; one pawn placement at least."""
_FILES = 8
"""Squares that a pawn promotes on."""
_LAYERS = 40
"""Number of layers that is assumed where the longest win is not known."""


def solve(
    ending: str,
    lookup: Lookup,
    threads: int,
    on_progress: Callable[[SolveProgress], None],
    metric: Metric = DTM,
    room: SolverBudget | None = None,
) -> SolvedEnding:
    """Solves an ending of three to six pieces.

    Args:
        ending: Canonical name.
        lookup: Reads the codes of a finished sub-ending with one side to move, shape (slots,).
        threads: Threads to work with, at least 1.
        on_progress: Called after each layer, or now and then with the number of slices that are done; an exception it
            raises stops the solve.
        metric: What codes mean, of this ending and of its sub-endings.
        room: How much memory may be used, and where the work file is. Without it memory is not limited, and only
            endings are solved whose values bytes hold.

    Returns:
        Codes and counts. They may have to be read before ``done`` is called, which ends the threads.

    Raises:
        EndingError: It has values that a byte cannot hold, and no ``room``; or there is too little memory for them.
    """
    pawned = material.has_pawns(ending)
    # In bounded memory if the ending is large or does not fit.
    bounded = room if room is not None and needs.in_planes(ending, room.memory) else None
    if bounded is not None and sum(pawns_of(ending)) > 1:  # as many as fit even if it turns out to be deep
        threads = needs.threads_held(ending, metric, bounded.memory, threads, metric == DTM)
    workers = KernelThreads(threads if pawned or len(men_of(ending)) > 1 else 1)
    work = _Work(ending, metric, lookup, on_progress, workers)
    if pawned and (bounded is None or sum(pawns_of(ending)) > 1):
        return _with_pawns(work, bounded, room is not None and room.may_exceed_bytes and metric == DTM)
    if bounded is not None:
        return _slice_by_slice(work, bounded) if pawned else _in_planes(work, bounded)
    try:
        return _without_pawns(work)
    finally:
        workers.close()


def kept(ending: str, side: int, threads: int, wanted: DigitFilter = ()) -> NDArray[np.uint64]:
    """Finds the legal canonical slots of one side to move: those that a table stores.

    Args:
        ending: Canonical name.
        side: Side to move.
        threads: Threads to work with.
        wanted: Digits of the wanted slots, axis by axis; bits of others may be 0. All when empty.

    Returns:
        One bit for each slot, uint64 of shape (slots / 64,).
    """
    pawned = material.has_pawns(ending)
    men = slice_men(ending) if pawned else dimensions(ending)
    outer_digits = wanted[0] if wanted and (pawned or men.sizeq > 1) else range(index.axes(ending)[0])
    parts = stretches(ending, sorted(outer_digits))
    masks = _squares_wanted(ending, wanted)
    result = mmap_arrays.zeros(index.slots(ending) // 64, np.uint64, [(first // 64, end // 64) for first, end in parts])
    threads = threads if sum(end - first for first, end in parts) > needs.FEW else 1
    workers = KernelThreads(threads)
    tasks = men.sizeq * men.size0 * (placement_count(*pawns_of(ending)) if pawned else 10)
    pawns = pawns_placed(ending) if pawned else None
    # Tasks are numbered as slots are, so stretches of slots are stretches of tasks.
    for first, end in parts:
        part_bits = result[first // 64 : end // 64]
        first, end = (slot * tasks // index.slots(ending) for slot in (first, end))
        if pawns is not None:
            own = [(men_now(len(pawns.white)),) for _ in range(threads)]
            workers.run(slices.keep_slices, men, pawns, side, masks, part_bits, first, end, own=own)
        else:
            workers.run(slices.keep, men, side, masks, part_bits, first, end)
    workers.close()
    return result


def _squares_wanted(ending: str, wanted: DigitFilter) -> NDArray[np.uint64]:
    """Which squares of q, p0 and p1 are wanted, as bits; all of a piece that is not there."""
    pawned, masks = material.has_pawns(ending), slices.EVERYWHERE.copy()
    men = len(_pieces(ending)) if pawned else len(men_of(ending)) - 1
    axes = wanted[pawned : pawned + men]
    for dimension, digits in enumerate(axes, 3 - len(axes)):
        masks[dimension] = sum(1 << digit for digit in digits)
    return masks


def stretches(ending: str, digits: Iterable[int]) -> list[tuple[int, int]]:
    """Lists the first slots and ends of stretches that have certain digits on the outermost axis, ascending."""
    each = index.slots(ending) // index.axes(ending)[0]
    result = list[tuple[int, int]]()
    for digit in digits:
        first = result.pop()[0] if result and result[-1][1] == digit * each else digit * each
        result.append((first, (digit + 1) * each))
    return result


def warm_up(endings: Sequence[str], report: Callable[[str], None]) -> None:
    """Compiles the kernels that some endings need, or loads them from the cache of an earlier run.

    Args:
        endings: Their names.
        report: Called with one line on what is being compiled, before each group of kernels.
    """
    codes = {"KQvK": np.zeros((2, 0), np.uint8)}

    def look(name: str, side: int, _: DigitFilter = ()) -> NDArray[np.uint8]:
        return codes[name][side] if name in codes else np.full(40960, BYTE_DRAW, np.uint8)

    def quiet(_: SolveProgress) -> None:
        return

    if not all(material.has_pawns(ending) for ending in endings):
        report("layers")
        codes["KQvK"] = solve("KQvK", look, 1, quiet).codes
        report("sub-endings")
        _bounds(_Work("KQQvK", DTM, look, quiet, KernelThreads(1)), 0)
        kept("KQvK", 0, 1)
        report("identical pieces")
        layers.mirror_rows(np.zeros(64, np.uint64), np.zeros(64, np.uint64))
    if any(material.has_pawns(ending) for ending in endings):
        report("endings with pawns")
        kept("KPvK", 0, 1)
        codes.clear()
        solve("KPvK", look, 1, quiet)


@dataclass(slots=True)
class _Work:
    """An ending that is being solved, and with what; see :func:`solve`.

    Attributes:
        total: All work, in bytes of an exit that are unfolded, as far as it is known.
        done: How much of it is done.
    """

    ending: str
    metric: Metric
    lookup: Lookup
    on_progress: Callable[[SolveProgress], None]
    workers: KernelThreads
    total: float = 1.0
    done: float = 0.0

    def tell(self, unit: float, progress: SolveProgress) -> None:
        """Reports the progress; ``ahead`` counts the unit of work being done as well."""
        share, ahead = (min(1.0, work / self.total) for work in (self.done, self.done + unit))
        self.on_progress(replace(progress, part=share, ahead=ahead))

    @property
    def draws(self) -> NDArray[np.uint8]:
        """The bytes of a draw with White and with Black to move."""
        return np.array([metrics.draw(self.ending, side, self.metric) for side in (0, 1)], np.uint8)

    def unfold(
        self, men: Sequence[Man], placed: NDArray[np.int64], side: int, data: NDArray[Any], steps: tuple[int, int],
        kings: NDArray[np.int64] = _EVERY_KING,
    ) -> None:  # fmt: skip
        """Raises the beginning of ``data`` to the values of the exit that leaves these pieces.

        Args:
            men: The pieces and pawns other than kings after the exit, in the ending's colours; placed ones first.
            placed: Squares of the placed ones, int64 of shape (rows, placed).
            side: Side to move after the exit.
            data: Bytes or codes, 0 where an exit is illegal.
            steps: Elements from one placement of the pieces to the next, and from one white king square to the next.
            kings: The number of each white king square in ``data``, -1 for those that are not needed.
        """
        view, name = view_of(tuple(men), placed)
        # A large sub-ending with pawns is read for a few placements at a time.
        if view.pawns > 0 and (rows := _rows_at_once(name)) < len(placed):
            for first in range(0, len(placed), rows):
                batch = placed[first : first + rows]
                self.unfold(men, batch, side, data[_unfolds(men, placed[:first]) :], steps, kings)
            return
        mover, size = side ^ view.swapped, _unfolds(men, placed)
        ascending = _ascending(self.ending, men, placed.shape[1], side)
        own = [(np.zeros(len(men) + 1, np.int64),) for _ in range(self.workers.threads)]
        wanted = wanted_slots(men, placed, view, name) if name else ()
        # One without pawns is read in parts, by the squares of its outermost piece.
        parts = list(_parts(name, wanted, _on_one_of(men, placed, view)))
        for planes, part_wanted in parts:
            self.tell(size / len(parts), SolveProgress(phase=f"reading {name}" if name else "captures"))
            codes = self.lookup(name, mover, part_wanted) if name else np.full(4096, BYTE_DRAW, np.uint8)
            if self.metric == DTM and codes.itemsize > data.itemsize:
                raise AssertionError(f"{name} has wins that a byte cannot hold: `SolverBudget.deep` says so before")
            values = _exit_values(metrics.worth(name, mover, self.metric, codes.itemsize > 1), data.dtype)
            self.workers.run(exits.unfold, codes, values, view, planes, ascending, side, data, kings, *steps, own=own)
            self.done += size / len(parts)


def _ascending(ending: str, men: Sequence[Man], placed: int, side: int) -> int:
    """1 if the first two free pieces after an exit are identical, and in ascending order whenever it is made.

    Identical pieces are solved in one order only. If one of them takes something, it leaves that order.
    """
    pieces, free = [man for man in men_of(ending) if man[0] != chess.PAWN], men[placed:]
    if len(pieces) <= (1 if material.has_pawns(ending) else 2) or pieces[0] != pieces[1]:
        return 0
    takes = pieces[0][1] == bool(side) and all(piece == chess.PAWN for piece, _ in men[:placed])  # no pawn promotes
    return int(free.count(pieces[0]) == pieces.count(pieces[0]) and not takes)


def _exit_values(codes: Sequence[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The values of exits, as codes or as bytes."""
    return np.array(codes if dtype.itemsize > 1 else [byte_of(code) for code in codes], dtype)


def _parts(name: str, wanted: DigitFilter, either: Collection[int]) -> Iterator[tuple[np.uint64, DigitFilter]]:
    """Divides the slots that are read of a sub-ending, by the square of its outermost piece.

    A sub-ending of six pieces without pawns is read in ten parts. Squares that are copies of each other are in one
    part, so that every position is. One with pawns is read for some placements instead; see :func:`_rows_at_once`.

    Args:
        name: The sub-ending.
        wanted: The slots that are needed.
        either: Squares of which one has one of the two outermost pieces, if these are identical; else empty.

    Yields:
        Squares of the outermost piece, as bits, and the slots to read.
    """
    if material.men_count(name) <= _HELD_WHOLE or material.has_pawns(name):
        yield ALL, wanted
        return
    for square in index.TRIANGLE:
        copies = {int(IMAGE[64 * symmetry + square]) for symmetry in range(8)}
        if squares := copies & set(wanted[0]):
            second = either if either and copies.isdisjoint(either) else wanted[1]
            yield np.uint64(sum(1 << copy for copy in copies)), [sorted(squares), second, *wanted[2:]]


def _rows_at_once(name: str) -> int:
    """For how many placed rows a sub-ending with pawns is read at a time: few with six pieces, else all."""
    if material.men_count(name) <= _HELD_WHOLE:
        return 1 << 62
    return _FILES * max(1, _READ // prod(index.axes(name)[1:]))


def _unfolding(ending: str) -> float:
    """Work of unfolding all captures of an ending without pawns."""
    men = men_of(ending)
    return len(set(men)) * 64.0 ** (len(men) + 1)


def _unfolds(men: Sequence[Man], placed: NDArray[np.int64]) -> int:
    """Bytes that are unfolded of an exit to these pieces."""
    return len(placed) * 64 ** (len(men) - placed.shape[1] + 2)


# Exits.


@lru_cache(maxsize=8)
def _rows(white: int, black: int) -> NDArray[np.int64]:
    """All placements of some pawns as int64 of shape (placements, pawns)."""
    result = placements(white, black)
    return np.array(result, np.int64).reshape(len(result), white + black)


@lru_cache(maxsize=8)
def numbers_of(white: int, black: int) -> NDArray[np.int32]:
    """Makes the table of placement numbers that kernels look up.

    Returns:
        ``2 * number + mirrored`` of every placement, by its squares in base 64 in any order within a colour, int32.
    """
    result = np.zeros(64 ** (white + black), np.int32)
    rows = _rows(white, black)
    # Placements that are their own mirror copy are written twice: the last time as not mirrored.
    for is_mirrored, squares in ((1, rows ^ 7), (0, rows)):
        for first in permutations(range(white)):
            for second in permutations(range(white, white + black)):
                key = np.zeros(len(rows), np.int64)
                for column in (*first, *second):
                    key = key * 64 + squares[:, column]
                result[key] = 2 * np.arange(len(rows)) + is_mirrored
    return result


def view_of(men: tuple[Man, ...], placed: NDArray[np.int64]) -> tuple[exits.BankView, str]:
    """Makes the view of some pieces, and finds their ending (empty for two bare kings)."""
    pieces = np.array([BLACK_PAWN if man == (chess.PAWN, False) else man[0] for man in men], np.int64)
    name, swapped, places = index.fitted(men)
    index_men = men_of(name) if name else ()
    colors = [color for piece, color in index_men if piece == chess.PAWN]
    pawned = bool(colors) or not name
    others = index_men[len(colors) :]
    alike = sum(1 << i for i in range(len(others) - 1) if others[i] == others[i + 1])
    view = exits.BankView(
        pieces, np.array([int(color) for _, color in men], np.int64), placed.reshape(-1), placed.shape[1],
        np.array(places, np.int64), len(colors) if pawned else -1,
        numbers_of(sum(colors), len(colors) - sum(colors)) if pawned else np.zeros(1, np.int32),
        int(swapped), alike,
    )  # fmt: skip
    return view, name


def wanted_slots(men: Sequence[Man], placed: NDArray[np.int64], view: exits.BankView, name: str) -> DigitFilter:
    """The slots of a sub-ending that some placements meet: a piece that has just promoted stands on few squares."""
    result: list[Sequence[int]] = [range(length) for length in index.axes(name)]
    places = view.places[max(0, view.pawns) :].tolist()
    # If all pawns of the sub-ending are placed, only their placements are met.
    if 0 < view.pawns <= placed.shape[1] and all(man < placed.shape[1] for man in view.places[: view.pawns]):
        key = np.zeros(len(placed), np.int64)
        for man in view.places[: view.pawns]:
            key = key * 64 + (placed[:, man] ^ (56 if view.swapped else 0))
        result[0] = np.unique(view.numbers[key] >> 1).tolist()
    for place, man in enumerate(places):
        if man >= placed.shape[1]:
            continue
        alike = [i for i, other in enumerate(places) if men[other] == men[man]]
        squares = placed[:, man] ^ (56 if view.swapped else 0)
        if view.pawns >= 0:
            # Identical pieces are in ascending order: the last one is on the top rank, or the first on the bottom one.
            axis = 1 + (alike[-1] if squares.min() >= 56 else alike[0])
            result[axis] = np.unique([squares, squares ^ 7]).tolist()
        # Without pawns a square may be any of its symmetric copies.
        elif len(alike) == 1:
            axis = place if place < len(places) - 1 else place + 1
            result[axis] = _copies(squares)
    return result


def _copies(squares: NDArray[np.int64]) -> list[int]:
    """The symmetric copies of some squares, ascending."""
    flipped = [squares ^ flip for flip in (0, 7, 56, 63)]
    return np.unique([*flipped, *((copy & 7) * 8 + (copy >> 3) for copy in flipped)]).tolist()


def _on_one_of(men: Sequence[Man], placed: NDArray[np.int64], view: exits.BankView) -> list[int]:
    """Squares of which one has one of the two outermost pieces of a sub-ending without pawns.

    Empty unless these two are identical, and one of them is placed.
    """
    alike = [man for man in view.places.tolist() if men[man] == men[view.places[0]]] if view.pawns < 0 else []
    placed_alike = [man for man in alike if man < placed.shape[1]]
    return _copies(placed[:, placed_alike[0]]) if len(alike) == 2 and len(placed_alike) == 1 else []


def _bounds(work: _Work, victim: int) -> NDArray[np.uint8]:
    """The values of captures of one piece to the side that takes it, by placement after the capture."""
    men = men_of(work.ending)
    others = [man for i, man in enumerate(men) if i != victim]
    words = 64 ** (len(others) + 1)
    out = np.zeros((exits.NEAR_KING.max() + 1) * words, np.uint8)
    work.unfold(others, np.zeros((1, 0), np.int64), int(not men[victim][1]), out, (64, words), exits.NEAR_KING)
    return out


def _all_bounds(work: _Work) -> Bounds:
    """The bounds of p0, p1, the last piece and q; identical pieces share theirs, empty where there is none."""
    men = men_of(work.ending)
    result: dict[Man, NDArray[np.uint8]] = {}
    for victim, man in enumerate(men):
        if man not in result:
            result[man] = _bounds(work, victim)
    outer, first, second, last = [np.zeros(0, np.uint8)] * (4 - len(men)) + [result[man] for man in men]
    return first, second, last, outer


@dataclass(frozen=True, slots=True)
class _Bank:
    """One kind of exit of an ending with pawns.

    Attributes:
        number: The bank's number; see ``_kernels_exits``.
        side: Side to move after the exit.
        pawns: Colours of the pawns after the exit, White's first.
        promoted: Colour of a piece that has promoted, else None.
        pieces: The pieces after the exit.
        placed: Squares of the pawns and the promoted piece, int64 of shape (rows, placed).
    """

    number: int
    side: int
    pawns: tuple[bool, ...]
    promoted: bool | None
    pieces: tuple[Man, ...]
    placed: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Elements of the bank."""
        return len(self.placed) * 64 ** (len(self.pieces) + 2)

    @property
    def numbers(self) -> NDArray[np.int32]:
        """The numbers of the pawns' placements; see :func:`numbers_of`."""
        return numbers_of(sum(self.pawns), len(self.pawns) - sum(self.pawns))

    def materials(self) -> list[list[Man]]:
        """The pieces of each sub-ending it is unfolded from, placed ones first: four if a pawn promotes."""
        pawns: list[Man] = [(chess.PAWN, color) for color in self.pawns]
        if self.promoted is None:
            return [[*pawns, *self.pieces]]
        return [[*pawns, (piece, self.promoted), *self.pieces] for piece in PROMOTED]


def _banks(pieces: Sequence[Man], pawns: Sequence[bool]) -> list[_Bank]:
    """Lists all banks of an ending with these pieces and pawns (colours, White's first)."""
    result: list[_Bank] = []

    def add(number: int, side: int, pawn: bool | None, promoted: bool | None, piece: int | None) -> None:
        pawns_after = list(pawns)
        if pawn is not None:
            if pawn not in pawns_after:
                return
            pawns_after.remove(pawn)
        placed = _rows(sum(pawns_after), len(pawns_after) - sum(pawns_after))
        if promoted is not None:
            # A single pawn stands on files a to d, and promotes there unless it takes something.
            files = np.arange(8 if pawns_after or piece is not None else 4) + (56 if promoted else 0)
            placed = np.column_stack([np.repeat(placed, len(files), axis=0), np.tile(files, len(placed))])
        others = tuple(man for i, man in enumerate(pieces) if i != piece)
        result.append(_Bank(number, side, tuple(pawns_after), promoted, others, placed))

    # Each piece is taken by a piece, or by a pawn that promotes; each pawn is taken, or promotes.
    for i, (_, color) in enumerate(pieces):
        dimension = i + 2 - len(pieces)
        add(dimension, int(not color), None, None, i)
        add(6 + dimension, int(not color), not color, not color, i)
    for color in (False, True):
        add(2 + color, int(not color), color, None, None)
        add(4 + color, int(color), color, color, None)
    return result


@dataclass(slots=True)
class _PawnBanks:
    """The banks of an ending with pawns. With six pieces those of promotions are *cut*, to what one wave needs.

    Attributes:
        work: The solve.
        waves: The slices of each wave.
        cut: Whether promotions are cut.
        wide: Whether banks are of codes, not of bytes.
        sizes: Elements of what is cut, wave by wave.
    """

    work: _Work
    waves: Sequence[NDArray[np.int64]]
    cut: bool
    wide: bool
    sizes: list[int] = field(init=False)
    _whole: list[_Bank] = field(init=False)
    _parted: list[_Bank] = field(init=False)
    _now: exits.Banks | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        white, black = pawns_of(self.work.ending)
        banks = _banks(men_of(self.work.ending)[white + black :], [True] * white + [False] * black)
        self._parted = [bank for bank in banks if self.cut and bank.promoted is not None]
        self._whole = [bank for bank in banks if bank not in self._parted]
        self.sizes = [sum(self._for_slices(bank, wave)[0].size for bank in self._parted) for wave in self.waves]

    @property
    def price(self) -> float:
        """The work of unfolding all banks."""
        parts = [self._for_slices(bank, wave)[0] for bank in self._parted for wave in self.waves]
        return sum(_unfolds(men, bank.placed) for bank in [*self._whole, *parts] for men in bank.materials())

    def _for_slices(self, bank: _Bank, places: NDArray[np.int64]) -> tuple[_Bank, NDArray[np.int32]]:
        """The part of a bank of promotions that some slices need, and the placement numbers in it."""
        white, black = pawns_of(self.work.ending)
        squares, numbers = _rows(white, black)[places], bank.numbers
        rows = np.full(int(numbers.max() >> 1) + 1, -1, np.int32)
        # Pawns one step from promotion, each in turn, leave the placements of all others.
        for pawn in range(white) if bank.promoted else range(white, white + black):
            others = np.delete(squares[squares[:, pawn] >> 3 == (6 if bank.promoted else 1)], pawn, axis=1)
            rows[numbers[others @ 64 ** np.arange(others.shape[1])[::-1]] >> 1] = 0
        needed = np.flatnonzero(rows == 0)
        rows[needed] = range(len(needed))
        men = bank.placed.shape[1]
        placed = bank.placed.reshape(-1, _FILES, men)[needed].reshape(-1, men)
        return replace(bank, placed=placed), 2 * rows[numbers >> 1] + (numbers & 1)

    def unfolded(self, places: NDArray[np.int64]) -> exits.Banks:
        """The banks of some slices of a wave, in place of what was cut for others before."""
        if self._now is not None and not self.cut:
            return self._now
        banks = [(bank, bank.numbers) for bank in self._whole]
        banks += [(bank, numbers) for bank, numbers in (self._for_slices(bank, places) for bank in self._parted)]
        whole = sum(bank.size for bank in self._whole)
        is_first = self._now is None
        dtype = np.uint16 if self.wide else np.uint8
        data = np.zeros(whole + max(self.sizes), dtype) if self._now is None else self._now.data
        data[whole:] = 0
        # Whole banks come first and stay; those that are cut are unfolded again for each wave.
        starts, tables = np.zeros(10, np.int64), np.zeros(10, np.int64)
        start = table = 0
        for bank, numbers in banks:
            starts[bank.number], tables[bank.number] = start, table
            if bank.size and (is_first or start >= whole):
                for men in bank.materials():
                    self.work.unfold(men, bank.placed, bank.side, data[start:], (4096, 64))
            start, table = start + bank.size, table + len(numbers)
        self._now = exits.Banks(data, starts, np.concatenate([numbers for _, numbers in banks]), tables)
        return self._now


@dataclass(slots=True)
class _OnePawn:
    """The banks of one slice after another, of an ending with one pawn.

    Attributes:
        work: The solve.
        data: Room for the banks of a slice, bytes or codes. That of the pawn's capture is first, and the same for all
            slices.
    """

    work: _Work
    data: NDArray[Any]

    def banks(self, place: int) -> list[tuple[_Bank, int, NDArray[np.int32]]]:
        """Lists the banks of a slice.

        Returns:
            For each bank the row that it would begin with if it had all placements, and its placement numbers.
        """
        white, black = pawns_of(self.work.ending)
        color = bool(white)
        pieces = men_of(self.work.ending)[1:]
        (square,) = placements(white, black)[place]
        step = 8 if color else -8
        no_pawns = numbers_of(0, 0)
        capture_squares = [square + step + file for file in (-1, 1) if 0 <= (square & 7) + file < 8]
        is_last_rank = not 8 <= square + step < 56
        result = [(_Bank(2 + color, int(not color), (), None, pieces, _rows(0, 0)), 0, no_pawns)]
        # The pawn stays where it is, or takes a piece and goes a file aside.
        captures = [] if is_last_rank else [number_of(white, black, [to])[0] for to in capture_squares]
        needed = sorted({place, *captures})
        numbers = numbers_of(white, black)
        rows = np.full(placement_count(white, black), -1, np.int32)
        rows[needed] = range(len(needed))
        numbers = 2 * rows[numbers >> 1] + (numbers & 1)
        for (_, piece_color), others, bank in zip(pieces, _others(pieces), (8, 0, 1), strict=False):
            placed = _rows(white, black)[needed]
            result.append((_Bank(bank, int(not piece_color), (color,), None, others, placed), 0, numbers))
            if is_last_rank and piece_color != color:
                to = np.arange(min(capture_squares), max(capture_squares) + 1)[:, None]
                bank = {8: 9, 0: 6, 1: 7}[bank]
                result.append((_Bank(bank, int(color), (), color, others, to), int(to[0, 0]) & 7, no_pawns))
        if is_last_rank:
            result.append(
                (_Bank(4 + color, int(color), (), color, pieces, np.array([[square + step]])), square & 7, no_pawns)
            )
        return result

    def size(self, place: int) -> int:
        """Bytes that are unfolded for a slice."""
        banks = self.banks(place)[1:]
        return sum(_unfolds(men, bank.placed) for bank, _, _ in banks for men in bank.materials())

    def unfolded(self, place: int) -> exits.Banks:
        """The banks of a slice, in place of those of the slice before."""
        banks = self.banks(place)
        starts, tables = np.zeros(10, np.int64), np.zeros(10, np.int64)
        numbers: list[NDArray[np.int32]] = []
        start = 0
        is_first = not self.data.size
        if is_first:
            count = placement_count(*pawns_of(self.work.ending))
            self.data = np.zeros(max(_total_size(self.banks(place)) for place in range(count)), self.data.dtype)
        self.data[banks[0][0].size :] = 0
        for bank, row, bank_numbers in banks:
            starts[bank.number] = start - row * (bank.size // len(bank.placed))
            tables[bank.number] = sum(len(table) for table in numbers)
            numbers.append(bank_numbers)
            if start or is_first:
                for men in bank.materials():
                    self.work.unfold(men, bank.placed, bank.side, self.data[start:], (4096, 64))
            start += bank.size
        return exits.Banks(self.data, starts, np.concatenate(numbers), tables)


def _others(pieces: Sequence[Man]) -> list[tuple[Man, ...]]:
    """All but one of some pieces, for each of them."""
    return [(*pieces[:i], *pieces[i + 1 :]) for i in range(len(pieces))]


def _total_size(banks: Sequence[tuple[_Bank, int, NDArray[np.int32]]]) -> int:
    return sum(bank.size for bank, _, _ in banks)


# Without pawns.


def dimensions(ending: str) -> Men:
    """Lays one to four pieces out on the dimensions of the index, the last piece on the last one."""
    rows = [_IDLE] * 4 + [(int(piece), int(white), 64) for piece, white in men_of(ending)]
    return _laid_out(rows[-4:])


def men_in_planes(ending: str) -> Men:
    """Lays two to four pieces out for a solve plane by plane: the first on q, the last one on the last dimension."""
    rows = [(int(piece), int(white), 64) for piece, white in men_of(ending)]
    idle = 4 - len(rows)
    return _laid_out([*rows[: 3 - idle], *[_IDLE] * idle, rows[-1]])


def _laid_out(rows: Sequence[tuple[int, int, int]]) -> Men:
    """Lays pieces out on the four dimensions q, 0, 1 and 2 of the index.

    Args:
        rows: Piece, colour and size of each dimension; piece 0 and size 1 where it is not used.
    """
    (pieceq, whiteq, sizeq), (piece0, white0, size0), (piece1, white1, size1), (piece2, white2, _) = rows

    def same(first: int, second: int) -> int:
        """Whether two dimensions hold identical pieces."""
        return int(rows[first][0] > 0 and rows[first][:2] == rows[second][:2])

    # Kernels compare neighbouring dimensions to keep one order of identical pieces, so these have to be neighbours.
    used = [row[:2] for row in rows if row[0] > 0]
    if len(list(groupby(used))) > len(set(used)):
        raise AssertionError(f"the solver compares neighbours only, and identical pieces are apart: {rows}")
    same01 = same(1, 2)
    same02 = same(1, 3) if not piece1 else 0
    return Men(
        piece0, piece1, piece2, white0, white1, white2, size0, size1,
        same01, same(2, 3), 0,
        pieceq, whiteq, sizeq, same(0, 1),
        int(same01 and not pieceq), same02,
    )  # fmt: skip


def _empty_sets(rows: int, tasks: int, dtype: Any = np.uint8) -> SolverState:
    none = np.zeros(0, np.uint64)
    return SolverState(
        undecided=np.zeros(2 * rows * 64, np.uint64),
        not_won=np.zeros(2 * rows * 64, np.uint64),
        codes=np.zeros(2 * rows * 4096, dtype),
        due=np.zeros(2 * tasks * 256, np.uint64),
        pawns=np.zeros(1, np.uint64),
        better=none,
        fallen=none,
    )


def _empty_layer(rows: int, tasks: int) -> LayerBits:
    return LayerBits(np.zeros(2 * rows * 64, np.uint64), np.zeros(2 * rows, np.uint8), np.zeros(2 * tasks, np.uint64))


def _without_pawns(work: _Work) -> SolvedEnding:
    men = dimensions(work.ending)
    tasks = 10 * men.size0
    rows = tasks * men.size1
    state = _empty_sets(rows, tasks)
    work.total = _unfolding(work.ending) + rows * 8192 * (_PREPARED + _PASSED * _expected(work, 0, 0))
    bounds = _all_bounds(work)
    lost, won = _empty_layer(rows, tasks), _empty_layer(rows, tasks)
    prepared = rows * 8192 * _PREPARED
    work.tell(prepared, SolveProgress(phase="captures"))
    work.workers.run(exits.prepare, men, state, state.codes, bounds, won, 0, tasks)
    work.done += prepared
    del bounds
    before = _empty_layer(rows, tasks) if work.metric == DTZ else lost
    _solve_layers(work, men, state, (lost, before, won))
    own_copies = [(np.zeros(512, np.int64),) for _ in range(work.workers.threads)]
    codes = state.codes.reshape(2, -1)
    stored_bits = state.undecided.reshape(2, -1)  # once `finish` has run
    for side in (0, 1):
        work.workers.run(
            slices.finish, men, stored_bits[side], codes[side], side, work.draws[side], 0, tasks, own=own_copies
        )  # fmt: skip
    # A position stands for eight boards; one that is its own mirror copy for four, so that four are missing.
    return SolvedEnding(
        codes=codes,
        canonical=stored_bits,
        copies=8,
        missing=4 * np.sum([counts for (counts,) in own_copies], axis=0).reshape(2, 256),
    )


def _in_planes(work: _Work, room: SolverBudget) -> SolvedEnding:
    """Solves an ending without pawns in bounded memory."""
    men = men_in_planes(work.ending)
    idle = 4 - len(men_of(work.ending))
    size = men.sizeq * men.size0 * men.size1 * 10 * 8192
    shares = size * _PREPARED, size * _PASSED * _expected(work, 0, 0)
    unfolded = _unfolding(work.ending)
    work.total = unfolded + sum(shares)

    def tell(done: float, progress: SolveProgress) -> None:
        work.done = unfolded + done
        work.tell(0.0, progress)

    def bounds() -> Bounds:
        first, second, last, outer = _all_bounds(work)
        # Bounds by dimension, as `men_in_planes` lays the pieces out: `outer` is empty where a dimension is not used.
        in_order = [outer, first, second][idle:] + [outer] * idle
        return in_order[1], in_order[2], last, in_order[0]

    planes = Planes(
        work.ending, work.metric, men, work.workers, work.draws, room, tell,
        lambda n, last: _expected(work, n, last), needs.needs(work.ending, work.metric),
    )  # fmt: skip
    return planes.solve(bounds, shares)


def _solve_layers(work: _Work, men: Men, state: SolverState, room: tuple[LayerBits, LayerBits, LayerBits]) -> None:
    """Runs pass after pass until nothing is new and no exit is due.

    Args:
        work: The solve.
        men: The pieces, laid out.
        state: The sets.
        room: Layers for the newest losses, the losses before (by DTM the same) and the newest wins; the last has the
            positions in check.
    """
    lost, before, won = room
    dtz = work.metric == DTZ
    last = layers.last_due(state, int(dtz))
    last = last // 2 if dtz else last
    work_before = work.done
    remaining_work = work.total - work.done
    n = 0
    while True:
        new = [0, 0]
        for number in (2 * n, 2 * n + 1) if dtz else (n,):
            if number % 2:
                result = _run_pass(work, men, state, number, before, won)
            else:
                result = _run_pass(work, men, state, number, won, before)
                lost, before = before, lost
            # The positions in check have been used: from now on this is an empty layer.
            if number == 0:
                won.words[:] = 0
                won.rows[:] = 0
            new = [a + b for a, b in zip(new, result, strict=True)]
        if not any(new) and n >= last:
            return
        # A layer takes half as long as those before, on average.
        to_come = 1 - (n + 1) / (_expected(work, n, last) + 1)
        work.done = max(work.done, work_before + remaining_work * (1 - to_come**2))
        work.tell(work_before + remaining_work - work.done, SolveProgress(n, *new))
        # By DTZ nothing can be new after a depth without news, until the exits behind the horizon are due.
        n = n + 1 if any(new) or not n or not dtz else last


def _expected(work: _Work, n: int, last: int) -> int:
    """Estimates the number of layers, seen from layer ``n`` with exits due up to the last."""
    longest = material.longest_moves(work.ending)
    plies = _LAYERS if longest is None else 2 * longest - 1
    return max(plies if work.metric == DTM else plies // 2, last, n + 1)


def _run_pass(work: _Work, men: Men, state: SolverState, number: int, source: LayerBits, out: LayerBits) -> list[int]:
    """Runs a pass; returns how many positions of each side to move are new. Checks that a byte holds them."""
    own = [(np.zeros(_SCRATCH, np.uint64), np.zeros(2, np.int64)) for _ in range(work.workers.threads)]
    if men.folded and number:
        # Only one order of two identical pieces is worked on, but a piece may move past the other: X is read in both.
        symmetric = np.empty_like(source.rows)
        layers.mirror_rows(source.rows, symmetric)
        source = source._replace(rows=symmetric)
    dtz = int(work.metric == DTZ)
    tasks = out.rows.size
    work.workers.run(layers.solve_layer, men, state, source, out, number, dtz, work.draws, 0, tasks, own=own)
    new = [sum(int(counts[side]) for _, counts in own) for side in (0, 1)]
    for side in (0, 1):
        if new[side]:
            metrics.check_range(work.ending, work.metric, number, side)
    return new


# With pawns.


def slice_men(ending: str) -> Men:
    """The pieces of a slice: up to three, and the white king on the last dimension."""
    pieces = _pieces(ending)
    return _laid_out([*[_IDLE] * (3 - len(pieces)), *pieces, _KING])._replace(pawned=1)


def _pieces(ending: str) -> list[tuple[int, int, int]]:
    return [(int(piece), int(color), 64) for piece, color in men_of(ending) if piece != chess.PAWN]


def pawns_placed(ending: str) -> exits.Pawns:
    """All placements of an ending's pawns, and their numbers."""
    white, black = pawns_of(ending)
    colors = np.array([1] * white + [0] * black, np.int64)
    rows = _rows(white, black)
    return exits.Pawns(colors, rows.reshape(-1), numbers_of(white, black), np.arange(len(rows)))


def _thread_args(men: Men, pawns: int, metric: Metric, wide: bool) -> tuple[Any, ...]:
    """One thread's own arguments of the kernel: its sets for one slice (D of codes or of bytes), and scratch."""
    rows = men.size0 * men.size1
    lost, before, won = (_empty_layer(rows, men.size0) for _ in range(3))
    if metric == DTM:
        before = lost
    moves = np.zeros(exits.MOST_EXITS * len(exits.Exit._fields), np.int64)
    both, scratch = np.zeros(2 * men.size0, np.uint64), np.zeros(_SCRATCH, np.uint64)
    return (
        _empty_sets(rows, men.size0, np.uint16 if wide else np.uint8),
        lost,
        before,
        won,
        both,
        men_now(pawns),
        moves,
        scratch,
    )


def _metric_values(work: _Work, wide: bool = False) -> exits.MetricValues:
    """What the metric makes of moves, in codes or in bytes."""
    ending, metric, dtype = work.ending, work.metric, np.dtype(np.uint16 if wide else np.uint8)
    exit_values = [_exit_values(metrics.worth(ending, side, metric, wide), dtype) for side in (0, 1)]
    draws = np.full(2, DRAW, dtype) if wide else work.draws
    reply_values = np.array(metrics.answered(metric, wide), dtype)
    return exits.MetricValues(int(metric == DTZ), draws, np.concatenate([*exit_values, reply_values]))


def _with_pawns(work: _Work, room: SolverBudget | None, deep: bool) -> SolvedEnding:
    """Solves an ending with pawns, in bounded memory if there is ``room``; at once in codes where it is deep."""
    return _bytes_or_codes(partial(_in_waves, work, room), deep)


def _bytes_or_codes(solve_with: Callable[[bool], SolvedEnding | None], deep: bool) -> SolvedEnding:
    """Solves in bytes, and in codes if it is deep or bytes have turned out not to hold a value."""
    result = None if deep else solve_with(False)
    if result is None:
        result = solve_with(True)
    if result is None:
        raise AssertionError("codes hold every value")
    return result


def _check_room(work: _Work, room: SolverBudget, least: int) -> None:
    """Raises EndingError if there is too little memory to solve an ending in codes."""
    if room.memory < least:
        raise EndingError(
            f"{work.ending} has values that a byte cannot hold, for which it needs {format_memory(least)} of memory",
            f"allow more than the {format_memory(room.memory)} that it may take; what is done stays",
        )


def _in_waves(work: _Work, room: SolverBudget | None, wide: bool) -> SolvedEnding | None:
    """Solves an ending with pawns wave by wave, in codes or in bytes; None where bytes do not hold a value."""
    if wide and room is not None:
        _check_room(work, room, needs.needs(work.ending, work.metric, True).least)
    ending, men, pawns = work.ending, slice_men(work.ending), pawns_placed(work.ending)
    advancements = waves.advancements(pawns)
    waves_of_slices = [np.flatnonzero(advancements == ranks) for ranks in np.unique(advancements)]
    banks = _PawnBanks(work, waves_of_slices, room is not None, wide)
    total = len(advancements)
    size = _SLOT * 2 * index.slots(ending) / total
    work.total = work.done + banks.price + size * total
    done = 0

    def tell(finished: int, in_progress: int) -> None:
        nonlocal done
        work.done += size * (finished - done)
        done = finished
        work.tell(size * in_progress, SolveProgress(done=finished, total=total))

    capacity = total
    log = None
    if room is not None:
        capacity = min(total, needs.slices_held(ending, work.metric, room.memory, work.workers.threads, wide))
        log = opened_log(ending, work.metric, room)
    thread_args = [_thread_args(men, len(pawns.white), work.metric, wide) for _ in range(work.workers.threads)]
    return waves.Waves(
        ending, work.metric, men, work.workers, pawns, _metric_values(work, wide), banks.unfolded, thread_args, tell,
        capacity, log, wide, 1 << 62 if wide else _latest(work),
    ).solve_all()  # fmt: skip


def _latest(work: _Work) -> int:
    """The first pass that must find nothing where an ending is solved in bytes.

    By DTM a byte holds a loss in 254 plies but no win in 255, so a move into such a loss would have a wrong value: a
    win in 253 plies (or, by a push, a draw). With five pieces no position has to make such a move.
    """
    return LAST_BYTE_LAYER if work.metric == DTM and material.men_count(work.ending) > 5 else 1 << 62


def _slice_by_slice(work: _Work, room: SolverBudget) -> SolvedEnding:
    """Solves an ending with one pawn in bounded memory."""
    return _bytes_or_codes(partial(_slices, work, room), room.may_exceed_bytes and work.metric == DTM)


def _slices(work: _Work, room: SolverBudget, deep: bool) -> SolvedEnding | None:
    """Solves it with exits as codes, or as bytes; None where bytes do not hold them."""
    needed = needs.needs(work.ending, work.metric, deep)
    if deep:
        _check_room(work, room, needed.least)
    white, black = pawns_of(work.ending)
    pieces, places = _pieces(work.ending), placements(white, black)
    men = _laid_out([*pieces, *[_IDLE] * (3 - len(pieces)), _KING])._replace(pawned=1)
    order = sorted(range(len(places)), key=lambda place: index.advancement(white, places[place]), reverse=True)
    size = men.sizeq * men.size0 * men.size1 * 8192
    shares = size * _PREPARED, size * _PASSED * _expected(work, 0, 0)
    pawn = _OnePawn(work, np.zeros(0, np.uint16 if deep else np.uint8))
    bank_work = {place: pawn.size(place) for place in order}
    capture_work = _unfolds(pawn.banks(0)[0][0].pieces, _rows(0, 0))
    work.total = capture_work + sum(bank_work.values()) + len(order) * sum(shares)
    finished = -1

    def before() -> float:
        return capture_work + sum(bank_work[place] for place in order[: finished + 1]) + finished * sum(shares)

    def begin(_: int) -> None:
        nonlocal finished
        finished += 1
        work.done = max(work.done, before() - bank_work[order[finished]])
        work.tell(0.0, SolveProgress(done=finished, total=len(order)))

    def tell(done: float, progress: SolveProgress) -> None:
        work.done = before() + done
        work.tell(0.0, progress if progress.phase else SolveProgress(done=finished, total=len(order)))

    return Slices(
        work.ending, work.metric, men, work.workers, work.draws, room, tell,
        lambda n, last: _expected(work, n, last), needed, deep=deep,
        pawns=pawns_placed(work.ending), metric_values=_metric_values(work), order=order, banks=pawn.unfolded,
        begin=begin,
    ).solve_all(shares)  # fmt: skip
