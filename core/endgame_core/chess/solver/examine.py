"""Examines the moves of all positions of a chess ending. The loops are in ``_kernels_moves``.

**Bounded memory.** Whatever a move leads to is looked up by slot. In a survey two bits of each slot are in memory for
that (its result), and only of the side that is then to move. The codes of the positions themselves are read in blocks:
all slots, or a range of the outermost digits. A large ending with pawns is examined in parts, some placements of the
pawns at a time: only moves of pawns lead out of a placement, so few other placements have to be in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess.index import axes, men_of, number_of, pawns_of, placements, slots
from endgame_core.chess.material import Man
from endgame_core.chess.solver import _kernels_moves as kernels
from endgame_core.chess.solver._kernels_board import BLACK_PAWN
from endgame_core.chess.solver.exits import PROMOTED, view_of, wanted_slots
from endgame_core.chess.solver.layout import numbers_of, pawns_placed
from endgame_core.chess.solver.needs import BLOCK, FEW, PART
from endgame_core.chess.solver.stored_slots import find_stored_slots, stretches
from endgame_core.game import DigitFilter, KindCount, Lookup, MoveSurvey, SolveProgress
from endgame_core.tables import mmap_arrays
from endgame_core.tables.kernels import KernelThreads
from endgame_core.values import BYTE_DRAW, CODES_OF_BYTES, code_before

_WHERE = (1 << kernels.WHERE_BITS) - 1
"""Bits of the slot below the depth, in a number of ``deepest``."""

_READING = 0.15
"""Share of the work on a side that is reading what its moves lead to."""


class EndingMoves:
    """The moves of an ending with one side to move.

    Args:
        ending: Canonical name.
        side: Side to move, 0 for the side named first.
        codes: Reads the codes of the ending and of its sub-endings.
        part: Placements of the pawns that are examined; all of them when empty.
    """

    def __init__(self, ending: str, side: int, codes: Lookup, part: Collection[int] = ()) -> None:
        self.ending = ending
        self.side = side
        self._promoting = _promoting(ending, side, part)
        self._men = men_of(ending)
        self._look = codes
        self._held: dict[tuple[str, int], NDArray[Any]] = {}
        self._rows: list[list[int]] = []
        self._places: list[int] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self._joined: list[NDArray[np.int32]] = []
        self.field = self._field()

    def _field(self) -> kernels.Field:
        """Makes the arrays that kernels read."""
        men = self._men
        mover = self.side == 0
        tables = np.full((1 + 4 * len(men), 1 + len(men)), -1, np.int64)
        # Quiet moves stay in the ending. Then, for each piece that may be taken (or none), promotions by piece.
        tables[0, 0] = self._table(dict(enumerate(men)))
        if all(pawns_of(self.ending)):
            for i in range(sum(pawns_of(self.ending))):
                if men[i].color == mover:  # the answer takes it en passant
                    tables[0, 1 + i] = self._table({j: man for j, man in enumerate(men) if j != i}, turns=2)
        for victim in (None, *(j for j, man in enumerate(men) if man.color != mover)):
            remaining = {i: man for i, man in enumerate(men) if i != victim}
            column = 0 if victim is None else 1 + victim
            if victim is not None:
                tables[0, column] = self._table(remaining)
            for i, man in remaining.items():
                if man == Man(chess.PAWN, mover) and self._promoting:
                    for number, piece in enumerate(PROMOTED):
                        tables[1 + 4 * i + number, column] = self._table({**remaining, i: Man(piece, mover)}, i)
        pawns = sum(pawns_of(self.ending))
        numbers = np.concatenate([*self._joined, np.zeros(1, np.int32)])
        codes, wide, counts, pawned, starts, swapped, alike = np.array(self._rows, np.int64).T.copy()
        return kernels.Field(
            np.array([BLACK_PAWN if man == Man(chess.PAWN, chess.BLACK) else man.kind for man in men], np.int64),
            np.array([int(color) for _, color in men], np.int64),
            pawns, pawns_placed(self.ending).squares if pawns else np.zeros(1, np.int64),
            int(pawns == 1 and len(set(men)) == len(men)),
            np.array(_steps(len(men), pawns), np.int64), tables.reshape(-1),
            codes, wide, counts, np.array(self._places, np.int64), pawned, starts, numbers, swapped, alike,
            np.array([code_before(code) for code in CODES_OF_BYTES], np.uint16),
        )  # fmt: skip

    def _table(self, men: dict[int, Man], promoted: int | None = None, turns: int = 1) -> int:
        """Adds the table to which some pieces belong, and reads its codes.

        Of a table that is reached by promotion only those slots are read where the piece is on the last rank; no other
        move leads there.

        Args:
            men: The pieces by their number in the ending.
            promoted: The one that has promoted, if any.
            turns: Moves from the ending's position to this one.

        Returns:
            The number of the table; -1 for bare kings.
        """
        view, name = view_of(tuple(men.values()), np.zeros((1, 0), np.int64))
        if not name:
            return -1
        key = name, (self.side + turns & 1) ^ view.swapped
        if key not in self._held:
            self._held[key] = self._look(*key, () if promoted is None else _promoted(men, promoted, self._promoting))
        start = 0
        if view.pawns > 0:
            colors = pawns_of(name)
            if colors not in self._numbers:
                self._numbers[colors] = sum(map(len, self._joined))
                self._joined.append(numbers_of(*colors))
            start = self._numbers[colors]
        numbers = list(men)
        places = [numbers[place] for place in view.places.tolist()]
        # Kernels read the array by its address; ``_held`` keeps it in memory.
        codes = self._held[key]
        address = codes.ctypes.data
        wide = {1: 0, 2: 1, 8: kernels.RESULTS}[codes.itemsize]
        self._rows.append([address, wide, len(places), view.pawns, start, view.swapped, view.alike])
        self._places += [*places, *[0] * (kernels.MOST - len(places))]
        return len(self._rows) - 1

    @cached_property
    def codes(self) -> NDArray[Any]:
        """The stored codes of the ending with the side to move."""
        return self._look(self.ending, self.side)

    def own(self, threads: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """For each thread the piece types, and room for squares."""
        return [(self.field.pieces.copy(), np.zeros(len(self._men), np.int64)) for _ in range(threads)]

    def describe(self, slots: NDArray[np.int64], next_stored_bits: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Finds all facts about the moves of some positions: int64 of shape (n, 7), see the kernel.

        Args:
            slots: Canonical slots.
            next_stored_bits: Bits of the legal canonical slots with the other side to move.
        """
        result = np.zeros((len(slots), 7), np.int64)
        workers = KernelThreads(1)
        next_codes = self._look(self.ending, 1 - self.side)
        workers.run(
            kernels.describe, self.field, self.side, self.codes, next_codes, next_stored_bits, slots,
            result.reshape(-1), own=self.own(1),
        )  # fmt: skip
        workers.close()
        return result

    def find_facts(
        self,
        slots: NDArray[np.int64],
        codes: NDArray[Any],
        next_stored_bits: NDArray[np.uint64],
        enough: int,
        hanging: bool,
    ) -> NDArray[np.int64]:
        """Finds what queries ask about the moves of some positions: int64 of shape (n, 7), see the kernel.

        Any thread may call it.

        Args:
            slots: Canonical slots.
            codes: What the table stores of them.
            next_stored_bits: Bits of the legal canonical slots with the other side to move.
            enough: Stop after this number of moves that keep the result.
            hanging: Whether to find hanging pieces.
        """
        from endgame_core.chess.solver._kernels_query import find_facts

        result = np.zeros((len(slots), 7), np.int64)
        next_codes = self._look(self.ending, 1 - self.side)
        ((pieces, squares),) = self.own(1)
        find_facts(
            self.field, self.side, codes, next_codes, next_stored_bits, slots, enough, hanging, result.reshape(-1),
            pieces, squares,
        )  # fmt: skip
        return result

    def survey(
        self,
        codes: NDArray[Any],
        stored_bits: NDArray[np.uint64],
        words: range,
        threads: int,
        look: Callable[[float], None],
    ) -> ExamineTally:
        """Counts boards with a hanging piece, and positions of each kind.

        What is looked up with the other side to move has to be results, two bits a slot.

        Args:
            codes: The stored codes.
            stored_bits: Bits of the legal canonical slots.
            words: Words of ``stored_bits`` to examine.
            threads: Threads to work with.
            look: Called now and then with the part done; what it raises is raised here.
        """
        tasks = max(1, -(-len(words) // kernels.WORDS))
        threads = min(threads, tasks)
        own = [(*room, *ExamineTally.empty()) for room in self.own(threads)]
        next_results = self._look(self.ending, 1 - self.side)
        workers = KernelThreads(threads)
        try:
            workers.run(
                kernels.survey, self.field, self.side, codes, next_results, stored_bits, words.start, words.stop,
                own=own, look=lambda done: look(min(1.0, done / tasks)),
            )  # fmt: skip
        finally:
            workers.close()
        return ExamineTally(np.sum([row[2] for row in own], axis=0), np.max([row[3] for row in own], axis=0))


class ExamineTally(NamedTuple):
    """The sums of an examination, as the kernel returns them.

    Attributes:
        sums: Boards with a hanging piece by result for the side to move (win, draw, loss), then positions of each kind.
        deepest: The deepest position of each kind.
    """

    sums: NDArray[np.int64]
    deepest: NDArray[np.int64]

    @classmethod
    def empty(cls) -> ExamineTally:
        """A tally of 0."""
        return cls(np.zeros(3 + len(kernels.KINDS), np.int64), np.zeros(len(kernels.KINDS), np.int64))

    def with_(self, other: ExamineTally) -> ExamineTally:
        """The sum of two tallies."""
        return ExamineTally(self.sums + other.sums, np.maximum(self.deepest, other.deepest))

    @property
    def hanging(self) -> list[int]:
        """Boards with a hanging piece, by result for the side to move."""
        return self.sums[:3].tolist()

    def kinds(self, side: int) -> list[KindCount]:
        """The kinds of positions that occur with one side to move."""
        return [
            # 0 means none, hence the - 1. The slot is stored as its complement: the maximum is the deepest, then the
            # lowest slot.
            KindCount(kind, side, count, top - 1 >> kernels.WHERE_BITS, _WHERE - (top - 1 & _WHERE))
            for kind, count, top in zip(kernels.KINDS, self.sums[3:].tolist(), self.deepest.tolist(), strict=True)
            if count
        ]


def _promoting(ending: str, side: int, part: Collection[int]) -> list[int]:
    """Lists the squares on which a pawn of one side may promote, in some placements of the pawns (all if empty)."""
    white, black = pawns_of(ending)
    if side == 0:
        own = slice(0, white)
    else:
        own = slice(white, white + black)
    last, before = (56, 6) if side == 0 else (0, 1)
    # All placements: the pawns may promote on every file.
    if not part or not any(pawns_of(ending)):
        if pawns_of(ending)[side]:
            return [last + file for file in range(8)]
        return []
    # A pawn one step from promotion goes straight on, or takes to a file beside.
    files = {square & 7 for place in part for square in placements(white, black)[place][own] if square >> 3 == before}
    return [last + file for file in range(8) if files & {file - 1, file, file + 1}]


def _promoted(men: dict[int, Man], promoted: int, squares: Sequence[int]) -> DigitFilter:
    """The slots with these pieces where the one that has just promoted is on one of some squares."""
    ordered = [men[promoted], *(man for i, man in men.items() if i != promoted)]
    placed = np.array(squares, np.int64).reshape(-1, 1)
    return wanted_slots(ordered, placed, *view_of(tuple(ordered), placed))


def _steps(men: int, pawns: int) -> list[int]:
    """Words from one square of each piece to the next, and of the white king last."""
    if pawns:
        return [*[0] * pawns, *(64 ** (men - i) for i in range(pawns, men)), 1]
    return [*(640 * 64 ** (men - 2 - i) for i in range(men - 1)), 1, 64]


def parts_of(ending: str) -> list[range]:
    """Divides the digits of the outermost axis into parts that are examined together.

    One part, but for a large ending with pawns: only moves of pawns lead from one of their placements to another, so
    only few others have to be read with a part.
    """
    digits = axes(ending)[0]
    count = slots(ending)
    # Small endings, and those without pawns, are one part.
    size = digits
    if count > mmap_arrays.IN_MEMORY_BYTES and any(pawns_of(ending)):
        size = max(1, PART * digits // count)
    return [range(first, min(first + size, digits)) for first in range(0, digits, size)]


def reached(ending: str, part: range) -> list[int]:
    """Lists some placements of the pawns, and those that a push leads to from them."""
    colors = pawns_of(ending)
    result = set(part)
    for place in part:
        squares = placements(*colors)[place]
        for i, square in enumerate(squares):
            step, home = (8, 1) if i < colors[0] else (-8, 6)
            for to in (square + step, square + 2 * step)[: 2 if square >> 3 == home else 1]:
                if to in squares or not 8 <= to < 56:
                    break
                result.add(number_of(*colors, [*squares[:i], to, *squares[i + 1 :]])[0])
    return sorted(result)


class Block(NamedTuple):
    """Consecutive slots that are examined together.

    Attributes:
        slot_digits: Their digits, axis by axis; all of the ending when empty.
        slots: The slots; not all of them have to be wanted.
    """

    slot_digits: DigitFilter
    slots: range


def blocks_of(ending: str, slot_digits: DigitFilter = ()) -> Iterator[Block]:
    """Divides the wanted slots of an ending, all by default, into blocks that are not too large."""
    lengths = axes(ending)
    count = slots(ending)
    if not slot_digits and count <= BLOCK:
        yield Block((), range(count))
        return
    outer, *rest = map(sorted, slot_digits) if slot_digits else map(range, lengths)
    each = count // lengths[0]
    part = each // lengths[1]
    many = max(1, BLOCK // part)
    for first, end in stretches(ending, outer):
        digits = range(first // each, end // each)
        if each <= BLOCK:
            for outer_digits in (digits[at : at + BLOCK // each] for at in range(0, len(digits), BLOCK // each)):
                yield Block([outer_digits, *rest], range(outer_digits.start * each, outer_digits.stop * each))
            continue
        for digit in digits:
            for start in range(0, lengths[1], many):
                if inner := [at for at in rest[0] if start <= at < start + many]:
                    spread = range(digit * each + inner[0] * part, digit * each + (inner[-1] + 1) * part)
                    yield Block([[digit], inner, *rest[1:]], spread)


class Side:
    """The stored codes of an ending with one side to move, read block by block.

    Args:
        ending: Canonical name.
        side: Side to move.
        codes: Reads the stored codes.
        threads: Threads to work with.
        slot_digits: Digits of the slots that are needed, axis by axis; all of them when empty.
    """

    def __init__(self, ending: str, side: int, codes: Lookup, threads: int, slot_digits: DigitFilter = ()) -> None:
        self.ending = ending
        self.side = side
        self.threads = threads
        self.slot_digits = slot_digits
        self.blocks = list(blocks_of(ending, slot_digits))
        self._codes = codes
        self._cached: tuple[Collection[int], Any] = (), None

    def read(self, block: Block) -> tuple[NDArray[Any], NDArray[np.uint64]]:
        """Reads the stored codes of a block and the bits of its legal canonical slots; both have room for all slots."""
        outer = ()
        if block.slot_digits:
            outer = block.slot_digits[0]
        if self._cached[1] is None or self._cached[0] != outer:
            self._cached = (), None
            self._cached = outer, self._only(outer)
        return self._codes(self.ending, self.side, block.slot_digits), self._cached[1]

    def _only(self, outer: Collection[int]) -> NDArray[np.uint64]:
        """Bits of the stored slots with some digits on the outermost axis, and only wanted ones on the others."""
        lengths = axes(self.ending)[:-1]
        within = ()
        if outer:
            within = [outer, *(self.slot_digits or [*map(range, axes(self.ending))])[1:]]
        result = find_stored_slots(self.ending, self.side, self.threads, within)
        for axis, digits in enumerate(self.slot_digits[1 : len(lengths)]):
            if missing := sorted({*range(lengths[1 + axis])} - {*digits}):
                for first, end in stretches(self.ending, sorted(outer)):
                    words = result[first // 64 : end // 64].reshape(-1, *lengths[1:])
                    np.moveaxis(words, 1 + axis, 0)[np.array(missing, np.int64)] = 0
        return result

    def room(self, blocks: Sequence[Block]) -> NDArray[np.uint64]:
        """Room for the results of some blocks."""
        parts = [(block.slots.start // 32, block.slots.stop // 32) for block in blocks]
        return mmap_arrays.zeros(slots(self.ending) // 32, np.uint64, parts)

    def sum_up(self, block: Block, codes: NDArray[Any], bits: NDArray[np.uint64], results: NDArray[np.uint64]) -> None:
        """Writes the results of a block, given its stored codes."""
        workers = KernelThreads(self.threads if len(block.slots) > FEW else 1)
        workers.run(kernels.sum_up, codes, bits, block.slots.start // 64, block.slots.stop // 64, results)
        workers.close()

    def results(self, look: Callable[[float], None] = lambda _: None) -> NDArray[np.uint64]:
        """Computes the results: two words for each 64 slots, uint64 of shape (slots / 32,), see the kernel.

        Args:
            look: Called now and then with the part done; what it raises is raised here.
        """
        result = self.room(self.blocks)
        for done, block in enumerate(self.blocks):
            look(done / len(self.blocks))
            self.sum_up(block, *self.read(block), result)
        return result


def examine(
    ending: str, codes: Lookup, threads: int, on_progress: Callable[[SolveProgress], None]
) -> Iterator[MoveSurvey]:
    """Examines an ending of three to six pieces, part by part.

    Results are in memory of what moves lead to, two bits a slot; codes of what captures lead to. What is stored of the
    positions themselves is read block by block.

    Args:
        ending: Canonical name.
        codes: Reads the stored codes of the ending and of its sub-endings, shape (slots,).
        threads: Threads to work with.
        on_progress: Called with the progress; an exception it raises stops the survey.

    Yields:
        The results of a block, and the counts of both sides to move so far.
    """
    tallies = [ExamineTally.empty(), ExamineTally.empty()]
    parts = parts_of(ending)
    men = len(men_of(ending))
    total = 2 * len(parts)
    for number, part in enumerate(parts):
        inner = [*map(range, axes(ending)[1:])]
        is_whole = len(parts) == 1
        reach: DigitFilter = () if is_whole else [reached(ending, part), *inner]
        for order, side in enumerate((1, 0)):

            def look(done: float, base: float = 2 * number + order) -> None:
                part_done = (base + done) / total
                thousandths = round(1000 * part_done)
                on_progress(SolveProgress(phase="moves", done=thousandths, total=1000, part=part_done, ahead=part_done))

            other_side = Side(ending, 1 - side, codes, threads, reach)
            next_results = other_side.results(lambda done, look=look: look(_READING * done))

            def read_codes(
                name: str, mover: int, slot_digits: DigitFilter = (), next_results: Any = next_results
            ) -> Any:
                if name == ending:
                    return next_results
                if len(men_of(name)) < men:  # captures, also en passant, need exact values
                    return codes(name, mover, slot_digits)
                return Side(name, mover, codes, threads, slot_digits).results()

            moves = EndingMoves(ending, side, read_codes, () if is_whole else part)
            own_side = Side(ending, side, codes, threads, () if is_whole else [part, *inner])
            for at, block in enumerate(own_side.blocks):
                codes_of_block, stored_bits = own_side.read(block)
                words = range(block.slots.start // 64, block.slots.stop // 64)

                def share(done: float, look: Any = look, at: int = at, blocks: int = len(own_side.blocks)) -> None:
                    look(_READING + (1 - _READING) * (at + done) / blocks)

                tallies[side] = tallies[side].with_(moves.survey(codes_of_block, stored_bits, words, threads, share))
                if side == 0:
                    results = own_side.room([block])
                    own_side.sum_up(block, codes_of_block, stored_bits, results)
                    spread = slice(2 * words.start, 2 * words.stop)
                    yield MoveSurvey(
                        [results[spread].reshape(-1, 2), next_results[spread].reshape(-1, 2)],
                        [tally.hanging for tally in tallies],
                        [kind for each, tally in enumerate(tallies) for kind in tally.kinds(each)],
                        block.slots.start,
                    )
                    del results
                del codes_of_block, stored_bits
            del moves, read_codes, next_results


def warm_up() -> None:
    """Compiles the kernels, or loads them from the cache of an earlier run."""
    codes = np.full(slots("KQvK"), BYTE_DRAW, np.uint8)
    for _ in examine("KQvK", lambda _name, _side, _wanted=(): codes, 1, lambda _: None):
        pass
