"""Unfolds the values of exits from sub-endings: the bounds of an ending without pawns, the banks of one with pawns.

What exits, bounds and banks are is explained in ``_kernels_exits``, which has the loops. This module decides which of
them an ending needs, which slots of the sub-endings have to be read for them, and how much of that at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import index, material, metrics
from endgame_core.chess.index import men_of, number_of, pawns_of, placement_count, placements
from endgame_core.chess.material import Man
from endgame_core.chess.solver import _kernels_exits as exit_kernels
from endgame_core.chess.solver._kernels_board import ALL, BLACK_PAWN, IMAGE
from endgame_core.chess.solver.blocks import Bounds
from endgame_core.chess.solver.layout import numbers_of, placement_rows
from endgame_core.game import DigitFilter, Lookup, SolveProgress
from endgame_core.language import _
from endgame_core.metric import DTM, Metric
from endgame_core.tables.kernels import KernelThreads
from endgame_core.values import BYTE_DRAW, byte_of

PROMOTED = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
_EVERY_KING_SQUARE = np.arange(64)
_READ_WHOLE_PIECES = 5
"""Pieces of the largest sub-endings of which all codes with one side to move are in memory."""
_SLOTS_READ_AT_ONCE = 1 << 28
"""Slots of a larger sub-ending with pawns that are read at a time; one pawn placement at least."""
_FILES = 8
"""Squares that a pawn promotes on."""


@dataclass(slots=True)
class SolverWork:
    """An ending that is being solved, and with what; see :func:`solve`.

    Attributes:
        total: All work, in bytes of an exit that are unfolded, as far as it is known.
        done: The finished part of the work.
    """

    ending: str
    metric: Metric
    lookup: Lookup
    on_progress: Callable[[SolveProgress], None]
    workers: KernelThreads
    total: float = 1.0
    done: float = 0.0

    def report(self, unit: float, progress: SolveProgress) -> None:
        """Reports the progress; ``ahead`` counts the unit of work being done as well."""
        share, ahead = (min(1.0, work / self.total) for work in (self.done, self.done + unit))
        self.on_progress(replace(progress, part=share, ahead=ahead))

    @property
    def draws(self) -> NDArray[np.uint8]:
        """The bytes of a draw with White and with Black to move."""
        return np.array([metrics.draw(self.ending, side, self.metric) for side in (0, 1)], np.uint8)

    def unfold(
        self, men: Sequence[Man], placed: NDArray[np.int64], side: int, data: NDArray[Any], steps: tuple[int, int],
        kings: NDArray[np.int64] = _EVERY_KING_SQUARE,
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
                self.unfold(men, batch, side, data[unfolded_size(men, placed[:first]) :], steps, kings)
            return
        mover = side ^ view.swapped
        size = unfolded_size(men, placed)
        ascending = _ascending(self.ending, men, placed.shape[1], side)
        own = [(np.zeros(len(men) + 1, np.int64),) for __ in range(self.workers.threads)]
        # Without a name only the two kings are left: nothing is read, every position is a draw.
        slot_digits = ()
        if name:
            slot_digits = wanted_slots(men, placed, view, name)
        # One without pawns is read in parts, by the squares of its outermost piece.
        parts = list(_parts(name, slot_digits, _on_one_of(men, placed, view)))
        for planes, part_wanted in parts:
            self.report(
                size / len(parts), SolveProgress(phase=_("reading {name}").format(name=name) if name else "captures")
            )
            if name:
                codes = self.lookup(name, mover, part_wanted)
            else:
                codes = np.full(4096, BYTE_DRAW, np.uint8)
            if self.metric == DTM and codes.itemsize > data.itemsize:
                raise AssertionError(
                    f"{name} has wins that a byte cannot hold: `SolverBudget.may_exceed_bytes` says so before"
                )
            values = exit_values(metrics.exit_codes(name, mover, self.metric, codes.itemsize > 1), data.dtype)
            self.workers.run(
                exit_kernels.unfold, codes, values, view, planes, ascending, side, data, kings, *steps, own=own
            )
            self.done += size / len(parts)


def _ascending(ending: str, men: Sequence[Man], placed: int, side: int) -> int:
    """1 if the first two free pieces after an exit are identical, and in ascending order whenever it is made.

    Identical pieces are solved in one order only. If one of them takes something, it leaves that order.
    """
    pieces = [man for man in men_of(ending) if man.kind != chess.PAWN]
    free = men[placed:]
    if len(pieces) <= (1 if material.has_pawns(ending) else 2) or pieces[0] != pieces[1]:
        return 0
    takes = pieces[0][1] == bool(side) and all(piece == chess.PAWN for piece, __ in men[:placed])  # no pawn promotes
    return int(free.count(pieces[0]) == pieces.count(pieces[0]) and not takes)


def exit_values(codes: Sequence[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The values of exits, as codes or as bytes."""
    return np.array(codes if dtype.itemsize > 1 else [byte_of(code) for code in codes], dtype)


def _parts(name: str, slot_digits: DigitFilter, either: Collection[int]) -> Iterator[tuple[np.uint64, DigitFilter]]:
    """Divides the slots that are read of a sub-ending, by the square of its outermost piece.

    A sub-ending of six pieces without pawns is read in ten parts. Squares that are copies of each other are in one
    part, so that every position is. One with pawns is read for some placements instead; see :func:`_rows_at_once`.

    Args:
        name: The sub-ending.
        slot_digits: The slots that are needed.
        either: Squares of which one has one of the two outermost pieces, if these are identical; else empty.

    Yields:
        Squares of the outermost piece, as bits, and the slots to read.
    """
    if material.men_count(name) <= _READ_WHOLE_PIECES or material.has_pawns(name):
        yield ALL, slot_digits
        return
    for square in index.TRIANGLE:
        copies = {int(IMAGE[64 * symmetry + square]) for symmetry in range(8)}
        if squares := copies & set(slot_digits[0]):
            if either and copies.isdisjoint(either):
                second = either
            else:
                second = slot_digits[1]
            yield np.uint64(sum(1 << copy for copy in copies)), [sorted(squares), second, *slot_digits[2:]]


def _rows_at_once(name: str) -> int:
    """For how many placed rows a sub-ending with pawns is read at a time: few with six pieces, else all."""
    if material.men_count(name) <= _READ_WHOLE_PIECES:
        return 1 << 62
    return _FILES * max(1, _SLOTS_READ_AT_ONCE // prod(index.axes(name)[1:]))


def unfolding_work(ending: str) -> float:
    """Work of unfolding all captures of an ending without pawns."""
    men = men_of(ending)
    return len(set(men)) * 64.0 ** (len(men) + 1)


def unfolded_size(men: Sequence[Man], placed: NDArray[np.int64]) -> int:
    """Elements that are unfolded of an exit to these pieces."""
    return len(placed) * 64 ** (len(men) - placed.shape[1] + 2)


def view_of(men: tuple[Man, ...], placed: NDArray[np.int64]) -> tuple[exit_kernels.BankView, str]:
    """Makes the view of some pieces, and finds their ending (empty for two bare kings)."""
    pieces = np.array([BLACK_PAWN if man == Man(chess.PAWN, chess.BLACK) else man.kind for man in men], np.int64)
    fitted = index.fit_to_ending(men)
    index_men = men_of(fitted.ending) if fitted.ending else ()
    colors = [color for piece, color in index_men if piece == chess.PAWN]
    pawned = bool(colors) or not fitted.ending
    others = index_men[len(colors) :]
    alike = sum(1 << i for i in range(len(others) - 1) if others[i] == others[i + 1])
    view = exit_kernels.BankView(
        pieces, np.array([int(color) for __, color in men], np.int64), placed.reshape(-1), placed.shape[1],
        np.array(fitted.numbers, np.int64), len(colors) if pawned else -1,
        numbers_of(sum(colors), len(colors) - sum(colors)) if pawned else np.zeros(1, np.int32),
        int(fitted.is_swapped), alike,
    )  # fmt: skip
    return view, fitted.ending


def wanted_slots(men: Sequence[Man], placed: NDArray[np.int64], view: exit_kernels.BankView, name: str) -> DigitFilter:
    """The slots of a sub-ending that some placements reach: a piece that has just promoted stands on few squares."""
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


def _on_one_of(men: Sequence[Man], placed: NDArray[np.int64], view: exit_kernels.BankView) -> list[int]:
    """Squares of which one has one of the two outermost pieces of a sub-ending without pawns.

    Empty unless these two are identical, and one of them is placed.
    """
    alike = []
    if view.pawns < 0:
        alike = [man for man in view.places.tolist() if men[man] == men[view.places[0]]]
    placed_alike = [man for man in alike if man < placed.shape[1]]
    if len(alike) == 2 and len(placed_alike) == 1:
        return _copies(placed[:, placed_alike[0]])
    return []


def capture_bounds(work: SolverWork, victim: int) -> NDArray[np.uint8]:
    """The values of captures of one piece to the side that takes it, by placement after the capture."""
    men = men_of(work.ending)
    others = [man for i, man in enumerate(men) if i != victim]
    words = 64 ** (len(others) + 1)
    out = np.zeros((exit_kernels.NEAR_KING.max() + 1) * words, np.uint8)
    work.unfold(
        others, np.zeros((1, 0), np.int64), int(not men[victim].color), out, (64, words), exit_kernels.NEAR_KING
    )
    return out


def all_bounds(work: SolverWork) -> Bounds:
    """The bounds of p0, p1, the last piece and q; identical pieces share theirs, empty where there is none."""
    men = men_of(work.ending)
    result: dict[Man, NDArray[np.uint8]] = {}
    for victim, man in enumerate(men):
        if man not in result:
            result[man] = capture_bounds(work, victim)
    outer, first, second, last = [np.zeros(0, np.uint8)] * (4 - len(men)) + [result[man] for man in men]
    return first, second, last, outer


@dataclass(frozen=True, slots=True)
class Bank:
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
        pawns = [Man(chess.PAWN, color) for color in self.pawns]
        if self.promoted is None:
            return [[*pawns, *self.pieces]]
        return [[*pawns, Man(piece, self.promoted), *self.pieces] for piece in PROMOTED]


def all_banks(pieces: Sequence[Man], pawns: Sequence[bool]) -> list[Bank]:
    """Lists all banks of an ending with up to two pieces, and with pawns (colours, White's first).

    Three pieces have one pawn beside them: such an ending is solved slice by slice; see :class:`OnePawnBanks`.
    """
    assert len(pieces) <= 2, "of three pieces the first is q, whose banks are not listed here"
    result: list[Bank] = []

    def add(number: int, side: int, pawn: bool | None, promoted: bool | None, piece: int | None) -> None:
        pawns_after = list(pawns)
        if pawn is not None:
            if pawn not in pawns_after:
                return
            pawns_after.remove(pawn)
        placed = placement_rows(sum(pawns_after), len(pawns_after) - sum(pawns_after))
        if promoted is not None:
            # A single pawn stands on files a to d, and promotes there unless it takes something.
            files = np.arange(8 if pawns_after or piece is not None else 4) + (56 if promoted else 0)
            placed = np.column_stack([np.repeat(placed, len(files), axis=0), np.tile(files, len(placed))])
        others = tuple(man for i, man in enumerate(pieces) if i != piece)
        result.append(Bank(number, side, tuple(pawns_after), promoted, others, placed))

    # Each piece is taken by a piece, or by a pawn that promotes; each pawn is taken, or promotes.
    for i, (__, color) in enumerate(pieces):
        dimension = i + 2 - len(pieces)  # p0 and p1, or p1 alone
        add(dimension, int(not color), None, None, i)
        add(exit_kernels.PROMOTE_TAKING_P0 + dimension, int(not color), not color, not color, i)
    for color in (False, True):
        add(exit_kernels.TAKE_PAWN + color, int(not color), color, None, None)
        add(exit_kernels.PROMOTE + color, int(color), color, color, None)
    return result


@dataclass(slots=True)
class PawnBanks:
    """The banks of an ending with pawns. With six pieces those of promotions are *cut*, to what one wave needs.

    Attributes:
        work: The solve.
        waves: The slices of each wave.
        cut: Whether promotions are cut.
        wide: Whether banks are of codes, not of bytes.
        sizes: Elements of what is cut, wave by wave.
    """

    work: SolverWork
    waves: Sequence[NDArray[np.int64]]
    cut: bool
    wide: bool
    sizes: list[int] = field(init=False)
    _whole: list[Bank] = field(init=False)
    _parted: list[Bank] = field(init=False)
    _now: exit_kernels.Banks | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        white, black = pawns_of(self.work.ending)
        banks = all_banks(men_of(self.work.ending)[white + black :], [True] * white + [False] * black)
        self._parted = [bank for bank in banks if self.cut and bank.promoted is not None]
        # Promotions last, so that they can be released.
        self._whole = sorted(
            (bank for bank in banks if bank not in self._parted), key=lambda bank: bank.promoted is not None
        )
        self.sizes = [sum(self._for_slices(bank, wave)[0].size for bank in self._parted) for wave in self.waves]

    @property
    def price(self) -> float:
        """The work of unfolding all banks."""
        parts = [self._for_slices(bank, wave)[0] for bank in self._parted for wave in self.waves]
        return sum(unfolded_size(men, bank.placed) for bank in [*self._whole, *parts] for men in bank.materials())

    def _for_slices(self, bank: Bank, slice_numbers: NDArray[np.int64]) -> tuple[Bank, NDArray[np.int32]]:
        """The part of a bank of promotions that some slices need, and the placement numbers in it."""
        white, black = pawns_of(self.work.ending)
        squares = placement_rows(white, black)[slice_numbers]
        numbers = bank.numbers
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

    def unfolded(self, slice_numbers: NDArray[np.int64]) -> exit_kernels.Banks:
        """Returns the banks of some slices of a wave; they replace those of other slices."""
        if self._now is not None and not self.cut:
            self._release_promotions(slice_numbers)
            return self._now
        banks = [(bank, bank.numbers) for bank in self._whole]
        banks += [(bank, numbers) for bank, numbers in (self._for_slices(bank, slice_numbers) for bank in self._parted)]
        whole = sum(bank.size for bank in self._whole)
        is_first = self._now is None
        dtype = np.uint16 if self.wide else np.uint8
        if self._now is None:
            data = np.zeros(whole + max(self.sizes), dtype)
        else:
            data = self._now.data
        data[whole:] = 0
        # Whole banks come first and stay; those that are cut are unfolded again for each wave.
        starts = np.zeros(exit_kernels.BANKS, np.int64)
        tables = np.zeros(exit_kernels.BANKS, np.int64)
        start = table = 0
        for bank, numbers in banks:
            starts[bank.number], tables[bank.number] = start, table
            if bank.size and (is_first or start >= whole):
                for men in bank.materials():
                    self.work.unfold(men, bank.placed, bank.side, data[start:], (4096, 64))
            start = start + bank.size
            table = table + len(numbers)
        self._now = exit_kernels.Banks(data, starts, np.concatenate([numbers for __, numbers in banks]), tables)
        return self._now

    def _release_promotions(self, slice_numbers: NDArray[np.int64]) -> None:
        """Release the banks of promotions where a single pawn, in these slices, is not about to promote any more."""
        assert self._now is not None
        white, black = pawns_of(self.work.ending)
        kept_bytes = sum(bank.size for bank in self._whole if bank.promoted is None)
        if white + black > 1 or kept_bytes == len(self._now.data):
            return
        if not np.isin(placement_rows(white, black)[slice_numbers] >> 3, 6 if white else 1).any():
            self._now = self._now._replace(data=self._now.data[:kept_bytes].copy())


_TAKE_BANKS = (exit_kernels.TAKE_Q, exit_kernels.TAKE_P0, exit_kernels.TAKE_P1)
"""The banks of captures of the first, second and third piece of an ending with one pawn and three pieces."""
_PROMOTE_TAKING = {
    exit_kernels.TAKE_Q: exit_kernels.PROMOTE_TAKING_Q,
    exit_kernels.TAKE_P0: exit_kernels.PROMOTE_TAKING_P0,
    exit_kernels.TAKE_P1: exit_kernels.PROMOTE_TAKING_P1,
}
"""The bank in which a pawn promotes and takes the same piece as in another bank."""


@dataclass(slots=True)
class OnePawnBanks:
    """The banks of one slice after another, of an ending with one pawn.

    Attributes:
        work: The solve.
        data: Room for the banks of a slice, bytes or codes. That of the pawn's capture is first, and the same for all
            slices.
    """

    work: SolverWork
    data: NDArray[Any]

    def banks(self, slice_number: int) -> list[tuple[Bank, int, NDArray[np.int32]]]:
        """Lists the banks of a slice.

        Returns:
            For each bank the row that it would begin with if it had all placements, and its placement numbers.
        """
        white, black = pawns_of(self.work.ending)
        color = bool(white)
        pieces = men_of(self.work.ending)[1:]
        (square,) = placements(white, black)[slice_number]
        step = 8 if color else -8
        no_pawns = numbers_of(0, 0)
        capture_squares = [square + step + file for file in (-1, 1) if 0 <= (square & 7) + file < 8]
        is_last_rank = not 8 <= square + step < 56
        result = [
            (Bank(exit_kernels.TAKE_PAWN + color, int(not color), (), None, pieces, placement_rows(0, 0)), 0, no_pawns)
        ]
        # The pawn stays where it is, or takes a piece and goes a file aside.
        captures = []
        if not is_last_rank:
            captures = [number_of(white, black, [to])[0] for to in capture_squares]
        needed = sorted({slice_number, *captures})
        numbers = numbers_of(white, black)
        rows = np.full(placement_count(white, black), -1, np.int32)
        rows[needed] = range(len(needed))
        numbers = 2 * rows[numbers >> 1] + (numbers & 1)
        for (__, piece_color), others, bank in zip(pieces, _others(pieces), _TAKE_BANKS, strict=False):
            placed = placement_rows(white, black)[needed]
            result.append((Bank(bank, int(not piece_color), (color,), None, others, placed), 0, numbers))
            if is_last_rank and piece_color != color:
                to = np.arange(min(capture_squares), max(capture_squares) + 1)[:, None]
                bank = _PROMOTE_TAKING[bank]
                result.append((Bank(bank, int(color), (), color, others, to), int(to[0, 0]) & 7, no_pawns))
        if is_last_rank:
            result.append(
                (
                    Bank(exit_kernels.PROMOTE + color, int(color), (), color, pieces, np.array([[square + step]])),
                    square & 7,
                    no_pawns,
                )
            )
        return result

    def size(self, slice_number: int) -> int:
        """Bytes that are unfolded for a slice."""
        banks = self.banks(slice_number)[1:]
        return sum(unfolded_size(men, bank.placed) for bank, __, __ in banks for men in bank.materials())

    def unfolded(self, slice_number: int) -> exit_kernels.Banks:
        """The banks of a slice, in place of those of the slice before."""
        banks = self.banks(slice_number)
        starts = np.zeros(exit_kernels.BANKS, np.int64)
        tables = np.zeros(exit_kernels.BANKS, np.int64)
        numbers: list[NDArray[np.int32]] = []
        start = 0
        is_first = not self.data.size
        if is_first:
            count = placement_count(*pawns_of(self.work.ending))
            self.data = np.zeros(
                max(_total_size(self.banks(slice_number)) for slice_number in range(count)), self.data.dtype
            )
        self.data[banks[0][0].size :] = 0
        for bank, row, bank_numbers in banks:
            starts[bank.number] = start - row * (bank.size // len(bank.placed))
            tables[bank.number] = sum(len(table) for table in numbers)
            numbers.append(bank_numbers)
            if start or is_first:
                for men in bank.materials():
                    self.work.unfold(men, bank.placed, bank.side, self.data[start:], (4096, 64))
            start += bank.size
        return exit_kernels.Banks(self.data, starts, np.concatenate(numbers), tables)


def _others(pieces: Sequence[Man]) -> list[tuple[Man, ...]]:
    """All but one of some pieces, for each of them."""
    return [(*pieces[:i], *pieces[i + 1 :]) for i in range(len(pieces))]


def _total_size(banks: Sequence[tuple[Bank, int, NDArray[np.int32]]]) -> int:
    return sum(bank.size for bank, __, __ in banks)
