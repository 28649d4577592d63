"""Holds imported layers against the rules of the game.

Nothing here uses the solver. In endings of up to four men every position must have the value that the positions one
ply later give it, and that proves them all. In larger ones layer 0 must hold every finished game and nothing else, and
random positions of every layer, and of the draws, must have the value that the positions one ply later give them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from endgame_core.errors import ArchiveError, NotBuiltError
from endgame_core.game import Game, Slot, Solved, derived_code, position_code
from endgame_core.tables.exchange import CHUNK, Report
from endgame_core.tables.explorer import WINNERS
from endgame_core.tables.library import Library
from endgame_core.values import DRAW, value_of

_INSTEAD = "nothing was imported; build the ending instead"
_MOST_ENDS = 20_000
"""Positions that look like a finished game and are looked at; an ending with more of them is sampled."""

MOST_SLOTS = 1 << 24
"""Slots of one side of the largest ending that is derived as a whole: its sub-endings have to fit into memory, too."""

_MOST_UNSURE = 2000
"""Positions that cannot be derived many at once, and are compared one by one."""

_RANGE = 1 << 18


def check_needs(library: Library, ending: str) -> None:
    """Raises NotBuiltError for sub-endings without which an import cannot be checked."""
    missing = [name for name in library.game.needs(ending) if not library.is_built(name)]
    if missing:
        names = " ".join(missing)
        raise NotBuiltError(
            missing[0], f"the check of {ending} needs it for the values after captures; run: endgame-tui build {names}"
        )


class Check:
    """Compares a solved ending, as an archive tells it, with the rules.

    Args:
        library: Has the tables of the sub-endings.
        name: Name of the archive, for errors.
        ending: The ending.
        solved: Its codes.
        tally: Its positions per side, chunk of slots and code.
        report: Told what is done, how much of it, and of how much.
    """

    def __init__(
        self,
        library: Library,
        name: str,
        ending: str,
        solved: Solved,
        tally: Any,
        report: Report,
    ) -> None:
        self.library = library
        self.game: Game[Any, Any] = library.game
        self.name = name
        self.ending = ending
        self.solved = solved
        self.tally = tally
        self.report = report

    def _look(self, slot: Slot) -> int:
        if slot.ending == self.ending:
            return int(self.solved.codes[slot.side, slot.index])
        return self.library.table(slot.ending).value(slot.side, slot.index)

    def _code(self, position: Any) -> int:
        return position_code(self.game, position, self._look)

    def _compare(self, side: int, slot: int) -> None:
        """Raises ArchiveError when the value of a slot is not what its moves make it."""
        position = self.game.index.position_at(self.ending, side, slot)
        found, expected = int(self.solved.codes[side, slot]), derived_code(self.game, position, self._code)
        if found != expected:
            raise ArchiveError(
                f"{self.name} breaks the rules: {self.game.format(position)} is {_place(side, found)} in it, "
                f"but its moves lead to {_place(side, expected)}",
                _INSTEAD,
            )

    @property
    def whole(self) -> bool:
        """Whether the ending is small enough for :meth:`everything`."""
        return self.solved.codes.shape[1] <= MOST_SLOTS

    def _codes(self, name: str, side: int) -> Any:
        return self.solved.codes[side] if name == self.ending else self.library.table(name).all_codes(side, DRAW)

    def everything(self, seed: int | None) -> int:
        """Derives all positions again, one ply deep; returns how many were compared.

        Those that slots do not tell all about (en passant) are compared one by one; of more than 2 000, so many at
        random.
        """
        import numpy as np

        one_ply = self.game.solver.one_ply(self.ending, self._codes)
        size = self.solved.codes.shape[1]
        compared = 0
        unsure: list[tuple[int, int]] = []
        for side in range(2):
            for start in range(0, size, _RANGE):
                self.report("comparing one ply deep", side * size + start, 2 * size)
                slots, derived = one_ply.derived(side, start, min(_RANGE, size - start))
                known = derived >= 0
                for slot in slots[known & (derived != self.solved.codes[side, slots])].tolist():
                    self._compare(side, slot)
                compared += int(np.count_nonzero(known))
                unsure += [(side, slot) for slot in slots[~known].tolist()]
        if len(unsure) > _MOST_UNSURE:
            unsure = random.Random(seed).sample(unsure, _MOST_UNSURE)
        for side, slot in unsure:
            self._compare(side, slot)
        return compared + len(unsure)

    def ends(self, seed: int | None) -> int:
        """Makes sure of layer 0: every finished game is in it, and nothing else.

        Args:
            seed: Makes the choice repeatable where there is one.

        Returns:
            Positions compared: those where the side to move looks lost at first sight; of more than 20 000, so many
            at random.
        """
        import numpy as np

        arrays = self.game.index.arrays()
        found: list[tuple[int, int]] = []
        for side in range(2):
            codes = self.solved.codes[side]
            listed = 0
            for start in range(0, len(codes), CHUNK):
                self.report("looking for finished games", side * len(codes) + start, 2 * len(codes))
                part = codes[start : start + CHUNK]
                slots = np.flatnonzero(arrays.end_candidates(self.ending, side, start, len(part)))
                listed += int(np.count_nonzero(part[slots] == 0))
                found += [(side, slot) for slot in (start + slots).tolist()]
            if listed != int(self.tally[side, :, 0].sum()):
                where = f"{WINNERS[1 - side]}/S_000.keys"
                raise ArchiveError(f"{self.name} breaks the rules: {where} lists games that are not over", _INSTEAD)
        if len(found) > _MOST_ENDS:
            found = random.Random(seed).sample(found, _MOST_ENDS)
        for side, slot in found:
            position = self.game.index.position_at(self.ending, side, slot)
            verdict = self.game.terminal(position)
            if (verdict is not None and verdict.depth == 0) != (self.solved.codes[side, slot] == 0):
                self._compare(side, slot)
        return len(found)

    def samples(self, count: int, seed: int | None) -> int:
        """Derives random positions again, one ply deep.

        Args:
            count: Positions of each layer, and of each side's draws; all of them where there are fewer.
            seed: Makes the choice repeatable.

        Returns:
            Positions compared.
        """
        wanted = [
            (side, code, min(count, int(self.tally[side, :, code].sum())))
            for side in range(2)
            for code in range(256)
        ]  # fmt: skip
        total = sum(number for _, _, number in wanted)
        done = 0
        for side, slot in self._chosen(wanted, random.Random(seed)):
            if done % 100 == 0:
                self.report("comparing by the rules alone", done, total)
            self._compare(side, slot)
            done += 1
        return done

    def _chosen(self, wanted: list[tuple[int, int, int]], rng: random.Random) -> Iterator[tuple[int, int]]:
        """Random slots, chunk by chunk: so many, all different, of each (side, code)."""
        import numpy as np

        picks: dict[tuple[int, int], dict[int, list[int]]] = {}
        for side, code, number in wanted:
            if not number:
                continue
            ends = np.cumsum(self.tally[side, :, code])
            for ordinal in rng.sample(range(int(ends[-1])), number):
                chunk = int(np.searchsorted(ends, ordinal, side="right"))
                first = int(ends[chunk - 1]) if chunk else 0
                picks.setdefault((side, chunk), {}).setdefault(code, []).append(ordinal - first)
        for (side, chunk), codes in sorted(picks.items()):
            start = chunk * CHUNK
            part = self.solved.codes[side, start : start + CHUNK]
            canonical = self.game.index.arrays().copies(self.ending, side, start, len(part)) > 0
            for code, ordinals in codes.items():
                slots = np.flatnonzero(canonical & (part == code))
                yield from ((side, start + int(slots[ordinal])) for ordinal in ordinals)


def _place(side: int, code: int) -> str:
    """A value in words: the layer and its winner."""
    if code == DRAW:
        return "a draw"
    winner = WINNERS[side if code > DRAW else 1 - side].capitalize()
    return f"S{value_of(code)[1]} ({winner} wins)"
