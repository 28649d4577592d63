"""Exports endings as Gaviota files and compares every position with what python-chess reads from them.

Run: ``python -m benchmarks.gaviota --library DIR [ENDING …]``, by default all endings of three and four pieces that are
built. The index and the meaning of a byte are those of :mod:`chess.gaviota`, whose own cache is too small for such a
sweep. Positions are those of our table, one of each set of symmetric copies, turned at random; ``--sample 1000000``
looks at so many random ones, for five pieces.
"""

from __future__ import annotations

import argparse
import lzma
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import chess.gaviota
import numpy as np

from endgame_core.chess import arrays, material
from endgame_core.chess.game import CHESS
from endgame_core.chess.gaviota_export import export_gaviota
from endgame_core.chess.gaviota_layout import file_name
from endgame_core.chess.index import TURNS, name_positions
from endgame_core.tables.library import Library
from endgame_core.values import value_of

STEP = 1 << 18
"""Slots that are looked at together."""


def slots_of(library: Library, ending: str, side: int, sample: int) -> Iterator[np.ndarray]:
    """The slots of the positions of a side, or some of them at random."""
    count = CHESS.index.slots(ending)
    if not sample:
        for start in range(0, count, STEP):
            copies = arrays.copies(ending, side, start, min(STEP, count - start))
            yield start + np.flatnonzero(copies)
        return
    rng = np.random.default_rng(side)
    drawn = 0
    while drawn < sample:
        start = int(rng.integers(0, count // 64)) * 64
        slots = start + np.flatnonzero(arrays.copies(ending, side, start, 64))
        yield slots
        drawn += len(slots)


class Blocks:
    """The blocks of a file, decompressed when they are needed."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self._offsets = np.frombuffer(self._data, "<u4", int.from_bytes(self._data[32:36], "little") // 4)[10:].tolist()
        self._blocks: dict[int, bytes] = {}

    def byte(self, number: int, place: int) -> int:
        """A byte of a block."""
        block = self._blocks.get(number)
        if block is None:
            block = lzma.decompress(self._data[self._offsets[number] + 2 : self._offsets[number + 1]])
            self._blocks[number] = block
        return block[place]


def compared(library: Library, ending: str, path: Path, sample: int) -> tuple[int, int]:
    """How many positions were compared, and how many differ."""
    rng = random.Random(ending)
    pieces = material.men(ending)
    white_count = 1 + sum(color for _, color in pieces)
    turns = TURNS[:2] if material.has_pawns(ending) else TURNS
    table = library.table(ending)
    blocks = Blocks(path)
    key = chess.gaviota.EGKEY[path.name.partition(".")[0]]
    blocks_per_side = -(-key.maxindex // chess.gaviota.ENTRIES_PER_BLOCK)
    unpack = cache(chess.gaviota.dtm_unpack)
    request = chess.gaviota.Request([0], [1], [0], [1], 0)
    total = wrong = 0
    for side in range(2):
        for slots in slots_of(library, ending, side, sample // 2):
            squares = arrays.squares_of(ending, slots)
            king, *others, black_king = (column.tolist() for column in squares)
            places, black_place = name_positions(ending)
            columns = [king] * (len(pieces) + 2)
            for place, column in zip(places, others, strict=True):
                columns[place] = column
            columns[black_place] = black_king
            codes = table.codes(side, slots).tolist()
            for code, *board in zip(codes, *columns, strict=True):
                turn = rng.choice(turns)
                board = [turn[square] for square in board]
                request.white_piece_squares = board[:white_count]
                request.black_piece_squares = board[white_count:]
                number, place = chess.gaviota.split_index(key.pctoi(request))
                byte = blocks.byte(side * blocks_per_side + number, place)
                plies, result = chess.gaviota.unpackdist(unpack(side, byte))
                category, expected = value_of(code)
                winner = {1: 0, 2: 1}.get(result)
                signed = 0 if winner is None else plies if winner == side else -plies
                total += 1
                wrong += signed != (expected or 0) * category.sign
    return total, wrong


def main() -> int:
    """Compares the endings that are named, or all; 1 if a position differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("endings", nargs="*")
    parser.add_argument("--library", type=Path, required=True, help="a data directory, which contains tables/")
    parser.add_argument("--sample", type=int, default=0)
    arguments = parser.parse_args()
    library = Library(CHESS, arguments.library)
    names = arguments.endings or [name for name in library.built() if material.men_count(name) < 5]
    failed = 0
    for ending in names:
        with tempfile.TemporaryDirectory() as directory:
            begun = time.monotonic()
            path = Path(directory) / file_name(ending)
            result = export_gaviota(library, ending, path)
            exported = time.monotonic()
            total, wrong = compared(library, ending, path, arguments.sample)
            print(
                f"{ending}  {result.size:,} bytes in {exported - begun:.1f} s  {total:,} positions, {wrong} differ"
                f"  ({time.monotonic() - exported:.0f} s)",
                flush=True,
            )
        failed += wrong
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
