"""How much memory solving an ending takes; imports neither numpy nor numba.

An ending is solved in one of four ways, and each has its own sum:

- as a whole: all codes and sets are in memory (:func:`whole`);
- plane by plane, without pawns: at least one set of one side to move, the exits of a plane, and the bounds;
- slice by slice, with one pawn: the same for one slice, with its banks;
- wave by wave, with several pawns: some slices, the banks, and what each thread needs.

Bounded memory works as these sums say: ``least`` is what a solve cannot do without. What is allowed beyond it holds
sets (or slices) in memory that would otherwise be files.
"""

from __future__ import annotations

from dataclasses import dataclass

import chess

from endgame_core.chess import index, material
from endgame_core.chess.material import Man
from endgame_core.metric import DTZ, Metric
from endgame_core.tables import mmap_arrays

_PROGRAM = 300_000_000
"""Bytes of the program itself, with all that is compiled."""
_NEAR_KINGS = 22
"""Squares of White's king for which bounds have room."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Bytes of memory that a solve in bounded memory takes.

    Attributes:
        set: A set of positions, of both sides to move.
        sets: Number of sets.
        least: The least memory, with all sets in mapped files.
        max_memory: The most memory that is used.
        spare: Bytes of ``least`` that are used before the first pass only.
    """

    set: int
    sets: int
    least: int
    max_memory: int
    spare: int = 0


def _divisible(ending: str) -> bool:
    """Whether an ending can be solved plane by plane, or with only some of its slices in memory."""
    men = index.men_of(ending)
    if material.has_pawns(ending):
        return len(men) > 1
    return len(men) > 1 and (len(men) > 2 or men[0] != men[1])


def whole(ending: str) -> int:
    """Bytes of memory that an ending takes if it is solved in memory as a whole, with a tenth to spare.

    With pawns, the codes of a finished slice are encoded and released while the others are solved: 0.75 to 0.88 bytes
    for each slot of both sides to move were measured (KPPvKN, KRPvKR, KBPvKN). Without, all codes stay to the end.
    """
    both = 2 * index.slots(ending)
    if material.has_pawns(ending):
        return 200_000_000 + both
    return 200_000_000 + both * 17 // 10


def needs(ending: str, metric: Metric, wide: bool = False) -> Needs:
    """Computes the needs of an ending, which may have to be solved in memory as a whole (then ``sets`` is 0).

    Args:
        ending: Canonical name.
        metric: What codes mean.
        wide: Whether it has to be solved in codes, as bytes do not hold its values; endings with pawns only.
    """
    in_memory = whole(ending)
    if not _divisible(ending):
        return Needs(0, 0, in_memory, in_memory)
    men = index.men_of(ending)
    if sum(index.pawns_of(ending)) > 1:
        result = _of_waves(ending, metric, 2 if wide else 1)
        if result.least < in_memory:
            return result
        return Needs(0, 0, in_memory, in_memory)
    if material.has_pawns(ending):
        return _of_slices(ending, metric, 2 if wide else 1)
    slots = index.slots(ending)
    planes = 64
    # Where the two outermost pieces are identical only planes with q < p0 are used, half of a set.
    folded = len(set(men[:2])) == 1
    bits = 2 * slots // 8
    set_in_memory = bits // 2 if folded else bits
    sets = 6 if metric == DTZ else 5
    tasks = 2 * slots // (64 * 64 * 64)
    small = _PROGRAM + tasks * 256 * 8 + (sets - 3) * 2 * slots // 4096
    plane = 2 * slots // planes
    smaller = material.needs(ending)
    below = max((index.slots(name) for name in smaller if len(name) < len(ending)), default=0)
    # Before the first pass: the bounds of each piece, the codes of one plane, and the sub-ending that is read. In a
    # pass: R and X of one side to move in all planes, which are a set of both.
    captures = len(set(men)) * _NEAR_KINGS * 64 ** len(men) + 2 * plane + 2 * below
    passes = max(set_in_memory, plane)
    least = small + max(captures, passes)
    return Needs(set_in_memory, sets, least, least + sets * set_in_memory, max(0, captures - passes))


def _of_slices(ending: str, metric: Metric, width: int) -> Needs:
    """The needs of an ending with one pawn, solved slice by slice.

    Args:
        ending: Canonical name.
        metric: What codes mean.
        width: Bytes of an exit.
    """
    both = 2 * index.slots(ending) // index.axes(ending)[0]
    set_ = both // 8
    plane = both // 64
    sets = 6 if metric == DTZ else 5
    small = _PROGRAM + both // (64 * 64 * 64) * 256 * 8 + (sets - 3) * both // 4096
    pieces = len(index.men_of(ending)) - 1
    banks = width * (both + (6 * pieces * both) // 128)
    below = width * max(_read_bytes(name) for name in material.needs(ending))
    pushes = width * 3 * plane
    least = small + set_ + banks + max(pushes, below)
    return Needs(set_, sets, least, least + sets * set_, max(0, below - pushes))


HELD = 1 << 30
"""Bytes of slices that are in memory at least."""
_FEWEST = 24
"""Slices that are in memory at least: some, and all that they read."""
_THREADS = 8
"""Threads that ``least`` has room for; more of them run where there is more memory."""


def _slice(ending: str, width: int) -> int:
    """Bytes of a slice in memory: codes of ``width`` bytes, and the bits of positions without a move."""
    both = 2 * index.slots(ending) // index.axes(ending)[0]
    return width * both + both // 8


def _fewest(ending: str, width: int) -> int:
    """Number of slices of an ending that are in memory at least."""
    return min(index.axes(ending)[0], max(_FEWEST, HELD // _slice(ending, width)))


def _thread(ending: str, metric: Metric, width: int) -> int:
    """Bytes of one thread: D and the sets of a slice, and a slice that is read or written, plain and compressed."""
    both = 2 * index.slots(ending) // index.axes(ending)[0]
    return width * both + (6 if metric == DTZ else 5) * both // 8 + 3 * _slice(ending, width) // 2


def threads_held(ending: str, metric: Metric, memory: int, threads: int, wide: bool = False) -> int:
    """How many threads can work at an ending with several pawns.

    Args:
        ending: Canonical name.
        metric: What codes mean.
        memory: Bytes of memory that may be used.
        threads: The most threads.
        wide: Whether it is solved in codes.
    """
    spare = max(0, memory - needs(ending, metric, wide).least)
    return min(threads, _THREADS + spare // _thread(ending, metric, 2 if wide else 1))


def slices_held(ending: str, metric: Metric, memory: int, threads: int, wide: bool = False) -> int:
    """How many slices of an ending with several pawns fit into memory; arguments as of :func:`threads_held`."""
    width = 2 if wide else 1
    more = max(0, threads - _THREADS) * _thread(ending, metric, width)
    spare = max(0, memory - needs(ending, metric, wide).least - more)
    return _fewest(ending, width) + spare // _slice(ending, width)


def _of_waves(ending: str, metric: Metric, width: int) -> Needs:
    """The needs of an ending with several pawns, solved wave by wave in codes of ``width`` bytes."""
    white, black = index.pawns_of(ending)
    places = index.axes(ending)[0]
    free = 64 ** (len(index.men_of(ending)) - white - black + 2)
    pieces = len(index.men_of(ending)) - white - black
    bank_rows = [index.placement_count(*pawns) for pawns in ((white - 1, black), (white, black - 1)) if min(pawns) >= 0]
    whole = sum(bank_rows) * free + pieces * places * free // 64
    promotions = 8 * sum(bank_rows) * free // 5  # no wave has more than a fifth of them
    below = max(_read_bytes(name) for name in material.needs(ending))
    size = _slice(ending, width)
    fewest = _fewest(ending, width)
    threads = _THREADS * _thread(ending, metric, width)
    numbers = 4 * 64 ** (white + black) + 200 * places
    least = _PROGRAM + numbers + threads + width * (whole + promotions + below) + fewest * size
    return Needs(size, places - fewest, least, least + (places - fewest) * size)


def _read_bytes(ending: str) -> int:
    """Bytes to read a sub-ending with one side to move: all codes, or with six pieces those of a part."""
    slots = index.slots(ending)
    read_slots = slots
    if len(ending) > 6:
        if material.has_pawns(ending):
            read_slots = max(1 << 28, slots // index.axes(ending)[0])
        else:
            read_slots = slots // 8
    return read_slots + read_slots // 8


def in_planes(ending: str, memory: int) -> bool:
    """Whether an ending is solved in bounded memory: one of six pieces, or one that does not fit into it otherwise."""
    if not _divisible(ending):
        return False
    return len(index.men_of(ending)) > 3 or whole(ending) > memory


_LOG = 2.0
"""Bytes of a work file for each byte of the table; 1.3 to 1.95 were measured with five and six pieces."""
_LOG_OF_SET = 0.8
"""Bytes of a work file of five pieces without pawns, at least, for each byte of a set; 0.8 were (KNNNvK)."""


def scratch(ending: str, metric: Metric, memory: int, size: int) -> int:
    """Bytes of disk that solving an ending needs beside the finished table: work files, and sets that are files.

    Args:
        ending: Canonical name.
        metric: What codes mean.
        memory: Bytes of memory that may be used.
        size: Estimated bytes of the table.
    """
    if not in_planes(ending, memory):
        return size
    result = needs(ending, metric)
    log = int(_LOG * size)
    pawns = sum(index.pawns_of(ending))
    set_on_disk = 2 * index.slots(ending) // 8
    if pawns:
        set_on_disk //= index.axes(ending)[0]
    elif material.men_count(ending) <= 5:
        log = max(log, int(_LOG_OF_SET * set_on_disk))
    mapped = 0
    if pawns <= 1 and result.sets:
        # Sets that do not fit into the rest of the memory are mapped files.
        in_memory = min(result.sets, max(0, memory - result.least) // result.set)
        mapped = result.sets - in_memory
    # The disk is fullest either in the last pass, or when the table is written: one set at most is left then, and the
    # frames are there twice, in the body and in the table. The finished table itself is not counted.
    solving = log + mapped * set_on_disk
    writing = log + min(mapped, 1) * set_on_disk + 2 * size
    return max(solving, writing) - size


FEW = 1 << 20
"""Slots below which starting a second thread takes longer than the work."""
BLOCK = 1 << 28
"""Slots whose codes are in memory at a time while an ending is examined; see ``examine``."""
PART = 1 << 30
"""Slots of a large ending with pawns that are examined together; one placement of the pawns at least."""
_FRAMES = 200_000_000
"""Bytes of cached frames of tables, and of results, at most."""


def looking(ending: str, wide: bool) -> int:
    """Bytes of memory that examining all moves of an ending takes, see ``examine``.

    Args:
        ending: Canonical name.
        wide: Whether its table stores codes, not bytes.
    """
    men = index.men_of(ending)
    count = index.slots(ending)
    result_slots = count
    if material.has_pawns(ending) and count > mmap_arrays.IN_MEMORY_BYTES:
        placement_slots = count // index.axes(ending)[0]
        result_slots = min(count, max(PART, placement_slots) * (1 + 2 * sum(index.pawns_of(ending))))
    block = min(BLOCK, count)
    block_bits = max(block, count // index.axes(ending)[0]) // 8
    exits = max(_led_to(men, mover) for mover in (True, False))
    small = _PROGRAM + min(_FRAMES, 4 * count)
    return small + _summed_up(ending, result_slots) + block * (2 if wide else 1) + block // 4 + block_bits + exits


def _summed_up(ending: str, slots: int) -> int:
    """Bytes of the results of some slots: two bits each; half of that if the two outermost pieces are identical."""
    outer = index.men_of(ending)[:2]
    copies = 4
    if len({*outer}) < len(outer) and not material.has_pawns(ending):
        copies = 8
    return slots // copies


def _led_to(men: tuple[Man, ...], mover: bool) -> int:
    """Bytes of what captures and promotions of one side lead to."""
    whole = dict(enumerate(men))
    result = dict[str, int]()
    # A pawn of the mover can be the victim, too: of an en passant capture in the answer.
    for victim in (None, *(i for i, man in enumerate(men) if man.color != mover or man.kind == chess.PAWN)):
        remaining = {i: man for i, man in whole.items() if i != victim}
        if victim is not None:
            name, _, _ = index.fit_to_ending(tuple(remaining.values()))
            result[name] = index.slots(name) if name else 0
        if victim is not None and men[victim].color == mover:  # taken en passant by the answer
            continue
        for i in (i for i, man in remaining.items() if man == Man(chess.PAWN, mover)):
            for piece in range(chess.KNIGHT, chess.KING):
                name, part = _promoted({**remaining, i: Man(piece, mover)}, i)
                slots = index.slots(name)
                result.setdefault(name, int(part * (slots if victim is not None else _summed_up(name, slots))))
    return sum(result.values())


def _promoted(men: dict[int, Man], promoted: int) -> tuple[str, float]:
    """An ending into which a pawn promotes, and which part of its slots is needed: see ``wanted_slots``.

    One placement of the pawn is examined at a time; it promotes on three squares, which have copies on all edges.
    """
    name, _, places = index.fit_to_ending(tuple(men.values()))
    if material.has_pawns(name):
        return name, 1 / 6
    is_only_one = list(men.values()).count(men[promoted]) == 1
    return name, 3 / 8 if is_only_one and list(men)[places[-1]] != promoted else 1.0
