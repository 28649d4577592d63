"""The verifier: whether the file of a table is sound, and its values are those that the rules derive."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from endgame_core.errors import NotBuiltError
from endgame_core.game import Game
from endgame_core.language import _
from endgame_core.tables.file import Table, silent
from endgame_core.tables.library import Library
from endgame_core.tables.proof import mismatch

_RESULTS = ("draw", "win", "loss")
"""Indexed by the sign of a category, 0, 1 or -1: the result for the side to move, regardless of the 50-move rule."""

CHECKSUMS_SHARE = 0.95
"""Part of a verification that is done once the checksums are right; in small tables it takes no time."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of a verification.

    Attributes:
        ending: The ending.
        frames: Number of frames, all with the right checksums.
        positions: Number of positions compared one ply deep.
        opinions: Number of these positions that were also compared with a second opinion.
        mismatch: The first position that differs, in words, or None.
        missing: Sub-endings that are not built; positions with moves into them were not compared.
    """

    ending: str
    frames: int
    positions: int
    opinions: int
    mismatch: str | None
    missing: Sequence[str] = ()


def verify(
    library: Library,
    ending: str,
    samples: int = 1000,
    seed: int = 1,
    progress: Callable[[float], None] = silent,
    second_opinion: Callable[[Any], int | None] | None = None,
) -> Verified:
    """Verify a table: its checksums, then random positions derived again one ply deep.

    The moves come from the rules of the game, the values of the positions after them from the tables. Only
    positions whose successors are all built are compared.

    Args:
        library: The tables.
        ending: Name of a built ending.
        samples: Number of positions to compare.
        seed: Random seed.
        progress: Called with the part done, 0 to 1; its exceptions stop the verification and propagate.
        second_opinion: Returns from another source whether the side to move wins (1), draws (0) or loses (-1) a
            position; None if that source does not know it.

    Raises:
        NotBuiltError: It is not built; or it is lean, and a sub-ending is not built.
        TableError: A checksum fails; the file has been renamed.
    """
    table = library.table(ending)
    try:
        frames = table.check(lambda part: progress(CHECKSUMS_SHARE * part))
        rng = random.Random(seed)
        compared = 0
        opinions = 0
        missing: set[str] = set()
        # All canonical positions are equally likely. Those of a frame come one after the other.
        numbers = sorted(rng.randrange(table.positions) for _ in range(samples))
        for number, (side, slot) in enumerate(table.sample(numbers)):
            try:
                difference = mismatch(table, library, side, slot)
            except NotBuiltError as problem:
                missing.add(problem.ending)
                continue
            compared += 1

            if not difference and second_opinion is not None:
                position = library.game.index.position_at(ending, side, slot)
                opinion = second_opinion(position)
                if opinion is not None:
                    opinions += 1
                    difference = _difference_to_opinion(library.game, table, side, slot, opinion)
            if difference:
                return Verified(ending, frames, compared, opinions, difference)
            if number % 100 == 0:
                progress(CHECKSUMS_SHARE + (1 - CHECKSUMS_SHARE) * number / samples)
        return Verified(ending, frames, compared, opinions, None, sorted(missing))
    finally:
        table.release()


def _difference_to_opinion(game: Game[Any, Any], table: Table, side: int, slot: int, opinion: int) -> str:
    """How a stored result differs from a second opinion, in words; empty if they agree."""
    stored = game.index.value(table.code(side, slot))[0].sign
    if opinion == stored:
        return ""
    position = game.index.position_at(table.ending, side, slot)
    what = _("{results} stored, {results2} according to the second opinion").format(
        results=_RESULTS[stored], results2=_RESULTS[opinion]
    )
    return f"{game.format(position)}: {what}"
