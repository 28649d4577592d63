"""How much memory solving an ending takes; imports neither numpy nor numba."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from endgame_core.chess import index, material
from endgame_core.tables import mmap_arrays

_PROGRAM = 300_000_000
"""Bytes of the program itself, with all that is compiled."""
_NEAR_KINGS = 22
"""Squares of White's king that what captures are worth is kept for."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Bytes of memory that solving plane by plane takes.

    Attributes:
        set: A set of positions of both sides to move.
        sets: How many sets there are.
        least: What there must be, all sets being in mapped files.
        most: What is used at most.
        spare: What of the least is used before the first pass only.
    """

    set: int
    sets: int
    least: int
    most: int
    spare: int = 0


def _divisible(ending: str) -> bool:
    """Whether an ending can be solved plane by plane, or with some of its slices held."""
    men = index.men_of(ending)
    if material.has_pawns(ending):
        return len(men) > 1
    return len(men) > 1 and (len(men) > 2 or men[0] != men[1])


def _whole(ending: str) -> int:
    """Bytes that an ending takes with all its codes held."""
    return 200_000_000 + 2 * index.slots(ending) * 17 // 10


def needs(ending: str, metric: str, deep: bool = False) -> Needs:
    """The needs of an ending, which may have to be solved in memory as a whole.

    Args:
        ending: Canonical name.
        metric: What codes mean.
        deep: Whether it has to be solved in codes, for want of bytes; endings with pawns only.
    """
    whole = _whole(ending)
    if not _divisible(ending):
        return Needs(0, 0, whole, whole)
    men = index.men_of(ending)
    if sum(index.pawns_of(ending)) > 1:
        result = _of_waves(ending, metric, 2 if deep else 1)
        return result if result.least < whole else Needs(0, 0, whole, whole)
    if material.has_pawns(ending):
        return _of_slices(ending, metric, 2 if deep else 1)
    slots = index.slots(ending)
    planes = 64
    folded = len(set(men[:2])) == 1
    whole = 2 * slots // 8
    held = whole // 2 if folded else whole
    sets = 6 if metric == "dtz" else 5
    tasks = 2 * slots // (64 * 64 * 64)
    small = _PROGRAM + tasks * 256 * 8 + (sets - 3) * 2 * slots // 4096
    plane = 2 * slots // planes
    smaller = material.needs(ending)
    below = max((index.slots(name) for name in smaller if len(name) < len(ending)), default=0)
    captures = len(set(men)) * _NEAR_KINGS * 64 ** len(men) + 2 * plane + 2 * below
    passes = max(held, plane)
    least = small + max(captures, passes)
    return Needs(held, sets, least, least + sets * held, max(0, captures - passes))


def _of_slices(ending: str, metric: str, width: int) -> Needs:
    """The needs of an ending with one pawn, solved slice by slice; ``width`` is that of its exits, in bytes."""
    both = 2 * index.slots(ending) // index.axes(ending)[0]
    set_, plane = both // 8, both // 64
    sets = 6 if metric == "dtz" else 5
    small = _PROGRAM + both // (64 * 64 * 64) * 256 * 8 + (sets - 3) * both // 4096
    pieces = len(index.men_of(ending)) - 1
    banks = width * (both + (6 * pieces * both) // 128)
    below = width * max(_held(name) for name in material.needs(ending))
    pushes = width * 3 * plane
    least = small + set_ + banks + max(pushes, below)
    return Needs(set_, sets, least, least + sets * set_, max(0, below - pushes))


HELD = 1 << 30
"""Bytes of slices that are held at least."""
_FEWEST = 24
"""Slices that are held at least: some, and all that they read."""
_THREADS = 8
"""Threads that there is room for in any case; more of them run where there is more memory."""


def _slice(ending: str, width: int) -> int:
    """Bytes of a slice that is held: codes of so many bytes, and positions without a move."""
    both = 2 * index.slots(ending) // index.axes(ending)[0]
    return width * both + both // 8


def _fewest(ending: str, width: int) -> int:
    """Slices of an ending that are held at least."""
    return min(index.axes(ending)[0], max(_FEWEST, HELD // _slice(ending, width)))


def _thread(ending: str, metric: str, width: int) -> int:
    """Bytes of one thread: D and the sets of a slice; a slice that is read, and how it lies in a work file."""
    both = 2 * index.slots(ending) // index.axes(ending)[0]
    return width * both + (6 if metric == "dtz" else 5) * both // 8 + 3 * _slice(ending, width) // 2


def threads_held(ending: str, metric: str, memory: int, threads: int, deep: bool = False) -> int:
    """How many of some threads can work at an ending with several pawns in so much memory."""
    spare = max(0, memory - needs(ending, metric, deep).least)
    return min(threads, _THREADS + spare // _thread(ending, metric, 2 if deep else 1))


def slices_held(ending: str, metric: str, memory: int, threads: int, deep: bool = False) -> int:
    """How many slices of an ending with several pawns can be held in so much memory; see :func:`needs`."""
    width = 2 if deep else 1
    more = max(0, threads - _THREADS) * _thread(ending, metric, width)
    spare = max(0, memory - needs(ending, metric, deep).least - more)
    return _fewest(ending, width) + spare // _slice(ending, width)


def _of_waves(ending: str, metric: str, width: int) -> Needs:
    """The needs of an ending with several pawns, solved wave by wave in codes of so many bytes."""
    white, black = index.pawns_of(ending)
    places, free = index.axes(ending)[0], 64 ** (len(index.men_of(ending)) - white - black + 2)
    pieces = len(index.men_of(ending)) - white - black
    left = [index.placement_count(*pawns) for pawns in ((white - 1, black), (white, black - 1)) if min(pawns) >= 0]
    whole = sum(left) * free + pieces * places * free // 64
    promotions = 8 * sum(left) * free // 5  # no wave has more than a fifth of them
    below = max(_held(name) for name in material.needs(ending))
    size, fewest = _slice(ending, width), _fewest(ending, width)
    threads = _THREADS * _thread(ending, metric, width)
    numbers = 4 * 64 ** (white + black) + 200 * places
    least = _PROGRAM + numbers + threads + width * (whole + promotions + below) + fewest * size
    return Needs(size, places - fewest, least, least + (places - fewest) * size)


def _held(ending: str) -> int:
    """Bytes that are held to read a sub-ending with one side to move: all codes, or those of eight planes."""
    slots = index.slots(ending)
    if len(ending) > 6:
        some = max(1 << 28, slots // index.axes(ending)[0]) if material.has_pawns(ending) else slots // 8
    else:
        some = slots
    return some + some // 8


def in_planes(ending: str, memory: int) -> bool:
    """Whether an ending is solved in bounded memory: one of six men, or one that does not fit into it otherwise."""
    if not _divisible(ending):
        return False
    return len(index.men_of(ending)) > 3 or _whole(ending) > memory


_LOG = 2.0
"""Bytes of a work file for each byte of the table; 1.3 to 1.95 were measured with five and six pieces."""
_LOG_OF_SET = 0.8
"""Bytes of a work file of five pieces without pawns, at least, for each byte of a set; 0.8 were (KNNNvK)."""


def scratch(ending: str, metric: str, memory: int, size: int) -> int:
    """Bytes of disk that solving an ending needs beside the finished table: work files, and sets that do not fit.

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
        in_memory = min(result.sets, max(0, memory - result.least) // result.set)
        mapped = result.sets - in_memory
    solving = log + mapped * set_on_disk
    writing = log + min(mapped, 1) * set_on_disk + 2 * size
    return max(solving, writing) - size


FEW = 1 << 20
"""Slots with which one thread is done before another one has begun."""
BLOCK = 1 << 28
"""Slots of which what is stored is held together while an ending is looked at; see ``examine``."""
PART = 1 << 30
"""Slots of a large ending with pawns that are looked at together, but for a single placement that has more."""
_FRAMES = 200_000_000
"""Bytes of the frames that tables remember, and of what is found, at most."""


def looking(ending: str, wide: bool) -> int:
    """Bytes of memory that looking at all moves of an ending takes, see ``examine``.

    Args:
        ending: Canonical name.
        wide: Whether its table stores codes, not bytes.
    """
    men, count = index.men_of(ending), index.slots(ending)
    reached = count
    if material.has_pawns(ending) and count > mmap_arrays.HELD:
        each = count // index.axes(ending)[0]
        reached = min(count, max(PART, each) * (1 + 2 * sum(index.pawns_of(ending))))
    block = min(BLOCK, count)
    bits = max(block, count // index.axes(ending)[0]) // 8
    most = max(_led_to(men, mover) for mover in (True, False))
    small = _PROGRAM + min(_FRAMES, 4 * count)
    return small + _summed_up(ending, reached) + block * (2 if wide else 1) + block // 4 + bits + most


def _summed_up(ending: str, some: int) -> int:
    """Bytes of the results of some slots: two bits each; where the two outermost men are alike only half are there."""
    outer = index.men_of(ending)[:2]
    return some // (8 if len({*outer}) < len(outer) and not material.has_pawns(ending) else 4)


def _led_to(men: tuple[index.Man, ...], mover: bool) -> int:
    """Bytes of what captures and promotions of one side lead to."""
    whole, result = dict(enumerate(men)), dict[str, int]()
    for victim in (None, *(i for i, man in enumerate(men) if man[1] != mover or man[0] == chess.PAWN)):
        left = {i: man for i, man in whole.items() if i != victim}
        if victim is not None:
            name, _, _ = index.fitted(tuple(left.values()))
            result[name] = index.slots(name) if name else 0
        if victim is not None and men[victim][1] == mover:  # taken en passant by the answer
            continue
        for i in (i for i, man in left.items() if man == (chess.PAWN, mover)):
            for piece in range(chess.KNIGHT, chess.KING):
                name, part = _promoted({**left, i: (piece, mover)}, i)
                slots = index.slots(name)
                result.setdefault(name, int(part * (slots if victim is not None else _summed_up(name, slots))))
    return sum(result.values())


def _promoted(men: dict[int, index.Man], promoted: int) -> tuple[str, float]:
    """An ending into which a pawn promotes, and what part of it there must be: see ``wanted_slots``.

    A placement of one pawn, which is looked at alone, lets it promote on three squares; these have copies on all edges.
    """
    name, _, places = index.fitted(tuple(men.values()))
    if material.has_pawns(name):
        return name, 1 / 6
    alone = list(men.values()).count(men[promoted]) == 1
    return name, 3 / 8 if alone and list(men)[places[-1]] != promoted else 1.0
