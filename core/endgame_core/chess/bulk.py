"""Bulk probing: FENs are parsed, looked up and formatted by the thousand; imports numpy.

Only simple positions are handled: up to six men, no castling rights, no en passant square, and all tables by DTM and by
DTZ that the ending requires. All others are left to the caller, who probes them one by one.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from endgame_core.chess import arrays, material, metrics, notation
from endgame_core.chess.fifty import category_with_clock
from endgame_core.chess.metrics import Zeroing
from endgame_core.chess.probing import codes_at
from endgame_core.errors import EndgameError
from endgame_core.tables.library import Library
from endgame_core.values import LAST_CLOCK, Category, value_of

FIELDS = ("fen", "category", "dtm", "dtz", "depth", "wdl", "layer")
"""The fields of the short form of a position, as far as its game has them."""

# Simple FENs only, with canonical numbers. Castling, en passant and everything unusual is left to the full parser.
_FEN = re.compile(r"([1-8kqrbnpKQRBNP/]+) ([wb])(?: - -(?: (0|[1-9]\d{0,2}) ([1-9]\d{0,3}))?)?", re.ASCII)
_RANK = re.compile(r"(?:\d?[a-zA-Z])*\d?", re.ASCII)


def in_brief(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the short form of a position's document."""
    values = {**document, "wdl": Category(document["category"]).wdl}
    return {name: values[name] for name in FIELDS if name in values}


class BulkProber:
    """Probes many positions, from tables by DTM and by DTZ.

    Args:
        by_dtm: The tables by DTM.
        by_dtz: The tables by DTZ.
    """

    def __init__(self, by_dtm: Library, by_dtz: Library) -> None:
        self._libraries = by_dtm, by_dtz
        self._there: dict[str, bool] = {}
        self._endings: dict[str, tuple[str, bool, list[int]] | None] = {}
        self._values_json = lru_cache(1 << 16)(_values_json)

    def tell(self, fens: Sequence[str]) -> list[str]:
        """Return a JSON document for each position, in order; an empty text if it must be probed on its own."""
        documents = [""] * len(fens)
        groups: dict[str, list[tuple[int, list[int], int, int, str]]] = defaultdict(list)
        for number, fen in enumerate(fens):
            read = self._read(fen.strip())
            if read is not None:
                groups[read[0]].append((number, *read[1:]))
        for ending, group in groups.items():
            try:
                codes = self._codes(ending, [one[1] for one in group], [one[2] for one in group])
            except EndgameError:  # a damaged table: the positions are probed one by one
                continue
            # The text of a FEN needs no escapes in JSON, and most values occur many times, so documents are joined from
            # text.
            for (number, _, _, clock, fen), dtm, dtz, fits in zip(group, *codes, strict=True):
                if fits:
                    documents[number] = f'{{"fen": "{fen}", {self._values_json(clock, dtm, dtz)}'
        return documents

    def _read(self, text: str) -> tuple[str, list[int], int, int, str] | None:
        """Parse a FEN: ending, squares in its order, side to move in its colours, clock, FEN; None if not simple."""
        if (result := _FEN.fullmatch(text)) is None:
            return None
        men, turn, clock, number = result.groups()
        ranks = men.split("/")
        if len(ranks) != 8:
            return None
        letters = ""
        places = []
        for first, rank in zip(range(56, -1, -8), ranks, strict=True):
            if rank != "8":
                if (rank_pieces := _on_rank(first, rank)) is None:
                    return None
                letters += rank_pieces[0]
                places += rank_pieces[1]
        if letters not in self._endings:
            self._endings[letters] = self._ordered(letters)
        if (ending := self._endings[letters]) is None or int(clock or 0) > LAST_CLOCK:
            return None
        # The ending's White may be Black on the board: then ranks are mirrored, so that pawns keep their direction, and
        # side 0 (the side named first) is Black.
        name, swapped, order = ending
        squares = [places[i] for i in order]
        if swapped:
            squares = [square ^ 56 for square in squares]
        fen = f"{men} {turn} - - {clock or 0} {number or 1}"
        return name, squares, int((turn == "w") == swapped), int(clock or 0), fen

    def _ordered(self, letters: str) -> tuple[str, bool, list[int]] | None:
        """Return the ending of some men, whether its colours are exchanged, and the places of its men among these."""
        if letters.count("K") != 1 or letters.count("k") != 1 or not 2 < len(letters) <= material.MOST_MEN:
            return None
        sides = ["".join(letter for letter in letters if letter.isupper() is upper) for upper in (True, False)]
        name, swapped = material.parse_material("v".join("K" + side.upper().replace("K", "") for side in sides))
        if not self._is_there(name):
            return None
        order: list[int] = []
        for man in notation.ending_men(name):
            sign = man.symbol().swapcase() if swapped else man.symbol()
            order.append(next(i for i, letter in enumerate(letters) if letter == sign and i not in order))
        return name, swapped, order

    def _is_there(self, ending: str) -> bool:
        """Return whether an ending and everything it requires is built, by both metrics."""
        if ending not in self._there:
            built = all(library.is_built(ending) for library in self._libraries)
            self._there[ending] = built and all(self._is_there(need) for need in material.needs(ending))
        return self._there[ending]

    def _codes(
        self, ending: str, squares: Iterable[Sequence[int]], sides: Sequence[int]
    ) -> tuple[list[int], list[int], list[bool]]:
        """Return codes by DTM and by DTZ, and whether the positions are legal."""
        placed = np.array(list(squares), np.uint64)
        to_move = np.array(sides, np.int64)
        # See ``notation.key``: bit 0 is set if White is to move.
        keys = (1 - to_move).astype(np.uint64)
        for i in range(placed.shape[1]):
            keys |= placed[:, i] << np.uint64(1 + 7 * i)
        _, slots = arrays.canonical_slots(ending, keys)
        fits = slots >= 0
        result: list[list[int]] = []
        for library in self._libraries:
            codes = np.zeros(len(slots), np.uint16)
            codes[fits] = codes_at(library.table(ending), to_move[fits], slots[fits])
            result.append(codes.tolist())
        return result[0], result[1], fits.tolist()


@lru_cache(1 << 14)
def _on_rank(first: int, text: str) -> tuple[str, tuple[int, ...]] | None:
    """Return the men and squares of a rank, given its first square; None if its notation is unusual."""
    if not _RANK.fullmatch(text):
        return None
    # A digit becomes as many spaces, so that the position of each letter is its file.
    men = "".join(letter if letter.isalpha() else " " * int(letter) for letter in text)
    squares = [first + file for file, letter in enumerate(men) if letter != " "]
    if len(men) == 8:
        return (men.replace(" ", ""), tuple(squares))
    return None


def _values_json(clock: int, by_dtm: int, by_dtz: int) -> str:
    """Return the values of two codes as the end of a JSON document."""
    category_by_dtm, depth = value_of(by_dtm)
    if depth is None:
        dtm = 0
    elif category_by_dtm is Category.WIN:
        dtm = depth
    else:
        dtm = -depth
    mated = depth == 0
    result = Zeroing.of(*metrics.value_of(by_dtz))
    category = category_with_clock(result, clock)
    if mated:
        dtz = -1
    elif category is Category.DRAW:
        dtz = 0
    else:
        dtz = result.dtz
    # A draw has no layer.
    layer = 0 if mated else abs(dtm) or None
    document = {"category": category.value, "dtm": dtm, "dtz": dtz, "wdl": category.wdl, "layer": layer}
    # Without the opening brace, which the caller writes before the FEN.
    return json.dumps(document)[1:]
